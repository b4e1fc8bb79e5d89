/* Points for the predicate tests: random, small lattices, nearly and exactly degenerate, any exponent. */
#ifndef DENT_TESTS_GEOMETRY_POINT_CASES_H
#define DENT_TESTS_GEOMETRY_POINT_CASES_H

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dent/base.h>

static inline int random_between(dent_random *random, int low, int high)
{
    return low + (int)dent_random_below(random, (uint32_t)(high - low + 1));
}

static inline double random_signed_unit(dent_random *random)
{
    return 2.0 * dent_random_unit(random) - 1.0;
}

static inline double double_of_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Any finite double: all exponents are equally likely, subnormals included. */
static inline double random_finite(dent_random *random)
{
    uint64_t bits;
    do {
        bits = dent_random_bits(random);
    } while ((bits >> 52 & 0x7FF) == 0x7FF);
    return double_of_bits(bits);
}

static inline double random_special(dent_random *random)
{
    static const double specials[] = {0.0,      0x1p-1074,   0x3p-1074,  DBL_MIN,           DBL_MIN + 0x1p-1074,
                                      0x1p-537, 0x1p-500,    1.0,        1.0 + DBL_EPSILON, 3.0,
                                      0x1p340,  0x1p511,     0x1p512,    0x1p1021,          0x1p1023,
                                      DBL_MAX,  DBL_MAX / 2, DBL_MAX / 4};
    double value = specials[dent_random_below(random, sizeof specials / sizeof specials[0])];
    return dent_random_bits(random) & 1 ? -value : value;
}

/* Moves a value by up to `steps` units in the last place; stays finite. */
static inline double nudged(dent_random *random, double value, int steps)
{
    for (int k = random_between(random, 0, steps); k > 0; k--) {
        double next = nextafter(value, dent_random_bits(random) & 1 ? DBL_MAX : -DBL_MAX);
        value = next;
    }
    return value;
}

/* Exponents, one for each axis, that keep multiples up to 2^21 exact and finite: often 0, sometimes extreme. */
static inline void random_axis_scales(dent_random *random, double scale[3])
{
    int kind = random_between(random, 0, 3);
    int common = random_between(random, -1074, 1000);
    for (int axis = 0; axis < 3; axis++) {
        int exponent = kind == 0   ? 0
                       : kind == 1 ? common
                       : kind == 2 ? random_between(random, -20, 20)
                                   : random_between(random, -1074, 1000);
        scale[axis] = ldexp(1.0, exponent);
    }
}

/* The long tier makes 60 times as many cases (more than ten million composite ones), quick runs under sanitizers a
 * tenth. */
static inline int case_count(int default_count)
{
    if (getenv("DENT_LONG_TESTS") != NULL) {
        return 60 * default_count;
    }
    return getenv("DENT_QUICK_TESTS") != NULL ? default_count / 10 : default_count;
}

/* How often each kind of answer must have come up. */
static inline uint64_t required_count(void)
{
    return getenv("DENT_QUICK_TESTS") != NULL ? 10 : 200;
}

#endif
