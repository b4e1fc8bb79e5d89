/* dent/boxes.h — which boxes overlap: a broad phase for engines, robots and whatever else has boxes.
 *
 * A box is closed: two boxes that touch overlap. Boxes are compared as the numbers they are, without tolerance. So
 * every method, number of threads and instruction set reports the same pairs in the same order. Methods differ in cost
 * only.
 *
 *   dent_boxes *boxes;
 *   dent_boxes_create(context, NULL, &boxes);                           all defaults
 *   for (;;) {                                                          boxes move, appear and vanish
 *       dent_boxes_update(boxes, dent_box_list_float(lo_hi), count);    reads them; nothing is borrowed longer
 *       dent_boxes_pairs(boxes, &result);                               pairs (a, b), a < b, sorted; until the next call
 *   }
 *
 * Identity. The index of a box is its identity. A box with lo > hi along some axis is absent: it takes part in nothing,
 * and may come back in a later update. NaN is rejected, and so is infinity in a box that is present.
 *
 * Filters. With groups and masks, a and b are a pair iff (groups[a] & masks[b]) and (groups[b] & masks[a]) are both
 * non-zero. Queries have a mask: only boxes with a bit of it in their group are reported.
 *
 * Motion. An update compares the boxes with those before. If few have moved, the next call of dent_boxes_pairs() updates
 * the pairs of these alone. The order in memory of the packet tree is kept while it serves.
 *
 * Memory: docs/methods/boxes.md states the bytes a box for each method. Nothing is allocated after warm-up, unless there
 * are more boxes or more pairs than ever before.
 *
 * Threads: different objects from any thread; one object is used by one thread at a time. Calls use all workers of the
 * context.
 */
#ifndef DENT_BOXES_H
#define DENT_BOXES_H

#include <dent/body.h>
#include <dent/neighbours.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- description ------------------------------------------------------------------------------------------------- */

/** Boxes in the caller's memory, read by the call they are passed to and by no later one. */
typedef struct dent_box_list {
    const void *lo;     /**< x, y, z of the lower corner of box 0 */
    const void *hi;     /**< of the upper corner */
    size_t stride;      /**< bytes from one box to the next, for both; 0: 6 numbers, lo and hi of a box in a row */
    dent_scalar scalar; /**< type of the numbers */
    const uint32_t *groups; /**< bits each box belongs to; null: 1 for all */
    const uint32_t *masks;  /**< bits each box may meet; null: all bits for all */
} dent_box_list;

/** Returns a description of packed boxes, six numbers each: lo x, y, z, hi x, y, z. No filters. */
static inline dent_box_list dent_box_list_double(const double *lo_hi)
{
    dent_box_list list;
    list.lo = lo_hi;
    list.hi = lo_hi ? lo_hi + 3 : lo_hi;
    list.stride = 6 * sizeof(double);
    list.scalar = DENT_SCALAR_DOUBLE;
    list.groups = list.masks = NULL;
    return list;
}

static inline dent_box_list dent_box_list_float(const float *lo_hi)
{
    dent_box_list list;
    list.lo = lo_hi;
    list.hi = lo_hi ? lo_hi + 3 : lo_hi;
    list.stride = 6 * sizeof(float);
    list.scalar = DENT_SCALAR_FLOAT;
    list.groups = list.masks = NULL;
    return list;
}

/** How pairs, and the boxes that meet a box or a point, are searched. */
typedef enum dent_boxes_method {
    DENT_BOXES_AUTO = 0,       /**< by counts, sizes and measured motion; counters name the choice */
    DENT_BOXES_SWEEP = 1,      /**< sorted along an axis: few boxes, or long rows of them */
    DENT_BOXES_DENSE_GRID = 2, /**< every grid cell has a place: even density, similar sizes */
    DENT_BOXES_HASH_GRID = 3,  /**< occupied cells alone: sparse, similar sizes */
    DENT_BOXES_HIERARCHICAL_GRID = 4, /**< a hash grid for each range of sizes */
    DENT_BOXES_LOOSE_OCTREE = 5,      /**< cells twice their size, one for each box, sorted along a Morton curve */
    DENT_BOXES_KD_TREE = 6,           /**< space split where it costs least; boxes in all leaves they meet */
    DENT_BOXES_PACKET_TREE = 7,       /**< sixteen neighbouring boxes a leaf, a tree for each range of sizes */
    DENT_BOXES_METHOD_COUNT = 8
} dent_boxes_method;

