/* Asking a dent_boxes: boxes, points, segments and rays, many at once; and the nearest boxes of places.
 *
 * Queries run in blocks. What a block finds is a list of (query, box); blocks are joined in order and the boxes of each
 * query sorted. Windows go through the structure of the chosen method, segments through the packet tree, places through
 * the search of dent/neighbours.h. All of these propose; the doubles decide.
 */
#include "boxes/boxes_data.h"

#include "base/radix_sort.h"
#include "geometry/predicates/orientation_predicates.h"
#include "neighbours/neighbours_data.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { QUERIES_A_BLOCK = 64, INSERTION_MOST = 32 };

/* One call. */
struct box_call {
    dent_boxes *boxes;
    uint32_t count;
    const dent_box_list *list;         /* boxes, or null */
    const dent_positions *points;      /* or null */
    const dent_box_segments *segments; /* or null */
    const uint32_t *masks;
};

/* One query on its way through a structure. */
struct box_query {
    const struct box_call *call;
    uint32_t number, block;
    uint32_t mask;
    bool sure; /* what meets in floats meets */
    struct box_corners box;  /* or the point, twice */
    double from[3], to[3];   /* of a segment */
};

/* ---- segments ---------------------------------------------------------------------------------------------------- */

/* Do the projections of the segment or ray and the box on an axis overlap? */
static bool axis_overlaps(const struct box_query *query, const struct box_corners *box, int axis, bool ray)
{
    double from = query->from[axis], to = query->to[axis];
    double least = from < to ? from : to, most = from < to ? to : from;
    least = ray && to < from ? -INFINITY : least;
    most = ray && to > from ? INFINITY : most;
    return least <= box->hi[axis] && box->lo[axis] <= most;
}

/* In the plane of two axes: does the line through the segment leave all four corners strictly on one side? */
static bool line_passes(const struct box_query *query, const struct box_corners *box, int i, int j)
{
    int sides = 0;
    for (int corner = 0; corner < 4; corner++) {
        double point[3] = {0, 0, 0};
        point[i] = corner & 1 ? box->hi[i] : box->lo[i];
        point[j] = corner & 2 ? box->hi[j] : box->lo[j];
        int side = orientation_2d(query->from, query->to, point, i, j);
        if (side == 0 || (corner > 0 && side != sides)) {
            return false;
        }
        sides = side;
    }
    return true;
}

/* Exact: a box and a segment or ray are apart iff one of these six directions separates them (the three axes, and the
 * three that are normal to the segment and an axis). A segment of one point has no such normals and needs none. */
static bool segment_meets(const struct box_query *query, const struct box_corners *box, bool ray)
{
    for (int axis = 0; axis < 3; axis++) {
        if (!axis_overlaps(query, box, axis, ray)) {
            return false;
        }
    }
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3;
        bool point = query->from[i] == query->to[i] && query->from[j] == query->to[j];
        if (!point && line_passes(query, box, i, j)) {
            return false;
        }
    }
    return true;
}

/* Where the segment enters: halves, so that no difference overflows. */
static double entry_parameter(const double from[3], const double to[3], const struct box_corners *box)
{
    double entry = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        double way = 0.5 * to[axis] - 0.5 * from[axis];
        double side = way > 0.0 ? box->lo[axis] : box->hi[axis];
        double part = way != 0.0 ? (0.5 * side - 0.5 * from[axis]) / way : 0.0;
        entry = part > entry ? part : entry;
    }
    return entry;
}

/* A segment that meets every box: the exact test decides alone. */
static const struct box_segment whole_space = {.lo = {-2.0f, -2.0f, -2.0f}, .hi = {2.0f, 2.0f, 2.0f}};

/* The part of the segment or ray near the boxes, in the floats of the store: positions beyond 2 are cut off, with room for
 * the rounding of the cut. False: it passes by. */
