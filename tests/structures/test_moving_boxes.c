/* Boxes of features that move: on every instruction set those of plain loops, and compared as plain loops do it; numbers
 * on a lattice, so that boxes often touch. */
#include "support/cmocka_includes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "structures/surface/kernels/moving_boxes.h"

static const dent_isa isas[] = {DENT_ISA_SCALAR, DENT_ISA_AVX2, DENT_ISA_AVX512};

struct moving_case {
    _Alignas(64) struct leaf_points start, end;
    _Alignas(64) uint8_t corners[3][LEAF_FACES], edge_ends[2][MOVING_EDGES];
    struct moving_leaf_shape shape;
    float grow[2];
};

static void make_case(dent_random *random, struct moving_case *made)
{
    memset(made, 0, sizeof *made);
    for (int k = 0; k < 3 * LEAF_VERTICES; k++) {
        made->start.x[k / LEAF_VERTICES][k % LEAF_VERTICES] = (float)dent_random_below(random, 17) / 8 - 1;
        made->end.x[k / LEAF_VERTICES][k % LEAF_VERTICES] = (float)dent_random_below(random, 17) / 8 - 1;
    }
    for (int k = 0; k < 3 * LEAF_FACES; k++) {
        made->corners[k / LEAF_FACES][k % LEAF_FACES] = (uint8_t)dent_random_below(random, LEAF_VERTICES);
    }
    for (int k = 0; k < 2 * MOVING_EDGES; k++) {
        made->edge_ends[k / MOVING_EDGES][k % MOVING_EDGES] = (uint8_t)dent_random_below(random, LEAF_VERTICES);
    }
    made->shape = (struct moving_leaf_shape){
        (const uint8_t(*)[LEAF_FACES])made->corners, (const uint8_t(*)[MOVING_EDGES])made->edge_ends,
        1 + dent_random_below(random, LEAF_FACES), 1 + dent_random_below(random, MOVING_EDGES)};
    made->grow[0] = (float)dent_random_below(random, 3) * 0.125f;
    made->grow[1] = (float)dent_random_below(random, 3) * 0.125f;
}

/* The box of some vertices on one axis at one end of the step is stored at `slot` of rows that are `stride` long. */
static void plain_box(const float *x, const uint8_t *const vertices[3], uint32_t corner_count, uint32_t feature,
                      float grow, float *low_row, float *high_row, uint32_t slot)
{
    float low = INFINITY, high = -INFINITY;
    for (uint32_t k = 0; k < corner_count; k++) {
        float at = x[vertices[k][feature]];
        low = fminf(low, at - grow);
        high = fmaxf(high, at + grow);
    }
    low_row[slot] = low;
    high_row[slot] = high;
}

static void plain_bound(const struct moving_case *from, struct moving_leaf_boxes *boxes)
{
    static const uint8_t every[LEAF_VERTICES] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    const uint8_t *const own[3] = {every}, *const faces[3] = {from->corners[0], from->corners[1], from->corners[2]};
    const uint8_t *const edges[3] = {from->edge_ends[0], from->edge_ends[1]};
    for (uint32_t axis = 0; axis < 6; axis++) {
        uint32_t low = axis < 3 ? axis : axis + 3, high = low + 3;
        const float *x = axis < 3 ? from->start.x[axis] : from->end.x[axis - 3];
        float grow = from->grow[axis / 3];
        for (uint32_t i = 0; i < MOVING_EDGES; i++) {
            if (i < LEAF_VERTICES) {
                plain_box(x, own, 1, i, grow, boxes->vertices[low], boxes->vertices[high], i);
                plain_box(x, faces, i < from->shape.face_count ? 3 : 0, i, grow, boxes->faces[low], boxes->faces[high],
                          i);
                plain_box(x, own, 0, i, grow, boxes->whole[low], boxes->whole[high], i);
            }
            plain_box(x, edges, i < from->shape.edge_count ? 2 : 0, i, grow, boxes->edges[low], boxes->edges[high], i);
        }
        for (uint32_t i = 0; i < LEAF_VERTICES; i++) {
            boxes->whole[low][0] = fminf(boxes->whole[low][0], boxes->vertices[low][i]);
            boxes->whole[high][0] = fmaxf(boxes->whole[high][0], boxes->vertices[high][i]);
        }
    }
}

static bool plain_meet(const struct moving_boxes *a, uint32_t i, const struct moving_boxes *b, uint32_t j)
{
    const float *x = a->rows + i, *y = b->rows + j;
    for (uint32_t axis = 0; axis < 3; axis++) {
        bool above = true, below = true;
        for (uint32_t row = axis; row < MOVING_BOX_ROWS; row += 6) {
            above = above && x[row * a->stride] > y[(row + 3) * b->stride];
            below = below && y[row * b->stride] > x[(row + 3) * a->stride];
        }
        if (above || below) {
            return false;
        }
    }
    return true;
}

static uint64_t check_meet(const struct moving_box_kernels *kernels, dent_random *random, const struct moving_boxes *a,
                           const struct moving_boxes *b)
{
    uint64_t wanted = dent_random_bits(random) & ((UINT64_C(1) << a->count) - 1), masks[64], met = 0;
    uint32_t next = 0;
    kernels->meet(a, wanted, b, masks);
    for (uint32_t i = 0; i < a->count; i++) {
        if (!(wanted >> i & 1)) {
            continue;
        }
        for (uint32_t j = 0; j < b->count; j++) {
            assert_int_equal(masks[next] >> j & 1, plain_meet(a, i, b, j));
            met += masks[next] >> j & 1;
        }
        assert_true(masks[next] >> b->count == 0); /* slots behind the last hold empty boxes */
        next++;
    }
    return met;
}

static void every_instruction_set_makes_and_compares_the_boxes_of_plain_loops(void **state)
{
    (void)state;
    int rounds = getenv("DENT_QUICK_TESTS") ? 200 : 3000;
    for (size_t k = 0; k < sizeof isas / sizeof isas[0]; k++) {
        if (!dent_isa_available(isas[k])) {
            print_message("%s is not available here\n", dent_isa_name(isas[k]));
            continue;
        }
        const struct moving_box_kernels *kernels = moving_box_kernels_for(isas[k]);
        dent_random random = dent_random_seeded(21);
        uint64_t met = 0;
        for (int round = 0; round < rounds; round++) {
            static struct moving_case cases[2];
            static struct moving_leaf_boxes got[2], expected[2];
            for (int side = 0; side < 2; side++) {
                struct moving_case *from = &cases[side];
                make_case(&random, from);
                kernels->bound(&from->shape, &from->start, &from->end, from->grow[0], from->grow[1], &got[side]);
                plain_bound(from, &expected[side]);
                assert_memory_equal(&got[side], &expected[side], sizeof got[side]);
            }
            const struct moving_boxes edges_a = {got[0].edges[0], MOVING_EDGES, cases[0].shape.edge_count};
            const struct moving_boxes edges_b = {got[1].edges[0], MOVING_EDGES, cases[1].shape.edge_count};
            const struct moving_boxes vertices = {got[0].vertices[0], LEAF_VERTICES, LEAF_VERTICES};
            const struct moving_boxes faces = {got[1].faces[0], LEAF_FACES, cases[1].shape.face_count};
            met += check_meet(kernels, &random, &edges_a, &edges_b) + check_meet(kernels, &random, &vertices, &faces);
        }
        assert_true(met > (uint64_t)rounds);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_instruction_set_makes_and_compares_the_boxes_of_plain_loops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
