/* The question `impact`: the search over the surface forest equals the oracle, bit by bit; the earliest is the earliest
 * of the list; whatever the threads and the instruction set. */
#include "query/support_impact.h"

#include "support/failing_allocator.h"
#include "support/test_context.h"

/* Larger scenes would keep the exact test of the oracle busy for seconds. */
enum { ELEMENTS_MAX = 60 };

static void describe(char *text, size_t size, int kind, int motion, uint64_t seed)
{
    snprintf(text, size, "%s, motion %s, seed %llu", test_scene_kind_name(kind), motion_name(motion),
             (unsigned long long)seed);
}

static void check_earliest(dent_world *world, const dent_impact_def *def, const struct impact_list *all,
                           const char *what)
{
    dent_earliest_impact earliest;
    const dent_impact *first = NULL;
    for (uint64_t i = 0; i < all->count; i++) {
        first = !first || all->impacts[i].toi < first->toi ? &all->impacts[i]
                                                           : first; /* of several the first in the list */
    }
    assert_int_equal(dent_world_earliest_impact(world, def, &earliest), DENT_OK);
    if (earliest.found != (first != NULL) || (first && !same_impact(first, &earliest.impact))) {
        if (first) {
            print_impact("of the list:", first);
        }
        print_impact("earliest:   ", &earliest.impact);
        fail_msg("%s: the earliest is another", what);
    }
    assert_true(first || earliest.impact.toi == 1);
}

struct tally {
    uint64_t scenes, with_impacts, impacts, at_start, later, vertex_face, edge_edge;
};

static void count_impacts(struct tally *tally, const struct impact_list *list)
{
    tally->scenes++;
    tally->with_impacts += list->count > 0;
    tally->impacts += list->count;
    for (uint64_t i = 0; i < list->count; i++) {
        tally->at_start += list->impacts[i].toi == 0;
        tally->later += list->impacts[i].toi > 0;
        tally->vertex_face += list->impacts[i].kind == DENT_IMPACT_VERTEX_FACE;
        tally->edge_edge += list->impacts[i].kind == DENT_IMPACT_EDGE_EDGE;
    }
}

static void compare_methods(dent_context *context, const struct moving_scene *moving, const char *what,
                            struct tally *tally)
{
    dent_world *world = moving_scene_world(moving, context);
    assert_non_null(world);
    struct impact_list by_oracle = impacts_by(world, DENT_METHOD_BRUTE_FORCE);
    struct impact_list by_search = impacts_by(world, DENT_METHOD_SURFACE_TREE);
    assert_same_impacts(&by_oracle, &by_search, what);
    for (int round = 0; round < 2; round++) { /* by a tree that is made, and by one that is kept */
        struct impact_list by_contacts = impacts_by(world, DENT_METHOD_KINETIC_TREE);
        assert_same_impacts(&by_oracle, &by_contacts, what);
        free_impacts(&by_contacts);
    }
    dent_impact_def def = dent_impact_def_default();
    check_earliest(world, &def, &by_oracle, what);
    count_impacts(tally, &by_oracle);
    free_impacts(&by_oracle);
    free_impacts(&by_search);
    dent_world_destroy(world);
}

static void print_tally(const struct tally *tally)
{
    print_message(
        "%llu scenes, %llu with impacts: %llu impacts, %llu at t = 0, %llu later; %llu vertex-face, %llu edge-edge\n",
        (unsigned long long)tally->scenes, (unsigned long long)tally->with_impacts, (unsigned long long)tally->impacts,
        (unsigned long long)tally->at_start, (unsigned long long)tally->later, (unsigned long long)tally->vertex_face,
        (unsigned long long)tally->edge_edge);
}

