/* dent/sim_linkage.h — optional library dent_sim: linkages and robots as bodies and joints of a simulation.
 *
 * Turns a dent_linkage with the surfaces, masses and drives of its links into rigid bodies and joints of dent/sim.h.
 * Links that fixed joints connect become one body. The caller appends both lists to its def:
 *
 *   dent_robot_read(context, "arm.urdf", NULL, &robot);
 *   dent_sim_linkage_def def = dent_sim_linkage_def_default();
 *   dent_sim_linkage_def_from_robot(&def, robot);            linkage, links and drives of the joints
 *   def.motors = …                                            one per joint, or null
 *   dent_sim_linkage_create(context, &def, &arm);
 *   sim_def.bodies = dent_sim_linkage_bodies(arm, &sim_def.body_count);
 *   sim_def.joints = dent_sim_linkage_joints(arm, &sim_def.joint_count);
 *   dent_sim_create(context, &sim_def, &sim);
 *   while (…) {
 *       dent_sim_linkage_set_targets(arm, sim, targets);      one per joint
 *       dent_sim_step(sim);
 *       dent_sim_linkage_get_values(arm, sim, values, speeds);
 *   }
 *
 * So linkages obey what docs/simulator.md says about rigid bodies. Joints hold to rounding, nothing passes through
 * anything at any step size, and checkpoints continue to the bit. Links that one moving joint connects do not collide with
 * one another; all other links do.
 *
 * Units are those of the simulation; URDF files are in SI. Threads: a dent_sim_linkage does not change after its
 * creation. Failure: a status, and one line in the context's message that names the link or the joint.
 */
#ifndef DENT_SIM_LINKAGE_H
#define DENT_SIM_LINKAGE_H

#include <dent/sim.h>
#include <dent/urdf.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The motor of a joint of one value; others ignore theirs. */
typedef struct dent_sim_linkage_motor {
    dent_sim_motor motor; /**< default NONE */
    double target;        /**< rad or m (a joint value), rad/s or m/s, N m or N; default 0 */
    double max_force;     /**< N m or N; negative (default): that of the joint's drive */
    double max_speed;     /**< POSITION: rad/s or m/s; not above 0 (default): that of the joint's drive */
} dent_sim_linkage_motor;
DENT_API dent_sim_linkage_motor dent_sim_linkage_motor_default(void);

typedef struct dent_sim_linkage_def {
    size_t struct_size;
    const char *name;               /**< put before the names of links; null: the linkage's name */
    const dent_linkage *linkage;    /**< used during the creation only */
    const dent_robot_link *links;   /**< surface and mass of each link of the linkage; names are not used. A group of
                                        fixed links without any mass gets it from its closed surfaces and the density */
    const dent_robot_joint *drives; /**< of each joint; null: no limits of force and speed, no damping, no friction */
    const dent_sim_linkage_motor *motors; /**< of each joint; null: none */
    const double *values;                 /**< joint values at time 0; null: 0, or the limit nearest to it */
    dent_pose base;                       /**< of the root link at time 0; default: the origin */
    bool free_base;                       /**< default false: the root link is held where it is, as a prescribed body */
    uint32_t first_body;  /**< index that the first of the bodies will have in the def of the simulation;
                                        default 0 */
    uint32_t first_joint; /**< … and the first of the joints */
    uint32_t material;    /**< of all links; default 0 */
    double density;       /**< of links without mass; 0 (default): that of the material */
    double thickness;     /**< as in dent_sim_body_def */
    uint32_t collision_group, collision_mask; /**< as in dent_sim_body_def */
} dent_sim_linkage_def;
DENT_API dent_sim_linkage_def dent_sim_linkage_def_default(void);
/** Sets linkage, links and drives to those of a robot, which must stay until the creation is done. */
DENT_API void dent_sim_linkage_def_from_robot(dent_sim_linkage_def *def, const dent_robot *robot);

typedef struct dent_sim_linkage dent_sim_linkage;

/** Makes bodies and joints; O(vertices + links * joints). A link with mass but without a surface becomes a small
 *  octahedron that collides with nothing. UNSUPPORTED: a screw or planar joint, a joint that mimics another one, a link
 *  that moves and has neither mass nor a surface. INVALID_ARGUMENT: joint values outside the limits, a negative mass, an
 *  inertia that is not positive definite. BAD_NUMBER: a number that is not finite. *linkage is written on success only. */
DENT_API dent_status dent_sim_linkage_create(dent_context *context, const dent_sim_linkage_def *def,
                                             dent_sim_linkage **linkage);
DENT_API void dent_sim_linkage_destroy(dent_sim_linkage *linkage);

/** Return the bodies and the joints for a dent_sim_def, and their number. They are valid as long as the linkage. */
DENT_API const dent_sim_body_def *dent_sim_linkage_bodies(const dent_sim_linkage *linkage, uint32_t *count);
DENT_API const dent_sim_joint *dent_sim_linkage_joints(const dent_sim_linkage *linkage, uint32_t *count);

/** Returns the index in the simulation of the body that a link is part of. UINT32_MAX: none (a held root without a
 *  surface), or no such link. */
DENT_API uint32_t dent_sim_linkage_body_of(const dent_sim_linkage *linkage, uint32_t link);
/** Returns the index in the simulation of the joint that a joint of the linkage became. UINT32_MAX: none (fixed and
 *  free joints), or no such joint. */
DENT_API uint32_t dent_sim_linkage_joint_of(const dent_sim_linkage *linkage, uint32_t joint);

/* ---- during the simulation: `sim` was made from a def with these bodies and joints at their places --------------- */

/** Writes poses[link], the pose of each link in space. INVALID_ARGUMENT: the simulation has no such bodies. */
DENT_API dent_status dent_sim_linkage_get_poses(const dent_sim_linkage *linkage, const dent_sim *sim, dent_pose *poses);
/** Writes the joint values in the layout of the linkage, whole turns counted, and the rates of joints of one value:
 *  speeds[joint], 0 for others. Either may be null. INVALID_ARGUMENT as above. */
DENT_API dent_status dent_sim_linkage_get_values(const dent_sim_linkage *linkage, const dent_sim *sim, double *values,
                                                 double *speeds);
/** Sets the targets of all motors: targets[joint] in the unit of the joint's motor. Joints without a motor ignore
 *  theirs. INVALID_ARGUMENT: a target that is not finite; then no target changes. */
DENT_API dent_status dent_sim_linkage_set_targets(const dent_sim_linkage *linkage, dent_sim *sim,
                                                  const double *targets);

#ifdef __cplusplus
}
#endif

#endif
