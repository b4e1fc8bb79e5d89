/* dent/query.h — the discrete questions: definitions, queries and results.
 *
 * A question defines what is computed, a method defines how. The result of a discrete question is a mathematical
 * function of the input numbers. Every method, thread count and instruction set gives the same pairs in the same order.
 *
 *   vertex-cell   the vertex lies in the open cell                side a: vertex, side b: cell
 *   face-cell     the closed surface face meets the open cell     side a: surface face, side b: cell
 *   face-face     the relative interiors of two surface faces meet (crossing), or they share area in one plane
 *                 (coplanar)
 *
 * Kinds of face-face. A face is the convex hull of its three corners. It is a triangle or degenerate: a segment (three
 * corners on a line) or a point (three equal corners). The relative interior of a triangle is the triangle without its
 * edges. That of a segment is the segment without its ends, that of a point the point itself. A pair is
 *
 *   crossing      if the relative interiors meet and no plane contains all six corners
 *   coplanar      if one plane contains all six corners and the faces have common area
 *   touching      if the closed faces meet in any other way
 *
 * For degenerate faces this has the following consequences. A segment that passes through the inside of a triangle,
 * with both ends off its plane, is crossing. A segment that ends in the triangle, lies in its plane, or meets only its
 * edges or corners is touching. Two segments, or a point and any face, are at most touching: six such corners always
 * lie in one plane and have no area. So without `touching` a degenerate face is reported only if a segment pierces a
 * triangle.
 *
 * With `touching`, pairs whose closed sets meet otherwise are added and marked. Pairs that share a vertex (the same
 * index in the same body, or tied by same_as) are never reported. One query finds collisions and self-collisions.
 *
 * Canonical order: (body a, feature a, body b, feature b), bodies in order of addition. Face-face pairs are reported
 * once, with (body a, face a) < (body b, face b).
 */
#ifndef DENT_QUERY_H
#define DENT_QUERY_H

#include <dent/border.h>
#include <dent/method.h>
#include <dent/world.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dent_query_def {
    size_t struct_size;
    uint32_t questions;         /**< dent_question bits; at least one, or none with `border` */
    dent_method method;         /**< default AUTO */
    bool touching;              /**< default false */
    bool surface_vertices_only; /**< default false: vertex-cell tests every vertex used by an element of any body. True:
                                     only vertices of surfaces */
    bool no_details;            /**< default false. True: leave out barycentric coordinates and segment end points */
    const int *cancel; /**< null, or a flag polled between blocks (read as an atomic int); non-zero stops the query */

    /* Parameters of the methods; null (default): automatic. They change the work, never the result. */
    const dent_spatial_hash_def *spatial_hash;
    const dent_bucket_tree_def *bucket_tree;
    const dent_contour_walk_def *contour_walk;

    /** Null (default), or: also report where bodies pass through one another (border.h), in result.border. Unless
     * curves_only, this needs vertex-cell and face-cell, which are searched even if not requested. The search uses the
     * same method if it can, else AUTO. Positions are read once, so all results agree. */
    const dent_border_def *border;

    /** Null (default), or switches and measurements that are not promised (experimental.h). The caller owns them. They
     * are read during the call only and change the work, never the result. */
    const dent_experiments *experiments;
} dent_query_def;

DENT_API dent_query_def dent_query_def_default(void);

typedef enum dent_pair_kind {
    DENT_PAIR_INTERIOR = 1, /**< vertex-cell, face-cell: side a meets the open cell */
    DENT_PAIR_CROSSING = 2, /**< face-face: relative interiors meet, the six corners are not in one plane */
    DENT_PAIR_COPLANAR = 3, /**< face-face: common area, the six corners are in one plane */
    DENT_PAIR_TOUCHING = 4  /**< closed sets meet otherwise; only with `touching` */
} dent_pair_kind;

DENT_API const char *dent_pair_kind_name(dent_pair_kind kind);

