/* The hierarchy of a cloud: leaves of eight points, boxes over eight times eight, and a sphere cover for every node.
 *
 * The centres of a cover are at most COVER_POINTS points of the node, evenly taken from the order of the leaves, so they
 * need no memory. All spheres of a node have one radius. The source finds it by drawing random points near the surface.
 * Here the surface ends at the reach of its points, so the radius is the largest distance of a point to its centre plus
 * that point's reach: a cover without a chance of error. Nodes of more than 512 points take the covers of their children
 * instead of their points.
 *
 * In: points, normals, radii and parts of the slots. Out: the tree that the kernels read. */
#include "clouds/cloud_data.h"

enum { NODES_A_BLOCK = 64 };

/* ---- boxes ------------------------------------------------------------------------------------------------------- */

static void plan_levels(dent_cloud *cloud)
{
    uint32_t boxes = cloud->count / CLOUD_LANES + (cloud->count % CLOUD_LANES > 0);
    cloud->tree.leaf_count = boxes;
    while (boxes > 0) {
        uint32_t nodes = boxes / CLOUD_LANES + (boxes % CLOUD_LANES > 0);
        cloud->tree.node_counts[cloud->tree.level_count++] = nodes;
        cloud->node_count += nodes;
        boxes = nodes > 1 ? nodes : 0;
    }
}

bool cloud_allocate_tree(dent_cloud *cloud)
{
    plan_levels(cloud);
    cloud->tree.leaves = dent_allocate(cloud->context, cloud->tree.leaf_count, sizeof *cloud->tree.leaves);
    cloud->nodes = dent_allocate(cloud->context, cloud->node_count, sizeof *cloud->nodes);
    cloud->all_covers = dent_allocate(cloud->context, cloud->node_count, sizeof *cloud->all_covers);
    if (!cloud->tree.leaves || !cloud->nodes || !cloud->all_covers) {
        return false;
    }
    size_t first = 0;
    for (uint32_t level = 0; level < cloud->tree.level_count; level++) {
        cloud->tree.levels[level] = cloud->nodes + first;
        cloud->covers[level] = cloud->all_covers + first;
        first += cloud->tree.node_counts[level];
    }
    return true;
}

static void fill_leaf(dent_cloud *cloud, uint32_t leaf)
{
    for (uint32_t lane = 0; lane < CLOUD_LANES; lane++) {
        uint32_t slot = leaf * CLOUD_LANES + lane;
        bool used = slot < cloud->count && cloud_degree(cloud, slot) > 0;
        for (int axis = 0; axis < 3; axis++) {
            cloud->tree.leaves[leaf].point[axis][lane] = used ? cloud->point[slot][axis] : NAN;
        }
    }
}

static void fill_sides_of_leaf(dent_cloud *cloud, uint32_t leaf)
{
    for (uint32_t lane = 0; lane < CLOUD_LANES; lane++) {
        uint32_t slot = leaf * CLOUD_LANES + lane;
        bool used = slot < cloud->count && cloud_degree(cloud, slot) > 0;
        for (int axis = 0; axis < 3; axis++) {
            cloud->tree.leaves[leaf].normal[axis][lane] = used ? cloud->normal[slot][axis] : NAN;
        }
        cloud->tree.leaves[leaf].part[lane] = used ? cloud->part[slot] : NAN;
    }
}

/* The box of eight intervals an axis, those that are not NaN; NaN if none is. */
static void join_boxes(const double (*low)[CLOUD_LANES], const double (*high)[CLOUD_LANES], struct neighbour_node *node,
                       uint32_t lane)
{
    for (int axis = 0; axis < 3; axis++) {
        double least = INFINITY, most = -INFINITY;
        for (int i = 0; i < CLOUD_LANES; i++) {
            least = low[axis][i] < least ? low[axis][i] : least;
            most = high[axis][i] > most ? high[axis][i] : most;
        }
        node->low[axis][lane] = least <= most ? least : NAN;
        node->high[axis][lane] = least <= most ? most : NAN;
    }
}

