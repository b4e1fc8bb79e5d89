/* Contact records, the start state and the penetration check where magnitudes span the whole range of double: the same
 * bits from every method, instruction set and number of threads, and no number that is none. */
#include "contact/support_check.h"
#include "support/wide_scene.h"

static void direction_is_sound(const double direction[3])
{
    double square = 0;
    for (int axis = 0; axis < 3; axis++) {
        square += direction[axis] * direction[axis];
    }
    assert_true(fabs(square - 1) < 1e-9);
}

static void record_is_sound(const dent_contact *contact)
{
    double sums[2] = {0, 0};
    direction_is_sound(contact->normal);
    assert_true(isfinite(contact->gap) && contact->error >= 0 && isfinite(contact->error));
    assert_true(contact->source == DENT_CONTACT_SOURCE_GAP || contact->source == DENT_CONTACT_SOURCE_IMPACT ? contact->gap >= 0
                                                                                              : contact->gap <= 0);
    assert_true(contact->time >= 0 && contact->time <= 1);
    for (int k = 0; k < 4; k++) {
        assert_true(isfinite(contact->weights_a[k]) && isfinite(contact->weights_b[k]));
        sums[0] += contact->weights_a[k];
        sums[1] += contact->weights_b[k];
    }
    assert_true(fabs(sums[0] - 1) < 1e-9 && fabs(sums[1] - 1) < 1e-9);
    for (int axis = 0; axis < 3; axis++) {
        assert_true(isfinite(contact->point_a[axis]) && isfinite(contact->point_b[axis]));
    }
}

static dent_contacts find(dent_world *world, const dent_contacts_def *def)
{
    dent_contacts contacts;
    if (dent_world_find_contacts(world, def, &contacts) != DENT_OK) {
        fail_msg("%s", dent_world_message(world));
    }
    assert_int_equal(contacts.outcome, DENT_OUTCOME_COMPLETE);
    return contacts;
}

static void records_are_sound_and_the_same_everywhere_at_every_magnitude(void **state)
{
    (void)state;
    struct wide_contexts contexts = wide_contexts_open();
    uint64_t scenes = test_count(20, 150, 5000), with_contacts = 0, all = 0;
    for (uint64_t seed = 1; seed <= scenes; seed++) {
        struct wide_draw draw = wide_draw_make(seed, 2);
        struct moving_scene moving;
        memset(&moving, 0, sizeof moving);
        wide_scene_make(&draw, &moving.scene, seed % 4 != 0);
        dent_contacts_def def = dent_contacts_def_default();
        def.proximity = dent_random_below(&draw.random, 2) != 0;
        def.thickness = wide_length(&draw);
        def.impact = seed % 32 == 4; /* few and small: exact tests of such numbers take long */
        if (def.impact) {
            wide_scene_move(&draw, &moving);
        }
        dent_context *one = contexts.at[seed % contexts.count], *other = contexts.at[(seed / 2 + 4) % contexts.count];
        dent_world *first = moving_scene_world(&moving, one), *second = moving_scene_world(&moving, other);
        dent_contacts expected = find(first, &def), again = find(second, &def);
        for (uint64_t i = 0; i < expected.count; i++) {
            record_is_sound(&expected.contacts[i]);
        }
        for (uint64_t i = 0; i < expected.patch_count; i++) {
            assert_true(isfinite(expected.patches[i].deepest));
        }
        assert_true(isfinite(expected.max_depth));
        assert_int_equal(expected.count, again.count);
        assert_int_equal(expected.patch_count, again.patch_count);
        if (expected.count > 0) {
            assert_memory_equal(expected.contacts, again.contacts, expected.count * sizeof *expected.contacts);
        }
        with_contacts += expected.count > 0;
        all += expected.count;
        dent_world_destroy(first);
        dent_world_destroy(second);
        moving_scene_free(&moving);
    }
    print_message("%llu scenes, %llu with contacts, %llu contacts\n", (unsigned long long)scenes,
                  (unsigned long long)with_contacts, (unsigned long long)all);
    assert_true(2 * with_contacts >= scenes);
    wide_contexts_close(&contexts);
}

static uint64_t crossings_by_brute_force(dent_world *world)
{
    dent_query_def def = dent_query_def_default();
    dent_query_result result;
    def.questions = DENT_QUESTION_FACE_FACE;
    def.method = DENT_METHOD_BRUTE_FORCE;
    assert_int_equal(dent_world_query(world, &def, &result), DENT_OK);
    uint64_t crossings = 0;
    for (uint64_t i = 0; i < result.face_face.count; i++) {
        crossings += result.face_face.pairs[i].kind == DENT_PAIR_CROSSING;
    }
    return crossings;
}

static void check_and_start_state_are_those_of_brute_force_at_every_magnitude(void **state)
{
    (void)state;
    struct wide_contexts contexts = wide_contexts_open();
    uint64_t scenes = test_count(60, 400, 20000), crossing = 0, penetrating = 0;
    for (uint64_t seed = 1; seed <= scenes; seed++) {
        struct wide_draw draw = wide_draw_make(seed + 500000, 2);
        struct test_scene scene;
        dent_check_def ask = dent_check_def_default();
        dent_impact_def impact = dent_impact_def_default();
        dent_check_result fast, all;
        dent_initial_state start;
        wide_scene_make(&draw, &scene, seed % 4 != 0);
        dent_world *world = dent_world_create(contexts.at[seed % contexts.count]);
        dent_world *other = dent_world_create(contexts.at[(seed / 2 + 4) % contexts.count]);
        assert_int_equal(test_scene_add(&scene, world), DENT_OK);
        assert_int_equal(test_scene_add(&scene, other), DENT_OK);
        ask.ignore_touching = seed % 2 != 0;
        assert_int_equal(dent_world_check(world, &ask, &fast), DENT_OK);
        ask.method = DENT_METHOD_BRUTE_FORCE;
        assert_int_equal(dent_world_check(other, &ask, &all), DENT_OK);
        assert_same_report(&fast, &all);
        bool penetrates = all.penetrating_pairs > 0;
        uint64_t crossings = crossings_by_brute_force(other);
        assert_int_equal(dent_world_initial_state(world, &impact, &start), DENT_OK);
        assert_int_equal(start.crossings, crossings);
        assert_int_equal(start.crosses, crossings > 0 || penetrates);
        crossing += crossings > 0;
        penetrating += penetrates;
        dent_world_destroy(world);
        dent_world_destroy(other);
        test_scene_free(&scene);
    }
    print_message("%llu scenes, %llu with crossings, %llu penetrating\n", (unsigned long long)scenes,
                  (unsigned long long)crossing, (unsigned long long)penetrating);
    assert_true(2 * penetrating >= scenes);
    wide_contexts_close(&contexts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_are_sound_and_the_same_everywhere_at_every_magnitude),
        cmocka_unit_test(check_and_start_state_are_those_of_brute_force_at_every_magnitude),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
