/* Do two convex hulls meet? Exact linear programming in GMP integers: the independent reference of the overlap
 * predicates.
 *
 * A point of a hull is a combination of its corners with weights >= 0 that add up to 1, a point of its relative
 * interior one with all weights > 0, degenerate or not. So: find weights of both with equal sums (phase one), then
 * make the smallest of the weights that must be positive as large as possible (phase two). The simplex method with
 * Bland's rule, the tableau kept in integers with one common denominator (Edmonds, Bareiss). No geometry in it:
 * nothing is shared with the library.
 */
#ifndef DENT_TESTS_GEOMETRY_SIMPLEX_ORACLE_H
#define DENT_TESTS_GEOMETRY_SIMPLEX_ORACLE_H

#include <gmp.h>
#include <stdbool.h>

enum { SIMPLEX_ROWS = 5, SIMPLEX_WEIGHTS_MAX = 8, SIMPLEX_COLUMNS_MAX = SIMPLEX_WEIGHTS_MAX + 2 };

typedef enum hull_meeting { HULLS_APART = 0, HULLS_MEET = 1, HULLS_MEET_STRICTLY = 2 } hull_meeting;

struct simplex {
    mpz_t entry[SIMPLEX_ROWS + 1]
               [SIMPLEX_COLUMNS_MAX]; /* the last row is the objective, the last column the right side */
    mpz_t denominator, product, other;
    int basis[SIMPLEX_ROWS]; /* column, or -1 for an artificial variable */
    bool dropped[SIMPLEX_ROWS];
    int columns; /* without the right side */
};

static inline void simplex_initialise(struct simplex *simplex)
{
    for (int row = 0; row <= SIMPLEX_ROWS; row++) {
        for (int column = 0; column < SIMPLEX_COLUMNS_MAX; column++) {
            mpz_init(simplex->entry[row][column]);
        }
    }
    mpz_inits(simplex->denominator, simplex->product, simplex->other, NULL);
}

static inline void simplex_pivot(struct simplex *simplex, int pivot_row, int pivot_column)
{
    for (int row = 0; row <= SIMPLEX_ROWS; row++) {
        if (row == pivot_row) {
            continue;
        }
        mpz_set(simplex->other, simplex->entry[row][pivot_column]);
        for (int column = 0; column <= simplex->columns; column++) {
            mpz_mul(simplex->product, simplex->entry[row][column], simplex->entry[pivot_row][pivot_column]);
            mpz_submul(simplex->product, simplex->other, simplex->entry[pivot_row][column]);
            mpz_divexact(simplex->entry[row][column], simplex->product, simplex->denominator);
        }
    }
    mpz_set(simplex->denominator, simplex->entry[pivot_row][pivot_column]);
    simplex->basis[pivot_row] = pivot_column;
}

/* One step of Bland's rule; false at the optimum. */
static inline bool simplex_step(struct simplex *simplex)
{
    int column = 0;
    while (column < simplex->columns && mpz_sgn(simplex->entry[SIMPLEX_ROWS][column]) >= 0) {
        column++;
    }
    if (column == simplex->columns) {
        return false;
    }
    int best = -1;
    for (int row = 0; row < SIMPLEX_ROWS; row++) {
        if (simplex->dropped[row] || mpz_sgn(simplex->entry[row][column]) <= 0) {
            continue;
        }
        if (best >= 0) {
            mpz_mul(simplex->product, simplex->entry[row][simplex->columns], simplex->entry[best][column]);
            mpz_mul(simplex->other, simplex->entry[best][simplex->columns], simplex->entry[row][column]);
            int order = mpz_cmp(simplex->product, simplex->other);
            if (order > 0 || (order == 0 && simplex->basis[row] > simplex->basis[best])) {
                continue;
            }
        }
        best = row;
    }
    simplex_pivot(simplex, best, column); /* weights are at most 1: there always is a row */
    return true;
}

/* Artificial variables that are left in the basis, at zero, are exchanged for real ones; rows of zeros are
 * redundant. */
