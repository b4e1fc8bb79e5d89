/* view_loop.h — the life of `dent view`: open a source, serve it, handle the commands of the pages, end on Ctrl-C. */
#ifndef DENT_VIEW_LOOP_H
#define DENT_VIEW_LOOP_H

#include "tool_session.h"

int view_run(tool_session *session);

enum { VIEW_SHOW_LIMIT = 400 };
/** Checks --show (null: nothing) for a model of so many bodies, UINT32_MAX: not known yet. Errors are reported. */
int view_check_show(const char *show, uint32_t bodies);

enum { VIEW_URL_LIMIT = VIEW_SHOW_LIMIT + 256, VIEW_FOLDER_LIMIT = 1024 };

/** Reads the token in a file of --token, which only this user may be able to read; creates it with a new one where
 * there is none. Errors are reported. `token` has room for VIEW_TOKEN_LENGTH characters and a zero. */
int view_find_token(const char *path, char *token);
/** A new folder that only this user can look into, in TMPDIR or /tmp. */
bool view_make_folder(char folder[VIEW_FOLDER_LIMIT]);
/** The same, in the user's runtime folder where there is one. */
bool view_make_runtime_folder(char folder[VIEW_FOLDER_LIMIT]);
/** Writes a page, for this user alone, that leads a browser to the address: on the browser's command line other users
 * could read it. `path` gets its name. */
bool view_write_redirect(const char *folder, const char *url, bool snapshot, char *path, size_t size);
/** Removes that page and its folder. */
void view_remove_redirect(const char *folder);

/** Whether there is a display and something to start a browser with; reports the lack of the second alone. */
bool view_can_open_browser(void);
/** Starts the user's browser on a file. */
void view_open_browser(const char *path);
/** Starts a headless Chromium that writes a picture of the page that a file leads to, in a process group of its own;
 * its process id, or -1 after a report. */
int view_start_snapshot(const char *page, const char *path, const char *profile);
/** 0: still at work; 1: it ended well and the picture is there; -1: it failed, or was interrupted; reported. */
int view_snapshot_state(int process, const char *path);
/** Ends it and its helpers, whatever they are at. */
void view_end_snapshot(int process);
/** Removes a folder with everything in it. */
bool view_remove_folder(const char *path);
/** Puts the picture in its place in one step, so that what was there is lost only to a whole one. */
int view_place_picture(tool_session *session, const char *from, const char *to);

#endif
