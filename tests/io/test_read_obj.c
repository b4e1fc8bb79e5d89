/* OBJ files in strings: what each statement gives, and what broken ones say. */
#include "mesh_file_checks.h"

static void triangles_and_positions_are_read_as_written(void **state)
{
    struct checks *checks = *state;
    dent_mesh *mesh =
        read_good_text(checks, "dir/part.obj",
                       "# comment\nmtllib a.mtl\no thing\nv 0 0 -0.0\nv 1 0.1 0 # trailing\nv 4.9e-324 1e308 -2.5E+3\n"
                       "vn 0 0 1\nvt 0 0\ns off\nf 1 2 3\n");
    const dent_mesh_body *body = only_body(mesh, DENT_BODY_SURFACE, 3, 1);
    assert_string_equal(body->name, "part");
    assert_string_equal(mesh->format, "obj");
    const double positions[] = {0, 0, -0.0, 1, 0.1, 0, 4.9e-324, 1e308, -2.5e3};
    assert_same_doubles(body->positions, positions, 9);
    assert_corners(body, (uint32_t[]){0, 1, 2}, 3);
    dent_mesh_destroy(checks->context, mesh);
}

static void all_forms_of_a_corner_name_the_same_vertex(void **state)
{
    struct checks *checks = *state;
    dent_mesh *mesh =
        read_good_text(checks, "a.obj",
                       "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 1/7 2/8 3/9\nf 1//4 2//4 3//4\nf 1/1/1 2/2/2 3/3/3\n"
                       "f -3 -2 -1\nf -3/1/1 -2//1 -1/5\n");
    const dent_mesh_body *body = only_body(mesh, DENT_BODY_SURFACE, 3, 6);
    for (int f = 0; f < 6; f++) {
        assert_memory_equal(body->element_corners + 3 * f, ((uint32_t[]){0, 1, 2}), 12);
    }
    dent_mesh_destroy(checks->context, mesh);
}

static void negative_numbers_count_from_the_latest_vertex(void **state)
{
    struct checks *checks = *state;
    dent_mesh *mesh = read_good_text(checks, "a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf -3 -2 -1\nv 0 0 1\nf -1 -2 -4\n");
    assert_corners(only_body(mesh, DENT_BODY_SURFACE, 4, 2), (uint32_t[]){0, 1, 2, 3, 2, 0}, 6);
    dent_mesh_destroy(checks->context, mesh);
}

static void faces_may_stand_before_their_vertices(void **state)
{
    struct checks *checks = *state;
    dent_mesh *mesh = read_good_text(checks, "a.obj", "f 1 2 3\n\tv 0 0 0\n  v 1 0 0\nv\t0 1 0\n");
    assert_corners(only_body(mesh, DENT_BODY_SURFACE, 3, 1), (uint32_t[]){0, 1, 2}, 3);
    dent_mesh_destroy(checks->context, mesh);
}

static void polygons_become_triangles_with_the_number_of_their_face(void **state)
{
    struct checks *checks = *state;
    dent_mesh *mesh = read_good_text(checks, "a.obj",
                                     "v 0 0 0\nv 1 0 0\nv 2 1 0\nv 1 2 0\nv 0 1 0\nf 1 2 3\nf 1 2 3 4 5\nf 2 3 4 5\n");
    const dent_mesh_body *body = only_body(mesh, DENT_BODY_SURFACE, 5, 6);
    assert_corners(body, (uint32_t[]){0, 1, 2, 0, 1, 2, 0, 2, 3, 0, 3, 4, 1, 2, 3, 1, 3, 4}, 18);
    assert_memory_equal(body->element_numbers, ((uint32_t[]){0, 1, 1, 1, 2, 2}), 24);
    dent_mesh_destroy(checks->context, mesh);
}

