/* What the penetration check must say about small models whose answer is known. */
#include "support_check.h"

#include <math.h>
#include <stdio.h>

#include "support/failing_allocator.h"

static const uint32_t one_tetrahedron[4] = {0, 1, 2, 3};
static const double corner_tetrahedron[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

static dent_check_result check_two(struct check_world *check)
{
    dent_check_result result = check_world_run(check, NULL);
    assert_int_equal(result.outcome, DENT_OUTCOME_COMPLETE);
    return result;
}

static void assert_only_touching(const dent_check_result *result, uint64_t touching_elements)
{
    assert_int_equal(result->pair_count, 1);
    assert_int_equal(result->penetrating_pairs, 0);
    assert_int_equal(result->touching_pairs, 1);
    assert_int_equal(result->pairs[0].state, DENT_BODY_PAIR_TOUCHING);
    assert_false(result->pairs[0].exact_penetration);
    assert_int_equal(result->pairs[0].overlapping_elements, 0);
    assert_int_equal(result->pairs[0].penetrating_vertices, 0);
    assert_int_equal(result->pairs[0].touching_elements, touching_elements);
    assert_true(result->pairs[0].max_depth == 0 && result->max_depth == 0);
}

static void assert_penetrating(const dent_check_result *result)
{
    assert_int_equal(result->pair_count, 1);
    assert_int_equal(result->penetrating_pairs, 1);
    assert_int_equal(result->pairs[0].state, DENT_BODY_PAIR_PENETRATING);
    assert_true(result->pairs[0].exact_penetration);
    assert_true(result->pairs[0].overlapping_elements > 0);
    assert_true(result->pairs[0].max_depth > 0 && isfinite(result->pairs[0].max_depth));
    assert_true(result->max_depth == result->pairs[0].max_depth);
}

/* ---- touching ---------------------------------------------------------------------------------------------------- */

static void blocks_that_share_a_face_touch(void **state)
{
    struct check_world check;
    (void)state;
    check_world_open(&check, 1);
    test_add_block(&check.scene, 2, 2, 2);
    test_map(test_add_block(&check.scene, 2, 2, 2), 1, 1, 1, 2, 0, 0);
    dent_check_result result = check_two(&check);
    assert_int_equal(result.pairs[0].touching_elements % 2, 0);
    assert_only_touching(&result, result.pairs[0].touching_elements);
    assert_true(result.pairs[0].touching_elements >= 16);
    assert_true(result.pairs[0].deepest[0] == 2);
    check_world_close(&check);
}

static void blocks_that_share_an_edge_or_a_vertex_touch(void **state)
{
    static const double shifts[2][3] = {{1, 1, 0}, {1, 1, 1}};
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct check_world check;
        check_world_open(&check, 1);
        test_add_block(&check.scene, 1, 1, 1);
        test_map(test_add_block(&check.scene, 1, 1, 1), 1, 1, 1, shifts[i][0], shifts[i][1], shifts[i][2]);
        dent_check_result result = check_two(&check);
        assert_only_touching(&result, result.pairs[0].touching_elements);
        assert_true(result.pairs[0].touching_elements >= 2);
        check_world_close(&check);
    }
}

static void a_vertex_on_a_face_touches_one_element_of_each(void **state)
{
    static const double below[4][3] = {{0.25, 0.25, 0}, {0, 0, -1}, {1, 0, -1}, {0, 1, -1}};
    struct check_world check;
    (void)state;
    check_world_open(&check, 1);
    add_solid(&check.scene, 4, corner_tetrahedron, 1, one_tetrahedron);
    add_solid(&check.scene, 4, below, 1, one_tetrahedron);
    dent_check_result result = check_two(&check);
    assert_only_touching(&result, 2);
    check_world_close(&check);
}

static void tied_parts_cut_from_one_mesh_do_not_penetrate(void **state)
{
    struct check_world check;
    (void)state;
    check_world_open(&check, 1);
    test_add_block(&check.scene, 3, 2, 2);
    test_map(test_add_block(&check.scene, 3, 2, 2), 1, 1, 1, 0, 2, 0);
    test_map(test_add_block(&check.scene, 3, 2, 2), 1, 1, 1, 3, 0, 0);
    check.scene.tie_equal_positions = true;
    dent_check_result result = check_world_run(&check, NULL);
    assert_int_equal(result.penetrating_pairs, 0);
    assert_int_equal(result.touching_pairs, 3);
    check_world_close(&check);
}

static void bodies_apart_are_not_listed(void **state)
{
    struct check_world check;
    (void)state;
    check_world_open(&check, 1);
    test_add_block(&check.scene, 1, 1, 1);
    test_map(test_add_block(&check.scene, 1, 1, 1), 1, 1, 1, 1.5, 0, 0);
    add_surface_of(&check.scene, &check.scene.bodies[0], false);
    test_map(&check.scene.bodies[2], 1, 1, 1, 0, 0, 3);
    dent_check_result result = check_world_run(&check, NULL);
    assert_int_equal(result.pair_count, 0);
    assert_int_equal(result.surfaces_as_solids, 1);
    check_world_close(&check);
}

