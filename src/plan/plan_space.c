/* Values, tangent vectors and draws of a configuration space. See plan_space.h. */
#include "plan/plan_space.h"

#include "base/containers/vectors.h"

#include <math.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

static uint32_t freedoms_of(dent_joint_kind kind)
{
    return kind == DENT_JOINT_FREE ? 6 : kind == DENT_JOINT_BALL ? 3 : dent_joint_kind_value_count(kind);
}

/* Where the quaternion of a joint begins in its values, or UINT32_MAX. */
static uint32_t quaternion_of(dent_joint_kind kind)
{
    return kind == DENT_JOINT_FREE ? 3 : kind == DENT_JOINT_BALL ? 0 : UINT32_MAX;
}

static uint32_t plain_values_of(dent_joint_kind kind)
{
    uint32_t quaternion = quaternion_of(kind);
    return quaternion < UINT32_MAX ? quaternion : dent_joint_kind_value_count(kind);
}

/* ---- creation ---------------------------------------------------------------------------------------------------- */

static void list_joint(struct plan_space *space, uint32_t j, const dent_joint_def *def)
{
    struct plan_joint *own = &space->joints[space->joint_count++];
    *own = (struct plan_joint){.joint = j,
                               .kind = def->kind,
                               .first_value = dent_linkage_first_value(space->linkage, j),
                               .first_freedom = space->freedom_count};
    space->freedom_count += freedoms_of(def->kind);
}

static void narrow(struct plan_space *space, uint32_t value, double lower, double upper)
{
    space->limit_lower[value] = fmax(space->limit_lower[value], lower);
    space->limit_upper[value] = fmin(space->limit_upper[value], upper);
}

/* The limits of a joint bind the joint that it mimics. */
static void take_limits(struct plan_space *space, uint32_t j, const dent_joint_def *def)
{
    if (!def->has_limits || dent_joint_kind_value_count(def->kind) != 1) {
        return;
    }
    if (def->mimics == DENT_JOINT_NONE) {
        narrow(space, dent_linkage_first_value(space->linkage, j), def->lower, def->upper);
    } else if (def->multiplier != 0) {
        double a = (def->lower - def->offset) / def->multiplier, b = (def->upper - def->offset) / def->multiplier;
        narrow(space, dent_linkage_first_value(space->linkage, def->mimics), fmin(a, b), fmax(a, b));
    }
}

static dent_status check_numbers(const struct plan_space *space, const dent_planner_def *def)
{
    for (uint32_t i = 0; i < space->value_count; i++) {
        if (def->weights && !(def->weights[i] > 0 && isfinite(def->weights[i]))) {
            return dent_fail(space->context, DENT_ERROR_INVALID_ARGUMENT,
                             "the weight of joint value %u is %g: a finite number above 0 is needed", i,
                             def->weights[i]);
        }
        if (def->lower && !(def->lower[i] <= def->upper[i] && isfinite(def->lower[i]) && isfinite(def->upper[i]))) {
            return dent_fail(space->context, DENT_ERROR_INVALID_ARGUMENT,
                             "the range of joint value %u, from %g to %g, is empty or not finite", i, def->lower[i],
                             def->upper[i]);
        }
    }
    return DENT_OK;
}

dent_status plan_space_create(dent_context *context, const dent_planner_def *def, struct plan_space *space)
{
    const dent_linkage *linkage = def->linkage;
    *space = (struct plan_space){.context = context,
                                 .linkage = linkage,
                                 .base = def->base ? *def->base : dent_pose_identity(),
                                 .value_count = dent_linkage_value_count(linkage),
                                 .link_count = dent_linkage_link_count(linkage)};
    if (space->value_count > DENT_PLAN_VALUES_MAX) {
        return dent_fail(context, DENT_ERROR_TOO_LARGE, "linkage '%s' has %u joint values; a planner takes %d",
                         dent_linkage_name(linkage), space->value_count, DENT_PLAN_VALUES_MAX);
    }
    space->joint_of_link = dent_allocate(context, space->link_count, sizeof *space->joint_of_link);
    space->poses = dent_allocate(context, space->link_count, sizeof *space->poses);
    if (!space->joint_of_link || !space->poses) {
        return dent_fail(context, DENT_ERROR_OUT_OF_MEMORY, "out of memory for a planner");
    }
    for (uint32_t i = 0; i < space->link_count; i++) {
        space->joint_of_link[i] = DENT_JOINT_NONE;
    }
    for (uint32_t i = 0; i < DENT_PLAN_VALUES_MAX; i++) {
        space->weights[i] = 1;
        space->limit_lower[i] = -INFINITY;
        space->limit_upper[i] = INFINITY;
    }
    for (uint32_t j = 0; j < dent_linkage_joint_count(linkage); j++) {
        const dent_joint_def *joint = dent_linkage_joint(linkage, j);
        space->joint_of_link[joint->child] = j;
        if (dent_linkage_first_value(linkage, j) != UINT32_MAX) {
            list_joint(space, j, joint);
        }
        if (!def->no_limits) {
            take_limits(space, j, joint);
        }
    }
    return check_numbers(space, def);
}

