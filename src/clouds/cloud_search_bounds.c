/* Which leaves of two clouds may meet: pairs of nodes are refined, the relatively deepest overlap of their covers first. A
 * decision also tries a point of either side at the first pairs of bottom nodes, and at every power of two: where
 * surfaces cross widely, it needs no draws. A pair is
 * dropped if the nodes' boxes or all spheres of their covers are apart. No surface is lost: covers contain all of it.
 * In: two clouds at their poses. Out: marked leaves. */
#include "clouds/cloud_search.h"

enum { TRIES_FIRST = 4 };

/* ---- the heap ---------------------------------------------------------------------------------------------------- */

static bool pair_before(const struct node_pair *a, const struct node_pair *b)
{
    if (a->order != b->order) {
        return a->order > b->order;
    }
    for (int side = 0; side < 2; side++) {
        if (a->level[side] != b->level[side]) {
            return a->level[side] < b->level[side];
        }
        if (a->node[side] != b->node[side]) {
            return a->node[side] < b->node[side];
        }
    }
    return false;
}

/* There is room. */
static void push_pair(struct dynamic_array *pairs, const struct node_pair *pair)
{
    array_push(pairs, pair);
    struct node_pair *heap = pairs->data;
    size_t at = pairs->count - 1;
    for (; at > 0 && pair_before(pair, &heap[(at - 1) / 2]); at = (at - 1) / 2) {
        heap[at] = heap[(at - 1) / 2];
    }
    heap[at] = *pair;
}

static struct node_pair pop_pair(struct dynamic_array *pairs)
{
    struct node_pair *heap = pairs->data, first = heap[0], last = heap[--pairs->count];
    size_t at = 0, count = pairs->count;
    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        child += child + 1 < count && pair_before(&heap[child + 1], &heap[child]);
        if (!pair_before(&heap[child], &last)) {
            break;
        }
        heap[at] = heap[child];
    }
    heap[at] = last;
    return first;
}

/* ---- apart? ------------------------------------------------------------------------------------------------------ */

/* A box along the axes of the world. */
struct world_box {
    double low[3], high[3];
};

/* Around a box of a cloud. */
static bool box_to_world(const struct search_side *side, const struct neighbour_node *node, uint32_t lane,
                         struct world_box *box)
{
    double middle[3], half[3], centre[3];
    for (int axis = 0; axis < 3; axis++) {
        middle[axis] = 0.5 * node->low[axis][lane] + 0.5 * node->high[axis][lane];
        half[axis] = 0.5 * node->high[axis][lane] - 0.5 * node->low[axis][lane];
    }
    if (!(half[0] >= 0.0)) {
        return false; /* no points */
    }
    side_to_world(side, middle, centre);
    for (int axis = 0; axis < 3; axis++) {
        const double *row = side->rotation + 3 * axis;
        double extent = (fabs(row[0]) * half[0] + fabs(row[1]) * half[1]) + fabs(row[2]) * half[2];
        extent += 1e-14 * (fabs(centre[axis]) + fabs(side->translation[axis])); /* rounding of the turn */
        box->low[axis] = centre[axis] - extent;
        box->high[axis] = centre[axis] + extent;
    }
    return true;
}

static bool node_box(const struct search_side *side, uint32_t level, uint32_t node, struct world_box *box)
{
    const struct cloud_tree *tree = &side->cloud->tree;
    if (level + 1 == tree->level_count) { /* the root has no box of its own */
        for (int axis = 0; axis < 3; axis++) {
            box->low[axis] = -INFINITY;
            box->high[axis] = INFINITY;
        }
        return true;
    }
    return box_to_world(side, &tree->levels[level + 1][node / CLOUD_LANES], node % CLOUD_LANES, box);
}

static bool boxes_apart(const struct world_box *a, const struct world_box *b, double reach)
{
    double square = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        double above = a->low[axis] - b->high[axis], below = b->low[axis] - a->high[axis];
        double gap = above > below ? above : below;
        square += gap > 0.0 ? gap * gap : 0.0;
    }
    return square > reach * reach * (1.0 + 1e-12);
}

static void cover_to_world(const struct search_side *side, uint32_t level, uint32_t node, struct cover_centres *cover)
{
    uint32_t centres[COVER_POINTS], count = cloud_cover_centres(side->cloud, level, node, centres);
    for (uint32_t i = 0; i < count; i++) {
        double world[3];
        side_to_world(side, side->cloud->point[centres[i]], world);
        for (int axis = 0; axis < 3; axis++) {
            cover->place[axis][i] = world[axis];
        }
    }
    for (cover->count = count; cover->count % CLOUD_LANES; cover->count++) { /* whole eights: repeat the last */
        for (int axis = 0; axis < 3; axis++) {
            cover->place[axis][cover->count] = cover->place[axis][cover->count - 1];
        }
    }
}