/** Returns "auto", "sweep", "dense-grid", "hash-grid", "hierarchical-grid", "loose-octree", "kd-tree", "packet-tree";
 * null for other values. */
DENT_API const char *dent_boxes_method_name(dent_boxes_method method);

/** Hash functions of the hash grids. They change time, never results. */
typedef enum dent_boxes_hash {
    DENT_BOXES_HASH_MIX = 0, /**< a multiplicative mix; tables have a power of two of slots. Default */
    DENT_BOXES_HASH_XOR = 1, /**< products with primes, xor, remainder (Teschner et al. 2003) */
    DENT_BOXES_HASH_COUNT = 2
} dent_boxes_hash;

typedef struct dent_boxes_def {
    size_t struct_size;
    dent_boxes_method method; /**< default AUTO */
    double cell_size;         /**< grids: edge of the finest grid cells, a length; 0 (default): from the mean edge of the
                                   boxes. Bounded so that the memory stays in proportion to the boxes */
    double cell_offset[3];    /**< grids: shifts the lattice by this fraction of a cell, in [0, 1). Default 0 */
    uint32_t table_size;      /**< hash grids: slots of a table; 0 (default): twice the boxes */
    dent_boxes_hash hash;     /**< hash grids */
} dent_boxes_def;
DENT_API dent_boxes_def dent_boxes_def_default(void);

/* ---- object ------------------------------------------------------------------------------------------------------ */

typedef struct dent_boxes dent_boxes;

/** Creates an object without boxes. Null def: all defaults. Fails with OUT_OF_MEMORY or INVALID_ARGUMENT; then *boxes
 * is untouched. Invalid: a def not made by its default function, an unknown method or hash, a negative or infinite cell
 * size, an offset outside [0, 1). */
DENT_API dent_status dent_boxes_create(dent_context *context, const dent_boxes_def *def, dent_boxes **boxes);
/** Destroys the object. Null is allowed. */
DENT_API void dent_boxes_destroy(dent_boxes *boxes);

/** Reads `count` boxes (0 is allowed), which replace those before. Box i is the one that was i. O(n). After a failure
 * the boxes are as they were before the call. BAD_NUMBER: NaN, or infinity in a box that is present; the message gives
 * the box. INVALID_ARGUMENT: null corners with boxes to read, an unknown scalar type. TOO_LARGE: 2^31 boxes or more. Or
 * OUT_OF_MEMORY. Results of earlier calls end. */
DENT_API dent_status dent_boxes_update(dent_boxes *boxes, dent_box_list list, uint32_t count);

/** Returns how many boxes there are, absent ones included. */
DENT_API uint32_t dent_boxes_count(const dent_boxes *boxes);

/* ---- pairs ------------------------------------------------------------------------------------------------------- */

typedef struct dent_box_pair {
    uint32_t a, b; /**< a < b */
} dent_box_pair;

typedef struct dent_box_pairs {
    uint64_t count;
    const dent_box_pair *pairs; /**< sorted by a, then b; each once. Belongs to the object until its next call */
} dent_box_pairs;

/** Finds all pairs of present boxes that overlap and pass the filters. O(n + pairs) expected for even densities; sorting
 * included. A second call without an update between returns the same list at once. Fails with OUT_OF_MEMORY, or with
 * TOO_LARGE (2^32 pairs or more); then *result is untouched. */
DENT_API dent_status dent_boxes_pairs(dent_boxes *boxes, dent_box_pairs *result);

