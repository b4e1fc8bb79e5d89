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

/* Pairs of one box with the lanes of the bits, at most sixteen. */
static inline void emit(struct pair_buffer *out, uint32_t index, const uint32_t *indices, uint32_t bits)
{
    uint32_t count = keep_lanes(out->b + out->count, indices, bits);
    for (uint32_t k = 0; k < count; k += FLOATS) {
        words_store_any(out->a + out->count + k, words_set(index));
    }
    out->count += count;
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

static inline void join_with_itself(const struct box_packet *packet, const uint32_t *indices, struct pair_buffer *out)
{
    pair_buffer_make_room(out);
    for (uint32_t lane = 0; lane + 1 < BOX_LANES; lane++) {
        struct wide_box box = wide_box_of_lane(packet, lane);
        uint32_t bits = packet_meets(packet, &box) & ~((UINT32_C(2) << lane) - 1);
        if (bits) {
            emit(out, indices[lane], indices, bits);
        }
    }
    out->tests += BOX_LANES;
}

/* Each box of the bits of packet a against packet b. */
static inline void join_lanes(const struct box_packet *a, const uint32_t *indices_a, uint32_t bits_a,
                              const struct box_packet *b, const uint32_t *indices_b, struct pair_buffer *out)
{
    out->tests += (uint32_t)__builtin_popcount(bits_a);
    for (; bits_a; bits_a &= bits_a - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(bits_a);
        struct wide_box box = wide_box_of_lane(a, lane);
        uint32_t bits = packet_meets(b, &box);
        if (bits) {
            emit(out, indices_a[lane], indices_b, bits);
        }
    }
}

/* A leaf on its way through a tree. */
struct leaf_join {
    const struct box_packet *packet;
    const uint32_t *indices;
    struct wide_box bounds;
};

static inline void join_leaf(const struct box_forest_view *forest, const struct leaf_join *join,
                             const struct box_packet *node, uint32_t lane, uint32_t leaf, struct pair_buffer *out)
{
    struct wide_box bounds = wide_box_of_lane(node, lane);
    uint32_t bits_a = packet_meets(join->packet, &bounds);
    if (!bits_a) {
        return;
    }
    const struct box_packet *packet = &forest->leaves[leaf];
    const uint32_t *indices = forest->indices + (size_t)leaf * BOX_LANES;
    uint32_t bits_b = packet_meets(packet, &join->bounds);
    pair_buffer_make_room(out);
    if (__builtin_popcount(bits_b) < __builtin_popcount(bits_a)) {
        join_lanes(packet, indices, bits_b, join->packet, join->indices, out);
    } else {
        join_lanes(join->packet, join->indices, bits_a, packet, indices, out);
    }
}

/* Lanes of a node of `level` whose last leaf lies behind leaf `after` of the tree. */
static inline uint32_t lanes_behind(uint32_t level, uint32_t node, uint32_t after)
{
    uint32_t own = after >> 4 * level; /* the lane with the leaf itself, counted through the level */
    uint32_t skip = level == 0 ? own + 1 : own, first = node * BOX_LANES;
    return skip <= first ? 0xFFFF : skip - first >= BOX_LANES ? 0 : 0xFFFF & ~((UINT32_C(1) << (skip - first)) - 1);
}

static void join(const struct box_forest_view *forest, uint32_t tree_number, uint32_t leaf, struct pair_buffer *out)
{
    const struct box_tree16 *own = &forest->classes[tree_number];
    uint32_t in_tree = leaf - own->first_leaf;
    struct leaf_join state = {.packet = &forest->leaves[leaf], .indices = forest->indices + (size_t)leaf * BOX_LANES};
    state.bounds = wide_box_of_lane(&own->nodes[0][in_tree / BOX_LANES], in_tree % BOX_LANES);
    join_with_itself(state.packet, state.indices, out);
    for (uint32_t c = tree_number; c < forest->class_count; c++) {
        const struct box_tree16 *tree = &forest->classes[c];
        struct packet_walk walk;
        walk_begin(&walk, tree);
        while (walk.count > 0) {
            uint32_t level = walk.waiting[--walk.count].level, number = walk.waiting[walk.count].node;
            const struct box_packet *node = &tree->nodes[level][number];
            uint32_t bits = packet_meets(node, &state.bounds);
            bits &= c == tree_number ? lanes_behind(level, number, in_tree) : 0xFFFF;
            if (level > 0) {
                walk_push(&walk, level - 1, number * BOX_LANES, bits);
                continue;
            }
            for (; bits; bits &= bits - 1) {
                uint32_t lane = (uint32_t)__builtin_ctz(bits);
                join_leaf(forest, &state, node, lane, tree->first_leaf + number * BOX_LANES + lane, out);
            }
        }
    }
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
