/* Gaps of the reference, and certificates from them. See gap_certificate.h. */
#include "proofs/gap_certificate.h"

#include <math.h>
#include <string.h>

#include "geometry/numbers/vector3.h"
#include "geometry/metric/convex_gjk.h"
#include "proofs/strain_certificate.h"

/* A cluster with more pieces close to it (a large one among small ones) has rows for the first of them only. */
enum { CLUSTER_ROWS_MAX = 64 };

/* A cluster that overlaps so many others in the reference is taken to overlap the rest. */
enum { OVERLAPS_MAX = 16 };

/* Clusters are close when their boxes are not farther apart than this share of their extents together. */
#define CLOSE_SHARE 0.25

/* No gap between two clusters is looked for beyond so many times that within one of them. Neighbours bend against each
 * other, which a cluster does not against itself, so they need larger gaps than it does. */
#define ENOUGH_GAPS 16

/* Points are not looked at for being near beyond this share of the radii of their clusters together. */
#define NEAR_SHARE 0.5

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
    const struct cluster *cluster;
    struct cell_shape cells[CLUSTER_CELLS];
    struct shape features[CLUSTER_VERTICES + CLUSTER_FACES];
    struct shape whole; /* the box only */
    double middle[3];
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
    shape->cluster = cluster;
    shape->cell_count = cluster->cell_count;
    shape->feature_count = 0;
    set_box(&shape->whole, positions, scale, cluster->vertices, cluster->vertex_count);
    strain_middle(cluster, positions, scale, shape->middle);
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

static bool has_vertex(const struct cluster *cluster, uint32_t vertex)
{
    uint32_t k = 0;
    while (k < cluster->vertex_count && cluster->vertices[k] != vertex) {
        k++;
    }
    return k < cluster->vertex_count;
}

/* Is feature i of a compared with the cells of b? A vertex is by the cluster that owns it, and by those it is in with
 * themselves. The vertices come first. */
static bool is_asked(const struct cluster_shape *a, uint32_t i, const struct cluster_shape *b)
{
    return a == b || i >= a->cluster->vertex_count ||
           ((a->cluster->owned >> i & 1) && !has_vertex(b->cluster, a->cluster->vertices[i]));
}

/* The features of a cluster that a question is about: from the first to before the second. */
struct feature_range {
    uint32_t first, end;
};

static struct feature_range features_of(const struct cluster_shape *shape, int question)
{
    return question == GAPS_OF_VERTICES ? (struct feature_range){0, shape->cluster->vertex_count}
                                        : (struct feature_range){shape->cluster->vertex_count, shape->feature_count};
}

