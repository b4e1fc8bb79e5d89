/* Searches between clouds: the circle of two spheres, decisions against the truth, budgets, and the chance of a miss. */
#include "clouds/cloud_shapes.h"

#include "support/test_context.h"

static dent_cloud_result search_with(dent_context *context, const dent_cloud_search_def *def, const dent_pose *pose_a,
                                     const dent_pose *pose_b, uint64_t seed, dent_cloud_search **search)
{
    dent_cloud_result result;
    if (!*search) {
        assert_int_equal(dent_cloud_search_create(context, def, search), DENT_OK);
    }
    assert_int_equal(dent_cloud_search_begin(*search, pose_a, pose_b, seed), DENT_OK);
    assert_int_equal(dent_cloud_search_run(*search, dent_budget_ns(INFINITY), &result), DENT_OK);
    return result;
}

static dent_cloud_search_def def_of(const dent_cloud *a, const dent_cloud *b)
{
    dent_cloud_search_def def = dent_cloud_search_def_default();
    def.cloud_a = a;
    def.cloud_b = b;
    return def;
}

/* ---- the circle -------------------------------------------------------------------------------------------------- */

/* Unit spheres at distance d meet in the circle x = d/2 of radius sqrt(1 - d^2/4). */
static void check_circle(const dent_cloud_result *result, double d, uint32_t count, double most)
{
    enum { SECTORS = 720 };
    double radius = sqrt(1 - 0.25 * d * d), mean = 0, worst = 0;
    static double angles[65536];
    uint32_t covered = 0;
    for (uint32_t i = 0; i < result->point_count; i++) {
        const double *p = result->points[i].position;
        double off = hypot(p[0] - 0.5 * d, hypot(p[1], p[2]) - radius);
        mean += off / result->point_count;
        worst = fmax(worst, off);
        angles[i] = atan2(p[2], p[1]);
    }
    for (int k = 0; k < SECTORS; k++) {
        double angle = (k + 0.5) * 6.283185307179586 / SECTORS - 3.141592653589793;
        for (uint32_t i = 0; i < result->point_count; i++) {
            if (fabs(remainder(angles[i] - angle, 6.283185307179586)) * radius <= result->resolution) {
                covered++;
                break;
            }
        }
    }
    print_message("n %7u: %5u points, mean error %.2e, largest %.2e, resolution %.2e, coverage %.1f %%\n", count,
                  result->point_count, mean, worst, result->resolution, 100.0 * covered / SECTORS);
    assert_true(result->point_count > 0 && mean < most && covered >= (uint32_t)(0.99 * SECTORS));
    assert_true(worst < result->resolution);
}

static void two_spheres_meet_in_their_circle(void **state)
{
    uint32_t most = (uint32_t)test_count(1000, 10000, 1000000);
    for (uint32_t count = 1000; count <= most; count *= 10) {
        double *xyz_a = points_on_sphere(count, 1, 1), *xyz_b = points_on_sphere(count, 1, 2);
        dent_cloud *a = cloud_of(*state, xyz_a, count), *b = cloud_of(*state, xyz_b, count);
        dent_cloud_search_def def = def_of(a, b);
        dent_cloud_search *search = NULL;
        dent_pose pose = shifted(1.2, 0, 0);
        dent_cloud_result result = search_with(*state, &def, NULL, &pose, 3, &search);
        assert_int_equal(result.answer, DENT_CLOUD_YES);
        assert_int_equal(result.outcome, DENT_OUTCOME_COMPLETE);
        check_circle(&result, 1.2, count, 0.05 * result.resolution);
        dent_cloud_search_destroy(search);
        dent_cloud_destroy(b);
        dent_cloud_destroy(a);
        free(xyz_b);
        free(xyz_a);
    }
}

/* ---- misses ------------------------------------------------------------------------------------------------------ */

static void random_rotation(dent_random *random, dent_pose *pose)
{
    for (int k = 0; k < 4; k++) {
        pose->rotation[k] = dent_random_unit(random) - 0.5;
    }
    pose->rotation[0] += pose->rotation[0] == 0;
}

