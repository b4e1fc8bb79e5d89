/* The question `motion-impact` as the public interface shows it: check, prepare, search the pairs of bodies in rounds,
 * find what is near at the first time. See motion_run.h. */
#include <math.h>

#include "query/motion/motion_run.h"
#include "query/world/question_row.h"

dent_motion_impact_def dent_motion_impact_def_default(void)
{
    dent_motion_impact_def def = {0};
    def.struct_size = sizeof def;
    def.work_limit = 10000000;
    return def;
}

dent_status motion_out_of_memory(struct motion_run *run)
{
    return message_fail(run->message, DENT_ERROR_OUT_OF_MEMORY, "out of memory for a motion query");
}

/* ---- state ------------------------------------------------------------------------------------------------------- */

static void destroy_state(dent_context *context, void *data)
{
    struct motion_state *state = data;
    (void)context;
    for (size_t i = 0; i < state->trees.count; i++) {
        motion_tree_destroy(array_at(&state->trees, i));
    }
    for (size_t i = 0; i < state->workers.count; i++) {
        array_destroy(&((struct motion_worker *)array_at(&state->workers, i))->queue);
    }
    array_destroy(&state->trees);
    array_destroy(&state->workers);
    array_destroy(&state->pairs);
    array_destroy(&state->node_pairs);
    array_destroy(&state->contacts);
    array_destroy(&state->unsorted);
}

static void init_state(dent_context *context, void *data)
{
    struct motion_state *state = data;
    state->context = context;
    array_init(&state->trees, context, sizeof(struct motion_tree));
    array_init(&state->workers, context, sizeof(struct motion_worker));
    array_init(&state->pairs, context, sizeof(struct motion_pair));
    array_init(&state->node_pairs, context, 2 * sizeof(uint32_t));
    array_init(&state->contacts, context, sizeof(dent_motion_contact));
    array_init(&state->unsorted, context, sizeof(dent_motion_contact));
}

static const struct world_slot_kind motion_slot = {sizeof(struct motion_state), init_state, destroy_state};

static bool make_workers(struct motion_run *run)
{
    struct dynamic_array *workers = &run->state->workers;
    while (workers->count < dent_context_worker_count(run->context)) {
        struct motion_worker *worker_state = array_extend(workers, 1);
        if (!worker_state) {
            return false;
        }
        worker_state->searches = 0;
        for (int i = 0; i < PIECE_CACHE; i++) {
            worker_state->pieces[i].search = 0;
        }
        array_init(&worker_state->queue, run->context, sizeof(struct pending_pair));
    }
    return true;
}

/* ---- what is asked ----------------------------------------------------------------------------------------------- */

static dent_status check_frames(struct motion_run *run)
{
    const dent_motion_impact_def *def = run->def;
    uint32_t *depths = arena_allocate(run->scratch, def->frame_count, sizeof *depths);
    if (!depths) {
        return motion_out_of_memory(run);
    }
    for (uint32_t f = 0; f < def->frame_count; f++) {
        const dent_motion_frame *frame = &def->frames[f];
        if (frame->parent != DENT_FRAME_WORLD && frame->parent >= f) {
            return message_fail(run->message, DENT_ERROR_INVALID_ARGUMENT,
                                "frame %u has parent %u: a parent must come before its children", (unsigned)f,
                                (unsigned)frame->parent);
        }
        depths[f] = frame->parent == DENT_FRAME_WORLD ? 1 : depths[frame->parent] + 1;
        if (depths[f] > MOTION_CHAIN_LIMIT) {
            return message_fail(run->message, DENT_ERROR_TOO_LARGE, "frame %u hangs on more than %d others",
                                (unsigned)f, (int)MOTION_CHAIN_LIMIT);
        }
        bool finite;
        const char *fault = motion_fault(&frame->motion, &finite);
        if (fault) {
            return message_fail(run->message, finite ? DENT_ERROR_INVALID_ARGUMENT : DENT_ERROR_BAD_NUMBER,
                                "the motion of frame %u cannot be used: %s", (unsigned)f, fault);
        }
    }
    return DENT_OK;
}

