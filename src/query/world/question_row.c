/* The driver of all questions. See question_row.h. */
#include "query/world/question_row.h"

#include <dent/experimental.h>

#include <stdio.h>

#include "base/context.h"
#include "base/dent_assert.h"
#include "base/floating_point_guard.h"

enum { RESULT_BYTES = 1024 }; /* more than any result has; the driver asserts it */

dent_status question_out_of_memory(const struct question_call *call)
{
    return message_fail(&call->world->message, DENT_ERROR_OUT_OF_MEMORY, "out of memory for %s", call->stages->name);
}

void question_count_elements(const struct question_call *call, dent_query_counters *counters)
{
    const struct snapshot *snapshot = &call->world->snapshot;
    for (uint32_t body_index = 0; body_index < snapshot->body_count; body_index++) {
        const struct body *body = snapshot->bodies[body_index].body;
        counters->elements += body->surface_face_count + body_cell_count(body);
    }
    counters->scratch_bytes = arena_high_water(&call->world->scratch);
    counters->ns_prepare = call->ns_prepare;
    counters->ns_search = call->ns_search;
    counters->ns_finish = call->ns_finish;
}

dent_status question_refuse_thin(dent_world *world, const struct question_stages *stages)
{
    for (uint32_t body_index = 0; body_index < world->bodies.body_count; body_index++) {
        const struct body *body = body_table_at(&world->bodies, body_index);
        if (body_is_thin(body)) {
            return message_fail(&world->message, DENT_ERROR_UNSUPPORTED, BODY_TITLE " has %s, %s takes none",
                                BODY_TITLE_OF(body), body_kind_rows[body->kind].name, stages->name);
        }
    }
    return DENT_OK;
}

/* Only the check, for calls that ask several questions of one def. */
static dent_status question_check(dent_world *world, const struct question_stages *stages, const void *def)
{
    size_t struct_size = 0;
    if (def) {
        memcpy(&struct_size, def, sizeof struct_size); /* the first field of every def */
    }
    if (struct_size != stages->def_size) {
        return message_fail(&world->message, DENT_ERROR_INVALID_ARGUMENT, "the %s def was not made by %s()",
                            stages->def_name, stages->def_maker);
    }
    dent_status status = stages->check ? stages->check(world, def) : DENT_OK;
    return status == DENT_OK && !stages->takes_thin ? question_refuse_thin(world, stages) : status;
}

/* Puts a word behind a list of words in a buffer; what does not fit is cut off. */
static void add_word(char *text, size_t size, const char *separator, const char *word)
{
    size_t used = strlen(text);
    snprintf(text + used, size - used, "%s%s", used > 0 ? separator : "", word);
}

/* Those of `questions` that a method cannot answer. */
static uint32_t beyond_method(uint32_t questions, dent_method method)
{
    for (uint32_t i = 0; question_table[i]; i++) {
        if (question_answered_by(question_table[i], method)) {
            questions &= ~(uint32_t)question_table[i]->info.question;
        }
    }
    return questions;
}

dent_status question_check_method(dent_world *world, uint32_t questions, dent_method method)
{
    if (!dent_method_name(method)) {
        return message_fail(&world->message, DENT_ERROR_INVALID_ARGUMENT, "there is no method number %d", (int)method);
    }
    uint32_t beyond = beyond_method(questions, method);
    if (!beyond) {
        return DENT_OK;
    }
    char names[64] = "", methods[256] = "";
    for (uint32_t i = 0; question_table[i]; i++) {
        if (beyond & question_table[i]->info.question) {
            add_word(names, sizeof names, " or ", question_table[i]->info.name);
        }
    }
    for (int other = 0; other < DENT_METHOD_COUNT; other++) {
        if (!beyond_method(questions, (dent_method)other)) {
            add_word(methods, sizeof methods, ", ", dent_method_name((dent_method)other));
        }
    }
    return message_fail(&world->message, DENT_ERROR_UNSUPPORTED, "method %s cannot answer %s; these can: %s",
                        dent_method_name(method), names, methods);
}

dent_status question_check_experiments(dent_world *world, const dent_experiments *experiments)
{
    return experiments && experiments->struct_size != sizeof *experiments
               ? message_fail(&world->message, DENT_ERROR_INVALID_ARGUMENT,
                              "the experiments were not made by dent_experiments_default()")
               : DENT_OK;
}

static dent_status read_positions(struct question_call *call)
{
    return call->stages->reads == READS_START_AND_END ? world_read_end(call->world) : DENT_OK;
}

/* Runs one stage and notes how long it took. */
static dent_status run_stage(struct question_call *call, dent_status (*stage)(struct question_call *), uint64_t *ns)
{
    uint64_t began = dent_clock_ns();
    dent_status status = stage ? stage(call) : DENT_OK;
    *ns += dent_clock_ns() - began;
    return status;
}

static dent_status run_stages(struct question_call *call)
{
    struct arena *scratch = &call->world->scratch;
    struct arena_mark mark = arena_mark(scratch);
    memcpy((void *)&call->cancel.request, (const char *)call->def + call->stages->cancel_offset,
           sizeof call->cancel.request);
    call->run = arena_allocate_cleared(scratch, 1, call->stages->run_size);
    call->kept = call->stages->kept ? world_state_of(call->world, call->stages->kept) : NULL;
    bool enough = call->run && (call->kept || !call->stages->kept);
    dent_status status = enough ? run_stage(call, read_positions, &call->ns_prepare) : question_out_of_memory(call);
    bool began = status == DENT_OK;
    status = status == DENT_OK ? run_stage(call, call->stages->prepare, &call->ns_prepare) : status;
    status = status == DENT_OK ? run_stage(call, call->stages->search, &call->ns_search) : status;
    status = status == DENT_OK ? run_stage(call, call->stages->finish, &call->ns_finish) : status;
    if (began && call->stages->count) {
        call->stages->count(call);
    }
    arena_rewind(scratch, mark);
    return status;
}

static DENT_NOINLINE dent_status ask_on_snapshot(struct question_call *call)
{
    uint64_t began = dent_clock_ns();
    dent_status status = DENT_OK;
    if (call->stages->reads == READS_NOTHING) {
        arena_reset(&call->world->scratch);
    } else {
        status = world_open(call->world);
    }
    call->ns_prepare = dent_clock_ns() - began;
    status = status == DENT_OK ? run_stages(call) : status;
    world_close(call->world);
    return status;
}

dent_status question_ask(dent_world *world, const struct question_stages *stages, const void *def, void *result)
{
    _Alignas(64) unsigned char fresh[RESULT_BYTES] = {0};
    DENT_ASSERT(stages->result_size <= sizeof fresh);
    dent_status status = question_check(world, stages, def);
    if (status != DENT_OK) {
        return status;
    }
    struct floating_point_guard guard;
    struct question_call call = {.stages = stages, .world = world, .def = def, .result = fresh};
    floating_point_guard_enter(&guard);
    status = ask_on_snapshot(&call);
    floating_point_guard_leave(&guard);
    status = world_loop_status(world, status);
    if (status == DENT_OK) {
        memcpy(result, fresh, stages->result_size);
    }
    return status;
}

dent_status question_ask_inside(dent_world *world, const struct question_stages *stages, const void *def, void *result)
{
    struct question_call call = {.stages = stages, .world = world, .def = def, .result = result};
    memset(result, 0, stages->result_size);
    dent_status status = question_check(world, stages, def);
    return status == DENT_OK ? run_stages(&call) : status;
}
