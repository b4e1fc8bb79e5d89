/* dent/motion.h — the question `motion-impact`: when do rotating bodies first touch?
 *
 * A rigid body is given by its poses at the ends of a step. In between it follows a stated rigid motion. (Straight
 * lines for the vertices, as in impact.h, would deform a rotating body.) A linkage is a chain of such motions: a list
 * of coordinate frames, each moving in its parent, and bodies attached to frames. In this header "frame" means
 * coordinate frame. Unattached bodies move as in impact.h: every vertex moves on a straight line from positions_t0 to
 * positions_t1, or stands still. So one query covers a deformable surface and a rotating tool.
 *
 * Guarantee. The motions are those of the given numbers in real arithmetic (dent_motion below defines them).
 *   FREE       no surface face of one body touches one of another (of the tested pairs) at any t in [0, 1];
 *   CONTACT    nothing touches before t_lo, and at t_lo something is nearer than the tolerance;
 *   UNDECIDED  the work limit was spent; nothing touches before t_lo.
 * So no contact is missed and t_lo is never late. Pairs that stay farther apart than the tolerance are never reported.
 * A pair that starts apart, however little, is not `initial`. It is free if its distance grows, so a motion from t_lo
 * of a contact back along its path is FREE. There is no guarantee about how bodies really move between two poses. The
 * result is the same for every thread count and instruction set.
 *
 * A pair is tested if at least one body is attached, their coordinate frames differ, filters allow it and it is not
 * excluded. A body is not tested against itself. Surfaces count, not what they enclose: a body that starts inside
 * another without touching its surface is free. For pairs of unattached bodies use dent_world_impacts.
 */
#ifndef DENT_MOTION_H
#define DENT_MOTION_H

#include <dent/impact.h>
#include <dent/world.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- poses ------------------------------------------------------------------------------------------------------- */

/** Maps a point x of the body to R x + translation, where R is the rotation of the quaternion (w, x, y, z). Quaternions
 *  must not be zero; they are normalised. q and -q are the same rotation. */
typedef struct dent_pose {
    double rotation[4];    /**< w, x, y, z */
    double translation[3]; /**< a length */
} dent_pose;

/** Returns the pose without rotation and translation. */
DENT_API dent_pose dent_pose_identity(void);

/** Makes a pose from a 4 x 4 matrix, row-major, translation in the last column, last row 0 0 0 1. Fails with
 *  INVALID_ARGUMENT and a message in the context for a number that is not finite, a mirror image, or another last row.
 *  A matrix that is not a rotation (some entry of R'R - I above 1e-6 in size; scaling, shear) fails likewise.
 *  Deviations within 1e-6 are corrected. *pose is written on success only. */
DENT_API dent_status dent_pose_from_matrix(dent_context *context, const double matrix[16], dent_pose *pose);

/** Makes a pose from a 3 x 3 rotation, row-major, and a translation; fails as above. */
DENT_API dent_status dent_pose_from_rotation(dent_context *context, const double rotation[9],
                                             const double translation[3], dent_pose *pose);

/** Writes the 16 numbers of the matrix of a pose, row-major. The pose must be usable (see above). */
DENT_API void dent_pose_to_matrix(const dent_pose *pose, double matrix[16]);

/** Returns the pose that applies b, then a: (a b) x = a (b x). Its quaternion has unit length. */
DENT_API dent_pose dent_pose_product(const dent_pose *a, const dent_pose *b);
/** Returns the inverse pose. */
DENT_API dent_pose dent_pose_inverse(const dent_pose *pose);

/* ---- motions ----------------------------------------------------------------------------------------------------- */

typedef enum dent_motion_kind {
    DENT_MOTION_CONSTANT_VELOCITY = 0, /**< the centre moves straight at constant speed, the body rotates about it */
    DENT_MOTION_SCREW = 1, /**< rotation about one fixed axis and translation along it; the centre is ignored */
    DENT_MOTION_GIVEN = 2  /**< any rigid motion, by a function that encloses it: `given` */
} dent_motion_kind;

/** Returns "constant-velocity", "screw", "given"; null for other values. */
DENT_API const char *dent_motion_kind_name(dent_motion_kind kind);

