/* The laws of materials: energies per volume as functions of the deformation gradient F.
 *
 * A law is a row of the table `rows`, isotropic and written in the singular values s of F (of the elastic part F G^-1
 * where the material flows), plus fibres, plus viscosity:
 *
 *     energy = row(s) + k/2 (l - 1)^2 + activation T (l - 1) + rate (eta |D|^2 + zeta/2 (tr D)^2)
 *
 * l = |F a| is the stretch of a fibre along a; D = (F^T F - F0^T F0) / 2 the change of Green's strain since the
 * beginning of the substep, so that turning costs nothing. All of it is bounded below and finite for every F.
 *
 * Matrices without singular values of 9x9: of an energy of s the eigenvalues are known (Smith, de Goes, Kim 2019):
 * those of the 3x3 matrix d2/ds2, and for each pair (e_i + e_j) / (s_i + s_j) and (e_i - e_j) / (s_i - s_j), e = d/ds.
 * Negative ones lose
 * their sign and are at most a hundredth of mu: a matrix of nothing would let steps go anywhere. */
#include "material_laws.h"
#include "small_matrices.h"

#include <math.h>
#include <string.h>

#define NEGATIVE_FLOOR 0.01

/* ---- rows -------------------------------------------------------------------------------------------------------- */

/* Energy, its slopes and its curvatures (3x3, by rows) at the values s; those may be null. `strain`: that has flowed. */
typedef double density_function(const struct material_law *law, double strain, const double s[3], double *slopes,
                                double *curvatures);

struct density_row {
    const char *name;
    density_function *density;
    bool flows;
    /* The same without singular values, where that is possible; null otherwise. Derivatives are added, of the matrix the
     * lower half. */
    double (*energy)(const struct material_law *law, const double f[9]);
    void (*derivatives)(const struct material_law *law, const double f[9], double stress[9], double *matrix);
};

/* mu/2 (|F|^2 - 3) + lambda'/2 ((J - gamma)^2 - (1 - gamma)^2), as tet_elasticity.c. */
static double neo_hookean(const struct material_law *law, double strain, const double s[3], double *slopes,
                          double *curvatures)
{
    (void)strain;
    double mu = law->mu, stiff = law->lambda + mu, gamma = 1 + mu / stiff, j = s[0] * s[1] * s[2];
    double areas[3] = {s[1] * s[2], s[0] * s[2], s[0] * s[1]}, pressure = stiff * (j - gamma);
    for (int n = 0; slopes && n < 3; n++) {
        slopes[n] = mu * s[n] + pressure * areas[n];
    }
    for (int n = 0; curvatures && n < 9; n++) {
        int a = n / 3, b = n % 3;
        curvatures[n] = stiff * areas[a] * areas[b] + (a == b ? mu : pressure * s[3 - a - b]);
    }
    return 0.5 * mu * (s[0] * s[0] + s[1] * s[1] + s[2] * s[2] - 3) + 0.5 * stiff * (j - 1) * (j + 1 - 2 * gamma);
}

static double neo_hookean_energy(const struct material_law *law, const double f[9])
{
    double stiff = law->lambda + law->mu, gamma = 1 + law->mu / stiff, j = matrix_determinant(f), square = 0;
    for (int n = 0; n < 9; n++) {
        square += f[n] * f[n];
    }
    return 0.5 * law->mu * (square - 3) + 0.5 * stiff * (j - 1) * (j + 1 - 2 * gamma);
}

/* The matrix as in tet_kernels_lanes.h: mu I + lambda' cof cof^T + kappa d2J, kappa limited to mu / s. */
static void neo_hookean_derivatives(const struct material_law *law, const double f[9], double stress[9], double *matrix)
{
    double cofactors[9], stiff = law->lambda + law->mu, gamma = 1 + law->mu / stiff, bound = 1e-280;
    matrix_cofactors(f, cofactors);
    double pressure = stiff * (f[0] * cofactors[0] + f[1] * cofactors[1] + f[2] * cofactors[2] - gamma);
    for (int n = 0; n < 9; n++) {
        stress[n] += law->mu * f[n] + pressure * cofactors[n];
    }
    for (int i = 0; matrix && i < 3; i++) {
        double sum = 0;
        for (int j = 0; j < 3; j++) {
            sum += fabs(f[i] * f[j] + f[3 + i] * f[3 + j] + f[6 + i] * f[6 + j]);
        }
        bound = fmax(bound, sum);
    }
    double most = law->mu / sqrt(bound), kappa = fmax(fmin(pressure, most), -most);
    for (int n = 0; matrix && n < 9; n++) {
        int i = n / 3, j = n % 3;
        matrix[10 * n] += law->mu;
        for (int m = 0; m <= n; m++) {
            int k = m / 3, l = m % 3;
            bool even = (k - i + 3) % 3 == (l - j + 3) % 3;
            double crossed = i != k && j != l ? f[3 * (3 - i - k) + 3 - j - l] : 0;
            matrix[9 * n + m] += stiff * cofactors[n] * cofactors[m] + kappa * (even ? crossed : -crossed);
        }
    }
}

