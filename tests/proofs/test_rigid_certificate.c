/* The rigid certificate, link by link: every instruction set computes the same residuals, and none of the roundings, at any
 * scale and far from the origin, makes the clearance that is asked for smaller than what the residuals need. */
#include "support/cmocka_includes.h"

#include <dent/dent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proofs/rigid_certificate.h"

static uint64_t scaled(uint64_t count)
{
    return getenv("DENT_QUICK_TESTS") ? count / 10 + 1 : getenv("DENT_LONG_TESTS") ? count * 10 : count;
}

enum { VERTICES = 61 };

static const dent_isa all_isas[] = {DENT_ISA_SCALAR, DENT_ISA_AVX2, DENT_ISA_AVX512};

struct cloud {
    struct body body;
    uint8_t use[VERTICES];
    double shape[VERTICES][3], now[VERTICES][3];
    double scale;
};

static double between(dent_random *random, double lo, double hi)
{
    return lo + (hi - lo) * dent_random_unit(random);
}

/* A cloud of points, turned, stretched, moved far away and shaken. */
static void make_cloud(struct cloud *cloud, dent_random *random, double size, double size_now, double far, double shake)
{
    double matrix[9], shift[3], away[3];
    memset(cloud, 0, sizeof *cloud);
    cloud->body.vertex_count = VERTICES;
    cloud->body.vertex_use = cloud->use;
    memset(cloud->use, VERTEX_USED, sizeof cloud->use);
    for (int i = 0; i < 9; i++) {
        matrix[i] = (i % 4 == 0) + between(random, -0.6, 0.6);
    }
    for (int axis = 0; axis < 3; axis++) {
        shift[axis] = far * between(random, -1, 1);
        away[axis] = far * between(random, -1, 1);
    }
    double largest = 0;
    for (int v = 0; v < VERTICES; v++) {
        double p[3] = {between(random, -1, 1), between(random, -1, 1), between(random, -1, 1)};
        for (int axis = 0; axis < 3; axis++) {
            double x = matrix[3 * axis] * p[0] + matrix[3 * axis + 1] * p[1] + matrix[3 * axis + 2] * p[2];
            cloud->shape[v][axis] = size * (p[axis] + away[axis]);
            cloud->now[v][axis] = size_now * (x + shift[axis] + shake * between(random, -1, 1));
            largest = fmax(largest, fabs(cloud->shape[v][axis]));
        }
    }
    int exponent;
    frexp(largest, &exponent);
    cloud->scale = ldexp(1, -exponent);
}

static double least_eigenvalue(long double a[3][3])
{
    for (int turn = 0; turn < 90; turn++) {
        int p = turn % 3 == 2 ? 1 : 0, q = turn % 3 == 0 ? 1 : 2;
        if (a[p][q] == 0) {
            continue;
        }
        long double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
        long double t = (theta >= 0 ? 1 : -1) / (fabsl(theta) + sqrtl(theta * theta + 1)), c = 1 / sqrtl(t * t + 1);
        for (int k = 0; k < 3; k++) {
            long double kp = a[k][p], kq = a[k][q];
            a[k][p] = c * kp - t * c * kq;
            a[k][q] = t * c * kp + c * kq;
        }
        for (int k = 0; k < 3; k++) {
            long double pk = a[p][k], qk = a[q][k];
            a[p][k] = c * pk - t * c * qk;
            a[q][k] = t * c * pk + c * qk;
        }
    }
    return (double)fminl(a[0][0], fminl(a[1][1], a[2][2]));
}

/* What the residuals need, computed with eleven more bits: 2 |r| scale / s. */
static double clearance_needed(const struct cloud *cloud, const struct affine_motion *motion)
{
    long double most = 0, product[3][3] = {{0}};
    for (int i = 0; i < 27; i++) {
        product[i / 9][i / 3 % 3] +=
            (long double)motion->matrix[3 * (i % 3) + i / 9] * motion->matrix[3 * (i % 3) + i / 3 % 3];
    }
    for (int v = 0; v < VERTICES; v++) {
        long double square = 0;
        for (int axis = 0; axis < 3; axis++) {
            long double r = (long double)cloud->now[v][axis] - motion->to[axis];
            for (int k = 0; k < 3; k++) {
                r -= motion->matrix[3 * axis + k] * ((long double)cloud->shape[v][k] - motion->from[k]);
            }
            square += r * r;
        }
        most = fmaxl(most, sqrtl(square));
    }
    return (double)(2 * most * cloud->scale / sqrtl((long double)least_eigenvalue(product)));
}