void plan_space_destroy(struct plan_space *space)
{
    dent_release(space->context, space->joint_of_link, space->link_count, sizeof *space->joint_of_link);
    dent_release(space->context, space->poses, space->link_count, sizeof *space->poses);
}

/* ---- ranges ------------------------------------------------------------------------------------------------------ */

static bool is_angle(dent_joint_kind kind, uint32_t value)
{
    return kind == DENT_JOINT_REVOLUTE || kind == DENT_JOINT_SCREW || (kind == DENT_JOINT_PLANAR && value == 2);
}

static void set_value_range(struct plan_space *space, const struct plan_joint *joint, uint32_t value,
                            const double box[2], const double *from, const double *to)
{
    uint32_t i = joint->first_value + value;
    double low = fmin(from[i], to[i]), high = fmax(from[i], to[i]);
    if (is_angle(joint->kind, value)) {
        /* A turn has everything; no more of it is needed, unless the ends are farther apart. */
        double middle = low + (high - low) / 2;
        space->lower[i] = fmin(low, fmax(space->limit_lower[i], middle - pi));
        space->upper[i] = fmax(high, fmin(space->limit_upper[i], middle + pi));
    } else {
        bool bounded = isfinite(space->limit_lower[i]) && isfinite(space->limit_upper[i]);
        space->lower[i] = bounded ? space->limit_lower[i] : fmax(space->limit_lower[i], fmin(low, box[0]));
        space->upper[i] = bounded ? space->limit_upper[i] : fmin(space->limit_upper[i], fmax(high, box[1]));
    }
}

void plan_space_set_range(struct plan_space *space, const dent_planner_def *def, const double lo[3], const double hi[3],
                          const double *from, const double *to)
{
    double size = 0;
    for (int k = 0; k < 3; k++) {
        size = fmax(size, hi[k] - lo[k]);
    }
    for (uint32_t j = 0; j < space->joint_count; j++) {
        const struct plan_joint *joint = &space->joints[j];
        for (uint32_t v = 0; v < plain_values_of(joint->kind); v++) {
            uint32_t i = joint->first_value + v;
            if (def->lower) {
                space->lower[i] = fmax(def->lower[i], space->limit_lower[i]);
                space->upper[i] = fmin(def->upper[i], space->limit_upper[i]);
                continue;
            }
            /* The box is that of the world where the joint's origin is; elsewhere as far as the world is large. */
            bool at_world = joint->kind == DENT_JOINT_FREE;
            double box[2] = {at_world ? lo[v] : -size, at_world ? hi[v] : size};
            set_value_range(space, joint, v, box, from, to);
        }
    }
}

/* ---- poses of joints --------------------------------------------------------------------------------------------- */

static dent_pose pose_of(const struct plan_joint *joint, const double *values)
{
    dent_pose pose = dent_pose_identity();
    uint32_t quaternion = quaternion_of(joint->kind);
    memcpy(pose.rotation, values + joint->first_value + quaternion, sizeof pose.rotation);
    if (quaternion > 0) {
        memcpy(pose.translation, values + joint->first_value, sizeof pose.translation);
    }
    return pose;
}

static void put_pose(const struct plan_joint *joint, const dent_pose *pose, double *values)
{
    uint32_t quaternion = quaternion_of(joint->kind);
    memcpy(values + joint->first_value + quaternion, pose->rotation, sizeof pose->rotation);
    if (quaternion > 0) {
        memcpy(values + joint->first_value, pose->translation, sizeof pose->translation);
    }
}

