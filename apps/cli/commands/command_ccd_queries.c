/* command_ccd_queries.c — `dent ccd-queries`: the exact impact test on files of queries with known answers.
 *
 * Every query is asked five times and the best time counts; what a call of the clock costs is taken off. */
#include "interrupt.h"
#include "json_output.h"
#include "tool.h"
#include "tool_session.h"

#include <dent/impact_io.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REPEATS = 5 };

typedef struct query_tally {
    const char *file;
    dent_impact_kind kind;
    uint32_t total, colliding, missed, false_alarms;
    double ns_mean, ns_median;
    uint64_t ns_max, ns_sum;
    uint64_t stages[DENT_IMPACT_STAGE_COUNT];
} query_tally;

static uint64_t clock_cost(void)
{
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < 1000; i++) {
        uint64_t began = dent_clock_ns(), ns = dent_clock_ns() - began;
        least = ns < least ? ns : least;
    }
    return least;
}

static int compare_ns(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static uint64_t time_query(const dent_impact_queries *queries, uint32_t number, uint64_t cost,
                           dent_impact_test_result *answer)
{
    const dent_impact_query *query = &queries->queries[number];
    uint64_t best = UINT64_MAX;
    for (int repeat = 0; repeat < REPEATS; repeat++) {
        uint64_t began = dent_clock_ns();
        dent_impact_test(queries->kind, query->points_t0, query->points_t1, answer);
        uint64_t ns = dent_clock_ns() - began;
        ns = ns > cost ? ns - cost : 0;
        best = ns < best ? ns : best;
    }
    return best;
}

/* `times` has room for all queries. False: interrupted. */
static bool run_queries(tool_session *session, const dent_impact_queries *queries, uint64_t *times, query_tally *tally)
{
    uint64_t cost = clock_cost();
    tally->kind = queries->kind;
    tally->total = queries->count;
    progress_begin(&session->progress, "asking", queries->count);
    for (uint32_t i = 0; i < queries->count && !interrupt_seen(); i++) {
        dent_impact_test_result answer = {0};
        times[i] = time_query(queries, i, cost, &answer);
        tally->ns_sum += times[i];
        tally->colliding += queries->truth[i] != 0;
        tally->missed += queries->truth[i] && !answer.meets;
        tally->false_alarms += !queries->truth[i] && answer.meets;
        tally->stages[answer.stage]++;
        progress_set(&session->progress, i + 1, queries->count);
    }
    progress_end(&session->progress);
    if (interrupt_seen()) {
        return false;
    }
    qsort(times, queries->count, sizeof *times, compare_ns);
    uint32_t middle = queries->count / 2;
    tally->ns_max = times[queries->count - 1];
    tally->ns_mean = (double)tally->ns_sum / queries->count;
    tally->ns_median =
        queries->count % 2 ? (double)times[middle] : ((double)times[middle - 1] + (double)times[middle]) / 2;
    return true;
}

/* ---- printing -------------------------------------------------------------------------------------------- */

static void print_json(printer *out, const query_tally *tally)
{
    json_line line = json_line_begin(out);
    json_line_string(&line, "file", tally->file);
    json_line_string(&line, "kind", dent_impact_kind_name(tally->kind));
    json_line_integer(&line, "total", tally->total);
    json_line_integer(&line, "colliding", tally->colliding);
    json_line_integer(&line, "missed", tally->missed);
    json_line_integer(&line, "false_alarms", tally->false_alarms);
    json_line_number(&line, "ns_mean", tally->ns_mean);
    json_line_number(&line, "ns_median", tally->ns_median);
    json_line_integer(&line, "ns_max", tally->ns_max);
    json_line_end(&line);
}

static void print_row(printer *out, const query_tally *tally, const char *kind)
{
    printer_format(out, "%-11s  %7u  %9u  %6u  %12u  %8.0f  %9.0f  %8llu  ", kind, tally->total, tally->colliding,
                   tally->missed, tally->false_alarms, tally->ns_mean, tally->ns_median,
                   (unsigned long long)tally->ns_max);
    printer_text(out, tally->file);
    printer_text(out, "\n");
}

static void print_stages(const query_tally *tally)
{
    char text[256];
    size_t used = 0;
    for (int stage = 0; stage < DENT_IMPACT_STAGE_COUNT; stage++) {
        int length =
            snprintf(text + used, sizeof text - used, "%s%s %llu", stage > 0 ? ", " : "",
                     dent_impact_stage_name((dent_impact_stage)stage), (unsigned long long)tally->stages[stage]);
        used += length > 0 ? (size_t)length : 0;
    }
    remark("%s: decided by %s", tally->file, text);
}

/* ---- the run --------------------------------------------------------------------------------------------- */

static int complain_about(const char *name, const char *message)
{
    return strstr(message, name) != NULL || strchr(message, ':') != NULL ? complain("%s", message)
                                                                         : complain("%s: %s", name, message);
}

static int run_file(tool_session *session, const char *name, query_tally *tally)
{
    const tool_options *options = session->options;
    dent_impact_queries_def def = dent_impact_queries_def_default();
    dent_impact_queries *queries = NULL;
    def.kind = options->kind;
    def.truth = options->truth;
    tally->file = name;
    dent_status status = dent_impact_queries_read(session->context, name, &def, &queries);
    if (status != DENT_OK) {
        const char *hint = status == DENT_ERROR_INVALID_ARGUMENT ? "; say --kind vertex-face or edge-edge" : "";
        char message[MESSAGE_SIZE + 64];
        snprintf(message, sizeof message, "%s%s", session_message(session, status), hint);
        return complain_about(name, message);
    }
    int result = STATUS_GOOD;
    uint64_t *times = dent_allocate(session->context, queries->count, sizeof *times);
    if (queries->truth == NULL) {
        result = complain(
            "%s: no answers to compare with: no seventh column, no ../mma_bool/NAME_mma_bool.json; give --truth FILE",
            name);
    } else if (times == NULL) {
        result = complain("%s: out of memory", name);
    } else if (!run_queries(session, queries, times, tally)) {
        result = interrupt_report();
    }
    dent_release(session->context, times, queries->count, sizeof *times);
    dent_impact_queries_destroy(session->context, queries);
    return result;
}

static void add_to_sum(query_tally *sum, const query_tally *tally)
{
    sum->total += tally->total;
    sum->colliding += tally->colliding;
    sum->missed += tally->missed;
    sum->false_alarms += tally->false_alarms;
    sum->ns_sum += tally->ns_sum;
    sum->ns_max = tally->ns_max > sum->ns_max ? tally->ns_max : sum->ns_max;
}

static int run_files(tool_session *session)
{
    const tool_options *options = session->options;
    printer *out = session->out;
    bool json = options_have(options, OPTION_JSON);
    query_tally sum;
    memset(&sum, 0, sizeof sum);
    for (uint32_t i = 0; i < options->argument_count; i++) {
        query_tally tally;
        memset(&tally, 0, sizeof tally);
        int failed = run_file(session, options->arguments[i], &tally);
        if (failed) {
            return failed;
        }
        if (json) {
            print_json(out, &tally);
        } else {
            if (i == 0) {
                printer_text(
                    out,
                    "kind           total  colliding  missed  false alarms   ns mean  ns median    ns max  file\n");
            }
            print_row(out, &tally, dent_impact_kind_name(tally.kind));
        }
        printer_flush(out);
        if (options_have(options, OPTION_STATS)) {
            print_stages(&tally);
        }
        add_to_sum(&sum, &tally);
    }
    if (!json) {
        printer_format(out, "%u queries: %u missed, %u false alarms; %.0f ns on the average, %llu at most\n", sum.total,
                       sum.missed, sum.false_alarms, (double)sum.ns_sum / sum.total, (unsigned long long)sum.ns_max);
    }
    return sum.missed > 0 || sum.false_alarms > 0 ? STATUS_FOUND : STATUS_GOOD;
}

static int run_ccd_queries(const tool_options *options, printer *out)
{
    if (options->truth != NULL && options->argument_count > 1) {
        return complain("ccd-queries: --truth belongs to one file, and %u are given", options->argument_count);
    }
    tool_session session;
    int status = session_open(&session, options, out);
    if (status == STATUS_GOOD) {
        status = run_files(&session);
        session_close(&session);
    }
    return status;
}

const tool_command command_ccd_queries_row = {
    .name = "ccd-queries",
    .summary = "the exact impact test on files of queries with known results",
    .arguments = "[OPTION...] FILE...",
    .details = "FILE (.csv, also .csv.xz or .csv.gz) has 8 lines per query, one per vertex position: the four at\n"
               "t = 0, then the four at t = 1. Columns are x, y, z, each as numerator, denominator (integers whose\n"
               "quotient is exactly a double), then optionally the true result, 1 or 0. vertex-face: v, f0, f1,\n"
               "f2; edge-edge: a0, a1, b0, b1. The path (vertex-face or vf, edge-edge or ee) or --kind gives the\n"
               "kind of a file. The true results come from the seventh column, from --truth, or from\n"
               "../mma_bool/NAME_mma_bool.json[.xz] beside the folder of the file.\n"
               "\n"
               "Times are nanoseconds per query, the best of five. Exit status: 0 all correct, 1 a false negative\n"
               "or a false positive, 2 an error.\n"
               "\n"
               "JSON keys: file kind total colliding missed false_alarms ns_mean ns_median ns_max.\n",
    .option_bits = OPTION_BIT(OPTION_KIND) | OPTION_BIT(OPTION_TRUTH) | OPTION_BIT(OPTION_MEMORY_LIMIT) |
                   OPTION_BIT(OPTION_STATS) | OPTION_BIT(OPTION_JSON),
    .argument_min = 1,
    .argument_max = UINT32_MAX,
    .run = run_ccd_queries,
};
