/* dent/strand.h — the question strand: which segments of strands are near other segments, edges or faces?
 *
 * It is the question proximity (proximity.h) restricted to pairs with strands: the same distances, radii and rules, the same
 * canonical order. Three kinds of pairs come in two lists. They are vertices of strands with faces of other bodies,
 * segments with segments, and segments with surface edges of other bodies. Where only strands are tested, this call is
 * several times as fast. It writes 20 bytes for each pair, and distances only where they are wanted.
 *
 * As in proximity, a segment that pierces a face is found through the face's edges and the segment's ends. If all of them
 * are farther away than the radii, the pair is not reported. Pairs of proximity are vertices with faces and edges with
 * edges, nothing else. Keep strands from passing faces with the question impact; the check (penetration.h) finds those
 * that are through.
 */
#ifndef DENT_STRAND_H
#define DENT_STRAND_H

#include <dent/proximity.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dent_strand_query_def {
    size_t struct_size;
    double thickness;   /**< of bodies without one of their own: a finite length >= 0; default 0 */
    dent_method method; /**< AUTO (default) and STRAND_PACKETS: packets of four segments; STRAND_GRID: uniform grid with
                           mailbox, for comparison; SURFACE_TREE; BRUTE_FORCE: every pair, the oracle. They differ in how
                           strands find strands; others: UNSUPPORTED */
    bool no_details;    /**< default false. True: leave out the records with distances */
    uint64_t pair_limit; /**< as in dent_proximity_def */
    const int *cancel;   /**< as in dent_query_def */
} dent_strand_query_def;
DENT_API dent_strand_query_def dent_strand_query_def_default(void);

typedef struct dent_strand_result {
    dent_outcome outcome;
    const dent_pair *vertex_face; /**< vertex of a strand, face (dent_body_surface_faces); canonical order; kind is
                                       DENT_PROXIMITY_VERTEX_FACE */
    uint64_t vertex_face_count;
    const dent_pair *edge_edge; /**< indices in dent_body_edges (segments of strands); canonical order, each pair once with
                                     (body a, edge a) < (body b, edge b); kind is DENT_PROXIMITY_EDGE_EDGE */
    uint64_t edge_edge_count;
    const dent_proximity *details; /**< one for each pair, those of vertex_face first; null with no_details */
    dent_query_counters counters;
} dent_strand_result;

/** Finds all pairs at the positions at t0. The arrays are valid until the next call on this world. After one warm-up call
 *  on a world whose sizes no longer grow, it makes no allocation. Cost: O(n + pairs) for strands of much the same segments.
 *  Cancelled: no pairs are reported. Failure: *result is untouched. */
DENT_API dent_status dent_world_strands(dent_world *world, const dent_strand_query_def *def,
                                        dent_strand_result *result);

/** Returns the fingerprint, FNV-1a 64 over the first four columns of `dent pairs --ask strand`. */
DENT_API uint64_t dent_strand_hash(const dent_world *world, const dent_strand_result *result);

#ifdef __cplusplus
}
#endif

#endif
