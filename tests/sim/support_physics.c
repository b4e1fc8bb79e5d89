/* See support_physics.h. */
#include "support_physics.h"

static struct physics_mesh mesh_make(uint32_t vertex_count, uint32_t element_count, uint32_t corner_count)
{
    struct physics_mesh mesh = {vertex_count, element_count, corner_count, NULL, NULL};
    mesh.positions = calloc(3 * (size_t)vertex_count, sizeof *mesh.positions);
    mesh.corners = calloc((size_t)corner_count * element_count, sizeof *mesh.corners);
    assert_true(mesh.positions && mesh.corners);
    return mesh;
}

void physics_mesh_free(struct physics_mesh *mesh)
{
    free(mesh->positions);
    free(mesh->corners);
    memset(mesh, 0, sizeof *mesh);
}

/* ---- meshes -------------------------------------------------------------------------------------------------- */

struct physics_mesh physics_block(const uint32_t cells[3], double edge, const double low[3])
{
    /* Corners of a cube by bits x y z; the middle tetrahedron and four corner ones, mirrored in every second cube. */
    static const uint32_t even[5][4] = {{0, 3, 5, 6}, {1, 0, 3, 5}, {2, 0, 6, 3}, {4, 0, 5, 6}, {7, 3, 6, 5}};
    uint32_t nx = cells[0] + 1, ny = cells[1] + 1, nz = cells[2] + 1, element = 0;
    struct physics_mesh mesh = mesh_make(nx * ny * nz, 5 * cells[0] * cells[1] * cells[2], 4);
    for (uint32_t v = 0; v < mesh.vertex_count; v++) {
        uint32_t at[3] = {v % nx, v / nx % ny, v / (nx * ny)};
        for (int k = 0; k < 3; k++) {
            mesh.positions[3 * (size_t)v + (size_t)k] = low[k] + edge * at[k];
        }
    }
    for (uint32_t c = 0; c < cells[0] * cells[1] * cells[2]; c++) {
        uint32_t x = c % cells[0], y = c / cells[0] % cells[1], z = c / (cells[0] * cells[1]), odd = (x + y + z) & 1;
        for (int t = 0; t < 5; t++, element++) {
            uint32_t *corners = mesh.corners + 4 * (size_t)element;
            for (int k = 0; k < 4; k++) {
                uint32_t corner = even[t][k] ^ odd; /* mirrored along x */
                corners[k] = x + (corner & 1) + nx * (y + (corner >> 1 & 1)) + nx * ny * (z + (corner >> 2 & 1));
            }
            const double *p = mesh.positions;
            double d[3][3], det;
            for (int k = 0; k < 3; k++) {
                for (int i = 0; i < 3; i++) {
                    d[k][i] = p[3 * (size_t)corners[k + 1] + (size_t)i] - p[3 * (size_t)corners[0] + (size_t)i];
                }
            }
            det = d[0][0] * (d[1][1] * d[2][2] - d[1][2] * d[2][1]) -
                  d[0][1] * (d[1][0] * d[2][2] - d[1][2] * d[2][0]) + d[0][2] * (d[1][0] * d[2][1] - d[1][1] * d[2][0]);
            if (det < 0) {
                uint32_t swap = corners[2];
                corners[2] = corners[3];
                corners[3] = swap;
            }
        }
    }
    return mesh;
}

static uint32_t middle_vertex(struct physics_mesh *mesh, uint32_t (*edges)[3], uint32_t *edge_count, uint32_t a,
                              uint32_t b)
{
    uint32_t v0 = a < b ? a : b, v1 = a < b ? b : a;
    for (uint32_t i = 0; i < *edge_count; i++) {
        if (edges[i][0] == v0 && edges[i][1] == v1) {
            return edges[i][2];
        }
    }
    uint32_t v = mesh->vertex_count++;
    double length = 0;
    for (int k = 0; k < 3; k++) {
        double middle = mesh->positions[3 * (size_t)a + (size_t)k] + mesh->positions[3 * (size_t)b + (size_t)k];
        mesh->positions[3 * (size_t)v + (size_t)k] = middle;
        length += middle * middle;
    }
    for (int k = 0; k < 3; k++) {
        mesh->positions[3 * (size_t)v + (size_t)k] /= sqrt(length);
    }
    edges[*edge_count][0] = v0;
    edges[*edge_count][1] = v1;
    edges[(*edge_count)++][2] = v;
    return v;
}

