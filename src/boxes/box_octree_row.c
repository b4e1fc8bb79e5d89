/* The row of the loose octree: linear, sorted along a Morton curve.
 *
 * Depth d has cells of edge s / 2^d. A box lies in the cell of its middle, at the deepest depth whose cells are longer than
 * its longest edge. So it reaches less than half a cell beyond its cell: boxes of one depth meet only if their cells are
 * neighbours, and a box meets one of a coarser depth only if the cell above its own is a neighbour of that one's. Cells
 * that hold boxes are runs of the sorted list, found by a hash of their keys. No pointers, no splitting: depth and cell
 * follow from size and middle.
 *
 * DEPTH_SLACK keeps the argument true in rounded numbers: middles and cells are computed in doubles from floats, with
 * errors far below a thousandth of a cell.
 */
#include "base/radix_sort.h"
#include "boxes/box_rows.h"
#include "base/containers/morton_code.h"

#include <math.h>
#include <string.h>

enum { DEPTH_MOST = 19, DEPTH_SHIFT = 57, CELLS_A_BLOCK = 64, NO_CELL = -1 };
#define DEPTH_SLACK 1.001

struct box_octree {
    const struct box_kernels *kernels;
    double origin[3], edge;
    uint32_t count, cell_count;
    float *lo[3], *hi[3];
    uint32_t *indices;
    uint64_t *cell_keys;   /* ascending; the coarsest depth first */
    uint32_t *cell_starts; /* one more */
    uint32_t first_cell[DEPTH_MOST + 2]; /* of each depth */
    int32_t *table;        /* open addressing; NO_CELL: free */
    uint32_t table_mask;
};

struct octree_cell {
    uint32_t depth;
    uint32_t at[3];
};

/* ---- keys -------------------------------------------------------------------------------------------------------- */

static uint64_t cell_key(const struct octree_cell *cell)
{
    return (uint64_t)cell->depth << DEPTH_SHIFT | morton_code(cell->at);
}

static uint32_t gather_bits(uint64_t code)
{
    uint32_t index = 0;
    for (int bit = 0; bit < DEPTH_MOST; bit++) {
        index |= (uint32_t)(code >> 3 * bit & 1) << bit;
    }
    return index;
}

static struct octree_cell cell_of_key(uint64_t key)
{
    uint64_t code = key & ((UINT64_C(1) << DEPTH_SHIFT) - 1);
    return (struct octree_cell){(uint32_t)(key >> DEPTH_SHIFT),
                                {gather_bits(code), gather_bits(code >> 1), gather_bits(code >> 2)}};
}

static uint32_t key_hash(uint64_t key)
{
    key *= UINT64_C(0x9E3779B97F4A7C15);
    return (uint32_t)(key >> 32 ^ key >> 51);
}

static uint32_t cell_index(const struct box_octree *tree, uint32_t depth, int axis, double x)
{
    double cells = ldexp(1.0, (int)depth), index = floor((x - tree->origin[axis]) / tree->edge * cells);
    return index <= 0.0 ? 0 : index >= cells - 1.0 ? (uint32_t)cells - 1 : (uint32_t)index;
}

static uint64_t key_of_box(const struct box_octree *tree, const struct box_record *record, uint32_t deepest)
{
    double longest = 0.0;
    struct octree_cell cell = {0, {0, 0, 0}};
    for (int axis = 0; axis < 3; axis++) {
        double edge = (double)record->hi[axis] - (double)record->lo[axis];
        longest = edge > longest ? edge : longest;
    }
    while (cell.depth < deepest && ldexp(tree->edge, -(int)cell.depth - 1) > DEPTH_SLACK * longest) {
        cell.depth++;
    }
    for (int axis = 0; axis < 3; axis++) {
        cell.at[axis] = cell_index(tree, cell.depth, axis, 0.5 * ((double)record->lo[axis] + (double)record->hi[axis]));
    }
    return cell_key(&cell);
}

/* ---- making ------------------------------------------------------------------------------------------------------ */

/* Deeper cells would hold less than one box in an even filling. */
static uint32_t deepest_for(uint32_t count)
{
    uint32_t depth = 1;
    while (depth < DEPTH_MOST && (UINT64_C(1) << 3 * depth) < count) {
        depth++;
    }
    return depth + 3 < DEPTH_MOST ? depth + 3 : DEPTH_MOST;
}

