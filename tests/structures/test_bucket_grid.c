/* Buckets, interval lists and coherent sorting: the map never decreases, both ways to compute it agree, and a look-up
 * meets each entry once. */
#include "structures/grid/kernels/packet_kernels.h"
#include "support/cmocka_includes.h"

#include <math.h>
#include <stdlib.h>

#include "base/context.h"
#include "structures/grid/bucket_grid.h"
#include "structures/grid/bucket_packets.h"
#include "structures/grid/coordinate_order.h"
#include "structures/grid/packet_tree.h"

static struct bucket_lattice lattice_over(float lo, float hi, double buckets, uint64_t most)
{
    struct bucket_lattice lattice = {.lo = {lo, lo, lo}, .hi = {hi, hi, hi}};
    bucket_lattice_finish(&lattice, (const double[3]){buckets, buckets, buckets}, most);
    return lattice;
}

static float random_float(dent_random *random, float lo, float hi)
{
    return (float)((double)lo + ((double)hi - (double)lo) * dent_random_unit(random));
}

static void the_map_never_decreases(void **state)
{
    (void)state;
    static const float ranges[][2] = {{-1, 1},      {0.25f, 0.2500001f}, {-1e-30f, 1e-30f}, {0, 0},
                                      {-1, -0.99f}, {0, 1e-44f},         {-1e-20f, 1}};
    dent_random random = dent_random_seeded(1);
    for (size_t r = 0; r < sizeof ranges / sizeof ranges[0]; r++) {
        for (double buckets = 0.5; buckets < 1e9; buckets *= 3) {
            float lo = ranges[r][0], hi = ranges[r][1];
            struct bucket_lattice lattice = lattice_over(lo, hi, buckets, UINT64_C(1) << 60);
            assert_true(lattice.count[0] >= 1 && lattice.count[0] <= BUCKETS_PER_AXIS_MAX);
            assert_int_equal(bucket_of(&lattice, 0, lo), 0);
            assert_int_equal(bucket_of(&lattice, 0, hi), lattice.count[0] - 1);
            for (int i = 0; i < 200; i++) {
                float a = random_float(&random, lo - 0.1f, hi + 0.1f),
                      b = i % 2 ? nextafterf(a, 2) : random_float(&random, lo, hi);
                assert_true((a <= b) == (bucket_of(&lattice, 0, a) <= bucket_of(&lattice, 0, b)) ||
                            bucket_of(&lattice, 0, a) == bucket_of(&lattice, 0, b));
                assert_true(bucket_of(&lattice, 0, a) < lattice.count[0]);
            }
        }
    }
}

static void there_are_never_more_buckets_than_asked(void **state)
{
    (void)state;
    for (uint64_t most = 1; most < 1000000; most *= 7) {
        struct bucket_lattice lattice = lattice_over(-1, 1, 1e12, most);
        assert_true((uint64_t)lattice.count[0] * lattice.count[1] * lattice.count[2] <= most);
        assert_true(lattice.level_count >= 1 && lattice.level_count <= BUCKET_LEVELS_MAX);
    }
}

static void sweeping_gives_the_same_buckets_as_the_interval_list(void **state)
{
    (void)state;
    dent_random random = dent_random_seeded(2);
    float intervals[130], quantiles[65];
    for (int turn = 0; turn < 200; turn++) {
        struct bucket_lattice lattice =
            lattice_over(-1, random_float(&random, -0.9999f, 1), 1 + 100 * dent_random_unit(&random), 1 << 30);
        bucket_lattice_intervals(&lattice, 0, intervals);
        lattice.intervals[0] = intervals;
        if (turn % 2) { /* uneven */
            lattice.uneven = true;
            lattice.count[0] = 64;
            for (int i = 0; i < 65; i++) {
                quantiles[i] = (float)pow(i / 64.0, 5) * 2 - 1;
            }
            quantiles[20] = quantiles[21] = quantiles[22]; /* empty buckets */
            lattice.intervals[0] = quantiles;
        }
        for (int i = 0; i < 500; i++) {
            float value = i % 3 ? random_float(&random, -1, 1) : lattice.intervals[0][i % (int)lattice.count[0]];
            uint32_t expected = 0;
            while (expected + 1 < lattice.count[0] && value >= lattice.intervals[0][expected + 1]) {
                expected++;
            }
            assert_int_equal(bucket_of(&lattice, 0, value), expected);
        }
    }
}

