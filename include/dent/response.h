/* dent/response.h — from contacts to corrections: three responses that separate bodies, written into your own buffers.
 *
 * For programs with their own integrator. Nothing here steps time, owns a mass or stores a body. A call takes the
 * contacts of contact.h, your masses, positions and velocities, and writes forces, positions or velocities.
 *
 *   dent_penalty_forces     adds spring-damper forces with friction to your force array; stable by construction
 *   dent_position_solve     moves positions until no contact overlaps (XPBD), with static and kinetic friction
 *   dent_velocity_solve     changes velocities by impulses (projected Gauss-Seidel), with restitution and friction
 *
 * Deformable bodies (masses at vertices), rigid bodies (dent_rigid_state) and fixed bodies mix freely in all three. The
 * effect of each contact is written to your array of dent_contact_force. Pass the same array as `previous` at the next
 * step, and the solvers start from it (by key): friction anchors hold, stacks settle. There is no other memory.
 *
 * Every response pushes with +f on a and -f on b at weights that sum to one: linear momentum is kept to rounding.
 * Angular momentum changes by the sum of (xa - xb) x f, reported in dent_response_report. A term is zero where f is
 * parallel to xa - xb or xa = xb.
 *
 * The bits are the same for any thread count, instruction set and machine. Contacts are processed in colours: no two
 * contacts of a colour share a vertex or a rigid body. Colours are assigned, and sums run, in the order of contacts. If
 * contacts are sorted canonically (dent_world_find_contacts does), the result does not depend on how they were found.
 *
 * Units: yours, but consistent: lengths, masses, seconds. A force is mass * length / time^2.
 */
#ifndef DENT_RESPONSE_H
#define DENT_RESPONSE_H

#include <dent/contact.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- bodies ------------------------------------------------------------------------------------------------------ */

/** A rigid body. Its coordinate frame has its origin at the centre of mass. */
typedef struct dent_rigid_state {
    double inverse_mass;       /**< 1 / mass; 0: contacts do not move its centre */
    double inverse_inertia[9]; /**< inverse of the inertia tensor about the centre of mass in the body's frame, by rows;
                                  all 0: contacts do not rotate it */
    double center[3];          /**< centre of mass in space */
    double orientation[4];     /**< unit quaternion w x y z, from the body's frame to space */
    double linear_velocity[3]; /**< of the centre of mass */
    double angular_velocity[3]; /**< in space, radians per time */
} dent_rigid_state;

/** One body of the caller, at its body index. Which pointers are needed depends on the response; arrays hold
 *  3 * vertex_count doubles. A response neither reads nor writes what its column does not list.
 *
 *                       penalty          position                     velocity
 *  inverse_masses       read             read                         read            null: a fixed body
 *  positions            -                read and WRITTEN             -               null: contact points stand still
 *  positions_start      -                read (friction, recovery)    -               null: as positions at entry
 *  positions_detected   rigid bodies only: their vertices where the contacts were found; null: the contacts' own points
 *  velocities           read (damping)   -                            read, WRITTEN   null: 0, not written
 *  velocities_start     -                -                            read            null: as velocities at entry
 *  forces               ADDED to         -                            -               null: not wanted
 *  rigid                read             read, pose WRITTEN           read, velocity WRITTEN
 *  rigid_start          -                read (as positions_start)    read (as velocities_start)
 *  rigid_detected       read             read                         read            null: as rigid at entry
 *  rigid_forces         ADDED to         -                            -               force x y z, torque x y z
 *
 *  If a body has `rigid`, its vertex fields inverse_masses, positions, positions_start, velocities, velocities_start
 *  and forces are ignored. A body with neither is fixed; if it has velocities it moves with them, and contacts do not
 *  move it. */
typedef struct dent_response_body {
    uint32_t vertex_count;
    const double *inverse_masses; /**< vertex_count numbers 1 / mass >= 0; 0: fixed (its velocity still counts) */
    double *positions;
    const double *positions_start;
    const double *positions_detected;
    double *velocities;
    const double *velocities_start; /**< before the step: the speed of approach of restitution */
    double *forces;
    dent_rigid_state *rigid;
    const dent_rigid_state *rigid_start;
    const dent_rigid_state *rigid_detected; /**< pose when the contacts were found */
    double *rigid_forces;                   /**< six numbers; the torque is about the centre of mass */
} dent_response_body;

