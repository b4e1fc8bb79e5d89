/* Scenes as bodies of a world: all of them or none, with names, and sound by the library's own measures. */
#include "support/cmocka_includes.h"
#include "support/failing_allocator.h"

#include <dent/scene.h>
#include <dent/world.h>

#include <stdlib.h>
#include <string.h>

struct stage {
    dent_scene *scene;
    uint32_t body_count;
    double **positions;
    dent_body_id *ids;
};

static struct stage make_stage(dent_context *context, const char *name, double scale)
{
    struct stage stage = {0};
    dent_scene_def def = dent_scene_def_default();
    def.name = name;
    def.scale = scale;
    assert_int_equal(dent_scene_create(context, &def, &stage.scene), DENT_OK);
    stage.body_count = dent_scene_body_count(stage.scene);
    stage.positions = calloc(stage.body_count, sizeof *stage.positions);
    stage.ids = calloc(stage.body_count, sizeof *stage.ids);
    for (uint32_t b = 0; b < stage.body_count; b++) {
        stage.positions[b] = malloc(3 * sizeof(double) * dent_scene_body_at(stage.scene, b)->vertex_count);
        dent_scene_positions(stage.scene, b, 0, stage.positions[b]);
    }
    return stage;
}

static void free_stage(struct stage *stage)
{
    for (uint32_t b = 0; b < stage->body_count; b++) {
        free(stage->positions[b]);
    }
    free(stage->positions);
    free(stage->ids);
    dent_scene_destroy(stage->scene);
}

static void every_scene_becomes_sound_bodies(void **state)
{
    (void)state;
    dent_context *context = dent_context_create(NULL, NULL);
    for (uint32_t s = 0; s < dent_scene_count(); s++) {
        struct stage stage = make_stage(context, dent_scene_info_at(s)->name, 0.01);
        dent_world *world = dent_world_create(context);
        assert_int_equal(dent_scene_add_to_world(stage.scene, world, stage.positions, stage.ids), DENT_OK);
        assert_int_equal(dent_world_body_count(world), stage.body_count);
        for (uint32_t b = 0; b < stage.body_count; b++) {
            const dent_scene_body *body = dent_scene_body_at(stage.scene, b);
            dent_body_topology topology;
            dent_body_metrics measure;
            assert_string_equal(dent_body_name(world, stage.ids[b]), body->name);
            assert_int_equal(dent_body_index(world, stage.ids[b]), b);
            assert_int_equal(dent_body_get_topology(world, stage.ids[b], &topology), DENT_OK);
            assert_int_equal(dent_body_get_metrics(world, stage.ids[b], &measure), DENT_OK);
            assert_int_equal(topology.vertex_count, body->vertex_count);
            assert_int_equal(topology.element_count, body->element_count);
            bool teapot = strcmp(dent_scene_info_at(s)->name, "teapot") == 0; /* a turned body, a spout and a handle */
            uint32_t parts = body->kind == DENT_BODY_STRANDS  ? body->strand_count
                             : body->kind == DENT_BODY_POINTS ? body->vertex_count
                             : teapot                         ? 3
                                                              : 1;
            const char *scene_name = dent_scene_info_at(s)->name; /* these are put together from boxes */
            if (strcmp(scene_name, "piano") == 0 || strcmp(scene_name, "shelf") == 0) {
                parts = topology.component_count;
            }
            assert_int_equal(topology.component_count, parts);
            assert_int_equal(topology.unused_vertices + topology.duplicate_elements + topology.nonmanifold_edges +
                                 topology.nonmanifold_faces,
                             0);
            assert_int_equal(measure.inverted_cells + measure.flat_cells, 0);
            if (body->kind == DENT_BODY_SOLID) {
                assert_true(topology.surface_closed);
            }
        }
        dent_world_destroy(world);
        free_stage(&stage);
    }
    dent_context_destroy(context);
}

static void a_scene_is_added_whole_or_not_at_all(void **state)
{
    (void)state;
    struct failing_allocator memory = failing_allocator_make();
    dent_context_def def = dent_context_def_default();
    def.thread_count = 1;
    def.allocator = failing_allocator_hook(&memory);
    dent_context *context = dent_context_create(&def, NULL);
    struct stage stage = make_stage(context, "teschner-a", 0.04);
    dent_world *world = dent_world_create(context);
    dent_status status;
    uint64_t n = 0;
    do {
        memory.requests = 0;
        memory.fail_at = ++n;
        status = dent_scene_add_to_world(stage.scene, world, stage.positions, stage.ids);
        memory.fail_at = 0;
        assert_int_equal(dent_world_body_count(world), status == DENT_OK ? stage.body_count : 0);
    } while (status == DENT_ERROR_OUT_OF_MEMORY);
    assert_int_equal(status, DENT_OK);
    assert_true(n > stage.body_count);
    dent_world_destroy(world);
    free_stage(&stage);
    dent_context_destroy(context);
    assert_true(failing_allocator_clean(&memory));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_scene_becomes_sound_bodies),
        cmocka_unit_test(a_scene_is_added_whole_or_not_at_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
