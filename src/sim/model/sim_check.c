/* What a def may ask: every number is looked at before anything is made, and the message names body and index. Also the
 * fingerprint of a def, by which a checkpoint knows the simulation it belongs to. */
#include "byte_order.h"
#include "sim_model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct checker {
    dent_context *context;
    const dent_sim_def *def;
    char name[SIM_NAME_SIZE];
};

void sim_body_name(const dent_sim_body_def *body, uint32_t number, char name[SIM_NAME_SIZE])
{
    if (body->name && body->name[0]) {
        snprintf(name, SIM_NAME_SIZE, "%s", body->name);
    } else {
        snprintf(name, SIM_NAME_SIZE, "body %u", number);
    }
}

static dent_status refuse(const struct checker *checker, const char *what, double value, const char *allowed)
{
    return dent_fail(checker->context, DENT_ERROR_INVALID_ARGUMENT, "%s: %s is %.9g; %s", checker->name, what, value,
                     allowed);
}

static bool at_least(double value, double least)
{
    return value >= least && isfinite(value);
}

/* ---- materials --------------------------------------------------------------------------------------------------- */

static bool is_direction(const double *vector)
{
    double largest = fmax(fabs(vector[0]), fmax(fabs(vector[1]), fabs(vector[2])));
    return isfinite(vector[0]) && isfinite(vector[1]) && isfinite(vector[2]) && largest > 1e-100 && largest < 1e100;
}

static dent_status check_activation(struct checker *checker, const dent_sim_material *material)
{
    if (material->activation_count > 0 && !material->activation) {
        return dent_fail(checker->context, DENT_ERROR_INVALID_ARGUMENT, "%s: %u activation keys announced, none given",
                         checker->name, material->activation_count);
    }
    for (uint32_t n = 0; n < material->activation_count; n++) {
        const dent_sim_activation_key *key = &material->activation[n];
        if (!(key->value >= 0 && key->value <= 1)) {
            return refuse(checker, "an activation", key->value, "it must be 0 to 1");
        }
        if (!isfinite(key->time) || (n > 0 && !(key->time > key[-1].time))) {
            return refuse(checker, "the time of an activation", key->time, "times must be finite and ascend");
        }
    }
    return DENT_OK;
}

static dent_status check_material(struct checker *checker, uint32_t number)
{
    const dent_sim_material *material = &checker->def->materials[number];
    if (material->name) {
        snprintf(checker->name, sizeof checker->name, "material %s", material->name);
    } else {
        snprintf(checker->name, sizeof checker->name, "material %u", number);
    }
    if (material->struct_size != sizeof *material) {
        return dent_fail(checker->context, DENT_ERROR_INVALID_ARGUMENT,
                         "%s was not made by dent_sim_material_default()", checker->name);
    }
    const struct {
        const char *name;
        double value;
        bool positive;
    } numbers[] = {
        {"density", material->density, true},
        {"young", material->young, true},
        {"poisson", material->poisson, false},
        {"damping", material->damping, false},
        {"stretch", material->stretch, true},
        {"shear", material->shear, false},
        {"bending", material->bending, false},
        {"friction_static", material->friction_static, false},
        {"friction_kinetic", material->friction_kinetic, false},
        {"restitution", material->restitution, false},
        {"contact_compliance", material->contact_compliance, false},
        {"viscosity", material->viscosity, false},
        {"bulk_viscosity", material->bulk_viscosity, false},
        {"yield_stress", material->yield_stress, true},
        {"hardening", material->hardening, false},
        {"fibre_stiffness", material->fibre_stiffness, false},
        {"fibre_strength", material->fibre_strength, false},
    };
    for (size_t n = 0; n < sizeof numbers / sizeof numbers[0]; n++) {
        if (!at_least(numbers[n].value, 0) || (numbers[n].positive && numbers[n].value == 0)) {
            return refuse(checker, numbers[n].name, numbers[n].value,
                          numbers[n].positive ? "it must be finite and above 0" : "it must be finite and not negative");
        }
    }
    if (!dent_sim_model_name(material->model)) {
        return refuse(checker, "model", material->model, "unknown model");
    }
    const double *fibre = material->fibre_direction;
    if (!is_direction(fibre)) {
        return dent_fail(checker->context, DENT_ERROR_INVALID_ARGUMENT,
                         "%s: fibre_direction is %.9g, %.9g, %.9g; it must be finite and not 0", checker->name,
                         fibre[0], fibre[1], fibre[2]);
    }
    dent_status status = check_activation(checker, material);
    if (status != DENT_OK) {
        return status;
    }
    if (!(material->poisson < 0.5)) {
        return refuse(checker, "poisson", material->poisson, "it must be below 0.5");
    }
    if (material->friction_kinetic > material->friction_static) {
        return refuse(checker, "friction_kinetic", material->friction_kinetic, "it must not be above friction_static");
    }
    return material->restitution > 1 ? refuse(checker, "restitution", material->restitution, "it must be 0 to 1")
                                     : DENT_OK;
}