static void no_clearance_is_below_what_the_residuals_need(void **state)
{
    (void)state;
    dent_random random = dent_random_seeded(7);
    uint64_t found = 0, tight = 0, rounded = 0;
    for (uint64_t round = 0; round < scaled(20000); round++) {
        struct cloud cloud;
        double size = ldexp(1, (int)between(&random, -900, 900)), size_now = round % 3 ? size : size * between(&random, 1e-5, 1e5);
        double shake = round % 2 ? 0 : pow(10, between(&random, -16, 0));
        make_cloud(&cloud, &random, size, size_now, round % 5 ? 0 : pow(10, between(&random, 0, 9)), shake);
        struct rigid_reference reference;
        struct affine_motion motion;
        rigid_reference_set(&reference, &cloud.body, (const double(*)[3])cloud.shape, cloud.scale);
        if (!reference.usable || !rigid_motion_find(&reference, (const double(*)[3])cloud.now, &motion)) {
            continue;
        }
        double most[3][3] = {{0}};
        for (int i = 0; i < 3; i++) {
            dent_isa isa = dent_isa_available(all_isas[i]) ? all_isas[i] : DENT_ISA_SCALAR;
            rigid_residuals(&reference, cluster_kernels_for(isa), (const double(*)[3])cloud.now, &motion, 0, VERTICES,
                            most[i]);
            assert_memory_equal(most[i], most[0], sizeof most[0]);
        }
        double clearance = rigid_clearance(&reference, &motion, most[0]), needed = clearance_needed(&cloud, &motion);
        assert_true(clearance >= needed * (1 - 1e-15));
        found++;
        tight += clearance < 4 * needed;
        const double nothing[3] = {0, 0, 0}; /* roundings alone */
        rounded += shake == 0 && rigid_clearance(&reference, &motion, nothing) > 0.05 * needed;
    }
    printf("%llu motions, %llu with less than four times what is needed; %llu where roundings count\n",
           (unsigned long long)found, (unsigned long long)tight, (unsigned long long)rounded);
    assert_true(2 * found > scaled(20000) && 4 * tight > found && rounded > 0);
}

/* Where the computed residuals are 0 by luck, the true ones are not: the roundings are paid for. */
static void roundings_that_hide_a_residual_are_paid_for(void **state)
{
    (void)state;
    dent_random random = dent_random_seeded(8);
    uint64_t hidden = 0;
    for (uint64_t round = 0; round < scaled(20000); round++) {
        struct cloud cloud;
        struct rigid_reference reference;
        struct affine_motion motion;
        make_cloud(&cloud, &random, 1, 1, 0, 0);
        rigid_reference_set(&reference, &cloud.body, (const double(*)[3])cloud.shape, cloud.scale);
        if (!reference.usable || !rigid_motion_find(&reference, (const double(*)[3])cloud.now, &motion)) {
            continue;
        }
        for (int v = 0; v < VERTICES; v++) { /* put every vertex where the computed map has it */
            for (int axis = 0; axis < 3; axis++) {
                const double *row = &motion.matrix[3 * axis];
                double d[3] = {cloud.shape[v][0] - motion.from[0], cloud.shape[v][1] - motion.from[1],
                               cloud.shape[v][2] - motion.from[2]};
                cloud.now[v][axis] = motion.to[axis] + (row[0] * d[0] + row[1] * d[1] + row[2] * d[2]);
            }
        }
        double most[3] = {0, 0, 0};
        rigid_residuals(&reference, &cluster_kernels_scalar, (const double(*)[3])cloud.now, &motion, 0, VERTICES, most);
        double clearance = rigid_clearance(&reference, &motion, most), needed = clearance_needed(&cloud, &motion);
        assert_true(clearance >= needed * (1 - 1e-15));
        hidden += 2 * (most[0] + most[1] + most[2]) * cloud.scale < needed;
    }
    printf("%llu times more than was computed\n", (unsigned long long)hidden);
    assert_true(hidden > 0);
}

static void flat_shapes_and_flat_motions_prove_nothing(void **state)
{
    (void)state;
    dent_random random = dent_random_seeded(9);
    for (int axis = 0; axis < 3; axis++) {
        struct cloud cloud;
        struct rigid_reference reference;
        struct affine_motion motion;
        make_cloud(&cloud, &random, 1, 1, 0, 0);
        rigid_reference_set(&reference, &cloud.body, (const double(*)[3])cloud.shape, cloud.scale);
        assert_true(reference.usable);
        for (int v = 0; v < VERTICES; v++) {
            cloud.now[v][axis] = 1;
        }
        assert_false(rigid_motion_find(&reference, (const double(*)[3])cloud.now, &motion));
        for (int v = 0; v < VERTICES; v++) {
            cloud.shape[v][axis] = 1;
        }
        rigid_reference_set(&reference, &cloud.body, (const double(*)[3])cloud.shape, cloud.scale);
        assert_false(reference.usable);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_clearance_is_below_what_the_residuals_need),
        cmocka_unit_test(roundings_that_hide_a_residual_are_paid_for),
        cmocka_unit_test(flat_shapes_and_flat_motions_prove_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
