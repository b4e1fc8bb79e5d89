/* What positions say: signs are exact, sizes are right at any scale, strict names the first culprit. */
#include "body_stage.h"

#include <math.h>
#include <string.h>

static void assert_near(double value, double expected, double relative)
{
    if (!(fabs(value - expected) <= relative * fabs(expected))) {
        fail_msg("%.17g is not %.17g", value, expected);
    }
}

static struct body *make_solid(uint32_t vertex_count, uint32_t count, const uint32_t *corners, bool strict)
{
    dent_body_def def = dent_solid_def_default();
    def.name = "part";
    def.vertex_count = vertex_count;
    def.element_count = count;
    def.element_corners = corners;
    def.strict = strict;
    return make_body_of(context, &def);
}

static const uint32_t one_cell[4] = {0, 1, 2, 3};
static const double regular[4][3] = {{1, 1, 1}, {-1, 1, -1}, {1, -1, -1}, {-1, -1, 1}};

static void a_regular_tetrahedron_has_quality_one_at_every_size(void **state)
{
    (void)state;
    struct body *body = make_solid(4, 1, one_cell, false);
    for (int exponent = -1000; exponent <= 1000; exponent += 20) {
        double xyz[4][3];
        for (int i = 0; i < 12; i++) {
            xyz[i / 3][i % 3] = ldexp(regular[i / 3][i % 3], exponent);
        }
        dent_body_metrics measure;
        body_measure(body, (const double(*)[3])xyz, &measure);
        assert_near(measure.min_quality, 1.0, 1e-12);
        assert_near(measure.mean_edge, ldexp(sqrt(8.0), exponent), 1e-14);
        assert_true(measure.lo[0] == -xyz[0][0] && measure.hi[2] == xyz[0][0]);
        assert_false(measure.mirrored);
        assert_int_equal(measure.flat_cells + measure.inverted_cells, 0);
        if (exponent > -300 && exponent < 300) {
            assert_near(measure.volume, ldexp(8.0 / 3.0, 3 * exponent), 1e-13);
            assert_near(measure.area, ldexp(8.0 * sqrt(3.0), 2 * exponent), 1e-13);
        }
    }
    body_destroy(body);
}

static void a_cell_whose_differences_overflow_still_has_its_quality(void **state)
{
    (void)state;
    double xyz[4][3];
    for (int i = 0; i < 12; i++) {
        xyz[i / 3][i % 3] = ldexp(regular[i / 3][i % 3], 1023);
    }
    struct body *body = make_solid(4, 1, one_cell, true);
    dent_body_metrics measure;
    struct message message = {0};
    body_measure(body, (const double(*)[3])xyz, &measure);
    assert_near(measure.min_quality, 1.0, 1e-12);
    assert_int_equal(measure.flat_cells + measure.inverted_cells, 0);
    assert_int_equal(body_check_strict(body, (const double(*)[3])xyz, &message), DENT_OK);
    body_destroy(body);
}

static void a_cell_of_subnormal_size_still_has_a_sign(void **state)
{
    (void)state;
    const double tiny = 0x1p-1074, xyz[4][3] = {{0, 0, 0}, {tiny, 0, 0}, {0, tiny, 0}, {0, 0, tiny}};
    struct body *body = make_solid(4, 1, one_cell, true);
    dent_body_metrics measure;
    struct message message = {0};
    body_measure(body, xyz, &measure);
    assert_int_equal(measure.flat_cells, 0);
    assert_true(measure.min_quality > 0.5);
    assert_int_equal(body_check_strict(body, xyz, &message), DENT_OK);
    body_destroy(body);
}

