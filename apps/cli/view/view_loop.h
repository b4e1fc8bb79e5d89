/* view_loop.h — the life of `dent view`: open a source, serve it, handle the commands of the pages, end on Ctrl-C. */
#ifndef DENT_VIEW_LOOP_H
#define DENT_VIEW_LOOP_H

#include "tool_session.h"

#include <view_launch.h>

int view_run(tool_session *session);

enum { VIEW_SHOW_LIMIT = 400 };
/** Checks --show (null: nothing) for a model of so many bodies, UINT32_MAX: not known yet. Errors are reported. */
int view_check_show(const char *show, uint32_t bodies);

/** The axis that the user chose for this model before ('x', 'y', 'z'); 0: none is known. (view_up.c) */
char view_recall_up(const tool_options *options);
/** Keeps a choice for the next time, where that is possible. */
void view_remember_up(dent_context *context, const tool_options *options, char axis);

/** Reads the token in a file of --token, which only this user may be able to read; creates it with a new one where
 * there is none. Errors are reported. `token` has room for VIEW_TOKEN_LENGTH characters and a zero. */
int view_find_token(const char *path, char *token);
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
