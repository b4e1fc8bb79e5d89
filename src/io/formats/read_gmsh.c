/* Gmsh .msh, versions 1, 2.0 to 2.2 and 4.1, text and binary in both byte orders.
 *
 * A file is a list of sections "$Title … $EndTitle". Nodes have numbers of their own, which elements use. What an
 * element belongs to — its physical group — stands with it in versions 1 and 2; in 4.1 it belongs to an entity, and
 * $Entities tells the groups of that. Sections that say nothing about the mesh (periodic links, data on nodes, …) are
 * passed over. Gmsh's corner orders are those of dent (VTK's, the wedge with its first triangle turning towards the
 * second); higher-order nodes follow the corners. Format: Gmsh reference manual, chapter "Gmsh file formats". */
#include "gmsh_input.h"
#include "io/model/node_tags.h"
#include "io/bytes/try_status.h"

#include <stdio.h>
#include <string.h>

struct gmsh_reader {
    struct gmsh_input input;
    struct read_request *request;
    struct mesh_builder *builder;
    struct node_tags tags;
    bool has_nodes;
    int major;                     /* 1, 2 or 4 */
    struct dynamic_array entities; /* struct number_entry: (dimension, tag) to physical tag */
};

#define NOTICE_SEVERAL_GROUPS "entities belong to several physical groups; the first of each is used"

/* ---- element types --------------------------------------------------------------------------------------------- */

struct gmsh_type {
    uint8_t kind;  /* enum element_kind */
    uint8_t nodes; /* 0: not known */
};

static const struct gmsh_type gmsh_types[] = {
    [1] = {ELEMENT_LINE, 2},          [2] = {ELEMENT_TRIANGLE, 3},      [3] = {ELEMENT_QUAD, 4},
    [4] = {ELEMENT_TETRAHEDRON, 4},   [5] = {ELEMENT_HEXAHEDRON, 8},    [6] = {ELEMENT_WEDGE, 6},
    [7] = {ELEMENT_PYRAMID, 5},       [8] = {ELEMENT_LINE, 3},          [9] = {ELEMENT_TRIANGLE, 6},
    [10] = {ELEMENT_QUAD, 9},         [11] = {ELEMENT_TETRAHEDRON, 10}, [12] = {ELEMENT_HEXAHEDRON, 27},
    [13] = {ELEMENT_WEDGE, 18},       [14] = {ELEMENT_PYRAMID, 14},     [15] = {ELEMENT_POINT, 1},
    [16] = {ELEMENT_QUAD, 8},         [17] = {ELEMENT_HEXAHEDRON, 20},  [18] = {ELEMENT_WEDGE, 15},
    [19] = {ELEMENT_PYRAMID, 13},     [20] = {ELEMENT_TRIANGLE, 9},     [21] = {ELEMENT_TRIANGLE, 10},
    [22] = {ELEMENT_TRIANGLE, 12},    [23] = {ELEMENT_TRIANGLE, 15},    [24] = {ELEMENT_TRIANGLE, 15},
    [25] = {ELEMENT_TRIANGLE, 21},    [26] = {ELEMENT_LINE, 4},         [27] = {ELEMENT_LINE, 5},
    [28] = {ELEMENT_LINE, 6},         [29] = {ELEMENT_TETRAHEDRON, 20}, [30] = {ELEMENT_TETRAHEDRON, 35},
    [31] = {ELEMENT_TETRAHEDRON, 56}, [36] = {ELEMENT_QUAD, 16},        [37] = {ELEMENT_QUAD, 25},
    [38] = {ELEMENT_QUAD, 36},        [92] = {ELEMENT_HEXAHEDRON, 64},  [93] = {ELEMENT_HEXAHEDRON, 125},
};
enum { GMSH_TYPE_COUNT = sizeof gmsh_types / sizeof gmsh_types[0], CORNERS_MAX = 8 };