static void objects_groups_and_materials_do_not_split_the_body(void **state)
{
    struct checks *checks = *state;
    dent_mesh *mesh = read_good_text(
        checks, "a.obj",
        "o one\nv 0 0 0\nv 1 0 0\nv 0 1 0\ng a b\nusemtl red\nf 1 2 3\no two\ng c\nusemtl blue\nf 3 2 1\n");
    only_body(mesh, DENT_BODY_SURFACE, 3, 2);
    dent_mesh_destroy(checks->context, mesh);
}

static void lines_and_points_become_groups(void **state)
{
    struct checks *checks = *state;
    dent_mesh *mesh = read_good_text(checks, "a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nl 1 2 3\np 2 -1\n");
    only_body(mesh, DENT_BODY_SURFACE, 3, 1);
    assert_int_equal(mesh->group_count, 2);
    for (uint32_t g = 0; g < 2; g++) {
        const dent_mesh_group *group = &mesh->groups[g];
        assert_int_equal(group->element_count, 2);
        assert_int_equal(group->corners_per_element, group->dimension + 1);
        if (group->dimension == 1) {
            assert_memory_equal(group->corners, ((uint32_t[]){0, 1, 1, 2}), 16);
        } else {
            assert_memory_equal(group->corners, ((uint32_t[]){1, 2}), 8);
        }
    }
    dent_mesh_destroy(checks->context, mesh);
}

static void line_ends_of_all_systems_and_continued_lines_are_read(void **state)
{
    struct checks *checks = *state;
    static const char *const texts[] = {
        "v 0 0 0\r\nv 1 0 0\r\nv 0 1 0\r\nf 1 2 3\r\n",
        "v 0 0 0\rv 1 0 0\rv 0 1 0\rf 1 2 3",
        "v 0 0 0\nv 1 \\\n 0 0\nv 0 1 0\nf 1 \\\r\n 2\\\n\t3",
    };
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        dent_mesh *mesh = read_good_text(checks, "a.obj", texts[i]);
        const dent_mesh_body *body = only_body(mesh, DENT_BODY_SURFACE, 3, 1);
        assert_corners(body, (uint32_t[]){0, 1, 2}, 3);
        assert_same_doubles(body->positions, (double[]){0, 0, 0, 1, 0, 0, 0, 1, 0}, 9);
        dent_mesh_destroy(checks->context, mesh);
    }
}

static void what_is_skipped_is_said(void **state)
{
    struct checks *checks = *state;
    dent_mesh *mesh = read_good_text(
        checks, "a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\ncstype bezier\ncurv 0 1 1 2\nend\nhello world\n");
    assert_non_null(strstr(checks->log, "a.obj: 3 free-form"));
    assert_non_null(strstr(checks->log, "a.obj: 1 lines that are no OBJ statements"));
    dent_mesh_destroy(checks->context, mesh);
}

