/* check_frames.h — the report of `dent check` on a series: a line per frame, and the verdict on all of them. */
#ifndef DENT_CHECK_FRAMES_H
#define DENT_CHECK_FRAMES_H

#include "check_report.h"
#include "series.h"

/** What has been found so far; all zero at the start. */
typedef struct checked_frames {
    uint64_t frames, penetrating, first_penetrating;
    double max_depth;
    char deepest[400];                                  /* where that is, in words */
    uint32_t bodies, surfaces_as_solids, open_surfaces; /* of the last frame */
} checked_frames;

/** Prints the line of one frame; `user` is a checked_frames. STATUS_FOUND when it penetrates. */
int report_checked_frame(tool_session *session, const loaded_world *loaded, const dent_check_result *result,
                         const frame_facts *frame, void *user);

/** Prints the notes and the verdict. */
void report_checked_series(tool_session *session, void *user);

#endif
