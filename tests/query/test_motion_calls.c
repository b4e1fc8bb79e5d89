/* The question motion-impact as a call: who is asked, limits, bad input in words, memory. */
#include "query/motion_scene.h"

#include "support/failing_allocator.h"

/* ---- who is asked ------------------------------------------------------------------------------------------------ */

static void excluded_filtered_and_tied_pairs_are_not_asked(void **state)
{
    (void)state;
    const double a[3] = {-1, -1, 0}, b[3] = {1, -1, 0}, c[3] = {0, 1, 0};
    struct oracle_body plane = triangle_of(a, b, c), point = point_at(0, 0, 1);
    struct motion_scene *scene = scene_new(NULL);
    dent_body_id id_a = scene_body(scene, &point, scene_frame(scene, DENT_FRAME_WORLD, sliding(0, 0, -2)));
    dent_body_id id_b = scene_body(scene, &plane, DENT_FRAME_WORLD);
    assert_int_equal(scene_ask(scene).verdict, DENT_MOTION_CONTACT);
    dent_excluded_pair excluded = {id_b, id_a};
    scene->def.excluded = &excluded;
    scene->def.excluded_count = 1;
    assert_int_equal(scene_ask(scene).verdict, DENT_MOTION_FREE);
    scene->def.excluded_count = 0;
    assert_int_equal(dent_body_set_filter(scene->world, id_a, 2, 2, true), DENT_OK);
    assert_int_equal(scene_ask(scene).verdict, DENT_MOTION_FREE);
    assert_int_equal(dent_body_set_filter(scene->world, id_a, 1, UINT32_MAX, true), DENT_OK);
    assert_int_equal(scene_ask(scene).verdict, DENT_MOTION_CONTACT);
    dent_body_def def = dent_surface_def_default();
    dent_same_as tie = {0, id_a, 0};
    def.vertex_count = 3;
    def.element_count = 1;
    def.element_corners = plane.faces[0];
    def.positions_t0 = dent_positions_double(plane.vertices[0]);
    def.same_as = &tie;
    def.same_as_count = 1;
    assert_int_equal(dent_body_set_topology(scene->world, id_b, &def), DENT_OK);
    assert_int_equal(scene_ask(scene).verdict, DENT_MOTION_FREE);
    scene_free(scene);
}

static void new_positions_are_read_when_given_and_when_said(void **state)
{
    (void)state;
    const double a[3] = {-1, -1, 0}, b[3] = {1, -1, 0}, c[3] = {0, 1, 0};
    struct oracle_body plane = triangle_of(a, b, c), point = point_at(0, 0, 1);
    struct motion_scene *scene = scene_new(NULL);
    dent_body_id id = scene_body(scene, &point, scene_frame(scene, DENT_FRAME_WORLD, sliding(0, 0, -2)));
    scene_body(scene, &plane, DENT_FRAME_WORLD);
    dent_motion_impact_result result = scene_ask(scene);
    check_time(&result, 0.5, 2, "first");
    assert_int_equal(result.counters.trees_built, 2);
    assert_int_equal(scene_ask(scene).counters.trees_built, 0);
    for (int v = 0; v < 3; v++) {
        scene->bodies[0].vertices[v][2] = 1.5;
    }
    scene->def.meshes_changed = true; /* overwritten in place, and said so */
    result = scene_ask(scene);
    check_time(&result, 0.75, 2, "in place");
    assert_int_equal(result.counters.trees_built, 1);
    scene->def.meshes_changed = false;
    struct oracle_body other = point_at(0, 0, 0.5);
    dent_positions positions = dent_positions_double(other.vertices[0]);
    assert_int_equal(dent_body_set_positions(scene->world, id, &positions, NULL), DENT_OK);
    result = scene_ask(scene);
    check_time(&result, 0.25, 2, "given");
    scene_free(scene);
}

/* ---- limits ------------------------------------------------------------------------------------------------------ */

