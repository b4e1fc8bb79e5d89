/* PLY in its three encodings, with all number types and orders of properties, and what broken ones say. */
#include "mesh_file_checks.h"

static const double square[4][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0.1}, {0, 1, -0.0}};

static void assert_is_square(struct checks *checks, dent_mesh *mesh, const char *format)
{
    assert_string_equal(mesh->format, format);
    const dent_mesh_body *body = only_body(mesh, DENT_BODY_SURFACE, 4, 2);
    assert_same_doubles(body->positions, square[0], 12);
    assert_corners(body, (uint32_t[]){0, 1, 2, 0, 2, 3}, 6);
    dent_mesh_destroy(checks->context, mesh);
}

static void text_is_read(void **state)
{
    struct checks *checks = *state;
    assert_is_square(
        checks,
        read_good_text(checks, "a.ply",
                       "ply\nformat ascii 1.0\ncomment by hand\nobj_info none\nelement vertex 4\nproperty double x\n"
                       "property double y\nproperty double z\nelement face 2\nproperty list uchar int "
                       "vertex_indices\nend_header\n0 0 0\n1 0 0\n1 1 0.1\n0 1 -0.0\n3 0 1 2\n3 0 2 3"),
        "ply ascii");
}

static void text_with_line_ends_of_other_systems_is_read(void **state)
{
    struct checks *checks = *state;
    assert_is_square(
        checks,
        read_good_text(checks, "a.ply",
                       "ply\r\nformat ascii 1.0\r\nelement vertex 4\r\nproperty double x\r\nproperty double y\r\n"
                       "property double z\r\nelement face 2\r\nproperty list uchar int vertex_index\r\n"
                       "end_header\r\n0 0 0\r\n1 0 0\r\n1 1 0.1\r\n0 1 -0.0\r\n3 0 1 2\r\n3 0 2 3\r\n"),
        "ply ascii");
    assert_is_square(checks,
                     read_good_text(checks, "a.ply",
                                    "ply\rformat ascii 1.0\relement vertex 4\rproperty double x\rproperty double y\r"
                                    "property double z\relement face 2\rproperty list uchar int vertex_index\r"
                                    "end_header\r0 0 0\r1 0 0\r1 1 0.1\r0 1 -0.0\r3 0 1 2\r3 0 2 3\r"),
                     "ply ascii");
}

/* Doubles in the order z, colour, x, normals as a list, y; faces with an attribute before and behind; another element
 * between. */
static struct byte_string binary_square(bool big_endian, const char *index_type, int index_size)
{
    struct byte_string file = {.size = 0};
    char header[512];
    snprintf(
        header, sizeof header,
        "ply\nformat binary_%s_endian 1.0\nelement vertex 4\nproperty double z\nproperty uint8 red\nproperty float64 "
        "x\n"
        "property list ushort float normal\nproperty double y\nelement material 1\nproperty list int8 double values\n"
        "property short id\nelement face 2\nproperty float quality\nproperty list uint32 %s vertex_indices\n"
        "property uchar flags\nend_header\n",
        big_endian ? "big" : "little", index_type);
    add_text(&file, header);
    for (int v = 0; v < 4; v++) {
        add_double(&file, square[v][2], big_endian);
        add_unsigned(&file, 200, 1, big_endian);
        add_double(&file, square[v][0], big_endian);
        add_unsigned(&file, (uint64_t)v, 2, big_endian);
        for (int i = 0; i < v; i++) {
            add_float(&file, 1, big_endian);
        }
        add_double(&file, square[v][1], big_endian);
    }
    add_unsigned(&file, 2, 1, big_endian);
    add_double(&file, 1, big_endian);
    add_double(&file, 2, big_endian);
    add_unsigned(&file, 7, 2, big_endian);
    static const uint32_t faces[2][3] = {{0, 1, 2}, {0, 2, 3}};
    for (int f = 0; f < 2; f++) {
        add_float(&file, 0.5f, big_endian);
        add_unsigned(&file, 3, 4, big_endian);
        for (int c = 0; c < 3; c++) {
            add_unsigned(&file, faces[f][c], index_size, big_endian);
        }
        add_unsigned(&file, 9, 1, big_endian);
    }
    return file;
}

