/* Row after row: L_ij = (A_ij - sum L_ik L_jk) / L_jj, sums of products of two stretches of memory. A pivot below 2^-40
 * of its diagonal is lost in rounding, or the matrix has no stiffness there: that unknown is left out. */
#include "envelope.h"

#include "sim/elements/tet_kernels.h"

#include <math.h>
#include <string.h>

dent_status envelope_begin(dent_context *context, struct envelope *envelope, uint32_t count)
{
    envelope->context = context;
    envelope->count = count;
    dent_status status =
        sim_reserve(context, (void **)&envelope->first, &envelope->row_capacity, count, sizeof *envelope->first);
    status = status == DENT_OK ? sim_reserve(context, (void **)&envelope->starts, &envelope->start_capacity, count,
                                             sizeof *envelope->starts)
                               : status;
    return status == DENT_OK ? sim_reserve(context, (void **)&envelope->inverses, &envelope->inverse_capacity, count,
                                           sizeof *envelope->inverses)
                             : status;
}

dent_status envelope_open(struct envelope *envelope)
{
    uint64_t size = 0;
    for (uint32_t i = 0; i < envelope->count; i++) {
        envelope->starts[i] = size - envelope->first[i]; /* wraps below 0 and back */
        size += i - envelope->first[i] + 1;
    }
    dent_status status = sim_reserve(envelope->context, (void **)&envelope->values, &envelope->value_capacity, size,
                                     sizeof *envelope->values);
    if (status == DENT_OK && size > 0) {
        memset(envelope->values, 0, (size_t)size * sizeof *envelope->values);
    }
    return status;
}

double envelope_cost(const struct envelope *envelope)
{
    double sum = 0;
    for (uint32_t i = 0; i < envelope->count; i++) {
        double length = i - envelope->first[i] + 1;
        sum += 0.5 * length * length;
    }
    return sum;
}

void envelope_destroy(struct envelope *envelope)
{
    dent_context *context = envelope->context;
    dent_release(context, envelope->first, (size_t)envelope->row_capacity, sizeof *envelope->first);
    dent_release(context, envelope->starts, (size_t)envelope->start_capacity, sizeof *envelope->starts);
    dent_release(context, envelope->inverses, (size_t)envelope->inverse_capacity, sizeof *envelope->inverses);
    dent_release(context, envelope->values, (size_t)envelope->value_capacity, sizeof *envelope->values);
}

void envelope_factorise(struct envelope *envelope, const struct tet_kernels *kernels)
{
    for (uint32_t i = 0; i < envelope->count; i++) {
        double *row = envelope->values + envelope->starts[i];
        uint32_t first = envelope->first[i];
        for (uint32_t j = first; j < i; j++) {
            const double *other = envelope->values + envelope->starts[j];
            uint32_t from = first > envelope->first[j] ? first : envelope->first[j];
            double sum = from < j ? row[j] - kernels->dot(row + from, other + from, j - from) : row[j];
            row[j] = sum * envelope->inverses[j];
        }
        double pivot = row[i] - kernels->dot(row + first, row + first, i - first);
        bool lost = !(pivot > 0x1p-40 * row[i]) || !(row[i] > 0) || !isfinite(pivot);
        envelope->inverses[i] = lost ? 0 : 1 / sqrt(pivot);
        row[i] = lost ? 0 : sqrt(pivot);
        for (uint32_t j = first; j < i && lost; j++) {
            row[j] = 0;
        }
    }
}

void envelope_solve(const struct envelope *envelope, const struct tet_kernels *kernels, double *x)
{
    for (uint32_t i = 0; i < envelope->count; i++) {
        const double *row = envelope->values + envelope->starts[i];
        uint32_t first = envelope->first[i];
        x[i] = (x[i] - kernels->dot(row + first, x + first, i - first)) * envelope->inverses[i];
    }
    for (uint32_t i = envelope->count; i-- > 0;) {
        const double *row = envelope->values + envelope->starts[i];
        double value = x[i] *= envelope->inverses[i];
        uint32_t first = envelope->first[i];
        kernels->subtract_scaled(x + first, value, row + first, i - first);
    }
}
