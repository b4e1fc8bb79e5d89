/* physics_stage.c — a simulation in the making, its steps, and what is measured on it. */
#include "physics_stage.h"

#include <dent/query.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- the making ------------------------------------------------------------------------------------------ */

void physics_open(physics_stage *stage, dent_context *context)
{
    memset(stage, 0, sizeof *stage);
    stage->context = context;
    stage->def = dent_sim_def_default();
    stage->def.bodies = stage->bodies;
    stage->def.materials = stage->materials;
    stage->def.material_count = PHYSICS_MATERIAL_LIMIT;
    for (int i = 0; i < PHYSICS_MATERIAL_LIMIT; i++) {
        stage->materials[i] = dent_sim_material_default();
    }
}

static void fail(physics_stage *stage, const char *what)
{
    if (!stage->failed) {
        snprintf(stage->note, sizeof stage->note, "%s", what);
    }
    stage->failed = true;
}

static void fail_with_message(physics_stage *stage, dent_status status)
{
    char message[PHYSICS_NOTE_SIZE];
    dent_context_message(stage->context, message, sizeof message);
    fail(stage, message[0] != '\0' ? message : dent_status_name(status));
}

uint32_t physics_add(physics_stage *stage, dent_sim_body_kind kind, physics_mesh mesh)
{
    uint32_t body = stage->def.body_count;
    if (mesh.vertex_count == 0 || body == PHYSICS_BODY_LIMIT) {
        fail(stage, mesh.vertex_count == 0 ? "out of memory" : "too many bodies");
        physics_mesh_free(&mesh);
        return 0;
    }
    dent_sim_body_def *made = &stage->bodies[stage->def.body_count++];
    *made = dent_sim_body_def_default(kind);
    made->mesh = mesh.surface ? DENT_BODY_SURFACE : DENT_BODY_SOLID;
    made->vertex_count = mesh.vertex_count;
    made->element_count = mesh.element_count;
    made->element_corners = mesh.corners;
    made->positions = mesh.positions;
    stage->meshes[body] = mesh;
    return body;
}

void physics_choose_elements(physics_stage *stage, uint32_t body, dent_sim_elements elements, const uint32_t cells[3])
{
    if (stage->failed) {
        return;
    }
    stage->bodies[body].elements = elements;
    if (elements == DENT_SIM_HEXAHEDRA) { /* in the place of five tetrahedra each */
        uint32_t *corner = stage->meshes[body].corners, row = cells[0] + 1, layer = row * (cells[1] + 1);
        uint32_t count = cells[0] * cells[1] * cells[2];
        for (uint32_t c = 0; c < count; c++, corner += 8) {
            uint32_t first = c % cells[0] + row * (c / cells[0] % cells[1]) + layer * (c / cells[0] / cells[1]);
            const uint32_t around[4] = {first, first + 1, first + row + 1, first + row};
            for (int k = 0; k < 4; k++) {
                corner[k] = around[k];
                corner[4 + k] = around[k] + layer;
            }
        }
        stage->bodies[body].element_count = count;
    }
}

uint32_t physics_add_ground(physics_stage *stage, double width)
{
    const uint32_t cells[3] = {2, 2, 1};
    const double low[3] = {-width / 2, -width / 2, -0.2}, high[3] = {width / 2, width / 2, 0};
    return physics_add(stage, DENT_SIM_PRESCRIBED, physics_box(stage->context, cells, low, high));
}

static bool begin_fixing(physics_stage *stage, uint32_t body)
{
    dent_sim_body_def *def = &stage->bodies[body];
    stage->fixed[body] = dent_allocate(stage->context, def->vertex_count, sizeof *stage->fixed[body]);
    def->fixed_vertices = stage->fixed[body];
    if (stage->fixed[body] == NULL) {
        fail(stage, "out of memory");
    }
    return stage->fixed[body] != NULL;
}

void physics_fix_border(physics_stage *stage, uint32_t body, double limit)
{
    dent_sim_body_def *def = &stage->bodies[body];
    bool good = begin_fixing(stage, body);
    for (uint32_t v = 0; v < def->vertex_count && good; v++) {
        const double *x = def->positions + 3 * (size_t)v;
        if (fabs(x[0]) >= limit || fabs(x[1]) >= limit) {
            stage->fixed[body][def->fixed_count++] = v;
        }
    }
}

void physics_fix_below(physics_stage *stage, uint32_t body, int axis, double limit)
{
    dent_sim_body_def *def = &stage->bodies[body];
    bool good = begin_fixing(stage, body);
    for (uint32_t v = 0; v < def->vertex_count && good; v++) {
        if (def->positions[3 * (size_t)v + (size_t)axis] <= limit) {
            stage->fixed[body][def->fixed_count++] = v;
        }
    }
}

