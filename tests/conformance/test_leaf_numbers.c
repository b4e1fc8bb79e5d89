/* The cluster search compares in floats or in doubles, cluster by cluster: the lists are the oracle's with either, and
 * while it changes between them, where surfaces coincide up to rounding and on random scenes of every kind; on every
 * instruction set and with several threads. By itself it changes to doubles where floats leave much open, and back. */
#include "support/cmocka_includes.h"

#include <dent/experimental.h>

#include "support/failing_allocator.h"
#include "support/random_scene.h"
#include "support/scene_world.h"

#include <string.h>

enum { NUMBERS = 4, SETTINGS = 4 };
static const uint32_t both_questions = DENT_QUESTION_VERTEX_CELL | DENT_QUESTION_FACE_CELL;

static dent_query_result ask(dent_world *world, dent_method method, int setting, const dent_experiments *experiments)
{
    dent_query_def def = dent_query_def_default();
    dent_query_result result;
    def.questions = both_questions;
    def.method = method;
    def.touching = setting & 1;
    def.surface_vertices_only = setting & 2;
    def.experiments = experiments;
    assert_int_equal(dent_world_query(world, &def, &result), DENT_OK);
    return result;
}

static dent_query_result ask_in(dent_world *world, int setting, dent_leaf_numbers numbers)
{
    dent_experiments experiments = dent_experiments_default();
    experiments.cluster_search.numbers = numbers;
    return ask(world, DENT_METHOD_CLUSTER_SEARCH, setting, &experiments);
}

/* The lists of both questions, one behind the other. */
struct lists {
    dent_pair *pairs;
    uint64_t count, vertex_count;
};

static struct lists keep(const dent_query_result *result)
{
    struct lists lists = {NULL, result->vertex_cell.count + result->face_cell.count, result->vertex_cell.count};
    lists.pairs = test_allocate(lists.count, sizeof *lists.pairs);
    if (result->vertex_cell.count > 0) {
        memcpy(lists.pairs, result->vertex_cell.pairs, result->vertex_cell.count * sizeof *lists.pairs);
    }
    if (result->face_cell.count > 0) {
        memcpy(lists.pairs + result->vertex_cell.count, result->face_cell.pairs,
               result->face_cell.count * sizeof *lists.pairs);
    }
    return lists;
}

static void assert_lists(const dent_query_result *result, const struct lists *lists)
{
    struct lists got = keep(result);
    assert_int_equal(got.count, lists->count);
    assert_int_equal(got.vertex_count, lists->vertex_count);
    assert_memory_equal(got.pairs, lists->pairs, lists->count * sizeof *lists->pairs);
    free(got.pairs);
}

static dent_context *open_context(int isa, uint32_t threads)
{
    dent_context_def def = dent_context_def_default();
    def.thread_count = threads;
    def.isa = (dent_isa)isa;
    dent_context *context = dent_context_create(&def, NULL);
    assert_non_null(context);
    return context;
}

/* ---- lists ----------------------------------------------------------------------------------- */