/* ---- materials --------------------------------------------------------------------------------------------------- */

/** Contact properties of two surfaces. Defaults: friction 0.5 and 0.4, restitution 0, compliance 0. */
typedef struct dent_contact_material {
    double friction_static; /**< >= 0: sticks while |tangential force| <= this * normal force */
    double
        friction_kinetic; /**< >= 0, at most friction_static (larger values are lowered to it): force while it slides */
    double restitution;   /**< 0 to 1: speed of separation / speed of approach. Lowered where it would add energy
                             (velocity response: strong friction on a body that is hit off its centre); `capped` */
    double compliance;    /**< >= 0, length per force: 0 is hard (position response) */
} dent_contact_material;
DENT_API dent_contact_material dent_contact_material_default(void);

/** The material of contacts between the materials `a` and `b`, in either order. */
typedef struct dent_material_pair {
    uint32_t material_a, material_b;
    dent_contact_material material;
} dent_material_pair;

/* ---- input and output of a response ------------------------------------------------------------------------------ */

/** The effect of a contact: state and result in one. Indexed as the contacts. Pass it as `previous` next time. */
typedef struct dent_contact_force {
    uint64_t key;  /**< key of the contact */
    double normal; /**< >= 0, impulse along the normal on a (force * time step): penalty, velocity; for positions the
                      same, lambda / time step */
    double tangent[3]; /**< impulse of friction on a, perpendicular to the normal */
    double slip[3];    /**< displacement that a sticking contact has yet to correct: its friction anchor (a length) */
    uint32_t state;    /**< dent_contact_action */
    uint32_t reserved; /**< 0 */
} dent_contact_force;

typedef enum dent_contact_action {
    DENT_ACTION_NONE = 0,     /**< apart: no effect */
    DENT_ACTION_STICKING = 1, /**< pushed, friction holds */
    DENT_ACTION_SLIDING = 2,  /**< pushed, friction at its limit (or no friction) */
    DENT_ACTION_FIXED = 3,    /**< skipped: neither side can move */
    DENT_ACTION_REJECTED =
        4 /**< skipped: a number in it, or in its bodies, is not finite, `error` is negative, or an index is out of
             range. For a rigid body without positions_detected an index counts only if vertex_count is not 0 */
} dent_contact_action;

/** The problem: contacts, bodies, materials, one time step. */
typedef struct dent_response_problem {
    size_t struct_size;
    const dent_contact *contacts; /**< in canonical order */
    uint64_t contact_count;
    const dent_response_body *bodies; /**< by body index: contact.body_a is an index here */
    uint32_t body_count;
    double time_step;                         /**< > 0 */
    dent_contact_material material;           /**< for pairs not in the list; default dent_contact_material_default() */
    const dent_material_pair *material_pairs; /**< the first match is used */
    uint32_t material_pair_count;
    const dent_contact_force *previous; /**< forces of the last step, in any order; null: none */
    uint64_t previous_count;
    dent_contact_force *forces; /**< written: contact_count records; null: not wanted. May be the same array as
                                   `previous` */
    double uncertain_share; /**< 0 to 1, default 0.25. A contact whose error is not below its depth (fallbacks of the
                               depth, pending regions) is an estimate. Only this share of its depth is used, so that it
                               pushes gently, step by step, and never far. Counted as `capped` */
    bool audit; /**< default false. True: fill the sums of momentum and energy in the report (O(vertices) more) */
} dent_response_problem;
DENT_API dent_response_problem dent_response_problem_default(void);

