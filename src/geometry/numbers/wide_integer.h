/* Integers wide enough for the polynomials of this folder in any finite doubles, on the stack: sign, length,
 * magnitude.
 *
 * A double is an integer times 2^-1074 and less than 2^1024, so a coordinate scaled to an integer has at most 2098
 * bits and a difference 2099. What is computed with them: orientations and their sums (degree 3, below 2^6303), and,
 * for the union predicates, determinants of plane normals and products of two orientations (degree 6, below
 * 2^12610). 200 limbs of 64 bits hold 12800. Only `length` limbs are ever touched, so ordinary numbers cost a few
 * limbs each.
 */
#ifndef DENT_GEOMETRY_WIDE_INTEGER_H
#define DENT_GEOMETRY_WIDE_INTEGER_H

#include <stdint.h>

enum { WIDE_INTEGER_LIMBS = 200 };

struct wide_integer {
    int sign;   /* -1, 0, 1 */
    int length; /* limbs in use, the last one not zero; 0 for zero */
    uint64_t limbs[WIDE_INTEGER_LIMBS];
};

/* A number as mantissa * 2^exponent, 0.5 <= |mantissa| < 1 or both zero: for ratios of numbers beyond the range of
 * double. */
struct scaled_double {
    double mantissa;
    int exponent;
};

/* The exponent of the lowest set bit of a finite double: value = odd integer * 2^exponent. A large number for zero. */
int lowest_bit_exponent(double value);

/* value / 2^scale_exponent, which must be an integer: scale_exponent <= lowest_bit_exponent(value). */
void wide_from_double(struct wide_integer *result, double value, int scale_exponent);

/* The result of an addition may be one of the operands; that of a multiplication may not. */
void wide_add(struct wide_integer *result, const struct wide_integer *a, const struct wide_integer *b);
void wide_subtract(struct wide_integer *result, const struct wide_integer *a, const struct wide_integer *b);
void wide_multiply(struct wide_integer *result, const struct wide_integer *a, const struct wide_integer *b);

/* a * d - b * c */
void wide_determinant_2(struct wide_integer *result, const struct wide_integer *a, const struct wide_integer *b,
                        const struct wide_integer *c, const struct wide_integer *d);

/* Determinant of three rows of three. */
void wide_determinant_3(struct wide_integer *result, const struct wide_integer a[3], const struct wide_integer b[3],
                        const struct wide_integer c[3]);

/* The nearest number of 53 bits to the leading 64 bits of the value: relative error below 2^-52. */
struct scaled_double wide_to_scaled(const struct wide_integer *value);

#endif
