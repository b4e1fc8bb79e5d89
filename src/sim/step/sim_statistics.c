/* Reading a simulation: energies and momenta, the hash of its state, bodies and contacts. */
#include "sim/elements/elastic_mesh.h"
#include "sim/model/byte_order.h"
#include "sim_step.h"

#include <math.h>
#include <string.h>

uint64_t dent_sim_hash(const dent_sim *sim)
{
    if (!sim) {
        return 0;
    }
    struct sim_state state = sim->state;
    struct state_part parts[STATE_PART_COUNT];
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    state_parts(&sim->model, &state, parts);
    for (uint32_t n = 0; n < STATE_PART_COUNT; n++) {
        hash = sim_hash_records(hash, parts[n].bytes, parts[n].size, parts[n].layout);
    }
    hash = sim_hash_records(hash, state.forces, (size_t)state.force_count * sizeof *state.forces, STATE_FORCE_LAYOUT);
    hash = sim_hash_records(hash, state.springs, (size_t)state.spring_count * sizeof *state.springs,
                            STATE_SPRING_LAYOUT);
    return sim_hash_records(hash, state.memory, (size_t)state.memory_count * sizeof *state.memory, STATE_MEMORY_LAYOUT);
}

/* ---- energies ---------------------------------------------------------------------------------------------------- */

static void add_particle(dent_sim_statistics *sums, const double *gravity, double mass, const double *x,
                         const double *v)
{
    double moment[3];
    sim_cross(x, v, moment);
    sums->kinetic += 0.5 * mass * sim_dot(v, v);
    sums->potential -= mass * sim_dot(gravity, x);
    sim_add_scaled(sums->linear_momentum, mass, v);
    sim_add_scaled(sums->angular_momentum, mass, moment);
}

static void add_rigid(const struct sim_model *model, const struct sim_state *state, uint32_t r,
                      dent_sim_statistics *sums)
{
    const dent_rigid_state *pose = &state->rigids[r];
    double turn[9], local[3], spin[3];
    add_particle(sums, state->gravity, model->rigids[r].mass, pose->center, pose->linear_velocity);
    rigid_rotation(pose->orientation, turn);
    for (int i = 0; i < 3; i++) {
        local[i] = turn[i] * pose->angular_velocity[0] + turn[3 + i] * pose->angular_velocity[1] +
                   turn[6 + i] * pose->angular_velocity[2];
    }
    for (int i = 0; i < 3; i++) {
        spin[i] = sim_dot(model->rigids[r].inertia + 3 * i, local);
    }
    sums->kinetic += 0.5 * sim_dot(local, spin);
    for (int i = 0; i < 3; i++) {
        sums->angular_momentum[i] += sim_dot(turn + 3 * i, spin);
    }
}

/* A compliant contact gives way in proportion to its normal force. Those of the minimisation are springs of the state. */
static double island_contact_energy(const struct sim_model *model, const struct contact_set *contacts, uint64_t number)
{
    const dent_sim_contact *contact = &contacts->reported[number];
    uint32_t a = model->bodies[contact->body_a].material, b = model->bodies[contact->body_b].material;
    bool known = contacts->owned_count > number; /* not where contacts were found outside steps */
    double normal = known && contacts->owned[number] ? sim_dot(contact->force, contact->normal) : 0;
    return 0.5 * sim_pair_material(model, a, b).compliance * normal * normal;
}

struct sums_call {
    const dent_sim *sim;
    dent_sim_statistics sums;
};

/* Energies and momenta, added to zeros. */
static dent_status add_sums(void *data)
{
    struct sums_call *call = data;
    dent_sim_statistics *sums = &call->sums;
    const struct sim_model *model = &call->sim->model;
    const struct sim_state *state = &call->sim->state;
    sums->time = dent_sim_time(call->sim);
    for (uint32_t v = 0; v < model->vertex_count; v++) {
        if (model->inverse_masses[v] > 0) {
            add_particle(sums, state->gravity, model->masses[v], state->positions + 3 * (size_t)v,
                         state->velocities + 3 * (size_t)v);
        }
    }
    for (uint32_t r = 0; r < model->rigid_count; r++) {
        add_rigid(model, state, r, sums);
    }
    for (uint32_t b = 0; b < model->body_count; b++) {
        sums->elastic += elastic_body_energy(model, state, b);
    }
    sums->contact = elastic_term_energy(model, state, &call->sim->work.solver.elastic);
    sums->contact += joints_stored(model, state->rigids) + island_energy_books(model, state).stored;
    for (uint64_t i = 0; i < call->sim->work.contacts.count; i++) {
        sums->contact += island_contact_energy(model, &call->sim->work.contacts, i);
    }
    sums->outer_work = state->outer_work;
    sums->residual = elastic_residual(model, state, &call->sim->work.solver.elastic);
    sums->inverted_cells = elastic_inverted_cells(model, state->positions);
    return DENT_OK;
}

