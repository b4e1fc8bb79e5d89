/* Gaps of the reference, and certificates from them. See gap_certificate.h. */
#include "proofs/gap_certificate.h"

#include <math.h>
#include <string.h>

#include "geometry/numbers/vector3.h"
#include "geometry/metric/convex_gjk.h"
#include "proofs/strain_certificate.h"

/* A cluster with more pieces close to it (a large one among small ones) has gaps to the first of them only. */
enum { NEAR_PIECES_MAX = 16 };

/* Clusters are close when their boxes are not farther apart than this share of their extents together. */
#define CLOSE_SHARE 0.25

/* No gap between two clusters is looked for beyond so many times that within one of them. */
#define ENOUGH_GAPS 4

/* ---- the gap between two features ------------------------------------------------------------ */

/* A vertex, a face or a cell: corners and box. */
struct shape {
    double points[4][3], lo[3], hi[3];
    uint32_t vertices[4];
    int count;
};

struct cell_shape {
    struct shape shape;
    double normals[4][3];
    bool has_normals; /* computed when first needed */
};

/* The shapes of a cluster. */
struct cluster_shape {
    struct cell_shape cells[CLUSTER_CELLS];
    struct shape features[CLUSTER_VERTICES + CLUSTER_FACES];
    struct shape whole; /* the box only */
    uint32_t cell_count, feature_count;
};

static void set_box(struct shape *shape, const double (*positions)[3], double scale, const uint32_t *vertices,
                    int count)
{
    for (int axis = 0; axis < 3; axis++) {
        shape->lo[axis] = shape->hi[axis] = positions[vertices[0]][axis] * scale;
        for (int k = 1; k < count; k++) {
            double x = positions[vertices[k]][axis] * scale;
            shape->lo[axis] = x < shape->lo[axis] ? x : shape->lo[axis];
            shape->hi[axis] = x > shape->hi[axis] ? x : shape->hi[axis];
        }
    }
}

static void set_shape(struct shape *shape, const double (*positions)[3], double scale, const uint32_t *vertices,
                      int count)
{
    shape->count = count;
    set_box(shape, positions, scale, vertices, count);
    for (int k = 0; k < count; k++) {
        shape->vertices[k] = vertices[k];
        for (int axis = 0; axis < 3; axis++) {
            shape->points[k][axis] = positions[vertices[k]][axis] * scale;
        }
    }
}

