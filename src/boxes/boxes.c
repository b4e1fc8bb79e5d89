/* A dent_boxes: its life, its updates, its choice of a method and its pairs. See dent/boxes.h. */
#include "boxes/boxes_data.h"

#include <math.h>
#include <string.h>

dent_boxes_def dent_boxes_def_default(void)
{
    dent_boxes_def def;
    memset(&def, 0, sizeof def);
    def.struct_size = sizeof def;
    return def;
}

/* ---- life -------------------------------------------------------------------------------------------------------- */

static dent_status check_def(dent_context *context, const dent_boxes_def *def)
{
    if (def->struct_size != sizeof *def) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT,
                         "the def has struct_size %zu instead of %zu: make it with dent_boxes_def_default()",
                         def->struct_size, sizeof *def);
    }
    if (!dent_boxes_method_name(def->method)) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "unknown method of boxes: %d", (int)def->method);
    }
    if ((unsigned)def->hash >= DENT_BOXES_HASH_COUNT) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "unknown hash of boxes: %d", (int)def->hash);
    }
    if (!(def->cell_size >= 0.0) || isinf(def->cell_size)) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "cell size: a finite length from 0 on expected; got %g",
                         def->cell_size);
    }
    for (int axis = 0; axis < 3; axis++) {
        if (!(def->cell_offset[axis] >= 0.0 && def->cell_offset[axis] < 1.0)) {
            return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "cell offset %c: a number in [0, 1) expected; got %g",
                             "xyz"[axis], def->cell_offset[axis]);
        }
    }
    return DENT_OK;
}

static void init(struct dent_boxes *boxes, dent_context *context, const dent_boxes_def *def)
{
    *boxes = (struct dent_boxes){.context = context, .def = *def, .version = 1};
    box_store_init(&boxes->store, context);
    box_forest_init(&boxes->forest, context);
    arena_init(&boxes->row_arena, context);
    arena_init(&boxes->scratch, context);
    pair_collector_init(&boxes->collector, context);
    array_init(&boxes->pairs, context, sizeof(dent_box_pair));
    array_init(&boxes->other_pairs, context, sizeof(dent_box_pair));
    array_init(&boxes->moved_flags, context, sizeof(uint8_t));
    block_output_init(&boxes->found, context, sizeof(uint64_t));
    array_init(&boxes->hit_first, context, sizeof(uint64_t));
    array_init(&boxes->hit_keys, context, sizeof(uint64_t));
    array_init(&boxes->hit_indices, context, sizeof(uint32_t));
    array_init(&boxes->hit_parameters, context, sizeof(double));
    array_init(&boxes->near_boxes, context, sizeof(struct box_corners));
    array_init(&boxes->near_index, context, sizeof(uint32_t));
    array_init(&boxes->shapes, context, sizeof(dent_structure_box));
    array_init(&boxes->shape_keys, context, sizeof(uint64_t));
}

dent_status dent_boxes_create(dent_context *context, const dent_boxes_def *def, dent_boxes **boxes)
{
    DENT_REQUIRE(context, context);
    DENT_REQUIRE(context, boxes);
    dent_boxes_def defaults = dent_boxes_def_default();
    def = def ? def : &defaults;
    dent_status status = check_def(context, def);
    if (status) {
        return status;
    }
    dent_boxes *made = dent_allocate(context, 1, sizeof *made);
    if (!made) {
        return dent_fail(context, DENT_ERROR_OUT_OF_MEMORY, "no memory for an object of boxes");
    }
    init(made, context, def);
    *boxes = made;
    return DENT_OK;
}

void dent_boxes_destroy(dent_boxes *boxes)
{
    if (!boxes) {
        return;
    }
    dent_neighbours_destroy(boxes->neighbours);
    array_destroy(&boxes->shape_keys);
    array_destroy(&boxes->shapes);
    array_destroy(&boxes->near_index);
    array_destroy(&boxes->near_boxes);
    array_destroy(&boxes->hit_parameters);
    array_destroy(&boxes->hit_indices);
    array_destroy(&boxes->hit_keys);
    array_destroy(&boxes->hit_first);
    block_output_destroy(&boxes->found);
    array_destroy(&boxes->moved_flags);
    array_destroy(&boxes->other_pairs);
    array_destroy(&boxes->pairs);
    pair_collector_destroy(&boxes->collector);
    arena_destroy(&boxes->scratch);
    arena_destroy(&boxes->row_arena);
    box_forest_destroy(&boxes->forest);
    box_store_destroy(&boxes->store);
    dent_release(boxes->context, boxes, 1, sizeof *boxes);
}

