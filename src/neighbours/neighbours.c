/* Making and updating a dent_neighbours: points into leaves, boxes over them, level by level. */
#include "neighbours/neighbours_data.h"

#include <float.h>
#include <stdatomic.h>
#include <string.h>

/* ---- reading ----------------------------------------------------------------------------------------------------- */

dent_status neighbours_check_positions(dent_context *context, const dent_positions *positions, uint32_t count,
                                       const char *what)
{
    if (count > 0 && !positions->data) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "%u %s, but their data is null", (unsigned)count, what);
    }
    if (positions->scalar != DENT_SCALAR_DOUBLE && positions->scalar != DENT_SCALAR_FLOAT) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "%s: unknown scalar type %d", what,
                         (int)positions->scalar);
    }
    return DENT_OK;
}

void neighbours_read_place(const dent_positions *positions, uint32_t vertex, double place[3])
{
    bool wide = positions->scalar == DENT_SCALAR_DOUBLE;
    size_t stride = positions->stride ? positions->stride : 3 * (wide ? sizeof(double) : sizeof(float));
    const char *from = (const char *)positions->data + vertex * stride;
    if (wide) {
        memcpy(place, from, 3 * sizeof(double));
    } else {
        float narrow[3];
        memcpy(narrow, from, sizeof narrow);
        for (int axis = 0; axis < 3; axis++) {
            place[axis] = narrow[axis];
        }
    }
}

enum { PLACES_A_BLOCK = 1024 };

/* Places are read in blocks; none is left out, but the first that is not finite is looked for again. */
struct read_work {
    const dent_positions *positions;
    struct ordered_point *to;
    uint32_t count;
    double scale, rest; /* in two steps: 2^exponent itself may be out of range */
    atomic_bool is_bad;
};

static void read_block(void *data, uint32_t block, uint32_t worker)
{
    struct read_work *work = data;
    double most = ldexp(1.0, PLACE_EXPONENT);
    uint32_t begin = block * PLACES_A_BLOCK;
    uint32_t end = work->count - begin < PLACES_A_BLOCK ? work->count : begin + PLACES_A_BLOCK;
    bool is_bad = false;
    (void)worker;
    for (uint32_t i = begin; i < end; i++) {
        double place[3];
        neighbours_read_place(work->positions, i, place);
        for (int axis = 0; axis < 3; axis++) {
            double x = place[axis] * work->scale * work->rest;
            is_bad = is_bad || !isfinite(place[axis]);
            work->to[i].point[axis] = x > most ? most : x < -most ? -most : x;
        }
        work->to[i].index = i;
    }
    if (is_bad) {
        atomic_store_explicit(&work->is_bad, true, memory_order_relaxed);
    }
}

static dent_status check_finite(dent_context *context, const dent_positions *positions, uint32_t count,
                                const char *what)
{
    for (uint32_t i = 0; i < count; i++) {
        double place[3];
        neighbours_read_place(positions, i, place);
        for (int axis = 0; axis < 3; axis++) {
            if (!isfinite(place[axis])) {
                return dent_fail(context, DENT_ERROR_BAD_NUMBER, "%s %u: %c is not finite", what, (unsigned)i,
                                 "xyz"[axis]);
            }
        }
    }
    return DENT_OK;
}

static uint32_t blocks_of(uint32_t count, uint32_t block)
{
    return count / block + (count % block > 0);
}

dent_status neighbours_read(dent_context *context, const dent_positions *positions, uint32_t count, int exponent,
                            const char *what, struct ordered_point *to)
{
    struct read_work work = {.positions = positions,
                             .to = to,
                             .count = count,
                             .scale = ldexp(1.0, exponent / 2),
                             .rest = ldexp(1.0, exponent - exponent / 2)};
    atomic_init(&work.is_bad, false);
    dent_status status = dent_parallel_for(context, blocks_of(count, PLACES_A_BLOCK), read_block, &work);
    bool is_bad = atomic_load_explicit(&work.is_bad, memory_order_relaxed);
    return status || !is_bad ? status : check_finite(context, positions, count, what);
}

