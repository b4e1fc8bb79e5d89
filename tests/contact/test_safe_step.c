/* How far may a step go? And what a start that crosses, contains or touches is called. */
#include "support/cmocka_includes.h"

#include "support/random_scene.h"

static dent_context *context;
static dent_world *world;
static struct test_scene scene;
static double (*ends[TEST_BODIES_MAX])[3];

static int open_world(void **state)
{
    (void)state;
    dent_context_def def = dent_context_def_default();
    def.thread_count = 2;
    context = dent_context_create(&def, NULL);
    world = dent_world_create(context);
    memset(&scene, 0, sizeof scene);
    memset(ends, 0, sizeof ends);
    return context && world ? 0 : -1;
}

static int close_world(void **state)
{
    (void)state;
    dent_world_destroy(world);
    dent_context_destroy(context);
    for (uint32_t b = 0; b < scene.body_count; b++) {
        free(ends[b]);
    }
    test_scene_free(&scene);
    return 0;
}

/* Adds the bodies; body `b` moves by the vector. */
static void put_into_world(uint32_t moving, double x, double y, double z)
{
    assert_int_equal(test_scene_add(&scene, world), DENT_OK);
    const double by[3] = {x, y, z};
    for (uint32_t b = 0; b < scene.body_count; b++) {
        const struct test_body *body = &scene.bodies[b];
        ends[b] = test_allocate(body->vertex_count, sizeof *ends[b]);
        for (uint32_t i = 0; i < 3 * body->vertex_count; i++) {
            ends[b][i / 3][i % 3] = body->xyz[i / 3][i % 3] + (b == moving ? by[i % 3] : 0);
        }
        dent_positions start = dent_positions_double(body->xyz[0]), end = dent_positions_double(ends[b][0]);
        assert_int_equal(dent_body_set_positions(world, dent_world_body_at(world, b), &start, &end), DENT_OK);
    }
}

static dent_safe_step ask(bool start_is_free)
{
    dent_impact_def def = dent_impact_def_default();
    dent_safe_step step;
    def.start_is_free = start_is_free;
    assert_int_equal(dent_world_safe_step(world, &def, &step), DENT_OK);
    assert_int_equal(step.outcome, DENT_OUTCOME_COMPLETE);
    return step;
}

static void a_free_step_may_be_taken_whole(void **state)
{
    (void)state;
    test_add_block(&scene, 1, 1, 1);
    test_map(test_add_block(&scene, 1, 1, 1), 1, 1, 1, 3, 0, 0);
    put_into_world(1, -1.5, 0, 0);
    dent_safe_step step = ask(false);
    assert_true(step.fraction == 1 && !step.start.crosses && !step.found);
}

static void a_step_ends_where_two_blocks_meet(void **state)
{
    (void)state;
    test_add_block(&scene, 1, 1, 1);
    test_map(test_add_block(&scene, 1, 1, 1), 1, 1, 1, 3, 0.25, 0.125);
    put_into_world(1, -4, 0, 0);
    dent_safe_step step = ask(false);
    assert_true(step.fraction == 0.5 && !step.start.crosses && step.found && step.impact.toi == 0.5);
    assert_true(fabs(step.impact.normal[0]) == 1);
    assert_true(ask(true).fraction == 0.5);
}

static void crossing_faces_are_reported_with_their_number(void **state)
{
    (void)state;
    test_add_sheet(&scene, 2, 2);
    struct test_body *blade = test_add_sheet(&scene, 1, 1);
    for (uint32_t v = 0; v < blade->vertex_count; v++) { /* upright, through the first */
        double y = blade->xyz[v][1];
        blade->xyz[v][1] = 0.6 + 0.1 * blade->xyz[v][0];
        blade->xyz[v][0] = 0.3 + 0.7 * blade->xyz[v][0];
        blade->xyz[v][2] = y - 0.5;
    }
    put_into_world(1, 0, 0, 5);
    dent_safe_step step = ask(false);
    assert_true(step.fraction == 0 && step.start.crosses && step.start.crossings > 0 && !step.found);
    assert_true(step.start.body_a == 0 && step.start.body_b == 1);
}

