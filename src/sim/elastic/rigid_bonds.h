/* Rigid bodies that elastic solids are bonded to: part of the elastic sweep; see rigid_bonds.c. */
#ifndef DENT_SIM_RIGID_BONDS_H
#define DENT_SIM_RIGID_BONDS_H

#include "elastic_mesh.h"

/* A vertex that moves with a rigid body. */
struct rigid_bond {
    uint32_t vertex, attachment;
    double local[3]; /* in the frame of the rigid body */
};

/* An edge from a bonded vertex to one that moves otherwise. */
struct bond_edge {
    uint32_t vertex, other;
    double weight, damper;
    double left; /* 1; 2 where the other end belongs to another block and moves at the same time */
};

/* A tetrahedron with some corners on the rigid body: corner 3, corner 2 too, or (sign -1) all but corner 3. */
struct bond_tet {
    uint32_t corners[4];
    double stiffness, target, left, sign;
    bool two;
};

/* A soft attachment between the rigid body and something that nothing pushes: a spring. */
struct bond_spring {
    uint32_t attachment;
    bool is_b;       /* the rigid body is end b */
    double local[3]; /* its point, in the frame of the body */
};

/* Six equations, translation before rotation about the centre of mass. */
struct block_system {
    double force[6];
    double matrix[6][6];
};

/* A rigid body with bonds or springs: its part of the lists of struct rigid_bonds. */
struct block_lists {
    uint32_t rigid;
    uint32_t bond_begin, bond_end, edge_begin, edge_end, tet_begin, tet_end, spring_begin, spring_end;
};

/* Part of the model. */
struct rigid_bonds {
    uint32_t block_count, bond_count, edge_count, tet_count, spring_count;
    struct block_lists *blocks;
    uint32_t *block_of_rigid; /* by rigid body, or SIM_NONE */
    struct rigid_bond *bonds; /* block after block */
    struct bond_spring *springs;
    struct bond_edge *edges;
    struct bond_tet *tets;
    uint64_t inner_count;
    struct held_edge *inner; /* edges with both ends in one block */
};

/* Workspace of such a body. */
struct rigid_block {
    uint32_t rigid;
    const struct block_lists *lists;
    dent_rigid_state target;           /* where inertia and carried forces would take it */
    double carried[6], taken[6];       /* impulse and its moment: given to the sweep; taken out again afterwards … */
    double excess[6];                  /* … and what a contact cannot give: undone as the block answered it */
    struct block_system system;        /* of the present sweep */
    double matrix[6][6], factor[6][6]; /* inertia and elasticity, the factor at the last detection; Cholesky's factor */
    double elastic[6][6], elastic_pose[4]; /* blocks with springs: the part of the bonds, and the pose it was made at */
};

/* ---- block_equations.c ------------------------------------------------------------------------------------------- */

/* The force of a spring on a rigid body, its point, and its stiffness along and across `direction`. */
struct spring_pull {
    double point[3], force[3], direction[3], along, across;
};
struct spring_pull block_spring_pull(const struct sim_model *model, const struct sim_state *state, uint32_t rigid,
                                     const struct bond_spring *spring);

static inline void arm_of(const double *point, const dent_rigid_state *pose, double arm[3])
{
    sim_subtract(point, pose->center, arm);
}

/* factor times a force at `arm` from the centre. */
void block_add_force(double force[6], const double *arm, double factor, const double *f);
/* Stiffness at `arm`, along `direction` and across it. Matrices: the lower half is used. */
void block_add_stiffness(double matrix[6][6], const double *arm, const double *direction, double along, double across);
/* block->matrix. */
void block_make_matrix(const struct sim_model *model, const struct sim_state *state, struct rigid_block *block);
/* block->system: forces now, that matrix. */
void block_assemble(const struct sim_model *model, const struct sim_state *state, const double *previous,
                    struct rigid_block *block);
void block_factorise(double matrix[6][6], double factor[6][6]);
void block_solve_lower(double factor[6][6], double *x);
void block_solve_upper(double factor[6][6], double *x);

/* ---- rigid_bonds.c ----------------------------------------------------------------------------------------------- */

/* The block of a body, or null. */
struct rigid_block *bonds_block(const struct sim_model *model, const struct elastic_work *work, uint32_t body);

/* At a detection: the factors. */
void bonds_refresh(const struct sim_model *model, const struct sim_state *state, struct elastic_work *work);
/* After rigid_predict: targets. */
void bonds_begin(const struct sim_model *model, struct sim_state *state, struct elastic_work *work);
/* After each sweep over vertices, and when contacts have added to the systems. */
void bonds_assemble(const struct sim_model *model, const struct sim_state *state, struct elastic_work *work);
void bonds_move(const struct sim_model *model, struct sim_state *state, struct elastic_work *work);
void bonds_take_out(const struct sim_model *model, struct sim_state *state, struct elastic_work *work);
void bonds_place_vertices(const struct sim_model *model, struct sim_state *state);

/* An impulse on the rigid body at `point` (in space, now): share of it is to be taken out. */
void bonds_carry(const struct sim_state *state, struct rigid_block *block, const double *point, const double *impulse,
                 double share);
/* More to be taken out, sign times `again`; and sign times `excess`, which acted in the sweep and is to be undone. */
void bonds_take(const struct sim_state *state, struct rigid_block *block, const double *point, double sign,
                const double *again, const double *excess);
/* How far the body gives way per force at `point` along `direction`: with elasticity, and by inertia alone. */
double bonds_compliance(const struct sim_state *state, const struct rigid_block *block, const double *point,
                        const double *direction);
double bonds_inertial_give(const struct sim_model *model, const struct sim_state *state,
                           const struct rigid_block *block, const double *point, const double *direction);
/* A spring at `point`: force on the body, stiffness along `direction` and `across` it. */
void bonds_add_spring(const struct sim_state *state, struct rigid_block *block, const double *point,
                      const double *force, const double *direction, double along, double across);
/* The forces of the attachments that are bonds or springs, on end a: 3 per attachment, others are left alone.
 * Scratch: 3 doubles per vertex. */
void bonds_forces(const struct sim_model *model, const struct sim_state *state, double *scratch, double *forces);

#endif
