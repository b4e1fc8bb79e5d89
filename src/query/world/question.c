/* The driver of all questions. See question.h. */
#include "query/world/question.h"

#include "base/context.h"
#include "base/dent_assert.h"
#include "base/floating_point_guard.h"

enum { RESULT_BYTES = 1024 }; /* more than any result has; the driver asserts it */

dent_status question_out_of_memory(const struct question_call *call)
{
    return message_fail(&call->world->message, DENT_ERROR_OUT_OF_MEMORY, "out of memory for %s", call->row->name);
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

/* Only the check, for calls that ask several questions of one def. */
static dent_status question_check(dent_world *world, const struct question_row *row, const void *def)
{
    size_t struct_size = 0;
    if (def) {
        memcpy(&struct_size, def, sizeof struct_size); /* the first field of every def */
    }
    if (struct_size != row->def_size) {
        return message_fail(&world->message, DENT_ERROR_INVALID_ARGUMENT, "the %s def was not made by %s()",
                            row->def_name, row->def_maker);
    }
    return row->check ? row->check(world, def) : DENT_OK;
}

static dent_status read_positions(struct question_call *call)
{
    return call->row->reads == READS_START_AND_END ? world_read_end(call->world) : DENT_OK;
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
    memcpy((void *)&call->cancel.request, (const char *)call->def + call->row->cancel_offset,
           sizeof call->cancel.request);
    call->run = arena_allocate_cleared(scratch, 1, call->row->run_size);
    dent_status status = call->run ? run_stage(call, read_positions, &call->ns_prepare) : question_out_of_memory(call);
    bool began = status == DENT_OK;
    status = status == DENT_OK ? run_stage(call, call->row->prepare, &call->ns_prepare) : status;
    status = status == DENT_OK ? run_stage(call, call->row->search, &call->ns_search) : status;
    status = status == DENT_OK ? run_stage(call, call->row->finish, &call->ns_finish) : status;
    if (began && call->row->count) {
        call->row->count(call);
    }
    arena_rewind(scratch, mark);
    return status;
}

static DENT_NOINLINE dent_status ask_on_snapshot(struct question_call *call)
{
    uint64_t began = dent_clock_ns();
    dent_status status = DENT_OK;
    if (call->row->reads == READS_NOTHING) {
        arena_reset(&call->world->scratch);
    } else {
        status = world_open(call->world);
    }
    call->ns_prepare = dent_clock_ns() - began;
    status = status == DENT_OK ? run_stages(call) : status;
    world_close(call->world);
    return status;
}

dent_status question_ask(dent_world *world, const struct question_row *row, const void *def, void *result)
{
    _Alignas(64) unsigned char fresh[RESULT_BYTES] = {0};
    DENT_ASSERT(row->result_size <= sizeof fresh);
    dent_status status = question_check(world, row, def);
    if (status != DENT_OK) {
        return status;
    }
    struct floating_point_guard guard;
    struct question_call call = {.row = row, .world = world, .def = def, .result = fresh};
    floating_point_guard_enter(&guard);
    status = ask_on_snapshot(&call);
    floating_point_guard_leave(&guard);
    status = world_loop_status(world, status);
    if (status == DENT_OK) {
        memcpy(result, fresh, row->result_size);
    }
    return status;
}

dent_status question_ask_inside(dent_world *world, const struct question_row *row, const void *def, void *result)
{
    struct question_call call = {.row = row, .world = world, .def = def, .result = result};
    memset(result, 0, row->result_size);
    dent_status status = question_check(world, row, def);
    return status == DENT_OK ? run_stages(&call) : status;
}
