/* VTK XML: every encoding of the same two tetrahedra, polygonal data, several pieces, groups, and what broken ones say.
 */
#include "mesh_file_checks.h"

static const double five[15] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1};
static const uint32_t tetrahedra[8] = {0, 1, 2, 3, 1, 2, 3, 4};

/* ---- making files ---------------------------------------------------------------------------------------------- */

enum { ENCODING_TEXT, ENCODING_INLINE, ENCODING_APPENDED_RAW, ENCODING_APPENDED_BASE64, ENCODING_COUNT };

struct style {
    int encoding;
    bool big_endian;
    bool wide_headers;
    bool compressed;
    bool apart; /* base64: header and body encoded one after the other */
};

static void add_base64(struct byte_string *out, const uint8_t *bytes, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < size; i += 3) {
        uint32_t group = (uint32_t)bytes[i] << 16 | (i + 1 < size ? (uint32_t)bytes[i + 1] << 8 : 0) |
                         (i + 2 < size ? bytes[i + 2] : 0);
        char text[5] = {digits[group >> 18], digits[group >> 12 & 63], i + 1 < size ? digits[group >> 6 & 63] : '=',
                        i + 2 < size ? digits[group & 63] : '=', 0};
        add_text(out, text);
    }
}

static void add_bytes(struct byte_string *out, const uint8_t *bytes, size_t size)
{
    assert_true(out->size + size <= sizeof out->data);
    memcpy(out->data + out->size, bytes, size);
    out->size += size;
}

/* A zlib stream that stores its bytes: made by hand, so that the tests need no zlib. */
static void add_stored(struct byte_string *out, const uint8_t *bytes, size_t size)
{
    uint32_t a = 1, b = 0;
    for (size_t i = 0; i < size; i++) {
        a = (a + bytes[i]) % 65521;
        b = (b + a) % 65521;
    }
    add_unsigned(out, 0x7801, 2, true);
    add_unsigned(out, 1, 1, true);
    add_unsigned(out, size, 2, false);
    add_unsigned(out, ~size & 0xffff, 2, false);
    add_bytes(out, bytes, size);
    add_unsigned(out, b << 16 | a, 4, true);
}

/* Header and body of one array. Compressed: blocks of 24 bytes and a shorter last one. */
static void pack(const struct style *style, const struct byte_string *numbers, struct byte_string *header,
                 struct byte_string *body)
{
    int width = style->wide_headers ? 8 : 4;
    header->size = body->size = 0;
    if (!style->compressed) {
        add_unsigned(header, numbers->size, width, style->big_endian);
        add_bytes(body, numbers->data, numbers->size);
        return;
    }
    enum { BLOCK = 24 };
    size_t count = (numbers->size + BLOCK - 1) / BLOCK;
    add_unsigned(header, count, width, style->big_endian);
    add_unsigned(header, BLOCK, width, style->big_endian);
    add_unsigned(header, numbers->size % BLOCK, width, style->big_endian);
    for (size_t i = 0; i < count; i++) {
        size_t before = body->size;
        size_t left = numbers->size - i * BLOCK;
        add_stored(body, numbers->data + i * BLOCK, left < BLOCK ? left : BLOCK);
        add_unsigned(header, body->size - before, width, style->big_endian);
    }
}

static void add_encoded(struct byte_string *out, const struct style *style, bool base64,
                        const struct byte_string *numbers)
{
    struct byte_string header, body;
    pack(style, numbers, &header, &body);
    if (!base64) {
        add_bytes(out, header.data, header.size);
        add_bytes(out, body.data, body.size);
    } else if (style->apart || style->compressed) {
        add_base64(out, header.data, header.size);
        add_base64(out, body.data, body.size);
    } else {
        add_bytes(&header, body.data, body.size);
        add_base64(out, header.data, header.size);
    }
}

struct file_maker {
    struct style style;
    struct byte_string out;
    struct byte_string appended;
};

