/* Kinetic trees: boxes at every time, events, insertion and deletion, changes of plans, jumps, modes, k-DOPs, memory. */
#include "support/cmocka_includes.h"

#include "kinetic/kinetic_faults.h"
#include "kinetic/moving_points.h"
#include "support/failing_allocator.h"
#include "support/test_context.h"

static double random_place(dent_random *random, int kind)
{
    double real = 2 * dent_random_unit(random) - 1, whole = (double)dent_random_below(random, 7) - 3;
    return kind == 0 ? real : kind == 1 ? whole : kind == 2 ? real * 0x1p-1060 : kind == 3 ? real * 0x1p1023 : 1 + real * 0x1p-50;
}

/* Keys at times `first`, first + 1, …; or at times of its own. */
static void random_plan(dent_random *random, struct moving_point *point, double first, uint32_t keys, int kind, bool own)
{
    double time = first;
    point->key_count = keys;
    for (uint32_t key = 0; key < keys; key++) {
        point->times[key] = time;
        time += own ? 0.25 + dent_random_unit(random) : 1;
        for (int axis = 0; axis < 3; axis++) {
            point->places[3 * key + axis] = random_place(random, kind);
        }
    }
}

static dent_kinetic *open_tree(dent_context *context, dent_kinetic_mode mode, uint32_t directions)
{
    dent_kinetic_def def = dent_kinetic_def_default();
    dent_kinetic *tree = NULL;
    def.mode = mode;
    def.directions = directions;
    assert_int_equal(dent_kinetic_create(context, &def, &tree), DENT_OK);
    return tree;
}

/* Goes on event by event, and looks at all invariants whenever the events of one time are handled. */
static uint64_t step_to(dent_kinetic *tree, double time)
{
    uint64_t times = 0;
    while (dent_kinetic_next_event(tree) <= time) {
        double next = dent_kinetic_next_event(tree);
        while (kinetic_step(tree, next)) {
        }
        const char *fault = kinetic_find_fault(tree);
        if (fault) {
            fail_msg("at time %.17g: %s", next, fault);
        }
        times++;
    }
    assert_int_equal(dent_kinetic_advance(tree, time), DENT_OK);
    return times;
}

static uint64_t largest_event_count(const dent_kinetic *tree, uint32_t node, uint64_t *vertices)
{
    const struct kinetic_node *own = kinetic_node(tree, node);
    uint64_t left = 0, right = 0, count = 0;
    if (own->element != NO_NODE) {
        *vertices = kinetic_element(tree, own->element)->corners;
    } else {
        count = largest_event_count(tree, own->children[0], &left) + largest_event_count(tree, own->children[1], &right);
        *vertices = left + right;
    }
    return count + tree->slots * (*vertices - 1);
}

static void make_triangles(dent_random *random, uint32_t *vertices, uint32_t count, uint32_t vertex_count)
{
    for (uint32_t i = 0; i < 3 * count; i++) {
        vertices[i] = dent_random_below(random, vertex_count);
    }
}

static void test_invariants_hold_after_every_event(void **state)
{
    dent_random random = dent_random_seeded(1);
    uint64_t times = 0;
    for (uint32_t round = 0; round < test_rounds(20); round++) {
        struct moving_points points = moving_points_make(2 + dent_random_below(&random, 14));
        static const uint32_t directions[] = {3, 7, 9, 13};
        dent_kinetic *tree = open_tree(*state, DENT_KINETIC_EVENTS, directions[dent_random_below(&random, 4)]);
        bool own = dent_random_below(&random, 2);
        int kind = (int)(round % 5);
        for (uint32_t i = 0; i < points.count; i++) {
            random_plan(&random, &points.points[i], 0, 4, kind, own);
            if (own) {
                assert_int_equal(moving_point_give(tree, &points, i), DENT_OK);
            }
        }
        if (!own) {
            assert_int_equal(moving_points_give_all(tree, &points), DENT_OK);
        }
        uint32_t triangles[3 * 12], count = 1 + dent_random_below(&random, 12);
        make_triangles(&random, triangles, count, points.count);
        assert_int_equal(dent_kinetic_insert(tree, triangles, 3, count, NULL), DENT_OK);
        assert_null(kinetic_find_fault(tree));
        for (double t = 0.3; t < 4; t += 0.7) {
            times += step_to(tree, t);
            for (uint32_t e = 0; e < count; e++) {
                assert_int_equal(moving_points_outside(&points, tree, e, triangles + 3 * e, 3), 0);
            }
        }
        dent_kinetic_destroy(tree);
        moving_points_free(&points);
    }
    print_message("%llu times with events\n", (unsigned long long)times);
    assert_true(times > test_count(50, 200, 200));
}

