/* Legacy VTK: both encodings, both cell layouts, all cell types, groups, and what broken ones say. */
#include "mesh_file_checks.h"

#define HEAD "# vtk DataFile Version 3.0\na title\nASCII\n"
#define GRID HEAD "DATASET UNSTRUCTURED_GRID\n"
#define POINTS_5 "POINTS 5 double\n0 0 0 1 0 0 0 1 0\n0 0 1 1 1 1\n"

static const double five[15] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1};

static void assert_two_tetrahedra(struct checks *checks, dent_mesh *mesh, const char *format)
{
    assert_string_equal(mesh->format, format);
    const dent_mesh_body *body = only_body(mesh, DENT_BODY_SOLID, 5, 2);
    assert_same_doubles(body->positions, five, 15);
    assert_corners(body, (uint32_t[]){0, 1, 2, 3, 1, 2, 3, 4}, 8);
    assert_null(body->cell_kinds);
    dent_mesh_destroy(checks->context, mesh);
}

static void a_text_grid_of_tetrahedra_is_read(void **state)
{
    struct checks *checks = *state;
    assert_two_tetrahedra(
        checks,
        read_good_text(checks, "a.vtk", GRID POINTS_5 "CELLS 2 10\n4 0 1 2 3\n4 1 2 3 4\nCELL_TYPES 2\n10\n10\n"),
        "vtk legacy ascii");
    assert_two_tetrahedra(
        checks,
        read_good_text(checks, "a.vtk",
                       "# vtk DataFile Version 5.1\nt\nASCII\nDATASET UNSTRUCTURED_GRID\n" POINTS_5
                       "CELLS 3 8\nOFFSETS vtktypeint64\n0 4 8\nCONNECTIVITY vtktypeint64\n0 1 2 3 1 2 3 4\n"
                       "CELL_TYPES 2\n10\n10\n"),
        "vtk legacy ascii");
}

static struct byte_string binary_grid(int version, bool floats)
{
    struct byte_string file = {.size = 0};
    add_text(&file,
             version == 5 ? "# vtk DataFile Version 5.1\nt\nBINARY\n" : "# vtk DataFile Version 4.2\nt\nBINARY\n");
    add_text(&file, "FIELD before 1\nTIME 1 1 double\n");
    add_double(&file, 7, true);
    add_text(&file, "\nDATASET UNSTRUCTURED_GRID\n");
    add_text(&file, floats ? "POINTS 5 float\n" : "POINTS 5 double\n");
    for (int i = 0; i < 15; i++) {
        if (floats) {
            add_float(&file, (float)five[i], true);
        } else {
            add_double(&file, five[i], true);
        }
    }
    static const uint32_t corners[8] = {0, 1, 2, 3, 1, 2, 3, 4};
    if (version == 5) {
        add_text(&file, "\nMETADATA\nINFORMATION 1\nNAME L2 LOCATION vtkDataArray\nDATA 2 0 1\n\nCELLS 3 8\nOFFSETS "
                        "vtktypeint64\n");
        for (int i = 0; i < 3; i++) {
            add_unsigned(&file, (uint64_t)(4 * i), 8, true);
        }
        add_text(&file, "\nCONNECTIVITY vtktypeint64\n");
        for (int i = 0; i < 8; i++) {
            add_unsigned(&file, corners[i], 8, true);
        }
    } else {
        add_text(&file, "\nCELLS 2 10\n");
        for (int i = 0; i < 8; i++) {
            if (i % 4 == 0) {
                add_unsigned(&file, 4, 4, true);
            }
            add_unsigned(&file, corners[i], 4, true);
        }
    }
    add_text(&file, "\nCELL_TYPES 2\n");
    add_unsigned(&file, 10, 4, true);
    add_unsigned(&file, 10, 4, true);
    add_text(&file, "\nPOINT_DATA 5\nVECTORS v float\n");
    for (int i = 0; i < 15; i++) {
        add_float(&file, 0.25f, true);
    }
    add_text(&file, "\nSCALARS mask bit 1\nLOOKUP_TABLE default\n");
    add_unsigned(&file, 0xF8, 1, true);
    add_text(&file, "\nCELL_DATA 2\nCOLOR_SCALARS c 3\nabcdef\n");
    return file;
}

