/* Messages of bounded length and of one line. Formatting goes through a local buffer, so that a message may quote the
 * one before it. */
#include "base/message.h"

#include "base/context.h"

#include <stdio.h>
#include <string.h>

void message_clear(struct message *message, dent_context *context)
{
    message->text[0] = '\0';
    message->context = context;
}

/* Messages quote names from files, which may hold anything: line ends would break a log, escape sequences a terminal.
 * Control characters of ASCII and of Latin 1 (as UTF-8: C2 80 to C2 9F) become '?', byte by byte. */
static void keep_to_one_line(char *text)
{
    for (unsigned char *at = (unsigned char *)text; *at; at++) {
        if (at[0] == 0xC2 && at[1] >= 0x80 && at[1] <= 0x9F) {
            at[0] = at[1] = '?';
        } else if (at[0] < 0x20 || at[0] == 0x7F) {
            at[0] = '?';
        }
    }
}

dent_status message_fail_list(struct message *message, dent_status status, const char *format, va_list arguments)
{
    struct message fresh;
    int length = format ? vsnprintf(fresh.text, sizeof fresh.text, format, arguments) : -1;
    if (length < 0) {
        fresh.text[0] = '\0';
        length = 0;
    }
    if ((size_t)length >= sizeof fresh.text) {
        memcpy(fresh.text + sizeof fresh.text - 4, "...", 4);
        length = (int)sizeof fresh.text - 1;
    }
    keep_to_one_line(fresh.text);
    memcpy(message->text, fresh.text, (size_t)length + 1);
    if (message->context) {
        context_note_message(message->context, message->text);
    }
    return status;
}

dent_status message_fail(struct message *message, dent_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    message_fail_list(message, status, format, arguments);
    va_end(arguments);
    return status;
}

size_t message_copy(const struct message *message, char *buffer, size_t buffer_size)
{
    size_t length = strlen(message->text);
    if (buffer_size > 0) {
        size_t copied = length < buffer_size ? length : buffer_size - 1;
        memcpy(buffer, message->text, copied);
        buffer[copied] = '\0';
    }
    return length;
}
