/* Is the beginning of a step free? And how far may the step go?
 *
 * Crossing faces are asked for by `face-face`. Where no faces of two bodies meet, each connected part of one lies
 * wholly inside or wholly outside the other, so one vertex of each part decides. Where faces touch or share area
 * without crossing (stacked boxes, identical copies), or that vertex lies on a face of the other (bodies tied to each
 * other), no single vertex does, and the penetration check is asked. Pairs with strands or points, which have no faces, are left to
 * the check as well.
 */
#include <dent/impact.h>
#include <dent/penetration.h>

#include "base/cancel_flag.h"
#include "geometry/numbers/bounds.h"
#include "geometry/predicates/tetrahedron_predicates.h"
#include "geometry/predicates/winding_number.h"
#include "contact/check/check_run.h"
#include "query/world/question_row.h"

static bool point_in_box(const double p[3], const struct body_snapshot *body)
{
    return p[0] >= body->lo[0] && p[0] <= body->hi[0] && p[1] >= body->lo[1] && p[1] <= body->hi[1] &&
           p[2] >= body->lo[2] && p[2] <= body->hi[2];
}

static bool has_inside(const struct body *body)
{
    return body_has_cells(body) || body->topology.surface_closed;
}

/* ---- containment where surfaces do not meet ---------------------------------------------------------------------- */

enum point_location { OUTSIDE, INSIDE, IN_DOUBT };

static enum point_location point_in_solid(const double p[3], const struct body_snapshot *y)
{
    predicate_counters ignored = {0};
    enum point_location where = OUTSIDE;
    for (uint32_t i = 0; i < y->body->tetrahedron_count; i++) {
        const uint32_t *v = y->body->tetrahedra[i];
        const double *c[4] = {y->xyz[v[0]], y->xyz[v[1]], y->xyz[v[2]], y->xyz[v[3]]};
        bool apart = false;
        for (int axis = 0; axis < 3 && !apart; axis++) {
            double x = p[axis];
            apart = (c[0][axis] < x && c[1][axis] < x && c[2][axis] < x && c[3][axis] < x) ||
                    (c[0][axis] > x && c[1][axis] > x && c[2][axis] > x && c[3][axis] > x);
        }
        point_relation relation = apart ? POINT_OUTSIDE : point_versus_tetrahedron(p, c[0], c[1], c[2], c[3], &ignored);
        if (relation == POINT_INTERIOR) {
            return INSIDE;
        }
        where = relation == POINT_BOUNDARY ? IN_DOUBT : where;
    }
    return where;
}

static enum point_location point_inside(const double p[3], const struct body_snapshot *y)
{
    if (!point_in_box(p, y)) {
        return OUTSIDE;
    }
    if (body_has_cells(y->body)) {
        return point_in_solid(p, y);
    }
    predicate_counters ignored = {0};
    bool on_surface;
    int winding = winding_number(p, y->xyz, (const uint32_t(*)[3])y->body->element_corners, y->body->element_count,
                                 &ignored, &on_surface);
    return on_surface ? IN_DOUBT : winding != 0 ? INSIDE : OUTSIDE;
}

/* Does some connected part of x lie in y? Parts are numbered in the order of their smallest vertices. */
static enum point_location some_part_inside(const struct body_snapshot *x, const struct body_snapshot *y)
{
    uint32_t parts = 0;
    enum point_location where = OUTSIDE;
    for (uint32_t vertex = 0;
         has_inside(y->body) && vertex < x->body->vertex_count && parts < x->body->topology.component_count; vertex++) {
        if (x->body->vertex_component[vertex] == parts) {
            parts++;
            enum point_location of_part = point_inside(x->xyz[vertex], y);
            if (of_part == INSIDE) {
                return INSIDE;
            }
            where = of_part == IN_DOUBT ? IN_DOUBT : where;
        }
    }
    return where;
}

struct containment {
    const struct snapshot *snapshot;
    struct cancel_flag *cancel;
    const struct body_pair *pairs;
    uint32_t first_found; /* atomic: the smallest number of a pair with one inside the other; UINT32_MAX: none */
    int in_doubt;         /* atomic: some pair cannot be told by one vertex */
};