dent_sim_statistics dent_sim_get_statistics(const dent_sim *sim)
{
    if (!sim) {
        return (dent_sim_statistics){0};
    }
    const struct sim_model *model = &sim->model;
    const struct step_report *report = &sim->work.report;
    struct sums_call call = {sim, report->statistics};
    dent_call_guarded(model->context, add_sums, &call);
    dent_sim_statistics sums = call.sums;
    sums.step = sim->state.step;
    sums.substeps = model->substeps;
    sums.mode = elastic_fastest_mode(model, &sim->work.solver.elastic, &sums.mode_body);
    sums.mode_stiffness = elastic_kept_stiffness(sums.mode * model->substep);
    for (uint32_t r = 0; r < model->rigid_count; r++) {
        sums.sleeping += sim->state.rest[r].asleep != 0;
    }
    sums.elements = model->elastic->tet_count + model->elastic->triangle_count + model->elastic->cells.count;
    sums.constraints = model->attachment_count + model->loads->spring_count + sim->state.grab_count;
    sums.ns_detect = report->ns_detect;
    sums.ns_respond = report->ns_respond;
    sums.ns_elastic = report->ns_elastic;
    sums.ns_total = report->ns_total;
    sums.bytes = dent_context_memory_use(model->context).bytes;
    sums.substeps = model->substeps;
    return sums;
}

/* ---- bodies and contacts ----------------------------------------------------------------------------------------- */

const char *dent_sim_body_kind_name(dent_sim_body_kind kind)
{
    static const char *const names[] = {NULL, "solid", "cloth", "rigid", "prescribed", "embedded", "strands"};
    return (unsigned)kind < sizeof names / sizeof names[0] ? names[kind] : NULL;
}

uint64_t dent_sim_step_count(const dent_sim *sim)
{
    if (!sim) {
        return 0;
    }
    return sim->state.step;
}

double dent_sim_time(const dent_sim *sim)
{
    if (!sim) {
        return 0;
    }
    return (double)sim->state.step * sim->model.time_step;
}

dent_context *dent_sim_context(const dent_sim *sim)
{
    if (!sim) {
        return NULL;
    }
    return sim->model.context;
}

dent_world *dent_sim_world(dent_sim *sim)
{
    if (!sim) {
        return NULL;
    }
    return sim->work.search.world;
}

uint32_t dent_sim_body_count(const dent_sim *sim)
{
    if (!sim) {
        return 0;
    }
    return sim->model.body_count;
}

bool dent_sim_body(const dent_sim *sim, uint32_t number, dent_sim_body_info *info)
{
    if (!sim || !info) {
        return false;
    }
    if (number >= sim->model.body_count) {
        return false;
    }
    const struct sim_body *body = &sim->model.bodies[number];
    *info = (dent_sim_body_info){.name = body->name,
                                 .kind = body->kind,
                                 .mesh = body->mesh,
                                 .vertex_count = body->vertex_count,
                                 .element_count = body->element_count,
                                 .element_corners = body->corners,
                                 .material = body->material,
                                 .mass = body->mass,
                                 .mean_edge = body->mean_edge,
                                 .thickness = body->thickness};
    return true;
}

static const double *body_numbers(const dent_sim *sim, const double *numbers, uint32_t body)
{
    return body < sim->model.body_count ? numbers + 3 * (size_t)sim->model.bodies[body].first_vertex : NULL;
}

bool dent_sim_get_pose(const dent_sim *sim, uint32_t body, dent_pose *pose, double *linear, double *angular)
{
    uint32_t rigid = sim && body < sim->model.body_count ? sim->model.bodies[body].rigid : SIM_NONE;
    if (rigid == SIM_NONE) {
        return false;
    }
    const dent_rigid_state *now = &sim->state.rigids[rigid];
    double turn[9], center[3]; /* of mass, at time 0 */
    sim_subtract(sim->model.bodies[body].start, sim->model.rigids[rigid].local, center);
    rigid_rotation(now->orientation, turn);
    for (int k = 0; k < 3 && pose; k++) {
        pose->translation[k] = now->center[k] - sim_dot(turn + 3 * k, center);
    }
    if (pose) {
        memcpy(pose->rotation, now->orientation, sizeof pose->rotation);
    }
    if (linear) {
        memcpy(linear, now->linear_velocity, sizeof now->linear_velocity);
    }
    if (angular) {
        memcpy(angular, now->angular_velocity, sizeof now->angular_velocity);
    }
    return true;
}

const double *dent_sim_positions(const dent_sim *sim, uint32_t body)
{
    if (!sim) {
        return NULL;
    }
    return body_numbers(sim, sim->state.positions, body);
}

const double *dent_sim_velocities(const dent_sim *sim, uint32_t body)
{
    if (!sim) {
        return NULL;
    }
    return body_numbers(sim, sim->state.velocities, body);
}

const dent_sim_contact *dent_sim_contacts(const dent_sim *sim, uint64_t *count)
{
    if (!sim || !count) {
        return NULL;
    }
    *count = sim->work.contacts.count;
    return sim->work.contacts.reported;
}

struct forces_call {
    const dent_sim *sim;
    double *forces;
};

static dent_status write_forces(void *data)
{
    const struct forces_call *call = data;
    const struct sim_model *model = &call->sim->model;
    elastic_attachment_forces(model, &call->sim->state, &call->sim->work.solver.elastic, call->forces);
    return DENT_OK;
}

void dent_sim_attachment_forces(const dent_sim *sim, double *forces)
{
    if (sim) {
        struct forces_call call = {sim, forces};
        dent_call_guarded(sim->model.context, write_forces, &call);
    }
}