/** Counts and sums of one call. Sums run in the order of contacts and bodies: the same bits for any thread count. */
typedef struct dent_response_report {
    uint64_t contacts, pushed, sticking, sliding; /**< pushed = sticking + sliding */
    uint64_t fixed;                               /**< skipped: neither side can move */
    uint64_t rejected;                            /**< skipped: not finite, or out of range. Check it after each call */
    uint64_t capped;   /**< pushed less than requested: uncertain contacts, recovery speed, force limit */
    uint64_t squeezed; /**< pushed against another contact of the same vertex from the opposite side (made soft) */
    uint32_t iterations, colours;
    double residual; /**< position: the deepest overlap left, a length; velocity: the largest natural residual, a
                        speed; penalty: 0 */
    double deepest;  /**< the most negative gap at entry as a positive length, 0 if there is none */
    /* With `audit`, over all bodies given. Impulses on fixed vertices and bodies are added back, so that these are the
     * errors of the response and not the reaction of the ground. Momenta; for penalty times the time step. */
    double momentum_error[3];    /**< sum of all impulses: zero but for rounding */
    double angular_error[3];     /**< change of angular momentum about the origin less angular_predicted */
    double angular_predicted[3]; /**< sum of (xa - xb) x impulse */
    double momentum_scale;       /**< sum of the absolute impulses: reference for the size of the errors */
    double angular_scale;        /**< the same, times distance from the origin */
    double energy_change; /**< velocity: kinetic energy after less before; position: work of the corrections, kinetic
                             energy of (x - x_start) / time step after less before; penalty: power * time step */
} dent_response_report;

/* ---- scratch ----------------------------------------------------------------------------------------------------- */

/** Scratch memory of the solvers, nothing else: results do not depend on earlier use. Used by one thread at a time; the
 * loops run on the context's threads. After a call of the same size it allocates nothing. */
typedef struct dent_response dent_response;
/** Returns null if memory runs out. */
DENT_API dent_response *dent_response_create(dent_context *context);
/** Destroys it. Null is allowed. */
DENT_API void dent_response_destroy(dent_response *response);

/* Failure of any call below changes nothing of the caller's. OUT_OF_MEMORY. INVALID_ARGUMENT: a def not made by its
 * default function, a time step not finite or not above 0, materials out of range. The context's message names them.
 * With `exact` it also returns BAD_NUMBER, for a result that overflows. `report` may be null. Cost: O(contacts *
 * iterations). */

/* ---- penalty ----------------------------------------------------------------------------------------------------- */

typedef struct dent_penalty_def {
    size_t struct_size;
    double stiffness; /**< k, force per length, of every contact; 0 (default): stiffness_ratio * m_eff / time_step^2,
                         divided by the largest number of contacts that share one of its vertices. Then symplectic Euler
                         is stable whatever the contacts */
    double stiffness_ratio; /**< 0 to 1, default 0.25 */
    double damping_ratio;   /**< share of critical damping, >= 0, default 0.3 (well within the stability limit) */
    double margin;          /**< a length >= 0, default 0: the force begins at this gap */
    double force_limit;     /**< largest normal force of a contact, default infinite */
} dent_penalty_def;
DENT_API dent_penalty_def dent_penalty_def_default(void);

/** Adds f = k * max(0, margin - gap) n - c v_n n, never pulling, and friction against the slip, to `forces`. The force
 *  is continuous in the gap: the damper gives no more than the spring. Friction is a spring too, anchored where the
 *  contact began. `previous` stores that place, so a body on a slope stands still. Without `previous` friction is a
 *  damper and bodies creep. Velocities are those that led to the current positions (symplectic Euler). */
DENT_API dent_status dent_penalty_forces(dent_response *response, const dent_response_problem *problem,
                                         const dent_penalty_def *def, dent_response_report *report);

/** Computes the largest time step for which symplectic Euler is stable with these contacts, this `def.stiffness` (> 0)
 *  and damping ratio. For every contact k dt^2 + 2 c dt <= 4 m_eff / sharing. Infinite if no contact can move.
 *  problem.time_step is ignored. */
DENT_API dent_status dent_penalty_step_limit(dent_response *response, const dent_response_problem *problem,
                                             const dent_penalty_def *def, double *limit);

