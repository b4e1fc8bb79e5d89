/* The exact constraint solver against all active sets: for every subset of the rows the equations are solved and the
 * conditions of Karush, Kuhn and Tucker are checked, in long doubles and with no code of the library. */
#include "support/test_context.h"

#include <dent/constraints.h>

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ROWS = 12, SIZE = 12 };

struct random_problem {
    uint32_t rows, size, blocks;
    dent_constraint_block block[2];
    double metric[2][64];
    double mass[SIZE][SIZE]; /* the whole metric, for the oracle */
    double jacobian[ROWS][SIZE], target[ROWS], free_motion[SIZE];
    dent_constraint_part parts[ROWS][2];
    dent_constraint_row row[ROWS];
};

static double signed_unit(dent_random *random)
{
    return 2 * dent_random_unit(random) - 1;
}

/* A mass matrix with a random orientation and masses from 0.1 to 10. */
static void random_mass(dent_random *random, uint32_t n, double *matrix)
{
    double base[8][8] = {{0}};
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t j = 0; j < n; j++) {
            base[i][j] = signed_unit(random);
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t j = 0; j < n; j++) {
            double sum = i == j ? 0.3 : 0;
            for (uint32_t k = 0; k < n; k++) {
                sum += base[i][k] * base[j][k];
            }
            matrix[i * n + j] = sum;
        }
    }
}

static void invert3(const double m[9], double out[9])
{
    double c[9] = {m[4] * m[8] - m[5] * m[7], m[2] * m[7] - m[1] * m[8], m[1] * m[5] - m[2] * m[4],
                   m[5] * m[6] - m[3] * m[8], m[0] * m[8] - m[2] * m[6], m[2] * m[3] - m[0] * m[5],
                   m[3] * m[7] - m[4] * m[6], m[1] * m[6] - m[0] * m[7], m[0] * m[4] - m[1] * m[3]};
    double d = m[0] * c[0] + m[1] * c[3] + m[2] * c[6];
    for (int i = 0; i < 9; i++) {
        out[i] = c[i] / d;
    }
}

static void random_block(struct random_problem *p, uint32_t b, uint32_t first, dent_random *random)
{
    dent_constraint_block *block = &p->block[b];
    block->kind = (dent_metric_kind)dent_random_below(random, DENT_METRIC_KIND_COUNT);
    block->size = block->kind == DENT_METRIC_RIGID ? 6 : 1 + dent_random_below(random, 6);
    block->metric = p->metric[b];
    uint32_t n = block->size;
    double *metric = p->metric[b];
    if (block->kind == DENT_METRIC_RIGID) {
        double inertia[9];
        random_mass(random, 3, inertia);
        metric[0] = 0.1 + 3 * dent_random_unit(random);
        invert3(inertia, metric + 1);
        for (uint32_t i = 0; i < 3; i++) {
            p->mass[first + i][first + i] = 1 / metric[0];
            for (uint32_t j = 0; j < 3; j++) {
                p->mass[first + 3 + i][first + 3 + j] = inertia[3 * i + j];
            }
        }
    } else if (block->kind == DENT_METRIC_MASS_MATRIX) {
        random_mass(random, n, metric);
        for (uint32_t i = 0; i < n * n; i++) {
            p->mass[first + i / n][first + i % n] = metric[i];
        }
    } else {
        for (uint32_t i = 0; i < n; i++) {
            metric[i] = 0.1 + 3 * dent_random_unit(random);
            p->mass[first + i][first + i] = block->kind == DENT_METRIC_IDENTITY ? 1 : 1 / metric[i];
        }
    }
}

