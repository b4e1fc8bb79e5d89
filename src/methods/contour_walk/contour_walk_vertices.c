/* From the faces inward: every vertex that lies in a cell.
 *
 * Surface vertices come with the face-cell pairs. An edge of a cell that pierces a face of another solid (or of its
 * own) has its inner end on the inner side of that face: a straight walk from the face along the edge finds the cell
 * that holds it, or leaves the solid again. From a vertex known to lie in a cell, straight walks along its mesh edges
 * find the cells of its inner neighbours; an edge on which the walk leaves the solid is pierced, and its other end has
 * seeds of its own. Rounds as in contour_walk_flood.c: the set found does not depend on order.
 */
#include "methods/contour_walk/contour_walk.h"

enum { PAIRS_PER_BLOCK = 256, SLOTS_PER_BLOCK = 64 };

struct vertex_flood {
    struct contour_search *search;
    uint32_t first, count; /* slots of the last round */
};

static bool has_slot(const struct contour_search *search, uint32_t world_vertex, uint32_t body_b, uint32_t cell)
{
    const struct walk_slot *slots = search->state->slots.data;
    for (uint32_t at = search->last_slot[world_vertex]; at != NO_RECORD; at = slots[at].before) {
        if (slots[at].body_b == body_b && (cell == NO_CELL || slots[at].cell == cell)) {
            return true;
        }
    }
    return false;
}

/* ---- first: from pairs ----------------------------------------------------------------------- */

void contour_put_slot(struct contour_search *search, uint32_t block, uint32_t body_a, uint32_t vertex, uint32_t body_b,
                      uint32_t cell, bool degenerate)
{
    struct walk_slot slot = {body_a, vertex, body_b, cell, NO_RECORD, degenerate};
    block_output_append(&search->state->place_output, block, &slot, 1);
}

/* A vertex that can lie in one cell of the body only was found there. Other threads may read and write the hint: it
 * saves work and decides nothing. */
static bool is_found(const struct contour_search *search, uint32_t body_a, uint32_t vertex, uint32_t body_b)
{
    return __atomic_load_n(&search->found_in[search->bodies[body_a].first_vertex + vertex], __ATOMIC_RELAXED) ==
           body_b + 1;
}

static void note_found(struct contour_search *search, uint32_t body_a, uint32_t vertex, uint32_t body_b, bool single)
{
    if (single) {
        __atomic_store_n(&search->found_in[search->bodies[body_a].first_vertex + vertex], body_b + 1, __ATOMIC_RELAXED);
    }
}

/* Walks along edge m of a cell from the wall inward. */
static void follow_edge(struct contour_search *search, const struct pierced_wall *pierced, uint32_t m, uint32_t block,
                        struct contour_worker *worker, predicate_counters *counters)
{
    const struct walk_body *solid = &search->bodies[pierced->solid], *other = &search->bodies[pierced->body_b];
    const uint32_t *vertices = other->mesh->cells[pierced->cell].vertices;
    uint32_t flipped = pierced->inner >> walk_edge_corners[m][0] & 1 ? 0 : 1, arrived;
    uint32_t inner = vertices[walk_edge_corners[m][flipped]], outer = vertices[walk_edge_corners[m][1 - flipped]];
    bool has_own_seeds = other->body->vertex_use[inner] & VERTEX_ON_SURFACE ||
                         (search->defective && search->defective[other->first_vertex + inner]);
    bool single = one_cell_at_most(search, pierced->body_b, pierced->solid), degenerate = pierced->degenerate;
    bool known = single && (is_found(search, pierced->body_b, inner, pierced->solid) ||
                            has_slot(search, other->first_vertex + inner, pierced->solid, NO_CELL));
    if (has_own_seeds || known) {
        return;
    }
    enum walk_end end = walk_straight(solid, walk_point(other, outer), walk_point(other, inner), pierced->wall_cell,
                                      pierced->wall_corner, &arrived, &degenerate, counters);
    worker->lost |= end == WALK_LOST;
    if (end == WALK_ARRIVED) {
        contour_put_slot(search, block, pierced->body_b, inner, pierced->solid, arrived, degenerate);
        note_found(search, pierced->body_b, inner, pierced->solid, single);
    }
}

void contour_follow_edges(struct contour_search *search, const struct pierced_wall *pierced, uint32_t block,
                          struct contour_worker *worker, predicate_counters *counters)
{
    uint32_t edges = pierced->edges;
    if (edges == 0 || walk_is_removed(&search->bodies[pierced->solid], pierced->wall_cell)) {
        return;
    }
    for (; edges; edges &= edges - 1) {
        follow_edge(search, pierced, (uint32_t)__builtin_ctz(edges), block, worker, counters);
    }
}