static dent_status check_experiments(dent_world *world, const dent_experiments *experiments)
{
    dent_status status = question_check_experiments(world, experiments);
    if (status != DENT_OK || !experiments) {
        return status;
    }
    if (!dent_motion_volume_name(experiments->motion.volume)) {
        return message_fail(&world->message, DENT_ERROR_INVALID_ARGUMENT, "there is no motion volume number %d",
                            (int)experiments->motion.volume);
    }
    if (!dent_motion_bounds_name(experiments->motion.bounds)) {
        return message_fail(&world->message, DENT_ERROR_INVALID_ARGUMENT, "there are no motion bounds number %d",
                            (int)experiments->motion.bounds);
    }
    if ((unsigned)experiments->motion.elementary >= DENT_MOTION_ELEMENTARY_COUNT) {
        return message_fail(&world->message, DENT_ERROR_INVALID_ARGUMENT, "there is no elementary test number %d",
                            (int)experiments->motion.elementary);
    }
    return DENT_OK;
}

static dent_status check_def(dent_world *world, const void *data)
{
    const dent_motion_impact_def *def = data;
    struct message *message = &world->message;
    if (!(def->tolerance >= 0) || !isfinite(def->tolerance)) {
        return message_fail(message, DENT_ERROR_INVALID_ARGUMENT,
                            "the tolerance is %g: a finite length, 0 or more, is needed", def->tolerance);
    }
    if (def->work_limit == 0) {
        return message_fail(message, DENT_ERROR_INVALID_ARGUMENT, "the box limit is 0: at least 1 is needed");
    }
    dent_status status = check_experiments(world, def->experiments);
    if (status != DENT_OK) {
        return status;
    }
    if ((def->frame_count > 0 && !def->frames) || (def->body_count > 0 && !def->bodies) ||
        (def->excluded_count > 0 && !def->excluded)) {
        return message_fail(message, DENT_ERROR_INVALID_ARGUMENT, "a list of the motion def is null and not empty");
    }
    return def->ignore_thin ? DENT_OK : question_refuse_thin(world, &motion_stages);
}

static dent_status prepare_motions(struct motion_run *run)
{
    run->trajectories = arena_allocate(run->scratch, run->def->frame_count, sizeof *run->trajectories);
    run->faults = arena_allocate(run->scratch, run->def->frame_count, sizeof *run->faults);
    if (!run->trajectories || !run->faults) {
        return motion_out_of_memory(run);
    }
    for (uint32_t f = 0; f < run->def->frame_count; f++) {
        trajectory_from_motion(&run->def->frames[f].motion, run->scale, &run->trajectories[f]);
        run->trajectories[f].fault = &run->faults[f];
        run->faults[f] = 0;
    }
    return DENT_OK;
}

/* What the caller's functions returned. */
static dent_status check_functions(const struct motion_run *run)
{
    for (uint32_t f = 0; f < run->def->frame_count; f++) {
        if (run->faults[f]) {
            return message_fail(run->message, DENT_ERROR_BAD_NUMBER,
                                "frame %u: its motion returned bounds that are negative, not finite or beyond 4",
                                (unsigned)f);
        }
    }
    return DENT_OK;
}

/* ---- rounds ------------------------------------------------------------------------------------------------------ */

struct search_round {
    struct motion_run *run;
    uint32_t first;
};

static void search_block(void *data, uint32_t block, uint32_t worker)
{
    const struct search_round *round = data;
    const struct motion_run *run = round->run;
    struct motion_worker *workers = run->state->workers.data;
    if (!cancel_requested(run->cancel)) {
        motion_search_pair(run, &run->pairs[round->first + block], &workers[worker], run->limit);
    }
}

