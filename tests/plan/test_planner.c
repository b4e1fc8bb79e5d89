/* Planners: paths are found, certified, within limits, the same for all threads; bad input is named. */
#include "support/failing_allocator.h"
#include "support/plan_field.h"
#include "support/test_context.h"

#include <stdio.h>

static const double at_left[7] = {-0.5, 0.1, 0, 1, 0, 0, 0}, at_right[7] = {0.5, -0.1, 0.2, 1, 0, 0, 0};

static dent_planner *planner_of(struct plan_field *field, dent_planner_def def)
{
    dent_planner *planner = NULL;
    assert_int_equal(dent_planner_create(field->context, &def, &planner), DENT_OK);
    return planner;
}

static dent_plan_result plan(dent_planner *planner, const double *from, const double *to, uint64_t seed,
                             uint64_t budget)
{
    dent_plan_result result;
    assert_int_equal(dent_planner_begin(planner, from, to, seed), DENT_OK);
    assert_int_equal(dent_planner_run(planner, budget, NULL, &result), DENT_OK);
    return result;
}

/* Exact checks of the rounded positions at many times: nothing overlaps. Bodies of obstacles are not moved. */
static void check_by_samples(struct plan_field *field, dent_planner *planner, const dent_plan_result *result,
                             int samples)
{
    uint32_t values = dent_linkage_value_count(field->linkage);
    dent_world *world = dent_world_create(field->context);
    double placed[8][3];
    for (uint32_t i = 0; i < field->body_count; i++) {
        dent_body_id id;
        dent_body_def shape = field->bodies[i].shape;
        shape.positions_t0 = i == 0 ? dent_positions_double(placed[0]) : shape.positions_t0;
        assert_int_equal(dent_world_add_body(world, &shape, &id), DENT_OK);
    }
    for (uint32_t e = 0; e + 1 < result->waypoint_count; e++) {
        const double *from = result->waypoints + (size_t)e * values, *to = from + values;
        for (int s = 0; s <= samples; s++) {
            double at[DENT_PLAN_VALUES_MAX], m[16];
            dent_pose poses[8];
            assert_int_equal(dent_planner_edge_at(planner, from, to, (double)s / samples, at), DENT_OK);
            assert_int_equal(dent_linkage_poses(field->linkage, NULL, at, poses), DENT_OK);
            dent_pose_to_matrix(&poses[field->bodies[0].link], m);
            for (int v = 0; v < 8; v++) {
                const double *p = field->corners[0][v];
                for (int k = 0; k < 3; k++) {
                    placed[v][k] = m[4 * k] * p[0] + m[4 * k + 1] * p[1] + m[4 * k + 2] * p[2] + m[4 * k + 3];
                }
            }
            dent_check_def def = dent_check_def_default();
            dent_check_result checked;
            assert_int_equal(dent_world_check(world, &def, &checked), DENT_OK);
            for (uint64_t p = 0; p < checked.pair_count; p++) {
                assert_int_not_equal(checked.pairs[p].body_a, 0); /* the bar meets nothing; obstacles may touch */
            }
        }
    }
    dent_world_destroy(world);
}

static void check_certified(struct plan_field *field, dent_planner *planner, const dent_plan_result *result,
                            const double *from, const double *to)
{
    uint32_t values = dent_linkage_value_count(field->linkage);
    size_t size = values * sizeof(double);
    assert_int_equal(result->verdict, DENT_PLAN_FOUND);
    assert_true(result->waypoint_count >= 2);
    assert_memory_equal(result->waypoints, from, size);
    assert_memory_equal(result->waypoints + (size_t)(result->waypoint_count - 1) * values, to, size);
    double length = 0;
    for (uint32_t e = 0; e + 1 < result->waypoint_count; e++) {
        dent_plan_edge_result edge;
        const double *a = result->waypoints + (size_t)e * values, *b = a + values;
        assert_int_equal(dent_planner_test_edge(planner, a, b, &edge), DENT_OK);
        assert_int_equal(edge.verdict, DENT_MOTION_FREE);
        length += dent_planner_distance(planner, a, b);
    }
    assert_true(fabs(length - result->length) <= 1e-9 * (1 + length));
    check_by_samples(field, planner, result, (int)test_count(10, 50, 1000));
}