static void a_surface_inside_a_closed_surface_is_reported(void **state)
{
    (void)state;
    test_map(test_add_cube_surface(&scene), 1, 1, 1, 20, 0, 0); /* far away: body 0 */
    test_add_cube_surface(&scene);
    test_map(test_add_cube_surface(&scene), 0.25, 0.25, 0.25, 0.4, 0.4, 0.4);
    put_into_world(2, 0.01, 0, 0);
    dent_safe_step step = ask(false);
    assert_true(step.fraction == 0 && step.start.crosses && step.start.crossings == 0);
    assert_true(step.start.body_a == 1 && step.start.body_b == 2);
    assert_true(ask(true).fraction == 1); /* the caller was wrong, but nothing meets */
}

static void a_part_of_a_body_inside_a_solid_is_reported(void **state)
{
    (void)state;
    /* Body 0: two triangles, one far away and one in the middle of a tetrahedron of body 1. */
    struct test_body *body = test_scene_new_body(&scene, DENT_BODY_SURFACE, 6, 2, 6);
    for (uint32_t v = 0; v < 6; v++) {
        body->corners[v] = v;
        body->xyz[v][0] = v < 3 ? 50 : 0.5;
        body->xyz[v][1] = 0.5;
        body->xyz[v][2] = 0.5;
        body->xyz[v][v % 3] += 0.01;
    }
    test_add_block(&scene, 1, 1, 1);
    put_into_world(0, 0, 0, 0);
    dent_safe_step step = ask(false);
    assert_true(step.start.crosses && step.start.crossings == 0 && step.start.body_a == 0 && step.start.body_b == 1);
}

static void a_body_whose_first_vertex_lies_on_an_inner_face_is_inside_all_the_same(void **state)
{
    (void)state;
    struct test_body *body = test_scene_new_body(&scene, DENT_BODY_SURFACE, 3, 1, 3);
    for (uint32_t v = 0; v < 3; v++) {
        body->corners[v] = v;
        body->xyz[v][0] = 1 + 0.01 * v; /* the first on the face between the two cubes */
        body->xyz[v][1] = 0.5 + 0.01 * (v == 1);
        body->xyz[v][2] = 0.45;
    }
    test_add_block(&scene, 2, 1, 1);
    put_into_world(0, 0, 0, 0);
    dent_safe_step step = ask(false);
    assert_true(step.start.crosses && step.start.crossings == 0 && step.start.body_a == 0 && step.start.body_b == 1);
}

static void an_open_surface_contains_nothing(void **state)
{
    (void)state;
    struct test_body *box = test_add_cube_surface(&scene);
    box->element_count = 11;
    test_map(test_add_cube_surface(&scene), 0.25, 0.25, 0.25, 0.4, 0.4, 0.4);
    put_into_world(1, 0.01, 0, 0);
    dent_safe_step step = ask(false);
    assert_true(!step.start.crosses && step.fraction == 1);
}

static void identical_copies_penetrate_although_no_face_crosses(void **state)
{
    (void)state;
    test_add_block(&scene, 1, 1, 1);
    test_add_block(&scene, 1, 1, 1);
    put_into_world(1, 5, 0, 0);
    dent_safe_step step = ask(false);
    assert_true(step.start.crosses && step.start.crossings == 0 && step.fraction == 0);
}

static void stacked_blocks_touch_and_do_not_cross(void **state)
{
    (void)state;
    test_add_block(&scene, 1, 1, 1);
    test_map(test_add_block(&scene, 1, 1, 1), 1, 1, 1, 0, 0, 1);
    put_into_world(1, 0, 0, 1);
    dent_safe_step step = ask(false);
    assert_true(!step.start.crosses && step.found && step.impact.toi == 0 &&
                step.fraction == 0); /* closed: touching at t = 0 counts */
}