static dent_status check_pair(struct checker *checker, uint32_t number)
{
    const dent_sim_material_pair *pair = &checker->def->pairs[number];
    uint32_t count = checker->def->material_count > 0 ? checker->def->material_count : 1;
    snprintf(checker->name, sizeof checker->name, "material pair %u", number);
    if (pair->material_a >= count || pair->material_b >= count) {
        return dent_fail(checker->context, DENT_ERROR_INVALID_ARGUMENT,
                         "%s: materials %u and %u; there are %u materials", checker->name, pair->material_a,
                         pair->material_b, count);
    }
    if (!at_least(pair->friction_static, 0) || !at_least(pair->friction_kinetic, 0) ||
        pair->friction_kinetic > pair->friction_static) {
        return refuse(checker, "friction_kinetic", pair->friction_kinetic, "0 <= kinetic <= static friction is needed");
    }
    if (!at_least(pair->restitution, 0) || pair->restitution > 1) {
        return refuse(checker, "restitution", pair->restitution, "it must be 0 to 1");
    }
    return at_least(pair->contact_compliance, 0)
               ? DENT_OK
               : refuse(checker, "contact_compliance", pair->contact_compliance, "it must be finite and not negative");
}

/* ---- bodies ------------------------------------------------------------------------------------------------------ */

static dent_status check_array(struct checker *checker, const char *what, const double *numbers, uint32_t count)
{
    for (uint32_t v = 0; numbers && v < count; v++) {
        for (int axis = 0; axis < 3; axis++) {
            if (!isfinite(numbers[3 * (size_t)v + (size_t)axis])) {
                return dent_fail(checker->context, DENT_ERROR_BAD_NUMBER, "%s: %s of vertex %u is not finite",
                                 checker->name, what, v);
            }
        }
    }
    return DENT_OK;
}

static dent_status check_motion(struct checker *checker, const dent_sim_motion *motion)
{
    if (motion->keyframe_count > 0 && !motion->keyframes) {
        return dent_fail(checker->context, DENT_ERROR_INVALID_ARGUMENT, "%s: %u keyframes announced, none given",
                         checker->name, motion->keyframe_count);
    }
    for (uint32_t k = 0; k < motion->keyframe_count; k++) {
        const dent_sim_keyframe *key = &motion->keyframes[k];
        double length = 0; /* of the largest component: squares of small ones vanish */
        bool finite = isfinite(key->time);
        for (int n = 0; n < 4; n++) {
            finite = finite && isfinite(key->rotation[n]);
            length = fabs(key->rotation[n]) > length ? fabs(key->rotation[n]) : length;
        }
        for (int axis = 0; axis < 3; axis++) {
            finite = finite && isfinite(key->translation[axis]) && isfinite(motion->pivot[axis]);
        }
        if (!finite || !(length > 0)) {
            return dent_fail(checker->context, DENT_ERROR_BAD_NUMBER,
                             "%s: keyframe %u has a number that is not finite, or a rotation of length 0",
                             checker->name, k);
        }
        if (k > 0 && !(key->time > motion->keyframes[k - 1].time)) {
            return refuse(checker, "the time of a keyframe", key->time, "times must ascend");
        }
    }
    return DENT_OK;
}

