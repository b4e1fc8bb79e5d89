/* Asking a dent_inside about many points: those outside the box of the surface are out; the others are put into the cells of
 * a coarse grid, cells along a Morton curve, by one counting sort. So blocks of points lie close together, and each block
 * goes through a tree by itself. */
#include "inside/inside_data.h"

#include "geometry/numbers/morton_code.h"
#include "neighbours/neighbours_data.h"

#include <string.h>

enum { POINTS_A_BLOCK = 1024, READ_A_BLOCK = 1 << 14, GRID_BITS_MOST = 5, NO_CELL = UINT16_MAX };

struct inside_call {
    dent_inside *inside;
    dent_positions points;
    uint32_t count;
    uint8_t *places;  /* or null … */
    int32_t *numbers; /* … and these */
    bool use_bsp;
    int grid_bits;   /* of an axis */
    uint32_t sorted; /* points inside the box */
    double scale[3];
    atomic_uint bad; /* the first point that is not finite, or UINT32_MAX */
};

/* ---- reading and sorting ----------------------------------------------------------------------------------------- */

static void note_bad_point(struct inside_call *call, uint32_t point)
{
    unsigned seen = atomic_load(&call->bad);
    while (point < seen && !atomic_compare_exchange_weak(&call->bad, &seen, point)) {
    }
}

static bool in_box(const dent_inside *inside, const double point[3])
{
    bool within = true;
    for (int axis = 0; axis < 3; axis++) {
        within = within && point[axis] >= inside->low[axis] && point[axis] <= inside->high[axis];
    }
    return within;
}

/* Grid cells of the points; those outside the box get none, and their answer. */
static void read_block(void *data, uint32_t block, uint32_t worker)
{
    (void)worker;
    struct inside_call *call = data;
    const dent_inside *inside = call->inside;
    uint16_t *cells = call->inside->cells.data;
    double last = (1 << call->grid_bits) - 1;
    uint32_t first = block * READ_A_BLOCK, left = call->count - first;
    for (uint32_t i = first; i < first + (left < READ_A_BLOCK ? left : READ_A_BLOCK); i++) {
        double point[3];
        neighbours_read_place(&call->points, i, point);
        if (!(isfinite(point[0]) && isfinite(point[1]) && isfinite(point[2]))) {
            note_bad_point(call, i);
        }
        if (call->places) {
            call->places[i] = DENT_PLACE_OUT;
        } else {
            call->numbers[i] = 0;
        }
        cells[i] = NO_CELL;
        if (in_box(inside, point)) {
            uint32_t cell[3];
            for (int axis = 0; axis < 3; axis++) {
                double at = (point[axis] - inside->low[axis]) * call->scale[axis];
                cell[axis] = (uint32_t)(at < last ? at : last);
            }
            cells[i] = (uint16_t)morton_code(cell);
        }
    }
}

