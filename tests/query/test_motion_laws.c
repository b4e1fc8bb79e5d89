/* Motions with time laws of their own, and motions given by a function: none missed, none late, none early beyond the
 * tolerance, against dense sampling of an independent evaluation; and the elementary tests of the source beside ours. */
#include "query/motion_tally.h"

/* ---- laws and motions -------------------------------------------------------------------------------------------- */

/* Rounding of libm and of these few operations, generously. */
#define SLACK 1e-13

static void enclose_law(void *user, double lo, double hi, dent_law_enclosure *turn, dent_law_enclosure *slide)
{
    struct oracle_law *law = user;
    dent_law_enclosure *both[2] = {turn, slide};
    double middle = 0.5 * (lo + hi), w = law->waves;
    dent_polynomial_law(&law->polynomials, lo, hi, turn, slide);
    for (int side = 0; side < 2; side++) {
        double height = law->height[side];
        both[side]->value += height * sin(w * middle);
        both[side]->rate += height * w * cos(w * middle);
        both[side]->value_error += SLACK;
        both[side]->rate_error += SLACK * (1 + fabs(w));
        both[side]->bend += fabs(height) * w * w;
    }
}

static void enclose_given(void *user, double lo, double hi, dent_motion_enclosure *out)
{
    const struct oracle_given *given = user;
    double t = 0.5 * (lo + hi), p = given->p, q = given->q, lengths = 0, bend = 0;
    double c = cos(p * t), s = sin(p * t), d = cos(q * t), e = sin(q * t);
    const double turn[3][3] = {{c, -s * d, s * e}, {s, c * d, -c * e}, {0, e, d}};
    const double rate[3][3] = {{-p * s, -p * c * d + q * s * e, p * c * e + q * s * d},
                               {p * c, -p * s * d - q * c * e, p * s * e - q * c * d},
                               {0, q * d, -q * e}};
    for (int i = 0; i < 3; i++) {
        out->translation[i] = given->t0[i] + t * given->v[i] + t * t * given->g[i];
        out->translation_rate[i] = given->v[i] + 2 * t * given->g[i];
        lengths += fabs(given->t0[i]) + fabs(given->v[i]) + 2 * fabs(given->g[i]);
        bend += 2 * fabs(given->g[i]);
        for (int j = 0; j < 3; j++) {
            out->rotation[3 * i + j] = out->rotation_rate[3 * i + j] = 0;
            for (int k = 0; k < 3; k++) {
                out->rotation[3 * i + j] += turn[i][k] * given->start[k][j];
                out->rotation_rate[3 * i + j] += rate[i][k] * given->start[k][j];
            }
        }
    }
    double speed = fabs(p) + fabs(q);
    out->rotation_error = SLACK;
    out->rotation_rate_error = SLACK * (1 + speed);
    out->translation_error = out->translation_rate_error = SLACK * lengths;
    out->rotation_bend = speed * speed * (1 + SLACK);
    out->translation_bend = bend;
}

static void random_law(dent_random *random, struct oracle_law *law)
{
    *law = (struct oracle_law){.law = {enclose_law, law}};
    law->polynomials = dent_polynomial_laws_between(oracle_uniform(random, -1, 3), oracle_uniform(random, -1, 3),
                                                    oracle_uniform(random, -1, 3), oracle_uniform(random, -1, 3));
    for (int k = 3; k < 6 && dent_random_below(random, 2); k++) {
        law->polynomials.turn[k] = oracle_uniform(random, -0.3, 0.3);
        law->polynomials.slide[k] = oracle_uniform(random, -0.3, 0.3);
    }
    if (dent_random_below(random, 2)) {
        law->height[0] = oracle_uniform(random, -0.2, 0.2);
        law->height[1] = oracle_uniform(random, -0.2, 0.2);
        law->waves = oracle_uniform(random, 0, 12);
    }
}

static dent_motion random_given(dent_random *random, double distance, struct oracle_given *given)
{
    dent_pose start = oracle_random_pose(random, distance);
    dent_motion motion = dent_motion_stationary(&start);
    struct oracle_pose pose;
    oracle_pose_at(&motion, 0, &pose);
    *given = (struct oracle_given){.given = {enclose_given, given}};
    for (int k = 0; k < 9; k++) {
        given->start[k / 3][k % 3] = (double)pose.rotation[k / 3][k % 3];
    }
    for (int k = 0; k < 3; k++) {
        given->t0[k] = start.translation[k];
        given->v[k] = oracle_uniform(random, -2 * distance, 2 * distance);
        given->g[k] = oracle_uniform(random, -distance, distance);
    }
    given->p = oracle_uniform(random, -4, 4);
    given->q = oracle_uniform(random, -4, 4);
    motion.kind = DENT_MOTION_GIVEN;
    motion.given = &given->given;
    return motion;
}

