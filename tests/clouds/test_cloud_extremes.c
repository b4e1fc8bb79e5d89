/* Clouds of any magnitude, several at once, lines without a surface, and points that move between questions. */
#include "clouds/cloud_shapes.h"

#include "support/test_context.h"

enum { COUNT = 700 };

static dent_cloud_search *search_of(dent_context *context, const dent_cloud *a, const dent_cloud *b,
                                    dent_cloud_function function)
{
    dent_cloud_search_def def = dent_cloud_search_def_default();
    dent_cloud_search *search = NULL;
    def.cloud_a = a;
    def.cloud_b = b;
    def.function = function;
    assert_int_equal(dent_cloud_search_create(context, &def, &search), DENT_OK);
    return search;
}

static dent_cloud_result ask(dent_cloud_search *search, double x, uint64_t seed)
{
    dent_cloud_result result;
    dent_pose pose = shifted(x, 0, 0);
    assert_int_equal(dent_cloud_search_begin(search, NULL, &pose, seed), DENT_OK);
    assert_int_equal(dent_cloud_search_run(search, dent_budget_units(UINT64_MAX), &result), DENT_OK);
    return result;
}

static double *scaled(const double *xyz, double scale, double shift)
{
    double *made = malloc(3 * COUNT * sizeof *made);
    for (uint32_t i = 0; i < 3 * COUNT; i++) {
        made[i] = xyz[i] * scale + shift;
    }
    return made;
}

/* Powers of two change no digit: the same answers, scaled. */
static void clouds_of_every_size_meet_in_the_same_points(void **state)
{
    double *unit_a = points_on_sphere(COUNT, 1, 1), *unit_b = points_on_sphere(COUNT, 1, 2);
    for (int function = 0; function < DENT_CLOUD_FUNCTION_COUNT; function++) {
        dent_cloud_crossing *expected = NULL;
        uint32_t expected_count = 0;
        const int exponents[5] = {0, 329, -320, 90, -200}; /* 2^329 is about 1e99 */
        for (int k = 0; k < (int)test_count(3, 5, 5); k++) {
            double scale = ldexp(1, exponents[k]), *xyz_a = scaled(unit_a, scale, 0), *xyz_b = scaled(unit_b, scale, 0);
            dent_cloud *a = cloud_of(*state, xyz_a, COUNT), *b = cloud_of(*state, xyz_b, COUNT);
            dent_cloud_search *search = search_of(*state, a, b, (dent_cloud_function)function);
            dent_cloud_result result = ask(search, 1.25 * scale, 3);
            assert_int_equal(result.answer, DENT_CLOUD_YES);
            if (k == 0) {
                expected_count = result.point_count;
                expected = malloc(expected_count * sizeof *expected);
                memcpy(expected, result.points, expected_count * sizeof *expected);
            }
            assert_int_equal(result.point_count, expected_count);
            for (uint32_t i = 0; i < expected_count; i++) {
                for (int axis = 0; axis < 3; axis++) {
                    assert_true(result.points[i].position[axis] == expected[i].position[axis] * scale);
                }
                assert_true(result.points[i].residual_b == expected[i].residual_b * scale);
            }
            assert_int_equal(ask(search, 2.6 * scale, 3).answer, DENT_CLOUD_NO);
            dent_cloud_search_destroy(search);
            dent_cloud_destroy(b);
            dent_cloud_destroy(a);
            free(xyz_b);
            free(xyz_a);
        }
        free(expected);
    }
    free(unit_b);
    free(unit_a);
}