static void box_node(dent_cloud *cloud, uint32_t level, uint32_t number)
{
    struct neighbour_node *node = &cloud->tree.levels[level][number];
    for (uint32_t lane = 0; lane < CLOUD_LANES; lane++) {
        uint32_t child = number * CLOUD_LANES + lane;
        if (level == 0 && child < cloud->tree.leaf_count) {
            const struct cloud_leaf *leaf = &cloud->tree.leaves[child];
            join_boxes(leaf->point, leaf->point, node, lane);
        } else if (level > 0 && child < cloud->tree.node_counts[level - 1]) {
            const struct neighbour_node *below = &cloud->tree.levels[level - 1][child];
            join_boxes(below->low, below->high, node, lane);
        } else {
            for (int axis = 0; axis < 3; axis++) {
                node->low[axis][lane] = node->high[axis][lane] = NAN;
            }
        }
    }
}

double cloud_sum_of_sides(const dent_cloud *cloud)
{
    double sum = 0.0;
    for (uint32_t leaf = 0; leaf < cloud->tree.leaf_count; leaf++) {
        const struct neighbour_node *node = &cloud->tree.levels[0][leaf / CLOUD_LANES];
        for (int axis = 0; axis < 3; axis++) {
            double side = node->high[axis][leaf % CLOUD_LANES] - node->low[axis][leaf % CLOUD_LANES];
            sum += side >= 0.0 ? side : 0.0;
        }
    }
    return sum;
}

/* ---- covers ------------------------------------------------------------------------------------------------------ */

uint32_t cloud_cover_centres(const dent_cloud *cloud, uint32_t level, uint32_t node, uint32_t centres[COVER_POINTS])
{
    uint64_t span = (uint64_t)CLOUD_LANES * CLOUD_LANES << 3 * level, begin = node * span;
    uint64_t end = begin + span < cloud->count ? begin + span : cloud->count;
    uint64_t step = (end - begin + COVER_POINTS - 1) / COVER_POINTS;
    uint32_t count = 0;
    for (uint64_t slot = begin + step / 2; slot < end; slot += step) {
        centres[count] = (uint32_t)slot;
        count += cloud_degree(cloud, (uint32_t)slot) > 0;
    }
    return count;
}

static double distance_to_centres(const dent_cloud *cloud, const double place[3], const uint32_t *centres,
                                  uint32_t count)
{
    double least = INFINITY;
    for (uint32_t i = 0; i < count; i++) {
        const double *centre = cloud->point[centres[i]];
        double x = centre[0] - place[0], y = centre[1] - place[1], z = centre[2] - place[2];
        double square = (x * x + y * y) + z * z;
        least = square < least ? square : least;
    }
    return sqrt(least);
}

static void cover_with_points(dent_cloud *cloud, uint32_t level, uint32_t node, struct cloud_cover *cover)
{
    uint32_t centres[COVER_POINTS], count = cloud_cover_centres(cloud, level, node, centres);
    uint64_t span = (uint64_t)CLOUD_LANES * CLOUD_LANES << 3 * level, begin = node * span;
    for (uint64_t slot = begin; slot < begin + span && slot < cloud->count; slot++) {
        if (cloud_degree(cloud, (uint32_t)slot) > 0) {
            double reach = cloud->radius[slot] * cloud->def.reach_radii;
            double radius = distance_to_centres(cloud, cloud->point[slot], centres, count) + reach;
            cover->radius = radius > cover->radius ? radius : cover->radius;
            cover->reach = reach > cover->reach ? reach : cover->reach;
        }
    }
}