static dent_status find_type(const struct gmsh_reader *reader, int64_t number, struct gmsh_type *type)
{
    if (number < 0 || number >= GMSH_TYPE_COUNT || gmsh_types[number].nodes == 0) {
        return gmsh_fail(&reader->input, DENT_ERROR_UNSUPPORTED, "element type %lld is not known", (long long)number);
    }
    *type = gmsh_types[number];
    return DENT_OK;
}

/* ---- pieces that the versions share ---------------------------------------------------------------------------- */

static dent_status no_memory(const struct gmsh_reader *reader)
{
    return dent_fail(reader->request->context, DENT_ERROR_OUT_OF_MEMORY, "%s: no memory for its mesh",
                     reader->request->name);
}

static dent_status start_nodes(struct gmsh_reader *reader, uint64_t count)
{
    if (reader->has_nodes) {
        return gmsh_fail(&reader->input, DENT_ERROR_FORMAT, "a second list of nodes");
    }
    reader->has_nodes = true;
    TRY(builder_reserve_vertices(reader->builder, count));
    return node_tags_reserve(&reader->tags, (size_t)count) ? DENT_OK : no_memory(reader);
}

static dent_status add_tag(struct gmsh_reader *reader, int64_t tag)
{
    if (tag < 0) {
        return gmsh_fail(&reader->input, DENT_ERROR_FORMAT, "node number %lld is negative", (long long)tag);
    }
    return node_tags_add(&reader->tags, tag) ? DENT_OK : no_memory(reader);
}

static dent_status read_position(struct gmsh_reader *reader)
{
    double x, y, z;
    TRY(gmsh_number(&reader->input, "x of the node", &x));
    TRY(gmsh_number(&reader->input, "y of the node", &y));
    TRY(gmsh_number(&reader->input, "z of the node", &z));
    return builder_add_vertex(reader->builder, x, y, z, gmsh_line(&reader->input));
}

static dent_status finish_nodes(struct gmsh_reader *reader)
{
    int64_t duplicate = 0;
    dent_status status = node_tags_finish(&reader->tags, &duplicate);
    if (status == DENT_ERROR_BAD_MESH) {
        return gmsh_fail(&reader->input, status, "node number %lld appears twice", (long long)duplicate);
    }
    return status == DENT_OK ? DENT_OK : no_memory(reader);
}

/* The nodes of one element, its corners kept. In versions 1 and 2 node numbers are 32-bit integers, in 4.1 sizes. */
static dent_status read_element_nodes(struct gmsh_reader *reader, struct gmsh_type type, int32_t tag)
{
    uint32_t corners[CORNERS_MAX];
    uint32_t corner_count = element_kind_corners(type.kind);
    for (uint32_t k = 0; k < type.nodes; k++) {
        int64_t node;
        if (reader->major == 4) {
            uint64_t size;
            TRY(gmsh_size(&reader->input, "node of the element", &size));
            node = (int64_t)size;
        } else {
            TRY(gmsh_integer(&reader->input, "node of the element", &node));
        }
        uint32_t position;
        if (!node_tags_find(&reader->tags, node, &position)) {
            return gmsh_fail(&reader->input, DENT_ERROR_BAD_MESH, "%s names node %lld, which is not among the %u nodes",
                             element_kind_name(type.kind), (long long)node, reader->tags.count);
        }
        if (k < corner_count) {
            corners[k] = position;
        }
    }
    if (type.nodes > corner_count) {
        builder_note(reader->builder, 1, NOTICE_SECOND_ORDER);
    }
    return builder_add_element(reader->builder, type.kind, tag, corners, gmsh_line(&reader->input));
}

static dent_status start_elements(const struct gmsh_reader *reader)
{
    if (!reader->has_nodes) {
        return gmsh_fail(&reader->input, DENT_ERROR_FORMAT, "elements come before the nodes");
    }
    return DENT_OK;
}

