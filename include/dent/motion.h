/* dent/motion.h — the question `motion-impact`: when do bodies that turn first touch?
 *
 * Rigid bodies are known at the ends of a step by their poses; in between they follow a stated motion that is rigid all
 * the way (straight lines for the vertices, as in impact.h, would bend a turning body). Linkages are chains of such
 * motions: a list of frames, each moving in its parent, and bodies attached to frames. Bodies that are not attached
 * move as in impact.h, every vertex on a straight line from positions_t0 to positions_t1 (or stand still), so that a
 * deformable surface and a turning tool meet in the same query.
 *
 * The promise. Let the motions be those of the given numbers in real arithmetic (dent_motion below says which).
 *   FREE       no surface face of one body touches one of another (of the pairs asked) at any t in [0, 1];
 *   CONTACT    nothing touches before t_lo, and at t_lo something is nearer than the tolerance;
 *   UNDECIDED  the box limit was spent; nothing touches before t_lo.
 * So a contact is never missed and t_lo is never late; what stays farther apart than the tolerance is never reported.
 * What starts apart, however little, is not `initial`, and gets away if its distance grows: a motion from t_lo of a
 * contact back along its path is FREE.
 * Nothing is said about what bodies truly do between two poses. The answer is the same for every number of threads and
 * every instruction set.
 *
 * Asked are pairs of different bodies of which at least one is attached, whose frames differ, which the filters allow,
 * and which are not excluded. Surfaces count, not what they enclose: a body that starts inside another without touching
 * its surface is free. Pairs of bodies that both are not attached are asked with dent_world_impacts.
 */
#ifndef DENT_MOTION_H
#define DENT_MOTION_H

#include <dent/impact.h>
#include <dent/world.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- poses ------------------------------------------------------------------------------------------------------- */

/** Takes a point x of the body to R x + translation, R the rotation of the quaternion (w, x, y, z). Quaternions need
 *  not be of unit length (they are divided by it) but not zero; q and -q are the same rotation. */
typedef struct dent_pose {
    double rotation[4];    /**< w, x, y, z */
    double translation[3]; /**< a length */
} dent_pose;

/** No rotation, no translation. */
DENT_API dent_pose dent_pose_identity(void);

/** From a matrix of 4 rows of 4, row-major, translation in the last column, last row 0 0 0 1. Refused with
 *  INVALID_ARGUMENT and a message in the context: a number that is not finite, a matrix that is not a rotation (some
 *  entry of R'R - I above 1e-6 in size; scaling, shear), a mirror image, another last row. Deviations within 1e-6 are
 *  corrected. *pose is written on success only. */
DENT_API dent_status dent_pose_from_matrix(dent_context *context, const double matrix[16], dent_pose *pose);

/** From a rotation of 3 rows of 3 and a translation; refused as above. */
DENT_API dent_status dent_pose_from_rotation(dent_context *context, const double rotation[9],
                                             const double translation[3], dent_pose *pose);

/** The 16 numbers of the matrix of a pose, row-major. The pose must be usable (see above). */
DENT_API void dent_pose_to_matrix(const dent_pose *pose, double matrix[16]);

/** First b, then a: (a b) x = a (b x); the rotation is made of unit length. */
DENT_API dent_pose dent_pose_product(const dent_pose *a, const dent_pose *b);
/** The pose that takes back what this one does. */
DENT_API dent_pose dent_pose_inverse(const dent_pose *pose);

/* ---- motions ----------------------------------------------------------------------------------------------------- */

typedef enum dent_motion_kind {
    DENT_MOTION_CONSTANT_VELOCITY = 0, /**< the centre goes straight at constant speed, the body turns about it */
    DENT_MOTION_SCREW = 1 /**< turns about one fixed axis and slides along it; the centre is not looked at */
} dent_motion_kind;

/** "constant-velocity", "screw"; null for other values. */
DENT_API const char *dent_motion_kind_name(dent_motion_kind kind);

/** A motion over t in [0, 1]: R(t) turns by t * angle about `axis` (right-handed, of the frame the pose is given in)
 *  from the start pose. CONSTANT_VELOCITY: the body's point `centre` goes from its start by t * displacement on a
 *  straight line. SCREW: the body's origin goes by `displacement` on the helix whose axis has that direction (for
 *  angle 0 a straight line). These numbers *are* the motion: the library certifies what they say.
 *  A joint that turns about an axis through its own origin: start, axis, angle (of any size), the rest zero. A sliding
 *  joint: start, displacement, the rest zero. A screw joint: axis, angle and a displacement along the axis. */
typedef struct dent_motion {
    dent_pose start;
    double axis[3];         /**< any length but 0; with angle 0 also 0 */
    double angle;           /**< radians; beyond pi and full turns are allowed, at most 1000 in size */
    double displacement[3]; /**< a length */
    double centre[3];       /**< in the body's coordinates; CONSTANT_VELOCITY only */
    dent_motion_kind kind;
} dent_motion;

