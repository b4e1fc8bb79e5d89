/* view_series.c — a series of mesh files (dent/frames.h) as a source of the viewer; files that are no series stay. */
#include "tool.h"
#include "view_tool.h"

#include <string.h>

typedef struct series_input {
    dent_frames *frames; /* null: a file that stays */
} series_input;

typedef struct series {
    loaded_world loaded;
    series_input *inputs;
    uint32_t input_count;
} series;

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static int go_to(view_source *source, uint32_t frame)
{
    series *own = source->own;
    bool fresh = false;
    int failed = STATUS_GOOD;
    source->frame = smaller(frame, source->frame_count - 1);
    for (uint32_t i = 0; i < own->input_count && !failed; i++) {
        if (own->inputs[i].frames != NULL) {
            dent_mesh_change change;
            uint32_t index = smaller(source->frame, dent_frames_count(own->inputs[i].frames) - 1);
            failed = loaded_world_set_frame(view_session(source), &own->loaded, i, own->inputs[i].frames, index, &change);
            fresh = fresh || (!failed && change != DENT_MESH_SAME_TOPOLOGY);
        }
    }
    session_forget_notices(view_session(source));
    source->facts.time = source->frame * source->frame_seconds;
    if (fresh) {
        int worse = view_describe_loaded(source, own->loaded.bodies, own->loaded.body_count);
        return failed ? failed : worse;
    }
    view_follow_loaded(source, own->loaded.bodies); /* after a failure too: inputs before it have moved */
    return failed;
}

static int advance(view_source *source)
{
    return go_to(source, source->frame + 1 < source->frame_count ? source->frame + 1 : 0);
}

static int restart(view_source *source)
{
    return go_to(source, 0);
}

static void close_series(view_source *source)
{
    series *own = source->own;
    dent_context *context = source->context;
    if (own->loaded.world != NULL) {
        loaded_world_close(view_session(source), &own->loaded);
    }
    for (uint32_t i = 0; i < own->input_count; i++) {
        dent_frames_close(own->inputs[i].frames);
    }
    dent_release(context, own->inputs, view_session(source)->options->argument_count, sizeof *own->inputs);
    dent_release(context, own, 1, sizeof *own);
    source->own = NULL;
}

static int add_input(view_source *source, series *own, const char *word)
{
    series_input *input = &own->inputs[own->input_count];
    if (dent_path_is_series(word)) {
        int failed = open_frames(view_session(source), 1, &word, &input->frames);
        if (failed) {
            return failed;
        }
        uint32_t count = dent_frames_count(input->frames);
        source->frame_count = count > source->frame_count ? count : source->frame_count;
    }
    source->y_up = source->y_up && view_file_is_y_up(input->frames != NULL ? dent_frame_name(input->frames, 0) : word);
    own->input_count++;
    int failed = loaded_world_add_frame(view_session(source), &own->loaded, word, input->frames, 0);
    session_print_notices(view_session(source));
    return failed;
}

int view_series_open(view_source *source)
{
    tool_session *session = view_session(source);
    uint32_t count = session->options->argument_count;
    series *own = dent_allocate(session->context, 1, sizeof *own);
    if (own == NULL) {
        return view_fail(source, "out of memory");
    }
    memset(own, 0, sizeof *own);
    source->own = own;
    source->close = close_series;
    own->inputs = dent_allocate(session->context, count, sizeof *own->inputs);
    int failed = own->inputs == NULL ? view_fail(source, "out of memory") : loaded_world_open(session, &own->loaded);
    if (failed) {
        return failed;
    }
    memset(own->inputs, 0, count * sizeof *own->inputs);
    source->frame_count = 1;
    source->y_up = true;
    for (uint32_t i = 0; i < count && !failed; i++) {
        failed = add_input(source, own, session->options->arguments[i]);
    }
    if (failed) {
        return failed;
    }
    source->world = own->loaded.world;
    source->frame_seconds = 1.0 / 30;
    source->go_to = go_to;
    source->advance = advance;
    source->restart = restart;
    failed = view_describe_loaded(source, own->loaded.bodies, own->loaded.body_count);
    return failed || session->options->frame == 0 ? failed : go_to(source, session->options->frame);
}
