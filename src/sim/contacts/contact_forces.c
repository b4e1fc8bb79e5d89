/* Contacts are pushed apart in every substep.
 *
 * Carried forces. The elastic sweep does not solve contacts; so the forces of the last substep are given to it as outer
 * forces (around which springs hold solids, contact_springs.c), and what they displace is taken out again before the
 * contacts are solved anew. A body at rest is then at rest for every part of the solver, and friction compares forces,
 * not leftovers: |tangential| <= friction * normal. */
#include "sim/elastic/rigid_bonds.h"
#include "sim_contacts.h"

#include <math.h>
#include <string.h>

/* Old overlap comes out by so many mean edges a second; at once it would shoot bodies apart. */
#define RECOVERED_EDGES 10

/* ---- carried forces ---------------------------------------------------------------------------------------------- */

/* Of the mobility of a contact's elastic vertices and bonded rigid bodies, the part that is inertia. */
static double share_of(const struct sim_model *model, const struct sim_state *state, const struct elastic_work *work,
                       const dent_contact *contact)
{
    double all = 0, inertia = 0;
    for (int side = 0; side < 2; side++) {
        const struct sim_body *body = &model->bodies[side == 0 ? contact->body_a : contact->body_b];
        const uint32_t *vertices = side == 0 ? contact->vertices_a : contact->vertices_b;
        const double *weights = side == 0 ? contact->weights_a : contact->weights_b;
        const double *point = side == 0 ? contact->point_a : contact->point_b;
        const struct rigid_block *block = bonds_block(model, work, side == 0 ? contact->body_a : contact->body_b);
        if (block) {
            double per_mobility = 1 / (model->substep * model->substep);
            all += per_mobility * bonds_inertial_give(model, state, block, point, contact->normal);
            inertia += per_mobility * bonds_compliance(state, block, point, contact->normal);
        }
        for (int k = 0; k < 4; k++) {
            if (vertices[k] != SIM_NONE && model->inverse_masses[body->first_vertex + vertices[k]] > 0) {
                uint32_t v = body->first_vertex + vertices[k];
                double mobility = weights[k] * weights[k] * model->inverse_masses[v];
                all += mobility;
                inertia += mobility * model->inertia_shares[v];
            }
        }
    }
    return all > 0 ? inertia / all : 1;
}

dent_status contacts_choose_shares(const struct sim_model *model, const struct sim_state *state,
                                   const struct contact_set *contacts, struct elastic_work *work)
{
    dent_status status = sim_reserve(model->context, (void **)&work->carried.contacts, &work->carried.capacity,
                                     contacts->count, sizeof *work->carried.contacts);
    for (uint64_t i = 0; i < contacts->count && status == DENT_OK; i++) {
        work->carried.contacts[i] =
            (struct carried_contact){.share = share_of(model, state, work, &contacts->records[i])};
    }
    return status;
}

static void carry_side(const struct sim_model *model, struct carried_forces *carried, uint32_t body,
                       const uint32_t *vertices, const double *weights, double factor, double share,
                       const double *impulse)
{
    for (int k = 0; k < 4; k++) {
        if (vertices[k] != SIM_NONE) {
            size_t v = (size_t)model->bodies[body].first_vertex + vertices[k];
            double move = factor * weights[k] * model->inverse_masses[v];
            if (move != 0) {
                carried_add(carried, v, share, move, impulse);
            }
        }
    }
}

/* A rigid body gets at once what the elastic side does not get back. */
static void apply_rigid_impulse(const dent_rigid_state *detected, dent_rigid_state *state, const double *point,
                                double factor, const double *impulse)
{
    double now[3], arm[3], moment[3], inverse[9];
    dent_rigid_move_point(detected, state, point, now);
    sim_subtract(now, state->center, arm);
    sim_cross(arm, impulse, moment);
    dent_rigid_inverse_inertia(state, inverse);
    for (int i = 0; i < 3; i++) {
        state->linear_velocity[i] += factor * state->inverse_mass * impulse[i];
        state->angular_velocity[i] += factor * sim_dot(inverse + 3 * i, moment);
    }
}

