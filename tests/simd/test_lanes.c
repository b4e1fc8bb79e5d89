/* The lanes of every instruction set give the bits of plain C: special values, all lanes, all operations. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dent/base.h>

#include "simd/lanes_under_test.h"

static void scalar_lanes_are_plain_c(void **state)
{
    (void)state;
    check_lanes_scalar();
}

#if defined(__x86_64__)
static void avx2_lanes_are_plain_c(void **state)
{
    (void)state;
    if (!dent_isa_available(DENT_ISA_AVX2)) {
        skip();
    }
    check_lanes_avx2();
}

static void avx512_lanes_are_plain_c(void **state)
{
    (void)state;
    if (!dent_isa_available(DENT_ISA_AVX512)) {
        skip();
    }
    check_lanes_avx512();
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scalar_lanes_are_plain_c),
#if defined(__x86_64__)
        cmocka_unit_test(avx2_lanes_are_plain_c),
        cmocka_unit_test(avx512_lanes_are_plain_c),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
