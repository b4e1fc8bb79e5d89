/* The bodies of a world: ids and generations, order of addition, ties, filters, and a failing allocator at every
 * request. */
#include "support_table.h"

#include <stdlib.h>
#include <string.h>

static const uint32_t cell[4] = {0, 1, 2, 3};
static const double cell_xyz[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

static dent_body_def cell_def(const char *name, const dent_same_as *ties, uint32_t tie_count)
{
    dent_body_def def = dent_solid_def_default();
    def.name = name;
    def.vertex_count = 4;
    def.element_count = 1;
    def.element_corners = cell;
    def.positions_t0 = dent_positions_double(&cell_xyz[0][0]);
    def.same_as = ties;
    def.same_as_count = tie_count;
    return def;
}

static dent_body_id add(const char *name, const dent_same_as *ties, uint32_t tie_count)
{
    dent_body_def def = cell_def(name, ties, tie_count);
    return add_def(&def);
}

static bool same_vertex(dent_body_id a, uint32_t vertex_a, dent_body_id b, uint32_t vertex_b)
{
    const struct body *body_a = body_table_find(&table, a), *body_b = body_table_find(&table, b);
    assert_non_null(body_a);
    assert_non_null(body_b);
    return body_identity(body_a, vertex_a) == body_identity(body_b, vertex_b);
}

/* ---- ids and order ----------------------------------------------------------------------------------------------- */

static void ids_name_bodies_and_never_name_another(void **state)
{
    (void)state;
    dent_body_id a = add("a", NULL, 0), b = add("b", NULL, 0);
    assert_false(dent_body_id_is_null(a));
    assert_false(dent_body_id_equal(a, b));
    assert_string_equal(body_table_find(&table, a)->name, "a");
    assert_int_equal(body_table_remove(&table, a, &message), DENT_OK);
    assert_null(body_table_find(&table, a));
    dent_body_id c = add("c", NULL, 0);
    assert_int_equal(c.index1, a.index1); /* the slot is used again, the id is not */
    assert_false(dent_body_id_equal(a, c));
    assert_null(body_table_find(&table, a));
    assert_string_equal(body_table_find(&table, c)->name, "c");
    for (int i = 0; i < 1000; i++) {
        assert_int_equal(body_table_remove(&table, c, &message), DENT_OK);
        dent_body_id next = add("next", NULL, 0);
        assert_null(body_table_find(&table, c));
        c = next;
    }
    assert_int_equal(table.body_count, 2);
    assert_int_equal(table.slot_count, 2);
}

static void stale_ids_are_refused_with_the_reason(void **state)
{
    (void)state;
    dent_body_id a = add("a", NULL, 0), null_id = {0}, beyond = {77, 1, 0}, future = {a.index1, a.generation + 5, 0};
    dent_body_def def = cell_def("x", NULL, 0);
    assert_int_equal(body_table_remove(&table, null_id, &message), DENT_ERROR_STALE_ID);
    assert_contains(message.text, "null");
    assert_int_equal(body_table_remove(&table, beyond, &message), DENT_ERROR_STALE_ID);
    assert_contains(message.text, "never");
    assert_int_equal(body_table_replace(&table, future, &def, &message), DENT_ERROR_STALE_ID);
    assert_contains(message.text, "never");
    assert_int_equal(body_table_remove(&table, a, &message), DENT_OK);
    assert_int_equal(body_table_remove(&table, a, &message), DENT_ERROR_STALE_ID);
    assert_contains(message.text, "removed");
    assert_int_equal(body_table_replace(&table, a, &def, &message), DENT_ERROR_STALE_ID);
    assert_contains(message.text, "removed");
    assert_int_equal(body_table_index(&table, a), UINT32_MAX);
    assert_int_equal(body_table_index(&table, null_id), UINT32_MAX);
    assert_true(dent_body_id_is_null(body_table_id_at(&table, 0)));
}

static void a_slot_with_used_up_generations_is_retired(void **state)
{
    (void)state;
    dent_body_id a = add("a", NULL, 0);
    table.slots[0].generation = UINT32_MAX - 1;
    a.generation = UINT32_MAX - 1;
    assert_int_equal(body_table_remove(&table, a, &message), DENT_OK);
    dent_body_id b = add("b", NULL, 0);
    assert_int_equal(b.index1, 2);
    assert_int_equal(table.slot_count, 2);
    assert_null(body_table_find(&table, a));
    a.generation = UINT32_MAX;
    assert_null(body_table_find(&table, a));
    assert_int_equal(body_table_stale(&table, a, &message), DENT_ERROR_STALE_ID);
}

static void ranks_follow_the_order_of_addition_through_a_random_session(void **state)
{
    (void)state;
    enum { MOST = 40 };
    dent_body_id expected[MOST];
    uint32_t count = 0;
    dent_random random = dent_random_seeded(3);
    for (int step = 0; step < 2000; step++) {
        uint64_t version = table.topology_version;
        uint32_t choice = dent_random_below(&random, 3);
        if (count < MOST && (choice == 0 || count == 0)) {
            expected[count++] = add("x", NULL, 0);
        } else if (choice == 1) {
            uint32_t body_index = dent_random_below(&random, count);
            assert_int_equal(body_table_remove(&table, expected[body_index], &message), DENT_OK);
            memmove(&expected[body_index], &expected[body_index + 1], (count - body_index - 1) * sizeof *expected);
            count--;
        } else {
            dent_body_def def = cell_def("y", NULL, 0);
            uint32_t body_index = dent_random_below(&random, count);
            assert_int_equal(body_table_replace(&table, expected[body_index], &def, &message), DENT_OK);
        }
        assert_true(table.topology_version > version);
        assert_int_equal(table.body_count, count);
        for (uint32_t body_index = 0; body_index < count; body_index++) {
            assert_true(dent_body_id_equal(body_table_id_at(&table, body_index), expected[body_index]));
            assert_int_equal(body_table_index(&table, expected[body_index]), body_index);
            assert_ptr_equal(body_table_at(&table, body_index), body_table_find(&table, expected[body_index]));
        }
    }
}

static void a_replaced_body_keeps_id_rank_and_number(void **state)
{
    (void)state;
    dent_body_id a = add(NULL, NULL, 0), b = add(NULL, NULL, 0), c = add("c", NULL, 0);
    const uint32_t triangle[3] = {2, 1, 0};
    dent_body_def def = dent_surface_def_default();
    def.vertex_count = 3;
    def.element_count = 1;
    def.element_corners = triangle;
    assert_int_equal(body_table_replace(&table, b, &def, &message), DENT_OK);
    assert_int_equal(body_table_index(&table, a), 0);
    assert_int_equal(body_table_index(&table, b), 1);
    assert_int_equal(body_table_index(&table, c), 2);
    assert_int_equal(body_table_find(&table, b)->kind, DENT_BODY_SURFACE);
    assert_string_equal(body_table_find(&table, a)->name, "body 0");
    assert_string_equal(body_table_find(&table, b)->name, "body 1");
    assert_string_equal(body_table_find(&table, add(NULL, NULL, 0))->name, "body 3");
}

static void a_failing_replacement_leaves_the_body_as_it_was(void **state)
{
    (void)state;
    dent_body_id a = add("a", NULL, 0);
    struct body *before = body_table_find(&table, a);
    uint64_t version = table.topology_version, identity = table.next_identity;
    const uint32_t bad[4] = {0, 1, 2, 9};
    dent_body_def def = cell_def("bad", NULL, 0);
    def.element_corners = bad;
    assert_int_equal(body_table_replace(&table, a, &def, &message), DENT_ERROR_BAD_MESH);
    assert_contains(message.text, "body \"bad\": cell 0 names vertex 9");
    assert_ptr_equal(body_table_find(&table, a), before);
    dent_body_id id = {5, 5, 0};
    assert_int_equal(body_table_add(&table, &def, &message, &id), DENT_ERROR_BAD_MESH);
    assert_true(id.index1 == 5 && id.generation == 5);
    assert_int_equal(table.topology_version, version);
    assert_int_equal(table.next_identity, identity);
    assert_int_equal(table.body_count, 1);
}

static void a_world_that_has_named_all_bodies_says_so(void **state)
{
    (void)state;
    table.next_identity = UINT64_C(1) << 32;
    dent_body_def def = cell_def("late", NULL, 0);
    dent_body_id id;
    assert_int_equal(body_table_add(&table, &def, &message, &id), DENT_ERROR_TOO_LARGE);
}

/* ---- ties -------------------------------------------------------------------------------------------------------- */

static void vertices_are_the_same_only_when_tied(void **state)
{
    (void)state;
    dent_body_id a = add("a", NULL, 0);
    dent_same_as ties[2] = {{0, a, 3}, {2, a, 1}};
    dent_body_id b = add("b", ties, 2);
    for (uint32_t i = 0; i < 4; i++) {
        for (uint32_t j = 0; j < 4; j++) {
            assert_int_equal(same_vertex(a, i, b, j), (i == 3 && j == 0) || (i == 1 && j == 2));
            assert_int_equal(same_vertex(a, i, a, j), i == j);
            assert_int_equal(same_vertex(b, i, b, j), i == j);
        }
    }
}

static void ties_are_transitive_and_survive_removal(void **state)
{
    (void)state;
    dent_body_id a = add("a", NULL, 0);
    dent_same_as to_a[1] = {{1, a, 0}};
    dent_body_id b = add("b", to_a, 1);
    dent_same_as to_b[1] = {{2, b, 1}};
    dent_body_id c = add("c", to_b, 1), d = add("d", to_a, 1);
    assert_true(same_vertex(a, 0, c, 2));
    assert_int_equal(body_table_remove(&table, a, &message), DENT_OK);
    assert_int_equal(body_table_remove(&table, b, &message), DENT_OK);
    assert_true(same_vertex(c, 2, d, 1)); /* tied through two bodies that are gone */
    dent_body_id e = add("e", NULL, 0);   /* takes a's slot, not its identity */
    for (uint32_t i = 0; i < 4; i++) {
        assert_false(same_vertex(c, 2, e, i));
    }
}

static void a_new_body_can_join_classes_that_were_apart(void **state)
{
    (void)state;
    dent_body_id a = add("a", NULL, 0), b = add("b", NULL, 0);
    dent_same_as to_b[1] = {{3, b, 0}};
    dent_body_id c = add("c", to_b, 1), other = add("other", NULL, 0);
    assert_false(same_vertex(a, 0, c, 3));
    dent_same_as both[3] = {{1, a, 0}, {1, c, 3}, {0, a, 2}};
    dent_body_id d = add("d", both, 3);
    assert_true(same_vertex(a, 0, b, 0));
    assert_true(same_vertex(a, 0, c, 3));
    assert_true(same_vertex(d, 1, b, 0));
    assert_true(same_vertex(d, 0, a, 2));
    assert_false(same_vertex(d, 0, a, 0));
    assert_false(same_vertex(d, 1, other, 0));
    assert_null(body_table_find(&table, other)->identities);
    assert_int_equal(body_table_remove(&table, d, &message), DENT_OK);
    assert_true(same_vertex(a, 0, c, 3)); /* the tie outlives the body that made it */
}

static void two_vertices_of_one_body_become_the_same_through_another(void **state)
{
    (void)state;
    dent_body_id a = add("a", NULL, 0);
    dent_same_as seam[2] = {{0, a, 1}, {0, a, 2}};
    dent_body_id b = add("b", seam, 2);
    assert_true(same_vertex(a, 1, a, 2));
    assert_true(same_vertex(b, 0, a, 2));
    assert_false(same_vertex(a, 0, a, 1));
}

static void a_replaced_body_is_tied_anew_or_not_at_all(void **state)
{
    (void)state;
    dent_body_id a = add("a", NULL, 0);
    dent_same_as to_a[1] = {{0, a, 0}};
    dent_body_id b = add("b", to_a, 1), c = add("c", to_a, 1);
    dent_body_def def = cell_def("a again", NULL, 0);
    assert_int_equal(body_table_replace(&table, a, &def, &message), DENT_OK);
    assert_false(same_vertex(a, 0, b, 0));
    assert_true(same_vertex(b, 0, c, 0));
    dent_same_as to_b[1] = {{3, b, 0}}, to_itself[1] = {{0, a, 1}};
    def = cell_def("a tied", to_b, 1);
    assert_int_equal(body_table_replace(&table, a, &def, &message), DENT_OK);
    assert_true(same_vertex(a, 3, c, 0));
    def = cell_def("a to itself", to_itself, 1);
    assert_int_equal(body_table_replace(&table, a, &def, &message), DENT_ERROR_INVALID_ARGUMENT);
    assert_contains(message.text, "itself");
    assert_true(same_vertex(a, 3, c, 0));
}

static void bad_ties_are_named_and_change_nothing(void **state)
{
    (void)state;
    dent_body_id a = add("a", NULL, 0), gone = add("gone", NULL, 0), id = {0};
    assert_int_equal(body_table_remove(&table, gone, &message), DENT_OK);
    dent_same_as ties[2] = {{0, a, 0}, {4, a, 0}};
    dent_body_def def = cell_def("b", ties, 2);
    uint64_t blocks = memory.blocks;
    assert_int_equal(body_table_add(&table, &def, &message, &id), DENT_ERROR_BAD_MESH);
    assert_contains(message.text, "body \"b\": tie 1 names vertex 4, but there are only 4");
    ties[1] = (dent_same_as){0, a, 4};
    assert_int_equal(body_table_add(&table, &def, &message, &id), DENT_ERROR_BAD_MESH);
    assert_contains(message.text, "body \"b\": tie 1 names vertex 4 of body \"a\", but that has only 4");
    ties[1].other = gone;
    assert_int_equal(body_table_add(&table, &def, &message, &id), DENT_ERROR_STALE_ID);
    assert_contains(message.text, "body \"b\": tie 1: body id 2.1 is stale");
    ties[1].other = (dent_body_id){0};
    assert_int_equal(body_table_add(&table, &def, &message, &id), DENT_ERROR_STALE_ID);
    assert_contains(message.text, "null");
    assert_true(dent_body_id_is_null(id));
    assert_int_equal(memory.blocks, blocks);
    assert_int_equal(table.body_count, 1);
}

/* Random additions, removals and replacements with ties, against a table of labels kept by hand. */
static void random_ties_equal_labels_spread_by_hand(void **state)
{
    (void)state;
    enum { MOST = 12 };
    dent_body_id ids[MOST];
    int labels[MOST][4], next_label = 0;
    uint32_t count = 0, joined = 0;
    dent_random random = dent_random_seeded(19);
    for (int step = 0; step < 3000; step++) {
        uint32_t place = count;
        if (count == MOST || (count > 2 && dent_random_below(&random, 4) == 0)) {
            place = dent_random_below(&random, count);
            assert_int_equal(body_table_remove(&table, ids[place], &message), DENT_OK);
            count--;
            ids[place] = ids[count];
            memcpy(labels[place], labels[count], sizeof labels[place]);
            place = count;
        }
        dent_same_as ties[4];
        uint32_t tie_count = count > 0 ? dent_random_below(&random, 5) : 0;
        for (uint32_t v = 0; v < 4; v++) {
            labels[place][v] = next_label++;
        }
        for (uint32_t t = 0; t < tie_count; t++) {
            uint32_t v = dent_random_below(&random, 4), other = dent_random_below(&random, count),
                     w = dent_random_below(&random, 4);
            ties[t] = (dent_same_as){v, ids[other], w};
            int from = labels[place][v], to = labels[other][w];
            for (uint32_t i = 0; i <= count; i++) {
                for (uint32_t k = 0; k < 4; k++) {
                    joined += labels[i][k] == from && i != place && from != to;
                    labels[i][k] = labels[i][k] == from ? to : labels[i][k];
                }
            }
        }
        ids[place] = add("x", ties, tie_count);
        count++;
        for (uint32_t i = 0; i < count * 4; i++) {
            for (uint32_t j = 0; j < i; j++) {
                assert_int_equal(same_vertex(ids[i / 4], i % 4, ids[j / 4], j % 4),
                                 labels[i / 4][i % 4] == labels[j / 4][j % 4]);
            }
        }
    }
    assert_true(joined > 100);
}

/* ---- filters ----------------------------------------------------------------------------------------------------- */

static void filters_ask_both_ways_and_self_collision_asks_itself(void **state)
{
    (void)state;
    struct body *a = body_table_find(&table, add("a", NULL, 0)), *b = body_table_find(&table, add("b", NULL, 0));
    assert_true(bodies_may_meet(a, b));
    assert_true(bodies_may_meet(a, a));
    a->collision_mask = 2;
    assert_false(bodies_may_meet(a, b));
    assert_false(bodies_may_meet(b, a));
    b->collision_group = 6;
    assert_true(bodies_may_meet(b, a));
    a->collision_group = 8, b->collision_mask = ~UINT32_C(8);
    assert_false(bodies_may_meet(a, b));
    a->self_collision = false;
    assert_false(bodies_may_meet(a, a));
    b->collision_mask = 0;
    assert_true(bodies_may_meet(b, b)); /* groups and masks are about other bodies */
}

static void excluded_pairs_do_not_meet_until_a_body_is_removed(void **state)
{
    (void)state;
    dent_body_id ids[3] = {add("a", NULL, 0), add("b", NULL, 0), add("c", NULL, 0)};
    struct body *a = body_table_find(&table, ids[0]), *b = body_table_find(&table, ids[1]),
                *c = body_table_find(&table, ids[2]);
    const dent_excluded_pair pairs[] = {{ids[2], ids[0]}, {ids[0], ids[2]}, {ids[1], ids[2]}};
    uint64_t version = table.topology_version;
    assert_int_equal(excluded_bodies_set(&table, pairs, 3, &message), DENT_OK);
    assert_true(table.topology_version > version);
    assert_true(bodies_may_meet(a, b) && bodies_may_meet(c, c));
    assert_false(bodies_may_meet(a, c) || bodies_may_meet(c, a) || bodies_may_meet(b, c));
    const dent_excluded_pair itself = {ids[1], ids[1]}, stale = {ids[0], {0}};
    assert_int_equal(excluded_bodies_set(&table, &itself, 1, &message), DENT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(excluded_bodies_set(&table, &stale, 1, &message), DENT_ERROR_STALE_ID);
    assert_false(bodies_may_meet(a, c)); /* a failing call changed nothing */
    assert_int_equal(body_table_remove(&table, ids[0], &message), DENT_OK);
    assert_false(bodies_may_meet(b, c));
    struct body *again = body_table_find(&table, add("again", NULL, 0)); /* in the slot of a */
    assert_int_equal(again->slot, 0);
    assert_true(bodies_may_meet(again, c));
    assert_int_equal(excluded_bodies_set(&table, NULL, 0, &message), DENT_OK);
    assert_true(bodies_may_meet(b, c));
}

/* ---- failing allocator ----------------------------------------------------------------------- */

/* What must not change when a call fails. */
struct table_picture {
    uint32_t body_count, slot_count;
    uint64_t version, next_serial, next_identity, blocks, bytes;
    struct body *bodies[9];
    uint64_t identities[9][16];
};

static struct table_picture take_picture(void)
{
    struct table_picture picture;
    memset(&picture, 0, sizeof picture);
    picture.body_count = table.body_count;
    picture.slot_count = table.slot_count;
    picture.version = table.topology_version;
    picture.next_serial = table.next_serial;
    picture.next_identity = table.next_identity;
    picture.blocks = memory.blocks;
    picture.bytes = memory.bytes;
    for (uint32_t body_index = 0; body_index < table.body_count; body_index++) {
        picture.bodies[body_index] = body_table_at(&table, body_index);
        for (uint32_t v = 0; v < picture.bodies[body_index]->vertex_count; v++) {
            picture.identities[body_index][v] = body_identity(picture.bodies[body_index], v);
        }
    }
    return picture;
}

/* Fails request 1, 2, 3 … of the call until it succeeds; returns how many requests it makes. */
static uint64_t fail_every_request(const dent_body_def *def, dent_body_id *id, bool replace)
{
    for (uint64_t n = 1;; n++) {
        struct table_picture before = take_picture();
        memory.fail_at = memory.requests + n;
        dent_status status =
            replace ? body_table_replace(&table, *id, def, &message) : body_table_add(&table, def, &message, id);
        memory.fail_at = 0;
        if (status == DENT_OK) {
            return n - 1;
        }
        assert_int_equal(status, DENT_ERROR_OUT_OF_MEMORY);
        assert_contains(message.text, "memory");
        struct table_picture after = take_picture();
        assert_memory_equal(&before, &after, sizeof before);
    }
}

static void every_failing_request_leaves_the_table_as_it_was(void **state)
{
    (void)state;
    /* Different meshes: equal ones are shared (test_shared_mesh.c) and need less. */
    struct test_mesh hexahedra = make_bar(2, 1, 1, CUBE_HEXAHEDRA), standing = make_bar(1, 2, 1, CUBE_HEXAHEDRA),
                     five = make_bar(1, 1, 2, CUBE_FIVE), six = make_bar(1, 1, 2, CUBE_SIX), torus = make_torus(3, 4);
    dent_body_def def = solid_def_of(&hexahedra, "hexahedra");
    dent_body_id first = {0}, second = {0}, third = {0}, fourth = {0};
    assert_true(fail_every_request(&def, &first, false) > 15);
    dent_same_as to_first[2] = {{0, first, 0}, {1, first, 1}};
    def = surface_def_of(&torus, NULL);
    def.same_as = to_first;
    def.same_as_count = 2;
    assert_true(fail_every_request(&def, &second, false) > 15);
    def = solid_def_of(&standing, "hexahedra");
    assert_true(fail_every_request(&def, &third, false) > 15);
    /* Joins classes: two bodies that had no identities of their own get them, one is relabelled. */
    dent_same_as joining[4] = {{0, first, 2}, {0, third, 5}, {1, second, 0}, {1, third, 6}};
    def = cell_def("joining", joining, 4);
    assert_true(fail_every_request(&def, &fourth, false) > 20);
    assert_true(same_vertex(first, 0, third, 6));
    def = solid_def_of(&five, "third again");
    def.same_as = to_first;
    def.same_as_count = 2;
    assert_true(fail_every_request(&def, &third, true) > 20);
    assert_int_equal(body_table_index(&table, third), 2);
    /* The ninth body needs more slots: the last thing to be asked for, with its ties already prepared. */
    while (table.body_count < table.slot_capacity) {
        add("more", NULL, 0);
    }
    dent_body_id ninth = {0};
    def = solid_def_of(&six, "ninth");
    def.same_as = joining;
    def.same_as_count = 4;
    assert_true(fail_every_request(&def, &ninth, false) > 20);
    assert_int_equal(body_table_index(&table, ninth), 8);
    uint64_t requests = memory.requests;
    assert_int_equal(body_table_remove(&table, second, &message), DENT_OK);
    assert_int_equal(memory.requests, requests); /* removing needs no memory */
    free_mesh(&hexahedra);
    free_mesh(&standing);
    free_mesh(&five);
    free_mesh(&six);
    free_mesh(&torus);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(ids_name_bodies_and_never_name_another, begin, end),
        cmocka_unit_test_setup_teardown(stale_ids_are_refused_with_the_reason, begin, end),
        cmocka_unit_test_setup_teardown(a_slot_with_used_up_generations_is_retired, begin, end),
        cmocka_unit_test_setup_teardown(ranks_follow_the_order_of_addition_through_a_random_session, begin, end),
        cmocka_unit_test_setup_teardown(a_replaced_body_keeps_id_rank_and_number, begin, end),
        cmocka_unit_test_setup_teardown(a_failing_replacement_leaves_the_body_as_it_was, begin, end),
        cmocka_unit_test_setup_teardown(a_world_that_has_named_all_bodies_says_so, begin, end),
        cmocka_unit_test_setup_teardown(vertices_are_the_same_only_when_tied, begin, end),
        cmocka_unit_test_setup_teardown(ties_are_transitive_and_survive_removal, begin, end),
        cmocka_unit_test_setup_teardown(a_new_body_can_join_classes_that_were_apart, begin, end),
        cmocka_unit_test_setup_teardown(two_vertices_of_one_body_become_the_same_through_another, begin, end),
        cmocka_unit_test_setup_teardown(a_replaced_body_is_tied_anew_or_not_at_all, begin, end),
        cmocka_unit_test_setup_teardown(bad_ties_are_named_and_change_nothing, begin, end),
        cmocka_unit_test_setup_teardown(random_ties_equal_labels_spread_by_hand, begin, end),
        cmocka_unit_test_setup_teardown(excluded_pairs_do_not_meet_until_a_body_is_removed, begin, end),
        cmocka_unit_test_setup_teardown(filters_ask_both_ways_and_self_collision_asks_itself, begin, end),
        cmocka_unit_test_setup_teardown(every_failing_request_leaves_the_table_as_it_was, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