uint32_t dent_boxes_count(const dent_boxes *boxes)
{
    return boxes ? box_store_count(&boxes->store) : 0;
}

/* ---- updating ---------------------------------------------------------------------------------------------------- */

struct update_call {
    dent_boxes *boxes;
    const dent_box_list *list;
    uint32_t count;
};

static dent_status update(void *data)
{
    const struct update_call *call = data;
    dent_status status = box_store_read(&call->boxes->store, call->list, call->count);
    if (status == DENT_OK) {
        call->boxes->version++;
    }
    return status;
}

dent_status dent_boxes_update(dent_boxes *boxes, dent_box_list list, uint32_t count)
{
    DENT_REQUIRE(NULL, boxes);
    struct update_call call = {boxes, &list, count};
    return dent_call_guarded(boxes->context, update, &call);
}

/* ---- structures -------------------------------------------------------------------------------------------------- */

/* Up to SWEPT boxes a sweep has compared them before a packet tree has put them in order, so the tree pays only if its
 * order serves again. An order that served for less than SERVES searches did not pay; after LOST of these in a row boxes are
 * swept for RETRY searches, and then the tree is tried again. For a list of windows FEW_BOXES are few. */
enum { FEW_BOXES = 64, SWEPT = 1024, SERVES = 4, LOST = 2, RETRY = 64 };

/* The method of pairs for what is in the store; never AUTO. Motion is measured: boxes of another list are not those of the
 * order there is, and boxes that jump about make one order after the other useless. */
static dent_boxes_method choose_method(const struct dent_boxes *boxes)
{
    if (boxes->def.method != DENT_BOXES_AUTO) {
        return boxes->def.method;
    }
    bool order_lasts = !boxes->store.all_moved && boxes->lost_orders < LOST;
    return boxes->store.present <= SWEPT && !order_lasts ? DENT_BOXES_SWEEP : DENT_BOXES_PACKET_TREE;
}

dent_boxes_method boxes_query_method(const struct dent_boxes *boxes)
{
    if (boxes->def.method != DENT_BOXES_AUTO) {
        return boxes->def.method;
    }
    return boxes->store.present <= FEW_BOXES ? DENT_BOXES_SWEEP : DENT_BOXES_PACKET_TREE;
}

/* More than a few records are read again all together. */
static bool few_moved(const struct dent_boxes *boxes)
{
    return !boxes->store.all_moved && boxes->store.moved.count <= box_store_count(&boxes->store) / 8;
}

dent_status boxes_prepare_forest(struct dent_boxes *boxes)
{
    struct box_forest *forest = &boxes->forest;
    uint32_t count = box_store_count(&boxes->store);
    dent_status status = DENT_OK;
    if (boxes->forest_version == boxes->version) {
        return DENT_OK;
    }
    bool sort = !forest->sorted || forest->slots.count != count || boxes->sort_wanted;
    if (sort) {
        arena_reset(&boxes->scratch);
        status = box_forest_sort(forest, &boxes->store, &boxes->scratch);
        boxes->counters.rebuilds += status == DENT_OK;
        boxes->fresh_order = true;
        boxes->sort_wanted = false;
        boxes->sorted_tests = 0;
        boxes->moved_since_sort = 0;
    } else if (boxes->forest_version + 1 == boxes->version && few_moved(boxes)) {
        box_forest_move(forest, &boxes->store, boxes->store.moved.data, (uint32_t)boxes->store.moved.count);
        boxes->moved_since_sort += boxes->store.moved.count;
        boxes->sort_wanted = boxes->moved_since_sort > 4 * (uint64_t)count;
    } else {
        status = box_forest_refit(forest, &boxes->store);
    }
    if (status) {
        forest->sorted = false;
        return dent_fail(boxes->context, status, "no memory for the packet tree of %u boxes", (unsigned)count);
    }
    boxes->forest_version = boxes->version;
    return DENT_OK;
}

dent_status boxes_prepare_row(struct dent_boxes *boxes, dent_boxes_method method)
{
    const struct box_row *row = box_row_of(method);
    if (boxes->row == row && boxes->row_version == boxes->version) {
        return DENT_OK;
    }
    if (row == &box_packet_row) {
        dent_status status = boxes_prepare_forest(boxes);
        if (status) {
            return status;
        }
    }
    struct box_row_input input = {boxes->context, &boxes->store, &boxes->def, &boxes->forest, &boxes->row_arena};
    boxes->row = NULL;
    arena_reset(&boxes->row_arena);
    boxes->row_state = row->build(&input);
    if (!boxes->row_state) {
        return dent_fail(boxes->context, DENT_ERROR_OUT_OF_MEMORY, "no memory for the %s of %u boxes", row->name,
                         (unsigned)box_store_count(&boxes->store));
    }
    boxes->row = row;
    boxes->row_version = boxes->version;
    return DENT_OK;
}

