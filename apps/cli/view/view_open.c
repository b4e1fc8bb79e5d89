/* view_open.c — chooses what `dent view` shows by the words of the command line, and hands the tool's bodies to the
 * viewer's model (apps/viewer/model). */
#include "view_tool.h"

#include "interrupt.h"
#include "series.h"
#include "tool.h"

#include <stdio.h>
#include <string.h>

static void report(const view_source *source, const char *words)
{
    (void)source;
    if (!interrupt_seen()) { /* Ctrl-C is trouble enough */
        complain("view: %s", words);
    }
}

void view_source_host(view_source *source, tool_session *session)
{
    source->host = session;
    source->context = session->context;
    source->cancel = interrupt_flag();
    source->report = report;
}

static view_body_def read_loaded(const view_source *source, const void *list, uint32_t index)
{
    const loaded_body *body = (const loaded_body *)list + index;
    const tool_options *options = view_session(source)->options;
    return (view_body_def){.id = body->id,
                           .name = body->name,
                           .kind = body->kind,
                           .vertex_count = body->vertex_count,
                           .element_count = body->element_count,
                           .positions = body->positions,
                           .vertex_numbers = body->vertex_numbers,
                           .element_numbers = body->element_numbers,
                           .radii = body->radii,
                           .normals = body->normals,
                           .radius = options_have(options, OPTION_THICKNESS) ? options->thickness : -1};
}

int view_describe_loaded(view_source *source, const loaded_body *bodies, uint32_t count)
{
    progress_bar *progress = &view_session(source)->progress;
    progress_begin(progress, "finding the surfaces", 0);
    int failed = view_source_describe(source, read_loaded, bodies, count);
    progress_end(progress);
    return failed;
}

void view_follow_loaded(view_source *source, const loaded_body *bodies)
{
    view_source_follow(source, read_loaded, bodies);
}

/* Endings that say how a file is written, not what is in it. */
static size_t length_without_endings(const char *name)
{
    static const char *const endings[] = {".xz", ".gz", ".tar", ".node", ".ele",  ".msh", ".mesh", ".vtk", ".vtu", ".vtp",
                                          ".pvd", ".obj", ".stl", ".ply", ".json", ".urdf", ".1",   ".tgz", ".off", ".inp"};
    size_t length = strlen(name);
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        size_t ending = strlen(endings[i]);
        if (length > ending && strncmp(name + length - ending, endings[i], ending) == 0) {
            length -= ending;
            i = (size_t)-1; /* from the first again: another one may stand before it */
        }
    }
    return length;
}

void view_source_name(view_source *source, const tool_options *options)
{
    const char *path = options->arguments[0], *slash = strrchr(path, '/'), *name = path;
    if (slash != NULL && slash[1] != '\0') {
        name = slash + 1;
    }
    int length = (int)length_without_endings(name);
    source->path = path;
    if (options->argument_count > 1) {
        snprintf(source->title, sizeof source->title, "%.*s and %u more", length < 120 ? length : 120, name,
                 options->argument_count - 1);
    } else {
        snprintf(source->title, sizeof source->title, "%.*s", length, name);
    }
}

int view_source_open(view_source *source, tool_session *session)
{
    memset(source, 0, sizeof *source);
    view_source_host(source, session);
    source->find_contacts = view_source_ask_contacts;
    const tool_options *options = session->options;
    view_source_name(source, options);
    bool live = !view_names_recording(options) && view_names_simulation(options);
    if (options->deadline > 0 && !live) {
        return view_fail(source, "--deadline is for scenes that are simulated");
    }
    bool by_hand = options_have(options, OPTION_HAND);
    if (by_hand && (view_names_recording(options) || options_name_series(options))) {
        return view_fail(source, "--hand is for models and scenes that stand still, not for recordings");
    }
    int failed = by_hand                          ? view_hand_open(source)
                 : view_names_recording(options)  ? view_recording_open(source)
                 : view_names_simulation(options) ? view_simulation_open(source)
                 : options_name_series(options)   ? view_series_open(source)
                                                  : view_model_open(source);
    if (!failed && !source->live && options->frame >= source->frame_count && options->frame > 0) {
        failed = view_fail(source, "%s has %u frames, 0 to %u: there is no frame %u", options->arguments[0],
                           source->frame_count, source->frame_count - 1, options->frame);
    }
    if (failed) {
        view_source_close(source);
    }
    return failed;
}

void view_source_close(view_source *source)
{
    view_source_release(source);
    if (source->close != NULL) {
        source->close(source);
    }
}