static bool clip_segment(const struct box_query *query, const struct box_store *store, bool ray,
                         struct box_segment *clipped)
{
    double from[3], way[3], begin = 0.0, end = ray ? INFINITY : 1.0, largest = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        from[axis] = box_scale(store->scaling, query->from[axis] - store->centre[axis]);
        way[axis] = box_scale(store->scaling, query->to[axis] - store->centre[axis]) - from[axis];
        largest = fmax(largest, fmax(fabs(from[axis]), fabs(way[axis])));
    }
    /* hardly representable beside the boxes, or not finite */
    if (!(largest < 1e12) || (ray && !(fmax(fabs(way[0]), fmax(fabs(way[1]), fabs(way[2]))) > 1e-12))) {
        *clipped = whole_space;
        return true;
    }
    for (int axis = 0; axis < 3; axis++) {
        if (way[axis] == 0.0) {
            continue;
        }
        double a = (-2.0 - from[axis]) / way[axis], b = (2.0 - from[axis]) / way[axis];
        begin = fmax(begin, fmin(a, b));
        end = fmin(end, fmax(a, b));
    }
    if (!(begin <= end + 1e-9 * (1.0 + fabs(end)))) {
        return false;
    }
    end = end < begin || isinf(end) ? begin : end; /* infinite: a ray of one point */
    /* `from` and `way` are off by less than 4e-16 * largest each, and so is a point at parameter t by (1 + t) of that */
    double error = 4e-16 * largest * (1.0 + end) + 4e-7, length = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        double a = from[axis] + begin * way[axis], b = from[axis] + end * way[axis];
        clipped->lo[axis] = (float)(fmin(a, b) - error);
        clipped->hi[axis] = (float)(fmax(a, b) + error);
        clipped->middle[axis] = (float)a;
        length = fmax(length, fabs(way[axis]));
    }
    for (int axis = 0; axis < 3; axis++) {
        clipped->direction[axis] = length > 0.0 ? (float)(way[axis] / length) : 0.0f;
        clipped->size[axis] = fabsf(clipped->direction[axis]);
    }
    /* Products of numbers up to 4 and 1, each off by less than 1e-6, and the two ends of the segment off by `error`. */
    clipped->slack = (float)(2e-5 + 4.0 * error);
    return true;
}

/* ---- one query --------------------------------------------------------------------------------------------------- */

static void take_boxes(void *data, const uint32_t *list, uint32_t count)
{
    const struct box_query *query = data;
    dent_boxes *boxes = query->call->boxes;
    uint64_t keys[BOX_LIST_ROOM];
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        keys[kept] = (uint64_t)query->number << 32 | list[i];
        bool found = box_store_has_group(&boxes->store, list[i], query->mask);
        if (found && !query->sure) {
            struct box_corners box = box_store_corners(&boxes->store, list[i]);
            found = query->call->segments ? segment_meets(query, &box, query->call->segments->rays)
                                          : corners_meet(&query->box, &box);
        }
        kept += found;
    }
    block_output_append(&boxes->found, query->block, keys, kept); /* a failure comes out at the end */
}

static void ask_segment(struct box_query *query, uint32_t list[BOX_LIST_ROOM])
{
    const struct box_call *call = query->call;
    const struct box_forest *forest = &call->boxes->forest;
    struct box_segment clipped;
    neighbours_read_place(&call->segments->from, query->number, query->from);
    neighbours_read_place(&call->segments->to, query->number, query->to);
    if (clip_segment(query, &call->boxes->store, call->segments->rays, &clipped)) {
        forest->kernels->segment(&forest->view, &clipped, list, take_boxes, query);
    }
}

/* Records lie in [-1, 1]. A window that reaches farther is cut: infinity would meet the empty places of leaves. */
static void cut_window(struct box_record *window)
{
    for (int axis = 0; axis < 3; axis++) {
        window->lo[axis] = fmaxf(-2.0f, fminf(window->lo[axis], 2.0f));
        window->hi[axis] = fmaxf(-2.0f, fminf(window->hi[axis], 2.0f));
    }
}

static void ask_window(struct box_query *query, uint32_t list[BOX_LIST_ROOM])
{
    const struct box_call *call = query->call;
    const dent_boxes *boxes = call->boxes;
    if (call->points) {
        neighbours_read_place(call->points, query->number, query->box.lo);
        memcpy(query->box.hi, query->box.lo, sizeof query->box.hi);
    } else {
        query->box = box_list_read(call->list, query->number);
    }
    if (corners_present(&query->box)) {
        bool exact = true;
        struct box_record record = box_store_map(&boxes->store, query->box.lo, query->box.hi, &exact);
        query->sure = exact && boxes->store.exact;
        cut_window(&record);
        boxes->row->window(boxes->row_state, record.lo, record.hi, list, take_boxes, query);
    }
}