static void numbers_do_not_change_the_lists_where_parts_fit(void **state)
{
    (void)state;
    static const uint32_t frames[] = {0, 7}, threads[] = {1, 3};
    static const int settings[] = {0, 3};
    enum { FRAMES = 2, ASKED = 2 };
    dent_context *oracle = dent_context_create(NULL, NULL);
    struct scene_world reference;
    struct lists lists[FRAMES][ASKED];
    assert_true(scene_world_open(&reference, oracle, "fitted", 0.02));
    for (int f = 0; f < FRAMES; f++) {
        scene_world_pose(&reference, frames[f]);
        for (int i = 0; i < ASKED; i++) {
            dent_query_result result = ask(reference.world, DENT_METHOD_BRUTE_FORCE, settings[i], NULL);
            lists[f][i] = keep(&result);
            assert_true(result.face_cell.count > 0);
        }
    }
    for (int isa = DENT_ISA_SCALAR; isa < DENT_ISA_COUNT; isa++) {
        for (int t = 0; t < 2 && dent_isa_available((dent_isa)isa); t++) {
            dent_context *context = open_context(isa, threads[t]);
            for (int numbers = 0; numbers < NUMBERS; numbers++) {
                struct scene_world stage;
                assert_true(scene_world_open_on(&stage, context, reference.scene));
                for (int i = 0; i < FRAMES * ASKED; i++) {
                    scene_world_pose(&stage, frames[i / ASKED]);
                    dent_query_result result = ask_in(stage.world, settings[i % ASKED], (dent_leaf_numbers)numbers);
                    assert_lists(&result, &lists[i / ASKED][i % ASKED]);
                }
                scene_world_close(&stage);
            }
            dent_context_destroy(context);
        }
    }
    for (int i = 0; i < FRAMES * ASKED; i++) {
        free(lists[i / ASKED][i % ASKED].pairs);
    }
    scene_world_close(&reference);
    dent_context_destroy(oracle);
}

static void compare_random_scene(struct test_scene *scene, dent_context *const *contexts, uint64_t *pairs)
{
    struct lists lists[SETTINGS];
    dent_world *oracle = dent_world_create(contexts[DENT_ISA_SCALAR]);
    assert_int_equal(test_scene_add(scene, oracle), DENT_OK);
    for (int setting = 0; setting < SETTINGS; setting++) {
        dent_query_result result = ask(oracle, DENT_METHOD_BRUTE_FORCE, setting, NULL);
        lists[setting] = keep(&result);
        *pairs += lists[setting].count;
    }
    for (int isa = DENT_ISA_SCALAR; isa < DENT_ISA_COUNT; isa++) {
        dent_world *world = contexts[isa] ? dent_world_create(contexts[isa]) : NULL;
        if (!world) {
            continue;
        }
        assert_int_equal(test_scene_add(scene, world), DENT_OK);
        for (int i = 0; i < 2 * NUMBERS * SETTINGS; i++) {
            dent_query_result result = ask_in(world, i % SETTINGS, (dent_leaf_numbers)(i / SETTINGS % NUMBERS));
            assert_lists(&result, &lists[i % SETTINGS]);
        }
        dent_world_destroy(world);
    }
    dent_world_destroy(oracle);
    for (int setting = 0; setting < SETTINGS; setting++) {
        free(lists[setting].pairs);
    }
}

static void numbers_do_not_change_the_lists_of_random_scenes(void **state)
{
    (void)state;
    uint64_t scenes = getenv("DENT_QUICK_TESTS") ? 2 : getenv("DENT_LONG_TESTS") ? 100 : 3, pairs = 0;
    dent_context *contexts[DENT_ISA_COUNT] = {NULL};
    for (int isa = DENT_ISA_SCALAR; isa < DENT_ISA_COUNT; isa++) {
        contexts[isa] = dent_isa_available((dent_isa)isa) ? open_context(isa, 1 + (uint32_t)isa % 3) : NULL;
    }
    for (int kind = 0; kind < SCENE_KIND_COUNT; kind++) {
        for (uint64_t seed = 0; seed < scenes; seed++) {
            struct test_scene scene;
            test_scene_make(&scene, kind, 9000 + seed);
            compare_random_scene(&scene, contexts, &pairs);
            test_scene_free(&scene);
        }
    }
    printf("%llu pairs\n", (unsigned long long)pairs);
    assert_true(pairs > 10000);
    for (int isa = 0; isa < DENT_ISA_COUNT; isa++) {
        dent_context_destroy(contexts[isa]);
    }
}

/* Adds the bodies of a scene to a world. */
typedef dent_status add_bodies(void *data, dent_world *world);

