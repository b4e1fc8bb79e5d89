/* command_check.c — `dent check`: is this model free of initial penetration? Which bodies, which elements, how deep.
 *
 * The yes or no is exact; how deep is an estimate (docs/tool.md). The exit status says the same as the last line: 0
 * none, 1 some pair penetrates deeper than the tolerance, 2 not known. */
#include "check_csv.h"
#include "check_frames.h"
#include "check_html.h"
#include "check_picture.h"
#include "check_report.h"
#include "check_snapshot.h"
#include "crossing_curves.h"
#include "commands/deadline_report.h"
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

/* "wrote F", for programs on stderr. */
static void tell_written(tool_session *session, const char *path, const char *advice)
{
    if (options_have(session->options, OPTION_JSON)) {
        remark("wrote %s", path);
        return;
    }
    printer_text(session->out, "wrote ");
    printer_name(session->out, path);
    printer_text(session->out, advice);
    printer_text(session->out, "\n");
}

static int write_files(tool_session *session, const check_rows *rows, const crossing_curves *curves,
                       const vertex_depths *depths)
{
    const tool_options *options = session->options;
    int failed = STATUS_GOOD;
    if (options->csv != NULL) {
        failed = check_csv_write(session, rows);
        if (!failed) {
            tell_written(session, options->csv, "");
        }
    }
    if (options->out != NULL && !failed) {
        char path[FILE_NAME_LIMIT];
        failed = check_picture_write(session, rows->loaded, &rows->result, depths, path);
        if (!failed) {
            tell_written(session, path, " (open it in ParaView, colour by `mark`)");
        }
    }
    if (options->curves != NULL && !failed) {
        failed = crossing_curves_write(session, curves, options_have(options, OPTION_JSON));
    }
    if (options->picture != NULL && !failed) {
        failed = check_snapshot_write(session, rows->loaded, &rows->result, curves);
        if (!failed) {
            tell_written(session, options->picture, "");
        }
    }
    if (options->html != NULL && !failed) { /* last: it asks the world for contacts, and marks are gone then */
        failed = check_html_write(session, rows);
        if (!failed) {
            tell_written(session, options->html, "");
        }
    }
    return failed;
}

static int report(tool_session *session, const loaded_world *loaded, const dent_check_result *result,
                  const crossing_curves *curves, const vertex_depths *depths)
{
    const tool_options *options = session->options;
    bool json = options_have(options, OPTION_JSON);
    check_rows rows;
    if (!check_rows_open(&rows, session, loaded, result)) {
        return complain("check: out of memory");
    }
    if (json) {
        print_check_json(session->out, options, &rows);
    } else {
        print_check_table(session->out, &rows);
        print_check_notes(session->out, options, &rows);
    }
    bool found = result->penetrating_pairs > 0;
    int failed = write_files(session, &rows, curves, depths);
    if (!failed && !json) {
        print_check_verdict(session->out, options, loaded, &rows.result);
    }
    check_rows_close(&rows, session);
    return failed ? failed : found ? STATUS_FOUND : STATUS_GOOD;
}

/* A run that was stopped: the summary says how it ended. */
static void report_incomplete(tool_session *session, const loaded_world *loaded, const dent_check_result *result)
{
    check_rows rows;
    if (options_have(session->options, OPTION_JSON) && !options_name_series(session->options) &&
        check_rows_open(&rows, session, loaded, result)) {
        print_check_json(session->out, session->options, &rows);
        check_rows_close(&rows, session);
    }
}

