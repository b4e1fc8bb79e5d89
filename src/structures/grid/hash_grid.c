/* The counting-sorted spatial hash with levels. See hash_grid.h.
 *
 * Teschner, Heidelberger, Mueller, Pomeranets, Gross: Optimized Spatial Hashing for Collision Detection of Deformable
 * Objects, VMV 2003; levels as in Eitz, Gu: Hierarchical Spatial Hashing for Real-time Collision Detection, SMI 2007.
 * Instead of linked slots with time stamps the table is counted, summed up and filled anew in every step.
 */
#include "structures/grid/hash_grid.h"

#include <math.h>
#include <string.h>

enum { OCTAVES = 160, OCTAVE_ZERO = 150, OCTAVES_PER_LEVEL = 3 };

/* Levels of fewer entries are scanned as a whole in less time than a coarser table saves. */
enum { FEWEST_FOR_COARSER = 256 };

#define FINEST_CELL 9.5367431640625e-07 /* 2^-20: the floats are hardly finer */
#define COARSEST_CELL 4.0

static const float *corner_of(const void *base, const struct grid_input *input, uint32_t entry)
{
    return (const float *)((const unsigned char *)base + (size_t)entry * input->stride);
}

static uint32_t entry_at(const struct grid_input *input, uint32_t index)
{
    return input->numbers ? input->numbers[index] : index;
}

static float box_size(const float *lo, const float *hi)
{
    float x = hi[0] - lo[0], y = hi[1] - lo[1], z = hi[2] - lo[2];
    float larger = x > y ? x : y;
    return larger > z ? larger : z;
}

/* Sizes in [2^(o - 1), 2^o) are of octave o; kept in 0 .. OCTAVES - 1. */
static int octave_of(const struct grid_input *input, uint32_t entry)
{
    int octave;
    if (input->octaves) {
        octave = input->octaves[entry] + input->octave_shift;
    } else {
        float size = box_size(corner_of(input->lo, input, entry), corner_of(input->hi, input, entry));
        uint32_t bits;
        memcpy(&bits, &size, sizeof bits);
        octave = (int)(bits >> 23) - 126; /* subnormal sizes: one octave; size is not negative */
    }
    octave += OCTAVE_ZERO;
    return octave < 0 ? 0 : octave >= OCTAVES ? OCTAVES - 1 : octave;
}

/* Octaves to levels, from the finest: as many as fit into one level, then on from the next that has entries. */
static uint32_t assign_levels(const uint32_t histogram[OCTAVES], uint32_t limit, uint8_t level_of[OCTAVES])
{
    int lowest = 0, highest = OCTAVES - 1, level = -1, begin = -OCTAVES;
    while (lowest < OCTAVES && histogram[lowest] == 0) {
        lowest++;
    }
    while (highest > lowest && histogram[highest] == 0) {
        highest--;
    }
    for (int octave = 0; octave < OCTAVES; octave++) {
        bool fresh =
            histogram[octave] != 0 && octave - begin >= OCTAVES_PER_LEVEL + (highest - lowest <= OCTAVES_PER_LEVEL);
        if (fresh && level + 1 < (int)limit) {
            level++;
            begin = octave;
        }
        level_of[octave] = (uint8_t)(level < 0 ? 0 : level);
    }
    return (uint32_t)(level < 0 ? 1 : level + 1);
}

static void clear_level(struct grid_level *level)
{
    *level = (struct grid_level){.lo = {INFINITY, INFINITY, INFINITY}, .hi = {-INFINITY, -INFINITY, -INFINITY}};
}

/* Bounds, reach, number of entries of each level, and the sum of their sizes if it is not known from the octaves. */
static void measure_levels(struct hash_grid *grid, const struct grid_input *input, const uint8_t *levels, double *sizes)
{
    for (uint32_t level = 0; level < grid->level_count; level++) {
        clear_level(&grid->levels[level]);
    }
    for (uint32_t i = 0; i < input->count; i++) {
        uint32_t entry = entry_at(input, i);
        struct grid_level *level = &grid->levels[levels[i]];
        const float *lo = corner_of(input->lo, input, entry), *hi = corner_of(input->hi, input, entry);
        level->count++;
        for (int axis = 0; axis < 3; axis++) {
            double reach = (double)hi[axis] - (double)lo[axis];
            level->lo[axis] = lo[axis] < level->lo[axis] ? lo[axis] : level->lo[axis];
            level->hi[axis] = lo[axis] > level->hi[axis] ? lo[axis] : level->hi[axis];
            level->reach[axis] = reach > level->reach[axis] ? reach : level->reach[axis];
        }
        sizes[levels[i]] += input->octaves ? 0 : (double)box_size(lo, hi);
    }
}

