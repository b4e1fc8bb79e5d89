/* The linear equations of large scenes in floats: float_layout.c lays the elements out, float_solve.c solves.
 *
 * Slots: vertices that move, node of the coarse space after node; then those bonded to rigid bodies, in the order of the
 * bonds; the slot behind them stands for all others and is 0. Vectors have a row of four floats per slot, and six
 * doubles per rigid body. Equations are scaled by powers of two: matrix / stiffness, right side / its largest entry. */
#ifndef DENT_SIM_FLOAT_SOLVE_H
#define DENT_SIM_FLOAT_SOLVE_H

#include "sim/elements/block_kernels.h"
#include "coarse_space.h"
#include "sim/elements/float_kernels.h"

/* What a pass over blocks in doubles leaves of each: terms of a line or kinds of change, and the change since the beginning. */
enum { BLOCK_SINCE = LINE_TERMS, BLOCK_SUMS };

/* Elements around a stretch of slots, and all vertices they touch: the rows of the block. */
struct float_block {
    struct float_elements elements;
    struct block_elements doubles; /* the same in doubles */
    uint32_t first_row, row_count;
};

struct float_vector {
    float *rows;
    double *rigid; /* six each */
};

/* A contact, an attachment or a grab that acts: the points on both sides. */
struct float_side {
    uint32_t slot, rigid; /* one of them SIM_NONE */
    double weight;        /* signed */
    double arm[3];        /* of a rigid body, in space */
};

struct float_term {
    struct float_side sides[8];
    uint32_t side_count;
    double matrix[6]; /* scaled */
};

struct float_system {
    bool built;
    const struct float_kernels *kernels;
    const struct block_kernels *block_kernels;
    uint32_t free_count, slot_count;
    uint32_t *slot_vertices, *vertex_slots; /* vertices that do not move: slot_count */
    uint32_t block_count, most_rows;
    struct float_block *blocks;
    uint32_t *row_vertices, *row_slots;
    uint32_t *slot_starts, *slot_rows; /* the rows of all blocks that belong to a slot */
    float *sums;                       /* by row of all blocks */
    float *scratch;                    /* most_rows for each worker */
    double *double_sums;               /* as sums, and three rows of scratch for each row of a block */
    double *double_scratch;
    double *double_partial; /* by block: BLOCK_SUMS */
    float *inertia;         /* by slot, scaled */
    /* Bending of what is flat at rest (float_bending.c). By slot: what its row adds up to, then what it depends on. */
    uint32_t *bend_starts, *bend_slots;
    float *bend_values;
    float *arms;            /* by slot: from the centre of its node at rest, in units of length; rows of four */
    float *inverses;        /* by slot: three rows; of the diagonal, in the frame of its node, scaled */
    double *added;          /* 6 by slot: what terms add to the diagonal; 0 between calls */
    uint32_t *touched, touched_count; /* slots whose inverses include terms */
    double stiffness, length;         /* units, powers of two */
    struct float_vector r, z, p, q, x;
    double *partial;
    struct float_term *terms;
    uint64_t term_count, term_capacity;
    double right; /* unit of the right side at present */
};

struct minimiser;

/* Elements in blocks, for the present inertia. Nothing is built where the coarse space is direct, where there are solid
 * cells or where supports hold some directions of a vertex only: those are solved in doubles. */
dent_status float_layout_build(struct sim_model *model, const struct inertia_terms *inertia,
                               const struct coarse_space *space, struct float_system *system);
/* Part of it: the matrix of bending, when there are slots and units. */
dent_status float_bending_build(struct sim_model *model, struct float_system *system);
void float_destroy(dent_context *context, struct float_system *system);
struct element_pass;

/* block_pass.c: what pass_gradient, pass_line and pass_cloth_change of elastic_pass.h do, block by block. The change is
 * that from now to now + direction: energy and damping of tetrahedra or of cloth. Changes return how the energy of these
 * has changed since pass->begin; 0 without. */
void block_gradient(const struct sim_model *model, const struct float_system *system, const struct element_pass *pass,
                    double *out);
double block_change(const struct sim_model *model, const struct float_system *system, const struct element_pass *pass,
                    bool cloth, double change[CHANGE_KINDS]);
/* Tetrahedra along the direction, as pass_line() has it. */
double block_line(const struct sim_model *model, const struct float_system *system, const struct element_pass *pass,
                  double terms[LINE_TERMS]);

/* When the inertia of vertices has changed; float_refresh must follow. */
void float_set_inertia(const struct inertia_terms *inertia, struct float_system *system);
/* When the preconditioner has been made anew, perhaps with its elements: terms in the diagonal. */
void float_refresh(const struct sim_model *model, const struct point_terms *terms, const struct inertia_terms *inertia,
                   const struct coarse_space *space, struct float_system *system, bool elements);
/* Takes minus the gradient in as the right side. Returns its square in the norm of the preconditioner; 0 where there is
 * none, not finite where floats cannot hold it. */
double float_start(const struct sim_model *model, struct minimiser *work);
/* solution = matrix^-1 right side, roughly: at most so many products, or until that square has fallen to `share` of what
 * it was. Returns the share it has fallen to; below 0: floats do not do, the solution is not written. */
double float_solve(const struct sim_model *model, const struct sim_state *state, struct minimiser *work,
                   uint32_t most_products, double share);

#endif
