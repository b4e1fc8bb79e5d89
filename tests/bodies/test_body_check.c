/* Validation at the door: what is refused, with which status, and whom the message names. */
#include "body_stage.h"

#include "bodies/mesh_check.h"

#include <stdlib.h>
#include <string.h>

static const double corners_xyz[8][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1},
                                         {1, 1, 1}, {2, 0, 0}, {0, 2, 0}, {0, 0, 2}};
static const uint32_t two_cells[8] = {0, 1, 2, 3, 1, 2, 3, 4};

static dent_body_def two_cell_def(void)
{
    dent_body_def def = dent_solid_def_default();
    def.name = "femur";
    def.vertex_count = 5;
    def.element_count = 2;
    def.element_corners = two_cells;
    def.positions_t0 = dent_positions_double(&corners_xyz[0][0]);
    return def;
}

/* Refused with this status, a message with these parts, and nothing left behind. */
static void assert_refused(const dent_body_def *def, dent_status expected, const char *part, const char *other_part)
{
    struct message message = {0};
    struct body *body = (struct body *)&message;
    uint64_t blocks = memory.blocks, bytes = memory.bytes;
    assert_int_equal(body_create(context, def, 3, 0, NULL, &message, &body), expected);
    assert_ptr_equal(body, (struct body *)&message);
    assert_contains(message.text, part);
    assert_contains(message.text, other_part);
    assert_int_equal(memory.blocks, blocks);
    assert_int_equal(memory.bytes, bytes);
}

static void defaults_are_as_documented(void **state)
{
    (void)state;
    dent_body_def solid = dent_solid_def_default(), surface = dent_surface_def_default();
    assert_int_equal(solid.struct_size, sizeof solid);
    assert_int_equal(solid.kind, DENT_BODY_SOLID);
    assert_int_equal(surface.kind, DENT_BODY_SURFACE);
    assert_int_equal(solid.collision_group, 1);
    assert_int_equal(solid.collision_mask, UINT32_MAX);
    assert_true(solid.self_collision);
    assert_false(solid.strict);
    assert_null(solid.cell_kinds);
    assert_null(solid.positions_t0.data);
}

static void a_def_not_made_by_its_default_function_is_refused(void **state)
{
    (void)state;
    dent_body_def def = two_cell_def();
    def.struct_size = 0;
    assert_refused(&def, DENT_ERROR_INVALID_ARGUMENT, "struct_size", "dent_solid_def_default");
    def.struct_size = sizeof def + 8;
    assert_refused(&def, DENT_ERROR_INVALID_ARGUMENT, "struct_size", "");
    assert_refused(NULL, DENT_ERROR_INVALID_ARGUMENT, "null", "");
    def = two_cell_def();
    def.kind = (dent_body_kind)7;
    assert_refused(&def, DENT_ERROR_INVALID_ARGUMENT, "body \"femur\"", "kind 7");
}

static void null_arrays_with_counts_are_refused(void **state)
{
    (void)state;
    dent_body_def def = two_cell_def();
    def.element_corners = NULL;
    assert_refused(&def, DENT_ERROR_INVALID_ARGUMENT, "body \"femur\"", "element_corners is null");
    def = two_cell_def();
    def.same_as_count = 2;
    assert_refused(&def, DENT_ERROR_INVALID_ARGUMENT, "body \"femur\"", "same_as is null");
    const uint8_t kinds[2] = {0, 0};
    def = dent_surface_def_default();
    def.cell_kinds = kinds;
    assert_refused(&def, DENT_ERROR_INVALID_ARGUMENT, "body 3", "cell_kinds");
}

