/* The question `impact` as the public interface shows it: read both sets of positions, search, sort.
 *
 *   positions -> snapshot, end snapshot -> one record per vertex -> oracle or search -> workers -> canonical list, or the
 * earliest
 */
#include <math.h>

#include "base/radix_sort.h"
#include "query/impact/impact_run.h"
#include "query/world/question_row.h"

dent_impact_def dent_impact_def_default(void)
{
    dent_impact_def def = {0};
    def.struct_size = sizeof def;
    return def;
}

/* ---- state ------------------------------------------------------------------------------------------------------- */

static void init_state(dent_context *context, void *data)
{
    struct impact_state *state = data;
    block_output_init(&state->blocks, context, sizeof(dent_impact));
    array_init(&state->impacts, context, sizeof(dent_impact));
    array_init(&state->vertices, context, sizeof(struct impact_vertex));
}

static void destroy_state(dent_context *context, void *data)
{
    struct impact_state *state = data;
    (void)context;
    block_output_destroy(&state->blocks);
    array_destroy(&state->impacts);
    array_destroy(&state->vertices);
    impact_kinetic_destroy(state);
}

static const struct world_slot_kind impact_slot = {sizeof(struct impact_state), init_state, destroy_state};

/* ---- what is asked ----------------------------------------------------------------------------------------------- */

static dent_status check_def(dent_world *world, const void *data)
{
    const dent_impact_def *def = data;
    if (!(def->separation >= 0) || !isfinite(def->separation)) {
        return message_fail(&world->message, DENT_ERROR_INVALID_ARGUMENT,
                            "the separation is %g: a finite length, 0 or more, is needed", def->separation);
    }
    if (def->method == DENT_METHOD_KINETIC_TREE && def->separation > 0) {
        return message_fail(&world->message, DENT_ERROR_UNSUPPORTED,
                            "method kinetic-tree cannot answer impact with a separation; surface-tree can");
    }
    return question_check_method(world, DENT_QUESTION_IMPACT, def->method);
}

/* A pair is reported only if it comes as near as (1 + 2^-10) d, or if it moves by so many times d that a hundred
 * thousand steps do not settle it (milliseconds each). */
static struct impact_separation separation_settings(double separation)
{
    double tolerance = separation * 0x1p-10;
    return (struct impact_separation){.distance = separation,
                                      .tolerance = tolerance > 0 ? tolerance : 0x1p-1074,
                                      .work_limit = 100000,
                                      .no_zero_toi = true};
}

/* ---- preparation ------------------------------------------------------------------------------------------------- */

static dent_status number_vertices(struct impact_run *run)
{
    uint32_t *first = arena_allocate(run->scratch, (size_t)run->snapshot->body_count + 1, sizeof *first);
    uint64_t count = 0;
    for (uint32_t body_index = 0; first && body_index <= run->snapshot->body_count; body_index++) {
        if (count >= UINT32_MAX) {
            return message_fail(run->message, DENT_ERROR_TOO_LARGE, "the world has 2^32 - 1 or more vertices");
        }
        first[body_index] = (uint32_t)count;
        count += body_index < run->snapshot->body_count ? run->snapshot->bodies[body_index].body->vertex_count : 0;
    }
    run->first_vertex = first;
    array_clear(&run->state->vertices);
    if (!first || !array_extend(&run->state->vertices, (size_t)count)) {
        return impact_out_of_memory(run);
    }
    run->vertices = run->state->vertices.data;
    return DENT_OK;
}

enum { VERTICES_PER_BLOCK = 4096 };

/* The body of a vertex. */
static uint32_t body_index_of_vertex(const struct impact_run *run, uint32_t vertex)
{
    uint32_t low = 0, high = run->snapshot->body_count; /* first_vertex[low] <= vertex < first_vertex[high] */
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        *(run->first_vertex[middle] <= vertex ? &low : &high) = middle;
    }
    return low;
}

static void fill_vertices(void *data, uint32_t block, uint32_t worker)
{
    (void)worker;
    const struct impact_run *run = data;
    struct impact_vertex *vertices = run->state->vertices.data;
    uint32_t count = (uint32_t)run->state->vertices.count, vertex = block * VERTICES_PER_BLOCK;
    uint32_t last = count - vertex > VERTICES_PER_BLOCK ? vertex + VERTICES_PER_BLOCK : count;
    for (uint32_t body_index = body_index_of_vertex(run, vertex); vertex < last; body_index++) {
        uint32_t first = run->first_vertex[body_index];
        const double(*start)[3] = run->snapshot->bodies[body_index].xyz, (*end)[3] = run->ends[body_index];
        for (; vertex < last && vertex < run->first_vertex[body_index + 1]; vertex++) {
            memcpy(vertices[vertex].start, start[vertex - first], sizeof vertices[vertex].start);
            memcpy(vertices[vertex].end, end[vertex - first], sizeof vertices[vertex].end);
            vertices[vertex].unused_0 = vertices[vertex].unused_1 = 0;
        }
    }
}

