/* The context that the tests of scenes share, as set-up and tear-down of a group: one thread, or two. */
#ifndef DENT_TESTS_SCENES_SUPPORT_CONTEXT_H
#define DENT_TESTS_SCENES_SUPPORT_CONTEXT_H

#include <dent/dent.h>

static inline int open_context(void **state, uint32_t thread_count)
{
    dent_context_def def = dent_context_def_default();
    def.thread_count = thread_count;
    *state = dent_context_create(&def, NULL);
    return *state != NULL ? 0 : -1;
}

static inline int open_context_of_one(void **state)
{
    return open_context(state, 1);
}

static inline int open_context_of_two(void **state)
{
    return open_context(state, 2);
}

static inline int close_context(void **state)
{
    dent_context_destroy(*state);
    return 0;
}

#endif
