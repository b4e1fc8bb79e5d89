/* Leaves of the cluster search: a handful of cells laid out for the vector unit.
 *
 * A cluster has at most 32 vertices, whose coordinates fill two registers an axis; corners are bytes into them, so any
 * corner of any cell is fetched by a lane permute instead of a gather. All arithmetic is float without contraction, the
 * same operations in every row of the table, so every instruction set takes the same decisions; but for the certificates
 * (cluster_strain.h), whose sums are taken in the order of the lanes: each proves what it says, not all prove the same.
 *
 * Coordinates are rounded from doubles by one monotone map, x -> float((x - centre) * scale), with |result| <= 1. Two
 * facts carry everything: rounding is monotone, so boxes that are apart in float are apart; and the absolute error of a
 * coordinate is at most CLUSTER_INPUT_ERROR (half a float ulp below 1, and two roundings in double).
 *
 * Bound of a determinant s of differences (u = 2^-24, e = CLUSTER_INPUT_ERROR < 0.501 u). With X, Y, Z upper bounds of
 * the true and of the computed differences of each axis: rounding is at most 48 u XYZ (the count of
 * orientation_predicates.h), and moving both ends of every difference by e changes each of the six products by at most
 * 2e (YZ + XZ + XY): together
 *
 *     |s^ - s| <= 48 u XYZ + 12 e (YZ + XZ + XY) <= 48 u XYZ + 6.02 u (YZ + XZ + XY).
 *
 * The fourth side of a tetrahedron is taken as s0 = V - s1 - s2 - s3: four times that, and three roundings of sums of
 * at most 24 XYZ: at most 72 u XYZ. So all sides are compared with
 *
 *     bound = 272 u XYZ + 25 u (YZ + XZ + XY),                    X = computed extent + 2e,
 *
 * which leaves 2 % for the roundings of the bound itself. Since X, Y, Z >= 2e the bound is above 2^-70: float underflow
 * is far below.
 *
 * Where floats leave much open the leaves have a second form in doubles (cluster_leaf_doubles.h, where its bounds are):
 * what it leaves open differs between instruction sets, since some fuse multiplications and additions. Open pairs get
 * the exact test, so answers do not differ.
 */
#ifndef DENT_STRUCTURES_CLUSTER_KERNELS_H
#define DENT_STRUCTURES_CLUSTER_KERNELS_H

#include <stdbool.h>
#include <stdint.h>

#include "simd/kernel_choice.h"

enum { CLUSTER_VERTICES = 32, CLUSTER_CELLS = 48, CLUSTER_FACES = 64, PIECE_CLUSTERS = 16 };

#define CLUSTER_INPUT_ERROR (0x1.008p-25f)

/* What never changes while a mesh deforms, in two parts: every query reads the first of all clusters, and the second of
 * those that meet something. Unused places: vertices repeat the first one, corners and masks are 0. */
struct cluster {
    _Alignas(64) uint32_t vertices[CLUSTER_VERTICES]; /* of the body */
    uint32_t owned;                  /* vertices that are asked about in this cluster and in no other */
    uint32_t owned_surface;          /* ... those on the surface */
    uint32_t surface;                /* vertices on the surface, owned or not */
    uint32_t on_faces;               /* corners of the faces of this cluster */
    uint32_t first_cell, first_face; /* in the lists of the body */
    uint8_t vertex_count, cell_count, face_count;
};

struct cluster_corners {
    _Alignas(64) uint32_t cells[CLUSTER_CELLS]; /* slots of the four corners, a byte each, the first in the lowest */
    uint32_t cell_vertices[CLUSTER_CELLS];      /* the same as sets of bits */
    uint8_t faces[3][CLUSTER_FACES];
};

struct cluster_points {
    _Alignas(64) float x[3][CLUSTER_VERTICES];
};

struct cluster_box {
    float lo[3], hi[3]; /* lo > hi: empty */
};

/* Sixteen boxes side by side; empty ones meet nothing. */
struct box_group {
    _Alignas(64) float lo[3][PIECE_CLUSTERS], hi[3][PIECE_CLUSTERS];
};

/* The slot of corner k of a cell in its cluster. */
static inline uint32_t cluster_corner(uint32_t corners, int k)
{
    return corners >> 8 * k & 255;
}

/* The cells of one cluster in one snapshot: what the leaves compare with. Boxes, and the bounds of the sides of points in
 * them, are computed when first needed. */
struct leaf_cells {
    _Alignas(64) float lo[3][CLUSTER_CELLS], hi[3][CLUSTER_CELLS], bound[CLUSTER_CELLS];
    const uint32_t *identities; /* of the vertices; equal numbers: same vertex. Read only with others to compare */
    const struct cluster *cluster;
    const struct cluster_corners *corners;
    const struct cluster_points *points;
    struct cluster_box box;
    bool has_boxes;
    const double (*xyz)[3]; /* positions of the body; only read in doubles */
    bool interior_only;     /* pairs that merely touch are left out: in doubles, equal points lie on planes */
};

