/* The text of the box kernels over the types of simd/lanes.h; see box_kernels.h. */
#ifndef DENT_BOXES_BOX_LANES_H
#define DENT_BOXES_BOX_LANES_H

#include "boxes/kernels/box_kernels.h"

#include <math.h>

enum { BOX_PARTS = BOX_LANES / FLOATS, NODES_WAITING = BOX_LANES * BOX_LEVELS_MOST };

/* ---- one box against sixteen ------------------------------------------------------------------------------------- */

struct wide_box {
    floats lo[3], hi[3];
};

static inline struct wide_box wide_box_of(const float lo[3], const float hi[3])
{
    return (struct wide_box){{floats_set(lo[0]), floats_set(lo[1]), floats_set(lo[2])},
                             {floats_set(hi[0]), floats_set(hi[1]), floats_set(hi[2])}};
}

static inline struct wide_box wide_box_of_lane(const struct box_packet *packet, uint32_t lane)
{
    return (struct wide_box){
        {floats_set(packet->lo[0][lane]), floats_set(packet->lo[1][lane]), floats_set(packet->lo[2][lane])},
        {floats_set(packet->hi[0][lane]), floats_set(packet->hi[1][lane]), floats_set(packet->hi[2][lane])}};
}

/* Bits of the lanes that meet the box. */
static inline uint32_t packet_meets(const struct box_packet *packet, const struct wide_box *box)
{
    uint32_t bits = 0;
    for (int k = 0; k < BOX_PARTS; k++) {
        const int at = k * FLOATS;
        const floats small[6] = {floats_load(packet->lo[0] + at), box->lo[0], floats_load(packet->lo[1] + at),
                                 box->lo[1], floats_load(packet->lo[2] + at), box->lo[2]};
        const floats large[6] = {box->hi[0], floats_load(packet->hi[0] + at), box->hi[1],
                                 floats_load(packet->hi[1] + at), box->hi[2], floats_load(packet->hi[2] + at)};
        bits |= floats_mask_bits(floats_less_equal6(small, large)) << at;
    }
    return bits;
}

/* The lanes of the bits become indices, one behind the other; returns how many. */
static inline uint32_t keep_lanes(uint32_t *to, const uint32_t *indices, uint32_t bits)
{
    uint32_t count = 0;
    for (int k = 0; k < BOX_PARTS; k++) {
        uint32_t part = bits >> k * FLOATS & ((UINT32_C(1) << FLOATS) - 1);
        if (BOX_PARTS == 1 || part) {
            words_keep(to + count, words_load_any(indices + k * FLOATS), floats_order_of_bits(part));
            count += (uint32_t)__builtin_popcount(part);
        }
    }
    return count;
}

/* Pairs of one box with the lanes of the bits, at most sixteen, behind the `at` pairs there are; returns how many are there
 * then. */
static inline uint32_t emit(struct pair_buffer *out, uint32_t at, uint32_t index, const uint32_t *indices, uint32_t bits)
{
    uint32_t count = keep_lanes(out->b + at, indices, bits);
    for (uint32_t k = 0; BOX_PARTS == 1 ? k == 0 : k < count; k += FLOATS) {
        words_store_any(out->a + at + k, words_set(index));
    }
    return at + count;
}

/* ---- packets ----------------------------------------------------------------------------------------------------- */

static void packet_bounds(const struct box_packet *packet, float lo[3], float hi[3])
{
    for (int axis = 0; axis < 3; axis++) {
        floats least = floats_load(packet->lo[axis]), most = floats_load(packet->hi[axis]);
        for (int k = 1; k < BOX_PARTS; k++) {
            least = floats_least(least, floats_load(packet->lo[axis] + k * FLOATS));
            most = floats_most(most, floats_load(packet->hi[axis] + k * FLOATS));
        }
        lo[axis] = floats_smallest(least);
        hi[axis] = floats_largest(most);
    }
}

static void packet_fill(struct box_packet *packet, const struct box_record *const records[BOX_LANES], float lo[3],
                        float hi[3])
{
    for (int k = 0; k < BOX_PARTS; k++) {
        const float *low[FLOATS], *high[FLOATS];
        floats columns[4];
        for (int i = 0; i < FLOATS; i++) {
            low[i] = records[k * FLOATS + i]->lo;
            high[i] = records[k * FLOATS + i]->hi;
        }
        floats_columns4(low, columns);
        for (int axis = 0; axis < 3; axis++) {
            floats_store(packet->lo[axis] + k * FLOATS, columns[axis]);
        }
        floats_columns4(high, columns);
        for (int axis = 0; axis < 3; axis++) {
            floats_store(packet->hi[axis] + k * FLOATS, columns[axis]);
        }
    }
    packet_bounds(packet, lo, hi);
}

