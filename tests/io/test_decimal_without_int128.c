/* Decimal text to doubles where the compiler has no 128-bit integer: all the tests of test_decimal_number.c again. */
#define DENT_NO_INT128 1
#define decimal_to_double decimal_to_double_in_halves
#define decimal_to_integer decimal_to_integer_in_halves
#include "io/bytes/decimal_number.c"

#include "test_decimal_number.c"
