/* Building the tree of solid_bsp.h: cells by axis planes first, then the planes of the few triangles in a cell. */
#include "inside/bsp_cells.h"

#include "base/floating_point_guard.h"
#include "geometry/numbers/double_double.h"

#include <string.h>

/* ---- planes of triangles ----------------------------------------------------------------------------------------- */

enum {
    PLANES_MOST = 40,     /* triangles of a cell; cells with more stay open */
    NODES_A_TRIANGLE = 8, /* of a cell, before the rest of it stays open */
    PLANES_DEPTH = 44,    /* planes above one another in a cell, before the rest of it stays open: bounds the stack */
    CANDIDATES = 8,
    SPLIT_WEIGHT = 8,
    SAMPLES = 12
};

/* Distance from the origin of a plane that counts for its rounding errors. */
static double reach_of(const double origin[3], const double at[3], double reach)
{
    for (int axis = 0; axis < 3; axis++) {
        double distance = fabs(at[axis] - origin[axis]);
        reach = distance > reach ? distance : reach;
    }
    return reach;
}

/* Each component of the normal is in error by less than 8 u side^2, the sum of three products by a little more: 256 u
 * side^2 reach covers all of it. */
static void plane_of_face(const struct bsp_builder *builder, uint32_t face, double normal[3], double origin[3],
                          double *bound_factor)
{
    const double *corners[3];
    double e[2][3], side = 0.0;
    builder_corners(builder, face, corners);
    for (int k = 0; k < 2; k++) {
        for (int axis = 0; axis < 3; axis++) {
            e[k][axis] = corners[k + 1][axis] - corners[0][axis];
            side = fabs(e[k][axis]) > side ? fabs(e[k][axis]) : side;
        }
    }
    for (int axis = 0; axis < 3; axis++) {
        int i = axis == 2 ? 0 : axis + 1, j = axis == 0 ? 2 : axis - 1;
        normal[axis] = e[0][i] * e[1][j] - e[0][j] * e[1][i];
        origin[axis] = corners[0][axis];
    }
    *bound_factor = (16.0 * side * side + 0x1p-1000) * 16.0;
}

/* The normal as pairs of doubles. With w = 2^-106, the longest side s of the edges along an axis and the reach r: edges are
 * exact, a component of the normal is in error by 11 w of its two products, so the sum of three products with differences of
 * at most r by 66 w s^2 r; the products add 8 w of at most 2 s^2 r each, the sums 3 w of 4 and of 6 s^2 r: 144 w s^2 r in
 * all, and 256 w are allowed. What underflows is covered by 2^-700 as long as sizes are below 2^300. */
static void set_pair_plane(const struct bsp_builder *builder, uint32_t face, double reach, struct bsp_node *node)
{
    const double *corners[3];
    struct double_double edges[2][3];
    double side = 0.0;
    builder_corners(builder, face, corners);
    for (int k = 0; k < 2; k++) {
        for (int axis = 0; axis < 3; axis++) {
            edges[k][axis] = two_sum(corners[k + 1][axis], -corners[0][axis]);
            side = fabs(edges[k][axis].high) > side ? fabs(edges[k][axis].high) : side;
        }
    }
    if (!(side < 0x1p300 && reach < 0x1p300)) {
        node->pair_bound = INFINITY;
        return;
    }
    for (int axis = 0; axis < 3; axis++) {
        int i = axis == 2 ? 0 : axis + 1, j = axis == 0 ? 2 : axis - 1;
        struct double_double normal =
            pair_add(pair_multiply(edges[0][i], edges[1][j]), pair_negate(pair_multiply(edges[0][j], edges[1][i])));
        node->normal[axis] = normal.high;
        node->normal_low[axis] = normal.low;
    }
    node->pair_bound = side * side * reach * 0x1p-98 + 0x1p-700; /* in this order an underflow costs less than 2^-770 */
}

static double plane_bound(double factor, double reach)
{
    return factor * reach * 0x1p-53 + 0x1p-1000;
}

