/* Integers of any length as values: sign, length and a pointer to limbs in an arena that the caller has on its stack.
 *
 * Made for polynomials whose coefficients differ much in length (exact_roots.h): a number takes the limbs it needs, all
 * numbers of a computation lie close together, and rewinding the arena frees them. Nothing is ever changed after it was
 * made, so copies may share limbs. The fixed struct of wide_integer.h suits short formulas in registers; this one suits
 * computations with many numbers of very different lengths.
 *
 * The arena never grows: its user proves the size (impact_exact.c) and the tests measure it.
 */
#ifndef DENT_GEOMETRY_EXACT_INTEGER_H
#define DENT_GEOMETRY_EXACT_INTEGER_H

#include <stdint.h>

#include "geometry/numbers/wide_integer.h"

struct limb_arena {
    uint64_t *next, *end;
    uint64_t *highest; /* how far it was ever filled, for the tests */
};

struct exact_integer {
    const uint64_t *limbs; /* least significant first, the last one not zero */
    int32_t length;        /* 0 for zero */
    int32_t sign;          /* -1, 0, 1 */
};

struct limb_arena limb_arena_of(uint64_t *limbs, int count);

/* Room for limbs, not yet a number. */
uint64_t *exact_take(struct limb_arena *arena, int count);

struct exact_integer exact_zero(void);
struct exact_integer exact_from_small(struct limb_arena *arena, int64_t value);
/* value / 2^scale_exponent, an integer. */
struct exact_integer exact_from_double(struct limb_arena *arena, double value, int scale_exponent);
struct exact_integer exact_add(struct limb_arena *arena, struct exact_integer a, struct exact_integer b);
struct exact_integer exact_subtract(struct limb_arena *arena, struct exact_integer a, struct exact_integer b);
struct exact_integer exact_multiply(struct limb_arena *arena, struct exact_integer a, struct exact_integer b);
struct exact_integer exact_times_small(struct limb_arena *arena, struct exact_integer a, int64_t factor);
struct exact_integer exact_shift_left(struct limb_arena *arena, struct exact_integer a, int bits);

/* Sign of a - b, of magnitudes only in the second. */
int exact_compare(struct exact_integer a, struct exact_integer b);

/* Relative error below 2^-52. */
struct scaled_double exact_to_scaled(struct exact_integer a);

static inline struct exact_integer exact_negate(struct exact_integer a)
{
    a.sign = -a.sign;
    return a;
}

#endif
