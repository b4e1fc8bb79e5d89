/* From VTK's cell types to elements. One table says what each type is and how many nodes it has; nodes beyond the
 * corners (the higher-order ones always follow the corners) are left out with a notice. Pixels and voxels list their
 * corners row by row and are turned into quads and hexahedra. Poly-vertices, polylines and strips are several elements
 * in one cell. */
#include "vtk_cells.h"

#include <string.h>

struct vtk_shape {
    uint8_t type;
    uint8_t kind;  /* enum element_kind */
    uint8_t nodes; /* 0: any number from the corners up */
};

static const struct vtk_shape shapes[] = {
    {1, ELEMENT_POINT, 1},
    {3, ELEMENT_LINE, 2},
    {5, ELEMENT_TRIANGLE, 3},
    {8, ELEMENT_QUAD, 4}, /* pixel */
    {9, ELEMENT_QUAD, 4},
    {10, ELEMENT_TETRAHEDRON, 4},
    {11, ELEMENT_HEXAHEDRON, 8}, /* voxel */
    {12, ELEMENT_HEXAHEDRON, 8},
    {13, ELEMENT_WEDGE, 6},
    {14, ELEMENT_PYRAMID, 5},
    /* second order: full, with centres, and mixed */
    {21, ELEMENT_LINE, 3},
    {22, ELEMENT_TRIANGLE, 6},
    {23, ELEMENT_QUAD, 8},
    {24, ELEMENT_TETRAHEDRON, 10},
    {25, ELEMENT_HEXAHEDRON, 20},
    {26, ELEMENT_WEDGE, 15},
    {27, ELEMENT_PYRAMID, 13},
    {28, ELEMENT_QUAD, 9},
    {29, ELEMENT_HEXAHEDRON, 27},
    {30, ELEMENT_QUAD, 6},
    {31, ELEMENT_WEDGE, 12},
    {32, ELEMENT_WEDGE, 18},
    {33, ELEMENT_HEXAHEDRON, 24},
    {34, ELEMENT_TRIANGLE, 7},
    {35, ELEMENT_LINE, 4},
    {37, ELEMENT_PYRAMID, 19},
    /* any order: Lagrange, then Bezier */
    {68, ELEMENT_LINE, 0},
    {69, ELEMENT_TRIANGLE, 0},
    {70, ELEMENT_QUAD, 0},
    {71, ELEMENT_TETRAHEDRON, 0},
    {72, ELEMENT_HEXAHEDRON, 0},
    {73, ELEMENT_WEDGE, 0},
    {74, ELEMENT_PYRAMID, 0},
    {75, ELEMENT_LINE, 0},
    {76, ELEMENT_TRIANGLE, 0},
    {77, ELEMENT_QUAD, 0},
    {78, ELEMENT_TETRAHEDRON, 0},
    {79, ELEMENT_HEXAHEDRON, 0},
    {80, ELEMENT_WEDGE, 0},
    {81, ELEMENT_PYRAMID, 0},
};

enum { VTK_EMPTY_CELL = 0, VTK_PIXEL = 8, VTK_VOXEL = 11, VTK_QUADRATIC_POLYGON = 36 };

/* One cell on its way to the builder. */
struct cell {
    struct mesh_builder *builder;
    uint64_t number;
    uint8_t type;
    int32_t tag;
    const uint32_t *nodes; /* in the numbering of the piece */
    uint64_t node_count;
    uint32_t first_vertex;
};

void vtk_cells_init(struct vtk_cells *cells, dent_context *context)
{
    array_init(&cells->nodes, context, sizeof(uint32_t));
    array_init(&cells->ends, context, sizeof(uint64_t));
    array_init(&cells->types, context, sizeof(uint8_t));
    cells->common_type = VTK_EMPTY_CELL;
}

void vtk_cells_release(struct vtk_cells *cells)
{
    array_destroy(&cells->nodes);
    array_destroy(&cells->ends);
    array_destroy(&cells->types);
}

