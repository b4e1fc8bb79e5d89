/* pairs_proximity.c — `dent pairs --ask proximity` and `--ask strand`: features closer than a thickness, one pair per
 * line, in canonical order.
 *
 * As in command_pairs.c, features are printed with the numbers of the file. */
#include "pairs_proximity.h"

#include "interrupt.h"
#include "tool.h"

#include <dent/strand.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int refuse_proximity_options(const tool_options *options)
{
    bool proximity = options->ask == DENT_QUESTION_PROXIMITY, strand = options->ask == DENT_QUESTION_STRAND;
    if (proximity && !options_have(options, OPTION_THICKNESS)) {
        return complain("pairs: --ask proximity needs a thickness: --thickness D");
    }
    if ((!proximity && options_have(options, OPTION_CLOSEST_ONLY)) ||
        (!proximity && !strand && options_have(options, OPTION_THICKNESS))) {
        return complain("pairs: --thickness and --closest-only are for --ask proximity");
    }
    if ((proximity || strand) && (options_have(options, OPTION_TOUCHING) || options_have(options, OPTION_SURFACE_VERTICES_ONLY))) {
        return complain("pairs: --touching and --surface-vertices-only are not for --ask %s",
                        proximity ? "proximity" : "strand");
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
        uint32_t v0 = in_file(body->vertex_numbers, number),
                 v1 = in_file(body->vertex_numbers, strtoul(rest + 1, NULL, 10));
        snprintf(text, FEATURE_SIZE, "%u-%u", v0 < v1 ? v0 : v1, v0 < v1 ? v1 : v0);
    } else {
        snprintf(text, FEATURE_SIZE, "%u%s", in_file(side_b ? body->element_numbers : body->vertex_numbers, number),
                 rest);
    }
}

/* ---- the answer for pair_report.c ------------------------------------------------------------------------ */

static const dent_proximity *pair_at(const pair_answer *answer, uint64_t index)
{
    const dent_proximity_result *result = answer->result;
    return &result->pairs[index];
}

static int pair_columns(const pair_answer *answer, const loaded_world *loaded, uint64_t index, char *text)
{
    const dent_proximity *pair = pair_at(answer, index);
    char a[FEATURE_SIZE], b[FEATURE_SIZE];
    print_feature(loaded, pair, false, a);
    print_feature(loaded, pair, true, b);
    return snprintf(text, COLUMNS_SIZE, "%u %s %u %s", pair->body_a, a, pair->body_b, b);
}

static unsigned pair_kind(const pair_answer *answer, uint64_t index)
{
    return pair_at(answer, index)->kind - DENT_PROXIMITY_VERTEX_FACE;
}

static void pair_numbers(const pair_answer *answer, uint64_t index, printer *out)
{
    const dent_proximity *pair = pair_at(answer, index);
    print_pair_numbers(out, &pair->distance, 1);
    print_pair_numbers(out, pair->point_a, 3);
    print_pair_numbers(out, pair->point_b, 3);
    print_pair_numbers(out, pair->direction, 3);
    printer_format(out, " %s %s", dent_closest_feature_name((dent_closest_feature)pair->closest_a),
                   dent_closest_feature_name((dent_closest_feature)pair->closest_b));
}

/* ---- asking ---------------------------------------------------------------------------------------------- */

int ask_proximity(tool_session *session, const loaded_world *loaded, const frame_facts *frame)
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
    int failed = check_answer(loaded, status, &result.outcome);
    if (failed) {
        return failed;
    }
    const char *const kinds[PAIR_KIND_LIMIT] = {dent_proximity_kind_name(DENT_PROXIMITY_VERTEX_FACE),
                                                dent_proximity_kind_name(DENT_PROXIMITY_EDGE_EDGE)};
    pair_answer answer = {.result = &result,
                          .count = result.count,
                          .counters = &result.counters,
                          .kinds = kinds,
                          .columns = pair_columns,
                          .kind = pair_kind,
                          .numbers = pair_numbers};
    return report_pairs(session, loaded, &answer, frame);
}

/* ---- strands --------------------------------------------------------------------------------------------- */

/* Details are there or not: the pairs are enough for the columns. */
static dent_proximity strand_pair_at(const pair_answer *answer, uint64_t index)
{
    const dent_strand_result *result = answer->result;
    if (result->details != NULL) {
        return result->details[index];
    }
    bool face = index < result->vertex_face_count;
    const dent_pair *pair = face ? &result->vertex_face[index] : &result->edge_edge[index - result->vertex_face_count];
    return (dent_proximity){.kind = pair->kind,
                            .body_a = pair->body_a,
                            .feature_a = pair->feature_a,
                            .body_b = pair->body_b,
                            .feature_b = pair->feature_b};
}

static int strand_columns(const pair_answer *answer, const loaded_world *loaded, uint64_t index, char *text)
{
    dent_proximity pair = strand_pair_at(answer, index);
    dent_proximity_result one = {.pairs = &pair, .count = 1};
    return pair_columns(&(pair_answer){.result = &one, .count = 1}, loaded, 0, text);
}

static unsigned strand_kind(const pair_answer *answer, uint64_t index)
{
    return strand_pair_at(answer, index).kind - DENT_PROXIMITY_VERTEX_FACE;
}

static void strand_numbers(const pair_answer *answer, uint64_t index, printer *out)
{
    dent_proximity pair = strand_pair_at(answer, index);
    dent_proximity_result one = {.pairs = &pair, .count = 1};
    pair_numbers(&(pair_answer){.result = &one, .count = 1}, 0, out);
}

int ask_strand(tool_session *session, const loaded_world *loaded, const frame_facts *frame)
{
    const tool_options *options = session->options;
    dent_strand_query_def def = dent_strand_query_def_default();
    def.thickness = options_have(options, OPTION_THICKNESS) ? options->thickness : 0;
    def.method = options->method;
    def.no_details = options_have(options, OPTION_JSON) || options_have(options, OPTION_COUNT_ONLY);
    def.cancel = interrupt_flag();
    dent_strand_result result;
    progress_begin(&session->progress, "searching", 0);
    dent_status status = dent_world_strands(loaded->world, &def, &result);
    progress_end(&session->progress);
    int failed = check_answer(loaded, status, &result.outcome);
    if (failed) {
        return failed;
    }
    const char *const kinds[PAIR_KIND_LIMIT] = {dent_proximity_kind_name(DENT_PROXIMITY_VERTEX_FACE),
                                                dent_proximity_kind_name(DENT_PROXIMITY_EDGE_EDGE)};
    pair_answer answer = {.result = &result,
                          .count = result.vertex_face_count + result.edge_edge_count,
                          .counters = &result.counters,
                          .kinds = kinds,
                          .columns = strand_columns,
                          .kind = strand_kind,
                          .numbers = strand_numbers};
    return report_pairs(session, loaded, &answer, frame);
}