static void binary_of_both_byte_orders_and_all_index_types_is_read(void **state)
{
    struct checks *checks = *state;
    static const struct {
        const char *type;
        int size;
    } types[] = {{"char", 1}, {"uchar", 1}, {"short", 2}, {"ushort", 2}, {"int", 4},   {"uint", 4},
                 {"int8", 1}, {"uint8", 1}, {"int16", 2}, {"uint16", 2}, {"int32", 4}, {"uint32", 4}};
    for (size_t i = 0; i < COUNT_OF(types); i++) {
        struct byte_string little = binary_square(false, types[i].type, types[i].size);
        struct byte_string big = binary_square(true, types[i].type, types[i].size);
        assert_is_square(checks, read_good(checks, "a.ply", little.data, little.size), "ply binary little endian");
        assert_is_square(checks, read_good(checks, "a.ply", big.data, big.size), "ply binary big endian");
    }
    assert_non_null(strstr(checks->log, "a.ply: 1 records of elements other than vertex and face were skipped"));
}

static void floats_are_widened_exactly_and_integers_are_positions_too(void **state)
{
    struct checks *checks = *state;
    struct byte_string file = {.size = 0};
    add_text(
        &file,
        "ply\nformat binary_big_endian 1.0\nelement vertex 3\nproperty float x\nproperty short y\nproperty uchar z\n"
        "element face 1\nproperty list uchar uchar vertex_index\nend_header\n");
    const float xs[3] = {0.1f, 1.401298464324817e-45f, -3.4028234663852886e38f};
    for (int i = 0; i < 3; i++) {
        add_float(&file, xs[i], true);
        add_unsigned(&file, (uint16_t)(-300 + i), 2, true);
        add_unsigned(&file, 255, 1, true);
    }
    add_unsigned(&file, 0x03000102, 4, true);
    dent_mesh *mesh = read_good(checks, "a.ply", file.data, file.size);
    const double expected[9] = {(double)xs[0], -300, 255, (double)xs[1], -299, 255, (double)xs[2], -298, 255};
    assert_same_doubles(only_body(mesh, DENT_BODY_SURFACE, 3, 1)->positions, expected, 9);
    dent_mesh_destroy(checks->context, mesh);
}

static void binary_data_that_begin_with_a_line_feed_survive_a_header_of_carriage_returns(void **state)
{
    struct checks *checks = *state;
    struct byte_string file = {.size = 0};
    add_text(&file, "ply\rformat binary_little_endian 1.0\relement vertex 3\rproperty uchar x\rproperty uchar y\r"
                    "property uchar z\relement face 1\rproperty list uchar uchar vertex_index\rend_header\r");
    add_unsigned(&file, 0x0A, 1, false); /* the first coordinate */
    for (int i = 1; i < 9; i++) {
        add_unsigned(&file, (uint64_t)i, 1, false);
    }
    add_unsigned(&file, 0x03000102, 4, true);
    dent_mesh *mesh = read_good(checks, "a.ply", file.data, file.size);
    assert_same_doubles(only_body(mesh, DENT_BODY_SURFACE, 3, 1)->positions, (double[]){10, 1, 2, 3, 4, 5, 6, 7, 8}, 9);
    dent_mesh_destroy(checks->context, mesh);
}

static void faces_may_be_declared_before_vertices_and_have_many_corners(void **state)
{
    struct checks *checks = *state;
    dent_mesh *mesh =
        read_good_text(checks, "a.ply",
                       "ply\nformat ascii 1.0\nelement face 2\nproperty list uchar int vertex_indices\n"
                       "element vertex 5\nproperty float x\nproperty float y\nproperty float z\nend_header\n"
                       "5 0 1 2 3 4\n4 4 3 2 1\n0 0 0 1 0 0 2 1 0 1 2 0 0 1 0\n");
    const dent_mesh_body *body = only_body(mesh, DENT_BODY_SURFACE, 5, 5);
    assert_corners(body, (uint32_t[]){0, 1, 2, 0, 2, 3, 0, 3, 4, 1, 4, 3, 1, 3, 2}, 15);
    assert_memory_equal(body->element_numbers, ((uint32_t[]){0, 0, 0, 1, 1}), 20);
    dent_mesh_destroy(checks->context, mesh);
}