static void a_bar_finds_the_slot_in_a_wall(void **state)
{
    struct plan_field field;
    assert_int_equal(plan_field_open(&field, *state), DENT_OK);
    plan_field_add_wall(&field, 0.05);
    for (int method = 0; method < 2; method++) {
        dent_planner_def def = plan_field_def(&field);
        def.method = (dent_plan_method)method;
        dent_planner *planner = planner_of(&field, def);
        for (uint64_t seed = 0; seed < test_count(1, 2, 20); seed++) {
            dent_plan_result result = plan(planner, at_left, at_right, seed, 100000);
            check_certified(&field, planner, &result, at_left, at_right);
            assert_int_equal(result.outcome, DENT_OUTCOME_COMPLETE);
            assert_true(result.edges_to_first <= result.edges && result.edges <= 100000);
        }
        dent_planner_destroy(planner);
    }
    plan_field_close(&field);
}

static void a_narrow_slot_is_entered_along_its_walls(void **state)
{
    struct plan_field field;
    assert_int_equal(plan_field_open(&field, *state), DENT_OK);
    plan_field_add_wall(&field, 0.008);
    dent_planner_def def = plan_field_def(&field);
    def.target_gap = 0.002;
    dent_planner *planner = planner_of(&field, def);
    dent_plan_result result = plan(planner, at_left, at_right, 1, 200000);
    check_certified(&field, planner, &result, at_left, at_right);
    assert_true(result.contact_milestones > 0);
    dent_planner_destroy(planner);
    plan_field_close(&field);
}

static void planners_without_contact_milestones_find_wide_slots(void **state)
{
    struct plan_field field;
    assert_int_equal(plan_field_open(&field, *state), DENT_OK);
    plan_field_add_wall(&field, 0.2);
    for (int method = 0; method < 2; method++) {
        dent_planner_def def = plan_field_def(&field);
        def.method = (dent_plan_method)method;
        def.no_contact_milestones = def.no_shortening = true;
        dent_planner *planner = planner_of(&field, def);
        dent_plan_result result = plan(planner, at_left, at_right, 5, 200000);
        check_certified(&field, planner, &result, at_left, at_right);
        assert_int_equal(result.contact_milestones, 0);
        assert_int_equal(result.edges, result.edges_to_first);
        dent_planner_destroy(planner);
    }
    plan_field_close(&field);
}

static void the_path_is_the_same_for_all_threads_and_instruction_sets(void **state)
{
    (void)state;
    static const uint32_t threads[] = {1, 2, 7};
    for (int method = 0; method < 2; method++) {
        double first[64 * 7];
        uint32_t first_count = 0;
        uint64_t first_edges = 0;
        for (int run = 0; run < 3 + DENT_ISA_COUNT; run++) {
            dent_isa isa = run < 3 ? DENT_ISA_AUTO : (dent_isa)(run - 3);
            if (!dent_isa_available(isa)) {
                continue;
            }
            struct plan_field field;
            dent_context *context = test_context(run < 3 ? threads[run] : 2, isa);
            assert_int_equal(plan_field_open(&field, context), DENT_OK);
            plan_field_add_wall(&field, 0.03);
            dent_planner_def def = plan_field_def(&field);
            def.method = (dent_plan_method)method;
            dent_planner *planner = planner_of(&field, def);
            dent_plan_result result = plan(planner, at_left, at_right, 7, 20000);
            assert_int_equal(result.verdict, DENT_PLAN_FOUND);
            assert_true(result.waypoint_count <= 64);
            if (run == 0) {
                first_count = result.waypoint_count;
                first_edges = result.edges;
                memcpy(first, result.waypoints, first_count * 7 * sizeof *first);
            }
            assert_int_equal(result.waypoint_count, first_count);
            assert_int_equal(result.edges, first_edges);
            assert_memory_equal(result.waypoints, first, first_count * 7 * sizeof *first);
            dent_planner_destroy(planner);
            plan_field_close(&field);
            dent_context_destroy(context);
        }
    }
}

