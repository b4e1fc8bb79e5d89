/* The adaptive wisp tree: the invariants of its active set under random motion, momentum, a split that is undone, no
 * flicker, and its segments as strands. */
#include "support/cmocka_includes.h"

#include "support/failing_allocator.h"
#include "support/test_context.h"

#include <dent/hair.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STRANDS = 24, ROWS = 8, VERTICES = STRANDS * ROWS };

struct stage {
    double rest[3 * VERTICES], masses[VERTICES];
    double positions[3 * VERTICES], velocities[3 * VERTICES], accelerations[3 * VERTICES];
    dent_wisp_tree_def def;
    dent_wisp_tree *tree;
};

static void stage_open(struct stage *stage, dent_context *context, uint64_t seed)
{
    dent_random random = dent_random_seeded(seed);
    for (uint32_t v = 0; v < VERTICES; v++) {
        double *x = stage->rest + 3 * v;
        for (int axis = 0; axis < 3; axis++) {
            x[axis] = v % ROWS == 0 ? dent_random_unit(&random) : x[axis - 3] + 0.02 * dent_random_unit(&random);
        }
        x[2] = v % ROWS == 0 ? 0 : x[-1] - 0.1;
        stage->masses[v] = 0.5 + dent_random_unit(&random);
    }
    stage->def = dent_wisp_tree_def_default();
    stage->def.strand_count = STRANDS;
    stage->def.row_count = ROWS;
    stage->def.positions = stage->rest;
    stage->def.masses = stage->masses;
    stage->def.strand_radius = 0.01;
    stage->def.split_threshold = 1;
    stage->def.merge_distance = 0.05;
    stage->def.merge_speed = 0.2;
    stage->tree = NULL;
    assert_int_equal(dent_wisp_tree_create(context, &stage->def, &stage->tree), DENT_OK);
}

/* Sums over active nodes. */
static void totals(const dent_wisp_tree *tree, double momentum[3], double weighted[3], double *mass, double *scale)
{
    uint32_t count;
    const dent_wisp_node *nodes = dent_wisp_tree_nodes(tree, &count);
    memset(momentum, 0, 3 * sizeof *momentum);
    memset(weighted, 0, 3 * sizeof *weighted);
    *mass = *scale = 0;
    for (uint32_t i = 0; i < count; i++) {
        *mass += nodes[i].mass;
        for (int axis = 0; axis < 3; axis++) {
            momentum[axis] += nodes[i].mass * nodes[i].velocity[axis];
            weighted[axis] += nodes[i].mass * nodes[i].position[axis];
            *scale += nodes[i].mass * (fabs(nodes[i].velocity[axis]) + fabs(nodes[i].position[axis]));
        }
    }
}

/* Every strand once in every row; parents in the row before; the cut refines towards the tips. */
static void check_active_set(const struct stage *stage)
{
    uint32_t count, strands[ROWS] = {0}, nodes_in_row[ROWS] = {0};
    const dent_wisp_node *nodes = dent_wisp_tree_nodes(stage->tree, &count);
    uint32_t *carried = calloc(count, sizeof *carried);
    for (uint32_t i = 0; i < count; i++) {
        strands[nodes[i].row] += nodes[i].strand_count;
        nodes_in_row[nodes[i].row]++;
        if (nodes[i].row == 0) {
            assert_int_equal(nodes[i].parent, UINT32_MAX);
        } else {
            assert_true(nodes[i].parent < i && nodes[nodes[i].parent].row == nodes[i].row - 1);
            assert_true(nodes[i].level >= nodes[nodes[i].parent].level);
            carried[nodes[i].parent] += nodes[i].strand_count;
        }
    }
    for (uint32_t row = 0; row < ROWS; row++) {
        assert_int_equal(strands[row], STRANDS); /* none missing, none active at two levels */
        assert_true(row == 0 || nodes_in_row[row] >= nodes_in_row[row - 1]);
    }
    for (uint32_t i = 0; i < count; i++) { /* a tree: the strands of a node are those of its successors */
        assert_true(nodes[i].row == ROWS - 1 || carried[i] == nodes[i].strand_count);
    }
    free(carried);
}

