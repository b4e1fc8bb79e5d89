/* Pairs of boxes against comparing all with all: every method, kinds of sets that break broad phases, motion, filters,
 * threads, instruction sets, settings of the grids, and memory. */
#include "support/cmocka_includes.h"

#include "support/failing_allocator.h"
#include "support/random_boxes.h"
#include "support/test_context.h"

#include <dent/boxes.h>

#include <float.h>

enum { SET_MOST = 150 };

/* A set as it is given to the library, and as doubles. */
struct box_set {
    uint32_t count;
    bool floats, filtered;
    double boxes[6 * SET_MOST];
    float narrow[6 * SET_MOST];
    uint32_t groups[SET_MOST], masks[SET_MOST];
};

static dent_box_list list_of(const struct box_set *set)
{
    dent_box_list list = set->floats ? dent_box_list_float(set->narrow) : dent_box_list_double(set->boxes);
    list.groups = set->filtered ? set->groups : NULL;
    list.masks = set->filtered ? set->masks : NULL;
    return list;
}

static void narrow_set(struct box_set *set)
{
    boxes_to_floats(set->boxes, set->count, set->narrow);
    for (uint32_t i = 0; i < 6 * set->count && set->floats; i++) {
        set->boxes[i] = set->narrow[i];
    }
}

static void random_set(dent_random *random, struct box_set *set, enum box_kind kind)
{
    set->count = dent_random_below(random, 8) == 0 ? dent_random_below(random, 4) : dent_random_below(random, SET_MOST + 1);
    set->floats = dent_random_below(random, 2);
    set->filtered = dent_random_below(random, 4) == 0;
    for (uint32_t i = 0; i < set->count; i++) {
        random_box(random, kind, i, set->boxes + 6 * i);
        if (dent_random_below(random, 12) == 0) {
            absent_box(random, set->boxes + 6 * i);
        }
        set->groups[i] = 1u << dent_random_below(random, 4);
        set->masks[i] = (uint32_t)dent_random_bits(random);
    }
    narrow_set(set);
}

static bool may_meet(const struct box_set *set, uint32_t a, uint32_t b)
{
    return !set->filtered || ((set->groups[a] & set->masks[b]) && (set->groups[b] & set->masks[a]));
}

/* Returns how many pairs there are. */
static uint64_t assert_pairs(const struct box_set *set, dent_boxes *boxes)
{
    dent_box_pairs result;
    uint64_t count = 0;
    assert_int_equal(dent_boxes_pairs(boxes, &result), DENT_OK);
    for (uint32_t a = 0; a < set->count; a++) {
        for (uint32_t b = a + 1; b < set->count; b++) {
            if (boxes_overlap(set->boxes + 6 * a, set->boxes + 6 * b) && may_meet(set, a, b)) {
                assert_true(count < result.count);
                assert_int_equal(result.pairs[count].a, a);
                assert_int_equal(result.pairs[count].b, b);
                count++;
            }
        }
    }
    assert_int_equal(count, result.count);
    return count;
}

static dent_boxes *open_boxes(dent_context *context, dent_boxes_method method)
{
    dent_boxes_def def = dent_boxes_def_default();
    dent_boxes *boxes = NULL;
    def.method = method;
    assert_int_equal(dent_boxes_create(context, &def, &boxes), DENT_OK);
    return boxes;
}

/* ---- answers ----------------------------------------------------------------------------------------------------- */