static void add_array(struct file_maker *maker, const char *name, const char *type, int size, int components,
                      const double *values, int count)
{
    static const char *const formats[] = {"ascii", "binary", "appended", "appended"};
    struct byte_string numbers = {.size = 0};
    char text[256];
    snprintf(text, sizeof text,
             "<DataArray type=\"%s\" Name='%s' NumberOfComponents=\"%d\" format=\"%s\" offset=\"%zu\">\n  ", type, name,
             components, formats[maker->style.encoding], maker->appended.size);
    add_text(&maker->out, text);
    for (int i = 0; i < count; i++) {
        snprintf(text, sizeof text, "%.17g ", values[i]);
        if (maker->style.encoding == ENCODING_TEXT) {
            add_text(&maker->out, text);
        }
        if (type[0] == 'F' && size == 4) {
            add_float(&numbers, (float)values[i], maker->style.big_endian);
        } else if (type[0] == 'F') {
            add_double(&numbers, values[i], maker->style.big_endian);
        } else {
            add_unsigned(&numbers, (uint64_t)(int64_t)values[i], size, maker->style.big_endian);
        }
    }
    if (maker->style.encoding == ENCODING_INLINE) {
        add_encoded(&maker->out, &maker->style, true, &numbers);
    } else if (maker->style.encoding != ENCODING_TEXT) {
        add_encoded(&maker->appended, &maker->style, maker->style.encoding == ENCODING_APPENDED_BASE64, &numbers);
    }
    add_text(&maker->out, "\n<InformationKey name=\"k\" location=\"l\">\n3\n</InformationKey></DataArray>\n");
}

static void begin_file(struct file_maker *maker, const char *type)
{
    char text[256];
    snprintf(text, sizeof text,
             "<?xml version=\"1.0\"?>\n<!-- made by hand -->\n<VTKFile type=\"%s\" version=\"1.0\" "
             "byte_order=\"%s\"%s%s>\n<%s>\n",
             type, maker->style.big_endian ? "BigEndian" : "LittleEndian",
             maker->style.wide_headers ? " header_type=\"UInt64\"" : "",
             maker->style.compressed ? " compressor=\"vtkZLibDataCompressor\"" : "", type);
    add_text(&maker->out, text);
}

static void end_file(struct file_maker *maker, const char *type)
{
    char text[64];
    snprintf(text, sizeof text, "</%s>\n", type);
    add_text(&maker->out, text);
    if (maker->style.encoding >= ENCODING_APPENDED_RAW) {
        add_text(&maker->out, maker->style.encoding == ENCODING_APPENDED_RAW ? "<AppendedData encoding=\"raw\">\n _"
                                                                             : "<AppendedData encoding=\"base64\">_");
        add_bytes(&maker->out, maker->appended.data, maker->appended.size);
        add_text(&maker->out, "\n</AppendedData>\n");
    }
    add_text(&maker->out, "</VTKFile>\n");
}

static void add_tetrahedra_piece(struct file_maker *maker, bool with_groups)
{
    static const double corners[8] = {0, 1, 2, 3, 1, 2, 3, 4};
    add_text(&maker->out, "<Piece NumberOfPoints=\"5\" NumberOfCells=\"2\">\n<PointData>\n");
    add_array(maker, "group", "Int32", 4, 1, five, 5);
    add_text(&maker->out, "</PointData>\n<CellData>\n");
    add_array(maker, "speed", "Float32", 4, 1, (double[]){1, 2}, 2);
    if (with_groups) {
        add_array(maker, "group", "Int32", 4, 1, (double[]){7, -9}, 2);
    }
    add_text(&maker->out, "</CellData>\n<Points>\n");
    add_array(maker, "Points", "Float64", 8, 3, five, 15);
    add_text(&maker->out, "</Points>\n<Cells>\n");
    add_array(maker, "connectivity", "Int64", 8, 1, corners, 8);
    add_array(maker, "offsets", "Int32", 4, 1, (double[]){4, 8}, 2);
    add_array(maker, "types", "UInt8", 1, 1, (double[]){10, 10}, 2);
    add_text(&maker->out, "</Cells>\n</Piece>\n");
}

static struct byte_string tetrahedra_file(struct style style, int pieces, bool with_groups)
{
    struct file_maker maker = {.style = style};
    begin_file(&maker, "UnstructuredGrid");
    for (int i = 0; i < pieces; i++) {
        add_tetrahedra_piece(&maker, with_groups);
    }
    end_file(&maker, "UnstructuredGrid");
    return maker.out;
}

