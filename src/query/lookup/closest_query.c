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

struct closest_search {
    struct lookup_search search;
    double max_distance;
    dent_closest_point *found;
};

/* One point on its way. */
struct closest_walk {
    const struct closest_search *closest;
    struct lookup_worker *worker;
    const double *point;
    float rounded[3];
    double slack, scale_first, scale_second;
    double distance; /* best so far, or how far is still of interest */
    uint32_t body_index, face;
    float reach, squared; /* in rounded coordinates: of the filter, of the boxes */
};

dent_closest_def dent_closest_def_default(void)
{
    dent_closest_def def = {0};
    def.struct_size = sizeof def;
    def.max_distance = INFINITY;
    def.mask = UINT32_MAX;
    return def;
}

/* ---- the best so far --------------------------------------------------------------------------------------------- */

static void set_reach(struct closest_walk *walk)
{
    double reach = (walk->distance * walk->scale_first * walk->scale_second + walk->slack) * (1 + 0x1p-19);
    walk->reach = float_above(reach, reach);
    walk->squared = float_above(reach * reach, reach * reach);
    if (!(reach < 0x1p60)) { /* squares overflow: everything is near */
        walk->reach = walk->squared = INFINITY;
    }
}

static void offer(struct closest_walk *walk, double distance, uint32_t body_index, uint32_t face)
{
    bool better = distance < walk->distance;
    if (distance == walk->distance) {
        better = walk->face == DENT_LOOKUP_NONE || body_index < walk->body_index ||
                 (body_index == walk->body_index && face < walk->face);
    }
    if (better) {
        walk->distance = distance;
        walk->body_index = body_index;
        walk->face = face;
        set_reach(walk);
    }
}

static void offer_face(void *data, uint32_t body_index, uint32_t face)
{
    struct closest_walk *walk = data;
    const double *corners[3];
    lookup_corners(&walk->closest->search, body_index, face, corners);
    walk->worker->candidates++;
    offer(walk, vertex_face_distance(walk->point, corners), body_index, face);
}

/* ---- leaves ------------------------------------------------------------------------------------------------------ */

static void measure_faces(struct closest_walk *walk, uint32_t body_index, const struct surface_leaf *leaf, uint32_t bits)
{
    const struct body_snapshot *body = &walk->closest->search.snapshot->bodies[body_index];
    while (bits) {
        struct feature_points points;
        double distance[FEATURE_BATCH];
        uint32_t faces[FEATURE_BATCH], count = 0;
        for (; bits && count < FEATURE_BATCH; bits &= bits - 1) {
            uint32_t face = (uint32_t)__builtin_ctz(bits);
            for (int k = 0; k < 3; k++) {
                points.point[k + 1][count] = body->xyz[leaf->vertices[leaf->corners[k][face]]];
            }
            points.point[0][count] = walk->point;
            faces[count++] = leaf->faces[face];
        }
        for (uint32_t lane = count; lane < FEATURE_BATCH; lane++) {
            for (int k = 0; k < 4; k++) {
                points.point[k][lane] = points.point[k][0];
            }
        }
        walk->closest->search.near->measure_vertices(&points, distance);
        walk->worker->candidates += count;
        for (uint32_t i = 0; i < count; i++) {
            offer(walk, distance[i], body_index, faces[i]);
        }
    }
}

static void visit_leaf(void *data, uint32_t body_index, uint32_t leaf_index, float key)
{
    struct closest_walk *walk = data;
    (void)key;
    const struct surface_tree *tree = walk->closest->search.forest->bodies[body_index].tree;
    const struct surface_leaf *leaf = &tree->leaves[leaf_index];
    uint32_t bits = (1u << leaf->face_count) - 1;
    if (walk->reach < INFINITY) {
        struct near_batch batch;
        walk->closest->search.kernels->batch_faces(&tree->points[leaf_index], walk->rounded, &batch);
        for (int i = 0; i < NEAR_BATCH; i++) {
            batch.bound[i] = walk->reach;
        }
        bits &= ~walk->closest->search.near->far_vertices(&batch);
    }
    measure_faces(walk, body_index, leaf, bits);
}

static uint32_t measure_boxes(const void *data, float *const *lo, float *const *hi, uint32_t first, float keys[16])
{
    const struct closest_walk *walk = data;
    return walk->closest->search.kernels->near_boxes(lo, hi, first, walk->rounded, walk->rounded, walk->squared, keys);
}

/* ---- points ------------------------------------------------------------------------------------------------------ */

static void begin_walk(struct closest_walk *walk, const double point[3])
{
    const struct forest_map *map = &walk->closest->search.forest->map;
    double largest = 0;
    walk->point = point;
    walk->scale_first = map->first;
    walk->scale_second = map->second;
    walk->distance = walk->closest->max_distance;
    walk->body_index = walk->face = DENT_LOOKUP_NONE;
    for (int axis = 0; axis < 3; axis++) {
        double x = (point[axis] - map->centre[axis]) * map->first * map->second;
        largest = fabs(x) > largest ? fabs(x) : largest;
        walk->rounded[axis] = fabs(x) < 0x1p60 ? (float)x : 0;
    }
    /* Distances are rounded to the subnormal grid. Infinite: every face is measured. */
    walk->slack = largest < 0x1p60 ? 0x1p-18 * (1 + largest) + 0x1p-1073 * map->first * map->second : INFINITY;
    set_reach(walk);
}

static void describe(const struct closest_walk *walk, dent_closest_point *result)
{
    *result = (dent_closest_point){.distance = INFINITY, .body = DENT_LOOKUP_NONE, .face = DENT_LOOKUP_NONE};
    memcpy(result->point, walk->point, sizeof result->point);
    if (walk->face == DENT_LOOKUP_NONE) {
        return;
    }
    const double *corners[3];
    struct closest_pair pair;
    lookup_corners(&walk->closest->search, walk->body_index, walk->face, corners);
    closest_of_vertex_and_face(walk->point, corners, &pair);
    result->distance = pair.distance;
    result->body = walk->body_index;
    result->face = walk->face;
    memcpy(result->weights, pair.weights_b, sizeof result->weights);
    memcpy(result->direction, pair.direction, sizeof result->direction);
    weighted_point(pair.weights_b, corners, 3, result->point);
}

static void find_closest(struct lookup_search *search, struct lookup_worker *worker, uint32_t first, uint32_t end)
{
    struct closest_search *closest = (struct closest_search *)search; /* its first field */
    struct closest_walk walk = {.closest = closest, .worker = worker};
    const struct lookup_descent descent = {search, worker, &walk, &walk.squared, measure_boxes, visit_leaf};
    uint32_t guess_body = DENT_LOOKUP_NONE, guess_face = DENT_LOOKUP_NONE;
    for (uint32_t number = first; number < end; number++) {
        uint32_t i = lookup_query(search, number);
        begin_walk(&walk, search->from[i]);
        if (search->brute_force) {
            visit_every_face(search, &walk, offer_face);
        } else {
            if (guess_face != DENT_LOOKUP_NONE) {
                offer_face(&walk, guess_body, guess_face);
            }
            descend(&descent);
        }
        guess_body = walk.body_index;
        guess_face = walk.face;
        describe(&walk, &closest->found[i]);
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

static dent_status prepare(struct question_call *call)
{
    const dent_closest_def *def = call->def;
    struct closest_search *closest = call->run;
    struct dynamic_array *found = call->kept;
    dent_status status = lookup_prepare(call, &closest->search, def->method, def->mask);
    if (status == DENT_OK) {
        status = lookup_read(&closest->search, &def->points, def->count, "point", &closest->search.from);
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
