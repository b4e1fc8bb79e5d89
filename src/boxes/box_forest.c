/* Sorting and refitting the packet forest. See box_forest.h. */
#include "boxes/box_forest.h"

#include "neighbours/point_order.h"

#include <math.h>
#include <string.h>

enum { EXPONENTS = 256, EXPONENTS_A_CLASS = 2, SIZE_CLASSES = BOX_CLASSES_MOST - 1, LEAVES_A_BLOCK = 64 };

void box_forest_init(struct box_forest *forest, dent_context *context)
{
    *forest = (struct box_forest){.context = context, .kernels = box_kernels_for(dent_context_isa(context))};
    array_init(&forest->leaves, context, sizeof(struct box_packet));
    array_init(&forest->nodes, context, sizeof(struct box_packet));
    array_init(&forest->indices, context, sizeof(uint32_t));
    array_init(&forest->slots, context, sizeof(uint32_t));
    array_init(&forest->leaf_class, context, sizeof(uint8_t));
}

void box_forest_destroy(struct box_forest *forest)
{
    array_destroy(&forest->leaves);
    array_destroy(&forest->nodes);
    array_destroy(&forest->indices);
    array_destroy(&forest->slots);
    array_destroy(&forest->leaf_class);
}

/* ---- classes of sizes -------------------------------------------------------------------------------------------- */

/* The exponent of the longest edge, as it stands in the float. */
static uint32_t size_exponent(const struct box_record *record)
{
    float edge = record->hi[0] - record->lo[0];
    edge = record->hi[1] - record->lo[1] > edge ? record->hi[1] - record->lo[1] : edge;
    edge = record->hi[2] - record->lo[2] > edge ? record->hi[2] - record->lo[2] : edge;
    uint32_t bits;
    memcpy(&bits, &edge, sizeof bits);
    return bits >> 23 & 0xFF;
}

/* Boxes not much larger than the distance to their neighbours lose nothing by being together. Returns the exponent of
 * that distance in an even filling of the bounds. */
static uint32_t smallest_exponent(const struct box_store *store)
{
    double extent[3], longest = 0.0, spacing;
    for (int axis = 0; axis < 3; axis++) {
        extent[axis] = (double)store->hi[axis] - (double)store->lo[axis];
        longest = extent[axis] > longest ? extent[axis] : longest;
    }
    double volume = 1.0, count = store->present;
    for (int axis = 0; axis < 3; axis++) {
        volume *= extent[axis] > longest / count ? extent[axis] : longest / count;
    }
    spacing = cbrt(volume / count); /* its last bits do not matter: classes change the work alone */
    float edge = (float)spacing;
    uint32_t bits;
    memcpy(&bits, &edge, sizeof bits);
    return bits >> 23 & 0xFF;
}

/* Which class an exponent belongs to; returns how many there are, at most SIZE_CLASSES. The first one holds all that is
 * small. The others begin at an exponent that occurs. */
static uint32_t choose_classes(const uint32_t histogram[EXPONENTS], uint32_t smallest, uint8_t class_of[EXPONENTS])
{
    uint32_t largest = EXPONENTS - 1, count = 0, begin = 0;
    while (largest > 0 && histogram[largest] == 0) {
        largest--;
    }
    uint32_t reach = EXPONENTS_A_CLASS * (SIZE_CLASSES - 1);
    uint32_t small = largest > reach && largest - reach > smallest ? largest - reach : smallest;
    for (uint32_t exponent = 0; exponent <= largest; exponent++) {
        bool fresh = count == 0 || (exponent > small && (begin <= small || exponent - begin >= EXPONENTS_A_CLASS));
        if (histogram[exponent] > 0 && fresh) {
            begin = exponent;
            count++;
        }
        class_of[exponent] = (uint8_t)(count == 0 ? 0 : count - 1);
    }
    return count;
}

/* ---- layout ------------------------------------------------------------------------------------------------------ */

static uint32_t divide_up(uint32_t a, uint32_t b)
{
    return a / b + (a % b > 0);
}

/* Leaves and nodes of each class; returns how many nodes there are. */
static size_t plan(struct box_forest *forest, const uint32_t *counts, uint32_t class_count)
{
    size_t node_count = 0;
    forest->view.class_count = class_count;
    forest->leaf_count = 0;
    for (uint32_t c = 0; c < class_count; c++) {
        struct box_tree16 *tree = &forest->view.classes[c];
        *tree = (struct box_tree16){.first_leaf = forest->leaf_count, .leaf_count = divide_up(counts[c], BOX_LANES)};
        forest->leaf_count += tree->leaf_count;
        for (uint32_t boxes = tree->leaf_count; boxes > 0;) {
            uint32_t nodes = divide_up(boxes, BOX_LANES);
            tree->node_counts[tree->level_count++] = nodes;
            node_count += nodes;
            boxes = nodes > 1 ? nodes : 0;
        }
    }
    return node_count;
}

