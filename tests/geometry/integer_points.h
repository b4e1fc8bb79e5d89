/* Positions as GMP integers: the independent exact reference of the predicate tests. */
#ifndef DENT_TESTS_GEOMETRY_INTEGER_POINTS_H
#define DENT_TESTS_GEOMETRY_INTEGER_POINTS_H

#include <gmp.h>
#include <math.h>

/* Exponent below which nothing of a value lies; a large number for 0. Sloppy by up to 52, which only costs time. */
static inline int exponent_floor(double value)
{
    if (value == 0.0) {
        return 5000;
    }
    int exponent;
    frexp(value, &exponent);
    return exponent - 53;
}

static inline void set_integer(mpz_t result, double value, int floor_exponent)
{
    int exponent;
    double fraction = frexp(value, &exponent);
    mpz_set_d(result, ldexp(fraction, 53));
    if (value != 0.0) {
        mpz_mul_2exp(result, result, (mp_bitcnt_t)(exponent - 53 - floor_exponent));
    }
}

/* count points, all axes multiplied by one common power of two. */
static inline void set_integer_points(mpz_t (*result)[3], const double *const points[], int count)
{
    int lowest = 5000;
    for (int k = 0; k < count; k++) {
        for (int axis = 0; axis < 3; axis++) {
            int exponent = exponent_floor(points[k][axis]);
            lowest = exponent < lowest ? exponent : lowest;
        }
    }
    for (int k = 0; k < count; k++) {
        for (int axis = 0; axis < 3; axis++) {
            set_integer(result[k][axis], points[k][axis], lowest);
        }
    }
}

#endif