static uint32_t next_power_of_two(uint64_t at_least)
{
    uint32_t power = 1;
    while (power < at_least && power < UINT32_C(1) << 31) {
        power *= 2;
    }
    return power;
}

static uint64_t count_cells(struct grid_level *level)
{
    uint64_t cells = 1;
    for (int axis = 0; axis < 3; axis++) {
        level->cells[axis] = level->count ? hash_grid_cell(level, axis, level->hi[axis]) + 1 : 1;
        cells *= (uint64_t)level->cells[axis]; /* below 2^66 / 8: cells are at most 2^21 + 2 an axis */
    }
    return cells;
}

/* Cells and slots of a table whose cell size is known. */
static void size_table(struct grid_level *level, const struct grid_input *input)
{
    uint64_t few = (uint64_t)level->count * 4 + 64, many = (uint64_t)level->count * 8 + (UINT32_C(1) << 22);
    uint64_t cells = count_cells(level);
    while (input->addressing == GRID_COUNTED && cells > few) {
        level->inverse_cell *= 0.8;
        cells = count_cells(level);
    }
    level->mixed_hash = input->mixed_hash;
    level->counted = input->addressing == GRID_COUNTED ||
                     (input->addressing == GRID_COUNTED_IF_FEW && input->table_size == 0 && cells <= few);
    level->slots = level->counted             ? (uint32_t)cells
                   : input->table_size == 0   ? next_power_of_two((uint64_t)level->count * 2)
                   : input->table_size < many ? input->table_size
                                              : (uint32_t)many;
}

static void size_level(struct grid_level *level, const struct grid_input *input, uint32_t index, double mean_size)
{
    double cell = input->cell_size > 0 ? input->cell_size * ldexp(1.0, (int)index * OCTAVES_PER_LEVEL)
                                       : mean_size * input->cell_ratio;
    cell = cell < FINEST_CELL ? FINEST_CELL : cell > COARSEST_CELL ? COARSEST_CELL : cell;
    level->inverse_cell = 1 / cell;
    for (int axis = 0; axis < 3; axis++) {
        level->lo[axis] -= (float)(input->cell_offset[axis] * cell);
    }
    for (int axis = 0; axis < 3; axis++) {
        level->reach[axis] += level->reach[axis] * 1e-15 + 1e-14;
    }
    size_table(level, input);
}

/* The coarser tables of the levels: up to the cells of the coarsest level. */
static void plan_coarser(struct hash_grid *grid, const struct grid_input *input)
{
    double coarsest = INFINITY; /* as an inverse */
    for (uint32_t l = 0; l < grid->level_count; l++) {
        coarsest = fmin(coarsest, grid->levels[l].inverse_cell);
    }
    for (uint32_t l = 0; l < grid->level_count; l++) {
        struct grid_level table = grid->levels[l];
        grid->coarser_count[l] = 0;
        while (table.count >= FEWEST_FOR_COARSER && grid->coarser_count[l] < GRID_COARSER_MAX &&
               table.inverse_cell * 0.25 >= coarsest * 0.5) {
            table.inverse_cell *= 0.25;
            size_table(&table, input);
            grid->coarser[l][grid->coarser_count[l]++] = table;
        }
    }
}

/* The slot of the first cell of row (j, k). */
static inline uint32_t row_slot(const struct grid_level *level, int32_t j, int32_t k)
{
    if (level->counted) {
        return ((uint32_t)k * (uint32_t)level->cells[1] + (uint32_t)j) * (uint32_t)level->cells[0];
    }
    if (level->mixed_hash) {
        uint64_t mixed = ((uint64_t)(uint32_t)j << 32 | (uint32_t)k) * UINT64_C(0x9E3779B97F4A7C15);
        mixed = (mixed ^ mixed >> 32) * UINT64_C(0xD6E8FEB86659FD93);
        return (uint32_t)((mixed >> 32) * level->slots >> 32);
    }
    return ((uint32_t)j * UINT32_C(19349663) ^ (uint32_t)k * UINT32_C(83492791)) % level->slots;
}

