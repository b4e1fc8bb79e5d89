/* Shortest paths along the graph of a cloud, cut off at a distance (Dijkstra 1959). A path's length is the sum of its
 * edges' lengths in the order of the path. The smallest such sum does not depend on the order in which slots are taken
 * from the heap. In: a slot and the largest distance. Out: the slots reached, and their distances. */
#include "clouds/cloud_function.h"

bool cloud_paths_init(struct cloud_paths *paths, dent_context *context, uint32_t slots)
{
    *paths = (struct cloud_paths){.context = context, .capacity = slots};
    for (int side = 0; side < 2; side++) {
        paths->distance[side] = dent_allocate(context, slots, sizeof *paths->distance[side]);
        paths->stamp[side] = dent_allocate(context, slots, sizeof *paths->stamp[side]);
    }
    paths->heap = dent_allocate(context, slots, 3 * sizeof *paths->heap);
    if (!paths->distance[0] || !paths->distance[1] || !paths->stamp[0] || !paths->stamp[1] || !paths->heap) {
        cloud_paths_destroy(paths);
        return false;
    }
    paths->place = paths->heap + slots;
    paths->reached = paths->place + slots;
    for (int side = 0; side < 2; side++) {
        memset(paths->stamp[side], 0, slots * sizeof *paths->stamp[side]);
    }
    return true;
}

void cloud_paths_destroy(struct cloud_paths *paths)
{
    for (int side = 0; side < 2; side++) {
        dent_release(paths->context, paths->distance[side], paths->capacity, sizeof *paths->distance[side]);
        dent_release(paths->context, paths->stamp[side], paths->capacity, sizeof *paths->stamp[side]);
    }
    dent_release(paths->context, paths->heap, paths->capacity, 3 * sizeof *paths->heap);
    *paths = (struct cloud_paths){.context = paths->context};
}

static void sift_up(struct cloud_paths *paths, const double *distance, uint32_t at)
{
    uint32_t slot = paths->heap[at];
    for (; at > 0 && distance[paths->heap[(at - 1) / 2]] > distance[slot]; at = (at - 1) / 2) {
        paths->heap[at] = paths->heap[(at - 1) / 2];
        paths->place[paths->heap[at]] = at;
    }
    paths->heap[at] = slot;
    paths->place[slot] = at;
}

static uint32_t take_first(struct cloud_paths *paths, const double *distance, uint32_t *count)
{
    uint32_t first = paths->heap[0], last = paths->heap[--*count], at = 0;
    for (uint32_t child; (child = 2 * at + 1) < *count; at = child) {
        child += child + 1 < *count && distance[paths->heap[child + 1]] < distance[paths->heap[child]];
        if (distance[paths->heap[child]] >= distance[last]) {
            break;
        }
        paths->heap[at] = paths->heap[child];
        paths->place[paths->heap[at]] = at;
    }
    if (*count > 0) {
        paths->heap[at] = last;
        paths->place[last] = at;
    }
    return first;
}

void cloud_paths_walk(struct cloud_paths *paths, const dent_cloud *cloud, uint32_t from, double most, int side)
{
    double *distance = paths->distance[side];
    uint32_t *stamp = paths->stamp[side], count = 1;
    if (side == 0) {
        paths->reached_count = 0;
        if (++paths->turn == 0) { /* after 2^32 - 1 turns old stamps would look new */
            memset(paths->stamp[0], 0, paths->capacity * sizeof *stamp);
            memset(paths->stamp[1], 0, paths->capacity * sizeof *stamp);
            paths->turn = 1;
        }
    }
    paths->heap[0] = from;
    paths->place[from] = 0;
    distance[from] = 0.0;
    stamp[from] = paths->turn;
    while (count > 0) {
        uint32_t slot = take_first(paths, distance, &count);
        if (side == 0) {
            paths->reached[paths->reached_count++] = slot;
        }
        for (uint64_t e = cloud->first[slot]; e < cloud->first[slot + 1]; e++) {
            uint32_t other = cloud->edges[e];
            double sum = distance[slot] + cloud_length(cloud->point[slot], cloud->point[other]);
            bool is_new = stamp[other] != paths->turn;
            if (sum <= most && (is_new || sum < distance[other])) {
                distance[other] = sum;
                stamp[other] = paths->turn;
                if (is_new) {
                    paths->heap[count] = other;
                    paths->place[other] = count++;
                }
                sift_up(paths, distance, paths->place[other]);
            }
        }
    }
}
