/* The row of the sweep: boxes sorted by their lower ends along one axis; each is compared with those that begin inside it.
 *
 * The axis is the one along which the boxes are shortest beside the bounds. The other two axes are compared by the kernel
 * that the sweep of worlds uses (structures/boxes/scan_boxes.h). Quadratic where everything overlaps along the axis.
 */
#include "base/radix_sort.h"
#include "boxes/box_rows.h"
#include "structures/boxes/scan_boxes.h"

enum { BOXES_A_BLOCK = 256, CHUNK = BOX_LIST_MOST - 16 };

struct box_sweep {
    scan_boxes_kernel *scan;
    uint32_t count;
    float *lo[3], *hi[3]; /* the sorted axis first */
    uint32_t *indices;
    int axis;
    float widest; /* along the axis, rounded up */
};

/* Along which axis do boxes overlap least? */
static int choose_axis(const struct box_store *store)
{
    const struct box_record *records = box_store_records(store);
    double edges[3] = {0, 0, 0}, best = -1.0;
    int axis = 0;
    for (uint32_t i = 0; i < box_store_count(store); i++) {
        for (int k = 0; k < 3 && records[i].lo[0] < INFINITY; k++) {
            edges[k] += (double)records[i].hi[k] - (double)records[i].lo[k];
        }
    }
    for (int k = 0; k < 3 && store->present > 0; k++) {
        double extent = (double)store->hi[k] - (double)store->lo[k];
        double ratio = extent > 0.0 ? extent / (edges[k] + 1e-9 * extent) : 0.0;
        if (ratio > best) {
            best = ratio;
            axis = k;
        }
    }
    return axis;
}

static bool allocate(struct box_sweep *sweep, struct arena *arena)
{
    bool enough = true;
    for (int k = 0; k < 3; k++) {
        sweep->lo[k] = arena_allocate(arena, sweep->count, sizeof(float));
        sweep->hi[k] = arena_allocate(arena, sweep->count, sizeof(float));
        enough = enough && sweep->lo[k] && sweep->hi[k];
    }
    sweep->indices = arena_allocate(arena, sweep->count, sizeof *sweep->indices);
    return enough && sweep->indices;
}

static bool sort(struct box_sweep *sweep, const struct box_store *store, struct arena *arena)
{
    struct arena_mark mark = arena_mark(arena);
    const struct box_record *records = box_store_records(store);
    uint64_t *keys = arena_allocate(arena, sweep->count, 2 * sizeof *keys);
    uint32_t *scratch = arena_allocate(arena, sweep->count, sizeof *scratch), count = 0;
    if (!keys || !scratch) {
        return false;
    }
    for (uint32_t i = 0; i < box_store_count(store); i++) {
        if (records[i].lo[0] < INFINITY) {
            keys[count] = radix_key_of_float(records[i].lo[sweep->axis]);
            sweep->indices[count++] = i;
        }
    }
    radix_sort_u64(keys, sweep->indices, keys + count, scratch, count);
    arena_rewind(arena, mark);
    return true;
}

static void *build(const struct box_row_input *input)
{
    struct box_sweep *sweep = arena_allocate(input->arena, 1, sizeof *sweep);
    if (!sweep) {
        return NULL;
    }
    *sweep = (struct box_sweep){.scan = scan_boxes_for(dent_context_isa(input->context)),
                                .count = input->store->present,
                                .axis = choose_axis(input->store)};
    if (!allocate(sweep, input->arena) || !sort(sweep, input->store, input->arena)) {
        return NULL;
    }
    double widest = 0.0;
    for (uint32_t i = 0; i < sweep->count; i++) {
        const struct box_record *record = &box_store_records(input->store)[sweep->indices[i]];
        for (int k = 0; k < 3; k++) {
            sweep->lo[k][i] = record->lo[(sweep->axis + k) % 3];
            sweep->hi[k][i] = record->hi[(sweep->axis + k) % 3];
        }
        double wide = (double)sweep->hi[0][i] - (double)sweep->lo[0][i];
        widest = wide > widest ? wide : widest;
    }
    sweep->widest = float_step((float)widest, 1);
    return sweep;
}

