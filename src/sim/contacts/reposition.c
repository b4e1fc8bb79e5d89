/* Repositioning a whole simulation: cycles of detection and dent_reposition_solve until no contact is nearer than the
 * trigger gap. The target gap of a contact is the sum of the two thicknesses, which steps keep anyway; the
 * trigger gap is three tenths of it, so that what a step does well is left to it.
 *
 * Elastic bodies that nothing holds move as a whole, as rigid ones do: moving the vertices in contact alone would store
 * the overlap as elastic energy, which throws the bodies apart in the next steps. Held ones give way where they touch.
 *
 * Detection along the way: no point moves by more than a quarter of an edge between two detections. Velocities stay;
 * but where the move was against gravity or elasticity, what that energy gained is taken from the speed with which the
 * bodies approach one another, as far as there is any: the velocities go a part of the way to those in which no contact
 * approaches, the part that the energy asks for. */
#include "sim/rigid/rigid_bonds.h"

#include <math.h>
#include <string.h>

enum { MOST_CYCLES = 10 };
static const double trigger_gap_share = 0.3;

/* An elastic body seen as a rigid one. */
struct whole {
    bool counts;
    dent_rigid_state before, now;
};

struct reposition_call {
    dent_sim *sim;
    struct whole *wholes; /* by body */
    dent_sim_reposition_report report;
    dent_status status;
};

static double potential_energy(const dent_sim *sim)
{
    dent_sim_statistics statistics = dent_sim_get_statistics(sim);
    return statistics.elastic + statistics.potential;
}

/* Gaps of sim->contacts are less the thicknesses: what lacks of the target gap is negative. */
static bool any_trigger_gap(const dent_sim *sim)
{
    for (uint64_t i = 0; i < sim->contact_count; i++) {
        const dent_contact *contact = &sim->contacts[i];
        double target_gap = sim->bodies[contact->body_a].thickness + sim->bodies[contact->body_b].thickness;
        if (contact->gap < (trigger_gap_share - 1) * target_gap || contact->gap + target_gap < 0) {
            return true;
        }
    }
    return false;
}

static double deepest(const dent_sim *sim)
{
    double most = 0;
    for (uint64_t i = 0; i < sim->reported_count; i++) {
        most = -sim->reported[i].gap > most ? -sim->reported[i].gap : most;
    }
    return most;
}

static dent_status find(dent_sim *sim)
{
    if (sim->rigid_count > 0) {
        memcpy(sim->rigid_detected, sim->state.rigids, sim->rigid_count * sizeof *sim->rigid_detected);
    }
    bonds_refresh(sim);
    return contacts_find(sim, 0);
}

/* The problem of the present contacts without friction, restitution and memory. */
static dent_response_problem bare_problem(dent_sim *sim)
{
    response_bodies_fill(sim, sim->state.positions, sim->state.rigids);
    dent_response_problem problem = response_problem(sim, sim->time_step);
    problem.material = (dent_contact_material){0};
    problem.material_pair_count = 0;
    problem.previous = NULL;
    problem.previous_count = 0;
    problem.forces = NULL;
    return problem;
}

/* ---- bodies as wholes -------------------------------------------------------------------------------------------- */

static bool invert(const double m[9], double inverse[9])
{
    double cofactors[9];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            cofactors[3 * j + i] = m[3 * i1 + j1] * m[3 * i2 + j2] - m[3 * i1 + j2] * m[3 * i2 + j1];
        }
    }
    double determinant = m[0] * cofactors[0] + m[1] * cofactors[3] + m[2] * cofactors[6], trace = m[0] + m[4] + m[8];
    for (int n = 0; n < 9; n++) {
        inverse[n] = cofactors[n] / determinant;
    }
    return determinant > 1e-12 * trace * trace * trace;
}

static void make_whole(const dent_sim *sim, const struct sim_body *body, struct whole *whole)
{
    double mass = 0, center[3] = {0, 0, 0}, inertia[9] = {0};
    *whole = (struct whole){.counts = body->kind == DENT_SIM_SOLID || body->kind == DENT_SIM_CLOTH};
    for (uint32_t v = body->first_vertex; v < body->first_vertex + body->vertex_count; v++) {
        whole->counts = whole->counts && sim->inverse_masses[v] > 0;
        mass += sim->masses[v];
        sim_add_scaled(center, sim->masses[v], sim->state.positions + 3 * (size_t)v);
    }
    if (!whole->counts) {
        return;
    }
    for (int axis = 0; axis < 3; axis++) {
        center[axis] /= mass;
    }
    for (uint32_t v = body->first_vertex; v < body->first_vertex + body->vertex_count; v++) {
        double arm[3], square;
        sim_subtract(sim->state.positions + 3 * (size_t)v, center, arm);
        square = sim_dot(arm, arm);
        for (int n = 0; n < 9; n++) {
            inertia[n] += sim->masses[v] * ((n % 4 == 0 ? square : 0) - arm[n / 3] * arm[n % 3]);
        }
    }
    whole->counts = invert(inertia, whole->before.inverse_inertia);
    whole->before.inverse_mass = 1 / mass;
    whole->before.orientation[0] = 1;
    memcpy(whole->before.center, center, sizeof center);
    whole->now = whole->before;
}

