/* dent/response.h — from contacts to corrections: three ways to push bodies apart, written into your own buffers.
 *
 * For those who have their own integrator. Nothing here steps time, owns a mass or remembers a body: a call takes the
 * contacts of contact.h, your masses, positions and velocities, and writes forces, positions or velocities.
 *
 *   dent_penalty_forces     adds spring-damper forces with friction to your force array; stable by construction
 *   dent_position_solve     moves positions until no contact overlaps (XPBD), with static and kinetic friction
 *   dent_velocity_solve     changes velocities by impulses (projected Gauss-Seidel), with restitution and friction
 *
 * Deformable bodies (masses at vertices) and rigid bodies (dent_rigid_state) mix freely in all three, fixed ones too.
 * What a contact did comes back in your array of dent_contact_force; hand the same array in as `previous` at the next
 * step and the solvers start from it (by key): friction anchors hold, stacks settle. It is the only memory there is.
 *
 * Every response pushes with +f on a and -f on b at weights that sum to one: linear momentum is kept to rounding.
 * Angular momentum changes by the sum of (xa - xb) x f, which is zero where f is parallel to xa - xb or xa = xb, and
 * is reported (dent_response_report).
 *
 * The same bits for any thread count, instruction set and machine: contacts are worked on in colours (no two contacts
 * of a colour share a vertex or a rigid body), found in the order the contacts have; sums run in that order. Sort
 * contacts canonically (dent_world_find_contacts does) and the result does not depend on how they were found.
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

/** A rigid body. The frame of the body has its origin at the centre of mass. */
typedef struct dent_rigid_state {
    double inverse_mass;       /**< 1 / mass; 0: its centre is not moved by contacts */
    double inverse_inertia[9]; /**< inverse of the inertia tensor about the centre of mass in the body's frame, by rows;
                                  all 0: it is not turned by contacts */
    double center[3];          /**< centre of mass in space */
    double orientation[4];     /**< unit quaternion w x y z, from the body's frame to space */
    double linear_velocity[3]; /**< of the centre of mass */
    double angular_velocity[3]; /**< in space, radians per time */
} dent_rigid_state;

/** One body of the caller, at the place of its rank. Which pointers are needed depends on the response; arrays hold
 *  3 * vertex_count doubles. What a response does not name it neither reads nor writes.
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
 *  A body with `rigid` has no inverse masses: the vertex fields inverse_masses, positions, positions_start, velocities,
 *  velocities_start and forces are not looked at. A body with neither is fixed; with velocities it moves as they say,
 *  and is not moved by contacts. */
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

/** How two surfaces meet. Defaults: friction 0.5 and 0.4, restitution 0, compliance 0. */
typedef struct dent_contact_material {
    double friction_static; /**< >= 0: sticks while |tangential force| <= this * normal force */
    double
        friction_kinetic; /**< >= 0, at most friction_static (more counts as friction_static): force while it slides */
    double restitution;   /**< 0 to 1: speed of parting / speed of approach. Less where that would gain energy
                             (velocity response: strong friction on a body that is hit off its centre); `capped` */
    double compliance;    /**< >= 0, length per force: 0 is hard (position response) */
} dent_contact_material;
DENT_API dent_contact_material dent_contact_material_default(void);

/** The material of contacts between material numbers `a` and `b` (either order). */
typedef struct dent_material_pair {
    uint32_t material_a, material_b;
    dent_contact_material material;
} dent_material_pair;

/* ---- what a response gets and gives ------------------------------------------------------------------------------ */

/** What a contact did: state and result in one. Indexed as the contacts. Hand it in as `previous` next time. */
typedef struct dent_contact_force {
    uint64_t key;  /**< of the contact */
    double normal; /**< >= 0, impulse along the normal on a (force * time step): penalty, velocity; for positions the
                      same, lambda / time step */
    double tangent[3]; /**< impulse of friction on a, perpendicular to the normal */
    double slip[3];    /**< displacement a sticking contact has not yet taken back: its friction anchor (a length) */
    uint32_t state;    /**< dent_contact_action */
    uint32_t reserved; /**< 0 */
} dent_contact_force;