static void normal_of(const double a[3], const double b[3], const double c[3], double normal[3])
{
    double u[3], v[3];
    for (int axis = 0; axis < 3; axis++) {
        u[axis] = b[axis] - a[axis];
        v[axis] = c[axis] - a[axis];
    }
    vector_cross(u, v, normal);
    double square =
        vector_dot(normal, normal); /* below 1e-280 it has lost digits, and the normal would not be of length 1 */
    for (int axis = 0; axis < 3; axis++) {
        normal[axis] = square > 1e-280 ? normal[axis] / sqrt(square) : 0;
    }
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* Along one axis: most pairs are told by that, without a branch that cannot be foreseen. */
static bool boxes_are_apart(const struct shape *a, const struct shape *b, double distance)
{
    double x = larger(a->lo[0] - b->hi[0], b->lo[0] - a->hi[0]);
    double y = larger(a->lo[1] - b->hi[1], b->lo[1] - a->hi[1]);
    double z = larger(a->lo[2] - b->hi[2], b->lo[2] - a->hi[2]);
    return larger(larger(x, y), z) >= distance;
}

static bool share_a_vertex(const struct shape *a, const struct shape *b)
{
    for (int i = 0; i < a->count; i++) {
        for (int k = 0; k < b->count; k++) {
            if (a->vertices[i] == b->vertices[k]) {
                return true;
            }
        }
    }
    return false;
}

/* The extent of the empty slab across `direction`; negative when there is none. A direction of a length above 1 by
 * rounding is paid for by SAFE_SHARE. */
static double slab(const struct shape *a, const struct shape *b, const double direction[3])
{
    double least[2] = {INFINITY, INFINITY}, most[2] = {-INFINITY, -INFINITY};
    const struct shape *both[2] = {a, b};
    for (int side = 0; side < 2; side++) {
        for (int k = 0; k < both[side]->count; k++) {
            double height = vector_dot(direction, both[side]->points[k]);
            least[side] = height < least[side] ? height : least[side];
            most[side] = height > most[side] ? height : most[side];
        }
    }
    double above = least[0] - most[1], below = least[1] - most[0];
    return above > below ? above : below;
}

static const int faces[4][3] = {{1, 2, 3}, {0, 2, 3}, {0, 1, 3}, {0, 1, 2}};

static double widest_slab(const struct shape *feature, const struct shape *cell, double enough)
{
    const double *a[4], *b[4];
    double start[3] = {0, 0, 0};
    for (int k = 0; k < 4; k++) {
        a[k] = feature->points[k < feature->count ? k : 0];
        b[k] = cell->points[k];
        for (int axis = 0; axis < 3; axis++) {
            start[axis] += a[k][axis] - b[k][axis];
        }
    }
    struct convex_points points_a = {a, feature->count}, points_b = {b, cell->count};
    struct gjk_input input = {.support_a = convex_points_support,
                              .support_b = convex_points_support,
                              .shape_a = &points_a,
                              .shape_b = &points_b,
                              .magnitude = 1,
                              .margin_wanted = enough,
                              .start = vector_dot(start, start) > 0 ? start : NULL};
    struct gjk_result result = convex_gjk(&input);
    return result.relation == GJK_SEPARATED ? slab(feature, cell, result.direction) : 0;
}

static void set_normals(struct cell_shape *cell)
{
    for (int face = 0; face < 4; face++) {
        normal_of(cell->shape.points[faces[face][0]], cell->shape.points[faces[face][1]],
                  cell->shape.points[faces[face][2]], cell->normals[face]);
    }
    cell->has_normals = true;
}

/* The smaller of `least` and the gap between a feature and a cell. The sides of the cell tell most pairs that cannot
 * make it smaller. */
static double smaller_gap(const struct shape *feature, struct cell_shape *cell, double least)
{
    if (boxes_are_apart(feature, &cell->shape, least) || share_a_vertex(feature, &cell->shape)) {
        return least;
    }
    if (!cell->has_normals) {
        set_normals(cell);
    }
    for (int face = 0; face < 4; face++) {
        if (slab(feature, &cell->shape, cell->normals[face]) >= least) {
            return least;
        }
    }
    double gap = widest_slab(feature, &cell->shape, least);
    return gap < least ? gap : least;
}

/* ---- the gap between two clusters ------------------------------------------------------------ */

static void set_cluster(struct cluster_shape *shape, const struct body *body, const struct body_clusters *clusters,
                        uint32_t number, const double (*positions)[3], double scale)
{
    const struct cluster *cluster = &clusters->clusters[number];
    shape->cell_count = cluster->cell_count;
    shape->feature_count = 0;
    set_box(&shape->whole, positions, scale, cluster->vertices, cluster->vertex_count);
    for (uint32_t i = 0; i < cluster->cell_count; i++) {
        struct cell_shape *cell = &shape->cells[i];
        set_shape(&cell->shape, positions, scale, body->tetrahedra[clusters->cells[cluster->first_cell + i]], 4);
        cell->has_normals = false;
    }
    for (uint32_t k = 0; k < cluster->vertex_count; k++) {
        set_shape(&shape->features[shape->feature_count++], positions, scale, &cluster->vertices[k], 1);
    }
    for (uint32_t i = 0; i < cluster->face_count; i++) {
        const dent_surface_face *face = &body->surface_faces[clusters->faces[cluster->first_face + i]];
        set_shape(&shape->features[shape->feature_count++], positions, scale, face->corners, 3);
    }
}

/* Cells of b that may come as close to a as `least`. */
static uint32_t list_close_cells(const struct cluster_shape *a, const struct cluster_shape *b, double least,
                                 uint8_t list[CLUSTER_CELLS])
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < b->cell_count; k++) {
        list[count] = (uint8_t)k;
        count += !boxes_are_apart(&a->whole, &b->cells[k].shape, least);
    }
    return count;
}

static double gap_one_way(const struct cluster_shape *a, struct cluster_shape *b, double least)
{
    uint8_t close[CLUSTER_CELLS];
    uint32_t count = list_close_cells(a, b, least, close);
    double listed = least;
    for (uint32_t i = 0; i < a->feature_count && least > 0; i++) {
        if (boxes_are_apart(&a->features[i], &b->whole, least)) {
            continue;
        }
        if (least < 0.7 * listed) {
            count = list_close_cells(a, b, least, close);
            listed = least;
        }
        for (uint32_t k = 0; k < count; k++) {
            least = smaller_gap(&a->features[i], &b->cells[close[k]], least);
        }
    }
    return least;
}

