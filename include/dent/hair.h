/* dent/hair.h — tools for many strands: density, tracked closest pairs, adaptive wisps, covers of helices.
 *
 * The questions of this library answer exactly for every segment. A hair simulation also needs coarser and cheaper
 * tools beside them. They work on your own arrays and need no world. They come from "Hair interactions" (Cani,
 * Bertails 2006) and its sources; docs/methods/hair.md says what was changed.
 *
 *   dent_density            a grid of strand length per volume: forces that keep volume, averaged velocities
 *   dent_strand_tracker     closest points of pairs of strands, followed from step to step: contacts without a search
 *   dent_wisp_tree          strands that move together are one wisp; wisps split and merge while they move
 *   dent_helix_cover        cylinders that contain a piece of a helix (the elements of Super-Helices)
 *
 * Strands are given as in dent_body_def: first[], from root to tip. Units: yours, but consistent. The bits are the same
 * for any thread count, instruction set and machine.
 */
#ifndef DENT_HAIR_H
#define DENT_HAIR_H

#include <dent/contact.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- density ----------------------------------------------------------------------------------------------------- */

/** Direction of the force where strands are too dense. */
typedef enum dent_density_form {
    DENT_DENSITY_GRADIENT = 0,   /**< against the gradient of the density, continuous in space */
    DENT_DENSITY_CELL_CENTRE = 1 /**< away from the centre of the grid cell, as published. It jumps between grid cells
                                      and has no direction at their centres (then: no force) */
} dent_density_form;

typedef struct dent_density_def {
    size_t struct_size;
    double cell_size;       /**< edge of a grid cell, a finite length > 0; set it */
    double limit;           /**< density without force, strand length per volume, >= 0; default 0. The sources use 1.2
                                 times the density at rest */
    double stiffness;       /**< of the force, >= 0, default 1 */
    dent_density_form form; /**< default GRADIENT */
    uint64_t cell_limit;    /**< most grid cells, default 2^24 (32 bytes each); more fail with TOO_LARGE */
} dent_density_def;
DENT_API dent_density_def dent_density_def_default(void);

/** A grid and its memory. After an update of the same size it allocates nothing. Used by one thread at a time. */
typedef struct dent_density dent_density;
/** Returns null if memory runs out. */
DENT_API dent_density *dent_density_create(dent_context *context);
DENT_API void dent_density_destroy(dent_density *density);

/** Strands as all functions of this header take them: first[] has strand_count + 1 ascending vertex indices, positions
 *  (and velocities) 3 numbers per vertex. */
typedef struct dent_strand_set {
    uint32_t strand_count;
    const uint32_t *first;
    uint32_t vertex_count;
    const double *positions;
    const double *velocities; /**< null: 0 */
} dent_strand_set;

/** Clears the grid and deposits every segment: its length at its middle, shared by the eight nearest grid points. The
 *  def is kept for the functions below. Failure: INVALID_ARGUMENT, BAD_NUMBER for a vertex that is not finite (named),
 *  TOO_LARGE, OUT_OF_MEMORY; then the grid is empty. Cost: O(segments + grid cells). */
DENT_API dent_status dent_density_update(dent_density *density, const dent_density_def *def,
                                         const dent_strand_set *strands);

/** Returns the density at a point, strand length per volume, interpolated; 0 outside the grid. Writes its gradient, and
 *  the mean velocity of strands there, unless null. The gradient is interpolated between central differences: it is
 *  continuous. */
DENT_API double dent_density_at(const dent_density *density, const double point[3], double gradient[3],
                                double velocity[3]);

/** Adds a force to every vertex whose density rho exceeds the limit. GRADIENT: -stiffness (rho - limit) grad rho.
 *  CELL_CENTRE: stiffness (rho - limit) limit / cell_size, rho of the grid cell, away from its centre. Returns the
 *  number of vertices that got one. Positions as at the update, or others. */
DENT_API uint64_t dent_density_forces(const dent_density *density, const dent_strand_set *strands, double *forces);

/** Moves velocities towards the mean velocity of strands at their place: v += share (mean - v), share from 0 to 1. */
DENT_API void dent_density_blend(const dent_density *density, const dent_strand_set *strands, double share,
                                 double *velocities);

/* ---- tracked closest pairs --------------------------------------------------------------------------------------- */

typedef struct dent_strand_tracker_def {
    size_t struct_size;
    uint32_t strand_count;
    const uint32_t *first; /**< as in dent_body_def; copied */
    double radius;         /**< a finite length >= 0 of all vertices, if radii is null */
    const double *radii;   /**< null, or one per vertex; copied */
    double spawn;          /**< pairs nearer than this times the sum of radii look for others beside them; default 3 */
    double window;         /**< in segments: how far beside, and half of it: what counts as the same; default 2 */
    uint32_t sweeps;       /**< most alternations of one relaxation, default 8 */
    uint32_t body;         /**< body index that contacts get on both sides, default 0 */
} dent_strand_tracker_def;
DENT_API dent_strand_tracker_def dent_strand_tracker_def_default(void);