/* ---- walks ------------------------------------------------------------------------------------------------------- */

/* Nodes still to be opened. */
struct packet_walk {
    uint32_t count;
    struct {
        uint32_t level, node;
    } waiting[NODES_WAITING];
};

static inline void walk_begin(struct packet_walk *walk, const struct box_tree16 *tree)
{
    walk->count = tree->level_count > 0;
    walk->waiting[0].level = tree->level_count - 1;
    walk->waiting[0].node = 0;
}

static inline void walk_push(struct packet_walk *walk, uint32_t level, uint32_t first, uint32_t bits)
{
    for (; bits; bits &= bits - 1) {
        walk->waiting[walk->count].level = level;
        walk->waiting[walk->count++].node = first + (uint32_t)__builtin_ctz(bits);
    }
}

/* ---- joining leaves ---------------------------------------------------------------------------------------------- */

/* The leaves of one node are joined together. A walk for the box of the node lists the nodes that the leaves have to look
 * at; each leaf lists the leaves there whose boxes it meets, and then the boxes in them that it meets; these are compared
 * with its sixteen. The lists take the place of branches that cannot be foretold. */
enum { NODES_LISTED = 32, LEAVES_LISTED = NODES_LISTED * BOX_LANES, PLACES_LISTED = 256, LEAVES_EXPECTED = 32, BOXES_AT_ONCE = PAIRS_AT_ONCE / BOX_LANES };

struct node_list {
    uint32_t count;
    const struct box_packet *nodes[NODES_LISTED];
    uint32_t first_leaf[NODES_LISTED];
};

/* A leaf, and places of boxes that meet its box: leaf * 16 + lane. */
struct leaf_join {
    const struct box_forest_view *forest;
    const struct box_packet *packet;
    const uint32_t *indices;
    struct wide_box bounds;
    struct pair_buffer *out;
    uint32_t count, places[PLACES_LISTED + 2 * BOX_LANES];
};

/* first + i for each bit i < 16. */
static inline uint32_t list_bits(uint32_t *to, uint32_t first, uint32_t bits)
{
    static const uint32_t lanes[BOX_LANES] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    uint32_t count = 0;
    for (int k = 0; k < BOX_PARTS; k++) {
        uint32_t part = bits >> k * FLOATS & ((UINT32_C(1) << FLOATS) - 1);
        if (FLOATS > 1 || part) {
            words_keep(to + count, words_add(words_load_any(lanes + k * FLOATS), words_set(first)), floats_order_of_bits(part));
            count += (uint32_t)__builtin_popcount(part);
        }
    }
    return count;
}

static void join_places(struct leaf_join *join)
{
    const struct box_packet packet = *join->packet, *leaves = join->forest->leaves;
    const uint32_t *indices = join->forest->indices, *own = join->indices;
    struct pair_buffer *out = join->out;
    for (uint32_t k = 0; k < join->count;) {
        pair_buffer_make_room(out);
        uint32_t at = out->count, left = join->count - k, end = left < BOXES_AT_ONCE ? join->count : k + BOXES_AT_ONCE;
        for (; k < end; k++) {
            uint32_t place = join->places[k];
            struct wide_box box = wide_box_of_lane(&leaves[place / BOX_LANES], place % BOX_LANES);
            uint32_t bits = packet_meets(&packet, &box);
            if (BOX_PARTS == 1 || bits) {
                at = emit(out, at, indices[place], own, bits);
            }
        }
        out->count = at;
    }
    out->tests += join->count;
    join->count = 0;
}

static inline void join_with_itself(const struct leaf_join *join)
{
    struct pair_buffer *out = join->out;
    const struct box_packet packet = *join->packet;
    pair_buffer_make_room(out);
    uint32_t at = out->count;
    for (uint32_t lane = 0; lane + 1 < BOX_LANES; lane++) {
        struct wide_box box = wide_box_of_lane(join->packet, lane);
        uint32_t bits = packet_meets(&packet, &box) & ~((UINT32_C(2) << lane) - 1);
        if (BOX_PARTS == 1 || bits) {
            at = emit(out, at, join->indices[lane], join->indices, bits);
        }
    }
    out->count = at;
    out->tests += BOX_LANES;
}

