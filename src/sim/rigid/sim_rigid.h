/* Bodies that move as wholes: rigid bodies by their equations of motion, prescribed ones by their keyframes. */
#ifndef DENT_SIM_SIM_RIGID_H
#define DENT_SIM_SIM_RIGID_H

#include "sim/model/sim_state.h"

/* Workspace of a substep, by rigid body. */
struct rigid_motion {
    dent_rigid_state *previous; /* at its beginning, with the velocities of free flight */
    dent_rigid_state *free;     /* where free flight alone takes it */
    double *last;               /* velocities at its beginning, linear and angular: 6 per body */
};

/* ---- rigid_dynamics.c -------------------------------------------------------------------------------------------- */
dent_status rigid_build(struct sim_model *model, struct sim_state *state, struct rigid_motion *motion);
void rigid_predict(const struct sim_model *model, struct sim_state *state, struct rigid_motion *motion);
void rigid_finish(const struct sim_model *model, struct sim_state *state, const struct rigid_motion *motion);
void rigid_place_vertices(const struct sim_model *model, struct sim_state *state); /* positions from poses */
void rigid_vertex_velocities(const struct sim_model *model, struct sim_state *state);
double rigid_spin_energy(const struct sim_rigid *rigid, const dent_rigid_state *state); /* of its turning */
void rigid_rotation(const double *quaternion, double matrix[9]);
void rigid_turn(dent_rigid_state *state, const double *angle); /* to first order */
/* Gives a pose the angular velocity with which it has the angular momentum of another one of the same body; less where
 * that would take more energy, since a turned body need not be on its way of free flight. */
void rigid_keep_spin(const struct sim_model *model, uint32_t rigid, const dent_rigid_state *from, dent_rigid_state *to);
/* The inverse of a matrix of inertia; false when that is singular. */
bool rigid_invert_inertia(const double inertia[9], double inverse[9]);
/* Adds points to a rigid body at its start: moments[0] mass, [1..3] first, [4..9] second moments (xx xy xz yy yz zz) in
 * the body's frame, whose origin moves to the new centre of mass, by `shift` of the old frame. */
void rigid_add_mass(struct sim_model *model, struct sim_state *state, uint32_t rigid, const double moments[10],
                    double shift[3]);

/* ---- prescribed_motion.c ----------------------------------------------------------------------------------------- */
/* Puts prescribed bodies and fixed vertices where they are at `time`; scratch: 3 doubles per vertex. */
void motion_apply(const struct sim_model *model, struct sim_state *state, double *scratch, double time);
/* The rotation of keyframes at a time, by rows. There is at least one. */
void motion_turn(const dent_sim_motion *motion, double time, double turn[9]);

#endif
