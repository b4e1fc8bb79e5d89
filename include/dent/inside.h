/* dent/inside.h — is a point inside a closed surface? Points by the million, segments and moving spheres.
 *
 * A place is ON if the point lies on a closed triangle. Otherwise it is IN if the surface winds around it (winding
 * number other than 0), else OUT. This is decided exactly for all finite doubles, so both methods, all numbers of
 * threads and all instruction sets give the same places.
 *
 *   dent_inside_def def = dent_inside_def_default();
 *   def.positions = dent_positions_double(xyz), def.vertex_count = n;
 *   def.triangles = corners, def.triangle_count = m;
 *   dent_inside *inside;
 *   dent_inside_create(context, &def, &inside);
 *   dent_inside_classify(inside, dent_positions_double(points), count, places);
 *
 * The surface is closed if every edge has as many triangles in one direction as in the other. It may cross itself, and
 * triangles may have no area. Orientation matters for self-overlap only: the number is positive inside if the normals
 * (p1 - p0) x (p2 - p0) point outward.
 *
 * Threads: different objects from any thread; one object is used by one thread at a time. Calls use all workers of the
 * context.
 */
#ifndef DENT_INSIDE_H
#define DENT_INSIDE_H

#include <dent/body.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dent_inside dent_inside;

typedef enum dent_place { DENT_PLACE_OUT = 0, DENT_PLACE_IN = 1, DENT_PLACE_ON = 2 } dent_place;

typedef enum dent_inside_method {
    DENT_INSIDE_AUTO = 0,    /**< winding up to 20,000 points in all, then BSP from the next call on */
    DENT_INSIDE_BSP = 1,     /**< solid-leaf BSP tree: slow to make, fastest to ask */
    DENT_INSIDE_WINDING = 2, /**< hierarchical winding number: quick to make */
    DENT_INSIDE_METHOD_COUNT = 3
} dent_inside_method;

/** Returns "auto", "bsp" or "winding"; null for other values. Static memory. Threads: any. */
DENT_API const char *dent_inside_method_name(dent_inside_method method);
/** Returns "out", "in" or "on"; null for other values. Static memory. Threads: any. */
DENT_API const char *dent_place_name(dent_place place);

typedef struct dent_inside_def {
    size_t struct_size;
    dent_positions positions; /**< copied */
    uint32_t vertex_count;
    const uint32_t *triangles; /**< three vertices each; copied */
    uint32_t triangle_count;   /**< 0 is allowed: all points are out. At most 2^29 */
    dent_inside_method method; /**< default AUTO. Never changes the result */
} dent_inside_def;
DENT_API dent_inside_def dent_inside_def_default(void);

/** Prepares a closed surface. O(n log n). INVALID_ARGUMENT: a def not made by its default function, null arrays, an
 * unknown method. BAD_NUMBER: a coordinate of a used vertex is not finite. BAD_MESH: a corner out of range, or not
 * closed; the message gives an edge. Or TOO_LARGE or OUT_OF_MEMORY. On failure *inside is untouched. */
DENT_API dent_status dent_inside_create(dent_context *context, const dent_inside_def *def, dent_inside **inside);
/** Destroys the object. Null is allowed. */
DENT_API void dent_inside_destroy(dent_inside *inside);

/** Writes the place of each point: places[i] is a dent_place. O((n + log m)) per point expected, batched. No allocation
 * after the first call of a size. Fails with BAD_NUMBER (a point is not finite), INVALID_ARGUMENT or OUT_OF_MEMORY; the
 * content of `places` is then unspecified. */
DENT_API dent_status dent_inside_classify(dent_inside *inside, dent_positions points, uint32_t count, uint8_t *places);

/** Writes the exact winding number at each point; 0 for points on the surface. Costs and failures as above. */
DENT_API dent_status dent_inside_winding(dent_inside *inside, dent_positions points, uint32_t count, int32_t *numbers);

/** Spheres that move on straight lines from starts to ends; radius 0 gives segments. */
typedef struct dent_sweep_def {
    size_t struct_size;
    dent_positions starts, ends; /**< borrowed for the call */
    uint32_t count;
    double radius;    /**< of all spheres, finite and >= 0; default 0: segments */
    double tolerance; /**< a length > 0 for spheres: how much earlier than certainly necessary a contact may be
                           reported; default 0: 1e-6 of the radius. Segments ignore it */
} dent_sweep_def;
DENT_API dent_sweep_def dent_sweep_def_default(void);

typedef struct dent_sweep_hit {
    double time;       /**< in [0, 1]; 1 if there is no contact */
    double normal[3];  /**< unit, from the surface to the sphere; 0 if there is no contact or it starts inside */
    uint32_t triangle; /**< the first one met, the lowest index of equal times; UINT32_MAX: none */
    uint8_t start;     /**< dent_place of the start of the centre */
    uint8_t hit;       /**< 1: the closed solid is met, at `time` */
} dent_sweep_hit;

/** Finds the first contact of each sphere with the closed solid: the surface, and the space it winds around. A centre
 * that starts inside or on the surface is in contact at time 0. Segments: `time` is the largest double not above the
 * exact time. Spheres: conservative, never later than the first time at distance `radius`. At `time` the distance is at
 * most radius + tolerance, apart from rounding (1e-14 of the size). The BSP tree with planes shifted by the radius
 * chooses the triangles; the exact test decides. Failures as for dent_inside_classify(). */
DENT_API dent_status dent_inside_sweep(dent_inside *inside, const dent_sweep_def *def, dent_sweep_hit *hits);

typedef struct dent_inside_info {
    dent_inside_method method; /**< in use now; never AUTO */
    uint32_t triangle_count;
    uint32_t bsp_nodes;          /**< 0: the BSP tree has not been made */
    uint32_t bsp_planes;         /**< nodes whose plane is that of a triangle; the others have axis-parallel planes */
    uint32_t bsp_leaves;
    uint32_t bsp_open_leaves;    /**< leaves without a known place: their points are asked with winding numbers */
    uint32_t bsp_depth;
    uint64_t bytes;              /**< of memory, without scratch for calls */
    uint64_t points;             /**< asked so far */
    uint64_t exact_tests;        /**< points or triangles that double arithmetic left open */
} dent_inside_info;
DENT_API dent_status dent_inside_get_info(const dent_inside *inside, dent_inside_info *info);

/** A box of the BSP tree for drawing: the axis-parallel cell of a subtree of triangle planes, or of an empty leaf. */
typedef struct dent_inside_cell {
    double low[3], high[3];
    uint32_t triangle_count; /**< that may meet it; 0: a leaf, all of one place */
    uint8_t place;           /**< dent_place of a leaf; ON for the others */
} dent_inside_cell;
/** Makes the BSP tree if need be and lists its cells; they hold until the object is destroyed. Fails with OUT_OF_MEMORY. */
DENT_API dent_status dent_inside_cells(dent_inside *inside, const dent_inside_cell **cells, uint32_t *count);

#ifdef __cplusplus
}
#endif

#endif
