/* Interval arithmetic on the rows of a pose, four intervals at once: the three entries of a row of the rotation and the
 * entry of the translation beside them. These are the sums of products that motion_intervals.c is made of.
 *
 * Every operation is that of interval.h with the same bits on every instruction set, so what is enclosed there is
 * enclosed here: outward rounding by |x| 2^-52 + 2^-1074, no rounding mode touched, the whole line where a NaN appears.
 */
#ifndef DENT_GEOMETRY_INTERVAL_KERNELS_H
#define DENT_GEOMETRY_INTERVAL_KERNELS_H

#include "simd/kernel_choice.h"
#include "geometry/motion/motion_bounds.h"

/* What a trajectory is at a time interval t: the sine and cosine of its angle, and g1, g2 of in_between_motion.h. */
struct interval_phase {
    struct interval t, cosine, sine, g1, g2;
};

struct interval_kernels {
    /* Row i of the product is the sum over k of factors[row_step * i + step * k] times row k of q. With row_step 3 and
     * step 1 that is the matrix `factors` times q, with 1 and 3 the transposed matrix. product is not q. */
    void (*multiply_rows)(const struct interval *factors, int row_step, int step, const struct interval_pose *q,
                          struct interval_pose *product);
    void (*trajectory_pose)(const struct trajectory *trajectory, const struct interval_phase *phase,
                            struct interval_pose *pose);
    /* No entry of a rotation can be larger than what the others of its row and column leave of the length 1; the
     * matrices here may be off by `defect`. All entries are judged by what they were before. */
    void (*use_unit_length)(struct interval_pose *pose, double defect);
};

extern const struct interval_kernels interval_kernels_scalar;
#if defined(__x86_64__)
extern const struct interval_kernels interval_kernels_avx2;
#endif

static inline const struct interval_kernels *interval_kernels_for(dent_isa isa)
{
    return KERNELS_FOR(isa, interval_kernels_scalar, interval_kernels_avx2, interval_kernels_avx2);
}

#endif
