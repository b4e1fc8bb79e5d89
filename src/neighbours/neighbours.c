/* Making and updating a dent_neighbours: points into leaves, boxes over them, level by level. */
#include "neighbours/neighbours_data.h"

#include <float.h>
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

dent_status neighbours_read(dent_context *context, const dent_positions *positions, uint32_t count, int exponent,
                            const char *what, struct ordered_point *to)
{
    /* in two steps: 2^exponent itself may be out of range */
    double scale = ldexp(1.0, exponent / 2), rest = ldexp(1.0, exponent - exponent / 2);
    double most = ldexp(1.0, PLACE_EXPONENT);
    for (uint32_t i = 0; i < count; i++) {
        double place[3];
        neighbours_read_place(positions, i, place);
        for (int axis = 0; axis < 3; axis++) {
            double x = place[axis] * scale * rest;
            if (!isfinite(place[axis])) {
                return dent_fail(context, DENT_ERROR_BAD_NUMBER, "%s %u: %c is not finite", what, (unsigned)i,
                                 "xyz"[axis]);
            }
            to[i].point[axis] = x > most ? most : x < -most ? -most : x;
        }
        to[i].index = i;
    }
    return DENT_OK;
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

static void box_leaves(dent_neighbours *points)
{
    for (uint32_t node = 0; node < points->node_counts[0]; node++) {
        for (uint32_t lane = 0; lane < NEIGHBOUR_LANES; lane++) {
            uint32_t leaf = node * NEIGHBOUR_LANES + lane;
            if (leaf < points->tree.leaf_count) {
                box_of_leaf(&points->leaves[leaf], &(points->upper_leaves ? points->upper_leaves : points->leaves)[leaf],
                            &points->nodes[node], lane);
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

static void box_all(dent_neighbours *points)
{
    box_leaves(points);
    for (uint32_t level = 1; level < points->tree.level_count; level++) {
        box_level(points, level);
    }
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

static void fill_leaves(dent_neighbours *points, const struct ordered_point *ordered)
{
    for (uint32_t slot = 0; slot < points->tree.leaf_count * NEIGHBOUR_LANES; slot++) {
        for (int axis = 0; axis < 3; axis++) {
            points->leaves[slot / NEIGHBOUR_LANES].point[axis][slot % NEIGHBOUR_LANES] =
                slot < points->count ? ordered[slot].point[axis] : NAN;
        }
        points->indices[slot] = slot < points->count ? ordered[slot].index : UINT32_MAX;
    }
    if (points->upper_leaves) {
        fill_corners(points);
    }
    box_all(points);
    points->box_sides = sum_of_sides(points);
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
        fill_leaves(points, ordered);
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

static dent_status check_finite(const dent_neighbours *points)
{
    for (uint32_t i = 0; i < points->count; i++) {
        double place[3];
        neighbours_read_place(&points->positions, i, place);
        for (int axis = 0; axis < 3; axis++) {
            if (!isfinite(place[axis])) {
                return dent_fail(points->context, DENT_ERROR_BAD_NUMBER, "point %u: %c is not finite", (unsigned)i,
                                 "xyz"[axis]);
            }
        }
    }
    return DENT_OK;
}

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
    dent_status status = check_finite(points);
    if (status) {
        return status;
    }
    int exponent = scale_of(points);
    points->box_sides = ldexp(points->box_sides, exponent - points->scale_exponent);
    points->scale_exponent = exponent;
    move_points(points, exponent);
    box_all(points);
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
