/* TetGen: x.node holds the vertices, x.ele the tetrahedra; one record per line, '#' starts a comment.
 *
 *   x.node   count, 3, attributes per node, markers (0 or 1); then: number, x, y, z, attributes, marker
 *   x.ele    count, 4 or 10, attributes per cell; then: number, corners, attributes
 *
 * Numbers start at 0 or at 1, which the first node tells, and go on one by one. The first attribute of a cell is its
 * region, the group of the cell, if it is a whole number everywhere. A 10-node cell has its corners first. The order of
 * the corners is that of VTK: what TetGen writes is positive. */
#include "read_tetgen.h"

#include "io/bytes/file_bytes.h"
#include "reader_table.h"
#include "io/bytes/text_scanner.h"
#include "io/bytes/try_status.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { COLUMN_MAX = 1000000 };

/* Goes to the next line with something on it; FORMAT when the file ends before record `position`. */
static dent_status next_record(struct text_scanner *scanner, const char *what, int64_t position, int64_t count)
{
    if (scanner_at_end(scanner)) {
        return scanner_fail(scanner, DENT_ERROR_FORMAT, "the file ends after %lld of %lld %s", (long long)position,
                            (long long)count, what);
    }
    return DENT_OK;
}

/* A number of the header that may be left out. */
static dent_status optional_integer(struct text_scanner *scanner, const char *what, int64_t low, int64_t high,
                                    int64_t missing, int64_t *value)
{
    struct text_scanner ahead = *scanner;
    struct text_span word;
    if (!scanner_word_in_line(&ahead, &word)) {
        *value = missing;
        return DENT_OK;
    }
    return scanner_integer_in_line(scanner, what, low, high, value);
}

/* The other columns of a record, and to the next line. Returns how many of the announced ones there are, the last of
 * them in *last; more than that are counted. */
static uint64_t pass_columns(struct mesh_builder *builder, struct text_scanner *scanner, int64_t announced,
                             struct text_span *last)
{
    uint64_t line = scanner->line;
    int64_t found = 0;
    struct text_span word;
    while (scanner_word_in_line(scanner, &word)) {
        if (++found == announced + 1) {
            builder_note_line(builder, "records have more columns than announced, which are not read", line, word.text,
                              word.length);
        }
        *last = found <= announced ? word : *last;
    }
    scanner_skip_line(scanner);
    return (uint64_t)(found < announced ? found : announced);
}

/* What stands behind the last record. */
static void note_rest(struct mesh_builder *builder, struct text_scanner *scanner)
{
    struct text_span word;
    if (scanner_word(scanner, &word)) {
        builder_note_line(builder, "file goes on behind the records it announces, which is not read", scanner->line,
                          word.text, word.length);
    }
}

/* ---- nodes ----------------------------------------------------------------------------------------------------- */

struct node_header {
    int64_t count, dimension, attributes, markers;
};

static dent_status read_node_header(struct text_scanner *scanner, struct node_header *header)
{
    TRY(scanner_integer(scanner, "number of nodes", 0, INT64_MAX, &header->count));
    TRY(optional_integer(scanner, "dimension", 0, 1000, 3, &header->dimension));
    TRY(optional_integer(scanner, "number of attributes per node", 0, COLUMN_MAX, 0, &header->attributes));
    TRY(optional_integer(scanner, "number of markers per node", 0, 1, 0, &header->markers));
    if (header->dimension != 3) {
        return scanner_fail(scanner, DENT_ERROR_UNSUPPORTED, "the nodes have %lld coordinates; 3 are needed",
                            (long long)header->dimension);
    }
    scanner_skip_line(scanner);
    return DENT_OK;
}

static dent_status check_node_number(const struct text_scanner *scanner, int64_t number, int64_t first,
                                     int64_t position)
{
    if (first != 0 && first != 1) {
        return scanner_fail(scanner, DENT_ERROR_FORMAT, "the first node has number %lld; numbers start at 0 or at 1",
                            (long long)first);
    }
    int64_t expected = first + position;
    if (number >= first && number < expected) {
        return scanner_fail(scanner, DENT_ERROR_BAD_MESH, "node number %lld appears twice", (long long)number);
    }
    if (number != expected) {
        return scanner_fail(scanner, DENT_ERROR_BAD_MESH, "node number %lld where %lld should follow",
                            (long long)number, (long long)expected);
    }
    return DENT_OK;
}

