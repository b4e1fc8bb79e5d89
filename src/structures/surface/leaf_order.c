/* Two ways to order leaves. Blocks made while regions merge: exact and straight on regular meshes. Top-down by
 * coordinates along the mesh: for irregular ones, where merging leaves odd numbers everywhere. See leaf_order.h.
 */
#include "structures/surface/leaf_order.h"

#include "geometry/numbers/bounds.h"
#include "structures/boxes/mesh_coordinates.h"
#include "structures/surface/region_split.h"

#include <math.h>
#include <string.h>

#define NONE NONE_LEFT

/* Adds a chain of blocks to the end of a region's chain of the same size. */
static void append_chain(struct merging *merging, struct leaf_blocks *blocks, int level, uint32_t first, uint32_t last,
                         uint32_t count)
{
    if (blocks->of[level].count == 0) {
        blocks->of[level].first = first;
    } else {
        merging->next[blocks->of[level].last] = first;
    }
    blocks->of[level].last = last;
    blocks->of[level].count += count;
}

/* Sixteen blocks become one of the next size. Finding the end costs as many steps as the new block has leaves. */
static void promote_blocks(struct merging *merging, struct leaf_blocks *blocks, int level)
{
    uint32_t first = blocks->of[level].first, last = first;
    for (uint64_t steps = (UINT64_C(1) << 4 * (level + 1)) - 1; steps > 0; steps--) {
        last = merging->next[last];
    }
    blocks->of[level].count -= BLOCK_ARITY;
    blocks->of[level].first = merging->next[last];
    append_chain(merging, blocks, level + 1, first, last, 1);
}

void leaf_blocks_join(struct merging *merging, struct leaf_blocks *blocks, const struct leaf_blocks *other)
{
    for (int level = 0; level < BLOCK_LEVELS; level++) {
        if (other->of[level].count > 0) {
            append_chain(merging, blocks, level, other->of[level].first, other->of[level].last, other->of[level].count);
        }
        if (level == 0 && blocks->of[0].count >= BLOCK_ARITY) {
            merging->whole_blocks += blocks->of[0].count == BLOCK_ARITY;
            merging->mixed_blocks += blocks->of[0].count > BLOCK_ARITY;
        }
        while (level + 1 < BLOCK_LEVELS && blocks->of[level].count >= BLOCK_ARITY) {
            promote_blocks(merging, blocks, level);
        }
    }
}

bool leaf_order_begin(struct merging *merging, struct leaf_graph *graph, struct arena *arena)
{
    *graph = (struct leaf_graph){.leaf_count = merging->count, .border_count = merging->border_count};
    graph->leaf_start = arena_allocate(arena, (size_t)merging->count + 1, sizeof *graph->leaf_start);
    graph->leaf_faces = arena_allocate(arena, merging->body->surface_face_count, sizeof *graph->leaf_faces);
    graph->borders = arena_allocate(arena, merging->border_count, sizeof *graph->borders);
    merging->next_regions =
        arena_allocate(arena, merging->count, sizeof *merging->next_regions); /* members come in any order now */
    merging->blocks = arena_allocate_cleared(arena, merging->count, sizeof *merging->blocks);
    merging->next_blocks = arena_allocate(arena, merging->count, sizeof *merging->blocks);
    if (!graph->leaf_start || !graph->leaf_faces || !graph->borders || !merging->next_regions || !merging->blocks ||
        !merging->next_blocks) {
        return false;
    }
    uint32_t placed = 0;
    for (uint32_t leaf = 0; leaf < merging->count; leaf++) {
        graph->leaf_start[leaf] = placed;
        for (uint32_t face = merging->regions[leaf].first; face != NONE; face = merging->next[face]) {
            graph->leaf_faces[placed++] = face;
        }
        merging->blocks[leaf].of[0].first = merging->blocks[leaf].of[0].last = leaf;
        merging->blocks[leaf].of[0].count = 1;
    }
    graph->leaf_start[merging->count] = placed;
    if (merging->border_count > 0) {
        memcpy(graph->borders, merging->borders, merging->border_count * sizeof *graph->borders);
    }
    memset(merging->next, 0xFF, merging->count * sizeof *merging->next);
    merging->limited = false;
    return true;
}

/* One chain of all leaves of a region, large blocks first. */
static void chain_blocks(struct merging *merging, uint32_t id)
{
    struct leaf_blocks *blocks = &merging->blocks[id];
    struct region *region = &merging->regions[id];
    region->first = NONE;
    for (int level = BLOCK_LEVELS - 1; level >= 0; level--) {
        if (blocks->of[level].count == 0) {
            continue;
        }
        if (region->first == NONE) {
            region->first = blocks->of[level].first;
        } else {
            merging->next[region->last] = blocks->of[level].first;
        }
        region->last = blocks->of[level].last;
    }
    merging->next[region->last] = NONE;
}

