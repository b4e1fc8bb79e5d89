/* dent/strand_response.h — contact forces for strands (hair, fibres, threads), written into your own buffers.
 *
 * The response functions of response.h push any bodies apart. The functions here treat a side of a contact as a strand.
 * It has a radius and a direction from root to tip. Its scales make it rougher against than with that direction.
 * Neighbours may lie beside it. They read the contacts of contact.h and the same dent_response_problem.
 *
 *   dent_strand_forces                adds penalty forces with friction of scales to your force array; writes the
 *                                     stiffness and damping blocks that implicit integrators need
 *   dent_strand_settle                moves strand vertices out of bodies and adjusts their velocities; the body does
 *                                     not move
 *   dent_strand_settle_on_spheres     the same for spheres, without a world and without contacts
 *
 * After "Hair interactions" (Cani, Bertails 2006), Plante and others 2001 and Bertails and others 2006. The changes
 * against these sources are in docs/methods/strand_response.md.
 *
 * The depth of a contact is radius a + radius b - contact.gap, so the contacts of `proximity` serve unchanged.
 *
 * Units: yours, but consistent. The bits are the same for any thread count, instruction set and machine.
 */
#ifndef DENT_STRAND_RESPONSE_H
#define DENT_STRAND_RESPONSE_H

#include <dent/response.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The data of a body's strands that a response needs beyond dent_response_body. A body that is no strand has
 *  strand_count 0. Its radius then is an offset of its surface. */
typedef struct dent_strand_shape {
    uint32_t strand_count; /**< 0: no strands */
    const uint32_t *first; /**< strand_count + 1 vertex indices, ascending: strand i has the vertices first[i] to
                                first[i + 1] - 1, from root to tip */
    double radius;         /**< >= 0, a length: of all vertices if `radii` is null */
    const double *radii;   /**< null, or one per vertex. A segment has the larger radius of its two ends */
} dent_strand_shape;

/* ---- the law ----------------------------------------------------------------------------------------------------- */

/** Normal force of a depth: zero without overlap, then growing with its square, then with slope `stiffness`.
 *
 *      depth <= 0              0
 *      depth <= smoothing      stiffness * depth^2 / (2 smoothing)
 *      depth  > smoothing      stiffness * (depth - smoothing / 2)
 *
 *  Force and slope are continuous. smoothing = 0 gives a plain spring. */
typedef struct dent_strand_law_value {
    double force;  /**< >= 0 */
    double slope;  /**< of the force by the depth */
    double energy; /**< integral of the force from 0 to the depth */
} dent_strand_law_value;
DENT_API dent_strand_law_value dent_strand_law(double stiffness, double smoothing, double depth);

/** Returns the roughness of scales. It is 1 if the obstacle slides from root to tip, 2 from tip to root, and 1 +
 *  sin(angle / 2) between. `velocity` is that of the obstacle relative to the strand, `direction` the unit direction of
 *  the strand from root to tip. Without motion, or if it is not finite: 1. Null: 0. */
DENT_API double dent_strand_roughness(const double velocity[3], const double direction[3]);

/* ---- forces ------------------------------------------------------------------------------------------------------ */

/** Derivatives of the force of one contact, for implicit integrators. With x = xa - xb, v = va - vb and F the force on a:
 *  -dF/dx = stiffness - geometric * (I - n n^T), -dF/dv = damping. The block between the vertices i and j is this
 *  matrix times the product of their weights, negative if they are on different sides. Leave `geometric` out for a
 *  positive semi-definite matrix. */
typedef struct dent_strand_block {
    double stiffness[9]; /**< by rows: the slope of the normal law times n n^T */
    double damping[9];   /**< by rows: normal damping on n n^T, viscosity on I - n n^T. Of a capped friction: the
                              viscosity that gives the capped force at this speed */
    double geometric;    /**< normal force / |xa - xb|; 0 where the points coincide */
    double energy;       /**< of the normal law */
} dent_strand_block;

typedef struct dent_strand_forces_def {
    size_t struct_size;
    const dent_strand_shape *shapes; /**< by body index, problem.body_count of them; null (default): no body has
                                          strands or a radius */
    double stiffness;          /**< k, force per length; 0 (default): 10 * m_eff * gravity / smoothing length, where
                                 1 / m_eff is the mobility of the contact */
    double gravity;            /**< acceleration for that default, > 0; default 9.81 */
    double smoothing;          /**< smoothing length as a share of the larger radius; >= 0, default 0.1 */
    double viscosity;          /**< nu of smooth scales, force per speed; >= 0, default 1e-4 */
    double damping_ratio;      /**< share of critical damping along the normal of crossing strands and of bodies; >= 0,
                                 default 2. Then strands leave with less than a twentieth of the speed of impact. The
                                 normal force never pulls */
    double parallel_stiffness; /**< share of k left between parallel strands; 0 (default, they may overlap) to 1 */
    double parallel_viscosity; /**< nu between parallel strands; >= 0, default 1e-4 */
    double cosine_crossing; /**< |cosine| of the angle between two strands up to which they cross; default cos 45 deg */
    double cosine_parallel; /**< from which they are parallel, above cosine_crossing; default cos 20 deg. In between
                                 both laws are blended by a smooth step */
    bool coulomb;           /**< default true: friction of crossing strands and of bodies is at most friction_kinetic of
                                 the material times the normal force */
    bool explicit_limits;   /**< default true: stiffness, damping and viscosity are lowered where one explicit step
                                 (symplectic Euler) of problem.time_step would overshoot. False: for implicit
                                 integrators */
    dent_strand_block *blocks; /**< null (default), or room for problem.contact_count: written, zero for contacts that
                                    do not push */
} dent_strand_forces_def;
DENT_API dent_strand_forces_def dent_strand_forces_def_default(void);

