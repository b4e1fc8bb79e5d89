/* Files of impact queries: rational coordinates, 8 lines per query, and the true answers that come with them. See
 * dent/impact_io.h.
 *
 * The lines are walked by hand rather than by words, since the columns are separated by commas. Memory is reserved as
 * the lines are read: a file cannot claim more than it holds.
 */
#include <dent/impact_io.h>

#include "io/bytes/file_bytes.h"
#include "base/containers/dynamic_array.h"
#include "io/bytes/rational_number.h"
#include "io/bytes/read_scope.h"
#include "io/bytes/text_scanner.h"
#include "io/bytes/try_status.h"

#include <stdio.h>
#include <string.h>

enum { ROWS_PER_QUERY = 8, COORDINATE_COLUMNS = 6, COLUMNS_WITH_TRUTH = 7, PATH_LIMIT = 4096 };

struct query_storage {
    dent_impact_queries queries; /* first: what the caller holds */
    struct dynamic_array list;   /* dent_impact_query */
    struct dynamic_array truth;  /* uint8_t */
};

dent_impact_queries_def dent_impact_queries_def_default(void)
{
    return (dent_impact_queries_def){.struct_size = sizeof(dent_impact_queries_def)};
}

void dent_impact_queries_destroy(dent_context *context, dent_impact_queries *queries)
{
    if (context && queries) {
        struct query_storage *storage = queries->storage;
        array_destroy_in(&storage->list, context);
        array_destroy_in(&storage->truth, context);
        dent_release(context, storage, 1, sizeof *storage);
    }
}

/* ---- the kind, from the path ------------------------------------------------------------------------------------- */

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* The word stands in [begin, end) with no letter before or behind it. */
static bool has_word(const char *begin, const char *end, const char *word)
{
    size_t length = strlen(word);
    for (const char *place = begin; (size_t)(end - place) >= length; place++) {
        if (strncmp(place, word, length) == 0 && (place == begin || !is_letter(place[-1])) &&
            (place + length == end || !is_letter(place[length]))) {
            return true;
        }
    }
    return false;
}

/* From the last part of the path to the first; 0 when none says it, or one says both. */
static dent_impact_kind kind_of_path(const char *path)
{
    const char *end = path + strlen(path);
    while (true) {
        const char *begin = end;
        while (begin > path && begin[-1] != '/') {
            begin--;
        }
        bool faces = has_word(begin, end, "vertex-face") || has_word(begin, end, "vf");
        bool edges = has_word(begin, end, "edge-edge") || has_word(begin, end, "ee");
        if (faces || edges) {
            return faces && edges ? (dent_impact_kind)0 : faces ? DENT_IMPACT_VERTEX_FACE : DENT_IMPACT_EDGE_EDGE;
        }
        if (begin == path) {
            return (dent_impact_kind)0;
        }
        end = begin - 1;
    }
}

static dent_status find_kind(dent_context *context, const char *path, const dent_impact_queries_def *def,
                             dent_impact_kind *kind)
{
    *kind = def->kind ? def->kind : kind_of_path(path);
    if (*kind == 0) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT,
                         "%s: the path does not say whether its queries are vertex-face (vf) or edge-edge (ee)", path);
    }
    if (*kind != DENT_IMPACT_VERTEX_FACE && *kind != DENT_IMPACT_EDGE_EDGE) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "%s: there is no kind of impact query number %d", path,
                         (int)*kind);
    }
    return DENT_OK;
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Splits a line at its commas, blanks around the columns taken off. Returns how many there are; more than `most` are
 * counted, not kept. */
static int split_columns(struct text_span line, struct text_span *columns, int most)
{
    int count = 0;
    size_t begin = 0;
    for (size_t i = 0; i <= line.length; i++) {
        if (i < line.length && line.text[i] != ',') {
            continue;
        }
        size_t first = begin, last = i;
        while (first < last && is_blank(line.text[first])) {
            first++;
        }
        while (last > first && is_blank(line.text[last - 1])) {
            last--;
        }
        if (count < most) {
            columns[count] = (struct text_span){line.text + first, last - first};
        }
        count++;
        begin = i + 1;
    }
    return count;
}

/* scanner_line has gone to the next line already: messages name the one before. */
static dent_status fail_at_row(struct text_scanner *scanner, uint64_t line, const char *format, ...)
    DENT_PRINTF_LIKE(3, 4);
static dent_status fail_at_row(struct text_scanner *scanner, uint64_t line, const char *format, ...)
{
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    scanner->line = line;
    return scanner_fail(scanner, DENT_ERROR_FORMAT, "%s", text);
}