static uint32_t block_count(const void *state)
{
    const struct box_sweep *sweep = state;
    return sweep->count / BOXES_A_BLOCK + (sweep->count % BOXES_A_BLOCK > 0);
}

/* First place in [begin, count) whose box begins after `value`, or at it too. */
static uint32_t first_behind(const struct box_sweep *sweep, uint32_t begin, float value, bool at_too)
{
    uint32_t low = begin, high = sweep->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        bool before = at_too ? sweep->lo[0][middle] < value : sweep->lo[0][middle] <= value;
        low = before ? middle + 1 : low;
        high = before ? high : middle;
    }
    return low;
}

static void sweep_one(const struct box_sweep *sweep, uint32_t i, struct pair_buffer *out)
{
    struct box_columns columns = {sweep->lo[1], sweep->hi[1], sweep->lo[2], sweep->hi[2]};
    struct box_window window = {sweep->lo[1][i], sweep->hi[1][i], sweep->lo[2][i], sweep->hi[2][i]};
    uint32_t found[PAIRS_AT_ONCE + 16], end = first_behind(sweep, i + 1, sweep->hi[0][i], false);
    for (uint32_t begin = i + 1; begin < end;) {
        uint32_t stop = end - begin > PAIRS_AT_ONCE ? begin + PAIRS_AT_ONCE : end;
        uint32_t count = sweep->scan(&columns, begin, stop, &window, found);
        pair_buffer_make_room(out);
        for (uint32_t k = 0; k < count; k++) {
            out->a[out->count] = sweep->indices[i];
            out->b[out->count++] = sweep->indices[found[k]];
        }
        out->tests += (stop - begin) / BOX_LANES + 1;
        begin = stop;
    }
}

static void pairs(void *state, uint32_t block, struct pair_buffer *out)
{
    const struct box_sweep *sweep = state;
    uint32_t first = block * BOXES_A_BLOCK, left = sweep->count - first;
    uint32_t end = left < BOXES_A_BLOCK ? sweep->count : first + BOXES_A_BLOCK;
    for (uint32_t i = first; i < end; i++) {
        sweep_one(sweep, i, out);
    }
}

static void window(const void *state, const float lo[3], const float hi[3], uint32_t list[BOX_LIST_ROOM],
                   box_list_function *function, void *data)
{
    const struct box_sweep *sweep = state;
    int x = sweep->axis, y = (x + 1) % 3, z = (x + 2) % 3;
    struct box_columns columns = {sweep->lo[1], sweep->hi[1], sweep->lo[2], sweep->hi[2]};
    struct box_window asked = {lo[y], hi[y], lo[z], hi[z]};
    float from = lo[x] - sweep->widest;
    uint32_t begin = first_behind(sweep, 0, from < lo[x] ? float_step(from, -1) : lo[x], true);
    uint32_t end = first_behind(sweep, begin, hi[x], false);
    while (begin < end) {
        uint32_t stop = end - begin > CHUNK ? begin + CHUNK : end, kept = 0;
        uint32_t count = sweep->scan(&columns, begin, stop, &asked, list);
        for (uint32_t k = 0; k < count; k++) {
            uint32_t place = list[k];
            list[kept] = sweep->indices[place];
            kept += sweep->hi[0][place] >= lo[x];
        }
        if (kept) {
            function(data, list, kept);
        }
        begin = stop;
    }
}

static struct box_row_size size(const void *state)
{
    const struct box_sweep *sweep = state;
    return (struct box_row_size){1, sweep->count};
}

/* A sweep has no cells: the boxes, in its order. */
static void shapes(const void *state, struct box_shapes *shapes)
{
    const struct box_sweep *sweep = state;
    box_shapes_limit(shapes, 0);
    for (uint32_t i = 0; i < sweep->count; i++) {
        double lo[3], hi[3];
        for (int k = 0; k < 3; k++) {
            lo[(sweep->axis + k) % 3] = sweep->lo[k][i];
            hi[(sweep->axis + k) % 3] = sweep->hi[k][i];
        }
        box_shapes_add(shapes, lo, hi);
    }
}

const struct box_row box_sweep_row = {
    .method = DENT_BOXES_SWEEP,
    .name = "sweep",
    .build = build,
    .block_count = block_count,
    .pairs = pairs,
    .window = window,
    .size = size,
    .shapes = shapes,
};