/** Stays where it is. */
DENT_API dent_motion dent_motion_stationary(const dent_pose *pose);

/** The motion between two poses. The turn is the shortest one, in [0, pi]; of the two axes that fit a half turn it is
 *  the one whose first non-zero component is positive. full_turns adds so many turns about that axis (negative: the
 *  other way round): poses cannot tell, angular velocities can. centre: null is the origin of the body; for SCREW it is
 *  not looked at. Refused with INVALID_ARGUMENT and a message in the context: numbers that are not finite, a zero
 *  quaternion, an unknown kind, more than 150 full turns, full turns of a SCREW whose poses differ by less than 1e-6
 *  radians and a displacement across the axis. *motion is written on success only. */
DENT_API dent_status dent_motion_between(dent_context *context, const dent_pose *start, const dent_pose *end,
                                         dent_motion_kind kind, const double centre[3], int32_t full_turns,
                                         dent_motion *motion);

/** The pose at t in [0, 1], rounded. The motion must be usable; the query checks, this does not. At 0 and 1 it meets
 *  the poses of dent_motion_between to a few units in the last place of their largest numbers. */
DENT_API dent_pose dent_motion_at(const dent_motion *motion, double t);

/* ---- the question ------------------------------------------------------------------------------------------------ */

/** The world as parent of a frame or as frame of a body. */
#define DENT_FRAME_WORLD UINT32_MAX

/** One frame of a linkage: moves in its parent. */
typedef struct dent_motion_frame {
    uint32_t parent; /**< a smaller index of the same list, or DENT_FRAME_WORLD */
    dent_motion motion;
} dent_motion_frame;

/** "This body is rigid and moves with this frame." Its positions_t0 are coordinates in the frame (for DENT_FRAME_WORLD:
 *  it stands still); positions_t1 are not looked at. The hierarchy over a rigid body is built once: dent reads its
 *  positions when the body is new, when they were given by dent_body_set_positions or dent_body_set_topology since the
 *  last query, and when the def says `meshes_changed`; a caller who overwrites them in place says so there. */
typedef struct dent_motion_body {
    dent_body_id body;
    uint32_t frame;
} dent_motion_body;

/** Two bodies that are not asked about, such as neighbouring links. */
typedef struct dent_excluded_pair {
    dent_body_id a, b;
} dent_excluded_pair;

/** Bounding volumes of the hierarchy of a rigid body. The promise does not depend on them, nor does the answer beyond
 *  the tolerance. */
typedef enum dent_motion_volume {
    DENT_MOTION_VOLUME_AUTO = 0,         /**< oriented boxes */
    DENT_MOTION_VOLUME_SPHERE = 1,       /**< spheres */
    DENT_MOTION_VOLUME_ALIGNED_BOX = 2,  /**< boxes along the axes of the body, 3 axes tested */
    DENT_MOTION_VOLUME_ORIENTED_BOX = 3, /**< a box along the axes of its own faces, 15 axes tested */
    DENT_MOTION_VOLUME_COUNT = 4
} dent_motion_volume;

/** How a motion is enclosed over a piece of time. */
typedef enum dent_motion_bounds {
    DENT_MOTION_BOUNDS_AUTO = 0,     /**< TAYLOR */
    DENT_MOTION_BOUNDS_TAYLOR = 1,   /**< pose and velocity in the middle, and what the second derivative may add */
    DENT_MOTION_BOUNDS_INTERVAL = 2, /**< interval matrices, each link made as narrow as a rotation allows before
                                          the next is multiplied */
    DENT_MOTION_BOUNDS_PLAIN_INTERVAL = 3, /**< interval matrices as they come: wide after a few links */
    DENT_MOTION_BOUNDS_COUNT = 4
} dent_motion_bounds;

/** "oriented-box" and so on, "taylor", "interval", "plain-interval"; "auto"; null for other values. */
DENT_API const char *dent_motion_volume_name(dent_motion_volume volume);
DENT_API const char *dent_motion_bounds_name(dent_motion_bounds bounds);

typedef struct dent_motion_impact_def {
    size_t struct_size;
    const dent_motion_frame *frames; /**< parents before children; read during the call only, as all lists here */
    uint32_t frame_count;
    const dent_motion_body *bodies; /**< the rigid ones, each at most once */
    uint32_t body_count;
    const dent_excluded_pair *excluded;
    uint32_t excluded_count;
    double tolerance;          /**< a length; 0 (default): 1e-6 of the size of the pair, the sum of the radii of its two
                                    bodies. Smaller ones than 2^-28 of the size are raised to that */
    uint64_t work_limit;        /**< pieces of time and pairs of volumes looked at for one pair of bodies, at least 1;
                                    default 10 million. When they are spent the answer is UNDECIDED or the contact that
                                    another pair makes before */
    bool no_contacts;          /**< default false. True: the time alone */
    bool first_contact_only;   /**< default false: all contacts at the first time. True: the first in canonical order */
    bool meshes_changed;       /**< default false. True: read the positions of all rigid bodies again */
    dent_motion_volume volume; /**< default AUTO */
    dent_motion_bounds bounds; /**< default AUTO */
    const int *cancel;         /**< as in dent_query_def */
} dent_motion_impact_def;
DENT_API dent_motion_impact_def dent_motion_impact_def_default(void);

