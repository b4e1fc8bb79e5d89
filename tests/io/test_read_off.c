/* OFF files in strings: text with all prefixes, binary, and what broken ones say. */
#include "mesh_file_checks.h"

#define SQUARE "0 0 0\n1 0 0\n1 1 0\n0 1 0\n"

static void text_with_and_without_prefixes_gives_the_same_surface(void **state)
{
    struct checks *checks = *state;
    static const char *const texts[] = {
        "OFF\n4 2 0\n" SQUARE "3 0 1 2\n3 0 2 3\n",
        "OFF 4 2 5\n# comment\n" SQUARE "3 0 1 2 255 0 0\n3 0 2 3 # red\n",
        "4 2\n" SQUARE "\n3 0 1 2\n3 0 2 3",
        "COFF\r\n4 2 0\r\n0 0 0 255 0 0 255\r\n1 0 0 1 1 1 1\r\n1 1 0 0 0 0 0\r\n0 1 0 9 9 9 9\r\n3 0 1 2\r\n3 0 2 "
        "3\r\n",
        "STCNOFF\n4 2 0\n0 0 0 1 2 3 4 5 6 7 8 9\n1 0 0\n1 1 0\n0 1 0 1\n3 0 1 2\n3\n0 2\n3\n",
    };
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        dent_mesh *mesh = read_good_text(checks, "dir/sheet.off", texts[i]);
        const dent_mesh_body *body = only_body(mesh, DENT_BODY_SURFACE, 4, 2);
        assert_string_equal(body->name, "sheet");
        assert_string_equal(mesh->format, "off");
        assert_corners(body, (uint32_t[]){0, 1, 2, 0, 2, 3}, 6);
        assert_same_doubles(body->positions, (double[]){0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0}, 12);
        dent_mesh_destroy(checks->context, mesh);
    }
}

static void polygons_lines_and_points_are_told_apart(void **state)
{
    struct checks *checks = *state;
    dent_mesh *mesh = read_good_text(checks, "a.off", "OFF\n4 3 0\n" SQUARE "4 0 1 2 3\n2 0 1\n1 3\n");
    const dent_mesh_body *body = only_body(mesh, DENT_BODY_SURFACE, 4, 2);
    assert_memory_equal(body->element_numbers, ((uint32_t[]){0, 0}), 8);
    assert_int_equal(mesh->group_count, 2);
    dent_mesh_destroy(checks->context, mesh);
}

static struct byte_string binary_file(const char *head, int normals, int colours)
{
    static const float positions[] = {0, 0, 0, 1, 0, 0, 0.1f, 1e-40f, 0};
    static const uint32_t corners[] = {0, 1, 2};
    struct byte_string file = {.size = 0};
    add_text(&file, head);
    add_unsigned(&file, 3, 4, true);
    add_unsigned(&file, 1, 4, true);
    add_unsigned(&file, 0, 4, true);
    for (int v = 0; v < 3; v++) {
        for (int k = 0; k < 3 + 3 * normals; k++) {
            add_float(&file, k < 3 ? positions[3 * v + k] : 7, true);
        }
    }
    add_unsigned(&file, 3, 4, true);
    for (int k = 0; k < 3; k++) {
        add_unsigned(&file, corners[k], 4, true);
    }
    add_unsigned(&file, (uint64_t)colours, 4, true);
    for (int k = 0; k < colours; k++) {
        add_float(&file, 1, true);
    }
    return file;
}

static void binary_files_widen_their_floats_exactly(void **state)
{
    struct checks *checks = *state;
    for (int form = 0; form < 4; form++) {
        struct byte_string file = binary_file(form & 1 ? "NOFF BINARY\n" : "OFF BINARY\r\n", form & 1, form);
        dent_mesh *mesh = read_good(checks, "a.off", file.data, file.size);
        const dent_mesh_body *body = only_body(mesh, DENT_BODY_SURFACE, 3, 1);
        assert_string_equal(mesh->format, "off binary");
        assert_same_doubles(body->positions, (double[]){0, 0, 0, 1, 0, 0, 0.1f, 1e-40f, 0}, 9);
        dent_mesh_destroy(checks->context, mesh);
        assert_every_prefix_is_safe(checks, "a.off", file.data, file.size);
    }
}

