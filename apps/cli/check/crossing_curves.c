/* crossing_curves.c — asks for the border of a model and keeps its curves as line segments. See crossing_curves.h. */
#include "crossing_curves.h"

#include "file_names.h"
#include "interrupt.h"
#include "placed_file.h"
#include "tool.h"

#include <string.h>

int crossing_curves_possible(tool_session *session)
{
    const char *path = session->options->curves;
    if (!ends_with(path, ".vtp") && !ends_with(path, ".obj")) {
        return complain("--curves %s: the name must end in .vtp or .obj", path);
    }
    return check_target(session, "--curves", path);
}

/* Which curves are told: those of a body with itself only when asked for. */
static bool is_told(const tool_session *session, const dent_border_curve *curve)
{
    return curve->body_a != curve->body_b || options_have(session->options, OPTION_SELF);
}

static void count(const tool_session *session, const dent_border *border, crossing_curves *curves)
{
    for (uint64_t i = 0; i < border->curve_count; i++) {
        if (is_told(session, &border->curves[i])) {
            curves->curve_count++;
            curves->open_count += !border->curves[i].closed;
            curves->point_count += border->curves[i].point_count;
            curves->segment_count += border->curves[i].segment_count;
        }
    }
}

/* The face of a segment: the body's number, the element's in the file, and which of its faces. */
static void name_face(const loaded_world *loaded, uint32_t body_index, uint32_t face, double *body, double *cell,
                      double *corner)
{
    uint32_t face_count;
    const loaded_body *owner = &loaded->bodies[body_index];
    const dent_surface_face *faces = dent_body_surface_faces(loaded->world, owner->id, &face_count);
    *body = body_index;
    *cell = owner->element_numbers != NULL ? owner->element_numbers[faces[face].cell] : faces[face].cell;
    *corner = faces[face].corner;
}

static void fill(const tool_session *session, const loaded_world *loaded, const dent_border *border,
                 crossing_curves *curves)
{
    uint32_t point = 0, line = 0, number = 0;
    double *fields[CURVE_FIELDS];
    for (int i = 0; i < CURVE_FIELDS; i++) {
        fields[i] = curves->values + (size_t)i * curves->segment_count;
    }
    for (uint64_t i = 0; i < border->curve_count; i++) {
        const dent_border_curve *curve = &border->curves[i];
        if (!is_told(session, curve)) {
            continue;
        }
        for (uint32_t k = 0; k < curve->point_count; k++) {
            memcpy(curves->positions + 3 * (size_t)(point + k), border->points[curve->first_point + k].position,
                   3 * sizeof(double));
        }
        for (uint32_t k = 0; k < curve->segment_count; k++, line++) {
            const dent_border_segment *segment = &border->segments[curve->first_segment + k];
            curves->ends[2 * line] = point + k;
            curves->ends[2 * line + 1] = point + (k + 1) % curve->point_count;
            fields[0][line] = number;
            name_face(loaded, curve->body_a, segment->face_a, &fields[1][line], &fields[2][line], &fields[3][line]);
            name_face(loaded, curve->body_b, segment->face_b, &fields[4][line], &fields[5][line], &fields[6][line]);
            fields[7][line] = segment->degenerate;
        }
        point += curve->point_count;
        number++;
    }
}

int crossing_curves_find(tool_session *session, const loaded_world *loaded, crossing_curves *curves)
{
    dent_border_def border = dent_border_def_default();
    dent_query_def def = dent_query_def_default();
    dent_query_result result;
    border.curves_only = true;
    def.border = &border;
    def.cancel = interrupt_flag();
    memset(curves, 0, sizeof *curves);
    progress_begin(&session->progress, "following curves", 0);
    dent_status status = dent_world_query(loaded->world, &def, &result);
    progress_end(&session->progress);
    if (status != DENT_OK) {
        return complain("check: %s", dent_world_message(loaded->world));
    }
    if (result.outcome != DENT_OUTCOME_COMPLETE) {
        return interrupt_seen() ? interrupt_report()
                                : complain("check: the curves are not complete: %s", dent_outcome_name(result.outcome));
    }
    count(session, &result.border, curves);
    curves->positions = dent_allocate(session->context, curves->point_count, 3 * sizeof *curves->positions);
    curves->ends = dent_allocate(session->context, curves->segment_count, 2 * sizeof *curves->ends);
    curves->values = dent_allocate(session->context, curves->segment_count, CURVE_FIELDS * sizeof *curves->values);
    if (curves->positions == NULL || curves->ends == NULL || curves->values == NULL) {
        return complain("--curves: out of memory");
    }
    fill(session, loaded, &result.border, curves);
    return STATUS_GOOD;
}

int crossing_curves_write(tool_session *session, const crossing_curves *curves, bool quiet)
{
    static const char *const names[CURVE_FIELDS] = {"curve",  "body_a", "cell_a",   "corner_a",
                                                    "body_b", "cell_b", "corner_b", "degenerate"};
    const char *path = session->options->curves;
    dent_mesh_field fields[CURVE_FIELDS];
    for (int i = 0; i < CURVE_FIELDS; i++) {
        fields[i] = (dent_mesh_field){.name = names[i],
                                      .on_elements = true,
                                      .components = 1,
                                      .values = curves->values + (size_t)i * curves->segment_count};
    }
    dent_status status =
        dent_lines_write(session->context, path, curves->point_count, curves->positions, curves->segment_count,
                         curves->ends, ends_with(path, ".obj") ? 0 : CURVE_FIELDS, fields);
    if (status != DENT_OK) {
        return complain("%s", session_message(session, status));
    }
    if (quiet) {
        remark("wrote %s", path);
        return STATUS_GOOD;
    }
    printer_text(session->out, "wrote ");
    printer_name(session->out, path);
    printer_format(session->out, " (%u curves, %u of them open, %u segments)\n", curves->curve_count,
                   curves->open_count, curves->segment_count);
    return STATUS_GOOD;
}

void crossing_curves_release(tool_session *session, crossing_curves *curves)
{
    dent_release(session->context, curves->positions, curves->point_count, 3 * sizeof *curves->positions);
    dent_release(session->context, curves->ends, curves->segment_count, 2 * sizeof *curves->ends);
    dent_release(session->context, curves->values, curves->segment_count, CURVE_FIELDS * sizeof *curves->values);
    memset(curves, 0, sizeof *curves);
}
