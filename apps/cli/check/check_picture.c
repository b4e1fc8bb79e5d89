/* check_picture.c — writes F.pvd, F_<number>_<body>.vtu or .vtp per body, and F_deepest.vtp.
 *
 * Element field `mark` is 0 for none, 1 for touching, 2 for overlapping; vertex field `inside` is 1 for a vertex in
 * another body's interior, `depth` how deep it is there; `body` is the body's number. The field data hold its `name`. The points carry `depth`, `body_a`, `body_b` and `state`. With
 * F ending in .vtu or .vtp one body is written to that one file. */
#include "check_picture.h"

#include "file_names.h"
#include "placed_file.h"
#include "tool.h"

#include <stdio.h>
#include <string.h>

static bool is_single_file(const char *out)
{
    return ends_with(out, ".vtu") || ends_with(out, ".vtp");
}

int check_picture_possible(tool_session *session, uint32_t body_count)
{
    const char *out = session->options->out;
    char path[FILE_NAME_LIMIT];
    if (strlen(out) >= sizeof path - 300) {
        return complain("--out: the name is too long");
    }
    if (is_single_file(out) && body_count != 1) {
        return complain("--out %s: such a file holds one body and the model has %u; give a name ending in .pvd", out,
                        body_count);
    }
    const char *other = is_single_file(out) ? NULL : ending_of_another_format(out, ".pvd");
    if (other != NULL) {
        return complain("--out %s: this writes .pvd, .vtu and .vtp, not %s; use a name that ends in .pvd", out, other);
    }
    bool whole_name = is_single_file(out) || ends_with(out, ".pvd");
    snprintf(path, sizeof path, "%.*s%s", FILE_NAME_LIMIT - 8, out, whole_name ? "" : ".pvd");
    return check_target(session, "--out", path);
}

/* ---- one body -------------------------------------------------------------------------------------------- */

static void widen(const uint8_t *bytes, uint32_t count, double *values)
{
    for (uint32_t i = 0; i < count; i++) {
        values[i] = bytes != NULL ? bytes[i] : 0;
    }
}

static dent_status write_body_fields(tool_session *session, const loaded_body *body, const char *path,
                                     const dent_mesh_field *fields, uint32_t field_count)
{
    dent_mesh_view view;
    memset(&view, 0, sizeof view);
    view.kind = body->kind;
    view.vertex_count = body->vertex_count;
    view.positions = body->positions;
    view.element_count = body->element_count;
    view.element_corners = body->element_corners;
    view.cell_kinds = body->cell_kinds;
    view.field_count = field_count;
    view.fields = fields;
    view.strand_count = body->strand_count;
    view.first = body->first;
    view.name = body->name;
    return dent_mesh_write(session->context, path, &view);
}

/* An element of a strand is no element of the file: a vertex has the larger mark of the segments at it. */
static dent_status write_strands(tool_session *session, const loaded_body *body, const char *path,
                                 const double *segment_marks, const double *inside, const double *depths)
{
    double *marks = dent_allocate(session->context, body->vertex_count, sizeof *marks);
    if (marks == NULL) {
        return DENT_ERROR_OUT_OF_MEMORY;
    }
    for (uint32_t strand = 0, segment = 0; strand < body->strand_count; strand++) {
        uint32_t first = body->first[strand], end = body->first[strand + 1];
        for (uint32_t v = first; v < end; v++) {
            double before = v > first ? segment_marks[segment - 1] : 0, after = v + 1 < end ? segment_marks[segment] : 0;
            marks[v] = before > after ? before : after;
            segment += v + 1 < end;
        }
    }
    const dent_mesh_field fields[3] = {
        {.name = "mark", .on_elements = false, .components = 1, .values = marks},
        {.name = "inside", .on_elements = false, .components = 1, .values = inside},
        {.name = "depth", .on_elements = false, .components = 1, .values = depths},
    };
    dent_status status = write_body_fields(session, body, path, fields, 3);
    dent_release(session->context, marks, body->vertex_count, sizeof *marks);
    return status;
}

static int write_body(tool_session *session, const loaded_world *loaded, const vertex_depths *depths, uint32_t body_index,
                      const char *path)
{
    const loaded_body *body = &loaded->bodies[body_index];
    size_t count = 2 * (size_t)body->element_count + body->vertex_count;
    double *values = dent_allocate(session->context, count, sizeof *values);
    if (values == NULL) {
        return complain("--out: out of memory");
    }
    double *marks = values, *numbers = marks + body->element_count, *inside = numbers + body->element_count;
    widen(dent_check_element_marks(loaded->world, body->id), body->element_count, marks);
    widen(dent_check_vertex_marks(loaded->world, body->id), body->vertex_count, inside);
    for (uint32_t i = 0; i < body->element_count; i++) {
        numbers[i] = body_index;
    }
    const double *deep = vertex_depths_of(depths, loaded, body_index);
    const dent_mesh_field fields[4] = {
        {.name = "mark", .on_elements = true, .components = 1, .values = marks},
        {.name = "body", .on_elements = true, .components = 1, .values = numbers},
        {.name = "inside", .on_elements = false, .components = 1, .values = inside},
        {.name = "depth", .on_elements = false, .components = 1, .values = deep},
    };
    dent_status status = body->kind == DENT_BODY_STRANDS ? write_strands(session, body, path, marks, inside, deep)
                                                         : write_body_fields(session, body, path, fields, 4);
    dent_release(session->context, values, count, sizeof *values);
    return status == DENT_OK ? STATUS_GOOD : complain("%s", session_message(session, status));
}

