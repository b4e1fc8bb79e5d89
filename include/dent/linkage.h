/* dent/linkage.h — linkages: trees of rigid links connected by joints, converted to the frames of motion.h.
 *
 * A linkage is kinematics alone: names, joints and the tree of links, but no bodies. From joint values at both ends of
 * a step it computes one coordinate frame per link. Each frame moves in its parent exactly as its joint does. A
 * revolute joint rotates by the difference of its values, even by more than a turn. The caller attaches bodies to the
 * frames.
 *
 * Angles are radians, everything else lengths. Threads: a linkage does not change after its creation, so any number of
 * threads may read it at the same time. A failing call writes the context's message.
 */
#ifndef DENT_LINKAGE_H
#define DENT_LINKAGE_H

#include <dent/motion.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Kinds of joints, with the number of their values. Values give the joint's position, in the order of the joints. */
typedef enum dent_joint_kind {
    DENT_JOINT_FIXED = 0,     /**< no values */
    DENT_JOINT_REVOLUTE = 1,  /**< 1: the angle about the axis */
    DENT_JOINT_PRISMATIC = 2, /**< 1: the displacement along the axis */
    DENT_JOINT_SCREW = 3,     /**< 1: the angle; slides by pitch * angle along the axis */
    DENT_JOINT_BALL = 4, /**< 4: a non-zero quaternion w, x, y, z; the shortest rotation in between, about its origin */
    DENT_JOINT_FREE = 5, /**< 7: a translation x, y, z and a quaternion w, x, y, z; constant velocity in between */
    DENT_JOINT_PLANAR = 6, /**< 3: displacements x and y in the plane across the axis and the angle about the axis. In
                                between the origin moves straight and the link rotates by the difference of the angles,
                                both at constant speed. x and y are the first two axes of the joint's frame, rotated by
                                the shortest rotation that takes the third to the axis. For axis 0 0 1 they are
                                unchanged, for axis 0 0 -1 they are x and -y */
    DENT_JOINT_KIND_COUNT = 7
} dent_joint_kind;

/** Returns "fixed", "revolute" and so on; null for other values. */
DENT_API const char *dent_joint_kind_name(dent_joint_kind kind);
/** Returns the number of values of a joint of this kind, 0 for others. */
DENT_API uint32_t dent_joint_kind_value_count(dent_joint_kind kind);

#define DENT_JOINT_NONE UINT32_MAX

/** One joint: places the link `child` in the link `parent`. */
typedef struct dent_joint_def {
    const char *name; /**< copied; null: "joint N" */
    dent_joint_kind kind;
    uint32_t parent, child; /**< links */
    dent_pose origin;       /**< pose of the child in the parent at zero joint values */
    double axis[3];  /**< in the frame of the joint (after `origin`); any length but 0. Default 1 0 0. Ignored by BALL,
                          FREE and FIXED */
    double pitch;    /**< SCREW: a length per radian; default 0 */
    bool has_limits; /**< default false; for joints of one value */
    double lower, upper; /**< lower <= upper */
    uint32_t mimics; /**< a joint of one value that this one follows, or DENT_JOINT_NONE (default). Such a joint has no
                          value of its own; it takes multiplier * (value of the other) + offset */
    double multiplier, offset; /**< default 1, 0 */
} dent_joint_def;
DENT_API dent_joint_def dent_joint_def_default(void);

typedef struct dent_linkage_def {
    size_t struct_size;
    const char *name; /**< copied; null: "linkage" */
    uint32_t link_count;
    const char *const *link_names; /**< copied; null, or null entries: "link N" */
    uint32_t joint_count;          /**< one less than links: every link but one is the child of one joint */
    const dent_joint_def *joints;
} dent_linkage_def;
DENT_API dent_linkage_def dent_linkage_def_default(void);

typedef struct dent_linkage dent_linkage;

/** Checks and copies the def; O(links + joints). Fails with one line in the context's message that names the offending
 *  link or joint. INVALID_ARGUMENT for links: an index out of range, two joints with the same child, joints that form a
 *  cycle, several links without a parent. INVALID_ARGUMENT for a joint: an unknown kind, an axis of length zero, a zero
 *  quaternion, a lower limit above the upper one. It is also returned for a joint that mimics itself or one that cannot
 *  be mimicked. BAD_NUMBER: a number that is not finite. *linkage is written on success only. */
DENT_API dent_status dent_linkage_create(dent_context *context, const dent_linkage_def *def, dent_linkage **linkage);
DENT_API void dent_linkage_destroy(dent_linkage *linkage);

/** Return the properties that the def gave. */
DENT_API const char *dent_linkage_name(const dent_linkage *linkage);
DENT_API uint32_t dent_linkage_link_count(const dent_linkage *linkage);
DENT_API uint32_t dent_linkage_joint_count(const dent_linkage *linkage);
/** Returns null if the index is not below the count. */
DENT_API const char *dent_linkage_link_name(const dent_linkage *linkage, uint32_t link);
/** Returns the joint's def as it was given, with its name, and with `mimics` resolved to a joint that has a value of
 *  its own. Null if the index is not below the count. Owned by the linkage. */
