/* The question proximity inside: what a search is given, how it answers, and what the world keeps between queries.
 *
 *   snapshot and thicknesses -> search (every pair, or pairs of leaves of the surface forest) -> fixed-arithmetic decision
 *                        -> two canonical lists -> records -> one record per closest feature, where asked for
 */
#ifndef DENT_QUERY_PROXIMITY_SEARCH_H
#define DENT_QUERY_PROXIMITY_SEARCH_H

#include <dent/proximity.h>

#include "base/arena.h"
#include "base/cancel_flag.h"
#include "geometry/metric/feature_distance.h"
#include "geometry/metric/near_kernels.h"
#include "query/pairs/answer_list.h"
#include "query/world/world_state.h"
#include "structures/strands/strand_packets.h"
#include "structures/surface/surface_forest.h"

/* Kept in the world: memory. */
struct proximity_state {
    dent_context *context;
    struct answer_list vertex_face, edge_edge;
    struct dynamic_array records; /* dent_proximity */
    struct strand_packets packets;
    struct block_output near_packets; /* struct near_packets of proximity_strands.c */
    struct dynamic_array strand_pairs; /* dent_pair, canonical, of strands with strands */
};

/* One per worker, a cache line apart. */
struct proximity_counters {
    _Alignas(64) uint64_t box_tests;
    uint64_t candidates;
};

struct proximity_search {
    dent_context *context;
    struct proximity_state *state;
    dent_isa isa;
    const struct snapshot *snapshot;
    struct surface_forest *forest; /* of the world */
    const double *thickness;       /* by body index; the largest of strands with radii */
    double **arcs; /* by body index: arc lengths of strands where they help; else null */
    struct arena *scratch;
    struct cancel_flag *cancel;
    struct proximity_counters *workers;
    dent_method method;
    bool strands_only;              /* pairs without strands are left out */
    bool has_strands, has_surfaces; /* among the bodies */
    uint32_t more_blocks;           /* that a second search needs behind those of the forest, from first_more on */
    uint32_t first_more;
    uint64_t rebuilds;
    uint64_t pair_limit;
    _Alignas(8) uint64_t found; /* read and written as atomics, these three */
    int too_many;               /* more than the limit */
    int out_of_memory;          /* of some block */
};

/* Before the parallel loop: how many blocks. False when memory runs out. */
bool proximity_begin(struct proximity_search *search, uint32_t block_count);

/* The meaning of the question: do the two features share no vertex, and is their computed distance within the
 * thicknesses? If so they are added to the answers of the block. Edges in either order. */
void proximity_try_vertex_face(struct proximity_search *search, uint32_t block, uint32_t body_index_a, uint32_t vertex,
                               uint32_t body_index_b, uint32_t face);
void proximity_try_edges(struct proximity_search *search, uint32_t block, uint32_t body_index_a, uint32_t edge_a,
                         uint32_t body_index_b, uint32_t edge_b);

/* The same for a search that has measured the distance itself and knows that no vertex is shared. */
bool proximity_vertex_is_near(const struct proximity_search *search, uint32_t body_index_a, uint32_t vertex,
                              uint32_t body_index_b, uint32_t face, double distance);
bool proximity_edges_are_near(const struct proximity_search *search, uint32_t body_index_a, uint32_t edge_a,
                              uint32_t body_index_b, uint32_t edge_b, double distance);

/* The answers of a search that has measured them itself: no vertex in common, distance within. */
void proximity_add_vertex_face(struct proximity_search *search, uint32_t block, uint32_t body_index_a, uint32_t vertex,
                               uint32_t body_index_b, uint32_t face);
void proximity_add_edges(struct proximity_search *search, uint32_t block, uint32_t body_index_a, uint32_t edge_a,
                         uint32_t body_index_b, uint32_t edge_b);

/* Positions: of the vertex and the corners of the face, of the ends of a and of b. */
void proximity_vertex_face_points(const struct snapshot *snapshot, uint32_t body_index_a, uint32_t vertex,
                                  uint32_t body_index_b, uint32_t face, const double *points[4]);
void proximity_edge_points(const struct snapshot *snapshot, uint32_t body_index_a, uint32_t edge_a,
                           uint32_t body_index_b, uint32_t edge_b, const double *points[4]);

static inline void proximity_put_points(const double *const points[4], struct feature_points *batch, uint32_t lane)
{
    for (int k = 0; k < 4; k++) {
        batch->point[k][lane] = points[k];
    }
}

/* Lanes from `count` (at least 1) on repeat the first. */
static inline void proximity_fill_lanes(struct feature_points *batch, uint32_t count)
{
    for (; count < FEATURE_BATCH; count++) {
        for (int k = 0; k < 4; k++) {
            batch->point[k][count] = batch->point[k][0];
        }
    }
}

/* Some answers were added: notices when they are too many, and stops the loop then. */
void proximity_count_answers(struct proximity_search *search, uint64_t count);

/* A block should do no more work. */
static inline bool proximity_stopped(struct proximity_search *search)
{
    return cancel_requested(search->cancel);
}

/* Searches: on return every pair that is an answer has been added, unless the search was stopped. False: out of
 * memory. */
bool proximity_try_every_pair(struct proximity_search *search);
bool proximity_search_forest(struct proximity_search *search);
/* Strands with strands alone: packets, or the uniform grid with mailbox. The forest leaves them out then. */
bool proximity_search_packets(struct proximity_search *search);
bool proximity_search_grid(struct proximity_search *search);
uint32_t proximity_grid_blocks(const struct snapshot *snapshot);
/* The canonical list of what the packets found. */
bool proximity_list_packets(struct proximity_search *search, struct dynamic_array *pairs);

/* All searches of a method. False: out of memory. */
bool proximity_run(struct proximity_search *search);
/* The canonical lists of pairs. False: out of memory. */
bool proximity_list(struct proximity_search *search);
/* By the method of the search; what a query of either kind keeps. */
static inline bool proximity_uses_packets(const struct proximity_search *search)
{
    return search->has_strands && (search->method == DENT_METHOD_AUTO || search->method == DENT_METHOD_STRAND_PACKETS);
}
extern const struct world_slot_kind proximity_slot;
/* Thicknesses, counters and kinds of bodies of a search that has its snapshot, scratch and context. False: out of
 * memory. `of_query`: the thickness of bodies without one of their own. */
bool proximity_prepare(struct proximity_search *search, double of_query);
void proximity_count(const struct proximity_search *search, dent_query_counters *counters);

/* Answers to records, in parallel. False: out of memory. */
bool proximity_make_records(struct proximity_search *search);
/* Keeps the first record of every pair of closest features. False: out of memory. */
bool proximity_keep_closest_features(struct proximity_search *search);

/* One line of the fingerprint. */
uint64_t proximity_hash_pair(const dent_world *world, const dent_proximity *pair, uint64_t hash);

#endif
