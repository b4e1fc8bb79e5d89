/* A tool against bodies that move: their motion within a tick is part of the question, and no room is an outcome. */
#include "support/haptic_field.h"
#include "support/test_context.h"

#include <stdio.h>

static dent_haptic *open_haptic(struct haptic_field *field, dent_haptic_def def)
{
    dent_haptic *haptic = NULL;
    assert_int_equal(dent_haptic_create(field->context, &def, &haptic), DENT_OK);
    return haptic;
}

static dent_haptic_state step(dent_haptic *haptic, const dent_haptic_scene *scene, dent_pose device,
                              dent_haptic_force *force)
{
    dent_haptic_state state;
    if (scene) {
        assert_int_equal(dent_haptic_set_scene(haptic, scene), DENT_OK);
    }
    assert_int_equal(dent_haptic_couple(haptic, &device, force), DENT_OK);
    assert_int_equal(dent_haptic_update(haptic, &state), DENT_OK);
    assert_int_equal(state.outcome == DENT_HAPTIC_UNDECIDED, false);
    return state;
}

/* A hammer of 0.1 swings through the place of a probe of 0.02, far in one tick: it takes the probe along. */
static void a_body_that_moves_pushes_the_tool_and_never_passes_it(void **state)
{
    struct haptic_field field;
    haptic_field_open(&field, *state, haptic_ball(0.02, 6, 8));
    haptic_field_add(&field, "hammer", DENT_HAPTIC_RIGID, haptic_box(0.01, 0.1, 0.1))->pose = haptic_pose(-0.5, 0, 0);
    dent_haptic *haptic = open_haptic(&field, haptic_field_def(&field, 0, 0, 0));
    dent_haptic_force force;
    double farthest = 0;
    assert_true(haptic_check_open(&field));
    for (int i = 0; i < 40; i++) {
        dent_pose pose = haptic_turned(-0.5 + 0.13 * i, 0.01 * i, 0, 0.4 * i, 0); /* thirteen times its thickness */
        dent_haptic_scene scene = dent_haptic_scene_default();
        scene.poses = &pose;
        dent_haptic_state now = step(haptic, &scene, haptic_pose(0, 0, 0), &force);
        assert_true(now.scene_reached == 1);
        haptic_place_shape(&field.shapes[0], &pose, field.placed[1]);
        assert_int_equal(haptic_crossings(&field, &now.tool), 0);
        farthest = fmax(farthest, now.tool.translation[0]);
    }
    assert_true(farthest > 0.1);
    dent_haptic_destroy(haptic);
    haptic_field_close(&field);
}

/* Two plates close on a box; the tool cannot leave. The copy of the scene waits, and goes on when they open. */
static void a_squeezed_tool_is_an_outcome(void **state)
{
    struct haptic_field field;
    haptic_field_open(&field, *state, haptic_box(0.1, 0.1, 0.1));
    haptic_field_add(&field, "upper", DENT_HAPTIC_RIGID, haptic_box(1, 1, 0.02))->pose = haptic_pose(0, 0, 0.3);
    haptic_field_add(&field, "lower", DENT_HAPTIC_RIGID, haptic_box(1, 1, 0.02))->pose = haptic_pose(0, 0, -0.3);
    dent_haptic *haptic = open_haptic(&field, haptic_field_def(&field, 0, 0, 0));
    dent_haptic_force force;
    uint32_t squeezed = 0, last = 0;
    for (int i = 0; i <= 120; i++) {
        int open = i < 60 ? i : 120 - i;
        double half = 0.3 - 0.005 * open; /* at 0.12 they touch the box, at 0 each other */
        dent_pose poses[2] = {haptic_pose(0, 0, half), haptic_pose(0, 0, -half)};
        dent_haptic_scene scene = dent_haptic_scene_default();
        scene.poses = poses;
        dent_haptic_state now = step(haptic, &scene, haptic_pose(0, 0, 0), &force);
        squeezed += now.outcome == DENT_HAPTIC_SQUEEZED;
        last = now.outcome == DENT_HAPTIC_SQUEEZED ? (uint32_t)i : last;
        assert_int_equal(now.outcome == DENT_HAPTIC_SQUEEZED, now.scene_reached < 1);
        assert_true(now.gap > 0);
        assert_true(fabs(now.tool.translation[2]) < 0.01);
    }
    print_message("squeezed in %u of 121 updates, the last at %u\n", squeezed, last);
    assert_true(squeezed > 30 && last < 95);
    dent_haptic_counters counters;
    assert_int_equal(dent_haptic_get_counters(haptic, &counters), DENT_OK);
    assert_int_equal(counters.squeezed, squeezed);
    dent_haptic_destroy(haptic);
    haptic_field_close(&field);
}

