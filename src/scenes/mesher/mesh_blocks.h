/* Bars, slabs and blocks of unit cubes, rectangular sheets of right triangles, balls. */
#ifndef DENT_SCENES_MESH_BLOCKS_H
#define DENT_SCENES_MESH_BLOCKS_H

#include "scenes/scene_mesh.h"

/* counts[0] x counts[1] x counts[2] cubes of edge 1, centred at the origin; five tetrahedra a cube, all positive. The
 * parity of the pattern alternates from cube to cube, so that neighbours share the diagonals of their common face.
 * Vertex (i, j, k) has the number i + (counts[0] + 1) * (j + (counts[1] + 1) * k). The caller has checked that the
 * counts fit. */
dent_status mesh_block_create(dent_context *context, const uint32_t counts[3], struct scene_mesh *mesh);

/* cells x cells squares over [-1/2, 1/2]^2 at z = 0, two triangles a square with alternating diagonals, all facing +z.
 */
dent_status mesh_sheet_create(dent_context *context, uint32_t cells, struct scene_mesh *mesh);

/* A ball about the origin of rings of triangles between two poles, closed, facing outward. */
dent_status mesh_ball_create(dent_context *context, uint32_t rings, double radius, struct scene_mesh *mesh);

/* The counts of a block, as doubles. */
double mesh_block_vertices(const uint32_t counts[3]);
double mesh_block_tetrahedra(const uint32_t counts[3]);

#endif