static void surface_cubes_that_share_a_face_touch(void **state)
{
    struct check_world check;
    (void)state;
    check_world_open(&check, 1);
    test_add_cube_surface(&check.scene);
    test_map(test_add_cube_surface(&check.scene), 1, 1, 1, 1, 0, 0);
    dent_check_result result = check_two(&check);
    assert_only_touching(&result, result.pairs[0].touching_elements);
    assert_true(result.pairs[0].containment_judged);
    assert_int_equal(result.surfaces_as_solids, 2);
    check_world_close(&check);
}

/* ---- penetrating ------------------------------------------------------------------------------------------------- */

static void identical_copies_penetrate_everywhere(void **state)
{
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        struct check_world check;
        check_world_open(&check, 1);
        for (int i = 0; i < 2; i++) {
            if (kind == 0) {
                add_solid(&check.scene, 4, corner_tetrahedron, 1, one_tetrahedron);
            } else if (kind == 1) {
                test_add_block(&check.scene, 2, 2, 2);
            } else {
                test_add_cube_surface(&check.scene);
            }
        }
        dent_check_result result = check_two(&check);
        assert_penetrating(&result);
        assert_int_equal(result.pairs[0].overlapping_elements,
                         check.scene.bodies[0].element_count + check.scene.bodies[1].element_count);
        assert_int_equal(result.pairs[0].touching_elements, 0);
        /* Only the middle vertex of the larger cube is inside the copy; all others are on its surface. */
        assert_int_equal(result.pairs[0].penetrating_vertices, kind == 1 ? 2 : 0);
        assert_true(result.pairs[0].max_depth > 0.1 && result.pairs[0].max_depth <= 1);
        check_world_close(&check);
    }
}

/* Corners off any lattice: centroids of faces are rounded to one side or the other, which must not pass for the depth.
 */
static void identical_bent_surfaces_are_as_deep_as_they_are_thick(void **state)
{
    struct test_scene solids = {0};
    struct check_world check;
    dent_random random = dent_random_seeded(11);
    (void)state;
    check_world_open(&check, 1);
    test_jitter(test_add_block(&solids, 4, 4, 4), &random, 0.2);
    test_turn(&solids.bodies[0], &random);
    add_surface_of(&check.scene, &solids.bodies[0], false);
    add_surface_of(&check.scene, &solids.bodies[0], true);
    dent_check_result result = check_two(&check);
    assert_penetrating(&result);
    assert_int_equal(result.pairs[0].overlapping_elements, 2 * check.scene.bodies[0].element_count);
    assert_true(result.max_depth > 1 && result.max_depth < 3);
    test_scene_free(&solids);
    check_world_close(&check);
}

/* Five cells meet along inner faces of the cube; the corner of the other body lies exactly on one. */
static void a_vertex_on_an_inner_face_is_inside(void **state)
{
    struct check_world check;
    (void)state;
    check_world_open(&check, 1);
    test_add_block(&check.scene, 2, 1, 1);
    test_map(test_add_block(&check.scene, 1, 1, 1), 4, 4, 4, 1, 0.25,
             0.5); /* its corner is on x = 1, between the two cubes */
    dent_check_result result = check_two(&check);
    assert_penetrating(&result);
    assert_int_equal(dent_check_vertex_marks(check.world, dent_world_body_at(check.world, 1))[0], 1);
    check_world_close(&check);
}

static void inner_edges_and_vertices_are_inside(void **state)
{
    static const double places[3][3] = {{1, 1, 0.5}, {1, 1, 1}, {1, 1, 1.25}};
    (void)state;
    for (int i = 0; i < 3; i++) {
        struct check_world check;
        check_world_open(&check, 1);
        test_add_block(&check.scene, 2, 2, 2);
        struct test_body *probe = add_solid(&check.scene, 4, corner_tetrahedron, 1, one_tetrahedron);
        test_map(probe, 9, 9, 9, places[i][0], places[i][1], places[i][2]);
        dent_check_result result = check_two(&check);
        assert_penetrating(&result);
        assert_int_equal(dent_check_vertex_marks(check.world, dent_world_body_at(check.world, 1))[0], 1);
        check_world_close(&check);
    }
}

