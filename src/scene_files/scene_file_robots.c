/* Robots of a scene file: URDF files whose links become bodies and joints (dent/sim_linkage.h). */
#include "scene_file_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* What is read about one robot before it is made. */
struct robot_parts {
    const dent_robot *robot;
    const char *name;
    dent_sim_linkage_def def;
    dent_sim_linkage_motor *motors;
    dent_robot_joint *drives;
    double *values;
    uint32_t (*excluded)[2];
    uint32_t excluded_count;
};

/* ---- joints ------------------------------------------------------------------------------------------------------ */

/* Numbers of a joint: angles and torques, or lengths and forces. */
struct joint_quantities {
    enum quantity_kind position, speed, force;
};

static struct joint_quantities quantities_of(const dent_joint_def *joint)
{
    static const struct joint_quantities turning = {QUANTITY_ANGLE, QUANTITY_ANGULAR_VELOCITY, QUANTITY_ENERGY},
                                         sliding = {QUANTITY_LENGTH, QUANTITY_VELOCITY, QUANTITY_FORCE};
    return joint->kind == DENT_JOINT_REVOLUTE ? turning : sliding;
}

static void read_robot_motor(struct scene_reader *reader, located *value, struct joint_quantities quantities,
                             dent_sim_linkage_motor *motor)
{
    static const char *const keys[] = {"position", "speed", "force", "max_force", "max_speed", NULL};
    if (!value || !reader_object(reader, value, "a motor", keys)) {
        return;
    }
    located *position = reader_member(reader, value, "position"), *speed = reader_member(reader, value, "speed");
    located *force = reader_member(reader, value, "force");
    int given = (position != NULL) + (speed != NULL) + (force != NULL);
    if (reader_good(reader) && given != 1) {
        reader_wrong(reader, value, "a motor needs one of \"position\", \"speed\" and \"force\"");
    }
    motor->motor = position ? DENT_SIM_MOTOR_POSITION : speed ? DENT_SIM_MOTOR_VELOCITY : DENT_SIM_MOTOR_FORCE;
    motor->target = position ? reader_quantity(reader, position, quantities.position, 0)
                    : speed  ? reader_quantity(reader, speed, quantities.speed, 0)
                             : reader_quantity(reader, force, quantities.force, 0);
    motor->max_force = reader_bounded(reader, reader_member(reader, value, "max_force"), quantities.force,
                                      motor->max_force, 0, HUGE_VAL, "of at least 0");
    located *fastest = reader_member(reader, value, "max_speed");
    motor->max_speed = fastest ? reader_positive(reader, fastest, quantities.speed, 1) : motor->max_speed;
}

static void read_robot_joint(struct scene_reader *reader, located *value, struct robot_parts *parts)
{
    static const char *const keys[] = {"value", "motor", "damping", "friction", NULL};
    const dent_linkage *linkage = parts->robot->linkage;
    uint32_t number = dent_linkage_find_joint(linkage, value->key);
    const dent_joint_def *joint = dent_linkage_joint(linkage, number);
    if (!joint || (joint->kind != DENT_JOINT_REVOLUTE && joint->kind != DENT_JOINT_PRISMATIC)) {
        reader_wrong_key(reader, value, "the name of a revolute or prismatic joint of the robot was expected");
        return;
    }
    if (!reader_object(reader, value, "a joint of a robot", keys)) {
        return;
    }
    struct joint_quantities quantities = quantities_of(joint);
    dent_robot_joint *drive = &parts->drives[number];
    uint32_t first = dent_linkage_first_value(linkage, number);
    located *start = reader_member(reader, value, "value");
    if (start && first != UINT32_MAX) {
        parts->values[first] = reader_quantity(reader, start, quantities.position, 0);
    }
    if (start && reader_good(reader) && joint->has_limits && first != UINT32_MAX &&
        !(parts->values[first] >= joint->lower && parts->values[first] <= joint->upper)) {
        reader_wrong(reader, start, "\"value\": a value within the limits of the joint was expected, %.9g to %.9g",
                     joint->lower, joint->upper);
    }
    read_robot_motor(reader, reader_member(reader, value, "motor"), quantities, &parts->motors[number]);
    drive->damping = reader_bounded(reader, reader_member(reader, value, "damping"), QUANTITY_RATIO, drive->damping, 0,
                                    HUGE_VAL, "of at least 0");
    drive->friction = reader_bounded(reader, reader_member(reader, value, "friction"), quantities.force,
                                     drive->friction, 0, HUGE_VAL, "of at least 0");
}