/* Asks; STATUS_GOOD when *result is complete. */
static int ask(tool_session *session, const loaded_world *loaded, dent_check_result *result)
{
    const tool_options *options = session->options;
    dent_check_def def = dent_check_def_default();
    def.tolerance = options->tolerance;
    def.self = options_have(options, OPTION_SELF);
    def.ignore_touching = options_have(options, OPTION_NO_TOUCHING);
    def.volumes = !options_name_series(options);
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
        report_incomplete(session, loaded, result);
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
    if (!failed && options->csv != NULL) {
        failed = check_target(session, "--csv", options->csv);
    }
    if (!failed && options->html != NULL) {
        failed = check_html_possible(session);
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
    vertex_depths depths;
    memset(&curves, 0, sizeof curves);
    memset(&depths, 0, sizeof depths);
    int failed = check_outputs(session, loaded->body_count);
    if (!failed &&
        session->options->curves != NULL) { /* first: the answer of the check lives until the next question */
        failed = crossing_curves_find(session, loaded, &curves);
    }
    if (!failed && session->options->out != NULL) {
        failed = vertex_depths_find(session, loaded, &depths);
    }
    failed = failed ? failed : ask(session, loaded, &result);
    failed = failed ? failed : report(session, loaded, &result, &curves, &depths);
    vertex_depths_release(session, &depths);
    crossing_curves_release(session, &curves);
    return failed;
}

static int check_frame(tool_session *session, const loaded_world *loaded, const frame_facts *frame, void *user)
{
    const tool_options *options = session->options;
    bool pictures = options->out != NULL || options->picture != NULL || options->curves != NULL || options->csv != NULL ||
                    options->html != NULL;
    if (pictures && frame->count == 1) {
        progress_release(&session->progress); /* one frame of a series is a model like any other */
        return check(session, loaded);
    }
    if (pictures) {
        return complain("check: --out, --csv, --html, --curves and --picture are for one frame: choose it by --frames %llu",
                        (unsigned long long)frame->number);
    }
    dent_check_result result;
    int failed = ask(session, loaded, &result);
    return failed ? failed : report_checked_frame(session, loaded, &result, frame, user);
}

static int run_check(const tool_options *options, printer *out)
{
    if (options_have(options, OPTION_VIEW) && options->picture == NULL) {
        return complain("check: --view is for a picture, and none is requested: add --picture F.png");
    }
    if (options_have(options, OPTION_DEADLINE)) {
        int refused = options_name_series(options) ? complain("check: --deadline is for one model")
                                                   : refuse_with_deadline(options, "check");
        return refused ? refused : run_on_model(options, out, check_by_deadline);
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
    "max_depth x y z name_a name_b verdict (penetrating, touching, within-tolerance) volume volume_error\n"
    "containment_tested; last a summary: bodies pairs_penetrating pairs_touching max_depth outcome names\n"
    "pairs surfaces_as_solids open_surfaces tolerance suggested_tolerance length_unit. What is not known,\n"
    "also of a run that was stopped, is null. --csv and --html write the same rows.\n"
    "\n"
    "The volume is the sum over pairs of cells of what they share, an upper bound if a body overlaps\n"
    "itself; volume_error bounds its rounding. Open surfaces, strands and points have none.\n"
    "\n"
    "--deadline MS searches for MS milliseconds, reading and building trees not counted, and reports what\n"
    "is certain then. A pair of bodies is free, penetrating (faces cross, or one lies inside), coplanar\n"
    "(faces coincide: check without --deadline) or pending, with bounds of gap and depth. A solid counts\n"
    "by its boundary. Exit status 2 if none is penetrating and some are pending or coplanar. JSON keys:\n"
    "body_a body_b state pairs pending components_pending error depth; last a summary: bodies pairs_free\n"
    "pairs_penetrating pairs_coplanar pairs_pending error ms outcome.\n"
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
    .option_bits = OPTION_BIT(OPTION_DEADLINE) | OPTION_BIT(OPTION_TOLERANCE) | OPTION_BIT(OPTION_SELF) |
                   OPTION_BIT(OPTION_SORT) | OPTION_BIT(OPTION_TOP) | OPTION_BIT(OPTION_CSV) | OPTION_BIT(OPTION_HTML) |
                   OPTION_BIT(OPTION_NO_TOUCHING) |
                   OPTION_BIT(OPTION_OUT) | OPTION_BIT(OPTION_CURVES) | OPTION_BIT(OPTION_PICTURE) |
                   OPTION_BIT(OPTION_VIEW) | OPTION_BIT(OPTION_METHOD) | OPTIONS_OF_MACHINE |
                   OPTION_BIT(OPTION_MEMORY_LIMIT) | OPTION_BIT(OPTION_MERGE) | OPTIONS_OF_ROBOT_FILES |
                   OPTIONS_OF_SERIES | OPTIONS_OF_SCENES | OPTION_BIT(OPTION_STATS) | OPTION_BIT(OPTION_JSON),
    .argument_min = 1,
    .argument_max = UINT32_MAX,
    .run = run_check,
};
