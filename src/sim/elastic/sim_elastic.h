/* The elastic solver: what elastic bodies, the rigid bodies they meet, attachments and grabs do in a substep.
 *
 *   reads   the model; the contacts as found (struct contact_set)
 *   writes  positions, poses of the rigid bodies it solves for, springs of contacts: all of struct sim_state
 *   keeps   struct elastic_work, of which nothing outlives an interval between detections
 *
 * One sum is minimised: inertia, elasticity, damping, contacts with friction, attachments, grabs (minimise.c). Bodies
 * whose island has neither elastic bodies nor attachments are left to others (contacts/contact_forces.c). */
#ifndef DENT_SIM_SIM_ELASTIC_H
#define DENT_SIM_SIM_ELASTIC_H

#include "sim/rigid/sim_rigid.h"

struct minimiser; /* minimise.h */

/* The contacts of an interval between two detections. state->forces and state->springs lie beside them, one for each. */
struct contact_set {
    dent_contact *records; /* as handed to the solvers: on hosts instead of embedded bodies, gaps less those to keep */
    dent_sim_contact *reported;
    uint64_t count, capacity, reported_capacity;
    dent_rigid_state *rigid_detected; /* poses of the rigid bodies when they were found */
    uint32_t substeps;                /* of the interval */
};

/* Workspace. */
struct elastic_work {
    double *previous; /* positions at the beginning of a substep, … */
    dent_rigid_state *previous_rigids; /* … and poses */
    uint8_t *solved;  /* by body: it is in an island that the minimisation moves */
    struct minimiser *minimiser;
};

/* ---- creation ---------------------------------------------------------------------------------------------------- */

/* minimise.c: calls the others. Positions are those at the start; iterations 0: chosen here. */
dent_status elastic_build(struct sim_model *model, struct sim_state *state, struct elastic_work *work,
                          uint32_t iterations);
void elastic_destroy(dent_context *context, struct elastic_work *work);
dent_status elastic_mesh_build(struct sim_model *model); /* elastic_mesh.c */

/* ---- minimise.c -------------------------------------------------------------------------------------------------- */

/* At the beginning of a step: what it will report starts at 0. */
void elastic_begin_step(struct elastic_work *work);
/* What share of its residual the worst substep of the step has left. */
double elastic_residual(const struct elastic_work *work);
/* At the beginning of an interval, when its contacts have been found: islands, terms of contacts. */
dent_status elastic_begin(const struct sim_model *model, struct sim_state *state, const struct contact_set *contacts,
                          struct elastic_work *work);
/* A substep of everything in `solved`; prescribed bodies are where they will be at its end, other rigid bodies where
 * free flight takes them. Positions, velocities and poses afterwards are those at its end. */
dent_status elastic_substep(const struct sim_model *model, struct sim_state *state, struct contact_set *contacts,
                            const struct rigid_motion *motion, struct elastic_work *work);

/* The highest of the lowest angular frequencies of all elastic bodies, rad/s, and whose it is; 0 without any. */
double elastic_fastest_mode(const struct sim_model *model, const struct elastic_work *work, uint32_t *body);

/* ---- energy_limit.c ---------------------------------------------------------------------------------------------- */

/* At the end of a substep, when all velocities are known: energy that the solved bodies have more than at its beginning
 * is taken away again. */
void elastic_limit_energy(const struct sim_model *model, struct sim_state *state, struct elastic_work *work);

/* ---- elastic_pass.c, tet_elasticity.c ---------------------------------------------------------------------------- */

/* The force its elements put on a vertex, without dampers. */
void elastic_force(const struct sim_model *model, const double *positions, uint32_t vertex, double force[3]);
double elastic_body_energy(const struct sim_model *model, const double *positions, uint32_t body);
uint32_t elastic_inverted_cells(const struct sim_model *model, const double *positions);

/* ---- minimise_terms.c -------------------------------------------------------------------------------------------- */

/* The energy of contacts and attachments, and the forces of the attachments on end a: 3 per attachment. */
double elastic_term_energy(const struct sim_model *model, const struct sim_state *state,
                           const struct elastic_work *work);
void elastic_attachment_forces(const struct sim_model *model, const struct sim_state *state,
                               const struct elastic_work *work, double *forces);

#endif