/* The power of two that brings the largest coordinate just below 2^SCALED_EXPONENT. What is not finite is left to
 * neighbours_read() to name. */
static double largest_of(const dent_positions *positions, uint32_t count)
{
    double largest = 0.0;
    for (uint32_t i = 0; i < count && positions->data; i++) {
        double place[3];
        neighbours_read_place(positions, i, place);
        for (int axis = 0; axis < 3; axis++) {
            double size = fabs(place[axis]);
            largest = size > largest && isfinite(size) ? size : largest;
        }
    }
    return largest;
}

static int scale_of(const dent_neighbours *points)
{
    double largest = fmax(largest_of(&points->positions, points->count), largest_of(&points->upper, points->count));
    int exponent = 0;
    frexp(largest, &exponent);
    return SCALED_EXPONENT - (largest > 0.0 ? exponent : DBL_MIN_EXP - DBL_MANT_DIG + 1); /* places have scales of their own */
}

/* ---- leaves and boxes -------------------------------------------------------------------------------------------- */

static void empty_lane(struct neighbour_node *node, uint32_t lane)
{
    for (int axis = 0; axis < 3; axis++) {
        node->low[axis][lane] = node->high[axis][lane] = NAN;
    }
}

/* `upper` is the leaf itself for points. */
static void box_of_leaf(const struct neighbour_leaf *leaf, const struct neighbour_leaf *upper,
                        struct neighbour_node *node, uint32_t lane)
{
    for (int axis = 0; axis < 3; axis++) {
        double low = leaf->point[axis][0], high = upper->point[axis][0];
        for (int i = 1; i < NEIGHBOUR_LANES; i++) { /* NaN in unused lanes is not taken */
            low = leaf->point[axis][i] < low ? leaf->point[axis][i] : low;
            high = upper->point[axis][i] > high ? upper->point[axis][i] : high;
        }
        node->low[axis][lane] = low;
        node->high[axis][lane] = high;
    }
}

static void box_of_node(const struct neighbour_node *child, struct neighbour_node *node, uint32_t lane)
{
    for (int axis = 0; axis < 3; axis++) {
        double low = child->low[axis][0], high = child->high[axis][0];
        for (int i = 1; i < NEIGHBOUR_LANES; i++) {
            low = child->low[axis][i] < low ? child->low[axis][i] : low;
            high = child->high[axis][i] > high ? child->high[axis][i] : high;
        }
        node->low[axis][lane] = low;
        node->high[axis][lane] = high;
    }
}

enum { NODES_A_BLOCK = 16 };

static void box_leaves_block(void *data, uint32_t block, uint32_t worker)
{
    dent_neighbours *points = data;
    const struct neighbour_leaf *upper = points->upper_leaves ? points->upper_leaves : points->leaves;
    uint32_t begin = block * NODES_A_BLOCK, left = points->node_counts[0] - begin;
    uint32_t end = begin + (left < NODES_A_BLOCK ? left : NODES_A_BLOCK);
    (void)worker;
    for (uint32_t node = begin; node < end; node++) {
        for (uint32_t lane = 0; lane < NEIGHBOUR_LANES; lane++) {
            uint32_t leaf = node * NEIGHBOUR_LANES + lane;
            if (leaf < points->tree.leaf_count) {
                box_of_leaf(&points->leaves[leaf], &upper[leaf], &points->nodes[node], lane);
            } else {
                empty_lane(&points->nodes[node], lane);
            }
        }
    }
}

