/* The order of moving values: see kinetic_order.h.
 *
 * On pieces with the same times, or if one of the two stands still,
 *
 *   (a - b)(t) (t1 - t0) = (a0 - b0) (t1 - t) + (a1 - b1) (t - t0)
 *
 * and the sign needs arithmetic only if the differences of the keys have different signs. Otherwise both sides are brought
 * to one denominator. A difference of doubles is exact in two doubles.
 */
#include "kinetic/kinetic_order.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/radix_sort.h"
#include "geometry/numbers/double_double.h"
#include "geometry/numbers/wide_integer.h"

static int compare(double a, double b)
{
    return (a > b) - (a < b);
}

static bool stands(const struct moving_value *value)
{
    return isinf(value->t1);
}

/* ---- one pair of times ------------------------------------------------------------------------------------------- */

static int lower_exponent(int exponent, double value)
{
    int own = lowest_bit_exponent(value);
    return own < exponent ? own : exponent;
}

static int lowest_of(const double *values, int count)
{
    int exponent = lowest_bit_exponent(values[0]);
    for (int i = 1; i < count; i++) {
        exponent = lower_exponent(exponent, values[i]);
    }
    return exponent > 1023 ? 0 : exponent; /* all are zero */
}

static void wide_difference(struct wide_integer *result, double a, double b, int exponent)
{
    struct wide_integer second;
    wide_from_double(result, a, exponent);
    wide_from_double(&second, b, exponent);
    wide_subtract(result, result, &second);
}

/* Sign of a0 (t1 - t) + a1 (t - t0) - b0 (t1 - t) - b1 (t - t0) in integers. */
static int exact_common_sign(const double keys[4], const double times[3])
{
    struct wide_integer start, end, left, right, first, second;
    int key_exponent = lowest_of(keys, 4), time_exponent = lowest_of(times, 3);
    wide_difference(&start, keys[0], keys[2], key_exponent);
    wide_difference(&end, keys[1], keys[3], key_exponent);
    wide_difference(&left, times[1], times[2], time_exponent);
    wide_difference(&right, times[2], times[0], time_exponent);
    wide_multiply(&first, &start, &left);
    wide_multiply(&second, &end, &right);
    wide_add(&first, &first, &second);
    return first.sign;
}

/* Numbers of a size at which products of two neither overflow nor lose bits. */
static bool ordinary(double value)
{
    return fabs(value) < 0x1p400 && (fabs(value) > 0x1p-400 || value == 0);
}

/* keys: a0, a1, b0, b1; times: t0, t1, t. Strictly between the ends, and the differences of the keys have opposite signs. */
static int opposed_sign(const double keys[4], const double times[3])
{
    struct double_double start = two_sum(keys[0], -keys[2]), end = two_sum(keys[1], -keys[3]);
    struct double_double left = two_sum(times[1], -times[2]), right = two_sum(times[2], -times[0]);
    bool usual = ordinary(start.high) && ordinary(end.high) && ordinary(left.high) && ordinary(right.high) &&
                 ordinary(start.low) && ordinary(end.low) && ordinary(left.low) && ordinary(right.low);
    if (usual) {
        double p = start.high * left.high, q = end.high * right.high, size = fabs(p) + fabs(q);
        if (fabs(p + q) > 0x1p-49 * size) { /* three roundings of p and q each, and the sum */
            return compare(p + q, 0);
        }
        struct double_double sum = pair_add(pair_multiply(start, left), pair_multiply(end, right));
        if (fabs(sum.high) > 0x1p-98 * size) {
            return compare(sum.high, 0);
        }
    }
    return exact_common_sign(keys, times);
}

static int common_sign(const double keys[4], const double times[3])
{
    int start = compare(keys[0], keys[2]), end = compare(keys[1], keys[3]);
    if (times[2] <= times[0]) {
        return start;
    }
    if (times[2] >= times[1]) {
        return end;
    }
    return start == end || end == 0 ? start : start == 0 ? end : opposed_sign(keys, times);
}

/* ---- two pairs of times ------------------------------------------------------------------------------------------ */

/* value (t1 - t0) as an integer; `length` is t1 - t0. */
static void exact_place(const struct moving_value *value, double t, int key_exponent, int time_exponent,
                        struct wide_integer *place, struct wide_integer *length)
{
    struct wide_integer key, time, product;
    wide_from_double(&key, value->x0, key_exponent);
    wide_difference(&time, value->t1, t, time_exponent);
    wide_multiply(place, &key, &time);
    wide_from_double(&key, value->x1, key_exponent);
    wide_difference(&time, t, value->t0, time_exponent);
    wide_multiply(&product, &key, &time);
    wide_add(place, place, &product);
    wide_difference(length, value->t1, value->t0, time_exponent);
}

static int exact_sign(const struct moving_value *a, const struct moving_value *b, double t)
{
    const double keys[4] = {a->x0, a->x1, b->x0, b->x1}, times[5] = {a->t0, a->t1, b->t0, b->t1, t};
    struct wide_integer place_a, place_b, length_a, length_b, left, right;
    int key_exponent = lowest_of(keys, 4), time_exponent = lowest_of(times, 5);
    exact_place(a, t, key_exponent, time_exponent, &place_a, &length_a);
    exact_place(b, t, key_exponent, time_exponent, &place_b, &length_b);
    wide_multiply(&left, &place_a, &length_b);
    wide_multiply(&right, &place_b, &length_a);
    wide_subtract(&left, &left, &right);
    return left.sign;
}