/* A physical tag as group: its sign only tells the direction in which an entity is used. */
static dent_status group_of_physical(const struct gmsh_reader *reader, int64_t physical, int32_t *group)
{
    if (physical < -INT32_MAX || physical > INT32_MAX) {
        return gmsh_fail(&reader->input, DENT_ERROR_FORMAT, "physical group %lld does not fit in 32 bits",
                         (long long)physical);
    }
    *group = (int32_t)(physical < 0 ? -physical : physical);
    return DENT_OK;
}

/* ---- versions 1 and 2 ------------------------------------------------------------------------------------------ */

static dent_status read_nodes_2(struct gmsh_reader *reader)
{
    uint64_t count;
    TRY(gmsh_count_line(&reader->input, "number of nodes", &count));
    gmsh_begin_data(&reader->input);
    TRY(gmsh_check_claim(&reader->input, "nodes", count, 8, 28));
    TRY(start_nodes(reader, count));
    for (uint64_t i = 0; i < count; i++) {
        int64_t tag;
        TRY(gmsh_integer(&reader->input, "node number", &tag));
        TRY(add_tag(reader, tag));
        TRY(read_position(reader));
    }
    TRY(gmsh_end_data(&reader->input, reader->major == 1 ? "$ENDNOD" : "$EndNodes"));
    return finish_nodes(reader);
}

/* number, type, physical, elementary, node count, nodes */
static dent_status read_element_1(struct gmsh_reader *reader)
{
    int64_t number, type_number, physical, elementary, nodes;
    struct gmsh_type type;
    int32_t group = 0;
    TRY(gmsh_integer(&reader->input, "element number", &number));
    TRY(gmsh_integer(&reader->input, "element type", &type_number));
    TRY(gmsh_integer(&reader->input, "physical group", &physical));
    TRY(gmsh_integer(&reader->input, "elementary entity", &elementary));
    TRY(gmsh_integer(&reader->input, "number of nodes of the element", &nodes));
    TRY(find_type(reader, type_number, &type));
    if (nodes != type.nodes) {
        return gmsh_fail(&reader->input, DENT_ERROR_FORMAT, "an element of type %lld has %lld nodes instead of %u",
                         (long long)type_number, (long long)nodes, type.nodes);
    }
    TRY(group_of_physical(reader, physical, &group));
    return read_element_nodes(reader, type, group);
}

/* The tags and nodes of an element of version 2, behind its number. */
static dent_status read_element_2(struct gmsh_reader *reader, struct gmsh_type type, int64_t tag_count)
{
    int32_t group = 0;
    for (int64_t k = 0; k < tag_count; k++) {
        int64_t tag;
        TRY(gmsh_integer(&reader->input, "tag of the element", &tag));
        if (k == 0) {
            TRY(group_of_physical(reader, tag, &group));
        }
    }
    return read_element_nodes(reader, type, group);
}

static dent_status check_tag_count(const struct gmsh_reader *reader, int64_t tag_count)
{
    if (tag_count < 0 || tag_count > 1000000) {
        return gmsh_fail(&reader->input, DENT_ERROR_FORMAT, "an element has %lld tags", (long long)tag_count);
    }
    return DENT_OK;
}

static dent_status read_text_element_2(struct gmsh_reader *reader)
{
    int64_t number, type_number, tag_count;
    struct gmsh_type type;
    TRY(gmsh_integer(&reader->input, "element number", &number));
    TRY(gmsh_integer(&reader->input, "element type", &type_number));
    TRY(gmsh_integer(&reader->input, "number of tags", &tag_count));
    TRY(find_type(reader, type_number, &type));
    TRY(check_tag_count(reader, tag_count));
    return read_element_2(reader, type, tag_count);
}