static void box_level(dent_neighbours *points, uint32_t level)
{
    const struct neighbour_node *children = points->nodes + points->first_node[level - 1];
    struct neighbour_node *nodes = points->nodes + points->first_node[level];
    for (uint32_t child = 0; child < points->node_counts[level] * NEIGHBOUR_LANES; child++) {
        uint32_t lane = child % NEIGHBOUR_LANES;
        if (child < points->node_counts[level - 1]) {
            box_of_node(&children[child], &nodes[child / NEIGHBOUR_LANES], lane);
        } else {
            empty_lane(&nodes[child / NEIGHBOUR_LANES], lane);
        }
    }
}

static dent_status box_all(dent_neighbours *points)
{
    uint32_t blocks = points->count > 0 ? blocks_of(points->node_counts[0], NODES_A_BLOCK) : 0;
    dent_status status = dent_parallel_for(points->context, blocks, box_leaves_block, points);
    for (uint32_t level = 1; level < points->tree.level_count; level++) {
        box_level(points, level);
    }
    return status;
}

/* How long the leaves' boxes are together: what motion makes worse. */
static double sum_of_sides(const dent_neighbours *points)
{
    double sum = 0.0;
    for (uint32_t leaf = 0; leaf < points->tree.leaf_count; leaf++) {
        const struct neighbour_node *node = &points->nodes[leaf / NEIGHBOUR_LANES];
        for (int axis = 0; axis < 3; axis++) {
            sum += node->high[axis][leaf % NEIGHBOUR_LANES] - node->low[axis][leaf % NEIGHBOUR_LANES];
        }
    }
    return sum;
}

/* A power of two in two factors: itself it may be out of range. */
struct point_scale {
    double first, second;
};

static struct point_scale point_scale_of(int exponent)
{
    return (struct point_scale){ldexp(1.0, exponent / 2), ldexp(1.0, exponent - exponent / 2)};
}

/* A point of the caller's, scaled, into its lane. */
static void read_lane(const dent_positions *positions, uint32_t index, struct point_scale scale,
                      struct neighbour_leaf *leaves, uint32_t slot)
{
    double place[3];
    neighbours_read_place(positions, index, place);
    for (int axis = 0; axis < 3; axis++) {
        leaves[slot / NEIGHBOUR_LANES].point[axis][slot % NEIGHBOUR_LANES] = place[axis] * scale.first * scale.second;
    }
}

/* Boxes were ordered by their middles: their corners are read again. */
static void fill_corners(dent_neighbours *points)
{
    struct point_scale scale = point_scale_of(points->scale_exponent);
    for (uint32_t slot = 0; slot < points->tree.leaf_count * NEIGHBOUR_LANES; slot++) {
        if (slot < points->count) {
            read_lane(&points->positions, points->indices[slot], scale, points->leaves, slot);
            read_lane(&points->upper, points->indices[slot], scale, points->upper_leaves, slot);
            continue;
        }
        for (int axis = 0; axis < 3; axis++) {
            points->upper_leaves[slot / NEIGHBOUR_LANES].point[axis][slot % NEIGHBOUR_LANES] = NAN;
        }
    }
}

struct fill_work {
    dent_neighbours *points;
    const struct ordered_point *ordered;
};

static void fill_block(void *data, uint32_t block, uint32_t worker)
{
    const struct fill_work *work = data;
    dent_neighbours *points = work->points;
    uint32_t begin = block * PLACES_A_BLOCK, left = points->tree.leaf_count * NEIGHBOUR_LANES - begin;
    uint32_t end = begin + (left < PLACES_A_BLOCK ? left : PLACES_A_BLOCK);
    (void)worker;
    for (uint32_t slot = begin; slot < end; slot++) {
        for (int axis = 0; axis < 3; axis++) {
            points->leaves[slot / NEIGHBOUR_LANES].point[axis][slot % NEIGHBOUR_LANES] =
                slot < points->count ? work->ordered[slot].point[axis] : NAN;
        }
        points->indices[slot] = slot < points->count ? work->ordered[slot].index : UINT32_MAX;
    }
}

