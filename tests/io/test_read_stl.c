/* STL, text and binary: welding, facets that degenerate, which of the two a file is, and what broken ones say. */
#include "mesh_file_checks.h"

static const float quad[2][3][3] = {{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}}, {{0, 0, 0}, {1, 1, 0}, {0, 1, 0}}};

static void add_binary_facet(struct byte_string *file, const float corners[3][3])
{
    for (int i = 0; i < 3; i++) {
        add_float(file, 0, false);
    }
    for (int i = 0; i < 9; i++) {
        add_float(file, corners[i / 3][i % 3], false);
    }
    add_unsigned(file, 0xBEEF, 2, false);
}

static struct byte_string binary_file(const char *header, uint32_t claimed)
{
    struct byte_string file;
    memset(&file, 0, sizeof file);
    memcpy(file.data, header, strlen(header));
    file.size = 80;
    add_unsigned(&file, claimed, 4, false);
    return file;
}

static struct byte_string binary_quad(const char *header)
{
    struct byte_string file = binary_file(header, 2);
    add_binary_facet(&file, quad[0]);
    add_binary_facet(&file, quad[1]);
    return file;
}

#define FACET(a, b, c)                                                                                                 \
    "facet normal 0 0 1\n outer loop\n  vertex " a "\n  vertex " b "\n  vertex " c "\n endloop\nendfacet\n"
#define QUAD FACET("0 0 0", "1 0 0", "1 1 0") FACET("0 0 0", "1 1 0", "0 1 0")

static void assert_is_quad(struct checks *checks, dent_mesh *mesh, const char *format)
{
    assert_string_equal(mesh->format, format);
    const dent_mesh_body *body = only_body(mesh, DENT_BODY_SURFACE, 4, 2);
    assert_corners(body, (uint32_t[]){0, 1, 2, 0, 2, 3}, 6);
    assert_same_doubles(body->positions, (double[]){0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0}, 12);
    dent_mesh_destroy(checks->context, mesh);
}

static void text_is_welded_by_first_appearance(void **state)
{
    struct checks *checks = *state;
    assert_is_quad(checks, read_good_text(checks, "a.stl", "solid a name\n" QUAD "endsolid a name\n"), "stl ascii");
    assert_is_quad(checks, read_good_text(checks, "a.stl", "SOLID\r\n" QUAD "EndSolid"), "stl ascii");
}

static void binary_is_welded_by_first_appearance(void **state)
{
    struct checks *checks = *state;
    struct byte_string file = binary_quad("made by hand");
    assert_is_quad(checks, read_good(checks, "a.stl", file.data, file.size), "stl binary");
}

static void a_binary_file_that_begins_with_solid_is_binary(void **state)
{
    struct checks *checks = *state;
    struct byte_string file = binary_quad("solid made by a well-known program");
    assert_is_quad(checks, read_good(checks, "a.stl", file.data, file.size), "stl binary");
}

static void bytes_behind_the_last_facet_are_noticed(void **state)
{
    struct checks *checks = *state;
    struct byte_string file = binary_quad("");
    add_text(&file, "tail");
    assert_is_quad(checks, read_good(checks, "a.stl", file.data, file.size), "stl binary");
    assert_non_null(strstr(checks->log, "a.stl: 4 bytes behind the last facet"));
}

static void several_solids_make_one_body(void **state)
{
    struct checks *checks = *state;
    dent_mesh *mesh = read_good_text(checks, "a.stl",
                                     "solid a\n" FACET("0 0 0", "1 0 0", "1 1 0") "endsolid a\nsolid b\n" FACET(
                                         "0 0 0", "1 1 0", "0 1 0") "endsolid b\n");
    assert_is_quad(checks, mesh, "stl ascii");
    assert_non_null(strstr(checks->log, "2 solids were joined"));
}