static uint32_t element_corner_count(const dent_sim_body_def *body)
{
    bool solid = body->kind == DENT_SIM_SOLID ||
                 ((body->kind == DENT_SIM_RIGID || body->kind == DENT_SIM_PRESCRIBED) && body->mesh == DENT_BODY_SOLID);
    return !solid ? 3 : body->elements == DENT_SIM_HEXAHEDRA ? 8 : 4;
}

static dent_status check_cells(struct checker *checker, const dent_sim_body_def *body)
{
    uint32_t material_count = checker->def->material_count > 0 ? checker->def->material_count : 1;
    if ((body->element_materials || body->fibre_directions) && body->kind != DENT_SIM_SOLID) {
        return dent_fail(checker->context, DENT_ERROR_INVALID_ARGUMENT,
                         "%s: only bodies of kind solid have element_materials and fibre_directions", checker->name);
    }
    for (uint32_t e = 0; body->element_materials && e < body->element_count; e++) {
        if (body->element_materials[e] >= material_count) {
            return dent_fail(checker->context, DENT_ERROR_INVALID_ARGUMENT, "%s: element %u has material %u of %u",
                             checker->name, e, body->element_materials[e], material_count);
        }
    }
    for (uint32_t e = 0; body->fibre_directions && e < body->element_count; e++) {
        if (!is_direction(body->fibre_directions + 3 * (size_t)e)) {
            return dent_fail(checker->context, DENT_ERROR_INVALID_ARGUMENT,
                             "%s: the fibre direction of element %u is 0 or not finite", checker->name, e);
        }
    }
    return DENT_OK;
}

static dent_status check_root(struct checker *checker, const dent_sim_body_def *body, uint32_t number)
{
    const dent_sim_root *root = &body->roots[number];
    const dent_sim_body_def *carrier = root->body < checker->def->body_count ? &checker->def->bodies[root->body] : NULL;
    if (root->strand >= body->strand_count || (number > 0 && root->strand <= body->roots[number - 1].strand)) {
        return dent_fail(checker->context, DENT_ERROR_INVALID_ARGUMENT,
                         "%s: root %u: strand %u; strands must ascend and be below %u", checker->name, number, root->strand,
                         body->strand_count);
    }
    if (!carrier || carrier >= body) {
        return dent_fail(checker->context, DENT_ERROR_INVALID_ARGUMENT, "%s: root %u: body %u; it must be an earlier body",
                         checker->name, number, root->body);
    }
    if (carrier->kind == DENT_SIM_EMBEDDED || carrier->kind == DENT_SIM_STRANDS ||
        (carrier->kind == DENT_SIM_CLOTH && root->clamped)) {
        return dent_fail(checker->context, DENT_ERROR_UNSUPPORTED, "%s: root %u: a body of kind %s cannot %s it",
                         checker->name, number, dent_sim_body_kind_name(carrier->kind),
                         carrier->kind == DENT_SIM_CLOTH ? "clamp" : "carry");
    }
    return DENT_OK;
}

static dent_status check_strands(struct checker *checker, const dent_sim_body_def *body)
{
    if (body->vertex_count == 0 || body->strand_count == 0 || !body->first || !body->positions) {
        return dent_fail(checker->context, DENT_ERROR_INVALID_ARGUMENT, "%s: strands need vertices and `first`",
                         checker->name);
    }
    if (body->element_count > 0 || body->element_corners) {
        return dent_fail(checker->context, DENT_ERROR_INVALID_ARGUMENT, "%s: strands have no elements but their segments",
                         checker->name);
    }
    for (uint32_t s = 0; s < body->strand_count; s++) {
        if ((s == 0 && body->first[0] != 0) || body->first[s] > body->vertex_count ||
            body->first[s + 1] < body->first[s] + 2 || body->first[s + 1] > body->vertex_count) {
            return dent_fail(checker->context, DENT_ERROR_BAD_MESH,
                             "%s: strand %u has the vertices %u to %u of %u; two or more, ascending from 0, are needed",
                             checker->name, s, body->first[s], body->first[s + 1], body->vertex_count);
        }
    }
    if (body->first[body->strand_count] != body->vertex_count) {
        return dent_fail(checker->context, DENT_ERROR_BAD_MESH, "%s: its strands end at vertex %u of %u", checker->name,
                         body->first[body->strand_count], body->vertex_count);
    }
    if (!(body->radius > 0) || !isfinite(body->radius)) {
        return refuse(checker, "radius", body->radius, "it must be finite and above 0");
    }
    if (!isfinite(body->twist)) {
        return refuse(checker, "twist", body->twist, "it must be finite");
    }
    if (body->root_count > 0 && !body->roots) {
        return dent_fail(checker->context, DENT_ERROR_INVALID_ARGUMENT, "%s: %u roots announced, none given",
                         checker->name, body->root_count);
    }
    dent_status status = DENT_OK;
    for (uint32_t n = 0; n < body->root_count && status == DENT_OK; n++) {
        status = check_root(checker, body, n);
    }
    return status;
}

