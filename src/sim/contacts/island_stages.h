/* The stages of a substep of rigid islands: what they share. rigid_islands.c calls them in their order. */
#ifndef DENT_SIM_ISLAND_STAGES_H
#define DENT_SIM_ISLAND_STAGES_H

#include "rigid_islands.h"

/* Overlap comes out by so many mean edges a second. */
#define RECOVERY_EDGES 2.0

enum { PUSH_ROUNDS = 12 };

struct islands_call {
    const struct sim_model *model;
    struct sim_state *state;
    const struct contact_set *contacts;
    const double *start;
    const struct rigid_motion *motion;
    struct rigid_islands *islands;
    uint32_t worker; /* the one that solves an island */
};

/* The problem of an island; its vectors are those of the island. */
struct island_problem island_problem_of(const struct islands_call *call, struct island *island);
/* The fastest point of the island: what tolerances are measured by. */
double island_fastest_point(const struct island_problem *problem, const double *velocity);
/* A prescribed body that touches the island moves. */
bool island_is_moved(const struct island_problem *problem);

/* ---- island_rows.c ----------------------------------------------------------------------------------------------- */

/* Before rows are measured: how the bodies of an island are turned. */
void islands_turn_bodies(const struct island_problem *problem, const dent_rigid_state *poses);
/* Normal, arms and gap of a row with the bodies at `poses` and prescribed vertices at `positions`. */
void row_measure(const struct islands_call *call, const struct island_body *bodies, struct island_row *row,
                 const dent_rigid_state *poses, const double *positions);
/* Overlap of a contact below this length is left. */
double row_least_overlap(const struct sim_model *model, const dent_contact *contact);
/* How prescribed sides move in the substep. */
void row_measure_drift(const struct islands_call *call, struct island_row *row);

/* ---- island_push.c, island_bounce.c, island_recovery.c ------------------------------------------------------------ */

void island_push(const struct islands_call *call, struct island *island);
void island_bounce(const struct islands_call *call, struct island_problem *problem);
void island_recover(const struct islands_call *call, struct island_problem *problem);

/* ---- island_energy.c ---------------------------------------------------------------------------------------------- */

/* At the end of a substep, before overlap is taken out: what it lost. */
void island_energy_book(const struct islands_call *call, const struct island_problem *problem);
/* Pays for displacements (problem->velocity, times `share`); returns the share that can be paid. */
double island_energy_pay(const struct islands_call *call, const struct island_problem *problem, double share);

#endif
