/* Contacts within a fixed budget (dent_sim_def.contact_budget): instead of looking for all of them, a step spends so many work units
 * on interruptible searches between balls (dent/time_critical.h) and pushes with what is known then.
 *
 * All pairs of bodies that may meet first compare their roots, one unit each; the rest of the budget is shared out evenly among those
 * not apart. The response is a direction and a share for every vertex (dent_sphere_response_compute with stiffness 1); how hard is
 * decided here, from the effective mass 1/W of exactly that spread: with W = sum |f|^2/m / |F|^2 over both bodies, stiffness
 * 1/(4 W dt^2) is a quarter of what one undamped contact under symplectic Euler would bear. Velocities get it at the start of the step.
 * Deterministic: searches begin at the roots and count units, not time. */
#include "sim_internal.h"

#include <dent/time_critical.h>

#include <math.h>
#include <string.h>

enum { PENDING_ENTRIES = 4096, CONFIRMED_ENTRIES = 1024, FACE_PAIRS = 4096, PAIRS_MOST = 4096 };

struct budget_pair {
    uint32_t body[2];
    dent_time_critical *search;
    bool apart;
    double error;   /* of the last run: bound on how far what is pending may be from touching */
    uint64_t units; /* used in this step */
};

struct sim_budget {
    uint64_t units; /* a step */
    dent_bound_tree **trees; /* by body; null: meets nobody */
    uint32_t pair_count;
    struct budget_pair *pairs;
    double *forces[2]; /* 3 per vertex of the larger body */
};

static bool moves(const dent_sim *sim, uint32_t body)
{
    return sim->bodies[body].kind != DENT_SIM_PRESCRIBED;
}

static bool may_meet(const dent_sim *sim, uint32_t i, uint32_t k)
{
    const struct sim_body *a = &sim->bodies[i], *b = &sim->bodies[k];
    bool related = (a->kind == DENT_SIM_EMBEDDED && a->host == k) || (b->kind == DENT_SIM_EMBEDDED && b->host == i);
    return (a->collision_group & b->collision_mask) != 0 && (b->collision_group & a->collision_mask) != 0 && !related &&
           (moves(sim, i) || moves(sim, k));
}

/* ---- building --------------------------------------------------------------------------------------------------- */

static dent_status make_tree(dent_sim *sim, uint32_t body)
{
    dent_bound_tree_def def = dent_bound_tree_def_default();
    struct sim_budget *budget = sim->budget;
    if (budget->trees[body]) {
        return DENT_OK;
    }
    def.kind = DENT_BOUND_SPHERES; /* the response needs balls */
    dent_status status = dent_bound_tree_create(sim->world, sim->bodies[body].id, &def, &budget->trees[body]);
    return status == DENT_OK ? status : dent_fail(sim->context, status, "%s", dent_world_message(sim->world));
}

static dent_status make_pair(dent_sim *sim, uint32_t i, uint32_t k)
{
    struct sim_budget *budget = sim->budget;
    dent_time_critical_def def = dent_time_critical_def_default();
    if (budget->pair_count == PAIRS_MOST) {
        return dent_fail(sim->context, DENT_ERROR_TOO_LARGE, "simulation: contact_budget is for at most %d pairs of bodies", PAIRS_MOST);
    }
    dent_status status = make_tree(sim, i);
    status = status == DENT_OK ? make_tree(sim, k) : status;
    if (status != DENT_OK) {
        return status;
    }
    def.tree_a = budget->trees[i];
    def.tree_b = budget->trees[k];
    def.pending_capacity = PENDING_ENTRIES;
    def.confirmed_capacity = CONFIRMED_ENTRIES;
    def.pair_capacity = FACE_PAIRS;
    def.no_containment = true;
    struct budget_pair *pair = &budget->pairs[budget->pair_count];
    *pair = (struct budget_pair){.body = {i, k}};
    status = dent_time_critical_create(sim->context, &def, &pair->search);
    budget->pair_count += status == DENT_OK;
    return status;
}

