/* dent/proximity.h — the question proximity: which features of surfaces are closer than a thickness?
 *
 * Every body has a thickness, a length >= 0: its own (dent_body_def.thickness, dent_body_set_thickness) or that of
 * the query. Asked are all surface vertices against all surface faces and all surface edges against all surface
 * edges, of surface bodies and boundaries of solids alike, of different bodies and of one body with itself (filters
 * apply). A pair is an answer iff
 *
 *     distance <= thickness a + thickness b        (within a body: twice its own)
 *
 * where the distance is the double that one fixed sequence of operations gives (docs/methods/proximity.md): the same
 * pairs and the same bits for every method, thread count, instruction set and machine. Its error is below 8 * 2^-53
 * times the largest difference of coordinates of the two features. Pairs that share a vertex (the same index in the
 * same body, or tied by same_as) are never an answer, however close. Zero-area faces, zero-length and parallel edges
 * are answered like any others.
 */
#ifndef DENT_PROXIMITY_H
#define DENT_PROXIMITY_H

#include <dent/query.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dent_proximity_def {
    size_t struct_size;
    double thickness;   /**< of the bodies without one of their own: a finite length >= 0; default 0 */
    dent_method method; /**< AUTO (default) and SURFACE_TREE: the surface tree; BRUTE_FORCE: every pair, the oracle;
                           others: UNSUPPORTED */
    bool closest_features_only; /**< default false. True: one record per pair of closest features. A vertex near the
                                   common edge of two faces gives a record with each of them, and perhaps more with
                                   edges; they all have the same closest features (that vertex, that edge), and only the
                                   first of them in canonical order is kept */
    uint64_t pair_limit; /**< more pairs than this (counted before closest_features_only) are refused with TOO_LARGE
                            instead of eating the memory of the machine; default and most 2^32 - 1 */
    const int *cancel;   /**< as in dent_query_def */
} dent_proximity_def;
DENT_API dent_proximity_def dent_proximity_def_default(void);

typedef enum dent_proximity_kind { DENT_PROXIMITY_VERTEX_FACE = 1, DENT_PROXIMITY_EDGE_EDGE = 2 } dent_proximity_kind;

/** "vertex-face", "edge-edge"; null for another value. */
DENT_API const char *dent_proximity_kind_name(dent_proximity_kind kind);

/** Where on a feature the closest point lies. */
typedef enum dent_closest_feature {
    DENT_CLOSEST_VERTEX = 1,  /**< it is a vertex: the vertex itself, an end of the edge, a corner of the face */
    DENT_CLOSEST_EDGE = 2,    /**< inside the edge, or inside an edge of the face */
    DENT_CLOSEST_INTERIOR = 3 /**< inside the face */
} dent_closest_feature;

/** "vertex", "edge", "interior"; null for another value. */
DENT_API const char *dent_closest_feature_name(dent_closest_feature feature);

/** One answer. Bodies by rank. */
typedef struct dent_proximity {
    uint32_t kind;                /**< dent_proximity_kind */
    uint32_t body_a, feature_a;   /**< vertex; or number of the edge in dent_body_edges */
    uint32_t body_b, feature_b;   /**< number of the surface face in dent_body_surface_faces; or of the edge */
    uint8_t closest_a, closest_b; /**< dent_closest_feature of either side */
    uint8_t corner_a, corner_b;   /**< which: VERTEX, the corner (0 to 2; ends of an edge 0 and 1); EDGE of a face, the
                                     corner opposite; otherwise 0 */
    double distance;              /**< >= 0 and <= the sum of the thicknesses; infinite only where both overflow */
    double point_a[3];            /**< the closest point of a, … */
    double point_b[3];   /**< … of b; rounded to the grid of the coordinates, so that their own distance may differ in
                            the last digits. Parallel edges have many: one of them, always the same */
    double direction[3]; /**< unit, from b to a: moving a along it separates. With a distance of
                            rounding only, at most 2^-48 of the extent of the two features (2^-38 where both closest
                            points lie inside them): the normal of the face or
                            the cross product of the edges, on the side where a is computed to be; with distance 0 as
                            the corners are ordered, edge a (v0 to v1) x edge b. Where that vanishes too: what rounding
                            leaves of the difference, else the x axis */
} dent_proximity;

typedef struct dent_proximity_result {
    dent_outcome outcome;
    uint64_t count;
    const dent_proximity *pairs; /**< canonical order: kind, body a, feature a, body b, feature b. The vertex is side a;
                                    edge pairs are reported once, with (body a, edge a) < (body b, edge b) */
    uint64_t vertex_face_count;  /**< the first so many are vertex-face, the others edge-edge */
    dent_query_counters counters;
} dent_proximity_result;

/** Asks about the positions at t0. The array is valid until the next call on this world. After one warm-up call on a
 *  world whose sizes no longer grow, it makes no allocation. Cost: O(n log n) for surfaces whose thickness is small
 *  against their size; the number of pairs where it is not. Cancelled: no pairs are reported. Failure: *result is
 *  untouched. */
DENT_API dent_status dent_world_proximity(dent_world *world, const dent_proximity_def *def,
                                          dent_proximity_result *result);

/** Prints a feature as the tool does: a vertex "17", a face "12" or "12/3" (see dent_feature_print), an edge "4-17"
 *  (v0-v1, v0 < v1). Returns the length. */
DENT_API size_t dent_proximity_feature_print(const dent_world *world, const dent_proximity *pair, bool side_b,
                                             char *buffer, size_t buffer_size);

/** FNV-1a 64 over the first four columns of `dent pairs --ask proximity`, as dent_pair_list_hash. */
DENT_API uint64_t dent_proximity_hash(const dent_world *world, const dent_proximity *pairs, uint64_t count);

#ifdef __cplusplus
}
#endif

#endif
