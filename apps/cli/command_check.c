/* command_check.c — `dent check`: is this model free of initial penetration? Which bodies, which elements, how deep.
 *
 * The yes or no is exact; how deep is an estimate (docs/tool.md). The exit status says the same as the last line: 0
 * none, 1 some pair penetrates deeper than the tolerance, 2 not known. */
#include "check_picture.h"
#include "check_snapshot.h"
#include "file_names.h"
#include "interrupt.h"
#include "json_output.h"
#include "tool.h"

#include <stdio.h>
#include <string.h>

/* ---- for programs ---------------------------------------------------------------------------------------- */

static void print_json(printer *out, const loaded_world *loaded, const dent_check_result *result)
{
    for (uint64_t i = 0; i < result->pair_count; i++) {
        const dent_body_contact *pair = &result->pairs[i];
        json_line line = json_begin(out);
        json_integer(&line, "body_a", pair->body_a);
        json_integer(&line, "body_b", pair->body_b);
        json_integer(&line, "overlapping_elements", pair->overlapping_elements);
        json_integer(&line, "penetrating_vertices", pair->penetrating_vertices);
        json_integer(&line, "touching_elements", pair->touching_elements);
        json_number(&line, "max_depth", pair->max_depth);
        json_number(&line, "x", pair->deepest[0]);
        json_number(&line, "y", pair->deepest[1]);
        json_number(&line, "z", pair->deepest[2]);
        json_end(&line);
    }
    json_line line = json_begin(out);
    json_integer(&line, "bodies", loaded->body_count);
    json_integer(&line, "pairs_penetrating", result->penetrating_pairs);
    json_integer(&line, "pairs_touching", result->touching_pairs);
    json_number(&line, "max_depth", result->max_depth);
    json_string(&line, "outcome", dent_outcome_name(result->outcome));
    json_end(&line);
}

/* ---- for people ------------------------------------------------------------------------------------------ */

enum { NAME_COLUMN_LIMIT = 32, POINT_SIZE = 64 };

static void print_point(const double *point, char *text)
{
    snprintf(text, POINT_SIZE, "(%.6g, %.6g, %.6g)", point[0], point[1], point[2]);
}

/* "3 Tooth_L6_PDL", cut in the middle of the column when it is too long. */
static void print_body(const loaded_world *loaded, uint32_t rank, char *text, size_t size)
{
    snprintf(text, size, "%u %s", rank, loaded->bodies[rank].name);
}

static const char *verdict_of(const dent_body_contact *pair)
{
    if (pair->state == DENT_CONTACT_PENETRATING) {
        return "PENETRATING";
    }
    return pair->exact_penetration ? "touching (within the tolerance)" : "touching";
}

static int name_column_width(const loaded_world *loaded, const dent_check_result *result)
{
    int width = 6;
    for (uint64_t i = 0; i < result->pair_count; i++) {
        char text[NAME_COLUMN_LIMIT + 1];
        const uint32_t ranks[2] = {result->pairs[i].body_a, result->pairs[i].body_b};
        for (int side = 0; side < 2; side++) {
            print_body(loaded, ranks[side], text, sizeof text);
            int length = (int)strlen(text);
            width = length > width ? length : width;
        }
    }
    return width;
}

static void print_pair_table(printer *out, const loaded_world *loaded, const dent_check_result *result)
{
    if (result->pair_count == 0) {
        return;
    }
    int width = name_column_width(loaded, result);
    printer_format(out, "%-*s  %-*s  %11s  %11s  %8s  %11s  %-34s  %s\n", width, "body a", width, "body b",
                   "overlapping", "penetrating", "touching", "deepest", "at", "verdict");
    printer_format(out, "%-*s  %-*s  %11s  %11s  %8s\n", width, "", width, "", "elements", "vertices", "elements");
    for (uint64_t i = 0; i < result->pair_count; i++) {
        const dent_body_contact *pair = &result->pairs[i];
        char a[NAME_COLUMN_LIMIT + 1], b[NAME_COLUMN_LIMIT + 1], where[POINT_SIZE] = "-";
        print_body(loaded, pair->body_a, a, sizeof a);
        print_body(loaded, pair->body_b, b, sizeof b);
        if (pair->exact_penetration) {
            print_point(pair->deepest, where);
        }
        printer_format(out, "%-*s  %-*s  %11llu  %11llu  %8llu  %11.5g  %-34s  %s\n", width, a, width, b,
                       (unsigned long long)pair->overlapping_elements, (unsigned long long)pair->penetrating_vertices,
                       (unsigned long long)pair->touching_elements, pair->max_depth, where, verdict_of(pair));
    }
    printer_text(out, "\n");
}

