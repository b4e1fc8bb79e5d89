/* The penetration check as the public interface shows it: which pairs are looked at, what is kept of the result.
 *
 * Positions are read once into the world's snapshot; trees and flags live in the world's scratch memory; the lines of the
 * report and the marks are kept here, behind the pointer the world reserves for this folder.
 */
#include <dent/penetration.h>

#include <math.h>

#include "contact/check/pair_check.h"
#include "query/world/question_row.h"

struct check_state {
    struct dynamic_array contacts; /* of dent_body_contact */
    struct dynamic_array marks;    /* bytes: elements then vertices, body by body */
    struct dynamic_array starts;   /* of struct mark_slot, by body index */
    bool valid;                    /* the last check was complete */
    uint64_t topology_version;     /* of the bodies the marks belong to */
};

struct mark_slot {
    size_t elements, vertices; /* offsets into marks */
};

dent_check_def dent_check_def_default(void)
{
    dent_check_def def = {0};
    def.struct_size = sizeof def;
    return def;
}

/* ---- state ------------------------------------------------------------------------------------------------------- */

static void init_state(dent_context *context, void *data)
{
    struct check_state *state = data;
    array_init(&state->contacts, context, sizeof(dent_body_contact));
    array_init(&state->marks, context, 1);
    array_init(&state->starts, context, sizeof(struct mark_slot));
}

static void destroy_state(dent_context *context, void *data)
{
    struct check_state *state = data;
    (void)context;
    array_destroy(&state->contacts);
    array_destroy(&state->marks);
    array_destroy(&state->starts);
}

static const struct world_slot_kind check_slot = {sizeof(struct check_state), init_state, destroy_state};

static bool begin_marks(struct check_state *state, const struct snapshot *snapshot)
{
    array_clear(&state->marks);
    array_clear(&state->starts);
    for (uint32_t body_index = 0; body_index < snapshot->body_count; body_index++) {
        const struct body *body = snapshot->bodies[body_index].body;
        struct mark_slot slot = {state->marks.count, state->marks.count + body->element_count};
        if (!array_extend(&state->marks, (size_t)body->element_count + body->vertex_count) ||
            !array_push(&state->starts, &slot)) {
            return false;
        }
    }
    if (state->marks.count > 0) {
        memset(state->marks.data, 0, state->marks.count);
    }
    return true;
}

static const uint8_t *marks_of(const dent_world *world, dent_body_id id, bool of_vertices)
{
    const struct check_state *state = world_kept(world, &check_slot);
    uint32_t body_index = body_table_index(&world->bodies, id);
    if (body_index == UINT32_MAX || !state || !state->valid ||
        state->topology_version != world->bodies.topology_version) {
        return NULL;
    }
    const struct mark_slot *slot = array_at(&state->starts, body_index);
    return array_at(&state->marks, of_vertices ? slot->vertices : slot->elements);
}

const uint8_t *dent_check_element_marks(const dent_world *world, dent_body_id id)
{
    if (!world) {
        return NULL;
    }
    return marks_of(world, id, false);
}

const uint8_t *dent_check_vertex_marks(const dent_world *world, dent_body_id id)
{
    if (!world) {
        return NULL;
    }
    return marks_of(world, id, true);
}

/* ---- the run ----------------------------------------------------------------------------------------------------- */

static dent_status check_def(dent_world *world, const void *data)
{
    const dent_check_def *def = data;
    if (!(def->tolerance >= 0) || !isfinite(def->tolerance)) {
        return message_fail(&world->message, DENT_ERROR_INVALID_ARGUMENT,
                            "the tolerance of the check is %g: a finite length, 0 or more, is needed", def->tolerance);
    }
    if (def->method != DENT_METHOD_AUTO && !dent_method_name(def->method)) {
        return message_fail(&world->message, DENT_ERROR_INVALID_ARGUMENT, "there is no method number %d",
                            (int)def->method);
    }
    if (def->method != DENT_METHOD_AUTO && def->method != DENT_METHOD_BRUTE_FORCE) {
        return message_fail(
            &world->message, DENT_ERROR_UNSUPPORTED,
            "method %s does not serve the penetration check, which has its own box trees; ask for auto or %s",
            dent_method_name(def->method), dent_method_name(DENT_METHOD_BRUTE_FORCE));
    }
    return DENT_OK;
}

static dent_status begin_run(dent_world *world, struct check_state *state, struct check_run *run,
                             dent_check_result *result)
{
    const struct snapshot *snapshot = &world->snapshot;
    run->body_count = snapshot->body_count;
    run->bodies = arena_allocate(run->scratch, snapshot->body_count, sizeof *run->bodies);
    if (!run->bodies || !begin_marks(state, snapshot)) {
        return check_out_of_memory(run);
    }
    for (uint32_t body_index = 0; body_index < run->body_count; body_index++) {
        const struct body_snapshot *body_snapshot = &snapshot->bodies[body_index];
        const struct mark_slot *slot = array_at(&state->starts, body_index);
        struct check_body *body = &run->bodies[body_index];
        *body = check_body_of(body_snapshot);
        body->element_marks = array_at(&state->marks, slot->elements);
        body->vertex_marks = array_at(&state->marks, slot->vertices);
        result->surfaces_as_solids += body->closed;
        result->open_surfaces += check_is_open(body);
    }
    return DENT_OK;
}