static void a_spent_budget_is_undecided_and_never_wrong(void **state)
{
    (void)state;
    uint64_t undecided = 0;
    for (uint64_t seed = 0; seed < 60; seed++) {
        struct motion_scene *scene = scene_new(NULL);
        struct random_pair pair;
        make_pair(scene->context, seed, &pair);
        for (int side = 0; side < 2; side++) {
            scene_body(scene, &pair.bodies[side], scene_frame(scene, DENT_FRAME_WORLD, pair.motions[side]));
        }
        dent_motion_impact_result full = scene_ask(scene);
        double last = 0;
        for (uint64_t limit = 1; limit < 100000; limit *= 3) {
            scene->def.work_limit = limit;
            dent_motion_impact_result result = scene_ask(scene);
            undecided += result.verdict == DENT_MOTION_UNDECIDED;
            assert_true(result.verdict == full.verdict || result.verdict == DENT_MOTION_UNDECIDED);
            assert_true((result.verdict == DENT_MOTION_UNDECIDED) == (result.outcome == DENT_OUTCOME_BUDGET_SPENT));
            assert_true(result.t_lo <= full.t_lo && result.t_lo >= last); /* safe, and better with more work */
            last = result.t_lo;
        }
        scene_free(scene);
    }
    assert_true(undecided > 50);
}

static void a_cancelled_query_says_so(void **state)
{
    (void)state;
    struct motion_scene *scene = crowd(NULL, 3);
    int stop = 1;
    scene->def.cancel = &stop;
    dent_motion_impact_result result = scene_ask(scene);
    assert_true(result.outcome == DENT_OUTCOME_CANCELLED && result.verdict == DENT_MOTION_UNDECIDED &&
                result.t_lo == 0 && result.contact_count == 0);
    scene_free(scene);
}

static void expect_refusal(struct motion_scene *scene, dent_status expected, const char *words)
{
    dent_motion_impact_result result, untouched;
    memset(&result, 0x55, sizeof result);
    untouched = result;
    dent_status status = dent_world_motion_impact(scene->world, &scene->def, &result);
    const char *message = dent_world_message(scene->world);
    if (status != expected || !strstr(message, words)) {
        fail_msg("status %d, \"%s\" does not say \"%s\"", (int)status, message, words);
    }
    assert_memory_equal(&result, &untouched, sizeof result);
    printf("%s\n", message);
}