static void test_events_of_a_linear_piece_are_bounded(void **state)
{
    dent_random random = dent_random_seeded(2);
    struct moving_points points = moving_points_make(500);
    dent_kinetic *tree = open_tree(*state, DENT_KINETIC_EVENTS, 3);
    dent_kinetic_counters before, after;
    uint32_t vertices[500];
    for (uint32_t i = 0; i < points.count; i++) {
        random_plan(&random, &points.points[i], 0, 2, 0, false);
        vertices[i] = i;
    }
    assert_int_equal(moving_points_give_all(tree, &points), DENT_OK);
    assert_int_equal(dent_kinetic_insert(tree, vertices, 1, 500, NULL), DENT_OK);
    dent_kinetic_get_counters(tree, &before);
    assert_int_equal(dent_kinetic_advance(tree, 0.999), DENT_OK);
    dent_kinetic_get_counters(tree, &after);
    uint64_t all, bound = largest_event_count(tree, tree->root, &all);
    print_message("%llu events, at most %llu\n", (unsigned long long)(after.events - before.events), (unsigned long long)bound);
    assert_true(after.events > 500 && after.events - before.events <= bound);
    assert_int_equal(after.early_events, 0);
    dent_kinetic_destroy(tree);
    moving_points_free(&points);
}

/* Queries between keys do not change what happens. */
static void test_event_count_does_not_depend_on_query_times(void **state)
{
    uint64_t events[2], updates[2];
    uint32_t winners[2][6];
    for (int run = 0; run < 2; run++) {
        dent_random random = dent_random_seeded(3);
        struct moving_points points = moving_points_make(300);
        dent_kinetic *tree = open_tree(*state, DENT_KINETIC_EVENTS, 3);
        uint32_t triangles[3 * 400];
        uint32_t queries = run ? 1000 : 10;
        for (uint32_t i = 0; i < points.count; i++) {
            random_plan(&random, &points.points[i], 0, 4, 0, false);
        }
        assert_int_equal(moving_points_give_all(tree, &points), DENT_OK);
        make_triangles(&random, triangles, 400, points.count);
        assert_int_equal(dent_kinetic_insert(tree, triangles, 3, 400, NULL), DENT_OK);
        for (uint32_t q = 1; q <= 3 * queries; q++) {
            assert_int_equal(dent_kinetic_advance(tree, (double)q / queries), DENT_OK);
        }
        dent_kinetic_counters counters;
        dent_kinetic_get_counters(tree, &counters);
        events[run] = counters.events;
        updates[run] = counters.box_updates;
        memcpy(winners[run], kinetic_winners(tree, tree->root), sizeof winners[run]);
        dent_kinetic_destroy(tree);
        moving_points_free(&points);
    }
    print_message("%llu events\n", (unsigned long long)events[0]);
    assert_true(events[0] > 1000);
    assert_int_equal(events[0], events[1]);
    assert_int_equal(updates[0], updates[1]);
    assert_memory_equal(winners[0], winners[1], sizeof winners[0]);
}

/* ---- everything at once ------------------------------------------------------------------------------------------ */

struct zoo {
    struct moving_points points;
    dent_kinetic *tree;
    uint32_t element_count;
    uint32_t (*elements)[4]; /* number, vertices */
    uint64_t queries, violated, inserted, removed, replanned, restarts;
};

