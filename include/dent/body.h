/* dent/body.h — bodies: the defs that describe them, and the properties that dent computes.
 *
 * A body is a solid, a surface, a set of strands or a set of points. A solid has tetrahedra; hexahedra, wedges and
 * pyramids are split into them. A surface has triangles and is closed or open. Strands are polylines with radii: hair,
 * fibres, threads. Points, as of scans or particles, are vertices. Its description (indices, names, ties) is copied
 * when it is added. Its positions are borrowed: each query reads them and nothing writes them.
 *
 * Orientation: a positive tetrahedron has det[p1-p0, p2-p0, p3-p0] > 0. An inverted cell is the same set of points:
 * orientation never changes a result. The corner orders of all cells are drawn in docs/conventions.md.
 */
#ifndef DENT_BODY_H
#define DENT_BODY_H

#include <dent/base.h>
#include <dent/id.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum dent_body_kind {
    DENT_BODY_SOLID = 1,
    DENT_BODY_SURFACE = 2,
    DENT_BODY_STRANDS = 3,
    DENT_BODY_POINTS = 4
} dent_body_kind;

/** Properties of a kind of body: a row of the table of body kinds. */
typedef struct dent_body_kind_info {
    dent_body_kind kind;
    const char *name;         /**< "solid" */
    const char *element_name; /**< "cell" */
    uint32_t dimension;       /**< of an element: 3 for cells, 2 for faces, 1 for segments of strands, 0 for points */
    uint32_t corner_count;    /**< of a plain element: 4 for tetrahedra, 3 for triangles, 2 for segments, 1 for points */
    bool has_cells;           /**< elements have an inside */
} dent_body_kind_info;

/** Returns the row of a kind, or null for an unknown value. Static memory. Threads: any. */
DENT_API const dent_body_kind_info *dent_body_kind_get_info(dent_body_kind kind);

/** Returns true if elements of this kind have an inside. */
static inline bool dent_body_kind_has_cells(dent_body_kind kind)
{
    const dent_body_kind_info *info = dent_body_kind_get_info(kind);
    return info && info->has_cells;
}

/** Cell kinds of a solid, with the number of corners. Corner order, as in VTK: hexahedron bottom 0-3 then top 4-7,
 * wedge bottom 0-2 then top 3-5, pyramid base 0-3 then apex 4. A cell is positive if its bottom turns counter-clockwise
 * seen from the top. VTK's own descriptions of the wedge disagree. A wedge numbered in the opposite sense is therefore
 * positive too if the other cells of the body imply it (docs/conventions.md). A body of such wedges alone is measured
 * as mirrored. */
typedef enum dent_cell_kind {
    DENT_CELL_TETRAHEDRON = 0, /**< 4 corners */
    DENT_CELL_HEXAHEDRON = 1,  /**< 8 corners, up to 6 tetrahedra */
    DENT_CELL_WEDGE = 2,       /**< 6 corners, 3 tetrahedra */
    DENT_CELL_PYRAMID = 3,     /**< 5 corners, 2 tetrahedra */
    DENT_CELL_KIND_COUNT = 4
} dent_cell_kind;

typedef enum dent_scalar { DENT_SCALAR_DOUBLE = 0, DENT_SCALAR_FLOAT = 1 } dent_scalar;

/** Borrowed positions: vertex v has its x, y, z at (const char *)data + v * stride. Floats are widened exactly. The
 * caller may overwrite them between queries without a call to dent. They must stay readable until they are replaced or
 * the body is removed. */
typedef struct dent_positions {
    const void *data;   /**< null: none */
    size_t stride;      /**< bytes from one vertex to the next; 0: packed (24 bytes for double, 12 for float) */
    dent_scalar scalar; /**< type of the three numbers */
} dent_positions;

/** Returns a description of packed doubles, the common case. */
static inline dent_positions dent_positions_double(const double *xyz)
{
    dent_positions positions;
    positions.data = xyz;
    positions.stride = 3 * sizeof(double);
    positions.scalar = DENT_SCALAR_DOUBLE;
    return positions;
}

static inline dent_positions dent_positions_float(const float *xyz)
{
    dent_positions positions;
    positions.data = xyz;
    positions.stride = 3 * sizeof(float);
    positions.scalar = DENT_SCALAR_FLOAT;
    return positions;
}