static void an_index_out_of_range_is_named_with_body_and_cell(void **state)
{
    (void)state;
    uint32_t corners[8];
    memcpy(corners, two_cells, sizeof corners);
    corners[6] = 5;
    dent_body_def def = two_cell_def();
    def.element_corners = corners;
    assert_refused(&def, DENT_ERROR_BAD_MESH, "body \"femur\": cell 1 names vertex 5, but there are only 5", "");
    def.name = NULL;
    assert_refused(&def, DENT_ERROR_BAD_MESH, "body 3: cell 1 names vertex 5", "");
    corners[6] = UINT32_MAX;
    assert_refused(&def, DENT_ERROR_BAD_MESH, "vertex 4294967295", "");
    uint32_t triangle[3] = {0, 9, 1};
    def = dent_surface_def_default();
    def.vertex_count = 2;
    def.element_count = 1;
    def.element_corners = triangle;
    assert_refused(&def, DENT_ERROR_BAD_MESH, "triangle 0 names vertex 9", "only 2");
}

static void a_repeated_index_is_named_for_every_pair_of_corners_of_every_kind(void **state)
{
    (void)state;
    const uint32_t counts[DENT_CELL_KIND_COUNT] = {4, 8, 6, 5};
    for (uint8_t kind = 0; kind < DENT_CELL_KIND_COUNT; kind++) {
        for (uint32_t i = 0; i < counts[kind]; i++) {
            for (uint32_t j = 0; j < i; j++) {
                uint32_t corners[8] = {0, 1, 2, 3, 4, 5, 6, 7};
                corners[i] = corners[j];
                dent_body_def def = dent_solid_def_default();
                def.vertex_count = 8;
                def.element_count = 1;
                def.element_corners = corners;
                def.cell_kinds = &kind;
                assert_refused(&def, DENT_ERROR_BAD_MESH, "body 3: cell 0 names vertex", "twice");
            }
        }
    }
}

static void an_unknown_cell_kind_is_named(void **state)
{
    (void)state;
    const uint8_t kinds[2] = {0, 4};
    dent_body_def def = two_cell_def();
    def.cell_kinds = kinds;
    assert_refused(&def, DENT_ERROR_BAD_MESH, "cell 1 is of unknown kind 4", "body \"femur\"");
}

static void counts_beyond_32_bits_are_refused_without_reading_or_allocating(void **state)
{
    (void)state;
    /* The arrays are far shorter than the counts say: reading them would be seen by the address sanitizer. */
    dent_body_def def = two_cell_def();
    memory.largest_request = 0;
    def.element_count = 1073741824; /* times four faces is 2^32 */
    assert_refused(&def, DENT_ERROR_TOO_LARGE, "body \"femur\"", "faces");
    def.element_count = UINT32_MAX;
    assert_refused(&def, DENT_ERROR_TOO_LARGE, "body \"femur\"", "faces");
    def.kind = DENT_BODY_SURFACE;
    assert_refused(&def, DENT_ERROR_TOO_LARGE, "body \"femur\"", "faces");
    def = two_cell_def();
    def.same_as = (const dent_same_as *)two_cells;
    def.same_as_count = UINT32_MAX;
    assert_refused(&def, DENT_ERROR_TOO_LARGE, "body \"femur\"", "ties");
    assert_true(memory.largest_request < 4096);
}

static void the_vertex_count_alone_does_not_crash(void **state)
{
    (void)state;
    /* 2^32 - 1 vertices, two cells: more memory than this test allows, so it must be refused in order. */
    dent_body_def def = two_cell_def();
    def.vertex_count = UINT32_MAX;
    memory.fail_at = memory.requests + 4;
    assert_refused(&def, DENT_ERROR_OUT_OF_MEMORY, "body \"femur\"", "memory");
    memory.fail_at = 0;
}

static void positions_that_cannot_be_are_refused(void **state)
{
    (void)state;
    dent_body_def def = two_cell_def();
    def.positions_t0.scalar = (dent_scalar)2;
    assert_refused(&def, DENT_ERROR_INVALID_ARGUMENT, "body \"femur\"", "scalar kind 2");
    def = two_cell_def();
    def.positions_t0.stride = 23;
    assert_refused(&def, DENT_ERROR_INVALID_ARGUMENT, "23", "24");
    def = two_cell_def();
    def.positions_t1 = dent_positions_float((const float *)(const void *)corners_xyz);
    def.positions_t1.stride = 11;
    assert_refused(&def, DENT_ERROR_INVALID_ARGUMENT, "11", "12");
    def.positions_t1.stride = SIZE_MAX / 4;
    assert_refused(&def, DENT_ERROR_TOO_LARGE, "body \"femur\"", "stride");
}