dent_status budget_build(dent_sim *sim, uint64_t units)
{
    uint32_t most = 0;
    if (units == 0) {
        return DENT_OK;
    }
    for (uint32_t n = 0; n < sim->body_count; n++) {
        most = sim->bodies[n].vertex_count > most ? sim->bodies[n].vertex_count : most;
    }
    uint64_t pairs = (uint64_t)sim->body_count * (sim->body_count - 1) / 2;
    struct sim_budget *budget = sim_allocate(sim, 1, sizeof *budget);
    sim->budget = budget;
    if (!budget || !(budget->trees = sim_allocate(sim, sim->body_count, sizeof(dent_bound_tree *))) ||
        !(budget->pairs = sim_allocate(sim, pairs < PAIRS_MOST ? (size_t)pairs + 1 : PAIRS_MOST, sizeof *budget->pairs)) ||
        !(budget->forces[0] = sim_allocate(sim, 3 * (size_t)most, sizeof(double))) ||
        !(budget->forces[1] = sim_allocate(sim, 3 * (size_t)most, sizeof(double)))) {
        return sim_no_memory(sim);
    }
    budget->units = units;
    dent_status status = world_set_positions(sim, sim->state.positions, NULL);
    for (uint32_t i = 0; i < sim->body_count && status == DENT_OK; i++) {
        for (uint32_t k = i + 1; k < sim->body_count && status == DENT_OK; k++) {
            status = may_meet(sim, i, k) ? make_pair(sim, i, k) : DENT_OK;
        }
    }
    return status;
}

void budget_destroy(dent_sim *sim)
{
    struct sim_budget *budget = sim->budget;
    if (!budget) {
        return;
    }
    for (uint32_t n = 0; n < budget->pair_count; n++) {
        dent_time_critical_destroy(budget->pairs[n].search);
    }
    for (uint32_t n = 0; budget->trees && n < sim->body_count; n++) {
        dent_bound_tree_destroy(budget->trees[n]);
    }
    sim->budget = NULL;
}

/* ---- pushing ----------------------------------------------------------------------------------------------------- */

/* What the spread `forces` on a body does to it: velocities += factor * M^-1 forces when `apply`; returns forces . M^-1 forces. */
static double rigid_push(dent_rigid_state *state, const double *forces, const double *positions, uint32_t count, double factor, bool apply)
{
    double force[3] = {0}, torque[3] = {0}, matrix[9], local[3], spin[3] = {0};
    for (uint32_t v = 0; v < count; v++) {
        double arm[3], turn[3];
        sim_subtract(positions + 3 * (size_t)v, state->center, arm);
        sim_cross(arm, forces + 3 * (size_t)v, turn);
        sim_add_scaled(force, 1, forces + 3 * (size_t)v);
        sim_add_scaled(torque, 1, turn);
    }
    rigid_rotation(state->orientation, matrix);
    for (int i = 0; i < 3; i++) {
        local[i] = matrix[i] * torque[0] + matrix[3 + i] * torque[1] + matrix[6 + i] * torque[2];
    }
    for (int i = 0; i < 3; i++) {
        double turned = sim_dot(state->inverse_inertia + 3 * i, local);
        for (int k = 0; k < 3; k++) {
            spin[k] += matrix[3 * k + i] * turned;
        }
    }
    if (apply) {
        sim_add_scaled(state->linear_velocity, factor * state->inverse_mass, force);
        sim_add_scaled(state->angular_velocity, factor, spin);
    }
    return state->inverse_mass * sim_dot(force, force) + sim_dot(spin, torque);
}

/* Vertices of an embedded surface hand their force to the facet of the host that carries them. */
static const struct sim_embedding *embedding_of(const dent_sim *sim, uint32_t body)
{
    for (uint32_t n = 0; n < sim->embedding_count; n++) {
        if (sim->embeddings[n].body == body) {
            return &sim->embeddings[n];
        }
    }
    return NULL;
}

static double vertex_push(dent_sim *sim, uint32_t vertex, const double *force, double factor, bool apply)
{
    if (apply) {
        sim_add_scaled(sim->state.velocities + 3 * (size_t)vertex, factor * sim->inverse_masses[vertex], force);
    }
    return sim->inverse_masses[vertex] * sim_dot(force, force);
}