static bool pair_is_asked(const struct check_run *run, const dent_check_def *def, uint32_t a, uint32_t b)
{
    return (a != b || def->self) && (!run->only_thin || run->bodies[a].thin || run->bodies[b].thin) &&
           pair_may_meet(&run->bodies[a], &run->bodies[b]);
}

static dent_status prepare_bodies(struct check_run *run, const dent_check_def *def)
{
    dent_status status = DENT_OK;
    for (uint32_t a = 0; a < run->body_count; a++) {
        for (uint32_t b = a; b < run->body_count && status == DENT_OK; b++) {
            if (pair_is_asked(run, def, a, b) && !(run->bodies[a].has_trees && run->bodies[b].has_trees)) {
                status = check_prepare_body(run, &run->bodies[a]);
                status = status == DENT_OK ? check_prepare_body(run, &run->bodies[b]) : status;
            }
        }
    }
    return status;
}

static dent_status check_pairs(struct check_run *run, const dent_check_def *def, struct dynamic_array *contacts)
{
    for (uint32_t a = 0; a < run->body_count; a++) {
        for (uint32_t b = a; b < run->body_count; b++) {
            dent_body_contact contact;
            if (!pair_is_asked(run, def, a, b)) {
                continue;
            }
            dent_status status = check_pair(run, &run->bodies[a], &run->bodies[b], &contact);
            if (status != DENT_OK || check_cancelled(run)) {
                return status;
            }
            contact.body_a = a;
            contact.body_b = b;
            if (contact.state != DENT_BODY_PAIR_APART && !array_push(contacts, &contact)) {
                return check_out_of_memory(run);
            }
        }
    }
    return DENT_OK;
}

static void sum_up(const struct check_state *state, dent_check_result *result)
{
    result->pairs = state->contacts.data;
    result->pair_count = state->contacts.count;
    for (uint64_t i = 0; i < result->pair_count; i++) {
        const dent_body_contact *contact = &result->pairs[i];
        bool penetrating = contact->state == DENT_BODY_PAIR_PENETRATING;
        result->penetrating_pairs += penetrating;
        result->touching_pairs += !penetrating;
        result->max_depth =
            penetrating && contact->max_depth > result->max_depth ? contact->max_depth : result->max_depth;
    }
}

/* ---- the stages -------------------------------------------------------------------------------------------------- */

static dent_status prepare(struct question_call *call)
{
    dent_world *world = call->world;
    const dent_check_def *def = call->def;
    struct check_run *run = call->run;
    struct check_state *state = call->kept;
    *run = (struct check_run){
        .context = world->context,
        .snapshot = &world->snapshot,
        .only_thin = call->stages == &thin_check_stages,
        .message = &world->message,
        .scratch = &world->scratch,
        .cancel = &call->cancel,
        .exhaustive = def->method == DENT_METHOD_BRUTE_FORCE,
        .ignore_touching = def->ignore_touching,
        .volumes = def->volumes,
        .tolerance = def->tolerance,
    };
    state->valid = false;
    array_clear(&state->contacts);
    dent_status status = begin_run(world, state, run, call->result);
    return status == DENT_OK ? prepare_bodies(run, def) : status;
}

static dent_status search(struct question_call *call)
{
    struct check_state *state = call->kept;
    return check_pairs(call->run, call->def, &state->contacts);
}

static dent_status finish(struct question_call *call)
{
    struct check_state *state = call->kept;
    dent_check_result *result = call->result;
    if (cancel_requested(&call->cancel)) {
        result->outcome = DENT_OUTCOME_CANCELLED;
        return DENT_OK;
    }
    sum_up(state, result);
    state->valid = true;
    state->topology_version = call->world->bodies.topology_version;
    return DENT_OK;
}

static void count(struct question_call *call)
{
    const struct check_run *run = call->run;
    dent_query_counters *counters = &((dent_check_result *)call->result)->counters;
    counters->method = ((const dent_check_def *)call->def)->method;
    counters->reason = run->exhaustive ? "requested" : "a box tree for each body";
    counters->box_tests = run->total.box_tests;
    counters->candidates = run->total.candidates;
    counters->exact_fallbacks = run->total.predicates.exact_fallbacks;
    question_count_elements(call, counters);
}

#define CHECK_STAGES(title)                                                                                            \
    {                                                                                                                  \
        .name = title, .def_name = "check", .def_maker = "dent_check_def_default", .def_size = sizeof(dent_check_def), \
        .result_size = sizeof(dent_check_result), .run_size = sizeof(struct check_run),                                \
        .cancel_offset = offsetof(dent_check_def, cancel), .reads = READS_START, .takes_thin = true,                   \
        .kept = &check_slot, .check = check_def, .prepare = prepare, .search = search, .finish = finish,               \
        .count = count                                                                                                 \
    }

const struct question_stages check_stages = CHECK_STAGES("the penetration check");
const struct question_stages thin_check_stages = CHECK_STAGES("the penetration check of strands and points");

dent_status dent_world_check(dent_world *world, const dent_check_def *def, dent_check_result *result)
{
    QUESTION_REQUIRE(world, def, result);
    return question_ask(world, &check_stages, def, result);
}