static void ask_block(void *data, uint32_t block, uint32_t worker)
{
    const struct box_call *call = data;
    uint32_t list[BOX_LIST_ROOM], end = call->count - block * QUERIES_A_BLOCK;
    (void)worker;
    end = block * QUERIES_A_BLOCK + (end < QUERIES_A_BLOCK ? end : QUERIES_A_BLOCK);
    for (uint32_t number = block * QUERIES_A_BLOCK; number < end; number++) {
        struct box_query query = {.call = call, .number = number, .block = block};
        query.mask = call->masks ? call->masks[number] : UINT32_MAX;
        if (call->segments) {
            ask_segment(&query, list);
        } else {
            ask_window(&query, list);
        }
    }
}

/* ---- results ----------------------------------------------------------------------------------------------------- */

static void sort_keys(uint64_t *keys, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        uint64_t key = keys[i];
        size_t at = i;
        for (; at > 0 && keys[at - 1] > key; at--) {
            keys[at] = keys[at - 1];
        }
        keys[at] = key;
    }
}

/* Sorts the hits of each query of a block, and writes them out. */
static void list_block(void *data, uint32_t block, uint32_t worker)
{
    const struct box_call *call = data;
    dent_boxes *boxes = call->boxes;
    const uint64_t *first = boxes->hit_first.data;
    uint64_t *keys = boxes->hit_keys.data;
    uint32_t *indices = boxes->hit_indices.data;
    double *parameters = boxes->hit_parameters.data;
    (void)worker;
    for (uint32_t q = block * QUERIES_A_BLOCK; q < call->count && q < (block + 1) * QUERIES_A_BLOCK; q++) {
        size_t count = (size_t)(first[q + 1] - first[q]), total = (size_t)first[call->count];
        if (count > INSERTION_MOST) { /* the second half of the keys is room */
            radix_sort_u64(keys + first[q], NULL, keys + total + first[q], NULL, count);
        } else {
            sort_keys(keys + first[q], count);
        }
        double from[3], to[3];
        if (call->segments) {
            neighbours_read_place(&call->segments->from, q, from);
            neighbours_read_place(&call->segments->to, q, to);
        }
        for (uint64_t k = first[q]; k < first[q + 1]; k++) {
            indices[k] = (uint32_t)keys[k];
            if (call->segments) {
                struct box_corners box = box_store_corners(&boxes->store, indices[k]);
                parameters[k] = entry_parameter(from, to, &box);
            }
        }
    }
}

static bool make_room(struct dynamic_array *array, size_t count)
{
    bool enough = array_reserve_growing(array, count);
    array->count = enough ? count : array->count;
    return enough;
}

/* Joins what the blocks found: first[] counts, then the keys in order of queries. */
static void join_blocks(const struct box_call *call)
{
    uint64_t *first = call->boxes->hit_first.data, *keys = call->boxes->hit_keys.data, count = 0;
    uint32_t query = 0;
    for (uint32_t block = 0; block < call->boxes->found.block_count; block++) {
        struct record_run run = block_output_first(&call->boxes->found, block);
        for (; run.count > 0; run = block_output_next(&run)) {
            const uint64_t *records = run.records;
            for (size_t i = 0; i < run.count; i++) {
                while (query <= records[i] >> 32) {
                    first[query++] = count;
                }
                keys[count++] = records[i];
            }
        }
    }
    while (query <= call->count) {
        first[query++] = count;
    }
}

static dent_status ask(void *data)
{
    struct box_call *call = data;
    dent_boxes *boxes = call->boxes;
    uint32_t blocks = call->count / QUERIES_A_BLOCK + (call->count % QUERIES_A_BLOCK > 0);
    dent_status status = call->segments ? boxes_prepare_forest(boxes)
                                          : boxes_prepare_row(boxes, boxes_query_method(boxes));
    if (status) {
        return status;
    }
    status = DENT_ERROR_OUT_OF_MEMORY;
    if (block_output_begin(&boxes->found, blocks)) {
        status = dent_parallel_for(boxes->context, blocks, ask_block, call);
        size_t total = block_output_count(&boxes->found);
        if (status == DENT_OK &&
            (block_output_failed(&boxes->found) || !make_room(&boxes->hit_first, (size_t)call->count + 1) ||
             !make_room(&boxes->hit_keys, 2 * total) || !make_room(&boxes->hit_indices, total) ||
             !make_room(&boxes->hit_parameters, call->segments ? total : 0))) {
            status = DENT_ERROR_OUT_OF_MEMORY;
        }
        if (status == DENT_OK) {
            join_blocks(call);
            status = dent_parallel_for(boxes->context, blocks, list_block, call);
        }
        block_output_empty(&boxes->found);
    }
    return status == DENT_ERROR_OUT_OF_MEMORY
               ? dent_fail(boxes->context, status, "no memory for the results of %u queries", (unsigned)call->count)
               : status;
}