static dent_motion motion_between(const struct plan_space *space, const struct plan_joint *joint, const double *from,
                                  const double *to)
{
    dent_pose start = pose_of(joint, from), end = pose_of(joint, to);
    dent_motion motion = dent_motion_stationary(&start);
    /* Values were checked: it cannot fail. */
    (void)dent_motion_between(space->context, &start, &end, DENT_MOTION_CONSTANT_VELOCITY, NULL, 0, &motion);
    return motion;
}

/* ---- steps ------------------------------------------------------------------------------------------------------- */

void plan_space_difference(const struct plan_space *space, const double *from, const double *to, double *tangent)
{
    for (uint32_t j = 0; j < space->joint_count; j++) {
        const struct plan_joint *joint = &space->joints[j];
        double *own = tangent + joint->first_freedom;
        const double *weights = space->weights + joint->first_freedom;
        uint32_t quaternion = quaternion_of(joint->kind);
        for (uint32_t v = 0; v < plain_values_of(joint->kind); v++) {
            own[v] = weights[v] * (to[joint->first_value + v] - from[joint->first_value + v]);
        }
        if (quaternion < UINT32_MAX) {
            dent_motion motion = motion_between(space, joint, from, to);
            double length = sqrt((motion.axis[0] * motion.axis[0] + motion.axis[1] * motion.axis[1]) +
                                 motion.axis[2] * motion.axis[2]);
            for (int k = 0; k < 3; k++) {
                double rotation = length > 0 ? motion.axis[k] / length * motion.angle : 0;
                own[quaternion + (uint32_t)k] = weights[quaternion + (uint32_t)k] * rotation;
            }
        }
    }
}

static void turn_joint(const struct plan_space *space, const struct plan_joint *joint, const double *tangent,
                       double *values)
{
    uint32_t first = joint->first_freedom + quaternion_of(joint->kind);
    dent_pose pose = pose_of(joint, values);
    double vector[3], length = 0;
    for (uint32_t k = 0; k < 3; k++) {
        vector[k] = tangent[first + k] / space->weights[first + k];
        length += vector[k] * vector[k];
    }
    length = sqrt(length);
    if (length > 0) {
        dent_motion motion = dent_motion_stationary(&pose);
        memcpy(motion.axis, vector, sizeof vector);
        motion.angle = fmin(length, 2 * pi);
        dent_pose end = dent_motion_at(&motion, 1);
        memcpy(pose.rotation, end.rotation, sizeof pose.rotation);
        put_pose(joint, &pose, values);
    }
}

void plan_space_step(const struct plan_space *space, const double *from, const double *tangent, double *to)
{
    memmove(to, from, space->value_count * sizeof *to);
    for (uint32_t j = 0; j < space->joint_count; j++) {
        const struct plan_joint *joint = &space->joints[j];
        for (uint32_t v = 0; v < plain_values_of(joint->kind); v++) {
            uint32_t i = joint->first_value + v, f = joint->first_freedom + v;
            double value = to[i] + tangent[f] / space->weights[f];
            to[i] = fmin(fmax(value, fmin(space->limit_lower[i], from[i])), fmax(space->limit_upper[i], from[i]));
        }
        if (quaternion_of(joint->kind) < UINT32_MAX) {
            turn_joint(space, joint, tangent, to);
        }
    }
}

void plan_space_between(const struct plan_space *space, const double *from, const double *to, double t, double *at)
{
    for (uint32_t j = 0; j < space->joint_count; j++) {
        const struct plan_joint *joint = &space->joints[j];
        if (quaternion_of(joint->kind) < UINT32_MAX) {
            dent_motion motion = motion_between(space, joint, from, to);
            dent_pose pose = dent_motion_at(&motion, t);
            put_pose(joint, &pose, at);
        } else {
            for (uint32_t v = 0; v < dent_joint_kind_value_count(joint->kind); v++) {
                uint32_t i = joint->first_value + v;
                double value = from[i] + t * (to[i] - from[i]);
                at[i] = fmin(fmax(value, fmin(from[i], to[i])), fmax(from[i], to[i]));
            }
        }
    }
}