static int general_sign(const struct moving_value *a, const struct moving_value *b, double t)
{
    double a_lo, a_hi, b_lo, b_hi;
    moving_bounds(a, t, &a_lo, &a_hi);
    moving_bounds(b, t, &b_lo, &b_hi);
    return a_lo > b_hi ? 1 : a_hi < b_lo ? -1 : exact_sign(a, b, t);
}

/* ---- the public part --------------------------------------------------------------------------------------------- */

int moving_sign(const struct moving_value *a, const struct moving_value *b, double t)
{
    bool a_stands = stands(a), b_stands = stands(b);
    if (a_stands && b_stands) {
        return compare(a->x0, b->x0);
    }
    if (a_stands || b_stands || (a->t0 == b->t0 && a->t1 == b->t1)) {
        const struct moving_value *mover = a_stands ? b : a;
        return common_sign((const double[4]){a->x0, a->x1, b->x0, b->x1},
                           (const double[3]){mover->t0, mover->t1, t});
    }
    return general_sign(a, b, t);
}

static double first_end(const struct moving_value *a, const struct moving_value *b)
{
    return a->t1 < b->t1 ? a->t1 : b->t1;
}

int moving_order(const struct moving_value *a, const struct moving_value *b, double t)
{
    int sign = moving_sign(a, b, t);
    double end = first_end(a, b);
    return sign != 0 || isinf(end) || t >= end ? sign : moving_sign(a, b, end);
}

/* Times as integers in the same order, and back. Two of them may be further apart than an int64_t can say. */
static int64_t ordered_bits(double time)
{
    return (int64_t)(radix_key_of_double(time) ^ UINT64_C(1) << 63);
}

static double time_of(int64_t bits_in_order)
{
    uint64_t key = (uint64_t)bits_in_order ^ UINT64_C(1) << 63, bits = key >> 63 ? key ^ UINT64_C(1) << 63 : ~key;
    double time;
    memcpy(&time, &bits, sizeof time);
    return time + 0.0;
}

/* Where the straight line between the differences at both ends is zero. */
static double guess_failure(const struct moving_value *a, const struct moving_value *b, double t, double end)
{
    double now = moving_guess(a, t) - moving_guess(b, t), then = moving_guess(a, end) - moving_guess(b, end);
    return t + (end - t) * (now / (now - then));
}

double moving_first_failure(const struct moving_value *a, const struct moving_value *b, double t)
{
    double end = first_end(a, b);
    if (isinf(end) || moving_sign(a, b, end) >= 0) {
        return INFINITY;
    }
    /* The difference is positive at `low` and not at `high`. Around a guess, steps that double; then halves. */
    int64_t low = ordered_bits(t), high = ordered_bits(end), step = 1;
    double guess = guess_failure(a, b, t, end);
    int64_t probe = guess > t && guess < end ? ordered_bits(guess) : low + (int64_t)(((uint64_t)high - (uint64_t)low) / 2);
    bool found_low = false, found_high = false;
    while ((uint64_t)high - (uint64_t)low > 1) {
        if (probe <= low || probe >= high) {
            probe = low + (int64_t)(((uint64_t)high - (uint64_t)low) / 2);
            found_low = found_high = true;
        }
        if (moving_sign(a, b, time_of(probe)) > 0) {
            low = probe;
            found_low = true;
        } else {
            high = probe;
            found_high = true;
        }
        if (found_low && found_high) {
            probe = low + (int64_t)(((uint64_t)high - (uint64_t)low) / 2);
        } else {
            bool inside = (uint64_t)high - (uint64_t)low > (uint64_t)step;
            probe = found_low ? (inside ? low + step : high) : (inside ? high - step : low);
            step = step > INT64_MAX / 2 ? INT64_MAX : 2 * step;
        }
    }
    double failure = time_of(high);
    return failure < end ? failure : INFINITY;
}

double moving_guess(const struct moving_value *value, double t)
{
    if (t <= value->t0 || stands(value)) {
        return value->x0;
    }
    if (t >= value->t1) {
        return value->x1;
    }
    double length = value->t1 - value->t0;
    return value->x0 * ((value->t1 - t) / length) + value->x1 * ((t - value->t0) / length);
}

/* Each weight has three roundings, each product a fourth, and the sum one more: 5 u of the sizes. A weight or a product
 * that underflows is wrong by half a step of the smallest number, the former times its key. */
void moving_bounds(const struct moving_value *value, double t, double *lo, double *hi)
{
    if (t <= value->t0 || t >= value->t1 || value->x0 == value->x1) {
        *lo = *hi = t >= value->t1 ? value->x1 : value->x0;
        return;
    }
    double length = value->t1 - value->t0;
    double from = value->x0 * ((value->t1 - t) / length), to = value->x1 * ((t - value->t0) / length);
    double error = 0x1p-50 * (fabs(from) + fabs(to)) + 0x1p-1072 + 0x1p-1073 * fabs(value->x0) +
                   0x1p-1073 * fabs(value->x1);
    double least = fmin(value->x0, value->x1), most = fmax(value->x0, value->x1), place = from + to;
    *lo = place - error > least ? place - error : least; /* on the way between two keys */
    *hi = place + error < most ? place + error : most;
}

double moving_place(const struct moving_value *value, double t)
{
    double place = moving_guess(value, t);
    double least = fmin(value->x0, value->x1), most = fmax(value->x0, value->x1);
    return place < least ? least : place > most ? most : place;
}