/* The plane of `face` as the fragment sees it. */
static void plane_for_fragment(struct bsp_builder *builder, uint32_t face, const struct solid_fragment *fragment,
                               struct fragment_plane *plane)
{
    const double *corners[3], *others[3];
    double factor, reach = 0.0;
    plane_of_face(builder, face, plane->normal, plane->origin, &factor);
    builder_corners(builder, face, corners);
    builder_corners(builder, fragment->face, others);
    for (int k = 0; k < 3; k++) {
        plane->vertex_signs[k] =
            orientation_3d_counted(corners[0], corners[1], corners[2], others[k], &builder->counters);
    }
    for (uint32_t i = 0; i < fragment->count; i++) {
        reach = reach_of(plane->origin, fragment->corners[i].at, reach);
    }
    plane->bound = plane_bound(factor, reach);
}

static bool in_plane(const struct fragment_plane *plane)
{
    return plane->vertex_signs[0] == 0 && plane->vertex_signs[1] == 0 && plane->vertex_signs[2] == 0;
}

/* The fragment whose plane splits few others, evenly. */
static uint32_t choose_splitter(struct bsp_builder *builder, const struct solid_fragment *fragments, uint32_t count)
{
    uint32_t best = 0, best_score = UINT32_MAX, step = count / CANDIDATES + 1;
    for (uint32_t candidate = 0; candidate < count; candidate += step) {
        uint32_t splits = 0, front = 0, back = 0;
        for (uint32_t i = 0; i < count; i++) {
            struct fragment_plane plane;
            struct fragment_sides sides;
            plane_for_fragment(builder, fragments[candidate].face, &fragments[i], &plane);
            fragment_find_sides(&fragments[i], &plane, &sides);
            front += (sides.all & SIDE_POSITIVE) != 0;
            back += (sides.all & SIDE_NEGATIVE) != 0;
            splits += (sides.all & SIDE_POSITIVE) && (sides.all & SIDE_NEGATIVE);
        }
        uint32_t score = SPLIT_WEIGHT * splits + (front > back ? front - back : back - front);
        if (score < best_score) {
            best = candidate;
            best_score = score;
        }
    }
    return best;
}

/* Samples on the side of `sign` go to the end of the list; returns false without memory. */
static bool pick_samples(struct bsp_builder *builder, const struct bsp_node *node, size_t first, size_t count, int sign)
{
    for (size_t i = first; i < first + count; i++) {
        struct bsp_sample sample = *(struct bsp_sample *)array_at(&builder->samples, i);
        if (solid_bsp_side(builder->bsp, node, sample.at, &builder->exact_tests) == sign &&
            !array_push(&builder->samples, &sample)) {
            return false;
        }
    }
    return true;
}

/* A point a little off the middle of a fragment, if it is strictly inside the cell by all planes so far. */
static bool add_sample_beside(struct bsp_builder *builder, const struct plane_path *path, const struct cell_box *box,
                              const struct solid_fragment *fragment, const struct bsp_node *node, double step)
{
    struct bsp_sample sample = {{0}};
    double length = 0.0, size = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        for (uint32_t i = 0; i < fragment->count; i++) {
            sample.at[axis] += fragment->corners[i].at[axis] / fragment->count;
        }
        length = fabs(node->normal[axis]) > length ? fabs(node->normal[axis]) : length;
        size = box->high[axis] - box->low[axis] > size ? box->high[axis] - box->low[axis] : size;
    }
    for (int axis = 0; axis < 3; axis++) {
        sample.at[axis] += step * size * (node->normal[axis] / length);
        if (!(sample.at[axis] > box->low[axis] && sample.at[axis] < box->high[axis])) {
            return true;
        }
    }
    for (const struct plane_path *up = path; up; up = up->parent) {
        const struct bsp_node *above = array_at(&builder->nodes, up->node);
        if (solid_bsp_side(builder->bsp, above, sample.at, &builder->exact_tests) != up->sign) {
            return true;
        }
    }
    return array_push(&builder->samples, &sample);
}

/* A leaf with the place of its first sample. */
static int32_t solid_leaf(struct bsp_builder *builder, size_t first, size_t count)
{
    if (count == 0) {
        return builder_unseen_leaf(builder);
    }
    const struct bsp_sample *sample = array_at(&builder->samples, first);
    return builder_leaf_at(builder, sample->at);
}

struct plane_task {
    const struct cell_box *box;
    const struct plane_path *path;
    size_t first_fragment, fragment_count, first_sample, sample_count;
    uint32_t depth;
    uint32_t planes; /* above it in this cell */
};