/* ---- positions (XPBD) -------------------------------------------------------------------------------------------- */

typedef struct dent_position_def {
    size_t struct_size;
    uint32_t iterations;   /**< sweeps over the contacts, default 1: prefer many short steps */
    double target_gap;     /**< target gap, a length, default 0 */
    double recovery_speed; /**< limit on the speed at which overlap present at the step's start is removed; default
                              infinite */
    double warm_start;  /**< 0 to 1, default 1: share of the last step's push (`previous`, scaled to this time step) to
                           start with. Bodies at rest then keep their balance with a single sweep */
    double anchor_rate; /**< 0 to 1, default 0.2: share of the last step's `slip` that a sticking contact corrects */
    double
        squeeze_compliance; /**< relative compliance of contacts that push a vertex from opposite sides, default 1e-9 */
    bool exact; /**< default false. True: by the exact constraint solver (constraints.h), with turns to first order.
                   The reference for the sweeps. `iterations` and `warm_start` are ignored. O(contacts^3) */
} dent_position_def;
DENT_API dent_position_def dent_position_def_default(void);

/** Moves positions and rigid poses until no contact overlaps. The gap of a contact is
 *  contact.gap + n . ((xa - xb) now - (point_a - point_b) of the contact) - target_gap. For a vertex in a cell the
 *  assigned depth is removed and later motion counts; an impact is held where it was found. Friction corrects the
 *  tangential displacement since the step's start, plus the carried slip: all of it up to friction_static * normal
 *  push, else friction_kinetic * normal push. Rigid poses rotate; orientations stay unit. Velocities are not changed.
 *  Derive them from the displacement, then call dent_velocity_solve with after_positions for restitution. */
DENT_API dent_status dent_position_solve(dent_response *response, const dent_response_problem *problem,
                                         const dent_position_def *def, dent_response_report *report);

/* ---- repositioning ----------------------------------------------------------------------------------------------- */

typedef struct dent_reposition_def {
    size_t struct_size;
    double target_gap;   /**< target gap, a length; default 0 */
    double trigger_gap;  /**< trigger gap: nothing happens while no gap is below it; at most `target_gap`, default
                              -infinity: set it */
    double longest_move; /**< limit on the relative displacement of a contact's two points, a length > 0, default
                              infinite: deeper contacts need several calls, with detection in between */
    uint32_t sweeps;     /**< sweeps over the contacts, default 100 */
    bool exact;          /**< default false. True: by the exact constraint solver, as in dent_position_def */
} dent_reposition_def;
DENT_API dent_reposition_def dent_reposition_def_default(void);

/** Separates bodies that came too close, outside simulated time. It computes the smallest displacement, weighted with
 *  the masses, after which every contact has its target gap (n . (da - db) >= target_gap - gap). There is no friction, no
 *  restitution and no compliance. Velocities do not change, so bodies are not thrown apart. It moves positions and
 *  rigid poses as dent_position_solve does. Contacts should have been found at these positions; positions_start and
 *  rigid_start should be null or the same. `previous` is ignored; forces[].normal gives the push of each contact (a
 *  mass times a length, over time_step). Then find contacts again, and repeat while a gap is below `trigger_gap`, at most ten
 *  times. report->residual is the largest remaining shortfall from the target gap. */
DENT_API dent_status dent_reposition_solve(dent_response *response, const dent_response_problem *problem,
                                           const dent_reposition_def *def, dent_response_report *report);

/** Applies hysteresis, so that contacts which begin at one distance and end at a larger one do not flicker. Sets
 *  alive[i] if contact i has a gap of at most `begin`, or of at most `end` (>= begin) and its key in `keys`. These are
 *  the ascending keys of the contacts alive before. Returns how many are alive. new_keys (room for contact_count, not
 *  the same array; null: not wanted) receives their keys, ascending. O(n log n). */
DENT_API uint64_t dent_contacts_apply_hysteresis(const dent_contact *contacts, uint64_t contact_count,
                                                 const uint64_t *keys, uint64_t key_count, double begin, double end,
                                                 bool *alive, uint64_t *new_keys);

