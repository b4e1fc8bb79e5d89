/* Poses, points and steps. A step x is six numbers: the displacement of the tool's centre, then a rotation vector. */
#ifndef DENT_HAPTIC_POSE_H
#define DENT_HAPTIC_POSE_H

#include <dent/motion.h>

#include <math.h>
#include <string.h>

/* Compilers call the functions of libm for fmin and fmax, which treat NaN otherwise. */
static inline double haptic_least(double a, double b)
{
    return a < b ? a : b;
}

static inline double haptic_most(double a, double b)
{
    return a > b ? a : b;
}

static inline double haptic_dot(const double a[3], const double b[3])
{
    return (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2];
}

static inline double haptic_length(const double a[3])
{
    return sqrt(haptic_dot(a, a));
}

static inline void haptic_subtract(const double a[3], const double b[3], double difference[3])
{
    for (int k = 0; k < 3; k++) {
        difference[k] = a[k] - b[k];
    }
}

static inline void haptic_cross(const double a[3], const double b[3], double product[3])
{
    double x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2], z = a[0] * b[1] - a[1] * b[0];
    product[0] = x;
    product[1] = y;
    product[2] = z;
}

/* A rotation and a translation, unpacked. */
struct haptic_place {
    double m[16];
};

static inline struct haptic_place haptic_place_of(const dent_pose *pose)
{
    struct haptic_place place;
    dent_pose_to_matrix(pose, place.m);
    return place;
}

static inline void haptic_direction(const struct haptic_place *place, const double from[3], double to[3])
{
    double x = from[0], y = from[1], z = from[2];
    for (int k = 0; k < 3; k++) {
        to[k] = (place->m[4 * k] * x + place->m[4 * k + 1] * y) + place->m[4 * k + 2] * z;
    }
}

static inline void haptic_point(const struct haptic_place *place, const double from[3], double to[3])
{
    haptic_direction(place, from, to);
    for (int k = 0; k < 3; k++) {
        to[k] += place->m[4 * k + 3];
    }
}

/* The step from one pose to another. */
static inline dent_status haptic_difference(dent_context *context, const dent_pose *from, const dent_pose *to,
                                            const double centre[3], double x[6])
{
    dent_motion motion;
    dent_status status = dent_motion_between(context, from, to, DENT_MOTION_CONSTANT_VELOCITY, centre, 0, &motion);
    if (status == DENT_OK) {
        double length = haptic_length(motion.axis);
        for (int k = 0; k < 3; k++) {
            x[k] = motion.displacement[k];
            x[3 + k] = length > 0 ? motion.axis[k] / length * motion.angle : 0;
        }
    }
    return status;
}

/* The motion that does a step. */
static inline dent_motion haptic_motion(const dent_pose *from, const double centre[3], const double x[6])
{
    dent_motion motion = dent_motion_stationary(from);
    double angle = haptic_length(x + 3);
    motion.kind = DENT_MOTION_CONSTANT_VELOCITY;
    motion.angle = angle;
    for (int k = 0; k < 3; k++) {
        motion.axis[k] = angle > 0 ? x[3 + k] / angle : 0;
        motion.displacement[k] = x[k];
        motion.centre[k] = centre[k];
    }
    return motion;
}

#endif
