/* Surface regions: every face in one leaf, leaves within their limits, the same leaves every time, for every kind of
 * surface and every way to cut; neighbours and orientation checked against their definition; memory that runs out. */
#include "support/cmocka_includes.h"

#include "support/failing_allocator.h"
#include "support/random_surface.h"

#include "bodies/body_data.h"
#include "structures/surface/face_adjacency.h"
#include "structures/surface/surface_regions.h"

#include <time.h>

static struct body *make_body(dent_context *context, const struct test_body *surface)
{
    dent_body_def def = dent_surface_def_default();
    def.vertex_count = surface->vertex_count;
    def.element_count = surface->element_count;
    def.element_corners = surface->corners;
    struct body *body = NULL;
    struct message message = {0};
    if (body_create(context, &def, 0, 0, NULL, &message, &body) != DENT_OK) {
        return NULL;
    }
    return body;
}

static void check_regions(const struct surface_regions *regions, const struct body *body)
{
    uint8_t *seen = test_allocate(body->surface_face_count, 1);
    assert_int_equal(regions->first_face[0], 0);
    assert_int_equal(regions->first_face[regions->leaf_count], body->surface_face_count);
    for (uint32_t leaf = 0; leaf < regions->leaf_count; leaf++) {
        uint32_t begin = regions->first_face[leaf], end = regions->first_face[leaf + 1], vertices = 0, set[48];
        assert_true(end > begin && end - begin <= REGION_FACES);
        for (uint32_t i = begin; i < end; i++) {
            uint32_t face = regions->faces[i];
            assert_true(face < body->surface_face_count);
            assert_true(i == begin || regions->faces[i - 1] < face);
            assert_int_equal(seen[face]++, 0);
            for (int k = 0; k < 3; k++) {
                uint32_t j = 0;
                while (j < vertices && set[j] != body->surface_faces[face].corners[k]) {
                    j++;
                }
                if (j == vertices) {
                    set[vertices++] = body->surface_faces[face].corners[k];
                }
            }
        }
        assert_true(vertices <= REGION_VERTICES);
    }
    free(seen);
}

static void every_face_is_in_one_leaf_of_legal_size(void **state)
{
    dent_context *context = *state;
    uint32_t runs = 0;
    for (int kind = 0; kind < SURFACE_KIND_COUNT; kind++) {
        for (uint64_t seed = 0; seed < 24; seed++) {
            struct test_body surface = random_surface_make(kind, seed, 1 + (uint32_t)(seed * seed * 3));
            struct body *body = make_body(context, &surface);
            assert_non_null(body);
            for (int cut = 0; cut < REGION_CUT_COUNT; cut++) {
                struct surface_regions regions, again;
                assert_true(surface_regions_create(&regions, context, body, (const double(*)[3])surface.xyz,
                                                   (enum region_cut)cut));
                assert_true(surface_regions_create(&again, context, body, (const double(*)[3])surface.xyz,
                                                   (enum region_cut)cut));
                check_regions(&regions, body);
                assert_int_equal(regions.leaf_count, again.leaf_count);
                assert_memory_equal(regions.faces, again.faces, regions.face_count * sizeof *regions.faces);
                surface_regions_destroy(&regions);
                surface_regions_destroy(&again);
                runs++;
            }
            body_destroy(body);
            random_surface_free(&surface);
        }
    }
    print_message("%u cuts of %d kinds of surfaces\n", runs, SURFACE_KIND_COUNT);
}

/* Leaf counts of a sheet whose shape is regular, noisy, or a mere point. */
static uint32_t leaves_of_sheet(dent_context *context, uint32_t side, double noise, double scale, enum region_cut cut,
                                uint64_t *nanoseconds)
{
    dent_random random = dent_random_seeded(7);
    struct test_scene scene = {0};
    struct test_body *sheet = test_add_sheet(&scene, side, side);
    test_jitter(sheet, &random, noise);
    test_map(sheet, scale, scale, scale, 0, 0, 0);
    struct body *body = make_body(context, sheet);
    struct surface_regions regions;
    clock_t begin = clock(); /* of the processor: others may use the machine too */
    assert_true(surface_regions_create(&regions, context, body, (const double(*)[3])sheet->xyz, cut));
    *nanoseconds = (uint64_t)(clock() - begin) * (1000000000u / CLOCKS_PER_SEC);
    check_regions(&regions, body);
    uint32_t leaves = regions.leaf_count;
    surface_regions_destroy(&regions);
    body_destroy(body);
    test_scene_free(&scene);
    return leaves;
}