/* ---- pairs ------------------------------------------------------------------------------------------------------- */

/* The order of the packet tree serves as long as a search costs little more than right after sorting. */
static void watch_order(struct dent_boxes *boxes, uint64_t tests)
{
    if (boxes->sorted_tests == 0) {
        boxes->sorted_tests = tests + 1;
    } else if (tests > boxes->sorted_tests + boxes->sorted_tests / 4 + box_store_count(&boxes->store) / 4) {
        boxes->sort_wanted = true;
    }
}

/* After a search: did the order before serve long enough, and is it time to try again? */
static void measure_motion(struct dent_boxes *boxes)
{
    if (boxes->row == &box_packet_row) {
        if (boxes->fresh_order) {
            boxes->lost_orders = boxes->searches < SERVES ? boxes->lost_orders + (boxes->searches > 0) : 0;
            boxes->searches = 0;
            boxes->fresh_order = false;
        }
        boxes->searches++;
    } else if (boxes->lost_orders >= LOST && ++boxes->searches >= RETRY) {
        boxes->lost_orders = 0;
        boxes->searches = 0; /* what comes next is the first order */
    }
}

static void count_work(struct dent_boxes *boxes, const struct block_work *work, bool incremental)
{
    const struct box_store *store = &boxes->store;
    struct box_row_size size = boxes->row->size(boxes->row_state);
    boxes->counters.method = boxes->row->method;
    boxes->counters.incremental = incremental;
    boxes->counters.present = store->present;
    boxes->counters.moved = store->all_moved ? box_store_count(store) : (uint32_t)store->moved.count;
    boxes->counters.cells = size.cells;
    boxes->counters.references = size.references;
    boxes->counters.box_tests = work->tests;
    boxes->counters.candidates = work->candidates;
}

static dent_status search_all(struct dent_boxes *boxes)
{
    struct block_work work;
    dent_status status = boxes_prepare_row(boxes, choose_method(boxes));
    if (status == DENT_OK) {
        boxes->pairs_version = 0;
        status = pair_collector_run(&boxes->collector, &boxes->store, boxes->row->block_count(boxes->row_state),
                                    boxes->row->pairs, boxes->row_state, &boxes->pairs, &work);
    }
    if (status == DENT_OK) {
        boxes->pairs_version = boxes->version;
        count_work(boxes, &work, false);
        if (boxes->row == &box_packet_row) {
            watch_order(boxes, work.tests);
        }
        measure_motion(boxes);
    }
    return status;
}

/* ---- few boxes moved --------------------------------------------------------------------------------------------- */

enum { MOVED_A_BLOCK = 64 };

struct moved_search {
    struct dent_boxes *boxes;
};

/* One moved box that looks up its partners. */
struct moved_partners {
    const uint8_t *moved;
    uint32_t index;
    struct pair_buffer *out;
};

static void take_partners(void *data, const uint32_t *list, uint32_t count)
{
    const struct moved_partners *partners = data;
    struct pair_buffer *out = partners->out;
    for (uint32_t i = 0; i < count; i++) {
        if (i % PAIRS_AT_ONCE == 0) {
            pair_buffer_make_room(out);
        }
        out->a[out->count] = partners->index;
        out->b[out->count] = list[i];
        /* two that moved find one another: the smaller index keeps it */
        out->count += list[i] != partners->index && (!partners->moved[list[i]] || list[i] > partners->index);
    }
}

static void search_moved(void *data, uint32_t block, struct pair_buffer *out)
{
    const struct dent_boxes *boxes = ((const struct moved_search *)data)->boxes;
    const struct box_forest *forest = &boxes->forest;
    const uint32_t *moved = boxes->store.moved.data;
    uint32_t list[BOX_LIST_ROOM], count = (uint32_t)boxes->store.moved.count;
    for (uint32_t i = block * MOVED_A_BLOCK; i < count && i < (block + 1) * MOVED_A_BLOCK; i++) {
        const struct box_record *record = &box_store_records(&boxes->store)[moved[i]];
        struct moved_partners partners = {boxes->moved_flags.data, moved[i], out};
        if (record->lo[0] < INFINITY) {
            out->tests += forest->kernels->window(&forest->view, record->lo, record->hi, list, take_partners, &partners);
        }
    }
}