/* Two halves of one body that share positions but no indices: the crack between them has no inside of its own. */
static void a_crack_inside_a_body_counts_as_inside(void **state)
{
    struct test_scene halves = {0};
    struct check_world check;
    (void)state;
    test_add_block(&halves, 1, 1, 1);
    test_map(test_add_block(&halves, 1, 1, 1), -1, 1, 1, 2, 0, 0);
    double xyz[16][3];
    uint32_t corners[40];
    for (uint32_t half = 0; half < 2; half++) {
        memcpy(xyz + 8 * half, halves.bodies[half].xyz, 8 * sizeof *xyz);
        for (uint32_t i = 0; i < 20; i++) {
            corners[20 * half + i] = halves.bodies[half].corners[i] + 8 * half;
        }
    }
    check_world_open(&check, 1);
    add_solid(&check.scene, 16, (const double(*)[3])xyz, 10, corners);
    test_map(add_solid(&check.scene, 4, corner_tetrahedron, 1, one_tetrahedron), 0.125, 0.125, 8, 1, 0.5, 0.5);
    dent_check_result result = check_two(&check);
    assert_penetrating(&result);
    assert_int_equal(result.pairs[0].penetrating_vertices, 3);
    check_world_close(&check);
    test_scene_free(&halves);
}

static void nested_bodies_penetrate(void **state)
{
    (void)state;
    for (int which = 0; which < 16; which++) {
        struct test_scene solids = {0};
        struct check_world check;
        check_world_open(&check, 1);
        test_map(test_add_block(&solids, 1, 1, 1), 4, 4, 4, -1.5, -1.5, -1.5);
        test_add_block(&solids, 1, 1, 1);
        for (uint32_t i = 0; i < 2; i++) {
            const struct test_body *solid = &solids.bodies[i];
            if (which >> i & 1) {
                add_surface_of(&check.scene, solid, which >> (i + 2) & 1);
            } else {
                add_solid(&check.scene, solid->vertex_count, (const double(*)[3])solid->xyz, solid->element_count,
                          solid->corners);
            }
        }
        dent_check_result result = check_two(&check);
        assert_penetrating(&result);
        assert_int_equal(result.pairs[0].penetrating_vertices, 8);
        assert_true(result.pairs[0].max_depth >= 1.5);
        assert_true(result.pairs[0].containment_judged);
        assert_int_equal(result.surfaces_as_solids, (which & 1) + (which >> 1 & 1));
        test_scene_free(&solids);
        check_world_close(&check);
    }
}

/* A shell with a cavity: what lies in the cavity is not inside the shell. */
static void a_body_in_a_cavity_does_not_penetrate(void **state)
{
    struct check_world check;
    (void)state;
    check_world_open(&check, 1);
    struct test_body *shell = test_scene_new_body(&check.scene, DENT_BODY_SURFACE, 16, 24, 72);
    struct test_scene cubes = {0};
    test_map(test_add_cube_surface(&cubes), 4, 4, 4, 0, 0, 0);
    test_map(test_add_cube_surface(&cubes), 2, 2, 2, 1, 1, 1);
    for (uint32_t i = 0; i < 36; i++) {
        shell->corners[i] = cubes.bodies[0].corners[i];
        shell->corners[36 + i] = cubes.bodies[1].corners[i / 3 * 3 + 2 - i % 3] + 8; /* turned: the cavity */
    }
    memcpy(shell->xyz, cubes.bodies[0].xyz, 8 * sizeof *shell->xyz);
    memcpy(shell->xyz + 8, cubes.bodies[1].xyz, 8 * sizeof *shell->xyz);
    test_map(test_add_block(&check.scene, 1, 1, 1), 1, 1, 1, 1.5, 1.5, 1.5);
    dent_check_result result = check_world_run(&check, NULL);
    assert_int_equal(result.pair_count, 0);
    test_map(&check.scene.bodies[1], 1, 1, 1, -0.5, -0.5, -0.5); /* now it fills a corner of the cavity */
    result = check_world_run(&check, NULL);
    assert_only_touching(&result, result.pairs[0].touching_elements);
    test_map(&check.scene.bodies[1], 1, 1, 1, -0.25, 0, 0);
    result = check_world_run(&check, NULL);
    assert_penetrating(&result);
    test_scene_free(&cubes);
    check_world_close(&check);
}

/* The small block is one of the cubes of the large one: all its faces are inner faces of the other. */
static void a_boundary_that_runs_along_inner_faces_penetrates(void **state)
{
    (void)state;
    for (int surface = 0; surface < 3; surface++) {
        struct check_world check;
        struct test_scene solids = {0};
        check_world_open(&check, 1);
        test_add_block(&check.scene, 3, 3, 3);
        test_map(test_add_block(&solids, 1, 1, 1), 1, 1, 1, 1, 1, 1);
        if (surface == 0) {
            const struct test_body *s = &solids.bodies[0];
            add_solid(&check.scene, 8, (const double(*)[3])s->xyz, 5, s->corners);
        } else {
            add_surface_of(&check.scene, &solids.bodies[0], surface == 2);
        }
        dent_check_result result = check_two(&check);
        assert_penetrating(&result);
        assert_int_equal(result.pairs[0].penetrating_vertices, 8);
        test_scene_free(&solids);
        check_world_close(&check);
    }
}

/* A prism pushed through a cube so that its sides run exactly along the edges of one triangle of the cube's top and
 * bottom: no two faces cross, no vertex of one is inside the other. */
