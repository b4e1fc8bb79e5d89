/* The state of a simulation: everything a step changes and the next one depends on. A step works on it in place; a copy
 * made before lets a failing step change nothing, and checkpoints write and read the same parts. */
#include "sim/model/sim_state.h"

#include <string.h>

/* No padding, so that the layouts below name every byte on every machine. */
_Static_assert(sizeof(dent_rigid_state) == 23 * 8 && sizeof(struct sim_grab) == 32 && sizeof(struct rigid_rest) == 16,
               "records of state_parts()");
_Static_assert(sizeof(struct sim_spring) == 56, "STATE_SPRING_LAYOUT");
_Static_assert(sizeof(dent_contact_force) == 72 && sizeof(dent_contact_memory) == 40, "STATE_FORCE_LAYOUT");

static size_t frame_count(const struct sim_model *model)
{
    size_t count = 0;
    for (uint32_t b = 0; b < model->body_count; b++) {
        count += model->bodies[b].kind == DENT_SIM_EMBEDDED ? 9 * (size_t)model->bodies[b].vertex_count : 0;
    }
    return count;
}

size_t state_parts(const struct sim_model *model, struct sim_state *state, struct state_part parts[STATE_PART_COUNT])
{
    size_t numbers = 3 * (size_t)model->vertex_count;
    parts[0] = (struct state_part){&state->step, sizeof state->step, "8"};
    parts[1] = (struct state_part){state->gravity, sizeof state->gravity, "8"};
    parts[2] = (struct state_part){state->positions, numbers * sizeof(double), "8"};
    parts[3] = (struct state_part){state->velocities, numbers * sizeof(double), "8"};
    parts[4] = (struct state_part){state->rigids, model->rigid_count * sizeof *state->rigids, "8"};
    parts[5] = (struct state_part){state->frames, frame_count(model) * sizeof(double), "8"};
    parts[6] = (struct state_part){&state->grab_count, sizeof state->grab_count, "4"};
    parts[7] = (struct state_part){state->grabs, sizeof state->grabs, "44888"};
    parts[8] = (struct state_part){&state->reserve, sizeof state->reserve, "8"};
    parts[9] = (struct state_part){state->rest, model->rigid_count * sizeof *state->rest, "8"};
    parts[10] = (struct state_part){&state->overlap, sizeof state->overlap, "8"};
    parts[11] = (struct state_part){state->activations, model->activation_count * sizeof(double), "8"};
    parts[12] = (struct state_part){state->plastic, 10 * (size_t)model->plastic_count * sizeof(double), "8"};
    /* Without loads it is always 0. */
    parts[13] = (struct state_part){&state->outer_work, model->has_loads ? sizeof state->outer_work : 0, "8"};
    parts[14] = (struct state_part){state->last_positions, numbers * sizeof(double), "8"};
    parts[15] = (struct state_part){state->last_velocities, numbers * sizeof(double), "8"};
    parts[16] = (struct state_part){state->history, model->body_count * sizeof *state->history, "8"};
    parts[17] = (struct state_part){state->joints, model->joint_count * sizeof *state->joints, "8"};
    parts[18] = (struct state_part){state->directors, 24 * (size_t)model->rod_row_count * sizeof(double), "8"};
    parts[19] = (struct state_part){state->spins, 8 * (size_t)model->rod_row_count * sizeof(double), "8"};
    parts[20] = (struct state_part){state->books, model->rigid_count * sizeof *state->books, "8"};
    size_t size = 0;
    for (uint32_t n = 0; n < STATE_PART_COUNT; n++) {
        size += parts[n].size;
    }
    return size;
}

dent_status state_create(struct sim_model *model, struct sim_state *state)
{
    state->positions = sim_allocate(model, 3 * (size_t)model->vertex_count + 1, sizeof(double)); /* rows of four are loaded */
    state->velocities = sim_allocate(model, 3 * (size_t)model->vertex_count, sizeof(double));
    state->rigids = sim_allocate(model, model->rigid_count, sizeof *state->rigids);
    state->frames = sim_allocate(model, frame_count(model), sizeof(double));
    state->last_positions = sim_allocate(model, 3 * (size_t)model->vertex_count, sizeof(double));
    state->last_velocities = sim_allocate(model, 3 * (size_t)model->vertex_count, sizeof(double));
    state->history = sim_allocate(model, model->body_count, sizeof *state->history);
    state->rest = sim_allocate(model, model->rigid_count, sizeof *state->rest);
    state->books = sim_allocate(model, model->rigid_count, sizeof *state->books);
    state->joints = sim_allocate(model, model->joint_count, sizeof *state->joints);
    state->activations = sim_allocate(model, model->activation_count, sizeof(double));
    state->directors = sim_allocate(model, 24 * (size_t)model->rod_row_count, sizeof(double));
    state->spins = sim_allocate(model, 8 * (size_t)model->rod_row_count, sizeof(double));
    state->plastic = sim_allocate(model, 10 * (size_t)model->plastic_count, sizeof(double));
    for (size_t n = 0; state->plastic && n < model->plastic_count; n++) { /* nothing has flowed */
        state->plastic[10 * n] = state->plastic[10 * n + 4] = state->plastic[10 * n + 8] = 1;
    }
    return state->positions && state->velocities && state->rigids && state->frames && state->rest &&
                   state->activations && state->plastic && state->last_positions && state->last_velocities &&
                   state->history && state->joints && state->directors && state->spins && state->books
               ? DENT_OK
               : sim_no_memory(model->context);
}

