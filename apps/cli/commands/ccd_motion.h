/* ccd_motion.h — `dent ccd` of things that turn: a robot between two sets of joint values, or a step of a scene of
 * rigid bodies. */
#ifndef DENT_CCD_MOTION_H
#define DENT_CCD_MOTION_H

#include "tool_session.h"

/** The whole run for the one argument of the command line, a robot or a scene; an exit status. */
int ccd_of_motion(tool_session *session);

#endif
