/* Passes over all elements, and the sums of what they put on the vertices. */
#ifndef DENT_SIM_ELASTIC_PASS_H
#define DENT_SIM_ELASTIC_PASS_H

#include "tet_kernels.h"

/* Workspace of passes. */
struct pass_work {
    const struct tet_kernels *kernels;
    double *tet_out, *cloth_out; /* as struct elastic_mesh says */
    struct cloth_matrix *cloth;  /* by triangle, at the last gradient */
    double *cell_out;            /* of solid cells: 3 per corner */
    double *cell_matrices;       /* of solid cells: 81 per point, at the last gradient */
    const struct sim_state *state; /* what cells depend on beside positions; lives as long as this */
    double *partial;             /* sums of blocks of elements */
};

dent_status pass_build(struct sim_model *model, const struct sim_state *state, struct pass_work *work);
/* Writes 3 numbers per vertex: the gradient of energy and damping, or the product of their matrix with the direction.
 * Vertices without elements get 0. Products of cloth and of solid cells are with the matrix at the last gradient. */
void pass_gradient(const struct sim_model *model, struct pass_work *work, const struct element_pass *pass, double *out);
void pass_product(const struct sim_model *model, struct pass_work *work, const struct element_pass *pass, double *out);
/* Tetrahedra along the direction: terms[n] times part^(n + 1), and of damping terms[6] times part, terms[7] times
 * part^2. Cloth and solid cells at `part` of it. */
void pass_line(const struct sim_model *model, struct pass_work *work, const struct element_pass *pass,
               double terms[LINE_TERMS]);
double pass_cloth_change(const struct sim_model *model, struct pass_work *work, const struct element_pass *pass,
                         double part);
/* Of one vertex. */
void elastic_vertex_gradient(const struct sim_model *model, const struct sim_state *state,
                             const struct element_pass *pass, uint32_t vertex, double gradient[3]);

#endif