/** A real function of time over an interval. It has value and derivative in the middle of the interval, each with a
 *  bound of the error. It also has a bound of the second derivative over the whole interval (if the derivative has
 *  kinks, of how fast it changes). */
typedef struct dent_law_enclosure {
    double value, value_error; /**< |true value - value| <= value_error; |value| at most 4 */
    double rate, rate_error;   /**< the same for the derivative */
    double bend;               /**< |second derivative| <= bend for all t in the interval */
} dent_law_enclosure;

/** Encloses both laws of a motion over [t_lo, t_hi], a part of [0, 1] or a single time. Called from any thread, often
 *  at once. It must depend on its arguments and on unchanging data behind `user` alone, or the results will not repeat.
 */
typedef void dent_law_function(void *user, double t_lo, double t_hi, dent_law_enclosure *turn,
                               dent_law_enclosure *slide);

/** Time laws of a motion (a and b of the class of in-between motions of Redon, Kheddar and Coquillart). At time t it
 *  has turned by turn(t) times `angle` and moved by slide(t) times `displacement`. A screw slides along its axis; its
 *  part across the axis goes with the turn. Both laws must be 0 at t = 0; 1 at t = 1 ends at the end pose, other values
 *  elsewhere. They need not be monotone. */
typedef struct dent_motion_law {
    dent_law_function *function;
    void *user;
} dent_motion_law;

/** Coefficients of two polynomials without a constant term: turn(t) = turn[0] t + turn[1] t^2 + … */
typedef struct dent_polynomial_laws {
    double turn[6], slide[6];
} dent_polynomial_laws;

/** A dent_law_function for a dent_polynomial_laws behind `user`. Pieces are enclosed to rounding. */
DENT_API void dent_polynomial_law(void *user, double t_lo, double t_hi, dent_law_enclosure *turn,
                                  dent_law_enclosure *slide);

/** Returns cubic laws from 0 to 1 with these derivatives at t = 0 and t = 1. All 1 is constant speed, all 0 starts and
 *  ends at rest. So a step can begin and end with the velocities of the dynamics. */
DENT_API dent_polynomial_laws dent_polynomial_laws_between(double turn_rate_t0, double turn_rate_t1,
                                                           double slide_rate_t0, double slide_rate_t1);

/** Any rigid motion over an interval of time. It has pose and derivative in the middle, bounds of their errors, and
 *  bounds of the second derivative over the whole interval. Norms of matrices are spectral norms. */
typedef struct dent_motion_enclosure {
    double rotation[9], translation[3];           /**< in the middle; row-major */
    double rotation_rate[9], translation_rate[3]; /**< derivatives there */
    double rotation_error, translation_error;
    double rotation_rate_error, translation_rate_error;
    double rotation_bend, translation_bend; /**< bounds of the second derivatives over the interval */
} dent_motion_enclosure;

/** Encloses a motion over [t_lo, t_hi]; the rules of dent_law_function hold. */
typedef void dent_motion_function(void *user, double t_lo, double t_hi, dent_motion_enclosure *enclosure);

/** A motion by a function. `start` of the dent_motion must be its pose at t = 0. */
typedef struct dent_motion_given {
    dent_motion_function *function;
    void *user;
} dent_motion_given;

/** A motion over t in [0, 1]. R(t) rotates by t * angle about `axis` from the start pose. The rotation is right-handed
 *  and the axis is in the frame that the pose is given in. CONSTANT_VELOCITY: the body's point `centre` moves from its
 *  start by t * displacement on a straight line. SCREW: the body's origin moves by `displacement` on the helix whose
 *  axis has that direction (for angle 0 a straight line). These numbers *are* the motion, and the guarantee refers to
 *  them. A joint that rotates about an axis through its own origin: start, axis, angle (of any size), the rest zero. A
 *  sliding joint: start, displacement, the rest zero. A screw joint: axis, angle and a displacement along the axis. */
