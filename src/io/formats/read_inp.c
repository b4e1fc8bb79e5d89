/* Abaqus input files (.inp): nodes, elements and sets; everything about materials, steps and output is passed over.
 *
 * Numbers of nodes and elements belong to a *space*: the file itself, a *PART, or an *INSTANCE with a mesh of its own.
 * Three walks over the text read the nodes of all spaces, then the elements, then the sets, so that their order does
 * not matter.
 *
 * The group of an element is the set that its *ELEMENT line names. Elements without one take the first *ELSET that
 * lists them; if section keywords (*SOLID SECTION, ELSET=…) use sets of that space, only those count, because other
 * sets overlap. What is left belongs to its part. Node sets become groups of points.
 *
 * An instance may move its part; parts that are turned, or used by several instances, are refused, because one body
 * per part could not stand for them. So are files that include others, and generated nodes and elements. */
#include "inp_labels.h"
#include "inp_lines.h"
#include "io/bytes/decimal_number.h"
#include "io/bytes/try_status.h"
#include "io/model/node_tags.h"
#include "reader_table.h"

#include <math.h>
#include <stdio.h>

struct element_place {
    uint32_t dimension, index; /* of the builder's lists */
};

struct space {
    struct node_tags tags;
    struct dynamic_array vertices; /* uint32_t: of the builder, by position in the tags */
    struct dynamic_array entries;  /* struct number_entry: element numbers to places */
    struct dynamic_array places;   /* struct element_place */
    struct text_span name;         /* of the part; empty: the file itself */
    uint32_t part_tag;             /* group of elements in no set; 0: none yet */
    bool has_section, is_instanced;
};

enum walk { WALK_NODES, WALK_ELEMENTS, WALK_SETS };
enum data { DATA_OTHER, DATA_NODES, DATA_ELEMENTS, DATA_NODE_SET, DATA_ELEMENT_SET, DATA_INSTANCE };
enum { RECORD_MAX = 1 + 20, COORDINATES = 3 };

struct inp_reader {
    struct read_request *request;
    struct mesh_builder *builder;
    struct text_scanner scanner;
    uint64_t line; /* where the present line stands; the scanner is behind it */
    struct inp_labels labels;
    struct dynamic_array spaces; /* struct space; the first is the file itself */
    enum walk walk;
    enum data data;         /* of the present keyword */
    uint32_t space;         /* of the present line */
    uint32_t spaces_opened; /* in this walk */
    uint32_t last_tag;
    uint64_t members; /* of sets, so far */
    uint32_t instances;
    /* *ELEMENT */
    enum element_kind kind;
    uint32_t nodes;
    int32_t tag;
    int64_t record[RECORD_MAX];
    uint32_t record_count;
    /* sets */
    uint32_t set_space;
    bool is_generated;
    /* *INSTANCE */
    struct text_span instance_name, instance_part;
    double offset[COORDINATES];
    uint32_t instance_lines;
};

/* The scanner with the number of the present line, for messages. */
static struct text_scanner here(const struct inp_reader *reader)
{
    struct text_scanner scanner = reader->scanner;
    scanner.line = reader->line;
    return scanner;
}
#define INP_FAIL(reader, ...) scanner_fail(&(struct text_scanner[]){here(reader)}[0], __VA_ARGS__)

static dent_status out_of_memory(const struct inp_reader *reader)
{
    return INP_FAIL(reader, DENT_ERROR_OUT_OF_MEMORY, "out of memory for the file's numbers and names");
}

static struct space *space_at(const struct inp_reader *reader, uint32_t index)
{
    return array_at(&reader->spaces, index);
}

/* ---- spaces ---------------------------------------------------------------------------------------------------- */

/* The first walk makes the spaces, the others find them in the same order. */
static dent_status open_space(struct inp_reader *reader, struct text_span name)
{
    reader->space = reader->spaces_opened++;
    if (reader->walk != WALK_NODES) {
        return DENT_OK;
    }
    struct space *space = array_extend(&reader->spaces, 1);
    if (!space) {
        return out_of_memory(reader);
    }
    dent_context *context = reader->request->context;
    *space = (struct space){.name = name};
    node_tags_init(&space->tags, context);
    array_init(&space->vertices, context, sizeof(uint32_t));
    array_init(&space->entries, context, sizeof(struct number_entry));
    array_init(&space->places, context, sizeof(struct element_place));
    return DENT_OK;
}

