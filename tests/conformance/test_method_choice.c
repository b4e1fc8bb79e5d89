/* What AUTO learns from its own answers: the choice follows the overlap of the last answer, the answer does not. */
#include "support/cmocka_includes.h"

#include "support/test_context.h"

#include <dent/query.h>
#include <dent/scene.h>

#include <stdlib.h>
#include <string.h>

enum { BLOCKS_MAX = 16 };

/* Two placements of the same blocks, far apart and deep in one another, and a world of them without reference shapes. */
struct blocks {
    dent_scene *apart, *together;
    dent_world *world;
    uint32_t count;
    double *positions[BLOCKS_MAX];
};

static dent_scene *make_scene(dent_context *context, double inside)
{
    dent_scene_setting setting = {"inside", inside};
    dent_scene_def def = dent_scene_def_default();
    def.name = "blocks-640k";
    def.scale = 0.055; /* 2,560 cells a block */
    def.settings = &setting;
    def.setting_count = 1;
    dent_scene *scene = NULL;
    assert_int_equal(dent_scene_create(context, &def, &scene), DENT_OK);
    return scene;
}

static struct blocks make_blocks(dent_context *context)
{
    struct blocks blocks = {.apart = make_scene(context, 0), .together = make_scene(context, 0.5)};
    blocks.world = dent_world_create(context);
    blocks.count = dent_scene_body_count(blocks.apart);
    assert_true(blocks.count <= BLOCKS_MAX);
    for (uint32_t i = 0; i < blocks.count; i++) {
        const dent_scene_body *body = dent_scene_body_at(blocks.apart, i);
        blocks.positions[i] = calloc(3 * (size_t)body->vertex_count, sizeof(double));
        dent_body_def def = dent_solid_def_default();
        def.vertex_count = body->vertex_count;
        def.element_count = body->element_count;
        def.element_corners = body->element_corners;
        def.positions_t0 = dent_positions_double(blocks.positions[i]);
        dent_body_id id;
        assert_int_equal(dent_world_add_body(blocks.world, &def, &id), DENT_OK);
    }
    return blocks;
}

static void free_blocks(struct blocks *blocks)
{
    dent_world_destroy(blocks->world);
    for (uint32_t i = 0; i < blocks->count; i++) {
        free(blocks->positions[i]);
    }
    dent_scene_destroy(blocks->apart);
    dent_scene_destroy(blocks->together);
}

static uint64_t ask(const struct blocks *blocks, dent_method method, dent_query_counters *counters)
{
    dent_query_def def = dent_query_def_default();
    def.questions = DENT_QUESTION_FACE_CELL;
    def.method = method;
    dent_query_result result;
    assert_int_equal(dent_world_query(blocks->world, &def, &result), DENT_OK);
    *counters = result.counters;
    return dent_pair_list_hash(blocks->world, DENT_QUESTION_FACE_CELL, &result.face_cell);
}

/* AUTO's choice in a placement; its answer must be that of a method asked for by name. */
static dent_query_counters step(const struct blocks *blocks, const dent_scene *scene)
{
    dent_query_counters counters, ignored;
    for (uint32_t i = 0; i < blocks->count; i++) {
        dent_scene_positions(scene, i, 0, blocks->positions[i]);
    }
    uint64_t found = ask(blocks, DENT_METHOD_AUTO, &counters);
    assert_true(found == ask(blocks, DENT_METHOD_SPATIAL_HASH, &ignored));
    return counters;
}

static void auto_turns_to_the_clusters_while_much_overlaps(void **state)
{
    (void)state;
    for (uint32_t threads = 1; threads <= 2; threads++) {
        dent_context *context = test_context(threads, DENT_ISA_AUTO);
        struct blocks blocks = make_blocks(context);
        assert_int_equal(step(&blocks, blocks.apart).method, DENT_METHOD_CONTOUR_WALK);
        assert_int_equal(step(&blocks, blocks.together).method, DENT_METHOD_CONTOUR_WALK); /* nothing known yet */
        dent_query_counters learned = step(&blocks, blocks.together);
        assert_int_equal(learned.method, DENT_METHOD_CLUSTER_SEARCH);
        assert_non_null(strstr(learned.reason, "much overlapped in the last answer"));
        assert_int_equal(step(&blocks, blocks.apart).method, DENT_METHOD_CLUSTER_SEARCH);
        assert_int_equal(step(&blocks, blocks.apart).method, DENT_METHOD_CONTOUR_WALK);
        free_blocks(&blocks);
        dent_context_destroy(context);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(auto_turns_to_the_clusters_while_much_overlaps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