/* Counted once for a set of bodies. */
static void count_features(struct impact_run *run)
{
    struct impact_state *state = run->state;
    bool known = state->feature_count > 0 && state->feature_version == run->snapshot->table->topology_version;
    state->feature_version = run->snapshot->table->topology_version;
    state->feature_count = known ? state->feature_count : 0;
    for (uint32_t body_index = 0; body_index < run->snapshot->body_count && !known; body_index++) {
        const struct body *body = run->snapshot->bodies[body_index].body;
        state->feature_count += body->surface_face_count;
        for (uint32_t v = 0; v < body->vertex_count; v++) {
            state->feature_count += (body->vertex_use[v] & VERTEX_ON_SURFACE) != 0;
        }
        for (uint32_t e = 0; e < body->edge_count; e++) {
            state->feature_count += body->edge_is_surface[e];
        }
    }
    run->counters->features = state->feature_count;
}

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static bool asks_for_earliest(const struct question_call *call)
{
    return call->stages == &earliest_impact_stages;
}

static dent_impact_counters *counters_of(const struct question_call *call)
{
    return asks_for_earliest(call) ? &((dent_earliest_impact *)call->result)->counters
                                   : &((dent_impact_result *)call->result)->counters;
}

static dent_status prepare(struct question_call *call)
{
    dent_world *world = call->world;
    const dent_impact_def *def = call->def;
    struct impact_run *run = call->run;
    *run = (struct impact_run){
        .context = world->context,
        .message = &world->message,
        .scratch = &world->scratch,
        .cancel = &call->cancel,
        .isa = dent_context_isa(world->context),
        .snapshot = &world->snapshot,
        .ends = (const double(*const *)[3])world->end.xyz,
        .forest = &world->forest,
        .state = call->kept,
        .separation = def->separation,
        .settings = separation_settings(def->separation),
        .by_contacts = def->method == DENT_METHOD_KINETIC_TREE,
        .details = !def->no_details,
        .earliest = asks_for_earliest(call),
        .best_bits = bits_of(1.0),
        .counters = counters_of(call),
    };
    dent_status status = number_vertices(run);
    if (status == DENT_OK && !impact_workers_create(run)) {
        status = impact_out_of_memory(run);
    }
    if (status == DENT_OK) {
        size_t count = run->state->vertices.count;
        dent_parallel_for(run->context, (uint32_t)(count / VERTICES_PER_BLOCK + (count % VERTICES_PER_BLOCK != 0)),
                          fill_vertices, run);
        count_features(run);
    }
    return status;
}

/* ---- the end ----------------------------------------------------------------------------------------------------- */

static struct key128 impact_key(const dent_impact *impact)
{
    uint64_t kind = impact->kind == DENT_IMPACT_EDGE_EDGE;
    return (struct key128){kind << 63 | (uint64_t)impact->body_a << 32 | impact->feature_a,
                           (uint64_t)impact->body_b << 32 | impact->feature_b};
}

/* Merges the blocks in canonical order. There are no repetitions. */
static dent_status sort_impacts(struct impact_run *run, dent_impact_result *result)
{
    struct impact_state *state = run->state;
    size_t count = block_output_count(&state->blocks);
    array_clear(&state->impacts);
    if (count >= UINT32_MAX) {
        return message_fail(run->message, DENT_ERROR_TOO_LARGE, "impact has 2^32 - 1 or more answers");
    }
    if (!block_output_merge(&state->blocks, &state->impacts)) {
        return impact_out_of_memory(run);
    }
    dent_impact *unsorted = arena_allocate(run->scratch, count, sizeof *unsorted);
    struct key128 *keys = arena_allocate(run->scratch, count, 2 * sizeof *keys);
    uint32_t *order = arena_allocate(run->scratch, count, 2 * sizeof *order);
    if (!unsorted || !keys || !order) {
        return impact_out_of_memory(run);
    }
    dent_impact *sorted = state->impacts.data;
    for (size_t i = 0; i < count; i++) {
        unsorted[i] = sorted[i];
        keys[i] = impact_key(&sorted[i]);
        order[i] = (uint32_t)i;
    }
    radix_sort_u128(keys, order, keys + count, order + count, count);
    for (size_t i = 0; i < count; i++) {
        sorted[i] = unsorted[order[i]];
    }
    result->impacts = count > 0 ? sorted : NULL;
    result->count = count;
    return DENT_OK;
}