/* The smaller of `least` and the gap between features of a and cells of b. */
static double gap_one_way(const struct cluster_shape *a, struct cluster_shape *b, int question, double least)
{
    const struct feature_range features = features_of(a, question);
    uint8_t close[CLUSTER_CELLS];
    uint32_t count = list_close_cells(a, b, least, close);
    double listed = least;
    for (uint32_t i = features.first; i < features.end && least > 0; i++) {
        if (!is_asked(a, i, b) || boxes_are_apart(&a->features[i], &b->whole, least)) {
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

/* The largest |(X - m_a) + (Z - m_b)| of a feature and a cell: at corners. */
static double reach_of_shapes(const struct shape *feature, const struct shape *cell, const double middles[3])
{
    double most = 0;
    for (int i = 0; i < feature->count; i++) {
        for (int k = 0; k < 4; k++) {
            double square = 0;
            for (int axis = 0; axis < 3; axis++) {
                double sum = feature->points[i][axis] + cell->points[k][axis] - middles[axis];
                square += sum * sum;
            }
            most = larger(most, square);
        }
    }
    return sqrt(most);
}

/* Are a feature and a cell, whose boxes are closer, certainly not closer than `distance`, or are they not compared? */
static bool keep_away(const struct shape *feature, struct cell_shape *cell, double distance)
{
    if (share_a_vertex(feature, &cell->shape)) {
        return true;
    }
    if (!cell->has_normals) {
        set_normals(cell);
    }
    for (int face = 0; face < 4; face++) {
        if (slab(feature, &cell->shape, cell->normals[face]) >= distance) {
            return true;
        }
    }
    return false;
}

static double reach_one_way(const struct cluster_shape *a, struct cluster_shape *b, int question, double distance,
                            double limit)
{
    const struct feature_range features = features_of(a, question);
    double reach = 0;
    uint8_t close[CLUSTER_CELLS];
    uint32_t count = list_close_cells(a, b, distance, close);
    double middles[3];
    for (int axis = 0; axis < 3; axis++) {
        middles[axis] = a->middle[axis] + b->middle[axis];
    }
    for (uint32_t i = features.first; i < features.end && reach < limit; i++) {
        if (!is_asked(a, i, b) || boxes_are_apart(&a->features[i], &b->whole, distance)) {
            continue;
        }
        for (uint32_t k = 0; k < count; k++) {
            struct cell_shape *cell = &b->cells[close[k]];
            if (boxes_are_apart(&a->features[i], &cell->shape, distance)) {
                continue;
            }
            double own = reach_of_shapes(&a->features[i], &cell->shape, middles);
            reach = own > reach && !keep_away(&a->features[i], cell, distance) ? own : reach;
        }
    }
    return reach;
}

/* The reach of features of a and cells of b, with their gap; not above `limit`, the sum of the radii, which it is taken to
 * be where points that far apart in question are most of them. Sums of coordinates up to 1 are off by less than 1e-14. */
static float find_reach(const struct cluster_shape *a, struct cluster_shape *b, int question, float gap, float limit)
{
    double distance = (double)NEAR_GAPS * (double)gap * (1 + 1e-6) + 1e-14;
    if (!(gap > 0) || distance > NEAR_SHARE * (double)limit) {
        return limit;
    }
    double reach = reach_one_way(a, b, question, distance, (double)limit) * (1 + 1e-6) + 1e-14;
    return reach < (double)limit ? (float)reach : limit;
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
    uint8_t *row_counts;                 /* likewise, by cluster: rows it has */
    uint64_t unmeasured;                 /* likewise: pairs of clusters that may still be listed */
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

/* ---- measuring gaps -------------------------------------------------------------------------- */

/* Close, and not measured yet. */
enum { UNMEASURED_GAP = 255, LARGEST_GAP = 254 };

static bool is_unmeasured(const struct gap_row *row, uint32_t k)
{
    return row->gap[GAPS_IN][k] == UNMEASURED_GAP;
}

/* A gap is (byte / 256)^4 of the radii, a reach (byte + 1) / 256 of them. Products of floats in the kernels round by a few
 * 2^-24. */
static void set_bounds(struct gap_row *row, int way, uint32_t k, float gap, float reach, float radii)
{
    double gap_share = radii > 0 ? (double)gap / (double)radii * (1 - 0x1p-21) : 0;
    double reach_share = radii > 0 ? (double)reach / (double)radii * (1 + 0x1p-22) : 1;
    double root = floor(sqrt(sqrt(gap_share)) * 256), steps = ceil(reach_share * 256) - 1;
    while (root > 0 && root * root * root * root > gap_share * 0x1p32) {
        root--;
    }
    row->gap[way][k] = (uint8_t)(root < LARGEST_GAP ? root : LARGEST_GAP);
    row->reach[way][k] = (uint8_t)(steps < 0 ? 0 : steps < 255 ? steps : 255);
}

static void copy_bounds(struct gap_row *to, int to_way, uint32_t k, const struct gap_row *from, int way, uint32_t slot)
{
    to->gap[to_way][k] = from->gap[way][slot];
    to->reach[to_way][k] = from->reach[way][slot];
}

static struct gap_row *row_of(const struct gap_reference *reference, int question, const struct gap_pair *pair,
                              uint32_t slot)
{
    uint32_t before = pair->rows & ((UINT32_C(1) << slot) - 1);
    return &reference->rows[question][pair->first_row + (uint32_t)__builtin_popcount(before)];
}

/* Measures features of a against cells of b. `radii`: of the two together. */
static float measure(const struct cluster_shape *a, struct cluster_shape *b, int question, double enough, float radii,
                     struct gap_row *row, int way, uint32_t k)
{
    float gap = rounded_gap(gap_one_way(a, b, question, enough));
    set_bounds(row, way, k, gap, a == b ? radii : find_reach(a, b, question, gap, radii), radii);
    return gap;
}

static float radii_of(const struct gap_reference *reference, uint32_t piece, uint32_t slot, uint32_t other, uint32_t k)
{
    return reference->rest_shapes[piece].radius[slot] + reference->rest_shapes[other].radius[k];
}

/* All gaps between a cluster, in room->own, and cluster k of a piece. Returns the smallest. */
static float fill_place(const struct gap_builder *builder, struct shape_pair *room, double enough, float radii,
                        const struct gap_pair *pair, uint32_t slot, uint32_t k)
{
    struct gap_reference *reference = builder->reference;
    uint32_t other = reference->clusters->pieces[pair->piece].first + k;
    float least = INFINITY;
    set_cluster(&room->near, builder->body, reference->clusters, other, builder->positions, builder->scale);
    for (int question = 0; question < GAP_QUESTIONS; question++) {
        struct gap_row *row = row_of(reference, question, pair, slot);
        least = fminf(least, measure(&room->near, &room->own, question, enough, radii, row, GAPS_IN, k));
        least = fminf(least, measure(&room->own, &room->near, question, enough, radii, row, GAPS_OUT, k));
    }
    return least;
}

/* The gaps of one row that are not known yet. Of a piece with itself: those to the clusters behind. `overlaps` counts
 * the clusters that leave none. */
static void fill_row(const struct gap_builder *builder, struct shape_pair *room, uint32_t piece, uint32_t slot,
                     double enough, struct gap_pair *pair, uint32_t *overlaps)
{
    const struct gap_reference *reference = builder->reference;
    const struct body_clusters *clusters = reference->clusters;
    for (uint32_t k = 0; k < clusters->pieces[pair->piece].count; k++) {
        float radii = radii_of(reference, piece, slot, pair->piece, k), least = 0;
        bool behind = clusters->pieces[pair->piece].first + k > clusters->pieces[piece].first + slot;
        if (!behind || !is_unmeasured(row_of(reference, 0, pair, slot), k)) {
            continue;
        }
        if (*overlaps < OVERLAPS_MAX) {
            least = fill_place(builder, room, enough, radii, pair, slot, k);
            *overlaps += least == 0;
        } else {
            for (int question = 0; question < GAP_QUESTIONS; question++) {
                set_bounds(row_of(reference, question, pair, slot), GAPS_IN, k, 0, radii, radii);
                set_bounds(row_of(reference, question, pair, slot), GAPS_OUT, k, 0, radii, radii);
            }
        }
        pair->gap = fminf(pair->gap, least);
    }
}

/* Gaps of a cluster to itself and to those behind it in the numbering. */
static void fill_gaps(const struct gap_builder *builder, struct shape_pair *room, uint32_t piece, uint32_t slot)
{
    struct gap_reference *reference = builder->reference;
    uint32_t own = reference->clusters->pieces[piece].first + slot;
    const float radius = reference->rest_shapes[piece].radius[slot];
    float own_gap = INFINITY;
    struct gap_row own_rows[GAP_QUESTIONS];
    set_cluster(&room->own, builder->body, reference->clusters, own, builder->positions, builder->scale);
    for (int question = 0; question < GAP_QUESTIONS; question++) {
        own_gap = fminf(own_gap, measure(&room->own, &room->own, question, (double)radius, radius + radius,
                                         &own_rows[question], GAPS_IN, slot));
    }
    reference->rest_shapes[piece].own_gap[slot] = own_gap;
    /* Much larger gaps to others are of no use: a cluster that needs them does not keep clear of itself. */
    double most = ENOUGH_GAPS * (double)own_gap;
    double enough = own_gap > 0 && most < (double)radius ? most : (double)radius;
    uint32_t overlaps = 0;
    for (uint32_t i = reference->first_pair[piece]; i < reference->first_pair[piece + 1]; i++) {
        struct gap_pair *pair = &reference->pairs[i];
        if (!(pair->rows >> slot & 1)) {
            continue;
        }
        fill_row(builder, room, piece, slot, enough, pair, &overlaps);
        for (int question = 0; question < GAP_QUESTIONS && pair->piece == piece; question++) {
            struct gap_row *row = row_of(reference, question, pair, slot);
            copy_bounds(row, GAPS_IN, slot, &own_rows[question], GAPS_IN, slot);
            copy_bounds(row, GAPS_OUT, slot, &own_rows[question], GAPS_IN, slot);
            pair->gap = fminf(pair->gap, own_gap);
        }
    }
}

/* Of a piece with itself: gaps to the clusters before, from theirs. */
static void mirror_rows(const struct gap_reference *reference, int question, struct gap_pair *pair)
{
    for (uint32_t set = pair->rows; set; set &= set - 1) {
        uint32_t slot = (uint32_t)__builtin_ctz(set);
        struct gap_row *row = row_of(reference, question, pair, slot);
        for (uint32_t k = 0; k < slot; k++) {
            if (!is_unmeasured(row, k)) {
                continue;
            }
            if (pair->rows >> k & 1) {
                const struct gap_row *before = row_of(reference, question, pair, k);
                copy_bounds(row, GAPS_IN, k, before, GAPS_OUT, slot);
                copy_bounds(row, GAPS_OUT, k, before, GAPS_IN, slot);
            } else {
                row->gap[GAPS_IN][k] = row->gap[GAPS_OUT][k] = 0;
                pair->gap = 0;
            }
        }
    }
}

static void fill_piece(void *data, uint32_t piece, uint32_t worker)
{
    const struct gap_builder *builder = data;
    struct gap_reference *reference = builder->reference;
    for (uint32_t slot = 0; slot < reference->clusters->pieces[piece].count; slot++) {
        fill_gaps(builder, &builder->shapes[worker], piece, slot);
    }
    for (uint32_t i = reference->first_pair[piece]; i < reference->first_pair[piece + 1]; i++) {
        for (int question = 0; question < GAP_QUESTIONS && reference->pairs[i].piece == piece; question++) {
            mirror_rows(reference, question, &reference->pairs[i]);
        }
    }
}

/* ---- building -------------------------------------------------------------------------------- */

/* The gap of clusters that are not close: their boxes are farther apart than this along some axis. */
static float far_gap(const struct close_box *a, const struct close_box *b)
{
    return rounded_gap(a->reach + b->reach);
}

/* The row of a cluster for any question, with the close ones marked as not measured yet. Returns how many of these there
 * are, and in *behind how many with a higher number than the cluster: those are measured. The gaps of the others make
 * *least smaller. */
static uint32_t mark_close(const struct gap_builder *builder, uint32_t piece, uint32_t slot, uint32_t other_piece,
                           struct gap_row *row, uint32_t *behind, float *least)
{
    const struct gap_reference *reference = builder->reference;
    const struct cluster_piece *range = &reference->clusters->pieces[other_piece];
    uint32_t cluster = reference->clusters->pieces[piece].first + slot, count = 0;
    *behind = 0;
    memset(row, 0, sizeof *row);
    for (uint32_t k = 0; k < range->count; k++) {
        const struct close_box *own = &builder->clusters[cluster], *other = &builder->clusters[range->first + k];
        bool close = are_close(own, other);
        float radii = radii_of(reference, piece, slot, other_piece, k), gap = close ? 0 : far_gap(own, other);
        set_bounds(row, GAPS_IN, k, gap, radii, radii);
        row->gap[GAPS_IN][k] = close ? UNMEASURED_GAP : row->gap[GAPS_IN][k];
        copy_bounds(row, GAPS_OUT, k, row, GAPS_IN, k);
        *least = close ? *least : fminf(*least, gap);
        count += close;
        *behind += close && range->first + k > cluster;
    }
    return count;
}

/* Sets a pair but for its slot, and its rows where there is memory for them. A pair of which a row is left out has no
 * gap, nor do its pieces. False: the pair has no rows. */
static bool set_pair(struct gap_builder *builder, uint32_t piece, uint32_t other, uint32_t first_row,
                     struct gap_pair *pair)
{
    struct gap_reference *reference = builder->reference;
    const struct cluster_piece *range = &reference->clusters->pieces[piece];
    struct gap_row row;
    bool left_out = false;
    *pair = (struct gap_pair){.piece = other, .first_row = first_row, .gap = INFINITY};
    for (uint32_t slot = 0; slot < range->count; slot++) {
        uint32_t cluster = range->first + slot, behind;
        if (builder->row_counts[cluster] == CLUSTER_ROWS_MAX || builder->unmeasured == 0) {
            left_out = true; /* close or not */
            continue;
        }
        uint32_t close = mark_close(builder, piece, slot, other, &row, &behind, &pair->gap);
        if (close == 0) {
            continue;
        }
        builder->row_counts[cluster]++;
        builder->unmeasured -= behind < builder->unmeasured ? behind : builder->unmeasured;
        for (int question = 0; question < GAP_QUESTIONS && reference->rows[question]; question++) {
            reference->rows[question][first_row + (uint32_t)__builtin_popcount(pair->rows)] = row;
        }
        pair->rows |= UINT32_C(1) << slot;
    }
    if (left_out) {
        pair->gap = reference->clearances[piece] = reference->clearances[other] = 0;
    }
    return pair->rows != 0;
}

/* Goes through all pairs; writes them where there is memory. False: there are too many. */
static bool list_pairs(struct gap_builder *builder)
{
    struct gap_reference *reference = builder->reference;
    uint32_t pieces = reference->clusters->piece_count, pair_count = 0, row_count = 0;
    memset(builder->row_counts, 0, reference->clusters->cluster_count);
    builder->unmeasured = GAPS_PER_CLUSTER * (uint64_t)reference->clusters->cluster_count;
    for (uint32_t piece = 0; piece < pieces; piece++) {
        reference->first_pair[piece] = pair_count;
        for (uint32_t other = piece; other < pieces; other++) {
            struct gap_pair pair;
            if (!are_close(&builder->pieces[piece], &builder->pieces[other]) ||
                !set_pair(builder, piece, other, row_count, &pair)) {
                continue;
            }
            if (reference->pairs) {
                reference->pairs[pair_count] = pair;
            }
            pair_count++;
            row_count += (uint32_t)__builtin_popcount(pair.rows);
            if (row_count > UINT32_MAX - PIECE_CLUSTERS || pair_count == NO_GAP_PAIR) {
                return false;
            }
        }
    }
    reference->first_pair[pieces] = reference->pair_count = pair_count;
    reference->row_count = row_count;
    return true;
}

/* No cluster that is not close comes nearer than this to one of the piece. */
static float far_clearance(const struct gap_builder *builder, uint32_t piece)
{
    const struct cluster_piece *range = &builder->reference->clusters->pieces[piece];
    float clearance = INFINITY;
    for (uint32_t slot = 0; slot < range->count; slot++) {
        clearance = fminf(clearance, rounded_gap(builder->clusters[range->first + slot].reach));
    }
    return clearance;
}

static bool build(struct gap_builder *builder)
{
    struct gap_reference *reference = builder->reference;
    for (uint32_t piece = 0; piece < reference->clusters->piece_count; piece++) {
        set_piece(builder, piece);
        reference->clearances[piece] = far_clearance(builder, piece);
    }
    if (!list_pairs(builder)) {
        return false;
    }
    reference->pairs = dent_allocate(reference->context, reference->pair_count, sizeof *reference->pairs);
    bool enough = reference->pairs != NULL;
    for (int question = 0; question < GAP_QUESTIONS && enough; question++) {
        reference->rows[question] =
            dent_allocate(reference->context, reference->row_count, sizeof *reference->rows[question]);
        enough = reference->rows[question] != NULL;
    }
    return enough && list_pairs(builder);
}

bool gap_reference_create(struct gap_reference *reference, dent_context *context, const struct body *body,
                          const struct body_clusters *clusters, const double (*shape)[3])
{
    *reference = (struct gap_reference){.context = context, .clusters = clusters};
    uint32_t cluster_count = clusters->cluster_count, piece_count = clusters->piece_count;
    struct gap_builder builder = {.reference = reference, .body = body, .positions = shape};
    builder.scale = reference->scale = strain_reference_scale(body, shape);
    if (builder.scale == 0 || cluster_count == 0) {
        return true;
    }
    reference->rest_shapes = dent_allocate(context, piece_count, sizeof *reference->rest_shapes);
    reference->first_pair = dent_allocate(context, (size_t)piece_count + 1, sizeof *reference->first_pair);
    reference->clearances = dent_allocate(context, piece_count, sizeof *reference->clearances);
    builder.clusters = dent_allocate(context, cluster_count, sizeof *builder.clusters);
    builder.pieces = dent_allocate(context, piece_count, sizeof *builder.pieces);
    builder.row_counts = dent_allocate(context, cluster_count, sizeof *builder.row_counts);
    reference->usable = reference->rest_shapes && reference->first_pair && reference->clearances && builder.clusters &&
                        builder.pieces && builder.row_counts && build(&builder);
    dent_release(context, builder.clusters, cluster_count, sizeof *builder.clusters);
    dent_release(context, builder.pieces, piece_count, sizeof *builder.pieces);
    dent_release(context, builder.row_counts, cluster_count, sizeof *builder.row_counts);
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
        for (uint32_t i = reference->first_pair[piece]; i < reference->first_pair[piece + 1]; i++) {
            const struct gap_pair *pair = &reference->pairs[i];
            reference->clearances[piece] = fminf(reference->clearances[piece], pair->gap);
            reference->clearances[pair->piece] = fminf(reference->clearances[pair->piece], pair->gap);
        }
    }
    reference->complete = true;
}

void gap_reference_destroy(struct gap_reference *reference)
{
    dent_context *context = reference->context;
    if (reference->clusters) {
        dent_release(context, reference->rest_shapes, reference->clusters->piece_count, sizeof *reference->rest_shapes);
        dent_release(context, reference->first_pair, (size_t)reference->clusters->piece_count + 1,
                     sizeof *reference->first_pair);
        dent_release(context, reference->clearances, reference->clusters->piece_count, sizeof *reference->clearances);
        dent_release(context, reference->pairs, reference->pair_count, sizeof *reference->pairs);
        for (int question = 0; question < GAP_QUESTIONS; question++) {
            dent_release(context, reference->rows[question], reference->row_count, sizeof *reference->rows[question]);
        }
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

uint32_t gap_pair_of(const struct gap_reference *reference, uint32_t piece_a, uint32_t piece_b)
{
    uint32_t first = piece_a < piece_b ? piece_a : piece_b, second = piece_a < piece_b ? piece_b : piece_a;
    uint32_t low = reference->first_pair[first], high = reference->first_pair[first + 1];
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (reference->pairs[middle].piece < second) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < reference->first_pair[first + 1] && reference->pairs[low].piece == second ? low : NO_GAP_PAIR;
}

uint32_t gaps_leave_open(const struct gap_reference *reference, const struct cluster_kernels *kernels,
                         const struct piece_strain *strains, uint32_t piece, const struct gap_pair *pair,
                         const struct box_group *own, const struct box_group *others, const struct cluster_box *whole,
                         float margin, uint32_t questions, struct open_pair open[GAP_QUESTIONS])
{
    const struct cluster_piece *pieces = reference->clusters->pieces;
    const struct piece_side first = {own, &strains[piece], &reference->rest_shapes[piece], pieces[piece].count};
    const struct piece_side second = {others, &strains[pair->piece], &reference->rest_shapes[pair->piece],
                                      pieces[pair->piece].count};
    const struct gap_rows gaps = {
        {reference->rows[GAPS_OF_VERTICES] + pair->first_row, reference->rows[GAPS_OF_FACES] + pair->first_row},
        pair->rows};
    return kernels->open_clusters(&first, &second, whole, margin, &gaps, questions, open);
}

/* Cells that may be flat have no box, while their vertices are asked about. */
static bool every_cluster_has_a_box(const struct box_group *boxes, uint32_t count)
{
    uint32_t with = 0; /* slots behind the last cluster have none, either */
    for (uint32_t slot = 0; slot < PIECE_CLUSTERS; slot++) {
        with += boxes->lo[0][slot] <= boxes->hi[0][slot];
    }
    return with == count;
}

static void grow_box(struct cluster_box *box, float margin)
{
    for (int axis = 0; axis < 3; axis++) {
        box->lo[axis] -= margin;
        box->hi[axis] += margin;
    }
}

uint32_t gaps_clear_pair(const struct gap_reference *reference, const struct cluster_snapshot *snapshot,
                         uint32_t body_index, uint32_t piece, const struct gap_pair *pair, float margin,
                         uint32_t questions, struct open_pair open[GAP_QUESTIONS])
{
    const struct clustered_body *body = &snapshot->bodies[body_index];
    const struct box_group *boxes = &snapshot->piece_boxes[SIDE_CELLS][body->first_piece_boxes];
    struct cluster_box whole;
    cluster_snapshot_piece_box(snapshot, body_index, pair->piece, &whole);
    struct open_pair found[GAP_QUESTIONS];
    uint32_t left = gaps_leave_open(reference, snapshot->kernels, snapshot->strains + body->first_piece, piece, pair,
                                    &boxes[piece], &boxes[pair->piece], &whole, margin, questions, found);
    for (int question = 0; question < GAP_QUESTIONS; question++) {
        if (left >> question & 1) {
            open[question] = found[question];
        }
    }
    return left;
}

bool gaps_add_margin(const struct cluster_snapshot *snapshot, uint32_t body_index)
{
    const struct clustered_body *body = &snapshot->bodies[body_index];
    bool boxes = body->cluster_count > 1;
    for (uint32_t piece = 0; boxes && piece < body->piece_count; piece++) {
        const struct box_group *group = &snapshot->piece_boxes[SIDE_CELLS][body->first_piece_boxes + piece];
        struct piece_strain *strain = &snapshot->strains[body->first_piece + piece];
        boxes = every_cluster_has_a_box(group, body->pieces[piece].count);
        for (uint32_t slot = 0; slot < PIECE_CLUSTERS; slot++) {
            strain->slack[slot] = (strain->slack[slot] + GAP_MARGIN) * (1 + 0x1p-20f);
        }
    }
    return boxes;
}

/* Every piece of a group whose box comes close to that of a piece is proven apart from it. */
static bool group_keeps_apart(const struct gap_reference *reference, const struct cluster_snapshot *snapshot,
                              uint32_t body_index, uint32_t piece, uint32_t group, const struct cluster_box *box)
{
    const struct clustered_body *body = &snapshot->bodies[body_index];
    struct open_pair open[GAP_QUESTIONS];
    uint32_t set = snapshot->kernels->meet(&snapshot->group_boxes[SIDE_CELLS][body->first_group_boxes + group], box);
    for (; set; set &= set - 1) {
        uint32_t other = group * PIECE_CLUSTERS + (uint32_t)__builtin_ctz(set);
        uint32_t pair = gap_pair_of(reference, piece, other);
        if (pair == NO_GAP_PAIR || gaps_clear_pair(reference, snapshot, body_index, piece < other ? piece : other,
                                                   &reference->pairs[pair], 4 * GAP_MARGIN, ALL_GAP_QUESTIONS, open)) {
            return false;
        }
    }
    return true;
}

bool gaps_keep_apart(const struct gap_reference *reference, const struct cluster_snapshot *snapshot,
                     uint32_t body_index, uint32_t piece)
{
    const struct clustered_body *body = &snapshot->bodies[body_index];
    struct cluster_box box;
    cluster_snapshot_piece_box(snapshot, body_index, piece, &box);
    struct open_pair open[GAP_QUESTIONS];
    if (body->piece_count == 1) {
        uint32_t pair = gap_pair_of(reference, 0, 0);
        return pair != NO_GAP_PAIR && !gaps_clear_pair(reference, snapshot, body_index, 0, &reference->pairs[pair],
                                                       4 * GAP_MARGIN, ALL_GAP_QUESTIONS, open);
    }
    grow_box(&box, 4 * GAP_MARGIN);
    for (uint32_t range = 0; range < body->range_count; range++) {
        uint32_t set = snapshot->kernels->meet(&snapshot->ranges[SIDE_CELLS][body->first_range + range], &box);
        for (; set; set &= set - 1) {
            uint32_t group = range * PIECE_CLUSTERS + (uint32_t)__builtin_ctz(set);
            if (!group_keeps_apart(reference, snapshot, body_index, piece, group, &box)) {
                return false;
            }
        }
    }
    return true;
}
