/* What the graded scene promises: cells of all sizes over three orders of magnitude, well shaped, and the overlap asked
 * for. Its golden counts are with those of the other scenes in test_scenes.c. */
#include "support/cmocka_includes.h"

#include "support/test_context.h"
#include "scenes/support_counting.h"

#include <math.h>

static dent_scene *make_scene(dent_context *context, double scale, const char *parameter, double value)
{
    dent_scene_setting setting = {parameter, value};
    dent_scene_def def = dent_scene_def_default();
    def.name = "graded";
    def.scale = scale;
    def.settings = &setting;
    def.setting_count = 1;
    dent_scene *scene = NULL;
    assert_int_equal(dent_scene_create(context, &def, &scene), DENT_OK);
    return scene;
}

/* Longest edge of an element. */
static double size_of_element(const struct joined_scene *joined, uint32_t element)
{
    const uint32_t *corners = joined->corners + 4 * (size_t)element;
    double most = 0;
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < i; j++) {
            const double *p = joined->positions + 3 * (size_t)corners[i];
            const double *q = joined->positions + 3 * (size_t)corners[j];
            double square = 0;
            for (int axis = 0; axis < 3; axis++) {
                square += (p[axis] - q[axis]) * (p[axis] - q[axis]);
            }
            most = fmax(most, square);
        }
    }
    return sqrt(most);
}

enum { DECADES = 4 };

/* How many elements are of each size: [0]: up to a tenth of the largest, [1]: up to a hundredth … */
static double count_sizes(const struct joined_scene *joined, uint32_t counts[DECADES])
{
    double least = INFINITY, most = 0;
    for (uint32_t e = 0; e < joined->element_count; e++) {
        double size = size_of_element(joined, e);
        least = fmin(least, size);
        most = fmax(most, size);
    }
    for (int decade = 0; decade < DECADES; decade++) {
        counts[decade] = 0;
    }
    for (uint32_t e = 0; e < joined->element_count; e++) {
        double ratio = most / size_of_element(joined, e);
        int decade = ratio < 10 ? 0 : ratio < 100 ? 1 : ratio < 1000 ? 2 : 3;
        counts[decade]++;
    }
    return most / least;
}

static void cells_span_three_orders_of_magnitude_evenly(void **state)
{
    dent_scene *scene = make_scene(*state, 1, "inside", 0);
    struct joined_scene joined = join_scene(scene);
    pose_joined(scene, 5, &joined);
    uint32_t counts[DECADES];
    double ratio = count_sizes(&joined, counts);
    print_message("largest over smallest: %.0f; by decade: %u %u %u %u\n", ratio, counts[0], counts[1], counts[2],
                  counts[3]);
    assert_true(ratio > 1000 && ratio < 1700);
    for (int decade = 0; decade < 3; decade++) {
        assert_true(counts[decade] > joined.element_count / 5);
    }
    free_joined(&joined);
    dent_scene_destroy(scene);
}

static void cells_are_well_shaped_at_both_ends(void **state)
{
    dent_scene *scene = make_scene(*state, 1, "inside", 0);
    const dent_scene_body *body = dent_scene_body_at(scene, 0);
    double smallest, largest;
    dihedral_range(body->element_corners, body->element_count, body->reference, &smallest, &largest);
    print_message("dihedral angles %.1f … %.1f degrees\n", smallest, largest);
    assert_true(smallest > 25 && largest < 130);
    dent_scene_destroy(scene);
}

static void the_parameter_inside_is_obeyed_on_average(void **state)
{
    /* At a fifth of the size: the count by loops looks at every cell near the tips. */
    static const double asked[] = {0, 0.02, 0.075, 0.5, 0.8};
    for (size_t i = 0; i < sizeof asked / sizeof asked[0]; i++) {
        dent_scene *scene = make_scene(*state, 0.2, "inside", asked[i]);
        struct joined_scene joined = join_scene(scene);
        double sum = 0, least = 1, most = 0;
        uint32_t frames = 0;
        for (uint32_t frame = 0; frame < 40; frame += 5, frames++) {
            pose_joined(scene, frame, &joined);
            assert_true(smallest_determinant(&joined) > 0);
            double share = (double)count_vertices_inside(&joined) / joined.vertex_count;
            sum += share;
            least = fmin(least, share);
            most = fmax(most, share);
        }
        print_message("inside=%g: mean %.4f, %.4f … %.4f\n", asked[i], sum / frames, least, most);
        assert_true(fabs(sum / frames - asked[i]) <= (asked[i] > 0 ? 0.015 : 0));
        free_joined(&joined);
        dent_scene_destroy(scene);
    }
}

static void the_grading_is_the_ratio_of_the_sizes(void **state)
{
    static const double asked[] = {1, 30, 1e6};
    for (size_t i = 0; i < sizeof asked / sizeof asked[0]; i++) {
        dent_scene *scene = make_scene(*state, 0.2, "grading", asked[i]);
        struct joined_scene joined = join_scene(scene);
        pose_joined(scene, 0, &joined);
        assert_true(smallest_determinant(&joined) > 0);
        uint32_t counts[DECADES];
        double ratio = count_sizes(&joined, counts);
        /* Waves and the step from plane to plane change lengths a little. */
        assert_true(ratio > 0.6 * asked[i] && ratio < 2 * asked[i]);
        free_joined(&joined);
        dent_scene_destroy(scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_span_three_orders_of_magnitude_evenly),
        cmocka_unit_test(cells_are_well_shaped_at_both_ends),
        cmocka_unit_test(the_parameter_inside_is_obeyed_on_average),
        cmocka_unit_test(the_grading_is_the_ratio_of_the_sizes),
    };
    return cmocka_run_group_tests(tests, test_open_context_of_one, test_close_context);
}