typedef enum dent_contact_action {
    DENT_ACTION_NONE = 0,     /**< apart: nothing done */
    DENT_ACTION_STICKING = 1, /**< pushed, friction holds */
    DENT_ACTION_SLIDING = 2,  /**< pushed, friction at its limit (or no friction) */
    DENT_ACTION_FIXED = 3,    /**< nothing that can move takes part: skipped */
    DENT_ACTION_REFUSED =
        4 /**< a number in it, or in its bodies, is not finite, `error` is negative, or an index is out of range (of
             a rigid body without positions_detected: when vertex_count is not 0): skipped */
} dent_contact_action;

/** The problem: contacts, bodies, materials, one time step. */
typedef struct dent_response_problem {
    size_t struct_size;
    const dent_contact *contacts; /**< in canonical order */
    uint64_t contact_count;
    const dent_response_body *bodies; /**< by rank: contact.body_a is an index here */
    uint32_t body_count;
    double time_step;                         /**< > 0 */
    dent_contact_material material;           /**< of pairs not in the list; default dent_contact_material_default() */
    const dent_material_pair *material_pairs; /**< the first that fits counts */
    uint32_t material_pair_count;
    const dent_contact_force *previous; /**< of the last step, in any order; null: none */
    uint64_t previous_count;
    dent_contact_force *forces; /**< written: contact_count records; null: not wanted. May be the same array as
                                   `previous` */
    double uncertain_share; /**< 0 to 1, default 0.25. A contact whose error is not below its depth (fallbacks of the
                               depth, pending regions) is an estimate: this share of its depth counts, so that it pushes
                               gently, step by step, and never far. Counted as `capped` */
    bool audit; /**< default false. True: fill the sums of momentum and energy in the report (O(vertices) more) */
} dent_response_problem;
DENT_API dent_response_problem dent_response_problem_default(void);

/** What happened. Sums run in the order of contacts and bodies: the same bits for any thread count. */
typedef struct dent_response_report {
    uint64_t contacts, pushed, sticking, sliding; /**< pushed = sticking + sliding */
    uint64_t fixed;                               /**< skipped: nothing can move */
    uint64_t refused;                             /**< skipped: not finite, or out of range. Never silent: look at it */
    uint64_t capped;   /**< pushed less than asked: uncertain contacts, recovery speed, force limit */
    uint64_t squeezed; /**< pushed against another contact of the same vertex from the opposite side (made soft) */
    uint32_t iterations, colours;
    double residual; /**< position: the deepest overlap left, a length; velocity: the largest natural residual, a
                        speed; penalty: 0 */
    double deepest;  /**< the most negative gap at entry as a positive length, 0 when there is none */
    /* With `audit`, over all bodies given; what fixed vertices and bodies took is added back, so that these are the
     * errors of the response and not the reaction of the ground. Momenta; for penalty times the time step. */
    double momentum_error[3];    /**< sum of all impulses: zero but for rounding */
    double angular_error[3];     /**< change of angular momentum about the origin less angular_predicted */
    double angular_predicted[3]; /**< sum of (xa - xb) x impulse */
    double momentum_scale;       /**< sum of the absolute impulses: what the errors are small against */
    double angular_scale;        /**< the same, times distance from the origin */
    double energy_change; /**< velocity: kinetic energy after less before; position: work of the corrections, kinetic
                             energy of (x - x_start) / time step after less before; penalty: power * time step */
} dent_response_report;

/* ---- scratch ----------------------------------------------------------------------------------------------------- */

/** Scratch memory of the solvers, nothing else: results do not depend on what it was used for before. By one thread at
 * a time; the loops run on the context's threads. After a call of the same size it allocates nothing. */
typedef struct dent_response dent_response;
/** Null when memory runs out. */
DENT_API dent_response *dent_response_create(dent_context *context);
/** Null is allowed. */
DENT_API void dent_response_destroy(dent_response *response);

/* Failure of any call below: nothing of the caller's is changed. OUT_OF_MEMORY; INVALID_ARGUMENT for a def not made by
 * its default function, a time step that is not a finite number above 0, materials out of range (the context's message
 * names it). `report` may be null. Cost: O(contacts * iterations). */

/* ---- penalty ----------------------------------------------------------------------------------------------------- */

typedef struct dent_penalty_def {
    size_t struct_size;
    double stiffness; /**< k, force per length, of every contact; 0 (default): stiffness_ratio * m_eff / time_step^2,
                         divided by the largest number of contacts that share one of its vertices: then symplectic
                         Euler is stable whatever the contacts */
    double stiffness_ratio; /**< 0 to 1, default 0.25 */
    double damping_ratio;   /**< of critical damping, >= 0, default 0.3 (then the limit holds with room) */
    double margin;          /**< a length >= 0, default 0: the force begins at this gap */
    double force_limit;     /**< largest normal force of a contact, default infinite */
} dent_penalty_def;
DENT_API dent_penalty_def dent_penalty_def_default(void);

