/* Repositioning passes through nothing. The displacement of a cycle takes every vertex on a straight line from where it
 * was. The exact question `impact` finds what would meet on the way, and bodies that would go only as far as that. Outside
 * time there is no other path to follow, so bodies that turn need no motion of their own: what is proven is that the
 * surfaces can be taken from one place to the other without crossing.
 *
 * The first rounds keep half of the rest distance, so that the next cycle finds a contact and the solver deals with it;
 * what begins nearer is left to the contacts it has. The rounds after them stop what would really touch. What they change
 * may meet something else, so they go on until nothing does; in the last ones bodies stay where the cycle began, which was
 * free. Pairs that overlap when the cycle begins have no free way: for them the length of a cycle is the only limit. */
#include "sim/step/reposition_path.h"

#include <math.h>
#include <string.h>

#include <dent/penetration.h>

enum { DISTANCE_ROUNDS = 4, LAST_ROUND = 12, ALL_ROUNDS = 16 };

dent_status reposition_path_create(dent_sim *sim, struct reposition_path *path)
{
    dent_context *context = sim->model.context;
    *path = (struct reposition_path){0};
    path->fractions = dent_allocate(context, sim->model.body_count, sizeof *path->fractions);
    path->shares = dent_allocate(context, sim->model.body_count, sizeof *path->shares);
    return path->fractions && path->shares ? DENT_OK : sim_no_memory(context);
}

void reposition_path_destroy(dent_sim *sim, struct reposition_path *path)
{
    dent_context *context = sim->model.context;
    dent_release(context, path->fractions, sim->model.body_count, sizeof *path->fractions);
    dent_release(context, path->shares, sim->model.body_count, sizeof *path->shares);
    dent_release(context, path->overlapping, (size_t)path->overlapping_capacity, sizeof *path->overlapping);
}

dent_status reposition_path_begin(dent_sim *sim, struct reposition_path *path)
{
    dent_check_def def = dent_check_def_default();
    dent_check_result found;
    def.self = def.ignore_touching = true;
    def.cancel = sim->model.cancel;
    path->overlapping_count = 0;
    safe_motion_begin(&sim->model, &sim->state, &sim->work.safe);
    dent_status status = dent_world_check(sim->work.search.world, &def, &found);
    if (status != DENT_OK) {
        return dent_fail(sim->model.context, status, "reposition: %s", dent_world_message(sim->work.search.world));
    }
    sim->work.report.cancelled = sim->work.report.cancelled || found.outcome == DENT_OUTCOME_CANCELLED;
    status = sim_reserve(sim->model.context, (void **)&path->overlapping, &path->overlapping_capacity, found.pair_count,
                         sizeof *path->overlapping);
    for (uint64_t i = 0; i < found.pair_count && status == DENT_OK; i++) {
        if (found.pairs[i].state == DENT_BODY_PAIR_PENETRATING) {
            path->overlapping[path->overlapping_count++] =
                (struct overlapping_pair){found.pairs[i].body_a, found.pairs[i].body_b};
        }
    }
    return status;
}

static bool may_meet(const struct sim_model *model, const struct reposition_path *path, const dent_impact *impact)
{
    bool may = bodies_are_joined(model, impact->body_a, impact->body_b);
    for (uint64_t i = 0; i < path->overlapping_count && !may; i++) {
        const struct overlapping_pair *pair = &path->overlapping[i];
        may = (pair->body_a == impact->body_a && pair->body_b == impact->body_b) ||
              (pair->body_a == impact->body_b && pair->body_b == impact->body_a);
    }
    return may;
}

/* Half of the least rest distance of two bodies. */
static double distance_of(const struct sim_model *model)
{
    double least = INFINITY;
    for (uint32_t b = 0; b < model->body_count; b++) {
        least = model->bodies[b].thickness < least ? model->bodies[b].thickness : least;
    }
    return least;
}

static dent_status find(dent_sim *sim, double separation, dent_impact_result *found)
{
    struct sim_workspace *work = &sim->work;
    dent_world *world = work->search.world;
    dent_status status = world_set_positions(&sim->model, world, work->safe.interval_start, sim->state.positions);
    dent_impact_def def = dent_impact_def_default();
    def.separation = separation;
    def.cancel = sim->model.cancel;
    status = status == DENT_OK ? dent_world_impacts(world, &def, found) : status;
    if (status != DENT_OK) {
        return dent_fail(sim->model.context, status, "reposition: %s", dent_world_message(world));
    }
    work->report.cancelled = work->report.cancelled || found->outcome == DENT_OUTCOME_CANCELLED;
    return DENT_OK;
}

/* Whether an impact stops anything. What is nearer than a separation at the beginning has a contact; what touches then may
 * slide and part. */