/* A run of elements with one header; at most `most` of them. */
static dent_status read_binary_block_2(struct gmsh_reader *reader, uint64_t most, uint64_t *count)
{
    int64_t type_number, claimed, tag_count;
    struct gmsh_type type;
    TRY(gmsh_integer(&reader->input, "element type", &type_number));
    TRY(gmsh_integer(&reader->input, "number of elements of one kind", &claimed));
    TRY(gmsh_integer(&reader->input, "number of tags", &tag_count));
    TRY(find_type(reader, type_number, &type));
    TRY(check_tag_count(reader, tag_count));
    if (claimed <= 0 || (uint64_t)claimed > most) {
        return gmsh_fail(&reader->input, DENT_ERROR_FORMAT, "%lld elements of one kind where at most %llu can follow",
                         (long long)claimed, (unsigned long long)most);
    }
    TRY(gmsh_check_claim(&reader->input, "elements", (uint64_t)claimed, 1, 4 * (1 + (uint64_t)tag_count + type.nodes)));
    TRY(builder_reserve_elements(reader->builder, type.kind, (uint64_t)claimed));
    for (int64_t i = 0; i < claimed; i++) {
        int64_t number;
        TRY(gmsh_integer(&reader->input, "element number", &number));
        TRY(read_element_2(reader, type, tag_count));
    }
    *count = (uint64_t)claimed;
    return DENT_OK;
}

static dent_status read_elements_2(struct gmsh_reader *reader)
{
    uint64_t count;
    TRY(start_elements(reader));
    TRY(gmsh_count_line(&reader->input, "number of elements", &count));
    gmsh_begin_data(&reader->input);
    TRY(gmsh_check_claim(&reader->input, "elements", count, 8, 8));
    for (uint64_t done = 0; done < count;) {
        uint64_t more = 1;
        if (reader->input.binary) {
            TRY(read_binary_block_2(reader, count - done, &more));
        } else if (reader->major == 1) {
            TRY(read_element_1(reader));
        } else {
            TRY(read_text_element_2(reader));
        }
        done += more;
    }
    return gmsh_end_data(&reader->input, reader->major == 1 ? "$ENDELM" : "$EndElements");
}

/* ---- names ----------------------------------------------------------------------------------------------------- */

/* [dimension] tag "name", one per line, text also in binary files. Version 2.0 has no dimension: then it is a name for
 * all. */
static dent_status read_physical_name(struct gmsh_reader *reader)
{
    struct text_scanner *scanner = &reader->input.scanner;
    struct text_span rest;
    int64_t numbers[2];
    int count = 0;
    if (scanner_at_end(scanner)) {
        return scanner_fail(scanner, DENT_ERROR_FORMAT, "the file ends in the middle of the physical names");
    }
    while (count < 2 && scanner_bytes_left(scanner) > 0 && *scanner->cursor != '"') {
        TRY(scanner_integer_in_line(scanner, "dimension or number of a physical group", INT32_MIN, INT32_MAX,
                                    &numbers[count++]));
        while (scanner_bytes_left(scanner) > 0 && (*scanner->cursor == ' ' || *scanner->cursor == '\t')) {
            scanner->cursor++;
        }
    }
    scanner_line(scanner, &rest);
    if (count == 0 || rest.length < 2 || rest.text[0] != '"' || rest.text[rest.length - 1] != '"') {
        scanner->line--;
        return scanner_fail(scanner, DENT_ERROR_FORMAT, "'%.*s' where a name in quotes should be",
                            SPAN_ARGUMENTS(rest));
    }
    if (count == 2 && (numbers[0] < 0 || numbers[0] > 3)) {
        scanner->line--;
        return scanner_fail(scanner, DENT_ERROR_FORMAT, "a physical group of dimension %lld; 0 to 3 was expected",
                            (long long)numbers[0]);
    }
    for (uint32_t dimension = 0; dimension <= 3; dimension++) {
        if (count == 1 || numbers[0] == (int64_t)dimension) {
            TRY(builder_name_group(reader->builder, dimension, (int32_t)numbers[count - 1], rest.text + 1,
                                   rest.length - 2));
        }
    }
    return DENT_OK;
}

