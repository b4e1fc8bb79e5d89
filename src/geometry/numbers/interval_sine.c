/* Sine and cosine with a proven error, and their enclosures over an interval, without the C library's.
 *
 * The angle is reduced by the nearest multiple k of pi/2; then Taylor polynomials on [-pi/4, pi/4].
 *
 * Error. pi/2 = HIGH + MIDDLE + LOW + rest, HIGH and MIDDLE with 33 bits, so k HIGH and k MIDDLE are exact for
 * |k| < 2^20 (here |k| <= 1304). angle - k HIGH is exact: both are multiples of the smaller of 2^-32 and the spacing of
 * the angle, and the result is below 1 in size. The next two subtractions round results below 0.79: 2^-54 each; k LOW
 * rounds by 2^-111, the rest of pi/2 adds 1304 * 2^-122. So x is off by less than 2^-52.9. Sine: the polynomial's
 * correction x (x^2 sum) is below 0.09 in size and computed to within 20 roundings, 20 * 2^-53 * 0.09 < 2^-52.1; the
 * last addition rounds by 2^-54; dropped terms are below x^19/19! < 2^-63. Together below 2^-52.9 + 2^-52.1 + 2^-54 <
 * 2^-51. Cosine: rest + correction, where 1 - half is exact with its correction, the other terms are below 0.02 and
 * computed to within 20 roundings (2^-54), the last addition rounds by 2^-54, the derivative by x is at most 0.71:
 * 2^-53.3 + 2^-54 + 2^-54 < 2^-52. For k = 0 no reduction error occurs, and all errors of the sine are in proportion
 * to x. Tested against rational Taylor sums. */
#include "geometry/numbers/interval.h"

#include <dent/base.h>

#define HALF_PI_HIGH 0x1.921fb544p+0
#define HALF_PI_MIDDLE 0x1.0b4611a6p-34
#define HALF_PI_LOW 0x1.3198a2e037073p-69
#define TWO_OVER_PI 0x1.45f306dc9c883p-1

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
    double half = 0.5 * square, rest = 1.0 - half;
    /* The rounding error of 1 - half is given back with the small terms. */
    return rest + (((1.0 - rest) - half) + square * (square * sum));
}

struct sine_cosine sine_and_cosine(double angle)
{
    double turns = angle * TWO_OVER_PI;
    int64_t k = (int64_t)(turns < 0 ? turns - 0.5 : turns + 0.5);
    double quarter = (double)k;
    double x = ((angle - quarter * HALF_PI_HIGH) - quarter * HALF_PI_MIDDLE) - quarter * HALF_PI_LOW;
    double sine = sine_near_zero(x), cosine = cosine_near_zero(x);
    switch (k & 3) {
    case 0:
        return (struct sine_cosine){sine, cosine};
    case 1:
        return (struct sine_cosine){cosine, -sine};
    case 2:
        return (struct sine_cosine){-sine, -cosine};
    default:
        return (struct sine_cosine){-cosine, sine};
    }
}

void dent_sine_cosine(double angle, double *sine, double *cosine)
{
    struct sine_cosine both = sine_and_cosine(angle);
    if (sine) {
        *sine = both.sine;
    }
    if (cosine) {
        *cosine = both.cosine;
    }
}

/* May [a, b], counted in whole turns from an extremum, contain a whole number? The counts carry an error below
 * 326 * 2^-51 < 1e-12; answering yes too often by that much widens an enclosure by less than (1e-11)^2, which the
 * outward step below exceeds anyway. */
static bool contains_whole_number(double a, double b)
{
    return floor(b + 1e-12) >= ceil(a - 1e-12);
}

static struct interval bounds_of_wave(double value_lo, double value_hi, bool reaches_top, bool reaches_bottom)
{
    double low = value_lo < value_hi ? value_lo : value_hi, high = value_lo < value_hi ? value_hi : value_lo;
    low -= 0x1p-50; /* SINE_COSINE_ERROR, and the rounding of this subtraction */
    high += 0x1p-50;
    return (struct interval){reaches_bottom || low < -1 ? -1 : low, reaches_top || high > 1 ? 1 : high};
}

#define ONE_OVER_TWO_PI 0x1.45f306dc9c883p-3

struct interval interval_sine(struct interval angle)
{
    if (!(fabs(angle.lo) <= SINE_ANGLE_LIMIT) || !(fabs(angle.hi) <= SINE_ANGLE_LIMIT)) {
        return interval_of(-1, 1);
    }
    double a = angle.lo * ONE_OVER_TWO_PI, b = angle.hi * ONE_OVER_TWO_PI;
    return bounds_of_wave(sine_and_cosine(angle.lo).sine, sine_and_cosine(angle.hi).sine,
                          contains_whole_number(a - 0.25, b - 0.25), contains_whole_number(a + 0.25, b + 0.25));
}

struct interval interval_cosine(struct interval angle)
{
    if (!(fabs(angle.lo) <= SINE_ANGLE_LIMIT) || !(fabs(angle.hi) <= SINE_ANGLE_LIMIT)) {
        return interval_of(-1, 1);
    }
    double a = angle.lo * ONE_OVER_TWO_PI, b = angle.hi * ONE_OVER_TWO_PI;
    return bounds_of_wave(sine_and_cosine(angle.lo).cosine, sine_and_cosine(angle.hi).cosine,
                          contains_whole_number(a, b), contains_whole_number(a - 0.5, b - 0.5));
}

/* A rough angle, then Newton steps by sin(true - guess) = sine cos(guess) - cosine sin(guess), in which the error
 * enters with its third power: 0.08 at first, then 1e-4, 1e-13, and rounding. */
double angle_of_direction(double sine, double cosine)
{
    double length = sqrt(sine * sine + cosine * cosine);
    double s = sine / length, c = cosine / length;
    double guess =
        s < fabs(c) ? (c > 0 ? s : 2 * (HALF_PI_HIGH + HALF_PI_MIDDLE) - s) : HALF_PI_HIGH + HALF_PI_MIDDLE - c;
    for (int step = 0; step < 3; step++) {
        struct sine_cosine at = sine_and_cosine(guess);
        guess += s * at.cosine - c * at.sine;
    }
    return guess;
}
