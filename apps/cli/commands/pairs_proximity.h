/* pairs_proximity.h — the part of `dent pairs` for the questions proximity and strand. */
#ifndef DENT_PAIRS_PROXIMITY_H
#define DENT_PAIRS_PROXIMITY_H

#include "pair_report.h"

/** Options that belong to another question, or a thickness that is missing: reported, STATUS_ERROR. */
int refuse_proximity_options(const tool_options *options);

/** Asks and prints; `frame` is null when there is only one. Returns an exit status. */
int ask_proximity(tool_session *session, const loaded_world *loaded, const frame_facts *frame);
int ask_strand(tool_session *session, const loaded_world *loaded, const frame_facts *frame);

#endif
