/* Passes over all elements, and the sums of what they put on the vertices. */
#ifndef DENT_SIM_ELASTIC_PASS_H
#define DENT_SIM_ELASTIC_PASS_H

#include "sim/elements/tet_kernels.h"

/* Workspace of passes. */
struct float_system;

struct pass_work {
    const struct float_system *blocks; /* large scenes: gradients and changes by blocks; null: by all elements */
    const struct tet_kernels *kernels;
    double *tet_out, *cloth_out; /* as struct elastic_mesh says */
    struct cloth_matrix *cloth;  /* by triangle, at the last gradient */
    double *cell_out;            /* of solid cells: 3 per corner */
    double *cell_matrices;       /* of solid cells: 81 per point, at the last gradient */
    const struct sim_state *state; /* what cells depend on beside positions; lives as long as this */
    double *partial;             /* sums of blocks of elements */
    double since;                /* by blocks: what energy has changed since pass->begin; pass_line() begins it anew */
    double cloth_damping;        /* by blocks: what of the last change of cloth was damping */
    /* Vertices that move by themselves or with a rigid body, ascending: others need no sums. In chunks, of fixed size
     * whatever the number of threads. */
    uint32_t *movers, mover_count, chunk_count;
};

enum { MOVERS_A_CHUNK = 1024 };

/* The movers of a chunk. */
static inline const uint32_t *pass_movers(const struct pass_work *work, uint32_t chunk, uint32_t *count)
{
    uint32_t begin = chunk * MOVERS_A_CHUNK, left = work->mover_count - begin;
    *count = left < MOVERS_A_CHUNK ? left : MOVERS_A_CHUNK;
    return work->movers + begin;
}

dent_status pass_build(struct sim_model *model, const struct sim_state *state, struct pass_work *work);
/* Calls for all chunks of movers. */
void pass_for_movers(const struct sim_model *model, const struct pass_work *work, dent_block_function *function,
                     void *data);
/* Writes 3 numbers per mover: the gradient of energy and damping, or the product of their matrix with the direction.
 * Movers without elements get 0. Products of cloth and of solid cells are with the matrix at the last gradient. */
void pass_gradient(const struct sim_model *model, struct pass_work *work, const struct element_pass *pass, double *out);
void pass_product(const struct sim_model *model, struct pass_work *work, const struct element_pass *pass, double *out);
/* Tetrahedra along the direction: terms[n] times part^(n + 1), and of damping terms[6] times part, terms[7] times
 * part^2. at_end: only their sums are wanted, at part 1: terms[0] may be all of the energy, terms[6] all of the damping.
 * Cloth and solid cells at `part` of the direction. */
void pass_line(const struct sim_model *model, struct pass_work *work, const struct element_pass *pass, bool at_end,
               double terms[LINE_TERMS]);
double pass_cloth_change(const struct sim_model *model, struct pass_work *work, const struct element_pass *pass,
                         double part);
/* Of one vertex. */
void elastic_vertex_gradient(const struct sim_model *model, const struct sim_state *state,
                             const struct element_pass *pass, uint32_t vertex, double gradient[3]);

#endif
