/* Bodies that overlap with all vertices exactly on one another's surfaces: cubes on a common lattice, identical copies,
 * bodies inside one another that touch from within. No vertex is in an open cell and no edge pierces a face, and still
 * they overlap: they must get a depth, and what cannot must be counted. Boxes: the truth is plain arithmetic.
 */
#include "support/cmocka_includes.h"

#include "contact/support_blocks.h"
#include "support/failing_allocator.h"

struct box_case {
    uint32_t cells_a[3], cells_b[3];
    double edge_a[3], edge_b[3]; /* of a cell */
    double offset[3];            /* of b */
};

enum { SOLIDS, SURFACE_IN_SOLID, SOLID_IN_SURFACE, SURFACES, KINDS };

static struct block make_box(dent_context *context, const uint32_t cells[3], const double edge[3],
                             const double offset[3], bool surface)
{
    struct block block = block_make(cells[0], cells[1], cells[2]);
    const double columns[3][3] = {{edge[0], 0, 0}, {0, edge[1], 0}, {0, 0, edge[2]}};
    block_map(&block, columns, offset);
    if (surface) {
        struct block closed = block_surface(context, &block);
        block_free(&block);
        return closed;
    }
    return block;
}

/* The shortest way out of one another along an axis; 0 or less: they do not overlap. */
static double truth_of(const struct box_case *test)
{
    double least = INFINITY;
    for (int axis = 0; axis < 3; axis++) {
        double a = test->cells_a[axis] * test->edge_a[axis], low = test->offset[axis];
        double high = low + test->cells_b[axis] * test->edge_b[axis];
        least = fmin(least, fmin(a - low, high));
    }
    return least;
}

struct outcome {
    uint64_t contacts, flat_contacts;
    double depth, flat_depth;
    bool penetrates;
    dent_contacts_counters counters;
};

/* Worlds read positions from where they are. */
struct stage {
    dent_world *world;
    struct block a, b;
};

static struct stage make_stage(dent_context *context, const struct box_case *test, int kind)
{
    const double origin[3] = {0, 0, 0};
    bool surface_a = kind == SURFACE_IN_SOLID || kind == SURFACES,
         surface_b = kind == SOLID_IN_SURFACE || kind == SURFACES;
    struct stage stage = {.world = dent_world_create(context),
                          .a = make_box(context, test->cells_a, test->edge_a, origin, surface_a),
                          .b = make_box(context, test->cells_b, test->edge_b, test->offset, surface_b)};
    block_add(stage.world, &stage.a);
    block_add(stage.world, &stage.b);
    return stage;
}

static void free_stage(struct stage *stage)
{
    dent_world_destroy(stage->world);
    block_free(&stage->a);
    block_free(&stage->b);
}

/* Every record must be whole: unit normals, weights that sum to 1, points that the weights give. */
static void check_record(const dent_contact *contact)
{
    const double *n = contact->normal;
    double sum_a = 0, sum_b = 0;
    assert_true(fabs(n[0] * n[0] + n[1] * n[1] + n[2] * n[2] - 1) < 1e-9);
    for (int k = 0; k < 4; k++) {
        sum_a += contact->weights_a[k];
        sum_b += contact->weights_b[k];
    }
    assert_true(fabs(sum_a - 1) < 1e-9 && fabs(sum_b - 1) < 1e-9);
    if (contact->flags & DENT_CONTACT_FLAG_FLAT) {
        for (int axis = 0; axis < 3; axis++) {
            assert_true(fabs(contact->point_a[axis] - contact->point_b[axis]) < 1e-9);
        }
    }
}

static struct outcome look(dent_world *world, bool surface_only)
{
    dent_check_def check = dent_check_def_default();
    dent_check_result report;
    assert_int_equal(dent_world_check(world, &check, &report), DENT_OK);
    struct outcome outcome = {.penetrates = report.penetrating_pairs > 0};
    dent_contacts_def def = dent_contacts_def_default();
    def.surface_only = surface_only;
    dent_contacts contacts;
    assert_int_equal(dent_world_find_contacts(world, &def, &contacts), DENT_OK);
    for (uint64_t i = 0; i < contacts.count; i++) {
        check_record(&contacts.contacts[i]);
        if (contacts.contacts[i].flags & DENT_CONTACT_FLAG_FLAT) {
            outcome.flat_contacts++;
            outcome.flat_depth = fmax(outcome.flat_depth, -contacts.contacts[i].gap);
        }
    }
    outcome.contacts = contacts.count;
    outcome.depth = contacts.max_depth;
    outcome.counters = contacts.counters;
    return outcome;
}

