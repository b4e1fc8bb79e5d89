/* See support_meshes.h. */
#include "support_meshes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add_tetrahedron(struct test_mesh *mesh, const uint32_t corners[4])
{
    uint32_t *place = mesh->corners + 4 * (size_t)mesh->element_count++;
    double e[3][3];
    memcpy(place, corners, 4 * sizeof *place);
    for (int k = 0; k < 3; k++) {
        for (int axis = 0; axis < 3; axis++) {
            e[k][axis] = mesh->positions[3 * place[k + 1] + axis] - mesh->positions[3 * place[0] + axis];
        }
    }
    double determinant = e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) -
                         e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
                         e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]);
    if (determinant < 0) {
        uint32_t swap = place[0];
        place[0] = place[1];
        place[1] = swap;
    }
}

struct test_mesh test_block(uint32_t nx, uint32_t ny, uint32_t nz, double edge, double x, double y, double z)
{
    static const uint8_t even[5][4] = {{0, 1, 2, 4}, {3, 2, 1, 7}, {5, 4, 7, 1}, {6, 7, 4, 2}, {1, 2, 4, 7}};
    static const uint8_t odd[5][4] = {{1, 3, 0, 5}, {2, 0, 3, 6}, {4, 5, 0, 6}, {7, 3, 5, 6}, {0, 3, 5, 6}};
    uint32_t px = nx + 1, py = ny + 1, pz = nz + 1;
    struct test_mesh mesh = {.vertex_count = px * py * pz};
    mesh.positions = malloc(3 * sizeof(double) * mesh.vertex_count);
    mesh.corners = malloc(5 * 4 * sizeof(uint32_t) * nx * ny * nz);
    for (uint32_t v = 0; v < mesh.vertex_count; v++) {
        mesh.positions[3 * v] = x + edge * (v % px);
        mesh.positions[3 * v + 1] = y + edge * (v / px % py);
        mesh.positions[3 * v + 2] = z + edge * (v / px / py);
    }
    for (uint32_t c = 0; c < nx * ny * nz; c++) {
        uint32_t i = c % nx, j = c / nx % ny, k = c / nx / ny;
        for (int t = 0; t < 5; t++) {
            uint32_t corners[4];
            for (int n = 0; n < 4; n++) {
                uint32_t corner = (i + j + k) & 1 ? odd[t][n] : even[t][n];
                corners[n] = ((k + (corner >> 2)) * py + j + (corner >> 1 & 1)) * px + i + (corner & 1);
            }
            add_tetrahedron(&mesh, corners);
        }
    }
    return mesh;
}

struct test_mesh test_sheet(uint32_t nx, uint32_t ny, double edge, double x, double y, double z)
{
    uint32_t px = nx + 1;
    struct test_mesh mesh = {.vertex_count = px * (ny + 1), .surface = true};
    mesh.positions = malloc(3 * sizeof(double) * mesh.vertex_count);
    mesh.corners = malloc(2 * 3 * sizeof(uint32_t) * nx * ny);
    for (uint32_t v = 0; v < mesh.vertex_count; v++) {
        mesh.positions[3 * v] = x + edge * (v % px);
        mesh.positions[3 * v + 1] = y + edge * (v / px);
        mesh.positions[3 * v + 2] = z;
    }
    for (uint32_t c = 0; c < nx * ny; c++) {
        uint32_t a = c / nx * px + c % nx, b = a + 1, d = a + px, e = d + 1;
        bool rotated = (c % nx + c / nx) & 1;
        uint32_t corners[6] = {a, b, rotated ? d : e, rotated ? b : a, e, d};
        memcpy(mesh.corners + 3 * (size_t)mesh.element_count, corners, sizeof corners);
        mesh.element_count += 2;
    }
    return mesh;
}

static uint32_t middle_of(struct test_mesh *mesh, uint32_t a, uint32_t b)
{
    double middle[3], length = 0;
    for (int axis = 0; axis < 3; axis++) {
        middle[axis] = mesh->positions[3 * a + axis] + mesh->positions[3 * b + axis];
        length += middle[axis] * middle[axis];
    }
    for (int axis = 0; axis < 3; axis++) {
        middle[axis] /= sqrt(length);
    }
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        if (memcmp(mesh->positions + 3 * v, middle, sizeof middle) == 0) {
            return v;
        }
    }
    memcpy(mesh->positions + 3 * (size_t)mesh->vertex_count, middle, sizeof middle);
    return mesh->vertex_count++;
}

