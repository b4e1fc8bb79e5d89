/* Proximity on random scenes: surface tree and oracle give the same records, bit for bit, and what never changes the
 * answer: threads, instruction sets, order of bodies and elements, exact motions.
 */
#include "query/proximity_cases.h"

/* ---- random scenes --------------------------------------------------------------------------- */

enum { SCENE_KINDS = SURFACE_KIND_COUNT + SCENE_KIND_COUNT + 2 };

static const char *kind_name(int kind)
{
    return kind < SURFACE_KIND_COUNT                      ? random_surface_name(kind)
           : kind < SURFACE_KIND_COUNT + SCENE_KIND_COUNT ? test_scene_kind_name(kind - SURFACE_KIND_COUNT)
           : kind == SCENE_KINDS - 2                      ? "groove"
                                                          : "parallel edges";
}

/* Surfaces of one body and, every third time, two; or one of the scenes with solids. */
static void make_scene(struct test_scene *scene, int kind, uint64_t seed)
{
    dent_random random = dent_random_seeded(seed * 31 + (uint64_t)kind);
    memset(scene, 0, sizeof *scene);
    if (kind < SURFACE_KIND_COUNT) {
        uint32_t size = 6 + dent_random_below(&random, 28);
        scene->bodies[scene->body_count++] = random_surface_make(kind, seed, size);
        if (seed % 3 == 0) {
            int other = (int)dent_random_below(&random, SURFACE_KIND_COUNT);
            scene->bodies[scene->body_count++] = random_surface_make(other, seed + 1, size / 2);
        }
    } else if (kind < SURFACE_KIND_COUNT + SCENE_KIND_COUNT) {
        test_scene_make(scene, kind - SURFACE_KIND_COUNT, seed);
    } else if (kind == SCENE_KINDS - 2) { /* a V-groove: flat walls, near one another at the bottom */
        struct test_body *body = test_add_sheet(scene, 6 + dent_random_below(&random, 4), 2);
        double steep = test_between(&random, 1, 20);
        for (uint32_t i = 0; i < body->vertex_count; i++) {
            body->xyz[i][2] = fabs(body->xyz[i][0] - 3.5) * steep;
        }
    } else { /* bundles of exactly and nearly parallel edges */
        struct test_body *body = test_add_sheet(scene, 8, 1);
        for (uint32_t i = 0; i < body->vertex_count; i++) {
            body->xyz[i][2] = dent_random_below(&random, 3);
            body->xyz[i][0] = dent_random_below(&random, 2) ? 1 : 1 + 0x1p-30 * dent_random_unit(&random);
        }
    }
}

/* A length to ask with: some part of the size of the smallest body, sometimes 0 or half a step of a lattice. */
static double choose_thickness(const struct test_scene *scene, dent_random *random)
{
    double smallest = INFINITY;
    for (uint32_t i = 0; i < scene->body_count; i++) {
        double size = 0;
        for (uint32_t v = 1; v < scene->bodies[i].vertex_count && v < 9; v++) {
            for (int axis = 0; axis < 3; axis++) {
                size = fmax(size, fabs(scene->bodies[i].xyz[v][axis] - scene->bodies[i].xyz[0][axis]));
            }
        }
        smallest = size > 0 && size < smallest ? size : smallest;
    }
    smallest = isfinite(smallest) ? smallest : 1;
    switch (dent_random_below(random, 16)) {
    case 0:
        return 0;
    case 1:
    case 2:
        return smallest < 10 ? 0.25 : 0;
    case 3:
        return smallest * 0.25;
    case 4:
        return smallest * 1e-9;
    default:
        return smallest * 0.1 * dent_random_unit(random);
    }
}

static void check_records(const struct kept *kept, double most)
{
    for (uint64_t i = 0; i < kept->count; i++) {
        const dent_proximity *pair = &kept->pairs[i];
        double squared = 0;
        for (int axis = 0; axis < 3; axis++) {
            squared += pair->direction[axis] * pair->direction[axis];
            assert_true(isfinite(pair->point_a[axis]) && isfinite(pair->point_b[axis]));
        }
        assert_true(fabs(squared - 1) < 1e-14);
        assert_true(pair->distance >= 0 && pair->distance <= most);
        assert_true(pair->closest_a >= 1 && pair->closest_a <= 2 && pair->closest_b >= 1 && pair->closest_b <= 3);
        if (i > 0) {
            const dent_proximity *last = &kept->pairs[i - 1];
            const uint32_t a[5] = {last->kind, last->body_a, last->feature_a, last->body_b, last->feature_b};
            const uint32_t b[5] = {pair->kind, pair->body_a, pair->feature_a, pair->body_b, pair->feature_b};
            int k = 0;
            while (k < 4 && a[k] == b[k]) {
                k++;
            }
            assert_true(a[k] < b[k]); /* canonical, none twice */
        }
    }
}

