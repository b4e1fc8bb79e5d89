/* A step, stage by stage. */
#include "sim/elastic/contact_springs.h"
#include "sim/rigid/rigid_bonds.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

static bool is_cancelled(const dent_sim *sim)
{
    return sim->cancelled || (sim->cancel && atomic_load((const _Atomic int *)(const void *)sim->cancel) != 0);
}

static void elastic_part(dent_sim *sim, uint64_t count)
{
    uint64_t begin = dent_clock_ns();
    springs_follow(sim);
    for (uint32_t n = 0; n < sim->iterations; n++) {
        /* Forwards and backwards in turn, so that no direction of the mesh is preferred. */
        elastic_sweep(sim, n, ((count + n) & 1) != 0);
        springs_move_pieces(sim, sim->substep);
        bonds_assemble(sim);
        springs_add_to_blocks(sim);
        grabs_add_to_blocks(sim);
        bonds_move(sim);
    }
    springs_end(sim, sim->substep);
    elastic_keep_momentum(sim);
    sim->times.elastic += dent_clock_ns() - begin;
}

static dent_status substep(dent_sim *sim, uint32_t number)
{
    double h = sim->substep;
    uint64_t count = sim->state.step * sim->substeps + number;
    contacts_carry(sim, h);
    attachments_carry(sim, h);
    dent_status status = springs_begin(sim, h);
    if (status != DENT_OK) {
        return status;
    }
    integration_predict(sim);
    motion_apply(sim, (double)sim->state.step * sim->time_step + (double)(number + 1) * h);
    rigid_predict(sim, h);
    bonds_begin(sim, h);
    elastic_part(sim, count);
    contacts_take_out(sim);
    bonds_take_out(sim, h);
    attachments_solve(sim, h);
    grabs_solve(sim, h);
    status = contacts_push(sim, h);
    if (status != DENT_OK) {
        return status;
    }
    rigid_finish(sim, h);
    rigid_place_vertices(sim);
    bonds_place_vertices(sim);
    embedding_place_vertices(sim);
    integration_velocities(sim);
    rigid_vertex_velocities(sim);
    return contacts_bounce(sim, h);
}

/* The substeps between two detections. */
static dent_status interval(dent_sim *sim, uint32_t first, uint32_t count)
{
    double duration = sim->substep * count;
    dent_status status = DENT_OK;
    sim->interval_count = count;
    if (sim->continuous) {
        memcpy(sim->interval_start, sim->state.positions, 3 * (size_t)sim->vertex_count * sizeof(double));
    }
    if (sim->rigid_count > 0) {
        memcpy(sim->rigid_detected, sim->state.rigids, sim->rigid_count * sizeof *sim->rigid_detected);
    }
    bonds_refresh(sim);
    if (sim->contacts_wanted) {
        status = contacts_find(sim, duration);
    }
    for (uint32_t n = 0; n < count && status == DENT_OK && !is_cancelled(sim); n++) {
        status = substep(sim, first + n);
    }
    if (status == DENT_OK && sim->continuous && !is_cancelled(sim)) {
        status = safe_motion_finish(sim, duration);
    }
    return status;
}

static dent_status check_finite(dent_sim *sim)
{
    for (uint32_t v = 0; v < sim->vertex_count; v++) {
        const double *x = sim->state.positions + 3 * (size_t)v, *velocity = sim->state.velocities + 3 * (size_t)v;
        if (!isfinite(x[0] + x[1] + x[2]) || !isfinite(velocity[0] + velocity[1] + velocity[2])) {
            const struct sim_body *body = &sim->bodies[sim->vertex_bodies[v]];
            return dent_fail(sim->context, DENT_ERROR_BAD_NUMBER,
                             "%s: the position or velocity of vertex %u stopped being finite in step %llu", body->name,
                             v - body->first_vertex, (unsigned long long)sim->state.step);
        }
    }
    return DENT_OK;
}

static dent_status run_step(dent_sim *sim)
{
    dent_status status = sim->budget ? budget_step(sim) : DENT_OK;
    for (uint32_t first = 0; first < sim->substeps && status == DENT_OK && !is_cancelled(sim);) {
        uint32_t left = sim->substeps - first;
        uint32_t count = contacts_interval(sim, left < sim->contact_interval ? left : sim->contact_interval);
        status = interval(sim, first, count);
        first += count;
    }
    sim->cancelled = is_cancelled(sim);
    if (status == DENT_OK && !sim->cancelled) {
        status = check_finite(sim);
    }
    if (status == DENT_OK && !sim->cancelled && sim->contacts_wanted) {
        status = state_take_memory(sim);
    }
    if (status == DENT_OK) {
        status = world_set_positions(sim, sim->state.positions, NULL);
    }
    return status;
}

static void count_contacts(dent_sim *sim)
{
    sim->statistics.contacts = sim->reported_count;
    for (uint64_t i = 0; i < sim->reported_count; i++) {
        sim->statistics.touching += sim_dot(sim->reported[i].force, sim->reported[i].force) > 0;
    }
}

struct step_call {
    dent_sim *sim;
    dent_status status;
};

static void step_block(void *data, uint32_t block, uint32_t worker)
{
    (void)block;
    (void)worker;
    struct step_call *call = data;
    dent_sim *sim = call->sim;
    uint64_t begin = dent_clock_ns(), allocations = dent_context_memory_use(sim->context).allocations;
    sim->cancelled = false;
    call->status = sim->memory_stale ? state_give_memory(sim) : DENT_OK;
    if (call->status != DENT_OK) {
        return;
    }
    sim->memory_stale = false;
    call->status = state_copy(sim, &sim->backup, &sim->state);
    if (call->status != DENT_OK) {
        return;
    }
    sim->times = (struct sim_times){0};
    sim->statistics = (dent_sim_statistics){.deepest_a = SIM_NONE, .deepest_b = SIM_NONE};
    sim->reported_count = sim->contact_count = 0;
    call->status = run_step(sim);
    if (call->status != DENT_OK || sim->cancelled) {
        state_restore(sim);
        sim->reported_count = 0;
        sim->statistics = (dent_sim_statistics){.deepest_a = SIM_NONE, .deepest_b = SIM_NONE};
        sim->statistics.outcome = sim->cancelled ? DENT_OUTCOME_CANCELLED : DENT_OUTCOME_COMPLETE;
        return;
    }
    sim->state.step++;
    count_contacts(sim);
    sim->times.total = dent_clock_ns() - begin;
    sim->statistics.allocations = dent_context_memory_use(sim->context).allocations - allocations;
}

dent_status dent_sim_step(dent_sim *sim)
{
    DENT_REQUIRE(NULL, sim);
    /* One block of a loop: there the floating-point state is the one the arithmetic is defined in. */
    struct step_call call = {sim, DENT_OK};
    dent_parallel_for(sim->context, 1, step_block, &call);
    return call.status;
}
