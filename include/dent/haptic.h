/* dent/haptic.h — optional library dent_haptic: forces that a hand can feel.
 *
 * A device (a haptic arm, a mouse) moves a rigid tool through a scene. The device may be anywhere, also inside a body.
 * The god-object is the tool where it can be. It follows the device, slides along what it meets and never enters it
 * (Zilles and Salisbury 1995; Ortega, Redon and Coquillart 2006). The force is that of a spring between the two.
 *
 * Three loops, each on a thread of its own if you like. They exchange data through triple buffers and never wait:
 *
 *   loop          call                     rate                 work
 *   device        dent_haptic_couple       1 kHz, fixed         pose in, force out; microseconds
 *   god-object    dent_haptic_update       as fast as possible  certified motion, contacts; milliseconds
 *   simulation    dent_haptic_set_scene    any                  where the bodies are now
 *                 dent_haptic_read                              where the tool is, what it pushes
 *
 * At most one thread at a time may run one loop. Different loops may run at once. Each loop has a world of its own. The
 * god-object loop has a copy of all bodies, the device loop the contacts of the last update. The simulation has what it
 * likes. dent_haptic_start runs the first two loops on threads with your callbacks. dent_haptic_clock runs all of them
 * in one thread on a virtual clock with stated delays, for tests. The bits are the same for every thread count and
 * instruction set.
 *
 * Promises.
 *   Never inside     Every motion of the tool is certified free of contact by motion.h. The motion of the bodies in the
 *                    same interval is part of the question: rigid bodies, linkages and deforming bodies.
 *   Only pushes      The force is a sum of contact normals with factors >= 0: no friction, no sticking, nothing at a
 *                    distance. In free space it is 0 exactly.
 *   Passive          With passivity control (default) a hand never gets more energy from a contact than it put in. That
 *                    holds if it moves in a tick at most twice as far as in the one before, and a target gap.
 *
 * Contacts keep a small distance, `target_gap`, between tool and bodies. Where bodies leave the tool no room, the
 * outcome is SQUEEZED. The copy of the scene stops before it would enter the tool, until there is room again.
 *
 * Units: lengths of the meshes, radians, seconds. Forces follow from `stiffness`. Failure: a status, and one line in the
 * context's message. A failing call changes nothing, except dent_haptic_update as stated there.
 */
#ifndef DENT_HAPTIC_H
#define DENT_HAPTIC_H

#include <dent/body.h>
#include <dent/linkage.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The most contacts that one force is made of. Of more, the nearest and those that differ most are used. */
#define DENT_HAPTIC_CONTACTS_MAX 32

/* ---- the scene ----------------------------------------------------------------------------------------------------- */

typedef enum dent_haptic_kind {
    DENT_HAPTIC_FIXED = 0,    /**< stands where its positions say */
    DENT_HAPTIC_RIGID = 1,    /**< positions in its own frame, a pose with each scene */
    DENT_HAPTIC_LINK = 2,     /**< a link of the linkage, joint values with each scene */
    DENT_HAPTIC_DEFORMING = 3 /**< positions with each scene; vertices move on straight lines in between */
} dent_haptic_kind;

/** Returns "fixed", "rigid", "link", "deforming"; null for other values. */
DENT_API const char *dent_haptic_kind_name(dent_haptic_kind kind);

/** One body that the tool can meet. Bodies are not tested against one another. */
typedef struct dent_haptic_body {
    dent_body_def shape; /**< a solid or a surface, positions at the start. Everything is copied */
    dent_haptic_kind kind;
    dent_pose pose; /**< RIGID: at the start; else ignored */
    uint32_t link;  /**< LINK: index in the linkage; else ignored */
} dent_haptic_body;