/* The leaf against those of the listed nodes. `within`: lanes of the first node. */
static void join_listed(struct leaf_join *join, const struct node_list *list, uint32_t within)
{
    uint32_t entries[LEAVES_LISTED + 2 * BOX_LANES], count = 0;
    for (uint32_t n = 0; n < list->count; n++) {
        uint32_t bits = packet_meets(list->nodes[n], &join->bounds) & (n == 0 ? within : 0xFFFF);
        count += list_bits(entries + count, n * BOX_LANES, bits);
    }
    for (uint32_t k = 0; k < count; k++) {
        uint32_t leaf = list->first_leaf[entries[k] / BOX_LANES] + entries[k] % BOX_LANES;
        const char *lines = (const char *)&join->forest->leaves[leaf];
        for (int line = 0; line < 6; line++) {
            __builtin_prefetch(lines + 64 * line);
        }
    }
    bool wide = count > LEAVES_EXPECTED;
    uint32_t places = join->count;
    for (uint32_t k = 0; k < count; k++) {
        uint32_t n = entries[k] / BOX_LANES, lane = entries[k] % BOX_LANES, leaf = list->first_leaf[n] + lane;
        __builtin_prefetch(join->forest->indices + (size_t)leaf * BOX_LANES);
        uint32_t bits = packet_meets(&join->forest->leaves[leaf], &join->bounds);
        if (wide) { /* boxes far apart: the box around them meets much that they do not */
            struct wide_box bounds = wide_box_of_lane(list->nodes[n], lane);
            bits = packet_meets(join->packet, &bounds) ? bits : 0;
        }
        places += list_bits(join->places + places, leaf * BOX_LANES, bits);
        if (places > PLACES_LISTED) {
            join->count = places;
            join_places(join);
            places = 0;
        }
    }
    join->count = places;
    join->out->tests += list->count + (wide ? 2 : 1) * (uint64_t)count;
    join_places(join);
}

/* The leaves of a node against those of the listed nodes; the list is empty then. `own`: the first one is the node itself. */
static void join_node_with(const struct box_forest_view *forest, const struct box_packet *node, uint32_t first_leaf,
                           uint32_t leaf_count, struct node_list *list, bool own, struct pair_buffer *out)
{
    struct leaf_join join = {.forest = forest, .out = out, .count = 0};
    for (uint32_t lane = 0; lane < leaf_count; lane++) {
        join.packet = &forest->leaves[first_leaf + lane];
        join.indices = forest->indices + (size_t)(first_leaf + lane) * BOX_LANES;
        join.bounds = wide_box_of_lane(node, lane);
        if (own) {
            join_with_itself(&join);
        }
        join_listed(&join, list, own ? 0xFFFF & ~((UINT32_C(2) << lane) - 1) : 0xFFFF);
    }
    list->count = 0;
}

/* Lanes of a node of `level` > 0 below which there are nodes of leaves behind node `after`. */
static inline uint32_t lanes_behind(uint32_t level, uint32_t node, uint32_t after)
{
    uint32_t next = after + 1, first = node * BOX_LANES;
    uint32_t skip = next >> 4 * (level - 1); /* the lane with the next node, counted through the level */
    return skip <= first ? 0xFFFF : skip - first >= BOX_LANES ? 0 : 0xFFFF & ~((UINT32_C(1) << (skip - first)) - 1);
}

static void join(const struct box_forest_view *forest, uint32_t tree_number, uint32_t number, struct pair_buffer *out)
{
    const struct box_tree16 *own = &forest->classes[tree_number];
    const struct box_packet *node = &own->nodes[0][number];
    uint32_t first_leaf = own->first_leaf + number * BOX_LANES, left = own->leaf_count - number * BOX_LANES;
    uint32_t leaf_count = left < BOX_LANES ? left : BOX_LANES;
    float lo[3], hi[3];
    packet_bounds(node, lo, hi);
    struct wide_box bounds = wide_box_of(lo, hi);
    struct node_list list = {.count = 1, .nodes = {node}, .first_leaf = {first_leaf}};
    bool with_own = true;
    for (uint32_t c = tree_number; c < forest->class_count; c++) {
        const struct box_tree16 *tree = &forest->classes[c];
        struct packet_walk walk;
        walk_begin(&walk, tree);
        while (walk.count > 0) {
            uint32_t level = walk.waiting[--walk.count].level, at = walk.waiting[walk.count].node;
            if (level > 0) {
                uint32_t bits = packet_meets(&tree->nodes[level][at], &bounds);
                walk_push(&walk, level - 1, at * BOX_LANES, bits & (c == tree_number ? lanes_behind(level, at, number) : 0xFFFF));
                out->tests++;
            } else if (c != tree_number || at > number) {
                list.nodes[list.count] = &tree->nodes[0][at];
                list.first_leaf[list.count++] = tree->first_leaf + at * BOX_LANES;
            }
            if (list.count == NODES_LISTED) {
                join_node_with(forest, node, first_leaf, leaf_count, &list, with_own, out);
                with_own = false;
            }
        }
    }
    join_node_with(forest, node, first_leaf, leaf_count, &list, with_own, out);
}

