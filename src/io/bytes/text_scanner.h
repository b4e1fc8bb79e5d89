/* Walks over the words and lines of a text in memory, and knows the line for messages.
 *
 * Lines end with LF, CR or CR LF. Words are separated by white space. With a comment character everything from it to
 * the end of the line is white space. Nothing is ever read behind `end`, and the text needs no zero byte at its end.
 * Functions that return dent_status have set the context's message ("name:line: …") when they do not return DENT_OK. */
#ifndef DENT_IO_TEXT_SCANNER_H
#define DENT_IO_TEXT_SCANNER_H

#include "text_encoding.h"

struct text_scanner {
    dent_context *context;
    const char *name; /* of the file, for messages */
    const uint8_t *begin;
    const uint8_t *cursor;
    const uint8_t *end;
    uint64_t line; /* of the cursor, from 1 */
    int comment;   /* a character, or -1 */
};

/* A piece of the text; not ended by a zero byte. */
struct text_span {
    const char *text;
    size_t length;
};

/* Over a piece of a text. */
void scanner_init(struct text_scanner *scanner, dent_context *context, const char *name, const void *data, size_t size,
                  int comment);
/* Over a whole file: passes over a byte order mark, refuses UTF-16 with UNSUPPORTED. */
dent_status scanner_open(struct text_scanner *scanner, dent_context *context, const char *name, const void *data,
                         size_t size, int comment);

/* The next word, wherever it is; false at the end of the text. */
bool scanner_word(struct text_scanner *scanner, struct text_span *word);
/* The next word of this line; false (and the cursor stays before the line end) when there is none. */
bool scanner_word_in_line(struct text_scanner *scanner, struct text_span *word);
/* The rest of this line without its end, white space at both ends taken off, comment taken off; goes to the next line.
 * False at the end of the text. */
bool scanner_line(struct text_scanner *scanner, struct text_span *line);
/* Goes behind the end of this line. */
void scanner_skip_line(struct text_scanner *scanner);
/* Skips white space, comments and line ends; true when nothing else is left. */
bool scanner_at_end(struct text_scanner *scanner);
size_t scanner_bytes_left(const struct text_scanner *scanner);
/* Goes forward over bytes that another reader has taken, without counting lines. */
void scanner_jump(struct text_scanner *scanner, const uint8_t *cursor);

/* The next word as a number. `what` names it in the message: "number of nodes". The integer must lie in [low, high]. */
dent_status scanner_integer(struct text_scanner *scanner, const char *what, int64_t low, int64_t high, int64_t *value);
/* NaN and infinity come through; who takes positions refuses them by name. */
dent_status scanner_double(struct text_scanner *scanner, const char *what, double *value);
/* The same, but the word must stand on this line. */
dent_status scanner_integer_in_line(struct text_scanner *scanner, const char *what, int64_t low, int64_t high,
                                    int64_t *value);
dent_status scanner_double_in_line(struct text_scanner *scanner, const char *what, double *value);

/* Can `count` records of at least `bytes_each` bytes still follow? Otherwise FORMAT: "claims 4294967296 nodes, but only
 * 35 bytes follow". To be asked before memory is reserved for a count that a file claims. */
dent_status scanner_check_claim(const struct text_scanner *scanner, const char *what, uint64_t count,
                                uint64_t bytes_each);

/* Sets the message "name:line: …" and returns `status`. */
dent_status scanner_fail(const struct text_scanner *scanner, dent_status status, const char *format, ...)
    DENT_PRINTF_LIKE(3, 4);

bool span_equal(struct text_span span, const char *word);
bool span_equal_any_case(struct text_span span, const char *word);
bool span_starts_with(struct text_span span, const char *prefix);

/* For "%.*s" in messages: the span with its length cut to 40 bytes; SPAN_ARGUMENTS(span) stands for both arguments.
 * Control characters are made harmless by scanner_fail. */
static inline int span_shown_length(struct text_span span)
{
    return (int)(span.length < 40 ? span.length : 40);
}
#define SPAN_ARGUMENTS(span) span_shown_length(span), (span).text

#endif
