/* Kinetic trees under what nobody would do: the whole range of exponents, equal plans and keys, elements whose numbers are used
 * again, time that jumps and turns, two trees on one context, memory that runs out in the middle. */
#include "support/cmocka_includes.h"

#include "kinetic/kinetic_faults.h"
#include "kinetic/moving_points.h"
#include "support/failing_allocator.h"
#include "support/test_context.h"

enum { ZOO_VERTICES = 24, ZOO_MOST = 24 }; /* one vertex in twenty and fewer are kept by events */

enum plan_kind {
    PLAN_ORDINARY,
    PLAN_ALL_EXPONENTS,
    PLAN_SUBNORMAL,
    PLAN_HUGE,
    PLAN_FEW_PLACES, /* whole numbers, often equal */
    PLAN_ALL_EQUAL,
    PLAN_STANDING,
    PLAN_KINDS
};

static double any_exponent(dent_random *random)
{
    double sign = dent_random_below(random, 2) ? 1 : -1;
    return sign * ldexp(1 + dent_random_unit(random), (int)dent_random_below(random, 2098) - 1075);
}

static double place_of(dent_random *random, enum plan_kind kind)
{
    switch (kind) {
    case PLAN_ALL_EXPONENTS:
        return dent_random_below(random, 8) ? any_exponent(random) : 0;
    case PLAN_SUBNORMAL:
        return ((double)dent_random_below(random, 9) - 4) * 0x1p-1074;
    case PLAN_HUGE:
        return (2 * dent_random_unit(random) - 1) * 1.7976931348623157e308;
    case PLAN_FEW_PLACES:
        return (double)dent_random_below(random, 3) - 1;
    case PLAN_ALL_EQUAL:
        return 5;
    default:
        return 2 * dent_random_unit(random) - 1;
    }
}

/* Keys from `first` on: `unit` apart, or at times of their own. Tests may use fewer or more of the five. */
static void make_plan(dent_random *random, struct moving_point *point, enum plan_kind kind, double first, double unit, bool own)
{
    double time = first;
    point->key_count = 2 + dent_random_below(random, 4);
    for (uint32_t key = 0; key < 5; key++) {
        point->times[key] = time;
        time += own ? unit * (0.25 + dent_random_unit(random)) : unit;
        for (int axis = 0; axis < 3; axis++) {
            double *place = &point->places[3 * key + axis];
            *place = kind == PLAN_STANDING && key > 0 ? place[-3] : place_of(random, kind);
        }
    }
}

static dent_kinetic *make_tree(dent_context *context, dent_kinetic_mode mode, uint32_t directions, bool contacts)
{
    dent_kinetic_def def = dent_kinetic_def_default();
    dent_kinetic *tree = NULL;
    def.mode = mode;
    def.directions = directions;
    def.contacts = contacts;
    assert_int_equal(dent_kinetic_create(context, &def, &tree), DENT_OK);
    return tree;
}

static void require_right(const dent_kinetic *tree)
{
    const char *fault = kinetic_find_fault(tree);
    if (fault) {
        fail_msg("at time %.17g: %s", dent_kinetic_time(tree), fault);
    }
}

/* All events up to a time, one time after the other. */
static uint64_t go_on(dent_kinetic *tree, double time)
{
    uint64_t times = 0;
    while (dent_kinetic_next_event(tree) <= time) {
        for (double next = dent_kinetic_next_event(tree); kinetic_step(tree, next);) {
        }
        require_right(tree);
        times++;
    }
    assert_int_equal(dent_kinetic_advance(tree, time), DENT_OK);
    require_right(tree);
    return times;
}

/* ---- everything changes, in every range of numbers --------------------------------------------------------------- */

struct crowd {
    struct moving_points points;
    dent_kinetic *tree;
    uint32_t elements[ZOO_MOST][4]; /* number, vertices */
    uint32_t count;
};

