/* Texts with a point a line: .xyz, .csv, .pts.
 *
 * Numbers stand in columns, separated by blanks, commas or semicolons. '#' begins a comment, and so does "//" at the
 * start of a line. All lines have as many columns as the first. A first line of names (x, y, z, nx, ny, nz, in any
 * order and case; also normal_x …) says which columns count; others are passed over. A first line with one integer is
 * the number of points, as PTS has it. Without names the first three columns are x, y, z; columns 4 to 6 of six, or 7 to
 * 9 of nine, are normals if all of them have a length between 0.9 and 1.1: otherwise they are taken for colours. */
#include "io/bytes/decimal_number.h"
#include "io/bytes/text_scanner.h"
#include "io/bytes/try_status.h"
#include "reader_table.h"

#include <stdio.h>
#include <strings.h>

enum { XYZ_COLUMNS_MAX = 64, XYZ_ROLES = 6 };

struct xyz_reader {
    struct read_request *request;
    struct text_scanner scanner;
    uint32_t columns;            /* 0: not known yet */
    int column_of[XYZ_ROLES];    /* -1: none */
    bool named, normals_guessed;
    uint64_t claimed;            /* points; UINT64_MAX: not said */
};

/* ---- lines ------------------------------------------------------------------------------------------------------ */

static bool separates(char c)
{
    return c == ' ' || c == '\t' || c == ',' || c == ';';
}

/* Cuts a line into words; returns how many there are, at most XYZ_COLUMNS_MAX + 1. Two commas have an empty word
 * between them. */
static uint32_t cut_line(struct text_span line, struct text_span words[XYZ_COLUMNS_MAX + 1])
{
    uint32_t count = 0;
    size_t at = 0;
    while (at < line.length && count <= XYZ_COLUMNS_MAX) {
        while (at < line.length && (line.text[at] == ' ' || line.text[at] == '\t')) {
            at++;
        }
        size_t begin = at;
        while (at < line.length && !separates(line.text[at])) {
            at++;
        }
        if (begin < line.length) {
            words[count++] = (struct text_span){line.text + begin, at - begin};
        }
        while (at < line.length && (line.text[at] == ' ' || line.text[at] == '\t')) {
            at++;
        }
        at += at < line.length && separates(line.text[at]);
    }
    return count;
}

static int role_of_name(struct text_span name)
{
    static const char *const names[2][XYZ_ROLES] = {{"x", "y", "z", "nx", "ny", "nz"},
                                                    {"x", "y", "z", "normal_x", "normal_y", "normal_z"}};
    while (name.length > 1 && (name.text[0] == '"' || name.text[0] == '\'')) { /* quoted names */
        name = (struct text_span){name.text + 1, name.length - 2};
    }
    for (int role = 0; role < XYZ_ROLES; role++) {
        if (span_equal_any_case(name, names[0][role]) || span_equal_any_case(name, names[1][role])) {
            return role;
        }
    }
    return -1;
}

/* A line before `line`: messages name the line that was read. */
static dent_status xyz_fail(const struct xyz_reader *reader, uint64_t line, dent_status status, const char *what,
                            struct text_span word)
{
    return dent_fail(reader->request->context, status, "%s:%llu: '%.*s' %s", reader->request->name,
                     (unsigned long long)line, SPAN_ARGUMENTS(word), what);
}

static dent_status take_names(struct xyz_reader *reader, const struct text_span *words, uint32_t count, uint64_t line)
{
    for (int role = 0; role < XYZ_ROLES; role++) {
        reader->column_of[role] = -1;
    }
    for (uint32_t i = 0; i < count; i++) {
        int role = role_of_name(words[i]);
        if (role >= 0 && reader->column_of[role] >= 0) {
            return xyz_fail(reader, line, DENT_ERROR_FORMAT, "names two columns", words[i]);
        }
        if (role >= 0) {
            reader->column_of[role] = (int)i;
        }
    }
    for (int axis = 0; axis < 3; axis++) {
        if (reader->column_of[axis] < 0) {
            return xyz_fail(reader, line, DENT_ERROR_FORMAT, "is neither a number nor are there columns named x, y and z",
                            words[0]);
        }
    }
    bool normals = reader->column_of[3] >= 0 && reader->column_of[4] >= 0 && reader->column_of[5] >= 0;
    reader->column_of[3] = normals ? reader->column_of[3] : -1;
    reader->named = true;
    reader->columns = count;
    return DENT_OK;
}

