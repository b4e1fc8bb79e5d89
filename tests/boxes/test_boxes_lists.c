/* Long lists of boxes: floats of every layout are read as their doubles, bad numbers are named wherever they stand, and pairs
 * come in order, whether rows are short or long. */
#include "support/cmocka_includes.h"

#include "support/random_boxes.h"
#include "support/test_context.h"

#include <dent/boxes.h>

#include <stdio.h>

enum { LONG_LIST = 1500, LAYOUTS = 4 };

static dent_boxes *open_boxes(dent_context *context, dent_boxes_method method)
{
    dent_boxes_def def = dent_boxes_def_default();
    dent_boxes *boxes = NULL;
    def.method = method;
    assert_int_equal(dent_boxes_create(context, &def, &boxes), DENT_OK);
    return boxes;
}

/* ---- floats ------------------------------------------------------------------------------------------------------ */

/* A box as it may stand in a caller's struct; what lies between is no number. */
struct odd_box {
    float lo[3];
    uint32_t between[2];
    float hi[3];
    uint32_t behind;
};

struct float_lists {
    double wide[6 * LONG_LIST];
    float row[6 * LONG_LIST];
    float lo[3 * LONG_LIST], hi[3 * LONG_LIST];
    struct odd_box odd[LONG_LIST];
};

static dent_box_list list_of(const struct float_lists *lists, int layout)
{
    dent_box_list list = dent_box_list_float(lists->row);
    switch (layout) {
    case 1:
        list = (dent_box_list){lists->lo, lists->hi, 3 * sizeof(float), DENT_SCALAR_FLOAT, NULL, NULL};
        break;
    case 2:
        list = (dent_box_list){lists->odd[0].lo, lists->odd[0].hi, sizeof lists->odd[0], DENT_SCALAR_FLOAT, NULL, NULL};
        break;
    case 3:
        list = dent_box_list_double(lists->wide);
        break;
    default:
        break;
    }
    return list;
}

static void fill_lists(struct float_lists *lists, uint32_t count)
{
    boxes_to_floats(lists->wide, count, lists->row);
    for (uint32_t i = 0; i < count; i++) {
        memset(&lists->odd[i], 0xFF, sizeof lists->odd[i]); /* not a number, if it were read */
        for (int k = 0; k < 3; k++) {
            lists->lo[3 * i + (uint32_t)k] = lists->odd[i].lo[k] = lists->row[6 * i + (uint32_t)k];
            lists->hi[3 * i + (uint32_t)k] = lists->odd[i].hi[k] = lists->row[6 * i + 3 + (uint32_t)k];
        }
        for (uint32_t k = 6 * i; k < 6 * i + 6; k++) {
            lists->wide[k] = lists->row[k];
        }
    }
}

static void move_some(dent_random *random, struct float_lists *lists, uint32_t count, enum box_kind kind, uint32_t moved,
                      uint32_t absent_in)
{
    for (uint32_t k = 0; k < moved; k++) {
        uint32_t i = moved == count ? k : dent_random_below(random, count);
        random_box(random, kind, i, lists->wide + 6 * i);
        if (absent_in > 0 && dent_random_below(random, absent_in) == 0) {
            absent_box(random, lists->wide + 6 * i);
        }
    }
    fill_lists(lists, count);
}

static void assert_same_pairs(dent_boxes *a, dent_boxes *b)
{
    dent_box_pairs first, second;
    dent_boxes_counters counters[2];
    assert_int_equal(dent_boxes_pairs(a, &first), DENT_OK);
    assert_int_equal(dent_boxes_pairs(b, &second), DENT_OK);
    assert_int_equal(first.count, second.count);
    assert_true(first.count == 0 || memcmp(first.pairs, second.pairs, first.count * sizeof *first.pairs) == 0);
    assert_int_equal(dent_boxes_get_counters(a, &counters[0]), DENT_OK);
    assert_int_equal(dent_boxes_get_counters(b, &counters[1]), DENT_OK);
    assert_int_equal(counters[0].present, counters[1].present);
    assert_int_equal(counters[0].moved, counters[1].moved);
}

