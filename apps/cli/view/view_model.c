/* view_model.c — files and built-in scenes as a source of the viewer: files stand still, scenes move as prescribed. */
#include "interrupt.h"
#include "tool.h"
#include "view_tool.h"

#include <dent/penetration.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct model {
    loaded_world loaded;
} model;

static int go_to(view_source *source, uint32_t frame)
{
    model *own = source->own;
    source->frame = frame < source->frame_count ? frame : source->frame_count - 1;
    for (uint32_t i = 0; i < own->loaded.input_count; i++) {
        if (own->loaded.inputs[i].scene != NULL) {
            loaded_world_pose_scene(&own->loaded, i, source->frame);
        }
    }
    source->facts.time = source->frame * source->frame_seconds;
    return STATUS_GOOD;
}

static int advance(view_source *source)
{
    return go_to(source, source->frame + 1 < source->frame_count ? source->frame + 1 : 0); /* scenes go round */
}

static int restart(view_source *source)
{
    return go_to(source, 0);
}

static void close_model(view_source *source)
{
    model *own = source->own;
    view_robot_close(source);
    loaded_world_close(view_session(source), &own->loaded);
    dent_release(source->context, own, 1, sizeof *own);
    source->own = NULL;
}

/* As many frames as the longest scene has; files alone: one. */
static uint32_t count_frames(const loaded_world *loaded)
{
    uint32_t count = 1;
    for (uint32_t i = 0; i < loaded->input_count; i++) {
        if (loaded->inputs[i].scene != NULL) {
            const dent_scene_info *info = dent_scene_find(loaded->inputs[i].name);
            count = info->frame_count > count ? info->frame_count : count;
        }
    }
    return count;
}

static int keep_pairs(view_source *source, const dent_check_result *result)
{
    uint32_t count = result->pair_count < UINT32_MAX ? (uint32_t)result->pair_count : UINT32_MAX;
    dent_release(source->context, source->checked, source->checked_count, sizeof *source->checked);
    source->checked_count = 0;
    source->checked = dent_allocate(source->context, count, sizeof *source->checked);
    if (source->checked == NULL) {
        return view_fail(source, "out of memory");
    }
    source->checked_count = count;
    source->volumes_known = false;
    for (uint32_t i = 0; i < count; i++) {
        const dent_body_contact *pair = &result->pairs[i];
        view_checked_pair *kept = &source->checked[i];
        *kept = (view_checked_pair){.body_a = pair->body_a,
                                    .body_b = pair->body_b,
                                    .penetrates = pair->state == DENT_BODY_PAIR_PENETRATING,
                                    .elements = pair->overlapping_elements + pair->touching_elements,
                                    .vertices = pair->penetrating_vertices,
                                    .depth = pair->max_depth,
                                    .volume = NAN};
        memcpy(kept->deepest, pair->deepest, sizeof kept->deepest);
    }
    return STATUS_GOOD;
}

/* Volumes take longer than the verdict, so they are looked for when the page has everything else. The same pairs in the same
 * order: nothing has moved. */
static bool find_volumes(view_source *source, const int *cancel)
{
    dent_check_def def = dent_check_def_default();
    def.self = source->body_count == 1;
    def.volumes = true;
    def.cancel = cancel;
    dent_check_result result;
    if (dent_world_check(source->world, &def, &result) != DENT_OK) {
        source->volumes_known = true; /* it would fail again: pairs go without */
        return false;
    }
    if (result.outcome != DENT_OUTCOME_COMPLETE) {
        return false;
    }
    for (uint32_t i = 0; i < source->checked_count && i < result.pair_count; i++) {
        source->checked[i].volume = result.pairs[i].volume;
    }
    source->volumes_known = true;
    return true;
}

/* Files stand still, so one look says whether they penetrate: what `dent check` says, in a line. */
static int check_once(view_source *source)
{
    dent_check_def def = dent_check_def_default();
    def.self = source->body_count == 1; /* alone, it can only penetrate itself */
    def.cancel = interrupt_flag();
    dent_check_result result;
    if (dent_world_check(source->world, &def, &result) != DENT_OK) {
        return view_fail(source, "%s", dent_world_message(source->world));
    }
    int failed = keep_pairs(source, &result);
    if (failed) {
        return failed;
    }
    unsigned long long deep = (unsigned long long)result.penetrating_pairs,
                       touching = (unsigned long long)result.touching_pairs;
    if (result.outcome != DENT_OUTCOME_COMPLETE) {
        return interrupt_report();
    }
    if (deep > 0) {
        snprintf(source->verdict, sizeof source->verdict, "PENETRATING: %llu %s of bodies, deepest %.4g", deep,
                 deep == 1 ? "pair" : "pairs", result.max_depth);
    } else if (touching > 0) {
        snprintf(source->verdict, sizeof source->verdict, "free of penetration; %llu %s of bodies touch", touching,
                 touching == 1 ? "pair" : "pairs");
    } else {
        snprintf(source->verdict, sizeof source->verdict, "free of penetration");
    }
    return STATUS_GOOD;
}

/* A robot in another pose is another model: the verdict is found again, and the pages are told anew. */
static int set_joint(view_source *source, uint32_t joint, double value)
{
    model *own = source->own;
    int failed = view_robot_set(source, &own->loaded, joint, value);
    failed = failed ? failed : check_once(source);
    source->generation += !failed;
    return failed;
}

int view_model_open(view_source *source)
{
    tool_session *session = view_session(source);
    model *own = dent_allocate(session->context, 1, sizeof *own);
    if (own == NULL) {
        return view_fail(source, "out of memory");
    }
    memset(own, 0, sizeof *own);
    int failed = loaded_world_read_arguments(session, &own->loaded);
    if (failed) {
        dent_release(session->context, own, 1, sizeof *own);
        return failed;
    }
    source->own = own;
    source->close = close_model;
    source->y_up = true;
    for (uint32_t i = 0; i < session->options->argument_count; i++) {
        source->y_up = source->y_up && view_file_is_y_up(session->options->arguments[i]);
    }
    source->world = own->loaded.world;
    source->frame_count = count_frames(&own->loaded);
    source->frame_seconds = 1.0 / 30;
    source->go_to = go_to;
    source->advance = advance;
    source->restart = restart;
    failed = view_robot_open(source, &own->loaded);
    source->set_joint = source->joint_count > 0 ? set_joint : NULL;
    failed = failed ? failed : view_describe_loaded(source, own->loaded.bodies, own->loaded.body_count);
    failed = failed ? failed : go_to(source, session->options->frame);
    bool judged = !failed && source->frame_count <= 1 && !view_source_has_strands(source); /* strands have no inside */
    source->find_volumes = judged ? find_volumes : NULL;
    if (judged) {
        progress_begin(&session->progress, "checking", 0);
        failed = check_once(source);
        progress_end(&session->progress);
    }
    return failed;
}
