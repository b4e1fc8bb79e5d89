/* Vectors of three doubles, and sets that grow together: the small arithmetic of the simulator, its one copy. */
#ifndef DENT_SIM_SIM_VECTORS_H
#define DENT_SIM_SIM_VECTORS_H

#include <stdint.h>

#define SIM_PI 3.14159265358979323846

static inline double sim_dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void sim_subtract(const double *a, const double *b, double *difference)
{
    difference[0] = a[0] - b[0];
    difference[1] = a[1] - b[1];
    difference[2] = a[2] - b[2];
}

static inline void sim_add_scaled(double *sum, double factor, const double *a)
{
    sum[0] += factor * a[0];
    sum[1] += factor * a[1];
    sum[2] += factor * a[2];
}

static inline void sim_cross(const double *a, const double *b, double *product)
{
    product[0] = a[1] * b[2] - a[2] * b[1];
    product[1] = a[2] * b[0] - a[0] * b[2];
    product[2] = a[0] * b[1] - a[1] * b[0];
}

#endif