/* ---- the deepest points ---------------------------------------------------------------------------------- */

static int write_points(tool_session *session, const dent_check_result *result, const char *path)
{
    uint32_t count = result->pair_count < UINT32_MAX / 8 ? (uint32_t)result->pair_count : UINT32_MAX / 8;
    double *values = dent_allocate(session->context, (size_t)count * 7, sizeof *values);
    if (values == NULL) {
        return complain("--out: out of memory");
    }
    double *depth = values + (size_t)count * 3, *body_a = depth + count, *body_b = body_a + count,
           *state = body_b + count;
    for (uint32_t i = 0; i < count; i++) {
        const dent_body_contact *pair = &result->pairs[i];
        memcpy(values + (size_t)i * 3, pair->deepest, sizeof pair->deepest);
        depth[i] = pair->max_depth;
        body_a[i] = pair->body_a;
        body_b[i] = pair->body_b;
        state[i] = pair->state;
    }
    const dent_mesh_field fields[4] = {
        {.name = "depth", .components = 1, .values = depth},
        {.name = "body_a", .components = 1, .values = body_a},
        {.name = "body_b", .components = 1, .values = body_b},
        {.name = "state", .components = 1, .values = state},
    };
    dent_status status = dent_points_write(session->context, path, count, values, 4, fields);
    dent_release(session->context, values, (size_t)count * 7, sizeof *values);
    return status == DENT_OK ? STATUS_GOOD : complain("%s", session_message(session, status));
}

/* ---- the collection -------------------------------------------------------------------------------------- */

typedef struct picture_names {
    char stem[FILE_NAME_LIMIT]; /* with its folder, without .pvd */
    const char *base;           /* the part of `stem` after the folder */
    uint32_t count;
    char (*files)[FILE_NAME_LIMIT]; /* full names: the bodies, then the points */
    dent_collection_entry *entries; /* the same, relative to the collection */
} picture_names;

static bool make_names(tool_session *session, const loaded_world *loaded, picture_names *names)
{
    const char *out = session->options->out;
    size_t length = strlen(out) - (ends_with(out, ".pvd") ? 4 : 0);
    memcpy(names->stem, out, length);
    names->stem[length] = '\0';
    size_t folder_length =
        strrchr(names->stem, '/') != NULL ? (size_t)(strrchr(names->stem, '/') - names->stem) + 1 : 0;
    names->count = loaded->body_count + 1;
    names->files = dent_allocate(session->context, names->count, sizeof *names->files);
    names->entries = dent_allocate(session->context, names->count, sizeof *names->entries);
    if (names->files == NULL || names->entries == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < names->count; i++) {
        char plain[160];
        if (i < loaded->body_count) {
            const loaded_body *body = &loaded->bodies[i];
            plain_file_name(body->name, plain, sizeof plain);
            snprintf(names->files[i], FILE_NAME_LIMIT, "%.*s_%u_%s%s", (int)length, names->stem, i, plain,
                     dent_body_kind_has_cells(body->kind) ? ".vtu" : ".vtp");
        } else {
            snprintf(names->files[i], FILE_NAME_LIMIT, "%.*s_deepest.vtp", (int)length, names->stem);
        }
        names->entries[i].time = 0;
        names->entries[i].part = i;
        names->entries[i].file = names->files[i] + folder_length;
    }
    return true;
}

static void release_names(tool_session *session, picture_names *names)
{
    dent_release(session->context, names->files, names->count, sizeof *names->files);
    dent_release(session->context, names->entries, names->count, sizeof *names->entries);
}

static int write_collection(tool_session *session, const loaded_world *loaded, const dent_check_result *result,
                            const vertex_depths *depths, picture_names *names, char *path)
{
    int status = STATUS_GOOD;
    for (uint32_t i = 0; i < loaded->body_count && status == STATUS_GOOD; i++) {
        progress_set(&session->progress, i, loaded->body_count);
        status = write_body(session, loaded, depths, i, names->files[i]);
    }
    if (status == STATUS_GOOD) {
        status = write_points(session, result, names->files[loaded->body_count]);
    }
    if (status != STATUS_GOOD) {
        return status;
    }
    snprintf(path, FILE_NAME_LIMIT, "%.*s.pvd", FILE_NAME_LIMIT - 8, names->stem);
    dent_status written = dent_collection_write(session->context, path, names->count, names->entries);
    return written == DENT_OK ? STATUS_GOOD : complain("%s", session_message(session, written));
}

int check_picture_write(tool_session *session, const loaded_world *loaded, const dent_check_result *result,
                        const vertex_depths *depths, char *path)
{
    if (is_single_file(session->options->out)) {
        snprintf(path, FILE_NAME_LIMIT, "%s", session->options->out);
        return write_body(session, loaded, depths, 0, path);
    }
    picture_names names;
    memset(&names, 0, sizeof names);
    progress_begin(&session->progress, "writing", loaded->body_count);
    int status = make_names(session, loaded, &names) ? write_collection(session, loaded, result, depths, &names, path)
                                                     : complain("--out: out of memory");
    release_names(session, &names);
    progress_end(&session->progress);
    return status;
}
