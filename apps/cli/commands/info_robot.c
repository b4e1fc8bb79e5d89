/* info_robot.c — `dent info ROBOT.urdf`: links with their collision surfaces, joints with their values and limits. */
#include "info_robot.h"

#include "ccd_motion.h"
#include "json_output.h"
#include "tool.h"

static void print_link(printer *out, const dent_robot_link *link)
{
    printer_text(out, "  link   ");
    printer_name(out, link->name);
    if (link->triangle_count == 0) {
        printer_text(out, ": no collision shape\n");
    } else {
        printer_format(out, ": %u vertices, %u triangles\n", link->vertex_count, link->triangle_count);
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

static void print_text(printer *out, const char *file, const dent_robot *robot)
{
    const dent_linkage *linkage = robot->linkage;
    printer_text(out, file);
    printer_text(out, ": robot ");
    printer_name(out, robot->name);
    printer_format(out, ", %u links, %u joints, %u joint values\n", robot->link_count,
                   dent_linkage_joint_count(linkage), dent_linkage_value_count(linkage));
    for (uint32_t i = 0; i < robot->link_count; i++) {
        print_link(out, &robot->links[i]);
    }
    for (uint32_t j = 0; j < dent_linkage_joint_count(linkage); j++) {
        print_joint(out, linkage, j);
    }
}

static void print_json(printer *out, const char *file, const dent_robot *robot)
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

int inform_about_robot(tool_session *session, const char *name)
{
    dent_robot *robot = NULL;
    int failed = load_robot(session, name, &robot);
    if (failed) {
        return failed;
    }
    (options_have(session->options, OPTION_JSON) ? print_json : print_text)(session->out, name, robot);
    dent_robot_destroy(session->context, robot);
    printer_flush(session->out);
    session_print_notices(session);
    return STATUS_GOOD;
}