/* ---- good files ------------------------------------------------------------------------------------------------ */

static bool zlib_is_there(struct checks *checks)
{
    struct byte_string file =
        tetrahedra_file((struct style){.encoding = ENCODING_INLINE, .compressed = true}, 1, false);
    dent_mesh *mesh = NULL;
    dent_status status = dent_mesh_read_memory(checks->context, "a.vtu", file.data, file.size, NULL, &mesh);
    dent_mesh_destroy(checks->context, mesh);
    return status != DENT_ERROR_UNSUPPORTED;
}

static void every_encoding_of_one_grid_gives_the_same_body(void **state)
{
    struct checks *checks = *state;
    bool zlib = zlib_is_there(checks);
    if (!zlib) {
        print_message("           built without zlib: compressed files are not tried\n");
    }
    for (int i = 0; i < ENCODING_COUNT * 16; i++) {
        struct style style = {.encoding = i / 16,
                              .big_endian = i & 1,
                              .wide_headers = i & 2,
                              .compressed = (i & 4) && zlib,
                              .apart = i & 8};
        struct byte_string file = tetrahedra_file(style, 1, false);
        dent_mesh *mesh = read_good(checks, "a.vtu", file.data, file.size);
        const dent_mesh_body *body = only_body(mesh, DENT_BODY_SOLID, 5, 2);
        assert_same_doubles(body->positions, five, 15);
        assert_corners(body, tetrahedra, 8);
        dent_mesh_destroy(checks->context, mesh);
    }
}

static void cell_data_called_group_make_bodies(void **state)
{
    struct checks *checks = *state;
    for (int encoding = 0; encoding < ENCODING_COUNT; encoding++) {
        struct byte_string file = tetrahedra_file((struct style){.encoding = encoding}, 1, true);
        dent_mesh *mesh = read_good(checks, "a.vtu", file.data, file.size);
        assert_int_equal(mesh->body_count, 2);
        assert_int_equal(mesh->bodies[1].element_numbers[0], 1);
        dent_mesh_destroy(checks->context, mesh);
    }
}

/* A file of two tetrahedra with one array of cell data. */
static struct byte_string file_with_cell_data(const char *name, const char *type, int size, const double values[2])
{
    struct file_maker maker = {.style = {.encoding = ENCODING_TEXT}};
    begin_file(&maker, "UnstructuredGrid");
    add_text(&maker.out, "<Piece NumberOfPoints=\"5\" NumberOfCells=\"2\">\n<CellData>\n");
    add_array(&maker, name, type, size, 1, values, 2);
    add_text(&maker.out, "</CellData>\n<Points>\n");
    add_array(&maker, "Points", "Float64", 8, 3, five, 15);
    add_text(&maker.out, "</Points>\n<Cells>\n");
    add_array(&maker, "connectivity", "Int64", 8, 1, (double[]){0, 1, 2, 3, 1, 2, 3, 4}, 8);
    add_array(&maker, "offsets", "Int32", 4, 1, (double[]){4, 8}, 2);
    add_array(&maker, "types", "UInt8", 1, 1, (double[]){10, 10}, 2);
    add_text(&maker.out, "</Cells>\n</Piece>\n");
    end_file(&maker, "UnstructuredGrid");
    return maker.out;
}

static void whole_numbers_called_body_make_bodies_and_others_do_not(void **state)
{
    struct checks *checks = *state;
    static const double values[4][2] = {{3, 8}, {3, 8.5}, {3, 1e10}, {3, 3}};
    static const uint32_t bodies[4] = {2, 1, 1, 1};
    static const int32_t tags[4] = {3, 0, 0, 3};
    for (int i = 0; i < 4; i++) {
        struct byte_string file = file_with_cell_data("body", "Float64", 8, values[i]);
        dent_mesh *mesh = read_good(checks, "a.vtu", file.data, file.size);
        assert_int_equal(mesh->body_count, bodies[i]);
        assert_int_equal(mesh->bodies[0].tag, tags[i]);
        dent_mesh_destroy(checks->context, mesh);
    }
    struct byte_string file = file_with_cell_data("body", "Float64", 8, values[0]);
    dent_mesh *mesh = read_good(checks, "a.vtu", file.data, file.size);
    assert_string_equal(mesh->bodies[1].name, "group 8");
    assert_int_equal(mesh->bodies[1].tag, 8);
    dent_mesh_destroy(checks->context, mesh);
}

