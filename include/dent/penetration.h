/* dent/penetration.h — the check for initial penetration: is this model free of it?
 *
 * Two solids penetrate iff the interiors of their unions of closed cells meet. Identical copies do; parts that share
 * faces, edges or vertices exactly do not. This is decided exactly. A closed, consistently oriented surface is treated
 * as solid (interior: exact winding number not zero), and the result counts such surfaces. An open surface penetrates
 * what it crosses or whose interior it meets; containment in an open surface is not tested. Crossing faces always
 * count, even where a closed surface lies on itself and encloses nothing. The depth is an estimate in fixed double
 * arithmetic (see max_depth).
 *
 * One gap: consider two surfaces, one of them closed, whose faces touch but nowhere cross. They are compared at corners
 * and at exact means of corners. A piece of a face inside the other body may be cut out by edges alone, none of them
 * ending in that face. It is not detected on that face. Solids have no such gap, and strands have none.
 *
 * A point penetrates a solid or a closed surface iff it lies in the interior; on the surface it touches. Points do not meet
 * points and strands.
 *
 * Strands have no inside. A strand penetrates a solid or a closed surface iff one of its segments meets the interior.
 * It penetrates an open surface iff a segment crosses a face. They cross iff their relative interiors meet in one
 * point. Radii do not matter. Strands that meet one another touch. The root of a strand may lie on the other body
 * (root_on). Then its first segment is judged by its far end and by the faces it crosses, without those at the root.
 */
#ifndef DENT_PENETRATION_H
#define DENT_PENETRATION_H

#include <dent/query.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum dent_body_pair_state {
    DENT_BODY_PAIR_APART = 0,      /**< closed sets do not meet: such pairs are not reported */
    DENT_BODY_PAIR_TOUCHING = 1,   /**< closed sets meet without penetration, or no deeper than the tolerance */
    DENT_BODY_PAIR_PENETRATING = 2
} dent_body_pair_state;

typedef struct dent_check_def {
    size_t struct_size;
    double tolerance;     /**< a length >= 0, default 0: a pair whose max_depth is not above it counts as touching */
    bool self;            /**< default false. True: also test bodies against themselves (cells or faces without a shared
                               vertex) */
    bool ignore_touching; /**< default false. True: do not search for touching elements (faster); pairs that only touch
                               are then not reported */
    bool volumes;         /**< default false. True: also compute the volume that two bodies have in common */
    dent_method method;   /**< AUTO (default): a box tree for each body; BRUTE_FORCE: every pair; others: UNSUPPORTED */
    const int *cancel;    /**< as in dent_query_def */
} dent_check_def;
DENT_API dent_check_def dent_check_def_default(void);

/** One pair of bodies that touch or penetrate: body indices, body_a < body_b; equal for a body with itself. */
typedef struct dent_body_contact {
    uint32_t body_a, body_b;
    dent_body_pair_state state;
    bool exact_penetration;  /**< penetrates by the exact definition, whatever the tolerance */
    bool containment_judged; /**< containment was tested; false: one of them is an open surface */

    /** Cells of either solid whose interior meets the other's interior. Faces of surface bodies that cross the other's
     *  surface or meet its interior. Faces of closed surfaces that coincide with a face of the other with the interiors
     *  on the same side. Segments that meet its interior or cross its faces, and the cells and faces that segments so
     *  meet. */
    uint64_t overlapping_elements;
    /** Vertices of each body in the other's interior. For a solid, inner faces, edges and vertices belong to the
     *  interior; for a closed surface, points on it do not. */
    uint64_t penetrating_vertices;
    /** Cells or faces of either that do not overlap, but have a surface face that meets the other's surface. Also flat
     * cells, which have no interior, with a corner in its interior. */
    uint64_t touching_elements;

    /** Estimate, a length: the largest of the following; 0 if the pair does not penetrate.
     *  (1) Vertices of one, and centroids of overlapping elements of one, inside the other: distance to the other's
     *      surface (a body and itself: without the faces at the same vertices).
     *  (2) Crossing surface faces: the shortest translation that separates the two triangles.
     *  (3) Closed surfaces that coincide in places: the distance to the surface of the middles of some chords below
     *      such faces.
     *  (4) Only if these find nothing, overlapping tetrahedra: the shortest translation that separates the two.
     *  Up to rounding, (1) is a lower bound of the greatest depth of any point. It falls short of it by at most the
     *  distance from that point to the nearest of these. It is not a displacement that separates the bodies: that is
     *  the depth of a contact (contact.h), along its normal, and commonly larger. */
    double max_depth;
    /** The volume that the two have in common, in cubed lengths. It is the sum over pairs of cells, one of each body,
     *  of the volume they share. It is an upper bound if a body overlaps itself, for then a point counts more than
     *  once. A closed surface counts by its winding number, taken positive for the surface as a whole. A body and
     *  itself: the sum over pairs of its cells. 0 if the pair does not penetrate. NaN if one is an open surface,
     *  strands or points, and if def.volumes is false. */
    double volume;
    double volume_error; /**< |volume - true sum| is not above it, by a bound on the rounding; NaN with `volume` */
    double deepest[3]; /**< position of max_depth; for pairs that only touch, near a place where they touch */
} dent_body_contact;

/** Marks for pictures: one byte per element of a body. If a pair is no deeper than the tolerance, all its marks are
 * TOUCHING. */
enum { DENT_MARK_NONE = 0, DENT_MARK_TOUCHING = 1, DENT_MARK_OVERLAPPING = 2 };

typedef struct dent_check_result {
    dent_outcome outcome;
    uint64_t pair_count;
    const dent_body_contact *pairs; /**< in canonical order */
    uint64_t penetrating_pairs, touching_pairs; /**< by state */
    double max_depth;               /**< over the penetrating pairs; 0 if there is none */
    uint32_t surfaces_as_solids;    /**< bodies that are closed surfaces and were treated as solid */
    uint32_t open_surfaces;         /**< bodies, not strands or points, for which containment was not tested */
    dent_query_counters counters;
} dent_check_result;

/** Checks all bodies of the world at their positions at t0 (filters apply). Results are valid until the next call on
 *  this world. Cancelled: no pairs and no marks are reported. Failure: *result is untouched. */
DENT_API dent_status dent_world_check(dent_world *world, const dent_check_def *def, dent_check_result *result);

/** Return the marks of a body after dent_world_check. One returns a mark per element of the caller (cell, triangle or
 *  segment). The other returns one per vertex, 1 if it is in the interior of another body. They are valid as long as
 *  the result. They return null for a stale id, and after a check that failed or was cancelled. */
DENT_API const uint8_t *dent_check_element_marks(const dent_world *world, dent_body_id id);
DENT_API const uint8_t *dent_check_vertex_marks(const dent_world *world, dent_body_id id);

#ifdef __cplusplus
}
#endif

#endif
