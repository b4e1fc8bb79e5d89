/* Asking a dent_neighbours: places in groups of eight, each group through the tree by itself, in parallel. */
#include "neighbours/neighbours_data.h"

#include "base/containers/heap_sort.h"

#include <string.h>

enum { GROUPS_A_BLOCK = 32 };

dent_neighbours_query dent_neighbours_query_default(void)
{
    dent_neighbours_query query;
    memset(&query, 0, sizeof query);
    query.struct_size = sizeof query;
    query.nearest = 1;
    query.radius = INFINITY;
    return query;
}

/* One call: its question, and where the results go. */
struct neighbour_call {
    dent_neighbours *points;
    const dent_neighbours_query *query;
    const struct ordered_point *places; /* null: the points themselves, a leaf is a group */
    uint32_t place_count;
    double limit; /* squared radius, scaled */
    uint32_t capacity;
    uint32_t *indices; /* of `nearest` */
    double *distances;
    uint32_t *counts;
    bool all; /* `within` */
};

/* ---- groups ------------------------------------------------------------------------------------------------------ */

static uint32_t lane_place(const struct neighbour_call *call, uint32_t group, uint32_t lane)
{
    uint32_t slot = group * NEIGHBOUR_LANES + lane;
    return call->places ? call->places[slot].index : call->points->indices[slot];
}

static void set_places(const struct neighbour_call *call, uint32_t number, struct neighbour_group *group)
{
    uint32_t first = number * NEIGHBOUR_LANES;
    group->used = call->place_count - first < NEIGHBOUR_LANES ? call->place_count - first : NEIGHBOUR_LANES;
    if (!call->places) {
        memcpy(group->place, call->points->leaves[number].point, sizeof group->place);
        return;
    }
    for (uint32_t lane = 0; lane < NEIGHBOUR_LANES; lane++) {
        for (int axis = 0; axis < 3; axis++) {
            group->place[axis][lane] = lane < group->used ? call->places[first + lane].point[axis] : NAN;
        }
    }
}

/* The leaf whose box is reached by the nearest box at each level. */
static uint32_t leaf_near(const struct neighbour_tree *tree, const struct neighbour_group *group)
{
    uint32_t node = 0;
    for (uint32_t level = tree->level_count; level-- > 0;) {
        const struct neighbour_node *boxes = &tree->levels[level][node];
        uint32_t best = 0;
        double best_distance = INFINITY;
        for (uint32_t lane = 0; lane < NEIGHBOUR_LANES; lane++) {
            double distance = 0.0;
            for (int axis = 0; axis < 3; axis++) {
                double above = boxes->low[axis][lane] - group->high[axis];
                double below = group->low[axis] - boxes->high[axis][lane];
                double gap = above > below ? above : below;
                distance += gap > 0.0 ? gap * gap : 0.0;
            }
            if (distance < best_distance && boxes->low[0][lane] == boxes->low[0][lane]) { /* not an empty lane */
                best = lane;
                best_distance = distance;
            }
        }
        node = node * NEIGHBOUR_LANES + best;
    }
    return node;
}

/* Takes the places that were cut out of the group: far_points() compares them with all points. Returns their lanes. */
static uint32_t take_far_lanes(struct neighbour_group *group)
{
    const double far_away = ldexp(1.0, PLACE_EXPONENT);
    uint32_t far = 0;
    for (uint32_t lane = 0; lane < group->used; lane++) {
        for (int axis = 0; axis < 3; axis++) {
            far |= (uint32_t)(fabs(group->place[axis][lane]) >= far_away) << lane;
        }
        for (int axis = 0; axis < 3 && far >> lane & 1; axis++) {
            group->place[axis][lane] = NAN;
        }
    }
    return far;
}