/** A place on each of two strands: segment index (0 at the root) plus a parameter in [0, 1]. */
typedef struct dent_tracked_pair {
    uint32_t strand_a, strand_b; /**< a < b */
    double at_a, at_b;
    double distance;
} dent_tracked_pair;

typedef struct dent_strand_tracker_result {
    uint64_t pair_count; /**< tracked now, near or not */
    const dent_tracked_pair *pairs;
    uint64_t contact_count;       /**< pairs no farther apart than the sum of their radii */
    const dent_contact *contacts; /**< EDGE_EDGE, source GAP; feature a and b are first vertices of segments. Ordered by
                                       strands, then places */
    uint64_t strand_pairs;        /**< pairs of strands whose boxes are near */
    uint64_t relaxations, spawned, merged;
} dent_strand_tracker_result;

typedef struct dent_strand_tracker dent_strand_tracker;
/** Failure: INVALID_ARGUMENT, OUT_OF_MEMORY; *tracker is untouched. */
DENT_API dent_status dent_strand_tracker_create(dent_context *context, const dent_strand_tracker_def *def,
                                                dent_strand_tracker **tracker);
DENT_API void dent_strand_tracker_destroy(dent_strand_tracker *tracker);

/** Adds places to track, such as the pairs of an exact search: for pair i the segments that begin at the vertices
 *  vertices_a[i] and vertices_b[i]. Pairs on one strand are ignored. They are relaxed and merged by the next update.
 *  There is no guarantee without them: a second minimum far from all tracked ones is missed. Seed every ten steps or
 *  so. */
DENT_API dent_status dent_strand_tracker_seed(dent_strand_tracker *tracker, uint64_t count, const uint32_t *vertices_a,
                                              const uint32_t *vertices_b);

/** Follows all pairs to the positions (3 per vertex): relaxes, spawns and merges. It keeps at least one pair, from the
 *  roots, for strands whose boxes are near. The result is valid until the next call. Failure: BAD_NUMBER names the
 *  vertex, OUT_OF_MEMORY; the tracked pairs are those before the call. Cost: O(strands^2) box tests and O(pairs near)
 *  relaxations of O(1) segments each. */
DENT_API dent_status dent_strand_tracker_update(dent_strand_tracker *tracker, const double *positions,
                                                dent_strand_tracker_result *result);

/** Counts how many contacts of an exact search the last update has found. Of its pairs (as in seed, with distances) the
 *  local minima are counted. These have no smaller distance at a neighbouring pair of segments in the list. One is
 *  found if a contact lies within `window` segments of it on both strands. Recall is found / total. */
DENT_API dent_status dent_strand_tracker_recall(dent_strand_tracker *tracker, uint64_t count,
                                                const uint32_t *vertices_a, const uint32_t *vertices_b,
                                                const double *distances, uint64_t *total, uint64_t *found);

/* ---- adaptive wisps ---------------------------------------------------------------------------------------------- */

typedef struct dent_wisp_tree_def {
    size_t struct_size;
    uint32_t strand_count;   /**< >= 1 */
    uint32_t row_count;      /**< vertices of every strand, >= 2: row 0 are the roots */
    const double *positions; /**< at rest: 3 * row_count per strand, strand by strand */
    const double *masses;    /**< null: 1; or one per vertex, finite and > 0 */
    double strand_radius;    /**< of a single strand, a length >= 0; default 0 */
    uint32_t level_limit;    /**< deepest level, 0 for one wisp; default 31: down to single strands */
    double
        split_threshold;   /**< a wisp splits where |acceleration| * radius exceeds this; default infinite: never. Wisps
                                  merge below a quarter of it (hysteresis) */
    double merge_distance; /**< siblings merge if none is farther from its place in the parent; a length, default 0:
                                  exact returns only */
    double merge_speed;    /**< … and no relative speed is larger; default 0 */
} dent_wisp_tree_def;
DENT_API dent_wisp_tree_def dent_wisp_tree_def_default(void);

/** A piece of an active wisp: one row of it. It is joined to a node of the row before, so active nodes form trees. */
typedef struct dent_wisp_node {
    uint32_t row, wisp, level;
    uint32_t strand_count; /**< strands that it carries */
    uint32_t parent;       /**< index of the active node of the row before; UINT32_MAX for row 0 */
    double mass;           /**< of its strands in this row */
    double radius;         /**< that contains them: distance to its children at rest plus theirs */
    double position[3], velocity[3];
} dent_wisp_node;

typedef struct dent_wisp_report {
    uint64_t active;         /**< nodes after the call */
    uint64_t splits, merges; /**< of nodes, in this call */
} dent_wisp_report;

