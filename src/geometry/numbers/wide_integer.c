/* Sign-magnitude integers in 64-bit limbs, least significant first. Schoolbook multiplication: the numbers are short
 * (two or three limbs) for ordinary input, and input that makes them long is rare. Nothing is allocated; every
 * caller's polynomial fits WIDE_INTEGER_LIMBS by the degree count in the header. */
#include "geometry/numbers/wide_integer.h"

#include <limits.h>
#include <string.h>

#include "base/dent_assert.h"
#include "base/limb_arithmetic.h"

struct decoded_double {
    uint64_t mantissa;
    int exponent; /* value = +-mantissa * 2^exponent */
};

static struct decoded_double decode(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    int field = (int)(bits >> 52 & 0x7FF);
    uint64_t fraction = bits & ((UINT64_C(1) << 52) - 1);
    if (field == 0) {
        return (struct decoded_double){fraction, -1074};
    }
    return (struct decoded_double){fraction | UINT64_C(1) << 52, field - 1075};
}

int lowest_bit_exponent(double value)
{
    if (value == 0.0) {
        return INT_MAX;
    }
    struct decoded_double decoded = decode(value);
    return decoded.exponent + __builtin_ctzll(decoded.mantissa);
}

void wide_from_double(struct wide_integer *result, double value, int scale_exponent)
{
    if (value == 0.0) {
        result->sign = 0;
        result->length = 0;
        return;
    }
    struct decoded_double decoded = decode(value);
    int shift = decoded.exponent - scale_exponent;
    if (shift < 0) {
        decoded.mantissa >>= -shift; /* only zeros are shifted out */
        shift = 0;
    }
    int limb = shift / 64, offset = shift % 64;
    DENT_ASSERT(limb + 2 <= WIDE_INTEGER_LIMBS);
    memset(result->limbs, 0, (size_t)limb * sizeof result->limbs[0]);
    result->limbs[limb] = limb_shift_left(decoded.mantissa, offset, &result->limbs[limb + 1]);
    result->length = result->limbs[limb + 1] != 0 ? limb + 2 : limb + 1;
    result->sign = value < 0.0 ? -1 : 1;
}

static int compare_magnitudes(const struct wide_integer *a, const struct wide_integer *b)
{
    if (a->length != b->length) {
        return a->length < b->length ? -1 : 1;
    }
    for (int k = a->length - 1; k >= 0; k--) {
        if (a->limbs[k] != b->limbs[k]) {
            return a->limbs[k] < b->limbs[k] ? -1 : 1;
        }
    }
    return 0;
}

static void add_magnitudes(struct wide_integer *result, const struct wide_integer *longer,
                           const struct wide_integer *shorter)
{
    uint64_t carry = 0;
    int longer_length = longer->length, shorter_length = shorter->length;
    for (int k = 0; k < longer_length; k++) {
        result->limbs[k] = limb_add(longer->limbs[k], k < shorter_length ? shorter->limbs[k] : 0, &carry);
    }
    result->length = longer_length;
    if (carry != 0) {
        DENT_ASSERT(longer_length < WIDE_INTEGER_LIMBS);
        result->limbs[result->length++] = carry;
    }
}

static void subtract_magnitudes(struct wide_integer *result, const struct wide_integer *larger,
                                const struct wide_integer *smaller)
{
    uint64_t borrow = 0;
    int larger_length = larger->length, smaller_length = smaller->length;
    for (int k = 0; k < larger_length; k++) {
        result->limbs[k] = limb_subtract(larger->limbs[k], k < smaller_length ? smaller->limbs[k] : 0, &borrow);
    }
    result->length = larger_length;
    while (result->length > 0 && result->limbs[result->length - 1] == 0) {
        result->length--;
    }
}

static void copy(struct wide_integer *result, const struct wide_integer *a, int sign)
{
    if (result != a) {
        memcpy(result->limbs, a->limbs, (size_t)a->length * sizeof a->limbs[0]);
    }
    result->length = a->length;
    result->sign = sign;
}