static void test_every_method_finds_the_pairs_of_brute_force(void **state)
{
    dent_random random = dent_random_seeded(21);
    uint64_t pairs = 0, with_pairs = 0;
    int sets = (int)test_count(200, 1500, 10000);
    for (int i = 0; i < sets; i++) {
        struct box_set set;
        random_set(&random, &set, (enum box_kind)(i % BOXES_KINDS));
        for (dent_boxes_method method = DENT_BOXES_AUTO; method < DENT_BOXES_METHOD_COUNT; method++) {
            dent_boxes *boxes = open_boxes(*state, method);
            assert_int_equal(dent_boxes_update(boxes, list_of(&set), set.count), DENT_OK);
            uint64_t found = assert_pairs(&set, boxes);
            pairs += method == 0 ? found : 0;
            with_pairs += method == 0 && found > 0;
            dent_boxes_destroy(boxes);
        }
    }
    print_message("%d sets, %llu with pairs, %llu pairs\n", sets, (unsigned long long)with_pairs,
                  (unsigned long long)pairs);
    assert_true(with_pairs > (uint64_t)sets / 2);
}

/* One object, many updates: few or all move, appear, vanish, filters change. */
static void test_moving_boxes_keep_the_pairs_of_brute_force(void **state)
{
    dent_random random = dent_random_seeded(22);
    int rounds = (int)test_count(5, 40, 300), incremental = 0;
    for (dent_boxes_method method = DENT_BOXES_AUTO; method < DENT_BOXES_METHOD_COUNT; method++) {
        for (int round = 0; round < rounds; round++) {
            struct box_set set;
            enum box_kind kind = (enum box_kind)(round % BOXES_KINDS);
            dent_boxes *boxes = open_boxes(*state, method);
            random_set(&random, &set, kind);
            for (int step = 0; step < 12; step++) {
                uint32_t moved = dent_random_below(&random, 3) == 0 ? set.count : dent_random_below(&random, 1 + set.count / 8);
                for (uint32_t k = 0; k < moved; k++) {
                    uint32_t i = dent_random_below(&random, set.count);
                    random_box(&random, kind, i, set.boxes + 6 * i);
                    if (dent_random_below(&random, 10) == 0) {
                        absent_box(&random, set.boxes + 6 * i);
                    }
                }
                if (dent_random_below(&random, 10) == 0) {
                    set.filtered = !set.filtered;
                }
                narrow_set(&set);
                assert_int_equal(dent_boxes_update(boxes, list_of(&set), set.count), DENT_OK);
                if (dent_random_below(&random, 6) > 0) {
                    dent_boxes_counters counters;
                    assert_pairs(&set, boxes);
                    assert_int_equal(dent_boxes_get_counters(boxes, &counters), DENT_OK);
                    incremental += counters.incremental;
                    assert_true(counters.method != DENT_BOXES_AUTO);
                    assert_true(method == DENT_BOXES_AUTO || counters.method == method);
                }
            }
            dent_boxes_destroy(boxes);
        }
    }
    assert_true(incremental > 10);
}

/* A double moves by less than a float shows. */
static void test_motion_below_the_floats_is_seen(void **state)
{
    double boxes_of[12] = {0, 0, 0, 1, 1, 1, 1, 0, 0, 2, 1, 1};
    for (dent_boxes_method method = DENT_BOXES_AUTO; method < DENT_BOXES_METHOD_COUNT; method++) {
        dent_boxes *boxes = open_boxes(*state, method);
        dent_box_pairs result;
        double many[6 * 80];
        for (int i = 0; i < 80; i++) { /* enough for the tree of auto; all but two are apart */
            for (int k = 0; k < 6; k++) {
                many[6 * i + k] = i < 2 ? boxes_of[6 * i + k] : 10.0 * i + (k > 2) + 0.1;
            }
        }
        assert_int_equal(dent_boxes_update(boxes, dent_box_list_double(many), 80), DENT_OK);
        assert_int_equal(dent_boxes_pairs(boxes, &result), DENT_OK);
        assert_int_equal(result.count, 1);
        many[6] = nextafter(1.0, 2.0);
        assert_int_equal(dent_boxes_update(boxes, dent_box_list_double(many), 80), DENT_OK);
        assert_int_equal(dent_boxes_pairs(boxes, &result), DENT_OK);
        assert_int_equal(result.count, 0);
        many[6] = 1.0;
        assert_int_equal(dent_boxes_update(boxes, dent_box_list_double(many), 80), DENT_OK);
        assert_int_equal(dent_boxes_pairs(boxes, &result), DENT_OK);
        assert_int_equal(result.count, 1);
        dent_boxes_destroy(boxes);
    }
}

