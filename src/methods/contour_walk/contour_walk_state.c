/* What the contour walk keeps between queries: the bodies made ready for walking, and memory. */
#include "methods/contour_walk/contour_walk.h"

#include <string.h>

#include "base/context.h"

static void free_workers(struct contour_state *state)
{
    for (uint32_t i = 0; i < state->worker_count; i++) {
        array_destroy(&state->workers[i].seen.slots);
        array_destroy(&state->workers[i].queue);
    }
    dent_release(state->context, state->workers, state->worker_count, sizeof *state->workers);
    state->workers = NULL;
    state->worker_count = 0;
}

static void free_meshes(struct contour_state *state)
{
    for (uint32_t body_index = 0; body_index < state->body_count; body_index++) {
        if (state->meshes[body_index]) {
            walk_mesh_destroy(state->meshes[body_index]);
            dent_release(state->context, state->meshes[body_index], 1, sizeof *state->meshes[body_index]);
        }
    }
    dent_release(state->context, state->meshes, state->body_count, sizeof *state->meshes);
    dent_release(state->context, state->identity_bases, state->body_count, sizeof *state->identity_bases);
    state->meshes = NULL;
    state->identity_bases = NULL;
    state->body_count = 0;
    state->valid = false;
}

dent_status contour_state_create(dent_context *context, void **state)
{
    struct contour_state *made = dent_allocate(context, 1, sizeof *made);
    if (!made) {
        return DENT_ERROR_OUT_OF_MEMORY;
    }
    *made = (struct contour_state){.context = context};
    array_init(&made->pairs, context, sizeof(struct contour_pair));
    array_init(&made->runs, context, sizeof(struct walk_run));
    array_init(&made->seeds, context, sizeof(struct walk_seed));
    array_init(&made->seed_next, context, sizeof(uint32_t));
    array_init(&made->active, context, sizeof(uint32_t));
    array_init(&made->slots, context, sizeof(struct walk_slot));
    array_init(&made->guesses, context, sizeof(struct walk_slot));
    array_init(&made->crossings, context, sizeof(dent_pair));
    block_output_init(&made->crossing_output, context, sizeof(dent_pair));
    array_init(&made->removed_cells, context, sizeof(struct walk_seed));
    array_init(&made->hidden_walls, context, sizeof(struct hidden_wall));
    array_init(&made->candidates[0], context, sizeof(struct candidate));
    array_init(&made->candidates[1], context, sizeof(struct candidate));
    block_output_init(&made->candidate_output, context, sizeof(struct candidate));
    block_output_init(&made->pair_output, context, sizeof(struct contour_pair));
    block_output_init(&made->seed_output, context, sizeof(struct walk_seed));
    block_output_init(&made->place_output, context, sizeof(struct walk_slot));
    uint32_t worker_count = dent_context_worker_count(context);
    made->workers = dent_allocate(context, worker_count, sizeof *made->workers);
    if (!made->workers) {
        contour_state_destroy(context, made);
        return DENT_ERROR_OUT_OF_MEMORY;
    }
    made->worker_count = worker_count;
    for (uint32_t i = 0; i < worker_count; i++) {
        made->workers[i] = (struct contour_worker){0};
        array_init(&made->workers[i].seen.slots, context, sizeof(struct cell_slot));
        array_init(&made->workers[i].queue, context, sizeof(struct walk_seed));
    }
    *state = made;
    return DENT_OK;
}

void contour_state_destroy(dent_context *context, void *data)
{
    struct contour_state *state = data;
    if (!state) {
        return;
    }
    free_meshes(state);
    free_workers(state);
    array_destroy(&state->pairs);
    array_destroy(&state->runs);
    array_destroy(&state->seeds);
    array_destroy(&state->seed_next);
    array_destroy(&state->active);
    array_destroy(&state->slots);
    array_destroy(&state->guesses);
    array_destroy(&state->crossings);
    block_output_destroy(&state->crossing_output);
    array_destroy(&state->removed_cells);
    array_destroy(&state->hidden_walls);
    array_destroy(&state->candidates[0]);
    array_destroy(&state->candidates[1]);
    block_output_destroy(&state->candidate_output);
    block_output_destroy(&state->pair_output);
    block_output_destroy(&state->seed_output);
    block_output_destroy(&state->place_output);
    dent_release(context, state, 1, sizeof *state);
}

/* The mesh of a body, taken from the old ones when it is still the same body. Bodies keep their order, so the search
 * goes on from *hint. */
static struct walk_mesh *take_or_make(struct contour_state *old, dent_context *context, const struct body *body,
                                      uint32_t *hint, uint64_t *built)
{
    for (uint32_t tried = 0; tried < old->body_count; tried++) {
        uint32_t body_index = (*hint + tried) % old->body_count;
        if (old->meshes[body_index] && old->identity_bases[body_index] == body->identity_base) {
            struct walk_mesh *mesh = old->meshes[body_index];
            old->meshes[body_index] = NULL;
            *hint = body_index + 1;
            return mesh;
        }
    }
    struct walk_mesh *mesh = dent_allocate(context, 1, sizeof *mesh);
    if (mesh && !walk_mesh_create(mesh, context, body)) {
        dent_release(context, mesh, 1, sizeof *mesh);
        return NULL;
    }
    ++*built;
    return mesh;
}

bool contour_state_update(struct contour_state *state, const struct snapshot *snapshot)
{
    state->built = 0;
    if (state->valid && state->topology_version == snapshot->table->topology_version) {
        return true;
    }
    array_clear(&state->slots); /* guesses for other bodies */
    struct contour_state fresh = {.context = state->context, .body_count = snapshot->body_count};
    fresh.meshes = dent_allocate(state->context, snapshot->body_count, sizeof *fresh.meshes);
    fresh.identity_bases = dent_allocate(state->context, snapshot->body_count, sizeof *fresh.identity_bases);
    bool good = fresh.meshes && fresh.identity_bases;
    if (!good) {
        dent_release(state->context, fresh.meshes, snapshot->body_count, sizeof *fresh.meshes);
        dent_release(state->context, fresh.identity_bases, snapshot->body_count, sizeof *fresh.identity_bases);
        return false;
    }
    uint32_t hint = 0;
    memset(fresh.meshes, 0, snapshot->body_count * sizeof *fresh.meshes);
    for (uint32_t body_index = 0; body_index < snapshot->body_count && good; body_index++) {
        const struct body *body = snapshot->bodies[body_index].body;
        fresh.identity_bases[body_index] = body->identity_base;
        fresh.meshes[body_index] = take_or_make(state, state->context, body, &hint, &state->built);
        good = fresh.meshes[body_index] != NULL;
    }
    free_meshes(state);
    if (!good) {
        free_meshes(&fresh);
        return false;
    }
    state->meshes = fresh.meshes;
    state->identity_bases = fresh.identity_bases;
    state->body_count = fresh.body_count;
    state->topology_version = snapshot->table->topology_version;
    state->valid = true;
    return true;
}
