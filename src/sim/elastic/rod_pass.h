/* Rods in the minimisation of a substep: passes over all groups, their part of vectors and of the preconditioner. Beside
 * three numbers per vertex, vectors have one per edge behind all others: by how much its director turns (8 per row). */
#ifndef DENT_SIM_ROD_PASS_H
#define DENT_SIM_ROD_PASS_H

#include "sim/elements/rod_mesh.h"
#include "point_terms.h"

struct inertia_terms;

struct rod_work {
    const struct rod_kernels *kernels;
    struct rod_aim *aims;
    struct rod_strains *begin, *now, *trial; /* at the beginning of the substep, at present, at the trial */
    struct rod_values *values, *solved;
    struct rod_matrix *matrix;
    struct rod_added *added;
    uint8_t *touched; /* by group: contacts are in `added` */
    uint32_t *row_groups; /* by row */
    struct rod_matrix *scratch; /* most_rows by worker */
    uint32_t most_rows;         /* of a group */
    bool alone; /* many strands, and nothing else that the minimisation moves: rods_step */
    double (*inertia)[ROD_LANES];
    struct rod_director *begin_directors, *trial_directors;
    double *turned; /* 8 per row: since the beginning of the substep, twice the tangent of half the angle */
    double *sums;   /* 8 per group */
    double *partial; /* by group */
    size_t first;   /* of the turns in a vector */
    double part;    /* of the last trial */
    double step;    /* h */
    double spin_before; /* J: at the beginning of the substep */
};

/* Nothing below does anything without strands. */
dent_status rods_build(struct sim_model *model, struct rod_work *work, size_t first);
static inline bool has_rods(const struct sim_model *model)
{
    return model->rods->group_count > 0;
}

/* ---- rod_roots.c ------------------------------------------------------------------------------------------------- */

/* Puts vertices where the faces of prescribed bodies carry them; when these have been moved. */
void rods_place_anchors(const struct sim_model *model, struct sim_state *state);
/* Directors of clamped edges, into the state. */
void rods_place_clamps(const struct sim_model *model, struct sim_state *state, double time);
/* When vertices are put elsewhere than the solver left them, directors follow: notes where they are; then, moves them. */
void rods_note_places(const struct sim_model *model, const struct sim_state *state, struct elastic_work *work);
void rods_follow(const struct sim_model *model, struct sim_state *state, const struct elastic_work *work);

/* ---- rod_pass.c -------------------------------------------------------------------------------------------------- */

/* At the beginning of a substep; positions of what is held are those at its end, `previous` those of all before. */
void rods_begin(const struct sim_model *model, struct sim_state *state, const struct inertia_terms *inertia,
                const double *previous, double time, struct rod_work *work);
/* Adds the gradient of energy, damping and spin to that of the vertices; writes that of the turns. */
void rods_gradient(const struct sim_model *model, const struct sim_state *state, struct rod_work *work, double *out);
void rods_product(const struct sim_model *model, const struct sim_state *state, struct rod_work *work,
                  const double *direction, double *out);
/* The factor at the present positions, with the terms that act (linearised); z = factor^-1 r. */
void rods_refresh(const struct sim_model *model, const struct sim_state *state, const struct point_terms *terms,
                  const struct inertia_terms *inertia, struct rod_work *work);
void rods_apply(const struct sim_model *model, struct rod_work *work, const double *r, double *z);
/* Both at once, for minus the gradient, without keeping the factor. What contacts couple between strands is replaced by
 * twice their stiffness on both sides: more than the matrix, so the sum falls along the solution, and no product is
 * needed. Returns gradient . solution. */
double rods_step(const struct sim_model *model, const struct sim_state *state, const struct point_terms *terms,
                 const struct inertia_terms *inertia, const double *gradient, double *solution, struct rod_work *work);
/* A trial: directors at `part` of the solution; by how much energy, damping and spin change; its acceptance. */
void rods_place_trial(const struct sim_model *model, const struct sim_state *state, const double *trial,
                      const double *solution, double part, struct rod_work *work);
double rods_trial_change(const struct sim_model *model, const struct sim_state *state, const double *trial,
                         const double *solution, struct rod_work *work);
void rods_take_trial(const struct sim_model *model, struct sim_state *state, const double *solution,
                     struct rod_work *work);
/* At the end of a substep: spins. */
void rods_end(const struct sim_model *model, struct sim_state *state, const struct rod_work *work);
/* Of turning about themselves. */
double rods_spin_energy(const struct sim_model *model, const struct sim_state *state);
/* Energy now, less that at the beginning; without damping. */
double rods_energy_change(const struct sim_model *model, const struct sim_state *state, struct rod_work *work);
/* Positions were put at `part` of their way from `begin`: directors go back, too. */
void rods_go_back(const struct sim_model *model, struct sim_state *state, const double *begin, double part,
                  struct rod_work *work);
/* The gradient of the energy at one vertex. */
void rods_vertex_gradient(const struct sim_model *model, const struct sim_state *state, uint32_t vertex,
                          double gradient[3]);

#endif