static dent_status check_mesh(struct checker *checker, const dent_sim_body_def *body)
{
    if (body->kind == DENT_SIM_STRANDS) {
        return check_strands(checker, body);
    }
    if (body->strand_count > 0 || body->root_count > 0) {
        return refuse(checker, "strand_count", body->strand_count, "only bodies of kind strands have strands");
    }
    uint32_t corner_count = element_corner_count(body);
    if (!dent_sim_elements_name(body->elements) ||
        (body->kind != DENT_SIM_SOLID && body->elements != DENT_SIM_LINEAR)) {
        return refuse(checker, "elements", body->elements, "unknown choice, or not a body of kind solid");
    }
    if (body->mesh != DENT_BODY_SOLID && body->mesh != DENT_BODY_SURFACE) {
        return refuse(checker, "mesh", body->mesh, "it must be DENT_BODY_SOLID or DENT_BODY_SURFACE");
    }
    if (body->vertex_count == 0 || body->element_count == 0 || !body->element_corners || !body->positions) {
        return dent_fail(checker->context, DENT_ERROR_INVALID_ARGUMENT, "%s: a body needs vertices and elements",
                         checker->name);
    }
    if (body->element_count > UINT32_MAX / (body->elements == DENT_SIM_LINEAR ? 4 : 64)) {
        return dent_fail(checker->context, DENT_ERROR_TOO_LARGE, "%s: %u elements are more than can be numbered",
                         checker->name, body->element_count);
    }
    for (uint32_t e = 0; e < body->element_count; e++) {
        const uint32_t *corners = body->element_corners + (size_t)corner_count * e;
        for (uint32_t k = 0; k < corner_count; k++) {
            if (corners[k] >= body->vertex_count) {
                return dent_fail(checker->context, DENT_ERROR_BAD_MESH, "%s: element %u names vertex %u of %u",
                                 checker->name, e, corners[k], body->vertex_count);
            }
            for (uint32_t other = 0; other < k; other++) {
                if (corners[other] == corners[k]) {
                    return dent_fail(checker->context, DENT_ERROR_BAD_MESH, "%s: element %u names vertex %u twice",
                                     checker->name, e, corners[k]);
                }
            }
        }
    }
    return DENT_OK;
}

/* The inertia of a body with extent: positive definite, by its leading minors. */
static dent_status check_given_mass(struct checker *checker, const dent_sim_body_def *body)
{
    const double *i = body->inertia;
    if (!at_least(body->mass, 0)) {
        return refuse(checker, "mass", body->mass, "it must be finite and not negative");
    }
    if (body->mass == 0) {
        return DENT_OK;
    }
    if (body->kind != DENT_SIM_RIGID) {
        return refuse(checker, "mass", body->mass, "only rigid bodies are given one");
    }
    for (int axis = 0; axis < 3; axis++) {
        if (!isfinite(body->mass_center[axis])) {
            return refuse(checker, "centre of mass", body->mass_center[axis], "it must be finite");
        }
    }
    double minor = i[0] * i[3] - i[1] * i[1];
    double determinant = i[5] * minor - i[4] * (i[0] * i[4] - i[1] * i[2]) + i[2] * (i[1] * i[4] - i[3] * i[2]);
    double trace = i[0] + i[3] + i[5];
    if (!(i[0] > 0 && minor > 0 && determinant > 1e-12 * trace * trace * trace && isfinite(determinant))) {
        return refuse(checker, "inertia", i[0], "it must be finite and positive definite");
    }
    return DENT_OK;
}