static void look_at_pair(void *data, uint32_t number, uint32_t worker)
{
    (void)worker;
    struct containment *containment = data;
    const struct body_snapshot *a = &containment->snapshot->bodies[containment->pairs[number].a];
    const struct body_snapshot *b = &containment->snapshot->bodies[containment->pairs[number].b];
    uint32_t seen = __atomic_load_n(&containment->first_found, __ATOMIC_RELAXED);
    if (cancel_requested(containment->cancel) || number >= seen) {
        return;
    }
    enum point_location a_in_b = some_part_inside(a, b), b_in_a = some_part_inside(b, a);
    if (a_in_b == IN_DOUBT || b_in_a == IN_DOUBT) {
        __atomic_store_n(&containment->in_doubt, 1, __ATOMIC_RELAXED);
    }
    if (a_in_b == INSIDE || b_in_a == INSIDE) {
        while (number < seen && !__atomic_compare_exchange_n(&containment->first_found, &seen, number, true,
                                                             __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
        }
    }
}

/* Pairs of different bodies with something inside, none of them strands or points, whose boxes meet; into `pairs` when it is not null. */
static uint32_t list_pairs(const struct snapshot *snapshot, struct body_pair *pairs)
{
    uint32_t count = 0;
    for (uint32_t a = 0; a < snapshot->body_count; a++) {
        for (uint32_t b = a + 1; b < snapshot->body_count; b++) {
            const struct body *body_a = snapshot->bodies[a].body, *body_b = snapshot->bodies[b].body;
            if (bounds_meet(snapshot->bodies[a].lo, snapshot->bodies[a].hi, snapshot->bodies[b].lo,
                            snapshot->bodies[b].hi) &&
                (has_inside(body_a) || has_inside(body_b)) && !body_is_thin(body_a) &&
                !body_is_thin(body_b) && bodies_may_meet(body_a, body_b) &&
                count < UINT32_MAX - 1) {
                if (pairs) {
                    pairs[count] = (struct body_pair){a, b};
                }
                count++;
            }
        }
    }
    return count;
}

/* *in_doubt: the penetration check has to be asked. */
static dent_status find_contained(dent_world *world, struct cancel_flag *cancel, dent_initial_state *state,
                                  bool *in_doubt)
{
    uint32_t count = list_pairs(&world->snapshot, NULL);
    struct body_pair *pairs = arena_allocate(&world->scratch, count, sizeof *pairs);
    if (!pairs) {
        return message_fail(&world->message, DENT_ERROR_OUT_OF_MEMORY, "out of memory for %u pairs of bodies",
                            (unsigned)count);
    }
    list_pairs(&world->snapshot, pairs);
    struct containment containment = {&world->snapshot, cancel, pairs, UINT32_MAX, 0};
    dent_parallel_for(world->context, count, look_at_pair, &containment);
    *in_doubt = containment.in_doubt != 0;
    if (!*in_doubt && containment.first_found != UINT32_MAX && !cancel_requested(cancel)) {
        state->crosses = true;
        state->body_a = pairs[containment.first_found].a;
        state->body_b = pairs[containment.first_found].b;
    }
    return DENT_OK;
}

/* ---- containment where they touch -------------------------------------------------------------------------------- */

static dent_status ask_the_check(dent_world *world, const struct question_stages *stages, const dent_impact_def *def,
                                 dent_initial_state *state)
{
    dent_check_def check = dent_check_def_default();
    dent_check_result result;
    check.ignore_touching = true;
    check.cancel = def->cancel;
    dent_status status = question_ask_inside(world, stages, &check, &result);
    if (status != DENT_OK) {
        return status;
    }
    state->outcome = result.outcome;
    for (uint64_t i = 0; i < result.pair_count && !state->crosses; i++) {
        if (result.pairs[i].state == DENT_BODY_PAIR_PENETRATING) {
            state->crosses = true;
            state->body_a = result.pairs[i].body_a;
            state->body_b = result.pairs[i].body_b;
        }
    }
    return DENT_OK;
}

/* ---- the calls --------------------------------------------------------------------------------------------------- */

/* Counts the crossings; *touching: faces of two different bodies, one of them with an inside, meet without crossing. */
static void look_at_faces(const dent_world *world, const dent_pair_list *faces, dent_initial_state *state,
                          bool *touching)
{
    for (uint64_t i = 0; i < faces->count; i++) {
        const dent_pair *pair = &faces->pairs[i];
        if (pair->kind == DENT_PAIR_CROSSING) {
            if (!state->crosses) {
                state->crosses = true;
                state->body_a = pair->body_a;
                state->body_b = pair->body_b;
            }
            state->crossings++;
        } else if (pair->body_a != pair->body_b) {
            *touching = *touching || has_inside(world->snapshot.bodies[pair->body_a].body) ||
                        has_inside(world->snapshot.bodies[pair->body_b].body);
        }
    }
}

static bool has_thin_bodies(const dent_world *world)
{
    bool found = false;
    for (uint32_t body_index = 0; body_index < world->snapshot.body_count; body_index++) {
        found = found || body_is_thin(world->snapshot.bodies[body_index].body);
    }
    return found;
}

static dent_status look_at_start(struct question_call *call, dent_initial_state *state)
{
    dent_world *world = call->world;
    const dent_impact_def *def = call->def;
    dent_query_def query = dent_query_def_default();
    dent_query_result result;
    bool touching = false;
    query.questions = DENT_QUESTION_FACE_FACE;
    query.touching = true;
    query.no_details = true;
    query.cancel = def->cancel;
    dent_status status = question_ask_inside(world, &discrete_stages, &query, &result);
    if (status != DENT_OK) {
        return status;
    }
    state->outcome = result.outcome;
    look_at_faces(world, &result.face_face, state, &touching);
    if (!state->crosses && state->outcome == DENT_OUTCOME_COMPLETE && world->snapshot.body_count > 1) {
        bool in_doubt = touching;
        status = touching ? DENT_OK : find_contained(world, &call->cancel, state, &in_doubt);
        bool with_thin = has_thin_bodies(world) && !state->crosses;
        if (status == DENT_OK && (in_doubt || with_thin)) {
            status = ask_the_check(world, in_doubt ? &check_stages : &thin_check_stages, def, state);
        }
        state->outcome = cancel_requested(&call->cancel) ? DENT_OUTCOME_CANCELLED : state->outcome;
    }
    if (state->outcome != DENT_OUTCOME_COMPLETE) {
        *state = (dent_initial_state){.outcome = state->outcome};
    }
    return status;
}

static dent_status find_start(struct question_call *call)
{
    return look_at_start(call, call->result);
}

static dent_status find_step(struct question_call *call)
{
    const dent_impact_def *def = call->def;
    dent_safe_step *result = call->result;
    dent_earliest_impact earliest;
    *result = (dent_safe_step){.outcome = DENT_OUTCOME_COMPLETE, .fraction = 0, .impact = {.toi = 1}};
    dent_status status = def->start_is_free ? DENT_OK : look_at_start(call, &result->start);
    result->outcome = result->start.outcome;
    if (status != DENT_OK || result->start.crosses || result->outcome != DENT_OUTCOME_COMPLETE) {
        return status;
    }
    status = question_ask_inside(call->world, &earliest_impact_stages, def, &earliest);
    if (status == DENT_OK) {
        result->outcome = earliest.outcome;
        result->found = earliest.found;
        result->impact = earliest.impact;
        result->counters = earliest.counters;
        result->fraction = earliest.outcome == DENT_OUTCOME_COMPLETE ? earliest.impact.toi : 0;
    }
    return status;
}

#define STEP_STAGES(title, result, reading, stage)                                                                     \
    {                                                                                                                  \
        .name = title, .def_name = "impact", .def_maker = "dent_impact_def_default",                                   \
        .def_size = sizeof(dent_impact_def), .result_size = sizeof(result),                                            \
        .cancel_offset = offsetof(dent_impact_def, cancel), .reads = reading, .takes_thin = true, .search = stage      \
    }

static const struct question_stages start_stages =
    STEP_STAGES("the state of the start", dent_initial_state, READS_START, find_start);
static const struct question_stages step_stages = STEP_STAGES("a safe step", dent_safe_step, READS_START, find_step);

dent_status dent_world_initial_state(dent_world *world, const dent_impact_def *def, dent_initial_state *state)
{
    QUESTION_REQUIRE(world, def, state);
    return question_ask(world, &start_stages, def, state);
}

dent_status dent_world_safe_step(dent_world *world, const dent_impact_def *def, dent_safe_step *result)
{
    QUESTION_REQUIRE(world, def, result);
    return question_ask(world, &step_stages, def, result);
}
