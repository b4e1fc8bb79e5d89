/* MEDIT .mesh (text, version 2 = doubles): the sections Vertices, then one per kind of element, numbers from 1.
 * The format is described in P. Frey, "MEDIT: an interactive mesh visualization software", INRIA RT-0253, 2001; prisms
 * and pyramids are the sections Prisms and Pyramids that Gmsh and Mmg write. Elements carry reference 1, one body. */
#include "mesh_writers.h"
#include "output_file.h"

static void write_vertices(struct output_file *file, const dent_mesh_view *view)
{
    output_text(file, "\nVertices\n");
    output_decimal(file, view->vertex_count);
    output_text(file, "\n");
    for (size_t v = 0; v < view->vertex_count; v++) {
        for (int axis = 0; axis < 3; axis++) {
            output_number(file, view->positions[3 * v + axis]);
            output_text(file, " ");
        }
        output_text(file, "0\n");
    }
}

static uint8_t kind_of(const dent_mesh_view *view, uint32_t element)
{
    return view->cell_kinds ? view->cell_kinds[element] : DENT_CELL_TETRAHEDRON;
}

/* One section with the elements of one kind; nothing when there is none. */
static void write_section(struct output_file *file, const dent_mesh_view *view, const char *keyword, uint8_t kind)
{
    uint32_t count = 0;
    for (uint32_t e = 0; e < view->element_count; e++) {
        count += kind_of(view, e) == kind;
    }
    if (count == 0) {
        return;
    }
    output_text(file, keyword);
    output_decimal(file, count);
    output_text(file, "\n");
    const uint32_t *corners = view->element_corners;
    for (uint32_t e = 0; e < view->element_count; e++) {
        uint32_t corner_count = view_corner_count(view, e);
        if (kind_of(view, e) == kind) {
            for (uint32_t c = 0; c < corner_count; c++) {
                output_decimal(file, (uint64_t)corners[c] + 1);
                output_text(file, " ");
            }
            output_text(file, "1\n");
        }
        corners += corner_count;
    }
}

dent_status write_medit(dent_context *context, const char *path, const dent_mesh_view *view)
{
    struct output_file file;
    dent_status status = output_open(&file, context, path);
    if (status != DENT_OK) {
        return status;
    }
    output_text(&file, "MeshVersionFormatted 2\nDimension 3\n");
    write_vertices(&file, view);
    if (!dent_body_kind_has_cells(view->kind)) {
        write_section(&file, view, "\nTriangles\n", DENT_CELL_TETRAHEDRON);
    } else {
        write_section(&file, view, "\nTetrahedra\n", DENT_CELL_TETRAHEDRON);
        write_section(&file, view, "\nHexahedra\n", DENT_CELL_HEXAHEDRON);
        write_section(&file, view, "\nPrisms\n", DENT_CELL_WEDGE);
        write_section(&file, view, "\nPyramids\n", DENT_CELL_PYRAMID);
    }
    output_text(&file, "\nEnd\n");
    return output_close(&file);
}