static void the_search_equals_the_oracle_on_thousands_of_small_scenes(void **state)
{
    (void)state;
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    struct tally tally = {0};
    uint64_t scenes = test_count(100, 2500, 200000);
    for (uint64_t seed = 1; seed <= scenes; seed++) {
        struct moving_scene moving;
        char what[64];
        small_scene_make(&moving, seed);
        snprintf(what, sizeof what, "small scene %llu", (unsigned long long)seed);
        compare_methods(context, &moving, what, &tally);
        moving_scene_free(&moving);
    }
    print_tally(&tally);
    assert_true(2 * tally.with_impacts >= tally.scenes);
    assert_true(tally.at_start >= 200 && tally.later >= 200 && tally.vertex_face >= 200 && tally.edge_edge >= 200);
    dent_context_destroy(context);
}

static void the_search_equals_the_oracle_on_every_kind_of_scene_and_motion(void **state)
{
    (void)state;
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    struct tally tally = {0};
    uint64_t seeds = test_count(1, 1, 100);
    for (int kind = 0; kind < SCENE_KIND_COUNT; kind++) {
        for (int motion = 0; motion < MOTION_COUNT; motion++) {
            for (uint64_t seed = 1; seed <= seeds; seed++) {
                struct moving_scene moving;
                char what[200];
                moving_scene_make(&moving, kind, motion, seed);
                describe(what, sizeof what, kind, motion, seed);
                if (test_scene_elements(&moving.scene) <= ELEMENTS_MAX) {
                    compare_methods(context, &moving, what, &tally);
                }
                moving_scene_free(&moving);
            }
        }
    }
    print_tally(&tally);
    assert_true(tally.scenes >= 8);
    dent_context_destroy(context);
}

/* ---- threads and instruction sets -------------------------------------------------------------------------------- */

/* Two sheets of some thousand triangles that fold into each other. */
static void big_scene_make(struct moving_scene *moving, uint32_t side)
{
    memset(moving, 0, sizeof *moving);
    dent_random random = dent_random_seeded(5);
    for (uint32_t b = 0; b < 3; b++) {
        struct test_body *body =
            b < 2 ? test_add_sheet(&moving->scene, side, side) : test_add_block(&moving->scene, side / 4, side / 4, 2);
        moving->end[b] = test_allocate(body->vertex_count, sizeof *body->xyz);
        for (uint32_t v = 0; v < body->vertex_count; v++) {
            double *p = body->xyz[v], *q = moving->end[b][v];
            p[2] += 0.3 * sin(0.9 * p[0]) + 0.2 * cos(0.7 * p[1]) + b * 0.8 + 0.1 * dent_random_unit(&random);
            q[0] = p[0] + 0.2 * dent_random_unit(&random);
            q[1] = p[1] + 0.3 * sin(p[0]);
            q[2] = b == 0 ? p[2] + 0.9 : p[2] - 0.4 * dent_random_unit(&random);
        }
    }
}

static void threads_and_instruction_sets_change_nothing(void **state)
{
    (void)state;
    struct moving_scene moving;
    struct impact_list reference = {0};
    dent_impact_counters counters = {0};
    static const uint32_t threads[4] = {1, 2, 3, 8};
    big_scene_make(&moving, 24);
    for (int isa = DENT_ISA_SCALAR; isa < DENT_ISA_COUNT; isa++) {
        for (int i = 0; i < 4 && dent_isa_available((dent_isa)isa); i++) {
            dent_context *context = test_context(threads[i], (dent_isa)isa);
            dent_world *world = moving_scene_world(&moving, context);
            for (int turn = 0; turn < 3; turn++) {
                struct impact_list list = impacts_by(world, DENT_METHOD_AUTO);
                dent_impact_result result;
                dent_impact_def def = dent_impact_def_default();
                assert_int_equal(dent_world_impacts(world, &def, &result), DENT_OK);
                if (!reference.impacts) {
                    reference = list;
                    counters = result.counters;
                    assert_true(list.count > 1000);
                    print_message("%llu impacts of %llu candidates\n", (unsigned long long)list.count,
                                  (unsigned long long)counters.candidates);
                } else {
                    assert_same_impacts(&reference, &list, "threads and instruction sets");
                    free_impacts(&list);
                }
                assert_int_equal(result.counters.candidates, counters.candidates);
                assert_int_equal(result.counters.decided_exactly, counters.decided_exactly);
                assert_int_equal(result.counters.impacts, counters.impacts);
                check_earliest(world, &def, &reference, "threads and instruction sets");
            }
            dent_world_destroy(world);
            dent_context_destroy(context);
        }
    }
    free_impacts(&reference);
    moving_scene_free(&moving);
}