#define HEAD(format, vertices, faces)                                                                                  \
    "ply\nformat " format " 1.0\nelement vertex " vertices "\nproperty float x\nproperty float y\nproperty float z\n"  \
    "element face " faces "\nproperty list uchar int vertex_indices\nend_header\n"
#define POINTS "0 0 0\n1 0 0\n0 1 0\n"

static void broken_files_are_refused_by_name(void **state)
{
    struct byte_string whole = binary_square(false, "int", 4);
    struct byte_string negative = binary_square(false, "int", 4);
    memset(negative.data + negative.size - 5, 0xFF, 4);
    const struct broken_file files[] = {
        {"not PLY", "a.ply", "plx\n", 0, DENT_ERROR_FORMAT, "a.ply:1: a PLY file must begin with 'ply'"},
        {"header that ends", "a.ply", "ply\nformat ascii 1.0\n", 0, DENT_ERROR_FORMAT, "ends within the header"},
        {"no format", "a.ply", "ply\nelement vertex 0\nend_header\n", 0, DENT_ERROR_FORMAT, "names no format"},
        {"unknown format", "a.ply", "ply\nformat binary_middle_endian 1.0\nend_header\n", 0, DENT_ERROR_FORMAT,
         "'binary_middle_endian'"},
        {"unknown header line", "a.ply", "ply\nformat ascii 1.0\nelephant\n", 0, DENT_ERROR_FORMAT,
         "a.ply:3: 'elephant'"},
        {"unknown type", "a.ply", "ply\nformat ascii 1.0\nelement vertex 1\nproperty quad x\n", 0, DENT_ERROR_FORMAT,
         "a.ply:4: 'quad'"},
        {"property without element", "a.ply", "ply\nformat ascii 1.0\nproperty float x\n", 0, DENT_ERROR_FORMAT,
         "before the first element"},
        {"fractional list length", "a.ply",
         "ply\nformat ascii 1.0\nelement face 1\nproperty list float int vertex_index\n", 0, DENT_ERROR_FORMAT,
         "cannot be a fraction"},
        {"no vertices", "a.ply",
         "ply\nformat ascii 1.0\nelement face 0\nproperty list uchar int vertex_index\nend_header\n", 0,
         DENT_ERROR_FORMAT, "no element 'vertex'"},
        {"no z", "a.ply",
         "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nend_header\n0 0\n", 0,
         DENT_ERROR_FORMAT, "has no x, y and z"},
        {"vertex declared twice", "a.ply", "ply\nformat ascii 1.0\nelement vertex 1\nelement vertex 2\n", 0,
         DENT_ERROR_FORMAT, "declared twice"},
        {"x declared twice", "a.ply", "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float x\n",
         0, DENT_ERROR_FORMAT, "'x' is declared twice"},
        {"2^32 vertices claimed", "a.ply", HEAD("ascii", "4294967296", "1") POINTS, 0, DENT_ERROR_FORMAT,
         "claims 4294967296 of element 'vertex'"},
        {"2^62 faces claimed, binary", "a.ply", HEAD("binary_little_endian", "0", "4611686018427387904"), 0,
         DENT_ERROR_FORMAT, "claims 4611686018427387904 of element 'face'"},
        {"2^64 faces claimed", "a.ply", HEAD("ascii", "3", "18446744073709551616") POINTS, 0, DENT_ERROR_FORMAT,
         "18446744073709551616"},
        {"negative count", "a.ply", HEAD("ascii", "-1", "1"), 0, DENT_ERROR_FORMAT, "-1"},
        {"fewer vertices than claimed", "a.ply", HEAD("ascii", "4", "1") POINTS "3 0 1 2\n", 0, DENT_ERROR_FORMAT,
         "face 0 has a list longer"},
        {"fewer faces than claimed", "a.ply", HEAD("ascii", "3", "2") POINTS "3 0 1 2\n", 0, DENT_ERROR_FORMAT, "ends"},
        {"more data than declared", "a.ply", HEAD("ascii", "3", "1") POINTS "3 0 1 2\n3 0 1 2\n", 0, DENT_ERROR_FORMAT,
         "a.ply:14: more data"},
        {"list longer than the file", "a.ply", HEAD("ascii", "3", "1") POINTS "250 0 1 2\n", 0, DENT_ERROR_FORMAT,
         "face 0 has a list longer"},
        {"face of two corners", "a.ply", HEAD("ascii", "3", "1") POINTS "2 0 1\n", 0, DENT_ERROR_FORMAT,
         "face 0 has fewer than 3"},
        {"index out of range", "a.ply", HEAD("ascii", "3", "1") POINTS "3 0 1 3\n", 0, DENT_ERROR_BAD_MESH, "vertex 3"},
        {"negative index", "a.ply", HEAD("ascii", "3", "1") POINTS "3 0 1 -1\n", 0, DENT_ERROR_FORMAT,
         "face 0 names a vertex"},
        {"negative index, binary", "a.ply", (char *)negative.data, negative.size, DENT_ERROR_FORMAT,
         "face 1 names a vertex"},
        {"NaN", "a.ply", HEAD("ascii", "3", "1") "0 0 0\n1 nan 0\n0 1 0\n3 0 1 2\n", 0, DENT_ERROR_BAD_NUMBER,
         "vertex 1: y"},
        {"a word for a number", "a.ply", HEAD("ascii", "3", "1") "0 0 0\n1 a 0\n0 1 0\n3 0 1 2\n", 0, DENT_ERROR_FORMAT,
         "a.ply:11: "},
        {"text declared as binary", "a.ply", HEAD("binary_little_endian", "3", "1") POINTS "3 0 1 2\n", 0,
         DENT_ERROR_FORMAT, "claims 3 of element 'vertex', but only 26 bytes"},
        {"binary cut off", "a.ply", (char *)whole.data, whole.size - 1, DENT_ERROR_FORMAT, "face 1 is cut off"},
        {"empty file", "a.ply", "", 0, DENT_ERROR_FILE, "empty"},
    };
    assert_all_refused(*state, files, COUNT_OF(files));
}

