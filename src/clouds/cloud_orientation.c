/* Parts of the graph and sides of the normals. A normal estimated from points has no side. Sides are carried along a
 * minimum spanning tree of the graph, weight 1 - |n_i . n_j| (Hoppe et al. 1992): over flat pieces first, over creases
 * last. The highest point of each part has its normal upwards.
 *
 * The tree is grown by Prim's method. Weights are sorted into WEIGHTS buckets of equal steps of the angle, so the next
 * slot is found in constant time; within a bucket the last one in comes first. The tree grows on one thread; weights
 * are found before, in parallel. The other threads fill leaves and covers meanwhile, which need no sides. */
#include "clouds/cloud_data.h"

#include "base/containers/union_find.h"

enum { WEIGHTS = 256, NOT_WAITING = WEIGHTS, DONE = 0, FRAME_EDGES = 8 }; /* nothing is lighter than DONE */

/* Slots that wait to be joined, each in the bucket of its lightest edge to the tree so far. */
struct tree_growth {
    dent_cloud *cloud;
    uint32_t head[WEIGHTS]; /* first of a bucket, or UINT32_MAX */
    uint32_t *next, *previous;
    uint32_t *from;   /* the other end of the lightest edge */
    uint16_t *bucket; /* where a slot waits; NOT_WAITING, DONE */
    uint8_t *weights; /* of the edges: their buckets */
    uint32_t lowest;  /* no bucket below holds anything */
};

static void leave_bucket(struct tree_growth *growth, uint32_t slot)
{
    uint32_t before = growth->previous[slot], behind = growth->next[slot];
    if (before == UINT32_MAX) {
        growth->head[growth->bucket[slot]] = behind;
    } else {
        growth->next[before] = behind;
    }
    if (behind != UINT32_MAX) {
        growth->previous[behind] = before;
    }
}

static void enter_bucket(struct tree_growth *growth, uint32_t slot, uint32_t bucket, uint32_t from)
{
    if (growth->bucket[slot] < WEIGHTS) {
        leave_bucket(growth, slot);
    }
    growth->bucket[slot] = (uint16_t)bucket;
    growth->from[slot] = from;
    growth->previous[slot] = UINT32_MAX;
    growth->next[slot] = growth->head[bucket];
    if (growth->head[bucket] != UINT32_MAX) {
        growth->previous[growth->head[bucket]] = slot;
    }
    growth->head[bucket] = slot;
    growth->lowest = bucket < growth->lowest ? bucket : growth->lowest;
}

static void weight_block(void *data, uint32_t block, uint32_t worker)
{
    const struct tree_growth *growth = data;
    const dent_cloud *cloud = growth->cloud;
    (void)worker;
    for (uint32_t slot = block * SLOTS_A_BLOCK; slot < cloud_block_end(cloud->count, block); slot++) {
        const double *normal = cloud->normal[slot];
        for (uint64_t e = cloud->first[slot]; e < cloud->first[slot + 1]; e++) {
            double weight = 1.0 - fabs(cloud_dot_product(normal, cloud->normal[cloud->edges[e]]));
            weight = weight > 0.0 ? weight : 0.0;
            growth->weights[e] = (uint8_t)(sqrt(weight) * (WEIGHTS - 1)); /* sqrt: the angle */
        }
    }
}

static void offer_edges(struct tree_growth *growth, uint32_t slot)
{
    const dent_cloud *cloud = growth->cloud;
    for (uint64_t e = cloud->first[slot]; e < cloud->first[slot + 1]; e++) {
        uint32_t other = cloud->edges[e], bucket = growth->weights[e];
        if (bucket < growth->bucket[other]) {
            enter_bucket(growth, other, bucket, slot);
        }
    }
}

/* Joins all that can be reached from a root; normals take the side of the slot they were reached from. */
static void grow_part(struct tree_growth *growth, uint32_t root)
{
    dent_cloud *cloud = growth->cloud;
    uint32_t highest = root;
    growth->lowest = WEIGHTS;
    growth->bucket[root] = DONE;
    cloud->part[root] = root;
    offer_edges(growth, root);
    while (growth->lowest < WEIGHTS) {
        uint32_t slot = growth->head[growth->lowest];
        if (slot == UINT32_MAX) {
            growth->lowest++;
            continue;
        }
        leave_bucket(growth, slot);
        growth->bucket[slot] = DONE;
        cloud->part[slot] = root;
        if (cloud_dot_product(cloud->normal[slot], cloud->normal[growth->from[slot]]) < 0.0) {
            for (int axis = 0; axis < 3; axis++) {
                cloud->normal[slot][axis] = -cloud->normal[slot][axis];
            }
        }
        highest = cloud->point[slot][2] > cloud->point[highest][2] ? slot : highest;
        offer_edges(growth, slot);
    }
    /* the highest slot tells whether the whole part is upside down */
    growth->from[root] = cloud->normal[highest][2] < 0.0;
}