/* mu sum (s - 1)^2 + lambda/2 (sum s - 3)^2: Hooke's law of what is left when the rotation is taken out. */
static double corotated(const struct material_law *law, double strain, const double s[3], double *slopes,
                        double *curvatures)
{
    (void)strain;
    double e[3] = {s[0] - 1, s[1] - 1, s[2] - 1}, trace = e[0] + e[1] + e[2];
    for (int n = 0; slopes && n < 3; n++) {
        slopes[n] = 2 * law->mu * e[n] + law->lambda * trace;
    }
    for (int n = 0; curvatures && n < 9; n++) {
        curvatures[n] = law->lambda + (n % 4 == 0 ? 2 * law->mu : 0);
    }
    return law->mu * (e[0] * e[0] + e[1] * e[1] + e[2] * e[2]) + 0.5 * law->lambda * trace * trace;
}

/* Hooke's law of Green's strain (s^2 - 1) / 2. */
static double st_venant_kirchhoff(const struct material_law *law, double strain, const double s[3], double *slopes,
                                  double *curvatures)
{
    (void)strain;
    double e[3], stress[3], trace = 0, energy = 0;
    for (int n = 0; n < 3; n++) {
        e[n] = 0.5 * (s[n] - 1) * (s[n] + 1);
        trace += e[n];
    }
    for (int n = 0; n < 3; n++) {
        stress[n] = 2 * law->mu * e[n] + law->lambda * trace;
        energy += 0.5 * stress[n] * e[n];
    }
    for (int n = 0; slopes && n < 3; n++) {
        slopes[n] = stress[n] * s[n];
    }
    for (int n = 0; curvatures && n < 9; n++) {
        int a = n / 3, b = n % 3;
        curvatures[n] = law->lambda * s[a] * s[b] + (a == b ? stress[a] + 2 * law->mu * s[a] * s[a] : 0);
    }
    return energy;
}

/* What of the length d of the deviator flows at once. */
static double flow_of(const struct material_law *law, double strain, double d)
{
    double most = sqrt(2.0 / 3) * (law->yield + law->hardening * strain), trial = 2 * law->mu * d;
    return trial > most ? (trial - most) / (2 * law->mu + 2.0 / 3 * law->hardening) : 0;
}

/* Corotated until the stress of von Mises reaches yield + hardening * strain; beyond, the least sum of what is stored
 * and what flowing costs (return along the radius as a minimum: Ortiz and Stainier 1999). */
static double plastic(const struct material_law *law, double strain, const double s[3], double *slopes,
                      double *curvatures)
{
    double e[3] = {s[0] - 1, s[1] - 1, s[2] - 1}, trace = e[0] + e[1] + e[2], bulk = law->lambda + 2.0 / 3 * law->mu;
    double dev[3] = {e[0] - trace / 3, e[1] - trace / 3, e[2] - trace / 3};
    double d = sqrt(dev[0] * dev[0] + dev[1] * dev[1] + dev[2] * dev[2]), flow = flow_of(law, strain, d);
    double along =
        flow > 0 ? 2 * law->mu * (2.0 / 3 * law->hardening) / (2 * law->mu + 2.0 / 3 * law->hardening) : 2 * law->mu;
    double across = d > 0 ? 2 * law->mu * (d - flow) / d : 2 * law->mu;
    for (int n = 0; slopes && n < 3; n++) {
        slopes[n] = bulk * trace + across * dev[n];
    }
    for (int n = 0; curvatures && n < 9; n++) {
        int a = n / 3, b = n % 3;
        double both = d > 0 ? dev[a] * dev[b] / (d * d) : 0;
        curvatures[n] = bulk + across * ((a == b ? 1 : 0) - 1.0 / 3 - both) + along * both;
    }
    double begin = sqrt(2.0 / 3) * (law->yield + law->hardening * strain);
    return 0.5 * bulk * trace * trace + law->mu * (d - flow) * (d - flow) + begin * flow +
           law->hardening / 3 * flow * flow;
}

