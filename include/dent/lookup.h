/* dent/lookup.h — rays, closest points and distances on the surfaces of a world.
 *
 *   dent_ray_def def = dent_ray_def_default();
 *   def.starts = dent_positions_double(from), def.ends = dent_positions_double(to), def.count = n;
 *   dent_ray_result rays;
 *   dent_world_cast_rays(world, &def, &rays);                rays.hits[i].body, .face, .time, .point, .normal
 *
 * All three ask about surface faces: boundary faces of solids, and all faces of surface bodies. A face is numbered as in
 * the pairs of dent/query.h (dent_body_surface_face()). Strands and points have no faces and are ignored. The inside of
 * a solid counts for nothing. A ray that starts inside hits the boundary from within. The distance of a point is that
 * to the boundary. dent/inside.h decides inside or outside.
 *
 * Results do not depend on the method, the number of threads or the instruction set. They belong to the world and hold
 * until the next call on it.
 *
 * Cost. A call reads all positions and refits the boxes, O(n). Then each ray or point costs O(bodies / 16 + log n)
 * expected. So many rays or points belong into one call.
 *
 * Threads: different worlds from any thread; one world is used by one thread at a time. Calls use all workers of the
 * context.
 */
#ifndef DENT_LOOKUP_H
#define DENT_LOOKUP_H

#include <dent/query.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The body and the face of a result that is none. */
#define DENT_LOOKUP_NONE UINT32_MAX

/* ---- rays -------------------------------------------------------------------------------------------------------- */

/** Segments from starts to ends, both included. A long ray is a segment with a far end. */
typedef struct dent_ray_def {
    size_t struct_size;
    dent_positions starts, ends; /**< borrowed for the call */
    uint32_t count;
    uint32_t mask;      /**< only bodies with one of these bits in their collision group are met; default all */
    dent_method method; /**< AUTO (default) and SURFACE_TREE: the surface tree; BRUTE_FORCE: every face, the oracle;
                           others: UNSUPPORTED */
    const int *cancel;  /**< as in dent_query_def */
} dent_ray_def;
DENT_API dent_ray_def dent_ray_def_default(void);

/** The first face that a ray meets. */
typedef struct dent_ray_hit {
    double time;       /**< in [0, 1], the largest double not above the exact time; 1 if nothing is met */
    double point[3];   /**< start + time (end - start), rounded; the end if nothing is met */
    double normal[3];  /**< unit, of the face, against the ray; 0 if nothing is met */
    double weights[3]; /**< of the corners of the face at the hit */
    uint32_t body;     /**< body index; DENT_LOOKUP_NONE: nothing is met */
    uint32_t face;     /**< surface face of the body */
} dent_ray_hit;

typedef struct dent_ray_result {
    const dent_ray_hit *hits; /**< one for each ray; null if cancelled */
    uint32_t count;           /**< of the def; 0 if cancelled */
    dent_outcome outcome;     /**< COMPLETE or CANCELLED */
    dent_query_counters counters; /**< candidates: exact tests of a ray and a face */
} dent_ray_result;

/** Finds the first face that each ray meets. Exact: a face is met iff the closed segment and the closed face have a point
 * in common. Among the faces met, the one with the smallest `time` is reported, of equal times the lowest body index,
 * then the lowest face. INVALID_ARGUMENT: a def not made by its default function, null positions with rays to read.
 * BAD_NUMBER: a number of a body or a ray is not finite; the message gives it. UNSUPPORTED: another method. Or
 * OUT_OF_MEMORY. On failure *result is untouched. */
DENT_API dent_status dent_world_cast_rays(dent_world *world, const dent_ray_def *def, dent_ray_result *result);

/* ---- closest points ---------------------------------------------------------------------------------------------- */

typedef struct dent_closest_def {
    size_t struct_size;
    dent_positions points; /**< borrowed for the call */
    uint32_t count;
    double max_distance; /**< faces farther away than this are ignored; >= 0, default INFINITY */
    uint32_t mask;       /**< as for rays */
    dent_method method;  /**< as for rays */
    const int *cancel;
} dent_closest_def;
DENT_API dent_closest_def dent_closest_def_default(void);

typedef struct dent_closest_point {
    double distance;     /**< as in dent/proximity.h, vertex and face; INFINITY if there is none */
    double point[3];     /**< on the surface; the query point if there is none */
    double direction[3]; /**< unit, from the surface to the query point; 0 if there is none */
    double weights[3];   /**< of the corners of the face */
    uint32_t body;       /**< body index; DENT_LOOKUP_NONE: no face is as near as max_distance */
    uint32_t face;
} dent_closest_point;

typedef struct dent_closest_result {
    const dent_closest_point *points; /**< one for each query point; null if cancelled */
    uint32_t count;
    dent_outcome outcome;
    dent_query_counters counters; /**< candidates: distances of a point and a face that were computed */
} dent_closest_result;

/** Finds the surface point closest to each point. The distance is the double that the fixed arithmetic of
 * dent/proximity.h gives for a vertex and a face. The face with the smallest one is reported, of equal ones that of the
 * lowest body index, then the lowest face. A point 2^60 times farther away than the world is wide is compared with all
 * faces. Fails as dent_world_cast_rays() does, and with BAD_NUMBER for a max_distance that is negative or NaN. */
DENT_API dent_status dent_world_closest_points(dent_world *world, const dent_closest_def *def,
                                               dent_closest_result *result);

/* ---- distance of two bodies -------------------------------------------------------------------------------------- */

typedef struct dent_distance_def {
    size_t struct_size;
    dent_body_id body_a, body_b; /**< two different bodies with surface faces */
    dent_method method;          /**< as for rays */
    const int *cancel;
} dent_distance_def;
DENT_API dent_distance_def dent_distance_def_default(void);

typedef struct dent_distance_result {
    double distance;  /**< of the two surfaces; 0 if they meet; INFINITY if one has no faces or if cancelled */
    bool crossing;    /**< a face of a and a face of b meet (closed sets, exact). Features are DENT_LOOKUP_NONE then, points
                           and direction 0: the question face-face gives the place */
    bool vertex_face; /**< the closest features are a vertex and a face; false: two edges */
    bool vertex_is_b; /**< vertex_face: the vertex is one of body b */
    uint32_t feature_a, feature_b; /**< vertex, surface face or edge of each body */
    double point_a[3], point_b[3]; /**< closest points */
    double direction[3];           /**< unit, from b to a */
    dent_outcome outcome;
    dent_query_counters counters;  /**< candidates: pairs of features that were measured */
} dent_distance_result;

/** Finds the distance of the surfaces of two bodies. Whether they meet is decided exactly. Otherwise the distance is
 * the smallest double that the fixed arithmetic of dent/proximity.h gives for a pair of features. A pair is a vertex of
 * one and a face of the other, or two edges. Of equal ones vertices of a come first, then vertices of b, then edges;
 * then the lowest (feature_a, feature_b). Ties (same_as) do not count here: bodies that share a vertex have distance 0.
 * Expected cost: O(n) to read the world, then little for surfaces apart, and what face-face costs for surfaces close
 * together. Fails as above, with STALE_ID, or with INVALID_ARGUMENT for a body with itself. */
DENT_API dent_status dent_world_distance(dent_world *world, const dent_distance_def *def, dent_distance_result *result);

#ifdef __cplusplus
}
#endif

#endif
