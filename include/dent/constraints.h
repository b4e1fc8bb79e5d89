/* dent/constraints.h — the exact constraint solver: the smallest change of a motion that satisfies all contacts.
 *
 * A motion is a vector of numbers: velocities, accelerations or displacements of rigid bodies, joint rates of a
 * linkage, velocities of vertices. Unconstrained it would be u (`free_motion`). The solver finds the motion x that
 *
 *     minimises  1/2 (x - u)' M (x - u)   subject to   J x >= b                         (Gauss' principle)
 *
 * M is the mass metric, given in blocks. Each row of J is a contact, a joint limit or a motor; b is its `target`. The
 * multipliers f satisfy M (x - u) = J' f and lower <= f <= upper. x is unique. f need not be.
 *
 * Two methods give the same x. MOTION_SPACE is an active set with factors that are updated (Wilhelmsen 1976, Lawson and
 * Hanson); redundant rows do not disturb it. CONTACT_SPACE is the linear complementarity problem in f (Baraff 1994),
 * solved by Lemke's method with lexicographic pivots. It is the reference, and slower.
 *
 * Rows that share a block with a finite mass form an island. Islands are solved one by one. A row without anything that
 * can move is ignored, or infeasible if its target is above 0.
 *
 * The bits of the result are the same on every machine and for any thread count. They depend on the order of the rows
 * and on `previous` only through rounding. Numbers of any finite size are accepted: rows and blocks are scaled by
 * powers of two. Units are the caller's.
 */
#ifndef DENT_CONSTRAINTS_H
#define DENT_CONSTRAINTS_H

#include <dent/response.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the metric ---------------------------------------------------------------------------------------------------- */

typedef enum dent_metric_kind {
    DENT_METRIC_IDENTITY = 0,       /**< M = 1: planning in joint space */
    DENT_METRIC_INVERSE_MASSES = 1, /**< M diagonal: `size` numbers 1 / mass >= 0; 0: this coordinate is fixed */
    DENT_METRIC_RIGID = 2, /**< a rigid body: coordinates are linear x y z, then angular x y z about the centre of mass
                              in space. Ten numbers: 1 / mass, then the inverse inertia in space by rows, symmetric and
                              not negative. Zeros: fixed (dent_rigid_inverse_inertia gives the nine) */
    DENT_METRIC_MASS_MATRIX = 3, /**< M dense, size * size numbers by rows, symmetric and positive: a linkage */
    DENT_METRIC_KIND_COUNT = 4
} dent_metric_kind;

/** Coordinates with their part of the metric. The motion is the concatenation of all blocks. */
typedef struct dent_constraint_block {
    dent_metric_kind kind;
    uint32_t size;        /**< number of coordinates; RIGID: 6 */
    const double *metric; /**< see the kind; IDENTITY: ignored */
} dent_constraint_block;

/* ---- rows ---------------------------------------------------------------------------------------------------------- */

#define DENT_CONSTRAINT_NONE UINT32_MAX

/** The entries of a row in one block. */
typedef struct dent_constraint_part {
    uint32_t block;
    const double *coefficients; /**< as many numbers as the block has coordinates */
} dent_constraint_part;

/** J x >= target, with a multiplier between `lower` and `upper`.
 *
 *  0 and infinity (default): an inequality. -infinity and infinity: an equation. -L and L: a motor that drives
 *  J x towards the target with at most L. -infinity and 0: J x <= target. */
typedef struct dent_constraint_row {
    uint64_t key;                      /**< warm start: the same contact has the same key in the next call */
    const dent_constraint_part *parts; /**< blocks must differ */
    uint32_t part_count;
    uint32_t tangents;   /**< rows of friction: index of the first of two rows, or DENT_CONSTRAINT_NONE (default) */
    double target;       /**< b */
    double lower, upper; /**< lower <= upper; default 0 and infinity */
    double compliance;   /**< >= 0, default 0: J x + compliance * f >= target. A spring or damper in implicit form */
    double friction;     /**< >= 0, default 0: Coulomb's coefficient. Above 0 it needs `tangents`: two rows, perpendicular
                            to this one, whose targets are the tangential velocity to reach (0). Their bounds and
                            friction are ignored, and they belong to no other row */
} dent_constraint_row;
DENT_API dent_constraint_row dent_constraint_row_default(void);

