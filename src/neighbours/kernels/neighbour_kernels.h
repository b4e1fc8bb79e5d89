/* The search of eight neighbouring places at once, behind the kernel table.
 *
 * The points lie in leaves of eight. Boxes of leaves, of eight leaves, and so on form levels of nodes, eight boxes a
 * node. A group of up to eight places that lie near one another walks the tree once. Each leaf that is near enough to
 * the group's box is compared with the places one by one.
 *
 * No tolerance is needed. Rounding keeps order, so for a point p in a box fl(low - q) <= fl(p - q), and so on through
 * squares and sums: the computed squared distance of a box never exceeds the computed one of a point in it.
 */
#ifndef DENT_NEIGHBOURS_NEIGHBOUR_KERNELS_H
#define DENT_NEIGHBOURS_NEIGHBOUR_KERNELS_H

#include <math.h>

#include "simd/kernel_choice.h"

#include <dent/base.h>

enum { NEIGHBOUR_LANES = 8, NEIGHBOUR_LEVELS_MOST = 11 }; /* 8^11 leaves are more than 32-bit indices count */

/* Unused lanes hold NaN, which no comparison accepts. */
struct neighbour_leaf {
    _Alignas(64) double point[3][NEIGHBOUR_LANES];
};
struct neighbour_node {
    _Alignas(64) double low[3][NEIGHBOUR_LANES];
    double high[3][NEIGHBOUR_LANES];
};

struct neighbour_tree {
    uint32_t leaf_count;
    uint32_t level_count;
    const struct neighbour_leaf *leaves; /* points, or lower corners of boxes */
    const struct neighbour_leaf *upper;  /* upper corners; null: points */
    const uint32_t *indices;             /* eight a leaf: which point a lane is */
    const struct neighbour_node
        *levels[NEIGHBOUR_LEVELS_MOST]; /* the first holds the boxes of leaves, the last one node */
};

/* Up to eight places and the best points of each so far, nearest first. Lists of up to eight lie here and are kept by
 * `nearest` without branches, with indices as doubles; longer ones lie in the caller's arrays. */
struct neighbour_group {
    _Alignas(64) double place[3][NEIGHBOUR_LANES]; /* unused lanes hold NaN */
    double limit[NEIGHBOUR_LANES]; /* the largest squared distance that still counts: the radius's, later the k-th's */
    double short_distances[NEIGHBOUR_LANES][NEIGHBOUR_LANES]; /* of each place; unused ones are infinite in both */
    double short_indices[NEIGHBOUR_LANES][NEIGHBOUR_LANES];
    double low[3], high[3];        /* box of the places */
    uint32_t own[NEIGHBOUR_LANES]; /* the point that is left out, or UINT32_MAX */
    double *distances[NEIGHBOUR_LANES];
    uint32_t *indices[NEIGHBOUR_LANES];
    uint32_t counts[NEIGHBOUR_LANES];
    uint32_t used;       /* lanes in use, the first ones */
    uint32_t capacity;   /* k */
    uint32_t first_leaf; /* a leaf near the places, to begin with */
};

/* Makes the box of the places in use. */
static inline void neighbour_group_box(struct neighbour_group *group)
{
    for (int axis = 0; axis < 3; axis++) {
        group->low[axis] = INFINITY;
        group->high[axis] = -INFINITY;
        for (uint32_t lane = 0; lane < group->used; lane++) {
            double x = group->place[axis][lane];
            group->low[axis] = x < group->low[axis] ? x : group->low[axis];
            group->high[axis] = x > group->high[axis] ? x : group->high[axis];
        }
    }
}

/* Puts a point into the list of a place, unless k better ones are there. */
static inline void keep_point(struct neighbour_group *group, uint32_t lane, double distance, uint32_t index)
{
    double *distances = group->distances[lane];
    uint32_t *indices = group->indices[lane], at = group->counts[lane];
    if (index == group->own[lane]) {
        return;
    }
    if (at < group->capacity) {
        group->counts[lane]++;
    } else {
        at--;
        if (distance > distances[at] || (distance == distances[at] && index > indices[at])) {
            return;
        }
    }
    for (; at > 0 && (distances[at - 1] > distance || (distances[at - 1] == distance && indices[at - 1] > index));
         at--) {
        distances[at] = distances[at - 1];
        indices[at] = indices[at - 1];
    }
    distances[at] = distance;
    indices[at] = index;
    if (group->counts[lane] == group->capacity) {
        group->limit[lane] = distances[group->capacity - 1];
    }
}

/* Takes in the points of a leaf that lie within the limit of a place: those of the bits, with their squared distances.
 * Returns false to stop the search (out of memory). */
typedef bool neighbour_visit(void *data, uint32_t lane, const uint32_t *indices, const double *squared_distances,
                             uint32_t bits);

/* Takes in the points of a leaf (lanes of the bits) whose spheres meet that of a place. Returns false to stop. */
typedef bool neighbour_meeting(void *data, uint32_t lane, uint32_t leaf, uint32_t bits);

struct neighbour_kernels {
    /* Completes the lists of a group. */
    void (*nearest)(const struct neighbour_tree *tree, struct neighbour_group *group);
    /* Visits all points within the limits, each once, in no useful order. */
    bool (*within)(const struct neighbour_tree *tree, const struct neighbour_group *group, neighbour_visit *visit,
                   void *data);
    /* The places are the points of the group's first leaf. Every point has a sphere, `radius` by leaf and lane; limits
     * are the squares of twice the places' radii. Visits pairs of points whose spheres meet, each once, from the larger
     * sphere, of equal ones the first. `radius` ends with a whole leaf. */
    bool (*meetings)(const struct neighbour_tree *tree, const struct neighbour_group *group, const double *radius,
                     neighbour_meeting *visit, void *data);
};

extern const struct neighbour_kernels neighbour_kernels_scalar;
#if defined(__x86_64__)
extern const struct neighbour_kernels neighbour_kernels_avx2;
extern const struct neighbour_kernels neighbour_kernels_avx512;
#endif

static inline const struct neighbour_kernels *neighbour_kernels_for(dent_isa isa)
{
    return KERNELS_FOR(isa, neighbour_kernels_scalar, neighbour_kernels_avx2, neighbour_kernels_avx512);
}

#endif