static void set_empty(struct box_packet *packets, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        for (int axis = 0; axis < 3; axis++) {
            for (int lane = 0; lane < BOX_LANES; lane++) {
                packets[i].lo[axis][lane] = INFINITY;
                packets[i].hi[axis][lane] = -INFINITY;
            }
        }
    }
}

static bool resize(struct dynamic_array *array, size_t count)
{
    array_clear(array);
    return array_extend(array, count) != NULL;
}

static bool allocate(struct box_forest *forest, size_t node_count, uint32_t box_count)
{
    if (!resize(&forest->leaves, forest->leaf_count) || !resize(&forest->nodes, node_count) ||
        !resize(&forest->indices, (size_t)forest->leaf_count * BOX_LANES) || !resize(&forest->slots, box_count) ||
        !resize(&forest->leaf_class, forest->leaf_count)) {
        return false;
    }
    forest->view.leaves = forest->leaves.data;
    forest->view.indices = forest->indices.data;
    memset(forest->view.indices, 0xFF, (size_t)forest->leaf_count * BOX_LANES * sizeof(uint32_t));
    struct box_packet *nodes = forest->nodes.data;
    set_empty(nodes, node_count);
    for (uint32_t c = 0; c < forest->view.class_count; c++) {
        struct box_tree16 *tree = &forest->view.classes[c];
        for (uint32_t level = 0; level < tree->level_count; level++) {
            tree->nodes[level] = nodes;
            nodes += tree->node_counts[level];
        }
        memset((uint8_t *)forest->leaf_class.data + tree->first_leaf, (int)c, tree->leaf_count);
    }
    return true;
}

/* ---- boxes of leaves and nodes ----------------------------------------------------------------------------------- */

static const struct box_record empty_record = {{INFINITY, INFINITY, INFINITY, 0}, {-INFINITY, -INFINITY, -INFINITY, 0}};

static void set_lane(struct box_packet *packet, uint32_t lane, const float lo[3], const float hi[3])
{
    for (int axis = 0; axis < 3; axis++) {
        packet->lo[axis][lane] = lo[axis];
        packet->hi[axis][lane] = hi[axis];
    }
}

static void refit_leaf(struct box_forest *forest, const struct box_record *records, uint32_t leaf)
{
    const uint32_t *indices = forest->view.indices + (size_t)leaf * BOX_LANES;
    const struct box_record *rows[BOX_LANES];
    float lo[3], hi[3];
    for (int lane = 0; lane < BOX_LANES; lane++) {
        rows[lane] = indices[lane] == UINT32_MAX ? &empty_record : &records[indices[lane]];
    }
    forest->kernels->fill(&forest->view.leaves[leaf], rows, lo, hi);
    struct box_tree16 *tree = &forest->view.classes[((const uint8_t *)forest->leaf_class.data)[leaf]];
    uint32_t in_tree = leaf - tree->first_leaf;
    set_lane(&tree->nodes[0][in_tree / BOX_LANES], in_tree % BOX_LANES, lo, hi);
}

static void refit_node(const struct box_forest *forest, struct box_tree16 *tree, uint32_t level, uint32_t node)
{
    float lo[3], hi[3];
    forest->kernels->bounds(&tree->nodes[level][node], lo, hi);
    set_lane(&tree->nodes[level + 1][node / BOX_LANES], node % BOX_LANES, lo, hi);
}

struct refit_call {
    struct box_forest *forest;
    const struct box_record *records;
};

enum { REFIT_AHEAD = 4 };

static void refit_block(void *data, uint32_t block, uint32_t worker)
{
    const struct refit_call *call = data;
    struct box_forest *forest = call->forest;
    (void)worker;
    uint32_t end = (block + 1) * LEAVES_A_BLOCK < forest->leaf_count ? (block + 1) * LEAVES_A_BLOCK : forest->leaf_count;
    for (uint32_t leaf = block * LEAVES_A_BLOCK; leaf < end; leaf++) {
        if (leaf + REFIT_AHEAD < forest->leaf_count) {
            const uint32_t *ahead = forest->view.indices + (size_t)(leaf + REFIT_AHEAD) * BOX_LANES;
            for (int lane = 0; lane < BOX_LANES; lane++) {
                __builtin_prefetch(&call->records[ahead[lane] == UINT32_MAX ? 0 : ahead[lane]]);
            }
        }
        refit_leaf(forest, call->records, leaf);
    }
}

dent_status box_forest_refit(struct box_forest *forest, const struct box_store *store)
{
    struct refit_call call = {forest, box_store_records(store)};
    dent_status status =
        dent_parallel_for(forest->context, divide_up(forest->leaf_count, LEAVES_A_BLOCK), refit_block, &call);
    for (uint32_t c = 0; c < forest->view.class_count; c++) {
        struct box_tree16 *tree = &forest->view.classes[c];
        for (uint32_t level = 0; level + 1 < tree->level_count; level++) {
            for (uint32_t node = 0; node < tree->node_counts[level]; node++) {
                refit_node(forest, tree, level, node);
            }
        }
    }
    return status;
}

