/* What a method is: a way to find the pairs that a question asks for. A new method is one file with these functions and
 * one row in method_table.c.
 *
 * A method receives a snapshot (bodies and positions, read-only) and offers pairs to a sink. Most methods collect
 * candidates: the sink leaves out pairs that share a vertex and applies the exact test of the question, so a method may
 * offer too much but never too little, and needs no exact arithmetic of its own. Offers come from the blocks of a
 * parallel loop; their order does not matter, since the pipeline sorts the answers canonically and removes repetitions.
 */
#ifndef DENT_METHODS_METHOD_INTERFACE_H
#define DENT_METHODS_METHOD_INTERFACE_H

#include <dent/experimental.h>

#include "base/arena.h"
#include "base/cancel_flag.h"
#include "bodies/snapshot.h"
#include "geometry/predicates/predicate_kinds.h"

struct surface_forest; /* structures/surface/surface_forest.h */

/* (vertex | surface face) of body a and (cell | surface face) of body b; bodies by body index. */
struct candidate {
    uint32_t body_a, feature_a;
    uint32_t body_b, feature_b;
};

struct candidate_sink {
    /* Before the loop that offers pairs of `question`: how many blocks it has. False when memory runs out. */
    bool (*begin)(struct candidate_sink *sink, dent_question question, uint32_t block_count);
    /* From block `block` on worker `worker`. face-face pairs may come in either order. */
    void (*offer)(struct candidate_sink *sink, dent_question question, uint32_t block, uint32_t worker,
                  const struct candidate *candidates, size_t count);
    /* The same for methods that have decided by exact means themselves: answers of the question, in canonical sides
     * (face-face: a < b), none sharing a vertex, with their kind. */
    void (*answer)(struct candidate_sink *sink, dent_question question, uint32_t block, uint32_t worker,
                   const dent_pair *pairs, size_t count);
    /* For counters.box_tests and counters.cells_visited. */
    void (*count_box_tests)(struct candidate_sink *sink, uint32_t worker, uint64_t count);
    void (*count_cells_visited)(struct candidate_sink *sink, uint32_t worker, uint64_t count);
    /* For a method's own exact predicates: the counters of a worker, added up after the query. */
    struct predicate_counters *(*predicates)(struct candidate_sink *sink, uint32_t worker);
};

/* What a search that tries certificates tells AUTO about them. */
struct proof_report {
    bool try_again;          /* in: bodies that wait after failures are tried at once */
    bool known;              /* out: the search wrote the next one */
    uint64_t unproven_cells; /* of bodies with a reference shape by which, twice running, too little could be proven */
};

struct search_request {
    dent_context *context;
    dent_isa isa;
    const struct snapshot *snapshot;
    struct surface_forest *forest; /* of the world; a method that needs its surfaces refits it */
    const dent_query_def *def;     /* parameters of the methods; touching */
    uint32_t questions;
    const dent_question_info *const *infos; /* of these questions, ended by null */
    bool surface_vertices_only;
    struct cancel_flag *cancel;
    const dent_experiments *experiments;   /* never null: the caller's or the defaults */
    dent_query_counters *counters;         /* rebuilds, certified_bodies: written by the calling thread */
    dent_method_counters *method_counters; /* the method's own part */
    struct proof_report *proofs;           /* written by the calling thread */
    struct arena *scratch;                 /* of the calling thread; rewound after the query */
    struct message *message;
    /* The last resort of a method that cannot answer for these bodies: the whole request by one that always can.
     * Nothing may have been offered yet. */
    dent_status (*by_other_method)(const struct search_request *request, struct candidate_sink *sink);
    void *owner; /* for by_other_method */
};

static inline bool search_cancelled(const struct search_request *request)
{
    return cancel_requested(request->cancel);
}

/* Is this vertex one that vertex-cell asks about? */
static inline bool vertex_is_asked(const struct search_request *request, const struct body *body, uint32_t vertex)
{
    return (body->vertex_use[vertex] & (request->surface_vertices_only ? VERTEX_ON_SURFACE : VERTEX_USED)) != 0;
}

/* A row of the table. State (a tree kept between steps, for instance) lives in the world, one per method; null
 * functions: none. */
struct method_row {
    dent_method method;
    const char *name;
    const char *summary;
    uint32_t questions;
    bool plain_tests; /* the sink tests its candidates by the exact predicates alone: the oracle shares no filter in lanes */
    dent_status (*create)(dent_context *context,
                          void **state); /* kept in the world; compare snapshot->table->topology_version */
    void (*destroy)(dent_context *context, void *state);
    /* Finds and offers. On DENT_OK every pair that is an answer has been offered, unless the search was cancelled. */
    dent_status (*search)(void *state, const struct search_request *request, struct candidate_sink *sink);
};

#endif
