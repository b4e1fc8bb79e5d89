/* The hierarchical winding number: a tree of boxes over triangles, walked by rays in direction +x.
 *
 * The number at p is the sum of signed crossings of the ray (geometry/predicates/winding_number.h defines them, and the
 * side that ties are moved to). Leaves hold eight triangles whose crossings are decided in doubles with a bound of the
 * error; what the bound leaves open is asked exactly, one triangle at a time.
 *
 * What makes it hierarchical (Jacobson, Kavan and Sorkine-Hornung 2013): as far as a point outside its box is concerned,
 * a part of the surface may be replaced by anything with the same boundary. A part that lies ahead of the point counts as
 * often as its boundary winds around the point in the plane of y and z. Parts with a short boundary keep it, as a chain of
 * directed edges: closed components count nothing, long tubes as much as their two ends. Here the replacement is exact.
 */
#ifndef DENT_INSIDE_WINDING_TREE_H
#define DENT_INSIDE_WINDING_TREE_H

#include "geometry/predicates/predicate_kinds.h"
#include "simd/kernel_choice.h"

#include <dent/base.h>

enum {
    WINDING_LANES = 8,
    WINDING_LEVELS_MOST = 11,
    WINDING_CHAIN_MOST = 32 /* edges of a chain that is kept */
};

/* Eight triangles, in coordinates relative to the leaf's centre. Edge k has the value a z - b y + c, turned so that it is
 * positive inside the shadow; the plane is turned so that it is negative for points that have the triangle ahead. */
struct winding_leaf {
    _Alignas(64) double edge[3][3][WINDING_LANES];
    double edge_bound[WINDING_LANES];
    double plane[4][WINDING_LANES]; /* normal, and the value at the centre */
    double plane_bound[WINDING_LANES];
    double low[3][WINDING_LANES], high[3][WINDING_LANES]; /* unused lanes: an empty box */
    double centre[3];
    uint32_t faces[WINDING_LANES];
    uint32_t positive, upright; /* bits: the shadow is positively oriented; the shadow has no area */
};

/* Eight boxes of leaves or of nodes one level below; unused lanes are empty boxes. */
struct winding_node {
    _Alignas(64) double low[3][WINDING_LANES], high[3][WINDING_LANES];
    uint32_t chain_first[WINDING_LANES], chain_count[WINDING_LANES];
    uint32_t chains; /* bits: the part has a chain, perhaps an empty one */
};

struct winding_tree {
    const double (*positions)[3];
    const uint32_t (*triangles)[3];
    uint32_t leaf_count, level_count;
    struct winding_leaf *leaves;
    struct winding_node *nodes;
    size_t node_count;
    uint32_t first_node[WINDING_LEVELS_MOST], node_counts[WINDING_LEVELS_MOST]; /* level 0 holds the boxes of leaves */
    uint32_t (*chain_edges)[2];
    size_t chain_edge_count;
};

/* Up to eight points that lie close together. */
struct winding_group {
    _Alignas(64) double point[3][WINDING_LANES]; /* unused lanes repeat a used one */
    double low[3], high[3];
    uint32_t used;
    int32_t number[WINDING_LANES];
    uint32_t on;          /* bits: on the surface; their numbers mean nothing */
    uint64_t exact_tests; /* added to */
};

/* Builds the tree; positions and triangles are borrowed and must be checked. Fails with OUT_OF_MEMORY, and then the tree
 * is empty. */
dent_status winding_tree_build(struct winding_tree *tree, dent_context *context, const double (*positions)[3],
                               const uint32_t (*triangles)[3], uint32_t triangle_count);
void winding_tree_destroy(struct winding_tree *tree, dent_context *context);
uint64_t winding_tree_bytes(const struct winding_tree *tree);

/* For the kernels: what double arithmetic left open. */
void winding_test_exactly(const struct winding_tree *tree, uint32_t face, uint32_t lane, struct winding_group *group);
/* How often a chain winds around the shadow of a point, which is moved as for triangles. */
int winding_of_chain(const struct winding_tree *tree, uint32_t first, uint32_t count, const double point[3]);

struct winding_kernels {
    /* Sets numbers and `on` of a group whose points, box and `used` are set. */
    void (*winding)(const struct winding_tree *tree, struct winding_group *group);
};

extern const struct winding_kernels winding_kernels_scalar;
#if defined(__x86_64__)
extern const struct winding_kernels winding_kernels_avx2;
extern const struct winding_kernels winding_kernels_avx512;
#endif

static inline const struct winding_kernels *winding_kernels_for(dent_isa isa)
{
    return KERNELS_FOR(isa, winding_kernels_scalar, winding_kernels_avx2, winding_kernels_avx512);
}

/* One point. */
int winding_tree_number(const struct winding_tree *tree, dent_isa isa, const double point[3], bool *on,
                        uint64_t *exact_tests);

#endif
