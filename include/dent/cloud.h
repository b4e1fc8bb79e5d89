/* dent/cloud.h — surfaces of point clouds without a mesh: do two scans meet, where, and how sure is the answer?
 *
 * A dent_cloud is a prepared cloud. It has a graph of neighbouring points, a sampling radius and an oriented normal for
 * each point, and a hierarchy of sphere covers. It defines a surface, the zero set of an implicit function f. Near the
 * points f is about the signed distance, positive on the side of the normals. The surface ends where the points end:
 * only places within the reach of a point (reach_radii times its sampling radius) belong to it.
 *
 *   dent_cloud_def def = dent_cloud_def_default();
 *   def.positions = dent_positions_double(xyz), def.point_count = n;
 *   dent_cloud_create(context, &def, &cloud_a);                       … and cloud_b
 *   dent_cloud_search_def search_def = dent_cloud_search_def_default();
 *   search_def.cloud_a = cloud_a, search_def.cloud_b = cloud_b;
 *   dent_cloud_search_create(context, &search_def, &search);
 *   dent_cloud_search_begin(search, &pose_a, &pose_b, seed);          null pose: where the points are
 *   dent_cloud_search_run(search, dent_budget_ns(INFINITY), &result);
 *
 * The answer is seeded: the same clouds, poses and seed give the same bits for any number of threads and every
 * instruction set. It is an estimate and no proof. For proofs mesh the points and ask `face-face`.
 *
 * Numbers: coordinates are at most 1e100 in size. A cloud extends over 1e-97 or more, or all its points are equal. Threads: a
 * cloud may be read by several threads at a time (searches, evaluations); creating and updating use all workers of the context. One search is used by one thread at a time.
 */
#ifndef DENT_CLOUD_H
#define DENT_CLOUD_H

#include <dent/motion.h>
#include <dent/neighbours.h>
#include <dent/time_critical.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- a prepared cloud -------------------------------------------------------------------------------------------- */

typedef struct dent_cloud dent_cloud;

typedef struct dent_cloud_def {
    size_t struct_size;
    dent_positions positions; /**< borrowed: read here and by dent_cloud_update(), by nothing else */
    uint32_t point_count;     /**< 1 or more */
    dent_positions normals;   /**< one a point, of any length but 0, oriented consistently; borrowed likewise. Data null
                                   (default): estimated from the points, oriented along a minimum spanning tree of the
                                   graph. The highest point (z) of each part of the graph then has its normal upwards */
    uint32_t neighbours;      /**< k of the sphere-of-influence graph: 1 to 64, default 8 */
    double support_radii;     /**< cut-off of the kernel in sampling radii: 1 to 64, default 6 */
    double weight_cut;        /**< kernel weight at the cut-off: 1e-16 to 0.5, default 1e-4 */
    double reach_radii;       /**< how far from its points the surface extends, in sampling radii: above 0, at most
                                   support_radii; default 1 */
} dent_cloud_def;
DENT_API dent_cloud_def dent_cloud_def_default(void);

/** Prepares a cloud. Points nearer to one another than 1e-12 of the box's diagonal, or 1e-100, count as one. O(n log n), parallel;
 * about 400 bytes a point are kept (k = 8), and about as many again are used while it is made. BAD_NUMBER: a number
 * that is not finite or beyond 1e100, or a normal of length 0; the message names the point. A cloud smaller than 1e-97
 * is BAD_NUMBER, too; the message names the extent. INVALID_ARGUMENT: no points, a bad def. TOO_LARGE: more than 2^31
 * points. Or OUT_OF_MEMORY. On failure *cloud is untouched. */
DENT_API dent_status dent_cloud_create(dent_context *context, const dent_cloud_def *def, dent_cloud **cloud);
/** Destroys the cloud. Null is allowed. Destroy searches that use it before. */
DENT_API void dent_cloud_destroy(dent_cloud *cloud);

/** What an update found. */
typedef struct dent_cloud_update_result {
    double stretch; /**< the sum of the edges' lengths relative to that when the graph was made; of two edges of
                                 each point */
    double
        distorted_share; /**< share of these edges, 0 … 1, that are less than half or more than twice as long as then,
                                 relative to the mean stretch */
    bool rebuild_advised; /**< distorted_share is above 0.02, or the boxes of the hierarchy have become more than twice
                                 as long, relative to the mean stretch. Create the cloud again */
} dent_cloud_update_result;

