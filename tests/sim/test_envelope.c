/* Factors within an envelope: solutions against the matrix itself; unknowns without stiffness are left out. */
#include "sim/elastic/envelope.h"
#include "sim/elements/tet_kernels.h"

#include "support_meshes.h"

#include <math.h>
#include <string.h>

enum { ROWS = 40 };

static double draw(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*seed >> 11) / 9007199254740992.0 - 0.5;
}

/* A = sum of (e_i - e_j)(e_i - e_j)^T over random pairs within the envelope, and a light diagonal. */
static void fill(struct envelope *envelope, double dense[ROWS][ROWS], double light)
{
    uint64_t seed = 7;
    memset(dense, 0, sizeof(double[ROWS][ROWS]));
    for (uint32_t i = 0; i < ROWS; i++) {
        dense[i][i] += light;
        for (uint32_t j = envelope->first[i]; j < i; j++) {
            double k = 1 + draw(&seed);
            dense[i][i] += k;
            dense[j][j] += k;
            dense[i][j] -= k;
            dense[j][i] -= k;
        }
    }
    for (uint32_t i = 0; i < ROWS; i++) {
        for (uint32_t j = envelope->first[i]; j <= i; j++) {
            *envelope_at(envelope, i, j) = dense[i][j];
        }
    }
}

static void open_envelope(dent_context *context, struct envelope *envelope)
{
    uint64_t seed = 3;
    *envelope = (struct envelope){0};
    assert_int_equal(envelope_begin(context, envelope, ROWS), DENT_OK);
    for (uint32_t i = 0; i < ROWS; i++) { /* of all lengths, so that vectors of sixteen lanes have remainders */
        uint32_t length = (uint32_t)((draw(&seed) + 0.5) * (i + 1));
        envelope->first[i] = i - (length < i ? length : i);
    }
    assert_int_equal(envelope_open(envelope), DENT_OK);
}

static void solutions_fulfil_the_equations(void **state)
{
    (void)state;
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    struct envelope envelope;
    static double dense[ROWS][ROWS];
    double right[ROWS], x[ROWS];
    uint64_t seed = 11;
    open_envelope(context, &envelope);
    fill(&envelope, dense, 1e-3);
    envelope_factorise(&envelope, &tet_kernels_scalar);
    for (uint32_t i = 0; i < ROWS; i++) {
        right[i] = x[i] = draw(&seed);
    }
    envelope_solve(&envelope, &tet_kernels_scalar, x);
    for (uint32_t i = 0; i < ROWS; i++) {
        double sum = 0, size = 0;
        for (uint32_t j = 0; j < ROWS; j++) {
            sum += dense[i][j] * x[j];
            size += fabs(dense[i][j] * x[j]);
        }
        assert_true(fabs(sum - right[i]) <= 1e-13 * (size + 1));
    }
    envelope_destroy(&envelope);
    dent_context_destroy(context);
}

static void instruction_sets_give_the_same_bits(void **state)
{
    (void)state;
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    const struct tet_kernels *kernels[3] = {&tet_kernels_scalar, &tet_kernels_avx2, &tet_kernels_avx512};
    const dent_isa sets[3] = {DENT_ISA_SCALAR, DENT_ISA_AVX2, DENT_ISA_AVX512};
    static double dense[ROWS][ROWS];
    double first[ROWS];
    for (int n = 0; n < 3; n++) {
        struct envelope envelope;
        double x[ROWS];
        if (!dent_isa_available(sets[n])) {
            continue;
        }
        open_envelope(context, &envelope);
        fill(&envelope, dense, 1e-3);
        envelope_factorise(&envelope, kernels[n]);
        for (uint32_t i = 0; i < ROWS; i++) {
            x[i] = 1.0 / (i + 1);
        }
        envelope_solve(&envelope, kernels[n], x);
        if (n == 0) {
            memcpy(first, x, sizeof x);
        }
        assert_memory_equal(first, x, sizeof x);
        envelope_destroy(&envelope);
    }
    dent_context_destroy(context);
}

/* Without the light diagonal the matrix has a null space: its last pivot is rounding. */
static void unknowns_without_stiffness_are_left_out(void **state)
{
    (void)state;
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    struct envelope envelope;
    static double dense[ROWS][ROWS];
    double x[ROWS];
    open_envelope(context, &envelope);
    for (uint32_t i = 1; i < ROWS; i++) {
        assert_true(envelope.first[i] <= i);
    }
    fill(&envelope, dense, 0);
    envelope_factorise(&envelope, &tet_kernels_scalar);
    for (uint32_t i = 0; i < ROWS; i++) {
        x[i] = i % 2 ? 1 : -1;
    }
    envelope_solve(&envelope, &tet_kernels_scalar, x);
    for (uint32_t i = 0; i < ROWS; i++) {
        assert_true(isfinite(x[i]) && fabs(x[i]) < 1e6);
    }
    envelope_destroy(&envelope);
    dent_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solutions_fulfil_the_equations),
        cmocka_unit_test(instruction_sets_give_the_same_bits),
        cmocka_unit_test(unknowns_without_stiffness_are_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
