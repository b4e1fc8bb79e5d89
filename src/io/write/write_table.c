/* dent_mesh_write(): checks the view once, then picks the writer by the file's ending. To add a format, add a row. */
#include "mesh_writers.h"
#include "output_file.h"

#include <math.h>
#include <string.h>

struct writer_row {
    const char *ending;
    bool solids;
    bool strands;
    bool points;
    bool fields;
    dent_status (*write)(dent_context *context, const char *path, const dent_mesh_view *view);
};

static const struct writer_row writers[] = {
    {".mesh", true, false, false, false, write_medit},
    {".obj", false, true, false, false, write_obj},
    {".vtu", true, false, false, true, write_vtu},
    {".vtp", false, true, true, true, write_vtp},
    {".xyz", false, false, true, false, write_xyz},
};

static char lower_case(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool ends_with(const char *path, const char *ending)
{
    size_t path_length = strlen(path);
    size_t length = strlen(ending);
    if (path_length < length) {
        return false;
    }
    for (size_t i = 0; i < length; i++) {
        if (lower_case(path[path_length - length + i]) != ending[i]) {
            return false;
        }
    }
    return true;
}

static const struct writer_row *writer_for(const char *path)
{
    for (size_t i = 0; i < sizeof writers / sizeof writers[0]; i++) {
        if (ends_with(path, writers[i].ending)) {
            return &writers[i];
        }
    }
    return NULL;
}

dent_status check_written_positions(dent_context *context, const char *path, uint32_t count, const double *positions)
{
    if (count > 0 && !positions) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "%s: no positions were given", path);
    }
    for (size_t i = 0; i < 3 * (size_t)count; i++) {
        if (!isfinite(positions[i])) {
            return dent_fail(context, DENT_ERROR_BAD_NUMBER,
                             "%s: not written: coordinate %c of vertex %zu is not finite", path, "xyz"[i % 3], i / 3);
        }
    }
    return DENT_OK;
}

dent_status check_fields(dent_context *context, const char *path, uint32_t vertex_count, uint32_t element_count,
                         uint32_t field_count, const dent_mesh_field *fields)
{
    if (field_count > 0 && !fields) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "%s: no fields were given", path);
    }
    for (uint32_t i = 0; i < field_count; i++) {
        const dent_mesh_field *field = &fields[i];
        if (!field->name || !field->name[0] || !output_xml_can_carry(field->name)) {
            return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "%s: the name of field %u %s", path, i,
                             field->name && field->name[0] ? "cannot be written in XML" : "is missing");
        }
        if (field->components != 1 && field->components != 3 && field->components != 6) {
            return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "%s: field '%s' has %u components, not 1, 3 or 6",
                             path, field->name, field->components);
        }
        if (!field->values && (field->on_elements ? element_count : vertex_count) > 0) {
            return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "%s: field '%s' has no values", path, field->name);
        }
    }
    return DENT_OK;
}

static dent_status check_strands(dent_context *context, const char *path, const dent_mesh_view *view)
{
    if (view->strand_count == 0 || !view->first) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "%s: no strands were given", path);
    }
    for (uint32_t s = 0; s < view->strand_count; s++) {
        if (view->first[s + 1] < view->first[s] || view->first[s + 1] - view->first[s] < 2) {
            return dent_fail(context, DENT_ERROR_BAD_MESH, "%s: not written: strand %u has fewer than two vertices",
                             path, s);
        }
    }
    if (view->first[0] != 0 || view->first[view->strand_count] != view->vertex_count) {
        return dent_fail(context, DENT_ERROR_BAD_MESH, "%s: not written: the strands use the vertices %u to %u of %u",
                         path, view->first[0], view->first[view->strand_count], view->vertex_count);
    }
    return DENT_OK;
}

static dent_status check_elements(dent_context *context, const char *path, const dent_mesh_view *view)
{
    if (view->kind == DENT_BODY_STRANDS) {
        return check_strands(context, path, view);
    }
    if (view->element_count > 0 && !view->element_corners) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "%s: no element corners were given", path);
    }
    if (!dent_body_kind_has_cells(view->kind) && view->cell_kinds) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "%s: a surface has no cell kinds", path);
    }
    const uint32_t *corners = view->element_corners;
    for (uint32_t e = 0; e < view->element_count; e++) {
        if (view->cell_kinds && view->cell_kinds[e] >= DENT_CELL_KIND_COUNT) {
            return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "%s: not written: cell %u has the unknown kind %u",
                             path, e, view->cell_kinds[e]);
        }
        uint32_t corner_count = view_corner_count(view, e);
        for (uint32_t c = 0; c < corner_count; c++) {
            if (corners[c] >= view->vertex_count) {
                return dent_fail(context, DENT_ERROR_BAD_MESH, "%s: not written: element %u names vertex %u of %u",
                                 path, e, corners[c], view->vertex_count);
            }
        }
        corners += corner_count;
    }
    return DENT_OK;
}