static void a_prism_along_the_edges_of_triangles_penetrates(void **state)
{
    static const double prism[6][3] = {{0, 0, -1}, {1, 0, -1}, {1, 1, -1}, {0, 0, 2}, {1, 0, 2}, {1, 1, 2}};
    static const uint32_t cells[12] = {0, 1, 2, 3, 1, 2, 3, 4, 2, 3, 4, 5};
    (void)state;
    for (int which = 0; which < 4; which++) {
        struct check_world check;
        struct test_scene solids = {0};
        check_world_open(&check, 1);
        add_solid(&solids, 6, prism, 3, cells);
        if (which & 1) {
            test_add_cube_surface(&check.scene);
        } else {
            test_add_block(&check.scene, 1, 1, 1);
        }
        if (which & 2) {
            add_surface_of(&check.scene, &solids.bodies[0], false);
        } else {
            add_solid(&check.scene, 6, prism, 3, cells);
        }
        dent_check_result result = check_two(&check);
        assert_penetrating(&result);
        test_scene_free(&solids);
        check_world_close(&check);
    }
}

/* The deepest point of a box pressed into another by 0.25: depth and place are exact here. */
static void the_depth_of_a_pressed_block_is_its_overlap(void **state)
{
    struct check_world check;
    (void)state;
    check_world_open(&check, 1);
    test_map(test_add_block(&check.scene, 4, 4, 1), 1, 1, 1, -1, -1, 0);
    test_map(test_add_block(&check.scene, 1, 1, 1), 0.5, 0.5, 0.5, 0.25, 0.25, 0.75);
    dent_check_result result = check_two(&check);
    assert_penetrating(&result);
    assert_true(result.pairs[0].max_depth == 0.25);
    assert_true(result.pairs[0].deepest[2] == 0.75);
    assert_int_equal(result.pairs[0].penetrating_vertices, 4);
    check_world_close(&check);
}

/* ---- open surfaces ----------------------------------------------------------------------------------------------- */

static void an_open_surface_penetrates_what_it_crosses(void **state)
{
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        struct check_world check;
        check_world_open(&check, 1);
        test_map(test_add_sheet(&check.scene, 3, 3), 1, 1, 1, -1, -1, 0.5);
        if (kind == 0) {
            test_add_block(&check.scene, 1, 1, 1);
        } else if (kind == 1) {
            test_add_cube_surface(&check.scene);
        } else {
            struct test_body *sheet = test_add_sheet(&check.scene, 2, 2);
            for (uint32_t v = 0; v < sheet->vertex_count; v++) { /* upright: x stays, y becomes z */
                sheet->xyz[v][2] = sheet->xyz[v][1] + 0.125;
                sheet->xyz[v][1] = 0.3;
            }
        }
        dent_check_result result = check_two(&check);
        assert_penetrating(&result);
        assert_false(result.pairs[0].containment_judged);
        assert_int_equal(result.open_surfaces, kind == 2 ? 2 : 1);
        assert_int_equal(result.surfaces_as_solids, kind == 1);
        check_world_close(&check);
    }
}

static void open_surfaces_in_one_plane_touch(void **state)
{
    struct check_world check;
    (void)state;
    check_world_open(&check, 1);
    test_add_sheet(&check.scene, 2, 2);
    test_map(test_add_sheet(&check.scene, 2, 2), 1, 1, 1, 0.5, 0.5, 0);
    dent_check_result result = check_two(&check);
    assert_only_touching(&result, result.pairs[0].touching_elements);
    assert_false(result.pairs[0].containment_judged);
    check_world_close(&check);
}

static void an_open_surface_on_a_block_touches(void **state)
{
    struct check_world check;
    (void)state;
    check_world_open(&check, 1);
    test_map(test_add_sheet(&check.scene, 3, 3), 1, 1, 1, -1, -1, 1);
    test_add_block(&check.scene, 1, 1, 1);
    dent_check_result result = check_two(&check);
    assert_only_touching(&result, result.pairs[0].touching_elements);
    check_world_close(&check);
}

/* ---- other cells, self ------------------------------------------------------------------------------------------- */

static struct test_body *add_hexahedron(struct test_scene *scene)
{
    const uint32_t cubes[3] = {1, 1, 1};
    struct test_body *body = test_scene_new_body(scene, DENT_BODY_SOLID, 8, 1, 8);
    body->cell_kinds = test_allocate(1, 1);
    body->cell_kinds[0] = DENT_CELL_HEXAHEDRON;
    test_place_lattice(body, cubes);
    test_cube_corners(cubes, 0, 0, 0, body->corners);
    return body;
}

static void a_split_cell_is_counted_once(void **state)
{
    struct check_world check;
    (void)state;
    check_world_open(&check, 1);
    add_hexahedron(&check.scene);
    test_map(add_hexahedron(&check.scene), 1, 1, 1, 0.5, 0.25, 0.125);
    dent_check_result result = check_two(&check);
    assert_penetrating(&result);
    assert_int_equal(result.pairs[0].overlapping_elements, 2);
    assert_int_equal(result.pairs[0].penetrating_vertices, 2);
    check_world_close(&check);
}

