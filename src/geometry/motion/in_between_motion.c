/* Preparation and evaluation of an in-between motion. See in_between_motion.h. */
#include "geometry/motion/in_between_motion.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "geometry/numbers/interval.h"
#include "geometry/metric/quaternion.h"

const char *motion_fault(const dent_motion *motion, bool *finite)
{
    const double *numbers[] = {motion->start.rotation, motion->start.translation, motion->axis,
                               &motion->angle,         motion->displacement,      motion->centre};
    const int counts[] = {4, 3, 3, 1, 3, 3};
    *finite = true;
    for (int i = 0; i < 6; i++) {
        for (int k = 0; k < counts[i]; k++) {
            if (!isfinite(numbers[i][k])) {
                *finite = false;
                return "it has a number that is not finite";
            }
        }
    }
    double unit[4];
    if (!quaternion_make_unit(motion->start.rotation, unit)) {
        return "its quaternion is zero";
    }
    if (!dent_motion_kind_name(motion->kind)) {
        return "unknown kind of motion";
    }
    if (motion->kind == DENT_MOTION_GIVEN) {
        return motion->given && motion->given->function ? NULL : "it is given by no function";
    }
    if (motion->law && !motion->law->function) {
        return "its law has no function";
    }
    if (!(fabs(motion->angle) <= (motion->law ? 500 : 1000))) {
        if (motion->law && fabs(motion->angle) <= 1000) {
            return "it turns by more than 500 radians with a law";
        }
        return "it turns by more than 1000 radians";
    }
    double axis[3];
    if (motion->angle != 0 && !vector_make_unit(motion->axis, axis)) {
        return "it turns about an axis that is zero";
    }
    if (motion->kind == DENT_MOTION_SCREW && fabs(motion->angle) > 1 &&
        fabs(sine_and_cosine(0.5 * motion->angle).sine) < 0x1p-21) {
        double along = vector_dot(axis, motion->displacement);
        for (int k = 0; k < 3; k++) {
            if (motion->displacement[k] - along * axis[k] != 0) {
                return "a screw by full turns cannot move across its axis";
            }
        }
    }
    return NULL;
}

/* D_p, the displacement across the axis, and u x D_p; what goes along the axis is the velocity. */
static void make_arcs(const dent_motion *motion, const double axis[3], double scale, struct trajectory *trajectory)
{
    double displacement[3];
    for (int k = 0; k < 3; k++) {
        displacement[k] = motion->displacement[k] * scale;
    }
    double along = vector_dot(axis, displacement);
    for (int k = 0; k < 3; k++) {
        trajectory->velocity[k] = along * axis[k];
        trajectory->arc[k] = displacement[k] - trajectory->velocity[k];
    }
    vector_cross(axis, trajectory->arc, trajectory->arc_across);
    trajectory->half_sine = sine_and_cosine(0.5 * trajectory->angle).sine;
    trajectory->arcs = trajectory->arc[0] != 0 || trajectory->arc[1] != 0 || trajectory->arc[2] != 0;
}

static void make_turn(const double axis[3], const double start[9], struct trajectory *trajectory)
{
    const double cross[9] = {0, -axis[2], axis[1], axis[2], 0, -axis[0], -axis[1], axis[0], 0};
    matrix_times_matrix(cross, start, trajectory->sine_part);
    double along[3]; /* u'R0 */
    vector_times_matrix(start, axis, along);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            trajectory->fixed[3 * i + j] = axis[i] * along[j];
            trajectory->cosine_part[3 * i + j] = start[3 * i + j] - axis[i] * along[j];
        }
    }
}

