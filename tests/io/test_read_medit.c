/* MEDIT text and binary: sections, references, both dimensions, and everything that can be wrong with them. */
#include "reading.h"

static const char two_tets[] =
    "MeshVersionFormatted 2\n# a comment\nDimension\n3\nVertices\n5\n0 0 0 1\n1 0 0 1\n0 1 0 1\n"
    "0 0 1 1\n1 1 1 1\nCorners\n1\n2\nTriangles\n2\n1 2 3 10\n1 2 4 11\nEdges 1\n1 2 3\n"
    "Quadrilaterals 1 1 2 5 4 10\nTetrahedra\n2\n1 2 3 4 7\n2 3 4 5 8\nEnd\n";

static void text_gives_bodies_by_reference_and_groups(void **state)
{
    (void)state;
    struct reading reading;
    reading_open(&reading);
    const dent_mesh *mesh = read_text(&reading, "m.mesh", two_tets);
    assert_read(&reading);
    assert_string_equal(mesh->format, "medit");
    assert_int_equal(mesh->file_vertex_count, 5);
    assert_int_equal(mesh->body_count, 2);
    assert_string_equal(mesh->bodies[0].name, "group 7");
    assert_string_equal(mesh->bodies[1].name, "group 8");
    assert_corners(mesh->bodies[1].vertex_numbers, 1, 2, 3, 4);
    assert_int_equal(mesh->group_count, 4);
    assert_int_equal(mesh->groups[0].tag, 10);
    assert_int_equal(mesh->groups[0].corners_per_element, 3);
    assert_int_equal(mesh->groups[1].tag, 11);
    assert_int_equal(mesh->groups[2].tag, 10);
    assert_int_equal(mesh->groups[2].corners_per_element, 4); /* mixed triangles and quads: two groups */
    assert_corners(mesh->groups[2].corners, 0, 1, 4, 3);
    assert_int_equal(mesh->groups[3].dimension, 1);
    assert_non_null(strstr(reading.notices, "1 sections hold nothing"));
    assert_non_null(strstr(reading.notices, "4 elements of lower dimension"));
    reading_close(&reading);
}

static void cells_of_all_kinds_and_elements_before_vertices(void **state)
{
    (void)state;
    struct reading reading;
    reading_open(&reading);
    const dent_mesh *mesh =
        read_text(&reading, "k.mesh",
                  "MeshVersionFormatted 1 Dimension 3 Hexahedra 1 1 2 3 4 5 6 7 8 0 Pyramids 1 5 6 7 8 9 0 "
                  "Prisms 1 2 10 3 6 9 7 0 Tetrahedra 1 1 2 3 9 0 Vertices 10 0 0 0 0 1 0 0 0 1 1 0 0 0 1 0 0 0 0 1 0 "
                  "1 0 1 0 1 1 1 0 0 1 1 0 .5 .5 2d0 0 2 0 0 0 End");
    assert_read(&reading);
    const uint8_t kinds[] = {DENT_CELL_HEXAHEDRON, DENT_CELL_PYRAMID, DENT_CELL_WEDGE, DENT_CELL_TETRAHEDRON};
    assert_memory_equal(mesh->bodies[0].cell_kinds, kinds, 4);
    assert_corners(mesh->bodies[0].element_corners, 0, 1, 2, 3, 4, 5, 6, 7, 4, 5, 6, 7, 8, 1, 9, 2, 5, 8, 6, 0, 1, 2,
                   8);
    assert_true(mesh->bodies[0].positions[26] == 2);
    assert_string_equal(reading.notices, "");
    reading_close(&reading);
}

static void second_order_sections_are_reduced(void **state)
{
    (void)state;
    struct reading reading;
    reading_open(&reading);
    const dent_mesh *mesh =
        read_text(&reading, "q.mesh",
                  "MeshVersionFormatted 2\nDimension 3\nVertices 6\n0 0 0 0\n1 0 0 0\n0 1 0 0\n.5 0 0 0\n"
                  ".5 .5 0 0\n0 .5 0 0\nTrianglesP2 1\n1 2 3 4 5 6 0\nEnd\n");
    assert_read(&reading);
    assert_int_equal(mesh->bodies[0].kind, DENT_BODY_SURFACE);
    assert_corners(mesh->bodies[0].element_corners, 0, 1, 2);
    assert_string_equal(reading.notices, "q.mesh: 1 second-order elements were reduced to their corners\n");
    reading_close(&reading);
}

static void plane_meshes_lie_at_z_zero(void **state)
{
    (void)state;
    struct reading reading;
    reading_open(&reading);
    const dent_mesh *mesh =
        read_text(&reading, "p.mesh",
                  "MeshVersionFormatted 2\nDimension 2\nVertices 3\n0 0 0\n1 0 0\n0 1 0\nTriangles 1\n1 2 3 0\n");
    assert_read(&reading);
    const double positions[] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    assert_memory_equal(mesh->bodies[0].positions, positions, sizeof positions);
    assert_non_null(strstr(reading.notices, "placed at z = 0"));
    reading_close(&reading);
}