static void release_spaces(struct inp_reader *reader)
{
    for (uint32_t i = 0; i < reader->spaces.count; i++) {
        struct space *space = space_at(reader, i);
        node_tags_release(&space->tags);
        array_destroy(&space->vertices);
        array_destroy(&space->entries);
        array_destroy(&space->places);
    }
    array_destroy(&reader->spaces);
}

static dent_status finish_nodes(struct inp_reader *reader)
{
    for (uint32_t i = 0; i < reader->spaces.count; i++) {
        int64_t duplicate;
        dent_status status = node_tags_finish(&space_at(reader, i)->tags, &duplicate);
        if (status == DENT_ERROR_BAD_MESH) {
            return dent_fail(reader->request->context, status, "%s: node number %lld appears twice",
                             reader->request->name, (long long)duplicate);
        }
        if (status != DENT_OK) {
            return out_of_memory(reader);
        }
    }
    return DENT_OK;
}

static dent_status finish_elements(struct inp_reader *reader)
{
    for (uint32_t i = 0; i < reader->spaces.count; i++) {
        struct space *space = space_at(reader, i);
        if (!number_index_sort(reader->request->context, space->entries.data, space->entries.count)) {
            return out_of_memory(reader);
        }
    }
    return DENT_OK;
}

/* ---- nodes ----------------------------------------------------------------------------------------------------- */

static dent_status field_number(const struct inp_reader *reader, struct text_span field, const char *what,
                                int64_t *number)
{
    bool fits;
    if (!decimal_to_integer(field.text, field.length, number, &fits)) {
        return INP_FAIL(reader, DENT_ERROR_FORMAT, "%s '%.*s' is not a number", what, SPAN_ARGUMENTS(field));
    }
    return DENT_OK;
}

/* Up to three coordinates; empty and missing ones are 0. */
static dent_status field_coordinates(const struct inp_reader *reader, struct text_span *line, double *coordinates)
{
    struct text_span field;
    for (uint32_t axis = 0; axis < COORDINATES; axis++) {
        coordinates[axis] = 0;
        if (inp_field(line, &field) && field.length > 0 &&
            !decimal_to_double(field.text, field.length, &coordinates[axis])) {
            return INP_FAIL(reader, DENT_ERROR_FORMAT, "coordinate '%.*s' is not a number", SPAN_ARGUMENTS(field));
        }
    }
    return DENT_OK;
}

static dent_status read_node(struct inp_reader *reader, struct text_span line)
{
    struct space *space = space_at(reader, reader->space);
    struct text_span field;
    double position[COORDINATES];
    int64_t number;
    inp_field(&line, &field);
    TRY(field_number(reader, field, "node number", &number));
    TRY(field_coordinates(reader, &line, position));
    uint32_t vertex = builder_vertex_count(reader->builder);
    TRY(builder_add_vertex(reader->builder, position[0], position[1], position[2], reader->line));
    return node_tags_add(&space->tags, number) && array_push(&space->vertices, &vertex) ? DENT_OK
                                                                                        : out_of_memory(reader);
}

/* ---- elements -------------------------------------------------------------------------------------------------- */

/* A new tag, named in all dimensions. */
static dent_status new_group(struct inp_reader *reader, struct text_span name, uint32_t *tag)
{
    *tag = ++reader->last_tag;
    for (uint32_t dimension = 0; dimension <= 3; dimension++) {
        TRY(builder_name_group(reader->builder, dimension, (int32_t)*tag, name.text, name.length));
    }
    return DENT_OK;
}

static dent_status group_of_set(struct inp_reader *reader, enum inp_label kind, uint32_t space, struct text_span name,
                                uint32_t *tag)
{
    *tag = inp_labels_find(&reader->labels, kind, space, name);
    if (*tag != KEY_TREE_NONE) {
        return DENT_OK;
    }
    TRY(new_group(reader, name, tag));
    return inp_labels_add(&reader->labels, kind, space, name, tag) ? DENT_OK : out_of_memory(reader);
}

static dent_status start_elements(struct inp_reader *reader, const struct inp_keyword *keyword)
{
    bool has_type, has_set;
    uint32_t tag = 0;
    struct text_span type = inp_parameter(keyword, "TYPE", &has_type);
    struct text_span set = inp_parameter(keyword, "ELSET", &has_set);
    if (!has_type) {
        return INP_FAIL(reader, DENT_ERROR_FORMAT, "*ELEMENT without TYPE");
    }
    if (!inp_element_type(type, &reader->kind, &reader->nodes)) {
        builder_note_line(reader->builder, "blocks of elements have a type that is not read", reader->line, type.text,
                          type.length);
        reader->data = DATA_OTHER;
        return DENT_OK;
    }
    if (has_set) {
        TRY(group_of_set(reader, INP_ELEMENT_SET, reader->space, set, &tag));
    }
    reader->tag = (int32_t)tag;
    reader->record_count = 0;
    return DENT_OK;
}

