/* One impact query while it runs: the moving vertices, what is asked, and a worker for every worker where candidates are
 * gathered in blocks, tested and turned into answers.
 *
 *   oracle (impact_oracle.c)          every pair, the exact test alone
 *   search (impact_search.c)          leaf pairs of the surface forest -> candidates -> workers
 *   separation list (impact_kinetic.c)  leaf pairs without a witness for the whole step, in place of those of the forest
 *   workers (impact_worker.c)             blocks of candidates -> elementary tests (geometry/impact/impact_test.h) -> answers
 *   query (impact_query.c)            reads, chooses, sorts; the public calls
 *
 * An answer is a function of its pair alone, so blocks may be cut anywhere and tested in any order.
 */
#ifndef DENT_QUERY_IMPACT_RUN_H
#define DENT_QUERY_IMPACT_RUN_H

#include <dent/impact.h>
#include <dent/kinetic.h>

#include "base/arena.h"
#include "base/block_output.h"
#include "base/cancel_flag.h"
#include "bodies/snapshot.h"
#include "geometry/impact/impact_test.h"
#include "structures/surface/surface_forest.h"

/* Kept in the world from query to query. */
struct impact_state {
    struct block_output blocks;              /* dent_impact, as found */
    struct dynamic_array impacts;            /* dent_impact, canonical */
    uint64_t feature_count, feature_version; /* surface vertices, edges and faces; of which version of the body table */
    struct dynamic_array vertices;           /* struct impact_vertex, body after body */
    dent_kinetic *kinetic;                   /* over the leaves of the forest; null: none */
    uint64_t kinetic_version;                /* of the body table it was made for */
};

struct impact_worker;

struct impact_run {
    dent_context *context;
    struct message *message;
    struct arena *scratch;
    struct cancel_flag *cancel;
    dent_isa isa;
    const struct snapshot *snapshot;
    const double (*const *ends)[3]; /* by body index: positions at t1 */
    struct surface_forest *forest;  /* of the world */
    struct impact_state *state;
    const struct impact_vertex *vertices; /* vertex v of the body of body index r: first_vertex[r] + v */
    const uint32_t *first_vertex;
    double separation;                 /* 0: the exact question */
    struct impact_separation settings; /* of the conservative one */
    bool by_contacts; /* leaf pairs from the separation list instead of the forest */
    bool details;
    bool earliest;                  /* keep the earliest only */
    _Alignas(8) uint64_t best_bits; /* atomic: the earliest toi so far, as the bits of a double (whose order they keep:
                                       it is not negative) */
    struct impact_worker *workers;  /* by worker */
    dent_impact_counters *counters;
};

/* A pair by names, in canonical sides. */
struct impact_pair {
    uint32_t body_a, feature_a, body_b, feature_b;
};

/* Candidates of one kind, waiting. */
struct impact_queue {
    uint32_t count;
    uint32_t corners[IMPACT_BLOCK][4]; /* into run->vertices */
    struct impact_pair pairs[IMPACT_BLOCK];
};

/* Where one worker gathers and tests. What is on it when a block of the search ends is tested before the next block
 * begins, so that the answers of a block are in the list of that block. */
struct impact_worker {
    _Alignas(64) uint32_t block; /* of what is in the queues; UINT32_MAX: none yet */
    bool found;                  /* `best` holds something */
    dent_impact best;            /* of a search for the earliest */
    uint64_t box_tests, candidates, impacts;
    struct impact_counters stages;
    struct leaf_memory *leaves;    /* of impact_search.c */
    struct impact_queue queues[2]; /* by enum impact_kind */
    struct impact_workspace workspace;
    struct impact_hit hits[IMPACT_BLOCK];
};

static inline uint32_t run_vertex(const struct impact_run *run, uint32_t body_index, uint32_t vertex)
{
    return run->first_vertex[body_index] + vertex;
}

/* False when memory runs out. */
bool impact_workers_create(struct impact_run *run);
/* Tests what is left on all workers. Called once, by the calling thread, after the search. */
void impact_workers_clear(struct impact_run *run);
/* Says that what follows on this worker belongs to `block` of the answer lists. */
void impact_worker_enter(struct impact_run *run, struct impact_worker *worker_state, uint32_t block);
/* Puts a candidate on the worker: four corners and a name. Pairs that share a vertex must not come here. Returns at once
 * or after testing a full block. */
void impact_worker_add(struct impact_run *run, struct impact_worker *worker_state, enum impact_kind kind,
                       const uint32_t corners[4], struct impact_pair pair);
/* An answer: kept in the list of the worker's block, or compared with the earliest. */
void impact_worker_answer(struct impact_run *run, struct impact_worker *worker_state, enum impact_kind kind,
                          struct impact_pair pair, const struct impact_result *result);

/* The earliest time any worker has found so far; 1 when none. */
double impact_best_time(const struct impact_run *run);

/* Is a earlier than b, or first in canonical order at the same time? */
bool impact_is_before(const dent_impact *a, const dent_impact *b);

/* With a separation: are the two sets of corners farther apart than it on some axis over the whole step? The boxes are
 * part of the definition of the answer there: every method asks this about every pair, so that all have the same
 * candidates. */
bool impact_boxes_apart(const struct impact_run *run, enum impact_kind kind, const uint32_t corners[4]);

dent_status impact_test_all_pairs(struct impact_run *run);
dent_status impact_search_forest(struct impact_run *run);

/* Visits the pairs of leaves that no witness keeps apart during the step, after a refit of the forest. */
dent_status impact_walk_contacts(struct impact_run *run, const struct leaf_pair_visitor *visitor);
void impact_kinetic_destroy(struct impact_state *state);

dent_status impact_out_of_memory(struct impact_run *run);

#endif
