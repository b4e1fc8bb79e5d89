/* A solid-leaf BSP tree of a closed surface, exact.
 *
 * The upper part has axis-parallel planes (one of the finite sets of orientations of the card): it cuts a box around
 * the surface into cells until few triangles reach into a cell or none. A cell without triangles is a solid leaf. In the
 * other cells the planes are those of the triangles. A polygon there is its support plane, the planes through its sides
 * and the planes that have cut it: it is never rounded. Its corners in doubles serve a filter only (solid_fragment.h).
 * Where the filter leaves the side of a corner open, the polygon goes to both sides. That costs a plane and never an
 * answer: a polygon is left out only where its interior certainly does not reach.
 *
 * No triangle passes through an open leaf, so all its points have the winding number of any one. The builder finds a
 * point that is strictly inside the leaf by exact signs and asks its winding number. Leaves in which it finds none (slivers,
 * and combinations of sides that no point has) stay unseen: a point that reaches only such leaves is asked itself. So are
 * the points of cells whose triangles would need too many planes.
 *
 * A point goes down by the sign of its side, a filter first, integers last. On a plane it visits both children, because
 * triangles are kept only where their interior reaches, and the triangles that lie in that plane are asked if they contain
 * it: so it finds every triangle that it is on. Triangles without area have no plane; cells that they touch list them.
 */
#ifndef DENT_INSIDE_SOLID_BSP_H
#define DENT_INSIDE_SOLID_BSP_H

#include "inside/winding_tree.h"

#include <dent/inside.h>

/* What a child is: a node, or a leaf of a place. Triangles may pass through an open leaf; an unseen one has none, but no
 * point of it is known. */
enum { BSP_LEAF = INT32_MIN, BSP_LEAF_OPEN = 3, BSP_LEAF_UNSEEN = 4 };
static inline int32_t bsp_leaf(uint32_t place)
{
    return BSP_LEAF + (int32_t)place;
}
static inline bool bsp_is_leaf(int32_t child)
{
    return child < 0;
}
static inline uint32_t bsp_place(int32_t child) /* large for a node */
{
    return (uint32_t)child - (uint32_t)BSP_LEAF;
}

/* Kinds 0 to 2 are axes. BSP_FLAT_FACES has no plane: all points go on to children[0]. */
enum { BSP_TRIANGLE_PLANE = 3, BSP_FLAT_FACES = 4 };

/* The side is positive for normal . (p - origin) > bound, negative below -bound, else asked exactly. Axis planes have a unit
 * normal and bound 0: the sign is exact. A node without a plane has an infinite bound. children[1] is the positive side.
 * What the bound of a triangle's plane leaves open is judged with pairs of doubles, normal + normal_low, and pair_bound. */
struct bsp_node {
    union {
        struct {
            double normal[3], origin[3], bound;
            int32_t children[2];
        };
        _Alignas(64) double plane[8]; /* the same, for kernels */
    };
    double normal_low[3], pair_bound; /* of triangle planes */
    uint32_t kind;
    uint32_t first_face, face_count; /* in `faces`: those in the plane, the one that gives it first; or flat ones */
};

struct solid_bsp {
    const struct winding_tree *winding;
    dent_isa isa;
    double low[3], high[3];
    int32_t root;
    struct bsp_node *nodes;
    uint32_t node_count, plane_count, leaf_count, open_leaf_count, depth;
    uint32_t *faces;
    uint32_t face_count;
    dent_inside_cell *cells;
    uint32_t cell_count;
};

/* Fails with OUT_OF_MEMORY; then the tree is empty. */
dent_status solid_bsp_build(struct solid_bsp *bsp, dent_context *context, const struct winding_tree *winding,
                            uint32_t triangle_count, const double low[3], const double high[3]);
void solid_bsp_destroy(struct solid_bsp *bsp, dent_context *context);
uint64_t solid_bsp_bytes(const struct solid_bsp *bsp);

/* The sign of the side of a point; not for BSP_FLAT_FACES. */
int solid_bsp_side(const struct solid_bsp *bsp, const struct bsp_node *node, const double point[3],
                   uint64_t *exact_tests);

/* The same for a plane of a triangle whose filter has left the side open. */
int solid_bsp_open_side(const struct solid_bsp *bsp, const struct bsp_node *node, const double point[3],
                        uint64_t *exact_tests);

/* The place of a point in the closed box of the tree, from a node on. */
dent_place solid_bsp_place_of(const struct solid_bsp *bsp, int32_t from, const double point[3], uint64_t *exact_tests);

/* The same for a point that lies in the plane of that node. */
dent_place solid_bsp_place_in_plane(const struct solid_bsp *bsp, int32_t from, const double point[3],
                                    uint64_t *exact_tests);

/* A grid of 2^bits cells along each axis. The cell of a number never decreases as the number grows. */
struct cell_grid {
    double low[3], scale[3], last;
    int bits;
};

static inline uint32_t cell_grid_index(const struct cell_grid *grid, int axis, double x)
{
    double at = (x - grid->low[axis]) * grid->scale[axis];
    at = at > 0.0 ? at : 0.0;
    return (uint32_t)(int32_t)(at < grid->last ? at : grid->last);
}

/* Where the points of each cell enter the tree, in the order of Morton codes: all of them are strictly on one side of each
 * axis plane above. */
void solid_bsp_find_entries(const struct solid_bsp *bsp, const struct cell_grid *grid, int32_t *entries);

/* A point of a call: where it lies, where its place goes, and where it enters the tree. Four doubles long. */
struct inside_point {
    double at[3];
    uint32_t index;
    int32_t entry;
};

enum { BSP_BLOCK = 1024 };

struct bsp_kernels {
    /* Writes places[index] of up to BSP_BLOCK points. Returns the number of exact tests. */
    uint64_t (*classify)(const struct solid_bsp *bsp, const struct inside_point *points, uint32_t count, uint8_t *places);
};

extern const struct bsp_kernels bsp_kernels_scalar;
#if defined(__x86_64__)
extern const struct bsp_kernels bsp_kernels_avx2;
extern const struct bsp_kernels bsp_kernels_avx512;
#endif

static inline const struct bsp_kernels *bsp_kernels_for(dent_isa isa)
{
    return KERNELS_FOR(isa, bsp_kernels_scalar, bsp_kernels_avx2, bsp_kernels_avx512);
}

#endif