static dent_status read_physical_names(struct gmsh_reader *reader)
{
    struct text_scanner *scanner = &reader->input.scanner;
    int64_t count;
    TRY(scanner_integer(scanner, "number of physical names", 0, INT64_MAX, &count));
    TRY(scanner_check_claim(scanner, "physical names", (uint64_t)count, 5));
    for (int64_t i = 0; i < count; i++) {
        TRY(read_physical_name(reader));
    }
    reader->input.bytes.cursor = scanner->cursor;
    return gmsh_end_data(&reader->input, "$EndPhysicalNames");
}

/* ---- version 4.1 ----------------------------------------------------------------------------------------------- */

static int64_t entity_key(int64_t dimension, int64_t tag)
{
    return (int64_t)((uint64_t)dimension << 32 | (uint32_t)tag);
}

/* A list of integers of which only the first matters; returns it, or 0. */
static dent_status read_integer_list(struct gmsh_reader *reader, const char *what, int64_t *first, uint64_t *count)
{
    TRY(gmsh_size(&reader->input, what, count));
    TRY(gmsh_check_claim(&reader->input, what, *count, 2, 4));
    *first = 0;
    for (uint64_t i = 0; i < *count; i++) {
        int64_t value;
        TRY(gmsh_integer(&reader->input, what, &value));
        *first = i == 0 ? value : *first;
    }
    return DENT_OK;
}

/* tag, [parent, partitions,] point or box, physical tags, [bounding entities] */
static dent_status read_entity(struct gmsh_reader *reader, uint32_t dimension, bool partitioned)
{
    int64_t tag, ignored, physical;
    uint64_t count;
    double number;
    TRY(gmsh_integer(&reader->input, "tag of an entity", &tag));
    if (partitioned) {
        TRY(gmsh_integer(&reader->input, "dimension of the parent", &ignored));
        TRY(gmsh_integer(&reader->input, "tag of the parent", &ignored));
        TRY(read_integer_list(reader, "partitions", &ignored, &count));
    }
    for (int i = 0; i < (dimension == 0 ? 3 : 6); i++) {
        TRY(gmsh_number(&reader->input, "bounds of an entity", &number));
    }
    TRY(read_integer_list(reader, "physical tags", &physical, &count));
    if (count > 1) {
        builder_note(reader->builder, 1, NOTICE_SEVERAL_GROUPS);
    }
    int32_t group = 0;
    TRY(group_of_physical(reader, physical, &group));
    struct number_entry entry = {.key = entity_key(dimension, tag), .value = (uint32_t)group};
    if (!array_push(&reader->entities, &entry)) {
        return no_memory(reader);
    }
    return dimension == 0 ? DENT_OK : read_integer_list(reader, "bounding entities", &ignored, &count);
}

static dent_status read_entities(struct gmsh_reader *reader, bool partitioned)
{
    gmsh_begin_data(&reader->input);
    uint64_t counts[4];
    if (partitioned) {
        uint64_t partitions, ghosts;
        int64_t ignored;
        TRY(gmsh_size(&reader->input, "number of partitions", &partitions));
        TRY(gmsh_size(&reader->input, "number of ghost entities", &ghosts));
        TRY(gmsh_check_claim(&reader->input, "ghost entities", ghosts, 4, 8));
        for (uint64_t i = 0; i < 2 * ghosts; i++) {
            TRY(gmsh_integer(&reader->input, "ghost entity", &ignored));
        }
    }
    for (int d = 0; d < 4; d++) {
        TRY(gmsh_size(&reader->input, "number of entities", &counts[d]));
    }
    for (uint32_t d = 0; d < 4; d++) {
        TRY(gmsh_check_claim(&reader->input, "entities", counts[d], 8, 32));
        for (uint64_t i = 0; i < counts[d]; i++) {
            TRY(read_entity(reader, d, partitioned));
        }
    }
    TRY(gmsh_end_data(&reader->input, partitioned ? "$EndPartitionedEntities" : "$EndEntities"));
    bool sorted = number_index_sort(reader->request->context, reader->entities.data, reader->entities.count);
    return sorted ? DENT_OK : no_memory(reader);
}