static dent_status add_element(struct inp_reader *reader)
{
    struct space *space = space_at(reader, reader->space);
    uint32_t corners[RECORD_MAX];
    for (uint32_t k = 0; k < reader->nodes; k++) {
        uint32_t position;
        if (!node_tags_find(&space->tags, reader->record[k + 1], &position)) {
            return INP_FAIL(reader, DENT_ERROR_BAD_MESH, "element %lld: no node has number %lld",
                            (long long)reader->record[0], (long long)reader->record[k + 1]);
        }
        corners[k] = ((const uint32_t *)space->vertices.data)[position];
    }
    if (reader->kind == ELEMENT_LINE && reader->nodes == 3) {
        corners[1] = corners[2]; /* the middle is the second node */
    }
    if (reader->nodes > element_kind_corners(reader->kind)) {
        builder_note(reader->builder, 1, NOTICE_SECOND_ORDER);
    }
    uint32_t dimension = element_kind_dimension(reader->kind);
    struct element_place place = {dimension, (uint32_t)reader->builder->elements[dimension].tags.count};
    struct number_entry entry = {.key = reader->record[0], .value = (uint32_t)space->places.count};
    if (!array_push(&space->places, &place) || !array_push(&space->entries, &entry)) {
        return out_of_memory(reader);
    }
    return builder_add_element(reader->builder, reader->kind, reader->tag, corners, reader->line);
}

/* A record goes on over lines until it has all its nodes. */
static dent_status read_element_line(struct inp_reader *reader, struct text_span line)
{
    struct text_span field;
    while (inp_field(&line, &field)) {
        if (field.length == 0) {
            continue;
        }
        if (reader->record_count == reader->nodes + 1) {
            reader->record_count = 0;
            return INP_FAIL(reader, DENT_ERROR_FORMAT, "element %lld has more than %u nodes",
                            (long long)reader->record[0], reader->nodes);
        }
        TRY(field_number(reader, field, "node of the element", &reader->record[reader->record_count]));
        reader->record_count++;
    }
    if (reader->record_count == reader->nodes + 1) {
        reader->record_count = 0;
        return add_element(reader);
    }
    return DENT_OK;
}

static dent_status check_record(const struct inp_reader *reader)
{
    if (reader->walk == WALK_ELEMENTS && reader->data == DATA_ELEMENTS && reader->record_count > 0) {
        return INP_FAIL(reader, DENT_ERROR_FORMAT, "element %lld ends after %u of %u nodes",
                        (long long)reader->record[0], reader->record_count - 1, reader->nodes);
    }
    return DENT_OK;
}

/* ---- sets ------------------------------------------------------------------------------------------------------ */

static dent_status start_set(struct inp_reader *reader, const struct inp_keyword *keyword, const char *key,
                             enum inp_label kind)
{
    bool has_name, has_instance;
    uint32_t tag = 0;
    struct text_span name = inp_parameter(keyword, key, &has_name);
    struct text_span instance = inp_parameter(keyword, "INSTANCE", &has_instance);
    inp_parameter(keyword, "GENERATE", &reader->is_generated);
    reader->set_space = has_instance ? inp_labels_find(&reader->labels, INP_INSTANCE, 0, instance) : reader->space;
    if (!has_name || reader->set_space == KEY_TREE_NONE) {
        return INP_FAIL(reader, DENT_ERROR_FORMAT, "%.*s: %s", SPAN_ARGUMENTS(keyword->name),
                        has_name ? "unknown instance" : "the name of the set is missing");
    }
    const struct space *space = space_at(reader, reader->set_space);
    if (kind == INP_ELEMENT_SET && space->has_section &&
        inp_labels_find(&reader->labels, INP_SECTION, reader->set_space, name) == KEY_TREE_NONE) {
        builder_note_line(reader->builder, "sets of elements that no section uses do not make bodies", reader->line,
                          name.text, name.length);
        reader->data = DATA_OTHER;
        return DENT_OK;
    }
    TRY(group_of_set(reader, kind, reader->set_space, name, &tag));
    reader->tag = (int32_t)tag;
    return DENT_OK;
}

