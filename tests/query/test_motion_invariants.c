/* The question motion-impact: what must not change the answer, and the same bits for threads and instruction sets. */
#include "query/motion_scene.h"

#define GOLDEN_HASH UINT64_C(0x41be248ee15e0e4e)

/* ---- invariants -------------------------------------------------------------------------------------------------- */

/* The same verdict and nearly the same time, or the bodies just miss each other by less than the tolerance. */
static bool agree(const struct random_pair *pair, const dent_motion_impact_result *a,
                  const dent_motion_impact_result *b)
{
    dent_motion_frame frames[2] = {{DENT_FRAME_WORLD, pair->motions[0]}, {DENT_FRAME_WORLD, pair->motions[1]}};
    struct oracle_pair oracle = {&pair->bodies[0], &pair->bodies[1], frames, 0, 1, NULL};
    if (a->verdict == b->verdict && fabs(a->t_lo - b->t_lo) < 1e-7) {
        return true;
    }
    /* Both report a distance within the tolerance. */
    const dent_motion_impact_result *first = a->t_lo < b->t_lo ? a : b;
    return first->verdict == DENT_MOTION_CONTACT && oracle_pair_distance(&oracle, first->t_lo) <= first->tolerance &&
           fabs(a->t_lo - b->t_lo) < 1e-2;
}

static void swapping_the_bodies_changes_nothing(void **state)
{
    (void)state;
    dent_context *context = dent_context_create(NULL, NULL);
    uint64_t count = test_count(30, 200, 2000), same = 0;
    for (uint64_t seed = 0; seed < count; seed++) {
        struct random_pair pair;
        make_pair(context, seed, &pair);
        dent_motion_impact_result plain = ask_pair(&pair, false, NULL), swapped = ask_pair(&pair, true, NULL);
        assert_true(agree(&pair, &plain, &swapped));
        same += plain.t_lo == swapped.t_lo;
    }
    assert_true(same > count * 9 / 10);
    dent_context_destroy(context);
}

static void moving_both_by_the_same_rigid_motion_changes_nothing(void **state)
{
    (void)state;
    dent_context *context = dent_context_create(NULL, NULL);
    uint64_t count = test_count(30, 200, 2000);
    for (uint64_t seed = 0; seed < count; seed++) {
        struct random_pair pair;
        make_pair(context, seed, &pair);
        dent_random random = dent_random_seeded(seed + 9);
        dent_motion common = oracle_random_motion(context, &random, 5);
        dent_motion_impact_result plain = ask_pair(&pair, false, NULL), carried = ask_pair(&pair, false, &common);
        assert_true(plain.t_lo == carried.t_lo && plain.t_hi == carried.t_hi && plain.verdict == carried.verdict &&
                    plain.contact_count == carried.contact_count);
        dent_pose place = oracle_random_pose(&random, 5); /* and from another place, all rounded anew */
        struct random_pair moved = pair;
        for (int side = 0; side < 2; side++) {
            dent_motion *motion = &moved.motions[side];
            dent_pose turn = place;
            memset(turn.translation, 0, sizeof turn.translation);
            dent_pose axis = {{1, 0, 0, 0}, {motion->axis[0], motion->axis[1], motion->axis[2]}};
            dent_pose way = {{1, 0, 0, 0}, {motion->displacement[0], motion->displacement[1], motion->displacement[2]}};
            motion->start = dent_pose_product(&place, &motion->start);
            axis = dent_pose_product(&turn, &axis);
            way = dent_pose_product(&turn, &way);
            memcpy(motion->axis, axis.translation, sizeof motion->axis);
            memcpy(motion->displacement, way.translation, sizeof motion->displacement);
        }
        dent_motion_impact_result elsewhere = ask_pair(&moved, false, NULL);
        assert_true(agree(&pair, &plain, &elsewhere));
    }
    dent_context_destroy(context);
}

