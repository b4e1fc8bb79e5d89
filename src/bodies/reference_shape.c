/* Does the reference shape of a solid look convex and evenly meshed? A hint for `auto`, no proof: plain doubles, edge
 * by edge.
 *
 * A closed surface that bends outward at every edge is convex. At each edge with two faces the far corner of one is
 * compared with the plane of the other; the side of the cell behind a face is the inner one, so mirrored bodies need no
 * care. O(n), once, when a body is added.
 */
#include "bodies/reference_shape.h"

#include <math.h>

#include "bodies/vertex_buckets.h"

/* Six times the volume over the plane of a face; `size`: the sum of the |products|. */
static double height_over(const double (*shape)[3], const uint32_t face[3], uint32_t vertex, double *size)
{
    double d[3][3], volume = 0;
    *size = 0;
    for (int axis = 0; axis < 3; axis++) {
        d[0][axis] = shape[face[1]][axis] - shape[face[0]][axis];
        d[1][axis] = shape[face[2]][axis] - shape[face[0]][axis];
        d[2][axis] = shape[vertex][axis] - shape[face[0]][axis];
    }
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        double first = d[0][i] * d[1][j] * d[2][k], second = d[0][i] * d[1][k] * d[2][j];
        volume += first - second;
        *size += (first < 0 ? -first : first) + (second < 0 ? -second : second);
    }
    return volume;
}

/* The corner of a face that is not on its edge `edge`. */
static uint32_t far_corner(const struct body *body, uint32_t code)
{
    return body->surface_faces[code / 3].corners[(code % 3 + 2) % 3];
}

static uint32_t apex_behind(const struct body *body, uint32_t face)
{
    const uint32_t *corners = body->surface_faces[face].corners;
    const uint32_t *cell = body->tetrahedra[body->surface_face_tetrahedron[face]];
    uint32_t apex = cell[0];
    for (int i = 0; i < 4; i++) {
        bool on_face = cell[i] == corners[0] || cell[i] == corners[1] || cell[i] == corners[2];
        apex = on_face ? apex : cell[i];
    }
    return apex;
}

static bool bends_outward(const struct body *body, uint32_t code, uint32_t other)
{
    const double(*shape)[3] = (const double(*)[3])body->reference;
    const uint32_t *face = body->surface_faces[code / 3].corners;
    double size, inner = height_over(shape, face, apex_behind(body, code / 3), &size);
    double height = height_over(shape, face, far_corner(body, other), &size);
    return (inner > 0 ? height : -height) >= -1e-9 * size;
}

static bool edges_bend_outward(const struct body *body, const struct vertex_buckets *buckets)
{
    for (uint64_t i = 0; i < buckets->record_count; i++) {
        const struct bucket_record *record = &buckets->records[i];
        bool first = i == 0 || record[-1].key0 != record->key0 || record[-1].key1 != record->key1;
        bool pair = i + 1 < buckets->record_count && record[1].key0 == record->key0 && record[1].key1 == record->key1;
        if (first && (!pair || !bends_outward(body, record->ref, record[1].ref))) {
            return false;
        }
    }
    return true;
}

/* Edges of the surface within a factor of 16 of each other: on meshes graded further the certificate of the cluster
 * search rarely passes. */
static bool edges_are_even(const struct body *body)
{
    double shortest = INFINITY, longest = 0;
    for (uint32_t code = 0; code < body->surface_face_count * 3; code++) {
        const uint32_t *corners = body->surface_faces[code / 3].corners;
        const double *a = body->reference[corners[code % 3]], *b = body->reference[corners[(code % 3 + 1) % 3]];
        double d[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]}, square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
        shortest = square < shortest ? square : shortest;
        longest = square > longest ? square : longest;
    }
    return longest <= 256 * shortest;
}

bool reference_looks_convex(const struct body *body, bool *convex)
{
    struct vertex_buckets buckets;
    bool good = vertex_buckets_begin(&buckets, body->context, body->vertex_count);
    for (int pass = 0; pass < 2 && good; pass++) {
        for (uint32_t code = 0; code < body->surface_face_count * 3; code++) {
            const uint32_t *corners = body->surface_faces[code / 3].corners;
            uint32_t a = corners[code % 3], b = corners[(code % 3 + 1) % 3];
            uint32_t low = a < b ? a : b, high = a < b ? b : a;
            if (pass == 0) {
                vertex_buckets_count(&buckets, low);
            } else {
                vertex_buckets_put(&buckets, low, low, high, code);
            }
        }
        good = pass == 1 || vertex_buckets_allocate(&buckets);
    }
    if (good) {
        vertex_buckets_sort(&buckets);
        *convex = body->topology.component_count == 1 && edges_are_even(body) && edges_bend_outward(body, &buckets);
    }
    vertex_buckets_end(&buckets);
    return good;
}