static void merged_leaves_of_a_sheet_are_nearly_full(void **state)
{
    dent_context *context = *state;
    static const double noises[] = {0, 0.01, 0.1, 0.3};
    uint64_t time;
    for (size_t i = 0; i < sizeof noises / sizeof noises[0]; i++) {
        for (int cut = 0; cut < REGION_CUT_COUNT; cut++) {
            uint32_t leaves = leaves_of_sheet(context, 64, noises[i], 1, (enum region_cut)cut, &time);
            print_message("sheet of 8192 faces, noise %g, cut %d: %u leaves, %.1f faces each\n", noises[i], cut, leaves,
                          8192.0 / leaves);
            assert_true(cut != REGION_CUT_MERGE || leaves <= 8192 / 10);
        }
    }
    /* A shape without area still has its connectivity; sizes do not matter. */
    assert_int_equal(leaves_of_sheet(context, 64, 0, 0, REGION_CUT_MERGE, &time), 512);
    assert_int_equal(leaves_of_sheet(context, 64, 0, 1, REGION_CUT_MERGE, &time), 512);
    assert_int_equal(leaves_of_sheet(context, 64, 0, 1e150, REGION_CUT_MERGE, &time), 512);
    assert_int_equal(leaves_of_sheet(context, 64, 0, 1e-150, REGION_CUT_MERGE, &time), 512);
    assert_int_equal(leaves_of_sheet(context, 64, 0, 1e-310, REGION_CUT_MERGE, &time), 512);
}

static void cost_grows_like_the_number_of_faces(void **state)
{
    dent_context *context = *state;
    uint64_t small = UINT64_MAX, large = UINT64_MAX, time;
    uint32_t side = getenv("DENT_QUICK_TESTS") ? 100 : 350;
    /* The least of some turns; a busy machine gets more of them. Four times is linear, sixteen times quadratic. */
    for (int turn = 0; turn < 3 || (turn < 30 && large >= 12 * small); turn++) {
        leaves_of_sheet(context, side / 2, 0.05, 1, REGION_CUT_MERGE, &time);
        small = time < small ? time : small;
        leaves_of_sheet(context, side, 0.05, 1, REGION_CUT_MERGE, &time);
        large = time < large ? time : large;
    }
    print_message("%u faces: %.0f ms, four times fewer: %.0f ms\n", 2 * side * side, (double)large / 1e6,
                  (double)small / 1e6);
    assert_true(large < 12 * small);
}