static inline uint32_t slot_in_row(const struct grid_level *level, uint32_t row, int32_t i)
{
    uint64_t slot = (uint64_t)row + (uint32_t)i;
    return slot < level->slots ? (uint32_t)slot : (uint32_t)(slot % level->slots);
}

struct filling {
    const struct grid_input *input;
    const uint8_t *levels;
    uint32_t *slots; /* of each entry, in its level */
    float *lo[3], *hi[3];
    int32_t *row_y, *row_z;
    uint32_t *number;
};

static void count_slots(struct hash_grid *grid, const struct filling *filling)
{
    for (uint32_t i = 0; i < filling->input->count; i++) {
        const struct grid_level *level = &grid->levels[filling->levels[i]];
        const float *lo = corner_of(filling->input->lo, filling->input, entry_at(filling->input, i));
        uint32_t row = row_slot(level, hash_grid_cell(level, 1, lo[1]), hash_grid_cell(level, 2, lo[2]));
        filling->slots[i] = slot_in_row(level, row, hash_grid_cell(level, 0, lo[0]));
        level->start[filling->slots[i]]++;
    }
}

/* Counts to ends; filling from the last entry to the first turns them into starts and keeps the order of entries in a
 * slot. */
static void sum_up(struct hash_grid *grid)
{
    uint32_t sum = 0;
    for (uint32_t l = 0; l < grid->level_count; l++) {
        struct grid_level *level = &grid->levels[l];
        level->first = sum;
        for (uint32_t slot = 0; slot < level->slots; slot++) {
            sum += level->start[slot];
            level->start[slot] = sum;
        }
        level->start[level->slots] = sum;
    }
}

static void fill(struct hash_grid *grid, const struct filling *filling)
{
    const struct grid_input *input = filling->input;
    for (uint32_t i = input->count; i-- > 0;) {
        uint32_t entry = entry_at(input, i);
        const struct grid_level *level = &grid->levels[filling->levels[i]];
        const float *lo = corner_of(input->lo, input, entry), *hi = corner_of(input->hi, input, entry);
        uint32_t slot = --level->start[filling->slots[i]];
        for (int axis = 0; axis < 3; axis++) {
            filling->lo[axis][slot] = lo[axis];
            if (filling->hi[axis] != filling->lo[axis]) {
                filling->hi[axis][slot] = hi[axis];
            }
        }
        filling->row_y[slot] = hash_grid_cell(level, 1, lo[1]);
        filling->row_z[slot] = hash_grid_cell(level, 2, lo[2]);
        filling->number[slot] = entry;
    }
}

static bool allocate_columns(struct hash_grid *grid, struct filling *filling, bool points, struct arena *arena)
{
    bool enough = true;
    size_t room = grid->count; /* all tables */
    for (uint32_t l = 0; l < grid->level_count; l++) {
        room += (size_t)grid->levels[l].count * grid->coarser_count[l];
    }
    if (room > UINT32_MAX) {
        memset(grid->coarser_count, 0, sizeof grid->coarser_count);
        room = grid->count;
    }
    for (int axis = 0; axis < 3; axis++) {
        filling->lo[axis] = arena_allocate(arena, room, sizeof(float));
        filling->hi[axis] = points ? filling->lo[axis] : arena_allocate(arena, room, sizeof(float));
        enough = enough && filling->lo[axis] && filling->hi[axis];
        grid->columns.lo[axis] = filling->lo[axis];
        grid->columns.hi[axis] = filling->hi[axis];
    }
    grid->columns.row_y = filling->row_y = arena_allocate(arena, room, sizeof(int32_t));
    grid->columns.row_z = filling->row_z = arena_allocate(arena, room, sizeof(int32_t));
    grid->columns.number = filling->number = arena_allocate(arena, room, sizeof(uint32_t));
    for (uint32_t l = 0; l < grid->level_count; l++) {
        struct grid_level *level = &grid->levels[l];
        level->start = arena_allocate_cleared(arena, (size_t)level->slots + 1, sizeof *level->start);
        enough = enough && level->start;
        for (uint32_t m = 0; m < grid->coarser_count[l]; m++) {
            struct grid_level *table = &grid->coarser[l][m];
            table->start = arena_allocate_cleared(arena, (size_t)table->slots + 1, sizeof *table->start);
            enough = enough && table->start;
        }
    }
    return enough && filling->row_y && filling->row_z && filling->number;
}