typedef enum dent_motion_verdict {
    DENT_MOTION_FREE = 0,
    DENT_MOTION_CONTACT = 1,
    DENT_MOTION_UNDECIDED = 2
} dent_motion_verdict;

/** "free", "contact", "undecided"; null for other values. */
DENT_API const char *dent_motion_verdict_name(dent_motion_verdict verdict);

/** Features that are nearer at t_lo than the tolerance of their pair of bodies (by default a share of its size, so that
 *  of a larger pair it may be larger than dent_motion_impact_result.tolerance). Of two faces that cross at the start,
 *  deeper than that, the nearest pair of their features, at any separation. Bodies by rank, features numbered as in
 *  dent_impact. */
typedef struct dent_motion_contact {
    uint32_t kind;              /**< dent_impact_kind: VERTEX_FACE (the vertex is side a) or EDGE_EDGE (a before b) */
    uint32_t body_a, feature_a; /**< the vertex; or number of the edge in dent_body_edges */
    uint32_t body_b, feature_b; /**< number of the surface face in dent_body_surface_faces; or of the edge */
    double point_a[3], point_b[3]; /**< the closest points at t_lo, in the world */
    double normal[3];              /**< unit, from b to a: moving a along it separates; where the features cross
                                        already, the normal of the face or the cross product of the edges */
    double separation;             /**< distance of the two points */
} dent_motion_contact;

/** Why it took what it took. They do not depend on threads. */
typedef struct dent_motion_counters {
    uint64_t body_pairs;       /**< asked about */
    uint64_t body_pairs_apart; /**< of these, apart by their first volumes alone */
    uint64_t volume_tests;     /**< pairs of volumes compared over a piece of time */
    uint64_t face_tests;       /**< pairs of faces compared over a piece of time */
    uint64_t time_pieces;      /**< motions enclosed over a piece of time */
    uint64_t trees_built;      /**< hierarchies built anew */
    uint64_t scratch_bytes;
    uint64_t ns_prepare, ns_search, ns_finish;
} dent_motion_counters;

typedef struct dent_motion_impact_result {
    dent_outcome outcome; /**< COMPLETE; BUDGET_SPENT with UNDECIDED; CANCELLED: verdict UNDECIDED, t_lo 0 */
    dent_motion_verdict verdict;
    bool initial;            /**< CONTACT at t = 0: the bodies touch, or cross, at the start */
    double t_lo;             /**< nothing touches before; 1 when FREE. Bodies placed here are apart or just touch: the
                                  time of contact to step to */
    double t_estimate; /**< a guess at the first contact, in [t_lo, t_hi]: nothing is promised of it, it may be late */
    double t_hi;             /**< CONTACT: by then something is nearer than the tolerance; FREE and UNDECIDED: 1 */
    uint32_t body_a, body_b; /**< ranks of the pair that touches first; UINT32_MAX when FREE */
    const dent_motion_contact *contacts; /**< at t_lo, canonical order: kind, body a, feature a, body b, feature b */
    uint64_t contact_count;
    double tolerance; /**< the one used for the pair; when FREE the largest used */
    dent_motion_counters counters;
} dent_motion_impact_result;

/** The first contact. Results are valid until the next call on this world. After one warm-up call on a world whose
 *  sizes no longer grow, no allocation. Cost: for rigid bodies nothing is read that the search does not visit;
 *  unattached bodies that move are read whole. When CONTACT, place *all* bodies with dent_motion_at(t_lo), also those
 *  that touch nothing. Failure: *result is untouched; BAD_NUMBER names the body and vertex or the frame with a number
 *  that is not finite; INVALID_ARGUMENT a zero quaternion, a parent that is not before its child, a body attached
 *  twice. */
DENT_API dent_status dent_world_motion_impact(dent_world *world, const dent_motion_impact_def *def,
                                              dent_motion_impact_result *result);

/** Where a frame is at t: the product of the motions from the world down to it. The index must be below the count. */
DENT_API dent_pose dent_motion_frame_at(const dent_motion_frame *frames, uint32_t frame, double t);

/** How wide the bounds of a chain are: the motion of `frame` in the world over [t_lo, t_hi] enclosed in the given way;
 *  *rotation_radius and *translation_radius bound how far the enclosure strays from its middle: a point x of the body
 *  is known to within rotation_radius |x| + translation_radius (TAYLOR: beyond its motion at constant velocity). */
DENT_API dent_status dent_motion_bound_width(dent_context *context, const dent_motion_frame *frames, uint32_t frame,
                                             dent_motion_bounds bounds, double t_lo, double t_hi,
                                             double *rotation_radius, double *translation_radius);

#ifdef __cplusplus
}
#endif

#endif
