/* The face-cell flood of the contour walk: from every seed through the cells that a face meets, and across the edges of
 * the face.
 *
 * Face by face: all cells that one face meets are found in one go, with a small table of those already looked at. What
 * an edge of the face passes through is also met by the other faces at that edge: they get it as a seed of the next
 * round. A round handles all faces that have seeds, in parallel; what earlier rounds found is only read. The set of
 * pairs does not depend on the order.
 */
#include "base/prefetch.h"
#include "geometry/predicates/kernels/overlap_kernels.h"
#include "methods/contour_walk/contour_walk.h"

#include <string.h>

enum { FACES_PER_BLOCK = 16, CELL_SLOTS = 256 };

/* ---- the table of cells ---------------------------------------------------------------------- */

static void cell_set_clear(struct cell_set *set)
{
    set->count = 0;
    if (++set->epoch == 0 && set->slots.count) {
        memset(set->slots.data, 0, set->slots.count * sizeof(struct cell_slot));
        set->epoch = 1;
    }
}

static struct cell_slot *find_slot(const struct cell_set *set, uint32_t cell)
{
    struct cell_slot *slots = set->slots.data;
    uint32_t mask = (uint32_t)set->slots.count - 1, at = cell * 2654435761u >> 7 & mask;
    while (slots[at].epoch == set->epoch && slots[at].cell != cell) {
        at = (at + 1) & mask;
    }
    return &slots[at];
}

/* To `count` slots, a power of two. */
static bool cell_set_resize(struct cell_set *set, size_t count)
{
    struct dynamic_array old = set->slots;
    struct dynamic_array fresh;
    array_init(&fresh, old.context, sizeof(struct cell_slot));
    if (!array_reserve(&fresh, count) || !array_extend(&fresh, count)) {
        array_destroy(&fresh);
        return false;
    }
    memset(fresh.data, 0, count * sizeof(struct cell_slot));
    set->slots = fresh;
    uint32_t epoch = set->epoch;
    set->epoch = 1;
    for (size_t i = 0; i < old.count; i++) {
        const struct cell_slot *slot = (const struct cell_slot *)old.data + i;
        if (slot->epoch == epoch) {
            *find_slot(set, slot->cell) = (struct cell_slot){slot->cell, 1};
        }
    }
    array_destroy(&old);
    return true;
}

static bool cell_set_grow(struct cell_set *set)
{
    return cell_set_resize(set, set->slots.count ? set->slots.count * 2 : CELL_SLOTS);
}

/* 1: new, 0: was there, -1: no memory. */
static int cell_set_add(struct cell_set *set, uint32_t cell)
{
    if ((size_t)set->count * 2 >= set->slots.count && !cell_set_grow(set)) {
        return -1;
    }
    struct cell_slot *slot = find_slot(set, cell);
    if (slot->epoch == set->epoch) {
        return 0;
    }
    *slot = (struct cell_slot){cell, set->epoch};
    set->count++;
    return 1;
}

/* ---- one face -------------------------------------------------------------------------------- */

struct flood {
    struct contour_search *search;
    const uint32_t *active; /* seeds that begin the list of a face */
    uint32_t active_count;
};

static void visit_later(struct flood *flood, struct contour_worker *worker, uint32_t body_b, uint32_t cell)
{
    const struct walk_body *body = &flood->search->bodies[body_b];
    int added = cell_set_add(&worker->seen, body->first_cell + cell);
    struct walk_seed next = {.body_b = body_b, .cell = cell};
    __builtin_prefetch(&body->mesh->cells[cell]);
    if (added < 0 || (added > 0 && !array_push(&worker->queue, &next))) {
        worker->out_of_memory = true;
    }
}

PREFETCH_FUNCTION fetch_corners(const struct walk_body *body, uint32_t cell)
{
    for (int corner = 0; corner < 4; corner++) {
        __builtin_prefetch(body->xyz[body->mesh->cells[cell].vertices[corner]]);
    }
}

static bool share_corners(const struct numbered_point face[3], const struct numbered_point cell[4])
{
    bool shared = false;
    for (int k = 0; k < 3; k++) {
        for (int corner = 0; corner < 4; corner++) {
            shared |= face[k].number == cell[corner].number;
        }
    }
    return shared;
}

/* Was this pair found in an earlier round? */
static bool is_known(const struct contour_search *search, uint32_t body_a, uint32_t face, uint32_t body_b,
                     uint32_t cell)
{
    const struct walk_run *runs = search->state->runs.data;
    const struct contour_pair *pairs = search->state->pairs.data;
    for (uint32_t run = search->last_run[search->bodies[body_a].first_face + face]; run != NO_RECORD;
         run = runs[run].before) {
        for (uint32_t i = runs[run].first; i < runs[run].first + runs[run].count; i++) {
            if (pairs[i].cell == cell && pairs[i].body_b == body_b) {
                return true;
            }
        }
    }
    return false;
}