static void positions_in_float_give_the_same_as_their_doubles(void **state)
{
    (void)state;
    dent_context *context = test_context(2, DENT_ISA_AUTO);
    struct moving_scene moving;
    big_scene_make(&moving, 12);
    float *narrow[2][3];
    for (uint32_t b = 0; b < 3; b++) {
        struct test_body *body = &moving.scene.bodies[b];
        narrow[0][b] = test_allocate(3 * (size_t)body->vertex_count, sizeof(float));
        narrow[1][b] = test_allocate(3 * (size_t)body->vertex_count, sizeof(float));
        for (uint32_t i = 0; i < 3 * body->vertex_count; i++) {
            body->xyz[i / 3][i % 3] = (double)(narrow[0][b][i] = (float)body->xyz[i / 3][i % 3]);
            moving.end[b][i / 3][i % 3] = (double)(narrow[1][b][i] = (float)moving.end[b][i / 3][i % 3]);
        }
    }
    dent_world *world = moving_scene_world(&moving, context);
    struct impact_list doubles = impacts_by(world, DENT_METHOD_AUTO);
    for (uint32_t b = 0; b < 3; b++) {
        dent_positions start = dent_positions_float(narrow[0][b]), end = dent_positions_float(narrow[1][b]);
        assert_int_equal(dent_body_set_positions(world, dent_world_body_at(world, b), &start, &end), DENT_OK);
    }
    struct impact_list floats = impacts_by(world, DENT_METHOD_AUTO);
    assert_true(doubles.count > 100);
    assert_same_impacts(&doubles, &floats, "floats");
    free_impacts(&doubles);
    free_impacts(&floats);
    dent_world_destroy(world);
    dent_context_destroy(context);
    for (uint32_t b = 0; b < 3; b++) {
        free(narrow[0][b]);
        free(narrow[1][b]);
    }
    moving_scene_free(&moving);
}

/* Two flat sheets that meet everywhere at t = 1/2: of thousands of pairs with that time the first in canonical order is
 * wanted, wherever the search comes upon it; numbered from either end. */
static void of_many_impacts_at_one_time_the_earliest_is_the_first_in_order(void **state)
{
    (void)state;
    enum { SIDE = 40 };
    for (int rotated = 0; rotated < 2; rotated++) {
        struct moving_scene moving;
        memset(&moving, 0, sizeof moving);
        for (uint32_t b = 0; b < 2; b++) {
            struct test_body *sheet = test_add_sheet(&moving.scene, SIDE, SIDE);
            test_map(sheet, 1, 1, 1, b ? 0.25 : 0, b ? 0.125 : 0, b ? 1 : 0);
            for (uint32_t v = 0; rotated && v < sheet->vertex_count / 2; v++) {
                double swap[3];
                memcpy(swap, sheet->xyz[v], sizeof swap);
                memcpy(sheet->xyz[v], sheet->xyz[sheet->vertex_count - 1 - v], sizeof swap);
                memcpy(sheet->xyz[sheet->vertex_count - 1 - v], swap, sizeof swap);
            }
            for (uint32_t i = 0; rotated && i < 3 * sheet->element_count; i++) { /* other numbers, the same triangles */
                sheet->corners[i] = sheet->vertex_count - 1 - sheet->corners[i];
            }
            moving.end[b] = test_allocate(sheet->vertex_count, sizeof *sheet->xyz);
            memcpy(moving.end[b], sheet->xyz, sheet->vertex_count * sizeof *sheet->xyz);
            for (uint32_t v = 0; b && v < sheet->vertex_count; v++) {
                moving.end[b][v][2] = -1;
            }
        }
        for (uint32_t threads = 1; threads <= 3; threads++) {
            dent_context *context = test_context(threads, DENT_ISA_AUTO);
            dent_world *world = moving_scene_world(&moving, context);
            struct impact_list all = impacts_by(world, DENT_METHOD_AUTO);
            assert_true(all.count > 4000 && all.impacts[0].toi == 0.5);
            dent_impact_def def = dent_impact_def_default();
            check_earliest(world, &def, &all, "many at one time");
            free_impacts(&all);
            dent_world_destroy(world);
            dent_context_destroy(context);
        }
        moving_scene_free(&moving);
    }
}