/* ---- queries ----------------------------------------------------------------------------------------------------- */

/** Boxes found for many queries at once: those of query i are first[i] to first[i + 1] - 1, by ascending index. Belongs
 * to the object until its next call. */
typedef struct dent_box_hits {
    const uint64_t *first;    /**< one more than there are queries */
    const uint32_t *indices;  /**< first[query count] of them */
    const double *parameters; /**< of dent_boxes_on_segments(), as many; null for the others */
} dent_box_hits;

/** Finds the boxes that overlap each of `count` boxes. Groups of the list are ignored; its masks select boxes by their
 * groups. An absent query finds nothing. O(hits + log n) expected a query. Fails as dent_boxes_update() does, and *hits is
 * untouched then. */
DENT_API dent_status dent_boxes_overlapping(dent_boxes *boxes, dent_box_list list, uint32_t count, dent_box_hits *hits);

/** Finds the boxes that contain each of `count` points, sides included. `masks` may be null: all groups. Fails with
 * BAD_NUMBER (a point is not finite), INVALID_ARGUMENT or OUT_OF_MEMORY. */
DENT_API dent_status dent_boxes_at_points(dent_boxes *boxes, dent_positions points, uint32_t count,
                                          const uint32_t *masks, dent_box_hits *hits);

/** Segments, or rays that begin at `from` and pass through `to`. */
typedef struct dent_box_segments {
    dent_positions from, to; /**< borrowed for the call */
    bool rays;               /**< endless behind `to` */
    const uint32_t *masks;   /**< as in dent_boxes_at_points() */
} dent_box_segments;

/** Finds the boxes that each segment or ray meets: exact for the numbers given, touching counts. A segment whose ends are
 * equal is a point. parameters[k] is where the segment enters the box: 0 at `from`, 1 at `to`. It is the largest of the
 * three rounded quotients (side - from) / (to - from), at least 0: a double computed in one way, not exact. Every
 * method answers with the packet tree, which is made when first needed. Fails as dent_boxes_at_points() does. */
DENT_API dent_status dent_boxes_on_segments(dent_boxes *boxes, const dent_box_segments *segments, uint32_t count,
                                            dent_box_hits *hits);

/** Writes the k nearest boxes of every place as dent_neighbours_nearest() does for points, with the same arithmetic.
 * The difference along an axis is the rounded gap from the place to the box, 0 within. A box that contains the place
 * has distance 0; equal distances are ordered by index. `places` is required, `skip_self` is rejected. Absent boxes are
 * never reported. Every method answers with the search of dent/neighbours.h. */
DENT_API dent_status dent_boxes_nearest(dent_boxes *boxes, const dent_neighbours_query *query, uint32_t *indices,
                                        double *squared_distances, uint32_t *counts);

/* ---- counters ---------------------------------------------------------------------------------------------------- */

/** Work of the last call of dent_boxes_pairs() that searched, and of the object so far. */
typedef struct dent_boxes_counters {
    dent_boxes_method method; /**< that found the pairs; never AUTO after a search */
    bool incremental;         /**< pairs of moved boxes alone were searched */
    uint32_t present;         /**< boxes that are present */
    uint32_t moved;           /**< boxes that differ from those of the update before; all, if that had another count */
    uint64_t cells;           /**< grid cells, octree cells, leaves */
    uint64_t references;      /**< boxes in them; more than there are boxes if they lie in several */
    uint64_t box_tests;       /**< tests of a box against up to sixteen others, or against one */
    uint64_t candidates;      /**< pairs that met in floats, before the test in doubles and the filters */
    uint64_t rebuilds;        /**< how often the packet tree was sorted again */
    uint64_t bytes;           /**< memory of the object, results included */
} dent_boxes_counters;

/** Writes the counters. */
DENT_API dent_status dent_boxes_get_counters(const dent_boxes *boxes, dent_boxes_counters *counters);

#ifdef __cplusplus
}
#endif

#endif