static void crowd_insert(struct crowd *crowd, dent_random *random)
{
    uint32_t *element = crowd->elements[crowd->count++];
    for (int i = 1; i < 4; i++) {
        element[i] = dent_random_below(random, ZOO_VERTICES);
    }
    assert_int_equal(dent_kinetic_insert(crowd->tree, element + 1, 3, 1, element), DENT_OK);
}

static void crowd_remove(struct crowd *crowd, dent_random *random)
{
    uint32_t which = dent_random_below(random, crowd->count);
    assert_int_equal(dent_kinetic_remove(crowd->tree, crowd->elements[which], 1), DENT_OK);
    memcpy(crowd->elements[which], crowd->elements[--crowd->count], sizeof crowd->elements[0]);
}

static void crowd_open(struct crowd *crowd, dent_context *context, dent_random *random, enum plan_kind kind, double unit)
{
    static const uint32_t directions[] = {3, 7, 9, 13};
    *crowd = (struct crowd){.points = moving_points_make(ZOO_VERTICES)};
    crowd->tree = make_tree(context, DENT_KINETIC_EVENTS, directions[dent_random_below(random, 4)], dent_random_below(random, 2));
    bool own = dent_random_below(random, 2);
    for (uint32_t i = 0; i < ZOO_VERTICES; i++) {
        make_plan(random, &crowd->points.points[i], kind, 0, unit, own);
        assert_int_equal(moving_point_give(crowd->tree, &crowd->points, i), DENT_OK);
    }
    while (crowd->count < 12) {
        crowd_insert(crowd, random);
    }
    require_right(crowd->tree);
}

static void crowd_change(struct crowd *crowd, dent_random *random, enum plan_kind kind, double unit)
{
    double now = dent_kinetic_time(crowd->tree);
    uint32_t vertex = dent_random_below(random, ZOO_VERTICES);
    switch (dent_random_below(random, 4)) {
    case 0:
        if (crowd->count < ZOO_MOST) {
            crowd_insert(crowd, random);
        }
        break;
    case 1:
        if (crowd->count > 1) {
            crowd_remove(crowd, random);
        }
        break;
    case 2:
        make_plan(random, &crowd->points.points[vertex], kind, now - 0.5 * unit, unit, true);
        assert_int_equal(moving_point_give(crowd->tree, &crowd->points, vertex), DENT_OK);
        break;
    default:
        if (dent_random_below(random, 8) == 0) {
            double time = now + unit * (dent_random_unit(random) - 0.5);
            assert_int_equal(dent_random_below(random, 2) ? dent_kinetic_jump(crowd->tree, time)
                                                          : dent_kinetic_advance(crowd->tree, time), DENT_OK);
        }
    }
    require_right(crowd->tree);
}

static uint32_t crowd_violated(const struct crowd *crowd)
{
    uint32_t violated = 0;
    for (uint32_t i = 0; i < crowd->count; i++) {
        const uint32_t *element = crowd->elements[i];
        violated += moving_points_outside(&crowd->points, crowd->tree, element[0], element + 1, 3) > 0;
        violated += moving_points_outside(&crowd->points, crowd->tree, DENT_KINETIC_ALL, element + 1, 3) > 0;
    }
    return violated;
}

static void test_invariants_hold_in_every_range_of_numbers(void **state)
{
    static const double units[] = {1, 0x1p-1000, 0x1p900, 0x1p-1070};
    dent_random random = dent_random_seeded(31);
    uint64_t times[PLAN_KINDS] = {0};
    for (uint32_t round = 0; round < test_count(PLAN_KINDS, 2 * PLAN_KINDS, 20 * PLAN_KINDS); round++) {
        struct crowd crowd;
        enum plan_kind kind = (enum plan_kind)(round % PLAN_KINDS);
        double unit = units[round % 4];
        crowd_open(&crowd, *state, &random, kind, unit);
        for (uint32_t step = 0; step < 16; step++) {
            times[kind] += go_on(crowd.tree, dent_kinetic_time(crowd.tree) + 0.125 * unit);
            crowd_change(&crowd, &random, kind, unit);
            assert_int_equal(crowd_violated(&crowd), 0);
        }
        dent_kinetic_destroy(crowd.tree);
        moving_points_free(&crowd.points);
    }
    print_message("times with events:");
    for (int kind = 0; kind < PLAN_KINDS; kind++) {
        print_message(" %llu", (unsigned long long)times[kind]);
        assert_true(times[kind] > (kind < PLAN_ALL_EQUAL ? 20 : 0));
    }
    print_message("\n");
}

