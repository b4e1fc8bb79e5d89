/* Cholesky's factor of a symmetric positive matrix within its envelope: row i keeps what lies between its first
 * non-zero and the diagonal, and so does its factor. Rows come in an order that keeps envelopes short (coarse_space.c).
 */
#ifndef DENT_SIM_ENVELOPE_H
#define DENT_SIM_ENVELOPE_H

#include <dent/base.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct envelope {
    dent_context *context;
    uint32_t count;
    uint32_t *first;  /* by row: its first column */
    uint64_t *starts; /* by row: where column 0 would be in values; so values[starts[i] + j] */
    double *values, *inverses; /* inverses of the diagonal of the factor */
    uint64_t row_capacity, start_capacity, inverse_capacity, value_capacity;
};

/* Room for `count` rows; their `first` columns are to be set then. */
dent_status envelope_begin(dent_context *context, struct envelope *envelope, uint32_t count);
/* Room for the values, all 0. */
dent_status envelope_open(struct envelope *envelope);
double envelope_cost(const struct envelope *envelope); /* multiplications of envelope_factorise */
/* j <= i, within the envelope. */
static inline double *envelope_at(struct envelope *envelope, uint32_t i, uint32_t j)
{
    return &envelope->values[envelope->starts[i] + j];
}
struct tet_kernels;
void envelope_factorise(struct envelope *envelope, const struct tet_kernels *kernels);
void envelope_solve(const struct envelope *envelope, const struct tet_kernels *kernels, double *x);
void envelope_destroy(struct envelope *envelope);

#endif
