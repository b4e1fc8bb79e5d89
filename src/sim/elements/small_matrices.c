/* Singular values by one-sided rotations (Hestenes 1958): columns of F are turned until they stand at right angles, so
 * that small values keep their digits. Eigenvalues by the two-sided rotations of Jacobi. */
#include "small_matrices.h"

#include <math.h>
#include <string.h>

enum { MOST_SWEEPS = 16 };

/* ---- products ---------------------------------------------------------------------------------------------------- */

void matrix_times(const double a[9], const double b[9], double out[9])
{
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            out[3 * i + j] = a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j];
        }
    }
}

void matrix_times_transposed(const double a[9], const double b[9], double out[9])
{
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            out[3 * i + j] = a[3 * i] * b[3 * j] + a[3 * i + 1] * b[3 * j + 1] + a[3 * i + 2] * b[3 * j + 2];
        }
    }
}

void matrix_transposed_times(const double a[9], const double b[9], double out[9])
{
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            out[3 * i + j] = a[i] * b[j] + a[3 + i] * b[3 + j] + a[6 + i] * b[6 + j];
        }
    }
}

void matrix_cofactors(const double a[9], double out[9])
{
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            int r = (i + 1) % 3, s = (i + 2) % 3, p = (j + 1) % 3, q = (j + 2) % 3;
            out[3 * i + j] = a[3 * r + p] * a[3 * s + q] - a[3 * r + q] * a[3 * s + p];
        }
    }
}

double matrix_determinant(const double a[9])
{
    double cofactors[9];
    matrix_cofactors(a, cofactors);
    return a[0] * cofactors[0] + a[1] * cofactors[1] + a[2] * cofactors[2];
}

int matrix_inverse(const double a[9], double out[9])
{
    double cofactors[9];
    matrix_cofactors(a, cofactors);
    double determinant = a[0] * cofactors[0] + a[1] * cofactors[1] + a[2] * cofactors[2];
    if (determinant == 0 || !isfinite(1 / determinant)) {
        return 0;
    }
    for (int n = 0; n < 9; n++) {
        out[n] = cofactors[3 * (n % 3) + n / 3] / determinant;
    }
    return 1;
}

/* ---- rotations --------------------------------------------------------------------------------------------------- */

/* Cosine and sine of the turn that brings the pair with squares a, b and product c to right angles. */
static void turn_of(double a, double b, double c, double *cosine, double *sine)
{
    double zeta = (b - a) / (2 * c);
    double tangent = (zeta < 0 ? -1 : 1) / (fabs(zeta) + sqrt(1 + zeta * zeta));
    *cosine = 1 / sqrt(1 + tangent * tangent);
    *sine = *cosine * tangent;
}

static void turn_columns(double m[9], int p, int q, double cosine, double sine)
{
    for (int i = 0; i < 3; i++) {
        double x = m[3 * i + p], y = m[3 * i + q];
        m[3 * i + p] = cosine * x - sine * y;
        m[3 * i + q] = sine * x + cosine * y;
    }
}

static double column_product(const double m[9], int p, int q)
{
    return m[p] * m[q] + m[3 + p] * m[3 + q] + m[6 + p] * m[6 + q];
}

/* ---- singular values --------------------------------------------------------------------------------------------- */

/* Exchanges two columns; one changes its sign, so that a rotation stays one. */
static void swap_columns(double m[9], int p, int q)
{
    for (int i = 0; i < 3; i++) {
        double x = m[3 * i + p];
        m[3 * i + p] = m[3 * i + q];
        m[3 * i + q] = -x;
    }
}

static void sort_columns(double columns[9], double v[9], double squares[3])
{
    static const int pairs[3][2] = {{0, 1}, {0, 2}, {1, 2}};
    for (int n = 0; n < 3; n++) {
        int p = pairs[n][0], q = pairs[n][1];
        if (squares[q] > squares[p]) {
            double square = squares[p];
            squares[p] = squares[q];
            squares[q] = square;
            swap_columns(columns, p, q);
            swap_columns(v, p, q);
        }
    }
}

