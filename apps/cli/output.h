/* output.h — everything the tool prints: stdout through checked writes, stderr one line at a time.
 *
 * The tool keeps a buffer of its own instead of stdio's, so that a full disk or a closed pipe is noticed where it
 * happens and whole lines stay together. The C locale is never changed, so numbers always have a decimal point.
 */
#ifndef DENT_OUTPUT_H
#define DENT_OUTPUT_H

#include <dent/base.h>

enum { OUTPUT_BUFFER_SIZE = 1 << 16 };

typedef struct output {
    int descriptor;
    int error; /* errno of the first write that failed; later output is dropped */
    size_t used;
    char buffer[OUTPUT_BUFFER_SIZE];
} output;

void output_open(output *out, int descriptor);
void output_bytes(output *out, const char *bytes, size_t size);
void output_text(output *out, const char *text);
/** Formatted text of at most 4,000 bytes; longer strings go through output_text. */
void output_print(output *out, const char *format, ...) DENT_PRINTF_LIKE(2, 3);
void output_flush(output *out);
static inline bool output_failed(const output *out)
{
    return out->error != 0;
}

/** Flushes; if anything could not be written, says so (a reader that closed the pipe is left in peace) and returns 2
 * instead of `status`. */
int output_finish(output *out, int status);

/** One line on stderr, "dent: …". Control characters are replaced, so it stays one line. Returns STATUS_ERROR. */
int complain(const char *format, ...) DENT_PRINTF_LIKE(1, 2);
/** One line on stderr that is not an error: "dent: notice: …". */
void remark(const char *format, ...) DENT_PRINTF_LIKE(1, 2);

#endif
