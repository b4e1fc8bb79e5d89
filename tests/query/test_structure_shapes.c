/* Structures as shapes: every level covers the body, deeper levels have more and smaller boxes, bad input is named. */
#include "support/cmocka_includes.h"

#include <dent/dent.h>
#include <dent/structure.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 7, VERTICES = (SIDE + 1) * (SIDE + 1) * (SIDE + 1), CELLS = SIDE * SIDE * SIDE };

struct fixture {
    dent_context *context;
    dent_world *world;
    dent_body_id body;
    double positions[VERTICES][3];
    uint32_t corners[CELLS][8];
    uint8_t kinds[CELLS];
};

static uint32_t vertex_at(uint32_t x, uint32_t y, uint32_t z)
{
    return x + (SIDE + 1) * (y + (SIDE + 1) * z);
}

static int make_block(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    assert_non_null(fixture);
    for (uint32_t v = 0; v < VERTICES; v++) {
        fixture->positions[v][0] = 100 + v % (SIDE + 1);
        fixture->positions[v][1] = v / (SIDE + 1) % (SIDE + 1) * 0.5;
        fixture->positions[v][2] = v / ((SIDE + 1) * (SIDE + 1)) * 0.25;
    }
    for (uint32_t c = 0; c < CELLS; c++) {
        uint32_t x = c % SIDE, y = c / SIDE % SIDE, z = c / (SIDE * SIDE);
        const uint32_t corners[8] = {vertex_at(x, y, z),
                                     vertex_at(x + 1, y, z),
                                     vertex_at(x + 1, y + 1, z),
                                     vertex_at(x, y + 1, z),
                                     vertex_at(x, y, z + 1),
                                     vertex_at(x + 1, y, z + 1),
                                     vertex_at(x + 1, y + 1, z + 1),
                                     vertex_at(x, y + 1, z + 1)};
        memcpy(fixture->corners[c], corners, sizeof corners);
        fixture->kinds[c] = DENT_CELL_HEXAHEDRON;
    }
    fixture->context = dent_context_create(NULL, NULL);
    fixture->world = dent_world_create(fixture->context);
    dent_body_def def = dent_solid_def_default();
    def.vertex_count = VERTICES;
    def.element_count = CELLS;
    def.element_corners = fixture->corners[0];
    def.cell_kinds = fixture->kinds;
    def.positions_t0 = dent_positions_double(fixture->positions[0]);
    assert_int_equal(dent_world_add_body(fixture->world, &def, &fixture->body), DENT_OK);
    *state = fixture;
    return 0;
}

static int drop_block(void **state)
{
    struct fixture *fixture = *state;
    dent_world_destroy(fixture->world);
    dent_context_destroy(fixture->context);
    free(fixture);
    return 0;
}

static bool in_some_box(const dent_structure_shapes *shapes, const double x[3])
{
    for (uint64_t i = 0; i < shapes->count; i++) {
        const dent_structure_box *box = &shapes->boxes[i];
        bool inside = true;
        for (int axis = 0; axis < 3; axis++) {
            inside = inside && x[axis] >= box->lo[axis] - 1e-9 && x[axis] <= box->hi[axis] + 1e-9;
        }
        if (inside) {
            return true;
        }
    }
    return false;
}

static void every_level_of_every_structure_covers_the_surface(void **state)
{
    struct fixture *fixture = *state;
    for (int kind = 0; kind < DENT_STRUCTURE_COUNT; kind++) {
        uint32_t deepest = 0;
        uint64_t before = 0;
        for (uint32_t level = 0; level <= deepest; level++) {
            dent_structure_shapes shapes;
            assert_int_equal(dent_world_structure(fixture->world, (dent_structure)kind, fixture->body, level, &shapes),
                             DENT_OK);
            assert_int_equal(shapes.level, level);
            deepest = shapes.deepest;
            assert_true(shapes.count > 0 && shapes.count >= before);
            before = shapes.count;
            uint32_t faces;
            const dent_surface_face *face = dent_body_surface_faces(fixture->world, fixture->body, &faces);
            for (uint32_t i = 0; i < faces; i++) {
                assert_true(in_some_box(&shapes, fixture->positions[face[i].corners[0]]));
            }
        }
        assert_true(kind == DENT_STRUCTURE_HASH_CELLS || deepest > 0);
    }
}

static void the_root_of_tree_and_buckets_is_one_box(void **state)
{
    struct fixture *fixture = *state;
    dent_structure_shapes shapes;
    assert_int_equal(dent_world_structure(fixture->world, DENT_STRUCTURE_SURFACE_TREE, fixture->body, 0, &shapes),
                     DENT_OK);
    assert_int_equal(shapes.count, 1);
    assert_true(shapes.boxes[0].lo[0] == 100 && shapes.boxes[0].hi[0] == 100 + SIDE);
    assert_int_equal(dent_world_structure(fixture->world, DENT_STRUCTURE_BUCKETS, fixture->body, 0, &shapes), DENT_OK);
    assert_int_equal(shapes.count, 1);
    assert_int_equal(dent_world_structure(fixture->world, DENT_STRUCTURE_BUCKETS, fixture->body, 99, &shapes), DENT_OK);
    assert_int_equal(shapes.level, shapes.deepest);
}

static void bad_input_gets_a_line(void **state)
{
    struct fixture *fixture = *state;
    dent_structure_shapes shapes = {.level = 77};
    assert_int_equal(dent_world_structure(fixture->world, (dent_structure)9, fixture->body, 0, &shapes),
                     DENT_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(dent_world_message(fixture->world), "9"));
    dent_body_id stale = fixture->body;
    assert_int_equal(dent_world_remove_body(fixture->world, fixture->body), DENT_OK);
    assert_int_equal(dent_world_structure(fixture->world, DENT_STRUCTURE_BUCKETS, stale, 0, &shapes),
                     DENT_ERROR_STALE_ID);
    assert_int_equal(shapes.level, 77);
    assert_null(dent_structure_name((dent_structure)DENT_STRUCTURE_COUNT));
    assert_string_equal(dent_structure_name(DENT_STRUCTURE_HASH_CELLS), "hash-cells");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_level_of_every_structure_covers_the_surface, make_block, drop_block),
        cmocka_unit_test_setup_teardown(the_root_of_tree_and_buckets_is_one_box, make_block, drop_block),
        cmocka_unit_test_setup_teardown(bad_input_gets_a_line, make_block, drop_block),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
