/* The elements of elastic bodies: tetrahedra, cloth, and solid cells with laws of their own. What each of them stores and
 * puts on its corners; sums over all of them are in elastic/elastic_pass.h.
 *
 *   reads   the model; positions; activation and flow of cells (struct sim_state)
 *   writes  the mesh of the model, at creation; activation and flow of cells */
#ifndef DENT_SIM_SIM_ELEMENTS_H
#define DENT_SIM_SIM_ELEMENTS_H

#include "sim/model/sim_model.h"

struct sim_state;

dent_status elastic_mesh_build(struct sim_model *model); /* elastic_mesh.c */

/* ---- muscle_activation.c ----------------------------------------------------------------------------------------- */

/* The activation of fibres at a time, into the state. */
void elastic_set_time(const struct sim_model *model, struct sim_state *state, double time);
/* At the end of a substep: what was stretched beyond its yield stress flows, into the state. */
void elastic_flow(const struct sim_model *model, struct sim_state *state);

/* ---- tet_elasticity.c -------------------------------------------------------------------------------------------- */

uint32_t elastic_inverted_cells(const struct sim_model *model, const double *positions);

/* ---- cell_stress.c ----------------------------------------------------------------------------------------------- */

/* Von Mises stress times volume, summed over the linear tetrahedra at these vertices; their volume is added. */
double elastic_stress_sum(const struct sim_model *model, const double *positions, const uint32_t *vertices,
                          uint32_t count, double *volume);

#endif