/* A member of the present set; numbers of no node and no element are passed over, as in generated ranges. */
static dent_status add_member(struct inp_reader *reader, int64_t number)
{
    struct space *space = space_at(reader, reader->set_space);
    if (reader->data == DATA_NODE_SET) {
        uint32_t position;
        if (!node_tags_find(&space->tags, number, &position)) {
            return DENT_OK;
        }
        const uint32_t *vertices = space->vertices.data;
        return builder_add_element(reader->builder, ELEMENT_POINT, reader->tag, &vertices[position], reader->line);
    }
    const struct number_entry *entry = number_index_find(space->entries.data, space->entries.count, number);
    if (entry) {
        const struct element_place *place = array_at(&space->places, entry->value);
        int32_t *tags = reader->builder->elements[place->dimension].tags.data;
        tags[place->index] = tags[place->index] ? tags[place->index] : reader->tag;
    }
    return DENT_OK;
}

/* Ranges are short and can name everything: all of them together may have as many members as the file has bytes. */
static dent_status add_range(struct inp_reader *reader, struct text_span line)
{
    int64_t range[3] = {0, 0, 1}; /* first, last, step */
    struct text_span field;
    for (int i = 0; i < 3 && inp_field(&line, &field); i++) {
        if (field.length > 0) {
            TRY(field_number(reader, field, "number of the range", &range[i]));
        }
    }
    if (range[2] < 1 || range[1] < range[0]) {
        return INP_FAIL(reader, DENT_ERROR_FORMAT, "range %lld, %lld, %lld: first, last, step above 0",
                        (long long)range[0], (long long)range[1], (long long)range[2]);
    }
    uint64_t count = ((uint64_t)range[1] - (uint64_t)range[0]) / (uint64_t)range[2];
    if (count >= reader->request->bytes.size - reader->members) {
        builder_note_line(reader->builder,
                          "ranges of sets were passed over: they have more members than the file bytes", reader->line,
                          field.text, field.length);
        return DENT_OK;
    }
    reader->members += count + 1;
    for (uint64_t i = 0; i <= count; i++) {
        TRY(add_member(reader, (int64_t)((uint64_t)range[0] + i * (uint64_t)range[2])));
    }
    return DENT_OK;
}

static dent_status read_set_line(struct inp_reader *reader, struct text_span line)
{
    struct text_span field;
    int64_t number;
    bool fits;
    if (reader->is_generated) {
        return add_range(reader, line);
    }
    while (inp_field(&line, &field)) {
        if (field.length == 0) {
            continue;
        }
        if (!decimal_to_integer(field.text, field.length, &number, &fits)) {
            builder_note_line(reader->builder, "members of sets are names of other sets, which are not read",
                              reader->line, field.text, field.length);
            continue;
        }
        TRY(add_member(reader, number));
    }
    return DENT_OK;
}

/* ---- parts and instances --------------------------------------------------------------------------------------- */

static dent_status start_part(struct inp_reader *reader, const struct inp_keyword *keyword)
{
    bool has_name;
    struct text_span name = inp_parameter(keyword, "NAME", &has_name);
    TRY(open_space(reader, name));
    uint32_t number = reader->space;
    if (reader->walk == WALK_NODES && !inp_labels_add(&reader->labels, INP_PART, 0, name, &number)) {
        return out_of_memory(reader);
    }
    if (number != reader->space) {
        return INP_FAIL(reader, DENT_ERROR_FORMAT, "a second part '%.*s'", SPAN_ARGUMENTS(name));
    }
    return DENT_OK;
}

static dent_status start_instance(struct inp_reader *reader, const struct inp_keyword *keyword)
{
    bool present;
    reader->instance_name = inp_parameter(keyword, "NAME", &present);
    reader->instance_part = inp_parameter(keyword, "PART", &present);
    reader->instance_lines = 0;
    reader->offset[0] = reader->offset[1] = reader->offset[2] = 0;
    return open_space(reader, reader->instance_name);
}

/* The first line moves, the second turns. */
static dent_status read_instance_line(struct inp_reader *reader, struct text_span line)
{
    if (reader->instance_lines++ == 0) {
        return field_coordinates(reader, &line, reader->offset);
    }
    return INP_FAIL(reader, DENT_ERROR_UNSUPPORTED,
                    "instance '%.*s' is turned; write the file without parts and assemblies",
                    SPAN_ARGUMENTS(reader->instance_name));
}

