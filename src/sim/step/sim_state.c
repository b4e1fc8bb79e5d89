/* The state of a simulation: everything a step changes and the next one depends on. A step works on it in place; a copy
 * made before lets a failing step change nothing, and checkpoints write and read the same parts. */
#include "sim/model/sim_internal.h"

#include <string.h>

/* No padding, so that the layouts below name every byte on every machine. */
_Static_assert(sizeof(dent_rigid_state) == 23 * 8 && sizeof(struct sim_grab) == 32, "records of state_parts()");
_Static_assert(sizeof(dent_contact_force) == 72 && sizeof(dent_contact_memory) == 40, "STATE_FORCE_LAYOUT");

static size_t frame_count(const dent_sim *sim)
{
    size_t count = 0;
    for (uint32_t b = 0; b < sim->body_count; b++) {
        count += sim->bodies[b].kind == DENT_SIM_EMBEDDED ? 9 * (size_t)sim->bodies[b].vertex_count : 0;
    }
    return count;
}

/* The parts of fixed size, in the order checkpoints keep them. */
uint32_t state_parts(const dent_sim *sim, struct sim_state *state, struct state_part parts[STATE_PART_COUNT])
{
    size_t numbers = 3 * (size_t)sim->vertex_count;
    parts[0] = (struct state_part){&state->step, sizeof state->step, "8"};
    parts[1] = (struct state_part){state->gravity, sizeof state->gravity, "8"};
    parts[2] = (struct state_part){state->positions, numbers * sizeof(double), "8"};
    parts[3] = (struct state_part){state->velocities, numbers * sizeof(double), "8"};
    parts[4] = (struct state_part){state->accelerations, sim->vertex_count * sizeof(double), "8"};
    parts[5] = (struct state_part){state->rigids, sim->rigid_count * sizeof *state->rigids, "8"};
    parts[6] = (struct state_part){state->frames, frame_count(sim) * sizeof(double), "8"};
    parts[7] = (struct state_part){&state->grab_count, sizeof state->grab_count, "4"};
    parts[8] = (struct state_part){state->grabs, sizeof state->grabs, "44888"};
    parts[9] = (struct state_part){state->tie_pushes, 3 * (size_t)sim->attachment_count * sizeof(double), "8"};
    return STATE_PART_COUNT;
}

dent_status state_create(dent_sim *sim, struct sim_state *state)
{
    state->positions = sim_allocate(sim, 3 * (size_t)sim->vertex_count, sizeof(double));
    state->velocities = sim_allocate(sim, 3 * (size_t)sim->vertex_count, sizeof(double));
    state->accelerations = sim_allocate(sim, sim->vertex_count, sizeof(double));
    state->rigids = sim_allocate(sim, sim->rigid_count, sizeof *state->rigids);
    state->frames = sim_allocate(sim, frame_count(sim), sizeof(double));
    state->tie_pushes = sim_allocate(sim, 3 * (size_t)sim->attachment_count, sizeof(double));
    return state->tie_pushes && state->positions && state->velocities && state->accelerations && state->rigids &&
                   state->frames
               ? DENT_OK
               : sim_no_memory(sim);
}

void state_release(dent_sim *sim, struct sim_state *state)
{
    dent_release(sim->context, state->forces, (size_t)state->force_capacity, sizeof *state->forces);
    dent_release(sim->context, state->memory, (size_t)state->memory_capacity, sizeof *state->memory);
}

/* What the world remembers of the last step, taken into the state. */
dent_status state_take_memory(dent_sim *sim)
{
    uint64_t count;
    const dent_contact_memory *memory = dent_world_contact_memory(sim->world, &count);
    struct sim_state *state = &sim->state;
    dent_status status =
        sim_reserve(sim, (void **)&state->memory, &state->memory_capacity, count, sizeof *state->memory);
    if (status == DENT_OK) {
        if (count > 0) {
            memcpy(state->memory, memory, (size_t)count * sizeof *memory);
        }
        state->memory_count = count;
    }
    return status;
}

/* … and given back to it. */
dent_status state_give_memory(dent_sim *sim)
{
    dent_status status = dent_world_set_contact_memory(sim->world, sim->state.memory, sim->state.memory_count);
    return status == DENT_OK ? status : dent_fail(sim->context, status, "%s", dent_world_message(sim->world));
}

dent_status state_copy(dent_sim *sim, struct sim_state *to, const struct sim_state *from)
{
    dent_status status =
        sim_reserve(sim, (void **)&to->forces, &to->force_capacity, from->force_count, sizeof *to->forces);
    if (status == DENT_OK) {
        status = sim_reserve(sim, (void **)&to->memory, &to->memory_capacity, from->memory_count, sizeof *to->memory);
    }
    if (status != DENT_OK) {
        return status;
    }
    struct state_part target[STATE_PART_COUNT], source[STATE_PART_COUNT];
    struct sim_state readable = *from;
    state_parts(sim, to, target);
    state_parts(sim, &readable, source);
    for (uint32_t n = 0; n < STATE_PART_COUNT; n++) {
        if (target[n].size > 0) {
            memcpy(target[n].bytes, source[n].bytes, target[n].size);
        }
    }
    if (from->force_count > 0) {
        memcpy(to->forces, from->forces, (size_t)from->force_count * sizeof *to->forces);
    }
    if (from->memory_count > 0) {
        memcpy(to->memory, from->memory, (size_t)from->memory_count * sizeof *to->memory);
    }
    to->force_count = from->force_count;
    to->memory_count = from->memory_count;
    return DENT_OK;
}

void state_restore(dent_sim *sim)
{
    struct state_part target[STATE_PART_COUNT], source[STATE_PART_COUNT];
    state_parts(sim, &sim->state, target);
    state_parts(sim, &sim->backup, source);
    for (uint32_t n = 0; n < STATE_PART_COUNT; n++) {
        if (target[n].size > 0) {
            memcpy(target[n].bytes, source[n].bytes, target[n].size);
        }
    }
    struct sim_state swap = sim->state;
    sim->state.forces = sim->backup.forces;
    sim->state.force_count = sim->backup.force_count;
    sim->state.force_capacity = sim->backup.force_capacity;
    sim->state.memory = sim->backup.memory;
    sim->state.memory_count = sim->backup.memory_count;
    sim->state.memory_capacity = sim->backup.memory_capacity;
    sim->backup.forces = swap.forces;
    sim->backup.force_capacity = swap.force_capacity;
    sim->backup.memory = swap.memory;
    sim->backup.memory_capacity = swap.memory_capacity;
    sim->backup.force_count = sim->backup.memory_count = 0;
    sim->memory_stale = true;
}
