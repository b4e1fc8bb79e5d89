/* VEG files in strings: tetrahedra, cubes, passed sections, and what broken ones say. */
#include "mesh_file_checks.h"

#define FOUR "*VERTICES\n4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n"

static void tetrahedra_are_read_beside_other_sections(void **state)
{
    struct checks *checks = *state;
    dent_mesh *mesh = read_good_text(checks, "dir/turtle.veg",
                                     "# Vega mesh\n" FOUR "\n*ELEMENTS\nTET\n1 4 0\n1 1 2 3 4 # one\n\n"
                                     "*MATERIAL soft\nENU, 1000, 1e6, 0.45\n*SET all\n1,\n*REGION\nall, soft\n");
    const dent_mesh_body *body = only_body(mesh, DENT_BODY_SOLID, 4, 1);
    assert_string_equal(body->name, "turtle");
    assert_string_equal(mesh->format, "veg");
    assert_corners(body, (uint32_t[]){0, 1, 2, 3}, 4);
    assert_non_null(strstr(checks->log, "3 sections hold nothing"));
    dent_mesh_destroy(checks->context, mesh);
}

static void cubes_are_hexahedra(void **state)
{
    struct checks *checks = *state;
    dent_mesh *mesh =
        read_good_text(checks, "a.veg",
                       "*VERTICES\n8 3 0 0\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n5 0 0 1\n6 1 0 1\n7 1 1 1\n"
                       "8 0 1 1\n*elements\ncubic\n1 8 0\n1 1 2 3 4 5 6 7 8\n");
    const dent_mesh_body *body = only_body(mesh, DENT_BODY_SOLID, 8, 1);
    assert_int_equal(body->cell_kinds[0], DENT_CELL_HEXAHEDRON);
    assert_corners(body, (uint32_t[]){0, 1, 2, 3, 4, 5, 6, 7}, 8);
    dent_mesh_destroy(checks->context, mesh);
}

static void vertices_are_found_by_their_numbers(void **state)
{
    struct checks *checks = *state;
    dent_mesh *mesh = read_good_text(checks, "a.veg",
                                     "*VERTICES\n4 3 0 0\n9 0 0 0\n0 1 0 0\n-3 0 1 0\n4 0 0 1\n*ELEMENTS\nTET\n1 4 0\n"
                                     "0 9 0 -3 4\n");
    assert_corners(only_body(mesh, DENT_BODY_SOLID, 4, 1), (uint32_t[]){0, 1, 2, 3}, 4);
    dent_mesh_destroy(checks->context, mesh);
}

static void broken_files_are_refused_by_name(void **state)
{
    static const struct broken_file files[] = {
        {"no VEG file", "a.veg", "hello\n", 0, DENT_ERROR_FORMAT, "a.veg:1: 'hello' where *VERTICES should be"},
        {"no elements", "a.veg", FOUR, 0, DENT_ERROR_FORMAT, "no *ELEMENTS"},
        {"no vertices", "a.veg", "*SET a\n", 0, DENT_ERROR_FORMAT, "no *VERTICES"},
        {"elements first", "a.veg", "*ELEMENTS\nTET\n1 4 0\n1 1 2 3 4\n" FOUR, 0, DENT_ERROR_FORMAT,
         "elements come before vertices"},
        {"two lists of vertices", "a.veg", FOUR FOUR, 0, DENT_ERROR_FORMAT, "a second list of vertices"},
        {"two lists of elements", "a.veg", FOUR "*ELEMENTS\nTET\n0 4 0\n*ELEMENTS\n", 0, DENT_ERROR_FORMAT,
         "a second list of elements"},
        {"other elements", "a.veg", FOUR "*ELEMENTS\nPRISM\n", 0, DENT_ERROR_UNSUPPORTED, "'PRISM'"},
        {"no kind of elements", "a.veg", FOUR "*ELEMENTS\n", 0, DENT_ERROR_UNSUPPORTED, "TET and CUBIC are read"},
        {"wrong number of corners", "a.veg", FOUR "*ELEMENTS\nTET\n1 8 0\n", 0, DENT_ERROR_FORMAT,
         "number of vertices per element"},
        {"two dimensions", "a.veg", "*VERTICES\n4 2 0 0\n", 0, DENT_ERROR_FORMAT, "dimension"},
        {"no such vertex", "a.veg", FOUR "*ELEMENTS\nTET\n1 4 0\n7 1 2 3 5\n", 0, DENT_ERROR_BAD_MESH,
         "a.veg:10: element 7: no vertex has number 5"},
        {"a number twice", "a.veg", "*VERTICES\n2 3 0 0\n1 0 0 0\n1 1 0 0\n", 0, DENT_ERROR_BAD_MESH,
         "vertex number 1 appears twice"},
        {"2^32 vertices", "a.veg", "*VERTICES\n4294967296 3 0 0\n", 0, DENT_ERROR_FORMAT, "claims 4294967296 vertices"},
        {"2^32 elements", "a.veg", FOUR "*ELEMENTS\nTET\n4294967296 4 0\n", 0, DENT_ERROR_FORMAT, "claims 4294967296"},
        {"infinity", "a.veg", "*VERTICES\n1 3 0 0\n1 0 1e999 0\n", 0, DENT_ERROR_BAD_NUMBER, "a.veg:3: vertex 0: y"},
        {"truncated", "a.veg", FOUR "*ELEMENTS\nTET\n1 4 0\n1 1 2      ", 0, DENT_ERROR_FORMAT,
         "vertex of the element"},
        {"included files", "a.veg", "*INCLUDE b.veg\n" FOUR, 0, DENT_ERROR_UNSUPPORTED, "*INCLUDE"},
    };
    assert_all_refused(*state, files, COUNT_OF(files));
}

static const char sample[] = "*VERTICES\n4 3 0 0\n10 0 0 0\n20000000 1 0 0\n3 0 1 0\n4 0 0 1\n*ELEMENTS\nTET\n2 4 0\n"
                             "1 10 20000000 3 4\n2 10 20000000 4 3\n*SET a\n1,2\n";

static void every_failing_allocation_is_out_of_memory_and_leaves_nothing(void **state)
{
    assert_true(fail_every_allocation(*state, "a.veg", sample, sizeof sample - 1) > 5);
}

static void every_prefix_is_read_or_refused(void **state)
{
    assert_every_prefix_is_safe(*state, "a.veg", sample, sizeof sample - 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, checks_setup, checks_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(tetrahedra_are_read_beside_other_sections),
        TEST(cubes_are_hexahedra),
        TEST(vertices_are_found_by_their_numbers),
        TEST(broken_files_are_refused_by_name),
        TEST(every_failing_allocation_is_out_of_memory_and_leaves_nothing),
        TEST(every_prefix_is_read_or_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