static void an_element_without_properties_costs_nothing_whatever_it_claims(void **state)
{
    struct checks *checks = *state;
    dent_mesh *mesh =
        read_good_text(checks, "a.ply",
                       "ply\nformat ascii 1.0\nelement nothing 9223372036854775807\nelement vertex 3\nproperty "
                       "float x\nproperty float y\nproperty float z\nelement face 1\nproperty list uchar int "
                       "vertex_indices\nend_header\n" POINTS "3 0 1 2\n");
    only_body(mesh, DENT_BODY_SURFACE, 3, 1);
    dent_mesh_destroy(checks->context, mesh);
}

static void every_failing_allocation_is_out_of_memory_and_leaves_nothing(void **state)
{
    struct byte_string file = binary_square(true, "ushort", 2);
    assert_true(fail_every_allocation(*state, "a.ply", file.data, file.size) > 5);
}

static void every_prefix_is_read_or_refused(void **state)
{
    struct byte_string file = binary_square(true, "ushort", 2);
    static const char text[] = HEAD("ascii", "3", "1") POINTS "3 0 1 2\n";
    assert_every_prefix_is_safe(*state, "a.ply", file.data, file.size);
    assert_every_prefix_is_safe(*state, "a.ply", text, sizeof text - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(text_is_read, checks_setup, checks_teardown),
        cmocka_unit_test_setup_teardown(text_with_line_ends_of_other_systems_is_read, checks_setup, checks_teardown),
        cmocka_unit_test_setup_teardown(binary_of_both_byte_orders_and_all_index_types_is_read, checks_setup,
                                        checks_teardown),
        cmocka_unit_test_setup_teardown(floats_are_widened_exactly_and_integers_are_positions_too, checks_setup,
                                        checks_teardown),
        cmocka_unit_test_setup_teardown(binary_data_that_begin_with_a_line_feed_survive_a_header_of_carriage_returns,
                                        checks_setup, checks_teardown),
        cmocka_unit_test_setup_teardown(faces_may_be_declared_before_vertices_and_have_many_corners, checks_setup,
                                        checks_teardown),
        cmocka_unit_test_setup_teardown(broken_files_are_refused_by_name, checks_setup, checks_teardown),
        cmocka_unit_test_setup_teardown(an_element_without_properties_costs_nothing_whatever_it_claims, checks_setup,
                                        checks_teardown),
        cmocka_unit_test_setup_teardown(every_failing_allocation_is_out_of_memory_and_leaves_nothing, checks_setup,
                                        checks_teardown),
        cmocka_unit_test_setup_teardown(every_prefix_is_read_or_refused, checks_setup, checks_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
