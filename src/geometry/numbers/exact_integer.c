/* Sign and magnitude in 64-bit limbs, schoolbook multiplication: see exact_integer.h. */
#include "geometry/numbers/exact_integer.h"

#include <string.h>

#include "base/dent_assert.h"
#include "base/limb_arithmetic.h"

struct limb_arena limb_arena_of(uint64_t *limbs, int count)
{
    return (struct limb_arena){limbs, limbs + count, limbs};
}

uint64_t *exact_take(struct limb_arena *arena, int count)
{
    uint64_t *limbs = arena->next;
    DENT_ASSERT(arena->end - arena->next >= count);
    arena->next += count;
    if (arena->next > arena->highest) {
        arena->highest = arena->next;
    }
    return limbs;
}

/* The number in limbs, which are the last ones taken: leading zeros are given back. */
static struct exact_integer finish(struct limb_arena *arena, uint64_t *limbs, int length, int sign)
{
    while (length > 0 && limbs[length - 1] == 0) {
        length--;
    }
    arena->next = limbs + length;
    return (struct exact_integer){limbs, length, length == 0 ? 0 : sign};
}

struct exact_integer exact_zero(void)
{
    return (struct exact_integer){NULL, 0, 0};
}

struct exact_integer exact_from_small(struct limb_arena *arena, int64_t value)
{
    uint64_t *limbs = exact_take(arena, 1);
    limbs[0] = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    return finish(arena, limbs, 1, value < 0 ? -1 : 1);
}

struct exact_integer exact_from_double(struct limb_arena *arena, double value, int scale_exponent)
{
    if (value == 0.0) {
        return exact_zero();
    }
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    int field = (int)(bits >> 52 & 0x7FF);
    uint64_t mantissa = bits & ((UINT64_C(1) << 52) - 1);
    int exponent = -1074;
    if (field != 0) {
        mantissa |= UINT64_C(1) << 52;
        exponent = field - 1075;
    }
    int shift = exponent - scale_exponent;
    if (shift < 0) {
        mantissa >>= -shift; /* only zeros are shifted out */
        shift = 0;
    }
    int whole = shift / 64;
    uint64_t *limbs = exact_take(arena, whole + 2);
    memset(limbs, 0, (size_t)whole * sizeof *limbs);
    limbs[whole] = limb_shift_left(mantissa, shift % 64, &limbs[whole + 1]);
    return finish(arena, limbs, whole + 2, value < 0.0 ? -1 : 1);
}

static int exact_compare_magnitudes(struct exact_integer a, struct exact_integer b)
{
    if (a.length != b.length) {
        return a.length < b.length ? -1 : 1;
    }
    for (int k = a.length - 1; k >= 0; k--) {
        if (a.limbs[k] != b.limbs[k]) {
            return a.limbs[k] < b.limbs[k] ? -1 : 1;
        }
    }
    return 0;
}

int exact_compare(struct exact_integer a, struct exact_integer b)
{
    if (a.sign != b.sign) {
        return a.sign < b.sign ? -1 : 1;
    }
    return a.sign * exact_compare_magnitudes(a, b);
}

static struct exact_integer add_magnitudes(struct limb_arena *arena, struct exact_integer longer,
                                           struct exact_integer shorter)
{
    uint64_t *limbs = exact_take(arena, longer.length + 1);
    uint64_t carry = 0;
    int k = 0;
    for (; k < shorter.length; k++) {
        limbs[k] = limb_add(longer.limbs[k], shorter.limbs[k], &carry);
    }
    for (; k < longer.length; k++) {
        uint64_t sum = longer.limbs[k] + carry;
        carry = sum < carry;
        limbs[k] = sum;
    }
    limbs[k] = carry;
    return finish(arena, limbs, k + 1, longer.sign);
}

