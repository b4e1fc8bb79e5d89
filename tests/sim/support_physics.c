/* See support_physics.h. */
#include "support_physics.h"

/* ---- meshes -------------------------------------------------------------------------------------------------- */

struct test_mesh physics_block(const uint32_t cells[3], double edge, const double low[3])
{
    return test_block(cells[0], cells[1], cells[2], edge, low[0], low[1], low[2]);
}

struct test_mesh physics_ball(uint32_t levels, double radius, const double center[3])
{
    return test_ball(levels, radius, center[0], center[1], center[2]);
}

struct test_mesh physics_sheet(uint32_t cells, double edge, const double low[3])
{
    return test_sheet(cells, cells, edge, low[0], low[1], low[2]);
}

struct test_mesh physics_spikes(uint32_t count, double spacing, double base, double tip)
{
    struct test_mesh mesh = {.vertex_count = 4 * count * count, .element_count = count * count};
    mesh.positions = calloc(3 * (size_t)mesh.vertex_count, sizeof *mesh.positions);
    mesh.corners = calloc(4 * (size_t)mesh.element_count, sizeof *mesh.corners);
    assert_true(mesh.positions && mesh.corners);
    double middle = 0.5 * (count - 1), width = 0.3 * spacing;
    for (uint32_t s = 0; s < count * count; s++) {
        double x = spacing * (s % count - middle), y = spacing * (s / count - middle);
        double four[4][3] = {
            {x - width, y - width, base}, {x + width, y - width, base}, {x, y + width, base}, {x, y, tip}};
        uint32_t corners[4] = {4 * s, 4 * s + 1, 4 * s + 2, 4 * s + 3};
        if (tip < base) {
            corners[1] = 4 * s + 2;
            corners[2] = 4 * s + 1;
        }
        memcpy(mesh.positions + 12 * (size_t)s, four, sizeof four);
        memcpy(mesh.corners + 4 * (size_t)s, corners, sizeof corners);
    }
    return mesh;
}

/* ---- simulation ---------------------------------------------------------------------------------------------- */

void physics_open(struct physics *physics, uint32_t threads)
{
    memset(physics, 0, sizeof *physics);
    physics->context = test_context(threads, DENT_ISA_AUTO);
    physics->def = dent_sim_def_default();
    physics->materials[0] = physics->materials[1] = dent_sim_material_default();
    physics->def.materials = physics->materials;
    physics->def.material_count = 2;
    physics->def.bodies = physics->bodies;
}

uint32_t physics_add(struct physics *physics, dent_sim_body_kind kind, struct test_mesh mesh)
{
    uint32_t number = physics->def.body_count++;
    dent_sim_body_def *body = &physics->bodies[number];
    assert_true(number < PHYSICS_BODIES);
    *body = test_body(kind, &mesh);
    physics->meshes[number] = mesh;
    return number;
}

static void fail_with_message(const struct physics *physics, dent_status status)
{
    char text[300];
    dent_context_message(physics->context, text, sizeof text);
    print_error("%s: %s\n", dent_status_name(status), text);
    fail();
}

void physics_begin(struct physics *physics)
{
    dent_status status = dent_sim_create(physics->context, &physics->def, &physics->sim);
    if (status != DENT_OK) {
        fail_with_message(physics, status);
    }
}

void physics_step(struct physics *physics)
{
    dent_status status = dent_sim_step(physics->sim);
    if (status != DENT_OK) {
        fail_with_message(physics, status);
    }
}

void physics_close(struct physics *physics)
{
    dent_sim_destroy(physics->sim);
    for (uint32_t i = 0; i < physics->def.body_count; i++) {
        test_mesh_free(&physics->meshes[i]);
    }
    dent_context_destroy(physics->context);
}

/* ---- looking ------------------------------------------------------------------------------------------------- */

void physics_center(const struct physics *physics, uint32_t body, double center[3])
{
    const double *x = dent_sim_positions(physics->sim, body);
    uint32_t count = physics->bodies[body].vertex_count;
    memset(center, 0, 3 * sizeof *center);
    for (uint32_t v = 0; v < count; v++) {
        for (int k = 0; k < 3; k++) {
            center[k] += x[3 * (size_t)v + (size_t)k] / count;
        }
    }
}

double physics_energy(const struct physics *physics)
{
    dent_sim_statistics statistics = dent_sim_get_statistics(physics->sim);
    return statistics.kinetic + statistics.elastic + statistics.potential;
}

uint64_t physics_crossings(struct physics *physics)
{
    dent_query_def ask = dent_query_def_default();
    dent_query_result result;
    ask.questions = DENT_QUESTION_FACE_FACE;
    dent_status status = dent_world_query(dent_sim_world(physics->sim), &ask, &result);
    assert_int_equal(status, DENT_OK);
    return result.face_face.count;
}
