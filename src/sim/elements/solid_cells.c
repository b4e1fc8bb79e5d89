/* Passes over cells with laws of their own. In each of its points a cell has F = sum x_k g_k^T over its corners, with
 * gradients g made at rest (solid_cells_build.c), and a law (material_laws.c) turns F into energy, stress and matrix.
 *
 * Hexahedra have one point. What it does not see is held by hourglass_modes.c. */
#include "elastic_mesh.h"
#include "tet_kernels.h"
#include "hourglass_modes.h"

#include "sim/model/sim_state.h"

#include <math.h>
#include <string.h>

#define SMALL_CHANGE 1e-3 /* of F: Simpson's rule errs by its fourth power */

struct cell_state cell_state_of(const struct sim_state *state)
{
    return state ? (struct cell_state){state->activations, state->plastic} : (struct cell_state){NULL, NULL};
}

struct law_point solid_cell_law(const struct solid_cells *cells, uint32_t number, uint32_t point,
                                const struct cell_state *state)
{
    const struct solid_cell *cell = &cells->cells[number];
    struct law_point law = {.law = &cells->laws[cell->material], .fibre = cell->fibre};
    bool has_fibres = law.law->fibre_stiffness > 0 || law.law->fibre_strength > 0;
    law.activation = has_fibres && state->activations ? state->activations[cell->material] : 0;
    if (cell->first_plastic != SIM_NONE) {
        static const struct plastic_state rest = {{1, 0, 0, 0, 1, 0, 0, 0, 1}, 0};
        law.plastic = state->plastic
                          ? (const struct plastic_state *)(state->plastic + 10 * ((size_t)cell->first_plastic + point))
                          : &rest;
    }
    return law;
}

/* sum x_k g_k^T over the corners */
static void point_gradient(const struct solid_cells *cells, const struct solid_cell *cell, uint32_t point,
                           const double *positions, double f[9])
{
    const uint32_t *corners = cells->corners + cell->first_corner;
    const double *gradients = cells->gradients + cell->first_gradient + 3 * (size_t)point * cell->corner_count;
    memset(f, 0, 9 * sizeof *f);
    for (uint32_t k = 0; k < cell->corner_count; k++) {
        const double *x = positions + 3 * (size_t)corners[k], *g = gradients + 3 * (size_t)k;
        for (int n = 0; n < 9; n++) {
            f[n] += x[n / 3] * g[n % 3];
        }
    }
}

void solid_cell_deformation(const struct solid_cells *cells, uint32_t number, uint32_t point, const double *positions,
                            double f[9])
{
    point_gradient(cells, &cells->cells[number], point, positions, f);
}

/* out_k += stress g_k */
static void add_forces(const struct solid_cells *cells, const struct solid_cell *cell, uint32_t point,
                       const double stress[9], double factor, double *out)
{
    const double *gradients = cells->gradients + cell->first_gradient + 3 * (size_t)point * cell->corner_count;
    for (uint32_t k = 0; k < cell->corner_count; k++) {
        for (uint32_t i = 0; i < 3; i++) {
            out[3 * k + i] += factor * sim_dot(stress + 3 * i, gradients + 3 * (size_t)k);
        }
    }
}

/* ---- gradient and product ---------------------------------------------------------------------------------------- */

/* F at the beginning of the substep, or null where it does not matter. */
static const double *start_of(const struct solid_cells *cells, const struct solid_cell *cell, uint32_t point,
                              const double *start, double rate, double f[9])
{
    const struct material_law *law = &cells->laws[cell->material];
    if (!start || !(rate > 0) || !(law->viscosity > 0 || law->bulk_viscosity > 0)) {
        return NULL;
    }
    point_gradient(cells, cell, point, start, f);
    return f;
}

void solid_cell_gradient(const struct solid_cells *cells, uint32_t number, const struct cell_state *state,
                         const struct element_pass *pass, double *matrices, double *out)
{
    const struct solid_cell *cell = &cells->cells[number];
    memset(out, 0, 3 * (size_t)cell->corner_count * sizeof *out);
    for (uint32_t p = 0; p < cell->point_count; p++) {
        double f[9], before[9], stress[9], volume = cells->volumes[cell->first_point + p];
        struct law_point law = solid_cell_law(cells, number, p, state);
        point_gradient(cells, cell, p, pass->now, f);
        const double *start = start_of(cells, cell, p, pass->start, pass->rate, before);
        double *matrix = matrices ? matrices + 81 * (size_t)p : NULL;
        law_derivatives(&law, f, start, pass->rate, stress, matrix);
        add_forces(cells, cell, p, stress, volume, out);
        for (int n = 0; matrix && n < 81; n++) {
            matrix[n] *= volume;
        }
    }
    if (cell->corner_count == 8) {
        hourglass_gradient(cells, cell, pass, out);
    }
}

