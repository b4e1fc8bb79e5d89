/* dent/border.h — where bodies pass through one another: crossing curves, cut edges, border vertices.
 *
 * Requested with a query (dent_query_def.border) and returned with its result (dent_query_result.border), for every
 * method. A solver needs it to start a response: where the surfaces cross, which mesh edges leave the other body, where
 * exactly and through which face.
 *
 *   crossing curves   the segments in which surface faces cross, chained into polylines. At every point an edge of one
 *                     surface pierces a face of the other. Every segment lies on one face of each.
 *   cut edges         every mesh edge of a that is pierced by a surface face of b: point, parameter along the edge,
 *                     unit normal of the face. Interior edges of solids count.
 *   border vertices   vertices of a in a cell of b with at least one edge that is cut by b's surface, and these edges.
 *
 * a and b may be the same body. Filters (collision groups, self_collision) apply. Faces, cells and edges are numbered
 * as elsewhere (dent_body_surface_faces, dent_body_edges).
 *
 * Exactness. All incidences are decided by exact signs of positions moved by an infinitesimal amount (simulation of
 * simplicity; vertices ordered by body index and vertex index). No sign is ever zero. So neither rounding nor exact
 * degeneracies (touching grids, identical copies, faces in one plane) cause gaps or branches in curves. Records that
 * exist for the moved positions only are marked `degenerate`:
 *
 *   - a segment that is no `crossing` of two faces in the sense of face-face (they touch or share area);
 *   - a point or cut edge where one of the deciding volumes is exactly zero (an edge through an edge or corner of a
 *     face).
 *
 * By default a curve is reported if at least one of its segments is a real crossing; then all of its segments are.
 * The real segments are exactly the `crossing` pairs of face-face, plus crossing faces that share a vertex (which
 * face-face never reports). Bodies that only touch have no border. With `degenerate`, all curves are reported.
 *
 * Records, order and bits are the same for every method, thread count and instruction set. The world owns the arrays;
 * they are valid until the next call on it. After warm-up nothing is allocated. Cost: a refit and a crossing search of
 * the surfaces, O(surface faces + segments), and a few signs per face-cell pair. Failure: the query fails.
 */
#ifndef DENT_BORDER_H
#define DENT_BORDER_H

#include <dent/world.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dent_border_def {
    size_t struct_size;
    bool curves_only; /**< default false. True: no cut edges and no border vertices. Cheaper: cells are not tested */
    bool surface_edges_only; /**< default false. True: no cut edges inside solids, and border vertices by edges of the
                                surface alone. Cheaper: face-cell is not searched */
    bool no_stars;   /**< default false. True: faces around one vertex are not tested against each other. Cheaper for
                          bodies that may cross themselves; where one does so there, curves have gaps */
    bool degenerate; /**< default false. True: also curves without any real crossing, and the cut edges on them */
} dent_border_def;

DENT_API dent_border_def dent_border_def_default(void);

/** A polyline on the surfaces of two bodies, or of one (body_a == body_b). Curves are ordered by (body_a, body_b), then
 *  by their smallest segment (face, face). A curve runs along normal(face_a) x normal(face_b), at its smallest segment
 *  and wherever the surfaces are consistently oriented. It is closed unless a surface ends there. An open curve ends at
 *  a boundary edge of a surface, or at a vertex whose surrounding faces cross one another. */
typedef struct dent_border_curve {
    uint32_t body_a, body_b;      /**< body indices, body_a <= body_b */
    uint32_t first_point;         /**< index in dent_border.points */
    uint32_t first_segment;       /**< index in dent_border.segments */
    uint32_t segment_count;       /**< segment i: from point i to i + 1; in a closed curve the last one to point 0 */
    uint32_t point_count;         /**< segment_count, or segment_count + 1 if open */
    uint32_t degenerate_segments; /**< number of degenerate segments */
    bool closed;
} dent_border_curve;

typedef enum dent_border_point_kind {
    DENT_BORDER_EDGE_FACE = 1, /**< edge that pierces a face */
    DENT_BORDER_VERTEX = 2     /**< end of a curve at a vertex that both faces share: `edge` and `face` are its index */
} dent_border_point_kind;

typedef struct dent_border_point {
    uint32_t edge_body, edge; /**< the piercing edge (dent_body_edges) */
    uint32_t face_body, face; /**< the pierced surface face */
    uint32_t kind;            /**< dent_border_point_kind */
    bool degenerate;
    double parameter;   /**< 0 at the edge's v0, 1 at v1 */
    double position[3]; /**< fixed double arithmetic; finite, within the box of the face */
} dent_border_point;

/** The faces that a segment lies on. Along the whole curve face_a stays on one sheet of the surface, face_b on the
 *  other. In a curve of a body with itself face_a may therefore be the larger index. */
typedef struct dent_border_segment {
    uint32_t face_a, face_b;
    bool degenerate;
} dent_border_segment;

/** Ordered by (body_a, edge, body_b, face). The list has the pierced edges of a's surface that lie on the reported
 *  curves. It also has the interior edges of a pierced by a face of b that meets (face-cell) a cell at that edge. */
typedef struct dent_cut_edge {
    uint32_t body_a, edge; /**< body index; index in dent_body_edges */
    uint32_t v0, v1;       /**< its vertices, v0 < v1 */
    uint32_t body_b, face; /**< the surface face that pierces it */
    bool v0_inside;        /**< this end lies in an open cell of body b (a vertex-cell pair) */
    bool v1_inside;
    bool degenerate;
    double parameter; /**< 0 at v0, 1 at v1 */
    double point[3];
    /** Unit normal of the face by the order of its corners: outward if b's cells are positive. For a face without area
     *  a unit vector normal to its longest side from the first corner; never NaN. */
    double normal[3];
} dent_cut_edge;

/** Ordered by (body_a, vertex, body_b). With surface_vertices_only: only vertices on surfaces. */
typedef struct dent_border_vertex {
    uint32_t body_a, vertex, body_b;
    uint32_t first_edge, edge_count; /**< its cut edges: a range of vertex_edges */
} dent_border_vertex;

typedef struct dent_border {
    const dent_border_vertex *vertices;
    uint64_t vertex_count;
    const uint32_t *vertex_edges; /**< indices in cut_edges, vertex by vertex */
    uint64_t vertex_edge_count;
    const dent_cut_edge *cut_edges;
    uint64_t cut_edge_count;
    const dent_border_curve *curves;
    uint64_t curve_count;
    const dent_border_point *points;
    uint64_t point_count;
    const dent_border_segment *segments;
    uint64_t segment_count;
    uint64_t ns; /**< time in addition to that of the questions */
} dent_border;

#ifdef __cplusplus
}
#endif

#endif