static dent_status fill_leaves(dent_neighbours *points, const struct ordered_point *ordered)
{
    struct fill_work work = {points, ordered};
    uint32_t blocks = blocks_of(points->tree.leaf_count * NEIGHBOUR_LANES, PLACES_A_BLOCK);
    dent_status status = dent_parallel_for(points->context, blocks, fill_block, &work);
    if (points->upper_leaves) {
        fill_corners(points);
    }
    status = status ? status : box_all(points);
    points->box_sides = sum_of_sides(points);
    return status;
}

/* ---- making ------------------------------------------------------------------------------------------------------ */

static void plan_levels(dent_neighbours *points)
{
    uint32_t boxes = points->count / NEIGHBOUR_LANES + (points->count % NEIGHBOUR_LANES > 0);
    points->tree.leaf_count = boxes;
    while (boxes > 0) {
        uint32_t level = points->tree.level_count++;
        points->first_node[level] = (uint32_t)points->node_count;
        points->node_counts[level] = boxes / NEIGHBOUR_LANES + (boxes % NEIGHBOUR_LANES > 0);
        points->node_count += points->node_counts[level];
        boxes = points->node_counts[level] > 1 ? points->node_counts[level] : 0;
    }
}

static bool allocate_tree(dent_neighbours *points)
{
    points->leaves = dent_allocate(points->context, points->tree.leaf_count, sizeof *points->leaves);
    points->indices = dent_allocate(points->context, points->tree.leaf_count, NEIGHBOUR_LANES * sizeof *points->indices);
    points->nodes = dent_allocate(points->context, points->node_count, sizeof *points->nodes);
    bool boxes = points->upper.data != NULL;
    points->upper_leaves =
        boxes ? dent_allocate(points->context, points->tree.leaf_count, sizeof *points->upper_leaves) : NULL;
    points->tree.upper = points->upper_leaves;
    points->tree.leaves = points->leaves;
    points->tree.indices = points->indices;
    for (uint32_t level = 0; level < points->tree.level_count && points->nodes; level++) {
        points->tree.levels[level] = points->nodes + points->first_node[level];
    }
    return points->leaves && points->indices && points->nodes && (points->upper_leaves || !boxes);
}

/* The middles of boxes, of which the lower corners were read. Halves, so that no sum overflows. */
static void move_to_middles(const dent_neighbours *points, int exponent, struct ordered_point *ordered)
{
    struct point_scale scale = point_scale_of(exponent);
    for (uint32_t i = 0; i < points->count && points->upper.data; i++) {
        double end[3];
        neighbours_read_place(&points->upper, i, end);
        for (int axis = 0; axis < 3; axis++) {
            ordered[i].point[axis] = 0.5 * ordered[i].point[axis] + 0.5 * (end[axis] * scale.first * scale.second);
        }
    }
}

/* Reads and orders the points; the object changes only when all has gone well. */
static dent_status order_anew(dent_neighbours *points)
{
    struct ordered_point *ordered = dent_allocate(points->context, points->count, sizeof *ordered);
    int exponent = scale_of(points);
    dent_status status =
        ordered ? neighbours_read(points->context, &points->positions, points->count, exponent, "point", ordered)
                : DENT_ERROR_OUT_OF_MEMORY;
    if (status == DENT_OK) {
        move_to_middles(points, exponent, ordered);
        status = point_order_sort(points->context, ordered, points->count);
    }
    if (status == DENT_OK) {
        points->scale_exponent = exponent;
        status = fill_leaves(points, ordered);
    }
    dent_release(points->context, ordered, points->count, sizeof *ordered);
    return status == DENT_ERROR_OUT_OF_MEMORY
               ? dent_fail(points->context, status, "no memory to order %u points", (unsigned)points->count)
               : status;
}

static dent_status make(void *data)
{
    dent_neighbours *points = data;
    plan_levels(points);
    if (!allocate_tree(points)) {
        return dent_fail(points->context, DENT_ERROR_OUT_OF_MEMORY, "no memory for a tree of %u points",
                         (unsigned)points->count);
    }
    return order_anew(points);
}

