/* What the scenes promise about overlap, counted by loops of the test's own at full size. */
#include "support/cmocka_includes.h"

#include "support/test_context.h"
#include "scenes/support_counting.h"

#include <math.h>
#include <stdio.h>

static dent_scene *make_scene(dent_context *context, const char *name, double scale, const char *parameter,
                              double value)
{
    dent_scene_setting setting = {parameter, value};
    dent_scene_def def = dent_scene_def_default();
    def.name = name;
    def.scale = scale;
    def.settings = &setting;
    def.setting_count = parameter ? 1 : 0;
    dent_scene *scene = NULL;
    assert_int_equal(dent_scene_create(context, &def, &scene), DENT_OK);
    return scene;
}

/* Least and most share of vertices inside over every `step`-th benchmark frame; cells must be positive in all of them.
 */
static void measure_share(dent_scene *scene, uint32_t frames, uint32_t step, double *least, double *most)
{
    struct joined_scene joined = join_scene(scene);
    *least = 1;
    *most = 0;
    for (uint32_t frame = 0; frame < frames; frame += step) {
        pose_joined(scene, frame, &joined);
        assert_true(smallest_determinant(&joined) > 0);
        double share = (double)count_vertices_inside(&joined) / joined.vertex_count;
        *least = fmin(*least, share);
        *most = fmax(*most, share);
    }
    free_joined(&joined);
}

static void six_to_nine_percent_of_the_vertices_are_inside_by_default(void **state)
{
    dent_context *context = *state;
    /* Every frame of the small ones, a few of the large ones, the first and the last among them. */
    static const struct {
        const char *name;
        uint32_t step;
    } scenes[] = {
        {"teschner-a", 1}, {"teschner-b", 1},   {"teschner-c", 1}, {"teschner-d", 1},
        {"teschner-e", 8}, {"blocks-640k", 39}, {"folded-1m", 39},
    };
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; i++) {
        dent_scene *scene = make_scene(context, scenes[i].name, 1, NULL, 0);
        double least, most;
        measure_share(scene, dent_scene_find(scenes[i].name)->benchmark_frames, scenes[i].step, &least, &most);
        print_message("%-12s %.2f … %.2f %% inside\n", scenes[i].name, 100 * least, 100 * most);
        assert_true(least >= 0.06);
        assert_true(most <= 0.09);
        dent_scene_destroy(scene);
    }
}

static void the_parameter_inside_is_obeyed(void **state)
{
    dent_context *context = *state;
    static const struct {
        const char *name;
        double scale;
        double reach; /* the most that is asked for here */
    } scenes[] = {
        {"teschner-a", 1, 0.8},   {"teschner-b", 1, 0.8},     {"teschner-c", 1, 0.8},   {"teschner-d", 1, 0.7},
        {"teschner-e", 0.3, 0.8}, {"blocks-640k", 0.03, 0.8}, {"folded-1m", 0.02, 0.8},
    };
    static const double asked[] = {0, 0.02, 0.2, 0.5, 0.7, 0.8};
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; i++) {
        for (size_t j = 0; j < sizeof asked / sizeof asked[0] && asked[j] <= scenes[i].reach; j++) {
            dent_scene *scene = make_scene(context, scenes[i].name, scenes[i].scale, "inside", asked[j]);
            double least, most;
            measure_share(scene, dent_scene_find(scenes[i].name)->benchmark_frames, 8, &least, &most);
            /* The mean over the motion is met to a tenth of a percent; single frames of small scenes stray. */
            double slack = asked[j] == 0 ? 0 : 0.02 + 0.06 * asked[j];
            if (least < asked[j] - slack || most > asked[j] + slack) {
                print_message("%s inside=%g: %.4f … %.4f\n", scenes[i].name, asked[j], least, most);
            }
            assert_true(least >= asked[j] - slack && most <= asked[j] + slack);
            dent_scene_destroy(scene);
        }
    }
}

static void the_cloth_crosses_itself_ten_thousand_times(void **state)
{
    dent_context *context = *state;
    dent_scene *scene = make_scene(context, "cloth-500k", 1, NULL, 0);
    struct joined_scene joined = join_scene(scene);
    uint32_t last = dent_scene_find("cloth-500k")->benchmark_frames - 1;
    for (uint32_t frame = 0; frame <= last; frame += last / 2) {
        pose_joined(scene, frame, &joined);
        uint32_t crossings = count_crossing_triangles(&joined);
        print_message("cloth-500k frame %u: %u crossing pairs\n", frame, crossings);
        assert_in_range(crossings, 9000, 11000);
    }
    free_joined(&joined);
    dent_scene_destroy(scene);
}

static void a_gently_waving_cloth_does_not_cross_itself(void **state)
{
    dent_context *context = *state;
    static const double crumple[] = {0, 0.2, 0.45};
    for (size_t i = 0; i < 3; i++) {
        dent_scene *scene = make_scene(context, "cloth-500k", 0.1, "crumple", crumple[i]);
        struct joined_scene joined = join_scene(scene);
        pose_joined(scene, 7, &joined);
        assert_int_equal(count_crossing_triangles(&joined), 0);
        free_joined(&joined);
        dent_scene_destroy(scene);
    }
}

static void the_parts_of_the_jaw_meet_only_when_it_bites(void **state)
{
    dent_context *context = *state;
    static const double scales[] = {0.02, 0.2, 1};
    for (size_t i = 0; i < 3; i++) {
        dent_scene *scene = make_scene(context, "jaw", scales[i], NULL, 0);
        struct joined_scene joined = join_scene(scene);
        uint32_t inside[2];
        for (uint32_t frame = 0; frame <= 50; frame += 50) {
            pose_joined(scene, frame, &joined);
            assert_true(smallest_determinant(&joined) > 0);
            inside[frame / 50] = count_vertices_inside(&joined);
        }
        print_message("jaw at scale %g: %u vertices inside open, %u closed\n", scales[i], inside[0], inside[1]);
        assert_int_equal(inside[0], 0);
        assert_true(inside[1] > 0);
        free_joined(&joined);
        dent_scene_destroy(scene);
    }
}

static void v_shapes_start_apart_and_pass_through_each_other(void **state)
{
    dent_context *context = *state;
    for (int self = 0; self < 2; self++) {
        dent_scene *scene = make_scene(context, self ? "v-self" : "v-shapes", 1, NULL, 0);
        struct joined_scene joined = join_scene(scene);
        pose_joined(scene, 0, &joined);
        assert_int_equal(count_vertices_inside(&joined), 0);
        uint32_t most = 0;
        for (uint32_t frame = 0; frame < 100; frame++) {
            pose_joined(scene, frame, &joined);
            assert_true(smallest_determinant(&joined) > 0);
            uint32_t inside = count_vertices_inside(&joined);
            most = inside > most ? inside : most;
        }
        assert_true(most > joined.vertex_count / 10);
        free_joined(&joined);
        dent_scene_destroy(scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(six_to_nine_percent_of_the_vertices_are_inside_by_default),
        cmocka_unit_test(the_parameter_inside_is_obeyed),
        cmocka_unit_test(the_cloth_crosses_itself_ten_thousand_times),
        cmocka_unit_test(a_gently_waving_cloth_does_not_cross_itself),
        cmocka_unit_test(the_parts_of_the_jaw_meet_only_when_it_bites),
        cmocka_unit_test(v_shapes_start_apart_and_pass_through_each_other),
    };
    return cmocka_run_group_tests(tests, test_open_context_of_one, test_close_context);
}
