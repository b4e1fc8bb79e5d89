/* cmocka wants these headers before its own. */
#ifndef DENT_TESTS_CMOCKA_INCLUDES_H
#define DENT_TESTS_CMOCKA_INCLUDES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
