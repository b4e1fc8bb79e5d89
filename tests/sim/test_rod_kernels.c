/* Passes over rods: gradients are the derivatives of energies, matrices those of gradients, factors solve, and every
 * instruction set gives the bits of the scalar row. */
#include "sim/elements/rod_kernels.h"
#include "sim/model/sim_vectors.h"
#include "simd/kernel_choice.h"
#include "support_meshes.h"

#include <math.h>
#include <string.h>

enum { ROWS = 11, VERTICES = ROD_LANES * ROWS };

struct sample {
    struct rod_group group;
    struct rod_row rows[ROWS];
    struct rod_aim aims[ROWS];
    struct rod_director directors[ROWS];
    struct rod_strains strains[ROWS];
    double positions[3 * VERTICES + 1];
    double inertia[ROWS][ROD_LANES];
};

static double number(dent_random *random)
{
    return 2 * dent_random_unit(random) - 1;
}

static struct rod_pass pass_of(const struct sample *sample)
{
    return (struct rod_pass){sample->rows, sample->aims, sample->directors, sample->positions};
}

static bool has_edge(const struct sample *sample, uint32_t i, uint32_t lane)
{
    return i + 1 < sample->group.vertex_count[lane];
}

/* Unit directors across their edges. */
static void make_directors(struct sample *sample, dent_random *random)
{
    for (uint32_t i = 0; i < ROWS; i++) {
        for (uint32_t lane = 0; lane < ROD_LANES; lane++) {
            const double *x = sample->positions + 3 * (size_t)(sample->group.first_vertex[lane] + i);
            double edge[3], other[3] = {0.4 * number(random), number(random), 3}, d[3] = {1, 0, 0};
            if (has_edge(sample, i, lane)) { /* strands lie along x: directors near y */
                sim_subtract(x + 3, x, edge);
                sim_cross(edge, other, d);
            }
            for (int k = 0; k < 3; k++) {
                sample->directors[i].at[k][lane] = d[k] / sqrt(sim_dot(d, d));
            }
        }
    }
}

/* Strands of two to eleven vertices and one lane without; `bent` by so much. */
static struct sample make_sample(dent_random *random, double bent, bool held)
{
    struct sample sample = {.group = {0, ROWS, ROD_LANES, {0}, {11, 2, 3, 7, 11, 1, 4, 10}}};
    for (uint32_t lane = 0; lane < ROD_LANES; lane++) {
        sample.group.first_vertex[lane] = lane * ROWS;
        for (uint32_t i = 0; i < ROWS; i++) {
            double *x = sample.positions + 3 * (size_t)(lane * ROWS + i);
            bool edge = has_edge(&sample, i, lane), joint = edge && i > 0, real = i < sample.group.vertex_count[lane];
            x[0] = i + 0.3 * bent * number(random);
            x[1] = bent * number(random);
            x[2] = bent * number(random);
            struct rod_row *row = &sample.rows[i];
            struct rod_aim *aim = &sample.aims[i];
            row->length[lane] = edge ? 1 + 0.2 * number(random) : 1;
            row->stretch[lane] = edge ? 3 + number(random) : 0;
            row->bend[lane] = joint ? 2 + number(random) : 0;
            row->twist[lane] = joint ? 2 + number(random) : 0;
            for (int k = 0; k < 3; k++) {
                row->natural[k][lane] = joint ? 0.5 * number(random) : 0;
                aim->target[1 + k][lane] = joint ? 0.5 * number(random) : 0;
            }
            bool hold = held && i == 0;
            row->moves[lane] = real && !hold;
            row->turns[lane] = edge && !hold;
            aim->target[0][lane] = edge ? 1 + 0.1 * number(random) : 0;
            aim->factor[lane] = 1.5;
            aim->tension[lane] = 0;
            aim->spin[lane] = 0;
            sample.inertia[i][lane] = real ? 1 + dent_random_unit(random) : 0;
        }
    }
    make_directors(&sample, random);
    return sample;
}

