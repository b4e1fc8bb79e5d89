/* One query, from positions to canonical lists, in one direction:
 *
 *   caller's positions -> pose (read, checked) -> method (offers candidates) -> sink (exact test, answers per block)
 *                      -> canonical order -> details -> views of the arrays in the result
 *
 * Every stage reads what the one before wrote and knows nothing of the next. What a query keeps is memory, not meaning:
 * the lists of the last answer are overwritten.
 */
#include "base/context.h"
#include "base/floating_point_guard.h"
#include "methods/method_table.h"
#include "query/border_search.h"
#include "query/pair_tests.h"
#include "query/world_state.h"

#include <stdio.h>
#include <string.h>

static const dent_question all_questions[DENT_DISCRETE_QUESTION_COUNT] = {
    DENT_QUESTION_VERTEX_CELL,
    DENT_QUESTION_FACE_CELL,
    DENT_QUESTION_FACE_FACE,
};

/* One per worker, a cache line apart. */
struct worker_counters {
    _Alignas(64) predicate_counters predicates;
    uint64_t box_tests, candidates, cells_visited;
};

/* The sink of the candidate-collecting methods: exact test, answers per block. */
struct testing_sink {
    struct candidate_sink interface;
    dent_world *world;
    bool touching;
    struct worker_counters *workers;
};

static bool sink_begin(struct candidate_sink *interface, dent_question question, uint32_t block_count)
{
    struct testing_sink *sink = (struct testing_sink *)interface;
    return block_output_begin(&sink->world->answers[question_index(question)].blocks, block_count);
}