static void mates_and_turns_follow_their_definition(void **state)
{
    dent_context *context = *state;
    uint32_t rotated = 0, doubtful = 0;
    for (int kind = 0; kind < SURFACE_KIND_COUNT; kind++) {
        for (uint64_t seed = 0; seed < 12; seed++) {
            struct test_body surface = random_surface_make(kind, seed, 60);
            struct body *body = make_body(context, &surface);
            struct arena arena;
            struct face_adjacency adjacency;
            arena_init(&arena, context);
            uint8_t *turn = test_allocate(body->surface_face_count, 1);
            assert_true(face_adjacency_find(&adjacency, body, &arena));
            assert_true(face_adjacency_orient(&adjacency, body, turn, &arena));
            for (uint32_t half = 0; half < 3 * body->surface_face_count; half++) {
                const uint32_t *corners = body->surface_faces[half / 3].corners;
                uint32_t from = corners[half % 3], to = corners[(half % 3 + 1) % 3], others = 0, other = 0;
                for (uint32_t candidate = 0; candidate < 3 * body->surface_face_count; candidate++) {
                    const uint32_t *c = body->surface_faces[candidate / 3].corners;
                    uint32_t f = c[candidate % 3], t = c[(candidate % 3 + 1) % 3];
                    if (candidate != half && ((f == from && t == to) || (f == to && t == from))) {
                        others++;
                        other = candidate;
                    }
                }
                assert_int_equal(adjacency.mate[half], others == 0   ? MATE_NONE
                                                       : others == 1 ? other
                                                                     : MATE_NONMANIFOLD);
                if (others > 1) {
                    assert_true(turn[half / 3] & FACE_DOUBTFUL);
                }
                if (others == 1) {
                    bool same = body->surface_faces[other / 3].corners[other % 3] == from;
                    bool agree = same == ((turn[half / 3] & FACE_TURNED) != (turn[other / 3] & FACE_TURNED));
                    assert_true(agree || ((turn[half / 3] & FACE_DOUBTFUL) && (turn[other / 3] & FACE_DOUBTFUL)));
                }
            }
            for (uint32_t face = 0; face < body->surface_face_count; face++) {
                rotated += turn[face] & FACE_TURNED;
                doubtful += (turn[face] & FACE_DOUBTFUL) != 0;
            }
            free(turn);
            arena_destroy(&arena);
            body_destroy(body);
            random_surface_free(&surface);
        }
    }
    print_message("%u faces turned, %u doubtful\n", rotated, doubtful);
    assert_true(rotated > 0 && doubtful > 0);
}

static void running_out_of_memory_leaves_nothing_behind(void **state)
{
    (void)state;
    struct failing_allocator memory = failing_allocator_make();
    dent_context_def def = dent_context_def_default();
    def.allocator = failing_allocator_hook(&memory);
    def.thread_count = 1;
    dent_context *context = dent_context_create(&def, NULL);
    struct test_body surface = random_surface_make(SURFACE_CUTS_AND_HOLES, 3, 300);
    struct body *body = make_body(context, &surface);
    assert_non_null(body);
    for (int cut = 0; cut < REGION_CUT_COUNT; cut++) {
        bool good = false;
        for (uint64_t n = 1; !good; n++) {
            struct surface_regions regions;
            uint64_t before = memory.live_bytes;
            memory.requests = 0;
            memory.fail_at = n;
            good =
                surface_regions_create(&regions, context, body, (const double(*)[3])surface.xyz, (enum region_cut)cut);
            memory.fail_at = 0;
            if (!good) {
                assert_null(regions.faces);
                assert_int_equal(memory.live_bytes, before);
            } else {
                check_regions(&regions, body);
            }
            surface_regions_destroy(&regions);
            assert_int_equal(memory.live_bytes, before);
        }
    }
    body_destroy(body);
    dent_context_destroy(context);
    assert_true(failing_allocator_clean(&memory));
    random_surface_free(&surface);
}

static void a_body_without_faces_has_no_leaf(void **state)
{
    dent_context *context = *state;
    struct test_body surface = {.kind = DENT_BODY_SURFACE};
    struct body *body = make_body(context, &surface);
    if (!body) {
        return;
    }
    struct surface_regions regions;
    assert_true(surface_regions_create(&regions, context, body, NULL, REGION_CUT_MERGE));
    assert_int_equal(regions.leaf_count, 0);
    surface_regions_destroy(&regions);
    body_destroy(body);
}

static int open_context(void **state)
{
    *state = dent_context_create(NULL, NULL);
    return *state ? 0 : -1;
}

static int close_context(void **state)
{
    dent_context_destroy(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_face_is_in_one_leaf_of_legal_size),
        cmocka_unit_test(merged_leaves_of_a_sheet_are_nearly_full),
        cmocka_unit_test(cost_grows_like_the_number_of_faces),
        cmocka_unit_test(mates_and_turns_follow_their_definition),
        cmocka_unit_test(running_out_of_memory_leaves_nothing_behind),
        cmocka_unit_test(a_body_without_faces_has_no_leaf),
    };
    return cmocka_run_group_tests(tests, open_context, close_context);
}