static void tied_bodies_do_not_contain_each_other(void **state)
{
    (void)state;
    test_add_block(&scene, 1, 1, 1);
    test_map(test_add_block(&scene, 1, 1, 1), 1, 1, 1, 1, 0, 0);
    scene.tie_equal_positions = true;
    put_into_world(2, 0, 0, 0);
    dent_safe_step step = ask(false);
    assert_false(step.start.crosses);
}

static void a_cancelled_question_says_so(void **state)
{
    (void)state;
    test_add_block(&scene, 1, 1, 1);
    test_map(test_add_block(&scene, 1, 1, 1), 1, 1, 1, 3, 0, 0);
    put_into_world(1, -4, 0, 0);
    int cancel = 1;
    dent_impact_def def = dent_impact_def_default();
    dent_safe_step step;
    dent_initial_state start;
    def.cancel = &cancel;
    assert_int_equal(dent_world_safe_step(world, &def, &step), DENT_OK);
    assert_true(step.outcome == DENT_OUTCOME_CANCELLED && step.fraction == 0 && !step.found);
    assert_int_equal(dent_world_initial_state(world, &def, &start), DENT_OK);
    assert_int_equal(start.outcome, DENT_OUTCOME_CANCELLED);
    assert_int_equal(dent_world_initial_state(world, NULL, &start), DENT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(dent_world_safe_step(world, NULL, &step), DENT_ERROR_INVALID_ARGUMENT);
    def = dent_impact_def_default();
    def.separation = -1;
    step.fraction = 777;
    assert_int_equal(dent_world_safe_step(world, &def, &step), DENT_ERROR_INVALID_ARGUMENT);
    assert_true(step.fraction == 777);
}

/* The crossing state of random scenes is what the penetration check and face-face say. */
static void the_start_of_random_scenes_is_what_the_other_questions_say(void **state)
{
    (void)state;
    uint32_t crossing = 0, contained = 0, asked = 0;
    uint64_t seeds = getenv("DENT_QUICK_TESTS") ? 1 : 6;
    for (int kind = 0; kind < SCENE_KIND_COUNT; kind++) {
        for (uint64_t seed = 1; seed <= seeds; seed++) {
            struct test_scene random;
            dent_world *own = dent_world_create(context);
            test_scene_make(&random, kind, seed);
            assert_int_equal(test_scene_add(&random, own), DENT_OK);
            dent_query_def query = dent_query_def_default();
            dent_check_def check = dent_check_def_default();
            dent_query_result faces;
            dent_check_result penetration;
            dent_initial_state start;
            dent_impact_def def = dent_impact_def_default();
            query.questions = DENT_QUESTION_FACE_FACE;
            assert_int_equal(dent_world_query(own, &query, &faces), DENT_OK);
            uint64_t crossings = 0;
            for (uint64_t i = 0; i < faces.face_face.count; i++) {
                crossings += faces.face_face.pairs[i].kind == DENT_PAIR_CROSSING;
            }
            check.ignore_touching = true;
            assert_int_equal(dent_world_check(own, &check, &penetration), DENT_OK);
            bool penetrates = penetration.penetrating_pairs > 0;
            assert_int_equal(dent_world_initial_state(own, &def, &start), DENT_OK);
            assert_int_equal(start.crossings, crossings);
            assert_int_equal(start.crosses, crossings > 0 || penetrates);
            asked++;
            crossing += crossings > 0;
            contained += crossings == 0 && penetrates;
            dent_world_destroy(own);
            test_scene_free(&random);
        }
    }
    print_message("%u scenes, %u with crossings, %u with containment alone\n", asked, crossing, contained);
    assert_true(crossing > 10);
}

/* A sheet thrown about over a bed of spikes, and onto itself; every step goes 0.8 of what is safe. It bounces, and
 * begins anew when it is stuck: where it is pushed on and on, the gap shrinks to a fifth in each step, until the
 * rounding of the positions is larger. */
static void steps_of_eight_tenths_never_lead_into_a_crossing(void **state)
{
    (void)state;
    enum { SIDE = 8 };
    dent_random random = dent_random_seeded(11);
    struct test_body *sheet = test_add_sheet(&scene, SIDE, SIDE);
    struct test_body *spikes = test_scene_new_body(&scene, DENT_BODY_SOLID, 4 * 16, 16, 4 * 16);
    for (uint32_t i = 0; i < 16; i++) {
        double x = 0.4 + 2 * (i % 4) + 0.1 * dent_random_unit(&random), y = 0.4 + 2.0 * (i / 4);
        const double corners[4][3] = {{x, y, -3}, {x + 0.4, y, -3}, {x, y + 0.4, -3}, {x + 0.1, y + 0.1, -0.5}};
        memcpy(spikes->xyz[4 * i], corners, sizeof corners);
        for (uint32_t k = 0; k < 4; k++) {
            spikes->corners[4 * i + k] = 4 * i + k;
        }
    }
    put_into_world(UINT32_MAX, 0, 0, 0);
    double(*velocity)[3] = test_allocate(sheet->vertex_count, sizeof *velocity);
    uint32_t steps = getenv("DENT_QUICK_TESTS")  ? 20
                     : getenv("DENT_LONG_TESTS") ? 10000
                                                 : 300,
             limited = 0, restarts = 0;
    for (uint32_t step = 0; step < steps; step++) {
        for (uint32_t v = 0; v < sheet->vertex_count; v++) {
            for (int axis = 0; axis < 3; axis++) {
                velocity[v][axis] =
                    0.9 * velocity[v][axis] + test_between(&random, -0.05, 0.05) - (axis == 2 ? 0.01 : 0);
                ends[0][v][axis] = sheet->xyz[v][axis] + velocity[v][axis];
            }
        }
        dent_safe_step safe = ask(step % 2 != 0);
        assert_false(safe.start.crosses);
        assert_true(safe.fraction > 0);
        limited += safe.found;
        if (safe.fraction < 1e-6) {
            const uint32_t cubes[3] = {SIDE, SIDE, 0};
            test_place_lattice(sheet, cubes);
            memset(velocity, 0, sheet->vertex_count * sizeof *velocity);
            restarts++;
            continue;
        }
        double fraction = safe.found ? 0.8 * safe.fraction : 1;
        for (uint32_t v = 0; v < sheet->vertex_count; v++) {
            for (int axis = 0; axis < 3; axis++) {
                sheet->xyz[v][axis] += fraction * (ends[0][v][axis] - sheet->xyz[v][axis]);
                velocity[v][axis] *= safe.found ? -0.5 : 1;
            }
        }
        dent_query_def query = dent_query_def_default();
        dent_query_result faces;
        query.questions = DENT_QUESTION_FACE_FACE;
        query.touching = true;
        assert_int_equal(dent_world_query(world, &query, &faces), DENT_OK);
        if (faces.face_face.count > 0) {
            fail_msg("step %u: %llu pairs meet after a safe fraction of %.17g", step,
                     (unsigned long long)faces.face_face.count, safe.fraction);
        }
    }
    print_message("%u steps, %u of them limited by an impact, %u fresh starts\n", steps, limited, restarts);
    assert_true(limited > steps / 4 && restarts < steps / 20);
    free(velocity);
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, open_world, close_world)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_free_step_may_be_taken_whole),
        CASE(a_step_ends_where_two_blocks_meet),
        CASE(crossing_faces_are_reported_with_their_number),
        CASE(a_surface_inside_a_closed_surface_is_reported),
        CASE(a_part_of_a_body_inside_a_solid_is_reported),
        CASE(a_body_whose_first_vertex_lies_on_an_inner_face_is_inside_all_the_same),
        CASE(an_open_surface_contains_nothing),
        CASE(identical_copies_penetrate_although_no_face_crosses),
        CASE(stacked_blocks_touch_and_do_not_cross),
        CASE(tied_bodies_do_not_contain_each_other),
        CASE(a_cancelled_question_says_so),
        CASE(steps_of_eight_tenths_never_lead_into_a_crossing),
        CASE(the_start_of_random_scenes_is_what_the_other_questions_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