static void a_start_or_goal_in_contact_names_the_pair(void **state)
{
    struct plan_field field;
    assert_int_equal(plan_field_open(&field, *state), DENT_OK);
    plan_field_add_wall(&field, 0.05);
    plan_field_box(&field, "shell", DENT_PLAN_OBSTACLE, (double[3]){-0.6, -0.6, 0.9}, (double[3]){-0.1, 0.6, 1.4});
    dent_planner *planner = planner_of(&field, plan_field_def(&field));
    const double crossing[7] = {0, 0.1, 0, 1, 0, 0, 0}, inside[7] = {-0.35, 0, 1.15, 1, 0, 0, 0};
    dent_plan_result result = plan(planner, crossing, at_right, 1, 1000);
    assert_int_equal(result.verdict, DENT_PLAN_START_CONTACT);
    assert_int_equal(result.body_a, 0);
    assert_int_equal(result.body_b, 2);
    result = plan(planner, at_left, inside, 1, 1000); /* touches nothing: wholly inside */
    assert_int_equal(result.verdict, DENT_PLAN_GOAL_CONTACT);
    assert_int_equal(result.body_b, 3);
    assert_int_equal(result.waypoint_count, 0);
    dent_planner_destroy(planner);
    plan_field_close(&field);
}

/* In the open, and where the bar hardly fits: there no walk goes anywhere. */
static void from_a_place_to_the_same_place_is_a_path(void **state)
{
    struct plan_field field;
    assert_int_equal(plan_field_open(&field, *state), DENT_OK);
    plan_field_add_wall(&field, 0.001);
    const double inside[7] = {0, 0, 0.1, 1, 0, 0, 0}, *places[2] = {at_left, inside};
    for (int method = 0; method < 2; method++) {
        dent_planner_def def = plan_field_def(&field);
        def.method = (dent_plan_method)method;
        dent_planner *planner = planner_of(&field, def);
        for (int i = 0; i < 2; i++) {
            dent_plan_result result = plan(planner, places[i], places[i], 1, 20);
            check_certified(&field, planner, &result, places[i], places[i]);
            assert_int_equal(result.waypoint_count, 2);
            assert_true(result.length == 0);
        }
        dent_planner_destroy(planner);
    }
    plan_field_close(&field);
}

static void pairs_that_may_touch_are_not_tested(void **state)
{
    struct plan_field field;
    assert_int_equal(plan_field_open(&field, *state), DENT_OK);
    plan_field_add_wall(&field, 0.001);
    static const dent_plan_pair allowed[] = {{0, 1}, {2, 0}};
    dent_planner_def def = plan_field_def(&field);
    def.allowed = allowed;
    def.allowed_count = 2;
    dent_planner *planner = planner_of(&field, def);
    dent_plan_result result = plan(planner, at_left, at_right, 1, 1000);
    assert_int_equal(result.verdict, DENT_PLAN_FOUND);
    assert_int_equal(result.waypoint_count, 2);
    dent_planner_destroy(planner);
    plan_field_close(&field);
}

static void a_solid_at_rest_is_an_obstacle(void **state)
{
    struct plan_field field;
    assert_int_equal(plan_field_open(&field, *state), DENT_OK);
    static const double tetrahedron[4][3] = {{0, -2, -2}, {0, 2, -2}, {0, 0, 2}, {0.05, 0, 0}};
    static const uint32_t corners[4] = {0, 1, 2, 3};
    dent_plan_body *body = &field.bodies[field.body_count++];
    body->link = DENT_PLAN_OBSTACLE;
    body->shape = dent_solid_def_default();
    body->shape.name = "soft";
    body->shape.vertex_count = 4;
    body->shape.element_count = 1;
    body->shape.element_corners = corners;
    body->shape.positions_t0 = dent_positions_double(tetrahedron[0]);
    dent_planner_def def = plan_field_def(&field);
    def.lower = def.upper = NULL; /* the box of all bodies, which is large enough to get round it */
    dent_planner *planner = planner_of(&field, def);
    dent_plan_result result = plan(planner, at_left, at_right, 2, 100000);
    check_certified(&field, planner, &result, at_left, at_right);
    assert_true(result.waypoint_count > 2);
    dent_planner_destroy(planner);
    plan_field_close(&field);
}