static dent_status move_space(struct inp_reader *reader, const struct space *space)
{
    double *positions = reader->builder->positions.data;
    const uint32_t *vertices = space->vertices.data;
    for (size_t i = 0; i < COORDINATES * space->vertices.count; i++) {
        double *coordinate = &positions[COORDINATES * (size_t)vertices[i / COORDINATES] + i % COORDINATES];
        *coordinate += reader->offset[i % COORDINATES];
        if (!isfinite(*coordinate)) {
            return INP_FAIL(reader, DENT_ERROR_BAD_NUMBER, "instance '%.*s': a position overflows",
                            SPAN_ARGUMENTS(reader->instance_name));
        }
    }
    return DENT_OK;
}

static dent_status end_instance(struct inp_reader *reader)
{
    uint32_t own = reader->space;
    reader->space = 0;
    if (reader->walk != WALK_NODES || own == 0) {
        return DENT_OK;
    }
    uint32_t part = inp_labels_find(&reader->labels, INP_PART, 0, reader->instance_part);
    uint32_t meshed = space_at(reader, own)->vertices.count > 0 || part == KEY_TREE_NONE ? own : part;
    struct space *space = space_at(reader, meshed);
    if (space->is_instanced) {
        return INP_FAIL(reader, DENT_ERROR_UNSUPPORTED, "part '%.*s' has several instances",
                        SPAN_ARGUMENTS(reader->instance_part));
    }
    space->is_instanced = true;
    return inp_labels_add(&reader->labels, INP_INSTANCE, 0, reader->instance_name, &meshed) ? move_space(reader, space)
                                                                                            : out_of_memory(reader);
}

/* ---- keywords -------------------------------------------------------------------------------------------------- */

static bool ends_with_section(struct text_span name)
{
    static const char tail[] = " SECTION";
    size_t length = sizeof tail - 1;
    return name.length > length &&
           span_equal_any_case((struct text_span){name.text + name.length - length, length}, tail);
}

static dent_status note_section(struct inp_reader *reader, const struct inp_keyword *keyword)
{
    bool has_set;
    uint32_t number = 0;
    struct text_span set = inp_parameter(keyword, "ELSET", &has_set);
    if (!has_set || reader->walk != WALK_NODES) {
        return DENT_OK;
    }
    space_at(reader, reader->space)->has_section = true;
    return inp_labels_add(&reader->labels, INP_SECTION, reader->space, set, &number) ? DENT_OK : out_of_memory(reader);
}

/* Keywords that would leave the mesh incomplete. */
static dent_status check_keyword(const struct inp_reader *reader, const struct inp_keyword *keyword)
{
    static const char *const refused[] = {"*INCLUDE", "*NGEN", "*NFILL", "*NCOPY", "*NMAP", "*ELGEN", "*ELCOPY"};
    bool has_system;
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        if (span_equal_any_case(keyword->name, refused[i])) {
            return INP_FAIL(reader, DENT_ERROR_UNSUPPORTED,
                            "%s: files that include others or generate nodes and elements are not read", refused[i]);
        }
    }
    struct text_span system = inp_parameter(keyword, "SYSTEM", &has_system);
    if (span_equal_any_case(keyword->name, "*NODE") && has_system && !span_equal_any_case(system, "R")) {
        return INP_FAIL(reader, DENT_ERROR_UNSUPPORTED, "*NODE, SYSTEM=%.*s: only R is read", SPAN_ARGUMENTS(system));
    }
    return DENT_OK;
}

static const struct {
    const char *name;
    enum data data;
} data_keywords[] = {
    {"*NODE", DATA_NODES},        {"*ELEMENT", DATA_ELEMENTS},  {"*NSET", DATA_NODE_SET},
    {"*ELSET", DATA_ELEMENT_SET}, {"*INSTANCE", DATA_INSTANCE},
};

static enum data data_of_keyword(struct text_span name)
{
    for (size_t i = 0; i < sizeof data_keywords / sizeof data_keywords[0]; i++) {
        if (span_equal_any_case(name, data_keywords[i].name)) {
            return data_keywords[i].data;
        }
    }
    return DATA_OTHER;
}

