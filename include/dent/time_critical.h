/* dent/time_critical.h — the best result by a deadline, with its error; for haptics, training, games.
 *
 * The question: which surface faces of two bodies (or of one, with itself) cross, as in `face-face`? For solids and
 * closed surfaces also: which whole boundary components of one lie inside the other? The search refines pairs of
 * bounding volumes and can be stopped at any time. It then reports:
 *
 *   confirmed   leaf pairs with at least one pair of faces that was proved to cross (exact predicates)
 *   pending     pairs of nodes that are neither separated nor finished: every crossing pair of faces that is not
 *               confirmed lies below one of them. So an empty list means proven separate, never "ran out"
 *   bounds      per entry lo <= gap <= hi for the distance of the two nodes' surfaces; over all entries `error`
 *               (largest hi - max(lo, 0) of a pending entry) and `depth` (largest -lo of any entry). Neither rises
 *               during one search
 *
 * Strands. A tree of strands holds segments where others hold faces: face indices are then segments, `gap` is measured
 * between their round surfaces. For two trees of strands, or one with itself, the pairs are those of dent_world_strands
 * for these bodies. Radii are their own (0 for bodies without one). For strands and a surface or solid they are
 * segments that cross or touch a face, or come as near to it as their radius. A segment has the larger radius of its
 * ends. The thickness of the surface does not count. The first segment of a strand is not reported with the face its
 * root lies on, nor with faces that share a vertex with that. The kind is CROSSING where a segment crosses a face,
 * TOUCHING elsewhere. Components are whole strands.
 *
 * A complete search has error 0. Its pairs, sorted, are those of dent_world_query(DENT_QUESTION_FACE_FACE) for the two
 * bodies. With a budget in work units every list is identical on every machine, for every instruction set and thread
 * count. Two budgets in a row give exactly the result of their sum.
 *
 * Objects: a dent_bound_tree holds the surface of one body as a hierarchy of bounding volumes. A dent_time_critical is
 * a search between two trees with lists of fixed capacity. A step:
 *
 *   dent_bound_tree_update(tree_a);                     new positions: O(n); of an embedding: O(coarse)
 *   dent_bound_tree_update(tree_b);
 *   dent_time_critical_begin(search, NULL);             from the roots, or from the last front
 *   dent_time_critical_run(search, budget, &result);    stops by the deadline
 *   dent_time_critical_run(search, budget, &result);    … continues where it stopped
 *
 * Threads: one tree and one search are used by one thread at a time. A search writes to trees of embeddings, whose nodes are
 * computed when first visited, so two searches that share such a tree must take turns. `run` uses one thread. It
 * allocates nothing, takes no lock and makes no system call (the clock is read through the vdso where the system has
 * one).
 */
#ifndef DENT_TIME_CRITICAL_H
#define DENT_TIME_CRITICAL_H

#include <dent/query.h>
#include <dent/embedding.h>

#include <math.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- bounding trees ---------------------------------------------------------------------------------------------- */

typedef struct dent_bound_tree dent_bound_tree;

typedef enum dent_bound_kind {
    DENT_BOUND_SPHERES = 0, /**< balls; the only kind for embeddings */
    DENT_BOUND_BOXES = 1,   /**< boxes along the axes */
    DENT_BOUND_DOP14 = 2,   /**< boxes cut by slabs across the 4 diagonals of a cube (14 half-spaces) */
    DENT_BOUND_DOP18 = 3, /**< … the 6 diagonals of its sides (18). Cuts are used if both trees have the same kind */
    DENT_BOUND_AUTO = 4   /**< 18-DOPs, the tightest by a deadline; balls for embeddings and medial trees */
} dent_bound_kind;

typedef enum dent_bound_builder {
    /** Top-down splits into halves of equal count across the longest axis of the covariance of the face centres. */
    DENT_BUILD_SPLIT = 0,
    /** Division of the faces among a few balls of the medial axis, level by level, for closed surfaces and solids. Slow
     *  to build (seconds for 10,000 faces). Its nodes have inner balls (dent_bound_node). docs/methods/time_critical.md
     *  has figures of both. */
    DENT_BUILD_MEDIAL = 1
} dent_bound_builder;

