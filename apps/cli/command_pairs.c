/* command_pairs.c — `dent pairs`: the answer to one exact question, one pair per line, in canonical order.
 *
 * Features are printed with the numbers of the file. When a file gives several bodies, a body's own numbers are mapped
 * back through the tables the reader keeps. */
#include "interrupt.h"
#include "load_world.h"
#include "pairs_proximity.h"
#include "tool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FEATURE_SIZE = 64, PAIRS_PER_POLL = 1024 };

static const uint64_t fnv_start = 14695981039346656037u;

static uint64_t fnv_bytes(uint64_t hash, const char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ (unsigned char)bytes[i]) * 1099511628211u;
    }
    return hash;
}

/* The feature as dent_feature_print writes it, its leading number replaced by the one in the file. */
static void print_feature(const loaded_world *loaded, dent_question question, const dent_pair *pair, bool side_b,
                          char *text)
{
    char own[FEATURE_SIZE];
    dent_feature_print(loaded->world, question, pair, side_b, own, sizeof own);
    const loaded_body *body = &loaded->bodies[side_b ? pair->body_b : pair->body_a];
    bool vertex = question == DENT_QUESTION_VERTEX_CELL && !side_b;
    const uint32_t *numbers = vertex ? body->vertex_numbers : body->element_numbers;
    if (numbers == NULL) {
        memcpy(text, own, sizeof own);
        return;
    }
    char *rest;
    unsigned long number = strtoul(own, &rest, 10);
    snprintf(text, FEATURE_SIZE, "%u%s", numbers[number], rest);
}

static void print_numbers(printer *out, const double *numbers, int count)
{
    for (int i = 0; i < count; i++) {
        printer_format(out, " %.17g", numbers[i]);
    }
}

static void print_pair(printer *out, const loaded_world *loaded, dent_question question, const dent_pair_list *list,
                       uint64_t index, uint64_t *hash)
{
    const dent_pair *pair = &list->pairs[index];
    char a[FEATURE_SIZE], b[FEATURE_SIZE], columns[2 * FEATURE_SIZE + 32];
    print_feature(loaded, question, pair, false, a);
    print_feature(loaded, question, pair, true, b);
    int length = snprintf(columns, sizeof columns, "%u %s %u %s", pair->body_a, a, pair->body_b, b);
    *hash = fnv_bytes(*hash, columns, (size_t)length);
    *hash = fnv_bytes(*hash, "\n", 1);
    printer_bytes(out, columns, (size_t)length);
    printer_text(out, " ");
    printer_text(out, dent_pair_kind_name((dent_pair_kind)pair->kind));
    if (question == DENT_QUESTION_VERTEX_CELL) {
        print_numbers(out, list->cell_points[index].weights, 4);
    } else if (question == DENT_QUESTION_FACE_FACE) {
        print_numbers(out, list->segments[index].point0, 3);
        print_numbers(out, list->segments[index].point1, 3);
    }
    printer_text(out, "\n");
}

static const dent_pair_list *list_of(const dent_query_result *result, dent_question question)
{
    switch (question) {
    case DENT_QUESTION_VERTEX_CELL:
        return &result->vertex_cell;
    case DENT_QUESTION_FACE_CELL:
        return &result->face_cell;
    default:
        return &result->face_face;
    }
}

