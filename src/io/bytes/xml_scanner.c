/* A pull scanner: each call walks to the next tag. Lines are counted only when a message needs one, so large texts
 * between tags cost one memchr. */
#include "xml_scanner.h"

#include <stdio.h>
#include <string.h>

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Letters, digits and the rest of the world: what ends a name is what has a meaning in a tag. */
static bool is_name_character(char c)
{
    return !is_space(c) && !strchr("<>/='\"&", c); /* strchr finds the zero byte too */
}

dent_status xml_open(struct xml_scanner *scanner, dent_context *context, const char *name, const void *data,
                     size_t size)
{
    *scanner = (struct xml_scanner){.context = context,
                                    .name = name,
                                    .begin = data,
                                    .cursor = data,
                                    .end = (const char *)data + size,
                                    .counted_to = data,
                                    .counted_lines = 1};
    size_t mark;
    dent_status status = text_begin(context, name, data, size, &mark);
    scanner->cursor += mark;
    return status;
}

static uint64_t line_ends(const struct xml_scanner *scanner, const char *from, const char *to)
{
    uint64_t count = 0;
    for (const char *c = from; c < to; c++) {
        count += *c == '\n' || (*c == '\r' && !(c + 1 < scanner->end && c[1] == '\n'));
    }
    return count;
}

uint64_t xml_line_of(struct xml_scanner *scanner, const char *at)
{
    if (at < scanner->counted_to) {
        return 1 + line_ends(scanner, scanner->begin, at);
    }
    scanner->counted_lines += line_ends(scanner, scanner->counted_to, at);
    scanner->counted_to = at;
    return scanner->counted_lines;
}

dent_status xml_fail(const struct xml_scanner *scanner, const char *at, dent_status status, const char *format, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return dent_fail(scanner->context, status, "%s:%llu: %s", scanner->name,
                     (unsigned long long)(1 + line_ends(scanner, scanner->begin, at)), text);
}

static bool starts_with(const struct xml_scanner *scanner, const char *prefix)
{
    size_t length = strlen(prefix);
    return (size_t)(scanner->end - scanner->cursor) >= length && memcmp(scanner->cursor, prefix, length) == 0;
}

/* Goes behind the next `closing`; false when there is none. */
static bool skip_past(struct xml_scanner *scanner, const char *closing)
{
    while (scanner->cursor < scanner->end) {
        if (starts_with(scanner, closing)) {
            scanner->cursor += strlen(closing);
            return true;
        }
        scanner->cursor++;
    }
    return false;
}

static void skip_spaces(struct xml_scanner *scanner)
{
    while (scanner->cursor < scanner->end && is_space(*scanner->cursor)) {
        scanner->cursor++;
    }
}

static struct text_span take_name(struct xml_scanner *scanner)
{
    const char *begin = scanner->cursor;
    while (scanner->cursor < scanner->end && is_name_character(*scanner->cursor)) {
        scanner->cursor++;
    }
    return (struct text_span){.text = begin, .length = (size_t)(scanner->cursor - begin)};
}

static bool take_character(struct xml_scanner *scanner, char c)
{
    if (scanner->cursor < scanner->end && *scanner->cursor == c) {
        scanner->cursor++;
        return true;
    }
    return false;
}

/* name = "value" or name = 'value'. */
static bool take_attribute(struct xml_scanner *scanner, struct text_span *name, struct text_span *value)
{
    *name = take_name(scanner);
    skip_spaces(scanner);
    if (name->length == 0 || !take_character(scanner, '=')) {
        return false;
    }
    skip_spaces(scanner);
    char quote = scanner->cursor < scanner->end ? *scanner->cursor : 0;
    if (quote != '"' && quote != '\'') {
        return false;
    }
    scanner->cursor++;
    const char *begin = scanner->cursor;
    const char *end = memchr(begin, quote, (size_t)(scanner->end - begin));
    if (!end) {
        return false;
    }
    *value = (struct text_span){.text = begin, .length = (size_t)(end - begin)};
    scanner->cursor = end + 1;
    return true;
}

