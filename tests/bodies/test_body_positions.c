/* Borrowed positions: double or float, any stride and address, every number checked, the culprit named. */
#include "support_bodies.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VERTICES = 50 };

static struct watched_memory memory;
static dent_context *context;
static struct body *body;
static struct message message;
static float narrow[VERTICES][3];
static double wide[VERTICES][3];

static int begin(void **state)
{
    (void)state;
    context = watched_context(&memory);
    dent_body_def def = dent_surface_def_default();
    def.name = "cloud";
    def.vertex_count = VERTICES;
    body = make_body_of(context, &def);
    dent_random random = dent_random_seeded(5);
    for (int i = 0; i < VERTICES; i++) {
        for (int axis = 0; axis < 3; axis++) {
            /* All kinds of finite floats, subnormals and signed zeros among them. */
            uint32_t bits = (uint32_t)dent_random_bits(&random);
            bits = i % 5 == 0 ? bits & 0x807fffff : i % 7 == 0 ? bits & 0x80000000 : bits & 0xbfffffff;
            memcpy(&narrow[i][axis], &bits, sizeof bits);
            wide[i][axis] = (double)narrow[i][axis];
        }
    }
    return 0;
}

static int end(void **state)
{
    (void)state;
    body_destroy(body);
    end_watched_context(context, &memory);
    return 0;
}

static void assert_reads_as_wide(const dent_positions *positions)
{
    double xyz[VERTICES][3];
    memset(xyz, 0xff, sizeof xyz);
    assert_int_equal(body_read_positions(body, positions, &message, xyz), DENT_OK);
    assert_memory_equal(xyz, wide, sizeof wide);
}

static void floats_read_as_their_double_copies_bit_for_bit(void **state)
{
    (void)state;
    dent_positions from_double = dent_positions_double(&wide[0][0]), from_float = dent_positions_float(&narrow[0][0]);
    assert_reads_as_wide(&from_double);
    assert_reads_as_wide(&from_float);
    from_double.stride = 0;
    from_float.stride = 0;
    assert_reads_as_wide(&from_double);
    assert_reads_as_wide(&from_float);
}

static void any_stride_and_address_will_do(void **state)
{
    (void)state;
    for (size_t stride = 12; stride < 45; stride++) {
        for (size_t offset = 0; offset < 9; offset += 3) {
            for (int scalar = 0; scalar < 2; scalar++) {
                size_t size = scalar ? 12 : 24;
                if (stride < size) {
                    continue;
                }
                /* Exactly as long as needed, so that reading beyond the last number is seen. */
                unsigned char *bytes = malloc(offset + (VERTICES - 1) * stride + size);
                memset(bytes, 0xff, offset + (VERTICES - 1) * stride + size);
                for (size_t i = 0; i < VERTICES; i++) {
                    memcpy(bytes + offset + i * stride, scalar ? (void *)narrow[i] : (void *)wide[i], size);
                }
                dent_positions positions = {bytes + offset, stride, scalar ? DENT_SCALAR_FLOAT : DENT_SCALAR_DOUBLE};
                assert_reads_as_wide(&positions);
                free(bytes);
            }
        }
    }
}

static void the_first_number_that_is_not_finite_is_named(void **state)
{
    (void)state;
    double copy[VERTICES][3], xyz[VERTICES][3];
    const double bad[3] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
    const char *words[3] = {"= NaN", "= infinity", "= -infinity"};
    for (int kind = 0; kind < 3; kind++) {
        for (int vertex = 0; vertex < VERTICES; vertex += 7) {
            for (int axis = 0; axis < 3; axis++) {
                memcpy(copy, wide, sizeof copy);
                copy[VERTICES - 1][2] = (double)INFINITY; /* a later culprit, of a sign that could cancel */
                copy[vertex][axis] = bad[kind];
                dent_positions positions = dent_positions_double(&copy[0][0]);
                assert_int_equal(body_read_positions(body, &positions, &message, xyz), DENT_ERROR_BAD_NUMBER);
                char expected[64];
                snprintf(expected, sizeof expected, "body \"cloud\": vertex %d has %c %s", vertex, "xyz"[axis],
                         words[kind]);
                assert_string_equal(message.text, expected);
            }
        }
    }
    float floats[VERTICES][3];
    memcpy(floats, narrow, sizeof floats);
    floats[3][1] = -INFINITY;
    dent_positions positions = dent_positions_float(&floats[0][0]);
    assert_int_equal(body_read_positions(body, &positions, &message, xyz), DENT_ERROR_BAD_NUMBER);
    assert_string_equal(message.text, "body \"cloud\": vertex 3 has y = -infinity");
}

