/* Scenes of rigid bodies: frames that agree with the poses at both ends of a step, no frame that shows a crossing, and
 * the contacts between them that the scenes are made for. */
#include "support/cmocka_includes.h"

#include "support/test_context.h"

#include <dent/dent.h>
#include <dent/scene.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BODIES = 16 };

struct stage {
    dent_scene *scene;
    dent_world *moving, *still; /* in their frames; as they stand */
    uint32_t count;
    double *positions[MOST_BODIES];
    dent_body_id ids[MOST_BODIES], still_ids[MOST_BODIES];
    dent_motion_body bodies[MOST_BODIES];
    dent_motion_frame frames[MOST_BODIES];
    dent_excluded_pair excluded[MOST_BODIES * MOST_BODIES];
    uint32_t excluded_count;
};

static void stage_open(struct stage *stage, dent_context *context, const char *name, double scale)
{
    dent_scene_def def = dent_scene_def_default();
    memset(stage, 0, sizeof *stage);
    def.name = name;
    def.scale = scale;
    assert_int_equal(dent_scene_create(context, &def, &stage->scene), DENT_OK);
    stage->count = dent_scene_body_count(stage->scene);
    assert_true(stage->count <= MOST_BODIES);
    assert_int_equal(dent_scene_motion_frame_count(stage->scene), stage->count);
    stage->moving = dent_world_create(context);
    stage->still = dent_world_create(context);
    double *references[MOST_BODIES];
    for (uint32_t b = 0; b < stage->count; b++) {
        const dent_scene_body *body = dent_scene_body_at(stage->scene, b);
        assert_true(body->rigid);
        references[b] = (double *)body->reference;
        stage->positions[b] = calloc(3 * (size_t)body->vertex_count, sizeof(double));
    }
    assert_int_equal(dent_scene_add_to_world(stage->scene, stage->moving, references, stage->ids), DENT_OK);
    assert_int_equal(dent_scene_add_to_world(stage->scene, stage->still, stage->positions, stage->still_ids), DENT_OK);
    for (uint32_t b = 0; b < stage->count; b++) {
        stage->bodies[b] = (dent_motion_body){stage->ids[b], dent_scene_motion_frame_of(stage->scene, b)};
    }
    const dent_linkage *linkage = dent_scene_linkage(stage->scene);
    if (linkage) {
        stage->excluded_count =
            dent_linkage_excluded_pairs(linkage, stage->ids, stage->excluded, MOST_BODIES * MOST_BODIES);
    }
}

static void stage_close(struct stage *stage)
{
    dent_world_destroy(stage->moving);
    dent_world_destroy(stage->still);
    for (uint32_t b = 0; b < stage->count; b++) {
        free(stage->positions[b]);
    }
    dent_scene_destroy(stage->scene);
}

static dent_motion_verdict ask(struct stage *stage, uint32_t frame, dent_motion_kind kind)
{
    dent_motion_impact_def def = dent_motion_impact_def_default();
    dent_motion_impact_result result;
    assert_int_equal(dent_scene_motion(stage->scene, frame, kind, stage->frames), DENT_OK);
    def.frames = stage->frames;
    def.frame_count = stage->count;
    def.bodies = stage->bodies;
    def.body_count = stage->count;
    def.excluded = stage->excluded;
    def.excluded_count = stage->excluded_count;
    assert_int_equal(dent_world_motion_impact(stage->moving, &def, &result), DENT_OK);
    assert_false(result.initial);
    return result.verdict;
}

/* How far the frames at t are from the posed bodies. */
static double distance_from_poses(const struct stage *stage, double t)
{
    double most = 0;
    for (uint32_t b = 0; b < stage->count; b++) {
        const dent_scene_body *body = dent_scene_body_at(stage->scene, b);
        dent_pose pose = dent_motion_frame_at(stage->frames, dent_scene_motion_frame_of(stage->scene, b), t);
        double m[16];
        dent_pose_to_matrix(&pose, m);
        for (size_t v = 0; v < body->vertex_count; v++) {
            const double *p = body->reference + 3 * v;
            for (size_t k = 0; k < 3; k++) {
                double at = m[4 * k] * p[0] + m[4 * k + 1] * p[1] + m[4 * k + 2] * p[2] + m[4 * k + 3];
                most = fmax(most, fabs(at - stage->positions[b][3 * v + k]));
            }
        }
    }
    return most;
}

