/* dent/plan.h — optional library dent_plan: paths that are proven free.
 *
 * A planner searches a path of a linkage from one set of joint values to another, past obstacles and past itself. A
 * rigid body is a linkage of two links with a free joint. A path is a list of waypoints; between two of them the
 * joints move as dent_linkage_motion says. Every edge of a path it returns has the verdict FREE of motion.h: nothing
 * touches at any time, and no sampling is involved. The work budget counts these certified edge tests.
 *
 *   dent_planner_create(context, &def, &planner);            shapes, linkage, pairs that may touch
 *   dent_planner_begin(planner, from, to, seed);             joint values at both ends
 *   dent_planner_run(planner, 10000, NULL, &result);         spend up to so many edge tests; call again to go on
 *
 * Method. Two trees grow from both ends (or one roadmap). An edge that meets an obstacle ends at a milestone just before
 * the contact. From there it slides: the direction to the target is projected onto the tangent cone of the contacts. So
 * narrow passages are entered along their walls (after Redon and Lin 2005, docs/methods/planning.md). A path is then
 * shortened; every shortcut is certified, too.
 *
 * Determinism: the path is a function of def, ends, seed and budgets, for every thread count and instruction set. Edge
 * tests run on the context's workers in batches of fixed size.
 *
 * Threads: one planner is used by one thread at a time. Lengths are those of the shapes, angles radians. Failure: a
 * status, and one line in the context's message. A failing call changes nothing, except dent_planner_run as stated
 * there.
 */
#ifndef DENT_PLAN_H
#define DENT_PLAN_H

#include <dent/body.h>
#include <dent/linkage.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The most joint values of a linkage that can be planned for. */
#define DENT_PLAN_VALUES_MAX 64

/** The `link` of a body that stands still. */
#define DENT_PLAN_OBSTACLE UINT32_MAX

/** One body: a link of the linkage, or an obstacle. */
typedef struct dent_plan_body {
    dent_body_def shape; /**< a solid or a surface. Link: positions_t0 are coordinates in the frame of the link.
                              Obstacle: in the world; a deformable body takes part as it is at t0. Positions are borrowed
                              as long as the planner lives and must not change; everything else is copied. `same_as`
                              must be empty */
    uint32_t link;       /**< an index below the link count, or DENT_PLAN_OBSTACLE */
} dent_plan_body;

/** Two bodies that may touch: they are not tested. Indices in dent_planner_def.bodies. */
typedef struct dent_plan_pair {
    uint32_t body_a, body_b;
} dent_plan_pair;

typedef enum dent_plan_method {
    DENT_PLAN_TREE = 0,   /**< two trees from both ends; for one question */
    DENT_PLAN_ROADMAP = 1 /**< milestones all over the space, connected where edges are free */
} dent_plan_method;

/** Returns "tree", "roadmap"; null for other values. */
DENT_API const char *dent_plan_method_name(dent_plan_method method);

typedef struct dent_planner_def {
    size_t struct_size;
    const dent_linkage *linkage; /**< borrowed as long as the planner lives; at most DENT_PLAN_VALUES_MAX values */
    const dent_pose *base;       /**< of the root link in the world; null (default): the origin */
    uint32_t body_count;
    const dent_plan_body *bodies;
    uint32_t allowed_count;
    const dent_plan_pair *allowed; /**< pairs that may touch. Bodies of the same link and of neighbouring links
                                        (dent_linkage_neighbours) are never tested; a free joint makes no neighbours */
    const double *lower, *upper; /**< null (default), or one number per joint value: where to search. Lengths without
                                      limits default to the box of all bodies, angles to half a turn either way of the
                                      middle between both ends. Joint limits always hold. Ignored for quaternions */
    const double *weights; /**< null (default), or one number above 0 per joint value: the metric, the root of the sum
                                of (weight * difference)^2. Default 1; for the rotation of a free or ball joint the
                                radius of what it moves. The first number of the quaternion has that weight */
    double target_gap;     /**< a length; 0 (default): 1e-3 of the largest radius of a moving body. Milestones lie
                                nearer to obstacles than that, and contacts nearer than that are slid along */
    dent_plan_method method;     /**< default TREE */
    bool no_contact_milestones;  /**< default false. True: no milestones at contacts and no sliding, as planners without
                                      a continuous test do it; for comparison */
    bool no_shortening;          /**< default false. True: the first path found is the result */
    bool no_limits;              /**< default false. True: joint limits are ignored */
    uint64_t edge_work_limit;    /**< work_limit of one edge test (motion.h), default 100,000; an edge that exceeds it
                                      counts as blocked */
} dent_planner_def;
DENT_API dent_planner_def dent_planner_def_default(void);