static struct outcome look_at(dent_context *context, const struct box_case *test, int kind, bool surface_only)
{
    struct stage stage = make_stage(context, test, kind);
    struct outcome outcome = look(stage.world, surface_only);
    free_stage(&stage);
    return outcome;
}

/* Overlapping: a depth. Not overlapping: none. And a flat one is the shortest way out. */
static void judge(const struct box_case *test, const struct outcome *outcome)
{
    double truth = truth_of(test);
    assert_int_equal(outcome->penetrates, truth > 0);
    assert_int_equal(outcome->depth > 0, truth > 0);
    assert_int_equal(outcome->counters.overlaps_without_depth, 0);
    assert_int_equal(outcome->counters.flat_overlaps > 0, outcome->flat_contacts > 0);
    if (outcome->flat_contacts > 0) {
        if (fabs(outcome->flat_depth - truth) > 1e-12) {
            fail_msg("offset %g %g %g, cells %u %u: depth %g, truth %g", test->offset[0], test->offset[1],
                     test->offset[2], test->cells_a[0], test->cells_b[0], outcome->flat_depth, truth);
        }
    }
}

static void boxes_on_a_lattice_have_a_depth_iff_they_overlap(void **state)
{
    (void)state;
    dent_context *context = block_context(1, DENT_ISA_AUTO);
    uint64_t tried = 0, flat = 0;
    uint32_t stride = getenv("DENT_QUICK_TESTS") ? 47 : getenv("DENT_LONG_TESTS") ? 1 : 5;
    for (uint32_t number = 0; number < 3 * 3 * 7 * 7 * 7; number += stride) {
        uint32_t size_a = 1 + number % 3, size_b = 1 + number / 3 % 3, code = number / 9;
        struct box_case test;
        for (int axis = 0; axis < 3; axis++, code /= 7) {
            test.cells_a[axis] = size_a;
            test.cells_b[axis] = size_b;
            test.edge_a[axis] = test.edge_b[axis] = 1;
            test.offset[axis] = 0.5 * ((double)(code % 7) - 3);
        }
        for (int kind = 0; kind < KINDS; kind++) {
            struct outcome outcome = look_at(context, &test, kind, number % 2);
            judge(&test, &outcome);
            tried++;
            flat += outcome.flat_contacts > 0;
        }
    }
    printf("%llu pairs, %llu with a flat overlap, all with a depth\n", (unsigned long long)tried,
           (unsigned long long)flat);
    assert_true(flat > 0 || stride > 5); /* few of the quick ones */
    dent_context_destroy(context);
}

/* ---- by name ----------------------------------------------------------------------------------------------------- */

static void equal_cubes_half_an_edge_apart_part_by_half_an_edge(void **state)
{
    (void)state;
    dent_context *context = block_context(1, DENT_ISA_AUTO);
    for (uint32_t axes = 1; axes < 8; axes++) {
        for (uint32_t cells = 1; cells <= 4; cells++) {
            struct box_case test;
            for (int axis = 0; axis < 3; axis++) {
                test.cells_a[axis] = test.cells_b[axis] = cells;
                test.edge_a[axis] = test.edge_b[axis] = 0.25 / cells;
                test.offset[axis] = axes >> axis & 1 ? 0.125 : 0;
            }
            for (int kind = 0; kind < KINDS; kind++) {
                struct outcome outcome = look_at(context, &test, kind, false);
                judge(&test, &outcome);
                assert_true(outcome.depth >= 0.125 - 1e-12);
            }
        }
    }
    dent_context_destroy(context);
}

static void identical_copies_part_by_their_width(void **state)
{
    (void)state;
    dent_context *context = block_context(1, DENT_ISA_AUTO);
    for (uint32_t cells = 1; cells <= 3; cells++) {
        struct box_case test = {{cells, cells, cells}, {cells, cells, cells}, {1, 1, 0.5}, {1, 1, 0.5}, {0, 0, 0}};
        for (int kind = 0; kind < KINDS; kind++) {
            struct outcome outcome = look_at(context, &test, kind, false);
            assert_true(outcome.penetrates && outcome.depth > 0);
            judge(&test, &outcome);
        }
    }
    dent_context_destroy(context);
}

