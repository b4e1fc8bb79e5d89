/* The filter of the proximity search in the vector unit: sixteen pairs of features at a time, in rounded coordinates, that surely are far apart.
 *
 * A pair is far when some direction q separates it: the least of q . x over side a exceeds the most over side b by more than |q| times
 * the reach. Any q proves it, so nothing depends on how well q was chosen; it is taken between nearly closest points, and for faces
 * also along the normal.
 *
 * Error. Coordinates were rounded by at most e = FOREST_INPUT_ERROR each (surface_kernels.h). With u = 2^-24 and X no smaller than any
 * |difference| used, a computed difference is off by at most 2e + u X, a dot product q . x by |q|_1 (3.01 u X) more; two of them, and |q|_1 <= sqrt(3)
 * |q|: the gap is off by less than |q| (7 e + 14 u X). The caller gives the bound, reach + 8 e + 16 u X, made larger by 2^-20 of
 * itself for the few roundings of the comparison gap^2 > q^2 bound^2. Directions with q^2 below 2^-80 are not used: the squares stay normal
 * numbers (bound^2 >= 64 e^2 > 2^-45). NaN and infinity compare as "not far".
 *
 * The arithmetic is the same in every row of the table, without contraction: all instruction sets let the same pairs pass.
 */
#ifndef DENT_GEOMETRY_NEAR_KERNELS_H
#define DENT_GEOMETRY_NEAR_KERNELS_H

#include <stdint.h>

enum { NEAR_BATCH = 16 };

/* Points of sixteen pairs. Edges: both ends of a, both ends of b. Vertex and face: the vertex, the three corners. Unused lanes: any finite
 * numbers. */
struct near_batch {
    _Alignas(64) float point[4][3][NEAR_BATCH];
    float bound[NEAR_BATCH];
};

struct near_kernels {
    /* Bits of the pairs that surely are farther apart than reached. */
    uint32_t (*far_edges)(const struct near_batch *batch);
    uint32_t (*far_vertices)(const struct near_batch *batch);
};

extern const struct near_kernels near_kernels_scalar;
#if defined(__x86_64__)
extern const struct near_kernels near_kernels_avx2;
extern const struct near_kernels near_kernels_avx512;
#endif

/* The row of an instruction set; the scalar one for those this build does not have. */
const struct near_kernels *near_kernels_for(int isa);

#endif
