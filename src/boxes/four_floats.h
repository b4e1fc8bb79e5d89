/* Corners of boxes, three floats each, as rows of four: for reading lists of many. The fourth number is 0.
 *
 * A load takes the four bytes behind a corner, too, so there must be some: the last box of a list is read otherwise. The
 * vectors are those of the compiler; every instruction set gives the same bits.
 */
#ifndef DENT_BOXES_FOUR_FLOATS_H
#define DENT_BOXES_FOUR_FLOATS_H

#include "boxes/kernels/box_kernels.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef float four_floats __attribute__((vector_size(16)));
typedef int32_t four_ints __attribute__((vector_size(16)));

/* What a list has of each corner at least. */
struct float_corner {
    float x[3];
};

static inline four_floats four_set(float x)
{
    return (four_floats){x, x, x, x};
}

static inline four_floats four_load(const char *corner)
{
    const four_ints three = {-1, -1, -1, 0};
    four_ints bits;
    memcpy(&bits, corner, sizeof bits);
    return (four_floats)(bits & three);
}

static inline four_floats four_choose(four_ints mask, four_floats a, four_floats b)
{
    return (four_floats)((mask & (four_ints)a) | (~mask & (four_ints)b));
}

static inline four_floats four_least(four_floats a, four_floats b)
{
    return four_choose(b < a, b, a);
}

static inline four_floats four_most(four_floats a, four_floats b)
{
    return four_choose(b > a, b, a);
}

static inline bool four_any(four_ints mask)
{
    return (mask[0] | mask[1] | mask[2] | mask[3]) != 0;
}

/* Has a product with a power of two that is not 0 fallen below the normal floats? */
static inline four_ints four_rounded(four_floats given, four_floats product)
{
    const four_ints no_sign = {INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX};
    four_floats size = (four_floats)((four_ints)product & no_sign);
    return (size < four_set(FLT_MIN)) & (given != four_set(0.0f));
}

/* Does a record have other bits? */
static inline bool four_differ(const struct box_record *record, four_floats lo, four_floats hi)
{
    uint64_t old[4], bits[4], differ = 0;
    memcpy(old, record, sizeof old);
    memcpy(bits, &lo, sizeof lo);
    memcpy(bits + 2, &hi, sizeof hi);
    for (int k = 0; k < 4; k++) {
        differ |= old[k] ^ bits[k];
    }
    return differ != 0;
}

/* Does a record have other numbers than a corner times the factors, or may these have been rounded? */
static inline four_ints four_changed(four_floats given, four_floats factors, const float record[4])
{
    four_floats product = given * factors, old;
    memcpy(&old, record, sizeof old);
    return (product != old) | four_rounded(given, product);
}

struct four_bounds {
    four_floats lo, hi;
};

/* Bounds of boxes; false: some are absent, or not numbers. */
static inline bool four_bounds_of(const void *lo, const void *hi, size_t stride, uint32_t count, struct four_bounds *bounds)
{
    const char *at_lo = lo, *at_hi = hi;
    four_ints present = {-1, -1, -1, -1};
    four_floats low = four_set(INFINITY), high = four_set(-INFINITY);
    for (uint32_t i = 0; i < count; i++, at_lo += stride, at_hi += stride) {
        four_floats from = four_load(at_lo), to = four_load(at_hi);
        present &= from <= to;
        low = four_least(low, from);
        high = four_most(high, to);
    }
    *bounds = (struct four_bounds){low, high};
    return !four_any(~present);
}

#endif