static void zoo_insert(struct zoo *zoo, dent_random *random)
{
    uint32_t *element = zoo->elements[zoo->element_count];
    make_triangles(random, element + 1, 1, zoo->points.count);
    assert_int_equal(dent_kinetic_insert(zoo->tree, element + 1, 3, 1, element), DENT_OK);
    zoo->element_count++;
    zoo->inserted++;
}

static void zoo_remove(struct zoo *zoo, dent_random *random)
{
    uint32_t which = dent_random_below(random, zoo->element_count);
    assert_int_equal(dent_kinetic_remove(zoo->tree, zoo->elements[which], 1), DENT_OK);
    memcpy(zoo->elements[which], zoo->elements[--zoo->element_count], sizeof zoo->elements[0]);
    zoo->removed++;
}

static void zoo_query(struct zoo *zoo, dent_random *random)
{
    const uint32_t *element = zoo->elements[dent_random_below(random, zoo->element_count)];
    zoo->violated += moving_points_outside(&zoo->points, zoo->tree, element[0], element + 1, 3) > 0;
    zoo->violated += moving_points_outside(&zoo->points, zoo->tree, DENT_KINETIC_ALL, element + 1, 3) > 0;
    zoo->queries++;
}

static void zoo_act(struct zoo *zoo, dent_random *random, uint32_t keys, uint32_t most)
{
    uint32_t vertex = dent_random_below(random, zoo->points.count);
    switch (dent_random_below(random, 5)) {
    case 0:
        if (zoo->element_count < most) {
            zoo_insert(zoo, random);
        }
        break;
    case 1:
        if (zoo->element_count > 1) {
            zoo_remove(zoo, random);
        }
        break;
    case 2:
        random_plan(random, &zoo->points.points[vertex], dent_kinetic_time(zoo->tree) - 0.5, 1 + dent_random_below(random, keys),
                    0, true);
        assert_int_equal(moving_point_give(zoo->tree, &zoo->points, vertex), DENT_OK);
        zoo->replanned++;
        break;
    default:
        break;
    }
}

/* How much is done, and how closely it is watched. */
struct zoo_size {
    uint32_t vertices, keys, rounds;
    uint32_t keys_of_new_plans; /* at most */
    bool each_event;            /* look at all invariants after every event, else now and then */
};

static void zoo_look(const struct zoo *zoo)
{
    const char *fault = kinetic_find_fault(zoo->tree);
    if (fault) {
        fail_msg("at time %.17g: %s", dent_kinetic_time(zoo->tree), fault);
    }
}

/* Returns the times with events that were looked at. */
static uint64_t zoo_go_on(struct zoo *zoo, dent_random *random, double step, bool each_event)
{
    double now = dent_kinetic_time(zoo->tree);
    uint32_t way = dent_random_below(random, 500);
    if (way == 0) {
        assert_int_equal(dent_kinetic_jump(zoo->tree, now + 0.1), DENT_OK);
    } else if (way == 1 && now > 0.1) {
        assert_int_equal(dent_kinetic_advance(zoo->tree, now - 0.1), DENT_OK);
    } else if (each_event) {
        return step_to(zoo->tree, now + step);
    } else {
        assert_int_equal(dent_kinetic_advance(zoo->tree, now + step), DENT_OK);
    }
    return 0;
}