static void broken_files_are_refused_by_name(void **state)
{
#define THREE "v 0 0 0\nv 1 0 0\nv 0 1 0\n"
    static const struct broken_file files[] = {
        {"index beyond the last vertex", "a.obj", THREE "f 1 2 4\n", 0, DENT_ERROR_BAD_MESH,
         "a.obj:4: vertex 4 does not exist"},
        {"index zero", "a.obj", THREE "f 0 1 2\n", 0, DENT_ERROR_BAD_MESH, "a.obj:4: vertex 0 does not exist"},
        {"index zero before the last vertices", "a.obj", THREE "f 0 1 2\nv 0 0 1\n", 0, DENT_ERROR_BAD_MESH,
         "a.obj:4: vertex 0 does not exist"},
        {"negative index beyond the first vertex", "a.obj", THREE "f -4 1 2\n", 0, DENT_ERROR_BAD_MESH,
         ":4: vertex -4"},
        {"index of 2^32", "a.obj", THREE "f 1 2 4294967296\n", 0, DENT_ERROR_BAD_MESH, "vertex 4294967296"},
        {"index of 2^64", "a.obj", THREE "f 1 2 18446744073709551616\n", 0, DENT_ERROR_BAD_MESH,
         "vertex 18446744073709551616"},
        {"index that is a word", "a.obj", THREE "f 1 2 x\n", 0, DENT_ERROR_FORMAT, "'x' is not a vertex number"},
        {"empty index", "a.obj", THREE "f 1 2 /3\n", 0, DENT_ERROR_FORMAT, "'/3' is not a vertex number"},
        {"face of two corners", "a.obj", THREE "f 1 2\n", 0, DENT_ERROR_FORMAT, "a.obj:4: a face with 2 corners"},
        {"line of one corner", "a.obj", THREE "f 1 2 3\nl 1\n", 0, DENT_ERROR_FORMAT, "with 1 corners"},
        {"vertex with two coordinates", "a.obj", "v 0 0\n", 0, DENT_ERROR_FORMAT, "vertex 1 has 2 coordinates"},
        {"coordinate that is a word", "a.obj", "v 0 zero 0\n", 0, DENT_ERROR_FORMAT, "'zero'"},
        {"NaN", "a.obj", "v 0 nan 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", 0, DENT_ERROR_BAD_NUMBER, "a.obj:1: vertex 0: y"},
        {"infinity", "a.obj", "v 0 0 0\nv 1 0 1e999\nv 0 1 0\nf 1 2 3\n", 0, DENT_ERROR_BAD_NUMBER,
         "a.obj:2: vertex 1: z"},
        {"points only", "a.obj", THREE, 0, DENT_ERROR_BAD_MESH, "nothing that makes a body"},
        {"nothing but points", "a.obj", THREE "p 1 2 3\n", 0, DENT_ERROR_BAD_MESH, "nothing that makes a body"},
        {"no OBJ file", "a.obj",
         "\x7f"
         "ELF\0\0\0\0v",
         9, DENT_ERROR_FORMAT, "no vertices"},
        {"empty file", "a.obj", "", 0, DENT_ERROR_FILE, "empty"},
    };
    assert_all_refused(*state, files, COUNT_OF(files));
}

static const char sample[] =
    "v 0 0 0\nv 1 0 0\nv 2 1 0\nv 1 2 0\nv 0 1 0\nf 1 2 3 4 5\nf -1//2 -2/3/4 -3\nl 1 2\np 3\ncurv 1 2\n";

static void every_failing_allocation_is_out_of_memory_and_leaves_nothing(void **state)
{
    assert_true(fail_every_allocation(*state, "a.obj", sample, sizeof sample - 1) > 5);
}

static void every_prefix_is_read_or_refused(void **state)
{
    assert_every_prefix_is_safe(*state, "a.obj", sample, sizeof sample - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(triangles_and_positions_are_read_as_written, checks_setup, checks_teardown),
        cmocka_unit_test_setup_teardown(all_forms_of_a_corner_name_the_same_vertex, checks_setup, checks_teardown),
        cmocka_unit_test_setup_teardown(negative_numbers_count_from_the_latest_vertex, checks_setup, checks_teardown),
        cmocka_unit_test_setup_teardown(faces_may_stand_before_their_vertices, checks_setup, checks_teardown),
        cmocka_unit_test_setup_teardown(polygons_become_triangles_with_the_number_of_their_face, checks_setup,
                                        checks_teardown),
        cmocka_unit_test_setup_teardown(objects_groups_and_materials_do_not_split_the_body, checks_setup,
                                        checks_teardown),
        cmocka_unit_test_setup_teardown(lines_and_points_become_groups, checks_setup, checks_teardown),
        cmocka_unit_test_setup_teardown(line_ends_of_all_systems_and_continued_lines_are_read, checks_setup,
                                        checks_teardown),
        cmocka_unit_test_setup_teardown(what_is_skipped_is_said, checks_setup, checks_teardown),
        cmocka_unit_test_setup_teardown(broken_files_are_refused_by_name, checks_setup, checks_teardown),
        cmocka_unit_test_setup_teardown(every_failing_allocation_is_out_of_memory_and_leaves_nothing, checks_setup,
                                        checks_teardown),
        cmocka_unit_test_setup_teardown(every_prefix_is_read_or_refused, checks_setup, checks_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