/** A tie: vertex `vertex` of this body is the same vertex as `other_vertex` of `other`. Pairs of elements that share a
 * vertex are never reported. Equal positions alone do not make vertices the same. A tie survives the removal of
 * `other`. */
typedef struct dent_same_as {
    uint32_t vertex;
    dent_body_id other;
    uint32_t other_vertex;
} dent_same_as;

/** The root of a strand lies on a face of another body (hair on a scalp). Its first segment is then never reported
 * against that face and the faces that share a vertex with it. Forgotten when that body is removed; without effect while
 * that body has no such face. */
typedef struct dent_strand_root {
    uint32_t strand;
    dent_body_id body;
    uint32_t face; /**< index in dent_body_surface_faces */
} dent_strand_root;

/** Marks a body without a thickness of its own: it takes that of the proximity query. Other negative numbers are
 * errors. */
#define DENT_THICKNESS_FROM_QUERY (-1.0)

typedef struct dent_body_def {
    size_t struct_size;
    dent_body_kind kind;

    const char *name; /**< copied; used in messages; null: "body N" */
    void *user;       /**< any pointer of the caller, which dent stores and never follows; null (default): none. See
                           dent_body_user */

    uint32_t vertex_count;
    uint32_t element_count;          /**< cells of a solid, triangles of a surface. 0 for strands, which follow from `first`,
                                          and for points: every vertex is one */
    const uint32_t *element_corners; /**< corner vertices of the elements, one element after the other; copied */
    const uint8_t *cell_kinds; /**< dent_cell_kind of each cell; null (default): all tetrahedra. Surfaces: null */

    dent_positions positions_t0; /**< required before the first query, here or by dent_body_set_positions */
    dent_positions positions_t1; /**< end of the step, for the continuous questions; none by default */
    dent_positions reference; /**< solids: an undeformed shape in which no two cells overlap, copied when the body is
                                   added; none by default. That is checked only in part
                                   (docs/methods/cluster_search.md). It lets methods prove the absence of
                                   self-collision; it never changes a result */

    const dent_same_as *same_as; /**< ties; copied */
    uint32_t same_as_count;

    uint32_t collision_group; /**< bits this body belongs to; default 1 */
    uint32_t collision_mask;  /**< bits it may collide with; default all. a and b are tested iff (group_a & mask_b) and
                                   (group_b & mask_a) are both non-zero */
    bool self_collision;      /**< default true: the body is also tested against itself */

    double thickness; /**< for the questions proximity and strand: a finite length >= 0, or DENT_THICKNESS_FROM_QUERY
                           (default). Strands: the radius of all vertices, unless `radii` gives each its own */

    /* Strands alone; zero and null (default) for other kinds. Segment e of strand s joins the vertices e + s and
     * e + s + 1. Segments are numbered strand by strand from root to tip, as in dent_body_edges. */
    uint32_t strand_count;
    const uint32_t *first;   /**< strand_count + 1 vertices: strand s has the vertices first[s] to first[s + 1] - 1 from
                                  root to tip, two or more. Starts with 0 and ends with vertex_count; copied */
    const double *radii;     /**< null (default): `thickness` for all; or a radius per vertex, finite lengths >= 0, and
                                  `thickness` is not used. A segment has the larger radius of its ends. Copied */
    const dent_strand_root *root_on; /**< by ascending strand, each at most once; copied */
    uint32_t root_on_count;

    bool strict; /**< default false: defects are accepted, counted (dent_body_topology, dent_body_metrics) and their
                      elements tested. True: duplicate elements, unused vertices and non-manifold faces fail with
                      BAD_MESH when the body is added. Inverted (not: mirrored) and flat cells fail at each query */
} dent_body_def;

/** Returns a def of any kind; the four functions below call it with their kind. */
DENT_API dent_body_def dent_body_def_default(dent_body_kind kind);
DENT_API dent_body_def dent_solid_def_default(void);
DENT_API dent_body_def dent_surface_def_default(void);
/** Strands. When they are added, a strand with fewer than two vertices and a `first` that does not ascend fail with
 * BAD_MESH. A negative or not finite radius fails with BAD_NUMBER, more than DENT_SEGMENT_LIMIT segments with
 * TOO_LARGE. The message names the strand or the vertex. */