/* A small box in a large one, in each of its 27 lattice places: inside, at a wall, in an edge, in a corner. */
static void a_box_inside_another_that_touches_from_within_has_a_depth(void **state)
{
    (void)state;
    dent_context *context = block_context(1, DENT_ISA_AUTO);
    for (int place = 0; place < 27; place++) {
        for (uint32_t cells = 1; cells <= 3; cells += 2) {
            struct box_case test = {{cells, cells, cells}, {1, 1, 1}, {0, 0, 0}, {1, 1, 1}, {0, 0, 0}};
            int code = place;
            for (int axis = 0; axis < 3; axis++, code /= 3) {
                test.edge_a[axis] = 3.0 / cells;
                test.offset[axis] = code % 3;
            }
            for (int kind = 0; kind < KINDS; kind++) {
                struct outcome outcome = look_at(context, &test, kind, false);
                assert_true(outcome.penetrates);
                assert_true(outcome.depth > 0);
                assert_int_equal(outcome.counters.overlaps_without_depth, 0);
                assert_int_equal(outcome.counters.undecided_vertices, 0);
            }
        }
    }
    dent_context_destroy(context);
}

/* No vertex of either is near: edges meet edges. */
static void bars_across_one_another_in_common_planes_have_a_depth(void **state)
{
    (void)state;
    dent_context *context = block_context(1, DENT_ISA_AUTO);
    static const uint32_t counts[3] = {1, 2, 4};
    for (int i = 0; i < 9; i++) {
        struct box_case test = {{counts[i % 3], 1, 1}, {1, counts[i / 3], 1}, {0}, {0}, {1.5, -1.5, 0}};
        for (int axis = 0; axis < 3; axis++) {
            test.edge_a[axis] = axis == 0 ? 4.0 / counts[i % 3] : 1;
            test.edge_b[axis] = axis == 1 ? 4.0 / counts[i / 3] : 1;
        }
        for (int kind = 0; kind < KINDS; kind++) {
            struct outcome outcome = look_at(context, &test, kind, false);
            assert_true(outcome.penetrates);
            assert_true(outcome.depth > 0);
        }
    }
    dent_context_destroy(context);
}

