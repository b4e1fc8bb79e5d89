/* Changes of the input whose effect on the answer is known exactly: axis permutations and mirrors, power-of-two scaling
 * and exact translation change nothing; renumbering vertices, elements and bodies only renames.
 */
#include "support/cmocka_includes.h"

#include "support/pair_lists.h"
#include "support/random_scene.h"

/* A pair in names that survive renumbering: bodies and elements by their original number, faces by their sorted
 * corners. */
struct named_pair {
    uint32_t question, kind;
    uint32_t a[4], b[9];
};

struct named_list {
    size_t count;
    struct named_pair *pairs;
};

/* Renumbering: new number -> original number. Null: unchanged. */
struct renaming {
    const uint32_t *bodies;
    uint32_t *const *vertices; /* by original body */
    uint32_t *const *elements;
};

static int compare_numbers(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static int compare_named(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(struct named_pair));
}

static void name_face(const dent_world *world, uint32_t body_index, uint32_t face, uint32_t body,
                      const struct renaming *renaming, uint32_t *out)
{
    uint32_t count;
    const dent_surface_face *faces = dent_body_surface_faces(world, dent_world_body_at(world, body_index), &count);
    for (int i = 0; i < 3; i++) {
        uint32_t vertex = faces[face].corners[i];
        out[i] = renaming->vertices ? renaming->vertices[body][vertex] : vertex;
    }
    qsort(out, 3, sizeof *out, compare_numbers);
}

static void name_pair(const dent_world *world, uint32_t question, const dent_pair *pair,
                      const struct renaming *renaming, struct named_pair *named)
{
    memset(named, 0, sizeof *named);
    named->question = question;
    named->kind = pair->kind;
    uint32_t body_a = renaming->bodies ? renaming->bodies[pair->body_a] : pair->body_a;
    uint32_t body_b = renaming->bodies ? renaming->bodies[pair->body_b] : pair->body_b;
    named->a[0] = body_a;
    named->b[0] = body_b;
    if (question == DENT_QUESTION_VERTEX_CELL) {
        named->a[1] = renaming->vertices ? renaming->vertices[body_a][pair->feature_a] : pair->feature_a;
    } else {
        name_face(world, pair->body_a, pair->feature_a, body_a, renaming, named->a + 1);
    }
    if (question == DENT_QUESTION_FACE_FACE) {
        name_face(world, pair->body_b, pair->feature_b, body_b, renaming, named->b + 1);
        if (memcmp(named->a, named->b, sizeof named->a) > 0) {
            uint32_t swap[4];
            memcpy(swap, named->a, sizeof swap);
            memcpy(named->a, named->b, sizeof swap);
            memcpy(named->b, swap, sizeof swap);
        }
    } else {
        named->b[1] = renaming->elements ? renaming->elements[body_b][pair->feature_b] : pair->feature_b;
    }
}

static struct named_list ask_named(const struct test_scene *scene, dent_context *context, dent_method method,
                                   const struct renaming *renaming)
{
    dent_world *world = dent_world_create(context);
    dent_query_def def = dent_query_def_default();
    dent_query_result result;
    def.questions = dent_method_questions(method);
    def.touching = true;
    def.method = method;
    assert_int_equal(test_scene_add(scene, world), DENT_OK);
    assert_int_equal(dent_world_query(world, &def, &result), DENT_OK);
    struct named_list named = {.count = 0};
    named.pairs = test_allocate(all_pairs(&result), sizeof *named.pairs);
    for (uint32_t q = 0; q < DENT_DISCRETE_QUESTION_COUNT; q++) {
        dent_question question = dent_question_info_at(q)->question;
        const dent_pair_list *list = dent_query_result_list(&result, question);
        for (uint64_t i = 0; i < list->count; i++) {
            name_pair(world, question, &list->pairs[i], renaming, &named.pairs[named.count++]);
        }
    }
    qsort(named.pairs, named.count, sizeof *named.pairs, compare_named);
    dent_world_destroy(world);
    return named;
}

/* `got` is what `method` answered: all of `expected` that belongs to its questions, which come first to last in the
 * order of names. */
static void assert_same_names(struct named_list expected, struct named_list got, dent_method method)
{
    size_t next = 0;
    for (size_t i = 0; i < expected.count; i++) {
        if (expected.pairs[i].question & dent_method_questions(method)) {
            assert_true(next < got.count);
            assert_memory_equal(&expected.pairs[i], &got.pairs[next++], sizeof *got.pairs);
        }
    }
    assert_int_equal(next, got.count);
    free(got.pairs);
}