static void a_folded_body_penetrates_itself_only_when_asked(void **state)
{
    struct check_world check;
    dent_check_def def = dent_check_def_default();
    (void)state;
    check_world_open(&check, 1);
    struct test_body *bar = test_add_block(&check.scene, 8, 1, 1);
    test_fold(bar, 4, 0.3);
    dent_check_result result = check_world_run(&check, NULL);
    assert_int_equal(result.pair_count, 0);
    def.self = true;
    result = check_world_run(&check, &def);
    assert_penetrating(&result);
    assert_int_equal(result.pairs[0].body_a, result.pairs[0].body_b);
    check_world_close(&check);
}

static void a_straight_body_does_not_meet_itself(void **state)
{
    struct check_world check;
    dent_check_def def = dent_check_def_default();
    (void)state;
    check_world_open(&check, 1);
    test_add_block(&check.scene, 3, 3, 3);
    test_map(test_add_sheet(&check.scene, 3, 3), 1, 1, 1, 0, 0, 9);
    def.self = true;
    dent_check_result result = check_world_run(&check, &def);
    assert_int_equal(result.penetrating_pairs, 0);
    check_world_close(&check);
}

static void a_surface_that_crosses_itself_is_found(void **state)
{
    static const double crossing[6][3] = {{0, 0, 0},      {2, 0, 0},     {0, 2, 0},
                                          {0.5, 0.5, -1}, {0.5, 0.5, 1}, {0.6, 0.9, 1}};
    struct check_world check;
    dent_check_def def = dent_check_def_default();
    (void)state;
    check_world_open(&check, 1);
    struct test_body *body = test_scene_new_body(&check.scene, DENT_BODY_SURFACE, 6, 2, 6);
    memcpy(body->xyz, crossing, sizeof crossing);
    for (uint32_t i = 0; i < 6; i++) {
        body->corners[i] = i;
    }
    def.self = true;
    dent_check_result result = check_world_run(&check, &def);
    assert_penetrating(&result);
    assert_int_equal(result.pairs[0].overlapping_elements, 2);
    check_world_close(&check);
}

/* ---- options ----------------------------------------------------------------------------------------------------- */

static void a_tolerance_turns_shallow_penetration_into_touching(void **state)
{
    struct check_world check;
    dent_check_def def = dent_check_def_default();
    (void)state;
    check_world_open(&check, 1);
    test_add_block(&check.scene, 1, 1, 1);
    test_map(test_add_block(&check.scene, 1, 1, 1), 1, 1, 1, 0.125, 0.125, 0.875);
    def.tolerance = 0.1;
    dent_check_result result = check_world_run(&check, &def);
    assert_penetrating(&result);
    assert_true(result.max_depth == 0.125);
    def.tolerance = 0.125;
    result = check_world_run(&check, &def);
    assert_int_equal(result.penetrating_pairs, 0);
    assert_int_equal(result.touching_pairs, 1);
    assert_true(result.pairs[0].exact_penetration && result.pairs[0].max_depth == 0.125);
    assert_true(result.pairs[0].overlapping_elements > 0);
    assert_true(result.max_depth == 0);
    dent_body_id id = dent_world_body_at(check.world, 0);
    for (uint32_t i = 0; i < check.scene.bodies[0].element_count; i++) {
        assert_true(dent_check_element_marks(check.world, id)[i] != DENT_MARK_OVERLAPPING);
    }
    check_world_close(&check);
}

static void ignored_touching_is_not_reported(void **state)
{
    struct check_world check;
    dent_check_def def = dent_check_def_default();
    (void)state;
    check_world_open(&check, 1);
    test_add_block(&check.scene, 1, 1, 1);
    test_map(test_add_block(&check.scene, 1, 1, 1), 1, 1, 1, 1, 0, 0);
    test_map(test_add_block(&check.scene, 1, 1, 1), 1, 1, 1, 1.5, 0, 0);
    test_map(test_add_cube_surface(&check.scene), 1, 1, 1, -1, 0, 0);
    test_map(test_add_cube_surface(&check.scene), 1, 1, 1, -2, 0, 0);
    def.ignore_touching = true;
    dent_check_result result = check_world_run(&check, &def);
    assert_int_equal(result.pair_count, 1);
    assert_int_equal(result.pairs[0].body_a, 1);
    assert_int_equal(result.pairs[0].body_b, 2);
    assert_int_equal(result.touching_pairs, 0);
    check_world_close(&check);
}

static void filters_are_obeyed(void **state)
{
    struct check_world check;
    (void)state;
    check_world_open(&check, 1);
    test_add_block(&check.scene, 1, 1, 1);
    test_add_block(&check.scene, 1, 1, 1);
    test_add_block(&check.scene, 1, 1, 1);
    dent_check_result result = check_world_run(&check, NULL);
    assert_int_equal(result.pair_count, 3);
    assert_int_equal(dent_body_set_filter(check.world, dent_world_body_at(check.world, 1), 2, 2, true), DENT_OK);
    result = check_world_run(&check, NULL);
    assert_int_equal(result.pair_count, 1);
    assert_int_equal(result.pairs[0].body_a, 0);
    assert_int_equal(result.pairs[0].body_b, 2);
    check_world_close(&check);
}

