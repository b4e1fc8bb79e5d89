/* Boxes of leaves and nodes for one snapshot: the only part of the forest that is done for every query. See
 * surface_forest.h.
 *
 * One pass over the groups (sixteen leaves) in parallel: coordinates are gathered and rounded leaf by leaf, kept for
 * the searches, and bounded; the sixteen boxes make that of the group. The few nodes above are done by the calling
 * thread.
 *
 * Growing. Points of two bodies at a distance of at most g + h have rounded coordinates that differ by at most (g + h)
 * s + 2e, with s the scale and e = FOREST_INPUT_ERROR; so each side grows by g s + e, rounded outward. Along an axis of
 * the larger volumes the same holds times the length of the axis (sqrt 2 or sqrt 3), with its own slack already in the
 * bounds.
 */
#include "structures/surface/kernels/surface_kernels.h"
#include "structures/surface/surface_forest.h"

#include <math.h>

#include "base/prefetch.h"
#include "geometry/metric/float_boxes.h"
#include "geometry/numbers/bounds.h"
#include "structures/surface/surface_tree.h"

enum { GROUPS_PER_BLOCK = 8, AHEAD = 4 };

/* Growing by more than this meets everything. */
#define LARGEST_GROWTH 8.0

struct refit_loop {
    struct surface_forest *forest;
    const struct forest_refit *refit;
    const struct surface_kernels *kernels;
    const double *growth; /* by body index, in rounded units; null: none */
};

/* Centre and scale such that everything lies in [-1, 1]. Halves are taken before sums: nothing overflows. */
static struct forest_map map_of(const struct forest_refit *refit)
{
    const struct snapshot *snapshot = refit->snapshot;
    double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY}, half = 0;
    struct forest_map map = {{0, 0, 0}, 1, 1};
    for (uint32_t body_index = 0; body_index < snapshot->body_count; body_index++) {
        const struct body_snapshot *body_snapshot = &snapshot->bodies[body_index];
        if (body_snapshot->lo[0] <= body_snapshot->hi[0]) {
            bounds_add(lo, hi, body_snapshot->lo, body_snapshot->hi);
        }
        for (uint32_t vertex = 0; refit->ends && vertex < body_snapshot->body->vertex_count; vertex++) {
            if (body_snapshot->body->vertex_use[vertex] & VERTEX_USED) {
                bounds_add_point(lo, hi, refit->ends[body_index][vertex]);
            }
        }
    }
    for (int axis = 0; axis < 3 && lo[0] <= hi[0]; axis++) {
        map.centre[axis] = lo[axis] / 2 + hi[axis] / 2;
        double extent = hi[axis] / 2 - lo[axis] / 2;
        half = extent > half ? extent : half;
    }
    struct box_scaling scaling = box_scaling_for(half);
    map.first = scaling.first;
    map.second = scaling.second;
    return map;
}

static float axis_length(int axis_count, int axis)
{
    return axis < 3 ? 1.0f : axis_count != 9 && axis < 7 ? 1.7320509f : 1.4142136f;
}

static void grow_bounds(double growth, int axis_count, float *lo, float *hi)
{
    for (int axis = 0; axis < axis_count; axis++) {
        double by = growth * (double)axis_length(axis_count, axis);
        double low = (double)lo[axis] - by, high = (double)hi[axis] + by;
        lo[axis] = float_below(low, low);
        hi[axis] = float_above(high, high);
    }
}

static void widen_bounds(int axis_count, float *lo, float *hi, const float *other_lo, const float *other_hi)
{
    for (int axis = 0; axis < axis_count; axis++) {
        lo[axis] = other_lo[axis] < lo[axis] ? other_lo[axis] : lo[axis];
        hi[axis] = other_hi[axis] > hi[axis] ? other_hi[axis] : hi[axis];
    }
}

/* Positions are read in an order the processor cannot guess: what will be needed is asked for early. */
PREFETCH_FUNCTION fetch_ahead(const struct surface_tree *tree, uint32_t leaf, const double (*xyz)[3])
{
    if (leaf + 2 * AHEAD < tree->leaf_count) {
        const char *later = (const char *)&tree->leaves[leaf + 2 * AHEAD];
        __builtin_prefetch(later + 64);
        __builtin_prefetch(&tree->points[leaf + 2 * AHEAD], 1);
        __builtin_prefetch((const char *)&tree->points[leaf + 2 * AHEAD] + 64, 1);
        __builtin_prefetch((const char *)&tree->points[leaf + 2 * AHEAD] + 128, 1);
        __builtin_prefetch((const char *)&tree->points[leaf + 2 * AHEAD] + 192, 1);
        __builtin_prefetch((const char *)&tree->points[leaf + 2 * AHEAD] + 256, 1);
    }
    if (leaf + AHEAD < tree->leaf_count) {
        const uint32_t *vertices = tree->leaves[leaf + AHEAD].vertices;
        for (int i = 0; i < LEAF_VERTICES; i++) {
            __builtin_prefetch(xyz[vertices[i]]);
        }
    }
}