/** Reads the positions (and normals, if they were given) again: new lengths, sampling radii, normals and covers on the
 * old graph. The sides of estimated normals follow the deformation, rotations included. O(n), parallel, no allocation.
 * Points that were merged at creation follow the first of them. Fails with BAD_NUMBER; the cloud is then unchanged.
 * Searches begun before must begin again. */
DENT_API dent_status dent_cloud_update(dent_cloud *cloud, dent_cloud_update_result *result);

typedef struct dent_cloud_info {
    uint32_t points;        /**< of the def */
    uint32_t merged;        /**< points left out because they coincide with an earlier one */
    uint32_t parts;         /**< connected parts of the graph */
    uint32_t isolated;      /**< points without an edge: they have no surface */
    uint64_t edges;         /**< of the graph */
    uint64_t pruned_long;   /**< edges left out as too long for their surroundings */
    uint64_t pruned_across; /**< edges left out because they lead from one sheet to another */
    double spacing;         /**< median over the points of the square root of the area of a point; 0 for one point */
    double radius;          /**< 90th percentile of the sampling radii */
    double lo[3], hi[3];    /**< box of the points */
    uint64_t bytes;
    uint64_t build_ns;
} dent_cloud_info;
DENT_API dent_cloud_info dent_cloud_get_info(const dent_cloud *cloud);

typedef struct dent_cloud_point {
    double position[3];
    double normal[3]; /**< unit, oriented; 0 if isolated, or if it was estimated and the neighbours lie on a line */
    double radius;    /**< sampling radius: the median length of its edges; 0 if isolated */
    uint32_t degree;  /**< edges */
    uint32_t part;    /**< a point of its connected part of the graph, the same for all of them */
    uint32_t same_as; /**< the point itself, or the earlier one that it coincides with */
} dent_cloud_point;
/** Returns what is known of a point (an index of the def); a zeroed struct if there is none. O(log degree). */
DENT_API dent_cloud_point dent_cloud_point_at(const dent_cloud *cloud, uint32_t point);
/** Writes the points that a point has edges to, at most `capacity`, ascending. Returns how many there are. */
DENT_API uint32_t dent_cloud_point_edges(const dent_cloud *cloud, uint32_t point, uint32_t capacity, uint32_t *others);

/* ---- the surface ------------------------------------------------------------------------------------------------- */

typedef enum dent_cloud_function {
    DENT_CLOUD_GRAPH = 0,      /**< weighted least-squares plane, distances along the graph (Klein and Zachmann 2004) */
    DENT_CLOUD_EUCLIDEAN = 1,  /**< the same with straight distances: mixes sheets; for comparison */
    DENT_CLOUD_SPHERE_FIT = 2, /**< algebraic sphere fitted to points and normals of one sheet (after Guennebaud and
                                    Gross 2007): the default. No shrinkage, and the fastest */
    DENT_CLOUD_FUNCTION_COUNT = 3
} dent_cloud_function;

/** A row of the table of implicit functions. */
typedef struct dent_cloud_function_info {
    dent_cloud_function function;
    const char *name;    /**< "graph", "euclidean", "sphere-fit" */
    const char *summary; /**< one line */
} dent_cloud_function_info;
/** Returns the row, or null for an unknown value. Static memory. */
DENT_API const dent_cloud_function_info *dent_cloud_function_get_info(dent_cloud_function function);

/** Is f defined at a place? */
typedef enum dent_cloud_state {
    DENT_CLOUD_DEFINED = 0,
    DENT_CLOUD_FAR = 1,         /**< no point of the cloud within the cut-off */
    DENT_CLOUD_UNSUPPORTED = 2, /**< the weights sum to less than 1e-12 or come from fewer than three points */
    DENT_CLOUD_UNORIENTED = 3   /**< the mean of the weighted normals is shorter than 0.2: the side is unknown */
} dent_cloud_state;
/** Returns "defined", "far", "unsupported", "unoriented"; null for other values. */
DENT_API const char *dent_cloud_state_name(dent_cloud_state state);

