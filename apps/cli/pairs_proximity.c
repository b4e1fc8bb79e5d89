/* pairs_proximity.c — `dent pairs --ask proximity`: features closer than a thickness, one pair per line, in canonical order.
 *
 * As in command_pairs.c, features are printed with the numbers of the file. */
#include "pairs_proximity.h"

#include "interrupt.h"
#include "tool.h"

#include <dent/proximity.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FEATURE_SIZE = 64, PAIRS_PER_POLL = 1024 };

int refuse_proximity_options(const tool_options *options)
{
    bool proximity = options->ask == DENT_QUESTION_PROXIMITY;
    if (proximity && !options_have(options, OPTION_THICKNESS)) {
        return complain("pairs: --ask proximity needs a thickness: --thickness D");
    }
    if (!proximity && (options_have(options, OPTION_THICKNESS) || options_have(options, OPTION_CLOSEST_ONLY))) {
        return complain("pairs: --thickness and --closest-only are for --ask proximity");
    }
    if (proximity && (options_have(options, OPTION_TOUCHING) || options_have(options, OPTION_SURFACE_VERTICES_ONLY))) {
        return complain("pairs: --touching and --surface-vertices-only are not for --ask proximity");
    }
    return STATUS_GOOD;
}

static uint32_t in_file(const uint32_t *numbers, unsigned long own)
{
    return numbers != NULL ? numbers[own] : (uint32_t)own;
}

static void print_feature(const loaded_world *loaded, const dent_proximity *pair, bool side_b, char *text)
{
    char own[FEATURE_SIZE];
    const loaded_body *body = &loaded->bodies[side_b ? pair->body_b : pair->body_a];
    dent_proximity_feature_print(loaded->world, pair, side_b, own, sizeof own);
    char *rest;
    unsigned long number = strtoul(own, &rest, 10);
    if (pair->kind == DENT_PROXIMITY_EDGE_EDGE) {
        uint32_t v0 = in_file(body->vertex_numbers, number), v1 = in_file(body->vertex_numbers, strtoul(rest + 1, NULL, 10));
        snprintf(text, FEATURE_SIZE, "%u-%u", v0 < v1 ? v0 : v1, v0 < v1 ? v1 : v0);
    } else {
        snprintf(text, FEATURE_SIZE, "%u%s", in_file(side_b ? body->element_numbers : body->vertex_numbers, number), rest);
    }
}

static void print_numbers(printer *out, const double *numbers, int count)
{
    for (int i = 0; i < count; i++) {
        printer_format(out, " %.17g", numbers[i]);
    }
}

static void print_pair(printer *out, const loaded_world *loaded, const dent_proximity *pair)
{
    char a[FEATURE_SIZE], b[FEATURE_SIZE];
    print_feature(loaded, pair, false, a);
    print_feature(loaded, pair, true, b);
    printer_format(out, "%u %s %u %s %s", pair->body_a, a, pair->body_b, b, dent_proximity_kind_name((dent_proximity_kind)pair->kind));
    print_numbers(out, &pair->distance, 1);
    print_numbers(out, pair->point_a, 3);
    print_numbers(out, pair->point_b, 3);
    print_numbers(out, pair->direction, 3);
    printer_format(out, " %s %s\n", dent_closest_feature_name((dent_closest_feature)pair->closest_a),
                   dent_closest_feature_name((dent_closest_feature)pair->closest_b));
}

static void print_statistics(tool_session *session, const loaded_world *loaded, const dent_proximity_result *result)
{
    const dent_query_counters *counters = &result->counters;
    remark("%llu pairs (%llu vertex-face), pairs_hash %016llx, method %s (%s), %u threads, isa %s", (unsigned long long)result->count,
           (unsigned long long)result->vertex_face_count,
           (unsigned long long)dent_proximity_hash(loaded->world, result->pairs, result->count), dent_method_name(counters->method),
           counters->reason, dent_context_worker_count(session->context), dent_isa_name(dent_context_isa(session->context)));
    remark("%llu elements, %llu box tests, %llu candidates, %llu bytes scratch", (unsigned long long)counters->elements,
           (unsigned long long)counters->box_tests, (unsigned long long)counters->candidates,
           (unsigned long long)counters->scratch_bytes);
    remark("%.3f ms prepare, %.3f ms search, %.3f ms finish", (double)counters->ns_prepare * 1e-6,
           (double)counters->ns_search * 1e-6, (double)counters->ns_finish * 1e-6);
}

/* Prints all pairs; Ctrl-C or a failing output stops it after a whole line. */
static int print_pairs(tool_session *session, const loaded_world *loaded, const dent_proximity_result *result)
{
    progress_begin(&session->progress, "printing", result->count);
    for (uint64_t i = 0; i < result->count; i++) {
        if (i % PAIRS_PER_POLL == 0) {
            progress_set(&session->progress, i, result->count);
            if (interrupt_seen() || printer_failed(session->out)) {
                break;
            }
        }
        print_pair(session->out, loaded, &result->pairs[i]);
    }
    printer_flush(session->out);
    progress_end(&session->progress);
    if (interrupt_seen()) {
        return interrupt_report();
    }
    if (options_have(session->options, OPTION_STATS) && !printer_failed(session->out)) {
        print_statistics(session, loaded, result);
    }
    return STATUS_GOOD;
}

int ask_proximity(tool_session *session, const loaded_world *loaded)
{
    const tool_options *options = session->options;
    dent_proximity_def def = dent_proximity_def_default();
    def.thickness = options->thickness;
    def.method = options->method;
    def.closest_features_only = options_have(options, OPTION_CLOSEST_ONLY);
    def.cancel = interrupt_flag();
    dent_proximity_result result;
    progress_begin(&session->progress, "searching", 0);
    dent_status status = dent_world_proximity(loaded->world, &def, &result);
    progress_end(&session->progress);
    if (status != DENT_OK) {
        return complain("pairs: %s", dent_world_message(loaded->world));
    }
    if (interrupt_seen()) {
        return interrupt_report();
    }
    if (result.outcome != DENT_OUTCOME_COMPLETE) {
        return complain("pairs: the answer is not complete: %s", dent_outcome_name(result.outcome));
    }
    return print_pairs(session, loaded, &result);
}