static void positions_are_welded_when_all_bits_agree_and_only_then(void **state)
{
    struct checks *checks = *state;
    dent_mesh *mesh =
        read_good_text(checks, "a.stl",
                       "solid\n" FACET("0 0 0", "1 0 0", "0 1 0") FACET("-0 0 0", "1 0 0", "0 1.0000000000000002 0")
                           FACET("0.0 0e5 0", "1.0 0 0", "0 10e-1 0") "endsolid\n");
    const dent_mesh_body *body = only_body(mesh, DENT_BODY_SURFACE, 5, 3);
    assert_corners(body, (uint32_t[]){0, 1, 2, 3, 1, 4, 0, 1, 2}, 9);
    assert_same_doubles(body->positions + 9, (double[]){-0.0, 0, 0, 0, 1.0000000000000002, 0}, 6);
    dent_mesh_destroy(checks->context, mesh);
}

static void facets_with_coinciding_corners_are_kept_with_corners_of_their_own(void **state)
{
    struct checks *checks = *state;
    dent_mesh *mesh = read_good_text(checks, "a.stl",
                                     "solid\n" FACET("0 0 0", "0 0 0", "1 0 0") FACET("0 0 0", "1 0 0", "0 1 0")
                                         FACET("0 0 0", "0 0 0", "0 0 0") "endsolid\n");
    const dent_mesh_body *body = only_body(mesh, DENT_BODY_SURFACE, 6, 3);
    assert_corners(body, (uint32_t[]){0, 1, 2, 0, 2, 3, 0, 4, 5}, 9);
    assert_non_null(strstr(checks->log, "2 facets have corners that coincide"));
    dent_mesh_destroy(checks->context, mesh);
}

static void a_large_grid_is_welded_to_its_nodes(void **state)
{
    struct checks *checks = *state;
    enum { N = 40 };
    size_t size = 84 + 50 * 2 * N * N;
    uint8_t *bytes = calloc(size, 1);
    struct byte_string facet;
    bytes[80] = (2 * N * N) & 255;
    bytes[81] = (2 * N * N) >> 8;
    for (int i = 0; i < 2 * N * N; i++) {
        float x = (float)(i / 2 % N), y = (float)(i / 2 / N);
        const float lower[3][3] = {{x, y, 0}, {x + 1, y, 0}, {x + 1, y + 1, 0}};
        const float upper[3][3] = {{x, y, 0}, {x + 1, y + 1, 0}, {x, y + 1, 0}};
        facet.size = 0;
        add_binary_facet(&facet, i % 2 ? upper : lower);
        memcpy(bytes + 84 + 50 * i, facet.data, 50);
    }
    dent_mesh *mesh = read_good(checks, "a.stl", bytes, size);
    only_body(mesh, DENT_BODY_SURFACE, (N + 1) * (N + 1), 2 * N * N);
    dent_mesh_destroy(checks->context, mesh);
    free(bytes);
}

