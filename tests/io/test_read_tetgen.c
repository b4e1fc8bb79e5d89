/* TetGen pairs: numbering, comments, regions, 10-node cells, the two files and their names, and everything that can be
 * wrong with them. */
#include "reading.h"

#include "tetgen_memory.h"

#include <stdlib.h>
#include <unistd.h>

static const char two_tets_nodes[] =
    "# nodes\n5 3 0 1\n1 0 0 0 1\n2 1 0 0 1\n3 0 1 0 0\n\n4 0 0 1 0 # apex\r\n5 1 1 1 0\n";
static const char two_tets_cells[] = "2 4 0\n1 1 2 3 4\n2 2 3 4 5\n";

static const dent_mesh *read_pair(struct reading *reading, const char *nodes, const char *cells)
{
    reading_clear(reading);
    reading->status = tetgen_read_memory(reading->context, (struct tetgen_file){"t.node", nodes, strlen(nodes)},
                                         (struct tetgen_file){"t.ele", cells, strlen(cells)}, false, &reading->mesh);
    reading_finish(reading);
    return reading->mesh;
}

static void a_pair_counted_from_one_becomes_one_solid(void **state)
{
    (void)state;
    struct reading reading;
    reading_open(&reading);
    const dent_mesh *mesh = read_pair(&reading, two_tets_nodes, two_tets_cells);
    assert_read(&reading);
    assert_string_equal(mesh->format, "tetgen");
    assert_int_equal(mesh->body_count, 1);
    assert_int_equal(mesh->file_vertex_count, 5);
    assert_string_equal(mesh->bodies[0].name, "t");
    assert_int_equal(mesh->bodies[0].kind, DENT_BODY_SOLID);
    assert_int_equal(mesh->bodies[0].vertex_count, 5);
    assert_int_equal(mesh->bodies[0].element_count, 2);
    assert_int_equal(mesh->bodies[0].corner_count, 8);
    assert_null(mesh->bodies[0].vertex_numbers);
    assert_null(mesh->bodies[0].element_numbers);
    assert_null(mesh->bodies[0].cell_kinds);
    assert_corners(mesh->bodies[0].element_corners, 0, 1, 2, 3, 1, 2, 3, 4);
    assert_true(mesh->bodies[0].positions[3] == 1 && mesh->bodies[0].positions[14] == 1);
    assert_non_null(strstr(reading.notices, "2 nodes have boundary markers"));
    reading_close(&reading);
}

static void numbers_may_start_at_zero_and_headers_may_be_short(void **state)
{
    (void)state;
    struct reading reading;
    reading_open(&reading);
    const dent_mesh *mesh = read_pair(&reading, "4\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1", "1\n0 0 1 2 3");
    assert_read(&reading);
    assert_corners(mesh->bodies[0].element_corners, 0, 1, 2, 3);
    assert_string_equal(reading.notices, "");
    reading_close(&reading);
}

static void every_region_is_a_body_with_its_own_vertices(void **state)
{
    (void)state;
    struct reading reading;
    reading_open(&reading);
    const dent_mesh *mesh = read_pair(&reading, two_tets_nodes, "2 4 1\n1 1 2 3 4 7\n2 2 3 4 5 -3\n");
    assert_read(&reading);
    assert_int_equal(mesh->body_count, 2);
    assert_string_equal(mesh->bodies[0].name, "group 7");
    assert_string_equal(mesh->bodies[1].name, "group -3");
    assert_int_equal(mesh->bodies[1].vertex_count, 4);
    assert_corners(mesh->bodies[1].vertex_numbers, 1, 2, 3, 4);
    assert_corners(mesh->bodies[1].element_corners, 0, 1, 2, 3);
    assert_corners(mesh->bodies[1].element_numbers, 1);
    assert_true(mesh->bodies[1].positions[0] == 1);
    reading_close(&reading);
}

static void attributes_that_are_not_whole_numbers_make_no_bodies(void **state)
{
    (void)state;
    struct reading reading;
    reading_open(&reading);
    const dent_mesh *mesh = read_pair(&reading, two_tets_nodes, "2 4 1\n1 1 2 3 4 7\n2 2 3 4 5 0.5\n");
    assert_read(&reading);
    assert_int_equal(mesh->body_count, 1);
    assert_non_null(strstr(reading.notices, "attributes are not used as regions"));
    reading_close(&reading);
}

