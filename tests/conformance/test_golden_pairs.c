/* Golden answers: number and fingerprint of the pairs of every scene, at a small scale and two frames, by AUTO. The
 * same on every machine, compiler, optimisation level (.ci/run builds three ways). A scene that changes on purpose gets
 * new lines:
 *
 *     DENT_PRINT_GOLDEN=1 build/release/tests/test_golden_pairs > tests/conformance/golden_pairs.inc
 */
#include "support/cmocka_includes.h"

#include "support/scene_world.h"

#include <inttypes.h>
#include <string.h>

struct golden {
    const char *scene;
    double scale;
    uint32_t frame;
    uint64_t elements, vertex_cell, face_cell, face_face;
    uint64_t hash_vertex_cell, hash_face_cell, hash_face_face;
};

static const struct golden table[] = {
#include "golden_pairs.inc"
};

static struct golden answer(dent_context *context, const char *name, double scale, uint32_t frame)
{
    struct scene_world stage;
    dent_query_def def = dent_query_def_default();
    dent_query_result result;
    assert_true(scene_world_open(&stage, context, name, scale));
    scene_world_pose(&stage, frame);
    def.questions = DENT_QUESTION_VERTEX_CELL | DENT_QUESTION_FACE_CELL | DENT_QUESTION_FACE_FACE;
    assert_int_equal(dent_world_query(stage.world, &def, &result), DENT_OK);
    struct golden got = {
        name,
        scale,
        frame,
        stage.elements,
        result.vertex_cell.count,
        result.face_cell.count,
        result.face_face.count,
        dent_pair_list_hash(stage.world, DENT_QUESTION_VERTEX_CELL, &result.vertex_cell),
        dent_pair_list_hash(stage.world, DENT_QUESTION_FACE_CELL, &result.face_cell),
        dent_pair_list_hash(stage.world, DENT_QUESTION_FACE_FACE, &result.face_face),
    };
    scene_world_close(&stage);
    return got;
}

static void print_table(dent_context *context)
{
    static const uint32_t frames[] = {3, 50};
    for (uint32_t i = 0; i < dent_scene_count(); i++) {
        const char *name = dent_scene_info_at(i)->name;
        double scale = scene_scale_for(context, name, 10000);
        for (size_t f = 0; f < sizeof frames / sizeof frames[0]; f++) {
            struct golden got = answer(context, name, scale, frames[f]);
            printf("{\"%s\", %g, %" PRIu32 ", %" PRIu64 ", %" PRIu64 ", %" PRIu64 ", %" PRIu64
                   ",\n UINT64_C(0x%016" PRIx64 "), UINT64_C(0x%016" PRIx64 "), UINT64_C(0x%016" PRIx64 ")},\n",
                   got.scene, got.scale, got.frame, got.elements, got.vertex_cell, got.face_cell, got.face_face,
                   got.hash_vertex_cell, got.hash_face_cell, got.hash_face_face);
        }
    }
}

static void every_scene_has_its_golden_pairs(void **state)
{
    (void)state;
    dent_context *context = dent_context_create(NULL, NULL);
    uint32_t scenes = 0;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        struct golden got = answer(context, table[i].scene, table[i].scale, table[i].frame);
        printf("%s, frame %u\n", table[i].scene, (unsigned)table[i].frame);
        assert_int_equal(got.elements, table[i].elements);
        assert_int_equal(got.vertex_cell, table[i].vertex_cell);
        assert_int_equal(got.face_cell, table[i].face_cell);
        assert_int_equal(got.face_face, table[i].face_face);
        assert_true(got.hash_vertex_cell == table[i].hash_vertex_cell);
        assert_true(got.hash_face_cell == table[i].hash_face_cell);
        assert_true(got.hash_face_face == table[i].hash_face_face);
        scenes += i == 0 || strcmp(table[i].scene, table[i - 1].scene) != 0;
    }
    assert_int_equal(scenes, dent_scene_count()); /* none is without */
    dent_context_destroy(context);
}

int main(void)
{
    if (getenv("DENT_PRINT_GOLDEN")) {
        dent_context *context = dent_context_create(NULL, NULL);
        print_table(context);
        dent_context_destroy(context);
        return 0;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_scene_has_its_golden_pairs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
