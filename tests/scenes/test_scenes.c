/* The scene table: directness of frames, settings, scales, memory. Golden counts and hashes: test_golden_scenes.c. */
#include "support/cmocka_includes.h"
#include "support/failing_allocator.h"
#include "support/test_context.h"

#include "scenes/support_counting.h"

#include <fenv.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

static dent_status create(dent_context *context, const char *name, double scale, const char *parameter, double value,
                          dent_scene **scene)
{
    dent_scene_setting setting = {parameter, value};
    dent_scene_def def = dent_scene_def_default();
    def.name = name;
    def.scale = scale;
    def.settings = parameter ? &setting : NULL;
    def.setting_count = parameter ? 1 : 0;
    return dent_scene_create(context, &def, scene);
}

static void the_table_is_complete_and_says_what_it_has(void **state)
{
    (void)state;
    static const char *const names[] = {"teschner-a", "teschner-b", "teschner-c", "teschner-d",
                                        "teschner-e", "v-shapes",   "v-self",     "blocks-640k",
                                        "folded-1m",  "cloth-500k", "jaw",        "peg"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        assert_non_null(dent_scene_find(names[i]));
    }
    assert_null(dent_scene_find("no such scene"));
    assert_null(dent_scene_find(NULL));
    assert_null(dent_scene_info_at(dent_scene_count()));
    for (uint32_t s = 0; s < dent_scene_count(); s++) {
        const dent_scene_info *info = dent_scene_info_at(s);
        assert_ptr_equal(dent_scene_find(info->name), info);
        assert_true(strlen(info->summary) > 10);
        assert_true(info->benchmark_frames > 0 && info->benchmark_frames <= info->frame_count);
        for (uint32_t p = 0; p < info->parameter_count; p++) {
            const dent_scene_parameter_info *parameter = &info->parameters[p];
            assert_true(strlen(parameter->meaning) > 5);
            assert_true(parameter->lowest <= parameter->default_value &&
                        parameter->default_value <= parameter->highest);
        }
    }
}

static void bodies_are_well_formed(void **state)
{
    dent_context *context = *state;
    for (uint32_t s = 0; s < dent_scene_count(); s++) {
        const dent_scene_info *info = dent_scene_info_at(s);
        dent_scene *scene;
        assert_int_equal(create(context, info->name, 0.01, NULL, 0, &scene), DENT_OK);
        assert_null(dent_scene_body_at(scene, dent_scene_body_count(scene)));
        for (uint32_t b = 0; b < dent_scene_body_count(scene); b++) {
            const dent_scene_body *body = dent_scene_body_at(scene, b);
            uint32_t corners = dent_body_kind_get_info(body->kind)->corner_count;
            assert_true(strlen(body->name) > 0 && body->element_count > 0);
            uint8_t *used = calloc(body->vertex_count, 1);
            for (size_t i = 0; i < (size_t)corners * body->element_count; i++) {
                assert_true(body->element_corners[i] < body->vertex_count);
                used[body->element_corners[i]] = 1;
            }
            for (uint32_t v = 0; v < body->vertex_count; v++) {
                assert_true(used[v]);
            }
            free(used);
            for (uint32_t other = 0; other < b; other++) {
                assert_string_not_equal(body->name, dent_scene_body_at(scene, other)->name);
            }
            if (body->kind == DENT_BODY_SOLID) {
                struct joined_scene rest = {
                    body->vertex_count,       body->element_count, 4, (uint32_t *)body->element_corners, NULL,
                    (double *)body->reference};
                assert_true(smallest_determinant(&rest) > 0);
                struct boundary_report report =
                    examine_boundary(body->element_corners, body->element_count, body->reference, body->vertex_count);
                assert_int_equal(report.edges_not_two + report.pinched_vertices + report.faces_with_more_cells, 0);
                assert_int_equal(report.components, 1);
                /* The reference is free of overlap within the body. */
                assert_int_equal(count_vertices_inside(&rest), 0);
            }
        }
        dent_scene_destroy(scene);
    }
}

