/* view_robot.c — joint values of robots as the page shows and changes them. */
#include "robot_input.h"
#include "tool.h"
#include "view_tool.h"

#include <math.h>
#include <string.h>

/* Without limits: a turn both ways, or a length of one. */
static view_joint describe(const dent_linkage *linkage, uint32_t input, uint32_t joint, uint32_t part,
                           const double *values)
{
    const dent_joint_def *def = dent_linkage_joint(linkage, joint);
    uint32_t count = dent_joint_kind_value_count(def->kind);
    bool angle = def->kind == DENT_JOINT_REVOLUTE || def->kind == DENT_JOINT_SCREW ||
                 (def->kind == DENT_JOINT_PLANAR && part == 2);
    view_joint shown = {.name = def->name,
                        .part = count > 1 ? part : UINT32_MAX,
                        .angle = angle,
                        .lower = def->has_limits ? def->lower : angle ? -3.1415926535897931 : -1,
                        .upper = def->has_limits ? def->upper : angle ? 3.1415926535897931 : 1,
                        .input = input,
                        .place = dent_linkage_first_value(linkage, joint) + part};
    shown.value = values[shown.place];
    return shown;
}

static void list_joints(view_source *source, const dent_linkage *linkage, uint32_t input, const double *values)
{
    for (uint32_t j = 0; j < dent_linkage_joint_count(linkage); j++) {
        uint32_t parts = dent_linkage_first_value(linkage, j) != UINT32_MAX
                             ? dent_joint_kind_value_count(dent_linkage_joint(linkage, j)->kind)
                             : 0;
        for (uint32_t part = 0; part < parts; part++) {
            source->joints[source->joint_count++] = describe(linkage, input, j, part, values);
        }
    }
}

static uint32_t count_values(const loaded_world *loaded)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < loaded->input_count; i++) {
        count += loaded->inputs[i].robot != NULL ? dent_linkage_value_count(loaded->inputs[i].robot->linkage) : 0;
    }
    return count;
}

int view_robot_open(view_source *source, const loaded_world *loaded)
{
    dent_context *context = source->context;
    uint32_t capacity = count_values(loaded);
    source->joints = dent_allocate(context, capacity, sizeof *source->joints);
    double *values = dent_allocate(context, capacity, sizeof *values);
    int failed = source->joints == NULL || values == NULL ? view_fail(source, "out of memory") : STATUS_GOOD;
    for (uint32_t i = 0; i < loaded->input_count && !failed; i++) {
        if (loaded->inputs[i].robot != NULL) {
            const dent_linkage *linkage = loaded->inputs[i].robot->linkage;
            failed = read_joint_values("view", linkage, "--joints", view_session(source)->options->joints, values);
            if (!failed) {
                list_joints(source, linkage, i, values);
            }
        }
    }
    dent_release(context, values, capacity, sizeof *values);
    if (failed) { /* close counts on the whole list */
        dent_release(context, source->joints, capacity, sizeof *source->joints);
        source->joints = NULL;
        source->joint_count = 0;
    }
    return failed;
}

void view_robot_close(view_source *source)
{
    dent_release(source->context, source->joints, source->joint_count, sizeof *source->joints);
    source->joints = NULL;
    source->joint_count = 0;
}

int view_robot_set(view_source *source, loaded_world *loaded, uint32_t joint, double value)
{
    if (joint >= source->joint_count) {
        return view_fail(source, "there is no joint value %u", joint);
    }
    view_joint *moved = &source->joints[joint];
    if (!options_have(view_session(source)->options, OPTION_NO_LIMITS)) {
        value = fmin(fmax(value, moved->lower), moved->upper);
    }
    double before = moved->value, *values = dent_allocate(source->context, source->joint_count, sizeof *values);
    if (values == NULL) {
        return view_fail(source, "out of memory");
    }
    moved->value = value;
    for (uint32_t i = 0; i < source->joint_count; i++) {
        if (source->joints[i].input == moved->input) {
            values[source->joints[i].place] = source->joints[i].value;
        }
    }
    bool good = loaded_world_pose_robot(view_session(source), loaded, moved->input, values);
    moved->value = good ? value : before;
    dent_release(source->context, values, source->joint_count, sizeof *values);
    return good ? STATUS_GOOD : view_fail(source, "joint %s cannot be %g", moved->name, value);
}
