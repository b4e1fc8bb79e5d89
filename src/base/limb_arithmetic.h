/* Arithmetic on 64-bit limbs with what does not fit in one: the carry of a sum, the borrow of a difference, the upper
 * half of a product. Compilers for 64-bit machines have a 128-bit integer for it; others (gcc for i386) do not, and
 * there products are made of four halves. Both give the same limbs; DENT_NO_INT128 chooses the second way, for its
 * test. */
#ifndef DENT_BASE_LIMB_ARITHMETIC_H
#define DENT_BASE_LIMB_ARITHMETIC_H

#include <stdint.h>

#if defined(__SIZEOF_INT128__) && !defined(DENT_NO_INT128)
#define DENT_HAS_INT128 1
__extension__ typedef __int128 int128;
__extension__ typedef unsigned __int128 uint128;
#else
#define DENT_HAS_INT128 0
#endif

/* a + b + *carry; *carry (0 or 1) becomes the carry out. */
static inline uint64_t limb_add(uint64_t a, uint64_t b, uint64_t *carry)
{
#if DENT_HAS_INT128
    uint128 sum = (uint128)a + b + *carry;
    *carry = (uint64_t)(sum >> 64);
    return (uint64_t)sum;
#else
    uint64_t partial = a + b, sum = partial + *carry;
    *carry = (uint64_t)(partial < a) | (uint64_t)(sum < partial);
    return sum;
#endif
}

/* a - b - *borrow; *borrow (0 or 1) becomes the borrow out. */
static inline uint64_t limb_subtract(uint64_t a, uint64_t b, uint64_t *borrow)
{
#if DENT_HAS_INT128
    uint128 difference = (uint128)a - b - *borrow;
    *borrow = (uint64_t)(difference >> 64) & 1;
    return (uint64_t)difference;
#else
    uint64_t partial = a - b, difference = partial - *borrow;
    *borrow = (uint64_t)(a < b) | (uint64_t)(partial < *borrow);
    return difference;
#endif
}

/* The lower half of a * b + addend + *carry, which always fits two limbs; *carry becomes the upper half. */
static inline uint64_t limb_multiply_add(uint64_t a, uint64_t b, uint64_t addend, uint64_t *carry)
{
#if DENT_HAS_INT128
    uint128 sum = (uint128)a * b + addend + *carry;
    *carry = (uint64_t)(sum >> 64);
    return (uint64_t)sum;
#else
    uint64_t a_low = (uint32_t)a, a_high = a >> 32, b_low = (uint32_t)b, b_high = b >> 32;
    uint64_t low = a_low * b_low, middle = a_high * b_low + (low >> 32), other = a_low * b_high + (uint32_t)middle;
    uint64_t high = a_high * b_high + (middle >> 32) + (other >> 32), carried = 0;
    low = limb_add(other << 32 | (uint32_t)low, addend, &carried);
    high += carried;
    carried = 0;
    low = limb_add(low, *carry, &carried);
    *carry = high + carried;
    return low;
#endif
}

/* value * 2^shift in two limbs, 0 <= shift < 64. */
static inline uint64_t limb_shift_left(uint64_t value, int shift, uint64_t *high)
{
    *high = shift > 0 ? value >> (64 - shift) : 0;
    return value << shift;
}

#endif
