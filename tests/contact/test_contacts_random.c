/* Contacts of random scenes of every kind: each record is sound, and nothing but the positions and the last call
 * changes a bit of them: methods, threads, instruction sets, memory that runs out.
 */
#include "support/cmocka_includes.h"

#include "contact/support_blocks.h"
#include "support/failing_allocator.h"
#include "support/random_scene.h"
#include "support/random_solids.h"

enum { KINDS = SCENE_KIND_COUNT + SOLIDS_KIND_COUNT };

static void make_scene(struct test_scene *scene, int kind, uint64_t seed)
{
    if (kind < SCENE_KIND_COUNT) {
        test_scene_make(scene, kind, seed);
    } else {
        solids_make(scene, kind - SCENE_KIND_COUNT, seed);
    }
}

static const char *kind_name(int kind)
{
    return kind < SCENE_KIND_COUNT ? test_scene_kind_name(kind) : solid_kind_name(kind - SCENE_KIND_COUNT);
}

static dent_contacts_def all_sources(double thickness)
{
    dent_contacts_def def = dent_contacts_def_default();
    def.proximity = true;
    def.thickness = thickness;
    def.patches = true;
    return def;
}

/* A thickness that means something in the scene. */
static double thickness_of(const struct test_scene *scene)
{
    double size = 0;
    for (uint32_t i = 0; i < scene->body_count; i++) {
        for (uint32_t v = 0; v < scene->bodies[i].vertex_count; v++) {
            size = fmax(size, fabs(scene->bodies[i].xyz[v][0]));
        }
    }
    return size * 1e-3;
}

static uint64_t hash_of(const dent_contacts *contacts)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    const unsigned char *bytes = (const unsigned char *)contacts->contacts;
    for (uint64_t i = 0; i < contacts->count * sizeof *contacts->contacts; i++) {
        hash = (hash ^ bytes[i]) * UINT64_C(1099511628211);
    }
    bytes = (const unsigned char *)contacts->patches;
    for (uint64_t i = 0; i < contacts->patch_count * sizeof *contacts->patches; i++) {
        hash = (hash ^ bytes[i]) * UINT64_C(1099511628211);
    }
    return hash;
}

/* ---- soundness --------------------------------------------------------------------------------------------------- */

static void side_is_sound(const struct test_scene *scene, uint32_t body, const uint32_t vertices[4],
                          const double weights[4], const double point[3])
{
    double sum = 0, at[3] = {0, 0, 0}, size = 0;
    assert_true(body < scene->body_count);
    for (int k = 0; k < 4; k++) {
        if (vertices[k] == UINT32_MAX) {
            assert_true(weights[k] == 0);
            continue;
        }
        assert_true(vertices[k] < scene->bodies[body].vertex_count);
        assert_true(isfinite(weights[k]));
        sum += weights[k];
        for (int axis = 0; axis < 3; axis++) {
            double x = scene->bodies[body].xyz[vertices[k]][axis];
            at[axis] += weights[k] * x;
            size = fmax(size, fabs(x));
        }
    }
    assert_true(fabs(sum - 1) < 1e-12);
    for (int axis = 0; axis < 3; axis++) {
        assert_true(fabs(at[axis] - point[axis]) <= 1e-9 * size);
    }
}

