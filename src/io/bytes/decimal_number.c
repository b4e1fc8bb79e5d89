/* Decimal text to the nearest double by integer arithmetic alone, so that the result cannot depend on the locale, on
 * the rounding mode or on flush-to-zero.
 *
 * Almost every number of a mesh file has at most 19 significant digits and a small exponent: w * 10^q with |q| <= 27.
 * There 5^|q| fits in 63 bits and one product or quotient of 64-bit words holds every bit that matters, plus a sticky
 * bit. The rest goes through a long division of big integers that yields 64 bits of the quotient and whether anything
 * is left; 780 digits are enough to decide every case, digits beyond them count only as "more than". */
#include "decimal_number.h"

#include "wide_word.h"

#include <string.h>

/* ---- rounding -------------------------------------------------------------------------------------------------- */

static int bit_length(uint64_t value)
{
    return value ? 64 - __builtin_clzll(value) : 0;
}

static double double_from_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* (mantissa + something in (0, 1) when sticky) * 2^exponent, to nearest, ties to even. mantissa > 0, and when sticky it
 * must have at least 55 bits. */
static uint64_t round_to_bits(uint64_t mantissa, bool sticky, int64_t exponent)
{
    int length = bit_length(mantissa);
    int64_t top = exponent + length - 1; /* 2^top <= value < 2^(top + 1) */
    if (top > 1023) {
        return 0x7ff0000000000000u;
    }
    int64_t precision = top >= -1022 ? 53 : 53 - (-1022 - top);
    if (precision < 0) {
        return 0;
    }
    int64_t shift = length - precision;
    uint64_t kept;
    if (shift <= 0) {
        kept = mantissa << -shift;
    } else {
        kept = shift >= 64 ? 0 : mantissa >> shift;
        uint64_t half = (uint64_t)1 << (shift - 1);
        uint64_t rest = mantissa & (half | (half - 1));
        if (rest > half || (rest == half && (sticky || (kept & 1)))) {
            kept++;
        }
    }
    /* The hidden bit of a normal number adds one to the exponent field; so does a carry out of the rounding. */
    return top >= -1022 ? ((uint64_t)(top + 1022) << 52) + kept : kept;
}

/* ---- the common case ------------------------------------------------------------------------------------------- */

enum { SMALL_POWER_MAX = 27 };

static uint64_t power_of_five(int exponent)
{
    uint64_t power = 1;
    uint64_t base = 5;
    while (exponent) {
        if (exponent & 1) {
            power *= base;
        }
        base *= base;
        exponent >>= 1;
    }
    return power;
}

/* digits * 10^exponent, digits > 0, |exponent| <= SMALL_POWER_MAX. */
static uint64_t convert_small(uint64_t digits, int exponent)
{
    if (exponent >= 0) {
        uint64_t high, low = word_multiply_add(digits, power_of_five(exponent), 0, &high);
        if (high == 0) {
            return round_to_bits(low, false, exponent);
        }
        int shift = bit_length(high); /* what is shifted out only matters as being there */
        uint64_t leading = shift < 64 ? high << (64 - shift) | low >> shift : high;
        uint64_t rest = shift < 64 ? low << (64 - shift) : low;
        return round_to_bits(leading, rest != 0, (int64_t)exponent + shift);
    }
    /* Both with their highest bit set: the quotient times 2^64 has 64 bits, or 65 of which the lowest only matters as
     * being there. */
    uint64_t divisor = power_of_five(-exponent);
    int up = __builtin_clzll(digits), room = __builtin_clzll(divisor);
    uint64_t dividend = digits << up;
    int64_t scale = (int64_t)exponent + room - up - 64;
    bool exact;
    divisor <<= room;
    if (dividend < divisor) {
        uint64_t quotient = word_divide(dividend, divisor, &exact);
        return round_to_bits(quotient, !exact, scale);
    }
    uint64_t quotient = word_divide(dividend - divisor, divisor, &exact);
    return round_to_bits((uint64_t)1 << 63 | quotient >> 1, !exact || (quotient & 1), scale + 1);
}

/* ---- the general case ------------------------------------------------------------------------------------------ */

enum { BIG_LIMBS = 96, BIG_DIGITS = 780 };

/* Little-endian limbs; the top one is not zero. */
struct big_integer {
    uint32_t limbs[BIG_LIMBS];
    int count;
};