/* Returns the lanes whose places are too far away for the tree. */
static uint32_t begin_group(const struct neighbour_call *call, uint32_t number, struct neighbour_group *group)
{
    set_places(call, number, group);
    uint32_t far = call->places ? take_far_lanes(group) : 0;
    neighbour_group_box(group);
    group->capacity = call->capacity;
    group->first_leaf = call->places ? leaf_near(&call->points->tree, group) : number;
    for (uint32_t lane = 0; lane < NEIGHBOUR_LANES; lane++) {
        bool used = lane < group->used;
        uint32_t place = used ? lane_place(call, number, lane) : UINT32_MAX;
        group->limit[lane] = call->limit;
        group->counts[lane] = 0;
        for (uint32_t i = 0; i < NEIGHBOUR_LANES; i++) {
            group->short_distances[lane][i] = group->short_indices[lane][i] = INFINITY;
        }
        group->own[lane] = call->query->skip_self ? place : UINT32_MAX;
        group->indices[lane] = used && !call->all ? call->indices + (size_t)place * call->capacity : NULL;
        group->distances[lane] = used && !call->all ? call->distances + (size_t)place * call->capacity : NULL;
    }
    return far;
}

/* ---- places far away --------------------------------------------------------------------------------------------- */

/* The exponent of the scale in which a place is compared: the tree's, or one of its own if its squares would not fit. */
static int place_exponent(const struct neighbour_call *call, uint32_t place)
{
    double at[3], largest = 0.0;
    int exponent;
    if (!call->places) {
        return call->points->scale_exponent;
    }
    neighbours_read_place(&call->query->places, place, at);
    for (int axis = 0; axis < 3; axis++) {
        largest = fabs(at[axis]) > largest ? fabs(at[axis]) : largest;
    }
    frexp(largest, &exponent);
    bool far = largest > 0.0 && exponent + call->points->scale_exponent > PLACE_EXPONENT;
    return far ? SCALED_EXPONENT - exponent : call->points->scale_exponent;
}

/* Compares a far place with all points. Calls `found` for those within the radius, in the place's own scale. */
static bool far_points(const struct neighbour_call *call, uint32_t place, neighbour_visit *found, uint32_t lane,
                       void *data)
{
    const dent_neighbours *points = call->points;
    int exponent = place_exponent(call, place);
    double at[3], radius = ldexp(call->query->radius, exponent);
    neighbours_read_place(&call->query->places, place, at);
    for (uint32_t slot = 0; slot < points->count; slot++) {
        double squares[3];
        for (int axis = 0; axis < 3; axis++) {
            double x = points->leaves[slot / NEIGHBOUR_LANES].point[axis][slot % NEIGHBOUR_LANES];
            double asked = ldexp(at[axis], exponent), difference = ldexp(x, exponent - points->scale_exponent) - asked;
            if (points->upper_leaves) {
                double end = points->upper_leaves[slot / NEIGHBOUR_LANES].point[axis][slot % NEIGHBOUR_LANES];
                double below = asked - ldexp(end, exponent - points->scale_exponent);
                difference = difference > below ? difference : below;
                difference = difference > 0.0 ? difference : 0.0;
            }
            squares[axis] = difference * difference;
        }
        double distance = squares[0] + squares[1] + squares[2];
        if (distance <= radius * radius && !found(data, lane, &points->indices[slot], &distance, 1)) {
            return false;
        }
    }
    return true;
}

static bool keep_far(void *data, uint32_t lane, const uint32_t *indices, const double *squared_distances, uint32_t bits)
{
    (void)bits;
    keep_point(data, lane, squared_distances[0], indices[0]);
    return true;
}

static uint32_t group_count(const struct neighbour_call *call)
{
    return call->place_count / NEIGHBOUR_LANES + (call->place_count % NEIGHBOUR_LANES > 0);
}

static uint32_t block_count(const struct neighbour_call *call)
{
    uint32_t groups = group_count(call);
    return groups / GROUPS_A_BLOCK + (groups % GROUPS_A_BLOCK > 0);
}

/* ---- the nearest ------------------------------------------------------------------------------------------------- */

/* From a list in the group to the caller's arrays. */
static void copy_short_list(struct neighbour_group *group, uint32_t lane)
{
    uint32_t count = 0;
    for (; count < group->capacity && group->short_indices[lane][count] < INFINITY; count++) {
        group->distances[lane][count] = group->short_distances[lane][count];
        group->indices[lane][count] = (uint32_t)group->short_indices[lane][count];
    }
    group->counts[lane] = count;
}