static void a_frame_does_not_depend_on_the_frames_before_it(void **state)
{
    dent_context *context = *state;
    for (uint32_t s = 0; s < dent_scene_count(); s++) {
        dent_scene *first, *second;
        const char *name = dent_scene_info_at(s)->name;
        assert_int_equal(create(context, name, 0.005, NULL, 0, &first), DENT_OK);
        assert_int_equal(create(context, name, 0.005, NULL, 0, &second), DENT_OK);
        struct joined_scene a = join_scene(first), b = join_scene(second);
        for (uint32_t frame = 0; frame < 13; frame++) {
            pose_joined(first, frame, &a);
        }
        pose_joined(second, 12, &b);
        assert_memory_equal(a.positions, b.positions, 3 * (size_t)a.vertex_count * sizeof *a.positions);
        /* And it moves. */
        pose_joined(second, 13, &b);
        assert_memory_not_equal(a.positions, b.positions, 3 * (size_t)a.vertex_count * sizeof *a.positions);
        free_joined(&a);
        free_joined(&b);
        dent_scene_destroy(first);
        dent_scene_destroy(second);
    }
}

struct pose_job {
    const dent_scene *scene;
    uint32_t frame;
    uint64_t hash;
};

static void *pose_all_bodies(void *data)
{
    struct pose_job *job = data;
    struct joined_scene joined = join_scene(job->scene);
    pose_joined(job->scene, job->frame, &joined);
    job->hash = hash_doubles(HASH_EMPTY, joined.positions, 3 * (size_t)joined.vertex_count);
    free_joined(&joined);
    return NULL;
}

static void many_threads_may_pose_one_scene(void **state)
{
    dent_context *context = *state;
    for (uint32_t s = 0; s < dent_scene_count(); s++) {
        dent_scene *scene;
        assert_int_equal(create(context, dent_scene_info_at(s)->name, 0.002, NULL, 0, &scene), DENT_OK);
        struct pose_job jobs[4], alone[4];
        pthread_t threads[4];
        for (uint32_t i = 0; i < 4; i++) {
            jobs[i] = alone[i] = (struct pose_job){scene, 5 * i, 0};
            assert_int_equal(pthread_create(&threads[i], NULL, pose_all_bodies, &jobs[i]), 0);
        }
        for (uint32_t i = 0; i < 4; i++) {
            assert_int_equal(pthread_join(threads[i], NULL), 0);
            pose_all_bodies(&alone[i]);
            assert_true(jobs[i].hash == alone[i].hash);
        }
        dent_scene_destroy(scene);
    }
}

static void the_motion_is_smooth_and_repeats(void **state)
{
    dent_context *context = *state;
    for (uint32_t s = 0; s < dent_scene_count(); s++) {
        dent_scene *scene;
        const dent_scene_info *info = dent_scene_info_at(s);
        assert_int_equal(create(context, info->name, 0.005, NULL, 0, &scene), DENT_OK);
        struct joined_scene a = join_scene(scene), b = join_scene(scene);
        double size = 0, step = 0;
        pose_joined(scene, info->frame_count - 1, &a);
        pose_joined(scene, info->frame_count, &b);
        for (size_t i = 0; i < 3 * (size_t)a.vertex_count; i++) {
            assert_true(isfinite(a.positions[i]));
            size = fmax(size, fabs(a.positions[i]));
            step = fmax(step, fabs(a.positions[i] - b.positions[i]));
        }
        bool leaps = dent_scene_motion_frame_count(scene) > 0; /* what no frame of a step shows is their purpose */
        assert_true(leaps || step < 0.08 * size);
        pose_joined(scene, 0, &a);
        assert_memory_equal(a.positions, b.positions, 3 * (size_t)a.vertex_count * sizeof *a.positions);
        free_joined(&a);
        free_joined(&b);
        dent_scene_destroy(scene);
    }
}

