/* Joints and springs of rigid bodies. */
#include "scene_file_parts.h"

#include <math.h>
#include <string.h>

/* The number of a rigid body; an error placed at the value otherwise. */
static uint32_t find_rigid(struct scene_reader *reader, located *value, const char *key)
{
    uint32_t body = find_body(reader, value);
    if (reader_good(reader) && reader->plan->bodies[body].kind != DENT_SIM_RIGID) {
        reader_wrong(reader, value, "\"%s\": a body of kind \"rigid\" was expected", key);
    }
    return body;
}

/* The other side: a rigid body, or a prescribed one that stands still. */
static uint32_t find_other(struct scene_reader *reader, located *value)
{
    uint32_t body = find_body(reader, value);
    const dent_sim_body_def *other = reader_good(reader) ? &reader->plan->bodies[body] : NULL;
    bool still =
        other && other->kind == DENT_SIM_PRESCRIBED && other->motion.keyframe_count == 0 && !other->motion.function;
    if (other && other->kind != DENT_SIM_RIGID && !still) {
        reader_wrong(reader, value,
                     "\"to\": a body of kind \"rigid\" was expected, or one of kind \"prescribed\" without \"motion\"");
    }
    return body;
}

static void read_axis(struct scene_reader *reader, located *object, dent_sim_joint *joint)
{
    located *axis = reader_member(reader, object, "axis");
    if (axis) {
        reader_vector(reader, axis, QUANTITY_RATIO, joint->axis);
    }
    if (reader_good(reader) && joint->axis[0] == 0 && joint->axis[1] == 0 && joint->axis[2] == 0) {
        reader_wrong(reader, axis, "\"axis\": a direction that is not 0 was expected");
    }
}

static void read_limits(struct scene_reader *reader, located *limits, enum quantity_kind kind, dent_sim_joint *joint)
{
    if (!limits || !reader_array(reader, limits, "limits")) {
        return;
    }
    if (json_array_size(limits->json) != 2) {
        reader_wrong(reader, limits, "\"limits\": two numbers were expected, [lower, upper]");
        return;
    }
    located *lower = reader_first(reader, limits), *upper = reader_next(reader, lower);
    joint->limited = true;
    joint->lower = reader_bounded(reader, lower, kind, 0, -HUGE_VAL, 0, "of at most 0 (where the joint is at time 0)");
    joint->upper = reader_bounded(reader, upper, kind, 0, 0, HUGE_VAL, "of at least 0 (where the joint is at time 0)");
}

static void read_motor(struct scene_reader *reader, located *motor, bool hinge, dent_sim_joint *joint)
{
    static const char *const keys[] = {"speed", "position", "force", "max_force", "max_speed", NULL};
    if (!motor || !reader_object(reader, motor, "a motor", keys)) {
        return;
    }
    located *speed = reader_member(reader, motor, "speed"), *position = reader_member(reader, motor, "position");
    located *force = reader_need(reader, motor, "max_force", "a motor");
    located *push = reader_member(reader, motor, "force"), *fastest = reader_member(reader, motor, "max_speed");
    enum quantity_kind rate = hinge ? QUANTITY_ANGULAR_VELOCITY : QUANTITY_VELOCITY;
    if (reader_good(reader) && (speed != NULL) + (position != NULL) + (push != NULL) != 1) {
        reader_wrong(reader, motor, "a motor needs either \"speed\", \"position\" or \"force\"");
    }
    joint->motor = speed      ? DENT_SIM_MOTOR_VELOCITY
                   : position ? DENT_SIM_MOTOR_POSITION
                              : DENT_SIM_MOTOR_FORCE;
    joint->target = speed      ? reader_quantity(reader, speed, rate, 0)
                    : position ? reader_quantity(reader, position, hinge ? QUANTITY_ANGLE : QUANTITY_LENGTH, 0)
                               : reader_quantity(reader, push, hinge ? QUANTITY_ENERGY : QUANTITY_FORCE, 0);
    joint->max_speed = fastest ? reader_positive(reader, fastest, rate, 1) : joint->max_speed;
    joint->max_force =
        reader_bounded(reader, force, hinge ? QUANTITY_ENERGY : QUANTITY_FORCE, 0, 0, HUGE_VAL, "of at least 0");
}

