/* Cells as the VTK formats, legacy and XML, list them: nodes one cell after the other, where each cell ends, its type.
 */
#ifndef DENT_IO_VTK_CELLS_H
#define DENT_IO_VTK_CELLS_H

#include "io/model/mesh_builder.h"

enum { VTK_POLY_VERTEX = 2, VTK_POLY_LINE = 4, VTK_TRIANGLE_STRIP = 6, VTK_POLYGON = 7 };

struct vtk_cells {
    struct dynamic_array nodes; /* uint32_t, 0-based within the piece */
    struct dynamic_array ends;  /* uint64_t: how many nodes there are up to the end of each cell */
    struct dynamic_array types; /* uint8_t; empty: all of `common_type` */
    uint8_t common_type;
};

void vtk_cells_init(struct vtk_cells *cells, dent_context *context);
void vtk_cells_release(struct vtk_cells *cells);

/* Adds one node; a number that is no 32-bit index is BAD_MESH and names cell and number. */
dent_status vtk_cells_add_node(struct vtk_cells *cells, struct mesh_builder *builder, int64_t node);

/* Hands all cells to the builder, node 0 being vertex `first_vertex` and `vertex_count` their number. `tags` has the
 * group of each cell, or is null. Second-order cells are reduced to their corners; a type that is no element is
 * UNSUPPORTED. */
dent_status vtk_cells_emit(const struct vtk_cells *cells, struct mesh_builder *builder, uint32_t first_vertex,
                           uint32_t vertex_count, const int32_t *tags);

/* An integer array on cells with one of these names is taken for the physical group: group, physical, gmsh:physical. */
bool vtk_name_is_group(const char *name, size_t length);

#endif