static void binary_grids_of_old_and_new_versions_are_read(void **state)
{
    struct checks *checks = *state;
    for (int i = 0; i < 4; i++) {
        struct byte_string file = binary_grid(i / 2 ? 5 : 4, i % 2);
        assert_two_tetrahedra(checks, read_good(checks, "a.vtk", file.data, file.size), "vtk legacy binary");
    }
}

static void polygonal_data_become_a_surface_with_groups(void **state)
{
    struct checks *checks = *state;
    dent_mesh *mesh = read_good_text(checks, "a.vtk",
                                     HEAD "DATASET POLYDATA\n" POINTS_5 "VERTICES 1 3\n2 0 1\nLINES 1 4\n3 0 1 2\n"
                                          "POLYGONS 2 9\n3 0 1 2\n4 0 1 4 3\nTRIANGLE_STRIPS 1 5\n4 0 1 2 4\n");
    const dent_mesh_body *body = only_body(mesh, DENT_BODY_SURFACE, 5, 5);
    assert_corners(body, (uint32_t[]){0, 1, 2, 0, 1, 4, 0, 4, 3, 0, 1, 2, 2, 1, 4}, 15);
    assert_int_equal(mesh->group_count, 2);
    dent_mesh_destroy(checks->context, mesh);
}

static void all_cells_of_the_first_order_are_read(void **state)
{
    struct checks *checks = *state;
    dent_mesh *mesh = read_good_text(
        checks, "a.vtk",
        GRID "POINTS 8 int\n0 0 0 1 0 0 1 1 0 0 1 0 0 0 1 1 0 1 1 1 1 0 1 1\nCELLS 6 38\n4 0 1 2 4\n"
             "8 0 1 2 3 4 5 6 7\n6 0 1 2 4 5 6\n5 0 1 2 3 4\n8 0 1 3 2 4 5 7 6\n1 0\nCELL_TYPES 6\n10 12 13 14 11 1\n");
    const dent_mesh_body *body = only_body(mesh, DENT_BODY_SOLID, 8, 5);
    assert_memory_equal(body->cell_kinds, ((uint8_t[]){0, 1, 2, 3, 1}), 5);
    assert_corners(
        body, (uint32_t[]){0, 1, 2, 4, 0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 4, 5, 6, 0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 5, 6, 7},
        31);
    assert_int_equal(mesh->group_count, 1);
    dent_mesh_destroy(checks->context, mesh);
}

static void second_order_cells_are_reduced_to_their_corners_with_a_notice(void **state)
{
    struct checks *checks = *state;
    dent_mesh *mesh =
        read_good_text(checks, "a.vtk",
                       GRID "POINTS 10 float\n0 0 0 1 0 0 0 1 0 0 0 1 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5\n"
                            "CELLS 2 22\n10 0 1 2 3 4 5 6 7 8 9\n10 0 1 2 3 4 5 6 7 8 9\nCELL_TYPES 2\n24 71\n");
    assert_corners(only_body(mesh, DENT_BODY_SOLID, 10, 2), (uint32_t[]){0, 1, 2, 3, 0, 1, 2, 3}, 8);
    assert_non_null(strstr(checks->log, "a.vtk: 2 second-order"));
    dent_mesh_destroy(checks->context, mesh);
}

static void pixels_quads_and_polygons_are_turned_into_triangles(void **state)
{
    struct checks *checks = *state;
    dent_mesh *mesh = read_good_text(
        checks, "a.vtk",
        GRID POINTS_5 "CELLS 4 21\n4 0 1 2 3\n4 0 1 2 3\n5 0 1 2 3 4\n4 0 1 2 3\nCELL_TYPES 4\n8 9 7 6\n");
    assert_corners(only_body(mesh, DENT_BODY_SURFACE, 5, 9),
                   (uint32_t[]){0, 1, 3, 0, 3, 2, 0, 1, 2, 0, 2, 3, 0, 1, 2, 0, 2, 3, 0, 3, 4, 0, 1, 2, 2, 1, 3}, 27);
    dent_mesh_destroy(checks->context, mesh);
}