/** Adds the forces of all contacts with a positive depth to `forces` and `rigid_forces` of the bodies. Arrays are used
 *  as in the column "penalty" of dent_response_body; `positions` are read too, for the directions of strands. A vertex
 *  takes the direction from its previous to its next vertex. A strand body that is rigid has no direction: its friction
 *  is that of smooth scales.
 *
 *  Two strands: roughness is the mean of both. With a surface: that of the strand. problem.previous is ignored; friction
 *  has no memory. problem.forces are written as for dent_penalty_forces, slip is 0; the state is STICKING while friction
 *  is below its cap. Contacts whose radii are not finite or negative are rejected and counted.
 *
 *  Failure: nothing is changed; INVALID_ARGUMENT also if `first` of a shape is not ascending or exceeds vertex_count.
 *  `report` may be null. Cost: O(contacts). */
DENT_API dent_status dent_strand_forces(dent_response *response, const dent_response_problem *problem,
                                        const dent_strand_forces_def *def, dent_response_report *report);

/* ---- strands against bodies -------------------------------------------------------------------------------------- */

typedef struct dent_strand_settle_def {
    size_t struct_size;
    const dent_strand_shape *shapes; /**< as in dent_strand_forces_def */
    uint32_t sweeps;                 /**< passes over the contacts, >= 1; default 1 */
} dent_strand_settle_def;
DENT_API dent_strand_settle_def dent_strand_settle_def_default(void);

typedef struct dent_strand_settle_report {
    uint64_t moved;    /**< contacts (spheres: vertices and segments) that were inside and were moved out */
    uint64_t sticking; /**< of these: the tangential velocity became that of the body */
    uint64_t sliding;  /**< of these: friction only slowed it */
    uint64_t leaving;  /**< of these: already moving outward, velocity unchanged */
    uint64_t rejected; /**< numbers that are not finite, indices out of range, two strands or none, nothing movable */
    double deepest;    /**< depth at entry */
} dent_strand_settle_report;

/** Moves the strand side of every contact with a body to the surface of that body, and adjusts its velocity. The normal
 *  velocity becomes that of the body if it points inward. The strand sticks if this takes a tangential change of at
 *  most friction_static times the normal one. Otherwise the tangential velocity changes by friction_kinetic times the
 *  normal change. The body does not move; its velocity at the contact comes from `velocities` or `rigid`. Contacts
 *  between two strands are skipped and counted as rejected. `positions` of strand bodies are read and WRITTEN,
 *  `velocities` too unless null. Vertices with inverse mass 0 do not move; without inverse_masses all move alike.
 *  Contacts are processed in their order.
 *
 *  Failure: as dent_strand_forces. `report` may be null. Cost: O(contacts * sweeps). */
DENT_API dent_status dent_strand_settle(dent_response *response, const dent_response_problem *problem,
                                        const dent_strand_settle_def *def, dent_strand_settle_report *report);

/** A sphere that moves. */
typedef struct dent_moving_sphere {
    double center[3];
    double radius; /**< > 0 */
    double linear_velocity[3];
    double angular_velocity[3];
} dent_moving_sphere;

/** The strands that dent_strand_settle_on_spheres moves. */
typedef struct dent_strand_motion {
    dent_strand_shape shape;
    uint32_t vertex_count;
    const double *inverse_masses; /**< null: all vertices move alike; 0: fixed */
    double *positions;            /**< 3 per vertex, read and WRITTEN */
    double *velocities;           /**< 3 per vertex, read and WRITTEN; null: none */
} dent_strand_motion;

/** Does the same for spheres. Every vertex inside a sphere grown by its radius is moved to its surface, then every
 *  segment that still passes through one. A vertex at the centre of a sphere is moved along x. Spheres are processed in
 *  order, strand by strand. Material: friction only. `report` may be null.
 *
 *  Failure: INVALID_ARGUMENT for `first` or a sphere out of range; nothing is changed. Cost: O(vertices * spheres). */
DENT_API dent_status dent_strand_settle_on_spheres(dent_context *context, const dent_strand_motion *strands,
                                                   const dent_moving_sphere *spheres, uint32_t sphere_count,
                                                   const dent_contact_material *material,
                                                   dent_strand_settle_report *report);

#ifdef __cplusplus
}
#endif

#endif
