/* Words, lines and numbers of a text in memory. The idea is one cursor that never passes `end` and a line counter that
 * is right whenever a message is made: only the functions here move over line ends. */
#include "text_scanner.h"

#include "decimal_number.h"

#include <stdio.h>
#include <string.h>

static bool is_blank(uint8_t c)
{
    return c == ' ' || c == '\t' || c == '\v' || c == '\f';
}

static bool is_line_end(uint8_t c)
{
    return c == '\n' || c == '\r';
}

void scanner_init(struct text_scanner *scanner, dent_context *context, const char *name, const void *data, size_t size,
                  int comment)
{
    *scanner = (struct text_scanner){.context = context,
                                     .name = name,
                                     .begin = data,
                                     .cursor = data,
                                     .end = (const uint8_t *)data + size,
                                     .line = 1,
                                     .comment = comment};
}

dent_status scanner_open(struct text_scanner *scanner, dent_context *context, const char *name, const void *data,
                         size_t size, int comment)
{
    size_t mark;
    scanner_init(scanner, context, name, data, size, comment);
    dent_status status = text_begin(context, name, data, size, &mark);
    scanner->cursor += mark;
    return status;
}

/* Over one line end; CR LF is one. */
static void pass_line_end(struct text_scanner *scanner)
{
    if (scanner->cursor < scanner->end) {
        uint8_t first = *scanner->cursor++;
        if (first == '\r' && scanner->cursor < scanner->end && *scanner->cursor == '\n') {
            scanner->cursor++;
        }
        scanner->line++;
    }
}

static void skip_to_line_end(struct text_scanner *scanner)
{
    while (scanner->cursor < scanner->end && !is_line_end(*scanner->cursor)) {
        scanner->cursor++;
    }
}

/* Blanks and comments of this line. */
static void skip_blanks(struct text_scanner *scanner)
{
    while (scanner->cursor < scanner->end && is_blank(*scanner->cursor)) {
        scanner->cursor++;
    }
    if (scanner->cursor < scanner->end && *scanner->cursor == scanner->comment) {
        skip_to_line_end(scanner);
    }
}

bool scanner_at_end(struct text_scanner *scanner)
{
    for (;;) {
        skip_blanks(scanner);
        if (scanner->cursor == scanner->end) {
            return true;
        }
        if (!is_line_end(*scanner->cursor)) {
            return false;
        }
        pass_line_end(scanner);
    }
}

bool scanner_word_in_line(struct text_scanner *scanner, struct text_span *word)
{
    skip_blanks(scanner);
    const uint8_t *start = scanner->cursor;
    const uint8_t *p = start;
    while (p < scanner->end && !is_blank(*p) && !is_line_end(*p) && *p != scanner->comment) {
        p++;
    }
    scanner->cursor = p;
    *word = (struct text_span){.text = (const char *)start, .length = (size_t)(p - start)};
    return p > start;
}

bool scanner_word(struct text_scanner *scanner, struct text_span *word)
{
    if (scanner_at_end(scanner)) {
        *word = (struct text_span){.text = (const char *)scanner->end, .length = 0};
        return false;
    }
    return scanner_word_in_line(scanner, word);
}

bool scanner_line(struct text_scanner *scanner, struct text_span *line)
{
    if (scanner->cursor == scanner->end) {
        *line = (struct text_span){.text = (const char *)scanner->end, .length = 0};
        return false;
    }
    while (scanner->cursor < scanner->end && is_blank(*scanner->cursor)) {
        scanner->cursor++;
    }
    const uint8_t *start = scanner->cursor;
    const uint8_t *stop = start;
    while (stop < scanner->end && !is_line_end(*stop) && *stop != scanner->comment) {
        stop++;
    }
    scanner->cursor = stop;
    skip_to_line_end(scanner);
    pass_line_end(scanner);
    while (stop > start && is_blank(stop[-1])) {
        stop--;
    }
    *line = (struct text_span){.text = (const char *)start, .length = (size_t)(stop - start)};
    return true;
}

void scanner_skip_line(struct text_scanner *scanner)
{
    skip_to_line_end(scanner);
    pass_line_end(scanner);
}

size_t scanner_bytes_left(const struct text_scanner *scanner)
{
    return (size_t)(scanner->end - scanner->cursor);
}