static void pieces_follow_each_other(void **state)
{
    struct checks *checks = *state;
    struct byte_string file = tetrahedra_file((struct style){.encoding = ENCODING_TEXT}, 2, false);
    dent_mesh *mesh = read_good(checks, "a.vtu", file.data, file.size);
    const dent_mesh_body *body = only_body(mesh, DENT_BODY_SOLID, 10, 4);
    assert_corners(body, (uint32_t[]){0, 1, 2, 3, 1, 2, 3, 4, 5, 6, 7, 8, 6, 7, 8, 9}, 16);
    assert_same_doubles(body->positions + 15, five, 15);
    dent_mesh_destroy(checks->context, mesh);
}

static void add_polydata_piece(struct file_maker *maker)
{
    add_text(&maker->out, "<Piece NumberOfPoints=\"5\" NumberOfVerts=\"1\" NumberOfLines=\"1\" NumberOfStrips=\"1\" "
                          "NumberOfPolys=\"2\">\n");
    add_text(&maker->out, "<CellData>\n");
    add_array(maker, "physical", "Int16", 2, 1, (double[]){1, 2, 3, 4, 4}, 5);
    add_text(&maker->out, "</CellData><Points>\n");
    add_array(maker, "", "Float32", 4, 3, five, 15);
    add_text(&maker->out, "</Points><Verts>\n");
    add_array(maker, "connectivity", "Int32", 4, 1, (double[]){4}, 1);
    add_array(maker, "offsets", "Int32", 4, 1, (double[]){1}, 1);
    add_text(&maker->out, "</Verts><Lines>\n");
    add_array(maker, "connectivity", "Int32", 4, 1, (double[]){0, 1, 2}, 3);
    add_array(maker, "offsets", "Int32", 4, 1, (double[]){3}, 1);
    add_text(&maker->out, "</Lines><Strips>\n");
    add_array(maker, "connectivity", "Int32", 4, 1, (double[]){0, 1, 2, 4}, 4);
    add_array(maker, "offsets", "Int32", 4, 1, (double[]){4}, 1);
    add_text(&maker->out, "</Strips><Polys>\n");
    add_array(maker, "connectivity", "Int32", 4, 1, (double[]){0, 1, 2, 0, 1, 2, 4, 3}, 8);
    add_array(maker, "offsets", "Int32", 4, 1, (double[]){3, 8}, 2);
    add_text(&maker->out, "</Polys></Piece>\n");
}

static void polygonal_data_become_a_surface_with_groups(void **state)
{
    struct checks *checks = *state;
    for (int encoding = 0; encoding < ENCODING_COUNT; encoding++) {
        struct file_maker maker = {.style = {.encoding = encoding}};
        begin_file(&maker, "PolyData");
        add_polydata_piece(&maker);
        add_polydata_piece(&maker);
        end_file(&maker, "PolyData");
        dent_mesh *mesh = read_good(checks, "a.vtp", maker.out.data, maker.out.size);
        /* group 3: the triangle; 4: the pentagon and the strip */
        assert_int_equal(mesh->body_count, 2);
        assert_int_equal(mesh->bodies[0].element_count, 2);
        assert_int_equal(mesh->bodies[1].element_count, 10);
        assert_int_equal(mesh->file_vertex_count, 10);
        assert_int_equal(mesh->group_count, 2);
        dent_mesh_destroy(checks->context, mesh);
    }
}

/* ---- broken files ---------------------------------------------------------------------------------------------- */

#define FILE_TAG "<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\">\n<UnstructuredGrid>\n"
#define END "</UnstructuredGrid>\n</VTKFile>\n"
#define PIECE(points, cells) "<Piece NumberOfPoints=\"" points "\" NumberOfCells=\"" cells "\">\n"
#define ARRAY(type, name, components, text)                                                                            \
    "<DataArray type=\"" type "\" Name=\"" name "\" NumberOfComponents=\"" components "\" format=\"ascii\">" text      \
    "</DataArray>\n"
