/* Text to numbers, the same on every machine: no locale, no rounding mode, no denormal flag takes part. */
#ifndef DENT_IO_DECIMAL_NUMBER_H
#define DENT_IO_DECIMAL_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The double nearest to the decimal number, ties to even. The whole text must be one number: sign, digits with or
 * without a point, exponent by e, E, d or D (Fortran) — or nan, inf, infinity in any case, which callers refuse by
 * name. A number too large becomes infinity. False: not a number. */
bool decimal_to_double(const char *text, size_t length, double *value);

/* The whole text must be an optional sign and digits. False: not an integer, or it does not fit in 64 bits; *fits tells
 * which. */
bool decimal_to_integer(const char *text, size_t length, int64_t *value, bool *fits);

#endif
