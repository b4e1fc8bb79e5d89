/* Vectors of three doubles, and sets that grow together: the small arithmetic of the simulator. */
#ifndef DENT_SIM_SIM_VECTORS_H
#define DENT_SIM_SIM_VECTORS_H

#include <stdint.h>

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

/* ---- union-find: the root of a set is its smallest member -------------------------------------------------------- */

static inline uint32_t sim_find_root(uint32_t *parents, uint32_t v)
{
    while (parents[v] != v) {
        parents[v] = parents[parents[v]];
        v = parents[v];
    }
    return v;
}

static inline void sim_join(uint32_t *parents, uint32_t a, uint32_t b)
{
    uint32_t root_a = sim_find_root(parents, a), root_b = sim_find_root(parents, b);
    parents[root_a > root_b ? root_a : root_b] = root_a > root_b ? root_b : root_a;
}

#endif
