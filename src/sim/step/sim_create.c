/* Making a simulation: copies what the def points to, measures bodies, gives masses to vertices, puts the bodies into a
 * world, then builds the parts that have files of their own. Any failure gives everything back. */
#include "sim/elements/elastic_mesh.h"
#include "sim/elements/material_laws.h"
#include "sim_step.h"

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
                               .friction_kinetic = 0.4,
                               .yield_stress = 1e3,
                               .fibre_direction = {1, 0, 0}};
}

dent_sim_body_def dent_sim_body_def_default(dent_sim_body_kind kind)
{
    bool elastic = sim_is_elastic(kind);
    return (dent_sim_body_def){.struct_size = sizeof(dent_sim_body_def),
                               .kind = kind,
                               .mesh = kind == DENT_SIM_STRANDS                              ? DENT_BODY_STRANDS
                                       : kind == DENT_SIM_CLOTH || kind == DENT_SIM_EMBEDDED ? DENT_BODY_SURFACE
                                                                                             : DENT_BODY_SOLID,
                               .thickness = -1,
                               .collision_group = 1,
                               .collision_mask = UINT32_MAX,
                               .self_collision = elastic || kind == DENT_SIM_EMBEDDED,
                               .prevent_crossing = kind == DENT_SIM_CLOTH || kind == DENT_SIM_STRANDS,
                               .radius = 5e-5};
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
                          .substeps = 0,
                          .iterations = 0,
                          .contacts = true,
                          .thickness = -1,
                          .continuous = DENT_SIM_CONTINUOUS_THIN,
                          .impact_passes = 8,
                          .sleep = true};
}

/* ---- bodies ------------------------------------------------------------------------------------------------------ */

static void *copy_array(struct sim_model *model, const void *source, size_t count, size_t size)
{
    void *copy = sim_allocate(model, count, size);
    if (copy && source && count > 0) {
        memcpy(copy, source, count * size);
    }
    return copy;
}

static dent_status copy_motion(struct sim_model *model, const dent_sim_motion *source, dent_sim_motion *motion)
{
    *motion = *source;
    motion->keyframes = copy_array(model, source->keyframes, source->keyframe_count, sizeof *source->keyframes);
    return motion->keyframes ? DENT_OK : sim_no_memory(model->context);
}

/* What each cell of a solid is made of, and how many points of it flow. */
static dent_status copy_cells(struct sim_model *model, const dent_sim_body_def *def, struct sim_body *body)
{
    uint32_t count = sim_cell_count(body);
    if (def->element_materials) {
        body->cell_materials = copy_array(model, def->element_materials, count, sizeof *body->cell_materials);
    }
    if (def->fibre_directions) {
        body->cell_fibres = copy_array(model, def->fibre_directions, 3 * (size_t)count, sizeof *body->cell_fibres);
    }
    if ((def->element_materials && !body->cell_materials) || (def->fibre_directions && !body->cell_fibres)) {
        return sim_no_memory(model->context);
    }
    for (uint32_t c = 0; c < count; c++) {
        const dent_sim_material *material = &model->materials[sim_cell_material(body, c)];
        model->plastic_count += material_flows(material) ? sim_cell_points(body) : 0;
    }
    return DENT_OK;
}