static bool find_earliest(const struct impact_run *run, dent_impact *earliest)
{
    bool found = false;
    for (uint32_t worker = 0; worker < dent_context_worker_count(run->context); worker++) {
        const struct impact_worker *worker_state = &run->workers[worker];
        if (worker_state->found && (!found || impact_is_before(&worker_state->best, earliest))) {
            *earliest = worker_state->best;
            found = true;
        }
    }
    return found;
}

/* ---- the stages -------------------------------------------------------------------------------------------------- */

static dent_status search(struct question_call *call)
{
    struct impact_run *run = call->run;
    bool oracle = ((const dent_impact_def *)call->def)->method == DENT_METHOD_BRUTE_FORCE;
    dent_status status = oracle ? impact_test_all_pairs(run) : impact_search_forest(run);
    if (status == DENT_OK) {
        impact_workers_clear(run);
    }
    return status;
}

static dent_status finish_all(struct question_call *call)
{
    dent_impact_result *result = call->result;
    result->outcome = cancel_requested(&call->cancel) ? DENT_OUTCOME_CANCELLED : DENT_OUTCOME_COMPLETE;
    return result->outcome == DENT_OUTCOME_COMPLETE ? sort_impacts(call->run, result) : DENT_OK;
}

static dent_status finish_earliest(struct question_call *call)
{
    dent_earliest_impact *result = call->result;
    result->outcome = cancel_requested(&call->cancel) ? DENT_OUTCOME_CANCELLED : DENT_OUTCOME_COMPLETE;
    result->impact.toi = 1;
    result->found = result->outcome == DENT_OUTCOME_COMPLETE && find_earliest(call->run, &result->impact);
    return DENT_OK;
}

static void count(struct question_call *call)
{
    const dent_impact_def *def = call->def;
    dent_impact_counters *counters = counters_of(call);
    counters->method = def->method == DENT_METHOD_AUTO ? DENT_METHOD_SURFACE_TREE : def->method;
    counters->reason = def->method == DENT_METHOD_AUTO ? "moving surfaces: trees over small leaves" : "requested";
    counters->scratch_bytes = arena_high_water(&call->world->scratch);
    counters->ns_prepare = call->ns_prepare;
    counters->ns_search = call->ns_search;
    counters->ns_finish = call->ns_finish;
}

#define IMPACT_STAGES(result, last)                                                                                    \
    {                                                                                                                  \
        .name = "impact", .def_name = "impact", .def_maker = "dent_impact_def_default",                                \
        .def_size = sizeof(dent_impact_def), .result_size = sizeof(result), .run_size = sizeof(struct impact_run),     \
        .cancel_offset = offsetof(dent_impact_def, cancel), .reads = READS_START_AND_END, .takes_thin = true,           \
        .kept = &impact_slot,                                                                                          \
        .check = check_def, .prepare = prepare, .search = search, .finish = last, .count = count                       \
    }

const struct question_stages impact_stages = IMPACT_STAGES(dent_impact_result, finish_all);
const struct question_stages earliest_impact_stages = IMPACT_STAGES(dent_earliest_impact, finish_earliest);

const struct question_row impact_question = {
    .info =
        {
            .question = DENT_QUESTION_IMPACT,
            .name = "impact",
            .meaning =
                "surface vertices and faces, surface edges and edges, that meet between the positions at t0 and t1",
            .numbers = "the first time, the position on both features, the unit normal from b to a",
            .call = "dent_world_impacts",
            .features = {{DENT_FEATURE_VERTEX, DENT_FEATURE_FACE}, {DENT_FEATURE_EDGE, DENT_FEATURE_EDGE}},
            .feature_pair_count = 2,
            .reads_t1 = true,
            .self_contact = true,
        },
    .methods = QUESTION_METHODS_OF_SURFACES | 1u << DENT_METHOD_KINETIC_TREE,
    .stages = &impact_stages,
};

dent_status dent_world_impacts(dent_world *world, const dent_impact_def *def, dent_impact_result *result)
{
    QUESTION_REQUIRE(world, def, result);
    return question_ask(world, &impact_stages, def, result);
}

dent_status dent_world_earliest_impact(dent_world *world, const dent_impact_def *def, dent_earliest_impact *result)
{
    QUESTION_REQUIRE(world, def, result);
    return question_ask(world, &earliest_impact_stages, def, result);
}