/* Fragments that reach the side of `sign` go to the end of the list, cut. */
static bool pick_fragments(struct bsp_builder *builder, const struct plane_task *task, uint32_t face, int sign)
{
    uint8_t wanted = sign > 0 ? SIDE_POSITIVE : SIDE_NEGATIVE;
    for (size_t i = 0; i < task->fragment_count; i++) {
        struct fragment_plane plane;
        struct fragment_sides sides;
        const struct solid_fragment *fragment = array_at(&builder->fragments, task->first_fragment + i);
        struct solid_fragment whole = *fragment, cut;
        plane_for_fragment(builder, face, &whole, &plane);
        fragment_find_sides(&whole, &plane, &sides);
        if (in_plane(&plane) || !(sides.all & wanted)) {
            continue;
        }
        fragment_cut(&whole, &sides, sign, &cut);
        if (cut.count > 0 && !array_push(&builder->fragments, &cut)) {
            return false;
        }
    }
    return true;
}

static bool list_faces_in_plane(struct bsp_builder *builder, const struct plane_task *task, uint32_t face,
                                struct bsp_node *node)
{
    node->first_face = (uint32_t)builder->faces.count;
    bool complete = array_push(&builder->faces, &face);
    for (size_t i = 0; i < task->fragment_count && complete; i++) {
        const struct solid_fragment *fragment = array_at(&builder->fragments, task->first_fragment + i);
        struct fragment_plane plane;
        uint32_t other = fragment->face;
        plane_for_fragment(builder, face, fragment, &plane);
        complete = other == face || !in_plane(&plane) || array_push(&builder->faces, &other);
    }
    node->face_count = (uint32_t)builder->faces.count - node->first_face;
    return complete;
}

/* Fragments and samples of one side of a plane, at the ends of their lists. Not inlined: a fragment is large, and must
 * not lie on the stack while the side is built. */
DENT_NOINLINE static bool open_side(struct bsp_builder *builder, const struct plane_task *task, uint32_t face,
                                    const struct plane_path *path, struct plane_task *side)
{
    static const double steps[] = {0x1p-4, 0x1p-8, 0x1p-13, 0x1p-20};
    struct bsp_node node = *(struct bsp_node *)array_at(&builder->nodes, path->node);
    struct solid_fragment splitter = {0};
    for (size_t i = 0; i < task->fragment_count; i++) {
        const struct solid_fragment *fragment = array_at(&builder->fragments, task->first_fragment + i);
        splitter = fragment->face == face ? *fragment : splitter;
    }
    bool complete = pick_samples(builder, &node, task->first_sample, task->sample_count, path->sign) &&
                    pick_fragments(builder, task, face, path->sign);
    for (size_t i = 0; i < sizeof steps / sizeof *steps && complete; i++) {
        complete = add_sample_beside(builder, path, task->box, &splitter, &node, path->sign * steps[i]);
    }
    side->fragment_count = builder->fragments.count - side->first_fragment;
    side->sample_count = builder->samples.count - side->first_sample;
    return complete;
}

static int32_t build_planes(struct bsp_builder *builder, const struct plane_task *task);

static int32_t build_side(struct bsp_builder *builder, const struct plane_task *task, uint32_t index, uint32_t face,
                          int sign)
{
    struct plane_path path = {task->path, index, sign};
    struct plane_task side = {.box = task->box, .path = &path, .depth = task->depth + 1, .planes = task->planes + 1};
    side.first_fragment = builder->fragments.count;
    side.first_sample = builder->samples.count;
    int32_t child = open_side(builder, task, face, &path, &side) ? build_planes(builder, &side) : builder_fail(builder);
    builder->fragments.count = side.first_fragment;
    builder->samples.count = side.first_sample;
    return child;
}

/* Writes the node of the chosen plane and adds it; false without memory. */
DENT_NOINLINE static bool add_plane(struct bsp_builder *builder, const struct plane_task *task, uint32_t *face,
                                    int32_t *index)
{
    const struct solid_fragment *fragments = array_at(&builder->fragments, task->first_fragment);
    *face = fragments[choose_splitter(builder, fragments, (uint32_t)task->fragment_count)].face;
    struct bsp_node node = {.kind = BSP_TRIANGLE_PLANE};
    double factor;
    plane_of_face(builder, *face, node.normal, node.origin, &factor);
    double reach = reach_of(node.origin, task->box->high, reach_of(node.origin, task->box->low, 0.0));
    node.bound = plane_bound(factor, reach);
    set_pair_plane(builder, *face, reach, &node);
    if (!list_faces_in_plane(builder, task, *face, &node)) {
        return false;
    }
    *index = builder_add_node(builder, &node);
    return true;
}

