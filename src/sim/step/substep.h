/* The solver: from the state at the beginning of a substep to that at its end. A stage that can be replaced whole: what
 * it needs is in its parameters, and sim_step.c, sim_create.c and reposition.c use no more than these functions.
 *
 *   reads   the model; contacts, found at the beginning of the interval (records, poses then, number of substeps)
 *   writes  the state, but for its step number, grabs and memory; the forces in contacts->reported; ns_elastic and
 *           ns_respond of the report
 *   keeps   struct sim_solver: nothing in it outlives a substep but the terms and factors of the interval, which
 *           solver_begin makes anew. So a run continued from a checkpoint needs none of it. */
#ifndef DENT_SIM_SUBSTEP_H
#define DENT_SIM_SUBSTEP_H

#include "sim/contacts/rigid_islands.h"

struct sim_solver {
    struct rigid_motion rigid;
    struct rigid_islands islands;
    struct elastic_work elastic;
    struct contact_response response;
    double *scratch; /* 3 per vertex: holds nothing between two stages, safe_motion.c uses it too */
};

/* Iterations 0: the solver chooses. Adds to the model what the solver needs: elements, bonds, shares of inertia. */
dent_status solver_build(struct sim_model *model, struct sim_state *state, struct sim_solver *solver,
                         uint32_t iterations);
void solver_destroy(dent_context *context, struct sim_solver *solver);

/* At the beginning of an interval, when its contacts have been found; then each of its substeps, `number` of a step. */
dent_status solver_begin(const struct sim_model *model, struct sim_state *state, struct contact_set *contacts,
                         struct sim_solver *solver);
dent_status solver_substep(const struct sim_model *model, struct sim_state *state, struct contact_set *contacts,
                           struct sim_solver *solver, struct step_report *report, uint32_t number);

/* Vertices that follow from others: of rigid bodies, bonded to them, embedded. */
void solver_place_vertices(const struct sim_model *model, struct sim_state *state);

#endif