static bool stops(const dent_sim *sim, const struct reposition_path *path, const dent_impact *impact, double separation)
{
    if (may_meet(&sim->model, path, impact)) {
        return false;
    }
    if (separation > 0) {
        return impact->body_a != impact->body_b && impact->toi > 0 && impact->toi < 1 - 1e-6;
    }
    return !safe_motion_departs(&sim->model, &sim->state, sim->work.search.world, &sim->work.safe, impact);
}

static uint64_t shorten(const dent_sim *sim, struct reposition_path *path, const dent_impact_result *found,
                        double separation, uint32_t round)
{
    const struct sim_model *model = &sim->model;
    uint64_t count = 0;
    for (uint32_t b = 0; b < model->body_count; b++) {
        path->shares[b] = 1;
    }
    for (uint64_t i = 0; i < found->count; i++) {
        const dent_impact *impact = &found->impacts[i];
        const uint32_t bodies[2] = {impact->body_a, impact->body_b};
        if (!stops(sim, path, impact, separation)) {
            continue;
        }
        double share = round >= LAST_ROUND ? 0 : separation > 0 ? impact->toi : 0.9 * impact->toi;
        for (int s = 0; s < 2; s++) {
            const struct sim_body *body = &model->bodies[bodies[s]];
            uint32_t mover = body->kind == DENT_SIM_EMBEDDED ? body->host : bodies[s];
            path->shares[mover] = share < path->shares[mover] ? share : path->shares[mover];
        }
        count++;
    }
    for (uint32_t b = 0; b < model->body_count; b++) {
        path->fractions[b] *= path->shares[b];
    }
    return count;
}

void reposition_move_whole(struct sim_state *state, const struct sim_body *body, const struct whole *whole,
                           const dent_rigid_state *to, const double *start)
{
    for (uint32_t v = body->first_vertex; v < body->first_vertex + body->vertex_count; v++) {
        dent_rigid_move_point(&whole->before, to, start + 3 * (size_t)v, state->positions + 3 * (size_t)v);
    }
}

static void place_elastic(struct sim_state *state, const struct sim_body *body, const struct safe_motion *safe,
                          const struct whole *whole, double fraction)
{
    dent_rigid_state between = whole->now;
    if (whole->counts && fraction > 0) {
        swift_place_between(&whole->before, &whole->now, fraction, &between);
        reposition_move_whole(state, body, whole, &between, safe->interval_start);
        return;
    }
    for (size_t n = 3 * (size_t)body->first_vertex; n < 3 * (size_t)(body->first_vertex + body->vertex_count); n++) {
        double way = safe->wanted[n] - safe->interval_start[n];
        state->positions[n] = safe->interval_start[n] + fraction * way;
    }
}

/* At fraction 0 everything gets the very bits it had. */
static void place(dent_sim *sim, const struct reposition_path *path, const struct whole *wholes)
{
    const struct sim_model *model = &sim->model;
    struct sim_workspace *work = &sim->work;
    for (uint32_t b = 0; b < model->body_count; b++) {
        const struct sim_body *body = &model->bodies[b];
        if (path->fractions[b] < 1 && body->rigid != SIM_NONE) {
            swift_place_between(&work->contacts.rigid_detected[body->rigid], &work->safe.rigid_wanted[body->rigid],
                                path->fractions[b], &sim->state.rigids[body->rigid]);
        } else if (path->fractions[b] < 1 && sim_is_elastic(body->kind)) {
            place_elastic(&sim->state, body, &work->safe, &wholes[b], path->fractions[b]);
        }
    }
    solver_place_vertices(model, &sim->state);
}

dent_status reposition_path_limit(dent_sim *sim, struct reposition_path *path, const struct whole *wholes,
                                  dent_sim_reposition_report *report)
{
    const struct sim_model *model = &sim->model;
    dent_status status = DENT_OK;
    double separation = distance_of(model);
    safe_motion_keep_wanted(model, &sim->state, &sim->work.safe);
    for (uint32_t b = 0; b < model->body_count; b++) {
        path->fractions[b] = 1;
    }
    for (uint32_t round = 0; round < ALL_ROUNDS && status == DENT_OK && !sim->work.report.cancelled; round++) {
        dent_impact_result found;
        separation = round < DISTANCE_ROUNDS ? separation : 0;
        status = find(sim, separation, &found);
        uint64_t count = status == DENT_OK ? shorten(sim, path, &found, separation, round) : 0;
        report->impacts += count;
        if (count == 0 && separation == 0) {
            break;
        }
        separation = count == 0 ? 0 : separation;
        for (uint32_t b = 0; b < model->body_count && round + 1 == ALL_ROUNDS; b++) {
            path->fractions[b] = 0;
        }
        place(sim, path, wholes);
    }
    for (uint32_t b = 0; b < model->body_count; b++) {
        report->stopped += path->fractions[b] < 1 && model->bodies[b].kind != DENT_SIM_PRESCRIBED;
    }
    return status;
}
