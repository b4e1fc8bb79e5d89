/* The upper part of a solid_bsp: a box around the surface is cut by axis planes into cells.
 *
 * A plane is chosen to make the mean number of triangles at a point small: the triangles of each half, weighed with its
 * share of the volume. A cell is left to the planes of its triangles when these are few, when cutting no longer helps, or
 * when it is small beside its smallest triangle.
 */
#include "inside/bsp_cells.h"

#include "base/floating_point_guard.h"

#include "geometry/predicates/triangle_predicates.h"

#include <float.h>
#include <string.h>

enum { CELL_FACES = 12, CELL_DEPTH = 44, BINS = 16 };
#define CUT_GAIN 0.7 /* a plane must bring the mean number of triangles below this part of what it is */

/* ---- the builder ------------------------------------------------------------------------------------------------- */

int32_t builder_fail(struct bsp_builder *builder)
{
    builder->failed = true;
    return bsp_leaf(BSP_LEAF_OPEN);
}

int32_t builder_open_leaf(struct bsp_builder *builder)
{
    builder->leaf_count++;
    builder->open_leaf_count++;
    return bsp_leaf(BSP_LEAF_OPEN);
}

int32_t builder_unseen_leaf(struct bsp_builder *builder)
{
    builder->leaf_count++;
    builder->open_leaf_count++;
    return bsp_leaf(BSP_LEAF_UNSEEN);
}

int32_t builder_leaf_at(struct bsp_builder *builder, const double point[3])
{
    bool on;
    int number = winding_tree_number(builder->bsp->winding, builder->bsp->isa, point, &on, &builder->exact_tests);
    if (on) { /* a triangle without area, which is listed elsewhere */
        return builder_unseen_leaf(builder);
    }
    builder->leaf_count++;
    return bsp_leaf(number ? DENT_PLACE_IN : DENT_PLACE_OUT);
}

int32_t builder_add_node(struct bsp_builder *builder, const struct bsp_node *node)
{
    int32_t index = (int32_t)builder->nodes.count;
    builder->bsp->faces = builder->faces.data; /* solid_bsp_side() reads them */
    if (builder->nodes.count >= INT32_MAX || !array_push(&builder->nodes, node)) {
        return builder_fail(builder);
    }
    return index;
}