/* A block of nodes: where they are, then all tags, then all positions. */
static dent_status read_node_block_4(struct gmsh_reader *reader, uint64_t most, uint64_t *count)
{
    int64_t dimension, entity, parametric;
    TRY(gmsh_integer(&reader->input, "dimension of an entity", &dimension));
    TRY(gmsh_integer(&reader->input, "tag of an entity", &entity));
    TRY(gmsh_integer(&reader->input, "parametric flag", &parametric));
    TRY(gmsh_size(&reader->input, "number of nodes in the block", count));
    if (dimension < 0 || dimension > 3 || parametric < 0 || parametric > 1) {
        return gmsh_fail(&reader->input, DENT_ERROR_FORMAT,
                         "a block of nodes with dimension %lld and parametric flag %lld", (long long)dimension,
                         (long long)parametric);
    }
    if (*count > most) {
        return gmsh_fail(&reader->input, DENT_ERROR_FORMAT, "a block has %llu nodes where at most %llu can follow",
                         (unsigned long long)*count, (unsigned long long)most);
    }
    TRY(gmsh_check_claim(&reader->input, "nodes", *count, 8, reader->input.size_bytes + 24));
    for (uint64_t i = 0; i < *count; i++) {
        uint64_t tag;
        TRY(gmsh_size(&reader->input, "node number", &tag));
        TRY(add_tag(reader, (int64_t)tag));
    }
    for (uint64_t i = 0; i < *count; i++) {
        double parameter;
        TRY(read_position(reader));
        for (int64_t k = 0; parametric && k < dimension; k++) {
            TRY(gmsh_number(&reader->input, "parameter of the node", &parameter));
        }
    }
    return DENT_OK;
}

/* The four numbers that open the lists of nodes and of elements. */
static dent_status read_list_header_4(struct gmsh_reader *reader, const char *what, uint64_t *blocks, uint64_t *count)
{
    uint64_t lowest, highest;
    gmsh_begin_data(&reader->input);
    TRY(gmsh_size(&reader->input, "number of blocks", blocks));
    TRY(gmsh_size(&reader->input, what, count));
    TRY(gmsh_size(&reader->input, "smallest number", &lowest));
    TRY(gmsh_size(&reader->input, "largest number", &highest));
    return gmsh_check_claim(&reader->input, "blocks", *blocks, 8, 12 + reader->input.size_bytes);
}

static dent_status check_total_4(const struct gmsh_reader *reader, uint64_t done, uint64_t count, const char *what)
{
    if (done != count) {
        return gmsh_fail(&reader->input, DENT_ERROR_FORMAT, "the blocks have %llu %s in all, but %llu were announced",
                         (unsigned long long)done, what, (unsigned long long)count);
    }
    return DENT_OK;
}

static dent_status read_nodes_4(struct gmsh_reader *reader)
{
    uint64_t blocks, count;
    TRY(read_list_header_4(reader, "number of nodes", &blocks, &count));
    TRY(gmsh_check_claim(&reader->input, "nodes", count, 8, reader->input.size_bytes + 24));
    TRY(start_nodes(reader, count));
    uint64_t done = 0;
    for (uint64_t b = 0; b < blocks; b++) {
        uint64_t more;
        TRY(read_node_block_4(reader, count - done, &more));
        done += more;
    }
    TRY(check_total_4(reader, done, count, "nodes"));
    TRY(gmsh_end_data(&reader->input, "$EndNodes"));
    return finish_nodes(reader);
}