static dent_status ask_and_give(struct box_call *call, dent_box_hits *hits)
{
    dent_boxes *boxes = call->boxes;
    dent_status status = dent_call_guarded(boxes->context, ask, call);
    if (status == DENT_OK) {
        hits->first = boxes->hit_first.data;
        hits->indices = boxes->hit_indices.data;
        hits->parameters = call->segments ? boxes->hit_parameters.data : NULL;
    }
    return status;
}

/* ---- calls ------------------------------------------------------------------------------------------------------- */

static dent_status check_points(dent_context *context, const dent_positions *points, uint32_t count, const char *what)
{
    dent_status status = neighbours_check_positions(context, points, count, what);
    for (uint32_t i = 0; i < count && status == DENT_OK; i++) {
        double place[3];
        neighbours_read_place(points, i, place);
        for (int axis = 0; axis < 3 && status == DENT_OK; axis++) {
            if (!isfinite(place[axis])) {
                status = dent_fail(context, DENT_ERROR_BAD_NUMBER, "%s %u: %c is not finite", what, (unsigned)i,
                                   "xyz"[axis]);
            }
        }
    }
    return status;
}

dent_status dent_boxes_overlapping(dent_boxes *boxes, dent_box_list list, uint32_t count, dent_box_hits *hits)
{
    DENT_REQUIRE(NULL, boxes);
    DENT_REQUIRE(boxes->context, hits);
    dent_status status = box_list_check(boxes->context, &list, count, "query box");
    struct box_call call = {.boxes = boxes, .count = count, .list = &list, .masks = list.masks};
    return status ? status : ask_and_give(&call, hits);
}

dent_status dent_boxes_at_points(dent_boxes *boxes, dent_positions points, uint32_t count, const uint32_t *masks,
                                 dent_box_hits *hits)
{
    DENT_REQUIRE(NULL, boxes);
    DENT_REQUIRE(boxes->context, hits);
    dent_status status = check_points(boxes->context, &points, count, "point");
    struct box_call call = {.boxes = boxes, .count = count, .points = &points, .masks = masks};
    return status ? status : ask_and_give(&call, hits);
}

dent_status dent_boxes_on_segments(dent_boxes *boxes, const dent_box_segments *segments, uint32_t count,
                                   dent_box_hits *hits)
{
    DENT_REQUIRE(NULL, boxes);
    DENT_REQUIRE(boxes->context, segments);
    DENT_REQUIRE(boxes->context, hits);
    dent_status status = check_points(boxes->context, &segments->from, count, "beginning of segment");
    if (status == DENT_OK) {
        status = check_points(boxes->context, &segments->to, count, "end of segment");
    }
    struct box_call call = {.boxes = boxes, .count = count, .segments = segments, .masks = segments->masks};
    return status ? status : ask_and_give(&call, hits);
}

/* ---- nearest ----------------------------------------------------------------------------------------------------- */

/* The boxes that are present, in doubles, for the search of neighbours. */
static bool list_present(dent_boxes *boxes)
{
    const struct box_record *records = box_store_records(&boxes->store);
    uint32_t present = boxes->store.present, count = 0;
    if (!make_room(&boxes->near_boxes, present) || !make_room(&boxes->near_index, present)) {
        return false;
    }
    for (uint32_t i = 0; i < box_store_count(&boxes->store); i++) {
        if (records[i].lo[0] < INFINITY) {
            ((struct box_corners *)boxes->near_boxes.data)[count] = box_store_corners(&boxes->store, i);
            ((uint32_t *)boxes->near_index.data)[count++] = i;
        }
    }
    return true;
}

