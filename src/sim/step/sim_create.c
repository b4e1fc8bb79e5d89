/* Making a simulation: copies what the def points to, measures bodies, gives masses to vertices, puts the bodies into a
 * world, then builds the parts that have files of their own. Any failure gives everything back. */
#include "sim/elastic/contact_springs.h"
#include "sim/rigid/rigid_bonds.h"

#include <math.h>
#include <string.h>

/* ---- defaults ---------------------------------------------------------------------------------------------------- */

dent_sim_material dent_sim_material_default(void)
{
    return (dent_sim_material){.struct_size = sizeof(dent_sim_material),
                               .density = 1000,
                               .young = 1e5,
                               .poisson = 0.4,
                               .damping = 0.002,
                               .stretch = 1000,
                               .shear = 300,
                               .bending = 1e-4,
                               .friction_static = 0.5,
                               .friction_kinetic = 0.4};
}

dent_sim_body_def dent_sim_body_def_default(dent_sim_body_kind kind)
{
    bool elastic = kind == DENT_SIM_SOLID || kind == DENT_SIM_CLOTH;
    return (dent_sim_body_def){.struct_size = sizeof(dent_sim_body_def),
                               .kind = kind,
                               .mesh = kind == DENT_SIM_CLOTH || kind == DENT_SIM_EMBEDDED ? DENT_BODY_SURFACE
                                                                                           : DENT_BODY_SOLID,
                               .thickness = -1,
                               .collision_group = 1,
                               .collision_mask = UINT32_MAX,
                               .self_collision = elastic || kind == DENT_SIM_EMBEDDED,
                               .prevent_crossing = kind == DENT_SIM_CLOTH};
}

dent_sim_attachment dent_sim_attachment_default(void)
{
    return (dent_sim_attachment){.body_b = UINT32_MAX,
                                 .vertices_b = {UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX},
                                 .weights_b = {1, 0, 0, 0}};
}

dent_sim_def dent_sim_def_default(void)
{
    return (dent_sim_def){.struct_size = sizeof(dent_sim_def),
                          .gravity = {0, 0, -9.81},
                          .time_step = 1.0 / 60,
                          .substeps = 10,
                          .iterations = 0,
                          .contacts = true,
                          .thickness = -1,
                          .continuous = DENT_SIM_CONTINUOUS_THIN,
                          .impact_passes = 8};
}

/* ---- bodies ------------------------------------------------------------------------------------------------------ */

static void *copy_array(dent_sim *sim, const void *source, size_t count, size_t size)
{
    void *copy = sim_allocate(sim, count, size);
    if (copy && source && count > 0) {
        memcpy(copy, source, count * size);
    }
    return copy;
}

static dent_status copy_motion(dent_sim *sim, const dent_sim_motion *source, dent_sim_motion *motion)
{
    *motion = *source;
    motion->keyframes = copy_array(sim, source->keyframes, source->keyframe_count, sizeof *source->keyframes);
    return motion->keyframes ? DENT_OK : sim_no_memory(sim);
}

