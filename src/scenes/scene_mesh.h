/* A mesh without motion: elements and the undeformed positions. */
#ifndef DENT_SCENES_SCENE_MESH_H
#define DENT_SCENES_SCENE_MESH_H

#include <dent/body.h>

struct scene_mesh {
    uint32_t vertex_count;
    uint32_t element_count;
    uint32_t corner_count; /* per element: 4, 3, 2 or 1 */
    uint32_t *corners;
    double *reference; /* 3 per vertex */
    uint32_t strand_count;
    uint32_t *first; /* strands: strand_count + 1; else null */
};

/* Both arrays, not filled. On failure the mesh is empty. */
dent_status scene_mesh_allocate(dent_context *context, struct scene_mesh *mesh, uint32_t vertex_count,
                                uint32_t element_count, uint32_t corner_count);
/* Strands of `nodes` vertices each: elements and `first` are filled. */
dent_status scene_mesh_allocate_strands(dent_context *context, struct scene_mesh *mesh, uint32_t strand_count,
                                        uint32_t nodes);
void scene_mesh_release(dent_context *context, struct scene_mesh *mesh);

/* The kind of body a mesh makes: cells of four corners, faces of three, segments of two or points. */
static inline dent_body_kind scene_mesh_kind(const struct scene_mesh *mesh)
{
    return mesh->corner_count == 4   ? DENT_BODY_SOLID
           : mesh->corner_count == 3 ? DENT_BODY_SURFACE
           : mesh->corner_count == 2 ? DENT_BODY_STRANDS
                                     : DENT_BODY_POINTS;
}

#endif
