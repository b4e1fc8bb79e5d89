/* Run-time choice of the instruction set, compared with what the compiler's own run-time library finds. */
#include "support/cmocka_includes.h"

#include "base/platform/cpu_features.h"

static void auto_and_scalar_are_always_there(void **state)
{
    (void)state;
    assert_true(dent_isa_available(DENT_ISA_AUTO));
    assert_true(dent_isa_available(DENT_ISA_SCALAR));
    assert_false(dent_isa_available(DENT_ISA_COUNT));
    assert_false(dent_isa_available((dent_isa)99));
}

static void detection_agrees_with_the_compilers(void **state)
{
    (void)state;
#if defined(__x86_64__) && defined(__GNUC__)
    __builtin_cpu_init();
    assert_int_equal(dent_isa_available(DENT_ISA_AVX2), !!__builtin_cpu_supports("avx2"));
    bool avx512 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("avx512f") &&
                  __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
                  __builtin_cpu_supports("avx512vl");
    assert_int_equal(dent_isa_available(DENT_ISA_AVX512), avx512);
#else
    assert_false(dent_isa_available(DENT_ISA_AVX2));
    assert_false(dent_isa_available(DENT_ISA_AVX512));
#endif
}

static void the_widest_is_the_last_available(void **state)
{
    (void)state;
    dent_isa widest = cpu_widest_isa();
    assert_true(widest >= DENT_ISA_SCALAR && widest < DENT_ISA_COUNT);
    assert_true(dent_isa_available(widest));
    for (int wider = widest + 1; wider < DENT_ISA_COUNT; wider++) {
        assert_false(dent_isa_available((dent_isa)wider));
    }
    print_message("widest here: %s\n", dent_isa_name(widest));
}

static void names_are_those_of_the_command_line(void **state)
{
    (void)state;
    assert_string_equal(dent_isa_name(DENT_ISA_AUTO), "auto");
    assert_string_equal(dent_isa_name(DENT_ISA_SCALAR), "scalar");
    assert_string_equal(dent_isa_name(DENT_ISA_AVX2), "avx2");
    assert_string_equal(dent_isa_name(DENT_ISA_AVX512), "avx512");
    assert_string_equal(dent_isa_name(DENT_ISA_COUNT), "unknown");
    assert_string_equal(dent_isa_name((dent_isa)99), "unknown");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(auto_and_scalar_are_always_there),
        cmocka_unit_test(detection_agrees_with_the_compilers),
        cmocka_unit_test(the_widest_is_the_last_available),
        cmocka_unit_test(names_are_those_of_the_command_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
