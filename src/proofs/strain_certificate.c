/* The strain certificate. See strain_certificate.h for what is proven and why. */
#include "proofs/strain_certificate.h"

#include <math.h>
#include <string.h>

#include "geometry/numbers/bounds.h"
#include "geometry/predicates/orientation_predicates.h"
#include "geometry/predicates/tetrahedron_predicates.h"

enum { PLANES_MAX = 64 };

/* Looking at every vertex from this many planes is as long as we try to prove a body convex. */
#define CONVEXITY_TESTS_MAX 400e6

bool strain_reference_create(struct strain_reference *reference, dent_context *context,
                             const struct body_clusters *clusters)
{
    *reference = (struct strain_reference){.context = context, .clusters = clusters};
    reference->rest_shapes = dent_allocate(context, clusters->cluster_count, sizeof *reference->rest_shapes);
    reference->boxes = dent_allocate(context, clusters->piece_count, sizeof *reference->boxes);
    uint32_t pieces = clusters->piece_count;
    reference->cover_room = pieces < COVER_MAX ? pieces : COVER_MAX;
    reference->group_cover_room = pieces < GROUP_COVER_MAX ? pieces : GROUP_COVER_MAX;
    reference->covers = dent_allocate(context, pieces, reference->cover_room * sizeof *reference->covers);
    reference->cover_counts = dent_allocate(context, clusters->piece_count, sizeof *reference->cover_counts);
    reference->group_count = (clusters->piece_count + PIECE_CLUSTERS - 1) / PIECE_CLUSTERS;
    reference->group_covers =
        dent_allocate(context, reference->group_count, reference->group_cover_room * sizeof *reference->group_covers);
    reference->group_cover_counts =
        dent_allocate(context, reference->group_count, sizeof *reference->group_cover_counts);
    bool enough = reference->rest_shapes && reference->boxes && reference->covers && reference->cover_counts &&
                  reference->group_covers && reference->group_cover_counts;
    if (!enough) {
        strain_reference_destroy(reference);
    }
    return enough;
}

void strain_reference_destroy(struct strain_reference *reference)
{
    dent_context *context = reference->context;
    if (reference->clusters) {
        dent_release(context, reference->rest_shapes, reference->clusters->cluster_count,
                     sizeof *reference->rest_shapes);
        dent_release(context, reference->boxes, reference->clusters->piece_count, sizeof *reference->boxes);
        dent_release(context, reference->covers, reference->clusters->piece_count,
                     reference->cover_room * sizeof *reference->covers);
        dent_release(context, reference->cover_counts, reference->clusters->piece_count,
                     sizeof *reference->cover_counts);
        dent_release(context, reference->group_covers, reference->group_count,
                     reference->group_cover_room * sizeof *reference->group_covers);
        dent_release(context, reference->group_cover_counts, reference->group_count,
                     sizeof *reference->group_cover_counts);
    }
    *reference = (struct strain_reference){.context = context};
}

static struct cover_part *cover_of_piece(const struct strain_reference *reference, uint32_t piece)
{
    return reference->covers + (size_t)piece * reference->cover_room;
}

static struct cover_part *cover_of_group(const struct strain_reference *reference, uint32_t group)
{
    return reference->group_covers + (size_t)group * reference->group_cover_room;
}

/* ---- facts about the reference --------------------------------------------------------------- */

static void cell_points(const struct body *body, const double (*shape)[3], uint32_t cell, const double *points[4])
{
    for (int k = 0; k < 4; k++) {
        points[k] = shape[body->tetrahedra[cell][k]];
    }
}

/* The corner of a cell that is not a corner of the face opposite `corner` of another one. */
static uint32_t apex_across(const struct body *body, uint32_t cell, int corner, uint32_t neighbour)
{
    for (int k = 0; k < 4; k++) {
        uint32_t vertex = body->tetrahedra[neighbour][k];
        bool in_face = false;
        for (int i = 0; i < 4; i++) {
            in_face |= i != corner && body->tetrahedra[cell][i] == vertex;
        }
        if (!in_face) {
            return vertex;
        }
    }
    return body->tetrahedra[cell][corner]; /* the same four corners */
}

