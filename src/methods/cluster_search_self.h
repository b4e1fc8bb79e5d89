/* What a query of the cluster search knows about contact of bodies with themselves before it searches.
 *
 * Two stages for bodies with gaps (gap_certificate.h). Before anything else is computed: did the body move as a whole
 * (rigid_certificate.h), from its reference or from a pose that was kept? Then it, or those of its pieces that have
 * clearance enough, needs no more. After boxes and
 * strains: which pairs of clusters are apart, a pair of pieces at a time, both directions together. The search asks for
 * a pair of pieces and is told what is left. After the search: a body that is deformed but rests, or moves as a whole
 * since the query before, has its pose kept with what is proven about it.
 *
 * In: the cache, a snapshot. Out: bodies and pieces that need no search against themselves, open clusters for the
 * others. All memory from the query's scratch, as much in every query on the same bodies.
 */
#ifndef DENT_METHODS_CLUSTER_SEARCH_SELF_H
#define DENT_METHODS_CLUSTER_SEARCH_SELF_H

#include "methods/cluster_search_cache.h"
#include "methods/interface/method_interface.h"

struct rigid_block;

struct self_proofs {
    const struct search_request *request;
    struct cluster_cache *cache;
    bool *body_certified;         /* by body index: has no contact with itself */
    bool *piece_certified;        /* by piece of the world: has no contact with itself and its neighbours */
    bool *piece_still;            /* by piece of the world: has no contact with any part of its body */
    bool *body_has_still;         /* by body index: some of its pieces are */
    bool any_still;               /* of any body */
    uint32_t rigid_count;         /* blocks in use */
    struct rigid_block *rigid;    /* vertices of bodies that seem to have moved as a whole */
    uint32_t questions;           /* bits: enum gap_question */
    uint8_t *pair_open;           /* by pair of pieces of the world (clustered_body.first_gap_pair): questions, as bits */
    struct open_pair (*open_pairs)[GAP_QUESTIONS]; /* likewise; written where the pair is open */
    const struct cluster_snapshot *snapshot;
};

/* Takes the memory; false when there is not enough. Nothing is certified then or before the next calls. */
bool self_proofs_begin(struct self_proofs *proofs, const struct search_request *request, struct cluster_cache *cache);

/* Bodies that moved as a whole. Needs nothing but the positions. */
void self_proofs_try_rigid(struct self_proofs *proofs);

/* Pairs of pieces of bodies that want stretches; after boxes, strains, body_certified and piece_certified. */
void self_proofs_try_gaps(struct self_proofs *proofs, const struct cluster_snapshot *snapshot);

/* Keeps the poses of bodies that have come to rest. The strains are of no use afterwards. */
void self_proofs_keep_poses(struct self_proofs *proofs);

/* Is contact of the cells of a piece with features of another of the same body proven away? If not, *open is null, or
 * has for every cluster of piece_b a set of bits: those of piece_a that are left. Small bodies mostly have nothing to
 * look up. */
bool self_proofs_look_up(const struct self_proofs *proofs, dent_question question, uint32_t body_index,
                         uint32_t piece_b, uint32_t piece_a, const uint16_t **open);
static inline bool self_proofs_clear(const struct self_proofs *proofs, dent_question question, uint32_t body_index,
                                     uint32_t piece_b, uint32_t piece_a, const uint16_t **open)
{
    const struct clustered_body *body = &proofs->cache->bodies[body_index];
    const bool *certified = proofs->piece_certified + body->first_piece;
    *open = NULL;
    return (proofs->any_still || body->wants_stretches || certified[piece_a] || certified[piece_b]) &&
           self_proofs_look_up(proofs, question, body_index, piece_b, piece_a, open);
}

#endif