/* ---- plans turned round, shifted, stretched ---------------------------------------------------------------------- */

static dent_kinetic *tree_of_points(dent_context *context, const struct moving_points *points)
{
    dent_kinetic *tree = make_tree(context, DENT_KINETIC_EVENTS, 3, false);
    uint32_t *vertices = malloc(points->count * sizeof *vertices);
    for (uint32_t i = 0; i < points->count; i++) {
        vertices[i] = i;
    }
    assert_int_equal(moving_points_give_all(tree, points), DENT_OK);
    assert_int_equal(dent_kinetic_insert(tree, vertices, 1, points->count, NULL), DENT_OK);
    free(vertices);
    return tree;
}

/* A linear piece from times[0] to times[1]; whole places, so that a common velocity is added exactly. */
static struct moving_points linear_points(uint64_t seed, uint32_t count, double end, bool turned, double velocity)
{
    dent_random random = dent_random_seeded(seed);
    struct moving_points points = moving_points_make(count);
    for (uint32_t i = 0; i < count; i++) {
        struct moving_point *point = &points.points[i];
        point->key_count = 2;
        point->times[0] = 0;
        point->times[1] = end;
        for (uint32_t n = 0; n < 6; n++) {
            uint32_t key = n / 3;
            double place = (double)dent_random_below(&random, UINT32_MAX);
            point->places[turned ? 3 - 3 * key + n % 3 : n] = place + velocity * key;
        }
    }
    return points;
}

/* Side changes on the way, the times of the events, and who is extreme at the end. */
struct history {
    uint64_t updates;
    uint32_t count, winners[6];
    double times[4096];
};

static void live_through(dent_context *context, const struct moving_points *points, double end, struct history *history)
{
    dent_kinetic *tree = tree_of_points(context, points);
    dent_kinetic_counters counters;
    history->count = 0;
    while (dent_kinetic_next_event(tree) < end) {
        history->times[history->count++ % 4096] = dent_kinetic_next_event(tree);
        for (double next = dent_kinetic_next_event(tree); kinetic_step(tree, next);) {
        }
    }
    assert_int_equal(dent_kinetic_get_counters(tree, &counters), DENT_OK);
    history->updates = counters.box_updates;
    memcpy(history->winners, kinetic_winners(tree, tree->root), sizeof history->winners);
    dent_kinetic_destroy(tree);
}

static void test_events_follow_what_is_done_to_all_plans(void **state)
{
    static struct history plain, other;
    struct moving_points points = linear_points(7, 200, 1, false, 0);
    live_through(*state, &points, 1, &plain);
    moving_points_free(&points);
    assert_in_range(plain.count, 200, 4000);

    points = linear_points(7, 200, 1, false, 0x1p40); /* a common velocity */
    live_through(*state, &points, 1, &other);
    moving_points_free(&points);
    assert_int_equal(other.count, plain.count);
    assert_int_equal(other.updates, plain.updates);
    assert_memory_equal(other.winners, plain.winners, sizeof plain.winners);
    assert_memory_equal(other.times, plain.times, plain.count * sizeof plain.times[0]);

    points = linear_points(7, 200, 0x1p-300, false, 0); /* time in other units */
    live_through(*state, &points, 0x1p-300, &other);
    moving_points_free(&points);
    assert_int_equal(other.count, plain.count);
    for (uint32_t i = 0; i < plain.count; i++) {
        assert_true(other.times[i] == ldexp(plain.times[i], -300));
    }
}

/* The shape of a tree depends on where its points begin, so only the box of all is compared: its winners come and go in the
 * opposite order. */