static void marks_tell_overlapping_from_touching_elements(void **state)
{
    struct check_world check;
    (void)state;
    check_world_open(&check, 1);
    test_add_block(&check.scene, 3, 1, 1);
    test_map(test_add_block(&check.scene, 1, 1, 1), 1, 1, 1, 2.5, 0, 0);
    dent_check_result result = check_two(&check);
    uint64_t counts[3] = {0};
    for (uint32_t body_index = 0; body_index < 2; body_index++) {
        const uint8_t *marks = dent_check_element_marks(check.world, dent_world_body_at(check.world, body_index));
        for (uint32_t i = 0; i < check.scene.bodies[body_index].element_count; i++) {
            counts[marks[i]]++;
        }
    }
    assert_int_equal(counts[DENT_MARK_OVERLAPPING], result.pairs[0].overlapping_elements);
    assert_int_equal(counts[DENT_MARK_TOUCHING], result.pairs[0].touching_elements);
    assert_true(counts[DENT_MARK_NONE] >= 10);
    assert_null(dent_check_element_marks(check.world, (dent_body_id){0}));
    dent_body_id gone = dent_world_body_at(check.world, 1);
    assert_int_equal(dent_world_remove_body(check.world, gone), DENT_OK);
    assert_null(dent_check_vertex_marks(check.world, gone));
    check_world_close(&check);
}

static void bad_defs_are_refused_in_words(void **state)
{
    struct check_world check;
    dent_check_result result, untouched;
    (void)state;
    check_world_open(&check, 1);
    test_add_block(&check.scene, 1, 1, 1);
    check_world_run(&check, NULL);
    memset(&result, 0x5a, sizeof result);
    untouched = result;
    dent_check_def def = dent_check_def_default();
    def.struct_size--;
    assert_int_equal(dent_world_check(check.world, &def, &result), DENT_ERROR_INVALID_ARGUMENT);
    def = dent_check_def_default();
    def.tolerance = -1;
    assert_int_equal(dent_world_check(check.world, &def, &result), DENT_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(dent_world_message(check.world), "tolerance"));
    def.tolerance = NAN;
    assert_int_equal(dent_world_check(check.world, &def, &result), DENT_ERROR_INVALID_ARGUMENT);
    def = dent_check_def_default();
    def.method = (dent_method)77;
    assert_int_equal(dent_world_check(check.world, &def, &result), DENT_ERROR_INVALID_ARGUMENT);
    def.method = DENT_METHOD_SWEEP;
    assert_int_equal(dent_world_check(check.world, &def, &result), DENT_ERROR_UNSUPPORTED);
    def = dent_check_def_default();
    check.scene.bodies[0].xyz[3][1] = INFINITY;
    assert_int_equal(dent_world_check(check.world, &def, &result), DENT_ERROR_BAD_NUMBER);
    assert_memory_equal(&result, &untouched, sizeof result);
    check_world_close(&check);
}

static void an_empty_world_is_free_of_penetration(void **state)
{
    struct check_world check;
    (void)state;
    check_world_open(&check, 1);
    dent_check_result result = check_world_run(&check, NULL);
    assert_int_equal(result.pair_count, 0);
    assert_int_equal(result.outcome, DENT_OUTCOME_COMPLETE);
    check_world_close(&check);
}

/* ---- cancelling, memory ------------------------------------------------------------------------------------------ */

static void a_raised_flag_cancels(void **state)
{
    struct check_world check;
    int flag = 1;
    dent_check_def def = dent_check_def_default();
    (void)state;
    check_world_open(&check, 2);
    test_add_block(&check.scene, 2, 2, 2);
    test_map(test_add_block(&check.scene, 2, 2, 2), 1, 1, 1, 0.5, 0.5, 0.5);
    def.cancel = &flag;
    dent_check_result result = check_world_run(&check, &def);
    assert_int_equal(result.outcome, DENT_OUTCOME_CANCELLED);
    assert_int_equal(result.pair_count, 0);
    assert_null(dent_check_element_marks(check.world, dent_world_body_at(check.world, 0)));
    flag = 0;
    result = check_world_run(&check, &def);
    assert_int_equal(result.outcome, DENT_OUTCOME_COMPLETE);
    assert_int_equal(result.penetrating_pairs, 1);
    check_world_close(&check);
}

/* Blocks one after the other; raises the flag when `left` of them have run. */
struct raising_loop {
    int flag;
    int left;
};

static void run_and_raise(void *user, uint32_t block_count, dent_block_function *function, void *data)
{
    struct raising_loop *loop = user;
    for (uint32_t block = 0; block < block_count; block++) {
        if (loop->left-- == 0) {
            loop->flag = 1;
        }
        function(data, block, 0);
    }
}

