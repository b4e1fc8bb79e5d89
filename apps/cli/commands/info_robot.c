/* info_robot.c — `dent info ROBOT.urdf`: links with their collision surfaces, joints with their values and limits. */
#include "info_robot.h"

#include "robot_input.h"
#include "json_output.h"
#include "tool.h"

/* Where a link stands at the joint values of --joints. */
typedef struct link_place {
    double lo[3], hi[3]; /* of its surface */
} link_place;

static void print_link(printer *out, const dent_robot_link *link, const link_place *place)
{
    printer_text(out, "  link   ");
    printer_name(out, link->name);
    if (link->triangle_count == 0) {
        printer_text(out, ": no collision shape\n");
    } else {
        printer_format(out, ": %u vertices, %u triangles, (%.6g, %.6g, %.6g) to (%.6g, %.6g, %.6g)\n",
                       link->vertex_count, link->triangle_count, place->lo[0], place->lo[1], place->lo[2],
                       place->hi[0], place->hi[1], place->hi[2]);
    }
}

static void print_joint(printer *out, const dent_linkage *linkage, uint32_t index)
{
    const dent_joint_def *joint = dent_linkage_joint(linkage, index);
    uint32_t first = dent_linkage_first_value(linkage, index), values = dent_joint_kind_value_count(joint->kind);
    printer_text(out, "  joint  ");
    printer_name(out, joint->name);
    printer_format(out, ": %s, ", dent_joint_kind_name(joint->kind));
    printer_name(out, dent_linkage_link_name(linkage, joint->parent));
    printer_text(out, " -> ");
    printer_name(out, dent_linkage_link_name(linkage, joint->child));
    if (joint->mimics != DENT_JOINT_NONE) {
        printer_format(out, ", %.9g * ", joint->multiplier);
        printer_name(out, dent_linkage_joint(linkage, joint->mimics)->name);
        printer_format(out, " + %.9g", joint->offset);
    } else if (values == 1) {
        printer_format(out, ", value %u", first);
    } else if (values > 1) {
        printer_format(out, ", values %u to %u", first, first + values - 1);
    }
    if (joint->has_limits) {
        printer_format(out, ", %.9g ... %.9g", joint->lower, joint->upper);
    }
    printer_text(out, "\n");
}

static void print_text(printer *out, const char *file, const dent_robot *robot, const link_place *places)
{
    const dent_linkage *linkage = robot->linkage;
    printer_text(out, file);
    printer_text(out, ": robot ");
    printer_name(out, robot->name);
    printer_format(out, ", %u links, %u joints, %u joint values\n", robot->link_count,
                   dent_linkage_joint_count(linkage), dent_linkage_value_count(linkage));
    for (uint32_t i = 0; i < robot->link_count; i++) {
        print_link(out, &robot->links[i], &places[i]);
    }
    for (uint32_t j = 0; j < dent_linkage_joint_count(linkage); j++) {
        print_joint(out, linkage, j);
    }
}

