/* Saves, sets and restores the floating-point control registers of the processor at hand.
 *
 * <fenv.h> alone is not enough: flush-to-zero and denormals-are-zero are no part of it. On x86-64 double arithmetic
 * obeys MXCSR; the x87 control word is set too, because C libraries read it to decide how to round decimal conversions.
 * Elsewhere fenv's default environment has to do. */
#include "base/floating_point_guard.h"

#include <dent/base.h>

#include <float.h>

/* Doubles must be computed as doubles: with excess precision no answer would be the same everywhere. */
_Static_assert(FLT_EVAL_METHOD == 0, "no excess precision, please (32-bit x86: -msse2 -mfpmath=sse)");

#if defined(__x86_64__)
#include <xmmintrin.h>

enum {
    SSE_DEFAULT = 0x1F80, /* all exceptions masked, nearest even, neither flush-to-zero nor denormals-are-zero */
    X87_DEFAULT = 0x037F  /* all exceptions masked, nearest even, full precision */
};

void floating_point_guard_enter(struct floating_point_guard *guard)
{
    guard->sse_control = _mm_getcsr();
    if (guard->sse_control != SSE_DEFAULT) {
        _mm_setcsr(SSE_DEFAULT);
    }
    __asm__ volatile("fnstcw %0" : "=m"(guard->x87_control));
    if (guard->x87_control != X87_DEFAULT) {
        const uint16_t x87_default = X87_DEFAULT;
        __asm__ volatile("fldcw %0" : : "m"(x87_default));
    }
}

void floating_point_guard_leave(const struct floating_point_guard *guard)
{
    _mm_setcsr(guard->sse_control);
    if (guard->x87_control != X87_DEFAULT) {
        __asm__ volatile("fldcw %0" : : "m"(guard->x87_control));
    }
}

#elif defined(__aarch64__)

void floating_point_guard_enter(struct floating_point_guard *guard)
{
    __asm__ volatile("mrs %0, fpcr" : "=r"(guard->control));
    __asm__ volatile("mrs %0, fpsr" : "=r"(guard->status));
    if (guard->control != 0) {
        __asm__ volatile("msr fpcr, %0" : : "r"((uint64_t)0));
    }
}

void floating_point_guard_leave(const struct floating_point_guard *guard)
{
    __asm__ volatile("msr fpsr, %0" : : "r"(guard->status));
    if (guard->control != 0) {
        __asm__ volatile("msr fpcr, %0" : : "r"(guard->control));
    }
}

#else

void floating_point_guard_enter(struct floating_point_guard *guard)
{
    fegetenv(&guard->environment);
    fesetenv(FE_DFL_ENV);
}

void floating_point_guard_leave(const struct floating_point_guard *guard)
{
    fesetenv(&guard->environment);
}

#endif

dent_status dent_call_guarded(dent_context *context, dent_guarded_function *function, void *data)
{
    DENT_REQUIRE(context, context);
    DENT_REQUIRE(context, function);
    struct floating_point_guard guard;
    floating_point_guard_enter(&guard);
    dent_status status = function(data);
    floating_point_guard_leave(&guard);
    return status;
}