void scanner_jump(struct text_scanner *scanner, const uint8_t *cursor)
{
    scanner->cursor = cursor;
}

/* ---- numbers --------------------------------------------------------------------------------------------------- */

static dent_status missing_word(const struct text_scanner *scanner, const char *what)
{
    const char *where = scanner->cursor == scanner->end ? "file" : "line";
    return scanner_fail(scanner, DENT_ERROR_FORMAT, "the %s ends where the %s should be", where, what);
}

static dent_status integer_of_word(const struct text_scanner *scanner, struct text_span word, const char *what,
                                   int64_t low, int64_t high, int64_t *value)
{
    bool fits;
    if (!decimal_to_integer(word.text, word.length, value, &fits) && fits) {
        return scanner_fail(scanner, DENT_ERROR_FORMAT, "%s: '%.*s' is not an integer", what, SPAN_ARGUMENTS(word));
    }
    if (!fits || *value < low || *value > high) {
        return scanner_fail(scanner, DENT_ERROR_FORMAT, "%s: %.*s is not in the range %lld to %lld", what,
                            SPAN_ARGUMENTS(word), (long long)low, (long long)high);
    }
    return DENT_OK;
}

static dent_status double_of_word(const struct text_scanner *scanner, struct text_span word, const char *what,
                                  double *value)
{
    if (!decimal_to_double(word.text, word.length, value)) {
        return scanner_fail(scanner, DENT_ERROR_FORMAT, "%s: '%.*s' is not a number", what, SPAN_ARGUMENTS(word));
    }
    return DENT_OK;
}

dent_status scanner_integer(struct text_scanner *scanner, const char *what, int64_t low, int64_t high, int64_t *value)
{
    struct text_span word;
    if (!scanner_word(scanner, &word)) {
        return missing_word(scanner, what);
    }
    return integer_of_word(scanner, word, what, low, high, value);
}

dent_status scanner_double(struct text_scanner *scanner, const char *what, double *value)
{
    struct text_span word;
    if (!scanner_word(scanner, &word)) {
        return missing_word(scanner, what);
    }
    return double_of_word(scanner, word, what, value);
}

dent_status scanner_integer_in_line(struct text_scanner *scanner, const char *what, int64_t low, int64_t high,
                                    int64_t *value)
{
    struct text_span word;
    if (!scanner_word_in_line(scanner, &word)) {
        return missing_word(scanner, what);
    }
    return integer_of_word(scanner, word, what, low, high, value);
}

dent_status scanner_double_in_line(struct text_scanner *scanner, const char *what, double *value)
{
    struct text_span word;
    if (!scanner_word_in_line(scanner, &word)) {
        return missing_word(scanner, what);
    }
    return double_of_word(scanner, word, what, value);
}

dent_status scanner_check_claim(const struct text_scanner *scanner, const char *what, uint64_t count,
                                uint64_t bytes_each)
{
    /* The last record of a text needs no separator behind it. */
    uint64_t left = scanner_bytes_left(scanner);
    if (bytes_each > 0 && count > (left + 1) / bytes_each) {
        return scanner_fail(scanner, DENT_ERROR_FORMAT, "claims %llu %s, but only %llu bytes follow",
                            (unsigned long long)count, what, (unsigned long long)left);
    }
    return DENT_OK;
}

/* ---- messages -------------------------------------------------------------------------------------------------- */

dent_status scanner_fail(const struct text_scanner *scanner, dent_status status, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return dent_fail(scanner->context, status, "%s:%llu: %s", scanner->name, (unsigned long long)scanner->line, text);
}

bool span_equal(struct text_span span, const char *word)
{
    return span.length == strlen(word) && memcmp(span.text, word, span.length) == 0;
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

bool span_equal_any_case(struct text_span span, const char *word)
{
    if (span.length != strlen(word)) {
        return false;
    }
    for (size_t i = 0; i < span.length; i++) {
        if (lower(span.text[i]) != lower(word[i])) {
            return false;
        }
    }
    return true;
}

bool span_starts_with(struct text_span span, const char *prefix)
{
    size_t length = strlen(prefix);
    return span.length >= length && memcmp(span.text, prefix, length) == 0;
}
