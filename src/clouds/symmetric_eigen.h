/* Eigenvalues of a symmetric 3x3 matrix by Jacobi's rotations: slower than the closed form, but as exact for flat
 * neighbourhoods, whose smallest eigenvalue is what counts. Fixed order of operations. */
#ifndef DENT_CLOUDS_SYMMETRIC_EIGEN_H
#define DENT_CLOUDS_SYMMETRIC_EIGEN_H

#include <math.h>

/* One rotation that makes a[p][q] zero; v collects the vectors as columns. */
static inline void eigen_rotate(double a[3][3], double v[3][3], int p, int q)
{
    if (a[p][q] == 0.0) {
        return;
    }
    double theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
    double t = (theta >= 0.0 ? 1.0 : -1.0) / (fabs(theta) + sqrt(theta * theta + 1.0));
    double c = 1.0 / sqrt(t * t + 1.0), s = t * c, off = a[p][q];
    int r = 3 - p - q;
    a[p][p] -= t * off;
    a[q][q] += t * off;
    a[p][q] = a[q][p] = 0.0;
    double first = a[r][p], second = a[r][q];
    a[r][p] = a[p][r] = c * first - s * second;
    a[r][q] = a[q][r] = s * first + c * second;
    for (int k = 0; k < 3; k++) {
        first = v[k][p];
        second = v[k][q];
        v[k][p] = c * first - s * second;
        v[k][q] = s * first + c * second;
    }
}

/* m: xx, xy, xz, yy, yz, zz. Writes the eigenvalues, ascending, and the unit vector of the smallest. */
static inline void symmetric_eigen(const double m[6], double values[3], double smallest[3])
{
    double a[3][3] = {{m[0], m[1], m[2]}, {m[1], m[3], m[4]}, {m[2], m[4], m[5]}};
    double v[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int sweep = 0; sweep < 12; sweep++) {
        double off = fabs(a[0][1]) + fabs(a[0][2]) + fabs(a[1][2]);
        double size = fabs(a[0][0]) + fabs(a[1][1]) + fabs(a[2][2]);
        if (!(off > 1e-17 * size)) {
            break;
        }
        eigen_rotate(a, v, 0, 1);
        eigen_rotate(a, v, 0, 2);
        eigen_rotate(a, v, 1, 2);
    }
    int least = a[1][1] < a[0][0], most;
    least = a[2][2] < a[least][least] ? 2 : least;
    most = least == 0 ? 1 : 0;
    for (int k = 0; k < 3; k++) {
        most = k != least && a[k][k] > a[most][most] ? k : most;
    }
    values[0] = a[least][least];
    values[1] = a[3 - least - most][3 - least - most];
    values[2] = a[most][most];
    for (int k = 0; k < 3; k++) {
        smallest[k] = v[k][least];
    }
}

#endif
