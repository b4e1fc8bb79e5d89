/* The way of a repositioning cycle: reposition.c wants it, reposition_path.c says how far it is free. */
#ifndef DENT_SIM_REPOSITION_PATH_H
#define DENT_SIM_REPOSITION_PATH_H

#include "sim/step/sim_step.h"

/* An elastic body seen as a rigid one. */
struct whole {
    bool counts;
    dent_rigid_state before, now;
};

/* A pair of bodies that overlap when a cycle begins: such bodies must be free to part. */
struct overlapping_pair {
    uint32_t body_a, body_b;
};

struct reposition_path {
    double *fractions, *shares; /* by body: how far it goes of what it should; of that, after a round */
    struct overlapping_pair *overlapping;
    uint64_t overlapping_count, overlapping_capacity;
};

dent_status reposition_path_create(dent_sim *sim, struct reposition_path *path);
void reposition_path_destroy(dent_sim *sim, struct reposition_path *path);
/* Before a cycle moves anything, with the world at its positions. */
dent_status reposition_path_begin(dent_sim *sim, struct reposition_path *path);
/* When positions, poses and wholes are where the cycle wants them: bodies that would meet others on straight ways from its
 * beginning stay before them. Adds to report->impacts and report->stopped. */
dent_status reposition_path_limit(dent_sim *sim, struct reposition_path *path, const struct whole *wholes,
                                  dent_sim_reposition_report *report);
void reposition_move_whole(struct sim_state *state, const struct sim_body *body, const struct whole *whole,
                           const dent_rigid_state *to, const double *start);

#endif
