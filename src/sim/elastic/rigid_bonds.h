/* Vertices that move with a rigid body; see rigid_bonds.c. */
#ifndef DENT_SIM_RIGID_BONDS_H
#define DENT_SIM_RIGID_BONDS_H

#include "sim_elastic.h"

struct rigid_bond {
    uint32_t vertex, attachment, rigid, reserved;
    double local[3]; /* in the frame of the rigid body */
};

/* Part of the model: bonds, those of one rigid body together. */
struct rigid_bonds {
    uint32_t bond_count;
    struct rigid_bond *bonds;
    uint32_t *starts; /* by rigid body, rigid_count + 1 */
};

/* Before the elastic mesh is built. */
dent_status bonds_find(struct sim_model *model, struct sim_state *state);
/* Loads on bonded vertices act on their rigid bodies. */
void bonds_collect_loads(const struct sim_model *model, const struct sim_state *state, struct load_work *loads);
void bonds_place_vertices(const struct sim_model *model, const dent_rigid_state *rigids, double *positions);
/* A direction of rigid bodies as one of their bonded vertices; and forces on these as forces and moments on the
 * bodies. Vectors of 3 per vertex, then 6 per rigid body. */
void bonds_expand(const struct sim_model *model, const struct sim_state *state, double *direction);
void bonds_contract(const struct sim_model *model, const struct sim_state *state, double *forces);

#endif
