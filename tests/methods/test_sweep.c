/* The sweep where one box meets thousands: it goes through them in chunks, and none falls between two. */
#include "support/cmocka_includes.h"

#include "support/random_scene.h"
#include "support/test_context.h"

enum { TRIANGLES = 5000, VERTICES = 3 * TRIANGLES };

/* A cell that holds them all, then as many small triangles: far more than a chunk begin inside its box. */
static void make_crowd(struct test_scene *scene)
{
    static const double corners[4][3] = {{-40, -40, -40}, {280, -40, -40}, {-40, 280, -40}, {-40, -40, 280}};
    dent_random random = dent_random_seeded(87);
    struct test_body *cell = test_scene_new_body(scene, DENT_BODY_SOLID, 4, 1, 4);
    memcpy(cell->xyz, corners, sizeof corners);
    for (uint32_t i = 0; i < 4; i++) {
        cell->corners[i] = i;
    }
    struct test_body *crowd = test_scene_new_body(scene, DENT_BODY_SURFACE, VERTICES, TRIANGLES, VERTICES);
    for (uint32_t v = 0; v < VERTICES; v++) {
        crowd->corners[v] = v;
        for (int axis = 0; axis < 3; axis++) {
            double middle = (double)(v / 3 / (axis == 0 ? 1 : axis == 1 ? 20 : 400) % 20);
            crowd->xyz[v][axis] = middle + 0.5 * dent_random_unit(&random);
        }
    }
}

static void a_box_that_meets_thousands_meets_them_all(void **state)
{
    (void)state;
    struct test_scene scene = {0};
    make_crowd(&scene);
    for (int isa = DENT_ISA_SCALAR; isa < DENT_ISA_COUNT; isa++) {
        if (!dent_isa_available((dent_isa)isa)) {
            continue;
        }
        dent_context *context = test_context(2, (dent_isa)isa);
        dent_world *world = dent_world_create(context);
        dent_query_def def = dent_query_def_default();
        dent_query_result result;
        def.questions = DENT_QUESTION_VERTEX_CELL | DENT_QUESTION_FACE_CELL;
        def.method = DENT_METHOD_SWEEP;
        assert_int_equal(test_scene_add(&scene, world), DENT_OK);
        assert_int_equal(dent_world_query(world, &def, &result), DENT_OK);
        assert_int_equal(result.vertex_cell.count, VERTICES);
        assert_int_equal(result.face_cell.count, TRIANGLES);
        dent_world_destroy(world);
        dent_context_destroy(context);
    }
    test_scene_free(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box_that_meets_thousands_meets_them_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
