/* Parts of the graph and sides of the normals. A normal estimated from points has no side. Sides are carried along a
 * minimum spanning tree of the graph, weight 1 - |n_i . n_j| (Hoppe et al. 1992): over flat pieces first, over creases
 * last. The highest point of each part has its normal upwards.
 *
 * The tree is found by Borůvka's rounds: every part chooses its lightest edge to another one. Slots whose neighbours all
 * belong to their own part drop out, so later rounds look at borders only. Equal weights are ordered by slots: the tree
 * does not depend on the threads. Instead of the tree itself each slot keeps one bit, its side relative to its parent in
 * a union-find. */
#include "clouds/cloud_data.h"

#include "base/containers/union_find.h"

struct orientation {
    dent_cloud *cloud;
    uint32_t *parent; /* union-find; roots are the smallest slots */
    uint8_t *flipped; /* relative to the parent */
    uint32_t *active, active_count;
    uint32_t *chosen; /* of an active slot: the other end of its lightest edge out of its part, or UINT32_MAX */
    uint32_t *best;   /* of a part: the slot with the lightest edge, or UINT32_MAX */
};

static double edge_weight(const dent_cloud *cloud, uint32_t a, uint32_t b)
{
    return 1.0 - fabs(cloud_dot_product(cloud->normal[a], cloud->normal[b]));
}

/* Is edge a-b before edge c-d? A total order. */
static bool edge_before(const dent_cloud *cloud, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    double first = edge_weight(cloud, a, b), second = edge_weight(cloud, c, d);
    uint32_t low_ab = a < b ? a : b, low_cd = c < d ? c : d;
    if (first != second) {
        return first < second;
    }
    return low_ab != low_cd ? low_ab < low_cd : (a > b ? a : b) < (c > d ? c : d);
}

static void choose_block(void *data, uint32_t block, uint32_t worker)
{
    struct orientation *work = data;
    const dent_cloud *cloud = work->cloud;
    (void)worker;
    for (uint32_t i = block * SLOTS_A_BLOCK; i < cloud_block_end(work->active_count, block); i++) {
        uint32_t slot = work->active[i], chosen = UINT32_MAX;
        double lightest = INFINITY;
        for (uint64_t e = cloud->first[slot]; e < cloud->first[slot + 1]; e++) {
            uint32_t other = cloud->edges[e];
            if (cloud->part[other] != cloud->part[slot]) {
                double weight = edge_weight(cloud, slot, other);
                if (weight < lightest || (weight == lightest && edge_before(cloud, slot, other, slot, chosen))) {
                    lightest = weight;
                    chosen = other;
                }
            }
        }
        work->chosen[i] = chosen;
    }
}

/* The root; paths become shorter. */
static uint32_t find_root(struct orientation *work, uint32_t slot, uint32_t *flipped)
{
    *flipped = 0;
    while (work->parent[slot] != slot) {
        uint32_t above = work->parent[slot];
        work->flipped[slot] ^= work->flipped[above]; /* 0 at roots */
        work->parent[slot] = work->parent[above];
        *flipped ^= work->flipped[slot];
        slot = work->parent[slot];
    }
    return slot;
}

static void join(struct orientation *work, uint32_t a, uint32_t b)
{
    uint32_t flipped_a, flipped_b, root_a = find_root(work, a, &flipped_a), root_b = find_root(work, b, &flipped_b);
    bool opposite = cloud_dot_product(work->cloud->normal[a], work->cloud->normal[b]) < 0.0;
    if (root_a != root_b) {
        uint32_t low = root_a < root_b ? root_a : root_b, high = root_a < root_b ? root_b : root_a;
        work->parent[high] = low;
        work->flipped[high] = (uint8_t)(flipped_a ^ flipped_b ^ (uint32_t)opposite);
    }
}

/* One round; false when no part has an edge to another one. */
static bool join_parts(struct orientation *work)
{
    uint32_t left = 0;
    for (uint32_t i = 0; i < work->active_count; i++) {
        work->best[work->cloud->part[work->active[i]]] = UINT32_MAX;
    }
    for (uint32_t i = 0; i < work->active_count; i++) {
        uint32_t part = work->cloud->part[work->active[i]];
        if (work->chosen[i] != UINT32_MAX) {
            work->active[left] = work->active[i];
            work->chosen[left] = work->chosen[i];
            uint32_t best = work->best[part];
            if (best == UINT32_MAX || edge_before(work->cloud, work->active[left], work->chosen[left],
                                                  work->active[best], work->chosen[best])) {
                work->best[part] = left;
            }
            left++;
        }
    }
    work->active_count = left;
    for (uint32_t i = 0; i < left; i++) { /* all of a part's slots name the same edge; only that slot's turn joins */
        uint32_t slot = work->active[i];
        if (work->best[work->cloud->part[slot]] == i) {
            join(work, slot, work->chosen[i]);
        }
    }
    for (uint32_t slot = 0; slot < work->cloud->count; slot++) {
        uint32_t flipped, root = find_root(work, slot, &flipped);
        work->cloud->part[slot] = work->parent[slot] = root;
        work->flipped[slot] = (uint8_t)flipped;
    }
    return left > 0;
}

/* Afterwards every parent is a root. */
static dent_status grow_tree(struct orientation *work)
{
    dent_cloud *cloud = work->cloud;
    do {
        dent_status status = dent_parallel_for(cloud->context, cloud_blocks(work->active_count), choose_block, work);
        if (status) {
            return status;
        }
    } while (join_parts(work));
    return DENT_OK;
}