static const struct renaming no_renaming = {0};

/* Sanitizer runs do a sample. */
static bool quick(void)
{
    return getenv("DENT_QUICK_TESTS") != NULL;
}

static void signed_axis_permutation(struct test_scene *scene, uint32_t which)
{
    static const uint8_t orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    for (uint32_t i = 0; i < scene->body_count; i++) {
        for (uint32_t v = 0; v < scene->bodies[i].vertex_count; v++) {
            double p[3];
            memcpy(p, scene->bodies[i].xyz[v], sizeof p);
            for (int axis = 0; axis < 3; axis++) {
                double x = p[orders[which % 6][axis]];
                scene->bodies[i].xyz[v][axis] = which / 6 >> axis & 1 ? -x : x;
            }
        }
    }
}

static void the_48_exact_rotations_and_mirrors_change_nothing(void **state)
{
    (void)state;
    dent_context *context = dent_context_create(NULL, NULL);
    for (int kind = 0; kind < SCENE_KIND_COUNT; kind++) {
        struct test_scene original;
        test_scene_make(&original, kind, 11);
        struct named_list expected = ask_named(&original, context, DENT_METHOD_BRUTE_FORCE, &no_renaming);
        for (uint32_t which = 1; which < 48; which += quick() ? 9 : 1) {
            struct test_scene rotated;
            test_scene_make(&rotated, kind, 11);
            signed_axis_permutation(&rotated, which);
            dent_method method = (dent_method)(1 + which % (DENT_METHOD_COUNT - 1));
            method = dent_method_questions(method) ? method : DENT_METHOD_SWEEP;
            assert_same_names(expected, ask_named(&rotated, context, method, &no_renaming), method);
            test_scene_free(&rotated);
        }
        free(expected.pairs);
        test_scene_free(&original);
    }
    dent_context_destroy(context);
}

/* Scaling is exact unless numbers leave the normal range, so the scenes with wild exponents are left as they are. */
static void power_of_two_scaling_changes_nothing(void **state)
{
    (void)state;
    static const int exponents[] = {-300, -30, 7, 300};
    dent_context *context = dent_context_create(NULL, NULL);
    for (int kind = 0; kind < SCENE_KIND_COUNT; kind++) {
        if (kind == SCENE_HUGE_NUMBERS || kind == SCENE_TINY_NUMBERS || kind == SCENE_WIDE_EXPONENTS) {
            continue;
        }
        struct test_scene scene;
        test_scene_make(&scene, kind, 12);
        struct named_list expected = ask_named(&scene, context, DENT_METHOD_BRUTE_FORCE, &no_renaming);
        for (size_t e = 0; e < sizeof exponents / sizeof exponents[0]; e++) {
            test_scale_scene(&scene, ldexp(1, exponents[e]));
            for (int method = 1; method < DENT_METHOD_COUNT; method++) {
                if (dent_method_questions((dent_method)method) == 0) {
                    continue;
                }
                assert_same_names(expected, ask_named(&scene, context, (dent_method)method, &no_renaming),
                                  (dent_method)method);
            }
            test_scale_scene(&scene, ldexp(1, -exponents[e]));
        }
        free(expected.pairs);
        test_scene_free(&scene);
    }
    dent_context_destroy(context);
}

/* Rounds coordinates to multiples of 2^-20, so that adding a multiple of 2^-20 below 2^20 is exact. */
static void exact_translation_changes_nothing(void **state)
{
    (void)state;
    static const int kinds[] = {
        SCENE_DEEP,           SCENE_NESTED,      SCENE_SELF_FOLDED, SCENE_COINCIDENT,       SCENE_IDENTICAL_COPIES,
        SCENE_INVERTED_CELLS, SCENE_SPLIT_CELLS, SCENE_SURFACES,    SCENE_SURFACES_LATTICE, SCENE_MIXED,
        SCENE_SOUP,           SCENE_FLAT_BODIES};
    dent_context *context = dent_context_create(NULL, NULL);
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        struct test_scene scene;
        test_scene_make(&scene, kinds[k], 13);
        for (uint32_t i = 0; i < scene.body_count; i++) {
            for (uint32_t v = 0; v < scene.bodies[i].vertex_count; v++) {
                for (int axis = 0; axis < 3; axis++) {
                    scene.bodies[i].xyz[v][axis] = floor(scene.bodies[i].xyz[v][axis] * 0x1p20) * 0x1p-20;
                }
            }
        }
        struct named_list expected = ask_named(&scene, context, DENT_METHOD_BRUTE_FORCE, &no_renaming);
        for (uint32_t i = 0; i < scene.body_count; i++) {
            test_map(&scene.bodies[i], 1, 1, 1, 123456.5, -654321.25, 77777.125);
        }
        for (int method = 1; method < DENT_METHOD_COUNT; method++) {
            if (dent_method_questions((dent_method)method) == 0) {
                continue;
            }
            assert_same_names(expected, ask_named(&scene, context, (dent_method)method, &no_renaming),
                              (dent_method)method);
        }
        free(expected.pairs);
        test_scene_free(&scene);
    }
    dent_context_destroy(context);
}

