/* Rigid bodies that touch one another are solved together, and sleep where they rest.
 *
 *   reads   the model; the contacts of the interval; poses and velocities
 *   writes  poses and velocities of rigid bodies, their contacts' forces, and who sleeps: all of struct sim_state
 *   keeps   struct rigid_islands, made anew for every interval
 *
 * An island is what contacts connect: rigid bodies, directly or by way of others; prescribed bodies connect nothing. An
 * island that the minimisation moves (elastic_work.solved) is left to it: contacts that are solved here are marked in
 * contact_set.owned. */
#ifndef DENT_SIM_RIGID_ISLANDS_H
#define DENT_SIM_RIGID_ISLANDS_H

#include "sim/rigid/island_solver.h"
#include "sim_contacts.h"

struct row_cluster; /* contact_reduction.c */

struct rigid_islands {
    /* by rigid body of the model */
    double *radii;
    uint32_t *slots; /* its place in `bodies`, SIM_NONE: in no island */
    bool *tied;      /* held by attachments: never sleeps */
    /* by body of the model */
    uint32_t *parents; /* union-find */
    bool *foreign;     /* by root: with an elastic body */
    /* of the interval */
    struct island *islands;
    struct island_body *bodies;
    uint32_t *levels, *heads; /* by place in `bodies`: distance from support; lists of pairs while they are made */
    struct island_row *rows;
    struct block_pair *pairs;
    uint32_t *links; /* by pair, while they are made */
    uint64_t row_capacity, pair_capacity, link_capacity;
    uint32_t island_count, body_count, row_count, pair_count;
    struct joint_row *joints;     /* JOINT_ROWS per joint at most */
    uint32_t *joint_counts;       /* rows of joints, by rigid body that is the root of its island */
    struct row_cluster *clusters; /* while rows are reduced */
    uint64_t cluster_capacity;
    struct block_room room;
    struct island_exact *exact; /* one per worker; null: not wanted */
    uint32_t exact_count;
    double *vectors; /* 24 per rigid body: free, velocity, gradient, step */
};

dent_status islands_build(struct sim_model *model, struct rigid_islands *islands);
void islands_tie_joints(const struct sim_model *model,
                        struct rigid_islands *islands); /* bodies of joints never sleep */
void islands_destroy(dent_context *context, struct rigid_islands *islands);

/* At the beginning of an interval: which contacts make which islands. */
dent_status islands_begin(const struct sim_model *model, struct contact_set *contacts, const struct elastic_work *work,
                          struct rigid_islands *islands);

/* Gives each body of an island the least level that is one above a neighbour's; those that have none: SIM_NONE. */
void islands_spread_levels(const struct rigid_islands *islands, const struct island *island);

/* ---- of a substep, in this order; `start`: positions at its beginning --------------------------------------------- */

/* When prescribed bodies are where they will be, before rigid bodies are predicted: who wakes. */
void islands_wake(const struct sim_model *model, struct sim_state *state, const struct contact_set *contacts,
                  const double *start, struct rigid_islands *islands);
/* Poses at the end of the substep, with friction; adds to contacts->reported. */
dent_status islands_push(const struct sim_model *model, struct sim_state *state, struct contact_set *contacts,
                         const double *start, const struct rigid_motion *motion, struct rigid_islands *islands,
                         struct step_report *report);
/* When velocities are known: restitution, recovery from overlap, and who falls asleep. */
dent_status islands_settle(const struct sim_model *model, struct sim_state *state, const struct contact_set *contacts,
                           const struct rigid_motion *motion, struct rigid_islands *islands,
                           struct step_report *report);

/* Then, of islands that the minimisation moved, too: the work of motors and springs in the substep, at most. */
/* In islands with elastic bodies: what motors did in the substep, and springs gave that are joints. */
double islands_outer_work(const struct sim_model *model, const struct rigid_islands *islands,
                          const dent_rigid_state *before, const dent_rigid_state *now);
/* What motors did in the others. */
double islands_motor_work(const struct rigid_islands *islands);

/* ---- contact_reduction.c ----------------------------------------------------------------------------------------- */

/* Marks the rows that others imply, and puts them last. */
dent_status rows_reduce(const struct sim_model *model, const struct contact_set *contacts,
                        struct rigid_islands *islands);
void rows_release(dent_context *context, struct rigid_islands *islands);

/* ---- island_momentum.c ------------------------------------------------------------------------------------------- */

