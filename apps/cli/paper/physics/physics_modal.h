/* physics_modal.h — the reference of the beam rows: the linear equations of a tetrahedral mesh with lumped masses,
 * solved directly. This is what the simulator must converge to for small amplitudes as its step is halved, on the same
 * mesh with the same element, whatever its solver does. */
#ifndef DENT_PHYSICS_MODAL_H
#define DENT_PHYSICS_MODAL_H

#include "physics_stage.h"

typedef struct physics_modal {
    dent_context *context;
    uint32_t vertex_count, unknowns;
    uint32_t *places; /* by vertex: its first unknown; UINT32_MAX: fixed */
    double *masses;   /* by vertex, kg */
    double *factor;   /* Cholesky factor of the stiffness matrix, dense, by rows */
} physics_modal;

/** The vertices with x <= limit are fixed. False: no memory, or the matrix is not positive. Dense: for at most some
 * hundred vertices. */
bool physics_modal_open(physics_modal *modal, const physics_mesh *mesh, const dent_sim_material *material,
                        double limit);
void physics_modal_close(physics_modal *modal);

/** Displacements (3 per vertex) under the forces of gravity. */
void physics_modal_sag(const physics_modal *modal, const double gravity[3], double *displacements);
/** The lowest mode: angular frequency, rad/s, and shape (3 per vertex) with modal mass 1. */
double physics_modal_first(const physics_modal *modal, double *shape);
/** Sum of mass * shape * displacement: the coordinate of the mode. */
double physics_modal_coordinate(const physics_modal *modal, const double *shape, const double *rest,
                                const double *positions);

/** The angle by which the damped oscillation that fits the samples best turns from one to the next, rad; 0: they do not
 * oscillate. */
double physics_swing_angle(const double *samples, int count);

/** The beam of the rows: 1 m x 0.15 m x 0.1 m, clamped where x <= PHYSICS_CLAMP_LIMIT, 12 x 2 x 2 cells. */
#define PHYSICS_BEAM_LENGTH 1.0
#define PHYSICS_CLAMP_LIMIT 1e-9
physics_mesh physics_beam_mesh(dent_context *context);

#endif
