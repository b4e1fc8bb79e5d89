/* Bodies of points on random scenes: every method of every question gives the records of its oracle, to the bit, for
 * every number of threads and instruction set; and what points mean to the check, by an independent way. */
#include "query/proximity_cases.h"
#include "support/failing_allocator.h"
#include "support/pair_lists.h"

#include <dent/contact.h>
#include <dent/experimental.h>
#include <dent/impact.h>
#include <dent/penetration.h>

enum { POINTS = 40, CLOUDS = 2 };

static const uint32_t thread_counts[] = {1, 2, 7};

struct fleet {
    dent_context *contexts[9];
    uint32_t count;
};

static int open_fleet(void **state)
{
    static struct fleet fleet;
    fleet.count = 0;
    for (int isa = DENT_ISA_SCALAR; isa < DENT_ISA_COUNT; isa++) {
        for (int i = 0; i < 3 && dent_isa_available((dent_isa)isa); i++) {
            fleet.contexts[fleet.count++] = test_context(thread_counts[i], (dent_isa)isa);
        }
    }
    *state = &fleet;
    return 0;
}

static int close_fleet(void **state)
{
    struct fleet *fleet = *state;
    for (uint32_t i = 0; i < fleet->count; i++) {
        dent_context_destroy(fleet->contexts[i]);
    }
    return 0;
}

/* A scene of solids and surfaces with bodies of points behind them. */
struct point_scene {
    struct test_scene others;
    uint32_t counts[CLOUDS];
    double start[CLOUDS][POINTS][3], end[CLOUDS][POINTS][3];
    bool tied; /* the first point of each is the first vertex of body 0 */
};

/* At a vertex, on an edge or a face, or anywhere between vertices of the scene: contact is common. */
static void draw_point(const struct test_scene *scene, dent_random *random, double p[3])
{
    const struct test_body *body = &scene->bodies[dent_random_below(random, scene->body_count)];
    double weights[4] = {1, 0, 0, 0};
    const double *corners[4];
    uint32_t mode = dent_random_below(random, 4);
    const uint32_t *element = body->corners;
    for (int k = 0; k < 4; k++) {
        corners[k] = body->xyz[mode == 3 || k == 3 ? dent_random_below(random, body->vertex_count) : element[k % 3]];
        weights[k] = mode == 0 ? (k == 0) : mode == 1 ? 0.5 * (k < 2) : mode == 2 ? (k < 2 ? 0.25 : k == 2 ? 0.5 : 0) : 0.25;
    }
    for (int axis = 0; axis < 3; axis++) {
        p[axis] = 0;
        for (int k = 0; k < 4; k++) {
            p[axis] += weights[k] * corners[k][axis];
        }
    }
}

static void scene_make(struct point_scene *scene, int kind, uint64_t seed)
{
    dent_random random = dent_random_seeded(seed * 7 + (uint64_t)kind);
    test_scene_make(&scene->others, kind, seed);
    scene->tied = seed % 4 == 1;
    for (uint32_t c = 0; c < CLOUDS; c++) {
        scene->counts[c] = c == 0 ? POINTS : dent_random_below(&random, 20); /* none, too */
        for (uint32_t i = 0; i < POINTS; i++) {
            draw_point(&scene->others, &random, scene->start[c][i]);
            draw_point(&scene->others, &random, scene->end[c][i]);
            if (seed % 5 == 2 && i > 0) { /* all equal */
                memcpy(scene->start[c][i], scene->start[c][0], sizeof scene->start[c][0]);
            }
        }
    }
}

static dent_world *world_of(const struct point_scene *scene, dent_context *context)
{
    dent_world *world = dent_world_create(context);
    assert_non_null(world);
    assert_int_equal(test_scene_add(&scene->others, world), DENT_OK);
    for (uint32_t c = 0; c < CLOUDS; c++) {
        dent_body_def def = dent_points_def_default();
        dent_same_as tie = {0, dent_world_body_at(world, 0), 0};
        dent_body_id id;
        def.vertex_count = scene->counts[c];
        def.positions_t0 = dent_positions_double(scene->start[c][0]);
        def.positions_t1 = dent_positions_double(scene->end[c][0]);
        def.thickness = c == 0 ? 0.125 : DENT_THICKNESS_FROM_QUERY;
        def.same_as = &tie;
        def.same_as_count = scene->tied && def.vertex_count > 0;
        assert_int_equal(dent_world_add_body(world, &def, &id), DENT_OK);
    }
    return world;
}

