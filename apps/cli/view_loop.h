/* view_loop.h — the life of `dent view`: open a source, serve it, obey the pages, end on Ctrl-C. */
#ifndef DENT_VIEW_LOOP_H
#define DENT_VIEW_LOOP_H

#include "tool_session.h"

int view_run(tool_session *session);

/** Starts a browser on the address where there is a display; says nothing when there is none. */
void view_open_browser(const char *url);
/** Starts a headless Chromium that writes a picture of the page; its process id, or -1 after a report. */
int view_start_snapshot(const char *url, const char *path, const char *profile);
/** 0: still at work; 1: it ended well and the picture is there; -1: it failed, reported. */
int view_snapshot_state(int process, const char *path);

#endif
