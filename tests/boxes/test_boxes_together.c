/* Many objects on one context, and the cells of searches as shapes (dent/structure.h). */
#include "support/cmocka_includes.h"

#include "support/failing_allocator.h"
#include "support/random_boxes.h"
#include "support/test_context.h"

#include <dent/boxes.h>
#include <dent/structure.h>

enum { OBJECTS = 30, BOXES_EACH = 120 };

/* ---- thirty objects ------------------------------------------------------------------------------------------------ */

struct crowd {
    dent_boxes *boxes[OBJECTS];
    double sets[OBJECTS][6 * BOXES_EACH];
};

static dent_boxes *make_object(dent_context *context, uint32_t number)
{
    dent_boxes_def def = dent_boxes_def_default();
    dent_boxes *boxes = NULL;
    def.method = (dent_boxes_method)(number % DENT_BOXES_METHOD_COUNT);
    assert_int_equal(dent_boxes_create(context, &def, &boxes), DENT_OK);
    return boxes;
}

static void move_set(dent_random *random, double *set, uint32_t number, bool all)
{
    for (uint32_t i = 0; i < BOXES_EACH; i++) {
        if (all || dent_random_below(random, 20) == 0) {
            random_box(random, (enum box_kind)(number % BOXES_KINDS), i, set + 6 * i);
        }
    }
}

static bool meet(const double *a, const double *b)
{
    return a[0] <= b[3] && b[0] <= a[3] && a[1] <= b[4] && b[1] <= a[4] && a[2] <= b[5] && b[2] <= a[5];
}

static uint64_t assert_all_pairs(const double *set, const dent_box_pairs *found)
{
    uint64_t next = 0;
    for (uint32_t a = 0; a < BOXES_EACH; a++) {
        for (uint32_t b = a + 1; b < BOXES_EACH; b++) {
            if (meet(set + 6 * a, set + 6 * b)) {
                assert_true(next < found->count && found->pairs[next].a == a && found->pairs[next].b == b);
                next++;
            }
        }
    }
    assert_int_equal(next, found->count);
    return next;
}

/* All are updated, then all are asked, then all results are read: none is spoilt by the others. */
static void test_thirty_objects_share_a_context(void **state)
{
    static struct crowd crowd;
    dent_random random = dent_random_seeded(81);
    uint64_t pairs = 0;
    for (uint32_t n = 0; n < OBJECTS; n++) {
        crowd.boxes[n] = make_object(*state, n);
        move_set(&random, crowd.sets[n], n, true);
    }
    for (uint32_t round = 0; round < test_count(3, 8, 60); round++) {
        dent_box_pairs found[OBJECTS];
        for (uint32_t n = 0; n < OBJECTS; n++) {
            move_set(&random, crowd.sets[n], n, round % 4 == 3);
            assert_int_equal(dent_boxes_update(crowd.boxes[n], dent_box_list_double(crowd.sets[n]), BOXES_EACH), DENT_OK);
        }
        for (uint32_t n = 0; n < OBJECTS; n++) {
            uint32_t other = (7 * n + round) % OBJECTS;
            assert_int_equal(dent_boxes_pairs(crowd.boxes[other], &found[other]), DENT_OK);
        }
        for (uint32_t n = 0; n < OBJECTS; n++) {
            pairs += assert_all_pairs(crowd.sets[n], &found[n]);
        }
    }
    for (uint32_t n = 0; n < OBJECTS; n++) {
        dent_boxes_destroy(crowd.boxes[(11 * n) % OBJECTS]);
    }
    print_message("%llu pairs\n", (unsigned long long)pairs);
    assert_true(pairs > 10000);
}

/* ---- shapes -------------------------------------------------------------------------------------------------------- */

static dent_structure_shapes shapes_of(dent_boxes *boxes, uint32_t level)
{
    dent_structure_shapes shapes;
    assert_int_equal(dent_boxes_structure(boxes, level, &shapes), DENT_OK);
    return shapes;
}

/* The point that each search files a box under: its middle in the octree, its lower corner otherwise. */
static void home_of(const double *box, dent_boxes_method method, double home[3])
{
    for (int axis = 0; axis < 3; axis++) {
        home[axis] = method == DENT_BOXES_LOOSE_OCTREE ? 0.5 * box[axis] + 0.5 * box[3 + axis] : box[axis];
    }
}

static bool within_some(const dent_structure_shapes *shapes, const double home[3], double slack)
{
    bool found = false;
    for (uint64_t i = 0; i < shapes->count && !found; i++) {
        const dent_structure_box *box = &shapes->boxes[i];
        found = true;
        for (int axis = 0; axis < 3; axis++) {
            found = found && home[axis] >= box->lo[axis] - slack && home[axis] <= box->hi[axis] + slack;
        }
    }
    return found;
}

/* Grids of several sizes file each box on one level only. */
static bool levels_share(dent_boxes_method method)
{
    return method == DENT_BOXES_HIERARCHICAL_GRID;
}

