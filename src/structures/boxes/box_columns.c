/* Sorted float boxes. See box_columns.h.
 *
 * Sorting is a radix sort on the bits of lo[0], mapped so that unsigned order is float order; it is stable and features
 * are collected in canonical order, so the result does not depend on anything but the input.
 */
#include "structures/boxes/box_columns.h"

#include "base/radix_sort.h"
#include "geometry/numbers/bounds.h"

static uint32_t side_size(enum feature_side side, const struct body *body)
{
    switch (side) {
    case FEATURE_VERTICES:
    case FEATURE_SURFACE_VERTICES:
        return body->vertex_count;
    case FEATURE_SURFACE_FACES:
        return body->surface_face_count;
    case FEATURE_CELLS:
    case FEATURE_OPEN_CELLS:
        return body_cell_count(body);
    }
    return 0;
}

static bool vertex_belongs(enum feature_side side, const struct body *body, uint32_t vertex)
{
    return (body->vertex_use[vertex] & (side == FEATURE_SURFACE_VERTICES ? VERTEX_ON_SURFACE : VERTEX_USED)) != 0;
}

static const uint32_t *side_corners(enum feature_side side, const struct body *body, const uint32_t *feature,
                                    uint32_t *count)
{
    if (side >= FEATURE_CELLS) {
        return element_corners(body, *feature, count);
    }
    *count = side == FEATURE_SURFACE_FACES ? 3 : 1;
    return side == FEATURE_SURFACE_FACES ? body->surface_faces[*feature].corners : feature;
}

/* Bounds in double along one axis. */
static void bound_axis(const double (*xyz)[3], const uint32_t *corners, uint32_t count, int axis, double *lo,
                       double *hi)
{
    *lo = *hi = xyz[corners[0]][axis];
    for (uint32_t i = 1; i < count; i++) {
        double x = xyz[corners[i]][axis];
        *lo = x < *lo ? x : *lo;
        *hi = x > *hi ? x : *hi;
    }
}

int sweep_axis(const struct snapshot *snapshot)
{
    struct box_scaling scaling = box_scaling_for(snapshot->largest);
    double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY}, mean[3] = {0, 0, 0};
    for (uint32_t body_index = 0; body_index < snapshot->body_count; body_index++) {
        const struct body_snapshot *body_snapshot = &snapshot->bodies[body_index];
        bounds_add(lo, hi, body_snapshot->lo, body_snapshot->hi);
        for (uint32_t element = 0; element < body_snapshot->body->element_count; element++) {
            uint32_t count;
            const uint32_t *corners = element_corners(body_snapshot->body, element, &count);
            for (int axis = 0; axis < 3; axis++) {
                double low, high;
                bound_axis(body_snapshot->xyz, corners, count, axis, &low, &high);
                mean[axis] += box_scale(scaling, high) - box_scale(scaling, low);
            }
        }
    }
    int best = 0;
    double best_ratio = -1;
    for (int axis = 0; axis < 3; axis++) {
        double extent = box_scale(scaling, hi[axis]) - box_scale(scaling, lo[axis]);
        double ratio = mean[axis] > 0 ? extent / mean[axis] : 0;
        if (ratio > best_ratio) {
            best_ratio = ratio;
            best = axis;
        }
    }
    return best;
}

struct unsorted {
    float lo[3], hi[3];
    uint32_t body, feature;
};

static uint32_t collect(struct unsorted *boxes, const struct snapshot *snapshot, enum feature_side side, int axis)
{
    struct box_scaling scaling = box_scaling_for(snapshot->largest);
    uint32_t count = 0;
    for (uint32_t body_index = 0; body_index < snapshot->body_count; body_index++) {
        const struct body_snapshot *body_snapshot = &snapshot->bodies[body_index];
        for (uint32_t feature = 0; feature < side_size(side, body_snapshot->body); feature++) {
            uint32_t corner_count;
            if (side <= FEATURE_SURFACE_VERTICES && !vertex_belongs(side, body_snapshot->body, feature)) {
                continue;
            }
            const uint32_t *corners = side_corners(side, body_snapshot->body, &feature, &corner_count);
            struct unsorted *box = &boxes[count];
            bool flat = false;
            box->body = body_index;
            box->feature = feature;
            for (int column = 0; column < 3; column++) {
                double lo, hi;
                bound_axis(body_snapshot->xyz, corners, corner_count, (axis + column) % 3, &lo, &hi);
                box->lo[column] = float_below(box_scale(scaling, lo), lo);
                box->hi[column] = float_above(box_scale(scaling, hi), hi);
                flat = flat || lo == hi;
            }
            count += !(flat && side == FEATURE_OPEN_CELLS);
        }
    }
    return count;
}

static void spread(struct sorted_boxes *boxes, const struct unsorted *unsorted, const uint32_t *order)
{
    for (uint32_t i = 0; i < boxes->count; i++) {
        const struct unsorted *box = &unsorted[order[i]];
        for (int column = 0; column < 3; column++) {
            boxes->lo[column][i] = box->lo[column];
            boxes->hi[column][i] = box->hi[column];
        }
        boxes->body[i] = box->body;
        boxes->feature[i] = box->feature;
    }
}

static bool allocate_columns(struct sorted_boxes *boxes, size_t most, struct arena *scratch)
{
    bool enough = true;
    for (int column = 0; column < 3; column++) {
        boxes->lo[column] = arena_allocate(scratch, most, sizeof(float));
        boxes->hi[column] = arena_allocate(scratch, most, sizeof(float));
        enough = enough && boxes->lo[column] && boxes->hi[column];
    }
    boxes->body = arena_allocate(scratch, most, sizeof(uint32_t));
    boxes->feature = arena_allocate(scratch, most, sizeof(uint32_t));
    return enough && boxes->body && boxes->feature;
}

bool sorted_boxes_build(struct sorted_boxes *boxes, const struct snapshot *snapshot, enum feature_side side, int axis,
                        struct arena *scratch, bool *too_many)
{
    uint64_t most = 0;
    for (uint32_t body_index = 0; body_index < snapshot->body_count; body_index++) {
        most += side_size(side, snapshot->bodies[body_index].body);
    }
    *too_many = most >= UINT32_MAX;
    if (*too_many || !allocate_columns(boxes, most, scratch)) {
        return false;
    }
    struct arena_mark mark = arena_mark(scratch);
    struct unsorted *unsorted = arena_allocate(scratch, most, sizeof *unsorted);
    uint64_t *keys = arena_allocate(scratch, most, 2 * sizeof *keys);
    uint32_t *order = arena_allocate(scratch, most, 2 * sizeof *order);
    if (unsorted && keys && order) {
        boxes->count = collect(unsorted, snapshot, side, axis);
        for (uint32_t i = 0; i < boxes->count; i++) {
            keys[i] = radix_key_of_float(unsorted[i].lo[0]);
            order[i] = i;
        }
        radix_sort_u64(keys, order, keys + most, order + most, boxes->count);
        spread(boxes, unsorted, order);
    }
    bool done = unsorted && keys && order;
    arena_rewind(scratch, mark);
    return done;
}