static bool of_points(const struct point_scene *scene, uint32_t body)
{
    return body >= scene->others.body_count;
}

/* ---- the questions ----------------------------------------------------------------------------------------------- */

static uint64_t compare_discrete(const struct point_scene *scene, const struct fleet *fleet, uint64_t seed)
{
    dent_world *reference = world_of(scene, fleet->contexts[0]);
    dent_query_def def = dent_query_def_default();
    dent_query_result expected, got;
    uint64_t found = 0;
    def.questions = DENT_DISCRETE_QUESTIONS;
    def.touching = seed % 3 == 0;
    def.method = DENT_METHOD_BRUTE_FORCE;
    assert_int_equal(dent_world_query(reference, &def, &expected), DENT_OK);
    for (uint64_t i = 0; i < expected.vertex_cell.count; i++) {
        found += of_points(scene, expected.vertex_cell.pairs[i].body_a);
        assert_false(of_points(scene, expected.vertex_cell.pairs[i].body_b));
    }
    dent_world *world = world_of(scene, fleet->contexts[seed % fleet->count]);
    for (int method = 0; method < DENT_METHOD_COUNT; method++) {
        def.method = (dent_method)method;
        def.questions = dent_method_questions(def.method);
        if (def.questions) {
            assert_int_equal(dent_world_query(world, &def, &got), DENT_OK);
            assert_same_lists(&expected, &got, def.questions);
        }
    }
    dent_world_destroy(world);
    dent_world_destroy(reference);
    return found;
}

static uint64_t compare_proximity(const struct point_scene *scene, const struct fleet *fleet, uint64_t seed)
{
    dent_world *oracle = world_of(scene, fleet->contexts[0]);
    dent_world *world = world_of(scene, fleet->contexts[(seed + 1) % fleet->count]);
    dent_proximity_result answer = ask(oracle, 0.05, DENT_METHOD_BRUTE_FORCE);
    struct kept expected = keep(&answer);
    uint64_t found = 0;
    answer = ask(world, 0.05, DENT_METHOD_AUTO);
    assert_true(equal(&expected, &answer));
    for (uint64_t i = 0; i < expected.count; i++) {
        found += of_points(scene, expected.pairs[i].body_a);
        assert_false(of_points(scene, expected.pairs[i].body_b));
    }
    free(expected.pairs);
    dent_world_destroy(oracle);
    dent_world_destroy(world);
    return found;
}

static uint64_t compare_impacts(const struct point_scene *scene, const struct fleet *fleet, uint64_t seed)
{
    dent_world *oracle = world_of(scene, fleet->contexts[0]);
    dent_world *world = world_of(scene, fleet->contexts[(seed + 2) % fleet->count]);
    dent_impact_def def = dent_impact_def_default();
    dent_impact_result expected, got;
    uint64_t found = 0;
    def.method = DENT_METHOD_BRUTE_FORCE;
    assert_int_equal(dent_world_impacts(oracle, &def, &expected), DENT_OK);
    def.method = DENT_METHOD_AUTO;
    assert_int_equal(dent_world_impacts(world, &def, &got), DENT_OK);
    assert_int_equal(expected.count, got.count);
    for (uint64_t i = 0; i < got.count; i++) {
        assert_memory_equal(&expected.impacts[i], &got.impacts[i], sizeof got.impacts[i]);
        found += of_points(scene, got.impacts[i].body_a);
    }
    dent_world_destroy(oracle);
    dent_world_destroy(world);
    return found;
}

