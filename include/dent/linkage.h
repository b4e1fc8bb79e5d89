/* dent/linkage.h — linkages: trees of rigid links held together by joints, turned into the frames of motion.h.
 *
 * A linkage is kinematics alone: it knows names, joints and how links hang together, but no bodies. From joint values
 * at both ends of a step it makes one frame per link, each moving in its parent exactly as its joint does (a revolute
 * joint turns by the difference of its values, also by more than a turn); the caller attaches bodies to the frames.
 *
 * Angles are radians, everything else lengths. Threads: a linkage is not changed after its creation; any number of
 * threads may ask it at the same time, but a failing call writes the context's message.
 */
#ifndef DENT_LINKAGE_H
#define DENT_LINKAGE_H

#include <dent/motion.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Values are the joint's position, in the order of the joints. */
typedef enum dent_joint_kind {
    DENT_JOINT_FIXED = 0,     /**< no values */
    DENT_JOINT_REVOLUTE = 1,  /**< 1: the angle about the axis */
    DENT_JOINT_PRISMATIC = 2, /**< 1: the way along the axis */
    DENT_JOINT_SCREW = 3,     /**< 1: the angle; slides by pitch * angle along the axis */
    DENT_JOINT_BALL = 4, /**< 4: a quaternion w, x, y, z, not zero; the shortest turn in between, about its origin */
    DENT_JOINT_FREE = 5, /**< 7: a translation x, y, z and a quaternion w, x, y, z; constant velocity in between */
    DENT_JOINT_PLANAR = 6, /**< 3: ways x and y in the plane across the axis and the angle about the axis; in between
                                the origin goes straight and the link turns by the difference of the angles, both at
                                constant speed. x and y are the first two axes of the joint's frame, carried along by
                                the shortest turn that takes the third to the axis (axis 0 0 1: as they are; axis
                                0 0 -1: x and -y) */
    DENT_JOINT_KIND_COUNT = 7
} dent_joint_kind;

/** "fixed", "revolute" and so on; null for other values. */
DENT_API const char *dent_joint_kind_name(dent_joint_kind kind);
/** How many values a joint of this kind has, 0 for others. */
DENT_API uint32_t dent_joint_kind_value_count(dent_joint_kind kind);

#define DENT_JOINT_NONE UINT32_MAX

/** One joint: places the link `child` in the link `parent`. */
typedef struct dent_joint_def {
    const char *name; /**< copied; null: "joint N" */
    dent_joint_kind kind;
    uint32_t parent, child; /**< links */
    dent_pose origin;       /**< of the child in the parent when the joint's values are zero */
    double axis[3];  /**< in the frame of the joint (after `origin`); any length but 0. Default 1 0 0. BALL, FREE and
                          FIXED do not look at it */
    double pitch;    /**< SCREW: a length per radian; default 0 */
    bool has_limits; /**< default false; for joints of one value */
    double lower, upper; /**< lower <= upper */
    uint32_t mimics; /**< a joint of one value that this one follows, or DENT_JOINT_NONE (default). Such a joint has no
                          value of its own but multiplier * (value of the other) + offset */
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

/** Checks and copies the def; O(links + joints). Refused with one line in the context's message that names the culprit:
 *  INVALID_ARGUMENT for a link index out of range, two joints with the same child, joints that form a cycle, several
 *  links without a parent, an unknown kind, an axis of length zero, a zero quaternion, limits the wrong way round, a
 *  joint that mimics itself or one that cannot be mimicked; BAD_NUMBER for what is not finite. *linkage is written on
 *  success only. */
DENT_API dent_status dent_linkage_create(dent_context *context, const dent_linkage_def *def, dent_linkage **linkage);
DENT_API void dent_linkage_destroy(dent_linkage *linkage);

/** As the def gave them. */
DENT_API const char *dent_linkage_name(const dent_linkage *linkage);
DENT_API uint32_t dent_linkage_link_count(const dent_linkage *linkage);
DENT_API uint32_t dent_linkage_joint_count(const dent_linkage *linkage);
/** Null when the index is not below the count. */
DENT_API const char *dent_linkage_link_name(const dent_linkage *linkage, uint32_t link);
/** The def as it was given, with its name (and `mimics` resolved to a joint that has a value of its own); null when the
 *  index is not below the count. Owned by the linkage. */
DENT_API const dent_joint_def *dent_linkage_joint(const dent_linkage *linkage, uint32_t joint);
/** The link, or joint, of that name; UINT32_MAX when there is none. O(count). */
DENT_API uint32_t dent_linkage_find_link(const dent_linkage *linkage, const char *name);
DENT_API uint32_t dent_linkage_find_joint(const dent_linkage *linkage, const char *name);

/** Length of the arrays of joint values. */
DENT_API uint32_t dent_linkage_value_count(const dent_linkage *linkage);
/** Where the values of a joint begin in them; UINT32_MAX for a joint without. */
DENT_API uint32_t dent_linkage_first_value(const dent_linkage *linkage, uint32_t joint);
/** All joints at zero: 0 for angles and ways, 1 0 0 0 for quaternions. */
DENT_API void dent_linkage_zero_values(const dent_linkage *linkage, double *values);
/** INVALID_ARGUMENT when a value, or that of a joint which mimics it, is outside the limits of its joint; BAD_NUMBER
 * when one is not finite. The message names the joint. */
DENT_API dent_status dent_linkage_check_values(const dent_linkage *linkage, const double *values);

/** The frame of a link in the lists that dent_linkage_motion writes: a parent's frame is always smaller. */
DENT_API uint32_t dent_linkage_frame_of(const dent_linkage *linkage, uint32_t link);

/** The frames of a step from one set of joint values to another: link_count of them. `base` moves the root link in the
 *  world (null: it stands at the origin). first_frame is the place of frames[0] in the caller's list, so that several
 *  linkages and bodies can share one list. Fails, with nothing written, for a value that is not finite, a zero
 *  quaternion, an angle of more than 1000. Limits are not looked at. O(links). */
DENT_API dent_status dent_linkage_motion(const dent_linkage *linkage, const dent_motion *base, const double *values_t0,
                                         const double *values_t1, uint32_t first_frame, dent_motion_frame *frames);

/** Where the links are: poses[link] in the world. `base` null: the root is at the origin. Fails as above. O(links). */
DENT_API dent_status dent_linkage_poses(const dent_linkage *linkage, const dent_pose *base, const double *values,
                                        dent_pose *poses);

/** True for links that are not expected to be asked about: the same link, links held together by fixed joints alone,
 * and links between which there is one joint that moves and otherwise fixed joints. */
DENT_API bool dent_linkage_neighbours(const dent_linkage *linkage, uint32_t link_a, uint32_t link_b);

/** Pairs of bodies of neighbouring links for dent_motion_impact_def: bodies[link] is the body of a link, or the null
 * id. Returns how many there are, and writes at most `capacity` of them. */
DENT_API uint32_t dent_linkage_excluded_pairs(const dent_linkage *linkage, const dent_body_id *bodies,
                                              dent_excluded_pair *excluded, uint32_t capacity);

#ifdef __cplusplus
}
#endif

#endif
