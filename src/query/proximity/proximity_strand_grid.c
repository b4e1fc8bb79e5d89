/* Strands with strands by a uniform grid with mailbox, as the sources have it: for comparison.
 *
 * Cells have the edge max(2 * largest radius, mean segment length). A segment is put into all cells that the box of its
 * capsule touches; a table of twice as many slots as segments holds them by a hash of the cell. A segment looks through
 * its cells; the mailbox of a worker remembers with which segment another one was last compared, so that each pair is
 * measured once. A segment that touches very many cells is compared with all others.
 */
#include <math.h>

#include "bodies/strand_body.h"
#include "query/pairs/pair_tests.h"
#include "query/proximity/proximity_search.h"

enum { GRID_BLOCK = 256, CELLS_MAX = 4096 };

struct grid_segment {
    uint32_t body_index, segment;
    double lo[3], hi[3]; /* grown by the radius */
    uint32_t cell_lo[3], cell_hi[3];
    bool large;
};

struct strand_grid {
    struct proximity_search *search;
    struct grid_segment *segments;
    uint32_t count, large_count, mask;
    const uint32_t *large;
    uint32_t *first, *entries; /* by slot of the table: segments */
    uint32_t **last;           /* mailboxes, by worker */
};

static uint32_t slot_of(const struct strand_grid *grid, uint32_t x, uint32_t y, uint32_t z)
{
    return (x * 73856093u ^ y * 19349663u ^ z * 83492791u) & grid->mask;
}

/* ---- building ----------------------------------------------------------------------------------------------------- */

static void add_segment(struct strand_grid *grid, uint32_t body_index, uint32_t segment)
{
    const struct proximity_search *search = grid->search;
    const struct body_snapshot *body = &search->snapshot->bodies[body_index];
    struct grid_segment *it = &grid->segments[grid->count++];
    double growth = growth_of_thickness(edge_thickness(body->body, segment, search->thickness[body_index]),
                                        search->snapshot->largest);
    const double *p = body->xyz[body->body->edges[segment].v0], *q = body->xyz[body->body->edges[segment].v1];
    *it = (struct grid_segment){.body_index = body_index, .segment = segment};
    for (int axis = 0; axis < 3; axis++) {
        it->lo[axis] = fmin(p[axis], q[axis]) - growth;
        it->hi[axis] = fmax(p[axis], q[axis]) + growth;
    }
}

/* Cells along an axis; the numbers are cut to [0, 2^20], which only joins cells. */
static uint32_t cell_of(double x, double lo, double edge)
{
    double cell = floor((x / 2 - lo / 2) / edge * 2);
    return cell > 0 ? cell < 0x1p20 ? (uint32_t)cell : 1u << 20 : 0;
}

static double cell_edge(const struct strand_grid *grid, const double lo[3], const double hi[3])
{
    const struct proximity_search *search = grid->search;
    double radius = 0, lengths = 0, extent = 0;
    for (uint32_t i = 0; i < grid->count; i++) {
        const struct body_snapshot *body = &search->snapshot->bodies[grid->segments[i].body_index];
        dent_edge edge = body->body->edges[grid->segments[i].segment];
        const double *p = body->xyz[edge.v0], *q = body->xyz[edge.v1];
        double x = q[0] - p[0], y = q[1] - p[1], z = q[2] - p[2];
        lengths += sqrt(x * x + y * y + z * z) / grid->count;
        radius = fmax(radius, edge_thickness(body->body, grid->segments[i].segment,
                                             search->thickness[grid->segments[i].body_index]));
    }
    for (int axis = 0; axis < 3; axis++) {
        extent = fmax(extent, hi[axis] / 2 - lo[axis] / 2);
    }
    double edge = fmax(fmax(2 * radius, lengths), extent * 0x1p-18);
    return edge > 0 && edge < INFINITY ? edge : 1;
}