/* ---- binary ---------------------------------------------------------------------------------------------------- */

struct bytes {
    uint8_t data[2048];
    size_t size;
    bool big;
    int version;
};

static void put(struct bytes *bytes, uint64_t value, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        bytes->data[bytes->size++] = (uint8_t)(value >> 8 * (bytes->big ? size - 1 - i : i));
    }
}

static void put_integer(struct bytes *bytes, int64_t value)
{
    put(bytes, (uint64_t)value, bytes->version >= 4 ? 8 : 4);
}

static void put_number(struct bytes *bytes, double value)
{
    if (bytes->version == 1) {
        float small = (float)value;
        uint32_t bits;
        memcpy(&bits, &small, 4);
        put(bytes, bits, 4);
    } else {
        uint64_t bits;
        memcpy(&bits, &value, 8);
        put(bytes, bits, 8);
    }
}

/* A section of `size` bytes behind its place of the next one. */
static void put_section(struct bytes *bytes, int code, size_t size)
{
    size_t place = bytes->version >= 3 ? 8 : 4;
    put(bytes, (uint64_t)code, 4);
    put(bytes, bytes->size + place + size, place);
}

static void make_binary(struct bytes *bytes, int version, bool big)
{
    static const double positions[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1.5};
    *bytes = (struct bytes){.big = big, .version = version};
    size_t word = version >= 4 ? 8 : 4;
    put(bytes, 1, 4);
    put(bytes, (uint64_t)version, 4);
    put_section(bytes, 3, 4);
    put(bytes, 3, 4);
    put_section(bytes, 13, word); /* corners, which are not used */
    put_integer(bytes, 0);
    put_section(bytes, 4, word + 4 * (3 * (version == 1 ? 4 : 8) + word));
    put_integer(bytes, 4);
    for (int i = 0; i < 12; i++) {
        put_number(bytes, positions[i]);
        if (i % 3 == 2) {
            put_integer(bytes, 0);
        }
    }
    put_section(bytes, 8, 6 * word);
    put_integer(bytes, 1);
    for (int i = 1; i <= 4; i++) {
        put_integer(bytes, i);
    }
    put_integer(bytes, -2);
    put(bytes, 54, 4);
    put(bytes, 0, version >= 3 ? 8 : 4);
}

static void binary_of_all_versions_and_both_byte_orders_is_read(void **state)
{
    (void)state;
    struct reading reading;
    reading_open(&reading);
    static struct bytes bytes;
    for (int version = 1; version <= 4; version++) {
        for (int big = 0; big < 2; big++) {
            make_binary(&bytes, version, big);
            const dent_mesh *mesh = read_bytes(&reading, "b.meshb", bytes.data, bytes.size);
            assert_read(&reading);
            assert_int_equal(mesh->file_vertex_count, 4);
            assert_corners(mesh->bodies[0].element_corners, 0, 1, 2, 3);
            assert_true(mesh->bodies[0].positions[11] == 1.5);
            assert_non_null(strstr(mesh->format, "medit binary"));
            size_t end_mark = bytes.size - (version >= 3 ? 8 : 4); /* what is behind it does not matter */
            for (size_t size = 1; size < end_mark; size++) {
                read_bytes(&reading, "b.meshb", bytes.data, size);
                assert_true(reading.status == DENT_ERROR_FORMAT || reading.status == DENT_ERROR_BAD_MESH ||
                            (size < 8 && reading.status == DENT_ERROR_UNSUPPORTED));
            }
        }
    }
    reading_close(&reading);
}

static void binary_with_wrong_numbers_is_refused(void **state)
{
    (void)state;
    struct reading reading;
    reading_open(&reading);
    static struct bytes bytes;
    make_binary(&bytes, 2, false);
    bytes.data[4] = 9;
    read_bytes(&reading, "b.meshb", bytes.data, bytes.size);
    assert_refused(&reading, "version", DENT_ERROR_UNSUPPORTED, "b.meshb|version 9");
    make_binary(&bytes, 2, false);
    bytes.data[12] = 8; /* the next section would be this one again */
    read_bytes(&reading, "b.meshb", bytes.data, bytes.size);
    assert_refused(&reading, "circle", DENT_ERROR_FORMAT, "b.meshb: byte|next section is not behind");
    make_binary(&bytes, 2, false);
    memset(bytes.data + 40, 0xff, 4); /* the number of vertices */
    read_bytes(&reading, "b.meshb", bytes.data, bytes.size);
    assert_refused(&reading, "count", DENT_ERROR_FORMAT, "b.meshb: byte 44|claims -1 vertices");
    make_binary(&bytes, 4, true);
    memset(bytes.data + 56, 0x7f, 8);
    read_bytes(&reading, "b.meshb", bytes.data, bytes.size);
    assert_refused(&reading, "count", DENT_ERROR_FORMAT, "b.meshb: byte 64|claims 9187201950435737471 vertices");
    make_binary(&bytes, 2, false);
    memset(bytes.data + 44, 0xff, 8); /* x of the first vertex */
    read_bytes(&reading, "b.meshb", bytes.data, bytes.size);
    assert_refused(&reading, "number", DENT_ERROR_BAD_NUMBER, "b.meshb|vertex 0: x is not a number");
    make_binary(&bytes, 2, false);
    bytes.data[bytes.size - 16] = 5; /* the last corner */
    read_bytes(&reading, "b.meshb", bytes.data, bytes.size);
    assert_refused(&reading, "corner", DENT_ERROR_BAD_MESH, "b.meshb: byte|vertex 5");
    reading_close(&reading);
}

