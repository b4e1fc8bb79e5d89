/* A small stage for tests of loads, supports, springs and probes. All lengths in metres, forces in newtons. */
#ifndef DENT_TESTS_SIM_SUPPORT_LOADS_H
#define DENT_TESTS_SIM_SUPPORT_LOADS_H

#include "support_meshes.h"

#define PI 3.14159265358979323846

struct stage {
    dent_context *context;
    dent_sim *sim;
    dent_sim_def def;
    dent_sim_material material;
    dent_sim_body_def bodies[2];
    dent_sim_load_def loads[2];
    dent_sim_support supports[3];
    dent_sim_spring springs[2];
    dent_sim_probe probes[8];
    struct test_mesh mesh;
    uint32_t *chosen[4];
    uint32_t chosen_count;
};

/* One body of the mesh, which the stage then owns; without contacts. */
void stage_open(struct stage *stage, uint32_t threads, dent_isa isa, struct test_mesh mesh, dent_sim_body_kind kind);
/* A solid block of cubes of edge `edge` at the origin, as elements of a kind. */
void stage_open_block(struct stage *stage, dent_sim_elements elements, uint32_t nx, uint32_t ny, uint32_t nz,
                      double edge);
void stage_close(struct stage *stage);
/* Vertices of body 0 whose coordinate lies within 1e-9 of a value. */
const uint32_t *stage_layer(struct stage *stage, int axis, double value, uint32_t *count);
/* Adds a support of such a layer. */
void stage_hold(struct stage *stage, int axis, double value, uint32_t axes);
dent_sim_load_def *stage_push(struct stage *stage, dent_sim_load_kind kind);
void stage_begin(struct stage *stage);
/* Mean over the vertices of body 0. */
double stage_mean(const struct stage *stage, const double *numbers, int axis);
void stage_reaction(struct stage *stage, uint32_t support, double force[3]);
/* Prints both if they differ by more than a share of the expected value. */
bool is_near(double value, double expected, double share);
/* 1 x 0.1 x 0.1 m along x. */
void stage_open_beam(struct stage *stage, double young);
/* A block with loads, supports, a spring and a probe of each kind. */
void stage_open_everything(struct stage *stage, uint32_t threads, dent_isa isa);

#endif