static void bad_input_is_refused_in_words(void **state)
{
    (void)state;
    struct motion_scene *scene = scene_new(NULL);
    struct oracle_body one = point_at(0, 0, 1), two = point_at(0, 0, 0);
    scene_frame(scene, DENT_FRAME_WORLD, sliding(0, 0, -2));
    scene_body(scene, &one, scene_frame(scene, 0, turning(0, 0, 1, 1)));
    scene_body(scene, &two, DENT_FRAME_WORLD);
    dent_motion good = scene->frames[1].motion;
    dent_motion *motion = &scene->frames[1].motion;
    memset(motion->start.rotation, 0, sizeof motion->start.rotation);
    expect_refusal(scene, DENT_ERROR_INVALID_ARGUMENT, "frame 1 cannot be used: its quaternion is zero");
    *motion = good;
    motion->displacement[1] = NAN;
    expect_refusal(scene, DENT_ERROR_BAD_NUMBER, "frame 1");
    *motion = good;
    motion->axis[2] = 0;
    expect_refusal(scene, DENT_ERROR_INVALID_ARGUMENT, "axis that is zero");
    *motion = good;
    motion->angle = 1e4;
    expect_refusal(scene, DENT_ERROR_INVALID_ARGUMENT, "1000 radians");
    *motion = good;
    motion->kind = (dent_motion_kind)9;
    expect_refusal(scene, DENT_ERROR_INVALID_ARGUMENT, "kind of motion");
    *motion = good;
    scene->frames[1].parent = 1;
    expect_refusal(scene, DENT_ERROR_INVALID_ARGUMENT, "a parent must come before its children");
    scene->frames[1].parent = 0;
    scene->attached[0].frame = 7;
    expect_refusal(scene, DENT_ERROR_INVALID_ARGUMENT, "attached to frame 7");
    scene->attached[0].frame = 1;
    scene->attached[1].body = scene->attached[0].body;
    expect_refusal(scene, DENT_ERROR_INVALID_ARGUMENT, "attached to two frames");
    scene->attached[1].body = (dent_body_id){77, 1, 1};
    expect_refusal(scene, DENT_ERROR_STALE_ID, "");
    scene->attached[1].body = dent_world_body_at(scene->world, 1);
    scene->def.tolerance = -1;
    expect_refusal(scene, DENT_ERROR_INVALID_ARGUMENT, "tolerance");
    scene->def.tolerance = NAN;
    expect_refusal(scene, DENT_ERROR_INVALID_ARGUMENT, "tolerance");
    scene->def.tolerance = 0;
    scene->def.work_limit = 0;
    expect_refusal(scene, DENT_ERROR_INVALID_ARGUMENT, "box limit");
    scene->def.work_limit = 1000;
    dent_experiments experiments = dent_experiments_default();
    scene->def.experiments = &experiments;
    experiments.motion.volume = (dent_motion_volume)9;
    expect_refusal(scene, DENT_ERROR_INVALID_ARGUMENT, "volume");
    experiments.motion.volume = DENT_MOTION_VOLUME_AUTO;
    experiments.motion.bounds = (dent_motion_bounds)9;
    expect_refusal(scene, DENT_ERROR_INVALID_ARGUMENT, "bounds");
    experiments = (dent_experiments){0};
    expect_refusal(scene, DENT_ERROR_INVALID_ARGUMENT, "dent_experiments_default");
    scene->def.experiments = NULL;
    scene->bodies[0].vertices[2][1] = INFINITY;
    expect_refusal(scene, DENT_ERROR_BAD_NUMBER, "vertex 2");
    scene->bodies[0].vertices[2][1] = 0;
    scene->def.frames = NULL;
    expect_refusal(scene, DENT_ERROR_INVALID_ARGUMENT, "null");
    scene->def.frames = scene->frames;
    scene->def.struct_size = 3;
    expect_refusal(scene, DENT_ERROR_INVALID_ARGUMENT, "dent_motion_impact_def_default");
    scene->def.struct_size = sizeof scene->def;
    scene_ask(scene);
    scene_free(scene);
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static void after_one_query_nothing_is_allocated(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 10; seed++) {
        struct motion_scene *scene = crowd(NULL, seed);
        scene_ask(scene);
        uint64_t before = dent_context_memory_use(scene->context).allocations;
        scene_ask(scene);
        scene_ask(scene);
        assert_true(dent_context_memory_use(scene->context).allocations == before);
        scene_free(scene);
    }
}

static void every_failing_allocation_is_reported_and_leaks_nothing(void **state)
{
    (void)state;
    struct motion_scene *reference = crowd(NULL, 11);
    dent_motion_impact_result expected = scene_ask(reference);
    bool succeeded = false;
    for (uint64_t n = 1; n < 5000 && !succeeded; n++) {
        struct failing_allocator memory = failing_allocator_make();
        dent_context_def def = dent_context_def_default();
        def.allocator = failing_allocator_hook(&memory);
        def.thread_count = 1;
        struct motion_scene *scene = crowd(&def, 11);
        memory.requests = 0;
        memory.fail_at = n;
        dent_motion_impact_result result;
        dent_status status = dent_world_motion_impact(scene->world, &scene->def, &result);
        succeeded = status == DENT_OK;
        assert_true(succeeded || status == DENT_ERROR_OUT_OF_MEMORY);
        memory.fail_at = 0;
        result = scene_ask(scene); /* the world is still good */
        assert_true(result.t_lo == expected.t_lo && result.contact_count == expected.contact_count);
        scene_free(scene);
        assert_true(failing_allocator_clean(&memory));
    }
    assert_true(succeeded);
    scene_free(reference);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(excluded_filtered_and_tied_pairs_are_not_asked),
        cmocka_unit_test(new_positions_are_read_when_given_and_when_said),
        cmocka_unit_test(a_spent_budget_is_undecided_and_never_wrong),
        cmocka_unit_test(a_cancelled_query_says_so),
        cmocka_unit_test(bad_input_is_refused_in_words),
        cmocka_unit_test(after_one_query_nothing_is_allocated),
        cmocka_unit_test(every_failing_allocation_is_reported_and_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