/* In the order of dent_sim_model. */
static const struct density_row rows[] = {
    {"neo-hookean", neo_hookean, false, neo_hookean_energy, neo_hookean_derivatives},
    {"corotated", corotated, false, NULL, NULL},
    {"st-venant-kirchhoff", st_venant_kirchhoff, false, NULL, NULL},
    {"plastic", plastic, true, NULL, NULL},
};

enum { ROW_COUNT = sizeof rows / sizeof rows[0] };

const char *material_model_name(uint32_t model)
{
    return model < ROW_COUNT ? rows[model].name : NULL;
}

bool material_has_fibres(const dent_sim_material *material)
{
    return material->fibre_stiffness > 0 || material->fibre_strength > 0;
}

bool material_is_plain(const dent_sim_material *material)
{
    return material->model == DENT_SIM_NEO_HOOKEAN && !material_has_fibres(material) && material->viscosity == 0 &&
           material->bulk_viscosity == 0;
}

bool material_flows(const dent_sim_material *material)
{
    return rows[material->model].flows;
}

struct material_law material_law_of(const dent_sim_material *material)
{
    double mu = material->young / (2 * (1 + material->poisson));
    double lambda = material->young * material->poisson / ((1 + material->poisson) * (1 - 2 * material->poisson));
    return (struct material_law){.row = &rows[material->model],
                                 .mu = mu,
                                 .lambda = lambda,
                                 .yield = material->yield_stress,
                                 .hardening = material->hardening,
                                 .fibre_stiffness = material->fibre_stiffness,
                                 .fibre_strength = material->fibre_strength,
                                 .viscosity = material->viscosity + material->damping * mu,
                                 .bulk_viscosity = material->bulk_viscosity + material->damping * lambda,
                                 .young = material->young,
                                 .damping = material->damping};
}

/* ---- the row as a function of F ---------------------------------------------------------------------------------- */

static void elastic_part(const struct law_point *point, const double f[9], double elastic[9])
{
    if (point->plastic) {
        matrix_times(f, point->plastic->inverse, elastic);
    } else {
        memcpy(elastic, f, 9 * sizeof *elastic);
    }
}

static double row_energy(const struct law_point *point, const double f[9], double *slopes, double *curvatures,
                         struct singular_form *form)
{
    double elastic[9];
    elastic_part(point, f, elastic);
    singular_form_of(elastic, form);
    return point->law->row->density(point->law, point->plastic ? point->plastic->strain : 0, form->values, slopes,
                                    curvatures);
}

/* The eigenvalues of the two matrices of each pair. Negative ones lose their sign and are at most `floor`; none is so
 * large that it says nothing. */
static void pair_values(const double s[3], const double slopes[3], const double curvatures[9], double floor,
                        double twists[3], double flips[3])
{
    double size = fabs(s[0]) > 1 ? fabs(s[0]) : 1, most = 0;
    for (int n = 0; n < 9; n++) {
        most = fabs(curvatures[n]) > most ? fabs(curvatures[n]) : most;
    }
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        double sum = s[i] + s[j], difference = s[i] - s[j], limit = 10 * most;
        double twist = fabs(sum) > 1e-9 * size ? (slopes[i] + slopes[j]) / sum : limit;
        double flip = fabs(difference) > 1e-6 * size
                          ? (slopes[i] - slopes[j]) / difference
                          : 0.5 * (curvatures[4 * i] + curvatures[4 * j]) - curvatures[3 * i + j];
        twists[k] = twist >= 0 ? fmin(twist, limit) : fmin(-twist, floor);
        flips[k] = flip >= 0 ? fmin(flip, limit) : fmin(-flip, floor);
    }
}

/* matrix += value z z^T, the lower half only. */
static void add_square(double matrix[81], double value, const double z[9])
{
    for (int n = 0; n < 9; n++) {
        double factor = value * z[n];
        for (int m = 0; m <= n; m++) {
            matrix[9 * n + m] += factor * z[m];
        }
    }
}

/* The matrix as a sum of nine squares: with w_ij = u_i v_j^T, the 3x3 matrix in the w_ii, and for each pair the even and
 * the odd half of w_ij and w_ji. */
