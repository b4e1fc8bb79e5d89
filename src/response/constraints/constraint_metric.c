/* The mass metric in blocks: M^-1 = L L', with a power of two taken out of every block so that no number of any size
 * overflows. Inverse masses and rigid bodies give L directly, and a fixed coordinate is a zero in it. A mass matrix is
 * factored, M = C C', so that L' = C^-1 by substitution.
 *
 * Factors: IDENTITY none; INVERSE_MASSES size numbers; RIGID 1 + 6 (lower triangle by rows); MASS_MATRIX size * size. */
#include <float.h>
#include <math.h>

#include "response/constraints/constraint_system.h"

static size_t factor_size(const dent_constraint_block *block)
{
    switch (block->kind) {
    case DENT_METRIC_INVERSE_MASSES: return block->size;
    case DENT_METRIC_RIGID: return 7;
    case DENT_METRIC_MASS_MATRIX: return (size_t)block->size * block->size;
    default: return 0;
    }
}

static size_t metric_size(const dent_constraint_block *block)
{
    return block->kind == DENT_METRIC_RIGID ? 10 : factor_size(block);
}

static bool all_finite(const double *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!(fabs(numbers[i]) <= DBL_MAX)) {
            return false;
        }
    }
    return true;
}

static dent_status check_block(dent_context *context, const dent_constraint_block *block, uint32_t index)
{
    if ((unsigned)block->kind >= DENT_METRIC_KIND_COUNT || (block->kind == DENT_METRIC_RIGID && block->size != 6)) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "block %u: unknown metric, or a rigid body without 6 coordinates",
                         index);
    }
    size_t count = metric_size(block);
    if (count > 0 && !block->metric) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "block %u: metric is null", index);
    }
    if (!all_finite(block->metric, count)) {
        return dent_fail(context, DENT_ERROR_BAD_NUMBER, "block %u: its metric is not finite", index);
    }
    return DENT_OK;
}

static double largest(const double *numbers, size_t count)
{
    double most = 0;
    for (size_t i = 0; i < count; i++) {
        most = fabs(numbers[i]) > most ? fabs(numbers[i]) : most;
    }
    return most;
}

/* An even exponent that brings `value` to between 1/4 and 1; 0 for 0. */
static int even_exponent(double value)
{
    int exponent = 0;
    if (value > 0) {
        frexp(value, &exponent);
    }
    return exponent + (exponent & 1);
}

/* Lower triangle of a symmetric matrix, by rows with this stride, to its Cholesky factor. A pivot that is 0 to rounding
 * gives a column of zeros if `semidefinite`; otherwise it fails, as negative ones always do. */
static bool cholesky(double *matrix, uint32_t size, uint32_t stride, bool semidefinite)
{
    double tiny = 0;
    for (uint32_t i = 0; i < size; i++) {
        double entry = matrix[(size_t)i * stride + i];
        tiny = entry > tiny ? entry : tiny;
    }
    tiny *= 1e-14;
    for (uint32_t j = 0; j < size; j++) {
        double *row_j = matrix + (size_t)j * stride, pivot = row_j[j];
        for (uint32_t k = 0; k < j; k++) {
            pivot -= row_j[k] * row_j[k];
        }
        if (pivot < -tiny * size || (!semidefinite && !(pivot > 0))) {
            return false;
        }
        double root = pivot > tiny || !semidefinite ? sqrt(pivot) : 0;
        row_j[j] = root;
        for (uint32_t i = j + 1; i < size; i++) {
            double *row_i = matrix + (size_t)i * stride, sum = row_i[j];
            for (uint32_t k = 0; k < j; k++) {
                sum -= row_i[k] * row_j[k];
            }
            row_i[j] = root > 0 ? sum / root : 0;
        }
    }
    return true;
}

/* sqrt(1 / mass) and the factor of the inverse inertia, with their own exponents brought to the larger one. */
static bool factor_rigid(struct metric_block *block, const double *metric, double *factor)
{
    double inertia[9];
    int linear = even_exponent(metric[0]), angular = even_exponent(largest(metric + 1, 9));
    bool turns = largest(metric + 1, 9) > 0;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            inertia[3 * i + j] = 0.5 * (ldexp(metric[1 + 3 * i + j], -angular) + ldexp(metric[1 + 3 * j + i], -angular));
        }
    }
    if (metric[0] < 0 || !cholesky(inertia, 3, 3, true)) {
        return false;
    }
    int common = !turns || (metric[0] > 0 && linear > angular) ? linear : angular;
    block->exponent = common / 2;
    factor[0] = sqrt(ldexp(metric[0], -common));
    for (int i = 0, k = 1; i < 3; i++) {
        for (int j = 0; j <= i; j++) {
            factor[k++] = ldexp(inertia[3 * i + j], (angular - common) / 2);
        }
    }
    return true;
}

static bool factor_masses(struct metric_block *block, const double *metric, double *factor)
{
    int exponent = even_exponent(largest(metric, block->size));
    block->exponent = exponent / 2;
    for (uint32_t i = 0; i < block->size; i++) {
        if (metric[i] < 0) {
            return false;
        }
        factor[i] = sqrt(ldexp(metric[i], -exponent));
    }
    return true;
}

