/* The inside of the contour walk: what its stages share. The idea is told in contour_walk.c. */
#ifndef DENT_METHODS_CONTOUR_WALK_H
#define DENT_METHODS_CONTOUR_WALK_H

#include "base/block_output.h"
#include "base/containers/dynamic_array.h"
#include "geometry/predicates/face_cell_overlap.h"
#include "geometry/metric/float_boxes.h"
#include "methods/interface/method_interface.h"
#include "structures/walk/cell_walk.h"
#include "structures/surface/surface_forest.h"

#define NO_RECORD UINT32_MAX

/* "Look whether this face of body a meets this cell of body b, and go on from there." Bodies by body index; cell: a
 * tetrahedron. */
struct walk_seed {
    uint32_t body_a, face, body_b, cell;
};

/* A face that meets the interior of a cell: an answer of face-cell, unless corners are shared or the points had to be
 * moved for it. */
struct contour_pair {
    uint32_t body_a, face, body_b, cell;
    uint8_t face_corners; /* of the face that lie in the cell */
    uint8_t cell_edges;   /* of the cell that pierce the face and are to be followed from this cell */
    uint8_t degenerate;
    uint8_t above; /* corners of the cell above the plane of the face, in the order of its corners */
};

/* Pairs of one face found in one round; `before`: the run of an earlier round, or NO_RECORD. */
struct walk_run {
    uint32_t first, count, before;
};

/* A vertex of body a in a cell of body b. `before`: another place of the same vertex, or NO_RECORD. */
struct walk_slot {
    uint32_t body_a, vertex, body_b, cell;
    uint32_t before;
    bool degenerate;
};

/* The cells one face was compared with: an open table of world numbers, cleared by counting up the epoch. */
struct cell_slot {
    uint32_t cell, epoch;
};
struct cell_set {
    struct dynamic_array slots; /* cell_slot; a power of two */
    uint32_t epoch, count;
};

struct contour_worker {
    struct cell_set seen;
    struct dynamic_array queue; /* walk_seed: body b and cell of the face being flooded */
    bool out_of_memory, lost;
};

enum {
    SEED_CROSSINGS = 1,
    SEED_STARS = 2,
    SEED_FANS = 4,
    SEED_PINCHES = 8,
    SEED_CONTAINED = 16,
    SEED_DEFECTS = 32,
    SEED_EDGES = 64,
    SEED_BRANCHES = 128
};

/* Kept from query to query: the bodies made ready for walking, and memory. */
struct contour_state {
    dent_context *context;
    bool valid;
    uint64_t topology_version;
    uint32_t body_count;
    struct walk_mesh **meshes; /* by body index */
    uint64_t *identity_bases;  /* by body index: of the body each mesh was made for */
    uint64_t built;            /* meshes made by the last update */
    struct dynamic_array pairs, runs, seeds, seed_next, active, slots;
    struct dynamic_array guesses;   /* walk_place: those of the last query on the same bodies */
    uint32_t leave_out;             /* tests only: SEED_ bits of seeds not to use */
    struct dynamic_array crossings; /* dent_pair: faces of one body that cross each other, as far as their points had
                                       not to be moved for it or had */
    struct dynamic_array removed_cells; /* walk_seed.body_b and cell: cells turned inside out */
    struct dynamic_array hidden_walls;  /* hidden_wall */
    struct dynamic_array candidates[2]; /* candidate: vertices and faces against removed cells, for the exact tests */
    struct block_output pair_output, seed_output, place_output, candidate_output, crossing_output;
    struct contour_worker *workers;
    uint32_t worker_count;
};

/* A wall that is no surface face: of a cell whose neighbour is turned inside out, or a cut of the mesh. */
struct hidden_wall {
    uint32_t body, cell, corner;
};

dent_status contour_state_create(dent_context *context, void **state);
void contour_state_destroy(dent_context *context, void *state);
/* Makes the meshes fit the bodies of the snapshot; false when memory runs out. */
bool contour_state_update(struct contour_state *state, const struct snapshot *snapshot);