typedef struct dent_motion {
    dent_pose start;
    double axis[3];         /**< any length but 0; with angle 0 also 0 */
    double angle;           /**< radians; more than a full turn is allowed, at most 1000 in size */
    double displacement[3]; /**< a length */
    double centre[3];       /**< in the body's coordinates; CONSTANT_VELOCITY only */
    dent_motion_kind kind;
    const dent_motion_law *law;     /**< null: both laws are t. Otherwise t above is turn(t) for the rotation and slide(t)
                                         for the displacement. Borrowed */
    const dent_motion_given *given; /**< GIVEN: the motion; of the fields above only `start` is used. Borrowed */
} dent_motion;

/** Returns a motion that stays at a pose. */
DENT_API dent_motion dent_motion_stationary(const dent_pose *pose);

/** Computes the motion between two poses. The rotation is the shortest one, in [0, pi]. Of the two axes that fit a half
 *  turn it takes the one whose first non-zero component is positive. full_turns adds full turns about that axis,
 *  negative ones in the opposite sense: poses do not determine them, angular velocities do. A null centre is the origin
 *  of the body; SCREW ignores it. Fails with INVALID_ARGUMENT for numbers that are not finite, a zero quaternion, an
 *  unknown kind or more than 150 full turns. The context has the message. It also fails for full turns of a SCREW whose
 *  poses differ by less than 1e-6 radians and a displacement across the axis. *motion is written on success only. */
DENT_API dent_status dent_motion_between(dent_context *context, const dent_pose *start, const dent_pose *end,
                                         dent_motion_kind kind, const double centre[3], int32_t full_turns,
                                         dent_motion *motion);

/** Returns the pose at t in [0, 1], rounded. The motion must be usable; the query checks that, this function does not.
 *  At 0 and 1 it equals the poses of dent_motion_between to a few units in the last place of their largest numbers. */
DENT_API dent_pose dent_motion_at(const dent_motion *motion, double t);

/* ---- the question ------------------------------------------------------------------------------------------------ */

/** The world, as the parent of a frame or the frame of a body. */
#define DENT_FRAME_WORLD UINT32_MAX

/** One coordinate frame of a linkage; moves in its parent. */
typedef struct dent_motion_frame {
    uint32_t parent; /**< a smaller index of the same list, or DENT_FRAME_WORLD */
    dent_motion motion;
} dent_motion_frame;

/** Attaches a body: it is rigid and moves with this frame. Its positions_t0 are coordinates in the frame (for
 *  DENT_FRAME_WORLD: it stands still); positions_t1 are ignored. The hierarchy over a rigid body is built once. dent
 *  reads its positions if the body is new, if dent_body_set_positions or dent_body_set_topology replaced them since the
 *  last query, or if the def sets `meshes_changed`. Set it after overwriting positions in place. */
typedef struct dent_motion_body {
    dent_body_id body;
    uint32_t frame;
} dent_motion_body;

typedef struct dent_motion_impact_def {
    size_t struct_size;
    const dent_motion_frame *frames; /**< parents before children; read during the call only, as all lists here */
    uint32_t frame_count;
    const dent_motion_body *bodies; /**< the rigid ones, each at most once */
    uint32_t body_count;
    const dent_excluded_pair *excluded;
    uint32_t excluded_count;
    double tolerance;          /**< a length; 0 (default): 1e-6 of the size of the pair, the sum of the radii of its two
                                    bodies. Values below 2^-28 of the size are raised to that */
    uint64_t work_limit;        /**< time intervals and pairs of volumes tested for one pair of bodies, at least 1;
                                    default 10 million. If it is spent, the verdict is UNDECIDED, or an earlier CONTACT
                                    of another pair */
    bool no_contacts;          /**< default false. True: compute the time only */
    bool first_contact_only;   /**< default false: all contacts at the first time. True: the first in canonical order */
    bool meshes_changed;       /**< default false. True: read the positions of all rigid bodies again */
    bool ignore_thin;          /**< default false: a world with strands or points is UNSUPPORTED. True: these are not tested */
    const int *cancel;         /**< as in dent_query_def */
    const dent_experiments *experiments; /**< null (default); as in dent_query_def */
} dent_motion_impact_def;
DENT_API dent_motion_impact_def dent_motion_impact_def_default(void);

typedef enum dent_motion_verdict {
    DENT_MOTION_FREE = 0,
    DENT_MOTION_CONTACT = 1,
    DENT_MOTION_UNDECIDED = 2
} dent_motion_verdict;