static bool allocate(struct box_octree *tree, struct arena *arena)
{
    bool enough = true;
    for (int axis = 0; axis < 3; axis++) { /* kernels read sixteen numbers */
        tree->lo[axis] = arena_allocate(arena, (size_t)tree->count + BOX_LANES, sizeof(float));
        tree->hi[axis] = arena_allocate(arena, (size_t)tree->count + BOX_LANES, sizeof(float));
        enough = enough && tree->lo[axis] && tree->hi[axis];
    }
    tree->indices = arena_allocate(arena, (size_t)tree->count + BOX_LANES, sizeof *tree->indices);
    tree->cell_keys = arena_allocate(arena, tree->count, sizeof *tree->cell_keys);
    tree->cell_starts = arena_allocate(arena, (size_t)tree->count + 1, sizeof *tree->cell_starts);
    tree->table_mask = 15;
    while (tree->table_mask / 2 < tree->count) {
        tree->table_mask = 2 * tree->table_mask + 1;
    }
    tree->table = arena_allocate(arena, (size_t)tree->table_mask + 1, sizeof *tree->table);
    return enough && tree->indices && tree->cell_keys && tree->cell_starts && tree->table;
}

static void fill(struct box_octree *tree, const struct box_store *store)
{
    for (uint32_t i = 0; i < tree->count + BOX_LANES; i++) {
        const struct box_record *record =
            i < tree->count ? &box_store_records(store)[tree->indices[i]] : NULL;
        for (int axis = 0; axis < 3; axis++) {
            tree->lo[axis][i] = record ? record->lo[axis] : INFINITY;
            tree->hi[axis][i] = record ? record->hi[axis] : -INFINITY;
        }
    }
    memset(tree->indices + tree->count, 0, BOX_LANES * sizeof *tree->indices);
}

/* Runs of equal keys become cells. */
static void cut_cells(struct box_octree *tree, const uint64_t *keys)
{
    for (uint32_t i = 0; i < tree->count; i++) {
        if (i == 0 || keys[i] != keys[i - 1]) {
            tree->cell_keys[tree->cell_count] = keys[i];
            tree->cell_starts[tree->cell_count++] = i;
        }
    }
    tree->cell_starts[tree->cell_count] = tree->count;
    memset(tree->table, 0xFF, ((size_t)tree->table_mask + 1) * sizeof *tree->table);
    for (uint32_t cell = 0; cell < tree->cell_count; cell++) {
        uint32_t slot = key_hash(tree->cell_keys[cell]) & tree->table_mask;
        while (tree->table[slot] != NO_CELL) {
            slot = (slot + 1) & tree->table_mask;
        }
        tree->table[slot] = (int32_t)cell;
    }
    uint32_t cell = 0;
    for (uint32_t depth = 0; depth <= DEPTH_MOST + 1; depth++) {
        while (cell < tree->cell_count && tree->cell_keys[cell] >> DEPTH_SHIFT < depth) {
            cell++;
        }
        tree->first_cell[depth] = cell;
    }
}

static bool sort_boxes(struct box_octree *tree, const struct box_store *store, struct arena *arena)
{
    struct arena_mark mark = arena_mark(arena);
    const struct box_record *records = box_store_records(store);
    uint64_t *keys = arena_allocate(arena, tree->count, 2 * sizeof *keys);
    uint32_t *scratch = arena_allocate(arena, tree->count, sizeof *scratch), count = 0;
    uint32_t deepest = deepest_for(tree->count);
    if (!keys || !scratch) {
        return false;
    }
    for (uint32_t i = 0; i < box_store_count(store); i++) {
        if (records[i].lo[0] < INFINITY) {
            keys[count] = key_of_box(tree, &records[i], deepest);
            tree->indices[count++] = i;
        }
    }
    radix_sort_u64(keys, tree->indices, keys + count, scratch, count);
    cut_cells(tree, keys);
    arena_rewind(arena, mark);
    return true;
}

