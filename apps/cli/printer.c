/* printer.c — a buffered writer that remembers its first error, and one-line messages on stderr. */
#include "printer.h"

#include "tool.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PRINT_LIMIT = 4000, LINE_LIMIT = 4096 };

void printer_open(printer *out, int descriptor)
{
    out->descriptor = descriptor;
    out->error = 0;
    out->used = 0;
}

void printer_flush(printer *out)
{
    size_t done = 0;
    while (done < out->used && out->error == 0) {
        ssize_t written = write(out->descriptor, out->buffer + done, out->used - done);
        if (written > 0) {
            done += (size_t)written;
        } else if (errno != EINTR) {
            out->error = errno != 0 ? errno : EIO;
        }
    }
    out->used = 0;
}

void printer_bytes(printer *out, const char *bytes, size_t size)
{
    while (size > 0) {
        size_t room = sizeof out->buffer - out->used;
        size_t part = size < room ? size : room;
        memcpy(out->buffer + out->used, bytes, part);
        out->used += part;
        bytes += part;
        size -= part;
        if (out->used == sizeof out->buffer) {
            printer_flush(out);
        }
    }
}

void printer_text(printer *out, const char *text)
{
    printer_bytes(out, text, strlen(text));
}

static bool is_control(char letter)
{
    return (unsigned char)letter < 0x20 || letter == 0x7f;
}

void plain_line(char *text)
{
    for (; *text != '\0'; text++) {
        *text = is_control(*text) ? '?' : *text;
    }
}

void printer_name(printer *out, const char *name)
{
    for (; *name != '\0'; name++) {
        printer_bytes(out, is_control(*name) ? "?" : name, 1);
    }
}

void printer_format(printer *out, const char *format, ...)
{
    if (sizeof out->buffer - out->used <= PRINT_LIMIT) {
        printer_flush(out);
    }
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(out->buffer + out->used, PRINT_LIMIT, format, arguments);
    va_end(arguments);
    if (length < 0) {
        out->error = out->error != 0 ? out->error : EIO;
    } else {
        out->used += length < PRINT_LIMIT ? (size_t)length : PRINT_LIMIT - 1;
    }
}

int printer_finish(printer *out, int status)
{
    printer_flush(out);
    if (out->error == 0) {
        return status;
    }
    if (out->error != EPIPE) {
        complain("standard output: %s", strerror(out->error));
    }
    return STATUS_ERROR;
}

/* One write per line, so that lines of several programs in a pipeline do not mix. */
static void write_line(const char *prefix, const char *format, va_list arguments)
{
    char line[LINE_LIMIT];
    size_t start = strlen(prefix);
    memcpy(line, prefix, start);
    int length = vsnprintf(line + start, sizeof line - start - 1, format, arguments);
    size_t end = start + (length > 0 ? (size_t)length : 0);
    if (end > sizeof line - 2) {
        end = sizeof line - 2;
    }
    for (size_t i = start; i < end; i++) {
        if (is_control(line[i])) {
            line[i] = '?';
        }
    }
    line[end++] = '\n';
    size_t done = 0;
    while (done < end) {
        ssize_t written = write(STDERR_FILENO, line + done, end - done);
        if (written > 0) {
            done += (size_t)written;
        } else if (errno != EINTR) {
            return; /* nobody left to tell */
        }
    }
}

int complain(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    write_line("dent: ", format, arguments);
    va_end(arguments);
    return STATUS_ERROR;
}

void remark(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    write_line("dent: notice: ", format, arguments);
    va_end(arguments);
}