static uint64_t cells_of(const struct grid_segment *segment)
{
    uint64_t cells = 1;
    for (int axis = 0; axis < 3; axis++) {
        cells *= (uint64_t)(segment->cell_hi[axis] - segment->cell_lo[axis]) + 1;
    }
    return cells;
}

/* Counts the entries of all cells, or puts them. */
static void enter_cells(struct strand_grid *grid, bool put)
{
    for (uint32_t i = 0; i < grid->count; i++) {
        const struct grid_segment *it = &grid->segments[i];
        for (uint32_t z = it->cell_lo[2]; !it->large && z <= it->cell_hi[2]; z++) {
            for (uint32_t y = it->cell_lo[1]; y <= it->cell_hi[1]; y++) {
                for (uint32_t x = it->cell_lo[0]; x <= it->cell_hi[0]; x++) {
                    uint32_t slot = slot_of(grid, x, y, z);
                    if (put) {
                        grid->entries[grid->first[slot]++] = i;
                    } else {
                        grid->first[slot + 1]++;
                    }
                }
            }
        }
    }
}

static bool build(struct strand_grid *grid)
{
    struct proximity_search *search = grid->search;
    const struct snapshot *snapshot = search->snapshot;
    double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    size_t count = 0;
    for (uint32_t body_index = 0; body_index < snapshot->body_count; body_index++) {
        const struct body *body = snapshot->bodies[body_index].body;
        count += body_has_segments(body) ? body->element_count : 0;
    }
    grid->segments = arena_allocate(search->scratch, count, sizeof *grid->segments);
    uint32_t *large = arena_allocate(search->scratch, count, sizeof *large);
    if (!grid->segments || !large || count >= UINT32_MAX / 4) {
        return false;
    }
    for (uint32_t body_index = 0; body_index < snapshot->body_count; body_index++) {
        const struct body *body = snapshot->bodies[body_index].body;
        for (uint32_t i = 0; body_has_segments(body) && i < body->element_count; i++) {
            add_segment(grid, body_index, i);
        }
    }
    for (uint32_t i = 0; i < grid->count; i++) {
        for (int axis = 0; axis < 3; axis++) {
            lo[axis] = fmin(lo[axis], grid->segments[i].lo[axis]);
            hi[axis] = fmax(hi[axis], grid->segments[i].hi[axis]);
        }
    }
    double edge = cell_edge(grid, lo, hi);
    size_t entries = 0, slots = 64;
    for (uint32_t i = 0; i < grid->count; i++) {
        struct grid_segment *it = &grid->segments[i];
        for (int axis = 0; axis < 3; axis++) {
            it->cell_lo[axis] = cell_of(it->lo[axis], lo[axis], edge);
            it->cell_hi[axis] = cell_of(it->hi[axis], lo[axis], edge);
        }
        it->large = cells_of(it) > CELLS_MAX;
        large[grid->large_count] = i;
        grid->large_count += it->large;
        entries += it->large ? 0 : cells_of(it);
    }
    while (slots < 2 * count) {
        slots *= 2;
    }
    grid->large = large;
    grid->mask = (uint32_t)(slots - 1);
    grid->first = arena_allocate_cleared(search->scratch, slots + 2, sizeof *grid->first);
    grid->entries = entries < UINT32_MAX ? arena_allocate(search->scratch, entries, sizeof *grid->entries) : NULL;
    if (!grid->first || !grid->entries) {
        return false;
    }
    enter_cells(grid, false);
    for (size_t slot = 0; slot < slots; slot++) {
        grid->first[slot + 1] += grid->first[slot];
    }
    enter_cells(grid, true);
    for (size_t slot = slots; slot > 0; slot--) {
        grid->first[slot] = grid->first[slot - 1];
    }
    grid->first[0] = 0;
    return true;
}

/* ---- searching ---------------------------------------------------------------------------------------------------- */

