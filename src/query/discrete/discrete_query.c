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
#include "query/pairs/pair_batch.h"
#include "query/world/question_row.h"

#include <stdio.h>
#include <string.h>

/* The slot of a discrete question in the table and in the lists. */
static uint32_t slot_of(dent_question question)
{
    uint32_t slot = 0;
    while (question_table[slot]->info.question != question) {
        slot++;
    }
    return slot;
}

/* ---- what the world keeps ---------------------------------------------------------------------------------------- */

static void init_state(dent_context *context, void *data)
{
    struct discrete_state *state = data;
    for (int i = 0; i < DENT_DISCRETE_QUESTION_COUNT; i++) {
        answer_list_init(&state->answers[i], context, question_table[i]->pairs, question_table[i]->info.features[0].a);
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

const struct world_slot_kind discrete_slot = {sizeof(struct discrete_state), init_state, destroy_state};

/* ---- the sink ---------------------------------------------------------------------------------------------------- */

/* One per worker, a cache line apart. */
struct worker_counters {
    _Alignas(64) predicate_counters predicates;
    uint64_t box_tests, candidates, cells_visited;
};

enum { OFFER_BATCH = 64 };

/* The sink of the candidate-collecting methods: exact test, answers per block. */
struct testing_sink {
    struct candidate_sink interface;
    const struct pair_kernels *kernels; /* null: every candidate by the exact test alone */
    struct answer_list *answers;
    const struct snapshot *snapshot;
    bool touching;
    struct worker_counters *workers;
};

static bool sink_begin(struct candidate_sink *interface, dent_question question, uint32_t block_count)
{
    struct testing_sink *sink = (struct testing_sink *)interface;
    return block_output_begin(&sink->answers[slot_of(question)].blocks, block_count);
}

/* Of two elements of one kind, the first in canonical order is side a. */
static struct candidate in_canonical_sides(struct candidate candidate)
{
    bool flipped = candidate.body_a > candidate.body_b ||
                   (candidate.body_a == candidate.body_b && candidate.feature_a > candidate.feature_b);
    return flipped ? (struct candidate){candidate.body_b, candidate.feature_b, candidate.body_a, candidate.feature_a}
                   : candidate;
}

static void sink_offer(struct candidate_sink *interface, dent_question question, uint32_t block, uint32_t worker,
                       const struct candidate *candidates, size_t count)
{
    struct testing_sink *sink = (struct testing_sink *)interface;
    uint32_t slot = slot_of(question);
    const dent_feature_pair *sides = &question_table[slot]->info.features[0];
    struct worker_counters *counters = &sink->workers[worker];
    struct pair_batch batch = {
        question_table[slot]->pairs, sink->kernels, sink->snapshot, sink->touching, &counters->predicates,
        &sink->answers[slot].blocks, block};
    void (*test)(const struct pair_batch *batch, const struct candidate *candidates, size_t count) =
        sink->kernels ? pair_batch_test : pair_batch_test_plainly;
    counters->candidates += count;
    if (sides->a != sides->b) {
        test(&batch, candidates, count);
        return;
    }
    struct candidate turned[OFFER_BATCH];
    for (size_t first = 0; first < count; first += OFFER_BATCH) {
        size_t some = count - first < OFFER_BATCH ? count - first : OFFER_BATCH;
        for (size_t i = 0; i < some; i++) {
            turned[i] = in_canonical_sides(candidates[first + i]);
        }
        test(&batch, turned, some);
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
    block_output_append(&sink->answers[slot_of(question)].blocks, block, pairs, count);
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

/* "DENT_QUESTION_VERTEX_CELL, ...": the names of the discrete questions as constants. */
static void name_constants(char *text, size_t size)
{
    size_t used = 0;
    for (int i = 0; i < DENT_DISCRETE_QUESTION_COUNT && used < size; i++) {
        size_t begin = used;
        used += (size_t)snprintf(text + used, size - used, "%sDENT_QUESTION_%s", i > 0 ? ", " : "",
                                 question_table[i]->info.name);
        for (size_t k = begin; k < used && k < size; k++) {
            text[k] = text[k] == '-' ? '_' : text[k] >= 'a' && text[k] <= 'z' ? (char)(text[k] - 'a' + 'A') : text[k];
        }
    }
}

static dent_status check_def(dent_world *world, const void *data)
{
    const dent_query_def *def = data;
    for (uint32_t i = DENT_DISCRETE_QUESTION_COUNT; question_table[i]; i++) {
        const dent_question_info *other = &question_table[i]->info;
        if (def->questions & other->question) {
            return message_fail(&world->message, DENT_ERROR_INVALID_ARGUMENT, "%s is asked by %s()", other->name,
                                other->call);
        }
    }
    if (def->border && def->border->struct_size != sizeof *def->border) {
        return message_fail(&world->message, DENT_ERROR_INVALID_ARGUMENT,
                            "the border def was not made by dent_border_def_default()");
    }
    if ((def->questions == 0 && !def->border) || (def->questions & ~DENT_DISCRETE_QUESTIONS) != 0) {
        char names[256];
        name_constants(names, sizeof names);
        return message_fail(&world->message, DENT_ERROR_INVALID_ARGUMENT,
                            "questions: expected one or more of %s; got %u", names, (unsigned)def->questions);
    }
    dent_status status = question_check_experiments(world, def->experiments);
    return status == DENT_OK ? question_check_method(world, def->questions, def->method) : status;
}

/* What the stages of one call share. */
struct discrete_run {
    struct discrete_state *state;
    dent_experiments experiments;
    dent_method_counters method_counters;
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
    *reason = "requested";
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
                                .kernels = row->plain_tests ? NULL : pair_kernels_for(dent_context_isa(world->context)),
                                .answers = run->state->answers,
                                .snapshot = &world->snapshot,
                                .touching = def->touching,
                                .workers = run->workers};
    const dent_question_info *infos[DENT_DISCRETE_QUESTION_COUNT + 1];
    uint32_t info_count = 0;
    for (int i = 0; i < DENT_DISCRETE_QUESTION_COUNT; i++) {
        if (def->questions & question_table[i]->info.question) {
            infos[info_count++] = &question_table[i]->info;
        }
    }
    infos[info_count] = NULL;
    struct method_experience *experience = &run->state->experience;
    struct proof_report proofs = {.try_again = method_tries_proofs_again(experience, &world->snapshot)};
    struct search_request request = {
        .context = world->context,
        .isa = dent_context_isa(world->context),
        .snapshot = &world->snapshot,
        .forest = &world->forest,
        .def = def,
        .experiments = &run->experiments,
        .counters = &result->counters,
        .method_counters = &run->method_counters,
        .proofs = &proofs,
        .questions = def->questions,
        .infos = infos,
        .surface_vertices_only = def->surface_vertices_only,
        .cancel = &call->cancel,
        .scratch = &world->scratch,
        .message = &world->message,
        .by_other_method = search_by_other_method,
        .owner = call,
    };
    dent_status status = row->search(run->state->method_states[row->method], &request, &sink.interface);
    if (status == DENT_OK && !call->cancel.seen) {
        method_learn_proofs(experience, &world->snapshot, row->method, &proofs);
    }
    return status;
}

static dent_status list_answers(struct question_call *call)
{
    dent_world *world = call->world;
    const struct discrete_run *run = call->run;
    const dent_query_def *def = call->def;
    dent_query_result *result = call->result;
    for (int i = 0; i < DENT_DISCRETE_QUESTION_COUNT; i++) {
        const struct question_row *row = question_table[i];
        struct answer_list *list = &run->state->answers[i];
        if (!(def->questions & row->info.question)) {
            continue;
        }
        if (block_output_count(&list->blocks) >= UINT32_MAX) {
            return message_fail(&world->message, DENT_ERROR_TOO_LARGE, "%s has 2^32 - 1 or more answers",
                                row->info.name);
        }
        if (!answer_list_sort(list, &world->snapshot, &world->scratch) ||
            (!def->no_details && !answer_list_add_details(list, world->context, &world->snapshot))) {
            return message_fail(&world->message, DENT_ERROR_OUT_OF_MEMORY, "out of memory for the answers to %s",
                                row->info.name);
        }
        answer_list_view(list, !def->no_details, (dent_pair_list *)((char *)result + row->pairs->list_offset));
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
    for (int i = 0; i < DENT_DISCRETE_QUESTION_COUNT; i++) {
        if (questions_of_border(def) & question_table[i]->info.question &&
            !answer_list_sort(&answers[i], &world->snapshot, &world->scratch)) {
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
        .face_cell = &answers[slot_of(DENT_QUESTION_FACE_CELL)].pairs,
        .vertex_cell = &answers[slot_of(DENT_QUESTION_VERTEX_CELL)].pairs,
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
    const dent_query_def *def = call->def;
    run->state = call->kept;
    run->experiments = def->experiments ? *def->experiments : dent_experiments_default();
    run->workers =
        arena_allocate_cleared(&world->scratch, dent_context_worker_count(world->context), sizeof *run->workers);
    return run->workers ? DENT_OK : question_out_of_memory(call);
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
    while (asked.questions && status == DENT_OK) {
        dent_query_def part = asked;
        part.questions = def->method == DENT_METHOD_AUTO ? method_together(asked.questions) : asked.questions;
        asked.questions &= ~part.questions;
        status = find_method(call, &part, &row, &counters->reason);
        counters->method = row->method; /* of several parts the counters name the last one */
        status = status == DENT_OK ? search(call, &part, row) : status;
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
    const struct discrete_run *run = call->run;
    const struct worker_counters *workers = run->workers;
    dent_query_counters *counters = &((dent_query_result *)call->result)->counters;
    for (uint32_t worker = 0; workers && worker < dent_context_worker_count(world->context); worker++) {
        counters->box_tests += workers[worker].box_tests;
        counters->candidates += workers[worker].candidates;
        counters->cells_visited += workers[worker].cells_visited;
        counters->exact_fallbacks += workers[worker].predicates.exact_fallbacks;
    }
    question_count_elements(call, counters);
    if (run->experiments.counters) {
        *run->experiments.counters = run->method_counters;
    }
}

const struct question_stages discrete_stages = {
    .name = "a query",
    .def_name = "query",
    .def_maker = "dent_query_def_default",
    .def_size = sizeof(dent_query_def),
    .result_size = sizeof(dent_query_result),
    .run_size = sizeof(struct discrete_run),
    .cancel_offset = offsetof(dent_query_def, cancel),
    .reads = READS_START,
    .takes_thin = true,
    .kept = &discrete_slot,
    .check = check_def,
    .prepare = prepare,
    .search = search_all,
    .finish = finish,
    .count = count,
};

dent_status dent_world_query(dent_world *world, const dent_query_def *def, dent_query_result *result)
{
    QUESTION_REQUIRE(world, def, result);
    return question_ask(world, &discrete_stages, def, result);
}

const dent_pair_list *dent_query_result_list(const dent_query_result *result, dent_question question)
{
    const struct question_row *row = result ? question_row_of(question) : NULL;
    return row && row->pairs ? (const dent_pair_list *)((const char *)result + row->pairs->list_offset) : NULL;
}

dent_query_def dent_query_def_default(void)
{
    dent_query_def def = {0};
    def.struct_size = sizeof def;
    return def;
}
