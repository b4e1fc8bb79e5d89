/* placed_file.h — files the tool writes, through dent/file_output.h: whole or not at all.
 *
 * What is printed piece by piece goes to a scratch file without a name first, and from there to its place. */
#ifndef DENT_PLACED_FILE_H
#define DENT_PLACED_FILE_H

#include "tool_session.h"

/** Can a file be written there? Asked before the long work. `what` (an option, or a command with a colon) stands before
 * the message. */
int check_target(tool_session *session, const char *what, const char *path);

/** A file without a name in the folder of `path`: it is gone when it is closed, however the program ends. -1: `errno`
 * says why not. */
int scratch_file_open(const char *path);

/** Copies everything an open file holds to `path`. The file stays open, at its end. */
int place_file(tool_session *session, const char *what, int descriptor, const char *path);

#endif
