/* Gradients and changes of energy in doubles, over the blocks of elements that float_layout.c lays out: sixteen elements
 * at a time, with the corners of the groups of floats beside them. The energies are those of tet_elasticity.c and
 * cloth_elasticity.c. In the lanes of an instruction set: block_kernels_lanes.h. */
#ifndef DENT_SIM_BLOCK_KERNELS_H
#define DENT_SIM_BLOCK_KERNELS_H

#include "float_kernels.h"
#include "tet_kernels.h"

/* Lanes that are filled up have no stiffness. damped: some lane has damping. */
struct block_tets {
    double inverse[9][FLOAT_LANES], mu[FLOAT_LANES], lambda[FLOAT_LANES], gamma[FLOAT_LANES], damping[FLOAT_LANES];
    uint64_t damped, unused[7]; /* groups are whole cache lines */
};

struct block_triangles {
    double along[2][FLOAT_LANES], across[2][FLOAT_LANES], stretch[FLOAT_LANES], shear[FLOAT_LANES];
    double damping[FLOAT_LANES];
    uint64_t damped, unused[7]; /* groups are whole cache lines */
};

struct block_hinges {
    double weights[3][FLOAT_LANES], stiffness[FLOAT_LANES], rest[FLOAT_LANES];
};

struct block_elements {
    const struct float_elements *corners; /* and counts */
    const struct block_tets *tets;
    const struct block_triangles *triangles;
    const struct block_hinges *hinges;
};

/* Rows of four doubles for the vertices of the block: as in struct element_pass, but local. */
struct block_rows {
    const double *now, *start, *direction;
    double rate; /* 0: no damping, `start` is not read */
};

/* What changes from now to now + direction: energy of tetrahedra, damping of what is asked about, energy of cloth. By
 * lanes. */
enum { CHANGE_TETS, CHANGE_DAMPING, CHANGE_CLOTH, CHANGE_KINDS };

struct block_kernels {
    /* Adds the gradient of energy and damping at `now`, element after element and corner after corner. */
    void (*gradient)(const struct block_elements *elements, const struct block_rows *rows, double *sums);
    /* Adds to the lanes. */
    void (*change_tets)(const struct block_elements *elements, const struct block_rows *rows,
                        double sums[CHANGE_KINDS][FLOAT_LANES]);
    void (*change_cloth)(const struct block_elements *elements, const struct block_rows *rows,
                         double sums[CHANGE_KINDS][FLOAT_LANES]);
    /* Of tetrahedra along the direction, as struct tet_kernels has it. Adds to the lanes. */
    void (*line)(const struct block_elements *elements, const struct block_rows *rows,
                 double sums[LINE_TERMS][FLOAT_LANES]);
};

extern const struct block_kernels block_kernels_scalar, block_kernels_avx2, block_kernels_avx512;

#endif