/* ---- velocities (projected Gauss-Seidel impulses) ---------------------------------------------------------------- */

typedef struct dent_velocity_def {
    size_t struct_size;
    uint32_t iterations; /**< maximum number of sweeps, default 50; seven times more if restitution is lowered */
    double tolerance;    /**< stop when no row changes its velocity by more; a speed, default 0: all iterations */
    double warm_start;   /**< 0 to 1, default 0.9: share of the previous impulses to start with (same keys) */
    double restitution_threshold; /**< slower impacts do not bounce; a speed, default 0. 2 * gravity * time_step keeps
                                       bodies at rest from bouncing */
    double correction;            /**< share of the overlap beyond `slop` removed per step, 0 to 1, default 0.2 */
    double slop;                  /**< overlap that is not corrected, a length, default 0 */
    double correction_speed;      /**< limit on the speed of correction, default infinite */
    double target_gap;    /**< target gap, a length >= 0, default 0. Nearer contacts are held off by a critically
                                  damped spring towards it, of the rate 0.2 / time_step, that never pulls. So bodies at
                                  rest keep this gap, and small disturbances cause no impacts. `velocities_start` should
                                  be those before external forces */
    bool after_positions; /**< default false. True: a pass after dent_position_solve. Only contacts that pushed there
                                  (`previous` = its forces) act. They bounce, and do not separate faster than they
                                  should; there is no friction, no correction and no speculative gap. `forces` are then
                                  those of the position pass plus the impulse of this one */
    bool exact; /**< default false. True: by the exact constraint solver, as in dent_position_def. `iterations`, `tolerance`
                   and `warm_start` are ignored */
} dent_velocity_def;
DENT_API dent_velocity_def dent_velocity_def_default(void);

/** Changes velocities so that no contact approaches faster than its gap allows in this step. Impacts bounce with the
 *  material's restitution, and friction stays in the Coulomb disc. For vertices and rigid bodies alike. */
DENT_API dent_status dent_velocity_solve(dent_response *response, const dent_response_problem *problem,
                                         const dent_velocity_def *def, dent_response_report *report);

/* ---- table of responses ------------------------------------------------------------------------------------------ */

typedef enum dent_response_kind {
    DENT_RESPONSE_PENALTY = 1,
    DENT_RESPONSE_POSITION = 2,
    DENT_RESPONSE_VELOCITY = 3
} dent_response_kind;

/** One row per response, for tests, tools and your own loops. */
typedef struct dent_response_row {
    dent_response_kind kind;
    const char *name;    /**< "penalty" */
    const char *writes;  /**< "forces", "positions", "velocities" */
    const char *summary; /**< one line */
    /** Calls the function above with its default settings. */
    dent_status (*run)(dent_response *response, const dent_response_problem *problem, dent_response_report *report);
} dent_response_row;

/** Returns the rows in the order of the kinds and writes their number to *count, which may be null. Never null. */
DENT_API const dent_response_row *dent_response_table(uint32_t *count);

/* ---- small helpers for rigid bodies ------------------------------------------------------------------------------ */

/** Computes where a point fixed to the body is after a move from pose `from` to pose `to`. Velocities are ignored. */
DENT_API void dent_rigid_move_point(const dent_rigid_state *from, const dent_rigid_state *to, const double point[3],
                                    double moved[3]);
/** Sets to->linear_velocity and angular_velocity to those that carry `from` to `to` in time_step (first order in the
 *  angle, as dent_rigid_advance uses them). */
DENT_API void dent_rigid_velocity_between(const dent_rigid_state *from, dent_rigid_state *to, double time_step);
/** Moves the pose by the velocities for time_step; the orientation stays unit. */
DENT_API void dent_rigid_advance(dent_rigid_state *state, double time_step);
/** Writes the inverse inertia tensor in space: R * inverse_inertia * R^T, by rows. */
DENT_API void dent_rigid_inverse_inertia(const dent_rigid_state *state, double inverse_inertia[9]);

#ifdef __cplusplus
}
#endif

#endif
