/* Names of statuses and outcomes, and the two ways the library speaks: the message of a failing call and the log
 * hook. */
#include "base/context.h"

#include <string.h>

const char *dent_status_name(dent_status status)
{
    switch (status) {
    case DENT_OK:
        return "ok";
    case DENT_ERROR_OUT_OF_MEMORY:
        return "out of memory";
    case DENT_ERROR_INVALID_ARGUMENT:
        return "invalid argument";
    case DENT_ERROR_STALE_ID:
        return "stale id";
    case DENT_ERROR_BAD_MESH:
        return "bad mesh";
    case DENT_ERROR_BAD_NUMBER:
        return "bad number";
    case DENT_ERROR_TOO_LARGE:
        return "too large";
    case DENT_ERROR_UNSUPPORTED:
        return "unsupported";
    case DENT_ERROR_FILE:
        return "file error";
    case DENT_ERROR_FORMAT:
        return "format error";
    }
    return "unknown status";
}

const char *dent_outcome_name(dent_outcome outcome)
{
    switch (outcome) {
    case DENT_OUTCOME_COMPLETE:
        return "complete";
    case DENT_OUTCOME_CANCELLED:
        return "cancelled";
    case DENT_OUTCOME_TRUNCATED:
        return "truncated";
    case DENT_OUTCOME_BUDGET_SPENT:
        return "budget spent";
    }
    return "unknown outcome";
}

void context_note_message(dent_context *context, const char *text)
{
    pthread_mutex_lock(&context->message_mutex);
    memcpy(context->message.text, text, strlen(text) + 1);
    pthread_mutex_unlock(&context->message_mutex);
}

dent_status dent_fail_list(dent_context *context, dent_status status, const char *format, va_list arguments)
{
    /* Formatted before the lock is taken: the format may be slow, the copy is not. */
    struct message fresh;
    message_clear(&fresh, context);
    return context ? message_fail_list(&fresh, status, format, arguments) : status;
}

dent_status dent_fail(dent_context *context, dent_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    dent_fail_list(context, status, format, arguments);
    va_end(arguments);
    return status;
}

void dent_log_line(dent_context *context, dent_log_level level, const char *format, ...)
{
    if (!context || !context->log.write) {
        return;
    }
    struct message line;
    message_clear(&line, NULL);
    va_list arguments;
    va_start(arguments, format);
    message_fail_list(&line, DENT_OK, format, arguments);
    va_end(arguments);
    context->log.write(context->log.user, level, line.text);
}
