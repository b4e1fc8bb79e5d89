/* What the positions at t0 say about a body: exact signs of its cells, and plain numbers about size and shape.
 *
 * Signs come from the exact orientation predicate, so "inverted" and "flat" are facts about the numbers given. Lengths,
 * areas, volumes and qualities are plain doubles from one fixed sequence of operations. Differences are first scaled by
 * a power of two to lie near 1, so shapes of any size (1e-300, 1e300) have the quality they should.
 */
#include "bodies/body_data.h"
#include "geometry/numbers/vector3.h"
#include "geometry/predicates/orientation_predicates.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- signs ------------------------------------------------------------------------------------------------------- */

struct sign_counts {
    uint64_t positive, negative, flat; /* tetrahedra */
    uint32_t cells_with_negative, cells_with_flat;
    uint32_t first_negative_cell, first_flat_cell;
};

static bool triangle_is_flat(const double (*xyz)[3], const uint32_t corners[3])
{
    const double *a = xyz[corners[0]], *b = xyz[corners[1]], *c = xyz[corners[2]];
    return orientation_2d(a, b, c, 0, 1) == 0 && orientation_2d(a, b, c, 1, 2) == 0 &&
           orientation_2d(a, b, c, 2, 0) == 0;
}

static void note_cell(struct sign_counts *counts, uint32_t cell, bool has_negative, bool has_flat)
{
    if (has_negative && counts->cells_with_negative++ == 0) {
        counts->first_negative_cell = cell;
    }
    if (has_flat && counts->cells_with_flat++ == 0) {
        counts->first_flat_cell = cell;
    }
}

static struct sign_counts count_signs(const struct body *body, const double (*xyz)[3])
{
    struct sign_counts counts = {.first_negative_cell = UINT32_MAX, .first_flat_cell = UINT32_MAX};
    for (uint32_t face = 0; body_has_faces(body) && face < body->element_count; face++) {
        note_cell(&counts, face, false, triangle_is_flat(xyz, body->element_corners + (size_t)face * 3));
    }
    for (uint32_t segment = 0; body_has_segments(body) && segment < body->element_count; segment++) {
        const double *a = xyz[body->edges[segment].v0], *b = xyz[body->edges[segment].v1];
        note_cell(&counts, segment, false, a[0] == b[0] && a[1] == b[1] && a[2] == b[2]);
    }
    for (uint32_t cell = 0; cell < body_cell_count(body); cell++) {
        uint32_t first = body->first_tetrahedron ? body->first_tetrahedron[cell] : cell;
        uint32_t last = body->first_tetrahedron ? body->first_tetrahedron[cell + 1] : cell + 1;
        uint64_t negative = counts.negative, flat = counts.flat;
        for (uint32_t tetrahedron = first; tetrahedron < last; tetrahedron++) {
            const uint32_t *corners = body->tetrahedra[tetrahedron];
            int sign = orientation_3d(xyz[corners[0]], xyz[corners[1]], xyz[corners[2]], xyz[corners[3]]);
            counts.positive += sign > 0;
            counts.negative += sign < 0;
            counts.flat += sign == 0;
        }
        note_cell(&counts, cell, counts.negative > negative, counts.flat > flat);
    }
    return counts;
}

static bool is_mirrored(const struct sign_counts *counts)
{
    return counts->positive == 0 && counts->negative > 0;
}

/* ---- plain numbers ----------------------------------------------------------------------------------------------- */

/* Differences of the corners of a simplex to its first corner, times 2^-exponent; the largest is between 1/2 and 1. */
struct scaled_simplex {
    double edges[3][3];
    int exponent;
};

/* Differences of the corners times `factor` (1, or 1/2 where a difference of huge numbers would overflow); the largest
 * of them. */
static double subtract_corners(const double (*xyz)[3], const uint32_t *corners, int edge_count, double factor,
                               double edges[3][3])
{
    double largest = 0.0;
    for (int i = 0; i < edge_count; i++) {
        for (int axis = 0; axis < 3; axis++) {
            edges[i][axis] = factor * xyz[corners[i + 1]][axis] - factor * xyz[corners[0]][axis];
            largest = fmax(largest, fabs(edges[i][axis]));
        }
    }
    return largest;
}

static struct scaled_simplex scale_simplex(const double (*xyz)[3], const uint32_t *corners, int edge_count)
{
    struct scaled_simplex scaled = {.exponent = 0};
    int halved = 0, exponent = 0;
    double largest = subtract_corners(xyz, corners, edge_count, 1.0, scaled.edges);
    if (!isfinite(largest)) {
        largest = subtract_corners(xyz, corners, edge_count, 0.5, scaled.edges);
        halved = 1;
    }
    frexp(largest, &exponent);
    for (int i = 0; i < edge_count; i++) {
        for (int axis = 0; axis < 3; axis++) {
            scaled.edges[i][axis] = ldexp(scaled.edges[i][axis], -exponent);
        }
    }
    scaled.exponent = exponent + halved;
    return scaled;
}

