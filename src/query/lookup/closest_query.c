/* Closest points on the surfaces of a world (dent/lookup.h).
 *
 * Down the tree of each body, nearest nodes first, as far as boxes are no farther than the best face so far. In a leaf the
 * filter of near_kernels.h, sixteen faces at a time, then the distance itself, eight at a time. The face of the point
 * before is the first guess: points that follow one another are often neighbours.
 *
 * Nothing is lost. Let s be the scale to rounded coordinates, R = s times the best distance, P the largest |coordinate|
 * of the point there. Its rounded coordinates are off by at most 2^-24 P + e, corners by e = FOREST_INPUT_ERROR, the
 * computed distance by 2^-48 of the largest difference (feature_distance.h). The filter asks for 8 e + 16 u X more than its
 * reach, X <= 2 (1 + P). `slack` = 2^-18 (1 + P) covers all of this. Computed squares are off by a few u: the bound is made
 * larger by 2^-19 of itself.
 */
#include "query/lookup/lookup_descent.h"

#include <math.h>

#include "geometry/metric/closest_points_local.h"
#include "geometry/metric/feature_distance.h"
#include "geometry/metric/float_boxes.h"

enum { AHEAD = 8 };

/* Faces that may be the closest of their points, measured when there are eight, and the best of each point of a block. */
struct closest_room {
    const struct near_kernels *near;
    struct feature_points points;
    uint32_t count, query[FEATURE_BATCH], body_index[FEATURE_BATCH], face[FEATURE_BATCH];
    dent_closest_point best[LOOKUP_BLOCK];
};

struct closest_search {
    struct lookup_search search;
    double max_distance;
    dent_closest_point *found;
    struct closest_room *rooms; /* by worker */
};

/* One point on its way. */
struct closest_walk {
    const struct closest_search *closest;
    struct lookup_worker *worker;
    struct closest_room *room;
    const double *point;
    const double *hint; /* a corner of a face that was near the point before; null: none yet */
    uint32_t number;    /* in the block */
    double place[3], slack; /* in rounded coordinates */
    float rounded[3], twice_slack;
    float reach, squared; /* how far is still of interest, in rounded coordinates: of the filter, of the boxes */
};

dent_closest_def dent_closest_def_default(void)
{
    dent_closest_def def = {0};
    def.struct_size = sizeof def;
    def.max_distance = INFINITY;
    def.mask = UINT32_MAX;
    return def;
}

/* ---- measuring --------------------------------------------------------------------------------------------------- */

static bool is_better(double distance, uint32_t body_index, uint32_t face, const dent_closest_point *best)
{
    return distance != best->distance      ? distance < best->distance
           : best->body == DENT_LOOKUP_NONE ? true
           : best->body != body_index       ? body_index < best->body
                                            : face < best->face;
}

/* Measures the faces that wait. */
static void measure_waiting(struct closest_room *room)
{
    struct feature_rows rows;
    for (uint32_t lane = room->count; lane < FEATURE_BATCH; lane++) {
        for (int k = 0; k < 4; k++) {
            room->points.point[k][lane] = room->points.point[k][0];
        }
    }
    room->near->describe_vertices(&room->points, &rows);
    for (uint32_t i = 0; i < room->count; i++) {
        dent_closest_point *best = &room->best[room->query[i]];
        if (is_better(rows.distance[i], room->body_index[i], room->face[i], best)) {
            best->distance = rows.distance[i];
            best->body = room->body_index[i];
            best->face = room->face[i];
            for (int k = 0; k < 3; k++) {
                best->weights[k] = rows.weight[k + 1][i];
                best->direction[k] = rows.direction[k][i];
            }
        }
    }
    room->count = 0;
}

static void add_face(struct closest_walk *walk, uint32_t body_index, uint32_t face, const double *const corners[3])
{
    struct closest_room *room = walk->room;
    uint32_t lane = room->count++;
    room->points.point[0][lane] = walk->point;
    for (int k = 0; k < 3; k++) {
        room->points.point[k + 1][lane] = corners[k];
    }
    room->query[lane] = walk->number;
    room->body_index[lane] = body_index;
    room->face[lane] = face;
    walk->worker->candidates++;
    if (room->count == FEATURE_BATCH) {
        measure_waiting(room);
    }
}

/* Brute force: one at a time, by the plain functions. */
static void offer_face(void *data, uint32_t body_index, uint32_t face)
{
    struct closest_walk *walk = data;
    dent_closest_point *best = &walk->room->best[walk->number];
    const double *corners[3];
    struct closest_pair pair;
    lookup_corners(&walk->closest->search, body_index, face, corners);
    walk->worker->candidates++;
    if (is_better(vertex_face_distance(walk->point, corners), body_index, face, best)) {
        closest_of_vertex_and_face(walk->point, corners, &pair);
        best->distance = pair.distance;
        best->body = body_index;
        best->face = face;
        memcpy(best->weights, pair.weights_b, sizeof best->weights);
        memcpy(best->direction, pair.direction, sizeof best->direction);
    }
}