double plan_space_length(const struct plan_space *space, const double *from, const double *to)
{
    double tangent[DENT_PLAN_VALUES_MAX], sum = 0;
    plan_space_difference(space, from, to, tangent);
    for (uint32_t f = 0; f < space->freedom_count; f++) {
        sum += tangent[f] * tangent[f];
    }
    return sqrt(sum);
}

double plan_space_nearness(const struct plan_space *space, const double *a, const double *b)
{
    double sum = 0;
    for (uint32_t j = 0; j < space->joint_count; j++) {
        const struct plan_joint *joint = &space->joints[j];
        uint32_t quaternion = quaternion_of(joint->kind);
        for (uint32_t v = 0; v < plain_values_of(joint->kind); v++) {
            double d = space->weights[joint->first_freedom + v] * (b[joint->first_value + v] - a[joint->first_value + v]);
            sum += d * d;
        }
        if (quaternion < UINT32_MAX) {
            const double *p = a + joint->first_value + quaternion, *q = b + joint->first_value + quaternion;
            double cosine = fabs(((p[0] * q[0] + p[1] * q[1]) + p[2] * q[2]) + p[3] * q[3]);
            double weight = space->weights[joint->first_freedom + quaternion];
            sum += 8 * weight * weight * fmax(0, 1 - cosine); /* the angle squared, for small ones */
        }
    }
    return sum;
}

/* ---- draws ------------------------------------------------------------------------------------------------------- */

/* Uniform on the rotations: a point of a ball, projected. */
static void draw_quaternion(dent_random *random, double q[4])
{
    double square;
    do {
        square = 0;
        for (int k = 0; k < 4; k++) {
            q[k] = 2 * dent_random_unit(random) - 1;
            square += q[k] * q[k];
        }
    } while (!(square <= 1 && square > 0.01));
    for (int k = 0; k < 4; k++) {
        q[k] /= sqrt(square);
    }
}

void plan_space_draw(const struct plan_space *space, dent_random *random, double *values)
{
    for (uint32_t j = 0; j < space->joint_count; j++) {
        const struct plan_joint *joint = &space->joints[j];
        for (uint32_t v = 0; v < plain_values_of(joint->kind); v++) {
            uint32_t i = joint->first_value + v;
            values[i] = space->lower[i] + dent_random_unit(random) * (space->upper[i] - space->lower[i]);
        }
        if (quaternion_of(joint->kind) < UINT32_MAX) {
            draw_quaternion(random, values + joint->first_value + quaternion_of(joint->kind));
        }
    }
}

void plan_space_normalise(const struct plan_space *space, double *values)
{
    for (uint32_t j = 0; j < space->joint_count; j++) {
        const struct plan_joint *joint = &space->joints[j];
        if (quaternion_of(joint->kind) < UINT32_MAX) {
            dent_pose pose = pose_of(joint, values), identity = dent_pose_identity();
            pose = dent_pose_product(&identity, &pose); /* of unit length */
            put_pose(joint, &pose, values);
        }
    }
}

/* ---- derivatives ------------------------------------------------------------------------------------------------- */

dent_status plan_space_place(struct plan_space *space, const double *values)
{
    return dent_linkage_poses(space->linkage, &space->base, values, space->poses);
}

static void turn(const double m[16], const double v[3], double result[3])
{
    for (int k = 0; k < 3; k++) {
        result[k] = (m[4 * k] * v[0] + m[4 * k + 1] * v[1]) + m[4 * k + 2] * v[2];
    }
}

struct joint_view {
    const dent_joint_def *def;
    double frame[16];  /* the joint's frame (after its origin), in the world */
    double centre[3];  /* of rotation: the child's origin, in the world */
};

static void add_column(double row[3], const double direction[3], double factor)
{
    for (int k = 0; k < 3; k++) {
        row[k] += factor * direction[k];
    }
}

/* A rotation about an axis of the joint's frame. */
static void add_rotation(const struct joint_view *view, const double axis[3], const double point[3], double factor,
                         double row[3])
{
    double direction[3], arm[3], velocity[3];
    turn(view->frame, axis, direction);
    for (int k = 0; k < 3; k++) {
        arm[k] = point[k] - view->centre[k];
    }
    vector_cross(direction, arm, velocity);
    add_column(row, velocity, factor);
}

static void add_translation(const struct joint_view *view, const double axis[3], double factor, double row[3])
{
    double direction[3];
    turn(view->frame, axis, direction);
    add_column(row, direction, factor);
}