static void print_json(printer *out, const char *file, const dent_robot *robot, const link_place *places)
{
    const dent_linkage *linkage = robot->linkage;
    json_line line = json_line_begin(out);
    json_line_string(&line, "file", file);
    json_line_string(&line, "robot", robot->name);
    json_line_integer(&line, "values", dent_linkage_value_count(linkage));
    json_array_begin(&line, "links");
    for (uint32_t i = 0; i < robot->link_count; i++) {
        json_item_begin(&line);
        json_line_string(&line, "name", robot->links[i].name);
        json_line_integer(&line, "vertices", robot->links[i].vertex_count);
        json_line_integer(&line, "faces", robot->links[i].triangle_count);
        for (int k = 0; k < 6 && robot->links[i].triangle_count > 0; k++) {
            static const char *const keys[6] = {"lo_x", "lo_y", "lo_z", "hi_x", "hi_y", "hi_z"};
            json_line_number(&line, keys[k], k < 3 ? places[i].lo[k] : places[i].hi[k - 3]);
        }
        json_item_end(&line);
    }
    json_array_end(&line);
    json_array_begin(&line, "joints");
    for (uint32_t j = 0; j < dent_linkage_joint_count(linkage); j++) {
        const dent_joint_def *joint = dent_linkage_joint(linkage, j);
        json_item_begin(&line);
        json_line_string(&line, "name", joint->name);
        json_line_string(&line, "kind", dent_joint_kind_name(joint->kind));
        json_line_string(&line, "parent", dent_linkage_link_name(linkage, joint->parent));
        json_line_string(&line, "child", dent_linkage_link_name(linkage, joint->child));
        if (dent_linkage_first_value(linkage, j) != UINT32_MAX) {
            json_line_integer(&line, "value", dent_linkage_first_value(linkage, j));
        }
        if (joint->has_limits) {
            json_line_number(&line, "lower", joint->lower);
            json_line_number(&line, "upper", joint->upper);
        }
        json_item_end(&line);
    }
    json_array_end(&line);
    json_line_end(&line);
}

static void measure_link(const dent_robot_link *link, const double *positions, link_place *place)
{
    for (uint32_t v = 0; v < link->vertex_count; v++) {
        for (int axis = 0; axis < 3; axis++) {
            double x = positions[3 * (size_t)v + (size_t)axis];
            place->lo[axis] = v == 0 || x < place->lo[axis] ? x : place->lo[axis];
            place->hi[axis] = v == 0 || x > place->hi[axis] ? x : place->hi[axis];
        }
    }
}

/* The links where --joints puts them. */
static int measure_links(tool_session *session, const char *name, const dent_robot *robot, link_place *places)
{
    dent_context *context = session->context;
    uint32_t count = robot->link_count, values = dent_linkage_value_count(robot->linkage), most = 0;
    for (uint32_t i = 0; i < count; i++) {
        most = robot->links[i].vertex_count > most ? robot->links[i].vertex_count : most;
    }
    double *joints = dent_allocate(context, values, sizeof *joints);
    double *positions = dent_allocate(context, 3 * (size_t)most, sizeof *positions);
    dent_pose *poses = dent_allocate(context, count, sizeof *poses);
    int failed = joints == NULL || positions == NULL || poses == NULL
                     ? complain("%s: out of memory", name)
                     : read_joint_values("info", robot->linkage, "--joints", session->options->joints, joints);
    if (!failed && session->options->joints != NULL) {
        failed = robot_check_values(session, "info: --joints", robot->linkage, joints);
    }
    if (!failed) {
        dent_status status = dent_linkage_poses(robot->linkage, NULL, joints, poses);
        failed = status == DENT_OK ? STATUS_GOOD : complain("%s: %s", name, session_message(session, status));
    }
    for (uint32_t i = 0; i < count && !failed; i++) {
        robot_link_positions(&robot->links[i], &poses[i], positions);
        measure_link(&robot->links[i], positions, &places[i]);
    }
    dent_release(context, joints, values, sizeof *joints);
    dent_release(context, positions, 3 * (size_t)most, sizeof *positions);
    dent_release(context, poses, count, sizeof *poses);
    return failed;
}

int inform_about_robot(tool_session *session, const char *name)
{
    dent_robot *robot = NULL;
    int failed = load_robot(session, name, &robot);
    if (failed) {
        return failed;
    }
    link_place *places = dent_allocate(session->context, robot->link_count, sizeof *places);
    failed = places == NULL ? complain("%s: out of memory", name) : measure_links(session, name, robot, places);
    if (!failed) {
        (options_have(session->options, OPTION_JSON) ? print_json : print_text)(session->out, name, robot, places);
        printer_flush(session->out);
        session_print_notices(session);
    }
    session_forget_notices(session);
    dent_release(session->context, places, robot->link_count, sizeof *places);
    dent_robot_destroy(session->context, robot);
    return failed;
}