/* What the reader must know to trust the verdict. */
static void print_notes(printer *out, const tool_options *options, const loaded_world *loaded,
                        const dent_check_result *result)
{
    if (result->surfaces_as_solids > 0) {
        printer_format(out, "note: %u closed surface%s treated as solid\n", result->surfaces_as_solids,
                       result->surfaces_as_solids == 1 ? " is" : "s are");
    }
    if (result->open_surfaces > 0) {
        printer_format(out,
                       "note: %u open surface%s: crossings are found, one lying wholly inside another body is not\n",
                       result->open_surfaces, result->open_surfaces == 1 ? "" : "s");
    }
    if (loaded->body_count == 1 && !options_have(options, OPTION_SELF)) {
        printer_text(out,
                     "note: one body only, so there was nothing to compare it with; --self checks it against itself\n");
    }
    if (options->tolerance > 0) {
        printer_format(out, "note: pairs no deeper than %g count as touching\n", options->tolerance);
    }
}

static void print_verdict(printer *out, const tool_options *options, const loaded_world *loaded,
                          const dent_check_result *result)
{
    uint64_t bodies = loaded->body_count;
    uint64_t pairs = bodies * (bodies - 1) / 2 + (options_have(options, OPTION_SELF) ? bodies : 0);
    const char *plural = result->touching_pairs == 1 ? "pair touches" : "pairs touch";
    if (result->penetrating_pairs == 0) {
        printer_format(out, "no penetration: %llu %s", (unsigned long long)bodies, bodies == 1 ? "body" : "bodies");
        if (options_have(options, OPTION_NO_TOUCHING)) {
            printer_text(out, "\n");
        } else {
            printer_format(out, ", %llu %s\n", (unsigned long long)result->touching_pairs, plural);
        }
        return;
    }
    const dent_body_contact *deepest = NULL;
    for (uint64_t i = 0; i < result->pair_count; i++) {
        const dent_body_contact *pair = &result->pairs[i];
        if (pair->state == DENT_CONTACT_PENETRATING && (deepest == NULL || pair->max_depth > deepest->max_depth)) {
            deepest = pair;
        }
    }
    char where[POINT_SIZE];
    print_point(deepest->deepest, where);
    printer_format(out, "%llu of %llu pairs penetrate%s, deepest %.6g at %s between %u ",
                   (unsigned long long)result->penetrating_pairs, (unsigned long long)pairs, pairs == 1 ? "s" : "",
                   deepest->max_depth, where, deepest->body_a);
    printer_text(out, loaded->bodies[deepest->body_a].name);
    printer_format(out, " and %u ", deepest->body_b);
    printer_text(out, loaded->bodies[deepest->body_b].name);
    printer_text(out, "\n");
}

static void print_statistics(tool_session *session, const dent_query_counters *counters, uint64_t ns)
{
    remark("%.3f ms, %llu elements, %llu box tests, %llu candidates, %llu exact fallbacks, %u threads, isa %s",
           (double)ns * 1e-6, (unsigned long long)counters->elements, (unsigned long long)counters->box_tests,
           (unsigned long long)counters->candidates, (unsigned long long)counters->exact_fallbacks,
           dent_context_worker_count(session->context), dent_isa_name(dent_context_isa(session->context)));
}

/* ---- the run --------------------------------------------------------------------------------------------- */

static int report(tool_session *session, const loaded_world *loaded, const dent_check_result *result)
{
    const tool_options *options = session->options;
    bool json = options_have(options, OPTION_JSON);
    if (json) {
        print_json(session->out, loaded, result);
    } else {
        print_pair_table(session->out, loaded, result);
        print_notes(session->out, options, loaded, result);
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
            printer_text(session->out, path);
            printer_text(session->out, " (open it in ParaView, colour by `mark`)\n");
        }
    }
    if (options->picture != NULL) {
        int failed = check_snapshot_write(session, loaded, result);
        if (failed) {
            return failed;
        }
        if (json) {
            remark("wrote %s", options->picture);
        } else {
            printer_text(session->out, "wrote ");
            printer_text(session->out, options->picture);
            printer_text(session->out, "\n");
        }
    }
    if (!json) {
        print_verdict(session->out, options, loaded, result);
    }
    return result->penetrating_pairs > 0 ? STATUS_FOUND : STATUS_GOOD;
}