typedef struct dent_cloud_value {
    double value;     /**< f, about the signed distance, a length; NaN unless DEFINED */
    double normal[3]; /**< direction in which f grows, unit; 0 unless DEFINED */
    double bandwidth; /**< h of the kernel exp(-d^2 / h^2) there, a length */
    double distance;  /**< to the nearest point */
    uint32_t nearest; /**< that point, an index of the def; UINT32_MAX if all points are isolated */
    uint32_t support; /**< points with a weight */
    uint32_t state;   /**< dent_cloud_state */
    bool unreliable;  /**< DEFINED, but the two smallest eigenvalues differ by less than 1 %: the normal is a guess */
    bool on_reach;    /**< the nearest point is within its reach: the surface may pass here */
} dent_cloud_value;

/** Evaluates f at `count` places (in the coordinates of the cloud), in parallel. Allocates scratch for the call. Fails
 * with BAD_NUMBER (a place that is not finite), INVALID_ARGUMENT, OUT_OF_MEMORY. */
DENT_API dent_status dent_cloud_evaluate(const dent_cloud *cloud, dent_cloud_function function, dent_positions places,
                                         uint32_t count, dent_cloud_value *values);

/* ---- two clouds -------------------------------------------------------------------------------------------------- */

typedef struct dent_cloud_search dent_cloud_search;

typedef struct dent_cloud_search_def {
    size_t struct_size;
    const dent_cloud *cloud_a, *cloud_b; /**< borrowed; may be the same cloud */
    dent_cloud_function function;        /**< default SPHERE_FIT */
    double resolution_radii; /**< radius of a surfel in sampling radii (the smaller radius of the two clouds counts as
                                  one): above 0, at most 16; default 2. Contact smaller than a surfel may be missed */
    double certainty;        /**< c: draws are p ln p + c p for p surfels, so that all are hit with probability about
                                  exp(-exp(-c)). 0 to 40, default 4.6 (99 %) */
    double tolerance_radii;  /**< largest residual |f| of a reported point, in sampling radii; above 0; default 0.05 */
    uint32_t point_capacity; /**< intersection points kept, 1 to 2^28; default 65536. More: outcome TRUNCATED */
    bool first_only;         /**< default false. True: stop at the first intersection point: a decision only */
} dent_cloud_search_def;
DENT_API dent_cloud_search_def dent_cloud_search_def_default(void);

/** Makes a search. O(points) memory: 1 byte a point, with GRAPH 44. Fails with INVALID_ARGUMENT (the message names the field) or
 * OUT_OF_MEMORY. */
DENT_API dent_status dent_cloud_search_create(dent_context *context, const dent_cloud_search_def *def,
                                              dent_cloud_search **search);
/** Destroys the search. Null is allowed. */
DENT_API void dent_cloud_search_destroy(dent_cloud_search *search);

/** Starts again: clouds as they are now, at these poses (null: the identity), with this seed. Fails with BAD_NUMBER for
 * a pose that is not finite, has a zero quaternion or a translation beyond 1e100. The search is then as it was. */
DENT_API dent_status dent_cloud_search_begin(dent_cloud_search *search, const dent_pose *pose_a,
                                             const dent_pose *pose_b, uint64_t seed);

typedef enum dent_cloud_answer {
    DENT_CLOUD_NO = 0,     /**< all parts proven apart by the covers, or all draws done without an intersection */
    DENT_CLOUD_YES = 1,    /**< at least one intersection point */
    DENT_CLOUD_UNKNOWN = 2 /**< no intersection point yet, and the budget is spent or f was undefined where the surfaces
                                may meet */
} dent_cloud_answer;
/** Returns "no", "yes", "unknown"; null for other values. */
DENT_API const char *dent_cloud_answer_name(dent_cloud_answer answer);

/** A point of the intersection of the two surfaces, in world coordinates. */
typedef struct dent_cloud_crossing {
    double position[3];
    double residual_a, residual_b;   /**< |f_A|, |f_B| there */
    double normal_a[3], normal_b[3]; /**< unit; the curve runs along their cross product */
    uint32_t nearest_a, nearest_b;   /**< points of the clouds */
    bool drawn_in_b;                 /**< found from a point of b; else from one of a */
} dent_cloud_crossing;