/* A coarser table of the entries at from .. from + count: counted, summed up, filled like the levels, from their
 * columns. */
static void fill_coarser(const struct filling *filling, struct grid_level *table, uint32_t from, uint32_t first)
{
    uint32_t sum = first;
    table->first = first;
    for (uint32_t i = from; i < from + table->count; i++) {
        uint32_t row = row_slot(table, hash_grid_cell(table, 1, filling->lo[1][i]), hash_grid_cell(table, 2, filling->lo[2][i]));
        filling->slots[i - from] = slot_in_row(table, row, hash_grid_cell(table, 0, filling->lo[0][i]));
        table->start[filling->slots[i - from]]++;
    }
    for (uint32_t slot = 0; slot < table->slots; slot++) {
        sum += table->start[slot];
        table->start[slot] = sum;
    }
    table->start[table->slots] = sum;
    for (uint32_t i = from + table->count; i-- > from;) {
        uint32_t slot = --table->start[filling->slots[i - from]];
        for (int axis = 0; axis < 3; axis++) {
            filling->lo[axis][slot] = filling->lo[axis][i];
            filling->hi[axis][slot] = filling->hi[axis][i];
        }
        filling->row_y[slot] = hash_grid_cell(table, 1, filling->lo[1][i]);
        filling->row_z[slot] = hash_grid_cell(table, 2, filling->lo[2][i]);
        filling->number[slot] = filling->number[i];
    }
}

static void choose_levels(struct hash_grid *grid, const struct grid_input *input, uint8_t *levels, double *sizes)
{
    uint32_t histogram[OCTAVES] = {0};
    uint8_t level_of[OCTAVES];
    memset(sizes, 0, GRID_LEVELS_MAX * sizeof *sizes);
    for (uint32_t i = 0; i < input->count; i++) {
        levels[i] = (uint8_t)octave_of(input, entry_at(input, i));
        histogram[levels[i]]++;
    }
    grid->level_count = assign_levels(histogram, input->level_limit, level_of);
    for (int octave = 0; octave < OCTAVES && input->octaves; octave++) {
        sizes[level_of[octave]] += histogram[octave] * ldexp(0.75, octave - OCTAVE_ZERO);
    }
    for (uint32_t i = 0; i < input->count; i++) {
        levels[i] = level_of[levels[i]];
    }
}

bool hash_grid_build(struct hash_grid *grid, const struct grid_input *input, struct arena *arena)
{
    struct filling filling = {.input = input};
    double sizes[GRID_LEVELS_MAX];
    *grid = (struct hash_grid){.count = input->count};
    uint8_t *levels = arena_allocate(arena, input->count, sizeof *levels);
    filling.levels = levels;
    filling.slots = arena_allocate(arena, input->count, sizeof *filling.slots);
    if (!levels || !filling.slots) {
        return false;
    }
    choose_levels(grid, input, levels, sizes);
    measure_levels(grid, input, levels, sizes);
    for (uint32_t l = 0; l < grid->level_count; l++) {
        size_level(&grid->levels[l], input, l, grid->levels[l].count ? sizes[l] / grid->levels[l].count : 0);
    }
    plan_coarser(grid, input);
    if (!allocate_columns(grid, &filling, input->lo == input->hi, arena)) {
        return false;
    }
    count_slots(grid, &filling);
    sum_up(grid);
    fill(grid, &filling);
    uint32_t first = grid->count;
    for (uint32_t l = 0; l < grid->level_count; l++) {
        for (uint32_t m = 0; m < grid->coarser_count[l]; m++) {
            fill_coarser(&filling, &grid->coarser[l][m], grid->levels[l].first, first);
            first += grid->levels[l].count;
        }
    }
    return true;
}

/* ---- looking up ------------------------------------------------------------------------------------------------- */

struct look_up {
    const struct hash_grid *grid;
    const struct packet_kernels *kernels;
    struct grid_window window;
    uint32_t *list, listed;
    grid_list_function *function;
    void *data;
    struct grid_counters *counters;
};