/* A sheet that swells under the tool and sinks again; the exact check sees the sheet of each tick. */
static void a_body_that_deforms_lifts_the_tool(void **state)
{
    struct haptic_field field;
    haptic_field_open(&field, *state, haptic_box(0.1, 0.08, 0.05));
    haptic_field_add(&field, "tissue", DENT_HAPTIC_DEFORMING, haptic_sheet(1, 24, NULL));
    dent_haptic *haptic = open_haptic(&field, haptic_field_def(&field, 0, 0, 0.1));
    assert_true(haptic_check_open(&field));
    struct haptic_shape *sheet = &field.shapes[0];
    dent_haptic_force force;
    double highest = 0;
    for (int i = 0; i < (int)test_count(40, 80, 2000); i++) {
        double share;
        dent_sine_cosine(0.06 * i, &share, NULL);
        for (uint32_t v = 0; v < sheet->vertex_count; v++) {
            double *p = field.placed[1] + 3 * (size_t)v;
            p[2] = 0.2 * share / (1 + 9 * (p[0] * p[0] + p[1] * p[1]));
        }
        dent_haptic_scene scene = dent_haptic_scene_default();
        scene.positions = field.placed[1];
        dent_haptic_state now = step(haptic, &scene, haptic_turned(0.001 * (i % 100), 0, 0.06, 0.3 * share, 2), &force);
        assert_true(now.scene_reached == 1);
        assert_int_equal(haptic_crossings(&field, &now.tool), 0);
        highest = fmax(highest, now.tool.translation[2]);
    }
    assert_true(highest > 0.2);
    dent_haptic_destroy(haptic);
    haptic_field_close(&field);
}

static dent_linkage *two_bars(dent_context *context)
{
    dent_joint_def joints[2] = {dent_joint_def_default(), dent_joint_def_default()};
    dent_linkage_def def = dent_linkage_def_default();
    dent_linkage *linkage = NULL;
    for (uint32_t j = 0; j < 2; j++) {
        joints[j].name = j ? "elbow" : "shoulder";
        joints[j].kind = DENT_JOINT_REVOLUTE;
        joints[j].parent = j;
        joints[j].child = j + 1;
        joints[j].axis[0] = joints[j].axis[1] = 0;
        joints[j].axis[2] = 1;
        joints[j].origin = haptic_pose(j ? 0.5 : 0, 0, 0);
    }
    def.link_count = 3;
    def.joint_count = 2;
    def.joints = joints;
    assert_int_equal(dent_linkage_create(context, &def, &linkage), DENT_OK);
    return linkage;
}

static void place_links(struct haptic_field *field, const double *values)
{
    dent_pose poses[3];
    assert_int_equal(dent_linkage_poses(field->linkage, NULL, values, poses), DENT_OK);
    for (uint32_t i = 0; i < field->body_count; i++) {
        haptic_place_shape(&field->shapes[i], &poses[i + 1], field->placed[i + 1]);
    }
}

/* An arm of two bars sweeps the tool off its place, half a turn in 40 ticks. */
static void a_linkage_takes_the_tool_along(void **state)
{
    struct haptic_field field;
    haptic_field_open(&field, *state, haptic_ball(0.05, 5, 8));
    field.linkage = two_bars(*state);
    for (uint32_t link = 1; link <= 2; link++) {
        struct haptic_shape bar = haptic_box(0.2, 0.02, 0.02);
        haptic_shape_move(&bar, 0.25, 0, 0);
        haptic_field_add(&field, link == 1 ? "upper arm" : "forearm", DENT_HAPTIC_LINK, bar)->link = link;
    }
    double values[2] = {-1, 0};
    dent_haptic_def def = haptic_field_def(&field, 0.7, 0, 0);
    def.joint_values = values;
    dent_haptic *haptic = open_haptic(&field, def);
    assert_true(haptic_check_open(&field));
    dent_haptic_force force;
    uint32_t pushes = 0;
    for (int i = 0; i < 80; i++) {
        values[0] = -1 + 0.04 * i;
        values[1] = 0.02 * i;
        dent_haptic_scene scene = dent_haptic_scene_default();
        scene.joint_values = values;
        dent_haptic_state now = step(haptic, &scene, haptic_pose(0.7, 0, 0), &force);
        assert_true(now.scene_reached == 1);
        place_links(&field, values);
        assert_int_equal(haptic_crossings(&field, &now.tool), 0);
        pushes += now.outcome == DENT_HAPTIC_CONTACT;
    }
    assert_true(pushes > 5);
    dent_haptic_destroy(haptic);
    haptic_field_close(&field);
}