/* Without names, by the number of columns. */
static dent_status guess_columns(struct xyz_reader *reader, uint32_t count, uint64_t line, struct text_span first)
{
    if (count < 3 || count > XYZ_COLUMNS_MAX) {
        return xyz_fail(reader, line, DENT_ERROR_FORMAT,
                        count < 3 ? "begins a line of fewer than 3 columns: x, y and z are needed"
                                  : "begins a line of more than 64 columns",
                        first);
    }
    reader->columns = count;
    int normals = count == 6 ? 3 : count == 9 ? 6 : -1;
    for (int role = 0; role < XYZ_ROLES; role++) {
        reader->column_of[role] = role < 3 ? role : normals < 0 ? -1 : normals + role - 3;
    }
    reader->normals_guessed = normals >= 0;
    return DENT_OK;
}

/* ---- points ---------------------------------------------------------------------------------------------------- */

static bool looks_like_normal(const double v[3])
{
    double square = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    return square >= 0.81 && square <= 1.21;
}

static dent_status take_point(struct xyz_reader *reader, const struct text_span *words, uint32_t count, uint64_t line)
{
    struct mesh_builder *builder = reader->request->builder;
    double values[XYZ_ROLES] = {0};
    bool normals = reader->column_of[3] >= 0;
    if (count != reader->columns) {
        return dent_fail(reader->request->context, DENT_ERROR_FORMAT, "%s:%llu: %u columns, but the first line has %u",
                         reader->request->name, (unsigned long long)line, count, reader->columns);
    }
    for (int role = 0; role < (normals ? XYZ_ROLES : 3); role++) {
        struct text_span word = words[reader->column_of[role]];
        if (!decimal_to_double(word.text, word.length, &values[role])) {
            return xyz_fail(reader, line, DENT_ERROR_FORMAT, "is not a number", word);
        }
    }
    TRY(builder_add_vertex(builder, values[0], values[1], values[2], line));
    if (normals && reader->normals_guessed && !looks_like_normal(values + 3)) {
        array_clear(&builder->normals);
        reader->column_of[3] = -1;
        builder_note(builder, 1, "triple of columns behind x, y, z is no direction: taken for colours");
        return DENT_OK;
    }
    return normals ? builder_add_normal(builder, values + 3, line) : DENT_OK;
}

/* The first line: a count, names, or a point already. */
static dent_status take_first_line(struct xyz_reader *reader, const struct text_span *words, uint32_t count,
                                   uint64_t line, bool *is_point)
{
    double number;
    int64_t claimed;
    bool fits;
    *is_point = false;
    if (!decimal_to_double(words[0].text, words[0].length, &number)) {
        return take_names(reader, words, count, line);
    }
    if (count == 1 && reader->claimed == UINT64_MAX && decimal_to_integer(words[0].text, words[0].length, &claimed, &fits) &&
        claimed >= 0) {
        reader->claimed = (uint64_t)claimed;
        TRY(scanner_check_claim(&reader->scanner, "points", reader->claimed, 5));
        return builder_reserve_vertices(reader->request->builder, reader->claimed);
    }
    *is_point = true;
    return guess_columns(reader, count, line, words[0]);
}

static dent_status read_lines(struct xyz_reader *reader)
{
    struct text_span line, words[XYZ_COLUMNS_MAX + 1];
    while (scanner_bytes_left(&reader->scanner) > 0) {
        uint64_t number = reader->scanner.line;
        bool is_point = true;
        if (!scanner_line(&reader->scanner, &line)) {
            break;
        }
        if (line.length == 0 || span_starts_with(line, "//")) {
            continue;
        }
        uint32_t count = cut_line(line, words);
        if (reader->columns == 0) {
            TRY(take_first_line(reader, words, count, number, &is_point));
        }
        if (is_point) {
            TRY(take_point(reader, words, count, number));
        }
    }
    return DENT_OK;
}

dent_status read_xyz(struct read_request *request)
{
    struct xyz_reader reader = {.request = request, .claimed = UINT64_MAX};
    TRY(scanner_open(&reader.scanner, request->context, request->name, request->bytes.data, request->bytes.size, '#'));
    request->builder->points_make_a_body = true;
    TRY(read_lines(&reader));
    uint32_t found = builder_vertex_count(request->builder);
    if (reader.claimed != UINT64_MAX && reader.claimed != found) {
        return dent_fail(request->context, DENT_ERROR_FORMAT, "%s: claims %llu points, but has %u", request->name,
                         (unsigned long long)reader.claimed, found);
    }
    snprintf(request->format, sizeof request->format, "points %s", reader.named ? "with named columns" : "text");
    return DENT_OK;
}