static void what_only_touches_has_no_depth(void **state)
{
    (void)state;
    dent_context *context = block_context(1, DENT_ISA_AUTO);
    static const double offsets[][3] = {{1, 0, 0}, {0, 1, 0.5}, {0.5, 0.5, 1}, {1, 1, 0}, {1, 1, 1}, {-1, 0.5, 0.25}};
    for (size_t i = 0; i < sizeof offsets / sizeof *offsets; i++) {
        struct box_case test = {
            {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {offsets[i][0], offsets[i][1], offsets[i][2]}};
        for (int kind = 0; kind < KINDS; kind++) {
            struct outcome outcome = look_at(context, &test, kind, false);
            judge(&test, &outcome);
            assert_int_equal(outcome.counters.flat_overlaps, 0);
        }
    }
    dent_context_destroy(context);
}

/* A cell of a block on a lattice, and the hole it came from: all of it touches, nothing overlaps. */
static void a_plug_in_its_hole_only_touches(void **state)
{
    (void)state;
    dent_context *context = block_context(1, DENT_ISA_AUTO);
    struct block ring = block_make(3, 3, 3), plug = block_make(1, 1, 1);
    uint32_t kept = 0;
    for (uint32_t cell = 0; cell < ring.element_count; cell++) {
        if (cell / 6 != 13) { /* the cube in the middle */
            memmove(ring.corners + 4 * (size_t)kept++, ring.corners + 4 * (size_t)cell, 4 * sizeof *ring.corners);
        }
    }
    ring.element_count = kept;
    block_move(&plug, 1, 1, 1);
    for (int kind = 0; kind < KINDS; kind++) {
        struct block a = plug, b = ring;
        if (kind == SURFACE_IN_SOLID || kind == SURFACES) {
            a = block_surface(context, &plug);
        }
        if (kind == SOLID_IN_SURFACE || kind == SURFACES) {
            b = block_surface(context, &ring);
        }
        dent_world *world = dent_world_create(context);
        block_add(world, &a);
        block_add(world, &b);
        struct outcome outcome = look(world, false);
        assert_false(outcome.penetrates);
        assert_true(outcome.depth == 0 && outcome.counters.flat_overlaps == 0);
        dent_world_destroy(world);
        if (a.surface) {
            block_free(&a);
        }
        if (b.surface) {
            block_free(&b);
        }
    }
    block_free(&ring);
    block_free(&plug);
    dent_context_destroy(context);
}

/* Threads, methods and instruction sets change no bit; without crossings the pair is counted, not dropped. */
static void flat_overlaps_are_the_same_everywhere_and_counted_where_they_are_not_wanted(void **state)
{
    (void)state;
    uint64_t first = 0;
    const struct box_case test = {{2, 2, 2}, {2, 2, 2}, {1, 1, 1}, {1, 1, 1}, {1, 0, 0}};
    const struct box_case cross = {{1, 1, 1}, {1, 1, 1}, {4, 1, 1}, {1, 4, 1}, {1.5, -1.5, 0}};
    for (uint32_t threads = 1; threads <= 3; threads++) {
        dent_context *context = block_context(threads, threads == 2 ? DENT_ISA_SCALAR : DENT_ISA_AUTO);
        struct stage stage = make_stage(context, &test, SOLIDS);
        dent_contacts_def def = dent_contacts_def_default();
        dent_contacts contacts;
        assert_int_equal(dent_world_find_contacts(stage.world, &def, &contacts), DENT_OK);
        uint64_t hash = 1469598103934665603u;
        for (uint64_t i = 0; i < contacts.count; i++) {
            uint64_t words[4] = {contacts.contacts[i].key, 0, 0, 0};
            memcpy(&words[1], &contacts.contacts[i].gap, 8);
            memcpy(&words[2], contacts.contacts[i].normal, 16);
            for (int k = 0; k < 4; k++) {
                hash = (hash ^ words[k]) * 1099511628211u;
            }
        }
        assert_true(contacts.count > 0 && (first == 0 || hash == first));
        first = hash;
        free_stage(&stage);
        stage = make_stage(context, &cross, SOLIDS);
        def.crossings = false;
        assert_int_equal(dent_world_find_contacts(stage.world, &def, &contacts), DENT_OK);
        assert_int_equal(contacts.counters.overlaps_without_depth + contacts.counters.flat_overlaps, 1);
        free_stage(&stage);
        dent_context_destroy(context);
    }
}

static void a_failing_allocation_leaves_nothing_behind(void **state)
{
    (void)state;
    static const struct box_case tests[] = {{{1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {0.5, 0, 0}},
                                            {{1, 1, 1}, {1, 1, 1}, {3, 3, 3}, {1, 1, 1}, {1, 1, 2}}};
    for (int number = 0; number < 2 * KINDS; number++) {
        bool done = false;
        for (uint64_t n = 1; !done; n++) {
            struct failing_allocator memory = failing_allocator_make();
            dent_context_def def = dent_context_def_default();
            def.thread_count = 1;
            def.allocator = failing_allocator_hook(&memory);
            dent_context *context = dent_context_create(&def, NULL);
            struct stage stage = make_stage(context, &tests[number % 2], number / 2);
            dent_contacts_def ask = dent_contacts_def_default();
            dent_contacts contacts;
            memory.requests = 0;
            memory.fail_at = n;
            done = dent_world_find_contacts(stage.world, &ask, &contacts) == DENT_OK;
            memory.fail_at = 0;
            assert_int_equal(dent_world_find_contacts(stage.world, &ask, &contacts), DENT_OK);
            assert_true(contacts.max_depth > 0);
            free_stage(&stage);
            dent_context_destroy(context);
            assert_true(failing_allocator_clean(&memory));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_on_a_lattice_have_a_depth_iff_they_overlap),
        cmocka_unit_test(equal_cubes_half_an_edge_apart_part_by_half_an_edge),
        cmocka_unit_test(identical_copies_part_by_their_width),
        cmocka_unit_test(a_box_inside_another_that_touches_from_within_has_a_depth),
        cmocka_unit_test(bars_across_one_another_in_common_planes_have_a_depth),
        cmocka_unit_test(what_only_touches_has_no_depth),
        cmocka_unit_test(a_plug_in_its_hole_only_touches),
        cmocka_unit_test(flat_overlaps_are_the_same_everywhere_and_counted_where_they_are_not_wanted),
        cmocka_unit_test(a_failing_allocation_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