static void pose_all(struct stage *stage, uint32_t frame)
{
    for (uint32_t b = 0; b < stage->count; b++) {
        dent_scene_positions(stage->scene, b, frame, stage->positions[b]);
    }
}

static const struct {
    const char *name;
    uint32_t frames, contacts;
} scenes[] = {{"rod", 12, 6}, {"rings", 12, 6}, {"teapot", 12, 7}, {"arm", 24, 22}};

static void no_frame_shows_what_happens_between_them(void **state)
{
    for (size_t s = 0; s < sizeof scenes / sizeof scenes[0]; s++) {
        struct stage stage;
        uint32_t contacts = 0;
        stage_open(&stage, *state, scenes[s].name, 1);
        assert_int_equal(dent_scene_find(scenes[s].name)->frame_count, scenes[s].frames);
        for (uint32_t frame = 0; frame < scenes[s].frames; frame++) {
            contacts += ask(&stage, frame, DENT_MOTION_CONSTANT_VELOCITY) == DENT_MOTION_CONTACT;
            dent_query_def def = dent_query_def_default();
            dent_query_result result;
            def.questions = DENT_QUESTION_FACE_FACE;
            pose_all(&stage, frame);
            assert_int_equal(dent_world_query(stage.still, &def, &result), DENT_OK);
            assert_int_equal(result.face_face.count, 0);
        }
        assert_int_equal(contacts, scenes[s].contacts);
        stage_close(&stage);
    }
}

static void the_frames_of_a_step_meet_the_poses_of_both_frames(void **state)
{
    for (size_t s = 0; s < sizeof scenes / sizeof scenes[0]; s++) {
        struct stage stage;
        stage_open(&stage, *state, scenes[s].name, 0.1);
        for (uint32_t frame = 0; frame < 2 * scenes[s].frames; frame++) {
            for (int kind = 0; kind < 2; kind++) {
                assert_int_equal(dent_scene_motion(stage.scene, frame, (dent_motion_kind)kind, stage.frames), DENT_OK);
                pose_all(&stage, frame);
                assert_true(distance_from_poses(&stage, 0) < 1e-13);
                pose_all(&stage, frame + 1);
                assert_true(distance_from_poses(&stage, 1) < 1e-13);
            }
        }
        stage_close(&stage);
    }
}

static void links_are_the_first_bodies_and_have_their_names(void **state)
{
    struct stage stage;
    stage_open(&stage, *state, "arm", 0.1);
    const dent_linkage *linkage = dent_scene_linkage(stage.scene);
    assert_non_null(linkage);
    assert_int_equal(dent_linkage_link_count(linkage), 7);
    assert_int_equal(dent_linkage_value_count(linkage), 6);
    for (uint32_t i = 0; i < 7; i++) {
        assert_string_equal(dent_linkage_link_name(linkage, i), dent_scene_body_at(stage.scene, i)->name);
    }
    assert_int_equal(stage.excluded_count, 6);
    stage_close(&stage);
    stage_open(&stage, *state, "rod", 0.1);
    assert_null(dent_scene_linkage(stage.scene));
    stage_close(&stage);
}

static void scenes_that_bend_have_no_motion(void **state)
{
    dent_scene_def def = dent_scene_def_default();
    dent_scene *scene;
    dent_motion_frame frame;
    def.name = "v-self";
    assert_int_equal(dent_scene_create(*state, &def, &scene), DENT_OK);
    assert_false(dent_scene_body_at(scene, 0)->rigid);
    assert_int_equal(dent_scene_motion_frame_count(scene), 0);
    assert_int_equal(dent_scene_motion(scene, 0, DENT_MOTION_SCREW, &frame), DENT_ERROR_INVALID_ARGUMENT);
    char message[200];
    dent_context_message(*state, message, sizeof message);
    assert_string_equal(message, "the bodies of scene v-self are not rigid");
    dent_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_frame_shows_what_happens_between_them),
        cmocka_unit_test(the_frames_of_a_step_meet_the_poses_of_both_frames),
        cmocka_unit_test(links_are_the_first_bodies_and_have_their_names),
        cmocka_unit_test(scenes_that_bend_have_no_motion),
    };
    return cmocka_run_group_tests(tests, test_open_context_of_one, test_close_context);
}
