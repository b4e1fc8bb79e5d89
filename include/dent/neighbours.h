/* dent/neighbours.h — nearest points: one, k, or all within a radius; for scans, particles, strands and whatever else is
 * points.
 *
 * The distance of two points is the square root of fl(fl(fl(dx * dx) + fl(dy * dy)) + fl(dz * dz)), where dx, dy and dz
 * are the rounded differences. It is plain double arithmetic without fused operations. Points are ordered by this
 * number, and among equal numbers by index. So a result does not depend on the method, the number of threads or the
 * instruction set. The arithmetic is scaled by a power of two: nothing overflows anywhere in the range of doubles.
 * Differences below 2^-951 of the largest coordinate count as 0. A place 2^70 times farther away than any point is
 * compared with all of them, O(n).
 *
 *   dent_neighbours *points;
 *   dent_neighbours_create(context, dent_positions_double(xyz), count, &points);
 *   dent_neighbours_query query = dent_neighbours_query_default();     each point's eight nearest others
 *   query.nearest = 8, query.skip_self = true;
 *   dent_neighbours_nearest(points, &query, indices, squared_distances, NULL);
 *
 * Threads: different objects from any thread; one object is used by one thread at a time. Calls use all workers of the
 * context.
 */
#ifndef DENT_NEIGHBOURS_H
#define DENT_NEIGHBOURS_H

#include <dent/body.h>

#include <math.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dent_neighbours dent_neighbours;

/** Prepares `count` points (0 is allowed). The positions are borrowed: read here, again by dent_neighbours_update(), and
 * by nothing else. O(n log n); about 36 bytes a point are kept, and about 100 more are used while it is made. Fails with
 * BAD_NUMBER (a coordinate is not finite; the message gives the point), OUT_OF_MEMORY, INVALID_ARGUMENT (null data with
 * points to read, an unknown scalar type). On failure *points is untouched. */
DENT_API dent_status dent_neighbours_create(dent_context *context, dent_positions positions, uint32_t count,
                                            dent_neighbours **points);
/** Destroys the object. Null is allowed. */
DENT_API void dent_neighbours_destroy(dent_neighbours *points);

/** Reads the positions again, after the points have moved. O(n), no allocation: the order in memory is kept. It is
 * rebuilt, O(n log n), when motion has made the search's boxes twice as long as they were. Answers do not depend on it.
 * Without memory for that, the old order is kept. Fails with BAD_NUMBER; then the points are as they were before the
 * call. */
DENT_API dent_status dent_neighbours_update(dent_neighbours *points);

/** Returns how many points there are. */
DENT_API uint32_t dent_neighbours_count(const dent_neighbours *points);
/** Returns how often dent_neighbours_update() rebuilt the order. */
DENT_API uint32_t dent_neighbours_reordered(const dent_neighbours *points);

/** For which places which neighbours are wanted. */
typedef struct dent_neighbours_query {
    size_t struct_size;
    dent_positions places; /**< borrowed for the call; data null (default): the points themselves */
    uint32_t place_count;  /**< ignored if the places are the points themselves */
    uint32_t nearest;      /**< k of dent_neighbours_nearest(); default 1; dent_neighbours_within() ignores it */
    double radius;         /**< a distance; points whose squared distance exceeds the rounded square of this are left
                                out. Default INFINITY */
    bool skip_self;        /**< the places are the points themselves: leaves each out of its own answer (points equal
                                to it stay in). Default false */
} dent_neighbours_query;
DENT_API dent_neighbours_query dent_neighbours_query_default(void);

/** Writes the k nearest points of every place, nearest first: indices and squared distances of place i from i * k on.
 * counts[i] is how many there are, fewer than k if there are not as many points (within the radius). What lies behind
 * them is UINT32_MAX and INFINITY. Squared distances that a double cannot hold are infinite or 0; their order is still
 * right. Each array may be null if it is not wanted. No allocation after the first call of a size for the points
 * themselves. O((n + m) k) expected. INVALID_ARGUMENT: a def not made by its default function, k = 0, a radius that is
 * negative or NaN, skip_self with other places. BAD_NUMBER: a place. TOO_LARGE: more than 2^40 results. Or
 * OUT_OF_MEMORY. */
DENT_API dent_status dent_neighbours_nearest(dent_neighbours *points, const dent_neighbours_query *query,
                                             uint32_t *indices, double *squared_distances, uint32_t *counts);

/** Neighbours of all places, nearest first: those of place i are first[i] to first[i + 1] - 1. */
typedef struct dent_neighbour_lists {
    const uint64_t *first;           /**< place_count + 1 of them */
    const uint32_t *indices;         /**< first[place_count] of them */
    const double *squared_distances; /**< as many */
} dent_neighbour_lists;

/** Finds all points whose distance is at most `radius`. The lists belong to the object and hold until its next call.
 * O(n + m + results) expected. Fails as dent_neighbours_nearest() does, and with INVALID_ARGUMENT for a radius that is not
 * finite. */
DENT_API dent_status dent_neighbours_within(dent_neighbours *points, const dent_neighbours_query *query,
                                            dent_neighbour_lists *lists);

#ifdef __cplusplus
}
#endif

#endif
