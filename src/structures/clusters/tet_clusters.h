/* A body cut into clusters: at most 32 vertices, 48 cells and 64 surface faces each, neighbours in space. Computed once
 * per body from its connectivity and any one shape of it; stays right however the body deforms.
 *
 * Sixteen clusters (or fewer) next to each other make a piece. Every tetrahedron and every surface face is in one
 * cluster; every used vertex is owned by one of those it appears in. A surface body has clusters without cells.
 */
#ifndef DENT_STRUCTURES_TET_CLUSTERS_H
#define DENT_STRUCTURES_TET_CLUSTERS_H

#include "bodies/body_data.h"
#include "structures/clusters/kernels/cluster_kernels.h"

struct cluster_piece {
    uint32_t first; /* cluster */
    uint32_t count; /* 1 to 16 */
};

struct body_clusters {
    dent_context *context;
    uint32_t cluster_count, piece_count, cell_count, face_count; /* face_count: surface faces */
    struct cluster *clusters;
    struct cluster_corners *corners; /* of the same clusters */
    struct cluster_piece *pieces;
    uint32_t *cells; /* tetrahedron of each cluster's cells, cluster by cluster */
    uint32_t *faces; /* surface face of each cluster's faces */
    size_t cluster_capacity, corner_capacity, piece_capacity;
    uint32_t *users; /* how many bodies share the arrays; null: none but this one */
};

/* The slots of a cluster that hold vertices, as bits. */
static inline uint32_t all_vertices(const struct cluster *cluster)
{
    return UINT32_MAX >> (CLUSTER_VERTICES - cluster->vertex_count);
}

/* `shape`: positions of the vertices, finite. False when memory runs out; nothing is left behind then. */
bool body_clusters_create(struct body_clusters *clusters, dent_context *context, const struct body *body,
                          const double (*shape)[3]);
/* Releases the arrays, or its share of them. */
void body_clusters_destroy(struct body_clusters *clusters);

/* Clusters that are equal to those of another body with the same mesh (of the same context) give up their arrays for
 * that body's. Others, and all when memory is short, stay as they are. */
void body_clusters_share(struct body_clusters *clusters, struct body_clusters *lender);

#endif