static inline void simplex_drop_artificials(struct simplex *simplex)
{
    for (int row = 0; row < SIMPLEX_ROWS; row++) {
        if (simplex->basis[row] >= 0) {
            continue;
        }
        int column = 0;
        while (column < simplex->columns && mpz_sgn(simplex->entry[row][column]) == 0) {
            column++;
        }
        if (column == simplex->columns) {
            simplex->dropped[row] = true;
            continue;
        }
        if (mpz_sgn(simplex->entry[row][column]) < 0) {
            for (int k = 0; k <= simplex->columns; k++) {
                mpz_neg(simplex->entry[row][k], simplex->entry[row][k]);
            }
        }
        simplex_pivot(simplex, row, column);
    }
}

static inline void simplex_set_up(struct simplex *simplex, mpz_t (*const a[])[3], int a_count, bool a_strict,
                                  mpz_t (*const b[])[3], int b_count, bool b_strict)
{
    int weights = a_count + b_count, slack = weights;
    simplex->columns = weights + 1;
    for (int row = 0; row < SIMPLEX_ROWS; row++) {
        simplex->basis[row] = -1;
        simplex->dropped[row] = false;
        mpz_set_ui(simplex->entry[row][slack], 0);
        for (int column = 0; column < weights; column++) {
            bool of_a = column < a_count;
            if (row < 3) {
                if (of_a) {
                    mpz_set(simplex->entry[row][column], (*a[column])[row]);
                } else {
                    mpz_neg(simplex->entry[row][column], (*b[column - a_count])[row]);
                }
            } else {
                mpz_set_ui(simplex->entry[row][column], of_a == (row == 3));
            }
            if (of_a ? a_strict : b_strict) { /* weight = the common smallest weight + its own rest */
                mpz_add(simplex->entry[row][slack], simplex->entry[row][slack], simplex->entry[row][column]);
            }
        }
        mpz_set_ui(simplex->entry[row][simplex->columns], row >= 3);
    }
    mpz_set_ui(simplex->denominator, 1);
    for (int column = 0; column <= simplex->columns; column++) { /* minimise the sum of the artificial variables */
        mpz_set_ui(simplex->entry[SIMPLEX_ROWS][column], 0);
        for (int row = 0; row < SIMPLEX_ROWS; row++) {
            mpz_sub(simplex->entry[SIMPLEX_ROWS][column], simplex->entry[SIMPLEX_ROWS][column],
                    simplex->entry[row][column]);
        }
    }
}

/* a and b are arrays of pointers to points. STRICTLY: with points of the relative interior where asked. */
static inline hull_meeting hulls_meeting(struct simplex *simplex, mpz_t (*const a[])[3], int a_count, bool a_strict,
                                         mpz_t (*const b[])[3], int b_count, bool b_strict)
{
    simplex_set_up(simplex, a, a_count, a_strict, b, b_count, b_strict);
    while (simplex_step(simplex)) {
    }
    if (mpz_sgn(simplex->entry[SIMPLEX_ROWS][simplex->columns]) != 0) {
        return HULLS_APART;
    }
    if (!a_strict && !b_strict) {
        return HULLS_MEET;
    }
    simplex_drop_artificials(simplex);
    int slack = simplex->columns - 1;
    for (int column = 0; column <= simplex->columns; column++) { /* minimise minus the smallest weight */
        mpz_set_ui(simplex->entry[SIMPLEX_ROWS][column], 0);
    }
    mpz_neg(simplex->entry[SIMPLEX_ROWS][slack], simplex->denominator);
    for (int row = 0; row < SIMPLEX_ROWS; row++) {
        for (int column = 0; column <= simplex->columns && simplex->basis[row] == slack; column++) {
            mpz_add(simplex->entry[SIMPLEX_ROWS][column], simplex->entry[SIMPLEX_ROWS][column],
                    simplex->entry[row][column]);
        }
    }
    do {
        for (int row = 0; row < SIMPLEX_ROWS; row++) {
            if (simplex->basis[row] == slack && mpz_sgn(simplex->entry[row][simplex->columns]) > 0) {
                return HULLS_MEET_STRICTLY;
            }
        }
    } while (simplex_step(simplex));
    return HULLS_MEET;
}

#endif
