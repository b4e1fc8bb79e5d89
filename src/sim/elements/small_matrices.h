/* Matrices of three rows: singular values and eigenvalues by rotations of Jacobi. Only sqrt is taken from libm and every
 * loop has a fixed order, so that the bits are the same everywhere. Matrices lie by rows. */
#ifndef DENT_SIM_SMALL_MATRICES_H
#define DENT_SIM_SMALL_MATRICES_H

/* F = u diag(values) v^T with two rotations. The values descend in size; the last one alone may be negative: it is where
 * F turns inside out. */
struct singular_form {
    double u[9], v[9], values[3];
};

void singular_form_of(const double f[9], struct singular_form *form);

/* A symmetric matrix = sum values[k] vectors[k] vectors[k]^T; vectors by rows. */
void symmetric_eigen(const double matrix[9], double values[3], double vectors[9]);

/* Negative eigenvalues lose their sign, and are at most `floor` then. */
void symmetric_positive(double matrix[9], double floor);

/* out = a b, a b^T, a^T b */
void matrix_times(const double a[9], const double b[9], double out[9]);
void matrix_times_transposed(const double a[9], const double b[9], double out[9]);
void matrix_transposed_times(const double a[9], const double b[9], double out[9]);
void matrix_cofactors(const double a[9], double out[9]);
double matrix_determinant(const double a[9]);
/* False: the determinant is 0 or not a number. */
int matrix_inverse(const double a[9], double out[9]);

#endif