typedef struct dent_bound_tree_def {
    size_t struct_size;
    dent_bound_kind kind;       /**< default AUTO; the approximate response below needs SPHERES */
    dent_bound_builder builder; /**< default SPLIT */
    uint32_t branching;         /**< children of a node: 2, 4 or 8 (default 8) */
    uint32_t leaf_faces;        /**< maximum number of faces of a leaf: 1 to 16; default 4 */
    dent_embedding
        *embedding; /**< null (default): the body's own positions. Else the tree follows this model, and the body
                              must be its dense body (same number of vertices). Borrowed: must outlive the tree */
} dent_bound_tree_def;
DENT_API dent_bound_tree_def dent_bound_tree_def_default(void);

/** Builds a tree over the surface faces, or segments of strands, of a body, and updates it. The positions are those at
 * t0 (for an embedding, its rest shape). O(n log n). Copies the faces. Without an embedding, dent_bound_tree_update
 * needs the world and the body. Fails with BAD_NUMBER for positions that are not finite and with INVALID_ARGUMENT for a
 * bad def. Fails with UNSUPPORTED for a medial tree of an open surface or of strands, strands of an embedding, or boxes
 * or k-DOPs of an embedding. */
DENT_API dent_status dent_bound_tree_create(dent_world *world, dent_body_id body, const dent_bound_tree_def *def,
                                            dent_bound_tree **tree);
/** Destroys the tree. Null is allowed. Destroy searches that use it before. */
DENT_API void dent_bound_tree_destroy(dent_bound_tree *tree);

/** Reads and checks the body's current positions at t0 (and radii of strands) and refits every node, in parallel, with bounds rounded outward.
 * O(n). For an embedding it records the move and computes the few upper nodes; the others follow when visited.
 * O(coarse). No allocation. On failure (STALE_ID, BAD_NUMBER: message of the world) the tree is unchanged. Searches
 * begun before must begin again. */
DENT_API dent_status dent_bound_tree_update(dent_bound_tree *tree);

typedef struct dent_bound_tree_info {
    uint32_t faces, nodes, leaves, levels; /**< levels: 1 for a root alone */
    uint64_t bytes;
    uint64_t build_ns;
} dent_bound_tree_info;
DENT_API dent_bound_tree_info dent_bound_tree_get_info(const dent_bound_tree *tree);

/** A node in its current state; node 0 is the root. The faces below it are order[first_face … first_face + face_count -
 *  1] of dent_bound_tree_face_order. Nodes of trees of embeddings are computed if needed. */
typedef struct dent_bound_node {
    double center[3], radius; /**< a ball that contains all its faces (boxes: around the box) */
    double lo[3], hi[3];      /**< the box; not for balls */
    double error;             /**< no point of the volume is farther than this from the node's faces */
    double inner_center[3];   /**< medial trees: of a ball that lies inside the solid as it is now. At rest it is the
                                 medial ball of the node's faces. It follows cells, or the best rigid motion of a
                                 surface, and shrinks by bounds of the strain */
    double inner_radius;      /**< its radius; 0: none is known */
    double protrusion;        /**< medial trees: the ball around inner_center that holds the node's faces stands out of
                                 the inner ball by no more than this; without one, `error`. Other trees: the radius */
    uint32_t first_face, face_count;
    uint32_t first_child, child_count; /**< child_count 0: a leaf */
    uint32_t level;                    /**< root 0 */
} dent_bound_node;
/** Returns a node; `node` is below info.nodes. */
DENT_API dent_bound_node dent_bound_tree_node(dent_bound_tree *tree, uint32_t node);

enum { DENT_BOUND_SLABS_MAX = 9 };
/** One pair of parallel planes of a box or k-DOP: lo <= direction . p <= hi for every point p of the node's faces.
 *  Components of the direction are 0, 1 or -1; its length is not 1. If sums of coordinates may overflow, the ends of a
 *  slanted slab are infinite. */
typedef struct dent_bound_slab {
    double direction[3];
    double lo, hi;
} dent_bound_slab;
/** Writes the slabs of a node whose intersection is its volume, the axes first, for pictures and for your own tests.
 *  Returns their number: 3 for boxes, 7 and 9 for DOP14 and DOP18, 0 for balls. */
DENT_API uint32_t dent_bound_tree_slabs(const dent_bound_tree *tree, uint32_t node,
                                        dent_bound_slab slabs[DENT_BOUND_SLABS_MAX]);
/** Returns the face indices in the order of the tree. Valid as long as the tree. */
DENT_API const uint32_t *dent_bound_tree_face_order(const dent_bound_tree *tree);