/* A float moves by less than the scaled one shows: a subnormal beside boxes of size 1. */
static void test_subnormal_motion_of_floats_is_seen(void **state)
{
    const float steps[] = {0.0f, -FLT_TRUE_MIN, 0.0f, 3 * FLT_TRUE_MIN, -FLT_MIN, -0.0f};
    for (dent_boxes_method method = DENT_BOXES_AUTO; method < DENT_BOXES_METHOD_COUNT; method++) {
        dent_boxes *boxes = open_boxes(*state, method);
        dent_box_pairs result;
        float many[6 * 80];
        for (int i = 0; i < 80; i++) { /* two boxes around x = 0, the others are apart */
            for (int k = 0; k < 6; k++) {
                many[6 * i + k] = i < 2 ? (k == 0 ? (float)i - 1 : k == 3 ? (float)i : (float)(k / 3)) : (float)(4 * i + k / 3);
            }
        }
        for (size_t step = 0; step < sizeof steps / sizeof *steps; step++) {
            many[3] = steps[step];
            assert_int_equal(dent_boxes_update(boxes, dent_box_list_float(many), 80), DENT_OK);
            assert_int_equal(dent_boxes_pairs(boxes, &result), DENT_OK);
            assert_int_equal(result.count, steps[step] >= 0.0f); /* the second begins at 0 */
        }
        dent_boxes_destroy(boxes);
    }
}

/* ---- independence ------------------------------------------------------------------------------------------------ */

static double *many_boxes(uint32_t count, enum box_kind kind, double size)
{
    double *boxes = malloc(6 * sizeof *boxes * count);
    dent_random random = dent_random_seeded(count + (uint64_t)kind);
    assert_non_null(boxes);
    for (uint32_t i = 0; i < count; i++) {
        random_box(&random, kind, i, boxes + 6 * i);
        for (int axis = 0; axis < 3 && kind != BOXES_HUGE; axis++) {
            double middle = 0.5 * (boxes[6 * i + axis] + boxes[6 * i + axis + 3]);
            boxes[6 * i + axis] = middle + size * (boxes[6 * i + axis] - middle);
            boxes[6 * i + axis + 3] = middle + size * (boxes[6 * i + axis + 3] - middle);
        }
    }
    return boxes;
}

static uint64_t hash_of_pairs(dent_boxes *boxes, const double *many, uint32_t count, uint64_t *found)
{
    dent_box_pairs result;
    uint64_t hash = UINT64_C(14695981039346656037);
    assert_int_equal(dent_boxes_update(boxes, dent_box_list_double(many), count), DENT_OK);
    assert_int_equal(dent_boxes_pairs(boxes, &result), DENT_OK);
    for (uint64_t i = 0; i < result.count; i++) {
        hash = (hash ^ result.pairs[i].a) * UINT64_C(1099511628211);
        hash = (hash ^ result.pairs[i].b) * UINT64_C(1099511628211);
    }
    *found = result.count;
    return hash;
}

static void test_threads_and_instruction_sets_change_nothing(void **state)
{
    const uint32_t threads[] = {1, 2, 7};
    uint32_t count = (uint32_t)test_count(1500, 6000, 50000);
    double *many = many_boxes(count, BOXES_UNIFORM, 0.5);
    uint64_t expected = 0, found, expected_found = 0;
    (void)state;
    for (dent_isa isa = DENT_ISA_SCALAR; isa < DENT_ISA_COUNT; isa++) {
        for (int t = 0; t < 3 && dent_isa_available(isa); t++) {
            dent_context *context = test_context(threads[t], isa);
            for (dent_boxes_method method = DENT_BOXES_AUTO; method < DENT_BOXES_METHOD_COUNT; method++) {
                dent_boxes *boxes = open_boxes(context, method);
                uint64_t hash = hash_of_pairs(boxes, many, count, &found);
                expected = expected ? expected : hash;
                expected_found = expected_found ? expected_found : found;
                assert_int_equal(found, expected_found);
                assert_true(hash == expected);
                dent_boxes_destroy(boxes);
            }
            dent_context_destroy(context);
        }
    }
    assert_true(expected_found > count / 4);
    free(many);
}