/* Unit spheres at random poses whose circle is at least as wide as the resolution: what share is not found, and what is
 * stated? One-sided 99 %: frequency <= stated + 2.33 sigma. Also with few draws, where misses happen. */
static void misses_are_no_more_frequent_than_stated(void **state)
{
    uint32_t placements = (uint32_t)test_count(50, 400, 10000), count = 2000;
    double *xyz_a = points_on_sphere(count, 1, 11), *xyz_b = points_on_sphere(count, 1, 12);
    dent_cloud *a = cloud_of(*state, xyz_a, count), *b = cloud_of(*state, xyz_b, count);
    const double certainties[3] = {0, 1, 4.6};
    for (int c = 0; c < 3; c++) {
        dent_random random = dent_random_seeded(13);
        dent_cloud_search *search = NULL;
        dent_cloud_search_def def = def_of(a, b);
        def.first_only = true;
        def.certainty = certainties[c];
        uint32_t misses = 0, unknown = 0;
        double stated = 0, variance = 0;
        for (uint32_t i = 0; i < placements; i++) {
            dent_pose pose_a = shifted(0, 0, 0), pose_b = pose_a;
            random_rotation(&random, &pose_a);
            random_rotation(&random, &pose_b);
            /* a circle of radius R about 0.1 … 1; the resolution is about 0.42 */
            double circle = 0.42 + 0.57 * dent_random_unit(&random);
            pose_b.translation[i % 3] = 2 * sqrt(1 - circle * circle);
            dent_cloud_result result = search_with(*state, &def, &pose_a, &pose_b, 1000 + i, &search);
            assert_true(circle >= result.resolution || result.resolution < 0.43);
            misses += result.answer == DENT_CLOUD_NO;
            unknown += result.answer == DENT_CLOUD_UNKNOWN;
            /* what would be stated without a find: the planned draws */
            double p = result.answer == DENT_CLOUD_NO ? result.miss_probability : 1 - exp(-exp(-certainties[c]));
            stated += p / placements;
            variance += p * (1 - p) / placements;
        }
        double frequency = (double)misses / placements;
        print_message("c %.1f: stated %.4f, missed %u of %u (%.4f), unknown %u\n", certainties[c], stated, misses,
                      placements, frequency, unknown);
        assert_true(frequency <= stated + 2.33 * sqrt(variance / placements));
        assert_true(unknown <= placements / 100);
        dent_cloud_search_destroy(search);
    }
    dent_cloud_destroy(b);
    dent_cloud_destroy(a);
    free(xyz_b);
    free(xyz_a);
}

/* Circles as wide as a surfel, looked at after every few draws: of the placements for which a chance in this range is
 * stated, how many have no point yet? Never more than that, one-sided 99 %. */
