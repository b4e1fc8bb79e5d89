/* dent/proximity.h — the question proximity: which features of surfaces are closer than a thickness?
 *
 * Every body has a thickness, a length >= 0: its own (dent_body_def.thickness, dent_body_set_thickness) or that of
 * the query. All surface vertices are tested against all surface faces, and all surface edges against all surface
 * edges. Surface bodies and boundaries of solids, different bodies and one body with itself are treated alike (filters
 * apply). A pair is reported iff
 *
 *     distance <= thickness a + thickness b        (within a body: twice its own)
 *
 * where the distance is the double that one fixed sequence of operations gives (docs/methods/proximity.md). The pairs
 * and their bits are the same for every method, thread count, instruction set and machine. The error of the distance is
 * below 8 * 2^-53 times the largest difference of coordinates of the two features. Pairs that share a vertex (the same
 * index in the same body, or tied by same_as) are never reported, however close. Zero-area faces, zero-length and
 * parallel edges are tested like any others.
 *
 * Strands have vertices and edges (their segments) and no faces. The radius is their thickness; a segment has the larger
 * one of its ends. Two rules leave out more pairs:
 *
 *   along a strand   segments i < j of one strand if j - i < 2, or if the lengths of the segments i + 1 to j - 1 at t0,
 *                    added in this order, are together below pi times the larger radius
 *   at a root        a root that lies on a face (dent_body_def.root_on) against that face and all faces that share a
 *                    vertex with it, and its first segment against all edges that share a vertex with it
 */
#ifndef DENT_PROXIMITY_H
#define DENT_PROXIMITY_H

#include <dent/query.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dent_proximity_def {
    size_t struct_size;
    double thickness;   /**< thickness of bodies without one of their own: a finite length >= 0; default 0 */
    dent_method method; /**< AUTO (default) and SURFACE_TREE: the surface tree; BRUTE_FORCE: every pair, the oracle;
                           others: UNSUPPORTED */
    bool closest_features_only; /**< default false. True: one record per pair of closest features. A vertex near the
                                   common edge of two faces gives a record with each face, and perhaps more with edges.
                                   They all have the same closest features (that vertex, that edge), and only the first
                                   in canonical order is kept */
    uint64_t pair_limit; /**< maximum number of pairs, counted before closest_features_only; more fail with TOO_LARGE,
                            which bounds the memory; default and maximum 2^32 - 1 */
    const int *cancel;   /**< as in dent_query_def */
} dent_proximity_def;
DENT_API dent_proximity_def dent_proximity_def_default(void);

typedef enum dent_proximity_kind { DENT_PROXIMITY_VERTEX_FACE = 1, DENT_PROXIMITY_EDGE_EDGE = 2 } dent_proximity_kind;

/** Returns "vertex-face", "edge-edge"; null for other values. */
DENT_API const char *dent_proximity_kind_name(dent_proximity_kind kind);

/** The part of a feature that contains the closest point. */
typedef enum dent_closest_feature {
    DENT_CLOSEST_VERTEX = 1,  /**< a vertex: the vertex itself, an end of the edge, a corner of the face */
    DENT_CLOSEST_EDGE = 2,    /**< the inside of the edge, or of an edge of the face */
    DENT_CLOSEST_INTERIOR = 3 /**< the inside of the face */
} dent_closest_feature;

/** Returns "vertex", "edge", "interior"; null for other values. */
DENT_API const char *dent_closest_feature_name(dent_closest_feature feature);

/** One reported pair. Bodies are given by body index. */
typedef struct dent_proximity {
    uint32_t kind;                /**< dent_proximity_kind */
    uint32_t body_a, feature_a;   /**< vertex; or index of the edge in dent_body_edges */
    uint32_t body_b, feature_b;   /**< index of the surface face in dent_body_surface_faces; or of the edge */
    uint8_t closest_a, closest_b; /**< dent_closest_feature of each side */
    uint8_t corner_a, corner_b;   /**< VERTEX: the corner (0 to 2; ends of an edge 0 and 1). EDGE of a face: the
                                     opposite corner. Otherwise 0 */
    double distance;              /**< >= 0 and <= the sum of the thicknesses; infinite only if both overflow */
    double point_a[3];            /**< the closest point of a, … */
    double point_b[3];   /**< … of b. Both are rounded to the grid of the coordinates, so their own distance may differ
                            in the last digits. Parallel edges have many; the choice is deterministic */
    double direction[3]; /**< unit, from b to a: moving a along it separates. A distance of at most 2^-48 of the extent
                            of the two features is rounding (2^-38 if both closest points lie inside them). Then this is
                            the normal of the face or the cross product of the edges, on the computed side of a. With
                            distance 0 it follows the order of the corners: edge a (v0 to v1) x edge b. If that vanishes
                            too: the rounded difference, else the x axis */
} dent_proximity;

typedef struct dent_proximity_result {
    dent_outcome outcome;
    uint64_t count;
    const dent_proximity *pairs; /**< canonical order: kind, body a, feature a, body b, feature b. The vertex is side a;
                                    edge pairs are reported once, with (body a, edge a) < (body b, edge b) */
    uint64_t vertex_face_count;  /**< length of the first part of the list, vertex-face; the rest is edge-edge */
    dent_query_counters counters;
} dent_proximity_result;

/** Finds all pairs at the positions at t0. The array is valid until the next call on this world. After one warm-up call
 *  on a world whose sizes no longer grow, it makes no allocation. Cost: O(n log n) if the thickness is small against
 *  the size of the surfaces, else the number of pairs. Cancelled: no pairs are reported. Failure: *result is
 *  untouched. */
DENT_API dent_status dent_world_proximity(dent_world *world, const dent_proximity_def *def,
                                          dent_proximity_result *result);

/** Prints a feature as the tool does: a vertex "17", a face "12" or "12/3" (see dent_feature_print), an edge "4-17"
 *  (v0-v1, v0 < v1). Returns the length. */
DENT_API size_t dent_proximity_feature_print(const dent_world *world, const dent_proximity *pair, bool side_b,
                                             char *buffer, size_t buffer_size);

/** Returns the fingerprint, FNV-1a 64 over the first four columns of `dent pairs --ask proximity`, as
 *  dent_pair_list_hash. */
DENT_API uint64_t dent_proximity_hash(const dent_world *world, const dent_proximity *pairs, uint64_t count);

#ifdef __cplusplus
}
#endif

#endif