/* A gap as a float that is not larger. Projections of coordinates up to 1 are off by less than 1e-14, unit vectors by
 * less than a millionth. */
static float rounded_gap(double gap)
{
    double safe = gap * (1 - 1e-6) - 1e-14;
    return safe > 1e-12 ? (float)(safe * (1 - 1e-7)) : 0;
}

static float gap_of_clusters(struct cluster_shape *a, struct cluster_shape *b, double enough)
{
    double gap = gap_one_way(a, b, enough);
    return rounded_gap(a == b ? gap : gap_one_way(b, a, gap));
}

/* ---- which clusters are close ---------------------------------------------------------------- */

struct close_box {
    double lo[3], hi[3], reach; /* reach: of a piece the largest of its clusters' */
};

struct shape_pair {
    struct cluster_shape own, near;
};

struct gap_builder {
    struct gap_reference *reference;
    const struct body *body;
    const double (*positions)[3];
    double scale;
    struct close_box *clusters, *pieces; /* while close ones are listed */
    struct shape_pair *shapes;           /* while gaps are measured, by worker: 60 kB each */
};

static bool are_close(const struct close_box *a, const struct close_box *b)
{
    double reach = a->reach + b->reach;
    for (int axis = 0; axis < 3; axis++) {
        if (a->lo[axis] - b->hi[axis] > reach || b->lo[axis] - a->hi[axis] > reach) {
            return false;
        }
    }
    return true;
}

static const struct close_box empty_close_box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}, 0};

static void widen(struct close_box *box, const struct close_box *other)
{
    for (int axis = 0; axis < 3; axis++) {
        box->lo[axis] = fmin(box->lo[axis], other->lo[axis]);
        box->hi[axis] = fmax(box->hi[axis], other->hi[axis]);
    }
    box->reach = fmax(box->reach, other->reach);
}

/* Boxes, middles and radii. */
static void set_piece(struct gap_builder *builder, uint32_t number)
{
    const struct body_clusters *clusters = builder->reference->clusters;
    const struct cluster_piece *piece = &clusters->pieces[number];
    struct piece_rest *rest = &builder->reference->rest_shapes[number];
    memset(rest, 0, sizeof *rest);
    builder->pieces[number] = empty_close_box;
    for (uint32_t slot = 0; slot < piece->count; slot++) {
        const struct cluster *cluster = &clusters->clusters[piece->first + slot];
        struct close_box *box = &builder->clusters[piece->first + slot];
        double middle[3], radius = 0;
        strain_middle(cluster, builder->positions, builder->scale, middle);
        *box = empty_close_box;
        for (uint32_t k = 0; k < cluster->vertex_count; k++) {
            double square = 0;
            for (int axis = 0; axis < 3; axis++) {
                double x = builder->positions[cluster->vertices[k]][axis] * builder->scale;
                box->lo[axis] = fmin(box->lo[axis], x);
                box->hi[axis] = fmax(box->hi[axis], x);
                square += (x - middle[axis]) * (x - middle[axis]);
            }
            radius = fmax(radius, sqrt(square));
        }
        for (int axis = 0; axis < 3; axis++) {
            box->reach = fmax(box->reach, CLOSE_SHARE * (box->hi[axis] - box->lo[axis]));
            rest->middle[axis][slot] = (float)middle[axis];
        }
        rest->radius[slot] = (float)(radius * (1 + 1e-6) + 1e-14);
        widen(&builder->pieces[number], box);
    }
}

/* The pieces with clusters close to a cluster; returns how many. */
static uint32_t list_near_pieces(const struct gap_builder *builder, uint32_t cluster, uint32_t pieces[NEAR_PIECES_MAX])
{
    uint32_t count = 0;
    for (uint32_t piece = 0; piece < builder->reference->clusters->piece_count && count < NEAR_PIECES_MAX; piece++) {
        pieces[count] = piece;
        count += are_close(&builder->clusters[cluster], &builder->pieces[piece]);
    }
    return count;
}

/* The gap between two clusters as found from the other one; 0 where it was not looked for. */
static float known_gap(const struct gap_reference *reference, uint32_t cluster, uint32_t piece, uint32_t slot)
{
    for (uint32_t i = reference->first[cluster]; i < reference->first[cluster + 1]; i++) {
        if (reference->pieces[i] == piece) {
            return reference->gaps[i][slot];
        }
    }
    return 0;
}

