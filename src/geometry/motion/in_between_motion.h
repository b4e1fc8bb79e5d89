/* A rigid in-between motion, prepared for evaluation (Redon, Kheddar and Coquillart 2002; Redon 2006).
 *
 *     R(t) = fixed + cos(angle t) cosine_part + sin(angle t) sine_part
 *     T(t) = origin + t velocity + g1(t) arc + g2(t) arc_across - R(t) centre
 *     g1 = sin(wt/2) cos(w(t-1)/2) / sin(w/2),  g2 = sin(wt/2) sin(w(t-1)/2) / sin(w/2),  w = angle
 *
 * A trajectory holds these matrices and vectors rounded to doubles, computed once in a fixed order of operations from a
 * dent_motion. What the query certifies is the dent_motion itself, in real arithmetic: the enclosures of
 * motion_bounds.h allow for the rounding of the trajectory (trajectory_from_motion says how much). Arcs occur in screws
 * only: the form has no axis point, which would run away for small angles.
 *
 * With time laws (motion_laws.h) t above is turn(t), and slide(t) where it multiplies the velocity. A given motion has
 * no matrices: it is enclosed by its own function.
 */
#ifndef DENT_GEOMETRY_IN_BETWEEN_MOTION_H
#define DENT_GEOMETRY_IN_BETWEEN_MOTION_H

#include <dent/motion.h>

#include "base/containers/vectors.h"

struct trajectory {
    double fixed[9], cosine_part[9], sine_part[9]; /* 3 x 3, row-major */
    double angle;
    double origin[3], velocity[3], centre[3], arc[3], arc_across[3];
    double half_sine;                       /* sin(angle / 2), where there are arcs */
    double centre_length, arc_length, size; /* |centre|, |arc|; size bounds every length that T(t) is made of */
    bool turns, arcs, moves;
    /* The pose at t = 0 as it was given: a quaternion of any length about 1, and T(0). */
    double start_turn[4], start_translation[3];
    const dent_motion_law *law;     /* null: linear */
    const dent_motion_given *given; /* null: by the numbers above */
    double scale;                   /* of lengths that `given` returns */
    int *fault;                     /* null, or set to 1 where a function returns what cannot be; as an atomic */
};

/* Why a motion cannot be used: null, or words such as "its quaternion is zero". *finite is false when the reason is a
 * number that is not finite. */
const char *motion_fault(const dent_motion *motion, bool *finite);

/* All lengths are multiplied by `scale`, a power of two. The motion has no fault.
 *
 * At any t, R(t) of the trajectory, in real arithmetic, is off that of the motion by less than ROTATION_DEFECT in norm:
 * the unit quaternion and the axis carry relative errors of 3 roundings (u = 2^-53) each, the entries of R0 are sums of
 * 3 products of them (below 24 u), those of uu'R0 and [u]R0 sums of 3 products with R0 (below 48 u). Each of the three
 * matrices is off by less than 3 * 48 u = 144 u in norm, all together by 432 u < 2^-44. T(t) is off by less than that
 * times `size`. */
#define ROTATION_DEFECT 0x1p-44
void trajectory_from_motion(const dent_motion *motion, double scale, struct trajectory *trajectory);

/* Value and derivative at t: rotation 3 x 3 row-major, translation. */
void trajectory_at(const struct trajectory *trajectory, double t, double rotation[9], double translation[3]);
void trajectory_derivative_at(const struct trajectory *trajectory, double t, double rotation[9], double translation[3],
                              double rotation_rate[9], double translation_rate[3]);

/* ---- small matrices ---------------------------------------------------------------------------------------------- */

static inline void matrix_times_vector(const double m[9], const double x[3], double y[3])
{
    for (int i = 0; i < 3; i++) {
        y[i] = (m[3 * i] * x[0] + m[3 * i + 1] * x[1]) + m[3 * i + 2] * x[2];
    }
}

/* The transposed matrix times a vector. */
static inline void vector_times_matrix(const double m[9], const double x[3], double y[3])
{
    for (int i = 0; i < 3; i++) {
        y[i] = (m[i] * x[0] + m[i + 3] * x[1]) + m[i + 6] * x[2];
    }
}

static inline void matrix_times_matrix(const double a[9], const double b[9], double c[9])
{
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            c[3 * i + j] = (a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j]) + a[3 * i + 2] * b[6 + j];
        }
    }
}

/* The transpose of a times b. */
static inline void transpose_times_matrix(const double a[9], const double b[9], double c[9])
{
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            c[3 * i + j] = (a[i] * b[j] + a[3 + i] * b[3 + j]) + a[6 + i] * b[6 + j];
        }
    }
}

#endif
