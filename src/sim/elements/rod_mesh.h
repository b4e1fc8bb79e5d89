/* Strands as elastic rods, part of the model: groups of eight strands for the kernels (rod_kernels.h), what holds them. */
#ifndef DENT_SIM_ROD_MESH_H
#define DENT_SIM_ROD_MESH_H

#include "rod_kernels.h"
#include "sim_elements.h"

/* The director of an edge that is clamped: carried by a face, or by the keyframes of its body. */
struct rod_clamp {
    uint32_t slot; /* 8 row + lane */
    uint32_t vertex, body;
    uint32_t corners[3]; /* of the global array; SIM_NONE: the body's own motion */
    double local[3];     /* in the frame of the face at the start; or in space at time 0 */
};

/* Vertices that a face of a prescribed body carries. */
struct rod_anchor {
    uint32_t vertex, corners[3]; /* of the global array */
    double local[3];
};

struct rod_mesh {
    uint32_t group_count, row_count, strand_count;
    struct rod_group *groups;
    struct rod_row *rows;
    uint32_t *vertex_slots; /* by vertex: 8 row + lane, or SIM_NONE; null without strands */
    uint32_t *body_groups;  /* body_count + 1 */
    uint32_t clamp_count, anchor_count;
    struct rod_clamp *clamps;
    struct rod_anchor *anchors;
};

/* Groups, stiffness, natural shapes, clamps; directors at the start into the state. */
dent_status rod_mesh_build(struct sim_model *model, struct sim_state *state);
/* What a vector is in the frame of a face, and back. `point`: relative to its first corner. */
void rod_face_frame(const uint32_t corners[3], const double *positions, double frame[9]); /* columns by rows of three */
/* Energy of the strands of a body. */
double rod_body_energy(const struct sim_model *model, const struct sim_state *state, uint32_t body);
/* Kinetic, elastic and gravitational energy of each strand of a group, and the kinetic one alone; without spin. */
void rod_group_energies(const struct sim_model *model, const struct sim_state *state, uint32_t group,
                        double energies[ROD_LANES], double kinetic[ROD_LANES]);
/* Of their turning about themselves, of a body. */
double rod_spin_energy(const struct sim_model *model, const struct sim_state *state, uint32_t body);

static inline bool is_rod_vertex(const struct sim_model *model, uint32_t vertex)
{
    return model->bodies[model->vertex_bodies[vertex]].kind == DENT_SIM_STRANDS;
}

#endif