static dent_status read_element_block_4(struct gmsh_reader *reader, uint64_t most, uint64_t *count)
{
    int64_t dimension, entity, type_number;
    struct gmsh_type type;
    TRY(gmsh_integer(&reader->input, "dimension of an entity", &dimension));
    TRY(gmsh_integer(&reader->input, "tag of an entity", &entity));
    TRY(gmsh_integer(&reader->input, "element type", &type_number));
    TRY(gmsh_size(&reader->input, "number of elements in the block", count));
    TRY(find_type(reader, type_number, &type));
    if (*count > most) {
        return gmsh_fail(&reader->input, DENT_ERROR_FORMAT, "a block has %llu elements where at most %llu can follow",
                         (unsigned long long)*count, (unsigned long long)most);
    }
    uint64_t words = 1 + (uint64_t)type.nodes;
    TRY(gmsh_check_claim(&reader->input, "elements", *count, 2 * words, reader->input.size_bytes * words));
    TRY(builder_reserve_elements(reader->builder, type.kind, *count));
    const struct number_entry *entry =
        number_index_find(reader->entities.data, reader->entities.count, entity_key(dimension, entity));
    int32_t group = entry ? (int32_t)entry->value : 0;
    for (uint64_t i = 0; i < *count; i++) {
        uint64_t number;
        TRY(gmsh_size(&reader->input, "element number", &number));
        TRY(read_element_nodes(reader, type, group));
    }
    return DENT_OK;
}

static dent_status read_elements_4(struct gmsh_reader *reader)
{
    uint64_t blocks, count;
    TRY(start_elements(reader));
    TRY(read_list_header_4(reader, "number of elements", &blocks, &count));
    TRY(gmsh_check_claim(&reader->input, "elements", count, 4, 2 * reader->input.size_bytes));
    uint64_t done = 0;
    for (uint64_t b = 0; b < blocks; b++) {
        uint64_t more;
        TRY(read_element_block_4(reader, count - done, &more));
        done += more;
    }
    TRY(check_total_4(reader, done, count, "elements"));
    return gmsh_end_data(&reader->input, "$EndElements");
}

/* ---- the whole file -------------------------------------------------------------------------------------------- */

/* The number 1 behind the format line tells the byte order. */
static dent_status read_byte_order(struct gmsh_reader *reader)
{
    struct gmsh_input *input = &reader->input;
    input->binary = true;
    gmsh_begin_data(input);
    input->bytes.big_endian = false;
    uint32_t one = byte_reader_u32(&input->bytes);
    if (one != 1 && one != 0x01000000) {
        return gmsh_fail(input, DENT_ERROR_FORMAT,
                         "the file is announced as binary, but the number 1 that gives its byte order is missing");
    }
    input->bytes.big_endian = one != 1;
    return DENT_OK;
}

static dent_status read_mesh_format(struct gmsh_reader *reader)
{
    struct text_scanner *scanner = &reader->input.scanner;
    struct text_span version;
    int64_t is_binary, data_size;
    if (!scanner_word(scanner, &version)) {
        return scanner_fail(scanner, DENT_ERROR_FORMAT, "the file ends where the format version should be");
    }
    if (span_equal(version, "2") || span_equal(version, "2.0") || span_equal(version, "2.1") ||
        span_equal(version, "2.2")) {
        reader->major = 2;
    } else if (span_equal(version, "4.1")) {
        reader->major = 4;
    } else {
        return scanner_fail(scanner, DENT_ERROR_UNSUPPORTED,
                            "Gmsh format version '%.*s'; versions 1, 2.2 and 4.1 are read", SPAN_ARGUMENTS(version));
    }
    TRY(scanner_integer(scanner, "file type", 0, 1, &is_binary));
    TRY(scanner_integer(scanner, "data size", 1, 16, &data_size));
    if (is_binary && data_size != 8 && !(reader->major == 4 && data_size == 4)) {
        return scanner_fail(scanner, DENT_ERROR_UNSUPPORTED, "binary data of size %lld", (long long)data_size);
    }
    reader->input.size_bytes = (size_t)data_size;
    if (is_binary) {
        TRY(read_byte_order(reader));
    }
    snprintf(reader->request->format, sizeof reader->request->format, "gmsh %.*s %s", (int)version.length, version.text,
             is_binary ? "binary" : "ascii");
    return gmsh_end_data(&reader->input, "$EndMeshFormat");
}

