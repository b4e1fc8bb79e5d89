/* Cells of solids with laws of their own: quadratic tetrahedra, hexahedra, and linear tetrahedra of materials that the
 * kernels of tet_kernels.h do not know. Part of struct elastic_mesh. */
#ifndef DENT_SIM_SOLID_CELLS_H
#define DENT_SIM_SOLID_CELLS_H

#include "material_laws.h"

enum { CELL_MOST_CORNERS = 10, CELL_MOST_POINTS = 4, HOURGLASS_VECTORS = 7 };

struct solid_cell {
    uint32_t body, number, material; /* number: of the cell in its body */
    uint32_t corner_count, point_count;
    uint32_t first_corner;  /* in corners; its entries of a pass begin at 3 * first_corner */
    uint32_t first_point;   /* in volumes and in the matrices of a pass */
    size_t first_gradient;  /* in gradients: for each point 3 per corner; then, of hexahedra, 1 per corner for each
                               vector of hourglass_modes.c */
    uint32_t first_plastic; /* in state->plastic, or SIM_NONE */
    double fibre[3];
    double half[3]; /* of hexahedra: half lengths along their axes */
};

struct solid_cells {
    uint32_t count, corner_count, point_count, plastic_count;
    struct solid_cell *cells;
    uint32_t *corners; /* of the global array */
    double *volumes;   /* by point */
    double *gradients;
    size_t gradient_count;
    uint32_t *body_cells;       /* body_count + 1 */
    struct material_law *laws;  /* by material */
    uint32_t *starts, *entries; /* by vertex: what it gathers of a pass; components one after the other */
};

struct element_pass;

/* solid_cells_build.c. A plain cell is left to tet_elasticity.c. */
dent_status solid_cells_build(struct sim_model *model, struct solid_cells *cells);
bool solid_cell_is_plain(const struct sim_model *model, const struct sim_body *body, uint32_t number);

/* What a cell depends on beside positions: of a state, or at rest where that is null. */
struct cell_state {
    const double *activations, *plastic; /* may be null */
};
struct sim_state;
struct cell_state cell_state_of(const struct sim_state *state);

/* matrices: 81 numbers per point of the cell, times its volume; may be null; written. out: 3 per corner. */
void solid_cell_gradient(const struct solid_cells *cells, uint32_t number, const struct cell_state *state,
                         const struct element_pass *pass, double *matrices, double *out);
void solid_cell_product(const struct solid_cells *cells, uint32_t number, const struct element_pass *pass,
                        const double *matrices, double *out);
/* Energy and dissipation at now + part * direction, less those at now. */
double solid_cell_change(const struct solid_cells *cells, uint32_t number, const struct cell_state *state,
                         const struct element_pass *pass, double part);
/* What it stores, without dissipation. */
double solid_cell_energy(const struct solid_cells *cells, uint32_t number, const struct cell_state *state,
                         const double *positions);
/* Blocks between the corners, corner_count^2 of them, 9 numbers each. */
void solid_cell_stiffness(const struct solid_cells *cells, uint32_t number, const struct cell_state *state,
                          const double *positions, double rate, double *blocks);
/* The cell that a corner of the global array belongs to. */
uint32_t solid_cell_of_corner(const struct solid_cells *cells, uint32_t corner);
/* The deformation gradient in a point of the cell. */
void solid_cell_deformation(const struct solid_cells *cells, uint32_t number, uint32_t point, const double *positions,
                            double f[9]);
struct law_point solid_cell_law(const struct solid_cells *cells, uint32_t number, uint32_t point,
                                const struct cell_state *state);

#endif