static void copy_state(struct stage *stage)
{
    uint32_t count;
    const dent_wisp_node *nodes = dent_wisp_tree_nodes(stage->tree, &count);
    for (uint32_t i = 0; i < count; i++) {
        memcpy(stage->positions + 3 * i, nodes[i].position, sizeof nodes[i].position);
        memcpy(stage->velocities + 3 * i, nodes[i].velocity, sizeof nodes[i].velocity);
    }
}

static void the_active_set_stays_a_tree_and_momentum_is_kept(void **state)
{
    uint64_t splits = 0, merges = 0;
    double worst = 0;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct stage stage;
        dent_random random = dent_random_seeded(100 + seed);
        stage_open(&stage, *state, seed);
        for (int step = 0; step < 120; step++) {
            uint32_t count;
            dent_wisp_tree_nodes(stage.tree, &count);
            copy_state(&stage);
            double calm = step < 40 ? 1 : 0.02, place = step % 80 < 40 ? 0.002 : 0;
            for (uint32_t i = 0; i < 3 * count; i++) {
                stage.accelerations[i] = 8 * calm * (dent_random_unit(&random) - 0.5);
                stage.velocities[i] = calm * 0.1 * (dent_random_unit(&random) - 0.5);
                stage.positions[i] += place * (dent_random_unit(&random) - 0.5);
            }
            assert_int_equal(dent_wisp_tree_move(stage.tree, stage.positions, stage.velocities), DENT_OK);
            double before[3], after[3], x_before[3], x_after[3], mass_before, mass_after, scale;
            totals(stage.tree, before, x_before, &mass_before, &scale);
            dent_wisp_report report;
            assert_int_equal(dent_wisp_tree_adapt(stage.tree, stage.accelerations, &report), DENT_OK);
            totals(stage.tree, after, x_after, &mass_after, &scale);
            for (int axis = 0; axis < 3; axis++) {
                worst = fmax(worst, fabs(after[axis] - before[axis]) / scale);
                worst = fmax(worst, fabs(x_after[axis] - x_before[axis]) / scale);
            }
            assert_true(fabs(mass_after - mass_before) <= 1e-12 * mass_before);
            check_active_set(&stage);
            splits += report.splits;
            merges += report.merges;
        }
        dent_wisp_tree_destroy(stage.tree);
    }
    printf("%llu splits, %llu merges; momentum and centre kept to %.2g\n", (unsigned long long)splits,
           (unsigned long long)merges, worst);
    assert_true(splits > 500 && merges > 500 && worst < 1e-14);
}

static void a_split_without_motion_is_undone_by_a_merge(void **state)
{
    struct stage stage;
    stage_open(&stage, *state, 3);
    stage.def.merge_distance = stage.def.merge_speed = 0; /* exact returns only */
    dent_wisp_tree_destroy(stage.tree);
    assert_int_equal(dent_wisp_tree_create(*state, &stage.def, &stage.tree), DENT_OK);
    uint32_t count, again;
    const dent_wisp_node *nodes = dent_wisp_tree_nodes(stage.tree, &count);
    assert_int_equal(count, ROWS);
    dent_wisp_node start[ROWS];
    memcpy(start, nodes, sizeof start);
    for (uint32_t i = 0; i < 3 * VERTICES; i++) {
        stage.accelerations[i] = 100;
    }
    uint32_t most = 0;
    for (int step = 0; step < 60; step++) {
        dent_wisp_report report;
        assert_int_equal(dent_wisp_tree_adapt(stage.tree, step < 20 ? stage.accelerations : NULL, &report), DENT_OK);
        check_active_set(&stage);
        most = report.active > most ? (uint32_t)report.active : most;
    }
    nodes = dent_wisp_tree_nodes(stage.tree, &again);
    assert_true(most > 4 * ROWS);
    assert_int_equal(again, ROWS);
    for (uint32_t i = 0; i < ROWS; i++) {
        for (int axis = 0; axis < 3; axis++) {
            assert_true(fabs(nodes[i].position[axis] - start[i].position[axis]) < 1e-14);
            assert_true(nodes[i].velocity[axis] == start[i].velocity[axis]);
        }
    }
    dent_wisp_tree_destroy(stage.tree);
}