static void runs_add_up_and_spend_no_more_than_their_budget(void **state)
{
    struct plan_field field;
    assert_int_equal(plan_field_open(&field, *state), DENT_OK);
    plan_field_add_wall(&field, 0.05);
    dent_planner *planner = planner_of(&field, plan_field_def(&field));
    dent_plan_result result;
    assert_int_equal(dent_planner_begin(planner, at_left, at_right, 3), DENT_OK);
    uint64_t spent = 0;
    double length = INFINITY;
    do {
        assert_int_equal(dent_planner_run(planner, 7, NULL, &result), DENT_OK);
        assert_true(result.edges <= spent + 7);
        assert_true(result.verdict != DENT_PLAN_FOUND || result.length <= length * (1 + 1e-12));
        spent += 7;
        length = result.verdict == DENT_PLAN_FOUND ? result.length : INFINITY;
    } while (result.outcome == DENT_OUTCOME_BUDGET_SPENT && spent < 30000);
    check_certified(&field, planner, &result, at_left, at_right);
    int cancel = 1;
    assert_int_equal(dent_planner_begin(planner, at_left, at_right, 3), DENT_OK);
    assert_int_equal(dent_planner_run(planner, 100000, &cancel, &result), DENT_OK);
    assert_int_equal(result.outcome, DENT_OUTCOME_CANCELLED);
    assert_int_equal(result.edges, 0);
    dent_planner_destroy(planner);
    plan_field_close(&field);
}

/* Wherever the budget ends, in the middle of a certificate, too: the next run goes on with the same path. */
static void a_path_found_in_many_runs_is_certified(void **state)
{
    static const uint64_t budgets[] = {3, 7, 64};
    struct plan_field field;
    uint32_t found = 0;
    assert_int_equal(plan_field_open(&field, *state), DENT_OK);
    plan_field_add_wall(&field, 0.016);
    for (int method = 0; method < 2; method++) {
        dent_planner_def def = plan_field_def(&field);
        def.target_gap = 0.002;
        def.no_shortening = true;
        def.method = (dent_plan_method)method;
        dent_planner *planner = planner_of(&field, def);
        for (uint64_t seed = test_count(4, 1, 1); seed <= test_count(4, 8, 100); seed++) {
            dent_plan_result result = {.edges = 0};
            uint64_t budget = budgets[seed % 4 == 0 ? 2 : seed % 3];
            assert_int_equal(dent_planner_begin(planner, at_left, at_right, seed), DENT_OK);
            for (uint64_t spent = 0; spent < 1000 && result.verdict != DENT_PLAN_FOUND; spent += budget) {
                assert_int_equal(dent_planner_run(planner, budget, NULL, &result), DENT_OK);
            }
            found += result.verdict == DENT_PLAN_FOUND;
            for (uint32_t e = 0; e + 1 < result.waypoint_count; e++) {
                dent_plan_edge_result edge;
                const double *from = result.waypoints + 7 * (size_t)e;
                assert_int_equal(dent_planner_test_edge(planner, from, from + 7, &edge), DENT_OK);
                assert_int_equal(edge.verdict, DENT_MOTION_FREE);
            }
        }
        dent_planner_destroy(planner);
    }
    assert_true(found >= 1);
    plan_field_close(&field);
}