/* ---- pairs that may touch ---------------------------------------------------------------------------------------- */

static uint32_t find_link(struct scene_reader *reader, located *value, const struct robot_parts *parts)
{
    const char *name = reader_text(reader, value, NULL);
    uint32_t link = name ? dent_linkage_find_link(parts->robot->linkage, name) : UINT32_MAX;
    if (name && link == UINT32_MAX && reader_good(reader)) {
        reader_wrong(reader, value, "the name of a link of the robot was expected, and none is called \"%.60s\"", name);
    }
    return link;
}

static void read_allowed(struct scene_reader *reader, located *list, struct robot_parts *parts)
{
    if (!list || !reader_array(reader, list, "pairs of links")) {
        return;
    }
    parts->excluded = plan_allocate(reader->plan, json_array_size(list->json) + 1, sizeof *parts->excluded);
    for (located *pair = reader_first(reader, list); pair != NULL; pair = reader_next(reader, pair)) {
        if (!reader_array(reader, pair, "two names of links")) {
            return;
        }
        if (json_array_size(pair->json) != 2) {
            reader_wrong(reader, pair, "two names of links were expected, not %zu", json_array_size(pair->json));
            return;
        }
        located *first = reader_first(reader, pair);
        uint32_t a = find_link(reader, first, parts), b = find_link(reader, reader_next(reader, first), parts);
        if (parts->excluded && reader_good(reader)) {
            parts->excluded[parts->excluded_count][0] = a;
            parts->excluded[parts->excluded_count++][1] = b;
        }
    }
}

/* ---- one robot --------------------------------------------------------------------------------------------------- */

static void place_robot(struct scene_reader *reader, located *object, dent_pose *base)
{
    located *rotate = reader_member(reader, object, "rotate");
    if (rotate) {
        read_rotation(reader, rotate, base->rotation);
    }
    reader_vector(reader, reader_member(reader, object, "move"), QUANTITY_LENGTH, base->translation);
}

/* Lists of the robot's joints, with what the file says about them; the scene changes some. */
static bool open_parts(struct scene_reader *reader, struct robot_parts *parts)
{
    const dent_robot *robot = parts->robot;
    uint32_t joints = dent_linkage_joint_count(robot->linkage);
    parts->motors = plan_allocate(reader->plan, (size_t)joints + 1, sizeof *parts->motors);
    parts->drives = plan_allocate(reader->plan, (size_t)joints + 1, sizeof *parts->drives);
    parts->values = plan_allocate(reader->plan, (size_t)dent_linkage_value_count(robot->linkage) + 1, sizeof(double));
    if (!reader_good(reader)) {
        return false;
    }
    dent_linkage_zero_values(robot->linkage, parts->values);
    for (uint32_t j = 0; j < joints; j++) {
        const dent_joint_def *joint = dent_linkage_joint(robot->linkage, j);
        uint32_t first = dent_linkage_first_value(robot->linkage, j);
        parts->motors[j] = dent_sim_linkage_motor_default();
        parts->drives[j] = robot->joints[j];
        if (joint->has_limits && first != UINT32_MAX) {
            parts->values[first] = joint->lower > 0 ? joint->lower : joint->upper < 0 ? joint->upper : 0;
        }
    }
    parts->def = dent_sim_linkage_def_default();
    dent_sim_linkage_def_from_robot(&parts->def, robot);
    parts->def.name = parts->name;
    parts->def.drives = parts->drives;
    parts->def.motors = parts->motors;
    parts->def.values = parts->values;
    return true;
}

static void note_bodies(struct scene_reader *reader, located *object, uint32_t first)
{
    for (uint32_t b = first; b < reader->plan->body_count && reader_good(reader); b++) {
        const char *name = reader->plan->bodies[b].name;
        if (!reader_note_name(reader, &reader->body_names, name, b)) {
            reader_wrong(reader, object, "a \"name\" of its own was expected: \"%.80s\" is an earlier body", name);
        }
    }
}