static void big_multiply_add(struct big_integer *big, uint32_t factor, uint32_t addend)
{
    uint64_t carry = addend;
    for (int i = 0; i < big->count; i++) {
        carry += (uint64_t)big->limbs[i] * factor;
        big->limbs[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry) {
        big->limbs[big->count++] = (uint32_t)carry;
    }
}

static void big_multiply_power_of_five(struct big_integer *big, int exponent)
{
    const uint32_t five_to_13 = 1220703125u;
    for (; exponent >= 13; exponent -= 13) {
        big_multiply_add(big, five_to_13, 0);
    }
    big_multiply_add(big, (uint32_t)power_of_five(exponent), 0);
}

static int big_bit_length(const struct big_integer *big)
{
    return big->count ? 32 * big->count - __builtin_clz(big->limbs[big->count - 1]) : 0;
}

static void big_shift_left(struct big_integer *big, int shift)
{
    int limbs = shift / 32;
    int bits = shift % 32;
    uint32_t above = 0;
    for (int i = big->count - 1; i >= 0; i--) {
        uint32_t limb = big->limbs[i];
        if (i == big->count - 1 && bits) {
            above = limb >> (32 - bits);
        }
        uint32_t below = i > 0 && bits ? big->limbs[i - 1] >> (32 - bits) : 0;
        big->limbs[i + limbs] = limb << bits | below;
    }
    memset(big->limbs, 0, (size_t)limbs * sizeof big->limbs[0]);
    big->count += limbs;
    if (above) {
        big->limbs[big->count++] = above;
    }
}

static bool big_at_least(const struct big_integer *a, const struct big_integer *b)
{
    if (a->count != b->count) {
        return a->count > b->count;
    }
    for (int i = a->count - 1; i >= 0; i--) {
        if (a->limbs[i] != b->limbs[i]) {
            return a->limbs[i] > b->limbs[i];
        }
    }
    return true;
}

/* a -= b, a >= b. */
static void big_subtract(struct big_integer *a, const struct big_integer *b)
{
    int64_t borrow = 0;
    for (int i = 0; i < a->count; i++) {
        borrow += (int64_t)a->limbs[i] - (i < b->count ? b->limbs[i] : 0);
        a->limbs[i] = (uint32_t)borrow;
        borrow >>= 32;
    }
    while (a->count > 0 && a->limbs[a->count - 1] == 0) {
        a->count--;
    }
}

/* The significant digits of the text (points are skipped), at most BIG_DIGITS; the number of digits taken is returned.
 */
static int64_t big_from_digits(struct big_integer *big, const char *digits, const char *end)
{
    int64_t taken = 0;
    big->count = 0;
    for (const char *p = digits; p < end; p++) {
        if (*p == '.') {
            continue;
        }
        uint32_t digit = (uint32_t)(*p - '0');
        if (taken < BIG_DIGITS) {
            big_multiply_add(big, 10, digit);
            taken++;
        } else if (digit) {
            big_multiply_add(big, 10, 1); /* stands for all that is left */
            return taken + 1;
        }
    }
    return taken;
}

/* The digits from `digits` (the first is not zero) to `end`, the first one having the weight 10^lead. */
static uint64_t convert_big(const char *digits, const char *end, int64_t lead)
{
    if (lead > 310) {
        return 0x7ff0000000000000u;
    }
    if (lead < -330) {
        return 0;
    }
    struct big_integer dividend;
    struct big_integer divisor = {.limbs = {1}, .count = 1};
    int64_t taken = big_from_digits(&dividend, digits, end);
    int exponent = (int)(lead - taken + 1);
    if (exponent >= 0) {
        big_multiply_power_of_five(&dividend, exponent);
    } else {
        big_multiply_power_of_five(&divisor, -exponent);
    }
    /* Bring both to the same length: the quotient is then in (1/2, 2), and 64 steps give 64 bits of it. */
    int shift = big_bit_length(&divisor) - big_bit_length(&dividend);
    if (shift > 0) {
        big_shift_left(&dividend, shift);
    } else {
        big_shift_left(&divisor, -shift);
    }
    uint64_t quotient = 0;
    for (int i = 0; i <= 63; i++) {
        quotient <<= 1;
        if (big_at_least(&dividend, &divisor)) {
            big_subtract(&dividend, &divisor);
            quotient |= 1;
        }
        big_shift_left(&dividend, 1);
    }
    return round_to_bits(quotient, dividend.count > 0, (int64_t)exponent - 63 - shift);
}

/* ---- text ------------------------------------------------------------------------------------------------------ */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool equal_any_case(const char *text, const char *end, const char *word)
{
    for (; text < end && *word; text++, word++) {
        if ((*text | 32) != *word) {
            return false;
        }
    }
    return text == end && !*word;
}

/* What stands before the exponent. */
struct mantissa {
    const char *first; /* first digit that is not zero; null: there is none */
    const char *end;   /* behind the last digit or point */
    uint64_t digits;   /* the first 19 significant digits */
    int64_t dropped;   /* digits that did not fit there */
    bool dropped_any;  /* … one of them not zero */
    int64_t significant;
    int64_t fraction; /* digits behind the point */
    bool any_digit;
};

static struct mantissa scan_mantissa(const char *p, const char *end)
{
    struct mantissa m = {0};
    bool point = false;
    for (; p < end; p++) {
        if (*p == '.' && !point) {
            point = true;
            continue;
        }
        if (!is_digit(*p)) {
            break;
        }
        m.any_digit = true;
        m.fraction += point;
        if (!m.first && *p == '0') {
            continue;
        }
        if (!m.first) {
            m.first = p;
        }
        m.significant++;
        if (m.significant <= 19) {
            m.digits = m.digits * 10 + (uint64_t)(*p - '0');
        } else {
            m.dropped++;
            m.dropped_any |= *p != '0';
        }
    }
    m.end = p;
    return m;
}

/* An exponent at p ("e-5", or nothing at the end). False: something else stands there. */
static bool scan_exponent(const char *p, const char *end, int64_t *exponent)
{
    *exponent = 0;
    if (p == end) {
        return true;
    }
    if ((*p | 32) != 'e' && (*p | 32) != 'd') {
        return false;
    }
    p++;
    bool negative = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+')) {
        p++;
    }
    if (p == end) {
        return false;
    }
    for (; p < end; p++) {
        if (!is_digit(*p)) {
            return false;
        }
        if (*exponent < (int64_t)1 << 40) { /* beyond any text in memory */
            *exponent = *exponent * 10 + (*p - '0');
        }
    }
    *exponent = negative ? -*exponent : *exponent;
    return true;
}

