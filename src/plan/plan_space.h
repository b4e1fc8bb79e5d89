/* The configuration space of a linkage: values, tangent vectors, metric, limits, draws.
 *
 * A configuration is the joint values. A tangent vector has one number per degree of freedom, already multiplied by
 * the weight of the metric: 1 for a joint of one value, 3 for planar and ball joints, 6 for free ones (the way of the
 * origin, then a rotation vector in the coordinates of the joint). So the length of a step is the length of its vector.
 * All poses come from dent/motion.h, whose bits are the same on every machine. */
#ifndef DENT_PLAN_SPACE_H
#define DENT_PLAN_SPACE_H

#include <dent/plan.h>

/* A joint with values of its own. */
struct plan_joint {
    uint32_t joint; /* of the linkage */
    dent_joint_kind kind;
    uint32_t first_value, first_freedom;
};

struct plan_space {
    dent_context *context;
    const dent_linkage *linkage;
    dent_pose base;
    uint32_t value_count, freedom_count, link_count, joint_count;
    struct plan_joint joints[DENT_PLAN_VALUES_MAX];
    double weights[DENT_PLAN_VALUES_MAX]; /* by freedom */
    double limit_lower[DENT_PLAN_VALUES_MAX], limit_upper[DENT_PLAN_VALUES_MAX]; /* by value, mimics included */
    double lower[DENT_PLAN_VALUES_MAX], upper[DENT_PLAN_VALUES_MAX]; /* where to draw, by value */
    bool given_range;
    uint32_t *joint_of_link; /* the joint whose child it is, or DENT_JOINT_NONE */
    dent_pose *poses;        /* scratch, by link */
};

/* Fills all but weights and ranges of unlimited lengths, which need the shapes. Clean up in any case. */
dent_status plan_space_create(dent_context *context, const dent_planner_def *def, struct plan_space *space);
void plan_space_destroy(struct plan_space *space);

/* Gives joints without limits their range: lengths the box, angles half a turn around the middle of both ends. */
void plan_space_set_range(struct plan_space *space, const dent_planner_def *def, const double lo[3], const double hi[3],
                          const double *from, const double *to);

/* The tangent vector that leads from one configuration to another. */
void plan_space_difference(const struct plan_space *space, const double *from, const double *to, double *tangent);
/* Follows a tangent vector, up to the limits. */
void plan_space_step(const struct plan_space *space, const double *from, const double *tangent, double *to);
void plan_space_between(const struct plan_space *space, const double *from, const double *to, double t, double *at);
double plan_space_length(const struct plan_space *space, const double *from, const double *to);
/* Nearly the square of the length, and cheap: rotations by their chord. */
double plan_space_nearness(const struct plan_space *space, const double *a, const double *b);
void plan_space_draw(const struct plan_space *space, dent_random *random, double *values);
/* Unit quaternions. */
void plan_space_normalise(const struct plan_space *space, double *values);

/* The derivative of a point of a link, given in the world, by every freedom (divided by its weight): freedom_count
 * rows of 3. Reads space->poses, filled by plan_space_place. UINT32_MAX: an obstacle, all 0. */
dent_status plan_space_place(struct plan_space *space, const double *values);
void plan_space_derivative(const struct plan_space *space, uint32_t link, const double point[3], double (*rows)[3]);

#endif
