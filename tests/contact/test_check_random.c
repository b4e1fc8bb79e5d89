/* The check against independent computations on random scenes: every pair of tetrahedra, solids against their own
 * surfaces, exhaustive search against trees, one thread against many. */
#include "support_check.h"

#include <stdio.h>

#include "geometry/predicates/orientation_predicates.h"
#include "geometry/predicates/tetrahedron_predicates.h"
#include "support/test_context.h"
#include "support/wide_exponents.h"

enum { SEEDS = 12 };

/* ---- every pair of tetrahedra ------------------------------------------------------------------------------------ */

static void tetrahedron_of(const struct test_body *body, uint32_t cell, const double *corners[4])
{
    for (int k = 0; k < 4; k++) {
        corners[k] = body->xyz[body->corners[4 * cell + k]];
    }
}

static uint64_t count_overlapping(const struct test_body *x, const struct test_body *y)
{
    predicate_counters counters = {0};
    uint64_t count = 0;
    for (uint32_t i = 0; i < x->element_count; i++) {
        const double *a[4], *b[4];
        bool found = false;
        tetrahedron_of(x, i, a);
        for (uint32_t j = 0; j < y->element_count && !found; j++) {
            tetrahedron_of(y, j, b);
            found = tetrahedra_interiors_meet(a, b, &counters);
        }
        count += found;
    }
    return count;
}

static bool in_some_cell(const struct test_body *y, const double p[3], point_relation at_least)
{
    predicate_counters counters = {0};
    for (uint32_t j = 0; j < y->element_count; j++) {
        const double *b[4];
        tetrahedron_of(y, j, b);
        if (orientation_3d(b[0], b[1], b[2], b[3]) != 0 &&
            point_versus_tetrahedron(p, b[0], b[1], b[2], b[3], &counters) >= at_least) {
            return true;
        }
    }
    return false;
}

/* Inside iff all of many points very close by are in closed cells; right with near certainty on small lattices, where
 * the uncovered cones are not thin. The steps are exact. */
static bool is_inside(const struct test_body *y, const double p[3], dent_random *random)
{
    if (in_some_cell(y, p, POINT_INTERIOR)) {
        return true;
    }
    for (int i = 0; i < 400; i++) {
        double q[3];
        for (int axis = 0; axis < 3; axis++) {
            q[axis] = p[axis] + ldexp((double)dent_random_below(random, 2001) - 1000.0, -30);
        }
        if (!in_some_cell(y, q, POINT_BOUNDARY)) {
            return false;
        }
    }
    return true;
}

static uint64_t count_inside(const struct test_body *x, const struct test_body *y, dent_random *random)
{
    uint8_t *used = test_allocate(x->vertex_count, 1);
    uint64_t count = 0;
    for (uint32_t i = 0; i < 4 * x->element_count; i++) {
        used[x->corners[i]] = 1;
    }
    for (uint32_t v = 0; v < x->vertex_count; v++) {
        count += used[v] && is_inside(y, x->xyz[v], random);
    }
    free(used);
    return count;
}

static const dent_body_contact *pair_of(const dent_check_result *result, uint32_t a, uint32_t b)
{
    for (uint64_t i = 0; i < result->pair_count; i++) {
        if (result->pairs[i].body_a == a && result->pairs[i].body_b == b) {
            return &result->pairs[i];
        }
    }
    return NULL;
}

/* Solids of a few tetrahedra whose corners are points of a small lattice: flat and inverted cells, overlaps within one
 * body, shared corners, edges and faces, all frequent. */
static void make_lattice_soup(struct test_scene *scene, dent_random *random, uint32_t vertices, uint32_t cells,
                              uint32_t side)
{
    struct test_body *body = test_scene_new_body(scene, DENT_BODY_SOLID, vertices, cells, 4 * cells);
    for (uint32_t v = 0; v < vertices; v++) {
        for (int axis = 0; axis < 3; axis++) {
            body->xyz[v][axis] = dent_random_below(random, side);
        }
    }
    for (uint32_t cell = 0; cell < cells; cell++) {
        for (uint32_t k = 0; k < 4; k++) {
            bool again = true;
            while (again) {
                body->corners[4 * cell + k] = dent_random_below(random, vertices);
                again = false;
                for (uint32_t j = 0; j < k; j++) {
                    again |= body->corners[4 * cell + j] == body->corners[4 * cell + k];
                }
            }
        }
    }
}