/* The unit vector along a column; where that has no length, one at right angles to `other` (a unit vector). */
static void direction_of(const double columns[9], int k, double length, const double *other, double out[3])
{
    if (length > 0 && isfinite(1 / length)) {
        for (int i = 0; i < 3; i++) {
            out[i] = columns[3 * i + k] / length;
        }
        return;
    }
    int least = 0;
    double axis[3] = {0};
    for (int i = 1; i < 3; i++) {
        least = fabs(other[i]) < fabs(other[least]) ? i : least;
    }
    axis[least] = 1;
    double rest = 0;
    for (int i = 0; i < 3; i++) {
        out[i] = axis[i] - other[least] * other[i];
        rest += out[i] * out[i];
    }
    for (int i = 0; i < 3; i++) {
        out[i] /= sqrt(rest);
    }
}

void singular_form_of(const double f[9], struct singular_form *form)
{
    static const double unit[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    double columns[9], squares[3], first[3], second[3];
    memcpy(columns, f, sizeof columns);
    memcpy(form->v, unit, sizeof unit);
    int turned = 1;
    for (int sweep = 0; sweep < MOST_SWEEPS && turned; sweep++) {
        turned = 0;
        for (int n = 0; n < 3; n++) {
            int p = n == 2 ? 1 : 0, q = n == 0 ? 1 : 2;
            double a = column_product(columns, p, p), b = column_product(columns, q, q);
            double c = column_product(columns, p, q), cosine, sine;
            if (c * c > 1e-32 * (a * b)) {
                turn_of(a, b, c, &cosine, &sine);
                turn_columns(columns, p, q, cosine, sine);
                turn_columns(form->v, p, q, cosine, sine);
                turned = 1;
            }
        }
    }
    for (int k = 0; k < 3; k++) {
        squares[k] = column_product(columns, k, k);
    }
    sort_columns(columns, form->v, squares);
    form->values[0] = sqrt(squares[0]);
    form->values[1] = sqrt(squares[1]);
    direction_of(columns, 0, form->values[0], unit, first);
    /* A second column that is noise beside the first has no direction of its own. */
    direction_of(columns, 1, form->values[1] > 1e-150 * form->values[0] ? form->values[1] : 0, first, second);
    const double third[3] = {first[1] * second[2] - first[2] * second[1], first[2] * second[0] - first[0] * second[2],
                             first[0] * second[1] - first[1] * second[0]};
    form->values[2] = third[0] * columns[2] + third[1] * columns[5] + third[2] * columns[8];
    for (int i = 0; i < 3; i++) {
        form->u[3 * i] = first[i];
        form->u[3 * i + 1] = second[i];
        form->u[3 * i + 2] = third[i];
    }
}

/* ---- eigenvalues ------------------------------------------------------------------------------------------------- */

void symmetric_eigen(const double matrix[9], double values[3], double vectors[9])
{
    double a[9], v[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    memcpy(a, matrix, sizeof a);
    int turned = 1;
    for (int sweep = 0; sweep < MOST_SWEEPS && turned; sweep++) {
        turned = 0;
        for (int n = 0; n < 3; n++) {
            int p = n == 2 ? 1 : 0, q = n == 0 ? 1 : 2;
            double c = a[3 * p + q], cosine, sine;
            if (fabs(c) > 1e-17 * (fabs(a[4 * p]) + fabs(a[4 * q]))) {
                turn_of(a[4 * p], a[4 * q], c, &cosine, &sine);
                turn_columns(a, p, q, cosine, sine);
                for (int j = 0; j < 3; j++) { /* and the rows */
                    double x = a[3 * p + j], y = a[3 * q + j];
                    a[3 * p + j] = cosine * x - sine * y;
                    a[3 * q + j] = sine * x + cosine * y;
                }
                a[3 * p + q] = a[3 * q + p] = 0;
                turn_columns(v, p, q, cosine, sine);
                turned = 1;
            }
        }
    }
    for (int k = 0; k < 3; k++) {
        values[k] = a[4 * k];
        for (int i = 0; i < 3; i++) {
            vectors[3 * k + i] = v[3 * i + k];
        }
    }
}

void symmetric_positive(double matrix[9], double floor)
{
    double values[3], vectors[9];
    symmetric_eigen(matrix, values, vectors);
    if (values[0] >= 0 && values[1] >= 0 && values[2] >= 0) {
        return;
    }
    for (int n = 0; n < 9; n++) {
        double sum = 0;
        for (int k = 0; k < 3; k++) {
            sum += (values[k] >= 0 ? values[k] : fmin(-values[k], floor)) * vectors[3 * k + n / 3] *
                   vectors[3 * k + n % 3];
        }
        matrix[n] = sum;
    }
}