static void test_every_box_lies_in_a_shape_of_every_level(void **state)
{
    dent_random random = dent_random_seeded(82);
    uint64_t checked = 0, levels[DENT_BOXES_METHOD_COUNT] = {0};
    for (uint32_t round = 0; round < test_count(1, 2, 20); round++) {
        for (int kind = 0; kind < BOXES_KINDS; kind++) {
            double set[6 * BOXES_EACH], size = 0;
            move_set(&random, set, (uint32_t)kind, true);
            for (uint32_t i = 0; i < 6 * BOXES_EACH; i++) {
                size = fmax(size, fabs(set[i]));
            }
            for (uint32_t method = 0; method < DENT_BOXES_METHOD_COUNT; method++) {
                dent_boxes *boxes = make_object(*state, method);
                bool found[BOXES_EACH] = {false};
                assert_int_equal(shapes_of(boxes, 0).count, 0);
                assert_int_equal(dent_boxes_update(boxes, dent_box_list_double(set), BOXES_EACH), DENT_OK);
                uint32_t deepest = shapes_of(boxes, 0).deepest;
                assert_int_equal(shapes_of(boxes, UINT32_MAX).level, deepest);
                for (uint32_t level = 0; level <= deepest; level++) {
                    dent_structure_shapes shapes = shapes_of(boxes, level);
                    assert_int_equal(shapes.level, level);
                    assert_int_equal(shapes.deepest, deepest);
                    assert_true(shapes.count > 0);
                    for (uint32_t i = 0; i < BOXES_EACH; i++) {
                        double home[3];
                        home_of(set + 6 * i, (dent_boxes_method)method, home);
                        bool in = within_some(&shapes, home, size * 0x1p-20); /* records are floats */
                        assert_true(in || levels_share((dent_boxes_method)method));
                        found[i] = found[i] || in;
                        checked++;
                    }
                    levels[method]++;
                }
                for (uint32_t i = 0; i < BOXES_EACH; i++) {
                    assert_true(found[i]);
                }
                dent_boxes_destroy(boxes);
            }
        }
    }
    print_message("%llu boxes in levels:", (unsigned long long)checked);
    for (uint32_t method = 0; method < DENT_BOXES_METHOD_COUNT; method++) {
        print_message(" %llu", (unsigned long long)levels[method]);
    }
    print_message("\n");
    assert_true(levels[DENT_BOXES_KD_TREE] > 3 * levels[DENT_BOXES_SWEEP] / 2);
}

/* The parts of a level of the k-d tree fill the bounds. */
static void test_parts_of_a_kd_tree_fill_the_bounds(void **state)
{
    dent_random random = dent_random_seeded(83);
    double set[6 * BOXES_EACH];
    dent_boxes *boxes = make_object(*state, DENT_BOXES_KD_TREE);
    move_set(&random, set, BOXES_UNIFORM, true);
    assert_int_equal(dent_boxes_update(boxes, dent_box_list_double(set), BOXES_EACH), DENT_OK);
    double whole = 0;
    for (uint32_t level = 0; level <= shapes_of(boxes, 0).deepest; level++) {
        dent_structure_shapes shapes = shapes_of(boxes, level);
        double volume = 0;
        for (uint64_t i = 0; i < shapes.count; i++) {
            const dent_structure_box *box = &shapes.boxes[i];
            volume += (box->hi[0] - box->lo[0]) * (box->hi[1] - box->lo[1]) * (box->hi[2] - box->lo[2]);
        }
        assert_true(level > 0 || shapes.count == 1);
        whole = level == 0 ? volume : whole;
        assert_true(fabs(volume - whole) < 1e-9 * whole);
    }
    dent_boxes_destroy(boxes);
}

static void test_shapes_survive_failing_allocations(void **state)
{
    (void)state;
    dent_random random = dent_random_seeded(84);
    double set[6 * BOXES_EACH];
    uint32_t failures = 0;
    move_set(&random, set, BOXES_SIZES, true);
    for (uint32_t method = 0; method < DENT_BOXES_METHOD_COUNT; method++) {
        dent_status status = DENT_ERROR_OUT_OF_MEMORY;
        for (uint64_t n = 1; status; n++) {
            struct failing_allocator memory = failing_allocator_make();
            dent_context_def def = dent_context_def_default();
            def.allocator = failing_allocator_hook(&memory);
            def.thread_count = 1;
            dent_context *context = dent_context_create(&def, NULL);
            dent_boxes *boxes = make_object(context, method);
            dent_structure_shapes shapes = {.count = 77};
            assert_int_equal(dent_boxes_update(boxes, dent_box_list_double(set), BOXES_EACH), DENT_OK);
            memory.requests = 0;
            memory.fail_at = n;
            status = dent_boxes_structure(boxes, 1, &shapes);
            memory.fail_at = 0;
            assert_true(status == DENT_OK || (status == DENT_ERROR_OUT_OF_MEMORY && shapes.count == 77));
            failures += status != DENT_OK;
            assert_true(shapes_of(boxes, 1).count > 0);
            dent_boxes_destroy(boxes);
            dent_context_destroy(context);
            assert_true(failing_allocator_clean(&memory));
        }
    }
    print_message("%u failures\n", failures);
    assert_true(failures > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_thirty_objects_share_a_context),
        cmocka_unit_test(test_every_box_lies_in_a_shape_of_every_level),
        cmocka_unit_test(test_parts_of_a_kd_tree_fill_the_bounds),
        cmocka_unit_test(test_shapes_survive_failing_allocations),
    };
    return cmocka_run_group_tests(tests, test_open_context_of_two, test_close_context);
}