/* Equal to the oracle's lists in every query, in a world for each of the numbers. */
static void compare_all_numbers(dent_context *context, add_bodies *add, void *data, const struct lists *lists)
{
    for (int numbers = 0; numbers < NUMBERS; numbers++) {
        dent_world *world = dent_world_create(context);
        assert_int_equal(add(data, world), DENT_OK);
        for (int i = 0; i < 2 * SETTINGS; i++) {
            dent_query_result result = ask_in(world, i % SETTINGS, (dent_leaf_numbers)numbers);
            assert_lists(&result, &lists[i % SETTINGS]);
        }
        dent_world_destroy(world);
    }
}

/* On every instruction set. */
static void compare_everywhere(add_bodies *add, void *data)
{
    dent_context *context = dent_context_create(NULL, NULL);
    dent_world *oracle = dent_world_create(context);
    struct lists lists[SETTINGS];
    assert_int_equal(add(data, oracle), DENT_OK);
    for (int setting = 0; setting < SETTINGS; setting++) {
        dent_query_result result = ask(oracle, DENT_METHOD_BRUTE_FORCE, setting, NULL);
        lists[setting] = keep(&result);
        assert_true(result.face_cell.count > 0);
    }
    for (int isa = DENT_ISA_SCALAR; isa < DENT_ISA_COUNT; isa++) {
        if (dent_isa_available((dent_isa)isa)) {
            dent_context *other = open_context(isa, 1);
            compare_all_numbers(other, add, data, lists);
            dent_context_destroy(other);
        }
    }
    for (int setting = 0; setting < SETTINGS; setting++) {
        free(lists[setting].pairs);
    }
    dent_world_destroy(oracle);
    dent_context_destroy(context);
}