static void elements_grow_about_linearly_with_the_scale(void **state)
{
    dent_context *context = *state;
    for (uint32_t s = 0; s < dent_scene_count(); s++) {
        const char *name = dent_scene_info_at(s)->name;
        static const double scales[] = {0.02, 0.1, 0.7};
        uint64_t counts[3];
        for (int i = 0; i < 3; i++) {
            dent_scene *scene;
            assert_int_equal(create(context, name, scales[i], NULL, 0, &scene), DENT_OK);
            struct joined_scene joined = join_scene(scene);
            counts[i] = joined.element_count;
            free_joined(&joined);
            dent_scene_destroy(scene);
        }
        /* Small scenes stop at a smallest size, hence only an upper bound at the small end. */
        assert_true(counts[0] <= counts[1] && counts[1] < counts[2]);
        double growth = (double)counts[2] / (double)counts[1];
        assert_true(growth > 2 && growth < 11);
    }
}

static void the_smallest_scales_still_have_elements_of_every_scene(void **state)
{
    dent_context *context = *state;
    static const double scales[] = {0.001, 1e-9, 1e-300};
    for (uint32_t s = 0; s < dent_scene_count(); s++) {
        for (int i = 0; i < 3; i++) {
            dent_scene *scene;
            assert_int_equal(create(context, dent_scene_info_at(s)->name, scales[i], NULL, 0, &scene), DENT_OK);
            for (uint32_t b = 0; b < dent_scene_body_count(scene); b++) {
                assert_true(dent_scene_body_at(scene, b)->element_count > 0);
            }
            dent_scene_destroy(scene);
        }
    }
}

/* ---- what is refused --------------------------------------------------------------------------------------------- */

static void assert_refused(dent_context *context, const dent_scene_def *def, dent_status expected, const char *part)
{
    dent_scene *scene = NULL;
    char message[1024];
    assert_int_equal(dent_scene_create(context, def, &scene), expected);
    assert_null(scene);
    dent_context_message(context, message, sizeof message);
    if (!strstr(message, part)) {
        print_message("message \"%s\" lacks \"%s\"\n", message, part);
    }
    assert_non_null(strstr(message, part));
}

static void absurd_scales_are_refused_by_name_without_allocating(void **state)
{
    (void)state;
    struct failing_allocator memory = failing_allocator_make();
    dent_context_def context_def = dent_context_def_default();
    context_def.thread_count = 1;
    context_def.allocator = failing_allocator_hook(&memory);
    dent_context *context = dent_context_create(&context_def, NULL);
    uint64_t before = memory.requests;
    for (uint32_t s = 0; s < dent_scene_count(); s++) {
        dent_scene_def def = dent_scene_def_default();
        def.name = dent_scene_info_at(s)->name;
        def.scale = 0;
        assert_refused(context, &def, DENT_ERROR_INVALID_ARGUMENT, "scale 0 ");
        def.scale = -2;
        assert_refused(context, &def, DENT_ERROR_INVALID_ARGUMENT, "scale -2 ");
        def.scale = NAN;
        assert_refused(context, &def, DENT_ERROR_INVALID_ARGUMENT, "nan");
        def.scale = INFINITY;
        assert_refused(context, &def, DENT_ERROR_INVALID_ARGUMENT, "inf");
        def.scale = 1e9;
        assert_refused(context, &def, DENT_ERROR_TOO_LARGE, "1e+09");
        def.scale = 1e300;
        assert_refused(context, &def, DENT_ERROR_TOO_LARGE, "4294967294");
    }
    assert_true(memory.requests == before);
    dent_context_destroy(context);
    assert_true(failing_allocator_clean(&memory));
}