/* Two arms that turn about z, the second joint mimicking the first, backwards and with narrower limits. */
static void limits_and_mimic_joints_hold_along_the_path(void **state)
{
    struct plan_field field;
    memset(&field, 0, sizeof field);
    field.context = *state;
    dent_joint_def joints[2] = {dent_joint_def_default(), dent_joint_def_default()};
    for (uint32_t j = 0; j < 2; j++) {
        joints[j].kind = DENT_JOINT_REVOLUTE;
        joints[j].parent = j;
        joints[j].child = j + 1;
        joints[j].axis[0] = 0;
        joints[j].axis[2] = 1;
        joints[j].has_limits = true;
        joints[j].lower = -3;
        joints[j].upper = 3;
    }
    joints[1].mimics = 0;
    joints[1].multiplier = -0.5;
    joints[1].lower = -1;
    joints[1].origin.translation[0] = 0.5;
    dent_linkage_def linkage = dent_linkage_def_default();
    linkage.link_count = 3;
    linkage.joint_count = 2;
    linkage.joints = joints;
    assert_int_equal(dent_linkage_create(*state, &linkage, &field.linkage), DENT_OK);
    plan_field_box(&field, "hand", 2, (double[3]){0, -0.02, -0.02}, (double[3]){0.3, 0.02, 0.02});
    plan_field_box(&field, "post", DENT_PLAN_OBSTACLE, (double[3]){0.55, -0.02, -0.5}, (double[3]){0.95, 0.02, 0.5});
    dent_planner_def def = dent_planner_def_default();
    def.linkage = field.linkage;
    def.bodies = field.bodies;
    def.body_count = field.body_count;
    dent_planner *planner = planner_of(&field, def);
    double from = -0.9, to = 1.9, beyond = 2.1;
    char message[200];
    assert_int_equal(dent_planner_begin(planner, &from, &beyond, 1), DENT_ERROR_INVALID_ARGUMENT);
    dent_context_message(*state, message, sizeof message);
    assert_string_equal(message, "joint 'joint 1': -1.05 is below its limit, -1");
    /* The only way is through the post, unless the arm could turn all round, which the limits forbid. */
    dent_plan_result result = plan(planner, &from, &to, 1, 300);
    assert_int_equal(result.verdict, DENT_PLAN_NOT_FOUND);
    assert_int_equal(result.outcome, DENT_OUTCOME_BUDGET_SPENT);
    double near = 0.9;
    result = plan(planner, &near, &to, 1, 300);
    assert_int_equal(result.verdict, DENT_PLAN_FOUND);
    for (uint32_t w = 0; w < result.waypoint_count; w++) {
        assert_int_equal(dent_linkage_check_values(field.linkage, result.waypoints + w), DENT_OK);
    }
    dent_planner_destroy(planner);
    plan_field_close(&field);
}

static void bad_input_is_refused_and_named(void **state)
{
    struct plan_field field;
    dent_planner *planner = NULL;
    char message[200];
    assert_int_equal(plan_field_open(&field, *state), DENT_OK);
    plan_field_add_wall(&field, 0.05);
    dent_planner_def def = plan_field_def(&field);
    def.struct_size = 1;
    assert_int_equal(dent_planner_create(*state, &def, &planner), DENT_ERROR_INVALID_ARGUMENT);
    def = plan_field_def(&field);
    def.target_gap = NAN;
    assert_int_equal(dent_planner_create(*state, &def, &planner), DENT_ERROR_INVALID_ARGUMENT);
    def = plan_field_def(&field);
    field.bodies[2].link = 9;
    assert_int_equal(dent_planner_create(*state, &def, &planner), DENT_ERROR_INVALID_ARGUMENT);
    dent_context_message(*state, message, sizeof message);
    assert_string_equal(message, "body 2 'right' belongs to link 9, and there are 2");
    field.bodies[2].link = DENT_PLAN_OBSTACLE;
    static const dent_plan_pair nobody = {0, 77};
    def.allowed = &nobody;
    def.allowed_count = 1;
    assert_int_equal(dent_planner_create(*state, &def, &planner), DENT_ERROR_INVALID_ARGUMENT);
    def = plan_field_def(&field);
    def.method = (dent_plan_method)5;
    assert_int_equal(dent_planner_create(*state, &def, &planner), DENT_ERROR_INVALID_ARGUMENT);
    assert_null(planner);
    def = plan_field_def(&field);
    assert_int_equal(dent_planner_create(*state, &def, &planner), DENT_OK);
    dent_plan_result result;
    assert_int_equal(dent_planner_run(planner, 10, NULL, &result), DENT_ERROR_INVALID_ARGUMENT); /* no question yet */
    double bad[7] = {NAN, 0, 0, 1, 0, 0, 0}, zero[7] = {0};
    assert_int_equal(dent_planner_begin(planner, bad, at_right, 1), DENT_ERROR_BAD_NUMBER);
    assert_int_equal(dent_planner_begin(planner, at_left, zero, 1), DENT_ERROR_INVALID_ARGUMENT);
    dent_context_message(*state, message, sizeof message);
    assert_string_equal(message, "joint 'flight': its quaternion is zero");
    assert_int_equal(dent_planner_edge_at(planner, at_left, at_right, 1.5, bad), DENT_ERROR_INVALID_ARGUMENT);
    dent_planner_destroy(planner);
    plan_field_close(&field);
}