static dent_status copy_body(dent_sim *sim, const dent_sim_body_def *def, uint32_t number)
{
    struct sim_body *body = &sim->bodies[number];
    bool may_be_either = def->kind == DENT_SIM_RIGID || def->kind == DENT_SIM_PRESCRIBED;
    bool solid = def->kind == DENT_SIM_SOLID || (may_be_either && dent_body_kind_has_cells(def->mesh));
    sim_body_name(def, number, body->name);
    body->kind = def->kind;
    body->mesh = solid ? DENT_BODY_SOLID : DENT_BODY_SURFACE;
    body->first_vertex = sim->vertex_count;
    body->vertex_count = def->vertex_count;
    body->element_count = def->element_count;
    body->corner_count = solid ? 4 : 3;
    body->material = def->material;
    body->density = def->density > 0 ? def->density : sim->materials[def->material].density;
    body->thickness = def->thickness;
    body->fixed_count = def->fixed_count;
    body->host = def->host;
    body->collision_group = def->collision_group;
    body->collision_mask = def->collision_mask;
    body->self_collision = def->self_collision && !may_be_either;
    body->thin = def->prevent_crossing;
    body->rigid = SIM_NONE;
    body->corners =
        copy_array(sim, def->element_corners, (size_t)body->corner_count * def->element_count, sizeof *body->corners);
    body->start = copy_array(sim, def->positions, 3 * (size_t)def->vertex_count, sizeof(double));
    body->rest = def->rest ? copy_array(sim, def->rest, 3 * (size_t)def->vertex_count, sizeof(double)) : body->start;
    body->fixed = copy_array(sim, def->fixed_vertices, def->fixed_count, sizeof *body->fixed);
    if (!body->corners || !body->start || !body->rest || !body->fixed) {
        return sim_no_memory(sim);
    }
    sim->vertex_count += def->vertex_count;
    sim->rigid_count += def->kind == DENT_SIM_RIGID;
    sim->embedding_count += def->kind == DENT_SIM_EMBEDDED;
    return copy_motion(sim, &def->motion, &body->motion);
}

/* The world with all bodies; positions at the start shape. */
static dent_status add_to_world(dent_sim *sim, const dent_sim_def *def, uint32_t number, dent_same_as *ties)
{
    struct sim_body *body = &sim->bodies[number];
    dent_body_def mesh = dent_body_def_default(body->mesh);
    mesh.name = body->name;
    mesh.vertex_count = body->vertex_count;
    mesh.element_count = body->element_count;
    mesh.element_corners = body->corners;
    mesh.positions_t0 = dent_positions_double(sim->state.positions + 3 * (size_t)body->first_vertex);
    mesh.collision_group = body->collision_group;
    mesh.collision_mask = body->collision_mask;
    mesh.self_collision = body->self_collision;
    if (body->kind == DENT_SIM_SOLID) {
        mesh.reference = dent_positions_double(body->rest);
    }
    for (uint32_t n = 0; n < def->attachment_count; n++) {
        const dent_sim_attachment *tie = &def->attachments[n];
        if (!tie->same_vertex) {
            continue;
        }
        bool is_a = tie->body_a > tie->body_b; /* the later of the two names the earlier */
        if ((is_a ? tie->body_a : tie->body_b) == number && tie->body_a != tie->body_b) {
            ties[mesh.same_as_count++] = (dent_same_as){is_a ? tie->vertex_a : tie->vertices_b[0],
                                                        sim->bodies[is_a ? tie->body_b : tie->body_a].id,
                                                        is_a ? tie->vertices_b[0] : tie->vertex_a};
        }
    }
    mesh.same_as = ties;
    dent_status status = dent_world_add_body(sim->world, &mesh, &body->id);
    if (status == DENT_OK) {
        status = dent_body_set_material(sim->world, body->id, body->material);
    }
    dent_body_topology topology;
    dent_body_metrics measure;
    if (status == DENT_OK) {
        status = dent_body_get_topology(sim->world, body->id, &topology);
    }
    if (status == DENT_OK) {
        status = dent_body_get_metrics(sim->world, body->id, &measure);
    }
    if (status != DENT_OK) {
        return dent_fail(sim->context, status, "%s", dent_world_message(sim->world));
    }
    body->mean_edge = measure.mean_edge;
    body->oriented = dent_body_kind_has_cells(body->mesh) || topology.surface_closed;
    body->mirrored = measure.mirrored;
    return DENT_OK;
}

