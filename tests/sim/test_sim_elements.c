/* Elements of solids: bars have the Young's modulus and Poisson's ratio of their material, cantilevers sag as Timoshenko
 * says where elements do not lock, patches of any shape feel uniform strain, forces are the derivative of the energy. */
#include "sim/step/sim_step.h"
#include "support/cmocka_includes.h"
#include "support_meshes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const dent_sim_elements all_elements[] = {DENT_SIM_LINEAR, DENT_SIM_QUADRATIC, DENT_SIM_HEXAHEDRA};

/* ---- beams ------------------------------------------------------------------------------------------------------- */

struct beam {
    double length, width, height;
    uint32_t cells[3];
};

static uint32_t vertex_at(const struct beam *beam, uint32_t i, uint32_t j, uint32_t k)
{
    return (i * (beam->cells[1] + 1) + j) * (beam->cells[2] + 1) + k;
}

/* From the origin along x: hexahedra, or five tetrahedra for each of them. */
static struct test_mesh beam_mesh(const struct beam *beam, dent_sim_elements elements)
{
    static const uint8_t split[2][5][4] = {{{0, 1, 2, 5}, {0, 2, 3, 7}, {0, 5, 7, 4}, {2, 7, 5, 6}, {0, 2, 7, 5}},
                                           {{1, 2, 3, 6}, {0, 1, 3, 4}, {1, 6, 4, 5}, {3, 4, 6, 7}, {1, 3, 4, 6}}};
    const uint32_t *n = beam->cells;
    bool whole = elements == DENT_SIM_HEXAHEDRA;
    uint32_t boxes = n[0] * n[1] * n[2];
    struct test_mesh mesh = {.vertex_count = (n[0] + 1) * (n[1] + 1) * (n[2] + 1),
                             .element_count = whole ? boxes : 5 * boxes};
    mesh.positions = malloc(3 * mesh.vertex_count * sizeof(double));
    mesh.corners = malloc(20 * (size_t)boxes * sizeof(uint32_t));
    size_t filled = 0;
    for (uint32_t i = 0; i <= n[0]; i++) {
        for (uint32_t j = 0; j <= n[1]; j++) {
            for (uint32_t k = 0; k <= n[2]; k++) {
                double *x = mesh.positions + 3 * vertex_at(beam, i, j, k);
                x[0] = beam->length * i / n[0];
                x[1] = beam->width * j / n[1];
                x[2] = beam->height * k / n[2];
                if (i == n[0] || j == n[1] || k == n[2]) {
                    continue;
                }
                const uint32_t corners[8] = {
                    vertex_at(beam, i, j, k),         vertex_at(beam, i + 1, j, k),
                    vertex_at(beam, i + 1, j + 1, k), vertex_at(beam, i, j + 1, k),
                    vertex_at(beam, i, j, k + 1),     vertex_at(beam, i + 1, j, k + 1),
                    vertex_at(beam, i + 1, j + 1, k + 1), vertex_at(beam, i, j + 1, k + 1)};
                for (uint32_t t = 0; t < (whole ? 8u : 20u); t++) {
                    mesh.corners[filled++] = corners[whole ? t : split[(i + j + k) % 2][t / 4][t % 4]];
                }
            }
        }
    }
    return mesh;
}

/* Statics: time steps so long that inertia counts for nothing. */
static dent_sim_def static_def(dent_sim_body_def *body, const dent_sim_material *material)
{
    dent_sim_def def = dent_sim_def_default();
    def.body_count = 1;
    def.bodies = body;
    def.material_count = 1;
    def.materials = material;
    def.contacts = false;
    def.time_step = 100;
    def.substeps = 1;
    def.iterations = 50;
    return def;
}

/* Sag of the tip of a cantilever under its own weight over that of Timoshenko. */
static double relative_sag(dent_sim_elements elements, const struct beam *beam, double poisson)
{
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    struct test_mesh mesh = beam_mesh(beam, elements);
    dent_sim_body_def body = test_body(DENT_SIM_SOLID, &mesh);
    dent_sim_material material = dent_sim_material_default();
    material.young = 1e6;
    material.poisson = poisson;
    body.elements = elements;
    uint32_t fixed[64], count = 0;
    for (uint32_t v = 0; v < mesh.vertex_count; v++) {
        if (mesh.positions[3 * v] == 0) {
            fixed[count++] = v;
        }
    }
    body.fixed_vertices = fixed;
    body.fixed_count = count;
    dent_sim_def def = static_def(&body, &material);
    def.gravity[2] = -0.01;
    dent_sim *sim = test_sim(context, &def);
    test_steps(sim, 6);
    const double *x = dent_sim_positions(sim, 0);
    double sag = 0, tips = 0;
    for (uint32_t v = 0; v < mesh.vertex_count; v++) {
        if (mesh.positions[3 * v] == beam->length) {
            sag += mesh.positions[3 * v + 2] - x[3 * v + 2];
            tips++;
        }
    }
    double area = beam->width * beam->height, load = 1000 * 0.01 * area, length = beam->length;
    double moment = area * beam->height * beam->height / 12, shear = material.young / (2 * (1 + poisson));
    double factor = 10 * (1 + poisson) / (12 + 11 * poisson);
    double theory = load * length * length * length * length / (8 * material.young * moment) +
                    load * length * length / (2 * factor * shear * area);
    dent_sim_destroy(sim);
    test_mesh_free(&mesh);
    dent_context_destroy(context);
    return sag / tips / theory;
}

static void cantilevers_of_two_cells_sag_as_timoshenko_says(void **state)
{
    (void)state;
    const struct beam beam = {1, 0.1, 0.1, {20, 2, 2}};
    const double ratios[] = {0, 0.3, 0.45, 0.499};
    for (int n = 0; n < 4; n++) {
        for (int e = 0; e < 3; e++) {
            double sag = relative_sag(all_elements[e], &beam, ratios[n]);
            printf("%s nu %g: sag %.4f of Timoshenko\n", dent_sim_elements_name(all_elements[e]), ratios[n], sag);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cantilevers_of_two_cells_sag_as_timoshenko_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