/* What the tool pushes is told to the simulation: normals from the bodies, forces that add up to that on the tool. */
static void the_simulation_reads_what_the_tool_pushes(void **state)
{
    struct haptic_field field;
    haptic_field_open(&field, *state, haptic_box(0.1, 0.1, 0.1));
    haptic_field_add(&field, "floor", DENT_HAPTIC_FIXED, haptic_sheet(1, 5, NULL));
    dent_haptic_def def = haptic_field_def(&field, 0, 0, 0.2);
    dent_haptic *haptic = open_haptic(&field, def);
    dent_haptic_force force;
    dent_haptic_state now;
    for (int i = 0; i < 20; i++) {
        step(haptic, NULL, haptic_pose(0, 0, 0.05), &force);
    }
    assert_int_equal(dent_haptic_read(haptic, &now), DENT_OK);
    assert_int_equal(now.outcome, DENT_HAPTIC_CONTACT);
    assert_int_equal(now.sequence, 20);
    double sum = 0;
    for (uint32_t c = 0; c < now.contact_count; c++) {
        assert_int_equal(now.contacts[c].body, 0);
        assert_true(now.contacts[c].force >= 0 && now.contacts[c].normal[2] > 0.999999);
        sum += now.contacts[c].force;
    }
    assert_true(now.contact_count >= 4);
    assert_true(fabs(sum - 1000 * (now.tool.translation[2] - 0.05)) < 1e-6);
    dent_haptic_destroy(haptic);
    haptic_field_close(&field);
}

/* A random pose in a cube; now and then as far away as is allowed. */
static dent_pose anywhere(dent_random *random, double half, double reach)
{
    dent_pose pose = haptic_turned(0, 0, 0, 6 * dent_random_unit(random) - 3, (int)dent_random_below(random, 3));
    double size = dent_random_below(random, 8) == 0 ? ldexp(reach, -(int)dent_random_below(random, 50)) : half;
    for (int k = 0; k < 3; k++) {
        pose.translation[k] = size * (2 * dent_random_unit(random) - 1);
    }
    return pose;
}

/* Device, a hammer and crumpling tissue jump as they like, also onto the tool. Wherever the copy of the scene arrives,
 * the exact check finds nothing; the less work is allowed, the less often that is. */
static void jump_about(dent_context *context, uint64_t seed, uint64_t work_limit, uint32_t ticks, uint32_t *checked)
{
    struct haptic_field field;
    haptic_field_open(&field, context, seed % 2 ? haptic_ball(0.1, 5, 6) : haptic_box(0.1, 0.06, 0.03));
    haptic_field_add(&field, "hammer", DENT_HAPTIC_RIGID, haptic_box(0.05, 0.2, 0.1))->pose = haptic_pose(-2, 0, 0);
    struct haptic_shape sheet = haptic_sheet(1, 4, NULL);
    haptic_shape_move(&sheet, 0, 0, -0.5);
    haptic_field_add(&field, "tissue", DENT_HAPTIC_DEFORMING, sheet);
    dent_haptic_def def = haptic_field_def(&field, 0, 0, 0.5);
    def.work_limit = work_limit ? work_limit : def.work_limit;
    dent_haptic *haptic = open_haptic(&field, def);
    assert_true(haptic_check_open(&field));
    dent_random random = dent_random_seeded(seed);
    dent_pose pose = field.bodies[0].pose, device = def.start;
    double reach = dent_haptic_reach(haptic);
    for (uint32_t i = 0; i < ticks; i++) {
        dent_haptic_scene scene = dent_haptic_scene_default();
        dent_haptic_force force;
        dent_haptic_state now;
        uint32_t what = dent_random_below(&random, 4);
        assert_int_equal(dent_haptic_read(haptic, &now), DENT_OK);
        pose = what == 0 ? anywhere(&random, 1, reach) : what == 1 ? now.tool : pose;
        device = what == 2 ? anywhere(&random, 2, reach) : device;
        for (uint32_t n = 0; n < 3 * sheet.vertex_count && what == 3; n++) {
            field.placed[2][n] = sheet.points[n] + 0.6 * (2 * dent_random_unit(&random) - 1);
        }
        scene.poses = &pose;
        scene.positions = field.placed[2];
        assert_int_equal(dent_haptic_set_scene(haptic, &scene), DENT_OK);
        assert_int_equal(dent_haptic_couple(haptic, &device, &force), DENT_OK);
        assert_int_equal(dent_haptic_update(haptic, &now), DENT_OK);
        for (int k = 0; k < 3; k++) {
            assert_true(isfinite(force.force[k]) && isfinite(force.torque[k]) && isfinite(now.tool.translation[k]));
        }
        if (now.scene_reached == 1) {
            haptic_place_shape(&field.shapes[0], &pose, field.placed[1]);
            assert_int_equal(haptic_crossings(&field, &now.tool), 0);
            ++*checked;
        }
    }
    dent_haptic_destroy(haptic);
    haptic_field_close(&field);
}