/* ---- look-ups -------------------------------------------------------------------------------- */

enum { ENTRIES = 700 };

struct boxes {
    float lo[3][ENTRIES], hi[3][ENTRIES];
    uint32_t number[ENTRIES], keys[ENTRIES];
    float box_lo[ENTRIES][3], box_hi[ENTRIES][3];
};

struct meetings {
    uint32_t count[ENTRIES];
};

static void note(void *data, const uint32_t *list, uint32_t count)
{
    struct meetings *meetings = data;
    for (uint32_t i = 0; i < count; i++) {
        meetings->count[list[i]]++;
    }
}

static void make_boxes(struct boxes *boxes, dent_random *random, bool points)
{
    for (int i = 0; i < ENTRIES; i++) {
        float size = points ? 0 : i % 50 == 0 ? 1.5f : i % 7 == 0 ? 0.2f : 0.03f;
        for (int axis = 0; axis < 3; axis++) {
            boxes->box_lo[i][axis] = random_float(random, -1, 1 - size);
            boxes->box_hi[i][axis] = boxes->box_lo[i][axis] + random_float(random, 0, size);
        }
    }
}

static void put_boxes(struct boxes *boxes, struct bucket_set *set, const struct bucket_lattice *lattice)
{
    for (int i = 0; i < ENTRIES; i++) {
        struct bucket_range range = bucket_range_of(lattice, boxes->box_lo[i], boxes->box_hi[i]);
        bucket_owner(set, lattice, &range, &boxes->keys[i]);
        set->start[boxes->keys[i]]++;
    }
    bucket_set_sum(set, 0);
    for (int i = ENTRIES; i-- > 0;) {
        uint32_t place = --set->start[boxes->keys[i]];
        for (int axis = 0; axis < 3; axis++) {
            boxes->lo[axis][place] = boxes->box_lo[i][axis];
            boxes->hi[axis][place] = boxes->box_hi[i][axis];
        }
        boxes->number[place] = (uint32_t)i;
    }
    bucket_set_finish(set, lattice);
}

static bool meet(const float *a_lo, const float *a_hi, const float *b_lo, const float *b_hi)
{
    bool meets = true;
    for (int axis = 0; axis < 3; axis++) {
        meets = meets && a_lo[axis] <= b_hi[axis] && a_hi[axis] >= b_lo[axis];
    }
    return meets;
}

static void look_ups_meet_each_entry_exactly_once(void **state)
{
    (void)state;
    static struct boxes boxes;
    dent_random random = dent_random_seeded(3);
    for (int turn = 0; turn < 24; turn++) {
        bool points = turn % 2;
        struct bucket_lattice lattice = lattice_over(-1, 1, pow(2, turn / 4 + 1) - 0.5, 1 << 24);
        struct grid_columns columns = {{boxes.lo[0], boxes.lo[1], boxes.lo[2]},
                                       {boxes.hi[0], boxes.hi[1], boxes.hi[2]},
                                       (const int32_t *)boxes.number,
                                       (const int32_t *)boxes.number,
                                       boxes.number};
        struct bucket_set set;
        make_boxes(&boxes, &random, points);
        bucket_set_layout(&set, &lattice, points);
        set.start = calloc(set.key_count + 1, sizeof *set.start);
        set.any = calloc(set.key_count, 1);
        set.columns = &columns;
        put_boxes(&boxes, &set, &lattice);
        for (int probe = 0; probe < 200; probe++) {
            static struct meetings meetings;
            struct bucket_counters counters = {0, 0};
            uint32_t list[BUCKET_LIST_ROOM], expected = 0;
            float lo[3], hi[3], size = probe % 10 == 0 ? 2 : 0.1f;
            for (int axis = 0; axis < 3; axis++) {
                lo[axis] = random_float(&random, -1.1f, 1);
                hi[axis] = lo[axis] + random_float(&random, 0, size);
            }
            meetings = (struct meetings){{0}};
            bucket_set_look_up(&set, &lattice, packet_kernels_for(DENT_ISA_SCALAR), lo, hi, list, note, &meetings,
                               &counters);
            for (int i = 0; i < ENTRIES; i++) {
                bool meets = meet(lo, hi, boxes.box_lo[i], boxes.box_hi[i]);
                assert_int_equal(meetings.count[i], meets);
                expected += meets;
            }
            struct bucket_range range = bucket_range_of(&lattice, lo, hi);
            assert_true(expected == 0 || bucket_set_any(&set, &lattice, &range)); /* the flags never hide an entry */
        }
        free(set.start);
        free(set.any);
    }
}

