/* The bucket trees of all bodies of a world in one step: sizes chosen, vertices and surface faces put into buckets,
 * packets into nodes.
 *
 * One tree per body, over the body's own box. All memory from the caller's arena; the same result for any number of
 * threads.
 */
#ifndef DENT_STRUCTURES_BODY_BUCKETS_H
#define DENT_STRUCTURES_BODY_BUCKETS_H

#include "structures/grid/bucket_packets.h"
#include "structures/grid/coordinate_order.h"
#include "structures/grid/packet_tree.h"

struct body_buckets {
    float lo[3], hi[3]; /* of the used vertices */
    bool used;
    double mean_edge;   /* of the boxes of cells (surfaces: faces) */
    double mean_volume; /* of the cells; only for the article's sizing */
    bool uneven;
    struct bucket_lattice lattice;
    struct bucket_set points, faces;
    struct packet_tree cell_tree, face_tree;
};

struct bucket_sizing {
    double cell_ratio;  /* 0: automatic */
    uint32_t level;     /* 0: from cell_ratio */
    double bucket_fill; /* above 0: the article's formula */
    bool sorted;        /* bucket numbers by coordinate_order */
};

struct bucket_building {
    dent_context *context;
    const struct snapshot *snapshot;
    const struct vertex_numbering *numbering;
    const struct float_space *space;
    const struct packet_list *cells, *faces;
    const uint32_t *first_face;     /* by body index, and one more */
    struct coordinate_order *order; /* for `sorted` and for uneven bodies */
    struct bucket_sizing sizing;
    uint8_t vertices_asked; /* bits of vertex_use; 0: none */
    bool faces_asked, cell_packets_asked, face_packets_asked;
    struct arena *scratch;

    /* out */
    struct body_buckets *bodies; /* by body index */
    struct face_record *face_records;
    struct packet_box *cell_boxes, *face_boxes;
    struct grid_columns point_columns, face_columns;
    uint32_t resorted; /* bodies whose coordinates were sorted afresh because coherence was lost */

    /* inside */
    uint32_t *point_keys, *face_keys, *sorted_buckets[3];
};

/* False when memory runs out. */
bool body_buckets_build(struct bucket_building *building);

#endif