static dent_motion reversed(const dent_motion *motion)
{
    dent_motion back = *motion;
    back.start = dent_motion_at(motion, 1);
    back.angle = -motion->angle;
    for (int k = 0; k < 3; k++) {
        back.displacement[k] = -motion->displacement[k];
    }
    return back;
}

static void reversing_time_turns_free_into_free_and_the_first_contact_into_the_last(void **state)
{
    (void)state;
    dent_context *context = dent_context_create(NULL, NULL);
    uint64_t count = test_count(30, 300, 3000), contacts = 0;
    for (uint64_t seed = 0; seed < count; seed++) {
        struct random_pair pair, back;
        make_pair(context, seed, &pair);
        back = pair;
        back.motions[0] = reversed(&pair.motions[0]);
        back.motions[1] = reversed(&pair.motions[1]);
        dent_motion_impact_result forth = ask_pair(&pair, false, NULL), again = ask_pair(&back, false, NULL);
        if (forth.verdict == DENT_MOTION_FREE || again.verdict == DENT_MOTION_FREE) {
            /* Free both ways, or a near miss. */
            const dent_motion_impact_result *other = forth.verdict == DENT_MOTION_FREE ? &again : &forth;
            assert_true(other->verdict == DENT_MOTION_FREE || other->contacts == NULL ||
                        other->verdict == DENT_MOTION_CONTACT);
            dent_motion_frame frames[2] = {{DENT_FRAME_WORLD, pair.motions[0]}, {DENT_FRAME_WORLD, pair.motions[1]}};
            struct oracle_pair oracle = {&pair.bodies[0], &pair.bodies[1], frames, 0, 1, NULL};
            double least;
            assert_true(other->verdict == DENT_MOTION_FREE || oracle_first_contact(&oracle, 200, &least) > 1);
        } else {
            contacts++;
            assert_true(1 - again.t_lo >= forth.t_lo - 1e-5); /* the last contact is not before the first */
        }
    }
    assert_true(contacts > count / 10);
    dent_context_destroy(context);
}

static void volumes_and_bounds_change_the_time_by_less_than_the_tolerance(void **state)
{
    (void)state;
    uint64_t count = test_count(20, 100, 1000);
    for (uint64_t seed = 0; seed < count; seed++) {
        struct motion_scene *scene = scene_new(NULL);
        struct random_pair pair;
        make_pair(scene->context, seed, &pair);
        for (int side = 0; side < 2; side++) {
            scene_body(scene, &pair.bodies[side], scene_frame(scene, DENT_FRAME_WORLD, pair.motions[side]));
        }
        dent_motion_impact_result first = scene_ask(scene);
        dent_experiments experiments = dent_experiments_default();
        scene->def.experiments = &experiments;
        for (int volume = 1; volume < DENT_MOTION_VOLUME_COUNT; volume++) {
            for (int bounds = 1; bounds < DENT_MOTION_BOUNDS_COUNT; bounds++) {
                experiments.motion.volume = (dent_motion_volume)volume;
                experiments.motion.bounds = (dent_motion_bounds)bounds;
                dent_motion_impact_result other = scene_ask(scene);
                if (!agree(&pair, &first, &other)) {
                    fail_msg("seed %llu, %s, %s: %s at %.17g instead of %s at %.17g", (unsigned long long)seed,
                             dent_motion_volume_name(experiments.motion.volume),
                             dent_motion_bounds_name(experiments.motion.bounds),
                             dent_motion_verdict_name(other.verdict), other.t_lo,
                             dent_motion_verdict_name(first.verdict), first.t_lo);
                }
            }
        }
        scene_free(scene);
    }
}