static dent_status make_world(dent_sim *sim, const dent_sim_def *def)
{
    sim->world = dent_world_create(sim->context);
    sim->response = dent_response_create(sim->context);
    dent_same_as *ties = dent_allocate(sim->context, def->attachment_count, sizeof *ties);
    dent_status status = sim->world && sim->response && ties ? DENT_OK : sim_no_memory(sim);
    double edges = 0;
    for (uint32_t b = 0; b < sim->body_count && status == DENT_OK; b++) {
        status = add_to_world(sim, def, b, ties);
        edges += sim->bodies[b].mean_edge * sim->bodies[b].vertex_count;
    }
    dent_release(sim->context, ties, def->attachment_count, sizeof *ties);
    sim->mean_edge = sim->vertex_count > 0 ? edges / sim->vertex_count : 0;
    for (uint32_t b = 0; b < sim->body_count; b++) {
        double thickness = def->thickness >= 0 ? def->thickness : 0.02 * sim->mean_edge;
        sim->bodies[b].thickness = sim->bodies[b].thickness >= 0 ? sim->bodies[b].thickness : thickness;
    }
    return status;
}

/* ---- masses ------------------------------------------------------------------------------------------------------ */

static double element_measure(const struct sim_body *body, uint32_t element)
{
    const uint32_t *corners = body->corners + (size_t)body->corner_count * element;
    const double *origin = body->rest + 3 * (size_t)corners[0];
    double e1[3], e2[3], e3[3], normal[3];
    sim_subtract(body->rest + 3 * (size_t)corners[1], origin, e1);
    sim_subtract(body->rest + 3 * (size_t)corners[2], origin, e2);
    sim_cross(e1, e2, normal);
    if (body->corner_count == 3) {
        return 0.5 * sqrt(sim_dot(normal, normal));
    }
    sim_subtract(body->rest + 3 * (size_t)corners[3], origin, e3);
    double six = sim_dot(normal, e3);
    return (six < 0 ? -six : six) / 6;
}

/* Each element gives its corners equal shares of its mass. */
static dent_status give_masses(dent_sim *sim)
{
    for (uint32_t b = 0; b < sim->body_count; b++) {
        struct sim_body *body = &sim->bodies[b];
        for (uint32_t v = 0; v < body->vertex_count; v++) {
            sim->vertex_bodies[body->first_vertex + v] = b;
        }
        if (body->kind != DENT_SIM_SOLID && body->kind != DENT_SIM_CLOTH) {
            continue;
        }
        for (uint32_t e = 0; e < body->element_count; e++) {
            double mass = body->density * element_measure(body, e);
            body->mass += mass;
            for (uint32_t k = 0; k < body->corner_count; k++) {
                sim->masses[body->first_vertex + body->corners[(size_t)body->corner_count * e + k]] +=
                    mass / body->corner_count;
            }
        }
        if (!(body->mass > 0) || !isfinite(body->mass)) {
            return dent_fail(sim->context, DENT_ERROR_BAD_MESH, "%s: its rest shape has no volume (mass %.9g)",
                             body->name, body->mass);
        }
        for (uint32_t v = body->first_vertex; v < body->first_vertex + body->vertex_count; v++) {
            sim->inverse_masses[v] = sim->masses[v] > 0 ? 1 / sim->masses[v] : 0;
        }
        for (uint32_t k = 0; k < body->fixed_count; k++) {
            sim->inverse_masses[body->first_vertex + body->fixed[k]] = 0;
        }
    }
    return DENT_OK;
}

/* ---- velocities at the start ------------------------------------------------------------------------------------- */

static void center_of_mass(const dent_sim *sim, const struct sim_body *body, double *center)
{
    double mass = 0;
    center[0] = center[1] = center[2] = 0;
    for (uint32_t v = body->first_vertex; v < body->first_vertex + body->vertex_count; v++) {
        sim_add_scaled(center, sim->masses[v], sim->state.positions + 3 * (size_t)v);
        mass += sim->masses[v];
    }
    for (int axis = 0; axis < 3; axis++) {
        center[axis] = mass > 0 ? center[axis] / mass : 0;
    }
}