/* No cell is flat, and two cells with a common face lie on different sides of it. */
static bool cells_lie_side_by_side(const struct body *body, const double (*shape)[3])
{
    for (uint32_t cell = 0; cell < body->tetrahedron_count; cell++) {
        const double *p[4];
        cell_points(body, shape, cell, p);
        int sign = orientation_3d(p[0], p[1], p[2], p[3]);
        if (sign == 0) {
            return false;
        }
        for (int corner = 0; corner < 4; corner++) {
            uint32_t neighbour = body->neighbours[cell][corner];
            if (neighbour == NEIGHBOUR_NONMANIFOLD) {
                return false;
            }
            if (neighbour == NEIGHBOUR_NONE || neighbour < cell) {
                continue;
            }
            const double *moved[4] = {p[0], p[1], p[2], p[3]};
            moved[corner] = shape[apex_across(body, cell, corner, neighbour)];
            if (orientation_3d(moved[0], moved[1], moved[2], moved[3]) != -sign) {
                return false;
            }
        }
    }
    return body->tetrahedron_count > 0;
}

static void middle_of_cell(const struct body *body, const double (*shape)[3], uint32_t cell, double middle[3])
{
    const double *p[4];
    cell_points(body, shape, cell, p);
    for (int axis = 0; axis < 3; axis++) {
        middle[axis] = (p[0][axis] * 0.25 + p[1][axis] * 0.25) + (p[2][axis] * 0.25 + p[3][axis] * 0.25);
    }
}

static bool closed_cell_holds(const struct body *body, const double (*shape)[3], uint32_t cell, const double point[3])
{
    const double *p[4];
    cell_points(body, shape, cell, p);
    for (int axis = 0; axis < 3; axis++) {
        double lo = fmin(fmin(p[0][axis], p[1][axis]), fmin(p[2][axis], p[3][axis]));
        double hi = fmax(fmax(p[0][axis], p[1][axis]), fmax(p[2][axis], p[3][axis]));
        if (point[axis] < lo || point[axis] > hi) {
            return false;
        }
    }
    predicate_counters ignored = {0};
    return point_versus_tetrahedron(point, p[0], p[1], p[2], p[3], &ignored) != POINT_OUTSIDE;
}

/* The middle of the first cell lies in no other closed cell. */
static bool body_is_covered_once(const struct body *body, const double (*shape)[3])
{
    double middle[3];
    uint32_t covers = 0;
    middle_of_cell(body, shape, 0, middle);
    for (uint32_t cell = 0; cell < body->tetrahedron_count && covers < 2; cell++) {
        covers += closed_cell_holds(body, shape, cell, middle);
    }
    return covers == 1;
}

static bool plane_supports_body(const struct body *body, const double (*shape)[3], const double *const face[3])
{
    bool above = false, below = false;
    for (uint32_t vertex = 0; vertex < body->vertex_count; vertex++) {
        if (body->vertex_use[vertex] & VERTEX_USED) {
            int side = orientation_3d(face[0], face[1], face[2], shape[vertex]);
            above |= side > 0;
            below |= side < 0;
            if (above && below) {
                return false;
            }
        }
    }
    return above || below;
}

static bool face_in_plane(const double *const face[3], const double *const plane[3])
{
    return orientation_3d(plane[0], plane[1], plane[2], face[0]) == 0 &&
           orientation_3d(plane[0], plane[1], plane[2], face[1]) == 0 &&
           orientation_3d(plane[0], plane[1], plane[2], face[2]) == 0;
}

/* Every surface face lies in a plane that has all vertices on one side. */
static bool body_is_convex(const struct body *body, const double (*shape)[3])
{
    const double *planes[PLANES_MAX][3];
    int plane_count = 0;
    double tests = 0;
    for (uint32_t f = 0; f < body->surface_face_count; f++) {
        const uint32_t *corners = body->surface_faces[f].corners;
        const double *face[3] = {shape[corners[0]], shape[corners[1]], shape[corners[2]]};
        bool known = false;
        for (int i = 0; i < plane_count && !known; i++) {
            known = face_in_plane(face, planes[i]);
        }
        if (known) {
            continue;
        }
        tests += body->vertex_count;
        if (tests > CONVEXITY_TESTS_MAX || !plane_supports_body(body, shape, face)) {
            return false;
        }
        if (plane_count < PLANES_MAX) {
            memcpy(planes[plane_count++], face, sizeof face);
        }
    }
    return body->surface_face_count > 0;
}

/* ---- clusters -------------------------------------------------------------------------------- */