static void an_integer_array_called_group_makes_bodies(void **state)
{
    struct checks *checks = *state;
    static const char *const attributes[] = {
        "SCALARS group int 1\nLOOKUP_TABLE default\n7 9\n",
        "SCALARS group int\n7 9\n",
        "SCALARS speed float\nLOOKUP_TABLE default\n0.5 1.5\nSCALARS physical short 1\nLOOKUP_TABLE default\n7 9\n",
        ("FIELD FieldData 3\nother 3 2 float\n1 2 3 4 5 6\nMETADATA\nCOMPONENT_NAMES\nx\ny\n\nNULL_ARRAY\n"
         "gmsh:physical 1 2 long\n7\n9\n"),
    };
    for (size_t i = 0; i < COUNT_OF(attributes); i++) {
        char text[1024];
        snprintf(text, sizeof text, "%s%s%s",
                 GRID POINTS_5 "CELLS 2 10\n4 0 1 2 3\n4 1 2 3 4\nCELL_TYPES 2\n10\n10\nCELL_DATA 2\n", attributes[i],
                 "VECTORS v float\n0 0 0 0 0 0\n");
        dent_mesh *mesh = read_good_text(checks, "a.vtk", text);
        assert_int_equal(mesh->body_count, 2);
        assert_int_equal(mesh->bodies[1].element_count, 1);
        assert_int_equal(mesh->bodies[1].element_numbers[0], 1);
        dent_mesh_destroy(checks->context, mesh);
    }
}

static void arrays_that_are_no_groups_make_none(void **state)
{
    struct checks *checks = *state;
    static const char *const attributes[] = {
        "CELL_DATA 2\nSCALARS group float 1\nLOOKUP_TABLE default\n7 9\n",
        "CELL_DATA 2\nSCALARS material int 1\nLOOKUP_TABLE default\n7 9\n",
        "CELL_DATA 2\nVECTORS group int\n1 2 3 4 5 6\n",
        "POINT_DATA 5\nSCALARS group int 1\nLOOKUP_TABLE t\n1 2 3 4 5\nLOOKUP_TABLE t 1\n0 0 0 1\n",
        "CELL_DATA 2\nTEXTURE_COORDINATES uv 2 float\n0 0 1 1\nTENSORS t float\n1 2 3 4 5 6 7 8 9\n1 2 3 4 5 6 7 8 9\n",
    };
    for (size_t i = 0; i < COUNT_OF(attributes); i++) {
        char text[1024];
        snprintf(text, sizeof text, "%s%s", GRID POINTS_5 "CELLS 2 10\n4 0 1 2 3\n4 1 2 3 4\nCELL_TYPES 2\n10\n10\n",
                 attributes[i]);
        assert_two_tetrahedra(checks, read_good_text(checks, "a.vtk", text), "vtk legacy ascii");
    }
}

static void attributes_that_are_not_numbers_are_noticed_and_end_the_reading(void **state)
{
    struct checks *checks = *state;
    assert_two_tetrahedra(checks,
                          read_good_text(checks, "a.vtk",
                                         GRID POINTS_5
                                         "CELLS 2 10\n4 0 1 2 3\n4 1 2 3 4\nCELL_TYPES 2\n10\n10\nCELL_DATA 2\n"
                                         "FIELD FieldData 1\nnames 1 2 string\nfirst\nsecond\n"),
                          "vtk legacy ascii");
    assert_non_null(strstr(checks->log, "1 section of an unknown kind"));
}

