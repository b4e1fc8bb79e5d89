/* The orientation sweep of the contour walk: the sign of every cell, the only pass over all of them.
 *
 * Doubles decide in fours (kernels: orientations), what they leave open is decided for the moved points. In each
 * component of cells those of the rarer sign are turned inside out and taken out of the walk (contour_walk_defects.c). A
 * caller who promises that all are positive is believed, except in debug builds and when he asks to be checked.
 */
#include "geometry/predicates/kernels/overlap_kernels.h"
#include "methods/contour_walk/contour_walk.h"

#include <string.h>

enum { CELLS_PER_BLOCK = 8192 };

#ifdef NDEBUG
enum { CHECK_PROMISES = 0 };
#else
enum { CHECK_PROMISES = 1 };
#endif

static bool remove_cells(struct contour_search *search, uint32_t body_index, const int8_t *signs, uint8_t *odd_cells)
{
    const struct walk_body *body = &search->bodies[body_index];
    for (uint32_t i = 0; i < body->mesh->cell_count; i++) {
        struct walk_seed removed = {.body_b = body_index, .cell = i};
        if ((signs[i] > 0) == (walk_orientation(body, &body->mesh->cells[i]) > 0)) {
            continue;
        }
        odd_cells[i] |= CELL_REMOVED;
        if (!array_push(&search->state->removed_cells, &removed)) {
            return false;
        }
    }
    return true;
}

struct orient_loop {
    const struct contour_search *search;
    const struct walk_body *body;
    int8_t *signs;      /* by cell, in the order of the walk's corners */
    uint8_t *odd_cells; /* by cell */
    uint64_t *counts;   /* by block: positive ones, and flat ones */
};

static void orient_block(void *data, uint32_t block, uint32_t worker)
{
    struct orient_loop *loop = data;
    const struct walk_body *body = loop->body;
    uint32_t begin = block * CELLS_PER_BLOCK, count = body->mesh->cell_count;
    uint32_t end = count - begin < CELLS_PER_BLOCK ? count : begin + CELLS_PER_BLOCK;
    predicate_counters *counters = loop->search->sink->predicates(loop->search->sink, worker);
    const uint32_t(*tetrahedra)[4] = (const uint32_t(*)[4])body->body->tetrahedra;
    overlap_kernels_for(loop->search->request->isa)
        ->orientations(body->xyz, tetrahedra + begin, end - begin, loop->signs + begin);
    uint64_t positive = 0, flat = 0;
    for (uint32_t i = begin; i < end; i++) {
        positive += loop->signs[i] > 0;
    }
    memset(loop->odd_cells + begin, 0, end - begin);
    loop->counts[2 * block] = positive;
    loop->counts[2 * block + 1] = 0;
    if (positive == end - begin) {
        return; /* the ordinary case */
    }
    positive = 0;
    for (uint32_t i = begin; i < end; i++) {
        bool zero = false;
        if (loop->signs[i] == 0) {
            struct numbered_point points[4];
            for (int corner = 0; corner < 4; corner++) {
                points[corner] = walk_point(body, tetrahedra[i][corner]);
            }
            loop->signs[i] =
                (int8_t)perturbed_orientation_slow(points[0], points[1], points[2], points[3], &zero, counters);
        }
        loop->odd_cells[i] = zero ? CELL_FLAT : 0;
        positive += loop->signs[i] > 0;
        flat += zero;
    }
    loop->counts[2 * block] = positive;
    loop->counts[2 * block + 1] = flat;
}

/* Turned cells have the opposite sign in the walk's order; the sign of a component is that of most of its cells. */
static void judge_components(const struct walk_body *body, int8_t *signs, int64_t *sums, int8_t *orientations)
{
    const struct walk_mesh *mesh = body->mesh;
    for (uint32_t i = 0; i < mesh->cell_count; i++) {
        signs[i] = mesh->cells[i].flipped ? (int8_t)-signs[i] : signs[i];
        sums[mesh->cells[i].component] += signs[i];
    }
    for (uint32_t i = 0; i < mesh->component_count; i++) {
        orientations[i] = sums[i] >= 0 ? 1 : -1;
    }
}

