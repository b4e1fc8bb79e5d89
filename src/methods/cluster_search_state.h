/* One query of the cluster search: what its parts hand each other.
 *
 * cluster_search.c takes a query through its stages, in this order: which bodies to compute strains of
 * (cluster_search_proofs.c), boxes and strains, what is proven about bodies with themselves (there, too), the search
 * itself (cluster_search_pairs.c), and what to try in the next query.
 */
#ifndef DENT_METHODS_CLUSTER_SEARCH_STATE_H
#define DENT_METHODS_CLUSTER_SEARCH_STATE_H

#include "methods/cluster_search_self.h"
#include "structures/boxes/body_pairs.h"

struct workspace;

struct cluster_search {
    const struct search_request *request;
    struct candidate_sink *sink;
    const struct cluster_cache *cache;
    const struct body_pairs *pairs;
    void *gap_rooms; /* gap_reference_complete(), by worker; null until they are needed */
    struct cluster_snapshot snapshot;
    uint32_t pieces_per_block;
    dent_leaf_numbers numbers; /* of the leaves: floats, doubles, or what each cluster needs */
    bool certify;
    bool has_filters;          /* some bodies may not meet */
    bool tries_strains;        /* of some body */
    bool may_adopt;            /* some body has no reference of its own */
    struct self_proofs proofs; /* of contact of bodies with themselves */
    bool *body_certified;      /* of the proofs, as is piece_certified */
    float (*body_matrices)[9]; /* by body index: what that is proven with */
    bool *piece_certified;
    struct workspace *workspaces; /* by worker */
    uint64_t *leaves;             /* pairs of clusters compared, so far */
    bool *met_itself;             /* by body index: the search surely found a pair of the body with itself */
};

/* ---- cluster_search_proofs.c ----------------------------------------------------------------- */

/* Which bodies to compute strains of: those asked about themselves that have something to compare with. Also notes
 * whether all bodies may meet: they surely may if their groups and masks are the same. */
void cluster_search_choose_references(struct cluster_search *search, struct cluster_cache *cache);

/* Boxes and strains of a block of pieces; bodies of one piece are certified at once. For dent_parallel_for. */
void cluster_search_fill_block(void *search, uint32_t block, uint32_t worker);

/* Whole bodies, then the pieces of those that fail and have more than one, then pairs of pieces by their gaps. */
void cluster_search_certify(struct cluster_search *search);

/* After a search that was not cancelled: which references failed, and which poses to try next. */
void cluster_search_learn(struct cluster_search *search, struct cluster_cache *cache);

/* ---- cluster_search_pairs.c ------------------------------------------------------------------ */

/* What the workers work with, from the query's scratch; false when there is not enough. */
bool cluster_search_make_workspaces(struct cluster_search *search);

/* Searches a block of pieces and tells the sink. For loops over blocks. */
void cluster_search_block(void *search, uint32_t block, uint32_t worker);

#endif