dent_status dent_mesh_write(dent_context *context, const char *path, const dent_mesh_view *view)
{
    DENT_REQUIRE(context, context);
    DENT_REQUIRE(context, path);
    DENT_REQUIRE(context, view);
    const struct writer_row *row = writer_for(path);
    if (!row) {
        return dent_fail(context, DENT_ERROR_UNSUPPORTED,
                         "%s: not written: the name must end in .mesh, .obj, .vtu, .vtp or .xyz", path);
    }
    if (!dent_body_kind_get_info(view->kind)) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "%s: unknown kind of body %d", path, (int)view->kind);
    }
    if (dent_body_kind_has_cells(view->kind) && !row->solids) {
        return dent_fail(context, DENT_ERROR_UNSUPPORTED,
                         "%s: not written: %s files hold surfaces, this body is a solid "
                         "(.mesh and .vtu hold both)",
                         path, row->ending);
    }
    bool points = view->kind == DENT_BODY_POINTS;
    if (points ? !row->points : row->write == write_xyz) {
        return dent_fail(context, DENT_ERROR_UNSUPPORTED, "%s: not written: %s files hold %s points%s", path, row->ending,
                         points ? "no" : "only", points ? " (.vtp and .xyz do)" : "");
    }
    if (view->kind == DENT_BODY_STRANDS && !row->strands) {
        return dent_fail(context, DENT_ERROR_UNSUPPORTED,
                         "%s: not written: %s files hold no strands (.vtp and .obj do)", path, row->ending);
    }
    dent_status status = check_written_positions(context, path, view->vertex_count, view->positions);
    if (status == DENT_OK) {
        status = check_elements(context, path, view);
    }
    if (status == DENT_OK) {
        status =
            check_fields(context, path, view->vertex_count, view_element_count(view), view->field_count, view->fields);
    }
    if (status != DENT_OK) {
        return status;
    }
    if (view->field_count > 0 && !row->fields) {
        dent_log_line(context, DENT_LOG_NOTICE, "%s: %s files have no place for fields; %u left out", path, row->ending,
                      view->field_count);
    }
    return row->write(context, path, view);
}

dent_status dent_lines_write(dent_context *context, const char *path, uint32_t point_count, const double *positions,
                             uint32_t line_count, const uint32_t *ends, uint32_t field_count,
                             const dent_mesh_field *fields)
{
    DENT_REQUIRE(context, context);
    DENT_REQUIRE(context, path);
    DENT_REQUIRE_ARRAY(context, point_count, positions);
    DENT_REQUIRE_ARRAY(context, line_count, ends);
    DENT_REQUIRE_ARRAY(context, field_count, fields);
    bool obj = ends_with(path, ".obj");
    if (!obj && !ends_with(path, ".vtp")) {
        return dent_fail(context, DENT_ERROR_UNSUPPORTED,
                         "%s: not written: the name of a file of lines must end in .vtp or .obj", path);
    }
    dent_status status = check_written_positions(context, path, point_count, positions);
    if (status == DENT_OK) {
        status = check_fields(context, path, point_count, line_count, field_count, fields);
    }
    if (status == DENT_OK && line_count > 0 && !ends) {
        status = dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "%s: no ends of the lines were given", path);
    }
    for (size_t i = 0; status == DENT_OK && i < 2 * (size_t)line_count; i++) {
        if (ends[i] >= point_count) {
            status = dent_fail(context, DENT_ERROR_BAD_MESH, "%s: not written: line %zu names point %u of %u", path,
                               i / 2, ends[i], point_count);
        }
    }
    if (status != DENT_OK) {
        return status;
    }
    const dent_mesh_view view = {
        .kind = DENT_BODY_SURFACE,
        .vertex_count = point_count,
        .positions = positions,
        .element_count = line_count,
        .element_corners = ends,
        .field_count = field_count,
        .fields = fields,
    };
    return obj ? write_obj_lines(context, path, &view) : write_vtp_lines(context, path, &view);
}
