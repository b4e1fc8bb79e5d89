/* robot_input.c — what the words of the command line say about robots: which files they are, and joint values. */
#include "robot_input.h"

#include "interrupt.h"
#include "tool.h"

#include <string.h>
#include <strings.h>

bool names_a_robot(const char *name)
{
    size_t length = strlen(name);
    static const char *const endings[] = {".urdf", ".urdf.gz", ".urdf.xz"};
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        size_t ending = strlen(endings[i]);
        if (length > ending && strcasecmp(name + length - ending, endings[i]) == 0) {
            return true;
        }
    }
    return false;
}

bool options_name_a_robot(const tool_options *options)
{
    bool found = false;
    for (uint32_t i = 0; i < options->argument_count; i++) {
        found = found || names_a_robot(options->arguments[i]);
    }
    return found;
}

int load_robot(tool_session *session, const char *name, dent_robot **robot)
{
    const tool_options *options = session->options;
    dent_robot_read_def def = dent_robot_read_def_default();
    def.package_path_count = options->package_paths.count;
    def.package_paths = options->package_paths.paths;
    def.skip_missing_meshes = options_have(options, OPTION_SKIP_MISSING);
    progress_begin(&session->progress, "reading the robot", 0);
    interrupt_at_once(true);
    dent_status status = dent_robot_read(session->context, name, &def, robot);
    interrupt_at_once(false);
    progress_end(&session->progress);
    if (status != DENT_OK) {
        session_forget_notices(session);
        const char *message = session_message(session, status);
        return strstr(message, name) != NULL ? complain("%s", message) : complain("%s: %s", name, message);
    }
    return STATUS_GOOD;
}

int robot_check_values(tool_session *session, const char *option, const dent_linkage *linkage, const double *values)
{
    if (options_have(session->options, OPTION_NO_LIMITS)) {
        return STATUS_GOOD;
    }
    dent_status status = dent_linkage_check_values(linkage, values);
    return status == DENT_OK ? STATUS_GOOD : complain("%s: %s", option, session_message(session, status));
}

void robot_link_positions(const dent_robot_link *link, const dent_pose *pose, double *positions)
{
    double matrix[16];
    dent_pose_to_matrix(pose, matrix);
    for (uint32_t v = 0; v < link->vertex_count; v++) {
        const double *x = link->positions + 3 * (size_t)v;
        for (int row = 0; row < 3; row++) {
            const double *m = matrix + 4 * row;
            positions[3 * (size_t)v + (size_t)row] = ((m[0] * x[0] + m[1] * x[1]) + m[2] * x[2]) + m[3];
        }
    }
}