/* A point in an open cell, or with a winding number, penetrates; the check counts at least those. */
static uint64_t compare_check(const struct point_scene *scene, const struct fleet *fleet, uint64_t seed)
{
    dent_world *oracle = world_of(scene, fleet->contexts[0]);
    dent_world *world = world_of(scene, fleet->contexts[(seed + 3) % fleet->count]);
    dent_check_def def = dent_check_def_default();
    dent_check_result expected, got;
    uint64_t found = 0;
    def.method = DENT_METHOD_BRUTE_FORCE;
    assert_int_equal(dent_world_check(oracle, &def, &expected), DENT_OK);
    def.method = DENT_METHOD_AUTO;
    assert_int_equal(dent_world_check(world, &def, &got), DENT_OK);
    assert_int_equal(expected.pair_count, got.pair_count);
    for (uint64_t i = 0; i < got.pair_count; i++) {
        assert_memory_equal(&expected.pairs[i], &got.pairs[i], sizeof got.pairs[i]);
        assert_false(of_points(scene, got.pairs[i].body_a)); /* points with points, and with themselves */
        found += of_points(scene, got.pairs[i].body_b) && got.pairs[i].state == DENT_BODY_PAIR_PENETRATING;
    }
    dent_query_def query = dent_query_def_default();
    dent_query_result inside;
    query.questions = DENT_QUESTION_VERTEX_CELL;
    assert_int_equal(dent_world_query(oracle, &query, &inside), DENT_OK);
    for (uint64_t i = 0; i < inside.vertex_cell.count; i++) {
        const dent_pair *pair = &inside.vertex_cell.pairs[i];
        if (of_points(scene, pair->body_a)) {
            const uint8_t *marks = dent_check_vertex_marks(world, dent_world_body_at(world, pair->body_a));
            assert_int_equal(marks[pair->feature_a], 1);
        }
    }
    dent_contacts_def contacts_def = dent_contacts_def_default();
    dent_contacts contacts;
    assert_int_equal(dent_world_find_contacts(world, &contacts_def, &contacts), DENT_OK);
    dent_world_destroy(oracle);
    dent_world_destroy(world);
    return found;
}

typedef uint64_t comparison(const struct point_scene *, const struct fleet *, uint64_t);

static void compare_on_random_scenes(const struct fleet *fleet, comparison *compare, uint32_t rounds, const char *what)
{
    uint64_t found = 0, scenes = 0, total = 0;
    for (int kind = 0; kind < SCENE_KIND_COUNT; kind++) {
        for (uint64_t seed = 0; seed < rounds; seed++) {
            static struct point_scene scene;
            scene_make(&scene, kind, seed);
            uint64_t answers = compare(&scene, fleet, seed + (uint64_t)kind);
            found += answers, scenes += answers > 0, total++;
            test_scene_free(&scene.others);
        }
    }
    printf("%s: %llu scenes, %llu with answers of points, %llu answers\n", what, (unsigned long long)total,
           (unsigned long long)scenes, (unsigned long long)found);
    assert_true(3 * scenes > total);
}

static void every_method_finds_points_inside_cells(void **state)
{
    compare_on_random_scenes(*state, compare_discrete, (uint32_t)test_count(1, 5, 40), "vertex-cell");
}

static void proximity_finds_points_near_faces(void **state)
{
    compare_on_random_scenes(*state, compare_proximity, (uint32_t)test_count(1, 5, 40), "proximity");
}

static void impact_finds_points_that_hit_faces(void **state)
{
    compare_on_random_scenes(*state, compare_impacts, (uint32_t)test_count(1, 2, 20), "impact");
}

static void the_check_finds_points_that_penetrate(void **state)
{
    compare_on_random_scenes(*state, compare_check, (uint32_t)test_count(1, 4, 40), "check");
}

/* ---- a unit cube --------------------------------------------------------------------------------------------------- */

