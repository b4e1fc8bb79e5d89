/* Asking a dent_inside about many points, a part at a time, so that what belongs to a part stays in the cache: points outside
 * the box of the surface are out; the others are put into the cells of a coarse grid, cells along a Morton curve, by one
 * counting sort. So blocks of points lie close together, and each block goes through a tree by itself. The points of a cell
 * enter the BSP tree below the axis planes that do not cut the cell; where that is a leaf, they have their answer. */
#include "inside/inside_data.h"

#include "neighbours/neighbours_data.h"

#include <string.h>

enum { POINTS_A_PART = 1 << 17, READ_A_BLOCK = 1 << 13, NO_CELL = UINT16_MAX };
enum { ENTRIES_FROM = 4096 }; /* points: for fewer the cells of the finest grid are too many */

struct inside_call {
    dent_inside *inside;
    dent_positions points;
    size_t stride;         /* of the points */
    uint32_t first, count; /* of the part; at first all of them */
    uint8_t *places;       /* or null … */
    int32_t *numbers;      /* … and these */
    bool use_bsp;
    struct cell_grid grid;
    const int32_t *entries; /* of its cells, or null: all enter at the root */
    uint32_t sorted;        /* points with a cell */
    atomic_uint bad;        /* the first point that is not finite, or UINT32_MAX */
};

/* ---- reading and sorting ----------------------------------------------------------------------------------------- */

static void note_bad_point(struct inside_call *call, uint32_t point)
{
    unsigned seen = atomic_load(&call->bad);
    while (point < seen && !atomic_compare_exchange_weak(&call->bad, &seen, point)) {
    }
}

static inline void read_point(const struct inside_call *call, uint32_t index, double point[3])
{
    const char *from = (const char *)call->points.data + index * call->stride;
    if (call->points.scalar == DENT_SCALAR_DOUBLE) {
        memcpy(point, from, 3 * sizeof(double));
    } else {
        float narrow[3];
        memcpy(narrow, from, sizeof narrow);
        for (int axis = 0; axis < 3; axis++) {
            point[axis] = narrow[axis];
        }
    }
}

static inline bool in_box(const dent_inside *inside, const double point[3])
{
    const double *low = inside->low, *high = inside->high;
    return (point[0] >= low[0]) & (point[0] <= high[0]) & (point[1] >= low[1]) & (point[1] <= high[1]) &
           (point[2] >= low[2]) & (point[2] <= high[2]);
}

/* The Morton code of a point's cell: all three indices, of at most five bits, are spread at once. */
static inline uint32_t cell_of(const struct cell_grid *grid, const double point[3])
{
    uint64_t all = cell_grid_index(grid, 0, point[0]) | (uint64_t)cell_grid_index(grid, 1, point[1]) << 20 |
                   (uint64_t)cell_grid_index(grid, 2, point[2]) << 40;
    all = (all | all << 8) & UINT64_C(0x100F0100F0100F);
    all = (all | all << 4) & UINT64_C(0x10C3010C3010C3);
    all = (all | all << 2) & UINT64_C(0x12490124901249);
    return (uint32_t)((all & 0x1249) | (all >> 19 & 0x2492) | (all >> 38 & 0x4924));
}

/* Grid cells of the points of the part; those outside the box get none, and their answer. */
static void read_block(void *data, uint32_t block, uint32_t worker)
{
    (void)worker;
    struct inside_call *call = data;
    const dent_inside *inside = call->inside;
    uint16_t *cells = call->inside->cells.data;
    const struct cell_grid grid = call->grid;
    uint32_t begin = block * READ_A_BLOCK, left = call->count - begin;
    for (uint32_t i = begin; i < begin + (left < READ_A_BLOCK ? left : READ_A_BLOCK); i++) {
        double point[3];
        read_point(call, call->first + i, point);
        uint32_t code = NO_CELL, place = DENT_PLACE_OUT;
        if (in_box(inside, point)) {
            code = cell_of(&grid, point);
            int32_t entry = call->entries ? call->entries[code] : 0;
            bool known = bsp_place(entry) < BSP_LEAF_OPEN;
            place = known ? bsp_place(entry) : place;
            code = known ? NO_CELL : code;
        } else if (!(isfinite(point[0]) && isfinite(point[1]) && isfinite(point[2]))) {
            note_bad_point(call, call->first + i);
        }
        cells[i] = (uint16_t)code;
        if (call->places) {
            call->places[call->first + i] = (uint8_t)place;
        } else {
            call->numbers[call->first + i] = 0;
        }
    }
}