static int check(tool_session *session, const loaded_world *loaded)
{
    const tool_options *options = session->options;
    int failed = options->out != NULL ? check_picture_possible(options->out, loaded->body_count) : STATUS_GOOD;
    if (failed) {
        return failed;
    }
    dent_check_def def = dent_check_def_default();
    def.tolerance = options->tolerance;
    def.self = options_have(options, OPTION_SELF);
    def.ignore_touching = options_have(options, OPTION_NO_TOUCHING);
    def.method = options->method;
    def.cancel = interrupt_flag();
    dent_check_result result;
    uint64_t start = dent_clock_ns();
    progress_begin(&session->progress, "checking", 0);
    dent_status status = dent_world_check(loaded->world, &def, &result);
    progress_end(&session->progress);
    if (status != DENT_OK) {
        return complain("check: %s", dent_world_message(loaded->world));
    }
    if (result.outcome != DENT_OUTCOME_COMPLETE) {
        if (options_have(options, OPTION_JSON)) {
            print_json(session->out, loaded, &result); /* the summary says how it ended */
        }
        return interrupt_seen() ? interrupt_report()
                                : complain("check: the answer is not complete: %s", dent_outcome_name(result.outcome));
    }
    if (options_have(options, OPTION_STATS)) {
        print_statistics(session, &result.counters, dent_clock_ns() - start);
    }
    return report(session, loaded, &result);
}

static int run_check(const tool_options *options, printer *out)
{
    if (options_have(options, OPTION_VIEW) && options->picture == NULL) {
        return complain("check: --view says how to look at the picture, and none is asked for: --picture F.png");
    }
    tool_session session;
    int status = session_open(&session, options, out);
    if (status != STATUS_GOOD) {
        return status;
    }
    loaded_world loaded;
    status = loaded_world_read_arguments(&session, &loaded);
    if (status == STATUS_GOOD) {
        status = check(&session, &loaded);
        loaded_world_close(&session, &loaded);
    }
    session_close(&session);
    return status;
}

const tool_command command_check_row = {
    .name = "check",
    .summary = "is this model free of penetration? which bodies, which elements, how deep",
    .arguments = "[OPTION...] FILE...",
    .details = HELP_ON_FILES
    "\n"
    "Two bodies penetrate if their interiors meet; parts that share faces, edges or vertices exactly\n"
    "only touch. This is decided exactly; the depth is an estimate. A closed surface is treated as\n"
    "solid; for an open one the report says that lying inside was not judged. Pairs that are apart\n"
    "are not listed. Exit status: 0 no pair penetrates, 1 some do, 2 an error or an incomplete answer.\n"
    "\n"
    "JSON keys, per pair: body_a body_b overlapping_elements penetrating_vertices touching_elements\n"
    "max_depth x y z; last a summary: bodies pairs_penetrating pairs_touching max_depth outcome.\n"
    "\n"
    "--out F writes F.pvd, a .vtu or .vtp per body beside it (element field mark: 1 touching, 2\n"
    "overlapping; vertex field inside) and the deepest points. F ending in .vtu or .vtp is that one\n"
    "file, for a model of one body. --picture draws a PNG without further help.\n",
    .option_bits = OPTION_BIT(OPTION_TOLERANCE) | OPTION_BIT(OPTION_SELF) | OPTION_BIT(OPTION_NO_TOUCHING) |
                   OPTION_BIT(OPTION_OUT) | OPTION_BIT(OPTION_PICTURE) | OPTION_BIT(OPTION_VIEW) |
                   OPTION_BIT(OPTION_METHOD) | OPTIONS_OF_MACHINE | OPTION_BIT(OPTION_MERGE) |
                   OPTIONS_OF_SCENES | OPTION_BIT(OPTION_STATS) | OPTION_BIT(OPTION_JSON),
    .argument_min = 1,
    .argument_max = UINT32_MAX,
    .run = run_check,
};
