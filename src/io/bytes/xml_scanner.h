/* As much XML as VTK's files need, strictly: tags with quoted attributes, text between them, comments and processing
 * instructions skipped. Document types, CDATA and entities are refused where they would matter. Works in place on bytes
 * in memory and allocates nothing. */
#ifndef DENT_IO_XML_SCANNER_H
#define DENT_IO_XML_SCANNER_H

#include "text_scanner.h"

#include "base/containers/dynamic_array.h"

enum { XML_DEPTH_MAX = 24 };

enum xml_tag_kind { XML_OPEN, XML_CLOSE, XML_END_OF_FILE };

struct xml_tag {
    enum xml_tag_kind kind;
    bool is_empty; /* <name/>: opened and closed at once; no XML_CLOSE follows */
    struct text_span name;
    struct text_span attributes; /* the raw text, checked to be name="value" pairs */
    struct text_span text;       /* between the tag before and this one */
};

struct xml_scanner {
    dent_context *context;
    const char *name; /* of the file */
    const char *begin;
    const char *cursor;
    const char *end;
    struct text_span open[XML_DEPTH_MAX]; /* names of the elements around the cursor */
    uint32_t depth;
    const char *counted_to; /* lines before it are known: */
    uint64_t counted_lines;
};

/* Over a whole file: passes over a byte order mark, refuses UTF-16 with UNSUPPORTED. */
dent_status xml_open(struct xml_scanner *scanner, dent_context *context, const char *name, const void *data,
                     size_t size);

/* The next tag. Opening and closing tags match, and nothing is open at the end of the file: otherwise FORMAT. */
dent_status xml_next_tag(struct xml_scanner *scanner, struct xml_tag *tag);

/* The value of an attribute as it stands in the file; false when there is none. */
bool xml_attribute(const struct xml_tag *tag, const char *name, struct text_span *value);

/* Appends a value to an array of characters, the five entities that writers use undone, with a zero byte behind it. */
bool xml_keep_value(struct dynamic_array *texts, struct text_span value);

/* Sets the message "name:line: …", the line being that of `at`. */
dent_status xml_fail(const struct xml_scanner *scanner, const char *at, dent_status status, const char *format, ...)
    DENT_PRINTF_LIKE(4, 5);

/* The line of a place. Asked in the order of the file, all calls together walk over it once. */
uint64_t xml_line_of(struct xml_scanner *scanner, const char *at);

#endif