static void unit_axis(const dent_joint_def *def, double axis[3])
{
    double largest = fmax(fmax(fabs(def->axis[0]), fabs(def->axis[1])), fabs(def->axis[2])), square = 0;
    for (int k = 0; k < 3; k++) {
        axis[k] = def->axis[k] / largest;
        square += axis[k] * axis[k];
    }
    for (int k = 0; k < 3; k++) {
        axis[k] /= sqrt(square);
    }
}

/* Two directions across an axis, those of DENT_JOINT_PLANAR. */
static void plane_axes(const double n[3], double x[3], double y[3])
{
    double s = n[2] > -0.5 ? 1 / (1 + n[2]) : 0, across = n[0] * n[0] + n[1] * n[1];
    if (n[2] <= -0.5) {
        s = across > 0 ? (1 - n[2]) / across : 0;
    }
    x[0] = 1 - n[0] * n[0] * s;
    x[1] = y[0] = -n[0] * n[1] * s;
    x[2] = -n[0];
    y[1] = across > 0 || n[2] > 0 ? 1 - n[1] * n[1] * s : -1;
    y[2] = -n[1];
}

static void add_joint(const struct plan_space *space, const struct joint_view *view, const double point[3],
                      uint32_t freedom, double multiplier, double (*rows)[3])
{
    static const double axes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const dent_joint_def *def = view->def;
    const double *weights = space->weights + freedom;
    double axis[3] = {0, 0, 0}, x[3], y[3];
    double(*own)[3] = rows + freedom;
    if (def->kind != DENT_JOINT_FREE && def->kind != DENT_JOINT_BALL) {
        unit_axis(def, axis);
    }
    switch (def->kind) {
    case DENT_JOINT_REVOLUTE:
    case DENT_JOINT_SCREW:
        add_rotation(view, axis, point, multiplier / weights[0], own[0]);
        add_translation(view, axis, def->kind == DENT_JOINT_SCREW ? def->pitch * multiplier / weights[0] : 0, own[0]);
        break;
    case DENT_JOINT_PRISMATIC:
        add_translation(view, axis, multiplier / weights[0], own[0]);
        break;
    case DENT_JOINT_PLANAR:
        plane_axes(axis, x, y);
        add_translation(view, x, 1 / weights[0], own[0]);
        add_translation(view, y, 1 / weights[1], own[1]);
        add_rotation(view, axis, point, 1 / weights[2], own[2]);
        break;
    case DENT_JOINT_FREE:
    case DENT_JOINT_BALL: {
        uint32_t ways = def->kind == DENT_JOINT_FREE ? 3 : 0;
        for (uint32_t k = 0; k < 3; k++) {
            if (ways) {
                add_translation(view, axes[k], 1 / weights[k], own[k]);
            }
            add_rotation(view, axes[k], point, 1 / weights[ways + k], own[ways + k]);
        }
        break;
    }
    default:
        break;
    }
}

static uint32_t freedom_of(const struct plan_space *space, uint32_t joint)
{
    for (uint32_t j = 0; j < space->joint_count; j++) {
        if (space->joints[j].joint == joint) {
            return space->joints[j].first_freedom;
        }
    }
    return UINT32_MAX;
}

void plan_space_derivative(const struct plan_space *space, uint32_t link, const double point[3], double (*rows)[3])
{
    memset(rows, 0, space->freedom_count * sizeof *rows);
    while (link != UINT32_MAX && space->joint_of_link[link] != DENT_JOINT_NONE) {
        uint32_t j = space->joint_of_link[link];
        struct joint_view view = {.def = dent_linkage_joint(space->linkage, j)};
        uint32_t own = view.def->mimics == DENT_JOINT_NONE ? j : view.def->mimics;
        uint32_t freedom = freedom_of(space, own);
        if (freedom != UINT32_MAX) {
            dent_pose frame = dent_pose_product(&space->poses[view.def->parent], &view.def->origin);
            dent_pose_to_matrix(&frame, view.frame);
            memcpy(view.centre, space->poses[link].translation, sizeof view.centre);
            add_joint(space, &view, point, freedom, own == j ? 1 : view.def->multiplier, rows);
        }
        link = view.def->parent;
    }
}