static dent_status read_coordinate(struct text_scanner *scanner, uint64_t line, const struct text_span *columns,
                                   int axis, double *value)
{
    struct text_span above = columns[2 * axis], below = columns[2 * axis + 1];
    switch (rational_to_double(above, below, value)) {
    case RATIONAL_IS_DOUBLE:
        return DENT_OK;
    case RATIONAL_IS_NO_DOUBLE:
        return fail_at_row(scanner, line, "%c is %.*s%s/%.*s%s, which is not exactly a double", "xyz"[axis],
                           SPAN_ARGUMENTS(above), above.length > 40 ? "..." : "", SPAN_ARGUMENTS(below),
                           below.length > 40 ? "..." : "");
    case RATIONAL_BAD_DENOMINATOR:
        return fail_at_row(scanner, line, "the denominator of %c is %.*s: it must be above 0", "xyz"[axis],
                           SPAN_ARGUMENTS(below));
    case RATIONAL_TOO_LONG:
        return fail_at_row(scanner, line, "%c has more than %d digits", "xyz"[axis], (int)RATIONAL_DIGITS);
    case RATIONAL_NOT_AN_INTEGER:
        break;
    }
    return fail_at_row(scanner, line, "%c is '%.*s' over '%.*s': two whole numbers are needed", "xyz"[axis],
                       SPAN_ARGUMENTS(above), SPAN_ARGUMENTS(below));
}

struct row {
    double point[3];
    int truth; /* -1: none */
};

static dent_status read_row(struct text_scanner *scanner, uint64_t line_number, struct text_span line, struct row *row)
{
    struct text_span columns[COLUMNS_WITH_TRUTH];
    int count = split_columns(line, columns, COLUMNS_WITH_TRUTH);
    if (count != COORDINATE_COLUMNS && count != COLUMNS_WITH_TRUTH) {
        return fail_at_row(scanner, line_number,
                           "%d column%s: three numerators and denominators are needed, and perhaps the answer", count,
                           count == 1 ? "" : "s");
    }
    for (int axis = 0; axis < 3; axis++) {
        dent_status status = read_coordinate(scanner, line_number, columns, axis, &row->point[axis]);
        if (status != DENT_OK) {
            return status;
        }
    }
    row->truth = -1;
    if (count == COLUMNS_WITH_TRUTH) {
        struct text_span answer = columns[COORDINATE_COLUMNS];
        if (!span_equal(answer, "0") && !span_equal(answer, "1")) {
            return fail_at_row(scanner, line_number, "the answer is '%.*s', neither 0 nor 1", SPAN_ARGUMENTS(answer));
        }
        row->truth = answer.text[0] == '1';
    }
    return DENT_OK;
}

static dent_status out_of_memory(dent_context *context, const char *name)
{
    return dent_fail(context, DENT_ERROR_OUT_OF_MEMORY, "%s: out of memory", name);
}

/* Where the reader is in the current query. */
struct query_progress {
    uint64_t rows;
    int truth;       /* of the first row of the query */
    bool with_truth; /* the file has a seventh column */
};

static dent_status add_row(struct query_storage *storage, struct text_scanner *scanner, uint64_t line,
                           struct query_progress *progress, const struct row *row)
{
    int place = (int)(progress->rows % ROWS_PER_QUERY);
    if (progress->rows == 0) {
        progress->with_truth = row->truth >= 0;
    }
    if ((row->truth >= 0) != progress->with_truth) {
        return fail_at_row(scanner, line, "some lines have an answer in the seventh column and some have not");
    }
    if (place == 0) {
        progress->truth = row->truth;
        uint8_t truth = row->truth > 0;
        if (storage->list.count == UINT32_MAX) {
            return fail_at_row(scanner, line, "more than 2^32 - 1 queries");
        }
        if (!array_extend(&storage->list, 1) || (progress->with_truth && !array_push(&storage->truth, &truth))) {
            return out_of_memory(scanner->context, scanner->name);
        }
    }
    if (row->truth != progress->truth) {
        return fail_at_row(scanner, line, "the answer is not the same in all 8 lines of the query");
    }
    dent_impact_query *query = (dent_impact_query *)storage->list.data + storage->list.count - 1;
    memcpy(place < 4 ? query->points_t0[place] : query->points_t1[place - 4], row->point, sizeof row->point);
    progress->rows++;
    return DENT_OK;
}

