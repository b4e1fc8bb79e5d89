/* Meshes and small experiments for the physics tests: blocks of tetrahedra, a ball, a sheet, a bed of spikes. */
#ifndef DENT_TESTS_SUPPORT_PHYSICS_H
#define DENT_TESTS_SUPPORT_PHYSICS_H

#include <dent/contact.h>
#include <dent/query.h>
#include <dent/response.h>
#include <dent/sim.h>

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/cmocka_includes.h"

enum { PHYSICS_BODIES = 16 };

struct physics_mesh {
    uint32_t vertex_count, element_count, corner_count;
    double *positions;
    uint32_t *corners;
};

/* cells[0] x cells[1] x cells[2] cubes of this edge, five tetrahedra each, lowest corner at `low`. */
struct physics_mesh physics_block(const uint32_t cells[3], double edge, const double low[3]);
/* A closed surface: an octahedron split `levels` times, corners on the sphere. */
struct physics_mesh physics_ball(uint32_t levels, double radius, const double center[3]);
/* A flat sheet of cells x cells squares, in the plane z = low[2]. */
struct physics_mesh physics_sheet(uint32_t cells, double edge, const double low[3]);
/* count x count tetrahedra, each a spike from z = base to z = tip, `spacing` apart about the z axis. */
struct physics_mesh physics_spikes(uint32_t count, double spacing, double base, double tip);
void physics_mesh_free(struct physics_mesh *mesh);

/* A simulation in the making: bodies are added, then it is created. */
struct physics {
    dent_context *context;
    dent_sim *sim;
    dent_sim_def def;
    dent_sim_material materials[2];
    dent_sim_body_def bodies[PHYSICS_BODIES];
    struct physics_mesh meshes[PHYSICS_BODIES];
};

void physics_open(struct physics *physics, uint32_t threads);
/* The mesh is owned from now on. Returns the number of the body. */
uint32_t physics_add(struct physics *physics, dent_sim_body_kind kind, struct physics_mesh mesh);
/* Creates the simulation; fails the test with the message if that is refused. */
void physics_begin(struct physics *physics);
void physics_step(struct physics *physics);
void physics_close(struct physics *physics);

/* Mean position of a body's vertices. */
void physics_center(const struct physics *physics, uint32_t body, double center[3]);
/* Kinetic, elastic and potential energy together. */
double physics_energy(const struct physics *physics);
/* Crossing and coplanar pairs of faces by the exact test; touching ones do not count. */
uint64_t physics_crossings(struct physics *physics);

/* DENT_QUICK_TESTS lowers, DENT_LONG_TESTS raises. */
int physics_steps(int quick, int usual, int most);

#endif