static void surface_tree_and_oracle_agree_on_random_scenes(void **state)
{
    (void)state;
    static const uint32_t threads[] = {1, 2, 3, 8};
    static const dent_isa isas[] = {DENT_ISA_SCALAR, DENT_ISA_AVX2, DENT_ISA_AVX512};
    dent_context *contexts[12];
    int context_count = 0;
    for (int i = 0; i < 12; i++) {
        if (dent_isa_available(isas[i % 3])) {
            contexts[context_count++] = test_context(threads[i / 3], isas[i % 3]);
        }
    }
    uint64_t scenes = 0, with_answers = 0, pairs = 0;
    for (int kind = 0; kind < SCENE_KINDS; kind++) {
        /* Scenes of solids are larger, hence fewer; 10,000 in all, in the long tier five times as many. */
        bool solids = kind >= SURFACE_KIND_COUNT && kind < SURFACE_KIND_COUNT + SCENE_KIND_COUNT;
        uint32_t per_kind = rounds(solids ? 75 : 270);
        uint64_t of_kind = 0;
        for (uint64_t seed = 0; seed < per_kind; seed++) {
            struct test_scene scene;
            dent_random random = dent_random_seeded(seed * 977 + (uint64_t)kind);
            make_scene(&scene, kind, seed);
            double thickness = choose_thickness(&scene, &random);
            dent_world *world = dent_world_create(contexts[(seed + (uint64_t)kind) % (uint64_t)context_count]);
            assert_int_equal(test_scene_add(&scene, world), DENT_OK);
            double most = thickness;
            if (seed % 4 == 0 && scene.body_count > 1) { /* one of them is thicker */
                most = thickness * 2;
                assert_int_equal(dent_body_set_thickness(world, dent_world_body_at(world, 1), most), DENT_OK);
            }
            dent_proximity_result result = ask(world, thickness, DENT_METHOD_BRUTE_FORCE);
            struct kept expected = keep(&result);
            check_records(&expected, most + most);
            result = ask(world, thickness, DENT_METHOD_SURFACE_TREE);
            if (!equal(&expected, &result)) {
                fail_msg("%s, seed %d: %d pairs by the tree, %d by the oracle", kind_name(kind), (int)seed,
                         (int)result.count, (int)expected.count);
            }
            scenes++;
            of_kind += expected.count > 0;
            pairs += expected.count;
            free(expected.pairs);
            dent_world_destroy(world);
            test_scene_free(&scene);
        }
        with_answers += of_kind;
        print_message("%s: %d of %d with answers\n", kind_name(kind), (int)of_kind, (int)per_kind);
    }
    print_message("%d scenes, %d with answers, %.0f pairs\n", (int)scenes, (int)with_answers, (double)pairs);
    assert_true(with_answers * 2 > scenes);
    for (int i = 0; i < context_count; i++) {
        dent_context_destroy(contexts[i]);
    }
}

static void threads_and_instruction_sets_change_no_bit(void **state)
{
    (void)state;
    static const uint32_t threads[] = {1, 2, 3, 8};
    struct test_body body = random_surface_make(SURFACE_CRUMPLED, 3, 3000);
    struct kept expected = {NULL, 0};
    uint64_t candidates = 0, box_tests = 0;
    for (int i = 0; i < 12; i++) {
        dent_isa isa = (dent_isa)(DENT_ISA_SCALAR + i % 3);
        if (!dent_isa_available(isa)) {
            continue;
        }
        dent_context *context = test_context(threads[i / 3], isa);
        dent_world *world = dent_world_create(context);
        dent_body_def def = test_body_def(&body);
        dent_body_id id;
        assert_int_equal(dent_world_add_body(world, &def, &id), DENT_OK);
        dent_proximity_result result = ask(world, 0.05, DENT_METHOD_AUTO);
        if (!expected.pairs) {
            expected = keep(&result);
            candidates = result.counters.candidates;
            box_tests = result.counters.box_tests;
            assert_true(expected.count > 100);
        }
        assert_true(equal(&expected, &result));
        assert_int_equal(result.counters.candidates, candidates);
        assert_int_equal(result.counters.box_tests, box_tests);
        dent_world_destroy(world);
        dent_context_destroy(context);
    }
    free(expected.pairs);
    random_surface_free(&body);
}

/* ---- what never changes the answer ----------------------------------------------------------- */

/* Body b's place and vertices' places in the changed world. */
struct renaming {
    uint32_t body[TEST_BODIES_MAX];
    uint32_t *vertex[TEST_BODIES_MAX];
};

static int compare_text(const void *x, const void *y)
{
    return strcmp(*(char *const *)x, *(char *const *)y);
}

