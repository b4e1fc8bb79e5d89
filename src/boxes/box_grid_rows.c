/* The rows of the grids, three ways to set up the library's hash grid (structures/grid/hash_grid.h): every cell has a
 * slot, or occupied cells alone, of one size or a size for each range of boxes.
 *
 * A box lies in one cell, that of its lower corner. A look-up is widened by the largest box of a level, so no box is met
 * twice. A pair is found from both sides and kept from the one with the smaller index.
 */
#include "boxes/box_rows.h"
#include "structures/grid/hash_grid.h"

enum { BOXES_A_BLOCK = 256 };

struct box_grid {
    struct hash_grid grid;
    const struct packet_kernels *kernels;
};

static void *build_grid(const struct box_row_input *input, enum grid_addressing addressing, uint32_t levels)
{
    const struct box_store *store = input->store;
    const struct box_record *records = box_store_records(store);
    struct box_grid *made = arena_allocate(input->arena, 1, sizeof *made);
    uint32_t *present = arena_allocate(input->arena, store->present, sizeof *present), count = 0;
    if (!made || !present) {
        return NULL;
    }
    made->kernels = packet_kernels_for(dent_context_isa(input->context));
    for (uint32_t i = 0; i < box_store_count(store) && count < store->present; i++) {
        present[count] = i;
        count += records[i].lo[0] < INFINITY;
    }
    struct grid_input grid = {.lo = store->records.data,
                              .hi = (const char *)store->records.data + offsetof(struct box_record, hi),
                              .stride = sizeof(struct box_record),
                              .numbers = present,
                              .count = count,
                              .cell_size = box_scale(store->scaling, input->def->cell_size),
                              .cell_ratio = 1.0,
                              .table_size = input->def->table_size,
                              .level_limit = levels,
                              .addressing = addressing,
                              .mixed_hash = input->def->hash == DENT_BOXES_HASH_MIX};
    for (int axis = 0; axis < 3; axis++) {
        grid.cell_offset[axis] = input->def->cell_offset[axis];
    }
    return hash_grid_build(&made->grid, &grid, input->arena) ? made : NULL;
}

static void *build_dense(const struct box_row_input *input)
{
    return build_grid(input, GRID_COUNTED, 1);
}

static void *build_hash(const struct box_row_input *input)
{
    return build_grid(input, GRID_HASHED, 1);
}

static void *build_hierarchical(const struct box_row_input *input)
{
    return build_grid(input, GRID_COUNTED_IF_FEW, GRID_LEVELS_MAX);
}

static uint32_t block_count(const void *state)
{
    const struct box_grid *grid = state;
    return grid->grid.count / BOXES_A_BLOCK + (grid->grid.count % BOXES_A_BLOCK > 0);
}

/* One box that looks up its partners. */
struct grid_partners {
    uint32_t index;
    struct pair_buffer *out;
};

static void take_partners(void *data, const uint32_t *list, uint32_t count)
{
    const struct grid_partners *partners = data;
    struct pair_buffer *out = partners->out;
    for (uint32_t i = 0; i < count; i++) {
        if (i % PAIRS_AT_ONCE == 0) {
            pair_buffer_make_room(out);
        }
        out->a[out->count] = partners->index;
        out->b[out->count] = list[i];
        out->count += list[i] > partners->index;
    }
}

static void pairs(void *state, uint32_t block, struct pair_buffer *out)
{
    const struct box_grid *grid = state;
    const struct grid_columns *columns = &grid->grid.columns;
    struct grid_counters counters = {0, 0};
    uint32_t list[GRID_LIST_ROOM];
    uint32_t first = block * BOXES_A_BLOCK, left = grid->grid.count - first;
    uint32_t end = left < BOXES_A_BLOCK ? grid->grid.count : first + BOXES_A_BLOCK;
    for (uint32_t i = first; i < end; i++) {
        float lo[3], hi[3];
        for (int axis = 0; axis < 3; axis++) {
            lo[axis] = columns->lo[axis][i];
            hi[axis] = columns->hi[axis][i];
        }
        struct grid_partners partners = {columns->number[i], out};
        hash_grid_look_up(&grid->grid, grid->kernels, lo, hi, list, take_partners, &partners, &counters);
    }
    out->tests += counters.entries / BOX_LANES + counters.rows;
}

static void window(const void *state, const float lo[3], const float hi[3], uint32_t list[BOX_LIST_ROOM],
                   box_list_function *function, void *data)
{
    const struct box_grid *grid = state;
    struct grid_counters counters = {0, 0};
    hash_grid_look_up(&grid->grid, grid->kernels, lo, hi, list, function, data, &counters);
}

static struct box_row_size size(const void *state)
{
    const struct box_grid *grid = state;
    struct box_row_size made = {0, 0};
    for (uint32_t l = 0; l < grid->grid.level_count; l++) {
        made.cells += grid->grid.levels[l].slots;
        made.references += (uint64_t)grid->grid.levels[l].count * (1 + grid->grid.coarser_count[l]);
    }
    return made;
}

enum { CELL_BITS = 21 };

/* The level at a position among those with boxes, the one of the largest first. */
static const struct grid_level *level_at(const struct hash_grid *grid, uint32_t position)
{
    uint32_t l = grid->level_count;
    while (l > 0) {
        l--;
        if (grid->levels[l].count > 0 && position-- == 0) {
            break;
        }
    }
    return &grid->levels[l];
}

static void shapes(const void *state, struct box_shapes *shapes)
{
    const struct hash_grid *grid = &((const struct box_grid *)state)->grid;
    uint32_t filled = 0;
    for (uint32_t l = 0; l < grid->level_count; l++) {
        filled += grid->levels[l].count > 0;
    }
    box_shapes_limit(shapes, filled - 1);
    const struct grid_level *level = level_at(grid, shapes->level);
    for (uint32_t i = level->first; i < level->first + level->count; i++) {
        uint64_t key = 0;
        for (int axis = 0; axis < 3; axis++) { /* cells are at most 2^21 + 2 an axis: the last two share one here */
            uint64_t cell = (uint64_t)hash_grid_cell(level, axis, grid->columns.lo[axis][i]), last = (1 << CELL_BITS) - 1;
            key = key << CELL_BITS | (cell < last ? cell : last);
        }
        box_shapes_add_key(shapes, key);
    }
    size_t count = box_shapes_sort_keys(shapes);
    for (size_t i = 0; i < count; i++) {
        uint64_t key = ((const uint64_t *)shapes->keys->data)[i];
        double lo[3], hi[3];
        for (int axis = 3; axis-- > 0; key >>= CELL_BITS) {
            double cell = (double)(key & ((1 << CELL_BITS) - 1));
            lo[axis] = (double)level->lo[axis] + cell / level->inverse_cell;
            hi[axis] = (double)level->lo[axis] + (cell + 1.0) / level->inverse_cell;
        }
        box_shapes_add(shapes, lo, hi);
    }
}

#define GRID_ROW(row_method, row_name, row_build)                                                                      \
    {                                                                                                                  \
        .method = row_method, .name = row_name, .build = row_build, .block_count = block_count, .pairs = pairs,        \
        .window = window, .size = size, .shapes = shapes                                                               \
    }

const struct box_row box_dense_grid_row = GRID_ROW(DENT_BOXES_DENSE_GRID, "dense-grid", build_dense);
const struct box_row box_hash_grid_row = GRID_ROW(DENT_BOXES_HASH_GRID, "hash-grid", build_hash);
const struct box_row box_hierarchical_grid_row =
    GRID_ROW(DENT_BOXES_HIERARCHICAL_GRID, "hierarchical-grid", build_hierarchical);