static void gradient_of(const struct rod_kernels *kernels, struct sample *sample, struct rod_values out[ROWS])
{
    struct rod_pass pass = pass_of(sample);
    kernels->gradient(&sample->group, &pass, sample->strains, out);
}

/* The sample with one unknown changed: a coordinate of a vertex, or (3) the turn of an edge. */
static struct sample moved_sample(const struct sample *sample, uint32_t i, uint32_t lane, int what, double by)
{
    struct sample moved = *sample;
    struct rod_values turns[ROWS] = {{{{0}}}};
    if (what < 3) {
        moved.positions[3 * (size_t)(sample->group.first_vertex[lane] + i) + (size_t)what] += by;
    } else {
        turns[i].at[3][lane] = by;
    }
    rod_kernels_scalar.carry(&sample->group, sample->directors, sample->positions, moved.positions, turns, 1,
                             moved.directors);
    return moved;
}

static double change_between(const struct sample *from, const struct sample *to)
{
    struct rod_strains a[ROWS], b[ROWS];
    struct rod_pass pass = pass_of(from), moved = pass_of(to);
    double sums[ROD_LANES], sum = 0;
    rod_kernels_scalar.strains(&from->group, &pass, a);
    rod_kernels_scalar.strains(&from->group, &moved, b);
    rod_kernels_scalar.difference(&from->group, &pass, a, b, sums);
    for (int lane = 0; lane < ROD_LANES; lane++) {
        sum += sums[lane];
    }
    return sum;
}

static void gradients_are_the_derivatives_of_energies(void **state)
{
    (void)state;
    dent_random random = dent_random_seeded(1);
    for (int round = 0; round < 20; round++) {
        struct sample sample = make_sample(&random, 0.1 + 0.02 * round, false);
        struct rod_values gradient[ROWS];
        gradient_of(&rod_kernels_scalar, &sample, gradient);
        for (uint32_t n = 0; n < 4 * ROD_LANES * ROWS; n++) {
            uint32_t i = n / (4 * ROD_LANES), lane = n / 4 % ROD_LANES;
            int what = (int)(n % 4);
            bool exists = what < 3 ? i < sample.group.vertex_count[lane] : has_edge(&sample, i, lane);
            if (exists) {
                struct sample more = moved_sample(&sample, i, lane, what, 1e-5);
                struct sample less = moved_sample(&sample, i, lane, what, -1e-5);
                double slope = change_between(&less, &more) / 2e-5;
                assert_true(fabs(slope - gradient[i].at[what][lane]) < 1e-6 * (10 + fabs(slope)));
            } else {
                assert_true(gradient[i].at[what][lane] == 0);
            }
        }
    }
}

