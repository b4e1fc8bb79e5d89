/* Bodies of strands: what follows from first[], and what is refused, with which status and which words. */
#include "body_stage.h"

#include "bodies/strand_body.h"

#include <math.h>
#include <string.h>

static const uint32_t two_strands[3] = {0, 3, 5};
static const double points[5][3] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {0, 1, 0}, {0, 1, 0}};

static dent_body_def two_strand_def(void)
{
    dent_body_def def = dent_strands_def_default();
    def.name = "fringe";
    def.vertex_count = 5;
    def.strand_count = 2;
    def.first = two_strands;
    def.positions_t0 = dent_positions_double(&points[0][0]);
    return def;
}

static void assert_refused(const dent_body_def *def, dent_status expected, const char *part)
{
    struct message message = {0};
    struct body *body = NULL;
    uint64_t blocks = memory.blocks;
    assert_int_equal(body_create(context, def, 3, 0, NULL, &message, &body), expected);
    assert_null(body);
    assert_contains(message.text, part);
    assert_null(strchr(message.text, '\n'));
    assert_int_equal(memory.blocks, blocks);
}

static void segments_join_neighbours_from_root_to_tip(void **state)
{
    (void)state;
    dent_body_def def = two_strand_def();
    struct body *body = make_body_of(context, &def);
    const dent_edge expected[3] = {{0, 1}, {1, 2}, {3, 4}};
    assert_int_equal(body->element_count, 3);
    assert_int_equal(body->edge_count, 3);
    assert_memory_equal(body->edges, expected, sizeof expected);
    for (uint32_t segment = 0; segment < 3; segment++) {
        assert_int_equal(strand_of_segment(body, segment), segment == 2);
        assert_true(body->edge_is_surface[segment]);
    }
    assert_int_equal(body->topology.component_count, 2);
    assert_int_equal(body->topology.unused_vertices, 0);
    assert_int_equal(body->topology.surface_face_count, 0);
    assert_false(body->topology.surface_closed);
    assert_false(body_has_cells(body));
    body_destroy(body);
}

static void segments_of_zero_length_are_counted_and_named(void **state)
{
    (void)state;
    dent_body_def def = two_strand_def();
    struct body *body = make_body_of(context, &def);
    dent_body_metrics metrics;
    body_measure(body, points, &metrics);
    assert_int_equal(metrics.flat_cells, 1);
    assert_int_equal(metrics.first_flat_cell, 2);
    assert_true(metrics.mean_edge == 2.0 / 3.0);
    assert_true(metrics.volume == 0 && metrics.area == 0);
    assert_true(metrics.lo[0] == 0 && metrics.hi[0] == 2 && metrics.hi[1] == 1);
    body_destroy(body);
}

static void a_segment_has_the_larger_radius_of_its_ends(void **state)
{
    (void)state;
    const double radii[5] = {3, 1, 2, 0, 5};
    dent_body_def def = two_strand_def();
    def.thickness = 7;
    struct body *plain = make_body_of(context, &def);
    def.radii = radii;
    struct body *body = make_body_of(context, &def);
    assert_true(body_thickness(plain, 9) == 7 && edge_thickness(plain, 0, 7) == 7);
    assert_true(edge_thickness(body, 0, 9) == 3);
    assert_true(edge_thickness(body, 1, 9) == 2);
    assert_true(edge_thickness(body, 2, 9) == 5);
    assert_true(vertex_thickness(body, 3, 9) == 0);
    assert_true(body_thickness(body, 9) == 5);
    def = two_strand_def();
    struct body *from_query = make_body_of(context, &def);
    assert_true(body_thickness(from_query, 9) == 9);
    body_destroy(plain);
    body_destroy(body);
    body_destroy(from_query);
}

static void strands_that_are_none_are_refused_by_name(void **state)
{
    (void)state;
    const uint32_t one_vertex[3] = {0, 4, 5}, none[3] = {0, 5, 5}, falling[3] = {0, 6, 5}, late[3] = {1, 3, 5};
    const uint32_t early_end[3] = {0, 2, 4}, corners[2] = {0, 1};
    dent_body_def def = two_strand_def();
    def.first = one_vertex;
    assert_refused(&def, DENT_ERROR_BAD_MESH, "body \"fringe\": strand 1 has one vertex");
    def.first = none;
    assert_refused(&def, DENT_ERROR_BAD_MESH, "strand 1 has no vertex");
    def.first = falling;
    assert_refused(&def, DENT_ERROR_BAD_MESH, "first is not ascending");
    def.first = late;
    assert_refused(&def, DENT_ERROR_BAD_MESH, "first[0] is 1 instead of 0");
    def.first = early_end;
    assert_refused(&def, DENT_ERROR_BAD_MESH, "end at vertex 4, but there are 5");
    def.first = NULL;
    assert_refused(&def, DENT_ERROR_INVALID_ARGUMENT, "first is null");
    def = two_strand_def();
    def.element_count = 1;
    def.element_corners = corners;
    assert_refused(&def, DENT_ERROR_INVALID_ARGUMENT, "strands are given by first");
    def = dent_surface_def_default();
    def.first = two_strands;
    assert_refused(&def, DENT_ERROR_INVALID_ARGUMENT, "kind strands");
}