static double push(dent_sim *sim, uint32_t number, const double *forces, double factor, bool apply)
{
    const struct sim_body *body = &sim->bodies[number];
    const struct sim_embedding *embedding = embedding_of(sim, number);
    double sum = 0;
    if (body->rigid != SIM_NONE) {
        return rigid_push(&sim->state.rigids[body->rigid], forces, sim->state.positions + 3 * (size_t)body->first_vertex, body->vertex_count,
                          factor, apply);
    }
    for (uint32_t v = 0; v < body->vertex_count; v++) {
        const double *force = forces + 3 * (size_t)v;
        if (force[0] == 0 && force[1] == 0 && force[2] == 0) {
            continue;
        }
        for (int k = 0; embedding && k < 3; k++) {
            double weight = embedding->weights[3 * (size_t)v + (size_t)k], part[3] = {weight * force[0], weight * force[1], weight * force[2]};
            sum += vertex_push(sim, embedding->corners[3 * (size_t)v + (size_t)k], part, factor, apply);
        }
        sum += embedding ? 0 : vertex_push(sim, body->first_vertex + v, force, factor, apply);
    }
    return sum;
}

static dent_status respond(dent_sim *sim, struct budget_pair *pair)
{
    struct sim_budget *budget = sim->budget;
    dent_sphere_response_def def = dent_sphere_response_def_default();
    dent_sphere_response response;
    double along = 0;
    for (int side = 0; side < 2; side++) {
        memset(budget->forces[side], 0, 3 * (size_t)sim->bodies[pair->body[side]].vertex_count * sizeof(double));
    }
    def.confirmed_only = true;
    dent_status status = dent_sphere_response_compute(pair->search, &def, budget->forces[0], budget->forces[1], &response);
    double total = sim_dot(response.force, response.force);
    if (status != DENT_OK || response.regions == 0 || !(total > 0)) {
        return status;
    }
    for (int side = 0; side < 2; side++) {
        along += push(sim, pair->body[side], budget->forces[side], 0, false);
    }
    if (along > 0) {
        double stiffness = 0.25 * total / (along * sim->time_step * sim->time_step);
        for (int side = 0; side < 2; side++) {
            push(sim, pair->body[side], budget->forces[side], stiffness * sim->time_step, true);
        }
        sim->statistics.budget_regions += response.regions;
    }
    return DENT_OK;
}

/* ---- the search ---------------------------------------------------------------------------------------------------- */

static dent_status run(struct budget_pair *pair, uint64_t units)
{
    dent_time_critical_result result;
    dent_status status = dent_time_critical_run(pair->search, dent_budget_units(units), &result);
    if (status == DENT_OK) {
        pair->apart = result.outcome == DENT_OUTCOME_COMPLETE && result.confirmed_count == 0;
        pair->error = result.error;
        pair->units = result.work_units;
    }
    return status;
}

static dent_status search(dent_sim *sim)
{
    struct sim_budget *budget = sim->budget;
    dent_status status = DENT_OK;
    uint64_t near = 0;
    for (uint32_t n = 0; n < sim->body_count && status == DENT_OK; n++) {
        status = budget->trees[n] ? dent_bound_tree_update(budget->trees[n]) : DENT_OK;
    }
    for (uint32_t n = 0; n < budget->pair_count && status == DENT_OK; n++) {
        dent_time_critical_begin(budget->pairs[n].search, NULL);
        status = run(&budget->pairs[n], 1);
        near += !budget->pairs[n].apart;
    }
    uint64_t share = near > 0 && budget->units > budget->pair_count ? (budget->units - budget->pair_count) / near : 0;
    for (uint32_t n = 0; n < budget->pair_count && status == DENT_OK; n++) {
        struct budget_pair *pair = &budget->pairs[n];
        status = pair->apart ? DENT_OK : run(pair, share);
        sim->statistics.work_units += pair->units;
        sim->statistics.contact_error = fmax(sim->statistics.contact_error, pair->error);
    }
    return status;
}

dent_status budget_step(dent_sim *sim)
{
    struct sim_budget *budget = sim->budget;
    uint64_t begin = dent_clock_ns();
    dent_status status = search(sim);
    uint64_t found = dent_clock_ns();
    for (uint32_t n = 0; n < budget->pair_count && status == DENT_OK; n++) {
        status = budget->pairs[n].apart ? DENT_OK : respond(sim, &budget->pairs[n]);
    }
    sim->times.detect += found - begin;
    sim->times.respond += dent_clock_ns() - found;
    return status;
}
