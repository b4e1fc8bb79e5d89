/* Sums for a sphere over the sheet of p1 only. Two sheets may be one part of the graph: a few edges at a border are
 * enough. Points near the place count if the shortest path to them along the graph is not much longer than the straight
 * line (Dijkstra 1959, as in cloud_paths.c, but with room on the stack): a path to another sheet goes around its border.
 * In: a foot and the query of the kernel. Out: sums as the kernel makes them, in the order of the paths' lengths. */
#include "clouds/cloud_function.h"

enum { SHEET_MOST = 256, SHEET_PLACES = 4 * SHEET_MOST, NO_ENTRY = UINT16_MAX };
#define PATH_STRETCH 1.4 /* of a path, relative to the straight line, beside one sampling radius */

/* Slots found so far; of more than SHEET_MOST the ones found first, which are the nearest along the graph. */
struct sheet_walk {
    uint32_t count, heap_count;
    uint32_t slot[SHEET_MOST];
    double distance[SHEET_MOST];
    uint16_t heap[SHEET_MOST], place[SHEET_MOST]; /* entries waiting, and where they lie in the heap */
    uint16_t entry[SHEET_PLACES];                 /* of a slot: a table with open addressing */
};

static uint16_t *entry_of(struct sheet_walk *walk, uint32_t slot)
{
    uint32_t at = slot * UINT32_C(2654435769) >> 22;
    while (walk->entry[at] != NO_ENTRY && walk->slot[walk->entry[at]] != slot) {
        at = (at + 1) % SHEET_PLACES;
    }
    return &walk->entry[at];
}

static void sift_up(struct sheet_walk *walk, uint32_t at)
{
    uint16_t entry = walk->heap[at];
    for (; at > 0 && walk->distance[walk->heap[(at - 1) / 2]] > walk->distance[entry]; at = (at - 1) / 2) {
        walk->heap[at] = walk->heap[(at - 1) / 2];
        walk->place[walk->heap[at]] = (uint16_t)at;
    }
    walk->heap[at] = entry;
    walk->place[entry] = (uint16_t)at;
}

static uint16_t take_first(struct sheet_walk *walk)
{
    uint16_t first = walk->heap[0], last = walk->heap[--walk->heap_count];
    uint32_t at = 0;
    for (uint32_t child; (child = 2 * at + 1) < walk->heap_count; at = child) {
        child += child + 1 < walk->heap_count &&
                 walk->distance[walk->heap[child + 1]] < walk->distance[walk->heap[child]];
        if (walk->distance[walk->heap[child]] >= walk->distance[last]) {
            break;
        }
        walk->heap[at] = walk->heap[child];
        walk->place[walk->heap[at]] = (uint16_t)at;
    }
    if (walk->heap_count > 0) {
        walk->heap[at] = last;
        walk->place[last] = (uint16_t)at;
    }
    return first;
}

static void offer(struct sheet_walk *walk, uint32_t slot, double distance)
{
    uint16_t *entry = entry_of(walk, slot);
    if (*entry == NO_ENTRY && walk->count < SHEET_MOST) {
        *entry = (uint16_t)walk->count++;
        walk->slot[*entry] = slot;
        walk->distance[*entry] = distance;
        walk->heap[walk->heap_count++] = *entry;
        sift_up(walk, walk->heap_count - 1);
    } else if (*entry != NO_ENTRY && distance < walk->distance[*entry]) { /* still waiting: paths only grow */
        walk->distance[*entry] = distance;
        sift_up(walk, walk->place[*entry]);
    }
}

static void add_point(const struct cloud_foot *foot, const struct sphere_query *query, uint32_t slot,
                      struct sphere_sums *sums)
{
    const double *normal = foot->cloud->normal[slot];
    double q[3];
    if (!(cloud_dot_product(normal, query->normal) > 0.0)) {
        return;
    }
    for (int axis = 0; axis < 3; axis++) {
        q[axis] = foot->cloud->point[slot][axis] - foot->place[axis];
    }
    double square = cloud_dot_product(q, q);
    double weight = exponential_of_minus(square * query->inverse_square, query->halvings);
    for (int axis = 0; axis < 3; axis++) {
        sums->point[axis] += weight * q[axis];
        sums->normal[axis] += weight * normal[axis];
    }
    sums->weight += weight;
    sums->square += weight * square;
    sums->product += weight * cloud_dot_product(q, normal);
    sums->count++;
}

void cloud_sheet_sums(const struct cloud_foot *foot, const struct sphere_query *query, struct sphere_sums *sums)
{
    const dent_cloud *cloud = foot->cloud;
    struct sheet_walk walk;
    walk.count = walk.heap_count = 0;
    memset(walk.entry, 0xff, sizeof walk.entry);
    *sums = (struct sphere_sums){0};
    offer(&walk, foot->first, 0.0);
    while (walk.heap_count > 0) {
        uint16_t entry = take_first(&walk);
        uint32_t slot = walk.slot[entry];
        double path = walk.distance[entry], straight = cloud_length(cloud->point[slot], cloud->point[foot->first]);
        if (path > PATH_STRETCH * straight + cloud->radius[foot->first]) {
            continue;
        }
        add_point(foot, query, slot, sums);
        for (uint64_t e = cloud->first[slot]; e < cloud->first[slot + 1]; e++) {
            const double *other = cloud->point[cloud->edges[e]];
            if (cloud_length(other, foot->place) <= foot->cut) {
                offer(&walk, cloud->edges[e], path + cloud_length(cloud->point[slot], other));
            }
        }
    }
}