/* Takes over what the pairs of a round found. */
static void collect_round(struct motion_run *run, uint32_t first, uint32_t count, dent_motion_impact_result *result)
{
    for (uint32_t i = first; i < first + count; i++) {
        const struct pair_answer *answer = &run->pairs[i].answer;
        run->counters->volume_tests += answer->volume_tests;
        run->counters->face_tests += answer->face_tests;
        run->counters->time_pieces += answer->time_pieces;
        run->counters->body_pairs_apart += answer->volume_tests <= 1 && answer->verdict == DENT_MOTION_FREE;
        bool earlier = answer->verdict != DENT_MOTION_FREE &&
                       (result->verdict == DENT_MOTION_FREE || answer->t_lo < result->t_lo ||
                        (answer->t_lo == result->t_lo && answer->verdict < result->verdict));
        double tolerance = run->pairs[i].tolerance / run->scale;
        if (earlier) {
            uint32_t a = run->pairs[i].body_index_a, b = run->pairs[i].body_index_b;
            result->verdict = answer->verdict;
            result->t_lo = answer->t_lo;
            result->t_hi = answer->t_hi;
            result->t_estimate = answer->verdict == DENT_MOTION_CONTACT ? answer->t_estimate : answer->t_lo;
            result->initial = answer->initial;
            result->body_a = a < b ? a : b;
            result->body_b = a < b ? b : a;
            result->tolerance = tolerance;
            run->limit = answer->t_lo;
        } else if (result->verdict == DENT_MOTION_FREE) {
            result->tolerance = tolerance > result->tolerance ? tolerance : result->tolerance;
        }
    }
}

/* Rounds of 1, 2, 4, ... pairs, the most promising first: what a round finds limits the next. */
static dent_status search_pairs(struct motion_run *run, dent_motion_impact_result *result)
{
    uint32_t size = 1;
    for (uint32_t first = 0; first < run->pair_count;) {
        uint32_t count = run->pair_count - first < size ? run->pair_count - first : size;
        struct search_round round = {run, first};
        if (count == 1) {
            search_block(&round, 0, 0);
        } else {
            dent_parallel_for(run->context, count, search_block, &round);
        }
        for (uint32_t i = first; i < first + count; i++) {
            if (run->pairs[i].answer.no_memory) {
                return motion_out_of_memory(run);
            }
        }
        if (cancel_requested(run->cancel)) {
            return DENT_OK;
        }
        collect_round(run, first, count, result);
        first += count;
        size = size < 64 ? 2 * size : size;
    }
    return DENT_OK;
}

/* Which worker gets which pair is chance: every queue is made as large as the largest, so that the same query again
 * allocates nothing. Without memory for that it will be asked for when needed. */
static void level_workers(struct motion_run *run)
{
    struct motion_worker *workers = run->state->workers.data;
    size_t most = 0;
    for (size_t i = 0; i < run->state->workers.count; i++) {
        most = workers[i].queue.capacity > most ? workers[i].queue.capacity : most;
    }
    for (size_t i = 0; i < run->state->workers.count; i++) {
        array_clear(&workers[i].queue);
        array_reserve(&workers[i].queue, most);
    }
}

/* ---- the stages -------------------------------------------------------------------------------------------------- */

static dent_status prepare(struct question_call *call)
{
    dent_world *world = call->world;
    const dent_motion_impact_def *def = call->def;
    const dent_experiments *experiments = def->experiments;
    dent_motion_impact_result *result = call->result;
    struct motion_run *run = call->run;
    *result = (dent_motion_impact_result){
        .verdict = DENT_MOTION_FREE, .t_lo = 1, .t_estimate = 1, .t_hi = 1, .body_a = UINT32_MAX, .body_b = UINT32_MAX};
    *run = (struct motion_run){
        .context = world->context,
        .message = &world->message,
        .scratch = &world->scratch,
        .cancel = &call->cancel,
        .table = &world->bodies,
        .def = def,
        .state = call->kept,
        .volume =
            experiments && experiments->motion.volume ? experiments->motion.volume : DENT_MOTION_VOLUME_ORIENTED_BOX,
        .bounds = experiments && experiments->motion.bounds ? experiments->motion.bounds : DENT_MOTION_BOUNDS_TAYLOR,
        .coplanarity = experiments && experiments->motion.elementary == DENT_MOTION_ELEMENTARY_COPLANARITY,
        .isa = dent_context_isa(world->context),
        .limit = 2,
        .counters = &result->counters,
    };
    if (!make_workers(run)) {
        return motion_out_of_memory(run);
    }
    dent_status status = check_frames(run);
    status = status == DENT_OK ? motion_prepare_bodies(run) : status;
    status = status == DENT_OK ? prepare_motions(run) : status;
    return status == DENT_OK ? motion_list_pairs(run) : status;
}