DENT_API const dent_joint_def *dent_linkage_joint(const dent_linkage *linkage, uint32_t joint);
/** Return the index of the link, or joint, of that name; UINT32_MAX if there is none. O(count). */
DENT_API uint32_t dent_linkage_find_link(const dent_linkage *linkage, const char *name);
DENT_API uint32_t dent_linkage_find_joint(const dent_linkage *linkage, const char *name);

/** Returns the length of the arrays of joint values. */
DENT_API uint32_t dent_linkage_value_count(const dent_linkage *linkage);
/** Returns the index of the first value of a joint in them; UINT32_MAX for a joint without values. */
DENT_API uint32_t dent_linkage_first_value(const dent_linkage *linkage, uint32_t joint);
/** Writes zero values for all joints: 0 for angles and displacements, 1 0 0 0 for quaternions. */
DENT_API void dent_linkage_zero_values(const dent_linkage *linkage, double *values);
/** Checks joint values. Fails with INVALID_ARGUMENT if a value, or that of a joint which mimics it, is outside the
 *  limits of its joint. Fails with BAD_NUMBER if a value is not finite. The message names the joint. */
DENT_API dent_status dent_linkage_check_values(const dent_linkage *linkage, const double *values);

/** Returns the index of a link's frame in the lists that dent_linkage_motion writes. A parent's index is smaller. */
DENT_API uint32_t dent_linkage_frame_of(const dent_linkage *linkage, uint32_t link);

/** Writes link_count frames: the motion from one set of joint values to another. `base` moves the root link in the
 *  world (null: it stands at the origin). first_frame is the index of frames[0] in the caller's list, so that several
 *  linkages and bodies can share one list. Fails, with nothing written, for a value that is not finite, a zero
 *  quaternion, or an angle of more than 1000. Limits are not checked. O(links). */
DENT_API dent_status dent_linkage_motion(const dent_linkage *linkage, const dent_motion *base, const double *values_t0,
                                         const double *values_t1, uint32_t first_frame, dent_motion_frame *frames);

/** Writes poses[link], the pose of each link in the world. `base` null: the root is at the origin. Fails as above.
 *  O(links). */
DENT_API dent_status dent_linkage_poses(const dent_linkage *linkage, const dent_pose *base, const double *values,
                                        dent_pose *poses);

/* ---- rates and masses: the motion of a linkage in joint space -------------------------------------------------------- */

/** Returns the number of joint rates, the coordinates of a velocity in joint space. A joint of one value has one rate,
 *  unless it mimics another. BALL has 3: the angular velocity of the child in its parent, in the frame of the joint (after
 *  `origin`). FREE has 6: the velocity of the child's origin, then the angular velocity, both in the frame of the joint.
 *  PLANAR has 3: the rates of its values. */
DENT_API uint32_t dent_linkage_rate_count(const dent_linkage *linkage);
/** Returns the index of the first rate of a joint. It is UINT32_MAX for FIXED joints, joints that mimic another, and an
 *  index that is not below the count. */
DENT_API uint32_t dent_linkage_first_rate(const dent_linkage *linkage, uint32_t joint);

/** Writes the rate_count coefficients of the speed of a point along a direction: coefficients . rates = direction .
 *  velocity. The point lies in space and moves with the link. `poses` are those of dent_linkage_poses. A row of
 *  dent/constraints.h; a difference of two rows is one of a contact between two links. O(joints). */
DENT_API void dent_linkage_point_row(const dent_linkage *linkage, const dent_pose *poses, uint32_t link,
                                     const double point[3], const double direction[3], double *coefficients);
/** Writes the coefficients of the angular velocity of a link along a direction. */
DENT_API void dent_linkage_turn_row(const dent_linkage *linkage, const dent_pose *poses, uint32_t link,
                                    const double direction[3], double *coefficients);

/** Mass of a link. */
typedef struct dent_link_mass {
    double mass;       /**< >= 0 */
    double center[3];  /**< of mass, in the frame of the link */
    double inertia[6]; /**< about the centre of mass, along the axes of the link's frame: xx xy xz yy yz zz */
} dent_link_mass;

/** Writes the mass matrix M of the linkage in joint space, rate_count * rate_count numbers by rows: the kinetic energy is
 *  1/2 rates . M rates. It is the metric DENT_METRIC_MASS_MATRIX of dent/constraints.h. Positive definite unless some
 *  motion moves no mass. masses[link]. O(links * rates^2). Fails, with nothing written, with INVALID_ARGUMENT for a
 *  negative mass and BAD_NUMBER for a number that is not finite; the message names the link. */
DENT_API dent_status dent_linkage_mass_matrix(const dent_linkage *linkage, const dent_pose *poses,
                                              const dent_link_mass *masses, double *matrix);

/** Returns true for pairs of links that are usually excluded. These are the same link, links connected by fixed joints
 *  alone, and links with exactly one moving joint between them and otherwise fixed joints. */
DENT_API bool dent_linkage_neighbours(const dent_linkage *linkage, uint32_t link_a, uint32_t link_b);

/** Lists the pairs of bodies of neighbouring links for dent_motion_impact_def. bodies[link] is the body of a link, or
 *  the null id. Returns the number of pairs and writes at most `capacity` of them. */
DENT_API uint32_t dent_linkage_excluded_pairs(const dent_linkage *linkage, const dent_body_id *bodies,
                                              dent_excluded_pair *excluded, uint32_t capacity);

#ifdef __cplusplus
}
#endif

#endif