static void wisps_split_from_their_tips_one_row_at_a_time(void **state)
{
    struct stage stage;
    stage_open(&stage, *state, 4);
    for (uint32_t i = 0; i < 3 * VERTICES; i++) {
        stage.accelerations[i] = 100;
    }
    for (uint32_t step = 1; step < ROWS; step++) {
        uint32_t count;
        assert_int_equal(dent_wisp_tree_adapt(stage.tree, stage.accelerations, NULL), DENT_OK);
        const dent_wisp_node *nodes = dent_wisp_tree_nodes(stage.tree, &count);
        for (uint32_t i = 0; i < count; i++) {
            assert_true((nodes[i].level > 0) == (nodes[i].row >= ROWS - step));
        }
    }
    dent_wisp_tree_destroy(stage.tree);
}

/* Between a quarter of the threshold and the threshold nothing changes, in either direction. */
static void hysteresis_prevents_flicker(void **state)
{
    struct stage stage;
    stage_open(&stage, *state, 5);
    for (int part = 0; part < 2; part++) {
        for (int step = 0; step < 50; step++) {
            uint32_t count;
            dent_wisp_report report;
            const dent_wisp_node *nodes = dent_wisp_tree_nodes(stage.tree, &count);
            for (uint32_t i = 0; i < count; i++) {
                /* first strong enough to split the top, then in between for every wisp */
                double wanted = part == 0 && step < 12 && nodes[i].level == 0 ? 2 : 0.6;
                stage.accelerations[3 * i] = wanted / nodes[i].radius;
                stage.accelerations[3 * i + 1] = stage.accelerations[3 * i + 2] = 0;
            }
            assert_int_equal(dent_wisp_tree_adapt(stage.tree, stage.accelerations, &report), DENT_OK);
            assert_true((part == 0 && step < 12) || (report.splits == 0 && report.merges == 0));
        }
    }
    uint32_t count;
    dent_wisp_tree_nodes(stage.tree, &count);
    assert_true(count > ROWS);
    dent_wisp_tree_destroy(stage.tree);
}

static void active_segments_are_strands_of_a_body(void **state)
{
    struct stage stage;
    stage_open(&stage, *state, 6);
    for (uint32_t i = 0; i < 3 * VERTICES; i++) {
        stage.accelerations[i] = 100;
    }
    for (int step = 0; step < 7; step++) {
        uint32_t count, roots = 0, segments = 0;
        dent_wisp_strands strands;
        assert_int_equal(dent_wisp_tree_adapt(stage.tree, stage.accelerations, NULL), DENT_OK);
        assert_int_equal(dent_wisp_tree_strands(stage.tree, &strands), DENT_OK);
        const dent_wisp_node *nodes = dent_wisp_tree_nodes(stage.tree, &count);
        for (uint32_t i = 0; i < count; i++) {
            roots += nodes[i].row == 0;
        }
        assert_int_equal(strands.first[strands.strand_count], strands.vertex_count);
        for (uint32_t s = 0; s < strands.strand_count; s++) {
            assert_true(strands.first[s + 1] >= strands.first[s] + 2);
            for (uint32_t v = strands.first[s]; v + 1 < strands.first[s + 1]; v++, segments++) {
                assert_int_equal(nodes[strands.nodes[v + 1]].parent, strands.nodes[v]);
                assert_memory_equal(strands.positions + 3 * v, nodes[strands.nodes[v]].position, 3 * sizeof(double));
                assert_true(strands.radii[v + 1] == nodes[strands.nodes[v + 1]].radius);
            }
        }
        assert_int_equal(segments, count - roots); /* every node but the roots ends one segment */
    }
    dent_wisp_tree_destroy(stage.tree);
}

