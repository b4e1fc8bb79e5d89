/* Meshes and small simulations for the tests of the simulator. */
#ifndef DENT_TESTS_SIM_SUPPORT_MESHES_H
#define DENT_TESTS_SIM_SUPPORT_MESHES_H

#include "support/test_context.h"

#include <dent/dent.h>
#include <dent/sim.h>

struct test_mesh {
    uint32_t vertex_count, element_count;
    uint32_t *corners;
    double *positions;
    bool surface; /* of triangles; else of tetrahedra */
};

/* nx * ny * nz cubes of edge `edge`, five positive tetrahedra each. */
struct test_mesh test_block(uint32_t nx, uint32_t ny, uint32_t nz, double edge, double x, double y, double z);
/* The same cubes as hexahedra. */
struct test_mesh test_hexahedra(uint32_t nx, uint32_t ny, uint32_t nz, double edge, double x, double y, double z);
/* nx * ny squares of two triangles in a plane of constant z. */
struct test_mesh test_sheet(uint32_t nx, uint32_t ny, double edge, double x, double y, double z);
/* A closed surface: an octahedron refined so many times. */
struct test_mesh test_ball(uint32_t refinements, double radius, double x, double y, double z);
void test_mesh_free(struct test_mesh *mesh);

dent_sim_body_def test_body(dent_sim_body_kind kind, const struct test_mesh *mesh);

/* Ends the program with the context's message when it fails. */
dent_sim *test_sim(dent_context *context, const dent_sim_def *def);
void test_steps(dent_sim *sim, uint32_t count);

#endif