#define POINTS(text) "<Points>\n" ARRAY("Float64", "Points", "3", text) "</Points>\n"
#define CELLS(nodes, ends, types)                                                                                      \
    "<Cells>\n" ARRAY("Int32", "connectivity", "1", nodes) ARRAY("Int32", "offsets", "1", ends)                        \
        ARRAY("UInt8", "types", "1", types) "</Cells>\n"
#define FOUR "0 0 0 1 0 0 0 1 0 0 0 1"
#define WHOLE(points, cells, positions, nodes, ends, types)                                                            \
    FILE_TAG PIECE(points, cells) POINTS(positions) CELLS(nodes, ends, types) "</Piece>\n" END
#define APPENDED(offset, data)                                                                                         \
    "<VTKFile type=\"UnstructuredGrid\" byte_order=\"LittleEndian\" "                                                  \
    "header_type=\"UInt64\">\n<UnstructuredGrid>\n" PIECE(                                                             \
        "4", "1") "<Points><DataArray type=\"Float64\" NumberOfComponents=\"3\" format=\"appended\" offset=\"" offset  \
                  "\"/></Points>" CELLS("0 1 2 3", "4", "10") "</Piece></UnstructuredGrid>" data

static const struct broken_file broken_files[] = {
    {"not XML", "a.vtu", "hello", 0, DENT_ERROR_FORMAT, "no <Piece>"},
    {"another XML", "a.vtu", "<html></html>", 0, DENT_ERROR_FORMAT, "<html> where <VTKFile"},
    {"image data", "a.vtu", "<VTKFile type=\"ImageData\"></VTKFile>", 0, DENT_ERROR_UNSUPPORTED, "'ImageData'"},
    {"unknown byte order", "a.vtu", "<VTKFile type=\"PolyData\" byte_order=\"Odd\"></VTKFile>", 0,
     DENT_ERROR_FORMAT, "'Odd'"},
    {"unknown header type", "a.vtu", "<VTKFile type=\"PolyData\" header_type=\"UInt16\"></VTKFile>", 0,
     DENT_ERROR_FORMAT, "'UInt16'"},
    {"no piece", "a.vtu", FILE_TAG END, 0, DENT_ERROR_FORMAT, "no <Piece>"},
    {"tag that does not end", "a.vtu", "<VTKFile type=\"PolyData\"", 0, DENT_ERROR_FORMAT,
     "a.vtu:1: tag <VTKFile> is not closed"},
    {"attribute without quotes", "a.vtu", "<VTKFile type=PolyData></VTKFile>", 0, DENT_ERROR_FORMAT, "attribute"},
    {"attribute that does not end", "a.vtu", "<VTKFile type=\"PolyData></VTKFile>", 0, DENT_ERROR_FORMAT,
     "attribute"},
    {"tags crossed", "a.vtu", FILE_TAG "</VTKFile></UnstructuredGrid>", 0, DENT_ERROR_FORMAT,
     "a.vtu:3: </VTKFile> where </UnstructuredGrid>"},
    {"file that ends", "a.vtu", FILE_TAG, 0, DENT_ERROR_FORMAT, "ends within <UnstructuredGrid>"},
    {"too deep", "a.vtu",
     "<VTKFile type=\"PolyData\"><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a>", 0,
     DENT_ERROR_FORMAT, "nested"},
    {"document type", "a.vtu", "<!DOCTYPE x [<!ENTITY a \"b\">]><VTKFile/>", 0, DENT_ERROR_UNSUPPORTED,
     "declarations"},
    {"comment that does not end", "a.vtu", "<!-- x", 0, DENT_ERROR_FORMAT, "comment"},
    {"no NumberOfPoints", "a.vtu", FILE_TAG "<Piece NumberOfCells=\"1\"></Piece>" END, 0, DENT_ERROR_FORMAT,
     "a.vtu:3: <Piece> has no NumberOfPoints"},
    {"negative NumberOfPoints", "a.vtu", FILE_TAG PIECE("-4", "1") "</Piece>" END, 0, DENT_ERROR_FORMAT, "'-4'"},
    {"no Points", "a.vtu", FILE_TAG PIECE("4", "1") "</Piece>" END, 0, DENT_ERROR_FORMAT, "no array 'Points'"},
    {"2^32 points claimed", "a.vtu", WHOLE("4294967296", "1", FOUR, "0 1 2 3", "4", "10"), 0, DENT_ERROR_TOO_LARGE,
     "4294967296 points"},
    {"2^31 points claimed", "a.vtu", WHOLE("2147483648", "1", FOUR, "0 1 2 3", "4", "10"), 0, DENT_ERROR_FORMAT,
     "more than the file can hold"},
    {"2^63 cells claimed", "a.vtu", WHOLE("4", "9223372036854775807", FOUR, "0 1 2 3", "4", "10"), 0,
     DENT_ERROR_FORMAT, "more than the file can hold"},
    {"fewer coordinates than claimed", "a.vtu", WHOLE("4", "1", "0 0 0 1 1.2345 1.2345", "0 1 2 3", "4", "10"), 0,
     DENT_ERROR_FORMAT, "a.vtu:5: "},
    {"NaN", "a.vtu", WHOLE("4", "1", "0 0 0 1 nan 0 0 1 0 0 0 1", "0 1 2 3", "4", "10"), 0, DENT_ERROR_BAD_NUMBER,
     "a.vtu:5: vertex 1: y"},
    {"index out of range", "a.vtu", WHOLE("4", "1", FOUR, "0 1 2 4", "4", "10"), 0, DENT_ERROR_BAD_MESH,
     "cell 0 names point 4, but there are 4"},
    {"negative index", "a.vtu", WHOLE("4", "1", FOUR, "0 1 2 -3", "4", "10"), 0, DENT_ERROR_BAD_MESH, "point -3"},
    {"offset beyond the connectivity", "a.vtu", WHOLE("4", "1", FOUR, "0 1 2 3", "400", "10"), 0, DENT_ERROR_FORMAT,
     "claims 400 connectivity"},
    {"offsets that fall", "a.vtu", WHOLE("4", "2", FOUR, "0 1 2 3 0 1 2 3", "8 4", "10 10"), 0, DENT_ERROR_FORMAT,
     "cell 1 ends at 4, before it begins at 8"},
    {"fewer types than cells", "a.vtu", WHOLE("4", "2", FOUR, "0 1 2 3 0 1 2 3", "4 8", "10"), 0, DENT_ERROR_FORMAT,
     "claims 2 types"},
    {"tetrahedron of three nodes", "a.vtu", WHOLE("4", "1", FOUR, "0 1 2", "3", "10"), 0, DENT_ERROR_FORMAT,
     "cannot have 3 nodes"},
    {"indices of fractions", "a.vtu",
     FILE_TAG PIECE("4", "1") POINTS(FOUR) "<Cells>" ARRAY("Float32", "connectivity", "1", "0 1 2 3")
         ARRAY("Int32", "offsets", "1", "4") "</Cells></Piece>" END,
     0, DENT_ERROR_FORMAT, "'connectivity' must be of integers"},
    {"no types", "a.vtu",
     FILE_TAG PIECE("4", "1") POINTS(FOUR) "<Cells>" ARRAY("Int32", "connectivity", "1", "0 1 2 3")
         ARRAY("Int32", "offsets", "1", "4") "</Cells></Piece>" END,
     0, DENT_ERROR_FORMAT, "no array 'types'"},
    {"positions in the plane", "a.vtu",
     FILE_TAG PIECE("4", "1") "<Points>" ARRAY("Float64", "Points", "2", FOUR) "</Points></Piece>" END, 0,
     DENT_ERROR_FORMAT, "4 points of 2 coordinates"},
    {"positions twice", "a.vtu", FILE_TAG PIECE("4", "1") POINTS(FOUR) POINTS(FOUR) "</Piece>" END, 0,
     DENT_ERROR_FORMAT, "stands twice"},
    {"unknown number type", "a.vtu",
     FILE_TAG PIECE("4", "1") "<Points>" ARRAY("Float16", "Points", "3", FOUR) "</Points></Piece>" END, 0,
     DENT_ERROR_FORMAT, "no known number type"},
    {"unknown array format", "a.vtu",
     FILE_TAG PIECE("4", "1") "<Points><DataArray type=\"Float64\" format=\"hex\"/></Points></Piece>" END, 0,
     DENT_ERROR_FORMAT, "'hex'"},
    {"appended without appended data", "a.vtu", APPENDED("0", "</VTKFile>"), 0, DENT_ERROR_FORMAT,
     "'Points' is appended, but nothing is"},
    {"appended data of unknown encoding", "a.vtu", APPENDED("0", "<AppendedData encoding=\"gray\">_"), 0,
     DENT_ERROR_FORMAT, "neither raw nor base64"},
    {"appended data without underscore", "a.vtu", APPENDED("0", "<AppendedData encoding=\"raw\">x"), 0,
     DENT_ERROR_FORMAT, "underscore"},
    {"offset behind the end", "a.vtu", APPENDED("4000", "<AppendedData encoding=\"raw\">_12345678"), 0,
     DENT_ERROR_FORMAT, "byte 4000 of 8"},
    {"appended array cut off", "a.vtu", APPENDED("0", "<AppendedData encoding=\"raw\">_12"), 0, DENT_ERROR_FORMAT,
     "'Points': the binary data are cut off"},
    {"appended array claims too much", "a.vtu", APPENDED("0", "<AppendedData encoding=\"raw\">_12345678"), 0,
     DENT_ERROR_FORMAT, "claims 4050765991979987505 bytes, but only 0 follow"},
    {"bad base64", "a.vtu", APPENDED("0", "<AppendedData encoding=\"base64\">_AAAAAAA*AAAA"), 0, DENT_ERROR_FORMAT,
     "cut off or damaged"},
    {"too short an array", "a.vtu", APPENDED("0", "<AppendedData encoding=\"base64\">_CAAAAAAAAAAAAAAAAAAAAA=="), 0,
     DENT_ERROR_FORMAT, "has 8 bytes, but 96 are needed"},
    {"unknown compressor", "a.vtu",
     "<VTKFile type=\"UnstructuredGrid\" compressor=\"vtkLZ4DataCompressor\"><UnstructuredGrid>" PIECE(
         "4", "1") "<Points><DataArray type=\"Float64\" NumberOfComponents=\"3\" "
                   "format=\"binary\">AAAA</DataArray></Points></Piece></UnstructuredGrid></VTKFile>",
     0, DENT_ERROR_UNSUPPORTED, "another compressor"},
    {"empty file", "a.vtu", "", 0, DENT_ERROR_FILE, "empty"},
};