static void read_spring(struct scene_reader *reader, located *value, dent_sim_joint *joint)
{
    located *end = reader_need(reader, value, "point_to", "a spring");
    if (end) {
        reader_vector(reader, end, QUANTITY_LENGTH, joint->point_b);
    }
    joint->stiffness = reader_bounded(reader, reader_need(reader, value, "stiffness", "a spring"), QUANTITY_STIFFNESS,
                                      0, 0, HUGE_VAL, "of at least 0");
    joint->damping = reader_bounded(reader, reader_member(reader, value, "damping"), QUANTITY_FRICTION_RATE, 0, 0,
                                    HUGE_VAL, "of at least 0");
    joint->length = reader_bounded(reader, reader_member(reader, value, "length"), QUANTITY_LENGTH, -1, 0, HUGE_VAL,
                                   "of at least 0");
}

static void read_bodies_of(struct scene_reader *reader, located *value, dent_sim_joint *joint)
{
    located *body = reader_need(reader, value, "body", "a joint"), *to = reader_need(reader, value, "to", "a joint");
    if (!reader_good(reader)) {
        return;
    }
    bool space = strcmp(reader_text(reader, to, ""), "space") == 0;
    joint->body_a = find_rigid(reader, body, "body");
    joint->body_b = space || !reader_good(reader) ? UINT32_MAX : find_other(reader, to);
    if (reader_good(reader) && joint->body_a == joint->body_b) {
        reader_wrong(reader, to, "\"to\": another body was expected, or \"space\"");
    }
}

static void read_joint(struct scene_reader *reader, located *value)
{
    static const char *const keys[] = {"kind",     "body",      "to",      "point",  "axis",    "limits", "motor",
                                       "point_to", "stiffness", "damping", "length", "collide",
                                       "friction", NULL};
    static const char *const axial_only[] = {"axis", "limits", "motor", "friction", NULL};
    static const char *const spring_only[] = {"point_to", "stiffness", "damping", "length", NULL};
    static const char *const kinds[] = {"fixed", "hinge", "ball", "slider", "spring", NULL};
    dent_sim_joint joint = dent_sim_joint_default();
    if (!reader_object(reader, value, "a joint", keys)) {
        return;
    }
    int kind = reader_choice(reader, reader_need(reader, value, "kind", "a joint"), kinds);
    read_bodies_of(reader, value, &joint);
    located *point = reader_need(reader, value, "point", "a joint");
    if (!reader_good(reader)) {
        return;
    }
    joint.kind = (dent_sim_joint_kind)(kind + 1);
    bool hinge = joint.kind == DENT_SIM_JOINT_HINGE, spring = joint.kind == DENT_SIM_JOINT_SPRING;
    bool axial = hinge || joint.kind == DENT_SIM_JOINT_SLIDER;
    const char *const *wrong = axial ? spring_only : axial_only;
    for (int pass = 0; pass < 2; pass++, wrong = spring_only) { /* balls and fixed joints have neither */
        for (int n = 0; wrong[n] && !(spring && wrong == spring_only); n++) {
            located *member = reader_member(reader, value, wrong[n]);
            if (member) {
                reader_wrong_key(reader, member, "\"%s\": a %s has none", wrong[n], kinds[kind]);
            }
        }
    }
    reader_vector(reader, point, QUANTITY_LENGTH, joint.point);
    if (axial) {
        read_axis(reader, value, &joint);
        read_limits(reader, reader_member(reader, value, "limits"), hinge ? QUANTITY_ANGLE : QUANTITY_LENGTH, &joint);
        read_motor(reader, reader_member(reader, value, "motor"), hinge, &joint);
        joint.friction = reader_bounded(reader, reader_member(reader, value, "friction"),
                                        hinge ? QUANTITY_ENERGY : QUANTITY_FORCE, 0, 0, HUGE_VAL, "of at least 0");
    } else if (spring) {
        read_spring(reader, value, &joint);
    }
    joint.collide = reader_boolean(reader, reader_member(reader, value, "collide"), spring);
    if (reader_good(reader)) {
        plan_add_joint(reader->plan, &joint);
    }
}

void read_joints(struct scene_reader *reader, located *joints)
{
    for (located *value = reader_first(reader, joints); value != NULL; value = reader_next(reader, value)) {
        read_joint(reader, value);
    }
}