static void test_cells_tables_and_hashes_change_nothing(void **state)
{
    const double cells[] = {0, 1e-9, 0.003, 0.02, 0.1, 1, 1e12}, offsets[] = {0, 0.3, 0.999};
    const uint32_t tables[] = {0, 1, 7, 1000, 1u << 20};
    uint32_t count = (uint32_t)test_count(300, 1200, 5000);
    double *many = many_boxes(count, BOXES_SIZES, 0.5);
    uint64_t expected = 0, found;
    dent_random random = dent_random_seeded(3);
    for (dent_boxes_method method = DENT_BOXES_DENSE_GRID; method <= DENT_BOXES_HIERARCHICAL_GRID; method++) {
        for (int c = 0; c < 7; c++) {
            for (int k = 0; k < 5; k++) {
                dent_boxes_def def = dent_boxes_def_default();
                dent_boxes *boxes = NULL;
                def.method = method;
                def.cell_size = cells[c];
                def.table_size = tables[k];
                def.hash = (dent_boxes_hash)dent_random_below(&random, DENT_BOXES_HASH_COUNT);
                for (int axis = 0; axis < 3; axis++) {
                    def.cell_offset[axis] = offsets[dent_random_below(&random, 3)];
                }
                assert_int_equal(dent_boxes_create(*state, &def, &boxes), DENT_OK);
                uint64_t hash = hash_of_pairs(boxes, many, count, &found);
                expected = expected ? expected : hash;
                assert_true(hash == expected && found > 0);
                dent_boxes_destroy(boxes);
            }
        }
    }
    free(many);
}

static void test_methods_agree_on_many_boxes(void **state)
{
    const enum box_kind kinds[] = {BOXES_UNIFORM, BOXES_SIZES, BOXES_CLUSTERED};
    for (int k = 0; k < 3; k++) { /* grids of one cell size are slow where sizes differ */
        uint32_t count = (uint32_t)test_count(3000, 20000, k == 0 ? 1000000 : 60000);
        double spacing = cbrt(1.0 / count), scale = kinds[k] == BOXES_SIZES ? 6 * spacing : 8 * spacing;
        double *many = many_boxes(count, kinds[k], scale);
        uint64_t expected = 0, found = 0, first_found = 0;
        for (dent_boxes_method method = DENT_BOXES_AUTO; method < DENT_BOXES_METHOD_COUNT; method++) {
            dent_boxes *boxes = open_boxes(*state, method);
            uint64_t hash = hash_of_pairs(boxes, many, count, &found);
            expected = method ? expected : hash;
            first_found = method ? first_found : found;
            assert_int_equal(found, first_found);
            assert_true(hash == expected);
            dent_boxes_destroy(boxes);
        }
        print_message("%u boxes, kind %d: %llu pairs\n", count, (int)kinds[k], (unsigned long long)found);
        free(many);
    }
}

/* ---- input and memory -------------------------------------------------------------------------------------------- */

/* ---- the choice -------------------------------------------------------------------------------------------------- */

enum { JUMPERS = 500 };

/* A frame of boxes that move by up to `step` or, with step 1, jump anywhere; returns the method that found the pairs, which
 * are those of the sweep. */