static void add_row_matrix(const double u[9], const double v[9], const double s[3], const double slopes[3],
                           const double curvatures[9], double floor, double matrix[81])
{
    double twists[3], flips[3], values[3], vectors[9], z[9], odd[9];
    pair_values(s, slopes, curvatures, floor, twists, flips);
    symmetric_eigen(curvatures, values, vectors);
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        for (int n = 0; n < 9; n++) {
            const double *a = u + 3 * (n / 3), *b = v + 3 * (n % 3);
            z[n] = vectors[3 * k] * a[0] * b[0] + vectors[3 * k + 1] * a[1] * b[1] + vectors[3 * k + 2] * a[2] * b[2];
        }
        add_square(matrix, values[k] >= 0 ? values[k] : fmin(-values[k], floor), z);
        for (int n = 0; n < 9; n++) {
            const double *a = u + 3 * (n / 3), *b = v + 3 * (n % 3);
            z[n] = a[i] * b[j] + a[j] * b[i];
            odd[n] = a[i] * b[j] - a[j] * b[i];
        }
        add_square(matrix, 0.5 * flips[k], z);
        add_square(matrix, 0.5 * twists[k], odd);
    }
}

/* Stress, and the lower half of the matrix where that is not null. */
static void add_row(const struct law_point *point, const double f[9], double stress[9], double *matrix)
{
    struct singular_form form;
    double slopes[3], curvatures[9], turned[9];
    row_energy(point, f, slopes, matrix ? curvatures : NULL, &form);
    if (point->plastic) { /* F G^-1 changes with F by G^-1: all of it goes into v */
        matrix_times(point->plastic->inverse, form.v, turned);
        memcpy(form.v, turned, sizeof turned);
    }
    for (int n = 0; n < 9; n++) {
        const double *a = form.u + 3 * (n / 3), *b = form.v + 3 * (n % 3);
        stress[n] += slopes[0] * a[0] * b[0] + slopes[1] * a[1] * b[1] + slopes[2] * a[2] * b[2];
    }
    if (matrix) {
        add_row_matrix(form.u, form.v, form.values, slopes, curvatures, NEGATIVE_FLOOR * point->law->mu, matrix);
    }
}

/* ---- fibres ------------------------------------------------------------------------------------------------------ */

/* The image of a fibre and its length; returns its tension. */
static double fibre_tension(const struct law_point *point, const double f[9], double image[3], double *length)
{
    for (int i = 0; i < 3; i++) {
        image[i] = sim_dot(f + 3 * i, point->fibre);
    }
    *length = sqrt(sim_dot(image, image));
    return point->law->fibre_stiffness * (*length - 1) + point->activation * point->law->fibre_strength;
}

static bool has_fibres(const struct law_point *point)
{
    return point->fibre && (point->law->fibre_stiffness > 0 || point->law->fibre_strength > 0);
}

static double fibre_energy(const struct law_point *point, const double f[9])
{
    double image[3], length;
    fibre_tension(point, f, image, &length);
    return (0.5 * point->law->fibre_stiffness * (length - 1) + point->activation * point->law->fibre_strength) *
           (length - 1);
}

static void add_fibre(const struct law_point *point, const double f[9], double stress[9], double *matrix)
{
    double image[3], length, tension = fibre_tension(point, f, image, &length);
    if (!(length > 1e-100)) {
        return;
    }
    for (int n = 0; n < 9; n++) {
        stress[n] += tension * image[n / 3] / length * point->fibre[n % 3];
    }
    double limit = 10 * (point->law->fibre_stiffness + point->law->fibre_strength);
    double along = point->law->fibre_stiffness, across = tension > 0 ? fmin(tension / length, limit) : 0;
    for (int n = 0; matrix && n < 9; n++) {
        for (int m = 0; m <= n; m++) {
            double both = image[n / 3] * image[m / 3] / (length * length);
            double block = along * both + across * ((n / 3 == m / 3 ? 1 : 0) - both);
            matrix[9 * n + m] += block * point->fibre[n % 3] * point->fibre[m % 3];
        }
    }
}

/* ---- viscosity --------------------------------------------------------------------------------------------------- */

static bool is_viscous(const struct law_point *point, const double *start, double rate)
{
    return start && rate > 0 && (point->law->viscosity > 0 || point->law->bulk_viscosity > 0);
}

/* Stress in the frame at rest (second of Piola and Kirchhoff); returns the dissipation. */
static double viscous_stress(const struct law_point *point, const double f[9], const double *start, double rate,
                             double stress[9])
{
    double now[9], before[9], change[9], sum = 0;
    matrix_transposed_times(f, f, now);
    matrix_transposed_times(start, start, before);
    for (int n = 0; n < 9; n++) {
        change[n] = 0.5 * (now[n] - before[n]);
        sum += change[n] * change[n];
    }
    double trace = change[0] + change[4] + change[8];
    for (int n = 0; n < 9; n++) {
        stress[n] =
            rate * (2 * point->law->viscosity * change[n] + (n % 4 == 0 ? point->law->bulk_viscosity * trace : 0));
    }
    return rate * (point->law->viscosity * sum + 0.5 * point->law->bulk_viscosity * trace * trace);
}

