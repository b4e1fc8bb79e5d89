/* physics_mesh.c — the bodies of the validation table: boxes, balls, sheets, and boxes with slivers. */
#include "physics_stage.h"

#include <math.h>
#include <string.h>

static physics_mesh mesh_of(dent_context *context, bool surface, uint32_t vertices, uint32_t elements)
{
    physics_mesh mesh = {context, surface, vertices, elements, NULL, NULL};
    mesh.positions = dent_allocate(context, 3 * (size_t)vertices, sizeof *mesh.positions);
    mesh.corners = dent_allocate(context, 4 * (size_t)elements, sizeof *mesh.corners);
    if (mesh.positions == NULL || mesh.corners == NULL) {
        physics_mesh_free(&mesh);
    }
    return mesh;
}

void physics_mesh_free(physics_mesh *mesh)
{
    dent_release(mesh->context, mesh->positions, 3 * (size_t)mesh->vertex_count, sizeof *mesh->positions);
    dent_release(mesh->context, mesh->corners, 4 * (size_t)mesh->element_count, sizeof *mesh->corners);
    *mesh = (physics_mesh){.context = mesh->context};
}

static double volume_of(const physics_mesh *mesh, const uint32_t corners[4])
{
    double e[3][3];
    for (int k = 0; k < 3; k++) {
        for (int axis = 0; axis < 3; axis++) {
            e[k][axis] =
                mesh->positions[3 * (size_t)corners[k + 1] + axis] - mesh->positions[3 * (size_t)corners[0] + axis];
        }
    }
    return (e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) - e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
            e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0])) /
           6;
}

/* ---- boxes ----------------------------------------------------------------------------------------------- */

static void add_cell(physics_mesh *mesh, uint32_t *count, const uint32_t corners[8], bool odd)
{
    static const uint8_t table[2][5][4] = {{{0, 1, 2, 4}, {3, 2, 1, 7}, {5, 4, 7, 1}, {6, 7, 4, 2}, {1, 2, 4, 7}},
                                           {{1, 3, 0, 5}, {2, 0, 3, 6}, {4, 5, 0, 6}, {7, 3, 5, 6}, {0, 3, 5, 6}}};
    for (int t = 0; t < 5; t++) {
        uint32_t *tetrahedron = mesh->corners + 4 * (size_t)(*count)++;
        for (int n = 0; n < 4; n++) {
            tetrahedron[n] = corners[table[odd][t][n]];
        }
        if (volume_of(mesh, tetrahedron) < 0) {
            uint32_t swap = tetrahedron[0];
            tetrahedron[0] = tetrahedron[1];
            tetrahedron[1] = swap;
        }
    }
}

physics_mesh physics_box(dent_context *context, const uint32_t cells[3], const double low[3], const double high[3])
{
    uint32_t px = cells[0] + 1, py = cells[1] + 1, pz = cells[2] + 1;
    physics_mesh mesh = mesh_of(context, false, px * py * pz, 5 * cells[0] * cells[1] * cells[2]);
    for (uint32_t v = 0; v < mesh.vertex_count; v++) {
        uint32_t place[3] = {v % px, v / px % py, v / px / py};
        for (int axis = 0; axis < 3; axis++) {
            mesh.positions[3 * (size_t)v + axis] = low[axis] + (high[axis] - low[axis]) * place[axis] / cells[axis];
        }
    }
    for (uint32_t c = 0, count = 0; count < mesh.element_count; c++) {
        uint32_t i = c % cells[0], j = c / cells[0] % cells[1], k = c / cells[0] / cells[1], corners[8];
        for (uint32_t n = 0; n < 8; n++) {
            corners[n] = ((k + (n >> 2)) * py + j + (n >> 1 & 1)) * px + i + (n & 1);
        }
        add_cell(&mesh, &count, corners, (i + j + k) & 1);
    }
    return mesh;
}

/* The cube [-1, 1]^3 becomes the unit ball: shells of the cube become spheres. */
static void bend_to_ball(double p[3])
{
    double s[3] = {p[0] * p[0], p[1] * p[1], p[2] * p[2]}, bent[3];
    for (int k = 0; k < 3; k++) {
        double a = s[(k + 1) % 3], b = s[(k + 2) % 3];
        bent[k] = p[k] * sqrt(1 - a / 2 - b / 2 + a * b / 3);
    }
    memcpy(p, bent, sizeof bent);
}

physics_mesh physics_ball(dent_context *context, uint32_t cells, double radius, const double center[3])
{
    const uint32_t counts[3] = {cells, cells, cells};
    const double low[3] = {-1, -1, -1}, high[3] = {1, 1, 1};
    physics_mesh mesh = physics_box(context, counts, low, high);
    for (uint32_t v = 0; v < mesh.vertex_count; v++) {
        double *p = mesh.positions + 3 * (size_t)v;
        bend_to_ball(p);
        for (int axis = 0; axis < 3; axis++) {
            p[axis] = center[axis] + radius * p[axis];
        }
    }
    return mesh;
}

/* ---- slivers --------------------------------------------------------------------------------------------- */

/* Every second layer of inner vertices moves towards the layer below it, so that the cells between are flat and those
 * above are high. */
void physics_make_slivers(physics_mesh *mesh, const uint32_t cells[3], double quality)
{
    uint32_t px = cells[0] + 1, py = cells[1] + 1;
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        uint32_t k = v / px / py;
        if (k % 2 == 1 && k < cells[2]) {
            double *p = mesh->positions + 3 * (size_t)v;
            const double *below = p - 3 * (size_t)px * py;
            p[2] = below[2] + quality * (p[2] - below[2]);
        }
    }
}

/* ---- surfaces -------------------------------------------------------------------------------------------- */

physics_mesh physics_sheet(dent_context *context, uint32_t cells, double size, double height)
{
    uint32_t points = cells + 1, count = 0;
    physics_mesh mesh = mesh_of(context, true, points * points, 2 * cells * cells);
    for (uint32_t v = 0; v < mesh.vertex_count; v++) {
        mesh.positions[3 * (size_t)v] = size * ((double)(v % points) / cells - 0.5);
        mesh.positions[3 * (size_t)v + 1] = size * ((double)(v / points) / cells - 0.5);
        mesh.positions[3 * (size_t)v + 2] = height;
    }
    for (uint32_t c = 0; count < mesh.element_count; c++) {
        uint32_t a = c / cells * points + c % cells, b = a + 1, d = a + points, e = d + 1;
        const uint32_t corners[6] = {a, b, e, a, e, d};
        memcpy(mesh.corners + 3 * (size_t)count, corners, sizeof corners);
        count += 2;
    }
    return mesh;
}