static void set_body_velocity(dent_sim *sim, uint32_t number, const double *linear, const double *angular)
{
    const struct sim_body *body = &sim->bodies[number];
    if (body->rigid != SIM_NONE) {
        dent_rigid_state *state = &sim->state.rigids[body->rigid];
        memcpy(state->linear_velocity, linear, sizeof state->linear_velocity);
        memcpy(state->angular_velocity, angular, sizeof state->angular_velocity);
        rigid_vertex_velocities(sim);
        return;
    }
    double center[3];
    center_of_mass(sim, body, center);
    for (uint32_t v = body->first_vertex; v < body->first_vertex + body->vertex_count; v++) {
        double arm[3], spin[3];
        sim_subtract(sim->state.positions + 3 * (size_t)v, center, arm);
        sim_cross(angular, arm, spin);
        for (int axis = 0; axis < 3 && sim->inverse_masses[v] > 0; axis++) {
            sim->state.velocities[3 * (size_t)v + (size_t)axis] = linear[axis] + spin[axis];
        }
    }
}

static void start_velocities(dent_sim *sim, const dent_sim_def *def)
{
    for (uint32_t b = 0; b < sim->body_count; b++) {
        const dent_sim_body_def *body = &def->bodies[b];
        bool movable = body->kind == DENT_SIM_SOLID || body->kind == DENT_SIM_CLOTH || body->kind == DENT_SIM_RIGID;
        if (movable && body->velocities && body->kind != DENT_SIM_RIGID) {
            memcpy(sim->state.velocities + 3 * (size_t)sim->bodies[b].first_vertex, body->velocities,
                   3 * (size_t)body->vertex_count * sizeof(double));
        } else if (movable) {
            set_body_velocity(sim, b, body->linear_velocity, body->angular_velocity);
        }
    }
}

/* ---- materials and attachments ----------------------------------------------------------------------------------- */

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static dent_status make_materials(dent_sim *sim, const dent_sim_def *def)
{
    sim->material_count = def->material_count > 0 ? def->material_count : 1;
    sim->materials = sim_allocate(sim, sim->material_count, sizeof *sim->materials);
    size_t pairs = (size_t)sim->material_count * (sim->material_count + 1) / 2;
    if (pairs > UINT32_MAX / 2 - def->pair_count) {
        return dent_fail(sim->context, DENT_ERROR_TOO_LARGE, "%u materials are too many", sim->material_count);
    }
    sim->pairs = sim_allocate(sim, pairs + def->pair_count, sizeof *sim->pairs);
    if (!sim->materials || !sim->pairs) {
        return sim_no_memory(sim);
    }
    for (uint32_t n = 0; n < sim->material_count; n++) {
        sim->materials[n] = def->material_count > 0 ? def->materials[n] : dent_sim_material_default();
        sim->materials[n].name = NULL;
    }
    for (uint32_t n = 0; n < def->pair_count; n++) { /* the first that fits counts */
        const dent_sim_material_pair *pair = &def->pairs[n];
        sim->pairs[sim->pair_count++] = (dent_material_pair){
            pair->material_a,
            pair->material_b,
            {pair->friction_static, pair->friction_kinetic, pair->restitution, pair->contact_compliance}};
    }
    for (uint32_t a = 0; a < sim->material_count; a++) {
        for (uint32_t b = a; b < sim->material_count; b++) {
            const dent_sim_material *first = &sim->materials[a], *second = &sim->materials[b];
            dent_contact_material both = {sqrt(first->friction_static * second->friction_static),
                                          sqrt(first->friction_kinetic * second->friction_kinetic),
                                          larger(first->restitution, second->restitution),
                                          first->contact_compliance + second->contact_compliance};
            sim->pairs[sim->pair_count++] = (dent_material_pair){a, b, both};
        }
    }
    return DENT_OK;
}