double strain_reference_scale(const struct body *body, const double (*shape)[3])
{
    double largest = 0;
    int exponent;
    for (uint32_t vertex = 0; vertex < body->vertex_count; vertex++) {
        for (int axis = 0; axis < 3; axis++) {
            largest = fmax(largest, (body->vertex_use[vertex] & VERTEX_USED) ? fabs(shape[vertex][axis]) : 0);
        }
    }
    if (largest == 0) {
        return 0;
    }
    frexp(largest, &exponent);
    return exponent > 1000 || exponent < -1000 ? 0 : ldexp(1.0, -exponent);
}

static bool invert(const double m[9], double inverse[9])
{
    double c0 = m[4] * m[8] - m[5] * m[7], c1 = m[5] * m[6] - m[3] * m[8], c2 = m[3] * m[7] - m[4] * m[6];
    double determinant = m[0] * c0 + m[1] * c1 + m[2] * c2;
    const double adjugate[9] = {c0, m[2] * m[7] - m[1] * m[8], m[1] * m[5] - m[2] * m[4],
                                c1, m[0] * m[8] - m[2] * m[6], m[2] * m[3] - m[0] * m[5],
                                c2, m[1] * m[6] - m[0] * m[7], m[0] * m[4] - m[1] * m[3]};
    for (int i = 0; i < 9; i++) {
        inverse[i] = adjugate[i] / determinant;
        if (!isfinite(inverse[i])) {
            return false;
        }
    }
    return true;
}

/* Half of max |sum +-b_i| over signs, with b_i the barycentric gradients; infinite for a flat cell. */
static double stretch_of_cell(double y[4][3])
{
    double edges[9], inverse[9], b[4][3], most = 0;
    for (int row = 0; row < 3; row++) {
        for (int axis = 0; axis < 3; axis++) {
            edges[3 * row + axis] = y[row + 1][axis] - y[0][axis];
        }
    }
    if (!invert(edges, inverse)) {
        return INFINITY;
    }
    for (int axis = 0; axis < 3; axis++) { /* edges * b_k = unit vector k: columns of the inverse */
        b[1][axis] = inverse[3 * axis];
        b[2][axis] = inverse[3 * axis + 1];
        b[3][axis] = inverse[3 * axis + 2];
        b[0][axis] = -(b[1][axis] + b[2][axis] + b[3][axis]);
    }
    for (int signs = 0; signs < 8; signs++) {
        double square = 0;
        for (int axis = 0; axis < 3; axis++) {
            double sum = b[0][axis];
            for (int k = 0; k < 3; k++) {
                sum += signs >> k & 1 ? b[k + 1][axis] : -b[k + 1][axis];
            }
            square += sum * sum;
        }
        most = fmax(most, square);
    }
    /* The inverse of a badly conditioned cell may be off: its size times the unit roundoff, generously. */
    double size = 0, inverse_size = 0;
    for (int i = 0; i < 9; i++) {
        size = fmax(size, fabs(edges[i]));
        inverse_size = fmax(inverse_size, fabs(inverse[i]));
    }
    double doubt = 1e-13 * (size * inverse_size) * (size * inverse_size);
    return doubt < 0.1 && inverse_size < 1e8 ? 0.5 * sqrt(most) * (1 + 20 * doubt + 1e-6) : INFINITY;
}

void strain_middle(const struct cluster *cluster, const double (*shape)[3], double scale, double middle[3])
{
    middle[0] = middle[1] = middle[2] = 0;
    for (uint32_t k = 0; k < cluster->vertex_count; k++) {
        for (int axis = 0; axis < 3; axis++) {
            middle[axis] += shape[cluster->vertices[k]][axis] * scale / cluster->vertex_count;
        }
    }
}

/* Coordinates about the middle of the cluster, in scaled reference units. */
static double centre_cluster(const struct cluster *cluster, const double (*shape)[3], double scale,
                             double y[CLUSTER_VERTICES][3])
{
    double middle[3], most = 0;
    strain_middle(cluster, shape, scale, middle);
    for (uint32_t k = 0; k < CLUSTER_VERTICES; k++) {
        for (int axis = 0; axis < 3; axis++) {
            y[k][axis] = shape[cluster->vertices[k]][axis] * scale - middle[axis];
            most = fmax(most, fabs(y[k][axis]));
        }
    }
    return most;
}