/* The other faces at edge k of the face meet the cell too. */
static void tell_neighbours(struct flood *flood, uint32_t block, uint32_t body_a, uint32_t face, uint32_t k,
                            uint32_t body_b, uint32_t cell)
{
    const uint32_t *ring = flood->search->bodies[body_a].mesh->ring;
    uint32_t code = face * 3 + k;
    for (uint32_t next = ring[code]; next != code; next = ring[next]) {
        struct walk_seed seed = {body_a, next / 3, body_b, cell};
        if (!is_known(flood->search, body_a, next / 3, body_b, cell)) {
            block_output_append(&flood->search->state->seed_output, block, &seed, 1);
        }
    }
}

static void look_into_cell(struct flood *flood, struct contour_worker *worker, uint32_t block, uint32_t body_a,
                           uint32_t face, const struct numbered_point face_points[3],
                           const struct overlap_face *prepared, struct walk_seed at, predicate_counters *counters)
{
    const struct walk_body *body = &flood->search->bodies[at.body_b];
    const struct walk_cell *cell = &body->mesh->cells[at.cell];
    struct numbered_point points[4];
    struct face_cell_overlap overlap;
    walk_cell_points(body, cell, points);
    if (body_a == at.body_b && share_corners(face_points, points)) {
        face_cell_overlap_shared(face_points, points, walk_orientation(body, cell), &overlap, counters);
    } else {
        face_cell_overlap_apart(overlap_kernels_for(flood->search->request->isa), prepared, face_points, points,
                                walk_orientation(body, cell), &overlap, counters);
    }
    if (!overlap.meets) {
        return;
    }
    uint8_t edges = overlap.cell_edges & contour_edges_to_follow(flood->search, body, cell);
    struct contour_pair pair = {body_a,
                             face,
                             at.body_b,
                             at.cell,
                             overlap.face_corners,
                             edges,
                             overlap.degenerate || (body->odd_cells && body->odd_cells[at.cell]),
                             overlap.above};
    block_output_append(&flood->search->state->pair_output, block, &pair, 1);
    for (uint32_t corner = 0; corner < 4; corner++) {
        uint32_t next = cell->neighbours[corner];
        if (overlap.cell_faces >> corner & 1 && next != WALK_WALL && !walk_is_removed(body, next)) {
            visit_later(flood, worker, at.body_b, next);
        }
    }
    for (uint32_t k = 0; k < 3; k++) {
        if (overlap.face_edges >> k & 1) {
            tell_neighbours(flood, block, body_a, face, k, at.body_b, at.cell);
        }
    }
}

static void mark_known_cells(struct flood *flood, struct contour_worker *worker, uint32_t world_face)
{
    const struct contour_search *search = flood->search;
    const struct walk_run *runs = search->state->runs.data;
    const struct contour_pair *pairs = search->state->pairs.data;
    cell_set_clear(&worker->seen);
    for (uint32_t run = search->last_run[world_face]; run != NO_RECORD; run = runs[run].before) {
        for (uint32_t i = runs[run].first; i < runs[run].first + runs[run].count; i++) {
            if (cell_set_add(&worker->seen, search->bodies[pairs[i].body_b].first_cell + pairs[i].cell) < 0) {
                worker->out_of_memory = true;
            }
        }
    }
}

static void flood_face(struct flood *flood, struct contour_worker *worker, uint32_t block, uint32_t first_seed,
                       predicate_counters *counters)
{
    const struct contour_search *search = flood->search;
    const struct walk_seed *seeds = search->state->seeds.data;
    const uint32_t *next = search->state->seed_next.data;
    const struct walk_body *body = &search->bodies[seeds[first_seed].body_a];
    uint32_t body_a = seeds[first_seed].body_a, face = seeds[first_seed].face;
    struct numbered_point points[3];
    struct overlap_face prepared;
    walk_face_points(body, face, points);
    const double *const corners[3] = {points[0].xyz, points[1].xyz, points[2].xyz};
    overlap_face_prepare(&prepared, corners, search->scaling.first, search->scaling.second);
    mark_known_cells(flood, worker, body->first_face + face);
    array_clear(&worker->queue);
    for (uint32_t seed = first_seed; seed != NO_RECORD; seed = next[seed]) {
        visit_later(flood, worker, seeds[seed].body_b, seeds[seed].cell);
    }
    for (size_t done = 0; done < worker->queue.count; done++) { /* first in, first out: memory has time to come */
        const struct walk_seed *queue = worker->queue.data;
        struct walk_seed at = queue[done];
        if (done + 1 < worker->queue.count) {
            fetch_corners(&search->bodies[queue[done + 1].body_b], queue[done + 1].cell);
        }
        look_into_cell(flood, worker, block, body_a, face, points, &prepared, at, counters);
    }
}

