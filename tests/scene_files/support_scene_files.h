/* One context for all tests of a program about scene files. */
#ifndef DENT_TESTS_SUPPORT_SCENE_FILES_H
#define DENT_TESTS_SUPPORT_SCENE_FILES_H

#include "support/cmocka_includes.h"
#include "support/failing_allocator.h"

#include "scene_files/scene_file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static dent_context *context;

static inline int open_context(void **state)
{
    (void)state;
    context = dent_context_create(NULL, NULL);
    return context == NULL;
}

static inline int close_context(void **state)
{
    (void)state;
    dent_context_destroy(context);
    return 0;
}

#endif