/* ---- the search -------------------------------------------------------------------------------------------------- */

typedef struct dent_time_critical dent_time_critical;

typedef enum dent_refine_order {
    DENT_REFINE_PRIORITY = 0,      /**< largest error first (sixteen buckets to the octave); lowers `error` fastest,
                                      `depth` late */
    DENT_REFINE_BREADTH_FIRST = 1, /**< the order of the source paper */
    DENT_REFINE_DEPTH_FIRST = 2,   /**< for comparison: leaves whole branches untested */
    DENT_REFINE_DEEPEST = 3, /**< largest overlap in proportion to size first: finds crossings early, bounds late */
    DENT_REFINE_DEPTH = 4,   /**< largest overlap first: lowers `depth` fastest */
    DENT_REFINE_SIZE = 5     /**< largest volumes first: balls of even size, which give the smoothest forces */
} dent_refine_order;

typedef struct dent_time_critical_def {
    size_t struct_size;
    dent_bound_tree *tree_a, *tree_b; /**< borrowed; the same tree twice: the body with itself. (Two trees of one body
                                         are two bodies that coincide: each pair is found from both sides) */
    dent_refine_order order;          /**< default PRIORITY */
    uint32_t pending_capacity;        /**< entries, 1 to 2^24; default 65536. 40 bytes each. If it is full, pairs stay
                                         unrefined: outcome TRUNCATED */
    uint32_t confirmed_capacity;      /**< leaf pairs, 1 to 2^28; default 16384. 32 bytes each */
    uint32_t pair_capacity;  /**< pairs of faces, 1 to 2^28; default 65536. 12 bytes each. Leaf pairs that may not fit
                                stay pending */
    uint32_t front_capacity; /**< pairs of nodes kept for the next step, up to 2^28; default 0: none is kept. 32 bytes
                                each */
    bool touching;           /**< default false. True: also find pairs that only touch, as in dent_query_def */
    bool no_containment;     /**< default false. True: do not search for components inside the other body */
} dent_time_critical_def;
DENT_API dent_time_critical_def dent_time_critical_def_default(void);

/** Allocates all memory that the search will ever use. For INVALID_ARGUMENT the context's message names the field. */
DENT_API dent_status dent_time_critical_create(dent_context *context, const dent_time_critical_def *def,
                                               dent_time_critical **search);
DENT_API void dent_time_critical_destroy(dent_time_critical *search);

typedef struct dent_time_critical_start {
    bool reuse_front; /**< start with the pairs at which the last search ended (or stopped) instead of the roots. Each
                         is tested again before it counts; if all children of a pair are apart, the pair itself takes
                         their place. Starts at the roots if there is no front (front_capacity 0 or too small). A
                         complete search gives the same result. */
} dent_time_critical_start;

/** Clears the lists and starts again with the current trees. Null start: from the roots. O(front). */
DENT_API void dent_time_critical_begin(dent_time_critical *search, const dent_time_critical_start *start);

typedef struct dent_budget {
    double ns;           /**< nanoseconds from the moment `run` is called, >= 0; INFINITY: no deadline */
    uint64_t work_units; /**< a test of two volumes (or of the boxes of two faces) costs 1. An exact test of two faces
                            (or of a ray and a face) costs 4 more. UINT64_MAX: no limit. A refinement starts while the
                            units used so far (over all runs since begin) are below the units granted so far. Units left
                            unused at a deadline lapse */
    const int *interrupt; /**< null, or a flag polled about every microsecond (read as an atomic int, so another thread
                             or a signal handler may set it). Non-zero: `run` returns with outcome CANCELLED and all it
                             has; the next run continues. As at a deadline, unused units lapse */
} dent_budget;
static inline dent_budget dent_budget_ns(double ns)
{
    dent_budget budget;
    budget.ns = ns;
    budget.work_units = UINT64_MAX;
    budget.interrupt = 0;
    return budget;
}
static inline dent_budget dent_budget_units(uint64_t units)
{
    dent_budget budget;
    budget.ns = INFINITY;
    budget.work_units = units;
    budget.interrupt = 0;
    return budget;
}

/** A pair of nodes. `queue` is internal. */
typedef struct dent_region_pair {
    uint32_t node_a, node_b; /**< nodes of tree_a and tree_b */
    double lo;               /**< lower bound of the gap; negative: the volumes overlap by this much. lo <= gap */
    double error;      /**< hi - max(lo, 0): gap <= max(lo, 0) + error. For two bodies hi is the distance of one vertex
                          below each node, or the bound from the volumes if that is less. For a body with itself it is
                          the latter */
    uint32_t queue[4]; /**< internal */
} dent_region_pair;