/* value * 2^exponent, rounded once. */
static void scale_all(double *values, uint32_t count, int exponent)
{
    bool one_factor = exponent > -1000 && exponent < 1000;
    double factor = ldexp(1.0, one_factor ? exponent : 0);
    for (uint32_t i = 0; i < count; i++) {
        values[i] = one_factor ? values[i] * factor : ldexp(values[i], exponent);
    }
}

static void end_lane(const struct neighbour_call *call, struct neighbour_group *group, uint32_t lane, uint32_t place,
                     bool far)
{
    if (call->capacity <= NEIGHBOUR_LANES && !far) {
        copy_short_list(group, lane);
    }
    uint32_t count = group->counts[lane];
    scale_all(group->distances[lane], count, -2 * (far ? place_exponent(call, place) : call->points->scale_exponent));
    for (uint32_t i = count; i < call->capacity; i++) {
        group->distances[lane][i] = INFINITY;
        group->indices[lane][i] = UINT32_MAX;
    }
    if (call->counts) {
        call->counts[place] = count;
    }
}

static void nearest_block(void *data, uint32_t block, uint32_t worker)
{
    const struct neighbour_call *call = data;
    const struct neighbour_kernels *kernels = neighbour_kernels_for(dent_context_isa(call->points->context));
    (void)worker;
    uint32_t groups = group_count(call), end = (block + 1) * GROUPS_A_BLOCK;
    for (uint32_t number = block * GROUPS_A_BLOCK; number < end && number < groups; number++) {
        struct neighbour_group group;
        uint32_t far = begin_group(call, number, &group);
        if (call->points->count > 0 && far != (1u << group.used) - 1) {
            kernels->nearest(&call->points->tree, &group);
        }
        for (uint32_t lane = 0; lane < group.used; lane++) {
            if (far >> lane & 1) {
                far_points(call, lane_place(call, number, lane), keep_far, lane, &group);
            }
            end_lane(call, &group, lane, lane_place(call, number, lane), far >> lane & 1);
        }
    }
}

/* ---- all within a radius ----------------------------------------------------------------------------------------- */

/* A group on its way through the tree. */
struct within_visit {
    const struct neighbour_call *call;
    const struct neighbour_group *group;
    uint32_t number, block;
};

static bool keep_found(void *data, uint32_t lane, const uint32_t *indices, const double *squared_distances,
                       uint32_t bits)
{
    const struct within_visit *visit = data;
    struct found_point found[NEIGHBOUR_LANES];
    uint32_t count = 0, place = lane_place(visit->call, visit->number, lane);
    for (; bits; bits &= bits - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(bits);
        found[count] = (struct found_point){squared_distances[i], place, indices[i]};
        count += indices[i] != visit->group->own[lane];
    }
    return block_output_append(&visit->call->points->found, visit->block, found, count);
}

static void within_block(void *data, uint32_t block, uint32_t worker)
{
    const struct neighbour_call *call = data;
    const struct neighbour_kernels *kernels = neighbour_kernels_for(dent_context_isa(call->points->context));
    (void)worker;
    uint32_t groups = group_count(call), end = (block + 1) * GROUPS_A_BLOCK;
    for (uint32_t number = block * GROUPS_A_BLOCK; number < end && number < groups; number++) {
        struct neighbour_group group;
        uint32_t far = begin_group(call, number, &group);
        struct within_visit visit = {call, &group, number, block};
        bool kept = call->points->count == 0 || far == (1u << group.used) - 1 ||
                    kernels->within(&call->points->tree, &group, keep_found, &visit);
        for (uint32_t lane = 0; kept && lane < group.used; lane++) {
            kept = !(far >> lane & 1) || far_points(call, lane_place(call, number, lane), keep_found, lane, &visit);
        }
        if (!kept) {
            return; /* no memory: the merge says so */
        }
    }
}

static bool nearer(const void *a, const void *b, const void *data)
{
    const struct found_point *first = a, *second = b;
    (void)data;
    return first->distance < second->distance ||
           (first->distance == second->distance && first->index < second->index);
}

static void sort_list(struct found_point *found, size_t count)
{
    if (count > 32) {
        heap_sort(found, count, sizeof *found, nearer, NULL);
        return;
    }
    for (size_t i = 1; i < count; i++) {
        struct found_point moved = found[i];
        size_t at = i;
        for (; at > 0 && nearer(&moved, &found[at - 1], NULL); at--) {
            found[at] = found[at - 1];
        }
        found[at] = moved;
    }
}

