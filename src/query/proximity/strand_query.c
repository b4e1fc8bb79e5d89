/* The question strand as the public interface shows it: proximity restricted to pairs with strands, as short pairs. */
#include <dent/strand.h>

#include <float.h>
#include <inttypes.h>

#include "base/context.h"
#include "base/hash.h"
#include "query/proximity/proximity_search.h"
#include "query/world/question_row.h"

dent_strand_query_def dent_strand_query_def_default(void)
{
    dent_strand_query_def def = {0};
    def.struct_size = sizeof def;
    def.pair_limit = UINT32_MAX;
    return def;
}

static dent_status check_def(dent_world *world, const void *data)
{
    const dent_strand_query_def *def = data;
    if (!(def->thickness >= 0 && def->thickness <= DBL_MAX)) {
        return message_fail(&world->message, DENT_ERROR_BAD_NUMBER,
                            "the thickness of the query is %g: a finite length, 0 or more, is needed", def->thickness);
    }
    if (def->pair_limit > UINT32_MAX) {
        return message_fail(&world->message, DENT_ERROR_INVALID_ARGUMENT,
                            "pair_limit is %" PRIu64 ": at most %" PRIu32 " can be listed", def->pair_limit,
                            UINT32_MAX);
    }
    return question_check_method(world, DENT_QUESTION_STRAND, def->method);
}

static dent_status prepare(struct question_call *call)
{
    dent_world *world = call->world;
    const dent_strand_query_def *def = call->def;
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
        .strands_only = true,
    };
    return proximity_prepare(search, def->thickness) ? DENT_OK : question_out_of_memory(call);
}

static dent_status search_pairs(struct question_call *call)
{
    struct proximity_search *search = call->run;
    if (!proximity_run(search) || search->out_of_memory) {
        return question_out_of_memory(call);
    }
    return search->too_many ? message_fail(&call->world->message, DENT_ERROR_TOO_LARGE,
                                           "more than %" PRIu64 " pairs are within the radii: smaller ones are needed",
                                           search->pair_limit)
                            : DENT_OK;
}

static dent_status finish(struct question_call *call)
{
    struct proximity_search *search = call->run;
    struct proximity_state *state = search->state;
    const dent_strand_query_def *def = call->def;
    dent_strand_result *result = call->result;
    if (proximity_stopped(search)) {
        result->outcome = DENT_OUTCOME_CANCELLED;
        return DENT_OK;
    }
    if (!proximity_list(search) || (!def->no_details && !proximity_make_records(search))) {
        return question_out_of_memory(call);
    }
    result->vertex_face = state->vertex_face.pairs.data;
    result->vertex_face_count = state->vertex_face.pairs.count;
    result->edge_edge = state->edge_edge.pairs.data;
    result->edge_edge_count = state->edge_edge.pairs.count;
    result->details = def->no_details ? NULL : state->records.data;
    return DENT_OK;
}

static void count(struct question_call *call)
{
    const struct proximity_search *search = call->run;
    dent_query_counters *counters = &((dent_strand_result *)call->result)->counters;
    proximity_count(search, counters);
    counters->method = search->method == DENT_METHOD_AUTO ? DENT_METHOD_STRAND_PACKETS : search->method;
    counters->reason = search->method == DENT_METHOD_AUTO ? "strands: packets of four segments" : "requested";
    question_count_elements(call, counters);
}

static const struct question_stages strand_stages = {
    .name = "strands",
    .def_name = "strand query",
    .def_maker = "dent_strand_query_def_default",
    .def_size = sizeof(dent_strand_query_def),
    .result_size = sizeof(dent_strand_result),
    .run_size = sizeof(struct proximity_search),
    .cancel_offset = offsetof(dent_strand_query_def, cancel),
    .reads = READS_START,
    .takes_thin = true,
    .kept = &proximity_slot,
    .check = check_def,
    .prepare = prepare,
    .search = search_pairs,
    .finish = finish,
    .count = count,
};

const struct question_row strand_question = {
    .info =
        {
            .question = DENT_QUESTION_STRAND,
            .name = "strand",
            .meaning = "segments of strands and segments or edges, their vertices and faces, no farther apart than their radii",
            .numbers = "distance, the closest points on a and on b, the unit direction from b to a, where these points lie",
            .call = "dent_world_strands",
            .features = {{DENT_FEATURE_VERTEX, DENT_FEATURE_FACE}, {DENT_FEATURE_EDGE, DENT_FEATURE_EDGE}},
            .feature_pair_count = 2,
            .self_contact = true,
        },
    .methods = QUESTION_METHODS_OF_SURFACES | 1u << DENT_METHOD_STRAND_GRID | 1u << DENT_METHOD_STRAND_PACKETS,
    .stages = &strand_stages,
};

dent_status dent_world_strands(dent_world *world, const dent_strand_query_def *def, dent_strand_result *result)
{
    QUESTION_REQUIRE(world, def, result);
    return question_ask(world, &strand_stages, def, result);
}

static uint64_t hash_list(const dent_world *world, const dent_pair *pairs, uint64_t pair_count, uint32_t kind,
                          uint64_t hash)
{
    for (uint64_t i = 0; i < pair_count; i++) {
        dent_proximity pair = {.kind = kind,
                               .body_a = pairs[i].body_a,
                               .feature_a = pairs[i].feature_a,
                               .body_b = pairs[i].body_b,
                               .feature_b = pairs[i].feature_b};
        hash = proximity_hash_pair(world, &pair, hash);
    }
    return hash;
}

uint64_t dent_strand_hash(const dent_world *world, const dent_strand_result *result)
{
    if (!world || !result) {
        return 0;
    }
    uint64_t hash =
        hash_list(world, result->vertex_face, result->vertex_face_count, DENT_PROXIMITY_VERTEX_FACE, HASH_START);
    return hash_list(world, result->edge_edge, result->edge_edge_count, DENT_PROXIMITY_EDGE_EDGE, hash);
}
