/* What the golden tests use of cmocka, for cross builds, where there is none: one group after the other, the first
 * failing assertion ends its test. */
#ifndef DENT_TESTS_WITHOUT_CMOCKA_H
#define DENT_TESTS_WITHOUT_CMOCKA_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct CMUnitTest {
    const char *name;
    void (*function)(void **state);
};

static jmp_buf stand_in_failed;

static inline void stand_in_check(int good, const char *text, const char *file, int line)
{
    if (!good) {
        printf("%s:%d: not so: %s\n", file, line, text);
        longjmp(stand_in_failed, 1);
    }
}

#define stand_in_require(condition, text) stand_in_check((condition) ? 1 : 0, text, __FILE__, __LINE__)
#define assert_true(condition) stand_in_require(condition, #condition)
#define assert_false(condition) stand_in_require(!(condition), "!" #condition)
#define assert_int_equal(a, b) stand_in_require((uint64_t)(int64_t)(a) == (uint64_t)(int64_t)(b), #a " == " #b)
#define assert_int_not_equal(a, b) stand_in_require((uint64_t)(int64_t)(a) != (uint64_t)(int64_t)(b), #a " != " #b)
#define assert_null(a) stand_in_require((a) == NULL, #a " is null")
#define assert_non_null(a) stand_in_require((a) != NULL, #a " is not null")
#define assert_string_equal(a, b) stand_in_require(strcmp(a, b) == 0, #a " equals " #b)
#define assert_memory_equal(a, b, size) stand_in_require(memcmp(a, b, size) == 0, #a " equals " #b)
#define print_message(...) printf(__VA_ARGS__)
#define print_error(...) printf(__VA_ARGS__)
#define fail() stand_in_require(0, "fail()")
#define fail_msg(...) (printf(__VA_ARGS__), printf("\n"), fail())
#define cmocka_unit_test(function) {#function, function}
#define cmocka_run_group_tests(tests, set_up, tear_down)                                                               \
    stand_in_run(tests, sizeof tests / sizeof tests[0], set_up, tear_down)

/* DENT_TEST_FILTER: only tests whose name has this in it. */
static inline int stand_in_run(const struct CMUnitTest *tests, size_t count, int (*set_up)(void **),
                               int (*tear_down)(void **))
{
    static void *state;
    const char *filter = getenv("DENT_TEST_FILTER");
    volatile int failures = set_up && set_up(&state) != 0;
    for (volatile size_t n = 0; n < count; n++) {
        if (filter && !strstr(tests[n].name, filter)) {
            continue;
        }
        printf("[ RUN      ] %s\n", tests[n].name);
        fflush(stdout);
        if (setjmp(stand_in_failed) == 0) {
            tests[n].function(&state);
            printf("[       OK ] %s\n", tests[n].name);
        } else {
            printf("[  FAILED  ] %s\n", tests[n].name);
            failures++;
        }
        fflush(stdout);
    }
    failures += tear_down && tear_down(&state) != 0;
    return failures;
}

#endif
