/* info_robot.h — the part of `dent info` that is about robots. */
#ifndef DENT_INFO_ROBOT_H
#define DENT_INFO_ROBOT_H

#include "tool_session.h"

/** Reads a URDF file and prints what is in it; an error has been reported. */
int inform_about_robot(tool_session *session, const char *name);

#endif