static void check_promise(struct contour_search *search, const struct walk_body *body, const int8_t *signs,
                          const uint8_t *odd_cells)
{
    for (uint32_t i = 0; i < body->mesh->cell_count && !search->broken_promise; i++) {
        if (signs[i] < 0 || odd_cells[i]) {
            search->broken_promise = body->body;
            search->broken_cell = body->body->cell_of_tetrahedron ? body->body->cell_of_tetrahedron[i] : i;
        }
    }
}

/* The sign of every component of cells is that of most of them; the others are removed. */
static bool orient_body(struct contour_search *search, uint32_t body_index)
{
    struct walk_body *body = &search->bodies[body_index];
    const struct walk_mesh *mesh = body->mesh;
    struct arena *scratch = search->request->scratch;
    uint32_t blocks = (uint32_t)(((uint64_t)mesh->cell_count + CELLS_PER_BLOCK - 1) / CELLS_PER_BLOCK);
    int8_t *orientations = arena_allocate(scratch, mesh->component_count, 1);
    int64_t *sums = arena_allocate_cleared(scratch, mesh->component_count, sizeof *sums);
    struct orient_loop loop = {search, body, arena_allocate(scratch, mesh->cell_count, 1),
                               arena_allocate(scratch, mesh->cell_count, 1),
                               arena_allocate(scratch, blocks, 2 * sizeof *loop.counts)};
    if (!orientations || !loop.signs || !sums || !loop.odd_cells || !loop.counts) {
        return false;
    }
    dent_parallel_for(search->state->context, blocks, orient_block, &loop);
    uint64_t positive = 0, odd = 0;
    for (uint32_t block = 0; block < blocks; block++) {
        positive += loop.counts[2 * block];
        odd += loop.counts[2 * block + 1];
    }
    body->orientations = orientations;
    if (search->def.cells_are_positive && (positive < mesh->cell_count || odd)) {
        check_promise(search, body, loop.signs, loop.odd_cells);
    }
    if (mesh->flipped_count == 0 && (positive == 0 || positive == mesh->cell_count)) {
        memset(orientations, positive ? 1 : -1, mesh->component_count);
        body->all_positive = positive > 0;
    } else {
        size_t before = search->state->removed_cells.count;
        judge_components(body, loop.signs, sums, orientations);
        if (!remove_cells(search, body_index, loop.signs, loop.odd_cells)) {
            return false;
        }
        odd += search->state->removed_cells.count - before;
    }
    body->odd_cells = odd ? loop.odd_cells : NULL;
    return true;
}

/* All positive, as the caller promised. */
static bool assume_cells_positive(struct contour_search *search, uint32_t body_index)
{
    uint32_t count = search->bodies[body_index].mesh->component_count;
    int8_t *orientations = arena_allocate(search->request->scratch, count, 1);
    search->bodies[body_index].orientations = orientations;
    if (orientations) {
        memset(orientations, 1, count);
        search->bodies[body_index].all_positive = true;
    }
    return orientations != NULL;
}

bool contour_orient(struct contour_search *search)
{
    struct contour_state *state = search->state;
    array_clear(&state->removed_cells);
    array_clear(&state->hidden_walls);
    array_clear(&state->candidates[0]);
    array_clear(&state->candidates[1]);
    for (uint32_t body_index = 0; body_index < search->body_count; body_index++) {
        bool promised = search->def.cells_are_positive && search->bodies[body_index].mesh->flipped_count == 0;
        bool trusted = promised && !CHECK_PROMISES && !search->def.verify_promises;
        if (trusted ? !assume_cells_positive(search, body_index) : !orient_body(search, body_index)) {
            return false;
        }
    }
    search->request->method_counters->contour_walk.removed_cells = state->removed_cells.count;
    return contour_list_defects(search);
}
