/* Horn's 4x4 matrix of the moments, ten sweeps of Jacobi rotations over it, and the eigenvector of its largest
 * eigenvalue as a quaternion. The moments are first scaled by their largest; what is too small or too large to scale
 * gives the identity. See rigid_fit.h. */
#include "geometry/metric/rigid_fit.h"

#include <math.h>
#include <stdbool.h>

#include "geometry/metric/quaternion.h"

/* One Jacobi rotation in the plane (p, q); vectors holds the eigenvectors as columns. */
static void turn(double matrix[4][4], double vectors[4][4], int p, int q)
{
    if (matrix[p][q] == 0) {
        return;
    }
    double theta = (matrix[q][q] - matrix[p][p]) / (2 * matrix[p][q]);
    double t = (theta >= 0 ? 1.0 : -1.0) / (fabs(theta) + sqrt(theta * theta + 1));
    double c = 1 / sqrt(t * t + 1), s = t * c;
    for (int k = 0; k < 4; k++) {
        double kp = matrix[k][p], kq = matrix[k][q];
        matrix[k][p] = c * kp - s * kq;
        matrix[k][q] = s * kp + c * kq;
    }
    for (int k = 0; k < 4; k++) {
        double pk = matrix[p][k], qk = matrix[q][k];
        matrix[p][k] = c * pk - s * qk;
        matrix[q][k] = s * pk + c * qk;
    }
    for (int k = 0; k < 4; k++) {
        double kp = vectors[k][p], kq = vectors[k][q];
        vectors[k][p] = c * kp - s * kq;
        vectors[k][q] = s * kp + c * kq;
    }
}

static void rotation_of_quaternion(const double quaternion[4], double r[9])
{
    double length = sqrt((quaternion[0] * quaternion[0] + quaternion[1] * quaternion[1]) +
                         (quaternion[2] * quaternion[2] + quaternion[3] * quaternion[3]));
    const double unit[4] = {quaternion[0] / length, quaternion[1] / length, quaternion[2] / length,
                            quaternion[3] / length};
    quaternion_to_matrix(unit, r);
}

void rotation_from_moments(const double moments[3][3], double rotation[9])
{
    double largest = 0, m[3][3], quaternion[4] = {1, 0, 0, 0};
    for (int i = 0; i < 9; i++) {
        double magnitude = fabs(moments[i / 3][i % 3]);
        largest = magnitude > largest ? magnitude : largest;
    }
    if (largest > 1e-280 && largest < 1e300) {
        for (int i = 0; i < 9; i++) {
            m[i / 3][i % 3] = moments[i % 3][i / 3] / largest; /* from_i to_j, as Horn writes it */
        }
        double matrix[4][4] = {
            {(m[0][0] + m[1][1]) + m[2][2], m[1][2] - m[2][1], m[2][0] - m[0][2], m[0][1] - m[1][0]},
            {m[1][2] - m[2][1], (m[0][0] - m[1][1]) - m[2][2], m[0][1] + m[1][0], m[2][0] + m[0][2]},
            {m[2][0] - m[0][2], m[0][1] + m[1][0], (m[1][1] - m[0][0]) - m[2][2], m[1][2] + m[2][1]},
            {m[0][1] - m[1][0], m[2][0] + m[0][2], m[1][2] + m[2][1], (m[2][2] - m[0][0]) - m[1][1]},
        };
        double vectors[4][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};
        for (int sweep = 0; sweep < 10; sweep++) {
            for (int p = 0; p < 3; p++) {
                for (int q = p + 1; q < 4; q++) {
                    turn(matrix, vectors, p, q);
                }
            }
        }
        int best = 0;
        for (int k = 1; k < 4; k++) {
            best = matrix[k][k] > matrix[best][best] ? k : best;
        }
        for (int k = 0; k < 4; k++) {
            quaternion[k] = vectors[k][best];
        }
    }
    rotation_of_quaternion(quaternion, rotation);
    bool finite = true;
    for (int i = 0; i < 9; i++) {
        finite = finite && fabs(rotation[i]) <= 1 + 1e-12;
    }
    if (!finite) { /* theta overflowed */
        for (int i = 0; i < 9; i++) {
            rotation[i] = i % 4 == 0;
        }
    }
}