/* a + b with the sign of b given apart, so that subtraction needs no copy. */
static void add_signed(struct wide_integer *result, const struct wide_integer *a, const struct wide_integer *b,
                       int b_sign)
{
    if (b_sign == 0) {
        copy(result, a, a->sign);
    } else if (a->sign == 0) {
        copy(result, b, b_sign);
    } else if (a->sign == b_sign) {
        int sign = a->sign;
        if (a->length >= b->length) {
            add_magnitudes(result, a, b);
        } else {
            add_magnitudes(result, b, a);
        }
        result->sign = sign;
    } else {
        int order = compare_magnitudes(a, b);
        int sign = order == 0 ? 0 : order > 0 ? a->sign : b_sign;
        if (order >= 0) {
            subtract_magnitudes(result, a, b);
        } else {
            subtract_magnitudes(result, b, a);
        }
        result->sign = sign;
    }
}

void wide_add(struct wide_integer *result, const struct wide_integer *a, const struct wide_integer *b)
{
    add_signed(result, a, b, b->sign);
}

void wide_subtract(struct wide_integer *result, const struct wide_integer *a, const struct wide_integer *b)
{
    add_signed(result, a, b, -b->sign);
}

void wide_multiply(struct wide_integer *result, const struct wide_integer *a, const struct wide_integer *b)
{
    DENT_ASSERT(result != a && result != b);
    result->sign = a->sign * b->sign;
    if (result->sign == 0) {
        result->length = 0;
        return;
    }
    int length = a->length + b->length;
    DENT_ASSERT(length <= WIDE_INTEGER_LIMBS);
    memset(result->limbs, 0, (size_t)b->length * sizeof result->limbs[0]);
    for (int i = 0; i < a->length; i++) {
        uint64_t carry = 0, factor = a->limbs[i];
        for (int j = 0; j < b->length; j++) {
            result->limbs[i + j] = limb_multiply_add(factor, b->limbs[j], result->limbs[i + j], &carry);
        }
        result->limbs[i + b->length] = carry;
    }
    result->length = result->limbs[length - 1] != 0 ? length : length - 1;
}

void wide_determinant_2(struct wide_integer *result, const struct wide_integer *a, const struct wide_integer *b,
                        const struct wide_integer *c, const struct wide_integer *d)
{
    struct wide_integer first, second;
    wide_multiply(&first, a, d);
    wide_multiply(&second, b, c);
    wide_subtract(result, &first, &second);
}

void wide_determinant_3(struct wide_integer *result, const struct wide_integer a[3], const struct wide_integer b[3],
                        const struct wide_integer c[3])
{
    struct wide_integer minor, term, sum;
    wide_determinant_2(&minor, &b[1], &b[2], &c[1], &c[2]);
    wide_multiply(&sum, &a[0], &minor);
    wide_determinant_2(&minor, &c[1], &c[2], &a[1], &a[2]);
    wide_multiply(&term, &b[0], &minor);
    wide_add(&sum, &sum, &term);
    wide_determinant_2(&minor, &a[1], &a[2], &b[1], &b[2]);
    wide_multiply(&term, &c[0], &minor);
    wide_add(result, &sum, &term);
}

struct scaled_double wide_to_scaled(const struct wide_integer *value)
{
    if (value->sign == 0) {
        return (struct scaled_double){0.0, 0};
    }
    int top = value->length - 1;
    int unused = __builtin_clzll(value->limbs[top]);
    uint64_t leading = value->limbs[top] << unused;
    if (unused > 0 && top > 0) {
        leading |= value->limbs[top - 1] >> (64 - unused);
    }
    struct scaled_double result = {(double)leading * 0x1p-64, 64 * value->length - unused};
    if (result.mantissa == 1.0) { /* rounded up to the next power of two */
        result.mantissa = 0.5;
        result.exponent++;
    }
    result.mantissa = value->sign < 0 ? -result.mantissa : result.mantissa;
    return result;
}