typedef struct dent_cloud_result {
    dent_outcome outcome; /**< COMPLETE; BUDGET_SPENT; TRUNCATED: the list is full */
    dent_cloud_answer answer;
    const dent_cloud_crossing *points; /**< in the order found; until the search's next call */
    uint32_t point_count;
    double
        miss_probability; /**< estimate: the chance that an intersection with the extent of the resolution or more was
                                  not found. 0 if the covers are apart, or every point near the other cloud was tried.
                                  With YES: that some piece of the curve was not found; 0 with first_only. 1 until all
                                  pairs of nodes are refined, then by the draws done so far. 1 if f was undefined where the
                                  surfaces may meet and no point was found */
    double resolution;    /**< radius of a surfel, a length: smaller contact may be missed */

    uint32_t pending_count; /**< pairs of nodes not yet refined */
    double pending_depth;   /**< largest overlap of the covers of such a pair: how deep the clouds may still meet */
    uint64_t work_units;    /**< used since begin */
    uint64_t splits, bound_tests; /**< pairs of nodes refined, pairs of covers tested */
    uint64_t draws, draws_planned, evaluations, brackets, rejected; /**< rejected: brackets without a point */
    uint64_t undefined;                      /**< draws where f was undefined and the surfaces may meet; and the
                                                  points of a cloud whose points are all isolated */
    uint64_t near_a, near_b;                 /**< points of each cloud in the parts that may meet */
    uint64_t ns, overrun_ns, worst_batch_ns; /**< as in dent_time_critical_result */
} dent_cloud_result;

/** Continues until the search is complete, the budget is spent or its flag is set. A pair of covers costs 1 work unit, a value of f 64.
 * Two budgets in a row give the result of their sum. One thread; no allocation after the largest search. Fails with
 * BAD_NUMBER for a budget that is negative or NaN, INVALID_ARGUMENT if `begin` was never called or a cloud was updated
 * since, OUT_OF_MEMORY. */
DENT_API dent_status dent_cloud_search_run(dent_cloud_search *search, dent_budget budget, dent_cloud_result *result);

/* ---- a cloud and triangles --------------------------------------------------------------------------------------- */

typedef struct dent_cloud_triangles_def {
    size_t struct_size;
    dent_positions vertices; /**< borrowed for the call, world coordinates */
    uint32_t vertex_count;
    const uint32_t *triangles; /**< three vertices each */
    uint32_t triangle_count;
    dent_pose pose;               /**< of the cloud; default identity */
    dent_cloud_function function; /**< default SPHERE_FIT */
    double resolution_radii;      /**< triangles are cut until their sides are at most this many sampling radii long:
                                       above 0, at most 16; default 1 */
    double tolerance_radii;       /**< as in dent_cloud_search_def; default 0.05 */
    uint32_t point_capacity;      /**< of `points` */
} dent_cloud_triangles_def;
DENT_API dent_cloud_triangles_def dent_cloud_triangles_def_default(void);

/** A point where the surface of the cloud crosses a side of a piece of a triangle; one for each crossed piece. */
typedef struct dent_cloud_triangle_point {
    double position[3];
    double residual; /**< |f| there */
    uint32_t triangle;
    uint32_t nearest; /**< point of the cloud */
} dent_cloud_triangle_point;

typedef struct dent_cloud_triangles_result {
    dent_outcome outcome; /**< COMPLETE or TRUNCATED */
    dent_cloud_answer answer;
    uint64_t point_count;    /**< found; at most point_capacity are written */
    uint64_t triangles_met;  /**< triangles with a point */
    uint64_t triangles_near; /**< triangles not proven apart by the covers */
    uint64_t evaluations, undefined;
    double resolution; /**< longest side of the pieces, a length: smaller contact may be missed */
} dent_cloud_triangles_result;

/** Finds where the surface of a cloud crosses triangles. Pieces of triangles are left out where |f| at their middle
 * exceeds twice their radius; f grows about as fast as the distance. Points come in the order of the triangles, the same
 * for any number of threads. Parallel; allocates scratch for the call. O(triangles + pieces near the surface). Fails
 * with BAD_NUMBER, BAD_MESH (an index out of range), INVALID_ARGUMENT, OUT_OF_MEMORY. `points` may be null if
 * point_capacity is 0. */
DENT_API dent_status dent_cloud_meet_triangles(const dent_cloud *cloud, const dent_cloud_triangles_def *def,
                                               dent_cloud_triangle_point *points, dent_cloud_triangles_result *result);

#ifdef __cplusplus
}
#endif

#endif
