/* dent/impact.h — the question `impact`: which features meet between two sets of positions, and when?
 *
 * Every vertex moves on a straight line, x(t) = x_t0 + t (x_t1 - x_t0), t in [0, 1]. A body without positions at t1
 * stands still. Surface vertices are tested against surface faces (vertex-face), surface edges against surface edges
 * (edge-edge). All other contacts of surfaces contain one of these. Pairs that share a vertex (the same index in the
 * same body, or tied by same_as) are never reported. Filters and self_collision apply.
 *
 * Without a separation the result is exact for the given doubles in real arithmetic. A pair is reported if and only if
 * the two closed primitives meet for some t in [0, 1]. Touching counts, also at t = 0 or t = 1 alone. `toi` is the
 * largest double that is not above the true first time. Pairs, order and bits are the same for every method, thread
 * count and instruction set.
 *
 * With a separation d > 0 a pair is reported if the distance is d or less at some time. The result is conservative: no
 * such pair is missed, and `toi` is never late. Only two kinds of other pairs are reported. They are pairs that come as
 * near as 1.001 d, and undecided pairs whose path is millions of d long (docs/methods/impact.md). A pair that starts
 * farther apart than d never gets a time of zero. The result is still the same for every method, thread count and
 * instruction set.
 *
 * Canonical order: vertex-face before edge-edge, then (body a, feature a, body b, feature b). The vertex is side a. Of
 * two edges the smaller (body, edge) is side a. The normal has unit length and points from b to a: moving a along it
 * separates.
 *
 * Strands have vertices and edges (their segments) and no faces. Their radii do not count here. A root that lies on a
 * face (dent_body_def.root_on) is left out there as in proximity.h.
 */
#ifndef DENT_IMPACT_H
#define DENT_IMPACT_H

#include <dent/method.h>
#include <dent/world.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum dent_impact_kind { DENT_IMPACT_VERTEX_FACE = 1, DENT_IMPACT_EDGE_EDGE = 2 } dent_impact_kind;

/** Returns "vertex-face", "edge-edge"; null for other values. */
DENT_API const char *dent_impact_kind_name(dent_impact_kind kind);

/** One pair that meets. Bodies are given by body index. */
typedef struct dent_impact {
    uint32_t kind;              /**< dent_impact_kind */
    uint32_t body_a, feature_a; /**< the vertex; or index of the edge in dent_body_edges */
    uint32_t body_b, feature_b; /**< index of the surface face in dent_body_surface_faces; or of the edge */
    double toi;                 /**< in [0, 1]: the largest double not above the true first time */
    double u, v;      /**< position at toi, in fixed arithmetic: vertex-face f0 + u (f1 - f0) + v (f2 - f0); edge-edge
                           a0 + u (a1 - a0) and b0 + v (b1 - b0). The ends of an edge are in the order v0, v1 */
    double normal[3]; /**< unit, from b to a; a guess if there is none (parallel edges, a face without area) */
} dent_impact;

typedef struct dent_impact_def {
    size_t struct_size;
    dent_method method; /**< AUTO (default), BRUTE_FORCE, SURFACE_TREE or KINETIC_TREE; the result is the same */
    double separation;  /**< a length, finite and >= 0, default 0: see above */
    bool no_details;    /**< default false. True: leave u, v and normal zero */
    bool start_is_free; /**< dent_world_safe_step only, default false. True: the caller guarantees that nothing crosses
                           at t0 (the last step was safe), and the check is skipped */
    const int *cancel;  /**< null, or a flag polled between blocks (read as an atomic int); non-zero stops the query */
} dent_impact_def;
DENT_API dent_impact_def dent_impact_def_default(void);

/** Work and timing counters. After dent_world_impacts they do not depend on threads. The searches for the earliest time
 * skip pairs that cannot be earlier than the best found so far by any thread, so their counters do. */
typedef struct dent_impact_counters {
    dent_method method;  /**< the method used */
    const char *reason;  /**< why AUTO chose it */
    uint64_t features;   /**< surface vertices, edges and faces */
    uint64_t box_tests;  /**< boxes compared: of tree nodes, vertices, edges and faces */
    uint64_t candidates; /**< pairs passed to the elementary test: no coordinate axis separates them in the floats of
                            the search, and they share no vertex */
    uint64_t rejected_by_axes, rejected_by_cubic, rejected_by_free_axis; /**< apart for the whole step */
    uint64_t decided_in_double; /**< by certified floating-point arithmetic */
    uint64_t decided_exactly;   /**< by integers, the last resort; with a separation: by its own solver */
    uint64_t impacts;           /**< candidates that meet */
    uint64_t rebuilds;          /**< bodies whose tree was rebuilt */
    uint64_t scratch_bytes;     /**< high-water mark of this world's scratch memory */
    uint64_t ns_prepare, ns_search, ns_finish; /**< reading positions; search and tests; sorting and details */
} dent_impact_counters;

typedef struct dent_impact_result {
    dent_outcome outcome;       /**< CANCELLED: no pairs are reported */
    const dent_impact *impacts; /**< in canonical order */
    uint64_t count;
    dent_impact_counters counters;
} dent_impact_result;

