/* Contacts as a problem for dent/response.h: safe_motion.c bounces what it stopped. All other forces come from islands of
 * rigid bodies (rigid_islands.c) and from the minimisation (elastic/minimise.c). */
#include "sim_contacts.h"

dent_status response_build(struct sim_model *model, struct contact_response *response)
{
    response->solver = dent_response_create(model->context);
    response->bodies = sim_allocate(model, model->body_count, sizeof *response->bodies);
    response->approach_velocities = sim_allocate(model, 3 * (size_t)model->vertex_count, sizeof(double));
    return response->solver && response->bodies && response->approach_velocities ? DENT_OK
                                                                                 : sim_no_memory(model->context);
}

void response_destroy(struct contact_response *response)
{
    dent_response_destroy(response->solver);
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
