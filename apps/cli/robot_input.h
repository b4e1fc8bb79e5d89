/* robot_input.h — robots (.urdf) on the command line: reading them, joint values as words, links where they stand. */
#ifndef DENT_ROBOT_INPUT_H
#define DENT_ROBOT_INPUT_H

#include "joint_values.h"
#include "tool_session.h"

#include <dent/urdf.h>

/** The name is that of a URDF file. */
bool names_a_robot(const char *name);
/** One of the arguments is a robot. */
bool options_name_a_robot(const tool_options *options);

/** Reads a robot with the options --package-path and --skip-missing; an error has been reported, notices are kept. */
int load_robot(tool_session *session, const char *name, dent_robot **robot);

/** Complains about values beyond the limits of their joints, unless --no-limits is given. */
int robot_check_values(tool_session *session, const char *option, const dent_linkage *linkage, const double *values);

/** The vertices of a link in the world, in fixed double arithmetic. */
void robot_link_positions(const dent_robot_link *link, const dent_pose *pose, double *positions);

#endif
