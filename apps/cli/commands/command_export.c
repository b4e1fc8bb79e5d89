/* command_export.c — `dent export`: the meshes of a built-in scene as files: .mesh (MEDIT) per solid, .obj per surface.
 */
#include "file_names.h"
#include "interrupt.h"
#include "load_world.h"
#include "tool.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* "FOLDER/name.mesh"; bodies of the same name are told apart by their number. False: too long. */
static bool name_file(const loaded_world *loaded, uint32_t index, const char *folder, char *path, size_t size)
{
    const loaded_body *body = &loaded->bodies[index];
    char plain[256], other[256], number[16] = "";
    plain_file_name(body->name, plain, sizeof plain);
    for (uint32_t i = 0; i < loaded->body_count && number[0] == '\0'; i++) {
        plain_file_name(loaded->bodies[i].name, other, sizeof other);
        if (i != index && strcmp(plain, other) == 0) {
            snprintf(number, sizeof number, "-%u", index);
        }
    }
    const char *slash = ends_with(folder, "/") ? "" : "/";
    int length = snprintf(path, size, "%s%s%s%s%s", folder, slash, plain, number,
                          dent_body_kind_has_cells(body->kind)   ? ".mesh"
                          : body->kind == DENT_BODY_POINTS ? ".xyz"
                                                           : ".obj");
    return length > 0 && (size_t)length < size;
}

static int write_body(tool_session *session, const loaded_world *loaded, uint32_t index, const char *folder)
{
    const loaded_body *body = &loaded->bodies[index];
    char path[FILE_NAME_LIMIT];
    if (!name_file(loaded, index, folder, path, sizeof path)) {
        return complain("export: %s: the name is too long", folder);
    }
    dent_mesh_view view;
    memset(&view, 0, sizeof view);
    view.kind = body->kind;
    view.vertex_count = body->vertex_count;
    view.positions = body->positions;
    view.element_count = body->element_count;
    view.element_corners = body->element_corners;
    view.strand_count = body->strand_count;
    view.first = body->first;
    dent_status status = dent_mesh_write(session->context, path, &view);
    if (status != DENT_OK) {
        return complain("%s", session_message(session, status));
    }
    printer_text(session->out, path);
    printer_format(session->out, ": %u vertices, %u %s\n", body->vertex_count, body->element_count,
                   body->kind == DENT_BODY_STRANDS          ? "segments"
                   : body->kind == DENT_BODY_POINTS       ? "points"
                   : dent_body_kind_has_cells(body->kind) ? "tetrahedra"
                                                          : "triangles");
    return STATUS_GOOD;
}

static int write_scene(tool_session *session, const loaded_world *loaded, const char *folder)
{
    if (!make_folders(folder)) {
        return complain("export: %s: %s", folder, strerror(errno));
    }
    int status = STATUS_GOOD;
    for (uint32_t i = 0; i < loaded->body_count && status == STATUS_GOOD; i++) {
        progress_begin(&session->progress, "writing", 0);
        status = write_body(session, loaded, i, folder);
        progress_end(&session->progress);
        if (interrupt_seen()) {
            status = interrupt_report();
        }
    }
    return status;
}

static int run_export(const tool_options *options, printer *out)
{
    const char *name = options->arguments[0];
    if (dent_scene_find(name) == NULL && dent_sim_scene_find(name) == NULL && !names_a_simulation(options, name)) {
        return complain("export: no scene is called '%s'; dent scenes lists them", name);
    }
    tool_session session;
    int status = refuse_kind_of_scene(options);
    status = status == STATUS_GOOD ? session_open(&session, options, out) : status;
    if (status != STATUS_GOOD) {
        return status;
    }
    loaded_world loaded;
    status = loaded_world_open(&session, &loaded);
    if (status == STATUS_GOOD) {
        status = loaded_world_add_scene(&session, &loaded, name);
        session_print_notices(&session);
        status = status == STATUS_GOOD ? write_scene(&session, &loaded, options->arguments[1]) : status;
        loaded_world_close(&session, &loaded);
    }
    session_close(&session);
    return status;
}

const tool_command command_export_row = {
    .name = "export",
    .summary = "write the meshes of a built-in scene to a folder",
    .arguments = "SCENE DIR [OPTION...]",
    .details = "Writes a .mesh (MEDIT) per solid and an .obj per surface, named after the bodies, into DIR, which is\n"
               "created if missing. Reading them back gives the same positions to the bit. A simulated scene (or a\n"
               "scene file, .json) is first run up to --frame K; frame 0 is its beginning. For a name in both lists\n"
               "of dent scenes (jaw, v-shapes) --simulated selects the second.\n",
    .option_bits = OPTIONS_OF_SCENES | OPTION_BIT(OPTION_THREADS) | OPTION_BIT(OPTION_MEMORY_LIMIT),
    .argument_min = 2,
    .argument_max = 2,
    .run = run_export,
};