static void *build(const struct box_row_input *input)
{
    const struct box_store *store = input->store;
    struct box_octree *tree = arena_allocate(input->arena, 1, sizeof *tree);
    if (!tree) {
        return NULL;
    }
    *tree = (struct box_octree){.kernels = box_kernels_for(dent_context_isa(input->context)), .count = store->present};
    for (int axis = 0; axis < 3 && store->present > 0; axis++) {
        double extent = (double)store->hi[axis] - (double)store->lo[axis];
        tree->origin[axis] = store->lo[axis];
        tree->edge = extent > tree->edge ? extent : tree->edge;
    }
    tree->edge = tree->edge > 0.0 ? tree->edge * 1.01 : 1.0; /* larger than any box: depth 0 takes all */
    if (!allocate(tree, input->arena) || !sort_boxes(tree, store, input->arena)) {
        return NULL;
    }
    fill(tree, store);
    return tree;
}

/* ---- finding ----------------------------------------------------------------------------------------------------- */

static int32_t find_cell(const struct box_octree *tree, const struct octree_cell *cell)
{
    uint64_t key = cell_key(cell);
    uint32_t slot = key_hash(key) & tree->table_mask;
    while (tree->table[slot] != NO_CELL && tree->cell_keys[tree->table[slot]] != key) {
        slot = (slot + 1) & tree->table_mask;
    }
    return tree->table[slot];
}

static struct box_run run_of(const struct box_octree *tree, uint32_t cell)
{
    uint32_t begin = tree->cell_starts[cell];
    struct box_run run = {.indices = tree->indices + begin, .count = tree->cell_starts[cell + 1] - begin};
    for (int axis = 0; axis < 3; axis++) {
        run.lo[axis] = tree->lo[axis] + begin;
        run.hi[axis] = tree->hi[axis] + begin;
    }
    return run;
}

/* The cell beside another; false at the border. Number 13 is the cell itself, larger ones come after smaller. */
static bool neighbour_of(const struct octree_cell *cell, int number, struct octree_cell *neighbour)
{
    const int step[3] = {number % 3 - 1, number / 3 % 3 - 1, number / 9 - 1};
    neighbour->depth = cell->depth;
    for (int axis = 0; axis < 3; axis++) {
        int64_t at = (int64_t)cell->at[axis] + step[axis];
        if (at < 0 || at >> cell->depth != 0) {
            return false;
        }
        neighbour->at[axis] = (uint32_t)at;
    }
    return true;
}

static void join_cell(const struct box_octree *tree, uint32_t number, struct pair_buffer *out)
{
    struct box_run run = run_of(tree, number);
    struct octree_cell cell = cell_of_key(tree->cell_keys[number]), neighbour;
    tree->kernels->join_run(&run, out);
    for (uint32_t depth = cell.depth + 1; depth-- > 0;) {
        bool own = depth == cell.depth, any = tree->first_cell[depth] < tree->first_cell[depth + 1];
        struct octree_cell above = {depth, {0, 0, 0}};
        for (int axis = 0; axis < 3; axis++) {
            above.at[axis] = cell.at[axis] >> (cell.depth - depth);
        }
        for (int k = own ? 14 : 0; any && k < 27; k++) {
            int32_t other = neighbour_of(&above, k, &neighbour) ? find_cell(tree, &neighbour) : NO_CELL;
            if (other != NO_CELL) {
                struct box_run partner = run_of(tree, (uint32_t)other);
                tree->kernels->join_runs(&run, &partner, out);
            }
        }
    }
}

static uint32_t block_count(const void *state)
{
    const struct box_octree *tree = state;
    return tree->cell_count / CELLS_A_BLOCK + (tree->cell_count % CELLS_A_BLOCK > 0);
}

static void pairs(void *state, uint32_t block, struct pair_buffer *out)
{
    const struct box_octree *tree = state;
    uint32_t first = block * CELLS_A_BLOCK, left = tree->cell_count - first;
    uint32_t end = left < CELLS_A_BLOCK ? tree->cell_count : first + CELLS_A_BLOCK;
    for (uint32_t cell = first; cell < end; cell++) {
        join_cell(tree, cell, out);
    }
}

/* One window on its way through the cells. */
struct octree_window {
    const struct box_octree *tree;
    const float *lo, *hi;
    uint32_t *list;
    box_list_function *function;
    void *data;
};

