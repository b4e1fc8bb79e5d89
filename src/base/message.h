/* A message in words about the last failing call, of bounded length. A context has one behind a mutex; a world has one
 * of its own without (one world is used by one thread at a time), and the context gets a copy, so that one call reads
 * the last failure of everything made with a context. A message too long for the buffer ends in "...".
 * It is one line: control characters in what it quotes become '?'. */
#ifndef DENT_BASE_MESSAGE_H
#define DENT_BASE_MESSAGE_H

#include <dent/base.h>

enum { MESSAGE_CAPACITY = 1024 };

struct message {
    char text[MESSAGE_CAPACITY];
    dent_context *context; /* gets a copy of each failure; null: nobody does */
};

/* An empty message. Messages are made by this or are zero bytes; else they would have a context that is none. */
void message_clear(struct message *message, dent_context *context);

/* Formats into the message and returns `status`, so that a failing function can end with `return message_fail(...)`.
 * The arguments may point into the message itself. */
dent_status message_fail(struct message *message, dent_status status, const char *format, ...) DENT_PRINTF_LIKE(3, 4);
dent_status message_fail_list(struct message *message, dent_status status, const char *format, va_list arguments)
    DENT_PRINTF_LIKE(3, 0);

/* Copies out at most buffer_size bytes, a zero byte always last; returns the full length. */
size_t message_copy(const struct message *message, char *buffer, size_t buffer_size);

#endif