static dent_status make_attachments(dent_sim *sim, const dent_sim_def *def)
{
    sim->attachments = sim_allocate(sim, def->attachment_count, sizeof *sim->attachments);
    if (!sim->attachments) {
        return sim_no_memory(sim);
    }
    for (uint32_t n = 0; n < def->attachment_count; n++) {
        const dent_sim_attachment *from = &def->attachments[n];
        struct sim_attachment *tie = &sim->attachments[n];
        tie->body_a = from->body_a;
        tie->vertex_a = sim->bodies[from->body_a].first_vertex + from->vertex_a;
        tie->body_b = from->body_b;
        memcpy(tie->weights_b, from->weights_b, sizeof tie->weights_b);
        memcpy(tie->point, from->point, sizeof tie->point);
        for (int k = 0; k < 4; k++) {
            tie->vertices_b[k] = from->body_b == UINT32_MAX || from->vertices_b[k] == UINT32_MAX
                                     ? SIM_NONE
                                     : sim->bodies[from->body_b].first_vertex + from->vertices_b[k];
        }
        tie->length = from->length;
        tie->compliance = from->compliance;
    }
    return DENT_OK;
}

/* ---- creation ---------------------------------------------------------------------------------------------------- */

static void take_settings(dent_sim *sim, const dent_sim_def *def)
{
    sim->time_step = def->time_step;
    sim->substeps = def->substeps;
    sim->substep = def->time_step / def->substeps;
    sim->air_damping = def->air_damping;
    sim->contacts_wanted = def->contacts && def->contact_budget == 0;
    sim->interval_is_fixed = def->contact_interval > 0;
    sim->contact_interval =
        def->contact_interval == 0 || def->contact_interval > def->substeps ? def->substeps : def->contact_interval;
    sim->impact_passes = def->impact_passes;
    sim->cancel = def->cancel;
    sim->watch_all = def->continuous == DENT_SIM_CONTINUOUS_ALL;
    sim->continuous = sim->watch_all;
    for (uint32_t b = 0; b < def->body_count && def->continuous == DENT_SIM_CONTINUOUS_THIN; b++) {
        sim->continuous = sim->continuous || def->bodies[b].prevent_crossing;
    }
    if (def->contact_budget > 0) {
        sim->watch_all = sim->continuous = false;
    }
    /* A face on a face gives many contacts per vertex: with four sweeps over them a stack comes to rest, with one it
     * trembles. The sweeps cost little beside the rest of a call. */
    sim->contact_iterations = 4;
    sim->bounce_iterations = 4;
    memcpy(sim->state.gravity, def->gravity, sizeof sim->state.gravity);
    sim->fingerprint = sim_def_fingerprint(def);
    sim->statistics = (dent_sim_statistics){.deepest_a = SIM_NONE, .deepest_b = SIM_NONE};
}

static dent_status make_arrays(dent_sim *sim)
{
    size_t vertices = sim->vertex_count, numbers = 3 * vertices;
    double **doubles[] = {&sim->previous,  &sim->targets, &sim->carried,        &sim->approach_velocities,
                          &sim->taken_out, &sim->scratch, &sim->interval_start, &sim->wanted};
    for (size_t n = 0; n < sizeof doubles / sizeof doubles[0]; n++) {
        if (!(*doubles[n] = sim_allocate(sim, numbers, sizeof(double)))) {
            return sim_no_memory(sim);
        }
    }
    sim->masses = sim_allocate(sim, vertices, sizeof *sim->masses);
    sim->inverse_masses = sim_allocate(sim, vertices, sizeof *sim->inverse_masses);
    sim->vertex_bodies = sim_allocate(sim, vertices, sizeof *sim->vertex_bodies);
    sim->fractions = sim_allocate(sim, vertices, sizeof *sim->fractions);
    sim->islands = sim_allocate(sim, vertices, sizeof *sim->islands);
    sim->in_impact = sim_allocate(sim, vertices, sizeof *sim->in_impact);
    sim->rigids = sim_allocate(sim, sim->rigid_count, sizeof *sim->rigids);
    sim->rigid_previous = sim_allocate(sim, sim->rigid_count, sizeof *sim->rigid_previous);
    sim->rigid_detected = sim_allocate(sim, sim->rigid_count, sizeof *sim->rigid_detected);
    sim->rigid_free = sim_allocate(sim, sim->rigid_count, sizeof *sim->rigid_free);
    sim->rigid_wanted = sim_allocate(sim, sim->rigid_count, sizeof *sim->rigid_wanted);
    sim->embeddings = sim_allocate(sim, sim->embedding_count, sizeof *sim->embeddings);
    if (!sim->masses || !sim->inverse_masses || !sim->vertex_bodies || !sim->fractions || !sim->islands ||
        !sim->in_impact || !sim->rigids || !sim->rigid_previous || !sim->rigid_detected || !sim->rigid_wanted ||
        !sim->rigid_free || !sim->embeddings) {
        return sim_no_memory(sim);
    }
    dent_status status = state_create(sim, &sim->state);
    return status == DENT_OK ? state_create(sim, &sim->backup) : status;
}