static dent_status check_body_numbers(struct checker *checker, const dent_sim_body_def *body)
{
    uint32_t material_count = checker->def->material_count > 0 ? checker->def->material_count : 1;
    if (body->material >= material_count) {
        return refuse(checker, "material", body->material, "there are not so many materials");
    }
    if (!at_least(body->density, 0)) {
        return refuse(checker, "density", body->density, "it must be finite and not negative");
    }
    if (!isfinite(body->thickness)) {
        return refuse(checker, "thickness", body->thickness, "it must be finite");
    }
    dent_status status = check_given_mass(checker, body);
    if (status == DENT_OK) {
        status = check_array(checker, "position", body->positions, body->vertex_count);
    }
    if (status == DENT_OK) {
        status = check_array(checker, "rest position", body->rest, body->vertex_count);
    }
    if (status == DENT_OK) {
        status = check_array(checker, "velocity", body->velocities, body->vertex_count);
    }
    for (int axis = 0; axis < 3 && status == DENT_OK; axis++) {
        if (!isfinite(body->linear_velocity[axis]) || !isfinite(body->angular_velocity[axis])) {
            status =
                dent_fail(checker->context, DENT_ERROR_BAD_NUMBER, "%s: its velocity is not finite", checker->name);
        }
    }
    return status;
}

static dent_status check_body(struct checker *checker, uint32_t number)
{
    const dent_sim_body_def *body = &checker->def->bodies[number];
    sim_body_name(body, number, checker->name);
    if (body->struct_size != sizeof *body) {
        return dent_fail(checker->context, DENT_ERROR_INVALID_ARGUMENT,
                         "body %u was not made by dent_sim_body_def_default()", number);
    }
    if (!dent_sim_body_kind_name(body->kind)) {
        return refuse(checker, "kind", body->kind, "unknown kind");
    }
    dent_status status = check_mesh(checker, body);
    if (status == DENT_OK) {
        status = check_body_numbers(checker, body);
    }
    if (status == DENT_OK) {
        status = check_cells(checker, body);
    }
    if (status == DENT_OK) {
        status = check_motion(checker, &body->motion);
    }
    if (status != DENT_OK) {
        return status;
    }
    bool elastic = sim_is_elastic(body->kind);
    if (body->fixed_count > 0 && (!elastic || !body->fixed_vertices)) {
        return dent_fail(checker->context, DENT_ERROR_INVALID_ARGUMENT,
                         "%s: only elastic bodies have fixed vertices (a rigid one: attach it; else prescribed)",
                         checker->name);
    }
    for (uint32_t k = 0; k < body->fixed_count; k++) {
        if (body->fixed_vertices[k] >= body->vertex_count) {
            return dent_fail(checker->context, DENT_ERROR_BAD_MESH, "%s: fixed vertex %u of %u", checker->name,
                             body->fixed_vertices[k], body->vertex_count);
        }
    }
    if (body->kind == DENT_SIM_EMBEDDED &&
        (body->host >= checker->def->body_count || checker->def->bodies[body->host].kind != DENT_SIM_SOLID)) {
        return refuse(checker, "host", body->host, "it must be the number of a body of kind solid");
    }
    return DENT_OK;
}

/* ---- attachments, settings --------------------------------------------------------------------------------------- */

