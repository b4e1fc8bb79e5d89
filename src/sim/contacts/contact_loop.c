/* Contacts: found once per interval, pushed apart in every substep.
 *
 * Detection: vertices inside other bodies with their depth, and features closer than the thicknesses of the two bodies
 * plus a margin for what they may move until the next detection. The gap that is kept is the sum of the thicknesses, so
 * bodies at rest stay in contact instead of falling in and being pushed out. Which of them count: contact_filter.c.
 *
 * Carried forces. The elastic sweep does not solve contacts; so the forces of the last substep are given to it as outer
 * forces (around which springs hold solids, contact_springs.c), and what they displace is taken out again before the
 * contacts are solved anew. A body at rest is then at rest
 * for every part of the solver, and friction compares forces, not leftovers: |tangential| <= friction * normal. */
#include "sim/rigid/rigid_bonds.h"

#include <math.h>
#include <string.h>

/* ---- creation ---------------------------------------------------------------------------------------------------- */

dent_status contacts_build(dent_sim *sim)
{
    sim->inside_marks = sim_allocate(sim, sim->vertex_count, sizeof *sim->inside_marks);
    sim->response_bodies = sim_allocate(sim, sim->body_count, sizeof *sim->response_bodies);
    if (!sim->inside_marks || !sim->response_bodies) {
        return sim_no_memory(sim);
    }
    return contact_filter_build(sim);
}

/* ---- detection --------------------------------------------------------------------------------------------------- */

dent_status world_set_positions(dent_sim *sim, const double *positions_t0, const double *positions_t1)
{
    for (uint32_t b = 0; b < sim->body_count; b++) {
        size_t first = 3 * (size_t)sim->bodies[b].first_vertex;
        dent_positions t0 = dent_positions_double(positions_t0 + first), t1 = {0};
        if (positions_t1) {
            t1 = dent_positions_double(positions_t1 + first);
        }
        dent_status status = dent_body_set_positions(sim->world, sim->bodies[b].id, &t0, positions_t1 ? &t1 : NULL);
        if (status != DENT_OK) {
            return dent_fail(sim->context, status, "%s", dent_world_message(sim->world));
        }
    }
    return DENT_OK;
}

static double fastest_vertex(const dent_sim *sim, const struct sim_body *body)
{
    double fastest = 0;
    for (uint32_t v = body->first_vertex; v < body->first_vertex + body->vertex_count; v++) {
        const double *velocity = sim->state.velocities + 3 * (size_t)v;
        double square = sim_dot(velocity, velocity);
        fastest = square > fastest ? square : fastest;
    }
    return sqrt(fastest);
}

/* What a body may move until the next detection: a quarter of an edge. */
static double max_travel(const struct sim_body *body)
{
    return 0.25 * body->mean_edge;
}

/* Substeps until the next detection: as many as asked for, fewer where bodies are fast. Thin ones do not count: their
 * path is watched. */
uint32_t contacts_interval(const dent_sim *sim, uint32_t most)
{
    double count = most;
    bool matters = false;
    for (uint32_t b = 0; b < sim->body_count && !sim->interval_is_fixed; b++) {
        const struct sim_body *body = &sim->bodies[b];
        bool moves = body->kind == DENT_SIM_SOLID || body->kind == DENT_SIM_RIGID || body->kind == DENT_SIM_CLOTH;
        double displacement = body->thin || sim->watch_all ? 0 : fastest_vertex(sim, body) * sim->substep;
        matters = matters || (moves && !body->thin && !sim->watch_all);
        count = displacement * count > max_travel(body) ? max_travel(body) / displacement : count;
    }
    return !matters ? most : count > 1 ? (uint32_t)count : 1;
}

/* How near is near: the thickness, and a margin for the way of the fastest vertex until the next detection (what is
 * faster than that allows is caught by its depth, or by its path where it is thin). */