static dent_status copy_body(struct sim_model *model, const dent_sim_body_def *def, uint32_t number,
                             const struct sim_cells *cells)
{
    struct sim_body *body = &model->bodies[number];
    bool may_be_either = def->kind == DENT_SIM_RIGID || def->kind == DENT_SIM_PRESCRIBED;
    bool solid = def->kind == DENT_SIM_SOLID || (may_be_either && dent_body_kind_has_cells(def->mesh));
    sim_body_name(def, number, body->name);
    body->kind = def->kind;
    bool strands = def->kind == DENT_SIM_STRANDS;
    body->mesh = solid ? DENT_BODY_SOLID : strands ? DENT_BODY_STRANDS : DENT_BODY_SURFACE;
    body->first_vertex = model->vertex_count;
    body->vertex_count = def->vertex_count;
    body->element_count = def->element_count;
    body->corner_count = solid ? 4 : strands ? 2 : 3;
    body->material = def->material;
    body->density = def->density > 0 ? def->density : model->materials[def->material].density;
    body->own_density = def->density > 0;
    body->given_mass = def->kind == DENT_SIM_RIGID ? def->mass : 0;
    memcpy(body->given_center, def->mass_center, sizeof body->given_center);
    memcpy(body->given_inertia, def->inertia, sizeof body->given_inertia);
    body->thickness = def->thickness;
    body->fixed_count = def->fixed_count;
    body->host = def->host;
    body->collision_group = def->collision_group;
    body->collision_mask = def->collision_mask;
    body->self_collision = def->self_collision && !may_be_either;
    body->thin = def->prevent_crossing;
    body->rigid = SIM_NONE;
    body->corners =
        copy_array(model, def->element_corners, (size_t)body->corner_count * def->element_count, sizeof *body->corners);
    body->start = copy_array(model, def->positions, 3 * (size_t)def->vertex_count, sizeof(double));
    body->rest = def->rest ? copy_array(model, def->rest, 3 * (size_t)def->vertex_count, sizeof(double)) : body->start;
    body->fixed = copy_array(model, def->fixed_vertices, def->fixed_count, sizeof *body->fixed);
    if (strands) {
        body->strand_count = def->strand_count;
        body->strand_first = copy_array(model, def->first, (size_t)def->strand_count + 1, sizeof *body->strand_first);
        body->root_count = def->root_count;
        body->roots = copy_array(model, def->roots, def->root_count, sizeof *body->roots);
        body->radius = def->radius;
        body->twist = def->twist;
        model->rod_row_count += sim_strand_rows(def->strand_count, def->first);
    }
    if (!body->corners || !body->start || !body->rest || !body->fixed ||
        (strands && (!body->strand_first || !body->roots))) {
        return sim_no_memory(model->context);
    }
    body->cells = *cells;
    if (def->kind == DENT_SIM_SOLID) {
        dent_status status = copy_cells(model, def, body);
        if (status != DENT_OK) {
            return status;
        }
    }
    model->vertex_count += def->vertex_count;
    model->rigid_count += def->kind == DENT_SIM_RIGID;
    model->embedding_count += def->kind == DENT_SIM_EMBEDDED;
    return copy_motion(model, &def->motion, &body->motion);
}

/* The world with all bodies; positions at the start shape. */
static dent_status add_to_world(struct sim_model *model, const double *positions, dent_world *world,
                                const dent_sim_def *def, uint32_t number, dent_same_as *ties,
                                dent_strand_root *roots)
{
    struct sim_body *body = &model->bodies[number];
    dent_body_def mesh = dent_body_def_default(body->mesh);
    mesh.name = body->name;
    mesh.vertex_count = body->vertex_count;
    mesh.element_count = body->element_count;
    mesh.element_corners = body->corners;
    mesh.positions_t0 = dent_positions_double(positions + 3 * (size_t)body->first_vertex);
    mesh.collision_group = body->collision_group;
    mesh.collision_mask = body->collision_mask;
    mesh.self_collision = body->self_collision;
    if (body->kind == DENT_SIM_STRANDS) {
        mesh.element_count = 0;
        mesh.element_corners = NULL;
        mesh.strand_count = body->strand_count;
        mesh.first = body->strand_first;
        mesh.root_on = roots;
        mesh.root_on_count = body->root_count;
        for (uint32_t n = 0; n < body->root_count; n++) {
            roots[n] = (dent_strand_root){body->roots[n].strand, model->bodies[body->roots[n].body].id, body->roots[n].face};
        }
    }
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
                                                        model->bodies[is_a ? tie->body_b : tie->body_a].id,
                                                        is_a ? tie->vertices_b[0] : tie->vertex_a};
        }
    }
    mesh.same_as = ties;
    dent_status status = dent_world_add_body(world, &mesh, &body->id);
    if (status == DENT_OK) {
        status = dent_body_set_material(world, body->id, body->material);
    }
    dent_body_topology topology;
    dent_body_metrics measure;
    if (status == DENT_OK) {
        status = dent_body_get_topology(world, body->id, &topology);
    }
    if (status == DENT_OK) {
        status = dent_body_get_metrics(world, body->id, &measure);
    }
    if (status != DENT_OK) {
        return dent_fail(model->context, status, "%s", dent_world_message(world));
    }
    body->mean_edge = measure.mean_edge;
    body->oriented = dent_body_kind_has_cells(body->mesh) || topology.surface_closed;
    body->mirrored = measure.mirrored;
    return DENT_OK;
}