static void test_turned_plans_turn_the_events(void **state)
{
    for (uint64_t seed = 0; seed < test_count(2, 6, 60); seed++) {
        uint32_t winners[2][512][6], changes[2] = {0, 0};
        for (int turned = 0; turned < 2; turned++) {
            struct moving_points points = linear_points(seed, 80, 1, turned, 0);
            dent_kinetic *tree = tree_of_points(*state, &points);
            memcpy(winners[turned][changes[turned]++], kinetic_winners(tree, tree->root), sizeof winners[0][0]);
            while (dent_kinetic_next_event(tree) < 1) {
                for (double next = dent_kinetic_next_event(tree); kinetic_step(tree, next);) {
                }
                const uint32_t *now = kinetic_winners(tree, tree->root);
                if (memcmp(winners[turned][changes[turned] - 1], now, sizeof winners[0][0]) != 0) {
                    assert_in_range(changes[turned], 0, 511);
                    memcpy(winners[turned][changes[turned]++], now, sizeof winners[0][0]);
                }
            }
            dent_kinetic_destroy(tree);
            moving_points_free(&points);
        }
        assert_int_equal(changes[0], changes[1]);
        assert_in_range(changes[0], 5, 512);
        for (uint32_t i = 0; i < changes[0]; i++) {
            assert_memory_equal(winners[0][i], winners[1][changes[1] - 1 - i], sizeof winners[0][0]);
        }
    }
}

/* ---- contacts ---------------------------------------------------------------------------------------------------- */

/* Vertex 0 stands at 0; vertex 1 passes it at time 1; vertex 2 stands at 10. */
static struct moving_points three_points(void)
{
    struct moving_points points = moving_points_make(3);
    for (uint32_t i = 0; i < 3; i++) {
        points.points[i].key_count = 2;
        points.points[i].times[0] = 0;
        points.points[i].times[1] = 2;
        memset(points.points[i].places, 0, 6 * sizeof(double));
    }
    points.points[1].places[0] = -4;
    points.points[1].places[3] = 4;
    points.points[2].places[0] = points.points[2].places[3] = 10;
    return points;
}

static dent_kinetic_contacts_list contacts_of(dent_kinetic *tree)
{
    dent_kinetic_contacts_list list;
    assert_int_equal(dent_kinetic_contacts(tree, &list), DENT_OK);
    return list;
}

static void test_contacts_of_removed_elements_go_with_them(void **state)
{
    struct moving_points points = three_points();
    dent_kinetic *tree = make_tree(*state, DENT_KINETIC_AUTO, 3, true);
    uint32_t vertices[3] = {0, 1, 2}, passed, again;
    assert_int_equal(contacts_of(tree).count, 0);
    assert_int_equal(moving_points_give_all(tree, &points), DENT_OK);
    assert_int_equal(dent_kinetic_insert(tree, vertices, 1, 3, NULL), DENT_OK);
    assert_int_equal(dent_kinetic_advance(tree, 1.5), DENT_OK);
    dent_kinetic_contacts_list list = contacts_of(tree);
    assert_int_equal(list.count, 1);
    assert_true(list.contacts[0].a == 0 && list.contacts[0].b == 1 && list.contacts[0].time == 1);
    passed = 1;
    assert_int_equal(dent_kinetic_remove(tree, &passed, 1), DENT_OK);
    assert_int_equal(contacts_of(tree).count, 0);
    /* Another element with the number of the old one: at the place of vertex 0 from the beginning. */
    assert_int_equal(dent_kinetic_insert(tree, vertices, 1, 1, &again), DENT_OK);
    assert_int_equal(again, 1);
    list = contacts_of(tree);
    assert_int_equal(list.count, 1);
    assert_true(list.contacts[0].a == 0 && list.contacts[0].b == 1 && list.contacts[0].time == 1.5);
    dent_kinetic_destroy(tree);
    moving_points_free(&points);
}