/* ---- leaves ------------------------------------------------------------------------------------------------------ */

static void visit_leaf(struct closest_walk *walk, const struct lookup_leaf *reached)
{
    const struct lookup_search *search = &walk->closest->search;
    const struct surface_tree *tree = search->forest->bodies[reached->body_index].tree;
    const struct leaf_points *points = &tree->points[reached->leaf];
    const struct surface_leaf *leaf = &tree->leaves[reached->leaf];
    const double(*xyz)[3] = search->snapshot->bodies[reached->body_index].xyz;
    uint32_t bits = (1u << points->face_count) - 1;
    if (walk->slack < INFINITY) {
        bits &= search->kernels->near_faces(points, walk->rounded, walk->twice_slack, &walk->reach);
        walk->squared = walk->reach * walk->reach * (1 + 0x1p-20f);
    }
    for (; bits; bits &= bits - 1) {
        uint32_t at = (uint32_t)__builtin_ctz(bits);
        const double *corners[3];
        for (int k = 0; k < 3; k++) {
            corners[k] = xyz[leaf->vertices[points->corners[k][at]]];
        }
        add_face(walk, reached->body_index, leaf->faces[at], corners);
        walk->hint = corners[0];
    }
}

static uint32_t measure_boxes(const void *data, float *const *lo, float *const *hi, uint32_t first, float keys[16])
{
    const struct closest_walk *walk = data;
    return walk->closest->search.kernels->near_boxes(lo, hi, first, walk->rounded, walk->rounded, walk->squared, keys);
}

/* ---- points ------------------------------------------------------------------------------------------------------ */

/* Nothing farther than `distance`, in rounded coordinates, is of interest. */
static void set_reach(struct closest_walk *walk, double distance)
{
    double reach = (distance + walk->slack) * (1 + 0x1p-18);
    bool ordinary = reach < 0x1p60; /* squares overflow: everything is near */
    walk->reach = ordinary ? (float)reach : INFINITY;
    walk->squared = ordinary ? (float)(reach * reach * (1 + 0x1p-18)) : INFINITY;
}

static void begin_walk(struct closest_walk *walk, const double point[3])
{
    const struct forest_map *map = &walk->closest->search.forest->map;
    double largest = 0;
    walk->point = point;
    for (int axis = 0; axis < 3; axis++) {
        double x = (point[axis] - map->centre[axis]) * map->first * map->second;
        largest = fabs(x) > largest ? fabs(x) : largest;
        walk->place[axis] = x;
        walk->rounded[axis] = fabs(x) < 0x1p60 ? (float)x : 0;
    }
    /* Distances are rounded to the subnormal grid. Infinite: every face is measured. */
    walk->slack = largest < 0x1p60 ? 0x1p-18 * (1 + largest) + 0x1p-1073 * map->first * map->second : INFINITY;
    walk->twice_slack = (float)(2 * walk->slack * (1 + 0x1p-20));
    set_reach(walk, walk->closest->max_distance * map->first * map->second);
    walk->room->best[walk->number] =
        (dent_closest_point){.distance = walk->closest->max_distance, .body = DENT_LOOKUP_NONE, .face = DENT_LOOKUP_NONE};
}

/* Points that follow one another are often neighbours: what was near the one before bounds the distance of the next. */
static void take_hint(struct closest_walk *walk)
{
    const struct forest_map *map = &walk->closest->search.forest->map;
    double squared = 0;
    for (int axis = 0; axis < 3; axis++) {
        double way = (walk->hint[axis] - map->centre[axis]) * map->first * map->second - walk->place[axis];
        squared += way * way;
    }
    double distance = sqrt(squared) + walk->slack;
    if (distance + walk->slack < (double)walk->reach) {
        set_reach(walk, distance);
    }
}

static void describe(const struct closest_search *closest, uint32_t query, dent_closest_point *best)
{
    if (best->body == DENT_LOOKUP_NONE) {
        best->distance = INFINITY;
        memcpy(best->point, closest->search.from[query], sizeof best->point);
    } else {
        const double *corners[3];
        lookup_corners(&closest->search, best->body, best->face, corners);
        weighted_point(best->weights, corners, 3, best->point);
    }
    closest->found[query] = *best;
}

