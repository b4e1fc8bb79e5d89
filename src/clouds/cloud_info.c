/* What a cloud knows of itself and of its points; and how it follows points that move, on the graph it has. */
#include "clouds/cloud_data.h"

#include "base/containers/heap_sort.h"

enum { LEADING_SHIFT = 50, LEADING_COUNT = 1 << (63 - LEADING_SHIFT) }; /* exponent and two bits; no sign */

#define DISTORTED_MOST 0.02
#define LONGER_BOXES 2.0

/* ---- measures ---------------------------------------------------------------------------------------------------- */

static uint64_t memory_of(const dent_cloud *cloud)
{
    uint64_t slot = sizeof *cloud->original + sizeof *cloud->point + sizeof *cloud->normal + sizeof *cloud->radius +
                    sizeof *cloud->area + sizeof *cloud->area_share + sizeof *cloud->room + sizeof *cloud->part +
                    sizeof *cloud->frame + sizeof *cloud->rest + sizeof *cloud->first;
    return sizeof *cloud + cloud->count * slot + cloud->def.point_count * (uint64_t)sizeof *cloud->slot_of +
           cloud->edge_capacity * sizeof *cloud->edges + cloud->tree.leaf_count * (uint64_t)sizeof *cloud->tree.leaves +
           cloud->node_count * (uint64_t)(sizeof *cloud->nodes + sizeof *cloud->all_covers);
}

static void measure_box(dent_cloud *cloud)
{
    double *low = cloud->info.lo, *high = cloud->info.hi;
    memcpy(low, cloud->point[0], sizeof cloud->info.lo);
    memcpy(high, cloud->point[0], sizeof cloud->info.hi);
    for (uint32_t slot = 1; slot < cloud->count; slot++) {
        for (int axis = 0; axis < 3; axis++) {
            double x = cloud->point[slot][axis];
            low[axis] = x < low[axis] ? x : low[axis];
            high[axis] = x > high[axis] ? x : high[axis];
        }
    }
}

/* The leading bits of a number that is not negative: the same order. */
static uint32_t leading_bits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return (uint32_t)(bits >> LEADING_SHIFT);
}

/* The k-th smallest of one number a slot, of slots with edges. Only numbers with the same leading bits as that one are
 * selected from: far fewer than all. */
static double select_of_slots(dent_cloud *cloud, const double *values, uint32_t k)
{
    uint32_t counts[LEADING_COUNT] = {0}, below = 0, bits = 0, count = 0;
    for (uint32_t slot = 0; slot < cloud->count; slot++) {
        counts[leading_bits(values[slot])] += cloud_degree(cloud, slot) > 0;
    }
    for (; below + counts[bits] <= k; bits++) {
        below += counts[bits];
    }
    for (uint32_t slot = 0; slot < cloud->count; slot++) {
        if (leading_bits(values[slot]) == bits && cloud_degree(cloud, slot) > 0) {
            cloud->room[count++] = values[slot];
        }
    }
    return cloud_select(cloud->room, count, k - below);
}

static void measure_radii(dent_cloud *cloud)
{
    uint32_t count = 0;
    for (uint32_t slot = 0; slot < cloud->count; slot++) {
        count += cloud_degree(cloud, slot) > 0;
    }
    cloud->info.isolated = cloud->count - count;
    cloud->info.radius = count ? select_of_slots(cloud, cloud->radius, (uint32_t)(9 * (uint64_t)count / 10)) : 0.0;
    cloud->info.spacing = count ? sqrt(select_of_slots(cloud, cloud->area, count / 2)) : 0.0;
}

void cloud_measure(dent_cloud *cloud)
{
    measure_box(cloud);
    measure_radii(cloud);
    cloud->info.points = cloud->def.point_count;
    cloud->info.bytes = memory_of(cloud);
}

dent_cloud_info dent_cloud_get_info(const dent_cloud *cloud)
{
    return cloud ? cloud->info : (dent_cloud_info){0};
}

dent_cloud_point dent_cloud_point_at(const dent_cloud *cloud, uint32_t point)
{
    dent_cloud_point made = {0};
    if (!cloud || point >= cloud->def.point_count) {
        return made;
    }
    uint32_t slot = cloud->slot_of[point];
    memcpy(made.position, cloud->point[slot], sizeof made.position);
    memcpy(made.normal, cloud->normal[slot], sizeof made.normal);
    made.radius = cloud->radius[slot];
    made.degree = cloud_degree(cloud, slot);
    made.part = cloud->original[cloud->part[slot]];
    made.same_as = cloud->original[slot];
    return made;
}

static bool smaller(const void *a, const void *b, const void *data)
{
    (void)data;
    return *(const uint32_t *)a < *(const uint32_t *)b;
}