/* Thin bodies that cross at the start cannot be uncrossed by never crossing: say so. */
static dent_status look_at_start(dent_sim *sim)
{
    dent_impact_def def = dent_impact_def_default();
    dent_initial_state start;
    dent_status status = dent_world_initial_state(sim->world, &def, &start);
    if (status != DENT_OK) {
        return dent_fail(sim->context, status, "%s", dent_world_message(sim->world));
    }
    if (start.crosses) {
        dent_log_line(
            sim->context, DENT_LOG_WARNING,
            "%s and %s cross or contain one another at the start; where a thin body is among them, it stays so",
            sim->bodies[start.body_a].name, sim->bodies[start.body_b].name);
    }
    return DENT_OK;
}

/* Masses, places and speeds may each be finite and their energies not: a step squares them. Bodies for which it could
 * overflow, or whose inertia vanishes, are refused here rather than in the middle of a step. */
static dent_status check_magnitudes(dent_sim *sim)
{
    const double most = 1e280, least = 1e-280;
    double fall = sqrt(sim_dot(sim->state.gravity, sim->state.gravity)) * sim->substep;
    for (uint32_t b = 0; b < sim->body_count; b++) {
        const struct sim_body *body = &sim->bodies[b];
        double far = 0, speed = 0, lightest = INFINITY, mass = 0;
        for (uint32_t v = body->first_vertex; v < body->first_vertex + body->vertex_count; v++) {
            for (int axis = 0; axis < 3; axis++) {
                far = fmax(far, fabs(sim->state.positions[3 * (size_t)v + axis]));
                speed = fmax(speed, fabs(sim->state.velocities[3 * (size_t)v + axis]));
            }
            mass += sim->masses[v];
            lightest = sim->masses[v] > 0 ? fmin(lightest, sim->masses[v]) : lightest;
        }
        mass = body->rigid != SIM_NONE ? sim->rigids[body->rigid].mass : mass;
        double fastest = far / sim->substep + speed + fall, elastic = elastic_body_energy(sim, b);
        bool moves = mass > 0, heavy = moves && !(mass * fastest * fastest <= most);
        bool light = moves && lightest < INFINITY && !(lightest / (sim->substep * sim->substep) >= least);
        if (heavy || light || !(fabs(elastic) <= most)) {
            return dent_fail(
                sim->context, DENT_ERROR_BAD_NUMBER,
                "%s: a mass of %g, places up to %g and speeds up to %g, in substeps of %g, make energies that "
                "double precision cannot hold: choose other units",
                body->name, mass, far, speed, sim->substep);
        }
    }
    return DENT_OK;
}

