/* The penetration check as the public interface shows it: which pairs are looked at, what is kept of the result.
 *
 * Positions are read once into the world's pose; trees and flags live in the world's scratch memory; the lines of the
 * report and the marks are kept here, behind the pointer the world reserves for this folder.
 */
#include <dent/penetration.h>

#include <math.h>

#include "base/floating_point_guard.h"
#include "contact/pair_check.h"
#include "query/world_state.h"

struct check_state {
    struct dynamic_array contacts; /* of dent_body_contact */
    struct dynamic_array marks;    /* bytes: elements then vertices, body by body */
    struct dynamic_array starts;   /* of struct mark_place, by rank */
    bool valid;                    /* the last check was complete */
    uint64_t topology_version;     /* of the bodies the marks belong to */
};

struct mark_place {
    size_t elements, vertices; /* offsets into marks */
};

dent_check_def dent_check_def_default(void)
{
    dent_check_def def = {0};
    def.struct_size = sizeof def;
    return def;
}

/* ---- state ------------------------------------------------------------------------------------------------------- */

static void destroy_state(dent_context *context, void *data)
{
    struct check_state *state = data;
    if (state) {
        array_destroy(&state->contacts);
        array_destroy(&state->marks);
        array_destroy(&state->starts);
        dent_release(context, state, 1, sizeof *state);
    }
}

static struct check_state *state_of(dent_world *world)
{
    if (!world->check_state) {
        struct check_state *state = dent_allocate(world->context, 1, sizeof *state);
        if (!state) {
            return NULL;
        }
        *state = (struct check_state){0};
        array_init(&state->contacts, world->context, sizeof(dent_body_contact));
        array_init(&state->marks, world->context, 1);
        array_init(&state->starts, world->context, sizeof(struct mark_place));
        world->check_state = state;
        world->destroy_check_state = destroy_state;
    }
    return world->check_state;
}

static bool begin_marks(struct check_state *state, const struct pose *pose)
{
    array_clear(&state->marks);
    array_clear(&state->starts);
    for (uint32_t rank = 0; rank < pose->body_count; rank++) {
        const struct body *body = pose->bodies[rank].body;
        struct mark_place place = {state->marks.count, state->marks.count + body->element_count};
        if (!array_extend(&state->marks, (size_t)body->element_count + body->vertex_count) ||
            !array_push(&state->starts, &place)) {
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
    const struct check_state *state = world->check_state;
    uint32_t rank = body_table_rank(&world->bodies, id);
    if (rank == UINT32_MAX || !state || !state->valid || state->topology_version != world->bodies.topology_version) {
        return NULL;
    }
    const struct mark_place *place = array_at(&state->starts, rank);
    return array_at(&state->marks, of_vertices ? place->vertices : place->elements);
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

static dent_status check_def(dent_world *world, const dent_check_def *def)
{
    if (!def || def->struct_size != sizeof *def) {
        return message_fail(&world->message, DENT_ERROR_INVALID_ARGUMENT,
                            "the check def was not made by dent_check_def_default()");
    }
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
    const struct pose *pose = &world->pose;
    run->body_count = pose->body_count;
    run->bodies = arena_allocate(run->scratch, pose->body_count, sizeof *run->bodies);
    if (!run->bodies || !begin_marks(state, pose)) {
        return check_out_of_memory(run);
    }
    for (uint32_t rank = 0; rank < run->body_count; rank++) {
        const struct posed_body *posed = &pose->bodies[rank];
        const struct mark_place *place = array_at(&state->starts, rank);
        struct check_body *body = &run->bodies[rank];
        *body = (struct check_body){.body = posed->body, .xyz = posed->xyz};
        memcpy(body->bounds.lo, posed->lo, sizeof posed->lo);
        memcpy(body->bounds.hi, posed->hi, sizeof posed->hi);
        body->solid = posed->body->kind == DENT_BODY_SOLID;
        body->closed = !body->solid && posed->body->topology.surface_closed;
        body->element_marks = array_at(&state->marks, place->elements);
        body->vertex_marks = array_at(&state->marks, place->vertices);
        result->surfaces_as_solids += body->closed;
        result->open_surfaces += !body->solid && !body->closed;
        result->counters.elements += posed->body->surface_face_count + (body->solid ? posed->body->element_count : 0);
    }
    return DENT_OK;
}

static bool pair_is_asked(const struct check_run *run, const dent_check_def *def, uint32_t a, uint32_t b)
{
    return (a != b || def->self) && pair_may_meet(&run->bodies[a], &run->bodies[b]);
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
            if (contact.state != DENT_CONTACT_APART && !array_push(contacts, &contact)) {
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
        bool penetrating = contact->state == DENT_CONTACT_PENETRATING;
        result->penetrating_pairs += penetrating;
        result->touching_pairs += !penetrating;
        result->max_depth =
            penetrating && contact->max_depth > result->max_depth ? contact->max_depth : result->max_depth;
    }
}

static dent_status run_check(dent_world *world, const dent_check_def *def, dent_check_result *result)
{
    struct check_run run = {
        .context = world->context,
        .message = &world->message,
        .scratch = &world->scratch,
        .cancel = {.wish = def->cancel},
        .exhaustive = def->method == DENT_METHOD_BRUTE_FORCE,
        .ignore_touching = def->ignore_touching,
        .tolerance = def->tolerance,
    };
    struct check_state *state = state_of(world);
    if (!state) {
        return check_out_of_memory(&run);
    }
    state->valid = false;
    array_clear(&state->contacts);
    uint64_t began = dent_clock_ns();
    dent_status status = world_begin_query(world);
    if (status == DENT_OK) {
        status = begin_run(world, state, &run, result);
    }
    if (status == DENT_OK) {
        status = prepare_bodies(&run, def);
    }
    uint64_t prepared = dent_clock_ns();
    if (status == DENT_OK) {
        status = check_pairs(&run, def, &state->contacts);
    }
    if (status == DENT_OK && check_cancelled(&run)) {
        result->outcome = DENT_OUTCOME_CANCELLED;
    } else if (status == DENT_OK) {
        sum_up(state, result);
        state->valid = true;
        state->topology_version = world->bodies.topology_version;
    }
    result->counters.method = def->method;
    result->counters.reason = run.exhaustive ? "asked for" : "a box tree for each body";
    result->counters.box_tests = run.total.box_tests;
    result->counters.candidates = run.total.candidates;
    result->counters.exact_fallbacks = run.total.predicates.exact_fallbacks;
    result->counters.scratch_bytes = arena_high_water(run.scratch);
    result->counters.ns_prepare = prepared - began;
    result->counters.ns_search = dent_clock_ns() - prepared;
    world_end_query(world);
    return status;
}

dent_status dent_world_check(dent_world *world, const dent_check_def *def, dent_check_result *result)
{
    WORLD_REQUIRE(world, world);
    WORLD_REQUIRE(world, def);
    WORLD_REQUIRE(world, result);
    dent_status status = check_def(world, def);
    if (status != DENT_OK) {
        return status;
    }
    struct floating_point_guard guard;
    dent_check_result fresh = {.outcome = DENT_OUTCOME_COMPLETE};
    floating_point_guard_enter(&guard);
    status = run_check(world, def, &fresh);
    floating_point_guard_leave(&guard);
    status = world_loop_status(world, status);
    if (status == DENT_OK) {
        *result = fresh;
    }
    return status;
}
