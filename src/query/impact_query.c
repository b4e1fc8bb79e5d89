/* The question `impact` as the public interface shows it: read both sets of positions, search, sort.
 *
 *   positions -> pose, end pose -> one record per vertex -> oracle or search -> desks -> canonical list, or the
 * earliest
 */
#include <math.h>

#include "base/floating_point_guard.h"
#include "base/radix_sort.h"
#include "query/impact_run.h"
#include "query/world_state.h"

dent_impact_def dent_impact_def_default(void)
{
    dent_impact_def def = {0};
    def.struct_size = sizeof def;
    return def;
}

/* ---- state ------------------------------------------------------------------------------------------------------- */

void impact_state_destroy(dent_context *context, struct impact_state *state)
{
    if (state) {
        end_pose_destroy(&state->end);
        surface_forest_destroy(&state->forest);
        block_output_destroy(&state->blocks);
        array_destroy(&state->impacts);
        array_destroy(&state->vertices);
        dent_release(context, state, 1, sizeof *state);
    }
}

static struct impact_state *state_of(dent_world *world)
{
    if (!world->impact_state) {
        struct impact_state *state = dent_allocate(world->context, 1, sizeof *state);
        if (!state) {
            return NULL;
        }
        *state = (struct impact_state){0};
        end_pose_init(&state->end, world->context);
        surface_forest_init(&state->forest, world->context);
        block_output_init(&state->blocks, world->context, sizeof(dent_impact));
        array_init(&state->impacts, world->context, sizeof(dent_impact));
        array_init(&state->vertices, world->context, sizeof(struct impact_vertex));
        world->impact_state = state;
    }
    return world->impact_state;
}

/* ---- what is asked ----------------------------------------------------------------------------------------------- */

static dent_status check_def(dent_world *world, const dent_impact_def *def)
{
    if (!def || def->struct_size != sizeof *def) {
        return message_fail(&world->message, DENT_ERROR_INVALID_ARGUMENT,
                            "the impact def was not made by dent_impact_def_default()");
    }
    if (!(def->separation >= 0) || !isfinite(def->separation)) {
        return message_fail(&world->message, DENT_ERROR_INVALID_ARGUMENT,
                            "the separation is %g: a finite length, 0 or more, is needed", def->separation);
    }
    if (def->method == DENT_METHOD_AUTO || def->method == DENT_METHOD_BRUTE_FORCE ||
        def->method == DENT_METHOD_SURFACE_TREE) {
        return DENT_OK;
    }
    if (!dent_method_name(def->method)) {
        return message_fail(&world->message, DENT_ERROR_INVALID_ARGUMENT, "there is no method number %d",
                            (int)def->method);
    }
    return message_fail(&world->message, DENT_ERROR_UNSUPPORTED,
                        "method %s cannot answer impact; ask for auto, %s or %s", dent_method_name(def->method),
                        dent_method_name(DENT_METHOD_BRUTE_FORCE), dent_method_name(DENT_METHOD_SURFACE_TREE));
}

/* A pair is reported only if it comes as near as (1 + 2^-10) d, or if it moves by so many times d that a hundred
 * thousand steps do not settle it (milliseconds each). */
static struct impact_separation separation_settings(double separation)
{
    double tolerance = separation * 0x1p-10;
    return (struct impact_separation){.distance = separation,
                                      .tolerance = tolerance > 0 ? tolerance : 0x1p-1074,
                                      .box_limit = 100000,
                                      .no_zero_toi = true};
}

/* ---- preparation ------------------------------------------------------------------------------------------------- */