static dent_boxes_method frame_of(dent_boxes *boxes, dent_boxes *swept, dent_random *random, float *list, uint32_t count,
                                  float step)
{
    dent_box_pairs result, expected;
    dent_boxes_counters counters;
    for (uint32_t i = 0; i < 6 * JUMPERS; i += 6) {
        for (uint32_t axis = 0; axis < 3; axis++) {
            float now = list[i + axis], unit = (float)dent_random_unit(random);
            list[i + axis] = step < 1 ? now + step * (unit - 0.5f) : unit;
            list[i + 3 + axis] = list[i + axis] + 0.1f;
        }
    }
    assert_int_equal(dent_boxes_update(boxes, dent_box_list_float(list), count), DENT_OK);
    assert_int_equal(dent_boxes_update(swept, dent_box_list_float(list), count), DENT_OK);
    assert_int_equal(dent_boxes_pairs(boxes, &result), DENT_OK);
    assert_int_equal(dent_boxes_pairs(swept, &expected), DENT_OK);
    assert_int_equal(result.count, expected.count);
    assert_memory_equal(result.pairs, expected.pairs, expected.count * sizeof *expected.pairs);
    assert_int_equal(dent_boxes_get_counters(boxes, &counters), DENT_OK);
    return counters.method;
}

static void test_auto_chooses_by_measured_motion(void **state)
{
    dent_boxes *boxes = open_boxes(*state, DENT_BOXES_AUTO), *swept = open_boxes(*state, DENT_BOXES_SWEEP);
    dent_random random = dent_random_seeded(31);
    static float list[6 * JUMPERS];
    uint32_t trees = 0;
    /* nothing is known of a new list; then boxes that move a little have an order that lasts */
    assert_int_equal(frame_of(boxes, swept, &random, list, JUMPERS, 1), DENT_BOXES_SWEEP);
    for (int frame = 0; frame < 20; frame++) {
        assert_int_equal(frame_of(boxes, swept, &random, list, JUMPERS, 0.001f), DENT_BOXES_PACKET_TREE);
    }
    /* another list is another set of boxes */
    assert_int_equal(frame_of(boxes, swept, &random, list, JUMPERS - 1, 0.001f), DENT_BOXES_SWEEP);
    assert_int_equal(frame_of(boxes, swept, &random, list, JUMPERS - 1, 0.001f), DENT_BOXES_PACKET_TREE);
    /* boxes that jump are swept, and the tree is tried now and then */
    for (int frame = 0; frame < 200; frame++) {
        dent_boxes_method method = frame_of(boxes, swept, &random, list, JUMPERS - 1, 1);
        trees += method == DENT_BOXES_PACKET_TREE;
        assert_true(method == DENT_BOXES_PACKET_TREE || method == DENT_BOXES_SWEEP);
    }
    print_message("%u of 200 frames of jumping boxes by trees\n", trees);
    assert_true(trees > 4 && trees < 40);
    /* until they calm down */
    for (int frame = 0; frame < 70; frame++) {
        frame_of(boxes, swept, &random, list, JUMPERS - 1, 0.001f);
    }
    assert_int_equal(frame_of(boxes, swept, &random, list, JUMPERS - 1, 0.001f), DENT_BOXES_PACKET_TREE);
    dent_boxes_destroy(swept);
    dent_boxes_destroy(boxes);
}