static dent_status read_nodes(struct mesh_builder *builder, struct tetgen_file file, int64_t *first)
{
    struct text_scanner scanner;
    TRY(scanner_open(&scanner, builder->context, file.name, file.data, file.size, '#'));
    builder->file_name = file.name;
    struct node_header header;
    TRY(read_node_header(&scanner, &header));
    TRY(scanner_check_claim(&scanner, "nodes", (uint64_t)header.count, 8));
    TRY(builder_reserve_vertices(builder, (uint64_t)header.count));
    uint64_t marked = 0;
    for (int64_t i = 0; i < header.count; i++) {
        int64_t number;
        double x, y, z;
        TRY(next_record(&scanner, "nodes", i, header.count));
        TRY(scanner_integer_in_line(&scanner, "node number", INT64_MIN, INT64_MAX, &number));
        *first = i == 0 ? number : *first;
        TRY(check_node_number(&scanner, number, *first, i));
        TRY(scanner_double_in_line(&scanner, "x of the node", &x));
        TRY(scanner_double_in_line(&scanner, "y of the node", &y));
        TRY(scanner_double_in_line(&scanner, "z of the node", &z));
        TRY(builder_add_vertex(builder, x, y, z, scanner.line));
        struct text_span last;
        uint64_t more = pass_columns(builder, &scanner, header.attributes + header.markers, &last);
        marked += header.markers && more > 0 && !span_equal(last, "0");
    }
    note_rest(builder, &scanner);
    if (header.attributes > 0) {
        builder_note(builder, (uint64_t)header.count, "nodes have attributes or markers, which are not kept");
    } else if (marked > 0) {
        builder_note(builder, marked, "nodes have boundary markers, which are not kept");
    }
    return DENT_OK;
}

/* ---- cells ----------------------------------------------------------------------------------------------------- */

struct cell_header {
    int64_t count, corners, attributes;
};

static dent_status read_cell_header(struct text_scanner *scanner, struct cell_header *header)
{
    TRY(scanner_integer(scanner, "number of tetrahedra", 0, INT64_MAX, &header->count));
    TRY(optional_integer(scanner, "number of nodes per tetrahedron", 0, 1000, 4, &header->corners));
    TRY(optional_integer(scanner, "number of attributes per tetrahedron", 0, COLUMN_MAX, 0, &header->attributes));
    if (header->corners != 4 && header->corners != 10) {
        return scanner_fail(scanner, DENT_ERROR_UNSUPPORTED, "%lld nodes per element; tetrahedra have 4 or 10",
                            (long long)header->corners);
    }
    scanner_skip_line(scanner);
    return DENT_OK;
}

static dent_status read_corner(struct text_scanner *scanner, int64_t first, uint32_t node_count, uint32_t *corner)
{
    int64_t number;
    TRY(scanner_integer_in_line(scanner, "node of the tetrahedron", INT64_MIN, INT64_MAX, &number));
    if (number < first || number - first >= (int64_t)node_count) {
        return scanner_fail(scanner, DENT_ERROR_BAD_MESH,
                            "the tetrahedron names node %lld; there are %u, numbered from %lld", (long long)number,
                            node_count, (long long)first);
    }
    *corner = (uint32_t)(number - first);
    return DENT_OK;
}

/* A region number as group tag; false when it is not a whole number of 32 bits. */
static bool tag_of_region(double region, int32_t *tag)
{
    *tag = region >= -2147483648.0 && region <= 2147483647.0 ? (int32_t)region : 0;
    return (double)*tag == region;
}

static dent_status read_cell(struct mesh_builder *builder, struct text_scanner *scanner,
                             const struct cell_header *header, int64_t first, uint64_t *odd_regions)
{
    int64_t number;
    uint32_t corners[10];
    int32_t tag = 0;
    TRY(scanner_integer_in_line(scanner, "number of the tetrahedron", INT64_MIN, INT64_MAX, &number));
    for (int64_t k = 0; k < header->corners; k++) {
        TRY(read_corner(scanner, first, builder_vertex_count(builder), &corners[k]));
    }
    if (header->attributes > 0) {
        double region;
        TRY(scanner_double_in_line(scanner, "region of the tetrahedron", &region));
        *odd_regions += !tag_of_region(region, &tag);
    }
    TRY(builder_add_element(builder, ELEMENT_TETRAHEDRON, tag, corners, scanner->line));
    struct text_span last;
    pass_columns(builder, scanner, header->attributes > 0 ? header->attributes - 1 : 0, &last);
    return DENT_OK;
}

static dent_status read_cells(struct mesh_builder *builder, struct tetgen_file file, int64_t first)
{
    struct text_scanner scanner;
    TRY(scanner_open(&scanner, builder->context, file.name, file.data, file.size, '#'));
    builder->file_name = file.name;
    struct cell_header header;
    TRY(read_cell_header(&scanner, &header));
    TRY(scanner_check_claim(&scanner, "tetrahedra", (uint64_t)header.count, 2 * (uint64_t)header.corners + 2));
    TRY(builder_reserve_elements(builder, ELEMENT_TETRAHEDRON, (uint64_t)header.count));
    uint64_t odd_regions = 0;
    for (int64_t i = 0; i < header.count; i++) {
        TRY(next_record(&scanner, "tetrahedra", i, header.count));
        TRY(read_cell(builder, &scanner, &header, first, &odd_regions));
    }
    note_rest(builder, &scanner);
    if (header.corners == 10 && header.count > 0) {
        builder_note(builder, (uint64_t)header.count, NOTICE_SECOND_ORDER);
    }
    if (odd_regions > 0) {
        /* Some other quantity, not a region: a body per value would be nonsense. */
        struct dynamic_array *tags = &builder->elements[3].tags;
        memset(tags->data, 0, tags->count * tags->element_size);
        builder_note(builder, odd_regions,
                     "tetrahedra have an attribute that is not a whole number: attributes are not used as regions");
    }
    return DENT_OK;
}