/* At 1e100 neighbouring numbers are 2e84 apart: spheres of radius 1e90 have six digits left. */
static void clouds_far_from_the_origin_meet(void **state)
{
    double *unit_a = points_on_sphere(COUNT, 1, 1), *unit_b = points_on_sphere(COUNT, 1, 2);
    double *xyz_a = scaled(unit_a, 1e90, 0.9999e100), *xyz_b = scaled(unit_b, 1e90, 0.9999e100);
    dent_cloud *a = cloud_of(*state, xyz_a, COUNT), *b = cloud_of(*state, xyz_b, COUNT);
    for (int function = 0; function < DENT_CLOUD_FUNCTION_COUNT; function++) {
        dent_cloud_search *search = search_of(*state, a, b, (dent_cloud_function)function);
        dent_cloud_result result = ask(search, 1.2e90, 3);
        assert_int_equal(result.answer, DENT_CLOUD_YES);
        double worst = 0;
        for (uint32_t i = 0; i < result.point_count; i++) {
            worst = fmax(worst, fabs(result.points[i].position[0] - 0.9999e100 - 0.6e90));
        }
        print_message("%u points, largest error %g\n", result.point_count, worst);
        assert_true(worst < 0.15e90); /* few points: planes shrink the spheres */
        assert_int_equal(ask(search, 2.7e90, 3).answer, DENT_CLOUD_NO);
        dent_cloud_search_destroy(search);
    }
    dent_cloud_destroy(b);
    dent_cloud_destroy(a);
    free(xyz_b);
    free(xyz_a);
    free(unit_b);
    free(unit_a);
}

/* A cloud of 1e-90 against one of 1e99, and one that is both: searches end, and exchanging the two changes nothing. */
static void clouds_of_different_magnitudes_can_be_asked(void **state)
{
    double *unit = points_on_sphere(COUNT, 1, 4), *clouds[3];
    dent_cloud *made[3];
    clouds[0] = scaled(unit, 1e-90, 0);
    clouds[1] = scaled(unit, 1e99, 0);
    clouds[2] = scaled(unit, 1e99, 0);
    memcpy(clouds[2], clouds[0], 3 * (COUNT / 2) * sizeof *clouds[2]);
    for (int i = 0; i < 3; i++) {
        made[i] = cloud_of(*state, clouds[i], COUNT);
        assert_true(isfinite(dent_cloud_get_info(made[i]).radius) && isfinite(dent_cloud_get_info(made[i]).spacing));
    }
    for (int a = 0; a < 3; a++) {
        for (int b = a; b < 3; b++) {
            for (int function = 0; function < DENT_CLOUD_FUNCTION_COUNT; function++) {
                dent_cloud_search *search = search_of(*state, made[a], made[b], (dent_cloud_function)function);
                dent_cloud_search *turned = search_of(*state, made[b], made[a], (dent_cloud_function)function);
                dent_cloud_result result = ask(search, 0, 1), other = ask(turned, 0, 1);
                assert_int_not_equal(result.outcome, DENT_OUTCOME_BUDGET_SPENT);
                assert_int_equal(result.answer, other.answer);
                assert_int_equal(result.point_count, other.point_count);
                assert_true(result.miss_probability >= 0 && result.miss_probability <= 1);
                if (a == 0 && b == 1) {
                    assert_int_equal(result.answer, DENT_CLOUD_NO); /* a speck in the middle of a ball */
                }
                dent_cloud_search_destroy(turned);
                dent_cloud_search_destroy(search);
            }
        }
    }
    for (int i = 0; i < 3; i++) {
        dent_cloud_destroy(made[i]);
        free(clouds[i]);
    }
    free(unit);
}