enum { LISTS_A_BLOCK = 512 };

static void list_block(void *data, uint32_t block, uint32_t worker)
{
    const struct neighbour_call *call = data;
    dent_neighbours *points = call->points;
    (void)worker;
    const uint64_t *first = points->first.data;
    struct found_point *found = points->found_records.data;
    uint32_t *indices = points->list_indices.data;
    double *distances = points->list_distances.data;
    uint32_t begin = block * LISTS_A_BLOCK;
    uint32_t end = call->place_count - begin < LISTS_A_BLOCK ? call->place_count : begin + LISTS_A_BLOCK;
    for (uint32_t place = begin; place < end; place++) {
        int exponent = place_exponent(call, place);
        sort_list(found + first[place], (size_t)(first[place + 1] - first[place]));
        for (uint64_t i = first[place]; i < first[place + 1]; i++) {
            indices[i] = found[i].index;
            distances[i] = found[i].distance;
        }
        scale_all(distances + first[place], (uint32_t)(first[place + 1] - first[place]), -2 * exponent);
    }
}

/* Where each list begins, then every record into its list. */
static void scatter(const struct neighbour_call *call, uint64_t *first, struct found_point *to)
{
    const struct block_output *output = &call->points->found;
    memset(first, 0, ((size_t)call->place_count + 1) * sizeof *first);
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t block = 0; block < output->block_count; block++) {
            for (struct record_run run = block_output_first(output, block); run.count > 0; run = block_output_next(&run)) {
                const struct found_point *records = run.records;
                for (size_t i = 0; i < run.count; i++) {
                    if (pass == 0) {
                        first[records[i].place + 1]++;
                    } else {
                        to[first[records[i].place]++] = records[i];
                    }
                }
            }
        }
        for (uint32_t place = 0; pass == 0 && place < call->place_count; place++) {
            first[place + 1] += first[place];
        }
    }
    for (uint32_t place = call->place_count; place > 0; place--) { /* the second pass moved each to the next one's */
        first[place] = first[place - 1];
    }
    first[0] = 0;
}

static bool make_room(struct dynamic_array *array, size_t count)
{
    array_clear(array);
    return array_extend(array, count) != NULL;
}

static dent_status find_within(void *data)
{
    struct neighbour_call *call = data;
    dent_neighbours *points = call->points;
    dent_context *context = points->context;
    if (!block_output_begin(&points->found, block_count(call))) {
        return DENT_ERROR_OUT_OF_MEMORY;
    }
    dent_status status = dent_parallel_for(context, block_count(call), within_block, call);
    size_t total = block_output_count(&points->found);
    if (status == DENT_OK &&
        (block_output_failed(&points->found) || !make_room(&points->first, (size_t)call->place_count + 1) ||
         !make_room(&points->found_records, total) || !make_room(&points->list_indices, total) ||
         !make_room(&points->list_distances, total))) {
        status = DENT_ERROR_OUT_OF_MEMORY;
    }
    if (status == DENT_OK) {
        scatter(call, points->first.data, points->found_records.data);
        uint32_t blocks = call->place_count / LISTS_A_BLOCK + (call->place_count % LISTS_A_BLOCK > 0);
        status = dent_parallel_for(context, blocks, list_block, call);
    }
    block_output_empty(&points->found);
    return status;
}

/* ---- calls ------------------------------------------------------------------------------------------------------- */

static dent_status check_query(dent_context *context, const dent_neighbours_query *query)
{
    if (query->struct_size != sizeof *query) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT,
                         "the query has struct_size %zu instead of %zu: make it with dent_neighbours_query_default()",
                         query->struct_size, sizeof *query);
    }
    if (!(query->radius >= 0.0)) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "the radius %g is not a number from 0 on", query->radius);
    }
    if (query->skip_self && query->places.data) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT,
                         "skip_self is for the points' own neighbours; the query has places of its own");
    }
    return query->places.data ? neighbours_check_positions(context, &query->places, query->place_count, "places")
                              : DENT_OK;
}

