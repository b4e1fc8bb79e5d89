/* Small experiments for the physics tests, on blocks of tetrahedra, balls, sheets, and beds of spikes. */
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

#include "sim/support_meshes.h"

enum { PHYSICS_BODIES = 40 };

/* The meshes of support_meshes.h, placed by vectors. */
struct test_mesh physics_block(const uint32_t cells[3], double edge, const double low[3]);
struct test_mesh physics_ball(uint32_t levels, double radius, const double center[3]);
struct test_mesh physics_sheet(uint32_t cells, double edge, const double low[3]);
/* count x count tetrahedra, each a spike from z = base to z = tip, `spacing` apart about the z axis. */
struct test_mesh physics_spikes(uint32_t count, double spacing, double base, double tip);

/* A simulation in the making: bodies are added, then it is created. */
struct physics {
    dent_context *context;
    dent_sim *sim;
    dent_sim_def def;
    dent_sim_material materials[2];
    dent_sim_body_def bodies[PHYSICS_BODIES];
    struct test_mesh meshes[PHYSICS_BODIES];
};

void physics_open(struct physics *physics, uint32_t threads);
/* The mesh is owned from now on. Returns the number of the body. */
uint32_t physics_add(struct physics *physics, dent_sim_body_kind kind, struct test_mesh mesh);
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

#endif