/* A triangle in the plane z = 0, and another above it whose first vertex falls through the plane at 1/4, or (`early`) a
 * little before. */
static void add_pierced_pair(struct moving_scene *moving, double x, double y, bool early, dent_random *random)
{
    static const double corners[3][2] = {{-0.4, -0.4}, {0.4, -0.4}, {0, 0.4}};
    for (int upper = 0; upper < 2; upper++) {
        uint32_t b = moving->scene.body_count;
        struct test_body *body = test_scene_new_body(&moving->scene, DENT_BODY_SURFACE, 3, 1, 3);
        for (uint32_t v = 0; v < 3; v++) {
            body->corners[v] = v;
            body->xyz[v][0] = x + (upper ? 0.1 : 1) * corners[v][0];
            body->xyz[v][1] = y + (upper ? 0.1 : 1) * corners[v][1];
            body->xyz[v][2] = upper ? 1 + dent_random_unit(random) : 0;
        }
        moving->end[b] = test_allocate(3, sizeof *body->xyz);
        memcpy(moving->end[b], body->xyz, 3 * sizeof *body->xyz);
        moving->end[b][0][2] = -3 * body->xyz[0][2] * (early ? 1 + 0x1p-40 : 1);
    }
}

/* The search rounds places at the best time found so far to floats: vertices that are rounded to the wrong side of a
 * face meet it all the same. The pair that is earlier by a hair comes last. */
