/* The inside of the border information (include/dent/border.h): what a world keeps for it, and its stages.
 *
 *   connectivity (once per topology) -> pairs of faces that cross, for the moved points -> curves -> cut edges ->
 * border vertices
 *
 * A pair is a segment of a curve; its two ends are incidences (edge, face). At an incidence as many pairs meet as the
 * edge has surface faces: each face at the edge crosses the pierced face from there on. Two, on a closed manifold: so
 * curves close.
 */
#ifndef DENT_QUERY_BORDER_SEARCH_H
#define DENT_QUERY_BORDER_SEARCH_H

#include <dent/query.h>

#include "base/arena.h"
#include "base/block_output.h"
#include "base/cancel_flag.h"
#include "base/radix_sort.h"
#include "bodies/edge_search.h"
#include "bodies/snapshot.h"
#include "geometry/predicates/perturbed_orientation.h"
#include "structures/boxes/body_records.h"
#include "structures/surface/surface_forest.h"

/* What the stages need of a body's connectivity. */
struct border_mesh {
    uint32_t *words; /* the block that all of the following lie in */
    size_t word_count;
    uint32_t *face_edges; /* by face * 3 + k: number of the edge from corner k to corner k + 1 */
    uint32_t *edge_first; /* by vertex, vertex_count + 1: its edges (v0) in body->edges */
    uint32_t *star_first; /* by vertex, vertex_count + 1: its surface faces in star_faces */
    uint32_t *star_faces;
    uint32_t *closed_stars; /* bits by vertex: at every edge of the star one face begins for every one that ends */
};

/* The ends of a pair: where it begins and stops, going along normal_a x normal_b. */
enum {
    END_EDGE_OF_A = 0, /* + k: edge k of face a pierces face b */
    END_EDGE_OF_B = 3, /* + k: edge k of face b pierces face a */
    END_VERTEX = 6     /* + k: corner k of face a, which is a corner of face b too */
};

struct border_pair {
    uint32_t body_a, face_a, body_b, face_b; /* (body_a, face_a) < (body_b, face_b) */
    uint8_t ends[2];
    bool degenerate_ends[2];
    bool degenerate;
};

/* An edge pierced by a face. */
struct border_cut {
    uint32_t edge_body, edge, face_body, face;
    bool degenerate;
};

struct border_state {
    dent_context *context;
    struct body_records mesh_records; /* struct border_mesh */
    struct border_mesh *meshes;       /* these, by body index */
    struct block_output pair_blocks, cut_blocks;
    struct dynamic_array pairs; /* struct border_pair, sorted by (body a, body b, face a, face b) */
    struct dynamic_array cuts;  /* struct border_cut, sorted, unique */
    struct dynamic_array curves, points, segments, cut_edges, vertices, vertex_edges; /* the public records */
};

/* A cache line apart. */
struct border_worker {
    _Alignas(64) predicate_counters predicates;
};

struct border_search {
    struct border_state *state;
    const dent_border_def *def;
    const struct snapshot *snapshot;
    struct surface_forest *forest; /* of the world; afterwards its boxes are those of t0 */
    dent_isa isa;
    struct cancel_flag *cancel;
    struct arena *scratch;
    struct border_worker *workers;
    const uint32_t *first_number; /* by body index: number of its first vertex among the moved points */
    /* Answers to face-cell and vertex-cell; null with curves_only. Touching pairs among them are passed over. */
    const struct dynamic_array *face_cell, *vertex_cell;
    /* Of the chaining, in scratch memory: */
    uint32_t *links;           /* by pair * 2 + end: the pair * 2 + end it goes on at; UINT32_MAX: none */
    struct key128 *incidences; /* sorted; */
    uint32_t *incidence_ends;  /* and whose they are: pair * 2 + end */
    uint32_t incidence_count;
    bool *reported; /* by pair */
    bool too_many;  /* cut edges: more than can be sorted */
};

struct border_state *border_state_of(dent_world *world); /* null: out of memory */

/* All of it. On failure the message is set. When cancelled: DENT_OK, and *border says nothing. */
dent_status border_run(struct border_search *search, struct message *message, dent_border *border);

/* The stages. False: out of memory. */
bool border_update_meshes(struct border_search *search);
bool border_find_pairs(struct border_search *search);
bool border_chain_curves(struct border_search *search);
bool border_find_cuts(struct border_search *search);
bool border_list_vertices(struct border_search *search);

/* ---- small tools ------------------------------------------------------------------------------------------------- */

static inline struct numbered_point border_point(const struct border_search *search, uint32_t body_index,
                                                 uint32_t vertex)
{
    return (struct numbered_point){search->snapshot->bodies[body_index].xyz[vertex],
                                   search->first_number[body_index] + vertex};
}

static inline void border_face_points(const struct border_search *search, uint32_t body_index, uint32_t face,
                                      struct numbered_point points[3])
{
    const uint32_t *corners = search->snapshot->bodies[body_index].body->surface_faces[face].corners;
    for (int k = 0; k < 3; k++) {
        points[k] = border_point(search, body_index, corners[k]);
    }
}

static inline void border_face_positions(const struct snapshot *snapshot, uint32_t body_index, uint32_t face,
                                         const double *points[3])
{
    const struct body_snapshot *body_snapshot = &snapshot->bodies[body_index];
    for (int k = 0; k < 3; k++) {
        points[k] = body_snapshot->xyz[body_snapshot->body->surface_faces[face].corners[k]];
    }
}

/* The incidence at an end of a pair. False for an end at a vertex. */
bool border_incidence(const struct border_search *search, const struct border_pair *pair, int end,
                      struct border_cut *cut);

#endif