static void far_bodies_change_nothing(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 40; seed++) {
        struct motion_scene *scene = scene_new(NULL);
        struct random_pair pair;
        make_pair(scene->context, seed, &pair);
        for (int side = 0; side < 2; side++) {
            scene_body(scene, &pair.bodies[side], scene_frame(scene, DENT_FRAME_WORLD, pair.motions[side]));
        }
        dent_motion_impact_result alone = scene_ask(scene);
        for (int i = 0; i < 34; i++) { /* also past the number from which bodies are swept */
            dent_motion away = pair.motions[i % 2];
            away.start.translation[0] += 1000 + 100 * i;
            scene_body(scene, &pair.bodies[i % 2], scene_frame(scene, DENT_FRAME_WORLD, away));
        }
        dent_motion_impact_result many = scene_ask(scene);
        assert_true(alone.t_lo == many.t_lo && alone.t_hi == many.t_hi && alone.verdict == many.verdict &&
                    alone.contact_count == many.contact_count);
        scene_free(scene);
    }
}

static void halving_the_step_gives_the_same_time(void **state)
{
    (void)state;
    dent_context *context = dent_context_create(NULL, NULL);
    for (uint64_t seed = 0; seed < 150; seed++) {
        struct random_pair pair, halves[2];
        make_pair(context, seed, &pair);
        for (int half = 0; half < 2; half++) {
            halves[half] = pair;
            for (int side = 0; side < 2; side++) {
                dent_motion *motion = &halves[half].motions[side];
                *motion = pair.motions[side];
                motion->kind = DENT_MOTION_CONSTANT_VELOCITY; /* half a screw displaces by less than half */
                pair.motions[side].kind = DENT_MOTION_CONSTANT_VELOCITY;
                motion->start = half ? dent_motion_at(&pair.motions[side], 0.5) : motion->start;
                motion->angle *= 0.5;
                for (int k = 0; k < 3; k++) {
                    motion->displacement[k] *= 0.5;
                }
            }
        }
        dent_motion_impact_result whole = ask_pair(&pair, false, NULL), one = ask_pair(&halves[0], false, NULL);
        dent_motion_impact_result two = ask_pair(&halves[1], false, NULL), joined = one;
        if (one.verdict == DENT_MOTION_FREE) {
            joined = two;
            joined.t_lo = two.verdict == DENT_MOTION_FREE ? 1 : 0.5 + two.t_lo / 2;
        } else {
            joined.t_lo = one.t_lo / 2;
        }
        assert_true(agree(&pair, &whole, &joined));
    }
    dent_context_destroy(context);
}

/* ---- the same bits ----------------------------------------------------------------------------------------------- */

static void threads_and_instruction_sets_give_the_same_bits(void **state)
{
    (void)state;
    uint64_t later = 0;
    for (uint64_t seed = 0; seed < 60; seed++) {
        struct motion_scene *reference = crowd(NULL, seed);
        dent_motion_impact_result first = scene_ask(reference);
        later += first.verdict == DENT_MOTION_CONTACT && !first.initial;
        for (uint32_t threads = 1; threads <= 4; threads += 3) {
            for (int isa = DENT_ISA_SCALAR; isa < DENT_ISA_COUNT; isa++) {
                dent_context_def def = dent_context_def_default();
                def.thread_count = threads;
                def.isa = (dent_isa)isa;
                if (!dent_isa_available(def.isa)) {
                    continue;
                }
                struct motion_scene *scene = crowd(&def, seed);
                dent_motion_impact_result other = scene_ask(scene);
                assert_true(first.verdict == other.verdict && first.contact_count == other.contact_count);
                assert_memory_equal(&first.t_lo, &other.t_lo, sizeof first.t_lo);
                assert_memory_equal(&first.t_hi, &other.t_hi, sizeof first.t_hi);
                assert_true(first.body_a == other.body_a && first.body_b == other.body_b);
                assert_true(first.counters.volume_tests == other.counters.volume_tests &&
                            first.counters.face_tests == other.counters.face_tests);
                for (uint64_t i = 0; i < first.contact_count; i++) {
                    const dent_motion_contact *one = &first.contacts[i], *two = &other.contacts[i];
                    assert_memory_equal(&one->kind, &two->kind, 5 * sizeof one->kind);
                    assert_memory_equal(one->point_a, two->point_a, 10 * sizeof(double));
                }
                scene_free(scene);
            }
        }
        scene_free(reference);
    }
    assert_true(later > 5);
}

