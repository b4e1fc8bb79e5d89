/* One query, from positions to canonical lists, in one direction:
 *
 *   caller's positions -> snapshot (read, checked) -> method (offers candidates) -> sink (exact test, answers per block)
 *                      -> canonical order -> details -> views of the arrays in the result
 *
 * Every stage reads what the one before wrote and knows nothing of the next. What a query keeps is memory, not meaning:
 * the lists of the last answer are overwritten.
 */
#include "base/context.h"
#include "methods/interface/method_table.h"
#include "query/border/border_search.h"
#include "query/discrete/discrete_state.h"
#include "query/pairs/pair_tests.h"
#include "query/world/question.h"

#include <stdio.h>
#include <string.h>

static const dent_question all_questions[DENT_DISCRETE_QUESTION_COUNT] = {
    DENT_QUESTION_VERTEX_CELL,
    DENT_QUESTION_FACE_CELL,
    DENT_QUESTION_FACE_FACE,
};

/* ---- what the world keeps ---------------------------------------------------------------------------------------- */

static void init_state(dent_context *context, void *data)
{
    struct discrete_state *state = data;
    for (int i = 0; i < DENT_DISCRETE_QUESTION_COUNT; i++) {
        answer_list_init(&state->answers[i], context, all_questions[i]);
    }
}

static void destroy_state(dent_context *context, void *data)
{
    struct discrete_state *state = data;
    for (int method = 1; method < DENT_METHOD_COUNT; method++) {
        const struct method_row *row = method_row_of((dent_method)method);
        if (row && row->destroy && state->method_states[method]) {
            row->destroy(context, state->method_states[method]);
        }
    }
    for (int i = 0; i < DENT_DISCRETE_QUESTION_COUNT; i++) {
        answer_list_destroy(&state->answers[i]);
    }
}

struct discrete_state *discrete_state_of(dent_world *world)
{
    static const struct world_slot_kind kind = {WORLD_SLOT_DISCRETE, sizeof(struct discrete_state), init_state,
                                                destroy_state};
    return world_state_of(world, &kind);
}

/* ---- the sink ---------------------------------------------------------------------------------------------------- */

/* One per worker, a cache line apart. */
struct worker_counters {
    _Alignas(64) predicate_counters predicates;
    uint64_t box_tests, candidates, cells_visited;
};

/* The sink of the candidate-collecting methods: exact test, answers per block. */
struct testing_sink {
    struct candidate_sink interface;
    struct answer_list *answers;
    const struct snapshot *snapshot;
    bool touching;
    struct worker_counters *workers;
};

static bool sink_begin(struct candidate_sink *interface, dent_question question, uint32_t block_count)
{
    struct testing_sink *sink = (struct testing_sink *)interface;
    return block_output_begin(&sink->answers[question_index(question)].blocks, block_count);
}

static void sink_offer(struct candidate_sink *interface, dent_question question, uint32_t block, uint32_t worker,
                       const struct candidate *candidates, size_t count)
{
    struct testing_sink *sink = (struct testing_sink *)interface;
    struct block_output *blocks = &sink->answers[question_index(question)].blocks;
    pair_test *test = pair_test_of(question);
    struct worker_counters *counters = &sink->workers[worker];
    counters->candidates += count;
    for (size_t i = 0; i < count; i++) {
        struct candidate candidate = candidates[i];
        bool flipped = question == DENT_QUESTION_FACE_FACE &&
                       (candidate.body_a > candidate.body_b ||
                        (candidate.body_a == candidate.body_b && candidate.feature_a > candidate.feature_b));
        if (flipped) {
            candidate =
                (struct candidate){candidate.body_b, candidate.feature_b, candidate.body_a, candidate.feature_a};
        }
        dent_pair_kind kind = test(sink->snapshot, &candidate, sink->touching, &counters->predicates);
        if (kind) {
            dent_pair pair = {candidate.body_a, candidate.feature_a, candidate.body_b, candidate.feature_b, kind};
            block_output_append(blocks, block, &pair, 1); /* a failure is remembered and met at the merge */
        }
    }
}

static void sink_count_box_tests(struct candidate_sink *interface, uint32_t worker, uint64_t count)
{
    struct testing_sink *sink = (struct testing_sink *)interface;
    sink->workers[worker].box_tests += count;
}

static void sink_answer(struct candidate_sink *interface, dent_question question, uint32_t block, uint32_t worker,
                        const dent_pair *pairs, size_t count)
{
    struct testing_sink *sink = (struct testing_sink *)interface;
    (void)worker;
    block_output_append(&sink->answers[question_index(question)].blocks, block, pairs, count);
}