/* Every pair as text in old names: features as sorted lists of vertices, distance in full. Sorted. */
static char **describe(dent_world *world, const dent_proximity_result *result, const struct renaming *names,
                       double scale)
{
    char **lines = test_allocate((size_t)result->count + 1, sizeof *lines);
    for (uint64_t i = 0; i < result->count; i++) {
        const dent_proximity *pair = &result->pairs[i];
        char side[2][128];
        for (int b = 0; b < 2; b++) {
            uint32_t body_index = b ? pair->body_b : pair->body_a, feature = b ? pair->feature_b : pair->feature_a,
                     count, v[3], n = 1;
            dent_body_id id = dent_world_body_at(world, body_index);
            v[0] = feature;
            if (pair->kind == DENT_PROXIMITY_EDGE_EDGE) {
                const dent_edge *edge = &dent_body_edges(world, id, &count)[feature];
                v[0] = edge->v0;
                v[1] = edge->v1;
                n = 2;
            } else if (b) {
                memcpy(v, dent_body_surface_faces(world, id, &count)[feature].corners, sizeof v);
                n = 3;
            }
            for (uint32_t k = 0; k < n; k++) {
                v[k] = names ? names->vertex[body_index][v[k]] : v[k];
            }
            for (uint32_t k = 0; k + 1 < n; k++) {
                for (uint32_t m = 0; m + 1 < n; m++) {
                    if (v[m + 1] < v[m]) {
                        uint32_t larger = v[m];
                        v[m] = v[m + 1];
                        v[m + 1] = larger;
                    }
                }
            }
            snprintf(side[b], sizeof side[b], "%u:%u,%u,%u", names ? names->body[body_index] : body_index, v[0],
                     n > 1 ? v[1] : 0, n > 2 ? v[2] : 0);
        }
        bool rotated = pair->kind == DENT_PROXIMITY_EDGE_EDGE && strcmp(side[1], side[0]) < 0;
        lines[i] = test_allocate(320, 1);
        snprintf(lines[i], 320, "%u %s %s %a", pair->kind, side[rotated], side[!rotated], pair->distance / scale);
    }
    qsort(lines, (size_t)result->count, sizeof *lines, compare_text);
    return lines;
}

static void free_lines(char **lines, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        free(lines[i]);
    }
    free(lines);
}

/* Bodies in reverse order, vertices and elements of surfaces shuffled. */
static void shuffle_scene(const struct test_scene *scene, dent_random *random, struct test_scene *changed,
                          struct renaming *names)
{
    memset(changed, 0, sizeof *changed);
    for (uint32_t i = 0; i < scene->body_count; i++) {
        const struct test_body *from = &scene->bodies[scene->body_count - 1 - i];
        uint32_t per = from->kind == DENT_BODY_SOLID ? 4 : 3;
        struct test_body *to = test_scene_new_body(changed, from->kind, from->vertex_count, from->element_count,
                                                   from->element_count * per);
        uint32_t *place = test_allocate(from->vertex_count, sizeof *place); /* new place of an old vertex */
        names->body[i] = scene->body_count - 1 - i;
        names->vertex[i] = test_allocate(from->vertex_count, sizeof **names->vertex);
        for (uint32_t v = 0; v < from->vertex_count; v++) {
            uint32_t swap = dent_random_below(random, v + 1);
            place[v] = v;
            uint32_t other = place[swap];
            place[swap] = v;
            place[v] = other;
        }
        for (uint32_t v = 0; v < from->vertex_count; v++) {
            names->vertex[i][place[v]] = v;
            memcpy(to->xyz[place[v]], from->xyz[v], sizeof from->xyz[v]);
        }
        for (uint32_t element = 0; element < from->element_count; element++) {
            const uint32_t *corners = from->corners + (size_t)(from->element_count - 1 - element) * per;
            for (uint32_t k = 0; k < per; k++) {
                uint32_t rotated = per == 3 ? (k + element) % 3 : k; /* a face may begin anywhere */
                to->corners[element * per + k] = place[corners[rotated]];
            }
        }
        free(place);
    }
}

