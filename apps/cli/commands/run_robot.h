/* run_robot.h — `dent run ROBOT.urdf --from VALUES --to VALUES`: the robot goes from one set of joint values to another;
 * every frame is checked, and an animation written. */
#ifndef DENT_RUN_ROBOT_H
#define DENT_RUN_ROBOT_H

#include "tool_session.h"

/** The whole run for the robot that is the one argument, with obstacles; an exit status. */
int run_robot(tool_session *session);

#endif