/* Points of a line have no normal, so nothing is known where they meet; given normals define a surface. */
static void a_line_has_no_surface(void **state)
{
    double xyz[300], normals[300];
    dent_random random = dent_random_seeded(5);
    for (uint32_t i = 0; i < 100; i++) {
        double s = dent_random_unit(&random);
        for (int axis = 0; axis < 3; axis++) {
            xyz[3 * i + (uint32_t)axis] = s * (axis + 1) + 0.5;
            normals[3 * i + (uint32_t)axis] = axis == 0 ? -2 : axis == 1;
        }
    }
    dent_cloud_def def = cloud_def_of(xyz, 100);
    for (int given = 0; given < 2; given++) {
        dent_cloud *cloud = NULL;
        def.normals = dent_positions_double(given ? normals : NULL);
        assert_int_equal(dent_cloud_create(*state, &def, &cloud), DENT_OK);
        assert_true(given == (dent_cloud_point_at(cloud, 7).normal[0] != 0));
        for (int function = 0; function < DENT_CLOUD_FUNCTION_COUNT; function++) {
            dent_cloud_search *search = search_of(*state, cloud, cloud, (dent_cloud_function)function);
            dent_cloud_result result = ask(search, 0, 1);
            if (!given) {
                assert_int_equal(result.answer, DENT_CLOUD_UNKNOWN);
                assert_true(result.undefined > 0 && result.miss_probability == 1);
            }
            assert_int_equal(ask(search, 5, 1).answer, DENT_CLOUD_NO);
            dent_cloud_search_destroy(search);
        }
        dent_cloud_destroy(cloud);
    }
}

/* Two searches of one context, in turns, with a third cloud made and moved in between. */
static void searches_in_turns_do_not_disturb_one_another(void **state)
{
    double *xyz[3];
    dent_cloud *clouds[3];
    for (uint64_t i = 0; i < 3; i++) {
        xyz[i] = points_on_sphere(COUNT, 1, i + 1);
        clouds[i] = cloud_of(*state, xyz[i], COUNT);
    }
    dent_cloud_search *first = search_of(*state, clouds[0], clouds[1], DENT_CLOUD_SPHERE_FIT);
    dent_cloud_search *second = search_of(*state, clouds[1], clouds[2], DENT_CLOUD_GRAPH);
    dent_cloud_search *alone = search_of(*state, clouds[0], clouds[1], DENT_CLOUD_SPHERE_FIT);
    dent_cloud_result whole = ask(alone, 1.3, 9), part = {.outcome = DENT_OUTCOME_BUDGET_SPENT}, other;
    dent_cloud_update_result update;
    dent_pose pose = shifted(1.3, 0, 0);
    assert_int_equal(dent_cloud_search_begin(first, NULL, &pose, 9), DENT_OK);
    for (uint32_t turn = 0; part.outcome == DENT_OUTCOME_BUDGET_SPENT; turn++) {
        assert_int_equal(dent_cloud_search_run(first, dent_budget_units(1500), &part), DENT_OK);
        xyz[2][turn % 3] += 1e-6;
        assert_int_equal(dent_cloud_update(clouds[2], &update), DENT_OK);
        if (turn > 0) { /* begun before the update */
            assert_int_equal(dent_cloud_search_run(second, dent_budget_units(1), &other), DENT_ERROR_INVALID_ARGUMENT);
        }
        assert_int_equal(dent_cloud_search_begin(second, NULL, &pose, turn), DENT_OK);
        assert_int_equal(dent_cloud_search_run(second, dent_budget_units(3000), &other), DENT_OK);
    }
    assert_int_equal(part.point_count, whole.point_count);
    assert_true(part.point_count > 0 && part.work_units == whole.work_units);
    assert_memory_equal(part.points, whole.points, part.point_count * sizeof *part.points);
    dent_cloud_search_destroy(alone);
    dent_cloud_search_destroy(second);
    dent_cloud_search_destroy(first);
    for (int i = 0; i < 3; i++) {
        dent_cloud_destroy(clouds[i]);
        free(xyz[i]);
    }
}