static void run_zoo(dent_context *context, dent_kinetic_mode mode, struct zoo_size size)
{
    dent_random random = dent_random_seeded(4);
    uint32_t vertices = size.vertices, most = 2 * vertices, *first = malloc(3 * sizeof *first * vertices);
    uint64_t looked = 0;
    struct zoo zoo = {.points = moving_points_make(vertices), .tree = open_tree(context, mode, 3)};
    zoo.elements = malloc(most * sizeof *zoo.elements);
    for (uint32_t i = 0; i < vertices; i++) {
        random_plan(&random, &zoo.points.points[i], 0, size.keys, 0, false);
    }
    assert_int_equal(moving_points_give_all(zoo.tree, &zoo.points), DENT_OK);
    make_triangles(&random, first, vertices, vertices);
    assert_int_equal(dent_kinetic_insert(zoo.tree, first, 3, vertices, NULL), DENT_OK);
    for (uint32_t i = 0; i < vertices; i++) {
        zoo.elements[i][0] = i;
        memcpy(zoo.elements[i] + 1, first + 3 * i, 3 * sizeof *first);
    }
    zoo.element_count = vertices;
    for (uint32_t round = 0; round < size.rounds; round++) {
        looked += zoo_go_on(&zoo, &random, (double)size.keys / size.rounds, size.each_event);
        zoo_act(&zoo, &random, size.keys_of_new_plans, most);
        for (int query = 0; query < 10; query++) {
            zoo_query(&zoo, &random);
        }
        if (size.each_event || (mode == DENT_KINETIC_EVENTS && (round + 1) % (size.rounds / 20 + 1) == 0)) {
            zoo_look(&zoo);
        }
    }
    if (mode == DENT_KINETIC_EVENTS) {
        zoo_look(&zoo);
    }
    dent_kinetic_counters counters;
    dent_kinetic_get_counters(zoo.tree, &counters);
    print_message("%s: %llu times with events looked at; %llu queries, %llu violated; %llu inserted, %llu removed, %llu new plans, %llu events, %llu box "
                  "updates, %llu restarts, height %u of %u elements\n",
                  dent_kinetic_mode_name(mode), (unsigned long long)looked, (unsigned long long)zoo.queries, (unsigned long long)zoo.violated,
                  (unsigned long long)zoo.inserted, (unsigned long long)zoo.removed, (unsigned long long)zoo.replanned,
                  (unsigned long long)counters.events, (unsigned long long)counters.box_updates,
                  (unsigned long long)counters.restarts, counters.height, zoo.element_count);
    assert_int_equal(zoo.violated, 0);
    assert_true(zoo.inserted > size.rounds / 10 && zoo.removed > size.rounds / 10 && zoo.replanned > size.rounds / 10);
    dent_kinetic_destroy(zoo.tree);
    moving_points_free(&zoo.points);
    free(zoo.elements);
    free(first);
}

/* The long tier: 10,000 vertices, 100 keys, 100,000 queries in each mode. */
static void test_no_box_is_violated_while_everything_changes(void **state)
{
    struct zoo_size size = {.vertices = (uint32_t)test_count(60, 200, 10000),
                            .keys = (uint32_t)test_count(5, 20, 100),
                            .rounds = (uint32_t)test_count(150, 2000, 10000),
                            .keys_of_new_plans = (uint32_t)test_count(5, 20, 100)};
    for (int mode = 0; mode < DENT_KINETIC_MODE_COUNT; mode++) {
        run_zoo(*state, (dent_kinetic_mode)mode, size);
    }
}

/* Fewer vertices, so that all certificates of the whole tree can be judged after each event. */
static void test_invariants_hold_after_every_event_while_everything_changes(void **state)
{
    run_zoo(*state, DENT_KINETIC_EVENTS,
            (struct zoo_size){.vertices = (uint32_t)test_count(20, 30, 200),
                              .keys = (uint32_t)test_count(5, 20, 100),
                              .rounds = (uint32_t)test_count(100, 400, 4000),
                              .keys_of_new_plans = (uint32_t)test_count(5, 20, 100),
                              .each_event = true});
}

/* ---- the rest ---------------------------------------------------------------------------------------------------- */