static void stated_chances_hold_while_draws_go_on(void **state)
{
    enum { RANGES = 8 };
    static const double most[RANGES] = {1, 0.9, 0.7, 0.5, 0.3, 0.1, 0.03, 0.01};
    uint32_t placements = (uint32_t)test_count(50, 300, 10000), count = 2000, looked[RANGES] = {0},
             missing[RANGES] = {0};
    double stated[RANGES] = {0}, variance[RANGES] = {0};
    double *xyz_a = points_on_sphere(count, 1, 11), *xyz_b = points_on_sphere(count, 1, 12);
    dent_cloud *a = cloud_of(*state, xyz_a, count), *b = cloud_of(*state, xyz_b, count);
    dent_cloud_search_def def = def_of(a, b);
    dent_cloud_search *search = NULL;
    dent_random random = dent_random_seeded(14);
    def.resolution_radii = 1;
    assert_int_equal(dent_cloud_search_create(*state, &def, &search), DENT_OK);
    for (uint32_t i = 0; i < placements; i++) {
        dent_pose pose_a = shifted(0, 0, 0), pose_b = pose_a;
        dent_cloud_result result = {.outcome = DENT_OUTCOME_BUDGET_SPENT};
        int last = -1;
        random_rotation(&random, &pose_a);
        random_rotation(&random, &pose_b);
        double circle = 0.22 + 0.1 * dent_random_unit(&random); /* the resolution is about 0.21 */
        pose_b.translation[i % 3] = 2 * sqrt(1 - circle * circle);
        assert_int_equal(dent_cloud_search_begin(search, &pose_a, &pose_b, 500 + i), DENT_OK);
        while (result.outcome == DENT_OUTCOME_BUDGET_SPENT) {
            assert_int_equal(dent_cloud_search_run(search, dent_budget_units(65), &result), DENT_OK);
            double p = result.miss_probability;
            int range = -1;
            for (int k = 0; k < RANGES; k++) {
                range = p < most[k] || (k == 0 && p < 1) ? k : range;
            }
            if (range > last && result.undefined == 0) { /* once a placement in each range */
                looked[range]++;
                missing[range] += result.point_count == 0;
                stated[range] += p;
                variance[range] += p * (1 - p);
                last = range;
            }
        }
    }
    for (int k = 0; k < RANGES; k++) {
        double share = looked[k] ? 1.0 / looked[k] : 0;
        print_message("stated below %.2f: mean %.4f, no point yet in %u of %u (%.4f)\n", most[k], stated[k] * share,
                      missing[k], looked[k], missing[k] * share);
        assert_true(missing[k] * share <= stated[k] * share + 2.33 * sqrt(variance[k]) * share);
    }
    dent_cloud_search_destroy(search);
    dent_cloud_destroy(b);
    dent_cloud_destroy(a);
    free(xyz_b);
    free(xyz_a);
}

/* Draws until all of p surfels are hit: p ln p + c p draws do with probability exp(-exp(-c)). */
static void all_surfels_are_hit_as_often_as_the_lemma_says(void **state)
{
    uint32_t trials = (uint32_t)test_count(1000, 10000, 10000);
    (void)state;
    dent_random random = dent_random_seeded(21);
    for (int big = 0; big < 2; big++) {
        uint32_t surfels = big ? 500 : 50;
        uint32_t all_hit[6] = {0};
        for (uint32_t trial = 0; trial < trials; trial++) {
            uint8_t hit[500] = {0};
            uint32_t left = surfels, draws = 0;
            for (int c = 0; c < 6; c++) {
                uint32_t wanted = (uint32_t)ceil(surfels * (log(surfels) + c));
                for (; draws < wanted; draws++) {
                    uint32_t at = dent_random_below(&random, surfels);
                    left -= !hit[at];
                    hit[at] = 1;
                }
                all_hit[c] += left == 0;
            }
        }
        for (int c = 0; c < 6; c++) {
            double expected = exp(-exp(-c)), frequency = (double)all_hit[c] / trials;
            double sigma = sqrt(expected * (1 - expected) / trials);
            print_message("p %u, c %d: %.4f against %.4f\n", surfels, c, frequency, expected);
            assert_true(fabs(frequency - expected) <= 3 * sigma);
        }
    }
}

/* ---- answers ----------------------------------------------------------------------------------------------------- */

struct spheres {
    double *xyz_a, *xyz_b;
    dent_cloud *a, *b;
};

static struct spheres two_spheres(dent_context *context, uint32_t count)
{
    struct spheres made = {points_on_sphere(count, 1, 31), points_on_sphere(count, 1, 32), NULL, NULL};
    made.a = cloud_of(context, made.xyz_a, count);
    made.b = cloud_of(context, made.xyz_b, count);
    return made;
}

static void free_spheres(struct spheres *spheres)
{
    dent_cloud_destroy(spheres->a);
    dent_cloud_destroy(spheres->b);
    free(spheres->xyz_a);
    free(spheres->xyz_b);
}