static void record_is_sound(const struct test_scene *scene, const dent_contacts *contacts, uint64_t i)
{
    const dent_contact *contact = &contacts->contacts[i], *before = i > 0 ? contact - 1 : NULL;
    double length = 0;
    for (int axis = 0; axis < 3; axis++) {
        length += contact->normal[axis] * contact->normal[axis];
    }
    assert_true(fabs(length - 1) < 1e-12);
    assert_true(isfinite(contact->gap) && contact->error >= 0 && isfinite(contact->error));
    assert_true(contact->source == DENT_CONTACT_SOURCE_GAP ? contact->gap >= 0 : contact->gap <= 0);
    assert_true(contact->time == 1);
    assert_true(contact->patch < contacts->patch_count);
    assert_non_null(dent_contact_kind_name(contact->kind));
    assert_non_null(dent_contact_source_name(contact->source));
    assert_int_equal((contact->flags & DENT_CONTACT_FLAG_SELF) != 0, contact->body_a == contact->body_b);
    side_is_sound(scene, contact->body_a, contact->vertices_a, contact->weights_a, contact->point_a);
    side_is_sound(scene, contact->body_b, contact->vertices_b, contact->weights_b, contact->point_b);
    if (before) {
        uint64_t here[] = {contact->kind, contact->body_a, contact->feature_a, contact->body_b, contact->feature_b};
        uint64_t there[] = {before->kind, before->body_a, before->feature_a, before->body_b, before->feature_b};
        int k = 0;
        while (k < 4 && here[k] == there[k]) {
            k++;
        }
        assert_true(here[k] > there[k]);
    }
}

/* Every vertex in an open cell of another body has its contact. */
static void all_vertices_are_there(dent_world *world, const dent_contacts *contacts)
{
    uint64_t counts[DENT_CONTACT_SOURCE_COUNT] = {0}, points = 0;
    for (uint64_t i = 0; i < contacts->count; i++) {
        counts[contacts->contacts[i].source]++;
        points += contacts->contacts[i].kind == DENT_CONTACT_VERTEX_CELL;
    }
    for (int source = 1; source < DENT_CONTACT_SOURCE_COUNT; source++) {
        assert_int_equal(counts[source], contacts->counters.by_source[source]);
    }
    uint64_t inverted = contacts->counters.inverted_vertices;
    assert_true(points <= contacts->counters.penetrating_vertices &&
                points + inverted >= contacts->counters.penetrating_vertices);
    (void)world;
}

static void every_record_is_sound_in_scenes_of_every_kind(void **state)
{
    (void)state;
    dent_context *context = block_context(2, DENT_ISA_AUTO);
    for (int kind = 0; kind < KINDS; kind++) {
        uint64_t found = 0, lost = 0, by_source[DENT_CONTACT_SOURCE_COUNT] = {0};
        for (uint64_t seed = 0; seed < test_rounds(20); seed++) {
            struct test_scene scene = {0};
            dent_world *world = dent_world_create(context);
            dent_contacts contacts;
            make_scene(&scene, kind, seed);
            assert_int_equal(test_scene_add(&scene, world), DENT_OK);
            dent_contacts_def def = all_sources(thickness_of(&scene));
            def.surface_only = seed % 4 == 3;
            def.project = seed % 5 == 4;
            def.coherent = seed % 3 == 2;
            assert_int_equal(dent_world_find_contacts(world, &def, &contacts), DENT_OK);
            for (uint64_t i = 0; i < contacts.count; i++) {
                record_is_sound(&scene, &contacts, i);
            }
            all_vertices_are_there(world, &contacts);
            found += contacts.count;
            lost += contacts.counters.lost_edges;
            for (int source = 0; source < DENT_CONTACT_SOURCE_COUNT; source++) {
                by_source[source] += contacts.counters.by_source[source];
            }
            dent_world_destroy(world);
            test_scene_free(&scene);
        }
        printf("%-22s %7llu contacts: border %llu, propagated %llu, nearest %llu, crossing %llu, gap %llu; lost edges "
               "%llu\n",
               kind_name(kind), (unsigned long long)found, (unsigned long long)by_source[DENT_CONTACT_SOURCE_BORDER],
               (unsigned long long)by_source[DENT_CONTACT_SOURCE_PROPAGATED],
               (unsigned long long)by_source[DENT_CONTACT_SOURCE_NEAREST],
               (unsigned long long)by_source[DENT_CONTACT_SOURCE_CROSSING],
               (unsigned long long)by_source[DENT_CONTACT_SOURCE_GAP], (unsigned long long)lost);
    }
    dent_context_destroy(context);
}