static void broken_files_are_refused_by_name(void **state)
{
    assert_all_refused(*state, broken_files, COUNT_OF(broken_files));
}

static void damaged_blocks_are_refused(void **state)
{
    struct checks *checks = *state;
    if (!zlib_is_there(checks)) {
        print_message("           built without zlib: nothing to test\n");
        skip();
    }
    struct style style = {.encoding = ENCODING_APPENDED_RAW, .compressed = true, .wide_headers = true};
    struct byte_string good = tetrahedra_file(style, 1, false);
    uint8_t *data = NULL;
    for (size_t i = 0; i + 3 < good.size && !data; i++) {
        data = memcmp(good.data + i, "\n _", 3) == 0 ? good.data + i + 3 : NULL;
    }
    /* The first arrays (point and cell data) are not read: find the header of the positions by its five blocks of 24
     * bytes. */
    static const uint8_t header[16] = {5, 0, 0, 0, 0, 0, 0, 0, 24};
    uint8_t *positions = data;
    while (memcmp(positions, header, 16) != 0) {
        positions++;
        assert_true(positions + 16 < good.data + good.size);
    }
    static const struct {
        const char *claim;
        size_t at;
        uint8_t value;
        const char *says;
    } damages[] = {
        {"a byte of the first block", 64 + 12, 0x55, "packed block 0 is damaged"},
        {"its check sum", 64 + 32, 0x55, "packed block 0 is damaged"},
        {"number of blocks", 3, 0x55, "claims"},
        {"size of a block", 11, 0x55, "claims"},
        {"size of the last block", 16, 25, "claims"},
        {"packed size", 24 + 3, 0x55, "cut off"},
        {"fewer blocks than needed", 0, 4, "unpacks to 96 bytes, but 120 are needed"},
    };
    for (size_t i = 0; i < COUNT_OF(damages); i++) {
        uint8_t before = positions[damages[i].at];
        positions[damages[i].at] = damages[i].value;
        const struct broken_file file = {damages[i].claim, "a.vtu",           (char *)good.data,
                                         good.size,        DENT_ERROR_FORMAT, damages[i].says};
        assert_refused(checks, &file);
        positions[damages[i].at] = before;
    }
}