/* Creates, asks, searches; a failing allocation gives a status, and another try with memory works. */
static void every_allocation_can_fail(void **state)
{
    (void)state;
    struct failing_allocator memory = failing_allocator_make();
    dent_context_def context_def = dent_context_def_default();
    context_def.allocator = failing_allocator_hook(&memory);
    context_def.thread_count = 1;
    dent_context *context = dent_context_create(&context_def, NULL);
    struct plan_field field;
    assert_int_equal(plan_field_open(&field, context), DENT_OK);
    plan_field_add_wall(&field, 0.1);
    dent_planner_def def = plan_field_def(&field);
    uint32_t step = (uint32_t)test_count(7, 3, 1), failures = 0; /* of about 95 */
    for (uint64_t n = 1;; n += step) {
        dent_planner *planner = NULL;
        dent_plan_result result = {.edges = 12345};
        memory.requests = 0;
        memory.fail_at = n;
        dent_status status = dent_planner_create(context, &def, &planner);
        assert_true((status == DENT_OK) == (planner != NULL));
        status = status == DENT_OK ? dent_planner_begin(planner, at_left, at_right, 4) : status;
        status = status == DENT_OK ? dent_planner_run(planner, 400, NULL, &result) : status;
        bool failed = memory.requests >= n;
        memory.fail_at = 0;
        assert_int_equal(status, failed ? DENT_ERROR_OUT_OF_MEMORY : DENT_OK);
        assert_true(!failed || result.edges == 12345);
        if (planner && failed) {
            assert_int_equal(dent_planner_begin(planner, at_left, at_right, 4), DENT_OK);
            assert_int_equal(dent_planner_run(planner, 400, NULL, &result), DENT_OK);
        }
        dent_planner_destroy(planner);
        if (!failed) {
            break;
        }
        failures++;
    }
    assert_true(failures > 10);
    plan_field_close(&field);
    dent_context_destroy(context);
    assert_true(failing_allocator_clean(&memory));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bar_finds_the_slot_in_a_wall),
        cmocka_unit_test(a_narrow_slot_is_entered_along_its_walls),
        cmocka_unit_test(planners_without_contact_milestones_find_wide_slots),
        cmocka_unit_test(the_path_is_the_same_for_all_threads_and_instruction_sets),
        cmocka_unit_test(a_start_or_goal_in_contact_names_the_pair),
        cmocka_unit_test(from_a_place_to_the_same_place_is_a_path),
        cmocka_unit_test(pairs_that_may_touch_are_not_tested),
        cmocka_unit_test(a_solid_at_rest_is_an_obstacle),
        cmocka_unit_test(runs_add_up_and_spend_no_more_than_their_budget),
        cmocka_unit_test(a_path_found_in_many_runs_is_certified),
        cmocka_unit_test(limits_and_mimic_joints_hold_along_the_path),
        cmocka_unit_test(bad_input_is_refused_and_named),
        cmocka_unit_test(every_allocation_can_fail),
    };
    return cmocka_run_group_tests(tests, test_open_context_of_two, test_close_context);
}