static const double cube[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
static const uint32_t cube_faces[12][3] = {{0, 2, 1}, {0, 3, 2}, {4, 5, 6}, {4, 6, 7}, {0, 1, 5}, {0, 5, 4},
                                           {1, 2, 6}, {1, 6, 5}, {2, 3, 7}, {2, 7, 6}, {3, 0, 4}, {3, 4, 7}};
static const uint32_t cube_cell[8] = {0, 1, 2, 3, 4, 5, 6, 7};

static dent_world *cube_and_points(dent_context *context, bool solid, uint32_t faces, const double (*points)[3],
                                   uint32_t count)
{
    static const uint8_t hexahedron = DENT_CELL_HEXAHEDRON;
    dent_world *world = dent_world_create(context);
    dent_body_def def = solid ? dent_solid_def_default() : dent_surface_def_default();
    dent_body_id id;
    def.vertex_count = 8;
    def.element_count = solid ? 1 : faces;
    def.element_corners = solid ? cube_cell : cube_faces[0];
    def.cell_kinds = solid ? &hexahedron : NULL;
    def.positions_t0 = dent_positions_double(cube[0]);
    assert_int_equal(dent_world_add_body(world, &def, &id), DENT_OK);
    def = dent_points_def_default();
    def.vertex_count = count;
    def.positions_t0 = dent_positions_double(points[0]);
    assert_int_equal(dent_world_add_body(world, &def, &id), DENT_OK);
    return world;
}

static void points_in_on_and_outside_a_cube_are_told_apart(void **state)
{
    const struct fleet *fleet = *state;
    /* inside, on a diagonal of the split, on a face, on an edge, at a corner, outside */
    static const double points[6][3] = {{0.25, 0.5, 0.125}, {0.5, 0.5, 0.5}, {1, 0.25, 0.5}, {1, 1, 0.5}, {0, 0, 0}, {2, 0, 0}};
    for (int solid = 0; solid < 2; solid++) {
        dent_world *world = cube_and_points(fleet->contexts[0], solid, 12, points, 6);
        dent_check_def def = dent_check_def_default();
        dent_check_result result;
        assert_int_equal(dent_world_check(world, &def, &result), DENT_OK);
        assert_int_equal(result.pair_count, 1);
        assert_int_equal(result.pairs[0].state, DENT_BODY_PAIR_PENETRATING);
        assert_int_equal(result.pairs[0].penetrating_vertices, 2);
        assert_true(result.max_depth == 0.5);
        const uint8_t *marks = dent_check_vertex_marks(world, dent_world_body_at(world, 1));
        const uint8_t *elements = dent_check_element_marks(world, dent_world_body_at(world, 1));
        for (int i = 0; i < 6; i++) {
            assert_int_equal(marks[i], i < 2);
            assert_int_equal(elements[i], i < 2 ? DENT_MARK_OVERLAPPING : i < 5 ? DENT_MARK_TOUCHING : DENT_MARK_NONE);
        }
        dent_impact_def impact = dent_impact_def_default();
        dent_initial_state start;
        assert_int_equal(dent_world_initial_state(world, &impact, &start), DENT_OK);
        assert_true(start.crosses);
        dent_world_destroy(world);
    }
    dent_world *open = cube_and_points(fleet->contexts[0], false, 11, points, 6);
    dent_check_def def = dent_check_def_default();
    dent_check_result result;
    assert_int_equal(dent_world_check(open, &def, &result), DENT_OK);
    assert_int_equal(result.pair_count, 1); /* an open surface has no inside: points only touch it */
    assert_int_equal(result.pairs[0].state, DENT_BODY_PAIR_TOUCHING);
    dent_world_destroy(open);
}

static void contacts_push_points_out_of_a_cube(void **state)
{
    const struct fleet *fleet = *state;
    static const double points[2][3] = {{0.5, 0.5, 0.875}, {3, 3, 3}};
    for (int solid = 0; solid < 2; solid++) {
        dent_world *world = cube_and_points(fleet->contexts[0], solid, 12, points, 2);
        dent_contacts_def def = dent_contacts_def_default();
        dent_contacts result;
        assert_int_equal(dent_world_find_contacts(world, &def, &result), DENT_OK);
        assert_int_equal(result.count, 1);
        assert_true(fabs(result.contacts[0].gap + 0.125) < 1e-12);
        dent_world_destroy(world);
    }
}

/* ---- the def ------------------------------------------------------------------------------------------------------- */

static void what_points_are_not_is_refused_in_words(void **state)
{
    const struct fleet *fleet = *state;
    static const double bad[2][3] = {{0, 0, 0}, {0, NAN, 0}};
    static const uint32_t corners[1] = {0};
    dent_world *world = dent_world_create(fleet->contexts[0]);
    dent_body_def def = dent_points_def_default();
    dent_body_id id;
    def.vertex_count = 1;
    def.positions_t0 = dent_positions_double(bad[0]);
    def.element_count = 1;
    def.element_corners = corners;
    assert_int_equal(dent_world_add_body(world, &def, &id), DENT_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(dent_world_message(world), "points are given by vertex_count"));
    def.element_count = 0;
    def.element_corners = NULL;
    def.radii = bad[0];
    assert_int_equal(dent_world_add_body(world, &def, &id), DENT_ERROR_INVALID_ARGUMENT);
    def.radii = NULL;
    def.vertex_count = 2;
    assert_int_equal(dent_world_add_body(world, &def, &id), DENT_OK);
    dent_check_def check = dent_check_def_default();
    dent_check_result result;
    assert_int_equal(dent_world_check(world, &check, &result), DENT_ERROR_BAD_NUMBER);
    assert_non_null(strstr(dent_world_message(world), "vertex 1"));
    dent_bound_tree_def tree_def = dent_bound_tree_def_default();
    dent_bound_tree *tree = NULL;
    assert_int_equal(dent_bound_tree_create(world, id, &tree_def, &tree), DENT_ERROR_UNSUPPORTED);
    assert_non_null(strstr(dent_world_message(world), "has points"));
    dent_motion_impact_def motion_def = dent_motion_impact_def_default();
    dent_motion_impact_result motion;
    assert_int_equal(dent_world_motion_impact(world, &motion_def, &motion), DENT_ERROR_UNSUPPORTED);
    assert_non_null(strstr(dent_world_message(world), "has points, a motion query takes none"));
    dent_world_destroy(world);
}

static void the_topology_of_points_is_their_number(void **state)
{
    const struct fleet *fleet = *state;
    static const double points[3][3] = {{0, 0, 0}, {1, -2, 3}, {1, -2, 3}};
    dent_world *world = cube_and_points(fleet->contexts[0], true, 0, points, 3);
    dent_body_topology topology;
    dent_body_metrics metrics;
    dent_body_id id = dent_world_body_at(world, 1);
    assert_int_equal(dent_body_get_topology(world, id, &topology), DENT_OK);
    assert_int_equal(topology.kind, DENT_BODY_POINTS);
    assert_int_equal(topology.element_count, 3);
    assert_int_equal(topology.component_count, 3);
    assert_int_equal(topology.edge_count + topology.surface_face_count + topology.unused_vertices, 0);
    assert_int_equal(dent_body_get_metrics(world, id, &metrics), DENT_OK);
    assert_true(metrics.lo[1] == -2 && metrics.hi[2] == 3);
    assert_int_equal(dent_body_kind_get_info(DENT_BODY_POINTS)->dimension, 0);
    dent_world_destroy(world);
}

static void every_failing_allocation_is_survived(void **state)
{
    (void)state;
    static struct point_scene scene;
    scene_make(&scene, SCENE_MIXED, 3);
    bool done = false;
    for (uint64_t n = 1; !done; n += test_count(7, 1, 1)) {
        struct failing_allocator memory = failing_allocator_make();
        dent_context_def def = dent_context_def_default();
        def.thread_count = 1;
        def.allocator = failing_allocator_hook(&memory);
        dent_context *context = dent_context_create(&def, NULL);
        dent_world *world = dent_world_create(context);
        dent_body_def points = dent_points_def_default();
        dent_body_id id;
        points.vertex_count = POINTS;
        points.positions_t0 = dent_positions_double(scene.start[0][0]);
        assert_int_equal(test_scene_add(&scene.others, world), DENT_OK);
        memory.requests = 0;
        memory.fail_at = n;
        dent_status status = dent_world_add_body(world, &points, &id);
        dent_proximity_def proximity_def = dent_proximity_def_default();
        dent_proximity_result proximity;
        proximity_def.thickness = 0.1;
        status = status == DENT_OK ? dent_world_proximity(world, &proximity_def, &proximity) : status;
        dent_check_def check_def = dent_check_def_default();
        dent_check_result check;
        status = status == DENT_OK ? dent_world_check(world, &check_def, &check) : status;
        assert_true(status == DENT_OK || status == DENT_ERROR_OUT_OF_MEMORY);
        done = status == DENT_OK;
        memory.fail_at = 0;
        dent_world_destroy(world);
        dent_context_destroy(context);
        assert_true(failing_allocator_clean(&memory));
    }
    test_scene_free(&scene.others);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method_finds_points_inside_cells),
        cmocka_unit_test(proximity_finds_points_near_faces),
        cmocka_unit_test(impact_finds_points_that_hit_faces),
        cmocka_unit_test(the_check_finds_points_that_penetrate),
        cmocka_unit_test(points_in_on_and_outside_a_cube_are_told_apart),
        cmocka_unit_test(contacts_push_points_out_of_a_cube),
        cmocka_unit_test(what_points_are_not_is_refused_in_words),
        cmocka_unit_test(the_topology_of_points_is_their_number),
        cmocka_unit_test(every_failing_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, open_fleet, close_fleet);
}
