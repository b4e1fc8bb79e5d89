/* The floating-point guard: nearest and subnormals inside, the caller's state bit for bit outside. */
#include "support/cmocka_includes.h"

#include "base/floating_point_guard.h"

#include <dent/base.h>

#include <fenv.h>
#include <float.h>

#if defined(__x86_64__)
#include <xmmintrin.h>
enum { FLUSH_TO_ZERO = 1 << 15, DENORMALS_ARE_ZERO = 1 << 6 };
#endif

/* Not inlined, and stored: the compiler must not move the operation across a change of the state it does not know
 * of. */
static __attribute__((noinline)) double divide(double a, double b)
{
    volatile double x = a, y = b;
    volatile double quotient = x / y;
    return quotient;
}

static __attribute__((noinline)) double multiply(double a, double b)
{
    volatile double x = a, y = b;
    volatile double product = x * y;
    return product;
}

static void check_state_inside(void)
{
    double third = divide(1.0, 3.0);
    double minus_third = divide(-1.0, 3.0);
    double half_smallest_normal = multiply(DBL_MIN, 0.5);
    double back = multiply(half_smallest_normal, 2.0);
    int rounding = fegetround();
    assert_int_equal(rounding, FE_TONEAREST);
    assert_true(third == 0x1.5555555555555p-2);
    assert_true(minus_third == -0x1.5555555555555p-2);
    assert_true(half_smallest_normal == 0x1p-1023);
    assert_true(back == DBL_MIN);
}

static void inside_the_guard_rounding_is_to_nearest_in_any_mode_of_the_caller(void **state)
{
    (void)state;
    const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    for (int i = 0; i < 4; i++) {
        fesetround(modes[i]);
        struct floating_point_guard guard;
        floating_point_guard_enter(&guard);
        check_state_inside();
        floating_point_guard_leave(&guard);
        int after = fegetround();
        double third = divide(1.0, 3.0);
        fesetround(FE_TONEAREST);
        assert_int_equal(after, modes[i]);
        assert_true((third == 0x1.5555555555556p-2) == (modes[i] == FE_UPWARD));
    }
}

#if defined(__x86_64__)
static void inside_the_guard_subnormals_are_kept_and_the_callers_flags_come_back(void **state)
{
    (void)state;
    const unsigned before_test = _mm_getcsr();
    const unsigned rounding_modes[] = {0, 1u << 13, 2u << 13, 3u << 13};
    const unsigned flushes[] = {0, FLUSH_TO_ZERO, DENORMALS_ARE_ZERO, FLUSH_TO_ZERO | DENORMALS_ARE_ZERO};
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 4; j++) {
            for (unsigned sticky = 0; sticky < 64; sticky += 21) {
                unsigned set = 0x1F80 | rounding_modes[i] | flushes[j] | sticky;
                _mm_setcsr(set);
                struct floating_point_guard guard;
                floating_point_guard_enter(&guard);
                unsigned inside = _mm_getcsr();
                double subnormal = multiply(DBL_MIN, 0.5);
                floating_point_guard_leave(&guard);
                unsigned after = _mm_getcsr();
                _mm_setcsr(before_test);
                assert_int_equal(inside, 0x1F80);
                assert_true(subnormal == 0x1p-1023);
                assert_int_equal(after, set);
            }
        }
    }
}

static void without_the_guard_flushing_does_change_results(void **state)
{
    (void)state;
    const unsigned before_test = _mm_getcsr();
    _mm_setcsr(0x1F80 | FLUSH_TO_ZERO);
    double flushed = multiply(DBL_MIN, 0.5);
    _mm_setcsr(before_test);
    assert_true(flushed == 0.0); /* or the test above would prove nothing */
}

static uint16_t x87_control(void)
{
    uint16_t control;
    __asm__ volatile("fnstcw %0" : "=m"(control));
    return control;
}

static void set_x87_control(uint16_t control)
{
    __asm__ volatile("fldcw %0" : : "m"(control));
}

static void the_x87_control_word_is_set_and_restored(void **state)
{
    (void)state;
    const uint16_t before_test = x87_control();
    const uint16_t words[] = {0x037F, 0x027F, 0x007F, 0x0F7F, 0x0B7F};
    for (int i = 0; i < 5; i++) {
        set_x87_control(words[i]);
        struct floating_point_guard guard;
        floating_point_guard_enter(&guard);
        uint16_t inside = x87_control();
        floating_point_guard_leave(&guard);
        uint16_t after = x87_control();
        set_x87_control(before_test);
        assert_int_equal(inside, 0x037F);
        assert_int_equal(after, words[i]);
    }
}
#endif