/* Linear and angular velocity that have the momenta of the body. */
static void find_velocities(const dent_sim *sim, const struct sim_body *body, struct whole *whole)
{
    double push[3] = {0, 0, 0}, turn[3] = {0, 0, 0};
    for (uint32_t v = body->first_vertex; v < body->first_vertex + body->vertex_count; v++) {
        double arm[3], moment[3];
        sim_subtract(sim->state.positions + 3 * (size_t)v, whole->before.center, arm);
        sim_cross(arm, sim->state.velocities + 3 * (size_t)v, moment);
        sim_add_scaled(push, sim->masses[v], sim->state.velocities + 3 * (size_t)v);
        sim_add_scaled(turn, sim->masses[v], moment);
    }
    for (int axis = 0; axis < 3; axis++) {
        whole->before.linear_velocity[axis] = whole->before.inverse_mass * push[axis];
        whole->before.angular_velocity[axis] = sim_dot(whole->before.inverse_inertia + 3 * axis, turn);
    }
    whole->now = whole->before;
}

static void change_velocities(dent_sim *sim, const struct sim_body *body, const struct whole *whole)
{
    double push[3], turn[3];
    sim_subtract(whole->now.linear_velocity, whole->before.linear_velocity, push);
    sim_subtract(whole->now.angular_velocity, whole->before.angular_velocity, turn);
    for (uint32_t v = body->first_vertex; v < body->first_vertex + body->vertex_count; v++) {
        double arm[3], spin[3], *velocity = sim->state.velocities + 3 * (size_t)v;
        sim_subtract(sim->state.positions + 3 * (size_t)v, whole->before.center, arm);
        sim_cross(turn, arm, spin);
        sim_add_scaled(velocity, 1, push);
        sim_add_scaled(velocity, 1, spin);
    }
}

/* Lets the responses see elastic bodies as wholes. */
static void use_rigid_proxies(dent_sim *sim, struct whole *wholes)
{
    for (uint32_t b = 0; b < sim->body_count; b++) {
        make_whole(sim, &sim->bodies[b], &wholes[b]);
        if (wholes[b].counts) {
            find_velocities(sim, &sim->bodies[b], &wholes[b]);
            sim->response_bodies[b].rigid = &wholes[b].now;
            sim->response_bodies[b].rigid_start = sim->response_bodies[b].rigid_detected = &wholes[b].before;
        }
    }
}

static void move_whole(dent_sim *sim, const struct sim_body *body, const struct whole *whole)
{
    for (uint32_t v = body->first_vertex; v < body->first_vertex + body->vertex_count; v++) {
        double *x = sim->state.positions + 3 * (size_t)v, moved[3];
        dent_rigid_move_point(&whole->before, &whole->now, x, moved);
        memcpy(x, moved, sizeof moved);
    }
}

static dent_status move_apart(dent_sim *sim, struct whole *wholes)
{
    dent_response_problem problem = bare_problem(sim);
    dent_reposition_def def = dent_reposition_def_default();
    use_rigid_proxies(sim, wholes);
    def.trigger_gap = def.target_gap;
    def.longest_move = 0.25 * sim->mean_edge;
    dent_status status = dent_reposition_solve(sim->response, &problem, &def, NULL);
    for (uint32_t b = 0; b < sim->body_count && status == DENT_OK; b++) {
        if (wholes[b].counts) {
            move_whole(sim, &sim->bodies[b], &wholes[b]);
        }
    }
    rigid_place_vertices(sim);
    bonds_place_vertices(sim);
    embedding_place_vertices(sim);
    return status;
}

/* ---- energy ------------------------------------------------------------------------------------------------------ */

static void blend(double *now, const double *before, double part)
{
    for (int axis = 0; axis < 3; axis++) {
        now[axis] = before[axis] + part * (now[axis] - before[axis]);
    }
}

