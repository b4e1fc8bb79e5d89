/* Elementary functions with the same bits everywhere.
 *
 * Sine and cosine: the angle is reduced by the nearest multiple k of pi/2, where pi/2 is split into three parts of
 * which the first two have so many zero bits that k times them is exact; then Taylor polynomials on [-pi/4, pi/4],
 * whose first dropped terms are below 1e-17. Cube root: powers of eight are taken out, then Newton steps from a linear
 * guess. */
#include "elementary_functions.h"

#include <stdint.h>

/* pi/2 = HIGH + MIDDLE + LOW; HIGH and MIDDLE have 33 bits, so products with integers up to 2^20 are exact. */
#define HALF_PI_HIGH 0x1.921fb544p+0
#define HALF_PI_MIDDLE 0x1.0b4611a6p-34
#define HALF_PI_LOW 0x1.3198a2e037073p-69

static double sine_near_zero(double x)
{
    double square = x * x;
    double sum = 1.0 / 355687428096000.0 * square - 1.0 / 1307674368000.0;
    sum = sum * square + 1.0 / 6227020800.0;
    sum = sum * square - 1.0 / 39916800.0;
    sum = sum * square + 1.0 / 362880.0;
    sum = sum * square - 1.0 / 5040.0;
    sum = sum * square + 1.0 / 120.0;
    sum = sum * square - 1.0 / 6.0;
    return x + x * (square * sum);
}

static double cosine_near_zero(double x)
{
    double square = x * x;
    double sum = 1.0 / 20922789888000.0 * square - 1.0 / 87178291200.0;
    sum = sum * square + 1.0 / 479001600.0;
    sum = sum * square - 1.0 / 3628800.0;
    sum = sum * square + 1.0 / 40320.0;
    sum = sum * square - 1.0 / 720.0;
    sum = sum * square + 1.0 / 24.0;
    double half = 0.5 * square;
    double rest = 1.0 - half;
    /* The rounding error of 1 - half is given back with the small terms. */
    return rest + (((1.0 - rest) - half) + square * (square * sum));
}

struct scene_sine_cosine scene_sine_cosine(double angle)
{
    double turns = angle * (2.0 / SCENE_PI);
    int64_t k = (int64_t)(turns < 0 ? turns - 0.5 : turns + 0.5);
    double quarter = (double)k;
    double x = ((angle - quarter * HALF_PI_HIGH) - quarter * HALF_PI_MIDDLE) - quarter * HALF_PI_LOW;
    double sine = sine_near_zero(x);
    double cosine = cosine_near_zero(x);
    switch (k & 3) {
    case 0:
        return (struct scene_sine_cosine){sine, cosine};
    case 1:
        return (struct scene_sine_cosine){cosine, -sine};
    case 2:
        return (struct scene_sine_cosine){-sine, -cosine};
    default:
        return (struct scene_sine_cosine){-cosine, sine};
    }
}

double scene_sine(double angle)
{
    return scene_sine_cosine(angle).sine;
}

double scene_cosine(double angle)
{
    return scene_sine_cosine(angle).cosine;
}

double scene_cube_root(double value)
{
    if (value == 0) {
        return value;
    }
    double rest = value < 0 ? -value : value;
    double power = 1;
    while (rest >= 8) {
        rest *= 0.125;
        power *= 2;
    }
    while (rest < 1) {
        rest *= 8;
        power *= 0.5;
    }
    double root = 0.85 + 0.15 * rest;
    for (int step = 0; step < 6; step++) {
        root = (2 * root + rest / (root * root)) / 3;
    }
    root *= power;
    return value < 0 ? -root : root;
}

double scene_smooth_step(double low, double high, double value)
{
    double t = (value - low) / (high - low);
    if (t <= 0) {
        return 0;
    }
    if (t >= 1) {
        return 1;
    }
    return t * t * (3 - 2 * t);
}
