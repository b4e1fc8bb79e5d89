/* Asking a solid_bsp about one point, exactly. The kernels do the same for many and call this where a point lies on a
 * plane. */
#include "inside/solid_bsp.h"

#include "base/containers/morton_code.h"
#include "geometry/numbers/double_double.h"
#include "geometry/predicates/hull_predicates.h"
#include "geometry/predicates/orientation_predicates.h"
#include "geometry/predicates/triangle_predicates.h"

static void corners_of(const struct solid_bsp *bsp, uint32_t face, const double *corners[3])
{
    for (int k = 0; k < 3; k++) {
        corners[k] = bsp->winding->positions[bsp->winding->triangles[face][k]];
    }
}

static inline bool is_corner(const double point[3], const double *const corners[3])
{
    bool equal = false;
    for (int k = 0; k < 3; k++) {
        equal |= (point[0] == corners[k][0]) & (point[1] == corners[k][1]) & (point[2] == corners[k][2]);
    }
    return equal;
}

/* The sign in pairs of doubles; 0: left open. See bsp_planes.c for the bound. */
static int pair_side(const struct bsp_node *node, const double point[3])
{
    struct double_double sum = {0.0, 0.0};
    for (int axis = 0; axis < 3; axis++) {
        struct double_double normal = {node->normal[axis], node->normal_low[axis]};
        sum = pair_add(sum, pair_multiply(normal, two_sum(point[axis], -node->origin[axis])));
    }
    return (sum.high > node->pair_bound) - (sum.high < -node->pair_bound);
}

int solid_bsp_open_side(const struct solid_bsp *bsp, const struct bsp_node *node, const double point[3],
                        uint64_t *exact_tests)
{
    const double *corners[3];
    predicate_counters counters = {0};
    int side = pair_side(node, point);
    if (side != 0) {
        return side;
    }
    corners_of(bsp, bsp->faces[node->first_face], corners);
    if (is_corner(point, corners)) {
        return 0;
    }
    *exact_tests += 1;
    return orientation_3d_by_integers(corners[0], corners[1], corners[2], point, &counters);
}

int solid_bsp_side(const struct solid_bsp *bsp, const struct bsp_node *node, const double point[3],
                   uint64_t *exact_tests)
{
    if (node->kind < BSP_TRIANGLE_PLANE) {
        double x = point[node->kind];
        return (x > node->origin[node->kind]) - (x < node->origin[node->kind]);
    }
    double value = node->normal[0] * (point[0] - node->origin[0]) + node->normal[1] * (point[1] - node->origin[1]) +
                   node->normal[2] * (point[2] - node->origin[2]);
    if (fabs(value) > node->bound) {
        return value > 0.0 ? 1 : -1;
    }
    return solid_bsp_open_side(bsp, node, point, exact_tests);
}

/* A point in the plane of a triangle. */
static bool in_triangle_of_plane(const double point[3], const double *const corners[3], predicate_counters *counters)
{
    const double *const points[1] = {point};
    for (int axis = 0; axis < 3; axis++) {
        double a = corners[0][axis], b = corners[1][axis], c = corners[2][axis], x = point[axis];
        if ((x < a && x < b && x < c) || (x > a && x > b && x > c)) {
            return false;
        }
    }
    struct plane_projection projection = projection_of_triangle(corners, counters);
    return hull_versus_triangle_in_plane(points, 1, corners, projection, counters) != PLANAR_DISJOINT;
}

/* On a triangle of a node in whose plane the point lies, or on a flat one. */
static bool on_face_of(const struct solid_bsp *bsp, const struct bsp_node *node, const double point[3])
{
    for (uint32_t i = 0; i < node->face_count; i++) {
        const double *corners[3];
        predicate_counters counters = {0};
        corners_of(bsp, bsp->faces[node->first_face + i], corners);
        if (is_corner(point, corners)) {
            return true;
        }
        if (node->kind == BSP_TRIANGLE_PLANE ? in_triangle_of_plane(point, corners, &counters)
                                             : point_in_triangle_closed(point, corners, &counters)) {
            return true;
        }
    }
    return false;
}

enum { PLACE_UNKNOWN = -1 };

static dent_place ask_winding(const struct solid_bsp *bsp, const double point[3], uint64_t *exact_tests)
{
    bool on;
    int number = winding_tree_number(bsp->winding, bsp->isa, point, &on, exact_tests);
    return on ? DENT_PLACE_ON : number ? DENT_PLACE_IN : DENT_PLACE_OUT;
}