static void find_closest(struct lookup_search *search, struct lookup_worker *worker, uint32_t first, uint32_t end)
{
    struct closest_search *closest = (struct closest_search *)search; /* its first field */
    struct closest_room *room = &closest->rooms[worker - search->workers];
    struct closest_walk walk = {.closest = closest, .worker = worker, .room = room};
    struct lookup_descent descent;
    descent.search = search;
    descent.keys = worker->keys;
    descent.box_tests = 0;
    for (uint32_t number = first; number < end; number++) {
        uint32_t i = lookup_query(search, number);
        if (number + AHEAD < search->query_count) { /* sorted queries lie anywhere in memory */
            __builtin_prefetch(search->from[lookup_query(search, number + AHEAD)]);
        }
        walk.number = number - first;
        begin_walk(&walk, search->from[i]);
        if (search->brute_force) {
            visit_every_face(search, &walk, offer_face);
        } else {
            if (walk.hint) {
                take_hint(&walk);
            }
            struct lookup_leaf leaf;
            descent_begin(&descent, &walk, measure_boxes);
            while (descent_next(&descent, &walk, measure_boxes, &walk.squared, &leaf)) {
                visit_leaf(&walk, &leaf);
            }
        }
    }
    worker->box_tests += descent.box_tests;
    if (room->count > 0) {
        measure_waiting(room);
    }
    for (uint32_t number = first; number < end; number++) {
        describe(closest, lookup_query(search, number), &room->best[number - first]);
    }
}

/* ---- the stages -------------------------------------------------------------------------------------------------- */

static void init_state(dent_context *context, void *state)
{
    array_init(state, context, sizeof(dent_closest_point));
}

static void destroy_state(dent_context *context, void *state)
{
    (void)context;
    array_destroy(state);
}

static const struct world_slot_kind closest_slot = {sizeof(struct dynamic_array), init_state, destroy_state};

static dent_status check_def(dent_world *world, const void *data)
{
    const dent_closest_def *def = data;
    if (!(def->max_distance >= 0)) {
        return message_fail(&world->message, DENT_ERROR_BAD_NUMBER, "max_distance must be 0 or more; got %g",
                            def->max_distance);
    }
    dent_status status = lookup_check_positions(world, &def->points, def->count, "point");
    return status == DENT_OK ? lookup_check_method(world, def->method) : status;
}

static bool make_rooms(struct closest_search *closest)
{
    uint32_t worker_count = dent_context_worker_count(closest->search.context);
    closest->rooms = arena_allocate(&closest->search.call->world->scratch, worker_count, sizeof *closest->rooms);
    for (uint32_t i = 0; closest->rooms && i < worker_count; i++) {
        closest->rooms[i].count = 0;
        closest->rooms[i].near = closest->search.near;
    }
    return closest->rooms != NULL;
}

static dent_status prepare(struct question_call *call)
{
    const dent_closest_def *def = call->def;
    struct closest_search *closest = call->run;
    struct dynamic_array *found = call->kept;
    dent_status status = lookup_prepare(call, &closest->search, def->method, def->mask);
    if (status == DENT_OK) {
        status = lookup_read(&closest->search, &def->points, def->count, "point", &closest->search.from);
    }
    if (status == DENT_OK && !make_rooms(closest)) {
        status = question_out_of_memory(call);
    }
    array_clear(found);
    if (status == DENT_OK && !(closest->found = array_extend(found, def->count))) {
        status = question_out_of_memory(call);
    }
    closest->search.query_count = def->count;
    closest->max_distance = def->max_distance;
    return status;
}

static dent_status search_points(struct question_call *call)
{
    return lookup_run(call->run, find_closest);
}

static dent_status finish(struct question_call *call)
{
    const struct closest_search *closest = call->run;
    dent_closest_result *result = call->result;
    bool stopped = cancel_requested(&call->cancel);
    result->outcome = stopped ? DENT_OUTCOME_CANCELLED : DENT_OUTCOME_COMPLETE;
    result->points = stopped ? NULL : closest->found;
    result->count = stopped ? 0 : closest->search.query_count;
    return DENT_OK;
}

static void count(struct question_call *call)
{
    lookup_count(call->run, &((dent_closest_result *)call->result)->counters);
}

static const struct question_stages closest_stages = {
    .name = "closest points",
    .def_name = "closest",
    .def_maker = "dent_closest_def_default",
    .def_size = sizeof(dent_closest_def),
    .result_size = sizeof(dent_closest_result),
    .run_size = sizeof(struct closest_search),
    .cancel_offset = offsetof(dent_closest_def, cancel),
    .reads = READS_START,
    .takes_thin = true,
    .kept = &closest_slot,
    .check = check_def,
    .prepare = prepare,
    .search = search_points,
    .finish = finish,
    .count = count,
};

dent_status dent_world_closest_points(dent_world *world, const dent_closest_def *def, dent_closest_result *result)
{
    QUESTION_REQUIRE(world, def, result);
    return question_ask(world, &closest_stages, def, result);
}