static void flood_block(void *data, uint32_t block, uint32_t worker_number)
{
    struct flood *flood = data;
    struct contour_search *search = flood->search;
    struct contour_worker *worker = &search->state->workers[worker_number];
    predicate_counters *counters = search->sink->predicates(search->sink, worker_number);
    uint32_t end =
        (block + 1) * FACES_PER_BLOCK < flood->active_count ? (block + 1) * FACES_PER_BLOCK : flood->active_count;
    for (uint32_t i = block * FACES_PER_BLOCK; i < end && !search_cancelled(search->request); i++) {
        flood_face(flood, worker, block, flood->active[i], counters);
    }
}

/* ---- rounds ---------------------------------------------------------------------------------- */

/* Strings the seeds together by face; `active` gets the first of every face. */
static bool link_seeds(struct contour_search *search)
{
    struct contour_state *state = search->state;
    const struct walk_seed *seeds = state->seeds.data;
    array_clear(&state->active);
    array_clear(&state->seed_next);
    uint32_t *next = array_extend(&state->seed_next, state->seeds.count);
    if (!next) {
        return false;
    }
    for (uint32_t i = (uint32_t)state->seeds.count; i-- > 0;) {
        uint32_t *first = &search->first_seed[search->bodies[seeds[i].body_a].first_face + seeds[i].face];
        next[i] = *first;
        *first = i;
    }
    for (uint32_t i = 0; i < state->seeds.count; i++) {
        uint32_t *first = &search->first_seed[search->bodies[seeds[i].body_a].first_face + seeds[i].face];
        if (*first == i && !array_push(&state->active, &i)) {
            return false;
        }
    }
    for (uint32_t i = 0; i < state->seeds.count; i++) {
        search->first_seed[search->bodies[seeds[i].body_a].first_face + seeds[i].face] = NO_RECORD;
    }
    return true;
}

/* Puts the pairs of a round behind the others, as one run for each face. */
static bool keep_pairs(struct contour_search *search)
{
    struct contour_state *state = search->state;
    uint32_t at = (uint32_t)state->pairs.count;
    if (!block_output_merge(&state->pair_output, &state->pairs) || state->pairs.count >= UINT32_MAX) {
        return false;
    }
    const struct contour_pair *pairs = state->pairs.data;
    while (at < state->pairs.count) {
        uint32_t end = at + 1;
        while (end < state->pairs.count && pairs[end].face == pairs[at].face && pairs[end].body_a == pairs[at].body_a) {
            end++;
        }
        uint32_t *last = &search->last_run[search->bodies[pairs[at].body_a].first_face + pairs[at].face];
        struct walk_run run = {at, end - at, *last};
        *last = (uint32_t)state->runs.count;
        if (!array_push(&state->runs, &run)) {
            return false;
        }
        at = end;
    }
    return true;
}

static bool any_worker_failed(const struct contour_state *state)
{
    bool failed = false;
    for (uint32_t i = 0; i < state->worker_count; i++) {
        failed |= state->workers[i].out_of_memory;
    }
    return failed;
}

/* Which worker gets the face that needs most is chance, and may be another one the next time: what one worker needed,
 * all get, so that the same positions need no memory again. */
static bool level_workers(struct contour_state *state)
{
    size_t slots = 0, queue = 0;
    for (uint32_t i = 0; i < state->worker_count; i++) {
        const struct contour_worker *worker = &state->workers[i];
        slots = worker->seen.slots.count > slots ? worker->seen.slots.count : slots;
        queue = worker->queue.capacity > queue ? worker->queue.capacity : queue;
    }
    for (uint32_t i = 0; i < state->worker_count; i++) {
        struct contour_worker *worker = &state->workers[i];
        if (!array_reserve(&worker->queue, queue) ||
            (worker->seen.slots.count < slots && !cell_set_resize(&worker->seen, slots))) {
            return false;
        }
    }
    return true;
}

bool contour_flood_faces(struct contour_search *search)
{
    struct contour_state *state = search->state;
    array_clear(&state->pairs);
    array_clear(&state->runs);
    while (state->seeds.count && !search_cancelled(search->request)) {
        if (state->seeds.count >= UINT32_MAX || !link_seeds(search)) {
            return false;
        }
        struct flood flood = {search, state->active.data, (uint32_t)state->active.count};
        uint32_t blocks = (flood.active_count + FACES_PER_BLOCK - 1) / FACES_PER_BLOCK;
        if (!block_output_begin(&state->pair_output, blocks) || !block_output_begin(&state->seed_output, blocks)) {
            return false;
        }
        dent_parallel_for(state->context, blocks, flood_block, &flood);
        array_clear(&state->seeds);
        if (any_worker_failed(state) || !keep_pairs(search) ||
            !block_output_merge(&state->seed_output, &state->seeds)) {
            return false;
        }
    }
    return level_workers(state);
}