typedef struct dent_planner dent_planner;

/** Checks the def and makes a world for each worker. INVALID_ARGUMENT: a body without its link, a pair without its
 *  body, an empty range, a weight not above 0, a negative target gap. TOO_LARGE: too many joint values. A shape fails
 *  as in dent_world_add_body. *planner is written on success only. */
DENT_API dent_status dent_planner_create(dent_context *context, const dent_planner_def *def, dent_planner **planner);
DENT_API void dent_planner_destroy(dent_planner *planner);

/** Returns the target gap in use. */
DENT_API double dent_planner_target_gap(const dent_planner *planner);

/** Forgets everything and sets a new question. Fails with INVALID_ARGUMENT if a value is outside the limits or a
 *  quaternion is zero; the message names the joint. Fails with BAD_NUMBER if a value is not finite. Quaternions are
 *  normalised. */
DENT_API dent_status dent_planner_begin(dent_planner *planner, const double *from, const double *to, uint64_t seed);

typedef enum dent_plan_verdict {
    DENT_PLAN_NOT_FOUND = 0,     /**< not yet, or not at all: a planner cannot prove that there is no path */
    DENT_PLAN_FOUND = 1,
    DENT_PLAN_START_CONTACT = 2, /**< something touches or overlaps at the start … */
    DENT_PLAN_GOAL_CONTACT = 3   /**< … or at the goal */
} dent_plan_verdict;

/** Returns "not_found", "found", "start_contact", "goal_contact"; null for other values. */
DENT_API const char *dent_plan_verdict_name(dent_plan_verdict verdict);

typedef struct dent_plan_result {
    dent_outcome outcome; /**< COMPLETE: nothing more to do; BUDGET_SPENT: another run may find a path, or a shorter one;
                               CANCELLED: the same */
    dent_plan_verdict verdict;
    uint32_t waypoint_count;  /**< FOUND: at least 2; else 0 */
    const double *waypoints;  /**< value_count numbers each, from start to goal; valid until the next call */
    double length;            /**< in the metric of the def; 0 unless FOUND */
    uint32_t body_a, body_b;  /**< START_CONTACT, GOAL_CONTACT: indices in dent_planner_def.bodies; else UINT32_MAX */
    uint64_t edges;           /**< certified edge tests since dent_planner_begin */
    uint64_t edges_to_first;  /**< of these until the first path was found; 0 unless FOUND */
    uint32_t milestones;      /**< nodes of the trees or the roadmap … */
    uint32_t contact_milestones; /**< … of these at contacts */
    uint64_t ns, ns_to_first; /**< time in dent_planner_run since dent_planner_begin, and until the first path */
} dent_plan_result;

/** Spends up to `budget` more edge tests. Ends earlier when a path is found and shortening it no longer helps. Results
 *  are valid until the next call. `cancel` (may be null) is read between batches: not 0 stops. If memory runs out,
 *  the status says so, *result is untouched, and dent_planner_begin must be called before the next run. */
DENT_API dent_status dent_planner_run(dent_planner *planner, uint64_t budget, const int *cancel,
                                      dent_plan_result *result);

/** One edge. */
typedef struct dent_plan_edge_result {
    dent_motion_verdict verdict; /**< as in motion.h */
    double t_lo;                 /**< nothing touches before it */
    uint32_t body_a, body_b;     /**< CONTACT: indices in dent_planner_def.bodies; else UINT32_MAX */
} dent_plan_edge_result;

/** Tests one edge, for paths from elsewhere. Limits are not checked. Touching is judged with the default tolerance of
 *  motion.h. Results of dent_planner_run stay valid. */
DENT_API dent_status dent_planner_test_edge(dent_planner *planner, const double *from, const double *to,
                                            dent_plan_edge_result *result);

/** Writes the joint values at t in [0, 1] of an edge, rounded. Quaternions have unit length. */
DENT_API dent_status dent_planner_edge_at(const dent_planner *planner, const double *from, const double *to, double t,
                                          double *values);

/** Returns the distance of two sets of joint values in the metric of the def. */
DENT_API double dent_planner_distance(const dent_planner *planner, const double *from, const double *to);

#ifdef __cplusplus
}
#endif

#endif