static void print_statistics(tool_session *session, const dent_query_result *result, uint64_t pairs, uint64_t hash)
{
    const dent_query_counters *counters = &result->counters;
    remark("%llu pairs, pairs_hash %016llx, method %s%s%s%s, %u threads, isa %s", (unsigned long long)pairs,
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

/* Prints all pairs; Ctrl-C or a failing output stops it after a whole line. */
static int print_pairs(tool_session *session, const loaded_world *loaded, const dent_query_result *result)
{
    dent_question question = session->options->ask;
    const dent_pair_list *list = list_of(result, question);
    uint64_t hash = fnv_start;
    progress_begin(&session->progress, "printing", list->count);
    for (uint64_t i = 0; i < list->count; i++) {
        if (i % PAIRS_PER_POLL == 0) {
            progress_set(&session->progress, i, list->count);
            if (interrupt_seen() || printer_failed(session->out)) {
                break;
            }
        }
        print_pair(session->out, loaded, question, list, i, &hash);
    }
    printer_flush(session->out);
    progress_end(&session->progress);
    if (interrupt_seen()) {
        return interrupt_report();
    }
    if (options_have(session->options, OPTION_STATS) && !printer_failed(session->out)) {
        print_statistics(session, result, list->count, hash);
    }
    return STATUS_GOOD;
}

static int leave_out_self_pairs(const loaded_world *loaded)
{
    for (uint32_t i = 0; i < loaded->body_count; i++) {
        if (dent_body_set_filter(loaded->world, loaded->bodies[i].id, 1, UINT32_MAX, false) != DENT_OK) {
            return complain("pairs: %s", dent_world_message(loaded->world));
        }
    }
    return STATUS_GOOD;
}

static int ask(tool_session *session, const loaded_world *loaded)
{
    const tool_options *options = session->options;
    if (options_have(options, OPTION_NO_SELF) && leave_out_self_pairs(loaded) != STATUS_GOOD) {
        return STATUS_ERROR;
    }
    if (options->ask == DENT_QUESTION_PROXIMITY) {
        return ask_proximity(session, loaded);
    }
    dent_query_def def = dent_query_def_default();
    def.questions = options->ask;
    def.method = options->method;
    def.touching = options_have(options, OPTION_TOUCHING);
    def.surface_vertices_only = options_have(options, OPTION_SURFACE_VERTICES_ONLY);
    def.cancel = interrupt_flag();
    dent_query_result result;
    progress_begin(&session->progress, "searching", 0);
    dent_status status = dent_world_query(loaded->world, &def, &result);
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

static int run_pairs(const tool_options *options, printer *out)
{
    if (!options_have(options, OPTION_ASK)) {
        return complain("pairs: say what is asked: --ask vertex-cell, face-cell, face-face or proximity");
    }
    int refused = refuse_proximity_options(options);
    if (refused != STATUS_GOOD) {
        return refused;
    }
    tool_session session;
    int status = session_open(&session, options, out);
    if (status != STATUS_GOOD) {
        return status;
    }
    loaded_world loaded;
    status = loaded_world_read_arguments(&session, &loaded);
    if (status == STATUS_GOOD) {
        status = ask(&session, &loaded);
        loaded_world_close(&session, &loaded);
    }
    session_close(&session);
    return status;
}

const tool_command command_pairs_row = {
    .name = "pairs",
    .summary = "the exact answer to one question, one pair per line",
    .arguments = "--ask QUESTION [OPTION...] FILE...",
    .details = "questions:\n"
               "  vertex-cell   vertices inside cells; numbers: the four barycentric coordinates\n"
               "  face-cell     surface faces that meet the inside of cells; no numbers\n"
               "  face-face     surface faces that cross or share area; numbers: the two end points of the\n"
               "                common segment\n"
               "  proximity     surface vertices and faces, surface edges and edges, no farther apart than twice\n"
               "                --thickness; numbers: distance, the closest points on a and on b, the unit\n"
               "                direction from b to a; then where these points lie: vertex, edge or interior\n"
               "\n" HELP_ON_FILES "\n"
               "Columns: body a, feature a, body b, feature b, kind, numbers. A feature is its 0-based place in\n"
               "the file; a solid's surface face is cell/corner, the face opposite that corner (cell/face.part\n"
               "for cells that are not tetrahedra), an edge is v0-v1. Pairs that share a vertex are no answer. The answer is the\n"
               "same for every method, thread count and instruction set; the exit status is 0 whether or not\n"
               "there are pairs.\n",
    .option_bits = OPTION_BIT(OPTION_ASK) | OPTION_BIT(OPTION_METHOD) | OPTIONS_OF_MACHINE |
                   OPTION_BIT(OPTION_TOUCHING) | OPTION_BIT(OPTION_SURFACE_VERTICES_ONLY) | OPTION_BIT(OPTION_NO_SELF) |
                   OPTION_BIT(OPTION_THICKNESS) | OPTION_BIT(OPTION_CLOSEST_ONLY) |
                   OPTION_BIT(OPTION_MERGE) | OPTIONS_OF_SCENES | OPTION_BIT(OPTION_STATS),
    .argument_min = 1,
    .argument_max = UINT32_MAX,
    .run = run_pairs,
};