typedef struct dent_wisp_tree dent_wisp_tree;
/** Groups the strands into a binary tree by their roots. All wisps are merged at first: one node per row. Failure:
 *  INVALID_ARGUMENT, BAD_NUMBER, OUT_OF_MEMORY; *tree is untouched. Cost: O(rows * strands log strands). */
DENT_API dent_status dent_wisp_tree_create(dent_context *context, const dent_wisp_tree_def *def, dent_wisp_tree **tree);
DENT_API void dent_wisp_tree_destroy(dent_wisp_tree *tree);

/** Returns the active nodes, by row and then by wisp, and writes their number. Valid until the next call that changes the
 *  tree. The dynamics are yours: move the nodes and pass them to dent_wisp_tree_move. */
DENT_API const dent_wisp_node *dent_wisp_tree_nodes(const dent_wisp_tree *tree, uint32_t *count);

/** Sets positions and velocities of all active nodes (3 numbers per node, in their order). BAD_NUMBER changes nothing. */
DENT_API dent_status dent_wisp_tree_move(dent_wisp_tree *tree, const double *positions, const double *velocities);

/** Splits and merges by the accelerations of the active nodes (3 numbers each; null: 0), each node at most once. A wisp
 *  splits from its tip: at a row only if it is split at the next one. Siblings merge from their root: only if they are
 *  merged in the row before. So partitions refine towards the tips and active nodes stay a tree. Momentum is kept to
 *  rounding. `report` may be null. Cost: O(rows * wisps). */
DENT_API dent_status dent_wisp_tree_adapt(dent_wisp_tree *tree, const double *accelerations, dent_wisp_report *report);

/** Active segments as strands, for a body of strands that answers the same questions. Chains without branches are one
 *  strand each; a chain that leaves a branch starts with a copy of that node. */
typedef struct dent_wisp_strands {
    uint32_t strand_count, vertex_count;
    const uint32_t *first;    /**< strand_count + 1 */
    const double *positions;  /**< 3 per vertex */
    const double *velocities; /**< 3 per vertex */
    const double *radii;      /**< one per vertex */
    const uint32_t *nodes;    /**< active node of each vertex: chains that touch in a branch share one */
} dent_wisp_strands;
/** Fails with OUT_OF_MEMORY. Valid until the next call that changes the tree. Row 1 and later: a tree with one row of
 *  nodes has no strands. */
DENT_API dent_status dent_wisp_tree_strands(dent_wisp_tree *tree, dent_wisp_strands *strands);

/** Writes the positions of all vertices of all strands (3 * row_count per strand). They are those of their active nodes
 *  plus the offsets that they had when they merged. */
DENT_API void dent_wisp_tree_interpolate(const dent_wisp_tree *tree, double *positions);

/* ---- helices ----------------------------------------------------------------------------------------------------- */

/** A piece of a curve with constant curvature and torsion, and a tube around it. A straight line has curvature 0, a
 *  circle torsion 0. The helix has the radius curvature / (curvature^2 + torsion^2) and makes
 *  length * sqrt(curvature^2 + torsion^2) / (2 pi) turns. */
typedef struct dent_helix_piece {
    double start[3];
    double tangent[3]; /**< direction at the start; not zero, need not be unit */
    double normal[3];  /**< towards the inside of the curve; its part along the tangent does not count, the rest is not
                            zero */
    double curvature;  /**< >= 0, 1 / length */
    double torsion;    /**< 1 / length; > 0 turns like a right-hand screw */
    double length;     /**< >= 0, of the arc */
    double radius;     /**< >= 0, of the tube */
} dent_helix_piece;

/** A cylinder with flat ends: all points whose nearest point of the line through a and b lies between them, at most
 *  `radius` away. The capsule with the same numbers contains it, so covers can be used as segments of strands. */
typedef struct dent_cylinder {
    double a[3], b[3];
    double radius;
} dent_cylinder;

/** Writes one or two cylinders that contain the tube, and returns their number. Containment holds for the real curve of
 *  these numbers, rounding included:
 *
 *   - at least one turn, and a pitch below four radii of the helix: one cylinder about its axis (also where that is
 *     tighter than along the chord)
 *   - else, if the arc is nowhere farther than `radius` from its chord: one cylinder along the chord
 *   - else two, along the chords of both halves
 *
 *  Returns 0, and writes nothing, if a number is out of range or the result overflows. Cost: O(1), 65 points of the
 *  curve for each cylinder. */
DENT_API uint32_t dent_helix_cover(const dent_helix_piece *piece, dent_cylinder cylinders[2]);

/** Computes the point at the arc length s (0 to length) and, unless null, the unit tangent there. Error: below
 *  2^-48 * (s + largest |start|) for s * sqrt(curvature^2 + torsion^2) up to 2048. Returns false, and writes nothing,
 *  if a number is out of range. */
DENT_API bool dent_helix_point(const dent_helix_piece *piece, double s, double point[3], double tangent[3]);

#ifdef __cplusplus
}
#endif

#endif
