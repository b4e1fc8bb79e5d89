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
static bool name_file(const dent_scene *scene, uint32_t index, const char *folder, char *path, size_t size)
{
    const dent_scene_body *body = dent_scene_body_at(scene, index);
    char plain[256], other[256], number[16] = "";
    plain_file_name(body->name, plain, sizeof plain);
    for (uint32_t i = 0; i < dent_scene_body_count(scene) && number[0] == '\0'; i++) {
        plain_file_name(dent_scene_body_at(scene, i)->name, other, sizeof other);
        if (i != index && strcmp(plain, other) == 0) {
            snprintf(number, sizeof number, "-%u", index);
        }
    }
    const char *slash = ends_with(folder, "/") ? "" : "/";
    int length = snprintf(path, size, "%s%s%s%s%s", folder, slash, plain, number,
                          body->kind == DENT_BODY_SOLID ? ".mesh" : ".obj");
    return length > 0 && (size_t)length < size;
}

static int write_body(tool_session *session, const dent_scene *scene, uint32_t index, const char *folder)
{
    const dent_scene_body *body = dent_scene_body_at(scene, index);
    char path[FILE_NAME_LIMIT];
    if (!name_file(scene, index, folder, path, sizeof path)) {
        return complain("export: %s: the name is too long", folder);
    }
    size_t numbers = (size_t)body->vertex_count * 3;
    double *positions = dent_allocate(session->context, numbers, sizeof *positions);
    if (positions == NULL) {
        return complain("export: out of memory");
    }
    dent_scene_pose(scene, index, session->options->frame, positions);
    dent_mesh_view view;
    memset(&view, 0, sizeof view);
    view.kind = body->kind;
    view.vertex_count = body->vertex_count;
    view.positions = positions;
    view.element_count = body->element_count;
    view.element_corners = body->element_corners;
    dent_status status = dent_mesh_write(session->context, path, &view);
    dent_release(session->context, positions, numbers, sizeof *positions);
    if (status != DENT_OK) {
        return complain("%s", session_message(session, status));
    }
    printer_text(session->out, path);
    printer_format(session->out, ": %u vertices, %u %s\n", body->vertex_count, body->element_count,
                   body->kind == DENT_BODY_SOLID ? "tetrahedra" : "triangles");
    return STATUS_GOOD;
}

static int write_scene(tool_session *session, const dent_scene *scene, const char *folder)
{
    if (!make_folders(folder)) {
        return complain("export: %s: %s", folder, strerror(errno));
    }
    uint32_t count = dent_scene_body_count(scene);
    int status = STATUS_GOOD;
    for (uint32_t i = 0; i < count && status == STATUS_GOOD; i++) {
        progress_begin(&session->progress, "writing", 0);
        status = write_body(session, scene, i, folder);
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
    if (dent_scene_find(name) == NULL) {
        return complain("export: no scene is called '%s'; dent scenes lists them", name);
    }
    tool_session session;
    int status = session_open(&session, options, out);
    if (status != STATUS_GOOD) {
        return status;
    }
    dent_scene *scene = NULL;
    interrupt_at_once(true);
    status = create_scene(&session, name, &scene);
    interrupt_at_once(false);
    if (status == STATUS_GOOD) {
        status = write_scene(&session, scene, options->arguments[1]);
    }
    dent_scene_destroy(scene);
    session_close(&session);
    return status;
}

const tool_command command_export_row = {
    .name = "export",
    .summary = "write the meshes of a built-in scene to a folder",
    .arguments = "SCENE DIR [OPTION...]",
    .details = "Writes a .mesh (MEDIT) per solid and an .obj per surface, named after the bodies, into DIR, which is\n"
               "made if it is not there. Reading them back gives the same positions to the bit.\n",
    .option_bits = OPTIONS_OF_SCENES | OPTION_BIT(OPTION_THREADS),
    .argument_min = 2,
    .argument_max = 2,
    .run = run_export,
};