static void test_modes_have_the_same_boxes(void **state)
{
    dent_random random = dent_random_seeded(5);
    struct moving_points points = moving_points_make(100);
    dent_kinetic *trees[DENT_KINETIC_MODE_COUNT];
    uint32_t triangles[3 * 120];
    for (uint32_t i = 0; i < points.count; i++) {
        random_plan(&random, &points.points[i], 0, 6, 0, false);
    }
    make_triangles(&random, triangles, 120, points.count);
    for (int mode = 0; mode < DENT_KINETIC_MODE_COUNT; mode++) {
        trees[mode] = open_tree(*state, (dent_kinetic_mode)mode, 13);
        assert_int_equal(moving_points_give_all(trees[mode], &points), DENT_OK);
        assert_int_equal(dent_kinetic_insert(trees[mode], triangles, 3, 120, NULL), DENT_OK);
    }
    for (uint32_t round = 0; round < 300; round++) {
        double bounds[DENT_KINETIC_MODE_COUNT][26], t = round * 0.02;
        uint32_t hot = dent_random_below(&random, 3); /* these get new plans all the time */
        random_plan(&random, &points.points[hot], t - 0.1, 4, 0, true);
        for (int mode = 0; mode < DENT_KINETIC_MODE_COUNT; mode++) {
            assert_int_equal(dent_kinetic_advance(trees[mode], t), DENT_OK);
            assert_int_equal(moving_point_give(trees[mode], &points, hot), DENT_OK);
            for (uint32_t e = 0; e < 121; e++) {
                dent_kinetic_bounds(trees[mode], e < 120 ? e : DENT_KINETIC_ALL, bounds[mode]);
                dent_kinetic_bounds(trees[0], e < 120 ? e : DENT_KINETIC_ALL, bounds[0]);
                assert_memory_equal(bounds[mode], bounds[0], sizeof bounds[0]);
            }
        }
    }
    dent_kinetic_counters counters;
    dent_kinetic_get_counters(trees[DENT_KINETIC_AUTO], &counters);
    print_message("%u of %u nodes by refit\n", counters.nodes_by_refit, counters.nodes);
    assert_true(counters.nodes_by_refit > 0 && counters.nodes_by_refit < counters.nodes);
    for (int mode = 0; mode < DENT_KINETIC_MODE_COUNT; mode++) {
        dent_kinetic_destroy(trees[mode]);
    }
    moving_points_free(&points);
}

static bool bounds_meet(const double *a, const double *b, uint32_t slots)
{
    bool meet = true;
    for (uint32_t slot = 0; slot < slots; slot += 2) {
        meet &= a[slot] <= b[slot + 1] && b[slot] <= a[slot + 1];
    }
    return meet;
}

static void test_pairs_and_boxes_are_those_of_comparing_all(void **state)
{
    dent_random random = dent_random_seeded(6);
    for (uint32_t round = 0; round < test_rounds(20); round++) {
        struct moving_points points = moving_points_make(90);
        uint32_t directions = round % 2 ? 7 : 3, slots = 2 * directions, vertices[90];
        dent_kinetic *tree = open_tree(*state, DENT_KINETIC_AUTO, directions);
        for (uint32_t i = 0; i < points.count; i++) {
            random_plan(&random, &points.points[i], 0, 3, 0, false);
            vertices[i] = i;
        }
        assert_int_equal(moving_points_give_all(tree, &points), DENT_OK);
        assert_int_equal(dent_kinetic_insert(tree, vertices, 3, 30, NULL), DENT_OK);
        for (double t = 0; t < 2.5; t += 0.31) {
            double bounds[30][26], box[6];
            dent_box_pairs pairs;
            dent_kinetic_hits hits;
            uint64_t pair = 0, hit = 0;
            assert_int_equal(dent_kinetic_advance(tree, t), DENT_OK);
            for (uint32_t e = 0; e < 30; e++) {
                dent_kinetic_bounds(tree, e, bounds[e]);
            }
            for (int axis = 0; axis < 3; axis++) {
                box[axis] = random_place(&random, 0);
                box[3 + axis] = box[axis] + 0.3;
            }
            assert_int_equal(dent_kinetic_pairs(tree, &pairs), DENT_OK);
            for (uint32_t a = 0; a < 30; a++) {
                for (uint32_t b = a + 1; b < 30; b++) {
                    if (bounds_meet(bounds[a], bounds[b], slots)) {
                        assert_true(pair < pairs.count && pairs.pairs[pair].a == a && pairs.pairs[pair].b == b);
                        pair++;
                    }
                }
            }
            assert_int_equal(pair, pairs.count);
            assert_int_equal(dent_kinetic_overlapping(tree, box, &hits), DENT_OK);
            for (uint32_t e = 0; e < 30; e++) {
                double own[6] = {box[0], box[3], box[1], box[4], box[2], box[5]};
                if (bounds_meet(bounds[e], own, 6)) {
                    assert_true(hit < hits.count && hits.elements[hit] == e);
                    hit++;
                }
            }
            assert_int_equal(hit, hits.count);
        }
        dent_kinetic_destroy(tree);
        moving_points_free(&points);
    }
}