static void sink_offer(struct candidate_sink *interface, dent_question question, uint32_t block, uint32_t worker,
                       const struct candidate *candidates, size_t count)
{
    struct testing_sink *sink = (struct testing_sink *)interface;
    struct block_output *blocks = &sink->world->answers[question_index(question)].blocks;
    pair_test *test = pair_test_of(question);
    struct worker_counters *counters = &sink->workers[worker];
    counters->candidates += count;
    for (size_t i = 0; i < count; i++) {
        struct candidate candidate = candidates[i];
        bool turned = question == DENT_QUESTION_FACE_FACE &&
                      (candidate.body_a > candidate.body_b ||
                       (candidate.body_a == candidate.body_b && candidate.feature_a > candidate.feature_b));
        if (turned) {
            candidate =
                (struct candidate){candidate.body_b, candidate.feature_b, candidate.body_a, candidate.feature_a};
        }
        dent_pair_kind kind = test(&sink->world->pose, &candidate, sink->touching, &counters->predicates);
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
    block_output_append(&sink->world->answers[question_index(question)].blocks, block, pairs, count);
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

static dent_status check_def(dent_world *world, const dent_query_def *def)
{
    uint32_t known = DENT_QUESTION_VERTEX_CELL | DENT_QUESTION_FACE_CELL | DENT_QUESTION_FACE_FACE;
    if (!def || def->struct_size != sizeof *def) {
        return message_fail(&world->message, DENT_ERROR_INVALID_ARGUMENT,
                            "the query def was not made by dent_query_def_default()");
    }
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

static dent_status create_state(dent_world *world, const struct method_row *row)
{
    void **state = &world->method_states[row->method];
    if (*state || !row->create) {
        return DENT_OK;
    }
    dent_status status = row->create(world->context, state);
    return status == DENT_OK ? status : message_fail(&world->message, status, "out of memory for method %s", row->name);
}

static dent_status find_method(dent_world *world, const dent_query_def *def, const struct method_row **row,
                               const char **reason)
{
    *reason = "asked for";
    *row = def->method == DENT_METHOD_AUTO ? method_choose(&world->pose, def->questions, def->touching, reason)
                                           : method_row_of(def->method);
    return create_state(world, *row);
}

/* The spatial hash answers everything, whatever the bodies look like. */
static dent_status search_by_other_method(const struct search_request *request, struct candidate_sink *sink)
{
    dent_world *world = request->owner;
    const struct method_row *row = method_row_of(DENT_METHOD_SPATIAL_HASH);
    dent_status status = create_state(world, row);
    return status == DENT_OK ? row->search(world->method_states[row->method], request, sink) : status;
}

static dent_status search(dent_world *world, const dent_query_def *def, const struct method_row *row,
                          struct worker_counters *workers, dent_query_counters *counters, struct cancel_flag *cancel)
{
    struct testing_sink sink = {.interface = {sink_begin, sink_offer, sink_answer, sink_count_box_tests,
                                              sink_count_cells_visited, sink_predicates},
                                .world = world,
                                .touching = def->touching,
                                .workers = workers};
    struct search_request request = {
        .context = world->context,
        .kernels = kernels_for(dent_context_isa(world->context)),
        .pose = &world->pose,
        .def = def,
        .counters = counters,
        .questions = def->questions,
        .surface_vertices_only = def->surface_vertices_only,
        .cancel = cancel,
        .scratch = &world->scratch,
        .message = &world->message,
        .by_other_method = search_by_other_method,
        .owner = world,
    };
    return row->search(world->method_states[row->method], &request, &sink.interface);
}

static dent_status finish(dent_world *world, const dent_query_def *def, dent_query_result *result)
{
    dent_pair_list *views[DENT_DISCRETE_QUESTION_COUNT] = {&result->vertex_cell, &result->face_cell,
                                                           &result->face_face};
    for (int i = 0; i < DENT_DISCRETE_QUESTION_COUNT; i++) {
        struct answer_list *list = &world->answers[i];
        if (!(def->questions & all_questions[i])) {
            continue;
        }
        if (block_output_count(&list->blocks) >= UINT32_MAX) {
            return message_fail(&world->message, DENT_ERROR_TOO_LARGE, "%s has 2^32 - 1 or more answers",
                                dent_question_name(all_questions[i]));
        }
        if (!answer_list_sort(list, &world->scratch) ||
            (!def->no_details && !answer_list_add_details(list, world->context, &world->pose))) {
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

static dent_status make_border(dent_world *world, const dent_query_def *def, struct cancel_flag *cancel,
                               dent_query_result *result)
{
    if (!world->border) {
        world->border = border_state_create(world->context);
    }
    for (int i = 0; i < 2; i++) {
        if (questions_of_border(def) & all_questions[i] && !answer_list_sort(&world->answers[i], &world->scratch)) {
            return message_fail(&world->message, DENT_ERROR_OUT_OF_MEMORY, "out of memory for the border");
        }
    }
    struct border_search search = {
        .state = world->border,
        .def = def->border,
        .pose = &world->pose,
        .kernels = kernels_for(dent_context_isa(world->context)),
        .cancel = cancel,
        .scratch = &world->scratch,
        .workers =
            arena_allocate_cleared(&world->scratch, dent_context_worker_count(world->context), sizeof *search.workers),
        .face_cell = &world->answers[question_index(DENT_QUESTION_FACE_CELL)].pairs,
        .vertex_cell = &world->answers[question_index(DENT_QUESTION_VERTEX_CELL)].pairs,
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

static void sum_counters(const dent_world *world, const struct worker_counters *workers, dent_query_counters *counters)
{
    for (uint32_t worker = 0; worker < dent_context_worker_count(world->context); worker++) {
        counters->box_tests += workers[worker].box_tests;
        counters->candidates += workers[worker].candidates;
        counters->cells_visited += workers[worker].cells_visited;
        counters->exact_fallbacks += workers[worker].predicates.exact_fallbacks;
    }
    for (uint32_t rank = 0; rank < world->pose.body_count; rank++) {
        const struct body *body = world->pose.bodies[rank].body;
        counters->elements += body->surface_face_count + (body->kind == DENT_BODY_SOLID ? body->element_count : 0);
    }
    counters->scratch_bytes = arena_high_water(&world->scratch);
}

/* The questions by their method, and what only the border needs: together where that method can, else by another. */
static dent_status search_all(dent_world *world, const dent_query_def *def, struct worker_counters *workers,
                              dent_query_counters *counters, struct cancel_flag *cancel)
{
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
        status = find_method(world, &surface_part, &row, &ignored);
        status = status == DENT_OK ? search(world, &surface_part, row, workers, counters, cancel) : status;
    }
    if (asked.questions && status == DENT_OK) {
        status = find_method(world, &asked, &row, &counters->reason);
        counters->method = row->method;
        status = status == DENT_OK ? search(world, &asked, row, workers, counters, cancel) : status;
    }
    if (hidden.questions && status == DENT_OK) {
        status = find_method(world, &hidden, &row, &ignored);
        status = status == DENT_OK ? search(world, &hidden, row, workers, counters, cancel) : status;
    }
    return status;
}

static DENT_NOINLINE dent_status run_stages(dent_world *world, const dent_query_def *def, dent_query_result *result)
{
    struct cancel_flag cancel = {.wish = def->cancel};
    uint64_t began = dent_clock_ns();
    dent_status status = world_begin_query(world);
    if (status != DENT_OK) {
        return status;
    }
    uint32_t worker_count = dent_context_worker_count(world->context);
    struct worker_counters *workers = arena_allocate_cleared(&world->scratch, worker_count, sizeof *workers);
    if (!workers) {
        return message_fail(&world->message, DENT_ERROR_OUT_OF_MEMORY, "out of memory for a query");
    }
    uint64_t prepared = dent_clock_ns();
    status = search_all(world, def, workers, &result->counters, &cancel);
    uint64_t searched = dent_clock_ns();
    if (status == DENT_OK && cancel_requested(&cancel)) {
        result->outcome = DENT_OUTCOME_CANCELLED;
    } else if (status == DENT_OK) {
        status = finish(world, def, result);
        status = status == DENT_OK && def->border ? make_border(world, def, &cancel, result) : status;
        if (status == DENT_OK && def->border && cancel_requested(&cancel)) {
            *result = (dent_query_result){.outcome = DENT_OUTCOME_CANCELLED, .counters = result->counters};
        }
    }
    sum_counters(world, workers, &result->counters);
    result->counters.ns_prepare = prepared - began;
    result->counters.ns_search = searched - prepared;
    result->counters.ns_finish = dent_clock_ns() - searched;
    world_end_query(world);
    return status;
}

dent_status dent_world_query(dent_world *world, const dent_query_def *def, dent_query_result *result)
{
    WORLD_REQUIRE(world, world);
    WORLD_REQUIRE(world, def);
    WORLD_REQUIRE(world, result);
    dent_status status = check_def(world, def);
    if (status != DENT_OK) {
        return status;
    }
    struct floating_point_guard guard;
    dent_query_result fresh = {.outcome = DENT_OUTCOME_COMPLETE};
    floating_point_guard_enter(&guard);
    status = run_stages(world, def, &fresh);
    floating_point_guard_leave(&guard);
    status = world_loop_status(world, status);
    if (status == DENT_OK) {
        *result = fresh;
    }
    return status;
}

dent_query_def dent_query_def_default(void)
{
    dent_query_def def = {0};
    def.struct_size = sizeof def;
    return def;
}