static void shuffle(uint32_t *numbers, uint32_t count, dent_random *random)
{
    for (uint32_t i = 0; i < count; i++) {
        numbers[i] = i;
    }
    for (uint32_t i = count; i > 1; i--) {
        uint32_t j = dent_random_below(random, i), swap = numbers[i - 1];
        numbers[i - 1] = numbers[j];
        numbers[j] = swap;
    }
}

/* Tetrahedra and triangles only: vertex v of the new body was old_vertex[v], its element e was old_element[e]. */
static void renumber_body(struct test_body *body, const uint32_t *old_vertex, const uint32_t *old_element)
{
    uint32_t per = body->kind == DENT_BODY_SOLID ? 4 : 3;
    double(*xyz)[3] = test_allocate(body->vertex_count, sizeof *xyz);
    uint32_t *corners = test_allocate((size_t)body->element_count * per, sizeof *corners);
    uint32_t *new_vertex = test_allocate(body->vertex_count, sizeof *new_vertex);
    for (uint32_t v = 0; v < body->vertex_count; v++) {
        memcpy(xyz[v], body->xyz[old_vertex[v]], sizeof xyz[v]);
        new_vertex[old_vertex[v]] = v;
    }
    for (uint32_t e = 0; e < body->element_count; e++) {
        for (uint32_t i = 0; i < per; i++) {
            corners[e * per + i] = new_vertex[body->corners[old_element[e] * per + i]];
        }
    }
    free(body->xyz);
    free(body->corners);
    free(new_vertex);
    body->xyz = xyz;
    body->corners = corners;
}

static void renumbering_only_renames(void **state)
{
    (void)state;
    dent_context *context = dent_context_create(NULL, NULL);
    for (int kind = 0; kind < SCENE_KIND_COUNT; kind++) {
        if (kind == SCENE_SPLIT_CELLS || kind == SCENE_SPLIT_JITTERED) {
            continue; /* the split depends on the numbers, by definition */
        }
        for (uint64_t seed = 0; seed < (quick() ? 2 : 10); seed++) {
            dent_random random = dent_random_seeded(seed);
            struct test_scene scene;
            uint32_t bodies[TEST_BODIES_MAX], *vertices[TEST_BODIES_MAX], *elements[TEST_BODIES_MAX];
            test_scene_make(&scene, kind, seed);
            struct named_list expected = ask_named(&scene, context, DENT_METHOD_BRUTE_FORCE, &no_renaming);
            for (uint32_t i = 0; i < scene.body_count; i++) {
                vertices[i] = test_allocate(scene.bodies[i].vertex_count, sizeof(uint32_t));
                elements[i] = test_allocate(scene.bodies[i].element_count, sizeof(uint32_t));
                shuffle(vertices[i], scene.bodies[i].vertex_count, &random);
                shuffle(elements[i], scene.bodies[i].element_count, &random);
                renumber_body(&scene.bodies[i], vertices[i], elements[i]);
            }
            struct test_scene shuffled = scene;
            shuffle(bodies, scene.body_count, &random);
            for (uint32_t i = 0; i < scene.body_count; i++) {
                shuffled.bodies[i] = scene.bodies[bodies[i]];
            }
            struct renaming renaming = {bodies, vertices, elements};
            for (int method = 1; method < DENT_METHOD_COUNT; method++) {
                if (dent_method_questions((dent_method)method) == 0) {
                    continue;
                }
                assert_same_names(expected, ask_named(&shuffled, context, (dent_method)method, &renaming),
                                  (dent_method)method);
            }
            for (uint32_t i = 0; i < scene.body_count; i++) {
                free(vertices[i]);
                free(elements[i]);
            }
            free(expected.pairs);
            test_scene_free(&scene);
        }
    }
    dent_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_48_exact_rotations_and_mirrors_change_nothing),
        cmocka_unit_test(power_of_two_scaling_changes_nothing),
        cmocka_unit_test(exact_translation_changes_nothing),
        cmocka_unit_test(renumbering_only_renames),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