static inline void scan(struct look_up *look_up, uint32_t begin, uint32_t end, bool any_row)
{
    look_up->counters->entries += end - begin;
    while (begin < end) {
        uint32_t room = GRID_LIST_MAX - look_up->listed;
        uint32_t stop = end - begin > room ? begin + room : end;
        look_up->listed += look_up->kernels->scan_row(&look_up->grid->columns, begin, stop, &look_up->window, any_row,
                                                      look_up->list + look_up->listed);
        begin = stop;
        if (GRID_LIST_MAX - look_up->listed < 16) {
            look_up->function(look_up->data, look_up->list, look_up->listed);
            look_up->listed = 0;
        }
    }
}

static void scan_cells(struct look_up *look_up, const struct grid_level *level, uint32_t row, int32_t first,
                       int32_t last)
{
    if ((uint32_t)(last - first) >= level->slots) {
        scan(look_up, level->first, level->first + level->count, false);
        return;
    }
    uint32_t begin = slot_in_row(level, row, first), end = slot_in_row(level, row, last);
    if (begin <= end) {
        scan(look_up, level->start[begin], level->start[end + 1], false);
    } else {
        scan(look_up, level->start[begin], level->start[level->slots], false);
        scan(look_up, level->start[0], level->start[end + 1], false);
    }
}

/* A row costs about as much as ROW_COST entries. */
enum { ROW_COST = 24 };

/* The cells of a table that the window meets, widened below by the reach; false when there are none. */
static bool cells_of_window(const struct look_up *look_up, const struct grid_level *level, int32_t first[3],
                            int32_t last[3])
{
    for (int axis = 0; axis < 3; axis++) {
        double lo = (double)look_up->window.lo[axis] - level->reach[axis], hi = look_up->window.hi[axis];
        lo = lo > (double)level->lo[axis] ? lo : (double)level->lo[axis];
        hi = hi < (double)level->hi[axis] ? hi : (double)level->hi[axis];
        if (!(lo <= hi)) {
            return false;
        }
        first[axis] = hash_grid_cell(level, axis, lo);
        last[axis] = hash_grid_cell(level, axis, hi);
    }
    return true;
}

static uint64_t rows_between(const int32_t first[3], const int32_t last[3])
{
    return ((uint64_t)(last[1] - first[1]) + 1) * ((uint64_t)(last[2] - first[2]) + 1);
}

/* A window of more rows looks into a coarser table, if there is one: rows cost more than the entries of wider cells. */
enum { ROWS_MANY = 12 };

static void look_up_level(struct look_up *look_up, uint32_t number)
{
    const struct grid_level *table = &look_up->grid->levels[number];
    int32_t first[3], last[3];
    if (!cells_of_window(look_up, table, first, last)) {
        return;
    }
    for (uint32_t m = 0; m < look_up->grid->coarser_count[number] && rows_between(first, last) > ROWS_MANY; m++) {
        table = &look_up->grid->coarser[number][m];
        cells_of_window(look_up, table, first, last);
    }
    uint64_t rows = rows_between(first, last);
    if (rows > 1 && rows * ROW_COST > table->count) {
        scan(look_up, table->first, table->first + table->count, true);
        return;
    }
    look_up->counters->rows += rows;
    for (int32_t k = first[2]; k <= last[2]; k++) {
        for (int32_t j = first[1]; j <= last[1]; j++) {
            look_up->window.row_y = j;
            look_up->window.row_z = k;
            scan_cells(look_up, table, row_slot(table, j, k), first[0], last[0]);
        }
    }
}

void hash_grid_look_up(const struct hash_grid *grid, const struct packet_kernels *kernels, const float lo[3],
                       const float hi[3], uint32_t list[GRID_LIST_ROOM], grid_list_function *function, void *data,
                       struct grid_counters *counters)
{
    struct look_up look_up = {
        .grid = grid, .kernels = kernels, .list = list, .function = function, .data = data, .counters = counters};
    memcpy(look_up.window.lo, lo, sizeof look_up.window.lo);
    memcpy(look_up.window.hi, hi, sizeof look_up.window.hi);
    for (uint32_t level = 0; level < grid->level_count; level++) {
        look_up_level(&look_up, level);
    }
    if (look_up.listed) {
        function(data, list, look_up.listed);
    }
}