static void bad_defs_names_and_settings_are_refused_with_what_is_allowed(void **state)
{
    dent_context *context = *state;
    dent_scene_def def = dent_scene_def_default();
    def.name = "teschner-z";
    assert_refused(context, &def, DENT_ERROR_INVALID_ARGUMENT, "teschner-a, teschner-b");
    def.name = NULL;
    assert_refused(context, &def, DENT_ERROR_INVALID_ARGUMENT, "the scenes are");
    assert_refused(context, NULL, DENT_ERROR_INVALID_ARGUMENT, "def is null");
    def.name = "teschner-a";
    def.struct_size = 1;
    assert_refused(context, &def, DENT_ERROR_INVALID_ARGUMENT, "dent_scene_def_default");
    def = dent_scene_def_default();
    def.name = "teschner-a";
    dent_scene_setting setting = {"insides", 0.1};
    def.setting_count = 1;
    assert_refused(context, &def, DENT_ERROR_INVALID_ARGUMENT, "none given");
    def.settings = &setting;
    assert_refused(context, &def, DENT_ERROR_INVALID_ARGUMENT, "'insides'; it has: inside, amplitude");
    setting = (dent_scene_setting){"inside", 0.81};
    assert_refused(context, &def, DENT_ERROR_INVALID_ARGUMENT, "inside=0.81 is not within 0 … 0.8");
    setting = (dent_scene_setting){"inside", NAN};
    assert_refused(context, &def, DENT_ERROR_INVALID_ARGUMENT, "inside=nan");
    setting = (dent_scene_setting){NULL, 1};
    assert_refused(context, &def, DENT_ERROR_INVALID_ARGUMENT, "no parameter ''");
}

static void a_setting_changes_the_scene(void **state)
{
    dent_context *context = *state;
    static const struct {
        const char *scene, *parameter;
        double value;
    } cases[] = {
        {"teschner-b", "amplitude", 3}, {"blocks-640k", "inside", 0.3}, {"folded-1m", "amplitude", 0},
        {"v-shapes", "angle", 0.6},     {"v-self", "swing", 0.1},       {"cloth-500k", "crumple", 0.3},
        {"jaw", "opening", 5},          {"sheet-flat", "tilt", 5},      {"sheet-curved", "height", 3},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        dent_scene *plain, *set;
        assert_int_equal(create(context, cases[i].scene, 0.005, NULL, 0, &plain), DENT_OK);
        assert_int_equal(create(context, cases[i].scene, 0.005, cases[i].parameter, cases[i].value, &set), DENT_OK);
        struct joined_scene a = join_scene(plain), b = join_scene(set);
        pose_joined(plain, 3, &a);
        pose_joined(set, 3, &b);
        assert_true(a.vertex_count == b.vertex_count);
        assert_memory_not_equal(a.positions, b.positions, 3 * (size_t)a.vertex_count * sizeof *a.positions);
        free_joined(&a);
        free_joined(&b);
        dent_scene_destroy(plain);
        dent_scene_destroy(set);
    }
}

static void the_flat_sheet_is_flat_to_the_bit(void **state)
{
    dent_context *context = *state;
    dent_scene *scene;
    assert_int_equal(create(context, "sheet-flat", 0.01, NULL, 0, &scene), DENT_OK);
    struct joined_scene sheet = join_scene(scene);
    for (uint32_t frame = 0; frame < 40; frame += 13) {
        pose_joined(scene, frame, &sheet);
        for (size_t v = 0; v < sheet.vertex_count; v++) {
            assert_true(sheet.positions[3 * v + 2] == 0);
        }
    }
    free_joined(&sheet);
    dent_scene_destroy(scene);
}

struct log_count {
    int warnings;
    char last[256];
};

static void count_log(void *user, dent_log_level level, const char *text)
{
    struct log_count *log = user;
    log->warnings += level == DENT_LOG_WARNING;
    snprintf(log->last, sizeof log->last, "%s", text);
}

static void an_overlap_out_of_reach_is_said_aloud(void **state)
{
    (void)state;
    struct log_count log = {0};
    dent_context_def def = dent_context_def_default();
    def.thread_count = 1;
    def.log = (dent_log){count_log, &log};
    dent_context *context = dent_context_create(&def, NULL);
    dent_scene *scene;
    /* Two slabs cannot have more than half of their vertices in each other. */
    assert_int_equal(create(context, "teschner-b", 0.1, "inside", 0.8, &scene), DENT_OK);
    assert_int_equal(log.warnings, 1);
    assert_non_null(strstr(log.last, "inside=0.8 is out of reach"));
    dent_scene_destroy(scene);
    dent_context_destroy(context);
}