static dent_status build(dent_sim *sim, const dent_sim_def *def)
{
    dent_status status = make_materials(sim, def);
    sim->bodies = sim_allocate(sim, def->body_count, sizeof *sim->bodies);
    if (status == DENT_OK && !sim->bodies) {
        status = sim_no_memory(sim);
    }
    sim->body_count = def->body_count;
    sim->attachment_count = def->attachment_count;
    for (uint32_t b = 0; b < def->body_count && status == DENT_OK; b++) {
        status = copy_body(sim, &def->bodies[b], b);
    }
    if (status == DENT_OK) {
        status = make_arrays(sim);
    }
    for (uint32_t b = 0; b < sim->body_count && status == DENT_OK; b++) {
        const struct sim_body *body = &sim->bodies[b];
        memcpy(sim->state.positions + 3 * (size_t)body->first_vertex, body->start,
               3 * (size_t)body->vertex_count * sizeof(double));
        memcpy(sim->previous + 3 * (size_t)body->first_vertex, body->start,
               3 * (size_t)body->vertex_count * sizeof(double));
    }
    dent_status (*const stages[])(dent_sim *) = {give_masses, rigid_build,     bonds_find,     elastic_mesh_build,
                                                 bonds_build, embedding_build, contacts_build, springs_build};
    if (status == DENT_OK) {
        status = make_world(sim, def);
    }
    if (status == DENT_OK) {
        status = make_attachments(sim, def);
    }
    for (size_t n = 0; n < sizeof stages / sizeof stages[0] && status == DENT_OK; n++) {
        status = stages[n](sim);
    }
    if (status == DENT_OK) {
        status = elastic_choose_sweeps(sim, def->iterations);
    }
    if (status == DENT_OK) {
        attachments_build(sim);
    }
    if (status == DENT_OK) {
        motion_apply(sim, 0);
        rigid_place_vertices(sim);
        bonds_place_vertices(sim);
        embedding_place_vertices(sim);
        start_velocities(sim, def);
        status = check_magnitudes(sim);
    }
    if (status == DENT_OK) {
        status = sim->continuous ? look_at_start(sim) : DENT_OK;
    }
    if (status == DENT_OK && def->contacts) {
        status = budget_build(sim, def->contact_budget);
    }
    return status;
}

struct create_call {
    dent_sim *sim;
    const dent_sim_def *def;
    dent_status status;
};

static void create_block(void *data, uint32_t block, uint32_t worker)
{
    (void)block;
    (void)worker;
    struct create_call *call = data;
    take_settings(call->sim, call->def);
    call->status = build(call->sim, call->def);
}

dent_status dent_sim_create(dent_context *context, const dent_sim_def *def, dent_sim **sim)
{
    DENT_REQUIRE(context, context);
    DENT_REQUIRE(context, def);
    DENT_REQUIRE(context, sim);
    dent_status status = sim_check_def(context, def);
    if (status != DENT_OK) {
        return status;
    }
    dent_sim *made = dent_allocate(context, 1, sizeof *made);
    if (!made) {
        return dent_fail(context, DENT_ERROR_OUT_OF_MEMORY, "no memory for the simulation");
    }
    memset(made, 0, sizeof *made);
    made->context = context;
    struct create_call call = {made, def, DENT_OK};
    dent_parallel_for(context, 1, create_block, &call);
    if (call.status != DENT_OK) {
        dent_sim_destroy(made);
        return call.status;
    }
    *sim = made;
    return DENT_OK;
}

void dent_sim_destroy(dent_sim *sim)
{
    if (!sim) {
        return;
    }
    dent_context *context = sim->context;
    budget_destroy(sim);
    dent_world_destroy(sim->world);
    dent_response_destroy(sim->response);
    state_release(sim, &sim->state);
    state_release(sim, &sim->backup);
    dent_release(context, sim->contacts, (size_t)sim->contact_capacity, sizeof *sim->contacts);
    dent_release(context, sim->reported, (size_t)sim->reported_capacity, sizeof *sim->reported);
    dent_release(context, sim->new_forces, (size_t)sim->new_force_capacity, sizeof *sim->new_forces);
    springs_destroy(sim);
    dent_release(context, sim->carried_contacts, (size_t)sim->carried_capacity, sizeof *sim->carried_contacts);
    dent_release(context, sim->impacts, (size_t)sim->impact_capacity, sizeof *sim->impacts);
    dent_release(context, sim->impact_contacts, (size_t)sim->impact_contact_capacity, sizeof *sim->impact_contacts);
    sim_release_blocks(sim);
    dent_release(context, sim, 1, sizeof *sim);
}

/* ---- taking hold ------------------------------------------------------------------------------------------------- */