static void signs_are_exact_where_rounding_would_lie(void **state)
{
    (void)state;
    /* A plane through far points; corner 3 is on it, then one unit in the last place off it, above and below. */
    double xyz[4][3] = {{0.1, 0.1, 0.1}, {12345.1, 0.1, 0.1}, {0.1, 54321.1, 0.1}, {777.7, 888.8, 0.1}};
    struct body *body = make_solid(4, 1, one_cell, false);
    dent_body_metrics measure;
    body_measure(body, (const double(*)[3])xyz, &measure);
    assert_int_equal(measure.flat_cells, 1);
    assert_int_equal(measure.first_flat_cell, 0);
    assert_true(measure.min_quality == 0.0);
    assert_false(measure.mirrored);
    xyz[3][2] = nextafter(0.1, 1.0);
    body_measure(body, (const double(*)[3])xyz, &measure);
    assert_int_equal(measure.flat_cells, 0);
    assert_false(measure.mirrored);
    xyz[3][2] = nextafter(0.1, 0.0);
    body_measure(body, (const double(*)[3])xyz, &measure);
    assert_int_equal(measure.flat_cells, 0);
    assert_true(measure.mirrored);
    body_destroy(body);
}

static const double five_xyz[5][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}};

static void inverted_flat_and_mirrored_are_told_apart(void **state)
{
    (void)state;
    const double six_xyz[6][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}, {1, 1, 0}};
    uint32_t corners[12] = {0, 1, 2, 3, 1, 3, 2, 4, 0, 1, 2, 5}; /* positive, negative, flat */
    struct body *body = make_solid(6, 3, corners, true);
    dent_body_metrics measure;
    struct message message = {0};
    body_measure(body, six_xyz, &measure);
    assert_int_equal(measure.inverted_cells, 1);
    assert_int_equal(measure.first_inverted_cell, 1);
    assert_int_equal(measure.flat_cells, 1);
    assert_int_equal(measure.first_flat_cell, 2);
    assert_false(measure.mirrored);
    assert_int_equal(body_check_strict(body, six_xyz, &message), DENT_ERROR_BAD_MESH);
    assert_contains(message.text, "body \"part\": cell 1 is inverted (1 in all)");
    body_destroy(body);

    corners[5] = 2, corners[6] = 3; /* all positive but the flat one */
    body = make_solid(6, 3, corners, true);
    assert_int_equal(body_check_strict(body, six_xyz, &message), DENT_ERROR_BAD_MESH);
    assert_contains(message.text, "body \"part\": cell 2 is flat (1 in all)");
    body_destroy(body);

    const uint32_t negative[8] = {1, 0, 2, 3, 1, 3, 2, 4};
    body = make_solid(5, 2, negative, true);
    body_measure(body, five_xyz, &measure);
    assert_true(measure.mirrored);
    assert_int_equal(measure.inverted_cells, 0);
    assert_int_equal(measure.first_inverted_cell, UINT32_MAX);
    assert_int_equal(body_check_strict(body, five_xyz, &message), DENT_OK);
    body_destroy(body);
}

