/* What holds hexahedra of one point; see hourglass_modes.c. Functions as those of solid_cells.h. */
#ifndef DENT_SIM_HOURGLASS_MODES_H
#define DENT_SIM_HOURGLASS_MODES_H

#include "solid_cells.h"

/* Add to out, 3 per corner. */
void hourglass_gradient(const struct solid_cells *cells, const struct solid_cell *cell, const struct element_pass *pass,
                        double *out);
void hourglass_product(const struct solid_cells *cells, const struct solid_cell *cell, const struct element_pass *pass,
                       double *out);
double hourglass_change(const struct solid_cells *cells, const struct solid_cell *cell, const struct element_pass *pass,
                        double part);
double hourglass_energy(const struct solid_cells *cells, const struct solid_cell *cell, const double *positions);
void hourglass_add_stiffness(const struct solid_cells *cells, const struct solid_cell *cell, const double *positions,
                             double rate, double *blocks);

#endif