/* Boxes that are as many as before, and where they were in memory, are read again in the order there is. */
static dent_status prepare_neighbours(dent_boxes *boxes)
{
    if (boxes->neighbours && boxes->neighbours_version == boxes->version) {
        return DENT_OK;
    }
    const void *before = boxes->near_boxes.data;
    if (!list_present(boxes)) {
        return dent_fail(boxes->context, DENT_ERROR_OUT_OF_MEMORY, "no memory for the nearest of %u boxes",
                         (unsigned)box_store_count(&boxes->store));
    }
    const struct box_corners *corners = boxes->near_boxes.data;
    dent_status status;
    if (boxes->neighbours && before == corners && dent_neighbours_count(boxes->neighbours) == boxes->store.present) {
        status = dent_neighbours_update(boxes->neighbours);
    } else {
        dent_positions lower = {corners, sizeof *corners, DENT_SCALAR_DOUBLE};
        dent_positions upper = {corners->hi, sizeof *corners, DENT_SCALAR_DOUBLE};
        dent_neighbours_destroy(boxes->neighbours);
        boxes->neighbours = NULL;
        status = neighbours_create_boxes(boxes->context, lower, upper, boxes->store.present, &boxes->neighbours);
    }
    boxes->neighbours_version = status == DENT_OK ? boxes->version : 0;
    return status;
}

static dent_status prepare_guarded(void *data)
{
    return prepare_neighbours(data);
}

dent_status dent_boxes_nearest(dent_boxes *boxes, const dent_neighbours_query *query, uint32_t *indices,
                               double *squared_distances, uint32_t *counts)
{
    DENT_REQUIRE(NULL, boxes);
    DENT_REQUIRE(boxes->context, query);
    if (query->struct_size == sizeof *query && !query->places.data && query->place_count > 0) {
        return dent_fail(boxes->context, DENT_ERROR_INVALID_ARGUMENT, "%u places, but their data is null",
                         (unsigned)query->place_count);
    }
    if (query->struct_size == sizeof *query && query->skip_self) {
        return dent_fail(boxes->context, DENT_ERROR_INVALID_ARGUMENT, "skip_self has no meaning for boxes");
    }
    if (query->struct_size == sizeof *query && query->place_count == 0) {
        return DENT_OK;
    }
    dent_status status = dent_call_guarded(boxes->context, prepare_guarded, boxes);
    if (status == DENT_OK) {
        status = dent_neighbours_nearest(boxes->neighbours, query, indices, squared_distances, counts);
    }
    const uint32_t *present = boxes->near_index.data;
    for (size_t i = 0; status == DENT_OK && indices && i < (size_t)query->place_count * query->nearest; i++) {
        indices[i] = indices[i] == UINT32_MAX ? UINT32_MAX : present[indices[i]];
    }
    return status;
}

/* ---- counters ---------------------------------------------------------------------------------------------------- */

static uint64_t array_bytes(const struct dynamic_array *array)
{
    return (uint64_t)array->capacity * array->element_size;
}

dent_status dent_boxes_get_counters(const dent_boxes *boxes, dent_boxes_counters *counters)
{
    DENT_REQUIRE(NULL, boxes);
    DENT_REQUIRE(boxes->context, counters);
    const struct dynamic_array *arrays[] = {
        &boxes->store.records,    &boxes->store.next_records, &boxes->store.corners,     &boxes->store.groups,
        &boxes->store.masks,      &boxes->store.moved,        &boxes->forest.leaves,     &boxes->forest.nodes,
        &boxes->forest.indices,   &boxes->forest.slots,       &boxes->forest.leaf_class, &boxes->collector.grouped,
        &boxes->collector.ends,   &boxes->collector.fresh,    &boxes->pairs,             &boxes->other_pairs,
        &boxes->moved_flags,      &boxes->hit_first,          &boxes->hit_keys,          &boxes->hit_indices,
        &boxes->hit_parameters,   &boxes->near_boxes,         &boxes->near_index};
    *counters = boxes->counters;
    counters->bytes = sizeof *boxes + arena_high_water(&boxes->row_arena) + arena_high_water(&boxes->scratch);
    counters->bytes += boxes->collector.found.store_chunks * boxes->collector.found.chunk_bytes;
    counters->bytes += boxes->found.store_chunks * boxes->found.chunk_bytes;
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        counters->bytes += array_bytes(arrays[i]);
    }
    return DENT_OK;
}