/* Goes down; on planes the point lies on, the positive side first. Returns true when the place is final: on a triangle, or
 * asked because a leaf is open. Otherwise *place is that of a leaf, if one is known. in_plane: the point is known to lie in
 * the first plane. */
static bool visit(const struct solid_bsp *bsp, int32_t child, bool in_plane, const double point[3], int *place,
                  uint64_t *exact_tests)
{
    for (; !bsp_is_leaf(child); in_plane = false) {
        const struct bsp_node *node = &bsp->nodes[child];
        int side = in_plane || node->kind == BSP_FLAT_FACES ? 0 : solid_bsp_side(bsp, node, point, exact_tests);
        if (side == 0 && on_face_of(bsp, node, point)) {
            *place = DENT_PLACE_ON;
            return true;
        }
        if (side == 0 && node->kind != BSP_FLAT_FACES &&
            visit(bsp, node->children[1], false, point, place, exact_tests)) {
            return true;
        }
        child = node->children[side > 0];
    }
    uint32_t kind = bsp_place(child);
    if (kind == BSP_LEAF_OPEN) {
        *place = (int)ask_winding(bsp, point, exact_tests);
        return true;
    }
    *place = kind == BSP_LEAF_UNSEEN ? *place : (int)kind;
    return false;
}

static dent_place place_from(const struct solid_bsp *bsp, int32_t from, bool in_plane, const double point[3],
                             uint64_t *exact_tests)
{
    int place = PLACE_UNKNOWN;
    visit(bsp, from, in_plane, point, &place, exact_tests);
    return place == PLACE_UNKNOWN ? ask_winding(bsp, point, exact_tests) : (dent_place)place;
}

dent_place solid_bsp_place_of(const struct solid_bsp *bsp, int32_t from, const double point[3], uint64_t *exact_tests)
{
    return place_from(bsp, from, false, point, exact_tests);
}

dent_place solid_bsp_place_in_plane(const struct solid_bsp *bsp, int32_t from, const double point[3],
                                    uint64_t *exact_tests)
{
    return place_from(bsp, from, true, point, exact_tests);
}

/* ---- entries ----------------------------------------------------------------------------------------------------- */

struct cell_range {
    uint32_t first[3], end[3];
};

static void set_entries(const struct cell_range *range, int32_t child, int32_t *entries)
{
    uint32_t cell[3];
    for (cell[2] = range->first[2]; cell[2] < range->end[2]; cell[2]++) {
        for (cell[1] = range->first[1]; cell[1] < range->end[1]; cell[1]++) {
            for (cell[0] = range->first[0]; cell[0] < range->end[0]; cell[0]++) {
                entries[morton_code(cell)] = child;
            }
        }
    }
}

static void find_entries(const struct solid_bsp *bsp, const struct cell_grid *grid, int32_t child,
                         const struct cell_range *range, int32_t *entries)
{
    if (bsp_is_leaf(child) || bsp->nodes[child].kind >= BSP_TRIANGLE_PLANE) {
        set_entries(range, child, entries);
        return;
    }
    const struct bsp_node *node = &bsp->nodes[child];
    uint32_t axis = node->kind, cut = cell_grid_index(grid, (int)axis, node->origin[axis]);
    /* below the cell of the plane, that cell, above it */
    uint32_t ends[4] = {range->first[axis], cut, cut + 1, range->end[axis]};
    for (int part = 0; part < 3; part++) {
        struct cell_range own = *range;
        own.first[axis] = ends[part] > range->first[axis] ? ends[part] : range->first[axis];
        own.end[axis] = ends[part + 1] < range->end[axis] ? ends[part + 1] : range->end[axis];
        if (own.first[axis] >= own.end[axis]) {
            continue;
        }
        if (part == 1) {
            set_entries(&own, child, entries);
        } else {
            find_entries(bsp, grid, node->children[part / 2], &own, entries);
        }
    }
}

void solid_bsp_find_entries(const struct solid_bsp *bsp, const struct cell_grid *grid, int32_t *entries)
{
    uint32_t end = UINT32_C(1) << grid->bits;
    struct cell_range all = {{0, 0, 0}, {end, end, end}};
    find_entries(bsp, grid, bsp->root, &all, entries);
}