/* By multiples of `step`, one axis after the other: the order of random numbers must not depend on the compiler. */
static void shift_on_lattice(struct test_body *body, dent_random *random, double step, uint32_t places)
{
    double shift[3];
    for (int axis = 0; axis < 3; axis++) {
        shift[axis] = step * dent_random_below(random, places);
    }
    test_map(body, 1, 1, 1, shift[0], shift[1], shift[2]);
}

static void compare_with_all_pairs(struct check_world *check, dent_random *random, uint64_t tally[3])
{
    dent_check_result result = check_world_run(check, NULL);
    for (uint32_t a = 0; a < check->scene.body_count; a++) {
        for (uint32_t b = a + 1; b < check->scene.body_count; b++) {
            const struct test_body *x = &check->scene.bodies[a], *y = &check->scene.bodies[b];
            const dent_body_contact *contact = pair_of(&result, a, b);
            uint64_t overlapping = count_overlapping(x, y) + count_overlapping(y, x);
            uint64_t inside = count_inside(x, y, random) + count_inside(y, x, random);
            assert_int_equal(contact ? contact->overlapping_elements : 0, overlapping);
            assert_int_equal(contact ? contact->penetrating_vertices : 0, overlapping || contact ? inside : 0);
            assert_int_equal(contact ? contact->exact_penetration : 0, overlapping > 0);
            assert_true(!overlapping || contact->max_depth > 0);
            tally[0] += overlapping > 0;
            tally[1] += inside > 0;
            tally[2] += contact && !overlapping;
        }
    }
}

static void counts_equal_those_of_every_pair_of_tetrahedra(void **state)
{
    uint64_t tally[3] = {0};
    (void)state;
    for (uint64_t seed = 0; seed < 400; seed++) {
        dent_random random = dent_random_seeded(seed);
        struct check_world check;
        check_world_open(&check, 1);
        for (int i = 0; i < 3; i++) {
            uint32_t cells = 1 + dent_random_below(&random, 8);
            uint32_t side = 2 + dent_random_below(&random, 4);
            uint32_t vertices = 4 + dent_random_below(&random, 6);
            make_lattice_soup(&check.scene, &random, vertices, cells, side);
        }
        compare_with_all_pairs(&check, &random, tally);
        check_world_close(&check);
    }
    printf("lattice soups: %llu pairs penetrating, %llu with vertices inside, %llu touching\n",
           (unsigned long long)tally[0], (unsigned long long)tally[1], (unsigned long long)tally[2]);
    assert_true(tally[0] > 200 && tally[1] > 100 && tally[2] > 100);
}

static uint64_t count_overlapping_itself(const struct test_body *x)
{
    predicate_counters counters = {0};
    uint64_t count = 0;
    for (uint32_t i = 0; i < x->element_count; i++) {
        const double *a[4], *b[4];
        bool found = false;
        tetrahedron_of(x, i, a);
        for (uint32_t j = 0; j < x->element_count && !found; j++) {
            bool shares = false;
            for (int k = 0; k < 16; k++) {
                shares |= x->corners[4 * i + k / 4] == x->corners[4 * j + k % 4];
            }
            tetrahedron_of(x, j, b);
            found = !shares && tetrahedra_interiors_meet(a, b, &counters);
        }
        count += found;
    }
    return count;
}

static void a_body_and_itself_have_the_counts_of_every_pair(void **state)
{
    uint64_t penetrating = 0;
    dent_check_def def = dent_check_def_default();
    (void)state;
    def.self = true;
    for (uint64_t seed = 0; seed < 300; seed++) {
        dent_random random = dent_random_seeded(seed + 52000);
        struct check_world check;
        check_world_open(&check, 1);
        make_lattice_soup(&check.scene, &random, 24, 2 + dent_random_below(&random, 8), 4);
        dent_check_result result = check_world_run(&check, &def);
        const dent_body_contact *contact = pair_of(&result, 0, 0);
        uint64_t expected = count_overlapping_itself(&check.scene.bodies[0]);
        assert_int_equal(contact ? contact->overlapping_elements : 0, expected);
        assert_int_equal(contact && contact->exact_penetration, expected > 0);
        penetrating += expected > 0;
        check_world_close(&check);
    }
    printf("a body and itself: %llu of 300 penetrating\n", (unsigned long long)penetrating);
    assert_true(penetrating > 40);
}

