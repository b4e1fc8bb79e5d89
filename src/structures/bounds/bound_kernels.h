/* A volume of one bounding tree against up to eight children of a node of another: the inner loop of the interruptible
 * search. Volumes are whole cache lines in memory, one after the other; the vector rows turn them into columns.
 *
 * Every row gives the bits of ball_gap and box_gap (geometry/metric/bound_volumes.h). Numbers too large or too small for
 * squares go through the scalar functions in every row.
 */
#ifndef DENT_STRUCTURES_BOUND_KERNELS_H
#define DENT_STRUCTURES_BOUND_KERNELS_H

#include "simd/kernel_choice.h"
#include "geometry/metric/bound_volumes.h"

enum { BOUND_KERNEL_LANES = 8 };

/* Which of parts[0 … count - 1], 1 to 8 of them, are not surely apart from `other`, as bits; lo[i] of these is the
 * bound. Other slots of lo may be written too. Nothing past the last part is read. */
typedef uint32_t bound_kernel(const struct bound_volume *parts, uint32_t count, const struct bound_volume *other,
                              double lo[BOUND_KERNEL_LANES]);

struct bound_kernels {
    bound_kernel *balls, *boxes;
};

extern const struct bound_kernels bound_kernels_scalar;
#if defined(__x86_64__)
extern const struct bound_kernels bound_kernels_avx2, bound_kernels_avx512;
#endif

static inline bool balls_meet(const struct bound_volume *part, const struct bound_volume *other, double *lo)
{
    if (balls_clearly_apart(part->v, other->v)) {
        return false;
    }
    *lo = ball_gap(part->v, other->v);
    return !(*lo > 0);
}

/* [from, to) of the parts, one after the other. */
static inline uint32_t balls_one_by_one(const struct bound_volume *parts, uint32_t from, uint32_t to,
                                        const struct bound_volume *other, double *lo)
{
    uint32_t meet = 0;
    for (uint32_t i = from; i < to; i++) {
        meet |= (uint32_t)balls_meet(&parts[i], other, &lo[i]) << i;
    }
    return meet;
}

static inline const struct bound_kernels *bound_kernels_for(dent_isa isa)
{
    return KERNELS_FOR(isa, bound_kernels_scalar, bound_kernels_avx2, bound_kernels_avx512);
}

#endif