#define TETS "CELLS 1 5\n4 0 1 2 3\n"
static void broken_files_are_refused_by_name(void **state)
{
    struct byte_string binary = binary_grid(5, false);
    struct byte_string infinite = binary_grid(4, false);
    uint8_t *points = NULL;
    for (size_t i = 0; i + 16 < infinite.size && !points; i++) {
        points = memcmp(infinite.data + i, "POINTS 5 double\n", 16) == 0 ? infinite.data + i + 16 : NULL;
    }
    points[24] = 0x7f;
    points[25] = 0xf0;
    const struct broken_file files[] = {
        {"not VTK", "a.vtk", "hello\n", 0, DENT_ERROR_FORMAT, "a.vtk:1: a VTK file must begin with"},
        {"version 9", "a.vtk", "# vtk DataFile Version 9.0\nt\nASCII\n", 0, DENT_ERROR_UNSUPPORTED, "'9.0'"},
        {"neither text nor binary", "a.vtk", "# vtk DataFile Version 3.0\nt\nEBCDIC\n", 0, DENT_ERROR_FORMAT,
         "'EBCDIC'"},
        {"head that ends", "a.vtk", "# vtk DataFile Version 3.0\nt", 0, DENT_ERROR_FORMAT, "ASCII or BINARY"},
        {"no dataset", "a.vtk", HEAD "POINTS 1 float\n", 0, DENT_ERROR_FORMAT, "DATASET"},
        {"structured grid", "a.vtk", HEAD "DATASET STRUCTURED_POINTS\n", 0, DENT_ERROR_UNSUPPORTED,
         "'STRUCTURED_POINTS'"},
        {"points of words", "a.vtk", GRID "POINTS 1 word\n", 0, DENT_ERROR_FORMAT, "'word'"},
        {"2^32 points claimed", "a.vtk", GRID "POINTS 4294967296 float\n0 0 0\n", 0, DENT_ERROR_FORMAT,
         "claims 12884901888 numbers of coordinates, but only"},
        {"2^63 points claimed", "a.vtk", GRID "POINTS 9223372036854775807 float\n0 0 0\n", 0, DENT_ERROR_FORMAT,
         "too many points"},
        {"fewer points than claimed", "a.vtk", GRID "POINTS 2 float\n0 0 0 1.5 1.5", 0, DENT_ERROR_FORMAT, "ends"},
        {"NaN", "a.vtk", GRID "POINTS 1 float\n0 nan 0\n", 0, DENT_ERROR_BAD_NUMBER, "a.vtk:6: vertex 0: y"},
        {"infinity in binary", "a.vtk", (char *)infinite.data, infinite.size, DENT_ERROR_BAD_NUMBER, "vertex 1: x"},
        {"2^32 cells claimed", "a.vtk", GRID POINTS_5 "CELLS 4294967296 21474836480\n", 0, DENT_ERROR_FORMAT,
         "claims 21474836480 numbers of cells"},
        {"cell longer than the list", "a.vtk", GRID POINTS_5 "CELLS 1 5\n9 0 1 2 3\n", 0, DENT_ERROR_FORMAT,
         "cell 0 has more nodes"},
        {"more cells than numbers", "a.vtk", GRID POINTS_5 "CELLS 6 5\n4 0 1 2 3\n", 0, DENT_ERROR_FORMAT,
         "6 cells cannot be listed in 5 numbers"},
        {"fewer numbers than announced", "a.vtk", GRID POINTS_5 "CELLS 1 6\n4 0 1 2 3 4\n", 0, DENT_ERROR_FORMAT,
         "take 5 numbers, not the 6"},
        {"index out of range", "a.vtk", GRID POINTS_5 "CELLS 1 5\n4 0 1 2 5\nCELL_TYPES 1\n10\n", 0,
         DENT_ERROR_BAD_MESH, "cell 0 names point 5, but there are 5"},
        {"negative index", "a.vtk", GRID POINTS_5 "CELLS 1 5\n4 0 1 2 -1\nCELL_TYPES 1\n10\n", 0, DENT_ERROR_BAD_MESH,
         "point -1"},
        {"cells without types", "a.vtk", GRID POINTS_5 TETS, 0, DENT_ERROR_FORMAT, "1 cells, but 0 cell types"},
        {"more types than cells", "a.vtk", GRID POINTS_5 TETS "CELL_TYPES 2\n10 10\n", 0, DENT_ERROR_FORMAT,
         "1 cells, but 2 cell types"},
        {"tetrahedron of five nodes", "a.vtk", GRID POINTS_5 "CELLS 1 6\n5 0 1 2 3 4\nCELL_TYPES 1\n10\n", 0,
         DENT_ERROR_FORMAT, "cell 0 of VTK type 10 cannot have 5 nodes"},
        {"polyhedron", "a.vtk", GRID POINTS_5 TETS "CELL_TYPES 1\n42\n", 0, DENT_ERROR_UNSUPPORTED,
         "cell 0 has VTK type 42"},
        {"type 300", "a.vtk", GRID POINTS_5 TETS "CELL_TYPES 1\n300\n", 0, DENT_ERROR_FORMAT, "type 300"},
        {"unknown section before the cells", "a.vtk", GRID POINTS_5 "ELEPHANTS 3\n", 0, DENT_ERROR_FORMAT,
         "'ELEPHANTS'"},
        {"points twice", "a.vtk", GRID POINTS_5 POINTS_5, 0, DENT_ERROR_FORMAT, "second section POINTS"},
        {"cells twice", "a.vtk", GRID POINTS_5 TETS TETS, 0, DENT_ERROR_FORMAT, "second list"},
        {"attributes cut off", "a.vtk", GRID POINTS_5 TETS "CELL_TYPES 1\n10\nCELL_DATA 1\nVECTORS v float\n0 1", 0,
         DENT_ERROR_FORMAT, "claims 3 numbers of array values"},
        {"huge attribute", "a.vtk", GRID POINTS_5 TETS "CELL_TYPES 1\n10\nFIELD f 1\na 4294967296 4294967296 int\n", 0,
         DENT_ERROR_FORMAT, "'a' is too large"},
        {"offsets that fall", "a.vtk",
         "# vtk DataFile Version 5.1\nt\nASCII\nDATASET UNSTRUCTURED_GRID\n" POINTS_5
         "CELLS 3 8\nOFFSETS vtktypeint64\n0 8 4\nCONNECTIVITY vtktypeint64\n0 1 2 3 1 2 3 4\nCELL_TYPES 2\n2\n2\n",
         0, DENT_ERROR_FORMAT, "cell 1 ends at node 4"},
        {"offsets that do not begin at 0", "a.vtk",
         "# vtk DataFile Version 5.1\nt\nASCII\nDATASET UNSTRUCTURED_GRID\n" POINTS_5
         "CELLS 2 4\nOFFSETS vtktypeint64\n1 4\nCONNECTIVITY vtktypeint64\n0 1 2 3\n",
         0, DENT_ERROR_FORMAT, "offset 0 is 1"},
        {"offsets of fractions", "a.vtk",
         "# vtk DataFile Version 5.1\nt\nASCII\nDATASET UNSTRUCTURED_GRID\n" POINTS_5 "CELLS 2 4\nOFFSETS float\n0 4\n",
         0, DENT_ERROR_FORMAT, "must be integers"},
        {"binary cut off in the points", "a.vtk", (char *)binary.data, 160, DENT_ERROR_FORMAT,
         "claims 15 numbers of coordinates"},
        {"no points", "a.vtk", GRID, 0, DENT_ERROR_BAD_MESH, ""},
        {"empty file", "a.vtk", "", 0, DENT_ERROR_FILE, "empty"},
    };
    assert_all_refused(*state, files, COUNT_OF(files));
}

