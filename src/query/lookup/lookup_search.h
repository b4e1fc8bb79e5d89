/* What rays, closest points and distances share: the bodies asked about with their boxes side by side, the positions of
 * the queries, blocks of queries over all workers, and the way down a tree, nearest nodes first.
 *
 *   lookup_prepare -> lookup_read -> lookup_run (a function per block of queries)
 */
#ifndef DENT_QUERY_LOOKUP_SEARCH_H
#define DENT_QUERY_LOOKUP_SEARCH_H

#include <dent/lookup.h>

#include <math.h>

#include "query/world/question_row.h"
#include "structures/surface/kernels/lookup_kernels.h"
#include "structures/surface/surface_tree.h"

enum { LOOKUP_BLOCK = 64, LOOKUP_WALKS = 4, LOOKUP_STACK = TREE_LEVELS * LEAF_TREE_ARITY };

/* Of one worker. */
struct lookup_worker {
    _Alignas(64) float *keys; /* LOOKUP_WALKS times, by slot of a body: how near it is */
    uint64_t box_tests, candidates;
    bool out_of_memory;
};

struct lookup_search {
    struct question_call *call;
    dent_context *context;
    const struct snapshot *snapshot;
    const struct surface_forest *forest;
    const struct lookup_kernels *kernels;
    const struct near_kernels *near;
    bool brute_force;
    uint32_t slot_count; /* bodies asked about: those with faces and a bit of the mask */
    uint32_t *bodies;    /* body indices, ascending */
    uint32_t padded;      /* slots, a multiple of 16 */
    float *lo[3], *hi[3]; /* by slot */
    uint32_t query_count;
    const double (*from)[3], (*to)[3]; /* of the queries; readable 8 bytes past the end. to is null for points */
    const uint32_t *order;             /* queries that follow one another are near each other; null: as they come */
    struct lookup_worker *workers;
};

/* A node whose children, or a leaf (level 0) whose faces, are still to be looked at. */
struct lookup_node {
    float key;
    uint32_t level, node;
};

/* Forest, boxes of the bodies with a bit of `mask`, room for the workers. */
dent_status lookup_prepare(struct question_call *call, struct lookup_search *search, dent_method method, uint32_t mask);

/* Reads and checks positions; `what` is the word for one of them ("the start of ray"). */
dent_status lookup_read(struct lookup_search *search, const dent_positions *positions, uint32_t count, const char *what,
                        const double (**xyz)[3]);

/* INVALID_ARGUMENT when positions cannot be read. */
dent_status lookup_check_positions(dent_world *world, const dent_positions *positions, uint32_t count, const char *what);

/* UNSUPPORTED, unless the method is AUTO, SURFACE_TREE or BRUTE_FORCE. */
dent_status lookup_check_method(dent_world *world, dent_method method);

/* Calls function(search, worker, first, end) for blocks of queries on all workers, until cancelled: query i of a block is
 * lookup_query(search, i). They are taken in the order of a curve through space, so that what one of them has read is
 * still near when the next one reads it. */
typedef void lookup_function(struct lookup_search *search, struct lookup_worker *worker, uint32_t first, uint32_t end);
dent_status lookup_run(struct lookup_search *search, lookup_function *function);

/* Method, box tests, candidates, and what all counters have. */
void lookup_count(const struct lookup_search *search, dent_query_counters *counters);

static inline uint32_t lookup_query(const struct lookup_search *search, uint32_t i)
{
    return search->order ? search->order[i] : i;
}

/* The parameters at which from + t step is in the cube [-half, half]^3, within [0, 1]; false: none. `inverse` is 1 / step,
 * and not used where step is 0. */
static inline bool lookup_cut_to_cube(const double from[3], const double step[3], const double inverse[3], double half,
                                      double *first, double *last)
{
    double least = 0, most = 1;
    for (int axis = 0; axis < 3; axis++) {
        if (step[axis] == 0) {
            if (fabs(from[axis]) > half) {
                return false;
            }
            continue;
        }
        double a = (-half - from[axis]) * inverse[axis], b = (half - from[axis]) * inverse[axis];
        double enter = a < b ? a : b, leave = a < b ? b : a;
        least = enter > least ? enter : least;
        most = leave < most ? leave : most;
    }
    *first = least;
    *last = most;
    return least <= most;
}

/* Of the sixteen nodes of a level from `first` on: those that exist. */
static inline uint32_t lookup_nodes(const struct tree_level *level, uint32_t first)
{
    uint32_t left = level->count - first;
    return left < LEAF_TREE_ARITY ? (1u << left) - 1 : 0xFFFFu;
}

static inline void lookup_corners(const struct lookup_search *search, uint32_t body_index, uint32_t face,
                                  const double *corners[3])
{
    const struct body_snapshot *body_snapshot = &search->snapshot->bodies[body_index];
    for (int k = 0; k < 3; k++) {
        corners[k] = body_snapshot->xyz[body_snapshot->body->surface_faces[face].corners[k]];
    }
}

#endif
