/* The scenes of strands: every method, number of threads and instruction set gives one list, whose hash is written here. */
#include "support/cmocka_includes.h"

#include <dent/dent.h>
#include <dent/scene.h>
#include <dent/strand.h>

#include "query/proximity_cases.h"

enum { BODIES_MAX = 2 };

struct row {
    const char *scene;
    double scale;
    uint32_t frame;
    bool oracle; /* small enough for brute force */
    uint64_t pairs, hash;
};

static const struct row rows[] = {
    {"strands-1m", 0.002, 3, true, 2435, UINT64_C(0x93474B208965189D)},
    {"strands-1m", 0.02, 7, false, 66822, UINT64_C(0xD7D9F3E79B8DDB0E)},
    {"strands-1m-sparse", 0.002, 3, true, 94, UINT64_C(0x03FF15078602AD4E)},
    {"strands-1m-sparse", 0.02, 7, false, 3066, UINT64_C(0xEF571D3060F77E85)},
    {"head", 0.02, 5, true, 0, UINT64_C(0xCBF29CE484222325)},
    {"head", 0.5, 20, false, 533, UINT64_C(0x021BD09B3D5260F8)},
    {"ponytail", 0.04, 5, true, 116, UINT64_C(0x19304FE5B75EBFA3)},
    {"ponytail", 1, 20, false, 57657, UINT64_C(0x62887BA2AB7F2181)},
    {"fibre-clump", 0.2, 9, true, 1493, UINT64_C(0x2D8BC33C98FD4CFA)},
    {"fibre-clump", 1, 100, false, 5492, UINT64_C(0x05D7294416A5075F)},
    {"strand-curtain", 0.2, 3, true, 70, UINT64_C(0x4E4BA2E885BCEF7E)},
    {"strand-curtain", 1, 50, false, 765, UINT64_C(0x985003D6B8A35549)},
};

struct stage {
    dent_context *context;
    dent_scene *scene;
    dent_world *world;
    double *positions[BODIES_MAX];
};

static void open_stage(struct stage *stage, const struct row *row, uint32_t threads, dent_isa isa)
{
    dent_scene_def def = dent_scene_def_default();
    dent_body_id ids[BODIES_MAX];
    *stage = (struct stage){.context = test_context(threads, isa)};
    def.name = row->scene;
    def.scale = row->scale;
    assert_int_equal(dent_scene_create(stage->context, &def, &stage->scene), DENT_OK);
    assert_true(dent_scene_body_count(stage->scene) <= BODIES_MAX);
    stage->world = dent_world_create(stage->context);
    for (uint32_t b = 0; b < dent_scene_body_count(stage->scene); b++) {
        stage->positions[b] = test_allocate(3 * (size_t)dent_scene_body_at(stage->scene, b)->vertex_count, sizeof(double));
        dent_scene_positions(stage->scene, b, row->frame, stage->positions[b]);
    }
    assert_int_equal(dent_scene_add_to_world(stage->scene, stage->world, stage->positions, ids), DENT_OK);
}

static void close_stage(struct stage *stage)
{
    dent_world_destroy(stage->world);
    dent_scene_destroy(stage->scene);
    dent_context_destroy(stage->context);
    for (uint32_t b = 0; b < BODIES_MAX; b++) {
        free(stage->positions[b]);
    }
}

static void ask_row(const struct row *row, dent_method method, uint32_t threads, dent_isa isa)
{
    struct stage stage;
    dent_strand_query_def def = dent_strand_query_def_default();
    dent_strand_result result;
    def.method = method;
    def.no_details = true;
    open_stage(&stage, row, threads, isa);
    assert_int_equal(dent_world_strands(stage.world, &def, &result), DENT_OK);
    uint64_t pairs = result.vertex_face_count + result.edge_edge_count, hash = dent_strand_hash(stage.world, &result);
    if (pairs != row->pairs || hash != row->hash) {
        printf("%s %g frame %u, method %d, %u threads, isa %d: %llu, UINT64_C(0x%016llX)\n", row->scene, row->scale,
               row->frame, (int)method, threads, (int)isa, (unsigned long long)pairs, (unsigned long long)hash);
    }
    assert_true(pairs == row->pairs && hash == row->hash);
    close_stage(&stage);
}

static void every_method_gives_the_golden_pairs(void **state)
{
    static const dent_method methods[] = {DENT_METHOD_STRAND_PACKETS, DENT_METHOD_STRAND_GRID, DENT_METHOD_SURFACE_TREE,
                                          DENT_METHOD_BRUTE_FORCE};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (size_t m = 0; m < 4; m++) {
            if ((rows[i].oracle || methods[m] != DENT_METHOD_BRUTE_FORCE) && (m < 2 || !getenv("DENT_QUICK_TESTS"))) {
                ask_row(&rows[i], methods[m], 1 + (uint32_t)m % 2, DENT_ISA_AUTO);
            }
        }
    }
}

static void threads_and_instruction_sets_give_the_golden_pairs(void **state)
{
    static const uint32_t threads[3] = {1, 2, 7};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (!rows[i].oracle && getenv("DENT_QUICK_TESTS")) {
            continue;
        }
        for (int isa = DENT_ISA_SCALAR; isa < DENT_ISA_COUNT; isa++) {
            if (dent_isa_available((dent_isa)isa)) {
                ask_row(&rows[i], DENT_METHOD_STRAND_PACKETS, threads[((size_t)isa + i) % 3], (dent_isa)isa);
                ask_row(&rows[i], DENT_METHOD_STRAND_GRID, threads[((size_t)isa + i + 1) % 3], (dent_isa)isa);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method_gives_the_golden_pairs),
        cmocka_unit_test(threads_and_instruction_sets_give_the_golden_pairs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