static dent_status read_rows(struct query_storage *storage, dent_context *context, const char *name,
                             const struct file_bytes *bytes)
{
    struct text_scanner scanner;
    TRY(scanner_open(&scanner, context, name, bytes->data, bytes->size, -1));
    struct query_progress progress = {0};
    while (true) {
        struct text_span line;
        struct row row;
        uint64_t line_number = scanner.line;
        if (!scanner_line(&scanner, &line)) {
            break;
        }
        if (line.length == 0) {
            continue;
        }
        dent_status status = read_row(&scanner, line_number, line, &row);
        status = status == DENT_OK ? add_row(storage, &scanner, line_number, &progress, &row) : status;
        if (status != DENT_OK) {
            return status;
        }
    }
    if (progress.rows == 0) {
        return dent_fail(context, DENT_ERROR_FORMAT, "%s: no queries", name);
    }
    if (progress.rows % ROWS_PER_QUERY != 0) {
        return dent_fail(context, DENT_ERROR_FORMAT,
                         "%s: %llu lines of positions: not a multiple of 8, the last query is incomplete", name,
                         (unsigned long long)progress.rows);
    }
    return DENT_OK;
}

/* ---- answers in a file of their own ------------------------------------------------------------------------------ */

static bool is_json_space(uint8_t c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static const uint8_t *skip_space(const uint8_t *cursor, const uint8_t *end)
{
    while (cursor < end && is_json_space(*cursor)) {
        cursor++;
    }
    return cursor;
}

static const uint8_t *take_word(const uint8_t *cursor, const uint8_t *end, const char *word)
{
    size_t length = strlen(word);
    return (size_t)(end - cursor) >= length && memcmp(cursor, word, length) == 0 ? cursor + length : NULL;
}

/* "[true, false, …]" and nothing else. */
static dent_status parse_truth(dent_context *context, const char *name, const struct file_bytes *bytes,
                               struct dynamic_array *truth)
{
    size_t mark;
    TRY(text_begin(context, name, bytes->data, bytes->size, &mark));
    const uint8_t *end = bytes->data + bytes->size, *cursor = skip_space(bytes->data + mark, end);
    bool open = cursor < end && *cursor == '[';
    cursor = open ? skip_space(cursor + 1, end) : cursor;
    bool more = open && !(cursor < end && *cursor == ']');
    while (more) {
        const uint8_t *after_true = take_word(cursor, end, "true");
        const uint8_t *after = after_true ? after_true : take_word(cursor, end, "false");
        if (!after) {
            break;
        }
        uint8_t value = after_true != NULL;
        if (!array_push(truth, &value)) {
            return out_of_memory(context, name);
        }
        cursor = skip_space(after, end);
        more = cursor < end && *cursor == ',';
        cursor = more ? skip_space(cursor + 1, end) : cursor;
    }
    bool closed = open && !more && cursor < end && *cursor == ']' && skip_space(cursor + 1, end) == end;
    if (!closed) {
        return dent_fail(context, DENT_ERROR_FORMAT, "%s: not a JSON array of true and false (byte %zu)", name,
                         (size_t)(cursor - bytes->data));
    }
    return DENT_OK;
}

static dent_status read_truth(struct query_storage *storage, struct read_scope *scope, const char *path,
                              enum file_kinds kinds, const char *query_name)
{
    struct file_bytes bytes;
    dent_context *context = scope->context;
    read_scope_count_file(scope, path);
    dent_status status = file_bytes_load(context, path, kinds, &bytes);
    if (status != DENT_OK) {
        return status;
    }
    storage->truth.count = 0;
    status = parse_truth(context, path, &bytes, &storage->truth);
    file_bytes_release(context, &bytes);
    if (status == DENT_OK && storage->truth.count != storage->list.count) {
        return dent_fail(context, DENT_ERROR_FORMAT, "%s: %zu answers for the %zu queries of %s", path,
                         storage->truth.count, storage->list.count, query_name);
    }
    return status;
}

/* The file's name without .csv and compression. */
static size_t stem_length(const char *name)
{
    size_t length = strlen(name);
    length -= compression_of_name(name) != COMPRESSION_NONE ? 3 : 0;
    return length >= 4 && strncmp(name + length - 4, ".csv", 4) == 0 ? length - 4 : length;
}

/* ../mma_bool/NAME_mma_bool.json[.xz] from the folder of the queries; false when there is no such file. */
static bool find_truth_beside(const char *path, char found[PATH_LIMIT])
{
    static const char *const endings[] = {".json", ".json.xz", ".json.gz"};
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    int folder = (int)(name - path), stem = (int)stem_length(name);
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        int length =
            snprintf(found, PATH_LIMIT, "%.*s../mma_bool/%.*s_mma_bool%s", folder, path, stem, name, endings[i]);
        if (length > 0 && length < PATH_LIMIT && file_exists(found)) {
            return true;
        }
    }
    return false;
}