/* Mass and inertia in space of a body at a pose. */
void island_fill_body(const struct sim_model *model, const dent_rigid_state *pose, struct island_body *body);
/* Slows an island down to twice a kinetic energy; one that nothing supports keeps momentum and angular momentum. */
void momentum_limit_energy(struct sim_state *state, const struct island_problem *problem, double most);
/* Displaces the bodies of an island (6 numbers each, times `share`); momentum and angular momentum stay. */
void momentum_displace(const struct sim_model *model, struct sim_state *state, const struct island_problem *problem,
                       const double *displacement, double share);

/* ---- island_energy.c ---------------------------------------------------------------------------------------------- */

/* At creation, islands being made: what overlap at the start stores. */
void island_energy_note_overlap(const struct sim_model *model, struct sim_state *state,
                                const struct contact_set *contacts, struct rigid_islands *islands);
/* At the beginning of an interval: islands without overlap, and bodies in none, store nothing. */
void island_energy_forget(const struct sim_model *model, struct sim_state *state, const struct contact_set *contacts,
                          const struct rigid_islands *islands);
/* Of all bodies. */
struct rigid_book island_energy_books(const struct sim_model *model, const struct sim_state *state);

/* ---- rigid_joints.c ---------------------------------------------------------------------------------------------- */

enum { JOINT_ROWS = 11 };

/* The body that says which island a joint belongs to. */
uint32_t joint_owner(const struct sim_model *model, const struct sim_joint *joint);
uint32_t joint_row_count(const struct sim_joint *joint);
/* Adds the rows of a joint to its island; sides by places in islands->bodies. */
void joint_place_rows(const struct sim_model *model, uint32_t number, struct rigid_islands *islands,
                      struct island *island);

/* What a problem of an island asks of its joints. */
enum joint_purpose {
    JOINT_PUSH,    /* velocities that lead to where the joint holds; motors, springs and limits act */
    JOINT_PROJECT, /* velocities that keep it, where bodies are now */
    JOINT_RECOVER  /* displacements that take its error out */
};
/* Directions and targets of the rows at given poses; returns the largest error, as a length. */
double joints_prepare(const struct sim_model *model, struct sim_state *state, const dent_rigid_state *poses,
                      const struct island_problem *problem, enum joint_purpose purpose);
/* The push without arcs, from nothing: equations of first order, which give no energy. */
void joints_straighten(const struct island_problem *problem);
double joints_fastest(const struct island_problem *problem); /* what motors and springs ask for */
/* What motors and springs may have done, at most: after the push, an energy. */
double joints_work(const struct island_problem *problem);
/* Of motors: their impulse times the mean of the speeds before and after; and a bound for it. */
double joints_motor_work(const struct sim_model *model, const struct island_problem *problem, double *most);
/* Keeps impulses and reactions of the push; adds those of the projection. */
void joints_keep(const struct sim_model *model, struct sim_state *state, const struct island_problem *problem,
                 enum joint_purpose purpose);
/* Positions and speeds of all joints, at the end of a substep. */
void joints_measure(const struct sim_model *model, struct sim_state *state);
/* Energy of joints that are springs. */
double joint_stored(const struct sim_joint *joint, const dent_rigid_state *poses);
double joints_stored(const struct sim_model *model, const dent_rigid_state *poses);

/* ---- joint_energy.c: of islands with joints -------------------------------------------------------------------------- */

/* Before the push, rows being measured: what the island has. */
void joint_energy_begin(const struct sim_model *model, const struct sim_state *state, const struct rigid_motion *motion,
                        const struct island_problem *problem);
/* The velocities of the push have more than the island can pay. */
bool joint_energy_exceeded(const struct sim_model *model, const struct sim_state *state,
                           const struct island_problem *problem);
/* How much of the displacements of a recovery, at most `share`, the island can pay. */
double joint_energy_share(const struct sim_model *model, const struct sim_state *state, const struct rigid_motion *motion,
                          const struct island_problem *problem, double share);
/* At the end of a substep: velocities pay for what is too much. */
void joint_energy_end(const struct sim_model *model, struct sim_state *state, const struct rigid_motion *motion,
                      const struct island_problem *problem);

/* ---- rigid_rest.c ------------------------------------------------------------------------------------------------ */

/* Wakes a body, or all of them (SIM_NONE). */
void rigid_wake(const struct sim_model *model, struct sim_state *state, uint32_t rigid);
/* The islands that have a body awake are active. */
void rest_wake_islands(const struct sim_model *model, struct sim_state *state, struct rigid_islands *islands);
/* After a substep: islands that have stood still long enough fall asleep. */
void rest_put_to_sleep(const struct sim_model *model, struct sim_state *state, const struct rigid_islands *islands);

#endif