static void a_split_cell_counts_once_however_many_of_its_parts_are_bad(void **state)
{
    (void)state;
    double xyz[16][3];
    const double cube[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
    uint32_t corners[16];
    const uint8_t kinds[2] = {DENT_CELL_HEXAHEDRON, DENT_CELL_HEXAHEDRON};
    for (uint32_t i = 0; i < 16; i++) {
        memcpy(xyz[i], cube[i % 8], sizeof xyz[i]);
        corners[i] = i < 8 ? i : 8 + (i ^ 1) % 8; /* the second one in mirrored order */
    }
    dent_body_def def = dent_solid_def_default();
    def.vertex_count = 16;
    def.element_count = 2;
    def.element_corners = corners;
    def.cell_kinds = kinds;
    struct body *body = make_body_of(context, &def);
    dent_body_metrics measure;
    body_measure(body, (const double(*)[3])xyz, &measure);
    assert_int_equal(measure.inverted_cells, 1);
    assert_int_equal(measure.first_inverted_cell, 1);
    assert_near(measure.volume, 2.0, 1e-14);
    for (uint32_t i = 8; i < 16; i++) {
        xyz[i][2] = 0.0; /* squashed: all its parts are flat */
    }
    body_measure(body, (const double(*)[3])xyz, &measure);
    assert_int_equal(measure.flat_cells, 1);
    assert_int_equal(measure.first_flat_cell, 1);
    assert_int_equal(measure.inverted_cells, 0);
    body_destroy(body);
}

static void flat_triangles_are_found_exactly_in_every_direction(void **state)
{
    (void)state;
    double xyz[6][3] = {{0.1, 0.2, 0.3}, {1, 0, 0}, {0, 1, 0}};
    const uint32_t corners[6] = {0, 1, 2, 3, 4, 5};
    dent_body_def def = dent_surface_def_default();
    def.name = "sheet";
    def.vertex_count = 6;
    def.element_count = 2;
    def.element_corners = corners;
    def.strict = true;
    struct body *body = make_body_of(context, &def);
    for (int direction = 1; direction < 8; direction++) {
        for (int axis = 0; axis < 3; axis++) {
            double step =
                direction >> axis & 1 ? 0.1 : 0.0; /* 0.1 + 0.1 and 0.1 + 0.2 - 0.1 round; doubling does not */
            xyz[3][axis] = 0.0;
            xyz[4][axis] = step;
            xyz[5][axis] = 2.0 * step;
        }
        dent_body_metrics measure;
        struct message message = {0};
        body_measure(body, (const double(*)[3])xyz, &measure);
        assert_int_equal(measure.flat_cells, 1);
        assert_int_equal(measure.first_flat_cell, 1);
        assert_true(measure.min_quality == 0.0);
        assert_int_equal(body_check_strict(body, (const double(*)[3])xyz, &message), DENT_ERROR_BAD_MESH);
        assert_contains(message.text, "body \"sheet\": triangle 1 is flat");
        for (int axis = 0; axis < 3; axis++) {
            double old = xyz[5][axis];
            xyz[5][axis] = nextafter(old, 9.0);
            body_measure(body, (const double(*)[3])xyz, &measure);
            /* Off the line, unless the line is along this axis. */
            assert_int_equal(measure.flat_cells, direction == 1 << axis ? 1 : 0);
            xyz[5][axis] = old;
        }
    }
    body_destroy(body);
}

static void bounds_leave_out_unused_vertices(void **state)
{
    (void)state;
    const double xyz[5][3] = {{0, 0, 0}, {1, 0, 0}, {0, 2, 0}, {0, 0, 3}, {99, -99, 99}};
    struct body *body = make_solid(5, 1, one_cell, false);
    dent_body_metrics measure;
    body_measure(body, xyz, &measure);
    assert_true(measure.lo[0] == 0 && measure.lo[1] == 0 && measure.lo[2] == 0);
    assert_true(measure.hi[0] == 1 && measure.hi[1] == 2 && measure.hi[2] == 3);
    assert_near(measure.volume, 1.0, 1e-15);
    body_destroy(body);
}

static void an_equilateral_triangle_has_quality_one(void **state)
{
    (void)state;
    const double xyz[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const uint32_t corners[3] = {0, 1, 2};
    dent_body_def def = dent_surface_def_default();
    def.vertex_count = 3;
    def.element_count = 1;
    def.element_corners = corners;
    struct body *body = make_body_of(context, &def);
    dent_body_metrics measure;
    body_measure(body, xyz, &measure);
    assert_near(measure.min_quality, 1.0, 1e-14);
    assert_near(measure.area, sqrt(3.0) / 2.0, 1e-14);
    assert_true(measure.volume == 0.0);
    body_destroy(body);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_regular_tetrahedron_has_quality_one_at_every_size),
        cmocka_unit_test(a_cell_whose_differences_overflow_still_has_its_quality),
        cmocka_unit_test(a_cell_of_subnormal_size_still_has_a_sign),
        cmocka_unit_test(signs_are_exact_where_rounding_would_lie),
        cmocka_unit_test(inverted_flat_and_mirrored_are_told_apart),
        cmocka_unit_test(a_split_cell_counts_once_however_many_of_its_parts_are_bad),
        cmocka_unit_test(flat_triangles_are_found_exactly_in_every_direction),
        cmocka_unit_test(bounds_leave_out_unused_vertices),
        cmocka_unit_test(an_equilateral_triangle_has_quality_one),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
