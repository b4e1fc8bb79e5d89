/* command_check.c — `dent check`: is this model free of initial penetration? Which bodies, which elements, how deep.
 *
 * The yes or no is exact; how deep is an estimate (docs/tool.md). The exit status says the same as the last line: 0
 * none, 1 some pair penetrates deeper than the tolerance, 2 not known. */
#include "check_frames.h"
#include "check_picture.h"
#include "check_report.h"
#include "check_snapshot.h"
#include "crossing_curves.h"
#include "file_names.h"
#include "interrupt.h"
#include "placed_file.h"
#include "tool.h"

#include <string.h>

static void print_statistics(tool_session *session, const dent_query_counters *counters, uint64_t ns)
{
    remark("%.3f ms, %llu elements, %llu box tests, %llu candidates, %llu exact fallbacks, %u threads, isa %s",
           (double)ns * 1e-6, (unsigned long long)counters->elements, (unsigned long long)counters->box_tests,
           (unsigned long long)counters->candidates, (unsigned long long)counters->exact_fallbacks,
           dent_context_worker_count(session->context), dent_isa_name(dent_context_isa(session->context)));
}

/* ---- the run --------------------------------------------------------------------------------------------- */

static int report(tool_session *session, const loaded_world *loaded, const dent_check_result *result,
                  const crossing_curves *curves)
{
    const tool_options *options = session->options;
    bool json = options_have(options, OPTION_JSON);
    if (json) {
        print_check_json(session->out, loaded, result);
    } else {
        print_check_table(session->out, loaded, result);
        print_check_notes(session->out, options, loaded, result);
    }
    if (options->out != NULL) {
        char path[FILE_NAME_LIMIT];
        int failed = check_picture_write(session, loaded, result, path);
        if (failed) {
            return failed;
        }
        if (json) {
            remark("wrote %s", path);
        } else {
            printer_text(session->out, "wrote ");
            printer_name(session->out, path);
            printer_text(session->out, " (open it in ParaView, colour by `mark`)\n");
        }
    }
    if (options->curves != NULL) {
        int failed = crossing_curves_write(session, curves, json);
        if (failed) {
            return failed;
        }
    }
    if (options->picture != NULL) {
        int failed = check_snapshot_write(session, loaded, result, curves);
        if (failed) {
            return failed;
        }
        if (json) {
            remark("wrote %s", options->picture);
        } else {
            printer_text(session->out, "wrote ");
            printer_name(session->out, options->picture);
            printer_text(session->out, "\n");
        }
    }
    if (!json) {
        print_check_verdict(session->out, options, loaded, result);
    }
    return result->penetrating_pairs > 0 ? STATUS_FOUND : STATUS_GOOD;
}

/* Asks; STATUS_GOOD when *result is complete. */
static int ask(tool_session *session, const loaded_world *loaded, dent_check_result *result)
{
    const tool_options *options = session->options;
    dent_check_def def = dent_check_def_default();
    def.tolerance = options->tolerance;
    def.self = options_have(options, OPTION_SELF);
    def.ignore_touching = options_have(options, OPTION_NO_TOUCHING);
    def.method = options->method;
    def.cancel = interrupt_flag();
    uint64_t start = dent_clock_ns();
    progress_begin(&session->progress, "checking", 0);
    dent_status status = dent_world_check(loaded->world, &def, result);
    progress_end(&session->progress);
    if (status != DENT_OK) {
        return complain("check: %s", dent_world_message(loaded->world));
    }
    if (result->outcome != DENT_OUTCOME_COMPLETE) {
        if (options_have(options, OPTION_JSON) && !options_name_series(options)) {
            print_check_json(session->out, loaded, result); /* the summary says how it ended */
        }
        return interrupt_seen() ? interrupt_report()
                                : complain("check: the answer is not complete: %s", dent_outcome_name(result->outcome));
    }
    if (options_have(options, OPTION_STATS)) {
        progress_lock(&session->progress);
        print_statistics(session, &result->counters, dent_clock_ns() - start);
        progress_unlock(&session->progress);
    }
    return STATUS_GOOD;
}

/* What is asked to be written can be written: found out before the work. */
static int check_outputs(tool_session *session, uint32_t body_count)
{
    const tool_options *options = session->options;
    int failed = options->out != NULL ? check_picture_possible(session, body_count) : STATUS_GOOD;
    if (!failed && options->picture != NULL) {
        failed = check_target(session, "--picture", options->picture);
    }
    if (!failed && options->curves != NULL) {
        failed = crossing_curves_possible(session);
    }
    return failed;
}

