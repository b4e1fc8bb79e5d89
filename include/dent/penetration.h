/* dent/penetration.h — the analyst's question: is this model free of initial penetration?
 *
 * Two solids penetrate iff the interiors of their unions of closed cells meet: identical copies do, parts that share
 * faces, edges or vertices exactly do not. This is decided exactly. A closed, consistently oriented surface is treated
 * as solid (interior: exact winding number not zero), and the report says so. An open surface penetrates what it
 * crosses or whose interior it meets; whether it encloses something is not judged. Faces that cross always count, also
 * where a closed surface lies on itself and encloses nothing. How deep is an estimate in fixed double arithmetic (see
 * max_depth).
 *
 * One gap: two surfaces, one of them closed, whose faces touch but nowhere cross are compared at corners and at exact
 * means of corners; a piece of a face inside the other body that is cut out by edges alone, none of them ending in
 * that face, is not seen by that face. Solids have no such gap.
 */
#ifndef DENT_PENETRATION_H
#define DENT_PENETRATION_H

#include <dent/query.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum dent_body_pair_state {
    DENT_BODY_PAIR_APART = 0,      /**< closed sets do not meet: such pairs are not in the report */
    DENT_BODY_PAIR_TOUCHING = 1,   /**< they meet, but do not penetrate, or no deeper than the tolerance */
    DENT_BODY_PAIR_PENETRATING = 2
} dent_body_pair_state;

typedef struct dent_check_def {
    size_t struct_size;
    double tolerance;     /**< a length >= 0, default 0: a pair whose max_depth is not above it counts as touching */
    bool self;            /**< default false: also bodies against themselves (cells or faces that share no vertex) */
    bool ignore_touching; /**< default false. True: do not look for touching elements (faster); pairs that only touch
                               are then not reported */
    dent_method method;   /**< AUTO (default): a box tree for each body; BRUTE_FORCE: every pair; others: UNSUPPORTED */
    const int *cancel;    /**< as in dent_query_def */
} dent_check_def;
DENT_API dent_check_def dent_check_def_default(void);

/** One pair of bodies that touch or penetrate. body_a < body_b (ranks); equal for a body with itself. */
typedef struct dent_body_contact {
    uint32_t body_a, body_b;
    dent_body_pair_state state;
    bool exact_penetration;  /**< penetrates by the exact definition, whatever the tolerance */
    bool containment_judged; /**< false: one of them is an open surface, which has no inside the other could lie in */

    /** Cells of either solid whose interior meets the other's interior; faces of surface bodies that cross the other's
     *  surface, meet its interior, or (closed ones) coincide with a face of it with the interiors on the same side. */
    uint64_t overlapping_elements;
    /** Vertices of either in the other's interior: inner faces, edges and vertices of a solid count, points on a
     *  closed surface do not. */
    uint64_t penetrating_vertices;
    /** Cells or faces of either that do not overlap, but have a surface face that meets the other's surface, or (flat
     * cells, which have no interior) a corner in its interior. */
    uint64_t touching_elements;

    /** Estimate, a length: the largest over (1) vertices of one, and centroids of overlapping elements of one, inside
     *  the other: distance to the other's surface (a body and itself: faces at the same vertices left out); (2)
     *  crossing surface faces: shortest translation that parts the two triangles; (3) closed surfaces that coincide in
     *  places: the middles of some chords below such faces, distance to the surface; and, only when these find
     *  nothing, (4) overlapping tetrahedra: shortest translation that parts the two. 0 when the pair does not
     *  penetrate. Up to rounding (1) is a lower bound of the greatest depth of any point, and falls short of it by at
     *  most the distance from that point to the nearest of these. It is no displacement that parts the bodies: that
     *  is the depth of a contact (contact.h), along its normal, and commonly larger. */
    double max_depth;
    double deepest[3]; /**< where that is; for pairs that only touch, near a place where they do */
} dent_body_contact;

/** Marks for pictures: one byte per element of a body. In a pair no deeper than the tolerance all are TOUCHING. */
enum { DENT_MARK_NONE = 0, DENT_MARK_TOUCHING = 1, DENT_MARK_OVERLAPPING = 2 };

typedef struct dent_check_result {
    dent_outcome outcome;
    uint64_t pair_count;
    const dent_body_contact *pairs; /**< in canonical order */
    uint64_t penetrating_pairs, touching_pairs; /**< by state */
    double max_depth;               /**< over the penetrating pairs; 0 when there is none */
    uint32_t surfaces_as_solids;    /**< bodies that are closed surfaces and were treated as solid */
    uint32_t open_surfaces;         /**< bodies for which containment was not judged */
    dent_query_counters counters;
} dent_check_result;

/** Checks all bodies of the world at their positions at t0 (filters apply). Results are valid until the next call on
 *  this world. Cancelled: no pairs and no marks are reported. Failure: *result is untouched. */
DENT_API dent_status dent_world_check(dent_world *world, const dent_check_def *def, dent_check_result *result);

/** After dent_world_check: the marks of a body's elements (one per element of the caller: cell or triangle) and, per
 *  vertex, 1 when it is in the interior of another body. Valid as long as the result. Null for a stale id, and after a
 *  check that failed or was cancelled. */
DENT_API const uint8_t *dent_check_element_marks(const dent_world *world, dent_body_id id);
DENT_API const uint8_t *dent_check_vertex_marks(const dent_world *world, dent_body_id id);

#ifdef __cplusplus
}
#endif

#endif