static dent_status number_vertices(struct impact_run *run)
{
    uint32_t *first = arena_allocate(run->scratch, (size_t)run->pose->body_count + 1, sizeof *first);
    uint64_t count = 0;
    for (uint32_t rank = 0; first && rank <= run->pose->body_count; rank++) {
        if (count >= UINT32_MAX) {
            return message_fail(run->message, DENT_ERROR_TOO_LARGE, "the world has 2^32 - 1 or more vertices");
        }
        first[rank] = (uint32_t)count;
        count += rank < run->pose->body_count ? run->pose->bodies[rank].body->vertex_count : 0;
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
static uint32_t rank_of_vertex(const struct impact_run *run, uint32_t vertex)
{
    uint32_t low = 0, high = run->pose->body_count; /* first_vertex[low] <= vertex < first_vertex[high] */
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
    for (uint32_t rank = rank_of_vertex(run, vertex); vertex < last; rank++) {
        uint32_t first = run->first_vertex[rank];
        const double(*start)[3] = run->pose->bodies[rank].xyz, (*end)[3] = run->state->end.xyz[rank];
        for (; vertex < last && vertex < run->first_vertex[rank + 1]; vertex++) {
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
    bool known = state->feature_count > 0 && state->feature_version == run->pose->table->topology_version;
    state->feature_version = run->pose->table->topology_version;
    state->feature_count = known ? state->feature_count : 0;
    for (uint32_t rank = 0; rank < run->pose->body_count && !known; rank++) {
        const struct body *body = run->pose->bodies[rank].body;
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

static dent_status prepare(dent_world *world, struct impact_run *run)
{
    dent_status status = world_begin_query(world);
    if (status == DENT_OK) {
        status = end_pose_read(&run->state->end, &world->pose, &world->message);
    }
    if (status == DENT_OK) {
        status = number_vertices(run);
    }
    if (status == DENT_OK && !impact_desks_create(run)) {
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
        const struct impact_desk *desk = &run->desks[worker];
        if (desk->found && (!found || impact_is_before(&desk->best, earliest))) {
            *earliest = desk->best;
            found = true;
        }
    }
    return found;
}

/* ---- the run ----------------------------------------------------------------------------------------------------- */

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* Exactly one of `all` and `earliest` is given. */
static DENT_NOINLINE dent_status run_query(dent_world *world, const dent_impact_def *def, dent_impact_result *all,
                                           dent_earliest_impact *earliest)
{
    struct cancel_flag cancel = {.wish = def->cancel};
    dent_impact_counters *counters = all ? &all->counters : &earliest->counters;
    struct impact_run run = {
        .context = world->context,
        .message = &world->message,
        .scratch = &world->scratch,
        .cancel = &cancel,
        .kernels = kernels_for(dent_context_isa(world->context)),
        .pose = &world->pose,
        .state = state_of(world),
        .separation = def->separation,
        .settings = separation_settings(def->separation),
        .details = !def->no_details,
        .earliest = earliest != NULL,
        .best_bits = bits_of(1.0),
        .counters = counters,
    };
    if (!run.state) {
        return impact_out_of_memory(&run);
    }
    uint64_t began = dent_clock_ns();
    bool oracle = def->method == DENT_METHOD_BRUTE_FORCE;
    counters->method = oracle ? DENT_METHOD_BRUTE_FORCE : DENT_METHOD_SURFACE_TREE;
    counters->reason = def->method == DENT_METHOD_AUTO ? "moving surfaces: trees over small leaves" : "asked for";
    dent_status status = prepare(world, &run);
    uint64_t prepared = dent_clock_ns();
    if (status == DENT_OK) {
        status = oracle ? impact_look_at_every_pair(&run) : impact_search_forest(&run);
    }
    if (status == DENT_OK) {
        impact_desks_clear(&run);
    }
    uint64_t searched = dent_clock_ns();
    dent_outcome outcome = cancel_requested(&cancel) ? DENT_OUTCOME_CANCELLED : DENT_OUTCOME_COMPLETE;
    if (status == DENT_OK && outcome == DENT_OUTCOME_COMPLETE && all) {
        status = sort_impacts(&run, all);
    }
    if (status == DENT_OK && earliest) {
        earliest->outcome = outcome;
        earliest->impact.toi = 1;
        earliest->found = outcome == DENT_OUTCOME_COMPLETE && find_earliest(&run, &earliest->impact);
    } else if (status == DENT_OK) {
        all->outcome = outcome;
    }
    counters->scratch_bytes = arena_high_water(run.scratch);
    counters->ns_prepare = prepared - began;
    counters->ns_search = searched - prepared;
    counters->ns_finish = dent_clock_ns() - searched;
    world_end_query(world);
    return status;
}

dent_status dent_world_impacts(dent_world *world, const dent_impact_def *def, dent_impact_result *result)
{
    WORLD_REQUIRE(world, world);
    WORLD_REQUIRE(world, def);
    WORLD_REQUIRE(world, result);
    dent_status status = check_def(world, def);
    if (status != DENT_OK) {
        return status;
    }
    struct floating_point_guard guard;
    dent_impact_result fresh = {.outcome = DENT_OUTCOME_COMPLETE};
    floating_point_guard_enter(&guard);
    status = run_query(world, def, &fresh, NULL);
    floating_point_guard_leave(&guard);
    status = world_loop_status(world, status);
    if (status == DENT_OK) {
        *result = fresh;
    }
    return status;
}

dent_status dent_world_earliest_impact(dent_world *world, const dent_impact_def *def, dent_earliest_impact *result)
{
    WORLD_REQUIRE(world, world);
    WORLD_REQUIRE(world, def);
    WORLD_REQUIRE(world, result);
    dent_status status = check_def(world, def);
    if (status != DENT_OK) {
        return status;
    }
    struct floating_point_guard guard;
    dent_earliest_impact fresh = {.outcome = DENT_OUTCOME_COMPLETE};
    floating_point_guard_enter(&guard);
    status = run_query(world, def, NULL, &fresh);
    floating_point_guard_leave(&guard);
    status = world_loop_status(world, status);
    if (status == DENT_OK) {
        *result = fresh;
    }
    return status;
}