static void order_of_bodies_vertices_and_elements_changes_nothing(void **state)
{
    (void)state;
    static const int kinds[] = {SCENE_SURFACES,    SCENE_SURFACES_LATTICE, SCENE_MIXED,
                                SCENE_SELF_FOLDED, SCENE_COINCIDENT,       SCENE_SOUP};
    dent_context *context = test_context(2, DENT_ISA_AUTO);
    for (uint32_t round = 0; round < rounds(60); round++) {
        struct test_scene scene, changed;
        struct renaming names;
        dent_random random = dent_random_seeded(round);
        test_scene_make(&scene, kinds[round % 6], round);
        shuffle_scene(&scene, &random, &changed, &names);
        dent_world *world = dent_world_create(context), *other = dent_world_create(context);
        assert_int_equal(test_scene_add(&scene, world), DENT_OK);
        assert_int_equal(test_scene_add(&changed, other), DENT_OK);
        dent_proximity_result result = ask(world, 0.25, DENT_METHOD_AUTO), again = ask(other, 0.25, DENT_METHOD_AUTO);
        assert_int_equal(result.count, again.count);
        char **lines = describe(world, &result, NULL, 1), **other_lines = describe(other, &again, &names, 1);
        for (uint64_t i = 0; i < result.count; i++) {
            assert_string_equal(lines[i], other_lines[i]);
        }
        free_lines(lines, result.count);
        free_lines(other_lines, again.count);
        for (uint32_t i = 0; i < scene.body_count; i++) {
            free(names.vertex[i]);
        }
        dent_world_destroy(world);
        dent_world_destroy(other);
        test_scene_free(&scene);
        test_scene_free(&changed);
    }
    dent_context_destroy(context);
}

static void scaling_by_a_power_of_two_scales_distances_exactly(void **state)
{
    (void)state;
    static const int exponents[] = {-900, -300, -1, 1, 60, 900};
    dent_context *context = test_context(2, DENT_ISA_AUTO);
    for (uint32_t round = 0; round < rounds(60); round++) {
        struct test_scene scene;
        double factor = ldexp(1.0, exponents[round % 6]);
        test_scene_make(&scene, round % 2 ? SCENE_MIXED : SCENE_SURFACES, round);
        dent_world *world = dent_world_create(context);
        assert_int_equal(test_scene_add(&scene, world), DENT_OK);
        dent_proximity_result result = ask(world, 0.2, DENT_METHOD_AUTO);
        uint64_t count = result.count;
        assert_true(count > 0);
        char **lines = describe(world, &result, NULL, 1);
        test_scale_scene(&scene, factor);
        result = ask(world, 0.2 * factor, DENT_METHOD_AUTO);
        assert_int_equal(result.count, count);
        char **scaled = describe(world, &result, NULL, factor);
        for (uint64_t i = 0; i < count; i++) {
            assert_string_equal(lines[i], scaled[i]);
        }
        free_lines(lines, count);
        free_lines(scaled, count);
        dent_world_destroy(world);
        test_scene_free(&scene);
    }
    dent_context_destroy(context);
}

/* Turned by exchanging axes the sums are made in another order: the same pairs but for those within rounding of the
 * threshold. */
static void exchanging_axes_changes_distances_by_rounding_only(void **state)
{
    (void)state;
    dent_context *context = test_context(2, DENT_ISA_AUTO);
    uint64_t compared = 0;
    for (uint32_t round = 0; round < rounds(40); round++) {
        struct test_scene scene;
        test_scene_make(&scene, round % 2 ? SCENE_MIXED : SCENE_SURFACES, round);
        dent_world *world = dent_world_create(context);
        assert_int_equal(test_scene_add(&scene, world), DENT_OK);
        dent_proximity_result result = ask(world, 0.2, DENT_METHOD_AUTO);
        struct kept before = keep(&result);
        for (uint32_t i = 0; i < scene.body_count; i++) {
            for (uint32_t v = 0; v < scene.bodies[i].vertex_count; v++) {
                double *p = scene.bodies[i].xyz[v], x = p[0];
                p[0] = p[1];
                p[1] = p[2];
                p[2] = -x;
            }
        }
        result = ask(world, 0.2, DENT_METHOD_AUTO);
        uint64_t a = 0, b = 0;
        while (a < before.count && b < result.count) {
            const dent_proximity *x = &before.pairs[a], *y = &result.pairs[b];
            int order = memcmp((const uint32_t[5]){x->kind, x->body_a, x->feature_a, x->body_b, x->feature_b},
                               (const uint32_t[5]){y->kind, y->body_a, y->feature_a, y->body_b, y->feature_b}, 20);
            if (order == 0) {
                assert_true(fabs(x->distance - y->distance) < 1e-13);
                a++;
                b++;
                compared++;
            } else {
                const dent_proximity *alone = x->distance > y->distance ? x : y;
                assert_true(fabs(alone->distance - 0.4) < 1e-13);
                a += alone == x;
                b += alone == y;
            }
        }
        free(before.pairs);
        dent_world_destroy(world);
        test_scene_free(&scene);
    }
    assert_true(compared > 1000);
    dent_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(surface_tree_and_oracle_agree_on_random_scenes),
        cmocka_unit_test(threads_and_instruction_sets_change_no_bit),
        cmocka_unit_test(order_of_bodies_vertices_and_elements_changes_nothing),
        cmocka_unit_test(scaling_by_a_power_of_two_scales_distances_exactly),
        cmocka_unit_test(exchanging_axes_changes_distances_by_rounding_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
