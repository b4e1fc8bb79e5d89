/* A rational number written as two decimal integers, as the double it exactly is. */
#ifndef DENT_IO_RATIONAL_NUMBER_H
#define DENT_IO_RATIONAL_NUMBER_H

#include "text_scanner.h"

enum rational_result {
    RATIONAL_IS_DOUBLE,       /* *value is numerator / denominator, exactly */
    RATIONAL_IS_NO_DOUBLE,    /* between two doubles, or beyond the largest */
    RATIONAL_NOT_AN_INTEGER,  /* one of the two is not an optional minus sign and decimal digits */
    RATIONAL_BAD_DENOMINATOR, /* zero or negative */
    RATIONAL_TOO_LONG         /* more digits than RATIONAL_DIGITS */
};

/* The longest double has 1074 binary places, 309 digits before the point and, as a reduced fraction, 324 digits in the
 * denominator; fractions that are not reduced may have a few times that. */
enum { RATIONAL_DIGITS = 2000 };

/* Leading zeros are allowed. A zero numerator gives +0 whatever its sign: a rational has no negative zero. */
enum rational_result rational_to_double(struct text_span numerator, struct text_span denominator, double *value);

#endif