/* ---- what never changes them ------------------------------------------------------------------------------------- */

static uint64_t hash_with(const struct test_scene *scene, bool surface_only, dent_method method, uint32_t threads,
                          dent_isa isa)
{
    dent_context *context = block_context(threads, isa);
    dent_world *world = dent_world_create(context);
    dent_contacts_def def = all_sources(thickness_of(scene));
    dent_contacts contacts;
    def.method = method;
    def.surface_only = surface_only;
    def.coherent = surface_only;
    assert_int_equal(test_scene_add(scene, world), DENT_OK);
    assert_int_equal(dent_world_find_contacts(world, &def, &contacts), DENT_OK);
    uint64_t hash = hash_of(&contacts);
    dent_world_destroy(world);
    dent_context_destroy(context);
    return hash;
}

static void methods_threads_and_instruction_sets_give_the_same_bits(void **state)
{
    (void)state;
    for (int kind = 0; kind < KINDS; kind++) {
        for (uint64_t seed = 100; seed < 100 + test_rounds(3); seed++) {
            struct test_scene scene = {0};
            make_scene(&scene, kind, seed);
            uint64_t expected = hash_with(&scene, seed % 2, DENT_METHOD_AUTO, 1, DENT_ISA_AUTO);
            assert_int_equal(hash_with(&scene, seed % 2, DENT_METHOD_AUTO, 4, DENT_ISA_AUTO), expected);
            assert_int_equal(hash_with(&scene, seed % 2, DENT_METHOD_AUTO, 1, DENT_ISA_SCALAR), expected);
            assert_int_equal(hash_with(&scene, seed % 2, DENT_METHOD_BRUTE_FORCE, 1, DENT_ISA_AUTO), expected);
            assert_int_equal(hash_with(&scene, seed % 2, DENT_METHOD_SPATIAL_HASH, 2, DENT_ISA_AUTO), expected);
            test_scene_free(&scene);
        }
    }
}

/* Positions at t1 equal to those at t0: nothing moves, and the caller has said so. */
static void stand_still(const struct test_scene *scene, dent_world *world)
{
    for (uint32_t i = 0; i < scene->body_count; i++) {
        dent_positions here = dent_positions_double(scene->bodies[i].xyz[0]);
        assert_int_equal(dent_body_set_positions(world, dent_world_body_at(world, i), &here, &here), DENT_OK);
    }
}

static void memory_that_runs_out_changes_nothing(void **state)
{
    (void)state;
    static const int kinds[] = {SCENE_DEEP, SCENE_SURFACES, SCENE_NESTED, SCENE_COINCIDENT,
                                SCENE_KIND_COUNT + SOLIDS_SPIKE_THROUGH};
    uint64_t failures = 0;
    for (size_t k = 0; k < (getenv("DENT_QUICK_TESTS") ? 2 : sizeof kinds / sizeof *kinds); k++) {
        struct failing_allocator memory = failing_allocator_make();
        dent_context_def context_def = dent_context_def_default();
        context_def.allocator = failing_allocator_hook(&memory);
        context_def.thread_count = 2;
        dent_context *context = dent_context_create(&context_def, NULL);
        struct test_scene scene = {0};
        make_scene(&scene, kinds[k], 7);
        dent_contacts_def def = all_sources(thickness_of(&scene));
        def.reduce_patches = true;
        def.impact = true;
        def.surface_only = true;
        uint64_t expected = 0;
        for (uint64_t fail_at = 0;; fail_at++) {
            dent_world *world = dent_world_create(context);
            dent_contacts contacts = {.count = 12345};
            assert_int_equal(test_scene_add(&scene, world), DENT_OK);
            stand_still(&scene, world);
            atomic_store(&memory.requests, 0);
            atomic_store(&memory.fail_at, fail_at);
            dent_status status = dent_world_find_contacts(world, &def, &contacts);
            atomic_store(&memory.fail_at, 0);
            if (fail_at == 0) {
                expected = hash_of(&contacts);
            }
            if (status != DENT_OK) {
                assert_int_equal(status, DENT_ERROR_OUT_OF_MEMORY);
                assert_int_equal(contacts.count, 12345);
                failures++;
                assert_int_equal(dent_world_find_contacts(world, &def, &contacts), DENT_OK);
            }
            assert_int_equal(hash_of(&contacts), expected);
            dent_world_destroy(world);
            if (fail_at > 0 && status == DENT_OK && atomic_load(&memory.requests) < fail_at) {
                break;
            }
        }
        test_scene_free(&scene);
        dent_context_destroy(context);
        assert_true(failing_allocator_clean(&memory));
    }
    printf("%llu failures\n", (unsigned long long)failures);
    assert_true(failures > 50);
}