static void test_time_backward_empties_the_list(void **state)
{
    struct moving_points points = three_points();
    dent_kinetic *tree = make_tree(*state, DENT_KINETIC_AUTO, 3, true);
    uint32_t vertices[3] = {0, 1, 2};
    assert_int_equal(moving_points_give_all(tree, &points), DENT_OK);
    assert_int_equal(dent_kinetic_insert(tree, vertices, 1, 3, NULL), DENT_OK);
    assert_int_equal(dent_kinetic_advance(tree, 1.5), DENT_OK);
    assert_int_equal(contacts_of(tree).count, 1);
    assert_int_equal(dent_kinetic_advance(tree, 0.5), DENT_OK);
    assert_int_equal(contacts_of(tree).count, 0);
    assert_true(contacts_of(tree).since == 0.5);
    assert_int_equal(dent_kinetic_advance(tree, 1.25), DENT_OK);
    assert_int_equal(contacts_of(tree).count, 1);
    assert_true(contacts_of(tree).contacts[0].time == 1);
    assert_int_equal(dent_kinetic_jump(tree, 0.75), DENT_OK);
    assert_int_equal(contacts_of(tree).count, 0);
    assert_int_equal(dent_kinetic_jump(tree, 1.75), DENT_OK); /* over the contact: it is not found */
    assert_int_equal(contacts_of(tree).count, 0);
    assert_true(contacts_of(tree).since == 0.75);
    dent_kinetic_destroy(tree);
    moving_points_free(&points);
}

/* ---- two trees, and memory ---------------------------------------------------------------------------------------- */

static void test_two_trees_on_one_context_do_not_meet(void **state)
{
    dent_random random = dent_random_seeded(33);
    struct moving_points points[2] = {moving_points_make(60), moving_points_make(60)};
    dent_kinetic *pair[2], *alone[2];
    uint32_t triangles[2][3 * 40];
    for (int n = 0; n < 2; n++) {
        for (uint32_t i = 0; i < 60; i++) {
            make_plan(&random, &points[n].points[i], PLAN_ORDINARY, 0, 1, false);
            points[n].points[i].key_count = points[n].points[0].key_count;
            for (uint32_t k = 0; k < points[n].points[0].key_count; k++) {
                points[n].points[i].times[k] = k;
            }
        }
        for (uint32_t i = 0; i < 3 * 40; i++) {
            triangles[n][i] = dent_random_below(&random, 60);
        }
        dent_kinetic **trees[2] = {&pair[n], &alone[n]};
        for (int t = 0; t < 2; t++) {
            *trees[t] = make_tree(*state, DENT_KINETIC_AUTO, n ? 7 : 3, n);
            assert_int_equal(moving_points_give_all(*trees[t], &points[n]), DENT_OK);
            assert_int_equal(dent_kinetic_insert(*trees[t], triangles[n], 3, 40, NULL), DENT_OK);
        }
    }
    for (double t = 0; t < 1; t += 0.1) { /* in turn; results of one stay while the other works */
        dent_box_pairs found[2], expected;
        for (int n = 0; n < 2; n++) {
            assert_int_equal(dent_kinetic_advance(pair[n], t), DENT_OK);
        }
        for (int n = 0; n < 2; n++) {
            assert_int_equal(dent_kinetic_pairs(pair[n], &found[n]), DENT_OK);
        }
        for (int n = 0; n < 2; n++) {
            assert_int_equal(dent_kinetic_advance(alone[n], t), DENT_OK);
            assert_int_equal(dent_kinetic_pairs(alone[n], &expected), DENT_OK);
            assert_int_equal(found[n].count, expected.count);
            assert_memory_equal(found[n].pairs, expected.pairs, expected.count * sizeof *expected.pairs);
        }
    }
    for (int n = 0; n < 2; n++) {
        dent_kinetic_destroy(pair[n]);
        dent_kinetic_destroy(alone[n]);
        moving_points_free(&points[n]);
    }
}