static void test_bad_input_is_refused_and_changes_nothing(void **state)
{
    double good[12] = {0, 0, 0, 1, 1, 1, 0.5, 0, 0, 2, 1, 1}, bad[12];
    struct {
        int at;
        double value;
        dent_status status;
        const char *message;
    } const cases[] = {{8, NAN, DENT_ERROR_BAD_NUMBER, "box 1: lo z is not a number"},
                       {10, INFINITY, DENT_ERROR_BAD_NUMBER, "box 1: hi y is infinite"},
                       {0, -INFINITY, DENT_ERROR_BAD_NUMBER, "box 0: lo x is infinite"}};
    char text[256];
    dent_box_pairs result;
    dent_boxes *boxes = open_boxes(*state, DENT_BOXES_AUTO);
    assert_int_equal(dent_boxes_update(boxes, dent_box_list_double(good), 2), DENT_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        memcpy(bad, good, sizeof bad);
        bad[cases[i].at] = cases[i].value;
        assert_int_equal(dent_boxes_update(boxes, dent_box_list_double(bad), 2), cases[i].status);
        dent_context_message(*state, text, sizeof text);
        assert_string_equal(text, cases[i].message);
        assert_int_equal(dent_boxes_pairs(boxes, &result), DENT_OK);
        assert_int_equal(result.count, 1);
    }
    assert_int_equal(dent_boxes_update(boxes, dent_box_list_double(NULL), 2), DENT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(dent_boxes_update(boxes, dent_box_list_double(good), UINT32_C(1) << 31), DENT_ERROR_TOO_LARGE);
    dent_box_list list = dent_box_list_double(good);
    list.scalar = (dent_scalar)7;
    assert_int_equal(dent_boxes_update(boxes, list, 2), DENT_ERROR_INVALID_ARGUMENT);
    bad[0] = NAN; /* in an absent box, too */
    bad[4] = -5;
    assert_int_equal(dent_boxes_update(boxes, dent_box_list_double(bad), 2), DENT_ERROR_BAD_NUMBER);
    assert_int_equal(dent_boxes_count(boxes), 2);
    assert_int_equal(dent_boxes_pairs(boxes, &result), DENT_OK);
    assert_int_equal(result.count, 1);
    dent_boxes_destroy(boxes);
}

static void test_bad_defs_are_refused(void **state)
{
    dent_boxes *boxes = NULL;
    for (int i = 0; i < 6; i++) {
        dent_boxes_def def = dent_boxes_def_default();
        def.struct_size += i == 0;
        def.method = i == 1 ? DENT_BOXES_METHOD_COUNT : def.method;
        def.hash = i == 2 ? DENT_BOXES_HASH_COUNT : def.hash;
        def.cell_size = i == 3 ? -1.0 : i == 4 ? NAN : 0.0;
        def.cell_offset[2] = i == 5 ? 1.0 : 0.0;
        assert_int_equal(dent_boxes_create(*state, &def, &boxes), DENT_ERROR_INVALID_ARGUMENT);
        assert_null(boxes);
    }
}

/* The same session with every allocation failing once; what works is right, and what fails can be done again. */
static bool session(dent_context *context, dent_boxes_method method, const struct box_set *set)
{
    dent_boxes_def def = dent_boxes_def_default();
    dent_boxes *boxes = NULL;
    dent_box_pairs result;
    struct box_set moved = *set;
    bool good = true;
    def.method = method;
    if (dent_boxes_create(context, &def, &boxes)) {
        return false;
    }
    for (int step = 0; step < 3; step++) {
        dent_status status = dent_boxes_update(boxes, list_of(&moved), moved.count);
        good = good && status == DENT_OK;
        assert_true(status == DENT_OK || status == DENT_ERROR_OUT_OF_MEMORY);
        bool same = status == DENT_OK;
        status = dent_boxes_pairs(boxes, &result);
        assert_true(status == DENT_OK || status == DENT_ERROR_OUT_OF_MEMORY);
        good = good && status == DENT_OK;
        if (same && status == DENT_OK) {
            assert_pairs(&moved, boxes);
        }
        for (int k = 0; k < 6; k++) {
            moved.boxes[6 * step + k] += 0.01;
        }
        narrow_set(&moved);
    }
    dent_boxes_destroy(boxes);
    return good;
}

static void test_every_failing_allocation_is_survived(void **state)
{
    dent_random random = dent_random_seeded(5);
    (void)state;
    for (dent_boxes_method method = DENT_BOXES_AUTO; method < DENT_BOXES_METHOD_COUNT; method++) {
        struct box_set set;
        do {
            random_set(&random, &set, BOXES_UNIFORM);
        } while (set.count < 100);
        bool done = false;
        for (uint64_t n = 1; !done; n++) {
            struct failing_allocator memory = failing_allocator_make();
            dent_context_def def = dent_context_def_default();
            def.allocator = failing_allocator_hook(&memory);
            def.thread_count = 1;
            dent_context *context = dent_context_create(&def, NULL);
            assert_non_null(context);
            memory.requests = 0;
            memory.fail_at = n;
            memory.fail_once = n % 2 == 0;
            done = session(context, method, &set) && memory.requests < n;
            dent_context_destroy(context);
            assert_true(failing_allocator_clean(&memory));
        }
    }
}

static void test_nothing_is_allocated_after_warm_up(void **state)
{
    uint32_t count = 3000;
    double *many = many_boxes(count, BOXES_UNIFORM, 0.6);
    dent_random random = dent_random_seeded(8);
    for (dent_boxes_method method = DENT_BOXES_AUTO; method < DENT_BOXES_METHOD_COUNT; method++) {
        dent_boxes *boxes = open_boxes(*state, method);
        uint64_t found, before = 0;
        for (int step = 0; step < 60; step++) {
            bool few = step % 3 == 0;
            for (uint32_t i = 0; i < 6 * count; i += 6) {
                double shift = 0.02 * (dent_random_unit(&random) - 0.5);
                for (int k = 0; k < 6 && (!few || i < 60); k += 3) {
                    many[i + (uint32_t)k] += shift;
                }
            }
            hash_of_pairs(boxes, many, count, &found);
            uint64_t now = dent_context_memory_use(*state).allocations;
            if (step == 40) {
                before = now;
            }
        }
        assert_int_equal(dent_context_memory_use(*state).allocations - before, 0);
        dent_boxes_destroy(boxes);
    }
    free(many);
}

static void test_strides_and_separate_corners_are_read(void **state)
{
    struct {
        char before;
        float hi[3];
        uint32_t between;
        float lo[3];
    } odd[3] = {{0, {1, 1, 1}, 0, {0, 0, 0}}, {0, {2, 2, 2}, 0, {1, 1, 1}}, {0, {9, 9, 9}, 0, {8, 8, 8}}};
    dent_box_list list = {odd[0].lo, odd[0].hi, sizeof odd[0], DENT_SCALAR_FLOAT, NULL, NULL};
    dent_boxes *boxes = open_boxes(*state, DENT_BOXES_AUTO);
    dent_box_pairs result;
    assert_int_equal(dent_boxes_update(boxes, list, 3), DENT_OK);
    assert_int_equal(dent_boxes_pairs(boxes, &result), DENT_OK);
    assert_int_equal(result.count, 1);
    assert_int_equal(result.pairs[0].a, 0);
    assert_int_equal(result.pairs[0].b, 1);
    assert_int_equal(dent_boxes_update(boxes, dent_box_list_float(NULL), 0), DENT_OK);
    assert_int_equal(dent_boxes_pairs(boxes, &result), DENT_OK);
    assert_int_equal(result.count, 0);
    dent_boxes_destroy(boxes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_method_finds_the_pairs_of_brute_force),
        cmocka_unit_test(test_moving_boxes_keep_the_pairs_of_brute_force),
        cmocka_unit_test(test_motion_below_the_floats_is_seen),
        cmocka_unit_test(test_subnormal_motion_of_floats_is_seen),
        cmocka_unit_test(test_threads_and_instruction_sets_change_nothing),
        cmocka_unit_test(test_cells_tables_and_hashes_change_nothing),
        cmocka_unit_test(test_methods_agree_on_many_boxes),
        cmocka_unit_test(test_auto_chooses_by_measured_motion),
        cmocka_unit_test(test_bad_input_is_refused_and_changes_nothing),
        cmocka_unit_test(test_bad_defs_are_refused),
        cmocka_unit_test(test_every_failing_allocation_is_survived),
        cmocka_unit_test(test_nothing_is_allocated_after_warm_up),
        cmocka_unit_test(test_strides_and_separate_corners_are_read),
    };
    return cmocka_run_group_tests(tests, test_open_context_of_one, test_close_context);
}