/* ---- windows and segments ---------------------------------------------------------------------------------------- */

/* Indices on their way to the caller. */
struct index_list {
    uint32_t *list, count;
    box_list_function *function;
    void *data;
};

static inline void keep_indices(struct index_list *found, const uint32_t *indices, uint32_t bits)
{
    found->count += keep_lanes(found->list + found->count, indices, bits);
    if (found->count > BOX_LIST_MOST - BOX_LANES) {
        found->function(found->data, found->list, found->count);
        found->count = 0;
    }
}

static inline void end_list(struct index_list *found)
{
    if (found->count > 0) {
        found->function(found->data, found->list, found->count);
    }
}

/* Walks all trees; `meets` is the test of a packet. */
#define WALK_FOREST(forest, found, tests, meets)                                                                       \
    for (uint32_t c = 0; c < (forest)->class_count; c++) {                                                             \
        const struct box_tree16 *tree = &(forest)->classes[c];                                                         \
        struct packet_walk walk;                                                                                       \
        walk_begin(&walk, tree);                                                                                       \
        while (walk.count > 0) {                                                                                       \
            uint32_t level = walk.waiting[--walk.count].level, number = walk.waiting[walk.count].node;                 \
            const struct box_packet *packet = &tree->nodes[level][number];                                             \
            uint32_t bits = (meets);                                                                                   \
            (tests)++;                                                                                                 \
            if (level > 0) {                                                                                           \
                walk_push(&walk, level - 1, number *BOX_LANES, bits);                                                  \
                continue;                                                                                              \
            }                                                                                                          \
            for (uint32_t leaves = bits; leaves; leaves &= leaves - 1) {                                               \
                uint32_t leaf = tree->first_leaf + number * BOX_LANES + (uint32_t)__builtin_ctz(leaves);               \
                packet = &(forest)->leaves[leaf];                                                                      \
                (tests)++;                                                                                             \
                keep_indices((found), (forest)->indices + (size_t)leaf * BOX_LANES, (meets));                          \
            }                                                                                                          \
        }                                                                                                              \
    }

static uint64_t window(const struct box_forest_view *forest, const float lo[3], const float hi[3],
                       uint32_t list[BOX_LIST_ROOM], box_list_function *function, void *data)
{
    struct index_list found = {list, 0, function, data};
    struct wide_box box = wide_box_of(lo, hi);
    uint64_t tests = 0;
    WALK_FOREST(forest, &found, tests, packet_meets(packet, &box))
    end_list(&found);
    return tests;
}

/* The three axes of the box, then the three that are normal to the segment and an axis. Infinite lanes are caught by the
 * first three; what the others make of them does not matter. */
static inline uint32_t packet_meets_segment(const struct box_packet *packet, const struct box_segment *segment,
                                            const struct wide_box *box)
{
    uint32_t bits = packet_meets(packet, box), near = 0;
    if (!bits) {
        return 0;
    }
    for (int k = 0; k < BOX_PARTS; k++) {
        floats offset[3], half[3];
        for (int axis = 0; axis < 3; axis++) {
            floats lo = floats_load(packet->lo[axis] + k * FLOATS), hi = floats_load(packet->hi[axis] + k * FLOATS);
            offset[axis] = floats_subtract(floats_multiply(floats_add(lo, hi), floats_set(0.5f)),
                                           floats_set(segment->middle[axis]));
            half[axis] = floats_multiply(floats_subtract(hi, lo), floats_set(0.5f));
        }
        uint32_t part = UINT32_MAX;
        for (int axis = 0; axis < 3; axis++) {
            int y = (axis + 1) % 3, z = (axis + 2) % 3;
            floats turn = floats_subtract(floats_multiply(floats_set(segment->direction[y]), offset[z]),
                                          floats_multiply(floats_set(segment->direction[z]), offset[y]));
            floats reach = floats_add(floats_multiply(floats_set(segment->size[y]), half[z]),
                                      floats_multiply(floats_set(segment->size[z]), half[y]));
            reach = floats_add(reach, floats_set(segment->slack));
            part &= ~floats_mask_bits(floats_greater(floats_absolute(turn), reach));
        }
        near |= (part & ((UINT32_C(1) << FLOATS) - 1)) << k * FLOATS;
    }
    return bits & near;
}