struct test_mesh test_ball(uint32_t refinements, double radius, double x, double y, double z)
{
    static const double corners[6][3] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
    static const uint32_t faces[8][3] = {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4},
                                         {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}};
    size_t most = (size_t)8 << (2 * refinements);
    struct test_mesh mesh = {6, 8, malloc(most * sizeof faces[0]), malloc((most + 6) * sizeof corners[0]), true};
    memcpy(mesh.corners, faces, sizeof faces);
    memcpy(mesh.positions, corners, sizeof corners);
    for (uint32_t n = 0; n < refinements; n++) {
        uint32_t *finer = malloc(most * sizeof faces[0]);
        for (uint32_t f = 0; f < mesh.element_count; f++) {
            const uint32_t *c = mesh.corners + 3 * f;
            uint32_t m[3];
            for (int k = 0; k < 3; k++) {
                uint32_t a = c[k], b = c[(k + 1) % 3];
                m[k] = middle_of(&mesh, a < b ? a : b, a < b ? b : a);
            }
            uint32_t four[12] = {c[0], m[0], m[2], m[0], c[1], m[1], m[2], m[1], c[2], m[0], m[1], m[2]};
            memcpy(finer + 12 * f, four, sizeof four);
        }
        mesh.element_count *= 4;
        free(mesh.corners);
        mesh.corners = finer;
    }
    for (uint32_t v = 0; v < mesh.vertex_count; v++) {
        mesh.positions[3 * v] = x + radius * mesh.positions[3 * v];
        mesh.positions[3 * v + 1] = y + radius * mesh.positions[3 * v + 1];
        mesh.positions[3 * v + 2] = z + radius * mesh.positions[3 * v + 2];
    }
    return mesh;
}

void test_mesh_free(struct test_mesh *mesh)
{
    free(mesh->corners);
    free(mesh->positions);
}

dent_sim_body_def test_body(dent_sim_body_kind kind, const struct test_mesh *mesh)
{
    dent_sim_body_def body = dent_sim_body_def_default(kind);
    body.mesh = mesh->surface ? DENT_BODY_SURFACE : DENT_BODY_SOLID;
    body.vertex_count = mesh->vertex_count;
    body.element_count = mesh->element_count;
    body.element_corners = mesh->corners;
    body.positions = mesh->positions;
    return body;
}

static void stop_with_message(dent_context *context)
{
    char message[512];
    dent_context_message(context, message, sizeof message);
    fprintf(stderr, "%s\n", message);
    abort();
}

dent_sim *test_sim(dent_context *context, const dent_sim_def *def)
{
    dent_sim *sim = NULL;
    if (dent_sim_create(context, def, &sim) != DENT_OK) {
        stop_with_message(context);
    }
    return sim;
}

void test_steps(dent_sim *sim, uint32_t count)
{
    for (uint32_t n = 0; n < count; n++) {
        if (dent_sim_step(sim) != DENT_OK) {
            stop_with_message(dent_sim_context(sim));
        }
    }
}

struct test_mesh test_hexahedra(uint32_t nx, uint32_t ny, uint32_t nz, double edge, double x, double y, double z)
{
    static const uint8_t steps[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                        {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
    struct test_mesh mesh = {.vertex_count = (nx + 1) * (ny + 1) * (nz + 1), .element_count = nx * ny * nz};
    mesh.positions = malloc(3 * (size_t)mesh.vertex_count * sizeof(double));
    mesh.corners = malloc(8 * (size_t)mesh.element_count * sizeof(uint32_t));
    if (!mesh.positions || !mesh.corners) {
        abort();
    }
    for (uint32_t v = 0; v < mesh.vertex_count; v++) {
        mesh.positions[3 * (size_t)v] = x + edge * (v / ((ny + 1) * (nz + 1)));
        mesh.positions[3 * (size_t)v + 1] = y + edge * (v / (nz + 1) % (ny + 1));
        mesh.positions[3 * (size_t)v + 2] = z + edge * (v % (nz + 1));
    }
    for (uint32_t n = 0; n < 8 * mesh.element_count; n++) {
        uint32_t box = n / 8, i = box / (ny * nz) + steps[n % 8][0], j = box / nz % ny + steps[n % 8][1];
        mesh.corners[n] = (i * (ny + 1) + j) * (nz + 1) + box % nz + steps[n % 8][2];
    }
    return mesh;
}
