/* The question proximity as the public interface shows it: checks, the stages of one query, names and printing. */
#include <float.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/context.h"
#include "base/floating_point_guard.h"
#include "base/hash.h"
#include "query/proximity_search.h"
#include "query/world_state.h"

dent_proximity_def dent_proximity_def_default(void)
{
    dent_proximity_def def = {0};
    def.struct_size = sizeof def;
    def.pair_limit = UINT32_MAX;
    return def;
}

/* ---- what the world keeps -------------------------------------------------------------------- */

struct proximity_state *proximity_state_create(dent_context *context)
{
    struct proximity_state *state = dent_allocate(context, 1, sizeof *state);
    if (state) {
        *state = (struct proximity_state){.context = context};
        answer_list_init(&state->vertex_face, context, DENT_QUESTION_PROXIMITY);
        answer_list_init(&state->edge_edge, context, DENT_QUESTION_PROXIMITY);
        array_init(&state->records, context, sizeof(dent_proximity));
        surface_forest_init(&state->forest, context);
    }
    return state;
}

void proximity_state_destroy(struct proximity_state *state)
{
    if (state) {
        answer_list_destroy(&state->vertex_face);
        answer_list_destroy(&state->edge_edge);
        array_destroy(&state->records);
        surface_forest_destroy(&state->forest);
        dent_release(state->context, state, 1, sizeof *state);
    }
}

/* ---- the stages ------------------------------------------------------------------------------ */

static dent_status check_def(dent_world *world, const dent_proximity_def *def)
{
    if (!def || def->struct_size != sizeof *def) {
        return message_fail(&world->message, DENT_ERROR_INVALID_ARGUMENT,
                            "the proximity def was not made by dent_proximity_def_default()");
    }
    if (!(def->thickness >= 0 && def->thickness <= DBL_MAX)) {
        return message_fail(&world->message, DENT_ERROR_BAD_NUMBER,
                            "the thickness of the query is %g: a finite length, 0 or more, is needed", def->thickness);
    }
    if (def->pair_limit > UINT32_MAX) {
        return message_fail(&world->message, DENT_ERROR_INVALID_ARGUMENT,
                            "pair_limit is %" PRIu64 ": at most %" PRIu32 " can be listed", def->pair_limit,
                            UINT32_MAX);
    }
    if (def->method != DENT_METHOD_AUTO && !dent_method_name(def->method)) {
        return message_fail(&world->message, DENT_ERROR_INVALID_ARGUMENT, "there is no method number %d",
                            (int)def->method);
    }
    if (def->method != DENT_METHOD_AUTO && def->method != DENT_METHOD_BRUTE_FORCE &&
        def->method != DENT_METHOD_SURFACE_TREE) {
        return message_fail(&world->message, DENT_ERROR_UNSUPPORTED,
                            "method %s cannot answer proximity; ask for auto, %s or %s", dent_method_name(def->method),
                            dent_method_name(DENT_METHOD_SURFACE_TREE), dent_method_name(DENT_METHOD_BRUTE_FORCE));
    }
    return DENT_OK;
}

static dent_status out_of_memory(dent_world *world, const struct proximity_search *search)
{
    return message_fail(&world->message, DENT_ERROR_OUT_OF_MEMORY,
                        "out of memory for proximity, %" PRIu64 " pairs found so far", search->found);
}

static dent_status begin(dent_world *world, const dent_proximity_def *def, struct proximity_search *search)
{
    double *thickness = arena_allocate(search->scratch, world->pose.body_count, sizeof *thickness);
    search->workers =
        arena_allocate_cleared(search->scratch, dent_context_worker_count(world->context), sizeof *search->workers);
    if (!thickness || !search->workers) {
        return out_of_memory(world, search);
    }
    for (uint32_t rank = 0; rank < world->pose.body_count; rank++) {
        double own = world->pose.bodies[rank].body->thickness;
        thickness[rank] = own == DENT_THICKNESS_FROM_QUERY ? def->thickness : own;
    }
    search->thickness = thickness;
    return DENT_OK;
}