struct leaf_hit {
    uint32_t cluster; /* of side a: leaf_features.number */
    uint8_t feature;  /* vertex or face of that cluster */
    uint8_t cell;     /* of side b */
    uint8_t certain;  /* 1: an answer; 0: the float filter cannot say */
};

enum { FEATURE_PROVABLE = 1 << 16 };
enum {
    LEAF_QUEUE = 128,
    LEAF_POINTS = 64,
    WAITING_FACES = 32,
    LEAF_HITS_MAX = CLUSTER_FACES * CLUSTER_CELLS + LEAF_QUEUE
};

/* Vertices of many clusters that lie in the box of side b, waiting to be compared with its cells: together, because
 * with a few at a time the processor guesses wrong at every end of a loop. Sixteen more places than are used. */
struct waiting_points {
    _Alignas(64) float x[3][LEAF_POINTS + 16];
    uint32_t cluster[LEAF_POINTS + 16], vertex[LEAF_POINTS + 16]; /* leaf_hit.cluster and .feature */
    uint32_t identity[LEAF_POINTS + 16];
    uint32_t count;
    bool may_share; /* identity is to be compared with those of side b */
};

/* The same for faces. Sixteen more places than are compared at once. */
#define NO_IDENTITY UINT32_MAX
struct waiting_faces {
    _Alignas(64) float x[9][WAITING_FACES + 16]; /* corner by corner */
    uint32_t cluster[WAITING_FACES + 16], face[WAITING_FACES + 16];
    uint32_t identity[3][WAITING_FACES + 16]; /* of the corners; NO_IDENTITY: shared with nothing */
    uint32_t count;
    bool may_share; /* some have identities */
};

/* Vertices or faces and cells that passed the cheap tests, waiting for the narrow one. */
struct leaf_queue {
    _Alignas(64) float points[9][LEAF_QUEUE];            /* of a vertex the first three, of a face all */
    float bound[LEAF_QUEUE];                             /* of the sides; vertices only */
    uint32_t corners[LEAF_QUEUE];                        /* of the cell */
    struct leaf_hit pairs[LEAF_QUEUE];                   /* vertices only */
    uint32_t clusters[LEAF_QUEUE], features[LEAF_QUEUE]; /* faces only: of side a; face, cell << 8, FEATURE_PROVABLE */
    uint32_t count;
    uint32_t box_pairs;            /* how many pairs passed the boxes; never reset here */
    struct waiting_points waiting; /* before they come into the queue */
    struct waiting_faces waiting_faces;
};

/* Side a of a leaf: a cluster, where it is, and which of its vertices are asked about. */
struct leaf_features {
    const struct cluster *cluster;
    const struct cluster_corners *corners;
    const struct cluster_points *points;
    const uint32_t *identities; /* of its vertices; null: nothing can be shared with side b */
    bool same_body;             /* as side b: vertices that are in both clusters are left to own_leaf */
    uint32_t lanes;             /* vertices asked about */
    uint32_t number;            /* copied to leaf_hit.cluster */
    const double (*xyz)[3];     /* positions of the body; only read in doubles */
};

/* ---- the same in doubles --------------------------------------------------------------------- */

/* The cells of side b. Everything is computed when first needed. */
struct double_cells {
    _Alignas(64) double x[3][CLUSTER_VERTICES];
    double local[3][CLUSTER_VERTICES];  /* x - origin */
    double planes[4][4][CLUSTER_CELLS]; /* of the faces opposite the corners: normal to the inside, offset */
    double origin[3], most[3];          /* middle of the vertices; largest |local| of each axis */
    bool has_x, has_points, has_planes; /* points: all but the planes */
};

/* Points of side a. As many more places as a register holds. */
struct double_points {
    _Alignas(64) double x[3][CLUSTER_VERTICES + 8], local[3][CLUSTER_VERTICES + 8];
    uint32_t identity[CLUSTER_VERTICES + 16]; /* NO_IDENTITY: shared with nothing */
    uint32_t count;
    bool may_share; /* some have identities */
};

/* Where the vertices of a cluster of side a are. */
struct vertex_source {
    const double (*xyz)[3];
    const uint32_t *vertices;
};

/* Vertices of many clusters that lie in the box of side b wait in floats, as they do there. Those that lie in the box of
 * a cell come into the queue in doubles. */