static void a_flag_raised_at_any_block_cancels_the_whole_check(void **state)
{
    struct test_scene scene = {0};
    bool complete = false;
    int blocks = 0;
    (void)state;
    test_add_block(&scene, 7, 3, 3);
    test_map(test_add_block(&scene, 7, 3, 3), 1, 1, 1, 0.5, 0.5, 0.5);
    add_surface_of(&scene, &scene.bodies[0], false);
    for (; !complete; blocks++) {
        struct raising_loop loop = {0, blocks};
        dent_context_def def = dent_context_def_default();
        dent_check_def check_def = dent_check_def_default();
        dent_check_result result;
        def.parallel = (dent_parallel){run_and_raise, 2, &loop};
        check_def.cancel = &loop.flag;
        dent_context *context = dent_context_create(&def, NULL);
        dent_world *world = dent_world_create(context);
        assert_int_equal(test_scene_add(&scene, world), DENT_OK);
        assert_int_equal(dent_world_check(world, &check_def, &result), DENT_OK);
        complete = result.outcome == DENT_OUTCOME_COMPLETE;
        assert_int_equal(result.outcome, loop.flag ? DENT_OUTCOME_CANCELLED : DENT_OUTCOME_COMPLETE);
        assert_int_equal(result.pair_count, complete ? 3 : 0);
        dent_world_destroy(world);
        dent_context_destroy(context);
    }
    assert_true(blocks > 20);
    test_scene_free(&scene);
}

/* No interior, so no penetration; but nobody should be told that the two are apart. */
static void a_flat_solid_inside_another_touches_it(void **state)
{
    struct check_world check;
    (void)state;
    check_world_open(&check, 1);
    test_add_block(&check.scene, 3, 3, 3);
    test_map(test_add_block(&check.scene, 1, 1, 1), 0.25, 0.25, 0, 1.3, 1.4, 1.2);
    dent_check_result result = check_world_run(&check, NULL);
    assert_int_equal(result.pair_count, 1);
    const dent_body_contact *contact = &result.pairs[0];
    assert_int_equal(contact->state, DENT_BODY_PAIR_TOUCHING);
    assert_false(contact->exact_penetration);
    assert_int_equal(contact->penetrating_vertices, 8);
    assert_int_equal(contact->overlapping_elements, 0);
    assert_int_equal(contact->touching_elements, 5);
    assert_true(contact->deepest[2] == 1.2);
    check_world_close(&check);
}

static void after_warming_up_a_check_allocates_nothing(void **state)
{
    struct check_world check;
    (void)state;
    check_world_open(&check, 1);
    test_add_block(&check.scene, 3, 3, 3);
    test_map(test_add_block(&check.scene, 3, 3, 3), 1, 1, 1, 1.5, 1, 1);
    test_map(test_add_cube_surface(&check.scene), 2, 2, 2, 0.25, 0.25, 0.25);
    check_world_run(&check, NULL);
    uint64_t before = dent_context_memory_use(check.context).allocations;
    for (int i = 0; i < 3; i++) {
        check_world_run(&check, NULL);
    }
    assert_int_equal(dent_context_memory_use(check.context).allocations, before);
    check_world_close(&check);
}