DENT_API dent_body_def dent_strands_def_default(void);
/** Points: vertex_count of them, and nothing that joins them. They take part as vertices in vertex-cell, proximity,
 * impact, contacts and the penetration check. A point inside a solid or a closed surface penetrates it. Two bodies of
 * points never meet here; dent/cloud.h asks whether their surfaces do. Questions about rotating motion and
 * time-critical ones take no points (UNSUPPORTED). */
DENT_API dent_body_def dent_points_def_default(void);

/** The most segments of one body. */
#define DENT_SEGMENT_LIMIT UINT32_C(0x7fffffff)

/** Properties that follow from the indices alone, computed when the body is added or its topology is replaced. */
typedef struct dent_body_topology {
    dent_body_kind kind;
    uint32_t vertex_count;
    uint32_t element_count;      /**< the caller's cells or triangles; segments of strands; points */
    uint32_t tetrahedron_count;  /**< after splitting; 0 for surfaces */
    uint32_t surface_face_count; /**< cell faces with one cell, or all triangles of a surface */
    uint32_t edge_count;         /**< distinct edges of the elements (of the split ones for solids) */
    uint32_t component_count;    /**< connected through shared vertices; unused vertices do not count. Strands and
                                      points: their number */
    uint32_t boundary_edges;     /**< edges of the surface faces with exactly one surface face */
    uint32_t nonmanifold_edges;  /**< … with more than two */
    uint32_t nonmanifold_faces;  /**< cell faces with more than two cells */
    uint32_t unused_vertices;
    uint32_t duplicate_elements; /**< elements with the same set of corners as an earlier one */
    bool surface_closed; /**< closed and consistently oriented: every surface edge has an even number of faces, as many
                              in one direction as in the other */
    uint32_t first_unused_vertex;      /**< UINT32_MAX when there is none */
    uint32_t first_duplicate_element;  /**< UINT32_MAX when there is none */
    uint32_t first_nonmanifold_element; /**< an element at a non-manifold face or edge; UINT32_MAX when there is none */
} dent_body_topology;

/** Properties that follow from the positions at t0. Signs are exact; quality, bounds and lengths are plain doubles. */
typedef struct dent_body_metrics {
    uint32_t inverted_cells;     /**< caller's cells with at least one negative tetrahedron (0 when mirrored) */
    uint32_t flat_cells; /**< caller's cells with at least one exactly flat tetrahedron; zero-area triangles of a
                              surface; zero-length segments of strands */
    uint32_t first_inverted_cell; /**< UINT32_MAX when there is none */
    uint32_t first_flat_cell;    /**< UINT32_MAX when there is none */
    bool mirrored;      /**< mirror image: no tetrahedron is positive and at least one is negative */
    double min_quality; /**< tetrahedra: 6 sqrt(2) |volume| / (root-mean-square edge)^3; triangles: 4 sqrt(3) area /
                             (sum of squared edges). 1 for regular ones, 0 for flat ones; 1 if the body has none */
    double mean_edge;            /**< mean length of the distinct edges */
    double volume;               /**< sum of |volume| of the tetrahedra; 0 for surfaces */
    double area;                 /**< of the surface faces */
    double lo[3], hi[3];         /**< bounds of all vertices used by an element; 0 when there are none */
} dent_body_metrics;

/** A surface face of a body. For a surface body face f is triangle f. For a solid the list is ordered by (cell,
 * corner). */
typedef struct dent_surface_face {
    uint32_t corners[3]; /**< vertices; counter-clockwise seen from outside when the cell is positive */
    uint32_t cell;       /**< the caller's cell (solids) or triangle (surfaces) */
    uint8_t corner;      /**< tetrahedra: the corner opposite the face, 0-3. Split cells: the face of the cell
                              (docs/conventions.md) */
    uint8_t part;        /**< split cells: which triangle of that face, 0 or 1; otherwise 0 */
    uint16_t is_split;   /**< 1 when the cell is not a tetrahedron: print as cell/face.part instead of cell/corner */
} dent_surface_face;

typedef struct dent_edge {
    uint32_t v0, v1; /**< v0 < v1; lists of edges are sorted by (v0, v1) */
} dent_edge;

#ifdef __cplusplus
}
#endif

#endif