static void blocks_on_a_lattice_have_the_counts_of_every_pair(void **state)
{
    uint64_t tally[3] = {0};
    (void)state;
    for (uint64_t seed = 0; seed < 60; seed++) {
        dent_random random = dent_random_seeded(seed + 7000);
        struct check_world check;
        check_world_open(&check, 1);
        for (int i = 0; i < 3; i++) {
            uint32_t nx = 1 + dent_random_below(&random, 2);
            uint32_t ny = 1 + dent_random_below(&random, 2);
            double scale = dent_random_below(&random, 2) ? 0.5 : 1;
            struct test_body *body = test_add_block(&check.scene, nx, ny, 1);
            test_map(body, scale, scale, scale, 0, 0, 0);
            shift_on_lattice(body, &random, 0.5, 4);
        }
        compare_with_all_pairs(&check, &random, tally);
        check_world_close(&check);
    }
    assert_true(tally[0] > 40 && tally[1] > 20 && tally[2] > 20);
}

/* ---- any magnitudes ---------------------------------------------------------------------------------------------- */

/* Of the vertices of x: those certainly inside y, in an open cell, and those that may be, in a closed one. */
static void count_inside_bounds(const struct test_body *x, const struct test_body *y, uint64_t *least, uint64_t *most)
{
    for (uint32_t v = 0; v < x->vertex_count; v++) {
        *least += in_some_cell(y, x->xyz[v], POINT_INTERIOR);
        *most += in_some_cell(y, x->xyz[v], POINT_BOUNDARY);
    }
}

static void compare_solids(const struct test_scene *scene, const dent_check_result *result, uint64_t *penetrating)
{
    for (uint32_t a = 0; a < scene->body_count; a++) {
        for (uint32_t b = a + 1; b < scene->body_count; b++) {
            const struct test_body *x = &scene->bodies[a], *y = &scene->bodies[b];
            if (x->kind != DENT_BODY_SOLID || y->kind != DENT_BODY_SOLID) {
                continue;
            }
            const dent_body_contact *contact = pair_of(result, a, b);
            uint64_t overlapping = count_overlapping(x, y) + count_overlapping(y, x), least = 0, most = 0;
            count_inside_bounds(x, y, &least, &most);
            count_inside_bounds(y, x, &least, &most);
            assert_int_equal(contact ? contact->overlapping_elements : 0, overlapping);
            assert_int_equal(contact && contact->exact_penetration, overlapping > 0);
            uint64_t inside = contact ? contact->penetrating_vertices : 0;
            assert_true(least <= inside && inside <= most);
            *penetrating += overlapping > 0;
        }
    }
}

static dent_check_result check_in(dent_world *world, const struct test_scene *scene, const dent_check_def *def)
{
    dent_check_result result;
    assert_int_equal(test_scene_add(scene, world), DENT_OK);
    assert_int_equal(dent_world_check(world, def, &result), DENT_OK);
    for (uint64_t i = 0; i < result.pair_count; i++) {
        const dent_body_contact *contact = &result.pairs[i];
        assert_true(contact->max_depth >= 0 && isfinite(contact->max_depth));
        assert_true(isfinite(contact->deepest[0]) && isfinite(contact->deepest[1]) && isfinite(contact->deepest[2]));
    }
    return result;
}

/* Trees on every instruction set and exhaustive search, exact counts between solids; 20,000 scenes in the long tier. */
static void checks_are_the_same_and_right_at_any_magnitudes(void **state)
{
    (void)state;
    uint64_t scenes = test_count(25, 1000, 20000), with_pairs = 0, penetrating = 0;
    dent_context *contexts[DENT_ISA_COUNT];
    uint32_t context_count = 0;
    for (int isa = DENT_ISA_SCALAR; isa < DENT_ISA_COUNT; isa++) {
        if (dent_isa_available((dent_isa)isa)) {
            contexts[context_count++] = test_context(1 + (uint32_t)isa % 2, (dent_isa)isa);
        }
    }
    for (uint64_t seed = 0; seed < scenes; seed++) {
        struct test_scene scene;
        dent_check_def def = dent_check_def_default();
        wide_scene_make(&scene, seed % 2 ? WIDE_CLOSED_SHAPES : WIDE_SOLIDS, 80000000 + seed);
        dent_world *trees = dent_world_create(contexts[seed % context_count]);
        dent_world *oracle = dent_world_create(contexts[0]);
        def.self = seed % 3 == 0;
        dent_check_result found = check_in(trees, &scene, &def);
        def.method = DENT_METHOD_BRUTE_FORCE;
        dent_check_result expected = check_in(oracle, &scene, &def);
        assert_same_report(&found, &expected);
        compare_solids(&scene, &found, &penetrating);
        with_pairs += found.pair_count > 0;
        dent_world_destroy(trees);
        dent_world_destroy(oracle);
        test_scene_free(&scene);
    }
    printf("any magnitudes: %llu scenes, %llu with contact, %llu pairs of solids penetrating\n",
           (unsigned long long)scenes, (unsigned long long)with_pairs, (unsigned long long)penetrating);
    assert_true(2 * with_pairs >= scenes && penetrating > scenes / 10);
    for (uint32_t i = 0; i < context_count; i++) {
        dent_context_destroy(contexts[i]);
    }
}