/* One query. */
struct contour_search {
    const struct search_request *request;
    struct candidate_sink *sink;
    struct contour_state *state;
    dent_contour_walk_def def;
    const struct body *broken_promise; /* a body with a cell that is not positive, contrary to what was promised */
    uint32_t broken_cell;
    uint32_t body_count;
    struct walk_body *bodies; /* by body index */
    uint32_t vertex_count, cell_count, face_count;
    uint32_t *last_run;         /* by face of the world */
    uint32_t *first_seed;       /* by face of the world: of the coming round */
    uint32_t *last_slot;        /* by vertex of the world */
    double far_x;               /* beyond every vertex */
    struct box_scaling scaling; /* brings coordinates below 1 */
    uint32_t
        *found_in; /* by vertex of the world: body index + 1 of the body it was last found in, where one cell is all
                           there can be; a hint */
    uint8_t *defective; /* by vertex of the world: at a removed cell or a hidden wall; null: none is */
    bool lost;          /* a walk did not end, or the world is too tangled: another method answers */
};

static inline void walk_face_points(const struct walk_body *body, uint32_t face, struct numbered_point points[3])
{
    for (int k = 0; k < 3; k++) {
        points[k] = walk_point(body, body->body->surface_faces[face].corners[k]);
    }
}

static inline bool walk_add_seed(struct contour_search *search, uint32_t body_a, uint32_t face, uint32_t body_b,
                                 uint32_t cell)
{
    struct walk_seed seed = {body_a, face, body_b, cell};
    return array_push(&search->state->seeds, &seed);
}

/* Can a vertex of body a lie in no more than one cell of body b? */
static inline bool one_cell_at_most(const struct contour_search *search, uint32_t body_a, uint32_t body_b)
{
    return search->bodies[body_b].cover <= (body_a == body_b ? 2 : 1);
}

/* Does edge s t pierce the face? */
bool contour_edge_pierces(struct numbered_point s, struct numbered_point t, const struct numbered_point face[3],
                          predicate_counters *counters);

/* The edges of a cell that are followed from it: each edge of the mesh from one of its cells at least. Where cells were
 * removed the owner may be gone. */
static inline uint8_t contour_edges_to_follow(const struct contour_search *search, const struct walk_body *body,
                                              const struct walk_cell *cell)
{
    for (int corner = 0; corner < 4 && search->defective; corner++) {
        if (search->defective[body->first_vertex + cell->vertices[corner]]) {
            return 63;
        }
    }
    return cell->owned_edges;
}

/* Edges of a cell of body b that pierce a wall of a solid. */
struct pierced_wall {
    uint32_t solid, wall_cell, wall_corner;
    uint32_t body_b, cell;
    uint8_t edges; /* bits */
    uint8_t inner; /* corners of the cell on the inner side of the wall */
    bool degenerate;
};

/* Follows them inward, and puts what they reach into place_output. */
void contour_follow_edges(struct contour_search *search, const struct pierced_wall *pierced, uint32_t block,
                          struct contour_worker *worker, predicate_counters *counters);
void contour_put_slot(struct contour_search *search, uint32_t block, uint32_t body_a, uint32_t vertex, uint32_t body_b,
                      uint32_t cell, bool degenerate);

/* Is the point in the cell? It is not one of its corners. */
bool contour_cell_holds(const struct walk_body *body, uint32_t cell, struct numbered_point p, bool *degenerate,
                        predicate_counters *counters);

/* The stages, in this order; false when memory runs out. Up to the flood they collect seeds. */
bool contour_orient(struct contour_search *search);
bool contour_list_defects(struct contour_search *search);  /* the last part of it */
bool contour_seed_defects(struct contour_search *search);  /* faces near odd cells; candidates against removed cells */
bool contour_place_defects(struct contour_search *search); /* the same for vertices, into place_output */
bool contour_seed_crossings(struct contour_search *search);
bool contour_seed_diagonal(struct contour_search *search);
bool contour_seed_contained(struct contour_search *search);
bool contour_flood_faces(struct contour_search *search);
void contour_bound_cover(struct contour_search *search);
bool contour_find_branches(struct contour_search *search,
                           bool *found); /* *found: there is an inner edge that its cells turn about twice */
bool contour_flood_vertices(struct contour_search *search);

#endif