static void pieces_that_all_point_at_one_array_cannot_make_more_of_the_file_than_it_holds(void **state)
{
    struct checks *checks = *state;
    enum { PIECES = 200, POINTS_EACH = 1000 };
    size_t room = 200 + PIECES * 300 + 24 * POINTS_EACH;
    char *text = malloc(room);
    size_t used =
        (size_t)snprintf(text, room, "<VTKFile type=\"UnstructuredGrid\" header_type=\"UInt64\"><UnstructuredGrid>");
    for (int i = 0; i < PIECES; i++) {
        used += (size_t)snprintf(text + used, room - used,
                                 "<Piece NumberOfPoints=\"%d\" NumberOfCells=\"0\"><Points><DataArray type=\"Float64\" "
                                 "NumberOfComponents=\"3\" format=\"appended\" offset=\"0\"/></Points></Piece>",
                                 POINTS_EACH);
    }
    used += (size_t)snprintf(text + used, room - used, "</UnstructuredGrid><AppendedData encoding=\"raw\">_");
    uint64_t bytes = 24 * POINTS_EACH;
    memcpy(text + used, &bytes, 8); /* little endian machines only: elsewhere the claim is refused all the same */
    memset(text + used + 8, 0, bytes);
    const struct broken_file file = {"one array in 200 pieces", "a.vtu", text, used + 8 + bytes, DENT_ERROR_FORMAT, ""};
    assert_refused(checks, &file);
    assert_true(dent_context_memory_use(checks->context).peak_bytes < 100 * (used + bytes));
    free(text);
}