typedef struct dent_haptic_def {
    size_t struct_size;
    dent_body_def tool; /**< a solid or a surface; coordinates in the frame of the tool. Copied */
    dent_pose start;    /**< of the tool; default: the identity. It must touch nothing */
    uint32_t body_count;
    const dent_haptic_body *bodies;
    const dent_linkage *linkage; /**< borrowed; null (default): none. Joints with quaternions are UNSUPPORTED */
    const double *joint_values;  /**< at the start, or null: zeros */
    const double *centre;  /**< null (default), or the point of the tool that force and torque refer to, in its frame.
                               Default: the middle of its box */
    double target_gap;     /**< a length; 0 (default): 1e-3 of the tool's radius. Contacts rest at this distance */
    double stiffness;      /**< force per length, above 0; default 1000 */
    double inertia_radius; /**< a length; 0 (default): 0.6 of the tool's radius. Torque per angle is stiffness times its
                                square */
    double force_limit;    /**< above 0; infinity (default): none. A larger force is scaled down, torque and all */
    double torque_limit;   /**< the same for the torque */
    double damping;        /**< force per speed, >= 0; -1 (default): 0.5 * stiffness * tick. Acts along contacts that
                               push, never pulls, and only with passivity control */
    double blend;          /**< seconds, >= 0; default 0.005: when the set of contacts that push changes, a larger force
                               is blended in. A smaller one acts at once */
    double tick;           /**< seconds, above 0; default 0.001: between calls of dent_haptic_couple */
    double jump_limit;     /**< a length; 0 (default): 4 radii of the tool. A device that moves further in a tick has
                               jumped */
    bool no_passivity;     /**< default false. True: no damping and no limit on energy, for comparison */
    uint64_t work_limit;   /**< of one certified motion, as in motion.h; default 200,000 */
} dent_haptic_def;
DENT_API dent_haptic_def dent_haptic_def_default(void);

typedef struct dent_haptic dent_haptic;

/** Copies the scene and makes the worlds. Fails with INVALID_ARGUMENT for a number out of range, a link that does not
 *  exist or a tool that touches a body at the start. A linkage with quaternions is UNSUPPORTED. A shape fails as in
 *  dent_world_add_body. The message names it. *haptic is written on success only. O(n log n). */
DENT_API dent_status dent_haptic_create(dent_context *context, const dent_haptic_def *def, dent_haptic **haptic);
/** Stops the threads and destroys it. */
DENT_API void dent_haptic_destroy(dent_haptic *haptic);

/** Returns the target gap in use. */
DENT_API double dent_haptic_target_gap(const dent_haptic *haptic);

/* ---- loop 1: the device -------------------------------------------------------------------------------------------- */

/** What the device shall apply until the next call. */
typedef struct dent_haptic_force {
    double force[3];        /**< in space, on the hand */
    double torque[3];       /**< about the centre of the tool */
    dent_pose tool;         /**< the god-object of the last update, for drawing */
    uint32_t contact_count; /**< known contacts … */
    uint32_t pushing;       /**< … of these those that push */
    bool jumped;            /**< the device moved further than jump_limit since the last call */
    bool clamped;           /**< force or torque was above its limit */
    bool blended;           /**< a larger force is being blended in */
    bool limited;           /**< passivity control reduced the force */
    double work;            /**< done on the hand since the start: sum of force . displacement + torque . rotation */
    uint64_t updates;       /**< of the god-object until this force */
} dent_haptic_force;

/** Takes the pose of the device and returns the force. Wait-free, no allocation after the first call. O(contacts).
 *  BAD_NUMBER: a pose that is not finite; INVALID_ARGUMENT: a zero quaternion. Then nothing has changed: the god-object
 *  goes on with the last good pose. A device should then apply no force. */
DENT_API dent_status dent_haptic_couple(dent_haptic *haptic, const dent_pose *device, dent_haptic_force *force);

/* ---- loop 2: the god-object ---------------------------------------------------------------------------------------- */

typedef enum dent_haptic_outcome {
    DENT_HAPTIC_FREE = 0,     /**< the tool is where the device is */
    DENT_HAPTIC_CONTACT = 1,  /**< contacts hold it back */
    DENT_HAPTIC_SQUEEZED = 2, /**< bodies leave it no room: the copy of the scene waits */
    DENT_HAPTIC_MOVING = 3,   /**< still moving: another update brings it further */
    DENT_HAPTIC_UNDECIDED = 4 /**< work_limit was spent: it stands still */
} dent_haptic_outcome;

/** Returns "free", "contact", "squeezed", "moving", "undecided"; null for other values. */
DENT_API const char *dent_haptic_outcome_name(dent_haptic_outcome outcome);

/** One contact between tool and body. */
typedef struct dent_haptic_contact {
    uint64_t key;                        /**< the same features have the same key in the next update */
    uint32_t body;                       /**< index in dent_haptic_def.bodies */
    double point_tool[3], point_body[3]; /**< the closest points, in space */
    double normal[3];                    /**< unit, from the body to the tool */
    double gap;                          /**< their distance */
    double force;                        /**< >= 0: the body gets this times minus the normal, at point_body */
} dent_haptic_contact;