dent_status neighbours_create_boxes(dent_context *context, dent_positions lower, dent_positions upper, uint32_t count,
                                    dent_neighbours **points)
{
    dent_neighbours *made = dent_allocate(context, 1, sizeof *made);
    if (!made) {
        return dent_fail(context, DENT_ERROR_OUT_OF_MEMORY, "no memory for a tree of %u points", (unsigned)count);
    }
    *made = (dent_neighbours){.context = context, .positions = lower, .upper = upper, .count = count};
    block_output_init(&made->found, context, sizeof(struct found_point));
    array_init(&made->found_records, context, sizeof(struct found_point));
    array_init(&made->first, context, sizeof(uint64_t));
    array_init(&made->list_indices, context, sizeof(uint32_t));
    array_init(&made->list_distances, context, sizeof(double));
    dent_status status = dent_call_guarded(context, make, made);
    if (status) {
        dent_neighbours_destroy(made);
        return status;
    }
    *points = made;
    return DENT_OK;
}

dent_status dent_neighbours_create(dent_context *context, dent_positions positions, uint32_t count,
                                   dent_neighbours **points)
{
    DENT_REQUIRE(context, context);
    DENT_REQUIRE(context, points);
    dent_status status = neighbours_check_positions(context, &positions, count, "points");
    return status ? status : neighbours_create_boxes(context, positions, (dent_positions){.data = NULL}, count, points);
}

void dent_neighbours_destroy(dent_neighbours *points)
{
    if (!points) {
        return;
    }
    dent_context *context = points->context;
    block_output_destroy(&points->found);
    array_destroy(&points->found_records);
    array_destroy(&points->first);
    array_destroy(&points->list_indices);
    array_destroy(&points->list_distances);
    dent_release(context, points->nodes, points->node_count, sizeof *points->nodes);
    dent_release(context, points->indices, points->tree.leaf_count, NEIGHBOUR_LANES * sizeof *points->indices);
    dent_release(context, points->upper_leaves, points->tree.leaf_count, sizeof *points->upper_leaves);
    dent_release(context, points->leaves, points->tree.leaf_count, sizeof *points->leaves);
    dent_release(context, points, 1, sizeof *points);
}

uint32_t dent_neighbours_count(const dent_neighbours *points)
{
    return points ? points->count : 0;
}

uint32_t dent_neighbours_reordered(const dent_neighbours *points)
{
    return points ? points->reordered : 0;
}

/* ---- updating ---------------------------------------------------------------------------------------------------- */

static void move_points(dent_neighbours *points, int exponent)
{
    struct point_scale scale = point_scale_of(exponent);
    for (uint32_t slot = 0; slot < points->count; slot++) {
        read_lane(&points->positions, points->indices[slot], scale, points->leaves, slot);
        if (points->upper_leaves) {
            read_lane(&points->upper, points->indices[slot], scale, points->upper_leaves, slot);
        }
    }
}

static dent_status update(void *data)
{
    dent_neighbours *points = data;
    dent_status status = check_finite(points->context, &points->positions, points->count, "point");
    if (status) {
        return status;
    }
    int exponent = scale_of(points);
    points->box_sides = ldexp(points->box_sides, exponent - points->scale_exponent);
    points->scale_exponent = exponent;
    move_points(points, exponent);
    status = box_all(points);
    if (status) {
        return status;
    }
    if (isfinite(points->box_sides) && sum_of_sides(points) <= 2.0 * points->box_sides) {
        return DENT_OK;
    }
    /* Without memory for a better order the old one still answers. */
    status = order_anew(points);
    points->reordered += status == DENT_OK;
    return status == DENT_ERROR_OUT_OF_MEMORY ? DENT_OK : status;
}

dent_status dent_neighbours_update(dent_neighbours *points)
{
    DENT_REQUIRE(NULL, points);
    return dent_call_guarded(points->context, update, points);
}