static void random_rows(struct random_problem *p, dent_random *random)
{
    for (uint32_t c = 0; c < p->rows; c++) {
        p->row[c] = dent_constraint_row_default();
        p->row[c].key = c;
        for (uint32_t i = 0; i < p->size; i++) {
            p->jacobian[c][i] = signed_unit(random);
        }
        /* now and then a copy of an earlier row, or nearly one */
        if (c > 0 && dent_random_below(random, 5) == 0) {
            uint32_t from = dent_random_below(random, c);
            double noise = dent_random_below(random, 2) ? 0 : 1e-3;
            for (uint32_t i = 0; i < p->size; i++) {
                p->jacobian[c][i] = p->jacobian[from][i] + noise * signed_unit(random);
            }
        }
        p->target[c] = dent_random_below(random, 4) ? signed_unit(random) : 0;
        p->row[c].target = p->target[c];
        p->row[c].parts = p->parts[c];
        p->row[c].part_count = p->blocks;
        for (uint32_t b = 0, first = 0; b < p->blocks; first += p->block[b++].size) {
            p->parts[c][b] = (dent_constraint_part){b, p->jacobian[c] + first};
        }
    }
}

static void make_problem(struct random_problem *p, dent_random *random)
{
    memset(p, 0, sizeof *p);
    p->rows = 1 + dent_random_below(random, ROWS);
    p->blocks = 1 + dent_random_below(random, 2);
    for (uint32_t b = 0; b < p->blocks; b++) {
        random_block(p, b, p->size, random);
        p->size += p->block[b].size;
    }
    for (uint32_t i = 0; i < p->size; i++) {
        p->free_motion[i] = signed_unit(random);
    }
    random_rows(p, random);
}

/* ---- oracle -------------------------------------------------------------------------------------------------------- */

/* Gaussian elimination with pivots; false: singular. */
static bool solve_long(long double *a, long double *b, uint32_t n, uint32_t columns)
{
    long double most = 0;
    for (uint32_t k = 0; k < n; k++) {
        uint32_t pivot = k;
        for (uint32_t i = k + 1; i < n; i++) {
            pivot = fabsl(a[i * n + k]) > fabsl(a[pivot * n + k]) ? i : pivot;
        }
        long double size = fabsl(a[pivot * n + k]);
        most = size > most ? size : most;
        if (!(size > 1e-14L * most)) {
            return false;
        }
        for (uint32_t j = 0; j < n && pivot != k; j++) {
            long double spare = a[k * n + j];
            a[k * n + j] = a[pivot * n + j];
            a[pivot * n + j] = spare;
        }
        for (uint32_t j = 0; j < columns && pivot != k; j++) {
            long double spare = b[k * columns + j];
            b[k * columns + j] = b[pivot * columns + j];
            b[pivot * columns + j] = spare;
        }
        for (uint32_t i = k + 1; i < n; i++) {
            long double factor = a[i * n + k] / a[k * n + k];
            for (uint32_t j = k; j < n; j++) {
                a[i * n + j] -= factor * a[k * n + j];
            }
            for (uint32_t j = 0; j < columns; j++) {
                b[i * columns + j] -= factor * b[k * columns + j];
            }
        }
    }
    for (uint32_t k = n; k-- > 0;) {
        for (uint32_t j = 0; j < columns; j++) {
            for (uint32_t i = k + 1; i < n; i++) {
                b[k * columns + j] -= a[k * n + i] * b[i * columns + j];
            }
            b[k * columns + j] /= a[k * n + k];
        }
    }
    return true;
}

struct oracle {
    long double response[SIZE][ROWS]; /* M^-1 J' */
    long double delassus[ROWS][ROWS];
    long double need[ROWS]; /* b - J u */
};