static bool boxes_meet(const struct grid_segment *a, const struct grid_segment *b)
{
    return a->lo[0] <= b->hi[0] && b->lo[0] <= a->hi[0] && a->lo[1] <= b->hi[1] && b->lo[1] <= a->hi[1] &&
           a->lo[2] <= b->hi[2] && b->lo[2] <= a->hi[2];
}

static void compare(struct strand_grid *grid, uint32_t block, uint32_t worker, uint32_t i, uint32_t j)
{
    struct proximity_search *search = grid->search;
    const struct grid_segment *a = &grid->segments[i], *b = &grid->segments[j];
    const struct body_snapshot *bodies = search->snapshot->bodies;
    search->workers[worker].box_tests++;
    if (boxes_meet(a, b) && bodies_may_meet(bodies[a->body_index].body, bodies[b->body_index].body)) {
        search->workers[worker].candidates++;
        proximity_try_edges(search, block, a->body_index, a->segment, b->body_index, b->segment);
    }
}

static void search_cells(struct strand_grid *grid, uint32_t block, uint32_t worker, uint32_t i)
{
    const struct grid_segment *it = &grid->segments[i];
    uint32_t *last = grid->last[worker];
    for (uint32_t z = it->cell_lo[2]; z <= it->cell_hi[2]; z++) {
        for (uint32_t y = it->cell_lo[1]; y <= it->cell_hi[1]; y++) {
            for (uint32_t x = it->cell_lo[0]; x <= it->cell_hi[0]; x++) {
                uint32_t slot = slot_of(grid, x, y, z);
                for (uint32_t k = grid->first[slot]; k < grid->first[slot + 1]; k++) {
                    uint32_t j = grid->entries[k];
                    if (j > i && last[j] != i) {
                        last[j] = i;
                        compare(grid, block, worker, i, j);
                    }
                }
            }
        }
    }
}

static void search_block(void *data, uint32_t block, uint32_t worker)
{
    struct strand_grid *grid = data;
    struct proximity_search *search = grid->search;
    uint32_t first = block * GRID_BLOCK, list = search->first_more + block;
    size_t before = block_output_count_of(&search->state->edge_edge.blocks, list);
    for (uint32_t i = first; i < grid->count && i - first < GRID_BLOCK && !proximity_stopped(search); i++) {
        if (!grid->segments[i].large) {
            search_cells(grid, list, worker, i);
            for (uint32_t k = 0; k < grid->large_count; k++) {
                compare(grid, list, worker, i, grid->large[k]);
            }
            continue;
        }
        for (uint32_t k = 0; k < grid->large_count; k++) { /* large ones with one another, each pair once */
            if (grid->large[k] > i) {
                compare(grid, list, worker, i, grid->large[k]);
            }
        }
    }
    proximity_count_answers(search, block_output_count_of(&search->state->edge_edge.blocks, list) - before);
}

bool proximity_search_grid(struct proximity_search *search)
{
    uint32_t workers = dent_context_worker_count(search->context);
    struct strand_grid grid = {.search = search};
    grid.last = arena_allocate(search->scratch, workers, sizeof *grid.last);
    if (!grid.last || !build(&grid)) {
        return false;
    }
    for (uint32_t worker = 0; worker < workers; worker++) {
        grid.last[worker] = arena_allocate(search->scratch, grid.count, sizeof **grid.last);
        if (!grid.last[worker]) {
            return false;
        }
        memset(grid.last[worker], 0xFF, (size_t)grid.count * sizeof **grid.last);
    }
    dent_parallel_for(search->context, grid.count / GRID_BLOCK + (grid.count % GRID_BLOCK != 0), search_block, &grid);
    return true;
}

uint32_t proximity_grid_blocks(const struct snapshot *snapshot)
{
    size_t count = 0;
    for (uint32_t body_index = 0; body_index < snapshot->body_count; body_index++) {
        const struct body *body = snapshot->bodies[body_index].body;
        count += body_has_segments(body) ? body->element_count : 0;
    }
    return (uint32_t)(count / GRID_BLOCK + (count % GRID_BLOCK != 0));
}
