/* Searches and sums over the leaves of a cloud, behind the kernel table.
 *
 * The tree has the shape of neighbours/kernels: leaves of eight points, nodes of eight boxes. Beside its points a leaf
 * holds their normals and the parts of the graph they belong to. In: a place. Out: the nearest point, or the sums over
 * all points near it that a sphere is fitted to. All sums have eight accumulators, one a lane, added in one fixed order:
 * every row gives the same bits.
 */
#ifndef DENT_CLOUDS_CLOUD_KERNELS_H
#define DENT_CLOUDS_CLOUD_KERNELS_H

#include "neighbours/kernels/neighbour_kernels.h"

enum { CLOUD_LANES = NEIGHBOUR_LANES };

/* Points that are not used (beyond the last, isolated) are NaN, which no comparison accepts. */
struct cloud_leaf {
    _Alignas(64) double point[3][CLOUD_LANES];
    double normal[3][CLOUD_LANES];
    double part[CLOUD_LANES]; /* of the graph, a number that a double holds */
};

struct cloud_tree {
    uint32_t leaf_count, level_count;
    struct cloud_leaf *leaves;
    struct neighbour_node *levels[NEIGHBOUR_LEVELS_MOST]; /* the first holds the boxes of leaves, the last one node */
    uint32_t node_counts[NEIGHBOUR_LEVELS_MOST];
};

/* What a sphere is fitted to: points q relative to the place, normals n, weights w. */
struct sphere_sums {
    double weight, point[3], normal[3], square, product; /* w, wq, wn, w q.q, w q.n */
    uint32_t count, near, apart; /* points; within half the cut-off; of those, more than off_most off a sphere by p1 */
};

struct sphere_query {
    double place[3];
    double cut_squared, inverse_square; /* of the cut-off; 1 / h^2 */
    double part, normal[3];             /* only points of this part, whose normals are on this side */
    double point[3], off_most;          /* p1; the most of |(n1 + n) . (p - p1)|, which is 0 on spheres and planes */
    int halvings;                       /* of the exponent, so that the series holds */
};

/* exp(-x) for 0 <= x is the 2^halvings-th power of exp(-x / 2^halvings), and that a series of twelve terms for an
 * argument of at most 0.3: relative error below 1e-15 * 2^halvings. */
#define EXPONENTIAL_RANGE 0.3
#define EXPONENTIAL_TERMS                                                                                              \
    {                                                                                                                  \
        1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320, 1.0 / 5040, 1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, \
            0.5, 1.0, 1.0                                                                                              \
    }

static inline int exponential_halvings(double most)
{
    int halvings = 0;
    for (; most > EXPONENTIAL_RANGE; most *= 0.5) {
        halvings++;
    }
    return halvings;
}

/* exp(-x), the same bits as the lanes. */
static inline double exponential_of_minus(double x, int halvings)
{
    static const double terms[12] = EXPONENTIAL_TERMS;
    double scale = 1.0, sum = terms[0];
    for (int i = 0; i < halvings; i++) {
        scale *= 0.5;
    }
    double argument = -(x * scale);
    for (int i = 1; i < 12; i++) {
        sum = sum * argument + terms[i];
    }
    for (int i = 0; i < halvings; i++) {
        sum = sum * sum;
    }
    return sum;
}

/* Centres of a sphere cover, a multiple of eight of them. */
enum { COVER_CENTRES = 32 };
struct cover_centres {
    _Alignas(64) double place[3][COVER_CENTRES];
    uint32_t count;
};

/* Neighbours of a point, relative to it, and their squared distances; up to the next multiple of eight zeros, with
 * infinite squares. */
enum { SURROUNDINGS_MOST = 512, RANKED_MOST = 64 };
struct cloud_surroundings {
    _Alignas(64) double point[3][SURROUNDINGS_MOST];
    double square[SURROUNDINGS_MOST];
    uint32_t count;
};

/* Sums over surroundings: x, y, z, then xx, xy, xz, yy, yz, zz. */
enum { MOMENTS = 9 };

/* Symmetric matrices (xx, xy, xz, yy, yz, zz), their eigenvalues, ascending, and unit vectors of the smallest. */
struct eigen_lanes {
    _Alignas(64) double matrix[6][CLOUD_LANES];
    double values[3][CLOUD_LANES], smallest[3][CLOUD_LANES];
};

struct cloud_kernels {
    /* The slot of the nearest point whose squared distance is at most *squared_distance, which becomes its own; ties by
     * slot. UINT32_MAX: none. */
    uint32_t (*nearest)(const struct cloud_tree *tree, const double place[3], double *squared_distance);
    /* Smallest squared distance of two centres. */
    double (*covers)(const struct cover_centres *a, const struct cover_centres *b);
    void (*sphere)(const struct cloud_tree *tree, const struct sphere_query *query, struct sphere_sums *sums);
    /* Quartiles of at most RANKED_MOST squares: the numbers count / 4, count / 2 and 3 count / 4 of their order. */
    void (*quartiles)(const struct cloud_surroundings *around, double quartiles[3]);
    /* Over the points whose square is at most `most`; returns how many. */
    uint32_t (*moments)(const struct cloud_surroundings *around, double most, double sums[MOMENTS]);
    /* As symmetric_eigen(), bit by bit. */
    void (*eigen)(struct eigen_lanes *lanes);
};

extern const struct cloud_kernels cloud_kernels_scalar;
#if defined(__x86_64__)
extern const struct cloud_kernels cloud_kernels_avx2;
extern const struct cloud_kernels cloud_kernels_avx512;
#endif

static inline const struct cloud_kernels *cloud_kernels_for(dent_isa isa)
{
    return KERNELS_FOR(isa, cloud_kernels_scalar, cloud_kernels_avx2, cloud_kernels_avx512);
}

#endif