/* An array of numbers of `width` bytes, each the lowest byte first, whatever the machine's order is. */
static uint64_t hash_of(uint64_t hash, const void *data, size_t size, size_t width)
{
    const unsigned char *bytes = data;
    const uint16_t one = 1;
    bool little = *(const unsigned char *)&one == 1;
    for (size_t i = 0; i < size; i++) {
        size_t byte = little ? i : i - i % width + width - 1 - i % width;
        hash = (hash ^ bytes[byte]) * UINT64_C(0x100000001b3);
    }
    return hash;
}

/* Motions, times, points and normals of sixty worlds: for every compiler, optimisation and machine. */
static void the_answers_are_the_golden_ones(void **state)
{
    (void)state;
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (uint64_t seed = 0; seed < 60; seed++) {
        struct motion_scene *scene = crowd(NULL, seed);
        dent_motion_impact_result result = scene_ask(scene);
        hash = hash_of(hash, scene->frames[seed % 30].motion.axis, 4 * sizeof(double), 8); /* and the angle */
        hash = hash_of(hash, &result.t_lo, sizeof result.t_lo, 8);
        hash = hash_of(hash, &result.t_hi, sizeof result.t_hi, 8);
        for (uint64_t i = 0; i < result.contact_count; i++) {
            const dent_motion_contact *contact = &result.contacts[i]; /* there is padding between the two parts */
            hash = hash_of(hash, &contact->kind, 5 * sizeof contact->kind, 4);
            hash = hash_of(hash, contact->point_a, 10 * sizeof(double), 8);
        }
        scene_free(scene);
    }
    if (hash != GOLDEN_HASH) {
        fail_msg("the hash is 0x%016llx", (unsigned long long)hash);
    }
}

static void huge_and_tiny_worlds_scale_exactly(void **state)
{
    (void)state;
    static const int exponents[] = {-498, -200, 150, 498};
    for (uint64_t seed = 0; seed < 60; seed++) {
        dent_context *context = dent_context_create(NULL, NULL);
        struct random_pair pair;
        make_pair(context, seed, &pair);
        dent_motion_impact_result plain = ask_pair(&pair, false, NULL);
        for (int i = 0; i < 4; i++) {
            struct random_pair scaled = pair;
            double factor = ldexp(1, exponents[i]);
            for (int side = 0; side < 2; side++) {
                for (uint32_t v = 0; v < scaled.bodies[side].vertex_count; v++) {
                    for (int k = 0; k < 3; k++) {
                        scaled.bodies[side].vertices[v][k] *= factor;
                    }
                }
                for (int k = 0; k < 3; k++) {
                    scaled.motions[side].start.translation[k] *= factor;
                    scaled.motions[side].displacement[k] *= factor;
                    scaled.motions[side].centre[k] *= factor;
                }
            }
            dent_motion_impact_result other = ask_pair(&scaled, false, NULL);
            assert_true(plain.verdict == other.verdict && plain.t_lo == other.t_lo && plain.t_hi == other.t_hi &&
                        plain.contact_count == other.contact_count);
            assert_true(other.tolerance == plain.tolerance * factor);
        }
        dent_context_destroy(context);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(swapping_the_bodies_changes_nothing),
        cmocka_unit_test(moving_both_by_the_same_rigid_motion_changes_nothing),
        cmocka_unit_test(reversing_time_turns_free_into_free_and_the_first_contact_into_the_last),
        cmocka_unit_test(volumes_and_bounds_change_the_time_by_less_than_the_tolerance),
        cmocka_unit_test(far_bodies_change_nothing),
        cmocka_unit_test(halving_the_step_gives_the_same_time),
        cmocka_unit_test(threads_and_instruction_sets_give_the_same_bits),
        cmocka_unit_test(the_answers_are_the_golden_ones),
        cmocka_unit_test(huge_and_tiny_worlds_scale_exactly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
