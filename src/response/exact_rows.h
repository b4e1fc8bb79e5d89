/* The rows of a response, solved by the exact constraint solver (dent/constraints.h) instead of by sweeps.
 *
 * The unknown is the change that the call makes: velocities, or displacements. With J the rows, M the masses and r what
 * the rows have at entry (a relative velocity, or a displacement to take back) it is the smallest change d, weighted
 * with M, for which
 *
 *     n . J d + softness * impulse >= target - n . r       friction: J d against r, within its cone
 *
 * Coulomb's law has one coefficient here. Contacts that slide with the static one are solved again with the kinetic
 * one. */
#ifndef DENT_RESPONSE_EXACT_ROWS_H
#define DENT_RESPONSE_EXACT_ROWS_H

#include "response/response_rows.h"

/* What a row has at entry, as a vector. */
typedef void exact_entry_function(void *data, const struct response_row *row, double entry[3]);

/* Gathers blocks and rows of all rows that are `active`. OUT_OF_MEMORY. Call before anything is pushed. */
dent_status response_exact_begin(struct response_work *work, exact_entry_function *function, void *data, bool friction);
/* Solves with the rows' present targets and changes the caller's numbers, from what earlier calls made of them. Adds to
 * *iterations. On failure nothing is changed. */
dent_status response_exact_run(struct response_work *work, uint32_t *iterations);
/* Null is allowed. */
void response_exact_destroy(struct response_exact *exact);

#endif