static void blend_velocities(dent_sim *sim, double part)
{
    for (uint32_t v = 0; v < sim->vertex_count; v++) {
        blend(sim->state.velocities + 3 * (size_t)v, sim->wanted + 3 * (size_t)v, part);
    }
    for (uint32_t r = 0; r < sim->rigid_count; r++) {
        blend(sim->state.rigids[r].linear_velocity, sim->rigid_wanted[r].linear_velocity, part);
        blend(sim->state.rigids[r].angular_velocity, sim->rigid_wanted[r].angular_velocity, part);
    }
    rigid_vertex_velocities(sim);
}

static double kinetic_energy(const dent_sim *sim)
{
    return dent_sim_get_statistics(sim).kinetic;
}

/* Takes `energy` from the approach of the contacts; returns what it took. */
static dent_status slow_down(dent_sim *sim, struct whole *wholes, double energy, double *taken)
{
    size_t size = 3 * (size_t)sim->vertex_count * sizeof(double);
    memcpy(sim->wanted, sim->state.velocities, size);
    if (sim->rigid_count > 0) {
        memcpy(sim->rigid_wanted, sim->state.rigids, sim->rigid_count * sizeof *sim->rigid_wanted);
    }
    double before = kinetic_energy(sim);
    dent_response_problem problem = bare_problem(sim);
    use_rigid_proxies(sim, wholes);
    dent_velocity_def def = dent_velocity_def_default();
    def.warm_start = def.correction = 0;
    dent_status status = dent_velocity_solve(sim->response, &problem, &def, NULL);
    if (status != DENT_OK) {
        return status;
    }
    for (uint32_t b = 0; b < sim->body_count; b++) {
        if (wholes[b].counts) {
            change_velocities(sim, &sim->bodies[b], &wholes[b]);
        }
    }
    rigid_vertex_velocities(sim);
    /* Energy is a parabola in the part of the way, least at its end: most * (2 part - part^2) is taken. */
    double most = before - kinetic_energy(sim);
    double part = !(most > 0) ? 0 : energy >= most ? 1 : 1 - sqrt(1 - energy / most);
    blend_velocities(sim, part);
    *taken = before - kinetic_energy(sim);
    return DENT_OK;
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

static dent_status reposition(dent_sim *sim, struct whole *wholes, dent_sim_reposition_report *report)
{
    double before = potential_energy(sim), energy;
    dent_status status = find(sim);
    report->deepest_before = deepest(sim);
    while (status == DENT_OK && any_trigger_gap(sim) && report->cycles < MOST_CYCLES) {
        report->cycles++;
        status = move_apart(sim, wholes);
        status = status == DENT_OK ? find(sim) : status;
    }
    report->deepest_after = deepest(sim);
    energy = potential_energy(sim) - before;
    report->energy_gained = energy;
    if (status == DENT_OK && energy > 0) {
        status = slow_down(sim, wholes, energy, &report->energy_taken);
    }
    return status;
}

static void reposition_block(void *data, uint32_t block, uint32_t worker)
{
    (void)block;
    (void)worker;
    struct reposition_call *call = data;
    dent_sim *sim = call->sim;
    call->status = sim->memory_stale ? state_give_memory(sim) : DENT_OK;
    sim->memory_stale = sim->memory_stale && call->status != DENT_OK;
    if (call->status == DENT_OK) {
        call->status = state_copy(sim, &sim->backup, &sim->state);
    }
    if (call->status != DENT_OK) {
        return;
    }
    call->status = reposition(sim, call->wholes, &call->report);
    if (call->status == DENT_OK) {
        call->status = state_take_memory(sim);
    }
    if (call->status == DENT_OK) {
        call->status = world_set_positions(sim, sim->state.positions, NULL);
    }
    if (call->status != DENT_OK) {
        state_restore(sim);
        sim->reported_count = 0;
    }
}

dent_status dent_sim_reposition(dent_sim *sim, dent_sim_reposition_report *report)
{
    DENT_REQUIRE(NULL, sim);
    struct reposition_call call = {.sim = sim};
    if (!sim->contacts_wanted) {
        return dent_fail(sim->context, DENT_ERROR_UNSUPPORTED,
                         "reposition: the simulation has no contacts, or a budget for them");
    }
    call.wholes = dent_allocate(sim->context, sim->body_count, sizeof *call.wholes);
    if (!call.wholes) {
        return sim_no_memory(sim);
    }
    dent_parallel_for(sim->context, 1, reposition_block, &call);
    dent_release(sim->context, call.wholes, sim->body_count, sizeof *call.wholes);
    if (call.status == DENT_OK && report) {
        *report = call.report;
    }
    return call.status;
}