/* Sections of Gmsh that say nothing about the mesh dent reads. */
static bool is_known_section(struct text_span title)
{
    static const char *const titles[] = {
        "$Entities",      "$PartitionedEntities", "$Periodic", "$NodeData",        "$ElementData", "$ElementNodeData",
        "$GhostElements", "$InterpolationScheme", "$Comments", "$Parametrizations"};
    for (size_t i = 0; i < sizeof titles / sizeof titles[0]; i++) {
        if (span_equal(title, titles[i])) {
            return true;
        }
    }
    return false;
}

static dent_status read_section(struct gmsh_reader *reader, struct text_span title)
{
    if (span_equal(title, "$MeshFormat")) {
        return reader->major ? gmsh_fail(&reader->input, DENT_ERROR_FORMAT, "a second $MeshFormat")
                             : read_mesh_format(reader);
    }
    if ((span_equal(title, "$NOD") || span_equal(title, "$ELM")) && reader->major <= 1) {
        reader->major = 1;
        snprintf(reader->request->format, sizeof reader->request->format, "gmsh 1 ascii");
        return span_equal(title, "$NOD") ? read_nodes_2(reader) : read_elements_2(reader);
    }
    if (span_equal(title, "$PhysicalNames")) {
        return read_physical_names(reader);
    }
    bool is_mesh = span_equal(title, "$Nodes") || span_equal(title, "$Elements");
    if (is_mesh && reader->major == 2) {
        return span_equal(title, "$Nodes") ? read_nodes_2(reader) : read_elements_2(reader);
    }
    if (is_mesh && reader->major == 4) {
        return span_equal(title, "$Nodes") ? read_nodes_4(reader) : read_elements_4(reader);
    }
    if (is_mesh) {
        return gmsh_fail(&reader->input, DENT_ERROR_FORMAT, "%.*s without $MeshFormat before it",
                         SPAN_ARGUMENTS(title));
    }
    if (reader->major == 4 && (span_equal(title, "$Entities") || span_equal(title, "$PartitionedEntities"))) {
        return read_entities(reader, span_equal(title, "$PartitionedEntities"));
    }
    if (!is_known_section(title)) {
        builder_note_line(reader->builder, "sections are not Gmsh's and were skipped", gmsh_line(&reader->input),
                          title.text, title.length);
    }
    return gmsh_skip_section(&reader->input, title);
}

static dent_status read_sections(struct gmsh_reader *reader)
{
    struct text_span title;
    while (scanner_word(&reader->input.scanner, &title)) {
        if (title.text[0] != '$' || title.length < 2) {
            const char *hint = reader->major ? "" : ": not a Gmsh file";
            return gmsh_fail(&reader->input, DENT_ERROR_FORMAT, "'%.*s' where a section title should be%s",
                             SPAN_ARGUMENTS(title), hint);
        }
        TRY(read_section(reader, title));
    }
    if (!reader->has_nodes) {
        return gmsh_fail(&reader->input, DENT_ERROR_FORMAT, "the file ends without any nodes");
    }
    return DENT_OK;
}

dent_status read_gmsh(struct read_request *request)
{
    struct gmsh_reader reader = {.request = request, .builder = request->builder};
    TRY(gmsh_input_init(&reader.input, request));
    node_tags_init(&reader.tags, request->context);
    array_init(&reader.entities, request->context, sizeof(struct number_entry));
    dent_status status = read_sections(&reader);
    node_tags_release(&reader.tags);
    array_destroy(&reader.entities);
    return status;
}