/** Where the tool is. */
typedef struct dent_haptic_state {
    uint64_t sequence; /**< number of the update, from 1; 0: the start */
    dent_haptic_outcome outcome;
    dent_pose tool;
    double scene_reached; /**< 1: bodies are where the last scene had them. Less: the copy stopped at this share of the
                               way from the scene before, or rather from where it was */
    uint32_t contact_count;
    const dent_haptic_contact *contacts; /**< nearer than 3 target gaps */
    uint32_t motion_tests;               /**< certified motions of this update */
    double gap;                          /**< smallest distance found, infinite if nothing is near */
    uint64_t ns;                         /**< time that the update took */
} dent_haptic_state;

/** Moves the god-object towards the newest pose of the device, and the copy of the scene to the newest scene. *state
 *  stays valid until the next call of this function. Needs no memory once contacts have been as many. Failure: the tool
 *  stays where the last certified motion brought it, and the next call goes on. */
DENT_API dent_status dent_haptic_update(dent_haptic *haptic, dent_haptic_state *state);

/* ---- loop 3: the simulation ---------------------------------------------------------------------------------------- */

typedef struct dent_haptic_scene {
    size_t struct_size;
    const dent_pose *poses;     /**< one for each RIGID body, in their order; null (default): as before */
    const double *joint_values; /**< of the linkage; null (default): as before */
    const double *positions;    /**< three per vertex, of all DEFORMING bodies one after the other; null: as before */
} dent_haptic_scene;
DENT_API dent_haptic_scene dent_haptic_scene_default(void);

/** Publishes where the bodies are now. Wait-free; copies. BAD_NUMBER: a number that is not finite, INVALID_ARGUMENT: a
 *  zero quaternion; the message names the body or joint, and nothing has changed. */
DENT_API dent_status dent_haptic_set_scene(dent_haptic *haptic, const dent_haptic_scene *scene);

/** Returns the newest state of the god-object. Wait-free. *state stays valid until the next call of this function. */
DENT_API dent_status dent_haptic_read(dent_haptic *haptic, dent_haptic_state *state);

/* ---- threads ------------------------------------------------------------------------------------------------------- */

/** A device. Both functions are called from the device thread, once a tick. */
typedef struct dent_haptic_device {
    bool (*read)(void *user, dent_pose *pose); /**< false: no pose this tick; the last one holds */
    void (*write)(void *user, const dent_haptic_force *force);
    void *user;
} dent_haptic_device;

/** Starts two threads: the device loop, once a tick, and the god-object loop. Until dent_haptic_stop only set_scene and
 *  read may be called. A pose that is rejected writes no force to the device but zeros. INVALID_ARGUMENT if they run
 *  already or a function is null; OUT_OF_MEMORY if a thread cannot start. */
DENT_API dent_status dent_haptic_start(dent_haptic *haptic, const dent_haptic_device *device);
/** Stops both threads and waits for them. Returns the first failure of a loop. Without threads it does nothing. */
DENT_API dent_status dent_haptic_stop(dent_haptic *haptic);

/** Counts since the start. Call it when no loop runs. */
typedef struct dent_haptic_counters {
    uint64_t ticks, updates, scenes;
    uint64_t rejected_poses, jumps, squeezed, undecided;
    uint64_t torn;       /**< buffers whose two sequence numbers differ: always 0 */
    uint64_t late_ticks; /**< ticks of dent_haptic_start that began a whole tick late */
    uint64_t couple_ns_max, update_ns_max;
} dent_haptic_counters;
DENT_API dent_status dent_haptic_get_counters(const dent_haptic *haptic, dent_haptic_counters *counters);

/* ---- virtual clock ------------------------------------------------------------------------------------------------- */

/** Delays in ticks, each at most DENT_HAPTIC_DELAY_MAX. */
#define DENT_HAPTIC_DELAY_MAX 256
typedef struct dent_haptic_delays {
    size_t struct_size;
    uint32_t device; /**< of the pose, from the device to both loops; default 0 */
    uint32_t update; /**< from the start of an update until its result is known; the next one starts then; default 0 */
} dent_haptic_delays;
DENT_API dent_haptic_delays dent_haptic_delays_default(void);

/** Runs one tick in this thread: reads the scene, starts or publishes an update where one is due, and returns the force
 *  for the device. The delays count from the first tick; others may be given later. Fails as the calls it is made of,
 *  and with INVALID_ARGUMENT for delays that are too long or while threads run. */
DENT_API dent_status dent_haptic_clock_tick(dent_haptic *haptic, const dent_haptic_delays *delays,
                                            const dent_pose *device, dent_haptic_force *force);

#ifdef __cplusplus
}
#endif

#endif
