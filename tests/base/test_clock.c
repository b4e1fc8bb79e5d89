/* The monotonic clock. */
#include "support/cmocka_includes.h"

#include <dent/base.h>

#include <time.h>

static void the_clock_never_goes_back(void **state)
{
    (void)state;
    uint64_t before = dent_clock_ns();
    for (int i = 0; i < 100000; i++) {
        uint64_t now = dent_clock_ns();
        assert_true(now >= before);
        before = now;
    }
}

static void the_clock_counts_nanoseconds(void **state)
{
    (void)state;
    struct timespec system;
    uint64_t first = dent_clock_ns();
    assert_int_equal(clock_gettime(CLOCK_MONOTONIC, &system), 0);
    uint64_t last = dent_clock_ns();
    uint64_t between = (uint64_t)system.tv_sec * UINT64_C(1000000000) + (uint64_t)system.tv_nsec;
    assert_true(first <= between && between <= last);

    uint64_t before = dent_clock_ns();
    struct timespec ten_milliseconds = {0, 10000000};
    nanosleep(&ten_milliseconds, NULL);
    uint64_t passed = dent_clock_ns() - before;
    assert_true(passed >= 10000000u);
    assert_true(passed < 60000000000u); /* a machine may be slow, but not by a factor of a thousand */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_clock_never_goes_back),
        cmocka_unit_test(the_clock_counts_nanoseconds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