static void broken_files_are_refused_by_name(void **state)
{
    struct checks *checks = *state;
    struct byte_string many = binary_file("", 0xFFFFFFFFu);
    struct byte_string none = binary_file("", 0);
    struct byte_string cut = binary_quad("solid");
    struct byte_string nan = binary_file("", 1);
    float corners[3][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    uint32_t nan_bits = 0x7fc00000u;
    memcpy(&corners[2][1], &nan_bits, 4);
    add_binary_facet(&nan, corners);
    const struct broken_file files[] = {
        {"2^32 - 1 facets claimed", "a.stl", (char *)many.data, many.size, DENT_ERROR_FORMAT,
         "claims 4294967295 facets"},
        {"no facets, binary", "a.stl", (char *)none.data, none.size, DENT_ERROR_FORMAT, "without facets"},
        {"truncated binary", "a.stl", (char *)cut.data, cut.size - 1, DENT_ERROR_FORMAT,
         "claims 2 facets, which need 184 bytes, but the file has 183"},
        {"NaN, binary", "a.stl", (char *)nan.data, nan.size, DENT_ERROR_BAD_NUMBER, "vertex 2: y"},
        {"shorter than a header", "a.stl", "garbage", 0, DENT_ERROR_FORMAT, "neither text STL"},
        {"no facets, text", "a.stl", "solid a\nendsolid a\n", 0, DENT_ERROR_FORMAT, "without facets"},
        {"NaN, text", "a.stl", "solid\n" FACET("0 0 0", "1 nan 0", "1 1 0") "endsolid\n", 0, DENT_ERROR_BAD_NUMBER,
         "a.stl:2: vertex 1: y"},
        {"infinity, text", "a.stl", "solid\n" FACET("0 0 0", "1 1e400 0", "1 1 0") "endsolid\n", 0,
         DENT_ERROR_BAD_NUMBER, "vertex 1: y"},
        {"text that ends", "a.stl", "solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0", 0, DENT_ERROR_FORMAT, "ends"},
        {"text without endsolid", "a.stl", "solid\n" QUAD, 0, DENT_ERROR_FORMAT, "'facet' or 'endsolid'"},
        {"a facet of four corners", "a.stl",
         "solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 1 1 0\nvertex 0 1 "
         "0\nendloop\nendfacet\nendsolid\n",
         0, DENT_ERROR_FORMAT, "a.stl:7: 'vertex' where 'endloop' should be"},
        {"a word for a number", "a.stl", "solid\n" FACET("0 0 0", "1 x 0", "1 1 0") "endsolid\n", 0, DENT_ERROR_FORMAT,
         "a.stl:5: "},
        {"text behind the end", "a.stl", "solid\n" QUAD "endsolid\nmore\n", 0, DENT_ERROR_FORMAT,
         "'more' where 'solid' should be"},
        {"empty file", "a.stl", "", 0, DENT_ERROR_FILE, "empty"},
    };
    assert_all_refused(checks, files, COUNT_OF(files));
}

static const char sample[] = "solid a\n" QUAD FACET("0 0 0", "0 0 0", "1 0 0") "endsolid a\n";

static void every_failing_allocation_is_out_of_memory_and_leaves_nothing(void **state)
{
    struct byte_string file = binary_quad("");
    assert_true(fail_every_allocation(*state, "a.stl", sample, sizeof sample - 1) > 5);
    assert_true(fail_every_allocation(*state, "a.stl", file.data, file.size) > 5);
}

static void every_prefix_is_read_or_refused(void **state)
{
    struct byte_string file = binary_quad("solid");
    assert_every_prefix_is_safe(*state, "a.stl", sample, sizeof sample - 1);
    assert_every_prefix_is_safe(*state, "a.stl", file.data, file.size);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(text_is_welded_by_first_appearance, checks_setup, checks_teardown),
        cmocka_unit_test_setup_teardown(binary_is_welded_by_first_appearance, checks_setup, checks_teardown),
        cmocka_unit_test_setup_teardown(a_binary_file_that_begins_with_solid_is_binary, checks_setup, checks_teardown),
        cmocka_unit_test_setup_teardown(bytes_behind_the_last_facet_are_noticed, checks_setup, checks_teardown),
        cmocka_unit_test_setup_teardown(several_solids_make_one_body, checks_setup, checks_teardown),
        cmocka_unit_test_setup_teardown(positions_are_welded_when_all_bits_agree_and_only_then, checks_setup,
                                        checks_teardown),
        cmocka_unit_test_setup_teardown(facets_with_coinciding_corners_are_kept_with_corners_of_their_own, checks_setup,
                                        checks_teardown),
        cmocka_unit_test_setup_teardown(a_large_grid_is_welded_to_its_nodes, checks_setup, checks_teardown),
        cmocka_unit_test_setup_teardown(broken_files_are_refused_by_name, checks_setup, checks_teardown),
        cmocka_unit_test_setup_teardown(every_failing_allocation_is_out_of_memory_and_leaves_nothing, checks_setup,
                                        checks_teardown),
        cmocka_unit_test_setup_teardown(every_prefix_is_read_or_refused, checks_setup, checks_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