static bool pair_overlaps(dent_cloud_search *search, struct node_pair *pair)
{
    const struct cloud_cover *cover[2];
    struct world_box box[2];
    struct cover_centres centres[2];
    search->result.bound_tests++;
    search->used++;
    for (int side = 0; side < 2; side++) {
        cover[side] = &search->side[side].cloud->covers[pair->level[side]][pair->node[side]];
        if (!node_box(&search->side[side], pair->level[side], pair->node[side], &box[side])) {
            return false;
        }
    }
    if (boxes_apart(&box[0], &box[1], cover[0]->reach + cover[1]->reach)) {
        return false;
    }
    for (int side = 0; side < 2; side++) {
        cover_to_world(&search->side[side], pair->level[side], pair->node[side], &centres[side]);
    }
    double radii = cover[0]->radius + cover[1]->radius;
    double distance =
        centres[0].count && centres[1].count ? sqrt(search->kernels->covers(&centres[0], &centres[1])) : 0.0;
    pair->depth = radii - distance;
    pair->order = pair->depth / radii;
    if (!(pair->order > -1.0)) { /* both radii are 0 or infinite */
        pair->order = 0.0;
    }
    return distance <= radii * (1.0 + 1e-12) + 1e-14 * (box[0].high[0] < INFINITY ? fabs(box[0].high[0]) : 0.0);
}

/* ---- refinement -------------------------------------------------------------------------------------------------- */

static void mark_leaves(dent_cloud_search *search, const struct node_pair *pair)
{
    struct world_box box[2][CLOUD_LANES];
    bool used[2][CLOUD_LANES];
    double reach = 0.0;
    for (int side = 0; side < 2; side++) {
        const struct cloud_tree *tree = &search->side[side].cloud->tree;
        reach += search->side[side].cloud->covers[0][pair->node[side]].reach;
        for (uint32_t lane = 0; lane < CLOUD_LANES; lane++) {
            used[side][lane] =
                box_to_world(&search->side[side], &tree->levels[0][pair->node[side]], lane, &box[side][lane]);
        }
    }
    for (uint32_t a = 0; a < CLOUD_LANES; a++) {
        for (uint32_t b = 0; b < CLOUD_LANES; b++) {
            if (used[0][a] && used[1][b] && !boxes_apart(&box[0][a], &box[1][b], reach)) {
                search->side[0].near[pair->node[0] * CLOUD_LANES + a] = 1;
                search->side[1].near[pair->node[1] * CLOUD_LANES + b] = 1;
            }
        }
    }
    search->used += 8;
}

/* A point in the middle of the first marked leaf of each side. False: no memory. */
static bool try_pair(dent_cloud_search *search, const struct node_pair *pair)
{
    uint64_t number = ++search->bottom_pairs;
    bool is_turn = number <= TRIES_FIRST || (number & (number - 1)) == 0, is_kept = true;
    for (int side = 0; side < 2 && is_turn && search->def.first_only && is_kept && !search->points.count; side++) {
        const struct search_side *own = &search->side[side];
        uint32_t leaf = pair->node[side] * CLOUD_LANES, end = leaf + CLOUD_LANES;
        while (leaf < end && leaf < own->cloud->tree.leaf_count && !own->near[leaf]) {
            leaf++;
        }
        uint32_t slot = leaf * CLOUD_LANES + CLOUD_LANES / 2;
        if (leaf < end && slot < own->cloud->count && cloud_degree(own->cloud, slot) > 0) {
            search->result.draws++;
            is_kept = search_try_point(search, side, slot);
        }
    }
    return is_kept;
}

/* The side whose node is opened: the larger cover that is not at the bottom; -1: both are. */
static int side_to_open(const dent_cloud_search *search, const struct node_pair *pair)
{
    double radius[2];
    for (int side = 0; side < 2; side++) {
        radius[side] = search->side[side].cloud->covers[pair->level[side]][pair->node[side]].radius;
    }
    if (pair->level[0] == 0 || pair->level[1] == 0) {
        return pair->level[0] > 0 ? 0 : pair->level[1] > 0 ? 1 : -1;
    }
    return radius[1] > radius[0];
}

bool search_pairs_begin(dent_cloud_search *search)
{
    struct node_pair root = {0};
    array_clear(&search->pairs);
    if (!array_reserve_growing(&search->pairs, 64)) {
        return false;
    }
    for (int side = 0; side < 2; side++) {
        memset(search->side[side].near, 0, search->side[side].cloud->tree.leaf_count);
        root.level[side] = search->side[side].cloud->tree.level_count - 1;
    }
    if (pair_overlaps(search, &root)) {
        push_pair(&search->pairs, &root);
    }
    return true;
}

bool search_split(dent_cloud_search *search)
{
    if (!array_reserve_growing(&search->pairs, search->pairs.count + CLOUD_LANES)) {
        return false;
    }
    struct node_pair pair = pop_pair(&search->pairs);
    int open = side_to_open(search, &pair);
    search->result.splits++;
    if (open < 0) {
        mark_leaves(search, &pair);
        return try_pair(search, &pair);
    }
    const struct cloud_tree *tree = &search->side[open].cloud->tree;
    for (uint32_t lane = 0; lane < CLOUD_LANES; lane++) {
        struct node_pair child = pair;
        child.level[open] = pair.level[open] - 1;
        child.node[open] = pair.node[open] * CLOUD_LANES + lane;
        if (child.node[open] < tree->node_counts[child.level[open]] && pair_overlaps(search, &child)) {
            push_pair(&search->pairs, &child);
        }
    }
    return true;
}
