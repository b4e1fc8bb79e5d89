/* Hourglass modes of hexahedra: what the mean of the deformation gradient does not see.
 *
 * With coordinates of the cube u, v, w, the modes are q_0 of vw, q_1 of uw, q_2 of uv, and q_3 of uvw; q_m = sum
 * shape_m x. With d_i the image of the axis i of the cell, D_im = d_i . q_m are strains that grow linearly over the
 * cell, the same however it is turned. Of these, normal strains D_ij / a_i (i, j different, a the half lengths) are
 * coupled as in a plate bent in two directions, without stress across it; so a box bends exactly, its sides curving as
 * they should. Shear D_jj / a_i + D_ii / a_j is that of torsion. The shear that comes with bending is left out: it is
 * what locks. Plain springs, of 1/500 of bending, and of q_3, hold it together: they act also when the cell is
 * crushed. */
#include "tet_kernels.h"
#include "hourglass_modes.h"

#include <string.h>

enum { AXES = 3, MODES = 4, VECTORS = AXES + MODES }; /* d_0 .. d_2, q_0 .. q_3 */

static const double *shape_of(const struct solid_cells *cells, const struct solid_cell *cell, int vector)
{
    return cells->gradients + cell->first_gradient +
           (size_t)(3 * cell->point_count + (uint32_t)vector) * cell->corner_count;
}

static void vectors_of(const struct solid_cells *cells, const struct solid_cell *cell, const double *positions,
                       double vectors[VECTORS][3])
{
    memset(vectors, 0, VECTORS * 3 * sizeof(double));
    for (int n = 0; n < VECTORS; n++) {
        const double *shape = shape_of(cells, cell, n);
        for (uint32_t k = 0; k < cell->corner_count; k++) {
            sim_add_scaled(vectors[n], shape[k], positions + 3 * (size_t)cells->corners[cell->first_corner + k]);
        }
    }
}

static void strains_of(double vectors[VECTORS][3], double strains[9])
{
    for (int n = 0; n < 9; n++) {
        strains[n] = sim_dot(vectors[n / 3], vectors[AXES + n % 3]);
    }
}

/* stress = M strain */
static void stress_of(const struct solid_cells *cells, const struct solid_cell *cell, const double strain[9],
                      double stress[9])
{
    const struct material_law *law = &cells->laws[cell->material];
    double part = cells->volumes[cell->first_point] / 3, poisson = law->lambda / (2 * (law->lambda + law->mu));
    double plate = part * law->young / (1 - poisson * poisson), shear = part * law->mu;
    memset(stress, 0, 9 * sizeof *stress);
    for (int n = 0; n < 3; n++) {
        int i = (n + 1) % 3, j = (n + 2) % 3, ij = 3 * i + j, ji = 3 * j + i;
        double a = cell->half[i], b = cell->half[j];
        stress[ij] += plate * (strain[ij] / (a * a) + poisson * strain[ji] / (a * b));
        stress[ji] += plate * (strain[ji] / (b * b) + poisson * strain[ij] / (a * b));
        stress[4 * i] += shear * (strain[4 * i] / (b * b) + strain[4 * j] / (a * b));
        stress[4 * j] += shear * (strain[4 * j] / (a * a) + strain[4 * i] / (a * b));
    }
}

/* Stiffness of the plain springs. */
static double spring_of(const struct solid_cells *cells, const struct solid_cell *cell, int mode)
{
    double longest = 0, part = cells->volumes[cell->first_point] / 3 * cells->laws[cell->material].young;
    for (int n = 0; n < 3; n++) {
        longest = cell->half[n] > longest ? cell->half[n] : longest;
    }
    return part / (longest * longest) * (mode < 3 ? 1.0 / 500 : 1.0 / 3);
}

static double damping_of(const struct solid_cells *cells, const struct solid_cell *cell, double rate)
{
    return cells->laws[cell->material].damping * rate;
}

/* out_k += sum over vectors of shape_k pull */
static void add_pulls(const struct solid_cells *cells, const struct solid_cell *cell, double pulls[VECTORS][3],
                      double *out)
{
    for (int n = 0; n < VECTORS; n++) {
        const double *shape = shape_of(cells, cell, n);
        for (uint32_t k = 0; k < cell->corner_count; k++) {
            sim_add_scaled(out + 3 * (size_t)k, shape[k], pulls[n]);
        }
    }
}

/* What a stress pulls at the vectors. */
static void pull(double vectors[VECTORS][3], const double stress[9], double pulls[VECTORS][3])
{
    for (int n = 0; n < 9; n++) {
        sim_add_scaled(pulls[n / 3], stress[n], vectors[AXES + n % 3]);
        sim_add_scaled(pulls[AXES + n % 3], stress[n], vectors[n / 3]);
    }
}

void hourglass_gradient(const struct solid_cells *cells, const struct solid_cell *cell, const struct element_pass *pass,
                        double *out)
{
    double vectors[VECTORS][3], before[VECTORS][3], strain[9], from[9], pulls[VECTORS][3] = {{0}}, stress[9];
    double viscous = damping_of(cells, cell, pass->rate);
    vectors_of(cells, cell, pass->now, vectors);
    strains_of(vectors, strain);
    if (viscous > 0) {
        vectors_of(cells, cell, pass->start, before);
        strains_of(before, from);
        for (int n = 0; n < 9; n++) {
            strain[n] += viscous * (strain[n] - from[n]);
        }
    }
    stress_of(cells, cell, strain, stress);
    pull(vectors, stress, pulls);
    for (int m = 0; m < MODES; m++) {
        double spring = spring_of(cells, cell, m);
        sim_add_scaled(pulls[AXES + m], spring * (1 + viscous), vectors[AXES + m]);
        if (viscous > 0) {
            sim_add_scaled(pulls[AXES + m], -spring * viscous, before[AXES + m]);
        }
    }
    add_pulls(cells, cell, pulls, out);
}