static dent_status set_margins(dent_sim *sim, double duration)
{
    double fall = sqrt(sim_dot(sim->state.gravity, sim->state.gravity)) * duration;
    for (uint32_t b = 0; b < sim->body_count; b++) {
        const struct sim_body *body = &sim->bodies[b];
        double speed = fastest_vertex(sim, body) + (body->kind == DENT_SIM_PRESCRIBED ? 0 : fall);
        double margin = speed * duration, most = max_travel(body), least = 0.5 * body->thickness;
        margin = margin < least ? least : margin;
        margin = margin < most ? margin : most;
        dent_status status = dent_body_set_thickness(sim->world, body->id, body->thickness + margin);
        if (status != DENT_OK) {
            return dent_fail(sim->context, status, "%s", dent_world_message(sim->world));
        }
    }
    return DENT_OK;
}

/* Depths that are hardly known, of a body that was swallowed whole for instance, say nothing beside those that are. */
static void measure_depth(dent_sim_statistics *statistics, const dent_contact *contact)
{
    double depth = -contact->gap;
    bool certain = dent_contact_is_certain(contact);
    bool known = statistics->max_penetration_error <= 0.5 * statistics->max_penetration; /* also while it is 0 */
    if (certain == known || statistics->max_penetration == 0 ? depth > statistics->max_penetration : certain) {
        statistics->max_penetration = depth;
        statistics->max_penetration_error = contact->error;
        statistics->deepest_a = contact->body_a;
        statistics->deepest_b = contact->body_b;
    }
    if (!certain && depth > statistics->uncertain_penetration) {
        statistics->uncertain_penetration = depth;
    }
}

static void report_contact(dent_sim *sim, const dent_contact *contact)
{
    dent_sim_contact *reported = &sim->reported[sim->reported_count++];
    *reported = (dent_sim_contact){.key = contact->key,
                                   .body_a = contact->body_a,
                                   .body_b = contact->body_b,
                                   .feature_a = contact->feature_a,
                                   .feature_b = contact->feature_b,
                                   .kind = contact->kind,
                                   .gap = contact->gap,
                                   .error = contact->error};
    for (int axis = 0; axis < 3; axis++) {
        reported->point[axis] = 0.5 * (contact->point_a[axis] + contact->point_b[axis]);
        reported->normal[axis] = contact->normal[axis];
    }
    measure_depth(&sim->statistics, contact);
}

static void mark_inside(dent_sim *sim, const dent_contacts *found, bool mark)
{
    for (uint64_t i = 0; i < found->count; i++) {
        const dent_contact *contact = &found->contacts[i];
        if (contact->kind == DENT_CONTACT_VERTEX_CELL) {
            sim->inside_marks[sim->bodies[contact->body_a].first_vertex + contact->feature_a] =
                mark ? contact->body_b + 1 : 0;
        }
    }
}

/* Old overlap comes out by so many mean edges a second, and what is nearer than its distance at rest (the sum of the
 * thicknesses) reaches it in this many seconds, whatever the time step: pushed out at once, bodies that begin too near
 * would be shot apart. */
#define RECOVERED_EDGES 10
#define SECONDS_TO_REST_DISTANCE 0.5

/* The gap to keep until the next detection; outside time (duration 0) all of it at once. */
static double kept_gap(const dent_sim *sim, const dent_contact *contact, double duration)
{
    double rest = sim->bodies[contact->body_a].thickness + sim->bodies[contact->body_b].thickness;
    double reached = (contact->gap > 0 ? contact->gap : 0) + rest * (duration / SECONDS_TO_REST_DISTANCE);
    return duration > 0 && reached < rest ? reached : rest;
}

static dent_status keep_contacts(dent_sim *sim, const dent_contacts *found, double duration)
{
    dent_status status =
        sim_reserve(sim, (void **)&sim->contacts, &sim->contact_capacity, found->count, sizeof *sim->contacts);
    if (status == DENT_OK) {
        status =
            sim_reserve(sim, (void **)&sim->reported, &sim->reported_capacity, found->count, sizeof *sim->reported);
    }
    if (status != DENT_OK) {
        return status;
    }
    sim->contact_count = sim->reported_count = 0;
    mark_inside(sim, found, true);
    for (uint64_t i = 0; i < found->count; i++) {
        if (contact_counts(sim, &found->contacts[i])) {
            dent_contact contact = found->contacts[i];
            report_contact(sim, &contact);
            contact.gap -= kept_gap(sim, &contact, duration);
            embedding_map_contact(sim, &contact);
            sim->contacts[sim->contact_count++] = contact;
        }
    }
    mark_inside(sim, found, false);
    return DENT_OK;
}