void box_forest_move(struct box_forest *forest, const struct box_store *store, const uint32_t *moved, uint32_t count)
{
    const uint32_t *slots = forest->slots.data;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t leaf = slots[moved[i]] / BOX_LANES;
        struct box_tree16 *tree = &forest->view.classes[((const uint8_t *)forest->leaf_class.data)[leaf]];
        refit_leaf(forest, box_store_records(store), leaf);
        uint32_t node = (leaf - tree->first_leaf) / BOX_LANES;
        for (uint32_t level = 0; level + 1 < tree->level_count; level++, node /= BOX_LANES) {
            refit_node(forest, tree, level, node);
        }
    }
}

/* ---- sorting ----------------------------------------------------------------------------------------------------- */

/* Boxes by class, with their middles; absent ones are the last class. */
struct class_sort {
    uint32_t counts[BOX_CLASSES_MOST], first[BOX_CLASSES_MOST];
    uint32_t class_count;
    struct ordered_point *points;
};

static void count_classes(const struct box_store *store, uint8_t class_of[EXPONENTS], struct class_sort *sort)
{
    const struct box_record *records = box_store_records(store);
    uint32_t histogram[EXPONENTS] = {0}, count = box_store_count(store);
    for (uint32_t i = 0; i < count; i++) {
        histogram[size_exponent(&records[i])] += records[i].lo[0] < INFINITY;
    }
    uint32_t sizes = store->present > 0 ? choose_classes(histogram, smallest_exponent(store), class_of) : 0;
    sort->class_count = sizes + (store->present < count);
    for (uint32_t exponent = 0; exponent < EXPONENTS && sizes > 0; exponent++) {
        sort->counts[class_of[exponent]] += histogram[exponent];
    }
    if (store->present < count) {
        sort->counts[sizes] = count - store->present;
    }
    for (uint32_t c = 1; c < sort->class_count; c++) {
        sort->first[c] = sort->first[c - 1] + sort->counts[c - 1];
    }
}

static void spread_points(const struct box_store *store, const uint8_t class_of[EXPONENTS], struct class_sort *sort)
{
    const struct box_record *records = box_store_records(store);
    uint32_t at[BOX_CLASSES_MOST], count = box_store_count(store);
    memcpy(at, sort->first, sizeof at);
    for (uint32_t i = 0; i < count; i++) {
        bool present = records[i].lo[0] < INFINITY;
        uint32_t c = present ? class_of[size_exponent(&records[i])] : sort->class_count - 1;
        struct ordered_point *point = &sort->points[at[c]++];
        for (int axis = 0; axis < 3; axis++) {
            point->point[axis] = present ? (double)records[i].lo[axis] + (double)records[i].hi[axis] : 0.0;
        }
        point->index = i;
    }
}

static void place_boxes(struct box_forest *forest, const struct class_sort *sort)
{
    uint32_t *slots = forest->slots.data;
    for (uint32_t c = 0; c < sort->class_count; c++) {
        uint32_t first = forest->view.classes[c].first_leaf * BOX_LANES;
        for (uint32_t i = 0; i < sort->counts[c]; i++) {
            uint32_t index = sort->points[sort->first[c] + i].index;
            forest->view.indices[first + i] = index;
            slots[index] = first + i;
        }
    }
}

static dent_status sort_classes(struct box_forest *forest, const struct box_store *store, struct arena *scratch)
{
    struct class_sort sort = {.class_count = 0};
    uint8_t class_of[EXPONENTS] = {0};
    uint32_t count = box_store_count(store);
    count_classes(store, class_of, &sort);
    sort.points = arena_allocate(scratch, count, sizeof *sort.points);
    if (!sort.points) {
        return DENT_ERROR_OUT_OF_MEMORY;
    }
    spread_points(store, class_of, &sort);
    for (uint32_t c = 0; c < sort.class_count; c++) {
        dent_status status =
            point_order_sort_in(forest->context, sort.points + sort.first[c], sort.counts[c], scratch);
        if (status) {
            return status;
        }
    }
    if (!allocate(forest, plan(forest, sort.counts, sort.class_count), count)) {
        return DENT_ERROR_OUT_OF_MEMORY;
    }
    place_boxes(forest, &sort);
    return DENT_OK;
}

dent_status box_forest_sort(struct box_forest *forest, const struct box_store *store, struct arena *scratch)
{
    struct arena_mark mark = arena_mark(scratch);
    forest->sorted = false;
    dent_status status = sort_classes(forest, store, scratch);
    arena_rewind(scratch, mark);
    if (status == DENT_OK) {
        status = box_forest_refit(forest, store);
    }
    forest->sorted = status == DENT_OK;
    return status;
}