static void a_second_call_allocates_nothing(void **state)
{
    (void)state;
    for (int kind = 0; kind < KINDS; kind++) {
        dent_context *context = block_context(2, DENT_ISA_AUTO);
        dent_world *world = dent_world_create(context);
        struct test_scene scene = {0};
        dent_contacts contacts;
        make_scene(&scene, kind, 11);
        assert_int_equal(test_scene_add(&scene, world), DENT_OK);
        stand_still(&scene, world);
        dent_contacts_def def = all_sources(thickness_of(&scene));
        def.reduce_patches = true;
        def.impact = true;
        def.surface_only = true;
        for (int i = 0; i < 3; i++) { /* the memory of directions comes in with the second call */
            assert_int_equal(dent_world_find_contacts(world, &def, &contacts), DENT_OK);
        }
        uint64_t before = dent_context_memory_use(context).allocations;
        assert_int_equal(dent_world_find_contacts(world, &def, &contacts), DENT_OK);
        if (dent_context_memory_use(context).allocations != before) {
            fail_msg("%s: %llu allocations", kind_name(kind),
                     (unsigned long long)(dent_context_memory_use(context).allocations - before));
        }
        dent_world_destroy(world);
        test_scene_free(&scene);
        dent_context_destroy(context);
    }
}

static void a_cancelled_call_reports_nothing_and_keeps_the_memory(void **state)
{
    (void)state;
    dent_context *context = block_context(2, DENT_ISA_AUTO);
    dent_world *world = dent_world_create(context);
    struct test_scene scene = {0};
    dent_contacts contacts;
    test_scene_make(&scene, SCENE_DEEP, 3);
    assert_int_equal(test_scene_add(&scene, world), DENT_OK);
    dent_contacts_def def = dent_contacts_def_default();
    assert_int_equal(dent_world_find_contacts(world, &def, &contacts), DENT_OK);
    uint64_t known, after;
    assert_non_null(dent_world_contact_memory(world, &known));
    int flag = 1;
    def.cancel = &flag;
    assert_int_equal(dent_world_find_contacts(world, &def, &contacts), DENT_OK);
    assert_int_equal(contacts.outcome, DENT_OUTCOME_CANCELLED);
    assert_int_equal(contacts.count, 0);
    dent_world_contact_memory(world, &after);
    assert_true(known > 0 && known == after);
    flag = 0;
    assert_int_equal(dent_world_find_contacts(world, &def, &contacts), DENT_OK);
    assert_int_equal(contacts.outcome, DENT_OUTCOME_COMPLETE);
    dent_world_destroy(world);
    test_scene_free(&scene);
    dent_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_record_is_sound_in_scenes_of_every_kind),
        cmocka_unit_test(methods_threads_and_instruction_sets_give_the_same_bits),
        cmocka_unit_test(memory_that_runs_out_changes_nothing),
        cmocka_unit_test(a_second_call_allocates_nothing),
        cmocka_unit_test(a_cancelled_call_reports_nothing_and_keeps_the_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