uint32_t dent_cloud_point_edges(const dent_cloud *cloud, uint32_t point, uint32_t capacity, uint32_t *others)
{
    if (!cloud || point >= cloud->def.point_count || (capacity > 0 && !others)) {
        return 0;
    }
    uint32_t slot = cloud->slot_of[point], degree = cloud_degree(cloud, slot);
    uint32_t written = degree < capacity ? degree : capacity;
    for (uint32_t i = 0; i < written; i++) {
        others[i] = cloud->original[cloud->edges[cloud->first[slot] + i]];
    }
    if (written > 0) {
        heap_sort(others, written, sizeof *others, smaller, NULL);
    }
    return degree;
}

/* ---- updates ----------------------------------------------------------------------------------------------------- */

static void move_slot(dent_cloud *cloud, uint32_t slot)
{
    int axis;
    cloud_read_vector(&cloud->def.positions, cloud->original[slot], cloud->point[slot], &axis);
    if (cloud->def.normals.data && cloud_degree(cloud, slot) > 0) {
        double *normal = cloud->normal[slot];
        cloud_read_vector(&cloud->def.normals, cloud->original[slot], normal, &axis);
        double length = sqrt(cloud_dot_product(normal, normal));
        for (axis = 0; axis < 3; axis++) {
            normal[axis] /= length;
        }
    }
}

static void move_block(void *data, uint32_t block, uint32_t worker)
{
    dent_cloud *cloud = data;
    (void)worker;
    for (uint32_t slot = block * SLOTS_A_BLOCK; slot < cloud_block_end(cloud->count, block); slot++) {
        move_slot(cloud, slot);
    }
}

static void measure_moved_slots(dent_cloud *cloud, struct shape_slots *slots)
{
    struct cloud_shape shapes[CLOUD_LANES];
    cloud_measure_shapes(cloud, slots, shapes);
    for (uint32_t i = 0; i < slots->count; i++) {
        uint32_t slot = slots->slot[i];
        double radius = shapes[i].quartiles[1], *normal = cloud->normal[slot];
        cloud->radius[slot] = radius;
        cloud->area[slot] = cloud->area_share[slot] * radius * radius;
        if (!cloud->def.normals.data) {
            memcpy(normal, shapes[i].normal, sizeof shapes[i].normal);
            if (cloud_normal_is_turned(cloud, slot)) {
                for (int axis = 0; axis < 3; axis++) {
                    normal[axis] = -normal[axis];
                }
            }
        }
    }
    slots->count = 0;
}

static void measure_moved_block(void *data, uint32_t block, uint32_t worker)
{
    dent_cloud *cloud = data;
    struct shape_slots slots = {.count = 0};
    (void)worker;
    uint32_t end = cloud_block_end(cloud->count, block);
    for (uint32_t slot = block * SLOTS_A_BLOCK; slot < end; slot++) {
        if (cloud_degree(cloud, slot) > 0) {
            slots.slot[slots.count++] = slot;
        }
        if (slots.count == CLOUD_LANES || slot + 1 == end) {
            measure_moved_slots(cloud, &slots);
        }
    }
}

static void measure_distortion(const dent_cloud *cloud, dent_cloud_update_result *result)
{
    double before = 0.0, after = 0.0;
    uint64_t distorted = 0, measured = 0;
    for (uint32_t slot = 0; slot < cloud->count; slot++) {
        for (int k = 0; k < 2; k++) {
            before += cloud->rest[slot][k];
            after += cloud_length(cloud->point[slot], cloud->point[cloud->frame[slot][k]]);
        }
    }
    double stretch = before > 0.0 ? after / before : 1.0;
    for (uint32_t slot = 0; slot < cloud->count; slot++) {
        for (int k = 0; k < 2; k++) {
            double length = cloud_length(cloud->point[slot], cloud->point[cloud->frame[slot][k]]);
            double expected = cloud->rest[slot][k] * stretch;
            distorted += length > 2.0 * expected || length < 0.5 * expected;
            measured += cloud->rest[slot][k] > 0.0;
        }
    }
    result->stretch = stretch;
    result->distorted_share = measured ? (double)distorted / (double)measured : 0.0;
    result->rebuild_advised = result->distorted_share > DISTORTED_MOST ||
                              cloud_sum_of_sides(cloud) > LONGER_BOXES * stretch * cloud->box_sides;
}

struct update_call {
    dent_cloud *cloud;
    dent_cloud_update_result *result;
};

static dent_status update(void *data)
{
    const struct update_call *call = data;
    dent_cloud *cloud = call->cloud;
    uint32_t blocks = cloud_blocks(cloud->count);
    dent_status status = cloud_check_points(cloud, cloud->def.normals.data);
    if (status) {
        return status;
    }
    cloud->revision++;
    dent_parallel_for(cloud->context, blocks, move_block, cloud);
    dent_parallel_for(cloud->context, blocks, measure_moved_block, cloud);
    status = cloud_fill_tree(cloud);
    measure_distortion(cloud, call->result);
    cloud_measure(cloud);
    return status;
}

dent_status dent_cloud_update(dent_cloud *cloud, dent_cloud_update_result *result)
{
    DENT_REQUIRE(NULL, cloud);
    DENT_REQUIRE(cloud->context, result);
    return dent_call_guarded(cloud->context, update, &(struct update_call){cloud, result});
}
