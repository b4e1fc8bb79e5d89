/* A substep, stage by stage: forces of the last one carried into it, inertia, elasticity, attachments, contacts, and
 * the velocities that follow from where everything ended. */
#include "substep.h"

#include "sim/elastic/contact_springs.h"
#include "sim/elastic/rigid_bonds.h"

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
    return status == DENT_OK ? islands_build(model, &solver->islands) : status;
}

void solver_destroy(dent_context *context, struct sim_solver *solver)
{
    response_destroy(context, &solver->response);
    islands_destroy(context, &solver->islands);
    elastic_destroy(context, &solver->elastic);
}

dent_status solver_begin(const struct sim_model *model, const struct sim_state *state, struct contact_set *contacts,
                         struct sim_solver *solver)
{
    bonds_refresh(model, state, &solver->elastic);
    dent_status status = islands_begin(model, contacts, &solver->elastic, &solver->islands);
    return status != DENT_OK ? status : contacts_choose_shares(model, state, contacts, &solver->elastic);
}

void solver_place_vertices(const struct sim_model *model, struct sim_state *state)
{
    rigid_place_vertices(model, state);
    bonds_place_vertices(model, state);
    embedding_place_vertices(model, state);
}

dent_status solver_substep(const struct sim_model *model, struct sim_state *state, struct contact_set *contacts,
                           struct sim_solver *solver, struct step_report *report, uint32_t number)
{
    struct elastic_work *elastic = &solver->elastic;
    struct contact_response *response = &solver->response;
    uint64_t count = state->step * model->substeps + number;
    /* Memory first: forces that are carried must not outlive a substep that fails. */
    dent_status status = springs_reserve(model, contacts, elastic);
    if (status != DENT_OK) {
        return status;
    }
    contacts_carry(model, state, contacts, elastic);
    attachments_carry(model, state, elastic);
    springs_begin(model, state, contacts, elastic);
    integration_predict(model, state, elastic, response);
    motion_apply(model, state, solver->scratch,
                 (double)state->step * model->time_step + (double)(number + 1) * model->substep);
    islands_wake(model, state, contacts, elastic->previous, &solver->islands);
    rigid_predict(model, state, &solver->rigid);
    bonds_begin(model, state, elastic);
    uint64_t begin = dent_clock_ns();
    elastic_solve(model, state, contacts, elastic, count);
    report->ns_elastic += dent_clock_ns() - begin;
    carried_take_out(model, state, &elastic->carried);
    bonds_take_out(model, state, elastic);
    attachments_solve(model, state, elastic);
    grabs_solve(model, state, elastic);
    status = contacts_push(model, state, contacts, elastic, &solver->rigid, response, report);
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
    solver_place_vertices(model, state);
    integration_velocities(model, state, elastic, response);
    rigid_vertex_velocities(model, state);
    return contacts_bounce(model, state, contacts, elastic, &solver->rigid, response, report);
}