/* Mean of the coordinates of the corners. */
static struct split_item leaf_item(const struct body *body, const struct mesh_coordinates *coordinates, uint32_t leaf,
                                   const uint32_t *leaf_start, const uint32_t *leaf_faces)
{
    struct split_item item = {{0, 0, 0}, leaf};
    uint32_t corners = 3 * (leaf_start[leaf + 1] - leaf_start[leaf]);
    for (uint32_t i = 0; i < corners; i++) {
        uint32_t vertex = body->surface_faces[leaf_faces[leaf_start[leaf] + i / 3]].corners[i % 3];
        for (int axis = 0; axis < 3; axis++) {
            item.centre[axis] += (double)coordinates->at[vertex][axis];
        }
    }
    for (int axis = 0; axis < 3; axis++) {
        item.centre[axis] /= corners;
    }
    return item;
}

struct extent {
    double lo[3], hi[3];
};

static const struct extent nowhere = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

static struct extent leaf_extent(const struct merging *merging, const struct leaf_graph *graph, uint32_t leaf)
{
    struct extent extent = nowhere;
    for (uint32_t i = 3 * graph->leaf_start[leaf]; i < 3 * graph->leaf_start[leaf + 1]; i++) {
        double p[3];
        scaled_point(merging, merging->body->surface_faces[graph->leaf_faces[i / 3]].corners[i % 3], p);
        bounds_add_point(extent.lo, extent.hi, p);
    }
    return extent;
}

/* What the boxes of blocks of 16 and of 256 leaves add up to when leaves are chained like this. */
static double extent_of_order(const struct merging *merging, const struct leaf_graph *graph, const uint32_t *next,
                              const uint32_t *first_of_piece)
{
    struct extent blocks[2] = {nowhere, nowhere};
    uint32_t slot = 0;
    double sum = 0;
    for (uint32_t piece = 0; piece < merging->count; piece++) {
        for (uint32_t leaf = first_of_piece[piece]; leaf != NONE; leaf = next[leaf]) {
            struct extent extent = leaf_extent(merging, graph, leaf);
            slot++;
            for (int level = 0; level < 2; level++) {
                bounds_add(blocks[level].lo, blocks[level].hi, extent.lo, extent.hi);
                if (slot % (level ? BLOCK_ARITY * BLOCK_ARITY : BLOCK_ARITY) == 0 || slot == graph->leaf_count) {
                    for (int axis = 0; axis < 3; axis++) {
                        sum += blocks[level].hi[axis] - blocks[level].lo[axis];
                    }
                    blocks[level] = nowhere;
                }
            }
        }
    }
    return sum;
}

/* On irregular meshes few blocks are whole regions. Then the leaves of every piece are ordered top-down too, by
 * coordinates along the mesh, and the better order is kept. */
static bool order_along_mesh(struct merging *merging, const struct leaf_graph *graph, struct arena *arena)
{
    struct mesh_coordinates coordinates;
    struct split_item *items = arena_allocate(arena, graph->leaf_count, sizeof *items);
    uint32_t *next = arena_allocate(arena, graph->leaf_count, sizeof *next);
    uint32_t *first = arena_allocate(arena, merging->count, 2 * sizeof *first), *old_first = first + merging->count;
    if (!items || !next || !first || !mesh_coordinates_find(&coordinates, merging->body, arena)) {
        return false;
    }
    for (uint32_t piece = 0; piece < merging->count; piece++) {
        uint32_t count = 0;
        old_first[piece] = merging->regions[piece].first;
        for (uint32_t leaf = old_first[piece]; leaf != NONE; leaf = merging->next[leaf]) {
            items[count++] = leaf_item(merging->body, &coordinates, leaf, graph->leaf_start, graph->leaf_faces);
        }
        region_split_aligned(items, count);
        first[piece] = items[0].id;
        for (uint32_t i = 0; i < count; i++) {
            next[items[i].id] = i + 1 < count ? items[i + 1].id : NONE;
        }
    }
    if (extent_of_order(merging, graph, next, first) < extent_of_order(merging, graph, merging->next, old_first)) {
        merging->next = next;
        for (uint32_t piece = 0; piece < merging->count; piece++) {
            merging->regions[piece].first = first[piece];
        }
    }
    return true;
}

bool leaf_order_finish(struct merging *merging, const struct leaf_graph *graph, struct arena *arena)
{
    for (uint32_t piece = 0; piece < merging->count; piece++) {
        chain_blocks(merging, piece);
    }
    return merging->whole_blocks >= merging->mixed_blocks || order_along_mesh(merging, graph, arena);
}