static void flags_are_down_where_nothing_is(void **state)
{
    (void)state;
    static struct boxes boxes;
    struct bucket_lattice lattice = lattice_over(-1, 1, 15.5, 1 << 24);
    struct bucket_set set;
    bucket_set_layout(&set, &lattice, false);
    set.start = calloc(set.key_count + 1, sizeof *set.start);
    set.any = calloc(set.key_count, 1);
    dent_random random = dent_random_seeded(4);
    make_boxes(&boxes, &random, true);
    for (int i = 0; i < ENTRIES; i++) { /* all in one corner, one of them on a higher level */
        for (int axis = 0; axis < 3; axis++) {
            boxes.box_lo[i][axis] = boxes.box_hi[i][axis] = -1 + 0.2f * (boxes.box_lo[i][axis] + 1);
        }
    }
    boxes.box_hi[0][0] = boxes.box_lo[0][0] + 0.3f;
    put_boxes(&boxes, &set, &lattice);
    struct bucket_range range =
        bucket_range_of(&lattice, (const float[3]){0.5f, 0.5f, 0.5f}, (const float[3]){0.9f, 0.9f, 0.9f});
    assert_false(bucket_set_any(&set, &lattice, &range));
    free(set.start);
    free(set.any);
}

/* ---- sorting ----------------------------------------------------------------------------------------------------- */

enum { SORTED = 2000 };

struct sorting {
    dent_context *context;
    struct arena arena;
    struct coordinate_order order;
    struct coordinate_room room;
    struct point_record points[SORTED];
};

static void begin_sorting(struct sorting *sorting, dent_random *random)
{
    sorting->context = dent_context_create(NULL, NULL);
    arena_init(&sorting->arena, sorting->context);
    coordinate_order_init(&sorting->order, sorting->context);
    uint32_t first[2] = {0, SORTED};
    assert_true(array_push_many(&sorting->order.first, first, 2));
    for (uint32_t i = 0; i < SORTED; i++) {
        for (int axis = 0; axis < 3; axis++) {
            sorting->points[i].position[axis] = random_float(random, -1, 1);
            assert_true(array_push(&sorting->order.order[axis], &i));
        }
    }
    assert_true(coordinate_room_make(&sorting->room, SORTED, &sorting->arena));
}

static void end_sorting(struct sorting *sorting)
{
    coordinate_order_destroy(&sorting->order);
    arena_destroy(&sorting->arena);
    dent_context_destroy(sorting->context);
}

static void assert_sorted(const struct sorting *sorting, int axis)
{
    const uint32_t *numbers = sorting->order.order[axis].data;
    static bool seen[SORTED];
    memset(seen, 0, sizeof seen);
    for (int i = 0; i < SORTED; i++) {
        assert_false(seen[numbers[i]]);
        seen[numbers[i]] = true;
        assert_true(sorting->room.values[i] == sorting->points[numbers[i]].position[axis]);
        assert_true(i == 0 || sorting->room.values[i - 1] <= sorting->room.values[i]);
    }
}