/** One reported pair. Bodies are given by body index; dent_world_body_at returns the id. */
typedef struct dent_pair {
    uint32_t body_a, feature_a; /**< vertex index, or index of the surface face (dent_body_surface_faces) */
    uint32_t body_b, feature_b; /**< the caller's cell, or index of the surface face */
    uint32_t kind;              /**< dent_pair_kind */
} dent_pair;

/** vertex-cell: the position of the vertex in the cell. For split cells `corners` are those of the tetrahedron that
 * contains the vertex (the first in splitting order that is not flat). Fixed double arithmetic; the four weights sum to
 * 1 within 4 units in the last place. A vertex that touches a flat cell has four weights of 1/4 without meaning. */
typedef struct dent_cell_point {
    uint32_t corners[4];
    double weights[4];
} dent_cell_point;

/** face-face: end points of the common segment, in lexicographic order. If a degenerate face, a segment, pierces the
 * other face, both points are the piercing point. Coplanar and touching pairs have no such segment: both points are the
 * middle of the common box of the two faces. Fixed double arithmetic. */
typedef struct dent_segment {
    double point0[3], point1[3];
} dent_segment;

typedef struct dent_pair_list {
    const dent_pair *pairs; /**< in canonical order */
    uint64_t count;
    const dent_cell_point *cell_points; /**< vertex-cell, unless no_details: one per pair */
    const dent_segment *segments;       /**< face-face, unless no_details: one per pair */
} dent_pair_list;

/** Work and timing counters. Work counters may differ between methods and versions, never between runs. Counters of the
 * phases of a single method: dent_method_counters (experimental.h). */
typedef struct dent_query_counters {
    dent_method method;          /**< the method used */
    const char *reason;          /**< why AUTO chose it */
    uint64_t elements;           /**< cells and surface faces in the world */
    uint64_t box_tests;          /**< boxes compared */
    uint64_t candidates;         /**< pairs passed to the exact tests */
    uint64_t cells_visited;      /**< hash cells, buckets or clusters visited */
    uint64_t rebuilds;           /**< structures rebuilt in this query instead of updated */
    uint64_t certified_bodies;   /**< bodies proven free of self-collision without a search */
    uint64_t exact_fallbacks;    /**< signs that the floating-point filter could not decide */
    uint64_t scratch_bytes;      /**< high-water mark of this world's scratch memory */
    uint64_t ns_prepare, ns_search, ns_finish; /**< reading positions and boxes; search and exact tests; sorting and
                                                    details */
} dent_query_counters;

typedef struct dent_query_result {
    dent_outcome outcome;
    dent_pair_list vertex_cell, face_cell, face_face; /**< the requested ones; the others are empty */
    dent_border border; /**< empty unless requested */
    dent_query_counters counters;
} dent_query_result;

/** Returns the list of a discrete question; null for other values. */
DENT_API const dent_pair_list *dent_query_result_list(const dent_query_result *result, dent_question question);

/** Runs the query. The arrays in *result are valid until the next call on this world. After one warm-up call on a world
 * whose sizes no longer grow, a query makes no allocation. DENT_METHOD_AUTO may change its choice after a query with
 * much overlap, or when reference shapes prove too little. The first query with another method is a warm-up call again.
 * Cost: see dent_method_summary. Failure: *result is untouched. */
DENT_API dent_status dent_world_query(dent_world *world, const dent_query_def *def, dent_query_result *result);

/** Returns the fingerprint used by golden tests and benchmarks: FNV-1a 64 over the first four columns of `dent pairs`.
 * These are body, feature, body, feature as printed, separated by one space; each pair ends with a newline. */
DENT_API uint64_t dent_pair_list_hash(const dent_world *world, dent_question question, const dent_pair_list *list);

/** Prints a feature as the tool does: "17", "12/3" (cell/corner), "5/2.1" (split cell: cell/face.part). Returns the
 * length. */
DENT_API size_t dent_feature_print(const dent_world *world, dent_question question, const dent_pair *pair, bool side_b,
                                   char *buffer, size_t buffer_size);

#ifdef __cplusplus
}
#endif

#endif