static bool begin_oracle(const struct random_problem *p, struct oracle *oracle)
{
    long double mass[SIZE * SIZE], right[SIZE * ROWS];
    for (uint32_t i = 0; i < p->size; i++) {
        for (uint32_t j = 0; j < p->size; j++) {
            mass[i * p->size + j] = p->mass[i][j];
        }
        for (uint32_t c = 0; c < p->rows; c++) {
            right[i * p->rows + c] = p->jacobian[c][i];
        }
    }
    if (!solve_long(mass, right, p->size, p->rows)) {
        return false;
    }
    for (uint32_t c = 0; c < p->rows; c++) {
        oracle->need[c] = p->target[c];
        for (uint32_t i = 0; i < p->size; i++) {
            oracle->response[i][c] = right[i * p->rows + c];
            oracle->need[c] -= (long double)p->jacobian[c][i] * p->free_motion[i];
        }
    }
    for (uint32_t c = 0; c < p->rows; c++) {
        for (uint32_t d = 0; d < p->rows; d++) {
            oracle->delassus[c][d] = 0;
            for (uint32_t i = 0; i < p->size; i++) {
                oracle->delassus[c][d] += p->jacobian[c][i] * oracle->response[i][d];
            }
        }
    }
    return true;
}

/* Condition of the active columns with unit length: the root of that of their products, in the 1-norm. */
static double condition_of(const struct random_problem *p, const struct oracle *oracle, uint32_t set)
{
    long double a[ROWS * ROWS], inverse[ROWS * ROWS], norm = 0, inverse_norm = 0;
    uint32_t member[ROWS], n = 0;
    for (uint32_t c = 0; c < p->rows; c++) {
        if (set >> c & 1) {
            member[n++] = c;
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        long double sum = 0;
        for (uint32_t j = 0; j < n; j++) {
            const long double *d = &oracle->delassus[0][0];
            a[i * n + j] = d[member[i] * ROWS + member[j]] /
                           sqrtl(d[member[i] * ROWS + member[i]] * d[member[j] * ROWS + member[j]]);
            inverse[i * n + j] = i == j;
            sum += fabsl(a[i * n + j]);
        }
        norm = sum > norm ? sum : norm;
    }
    if (n == 0 || !solve_long(a, inverse, n, n)) {
        return n == 0 ? 1 : INFINITY;
    }
    for (uint32_t i = 0; i < n; i++) {
        long double sum = 0;
        for (uint32_t j = 0; j < n; j++) {
            sum += fabsl(inverse[i * n + j]);
        }
        inverse_norm = sum > inverse_norm ? sum : inverse_norm;
    }
    return (double)sqrtl(norm * inverse_norm);
}

/* Does this active set satisfy the conditions? */
static bool try_set(const struct random_problem *p, const struct oracle *oracle, uint32_t set, long double *motion)
{
    long double a[ROWS * ROWS], f[ROWS];
    uint32_t member[ROWS], n = 0;
    for (uint32_t c = 0; c < p->rows; c++) {
        if (set >> c & 1) {
            member[n++] = c;
        }
    }
    if (n > p->size) {
        return false;
    }
    for (uint32_t i = 0; i < n; i++) {
        f[i] = oracle->need[member[i]];
        for (uint32_t j = 0; j < n; j++) {
            a[i * n + j] = oracle->delassus[member[i]][member[j]];
        }
    }
    if (!solve_long(a, f, n, 1)) {
        return false;
    }
    for (uint32_t i = 0; i < n; i++) {
        if (f[i] < 0) {
            return false;
        }
    }
    for (uint32_t c = 0; c < p->rows; c++) {
        long double slack = -oracle->need[c], scale = fabsl(oracle->need[c]) + 1e-3L;
        for (uint32_t j = 0; j < n; j++) {
            slack += oracle->delassus[c][member[j]] * f[j];
            scale += fabsl(oracle->delassus[c][member[j]] * f[j]);
        }
        if (slack < -1e-14L * scale) {
            return false;
        }
    }
    for (uint32_t i = 0; i < p->size; i++) {
        motion[i] = p->free_motion[i];
        for (uint32_t j = 0; j < n; j++) {
            motion[i] += oracle->response[i][member[j]] * f[j];
        }
    }
    return true;
}

static bool brute_force(const struct random_problem *p, long double *motion, double *condition)
{
    struct oracle oracle;
    assert_true(begin_oracle(p, &oracle));
    for (uint32_t set = 0; set < 1u << p->rows; set++) {
        if (try_set(p, &oracle, set, motion)) {
            *condition = condition_of(p, &oracle, set);
            return true;
        }
    }
    return false;
}

/* ---- tests --------------------------------------------------------------------------------------------------------- */

static uint32_t problem_count(void)
{
    return getenv("DENT_LONG_TESTS") ? 100000 : getenv("DENT_QUICK_TESTS") ? 300 : 4000;
}

static double difference(const struct random_problem *p, const double *motion, const long double *truth)
{
    long double worst = 0, size = 0;
    for (uint32_t i = 0; i < p->size; i++) {
        size = fabsl(truth[i]) > size ? fabsl(truth[i]) : size;
        worst = fabsl(motion[i] - truth[i]) > worst ? fabsl(motion[i] - truth[i]) : worst;
    }
    return (double)(worst / (size > 1 ? size : 1));
}

static void motions_equal_brute_force_in_both_spaces(void **state)
{
    (void)state;
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    dent_constraints *solver = dent_constraints_create(context);
    assert_non_null(solver);
    dent_random random = dent_random_seeded(22);
    uint32_t solved = 0, infeasible = 0, ill = 0, unknown = 0;
    double worst[2] = {0, 0}, worst_ill = 0, residual = 0;
    for (uint32_t n = 0; n < problem_count(); n++) {
        struct random_problem p;
        long double truth[SIZE];
        double condition = 1;
        make_problem(&p, &random);
        bool exists = brute_force(&p, truth, &condition);
        for (int method = 0; method < 2; method++) {
            double motion[SIZE];
            dent_constraint_report report;
            dent_constraint_problem problem = dent_constraint_problem_default();
            problem.blocks = p.block;
            problem.block_count = p.blocks;
            problem.rows = p.row;
            problem.row_count = p.rows;
            problem.free_motion = p.free_motion;
            problem.motion = motion;
            problem.method = (dent_constraint_method)method;
            assert_int_equal(dent_constraints_solve(solver, &problem, &report), DENT_OK);
            for (uint32_t i = 0; i < p.size; i++) {
                assert_true(fabs(motion[i]) <= DBL_MAX);
            }
            if (!exists) { /* no active set: infeasible, or too near to it for the oracle */
                unknown += report.outcome == DENT_CONSTRAINTS_SOLVED;
                infeasible += report.outcome == DENT_CONSTRAINTS_INFEASIBLE;
                continue;
            }
            if (condition > 1e5) {
                double off = difference(&p, motion, truth);
                ill += method == 0;
                worst_ill = off > worst_ill ? off : worst_ill;
                continue;
            }
            if (report.outcome != DENT_CONSTRAINTS_SOLVED || difference(&p, motion, truth) > 1e-10) {
                fail_msg("problem %u, method %d: outcome %d, off by %g, condition %g", n, method, (int)report.outcome,
                         difference(&p, motion, truth), condition);
            }
            if (report.residual > 1e-10) {
                fail_msg("problem %u, method %d: residual %g, condition %g", n, method, report.residual, condition);
            }
            solved += method == 0;
            double off = difference(&p, motion, truth);
            worst[method] = off > worst[method] ? off : worst[method];
            residual = report.residual > residual ? report.residual : residual;
        }
    }
    printf("%u solved, worst difference %.2g (motion space) %.2g (contact space), residual %.2g; %u infeasible answers; "
           "condition above 1e5: %u, worst difference %.2g; feasible without a set of the oracle: %u\n",
           solved, worst[0], worst[1], residual, infeasible, ill, worst_ill, unknown);
    assert_true(solved > problem_count() / 2);
    assert_true(infeasible > 0);
    assert_int_equal(unknown, 0);
    dent_constraints_destroy(solver);
    dent_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(motions_equal_brute_force_in_both_spaces)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