/** A leaf pair with crossing faces: pairs[first_pair … first_pair + pair_count - 1] of the result. */
typedef struct dent_confirmed_pair {
    uint32_t node_a, node_b;
    double lo, error;
    uint32_t first_pair, pair_count;
} dent_confirmed_pair;

typedef struct dent_face_pair {
    uint32_t face_a, face_b; /**< surface faces (strands: segments) of body a and body b; for one body with itself:
                                  face_a < face_b */
    uint32_t kind;           /**< dent_pair_kind */
} dent_face_pair;

/** Location of a boundary component (faces connected through vertices) of one body relative to the other. */
typedef enum dent_component_state {
    DENT_COMPONENT_PENDING = 0, /**< undecided: it may be inside */
    DENT_COMPONENT_OUTSIDE = 1,
    DENT_COMPONENT_INSIDE = 2,   /**< it crosses nothing, and all its vertices that are not on the other's surface lie
                                    inside: winding number of the other's surface not zero */
    DENT_COMPONENT_CROSSING = 3, /**< one of its faces is in a confirmed pair. Or none is, but it touches the other's
                                    surface and has vertices on both sides. An octahedron whose equator lies in a face
                                    of the other is one */
    DENT_COMPONENT_ON = 4        /**< it crosses nothing and all its vertices lie on the other's surface */
} dent_component_state;

typedef struct dent_component {
    uint32_t side;       /**< 0: a component of body a, tested against body b; 1: of body b, tested against body a */
    uint32_t first_face; /**< its smallest face */
    uint32_t state;      /**< dent_component_state */
} dent_component;

typedef struct dent_time_critical_result {
    dent_outcome outcome; /**< COMPLETE; BUDGET_SPENT; CANCELLED by the interrupt flag; TRUNCATED: a list is full,
                             `run` cannot continue. All have their lists and bounds */

    const dent_region_pair *pending; /**< in no particular order */
    uint32_t pending_count;
    const dent_confirmed_pair *confirmed;
    uint32_t confirmed_count;
    const dent_face_pair *pairs; /**< in the order found */
    uint32_t pair_count;
    /** Components tested against a solid with a closed boundary or a closed surface. Components against an open surface
     * are not in the list. OUTSIDE at once if the trees are apart. */
    const dent_component *components;
    uint32_t component_count, components_pending;

    double error; /**< bound: the largest `error` of a pending entry, rounded up by at most 1/16; the smallest since
                     begin; 0 if complete. An earlier list, which this one refines, may have reached it */
    double pending_error; /**< … of the entries listed now. Above `error` if the parts of a split pair are farther apart
                             than the pair was: order PRIORITY takes them next */
    double depth; /**< bound: no overlap of surfaces is deeper than this; the smallest since begin; 0: none overlap */

    uint64_t work_units;                                     /**< used since begin */
    uint64_t splits, bound_tests, face_tests, nodes_updated; /**< since begin */
    uint32_t levels_done;    /**< every pending entry is at least this deep: the smaller of its nodes' levels, leaves
                                counted as deepest */
    uint64_t ns;             /**< wall time of this run */
    uint64_t overrun_ns;     /**< part of it beyond the deadline */
    uint64_t worst_batch_ns; /**< longest time between two readings of the clock in this run */
    uint64_t exact_fallbacks;
} dent_time_critical_result;

/** Continues until the search is complete, the budget is spent or its flag is set. The search owns the arrays in *result; they are valid
 * until its next call. The time to return after the last reading of the clock does not depend on the lists' lengths.
 * Failure changes nothing and sets the context's message. BAD_NUMBER: a budget that is negative or NaN.
 * INVALID_ARGUMENT: a tree was updated since `begin`, an embedding was moved since its tree was updated, or `begin`
 * was never called. Positions of a body may be overwritten at any time: the tree has its own copy. */
DENT_API dent_status dent_time_critical_run(dent_time_critical *search, dent_budget budget,
                                            dent_time_critical_result *result);

/* ---- probabilistic bounds ---------------------------------------------------------------------------------------- */

