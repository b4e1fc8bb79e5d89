/* Bodies with equal elements keep one copy of them: what is shared is right for each, lives as long as the last of them,
 * and is told apart from everything that differs in a single number. */
#include "support_table.h"

#include <stdlib.h>
#include <string.h>

static bool share(dent_body_id a, dent_body_id b)
{
    const struct body *body_a = body_table_find(&table, a), *body_b = body_table_find(&table, b);
    return body_a->element_corners == body_b->element_corners;
}

static void assert_same_array(const void *a, const void *b, size_t bytes)
{
    assert_int_equal(a != NULL, b != NULL);
    if (bytes > 0 && a) {
        assert_memory_equal(a, b, bytes);
    }
}

/* Everything that follows from the elements equals what a body made alone has. */
static void assert_right(const struct body *body, const dent_body_def *def)
{
    struct body *alone = make_body_of(context, def);
    assert_int_equal(body->element_count, alone->element_count);
    assert_int_equal(body->corner_count, alone->corner_count);
    assert_int_equal(body->tetrahedron_count, alone->tetrahedron_count);
    assert_int_equal(body->surface_face_count, alone->surface_face_count);
    assert_int_equal(body->edge_count, alone->edge_count);
    assert_int_equal(body->first_nonmanifold_cell, alone->first_nonmanifold_cell);
    assert_memory_equal(&body->topology, &alone->topology, sizeof body->topology);
    size_t cells = body->tetrahedron_count, faces = body->surface_face_count, edges = body->edge_count;
    assert_same_array(body->element_corners, alone->element_corners, body->corner_count * 4);
    assert_same_array(body->cell_kinds, alone->cell_kinds, body->element_count);
    assert_same_array(body->element_start, alone->element_start, (body->element_count + 1) * sizeof(uint64_t));
    assert_same_array(body->tetrahedra, alone->tetrahedra, cells * 16);
    assert_same_array(body->cell_of_tetrahedron, alone->cell_of_tetrahedron, cells * 4);
    assert_same_array(body->first_tetrahedron, alone->first_tetrahedron, (body->element_count + 1) * 4);
    assert_same_array(body->neighbours, alone->neighbours, cells * 16);
    assert_same_array(body->surface_faces, alone->surface_faces, faces * sizeof *body->surface_faces);
    assert_same_array(body->surface_face_tetrahedron, alone->surface_face_tetrahedron, faces * 4);
    assert_same_array(body->edges, alone->edges, edges * sizeof *body->edges);
    assert_same_array(body->edge_is_surface, alone->edge_is_surface, edges);
    assert_same_array(body->vertex_use, alone->vertex_use, body->vertex_count);
    assert_same_array(body->vertex_component, alone->vertex_component, body->vertex_count * sizeof(uint32_t));
    body_destroy(alone);
}

static void bodies_share_their_elements_exactly_when_every_number_is_equal(void **state)
{
    (void)state;
    struct test_mesh bar = make_bar(3, 2, 2, CUBE_FIVE), mixed = make_bar(2, 1, 1, CUBE_HEXAHEDRA);
    dent_body_def def = solid_def_of(&bar, "a");
    dent_body_id a = add_def(&def), b = add_def(&def);
    assert_true(share(a, b));
    /* One corner of one element after the other; all elements stay good, as the vertices of a bar are many. */
    uint32_t drawn = 0;
    for (uint32_t corner = 0; corner < 4 * bar.element_count; corner += 7) {
        uint32_t kept = bar.corners[corner], *cell = bar.corners + corner / 4 * 4, other = 0;
        while (cell[0] == other || cell[1] == other || cell[2] == other || cell[3] == other) {
            other++;
        }
        bar.corners[corner] = other;
        dent_body_id c = add_def(&def);
        assert_false(share(a, c));
        assert_right(body_table_find(&table, c), &def);
        bar.corners[corner] = kept;
        drawn++;
    }
    assert_true(drawn > 30);
    /* The count of vertices, the number of elements, the kind of the body and of its cells. */
    enum { MORE = 400 }; /* some of them have the slot of the bar in the table */
    double(*more)[3] = calloc(bar.vertex_count + MORE, sizeof *more);
    memcpy(more, bar.xyz, bar.vertex_count * sizeof *more);
    dent_body_def changed = def;
    changed.positions_t0 = dent_positions_double(&more[0][0]);
    for (uint32_t i = 0; i < MORE; i++) {
        changed.vertex_count++;
        a = add_def(&def); /* the one that would lend */
        assert_false(share(a, add_def(&changed)));
    }
    changed = def;
    changed.element_count--;
    assert_false(share(add_def(&def), add_def(&changed)));
    dent_body_def surface = surface_def_of(&bar, "surface");
    surface.element_count = 4 * bar.element_count / 3;
    dent_body_def solid = def;
    solid.element_count = surface.element_count / 4 * 3;
    assert_false(share(add_def(&solid), add_def(&surface)));
    uint8_t *kinds = calloc(bar.element_count, 1);
    memset(kinds, DENT_CELL_TETRAHEDRON, bar.element_count);
    changed = def;
    changed.cell_kinds = kinds; /* says what is so anyway */
    assert_true(share(add_def(&def), add_def(&changed)));
    dent_body_def hexahedra = solid_def_of(&mixed, "hexahedra");
    assert_true(share(add_def(&hexahedra), add_def(&hexahedra)));
    free(kinds);
    free(more);
    free_mesh(&bar);
    free_mesh(&mixed);
}

