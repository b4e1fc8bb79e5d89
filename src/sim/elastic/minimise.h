/* The minimisation of a substep: its workspace, shared by minimise.c, minimise_terms.c, newton_step.c and momentum.c.
 * Vectors have 3 numbers per vertex, then 6 per rigid body (displacement, rotation about its centre); those of what
 * does not move are 0. */
#ifndef DENT_SIM_MINIMISE_H
#define DENT_SIM_MINIMISE_H

#include "coarse_space.h"
#include "elastic_pass.h"
#include "point_terms.h"

struct minimiser {
    uint32_t most_iterations; /* of Newton's method */
    double step;              /* H of the present substep */
    struct inertia_terms inertia;
    double mass; /* of all elastic bodies */
    double *targets; /* 3 per vertex: where inertia alone would take it */
    double *start;   /* 3 per vertex: where velocities are measured from */
    dent_rigid_state *rigid_targets;
    struct point_terms terms;
    struct pass_work pass;
    struct coarse_space space;
    size_t size; /* of a vector */
    double *gradient, *residual, *direction, *product, *preconditioned, *solution;
    double *partial; /* sums of blocks */
    double *trial;   /* positions */
    dent_rigid_state *trial_rigids;
    double *velocities; /* at the beginning of the substep */
    double stored_before; /* by the terms, at the beginning of the substep */
    uint8_t *piece_pushed; /* by piece: a contact or attachment acts on it */
    uint32_t *islands; /* by body */
    double *holding;   /* by rigid body: stiffness of what holds it, at rest */
    struct sim_spring *new_springs;
    uint64_t new_spring_capacity;
    bool interval_begins;
    uint64_t solves, products; /* counters since creation */
};

/* ---- newton_step.c ----------------------------------------------------------------------------------------------- */

/* Lowers the sum from the present positions and poses until it is least. */
dent_status newton_minimise(const struct sim_model *model, struct sim_state *state, struct minimiser *work);
/* Goes along `direction` (in work->solution) as far as the sum falls, at most all of it; false: not at all. */
bool newton_advance(const struct sim_model *model, struct sim_state *state, struct minimiser *work, double slope);
double vector_dot(const struct sim_model *model, struct minimiser *work, const double *a, const double *b);

/* ---- minimise_terms.c -------------------------------------------------------------------------------------------- */
void islands_find(const struct sim_model *model, const struct sim_state *state, const struct contact_set *contacts,
                  struct elastic_work *work);
void terms_build(const struct sim_model *model, struct minimiser *work); /* after the preconditioner */
dent_status terms_begin_interval(const struct sim_model *model, struct sim_state *state,
                                 const struct contact_set *contacts, struct elastic_work *work);
/* `before`: positions and poses at the beginning of the substep; prescribed bodies have moved since. */
void terms_begin_substep(const struct sim_model *model, struct sim_state *state, const struct placement *before,
                         struct minimiser *work);
/* Sliding forgets; forces are reported. */
void terms_end_substep(const struct sim_model *model, struct sim_state *state, struct contact_set *contacts,
                       struct minimiser *work);

/* ---- energy_limit.c ---------------------------------------------------------------------------------------------- */

/* Notes what the terms store at the beginning of the substep. Uses work->trial. */
void energy_begin(const struct sim_model *model, const struct sim_state *state, struct elastic_work *elastic);

/* ---- momentum.c -------------------------------------------------------------------------------------------------- */
/* From positions and velocities at the beginning of the substep. The terms are linearised at its end. */
void momentum_keep(const struct sim_model *model, struct sim_state *state, const double *previous,
                   const double *velocities, struct minimiser *work);
/* Kinetic energy of motions that change no momentum: within free pieces, and of bodies that are held. */
double momentum_inner_energy(const struct sim_model *model, const struct sim_state *state, struct minimiser *work);
void momentum_scale_inner(const struct sim_model *model, struct sim_state *state, struct minimiser *work,
                          double factor);

#endif