void trajectory_from_motion(const dent_motion *motion, double scale, struct trajectory *trajectory)
{
    *trajectory = (struct trajectory){.law = motion->law, .scale = scale};
    double unit[4], start[9], axis[3] = {0, 0, 0};
    quaternion_make_unit(motion->start.rotation, unit);
    quaternion_to_matrix(unit, start);
    numbers_near_one(motion->start.rotation, 4, trajectory->start_turn);
    if (motion->kind == DENT_MOTION_GIVEN) {
        trajectory->given = motion->given;
        trajectory->law = NULL;
        trajectory->turns = trajectory->moves = true;
        for (int k = 0; k < 3; k++) {
            trajectory->start_translation[k] = motion->start.translation[k] * scale;
        }
        return;
    }
    trajectory->turns = motion->angle != 0;
    trajectory->angle = motion->angle;
    if (trajectory->turns) {
        vector_make_unit(motion->axis, axis);
        make_turn(axis, start, trajectory);
    } else {
        memcpy(trajectory->fixed, start, sizeof start);
    }
    bool screw = motion->kind == DENT_MOTION_SCREW && trajectory->turns;
    if (screw) {
        make_arcs(motion, axis, scale, trajectory);
    }
    bool centred = motion->kind == DENT_MOTION_CONSTANT_VELOCITY && trajectory->turns;
    for (int k = 0; k < 3; k++) {
        trajectory->centre[k] = centred ? motion->centre[k] * scale : 0;
        trajectory->velocity[k] = screw ? trajectory->velocity[k] : motion->displacement[k] * scale;
    }
    matrix_times_vector(start, trajectory->centre, trajectory->origin);
    for (int k = 0; k < 3; k++) {
        trajectory->start_translation[k] = motion->start.translation[k] * scale;
        trajectory->origin[k] += trajectory->start_translation[k];
    }
    trajectory->centre_length = vector_length(trajectory->centre);
    trajectory->arc_length = vector_length(trajectory->arc);
    /* g1 and g2 are bounded by |angle| / |2 sin(angle / 2)|, as their derivatives are. */
    double stretch = trajectory->arcs ? fabs(0.5 * trajectory->angle / trajectory->half_sine) : 0;
    trajectory->size = vector_length(trajectory->origin) + vector_length(trajectory->velocity) +
                       trajectory->centre_length + 2 * stretch * trajectory->arc_length;
    trajectory->moves = trajectory->turns || vector_length(trajectory->velocity) > 0;
}

void trajectory_at(const struct trajectory *trajectory, double t, double rotation[9], double translation[3])
{
    double rotation_rate[9], translation_rate[3];
    trajectory_derivative_at(trajectory, t, rotation, translation, rotation_rate, translation_rate);
}

void trajectory_derivative_at(const struct trajectory *trajectory, double t, double rotation[9], double translation[3],
                              double rotation_rate[9], double translation_rate[3])
{
    if (!trajectory->turns) {
        memcpy(rotation, trajectory->fixed, 9 * sizeof(double));
        memset(rotation_rate, 0, 9 * sizeof(double));
        for (int k = 0; k < 3; k++) {
            translation[k] = trajectory->origin[k] + t * trajectory->velocity[k];
            translation_rate[k] = trajectory->velocity[k];
        }
        return;
    }
    double angle = trajectory->angle;
    struct sine_cosine now = sine_and_cosine(angle * t);
    double sine_rate = angle * now.cosine, cosine_rate = -(angle * now.sine);
    for (int k = 0; k < 9; k++) {
        rotation[k] =
            trajectory->fixed[k] + (now.cosine * trajectory->cosine_part[k] + now.sine * trajectory->sine_part[k]);
        rotation_rate[k] = cosine_rate * trajectory->cosine_part[k] + sine_rate * trajectory->sine_part[k];
    }
    double carried[3], carried_rate[3];
    matrix_times_vector(rotation, trajectory->centre, carried);
    matrix_times_vector(rotation_rate, trajectory->centre, carried_rate);
    for (int k = 0; k < 3; k++) {
        translation[k] = (trajectory->origin[k] + t * trajectory->velocity[k]) - carried[k];
        translation_rate[k] = trajectory->velocity[k] - carried_rate[k];
    }
    if (trajectory->arcs) {
        struct sine_cosine early = sine_and_cosine(0.5 * angle * t), late = sine_and_cosine(0.5 * angle * (t - 1));
        struct sine_cosine speed = sine_and_cosine(angle * (t - 0.5));
        double ratio = early.sine / trajectory->half_sine, rate = 0.5 * angle / trajectory->half_sine;
        for (int k = 0; k < 3; k++) {
            double arc = trajectory->arc[k], across = trajectory->arc_across[k];
            translation[k] += ratio * (late.cosine * arc + late.sine * across);
            translation_rate[k] += rate * (speed.cosine * arc + speed.sine * across);
        }
    }
}