/* Copies the points with a cell into the order of cells. */
static bool sort_points(struct inside_call *call)
{
    dent_inside *inside = call->inside;
    const uint16_t *cells = inside->cells.data;
    size_t cell_count = (size_t)1 << 3 * call->grid_bits;
    if (!inside_make_room(&inside->starts, cell_count)) {
        return false;
    }
    uint32_t *starts = inside->starts.data;
    memset(starts, 0, cell_count * sizeof *starts);
    for (uint32_t i = 0; i < call->count; i++) {
        if (cells[i] != NO_CELL) {
            starts[cells[i]]++;
        }
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
    struct sorted_point *sorted = inside->sorted.data;
    for (uint32_t i = 0; i < call->count; i++) {
        if (cells[i] != NO_CELL) {
            struct sorted_point *to = &sorted[starts[cells[i]]++];
            neighbours_read_place(&call->points, i, to->point);
            to->index = i;
        }
    }
    return true;
}

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

static void set_group(const struct sorted_point *points, uint32_t used, struct winding_group *group)
{
    group->used = used;
    for (uint32_t lane = 0; lane < WINDING_LANES; lane++) {
        const double *point = points[lane < used ? lane : 0].point;
        for (int axis = 0; axis < 3; axis++) {
            group->point[axis][lane] = point[axis];
            group->low[axis] = lane == 0 || point[axis] < group->low[axis] ? point[axis] : group->low[axis];
            group->high[axis] = lane == 0 || point[axis] > group->high[axis] ? point[axis] : group->high[axis];
        }
    }
}

static void wind_block(const struct inside_call *call, const struct sorted_point *points, uint32_t count)
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

/* Memory of a worker: too much for a stack. */
struct bsp_columns {
    double columns[6][POINTS_A_BLOCK + 8];
    uint32_t indices[2][POINTS_A_BLOCK];
};

static void bsp_block(const struct inside_call *call, const struct sorted_point *from, uint32_t count, uint32_t worker)
{
    struct bsp_columns *own = (struct bsp_columns *)call->inside->columns.data + worker;
    struct bsp_points points = {own->columns[0], own->columns[1], own->columns[2], own->indices[0], own->columns[3],
                                own->columns[4], own->columns[5], own->indices[1], count,           0};
    for (uint32_t i = 0; i < count; i++) {
        points.x[i] = from[i].point[0];
        points.y[i] = from[i].point[1];
        points.z[i] = from[i].point[2];
        points.index[i] = from[i].index;
    }
    for (uint32_t i = count; i < count + 8; i++) { /* read and not used */
        points.x[i] = points.y[i] = points.z[i] = 0.0;
    }
    bsp_kernels_for(dent_context_isa(call->inside->context))->classify(&call->inside->bsp, &points, call->places);
    atomic_fetch_add(&call->inside->exact_tests, points.exact_tests);
}

static void ask_block(void *data, uint32_t block, uint32_t worker)
{
    const struct inside_call *call = data;
    uint32_t first = block * POINTS_A_BLOCK, left = call->sorted - first;
    const struct sorted_point *points = (const struct sorted_point *)call->inside->sorted.data + first;
    uint32_t count = left < POINTS_A_BLOCK ? left : POINTS_A_BLOCK;
    if (call->use_bsp) {
        bsp_block(call, points, count, worker);
    } else {
        wind_block(call, points, count);
    }
}

/* ---- calls ------------------------------------------------------------------------------------------------------- */

static uint32_t blocks_of(uint32_t count, uint32_t size)
{
    return count / size + (count % size > 0);
}

static dent_status run(void *data)
{
    struct inside_call *call = data;
    dent_inside *inside = call->inside;
    dent_context *context = inside->context;
    while (call->grid_bits < GRID_BITS_MOST && (UINT64_C(8) << 3 * call->grid_bits) < call->count) {
        call->grid_bits++;
    }
    for (int axis = 0; axis < 3; axis++) {
        double width = inside->high[axis] - inside->low[axis];
        call->scale[axis] = width >= 0x1p-1000 && isfinite(width) ? (1 << call->grid_bits) / width : 0.0;
    }
    if (call->use_bsp) {
        dent_status status = inside_make_bsp(inside);
        if (status) {
            return status;
        }
    }
    size_t columns = call->use_bsp ? dent_context_worker_count(context) * sizeof(struct bsp_columns) : 0;
    if (!inside_make_room(&inside->cells, call->count) || !inside_make_room(&inside->columns, columns)) {
        return DENT_ERROR_OUT_OF_MEMORY;
    }
    dent_status status = dent_parallel_for(context, blocks_of(call->count, READ_A_BLOCK), read_block, call);
    unsigned bad = atomic_load(&call->bad);
    if (status == DENT_OK && bad != UINT32_MAX) {
        return dent_fail(context, DENT_ERROR_BAD_NUMBER, "point %u is not finite", bad);
    }
    if (status == DENT_OK && !sort_points(call)) {
        return DENT_ERROR_OUT_OF_MEMORY;
    }
    status = status ? status : dent_parallel_for(context, blocks_of(call->sorted, POINTS_A_BLOCK), ask_block, call);
    inside->points += status ? 0 : call->count;
    return status;
}

static dent_status run_call(struct inside_call *call)
{
    dent_context *context = call->inside->context;
    dent_status status = neighbours_check_positions(context, &call->points, call->count, "points");
    atomic_init(&call->bad, UINT32_MAX);
    status = status ? status : dent_call_guarded(context, run, call);
    return status == DENT_ERROR_OUT_OF_MEMORY
               ? dent_fail(context, status, "no memory for the places of %u points", (unsigned)call->count)
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