typedef enum dent_constraint_state {
    DENT_CONSTRAINT_INACTIVE = 0, /**< multiplier 0 or at `lower` */
    DENT_CONSTRAINT_ACTIVE = 1,   /**< holds with equality */
    DENT_CONSTRAINT_UPPER = 2,    /**< multiplier at `upper` */
    DENT_CONSTRAINT_VIOLATED = 3, /**< infeasible: the target is missed */
    DENT_CONSTRAINT_IMMOVABLE = 4 /**< nothing in the row can move */
} dent_constraint_state;

/** Result of a row, indexed as the rows. Pass the array as `previous` next time. */
typedef struct dent_constraint_force {
    uint64_t key;
    double multiplier; /**< f: force, impulse, or mass times displacement over the row's coefficients */
    double slack;      /**< J x - target */
    uint32_t state;    /**< dent_constraint_state */
    uint32_t reserved; /**< 0 */
} dent_constraint_force;

/* ---- the problem --------------------------------------------------------------------------------------------------- */

typedef enum dent_constraint_method {
    DENT_CONSTRAINTS_MOTION_SPACE = 0, /**< active set, factors updated by Givens rotations */
    DENT_CONSTRAINTS_CONTACT_SPACE = 1 /**< linear complementarity, Lemke's method; O(rows^3) per island */
} dent_constraint_method;

/** Friction couples the bounds of tangents to the normal multiplier. So the problem is no longer a projection, and the
 *  solution may not be unique. */
typedef enum dent_friction_model {
    DENT_FRICTION_CONE = 0,   /**< the exact cone, by projection; iterative */
    DENT_FRICTION_PYRAMID = 1 /**< `pyramid_directions` directions, one linear complementarity problem (Stewart and
                                 Trinkle 1996), solved by Lemke's method */
} dent_friction_model;

typedef enum dent_constraint_outcome {
    DENT_CONSTRAINTS_SOLVED = 0,
    DENT_CONSTRAINTS_INFEASIBLE = 1, /**< no motion satisfies all rows of an island (a squeezed body). Its motion has
                                        the least sum of squared violations, weighted by mobility, to 1e-8 */
    DENT_CONSTRAINTS_LIMIT = 2       /**< iterations used up; `residual` is what remains */
} dent_constraint_outcome;

typedef struct dent_constraint_problem {
    size_t struct_size;
    const dent_constraint_block *blocks;
    uint32_t block_count;
    const dent_constraint_row *rows;
    uint32_t row_count;
    const double *free_motion;             /**< u, all blocks; null: 0 */
    const dent_constraint_force *previous; /**< forces of the last call, in any order; null: none */
    uint32_t previous_count;
    dent_constraint_method method;      /**< default MOTION_SPACE; ignored by islands with friction */
    dent_friction_model friction_model; /**< default CONE */
    uint32_t pyramid_directions;        /**< 4 to 32, even; default 8 */
    uint32_t iteration_limit;           /**< per island; 0 (default): 100 + 20 * rows; cone: 2000 sweeps, and as many
                                            without the tangents of `previous` if those did not settle */
    double cone_tolerance;              /**< relative change at which the cone's sweeps end; default 1e-12 */
    double *motion;                     /**< written: x, all blocks. May be the array of free_motion */
    dent_constraint_force *forces; /**< written: row_count records; null: not wanted. May be the array of `previous` */
    dent_constraint_outcome *block_outcomes; /**< written: the outcome of each block's island; null: not wanted */
} dent_constraint_problem;
DENT_API dent_constraint_problem dent_constraint_problem_default(void);

/** Counts and residuals of one call. */
typedef struct dent_constraint_report {
    dent_constraint_outcome outcome; /**< the worst of all islands: INFEASIBLE, LIMIT, SOLVED */
    uint32_t islands, infeasible_islands;
    uint32_t active;     /**< rows that push */
    uint32_t redundant;  /**< rows met as dependent on active ones */
    uint32_t iterations; /**< pivots, or sweeps, of all islands */
    double residual;     /**< largest natural residual |min(f, J x + compliance f - target)|, both with unit mobility.
                            It is relative to the largest change of the island, |target - J u| or x - u in the metric.
                            Infeasible islands are left out */
    double violation;    /**< largest target - J x of the infeasible islands, in the row's unit; 0 if none */
    double diagonal;     /**< smallest relative diagonal entry met in a factor, 1 if none: 1 / it is a lower bound on the
                            condition */
} dent_constraint_report;

