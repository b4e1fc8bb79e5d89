/* Pairs of bodies by sort and sweep; of few bodies, where sorting costs more, all against all. See body_pairs.h. */
#include "structures/clusters/kernels/cluster_kernels.h"
#include "structures/boxes/scan_boxes.h"
#include "structures/boxes/body_pairs.h"

#include <math.h>

#include "base/radix_sort.h"

void body_pairs_init(struct body_pairs *pairs, dent_context *context)
{
    *pairs = (struct body_pairs){0};
    array_init(&pairs->found, context, sizeof(struct body_pair));
    block_output_init(&pairs->blocks, context, sizeof(struct body_pair));
    array_init(&pairs->first_storage, context, sizeof *pairs->first);
    array_init(&pairs->partner_storage, context, sizeof *pairs->partners);
}

void body_pairs_destroy(struct body_pairs *pairs)
{
    array_destroy(&pairs->found);
    block_output_destroy(&pairs->blocks);
    array_destroy(&pairs->first_storage);
    array_destroy(&pairs->partner_storage);
}

/* The axis along which the boxes cover the least of their common extent. */
static int choose_axis(const struct cluster_box *boxes, uint32_t count)
{
    float lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    double sum[3] = {0, 0, 0}, best_cover = INFINITY;
    for (uint32_t i = 0; i < count; i++) {
        const struct cluster_box *box = &boxes[i];
        for (int axis = 0; axis < 3 && box->lo[0] <= box->hi[0]; axis++) {
            lo[axis] = box->lo[axis] < lo[axis] ? box->lo[axis] : lo[axis];
            hi[axis] = box->hi[axis] > hi[axis] ? box->hi[axis] : hi[axis];
            sum[axis] += (double)box->hi[axis] - (double)box->lo[axis];
        }
    }
    int best = 0;
    for (int axis = 0; axis < 3; axis++) {
        double extent = (double)hi[axis] - (double)lo[axis];
        double cover = extent > 0 ? sum[axis] / extent : INFINITY;
        if (cover < best_cover) {
            best_cover = cover;
            best = axis;
        }
    }
    return best;
}

struct columns {
    float *lo[3], *hi[3]; /* [0]: the axis of the sweep */
    uint64_t *keys;
    uint32_t *order;
};

static bool allocate_columns(struct columns *columns, uint32_t count, struct arena *scratch)
{
    bool enough = true;
    for (int k = 0; k < 3; k++) {
        columns->lo[k] = arena_allocate(scratch, count, sizeof(float));
        columns->hi[k] = arena_allocate(scratch, count, sizeof(float));
        enough = enough && columns->lo[k] && columns->hi[k];
    }
    columns->keys = arena_allocate(scratch, count, 2 * sizeof *columns->keys);
    columns->order = arena_allocate(scratch, count, 2 * sizeof *columns->order);
    return enough && columns->keys && columns->order;
}

/* Sorts the boxes that are not empty; returns how many. */
static uint32_t sort_boxes(struct columns *columns, const struct cluster_box *boxes, uint32_t count)
{
    int axis = choose_axis(boxes, count);
    uint32_t used = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (boxes[i].lo[0] <= boxes[i].hi[0]) {
            columns->keys[used] = radix_key_of_float(boxes[i].lo[axis]);
            columns->order[used++] = i;
        }
    }
    radix_sort_u64(columns->keys, columns->order, columns->keys + count, columns->order + count, used);
    for (uint32_t slot = 0; slot < used; slot++) {
        for (int k = 0; k < 3; k++) {
            columns->lo[k][slot] = boxes[columns->order[slot]].lo[(axis + k) % 3];
            columns->hi[k][slot] = boxes[columns->order[slot]].hi[(axis + k) % 3];
        }
    }
    return used;
}

/* A scan looks at so many boxes at once that what it finds fits the stack of any worker: with many bodies and many
 * workers, room for the longest scan of each would take more than all the rest. */