static void sink_count_cells_visited(struct candidate_sink *interface, uint32_t worker, uint64_t count)
{
    struct testing_sink *sink = (struct testing_sink *)interface;
    sink->workers[worker].cells_visited += count;
}

static struct predicate_counters *sink_predicates(struct candidate_sink *interface, uint32_t worker)
{
    struct testing_sink *sink = (struct testing_sink *)interface;
    return &sink->workers[worker].predicates;
}

/* ---- the stages -------------------------------------------------------------------------------------------------- */

/* Puts a word behind a list of words in a buffer; what does not fit is cut off. */
static void add_word(char *text, size_t size, const char *separator, const char *word)
{
    size_t used = strlen(text);
    snprintf(text + used, size - used, "%s%s", used > 0 ? separator : "", word);
}

/* The method cannot answer: which question that is, and who can answer all that is asked. */
static dent_status refuse_method(dent_world *world, const dent_query_def *def)
{
    char questions[64] = "", methods[256] = "";
    for (int i = 0; i < DENT_DISCRETE_QUESTION_COUNT; i++) {
        if (def->questions & ~dent_method_questions(def->method) & all_questions[i]) {
            add_word(questions, sizeof questions, " or ", dent_question_name(all_questions[i]));
        }
    }
    for (int method = 0; method < DENT_METHOD_COUNT; method++) {
        if (!(def->questions & ~dent_method_questions((dent_method)method))) {
            add_word(methods, sizeof methods, ", ", dent_method_name((dent_method)method));
        }
    }
    return message_fail(&world->message, DENT_ERROR_UNSUPPORTED, "method %s cannot answer %s; these can: %s",
                        dent_method_name(def->method), questions, methods);
}

static dent_status check_def(dent_world *world, const void *data)
{
    const dent_query_def *def = data;
    uint32_t known = DENT_QUESTION_VERTEX_CELL | DENT_QUESTION_FACE_CELL | DENT_QUESTION_FACE_FACE;
    if (def->questions & DENT_QUESTION_PROXIMITY) {
        return message_fail(&world->message, DENT_ERROR_INVALID_ARGUMENT,
                            "proximity is asked by dent_world_proximity()");
    }
    if (def->questions & DENT_QUESTION_IMPACT) {
        return message_fail(&world->message, DENT_ERROR_INVALID_ARGUMENT, "impact is asked by dent_world_impacts()");
    }
    if (def->border && def->border->struct_size != sizeof *def->border) {
        return message_fail(&world->message, DENT_ERROR_INVALID_ARGUMENT,
                            "the border def was not made by dent_border_def_default()");
    }
    if ((def->questions == 0 && !def->border) || (def->questions & ~known) != 0) {
        return message_fail(&world->message, DENT_ERROR_INVALID_ARGUMENT,
                            "questions: expected one or more of DENT_QUESTION_VERTEX_CELL, DENT_QUESTION_FACE_CELL and "
                            "DENT_QUESTION_FACE_FACE; got %u",
                            (unsigned)def->questions);
    }
    if (def->method != DENT_METHOD_AUTO && !method_row_of(def->method)) {
        return message_fail(&world->message, DENT_ERROR_INVALID_ARGUMENT, "there is no method number %d",
                            (int)def->method);
    }
    uint32_t missing = def->questions & ~dent_method_questions(def->method);
    if (missing) {
        return refuse_method(world, def);
    }
    return DENT_OK;
}

/* What the stages of one call share. */
struct discrete_run {
    struct discrete_state *state;
    struct worker_counters *workers;
};

static dent_status create_state(dent_world *world, struct discrete_state *kept, const struct method_row *row)
{
    void **state = &kept->method_states[row->method];
    if (*state || !row->create) {
        return DENT_OK;
    }
    dent_status status = row->create(world->context, state);
    return status == DENT_OK ? status : message_fail(&world->message, status, "out of memory for method %s", row->name);
}

static dent_status find_method(struct question_call *call, const dent_query_def *def, const struct method_row **row,
                               const char **reason)
{
    struct discrete_run *run = call->run;
    *reason = "asked for";
    *row = def->method == DENT_METHOD_AUTO
               ? method_choose(&call->world->snapshot, def->questions, def->touching, &run->state->experience, reason)
               : method_row_of(def->method);
    return create_state(call->world, run->state, *row);
}

