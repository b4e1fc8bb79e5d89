/* Repositioning a whole simulation: cycles of detection and dent_reposition_solve until no contact is nearer than the
 * trigger gap. The target gap of a contact is the sum of the two thicknesses, which steps keep anyway; the
 * trigger gap is three tenths of it, so that what a step does well is left to it.
 *
 * Elastic bodies that nothing holds move as a whole, as rigid ones do: moving the vertices in contact alone would store
 * the overlap as elastic energy, which throws the bodies apart in the next steps. Held ones give way where they touch.
 *
 * Detection along the way: no point moves by more than a quarter of an edge between two detections, and what would meet
 * another body on that way stops before it (reposition_path.c). Velocities stay; but where the move was against gravity or elasticity, what that energy gained is taken from the speed with which the
 * bodies approach one another, as far as there is any: the velocities go a part of the way to those in which no contact
 * approaches, the part that the energy asks for. */
#include "sim/elastic/rod_pass.h"
#include "sim/step/reposition_path.h"

#include <math.h>
#include <string.h>

enum { MOST_CYCLES = 10 };
static const double trigger_gap_share = 0.3;

struct reposition_call {
    dent_sim *sim;
    struct whole *wholes; /* by body */
    struct reposition_path path;
    dent_sim_reposition_report report;
};

static double potential_energy(const dent_sim *sim)
{
    dent_sim_statistics statistics = dent_sim_get_statistics(sim);
    return statistics.elastic + statistics.potential;
}

/* Gaps of contacts->records are less the thicknesses: what lacks of the target gap is negative. */
static bool any_trigger_gap(const struct sim_model *model, const struct contact_set *contacts)
{
    for (uint64_t i = 0; i < contacts->count; i++) {
        const dent_contact *contact = &contacts->records[i];
        double target_gap = model->bodies[contact->body_a].thickness + model->bodies[contact->body_b].thickness;
        if (contact->gap < (trigger_gap_share - 1) * target_gap || contact->gap + target_gap < 0) {
            return true;
        }
    }
    return false;
}

static double deepest(const struct contact_set *contacts)
{
    double most = 0;
    for (uint64_t i = 0; i < contacts->count; i++) {
        most = -contacts->reported[i].gap > most ? -contacts->reported[i].gap : most;
    }
    return most;
}

static dent_status find(dent_sim *sim)
{
    struct sim_workspace *work = &sim->work;
    contacts_begin(&sim->model, &sim->state, &work->contacts, 0);
    return contacts_find(&sim->model, &sim->state, &work->search, &work->contacts, &work->report, 0);
}

/* The problem of the present contacts without friction, restitution and memory. */
static dent_response_problem bare_problem(dent_sim *sim)
{
    struct sim_state *state = &sim->state;
    dent_response_problem problem =
        response_problem(&sim->model, state, &sim->work.contacts, &sim->work.solver.response, state->positions,
                         state->rigids, sim->model.time_step);
    problem.material = (dent_contact_material){0};
    problem.material_pair_count = 0;
    problem.previous = NULL;
    problem.previous_count = 0;
    problem.forces = NULL;
    return problem;
}

/* ---- bodies as wholes -------------------------------------------------------------------------------------------- */

static void make_whole(const struct sim_model *model, const struct sim_state *state, const struct sim_body *body,
                       struct whole *whole)
{
    double mass = 0, center[3] = {0, 0, 0}, inertia[9] = {0};
    *whole = (struct whole){.counts = sim_is_elastic(body->kind)};
    for (uint32_t v = body->first_vertex; v < body->first_vertex + body->vertex_count; v++) {
        whole->counts = whole->counts && model->inverse_masses[v] > 0;
        mass += model->masses[v];
        sim_add_scaled(center, model->masses[v], state->positions + 3 * (size_t)v);
    }
    if (!whole->counts) {
        return;
    }
    for (int axis = 0; axis < 3; axis++) {
        center[axis] /= mass;
    }
    for (uint32_t v = body->first_vertex; v < body->first_vertex + body->vertex_count; v++) {
        double arm[3], square;
        sim_subtract(state->positions + 3 * (size_t)v, center, arm);
        square = sim_dot(arm, arm);
        for (int n = 0; n < 9; n++) {
            inertia[n] += model->masses[v] * ((n % 4 == 0 ? square : 0) - arm[n / 3] * arm[n % 3]);
        }
    }
    whole->counts = rigid_invert_inertia(inertia, whole->before.inverse_inertia);
    whole->before.inverse_mass = 1 / mass;
    whole->before.orientation[0] = 1;
    memcpy(whole->before.center, center, sizeof center);
    whole->now = whole->before;
}

