/* The minimisation of a substep: its workspace, shared by minimise.c, minimise_terms.c, newton_step.c and momentum.c.
 * Vectors have 3 numbers per vertex, then 6 per rigid body (displacement, rotation about its centre); those of what
 * does not move are 0. */
#ifndef DENT_SIM_MINIMISE_H
#define DENT_SIM_MINIMISE_H

#include "coarse_space.h"
#include "elastic_pass.h"
#include "float_solve.h"
#include "point_terms.h"
#include "rod_pass.h"

/* An island of bodies: what lacks of its momentum. */
struct island_sums {
    double mass, lack[3];
    bool outside; /* it pushes against what stands */
};

struct minimiser {
    uint32_t most_iterations; /* of Newton's method; 0: by the size of the scene */
    bool patient;             /* linear equations are solved to the end, whatever it costs */
    double step;              /* H of the present substep */
    struct inertia_terms inertia;
    double mass; /* of all elastic bodies */
    double *targets; /* 3 per vertex: where inertia alone would take it */
    double *start;   /* 3 per vertex: where velocities are measured from */
    dent_rigid_state *rigid_targets;
    struct point_terms terms;
    uint64_t first_spring; /* among the terms: those of the springs of the def */
    uint64_t first_joint;  /* those of joints, until the last */
    struct load_work *loads;
    struct pass_work pass;
    struct rod_work rods;
    struct coarse_space space;
    struct float_system floats; /* built where the factor does not solve the equations */
    size_t size; /* of a vector */
    double *gradient, *residual, *direction, *product, *preconditioned, *solution;
    double *partial; /* sums of blocks */
    double *trial;   /* positions */
    dent_rigid_state *trial_rigids;
    double *velocities; /* at the beginning of the substep */
    double stored_before; /* by the terms, at the beginning of the substep */
    uint8_t *piece_pushed; /* by piece: a contact or attachment acts on it */
    uint32_t *islands; /* by body */
    struct island_sums *island_sums; /* by island */
    double *mode_squares; /* by body: of its lowest angular frequency; 0: not elastic */
    double *holding;   /* by rigid body: stiffness of what holds it, at rest */
    struct sim_spring *new_springs;
    uint64_t new_spring_capacity;
    bool interval_begins, inertia_changed; /* since the preconditioner was made */
    uint8_t *body_held; /* some vertices do not move, or not in all directions */
    uint8_t *one_step; /* by body, at the root of its island: implicit Euler in this interval (two_step.c) */
    uint8_t *two_step; /* by vertex: BDF2 in this substep */
    double line[LINE_TERMS], line_rest[2]; /* the sum along the last trial: of tetrahedra; inertia and damping */
    double line_energy; /* of tetrahedra, by blocks also of cloth: along the last trial */
    double elastic_change; /* the same since the beginning of the substep */
    bool change_known;     /* elastic_change includes the start of the search: by blocks only once a step has been tried */
    bool jumped;           /* the search began elsewhere than the substep, chosen without elements */
    double jump, step_change; /* of the sum, by that and by the last step; jump without elements */
    dent_rigid_state *search_rigids, *solved_rigids; /* poses where the search began and ended */
    uint64_t substep_count, solves, products, lines; /* counters since creation */
};

/* ---- newton_step.c ----------------------------------------------------------------------------------------------- */

/* Lowers the sum from the present positions and poses until it is least. */
dent_status newton_minimise(const struct sim_model *model, struct sim_state *state, struct minimiser *work);
/* solution = A^-1 residual, roughly; out = A direction. At the present positions. */
void newton_solve(const struct sim_model *model, struct sim_state *state, struct minimiser *work);
void newton_gradient(const struct sim_model *model, const struct sim_state *state, struct minimiser *work);
void newton_product(const struct sim_model *model, const struct sim_state *state, struct minimiser *work,
                    double *direction, double *out);
/* Inertia in space at an orientation, times a vector. */
void newton_inertia_times(const struct sim_rigid *rigid, const double *orientation, const double *vector,
                          double out[3]);
/* Where the present velocities lead (work->solution), or less far: where the search begins. */
void newton_start(const struct sim_model *model, struct sim_state *state, struct minimiser *work);

/* The largest w h of a mode that moves with 95 % of its stiffness. */
#define SUBSTEP_RESOLVES 0.28

/* ---- substep_choice.c -------------------------------------------------------------------------------------------- */

/* Squares of the lowest angular frequency of each body, into work->mode_squares. Inertia is that of the whole step. */
dent_status substeps_modes(const struct sim_model *model, struct sim_state *state, struct minimiser *work);
uint32_t substeps_choose(const struct sim_model *model, const struct minimiser *work);
void substeps_report(const struct sim_model *model, const struct minimiser *work); /* modes that are not resolved */

/* ---- two_step.c -------------------------------------------------------------------------------------------------- */

/* When the contacts of an interval have become terms; at the beginning of a substep; at its end. */
void two_step_begin_interval(const struct sim_model *model, struct minimiser *work);
void two_step_choose(const struct sim_model *model, const struct sim_state *state, struct minimiser *work);
void two_step_keep(const struct sim_model *model, struct sim_state *state, const double *previous,
                   struct minimiser *work);

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
/* When bodies were put elsewhere since: at `part` of what friction was stretched by in the substep. */
void terms_go_back(struct sim_state *state, struct minimiser *work, double part);

/* Of a term that keeps two points of bodies together (SIM_NONE: of space). */
double terms_hard_stiffness(const struct sim_model *model, const struct sim_state *state, const struct minimiser *work,
                            const struct point_term *term, const uint32_t bodies[2]);

/* ---- joint_terms.c ----------------------------------------------------------------------------------------------- */
enum { TERMS_PER_JOINT = 3 };
/* Adds the terms of joints whose bodies the minimisation moves. */
void joint_terms_add(const struct sim_model *model, const struct sim_state *state, const struct minimiser *work,
                     struct point_terms *terms);

/* ---- energy_limit.c ---------------------------------------------------------------------------------------------- */

/* Notes what the terms store at the beginning of the substep. Uses work->trial. */
void energy_begin(const struct sim_model *model, const struct sim_state *state, struct elastic_work *elastic);

/* ---- momentum.c -------------------------------------------------------------------------------------------------- */
/* From positions and velocities at the beginning of the substep. The terms are linearised at its end. */
void momentum_keep(const struct sim_model *model, struct sim_state *state, const double *previous,
                   const double *velocities, struct minimiser *work);
/* Islands that push against nothing else: the sum of their momenta is kept, to rounding. */
void momentum_keep_islands(const struct sim_model *model, struct sim_state *state, const dent_rigid_state *rigids,
                           struct minimiser *work);
/* Once: which bodies are held. */
void momentum_note_held(const struct sim_model *model, struct minimiser *work);
/* Takes the motion of free pieces as wholes out of a field of velocities. */
void momentum_remove_whole(const struct sim_model *model, const struct sim_state *state, double *velocities);
/* Kinetic energy of motions that change no momentum: within free pieces, and of bodies that are held. */
double momentum_inner_energy(const struct sim_model *model, const struct sim_state *state, struct minimiser *work);
/* Multiplies velocities relative to the mean of their island (of islands that push against what stands: all of it) by
 * the factor; returns their kinetic energy before. The sums of momentum_keep_islands are used. */
double momentum_scale_islands(const struct sim_model *model, struct sim_state *state, struct minimiser *work,
                              double factor);
void momentum_scale_inner(const struct sim_model *model, struct sim_state *state, struct minimiser *work,
                          double factor);

#endif
