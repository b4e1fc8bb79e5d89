/* A context whose memory is watched, opened for each test and closed with the check that nothing is left. */
#ifndef DENT_TESTS_BODY_STAGE_H
#define DENT_TESTS_BODY_STAGE_H

#include "support_bodies.h"

static struct watched_memory memory;
static dent_context *context;

static int begin(void **state)
{
    (void)state;
    context = watched_context(&memory);
    return 0;
}

static int end(void **state)
{
    (void)state;
    end_watched_context(context, &memory);
    return 0;
}

#endif