/* ---- does a triangle reach into a box? --------------------------------------------------------------------------- */

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* Are triangle (relative to the box's centre) and box apart along an axis, beyond doubt? `size` bounds the coordinates of
 * both, `steepness` those of the axis: products and sums of three are in error by less than 16 u of their product, and the
 * axis by 4 u. */
static bool apart_along(const double axis[3], const double corners[3][3], const double half[3], double size, double steepness)
{
    double low = INFINITY, high = -INFINITY, radius = 0.0;
    for (int k = 0; k < 3; k++) {
        double at = axis[0] * corners[k][0] + axis[1] * corners[k][1] + axis[2] * corners[k][2];
        low = at < low ? at : low;
        high = larger(at, high);
        radius += fabs(axis[k]) * half[k];
    }
    radius += (64.0 * 0x1p-53) * (steepness * size) + 0x1p-1000;
    return low > radius || high < -radius;
}

static bool reaches_into(const struct bsp_builder *builder, uint32_t face, const struct cell_box *box, bool flat)
{
    const double *corners[3];
    double local[3][3], half[3], size = 0.0, side = 0.0;
    builder_corners(builder, face, corners);
    for (int axis = 0; axis < 3; axis++) {
        double low = corners[0][axis], high = low, centre = 0.5 * box->low[axis] + 0.5 * box->high[axis];
        half[axis] = larger(box->high[axis] - centre, centre - box->low[axis]) * (1.0 + 0x1p-50);
        for (int k = 0; k < 3; k++) {
            low = corners[k][axis] < low ? corners[k][axis] : low;
            high = larger(high, corners[k][axis]);
            local[k][axis] = corners[k][axis] - centre;
            size = larger(size, fabs(local[k][axis]));
        }
        if (flat ? low > box->high[axis] || high < box->low[axis] : low >= box->high[axis] || high <= box->low[axis]) {
            return false;
        }
        size = larger(size, half[axis]);
        side = larger(side, high - low);
    }
    double edges[3][3];
    for (int k = 0; k < 3; k++) {
        for (int axis = 0; axis < 3; axis++) {
            edges[k][axis] = corners[k == 2 ? 0 : k + 1][axis] - corners[k][axis];
        }
    }
    double normal[3];
    for (int axis = 0; axis < 3; axis++) {
        int i = axis == 2 ? 0 : axis + 1, j = axis == 0 ? 2 : axis - 1;
        normal[axis] = edges[0][i] * edges[1][j] - edges[0][j] * edges[1][i];
    }
    if (apart_along(normal, local, half, size, 4.0 * (side * side + 0x1p-1000))) {
        return false;
    }
    for (int k = 0; k < 3; k++) {
        for (int axis = 0; axis < 3; axis++) {
            double cross[3] = {0};
            cross[axis == 2 ? 0 : axis + 1] = -edges[k][axis == 0 ? 2 : axis - 1];
            cross[axis == 0 ? 2 : axis - 1] = edges[k][axis == 2 ? 0 : axis + 1];
            if (apart_along(cross, local, half, size, side)) {
                return false;
            }
        }
    }
    return true;
}

/* ---- choosing a plane -------------------------------------------------------------------------------------------- */

struct axis_plane {
    int axis;
    double at, cost;
};

static void face_bounds(const struct bsp_builder *builder, uint32_t face, int axis, double *low, double *high)
{
    const double *corners[3];
    builder_corners(builder, face, corners);
    *low = *high = corners[0][axis];
    for (int k = 1; k < 3; k++) {
        *low = corners[k][axis] < *low ? corners[k][axis] : *low;
        *high = larger(*high, corners[k][axis]);
    }
}

/* Planes at the ends of bins; counts are cumulative: triangles that begin before a plane, or end behind it. */
static void try_axis(const struct bsp_builder *builder, const struct cell_box *box, const uint32_t *faces, uint32_t count,
                     int axis, struct axis_plane *best)
{
    uint32_t begins[BINS] = {0}, ends[BINS] = {0};
    double low = box->low[axis], width = box->high[axis] - low;
    for (uint32_t i = 0; i < count; i++) {
        double from, to;
        face_bounds(builder, faces[i], axis, &from, &to);
        double first = (from - low) / width * BINS, last = (to - low) / width * BINS;
        begins[first > 0.0 ? first < BINS - 1 ? (int)first : BINS - 1 : 0]++;
        ends[last > 0.0 ? last < BINS - 1 ? (int)last : BINS - 1 : 0]++;
    }
    uint32_t before = 0, behind = count;
    for (int bin = 1; bin < BINS; bin++) {
        before += begins[bin - 1];
        behind -= ends[bin - 1];
        double share = (double)bin / BINS, at = low + share * width;
        double cost = share * before + (1.0 - share) * behind;
        if (cost < best->cost && at > low && at < box->high[axis]) {
            *best = (struct axis_plane){axis, at, cost};
        }
    }
}

/* Small beside its smallest triangle: cutting would only follow its sides and corners. */
static bool cell_is_small(const struct bsp_builder *builder, const struct cell_box *box, const uint32_t *faces,
                          uint32_t count)
{
    double smallest = INFINITY, largest = 0.0;
    for (uint32_t i = 0; i < count; i++) {
        double size = 0.0;
        for (int axis = 0; axis < 3; axis++) {
            double low, high;
            face_bounds(builder, faces[i], axis, &low, &high);
            size = larger(size, high - low);
        }
        smallest = size < smallest ? size : smallest;
    }
    for (int axis = 0; axis < 3; axis++) {
        largest = larger(largest, box->high[axis] - box->low[axis]);
    }
    return largest < 0.5 * smallest;
}

/* ---- cells ------------------------------------------------------------------------------------------------------- */

static bool face_is_flat(const struct bsp_builder *builder, uint32_t face)
{
    const double *corners[3];
    predicate_counters counters = {0};
    builder_corners(builder, face, corners);
    return orientation_2d_counted(corners[0], corners[1], corners[2], 0, 1, &counters) == 0 &&
           orientation_2d_counted(corners[0], corners[1], corners[2], 1, 2, &counters) == 0 &&
           orientation_2d_counted(corners[0], corners[1], corners[2], 2, 0, &counters) == 0;
}

DENT_NOINLINE static void list_cell(struct bsp_builder *builder, const struct cell_box *box, uint32_t count, int32_t child)
{
    dent_inside_cell cell = {.triangle_count = count, .place = DENT_PLACE_ON};
    memcpy(cell.low, box->low, sizeof cell.low);
    memcpy(cell.high, box->high, sizeof cell.high);
    if (count == 0 && bsp_is_leaf(child) && bsp_place(child) < BSP_LEAF_OPEN) {
        cell.place = (uint8_t)bsp_place(child);
    }
    if (!array_push(&builder->cells, &cell)) {
        builder_fail(builder);
    }
}

DENT_NOINLINE static int32_t empty_cell(struct bsp_builder *builder, const struct cell_box *box)
{
    double centre[3];
    bool within = true;
    for (int axis = 0; axis < 3; axis++) {
        centre[axis] = 0.5 * box->low[axis] + 0.5 * box->high[axis];
        within = within && centre[axis] > box->low[axis] && centre[axis] < box->high[axis];
    }
    return within ? builder_leaf_at(builder, centre) : builder_unseen_leaf(builder);
}

/* The last stage of a cell: its flat triangles in a node of their own, then the planes of the others. */
DENT_NOINLINE static int32_t finish_cell(struct bsp_builder *builder, const struct cell_box *box, size_t first, uint32_t count,
                           uint32_t depth)
{
    struct bsp_node node = {.kind = BSP_FLAT_FACES, .bound = INFINITY, .first_face = (uint32_t)builder->faces.count};
    uint32_t solid = 0;
    uint32_t *faces = array_at(&builder->lists, first);
    for (uint32_t i = 0; i < count; i++) { /* flat ones leave the list */
        if (!face_is_flat(builder, faces[i])) {
            faces[solid++] = faces[i];
        } else if (!array_push(&builder->faces, &faces[i])) {
            return builder_fail(builder);
        }
    }
    node.face_count = (uint32_t)builder->faces.count - node.first_face;
    int32_t index = node.face_count ? builder_add_node(builder, &node) : 0;
    int32_t child = builder->failed ? bsp_leaf(BSP_LEAF_OPEN)
                    : solid         ? build_planes_of_cell(builder, box, faces, solid, depth)
                                    : empty_cell(builder, box);
    list_cell(builder, box, count, child);
    if (node.face_count && !builder->failed) {
        ((struct bsp_node *)array_at(&builder->nodes, (size_t)index))->children[0] = child;
        ((struct bsp_node *)array_at(&builder->nodes, (size_t)index))->children[1] = child;
        return index;
    }
    return child;
}

static int32_t build_cell(struct bsp_builder *builder, const struct cell_box *box, size_t first, uint32_t count,
                          uint32_t depth);

/* Triangles that reach into a half go to the end of the list; false without memory. */
DENT_NOINLINE static bool list_half(struct bsp_builder *builder, const struct cell_box *half, size_t first,
                                    uint32_t count)
{
    bool complete = true;
    for (uint32_t i = 0; i < count && complete; i++) {
        uint32_t face = *(uint32_t *)array_at(&builder->lists, first + i);
        complete = !reaches_into(builder, face, half, face_is_flat(builder, face)) || array_push(&builder->lists, &face);
    }
    return complete;
}

static int32_t build_half(struct bsp_builder *builder, const struct cell_box *half, size_t first, uint32_t count,
                          uint32_t depth)
{
    size_t start = builder->lists.count;
    if (!list_half(builder, half, first, count)) {
        return builder_fail(builder);
    }
    int32_t child = build_cell(builder, half, start, (uint32_t)(builder->lists.count - start), depth + 1);
    builder->lists.count = start;
    return child;
}

/* Triangles in the plane itself reach into neither half. */
static bool list_faces_at(struct bsp_builder *builder, size_t first, uint32_t count, struct bsp_node *node)
{
    node->first_face = (uint32_t)builder->faces.count;
    for (uint32_t i = 0; i < count; i++) {
        double low, high;
        uint32_t face = *(uint32_t *)array_at(&builder->lists, first + i);
        face_bounds(builder, face, (int)node->kind, &low, &high);
        if (low == node->origin[node->kind] && high == node->origin[node->kind] && !array_push(&builder->faces, &face)) {
            return false;
        }
    }
    node->face_count = (uint32_t)builder->faces.count - node->first_face;
    return true;
}

/* Chooses the plane of a cell; axis -1: none is worth it. */
DENT_NOINLINE static struct axis_plane choose_plane(struct bsp_builder *builder, const struct cell_box *box, size_t first,
                                                    uint32_t count, uint32_t depth)
{
    const uint32_t *faces = array_at(&builder->lists, first);
    struct axis_plane plane = {-1, 0.0, CUT_GAIN * count};
    if (count > CELL_FACES && depth < CELL_DEPTH && !cell_is_small(builder, box, faces, count)) {
        for (int axis = 0; axis < 3; axis++) {
            try_axis(builder, box, faces, count, axis, &plane);
        }
    }
    return plane;
}

DENT_NOINLINE static int32_t add_axis_node(struct bsp_builder *builder, size_t first, uint32_t count,
                                           const struct axis_plane *plane)
{
    struct bsp_node node = {.kind = (uint32_t)plane->axis};
    node.origin[plane->axis] = plane->at;
    node.normal[plane->axis] = 1.0;
    return list_faces_at(builder, first, count, &node) ? builder_add_node(builder, &node) : builder_fail(builder);
}

/* What a level of the recursion keeps on the stack is small: helpers are not inlined. */
static int32_t build_cell(struct bsp_builder *builder, const struct cell_box *box, size_t first, uint32_t count,
                          uint32_t depth)
{
    builder->depth = depth > builder->depth ? depth : builder->depth;
    if (builder->failed || count == 0) {
        int32_t leaf = builder->failed ? builder_fail(builder) : empty_cell(builder, box);
        list_cell(builder, box, 0, leaf);
        return leaf;
    }
    struct axis_plane plane = choose_plane(builder, box, first, count, depth);
    if (plane.axis < 0) {
        return finish_cell(builder, box, first, count, depth);
    }
    int32_t index = add_axis_node(builder, first, count, &plane);
    for (int k = 0; k < 2 && !builder->failed; k++) {
        struct cell_box half = *box;
        *(k ? &half.low[plane.axis] : &half.high[plane.axis]) = plane.at;
        int32_t child = build_half(builder, &half, first, count, depth);
        ((struct bsp_node *)array_at(&builder->nodes, (size_t)index))->children[k] = child;
    }
    return index;
}

/* A box with the surface strictly inside; false if there is none in doubles. */
static bool box_around(const double low[3], const double high[3], struct cell_box *box)
{
    bool around = true;
    for (int axis = 0; axis < 3; axis++) {
        double margin = (0.5 * high[axis] - 0.5 * low[axis]) * 0x1p-9 + larger(fabs(low[axis]), fabs(high[axis])) * 0x1p-40 +
                        DBL_MIN;
        box->low[axis] = low[axis] - margin;
        box->high[axis] = high[axis] + margin;
        around = around && box->low[axis] < low[axis] && box->high[axis] > high[axis] && isfinite(box->low[axis]) &&
                 isfinite(box->high[axis]) && isfinite(box->high[axis] - box->low[axis]);
    }
    return around;
}

static void *take_array(struct dynamic_array *array, dent_context *context, bool *complete)
{
    void *taken = dent_allocate(context, array->count, array->element_size);
    if (taken) {
        memcpy(taken, array->data, array->count * array->element_size);
    }
    *complete = *complete && taken;
    return taken;
}

static bool take_tree(struct bsp_builder *builder, struct solid_bsp *bsp, dent_context *context)
{
    bool complete = true;
    bsp->nodes = take_array(&builder->nodes, context, &complete);
    bsp->faces = take_array(&builder->faces, context, &complete);
    bsp->cells = take_array(&builder->cells, context, &complete);
    bsp->node_count = (uint32_t)builder->nodes.count;
    bsp->face_count = (uint32_t)builder->faces.count;
    bsp->cell_count = (uint32_t)builder->cells.count;
    bsp->plane_count = builder->plane_count;
    bsp->leaf_count = builder->leaf_count;
    bsp->open_leaf_count = builder->open_leaf_count;
    bsp->depth = builder->depth;
    return complete;
}

dent_status solid_bsp_build(struct solid_bsp *bsp, dent_context *context, const struct winding_tree *winding,
                            uint32_t triangle_count, const double low[3], const double high[3])
{
    struct cell_box box;
    memset(bsp, 0, sizeof *bsp);
    bsp->winding = winding;
    bsp->isa = dent_context_isa(context);
    memcpy(bsp->low, low, sizeof bsp->low);
    memcpy(bsp->high, high, sizeof bsp->high);
    bsp->root = bsp_leaf(triangle_count ? (uint32_t)BSP_LEAF_OPEN : (uint32_t)DENT_PLACE_OUT);
    if (triangle_count == 0 || !box_around(low, high, &box)) {
        return DENT_OK;
    }
    struct bsp_builder builder;
    memset(&builder, 0, sizeof builder);
    builder.bsp = bsp;
    array_init(&builder.nodes, context, sizeof(struct bsp_node));
    array_init(&builder.faces, context, sizeof(uint32_t));
    array_init(&builder.cells, context, sizeof(dent_inside_cell));
    array_init(&builder.lists, context, sizeof(uint32_t));
    array_init(&builder.fragments, context, sizeof(struct solid_fragment));
    array_init(&builder.samples, context, sizeof(struct bsp_sample));
    for (uint32_t face = 0; face < triangle_count && !builder.failed; face++) {
        builder.failed = !array_push(&builder.lists, &face);
    }
    int32_t root = builder.failed ? 0 : build_cell(&builder, &box, 0, triangle_count, 0);
    bsp->faces = NULL;
    bool complete = !builder.failed && take_tree(&builder, bsp, context);
    array_destroy(&builder.nodes);
    array_destroy(&builder.faces);
    array_destroy(&builder.cells);
    array_destroy(&builder.lists);
    array_destroy(&builder.fragments);
    array_destroy(&builder.samples);
    if (!complete) {
        solid_bsp_destroy(bsp, context);
        return DENT_ERROR_OUT_OF_MEMORY;
    }
    bsp->root = root;
    return DENT_OK;
}

void solid_bsp_destroy(struct solid_bsp *bsp, dent_context *context)
{
    dent_release(context, bsp->nodes, bsp->node_count, sizeof *bsp->nodes);
    dent_release(context, bsp->faces, bsp->face_count, sizeof *bsp->faces);
    dent_release(context, bsp->cells, bsp->cell_count, sizeof *bsp->cells);
    memset(bsp, 0, sizeof *bsp);
}

uint64_t solid_bsp_bytes(const struct solid_bsp *bsp)
{
    return bsp->node_count * (uint64_t)sizeof *bsp->nodes + bsp->face_count * (uint64_t)sizeof *bsp->faces +
           bsp->cell_count * (uint64_t)sizeof *bsp->cells;
}