static void radii_that_are_no_lengths_are_refused_by_vertex(void **state)
{
    (void)state;
    double radii[5] = {1, 1, NAN, 1, 1};
    dent_body_def def = two_strand_def();
    def.radii = radii;
    assert_refused(&def, DENT_ERROR_BAD_NUMBER, "radius of vertex 2 is ");
    radii[2] = -1;
    assert_refused(&def, DENT_ERROR_BAD_NUMBER, "radius of vertex 2 is -1");
    radii[2] = INFINITY;
    assert_refused(&def, DENT_ERROR_BAD_NUMBER, "radius of vertex 2 is inf");
    def = two_strand_def();
    def.thickness = NAN;
    assert_refused(&def, DENT_ERROR_BAD_NUMBER, "thickness");
    def.thickness = -2;
    assert_refused(&def, DENT_ERROR_BAD_NUMBER, "thickness is -2");
}

static void more_segments_than_the_limit_are_refused_unread(void **state)
{
    (void)state;
    const uint32_t huge[2] = {0, UINT32_MAX};
    dent_body_def def = dent_strands_def_default();
    def.vertex_count = UINT32_MAX;
    def.strand_count = 1;
    def.first = huge;
    assert_refused(&def, DENT_ERROR_TOO_LARGE, "4294967294 segments; one body can have at most 2147483647");
}

static void no_strands_are_an_empty_body(void **state)
{
    (void)state;
    dent_body_def def = dent_strands_def_default();
    struct body *body = make_body_of(context, &def);
    assert_int_equal(body->element_count, 0);
    body_destroy(body);
}

static void roots_lie_on_faces_that_are_there(void **state)
{
    (void)state;
    const uint32_t triangle[3] = {0, 1, 2};
    struct body_table table;
    struct message message = {0};
    dent_body_id scalp, fringe;
    body_table_init(&table, context);
    dent_body_def surface = dent_surface_def_default();
    surface.vertex_count = 3;
    surface.element_count = 1;
    surface.element_corners = triangle;
    assert_int_equal(body_table_add(&table, &surface, &message, &scalp), DENT_OK);
    dent_strand_root roots[2] = {{0, scalp, 0}, {1, scalp, 1}};
    dent_body_def def = two_strand_def();
    def.root_on = roots;
    def.root_on_count = 2;
    assert_int_equal(body_table_add(&table, &def, &message, &fringe), DENT_ERROR_BAD_MESH);
    assert_contains(message.text, "strand 1 has its root on face 1 of body 0, but that has only 1");
    roots[1].strand = 0;
    assert_int_equal(body_table_add(&table, &def, &message, &fringe), DENT_ERROR_BAD_MESH);
    assert_contains(message.text, "ascending strands are needed");
    roots[1] = (dent_strand_root){2, scalp, 0};
    assert_int_equal(body_table_add(&table, &def, &message, &fringe), DENT_ERROR_BAD_MESH);
    assert_contains(message.text, "names strand 2, but there are only 2");
    roots[1] = (dent_strand_root){1, {9, 9, 9}, 0};
    assert_int_equal(body_table_add(&table, &def, &message, &fringe), DENT_ERROR_STALE_ID);
    roots[1] = (dent_strand_root){1, scalp, 0};
    assert_int_equal(body_table_add(&table, &def, &message, &fringe), DENT_OK);
    roots[1].body = fringe;
    assert_int_equal(body_table_replace(&table, fringe, &def, &message), DENT_ERROR_INVALID_ARGUMENT);
    assert_contains(message.text, "root on the body itself");
    body_table_destroy(&table);
}

static void a_failing_allocation_leaves_nothing_behind(void **state)
{
    (void)state;
    const double radii[5] = {3, 1, 2, 0, 5};
    dent_body_def def = two_strand_def();
    def.radii = radii;
    uint64_t blocks = memory.blocks;
    for (uint64_t nth = 1;; nth++) {
        struct message message = {0};
        struct body *body = NULL;
        memory.fail_at = memory.requests + nth;
        dent_status status = body_create(context, &def, 3, 0, NULL, &message, &body);
        memory.fail_at = 0;
        if (status == DENT_OK) {
            assert_true(nth > 5);
            body_destroy(body);
            return;
        }
        assert_int_equal(status, DENT_ERROR_OUT_OF_MEMORY);
        assert_int_equal(memory.blocks, blocks);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(segments_join_neighbours_from_root_to_tip, begin, end),
        cmocka_unit_test_setup_teardown(segments_of_zero_length_are_counted_and_named, begin, end),
        cmocka_unit_test_setup_teardown(a_segment_has_the_larger_radius_of_its_ends, begin, end),
        cmocka_unit_test_setup_teardown(strands_that_are_none_are_refused_by_name, begin, end),
        cmocka_unit_test_setup_teardown(radii_that_are_no_lengths_are_refused_by_vertex, begin, end),
        cmocka_unit_test_setup_teardown(more_segments_than_the_limit_are_refused_unread, begin, end),
        cmocka_unit_test_setup_teardown(no_strands_are_an_empty_body, begin, end),
        cmocka_unit_test_setup_teardown(roots_lie_on_faces_that_are_there, begin, end),
        cmocka_unit_test_setup_teardown(a_failing_allocation_leaves_nothing_behind, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