static void empty_bounds(int axis_count, float *lo, float *hi)
{
    for (int axis = 0; axis < axis_count; axis++) {
        lo[axis] = INFINITY;
        hi[axis] = -INFINITY;
    }
}

/* All vertices of a leaf at one point: judged in the doubles, looked at only where the floats are equal. Keeps a world
 * fallen together in one point from costing all pairs where points are no answers. */
static bool leaf_is_point(const struct surface_leaf *leaf, const double (*xyz)[3], const float *lo, const float *hi)
{
    bool point = lo[0] == hi[0] && lo[1] == hi[1] && lo[2] == hi[2];
    const double *first = xyz[leaf->vertices[0]];
    for (uint32_t i = 1; point && i < leaf->vertex_count; i++) {
        const double *other = xyz[leaf->vertices[i]];
        point = first[0] == other[0] && first[1] == other[1] && first[2] == other[2];
    }
    return point;
}

static void set_bounds(struct tree_level *level, int axis_count, uint32_t node, const float *lo, const float *hi)
{
    for (int axis = 0; axis < axis_count; axis++) {
        level->lo[axis][node] = lo[axis];
        level->hi[axis][node] = hi[axis];
    }
}

static void refit_group(const struct refit_loop *loop, uint32_t body_index, uint32_t group)
{
    struct surface_tree *tree = loop->forest->bodies[body_index].tree;
    const double(*xyz)[3] = loop->refit->snapshot->bodies[body_index].xyz;
    int axis_count = tree->axis_count;
    uint32_t first = group * LEAF_TREE_ARITY, last = first + LEAF_TREE_ARITY;
    float group_lo[VOLUME_AXES_MAX], group_hi[VOLUME_AXES_MAX];
    empty_bounds(axis_count, group_lo, group_hi);
    for (uint32_t leaf = first; leaf < last; leaf++) {
        float lo[VOLUME_AXES_MAX], hi[VOLUME_AXES_MAX];
        empty_bounds(axis_count, lo, hi);
        if (leaf < tree->leaf_count) {
            fetch_ahead(tree, leaf, xyz);
            loop->kernels->load(tree->leaves[leaf].vertices, xyz, &loop->forest->map, &tree->points[leaf]);
            loop->kernels->bound(&tree->points[leaf], axis_count, lo, hi);
            for (int axis = 0; axis < 3; axis++) {
                tree->points[leaf].lo[axis] = lo[axis];
                tree->points[leaf].hi[axis] = hi[axis];
            }
            if (loop->refit->leave_out_points && leaf_is_point(&tree->leaves[leaf], xyz, lo, hi)) {
                empty_bounds(axis_count, lo, hi);
            }
            if (loop->refit->ends) {
                struct leaf_points end;
                float end_lo[VOLUME_AXES_MAX], end_hi[VOLUME_AXES_MAX];
                loop->kernels->load(tree->leaves[leaf].vertices, loop->refit->ends[body_index], &loop->forest->map,
                                    &end);
                loop->kernels->bound(&end, axis_count, end_lo, end_hi);
                widen_bounds(axis_count, lo, hi, end_lo, end_hi);
            }
            if (loop->growth) {
                grow_bounds(loop->growth[body_index], axis_count, lo, hi);
            }
            widen_bounds(axis_count, group_lo, group_hi, lo, hi);
        }
        set_bounds(&tree->levels[0], axis_count, leaf, lo, hi);
    }
    set_bounds(&tree->levels[1], axis_count, group, group_lo, group_hi);
}

static void refit_block(void *data, uint32_t block, uint32_t worker)
{
    (void)worker;
    const struct refit_loop *loop = data;
    uint32_t first = block * GROUPS_PER_BLOCK;
    for (uint32_t group = first; group < loop->forest->group_count && group - first < GROUPS_PER_BLOCK; group++) {
        uint32_t body_index = loop->forest->body_of_group[group];
        refit_group(loop, body_index, group - loop->forest->first_group[body_index]);
    }
}

/* Bounds of a node from the sixteen below it; padding is empty and changes nothing. */
static void bound_node(const struct tree_level *below, int axis_count, uint32_t node, float *lo, float *hi)
{
    empty_bounds(axis_count, lo, hi);
    for (int axis = 0; axis < axis_count; axis++) {
        for (uint32_t i = node * LEAF_TREE_ARITY; i < (node + 1) * LEAF_TREE_ARITY; i++) {
            lo[axis] = below->lo[axis][i] < lo[axis] ? below->lo[axis][i] : lo[axis];
            hi[axis] = below->hi[axis][i] > hi[axis] ? below->hi[axis][i] : hi[axis];
        }
    }
}

