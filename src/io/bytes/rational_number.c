/* Is numerator / denominator exactly a double, and which?
 *
 * Only one double can be it: if the quotient is a double x at all, the quotient of the leading 64 bits of both integers
 * differs from x by less than 2^-61 of itself, and the double nearest to that quotient is x (doubles are 2^-52 apart
 * or, below the normal range, farther). So one short division names the candidate, and the question is whether
 * numerator = x * denominator, which takes a product with a 53-bit integer, a shift and a comparison. No long division,
 * no rounding that matters.
 */
#include "rational_number.h"

#include "wide_word.h"

#include <math.h>
#include <string.h>

/* Room for RATIONAL_DIGITS digits (3.33 bits each), a product with 53 bits and a shift by up to 1130 bits. */
enum { LIMBS = (RATIONAL_DIGITS * 10 / 3 + 53 + 1130) / 64 + 3 };

struct natural {
    int length; /* limbs in use, the last one not zero; 0: zero */
    uint64_t limbs[LIMBS];
};

static void multiply_add(struct natural *number, uint64_t factor, uint64_t addend)
{
    uint64_t carry = addend;
    for (int i = 0; i < number->length; i++) {
        number->limbs[i] = word_multiply_add(number->limbs[i], factor, carry, &carry);
    }
    if (carry) {
        number->limbs[number->length++] = carry;
    }
}

/* Digits in groups of 19, which fit a limb. */
static void read_digits(struct natural *number, const char *digits, size_t count)
{
    number->length = 0;
    while (count > 0) {
        uint64_t group = 0, scale = 1;
        for (int i = 0; i < 19 && count > 0; i++, count--) {
            group = group * 10 + (uint64_t)(*digits++ - '0');
            scale *= 10;
        }
        multiply_add(number, scale, group);
    }
}

static int bit_length(const struct natural *number)
{
    return number->length * 64 - __builtin_clzll(number->limbs[number->length - 1]);
}

/* The leading 64 bits: number = (result + something below 1) * 2^(bit_length - 64). */
static uint64_t leading_bits(const struct natural *number)
{
    int top = number->length - 1, shift = __builtin_clzll(number->limbs[top]);
    uint64_t bits = number->limbs[top] << shift;
    return shift && top > 0 ? bits | number->limbs[top - 1] >> (64 - shift) : bits;
}

static void shift_left(struct natural *number, int bits)
{
    int limbs = bits / 64, rest = bits % 64;
    memmove(number->limbs + limbs, number->limbs, (size_t)number->length * sizeof number->limbs[0]);
    memset(number->limbs, 0, (size_t)limbs * sizeof number->limbs[0]);
    number->length += limbs;
    uint64_t carry = 0;
    for (int i = limbs; rest && i < number->length; i++) {
        uint64_t limb = number->limbs[i];
        number->limbs[i] = limb << rest | carry;
        carry = limb >> (64 - rest);
    }
    if (carry) {
        number->limbs[number->length++] = carry;
    }
}

static bool equal(const struct natural *a, const struct natural *b)
{
    return a->length == b->length && memcmp(a->limbs, b->limbs, (size_t)a->length * sizeof a->limbs[0]) == 0;
}

/* Takes sign and leading zeros off; false when the rest is not digits. */
static bool split_integer(struct text_span *span, bool *negative)
{
    *negative = span->length > 0 && span->text[0] == '-';
    if (*negative) {
        span->text++;
        span->length--;
    }
    for (size_t i = 0; i < span->length; i++) {
        if (span->text[i] < '0' || span->text[i] > '9') {
            return false;
        }
    }
    if (span->length == 0) {
        return false;
    }
    while (span->length > 0 && span->text[0] == '0') {
        span->text++;
        span->length--;
    }
    return true;
}

/* The double nearest to the quotient of the leading bits; infinity when it is beyond the largest. */
static double candidate_quotient(const struct natural *numerator, const struct natural *denominator)
{
    bool exact;
    uint64_t quotient = word_divide(leading_bits(numerator) >> 1, leading_bits(denominator), &exact);
    int exponent = bit_length(numerator) - bit_length(denominator) - 63;
    return ldexp((double)quotient, exponent);
}

static bool quotient_is(struct natural *numerator, struct natural *denominator, double value)
{
    int exponent;
    double mantissa = frexp(value, &exponent); /* value = mantissa * 2^53 * 2^(exponent - 53), the former an integer */
    multiply_add(denominator, (uint64_t)ldexp(mantissa, 53), 0);
    exponent -= 53;
    shift_left(exponent < 0 ? numerator : denominator, exponent < 0 ? -exponent : exponent);
    return equal(numerator, denominator);
}

enum rational_result rational_to_double(struct text_span numerator, struct text_span denominator, double *value)
{
    bool negative, denominator_negative;
    if (!split_integer(&numerator, &negative) || !split_integer(&denominator, &denominator_negative)) {
        return RATIONAL_NOT_AN_INTEGER;
    }
    if (denominator_negative || denominator.length == 0) {
        return RATIONAL_BAD_DENOMINATOR;
    }
    if (numerator.length > RATIONAL_DIGITS || denominator.length > RATIONAL_DIGITS) {
        return RATIONAL_TOO_LONG;
    }
    if (numerator.length == 0) {
        *value = 0;
        return RATIONAL_IS_DOUBLE;
    }
    struct natural above, below;
    read_digits(&above, numerator.text, numerator.length);
    read_digits(&below, denominator.text, denominator.length);
    double candidate = candidate_quotient(&above, &below);
    if (!isfinite(candidate) || candidate == 0 || !quotient_is(&above, &below, candidate)) {
        return RATIONAL_IS_NO_DOUBLE;
    }
    *value = negative ? -candidate : candidate;
    return RATIONAL_IS_DOUBLE;
}
