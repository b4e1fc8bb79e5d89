/* run_converge.h — is a run fine enough in time? `dent run --converge`. */
#ifndef DENT_RUN_CONVERGE_H
#define DENT_RUN_CONVERGE_H

#include "tool_session.h"

/** dent run --converge PROBE: the scene of the session's options with 1, 2, 4 … times its substeps, until the probe
 * settles. STATUS_GOOD: it did. */
int run_until_settled(tool_session *session);

#endif