/** Finds all pairs that meet. Results are valid until the next call on this world. After one warm-up call on a world
 * whose sizes no longer grow, it makes no allocation. Memory grows with the number of reported pairs, not of
 * candidates. Failure: *result is untouched; BAD_NUMBER names the body and vertex whose position, at t0 or t1, is not
 * finite. */
DENT_API dent_status dent_world_impacts(dent_world *world, const dent_impact_def *def, dent_impact_result *result);

typedef struct dent_earliest_impact {
    dent_outcome outcome;
    bool found;         /**< false: nothing meets, and `impact` is all zero with toi 1 */
    dent_impact impact; /**< the one with the smallest toi; among several the first in canonical order */
    dent_impact_counters counters;
} dent_earliest_impact;

/** Finds the earliest of the pairs that dent_world_impacts would report, without making the list. It is faster because
 * it skips everything later than the best so far. The result does not depend on threads. */
DENT_API dent_status dent_world_earliest_impact(dent_world *world, const dent_impact_def *def,
                                                dent_earliest_impact *result);

/** State at t0: do bodies already cross? */
typedef struct dent_initial_state {
    dent_outcome outcome;
    bool crosses;       /**< surface faces cross at t0, a body is inside another or coincides with it, or a strand
                           penetrates a body (penetration.h) */
    uint64_t crossings; /**< face-face pairs that cross; 0 with `crosses`: one of the other cases */
    uint32_t body_a, body_b; /**< body indices of the first such pair; 0 if there is none */
} dent_initial_state;

/** Tests `face-face` and containment of one body in another at t0, then strands and points against all others. Solids and closed
 * surfaces contain, open surfaces do not. Strands only touch one another. Touching and coplanar faces alone do not cross. Of the def only `cancel` is used. The result is exact. Results
 * of earlier queries on this world become invalid. */
DENT_API dent_status dent_world_initial_state(dent_world *world, const dent_impact_def *def, dent_initial_state *state);

typedef struct dent_safe_step {
    dent_outcome outcome;
    double fraction; /**< in [0, 1]: 1 if nothing meets. Otherwise toi of the earliest impact: before it nothing
                        touches. 0 if the start crosses */
    dent_initial_state start; /**< all zero with start_is_free */
    bool found;             /**< an impact limits the step */
    dent_impact impact;     /**< the earliest, as in dent_earliest_impact */
    dent_impact_counters counters;
} dent_safe_step;

/** Computes the largest fraction of the step that is free of impacts, for line searches and time steps. Unless
 * start_is_free, it first runs dent_world_initial_state and stops if the start crosses. Then it searches for the
 * earliest impact. Positions at the fraction have to be rounded to doubles. To stay clear of contact, take 0.8 or 0.9
 * of the fraction, or use a separation. A response must push apart what meets. Steps of 0.8 towards a contact leave a
 * fifth of the gap each. Near the rounding of the positions they may cross. */
DENT_API dent_status dent_world_safe_step(dent_world *world, const dent_impact_def *def, dent_safe_step *result);

/** Prints a feature as the tool does: a vertex "17", a face "12" or "12/3" (see dent_feature_print), an edge "4-17"
 * (v0-v1, v0 < v1). Returns the length. */
DENT_API size_t dent_impact_feature_print(const dent_world *world, const dent_impact *impact, bool side_b, char *buffer,
                                          size_t buffer_size);

/** Returns the fingerprint of a list: FNV-1a 64 over the first five columns (kind, bodies and features) of the lines
 * that `dent ccd` prints without --json. */
DENT_API uint64_t dent_impact_hash(const dent_world *world, const dent_impact *impacts, uint64_t count);

/* ---- one pair, without a world ----------------------------------------------------------------------------------- */

/** The stage that decided a pair. */
typedef enum dent_impact_stage {
    DENT_IMPACT_STAGE_AXES = 0,      /**< a coordinate axis that separates during the whole step */
    DENT_IMPACT_STAGE_CUBIC = 1,     /**< never coplanar: four coefficients of one certain sign */
    DENT_IMPACT_STAGE_FREE_AXIS = 2, /**< another direction that separates during the whole step */
    DENT_IMPACT_STAGE_DOUBLE = 3,    /**< certified floating-point arithmetic */
    DENT_IMPACT_STAGE_EXACT = 4,     /**< integer arithmetic */
    DENT_IMPACT_STAGE_COUNT = 5
} dent_impact_stage;

/** Returns "axes", "cubic", "free axis", "double", "exact"; null for other values. */
DENT_API const char *dent_impact_stage_name(dent_impact_stage stage);

typedef struct dent_impact_test_result {
    bool meets;
    double toi; /**< 1 if they do not meet */
    double u, v;
    double normal[3];
    dent_impact_stage stage;
} dent_impact_test_result;

/** Tests one pair. points_t0 and points_t1: vertex-face v, f0, f1, f2; edge-edge a0, a1, b0, b1. Exact (separation 0).
 * Fails with BAD_NUMBER if a coordinate is not finite and with INVALID_ARGUMENT for an unknown kind; then *answer is
 * untouched. Pure. Threads: any. Cost: from 20 ns to microseconds; milliseconds for extreme exponents. */
DENT_API dent_status dent_impact_test(dent_impact_kind kind, const double points_t0[4][3], const double points_t1[4][3],
                                      dent_impact_test_result *answer);

#ifdef __cplusplus
}
#endif

#endif
