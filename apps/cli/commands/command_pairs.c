/* command_pairs.c — `dent pairs`: the answer to one exact question, one pair per line, in canonical order.
 *
 * Features are printed with the numbers of the file. When a file gives several bodies, a body's own numbers are mapped
 * back through the tables the reader keeps. */
#include "deadline_report.h"
#include "interrupt.h"
#include "pairs_proximity.h"
#include "questions.h"
#include "tool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The feature as dent_feature_print writes it, its leading number replaced by the one in the file. */
void print_pair_feature(const loaded_world *loaded, dent_question question, const dent_pair *pair, bool side_b,
                        char *text)
{
    char own[FEATURE_SIZE];
    dent_feature_print(loaded->world, question, pair, side_b, own, sizeof own);
    const loaded_body *body = &loaded->bodies[side_b ? pair->body_b : pair->body_a];
    const dent_feature_pair *sides = &dent_question_get_info(question)->features[0];
    bool vertex = (side_b ? sides->b : sides->a) == DENT_FEATURE_VERTEX;
    const uint32_t *numbers = vertex ? body->vertex_numbers : body->element_numbers;
    if (numbers == NULL) {
        memcpy(text, own, sizeof own);
        return;
    }
    char *rest;
    unsigned long number = strtoul(own, &rest, 10);
    snprintf(text, FEATURE_SIZE, "%u%s", numbers[number], rest);
}

/* ---- the answer to an exact question, for pair_report.c -------------------------------------------------- */

typedef struct exact_answer {
    dent_question question;
    const dent_pair_list *list;
} exact_answer;

static int pair_columns(const pair_answer *answer, const loaded_world *loaded, uint64_t index, char *text)
{
    const exact_answer *exact = answer->result;
    const dent_pair *pair = &exact->list->pairs[index];
    char a[FEATURE_SIZE], b[FEATURE_SIZE];
    print_pair_feature(loaded, exact->question, pair, false, a);
    print_pair_feature(loaded, exact->question, pair, true, b);
    return snprintf(text, COLUMNS_SIZE, "%u %s %u %s", pair->body_a, a, pair->body_b, b);
}

static unsigned pair_kind(const pair_answer *answer, uint64_t index)
{
    const exact_answer *exact = answer->result;
    return exact->list->pairs[index].kind - DENT_PAIR_INTERIOR;
}

static void pair_numbers(const pair_answer *answer, uint64_t index, printer *out)
{
    const exact_answer *exact = answer->result;
    if (exact->list->cell_points != NULL) {
        print_pair_numbers(out, exact->list->cell_points[index].weights, 4);
    } else if (exact->list->segments != NULL) {
        print_pair_numbers(out, exact->list->segments[index].point0, 3);
        print_pair_numbers(out, exact->list->segments[index].point1, 3);
    }
}

static int report_exact(tool_session *session, const loaded_world *loaded, const dent_query_result *result,
                        const frame_facts *frame)
{
    const char *kinds[PAIR_KIND_LIMIT];
    for (unsigned i = 0; i < PAIR_KIND_LIMIT; i++) {
        kinds[i] = dent_pair_kind_name((dent_pair_kind)(DENT_PAIR_INTERIOR + i));
    }
    exact_answer exact = {.question = session->options->ask,
                          .list = dent_query_result_list(result, session->options->ask)};
    pair_answer answer = {.result = &exact,
                          .count = exact.list->count,
                          .counters = &result->counters,
                          .kinds = kinds,
                          .columns = pair_columns,
                          .kind = pair_kind,
                          .numbers = pair_numbers};
    return report_pairs(session, loaded, &answer, frame);
}

/* ---- asking ---------------------------------------------------------------------------------------------- */

static int leave_out_self_pairs(const loaded_world *loaded)
{
    for (uint32_t i = 0; i < loaded->body_count; i++) {
        if (dent_body_set_filter(loaded->world, loaded->bodies[i].id, 1, UINT32_MAX, false) != DENT_OK) {
            return complain("pairs: %s", dent_world_message(loaded->world));
        }
    }
    return STATUS_GOOD;
}

/* Details nobody will see are not worked out. */
static bool only_counted(const tool_options *options)
{
    return options_have(options, OPTION_JSON) || options_have(options, OPTION_COUNT_ONLY);
}

static int ask_exact(tool_session *session, const loaded_world *loaded, const frame_facts *frame)
{
    const tool_options *options = session->options;
    dent_query_def def = dent_query_def_default();
    def.questions = options->ask;
    def.method = options->method;
    def.touching = options_have(options, OPTION_TOUCHING);
    def.surface_vertices_only = options_have(options, OPTION_SURFACE_VERTICES_ONLY);
    def.no_details = only_counted(options);
    def.cancel = interrupt_flag();
    dent_query_result result;
    progress_begin(&session->progress, "searching", 0);
    dent_status status = dent_world_query(loaded->world, &def, &result);
    progress_end(&session->progress);
    int failed = check_answer(loaded, status, &result.outcome);
    return failed ? failed : report_exact(session, loaded, &result, frame);
}