/** Returns "free", "contact", "undecided"; null for other values. */
DENT_API const char *dent_motion_verdict_name(dent_motion_verdict verdict);

/** Features that are nearer at t_lo than the tolerance of their pair of bodies. That is by default a share of its size,
 *  so a larger pair may have a larger one than dent_motion_impact_result.tolerance. For two faces that cross at the
 *  start, deeper than that, the nearest pair of their features, at any separation. Bodies by body index, features
 *  numbered as in dent_impact. */
typedef struct dent_motion_contact {
    uint32_t kind;              /**< dent_impact_kind: VERTEX_FACE (the vertex is side a) or EDGE_EDGE (a before b) */
    uint32_t body_a, feature_a; /**< the vertex; or index of the edge in dent_body_edges */
    uint32_t body_b, feature_b; /**< index of the surface face in dent_body_surface_faces; or of the edge */
    double point_a[3], point_b[3]; /**< the closest points at t_lo, in world coordinates */
    double normal[3];              /**< unit, from b to a: moving a along it separates. If the features already cross,
                                        the normal of the face or the cross product of the edges */
    double separation;             /**< distance of the two points */
} dent_motion_contact;

/** Work and timing counters; the work does not depend on threads. */
typedef struct dent_motion_counters {
    uint64_t body_pairs;       /**< pairs tested */
    uint64_t body_pairs_apart; /**< of these, separated by their root volumes alone */
    uint64_t volume_tests;     /**< pairs of volumes compared over a time interval */
    uint64_t face_tests;       /**< pairs of faces compared over a time interval */
    uint64_t time_pieces;      /**< motions enclosed over a time interval */
    uint64_t trees_built;      /**< hierarchies rebuilt */
    uint64_t scratch_bytes;
    uint64_t ns_prepare, ns_search, ns_finish;
} dent_motion_counters;

typedef struct dent_motion_impact_result {
    dent_outcome outcome; /**< COMPLETE; BUDGET_SPENT with UNDECIDED; CANCELLED: verdict UNDECIDED, t_lo 0 */
    dent_motion_verdict verdict;
    bool initial;            /**< CONTACT at t = 0: the bodies touch, or cross, at the start */
    double t_lo;             /**< the time of contact to step to: nothing touches before it, and bodies placed here are
                                  apart or just touch; 1 if FREE */
    double t_estimate; /**< estimate of the first contact, in [t_lo, t_hi]; no guarantee, it may be late */
    double t_hi;             /**< CONTACT: by then something is nearer than the tolerance; FREE and UNDECIDED: 1 */
    uint32_t body_a, body_b; /**< body indices of the pair that touches first; UINT32_MAX if FREE */
    const dent_motion_contact *contacts; /**< at t_lo, canonical order: kind, body a, feature a, body b, feature b */
    uint64_t contact_count;
    double tolerance; /**< the one used for the pair; if FREE the largest used */
    dent_motion_counters counters;
} dent_motion_impact_result;

/** Finds the first contact. Results are valid until the next call on this world. After one warm-up call on a world
 *  whose sizes no longer grow, it makes no allocation. Cost: of rigid bodies only what the search visits is read;
 *  unattached bodies that move are read whole. After CONTACT, place *all* bodies with dent_motion_at(t_lo), also those
 *  that touch nothing. Failure: *result is untouched. BAD_NUMBER names the body and vertex, or the frame, whose number
 *  is not finite. INVALID_ARGUMENT reports a zero quaternion, a parent that is not before its child, or a body attached
 *  twice. BAD_NUMBER also names a frame whose law or given motion returned a bound that is negative or not finite, or a
 *  value beyond 4. */
DENT_API dent_status dent_world_motion_impact(dent_world *world, const dent_motion_impact_def *def,
                                              dent_motion_impact_result *result);

/** Returns the pose of a frame at t: the product of the motions from the world down to it. The index must be below the
 *  count. */
DENT_API dent_pose dent_motion_frame_at(const dent_motion_frame *frames, uint32_t frame, double t);

#ifdef __cplusplus
}
#endif

#endif
