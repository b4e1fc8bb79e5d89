/* A substep, stage by stage: free flight of rigid bodies, the minimisation that moves elastic bodies and all they meet,
 * islands of the other rigid bodies, and the velocities that follow from where everything ended. */
#include "substep.h"

#include "sim/elastic/rigid_bonds.h"
#include "sim/elastic/rod_pass.h"

#include <string.h>

dent_status solver_build(struct sim_model *model, struct sim_state *state, struct sim_solver *solver,
                         uint32_t iterations)
{
    solver->scratch = sim_allocate(model, 3 * (size_t)model->vertex_count, sizeof *solver->scratch);
    if (!solver->scratch) {
        return sim_no_memory(model->context);
    }
    dent_status status = response_build(model, &solver->response);
    status = status == DENT_OK ? rigid_build(model, state, &solver->rigid) : status;
    status = status == DENT_OK ? elastic_build(model, state, &solver->elastic, iterations) : status;
    status = status == DENT_OK ? islands_build(model, &solver->islands) : status;
    if (status == DENT_OK) {
        loads_bind_rigids(model, state); /* when bonds have moved their centres */
    }
    return status;
}

void solver_destroy(dent_context *context, struct sim_solver *solver)
{
    response_destroy(&solver->response);
    islands_destroy(context, &solver->islands);
    elastic_destroy(context, &solver->elastic);
}

dent_status solver_begin(const struct sim_model *model, struct sim_state *state, struct contact_set *contacts,
                         struct sim_solver *solver)
{
    dent_status status = elastic_begin(model, state, contacts, &solver->elastic);
    status = status == DENT_OK ? islands_begin(model, contacts, &solver->elastic, &solver->islands) : status;
    if (status == DENT_OK && model->rigid_count > 0) {
        island_energy_forget(model, state, contacts, &solver->islands);
    }
    return status;
}

void solver_place_vertices(const struct sim_model *model, struct sim_state *state)
{
    rigid_place_vertices(model, state);
    bonds_place_vertices(model, state->rigids, state->positions);
    embedding_place_vertices(model, state);
}

struct carried_call {
    const struct sim_model *model;
    struct sim_state *state;
    const double *previous;
};

static void carried_range(void *data, uint32_t begin, uint32_t end)
{
    const struct carried_call *call = data;
    const struct sim_model *model = call->model;
    double h = model->substep;
    for (uint32_t v = begin; v < end; v++) {
        bool elastic = sim_is_elastic(model->bodies[model->vertex_bodies[v]].kind);
        for (size_t n = 3 * (size_t)v; n < 3 * (size_t)v + 3 && !(elastic && model->inverse_masses[v] > 0); n++) {
            call->state->velocities[n] = (call->state->positions[n] - call->previous[n]) / h;
        }
    }
}

/* What does not move by itself has the velocity of where it was put. */
static void carried_velocities(const struct sim_model *model, struct sim_state *state, const double *previous)
{
    struct carried_call call = {model, state, previous};
    sim_parallel(model->context, 0, model->vertex_count, carried_range, &call);
}

/* A load that changes wakes its rigid body; under one that stays as it is, a body may sleep. */
static void wake_loaded(const struct sim_model *model, struct sim_state *state, const struct load_work *work,
                        double time)
{
    for (uint32_t l = 0; l < model->loads->load_count; l++) {
        const struct sim_load *load = &model->loads->loads[l];
        if (load->rigid != SIM_NONE && course_at(&load->course, time - model->substep) != work->factors[l]) {
            rigid_wake(model, state, load->rigid);
        }
    }
}

dent_status solver_substep(const struct sim_model *model, struct sim_state *state, struct contact_set *contacts,
                           struct sim_solver *solver, struct step_report *report, uint32_t number)
{
    struct elastic_work *elastic = &solver->elastic;
    size_t size = 3 * (size_t)model->vertex_count * sizeof(double);
    sim_copy(model->context, elastic->previous, state->positions, size);
    sim_copy(model->context, solver->response.approach_velocities, state->velocities, size);
    if (model->rigid_count > 0) {
        memcpy(elastic->previous_rigids, state->rigids, model->rigid_count * sizeof *state->rigids);
    }
    double time = (double)state->step * model->time_step + (double)(number + 1) * model->substep;
    loads_begin(model, state, &elastic->loads, time);
    motion_apply(model, state, solver->scratch, time);
    rods_place_anchors(model, state);
    elastic->time = time;
    supports_apply(model, state, time);
    wake_loaded(model, state, &elastic->loads, time);
    islands_wake(model, state, contacts, elastic->previous, &solver->islands);
    elastic_set_time(model, state, time);
    bonds_collect_loads(model, state, &elastic->loads);
    loads_push_rigids(model, state, &elastic->loads);
    rigid_predict(model, state, &solver->rigid);
    uint64_t begin = dent_clock_ns();
    dent_status status = elastic_substep(model, state, contacts, &solver->rigid, elastic);
    report->ns_elastic += dent_clock_ns() - begin;
    if (status == DENT_OK) {
        status = islands_push(model, state, contacts, elastic->previous, &solver->rigid, &solver->islands, report);
    }
    if (status != DENT_OK) {
        return status;
    }
    rigid_finish(model, state, &solver->rigid);
    status = islands_settle(model, state, contacts, &solver->rigid, &solver->islands, report);
    if (status != DENT_OK) {
        return status;
    }
    elastic_joint_reactions(model, state, elastic);
    solver_place_vertices(model, state);
    carried_velocities(model, state, elastic->previous);
    struct load_way way = {elastic->previous, state->positions, elastic->previous_rigids, state->rigids, false};
    double work = loads_work(model, &elastic->loads, &way, NULL); /* as the limit counts it */
    double given = islands_outer_work(model, &solver->islands, elastic->previous_rigids, state->rigids);
    bool back = elastic_limit_energy(model, state, elastic, given);
    state->outer_work += back ? loads_work(model, &elastic->loads, &way, NULL) : work;
    state->outer_work += islands_motor_work(&solver->islands);
    supports_velocities(model, state, elastic->previous);
    elastic_flow(model, state);
    rigid_vertex_velocities(model, state);
    return DENT_OK;
}