static void set_rest(struct cluster_rest *rest, const struct cluster *cluster, const struct cluster_corners *slots,
                     const double (*shape)[3], double scale)
{
    double y[CLUSTER_VERTICES][3], scatter[9] = {0}, inverse[9], error = 0, stretch = 0;
    double unit = centre_cluster(cluster, shape, scale, y) / 32000;
    *rest = (struct cluster_rest){.stretch = INFINITY, .per_unit = 0};
    if (!(unit > 1e-30)) {
        return;
    }
    double float_unit = (double)(float)unit;
    rest->per_unit = (float)(1 / float_unit);
    for (uint32_t k = 0; k < CLUSTER_VERTICES; k++) {
        for (int axis = 0; axis < 3; axis++) {
            double units = y[k][axis] / float_unit, rounded = floor(units + 0.5);
            rest->y[axis][k] = (int16_t)rounded;
            error = fmax(error, fabs(units - rounded));
            rest->y_most[axis] = fmaxf(rest->y_most[axis], (float)fabs(rounded));
        }
        for (int i = 0; k < cluster->vertex_count && i < 9; i++) {
            scatter[i] += y[k][i / 3] / unit * (y[k][i % 3] / unit);
        }
    }
    if (!invert(scatter, inverse)) {
        return;
    }
    const float upper[6] = {(float)inverse[0], (float)inverse[1], (float)inverse[2],
                            (float)inverse[4], (float)inverse[5], (float)inverse[8]};
    memcpy(rest->inverse, upper, sizeof upper);
    /* Middle and difference were rounded at the size of the whole body, 1. */
    rest->y_error = (float)((error + 1e-14 / unit) * 1.0001);
    for (uint32_t cell = 0; cell < cluster->cell_count; cell++) {
        double corners[4][3];
        for (int k = 0; k < 4; k++) {
            memcpy(corners[k], y[cluster_corner(slots->cells[cell], k)], sizeof corners[k]);
        }
        stretch = fmax(stretch, stretch_of_cell(corners));
    }
    rest->stretch = (float)(stretch * 1.0001);
}

/* ---- pieces ---------------------------------------------------------------------------------- */

static const struct reference_box empty_reference_box = {{INFINITY, INFINITY, INFINITY},
                                                         {-INFINITY, -INFINITY, -INFINITY}};

static void widen(struct reference_box *box, const double point[3])
{
    bounds_add_point(box->lo, box->hi, point);
}

static struct reference_box box_of_vertices(const struct cluster *cluster, const double (*shape)[3], uint32_t vertices)
{
    struct reference_box box = empty_reference_box;
    for (; vertices; vertices &= vertices - 1) {
        widen(&box, shape[cluster->vertices[__builtin_ctz(vertices)]]);
    }
    return box;
}

static bool boxes_touch(const struct reference_box *a, const struct reference_box *b)
{
    return bounds_meet(a->lo, a->hi, b->lo, b->hi);
}

static bool boxes_overlap(const struct reference_box *a, const struct reference_box *b)
{
    return a->lo[0] < b->hi[0] && b->lo[0] < a->hi[0] && a->lo[1] < b->hi[1] && b->lo[1] < a->hi[1] &&
           a->lo[2] < b->hi[2] && b->lo[2] < a->hi[2];
}

bool strain_neighbours(const struct strain_reference *reference, uint32_t piece_a, uint32_t piece_b)
{
    return boxes_touch(&reference->boxes[piece_a], &reference->boxes[piece_b]);
}

/* The common box of a piece and its neighbours; in bodies that are not convex a little more, so that every feature lies
 * in its interior. */
static struct reference_box region_of_piece(const struct strain_reference *reference, uint32_t piece)
{
    struct reference_box region = reference->boxes[piece];
    for (uint32_t other = 0; other < reference->clusters->piece_count; other++) {
        if (strain_neighbours(reference, piece, other)) {
            widen(&region, reference->boxes[other].lo);
            widen(&region, reference->boxes[other].hi);
        }
    }
    for (int axis = 0; axis < 3 && !reference->convex; axis++) {
        double margin = (region.hi[axis] - region.lo[axis]) * 1e-6;
        region.lo[axis] = nextafter(region.lo[axis] - margin, -INFINITY);
        region.hi[axis] = nextafter(region.hi[axis] + margin, INFINITY);
    }
    return region;
}

/* Clusters that come into the interior of the region, listed; 0 when there are too many, or a surface face comes into
 * it. */