static bool all_finite(const double *numbers)
{
    return isfinite(numbers[0]) && isfinite(numbers[1]) && isfinite(numbers[2]);
}

static bool is_movable(const dent_sim *sim, uint32_t body)
{
    return body < sim->body_count && (sim->bodies[body].kind == DENT_SIM_SOLID ||
                                      sim->bodies[body].kind == DENT_SIM_CLOTH || sim->bodies[body].rigid != SIM_NONE);
}

dent_status dent_sim_grab(dent_sim *sim, uint32_t body, uint32_t vertex, const double target[3])
{
    DENT_REQUIRE(NULL, sim);
    DENT_REQUIRE(sim->context, target);
    if (!is_movable(sim, body) || vertex >= sim->bodies[body].vertex_count || !all_finite(target)) {
        return dent_fail(sim->context, DENT_ERROR_INVALID_ARGUMENT,
                         "grab: body %u, vertex %u: no movable body has it, or the target is not finite", body, vertex);
    }
    uint32_t n = 0;
    while (n < sim->state.grab_count && (sim->state.grabs[n].body != body || sim->state.grabs[n].vertex != vertex)) {
        n++;
    }
    if (n == SIM_MOST_GRABS) {
        return dent_fail(sim->context, DENT_ERROR_INVALID_ARGUMENT, "grab: %d vertices are held already",
                         SIM_MOST_GRABS);
    }
    sim->state.grab_count = n == sim->state.grab_count ? n + 1 : sim->state.grab_count;
    sim->state.grabs[n] = (struct sim_grab){body, vertex, {target[0], target[1], target[2]}};
    return DENT_OK;
}

void dent_sim_release(dent_sim *sim, uint32_t body, uint32_t vertex)
{
    if (!sim) {
        return;
    }
    for (uint32_t n = 0; n < sim->state.grab_count; n++) {
        if (sim->state.grabs[n].body == body && sim->state.grabs[n].vertex == vertex) {
            sim->state.grabs[n] = sim->state.grabs[--sim->state.grab_count];
            memset(&sim->state.grabs[sim->state.grab_count], 0, sizeof sim->state.grabs[0]);
        }
    }
}

void dent_sim_release_all(dent_sim *sim)
{
    if (!sim) {
        return;
    }
    sim->state.grab_count = 0;
    memset(sim->state.grabs, 0, sizeof sim->state.grabs);
}

dent_status dent_sim_set_gravity(dent_sim *sim, const double gravity[3])
{
    DENT_REQUIRE(NULL, sim);
    DENT_REQUIRE(sim->context, gravity);
    if (!all_finite(gravity)) {
        return dent_fail(sim->context, DENT_ERROR_INVALID_ARGUMENT, "gravity must be finite");
    }
    memcpy(sim->state.gravity, gravity, sizeof sim->state.gravity);
    return DENT_OK;
}

dent_status dent_sim_set_velocity(dent_sim *sim, uint32_t body, const double linear[3], const double angular[3])
{
    DENT_REQUIRE(NULL, sim);
    static const double none[3] = {0, 0, 0};
    if (!is_movable(sim, body) || (linear && !all_finite(linear)) || (angular && !all_finite(angular))) {
        return dent_fail(sim->context, DENT_ERROR_INVALID_ARGUMENT,
                         "set velocity: body %u does not move by itself, or the velocity is not finite", body);
    }
    const dent_rigid_state *state =
        sim->bodies[body].rigid == SIM_NONE ? NULL : &sim->state.rigids[sim->bodies[body].rigid];
    double kept_linear[3], kept_angular[3]; /* a rigid body keeps what is not given */
    memcpy(kept_linear, linear ? linear : (state ? state->linear_velocity : none), sizeof kept_linear);
    memcpy(kept_angular, angular ? angular : (state ? state->angular_velocity : none), sizeof kept_angular);
    set_body_velocity(sim, body, kept_linear, kept_angular);
    return DENT_OK;
}