static void read_pair(struct contour_search *search, const struct contour_pair *pair, uint32_t block,
                      struct contour_worker *worker, predicate_counters *counters)
{
    const struct walk_body *a = &search->bodies[pair->body_a];
    uint32_t corners = pair->face_corners & a->mesh->designated[pair->face];
    for (uint32_t k = 0; k < 3; k++) {
        if (corners >> k & 1) {
            contour_put_slot(search, block, pair->body_a, a->body->surface_faces[pair->face].corners[k], pair->body_b,
                             pair->cell, pair->degenerate);
        }
    }
    if (!body_has_cells(a->body) || search->request->surface_vertices_only || search->state->leave_out & SEED_EDGES) {
        return;
    }
    if (pair->cell_edges) {
        /* A surface face is counter-clockwise from outside when its cell is positive in the order of the caller. */
        uint32_t owner = a->mesh->owners[pair->face];
        const struct walk_cell *cell = &a->mesh->cells[owner / 4];
        bool positive = a->all_positive || (walk_orientation(a, cell) > 0) != cell->flipped;
        struct pierced_wall pierced = {pair->body_a,
                                       owner / 4,
                                       owner % 4,
                                       pair->body_b,
                                       pair->cell,
                                       pair->cell_edges,
                                       (uint8_t)(positive ? ~pair->above : pair->above),
                                       pair->degenerate};
        contour_follow_edges(search, &pierced, block, worker, counters);
    }
}

static void read_pairs_block(void *data, uint32_t block, uint32_t worker_number)
{
    struct contour_search *search = data;
    const struct contour_pair *pairs = search->state->pairs.data;
    size_t end = (size_t)(block + 1) * PAIRS_PER_BLOCK < search->state->pairs.count
                     ? (size_t)(block + 1) * PAIRS_PER_BLOCK
                     : search->state->pairs.count;
    predicate_counters *counters = search->sink->predicates(search->sink, worker_number);
    for (size_t i = (size_t)block * PAIRS_PER_BLOCK; i < end && !search_cancelled(search->request); i++) {
        read_pair(search, &pairs[i], block, &search->state->workers[worker_number], counters);
    }
}

/* ---- before: what was so in the last query --------------------------------------------------- */

/* A vertex may still be in the cell it was in. That makes it a slot like any other, found without a walk. */
static void check_guesses(void *data, uint32_t block, uint32_t worker_number)
{
    struct contour_search *search = data;
    const struct walk_slot *guesses = search->state->guesses.data;
    size_t begin = (size_t)block * PAIRS_PER_BLOCK;
    size_t end =
        begin + PAIRS_PER_BLOCK < search->state->guesses.count ? begin + PAIRS_PER_BLOCK : search->state->guesses.count;
    predicate_counters *counters = search->sink->predicates(search->sink, worker_number);
    for (size_t i = begin; i < end && !search_cancelled(search->request); i++) {
        const struct walk_slot *guess = &guesses[i];
        const struct walk_body *body = &search->bodies[guess->body_b];
        bool degenerate = body->odd_cells && body->odd_cells[guess->cell];
        if (vertex_is_asked(search->request, search->request->snapshot->bodies[guess->body_a].body, guess->vertex) &&
            !walk_is_removed(body, guess->cell) &&
            contour_cell_holds(body, guess->cell, walk_point(&search->bodies[guess->body_a], guess->vertex),
                               &degenerate, counters)) {
            contour_put_slot(search, block, guess->body_a, guess->vertex, guess->body_b, guess->cell, degenerate);
            note_found(search, guess->body_a, guess->vertex, guess->body_b,
                       one_cell_at_most(search, guess->body_a, guess->body_b));
        }
    }
}

/* ---- then: from vertex to vertex ------------------------------------------------------------- */

