/* Passes over groups of eight tetrahedra, in the lanes of an instruction set; see tet_kernels_lanes.h. */
#ifndef DENT_SIM_TET_KERNELS_H
#define DENT_SIM_TET_KERNELS_H

#include "elastic_mesh.h"

/* What a pass reads. Positions, 3 per vertex and one number behind the last (rows of four are loaded): `now`; `start`, where strain rates are measured from; `direction`. */
struct element_pass {
    const double *now, *start, *direction;
    double rate; /* 1 / H: strain rate = change of strain * rate */
    const double *begin; /* changes by blocks also measure how energy changed from here to now; null: they do not */
};

/* Six of the energy, the linear and the quadratic one of damping. */
enum { ENERGY_TERMS = 6, LINE_TERMS = 8 };

struct tet_kernels {
    /* Gradient of energy and damping; the product of their matrix, made positive, with the direction. For `count`
     * groups; out: 96 numbers per group, component c of corner k in lane l at (3 k + c) * 8 + l. */
    void (*gradient)(const struct tet_group *groups, uint32_t count, const struct element_pass *pass, double *out);
    void (*product)(const struct tet_group *groups, uint32_t count, const struct element_pass *pass, double *out);
    /* Energy and damping at now + a direction, less those at now: polynomials in a without constant. Adds to sums,
     * lane by lane. */
    void (*line)(const struct tet_group *groups, uint32_t count, const struct element_pass *pass,
                 double sums[LINE_TERMS][TET_LANES]);
    /* Of the factor of coarse_space.c: the product of two vectors, summed in sixteen lanes; x -= factor a. */
    double (*dot)(const double *a, const double *b, uint32_t count);
    void (*subtract_scaled)(double *x, double factor, const double *a, uint32_t count);
    /* The energies at `now`, lane by lane. */
    void (*energy)(const struct tet_group *groups, uint32_t count, const struct element_pass *pass,
                   double sums[TET_LANES]);
};

extern const struct tet_kernels tet_kernels_scalar, tet_kernels_avx2, tet_kernels_avx512;

#endif