static int32_t build_planes(struct bsp_builder *builder, const struct plane_task *task)
{
    builder->depth = task->depth > builder->depth ? task->depth : builder->depth;
    if (task->fragment_count == 0) {
        return solid_leaf(builder, task->first_sample, task->sample_count);
    }
    if (builder->planes_left == 0 || task->planes == PLANES_DEPTH) {
        return builder_open_leaf(builder);
    }
    builder->planes_left--;
    uint32_t face;
    int32_t index;
    if (!add_plane(builder, task, &face, &index)) {
        return builder_fail(builder);
    }
    builder->plane_count++;
    for (int k = 0; k < 2 && !builder->failed; k++) {
        int32_t child = build_side(builder, task, (uint32_t)index, face, k ? 1 : -1);
        ((struct bsp_node *)array_at(&builder->nodes, (size_t)index))->children[k] = child;
    }
    return index;
}

/* ---- a cell ------------------------------------------------------------------------------------------------------ */

/* Points all over the cell: a sequence that fills a cube evenly (Roberts 2018). */
static bool sample_cell(struct bsp_builder *builder, const struct cell_box *box)
{
    static const double steps[3] = {0.8191725133961645, 0.6710436067037893, 0.5497004779019703};
    for (int i = 1; i <= SAMPLES; i++) {
        struct bsp_sample sample;
        bool within = true;
        for (int axis = 0; axis < 3; axis++) {
            double part = i * steps[axis];
            part -= (int)part;
            sample.at[axis] = box->low[axis] + part * (box->high[axis] - box->low[axis]);
            within = within && sample.at[axis] > box->low[axis] && sample.at[axis] < box->high[axis];
        }
        if (within && !array_push(&builder->samples, &sample)) {
            return false;
        }
    }
    return true;
}

/* The part of a triangle in the box; axis planes are exact for vertices. */
static void cut_to_box(const struct bsp_builder *builder, const struct cell_box *box, struct solid_fragment *fragment)
{
    const double *corners[3];
    builder_corners(builder, fragment->face, corners);
    for (int k = 0; k < 6 && fragment->count > 0; k++) {
        int axis = k / 2, sign = k % 2 ? -1 : 1;
        double at = sign > 0 ? box->low[axis] : box->high[axis];
        struct fragment_plane plane = {.bound = 0x1p-1000};
        struct fragment_sides sides;
        plane.normal[axis] = 1.0;
        plane.origin[axis] = at;
        for (int i = 0; i < 3; i++) {
            plane.vertex_signs[i] = (corners[i][axis] > at) - (corners[i][axis] < at);
        }
        double reach = 0.0;
        for (uint32_t i = 0; i < fragment->count; i++) {
            double distance = fabs(fragment->corners[i].at[axis] - at);
            reach = distance > reach ? distance : reach;
        }
        plane.bound = reach * 0x1p-50 + 0x1p-1000;
        fragment_find_sides(fragment, &plane, &sides);
        struct solid_fragment cut;
        fragment_cut(fragment, &sides, sign, &cut);
        *fragment = cut;
    }
}

int32_t build_planes_of_cell(struct bsp_builder *builder, const struct cell_box *box, const uint32_t *faces,
                             uint32_t count, uint32_t depth)
{
    if (count > PLANES_MOST) {
        return builder_open_leaf(builder);
    }
    struct plane_task task = {.box = box, .depth = depth};
    task.first_fragment = builder->fragments.count;
    task.first_sample = builder->samples.count;
    bool complete = sample_cell(builder, box);
    for (uint32_t i = 0; i < count && complete; i++) {
        const double *corners[3];
        struct solid_fragment fragment;
        builder_corners(builder, faces[i], corners);
        fragment_of_triangle(&fragment, faces[i], corners);
        cut_to_box(builder, box, &fragment);
        complete = fragment.count == 0 || array_push(&builder->fragments, &fragment);
    }
    task.fragment_count = builder->fragments.count - task.first_fragment;
    task.sample_count = builder->samples.count - task.first_sample;
    builder->planes_left = NODES_A_TRIANGLE * count + 16;
    int32_t child = complete ? build_planes(builder, &task) : builder_fail(builder);
    builder->fragments.count = task.first_fragment;
    builder->samples.count = task.first_sample;
    return child;
}