/* Bodies of a joint do not collide, nor do those that the def excludes: no question is asked about them. */
static dent_status exclude_pairs(struct sim_model *model, const dent_sim_def *def, dent_world *world)
{
    uint32_t most = def->joint_count + def->excluded_count, count = 0;
    dent_excluded_pair *pairs = dent_allocate(model->context, most, sizeof *pairs);
    if (!pairs) {
        return sim_no_memory(model->context);
    }
    for (uint32_t n = 0; n < def->joint_count; n++) {
        const dent_sim_joint *joint = &def->joints[n];
        if (!joint->collide && joint->body_b != UINT32_MAX) {
            pairs[count++] = (dent_excluded_pair){model->bodies[joint->body_a].id, model->bodies[joint->body_b].id};
        }
    }
    for (uint32_t n = 0; n < def->excluded_count; n++) {
        const dent_sim_body_pair *pair = &def->excluded[n];
        pairs[count++] = (dent_excluded_pair){model->bodies[pair->body_a].id, model->bodies[pair->body_b].id};
    }
    dent_status status = count > 0 ? dent_world_set_excluded_pairs(world, pairs, count) : DENT_OK;
    dent_release(model->context, pairs, most, sizeof *pairs);
    return status == DENT_OK ? status : dent_fail(model->context, status, "%s", dent_world_message(world));
}