/* Linear and angular velocity that have the momenta of the body. */
static void find_velocities(const struct sim_model *model, const struct sim_state *state, const struct sim_body *body,
                            struct whole *whole)
{
    double push[3] = {0, 0, 0}, turn[3] = {0, 0, 0};
    for (uint32_t v = body->first_vertex; v < body->first_vertex + body->vertex_count; v++) {
        double arm[3], moment[3];
        sim_subtract(state->positions + 3 * (size_t)v, whole->before.center, arm);
        sim_cross(arm, state->velocities + 3 * (size_t)v, moment);
        sim_add_scaled(push, model->masses[v], state->velocities + 3 * (size_t)v);
        sim_add_scaled(turn, model->masses[v], moment);
    }
    for (int axis = 0; axis < 3; axis++) {
        whole->before.linear_velocity[axis] = whole->before.inverse_mass * push[axis];
        whole->before.angular_velocity[axis] = sim_dot(whole->before.inverse_inertia + 3 * axis, turn);
    }
    whole->now = whole->before;
}

static void change_velocities(struct sim_state *state, const struct sim_body *body, const struct whole *whole)
{
    double push[3], turn[3];
    sim_subtract(whole->now.linear_velocity, whole->before.linear_velocity, push);
    sim_subtract(whole->now.angular_velocity, whole->before.angular_velocity, turn);
    for (uint32_t v = body->first_vertex; v < body->first_vertex + body->vertex_count; v++) {
        double arm[3], spin[3], *velocity = state->velocities + 3 * (size_t)v;
        sim_subtract(state->positions + 3 * (size_t)v, whole->before.center, arm);
        sim_cross(turn, arm, spin);
        sim_add_scaled(velocity, 1, push);
        sim_add_scaled(velocity, 1, spin);
    }
}

/* Lets the responses see elastic bodies as wholes. */
static void use_rigid_proxies(const struct sim_model *model, const struct sim_state *state, dent_response_body *bodies,
                              struct whole *wholes)
{
    for (uint32_t b = 0; b < model->body_count; b++) {
        make_whole(model, state, &model->bodies[b], &wholes[b]);
        if (wholes[b].counts) {
            find_velocities(model, state, &model->bodies[b], &wholes[b]);
            bodies[b].rigid = &wholes[b].now;
            bodies[b].rigid_start = bodies[b].rigid_detected = &wholes[b].before;
        }
    }
}

static dent_status move_apart(struct reposition_call *call)
{
    dent_sim *sim = call->sim;
    struct whole *wholes = call->wholes;
    const struct sim_model *model = &sim->model;
    struct sim_state *state = &sim->state;
    struct contact_response *response = &sim->work.solver.response;
    dent_status status = reposition_path_begin(sim, &call->path);
    if (status != DENT_OK) {
        return status;
    }
    dent_response_problem problem = bare_problem(sim);
    dent_reposition_def def = dent_reposition_def_default();
    use_rigid_proxies(model, state, response->bodies, wholes);
    def.trigger_gap = def.target_gap;
    def.longest_move = 0.25 * model->mean_edge;
    rods_note_places(model, state, &sim->work.solver.elastic);
    status = dent_reposition_solve(response->solver, &problem, &def, NULL);
    for (uint32_t b = 0; b < model->body_count && status == DENT_OK; b++) {
        if (wholes[b].counts) {
            reposition_move_whole(state, &model->bodies[b], &wholes[b], &wholes[b].now, sim->work.safe.interval_start);
        }
    }
    solver_place_vertices(model, state);
    status = status == DENT_OK ? reposition_path_limit(sim, &call->path, wholes, &call->report) : status;
    rods_follow(model, state, &sim->work.solver.elastic);
    return status;
}

/* ---- energy ------------------------------------------------------------------------------------------------------ */

static void blend(double *now, const double *before, double part)
{
    for (int axis = 0; axis < 3; axis++) {
        now[axis] = before[axis] + part * (now[axis] - before[axis]);
    }
}

static void blend_velocities(const struct sim_model *model, struct sim_state *state, const struct safe_motion *before,
                             double part)
{
    for (uint32_t v = 0; v < model->vertex_count; v++) {
        blend(state->velocities + 3 * (size_t)v, before->wanted + 3 * (size_t)v, part);
    }
    for (uint32_t r = 0; r < model->rigid_count; r++) {
        blend(state->rigids[r].linear_velocity, before->rigid_wanted[r].linear_velocity, part);
        blend(state->rigids[r].angular_velocity, before->rigid_wanted[r].angular_velocity, part);
    }
    rigid_vertex_velocities(model, state);
}