/* Far out a tool is where rounding puts it. It comes back to a place inside a block, and stops before. */
static void a_tool_that_returns_from_afar_stops_before_a_block(void **state)
{
    struct haptic_field field;
    haptic_field_open(&field, *state, haptic_box(0.1, 0.06, 0.03));
    haptic_field_add(&field, "block", DENT_HAPTIC_FIXED, haptic_box(0.5, 0.5, 0.3));
    dent_haptic *haptic = open_haptic(&field, haptic_field_def(&field, 0, 0, 0.5));
    assert_true(haptic_check_open(&field));
    for (int away = 0; away < 40; away++) {
        double far_out = ldexp(dent_haptic_reach(haptic), -away), least = 1;
        dent_haptic_state now = {.gap = 0};
        for (int i = 0; i < 16; i++) { /* out, and back in */
            dent_haptic_force force;
            dent_pose device = i < 4 ? haptic_turned(far_out, far_out / 3, far_out / 7, 0.1 * away, 1)
                                     : haptic_turned(0.01 * away, 0.1, 0.1, 0.3, 2);
            now = step(haptic, NULL, device, &force);
            assert_int_equal(haptic_crossings(&field, &now.tool), 0);
            least = fmin(least, now.gap);
        }
        assert_true(least > 0 && least < 0.01); /* it came back */
    }
    dent_haptic_destroy(haptic);
    haptic_field_close(&field);
}

static void whatever_jumps_the_tool_is_never_inside(void **state)
{
    uint32_t checked = 0, ticks = (uint32_t)test_count(30, 60, 1000);
    for (uint64_t seed = 1; seed <= test_count(4, 8, 40); seed++) {
        jump_about(*state, seed, seed % 4 == 3 ? 200 : seed % 4 == 2 ? 20000 : 0, ticks, &checked);
    }
    print_message("%u exact checks\n", checked);
    assert_true(checked > ticks);
}

static void bad_scenes_are_refused_by_name(void **state)
{
    struct haptic_field field;
    char message[256];
    haptic_field_open(&field, *state, haptic_ball(0.05, 5, 8));
    haptic_field_add(&field, "plate", DENT_HAPTIC_RIGID, haptic_box(1, 1, 0.02))->pose = haptic_pose(0, 0, -1);
    haptic_field_add(&field, "tissue", DENT_HAPTIC_DEFORMING, haptic_box(1, 1, 0.02));
    haptic_shape_move(&field.shapes[1], 0, 0, 1);
    dent_haptic *haptic = open_haptic(&field, haptic_field_def(&field, 0, 0, 0));
    dent_pose pose = haptic_pose(0, NAN, 0);
    double positions[24] = {0};
    positions[16] = -INFINITY;
    dent_haptic_scene scene = dent_haptic_scene_default();
    scene.poses = &pose;
    assert_int_equal(dent_haptic_set_scene(haptic, &scene), DENT_ERROR_BAD_NUMBER);
    dent_context_message(*state, message, sizeof message);
    assert_non_null(strstr(message, "plate"));
    scene.poses = NULL;
    scene.positions = positions;
    assert_int_equal(dent_haptic_set_scene(haptic, &scene), DENT_ERROR_BAD_NUMBER);
    dent_context_message(*state, message, sizeof message);
    assert_non_null(strstr(message, "tissue"));
    assert_non_null(strstr(message, "vertex 5"));
    positions[16] = -1.01 * dent_haptic_reach(haptic); /* finite, and too far for gaps to be told */
    assert_int_equal(dent_haptic_set_scene(haptic, &scene), DENT_ERROR_BAD_NUMBER);
    positions[16] = -dent_haptic_reach(haptic);
    assert_int_equal(dent_haptic_set_scene(haptic, &scene), DENT_OK);
    pose = haptic_pose(0, 1.01 * dent_haptic_reach(haptic), 0);
    scene.poses = &pose;
    assert_int_equal(dent_haptic_set_scene(haptic, &scene), DENT_ERROR_BAD_NUMBER);
    scene.struct_size = 1;
    assert_int_equal(dent_haptic_set_scene(haptic, &scene), DENT_ERROR_INVALID_ARGUMENT);
    dent_haptic_destroy(haptic);
    haptic_field_close(&field);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_body_that_moves_pushes_the_tool_and_never_passes_it),
        cmocka_unit_test(a_squeezed_tool_is_an_outcome),
        cmocka_unit_test(a_body_that_deforms_lifts_the_tool),
        cmocka_unit_test(a_linkage_takes_the_tool_along),
        cmocka_unit_test(the_simulation_reads_what_the_tool_pushes),
        cmocka_unit_test(a_tool_that_returns_from_afar_stops_before_a_block),
        cmocka_unit_test(whatever_jumps_the_tool_is_never_inside),
        cmocka_unit_test(bad_scenes_are_refused_by_name),
    };
    return cmocka_run_group_tests_name("haptic scene", tests, test_open_context_of_one, test_close_context);
}
