/* The filter of the proximity search in the vector unit: sixteen pairs of features at a time, in rounded coordinates,
 * that surely are far apart.
 *
 * A pair is far when some direction q separates it: the least of q . x over side a exceeds the most over side b by
 * more than |q| times the reach. Any q proves it, so nothing depends on how well q was chosen; it is taken between
 * nearly closest points, and for faces also along the normal.
 *
 * Error. Coordinates were rounded by at most e = FOREST_INPUT_ERROR each (surface_kernels.h). With u = 2^-24 and X no
 * smaller than any |difference| used, a computed difference is off by at most 2e + u X, a dot product q . x by |q|_1
 * (3.01 u X) more; two of them, and |q|_1 <= sqrt(3) |q|: the gap is off by less than |q| (7 e + 14 u X). The caller
 * gives the bound, reach + 8 e + 16 u X, made larger by 2^-20 of itself for the few roundings of the comparison gap^2
 * > q^2 bound^2. Directions with q^2 below 2^-80 are not used: the squares stay normal numbers (bound^2 >= 64 e^2 >
 * 2^-45). NaN and infinity compare as "not far".
 *
 * The arithmetic is the same in every row of the table, without contraction: all instruction sets let the same pairs
 * pass.
 */
#ifndef DENT_GEOMETRY_NEAR_KERNELS_H
#define DENT_GEOMETRY_NEAR_KERNELS_H

#include <stdint.h>

#include "simd/kernel_choice.h"

enum { NEAR_BATCH = 16 };

/* Points of sixteen pairs. Edges: both ends of a, both ends of b. Vertex and face: the vertex, the three corners.
 * Unused lanes: any finite numbers. */
struct near_batch {
    _Alignas(64) float point[4][3][NEAR_BATCH];
    float bound[NEAR_BATCH];
};

/* Boxes of up to 48 features, [axis][feature], padded with empty ones to a multiple of 16. */
enum { NEAR_FEATURES = 48 };

struct feature_boxes {
    _Alignas(64) float lo[3][NEAR_FEATURES], hi[3][NEAR_FEATURES];
};

/* Eight pairs measured by the fixed sequence of feature_lanes.h. */
enum { FEATURE_BATCH = 8 };

/* Positions of their points, [point][lane]. The double behind each position is read, too. Unused lanes repeat another one.
 */
struct feature_points {
    const double *point[4][FEATURE_BATCH];
};

struct feature_rows {
    _Alignas(64) double distance[FEATURE_BATCH];
    double weight[4][FEATURE_BATCH];
    double direction[3][FEATURE_BATCH];
};

struct near_kernels {
    /* Bits of the first `count` boxes that meet the one given (closed). */
    uint64_t (*meet)(const struct feature_boxes *boxes, uint32_t count, const float lo[3], const float hi[3]);
    /* The same for every box i of `a` with its bit set, grown by reach: rows[i]. */
    void (*meet_rows)(const struct feature_boxes *a, uint64_t which, float reach, const struct feature_boxes *boxes,
                      uint32_t count, uint64_t rows[NEAR_FEATURES]);
    /* same[j], bit i: a[i] == b[j]. */
    void (*match)(const uint32_t a[16], const uint32_t b[16], uint16_t same[16]);
    /* Bits of the pairs that surely are farther apart than reached. */
    uint32_t (*far_edges)(const struct near_batch *batch);
    uint32_t (*far_vertices)(const struct near_batch *batch);
    /* The same bits as geometry/metric/feature_distance.h. The distances alone, and all of the result. */
    void (*measure_edges)(const struct feature_points *points, double distance[FEATURE_BATCH]);
    void (*measure_vertices)(const struct feature_points *points, double distance[FEATURE_BATCH]);
    void (*describe_edges)(const struct feature_points *points, struct feature_rows *result);
    void (*describe_vertices)(const struct feature_points *points, struct feature_rows *result);
};

extern const struct near_kernels near_kernels_scalar;
#if defined(__x86_64__)
extern const struct near_kernels near_kernels_avx2;
extern const struct near_kernels near_kernels_avx512;
#endif

/* The row of an instruction set; the scalar one for those this build does not have. */
static inline const struct near_kernels *near_kernels_for(dent_isa isa)
{
    return KERNELS_FOR(isa, near_kernels_scalar, near_kernels_avx2, near_kernels_avx512);
}

#endif