/* At natural strains nothing is left out of the matrix. */
static void products_are_the_derivatives_of_gradients_at_rest(void **state)
{
    (void)state;
    dent_random random = dent_random_seeded(2);
    for (int round = 0; round < 20; round++) {
        struct sample sample = make_sample(&random, 0.02 * round, false);
        struct rod_pass pass = pass_of(&sample);
        struct rod_values direction[ROWS], product[ROWS], more[ROWS], less[ROWS];
        rod_kernels_scalar.strains(&sample.group, &pass, sample.strains);
        for (uint32_t i = 0; i < ROWS; i++) {
            for (uint32_t n = 0; n < 4 * ROD_LANES; n++) {
                uint32_t lane = n % ROD_LANES;
                bool exists = n / ROD_LANES < 3 ? i < sample.group.vertex_count[lane] : has_edge(&sample, i, lane);
                direction[i].at[n / ROD_LANES][lane] = exists ? number(&random) : 0;
            }
            memcpy(sample.aims[i].target, sample.strains[i].at, sizeof sample.aims[i].target);
        }
        rod_kernels_scalar.product(&sample.group, &pass, direction, product);
        for (int sign = -1; sign <= 1; sign += 2) {
            struct sample moved = sample;
            for (uint32_t i = 0; i < ROWS; i++) {
                for (uint32_t lane = 0; lane < ROD_LANES; lane++) {
                    for (size_t axis = 0; axis < 3; axis++) {
                        moved.positions[3 * (size_t)(sample.group.first_vertex[lane] + i) + axis] +=
                            sign * 1e-6 * direction[i].at[axis][lane];
                    }
                }
            }
            rod_kernels_scalar.carry(&sample.group, sample.directors, sample.positions, moved.positions, direction,
                                     sign * 1e-6, moved.directors);
            gradient_of(&rod_kernels_scalar, &moved, sign > 0 ? more : less);
        }
        for (uint32_t i = 0; i < ROWS; i++) {
            for (uint32_t n = 0; n < 4 * ROD_LANES; n++) {
                double slope = (more[i].at[n / ROD_LANES][n % ROD_LANES] - less[i].at[n / ROD_LANES][n % ROD_LANES]) / 2e-6;
                assert_true(fabs(slope - product[i].at[n / ROD_LANES][n % ROD_LANES]) < 1e-5 * (1 + fabs(slope)));
            }
        }
    }
}

/* Strains grow as their derivatives say, also far from rest: the matrix is their squares, and tension aside. */
static void products_are_never_negative(void **state)
{
    (void)state;
    dent_random random = dent_random_seeded(3);
    for (int round = 0; round < 200; round++) {
        struct sample sample = make_sample(&random, 0.5, round % 2 == 0);
        struct rod_pass pass = pass_of(&sample);
        struct rod_values direction[ROWS], product[ROWS];
        double sum = 0;
        for (uint32_t i = 0; i < ROWS; i++) {
            for (uint32_t n = 0; n < 4 * ROD_LANES; n++) {
                uint32_t lane = n % ROD_LANES;
                double free = n / ROD_LANES < 3 ? sample.rows[i].moves[lane] : sample.rows[i].turns[lane];
                direction[i].at[n / ROD_LANES][lane] = free * number(&random);
            }
            for (uint32_t lane = 0; lane < ROD_LANES; lane++) {
                sample.aims[i].tension[lane] = has_edge(&sample, i, lane) ? dent_random_unit(&random) : 0;
            }
        }
        rod_kernels_scalar.product(&sample.group, &pass, direction, product);
        for (uint32_t i = 0; i < ROWS; i++) {
            for (uint32_t n = 0; n < 4 * ROD_LANES; n++) {
                sum += direction[i].at[n / ROD_LANES][n % ROD_LANES] * product[i].at[n / ROD_LANES][n % ROD_LANES];
            }
        }
        assert_true(sum > 0);
    }
}

/* Contacts add positive blocks between neighbours. */
static void add_contacts(struct sample *sample, struct rod_added added[ROWS], dent_random *random)
{
    memset(added, 0, ROWS * sizeof *added);
    for (uint32_t i = 0; i + 1 < ROWS; i++) {
        for (uint32_t lane = 0; lane < ROD_LANES; lane++) {
            double normal[3] = {number(random), number(random), number(random)}, share = dent_random_unit(random);
            for (int r = 0, n = 0; r < 3; r++) {
                for (int c = r; c < 3; c++, n++) {
                    double block = has_edge(sample, i, lane) ? normal[r] * normal[c] : 0;
                    double a = sample->rows[i].moves[lane], b = sample->rows[i + 1].moves[lane];
                    added[i].own[n][lane] += a * (1 - share) * (1 - share) * block;
                    added[i + 1].own[n][lane] += b * share * share * block;
                    added[i + 1].before[n][lane] += a * b * share * (1 - share) * block;
                }
            }
        }
    }
}

