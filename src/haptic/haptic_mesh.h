/* The surface of a body with what a search for contacts needs: a tree of boxes over its faces in an order of locality,
 * and the neighbours of edges and vertices. Coordinates are those of the body's frame (deforming bodies: of space). */
#ifndef DENT_HAPTIC_MESH_H
#define DENT_HAPTIC_MESH_H

#include <dent/world.h>

enum { HAPTIC_LEAF = 4 }; /* faces of a leaf */
#define HAPTIC_NONE UINT32_MAX

/* Edge k joins corners k and k + 1. Each edge and vertex is owned by one of its faces, so that it is tested once. */
struct haptic_face {
    uint32_t corners[3], edges[3];
    uint8_t owned_corners, owned_edges; /* bits */
};

/* The corners of its first two faces that lie opposite, HAPTIC_NONE if there are fewer. */
struct haptic_edge {
    uint32_t ends[2], opposite[2];
};

struct haptic_box {
    double lo[3], hi[3]; /* empty: lo above hi */
};

struct haptic_mesh {
    dent_context *context;
    uint32_t vertex_count, face_count, edge_count, leaf_count;
    const double *points; /* three per vertex; borrowed */
    struct haptic_face *faces;
    struct haptic_edge *edges;
    uint32_t *first_neighbour; /* vertex_count + 1 */
    uint32_t *neighbours;      /* 2 * edge_count */
    struct haptic_box *boxes;  /* node 1 is the root, children of n are 2n and 2n + 1; 2 * leaf_count in all */
};

/* From a body of a world, with its points. Clean up in any case. */
dent_status haptic_mesh_open(struct haptic_mesh *mesh, dent_context *context, const dent_world *world, dent_body_id id,
                             uint32_t vertex_count, const double *points);
void haptic_mesh_close(struct haptic_mesh *mesh);

/* Computes the boxes again: for points that moved. */
void haptic_mesh_refit(struct haptic_mesh *mesh);

#endif
