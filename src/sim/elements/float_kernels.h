/* Products with the matrix of the elements in floats, sixteen elements at a time: what conjugate gradients of large
 * scenes are made of (float_solve.c). Lengths are in units of about an edge and stiffnesses in units of the largest, so
 * that no float leaves its range. In the lanes of an instruction set: float_kernels_lanes.h. */
#ifndef DENT_SIM_FLOAT_KERNELS_H
#define DENT_SIM_FLOAT_KERNELS_H

#include <stdint.h>

enum { FLOAT_LANES = 16 };

/* Corners are rows of the block that the elements belong to. Lanes that are filled up have no stiffness. What `prepare`
 * writes stands behind the line: the matrix at the positions it was given. */
struct float_tets {
    float inverse[9][FLOAT_LANES]; /* as in struct tet_group */
    float mu[FLOAT_LANES], lambda[FLOAT_LANES], gamma[FLOAT_LANES];
    /* ---- */
    float f[9][FLOAT_LANES], kappa[FLOAT_LANES];
    uint16_t corners[4][FLOAT_LANES];
};

struct float_triangles {
    float along[2][FLOAT_LANES], across[2][FLOAT_LANES]; /* weights of corners 1 and 2; corner 0 is minus their sum */
    float stretch[FLOAT_LANES], shear[FLOAT_LANES];
    /* ---- */
    float u[3][FLOAT_LANES], v[3][FLOAT_LANES]; /* the images of warp and weft */
    float sideways[2][FLOAT_LANES], lengthwise[2][FLOAT_LANES];
    uint16_t corners[3][FLOAT_LANES];
};

struct float_hinges {
    float weights[3][FLOAT_LANES]; /* of corners 1 to 3; corner 0 is minus their sum */
    float stiffness[FLOAT_LANES], rest[FLOAT_LANES];
    /* ---- */
    float w[3][FLOAT_LANES], sideways[FLOAT_LANES], lengthwise[FLOAT_LANES];
    uint16_t corners[4][FLOAT_LANES];
};

/* Elements of a block: groups of sixteen. */
struct float_elements {
    struct float_tets *tets;
    struct float_triangles *triangles;
    struct float_hinges *hinges;
    uint32_t tet_count, triangle_count, hinge_count;
    uint32_t curved_count; /* hinge_count, or 0 where all hinges are flat at rest: their matrix is elsewhere */
};

/* Rows have four floats, the last of them 0. */
struct float_kernels {
    /* The matrices at these positions of the vertices of the block. */
    void (*prepare)(const struct float_elements *elements, const float *positions);
    /* Adds the product with a direction, element after element and corner after corner. */
    void (*product)(const struct float_elements *elements, const float *direction, float *sums);
};

extern const struct float_kernels float_kernels_scalar, float_kernels_avx2, float_kernels_avx512;

#endif