static bool factor_matrix(struct metric_block *block, const double *metric, double *factor)
{
    size_t size = block->size;
    int exponent = even_exponent(largest(metric, size * size));
    block->exponent = -exponent / 2;
    for (size_t i = 0; i < size; i++) {
        for (size_t j = 0; j <= i; j++) {
            factor[i * size + j] = 0.5 * (ldexp(metric[i * size + j], -exponent) + ldexp(metric[j * size + i], -exponent));
        }
    }
    return cholesky(factor, block->size, block->size, false);
}

static bool factor_block(struct metric_block *block, const double *metric, double *factor)
{
    switch (block->kind) {
    case DENT_METRIC_INVERSE_MASSES: return factor_masses(block, metric, factor);
    case DENT_METRIC_RIGID: return factor_rigid(block, metric, factor);
    case DENT_METRIC_MASS_MATRIX: return factor_matrix(block, metric, factor);
    default: return true;
    }
}

static dent_status allocate_blocks(dent_constraints *system, const dent_constraint_problem *problem)
{
    size_t count = 0;
    uint64_t coordinates = 0;
    for (uint32_t i = 0; i < problem->block_count; i++) {
        dent_status status = check_block(system->context, &problem->blocks[i], i);
        if (status != DENT_OK) {
            return status;
        }
        count += factor_size(&problem->blocks[i]);
        coordinates += problem->blocks[i].size;
    }
    if (coordinates > UINT32_MAX / 2) {
        return dent_fail(system->context, DENT_ERROR_TOO_LARGE, "more coordinates than indices");
    }
    array_clear(&system->blocks);
    array_clear(&system->factors);
    if (!array_extend(&system->blocks, problem->block_count) || !array_extend(&system->factors, count)) {
        return dent_fail(system->context, DENT_ERROR_OUT_OF_MEMORY, "no memory for the metric");
    }
    return DENT_OK;
}

dent_status metric_prepare(dent_constraints *system, const dent_constraint_problem *problem)
{
    dent_status status = allocate_blocks(system, problem);
    if (status != DENT_OK) {
        return status;
    }
    struct metric_block *blocks = system->blocks.data;
    size_t factor = 0;
    uint32_t coordinate = 0;
    bool any = false;
    for (uint32_t i = 0; i < problem->block_count; i++) {
        const dent_constraint_block *given = &problem->blocks[i];
        blocks[i] = (struct metric_block){.first_coordinate = coordinate, .size = given->size, .kind = given->kind,
                                          .island = UINT32_MAX, .factor = factor};
        if (!factor_block(&blocks[i], given->metric, array_at(&system->factors, factor))) {
            return dent_fail(system->context, DENT_ERROR_INVALID_ARGUMENT, "block %u: its metric is not positive", i);
        }
        factor += factor_size(given);
        coordinate += given->size;
        if (!any || blocks[i].exponent > system->metric_exponent) {
            system->metric_exponent = blocks[i].exponent;
            any = true;
        }
    }
    system->metric_exponent = any ? system->metric_exponent : 0;
    return DENT_OK;
}

static void scale_to_common(const dent_constraints *system, const struct metric_block *block, double *numbers)
{
    int exponent = block->exponent - system->metric_exponent;
    for (uint32_t i = 0; i < block->size && exponent != 0; i++) {
        numbers[i] = ldexp(numbers[i], exponent);
    }
}

void metric_apply_transposed(const dent_constraints *system, const struct metric_block *block, const double *in,
                             double *out)
{
    const double *factor = array_at(&system->factors, block->factor);
    uint32_t size = block->size;
    if (block->kind == DENT_METRIC_RIGID) {
        for (int i = 0; i < 3; i++) {
            out[i] = factor[0] * in[i];
        }
        out[3] = (factor[1] * in[3] + factor[2] * in[4]) + factor[4] * in[5];
        out[4] = factor[3] * in[4] + factor[5] * in[5];
        out[5] = factor[6] * in[5];
    } else if (block->kind == DENT_METRIC_MASS_MATRIX) {
        for (uint32_t i = 0; i < size; i++) {
            double sum = in[i];
            for (uint32_t k = 0; k < i; k++) {
                sum -= factor[(size_t)i * size + k] * out[k];
            }
            out[i] = sum / factor[(size_t)i * size + i];
        }
    } else {
        for (uint32_t i = 0; i < size; i++) {
            out[i] = block->kind == DENT_METRIC_IDENTITY ? in[i] : factor[i] * in[i];
        }
    }
    scale_to_common(system, block, out);
}

void metric_apply(const dent_constraints *system, const struct metric_block *block, const double *in, double *out)
{
    const double *factor = array_at(&system->factors, block->factor);
    uint32_t size = block->size;
    if (block->kind == DENT_METRIC_RIGID) {
        for (int i = 0; i < 3; i++) {
            out[i] = factor[0] * in[i];
        }
        out[3] = factor[1] * in[3];
        out[4] = factor[2] * in[3] + factor[3] * in[4];
        out[5] = (factor[4] * in[3] + factor[5] * in[4]) + factor[6] * in[5];
    } else if (block->kind == DENT_METRIC_MASS_MATRIX) {
        for (uint32_t i = size; i-- > 0;) {
            double sum = in[i];
            for (uint32_t k = i + 1; k < size; k++) {
                sum -= factor[(size_t)k * size + i] * out[k];
            }
            out[i] = sum / factor[(size_t)i * size + i];
        }
    } else {
        for (uint32_t i = 0; i < size; i++) {
            out[i] = block->kind == DENT_METRIC_IDENTITY ? in[i] : factor[i] * in[i];
        }
    }
    scale_to_common(system, block, out);
}