/* ---- solids and their surfaces ----------------------------------------------------------------------------------- */

/* A tetrahedron on a lattice with a positive cell, or two that share a face. */
static void make_lattice_solid(struct test_scene *scene, dent_random *random, uint32_t side)
{
    if (dent_random_below(random, 3) == 0) {
        struct test_body *block = test_add_block(scene, 1 + dent_random_below(random, 2), 1, 1);
        shift_on_lattice(block, random, 1, 3);
        return;
    }
    double xyz[4][3];
    double volume = 0;
    while (volume == 0) {
        for (int v = 0; v < 4; v++) {
            for (int axis = 0; axis < 3; axis++) {
                xyz[v][axis] = dent_random_below(random, side);
            }
        }
        double m[3][3];
        for (int i = 0; i < 9; i++) {
            m[i / 3][i % 3] = xyz[i / 3 + 1][i % 3] - xyz[0][i % 3];
        }
        volume = m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
                 m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
    }
    const uint32_t positive[4] = {0, 1, 2, 3}, negative[4] = {0, 2, 1, 3};
    add_solid(scene, 4, (const double(*)[3])xyz, 1, volume > 0 ? positive : negative);
}

static int as_solid_or_surface(struct check_world *check, const struct test_scene *solids, int which)
{
    for (uint32_t i = 0; i < 2; i++) {
        const struct test_body *solid = &solids->bodies[i];
        if (which >> i & 1) {
            add_surface_of(&check->scene, solid, which >> (2 + i) & 1);
        } else {
            add_solid(&check->scene, solid->vertex_count, (const double(*)[3])solid->xyz, solid->element_count,
                      solid->corners);
        }
    }
    dent_check_result result = check_world_run(check, NULL);
    assert_true(result.pair_count == 0 || !result.pairs[0].exact_penetration || result.pairs[0].max_depth > 0);
    return result.pair_count == 0 ? DENT_BODY_PAIR_APART : (int)result.pairs[0].state;
}

static void closed_surfaces_are_judged_like_the_solids_they_bound(void **state)
{
    uint64_t states[3] = {0};
    (void)state;
    for (uint64_t seed = 0; seed < 1500; seed++) {
        dent_random random = dent_random_seeded(seed + 31000);
        struct test_scene solids = {0};
        uint32_t side = 2 + dent_random_below(&random, 5);
        make_lattice_solid(&solids, &random, side);
        make_lattice_solid(&solids, &random, side);
        int expected = -1;
        for (int which = 0; which < 16; which++) {
            struct check_world check;
            if ((which >> 2 & 1 && !(which & 1)) || (which >> 3 & 1 && !(which & 2))) {
                continue; /* only surfaces can be inside out */
            }
            check_world_open(&check, 1);
            int found = as_solid_or_surface(&check, &solids, which);
            expected = which == 0 ? found : expected;
            if (found != expected) {
                printf("seed %llu, combination %d: %d instead of %d\n", (unsigned long long)seed, which, found,
                       expected);
            }
            assert_int_equal(found, expected);
            check_world_close(&check);
        }
        states[expected]++;
        test_scene_free(&solids);
    }
    printf("solids and surfaces: %llu apart, %llu touching, %llu penetrating\n", (unsigned long long)states[0],
           (unsigned long long)states[1], (unsigned long long)states[2]);
    assert_true(states[1] > 100 && states[2] > 100);
}

/* ---- the same answer --------------------------------------------------------------------------------------------- */

static void compare_marks(const struct check_world *a, const struct check_world *b)
{
    for (uint32_t body_index = 0; body_index < a->scene.body_count; body_index++) {
        const struct test_body *body = &a->scene.bodies[body_index];
        dent_body_id id_a = dent_world_body_at(a->world, body_index), id_b = dent_world_body_at(b->world, body_index);
        assert_memory_equal(dent_check_element_marks(a->world, id_a), dent_check_element_marks(b->world, id_b),
                            body->element_count);
        assert_memory_equal(dent_check_vertex_marks(a->world, id_a), dent_check_vertex_marks(b->world, id_b),
                            body->vertex_count);
    }
}