/* Copies the points with a cell into the order of cells. */
static bool sort_points(struct inside_call *call)
{
    dent_inside *inside = call->inside;
    const uint16_t *cells = inside->cells.data;
    size_t cell_count = (size_t)1 << 3 * call->grid.bits;
    if (!inside_make_room(&inside->starts, cell_count)) {
        return false;
    }
    uint32_t *starts = inside->starts.data;
    memset(starts, 0, cell_count * sizeof *starts);
    uint32_t *with_cell = inside->with_cell.data, found = 0;
    for (uint32_t i = 0; i < call->count; i++) {
        with_cell[found] = i;
        found += cells[i] != NO_CELL;
    }
    for (uint32_t k = 0; k < found; k++) {
        starts[cells[with_cell[k]]]++;
    }
    call->sorted = 0;
    for (size_t cell = 0; cell < cell_count; cell++) {
        uint32_t count = starts[cell];
        starts[cell] = call->sorted;
        call->sorted += count;
    }
    if (!inside_make_room(&inside->sorted, call->sorted)) {
        return false;
    }
    struct inside_point *sorted = inside->sorted.data;
    for (uint32_t k = 0; k < found; k++) {
        uint32_t i = with_cell[k];
        struct inside_point *to = &sorted[starts[cells[i]]++];
        read_point(call, call->first + i, to->at);
        to->index = call->first + i;
        to->entry = call->entries ? call->entries[cells[i]] : inside->bsp.root;
    }
    return true;
}

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

static void set_group(const struct inside_point *points, uint32_t used, struct winding_group *group)
{
    group->used = used;
    for (uint32_t lane = 0; lane < WINDING_LANES; lane++) {
        const double *point = points[lane < used ? lane : 0].at;
        for (int axis = 0; axis < 3; axis++) {
            group->point[axis][lane] = point[axis];
            group->low[axis] = lane == 0 || point[axis] < group->low[axis] ? point[axis] : group->low[axis];
            group->high[axis] = lane == 0 || point[axis] > group->high[axis] ? point[axis] : group->high[axis];
        }
    }
}

static void wind_block(const struct inside_call *call, const struct inside_point *points, uint32_t count)
{
    const struct winding_kernels *kernels = winding_kernels_for(dent_context_isa(call->inside->context));
    struct winding_group group;
    group.exact_tests = 0;
    for (uint32_t first = 0; first < count; first += WINDING_LANES) {
        set_group(points + first, count - first < WINDING_LANES ? count - first : WINDING_LANES, &group);
        kernels->winding(&call->inside->winding, &group);
        for (uint32_t lane = 0; lane < group.used; lane++) {
            bool on = group.on >> lane & 1;
            if (call->places) {
                call->places[points[first + lane].index] = (uint8_t)(on                   ? DENT_PLACE_ON
                                                                     : group.number[lane] ? DENT_PLACE_IN
                                                                                          : DENT_PLACE_OUT);
            } else {
                call->numbers[points[first + lane].index] = on ? 0 : group.number[lane];
            }
        }
    }
    atomic_fetch_add(&call->inside->exact_tests, group.exact_tests);
}

static void ask_block(void *data, uint32_t block, uint32_t worker)
{
    (void)worker;
    const struct inside_call *call = data;
    uint32_t first = block * BSP_BLOCK, left = call->sorted - first;
    const struct inside_point *points = (const struct inside_point *)call->inside->sorted.data + first;
    uint32_t count = left < BSP_BLOCK ? left : BSP_BLOCK;
    if (call->use_bsp) {
        const struct bsp_kernels *kernels = bsp_kernels_for(dent_context_isa(call->inside->context));
        atomic_fetch_add(&call->inside->exact_tests, kernels->classify(&call->inside->bsp, points, count, call->places));
    } else {
        wind_block(call, points, count);
    }
}

