/* series.h — the frames of an animation, one after the other, in one world.
 *
 * The words on the command line may name series (see dent/frames.h) beside files that stay as they are; several series
 * go in step, by the numbers of their frames. With --frames also scenes move, and files that differ in one number only
 * are taken as one series (what a shell makes of `shirt_*.obj`).
 */
#ifndef DENT_SERIES_H
#define DENT_SERIES_H

#include "load_world.h"

/** What a frame is called, and how it came into the world. */
typedef struct frame_facts {
    uint64_t number;
    const char *file;  /* of the first series; a scene's name */
    bool fresh;        /* bodies are new: in a new world, or with other elements than in the frame before */
    uint32_t position; /* 0, 1, 2 ... among those that are asked for */
    uint32_t count;
} frame_facts;

/** True when the arguments are to be taken frame by frame. */
bool options_name_series(const tool_options *options);

/** What a command does with one frame. STATUS_FOUND goes on and is remembered; STATUS_ERROR and STATUS_INTERRUPTED
 * stop. */
typedef int frame_function(tool_session *session, const loaded_world *loaded, const frame_facts *frame, void *user);

/** Goes through the frames and closes everything; `finish` (null: nothing) is called after the last one when none
 * failed. A bar is shown; what `function` prints it prints between progress_lock and progress_unlock. */
int run_on_series(const tool_options *options, printer *out, frame_function *function,
                  void (*finish)(tool_session *session, void *user), void *user);

#endif
