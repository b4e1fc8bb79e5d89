/* Bodies of one file in a world: borrowed positions, ties at shared nodes, nothing left behind by a failure. */
#include "reading.h"

#include <dent/query.h>

/* Three tetrahedra in a ring of groups; each two share nodes. */
static const char three_parts[] =
    "MeshVersionFormatted 2\nDimension 3\nVertices 6\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 0\n1 1 1 0\n"
    "-1 0 0 0\nTetrahedra 3\n1 2 3 4 1\n2 3 4 5 2\n1 4 3 6 3\nEnd\n";

static void bodies_of_a_file_are_added_in_order_with_their_names(void **state)
{
    (void)state;
    struct reading reading;
    reading_open(&reading);
    const dent_mesh *mesh = read_text(&reading, "r.mesh", three_parts);
    assert_read(&reading);
    dent_world *world = dent_world_create(reading.context);
    dent_body_id ids[3];
    assert_int_equal(dent_mesh_add_to_world(mesh, world, ids), DENT_OK);
    assert_int_equal(dent_world_body_count(world), 3);
    for (uint32_t b = 0; b < 3; b++) {
        assert_int_equal(dent_body_index(world, ids[b]), b);
        assert_string_equal(dent_body_name(world, ids[b]), mesh->bodies[b].name);
    }
    dent_world_destroy(world);
    reading_close(&reading);
}

/* Neighbours touch along whole faces; with touching asked for, they would be reported if they were not tied. */
static uint64_t count_touching(const dent_mesh *mesh, dent_world *world, bool tied)
{
    dent_body_id ids[3];
    if (tied) {
        assert_int_equal(dent_mesh_add_to_world(mesh, world, ids), DENT_OK);
    } else {
        for (uint32_t b = 0; b < mesh->body_count; b++) {
            dent_body_def def = dent_solid_def_default();
            def.vertex_count = mesh->bodies[b].vertex_count;
            def.element_count = mesh->bodies[b].element_count;
            def.element_corners = mesh->bodies[b].element_corners;
            def.positions_t0 = dent_positions_double(mesh->bodies[b].positions);
            assert_int_equal(dent_world_add_body(world, &def, &ids[b]), DENT_OK);
        }
    }
    dent_query_def query = dent_query_def_default();
    query.questions = DENT_QUESTION_FACE_FACE;
    query.touching = true;
    dent_query_result result;
    assert_int_equal(dent_world_query(world, &query, &result), DENT_OK);
    return result.face_face.count;
}

static void bodies_of_a_file_are_tied_at_the_nodes_they_share(void **state)
{
    (void)state;
    struct reading reading;
    reading_open(&reading);
    const dent_mesh *mesh = read_text(&reading, "r.mesh", three_parts);
    assert_read(&reading);
    dent_world *tied = dent_world_create(reading.context);
    dent_world *loose = dent_world_create(reading.context);
    /* Also bodies 1 and 2, whose common nodes are first used by body 0. */
    assert_int_equal(count_touching(mesh, tied, true), 0);
    assert_true(count_touching(mesh, loose, false) > 0);
    dent_world_destroy(loose);
    dent_world_destroy(tied);
    reading_close(&reading);
}

static void a_file_the_world_refuses_leaves_the_world_as_it_was(void **state)
{
    (void)state;
    struct reading reading;
    reading_open(&reading);
    const dent_mesh *mesh =
        read_text(&reading, "bad.mesh",
                  "MeshVersionFormatted 2\nDimension 3\nVertices 5\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 0\n"
                  "1 1 1 0\nTetrahedra 2\n1 2 3 4 1\n2 3 3 5 2\nEnd\n");
    assert_read(&reading);
    dent_world *world = dent_world_create(reading.context);
    dent_body_id ids[2] = {{7, 7, 7}, {8, 8, 8}};
    assert_int_equal(dent_mesh_add_to_world(mesh, world, ids), DENT_ERROR_BAD_MESH);
    assert_int_equal(dent_world_body_count(world), 0);
    assert_int_equal(ids[0].index1, 7);
    assert_non_null(strstr(dent_world_message(world), "group 2"));
    dent_world_destroy(world);
    reading_close(&reading);
}

static void a_mirrored_body_is_reported_once_and_one_inverted_cell_is_not(void **state)
{
    (void)state;
    static const char *const cells[] = {"1 2 3 4 0\n2 3 4 5 0", "1 3 2 4 0\n2 4 3 5 0", "1 3 2 4 0\n2 3 4 5 0"};
    struct reading reading;
    reading_open(&reading);
    for (int i = 0; i < 3; i++) {
        char text[256];
        snprintf(text, sizeof text,
                 "MeshVersionFormatted 2\nDimension 3\nVertices 5\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 0\n1 1 1 0\n"
                 "Tetrahedra 2\n%s\nEnd\n",
                 cells[i]);
        read_text(&reading, "m.mesh", text);
        assert_read(&reading);
        dent_world *world = dent_world_create(reading.context);
        dent_body_id id;
        assert_int_equal(dent_mesh_add_to_world(reading.mesh, world, &id), DENT_OK);
        assert_string_equal(reading.notices, i == 1 ? "m: all cells are negative: the body is mirrored\n" : "");
        dent_world_destroy(world);
    }
    reading_close(&reading);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_of_a_file_are_added_in_order_with_their_names),
        cmocka_unit_test(bodies_of_a_file_are_tied_at_the_nodes_they_share),
        cmocka_unit_test(a_mirrored_body_is_reported_once_and_one_inverted_cell_is_not),
        cmocka_unit_test(a_file_the_world_refuses_leaves_the_world_as_it_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
