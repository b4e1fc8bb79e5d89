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
    for (int s = 0; s < 2; s++) {
        struct contact_side side = contact_side(model, contact, s);
        const struct rigid_block *block = bonds_block(model, work, side.body);
        if (block) {
            double per_mobility = 1 / (model->substep * model->substep);
            all += per_mobility * bonds_inertial_give(model, state, block, side.point, contact->normal);
            inertia += per_mobility * bonds_compliance(state, block, side.point, contact->normal);
        }
        for (int k = 0; k < 4; k++) {
            size_t v = side.first + side.vertices[k];
            if (side.vertices[k] != SIM_NONE && model->inverse_masses[v] > 0) {
                double mobility = side.weights[k] * side.weights[k] * model->inverse_masses[v];
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

/* A rigid body gets at once what the elastic side does not get back. */
static void apply_rigid_impulse(dent_rigid_state *pose, const double *point, double factor, const double *impulse)
{
    double arm[3], moment[3], inverse[9];
    sim_subtract(point, pose->center, arm);
    sim_cross(arm, impulse, moment);
    dent_rigid_inverse_inertia(pose, inverse);
    for (int i = 0; i < 3; i++) {
        pose->linear_velocity[i] += factor * pose->inverse_mass * impulse[i];
        pose->angular_velocity[i] += factor * sim_dot(inverse + 3 * i, moment);
    }
}

static void carry_to(const struct sim_model *model, struct sim_state *state, const struct contact_set *contacts,
                     struct elastic_work *work, const struct contact_side *side, double share, const double *impulse)
{
    uint32_t rigid = model->bodies[side->body].rigid;
    double own[3] = {side->sign * impulse[0], side->sign * impulse[1], side->sign * impulse[2]}, now[3];
    if (rigid != SIM_NONE) {
        struct rigid_block *block = bonds_block(model, work, side->body);
        contact_rigid_point(model, state, contacts, side, now);
        if (block) {
            bonds_carry(state, block, now, own, share);
        } else {
            apply_rigid_impulse(&state->rigids[rigid], now, 1 - share, own);
        }
        return;
    }
    for (int k = 0; k < 4; k++) {
        size_t v = side->first + side->vertices[k];
        double move = side->vertices[k] != SIM_NONE ? model->substep * side->weights[k] * model->inverse_masses[v] : 0;
        if (move != 0) {
            carried_add(&work->carried, v, share, move, own);
        }
    }
}

/* Of a carried impulse, the part that moves no vertex further than `carried_part` allows. */
static double part_to_carry(const struct sim_model *model, const dent_contact *contact, double share,
                            const double *impulse)
{
    double size = sqrt(sim_dot(impulse, impulse)), part = 1;
    for (int s = 0; s < 2; s++) {
        struct contact_side side = contact_side(model, contact, s);
        for (int k = 0; k < 4; k++) {
            size_t v = side.first + side.vertices[k];
            if (side.vertices[k] != SIM_NONE && model->elastic->slots[v] != SIM_NONE) {
                double move = model->substep * fabs(side.weights[k]) * model->inverse_masses[v] * size;
                double here = carried_part(model, v, share, move);
                part = here < part ? here : part;
            }
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
        for (int s = 0; s < 2; s++) {
            struct contact_side side = contact_side(model, contact, s);
            carry_to(model, state, contacts, work, &side, carried->share, impulse);
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
        if (contacts->owned[i]) {
            continue;
        }
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

void response_destroy(dent_context *context, struct contact_response *response)
{
    dent_response_destroy(response->solver);
    dent_release(context, response->others, (size_t)response->other_capacity, sizeof *response->others);
    dent_release(context, response->other_forces, (size_t)response->other_force_capacity,
                 sizeof *response->other_forces);
}

/* The contacts that islands of rigid bodies leave over, as a set of their own, with their forces. */
static dent_status gather_others(const struct sim_model *model, const struct sim_state *state,
                                 const struct contact_set *contacts, struct contact_response *response,
                                 struct contact_set *others)
{
    uint64_t count = 0;
    for (uint64_t i = 0; i < contacts->count; i++) {
        count += !contacts->owned[i];
    }
    dent_status status = sim_reserve(model->context, (void **)&response->others, &response->other_capacity, count,
                                     sizeof *response->others);
    if (status == DENT_OK) {
        status = sim_reserve(model->context, (void **)&response->other_forces, &response->other_force_capacity, count,
                             sizeof *response->other_forces);
    }
    *others = *contacts;
    others->records = response->others;
    others->count = 0;
    for (uint64_t i = 0; i < contacts->count && status == DENT_OK; i++) {
        if (!contacts->owned[i]) {
            response->other_forces[others->count] = state->forces[i];
            response->others[others->count++] = contacts->records[i];
        }
    }
    return status;
}

static void scatter_forces(struct sim_state *state, const struct contact_set *contacts,
                           const struct contact_response *response)
{
    uint64_t next = 0;
    for (uint64_t i = 0; i < contacts->count; i++) {
        if (!contacts->owned[i]) {
            state->forces[i] = response->other_forces[next++];
        }
    }
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
    struct contact_set others;
    dent_status status = gather_others(model, state, contacts, response, &others);
    if (status != DENT_OK || others.count == 0) {
        return status;
    }
    dent_response_problem problem =
        response_problem(model, state, &others, response, work->previous, motion->previous, model->substep);
    problem.previous = problem.forces = response->other_forces;
    problem.previous_count = others.count;
    dent_position_def def = dent_position_def_default();
    def.iterations = model->contact_iterations;
    def.recovery_speed = RECOVERED_EDGES * model->mean_edge;
    status = dent_position_solve(response->solver, &problem, &def, NULL);
    scatter_forces(state, contacts, response);
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
    struct contact_set others;
    dent_status status = gather_others(model, state, contacts, response, &others);
    if (status != DENT_OK || others.count == 0) {
        return status;
    }
    dent_response_problem problem =
        response_problem(model, state, &others, response, work->previous, motion->previous, model->substep);
    problem.previous = response->other_forces;
    problem.previous_count = others.count;
    dent_velocity_def def = dent_velocity_def_default();
    def.after_positions = true;
    problem.forces = NULL; /* the next substep starts from what the position pass needed */
    def.iterations = model->bounce_iterations;
    def.warm_start = 0;
    def.restitution_threshold = 2 * sqrt(sim_dot(state->gravity, state->gravity)) * model->substep;
    status = dent_velocity_solve(response->solver, &problem, &def, NULL);
    combine_forces(model, state, contacts, work);
    report->ns_respond += dent_clock_ns() - begin;
    return status;
}
