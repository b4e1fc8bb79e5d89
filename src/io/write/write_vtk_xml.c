/* VTK XML files for ParaView: .vtu (unstructured grid, solids and surfaces) and .vtp (surfaces, strands, points,
 * lines).
 *
 * A short XML head names the arrays and where each begins in one block of raw bytes behind it ("appended raw"): every
 * array is its length in bytes as a 64-bit number, then its numbers, all little endian. Doubles are copied bit for bit,
 * indices are 64 bits wide, so nothing is rounded or cut. The layout is that of "VTK File Formats" in the VTK User's
 * Guide; version 1.0 of the format is the one with 64-bit lengths.
 *
 * Both passes, head and bytes, walk the same list of arrays, so that the offsets cannot disagree with what follows. */
#include "mesh_writers.h"
#include "output_file.h"

/* Points: one "vertex" cell each. Lines: two ends each. Strands: polylines. */
enum cell_kind { CELLS_OF_BODY, CELLS_ARE_POINTS, CELLS_ARE_LINES, CELLS_ARE_STRANDS };

enum part { PART_POSITIONS, PART_CONNECTIVITY, PART_OFFSETS, PART_TYPES };

struct vtk_writer {
    struct output_file file;
    const dent_mesh_view *view;
    enum cell_kind cells;
    uint64_t corner_count;
    uint64_t offset; /* in the appended block, while the head is written */
};

/* ---- sizes --------------------------------------------------------------------------------------------- */

static uint64_t part_bytes(const struct vtk_writer *writer, enum part part)
{
    switch (part) {
    case PART_POSITIONS:
        return 24 * (uint64_t)writer->view->vertex_count;
    case PART_CONNECTIVITY:
        return 8 * writer->corner_count;
    case PART_OFFSETS:
        return 8 * (uint64_t)view_element_count(writer->view);
    case PART_TYPES:
        return view_element_count(writer->view);
    }
    return 0;
}

static uint64_t field_tuples(const struct vtk_writer *writer, const dent_mesh_field *field)
{
    return field->on_elements ? view_element_count(writer->view) : writer->view->vertex_count;
}

static uint64_t field_bytes(const struct vtk_writer *writer, const dent_mesh_field *field)
{
    return 8 * (uint64_t)field->components * field_tuples(writer, field);
}

/* ---- head ---------------------------------------------------------------------------------------------- */

static void head_array(struct vtk_writer *writer, const char *type, const char *name, uint32_t components,
                       uint64_t bytes)
{
    struct output_file *file = &writer->file;
    output_text(file, "        <DataArray type=\"");
    output_text(file, type);
    output_text(file, "\" Name=\"");
    output_xml_text(file, name);
    output_text(file, "\" NumberOfComponents=\"");
    output_decimal(file, components);
    output_text(file, "\" format=\"appended\" offset=\"");
    output_decimal(file, writer->offset);
    output_text(file, "\"/>\n");
    writer->offset += 8 + bytes;
}

static void head_fields(struct vtk_writer *writer, bool on_elements)
{
    output_text(&writer->file, on_elements ? "      <CellData>\n" : "      <PointData>\n");
    for (uint32_t i = 0; i < writer->view->field_count; i++) {
        const dent_mesh_field *field = &writer->view->fields[i];
        if (field->on_elements == on_elements) {
            head_array(writer, "Float64", field->name, field->components, field_bytes(writer, field));
        }
    }
    output_text(&writer->file, on_elements ? "      </CellData>\n" : "      </PointData>\n");
}

static void head_cells(struct vtk_writer *writer, const char *open, const char *close, bool with_types)
{
    output_text(&writer->file, open);
    head_array(writer, "Int64", "connectivity", 1, part_bytes(writer, PART_CONNECTIVITY));
    head_array(writer, "Int64", "offsets", 1, part_bytes(writer, PART_OFFSETS));
    if (with_types) {
        head_array(writer, "UInt8", "types", 1, part_bytes(writer, PART_TYPES));
    }
    output_text(&writer->file, close);
}

/* A string is the numbers of its bytes, and a zero. */
static void head_name(struct output_file *file, const char *name)
{
    output_text(file, "    <FieldData>\n"
                      "      <DataArray type=\"String\" Name=\"name\" NumberOfTuples=\"1\" format=\"ascii\">");
    for (const char *at = name; *at != '\0'; at++) {
        output_decimal(file, (unsigned char)*at);
        output_text(file, " ");
    }
    output_text(file, "0</DataArray>\n    </FieldData>\n");
}