static double squared_difference(const double a[3], const double b[3])
{
    double difference[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
    return vector_dot(difference, difference);
}

static double edge_length(const double (*xyz)[3], dent_edge edge)
{
    uint32_t ends[2] = {edge.v0, edge.v1};
    struct scaled_simplex scaled = scale_simplex(xyz, ends, 1);
    return ldexp(sqrt(vector_dot(scaled.edges[0], scaled.edges[0])), scaled.exponent);
}

static double triangle_area(const double (*xyz)[3], const uint32_t corners[3], double *quality)
{
    struct scaled_simplex scaled = scale_simplex(xyz, corners, 2);
    double normal[3];
    vector_cross(scaled.edges[0], scaled.edges[1], normal);
    double area = 0.5 * sqrt(vector_dot(normal, normal));
    double squares = (vector_dot(scaled.edges[0], scaled.edges[0]) + vector_dot(scaled.edges[1], scaled.edges[1])) +
                     squared_difference(scaled.edges[0], scaled.edges[1]);
    *quality = squares > 0.0 ? 4.0 * sqrt(3.0) * area / squares : 0.0;
    return ldexp(area, 2 * scaled.exponent);
}

static double tetrahedron_volume(const double (*xyz)[3], const uint32_t corners[4], double *quality)
{
    struct scaled_simplex scaled = scale_simplex(xyz, corners, 3);
    double normal[3], squares = 0.0;
    vector_cross(scaled.edges[1], scaled.edges[2], normal);
    double volume = fabs(vector_dot(scaled.edges[0], normal)) / 6.0;
    for (int i = 0; i < 3; i++) {
        squares += vector_dot(scaled.edges[i], scaled.edges[i]);
        squares += squared_difference(scaled.edges[i], scaled.edges[(i + 1) % 3]);
    }
    double root_mean_square = sqrt(squares / 6.0);
    double cube = root_mean_square * root_mean_square * root_mean_square;
    *quality = cube > 0.0 ? 6.0 * sqrt(2.0) * volume / cube : 0.0;
    return ldexp(volume, 3 * scaled.exponent);
}

static void measure_bounds(const struct body *body, const double (*xyz)[3], dent_body_metrics *measure)
{
    bool first = true;
    for (uint32_t vertex = 0; vertex < body->vertex_count; vertex++) {
        if (!(body->vertex_use[vertex] & VERTEX_USED)) {
            continue;
        }
        for (int axis = 0; axis < 3; axis++) {
            double number = xyz[vertex][axis];
            measure->lo[axis] = first || number < measure->lo[axis] ? number : measure->lo[axis];
            measure->hi[axis] = first || number > measure->hi[axis] ? number : measure->hi[axis];
        }
        first = false;
    }
}

static void measure_sizes(const struct body *body, const double (*xyz)[3], const struct sign_counts *signs,
                          dent_body_metrics *measure)
{
    double lowest = 1.0, quality, edge_sum = 0.0;
    for (uint32_t i = 0; i < body->tetrahedron_count; i++) {
        measure->volume += tetrahedron_volume(xyz, body->tetrahedra[i], &quality);
        lowest = fmin(lowest, quality);
    }
    for (uint32_t i = 0; i < body->surface_face_count; i++) {
        measure->area += triangle_area(xyz, body->surface_faces[i].corners, &quality);
        lowest = body_has_faces(body) ? fmin(lowest, quality) : lowest;
    }
    for (uint32_t i = 0; i < body->edge_count; i++) {
        edge_sum += edge_length(xyz, body->edges[i]);
    }
    measure->mean_edge = body->edge_count > 0 ? edge_sum / body->edge_count : 0.0;
    /* Rounding must not make a flat cell look less than flat. */
    measure->min_quality = signs->cells_with_flat > 0 ? 0.0 : lowest;
}

void body_measure(const struct body *body, const double (*xyz)[3], dent_body_metrics *measure)
{
    struct sign_counts signs = count_signs(body, xyz);
    memset(measure, 0, sizeof *measure);
    measure->mirrored = is_mirrored(&signs);
    measure->inverted_cells = measure->mirrored ? 0 : signs.cells_with_negative;
    measure->first_inverted_cell = measure->mirrored ? UINT32_MAX : signs.first_negative_cell;
    measure->flat_cells = signs.cells_with_flat;
    measure->first_flat_cell = signs.first_flat_cell;
    measure_bounds(body, xyz, measure);
    measure_sizes(body, xyz, &signs, measure);
}

dent_status body_check_strict(const struct body *body, const double (*xyz)[3], struct message *message)
{
    if (!body->strict) {
        return DENT_OK;
    }
    struct sign_counts signs = count_signs(body, xyz);
    if (signs.cells_with_negative > 0 && !is_mirrored(&signs)) {
        return message_fail(message, DENT_ERROR_BAD_MESH,
                            BODY_TITLE ": cell %" PRIu32 " is inverted (%" PRIu32 " in all); strict",
                            BODY_TITLE_OF(body), signs.first_negative_cell, signs.cells_with_negative);
    }
    if (signs.cells_with_flat > 0) {
        return message_fail(message, DENT_ERROR_BAD_MESH,
                            BODY_TITLE ": %s %" PRIu32 " is flat (%" PRIu32 " in all); strict", BODY_TITLE_OF(body),
                            body_kind_rows[body->kind].element_name, signs.first_flat_cell, signs.cells_with_flat);
    }
    return DENT_OK;
}
