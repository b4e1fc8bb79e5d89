/* check_frames.c — a series of frames, checked: rows for people, objects for programs. */
#include "check_frames.h"

#include "json_output.h"
#include "tool.h"

#include <math.h>
#include <stdio.h>

/* Sums over the pairs of a frame. An element that overlaps two bodies counts twice, as in the table of one model. */
typedef struct frame_sums {
    uint64_t overlapping, inside;
} frame_sums;

static frame_sums sum_pairs(const dent_check_result *result)
{
    frame_sums sums = {0, 0};
    for (uint64_t i = 0; i < result->pair_count; i++) {
        sums.overlapping += result->pairs[i].overlapping_elements;
        sums.inside += result->pairs[i].penetrating_vertices;
    }
    return sums;
}

static void print_object(printer *out, const loaded_world *loaded, const dent_check_result *result,
                         const frame_facts *frame)
{
    static const char *const axes[3] = {"x", "y", "z"};
    frame_sums sums = sum_pairs(result);
    const dent_body_contact *deepest = deepest_contact(result);
    json_line line = json_line_begin(out);
    json_line_integer(&line, "frame", frame->number);
    json_line_string(&line, "file", frame->file);
    json_line_integer(&line, "bodies", loaded->body_count);
    json_line_integer(&line, "pairs_penetrating", result->penetrating_pairs);
    json_line_integer(&line, "pairs_touching", result->touching_pairs);
    json_line_integer(&line, "overlapping_elements", sums.overlapping);
    json_line_integer(&line, "penetrating_vertices", sums.inside);
    json_line_number(&line, "max_depth", result->max_depth);
    for (int i = 0; i < 3; i++) {
        json_line_number(&line, axes[i], deepest != NULL ? deepest->deepest[i] : NAN);
    }
    json_line_string(&line, "outcome", dent_outcome_name(result->outcome));
    json_line_end(&line);
}

static void print_row(printer *out, const dent_check_result *result, const frame_facts *frame)
{
    if (frame->position == 0) {
        printer_format(out, "%8s  %11s  %8s  %11s  %11s  %11s  %s\n", "frame", "penetrating", "touching", "overlapping",
                       "penetrating", "deepest", "at");
        printer_format(out, "%8s  %11s  %8s  %11s  %11s\n", "", "pairs", "pairs", "elements", "vertices");
    }
    frame_sums sums = sum_pairs(result);
    const dent_body_contact *deepest = deepest_contact(result);
    char where[POINT_SIZE] = "-";
    if (deepest != NULL) {
        print_check_point(deepest->deepest, where);
    }
    printer_format(out, "%8llu  %11llu  %8llu  %11llu  %11llu  %11.5g  %s\n", (unsigned long long)frame->number,
                   (unsigned long long)result->penetrating_pairs, (unsigned long long)result->touching_pairs,
                   (unsigned long long)sums.overlapping, (unsigned long long)sums.inside, result->max_depth, where);
}

static void remember(checked_frames *frames, const loaded_world *loaded, const dent_check_result *result,
                     const frame_facts *frame)
{
    frames->frames++;
    frames->bodies = loaded->body_count;
    frames->surfaces_as_solids = result->surfaces_as_solids;
    frames->open_surfaces = result->open_surfaces;
    const dent_body_contact *deepest = deepest_contact(result);
    if (deepest == NULL) {
        return;
    }
    if (frames->penetrating++ == 0) {
        frames->first_penetrating = frame->number;
    }
    if (frames->penetrating == 1 || deepest->max_depth > frames->max_depth) {
        char where[POINT_SIZE];
        print_check_point(deepest->deepest, where);
        frames->max_depth = deepest->max_depth;
        snprintf(frames->deepest, sizeof frames->deepest, "%.6g at %s in frame %llu between %u %.100s and %u %.100s",
                 deepest->max_depth, where, (unsigned long long)frame->number, deepest->body_a,
                 loaded->bodies[deepest->body_a].name, deepest->body_b, loaded->bodies[deepest->body_b].name);
    }
}

int report_checked_frame(tool_session *session, const loaded_world *loaded, const dent_check_result *result,
                         const frame_facts *frame, void *user)
{
    progress_lock(&session->progress);
    if (options_have(session->options, OPTION_JSON)) {
        print_object(session->out, loaded, result, frame);
    } else {
        print_row(session->out, result, frame);
    }
    printer_flush(session->out);
    progress_unlock(&session->progress);
    remember(user, loaded, result, frame);
    return result->penetrating_pairs > 0 ? STATUS_FOUND : STATUS_GOOD;
}

void report_checked_series(tool_session *session, void *user)
{
    const checked_frames *frames = user;
    printer *out = session->out;
    if (frames->frames == 0) {
        return; /* one frame, reported as a model */
    }
    if (options_have(session->options, OPTION_JSON)) {
        json_line line = json_line_begin(out);
        json_line_integer(&line, "frames", frames->frames);
        json_line_integer(&line, "frames_penetrating", frames->penetrating);
        json_line_number(&line, "first_penetrating", frames->penetrating > 0 ? (double)frames->first_penetrating : NAN);
        json_line_number(&line, "max_depth", frames->max_depth);
        json_line_string(&line, "outcome", dent_outcome_name(DENT_OUTCOME_COMPLETE));
        json_line_end(&line);
        return;
    }
    loaded_world last = {.body_count = frames->bodies};
    dent_check_result result = {.surfaces_as_solids = frames->surfaces_as_solids,
                                .open_surfaces = frames->open_surfaces};
    const check_rows rows = {.loaded = &last, .result = result, .suggested_tolerance = NAN};
    printer_text(out, "\n");
    print_check_notes(out, session->options, &rows);
    if (frames->penetrating == 0) {
        printer_format(out, "no penetration in %llu frame%s\n", (unsigned long long)frames->frames,
                       frames->frames == 1 ? "" : "s");
    } else {
        printer_format(out, "%llu of %llu frames penetrate%s, the first is %llu; deepest ",
                       (unsigned long long)frames->penetrating, (unsigned long long)frames->frames,
                       frames->frames == 1 ? "s" : "", (unsigned long long)frames->first_penetrating);
        printer_name(out, frames->deepest);
        printer_text(out, "\n");
    }
}