dent_status tetgen_read_pair(struct mesh_builder *builder, struct tetgen_file nodes, struct tetgen_file cells)
{
    const char *name = builder->file_name;
    int64_t first = 0;
    dent_status status = read_nodes(builder, nodes, &first);
    if (status == DENT_OK) {
        status = read_cells(builder, cells, first);
    }
    builder->file_name = name;
    return status;
}

/* ---- the two files --------------------------------------------------------------------------------------------- */

static const char *const packings[] = {"", ".xz", ".gz"};
enum { PACKING_COUNT = 3 };

/* "stem" + ending + packing into buffer, which has room for both endings. */
static void compose(char *buffer, const char *stem, size_t stem_length, const char *ending, const char *packing)
{
    memcpy(buffer, stem, stem_length);
    strcpy(buffer + stem_length, ending);
    strcat(buffer, packing);
}

/* Length of the stem when the name ends in .node or .ele (packed or not), else of the whole name. */
static size_t stem_length_of(const char *path)
{
    const struct mesh_format *format = mesh_format_of_name(path);
    size_t length = strlen(path);
    if (format && format->read == read_tetgen) {
        length -= compression_of_name(path) == COMPRESSION_NONE ? 0 : 3;
        length -= strlen(format->ending);
    }
    return length;
}

/* The name of one of the pair: the one given, or the first that exists. False: there is none, and the buffer has the
 * plain name. */
static bool find_file(char *buffer, const char *path, size_t stem_length, const char *ending)
{
    size_t ending_length = strlen(ending);
    if (strlen(path) > stem_length && strncasecmp(path + stem_length, ending, ending_length) == 0) {
        strcpy(buffer, path);
        return true; /* if it is missing, opening it says so */
    }
    for (int i = 0; i < PACKING_COUNT; i++) {
        compose(buffer, path, stem_length, ending, packings[i]);
        if (file_exists(buffer)) {
            return true;
        }
    }
    compose(buffer, path, stem_length, ending, "");
    return false;
}

enum { ENDINGS_ROOM = 16, PATH_ROOM = 4096 };

bool tetgen_pair_exists(const char *stem)
{
    char buffer[PATH_ROOM + ENDINGS_ROOM];
    size_t length = strlen(stem);
    return length < PATH_ROOM && (find_file(buffer, stem, length, ".node") || find_file(buffer, stem, length, ".ele"));
}

static dent_status load_one(struct read_request *request, char *buffer, const char *ending, struct file_bytes *bytes)
{
    if (!find_file(buffer, request->path, stem_length_of(request->path), ending)) {
        return dent_fail(request->context, DENT_ERROR_FILE, "%s: TetGen meshes are pairs, and %s is missing",
                         request->path, buffer);
    }
    read_scope_count_file(request->scope, buffer);
    return file_bytes_load(request->context, buffer, FILES_ONLY, bytes);
}

static dent_status load_and_read(struct read_request *request, char *node_name, char *cell_name)
{
    struct file_bytes nodes = {0};
    struct file_bytes cells = {0};
    dent_status status = load_one(request, node_name, ".node", &nodes);
    if (status == DENT_OK) {
        status = load_one(request, cell_name, ".ele", &cells);
    }
    if (status == DENT_OK) {
        status = tetgen_read_pair(request->builder, (struct tetgen_file){node_name, nodes.data, nodes.size},
                                  (struct tetgen_file){cell_name, cells.data, cells.size});
    }
    file_bytes_release(request->context, &nodes);
    file_bytes_release(request->context, &cells);
    return status;
}

dent_status read_tetgen(struct read_request *request)
{
    if (!request->path) {
        return dent_fail(request->context, DENT_ERROR_UNSUPPORTED,
                         "%s: TetGen meshes are two files and cannot be read from one block of memory", request->name);
    }
    size_t size = strlen(request->path) + ENDINGS_ROOM;
    char *names = dent_allocate(request->context, size, 2);
    if (!names) {
        return dent_fail(request->context, DENT_ERROR_OUT_OF_MEMORY, "%s: no memory to read it", request->name);
    }
    dent_status status = load_and_read(request, names, names + size);
    dent_release(request->context, names, size, 2);
    snprintf(request->format, sizeof request->format, "tetgen");
    return status;
}