static void pad_level(struct tree_level *level, int axis_count)
{
    float lo[VOLUME_AXES_MAX], hi[VOLUME_AXES_MAX];
    empty_bounds(axis_count, lo, hi);
    for (uint32_t node = level->count; node < level->padded; node++) {
        set_bounds(level, axis_count, node, lo, hi);
    }
}

/* Levels above the groups, the box of the body, and whether the leaves have come apart. */
static void refit_above(struct surface_tree *tree, bool plain, struct cluster_box *box)
{
    float lo[VOLUME_AXES_MAX], hi[VOLUME_AXES_MAX];
    *box = (struct cluster_box){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    pad_level(&tree->levels[1], tree->axis_count);
    for (uint32_t number = 2; number < tree->level_count; number++) {
        for (uint32_t node = 0; node < tree->levels[number].count; node++) {
            bound_node(&tree->levels[number - 1], tree->axis_count, node, lo, hi);
            set_bounds(&tree->levels[number], tree->axis_count, node, lo, hi);
        }
        pad_level(&tree->levels[number], tree->axis_count);
    }
    const struct tree_level *top = &tree->levels[tree->level_count - 1];
    if (top->count > 0) {
        bound_node(top, 3, 0, box->lo, box->hi);
    }
    if (!plain) {
        return;
    }
    tree->extent = 0;
    for (uint32_t node = 0; node < tree->levels[1].count; node++) {
        for (int axis = 0; axis < 3; axis++) {
            tree->extent += (double)tree->levels[1].hi[axis][node] - (double)tree->levels[1].lo[axis][node];
        }
    }
}

/* The leaves are cut anew in the next query when boxes of groups have grown to twice what they were when the leaves
 * were cut, measured in lengths of the world, not of the map. */
static void judge_quality(struct surface_tree *tree, const struct forest_map *map)
{
    double extent = tree->extent / map->first / map->second;
    if (!tree->has_extent_at_build) {
        tree->has_extent_at_build = true;
        tree->extent_at_build = extent;
    }
    tree->stale = extent > 2 * tree->extent_at_build && extent < INFINITY;
}

static double *growths(const struct surface_forest *forest, const struct forest_refit *refit, struct arena *scratch)
{
    double *growth = arena_allocate(scratch, forest->body_count, sizeof *growth);
    for (uint32_t body_index = 0; growth && body_index < forest->body_count; body_index++) {
        double scaled = refit->grow[body_index] * forest->map.first * forest->map.second * (1 + 0x1p-50) +
                        (double)FOREST_INPUT_ERROR;
        growth[body_index] = scaled < LARGEST_GROWTH ? scaled : LARGEST_GROWTH;
    }
    return growth;
}

/* Boxes that were grown are made anew: by how much is not remembered. */
static bool boxes_are_made(const struct surface_forest *forest, const struct forest_refit *refit)
{
    const struct forest_boxes *made = &forest->made;
    return made->valid && made->reading == refit->snapshot->reading && !made->grown && !refit->grow &&
           made->ends == (refit->ends != NULL) && made->no_points == refit->leave_out_points;
}

bool surface_forest_refit(struct surface_forest *forest, const struct forest_refit *refit, dent_isa isa,
                          struct arena *scratch)
{
    struct refit_loop loop = {.forest = forest, .refit = refit, .kernels = surface_kernels_for(isa)};
    if (boxes_are_made(forest, refit)) {
        return true;
    }
    forest->made.valid = false;
    forest->map = map_of(refit);
    array_clear(&forest->body_boxes);
    struct cluster_box *boxes = array_extend(&forest->body_boxes, forest->body_count);
    if (!boxes || (refit->grow && !(loop.growth = growths(forest, refit, scratch)))) {
        return false;
    }
    uint32_t blocks = forest->group_count / GROUPS_PER_BLOCK + (forest->group_count % GROUPS_PER_BLOCK != 0);
    dent_parallel_for(forest->context, blocks, refit_block, &loop);
    bool plain = !refit->ends && !refit->grow;
    for (uint32_t body_index = 0; body_index < forest->body_count; body_index++) {
        refit_above(forest->bodies[body_index].tree, plain, &boxes[body_index]);
        if (plain && !forest->keep_leaves) {
            judge_quality(forest->bodies[body_index].tree, &forest->map);
        }
    }
    forest->made = (struct forest_boxes){.ends = refit->ends != NULL,
                                         .grown = refit->grow != NULL,
                                         .no_points = refit->leave_out_points,
                                         .reading = refit->snapshot->reading};
    forest->made.valid = body_pairs_find(&forest->body_pairs, boxes, forest->body_count, isa, scratch);
    return forest->made.valid;
}