static void clouds_apart_are_proven_apart_and_deep_ones_meet(void **state)
{
    struct spheres spheres = two_spheres(*state, 3000);
    for (int function = 0; function < DENT_CLOUD_FUNCTION_COUNT; function++) {
        dent_cloud_search_def def = def_of(spheres.a, spheres.b);
        def.function = (dent_cloud_function)function;
        def.first_only = true;
        dent_cloud_search *search = NULL;
        dent_pose pose = shifted(3, 0, 0);
        dent_cloud_result far = search_with(*state, &def, NULL, &pose, 1, &search);
        assert_int_equal(far.answer, DENT_CLOUD_NO);
        assert_true(far.miss_probability == 0 && far.evaluations == 0);
        pose = shifted(0.3, 0.4, 1.2);
        dent_cloud_result deep = search_with(*state, &def, NULL, &pose, 1, &search);
        print_message("%s: %llu values, %llu draws, %llu undefined, %llu brackets, %llu rejected\n",
                      dent_cloud_function_get_info(def.function)->name, (unsigned long long)deep.evaluations,
                      (unsigned long long)deep.draws, (unsigned long long)deep.undefined,
                      (unsigned long long)deep.brackets, (unsigned long long)deep.rejected);
        assert_int_equal(deep.answer, DENT_CLOUD_YES);
        assert_int_equal(deep.point_count, 1);
        assert_true(deep.points[0].residual_a <= 0.05 * dent_cloud_get_info(spheres.a).radius);
        dent_cloud_search_destroy(search);
    }
    free_spheres(&spheres);
}

static int compare_points(const void *a, const void *b)
{
    return memcmp(a, b, 3 * sizeof(double));
}

/* Exchanged clouds give the same answer, the same points and the same chance of a miss. */
static void the_two_clouds_are_treated_alike(void **state)
{
    struct spheres spheres = two_spheres(*state, 1500);
    dent_random random = dent_random_seeded(41);
    for (int i = 0; i < 6; i++) {
        dent_pose pose_a = shifted(0, 0, 0), pose_b = pose_a;
        random_rotation(&random, &pose_a);
        random_rotation(&random, &pose_b);
        pose_b.translation[0] = 1.5 + 0.15 * i; /* some apart */
        dent_cloud_search_def def = def_of(spheres.a, spheres.b), turned = def_of(spheres.b, spheres.a);
        dent_cloud_search *search = NULL, *other = NULL;
        dent_cloud_result result = search_with(*state, &def, &pose_a, &pose_b, 5, &search);
        dent_cloud_result swapped = search_with(*state, &turned, &pose_b, &pose_a, 5, &other);
        assert_int_equal(result.answer, swapped.answer);
        assert_int_equal(result.point_count, swapped.point_count);
        assert_true(result.miss_probability == swapped.miss_probability);
        double(*first)[3] = malloc(sizeof *first * (result.point_count + 1));
        double(*second)[3] = malloc(sizeof *second * (result.point_count + 1));
        for (uint32_t k = 0; k < result.point_count; k++) {
            memcpy(first[k], result.points[k].position, sizeof first[k]);
            memcpy(second[k], swapped.points[k].position, sizeof second[k]);
        }
        qsort(first, result.point_count, sizeof *first, compare_points);
        qsort(second, result.point_count, sizeof *second, compare_points);
        assert_memory_equal(first, second, sizeof *first * result.point_count);
        free(first);
        free(second);
        dent_cloud_search_destroy(search);
        dent_cloud_search_destroy(other);
    }
    free_spheres(&spheres);
}

static void flipped_normals_change_no_decision(void **state)
{
    uint32_t count = 1500;
    double *xyz = points_on_sphere(count, 1, 51), *inwards = malloc(3 * sizeof *inwards * count);
    for (uint32_t i = 0; i < 3 * count; i++) {
        inwards[i] = -xyz[i];
    }
    dent_cloud *clouds[2] = {NULL, NULL};
    for (int k = 0; k < 2; k++) {
        dent_cloud_def def = cloud_def_of(xyz, count);
        def.normals = dent_positions_double(k ? inwards : xyz);
        assert_int_equal(dent_cloud_create(*state, &def, &clouds[k]), DENT_OK);
    }
    for (int i = 0; i < 8; i++) {
        dent_cloud_answer answers[2];
        dent_pose pose = shifted(1.2 + 0.15 * i, 0, 0);
        for (int k = 0; k < 2; k++) {
            dent_cloud_search_def def = def_of(clouds[0], clouds[k]);
            dent_cloud_search *search = NULL;
            answers[k] = search_with(*state, &def, NULL, &pose, 7, &search).answer;
            dent_cloud_search_destroy(search);
        }
        assert_int_equal(answers[0], answers[1]);
    }
    dent_cloud_destroy(clouds[0]);
    dent_cloud_destroy(clouds[1]);
    free(inwards);
    free(xyz);
}