static void broken_text_is_refused_with_line_and_culprit(void **state)
{
    (void)state;
#define HEAD "MeshVersionFormatted 2\nDimension 3\n"
#define VERTICES "Vertices\n3\n0 0 0 0\n1 0 0 0\n0 1 0 0\n"
    static const struct broken_file files[] = {
        {"another format", "ply\n", DENT_ERROR_FORMAT, "b.mesh:1|'ply'|not a MEDIT file"},
        {"version", "MeshVersionFormatted 7\n", DENT_ERROR_FORMAT, "version: 7"},
        {"dimension 4", "MeshVersionFormatted 2\nDimension 4\n", DENT_ERROR_UNSUPPORTED, "b.mesh:2|dimension 4"},
        {"no dimension", "MeshVersionFormatted 2\nVertices 1\n0 0 0 0\n", DENT_ERROR_FORMAT, "before the dimension"},
        {"nothing", HEAD, DENT_ERROR_BAD_MESH, "0 vertices"},
        {"2^32 vertices", HEAD "Vertices\n4294967296\n0 0 0 0\n", DENT_ERROR_FORMAT,
         "b.mesh:4|claims 4294967296 vertices"},
        {"2^63 vertices", HEAD "Vertices\n9223372036854775807\n0 0 0 0\n", DENT_ERROR_FORMAT,
         "claims 9223372036854775807"},
        {"negative", HEAD "Vertices\n-3\n", DENT_ERROR_FORMAT, "-3 is not in the range"},
        {"cut", HEAD "Vertices\n2\n0 0 0 0\n1 0.0000\n", DENT_ERROR_FORMAT, "file ends|z of the vertex"},
        {"not a number", HEAD "Vertices\n2\n0 0 0 0\n1 nan 0 0\n", DENT_ERROR_BAD_NUMBER,
         "b.mesh:6|vertex 1: y is not a number"},
        {"infinity", HEAD "Vertices\n2\n0 0 0 0\n1 -1e999 0 0\n", DENT_ERROR_BAD_NUMBER,
         "b.mesh:6|vertex 1: y is infinite"},
        {"twice", HEAD VERTICES VERTICES, DENT_ERROR_FORMAT, "second list of vertices"},
        {"2^32 triangles", HEAD VERTICES "Triangles\n4294967296\n1 2 3 0\n", DENT_ERROR_FORMAT,
         "claims 4294967296 Triangles"},
        {"index too large", HEAD VERTICES "Triangles\n1\n1 2 4 0\n", DENT_ERROR_BAD_MESH,
         "b.mesh:10|Triangles: vertex 4|there are 3"},
        {"index 0", HEAD VERTICES "Triangles\n1\n0 1 2 0\n", DENT_ERROR_BAD_MESH, "vertex 0"},
        {"negative index", HEAD VERTICES "Triangles\n1\n-1 1 2 0\n", DENT_ERROR_BAD_MESH, "vertex -1"},
        {"index too large, vertices later", HEAD "Triangles\n1\n1 2 4 0\n" VERTICES, DENT_ERROR_BAD_MESH,
         "triangle (element 0): corner 2 is vertex 3|only 3"},
        {"index of 33 bits", HEAD "Triangles\n1\n1 2 4294967297 0\n" VERTICES, DENT_ERROR_BAD_MESH, "4294967297"},
        {"no reference", HEAD VERTICES "Triangles\n1\n1 2 3    \nEnd\n", DENT_ERROR_FORMAT,
         "reference of the element: 'End'"},
        {"huge reference", HEAD VERTICES "Triangles\n1\n1 2 3 99999999999\n", DENT_ERROR_TOO_LARGE,
         "reference 99999999999"},
        {"number for a keyword", HEAD VERTICES "12 13\n", DENT_ERROR_FORMAT, "b.mesh:8|'12' where a keyword"},
        {"only vertices", HEAD VERTICES, DENT_ERROR_BAD_MESH, "nothing that makes a body"},
    };
    assert_all_refused("b.mesh", files, sizeof files / sizeof files[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_gives_bodies_by_reference_and_groups),
        cmocka_unit_test(cells_of_all_kinds_and_elements_before_vertices),
        cmocka_unit_test(second_order_sections_are_reduced),
        cmocka_unit_test(plane_meshes_lie_at_z_zero),
        cmocka_unit_test(binary_of_all_versions_and_both_byte_orders_is_read),
        cmocka_unit_test(binary_with_wrong_numbers_is_refused),
        cmocka_unit_test(broken_text_is_refused_with_line_and_culprit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