static dent_status enter_keyword(struct inp_reader *reader, const struct inp_keyword *keyword)
{
    TRY(check_record(reader));
    TRY(check_keyword(reader, keyword));
    reader->data = data_of_keyword(keyword->name);
    if (span_equal_any_case(keyword->name, "*PART")) {
        return start_part(reader, keyword);
    }
    if (span_equal_any_case(keyword->name, "*END PART")) {
        reader->space = 0;
        return DENT_OK;
    }
    if (reader->data == DATA_INSTANCE) {
        return start_instance(reader, keyword);
    }
    if (span_equal_any_case(keyword->name, "*END INSTANCE")) {
        return end_instance(reader);
    }
    if (ends_with_section(keyword->name)) {
        return note_section(reader, keyword);
    }
    if (reader->data == DATA_ELEMENTS && reader->walk == WALK_ELEMENTS) {
        return start_elements(reader, keyword);
    }
    if (reader->data == DATA_NODE_SET && reader->walk == WALK_SETS) {
        return start_set(reader, keyword, "NSET", INP_NODE_SET);
    }
    if (reader->data == DATA_ELEMENT_SET && reader->walk == WALK_SETS) {
        return start_set(reader, keyword, "ELSET", INP_ELEMENT_SET);
    }
    return DENT_OK;
}

static dent_status read_data(struct inp_reader *reader, struct text_span line)
{
    switch (reader->data) {
    case DATA_NODES:
        return reader->walk == WALK_NODES ? read_node(reader, line) : DENT_OK;
    case DATA_INSTANCE:
        return reader->walk == WALK_NODES ? read_instance_line(reader, line) : DENT_OK;
    case DATA_ELEMENTS:
        return reader->walk == WALK_ELEMENTS ? read_element_line(reader, line) : DENT_OK;
    case DATA_NODE_SET:
    case DATA_ELEMENT_SET:
        return reader->walk == WALK_SETS ? read_set_line(reader, line) : DENT_OK;
    default:
        return DENT_OK;
    }
}

/* ---- the file -------------------------------------------------------------------------------------------------- */

static dent_status walk_file(struct inp_reader *reader, enum walk walk)
{
    struct read_request *request = reader->request;
    struct text_scanner *scanner = &reader->scanner;
    struct inp_keyword keyword;
    struct text_span line;
    enum inp_line what;
    bool has_keyword = false;
    reader->walk = walk;
    reader->spaces_opened = 0;
    reader->data = DATA_OTHER;
    TRY(scanner_open(scanner, request->context, request->name, request->bytes.data, request->bytes.size, -1));
    TRY(open_space(reader, (struct text_span){.text = "", .length = 0}));
    for (;;) {
        TRY(inp_next(scanner, &what, &keyword, &line, &reader->line));
        if (what == INP_END) {
            return check_record(reader);
        }
        if (what == INP_DATA && !has_keyword) {
            return INP_FAIL(reader, DENT_ERROR_FORMAT, "'%.*s' where a keyword should be: not an Abaqus file",
                            SPAN_ARGUMENTS(line));
        }
        has_keyword = true;
        TRY(what == INP_KEYWORD ? enter_keyword(reader, &keyword) : read_data(reader, line));
    }
}

/* Elements in no set belong to their part. */
static dent_status tag_parts(struct inp_reader *reader)
{
    for (uint32_t s = 1; s < reader->spaces.count; s++) {
        struct space *space = space_at(reader, s);
        for (size_t i = 0; i < space->places.count; i++) {
            const struct element_place *place = array_at(&space->places, i);
            int32_t *tag = array_at(&reader->builder->elements[place->dimension].tags, place->index);
            if (*tag == 0 && space->part_tag == 0) {
                TRY(new_group(reader, space->name, &space->part_tag));
            }
            *tag = *tag ? *tag : (int32_t)space->part_tag;
        }
    }
    return DENT_OK;
}

static dent_status read_walks(struct inp_reader *reader)
{
    TRY(walk_file(reader, WALK_NODES));
    TRY(finish_nodes(reader));
    TRY(walk_file(reader, WALK_ELEMENTS));
    TRY(finish_elements(reader));
    TRY(walk_file(reader, WALK_SETS));
    return tag_parts(reader);
}

dent_status read_inp(struct read_request *request)
{
    struct inp_reader reader = {.request = request, .builder = request->builder};
    array_init(&reader.spaces, request->context, sizeof(struct space));
    inp_labels_init(&reader.labels, request->context);
    snprintf(request->format, sizeof request->format, "abaqus");
    dent_status status = read_walks(&reader);
    release_spaces(&reader);
    inp_labels_release(&reader.labels);
    return status;
}