static double kinetic_energy(const dent_sim *sim)
{
    return dent_sim_get_statistics(sim).kinetic;
}

/* Takes `energy` from the approach of the contacts; returns what it took. */
static dent_status slow_down(dent_sim *sim, struct whole *wholes, double energy, double *taken)
{
    const struct sim_model *model = &sim->model;
    struct sim_state *state = &sim->state;
    struct safe_motion *safe = &sim->work.safe; /* its arrays keep the velocities from before */
    struct contact_response *response = &sim->work.solver.response;
    size_t size = 3 * (size_t)model->vertex_count * sizeof(double);
    memcpy(safe->wanted, state->velocities, size);
    if (model->rigid_count > 0) {
        memcpy(safe->rigid_wanted, state->rigids, model->rigid_count * sizeof *safe->rigid_wanted);
    }
    double before = kinetic_energy(sim);
    dent_response_problem problem = bare_problem(sim);
    use_rigid_proxies(model, state, response->bodies, wholes);
    dent_velocity_def def = dent_velocity_def_default();
    def.warm_start = def.correction = 0;
    dent_status status = dent_velocity_solve(response->solver, &problem, &def, NULL);
    if (status != DENT_OK) {
        return status;
    }
    for (uint32_t b = 0; b < model->body_count; b++) {
        if (wholes[b].counts) {
            change_velocities(state, &model->bodies[b], &wholes[b]);
        }
    }
    rigid_vertex_velocities(model, state);
    /* Energy is a parabola in the part of the way, least at its end: most * (2 part - part^2) is taken. */
    double most = before - kinetic_energy(sim);
    double part = !(most > 0) ? 0 : energy >= most ? 1 : 1 - sqrt(1 - energy / most);
    blend_velocities(model, state, safe, part);
    *taken = before - kinetic_energy(sim);
    return DENT_OK;
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

static dent_status reposition(struct reposition_call *call)
{
    dent_sim *sim = call->sim;
    dent_sim_reposition_report *report = &call->report;
    double before = potential_energy(sim), energy;
    dent_status status = find(sim);
    report->deepest_before = deepest(&sim->work.contacts);
    while (status == DENT_OK && !sim->work.report.cancelled && any_trigger_gap(&sim->model, &sim->work.contacts) &&
           report->cycles < MOST_CYCLES) {
        report->cycles++;
        status = move_apart(call);
        status = status == DENT_OK ? find(sim) : status;
    }
    report->deepest_after = deepest(&sim->work.contacts);
    energy = potential_energy(sim) - before;
    report->energy_gained = energy;
    if (status == DENT_OK && energy > 0) {
        status = slow_down(sim, call->wholes, energy, &report->energy_taken);
    }
    return status;
}

static dent_status keep_and_reposition(void *data)
{
    struct reposition_call *call = data;
    dent_sim *sim = call->sim;
    dent_status status = sim_keep_state(sim);
    if (status != DENT_OK) {
        return status;
    }
    sim->work.report.cancelled = false;
    rigid_wake(&sim->model, &sim->state, SIM_NONE);
    state_forget_history(&sim->model, &sim->state);
    status = reposition(call);
    if (status == DENT_OK && sim->work.report.cancelled) {
        call->report = (dent_sim_reposition_report){.outcome = DENT_OUTCOME_CANCELLED};
        sim_undo(sim);
        return DENT_OK;
    }
    if (status == DENT_OK) {
        status = state_take_memory(sim->model.context, &sim->state, sim->work.search.world);
    }
    if (status == DENT_OK) {
        status = world_set_positions(&sim->model, sim->work.search.world, sim->state.positions, NULL);
    }
    if (status != DENT_OK) {
        sim_undo(sim);
    }
    return status;
}

dent_status dent_sim_reposition(dent_sim *sim, dent_sim_reposition_report *report)
{
    DENT_REQUIRE(NULL, sim);
    const struct sim_model *model = &sim->model;
    struct reposition_call call = {.sim = sim};
    if (!model->contacts_wanted) {
        return dent_fail(model->context, DENT_ERROR_UNSUPPORTED,
                         "reposition: the simulation has no contacts, or a budget for them");
    }
    call.wholes = dent_allocate(model->context, model->body_count, sizeof *call.wholes);
    if (!call.wholes) {
        return sim_no_memory(model->context);
    }
    dent_status status = reposition_path_create(sim, &call.path);
    status = status == DENT_OK ? dent_call_guarded(model->context, keep_and_reposition, &call) : status;
    reposition_path_destroy(sim, &call.path);
    dent_release(model->context, call.wholes, model->body_count, sizeof *call.wholes);
    if (status == DENT_OK && report) {
        *report = call.report;
    }
    return status;
}