static void ten_node_cells_are_reduced_to_their_corners(void **state)
{
    (void)state;
    struct reading reading;
    reading_open(&reading);
    const dent_mesh *mesh = read_pair(&reading,
                                      "10 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 0 0 .5\n6 .5 0 .5\n7 0 .5 .5\n"
                                      "8 .5 0 0\n9 .5 .5 0\n10 0 .5 0\n",
                                      "1 10 0\n1 1 2 3 4 5 6 7 8 9 10\n");
    assert_read(&reading);
    assert_corners(mesh->bodies[0].element_corners, 0, 1, 2, 3);
    assert_int_equal(mesh->bodies[0].vertex_count, 10); /* the file's numbers stay */
    assert_string_equal(reading.notices, "t.ele: 1 second-order elements were reduced to their corners\n");
    reading_close(&reading);
}

static void broken_pairs_are_refused_with_file_line_and_culprit(void **state)
{
    (void)state;
    static const char good_nodes[] = "4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n";
    static const char good_cells[] = "1 4 0\n1 1 2 3 4\n";
    static const struct {
        const char *what, *nodes, *cells;
        dent_status status;
        const char *words;
    } pairs[] = {
        {"no nodes at all", "# nothing\n", good_cells, DENT_ERROR_FORMAT, "t.node:2|number of nodes"},
        {"word for a count", "many", good_cells, DENT_ERROR_FORMAT, "t.node:1|'many' is not an integer"},
        {"negative count", "-4 3\n", good_cells, DENT_ERROR_FORMAT, "t.node:1|-4 is not in the range"},
        {"huge count", "4294967296 3 0 0\n1 0 0 0\n", good_cells, DENT_ERROR_FORMAT,
         "t.node|claims 4294967296 nodes|only 8 bytes"},
        {"count beyond 64 bits", "99999999999999999999 3\n", good_cells, DENT_ERROR_FORMAT, "99999999999999999999"},
        {"plane", "4 2 0 0\n1 0 0\n", good_cells, DENT_ERROR_UNSUPPORTED, "2 coordinates"},
        {"starts at 5", "1 3 0 0\n5 0 0 0\n", good_cells, DENT_ERROR_FORMAT, "t.node:2|number 5"},
        {"duplicate", "4 3 0 0\n1 0 0 0\n2 1 0 0\n2 0 1 0\n4 0 0 1\n", good_cells, DENT_ERROR_BAD_MESH,
         "t.node:4|node number 2 appears twice"},
        {"missing node", "4 3 0 0\n1 0.000000 0 0\n2 1.00000000000 0 0\n4 0 0 1\n", good_cells, DENT_ERROR_BAD_MESH,
         "t.node:4|number 4|where 3"},
        {"cut", "4 3 0 0\n1 0 0 0\n2 1.00000000000000000000 0 0\n", good_cells, DENT_ERROR_FORMAT,
         "ends after 2 of 4 nodes"},
        {"short line", "4 3 0 0\n1 0 0 0\n2 1 0.0000\n3 0 1 0\n4 0 0 1\n", good_cells, DENT_ERROR_FORMAT,
         "t.node:3|line ends|z of the node"},
        {"not a number", "4 3 0 0\n1 0 0 0\n2 1 nan 0\n3 0 1 0\n4 0 0 1\n", good_cells, DENT_ERROR_BAD_NUMBER,
         "t.node:3|vertex 1|y is not a number"},
        {"infinity", "4 3 0 0\n1 0 0 0\n2 1 0 -inf\n3 0 1 0\n4 0 0 1\n", good_cells, DENT_ERROR_BAD_NUMBER,
         "t.node:3|vertex 1|z is infinite"},
        {"huge exponent", "4 3 0 0\n1 0 0 0\n2 1e999 0 0\n3 0 1 0\n4 0 0 1\n", good_cells, DENT_ERROR_BAD_NUMBER,
         "t.node:3|vertex 1|x is infinite or too large"},
        {"word for a number", "4 3 0 0\n1 0 zero 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n", good_cells, DENT_ERROR_FORMAT,
         "t.node:2|'zero' is not a number"},
        {"cells of 8", good_nodes, "1 8 0\n1 1 2 3 4 1 2 3 4\n", DENT_ERROR_UNSUPPORTED, "t.ele:1|8 nodes per element"},
        {"huge cell count", good_nodes, "4294967296 4 0\n1 1 2 3 4\n", DENT_ERROR_FORMAT,
         "t.ele|claims 4294967296 tetrahedra|only 10 bytes"},
        {"index too large", good_nodes, "1 4 0\n1 1 2 3 5\n", DENT_ERROR_BAD_MESH,
         "t.ele:2|node 5|there are 4, numbered from 1"},
        {"index too small", good_nodes, "1 4 0\n1 0 2 3 4\n", DENT_ERROR_BAD_MESH, "t.ele:2|node 0"},
        {"negative index", good_nodes, "1 4 0\n1 -1 2 3 4\n", DENT_ERROR_BAD_MESH, "t.ele:2|node -1"},
        {"index of 64 bits", good_nodes, "1 4 0\n1 9223372036854775807 2 3 4\n", DENT_ERROR_BAD_MESH,
         "9223372036854775807"},
        {"three corners", good_nodes, "1 4 0\n1 1 2 3    \n", DENT_ERROR_FORMAT, "t.ele:2|line ends"},
        {"no region", good_nodes, "1 4 1\n1 1 2 3 4\n", DENT_ERROR_FORMAT, "t.ele:2|region"},
        {"cut cells", good_nodes, "2 4 0\n1 1 2 3 4          \n", DENT_ERROR_FORMAT, "ends after 1 of 2 tetrahedra"},
        {"no cells", good_nodes, "0 4 0\n", DENT_ERROR_BAD_MESH, "t.ele|4 vertices|nothing that makes a body"},
    };
    struct reading reading;
    reading_open(&reading);
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        read_pair(&reading, pairs[i].nodes, pairs[i].cells);
        assert_refused(&reading, pairs[i].what, pairs[i].status, pairs[i].words);
    }
    read_text(&reading, "t.node", good_nodes);
    assert_refused(&reading, "from memory", DENT_ERROR_UNSUPPORTED, "t.node|two files");
    reading_close(&reading);
}