dent_status vtk_cells_add_node(struct vtk_cells *cells, struct mesh_builder *builder, int64_t node)
{
    if (node < 0 || node > UINT32_MAX) {
        return dent_fail(builder->context, DENT_ERROR_BAD_MESH,
                         "%s: node %zu of the cells names point %lld, which does not exist", builder->file_name,
                         cells->nodes.count, (long long)node);
    }
    uint32_t stored = (uint32_t)node;
    if (!array_push(&cells->nodes, &stored)) {
        return dent_fail(builder->context, DENT_ERROR_OUT_OF_MEMORY, "%s: out of memory for the cells",
                         builder->file_name);
    }
    return DENT_OK;
}

static dent_status wrong_count(const struct cell *cell)
{
    return dent_fail(cell->builder->context, DENT_ERROR_FORMAT, "%s: cell %llu of VTK type %u cannot have %llu nodes",
                     cell->builder->file_name, (unsigned long long)cell->number, cell->type,
                     (unsigned long long)cell->node_count);
}

static dent_status add_corners(const struct cell *cell, enum element_kind kind, const uint8_t *order)
{
    uint32_t corners[8];
    uint32_t count = element_kind_corners(kind);
    for (uint32_t c = 0; c < count; c++) {
        corners[c] = cell->first_vertex + cell->nodes[order ? order[c] : c];
    }
    return builder_add_element(cell->builder, kind, cell->tag, corners, 0);
}

static dent_status emit_shape(const struct cell *cell, const struct vtk_shape *shape)
{
    static const uint8_t pixel_order[4] = {0, 1, 3, 2};
    static const uint8_t voxel_order[8] = {0, 1, 3, 2, 4, 5, 7, 6};
    uint32_t corner_count = element_kind_corners(shape->kind);
    if (shape->nodes ? cell->node_count != shape->nodes : cell->node_count < corner_count) {
        return wrong_count(cell);
    }
    if (cell->node_count > corner_count) {
        builder_note(cell->builder, 1, NOTICE_SECOND_ORDER);
    }
    return add_corners(cell, shape->kind,
                       cell->type == VTK_PIXEL   ? pixel_order
                       : cell->type == VTK_VOXEL ? voxel_order
                                                 : NULL);
}

/* Every node a point, every two a line, every three a triangle (every second one turned round, as strips are drawn). */
static dent_status emit_run(const struct cell *cell, enum element_kind kind)
{
    static const uint8_t rotated[3] = {1, 0, 2};
    uint32_t corner_count = element_kind_corners(kind);
    if (cell->node_count < corner_count) {
        return wrong_count(cell);
    }
    struct cell part = *cell;
    dent_status status = DENT_OK;
    for (uint64_t i = 0; i + corner_count <= cell->node_count && status == DENT_OK; i++) {
        part.nodes = cell->nodes + i;
        status = add_corners(&part, kind, kind == ELEMENT_TRIANGLE && i % 2 == 1 ? rotated : NULL);
    }
    return status;
}

/* A polygon of a later piece of the file, whose vertices follow those of the pieces before. */
static dent_status add_shifted_polygon(const struct cell *cell, uint32_t corner_count)
{
    uint32_t few[8];
    bool is_small = corner_count <= sizeof few / sizeof few[0];
    uint32_t *corners = is_small ? few : dent_allocate(cell->builder->context, corner_count, sizeof *corners);
    if (!corners) {
        return dent_fail(cell->builder->context, DENT_ERROR_OUT_OF_MEMORY, "%s: out of memory for a polygon",
                         cell->builder->file_name);
    }
    for (uint32_t c = 0; c < corner_count; c++) {
        corners[c] = cell->first_vertex + cell->nodes[c];
    }
    dent_status status = builder_add_polygon(cell->builder, cell->tag, corners, corner_count, 0);
    if (!is_small) {
        dent_release(cell->builder->context, corners, corner_count, sizeof *corners);
    }
    return status;
}