/* A random session over five meshes; at the end of the test all memory must be back. */
static void a_shared_mesh_is_right_and_lives_until_its_last_body_goes(void **state)
{
    (void)state;
    enum { MESHES = 5, MOST = 24, STEPS = 3000 };
    struct test_mesh meshes[MESHES] = {make_bar(2, 1, 1, CUBE_FIVE), make_bar(1, 1, 2, CUBE_SIX),
                                       make_bar(2, 1, 1, CUBE_HEXAHEDRA), make_torus(3, 4), make_moebius_strip(5)};
    dent_body_id ids[MOST];
    uint32_t made_of[MOST], count = 0, shared = 0;
    dent_random random = dent_random_seeded(41);
    for (int step = 0; step < STEPS; step++) {
        uint32_t mesh = dent_random_below(&random, MESHES), choice = dent_random_below(&random, 3);
        dent_body_def def = mesh < 3 ? solid_def_of(&meshes[mesh], NULL) : surface_def_of(&meshes[mesh], NULL);
        uint32_t place = count > 0 ? dent_random_below(&random, count) : 0;
        if (count == 0 || (choice == 0 && count < MOST)) {
            place = count++;
            ids[place] = add_def(&def);
            made_of[place] = mesh;
        } else if (choice == 1) {
            assert_int_equal(body_table_replace(&table, ids[place], &def, &message), DENT_OK);
            made_of[place] = mesh;
        } else {
            assert_int_equal(body_table_remove(&table, ids[place], &message), DENT_OK);
            count--;
            ids[place] = ids[count];
            made_of[place] = made_of[count];
        }
        for (uint32_t i = 0; i < count; i++) {
            struct test_mesh *own = &meshes[made_of[i]];
            dent_body_def own_def = made_of[i] < 3 ? solid_def_of(own, NULL) : surface_def_of(own, NULL);
            shared += body_table_find(&table, ids[i])->next_sharer != NULL;
            if (step % 50 == 0) {
                assert_right(body_table_find(&table, ids[i]), &own_def);
            }
        }
    }
    assert_true(shared > STEPS); /* on average at least one at any time */
    for (int i = 0; i < MESHES; i++) {
        free_mesh(&meshes[i]);
    }
}

static void one_more_body_of_a_swarm_takes_no_memory_for_elements(void **state)
{
    (void)state;
    struct test_mesh bar = make_bar(2, 1, 1, CUBE_FIVE);
    dent_body_def def = solid_def_of(&bar, "bar");
    for (int i = 0; i < 100; i++) {
        add_def(&def);
    }
    uint64_t bytes = memory.bytes, blocks = memory.blocks;
    add_def(&def); /* 101 bodies: the slots have room */
    assert_true(memory.bytes - bytes <= sizeof(struct body) + 64);
    assert_int_equal(memory.blocks - blocks, 2); /* the body and its name */
    free_mesh(&bar);
}

static void failing_requests_of_a_body_that_borrows_leave_nothing_behind(void **state)
{
    (void)state;
    struct test_mesh bar = make_bar(2, 1, 1, CUBE_FIVE);
    dent_body_def def = solid_def_of(&bar, "bar");
    def.reference = dent_positions_double(&bar.xyz[0][0]);
    dent_body_id first = add_def(&def), id = {0};
    uint64_t failures = 0;
    for (dent_status status = DENT_ERROR_OUT_OF_MEMORY; status != DENT_OK; failures += status != DENT_OK) {
        uint64_t bytes = memory.bytes;
        memory.fail_at = memory.requests + failures + 1;
        status = body_table_add(&table, &def, &message, &id);
        memory.fail_at = 0;
        assert_true(status == DENT_OK || status == DENT_ERROR_OUT_OF_MEMORY);
        assert_true(status == DENT_OK || memory.bytes == bytes);
        assert_int_equal(body_table_find(&table, first)->next_sharer != NULL, status == DENT_OK);
    }
    assert_true(failures >= 3);
    assert_right(body_table_find(&table, id), &def);
    free_mesh(&bar);
}

static void a_strict_body_is_rejected_for_a_mesh_that_another_one_has(void **state)
{
    (void)state;
    const uint32_t twice[8] = {0, 1, 2, 3, 3, 2, 1, 0};
    const double xyz[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    dent_body_def def = dent_solid_def_default();
    def.name = "doubled";
    def.vertex_count = 4;
    def.element_count = 2;
    def.element_corners = twice;
    def.positions_t0 = dent_positions_double(&xyz[0][0]);
    dent_body_id id = add_def(&def);
    def.strict = true;
    assert_int_equal(body_table_add(&table, &def, &message, &id), DENT_ERROR_BAD_MESH);
    assert_contains(message.text, "body \"doubled\": cell 1 has the same corners as an earlier one");
    assert_null(body_table_at(&table, 0)->next_sharer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(bodies_share_their_elements_exactly_when_every_number_is_equal, begin, end),
        cmocka_unit_test_setup_teardown(a_shared_mesh_is_right_and_lives_until_its_last_body_goes, begin, end),
        cmocka_unit_test_setup_teardown(one_more_body_of_a_swarm_takes_no_memory_for_elements, begin, end),
        cmocka_unit_test_setup_teardown(failing_requests_of_a_body_that_borrows_leave_nothing_behind, begin, end),
        cmocka_unit_test_setup_teardown(a_strict_body_is_rejected_for_a_mesh_that_another_one_has, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