static void scan_cell(const struct octree_window *asked, uint32_t cell)
{
    struct box_run run = run_of(asked->tree, cell), part = run;
    for (uint32_t done = 0; done < run.count; done += part.count) {
        part = run;
        part.count = run.count - done < BOX_LIST_MOST ? run.count - done : BOX_LIST_MOST;
        part.indices += done;
        for (int axis = 0; axis < 3; axis++) {
            part.lo[axis] += done;
            part.hi[axis] += done;
        }
        uint32_t found = asked->tree->kernels->scan_run(&part, asked->lo, asked->hi, asked->list);
        if (found) {
            asked->function(asked->data, asked->list, found);
        }
    }
}

/* The cells of one depth whose boxes may reach the window: one by one, or all of the depth if those are fewer. */
static void scan_depth(const struct octree_window *asked, uint32_t depth)
{
    const struct box_octree *tree = asked->tree;
    uint32_t first[3], last[3];
    uint64_t cells = 1;
    double reach = ldexp(tree->edge, -(int)depth) * 0.51;
    for (int axis = 0; axis < 3; axis++) {
        first[axis] = cell_index(tree, depth, axis, (double)asked->lo[axis] - reach);
        last[axis] = cell_index(tree, depth, axis, (double)asked->hi[axis] + reach);
        cells *= (uint64_t)last[axis] - first[axis] + 1;
    }
    if (cells > tree->first_cell[depth + 1] - tree->first_cell[depth]) {
        for (uint32_t cell = tree->first_cell[depth]; cell < tree->first_cell[depth + 1]; cell++) {
            scan_cell(asked, cell);
        }
        return;
    }
    struct octree_cell cell = {depth, {0, 0, 0}};
    for (cell.at[2] = first[2]; cell.at[2] <= last[2]; cell.at[2]++) {
        for (cell.at[1] = first[1]; cell.at[1] <= last[1]; cell.at[1]++) {
            for (cell.at[0] = first[0]; cell.at[0] <= last[0]; cell.at[0]++) {
                int32_t found = find_cell(tree, &cell);
                if (found != NO_CELL) {
                    scan_cell(asked, (uint32_t)found);
                }
            }
        }
    }
}

static void window(const void *state, const float lo[3], const float hi[3], uint32_t list[BOX_LIST_ROOM],
                   box_list_function *function, void *data)
{
    struct octree_window asked = {state, lo, hi, list, function, data};
    for (uint32_t depth = 0; depth <= DEPTH_MOST; depth++) {
        if (asked.tree->first_cell[depth] < asked.tree->first_cell[depth + 1]) {
            scan_depth(&asked, depth);
        }
    }
}

static struct box_row_size size(const void *state)
{
    const struct box_octree *tree = state;
    return (struct box_row_size){tree->cell_count, tree->count};
}

/* Cells that hold boxes, or lie above some. Cells of coarser depths stay as they are. */
static void shapes(const void *state, struct box_shapes *shapes)
{
    const struct box_octree *tree = state;
    box_shapes_limit(shapes, (uint32_t)(tree->cell_keys[tree->cell_count - 1] >> DEPTH_SHIFT));
    for (uint32_t i = 0; i < tree->cell_count; i++) {
        struct octree_cell cell = cell_of_key(tree->cell_keys[i]);
        for (; cell.depth > shapes->level; cell.depth--) {
            for (int axis = 0; axis < 3; axis++) {
                cell.at[axis] /= 2;
            }
        }
        box_shapes_add_key(shapes, cell_key(&cell));
    }
    size_t count = box_shapes_sort_keys(shapes);
    for (size_t i = 0; i < count; i++) {
        struct octree_cell cell = cell_of_key(((const uint64_t *)shapes->keys->data)[i]);
        double lo[3], hi[3], edge = ldexp(tree->edge, -(int)cell.depth);
        for (int axis = 0; axis < 3; axis++) {
            lo[axis] = tree->origin[axis] + edge * cell.at[axis];
            hi[axis] = lo[axis] + edge;
        }
        box_shapes_add(shapes, lo, hi);
    }
}

const struct box_row box_octree_row = {
    .method = DENT_BOXES_LOOSE_OCTREE,
    .name = "loose-octree",
    .build = build,
    .block_count = block_count,
    .pairs = pairs,
    .window = window,
    .size = size,
    .shapes = shapes,
};