static void carry_to(const struct sim_model *model, struct sim_state *state, const struct contact_set *contacts,
                     struct elastic_work *work, const dent_contact *contact, int side, double share,
                     const double *impulse)
{
    uint32_t body = side == 0 ? contact->body_a : contact->body_b, rigid = model->bodies[body].rigid;
    const double *point = side == 0 ? contact->point_a : contact->point_b;
    double sign = side == 0 ? 1 : -1, own[3] = {sign * impulse[0], sign * impulse[1], sign * impulse[2]};
    struct rigid_block *block = bonds_block(model, work, body);
    if (block) {
        double now[3];
        dent_rigid_move_point(&contacts->rigid_detected[rigid], &state->rigids[rigid], point, now);
        bonds_carry(state, block, now, own, share);
    } else if (rigid != SIM_NONE) {
        apply_rigid_impulse(&contacts->rigid_detected[rigid], &state->rigids[rigid], point, 1 - share, own);
    } else {
        carry_side(model, &work->carried, body, side == 0 ? contact->vertices_a : contact->vertices_b,
                   side == 0 ? contact->weights_a : contact->weights_b, model->substep, share, own);
    }
}

/* Of a carried impulse, the part that moves no vertex further than `carried_part` allows. */
static double part_to_carry(const struct sim_model *model, const dent_contact *contact, double share,
                            const double *impulse)
{
    double h = model->substep;
    double size = sqrt(sim_dot(impulse, impulse)), part = 1;
    for (int n = 0; n < 8; n++) {
        uint32_t vertex = n < 4 ? contact->vertices_a[n] : contact->vertices_b[n - 4];
        double weight = n < 4 ? contact->weights_a[n] : contact->weights_b[n - 4];
        size_t first = model->bodies[n < 4 ? contact->body_a : contact->body_b].first_vertex;
        if (vertex != SIM_NONE && model->elastic->slots[first + vertex] != SIM_NONE) {
            double here = carried_part(model, first + vertex, share,
                                       h * fabs(weight) * model->inverse_masses[first + vertex] * size);
            part = here < part ? here : part;
        }
    }
    return part;
}

void contacts_carry(const struct sim_model *model, struct sim_state *state, const struct contact_set *contacts,
                    struct elastic_work *work)
{
    for (uint64_t i = 0; i < contacts->count; i++) {
        const dent_contact *contact = &contacts->records[i];
        dent_contact_force *force = &state->forces[i];
        struct carried_contact *carried = &work->carried.contacts[i];
        carried->normal = force->normal;
        memcpy(carried->tangent, force->tangent, sizeof carried->tangent);
        if (!(force->normal > 0) || carried->share == 1) {
            continue;
        }
        double impulse[3];
        for (int axis = 0; axis < 3; axis++) {
            impulse[axis] = force->normal * contact->normal[axis] + force->tangent[axis];
        }
        double part = part_to_carry(model, contact, carried->share, impulse);
        if (part < 1) {
            carried->normal *= part;
            for (int axis = 0; axis < 3; axis++) {
                carried->tangent[axis] *= part;
                impulse[axis] *= part;
            }
        }
        for (int side = 0; side < 2; side++) {
            carry_to(model, state, contacts, work, contact, side, carried->share, impulse);
        }
    }
}

/* The force to carry next. What acted is what was left of the carried force and what the contact pass found. Where that
 * pass asks for less than was taken out, the contact is letting go: then only what it asks for counts, seen through the
 * same share, so that a force never outlives its contact. */
