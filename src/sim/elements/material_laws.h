/* What a deformed point of a solid stores and resists: the laws of materials; see material_laws.c. */
#ifndef DENT_SIM_MATERIAL_LAWS_H
#define DENT_SIM_MATERIAL_LAWS_H

#include "sim/model/sim_model.h"

struct density_row;

/* The law of one material. Everything is per volume at rest. */
struct material_law {
    const struct density_row *row;
    double mu, lambda;                      /* Lame */
    double yield, hardening;                /* Pa; rows that flow */
    double fibre_stiffness, fibre_strength; /* Pa */
    double viscosity, bulk_viscosity;       /* Pa s, the share of `damping` included */
    double young, damping;                  /* of the hourglass modes of hexahedra */
};

/* What a point keeps from substep to substep, where its material flows: 10 numbers. */
struct plastic_state {
    double inverse[9]; /* of the plastic part of F */
    double strain;     /* that has flowed: sum sqrt(2/3) |change of the plastic strain| */
};

/* A point: its law and what else its energy depends on. */
struct law_point {
    const struct material_law *law;
    const double *fibre;                 /* unit vector at rest */
    double activation;                   /* 0 to 1 */
    const struct plastic_state *plastic; /* null: it does not flow */
};

struct material_law material_law_of(const dent_sim_material *material);
/* Whether the kernels of tet_kernels.h know the material: stable neo-Hookean, with damping, nothing else. */
bool material_is_plain(const dent_sim_material *material);
bool material_flows(const dent_sim_material *material);
bool material_has_fibres(const dent_sim_material *material);
/* Null: no such model. */
const char *material_model_name(uint32_t model);

/* Energy per volume at F, 0 at rest. With `start` (may be null) the dissipation of viscosity from there, times rate. */
double law_energy(const struct law_point *point, const double f[9], const double *start, double rate);
/* Its derivative by F and, where the matrix is not null, its second derivative with negative parts made positive: row by
 * row, matrix[9 * n + m] is the change of stress n with f[m]. */
void law_derivatives(const struct law_point *point, const double f[9], const double *start, double rate,
                     double stress[9], double *matrix);
/* The state after a substep that ended at F. */
void law_flow(const struct material_law *law, const double f[9], struct plastic_state *state);

#endif
