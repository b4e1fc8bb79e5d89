/* Assertions: for what the programmer did wrong, never for what a file, a mesh or the machine can do wrong (that is a
 * dent_status). On in debug builds, nothing at all in release builds, so the condition must have no side effect. */
#ifndef DENT_BASE_DENT_ASSERT_H
#define DENT_BASE_DENT_ASSERT_H

#include <assert.h>

#define DENT_ASSERT(condition) assert(condition)

#endif
