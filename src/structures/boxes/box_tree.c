/* Builds and walks the tree of boxes described in box_tree.h.
 *
 * In: positions and corner lists. Out: items in Morton order with the boxes of all heap nodes. The curve only decides
 * which items share a leaf, hence how fast a walk is; what a walk finds depends on the boxes alone.
 */
#include "structures/boxes/box_tree.h"

#include "base/radix_sort.h"
#include "base/containers/morton_code.h"

enum { ITEMS_PER_LEAF = 4, CURVE_BITS = 20 };

/* Where the centre of the box lies on the curve through `bounds`. Halves first, so that no sum or difference overflows.
 */
static uint64_t curve_slot(const struct box *box, const struct box *bounds)
{
    uint32_t index[3];
    for (int axis = 0; axis < 3; axis++) {
        double extent = 0.5 * bounds->hi[axis] - 0.5 * bounds->lo[axis];
        double offset = (0.25 * box->lo[axis] + 0.25 * box->hi[axis]) - 0.5 * bounds->lo[axis];
        double fraction = extent > 0 ? offset / extent : 0;
        fraction = fraction > 0 ? fraction : 0;
        fraction = fraction < 1 ? fraction : 1;
        index[axis] = (uint32_t)(fraction * ((1 << CURVE_BITS) - 1));
    }
    return morton_code(index);
}

/* Sorts the items along the curve; *tree->items is the order. The boxes by item number are given. */
static bool sort_items(struct box_tree *tree, struct arena *arena, const struct box *boxes)
{
    size_t n = tree->item_count;
    struct arena_mark mark = arena_mark(arena);
    uint64_t *keys = arena_allocate(arena, n, sizeof *keys);
    uint64_t *key_scratch = arena_allocate(arena, n, sizeof *key_scratch);
    uint32_t *item_scratch = arena_allocate(arena, n, sizeof *item_scratch);
    if (!keys || !key_scratch || !item_scratch) {
        return false;
    }
    struct box bounds = boxes[0];
    for (size_t i = 1; i < n; i++) {
        bounds_add(bounds.lo, bounds.hi, boxes[i].lo, boxes[i].hi);
    }
    for (size_t i = 0; i < n; i++) {
        keys[i] = curve_slot(&boxes[i], &bounds);
        tree->items[i] = (uint32_t)i;
    }
    radix_sort_u64(keys, tree->items, key_scratch, item_scratch, n);
    arena_rewind(arena, mark);
    return true;
}

static void fill_nodes(struct box_tree *tree)
{
    for (uint32_t leaf = 0; leaf < tree->leaf_count; leaf++) {
        uint32_t end = box_tree_leaf_start(tree, leaf + 1);
        uint32_t slot = box_tree_leaf_start(tree, leaf);
        struct box box = tree->item_boxes[slot]; /* no leaf is empty: there are at most as many as items */
        while (++slot < end) {
            bounds_add(box.lo, box.hi, tree->item_boxes[slot].lo, tree->item_boxes[slot].hi);
        }
        tree->nodes[tree->leaf_count + leaf] = box;
    }
    for (uint32_t node = tree->leaf_count - 1; node >= 1; node--) {
        tree->nodes[node] = tree->nodes[2 * node];
        bounds_add(tree->nodes[node].lo, tree->nodes[node].hi, tree->nodes[2 * node + 1].lo,
                   tree->nodes[2 * node + 1].hi);
    }
}

bool box_tree_build(struct box_tree *tree, struct arena *arena, const double (*xyz)[3], const void *corners,
                    uint32_t corner_count, size_t stride, uint32_t item_count, bool exhaustive)
{
    *tree = (struct box_tree){.item_count = item_count, .exhaustive = exhaustive};
    if (item_count == 0) {
        return true;
    }
    tree->leaf_count = 1;
    while ((uint64_t)tree->leaf_count * 2 * ITEMS_PER_LEAF <= item_count) {
        tree->leaf_count *= 2;
    }
    tree->items = arena_allocate(arena, item_count, sizeof *tree->items);
    tree->item_boxes = arena_allocate(arena, item_count, sizeof *tree->item_boxes);
    tree->nodes = arena_allocate(arena, 2 * (size_t)tree->leaf_count, sizeof *tree->nodes);
    if (!tree->items || !tree->item_boxes || !tree->nodes) {
        return false;
    }
    struct arena_mark mark = arena_mark(arena);
    struct box *boxes = arena_allocate(arena, item_count, sizeof *boxes);
    if (!boxes) {
        return false;
    }
    for (uint32_t i = 0; i < item_count; i++) {
        box_around(&boxes[i], xyz, (const uint32_t *)(const void *)((const char *)corners + i * stride), corner_count);
    }
    if (!sort_items(tree, arena, boxes)) {
        return false;
    }
    for (uint32_t slot = 0; slot < item_count; slot++) {
        tree->item_boxes[slot] = boxes[tree->items[slot]];
    }
    arena_rewind(arena, mark);
    fill_nodes(tree);
    return true;
}

void box_walk_begin(struct box_walk *walk, const struct box_tree *tree, const struct box *box)
{
    walk->tree = tree;
    walk->box = *box;
    walk->depth = 0;
    walk->slot = walk->slot_end = 0;
    walk->box_tests = 0;
    if (tree->item_count == 0) {
        return;
    }
    if (tree->exhaustive) {
        walk->slot_end = tree->item_count;
    } else {
        walk->stack[walk->depth++] = 1;
    }
}

/* Goes down to the next leaf whose box is met; false when there is none left. */
static bool next_leaf(struct box_walk *walk)
{
    const struct box_tree *tree = walk->tree;
    while (walk->depth > 0) {
        uint32_t node = walk->stack[--walk->depth];
        walk->box_tests++;
        if (!boxes_meet(&tree->nodes[node], &walk->box)) {
            continue;
        }
        if (node >= tree->leaf_count) {
            uint32_t leaf = node - tree->leaf_count;
            walk->slot = box_tree_leaf_start(tree, leaf);
            walk->slot_end = box_tree_leaf_start(tree, leaf + 1);
            return true;
        }
        walk->stack[walk->depth++] = 2 * node + 1;
        walk->stack[walk->depth++] = 2 * node;
    }
    return false;
}

bool box_walk_next(struct box_walk *walk, uint32_t *item)
{
    const struct box_tree *tree = walk->tree;
    for (;;) {
        while (walk->slot < walk->slot_end) {
            uint32_t slot = walk->slot++;
            walk->box_tests++;
            if (tree->exhaustive || boxes_meet(&tree->item_boxes[slot], &walk->box)) {
                *item = tree->items[slot];
                return true;
            }
        }
        if (!next_leaf(walk)) {
            return false;
        }
    }
}