/* The spatial hash answers everything, whatever the bodies look like. */
static dent_status search_by_other_method(const struct search_request *request, struct candidate_sink *sink)
{
    struct question_call *call = request->owner;
    struct discrete_run *run = call->run;
    const struct method_row *row = method_row_of(DENT_METHOD_SPATIAL_HASH);
    dent_status status = create_state(call->world, run->state, row);
    return status == DENT_OK ? row->search(run->state->method_states[row->method], request, sink) : status;
}

static dent_status search(struct question_call *call, const dent_query_def *def, const struct method_row *row)
{
    dent_world *world = call->world;
    struct discrete_run *run = call->run;
    dent_query_result *result = call->result;
    struct testing_sink sink = {.interface = {sink_begin, sink_offer, sink_answer, sink_count_box_tests,
                                              sink_count_cells_visited, sink_predicates},
                                .answers = run->state->answers,
                                .snapshot = &world->snapshot,
                                .touching = def->touching,
                                .workers = run->workers};
    struct search_request request = {
        .context = world->context,
        .isa = dent_context_isa(world->context),
        .snapshot = &world->snapshot,
        .forest = &world->forest,
        .def = def,
        .counters = &result->counters,
        .questions = def->questions,
        .surface_vertices_only = def->surface_vertices_only,
        .cancel = &call->cancel,
        .scratch = &world->scratch,
        .message = &world->message,
        .by_other_method = search_by_other_method,
        .owner = call,
    };
    return row->search(run->state->method_states[row->method], &request, &sink.interface);
}

static dent_status list_answers(struct question_call *call)
{
    dent_world *world = call->world;
    const struct discrete_run *run = call->run;
    const dent_query_def *def = call->def;
    dent_query_result *result = call->result;
    dent_pair_list *views[DENT_DISCRETE_QUESTION_COUNT] = {&result->vertex_cell, &result->face_cell,
                                                           &result->face_face};
    for (int i = 0; i < DENT_DISCRETE_QUESTION_COUNT; i++) {
        struct answer_list *list = &run->state->answers[i];
        if (!(def->questions & all_questions[i])) {
            continue;
        }
        if (block_output_count(&list->blocks) >= UINT32_MAX) {
            return message_fail(&world->message, DENT_ERROR_TOO_LARGE, "%s has 2^32 - 1 or more answers",
                                dent_question_name(all_questions[i]));
        }
        if (!answer_list_sort(list, &world->scratch) ||
            (!def->no_details && !answer_list_add_details(list, world->context, &world->snapshot))) {
            return message_fail(&world->message, DENT_ERROR_OUT_OF_MEMORY, "out of memory for the answers to %s",
                                dent_question_name(all_questions[i]));
        }
        answer_list_view(list, !def->no_details, views[i]);
    }
    return DENT_OK;
}

/* ---- the border -------------------------------------------------------------------------------------------------- */

/* What is searched for beyond the questions: the border is made from these answers. */
static uint32_t questions_of_border(const dent_query_def *def)
{
    bool needs_cells = def->border && !def->border->curves_only;
    uint32_t needed = DENT_QUESTION_VERTEX_CELL;
    needed |= needs_cells && !def->border->surface_edges_only ? (uint32_t)DENT_QUESTION_FACE_CELL : 0;
    return needs_cells ? needed & ~def->questions : 0;
}

static dent_status make_border(struct question_call *call)
{
    dent_world *world = call->world;
    const struct discrete_run *run = call->run;
    const dent_query_def *def = call->def;
    dent_query_result *result = call->result;
    struct answer_list *answers = run->state->answers;
    for (int i = 0; i < 2; i++) {
        if (questions_of_border(def) & all_questions[i] && !answer_list_sort(&answers[i], &world->scratch)) {
            return message_fail(&world->message, DENT_ERROR_OUT_OF_MEMORY, "out of memory for the border");
        }
    }
    struct border_search search = {
        .state = border_state_of(world),
        .def = def->border,
        .snapshot = &world->snapshot,
        .forest = &world->forest,
        .isa = dent_context_isa(world->context),
        .cancel = &call->cancel,
        .scratch = &world->scratch,
        .workers =
            arena_allocate_cleared(&world->scratch, dent_context_worker_count(world->context), sizeof *search.workers),
        .face_cell = &answers[question_index(DENT_QUESTION_FACE_CELL)].pairs,
        .vertex_cell = &answers[question_index(DENT_QUESTION_VERTEX_CELL)].pairs,
    };
    if (!search.state || !search.workers) {
        return message_fail(&world->message, DENT_ERROR_OUT_OF_MEMORY, "out of memory for the border");
    }
    dent_status status = border_run(&search, &world->message, &result->border);
    for (uint32_t worker = 0; worker < dent_context_worker_count(world->context); worker++) {
        result->counters.exact_fallbacks += search.workers[worker].predicates.exact_fallbacks;
    }
    return status;
}