struct double_vertices {
    struct waiting_points waiting;
    uint32_t source[LEAF_POINTS + 16]; /* of those that wait */
    struct vertex_source sources[LEAF_POINTS + 1];
    uint32_t source_count;
    _Alignas(64) double points[3][LEAF_QUEUE];
    uint32_t corners[LEAF_QUEUE]; /* of the cell */
    struct leaf_hit pairs[LEAF_QUEUE];
    uint32_t count;
};

/* Faces of many clusters that meet the box of side b, as long as there is room. They know their corners as places among
 * the points. */
struct double_faces {
    struct double_points points;
    _Alignas(64) float lo[3][CLUSTER_FACES + 16], hi[3][CLUSTER_FACES + 16];
    uint32_t corner_set[CLUSTER_FACES + 16]; /* the corners as a set of bits */
    uint32_t cluster[CLUSTER_FACES + 16], face[CLUSTER_FACES + 16];
    uint8_t corners[3][CLUSTER_FACES + 16];
    uint32_t count;
};

struct leaf_doubles {
    struct double_cells cells;
    struct double_vertices vertices;
    struct double_faces faces;
};

/* What the strain certificate knows of a cluster in the reference shape (proofs/strain_certificate.h): coordinates
 * about the middle of the cluster in units of `unit`, and the inverse of the sum of y y^T. */
struct cluster_rest {
    _Alignas(64) int16_t y[3][CLUSTER_VERTICES];
    float inverse[6]; /* xx, xy, xz, yy, yz, zz */
    float per_unit;   /* 1 / unit */
    float y_most[3];  /* largest |y| of an axis */
    float y_error;    /* |reference - y * unit| <= y_error * unit in every coordinate */
    float stretch; /* a residual inside a box of diagonal d has gradients of norm at most stretch * d. Infinite: never
                      certified */
};

/* The map of the clusters of a piece. Any gradient J of a cell of cluster i has |J - g_i| <= spread_i, and a point X of
 * cluster i, whose middle in the reference is m_i, lies at centre_i + g_i (X - m_i) + something no longer than slack_i.
 */
struct piece_strain {
    _Alignas(64) float g[9][PIECE_CLUSTERS]; /* row by row */
    float spread[PIECE_CLUSTERS];
    float centre[3][PIECE_CLUSTERS], slack[PIECE_CLUSTERS]; /* written by placed_strain */
    float least_stretch[PIECE_CLUSTERS]; /* |g_i v| >= least_stretch_i |v|; written by stretches, as is the next */
    float norm[PIECE_CLUSTERS];          /* of g_i, or more */
};

/* What the gap certificate knows of the clusters of a piece in the reference (proofs/gap_certificate.h). */
struct piece_rest {
    _Alignas(64) float middle[3][PIECE_CLUSTERS];
    float radius[PIECE_CLUSTERS];  /* no vertex is farther from the middle */
    float own_gap[PIECE_CLUSTERS]; /* between features of the cluster that share no vertex; 0: unknown */
};

/* What is asked about a pair of clusters. Vertices stay farther from cells than faces do, and either mostly one way more
 * than the other: so each has its own gaps. */
enum gap_question { GAPS_OF_VERTICES, GAPS_OF_FACES, GAP_QUESTIONS };
enum gap_way { GAPS_IN, GAPS_OUT, GAP_WAYS };

/* Gaps in the reference of one cluster to those of a piece, for one question. In: features of cluster i of the piece and
 * cells of the one; out: the other way round. Those in question are at least a gap apart, 0: unknown. Points X and Z of
 * them that are closer than NEAR_GAPS gaps have |(X - m) + (Z - m_i)| <= reach with the middles m of the two clusters.
 *
 * In bytes, since all rows are read in every query: with the sum of the radii of the two clusters a gap is
 * (gap / 256)^4 radii, rounded down, and a reach (reach + 1) / 256 radii, rounded up. */
#define NEAR_GAPS 4.0f
struct gap_row {
    _Alignas(64) uint8_t gap[GAP_WAYS][PIECE_CLUSTERS];
    uint8_t reach[GAP_WAYS][PIECE_CLUSTERS];
};

/* Pairs of clusters of two pieces that may have contact: bit k of rows[i] where cells of cluster i of the first piece may
 * with features of cluster k of the second; bit i of columns[k] where cells of cluster k may with features of i. */
struct open_pair {
    _Alignas(64) uint16_t rows[PIECE_CLUSTERS], columns[PIECE_CLUSTERS];
};

/* The rows of a piece by question: of the clusters in `known`, side by side. */
struct gap_rows {
    const struct gap_row *first[GAP_QUESTIONS];
    uint32_t known;
};

/* A piece in a snapshot, and in the reference. */
struct piece_side {
    const struct box_group *boxes;
    const struct piece_strain *strain;
    const struct piece_rest *rest;
    uint32_t count; /* clusters */
};

