/* deadline_report.h — `--deadline` of `dent check` and `dent pairs --ask face-face`: what is known of all pairs of
 * bodies when the time is over, from interruptible searches under one schedule (dent/schedule.h). */
#ifndef DENT_DEADLINE_REPORT_H
#define DENT_DEADLINE_REPORT_H

#include "load_world.h"

/** Prints a line for each pair of bodies that is not proven free, and the verdict. Returns the exit status: 1 some pair
 * is proven to penetrate, 2 none is and some are not decided, 0 all are free. */
int check_by_deadline(tool_session *session, const loaded_world *loaded);

/** Prints the confirmed pairs of faces in canonical order, then the pending regions. Returns 0 when nothing is pending,
 * else 2. */
int pairs_by_deadline(tool_session *session, const loaded_world *loaded);

/** Options that cannot go with --deadline: reported, STATUS_ERROR. */
int refuse_with_deadline(const tool_options *options, const char *command);

#endif