static void the_earliest_is_not_lost_to_rounding_at_the_best_time(void **state)
{
    (void)state;
    dent_random random = dent_random_seeded(77);
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    for (uint32_t round = 0; round < 60; round++) {
        struct moving_scene moving;
        memset(&moving, 0, sizeof moving);
        for (uint32_t i = 0; i < TEST_BODIES_MAX / 2; i++) {
            add_pierced_pair(&moving, i % 5, i / 5, i == TEST_BODIES_MAX / 2 - 1, &random);
        }
        dent_world *world = moving_scene_world(&moving, context);
        struct impact_list all = impacts_by(world, DENT_METHOD_AUTO);
        dent_impact_def def = dent_impact_def_default();
        check_earliest(world, &def, &all, "earlier by a hair");
        free_impacts(&all);
        dent_world_destroy(world);
        moving_scene_free(&moving);
    }
    dent_context_destroy(context);
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

/* A triangle that flies far along x. */
static void add_flyer(struct moving_scene *moving, dent_random *random)
{
    uint32_t b = moving->scene.body_count;
    struct test_body *body = test_scene_new_body(&moving->scene, DENT_BODY_SURFACE, 3, 1, 3);
    double x = 20 * dent_random_unit(random), y = 3 * dent_random_unit(random), z = 3 * dent_random_unit(random);
    double far = 40 * (dent_random_unit(random) - 0.5);
    moving->end[b] = test_allocate(3, sizeof *body->xyz);
    for (uint32_t v = 0; v < 3; v++) {
        body->corners[v] = v;
        body->xyz[v][0] = x + dent_random_unit(random);
        body->xyz[v][1] = y + dent_random_unit(random);
        body->xyz[v][2] = z + dent_random_unit(random);
        memcpy(moving->end[b][v], body->xyz[v], sizeof body->xyz[v]);
        moving->end[b][v][0] += far;
    }
}

/* Boxes of leaves end at the best time found so far. Those made before it fell say nothing beside those made after. */
static void the_earliest_of_a_swarm_is_found_whatever_came_before_it(void **state)
{
    (void)state;
    dent_random random = dent_random_seeded(22);
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    uint64_t falls = 0;
    for (uint32_t round = 0; round < test_count(100, 2000, 20000); round++) {
        struct moving_scene moving;
        memset(&moving, 0, sizeof moving);
        for (uint32_t i = 0; i < TEST_BODIES_MAX; i++) {
            add_flyer(&moving, &random);
        }
        dent_world *world = moving_scene_world(&moving, context);
        struct impact_list all = impacts_by(world, DENT_METHOD_BRUTE_FORCE);
        dent_impact_def def = dent_impact_def_default();
        check_earliest(world, &def, &all, "a swarm");
        falls += all.count;
        free_impacts(&all);
        dent_world_destroy(world);
        moving_scene_free(&moving);
    }
    print_message("%llu impacts in all\n", (unsigned long long)falls);
    dent_context_destroy(context);
}

static void after_warm_up_nothing_is_allocated(void **state)
{
    (void)state;
    struct moving_scene moving;
    big_scene_make(&moving, 16);
    static const uint32_t threads[2] = {1, 3};
    for (int i = 0; i < 2; i++) {
        dent_context *context = test_context(threads[i], DENT_ISA_AUTO);
        dent_world *world = moving_scene_world(&moving, context);
        dent_impact_def def = dent_impact_def_default();
        dent_impact_result all;
        dent_earliest_impact earliest;
        uint64_t before = 0;
        for (int turn = 0; turn < 6; turn++) {
            before = turn == 3 ? dent_context_memory_use(context).allocations : before;
            assert_int_equal(dent_world_impacts(world, &def, &all), DENT_OK);
            assert_int_equal(dent_world_earliest_impact(world, &def, &earliest), DENT_OK);
        }
        assert_int_equal(dent_context_memory_use(context).allocations, before);
        dent_world_destroy(world);
        dent_context_destroy(context);
    }
    moving_scene_free(&moving);
}

static void every_failing_allocation_leaves_the_result_untouched(void **state)
{
    (void)state;
    struct moving_scene moving;
    big_scene_make(&moving, 3);
    static const dent_method methods[3] = {DENT_METHOD_SURFACE_TREE, DENT_METHOD_BRUTE_FORCE, DENT_METHOD_KINETIC_TREE};
    for (int m = 0; m < 3; m++) {
        bool failed = true;
        for (uint64_t n = 1; failed && n < 100000; n++) {
            struct failing_allocator memory = failing_allocator_make();
            dent_context_def def = dent_context_def_default();
            def.allocator = failing_allocator_hook(&memory);
            def.thread_count = 1;
            dent_context *context = dent_context_create(&def, NULL);
            dent_world *world = moving_scene_world(&moving, context);
            dent_impact_def ask = dent_impact_def_default();
            dent_impact_result result = {.count = 12345};
            ask.method = methods[m];
            memory.requests = 0;
            memory.fail_at = n;
            dent_status status = dent_world_impacts(world, &ask, &result);
            failed = status != DENT_OK;
            if (failed) {
                assert_int_equal(status, DENT_ERROR_OUT_OF_MEMORY);
                assert_int_equal(result.count, 12345);
                assert_non_null(strstr(dent_world_message(world), "out of memory"));
                memory.fail_at = 0;
                assert_int_equal(dent_world_impacts(world, &ask, &result), DENT_OK);
                assert_true(result.count > 0);
            }
            memory.fail_at = 0;
            dent_world_destroy(world);
            dent_context_destroy(context);
            assert_true(failing_allocator_clean(&memory));
            assert_true(failed || n > 5);
        }
        assert_false(failed);
    }
    moving_scene_free(&moving);
}

/* ---- what is asked, what is refused ------------------------------------------------------------------------------ */

static dent_body_id add_triangle(dent_world *world, const double (*start)[3], const double (*end)[3])
{
    static const uint32_t corners[3] = {0, 1, 2};
    dent_body_def def = dent_surface_def_default();
    dent_body_id id;
    def.vertex_count = 3;
    def.element_count = 1;
    def.element_corners = corners;
    def.positions_t0 = dent_positions_double(start[0]);
    def.positions_t1 = dent_positions_double(end ? end[0] : NULL);
    assert_int_equal(dent_world_add_body(world, &def, &id), DENT_OK);
    return id;
}

static const double flat[3][3] = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}};
static const double above[3][3] = {{1, 1, 1}, {1, 1, 5}, {2, 1, 5}};
static const double below[3][3] = {{1, 1, -1}, {1, 1, 3}, {2, 1, 3}};

