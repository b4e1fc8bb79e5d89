/* pair_report.c — the lines of `dent pairs`. In a series each begins with the number of its frame. */
#include "pair_report.h"

#include "interrupt.h"
#include "json_output.h"
#include "tool.h"

#include <stdio.h>
#include <string.h>

enum { PAIRS_PER_POLL = 1024 };

static const uint64_t fnv_start = 14695981039346656037u;

static uint64_t fnv_bytes(uint64_t hash, const char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ (unsigned char)bytes[i]) * 1099511628211u;
    }
    return hash;
}

void print_pair_numbers(printer *out, const double *numbers, int count)
{
    for (int i = 0; i < count; i++) {
        printer_format(out, " %.17g", numbers[i]);
    }
}

/* What is learnt by going through the pairs. */
typedef struct pair_tally {
    uint64_t hash; /* FNV-1a 64 over the first four columns */
    uint64_t kinds[PAIR_KIND_LIMIT];
} pair_tally;

/* Of the bodies in "body feature body feature". */
static void print_names_of(printer *out, const loaded_world *loaded, const char *columns)
{
    unsigned a, b;
    if (sscanf(columns, "%u %*s %u", &a, &b) == 2 && a < loaded->body_count && b < loaded->body_count) {
        print_body_names(out, loaded->bodies[a].name, loaded->bodies[b].name);
    }
}

/* Goes through all pairs and prints them, unless `out` is null. */
static pair_tally go_through(tool_session *session, const loaded_world *loaded, const pair_answer *answer,
                             const frame_facts *frame, printer *out)
{
    pair_tally tally = {.hash = fnv_start};
    bool names = loaded_world_prints_names(session, loaded);
    for (uint64_t i = 0; i < answer->count; i++) {
        if (i % PAIRS_PER_POLL == 0) {
            progress_set(&session->progress, i, answer->count);
            if (interrupt_seen() || printer_failed(session->out)) {
                break;
            }
        }
        char columns[COLUMNS_SIZE];
        size_t length = (size_t)answer->columns(answer, loaded, i, columns);
        unsigned kind = answer->kind(answer, i);
        tally.hash = fnv_bytes(tally.hash, columns, length);
        tally.hash = fnv_bytes(tally.hash, "\n", 1);
        tally.kinds[kind]++;
        if (out == NULL) {
            continue;
        }
        if (frame != NULL) {
            printer_format(out, "%llu ", (unsigned long long)frame->number);
        }
        printer_bytes(out, columns, length);
        printer_text(out, " ");
        printer_text(out, answer->kinds[kind]);
        answer->numbers(answer, i, out);
        if (names) {
            print_names_of(out, loaded, columns);
        }
        printer_text(out, "\n");
    }
    return tally;
}

static double milliseconds(const dent_query_counters *counters)
{
    return (double)(counters->ns_prepare + counters->ns_search + counters->ns_finish) * 1e-6;
}

static void print_object(printer *out, const loaded_world *loaded, const pair_answer *answer, const frame_facts *frame,
                         const pair_tally *tally, bool names)
{
    json_line line = json_line_begin(out);
    if (frame != NULL) {
        json_line_integer(&line, "frame", frame->number);
        json_line_string(&line, "file", frame->file);
        json_line_boolean(&line, "fresh", frame->fresh);
    }
    json_line_integer(&line, "pairs", answer->count);
    for (unsigned i = 0; i < PAIR_KIND_LIMIT && answer->kinds[i] != NULL; i++) {
        json_line_integer(&line, answer->kinds[i], tally->kinds[i]);
    }
    char hash[20];
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)tally->hash);
    json_line_string(&line, "pairs_hash", hash);
    json_line_string(&line, "method", dent_method_name(answer->counters->method));
    json_line_integer(&line, "candidates", answer->counters->candidates);
    json_line_integer(&line, "rebuilds", answer->counters->rebuilds);
    json_line_number(&line, "ms", milliseconds(answer->counters));
    if (names) {
        json_body_names(&line, loaded);
    }
    json_line_end(&line);
}

static void print_statistics(tool_session *session, const pair_answer *answer, const frame_facts *frame, uint64_t hash)
{
    const dent_query_counters *counters = answer->counters;
    if (frame != NULL) {
        remark("frame %llu, %s: %llu structures rebuilt", (unsigned long long)frame->number, frame->file,
               (unsigned long long)counters->rebuilds);
    }
    remark("%llu pairs, pairs_hash %016llx, method %s%s%s%s, %u threads, isa %s", (unsigned long long)answer->count,
           (unsigned long long)hash, dent_method_name(counters->method), counters->reason != NULL ? " (" : "",
           counters->reason != NULL ? counters->reason : "", counters->reason != NULL ? ")" : "",
           dent_context_worker_count(session->context), dent_isa_name(dent_context_isa(session->context)));
    remark("%llu elements, %llu box tests, %llu candidates, %llu exact fallbacks, %llu bytes scratch",
           (unsigned long long)counters->elements, (unsigned long long)counters->box_tests,
           (unsigned long long)counters->candidates, (unsigned long long)counters->exact_fallbacks,
           (unsigned long long)counters->scratch_bytes);
    remark("%.3f ms prepare, %.3f ms search, %.3f ms finish", (double)counters->ns_prepare * 1e-6,
           (double)counters->ns_search * 1e-6, (double)counters->ns_finish * 1e-6);
}

/* The answer on stdout; what was learnt on the way comes back. */
static pair_tally write_answer(tool_session *session, const loaded_world *loaded, const pair_answer *answer,
                               const frame_facts *frame)
{
    const tool_options *options = session->options;
    printer *out = session->out;
    bool json = options_have(options, OPTION_JSON), count_only = options_have(options, OPTION_COUNT_ONLY);
    pair_tally tally = {.hash = fnv_start};
    if (json || !count_only || options_have(options, OPTION_STATS)) {
        tally = go_through(session, loaded, answer, frame, json || count_only ? NULL : out);
    }
    if (json && !interrupt_seen()) {
        print_object(out, loaded, answer, frame, &tally, loaded_world_prints_names(session, loaded));
    } else if (count_only && frame != NULL) {
        printer_format(out, "%llu %llu\n", (unsigned long long)frame->number, (unsigned long long)answer->count);
    } else if (count_only) {
        printer_format(out, "%llu\n", (unsigned long long)answer->count);
    }
    printer_flush(out);
    return tally;
}

int report_pairs(tool_session *session, const loaded_world *loaded, const pair_answer *answer, const frame_facts *frame)
{
    /* In a series one bar stands over all frames; then beginning and ending another does nothing. */
    progress_begin(&session->progress, "printing", answer->count);
    if (frame != NULL) {
        progress_lock(&session->progress);
    }
    pair_tally tally = write_answer(session, loaded, answer, frame);
    progress_end(&session->progress);
    if (options_have(session->options, OPTION_STATS) && !interrupt_seen() && !printer_failed(session->out)) {
        print_statistics(session, answer, frame, tally.hash);
    }
    if (frame != NULL) {
        progress_unlock(&session->progress);
    }
    return interrupt_seen() ? interrupt_report() : STATUS_GOOD;
}

int check_answer(const loaded_world *loaded, dent_status status, const dent_outcome *outcome)
{
    if (status != DENT_OK) {
        return complain("pairs: %s", dent_world_message(loaded->world));
    }
    if (interrupt_seen()) {
        return interrupt_report();
    }
    if (*outcome != DENT_OUTCOME_COMPLETE) {
        return complain("pairs: the answer is not complete: %s", dent_outcome_name(*outcome));
    }
    return STATUS_GOOD;
}