static dent_status check_attachment(struct checker *checker, uint32_t number)
{
    const dent_sim_def *def = checker->def;
    const dent_sim_attachment *tie = &def->attachments[number];
    snprintf(checker->name, sizeof checker->name, "attachment %u", number);
    bool in_space = tie->body_b == UINT32_MAX;
    if (tie->body_a >= def->body_count || tie->vertex_a >= def->bodies[tie->body_a].vertex_count ||
        (!in_space && tie->body_b >= def->body_count)) {
        return dent_fail(checker->context, DENT_ERROR_INVALID_ARGUMENT, "%s: no vertex %u in body %u, or no body %u",
                         checker->name, tie->vertex_a, tie->body_a, tie->body_b);
    }
    double sum = 0;
    for (int k = 0; k < 4 && !in_space; k++) {
        bool used = tie->vertices_b[k] != UINT32_MAX;
        if (used && tie->vertices_b[k] >= def->bodies[tie->body_b].vertex_count) {
            return dent_fail(checker->context, DENT_ERROR_INVALID_ARGUMENT, "%s: no vertex %u in body %u",
                             checker->name, tie->vertices_b[k], tie->body_b);
        }
        sum += used ? tie->weights_b[k] : 0;
    }
    if (!in_space && !(fabs(sum - 1) < 1e-6)) {
        return refuse(checker, "the sum of its weights", sum, "it must be 1");
    }
    if (in_space && !(isfinite(tie->point[0]) && isfinite(tie->point[1]) && isfinite(tie->point[2]))) {
        return refuse(checker, "its point", NAN, "it must be finite");
    }
    if (!at_least(tie->length, 0) || !at_least(tie->compliance, 0)) {
        return refuse(checker, "its length or compliance", tie->length, "they must be finite and not negative");
    }
    if (tie->same_vertex && (in_space || tie->vertices_b[0] == UINT32_MAX || tie->vertices_b[1] != UINT32_MAX)) {
        return dent_fail(checker->context, DENT_ERROR_INVALID_ARGUMENT,
                         "%s: same_vertex joins one vertex with one vertex", checker->name);
    }
    uint32_t kind_a = def->bodies[tie->body_a].kind;
    if (kind_a == DENT_SIM_EMBEDDED || (!in_space && def->bodies[tie->body_b].kind == DENT_SIM_EMBEDDED)) {
        return dent_fail(checker->context, DENT_ERROR_UNSUPPORTED,
                         "%s: embedded surfaces cannot be attached; attach their host", checker->name);
    }
    return DENT_OK;
}

static dent_status check_settings(struct checker *checker)
{
    const dent_sim_def *def = checker->def;
    snprintf(checker->name, sizeof checker->name, "simulation");
    if (!(def->time_step >= 1e-100 && def->time_step <= 1e100)) { /* its square, and many of them, are numbers, too */
        return refuse(checker, "time_step", def->time_step, "it must be above 0, between 1e-100 and 1e100");
    }
    const struct {
        const char *name;
        uint32_t value, least, most;
    } counts[] = {
        {"substeps", def->substeps, 0, 1000},
        {"iterations", def->iterations, 0, 1000},
        {"impact_passes", def->impact_passes, 1, 100},
        {"contact_interval", def->contact_interval, 0, 1000},
    };
    for (size_t n = 0; n < sizeof counts / sizeof counts[0]; n++) {
        if (counts[n].value < counts[n].least || counts[n].value > counts[n].most) {
            return dent_fail(checker->context, DENT_ERROR_INVALID_ARGUMENT, "simulation: %s is %u; %u to %u is allowed",
                             counts[n].name, counts[n].value, counts[n].least, counts[n].most);
        }
    }
    if (!at_least(def->air_damping, 0)) {
        return refuse(checker, "air_damping", def->air_damping, "it must be finite and not negative");
    }
    if (!isfinite(def->contact_deadline) || def->contact_deadline < 0) {
        return refuse(checker, "contact_deadline", def->contact_deadline, "it must be finite and at least 0");
    }
    if (!isfinite(def->thickness)) {
        return refuse(checker, "thickness", def->thickness, "it must be finite");
    }
    if (!isfinite(def->gravity[0]) || !isfinite(def->gravity[1]) || !isfinite(def->gravity[2])) {
        return refuse(checker, "gravity", NAN, "it must be finite");
    }
    if ((unsigned)def->solver > DENT_SIM_SOLVER_CONSTRAINTS) {
        return refuse(checker, "solver", (double)(unsigned)def->solver, "it is not a dent_sim_solver");
    }
    return (unsigned)def->continuous <= DENT_SIM_CONTINUOUS_ALL
               ? DENT_OK
               : refuse(checker, "continuous", def->continuous, "unknown choice");
}

