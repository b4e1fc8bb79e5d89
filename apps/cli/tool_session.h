/* tool_session.h — what one run of a command needs of the library: a context, kept notices, a progress bar. */
#ifndef DENT_TOOL_SESSION_H
#define DENT_TOOL_SESSION_H

#include "options.h"
#include "printer.h"
#include "progress.h"

enum { NOTICE_LIMIT = 16, NOTICE_SIZE = 400, MESSAGE_SIZE = 1024 };

typedef struct tool_session {
    const tool_options *options;
    printer *out;
    dent_context *context;
    dent_context *pool; /* on a terminal: the threads behind `context`, so that finished blocks can be counted */
    progress_bar progress;
    uint32_t file_number, file_count; /* of several that are read one after the other: this one, from 1; else 0 */
    /* Notices are kept until the file they come from has been read: a file that fails gets its one line and no more. */
    uint32_t notice_count; /* may exceed NOTICE_LIMIT: the rest is counted only */
    char notices[NOTICE_LIMIT][NOTICE_SIZE];
    char message[MESSAGE_SIZE];
} tool_session;

/** STATUS_GOOD, or an error that has been reported. */
int session_open(tool_session *session, const tool_options *options, printer *out);
void session_close(tool_session *session);

/** The context's message, or the status's name when it left none. Valid until the next call. */
const char *session_message(tool_session *session, dent_status status);

/** Prints the kept notices to stderr, or forgets them. */
void session_print_notices(tool_session *session);
void session_forget_notices(tool_session *session);

#endif
