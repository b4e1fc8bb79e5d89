/* The surfaces of all bodies of a world as trees over small leaves: at most 16 faces and 16 vertices each, neighbours
 * on the mesh.
 *
 * Leaves are cut once from the connectivity (regions merged by shape, as Volino and Magnenat-Thalmann do) and stay
 * right however the body deforms; boxes are refitted for each query. Above the leaves of a body lies an implicit 16-ary
 * tree over their order. Whoever asks about surfaces — crossings, proximities, impacts, the contour walk — visits pairs
 * of leaves whose boxes meet and does his own work there. Faces, vertices and edges of a body belong to leaves such
 * that nothing is met twice: every surface face is in exactly one leaf; every vertex of a surface face is owned by
 * exactly one of the leaves it appears in, every edge of a surface face too.
 */
#ifndef DENT_STRUCTURES_SURFACE_FOREST_H
#define DENT_STRUCTURES_SURFACE_FOREST_H

#include "base/arena.h"
#include "base/cancel_flag.h"
#include "base/loop_costs.h"
#include "base/message.h"
#include "bodies/snapshot.h"
#include "structures/surface/kernels/surface_kernels.h"
#include "structures/boxes/body_pairs.h"

enum { LEAF_EDGES = 48, LEAF_TREE_ARITY = 16 }; /* LEAF_FACES, LEAF_VERTICES: surface_kernels.h */

/* What never changes while the body deforms. */
struct surface_leaf {
    _Alignas(64) uint32_t faces[LEAF_FACES]; /* surface faces of the body */
    uint32_t vertices[LEAF_VERTICES];        /* vertices of the body; unused places repeat the first */
    uint8_t corners[3][LEAF_FACES];          /* of each face: slots in `vertices`, in the face's own order */
    uint8_t face_count, vertex_count;
    uint8_t edge_count;               /* edges owned by this leaf */
    uint8_t edge_ends[2][LEAF_EDGES]; /* slots in `vertices` */
    uint32_t edges[LEAF_EDGES];       /* numbers in body->edges */
    uint16_t owned_vertices;          /* bits */
};

/* Boxes of leaves, structure of arrays: [axis][leaf], padded to a multiple of 16 with empty boxes. */
struct leaf_boxes {
    float *lo[3], *hi[3];
};

struct surface_tree; /* surface_tree.h: the inside, for the crossing search */

struct forest_body {
    const struct surface_leaf *leaves;
    uint32_t leaf_count;
    struct leaf_boxes boxes; /* of the last refit: in rounded coordinates, forest->map */
    struct surface_tree *tree;
};

/* What the last refit made, so that the next one of the same kind in the same snapshot finds it done. */
struct forest_boxes {
    bool valid, ends, grown, no_points;
    bool culled;      /* the culling has run on these boxes */
    uint64_t reading; /* of the snapshot */
};

struct culling_counts {
    uint64_t regions_tested; /* groups and single nodes whose outline was looked at */
    uint64_t nodes_culled;   /* leaves proven free */
    uint64_t pairs_culled;   /* pairs of neighbouring leaves proven free */
    uint64_t pairs;          /* leaves and pairs of neighbouring leaves, all of them */
};

struct surface_forest {
    dent_context *context;
    uint64_t topology_version; /* of the body table the leaves were cut for */
    bool valid;
    uint32_t body_count;
    struct forest_body *bodies; /* by body index */
    uint64_t rebuilds;          /* bodies cut anew by the last update */
    struct forest_map map;      /* of the last refit */
    int cut;                    /* enum region_cut of surface_regions.h; changing it cuts all bodies anew */
    int axis_count;             /* of the volumes: 3 (boxes), 7, 9 or 13; changing it cuts all bodies anew */
    bool keep_leaves;           /* default false: leaves are cut anew when boxes have grown to twice their first size */
    /* For the traversal: sixteen leaves make a group (a node of level 1); groups are numbered through the world in
     * order of body index. */
    uint32_t group_count;
    uint32_t *first_group;                         /* by body index, body_count + 1 */
    uint32_t *body_of_group;                       /* by group */
    struct body_pairs body_pairs;                  /* bodies whose boxes meet; made by the refit */
    struct dynamic_array body_boxes;               /* struct cluster_box by body index, of the last refit */
    struct loop_costs crossing_costs, visit_costs; /* of the searches by blocks of groups */
    struct forest_boxes made;                      /* what the boxes are of now */
    struct culling_counts culled;                  /* of the last culling, for made.culled */
};

void surface_forest_init(struct surface_forest *forest, dent_context *context);
void surface_forest_destroy(struct surface_forest *forest);

/* Cuts the bodies that are new or changed since the last call. False when memory runs out: the forest
 * is then as it was before and may be used again. */
bool surface_forest_update(struct surface_forest *forest, const struct snapshot *snapshot, struct arena *scratch);

/* How the boxes are to be made. */
struct forest_refit {
    const struct snapshot *snapshot; /* positions at t0 */
    const double (
            *const *ends)[3]; /* by body index: positions at t1, for boxes of the straight motion; null: none. Readable
                                     * 8 bytes past the last coordinate, as those of a snapshot are */
    const double *grow;       /* by body index: a length added on every side (rounded up); null: none */
    bool leave_out_points; /* leaves whose vertices all lie at one point get an empty box and are visited by nobody */
};

/* Boxes of all leaves and of the tree above them, in parallel; nothing to do when the last refit made the same ones (not
 * grown) for the same reading of the positions. False when memory runs out. */
bool surface_forest_refit(struct surface_forest *forest, const struct forest_refit *refit, dent_isa isa,
                          struct arena *scratch);

/* A pair of leaves whose boxes meet (closed). Each unordered pair comes once, with (body_a, leaf_a) <= (body_b,
 * leaf_b); a leaf is paired with itself too. may_share: the two leaves are the same or have a vertex in common (the
 * same vertex by identity, ties included): faces, vertices and edges that share a vertex have to be left out there.
 * Filters (bodies_may_meet, self_collision) are already applied. */
struct leaf_pair {
    uint32_t body_index_a, leaf_a, body_index_b, leaf_b;
    bool may_share;
};

struct leaf_pair_visitor {
    void *user;
    bool no_two_strands;   /* pairs of strands with strands are of no interest */
    bool strands_and_rest; /* nor are pairs without strands */
    /* Called once, before the first block. False: no memory, stop. */
    bool (*begin)(void *user, uint32_t block_count);
    /* Some pairs of a block, on worker `worker`; a block is visited by one worker, its pairs in the same order for
     * every thread count. */
    void (*visit)(void *user, uint32_t block, uint32_t worker, const struct leaf_pair *pairs, uint32_t count);
};

/* Visits all pairs after a refit, blocks in parallel, stopping early when cancelled. False when memory runs out. Boxes
 * compared are added to *box_tests. Pairs are handed over in batches from buffers of fixed size: memory does not grow
 * with their number. */
bool surface_forest_visit_pairs(struct surface_forest *forest, const struct snapshot *snapshot, dent_isa isa,
                                struct cancel_flag *cancel, struct arena *scratch,
                                const struct leaf_pair_visitor *visitor, uint64_t *box_tests);

/* Float boxes of the (at most 16) vertices of a leaf as the refit saw them, and of faces and edges as their hulls, are
 * cheap to make again from the positions; helpers for that lie in structures/surface/leaf_features.h. */

#endif