static void exhaustive_search_and_trees_agree(void **state)
{
    (void)state;
    for (int kind = 0; kind < SCENE_KIND_COUNT; kind++) {
        uint64_t pairs = 0, penetrating = 0;
        for (uint64_t seed = 0; seed < SEEDS; seed++) {
            struct check_world trees, oracle;
            dent_check_def def = dent_check_def_default();
            def.self = seed % 2;
            check_world_open(&trees, 1);
            check_world_open(&oracle, 2);
            test_scene_make(&trees.scene, kind, seed);
            test_scene_make(&oracle.scene, kind, seed);
            dent_check_result found = check_world_run(&trees, &def);
            def.method = DENT_METHOD_BRUTE_FORCE;
            dent_check_result expected = check_world_run(&oracle, &def);
            assert_same_report(&found, &expected);
            compare_marks(&trees, &oracle);
            pairs += found.pair_count;
            penetrating += found.penetrating_pairs;
            check_world_close(&trees);
            check_world_close(&oracle);
        }
        printf("%-24s %4llu pairs, %4llu penetrating\n", test_scene_kind_name(kind), (unsigned long long)pairs,
               (unsigned long long)penetrating);
    }
}

static void any_number_of_threads_gives_the_same_bits(void **state)
{
    static const uint32_t threads[] = {1, 2, 3, 8};
    (void)state;
    for (int kind = 0; kind < SCENE_KIND_COUNT; kind++) {
        struct check_world checks[4];
        dent_check_result results[4];
        dent_check_def def = dent_check_def_default();
        def.self = true;
        for (int i = 0; i < 4; i++) {
            check_world_open(&checks[i], threads[i]);
            test_scene_make(&checks[i].scene, kind, 99);
            results[i] = check_world_run(&checks[i], &def);
            assert_same_report(&results[0], &results[i]);
            assert_int_equal(results[0].counters.candidates, results[i].counters.candidates);
            assert_int_equal(results[0].counters.box_tests, results[i].counters.box_tests);
            assert_int_equal(results[0].counters.exact_fallbacks, results[i].counters.exact_fallbacks);
            compare_marks(&checks[0], &checks[i]);
        }
        for (int i = 0; i < 4; i++) {
            check_world_close(&checks[i]);
        }
    }
}

/* Larger bodies, so that loops have many blocks. */
static void many_blocks_are_joined_alike_and_leave_nothing_out(void **state)
{
    struct check_world checks[3];
    dent_check_result results[3];
    dent_random random = dent_random_seeded(5);
    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        dent_random copy = random;
        check_world_open(&checks[i], i == 2 ? 8 : i + 1);
        test_jitter(test_add_block(&checks[i].scene, 12, 8, 6), &copy, 0.2);
        struct test_body *other = test_add_block(&checks[i].scene, 10, 10, 5);
        test_jitter(other, &copy, 0.2);
        test_map(other, 1, 1, 1, 3.3, 2.2, 1.1);
        results[i] = check_world_run(&checks[i], NULL);
        assert_same_report(&results[0], &results[i]);
        assert_int_equal(results[0].counters.box_tests, results[i].counters.box_tests);
        compare_marks(&checks[0], &checks[i]);
    }
    const struct test_body *x = &checks[0].scene.bodies[0], *y = &checks[0].scene.bodies[1];
    assert_int_equal(results[0].pairs[0].overlapping_elements, count_overlapping(x, y) + count_overlapping(y, x));
    assert_true(results[0].max_depth > 1);
    for (int i = 0; i < 3; i++) {
        check_world_close(&checks[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_equal_those_of_every_pair_of_tetrahedra),
        cmocka_unit_test(a_body_and_itself_have_the_counts_of_every_pair),
        cmocka_unit_test(blocks_on_a_lattice_have_the_counts_of_every_pair),
        cmocka_unit_test(checks_are_the_same_and_right_at_any_magnitudes),
        cmocka_unit_test(closed_surfaces_are_judged_like_the_solids_they_bound),
        cmocka_unit_test(exhaustive_search_and_trees_agree),
        cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
        cmocka_unit_test(many_blocks_are_joined_alike_and_leave_nothing_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