struct physics_mesh physics_ball(uint32_t levels, double radius, const double center[3])
{
    static const double corners[6][3] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
    static const uint32_t faces[8][3] = {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4},
                                         {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}};
    uint32_t most = 8u << (2 * levels);
    struct physics_mesh mesh = mesh_make(most / 2 + 2, most, 3);
    uint32_t(*edges)[3] = calloc((size_t)most * 2, sizeof *edges), *next = calloc(3 * (size_t)most, sizeof *next);
    mesh.vertex_count = 6;
    mesh.element_count = 8;
    memcpy(mesh.positions, corners, sizeof corners);
    memcpy(mesh.corners, faces, sizeof faces);
    for (uint32_t level = 0; level < levels; level++) {
        uint32_t edge_count = 0, count = 0;
        for (uint32_t f = 0; f < mesh.element_count; f++) {
            const uint32_t *c = mesh.corners + 3 * (size_t)f;
            uint32_t m[3];
            for (int k = 0; k < 3; k++) {
                m[k] = middle_vertex(&mesh, edges, &edge_count, c[k], c[(k + 1) % 3]);
            }
            uint32_t four[4][3] = {{c[0], m[0], m[2]}, {m[0], c[1], m[1]}, {m[2], m[1], c[2]}, {m[0], m[1], m[2]}};
            memcpy(next + 3 * (size_t)count, four, sizeof four);
            count += 4;
        }
        memcpy(mesh.corners, next, 3 * (size_t)count * sizeof *next);
        mesh.element_count = count;
    }
    for (uint32_t v = 0; v < mesh.vertex_count; v++) {
        for (int k = 0; k < 3; k++) {
            mesh.positions[3 * (size_t)v + (size_t)k] = center[k] + radius * mesh.positions[3 * (size_t)v + (size_t)k];
        }
    }
    free(edges);
    free(next);
    return mesh;
}

struct physics_mesh physics_sheet(uint32_t cells, double edge, const double low[3])
{
    uint32_t n = cells + 1;
    struct physics_mesh mesh = mesh_make(n * n, 2 * cells * cells, 3);
    for (uint32_t v = 0; v < n * n; v++) {
        mesh.positions[3 * (size_t)v] = low[0] + edge * (v % n);
        mesh.positions[3 * (size_t)v + 1] = low[1] + edge * (v / n);
        mesh.positions[3 * (size_t)v + 2] = low[2];
    }
    for (uint32_t c = 0; c < cells * cells; c++) {
        uint32_t v = c % cells + n * (c / cells), turned = (c % cells + c / cells) & 1;
        uint32_t two[2][2][3] = {{{v, v + 1, v + n + 1}, {v, v + n + 1, v + n}},
                                 {{v, v + 1, v + n}, {v + 1, v + n + 1, v + n}}};
        memcpy(mesh.corners + 6 * (size_t)c, two[turned], sizeof two[turned]);
    }
    return mesh;
}

struct physics_mesh physics_spikes(uint32_t count, double spacing, double base, double tip)
{
    struct physics_mesh mesh = mesh_make(4 * count * count, count * count, 4);
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
    dent_context_def def = dent_context_def_default();
    memset(physics, 0, sizeof *physics);
    def.thread_count = threads;
    physics->context = dent_context_create(&def, NULL);
    assert_non_null(physics->context);
    physics->def = dent_sim_def_default();
    physics->materials[0] = physics->materials[1] = dent_sim_material_default();
    physics->def.materials = physics->materials;
    physics->def.material_count = 2;
    physics->def.bodies = physics->bodies;
}

uint32_t physics_add(struct physics *physics, dent_sim_body_kind kind, struct physics_mesh mesh)
{
    uint32_t number = physics->def.body_count++;
    dent_sim_body_def *body = &physics->bodies[number];
    assert_true(number < PHYSICS_BODIES);
    *body = dent_sim_body_def_default(kind);
    body->mesh = mesh.corner_count == 4 ? DENT_BODY_SOLID : DENT_BODY_SURFACE;
    body->vertex_count = mesh.vertex_count;
    body->element_count = mesh.element_count;
    body->element_corners = mesh.corners;
    body->positions = mesh.positions;
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
        physics_mesh_free(&physics->meshes[i]);
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

int physics_steps(int quick, int usual, int most)
{
    return getenv("DENT_QUICK_TESTS") ? quick : getenv("DENT_LONG_TESTS") ? most : usual;
}