static void a_vertex_that_falls_through_a_face_is_found_half_way(void **state)
{
    (void)state;
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    dent_world *world = dent_world_create(context);
    add_triangle(world, flat, NULL); /* stands still */
    add_triangle(world, above, below);
    struct impact_list list = impacts_by(world, DENT_METHOD_AUTO);
    assert_int_equal(list.count, 1);
    const dent_impact *impact = &list.impacts[0];
    assert_int_equal(impact->kind, DENT_IMPACT_VERTEX_FACE);
    assert_int_equal(impact->body_a, 1);
    assert_int_equal(impact->feature_a, 0);
    assert_int_equal(impact->body_b, 0);
    assert_true(impact->toi == 0.5 && impact->u == 0.25 && impact->v == 0.25);
    assert_true(impact->normal[0] == 0 && impact->normal[1] == 0 && impact->normal[2] == 1); /* from b to a */
    free_impacts(&list);
    dent_world_destroy(world);
    dent_context_destroy(context);
}

static void filters_and_self_collision_are_kept(void **state)
{
    (void)state;
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    dent_world *world = dent_world_create(context);
    static const dent_method methods[3] = {DENT_METHOD_SURFACE_TREE, DENT_METHOD_BRUTE_FORCE, DENT_METHOD_KINETIC_TREE};
    dent_body_id a = add_triangle(world, flat, NULL);
    add_triangle(world, above, below);
    assert_int_equal(dent_body_set_filter(world, a, 2, 2, true), DENT_OK);
    for (int m = 0; m < 3; m++) {
        struct impact_list list = impacts_by(world, methods[m]);
        assert_int_equal(list.count, 0);
        free_impacts(&list);
    }
    dent_world_destroy(world);
    /* One body that folds onto itself. */
    struct moving_scene moving;
    memset(&moving, 0, sizeof moving);
    struct test_body *sheet = test_add_sheet(&moving.scene, 3, 1);
    moving.end[0] = test_allocate(sheet->vertex_count, sizeof *sheet->xyz);
    for (uint32_t v = 0; v < sheet->vertex_count; v++) {
        memcpy(moving.end[0][v], sheet->xyz[v], sizeof sheet->xyz[v]);
        if (sheet->xyz[v][0] >= 3) {
            moving.end[0][v][0] = -1;
            sheet->xyz[v][2] = 1;
            moving.end[0][v][2] = -1;
        }
    }
    world = moving_scene_world(&moving, context);
    struct impact_list with = impacts_by(world, DENT_METHOD_AUTO);
    assert_true(with.count > 0);
    assert_int_equal(dent_body_set_filter(world, dent_world_body_at(world, 0), 1, 1, false), DENT_OK);
    for (int m = 0; m < 3; m++) {
        struct impact_list without = impacts_by(world, methods[m]);
        assert_int_equal(without.count, 0);
        free_impacts(&without);
    }
    free_impacts(&with);
    dent_world_destroy(world);
    moving_scene_free(&moving);
    dent_context_destroy(context);
}