/* Laws and given motions of the scene at hand, which outlives the call that makes it. */
static struct oracle_law laws[12];
static struct oracle_given givens[12];

static void make_motion(dent_context *context, dent_random *random, uint32_t f, double distance, uint64_t family,
                        dent_motion *motion)
{
    if (family == 1) {
        *motion = random_given(random, distance, &givens[f]);
        return;
    }
    *motion = oracle_random_motion(context, random, distance);
    random_law(random, &laws[f]);
    motion->law = &laws[f].law;
}

/* Both with laws, both given, one of each, one with a law and one that follows the clock. */
static void make_pair_of_bodies(dent_context *context, dent_random *random, uint64_t seed, struct moving_pair *scene)
{
    *scene = two_frames();
    scene->samples = 1000;
    for (uint32_t b = 0; b < 2; b++) {
        uint64_t family = seed % 4 < 2 ? seed % 4 : seed % 4 == 2 ? b : 0;
        oracle_random_body(random, &scene->bodies[b]);
        make_motion(context, random, b, oracle_uniform(random, 0.5, 3), family, &scene->frames[b].motion);
        if (seed % 4 == 3 && b == 1) {
            scene->frames[b].motion.law = NULL;
        }
    }
}

static void motions_with_laws_and_given_ones_are_never_missed_and_never_late(void **state)
{
    struct tally tally =
        ask_random_pairs(*state, "laws and given", test_count(40, 160, 10000), 91000, make_pair_of_bodies);
    assert_both_answers(&tally);
}

static void make_pair_on_tree(dent_context *context, dent_random *random, uint64_t seed, struct moving_pair *scene)
{
    uint32_t frame_count = 2 + dent_random_below(random, 4);
    *scene = (struct moving_pair){.frame_count = frame_count, .samples = 500};
    for (uint32_t f = 0; f < frame_count; f++) {
        uint32_t parent = dent_random_below(random, f + 1);
        scene->frames[f].parent = parent == f ? DENT_FRAME_WORLD : parent;
        make_motion(context, random, f, 0.7, (seed + f) % 3 == 0, &scene->frames[f].motion);
        scene->frames[f].motion.angle *= 0.3;
    }
    scene->on[0] = 0;
    scene->on[1] = frame_count - 1;
    oracle_random_body(random, &scene->bodies[0]);
    oracle_random_body(random, &scene->bodies[1]);
}

static void linkages_of_them_are_never_missed_and_never_late(void **state)
{
    ask_random_pairs(*state, "linkages", test_count(10, 40, 2000), 95000, make_pair_on_tree);
}

/* ---- enclosures -------------------------------------------------------------------------------------------------- */

static void polynomials_lie_in_their_enclosures(void **state)
{
    (void)state;
    dent_random random = dent_random_seeded(3);
    for (uint32_t i = 0; i < test_count(200, 2000, 200000); i++) {
        struct oracle_law law;
        random_law(&random, &law);
        law.height[0] = law.height[1] = 0;
        double lo = dent_random_unit(&random), hi = lo + (1 - lo) * ldexp(1, -(int)dent_random_below(&random, 50));
        dent_law_enclosure found[2];
        dent_polynomial_law(&law.polynomials, lo, hi, &found[0], &found[1]);
        double middle = 0.5 * (lo + hi), half = 0.5 * (hi - lo);
        for (int k = 0; k < 8; k++) {
            long double t = lo + (hi - lo) * (k / 7.0L), s = t - middle, values[2];
            oracle_law_at(&law, t, values);
            for (int side = 0; side < 2; side++) {
                const dent_law_enclosure *e = &found[side];
                long double error = fabsl(values[side] - e->value - s * e->rate);
                assert_true(error <= e->value_error + half * e->rate_error + 0.5L * s * s * e->bend + 1e-18L);
            }
        }
        assert_true(found[0].value_error < 1e-13 && found[0].rate_error < 1e-12);
    }
    dent_polynomial_laws even = dent_polynomial_laws_between(1, 1, 1, 1);
    assert_true(even.turn[0] == 1 && even.turn[1] == 0 && even.turn[2] == 0 && even.slide[0] == 1);
}

static void poses_along_them_are_those_of_the_oracle(void **state)
{
    dent_random random = dent_random_seeded(8);
    for (uint32_t i = 0; i < test_count(100, 1000, 20000); i++) {
        dent_motion motion;
        make_motion(*state, &random, 0, 2, i % 2, &motion);
        double t = dent_random_unit(&random), matrix[16];
        dent_pose pose = dent_motion_at(&motion, t);
        struct oracle_pose expected;
        dent_pose_to_matrix(&pose, matrix);
        oracle_pose_at(&motion, t, &expected);
        for (int k = 0; k < 12; k++) {
            long double other = k % 4 < 3 ? expected.rotation[k / 4][k % 4] : expected.translation[k / 4];
            assert_true(fabsl(matrix[k] - other) < 1e-10L);
        }
    }
}