static void sorting_is_coherent_while_little_moves_and_falls_back_when_positions_jump(void **state)
{
    (void)state;
    static struct sorting sorting;
    dent_random random = dent_random_seeded(5);
    begin_sorting(&sorting, &random);
    for (int axis = 0; axis < 3; axis++) {
        assert_false(
            coordinate_order_sort(&sorting.order, 0, axis, sorting.points, &sorting.room)); /* nothing known yet */
        assert_sorted(&sorting, axis);
        for (int step = 0; step < 5; step++) {
            for (int i = 0; i < SORTED; i++) {
                sorting.points[i].position[axis] += random_float(&random, -0.002f, 0.002f);
            }
            assert_true(coordinate_order_sort(&sorting.order, 0, axis, sorting.points, &sorting.room));
            assert_sorted(&sorting, axis);
        }
        for (int i = 0; i < SORTED; i++) {
            sorting.points[i].position[axis] = -sorting.points[i].position[axis];
        }
        assert_false(coordinate_order_sort(&sorting.order, 0, axis, sorting.points, &sorting.room));
        assert_sorted(&sorting, axis);
        assert_true(
            coordinate_order_sort(&sorting.order, 0, axis, sorting.points, &sorting.room)); /* and is coherent again */
    }
    end_sorting(&sorting);
}

static void the_tree_of_packets_holds_every_packet_once_inside_its_nodes(void **state)
{
    (void)state;
    enum { PACKETS = 3000 };
    static struct packet_box boxes[PACKETS];
    static struct packet_node nodes[2 * PACKETS + 1];
    static uint64_t keys[2 * PACKETS];
    static uint32_t order[2 * PACKETS];
    dent_random random = dent_random_seeded(6);
    for (int turn = 0; turn < 12; turn++) {
        uint32_t packets = turn == 0 ? 1 : (uint32_t)(PACKETS * dent_random_unit(&random)) + 1;
        bool together = turn % 3 == 1; /* all in one bucket */
        for (uint32_t i = 0; i < packets; i++) {
            for (int axis = 0; axis < 3; axis++) {
                boxes[i].lo[axis] = together ? 0 : random_float(&random, -1, 0.9f);
                boxes[i].hi[axis] = boxes[i].lo[axis] + random_float(&random, 0, 0.1f);
            }
        }
        struct bucket_lattice lattice = lattice_over(-1, 1, 30, 1 << 24);
        struct packet_tree_room room = {keys, order, nodes};
        struct packet_tree tree;
        packet_tree_build(&tree, &room, &lattice, boxes, 0, packets);
        assert_true(tree.node_count <= 2 * packets + 1);
        assert_int_equal(tree.nodes[tree.node_count - 1].packets, packets);
        uint32_t seen = 0;
        for (uint32_t node = 0; node < tree.node_count; node++) {
            for (uint32_t child = tree.nodes[node].first; child < tree.nodes[node].first + tree.nodes[node].count;
                 child++) {
                bool leaf = node < tree.leaf_count;
                const float *lo = leaf ? boxes[tree.order[child]].lo : tree.nodes[child].lo;
                const float *hi = leaf ? boxes[tree.order[child]].hi : tree.nodes[child].hi;
                for (int axis = 0; axis < 3; axis++) {
                    assert_true(tree.nodes[node].lo[axis] <= lo[axis] && tree.nodes[node].hi[axis] >= hi[axis]);
                }
                seen += leaf;
            }
        }
        assert_int_equal(seen, packets);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_map_never_decreases),
        cmocka_unit_test(there_are_never_more_buckets_than_asked),
        cmocka_unit_test(sweeping_gives_the_same_buckets_as_the_interval_list),
        cmocka_unit_test(look_ups_meet_each_entry_exactly_once),
        cmocka_unit_test(flags_are_down_where_nothing_is),
        cmocka_unit_test(sorting_is_coherent_while_little_moves_and_falls_back_when_positions_jump),
        cmocka_unit_test(the_tree_of_packets_holds_every_packet_once_inside_its_nodes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