static void bad_input_is_refused_in_words(void **state)
{
    (void)state;
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    dent_world *world = dent_world_create(context);
    double end[3][3];
    memcpy(end, below, sizeof end);
    add_triangle(world, flat, NULL);
    add_triangle(world, above, (const double(*)[3])end);
    dent_impact_def def = dent_impact_def_default();
    dent_impact_result result = {.count = 777};
    dent_earliest_impact earliest = {.impact.toi = 777};
    end[2][1] = NAN;
    assert_int_equal(dent_world_impacts(world, &def, &result), DENT_ERROR_BAD_NUMBER);
    assert_non_null(strstr(dent_world_message(world), "vertex 2 has y = NaN at t1"));
    end[2][1] = INFINITY;
    assert_int_equal(dent_world_earliest_impact(world, &def, &earliest), DENT_ERROR_BAD_NUMBER);
    end[2][1] = 0;
    def.separation = -1;
    assert_int_equal(dent_world_impacts(world, &def, &result), DENT_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(dent_world_message(world), "separation is -1"));
    def.separation = NAN;
    assert_int_equal(dent_world_impacts(world, &def, &result), DENT_ERROR_INVALID_ARGUMENT);
    def.separation = 0;
    def.method = DENT_METHOD_SPATIAL_HASH;
    assert_int_equal(dent_world_impacts(world, &def, &result), DENT_ERROR_UNSUPPORTED);
    assert_non_null(strstr(dent_world_message(world), "spatial-hash cannot answer impact"));
    def.method = (dent_method)99;
    assert_int_equal(dent_world_impacts(world, &def, &result), DENT_ERROR_INVALID_ARGUMENT);
    def = dent_impact_def_default();
    def.struct_size = 0;
    assert_int_equal(dent_world_impacts(world, &def, &result), DENT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(dent_world_impacts(world, NULL, &result), DENT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(result.count, 777);
    assert_true(earliest.impact.toi == 777);
    dent_query_def query = dent_query_def_default();
    dent_query_result answer;
    query.questions = DENT_QUESTION_IMPACT;
    assert_int_equal(dent_world_query(world, &query, &answer), DENT_ERROR_INVALID_ARGUMENT);
    assert_string_equal(dent_question_name(DENT_QUESTION_IMPACT), "impact");
    dent_world_destroy(world);
    dent_context_destroy(context);
}

static void an_empty_world_has_no_impacts(void **state)
{
    (void)state;
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    dent_world *world = dent_world_create(context);
    dent_impact_def def = dent_impact_def_default();
    dent_earliest_impact earliest;
    for (int m = 0; m < 3; m++) {
        struct impact_list list = impacts_by(world, m ? DENT_METHOD_BRUTE_FORCE : DENT_METHOD_SURFACE_TREE);
        assert_int_equal(list.count, 0);
        free_impacts(&list);
    }
    assert_int_equal(dent_world_earliest_impact(world, &def, &earliest), DENT_OK);
    assert_true(!earliest.found && earliest.impact.toi == 1);
    dent_body_def none = dent_surface_def_default();
    dent_body_id id;
    assert_int_equal(dent_world_add_body(world, &none, &id), DENT_OK); /* a body without vertices */
    assert_int_equal(dent_world_earliest_impact(world, &def, &earliest), DENT_OK);
    assert_false(earliest.found);
    dent_world_destroy(world);
    dent_context_destroy(context);
}

static void a_cancelled_query_reports_nothing(void **state)
{
    (void)state;
    dent_context *context = test_context(2, DENT_ISA_AUTO);
    struct moving_scene moving;
    big_scene_make(&moving, 8);
    dent_world *world = moving_scene_world(&moving, context);
    int cancel = 1;
    dent_impact_def def = dent_impact_def_default();
    dent_impact_result result;
    dent_earliest_impact earliest;
    def.cancel = &cancel;
    for (int m = 0; m < 3; m++) {
        def.method = m ? DENT_METHOD_BRUTE_FORCE : DENT_METHOD_SURFACE_TREE;
        assert_int_equal(dent_world_impacts(world, &def, &result), DENT_OK);
        assert_int_equal(result.outcome, DENT_OUTCOME_CANCELLED);
        assert_int_equal(result.count, 0);
        assert_int_equal(dent_world_earliest_impact(world, &def, &earliest), DENT_OK);
        assert_int_equal(earliest.outcome, DENT_OUTCOME_CANCELLED);
        assert_false(earliest.found);
    }
    cancel = 0;
    assert_int_equal(dent_world_impacts(world, &def, &result), DENT_OK);
    assert_true(result.outcome == DENT_OUTCOME_COMPLETE && result.count > 0);
    dent_world_destroy(world);
    moving_scene_free(&moving);
    dent_context_destroy(context);
}

static void one_pair_is_answered_as_the_world_answers_it(void **state)
{
    (void)state;
    double start[4][3], end[4][3];
    dent_impact_test_result answer = {.u = 777};
    memcpy(start[0], above[0], sizeof start[0]);
    memcpy(end[0], below[0], sizeof end[0]);
    memcpy(start[1], flat, sizeof flat);
    memcpy(end[1], flat, sizeof flat);
    assert_int_equal(
        dent_impact_test(DENT_IMPACT_VERTEX_FACE, (const double(*)[3])start, (const double(*)[3])end, &answer),
        DENT_OK);
    assert_true(answer.meets && answer.toi == 0.5 && answer.u == 0.25 && answer.v == 0.25 && answer.normal[2] == 1);
    end[0][2] = 0.5;
    assert_int_equal(
        dent_impact_test(DENT_IMPACT_VERTEX_FACE, (const double(*)[3])start, (const double(*)[3])end, &answer),
        DENT_OK);
    assert_true(!answer.meets && answer.toi == 1);
    answer.u = 777;
    end[0][2] = NAN;
    assert_int_equal(
        dent_impact_test(DENT_IMPACT_VERTEX_FACE, (const double(*)[3])start, (const double(*)[3])end, &answer),
        DENT_ERROR_BAD_NUMBER);
    assert_int_equal(dent_impact_test((dent_impact_kind)3, (const double(*)[3])start, (const double(*)[3])end, &answer),
                     DENT_ERROR_INVALID_ARGUMENT);
    assert_true(answer.u == 777);
    assert_string_equal(dent_impact_kind_name(DENT_IMPACT_EDGE_EDGE), "edge-edge");
    assert_null(dent_impact_kind_name((dent_impact_kind)0));
    assert_string_equal(dent_impact_stage_name(DENT_IMPACT_STAGE_EXACT), "exact");
    assert_null(dent_impact_stage_name(DENT_IMPACT_STAGE_COUNT));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_search_equals_the_oracle_on_thousands_of_small_scenes),
        cmocka_unit_test(the_search_equals_the_oracle_on_every_kind_of_scene_and_motion),
        cmocka_unit_test(threads_and_instruction_sets_change_nothing),
        cmocka_unit_test(of_many_impacts_at_one_time_the_earliest_is_the_first_in_order),
        cmocka_unit_test(the_earliest_is_not_lost_to_rounding_at_the_best_time),
        cmocka_unit_test(the_earliest_of_a_swarm_is_found_whatever_came_before_it),
        cmocka_unit_test(positions_in_float_give_the_same_as_their_doubles),
        cmocka_unit_test(after_warm_up_nothing_is_allocated),
        cmocka_unit_test(every_failing_allocation_leaves_the_result_untouched),
        cmocka_unit_test(a_vertex_that_falls_through_a_face_is_found_half_way),
        cmocka_unit_test(filters_and_self_collision_are_kept),
        cmocka_unit_test(bad_input_is_refused_in_words),
        cmocka_unit_test(an_empty_world_has_no_impacts),
        cmocka_unit_test(a_cancelled_query_reports_nothing),
        cmocka_unit_test(one_pair_is_answered_as_the_world_answers_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