/* ---- the same answer --------------------------------------------------------------------------------------------- */

static dent_motion_impact_result ask(dent_context *context, const struct moving_pair *scene,
                                     const dent_experiments *experiments, double tolerance)
{
    dent_world *world = dent_world_create(context);
    dent_motion_body attached[2];
    for (uint32_t b = 0; b < 2; b++) {
        attached[b] = (dent_motion_body){oracle_add_body(world, &scene->bodies[b], b ? "b" : "a", NULL), scene->on[b]};
    }
    dent_motion_impact_def def = dent_motion_impact_def_default();
    dent_motion_impact_result result;
    def.frames = scene->frames;
    def.frame_count = scene->frame_count;
    def.bodies = attached;
    def.body_count = 2;
    def.tolerance = tolerance;
    def.experiments = experiments;
    assert_int_equal(dent_world_motion_impact(world, &def, &result), DENT_OK);
    result.contacts = NULL;
    dent_world_destroy(world);
    return result;
}

static void bits_are_the_same_for_threads_and_instruction_sets(void **state)
{
    (void)state;
    static const uint32_t threads[3] = {1, 2, 7};
    static const dent_isa sets[3] = {DENT_ISA_AUTO, DENT_ISA_SCALAR, DENT_ISA_AVX2};
    dent_context *contexts[3] = {NULL, NULL, NULL};
    for (int i = 0; i < 3; i++) {
        dent_context_def def = dent_context_def_default();
        def.thread_count = threads[i];
        def.isa = sets[i];
        contexts[i] = dent_context_create(&def, NULL);
    }
    for (uint64_t seed = 0; seed < test_count(10, 40, 1000); seed++) {
        dent_random random = dent_random_seeded(seed);
        struct moving_pair scene;
        make_pair_of_bodies(contexts[0], &random, seed, &scene);
        dent_motion_impact_result first = ask(contexts[0], &scene, NULL, 0);
        for (int i = 1; i < 3; i++) {
            if (contexts[i]) { /* null: this machine has no such instructions */
                dent_motion_impact_result other = ask(contexts[i], &scene, NULL, 0);
                assert_true(first.verdict == other.verdict && first.t_lo == other.t_lo && first.t_hi == other.t_hi);
                assert_int_equal(first.counters.face_tests, other.counters.face_tests);
                assert_int_equal(first.contact_count, other.contact_count);
            }
        }
    }
    for (int i = 0; i < 3; i++) {
        dent_context_destroy(contexts[i]);
    }
}

/* The law t, by a function, is the motion without a law: the same verdict, times as near as the tolerance allows. */
static void the_law_of_the_clock_changes_no_verdict(void **state)
{
    for (uint64_t seed = 0; seed < test_count(20, 100, 2000); seed++) {
        dent_random random = dent_random_seeded(seed + 400);
        struct moving_pair scene = two_frames(), timed;
        struct oracle_law even = {.law = {enclose_law, &even},
                                  .polynomials = dent_polynomial_laws_between(1, 1, 1, 1)};
        for (uint32_t b = 0; b < 2; b++) {
            oracle_random_body(&random, &scene.bodies[b]);
            scene.frames[b].motion = oracle_random_motion(*state, &random, 2);
        }
        timed = scene;
        timed.frames[0].motion.law = timed.frames[1].motion.law = &even.law;
        dent_motion_impact_result plain = ask(*state, &scene, NULL, 1e-4), other = ask(*state, &timed, NULL, 1e-4);
        struct oracle_pair pair = {&scene.bodies[0], &scene.bodies[1], scene.frames, 0, 1, NULL};
        double least, first = oracle_first_contact(&pair, 500, &least);
        if (first <= 1 || least > 1e-4) {
            assert_int_equal(plain.verdict, other.verdict);
        }
    }
}

/* ---- the tests of the source ------------------------------------------------------------------------------------- */