/* An error of the linkage gets the place of the robot in front. */
static void place_error(struct scene_reader *reader, located *object)
{
    char message[700];
    dent_context_message(reader->plan->context, message, sizeof message);
    reader->plan->status = dent_fail(reader->plan->context, reader->plan->status, "%s:%u:%u: %s", reader->document.file,
                                     object->line, object->column, message);
}

static void use_robot(struct scene_reader *reader, located *object, located *file, struct robot_parts *parts)
{
    double bytes = 0;
    for (uint32_t n = 0; n < parts->robot->link_count; n++) {
        bytes += 60.0 * parts->robot->links[n].vertex_count + 30.0 * parts->robot->links[n].triangle_count + 2000;
    }
    if (!reader_charge(reader, file, bytes) || !open_parts(reader, parts)) {
        return;
    }
    dent_sim_body_def filter = dent_sim_body_def_default(DENT_SIM_RIGID);
    place_robot(reader, object, &parts->def.base);
    parts->def.free_base = reader_boolean(reader, reader_member(reader, object, "free"), false);
    parts->def.material = find_material(reader, reader_member(reader, object, "material"));
    parts->def.density = reader_positive(reader, reader_member(reader, object, "density"), QUANTITY_DENSITY, 0);
    parts->def.thickness = reader_bounded(reader, reader_member(reader, object, "thickness"), QUANTITY_LENGTH, -1, 0,
                                          HUGE_VAL, "of at least 0");
    read_filter(reader, object, &filter);
    parts->def.collision_group = filter.collision_group;
    parts->def.collision_mask = filter.collision_mask;
    located *joints = reader_member(reader, object, "joints");
    if (joints && !json_is_object(joints->json)) {
        reader_wrong(reader, joints, "\"joints\": an object was expected, a name for each joint: {\"elbow\": { ... }}");
    }
    for (located *value = reader_first(reader, joints); value != NULL; value = reader_next(reader, value)) {
        read_robot_joint(reader, value, parts);
    }
    read_allowed(reader, reader_member(reader, object, "allow"), parts);
    uint32_t first = reader->plan->body_count;
    if (reader_good(reader)) {
        plan_add_linkage(reader->plan, &parts->def, (const uint32_t(*)[2])parts->excluded, parts->excluded_count);
        if (reader->plan->status != DENT_OK) {
            place_error(reader, object);
        }
        note_bodies(reader, object, first);
    }
}

static void read_robot(struct scene_reader *reader, located *object, uint32_t number)
{
    static const char *const keys[] = {"name",      "file",  "move",    "rotate", "free",  "material",     "density",
                                       "thickness", "group", "touches", "joints", "allow", "skip_missing", NULL};
    struct sim_plan *plan = reader->plan;
    if (!reader_object(reader, object, "a robot", keys)) {
        return;
    }
    if (plan->length_in_metres != 1 || plan->mass_in_kilograms != 1 || plan->time_in_seconds != 1) {
        reader_wrong(reader, object, "robots are in SI units: \"units\" of m, kg and s were expected");
        return;
    }
    located *name = reader_member(reader, object, "name");
    located *file = reader_need(reader, object, "file", "a robot");
    struct robot_parts parts = {.name = name ? plan_copy_text(plan, reader_text(reader, name, ""))
                                             : plan_numbered_name(plan, "robot", number)};
    char *path = file ? find_file(reader, file) : NULL;
    dent_robot_read_def def = dent_robot_read_def_default();
    def.skip_missing_meshes = reader_boolean(reader, reader_member(reader, object, "skip_missing"), false);
    dent_robot *robot = NULL;
    if (!path || !reader_good(reader)) {
        return;
    }
    dent_status status = dent_robot_read(plan->context, path, &def, &robot);
    if (status != DENT_OK) {
        char message[700];
        dent_context_message(plan->context, message, sizeof message);
        plan_note(plan, dent_fail(plan->context, status, "%s:%u:%u: a robot was expected: %s", reader->document.file,
                                  file->line, file->column, message));
        return;
    }
    parts.robot = robot;
    use_robot(reader, object, file, &parts);
    dent_robot_destroy(plan->context, robot);
}

void read_robots(struct scene_reader *reader, located *robots)
{
    uint32_t number = 0;
    for (located *object = reader_first(reader, robots); object != NULL; object = reader_next(reader, object)) {
        read_robot(reader, object, number++);
    }
}