static void what_follows_the_faces_is_said(void **state)
{
    struct checks *checks = *state;
    dent_mesh *mesh = read_good_text(checks, "a.off", "OFF\n4 1 0\n" SQUARE "3 0 1 2\n3 0 2 3\n");
    only_body(mesh, DENT_BODY_SURFACE, 4, 1);
    assert_non_null(strstr(checks->log, "behind the faces it announces"));
    dent_mesh_destroy(checks->context, mesh);
}

static void broken_files_are_refused_by_name(void **state)
{
    static const struct broken_file files[] = {
        {"no OFF file", "a.off", "ply\nformat ascii 1.0\n", 0, DENT_ERROR_FORMAT, "a.off:1: 'ply' where OFF should be"},
        {"four coordinates", "a.off", "4OFF\n1 0 0\n0 0 0 0\n", 0, DENT_ERROR_UNSUPPORTED, "'4OFF'"},
        {"n coordinates", "a.off", "nOFF\n5\n1 0 0\n0 0 0 0 0\n", 0, DENT_ERROR_UNSUPPORTED, "'nOFF'"},
        {"nothing but a comment", "a.off", "# nothing\n", 0, DENT_ERROR_FORMAT, "nothing but comments"},
        {"2^32 vertices", "a.off", "OFF\n4294967296 1 0\n0 0 0\n", 0, DENT_ERROR_FORMAT, "claims 4294967296 vertices"},
        {"2^62 faces", "a.off", "OFF\n4 4611686018427387904 0\n" SQUARE, 0, DENT_ERROR_FORMAT, "claims 46116860184"},
        {"corner beyond the last vertex", "a.off", "OFF\n4 1 0\n" SQUARE "3 0 1 4\n", 0, DENT_ERROR_BAD_MESH,
         "a.off:7: face 0: no vertex 4; the file has 4"},
        {"negative corner", "a.off", "OFF\n4 1 0\n" SQUARE "3 0 1 -1\n", 0, DENT_ERROR_BAD_MESH, "no vertex -1"},
        {"face without corners", "a.off", "OFF\n4 1 0\n" SQUARE "0   \n", 0, DENT_ERROR_FORMAT, "claims 0 corners"},
        {"face with 2^31 corners", "a.off", "OFF\n4 1 0\n" SQUARE "2147483648 0 1 2\n", 0, DENT_ERROR_FORMAT,
         "claims 2147483648 corners"},
        {"missing coordinate", "a.off", "OFF\n3 1 0\n0 0\n1 0 0\n0 1 0\n3 0 1 2\n", 0, DENT_ERROR_FORMAT, "a.off:3:"},
        {"NaN", "a.off", "OFF\n3 1 0\n0 nan 0\n1 0 0\n0 1 0\n3 0 1 2\n", 0, DENT_ERROR_BAD_NUMBER,
         "a.off:3: vertex 0: y"},
        {"truncated", "a.off", "OFF\n4 2 0\n" SQUARE "3 0 1 2\n3 0 2", 0, DENT_ERROR_FORMAT, "claims 3 corners"},
        {"points only", "a.off", "OFF\n4 0 0\n" SQUARE, 0, DENT_ERROR_BAD_MESH, "nothing that makes a body"},
        {"binary that ends in its counts", "a.off", "OFF BINARY\n\0\0\0\3", 15, DENT_ERROR_FORMAT, "claims 3 vertices"},
        {"binary with 2^31 vertices", "a.off", "OFF BINARY\n\377\377\377\377\0\0\0\1\0\0\0\0", 23, DENT_ERROR_FORMAT,
         "claims -1 vertices"},
    };
    assert_all_refused(*state, files, COUNT_OF(files));
}

static const char sample[] = "COFF\n4 3 0\n" SQUARE "4 0 1 2 3 1 1 1\n3 0 1 2\n2 0 1\n";

static void every_failing_allocation_is_out_of_memory_and_leaves_nothing(void **state)
{
    assert_true(fail_every_allocation(*state, "a.off", sample, sizeof sample - 1) > 5);
}

static void every_prefix_is_read_or_refused(void **state)
{
    assert_every_prefix_is_safe(*state, "a.off", sample, sizeof sample - 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, checks_setup, checks_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(text_with_and_without_prefixes_gives_the_same_surface),
        TEST(polygons_lines_and_points_are_told_apart),
        TEST(binary_files_widen_their_floats_exactly),
        TEST(what_follows_the_faces_is_said),
        TEST(broken_files_are_refused_by_name),
        TEST(every_failing_allocation_is_out_of_memory_and_leaves_nothing),
        TEST(every_prefix_is_read_or_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