static void triple_products_and_hulls_agree_unless_bodies_pass_within_the_tolerance(void **state)
{
    uint32_t compared = 0, contacts = 0, skipped = 0, count = (uint32_t)test_count(16, 80, 4000);
    dent_experiments experiments = dent_experiments_default();
    experiments.motion.elementary = DENT_MOTION_ELEMENTARY_COPLANARITY;
    for (uint64_t seed = 0; seed < count; seed++) {
        dent_random random = dent_random_seeded(seed + 70000);
        struct moving_pair scene;
        make_pair_of_bodies(*state, &random, seed, &scene);
        for (uint32_t b = 0; b < 2 && seed % 8 < 4; b++) { /* half of them as in the source: by the clock */
            scene.frames[b].motion = oracle_random_motion(*state, &random, 2);
        }
        double tolerance = 1e-3, least;
        dent_motion_impact_result hulls = ask(*state, &scene, NULL, tolerance),
                                  products = ask(*state, &scene, &experiments, tolerance);
        struct oracle_pair pair = {&scene.bodies[0], &scene.bodies[1], scene.frames, 0, 1, NULL};
        double first = oracle_first_contact(&pair, 500, &least);
        assert_true(products.verdict != DENT_MOTION_UNDECIDED);
        assert_true(first > 1 || (products.verdict == DENT_MOTION_CONTACT && products.t_lo <= first));
        bool between = first > 1 && least <= tolerance;
        skipped += between;
        if (!between) {
            assert_int_equal(hulls.verdict, products.verdict);
            contacts += hulls.verdict == DENT_MOTION_CONTACT;
            compared++;
        }
    }
    print_message("%u verdicts equal, %u contacts; %u pass within the tolerance\n", compared, contacts, skipped);
    assert_true(contacts > compared / 10 && contacts < compared);
}

/* ---- bad functions ----------------------------------------------------------------------------------------------- */

static int bad_answer;

static void enclose_badly(void *user, double lo, double hi, dent_law_enclosure *turn, dent_law_enclosure *slide)
{
    static dent_polynomial_laws even = {{1}, {1}};
    (void)user;
    dent_polynomial_law(&even, lo, hi, turn, slide);
    double *numbers[4] = {&turn->value, &slide->rate, &turn->value_error, &slide->bend};
    *numbers[bad_answer % 4] = bad_answer < 4 ? NAN : bad_answer < 6 ? INFINITY : -1;
}

static void bad_functions_are_named_and_change_nothing(void **state)
{
    dent_context *context = *state;
    dent_world *world = dent_world_create(context);
    struct moving_pair scene = two_frames();
    dent_random random = dent_random_seeded(1);
    dent_motion_body attached[2];
    for (uint32_t b = 0; b < 2; b++) {
        oracle_random_body(&random, &scene.bodies[b]);
        attached[b] = (dent_motion_body){oracle_add_body(world, &scene.bodies[b], "body", NULL), b};
    }
    dent_motion_law law = {enclose_badly, NULL};
    dent_motion_given nothing = {NULL, NULL};
    scene.frames[1].motion.law = &law;
    scene.frames[1].motion.displacement[0] = 1;
    dent_motion_impact_def def = dent_motion_impact_def_default();
    dent_motion_impact_result result = {.t_lo = 77};
    def.frames = scene.frames;
    def.frame_count = 2;
    def.bodies = attached;
    def.body_count = 2;
    for (bad_answer = 0; bad_answer < 8; bad_answer++) {
        assert_int_equal(dent_world_motion_impact(world, &def, &result), DENT_ERROR_BAD_NUMBER);
        assert_non_null(strstr(dent_world_message(world), "frame 1"));
        assert_true(result.t_lo == 77);
    }
    law.function = NULL;
    assert_int_equal(dent_world_motion_impact(world, &def, &result), DENT_ERROR_INVALID_ARGUMENT);
    scene.frames[1].motion.law = NULL;
    scene.frames[1].motion.kind = DENT_MOTION_GIVEN;
    scene.frames[1].motion.given = &nothing;
    assert_int_equal(dent_world_motion_impact(world, &def, &result), DENT_ERROR_INVALID_ARGUMENT);
    scene.frames[1].motion = dent_motion_stationary(&scene.frames[0].motion.start);
    assert_int_equal(dent_world_motion_impact(world, &def, &result), DENT_OK);
    dent_motion motion;
    assert_int_equal(dent_motion_between(context, &scene.frames[0].motion.start, &scene.frames[0].motion.start,
                                         DENT_MOTION_GIVEN, NULL, 0, &motion),
                     DENT_ERROR_INVALID_ARGUMENT);
    dent_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(motions_with_laws_and_given_ones_are_never_missed_and_never_late),
        cmocka_unit_test(linkages_of_them_are_never_missed_and_never_late),
        cmocka_unit_test(polynomials_lie_in_their_enclosures),
        cmocka_unit_test(poses_along_them_are_those_of_the_oracle),
        cmocka_unit_test(bits_are_the_same_for_threads_and_instruction_sets),
        cmocka_unit_test(the_law_of_the_clock_changes_no_verdict),
        cmocka_unit_test(triple_products_and_hulls_agree_unless_bodies_pass_within_the_tolerance),
        cmocka_unit_test(bad_functions_are_named_and_change_nothing),
    };
    return cmocka_run_group_tests(tests, test_open_context, test_close_context);
}