/* x = to + matrix (y - from): where a vertex y of the reference would be if its body moved by one linear map
 * (proofs/rigid_certificate.h). */
struct affine_motion {
    double matrix[9], from[3], to[3]; /* row by row */
};

struct cluster_kernels {
    /* Gathers and rounds. Reads 8 bytes past the last coordinate of a vertex. */
    void (*load)(const struct cluster *cluster, const double (*xyz)[3], const double centre[3], double scale,
                 struct cluster_points *points);
    /* Bounds of the vertices in `lanes`. */
    void (*bound)(const struct cluster_points *points, uint32_t lanes, struct cluster_box *box);
    /* Bit i: box i of the group meets the box (closed). */
    uint32_t (*meet)(const struct box_group *group, const struct cluster_box *box);
    /* Vertices of side a against the cells of side b: everything not certainly outside. What still waits afterwards
     * comes out of vertex_flush. For one side b either all side a have identities or none. Room for LEAF_HITS_MAX. */
    uint32_t (*vertex_leaf)(struct leaf_cells *cells, const struct leaf_features *features, struct leaf_queue *queue,
                            struct leaf_hit *hits);
    /* The same for the vertices of side b itself, those in features->lanes. */
    uint32_t (*own_leaf)(struct leaf_cells *cells, const struct leaf_features *features, struct leaf_queue *queue,
                         struct leaf_hit *hits);
    uint32_t (*vertex_flush)(struct leaf_cells *cells, struct leaf_queue *queue, struct leaf_hit *hits);
    /* The same for faces. */
    uint32_t (*face_leaf)(struct leaf_cells *cells, const struct leaf_features *features, struct leaf_queue *queue,
                          struct leaf_hit *hits);
    uint32_t (*face_flush)(struct leaf_cells *cells, struct leaf_queue *queue, struct leaf_hit *hits);
    /* The leaves in doubles: less stays open, at a higher price. For a new side b leaf->cells has neither points nor
     * planes, and no vertices and faces wait. */
    uint32_t (*vertex_leaf_doubles)(struct leaf_cells *cells, const struct leaf_features *features,
                                    struct leaf_doubles *leaf, struct leaf_hit *hits);
    uint32_t (*vertex_flush_doubles)(struct leaf_cells *cells, struct leaf_doubles *leaf, struct leaf_hit *hits);
    uint32_t (*face_leaf_doubles)(struct leaf_cells *cells, const struct leaf_features *features,
                                  struct leaf_doubles *leaf, struct leaf_hit *hits);
    uint32_t (*face_flush_doubles)(struct leaf_cells *cells, struct leaf_doubles *leaf, struct leaf_hit *hits);
    /* Gradient of a cluster and bound of the deviation of its cells, written to slot `slot` of the piece. */
    void (*strain)(const struct cluster_rest *rest, const struct cluster_points *points, struct piece_strain *strain,
                   uint32_t slot);
    /* The same with centre and slack. */
    void (*placed_strain)(const struct cluster_rest *rest, const struct cluster_points *points,
                          struct piece_strain *strain, uint32_t slot);
    /* Bit i: sym(matrix * J) is positive definite for every J of cluster i. */
    uint32_t (*definite)(const struct piece_strain *strain, const float matrix[9]);
    /* least_stretch and norm of all clusters of a piece from g. */
    void (*stretches)(struct piece_strain *strain);
    /* Pairs of clusters of two pieces that may have contact, by question: those whose boxes come closer than `margin`
     * along every axis, where it is not certain from their gap that all features in question are apart now.
     * Everything, where a cluster has no box: cells that may be flat have none, while their vertices are asked about.
     * box_a: of all of piece a; b is the first piece. `questions`: bits. Returns those that leave something open. */
    uint32_t (*open_clusters)(const struct piece_side *side_b, const struct piece_side *side_a,
                              const struct cluster_box *box_a, float margin, const struct gap_rows *rows,
                              uint32_t questions, struct open_pair open[GAP_QUESTIONS]);
    /* How far vertices are from where the motion puts them: most[axis] becomes the largest distance along the axis, if
     * it was smaller. The same bits in every row. */
    void (*residual)(const double (*reference)[3], const double (*xyz)[3], uint32_t count,
                     const struct affine_motion *motion, double most[3]);
};

extern const struct cluster_kernels cluster_kernels_scalar;
#if defined(__x86_64__)
extern const struct cluster_kernels cluster_kernels_avx2;
extern const struct cluster_kernels cluster_kernels_avx512;
#endif

static inline const struct cluster_kernels *cluster_kernels_for(dent_isa isa)
{
    return KERNELS_FOR(isa, cluster_kernels_scalar, cluster_kernels_avx2, cluster_kernels_avx512);
}

#endif