/* What can be read of a tree, as one number. */
static uint64_t print_of(const dent_kinetic *tree)
{
    uint64_t hash = dent_kinetic_element_count(tree) + 1000 * (uint64_t)dent_kinetic_vertex_count(tree);
    double numbers[6], next = dent_kinetic_next_event(tree), now = dent_kinetic_time(tree);
    uint64_t bits[2];
    memcpy(&bits[0], &next, sizeof next);
    memcpy(&bits[1], &now, sizeof now);
    hash = (hash ^ bits[0]) * UINT64_C(0x9E3779B97F4A7C15) + bits[1];
    for (uint32_t e = 0; e < 40; e++) {
        if (dent_kinetic_bounds(tree, e < 39 ? e : DENT_KINETIC_ALL, numbers) == DENT_OK) {
            for (int i = 0; i < 6; i++) {
                memcpy(&bits[0], &numbers[i], sizeof bits[0]);
                hash = (hash ^ bits[0] ^ e) * UINT64_C(0x9E3779B97F4A7C15);
                hash ^= hash >> 29;
            }
        }
    }
    return hash;
}

enum { CALLS = 6 };

static dent_status call_number(dent_kinetic *tree, const struct moving_points *points, const uint32_t *triangles, uint32_t call)
{
    uint32_t first = 0;
    switch (call) {
    case 0:
        return moving_points_give_all(tree, points);
    case 1:
        return dent_kinetic_insert(tree, triangles, 3, 20, NULL);
    case 2:
        return dent_kinetic_insert(tree, triangles + 60, 3, 5, NULL);
    case 3:
        return moving_point_give(tree, points, 1);
    case 4:
        return dent_kinetic_remove(tree, &first, 1);
    default:
        return dent_kinetic_insert(tree, triangles + 75, 3, 14, NULL);
    }
}

/* Calls that fail are made once more: the tree is then the one that never failed. */
static void test_failing_calls_change_nothing(void **state)
{
    (void)state;
    dent_random random = dent_random_seeded(34);
    struct moving_points points = moving_points_make(50);
    uint32_t triangles[3 * 40], failures = 0;
    for (uint32_t i = 0; i < points.count; i++) {
        make_plan(&random, &points.points[i], PLAN_ORDINARY, 0, 1, false);
        points.points[i].key_count = 2;
    }
    for (uint32_t i = 0; i < 3 * 40; i++) {
        triangles[i] = dent_random_below(&random, points.count);
    }
    bool failed = true;
    uint64_t expected = 0;
    for (uint64_t n = 0; n <= 1 || failed; n++) { /* 0: none fails */
        struct failing_allocator memory = failing_allocator_make();
        dent_context_def def = dent_context_def_default();
        def.allocator = failing_allocator_hook(&memory);
        def.thread_count = 1;
        dent_context *context = dent_context_create(&def, NULL);
        dent_kinetic *tree = make_tree(context, DENT_KINETIC_EVENTS, 3, false);
        memory.requests = 0;
        memory.fail_at = n;
        failed = false;
        for (uint32_t call = 0; call < CALLS; call++) {
            uint64_t before = print_of(tree);
            if (call_number(tree, &points, triangles, call) == DENT_ERROR_OUT_OF_MEMORY) {
                assert_int_equal(print_of(tree), before);
                require_right(tree);
                failed = true;
                failures++;
                memory.fail_at = 0;
                assert_int_equal(call_number(tree, &points, triangles, call), DENT_OK);
            }
            assert_int_equal(dent_kinetic_advance(tree, 0.1 * call), DENT_OK);
        }
        expected = n == 0 ? print_of(tree) : expected;
        assert_int_equal(print_of(tree), expected);
        dent_kinetic_destroy(tree);
        dent_context_destroy(context);
        assert_true(failing_allocator_clean(&memory));
    }
    print_message("%u failures\n", failures);
    assert_true(failures > 10);
    moving_points_free(&points);
}

