/* The question proximity as the public interface shows it: checks, the stages of one query, names and printing. */
#include <float.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/context.h"
#include "base/hash.h"
#include "query/proximity/proximity_search.h"
#include "query/world/question_row.h"

dent_proximity_def dent_proximity_def_default(void)
{
    dent_proximity_def def = {0};
    def.struct_size = sizeof def;
    def.pair_limit = UINT32_MAX;
    return def;
}

/* ---- the stages ------------------------------------------------------------------------------ */

static dent_status check_def(dent_world *world, const void *data)
{
    const dent_proximity_def *def = data;
    if (!(def->thickness >= 0 && def->thickness <= DBL_MAX)) {
        return message_fail(&world->message, DENT_ERROR_BAD_NUMBER,
                            "the thickness of the query is %g: a finite length, 0 or more, is needed", def->thickness);
    }
    if (def->pair_limit > UINT32_MAX) {
        return message_fail(&world->message, DENT_ERROR_INVALID_ARGUMENT,
                            "pair_limit is %" PRIu64 ": at most %" PRIu32 " can be listed", def->pair_limit,
                            UINT32_MAX);
    }
    return question_check_method(world, DENT_QUESTION_PROXIMITY, def->method);
}

static dent_status out_of_memory(dent_world *world, const struct proximity_search *search)
{
    return message_fail(&world->message, DENT_ERROR_OUT_OF_MEMORY,
                        "out of memory for proximity, %" PRIu64 " pairs found so far", search->found);
}

static bool is_exhaustive(const struct question_call *call)
{
    return ((const dent_proximity_def *)call->def)->method == DENT_METHOD_BRUTE_FORCE;
}

static dent_status prepare(struct question_call *call)
{
    dent_world *world = call->world;
    const dent_proximity_def *def = call->def;
    struct proximity_search *search = call->run;
    *search = (struct proximity_search){
        .context = world->context,
        .state = call->kept,
        .isa = dent_context_isa(world->context),
        .snapshot = &world->snapshot,
        .forest = &world->forest,
        .scratch = &world->scratch,
        .cancel = &call->cancel,
        .pair_limit = def->pair_limit,
        .method = def->method,
    };
    return proximity_prepare(search, def->thickness) ? DENT_OK : out_of_memory(world, search);
}

static dent_status search_pairs(struct question_call *call)
{
    struct proximity_search *search = call->run;
    bool enough = proximity_run(search);
    if (!enough || search->out_of_memory) {
        return out_of_memory(call->world, search);
    }
    if (search->too_many) {
        return message_fail(&call->world->message, DENT_ERROR_TOO_LARGE,
                            "more than %" PRIu64 " pairs are within the thickness: a smaller one is needed",
                            search->pair_limit);
    }
    return DENT_OK;
}

static void view_records(const struct proximity_state *state, dent_proximity_result *result)
{
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
}

static dent_status finish(struct question_call *call)
{
    struct proximity_search *search = call->run;
    struct proximity_state *state = search->state;
    const dent_proximity_def *def = call->def;
    dent_proximity_result *result = call->result;
    if (!proximity_stopped(search) &&
        (!proximity_list(search) || !proximity_make_records(search) ||
         (def->closest_features_only && !proximity_keep_closest_features(search)))) {
        return out_of_memory(call->world, search);
    }
    if (proximity_stopped(search)) {
        result->outcome = DENT_OUTCOME_CANCELLED;
    } else {
        view_records(state, result);
    }
    return DENT_OK;
}

static void count(struct question_call *call)
{
    const struct proximity_search *search = call->run;
    dent_query_counters *counters = &((dent_proximity_result *)call->result)->counters;
    bool chosen = ((const dent_proximity_def *)call->def)->method == DENT_METHOD_AUTO;
    proximity_count(search, counters);
    counters->method = is_exhaustive(call) ? DENT_METHOD_BRUTE_FORCE : DENT_METHOD_SURFACE_TREE;
    counters->reason = chosen ? "proximity: surface tree" : "requested";
    question_count_elements(call, counters);
}

const struct question_stages proximity_stages = {
    .name = "proximity",
    .def_name = "proximity",
    .def_maker = "dent_proximity_def_default",
    .def_size = sizeof(dent_proximity_def),
    .result_size = sizeof(dent_proximity_result),
    .run_size = sizeof(struct proximity_search),
    .cancel_offset = offsetof(dent_proximity_def, cancel),
    .reads = READS_START,
    .takes_thin = true,
    .kept = &proximity_slot,
    .check = check_def,
    .prepare = prepare,
    .search = search_pairs,
    .finish = finish,
    .count = count,
};

const struct question_row proximity_question = {
    .info =
        {
            .question = DENT_QUESTION_PROXIMITY,
            .name = "proximity",
            .meaning = "surface vertices and faces, surface edges and edges, no farther apart than their thicknesses",
            .numbers = "distance, the closest points on a and on b, the unit direction from b to a, where these points lie",
            .call = "dent_world_proximity",
            .features = {{DENT_FEATURE_VERTEX, DENT_FEATURE_FACE}, {DENT_FEATURE_EDGE, DENT_FEATURE_EDGE}},
            .feature_pair_count = 2,
            .self_contact = true,
        },
    .methods = QUESTION_METHODS_OF_SURFACES,
    .stages = &proximity_stages,
};

dent_status dent_world_proximity(dent_world *world, const dent_proximity_def *def, dent_proximity_result *result)
{
    QUESTION_REQUIRE(world, def, result);
    return question_ask(world, &proximity_stages, def, result);
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

uint64_t proximity_hash_pair(const dent_world *world, const dent_proximity *pair, uint64_t hash)
{
    for (int side_b = 0; side_b < 2; side_b++) {
        char text[64];
        int length = snprintf(text, sizeof text, "%u ", (unsigned)(side_b ? pair->body_b : pair->body_a));
        hash = hash_bytes(hash, text, (size_t)length);
        hash = hash_bytes(hash, text, dent_proximity_feature_print(world, pair, side_b, text, sizeof text));
        hash = hash_byte(hash, side_b ? '\n' : ' ');
    }
    return hash;
}

uint64_t dent_proximity_hash(const dent_world *world, const dent_proximity *pairs, uint64_t count)
{
    if (!world || (count > 0 && !pairs)) {
        return 0;
    }
    uint64_t hash = HASH_START;
    for (uint64_t i = 0; i < count; i++) {
        hash = proximity_hash_pair(world, &pairs[i], hash);
    }
    return hash;
}