void solid_cell_product(const struct solid_cells *cells, uint32_t number, const struct element_pass *pass,
                        const double *matrices, double *out)
{
    const struct solid_cell *cell = &cells->cells[number];
    memset(out, 0, 3 * (size_t)cell->corner_count * sizeof *out);
    for (uint32_t p = 0; p < cell->point_count; p++) {
        const double *matrix = matrices + 81 * (size_t)p;
        double change[9], stress[9];
        point_gradient(cells, cell, p, pass->direction, change);
        for (int n = 0; n < 9; n++) {
            stress[n] = 0;
            for (int m = 0; m < 9; m++) {
                stress[n] += matrix[9 * n + m] * change[m];
            }
        }
        add_forces(cells, cell, p, stress, 1, out);
    }
    if (cell->corner_count == 8) {
        hourglass_product(cells, cell, pass, out);
    }
}

/* ---- energies ---------------------------------------------------------------------------------------------------- */

/* The change of energy per volume from F to F + d. Small ones are the work of the stress on the way (Simpson's rule),
 * which keeps the digits that a difference of energies loses. */
static double energy_change(const struct law_point *law, const double f[9], const double d[9], const double *start,
                            double rate)
{
    double at[9], stress[9], size = 0, sum = 0;
    for (int n = 0; n < 9; n++) {
        size = fabs(d[n]) > size ? fabs(d[n]) : size;
        at[n] = f[n] + d[n];
    }
    if (!(size < SMALL_CHANGE)) {
        return law_energy(law, at, start, rate) - law_energy(law, f, start, rate);
    }
    for (int step = 0; step < 3; step++) {
        for (int n = 0; n < 9; n++) {
            at[n] = f[n] + 0.5 * step * d[n];
        }
        law_derivatives(law, at, start, rate, stress, NULL);
        for (int n = 0; n < 9; n++) {
            sum += (step == 1 ? 4.0 / 6 : 1.0 / 6) * stress[n] * d[n];
        }
    }
    return sum;
}

double solid_cell_change(const struct solid_cells *cells, uint32_t number, const struct cell_state *state,
                         const struct element_pass *pass, double part)
{
    const struct solid_cell *cell = &cells->cells[number];
    double sum = cell->corner_count == 8 ? hourglass_change(cells, cell, pass, part) : 0;
    for (uint32_t p = 0; p < cell->point_count; p++) {
        double f[9], d[9], before[9];
        struct law_point law = solid_cell_law(cells, number, p, state);
        point_gradient(cells, cell, p, pass->now, f);
        point_gradient(cells, cell, p, pass->direction, d);
        const double *start = start_of(cells, cell, p, pass->start, pass->rate, before);
        for (int n = 0; n < 9; n++) {
            d[n] *= part;
        }
        sum += cells->volumes[cell->first_point + p] * energy_change(&law, f, d, start, pass->rate);
    }
    return sum;
}

double solid_cell_energy(const struct solid_cells *cells, uint32_t number, const struct cell_state *state,
                         const double *positions)
{
    const struct solid_cell *cell = &cells->cells[number];
    double sum = 0, f[9];
    for (uint32_t p = 0; p < cell->point_count; p++) {
        struct law_point law = solid_cell_law(cells, number, p, state);
        point_gradient(cells, cell, p, positions, f);
        sum += cells->volumes[cell->first_point + p] * law_energy(&law, f, NULL, 0);
    }
    return sum + (cell->corner_count == 8 ? hourglass_energy(cells, cell, positions) : 0);
}

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

/* block += a^T-like contraction of the matrix with the gradients of two corners */
static void add_block(const double matrix[81], const double *left, const double *right, double block[9])
{
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            double sum = 0;
            for (int j = 0; j < 3; j++) {
                sum += left[j] * sim_dot(matrix + 9 * (3 * i + j) + 3 * k, right);
            }
            block[3 * i + k] += sum;
        }
    }
}

void solid_cell_stiffness(const struct solid_cells *cells, uint32_t number, const struct cell_state *state,
                          const double *positions, double rate, double *blocks)
{
    const struct solid_cell *cell = &cells->cells[number];
    uint32_t count = cell->corner_count;
    double matrices[81 * CELL_MOST_POINTS], out[3 * CELL_MOST_CORNERS];
    struct element_pass pass = {.now = positions, .start = positions, .rate = rate};
    memset(blocks, 0, 9 * (size_t)count * count * sizeof *blocks);
    solid_cell_gradient(cells, number, state, &pass, matrices, out);
    for (uint32_t p = 0; p < cell->point_count; p++) {
        const double *gradients = cells->gradients + cell->first_gradient + 3 * (size_t)p * count;
        for (uint32_t n = 0; n < count * count; n++) {
            add_block(matrices + 81 * (size_t)p, gradients + 3 * (size_t)(n / count),
                      gradients + 3 * (size_t)(n % count), blocks + 9 * (size_t)n);
        }
    }
    if (count == 8) {
        hourglass_add_stiffness(cells, cell, positions, rate, blocks);
    }
}

/* By bisection: cells are in the order of their corners. */
uint32_t solid_cell_of_corner(const struct solid_cells *cells, uint32_t corner)
{
    uint32_t low = 0, high = cells->count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        bool before = cells->cells[middle].first_corner <= corner;
        low = before ? middle : low;
        high = before ? high : middle;
    }
    return low;
}