static void strands_follow_their_wisps(void **state)
{
    struct stage stage;
    static double shown[3 * VERTICES];
    stage_open(&stage, *state, 7);
    for (int step = 0; step < 12; step++) {
        uint32_t count;
        for (uint32_t i = 0; i < 3 * VERTICES; i++) {
            stage.accelerations[i] = step < 6 ? 100 : 0;
        }
        dent_wisp_tree_interpolate(stage.tree, shown);
        for (uint32_t i = 0; i < 3 * VERTICES; i++) { /* moved as a whole: every strand is in its place */
            assert_true(fabs(shown[i] - (stage.rest[i] + 0.5 * step)) < 1e-12);
        }
        dent_wisp_tree_nodes(stage.tree, &count);
        copy_state(&stage);
        for (uint32_t i = 0; i < 3 * count; i++) {
            stage.positions[i] += 0.5;
        }
        assert_int_equal(dent_wisp_tree_move(stage.tree, stage.positions, stage.velocities), DENT_OK);
        assert_int_equal(dent_wisp_tree_adapt(stage.tree, stage.accelerations, NULL), DENT_OK);
    }
    dent_wisp_tree_destroy(stage.tree);
}

static void bad_input_and_failing_memory_are_survived(void **state)
{
    struct stage stage;
    stage_open(&stage, *state, 8);
    copy_state(&stage);
    stage.positions[4] = NAN;
    assert_int_equal(dent_wisp_tree_move(stage.tree, stage.positions, stage.velocities), DENT_ERROR_BAD_NUMBER);
    stage.accelerations[0] = INFINITY;
    assert_int_equal(dent_wisp_tree_adapt(stage.tree, stage.accelerations, NULL), DENT_ERROR_BAD_NUMBER);
    dent_wisp_tree_destroy(stage.tree);
    struct failing_allocator memory = failing_allocator_make();
    dent_context_def context_def = dent_context_def_default();
    context_def.allocator = failing_allocator_hook(&memory);
    context_def.thread_count = 1;
    dent_context *context = dent_context_create(&context_def, NULL);
    dent_status status = DENT_ERROR_OUT_OF_MEMORY;
    for (uint64_t n = 1; status != DENT_OK && n < 100; n++) {
        dent_wisp_tree *tree = NULL;
        memory.requests = 0;
        memory.fail_at = n;
        status = dent_wisp_tree_create(context, &stage.def, &tree);
        memory.fail_at = 0;
        assert_true((status == DENT_OK) == (tree != NULL));
        if (tree) { /* adapting never allocates */
            memory.requests = 0;
            assert_int_equal(dent_wisp_tree_adapt(tree, NULL, NULL), DENT_OK);
            assert_int_equal(memory.requests, 0);
        }
        dent_wisp_tree_destroy(tree);
    }
    assert_int_equal(status, DENT_OK);
    stage.masses[3] = 0;
    dent_wisp_tree *none = NULL;
    assert_int_equal(dent_wisp_tree_create(context, &stage.def, &none), DENT_ERROR_BAD_NUMBER);
    stage.def.row_count = 1;
    assert_int_equal(dent_wisp_tree_create(context, &stage.def, &none), DENT_ERROR_INVALID_ARGUMENT);
    dent_context_destroy(context);
    assert_true(failing_allocator_clean(&memory));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_active_set_stays_a_tree_and_momentum_is_kept),
        cmocka_unit_test(a_split_without_motion_is_undone_by_a_merge),
        cmocka_unit_test(wisps_split_from_their_tips_one_row_at_a_time),
        cmocka_unit_test(hysteresis_prevents_flicker),
        cmocka_unit_test(active_segments_are_strands_of_a_body),
        cmocka_unit_test(strands_follow_their_wisps),
        cmocka_unit_test(bad_input_and_failing_memory_are_survived),
    };
    return cmocka_run_group_tests(tests, test_open_context_of_one, test_close_context);
}