/* ---- calls ------------------------------------------------------------------------------------------------------- */

static uint32_t blocks_of(uint32_t count, uint32_t size)
{
    return count / size + (count % size > 0);
}

static dent_status run_part(struct inside_call *call)
{
    dent_inside *inside = call->inside;
    dent_context *context = inside->context;
    dent_status status = dent_parallel_for(context, blocks_of(call->count, READ_A_BLOCK), read_block, call);
    unsigned bad = atomic_load(&call->bad);
    if (status == DENT_OK && bad != UINT32_MAX) {
        return dent_fail(context, DENT_ERROR_BAD_NUMBER, "point %u is not finite", bad);
    }
    if (status == DENT_OK && !sort_points(call)) {
        return DENT_ERROR_OUT_OF_MEMORY;
    }
    return status ? status : dent_parallel_for(context, blocks_of(call->sorted, BSP_BLOCK), ask_block, call);
}

static dent_status run(void *data)
{
    struct inside_call *call = data;
    dent_inside *inside = call->inside;
    uint32_t count = call->count, most = count < POINTS_A_PART ? count : POINTS_A_PART;
    int bits = 0;
    while (bits < ENTRY_BITS && (UINT64_C(8) << 3 * bits) < most) {
        bits++;
    }
    dent_status status = call->use_bsp ? inside_make_bsp(inside) : DENT_OK;
    if (call->use_bsp && most >= ENTRIES_FROM) {
        bits = ENTRY_BITS;
        call->entries = inside->entries;
    }
    call->grid = inside_grid(inside, bits);
    if (status == DENT_OK &&
        (!inside_make_room(&inside->cells, most) || !inside_make_room(&inside->with_cell, most))) {
        return DENT_ERROR_OUT_OF_MEMORY;
    }
    for (uint32_t done = 0; done < count && status == DENT_OK; done += call->count) {
        call->first = done;
        call->count = count - done < POINTS_A_PART ? count - done : POINTS_A_PART;
        status = run_part(call);
    }
    inside->points += status ? 0 : count;
    return status;
}

static dent_status run_call(struct inside_call *call)
{
    dent_context *context = call->inside->context;
    uint32_t count = call->count;
    dent_status status = neighbours_check_positions(context, &call->points, call->count, "points");
    size_t number = call->points.scalar == DENT_SCALAR_DOUBLE ? sizeof(double) : sizeof(float);
    call->stride = call->points.stride ? call->points.stride : 3 * number;
    atomic_init(&call->bad, UINT32_MAX);
    status = status ? status : dent_call_guarded(context, run, call);
    return status == DENT_ERROR_OUT_OF_MEMORY
               ? dent_fail(context, status, "no memory for the places of %u points", (unsigned)count)
               : status;
}

dent_status dent_inside_classify(dent_inside *inside, dent_positions points, uint32_t count, uint8_t *places)
{
    DENT_REQUIRE(NULL, inside);
    DENT_REQUIRE_ARRAY(inside->context, count, places);
    struct inside_call call = {.inside = inside, .points = points, .count = count, .places = places};
    call.use_bsp = inside->method == DENT_INSIDE_BSP ||
                   (inside->method == DENT_INSIDE_AUTO && (inside->has_bsp || inside->points > AUTO_POINTS));
    return run_call(&call);
}

dent_status dent_inside_winding(dent_inside *inside, dent_positions points, uint32_t count, int32_t *numbers)
{
    DENT_REQUIRE(NULL, inside);
    DENT_REQUIRE_ARRAY(inside->context, count, numbers);
    struct inside_call call = {.inside = inside, .points = points, .count = count, .numbers = numbers};
    return run_call(&call);
}