static uint32_t cover_region(const struct strain_reference *reference, const double (*shape)[3],
                             const struct reference_box *region, struct cover_part *cover, uint32_t room)
{
    const struct body_clusters *clusters = reference->clusters;
    uint32_t count = 0;
    for (uint32_t piece = 0; piece < clusters->piece_count; piece++) {
        if (!boxes_overlap(region, &reference->boxes[piece])) {
            continue;
        }
        struct cover_part part = {piece, 0};
        for (uint32_t slot = 0; slot < clusters->pieces[piece].count; slot++) {
            const struct cluster *cluster = &clusters->clusters[clusters->pieces[piece].first + slot];
            struct reference_box box = box_of_vertices(cluster, shape, all_vertices(cluster));
            if (!reference->convex) {
                struct reference_box faces = box_of_vertices(cluster, shape, cluster->on_faces);
                if (boxes_touch(region, &faces)) {
                    return 0;
                }
            }
            part.clusters |= (uint32_t)boxes_overlap(region, &box) << slot;
        }
        if (part.clusters) {
            if (count == room) {
                return 0;
            }
            cover[count++] = part;
        }
    }
    return count;
}

/* The middle of a cell of the piece lies in exactly one closed cell. Only clusters that come into the region can hold
 * it. */
static bool region_is_covered_once(const struct strain_reference *reference, const struct body *body,
                                   const double (*shape)[3], uint32_t piece, const struct cover_part *cover,
                                   uint32_t cover_count)
{
    const struct body_clusters *clusters = reference->clusters;
    double middle[3];
    uint32_t covers = 0;
    middle_of_cell(body, shape, clusters->cells[clusters->clusters[clusters->pieces[piece].first].first_cell], middle);
    for (uint32_t i = 0; i < cover_count; i++) {
        const struct cover_part *part = &cover[i];
        for (uint32_t set = part->clusters; set; set &= set - 1) {
            const struct cluster *cluster =
                &clusters->clusters[clusters->pieces[part->piece].first + (uint32_t)__builtin_ctz(set)];
            for (uint32_t cell = 0; cell < cluster->cell_count; cell++) {
                covers += closed_cell_holds(body, shape, clusters->cells[cluster->first_cell + cell], middle);
            }
        }
    }
    return covers == 1;
}

/* Lists the clusters that cover the region of a piece; 0 when the region is not known to be covered once. */
static uint32_t prove_region(const struct strain_reference *reference, const struct body *body,
                             const double (*shape)[3], uint32_t piece, const struct reference_box *region,
                             struct cover_part *cover, uint32_t room)
{
    uint32_t count = cover_region(reference, shape, region, cover, room);
    bool once = reference->convex || (count > 0 && region_is_covered_once(reference, body, shape, piece, cover, count));
    return once ? count : 0;
}

static void set_pieces(struct strain_reference *reference, const struct body *body, const double (*shape)[3])
{
    const struct body_clusters *clusters = reference->clusters;
    for (uint32_t piece = 0; piece < clusters->piece_count; piece++) {
        reference->boxes[piece] = empty_reference_box;
        for (uint32_t slot = 0; slot < clusters->pieces[piece].count; slot++) {
            const struct cluster *cluster = &clusters->clusters[clusters->pieces[piece].first + slot];
            struct reference_box box = box_of_vertices(cluster, shape, all_vertices(cluster));
            widen(&reference->boxes[piece], box.lo);
            widen(&reference->boxes[piece], box.hi);
        }
    }
    for (uint32_t group = 0; group < reference->group_count; group++) {
        struct reference_box region = empty_reference_box;
        uint32_t first = group * PIECE_CLUSTERS, end = first + PIECE_CLUSTERS;
        end = end < clusters->piece_count ? end : clusters->piece_count;
        for (uint32_t piece = first; piece < end; piece++) {
            struct reference_box own = region_of_piece(reference, piece);
            reference->cover_counts[piece] = prove_region(reference, body, shape, piece, &own,
                                                          cover_of_piece(reference, piece), reference->cover_room);
            reference->usable |= reference->cover_counts[piece] > 0;
            widen(&region, own.lo);
            widen(&region, own.hi);
        }
        reference->group_cover_counts[group] = prove_region(
            reference, body, shape, first, &region, cover_of_group(reference, group), reference->group_cover_room);
    }
}