static double added_product(const struct rod_added *added, const struct rod_values *x, uint32_t i, uint32_t lane,
                            int axis)
{
    static const int at[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        sum += added[i].own[at[axis][k]][lane] * x[i].at[k][lane];
        sum += i > 0 ? added[i].before[at[axis][k]][lane] * x[i - 1].at[k][lane] : 0;
        sum += i + 1 < ROWS ? added[i + 1].before[at[axis][k]][lane] * x[i + 1].at[k][lane] : 0;
    }
    return sum;
}

static void factors_solve_the_equations(void **state)
{
    (void)state;
    dent_random random = dent_random_seeded(4);
    for (int round = 0; round < 50; round++) {
        struct sample sample = make_sample(&random, 0.4, round % 3 > 0);
        struct rod_pass pass = pass_of(&sample);
        struct rod_added added[ROWS];
        struct rod_matrix factor[ROWS];
        struct rod_values right[ROWS], x[ROWS], product[ROWS];
        for (uint32_t i = 0; i < ROWS; i++) {
            for (uint32_t lane = 0; lane < ROD_LANES; lane++) {
                sample.aims[i].tension[lane] = has_edge(&sample, i, lane) ? dent_random_unit(&random) : 0;
                sample.aims[i].spin[lane] = has_edge(&sample, i, lane) ? 0.1 : 0;
                for (int k = 0; k < 4; k++) {
                    double free = k < 3 ? sample.rows[i].moves[lane] : sample.rows[i].turns[lane];
                    right[i].at[k][lane] = free * number(&random);
                }
            }
        }
        add_contacts(&sample, added, &random);
        rod_kernels_scalar.factor(&sample.group, &pass, (const double(*)[ROD_LANES])sample.inertia, round % 2 ? added : NULL, factor);
        rod_kernels_scalar.solve(&sample.group, factor, right, x);
        rod_kernels_scalar.product(&sample.group, &pass, x, product);
        for (uint32_t i = 0; i < ROWS; i++) {
            for (uint32_t lane = 0; lane < ROD_LANES; lane++) {
                for (int k = 0; k < 4; k++) {
                    double all = product[i].at[k][lane];
                    all += k < 3 ? sample.rows[i].moves[lane] * sample.inertia[i][lane] * x[i].at[k][lane] : 0;
                    all += k < 3 && round % 2 ? added_product(added, x, i, lane, k) : 0;
                    assert_true(fabs(all - right[i].at[k][lane]) < 1e-10);
                }
            }
        }
    }
}

/* Rotations strain nothing, whatever the directors were carried through. */
static void turning_as_a_whole_strains_nothing(void **state)
{
    (void)state;
    dent_random random = dent_random_seeded(5);
    for (int round = 0; round < 50; round++) {
        struct sample sample = make_sample(&random, 0.3, false), turned = sample;
        struct rod_pass pass = pass_of(&sample), other = pass_of(&turned);
        double q[4] = {number(&random), number(&random), number(&random), number(&random)}, length = 0, turn[9];
        for (int k = 0; k < 4; k++) {
            length += q[k] * q[k];
        }
        for (int k = 0; k < 9; k++) { /* of a unit quaternion */
            int r = k / 3, c = k % 3, left = 3 - r - c;
            double sign = (c - r + 3) % 3 == 1 ? -1 : 1;
            turn[k] = r == c ? (q[0] * q[0] + 2 * q[1 + r] * q[1 + r]) / length * 1 - (length - q[0] * q[0]) / length
                             : 2 * (q[1 + r] * q[1 + c] + sign * q[0] * q[1 + left]) / length;
        }
        for (uint32_t v = 0; v < VERTICES; v++) {
            for (size_t axis = 0; axis < 3; axis++) {
                turned.positions[3 * (size_t)v + axis] = sim_dot(turn + 3 * axis, sample.positions + 3 * (size_t)v);
            }
        }
        for (uint32_t i = 0; i < ROWS; i++) {
            for (uint32_t lane = 0; lane < ROD_LANES; lane++) {
                double d[3] = {sample.directors[i].at[0][lane], sample.directors[i].at[1][lane], sample.directors[i].at[2][lane]};
                for (int axis = 0; axis < 3; axis++) {
                    turned.directors[i].at[axis][lane] = sim_dot(turn + 3 * axis, d);
                }
            }
        }
        rod_kernels_scalar.strains(&sample.group, &pass, sample.strains);
        rod_kernels_scalar.strains(&sample.group, &other, turned.strains);
        for (uint32_t i = 0; i < ROWS; i++) {
            for (uint32_t n = 0; n < ROD_STRAINS * ROD_LANES; n++) {
                double a = sample.strains[i].at[n / ROD_LANES][n % ROD_LANES], b = turned.strains[i].at[n / ROD_LANES][n % ROD_LANES];
                bool exists = n / ROD_LANES == 0 ? has_edge(&sample, i, n % ROD_LANES)
                                                 : i > 0 && has_edge(&sample, i, n % ROD_LANES);
                assert_true(!exists || fabs(a - b) < 1e-9 * (1 + fabs(a)));
            }
        }
    }
}

