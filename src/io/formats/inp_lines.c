/* Keyword lines, fields and element types of Abaqus input files. */
#include "inp_lines.h"

#include "io/bytes/decimal_number.h"
#include "io/bytes/try_status.h"

#include <strings.h>

static struct text_span trimmed(const char *begin, const char *end)
{
    while (begin < end && (*begin == ' ' || *begin == '\t')) {
        begin++;
    }
    while (end > begin && (end[-1] == ' ' || end[-1] == '\t')) {
        end--;
    }
    return (struct text_span){.text = begin, .length = (size_t)(end - begin)};
}

bool inp_field(struct text_span *line, struct text_span *field)
{
    if (line->length == 0) {
        return false;
    }
    const char *end = line->text + line->length, *comma = line->text;
    while (comma < end && *comma != ',') {
        comma++;
    }
    *field = trimmed(line->text, comma);
    const char *rest = comma < end ? comma + 1 : end;
    *line = (struct text_span){.text = rest, .length = (size_t)(end - rest)};
    return true;
}

static struct text_span unquoted(struct text_span span)
{
    bool quoted = span.length >= 2 && span.text[0] == '"' && span.text[span.length - 1] == '"';
    return quoted ? (struct text_span){.text = span.text + 1, .length = span.length - 2} : span;
}

static bool add_parameter(struct inp_keyword *keyword, struct text_span field)
{
    const char *end = field.text + field.length, *sign = field.text;
    if (field.length == 0) {
        return true;
    }
    if (keyword->count == INP_PARAMETERS) {
        return false;
    }
    while (sign < end && *sign != '=') {
        sign++;
    }
    keyword->parameters[keyword->count++] = (struct inp_parameter){
        .key = trimmed(field.text, sign), .value = unquoted(trimmed(sign < end ? sign + 1 : end, end))};
    return true;
}

static dent_status parse_keyword(struct text_scanner *scanner, struct text_span line, struct inp_keyword *keyword)
{
    struct text_span field;
    bool continues = line.text[line.length - 1] == ',';
    *keyword = (struct inp_keyword){0};
    inp_field(&line, &keyword->name);
    for (;;) {
        while (inp_field(&line, &field)) {
            if (!add_parameter(keyword, field)) {
                return scanner_fail(scanner, DENT_ERROR_FORMAT, "%.*s has more than %d parameters",
                                    SPAN_ARGUMENTS(keyword->name), INP_PARAMETERS);
            }
        }
        if (!continues || !scanner_line(scanner, &line)) {
            return DENT_OK;
        }
        continues = line.length > 0 && line.text[line.length - 1] == ',';
    }
}

dent_status inp_next(struct text_scanner *scanner, enum inp_line *what, struct inp_keyword *keyword,
                     struct text_span *line, uint64_t *number)
{
    for (*number = scanner->line; scanner_line(scanner, line); *number = scanner->line) {
        if (line->length == 0 || span_starts_with(*line, "**")) {
            continue;
        }
        *what = line->text[0] == '*' ? INP_KEYWORD : INP_DATA;
        return *what == INP_KEYWORD ? parse_keyword(scanner, *line, keyword) : DENT_OK;
    }
    *what = INP_END;
    return DENT_OK;
}

struct text_span inp_parameter(const struct inp_keyword *keyword, const char *key, bool *present)
{
    for (uint32_t i = 0; i < keyword->count; i++) {
        if (span_equal_any_case(keyword->parameters[i].key, key)) {
            *present = true;
            return keyword->parameters[i].value;
        }
    }
    *present = false;
    return (struct text_span){.text = "", .length = 0};
}

/* ---- element types --------------------------------------------------------------------------------------------- */

/* What the number behind a prefix means. Corners come first, but for lines with a node in the middle. */
struct shape {
    int64_t number;
    enum element_kind kind;
    uint32_t nodes;
};

static const struct shape solids[] = {
    {4, ELEMENT_TETRAHEDRON, 4}, {5, ELEMENT_PYRAMID, 5},       {6, ELEMENT_WEDGE, 6},
    {8, ELEMENT_HEXAHEDRON, 8},  {10, ELEMENT_TETRAHEDRON, 10}, {13, ELEMENT_PYRAMID, 13},
    {15, ELEMENT_WEDGE, 15},     {20, ELEMENT_HEXAHEDRON, 20},  {0, ELEMENT_POINT, 0},
};
static const struct shape surfaces[] = {
    {3, ELEMENT_TRIANGLE, 3}, {4, ELEMENT_QUAD, 4},      {6, ELEMENT_TRIANGLE, 6}, {8, ELEMENT_QUAD, 8},
    {9, ELEMENT_QUAD, 9},     {65, ELEMENT_TRIANGLE, 6}, {0, ELEMENT_POINT, 0},
};
static const struct shape trusses[] = {{2, ELEMENT_LINE, 2}, {3, ELEMENT_LINE, 3}, {0, ELEMENT_POINT, 0}};
static const struct shape beams[] = {
    {31, ELEMENT_LINE, 2}, {32, ELEMENT_LINE, 3}, {33, ELEMENT_LINE, 2}, {0, ELEMENT_POINT, 0}};

/* Longer prefixes stand before those they begin with. */
static const struct {
    const char *prefix;
    const struct shape *shapes;
} families[] = {
    {"DCC3D", solids}, {"COH3D", solids}, {"DC3D", solids},   {"AC3D", solids},    {"C3D", solids}, {"Q3D", solids},
    {"CSS", solids},   {"SC", solids},    {"STRI", surfaces}, {"SFM3D", surfaces}, {"S", surfaces}, {"DS", surfaces},
    {"M3D", surfaces}, {"R3D", surfaces}, {"F3D", surfaces},  {"T3D", trusses},    {"B", beams},
};

static int64_t number_behind(struct text_span type, size_t start)
{
    size_t length = 0;
    int64_t number = 0;
    bool fits;
    while (start + length < type.length && type.text[start + length] >= '0' && type.text[start + length] <= '9') {
        length++;
    }
    return length > 0 && decimal_to_integer(type.text + start, length, &number, &fits) ? number : 0;
}

bool inp_element_type(struct text_span type, enum element_kind *kind, uint32_t *nodes)
{
    for (size_t f = 0; f < sizeof families / sizeof families[0]; f++) {
        size_t length = strlen(families[f].prefix);
        if (type.length <= length || strncasecmp(type.text, families[f].prefix, length) != 0) {
            continue;
        }
        int64_t number = number_behind(type, length);
        for (const struct shape *shape = families[f].shapes; shape->number; shape++) {
            if (shape->number == number) {
                *kind = shape->kind;
                *nodes = shape->nodes;
                return true;
            }
        }
    }
    return false;
}
