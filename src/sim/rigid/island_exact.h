/* The exact constraint solver for small islands: one of these per worker. */
#ifndef DENT_SIM_ISLAND_EXACT_H
#define DENT_SIM_ISLAND_EXACT_H

#include "base/containers/dynamic_array.h"
#include "island_solver.h"

#include <dent/constraints.h>

/* Contacts and equations of joints up to which an island is small. */
enum { ISLAND_EXACT_ROWS = 200 };

struct island_exact {
    dent_context *context;
    dent_constraints *solver;
    struct dynamic_array blocks, metrics, rows, parts, coefficients, forces;
    dent_status status; /* OUT_OF_MEMORY: the step fails */
    uint64_t solved, frozen, passed_on; /* problems since the caller set them to 0 */
};

dent_status island_exact_create(dent_context *context, struct island_exact *exact);
void island_exact_destroy(struct island_exact *exact);
/* Solves problem->exact; false: the island solver has to. */
bool island_exact_solve(struct island_problem *problem);

#endif