static void rows_have_the_bits_of_the_scalar_one(void **state)
{
    (void)state;
    for (int isa = DENT_ISA_SCALAR; isa <= DENT_ISA_AVX512; isa++) {
        if (!dent_isa_available((dent_isa)isa)) {
            continue;
        }
        const struct rod_kernels *kernels[2] = {
            &rod_kernels_scalar, KERNELS_FOR(isa, rod_kernels_scalar, rod_kernels_avx2, rod_kernels_avx512)};
        dent_random random = dent_random_seeded(6);
        for (int round = 0; round < 30; round++) {
            struct sample sample = make_sample(&random, 0.05 * round, round % 2 == 0);
            struct rod_pass pass = pass_of(&sample);
            static struct rod_values values[2][4][ROWS];
            static struct rod_matrix factors[2][ROWS];
            static struct rod_strains strains[2][2][ROWS];
            static struct rod_director carried[2][ROWS];
            double sums[2][ROD_LANES], moved[3 * VERTICES + 1];
            for (size_t n = 0; n < 3 * VERTICES; n++) {
                moved[n] = sample.positions[n] + 0.1 * number(&random);
            }
            moved[3 * VERTICES] = 0;
            for (int k = 0; k < 2; k++) {
                kernels[k]->gradient(&sample.group, &pass, strains[k][0], values[k][0]);
                kernels[k]->product(&sample.group, &pass, values[k][0], values[k][1]);
                kernels[k]->factor(&sample.group, &pass, (const double(*)[ROD_LANES])sample.inertia, NULL, factors[k]);
                kernels[k]->solve(&sample.group, factors[k], values[k][1], values[k][2]);
                kernels[k]->carry(&sample.group, sample.directors, sample.positions, moved, values[k][2], 0.5, carried[k]);
                struct rod_pass other = {sample.rows, NULL, carried[k], moved};
                kernels[k]->strains(&sample.group, &other, strains[k][1]);
                kernels[k]->difference(&sample.group, &pass, strains[k][0], strains[k][1], sums[k]);
            }
            assert_memory_equal(values[0], values[1], sizeof values[0]);
            assert_memory_equal(factors[0], factors[1], sizeof factors[0]);
            assert_memory_equal(strains[0], strains[1], sizeof strains[0]);
            assert_memory_equal(carried[0], carried[1], sizeof carried[0]);
            assert_memory_equal(sums[0], sums[1], sizeof sums[0]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_are_the_derivatives_of_energies),
        cmocka_unit_test(products_are_the_derivatives_of_gradients_at_rest),
        cmocka_unit_test(products_are_never_negative),
        cmocka_unit_test(factors_solve_the_equations),
        cmocka_unit_test(turning_as_a_whole_strains_nothing),
        cmocka_unit_test(rows_have_the_bits_of_the_scalar_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