/* Given normals have sides: parts only. */
static void join_all_edges(struct orientation *work)
{
    const dent_cloud *cloud = work->cloud;
    for (uint32_t slot = 0; slot < cloud->count; slot++) {
        for (uint64_t e = cloud->first[slot]; e < cloud->first[slot + 1]; e++) {
            if (cloud->edges[e] < slot) {
                union_find_join(work->parent, slot, cloud->edges[e]);
            }
        }
    }
    for (uint32_t slot = 0; slot < cloud->count; slot++) {
        cloud->part[slot] = work->parent[slot] = union_find_root(work->parent, slot);
    }
}

/* The highest slot of each part decides about the sides. */
static void turn_normals(struct orientation *work)
{
    dent_cloud *cloud = work->cloud;
    for (uint32_t slot = 0; slot < cloud->count; slot++) {
        work->best[slot] = slot;
    }
    for (uint32_t slot = 0; slot < cloud->count; slot++) {
        uint32_t *highest = &work->best[cloud->part[slot]];
        *highest = cloud->point[slot][2] > cloud->point[*highest][2] ? slot : *highest;
    }
    for (uint32_t part = 0; part < cloud->count; part++) {
        uint32_t highest = work->best[part];
        bool down = (cloud->normal[highest][2] < 0.0) != (work->flipped[highest] != 0);
        work->chosen[part] = down; /* of a root: turn the whole part */
    }
    for (uint32_t slot = 0; slot < cloud->count; slot++) {
        bool turn = (work->flipped[slot] != 0) != (work->chosen[cloud->part[slot]] != 0);
        for (int axis = 0; axis < 3; axis++) {
            cloud->normal[slot][axis] = turn ? -cloud->normal[slot][axis] : cloud->normal[slot][axis];
        }
    }
}

dent_status cloud_find_parts(dent_cloud *cloud, bool orient)
{
    dent_context *context = cloud->context;
    size_t count = cloud->count;
    struct orientation work = {.cloud = cloud, .active_count = cloud->count};
    work.parent = dent_allocate(context, count, 4 * sizeof *work.parent);
    work.flipped = dent_allocate(context, count, sizeof *work.flipped);
    dent_status status = work.parent && work.flipped ? DENT_OK : DENT_ERROR_OUT_OF_MEMORY;
    if (status == DENT_OK) {
        work.active = work.parent + count;
        work.chosen = work.active + count;
        work.best = work.chosen + count;
        union_find_init(work.parent, count);
        union_find_init(work.active, count);
        union_find_init(cloud->part, count);
        memset(work.flipped, 0, count);
        if (orient) {
            status = grow_tree(&work);
            turn_normals(&work);
        } else {
            join_all_edges(&work);
        }
        for (uint32_t slot = 0; slot < cloud->count; slot++) {
            cloud->info.parts += cloud->part[slot] == slot;
        }
    }
    dent_release(context, work.flipped, count, sizeof *work.flipped);
    dent_release(context, work.parent, count, 4 * sizeof *work.parent);
    return status;
}

/* ---- frames ------------------------------------------------------------------------------------------------------ */

/* n . (a - at) x (b - at) */
static double turn_around(const double normal[3], const double at[3], const double a[3], const double b[3])
{
    double p[3], q[3];
    for (int axis = 0; axis < 3; axis++) {
        p[axis] = a[axis] - at[axis];
        q[axis] = b[axis] - at[axis];
    }
    return normal[0] * (p[1] * q[2] - p[2] * q[1]) + normal[1] * (p[2] * q[0] - p[0] * q[2]) +
           normal[2] * (p[0] * q[1] - p[1] * q[0]);
}

static void frame_block(void *data, uint32_t block, uint32_t worker)
{
    dent_cloud *cloud = data;
    (void)worker;
    for (uint32_t slot = block * SLOTS_A_BLOCK; slot < cloud_block_end(cloud->count, block); slot++) {
        uint32_t first = slot, second = slot;
        double longest = 0.0, widest = 0.0;
        for (uint64_t e = cloud->first[slot]; e < cloud->first[slot + 1]; e++) {
            double length = cloud_length(cloud->point[cloud->edges[e]], cloud->point[slot]);
            first = length > longest ? cloud->edges[e] : first;
            longest = length > longest ? length : longest;
        }
        for (uint64_t e = cloud->first[slot]; e < cloud->first[slot + 1]; e++) {
            uint32_t other = cloud->edges[e];
            double turn = turn_around(cloud->normal[slot], cloud->point[slot], cloud->point[first], cloud->point[other]);
            second = fabs(turn) > fabs(widest) ? other : second;
            widest = fabs(turn) > fabs(widest) ? turn : widest;
        }
        cloud->frame[slot][0] = widest < 0.0 ? second : first;
        cloud->frame[slot][1] = widest < 0.0 ? first : second;
    }
}

dent_status cloud_choose_frames(dent_cloud *cloud)
{
    return dent_parallel_for(cloud->context, cloud_blocks(cloud->count), frame_block, cloud);
}

bool cloud_normal_is_turned(const dent_cloud *cloud, uint32_t slot)
{
    return turn_around(cloud->normal[slot], cloud->point[slot], cloud->point[cloud->frame[slot][0]],
                       cloud->point[cloud->frame[slot][1]]) < 0.0;
}
