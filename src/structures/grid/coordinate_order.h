/* Bucket numbers by sorting instead of multiplying: the article's coordinate sorting. Only an experiment asks for it
 * (dent/experimental.h, sorted_coordinates).
 *
 * The ends of every box are coordinates of vertices, so it is enough to keep the used vertices of each body sorted
 * along each axis. Little changes from step to step, and insertion sort puts it right in close to linear time; when too
 * much has changed (more than 8 moves a vertex) the sort is left to radix sort. One sweep along the interval list then
 * gives every vertex its bucket by comparisons alone.
 */
#ifndef DENT_STRUCTURES_COORDINATE_ORDER_H
#define DENT_STRUCTURES_COORDINATE_ORDER_H

#include "structures/grid/bucket_grid.h"
#include "structures/boxes/float_space.h"

struct coordinate_order {
    struct dynamic_array first;    /* uint32_t: by body index of the body, and one more */
    struct dynamic_array order[3]; /* uint32_t: vertex numbers of the used vertices, as sorted the last time */
};

void coordinate_order_init(struct coordinate_order *order, dent_context *context);
void coordinate_order_destroy(struct coordinate_order *order);
/* Lists the used vertices of all bodies, unsorted. False when memory runs out. */
bool coordinate_order_reset(struct coordinate_order *order, const struct snapshot *snapshot,
                            const struct vertex_numbering *numbering);

static inline uint32_t coordinate_order_count(const struct coordinate_order *order, uint32_t body_index)
{
    const uint32_t *first = order->first.data;
    return first[body_index + 1] - first[body_index];
}

/* Room for the sort of `count` coordinates. */
struct coordinate_room {
    float *values;
    uint64_t *keys;    /* 2 * count */
    uint32_t *scratch; /* count */
};
bool coordinate_room_make(struct coordinate_room *room, uint32_t count, struct arena *arena);

/* Sorts a body along an axis; values come out ascending in room->values. False: coherence was lost and the radix sort
 * did it. */
bool coordinate_order_sort(struct coordinate_order *order, uint32_t body_index, int axis,
                           const struct point_record *points, struct coordinate_room *room);

/* The sweep: buckets[vertex number] for the sorted values and the interval list of the lattice. */
void coordinate_order_sweep(const struct coordinate_order *order, uint32_t body_index, int axis,
                            const struct bucket_lattice *lattice, const float *values, uint32_t *buckets);

#endif