void state_forget_history(const struct sim_model *model, struct sim_state *state)
{
    memset(state->history, 0, model->body_count * sizeof *state->history);
}

void state_release(dent_context *context, struct sim_state *state)
{
    dent_release(context, state->forces, (size_t)state->force_capacity, sizeof *state->forces);
    dent_release(context, state->springs, (size_t)state->spring_capacity, sizeof *state->springs);
    dent_release(context, state->memory, (size_t)state->memory_capacity, sizeof *state->memory);
}

dent_status state_take_memory(dent_context *context, struct sim_state *state, const dent_world *world)
{
    uint64_t count;
    const dent_contact_memory *memory = dent_world_contact_memory(world, &count);
    dent_status status =
        sim_reserve(context, (void **)&state->memory, &state->memory_capacity, count, sizeof *state->memory);
    if (status == DENT_OK) {
        if (count > 0) {
            memcpy(state->memory, memory, (size_t)count * sizeof *memory);
        }
        state->memory_count = count;
    }
    return status;
}

dent_status state_give_memory(dent_context *context, const struct sim_state *state, dent_world *world)
{
    dent_status status = dent_world_set_contact_memory(world, state->memory, state->memory_count);
    return status == DENT_OK ? status : dent_fail(context, status, "%s", dent_world_message(world));
}

static void copy_parts(const struct sim_model *model, struct sim_state *to, const struct sim_state *from)
{
    struct state_part target[STATE_PART_COUNT], source[STATE_PART_COUNT];
    struct sim_state readable = *from;
    state_parts(model, to, target);
    state_parts(model, &readable, source);
    for (uint32_t n = 0; n < STATE_PART_COUNT; n++) {
        if (target[n].size > 0) {
            sim_copy(model->context, target[n].bytes, source[n].bytes, target[n].size);
        }
    }
}

dent_status state_copy(const struct sim_model *model, struct sim_state *to, const struct sim_state *from)
{
    dent_status status =
        sim_reserve(model->context, (void **)&to->forces, &to->force_capacity, from->force_count, sizeof *to->forces);
    if (status == DENT_OK) {
        status = sim_reserve(model->context, (void **)&to->springs, &to->spring_capacity, from->spring_count,
                             sizeof *to->springs);
    }
    if (status == DENT_OK) {
        status = sim_reserve(model->context, (void **)&to->memory, &to->memory_capacity, from->memory_count,
                             sizeof *to->memory);
    }
    if (status != DENT_OK) {
        return status;
    }
    copy_parts(model, to, from);
    if (from->force_count > 0) {
        memcpy(to->forces, from->forces, (size_t)from->force_count * sizeof *to->forces);
    }
    if (from->spring_count > 0) {
        memcpy(to->springs, from->springs, (size_t)from->spring_count * sizeof *to->springs);
    }
    if (from->memory_count > 0) {
        memcpy(to->memory, from->memory, (size_t)from->memory_count * sizeof *to->memory);
    }
    to->force_count = from->force_count;
    to->spring_count = from->spring_count;
    to->memory_count = from->memory_count;
    return DENT_OK;
}

void state_restore(const struct sim_model *model, struct sim_state *state, struct sim_state *backup)
{
    copy_parts(model, state, backup);
    struct sim_state swap = *state;
    state->forces = backup->forces;
    state->force_count = backup->force_count;
    state->force_capacity = backup->force_capacity;
    state->springs = backup->springs;
    state->spring_count = backup->spring_count;
    state->spring_capacity = backup->spring_capacity;
    state->memory = backup->memory;
    state->memory_count = backup->memory_count;
    state->memory_capacity = backup->memory_capacity;
    backup->forces = swap.forces;
    backup->force_capacity = swap.force_capacity;
    backup->springs = swap.springs;
    backup->spring_capacity = swap.spring_capacity;
    backup->memory = swap.memory;
    backup->memory_capacity = swap.memory_capacity;
    backup->force_count = backup->spring_count = backup->memory_count = 0;
}