static void an_unmasked_exception_of_the_caller_does_not_trap_inside(void **state)
{
    (void)state;
#if defined(__x86_64__)
    const unsigned before_test = _mm_getcsr();
    _mm_setcsr(0x1F80 & ~_MM_MASK_DIV_ZERO & ~_MM_MASK_INVALID);
    struct floating_point_guard guard;
    floating_point_guard_enter(&guard);
    double infinite = divide(1.0, 0.0);
    double inexact = divide(1.0, 3.0);
    floating_point_guard_leave(&guard);
    unsigned after = _mm_getcsr();
    _mm_setcsr(before_test);
    assert_true(infinite > DBL_MAX);
    assert_true(inexact < 0.34);
    assert_int_equal(after, 0x1F80 & ~_MM_MASK_DIV_ZERO & ~_MM_MASK_INVALID);
#else
    print_message("skipped: unmasking exceptions is tested on x86-64 only\n");
    skip();
#endif
}

static void guards_nest(void **state)
{
    (void)state;
    fesetround(FE_UPWARD);
    struct floating_point_guard outer, inner;
    floating_point_guard_enter(&outer);
    floating_point_guard_enter(&inner);
    check_state_inside();
    floating_point_guard_leave(&inner);
    check_state_inside();
    floating_point_guard_leave(&outer);
    int after = fegetround();
    fesetround(FE_TONEAREST);
    assert_int_equal(after, FE_UPWARD);
}

struct guarded_work {
    dent_context *context;
    uint32_t calls;
    dent_status result;
};

static dent_status guarded_work(void *data)
{
    struct guarded_work *work = data;
    check_state_inside();
    if (work->calls++ == 0) { /* a guarded call inside a guarded one */
        dent_status inner = dent_call_guarded(work->context, guarded_work, work);
        check_state_inside();
        return inner;
    }
    return work->result;
}

static void a_guarded_call_runs_once_in_the_defined_state_and_returns_what_the_function_did(void **state)
{
    (void)state;
    dent_context_def def = dent_context_def_default();
    def.thread_count = 2;
    dent_context *context = dent_context_create(&def, NULL);
    assert_non_null(context);
    const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    const dent_status results[] = {DENT_OK, DENT_ERROR_FILE};
    for (int i = 0; i < 8; i++) {
        struct guarded_work work = {.context = context, .result = results[i % 2]};
        fesetround(modes[i / 2]);
        dent_status status = dent_call_guarded(context, guarded_work, &work);
        int after = fegetround();
        fesetround(FE_TONEAREST);
        assert_int_equal(status, results[i % 2]);
        assert_int_equal(work.calls, 2);
        assert_int_equal(after, modes[i / 2]);
    }
    assert_int_equal(dent_call_guarded(context, NULL, NULL), DENT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(dent_call_guarded(NULL, guarded_work, NULL), DENT_ERROR_INVALID_ARGUMENT);
    dent_context_destroy(context);
}

static void count_block(void *data, uint32_t block, uint32_t worker)
{
    (void)worker;
    ((uint32_t *)data)[block]++;
}

static dent_status loop_inside(void *data)
{
    struct guarded_work *work = data;
    uint32_t blocks[100] = {0};
    dent_status status = dent_parallel_for(work->context, 100, count_block, blocks);
    for (int n = 0; n < 100; n++) {
        work->calls += blocks[n];
    }
    return status;
}

static void a_loop_inside_a_guarded_call_runs_every_block_once(void **state)
{
    (void)state;
    dent_context *context = dent_context_create(NULL, NULL);
    assert_non_null(context);
    struct guarded_work work = {.context = context};
    assert_int_equal(dent_call_guarded(context, loop_inside, &work), DENT_OK);
    assert_int_equal(work.calls, 100);
    dent_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inside_the_guard_rounding_is_to_nearest_in_any_mode_of_the_caller),
#if defined(__x86_64__)
        cmocka_unit_test(inside_the_guard_subnormals_are_kept_and_the_callers_flags_come_back),
        cmocka_unit_test(without_the_guard_flushing_does_change_results),
        cmocka_unit_test(the_x87_control_word_is_set_and_restored),
#endif
        cmocka_unit_test(an_unmasked_exception_of_the_caller_does_not_trap_inside),
        cmocka_unit_test(guards_nest),
        cmocka_unit_test(a_guarded_call_runs_once_in_the_defined_state_and_returns_what_the_function_did),
        cmocka_unit_test(a_loop_inside_a_guarded_call_runs_every_block_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