bool decimal_to_double(const char *text, size_t length, double *value)
{
    const char *p = text;
    const char *end = text + length;
    uint64_t sign = 0;
    if (p < end && (*p == '-' || *p == '+')) {
        sign = *p == '-' ? (uint64_t)1 << 63 : 0;
        p++;
    }
    if (equal_any_case(p, end, "nan")) {
        *value = double_from_bits(0x7ff8000000000000u);
        return true;
    }
    if (equal_any_case(p, end, "inf") || equal_any_case(p, end, "infinity")) {
        *value = double_from_bits(sign | 0x7ff0000000000000u);
        return true;
    }
    struct mantissa m = scan_mantissa(p, end);
    int64_t exponent;
    if (!m.any_digit || !scan_exponent(m.end, end, &exponent)) {
        return false;
    }
    uint64_t bits = 0;
    if (m.first) {
        int64_t power = exponent - m.fraction + m.dropped; /* of ten, for m.digits */
        if (!m.dropped_any && power >= -SMALL_POWER_MAX && power <= SMALL_POWER_MAX) {
            bits = convert_small(m.digits, (int)power);
        } else {
            bits = convert_big(m.first, m.end, exponent - m.fraction + m.significant - 1);
        }
    }
    *value = double_from_bits(sign | bits);
    return true;
}

bool decimal_to_integer(const char *text, size_t length, int64_t *value, bool *fits)
{
    const char *p = text;
    const char *end = text + length;
    bool negative = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+')) {
        p++;
    }
    *fits = true;
    if (p == end) {
        return false;
    }
    uint64_t limit = negative ? (uint64_t)1 << 63 : INT64_MAX;
    uint64_t magnitude = 0;
    for (; p < end; p++) {
        if (!is_digit(*p)) {
            *fits = true;
            return false;
        }
        uint64_t digit = (uint64_t)(*p - '0');
        if (!*fits || magnitude > (limit - digit) / 10) {
            *fits = false;
        } else {
            magnitude = magnitude * 10 + digit;
        }
    }
    if (*fits) {
        *value = negative ? (int64_t)(0 - magnitude) : (int64_t)magnitude;
    }
    return *fits;
}