/* How a question is asked and printed. All discrete ones share an asker. */
typedef int pair_asker(tool_session *session, const loaded_world *loaded, const frame_facts *frame);

static pair_asker *asker_of(const dent_question_info *info)
{
    return info->discrete                                 ? ask_exact
           : info->question == DENT_QUESTION_PROXIMITY ? ask_proximity
           : info->question == DENT_QUESTION_STRAND    ? ask_strand
                                                       : NULL;
}

bool question_has_pairs(const dent_question_info *info)
{
    return asker_of(info) != NULL;
}

static int ask_frame(tool_session *session, const loaded_world *loaded, const frame_facts *frame, void *user)
{
    (void)user;
    const tool_options *options = session->options;
    bool fresh = frame == NULL || frame->fresh;
    if (fresh && options_have(options, OPTION_NO_SELF) && leave_out_self_pairs(loaded) != STATUS_GOOD) {
        return STATUS_ERROR;
    }
    return asker_of(dent_question_get_info(options->ask))(session, loaded, frame);
}

static int ask(tool_session *session, const loaded_world *loaded)
{
    return ask_frame(session, loaded, NULL, NULL);
}

static int run_pairs(const tool_options *options, printer *out)
{
    if (!options_have(options, OPTION_ASK)) {
        const char *names[QUESTION_LIMIT];
        char joined[256];
        return complain("pairs: say what is asked: --ask %s",
                        join_words(names, list_question_names(question_has_pairs, names), joined, sizeof joined));
    }
    int refused = refuse_proximity_options(options);
    if (refused != STATUS_GOOD) {
        return refused;
    }
    if (options_have(options, OPTION_DEADLINE)) {
        if (options->ask != DENT_QUESTION_FACE_FACE || options_name_series(options)) {
            return complain("pairs: --deadline is for --ask face-face, and for one model");
        }
        refused = refuse_with_deadline(options, "pairs");
        return refused ? refused : run_on_model(options, out, pairs_by_deadline);
    }
    return options_name_series(options) ? run_on_series(options, out, ask_frame, NULL, NULL)
                                        : run_on_model(options, out, ask);
}

const tool_command command_pairs_row = {
    .name = "pairs",
    .summary = "the exact result of one question, one pair per line",
    .arguments = "--ask QUESTION [OPTION...] FILE...",
    .details = HELP_ON_FILES
    "\n"
    "Columns: body a, feature a, body b, feature b, kind, numbers. A feature is its 0-based index in\n"
    "the file. A solid's surface face is cell/corner, the face opposite that corner (cell/face.part\n"
    "for cells that are not tetrahedra), an edge is v0-v1. Pairs that share a vertex are never\n"
    "reported. The result is the same for every method, thread count and instruction set. The exit\n"
    "status is 0 whether or not there are pairs. Lines of robots, and of all with --names, end with the\n"
    "names of both bodies, each behind a tab, and JSON has the key names, those of all bodies.\n"
    "\n" HELP_ON_SERIES
    "Each line then begins with the frame number; --count prints the number of pairs of each frame.\n"
    "\n"
    "--deadline MS (face-face of one model) searches for MS milliseconds, reading and building trees not\n"
    "counted. It prints the confirmed pairs, then a line per pending region: pending, body a, body b,\n"
    "least and largest gap, then for each body the number of faces, centre and radius of the ball that\n"
    "holds them. All pairs not printed lie in pending regions. Exit status 2: some are pending. JSON\n"
    "keys: pairs pending error ms outcome.\n"
    "\n"
    "JSON keys, one object per query: (series: frame file fresh) pairs, the number of each kind,\n"
    "pairs_hash method candidates rebuilds ms.\n",
    .option_bits = OPTION_BIT(OPTION_ASK) | OPTION_BIT(OPTION_METHOD) | OPTIONS_OF_MACHINE |
                   OPTION_BIT(OPTION_TOUCHING) | OPTION_BIT(OPTION_SURFACE_VERTICES_ONLY) | OPTION_BIT(OPTION_NO_SELF) | OPTION_BIT(OPTION_NAMES) |
                   OPTION_BIT(OPTION_THICKNESS) | OPTION_BIT(OPTION_CLOSEST_ONLY) | OPTION_BIT(OPTION_MEMORY_LIMIT) |
                   OPTION_BIT(OPTION_MERGE) | OPTIONS_OF_ROBOT_FILES | OPTIONS_OF_SERIES |
                   OPTION_BIT(OPTION_COUNT_ONLY) | OPTIONS_OF_SCENES | OPTION_BIT(OPTION_DEADLINE) |
                   OPTION_BIT(OPTION_STATS) | OPTION_BIT(OPTION_JSON),
    .argument_min = 1,
    .argument_max = UINT32_MAX,
    .run = run_pairs,
};