/* A sheet in the plane z = 0, and one that stands across: on it, or beside it farther off than its points reach, but
 * within their support, where f still has a value and a change of sign. */
static void surfaces_end_where_their_points_reach(void **state)
{
    const double origin[3] = {0, 0, 0}, below[3] = {0, 0, -0.5}, x[3] = {1, 0, 0}, y[3] = {0, 1, 0}, z[3] = {0, 0, 1};
    double *flat = points_on_plane(2000, origin, x, y, 61), *across = points_on_plane(2000, below, y, z, 62);
    dent_cloud *a = cloud_of(*state, flat, 2000), *b = cloud_of(*state, across, 2000);
    double radius = dent_cloud_get_info(a).radius;
    for (int function = 0; function < DENT_CLOUD_FUNCTION_COUNT; function++) {
        dent_cloud_search_def def = def_of(a, b);
        dent_cloud_search *search = NULL;
        def.function = (dent_cloud_function)function;
        dent_pose inside = shifted(0.5, 0, 0), beside = shifted(1 + 2.5 * radius, 0, 0);
        assert_int_equal(search_with(*state, &def, NULL, &inside, 1, &search).answer, DENT_CLOUD_YES);
        dent_cloud_result result = search_with(*state, &def, NULL, &beside, 1, &search);
        assert_int_equal(result.answer, DENT_CLOUD_NO);
        dent_pose grazing = shifted(1 + 1.5 * radius, 0, 0); /* some covers still overlap: values decide */
        result = search_with(*state, &def, NULL, &grazing, 1, &search);
        assert_int_not_equal(result.answer, DENT_CLOUD_YES);
        print_message("%s: %llu values, %llu brackets rejected\n", dent_cloud_function_get_info(def.function)->name,
                      (unsigned long long)result.evaluations, (unsigned long long)result.rejected);
        dent_cloud_search_destroy(search);
    }
    dent_cloud_destroy(b);
    dent_cloud_destroy(a);
    free(across);
    free(flat);
}

/* ---- budgets ----------------------------------------------------------------------------------------------------- */

static void slices_of_work_add_up_to_the_whole(void **state)
{
    struct spheres spheres = two_spheres(*state, 2000);
    dent_cloud_search_def def = def_of(spheres.a, spheres.b);
    dent_cloud_search *whole = NULL, *sliced = NULL;
    dent_pose pose = shifted(1.3, 0.2, 0);
    dent_cloud_result result = search_with(*state, &def, NULL, &pose, 9, &whole), part;
    assert_int_equal(dent_cloud_search_create(*state, &def, &sliced), DENT_OK);
    assert_int_equal(dent_cloud_search_begin(sliced, NULL, &pose, 9), DENT_OK);
    assert_int_equal(dent_cloud_search_run(sliced, dent_budget_units(1), &part), DENT_OK);
    assert_int_equal(part.outcome, DENT_OUTCOME_BUDGET_SPENT);
    assert_int_equal(part.answer, DENT_CLOUD_UNKNOWN);
    assert_true(part.miss_probability == 1 && part.pending_count > 0 && part.pending_depth > 0);
    uint32_t slices = 1;
    for (; part.outcome == DENT_OUTCOME_BUDGET_SPENT; slices++) {
        assert_int_equal(dent_cloud_search_run(sliced, dent_budget_units(997), &part), DENT_OK);
    }
    assert_true(slices > 20);
    assert_true(part.work_units == result.work_units && part.evaluations == result.evaluations);
    assert_int_equal(part.point_count, result.point_count);
    assert_memory_equal(part.points, result.points, part.point_count * sizeof *part.points);
    /* no time at all: nothing is done, and nothing is wrong */
    assert_int_equal(dent_cloud_search_begin(sliced, NULL, &pose, 9), DENT_OK);
    assert_int_equal(dent_cloud_search_run(sliced, dent_budget_ns(0), &part), DENT_OK);
    assert_int_equal(part.answer, DENT_CLOUD_UNKNOWN);
    assert_int_equal(dent_cloud_search_run(sliced, dent_budget_ns(-1), &part), DENT_ERROR_BAD_NUMBER);
    assert_int_equal(dent_cloud_search_run(sliced, dent_budget_ns(NAN), &part), DENT_ERROR_BAD_NUMBER);
    dent_cloud_search_destroy(sliced);
    dent_cloud_search_destroy(whole);
    free_spheres(&spheres);
}