static dent_status read_open_tag(struct xml_scanner *scanner, struct xml_tag *tag)
{
    const char *start = scanner->cursor;
    tag->kind = XML_OPEN;
    tag->name = take_name(scanner);
    if (tag->name.length == 0) {
        return xml_fail(scanner, start, DENT_ERROR_FORMAT, "a tag without a name");
    }
    skip_spaces(scanner);
    tag->attributes.text = scanner->cursor;
    while (scanner->cursor < scanner->end && *scanner->cursor != '>' && *scanner->cursor != '/') {
        struct text_span name, value;
        if (!take_attribute(scanner, &name, &value)) {
            return xml_fail(scanner, start, DENT_ERROR_FORMAT, "tag <%.*s> has an attribute that is not name=\"value\"",
                            SPAN_ARGUMENTS(tag->name));
        }
        skip_spaces(scanner);
    }
    tag->attributes.length = (size_t)(scanner->cursor - tag->attributes.text);
    tag->is_empty = take_character(scanner, '/');
    if (!take_character(scanner, '>')) {
        return xml_fail(scanner, start, DENT_ERROR_FORMAT, "tag <%.*s> is not closed", SPAN_ARGUMENTS(tag->name));
    }
    if (!tag->is_empty) {
        if (scanner->depth == XML_DEPTH_MAX) {
            return xml_fail(scanner, start, DENT_ERROR_FORMAT, "elements are nested more than %d deep",
                            (int)XML_DEPTH_MAX);
        }
        scanner->open[scanner->depth++] = tag->name;
    }
    return DENT_OK;
}

static dent_status read_close_tag(struct xml_scanner *scanner, struct xml_tag *tag)
{
    const char *start = scanner->cursor;
    tag->kind = XML_CLOSE;
    tag->name = take_name(scanner);
    skip_spaces(scanner);
    if (!take_character(scanner, '>') || scanner->depth == 0) {
        return xml_fail(scanner, start, DENT_ERROR_FORMAT, "</%.*s> closes nothing", SPAN_ARGUMENTS(tag->name));
    }
    struct text_span open = scanner->open[--scanner->depth];
    if (open.length != tag->name.length || memcmp(open.text, tag->name.text, open.length) != 0) {
        return xml_fail(scanner, start, DENT_ERROR_FORMAT, "</%.*s> where </%.*s> should be", SPAN_ARGUMENTS(tag->name),
                        SPAN_ARGUMENTS(open));
    }
    return DENT_OK;
}

dent_status xml_next_tag(struct xml_scanner *scanner, struct xml_tag *tag)
{
    *tag = (struct xml_tag){.kind = XML_END_OF_FILE};
    tag->text.text = scanner->cursor;
    for (;;) {
        const char *bracket = memchr(scanner->cursor, '<', (size_t)(scanner->end - scanner->cursor));
        if (!bracket) {
            if (scanner->depth > 0) {
                return xml_fail(scanner, scanner->end, DENT_ERROR_FORMAT, "the file ends within <%.*s>",
                                SPAN_ARGUMENTS(scanner->open[scanner->depth - 1]));
            }
            return DENT_OK;
        }
        tag->text.length = (size_t)(bracket - tag->text.text);
        scanner->cursor = bracket;
        if (starts_with(scanner, "<?") || starts_with(scanner, "<!--")) {
            if (!skip_past(scanner, starts_with(scanner, "<?") ? "?>" : "-->")) {
                return xml_fail(scanner, bracket, DENT_ERROR_FORMAT, "a comment that does not end");
            }
            tag->text.text = scanner->cursor; /* text on both sides of a comment: the later part counts */
        } else if (starts_with(scanner, "<!")) {
            return xml_fail(scanner, bracket, DENT_ERROR_UNSUPPORTED, "XML declarations (<! >) are not read");
        } else if (starts_with(scanner, "</")) {
            scanner->cursor += 2;
            return read_close_tag(scanner, tag);
        } else {
            scanner->cursor += 1;
            return read_open_tag(scanner, tag);
        }
    }
}

bool xml_attribute(const struct xml_tag *tag, const char *name, struct text_span *value)
{
    struct xml_scanner inside = {.cursor = tag->attributes.text, .end = tag->attributes.text + tag->attributes.length};
    struct text_span found;
    while (inside.cursor < inside.end && take_attribute(&inside, &found, value)) {
        if (span_equal(found, name)) {
            return true;
        }
        skip_spaces(&inside);
    }
    return false;
}

static const struct entity {
    const char *written;
    char meant;
} entities[] = {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}};

bool xml_keep_value(struct dynamic_array *texts, struct text_span value)
{
    for (size_t i = 0; i < value.length;) {
        char c = value.text[i];
        size_t length = 1;
        for (size_t k = 0; c == '&' && k < sizeof entities / sizeof entities[0]; k++) {
            size_t size = strlen(entities[k].written);
            if (size <= value.length - i && memcmp(value.text + i, entities[k].written, size) == 0) {
                c = entities[k].meant;
                length = size;
                break;
            }
        }
        if (!array_push(texts, &c)) {
            return false;
        }
        i += length;
    }
    return array_push(texts, "");
}