/* ---- the stages of the row --------------------------------------------------------------------------------------- */

static dent_status prepare(struct question_call *call)
{
    struct discrete_run *run = call->run;
    dent_world *world = call->world;
    run->state = discrete_state_of(world);
    run->workers =
        arena_allocate_cleared(&world->scratch, dent_context_worker_count(world->context), sizeof *run->workers);
    return run->state && run->workers ? DENT_OK : question_out_of_memory(call);
}

/* The questions by their method, and what only the border needs: together where that method can, else by another. */
static dent_status search_all(struct question_call *call)
{
    const dent_query_def *def = call->def;
    dent_query_counters *counters = &((dent_query_result *)call->result)->counters;
    dent_query_def asked = *def, hidden = *def;
    const struct method_row *row = NULL;
    const char *ignored;
    hidden.questions = questions_of_border(def);
    hidden.method = DENT_METHOD_AUTO;
    hidden.touching = false;
    if (!(hidden.questions & ~dent_method_questions(def->method))) {
        asked.questions |= hidden.questions;
        hidden.questions = 0;
    }
    counters->reason = "nothing asked but the border";
    dent_status status = DENT_OK;
    uint32_t surfaces = asked.questions & DENT_QUESTION_FACE_FACE;
    if (asked.method == DENT_METHOD_AUTO && surfaces && surfaces != asked.questions) {
        /* No method is the best for both; each question by its own. The counters name the one for the cells. */
        dent_query_def surface_part = asked;
        surface_part.questions = surfaces;
        asked.questions &= ~surfaces;
        status = find_method(call, &surface_part, &row, &ignored);
        status = status == DENT_OK ? search(call, &surface_part, row) : status;
    }
    if (asked.questions && status == DENT_OK) {
        status = find_method(call, &asked, &row, &counters->reason);
        counters->method = row->method;
        status = status == DENT_OK ? search(call, &asked, row) : status;
    }
    if (hidden.questions && status == DENT_OK) {
        status = find_method(call, &hidden, &row, &ignored);
        status = status == DENT_OK ? search(call, &hidden, row) : status;
    }
    return status;
}

static dent_status finish(struct question_call *call)
{
    dent_query_result *result = call->result;
    const dent_query_def *def = call->def;
    dent_status status = DENT_OK;
    if (!cancel_requested(&call->cancel)) {
        status = list_answers(call);
        status = status == DENT_OK && def->border ? make_border(call) : status;
    }
    if (status == DENT_OK && !call->cancel.seen && def->questions & DENT_QUESTION_FACE_CELL) {
        struct discrete_state *state = ((struct discrete_run *)call->run)->state;
        method_learn(&state->experience, &call->world->snapshot, result->face_cell.count);
    }
    /* Asked for during the border it counts as well; what is listed by then is complete. */
    if (status == DENT_OK && call->cancel.seen) {
        *result = (dent_query_result){.outcome = DENT_OUTCOME_CANCELLED, .counters = result->counters};
    }
    return status;
}

static void count(struct question_call *call)
{
    const dent_world *world = call->world;
    const struct worker_counters *workers = ((struct discrete_run *)call->run)->workers;
    dent_query_counters *counters = &((dent_query_result *)call->result)->counters;
    for (uint32_t worker = 0; workers && worker < dent_context_worker_count(world->context); worker++) {
        counters->box_tests += workers[worker].box_tests;
        counters->candidates += workers[worker].candidates;
        counters->cells_visited += workers[worker].cells_visited;
        counters->exact_fallbacks += workers[worker].predicates.exact_fallbacks;
    }
    question_count_elements(call, counters);
}

const struct question_row discrete_question = {
    .name = "a query",
    .def_name = "query",
    .def_maker = "dent_query_def_default",
    .def_size = sizeof(dent_query_def),
    .result_size = sizeof(dent_query_result),
    .run_size = sizeof(struct discrete_run),
    .cancel_offset = offsetof(dent_query_def, cancel),
    .reads = READS_START,
    .check = check_def,
    .prepare = prepare,
    .search = search_all,
    .finish = finish,
    .count = count,
};

dent_status dent_world_query(dent_world *world, const dent_query_def *def, dent_query_result *result)
{
    QUESTION_REQUIRE(world, def, result);
    return question_ask(world, &discrete_question, def, result);
}

dent_query_def dent_query_def_default(void)
{
    dent_query_def def = {0};
    def.struct_size = sizeof def;
    return def;
}