enum { SCAN_BOXES = 512, HITS_MORE = 16 }; /* room a scan needs beyond what it finds */

struct scan {
    const struct columns *columns;
    dent_isa isa;
    uint32_t slot;      /* of the box whose partners are wanted */
    uint32_t next, end; /* those left to look at */
    uint32_t hits[SCAN_BOXES + HITS_MORE];
};

/* The boxes behind one in the order of the sweep, as far as they begin before it ends. */
static void scan_begin(struct scan *scan, uint32_t slot, uint32_t used)
{
    const struct columns *columns = scan->columns;
    scan->slot = slot;
    scan->next = scan->end = slot + 1;
    while (scan->end < used && columns->lo[0][scan->end] <= columns->hi[0][slot]) {
        scan->end++;
    }
}

/* The next of them that meet it: how many are in `hits`. Over when `next` is `end`. */
static uint32_t scan_some(struct scan *scan)
{
    const struct columns *columns = scan->columns;
    const struct box_columns others = {columns->lo[1], columns->hi[1], columns->lo[2], columns->hi[2]};
    struct box_window window = {columns->lo[1][scan->slot], columns->hi[1][scan->slot], columns->lo[2][scan->slot],
                                columns->hi[2][scan->slot]};
    uint32_t first = scan->next;
    scan->next = scan->end - first > SCAN_BOXES ? first + SCAN_BOXES : scan->end;
    return scan_boxes_for(scan->isa)(&others, first, scan->next, &window, scan->hits);
}

static bool sweep_alone(struct body_pairs *pairs, const struct columns *columns, uint32_t used, dent_isa isa)
{
    struct scan scan;
    scan.columns = columns;
    scan.isa = isa;
    for (uint32_t slot = 0; slot < used; slot++) {
        for (scan_begin(&scan, slot, used); scan.next < scan.end;) {
            uint32_t hits = scan_some(&scan);
            struct body_pair *room = hits ? array_extend(&pairs->found, hits) : NULL;
            if (hits && !room) {
                return false;
            }
            for (uint32_t i = 0; i < hits; i++) {
                room[i] = (struct body_pair){columns->order[slot], columns->order[scan.hits[i]]};
            }
        }
    }
    return true;
}

struct sweep_loop {
    struct body_pairs *pairs;
    const struct columns *columns;
    uint32_t used;
    dent_isa isa;
};

enum { SWEEP_BLOCK = 128 };

static void sweep_block(void *data, uint32_t block, uint32_t worker)
{
    (void)worker;
    const struct sweep_loop *loop = data;
    const uint32_t *order = loop->columns->order;
    struct scan scan;
    scan.columns = loop->columns;
    scan.isa = loop->isa;
    uint32_t first = block * SWEEP_BLOCK;
    for (uint32_t slot = first; slot < loop->used && slot - first < SWEEP_BLOCK; slot++) {
        for (scan_begin(&scan, slot, loop->used); scan.next < scan.end;) {
            uint32_t count = scan_some(&scan);
            for (uint32_t i = 0; i < count; i++) {
                struct body_pair pair = {order[slot], order[scan.hits[i]]};
                block_output_append(&loop->pairs->blocks, block, &pair, 1);
            }
        }
    }
}

static bool sweep(struct body_pairs *pairs, const struct columns *columns, uint32_t used, dent_isa isa)
{
    dent_context *context = pairs->found.context;
    if (dent_context_worker_count(context) == 1) {
        return sweep_alone(pairs, columns, used, isa);
    }
    struct sweep_loop loop = {pairs, columns, used, isa};
    uint32_t blocks = used / SWEEP_BLOCK + (used % SWEEP_BLOCK != 0);
    if (!block_output_begin(&pairs->blocks, blocks)) {
        return false;
    }
    dent_parallel_for(context, blocks, sweep_block, &loop);
    return block_output_merge(&pairs->blocks, &pairs->found);
}

