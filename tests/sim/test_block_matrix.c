/* Sparse systems of 6 x 6 blocks: solutions against the matrix itself, for chains, grids and dense patterns. */
#include "sim/rigid/block_matrix.h"

#include "support_meshes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double draw(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*seed >> 11) / 9007199254740992.0 - 0.5;
}

/* y = A x from the blocks. */
static void multiply(const struct block_room *room, const struct block_matrix *matrix, const double *x, double *y)
{
    memset(y, 0, 6 * (size_t)matrix->count * sizeof *y);
    for (uint32_t i = 0; i < matrix->count; i++) {
        for (int r = 0; r < 6; r++) {
            for (int c = 0; c < 6; c++) {
                y[6 * i + r] += block_diagonal(room, matrix, i)[6 * r + c] * x[6 * i + c];
            }
        }
    }
    for (uint32_t p = 0; p < matrix->pair_count; p++) {
        uint32_t low = matrix->pairs[p].low, high = matrix->pairs[p].high;
        for (int r = 0; r < 6; r++) {
            for (int c = 0; c < 6; c++) {
                double value = block_off(room, matrix, p)[6 * r + c];
                y[6 * low + r] += value * x[6 * high + c];
                y[6 * high + c] += value * x[6 * low + r];
            }
        }
    }
}

/* A = sum over pairs of a stiff spring between the two, and a light mass each: positive, badly conditioned. */
static void fill(const struct block_room *room, const struct block_matrix *matrix, uint64_t *seed, double stiffness)
{
    block_matrix_clear(room, matrix);
    for (uint32_t i = 0; i < matrix->count; i++) {
        for (int r = 0; r < 6; r++) {
            block_diagonal(room, matrix, i)[7 * r] = 1;
        }
    }
    for (uint32_t p = 0; p < matrix->pair_count; p++) {
        double j[2][6];
        for (int r = 0; r < 6; r++) {
            j[0][r] = draw(seed);
            j[1][r] = draw(seed);
        }
        double *blocks[3] = {block_diagonal(room, matrix, matrix->pairs[p].low), block_off(room, matrix, p),
                             block_diagonal(room, matrix, matrix->pairs[p].high)};
        for (int r = 0; r < 6; r++) {
            for (int c = 0; c < 6; c++) {
                blocks[0][6 * r + c] += stiffness * j[0][r] * j[0][c];
                blocks[1][6 * r + c] += stiffness * j[0][r] * j[1][c];
                blocks[2][6 * r + c] += stiffness * j[1][r] * j[1][c];
            }
        }
    }
}

static void check(const struct block_pair *pairs, uint32_t pair_count, uint32_t count, double stiffness, bool complete)
{
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    struct block_room room = {0};
    struct block_matrix matrix;
    uint64_t seed = 11;
    assert_int_equal(block_matrix_plan(context, &room, pairs, pair_count, count, &matrix), DENT_OK);
    assert_int_equal(matrix.complete, complete);
    double *b = malloc(6 * (size_t)count * sizeof *b), *x = malloc(6 * (size_t)count * sizeof *x),
           *y = malloc(6 * (size_t)count * sizeof *y);
    for (int pass = 0; pass < 2; pass++) { /* the second with the factor of the first */
        fill(&room, &matrix, &seed, stiffness * (1 + 1e-3 * pass));
        double error = 0, size = 0;
        for (uint32_t n = 0; n < 6 * count; n++) {
            b[n] = draw(&seed);
        }
        uint32_t iterations = block_matrix_solve(&room, &matrix, b, x);
        multiply(&room, &matrix, x, y);
        for (uint32_t n = 0; n < 6 * count; n++) {
            error += (y[n] - b[n]) * (y[n] - b[n]);
            size += b[n] * b[n];
        }
        print_message("%u rows, %u pairs, fill %llu: %u iterations, residual %.3g\n", count, pair_count,
                      (unsigned long long)matrix.fill, iterations, sqrt(error / size));
        assert_true(sqrt(error / size) < 1e-5);
        assert_true(!complete || pass > 0 || iterations <= 3);
    }
    free(b);
    free(x);
    free(y);
    block_room_release(context, &room);
    dent_context_destroy(context);
}

static void a_chain_has_no_more_fill_than_a_chain(void **state)
{
    (void)state;
    struct block_pair pairs[99];
    for (uint32_t n = 0; n < 99; n++) {
        pairs[n] = (struct block_pair){n, n + 1};
    }
    check(pairs, 99, 100, 1e6, true);
    check(pairs, 0, 1, 1, true);
}

static uint32_t grid(uint32_t side, struct block_pair *pairs)
{
    uint32_t count = 0;
    for (uint32_t n = 0; n < side * side * side; n++) {
        const uint32_t steps[3] = {1, side, side * side};
        const bool inside[3] = {n % side + 1 < side, n / side % side + 1 < side, n / side / side + 1 < side};
        for (int k = 0; k < 3; k++) {
            if (inside[k]) {
                pairs[count++] = (struct block_pair){n, n + steps[k]};
            }
        }
    }
    return count;
}

static void a_pile_of_a_thousand_is_solved(void **state)
{
    (void)state;
    static struct block_pair pairs[3000];
    check(pairs, grid(6, pairs), 216, 1e4, true);
    check(pairs, grid(10, pairs), 1000, 1e3, true);
}

static void a_system_too_large_for_a_factor_is_solved_by_an_incomplete_one(void **state)
{
    (void)state;
    struct block_pair *pairs = malloc(20000 * sizeof *pairs);
    check(pairs, grid(17, pairs), 17 * 17 * 17, 10, false);
    free(pairs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chain_has_no_more_fill_than_a_chain),
        cmocka_unit_test(a_pile_of_a_thousand_is_solved),
        cmocka_unit_test(a_system_too_large_for_a_factor_is_solved_by_an_incomplete_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