static inline bool pair_before(dent_box_pair a, dent_box_pair b)
{
    return a.a < b.a || (a.a == b.a && a.b < b.b);
}

/* Old pairs without a moved box, and new ones, in order. */
static void merge_pairs(struct dent_boxes *boxes, const struct dynamic_array *fresh, struct dynamic_array *merged)
{
    const dent_box_pair *old = boxes->pairs.data, *added = fresh->data;
    dent_box_pair *to = merged->data;
    const uint8_t *moved = boxes->moved_flags.data;
    size_t count = 0, next = 0, old_count = boxes->pairs.count;
    for (size_t i = 0; i <= fresh->count; i++) {
        while (next < old_count && (i == fresh->count || pair_before(old[next], added[i]))) {
            to[count] = old[next];
            count += !(moved[old[next].a] | moved[old[next].b]);
            next++;
        }
        /* an equal old pair has moved, too, and is dropped by the loop of the next one */
        if (i < fresh->count) {
            to[count++] = added[i];
        }
    }
    merged->count = count;
}

static void set_flags(struct dent_boxes *boxes, uint8_t value)
{
    const uint32_t *moved = boxes->store.moved.data;
    uint8_t *flags = boxes->moved_flags.data;
    for (size_t i = 0; i < boxes->store.moved.count; i++) {
        flags[moved[i]] = value;
    }
}

static bool make_flags(struct dent_boxes *boxes, uint32_t count)
{
    if (boxes->moved_flags.count == count) {
        return true;
    }
    array_clear(&boxes->moved_flags);
    uint8_t *flags = array_extend(&boxes->moved_flags, count);
    if (flags) {
        memset(flags, 0, count);
    }
    return flags != NULL;
}

/* Updates `pairs` for the boxes that moved since they were found. False in *done: everything has to be searched. */
static dent_status update_pairs(struct dent_boxes *boxes, bool *done)
{
    uint32_t count = box_store_count(&boxes->store), moved = (uint32_t)boxes->store.moved.count;
    struct dynamic_array *fresh = &boxes->collector.fresh;
    struct moved_search search = {boxes};
    struct block_work work;
    *done = false;
    if (boxes->pairs_version == 0 || boxes->pairs_version + 1 != boxes->version || !few_moved(boxes) ||
        choose_method(boxes) != DENT_BOXES_PACKET_TREE || !boxes->forest.sorted || boxes->sort_wanted) {
        return DENT_OK;
    }
    dent_status status = boxes_prepare_row(boxes, DENT_BOXES_PACKET_TREE);
    if (status == DENT_OK && !make_flags(boxes, count)) {
        status = dent_fail(boxes->context, DENT_ERROR_OUT_OF_MEMORY, "no memory for %u boxes", (unsigned)count);
    }
    if (status) {
        return status;
    }
    set_flags(boxes, 1);
    status = pair_collector_run(&boxes->collector, &boxes->store, moved / MOVED_A_BLOCK + (moved % MOVED_A_BLOCK > 0),
                                search_moved, &search, fresh, &work);
    size_t most = boxes->pairs.count + fresh->count + 1;
    if (status == DENT_OK && !array_reserve_growing(&boxes->other_pairs, most)) {
        status = dent_fail(boxes->context, DENT_ERROR_OUT_OF_MEMORY, "no memory for %zu pairs of boxes", most);
    }
    if (status == DENT_OK) {
        merge_pairs(boxes, fresh, &boxes->other_pairs);
        struct dynamic_array old = boxes->pairs;
        boxes->pairs = boxes->other_pairs;
        boxes->other_pairs = old;
        boxes->pairs_version = boxes->version;
        count_work(boxes, &work, true);
        measure_motion(boxes);
        *done = true;
    }
    set_flags(boxes, 0);
    return status;
}

/* ---- calls ------------------------------------------------------------------------------------------------------- */

static dent_status find_pairs(void *data)
{
    dent_boxes *boxes = data;
    bool done = boxes->pairs_version == boxes->version;
    dent_status status = done ? DENT_OK : update_pairs(boxes, &done);
    return status || done ? status : search_all(boxes);
}

dent_status dent_boxes_pairs(dent_boxes *boxes, dent_box_pairs *result)
{
    DENT_REQUIRE(NULL, boxes);
    DENT_REQUIRE(boxes->context, result);
    dent_status status = dent_call_guarded(boxes->context, find_pairs, boxes);
    if (status == DENT_OK) {
        result->count = boxes->pairs.count;
        result->pairs = boxes->pairs.data;
    }
    return status;
}
