/* The floating-point state the library's arithmetic is defined in: round to nearest even, subnormals kept on input and
 * output, no traps. A caller may be in any other state (a game engine flushes to zero, an interval library rounds
 * upward), so every public entry point that computes enters the guard first and leaves it last; the caller finds its
 * state bit for bit as it was, sticky flags included.
 *
 *     struct floating_point_guard guard;
 *     floating_point_guard_enter(&guard);
 *     dent_status status = the_work(...);
 *     floating_point_guard_leave(&guard);
 *
 * Compilers do not know that enter and leave change the meaning of arithmetic, and move it across them: keep the
 * arithmetic in a function of its own that is not inlined (DENT_NOINLINE, or in another file), as above, not between
 * the two calls. The parallel loop guards every block by itself; clients of the library have dent_call_guarded(). */
#ifndef DENT_BASE_FLOATING_POINT_GUARD_H
#define DENT_BASE_FLOATING_POINT_GUARD_H

#include <stdint.h>

#if !defined(__x86_64__) && !defined(__aarch64__)
#include <fenv.h>
#endif

#if defined(__GNUC__)
#define DENT_NOINLINE __attribute__((noinline))
#else
#define DENT_NOINLINE
#endif

struct floating_point_guard {
#if defined(__x86_64__)
    uint32_t sse_control;
    uint16_t x87_control;
#elif defined(__aarch64__)
    uint64_t control;
    uint64_t status;
#else
    fenv_t environment;
#endif
};

void floating_point_guard_enter(struct floating_point_guard *guard);
void floating_point_guard_leave(const struct floating_point_guard *guard);

#endif