/** Adds f = k * max(0, margin - gap) n - c v_n n, never pulling, and friction against the slip, to `forces`. The force
 *  is continuous in the gap: the damper gives no more than the spring. Friction is a spring too, from the place where
 *  the contact began (`previous` remembers it, so a body on a slope stands still); without `previous` it is a damper
 * and bodies creep. Velocities are those that brought the bodies to where they are (symplectic Euler). */
DENT_API dent_status dent_penalty_forces(dent_response *response, const dent_response_problem *problem,
                                         const dent_penalty_def *def, dent_response_report *report);

/** The largest time step for which symplectic Euler with these contacts, this `def.stiffness` (> 0) and damping ratio
 *  is stable: k dt^2 + 2 c dt <= 4 m_eff / sharing for every contact. Infinite without contacts that can move.
 *  problem.time_step is not looked at. */
DENT_API dent_status dent_penalty_step_limit(dent_response *response, const dent_response_problem *problem,
                                             const dent_penalty_def *def, double *limit);

/* ---- positions (XPBD) -------------------------------------------------------------------------------------------- */

typedef struct dent_position_def {
    size_t struct_size;
    uint32_t iterations;   /**< sweeps over the contacts, default 1: prefer many short steps */
    double rest_distance;  /**< the gap to keep, a length, default 0 */
    double recovery_speed; /**< at most this fast is overlap that was there at the step's start removed; default
                              infinite */
    double warm_start;  /**< 0 to 1, default 1: share of the last step's push (`previous`, scaled to this time step) to
                           begin with. Bodies at rest then keep their balance with a single sweep */
    double anchor_rate; /**< 0 to 1, default 0.2: how much of `slip` of the last step a sticking contact takes back */
    double
        squeeze_compliance; /**< relative compliance of contacts that push a vertex from opposite sides, default 1e-9 */
} dent_position_def;
DENT_API dent_position_def dent_position_def_default(void);

/** Moves positions and rigid poses until no contact overlaps. The gap of a contact is
 *  contact.gap + n . ((xa - xb) now - (point_a - point_b) of the contact) - rest_distance: for a vertex in a cell the
 *  assigned depth is removed and later motion counts; an impact is held where it was found. Friction takes back
 * tangential displacement since the step's start (plus the carried slip): all of it up to friction_static * normal
 * push, else friction_kinetic * normal push. Rigid poses turn; orientations stay unit. Velocities are not touched:
 * derive them from the displacement, then dent_velocity_solve with after_positions for restitution. */
DENT_API dent_status dent_position_solve(dent_response *response, const dent_response_problem *problem,
                                         const dent_position_def *def, dent_response_report *report);

/* ---- repositioning ----------------------------------------------------------------------------------------------- */

typedef struct dent_reposition_def {
    size_t struct_size;
    double security;     /**< the gap to restore, a length; default 0 */
    double alert;        /**< nothing happens while no gap is below this; at most `security`, default -infinity: set
                              it */
    double longest_move; /**< of a contact's two points relative to one another, a length > 0, default infinite: deeper
                              ones come out over several calls, with detection in between */
    uint32_t sweeps;     /**< over the contacts, default 100 */
} dent_reposition_def;
DENT_API dent_reposition_def dent_reposition_def_default(void);

/** Puts bodies apart that came too close, outside time: the smallest displacement, weighted with the masses, after
 * which every contact has its security distance (n . (da - db) >= security - gap). No friction, no restitution, no
 * compliance; velocities are left alone, so nothing is thrown apart. Moves positions and rigid poses as
 * dent_position_solve does; contacts should have been found at these positions, and positions_start and rigid_start be
 * null or the same. `previous` is not looked at; forces[].normal tell who pushed (a mass times a length, over
 * time_step). Then find contacts again: a cycle; repeat while one is below `alert`, ten cycles at most.
 * report->residual: the deepest lack of security left. */
DENT_API dent_status dent_reposition_solve(dent_response *response, const dent_response_problem *problem,
                                           const dent_reposition_def *def, dent_response_report *report);