static void test_floats_of_every_layout_are_read_as_their_doubles(void **state)
{
    static struct float_lists lists;
    dent_random random = dent_random_seeded(911);
    int rounds = (int)test_count(12, 48, 480);
    for (int round = 0; round < rounds; round++) {
        enum box_kind kind = (enum box_kind)(round % BOXES_KINDS);
        bool dense = kind == BOXES_EQUAL || kind == BOXES_TOUCHING || kind == BOXES_POINTS;
        uint32_t count = dense ? 300 : 500 + dent_random_below(&random, LONG_LIST - 500);
        const uint32_t absent_in[] = {0, 12, 700};
        dent_boxes *boxes[LAYOUTS];
        for (int layout = 0; layout < LAYOUTS; layout++) {
            boxes[layout] = open_boxes(*state, DENT_BOXES_AUTO);
        }
        for (int step = 0; step < 4; step++) {
            move_some(&random, &lists, count, kind, step % 2 ? count / 10 : count, absent_in[(round + step) % 3]);
            for (int layout = 0; layout < LAYOUTS; layout++) {
                assert_int_equal(dent_boxes_update(boxes[layout], list_of(&lists, layout), count), DENT_OK);
            }
            for (int layout = 1; layout < LAYOUTS; layout++) {
                assert_same_pairs(boxes[0], boxes[layout]);
            }
        }
        for (int layout = 0; layout < LAYOUTS; layout++) {
            dent_boxes_destroy(boxes[layout]);
        }
    }
}

static void test_bad_numbers_in_long_lists_are_named(void **state)
{
    static struct float_lists lists;
    dent_random random = dent_random_seeded(912);
    move_some(&random, &lists, LONG_LIST, BOXES_UNIFORM, LONG_LIST, 0);
    for (int round = 0; round < 60; round++) {
        char text[256], expected[256];
        dent_boxes *boxes = open_boxes(*state, DENT_BOXES_AUTO);
        uint32_t i = round < 3 ? LONG_LIST - 1 - (uint32_t)round : dent_random_below(&random, LONG_LIST);
        uint32_t k = dent_random_below(&random, 6);
        float kept = lists.row[6 * i + k];
        bool nan = round % 2;
        lists.row[6 * i + k] = nan ? NAN : k < 3 ? -INFINITY : INFINITY;
        assert_int_equal(dent_boxes_update(boxes, list_of(&lists, 0), LONG_LIST), DENT_ERROR_BAD_NUMBER);
        dent_context_message(*state, text, sizeof text);
        snprintf(expected, sizeof expected, "box %u: %s %c is %s", (unsigned)i, k < 3 ? "lo" : "hi", "xyz"[k % 3],
                 nan ? "not a number" : "infinite");
        assert_string_equal(text, expected);
        lists.row[6 * i + k] = kept;
        assert_int_equal(dent_boxes_update(boxes, list_of(&lists, 0), LONG_LIST), DENT_OK);
        dent_boxes_destroy(boxes);
    }
}

/* ---- order ------------------------------------------------------------------------------------------------------- */

static void assert_all_pairs(const double *set, uint32_t count, dent_boxes *boxes)
{
    dent_box_pairs found;
    uint64_t next = 0;
    assert_int_equal(dent_boxes_pairs(boxes, &found), DENT_OK);
    for (uint32_t a = 0; a < count; a++) {
        for (uint32_t b = a + 1; b < count; b++) {
            if (boxes_overlap(set + 6 * a, set + 6 * b)) {
                assert_true(next < found.count && found.pairs[next].a == a && found.pairs[next].b == b);
                next++;
            }
        }
    }
    assert_int_equal(next, found.count);
}

/* Enough boxes for several ranges of indices, and rows longer than what is mended. */
static void test_many_boxes_of_every_kind_have_the_pairs_of_brute_force(void **state)
{
    uint32_t most = (uint32_t)test_count(2600, 7000, 20000);
    double *set = malloc(6 * (size_t)most * sizeof *set);
    dent_random random = dent_random_seeded(913);
    assert_non_null(set);
    for (enum box_kind kind = 0; kind < BOXES_KINDS; kind++) {
        bool dense = kind == BOXES_EQUAL || kind == BOXES_TOUCHING || kind == BOXES_POINTS || kind == BOXES_SPECKS;
        uint32_t count = dense ? most / 8 : most;
        for (uint32_t i = 0; i < count; i++) {
            random_box(&random, kind, i, set + 6 * i);
        }
        dent_boxes *boxes = open_boxes(*state, DENT_BOXES_AUTO);
        for (int step = 0; step < 2; step++) { /* the second time in the order of the first */
            assert_int_equal(dent_boxes_update(boxes, dent_box_list_double(set), count), DENT_OK);
            assert_all_pairs(set, count, boxes);
            for (uint32_t i = 0; i < count / 3; i++) {
                random_box(&random, kind, i, set + 6 * i);
            }
        }
        dent_boxes_destroy(boxes);
    }
    free(set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_floats_of_every_layout_are_read_as_their_doubles),
        cmocka_unit_test(test_bad_numbers_in_long_lists_are_named),
        cmocka_unit_test(test_many_boxes_of_every_kind_have_the_pairs_of_brute_force),
    };
    return cmocka_run_group_tests(tests, test_open_context_of_one, test_close_context);
}
