/* bench_peers.h — how other libraries and plain programs take part in a race.
 *
 * Peers are never part of the installed tool. They are rows of a table in bench/peers, linked into a program of its
 * own, dent-peers, which is this tool with that table. `dent bench --peers` hands over to it. In `dent` itself the
 * table is empty.
 *
 * A peer gets the scene as flat arrays (one block of positions, cells and surface faces by numbers of the scene) and
 * has to find candidate pairs in its own way; whether a candidate is an answer is decided by dent's exact predicates,
 * so that only the search differs. Sorting a peer's pairs is not timed. About strands peers are asked where all bodies
 * are strands.
 */
#ifndef DENT_BENCH_PEERS_H
#define DENT_BENCH_PEERS_H

#include <dent/query.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct peer_input {
    dent_context *context; /* its parallel loop has the threads of the race */
    uint32_t threads;
    dent_question question;
    uint32_t vertex_count, cell_count, face_count, used_count;
    const double *positions; /* 3 per vertex; change from turn to turn */
    const uint32_t (*cells)[4];
    const uint32_t (*faces)[3];
    const uint32_t *used_vertices;
    uint32_t segment_count; /* of strands, in the order of their strands; two are of one strand iff their numbers differ by
                               as much as those of their first vertices */
    const uint32_t (*segments)[2];
    const double *radii; /* one per segment */
    double mean_edge; /* of the segments, cells or faces (those that are there, in this order) in frame 0 */
} peer_input;

typedef struct peer_output {
    const uint64_t *keys; /* number of a << 32 | number of b, any order, none twice; valid until the next turn */
    uint64_t count;
    uint64_t candidates; /* pairs handed to the exact test */
} peer_output;

typedef struct peer_row {
    const char *name;
    const char *summary;
    uint32_t questions;
    const char *setting_name; /* what is tried at several values: "cell size / mean edge" */
    uint32_t setting_count;
    const double *settings;
    bool parallel; /* can use more than one thread */
    /** Null: it cannot (memory, sizes). */
    void *(*create)(const peer_input *input, double setting);
    /** One turn, the timed part. False: it failed. */
    bool (*find)(void *state, peer_output *output);
    void (*destroy)(void *state);
} peer_row;

/** The rows that were built; null after the last. */
const peer_row *bench_peer_at(uint32_t index);

#ifdef __cplusplus
}
#endif

#endif
