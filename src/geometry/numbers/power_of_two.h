/* Exact scaling by powers of two, for metric computations that must not overflow or vanish. */
#ifndef DENT_GEOMETRY_POWER_OF_TWO_H
#define DENT_GEOMETRY_POWER_OF_TWO_H

#include <stdint.h>
#include <string.h>

/* 2^exponent, -1022 <= exponent <= 1023. */
static inline double power_of_two(int exponent)
{
    uint64_t bits = (uint64_t)(exponent + 1023) << 52;
    double result;
    memcpy(&result, &bits, sizeof result);
    return result;
}

/* The smallest e with |value| < 2^e, for finite values other than zero; subnormals are all given -1022. */
static inline int binary_exponent(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return (int)(bits >> 52 & 0x7FF) - 1022;
}

/* value * 2^exponent for any exponent of a few thousand: rounded only where the result is subnormal, infinite beyond
 * the range. */
static inline double scale_by_power_of_two(double value, int exponent)
{
    while (exponent > 1000) {
        value *= 0x1p1000;
        exponent -= 1000;
    }
    while (exponent < -1000) {
        value *= 0x1p-1000;
        exponent += 1000;
    }
    return value * power_of_two(exponent);
}

#endif