static void head_begin(struct vtk_writer *writer, const char *type)
{
    output_text(&writer->file, "<?xml version=\"1.0\"?>\n<VTKFile type=\"");
    output_text(&writer->file, type);
    output_text(&writer->file, "\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n  <");
    output_text(&writer->file, type);
    output_text(&writer->file, ">\n");
    if (writer->view->name) {
        head_name(&writer->file, writer->view->name);
    }
    output_text(&writer->file, "    <Piece NumberOfPoints=\"");
    output_decimal(&writer->file, writer->view->vertex_count);
}

static void head_points(struct vtk_writer *writer)
{
    output_text(&writer->file, "      <Points>\n");
    head_array(writer, "Float64", "Points", 3, part_bytes(writer, PART_POSITIONS));
    output_text(&writer->file, "      </Points>\n");
}

static void head_end(struct vtk_writer *writer, const char *type)
{
    output_text(&writer->file, "    </Piece>\n  </");
    output_text(&writer->file, type);
    output_text(&writer->file, ">\n  <AppendedData encoding=\"raw\">\n_");
}

/* ---- bytes --------------------------------------------------------------------------------------------- */

static void append_doubles(struct vtk_writer *writer, const double *values, uint64_t count)
{
    output_uint64(&writer->file, 8 * count);
    for (uint64_t i = 0; i < count; i++) {
        output_double(&writer->file, values[i]);
    }
}

static void append_fields(struct vtk_writer *writer, bool on_elements)
{
    for (uint32_t i = 0; i < writer->view->field_count; i++) {
        const dent_mesh_field *field = &writer->view->fields[i];
        if (field->on_elements == on_elements) {
            append_doubles(writer, field->values, field->components * field_tuples(writer, field));
        }
    }
}

static uint32_t corners_of(const struct vtk_writer *writer, uint32_t element)
{
    switch (writer->cells) {
    case CELLS_ARE_POINTS:
        return 1;
    case CELLS_ARE_LINES:
        return 2;
    default:
        return view_corner_count(writer->view, element);
    }
}

static void append_cells(struct vtk_writer *writer)
{
    const dent_mesh_view *view = writer->view;
    output_uint64(&writer->file, part_bytes(writer, PART_CONNECTIVITY));
    for (uint64_t i = 0; i < writer->corner_count; i++) {
        /* The vertices of points and strands are in order. */
        bool in_order = writer->cells == CELLS_ARE_POINTS || writer->cells == CELLS_ARE_STRANDS;
        output_uint64(&writer->file, in_order ? i : view->element_corners[i]);
    }
    output_uint64(&writer->file, part_bytes(writer, PART_OFFSETS));
    uint64_t end = 0;
    for (uint32_t e = 0; e < view_element_count(view); e++) {
        end += corners_of(writer, e);
        output_uint64(&writer->file, end);
    }
}

static void append_types(struct vtk_writer *writer)
{
    static const uint8_t vtk_cells[DENT_CELL_KIND_COUNT] = {10, 12, 13, 14};
    enum { VTK_TRIANGLE = 5 };
    const dent_mesh_view *view = writer->view;
    output_uint64(&writer->file, part_bytes(writer, PART_TYPES));
    for (uint32_t e = 0; e < view->element_count; e++) {
        uint8_t type = vtk_cells[view->cell_kinds ? view->cell_kinds[e] : DENT_CELL_TETRAHEDRON];
        if (!dent_body_kind_has_cells(view->kind)) {
            type = VTK_TRIANGLE;
        }
        output_bytes(&writer->file, &type, 1);
    }
}

static dent_status append_end(struct vtk_writer *writer)
{
    output_text(&writer->file, "\n  </AppendedData>\n</VTKFile>\n");
    return output_close(&writer->file);
}

/* ---- the three files ----------------------------------------------------------------------------------- */

static dent_status begin(struct vtk_writer *writer, dent_context *context, const char *path, const dent_mesh_view *view,
                         enum cell_kind cells)
{
    writer->view = view;
    writer->cells = cells;
    writer->offset = 0;
    writer->corner_count = 0;
    for (uint32_t e = 0; e < view_element_count(view); e++) {
        writer->corner_count += corners_of(writer, e);
    }
    return output_open(&writer->file, context, path);
}