static void add_viscosity(const struct law_point *point, const double f[9], const double *start, double rate,
                          double stress[9], double *matrix)
{
    double inner[9], squares[9], out[9];
    double shear = rate * point->law->viscosity, bulk = rate * point->law->bulk_viscosity;
    viscous_stress(point, f, start, rate, inner);
    matrix_times(f, inner, out);
    for (int n = 0; n < 9; n++) {
        stress[n] += out[n];
    }
    if (!matrix) {
        return;
    }
    symmetric_positive(inner, 0);
    matrix_times_transposed(f, f, squares);
    for (int n = 0; n < 9; n++) {
        int i = n / 3, j = n % 3;
        for (int m = 0; m <= n; m++) {
            int k = m / 3, l = m % 3;
            /* F times the change of 2 shear D + bulk tr D, D = (F^T dF + dF^T F) / 2 */
            matrix[9 * n + m] += (j == l ? shear * squares[3 * i + k] : 0) + shear * f[3 * i + l] * f[3 * k + j] +
                                 bulk * f[n] * f[m] + (i == k ? inner[3 * l + j] : 0);
        }
    }
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

double law_energy(const struct law_point *point, const double f[9], const double *start, double rate)
{
    const struct density_row *row = point->law->row;
    struct singular_form form;
    double stress[9], energy = row->energy ? row->energy(point->law, f) : row_energy(point, f, NULL, NULL, &form);
    energy += has_fibres(point) ? fibre_energy(point, f) : 0;
    return energy + (is_viscous(point, start, rate) ? viscous_stress(point, f, start, rate, stress) : 0);
}

void law_derivatives(const struct law_point *point, const double f[9], const double *start, double rate,
                     double stress[9], double *matrix)
{
    memset(stress, 0, 9 * sizeof *stress);
    if (matrix) {
        memset(matrix, 0, 81 * sizeof *matrix);
    }
    if (point->law->row->derivatives) {
        point->law->row->derivatives(point->law, f, stress, matrix);
    } else {
        add_row(point, f, stress, matrix);
    }
    if (has_fibres(point)) {
        add_fibre(point, f, stress, matrix);
    }
    if (is_viscous(point, start, rate)) {
        add_viscosity(point, f, start, rate, stress, matrix);
    }
    for (int n = 0; matrix && n < 9; n++) {
        for (int m = 0; m < n; m++) {
            matrix[9 * m + n] = matrix[9 * n + m];
        }
    }
}

/* ---- flow -------------------------------------------------------------------------------------------------------- */

/* How much has flowed at the elastic values s, and the values without it. */
static double flowed(const struct material_law *law, double strain, const double s[3], double left[3])
{
    double trace = s[0] + s[1] + s[2] - 3, dev[3], square = 0;
    for (int n = 0; n < 3; n++) {
        dev[n] = s[n] - 1 - trace / 3;
        square += dev[n] * dev[n];
    }
    double d = sqrt(square), flow = flow_of(law, strain, d);
    for (int n = 0; n < 3; n++) {
        left[n] = flow > 0 ? 1 + trace / 3 + dev[n] * ((d - flow) / d) : s[n];
    }
    return flow;
}

void law_flow(const struct material_law *law, const double f[9], struct plastic_state *state)
{
    struct singular_form form;
    double elastic[9], left[3], ratio[9], half[9], turn[9], inverse[9], before[9];
    matrix_times(f, state->inverse, elastic);
    singular_form_of(elastic, &form);
    double flow = flowed(law, state->strain, form.values, left);
    if (!(flow > 0) || !isfinite(flow)) {
        return;
    }
    /* F G^-1 = U s V^T becomes U left V^T: G^-1 is followed by V (left / s) V^T. Turned inside out nothing flows. */
    memset(ratio, 0, sizeof ratio);
    for (int k = 0; k < 3; k++) {
        if (!(form.values[k] > 1e-3) || !(left[k] > 1e-3)) {
            return;
        }
        ratio[4 * k] = left[k] / form.values[k];
    }
    matrix_times(form.v, ratio, half);
    matrix_times_transposed(half, form.v, turn);
    memcpy(before, state->inverse, sizeof before);
    matrix_times(before, turn, inverse);
    /* The trace of the strain stays, so volume does to second order. To scale it to be exact would change the energy. */
    memcpy(state->inverse, inverse, sizeof inverse);
    state->strain += sqrt(2.0 / 3) * flow;
}
