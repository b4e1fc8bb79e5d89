/* view_record.h — videos of `dent view`. */
#ifndef DENT_VIEW_RECORD_H
#define DENT_VIEW_RECORD_H

#include "view_tool.h"

#include <view_server.h>

/** How many frames a video has: --frames, else all of a series or scene from the present one on; of a live simulation five
 * seconds; of what stands still a turn about the axis that points up. */
uint32_t view_record_frames(const tool_options *options, const view_source *source);
/** Puts the video that the page has sent in its place, by way of a folder of ours; or reports why there is none. */
int view_record_place(tool_session *session, view_server *server, const char *folder);

#endif