/* fl(radius^2) in the tree's unit. */
static double scaled_limit(const dent_neighbours *points, double radius)
{
    double scaled = ldexp(radius, points->scale_exponent);
    return scaled * scaled; /* INFINITY for whatever lies beyond everything */
}

struct run_call {
    struct neighbour_call *call;
    dent_guarded_function *function;
    struct ordered_point *places; /* room for those of the query */
};

static dent_status read_and_run(void *data)
{
    struct run_call *run = data;
    struct neighbour_call *call = run->call;
    dent_context *context = call->points->context;
    if (run->places) {
        dent_status status = neighbours_read(context, &call->query->places, call->place_count,
                                             call->points->scale_exponent, "place", run->places);
        status = status ? status : point_order_sort(context, run->places, call->place_count);
        if (status) {
            return status;
        }
    }
    call->places = run->places;
    call->limit = scaled_limit(call->points, call->query->radius);
    return run->function(call);
}

static dent_status run_call(struct neighbour_call *call, dent_guarded_function *function)
{
    dent_context *context = call->points->context;
    bool own = !call->query->places.data;
    call->place_count = own ? call->points->count : call->query->place_count;
    struct run_call run = {.call = call, .function = function};
    dent_status status = DENT_OK;
    if (!own) {
        run.places = dent_allocate(context, call->place_count, sizeof *run.places);
        status = run.places ? DENT_OK : DENT_ERROR_OUT_OF_MEMORY;
    }
    status = status ? status : dent_call_guarded(context, read_and_run, &run);
    dent_release(context, run.places, call->place_count, sizeof *run.places);
    return status == DENT_ERROR_OUT_OF_MEMORY
               ? dent_fail(context, status, "no memory for the neighbours of %u places", (unsigned)call->place_count)
               : status;
}

static dent_status find_nearest(void *data)
{
    struct neighbour_call *call = data;
    dent_neighbours *points = call->points;
    size_t total = (size_t)call->place_count * call->capacity;
    if (!call->indices) {
        call->indices = make_room(&points->list_indices, total) ? points->list_indices.data : NULL;
    }
    if (!call->distances) {
        call->distances = make_room(&points->list_distances, total) ? points->list_distances.data : NULL;
    }
    if (!call->indices || !call->distances) {
        return DENT_ERROR_OUT_OF_MEMORY;
    }
    return dent_parallel_for(points->context, block_count(call), nearest_block, call);
}

dent_status dent_neighbours_nearest(dent_neighbours *points, const dent_neighbours_query *query, uint32_t *indices,
                                    double *squared_distances, uint32_t *counts)
{
    DENT_REQUIRE(NULL, points);
    DENT_REQUIRE(points->context, query);
    dent_status status = check_query(points->context, query);
    if (status) {
        return status;
    }
    uint64_t places = query->places.data ? query->place_count : points->count;
    if (query->nearest == 0) {
        return dent_fail(points->context, DENT_ERROR_INVALID_ARGUMENT, "nearest is 0: ask for at least one point");
    }
    if (places * query->nearest > UINT64_C(1) << 40) {
        return dent_fail(points->context, DENT_ERROR_TOO_LARGE, "%u nearest points of %u places are more than 2^40",
                         (unsigned)query->nearest, (unsigned)places);
    }
    struct neighbour_call call = {.points = points, .query = query, .capacity = query->nearest};
    call.indices = indices;
    call.distances = squared_distances;
    call.counts = counts;
    return run_call(&call, find_nearest);
}

dent_status dent_neighbours_within(dent_neighbours *points, const dent_neighbours_query *query,
                                   dent_neighbour_lists *lists)
{
    DENT_REQUIRE(NULL, points);
    DENT_REQUIRE(points->context, query);
    DENT_REQUIRE(points->context, lists);
    dent_status status = check_query(points->context, query);
    if (status == DENT_OK && !isfinite(query->radius)) {
        status = dent_fail(points->context, DENT_ERROR_INVALID_ARGUMENT, "the radius is infinite: every point is within");
    }
    struct neighbour_call call = {.points = points, .query = query, .all = true};
    status = status ? status : run_call(&call, find_within);
    if (status == DENT_OK) {
        lists->first = points->first.data;
        lists->indices = points->list_indices.data;
        lists->squared_distances = points->list_distances.data;
    }
    return status;
}