static void spread_from(struct contour_search *search, const struct walk_slot *slot, uint32_t block,
                        struct contour_worker *worker, predicate_counters *counters)
{
    const struct walk_body *a = &search->bodies[slot->body_a], *b = &search->bodies[slot->body_b];
    const struct walk_mesh *mesh = a->mesh;
    bool single = one_cell_at_most(search, slot->body_a, slot->body_b);
    struct numbered_point from = walk_point(a, slot->vertex);
    for (uint32_t i = mesh->inner_first[slot->vertex]; i < mesh->inner_first[slot->vertex + 1]; i++) {
        uint32_t vertex = mesh->inner[i], arrived;
        bool degenerate = slot->degenerate;
        if (single && (is_found(search, slot->body_a, vertex, slot->body_b) ||
                       has_slot(search, a->first_vertex + vertex, slot->body_b, NO_CELL))) {
            continue;
        }
        enum walk_end end =
            walk_straight(b, from, walk_point(a, vertex), slot->cell, 4, &arrived, &degenerate, counters);
        worker->lost |= end == WALK_LOST;
        if (end == WALK_ARRIVED && !has_slot(search, a->first_vertex + vertex, slot->body_b, arrived)) {
            contour_put_slot(search, block, slot->body_a, vertex, slot->body_b, arrived, degenerate);
            note_found(search, slot->body_a, vertex, slot->body_b, single);
        }
    }
}

static void spread_block(void *data, uint32_t block, uint32_t worker_number)
{
    struct vertex_flood *flood = data;
    struct contour_search *search = flood->search;
    const struct walk_slot *slots = search->state->slots.data;
    uint32_t begin = block * SLOTS_PER_BLOCK,
             end = begin + SLOTS_PER_BLOCK < flood->count ? begin + SLOTS_PER_BLOCK : flood->count;
    predicate_counters *counters = search->sink->predicates(search->sink, worker_number);
    for (uint32_t i = begin; i < end && !search_cancelled(search->request); i++) {
        spread_from(search, &slots[flood->first + i], block, &search->state->workers[worker_number], counters);
    }
}

/* How often a vertex is found before the hints stop it depends on which worker is faster: room for more than came this
 * time, so that a query on the same positions needs no memory, and one on others seldom. */
static bool leave_room(struct contour_state *state)
{
    size_t found = block_output_count(&state->place_output), all = state->slots.count + found;
    size_t wanted = state->worker_count == 1 ? all : all + found / 2;
    return wanted <= state->slots.capacity || array_reserve(&state->slots, wanted + wanted / 2);
}

/* Takes the slots of a round over, each once. */
static bool keep_slots(struct contour_search *search)
{
    struct contour_state *state = search->state;
    size_t begin = state->slots.count, end = begin;
    if (!leave_room(state)) {
        return false;
    }
    if (!block_output_merge(&state->place_output, &state->slots) || state->slots.count >= UINT32_MAX) {
        return false;
    }
    struct walk_slot *slots = state->slots.data;
    for (size_t i = begin; i < state->slots.count; i++) {
        uint32_t world_vertex = search->bodies[slots[i].body_a].first_vertex + slots[i].vertex;
        if (has_slot(search, world_vertex, slots[i].body_b, slots[i].cell)) {
            continue;
        }
        slots[end] = slots[i];
        slots[end].before = search->last_slot[world_vertex];
        search->last_slot[world_vertex] = (uint32_t)end++;
    }
    state->slots.count = end;
    return true;
}

bool contour_flood_vertices(struct contour_search *search)
{
    struct contour_state *state = search->state;
    struct dynamic_array last = state->slots;
    state->slots = state->guesses;
    state->guesses = last;
    array_clear(&state->slots);
    uint32_t guess_blocks = (uint32_t)((state->guesses.count + PAIRS_PER_BLOCK - 1) / PAIRS_PER_BLOCK);
    if (!block_output_begin(&state->place_output, guess_blocks)) {
        return false;
    }
    dent_parallel_for(state->context, guess_blocks, check_guesses, search);
    if (!keep_slots(search)) {
        return false;
    }
    if (search->defective && (!contour_place_defects(search) || !keep_slots(search))) {
        return false;
    }
    uint32_t blocks = (uint32_t)((state->pairs.count + PAIRS_PER_BLOCK - 1) / PAIRS_PER_BLOCK);
    if (!block_output_begin(&state->place_output, blocks)) {
        return false;
    }
    dent_parallel_for(state->context, blocks, read_pairs_block, search);
    if (!keep_slots(search)) {
        return false;
    }
    struct vertex_flood flood = {.search = search, .count = (uint32_t)state->slots.count};
    while (flood.count && !search->request->surface_vertices_only && !search_cancelled(search->request)) {
        blocks = (flood.count + SLOTS_PER_BLOCK - 1) / SLOTS_PER_BLOCK;
        if (!block_output_begin(&state->place_output, blocks)) {
            return false;
        }
        dent_parallel_for(state->context, blocks, spread_block, &flood);
        flood.first += flood.count;
        if (!keep_slots(search)) {
            return false;
        }
        flood.count = (uint32_t)(state->slots.count - flood.first);
    }
    /* They change slots in the next query. */
    return array_reserve(&state->guesses, state->slots.capacity);
}
