/* printer.h — everything the tool prints: stdout through checked writes, stderr one line at a time.
 *
 * The tool keeps a buffer of its own instead of stdio's, so that a full disk or a closed pipe is noticed where it
 * happens and whole lines stay together. The C locale is never changed, so numbers always have a decimal point.
 */
#ifndef DENT_PRINTER_H
#define DENT_PRINTER_H

#include <dent/base.h>

enum { PRINTER_BUFFER_SIZE = 1 << 16 };

typedef struct printer {
    int descriptor;
    int error; /* errno of the first write that failed; later output is dropped */
    size_t used;
    char buffer[PRINTER_BUFFER_SIZE];
} printer;

void printer_open(printer *out, int descriptor);
void printer_bytes(printer *out, const char *bytes, size_t size);
void printer_text(printer *out, const char *text);
/** Formatted text of at most 4,000 bytes; longer strings go through printer_text. */
void printer_format(printer *out, const char *format, ...) DENT_PRINTF_LIKE(2, 3);
/** Control characters become '?', so that a text stays one line. */
void plain_line(char *text);
/** A name of a file, group or body, which may hold anything, as a plain line. */
void printer_name(printer *out, const char *name);
void printer_flush(printer *out);
static inline bool printer_failed(const printer *out)
{
    return out->error != 0;
}

/** Flushes; if anything could not be written, says so (a reader that closed the pipe is left in peace) and returns 2
 * instead of `status`. */
int printer_finish(printer *out, int status);

/** One line on stderr, "dent: …". Control characters are replaced, so it stays one line. Returns STATUS_ERROR. */
int complain(const char *format, ...) DENT_PRINTF_LIKE(1, 2);
/** One line on stderr that is not an error: "dent: notice: …". */
void remark(const char *format, ...) DENT_PRINTF_LIKE(1, 2);

#endif