static uint64_t segment(const struct box_forest_view *forest, const struct box_segment *asked,
                        uint32_t list[BOX_LIST_ROOM], box_list_function *function, void *data)
{
    struct index_list found = {list, 0, function, data};
    struct wide_box box = wide_box_of(asked->lo, asked->hi);
    uint64_t tests = 0;
    WALK_FOREST(forest, &found, tests, packet_meets_segment(packet, asked, &box))
    end_list(&found);
    return tests;
}

/* ---- runs -------------------------------------------------------------------------------------------------------- */

/* Lanes from `at` on that meet the box, and whose common lower corner lies in the run's cell if it owns. */
static inline uint32_t run_meets(const struct box_run *run, uint32_t at, const struct wide_box *box)
{
    floats lo[3] = {floats_load_any(run->lo[0] + at), floats_load_any(run->lo[1] + at), floats_load_any(run->lo[2] + at)};
    const floats small[6] = {lo[0], box->lo[0], lo[1], box->lo[1], lo[2], box->lo[2]};
    const floats large[6] = {box->hi[0], floats_load_any(run->hi[0] + at), box->hi[1],
                             floats_load_any(run->hi[1] + at), box->hi[2], floats_load_any(run->hi[2] + at)};
    floats_mask meets = floats_less_equal6(small, large);
    for (int axis = 0; axis < 3 && run->owned; axis++) {
        floats corner = floats_most(lo[axis], box->lo[axis]);
        meets = floats_mask_and(meets, floats_less_equal(floats_set(run->cell_lo[axis]), corner));
        meets = floats_mask_and(meets, floats_less(corner, floats_set(run->cell_hi[axis])));
    }
    uint32_t left = run->count - at;
    return floats_mask_bits(meets) & (left < FLOATS ? (UINT32_C(1) << left) - 1 : UINT32_MAX);
}

/* The box at `place` of run a against those from `from` on of run b. */
static inline void join_run_from(const struct box_run *a, uint32_t place, const struct box_run *b, uint32_t from,
                                 struct pair_buffer *out)
{
    float lo[3] = {a->lo[0][place], a->lo[1][place], a->lo[2][place]};
    float hi[3] = {a->hi[0][place], a->hi[1][place], a->hi[2][place]};
    struct wide_box box = wide_box_of(lo, hi);
    for (uint32_t at = from; at < b->count; at += FLOATS) {
        uint32_t bits = run_meets(b, at, &box);
        if (bits) {
            pair_buffer_make_room(out);
            words_store_any(out->a + out->count, words_set(a->indices[place]));
            words_keep(out->b + out->count, words_load_any(b->indices + at), floats_order_of_bits(bits));
            out->count += (uint32_t)__builtin_popcount(bits);
        }
    }
    out->tests += (b->count - from + BOX_LANES - 1) / BOX_LANES;
}

static void join_run(const struct box_run *run, struct pair_buffer *out)
{
    for (uint32_t place = 0; place + 1 < run->count; place++) {
        join_run_from(run, place, run, place + 1, out);
    }
}

static void join_runs(const struct box_run *a, const struct box_run *b, struct pair_buffer *out)
{
    for (uint32_t place = 0; place < a->count; place++) {
        join_run_from(a, place, b, 0, out);
    }
}

static uint32_t scan_run(const struct box_run *run, const float lo[3], const float hi[3], uint32_t *list)
{
    struct wide_box box = wide_box_of(lo, hi);
    uint32_t count = 0;
    for (uint32_t at = 0; at < run->count; at += FLOATS) {
        uint32_t bits = run_meets(run, at, &box);
        words_keep(list + count, words_load_any(run->indices + at), floats_order_of_bits(bits));
        count += (uint32_t)__builtin_popcount(bits);
    }
    return count;
}

#define BOX_KERNELS_ROW                                                                                                \
    {                                                                                                                  \
        .fill = packet_fill, .bounds = packet_bounds, .join = join, .window = window, .segment = segment,              \
        .join_run = join_run, .join_runs = join_runs, .scan_run = scan_run                                             \
    }

#endif