static void strict_refuses_what_is_otherwise_accepted_and_counted(void **state)
{
    (void)state;
    uint32_t corners[12] = {0, 1, 2, 3, 1, 2, 3, 4, 3, 1, 2, 0};
    dent_body_def def = two_cell_def();
    def.element_corners = corners;
    def.element_count = 3;
    def.strict = true;
    assert_refused(&def, DENT_ERROR_BAD_MESH, "body \"femur\": cell 2 has the same corners", "1 in all");
    corners[11] = 5, def.vertex_count = 6; /* three cells at face 1-2-3 */
    assert_refused(&def, DENT_ERROR_BAD_MESH, "body \"femur\": cell 0 has a face with more than two cells", "1 such");
    corners[10] = 4, def.vertex_count = 8;
    assert_refused(&def, DENT_ERROR_BAD_MESH, "body \"femur\": vertex 6 is used by no cell", "2 in all");
    def.vertex_count = 6;
    body_destroy(make_body_of(context, &def));
    def.strict = false, def.vertex_count = 8, corners[10] = 2, corners[11] = 0;
    struct body *body = make_body_of(context, &def);
    assert_int_equal(body->topology.duplicate_elements, 1);
    assert_int_equal(body->topology.unused_vertices, 3);
    body_destroy(body);
}

static void kinds_that_are_all_tetrahedra_are_the_same_as_none(void **state)
{
    (void)state;
    const uint8_t kinds[2] = {0, 0};
    dent_body_def def = two_cell_def();
    def.cell_kinds = kinds;
    struct body *body = make_body_of(context, &def);
    assert_null(body->cell_kinds);
    assert_null(body->cell_of_tetrahedron);
    assert_ptr_equal(body->tetrahedra, body->element_corners);
    body_destroy(body);
}

static void the_description_is_copied(void **state)
{
    (void)state;
    uint32_t *corners = malloc(sizeof two_cells);
    char *name = malloc(6);
    memcpy(corners, two_cells, sizeof two_cells);
    memcpy(name, "femur", 6);
    dent_body_def def = two_cell_def();
    def.element_corners = corners;
    def.name = name;
    struct body *body = make_body_of(context, &def);
    free(corners);
    free(name);
    assert_string_equal(body->name, "femur");
    assert_memory_equal(body->element_corners, two_cells, sizeof two_cells);
    body_destroy(body);
    def = two_cell_def();
    def.name = NULL;
    body = make_body_of(context, &def);
    assert_string_equal(body->name, "body 0");
    body_destroy(body);
}

static void a_very_long_name_does_not_hide_the_culprit(void **state)
{
    (void)state;
    char *name = malloc(100001);
    memset(name, 'x', 100000);
    name[100000] = 0;
    dent_body_def def = two_cell_def();
    def.name = name;
    def.vertex_count = 4;
    assert_refused(&def, DENT_ERROR_BAD_MESH, "\": cell 1 names vertex 4, but there are only 4", "body \"xxx");
    free(name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_are_as_documented),
        cmocka_unit_test(a_def_not_made_by_its_default_function_is_refused),
        cmocka_unit_test(null_arrays_with_counts_are_refused),
        cmocka_unit_test(an_index_out_of_range_is_named_with_body_and_cell),
        cmocka_unit_test(a_repeated_index_is_named_for_every_pair_of_corners_of_every_kind),
        cmocka_unit_test(an_unknown_cell_kind_is_named),
        cmocka_unit_test(counts_beyond_32_bits_are_refused_without_reading_or_allocating),
        cmocka_unit_test(the_vertex_count_alone_does_not_crash),
        cmocka_unit_test(positions_that_cannot_be_are_refused),
        cmocka_unit_test(strict_refuses_what_is_otherwise_accepted_and_counted),
        cmocka_unit_test(kinds_that_are_all_tetrahedra_are_the_same_as_none),
        cmocka_unit_test(the_description_is_copied),
        cmocka_unit_test(a_very_long_name_does_not_hide_the_culprit),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