static dent_status emit_polygon(const struct cell *cell)
{
    uint64_t corner_count = cell->node_count;
    if (cell->type == VTK_QUADRATIC_POLYGON) {
        if (corner_count % 2 != 0) {
            return wrong_count(cell);
        }
        corner_count /= 2; /* middle nodes follow the corners */
        builder_note(cell->builder, 1, NOTICE_SECOND_ORDER);
    }
    if (corner_count < 3 || corner_count > UINT32_MAX) {
        return wrong_count(cell);
    }
    if (cell->first_vertex == 0) {
        return builder_add_polygon(cell->builder, cell->tag, cell->nodes, (uint32_t)corner_count, 0);
    }
    return add_shifted_polygon(cell, (uint32_t)corner_count);
}

static dent_status emit_cell(const struct cell *cell)
{
    switch (cell->type) {
    case VTK_EMPTY_CELL:
        builder_note(cell->builder, 1, "empty cells were skipped");
        return DENT_OK;
    case VTK_POLY_VERTEX:
        return emit_run(cell, ELEMENT_POINT);
    case VTK_POLY_LINE:
        return emit_run(cell, ELEMENT_LINE);
    case VTK_TRIANGLE_STRIP:
        return emit_run(cell, ELEMENT_TRIANGLE);
    case VTK_POLYGON:
    case VTK_QUADRATIC_POLYGON:
        return emit_polygon(cell);
    default:
        break;
    }
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        if (shapes[i].type == cell->type) {
            return emit_shape(cell, &shapes[i]);
        }
    }
    return dent_fail(cell->builder->context, DENT_ERROR_UNSUPPORTED,
                     "%s: cell %llu has VTK type %u, which dent cannot use", cell->builder->file_name,
                     (unsigned long long)cell->number, cell->type);
}

/* In the numbering of the file, so that the message can be looked up in it. */
static dent_status check_nodes(const struct cell *cell, uint32_t vertex_count)
{
    for (uint64_t i = 0; i < cell->node_count; i++) {
        if (cell->nodes[i] >= vertex_count) {
            return dent_fail(cell->builder->context, DENT_ERROR_BAD_MESH,
                             "%s: cell %llu names point %u, but there are %u points", cell->builder->file_name,
                             (unsigned long long)cell->number, cell->nodes[i], vertex_count);
        }
    }
    return DENT_OK;
}

dent_status vtk_cells_emit(const struct vtk_cells *cells, struct mesh_builder *builder, uint32_t first_vertex,
                           uint32_t vertex_count, const int32_t *tags)
{
    const uint32_t *nodes = cells->nodes.data;
    const uint64_t *ends = cells->ends.data;
    const uint8_t *types = cells->types.data;
    dent_status status = DENT_OK;
    uint64_t begin = 0;
    for (size_t i = 0; i < cells->ends.count && status == DENT_OK; i++) {
        if (ends[i] < begin || ends[i] > cells->nodes.count) {
            return dent_fail(builder->context, DENT_ERROR_FORMAT, "%s: cell %zu ends at node %llu of %zu",
                             builder->file_name, i, (unsigned long long)ends[i], cells->nodes.count);
        }
        struct cell cell = {
            .builder = builder,
            .number = i,
            .type = cells->types.count > 0 ? types[i] : cells->common_type,
            .tag = tags ? tags[i] : 0,
            .nodes = nodes + begin,
            .node_count = ends[i] - begin,
            .first_vertex = first_vertex,
        };
        begin = ends[i];
        status = check_nodes(&cell, vertex_count);
        status = status == DENT_OK ? emit_cell(&cell) : status;
    }
    return status;
}

bool vtk_name_is_group(const char *name, size_t length)
{
    static const char *const names[] = {"group", "physical", "gmsh:physical", "body"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (length == strlen(names[i]) && memcmp(name, names[i], length) == 0) {
            return true;
        }
    }
    return false;
}