static struct exact_integer subtract_magnitudes(struct limb_arena *arena, struct exact_integer larger,
                                                struct exact_integer smaller, int sign)
{
    uint64_t *limbs = exact_take(arena, larger.length);
    uint64_t borrow = 0;
    int k = 0;
    for (; k < smaller.length; k++) {
        limbs[k] = limb_subtract(larger.limbs[k], smaller.limbs[k], &borrow);
    }
    for (; k < larger.length; k++) {
        uint64_t limb = larger.limbs[k];
        limbs[k] = limb - borrow;
        borrow = limb < borrow;
    }
    return finish(arena, limbs, larger.length, sign);
}

struct exact_integer exact_add(struct limb_arena *arena, struct exact_integer a, struct exact_integer b)
{
    if (a.sign == 0 || b.sign == 0) {
        return a.sign == 0 ? b : a;
    }
    if (a.sign == b.sign) {
        return a.length >= b.length ? add_magnitudes(arena, a, b) : add_magnitudes(arena, b, a);
    }
    int order = exact_compare_magnitudes(a, b);
    if (order == 0) {
        return exact_zero();
    }
    return order > 0 ? subtract_magnitudes(arena, a, b, a.sign) : subtract_magnitudes(arena, b, a, b.sign);
}

struct exact_integer exact_subtract(struct limb_arena *arena, struct exact_integer a, struct exact_integer b)
{
    return exact_add(arena, a, exact_negate(b));
}

struct exact_integer exact_multiply(struct limb_arena *arena, struct exact_integer a, struct exact_integer b)
{
    if (a.sign == 0 || b.sign == 0) {
        return exact_zero();
    }
    if (a.length > b.length) {
        struct exact_integer swap = a;
        a = b;
        b = swap;
    }
    uint64_t *limbs = exact_take(arena, a.length + b.length);
    memset(limbs, 0, (size_t)b.length * sizeof *limbs);
    for (int i = 0; i < a.length; i++) {
        uint64_t carry = 0, factor = a.limbs[i];
        for (int j = 0; j < b.length; j++) {
            limbs[i + j] = limb_multiply_add(factor, b.limbs[j], limbs[i + j], &carry);
        }
        limbs[i + b.length] = carry;
    }
    return finish(arena, limbs, a.length + b.length, a.sign * b.sign);
}

struct exact_integer exact_times_small(struct limb_arena *arena, struct exact_integer a, int64_t factor)
{
    uint64_t magnitude = factor < 0 ? 0 - (uint64_t)factor : (uint64_t)factor;
    struct exact_integer small = {&magnitude, 1, factor < 0 ? -1 : factor > 0};
    return exact_multiply(arena, a, small);
}

struct exact_integer exact_shift_left(struct limb_arena *arena, struct exact_integer a, int bits)
{
    if (a.sign == 0 || bits == 0) {
        return a;
    }
    int whole = bits / 64, rest = bits % 64;
    uint64_t *limbs = exact_take(arena, a.length + whole + 1);
    memset(limbs, 0, (size_t)whole * sizeof *limbs);
    uint64_t carry = 0;
    for (int k = 0; k < a.length; k++) {
        limbs[whole + k] = a.limbs[k] << rest | carry;
        carry = rest == 0 ? 0 : a.limbs[k] >> (64 - rest);
    }
    limbs[whole + a.length] = carry;
    return finish(arena, limbs, a.length + whole + 1, a.sign);
}

struct scaled_double exact_to_scaled(struct exact_integer a)
{
    if (a.sign == 0) {
        return (struct scaled_double){0.0, 0};
    }
    int top = a.length - 1;
    int unused = __builtin_clzll(a.limbs[top]);
    uint64_t leading = a.limbs[top] << unused;
    if (unused > 0 && top > 0) {
        leading |= a.limbs[top - 1] >> (64 - unused);
    }
    double mantissa = (double)leading * 0x1p-64; /* may be 1 after rounding: harmless */
    return (struct scaled_double){a.sign < 0 ? -mantissa : mantissa, 64 * a.length - unused};
}
