/* The writers behind dent_mesh_write(): one function per format. The view has been checked by write_table.c (finite
 * positions, indices in range, fields whole), so a writer only writes. */
#ifndef DENT_IO_MESH_WRITERS_H
#define DENT_IO_MESH_WRITERS_H

#include <dent/mesh_io.h>

/* Any body; mixed cells are written kind after kind, as MEDIT has a section for each. Fields have no place in it. */
dent_status write_medit(dent_context *context, const char *path, const dent_mesh_view *view);
/* Points, one a line. */
dent_status write_xyz(dent_context *context, const char *path, const dent_mesh_view *view);
/* Surfaces and strands. */
dent_status write_obj(dent_context *context, const char *path, const dent_mesh_view *view);
/* Any body, with fields. */
dent_status write_vtu(dent_context *context, const char *path, const dent_mesh_view *view);
/* Surfaces, strands and points, with fields. */
dent_status write_vtp(dent_context *context, const char *path, const dent_mesh_view *view);

/* Lines: the elements of the view are taken as pairs of vertices. */
dent_status write_vtp_lines(dent_context *context, const char *path, const dent_mesh_view *view);
dent_status write_obj_lines(dent_context *context, const char *path, const dent_mesh_view *view);

/* What is written as an element: a strand is one polyline. */
static inline uint32_t view_element_count(const dent_mesh_view *view)
{
    return view->kind == DENT_BODY_STRANDS ? view->strand_count : view->element_count;
}

/* Corners of element i of a view. */
static inline uint32_t view_corner_count(const dent_mesh_view *view, uint32_t element)
{
    static const uint8_t corners[DENT_CELL_KIND_COUNT] = {4, 8, 6, 5};
    if (view->kind == DENT_BODY_STRANDS) {
        return view->first[element + 1] - view->first[element];
    }
    if (!dent_body_kind_has_cells(view->kind)) {
        return view->kind == DENT_BODY_POINTS ? 1 : 3;
    }
    return view->cell_kinds ? corners[view->cell_kinds[element]] : 4;
}

/* What a field must be to be written; `element_count` is that of the body. Null `fields` with count 0 is fine. */
dent_status check_fields(dent_context *context, const char *path, uint32_t vertex_count, uint32_t element_count,
                         uint32_t field_count, const dent_mesh_field *fields);
dent_status check_written_positions(dent_context *context, const char *path, uint32_t count, const double *positions);

#endif