static dent_status add_hexahedron(void *data, dent_world *world)
{
    static double corners[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                   {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
    static const uint32_t cell[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    static const uint8_t kind = DENT_CELL_HEXAHEDRON;
    static uint32_t triangles[56][3];
    (void)data;
    dent_body_def solid = dent_solid_def_default(), surface = dent_surface_def_default();
    dent_body_id id;
    uint32_t count = 0;
    for (uint32_t i = 0; i < 8; i++) {
        for (uint32_t j = i + 1; j < 8; j++) {
            for (uint32_t k = j + 1; k < 8; k++, count++) {
                memcpy(triangles[count], (uint32_t[3]){i, j, k}, sizeof triangles[count]);
            }
        }
    }
    solid.vertex_count = surface.vertex_count = 8;
    solid.positions_t0 = surface.positions_t0 = dent_positions_double(corners[0]);
    solid.element_count = 1;
    solid.element_corners = cell;
    solid.cell_kinds = &kind;
    surface.element_count = count;
    surface.element_corners = triangles[0];
    dent_status status = dent_world_add_body(world, &solid, &id);
    return status ? status : dent_world_add_body(world, &surface, &id);
}

static void faces_on_planes_inside_a_split_cell_are_found_in_either_numbers(void **state)
{
    (void)state;
    compare_everywhere(add_hexahedron, NULL);
}

/* A floor of one cluster; upon it blocks of several, each followed by a single cell that reaches into it. More than are
 * noted at a time: the floor is taken up again in the middle. */
enum { BLOCKS = 300, ROW_OF_BLOCKS = 20 };
struct floor_scene {
    struct test_scene shapes; /* floor, block, cell */
    double (*positions)[3];
};

static dent_status add_moved(dent_world *world, const struct test_body *shape, const double by[3], double (*to)[3])
{
    dent_body_def def = dent_solid_def_default();
    dent_body_id id;
    for (uint32_t i = 0; i < shape->vertex_count; i++) {
        for (int axis = 0; axis < 3; axis++) {
            to[i][axis] = shape->xyz[i][axis] + by[axis];
        }
    }
    def.vertex_count = shape->vertex_count;
    def.element_count = shape->element_count;
    def.element_corners = shape->corners;
    def.positions_t0 = dent_positions_double(to[0]);
    return dent_world_add_body(world, &def, &id);
}

static dent_status add_floor(void *data, dent_world *world)
{
    struct floor_scene *floor = data;
    const struct test_body *bodies = floor->shapes.bodies;
    double(*to)[3] = floor->positions;
    dent_status status = add_moved(world, &bodies[0], (const double[3]){0, 0, 0}, to);
    to += bodies[0].vertex_count;
    for (int i = 0; i < BLOCKS && status == DENT_OK; i++) {
        double x = 4.0 * (i % ROW_OF_BLOCKS), y = 4.0 * (i / ROW_OF_BLOCKS);
        status = add_moved(world, &bodies[1], (const double[3]){x, y, 0}, to);
        to += bodies[1].vertex_count;
        status = status ? status : add_moved(world, &bodies[2], (const double[3]){x + 3.3, y, -0.5}, to);
        to += bodies[2].vertex_count;
    }
    return status;
}

static void a_cluster_taken_up_again_changes_its_numbers_without_losing_pairs(void **state)
{
    (void)state;
    struct floor_scene floor = {0};
    struct test_body *bodies = floor.shapes.bodies;
    test_add_block(&floor.shapes, 1, 1, 1);
    test_add_block(&floor.shapes, 3, 3, 2);
    test_add_block(&floor.shapes, 1, 1, 1);
    test_place_lattice(&bodies[0], (const uint32_t[3]){1, 1, 1});
    test_place_lattice(&bodies[1], (const uint32_t[3]){3, 3, 2});
    test_place_lattice(&bodies[2], (const uint32_t[3]){1, 1, 1});
    for (uint32_t i = 0; i < bodies[0].vertex_count; i++) {
        bodies[0].xyz[i][0] = 100 * bodies[0].xyz[i][0] - 5;
        bodies[0].xyz[i][1] = 100 * bodies[0].xyz[i][1] - 5;
        bodies[0].xyz[i][2] -= 1;
    }
    for (uint32_t i = 0; i < bodies[2].vertex_count; i++) {
        bodies[2].xyz[i][0] *= 0.5;
    }
    bodies[2].element_count = 1;
    floor.positions = test_allocate(bodies[0].vertex_count +
                                        BLOCKS * (size_t)(bodies[1].vertex_count + bodies[2].vertex_count),
                                    sizeof *floor.positions);
    compare_everywhere(add_floor, &floor);
    free(floor.positions);
    test_scene_free(&floor.shapes);
}

/* ---- the switch ------------------------------------------------------------------------------ */

enum { CUBES = 4, LAYER = (CUBES + 1) * (CUBES + 1) };

/* Two blocks out of shape, so that nothing else is in one plane: one upon the other up to rounding, or pushed into it. */
static void place_blocks(struct test_scene *scene, bool fitted)
{
    static const uint32_t cubes[3] = {CUBES, CUBES, CUBES};
    for (int b = 0; b < 2; b++) {
        struct test_body *body = &scene->bodies[b];
        dent_random random = dent_random_seeded((uint64_t)b);
        test_place_lattice(body, cubes);
        for (uint32_t i = 0; i < body->vertex_count; i++) {
            for (int axis = 0; axis < 3; axis++) {
                double height = b == 0 || axis < 2 ? 0 : fitted ? CUBES : CUBES - 0.7;
                body->xyz[i][axis] += height + 0.2 * dent_random_unit(&random);
            }
            for (int axis = 0; axis < 3 && b == 1 && fitted && i < LAYER; axis++) { /* the lowest layer */
                double bump = 1e-9 * (dent_random_unit(&random) - 0.5);
                body->xyz[i][axis] = scene->bodies[0].xyz[CUBES * LAYER + i][axis] + bump;
            }
        }
    }
}

/* Without certificates, which change the candidates too. */
static uint64_t candidates_of(dent_world *world)
{
    dent_experiments experiments = dent_experiments_default();
    experiments.cluster_search.no_certificate = true;
    return ask(world, DENT_METHOD_CLUSTER_SEARCH, 0, &experiments).counters.candidates;
}

static void doubles_come_where_floats_leave_much_open_and_go_again(void **state)
{
    (void)state;
    enum { LONGEST_STAY = 256 };
    for (int isa = DENT_ISA_SCALAR; isa < DENT_ISA_COUNT; isa++) {
        if (!dent_isa_available((dent_isa)isa)) {
            continue;
        }
        dent_context *context = open_context(isa, 1);
        dent_world *world = dent_world_create(context);
        struct test_scene scene = {0};
        test_add_block(&scene, CUBES, CUBES, CUBES);
        test_add_block(&scene, CUBES, CUBES, CUBES);
        place_blocks(&scene, true);
        assert_int_equal(test_scene_add(&scene, world), DENT_OK);
        uint64_t in_floats = candidates_of(world), allocations = dent_context_memory_use(context).allocations;
        uint64_t afterwards = candidates_of(world);
        assert_true(in_floats > 200);
        if (isa == DENT_ISA_SCALAR) {
            assert_int_equal(afterwards, in_floats);
        } else {
            assert_true(afterwards * 10 < in_floats);
            assert_int_equal(candidates_of(world), afterwards);
        }
        assert_int_equal(dent_context_memory_use(context).allocations, allocations);
        place_blocks(&scene, false);
        for (int i = 0; i < LONGEST_STAY; i++) {
            candidates_of(world);
        }
        place_blocks(&scene, true);
        assert_int_equal(candidates_of(world), in_floats);
        dent_world_destroy(world);
        test_scene_free(&scene);
        dent_context_destroy(context);
    }
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* Queries in floats, then in doubles: whichever request fails, the world says so and answers when asked again. */
static void a_query_in_any_numbers_survives_memory_that_ends(void **state)
{
    (void)state;
    struct failing_allocator memory = failing_allocator_make();
    dent_context_def context_def = dent_context_def_default();
    context_def.allocator = failing_allocator_hook(&memory);
    uint64_t refused = 0, stride = getenv("DENT_QUICK_TESTS") ? 29 : getenv("DENT_LONG_TESTS") ? 1 : 11;
    for (uint64_t fail_at = 1; fail_at < 400; fail_at += stride) {
        dent_context *context = dent_context_create(&context_def, NULL);
        struct scene_world stage;
        assert_true(scene_world_open(&stage, context, "fitted", 0.02));
        scene_world_pose(&stage, 0);
        dent_query_def def = dent_query_def_default();
        dent_experiments experiments = dent_experiments_default();
        dent_query_result result;
        def.questions = both_questions;
        def.method = DENT_METHOD_CLUSTER_SEARCH;
        def.experiments = &experiments;
        memory.requests = 0;
        memory.fail_at = fail_at;
        dent_status status = DENT_OK;
        for (int numbers = 0; numbers < NUMBERS && status == DENT_OK; numbers++) {
            experiments.cluster_search.numbers = (dent_leaf_numbers)(NUMBERS - 1 - numbers);
            status = dent_world_query(stage.world, &def, &result);
        }
        assert_true(status == DENT_OK || status == DENT_ERROR_OUT_OF_MEMORY);
        refused += status != DENT_OK;
        memory.fail_at = 0;
        dent_query_result again = ask_in(stage.world, 0, (dent_leaf_numbers)(NUMBERS - 1));
        assert_true(again.face_cell.count > 0);
        scene_world_close(&stage);
        dent_context_destroy(context);
        if (status == DENT_OK) {
            break;
        }
    }
    assert_true(refused > 2);
    assert_true(failing_allocator_clean(&memory));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_do_not_change_the_lists_where_parts_fit),
        cmocka_unit_test(numbers_do_not_change_the_lists_of_random_scenes),
        cmocka_unit_test(faces_on_planes_inside_a_split_cell_are_found_in_either_numbers),
        cmocka_unit_test(a_cluster_taken_up_again_changes_its_numbers_without_losing_pairs),
        cmocka_unit_test(doubles_come_where_floats_leave_much_open_and_go_again),
        cmocka_unit_test(a_query_in_any_numbers_survives_memory_that_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
