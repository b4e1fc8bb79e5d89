/* Contacts of rigid bodies that no elastic body or attachment takes part in, pushed apart in every substep by
 * dent/response.h; all others are terms of the minimisation (elastic/minimise.c). */
#include "sim_contacts.h"

#include <math.h>
#include <string.h>

/* Old overlap comes out by so many mean edges a second; at once it would shoot bodies apart. */
#define RECOVERED_EDGES 10

dent_status response_build(struct sim_model *model, struct contact_response *response)
{
    response->solver = dent_response_create(model->context);
    response->bodies = sim_allocate(model, model->body_count, sizeof *response->bodies);
    response->approach_velocities = sim_allocate(model, 3 * (size_t)model->vertex_count, sizeof(double));
    return response->solver && response->bodies && response->approach_velocities ? DENT_OK
                                                                                 : sim_no_memory(model->context);
}

void response_destroy(dent_context *context, struct contact_response *response)
{
    dent_response_destroy(response->solver);
    dent_release(context, response->contacts, (size_t)response->contact_capacity, sizeof *response->contacts);
    dent_release(context, response->forces, (size_t)response->force_capacity, sizeof *response->forces);
    dent_release(context, response->numbers, (size_t)response->number_capacity, sizeof *response->numbers);
}

static void fill_bodies(const struct sim_model *model, struct sim_state *state, const struct contact_set *contacts,
                        struct contact_response *response, const double *start, const dent_rigid_state *rigid_start)
{
    for (uint32_t b = 0; b < model->body_count; b++) {
        const struct sim_body *body = &model->bodies[b];
        size_t first = body->first_vertex;
        response->bodies[b] = (dent_response_body){
            .vertex_count = body->vertex_count,
            .inverse_masses = model->inverse_masses + first,
            .positions = state->positions + 3 * first,
            .positions_start = start + 3 * first,
            .velocities = state->velocities + 3 * first,
            .velocities_start = response->approach_velocities + 3 * first,
        };
        if (body->rigid != SIM_NONE) {
            response->bodies[b].rigid = &state->rigids[body->rigid];
            response->bodies[b].rigid_start = &rigid_start[body->rigid];
            response->bodies[b].rigid_detected = &contacts->rigid_detected[body->rigid];
        }
    }
}

dent_response_problem response_problem(const struct sim_model *model, struct sim_state *state,
                                       const struct contact_set *contacts, struct contact_response *response,
                                       const double *start, const dent_rigid_state *rigid_start, double duration)
{
    fill_bodies(model, state, contacts, response, start, rigid_start);
    dent_response_problem problem = dent_response_problem_default();
    problem.contacts = contacts->records;
    problem.contact_count = contacts->count;
    problem.bodies = response->bodies;
    problem.body_count = model->body_count;
    problem.time_step = duration;
    problem.material_pairs = model->pairs;
    problem.material_pair_count = model->pair_count;
    return problem;
}

dent_status contacts_choose(const struct sim_model *model, const struct contact_set *contacts,
                            const struct elastic_work *work, struct contact_response *response)
{
    dent_context *context = model->context;
    dent_status status = sim_reserve(context, (void **)&response->contacts, &response->contact_capacity,
                                     contacts->count, sizeof *response->contacts);
    status = status == DENT_OK ? sim_reserve(context, (void **)&response->forces, &response->force_capacity,
                                             contacts->count, sizeof *response->forces)
                               : status;
    status = status == DENT_OK ? sim_reserve(context, (void **)&response->numbers, &response->number_capacity,
                                             contacts->count, sizeof *response->numbers)
                               : status;
    response->count = 0;
    for (uint64_t i = 0; i < contacts->count && status == DENT_OK; i++) {
        const dent_contact *contact = &contacts->records[i];
        if (!work->solved[contact->body_a] && !work->solved[contact->body_b]) {
            response->contacts[response->count] = *contact;
            response->numbers[response->count++] = i;
        }
    }
    return status;
}

static dent_response_problem rigid_problem(const struct sim_model *model, struct sim_state *state,
                                           const struct contact_set *contacts, const double *previous,
                                           const struct rigid_motion *motion, struct contact_response *response)
{
    dent_response_problem problem =
        response_problem(model, state, contacts, response, previous, motion->previous, model->substep);
    problem.contacts = response->contacts;
    problem.contact_count = problem.previous_count = response->count;
    problem.previous = response->forces;
    return problem;
}

dent_status contacts_push(const struct sim_model *model, struct sim_state *state, const struct contact_set *contacts,
                          const double *previous, const struct rigid_motion *motion, struct contact_response *response,
                          struct step_report *report)
{
    if (response->count == 0) {
        return DENT_OK;
    }
    uint64_t begin = dent_clock_ns();
    for (uint64_t n = 0; n < response->count; n++) {
        response->forces[n] = state->forces[response->numbers[n]];
    }
    dent_response_problem problem = rigid_problem(model, state, contacts, previous, motion, response);
    problem.forces = response->forces;
    dent_position_def def = dent_position_def_default();
    def.iterations = model->contact_iterations;
    def.recovery_speed = RECOVERED_EDGES * model->mean_edge;
    dent_status status = dent_position_solve(response->solver, &problem, &def, NULL);
    for (uint64_t n = 0; n < response->count; n++) {
        state->forces[response->numbers[n]] = response->forces[n];
    }
    report->ns_respond += dent_clock_ns() - begin;
    return status;
}

/* Bounce, and take away the speed that came from pushing out old overlap. */
dent_status contacts_bounce(const struct sim_model *model, struct sim_state *state, struct contact_set *contacts,
                            const double *previous, const struct rigid_motion *motion,
                            struct contact_response *response, struct step_report *report)
{
    if (response->count == 0) {
        return DENT_OK;
    }
    uint64_t begin = dent_clock_ns();
    dent_response_problem problem = rigid_problem(model, state, contacts, previous, motion, response);
    dent_velocity_def def = dent_velocity_def_default();
    def.after_positions = true;
    problem.forces = NULL; /* the next substep starts from what the position pass needed */
    def.iterations = model->bounce_iterations;
    def.warm_start = 0;
    def.restitution_threshold = 2 * sqrt(sim_dot(state->gravity, state->gravity)) * model->substep;
    dent_status status = dent_velocity_solve(response->solver, &problem, &def, NULL);
    double share_of_step = 1 / (model->substep * contacts->substeps);
    for (uint64_t n = 0; n < response->count; n++) {
        uint64_t i = response->numbers[n];
        sim_add_scaled(contacts->reported[i].force, share_of_step * state->forces[i].normal,
                       contacts->records[i].normal);
        sim_add_scaled(contacts->reported[i].force, share_of_step, state->forces[i].tangent);
    }
    report->ns_respond += dent_clock_ns() - begin;
    return status;
}
