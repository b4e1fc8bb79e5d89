/* Products and quotients of 64-bit words with 128 bits in between: by the compiler's 128-bit integer where it has one,
 * in halves and bit by bit elsewhere (gcc for i386). Both give the same words; DENT_NO_INT128 chooses the second way,
 * for its test. */
#ifndef DENT_IO_WIDE_WORD_H
#define DENT_IO_WIDE_WORD_H

#include <stdint.h>

#if defined(__SIZEOF_INT128__) && !defined(DENT_NO_INT128)
#define DENT_HAS_INT128 1
__extension__ typedef unsigned __int128 wide_word;
#else
#define DENT_HAS_INT128 0
#endif

/* The lower half of a * b + addend; *high is the upper one. */
static inline uint64_t word_multiply_add(uint64_t a, uint64_t b, uint64_t addend, uint64_t *high)
{
#if DENT_HAS_INT128
    wide_word product = (wide_word)a * b + addend;
    *high = (uint64_t)(product >> 64);
    return (uint64_t)product;
#else
    uint64_t a_low = (uint32_t)a, a_high = a >> 32, b_low = (uint32_t)b, b_high = b >> 32;
    uint64_t low = a_low * b_low, middle = a_high * b_low + (low >> 32), other = a_low * b_high + (uint32_t)middle;
    low = (other << 32 | (uint32_t)low) + addend;
    *high = a_high * b_high + (middle >> 32) + (other >> 32) + (low < addend);
    return low;
#endif
}

/* The quotient of high * 2^64 by a divisor above `high`, rounded down, and whether nothing is left. */
static inline uint64_t word_divide(uint64_t high, uint64_t divisor, _Bool *exact)
{
#if DENT_HAS_INT128
    wide_word dividend = (wide_word)high << 64;
    uint64_t quotient = (uint64_t)(dividend / divisor);
    *exact = (wide_word)quotient * divisor == dividend;
    return quotient;
#else
    uint64_t quotient = 0;
    for (int bit = 0; bit < 64; bit++) {
        _Bool carry = (_Bool)(high >> 63);
        high <<= 1;
        quotient <<= 1;
        if (carry || high >= divisor) {
            high -= divisor;
            quotient |= 1;
        }
    }
    *exact = high == 0;
    return quotient;
#endif
}

#endif