/* A bending sheet against a ball: after each update the answer is that of a cloud made anew from the same points. */
static void a_bending_cloud_answers_like_a_new_one(void **state)
{
    enum { SIDE = 40 };
    double *ball = points_on_sphere(COUNT, 0.3, 6), xyz[3 * SIDE * SIDE];
    dent_cloud *still = cloud_of(*state, ball, COUNT), *bent = NULL;
    dent_random random = dent_random_seeded(8);
    double jitter[3 * SIDE * SIDE];
    for (uint32_t i = 0; i < 3 * SIDE * SIDE; i++) {
        jitter[i] = (dent_random_unit(&random) - 0.5) * 0.6 / SIDE;
    }
    uint32_t yes = 0, no = 0;
    for (int step = 0; step < 8; step++) {
        for (uint32_t i = 0; i < SIDE * SIDE; i++) { /* its middle sinks into the ball, its ends lift */
            double x = 2.0 * (i % SIDE) / SIDE - 1 + jitter[3 * i], y = 2.0 * (i / SIDE) / SIDE - 1 + jitter[3 * i + 1];
            double bend = 0.05 * step;
            xyz[3 * i] = x;
            xyz[3 * i + 1] = y;
            xyz[3 * i + 2] = 0.5 - 2 * bend + bend * (x * x + y * y);
        }
        dent_cloud_update_result update = {0};
        if (bent) {
            assert_int_equal(dent_cloud_update(bent, &update), DENT_OK);
            assert_false(update.rebuild_advised);
        } else {
            bent = cloud_of(*state, xyz, SIDE * SIDE);
        }
        dent_cloud *fresh = cloud_of(*state, xyz, SIDE * SIDE);
        dent_cloud_search *followed = search_of(*state, still, bent, DENT_CLOUD_SPHERE_FIT);
        dent_cloud_search *anew = search_of(*state, still, fresh, DENT_CLOUD_SPHERE_FIT);
        dent_cloud_result one = ask(followed, 0, 1), two = ask(anew, 0, 1);
        assert_int_equal(one.answer, two.answer);
        yes += one.answer == DENT_CLOUD_YES;
        no += one.answer == DENT_CLOUD_NO;
        for (uint32_t i = 0; i < one.point_count; i++) {
            const double *p = one.points[i].position;
            assert_true(fabs(sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]) - 0.3) < 0.01);
        }
        dent_cloud_search_destroy(anew);
        dent_cloud_search_destroy(followed);
        dent_cloud_destroy(fresh);
    }
    print_message("%u yes, %u no\n", yes, no);
    assert_true(yes >= 2 && no >= 1);
    dent_cloud_destroy(bent);
    dent_cloud_destroy(still);
    free(ball);
}

/* Where products of lengths vanish, an answer would be wrong: such clouds are refused. Equal points are a cloud. */
static void a_cloud_too_small_for_its_numbers_is_refused(void **state)
{
    double *unit = points_on_sphere(COUNT, 1, 5);
    static const double scales[] = {1e-98, 1e-150, 1e-310, 1e-96};
    for (int k = 0; k < 4; k++) {
        double *xyz = scaled(unit, scales[k], 0);
        dent_cloud_def def = dent_cloud_def_default();
        dent_cloud *cloud = NULL;
        def.positions = dent_positions_double(xyz);
        def.point_count = COUNT;
        dent_status expected = scales[k] < 1e-97 ? DENT_ERROR_BAD_NUMBER : DENT_OK;
        assert_int_equal(dent_cloud_create(*state, &def, &cloud), expected);
        assert_true((cloud != NULL) == (expected == DENT_OK));
        dent_cloud_destroy(cloud);
        for (uint32_t i = 0; i < 3 * COUNT; i++) {
            xyz[i] = 1 + i % 3;
        }
        cloud = NULL;
        assert_int_equal(dent_cloud_create(*state, &def, &cloud), DENT_OK);
        dent_cloud_destroy(cloud);
        free(xyz);
    }
    free(unit);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clouds_of_every_size_meet_in_the_same_points),
        cmocka_unit_test(a_cloud_too_small_for_its_numbers_is_refused),
        cmocka_unit_test(clouds_far_from_the_origin_meet),
        cmocka_unit_test(clouds_of_different_magnitudes_can_be_asked),
        cmocka_unit_test(a_line_has_no_surface),
        cmocka_unit_test(searches_in_turns_do_not_disturb_one_another),
        cmocka_unit_test(a_bending_cloud_answers_like_a_new_one),
    };
    return cmocka_run_group_tests(tests, test_open_context_of_two, test_close_context);
}