/* Gaps of a cluster to itself and to those behind it in the numbering. */
static void fill_gaps(const struct gap_builder *builder, struct shape_pair *room, uint32_t piece, uint32_t slot)
{
    struct gap_reference *reference = builder->reference;
    const struct body_clusters *clusters = reference->clusters;
    struct cluster_shape *shape = &room->own, *other_shape = &room->near;
    uint32_t own = clusters->pieces[piece].first + slot;
    double radius = (double)reference->rest_shapes[piece].radius[slot];
    set_cluster(shape, builder->body, clusters, own, builder->positions, builder->scale);
    reference->rest_shapes[piece].own_gap[slot] = gap_of_clusters(shape, shape, radius);
    /* Larger gaps to others are of no use: what a cluster and its neighbours do is known to be small beside its own. */
    double own_gap = (double)reference->rest_shapes[piece].own_gap[slot];
    double enough = own_gap > 0 && ENOUGH_GAPS * own_gap < radius ? ENOUGH_GAPS * own_gap : radius;
    for (uint32_t i = reference->first[own]; i < reference->first[own + 1]; i++) {
        uint32_t near = reference->pieces[i];
        for (uint32_t k = 0; k < clusters->pieces[near].count; k++) {
            uint32_t other = clusters->pieces[near].first + k;
            if (other == own) {
                reference->gaps[i][k] = reference->rest_shapes[piece].own_gap[slot];
            } else if (other > own && reference->gaps[i][k] < 0) {
                set_cluster(other_shape, builder->body, clusters, other, builder->positions, builder->scale);
                reference->gaps[i][k] = gap_of_clusters(shape, other_shape, enough);
            }
        }
    }
}

static void fill_piece(void *data, uint32_t piece, uint32_t worker)
{
    const struct gap_builder *builder = data;
    for (uint32_t slot = 0; slot < builder->reference->clusters->pieces[piece].count; slot++) {
        fill_gaps(builder, &builder->shapes[worker], piece, slot);
    }
}

/* Gaps to the clusters before it, from these. */
static void complete_gaps(struct gap_reference *reference, uint32_t piece, uint32_t slot)
{
    const struct body_clusters *clusters = reference->clusters;
    uint32_t own = clusters->pieces[piece].first + slot;
    for (uint32_t i = reference->first[own]; i < reference->first[own + 1]; i++) {
        const struct cluster_piece *near = &clusters->pieces[reference->pieces[i]];
        for (uint32_t k = 0; k < near->count && near->first + k < own; k++) {
            reference->gaps[i][k] = known_gap(reference, near->first + k, piece, slot);
        }
    }
}

/* ---- building -------------------------------------------------------------------------------- */

/* -1: close, and not known yet. */
static void mark_close(const struct gap_builder *builder, uint32_t cluster, uint32_t piece, float gaps[PIECE_CLUSTERS])
{
    const struct cluster_piece *range = &builder->reference->clusters->pieces[piece];
    for (uint32_t k = 0; k < PIECE_CLUSTERS; k++) {
        bool close = k < range->count && are_close(&builder->clusters[cluster], &builder->clusters[range->first + k]);
        gaps[k] = close ? -1.0f : 0.0f;
    }
}

static bool list_near(struct gap_builder *builder)
{
    struct gap_reference *reference = builder->reference;
    uint32_t count = reference->clusters->cluster_count, pieces[NEAR_PIECES_MAX];
    uint64_t total = 0;
    for (uint32_t cluster = 0; cluster < count; cluster++) {
        reference->first[cluster] = (uint32_t)total;
        total += list_near_pieces(builder, cluster, pieces);
    }
    reference->first[count] = (uint32_t)total;
    if (total >= UINT32_MAX) {
        return false;
    }
    reference->near_count = (uint32_t)total;
    reference->pieces = dent_allocate(reference->context, reference->near_count, sizeof *reference->pieces);
    reference->gaps = dent_allocate(reference->context, reference->near_count, sizeof *reference->gaps);
    if (!reference->pieces || !reference->gaps) {
        return false;
    }
    for (uint32_t cluster = 0; cluster < count; cluster++) {
        uint32_t found = list_near_pieces(builder, cluster, pieces);
        memcpy(&reference->pieces[reference->first[cluster]], pieces, found * sizeof *pieces);
        for (uint32_t i = reference->first[cluster]; i < reference->first[cluster + 1]; i++) {
            mark_close(builder, cluster, reference->pieces[i], reference->gaps[i]);
        }
    }
    return true;
}