static void every_failing_allocation_is_out_of_memory_and_leaves_nothing(void **state)
{
    struct byte_string file = binary_grid(5, false);
    static const char text[] =
        GRID POINTS_5 "CELLS 2 10\n4 0 1 2 3\n4 1 2 3 4\nCELL_TYPES 2\n10\n10\nCELL_DATA 2\nSCALARS group int "
                      "1\nLOOKUP_TABLE default\n7 9\n";
    assert_true(fail_every_allocation(*state, "a.vtk", file.data, file.size) > 5);
    assert_true(fail_every_allocation(*state, "a.vtk", text, sizeof text - 1) > 5);
}

static void every_prefix_is_read_or_refused(void **state)
{
    struct byte_string file = binary_grid(5, false);
    struct byte_string old = binary_grid(4, true);
    assert_every_prefix_is_safe(*state, "a.vtk", file.data, file.size);
    assert_every_prefix_is_safe(*state, "a.vtk", old.data, old.size);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_text_grid_of_tetrahedra_is_read, checks_setup, checks_teardown),
        cmocka_unit_test_setup_teardown(binary_grids_of_old_and_new_versions_are_read, checks_setup, checks_teardown),
        cmocka_unit_test_setup_teardown(polygonal_data_become_a_surface_with_groups, checks_setup, checks_teardown),
        cmocka_unit_test_setup_teardown(all_cells_of_the_first_order_are_read, checks_setup, checks_teardown),
        cmocka_unit_test_setup_teardown(second_order_cells_are_reduced_to_their_corners_with_a_notice, checks_setup,
                                        checks_teardown),
        cmocka_unit_test_setup_teardown(pixels_quads_and_polygons_are_turned_into_triangles, checks_setup,
                                        checks_teardown),
        cmocka_unit_test_setup_teardown(an_integer_array_called_group_makes_bodies, checks_setup, checks_teardown),
        cmocka_unit_test_setup_teardown(arrays_that_are_no_groups_make_none, checks_setup, checks_teardown),
        cmocka_unit_test_setup_teardown(attributes_that_are_not_numbers_are_noticed_and_end_the_reading, checks_setup,
                                        checks_teardown),
        cmocka_unit_test_setup_teardown(broken_files_are_refused_by_name, checks_setup, checks_teardown),
        cmocka_unit_test_setup_teardown(every_failing_allocation_is_out_of_memory_and_leaves_nothing, checks_setup,
                                        checks_teardown),
        cmocka_unit_test_setup_teardown(every_prefix_is_read_or_refused, checks_setup, checks_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