/* Last forces of the contacts that are still there, found by key. */
static int compare_keys(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

static void sort_forces(dent_contact_force *forces, uint64_t count)
{
    /* Heap sort by key; equal keys (in practice none) may come in any order, but always the same. */
    for (uint64_t phase = count / 2 + count; phase > 1; phase--) {
        uint64_t root = phase > count ? phase - count - 1 : 0, size = phase > count ? count : phase - 1;
        if (phase <= count) {
            dent_contact_force last = forces[size];
            forces[size] = forces[0];
            forces[0] = last;
        }
        for (uint64_t child; (child = 2 * root + 1) < size; root = child) {
            child += child + 1 < size && compare_keys(forces[child].key, forces[child + 1].key) < 0;
            if (compare_keys(forces[root].key, forces[child].key) >= 0) {
                break;
            }
            dent_contact_force swap = forces[root];
            forces[root] = forces[child];
            forces[child] = swap;
        }
    }
}

static const dent_contact_force *find_force(const dent_contact_force *forces, uint64_t count, uint64_t key)
{
    uint64_t low = 0, high = count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (forces[middle].key < key) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < count && forces[low].key == key ? &forces[low] : NULL;
}

static double share_of(const dent_sim *sim, const dent_contact *contact);

static dent_status match_forces(dent_sim *sim)
{
    struct sim_state *state = &sim->state;
    dent_status status = sim_reserve(sim, (void **)&sim->new_forces, &sim->new_force_capacity, sim->contact_count,
                                     sizeof *sim->new_forces);
    if (status != DENT_OK) {
        return status;
    }
    status = sim_reserve(sim, (void **)&sim->carried_contacts, &sim->carried_capacity, sim->contact_count,
                         sizeof *sim->carried_contacts);
    if (status != DENT_OK) {
        return status;
    }
    sort_forces(state->forces, state->force_count);
    for (uint64_t i = 0; i < sim->contact_count; i++) {
        const dent_contact_force *last = find_force(state->forces, state->force_count, sim->contacts[i].key);
        sim->new_forces[i] = (dent_contact_force){.key = sim->contacts[i].key};
        sim->carried_contacts[i] = (struct carried_contact){.share = share_of(sim, &sim->contacts[i])};
        if (last) {
            sim->new_forces[i] = *last;
        }
    }
    dent_contact_force *forces = state->forces;
    uint64_t capacity = state->force_capacity;
    state->forces = sim->new_forces;
    state->force_count = sim->contact_count;
    state->force_capacity = sim->new_force_capacity;
    sim->new_forces = forces;
    sim->new_force_capacity = capacity;
    return DENT_OK;
}

dent_status contacts_find(dent_sim *sim, double duration)
{
    uint64_t begin = dent_clock_ns();
    dent_contacts_def def = dent_contacts_def_default();
    dent_contacts found;
    def.proximity = true;
    def.surface_only = true;
    def.cancel = sim->cancel;
    dent_status status = set_margins(sim, duration);
    if (status == DENT_OK) {
        status = world_set_positions(sim, sim->state.positions, NULL);
    }
    if (status != DENT_OK) {
        return status;
    }
    status = dent_world_find_contacts(sim->world, &def, &found);
    if (status != DENT_OK) {
        return dent_fail(sim->context, status, "contacts of step %llu: %s", (unsigned long long)sim->state.step,
                         dent_world_message(sim->world));
    }
    sim->cancelled = sim->cancelled || found.outcome == DENT_OUTCOME_CANCELLED;
    status = keep_contacts(sim, &found, duration);
    if (status == DENT_OK) {
        status = match_forces(sim);
    }
    sim->times.detect += dent_clock_ns() - begin;
    return status;
}

/* ---- carried forces ---------------------------------------------------------------------------------------------- */

/* Of the mobility of a contact's elastic vertices and bonded rigid bodies, the part that is inertia. */
static double share_of(const dent_sim *sim, const dent_contact *contact)
{
    double all = 0, inertia = 0;
    for (int side = 0; side < 2; side++) {
        const struct sim_body *body = &sim->bodies[side == 0 ? contact->body_a : contact->body_b];
        const uint32_t *vertices = side == 0 ? contact->vertices_a : contact->vertices_b;
        const double *weights = side == 0 ? contact->weights_a : contact->weights_b;
        const double *point = side == 0 ? contact->point_a : contact->point_b;
        const struct rigid_block *block = bonds_block(sim, side == 0 ? contact->body_a : contact->body_b);
        if (block) {
            double per_mobility = 1 / (sim->substep * sim->substep);
            all += per_mobility * bonds_inertial_give(sim, block, point, contact->normal);
            inertia += per_mobility * bonds_compliance(sim, block, point, contact->normal);
        }
        for (int k = 0; k < 4; k++) {
            if (vertices[k] != SIM_NONE && sim->inverse_masses[body->first_vertex + vertices[k]] > 0) {
                uint32_t v = body->first_vertex + vertices[k];
                double mobility = weights[k] * weights[k] * sim->inverse_masses[v];
                all += mobility;
                inertia += mobility * sim->inertia_shares[v];
            }
        }
    }
    return all > 0 ? inertia / all : 1;
}

static void carry_side(dent_sim *sim, uint32_t body, const uint32_t *vertices, const double *weights, double factor,
                       double share, const double *impulse)
{
    for (int k = 0; k < 4; k++) {
        if (vertices[k] != SIM_NONE) {
            size_t v = (size_t)sim->bodies[body].first_vertex + vertices[k];
            double move = factor * weights[k] * sim->inverse_masses[v];
            if (move != 0) {
                sim->carries = true;
                sim_add_scaled(sim->carried + 3 * v, move, impulse);
                sim_add_scaled(sim->taken_out + 3 * v, share * move, impulse);
            }
        }
    }
}

/* A rigid body gets at once what the elastic side does not get back. */
static void apply_rigid_impulse(dent_sim *sim, uint32_t rigid, const double *point, double factor,
                                const double *impulse)
{
    dent_rigid_state *state = &sim->state.rigids[rigid];
    double now[3], arm[3], moment[3], inverse[9];
    dent_rigid_move_point(&sim->rigid_detected[rigid], state, point, now);
    sim_subtract(now, state->center, arm);
    sim_cross(arm, impulse, moment);
    dent_rigid_inverse_inertia(state, inverse);
    for (int i = 0; i < 3; i++) {
        state->linear_velocity[i] += factor * state->inverse_mass * impulse[i];
        state->angular_velocity[i] += factor * sim_dot(inverse + 3 * i, moment);
    }
}

static void carry_to(dent_sim *sim, const dent_contact *contact, int side, double share, const double *impulse,
                     double h)
{
    uint32_t body = side == 0 ? contact->body_a : contact->body_b, rigid = sim->bodies[body].rigid;
    const double *point = side == 0 ? contact->point_a : contact->point_b;
    double sign = side == 0 ? 1 : -1, own[3] = {sign * impulse[0], sign * impulse[1], sign * impulse[2]};
    struct rigid_block *block = bonds_block(sim, body);
    if (block) {
        double now[3];
        dent_rigid_move_point(&sim->rigid_detected[rigid], &sim->state.rigids[rigid], point, now);
        bonds_carry(sim, block, now, own, share);
    } else if (rigid != SIM_NONE) {
        apply_rigid_impulse(sim, rigid, point, 1 - share, own);
    } else {
        carry_side(sim, body, side == 0 ? contact->vertices_a : contact->vertices_b,
                   side == 0 ? contact->weights_a : contact->weights_b, h, share, own);
    }
}

double carried_part(const dent_sim *sim, size_t vertex, double share, double move)
{
    double answer = share > sim->inertia_shares[vertex] ? share : sim->inertia_shares[vertex];
    double most = max_travel(&sim->bodies[sim->vertex_bodies[vertex]]);
    return answer * move > most ? most / (answer * move) : 1;
}

/* Of a carried impulse, the part that moves no vertex further than `carried_part` allows. */
static double part_to_carry(const dent_sim *sim, const dent_contact *contact, double share, const double *impulse,
                            double h)
{
    double size = sqrt(sim_dot(impulse, impulse)), part = 1;
    for (int n = 0; n < 8; n++) {
        uint32_t vertex = n < 4 ? contact->vertices_a[n] : contact->vertices_b[n - 4];
        double weight = n < 4 ? contact->weights_a[n] : contact->weights_b[n - 4];
        size_t first = sim->bodies[n < 4 ? contact->body_a : contact->body_b].first_vertex;
        if (vertex != SIM_NONE && sim->elastic.slots[first + vertex] != SIM_NONE) {
            double here =
                carried_part(sim, first + vertex, share, h * fabs(weight) * sim->inverse_masses[first + vertex] * size);
            part = here < part ? here : part;
        }
    }
    return part;
}

void contacts_carry(dent_sim *sim, double h)
{
    for (uint64_t i = 0; i < sim->contact_count; i++) {
        const dent_contact *contact = &sim->contacts[i];
        dent_contact_force *force = &sim->state.forces[i];
        struct carried_contact *carried = &sim->carried_contacts[i];
        carried->normal = force->normal;
        memcpy(carried->tangent, force->tangent, sizeof carried->tangent);
        if (!(force->normal > 0) || carried->share == 1) {
            continue;
        }
        double impulse[3];
        for (int axis = 0; axis < 3; axis++) {
            impulse[axis] = force->normal * contact->normal[axis] + force->tangent[axis];
        }
        double part = part_to_carry(sim, contact, carried->share, impulse, h);
        if (part < 1) {
            carried->normal *= part;
            for (int axis = 0; axis < 3; axis++) {
                carried->tangent[axis] *= part;
                impulse[axis] *= part;
            }
        }
        for (int side = 0; side < 2; side++) {
            carry_to(sim, contact, side, carried->share, impulse, h);
        }
    }
}

static void take_out_range(dent_sim *sim, uint32_t begin, uint32_t end)
{
    for (size_t n = 3 * (size_t)begin; n < 3 * (size_t)end; n++) {
        sim->state.positions[n] -= sim->taken_out[n];
        sim->carried[n] = sim->taken_out[n] = 0;
    }
}

void contacts_take_out(dent_sim *sim)
{
    if (sim->carries) {
        sim_parallel(sim, 0, sim->vertex_count, take_out_range);
    }
    sim->carries = false;
}

/* The force to carry next. What acted is what was left of the carried force and what the contact pass found. Where that
 * pass asks for less than was taken out, the contact is letting go: then only what it asks for counts, seen through the
 * same share, so that a force never outlives its contact. */
static void combine_forces(dent_sim *sim, double h)
{
    double share_of_step = 1 / (h * sim->interval_count);
    for (uint64_t i = 0; i < sim->contact_count; i++) {
        dent_contact_force *force = &sim->state.forces[i];
        const struct carried_contact *carried = &sim->carried_contacts[i];
        double left = 1 - carried->share, applied[3];
        double normal = left * carried->normal + force->normal;
        for (int axis = 0; axis < 3; axis++) {
            applied[axis] = left * carried->tangent[axis] + force->tangent[axis];
        }
        sim_add_scaled(sim->reported[i].force, share_of_step * normal, sim->contacts[i].normal);
        sim_add_scaled(sim->reported[i].force, share_of_step, applied);
        if (force->normal < carried->share * normal) {
            force->normal /= carried->share;
            for (int axis = 0; axis < 3; axis++) {
                force->tangent[axis] /= carried->share;
            }
        } else {
            /* Friction at its limit is so at once; a light body on bonds would take 1 / share substeps to get there. */
            bool at_limit = force->state == DENT_ACTION_SLIDING && force->normal > 0 &&
                            (bonds_block(sim, sim->contacts[i].body_a) || bonds_block(sim, sim->contacts[i].body_b));
            for (int axis = 0; axis < 3; axis++) {
                force->tangent[axis] = at_limit ? force->tangent[axis] * (normal / force->normal) : applied[axis];
            }
            force->normal = normal;
        }
    }
}

/* ---- response ---------------------------------------------------------------------------------------------------- */

void response_bodies_fill(dent_sim *sim, const double *start, const dent_rigid_state *rigid_start)
{
    for (uint32_t b = 0; b < sim->body_count; b++) {
        const struct sim_body *body = &sim->bodies[b];
        size_t first = body->first_vertex;
        sim->response_bodies[b] = (dent_response_body){
            .vertex_count = body->vertex_count,
            .inverse_masses = sim->inverse_masses + first,
            .positions = sim->state.positions + 3 * first,
            .positions_start = start + 3 * first,
            .velocities = sim->state.velocities + 3 * first,
            .velocities_start = sim->approach_velocities + 3 * first,
        };
        if (body->rigid != SIM_NONE) {
            sim->response_bodies[b].rigid = &sim->state.rigids[body->rigid];
            sim->response_bodies[b].rigid_start = &rigid_start[body->rigid];
            sim->response_bodies[b].rigid_detected = &sim->rigid_detected[body->rigid];
        }
    }
}

dent_response_problem response_problem(dent_sim *sim, double h)
{
    dent_response_problem problem = dent_response_problem_default();
    problem.contacts = sim->contacts;
    problem.contact_count = sim->contact_count;
    problem.bodies = sim->response_bodies;
    problem.body_count = sim->body_count;
    problem.time_step = h;
    problem.material_pairs = sim->pairs;
    problem.material_pair_count = sim->pair_count;
    problem.previous = problem.forces = sim->state.forces;
    problem.previous_count = sim->state.force_count;
    return problem;
}

/* The pass starts warm from its records: they are to hold what was taken out of the positions, and no more. */
static void start_from_taken_out(dent_sim *sim)
{
    for (uint64_t i = 0; i < sim->contact_count; i++) {
        const struct carried_contact *carried = &sim->carried_contacts[i];
        dent_contact_force *force = &sim->state.forces[i];
        force->normal = carried->share * carried->normal;
        for (int axis = 0; axis < 3; axis++) {
            force->tangent[axis] = carried->share * carried->tangent[axis];
        }
    }
}

dent_status contacts_push(dent_sim *sim, double h)
{
    if (sim->contact_count == 0) {
        return DENT_OK;
    }
    uint64_t begin = dent_clock_ns();
    start_from_taken_out(sim);
    response_bodies_fill(sim, sim->previous, sim->rigid_previous);
    dent_response_problem problem = response_problem(sim, h);
    dent_position_def def = dent_position_def_default();
    def.iterations = sim->contact_iterations;
    def.recovery_speed = RECOVERED_EDGES * sim->mean_edge;
    dent_status status = dent_position_solve(sim->response, &problem, &def, NULL);
    sim->times.respond += dent_clock_ns() - begin;
    return status;
}

/* Bounce, and take away the speed that came from pushing out old overlap. */
dent_status contacts_bounce(dent_sim *sim, double h)
{
    if (sim->contact_count == 0) {
        return DENT_OK;
    }
    uint64_t begin = dent_clock_ns();
    response_bodies_fill(sim, sim->previous, sim->rigid_previous);
    dent_response_problem problem = response_problem(sim, h);
    dent_velocity_def def = dent_velocity_def_default();
    def.after_positions = true;
    problem.forces = NULL; /* the next substep starts from what the position pass needed */
    def.iterations = sim->bounce_iterations;
    def.warm_start = 0;
    def.restitution_threshold = 2 * sqrt(sim_dot(sim->state.gravity, sim->state.gravity)) * h;
    dent_status status = dent_velocity_solve(sim->response, &problem, &def, NULL);
    combine_forces(sim, h);
    sim->times.respond += dent_clock_ns() - begin;
    return status;
}