/* At keys the keys; in between within the box of a point, and the same however time went. */
static void test_places_are_those_of_the_plans(void **state)
{
    dent_random random = dent_random_seeded(11);
    for (int kind = 0; kind < 5; kind++) {
        enum { COUNT = 40, KEYS = 5 };
        struct moving_points points = moving_points_make(COUNT);
        dent_kinetic *tree = open_tree(*state, DENT_KINETIC_AUTO, 3), *other = open_tree(*state, DENT_KINETIC_EVENTS, 3);
        uint32_t vertices[COUNT];
        double places[3 * COUNT], others[3 * COUNT], bounds[6];
        for (uint32_t i = 0; i < COUNT; i++) {
            random_plan(&random, &points.points[i], 0, KEYS, kind, false);
            vertices[i] = i;
        }
        assert_int_equal(moving_points_give_all(tree, &points), DENT_OK);
        assert_int_equal(moving_points_give_all(other, &points), DENT_OK);
        assert_int_equal(dent_kinetic_insert(tree, vertices, 1, COUNT, NULL), DENT_OK);
        for (int step = -2; step <= 36; step++) {
            double t = 0.125 * step;
            assert_int_equal(dent_kinetic_advance(tree, t), DENT_OK);
            assert_int_equal(dent_kinetic_jump(other, step % 3 ? t + 1 : t - 1), DENT_OK); /* to and fro */
            assert_int_equal(dent_kinetic_jump(other, t), DENT_OK);
            assert_int_equal(dent_kinetic_positions(tree, 0, COUNT, places), DENT_OK);
            assert_int_equal(dent_kinetic_positions(other, 0, COUNT, others), DENT_OK);
            assert_memory_equal(places, others, sizeof places);
            for (uint32_t i = 0; i < COUNT; i++) {
                uint32_t key = t < 0 ? 0 : t > KEYS - 1 ? KEYS - 1 : (uint32_t)t;
                assert_int_equal(dent_kinetic_bounds(tree, i, bounds), DENT_OK);
                for (int axis = 0; axis < 3; axis++) {
                    double place = places[3 * i + (uint32_t)axis];
                    assert_true(bounds[2 * axis] <= place && place <= bounds[2 * axis + 1]);
                    assert_true((t >= 0 && t < KEYS - 1 && t != key) ||
                                place == points.points[i].places[3 * key + (uint32_t)axis]);
                }
            }
        }
        assert_int_equal(dent_kinetic_positions(tree, COUNT - 1, 1, others), DENT_OK);
        assert_memory_equal(others, places + 3 * (COUNT - 1), 3 * sizeof *places);
        assert_int_equal(dent_kinetic_positions(tree, COUNT - 1, 2, others), DENT_ERROR_INVALID_ARGUMENT);
        assert_int_equal(dent_kinetic_positions(tree, COUNT + 1, 0, others), DENT_ERROR_INVALID_ARGUMENT);
        assert_int_equal(dent_kinetic_positions(tree, UINT32_MAX, UINT32_MAX, others), DENT_ERROR_INVALID_ARGUMENT);
        assert_int_equal(dent_kinetic_positions(tree, COUNT, 0, NULL), DENT_OK);
        dent_kinetic_destroy(other);
        dent_kinetic_destroy(tree);
        moving_points_free(&points);
    }
}

