/* run_converge.h — is a run fine enough in time? The warning of `dent run`, and `dent run --converge`. */
#ifndef DENT_RUN_CONVERGE_H
#define DENT_RUN_CONVERGE_H

#include "tool_session.h"

#include <dent/sim.h>

/** One line on stderr if a substep turns the first mode of an elastic body by more than 0.28 rad: the worst body. Bodies
 * of more than 20,000 cells are left out, as the estimate would take seconds. */
void warn_of_coarse_steps(dent_sim *sim);

/** dent run --converge PROBE: the scene of the session's options with 1, 2, 4 … times its substeps, until the probe
 * settles. STATUS_GOOD: it did. */
int run_until_settled(tool_session *session);

#endif