static void cover_with_children(dent_cloud *cloud, uint32_t level, uint32_t node, struct cloud_cover *cover)
{
    uint32_t centres[COVER_POINTS], count = cloud_cover_centres(cloud, level, node, centres);
    for (uint32_t lane = 0; lane < CLOUD_LANES; lane++) {
        uint32_t child = node * CLOUD_LANES + lane;
        if (child >= cloud->tree.node_counts[level - 1]) {
            break;
        }
        const struct cloud_cover *below = &cloud->covers[level - 1][child];
        uint32_t points[COVER_POINTS], point_count = cloud_cover_centres(cloud, level - 1, child, points);
        cover->reach = below->reach > cover->reach ? below->reach : cover->reach;
        for (uint32_t i = 0; i < point_count; i++) {
            double radius = distance_to_centres(cloud, cloud->point[points[i]], centres, count) + below->radius;
            cover->radius = radius > cover->radius ? radius : cover->radius;
        }
        cover->radius = below->radius > cover->radius ? below->radius : cover->radius; /* infinite without centres */
    }
}

static uint32_t node_block_end(const dent_cloud *cloud, uint32_t level, uint32_t block)
{
    uint32_t left = cloud->tree.node_counts[level] - block * NODES_A_BLOCK;
    return block * NODES_A_BLOCK + (left < NODES_A_BLOCK ? left : NODES_A_BLOCK);
}

static uint32_t leaf_end_of(const dent_cloud *cloud, uint32_t node)
{
    uint32_t left = cloud->tree.leaf_count - node * CLOUD_LANES;
    return node * CLOUD_LANES + (left < CLOUD_LANES ? left : CLOUD_LANES);
}

static void fill_nodes(dent_cloud *cloud, uint32_t level, uint32_t block)
{
    for (uint32_t node = block * NODES_A_BLOCK; node < node_block_end(cloud, level, block); node++) {
        for (uint32_t leaf = node * CLOUD_LANES; level == 0 && leaf < leaf_end_of(cloud, node); leaf++) {
            fill_leaf(cloud, leaf);
        }
        box_node(cloud, level, node);
        struct cloud_cover cover = {0.0, 0.0};
        if (level < 2) {
            cover_with_points(cloud, level, node, &cover);
        } else {
            cover_with_children(cloud, level, node, &cover);
        }
        cloud->covers[level][node] = cover;
    }
}

static uint32_t node_blocks(const dent_cloud *cloud, uint32_t level)
{
    uint32_t count = cloud->tree.node_counts[level];
    return count / NODES_A_BLOCK + (count % NODES_A_BLOCK > 0);
}

uint32_t cloud_lowest_blocks(const dent_cloud *cloud)
{
    return node_blocks(cloud, 0);
}

void cloud_fill_lowest(dent_cloud *cloud, uint32_t block)
{
    fill_nodes(cloud, 0, block);
}

struct level_work {
    dent_cloud *cloud;
    uint32_t level;
};

static void level_block(void *data, uint32_t block, uint32_t worker)
{
    const struct level_work *work = data;
    (void)worker;
    fill_nodes(work->cloud, work->level, block);
}

static void side_block(void *data, uint32_t block, uint32_t worker)
{
    dent_cloud *cloud = data;
    (void)worker;
    for (uint32_t node = block * NODES_A_BLOCK; node < node_block_end(cloud, 0, block); node++) {
        for (uint32_t leaf = node * CLOUD_LANES; leaf < leaf_end_of(cloud, node); leaf++) {
            fill_sides_of_leaf(cloud, leaf);
        }
    }
}

static dent_status fill_levels(dent_cloud *cloud, uint32_t first)
{
    dent_status status = dent_parallel_for(cloud->context, node_blocks(cloud, 0), side_block, cloud);
    for (uint32_t level = first; level < cloud->tree.level_count && status == DENT_OK; level++) {
        struct level_work work = {cloud, level};
        status = dent_parallel_for(cloud->context, node_blocks(cloud, level), level_block, &work);
    }
    return status;
}

dent_status cloud_fill_upper(dent_cloud *cloud)
{
    return fill_levels(cloud, 1);
}

dent_status cloud_fill_tree(dent_cloud *cloud)
{
    return fill_levels(cloud, 0);
}