static dent_status make_world(struct sim_model *model, const double *positions, const dent_sim_def *def,
                              dent_world **made)
{
    dent_world *world = *made = dent_world_create(model->context);
    uint32_t most_roots = 0;
    for (uint32_t b = 0; b < model->body_count; b++) {
        most_roots = model->bodies[b].root_count > most_roots ? model->bodies[b].root_count : most_roots;
    }
    dent_same_as *ties = dent_allocate(model->context, def->attachment_count, sizeof *ties);
    dent_strand_root *roots = dent_allocate(model->context, most_roots, sizeof *roots);
    dent_status status = world && ties && roots ? DENT_OK : sim_no_memory(model->context);
    double edges = 0;
    for (uint32_t b = 0; b < model->body_count && status == DENT_OK; b++) {
        status = add_to_world(model, positions, world, def, b, ties, roots);
        edges += model->bodies[b].mean_edge * model->bodies[b].vertex_count;
    }
    dent_release(model->context, roots, most_roots, sizeof *roots);
    dent_release(model->context, ties, def->attachment_count, sizeof *ties);
    status = status == DENT_OK ? exclude_pairs(model, def, world) : status;
    model->mean_edge = model->vertex_count > 0 ? edges / model->vertex_count : 0;
    for (uint32_t b = 0; b < model->body_count; b++) {
        double thickness = def->thickness >= 0 ? def->thickness : 0.02 * model->mean_edge;
        model->bodies[b].thickness = model->bodies[b].thickness >= 0 ? model->bodies[b].thickness : thickness;
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
    if (body->corner_count == 2) {
        return SIM_PI * body->radius * body->radius * sqrt(sim_dot(e1, e1));
    }
    sim_subtract(body->rest + 3 * (size_t)corners[2], origin, e2);
    sim_cross(e1, e2, normal);
    if (body->corner_count == 3) {
        return 0.5 * sqrt(sim_dot(normal, normal));
    }
    sim_subtract(body->rest + 3 * (size_t)corners[3], origin, e3);
    double six = sim_dot(normal, e3);
    return (six < 0 ? -six : six) / 6;
}

/* A material of its own gives a cell its density, unless the body has one. */
static double element_density(const struct sim_model *model, const struct sim_body *body, uint32_t element)
{
    return body->cell_materials && !body->own_density
               ? model->materials[body->cell_materials[sim_element_cell(body, element)]].density
               : body->density;
}

/* The corners an element gives its mass to: those of its hexahedron, or its own. */
static const uint32_t *mass_corners(const struct sim_body *body, uint32_t element, uint32_t *count)
{
    bool hexahedron = body->cells.corner_count == 8;
    *count = hexahedron ? 8 : body->corner_count;
    return hexahedron ? body->cells.corners + 8 * (size_t)body->cells.element_cells[element]
                      : body->corners + (size_t)body->corner_count * element;
}

/* A plate that is thinner than this share of its edges is watched like cloth: one substep may take it, or what meets it,
 * through and beyond. */
#define PLATE_SHARE 0.25

static void watch_plates(struct sim_model *model, const dent_world *world)
{
    for (uint32_t b = 0; b < model->body_count; b++) {
        struct sim_body *body = &model->bodies[b];
        uint32_t count;
        const dent_surface_face *faces = dent_body_surface_faces(world, body->id, &count);
        double area = 0, volume = 0;
        if (body->kind != DENT_SIM_SOLID) {
            continue;
        }
        for (uint32_t n = 0; n < count; n++) {
            double e1[3], e2[3], normal[3];
            const double *origin = body->start + 3 * (size_t)faces[n].corners[0];
            sim_subtract(body->start + 3 * (size_t)faces[n].corners[1], origin, e1);
            sim_subtract(body->start + 3 * (size_t)faces[n].corners[2], origin, e2);
            sim_cross(e1, e2, normal);
            area += 0.5 * sqrt(sim_dot(normal, normal));
        }
        for (uint32_t e = 0; e < body->element_count; e++) {
            volume += element_measure(body, e);
        }
        if (2 * volume < PLATE_SHARE * body->mean_edge * area) {
            body->thin = model->continuous = true;
        }
    }
}

/* Each element gives its corners equal shares of its mass. */
static dent_status give_masses(struct sim_model *model)
{
    for (uint32_t b = 0; b < model->body_count; b++) {
        struct sim_body *body = &model->bodies[b];
        for (uint32_t v = 0; v < body->vertex_count; v++) {
            model->vertex_bodies[body->first_vertex + v] = b;
        }
        if (!sim_is_elastic(body->kind)) {
            continue;
        }
        for (uint32_t e = 0; e < body->element_count; e++) {
            double mass = element_density(model, body, e) * element_measure(body, e);
            uint32_t count;
            const uint32_t *corners = mass_corners(body, e, &count);
            body->mass += mass;
            for (uint32_t k = 0; k < count; k++) {
                model->masses[body->first_vertex + corners[k]] += mass / count;
            }
        }
        if (!(body->mass > 0) || !isfinite(body->mass)) {
            return dent_fail(model->context, DENT_ERROR_BAD_MESH, "%s: its rest shape has no volume (mass %.9g)",
                             body->name, body->mass);
        }
        for (uint32_t v = body->first_vertex; v < body->first_vertex + body->vertex_count; v++) {
            model->inverse_masses[v] = model->masses[v] > 0 ? 1 / model->masses[v] : 0;
        }
        for (uint32_t k = 0; k < body->fixed_count; k++) {
            model->inverse_masses[body->first_vertex + body->fixed[k]] = 0;
        }
        for (uint32_t k = 0; k < body->root_count; k++) { /* prescribed bodies carry them */
            uint32_t first = body->first_vertex + body->strand_first[body->roots[k].strand];
            bool carried = model->bodies[body->roots[k].body].kind == DENT_SIM_PRESCRIBED;
            model->inverse_masses[first] = carried ? 0 : model->inverse_masses[first];
            model->inverse_masses[first + 1] = carried && body->roots[k].clamped ? 0 : model->inverse_masses[first + 1];
        }
    }
    return DENT_OK;
}

/* ---- velocities at the start ------------------------------------------------------------------------------------- */

static void start_velocities(const struct sim_model *model, struct sim_state *state, const dent_sim_def *def)
{
    for (uint32_t b = 0; b < model->body_count; b++) {
        const dent_sim_body_def *body = &def->bodies[b];
        bool movable = sim_is_elastic(body->kind) || body->kind == DENT_SIM_RIGID;
        if (movable && body->velocities && body->kind != DENT_SIM_RIGID) {
            memcpy(state->velocities + 3 * (size_t)model->bodies[b].first_vertex, body->velocities,
                   3 * (size_t)body->vertex_count * sizeof(double));
        } else if (movable) {
            sim_set_body_velocity(model, state, b, body->linear_velocity, body->angular_velocity);
        }
    }
}

/* ---- materials and attachments ----------------------------------------------------------------------------------- */

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static dent_status make_materials(struct sim_model *model, const dent_sim_def *def)
{
    model->material_count = def->material_count > 0 ? def->material_count : 1;
    model->materials = sim_allocate(model, model->material_count, sizeof *model->materials);
    size_t pairs = (size_t)model->material_count * (model->material_count + 1) / 2;
    if (pairs > UINT32_MAX / 2 - def->pair_count) {
        return dent_fail(model->context, DENT_ERROR_TOO_LARGE, "%u materials are too many", model->material_count);
    }
    model->pairs = sim_allocate(model, pairs + def->pair_count, sizeof *model->pairs);
    if (!model->materials || !model->pairs) {
        return sim_no_memory(model->context);
    }
    for (uint32_t n = 0; n < model->material_count; n++) {
        model->materials[n] = def->material_count > 0 ? def->materials[n] : dent_sim_material_default();
        model->materials[n].name = NULL;
        model->materials[n].activation =
            copy_array(model, model->materials[n].activation, model->materials[n].activation_count,
                       sizeof *model->materials[n].activation);
        if (!model->materials[n].activation) {
            return sim_no_memory(model->context);
        }
        model->activation_count =
            material_has_fibres(&model->materials[n]) ? model->material_count : model->activation_count;
    }
    for (uint32_t n = 0; n < def->pair_count; n++) { /* the first that fits counts */
        const dent_sim_material_pair *pair = &def->pairs[n];
        model->pairs[model->pair_count++] = (dent_material_pair){
            pair->material_a,
            pair->material_b,
            {pair->friction_static, pair->friction_kinetic, pair->restitution, pair->contact_compliance}};
    }
    for (uint32_t a = 0; a < model->material_count; a++) {
        for (uint32_t b = a; b < model->material_count; b++) {
            const dent_sim_material *first = &model->materials[a], *second = &model->materials[b];
            dent_contact_material both = {sqrt(first->friction_static * second->friction_static),
                                          sqrt(first->friction_kinetic * second->friction_kinetic),
                                          larger(first->restitution, second->restitution),
                                          first->contact_compliance + second->contact_compliance};
            model->pairs[model->pair_count++] = (dent_material_pair){a, b, both};
        }
    }
    return DENT_OK;
}

static dent_status make_attachments(struct sim_model *model, const dent_sim_def *def, const dent_world *world)
{
    model->attachment_count = def->attachment_count + model->root_attachment_count;
    model->attachments = sim_allocate(model, model->attachment_count, sizeof *model->attachments);
    if (!model->attachments) {
        return sim_no_memory(model->context);
    }
    for (uint32_t n = 0; n < def->attachment_count; n++) {
        const dent_sim_attachment *from = &def->attachments[n];
        struct sim_attachment *tie = &model->attachments[n];
        tie->body_a = from->body_a;
        tie->vertex_a = model->bodies[from->body_a].first_vertex + from->vertex_a;
        tie->body_b = from->body_b;
        memcpy(tie->weights_b, from->weights_b, sizeof tie->weights_b);
        memcpy(tie->point, from->point, sizeof tie->point);
        for (int k = 0; k < 4; k++) {
            tie->vertices_b[k] = from->body_b == UINT32_MAX || from->vertices_b[k] == UINT32_MAX
                                     ? SIM_NONE
                                     : model->bodies[from->body_b].first_vertex + from->vertices_b[k];
        }
        tie->length = from->length;
        tie->compliance = from->compliance;
    }
    return roots_attach(model, world, model->attachments + def->attachment_count);
}

/* ---- creation ---------------------------------------------------------------------------------------------------- */

static void take_settings(struct sim_model *model, const dent_sim_def *def)
{
    model->time_step = def->time_step;
    model->substeps = def->substeps;
    model->substep = def->time_step / (def->substeps > 0 ? def->substeps : 1); /* 0: chosen by the solver */
    model->air_damping = def->air_damping;
    model->contacts_wanted = def->contacts && !sim_has_budget(def);
    model->interval_is_fixed = def->contact_interval > 0;
    model->contact_interval = def->contact_interval;
    model->exact_islands = def->solver == DENT_SIM_SOLVER_CONSTRAINTS;
    model->impact_passes = def->impact_passes;
    model->sleep = def->sleep;
    model->cancel = def->cancel;
    model->watch_all = def->continuous == DENT_SIM_CONTINUOUS_ALL;
    model->continuous = model->watch_all;
    for (uint32_t b = 0; b < def->body_count && def->continuous == DENT_SIM_CONTINUOUS_THIN; b++) {
        model->continuous = model->continuous || def->bodies[b].prevent_crossing;
    }
    if (sim_has_budget(def)) {
        model->watch_all = model->continuous = false;
    }
    model->stop_swift = model->contacts_wanted && def->continuous != DENT_SIM_CONTINUOUS_OFF && !model->watch_all;
    model->has_loads = def->load_count > 0;
    model->fingerprint = loads_add_fingerprint(sim_def_fingerprint(def), def);
}

static dent_status make_arrays(struct sim_model *model)
{
    size_t vertices = model->vertex_count;
    model->masses = sim_allocate(model, vertices, sizeof *model->masses);
    model->inverse_masses = sim_allocate(model, vertices, sizeof *model->inverse_masses);
    model->vertex_bodies = sim_allocate(model, vertices, sizeof *model->vertex_bodies);
    model->rigids = sim_allocate(model, model->rigid_count, sizeof *model->rigids);
    model->embeddings = sim_allocate(model, model->embedding_count, sizeof *model->embeddings);
    return model->masses && model->inverse_masses && model->vertex_bodies && model->rigids && model->embeddings
               ? DENT_OK
               : sim_no_memory(model->context);
}

/* Strands have no faces: what they meet while all stands still touches or crosses them. */
static dent_status look_at_strands(const struct sim_model *model, const struct sim_state *state, dent_world *world)
{
    dent_impact_def def = dent_impact_def_default();
    dent_impact_result met;
    dent_status status = world_set_positions(model, world, state->positions, state->positions);
    if (status == DENT_OK) {
        status = dent_world_impacts(world, &def, &met);
        status = status == DENT_OK ? status : dent_fail(model->context, status, "%s", dent_world_message(world));
    }
    for (uint64_t i = 0; status == DENT_OK && i < met.count; i++) {
        const struct sim_body *a = &model->bodies[met.impacts[i].body_a], *b = &model->bodies[met.impacts[i].body_b];
        if (a->kind == DENT_SIM_STRANDS || b->kind == DENT_SIM_STRANDS) {
            dent_log_line(model->context, DENT_LOG_WARNING,
                          "%s and %s touch or cross one another at the start; what crosses stays so", a->name, b->name);
            break;
        }
    }
    return status == DENT_OK ? world_set_positions(model, world, state->positions, NULL) : status;
}

/* Thin bodies that cross at the start cannot be uncrossed by never crossing: say so. */
static dent_status look_at_start(const struct sim_model *model, dent_world *world)
{
    dent_impact_def def = dent_impact_def_default();
    dent_initial_state start;
    dent_status status = dent_world_initial_state(world, &def, &start);
    if (status != DENT_OK) {
        return dent_fail(model->context, status, "%s", dent_world_message(world));
    }
    if (start.crosses) {
        dent_log_line(
            model->context, DENT_LOG_WARNING,
            "%s and %s cross or contain one another at the start; where a thin body is among them, it stays so",
            model->bodies[start.body_a].name, model->bodies[start.body_b].name);
    }
    return DENT_OK;
}

/* Masses, places and speeds may each be finite and their energies not: a step squares them. Bodies for which it could
 * overflow, or whose inertia vanishes, are refused here rather than in the middle of a step. */
static dent_status check_magnitudes(const struct sim_model *model, const struct sim_state *state)
{
    const double most = 1e280, least = 1e-280;
    double fall = sqrt(sim_dot(state->gravity, state->gravity)) * model->substep;
    for (uint32_t b = 0; b < model->body_count; b++) {
        const struct sim_body *body = &model->bodies[b];
        double far = 0, speed = 0, lightest = INFINITY, mass = 0;
        for (uint32_t v = body->first_vertex; v < body->first_vertex + body->vertex_count; v++) {
            for (int axis = 0; axis < 3; axis++) {
                far = fmax(far, fabs(state->positions[3 * (size_t)v + axis]));
                speed = fmax(speed, fabs(state->velocities[3 * (size_t)v + axis]));
            }
            mass += model->masses[v];
            lightest = model->masses[v] > 0 ? fmin(lightest, model->masses[v]) : lightest;
        }
        mass = body->rigid != SIM_NONE ? model->rigids[body->rigid].mass : mass;
        double fastest = far / model->substep + speed + fall, elastic = elastic_body_energy(model, state, b);
        bool moves = mass > 0, heavy = moves && !(mass * fastest * fastest <= most);
        bool light = moves && lightest < INFINITY && !(lightest / (model->substep * model->substep) >= least);
        if (heavy || light || !(fabs(elastic) <= most)) {
            return dent_fail(
                model->context, DENT_ERROR_BAD_NUMBER,
                "%s: a mass of %g, places up to %g and speeds up to %g, in substeps of %g, make energies that "
                "double precision cannot hold: choose other units",
                body->name, mass, far, speed, model->substep);
        }
    }
    return DENT_OK;
}

/* What the def says, without what it takes to compute with it. `bodies`: written, as tetrahedra and triangles. */
static dent_status copy_def(struct sim_model *model, const dent_sim_def *def, dent_sim_body_def *bodies)
{
    take_settings(model, def);
    dent_status status = make_materials(model, def);
    model->bodies = sim_allocate(model, def->body_count, sizeof *model->bodies);
    if (status == DENT_OK && !model->bodies) {
        status = sim_no_memory(model->context);
    }
    model->body_count = def->body_count;
    struct sim_cells *cells = sim_allocate(model, def->body_count, sizeof *cells);
    if (status == DENT_OK && !cells) {
        status = sim_no_memory(model->context);
    }
    status = status == DENT_OK ? sim_make_cells(model, def, bodies, cells) : status;
    model->joint_count = def->joint_count;
    for (uint32_t b = 0; b < def->body_count && status == DENT_OK; b++) {
        status = copy_body(model, &bodies[b], b, &cells[b]);
    }
    return status == DENT_OK ? make_arrays(model) : status;
}

static dent_status make_state(struct sim_model *model, const dent_sim_def *def, struct sim_state *state)
{
    dent_status status = state_create(model, state);
    for (uint32_t b = 0; b < model->body_count && status == DENT_OK; b++) {
        const struct sim_body *body = &model->bodies[b];
        memcpy(state->positions + 3 * (size_t)body->first_vertex, body->start,
               3 * (size_t)body->vertex_count * sizeof(double));
    }
    memcpy(state->gravity, def->gravity, sizeof state->gravity);
    return status;
}

/* The stages, each with its workspace. */
static dent_status build_stages(dent_sim *sim, const dent_sim_def *def)
{
    struct sim_model *model = &sim->model;
    struct sim_state *state = &sim->state;
    struct sim_workspace *work = &sim->work;
    dent_status status = state_create(model, &work->backup);
    status = status == DENT_OK ? make_world(model, state->positions, def, &work->search.world) : status;
    if (status == DENT_OK && model->contacts_wanted && def->continuous == DENT_SIM_CONTINUOUS_THIN &&
        !sim_has_budget(def)) {
        watch_plates(model, work->search.world);
    }
    status = status == DENT_OK ? roots_find(model, work->search.world) : status;
    status = status == DENT_OK ? make_attachments(model, def, work->search.world) : status;
    status = status == DENT_OK ? give_masses(model) : status;
    status = status == DENT_OK ? loads_build(model, def, work->search.world) : status;
    status = status == DENT_OK ? solver_build(model, state, &work->solver, def->iterations) : status;
    if (model->contact_interval == 0 || model->contact_interval > model->substeps) {
        model->contact_interval = model->substeps;
    }
    status = status == DENT_OK ? joints_make(model, state, def, &work->solver.islands) : status;
    status = status == DENT_OK ? embedding_build(model, state, work->search.world) : status;
    status = status == DENT_OK ? contacts_build(model, &work->search, &work->contacts) : status;
    status = status == DENT_OK ? swift_build(model, &work->swift) : status;
    status = status == DENT_OK ? interval_energy_build(model, &work->energy) : status;
    return status == DENT_OK ? safe_motion_build(model, &work->safe, work->solver.scratch) : status;
}

/* What overlaps at the start stores energy. Nothing else of this detection stays. */
static dent_status note_overlap(dent_sim *sim)
{
    struct sim_model *model = &sim->model;
    struct sim_state *state = &sim->state;
    struct sim_workspace *work = &sim->work;
    contacts_begin(model, state, &work->contacts, 0);
    dent_status status = contacts_find(model, state, &work->search, &work->contacts, &work->report, 0);
    if (status == DENT_OK) {
        elastic_note_overlap(model, state, &work->contacts, &work->solver.elastic);
        status = islands_begin(model, &work->contacts, &work->solver.elastic, &work->solver.islands);
    }
    if (status == DENT_OK) {
        island_energy_note_overlap(model, state, &work->contacts, &work->solver.islands);
        status = state_give_memory(model->context, state, work->search.world);
    }
    work->contacts.count = state->force_count = 0;
    work->report = (struct step_report){.statistics = sim_no_statistics()};
    return status;
}

/* Restitution of what bends is its elasticity. */
static void say_restitution(const struct sim_model *model)
{
    for (uint32_t b = 0; b < model->body_count; b++) {
        const struct sim_body *body = &model->bodies[b];
        bool bends = sim_is_elastic(body->kind);
        if (bends && model->materials[body->material].restitution > 0) {
            dent_log_line(model->context, DENT_LOG_NOTICE,
                          "%s: restitution %g is ignored, an elastic body bounces by its elasticity", body->name,
                          model->materials[body->material].restitution);
        }
    }
}

struct create_call {
    dent_sim *sim;
    const dent_sim_def *def;
};

static bool something_moves(const struct sim_model *model)
{
    return model->elastic->tet_count + model->elastic->triangle_count + model->rod_row_count + model->rigid_count > 0;
}

static dent_status build(void *data)
{
    const struct create_call *call = data;
    dent_sim *sim = call->sim;
    struct sim_model *model = &sim->model;
    struct sim_state *state = &sim->state;
    dent_sim_body_def *bodies = sim_allocate(model, call->def->body_count, sizeof *bodies);
    dent_status status = bodies ? copy_def(model, call->def, bodies) : sim_no_memory(model->context);
    dent_sim_def divided = *call->def;
    const dent_sim_def *def = &divided; /* its bodies as the model has them */
    divided.bodies = bodies;
    status = status == DENT_OK ? make_state(model, def, state) : status;
    status = status == DENT_OK ? build_stages(sim, def) : status;
    if (status == DENT_OK) {
        motion_apply(model, state, sim->work.solver.scratch, 0);
        elastic_set_time(model, state, 0);
        supports_apply(model, state, 0);
        solver_place_vertices(model, state);
        start_velocities(model, state, def);
        status = check_magnitudes(model, state);
    }
    if (status == DENT_OK && model->continuous) {
        status = look_at_start(model, sim->work.search.world);
        if (status == DENT_OK && model->rod_row_count > 0) {
            status = look_at_strands(model, state, sim->work.search.world);
        }
    }
    if (status == DENT_OK) {
        say_restitution(model);
    }
    if (status == DENT_OK && model->contacts_wanted && something_moves(model)) {
        status = note_overlap(sim);
    }
    if (status == DENT_OK && def->contacts) {
        status = budget_build(model, state, sim->work.search.world, def, &sim->work.budget);
    }
    return status;
}

dent_status dent_sim_create(dent_context *context, const dent_sim_def *def, dent_sim **sim)
{
    DENT_REQUIRE(context, context);
    DENT_REQUIRE(context, def);
    DENT_REQUIRE(context, sim);
    dent_status status = sim_check_def(context, def);
    status = status == DENT_OK ? loads_check_def(context, def) : status;
    if (status != DENT_OK) {
        return status;
    }
    dent_sim *made = dent_allocate(context, 1, sizeof *made);
    if (!made) {
        return dent_fail(context, DENT_ERROR_OUT_OF_MEMORY, "no memory for the simulation");
    }
    memset(made, 0, sizeof *made);
    made->model.context = context;
    made->work.report.statistics = sim_no_statistics();
    struct create_call call = {made, def};
    status = dent_call_guarded(context, build, &call);
    if (status != DENT_OK) {
        dent_sim_destroy(made);
        return status;
    }
    *sim = made;
    return DENT_OK;
}

void dent_sim_destroy(dent_sim *sim)
{
    if (!sim) {
        return;
    }
    dent_context *context = sim->model.context;
    struct sim_workspace *work = &sim->work;
    budget_destroy(&sim->model, work->budget);
    contacts_destroy(context, &work->search, &work->contacts);
    solver_destroy(context, &work->solver);
    safe_motion_destroy(context, &work->safe);
    state_release(context, &sim->state);
    state_release(context, &work->backup);
    sim_release_blocks(&sim->model);
    dent_release(context, sim, 1, sizeof *sim);
}