/* ---- the calls --------------------------------------------------------------------------------------------------- */

static dent_status fill(struct query_storage *storage, struct read_scope *scope, const char *path,
                        const struct file_bytes *bytes, const dent_impact_queries_def *def, bool look_beside)
{
    char beside[PATH_LIMIT];
    dent_status status = read_rows(storage, scope->context, path, bytes);
    if (status == DENT_OK && def->truth) {
        status = read_truth(storage, scope, def->truth, FILES_AND_PIPES, path);
    } else if (status == DENT_OK && storage->truth.count == 0 && look_beside && find_truth_beside(path, beside)) {
        status = read_truth(storage, scope, beside, FILES_ONLY, path);
    }
    return status;
}

/* Takes over *bytes. */
static dent_status read_queries(struct read_scope *scope, const char *path, struct file_bytes *bytes,
                                const dent_impact_queries_def *def, dent_impact_kind kind, bool look_beside,
                                dent_impact_queries **queries)
{
    dent_context *context = scope->context;
    struct query_storage *storage = dent_allocate(context, 1, sizeof *storage);
    if (!storage) {
        file_bytes_release(context, bytes);
        return out_of_memory(context, path);
    }
    *storage = (struct query_storage){0};
    storage->queries.storage = storage;
    array_init(&storage->list, context, sizeof(dent_impact_query));
    array_init(&storage->truth, context, 1);
    dent_status status = fill(storage, scope, path, bytes, def, look_beside);
    file_bytes_release(context, bytes);
    if (status != DENT_OK) {
        dent_impact_queries_destroy(context, &storage->queries);
        return status;
    }
    storage->queries.kind = kind;
    storage->queries.count = (uint32_t)storage->list.count;
    storage->queries.queries = storage->list.data;
    storage->queries.truth = storage->truth.count > 0 ? storage->truth.data : NULL;
    *queries = &storage->queries;
    return DENT_OK;
}

static dent_status check_def(dent_context *context, const dent_impact_queries_def **def,
                             dent_impact_queries_def *defaults)
{
    *defaults = dent_impact_queries_def_default();
    *def = *def ? *def : defaults;
    if ((*def)->struct_size != sizeof **def) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT,
                         "the def was not made by dent_impact_queries_def_default()");
    }
    return DENT_OK;
}

dent_status dent_impact_queries_read(dent_context *context, const char *path, const dent_impact_queries_def *def,
                                     dent_impact_queries **queries)
{
    DENT_REQUIRE(context, context);
    DENT_REQUIRE(context, path);
    DENT_REQUIRE(context, queries);
    dent_impact_queries_def defaults;
    dent_impact_kind kind;
    struct file_bytes bytes;
    struct read_scope scope;
    TRY(check_def(context, &def, &defaults));
    TRY(find_kind(context, path, def, &kind));
    TRY(read_scope_open(&scope, context, path, def->memory_limit));
    read_scope_count_file(&scope, path);
    dent_status status = file_bytes_load(scope.context, path, FILES_AND_PIPES, &bytes);
    status = status == DENT_OK ? read_queries(&scope, path, &bytes, def, kind, true, queries) : status;
    return read_scope_end(&scope, status);
}

dent_status dent_impact_queries_read_memory(dent_context *context, const char *name, const void *bytes, size_t size,
                                            const dent_impact_queries_def *def, dent_impact_queries **queries)
{
    DENT_REQUIRE(context, context);
    DENT_REQUIRE(context, name);
    DENT_REQUIRE_ARRAY(context, size, bytes);
    DENT_REQUIRE(context, queries);
    dent_impact_queries_def defaults;
    dent_impact_kind kind;
    struct file_bytes file;
    struct read_scope scope;
    TRY(check_def(context, &def, &defaults));
    TRY(find_kind(context, name, def, &kind));
    TRY(read_scope_open(&scope, context, name, def->memory_limit));
    read_scope_count_bytes(&scope, size);
    dent_status status = file_bytes_from_memory(scope.context, name, bytes, size, &file);
    status = status == DENT_OK ? read_queries(&scope, name, &file, def, kind, false, queries) : status;
    return read_scope_end(&scope, status);
}