dent_status sim_check_def(dent_context *context, const dent_sim_def *def)
{
    if (!def || def->struct_size != sizeof *def) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "the sim def was not made by dent_sim_def_default()");
    }
    struct checker checker = {.context = context, .def = def};
    if ((def->body_count > 0 && !def->bodies) || (def->material_count > 0 && !def->materials) ||
        (def->pair_count > 0 && !def->pairs) || (def->attachment_count > 0 && !def->attachments)) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "the sim def announces arrays it does not have");
    }
    dent_status status = check_settings(&checker);
    for (uint32_t n = 0; n < def->material_count && status == DENT_OK; n++) {
        status = check_material(&checker, n);
    }
    for (uint32_t n = 0; n < def->pair_count && status == DENT_OK; n++) {
        status = check_pair(&checker, n);
    }
    uint64_t vertices = 0;
    for (uint32_t n = 0; n < def->body_count && status == DENT_OK; n++) {
        status = check_body(&checker, n);
        vertices += def->bodies[n].vertex_count;
    }
    for (uint32_t n = 0; n < def->attachment_count && status == DENT_OK; n++) {
        status = check_attachment(&checker, n);
    }
    status = status == DENT_OK ? sim_check_joints(context, def) : status;
    if (status == DENT_OK && vertices >= UINT32_MAX / 4) {
        status = dent_fail(context, DENT_ERROR_TOO_LARGE, "more vertices than 32-bit numbers can count");
    }
    return status;
}

/* ---- fingerprint ------------------------------------------------------------------------------------------------- */

static uint64_t add_number(uint64_t hash, double value)
{
    return sim_hash_records(hash, &value, sizeof value, "8");
}

static uint64_t add_count(uint64_t hash, uint32_t value)
{
    return sim_hash_records(hash, &value, sizeof value, "4");
}

static uint64_t add_numbers(uint64_t hash, const double *values, size_t count)
{
    hash = add_count(hash, values != NULL);
    return values ? sim_hash_records(hash, values, count * sizeof *values, "8") : hash;
}

static uint64_t add_body(uint64_t hash, const dent_sim_body_def *body)
{
    size_t numbers = 3 * (size_t)body->vertex_count;
    bool solid = body->kind == DENT_SIM_SOLID ||
                 ((body->kind == DENT_SIM_RIGID || body->kind == DENT_SIM_PRESCRIBED) && body->mesh == DENT_BODY_SOLID);
    const uint32_t counts[] = {body->kind,
                               solid,
                               body->vertex_count,
                               body->element_count,
                               body->material,
                               body->fixed_count,
                               body->host,
                               body->collision_group,
                               body->collision_mask,
                               body->self_collision,
                               body->prevent_crossing,
                               body->motion.keyframe_count,
                               body->motion.repeat,
                               body->motion.function != NULL};
    hash = sim_hash_records(hash, counts, sizeof counts, "4");
    hash = sim_hash_records(hash, body->element_corners,
                            element_corner_count(body) * (size_t)body->element_count * sizeof(uint32_t), "4");
    if (body->kind == DENT_SIM_STRANDS) {
        hash = add_number(add_number(add_count(hash, body->strand_count), body->radius), body->twist);
        hash = sim_hash_records(hash, body->first, ((size_t)body->strand_count + 1) * sizeof(uint32_t), "4");
        for (uint32_t n = 0; n < body->root_count; n++) {
            const dent_sim_root *root = &body->roots[n];
            const uint32_t indices[] = {root->strand, root->body, root->face, root->clamped};
            hash = sim_hash_records(hash, indices, sizeof indices, "4");
        }
    }
    hash = body->elements != DENT_SIM_LINEAR ? add_count(hash, body->elements) : hash;
    if (body->element_materials) {
        hash = sim_hash_records(hash, body->element_materials, body->element_count * sizeof(uint32_t), "4");
    }
    hash = body->fibre_directions ? add_numbers(hash, body->fibre_directions, 3 * (size_t)body->element_count) : hash;
    hash = add_numbers(hash, body->positions, numbers);
    hash = add_numbers(hash, body->rest, numbers);
    hash = add_numbers(hash, body->velocities, numbers);
    hash = add_numbers(hash, body->linear_velocity, 3);
    hash = add_numbers(hash, body->angular_velocity, 3);
    hash = add_number(hash, body->density);
    if (body->mass > 0) {
        hash = add_number(hash, body->mass);
        hash = add_numbers(hash, body->mass_center, 3);
        hash = add_numbers(hash, body->inertia, 6);
    }
    hash = add_number(hash, body->thickness);
    hash = sim_hash_records(hash, body->fixed_vertices, body->fixed_count * sizeof(uint32_t), "4");
    hash = add_numbers(hash, body->motion.pivot, 3);
    return sim_hash_records(hash, body->motion.keyframes, body->motion.keyframe_count * sizeof(dent_sim_keyframe), "8");
}

