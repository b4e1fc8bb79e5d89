/* The elastic solver: what elastic bodies, the rigid bodies they meet, attachments and grabs do in a substep.
 *
 *   reads   the model; the contacts as found (struct contact_set)
 *   writes  positions, poses of the rigid bodies it solves for, springs of contacts: all of struct sim_state
 *   keeps   struct elastic_work, of which nothing outlives an interval between detections
 *
 * One sum is minimised: inertia, elasticity, damping, contacts with friction, attachments, grabs (minimise.c). Bodies
 * whose island has neither elastic bodies nor attachments are left to others (contacts/rigid_islands.c). */
#ifndef DENT_SIM_SIM_ELASTIC_H
#define DENT_SIM_SIM_ELASTIC_H

#include "sim/elements/sim_elements.h"
#include "sim/loads/load_model.h"
#include "sim/rigid/sim_rigid.h"

struct minimiser; /* minimise.h */

/* The contacts of an interval between two detections. state->forces and state->springs lie beside them, one for each. */
struct contact_set {
    dent_contact *records; /* as handed to the solvers: on hosts instead of embedded bodies, gaps less those to keep */
    dent_sim_contact *reported;
    uint64_t count, capacity, reported_capacity;
    bool *owned; /* by contact: solved in an island of rigid bodies (contacts/rigid_islands.h) */
    uint64_t owned_count, owned_capacity; /* 0 after a search, until islands are made of what it found */
    dent_rigid_state *rigid_detected; /* poses of the rigid bodies when they were found */
    uint32_t substeps;                /* of the interval */
};

/* One side of a contact. */
struct contact_side {
    uint32_t body;
    const uint32_t *vertices;      /* four of the body, or SIM_NONE */
    const double *weights, *point; /* where it was found */
    size_t first;                  /* vertex of the body */
    double sign;                   /* of the normal force on it: 1 on side a (0), -1 on side b (1) */
};

static inline struct contact_side contact_side(const struct sim_model *model, const dent_contact *contact, int side)
{
    uint32_t body = side == 0 ? contact->body_a : contact->body_b;
    size_t first = model->bodies[body].first_vertex;
    return side == 0
               ? (struct contact_side){body, contact->vertices_a, contact->weights_a, contact->point_a, first, 1}
               : (struct contact_side){body, contact->vertices_b, contact->weights_b, contact->point_b, first, -1};
}

/* Workspace. */
struct elastic_work {
    double *previous; /* positions at the beginning of a substep, … */
    dent_rigid_state *previous_rigids; /* … and poses */
    uint8_t *solved;  /* by body: it is in an island that the minimisation moves */
    struct load_work loads;
    double *places;  /* 3 per vertex, with strands: where their directors belong while vertices are put elsewhere */
    double time;     /* at the end of the present substep, s */
    bool has_result; /* of a substep: what reactions and residuals are read from */
    struct minimiser *minimiser;
};

/* ---- creation ---------------------------------------------------------------------------------------------------- */

/* minimise.c: calls the others. Positions are those at the start; iterations 0: chosen here. */
dent_status elastic_build(struct sim_model *model, struct sim_state *state, struct elastic_work *work,
                          uint32_t iterations);
void elastic_destroy(dent_context *context, struct elastic_work *work);

/* ---- minimise.c -------------------------------------------------------------------------------------------------- */

/* At the beginning of an interval, when its contacts have been found: islands, terms of contacts. */
dent_status elastic_begin(const struct sim_model *model, struct sim_state *state, const struct contact_set *contacts,
                          struct elastic_work *work);
/* At creation: what overlap at the start stores, into the state. */
void elastic_note_overlap(const struct sim_model *model, struct sim_state *state, const struct contact_set *contacts,
                          struct elastic_work *work); /* minimise_terms.c */
/* A substep of everything in `solved`; prescribed bodies are where they will be at its end, other rigid bodies where
 * free flight takes them. Positions, velocities and poses afterwards are those at its end. */
dent_status elastic_substep(const struct sim_model *model, struct sim_state *state, struct contact_set *contacts,
                            const struct rigid_motion *motion, struct elastic_work *work);

/* The highest of the lowest angular frequencies of all elastic bodies, rad/s, and whose it is; 0 without any. */
double elastic_fastest_mode(const struct sim_model *model, const struct elastic_work *work, uint32_t *body);

/* substep_choice.c: the share of its stiffness with which a mode vibrates that turns by so much in a substep, rad. */
double elastic_kept_stiffness(double turn);

/* ---- energy_limit.c ---------------------------------------------------------------------------------------------- */

/* At the end of a substep, when all velocities are known: energy that the solved bodies have more than at its beginning
 * and than `outer`, the work of motors, is taken away again. True: not from velocities alone, bodies went back a part of the way. */
bool elastic_limit_energy(const struct sim_model *model, struct sim_state *state, struct elastic_work *work,
                          double outer);

/* ---- joint_terms.c ----------------------------------------------------------------------------------------------- */

/* Adds what the terms of joints pull to their reactions, after the island solver. */
void elastic_joint_reactions(const struct sim_model *model, struct sim_state *state, const struct elastic_work *work);

/* ---- elastic_pass.c ---------------------------------------------------------------------------------------------- */

/* The force its elements put on a vertex, without dampers. */
void elastic_force(const struct sim_model *model, const struct sim_state *state, uint32_t vertex, double force[3]);
double elastic_body_energy(const struct sim_model *model, const struct sim_state *state, uint32_t body);

/* ---- minimise_terms.c -------------------------------------------------------------------------------------------- */

/* The energy of contacts and attachments, and the forces of the attachments on end a: 3 per attachment. */
double elastic_term_energy(const struct sim_model *model, const struct sim_state *state,
                           const struct elastic_work *work);
void elastic_attachment_forces(const struct sim_model *model, const struct sim_state *state,
                               const struct elastic_work *work, double *forces);

/* ---- reactions.c: of the last substep, 0 without one ------------------------------------------------------------- */
void elastic_reaction(const struct sim_model *model, const struct sim_state *state, const struct elastic_work *work,
                      uint32_t support, double force[3]);
void elastic_spring_force(const struct elastic_work *work, uint32_t spring, double force[3]); /* on its end a */
/* How hard it pulls its ends together; negative: it pushes them apart. */
double elastic_spring_pull(const struct sim_state *state, const struct elastic_work *work, uint32_t spring);
/* Unbalanced forces, as a share of those of elements and inertia. */
double elastic_residual(const struct sim_model *model, const struct sim_state *state, const struct elastic_work *work);

#endif