/* ---- the caller's state and memory ------------------------------------------------------------------------------- */

static uint64_t hash_of_small_scenes(dent_context *context)
{
    uint64_t hash = HASH_EMPTY;
    static const char *const names[] = {"teschner-b", "teschner-d", "folded-1m", "cloth-500k", "jaw"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        dent_scene *scene;
        assert_int_equal(create(context, names[i], 0.004, NULL, 0, &scene), DENT_OK);
        hash = hash * 31 + hash_scene(scene);
        dent_scene_destroy(scene);
    }
    return hash;
}

static void the_callers_floating_point_state_changes_nothing(void **state)
{
    dent_context *context = *state;
    uint64_t usual = hash_of_small_scenes(context);
    static const int modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(fesetround(modes[i]), 0);
        uint64_t hash = hash_of_small_scenes(context);
        int mode = fegetround();
        fesetround(FE_TONEAREST);
        assert_int_equal(mode, modes[i]);
        assert_true(hash == usual);
    }
#if defined(__x86_64__)
    unsigned control = _mm_getcsr();
    _mm_setcsr(control | 0x8040); /* flush to zero, denormals are zero */
    uint64_t flushed = hash_of_small_scenes(context);
    _mm_setcsr(control);
    assert_true(flushed == usual);
#endif
}

static void running_out_of_memory_anywhere_leaves_nothing_behind(void **state)
{
    (void)state;
    struct failing_allocator memory = failing_allocator_make();
    dent_context_def context_def = dent_context_def_default();
    context_def.thread_count = 1;
    context_def.allocator = failing_allocator_hook(&memory);
    dent_context *context = dent_context_create(&context_def, NULL);
    uint64_t blocks = memory.live_blocks;
    uint64_t failures = 0;
    for (uint32_t s = 0; s < dent_scene_count(); s++) {
        /* The jaw takes hundreds of allocations and a tenth of a second: every seventh of them. */
        uint64_t step = strcmp(dent_scene_info_at(s)->name, "jaw") == 0 ? 7 : 1;
        dent_status status = DENT_ERROR_OUT_OF_MEMORY;
        for (uint64_t n = 1; status != DENT_OK; n += step) {
            dent_scene *scene = NULL;
            memory.requests = 0;
            memory.fail_at = n;
            status = create(context, dent_scene_info_at(s)->name, 0.001, NULL, 0, &scene);
            memory.fail_at = 0;
            if (status == DENT_OK) {
                dent_scene_destroy(scene);
            } else {
                assert_int_equal(status, DENT_ERROR_OUT_OF_MEMORY);
                assert_null(scene);
                failures++;
            }
            assert_true(memory.live_blocks == blocks);
        }
    }
    print_message("%llu failing creations\n", (unsigned long long)failures);
    assert_true(failures > 100);
    dent_context_destroy(context);
    assert_true(failing_allocator_clean(&memory));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table_is_complete_and_says_what_it_has),
        cmocka_unit_test(bodies_are_well_formed),
        cmocka_unit_test(a_frame_does_not_depend_on_the_frames_before_it),
        cmocka_unit_test(many_threads_may_pose_one_scene),
        cmocka_unit_test(the_motion_is_smooth_and_repeats),
        cmocka_unit_test(elements_grow_about_linearly_with_the_scale),
        cmocka_unit_test(the_smallest_scales_still_have_elements_of_every_scene),
        cmocka_unit_test(absurd_scales_are_refused_by_name_without_allocating),
        cmocka_unit_test(bad_defs_names_and_settings_are_refused_with_what_is_allowed),
        cmocka_unit_test(a_setting_changes_the_scene),
        cmocka_unit_test(the_flat_sheet_is_flat_to_the_bit),
        cmocka_unit_test(an_overlap_out_of_reach_is_said_aloud),
        cmocka_unit_test(the_callers_floating_point_state_changes_nothing),
        cmocka_unit_test(running_out_of_memory_anywhere_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, test_open_context_of_two, test_close_context);
}