void physics_set_thickness(physics_stage *stage, double thickness)
{
    stage->def.thickness = thickness;
}

bool physics_begin(physics_stage *stage)
{
    if (!stage->failed) {
        dent_status status = dent_sim_create(stage->context, &stage->def, &stage->sim);
        if (status != DENT_OK) {
            fail_with_message(stage, status);
        }
    }
    return !stage->failed;
}

bool physics_step(physics_stage *stage)
{
    dent_status status = stage->failed ? DENT_OK : dent_sim_step(stage->sim);
    if (status != DENT_OK) {
        fail_with_message(stage, status);
    }
    return !stage->failed;
}

bool physics_steps(physics_stage *stage, uint32_t count)
{
    for (uint32_t n = 0; n < count && physics_step(stage); n++) {
    }
    return !stage->failed;
}

void physics_close(physics_stage *stage)
{
    dent_sim_destroy(stage->sim);
    for (uint32_t b = 0; b < stage->def.body_count; b++) {
        dent_release(stage->context, stage->fixed[b], stage->bodies[b].vertex_count, sizeof *stage->fixed[b]);
        physics_mesh_free(&stage->meshes[b]);
    }
    memset(stage, 0, sizeof *stage);
}

/* ---- measurements ---------------------------------------------------------------------------------------- */

double physics_energy(const physics_stage *stage)
{
    dent_sim_statistics now = dent_sim_get_statistics(stage->sim);
    return now.kinetic + now.elastic + now.potential + now.contact;
}

double physics_mass(const physics_stage *stage, uint32_t body)
{
    dent_sim_body_info info;
    return dent_sim_body(stage->sim, body, &info) ? info.mass : 0;
}

static void mean_of(const double *numbers, uint32_t count, double mean[3])
{
    memset(mean, 0, 3 * sizeof *mean);
    for (size_t n = 0; n < 3 * (size_t)count; n++) {
        mean[n % 3] += numbers[n] / count;
    }
}

void physics_center(const physics_stage *stage, uint32_t body, double center[3])
{
    mean_of(dent_sim_positions(stage->sim, body), stage->bodies[body].vertex_count, center);
}

void physics_mean_velocity(const physics_stage *stage, uint32_t body, double velocity[3])
{
    mean_of(dent_sim_velocities(stage->sim, body), stage->bodies[body].vertex_count, velocity);
}

double physics_largest_speed(const physics_stage *stage, uint32_t body)
{
    const double *v = dent_sim_velocities(stage->sim, body);
    double largest = 0;
    for (uint32_t n = 0; n < stage->bodies[body].vertex_count; n++, v += 3) {
        largest = fmax(largest, sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]));
    }
    return largest;
}

double physics_lowest(const physics_stage *stage, uint32_t body)
{
    const double *x = dent_sim_positions(stage->sim, body);
    double lowest = x[2];
    for (uint32_t n = 0; n < stage->bodies[body].vertex_count; n++) {
        lowest = fmin(lowest, x[3 * (size_t)n + 2]);
    }
    return lowest;
}

void physics_contact_force(const physics_stage *stage, uint32_t body, double force[3])
{
    uint64_t count = 0;
    const dent_sim_contact *contacts = dent_sim_contacts(stage->sim, &count);
    memset(force, 0, 3 * sizeof *force);
    for (uint64_t i = 0; i < count; i++) {
        double sign = (contacts[i].body_a == body) - (contacts[i].body_b == body);
        for (int axis = 0; axis < 3; axis++) {
            force[axis] += sign * contacts[i].force[axis];
        }
    }
}

uint64_t physics_crossings(physics_stage *stage)
{
    dent_query_def ask = dent_query_def_default();
    dent_query_result result;
    ask.questions = DENT_QUESTION_FACE_FACE;
    dent_status status = dent_world_query(dent_sim_world(stage->sim), &ask, &result);
    if (status != DENT_OK) {
        fail_with_message(stage, status);
        return 0;
    }
    return result.face_face.count;
}

/* ---- energy ---------------------------------------------------------------------------------------------- */

physics_energy_watch physics_watch_begin(const physics_stage *stage, double scale)
{
    double start = physics_energy(stage);
    return (physics_energy_watch){start, start, scale};
}

void physics_watch(physics_energy_watch *watch, const physics_stage *stage)
{
    double now = physics_energy(stage);
    watch->highest = isfinite(now) ? fmax(watch->highest, now) : INFINITY;
}

double physics_gain(const physics_energy_watch *watch)
{
    double gain = (watch->highest - watch->start) / watch->scale;
    return isfinite(gain) ? gain : INFINITY;
}