static void grow_all(struct tree_growth *growth)
{
    dent_cloud *cloud = growth->cloud;
    for (uint32_t bucket = 0; bucket < WEIGHTS; bucket++) {
        growth->head[bucket] = UINT32_MAX;
    }
    for (uint32_t slot = 0; slot < cloud->count; slot++) {
        growth->bucket[slot] = NOT_WAITING;
    }
    for (uint32_t slot = 0; slot < cloud->count; slot++) {
        if (growth->bucket[slot] == NOT_WAITING) {
            grow_part(growth, slot);
        }
    }
    for (uint32_t slot = 0; slot < cloud->count; slot++) {
        for (int axis = 0; axis < 3 && growth->from[cloud->part[slot]]; axis++) {
            cloud->normal[slot][axis] = -cloud->normal[slot][axis];
        }
    }
}

/* Given normals have sides: parts only. */
static void join_all_edges(dent_cloud *cloud)
{
    union_find_init(cloud->part, cloud->count);
    for (uint32_t slot = 0; slot < cloud->count; slot++) {
        for (uint64_t e = cloud->first[slot]; e < cloud->first[slot + 1]; e++) {
            if (cloud->edges[e] < slot) {
                union_find_join(cloud->part, slot, cloud->edges[e]);
            }
        }
    }
    for (uint32_t slot = 0; slot < cloud->count; slot++) {
        cloud->part[slot] = union_find_root(cloud->part, slot);
    }
}

/* The first block finds parts and sides, the others are those of the tree. */
struct part_work {
    dent_cloud *cloud;
    struct tree_growth *growth; /* null: parts only */
};

static void part_block(void *data, uint32_t block, uint32_t worker)
{
    const struct part_work *work = data;
    (void)worker;
    if (block > 0) {
        cloud_fill_lowest(work->cloud, block - 1);
    } else if (work->growth) {
        grow_all(work->growth);
    } else {
        join_all_edges(work->cloud);
    }
}

static dent_status find_with(dent_cloud *cloud, struct tree_growth *growth)
{
    struct part_work work = {cloud, growth};
    return dent_parallel_for(cloud->context, 1 + cloud_lowest_blocks(cloud), part_block, &work);
}

static dent_status orient_normals(dent_cloud *cloud)
{
    dent_context *context = cloud->context;
    size_t count = cloud->count;
    struct tree_growth growth = {.cloud = cloud};
    growth.next = dent_allocate(context, count, 3 * sizeof *growth.next);
    growth.bucket = dent_allocate(context, count, sizeof *growth.bucket);
    growth.weights = dent_allocate(context, cloud->first[count], sizeof *growth.weights);
    dent_status status = DENT_ERROR_OUT_OF_MEMORY;
    if (growth.next && growth.bucket && growth.weights) {
        growth.previous = growth.next + count;
        growth.from = growth.previous + count;
        status = dent_parallel_for(context, cloud_blocks(cloud->count), weight_block, &growth);
    }
    if (status == DENT_OK) {
        status = find_with(cloud, &growth);
    }
    dent_release(context, growth.weights, cloud->first[count], sizeof *growth.weights);
    dent_release(context, growth.bucket, count, sizeof *growth.bucket);
    dent_release(context, growth.next, count, 3 * sizeof *growth.next);
    return status;
}

dent_status cloud_find_parts(dent_cloud *cloud, bool orient)
{
    dent_status status = orient ? orient_normals(cloud) : find_with(cloud, NULL);
    for (uint32_t slot = 0; slot < cloud->count && status == DENT_OK; slot++) {
        cloud->info.parts += cloud->part[slot] == slot;
    }
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
        uint64_t end = cloud->first[slot + 1];
        end = end - cloud->first[slot] > FRAME_EDGES ? cloud->first[slot] + FRAME_EDGES : end;
        double longest = 0.0, widest = 0.0;
        for (uint64_t e = cloud->first[slot]; e < end; e++) {
            double length = cloud_length(cloud->point[cloud->edges[e]], cloud->point[slot]);
            first = length > longest ? cloud->edges[e] : first;
            longest = length > longest ? length : longest;
        }
        for (uint64_t e = cloud->first[slot]; e < end; e++) {
            uint32_t other = cloud->edges[e];
            double turn =
                turn_around(cloud->normal[slot], cloud->point[slot], cloud->point[first], cloud->point[other]);
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