static void the_largest_doubles_are_finite(void **state)
{
    (void)state;
    double copy[VERTICES][3], xyz[VERTICES][3];
    for (int i = 0; i < VERTICES * 3; i++) {
        copy[i / 3][i % 3] = i % 2 ? 0x1.fffffffffffffp1023 : 0x1p-1074;
    }
    dent_positions positions = dent_positions_double(&copy[0][0]);
    assert_int_equal(body_read_positions(body, &positions, &message, xyz), DENT_OK);
    assert_memory_equal(xyz, copy, sizeof copy);
}

/* What a query reads: float or any stride, in pieces, with bounds. Each place of the range is looked at. */
static void a_range_has_exact_bounds_and_no_place_hides_a_bad_number(void **state)
{
    (void)state;
    enum { MANY = 1300, FIRST = 7, STRIDE = 4 };
    static double doubles[FIRST + MANY][STRIDE], xyz[FIRST + MANY][3];
    static float floats[FIRST + MANY][STRIDE];
    dent_random random = dent_random_seeded(6);
    for (int i = 0; i < (FIRST + MANY) * STRIDE; i++) {
        floats[i / STRIDE][i % STRIDE] = (float)(2 * dent_random_unit(&random) - 1);
        doubles[i / STRIDE][i % STRIDE] = (double)floats[i / STRIDE][i % STRIDE];
    }
    for (int scalar = 0; scalar < 2; scalar++) {
        dent_positions positions = {scalar ? (void *)floats : (void *)doubles,
                                    STRIDE * (scalar ? sizeof(float) : sizeof(double)),
                                    scalar ? DENT_SCALAR_FLOAT : DENT_SCALAR_DOUBLE};
        for (int place = 0; place < 3 * MANY; place++) {
            int vertex = FIRST + place / 3, axis = place % 3;
            double lo[3] = {2, 2, 2}, hi[3] = {-2, -2, -2}, own = doubles[vertex][axis];
            doubles[vertex][axis] = (double)(floats[vertex][axis] = place % 2 ? 1.5f : -1.5f);
            assert_true(body_read_range(&positions, FIRST, MANY, xyz, lo, hi));
            for (int k = 0; k < 3; k++) {
                assert_true(lo[k] == -1.5 ? k == axis && place % 2 == 0 : lo[k] < -0.9 && lo[k] > -1.01);
                assert_true(hi[k] == 1.5 ? k == axis && place % 2 == 1 : hi[k] > 0.9 && hi[k] < 1.01);
            }
            assert_true((place % 2 ? hi[axis] : lo[axis]) == (place % 2 ? 1.5 : -1.5));
            doubles[vertex][axis] = (double)(floats[vertex][axis] = place % 5 == 0 ? -INFINITY : NAN);
            assert_false(body_read_range(&positions, FIRST, MANY, xyz, lo, hi));
            floats[vertex][axis] = (float)(doubles[vertex][axis] = own);
        }
    }
}

static void positions_that_are_not_there_are_refused(void **state)
{
    (void)state;
    double xyz[VERTICES][3];
    assert_int_equal(body_read_positions(body, &body->positions_t0, &message, xyz), DENT_ERROR_INVALID_ARGUMENT);
    assert_string_equal(message.text, "body \"cloud\" has no positions");
    assert_int_equal(body_read_positions(body, &body->positions_t1, &message, xyz), DENT_ERROR_INVALID_ARGUMENT);
    assert_string_equal(message.text, "body \"cloud\" has no positions at t1");
    dent_positions positions = dent_positions_double(&wide[0][0]);
    positions.stride = 8;
    assert_int_equal(body_read_positions(body, &positions, &message, xyz), DENT_ERROR_INVALID_ARGUMENT);
}

static void a_body_without_vertices_needs_no_positions(void **state)
{
    (void)state;
    dent_body_def def = dent_solid_def_default();
    struct body *empty = make_body_of(context, &def);
    assert_int_equal(body_read_positions(empty, &empty->positions_t0, &message, NULL), DENT_OK);
    dent_body_metrics measure;
    body_measure(empty, NULL, &measure);
    assert_true(measure.min_quality == 1.0 && measure.volume == 0.0 && measure.mean_edge == 0.0 &&
                measure.lo[0] == 0.0);
    body_destroy(empty);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(floats_read_as_their_double_copies_bit_for_bit),
        cmocka_unit_test(any_stride_and_address_will_do),
        cmocka_unit_test(the_first_number_that_is_not_finite_is_named),
        cmocka_unit_test(the_largest_doubles_are_finite),
        cmocka_unit_test(a_range_has_exact_bounds_and_no_place_hides_a_bad_number),
        cmocka_unit_test(positions_that_are_not_there_are_refused),
        cmocka_unit_test(a_body_without_vertices_needs_no_positions),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