static void combine_forces(const struct sim_model *model, struct sim_state *state, struct contact_set *contacts,
                           const struct elastic_work *work)
{
    double share_of_step = 1 / (model->substep * contacts->substeps);
    for (uint64_t i = 0; i < contacts->count; i++) {
        dent_contact_force *force = &state->forces[i];
        const struct carried_contact *carried = &work->carried.contacts[i];
        double left = 1 - carried->share, applied[3];
        double normal = left * carried->normal + force->normal;
        for (int axis = 0; axis < 3; axis++) {
            applied[axis] = left * carried->tangent[axis] + force->tangent[axis];
        }
        sim_add_scaled(contacts->reported[i].force, share_of_step * normal, contacts->records[i].normal);
        sim_add_scaled(contacts->reported[i].force, share_of_step, applied);
        if (force->normal < carried->share * normal) {
            force->normal /= carried->share;
            for (int axis = 0; axis < 3; axis++) {
                force->tangent[axis] /= carried->share;
            }
        } else {
            /* Friction at its limit is so at once; a light body on bonds would take 1 / share substeps to get there. */
            bool at_limit = force->state == DENT_ACTION_SLIDING && force->normal > 0 &&
                            (bonds_block(model, work, contacts->records[i].body_a) ||
                             bonds_block(model, work, contacts->records[i].body_b));
            for (int axis = 0; axis < 3; axis++) {
                force->tangent[axis] = at_limit ? force->tangent[axis] * (normal / force->normal) : applied[axis];
            }
            force->normal = normal;
        }
    }
}

/* ---- response ---------------------------------------------------------------------------------------------------- */

dent_status response_build(struct sim_model *model, struct contact_response *response)
{
    response->solver = dent_response_create(model->context);
    response->bodies = sim_allocate(model, model->body_count, sizeof *response->bodies);
    response->approach_velocities = sim_allocate(model, 3 * (size_t)model->vertex_count, sizeof(double));
    return response->solver && response->bodies && response->approach_velocities ? DENT_OK
                                                                                 : sim_no_memory(model->context);
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
    problem.previous = problem.forces = state->forces;
    problem.previous_count = state->force_count;
    return problem;
}

/* The pass starts warm from its records: they are to hold what was taken out of the positions, and no more. */
static void start_from_taken_out(struct sim_state *state, const struct contact_set *contacts,
                                 const struct carried_forces *forces)
{
    for (uint64_t i = 0; i < contacts->count; i++) {
        const struct carried_contact *carried = &forces->contacts[i];
        dent_contact_force *force = &state->forces[i];
        force->normal = carried->share * carried->normal;
        for (int axis = 0; axis < 3; axis++) {
            force->tangent[axis] = carried->share * carried->tangent[axis];
        }
    }
}

dent_status contacts_push(const struct sim_model *model, struct sim_state *state, const struct contact_set *contacts,
                          const struct elastic_work *work, const struct rigid_motion *motion,
                          struct contact_response *response, struct step_report *report)
{
    if (contacts->count == 0) {
        return DENT_OK;
    }
    uint64_t begin = dent_clock_ns();
    start_from_taken_out(state, contacts, &work->carried);
    dent_response_problem problem =
        response_problem(model, state, contacts, response, work->previous, motion->previous, model->substep);
    dent_position_def def = dent_position_def_default();
    def.iterations = model->contact_iterations;
    def.recovery_speed = RECOVERED_EDGES * model->mean_edge;
    dent_status status = dent_position_solve(response->solver, &problem, &def, NULL);
    report->ns_respond += dent_clock_ns() - begin;
    return status;
}

/* Bounce, and take away the speed that came from pushing out old overlap. */
dent_status contacts_bounce(const struct sim_model *model, struct sim_state *state, struct contact_set *contacts,
                            const struct elastic_work *work, const struct rigid_motion *motion,
                            struct contact_response *response, struct step_report *report)
{
    if (contacts->count == 0) {
        return DENT_OK;
    }
    uint64_t begin = dent_clock_ns();
    dent_response_problem problem =
        response_problem(model, state, contacts, response, work->previous, motion->previous, model->substep);
    dent_velocity_def def = dent_velocity_def_default();
    def.after_positions = true;
    problem.forces = NULL; /* the next substep starts from what the position pass needed */
    def.iterations = model->bounce_iterations;
    def.warm_start = 0;
    def.restitution_threshold = 2 * sqrt(sim_dot(state->gravity, state->gravity)) * model->substep;
    dent_status status = dent_velocity_solve(response->solver, &problem, &def, NULL);
    combine_forces(model, state, contacts, work);
    report->ns_respond += dent_clock_ns() - begin;
    return status;
}