static bool build(struct gap_builder *builder)
{
    struct gap_reference *reference = builder->reference;
    const struct body_clusters *clusters = reference->clusters;
    for (uint32_t piece = 0; piece < clusters->piece_count; piece++) {
        set_piece(builder, piece);
    }
    return list_near(builder);
}

bool gap_reference_create(struct gap_reference *reference, dent_context *context, const struct body *body,
                          const struct body_clusters *clusters, const double (*shape)[3])
{
    *reference = (struct gap_reference){.context = context, .clusters = clusters};
    uint32_t cluster_count = clusters->cluster_count, piece_count = clusters->piece_count;
    struct gap_builder builder = {.reference = reference, .body = body, .positions = shape};
    builder.scale = strain_reference_scale(body, shape);
    if (builder.scale == 0 || cluster_count == 0) {
        return true;
    }
    reference->rest_shapes = dent_allocate(context, piece_count, sizeof *reference->rest_shapes);
    reference->first = dent_allocate(context, (size_t)cluster_count + 1, sizeof *reference->first);
    builder.clusters = dent_allocate(context, cluster_count, sizeof *builder.clusters);
    builder.pieces = dent_allocate(context, piece_count, sizeof *builder.pieces);
    reference->usable =
        reference->rest_shapes && reference->first && builder.clusters && builder.pieces && build(&builder);
    dent_release(context, builder.clusters, cluster_count, sizeof *builder.clusters);
    dent_release(context, builder.pieces, piece_count, sizeof *builder.pieces);
    if (!reference->usable) {
        gap_reference_destroy(reference);
        return false;
    }
    return true;
}

size_t gap_room_size(void)
{
    return sizeof(struct shape_pair);
}

void gap_reference_complete(struct gap_reference *reference, const struct body *body, const double (*shape)[3],
                            void *rooms)
{
    struct gap_builder builder = {.reference = reference, .body = body, .positions = shape, .shapes = rooms};
    const struct body_clusters *clusters = reference->clusters;
    builder.scale = strain_reference_scale(body, shape);
    dent_parallel_for(reference->context, clusters->piece_count, fill_piece, &builder);
    for (uint32_t piece = 0; piece < clusters->piece_count; piece++) {
        for (uint32_t slot = 0; slot < clusters->pieces[piece].count; slot++) {
            complete_gaps(reference, piece, slot);
        }
    }
    reference->complete = true;
}

void gap_reference_destroy(struct gap_reference *reference)
{
    dent_context *context = reference->context;
    if (reference->clusters) {
        dent_release(context, reference->rest_shapes, reference->clusters->piece_count, sizeof *reference->rest_shapes);
        dent_release(context, reference->first, (size_t)reference->clusters->cluster_count + 1,
                     sizeof *reference->first);
        dent_release(context, reference->pieces, reference->near_count, sizeof *reference->pieces);
        dent_release(context, reference->gaps, reference->near_count, sizeof *reference->gaps);
    }
    *reference = (struct gap_reference){.context = context};
}

/* ---- certificates ---------------------------------------------------------------------------- */

uint32_t gaps_prove_own(const struct gap_reference *reference, const struct piece_strain *strains, uint32_t piece)
{
    const struct piece_strain *strain = &strains[piece];
    const struct piece_rest *rest = &reference->rest_shapes[piece];
    uint32_t proven = 0;
    for (uint32_t slot = 0; slot < reference->clusters->pieces[piece].count; slot++) {
        float off = 2 * strain->slack[slot] + 48 * 0x1p-24f * strain->norm[slot];
        proven |= (uint32_t)(off * (1 + 0x1p-13f) < strain->least_stretch[slot] * rest->own_gap[slot]) << slot;
    }
    return proven;
}

uint32_t gaps_prove(const struct gap_reference *reference, const struct cluster_kernels *kernels,
                    const struct piece_strain *strains, uint32_t piece_b, uint32_t slot, uint32_t piece_a)
{
    uint32_t cluster = reference->clusters->pieces[piece_b].first + slot;
    for (uint32_t i = reference->first[cluster]; i < reference->first[cluster + 1]; i++) {
        if (reference->pieces[i] == piece_a) {
            return kernels->apart(&strains[piece_b], &reference->rest_shapes[piece_b], slot, &strains[piece_a],
                                  &reference->rest_shapes[piece_a], reference->gaps[i]);
        }
    }
    return 0;
}