static int check(tool_session *session, const loaded_world *loaded)
{
    dent_check_result result;
    crossing_curves curves;
    memset(&curves, 0, sizeof curves);
    int failed = check_outputs(session, loaded->body_count);
    if (!failed &&
        session->options->curves != NULL) { /* first: the answer of the check lives until the next question */
        failed = crossing_curves_find(session, loaded, &curves);
    }
    failed = failed ? failed : ask(session, loaded, &result);
    failed = failed ? failed : report(session, loaded, &result, &curves);
    crossing_curves_release(session, &curves);
    return failed;
}

static int check_frame(tool_session *session, const loaded_world *loaded, const frame_facts *frame, void *user)
{
    const tool_options *options = session->options;
    bool pictures = options->out != NULL || options->picture != NULL || options->curves != NULL;
    if (pictures && frame->count == 1) {
        progress_release(&session->progress); /* one frame of a series is a model like any other */
        return check(session, loaded);
    }
    if (pictures) {
        return complain("check: --out, --curves and --picture are for one frame: choose it by --frames %llu",
                        (unsigned long long)frame->number);
    }
    dent_check_result result;
    int failed = ask(session, loaded, &result);
    return failed ? failed : report_checked_frame(session, loaded, &result, frame, user);
}

static int run_check(const tool_options *options, printer *out)
{
    if (options_have(options, OPTION_VIEW) && options->picture == NULL) {
        return complain("check: --view says how to look at the picture, and none is asked for: --picture F.png");
    }
    if (!options_name_series(options)) {
        return run_on_model(options, out, check);
    }
    checked_frames frames;
    memset(&frames, 0, sizeof frames);
    return run_on_series(options, out, check_frame, report_checked_series, &frames);
}

const tool_command command_check_row = {
    .name = "check",
    .summary = "check a model for penetration: which bodies, which elements, how deep",
    .arguments = "[OPTION...] FILE...",
    .details = HELP_ON_FILES
    "\n"
    "Two bodies penetrate if their interiors meet. Parts that share faces, edges or vertices exactly\n"
    "only touch. This is decided exactly; the depth is an estimate. A closed surface is treated as\n"
    "solid. For an open one the report says that containment was not tested. A strand penetrates what\n"
    "its segments pass through; strands only touch one another. Pairs that are apart are not listed. Exit\n"
    "status: 0 no pair penetrates, 1 some do, 2 an error or an incomplete result.\n"
    "\n"
    "JSON keys, per pair: body_a body_b overlapping_elements penetrating_vertices touching_elements\n"
    "max_depth x y z; last a summary: bodies pairs_penetrating pairs_touching max_depth outcome.\n"
    "\n"
    "--out F writes F.pvd, a .vtu or .vtp per body beside it (element field mark: 1 touching, 2\n"
    "overlapping; vertex field inside) and the deepest points. If F ends in .vtu or .vtp, it writes that\n"
    "file only, for a model of one body. --picture draws a PNG without other programs. --curves writes\n"
    "where the surfaces cross, segment by segment in order; line fields: curve, body_a, cell_a, corner_a\n"
    "(the face opposite that corner), body_b, cell_b, corner_b, degenerate. Self-crossings need --self.\n"
    "\n" HELP_ON_SERIES
    "Prints a line per frame. The exit status is 1 if any frame penetrates. JSON keys, per frame: frame\n"
    "file bodies pairs_penetrating pairs_touching overlapping_elements penetrating_vertices max_depth x y\n"
    "z outcome; last a summary: frames frames_penetrating first_penetrating max_depth outcome.\n",
    .option_bits = OPTION_BIT(OPTION_TOLERANCE) | OPTION_BIT(OPTION_SELF) | OPTION_BIT(OPTION_NO_TOUCHING) |
                   OPTION_BIT(OPTION_OUT) | OPTION_BIT(OPTION_CURVES) | OPTION_BIT(OPTION_PICTURE) |
                   OPTION_BIT(OPTION_VIEW) | OPTION_BIT(OPTION_METHOD) | OPTIONS_OF_MACHINE |
                   OPTION_BIT(OPTION_MEMORY_LIMIT) | OPTION_BIT(OPTION_MERGE) | OPTIONS_OF_SERIES | OPTIONS_OF_SCENES |
                   OPTION_BIT(OPTION_STATS) | OPTION_BIT(OPTION_JSON),
    .argument_min = 1,
    .argument_max = UINT32_MAX,
    .run = run_check,
};