/* No memory for the list on the way: the answer says so until the list is emptied, and the boxes stay right. */
static void test_a_list_without_memory_says_so(void **state)
{
    (void)state;
    dent_random random = dent_random_seeded(35);
    struct failing_allocator memory = failing_allocator_make();
    dent_context_def def = dent_context_def_default();
    def.allocator = failing_allocator_hook(&memory);
    def.thread_count = 1;
    dent_context *context = dent_context_create(&def, NULL);
    struct moving_points points = moving_points_make(60);
    dent_kinetic *tree = make_tree(context, DENT_KINETIC_AUTO, 3, true);
    dent_kinetic_contacts_list list = {0};
    uint32_t vertices[60];
    for (uint32_t i = 0; i < points.count; i++) {
        make_plan(&random, &points.points[i], PLAN_ORDINARY, 0, 1, false);
        points.points[i].key_count = 2;
        vertices[i] = i;
        points.points[i].places[1] = points.points[i].places[2] = points.points[i].places[4] = points.points[i].places[5] = 0;
    }
    assert_int_equal(moving_points_give_all(tree, &points), DENT_OK);
    assert_int_equal(dent_kinetic_insert(tree, vertices, 1, 60, NULL), DENT_OK);
    memory.requests = 0;
    memory.fail_at = 1;
    assert_int_equal(dent_kinetic_advance(tree, 0.9), DENT_OK);
    memory.fail_at = 0;
    assert_true(memory.requests > 0);
    assert_int_equal(dent_kinetic_contacts(tree, &list), DENT_ERROR_OUT_OF_MEMORY);
    require_right(tree);
    assert_int_equal(dent_kinetic_advance(tree, 0.95), DENT_OK);
    assert_int_equal(dent_kinetic_contacts(tree, &list), DENT_ERROR_OUT_OF_MEMORY);
    assert_int_equal(dent_kinetic_forget_contacts(tree), DENT_OK);
    assert_int_equal(dent_kinetic_contacts(tree, &list), DENT_OK);
    assert_true(list.since == 0.95);
    dent_kinetic_destroy(tree);
    moving_points_free(&points);
    dent_context_destroy(context);
    assert_true(failing_allocator_clean(&memory));
}

/* Plans of all lengths for one vertex after the other: tracks are used again, so memory stops growing. */
static void test_memory_of_plans_is_used_again(void **state)
{
    dent_random random = dent_random_seeded(36);
    struct moving_points points = moving_points_make(40);
    dent_kinetic *tree = make_tree(*state, DENT_KINETIC_EVENTS, 3, false);
    dent_kinetic_counters before = {0}, after;
    for (uint32_t i = 0; i < points.count; i++) {
        make_plan(&random, &points.points[i], PLAN_ORDINARY, 0, 1, true);
        assert_int_equal(moving_point_give(tree, &points, i), DENT_OK);
    }
    for (uint32_t round = 0; round < 4000; round++) {
        uint32_t vertex = dent_random_below(&random, points.count);
        make_plan(&random, &points.points[vertex], PLAN_ORDINARY, 0, 1, true);
        assert_int_equal(moving_point_give(tree, &points, vertex), DENT_OK);
        if (round == 2000) {
            dent_kinetic_get_counters(tree, &before);
        }
    }
    dent_kinetic_get_counters(tree, &after);
    assert_int_equal(after.bytes, before.bytes);
    dent_kinetic_destroy(tree);
    moving_points_free(&points);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_invariants_hold_in_every_range_of_numbers),
        cmocka_unit_test(test_events_follow_what_is_done_to_all_plans),
        cmocka_unit_test(test_turned_plans_turn_the_events),
        cmocka_unit_test(test_contacts_of_removed_elements_go_with_them),
        cmocka_unit_test(test_time_backward_empties_the_list),
        cmocka_unit_test(test_two_trees_on_one_context_do_not_meet),
        cmocka_unit_test(test_failing_calls_change_nothing),
        cmocka_unit_test(test_a_list_without_memory_says_so),
        cmocka_unit_test(test_memory_of_plans_is_used_again),
    };
    return cmocka_run_group_tests(tests, test_open_context_of_one, test_close_context);
}