static void every_failing_allocation_is_out_of_memory_and_leaves_nothing(void **state)
{
    struct checks *checks = *state;
    bool zlib = zlib_is_there(checks);
    for (int encoding = 0; encoding < ENCODING_COUNT; encoding++) {
        struct byte_string file = tetrahedra_file((struct style){.encoding = encoding, .compressed = zlib}, 1, true);
        assert_true(fail_every_allocation(checks, "a.vtu", file.data, file.size) > 5);
    }
}

static void every_prefix_is_read_or_refused(void **state)
{
    struct checks *checks = *state;
    bool zlib = zlib_is_there(checks);
    for (int encoding = 0; encoding < ENCODING_COUNT; encoding++) {
        struct byte_string file = tetrahedra_file((struct style){.encoding = encoding, .compressed = zlib}, 1, true);
        assert_every_prefix_is_safe(checks, "a.vtu", file.data, file.size);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_encoding_of_one_grid_gives_the_same_body, checks_setup, checks_teardown),
        cmocka_unit_test_setup_teardown(cell_data_called_group_make_bodies, checks_setup, checks_teardown),
        cmocka_unit_test_setup_teardown(whole_numbers_called_body_make_bodies_and_others_do_not, checks_setup,
                                        checks_teardown),
        cmocka_unit_test_setup_teardown(pieces_follow_each_other, checks_setup, checks_teardown),
        cmocka_unit_test_setup_teardown(polygonal_data_become_a_surface_with_groups, checks_setup, checks_teardown),
        cmocka_unit_test_setup_teardown(broken_files_are_refused_by_name, checks_setup, checks_teardown),
        cmocka_unit_test_setup_teardown(damaged_blocks_are_refused, checks_setup, checks_teardown),
        cmocka_unit_test_setup_teardown(pieces_that_all_point_at_one_array_cannot_make_more_of_the_file_than_it_holds,
                                        checks_setup, checks_teardown),
        cmocka_unit_test_setup_teardown(every_failing_allocation_is_out_of_memory_and_leaves_nothing, checks_setup,
                                        checks_teardown),
        cmocka_unit_test_setup_teardown(every_prefix_is_read_or_refused, checks_setup, checks_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