/* More cells at one point than are kept at hand. */
static struct test_body *add_star(struct test_scene *scene, uint32_t rings)
{
    uint32_t n = 4 * rings;
    struct test_body *body = test_scene_new_body(scene, DENT_BODY_SOLID, n + 3, 2 * n, 8 * n);
    const double corner[4][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
    for (uint32_t i = 0; i < n; i++) {
        double along = (double)(i % rings) / rings;
        const double *from = corner[i / rings], *to = corner[(i / rings + 1) % 4];
        body->xyz[i][0] = from[0] + along * (to[0] - from[0]);
        body->xyz[i][1] = from[1] + along * (to[1] - from[1]);
        for (uint32_t half = 0; half < 2; half++) {
            uint32_t cell[4] = {n, i, (i + 1) % n, n + 1 + half};
            memcpy(body->corners + 4 * (2 * i + half), cell, sizeof cell);
        }
    }
    body->xyz[n + 1][2] = 1;
    body->xyz[n + 2][2] = -1;
    return body;
}

static void a_hundred_cells_around_a_point_hold_it_inside(void **state)
{
    struct check_world check;
    (void)state;
    check_world_open(&check, 1);
    add_star(&check.scene, 25);
    test_map(add_solid(&check.scene, 4, corner_tetrahedron, 1, one_tetrahedron), 4, 4, 4, 0, 0, 0);
    dent_check_result result = check_two(&check);
    assert_penetrating(&result);
    assert_int_equal(dent_check_vertex_marks(check.world, dent_world_body_at(check.world, 1))[0], 1);
    check_world_close(&check);
}

static void run_session(struct failing_allocator *memory, dent_status *status)
{
    dent_context_def def = dent_context_def_default();
    dent_check_def check_def = dent_check_def_default();
    struct test_scene scene = {0};
    dent_check_result result;
    def.allocator = failing_allocator_hook(memory);
    def.thread_count = 1;
    add_star(&scene, 25);
    test_map(test_add_block(&scene, 2, 2, 2), 1, 1, 1, 0, 0, 0);
    test_map(test_add_cube_surface(&scene), 1, 1, 1, 0.5, 0.5, 0.5);
    test_map(test_add_sheet(&scene, 2, 2), 1, 1, 1, 0, 0, 0.75);
    check_def.self = true;
    dent_context *context = dent_context_create(&def, status);
    dent_world *world = context ? dent_world_create(context) : NULL;
    *status = world ? test_scene_add(&scene, world) : DENT_ERROR_OUT_OF_MEMORY;
    if (*status == DENT_OK) {
        *status = dent_world_check(world, &check_def, &result);
    }
    if (*status == DENT_OK) {
        assert_true(result.penetrating_pairs > 0);
        assert_non_null(dent_check_element_marks(world, dent_world_body_at(world, 0)));
    } else if (world && dent_world_body_count(world) == scene.body_count) {
        assert_null(dent_check_element_marks(world, dent_world_body_at(world, 0)));
    }
    if (world) {
        dent_world_destroy(world);
    }
    dent_context_destroy(context);
    test_scene_free(&scene);
}

static void every_failing_allocation_leaves_nothing_behind(void **state)
{
    dent_status status = DENT_ERROR_OUT_OF_MEMORY;
    uint64_t tried = 0;
    (void)state;
    for (int once = 0; once < 2; once++) {
        status = DENT_ERROR_OUT_OF_MEMORY;
        for (uint64_t n = 1; n < 2000; n++) {
            struct failing_allocator memory = failing_allocator_make();
            memory.fail_at = n;
            memory.fail_once = once;
            run_session(&memory, &status);
            assert_true(failing_allocator_clean(&memory));
            assert_true(status == DENT_OK || status == DENT_ERROR_OUT_OF_MEMORY);
            tried++;
            if (memory.requests < n) {
                break;
            }
        }
        assert_int_equal(status, DENT_OK);
    }
    printf("%llu allocations failed\n", (unsigned long long)tried);
    assert_true(tried > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_that_share_a_face_touch),
        cmocka_unit_test(blocks_that_share_an_edge_or_a_vertex_touch),
        cmocka_unit_test(a_vertex_on_a_face_touches_one_element_of_each),
        cmocka_unit_test(tied_parts_cut_from_one_mesh_do_not_penetrate),
        cmocka_unit_test(bodies_apart_are_not_listed),
        cmocka_unit_test(surface_cubes_that_share_a_face_touch),
        cmocka_unit_test(identical_copies_penetrate_everywhere),
        cmocka_unit_test(identical_bent_surfaces_are_as_deep_as_they_are_thick),
        cmocka_unit_test(a_vertex_on_an_inner_face_is_inside),
        cmocka_unit_test(inner_edges_and_vertices_are_inside),
        cmocka_unit_test(a_crack_inside_a_body_counts_as_inside),
        cmocka_unit_test(nested_bodies_penetrate),
        cmocka_unit_test(a_body_in_a_cavity_does_not_penetrate),
        cmocka_unit_test(a_boundary_that_runs_along_inner_faces_penetrates),
        cmocka_unit_test(a_prism_along_the_edges_of_triangles_penetrates),
        cmocka_unit_test(the_depth_of_a_pressed_block_is_its_overlap),
        cmocka_unit_test(an_open_surface_penetrates_what_it_crosses),
        cmocka_unit_test(open_surfaces_in_one_plane_touch),
        cmocka_unit_test(an_open_surface_on_a_block_touches),
        cmocka_unit_test(a_split_cell_is_counted_once),
        cmocka_unit_test(a_folded_body_penetrates_itself_only_when_asked),
        cmocka_unit_test(a_straight_body_does_not_meet_itself),
        cmocka_unit_test(a_surface_that_crosses_itself_is_found),
        cmocka_unit_test(a_tolerance_turns_shallow_penetration_into_touching),
        cmocka_unit_test(ignored_touching_is_not_reported),
        cmocka_unit_test(filters_are_obeyed),
        cmocka_unit_test(marks_tell_overlapping_from_touching_elements),
        cmocka_unit_test(bad_defs_are_refused_in_words),
        cmocka_unit_test(an_empty_world_is_free_of_penetration),
        cmocka_unit_test(a_raised_flag_cancels),
        cmocka_unit_test(a_flag_raised_at_any_block_cancels_the_whole_check),
        cmocka_unit_test(a_flat_solid_inside_another_touches_it),
        cmocka_unit_test(after_warming_up_a_check_allocates_nothing),
        cmocka_unit_test(a_hundred_cells_around_a_point_hold_it_inside),
        cmocka_unit_test(every_failing_allocation_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