/* Below this all against all, sixteen at a time, is faster than sorting. */
enum { FEW_BOXES = 192 };

static bool compare_all(struct body_pairs *pairs, const struct cluster_box *boxes, uint32_t count,
                        const struct cluster_kernels *kernels)
{
    struct box_group groups[FEW_BOXES / PIECE_CLUSTERS];
    uint32_t group_count = (count + PIECE_CLUSTERS - 1) / PIECE_CLUSTERS;
    for (uint32_t i = 0; i < group_count * PIECE_CLUSTERS; i++) {
        struct box_group *into = &groups[i / PIECE_CLUSTERS];
        for (int axis = 0; axis < 3; axis++) { /* places behind the last are empty */
            into->lo[axis][i % PIECE_CLUSTERS] = i < count ? boxes[i].lo[axis] : INFINITY;
            into->hi[axis][i % PIECE_CLUSTERS] = i < count ? boxes[i].hi[axis] : -INFINITY;
        }
    }
    struct body_pair *room = count > 1 ? array_extend(&pairs->found, (size_t)count * (count - 1) / 2) : NULL;
    if (count > 1 && !room) {
        return false;
    }
    size_t found = 0;
    for (uint32_t a = 0; a < count; a++) {
        uint32_t first = a / PIECE_CLUSTERS;
        uint32_t before = UINT32_MAX << a % PIECE_CLUSTERS << 1; /* only those behind a */
        for (uint32_t g = first; g < group_count; g++) {
            uint32_t met = kernels->meet(&groups[g], &boxes[a]) & (g == first ? before : UINT32_MAX);
            for (; met; met &= met - 1) {
                room[found++] = (struct body_pair){a, g * PIECE_CLUSTERS + (uint32_t)__builtin_ctz(met)};
            }
        }
    }
    pairs->found.count = found;
    return true;
}

static bool sort_and_sweep(struct body_pairs *pairs, const struct cluster_box *boxes, uint32_t count, dent_isa isa,
                           struct arena *scratch)
{
    struct columns columns;
    return allocate_columns(&columns, count, scratch) &&
           sweep(pairs, &columns, sort_boxes(&columns, boxes, count), isa);
}

static void group(struct body_pairs *pairs, uint32_t count)
{
    const struct body_pair *found = pairs->found.data;
    memset(pairs->first, 0, ((size_t)count + 1) * sizeof *pairs->first);
    for (size_t i = 0; i < pairs->found.count; i++) {
        pairs->first[found[i].a]++;
        pairs->first[found[i].b]++;
    }
    uint32_t end = 0;
    for (uint32_t i = 0; i <= count; i++) {
        end += pairs->first[i];
        pairs->first[i] = end;
    }
    for (size_t i = pairs->found.count; i-- > 0;) {
        pairs->partners[--pairs->first[found[i].a]] = found[i].b;
        pairs->partners[--pairs->first[found[i].b]] = found[i].a;
    }
}

bool body_pairs_find(struct body_pairs *pairs, const struct cluster_box *boxes, uint32_t count, dent_isa isa,
                     struct arena *scratch)
{
    array_clear(&pairs->found);
    array_clear(&pairs->first_storage);
    array_clear(&pairs->partner_storage);
    pairs->first = array_extend(&pairs->first_storage, (size_t)count + 1);
    struct arena_mark mark = arena_mark(scratch);
    bool done = pairs->first && (count <= FEW_BOXES ? compare_all(pairs, boxes, count, cluster_kernels_for(isa))
                                                    : sort_and_sweep(pairs, boxes, count, isa, scratch));
    arena_rewind(scratch, mark);
    pairs->partners = done ? array_extend(&pairs->partner_storage, 2 * pairs->found.count) : NULL;
    if (!pairs->partners || pairs->found.count > UINT32_MAX / 2) {
        return false;
    }
    group(pairs, count);
    return true;
}