/* Clouds with many draws each: long before one has done all of its own, points of both are found. */
static void both_clouds_draw_from_the_start(void **state)
{
    struct spheres spheres = two_spheres(*state, 2000);
    dent_cloud_search_def def = def_of(spheres.a, spheres.b);
    dent_cloud_search *search = NULL;
    dent_pose pose = shifted(1.3, 0.2, 0);
    dent_cloud_result result = {.outcome = DENT_OUTCOME_BUDGET_SPENT};
    def.resolution_radii = 1;
    assert_int_equal(dent_cloud_search_create(*state, &def, &search), DENT_OK);
    assert_int_equal(dent_cloud_search_begin(search, NULL, &pose, 9), DENT_OK);
    while (result.outcome == DENT_OUTCOME_BUDGET_SPENT && result.draws * 4 <= result.draws_planned) {
        assert_int_equal(dent_cloud_search_run(search, dent_budget_units(500), &result), DENT_OK);
    }
    uint32_t from_b = 0;
    for (uint32_t i = 0; i < result.point_count; i++) {
        from_b += result.points[i].drawn_in_b;
    }
    print_message("after %llu of %llu draws: %u points, %u of them drawn in b\n", (unsigned long long)result.draws,
                  (unsigned long long)result.draws_planned, result.point_count, from_b);
    assert_true(from_b * 4 >= result.point_count && from_b * 4 <= 3 * result.point_count && from_b > 0);
    dent_cloud_search_destroy(search);
    free_spheres(&spheres);
}

static void a_second_search_allocates_nothing_and_a_full_list_is_said(void **state)
{
    struct spheres spheres = two_spheres(*state, 2000);
    dent_cloud_search_def def = def_of(spheres.a, spheres.b);
    dent_cloud_search *search = NULL, *small = NULL;
    dent_pose pose = shifted(1.3, 0.2, 0);
    search_with(*state, &def, NULL, &pose, 9, &search);
    uint64_t before = dent_context_memory_use(*state).allocations;
    search_with(*state, &def, NULL, &pose, 9, &search);
    assert_true(dent_context_memory_use(*state).allocations == before);
    def.point_capacity = 3;
    dent_cloud_result result = search_with(*state, &def, NULL, &pose, 9, &small);
    assert_int_equal(result.outcome, DENT_OUTCOME_TRUNCATED);
    assert_int_equal(result.point_count, 3);
    dent_cloud_search_destroy(small);
    dent_cloud_search_destroy(search);
    free_spheres(&spheres);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_spheres_meet_in_their_circle),
        cmocka_unit_test(misses_are_no_more_frequent_than_stated),
        cmocka_unit_test(stated_chances_hold_while_draws_go_on),
        cmocka_unit_test(all_surfels_are_hit_as_often_as_the_lemma_says),
        cmocka_unit_test(clouds_apart_are_proven_apart_and_deep_ones_meet),
        cmocka_unit_test(the_two_clouds_are_treated_alike),
        cmocka_unit_test(flipped_normals_change_no_decision),
        cmocka_unit_test(surfaces_end_where_their_points_reach),
        cmocka_unit_test(both_clouds_draw_from_the_start),
        cmocka_unit_test(slices_of_work_add_up_to_the_whole),
        cmocka_unit_test(a_second_search_allocates_nothing_and_a_full_list_is_said),
    };
    return cmocka_run_group_tests(tests, test_open_context_of_two, test_close_context);
}