void strain_reference_set(struct strain_reference *reference, const struct body *body, const double (*shape)[3])
{
    double scale = strain_reference_scale(body, shape);
    reference->usable = reference->convex = false;
    if (scale == 0) {
        return;
    }
    if (cells_lie_side_by_side(body, shape)) {
        reference->convex = body_is_convex(body, shape) && body_is_covered_once(body, shape);
        reference->usable = reference->convex;
        set_pieces(reference, body, shape);
    }
    for (uint32_t cluster = 0; cluster < reference->clusters->cluster_count; cluster++) {
        set_rest(&reference->rest_shapes[cluster], &reference->clusters->clusters[cluster],
                 &reference->clusters->corners[cluster], shape, scale);
    }
}

/* ---- certificates ---------------------------------------------------------------------------- */

static bool matrix_of_sum(const double sum[9], uint32_t clusters, float matrix[9])
{
    double mean[9], inverse[9];
    for (int k = 0; k < 9; k++) {
        mean[k] = sum[k] / clusters;
    }
    bool found = invert(mean, inverse);
    for (int k = 0; found && k < 9; k++) {
        matrix[k] = (float)inverse[k];
    }
    return found;
}

static bool strain_matrix(const struct piece_strain *pieces, const struct cluster_piece *ranges, uint32_t count,
                   float matrix[9])
{
    double sum[9] = {0};
    uint32_t clusters = 0;
    for (uint32_t piece = 0; piece < count; piece++) {
        for (int k = 0; k < 9; k++) {
            for (uint32_t slot = 0; slot < ranges[piece].count; slot++) {
                sum[k] += (double)pieces[piece].g[k][slot];
            }
        }
        clusters += ranges[piece].count;
    }
    return matrix_of_sum(sum, clusters, matrix);
}

bool strain_body_matrix(const struct strain_reference *reference, const double (*sums)[9], float matrix[9])
{
    double sum[9] = {0};
    for (uint32_t piece = 0; reference->convex && piece < reference->clusters->piece_count; piece++) {
        for (int k = 0; k < 9; k++) {
            sum[k] += sums[piece][k];
        }
    }
    return reference->convex && matrix_of_sum(sum, reference->clusters->cluster_count, matrix);
}

static bool part_is_definite(const struct cluster_kernels *kernels, const struct piece_strain *strain,
                             uint32_t clusters, const float matrix[9])
{
    return (clusters & ~kernels->definite(strain, matrix)) == 0;
}

bool strain_group_agrees(const struct strain_reference *reference, const struct cluster_kernels *kernels,
                         const struct piece_strain *strains, uint32_t group, const float matrix[9])
{
    const struct body_clusters *clusters = reference->clusters;
    uint32_t first = group * PIECE_CLUSTERS;
    for (uint32_t piece = first; piece < clusters->piece_count && piece - first < PIECE_CLUSTERS; piece++) {
        if (!part_is_definite(kernels, &strains[piece], (1u << clusters->pieces[piece].count) - 1, matrix)) {
            return false;
        }
    }
    return true;
}

static bool cover_is_definite(const struct cluster_kernels *kernels, const struct piece_strain *strains,
                              const struct cover_part *cover, uint32_t count, const float matrix[9])
{
    for (uint32_t i = 0; i < count; i++) {
        if (!part_is_definite(kernels, &strains[cover[i].piece], cover[i].clusters, matrix)) {
            return false;
        }
    }
    return true;
}

bool strain_certifies_group(const struct strain_reference *reference, const struct cluster_kernels *kernels,
                            const struct piece_strain *strains, uint32_t group)
{
    float matrix[9];
    const struct body_clusters *clusters = reference->clusters;
    uint32_t count = reference->group_cover_counts[group], first = group * PIECE_CLUSTERS;
    uint32_t left = clusters->piece_count - first;
    return count > 0 &&
           strain_matrix(&strains[first], &clusters->pieces[first], left < PIECE_CLUSTERS ? left : PIECE_CLUSTERS,
                         matrix) &&
           cover_is_definite(kernels, strains, cover_of_group(reference, group), count, matrix);
}

bool strain_certifies_piece(const struct strain_reference *reference, const struct cluster_kernels *kernels,
                            const struct piece_strain *strains, uint32_t piece)
{
    float matrix[9];
    uint32_t count = reference->cover_counts[piece];
    return count > 0 && strain_matrix(&strains[piece], &reference->clusters->pieces[piece], 1, matrix) &&
           cover_is_definite(kernels, strains, cover_of_piece(reference, piece), count, matrix);
}