/* Only what differs from the default, so that older fingerprints stay. */
static uint64_t add_law(uint64_t hash, const dent_sim_material *m)
{
    const double numbers[] = {m->viscosity, m->bulk_viscosity, m->yield_stress, m->hardening, m->fibre_stiffness,
                              m->fibre_strength, m->fibre_direction[0], m->fibre_direction[1], m->fibre_direction[2]};
    if (m->model == DENT_SIM_NEO_HOOKEAN && m->viscosity == 0 && m->bulk_viscosity == 0 && m->fibre_stiffness == 0 &&
        m->fibre_strength == 0) {
        return hash;
    }
    hash = sim_hash_records(add_count(hash, m->model), numbers, sizeof numbers, "8");
    return sim_hash_records(hash, m->activation, m->activation_count * sizeof *m->activation, "8");
}

uint64_t sim_def_fingerprint(const dent_sim_def *def)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    const uint32_t counts[] = {
        def->body_count, def->material_count, def->pair_count,       def->attachment_count,     def->substeps,
        def->iterations, def->contacts,       def->contact_interval, (uint32_t)def->continuous, def->impact_passes};
    hash = sim_hash_records(hash, counts, sizeof counts, "4");
    hash = add_count(hash, def->sleep);
    if (def->solver != DENT_SIM_SOLVER_ISLANDS) {
        hash = add_count(hash, 1000 + (uint32_t)def->solver);
    }
    if (def->contact_budget > 0) {
        hash = sim_hash_records(hash, &def->contact_budget, sizeof def->contact_budget, "8");
    }
    if (def->contact_deadline > 0) {
        hash = add_number(hash, def->contact_deadline);
    }
    hash = add_numbers(hash, def->gravity, 3);
    hash = add_number(hash, def->time_step);
    hash = add_number(hash, def->air_damping);
    hash = add_number(hash, def->thickness);
    for (uint32_t n = 0; n < def->material_count; n++) {
        const dent_sim_material *m = &def->materials[n];
        const double numbers[] = {m->density,          m->young,       m->poisson,           m->damping,
                                  m->stretch,          m->shear,       m->bending,           m->friction_static,
                                  m->friction_kinetic, m->restitution, m->contact_compliance};
        hash = sim_hash_records(hash, numbers, sizeof numbers, "8");
        hash = add_law(hash, m);
    }
    for (uint32_t n = 0; n < def->pair_count; n++) {
        const dent_sim_material_pair *p = &def->pairs[n];
        hash = add_count(add_count(hash, p->material_a), p->material_b);
        const double numbers[] = {p->friction_static, p->friction_kinetic, p->restitution, p->contact_compliance};
        hash = sim_hash_records(hash, numbers, sizeof numbers, "8");
    }
    for (uint32_t n = 0; n < def->body_count; n++) {
        hash = add_body(hash, &def->bodies[n]);
    }
    for (uint32_t n = 0; n < def->attachment_count; n++) {
        const dent_sim_attachment *t = &def->attachments[n];
        const uint32_t indices[] = {t->body_a,        t->vertex_a,      t->body_b,        t->vertices_b[0],
                                    t->vertices_b[1], t->vertices_b[2], t->vertices_b[3], t->same_vertex};
        hash = sim_hash_records(hash, indices, sizeof indices, "4");
        hash = add_numbers(hash, t->weights_b, 4);
        hash = add_numbers(hash, t->point, 3);
        hash = add_number(add_number(hash, t->length), t->compliance);
    }
    return sim_joints_fingerprint(def, hash);
}