typedef struct dent_region_estimate_def {
    size_t struct_size;
    uint32_t samples;  /**< pending entries to draw, with repetition: 1 to 2^20; default 64 */
    double confidence; /**< of each statement below, between 0 and 1; default 0.95 */
    uint64_t seed;     /**< default 1; the same seed gives the same draws */
} dent_region_estimate_def;
DENT_API dent_region_estimate_def dent_region_estimate_def_default(void);

/** What randomly drawn entries say of all pending ones. Each statement holds with the confidence of the def, over the
 *  draws, whatever the bodies are. */
typedef struct dent_region_estimate {
    uint32_t samples; /**< entries drawn; 0 if nothing is pending */
    double gap;       /**< the largest upper bound of a true gap among those drawn, and … */
    double share;     /**< … at most this share of the pending entries has a larger true gap */
    double mean;      /**< the mean of these bounds over those drawn, and … */
    double mean_bound; /**< … the mean true gap of all pending entries (the expected error) is at most this */
} dent_region_estimate;

/** Estimates, after a run, how far the pending entries really are from touching. `error` is certain, and may be many
 * times the true gaps. Each drawn entry is searched down to one pair of leaves, so it costs O(levels) tests; finding the
 * range is O(pending). Does not change the search or its lists. No allocation. INVALID_ARGUMENT: a bad def, a body with
 * itself, strands, or trees that were updated since `begin`. */
DENT_API dent_status dent_time_critical_estimate(dent_time_critical *search, const dent_region_estimate_def *def,
                                                 dent_region_estimate *estimate);

/* ---- approximate response ---------------------------------------------------------------------------------------- */

typedef struct dent_sphere_response_def {
    size_t struct_size;
    double stiffness; /**< force per length of depth, >= 0; default 1 */
    double optimism; /**< 0 … 1: interpolates the depth between the certain part (0) and the balls' overlap (1). The
                        certain part is that by which the inner balls of two medial trees overlap. Default 1, as other
                        trees have none */
    bool confirmed_only; /**< default false: pending entries push too. True: they do so only while there is no confirmed
                            one */
    double last_direction[3]; /**< used if two centres coincide, e.g. the direction returned before; default 0: the
                                 bodies' centres, else +z */
} dent_sphere_response_def;
DENT_API dent_sphere_response_def dent_sphere_response_def_default(void);

typedef struct dent_sphere_response {
    double force[3];    /**< total on body a; body b gets the opposite */
    double torque_a[3]; /**< torque of the contact forces minus that of the forces spread over body a. It is 0 but for
                           rounding if weights could be found, or if a's tree is of an embedding without collapsed
                           facets */
    double torque_b[3];
    double direction[3]; /**< mean direction, unit, from b to a; 0 if there is no force */
    double depth;        /**< mean depth, weighted as the forces */
    uint32_t regions;    /**< entries that pushed */
    uint32_t uniform;    /**< sides of entries with uniform weights, because no moderate ones kept the torque */
} dent_sphere_response;

/** Computes forces from the regions of the last result of `search` (between two trees of balls). Each pair of balls
 * pushes along the line of its centres with stiffness times its depth. The force is scaled by the pair's share of the
 * overlap area of all pairs, so that refinement does not multiply it. It is spread over the vertices of each node with
 * the least-norm weights that sum to 1 and have their mean on that line. For trees of embeddings it is spread over the
 * coarse nodes. Without such weights they are uniform, and facets of an embedding get the missing torque as couples.
 *
 * forces_a and forces_b (3 per vertex; per coarse vertex for trees of embeddings) are added to, never cleared. Null: not
 * wanted, and the torque of that side is not computed. Cost: O(vertices below the regions), O(regions) if both are
 * null; no allocation. Limit: balls on a surface do not measure how deep the bodies overlap. The depth shrinks with the
 * balls as the search continues. So use the same budget in work units for the same feel, or the confirmed pairs with a
 * response of your own.
 *
 * Failure writes nothing. INVALID_ARGUMENT: a bad def, a search of a body with itself, or one that has not begun. Also
 * one whose trees were updated or embeddings moved since. UNSUPPORTED: not both trees have balls. BAD_NUMBER: bodies
 * that reach beyond 1e70 or forces beyond 1e200, whose squares would overflow. */
DENT_API dent_status dent_sphere_response_compute(dent_time_critical *search, const dent_sphere_response_def *def,
                                                  double *forces_a, double *forces_b, dent_sphere_response *response);

#ifdef __cplusplus
}
#endif

#endif
