/* One motion query while it runs.
 *
 *   query (motion_query.c)        the public call: checks the def, prepares motions and trees, orders the pairs of bodies
 *   bodies (motion_actors.c)      which bodies take part, their trees, scale of the world
 *   pairs (motion_pairs.c)        which pairs are asked, their chains of motions, a first lower bound of the time
 *   search (motion_search.c)      one pair of bodies: volumes and time split until faces remain
 *   contacts (motion_contacts.c)  what is near at the first time, in canonical order
 *
 * A pair's search is a function of the pair and of a time limit. The limit is lowered between rounds of pairs only, and
 * the rounds do not depend on threads, so neither does anything that is reported.
 */
#ifndef DENT_QUERY_MOTION_RUN_H
#define DENT_QUERY_MOTION_RUN_H

#include <dent/experimental.h>

#include "base/arena.h"
#include "base/cancel_flag.h"
#include "base/containers/dynamic_array.h"
#include "base/message.h"
#include "bodies/body_table.h"
#include "geometry/motion/motion_bounds.h"
#include "structures/bounds/motion_tree.h"

/* The motion of b as seen by a over the piece [number, number + 1] / 2^level of the step. */
struct time_piece {
    uint64_t search; /* which search it was made for */
    uint64_t key;    /* level << 58 | number */
    double lo, middle;
    struct motion_piece motion;
};

enum { PIECE_CACHE = 128, LEVEL_LIMIT = 57, LEVEL_LATEST = 50 };

/* Two nodes that could not be told apart over a piece of time. */
struct pending_pair {
    double lo, hi; /* the part of the piece that is not settled */
    uint64_t number;
    uint32_t a, b;
    uint32_t level;
    float motion; /* of b during the piece, against a: what decides whether to halve the time */
};

/* What a worker needs for one pair of bodies; kept from query to query. */
struct motion_worker {
    struct dynamic_array queue; /* struct pending_pair: a heap, the earliest first */
    uint64_t searches;          /* so far */
    struct time_piece pieces[PIECE_CACHE];
};

/* Kept in the world from query to query. */
struct motion_state {
    dent_context *context;
    struct dynamic_array trees;              /* struct motion_tree, by slot of the body table */
    struct dynamic_array workers;            /* struct motion_worker, by worker */
    struct dynamic_array pairs;              /* struct motion_pair, as they were found */
    struct dynamic_array node_pairs;         /* of the search for contacts */
    struct dynamic_array contacts, unsorted; /* dent_motion_contact */
    uint64_t trees_version;                  /* of the body table, when trees of removed bodies were given back */
};

/* A body that takes part. */
struct motion_actor {
    const struct body *body;
    struct motion_tree *tree;
    uint32_t frame; /* DENT_FRAME_WORLD for linear movers, too */
    bool rigid;
    const double (*start)[3], (*end)[3]; /* positions read in this query; null: not read */
    double lo[3], hi[3];                 /* broad phase: where the body is during the step, scaled */
};

struct pair_answer {
    dent_motion_verdict verdict;
    double t_lo, t_estimate, t_hi;
    bool initial, no_memory;
    uint64_t volume_tests, face_tests, time_pieces;
};

/* Two bodies: a's coordinates are worked in. */
struct motion_pair {
    const struct motion_actor *a, *b;
    uint32_t body_index_a, body_index_b;
    struct motion_chain chain_a, chain_b;
    double tolerance; /* scaled */
    double earliest;  /* lower bound of the time of contact */
    struct pair_answer answer;
};

struct motion_run {
    dent_context *context;
    struct message *message;
    struct arena *scratch;
    struct cancel_flag *cancel;
    const struct body_table *table;
    const dent_motion_impact_def *def;
    struct motion_state *state;
    dent_motion_volume volume;
    dent_motion_bounds bounds;
    bool coplanarity; /* faces are compared by the triple products of the source */
    dent_isa isa;
    double scale;
    struct trajectory *trajectories; /* by frame */
    int *faults;                     /* by frame: its function returned what cannot be */
    struct motion_actor *actors;     /* by body index */
    uint32_t actor_count;
    struct motion_pair *pairs;
    uint32_t pair_count;
    double limit; /* contacts at or after this time are of no interest */
    dent_motion_counters *counters;
};

dent_status motion_out_of_memory(struct motion_run *run);

/* Fills actors and scale, makes trees. */
dent_status motion_prepare_bodies(struct motion_run *run);
/* Fills pairs. */
dent_status motion_list_pairs(struct motion_run *run);

/* Fills pair->answer. */
void motion_search_pair(const struct motion_run *run, struct motion_pair *pair, struct motion_worker *worker_state,
                        double limit);

/* The contacts of all pairs at time t, canonical, into state->contacts. */
dent_status motion_find_contacts(struct motion_run *run, double t);

/* The relative motion of a pair over a piece of time. */
void motion_of_pair(const struct motion_run *run, const struct motion_pair *pair, double lo, double half,
                    struct motion_piece *piece);

#endif