/* Without the part that stress alone makes: so it is positive. */
void hourglass_product(const struct solid_cells *cells, const struct solid_cell *cell, const struct element_pass *pass,
                       double *out)
{
    double vectors[VECTORS][3], moved[VECTORS][3], change[9], stress[9], pulls[VECTORS][3] = {{0}};
    double factor = 1 + damping_of(cells, cell, pass->rate);
    vectors_of(cells, cell, pass->now, vectors);
    vectors_of(cells, cell, pass->direction, moved);
    for (int n = 0; n < 9; n++) {
        change[n] =
            factor * (sim_dot(moved[n / 3], vectors[AXES + n % 3]) + sim_dot(vectors[n / 3], moved[AXES + n % 3]));
    }
    stress_of(cells, cell, change, stress);
    pull(vectors, stress, pulls);
    for (int m = 0; m < MODES; m++) {
        sim_add_scaled(pulls[AXES + m], factor * spring_of(cells, cell, m), moved[AXES + m]);
    }
    add_pulls(cells, cell, pulls, out);
}

/* Half the product of two strains and M: the energy of one. */
static double strain_energy(const struct solid_cells *cells, const struct solid_cell *cell, const double a[9],
                            const double b[9])
{
    double stress[9], sum = 0;
    stress_of(cells, cell, a, stress);
    for (int n = 0; n < 9; n++) {
        sum += 0.5 * stress[n] * b[n];
    }
    return sum;
}

/* Of strains and modes `from` and a change: E(from + change) - E(from) without taking energies from one another. */
static double energy_change(const struct solid_cells *cells, const struct solid_cell *cell, const double from[9],
                            const double change[9], double modes[MODES][3], double moved[VECTORS][3])
{
    double twice[9], sum = 0;
    for (int n = 0; n < 9; n++) {
        twice[n] = 2 * from[n] + change[n];
    }
    for (int m = 0; m < MODES; m++) {
        sum += spring_of(cells, cell, m) *
               (sim_dot(modes[m], moved[AXES + m]) + 0.5 * sim_dot(moved[AXES + m], moved[AXES + m]));
    }
    return sum + strain_energy(cells, cell, change, twice);
}

double hourglass_change(const struct solid_cells *cells, const struct solid_cell *cell, const struct element_pass *pass,
                        double part)
{
    double now[VECTORS][3], moved[VECTORS][3], before[VECTORS][3], strain[9], change[9], from[9];
    double viscous = damping_of(cells, cell, pass->rate);
    vectors_of(cells, cell, pass->now, now);
    vectors_of(cells, cell, pass->direction, moved);
    strains_of(now, strain);
    for (int n = 0; n < 3 * VECTORS; n++) {
        moved[n / 3][n % 3] *= part;
    }
    for (int n = 0; n < 9; n++) {
        const double *d = now[n / 3], *q = now[AXES + n % 3], *to_d = moved[n / 3], *to_q = moved[AXES + n % 3];
        change[n] = sim_dot(to_d, q) + sim_dot(d, to_q) + sim_dot(to_d, to_q);
    }
    double sum = energy_change(cells, cell, strain, change, now + AXES, moved);
    if (viscous > 0) {
        vectors_of(cells, cell, pass->start, before);
        strains_of(before, from);
        for (int n = 0; n < 9; n++) {
            strain[n] -= from[n];
        }
        for (int n = 3 * AXES; n < 3 * VECTORS; n++) {
            now[n / 3][n % 3] -= before[n / 3][n % 3];
        }
        sum += viscous * energy_change(cells, cell, strain, change, now + AXES, moved);
    }
    return sum;
}

double hourglass_energy(const struct solid_cells *cells, const struct solid_cell *cell, const double *positions)
{
    double vectors[VECTORS][3], strain[9], sum = 0;
    vectors_of(cells, cell, positions, vectors);
    strains_of(vectors, strain);
    for (int m = 0; m < MODES; m++) {
        sum += 0.5 * spring_of(cells, cell, m) * sim_dot(vectors[AXES + m], vectors[AXES + m]);
    }
    return sum + strain_energy(cells, cell, strain, strain);
}

void hourglass_add_stiffness(const struct solid_cells *cells, const struct solid_cell *cell, const double *positions,
                             double rate, double *blocks)
{
    double vectors[VECTORS][3], rows[24][9], images[24][9], factor = 1 + damping_of(cells, cell, rate);
    uint32_t count = cell->corner_count;
    vectors_of(cells, cell, positions, vectors);
    for (uint32_t c = 0; c < 3 * count; c++) { /* the strains of moving corner c / 3 along axis c % 3 */
        for (int n = 0; n < 9; n++) {
            rows[c][n] = shape_of(cells, cell, n / 3)[c / 3] * vectors[AXES + n % 3][c % 3] +
                         shape_of(cells, cell, AXES + n % 3)[c / 3] * vectors[n / 3][c % 3];
        }
        stress_of(cells, cell, rows[c], images[c]);
    }
    for (uint32_t a = 0; a < 3 * count; a++) {
        for (uint32_t b = 0; b < 3 * count; b++) {
            double sum = 0;
            for (int n = 0; n < 9; n++) {
                sum += rows[a][n] * images[b][n];
            }
            for (int m = 0; m < MODES && a % 3 == b % 3; m++) {
                sum += spring_of(cells, cell, m) * shape_of(cells, cell, AXES + m)[a / 3] *
                       shape_of(cells, cell, AXES + m)[b / 3];
            }
            blocks[9 * (size_t)(count * (a / 3) + b / 3) + 3 * (a % 3) + b % 3] += factor * sum;
        }
    }
}