/* ---- files ----------------------------------------------------------------------------------------------------- */

static char folder[] = "/tmp/dent_tetgen_XXXXXX";

static const char *path_of(const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void put_file(const char *name, const char *text)
{
    FILE *file = fopen(path_of(name), "wb");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void either_file_or_the_stem_names_the_pair(void **state)
{
    (void)state;
    struct reading reading;
    reading_open(&reading);
    put_file("x.1.node", two_tets_nodes);
    put_file("x.1.ele", two_tets_cells);
    static const char *const names[] = {"x.1.node", "x.1.ele", "x.1"};
    for (int i = 0; i < 3; i++) {
        read_path(&reading, path_of(names[i]));
        assert_read(&reading);
        assert_string_equal(reading.mesh->bodies[0].name, "x.1");
        assert_int_equal(reading.mesh->bodies[0].element_count, 2);
    }
    reading_close(&reading);
}

static void a_missing_partner_is_named(void **state)
{
    (void)state;
    struct reading reading;
    reading_open(&reading);
    put_file("lonely.node", two_tets_nodes);
    read_path(&reading, path_of("lonely.node"));
    assert_refused(&reading, "no .ele", DENT_ERROR_FILE, "lonely.node|lonely.ele is missing");
    read_path(&reading, path_of("lonely"));
    assert_refused(&reading, "no .ele", DENT_ERROR_FILE, "lonely.ele is missing");
    read_path(&reading, path_of("nobody.ele"));
    assert_refused(&reading, "neither", DENT_ERROR_FILE, "nobody.node is missing");
    read_path(&reading, path_of("nobody"));
    assert_refused(&reading, "no ending", DENT_ERROR_FILE, "nobody|no such file");
    reading_close(&reading);
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    static const char *const names[] = {"x.1.node", "x.1.ele", "lonely.node"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        unlink(path_of(names[i]));
    }
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pair_counted_from_one_becomes_one_solid),
        cmocka_unit_test(numbers_may_start_at_zero_and_headers_may_be_short),
        cmocka_unit_test(every_region_is_a_body_with_its_own_vertices),
        cmocka_unit_test(attributes_that_are_not_whole_numbers_make_no_bodies),
        cmocka_unit_test(ten_node_cells_are_reduced_to_their_corners),
        cmocka_unit_test(broken_pairs_are_refused_with_file_line_and_culprit),
        cmocka_unit_test(either_file_or_the_stem_names_the_pair),
        cmocka_unit_test(a_missing_partner_is_named),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