/* ---- the solver ---------------------------------------------------------------------------------------------------- */

/** Scratch memory of the solver, nothing else. Used by one thread at a time. After a call of the same size it allocates
 *  nothing. */
typedef struct dent_constraints dent_constraints;
/** Returns null if memory runs out. */
DENT_API dent_constraints *dent_constraints_create(dent_context *context);
/** Destroys it. Null is allowed. */
DENT_API void dent_constraints_destroy(dent_constraints *constraints);

/** Solves the problem. `report` may be null. Cost: O(rows * active^2) per island; warm starts need few pivots.
 *  Failure changes nothing of the caller's. OUT_OF_MEMORY. INVALID_ARGUMENT: a def not made by its default function, a
 *  block or tangent index out of range, a row with a block twice. Likewise a metric that is not positive, and bounds in
 *  the wrong order. The message names block or row. BAD_NUMBER: a number that is not finite, or a result that
 *  overflows. */
DENT_API dent_status dent_constraints_solve(dent_constraints *constraints, const dent_constraint_problem *problem,
                                            dent_constraint_report *report);

/* ---- rows and targets of contacts between rigid bodies ------------------------------------------------------------- */

/** Writes the metric of a rigid body for DENT_METRIC_RIGID. */
DENT_API void dent_constraint_rigid_metric(const dent_rigid_state *body, double metric[10]);
/** Writes the six coefficients of a contact at `point` (in space) of the body: direction and (point - centre) x
 *  direction. `direction` is the contact normal for the body on side a, and minus the normal for side b. */
DENT_API void dent_constraint_rigid_row(const dent_rigid_state *body, const double point[3], const double direction[3],
                                        double coefficients[6]);

/** A contact as the targets see it. Two points are kept: they coincide only in theory. */
typedef struct dent_constraint_contact {
    const dent_rigid_state *a, *b; /**< null: fixed */
    double point_a[3], point_b[3]; /**< in space */
    double normal[3];              /**< unit, from b to a */
    double normal_rate[3];         /**< its derivative in time; see below */
    double gap;                    /**< distance d of the two points along the normal */
} dent_constraint_contact;

/** Writes the derivative of the normal of a vertex and a face: the face's body turns it. `face` null: 0. */
DENT_API void dent_constraint_face_normal_rate(const dent_rigid_state *face, const double normal[3], double rate[3]);
/** Writes the derivative of the unit normal of two edges, with directions `edge_a` and `edge_b` of any length, that
 *  turn with their bodies. Nearly parallel edges (sine below 1e-6): 0. */
DENT_API void dent_constraint_edge_normal_rate(const dent_rigid_state *a, const dent_rigid_state *b,
                                               const double edge_a[3], const double edge_b[3], const double normal[3],
                                               double rate[3]);
/** Returns J v, the speed at which the points part along the normal. */
DENT_API double dent_constraint_speed(const dent_constraint_contact *contact);
/** Returns the target of a resting contact; the unknown is the acceleration:
 *  -2 (va - vb) . dn/dt - n . (wa x (wa x ra) - wb x (wb x rb)). */
DENT_API double dent_constraint_resting_target(const dent_constraint_contact *contact);
/** Returns the target of an impact; the unknown is the velocity: -restitution * J v. */
DENT_API double dent_constraint_impact_target(const dent_constraint_contact *contact, double restitution);
/** Returns the target that holds the target gap s; the unknown is the acceleration. For gap < s the resting
 *  target plus gap |dn/dt|^2 + k (s - gap) - 2 damping sqrt(k) J v. Otherwise the resting target alone.
 *  `rate` is sqrt(k), per time: 0.2 / time_step is usual. `damping` 1 is critical. */
DENT_API double dent_constraint_gap_target(const dent_constraint_contact *contact, double target_gap,
                                                double rate, double damping);
/** Returns the target of repositioning; the unknown is a displacement: s - gap. */
DENT_API double dent_constraint_reposition_target(const dent_constraint_contact *contact, double target_gap);

#ifdef __cplusplus
}
#endif

#endif