static dent_status finish(dent_world *world, const dent_proximity_def *def, struct proximity_search *search,
                          dent_proximity_result *result)
{
    struct proximity_state *state = search->state;
    if (!answer_list_sort(&state->vertex_face, search->scratch) ||
        !answer_list_sort(&state->edge_edge, search->scratch) || !proximity_make_records(search) ||
        (def->closest_features_only && !proximity_keep_closest_features(search))) {
        return out_of_memory(world, search);
    }
    if (proximity_stopped(search)) {
        result->outcome = DENT_OUTCOME_CANCELLED;
        return DENT_OK;
    }
    result->pairs = state->records.data;
    result->count = state->records.count;
    uint64_t low = 0, high = result->count; /* the first that is not vertex-face */
    while (low < high) {
        uint64_t middle = (low + high) / 2;
        if (result->pairs[middle].kind == DENT_PROXIMITY_VERTEX_FACE) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    result->vertex_face_count = low;
    return DENT_OK;
}

static void sum_counters(const dent_world *world, const struct proximity_search *search, dent_query_counters *counters)
{
    for (uint32_t worker = 0; worker < dent_context_worker_count(world->context); worker++) {
        counters->box_tests += search->workers[worker].box_tests;
        counters->candidates += search->workers[worker].candidates;
    }
    for (uint32_t rank = 0; rank < world->pose.body_count; rank++) {
        const struct body *body = world->pose.bodies[rank].body;
        counters->elements += body->surface_face_count + (body->kind == DENT_BODY_SOLID ? body->element_count : 0);
    }
    counters->rebuilds = search->rebuilds;
    counters->scratch_bytes = arena_high_water(&world->scratch);
}

static DENT_NOINLINE dent_status run_stages(dent_world *world, const dent_proximity_def *def,
                                            dent_proximity_result *result)
{
    struct cancel_flag cancel = {.wish = def->cancel};
    struct proximity_search search = {
        .context = world->context,
        .state = world->proximity,
        .kernels = kernels_for(dent_context_isa(world->context)),
        .pose = &world->pose,
        .scratch = &world->scratch,
        .cancel = &cancel,
        .pair_limit = def->pair_limit,
    };
    uint64_t began = dent_clock_ns();
    dent_status status = world_begin_query(world);
    status = status == DENT_OK ? begin(world, def, &search) : status;
    if (status != DENT_OK) {
        return status;
    }
    uint64_t prepared = dent_clock_ns();
    bool exhaustive = def->method == DENT_METHOD_BRUTE_FORCE;
    bool enough = exhaustive ? proximity_try_every_pair(&search) : proximity_search_forest(&search);
    uint64_t searched = dent_clock_ns();
    if (!enough || search.out_of_memory) {
        status = out_of_memory(world, &search);
    } else if (search.too_many) {
        status = message_fail(&world->message, DENT_ERROR_TOO_LARGE,
                              "more than %" PRIu64 " pairs are within the thickness: a smaller one is needed",
                              search.pair_limit);
    } else if (cancel_requested(&cancel)) {
        result->outcome = DENT_OUTCOME_CANCELLED;
    } else {
        status = finish(world, def, &search, result);
    }
    sum_counters(world, &search, &result->counters);
    result->counters.method = exhaustive ? DENT_METHOD_BRUTE_FORCE : DENT_METHOD_SURFACE_TREE;
    result->counters.reason = def->method == DENT_METHOD_AUTO ? "proximity: surface tree" : "asked for";
    result->counters.ns_prepare = prepared - began;
    result->counters.ns_search = searched - prepared;
    result->counters.ns_finish = dent_clock_ns() - searched;
    world_end_query(world);
    return status;
}

dent_status dent_world_proximity(dent_world *world, const dent_proximity_def *def, dent_proximity_result *result)
{
    WORLD_REQUIRE(world, world);
    WORLD_REQUIRE(world, def);
    WORLD_REQUIRE(world, result);
    dent_status status = check_def(world, def);
    if (status != DENT_OK) {
        return status;
    }
    if (!world->proximity) {
        world->proximity = proximity_state_create(world->context);
        if (!world->proximity) {
            return message_fail(&world->message, DENT_ERROR_OUT_OF_MEMORY, "out of memory for proximity");
        }
    }
    struct floating_point_guard guard;
    dent_proximity_result fresh = {.outcome = DENT_OUTCOME_COMPLETE};
    floating_point_guard_enter(&guard);
    status = run_stages(world, def, &fresh);
    floating_point_guard_leave(&guard);
    status = world_loop_status(world, status);
    if (status == DENT_OK) {
        *result = fresh;
    }
    return status;
}

/* ---- names and printing ---------------------------------------------------------------------- */

const char *dent_proximity_kind_name(dent_proximity_kind kind)
{
    return kind == DENT_PROXIMITY_VERTEX_FACE ? "vertex-face" : kind == DENT_PROXIMITY_EDGE_EDGE ? "edge-edge" : NULL;
}

const char *dent_closest_feature_name(dent_closest_feature feature)
{
    static const char *const names[] = {NULL, "vertex", "edge", "interior"};
    return (unsigned)feature <= DENT_CLOSEST_INTERIOR ? names[feature] : NULL;
}

size_t dent_proximity_feature_print(const dent_world *world, const dent_proximity *pair, bool side_b, char *buffer,
                                    size_t buffer_size)
{
    if (!world || !pair) {
        return 0;
    }
    if (pair->kind == DENT_PROXIMITY_EDGE_EDGE) {
        const struct body *body = body_table_at(&world->bodies, side_b ? pair->body_b : pair->body_a);
        const dent_edge *edge = &body->edges[side_b ? pair->feature_b : pair->feature_a];
        int length = snprintf(buffer, buffer_size, "%u-%u", (unsigned)edge->v0, (unsigned)edge->v1);
        return length < 0 ? 0 : (size_t)length;
    }
    /* A face is printed as side a of face-cell, a vertex as side a of vertex-cell. */
    dent_pair plain = {.body_a = side_b ? pair->body_b : pair->body_a,
                       .feature_a = side_b ? pair->feature_b : pair->feature_a};
    return dent_feature_print(world, side_b ? DENT_QUESTION_FACE_CELL : DENT_QUESTION_VERTEX_CELL, &plain, false,
                              buffer, buffer_size);
}

uint64_t dent_proximity_hash(const dent_world *world, const dent_proximity *pairs, uint64_t count)
{
    if (!world || (count > 0 && !pairs)) {
        return 0;
    }
    uint64_t hash = HASH_START;
    for (uint64_t i = 0; i < 2 * count; i++) {
        const dent_proximity *pair = &pairs[i / 2];
        bool side_b = i % 2 != 0;
        char text[64];
        int length = snprintf(text, sizeof text, "%u ", (unsigned)(side_b ? pair->body_b : pair->body_a));
        hash = hash_bytes(hash, text, (size_t)length);
        hash = hash_bytes(hash, text, dent_proximity_feature_print(world, pair, side_b, text, sizeof text));
        hash = hash_byte(hash, side_b ? '\n' : ' ');
    }
    return hash;
}
