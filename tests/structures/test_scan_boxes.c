/* The box-scan kernels: every instruction set finds what a plain loop finds, in the same order; boxes are closed. */
#include "support/cmocka_includes.h"

#include <stdlib.h>
#include <string.h>

#include "structures/boxes/scan_boxes.h"

enum { BOXES = 517 };

struct boxes {
    float lo1[BOXES], hi1[BOXES], lo2[BOXES], hi2[BOXES];
};

static void fill(struct boxes *boxes, dent_random *random)
{
    for (int i = 0; i < BOXES; i++) {
        boxes->lo1[i] = (float)dent_random_below(random, 20);
        boxes->hi1[i] = boxes->lo1[i] + (float)dent_random_below(random, 4);
        boxes->lo2[i] = (float)dent_random_below(random, 20);
        boxes->hi2[i] = boxes->lo2[i] + (float)dent_random_below(random, 4);
    }
}

static uint32_t plain_loop(const struct box_columns *boxes, uint32_t begin, uint32_t end,
                           const struct box_window *window, uint32_t *found)
{
    uint32_t count = 0;
    for (uint32_t i = begin; i < end; i++) {
        if (boxes->lo1[i] <= window->hi1 && boxes->hi1[i] >= window->lo1 && boxes->lo2[i] <= window->hi2 &&
            boxes->hi2[i] >= window->lo2) {
            found[count++] = i;
        }
    }
    return count;
}

static void every_instruction_set_finds_what_a_loop_finds(void **state)
{
    (void)state;
    dent_random random = dent_random_seeded(1);
    struct boxes boxes;
    uint32_t expected[BOXES + 16], got[BOXES + 16];
    uint64_t hits = 0;
    for (int trial = 0; trial < 4000; trial++) {
        fill(&boxes, &random);
        struct box_columns columns = {boxes.lo1, boxes.hi1, boxes.lo2, boxes.hi2};
        float x = (float)dent_random_below(&random, 20), y = (float)dent_random_below(&random, 20);
        struct box_window window = {x, x + (float)dent_random_below(&random, 6), y,
                                    y + (float)dent_random_below(&random, 6)};
        uint32_t begin = dent_random_below(&random, BOXES + 1),
                 end = begin + dent_random_below(&random, BOXES + 1 - begin);
        uint32_t count = plain_loop(&columns, begin, end, &window, expected);
        hits += count;
        for (int isa = DENT_ISA_SCALAR; isa < DENT_ISA_COUNT; isa++) {
            if (!dent_isa_available((dent_isa)isa)) {
                continue;
            }
            assert_int_equal(scan_boxes_for((dent_isa)isa)(&columns, begin, end, &window, got), count);
            assert_memory_equal(expected, got, count * sizeof *got);
        }
    }
    assert_true(hits > 4000);
}

static void boxes_that_touch_are_found(void **state)
{
    (void)state;
    const float lo[1] = {1}, hi[1] = {2};
    struct box_columns columns = {lo, hi, lo, hi};
    struct box_window touching = {2, 3, 0, 1}, apart = {2.0000002f, 3, 0, 1};
    uint32_t found[17];
    for (int isa = DENT_ISA_SCALAR; isa < DENT_ISA_COUNT; isa++) {
        if (dent_isa_available((dent_isa)isa)) {
            assert_int_equal(scan_boxes_for((dent_isa)isa)(&columns, 0, 1, &touching, found), 1);
            assert_int_equal(scan_boxes_for((dent_isa)isa)(&columns, 0, 1, &apart, found), 0);
        }
    }
}

static void the_table_has_a_row_of_its_own_for_every_available_set(void **state)
{
    (void)state;
    for (int isa = DENT_ISA_SCALAR; isa < DENT_ISA_COUNT; isa++) {
        if (dent_isa_available((dent_isa)isa)) {
            assert_true(isa == DENT_ISA_SCALAR || scan_boxes_for((dent_isa)isa) != scan_boxes_scalar);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_instruction_set_finds_what_a_loop_finds),
        cmocka_unit_test(boxes_that_touch_are_found),
        cmocka_unit_test(the_table_has_a_row_of_its_own_for_every_available_set),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