dent_status write_vtu(dent_context *context, const char *path, const dent_mesh_view *view)
{
    struct vtk_writer writer;
    dent_status status = begin(&writer, context, path, view, CELLS_OF_BODY);
    if (status != DENT_OK) {
        return status;
    }
    head_begin(&writer, "UnstructuredGrid");
    output_text(&writer.file, "\" NumberOfCells=\"");
    output_decimal(&writer.file, view->element_count);
    output_text(&writer.file, "\">\n");
    head_fields(&writer, false);
    head_fields(&writer, true);
    head_points(&writer);
    head_cells(&writer, "      <Cells>\n", "      </Cells>\n", true);
    head_end(&writer, "UnstructuredGrid");

    append_fields(&writer, false);
    append_fields(&writer, true);
    append_doubles(&writer, view->positions, 3 * (uint64_t)view->vertex_count);
    append_cells(&writer);
    append_types(&writer);
    return append_end(&writer);
}

static dent_status write_polydata(dent_context *context, const char *path, const dent_mesh_view *view,
                                  enum cell_kind cells)
{
    struct vtk_writer writer;
    dent_status status = begin(&writer, context, path, view, cells);
    if (status != DENT_OK) {
        return status;
    }
    head_begin(&writer, "PolyData");
    output_text(&writer.file, "\" NumberOfVerts=\"");
    output_decimal(&writer.file, cells == CELLS_ARE_POINTS ? view->element_count : 0);
    output_text(&writer.file, "\" NumberOfLines=\"");
    bool lines = cells == CELLS_ARE_LINES || cells == CELLS_ARE_STRANDS;
    output_decimal(&writer.file, lines ? view_element_count(view) : 0);
    output_text(&writer.file, "\" NumberOfStrips=\"0\" NumberOfPolys=\"");
    output_decimal(&writer.file, cells == CELLS_OF_BODY ? view->element_count : 0);
    output_text(&writer.file, "\">\n");
    head_fields(&writer, false);
    head_fields(&writer, true);
    head_points(&writer);
    if (cells == CELLS_ARE_POINTS) {
        head_cells(&writer, "      <Verts>\n", "      </Verts>\n", false);
    } else if (lines) {
        head_cells(&writer, "      <Lines>\n", "      </Lines>\n", false);
    } else {
        head_cells(&writer, "      <Polys>\n", "      </Polys>\n", false);
    }
    head_end(&writer, "PolyData");

    append_fields(&writer, false);
    append_fields(&writer, true);
    append_doubles(&writer, view->positions, 3 * (uint64_t)view->vertex_count);
    append_cells(&writer);
    return append_end(&writer);
}

dent_status write_vtp(dent_context *context, const char *path, const dent_mesh_view *view)
{
    return write_polydata(context, path, view, view->kind == DENT_BODY_STRANDS  ? CELLS_ARE_STRANDS
                                                 : view->kind == DENT_BODY_POINTS ? CELLS_ARE_POINTS
                                                                                  : CELLS_OF_BODY);
}

dent_status write_vtp_lines(dent_context *context, const char *path, const dent_mesh_view *view)
{
    return write_polydata(context, path, view, CELLS_ARE_LINES);
}

dent_status dent_points_write(dent_context *context, const char *path, uint32_t point_count, const double *positions,
                              uint32_t field_count, const dent_mesh_field *fields)
{
    DENT_REQUIRE(context, context);
    DENT_REQUIRE(context, path);
    DENT_REQUIRE_ARRAY(context, point_count, positions);
    DENT_REQUIRE_ARRAY(context, field_count, fields);
    dent_status status = check_written_positions(context, path, point_count, positions);
    if (status == DENT_OK) {
        status = check_fields(context, path, point_count, point_count, field_count, fields);
    }
    if (status != DENT_OK) {
        return status;
    }
    dent_mesh_view view = {
        .kind = DENT_BODY_SURFACE,
        .vertex_count = point_count,
        .positions = positions,
        .element_count = point_count,
        .field_count = field_count,
        .fields = fields,
    };
    return write_polydata(context, path, &view, CELLS_ARE_POINTS);
}
