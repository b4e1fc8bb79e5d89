/* All clusters of a world in one snapshot: boxes at five levels (cluster, piece, sixteen pieces, 256, body), and strains.
 *
 * The rounded coordinates themselves are kept in small worlds, where they stay in the cache, and where no certificate
 * is tried, so that all clusters are looked at again. Most clusters of a big world with certificates meet nothing, and
 * computing those that do again costs no more than writing all of them to memory and reading them back; where most of
 * them meet others the method says so (keep_points).
 *
 * Bodies, pieces and clusters are numbered through the world in order of body index. Every level has three boxes: of the
 * cells (what is searched), of the vertices asked about and of the surface faces (what searches). All memory from the
 * caller's arena.
 */
#ifndef DENT_STRUCTURES_CLUSTER_SNAPSHOT_H
#define DENT_STRUCTURES_CLUSTER_SNAPSHOT_H

#include "base/arena.h"
#include "bodies/snapshot.h"
#include "structures/clusters/tet_clusters.h"

enum box_side { SIDE_CELLS = 0, SIDE_VERTICES = 1, SIDE_FACES = 2, SIDE_COUNT = 3 };

/* Where the clusters of a body lie in the numbering of the world. */
struct clustered_body {
    const struct body_clusters *clusters;
    const struct cluster_rest *
        rest_shapes; /* by cluster of the body; null: no strains wanted. Set by the method for each query, as are the next two */
    bool wants_stretches, wants_sums;
    bool has_reference, has_gaps, own_reference; /* copies from the cache */
    const struct cluster *list; /* of `clusters`, as are the next three: one step less to where every query goes */
    const struct cluster_corners *corners;
    const struct cluster_piece *pieces;
    uint32_t cluster_count, piece_count, cell_count;
    uint32_t first_cluster, first_piece;
    uint32_t first_group, group_count;             /* sixteen pieces each */
    uint32_t first_piece_boxes, first_group_boxes; /* bodies of one cluster have none of the first, of one piece none of
                                                      the second, nor ranges */
    uint32_t first_range, range_count;             /* sixteen groups each */
    uint32_t first_gap_pair;                       /* pairs of pieces that have gaps (proofs/gap_certificate.h) */
};

struct cluster_snapshot {
    const struct snapshot *snapshot;
    const struct cluster_kernels *kernels;
    const struct clustered_body *bodies; /* by body index */
    const uint32_t *body_of_piece;       /* body indices */
    uint32_t cluster_count, piece_count;
    uint32_t piece_boxes_count, group_boxes_count, range_count;
    bool one_piece_each; /* every body has just one */
    bool fetch_early;    /* the clusters do not stay in the cache: hints pay off. In small worlds they only cost time */
    bool wants[SIDE_COUNT], wants_strains;
    bool may_want_strains; /* in this query or in a later one like it */
    bool keep_points;      /* most clusters will be read several times; a hint */
    const bool *still;     /* by piece: needs no strain, and gets none; null: none is */
    bool surface_vertices_only;
    bool leave_out_flat; /* clusters of cells without interior get no box: nothing touching is asked for */
    double centre[3], scale;

    struct box_group *piece_boxes[SIDE_COUNT]; /* of the clusters of each piece; not of bodies of one cluster */
    struct box_group *group_boxes[SIDE_COUNT]; /* of the pieces of each group; not of bodies of one piece */
    struct box_group *ranges[SIDE_COUNT];      /* of the groups of each range; not of bodies of one piece */
    struct cluster_box *boxes[SIDE_COUNT];     /* by body */
    struct cluster_points *points;             /* by cluster; null: not kept */
    double (*strain_sums)[9];     /* by piece: of the gradients of its clusters; of bodies that want them */
    struct piece_strain *strains; /* by piece; written for bodies that have `rest_shapes`. Null: none has */
};

/* Takes memory for the sides in `wants` and computes centre and scale; false when there is not enough. */
bool cluster_snapshot_prepare(struct cluster_snapshot *state, const struct snapshot *snapshot, struct arena *scratch);

/* Boxes and strains of the clusters of one piece. Different pieces may be done by different threads. */
void cluster_snapshot_fill_piece(const struct cluster_snapshot *state, uint32_t piece);

/* Boxes of groups and bodies from those of the pieces; after all pieces are done. */
void cluster_snapshot_fill_bodies(const struct cluster_snapshot *state);

/* Rounded coordinates of a cluster of body `body_index`. */
static inline void cluster_snapshot_load(const struct cluster_snapshot *state, uint32_t body_index, uint32_t cluster,
                                         struct cluster_points *points)
{
    state->kernels->load(&state->bodies[body_index].list[cluster], state->snapshot->bodies[body_index].xyz,
                         state->centre, state->scale, points);
}

/* Boxes of the clusters of a piece of the world, whose body has more than one cluster. */
static inline struct box_group *cluster_snapshot_boxes_of_piece(const struct cluster_snapshot *state, int side,
                                                                uint32_t piece)
{
    const struct clustered_body *body = &state->bodies[state->body_of_piece[piece]];
    return &state->piece_boxes[side][body->first_piece_boxes + (piece - body->first_piece)];
}

/* The box of the cells of a piece, and of a cluster of it; pieces and clusters of the body. */
void cluster_snapshot_piece_box(const struct cluster_snapshot *state, uint32_t body_index, uint32_t piece,
                                struct cluster_box *box);
void cluster_snapshot_cluster_box(const struct cluster_snapshot *state, uint32_t body_index, uint32_t piece,
                                  uint32_t slot, struct cluster_box *box);

/* Box `slot` of a group. Number by number into place: a box that is made elsewhere and then copied waits for its own
 * stores, longer than the comparison takes that it is for. */
static inline void get_group_member(const struct box_group *group, uint32_t slot, struct cluster_box *box)
{
    box->lo[0] = group->lo[0][slot];
    box->lo[1] = group->lo[1][slot];
    box->lo[2] = group->lo[2][slot];
    box->hi[0] = group->hi[0][slot];
    box->hi[1] = group->hi[1][slot];
    box->hi[2] = group->hi[2][slot];
}

#endif