static void test_bad_input_is_refused_and_changes_nothing(void **state)
{
    dent_kinetic *tree = open_tree(*state, DENT_KINETIC_AUTO, 3), *none = NULL;
    double xyz[6] = {0, 0, 0, 1, 1, 1}, bad[6] = {0, 0, 0, 0, NAN, 0}, times[2] = {0, 1}, equal[2] = {1, 1}, bounds[6];
    dent_positions positions[2] = {dent_positions_double(xyz), dent_positions_double(xyz)};
    dent_positions wrong[2] = {positions[0], dent_positions_double(bad)};
    dent_flight_plans plans = {0, 2, 2, times, positions}, other;
    uint32_t ends[2] = {0, 1}, beyond = 2, twice[2] = {0, 0};
    dent_kinetic_def def = dent_kinetic_def_default();
    def.directions = 4;
    assert_int_equal(dent_kinetic_create(*state, &def, &none), DENT_ERROR_INVALID_ARGUMENT);
    def.directions = 3;
    def.mode = DENT_KINETIC_REFIT;
    def.contacts = true;
    assert_int_equal(dent_kinetic_create(*state, &def, &none), DENT_ERROR_INVALID_ARGUMENT);
    def.struct_size = 0;
    assert_int_equal(dent_kinetic_create(*state, &def, &none), DENT_ERROR_INVALID_ARGUMENT);
    assert_null(none);
    other = plans, other.positions = wrong;
    assert_int_equal(dent_kinetic_set_plans(tree, &other), DENT_ERROR_BAD_NUMBER);
    char text[200];
    dent_context_message(*state, text, sizeof text);
    assert_non_null(strstr(text, "key 1, vertex 1: y"));
    other = plans, other.times = equal;
    assert_int_equal(dent_kinetic_set_plans(tree, &other), DENT_ERROR_INVALID_ARGUMENT);
    other = plans, other.first_vertex = 1;
    assert_int_equal(dent_kinetic_set_plans(tree, &other), DENT_ERROR_INVALID_ARGUMENT);
    other = plans, other.key_count = 0;
    assert_int_equal(dent_kinetic_set_plans(tree, &other), DENT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(dent_kinetic_vertex_count(tree), 0);
    assert_int_equal(dent_kinetic_set_plans(tree, &plans), DENT_OK);
    assert_int_equal(dent_kinetic_insert(tree, &beyond, 1, 1, NULL), DENT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(dent_kinetic_insert(tree, ends, 17, 1, NULL), DENT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(dent_kinetic_insert(tree, ends, 1, 2, NULL), DENT_OK);
    assert_int_equal(dent_kinetic_remove(tree, twice, 2), DENT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(dent_kinetic_remove(tree, &beyond, 1), DENT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(dent_kinetic_bounds(tree, 2, bounds), DENT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(dent_kinetic_advance(tree, NAN), DENT_ERROR_BAD_NUMBER);
    assert_int_equal(dent_kinetic_advance(tree, INFINITY), DENT_ERROR_BAD_NUMBER);
    assert_int_equal(dent_kinetic_element_count(tree), 2);
    assert_int_equal(dent_kinetic_remove(tree, ends, 2), DENT_OK);
    assert_int_equal(dent_kinetic_remove(tree, ends, 1), DENT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(dent_kinetic_bounds(tree, DENT_KINETIC_ALL, bounds), DENT_OK);
    assert_true(bounds[0] > bounds[1]);
    dent_kinetic_destroy(tree);
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

/* A life of a tree; the status of the call that failed, or OK. */
static dent_status live(dent_kinetic *tree, const struct moving_points *points, const uint32_t *triangles)
{
    dent_box_pairs pairs;
    uint32_t last;
    dent_status status = moving_points_give_all(tree, points);
    status = status ? status : dent_kinetic_insert(tree, triangles, 3, 10, NULL);
    status = status ? status : dent_kinetic_insert(tree, triangles + 30, 3, 1, &last);
    status = status ? status : dent_kinetic_advance(tree, 0.4);
    status = status ? status : moving_point_give(tree, points, 3);
    status = status ? status : dent_kinetic_pairs(tree, &pairs);
    status = status ? status : dent_kinetic_remove(tree, &last, 1);
    dent_kinetic_contacts_list list;
    status = status ? status : dent_kinetic_advance(tree, 1.5);
    return status ? status : dent_kinetic_contacts(tree, &list);
}

static void test_every_failing_allocation_is_survived(void **state)
{
    (void)state;
    dent_random random = dent_random_seeded(7);
    struct moving_points points = moving_points_make(20);
    uint32_t triangles[3 * 11], failures = 0;
    for (uint32_t i = 0; i < points.count; i++) {
        random_plan(&random, &points.points[i], 0, 3, 0, false);
    }
    make_triangles(&random, triangles, 11, points.count);
    dent_status status = DENT_ERROR_OUT_OF_MEMORY;
    for (uint64_t n = 1; status; n++) {
        struct failing_allocator memory = failing_allocator_make();
        dent_context_def context_def = dent_context_def_default();
        context_def.allocator = failing_allocator_hook(&memory);
        context_def.thread_count = 1;
        dent_context *context = dent_context_create(&context_def, NULL);
        dent_kinetic_def def = dent_kinetic_def_default();
        dent_kinetic *tree = NULL;
        def.contacts = true;
        memory.requests = 0;
        memory.fail_at = n;
        status = dent_kinetic_create(context, &def, &tree);
        status = status ? status : live(tree, &points, triangles);
        memory.fail_at = 0;
        assert_true(status == DENT_OK || status == DENT_ERROR_OUT_OF_MEMORY);
        failures += status != DENT_OK;
        if (tree && kinetic_find_fault(tree)) {
            fail_msg("allocation %u: %s", (unsigned)n, kinetic_find_fault(tree));
        }
        dent_kinetic_destroy(tree);
        dent_context_destroy(context);
        assert_true(failing_allocator_clean(&memory));
    }
    print_message("%u failures\n", failures);
    assert_true(failures > 20);
    moving_points_free(&points);
}

static void test_nothing_is_allocated_while_time_goes_on(void **state)
{
    (void)state;
    dent_random random = dent_random_seeded(8);
    struct failing_allocator memory = failing_allocator_make();
    dent_context_def context_def = dent_context_def_default();
    context_def.allocator = failing_allocator_hook(&memory);
    context_def.thread_count = 1;
    dent_context *context = dent_context_create(&context_def, NULL);
    struct moving_points points = moving_points_make(60);
    dent_kinetic *tree = open_tree(context, DENT_KINETIC_AUTO, 3);
    uint32_t triangles[3 * 50];
    for (uint32_t i = 0; i < points.count; i++) {
        random_plan(&random, &points.points[i], 0, 10, 0, false);
    }
    make_triangles(&random, triangles, 50, points.count);
    assert_int_equal(moving_points_give_all(tree, &points), DENT_OK);
    assert_int_equal(dent_kinetic_insert(tree, triangles, 3, 50, NULL), DENT_OK);
    uint64_t before = memory.requests;
    for (double t = 0; t < 11; t += 0.05) {
        assert_int_equal(dent_kinetic_advance(tree, t), DENT_OK);
    }
    assert_int_equal(dent_kinetic_advance(tree, 2.5), DENT_OK);
    assert_int_equal(memory.requests, before);
    dent_kinetic_destroy(tree);
    moving_points_free(&points);
    dent_context_destroy(context);
    assert_true(failing_allocator_clean(&memory));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_invariants_hold_after_every_event),
        cmocka_unit_test(test_events_of_a_linear_piece_are_bounded),
        cmocka_unit_test(test_event_count_does_not_depend_on_query_times),
        cmocka_unit_test(test_no_box_is_violated_while_everything_changes),
        cmocka_unit_test(test_invariants_hold_after_every_event_while_everything_changes),
        cmocka_unit_test(test_modes_have_the_same_boxes),
        cmocka_unit_test(test_pairs_and_boxes_are_those_of_comparing_all),
        cmocka_unit_test(test_places_are_those_of_the_plans),
        cmocka_unit_test(test_bad_input_is_refused_and_changes_nothing),
        cmocka_unit_test(test_every_failing_allocation_is_survived),
        cmocka_unit_test(test_nothing_is_allocated_while_time_goes_on),
    };
    return cmocka_run_group_tests(tests, test_open_context_of_one, test_close_context);
}
