/* A context for tests, and how much a test should do: DENT_QUICK_TESTS (for sanitizers) lowers, DENT_LONG_TESTS
 * raises. */
#ifndef DENT_TESTS_TEST_CONTEXT_H
#define DENT_TESTS_TEST_CONTEXT_H

#include "support/cmocka_includes.h"

#include <dent/base.h>
#include <stdlib.h>

static inline dent_context *test_context(uint32_t threads, dent_isa isa)
{
    dent_context_def def = dent_context_def_default();
    def.thread_count = threads;
    def.isa = isa;
    dent_context *context = dent_context_create(&def, NULL);
    assert_non_null(context);
    return context;
}

/* Set-up and tear-down of a group whose tests share a context: one with all defaults, one thread, or two. */
static inline int test_open_context_of(void **state, uint32_t threads)
{
    dent_context_def def = dent_context_def_default();
    def.thread_count = threads;
    *state = dent_context_create(&def, NULL);
    return *state ? 0 : -1;
}

static inline int test_open_context(void **state)
{
    return test_open_context_of(state, dent_context_def_default().thread_count);
}

static inline int test_open_context_of_one(void **state)
{
    return test_open_context_of(state, 1);
}

static inline int test_open_context_of_two(void **state)
{
    return test_open_context_of(state, 2);
}

static inline int test_close_context(void **state)
{
    dent_context_destroy(*state);
    return 0;
}

static inline uint64_t test_count(uint64_t quick, uint64_t usual, uint64_t most)
{
    return getenv("DENT_QUICK_TESTS") ? quick : getenv("DENT_LONG_TESTS") ? most : usual;
}

/* A tenth, all, or ten times as many. */
static inline uint32_t test_rounds(uint32_t usual)
{
    return (uint32_t)test_count((usual + 9) / 10, usual, 10 * (uint64_t)usual);
}

#endif