static dent_status search(struct question_call *call)
{
    struct motion_run *run = call->run;
    run->counters->body_pairs = run->pair_count;
    dent_status status = search_pairs(run, call->result);
    level_workers(run);
    return status;
}

static dent_status list_contacts(struct motion_run *run, dent_motion_impact_result *result)
{
    if (result->verdict != DENT_MOTION_CONTACT || run->def->no_contacts) {
        return DENT_OK;
    }
    dent_status status = motion_find_contacts(run, result->t_lo);
    if (status == DENT_OK && run->state->contacts.count > 0) {
        result->contacts = run->state->contacts.data;
        result->contact_count = run->def->first_contact_only ? 1 : run->state->contacts.count;
    }
    return status;
}

static dent_status finish(struct question_call *call)
{
    dent_motion_impact_result *result = call->result;
    if (cancel_requested(&call->cancel)) {
        *result = (dent_motion_impact_result){.outcome = DENT_OUTCOME_CANCELLED,
                                              .verdict = DENT_MOTION_UNDECIDED,
                                              .t_hi = 1,
                                              .body_a = UINT32_MAX,
                                              .body_b = UINT32_MAX};
        return DENT_OK;
    }
    result->outcome = result->verdict == DENT_MOTION_UNDECIDED ? DENT_OUTCOME_BUDGET_SPENT : DENT_OUTCOME_COMPLETE;
    dent_status status = list_contacts(call->run, result);
    return status == DENT_OK ? check_functions(call->run) : status;
}

static void count(struct question_call *call)
{
    dent_motion_impact_result *result = call->result;
    result->counters.scratch_bytes = arena_high_water(&call->world->scratch);
    result->counters.ns_prepare = call->ns_prepare;
    result->counters.ns_search = call->ns_search;
    result->counters.ns_finish = call->ns_finish;
}

const struct question_stages motion_stages = {
    .name = "a motion query",
    .def_name = "motion",
    .def_maker = "dent_motion_impact_def_default",
    .def_size = sizeof(dent_motion_impact_def),
    .result_size = sizeof(dent_motion_impact_result),
    .run_size = sizeof(struct motion_run),
    .cancel_offset = offsetof(dent_motion_impact_def, cancel),
    .reads = READS_NOTHING, /* of the positions at rest it keeps trees */
    .takes_thin = true, /* by choice of the def */
    .kept = &motion_slot,
    .check = check_def,
    .prepare = prepare,
    .search = search,
    .finish = finish,
    .count = count,
};

const struct question_row motion_question = {
    .info =
        {
            .question = DENT_QUESTION_MOTION,
            .name = "motion",
            .meaning = "features of bodies that move rigidly along given motions and touch first",
            .numbers = "the closest points on a and on b, the unit normal from b to a, the separation",
            .call = "dent_world_motion_impact",
            .features = {{DENT_FEATURE_VERTEX, DENT_FEATURE_FACE}, {DENT_FEATURE_EDGE, DENT_FEATURE_EDGE}},
            .feature_pair_count = 2,
            .reads_t1 = true,
        },
    .methods = 1u << DENT_METHOD_AUTO,
    .stages = &motion_stages,
};

dent_status dent_world_motion_impact(dent_world *world, const dent_motion_impact_def *def,
                                     dent_motion_impact_result *result)
{
    QUESTION_REQUIRE(world, def, result);
    return question_ask(world, &motion_stages, def, result);
}
