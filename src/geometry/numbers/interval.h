/* Interval arithmetic with outward rounding, in plain round-to-nearest double operations (Moore 1966; Snyder 1992).
 *
 * An interval [lo, hi] stands for every real number between its ends. An operation computes both ends as usual and then
 * moves each outward by |x| 2^-52 + 2^-1074. That is enough: the rounded end x differs from the exact one by at most
 * |x| 2^-53, or 2^-1075 where x is subnormal, and the rounding of the move itself takes back at most another |x| 2^-53.
 * No rounding mode is touched, so the code can be scheduled and vectorised like any other. Overflow gives infinite
 * ends, which is true; where a NaN appears (infinity minus infinity, zero times infinity) the answer is the whole line.
 */
#ifndef DENT_GEOMETRY_INTERVAL_H
#define DENT_GEOMETRY_INTERVAL_H

#include <math.h>
#include <stdbool.h>

struct interval {
    double lo, hi;
};

static inline double rounded_down(double x)
{
    double y = x - (fabs(x) * 0x1p-52 + 0x1p-1074);
    return y == y ? y : -INFINITY;
}

static inline double rounded_up(double x)
{
    double y = x + (fabs(x) * 0x1p-52 + 0x1p-1074);
    return y == y ? y : INFINITY;
}

static inline struct interval interval_of(double lo, double hi)
{
    return (struct interval){lo, hi};
}

static inline struct interval interval_point(double x)
{
    return (struct interval){x, x};
}

static inline struct interval interval_whole_line(void)
{
    return (struct interval){-INFINITY, INFINITY};
}

static inline struct interval interval_add(struct interval a, struct interval b)
{
    return (struct interval){rounded_down(a.lo + b.lo), rounded_up(a.hi + b.hi)};
}

static inline struct interval interval_subtract(struct interval a, struct interval b)
{
    return (struct interval){rounded_down(a.lo - b.hi), rounded_up(a.hi - b.lo)};
}

static inline struct interval interval_negate(struct interval a)
{
    return (struct interval){-a.hi, -a.lo};
}

static inline struct interval interval_multiply(struct interval a, struct interval b)
{
    double p = a.lo * b.lo, q = a.lo * b.hi, r = a.hi * b.lo, s = a.hi * b.hi;
    double low = p < q ? p : q, high = p < q ? q : p;
    double low_2 = r < s ? r : s, high_2 = r < s ? s : r;
    low = low < low_2 ? low : low_2;
    high = high > high_2 ? high : high_2;
    if (isnan(p) || isnan(q) || isnan(r) || isnan(s)) {
        return interval_whole_line();
    }
    return (struct interval){rounded_down(low), rounded_up(high)};
}

static inline struct interval interval_scale(struct interval a, double s)
{
    return interval_multiply(a, interval_point(s));
}

/* Its own operation: x * x would forget that both factors are the same and go below zero. */
static inline struct interval interval_square(struct interval a)
{
    double p = a.lo * a.lo, q = a.hi * a.hi;
    double low = p < q ? p : q, high = p < q ? q : p;
    low = a.lo <= 0 && a.hi >= 0 ? 0 : rounded_down(low);
    return (struct interval){low > 0 ? low : 0, rounded_up(high)};
}

/* Of the part that is not negative. */
static inline struct interval interval_square_root(struct interval a)
{
    double low = a.lo > 0 ? rounded_down(sqrt(a.lo)) : 0;
    return (struct interval){low > 0 ? low : 0, a.hi > 0 ? rounded_up(sqrt(a.hi)) : 0};
}

static inline struct interval interval_absolute(struct interval a)
{
    if (a.lo >= 0) {
        return a;
    }
    double most = -a.lo > a.hi ? -a.lo : a.hi;
    return a.hi <= 0 ? interval_negate(a) : (struct interval){0, most};
}

/* The numbers in both; what they enclose is known to be in both, so rounding cannot make it empty. */
static inline struct interval interval_intersect(struct interval a, struct interval b)
{
    return (struct interval){a.lo > b.lo ? a.lo : b.lo, a.hi < b.hi ? a.hi : b.hi};
}

/* A number in the middle, and how far the ends are from it at most. */
static inline double interval_middle(struct interval a)
{
    double middle = 0.5 * a.lo + 0.5 * a.hi;
    return middle == middle ? middle : 0;
}

static inline double interval_radius(struct interval a)
{
    double middle = interval_middle(a), up = a.hi - middle, down = middle - a.lo;
    return rounded_up(up > down ? up : down);
}

/* ---- sine and cosine (interval_sine.c) --------------------------------------------------------------------------- */

struct sine_cosine {
    double sine, cosine;
};

/* Angles are in radians and at most this large in size; beyond it enclosures are [-1, 1]. */
#define SINE_ANGLE_LIMIT 2048.0

/* Both to within 2^-51 (for |angle| < 0.7 the sine to within 2^-51 of itself), made of additions and multiplications in
 * a fixed order: the same bits everywhere. */
struct sine_cosine sine_and_cosine(double angle);

/* 2^-51: how far they may be off. Proven in interval_sine.c, tested against rationals. */
#define SINE_COSINE_ERROR 0x1p-51

struct interval interval_sine(struct interval angle);
struct interval interval_cosine(struct interval angle);

/* The angle of the direction (cosine, sine), in [0, pi], for sine >= 0 and not both zero; a few units in the last
 * place. */
double angle_of_direction(double sine, double cosine);

#endif