/** Contacts that begin at one distance and end at a larger one do not flicker. Sets alive[i] where contact i has a gap
 * of at most `begin`, or at most `end` (>= begin) and its key in `keys`, the ascending keys of contacts alive before.
 * Returns how many are alive. new_keys (room for contact_count, not the same array; null: not wanted) gets their keys,
 * ascending. O(n log n). */
DENT_API uint64_t dent_contacts_apply_hysteresis(const dent_contact *contacts, uint64_t contact_count, const uint64_t *keys,
                                      uint64_t key_count, double begin, double end, bool *alive, uint64_t *new_keys);

/* ---- velocities (projected Gauss-Seidel impulses) ---------------------------------------------------------------- */

typedef struct dent_velocity_def {
    size_t struct_size;
    uint32_t iterations; /**< at most this many sweeps, default 50; seven times more where restitution is lowered */
    double tolerance;    /**< stop when no row changes its velocity by more; a speed, default 0: all iterations */
    double warm_start;   /**< 0 to 1, default 0.9: share of the previous impulses to begin with (same keys) */
    double restitution_threshold; /**< slower impacts do not bounce; a speed, default 0. 2 * gravity * time_step keeps bodies at
                              rest from bouncing */
    double correction;   /**< share of the overlap beyond `slop` removed per step, 0 to 1, default 0.2 */
    double slop;         /**< overlap left alone, a length, default 0 */
    double correction_speed; /**< at most this fast, default infinite */
    double security;         /**< a length >= 0, default 0. Nearer than this, contacts are held off by a critically
                                  damped spring towards it, of the rate 0.2 / time_step, that never pulls: bodies at
                                  rest keep this gap, and small disturbances are no impacts. `velocities_start` should
                                  be those before outer forces */
    bool after_positions;    /**< default false. True: a pass after dent_position_solve: only contacts that pushed there
                                  (`previous` = its forces) act; they bounce, and do not part faster than they should;
                                  no friction, no correction, no speculative gap. `forces` are then those of the
                                  position pass with the impulse of this one added */
} dent_velocity_def;
DENT_API dent_velocity_def dent_velocity_def_default(void);

/** Changes velocities so that no contact approaches faster than its gap allows in this step, impacts bounce with the
 *  material's restitution, and friction stays in the Coulomb disc. For vertices and rigid bodies alike. */
DENT_API dent_status dent_velocity_solve(dent_response *response, const dent_response_problem *problem,
                                         const dent_velocity_def *def, dent_response_report *report);

/* ---- the table --------------------------------------------------------------------------------------------------- */

typedef enum dent_response_kind {
    DENT_RESPONSE_PENALTY = 1,
    DENT_RESPONSE_POSITION = 2,
    DENT_RESPONSE_VELOCITY = 3
} dent_response_kind;

/** One row per response: tests, tools and you can walk it. */
typedef struct dent_response_row {
    dent_response_kind kind;
    const char *name;    /**< "penalty" */
    const char *writes;  /**< "forces", "positions", "velocities" */
    const char *summary; /**< one line */
    /** The function above with its default settings. */
    dent_status (*run)(dent_response *response, const dent_response_problem *problem, dent_response_report *report);
} dent_response_row;

/** The rows in the order of the kinds; *count (if given) is how many. Never null. */
DENT_API const dent_response_row *dent_response_table(uint32_t *count);

/* ---- small helpers for rigid bodies ------------------------------------------------------------------------------ */

/** Where a point fixed to the body is after it moved from pose `from` to pose `to` (velocities are not looked at). */
DENT_API void dent_rigid_move_point(const dent_rigid_state *from, const dent_rigid_state *to, const double point[3],
                                    double moved[3]);
/** Sets to->linear_velocity and angular_velocity to those that carry `from` to `to` in time_step (first order in the
 *  angle, as dent_rigid_advance uses them). */
DENT_API void dent_rigid_velocity_between(const dent_rigid_state *from, dent_rigid_state *to, double time_step);
/** Moves the pose by the velocities for time_step; the orientation stays unit. */
DENT_API void dent_rigid_advance(dent_rigid_state *state, double time_step);
/** The inverse inertia tensor in space: R * inverse_inertia * R^T, by rows. */
DENT_API void dent_rigid_inverse_inertia(const dent_rigid_state *state, double inverse_inertia[9]);

#ifdef __cplusplus
}
#endif

#endif
