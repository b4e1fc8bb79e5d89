/* view_fields.c — fields of the shape and of the contacts, a number for each vertex: how deep it is in another body, how
 * far the next one is, how good and how inverted its cells are, how fast it moves.
 *
 * Distance is from the vertex to the nearest of the surface faces round the four nearest surface vertices of other
 * bodies: an upper bound, and the distance itself where faces are not much longer than wide. */
#include "view_frames.h"
#include "view_vectors.h"

#include <dent/neighbours.h>

#include <math.h>
#include <string.h>

enum { NEAREST = 4 };

static void fill(double *values, uint32_t count, double value)
{
    for (uint32_t i = 0; i < count; i++) {
        values[i] = value;
    }
}

/* ---- cells ------------------------------------------------------------------------------------------------------ */

static void edge(const double *positions, uint32_t from, uint32_t to, double out[3])
{
    for (int axis = 0; axis < 3; axis++) {
        out[axis] = positions[3 * (size_t)to + (size_t)axis] - positions[3 * (size_t)from + (size_t)axis];
    }
}

static double sum_of_squares(const double *positions, const uint32_t *corners, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++) {
        for (int k = i + 1; k < count; k++) {
            double along[3];
            edge(positions, corners[i], corners[k], along);
            sum += view_dot(along, along);
        }
    }
    return sum;
}

/* Signed: negative for negative cells. */
static double tetrahedron_quality(const double *positions, const uint32_t *corners)
{
    double a[3], b[3], c[3], normal[3];
    edge(positions, corners[0], corners[1], a);
    edge(positions, corners[0], corners[2], b);
    edge(positions, corners[0], corners[3], c);
    view_cross(b, c, normal);
    double mean = sqrt(sum_of_squares(positions, corners, 4) / 6), volume = view_dot(a, normal) / 6;
    return mean > 0 ? 6 * sqrt(2.0) * volume / (mean * mean * mean) : 0;
}

static double triangle_quality(const double *positions, const uint32_t *corners)
{
    double a[3], b[3], normal[3], sum = sum_of_squares(positions, corners, 3);
    edge(positions, corners[0], corners[1], a);
    edge(positions, corners[0], corners[2], b);
    view_cross(a, b, normal);
    return sum > 0 ? 2 * sqrt(3.0) * sqrt(view_dot(normal, normal)) / sum : 0;
}

static void lower(double *value, double to)
{
    *value = *value < 0 || to < *value ? to : *value;
}

static void find_quality(const view_source *source, const view_body *body, double *vertices)
{
    uint32_t count = 0;
    const uint32_t *cells = NULL, *corners = dent_body_tetrahedra(source->world, body->id, &count, &cells);
    fill(vertices, body->vertex_count, -1);
    for (uint32_t i = 0; i < count && body->solid; i++) {
        double quality = fabs(tetrahedron_quality(body->positions, corners + 4 * (size_t)i));
        for (int k = 0; k < 4; k++) {
            lower(&vertices[corners[4 * (size_t)i + (size_t)k]], quality);
        }
    }
    for (uint32_t i = 0; i < body->face_count && !body->solid; i++) {
        double quality = triangle_quality(body->positions, body->faces[i].corners);
        for (int k = 0; k < 3; k++) {
            lower(&vertices[body->faces[i].corners[k]], quality);
        }
    }
}

static void find_inverted(view_source *source, const view_body *body, double *vertices)
{
    dent_body_metrics metrics;
    uint32_t count = 0;
    const uint32_t *cells = NULL, *corners = dent_body_tetrahedra(source->world, body->id, &count, &cells);
    bool known = body->solid && dent_body_get_metrics(source->world, body->id, &metrics) == DENT_OK;
    fill(vertices, body->vertex_count, known ? 0 : -1);
    for (uint32_t i = 0; i < count && known; i++) {
        double quality = tetrahedron_quality(body->positions, corners + 4 * (size_t)i);
        for (int k = 0; k < 4 && (metrics.mirrored ? quality > 0 : quality < 0); k++) {
            vertices[corners[4 * (size_t)i + (size_t)k]] = 1;
        }
    }
}

/* ---- distance --------------------------------------------------------------------------------------------------- */

/* The surface vertices of all bodies but one, and the faces round each. */
typedef struct others {
    uint32_t vertex_count, corner_count;
    double *places;         /* 3 for each vertex */
    uint32_t *first, *faces; /* of vertex v: faces[first[v]] … first[v + 1]: body and face as one number, see below */
    uint32_t *bodies;
} others;

/* Squared; Ericson, Real-Time Collision Detection, 5.1.5, as a projection on the plane or on the nearest edge. */
static double segment_squared(const double p[3], const double *a, const double *b)
{
    double along[3], to[3], t = 0;
    for (int axis = 0; axis < 3; axis++) {
        along[axis] = b[axis] - a[axis];
        to[axis] = p[axis] - a[axis];
    }
    double squared = view_dot(along, along);
    t = squared > 0 ? view_dot(to, along) / squared : 0;
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    for (int axis = 0; axis < 3; axis++) {
        to[axis] -= t * along[axis];
    }
    return view_dot(to, to);
}

static double face_squared(const double p[3], const double *a, const double *b, const double *c)
{
    double best = fmin(segment_squared(p, a, b), fmin(segment_squared(p, b, c), segment_squared(p, c, a)));
    double ab[3], ac[3], ap[3], normal[3], side[3];
    for (int axis = 0; axis < 3; axis++) {
        ab[axis] = b[axis] - a[axis];
        ac[axis] = c[axis] - a[axis];
        ap[axis] = p[axis] - a[axis];
    }
    view_cross(ab, ac, normal);
    double squared = view_dot(normal, normal);
    if (squared > 0) {
        view_cross(ab, ap, side);
        double w = view_dot(side, normal) / squared;
        view_cross(ap, ac, side);
        double v = view_dot(side, normal) / squared, height = view_dot(ap, normal);
        best = v >= 0 && w >= 0 && v + w <= 1 ? fmin(best, height * height / squared) : best;
    }
    return best;
}

static void release_others(dent_context *context, others *all)
{
    dent_release(context, all->places, 3 * (size_t)all->vertex_count, sizeof *all->places);
    dent_release(context, all->first, (size_t)all->vertex_count + 1, sizeof *all->first);
    dent_release(context, all->faces, all->corner_count, sizeof *all->faces);
    dent_release(context, all->bodies, all->vertex_count, sizeof *all->bodies);
}

static uint32_t place_of(const view_body *body, uint32_t vertex)
{
    uint32_t low = 0, high = body->shown_count - 1;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        low = body->shown_vertices[middle] < vertex ? middle + 1 : low;
        high = body->shown_vertices[middle] < vertex ? high : middle;
    }
    return low;
}

/* Faces by vertex: counted, summed, filled. `first` ends up as the starts. */
static void list_faces(const view_source *source, uint32_t index, others *all)
{
    for (int pass = 0; pass < 2; pass++) {
        uint32_t start = 0;
        for (uint32_t i = 0; i < source->body_count; i++) {
            const view_body *body = &source->bodies[i];
            for (uint32_t f = 0; f < body->face_count && i != index; f++) {
                for (int k = 0; k < 3; k++) {
                    uint32_t vertex = start + place_of(body, body->faces[f].corners[k]);
                    if (pass == 0) {
                        all->first[vertex + 1]++;
                    } else {
                        all->faces[all->first[vertex]++] = f;
                    }
                }
            }
            start += i != index ? body->shown_count : 0;
        }
        for (uint32_t v = 0; v < all->vertex_count && pass == 0; v++) {
            all->first[v + 1] += all->first[v];
        }
    }
    memmove(all->first + 1, all->first, all->vertex_count * sizeof *all->first);
    all->first[0] = 0;
}

static bool gather_others(const view_source *source, uint32_t index, others *all)
{
    dent_context *context = source->context;
    memset(all, 0, sizeof *all);
    for (uint32_t i = 0; i < source->body_count; i++) {
        all->vertex_count += i != index ? source->bodies[i].shown_count : 0;
        all->corner_count += i != index ? 3 * source->bodies[i].face_count : 0;
    }
    all->places = dent_allocate(context, 3 * (size_t)all->vertex_count, sizeof *all->places);
    all->first = dent_allocate(context, (size_t)all->vertex_count + 1, sizeof *all->first);
    all->faces = dent_allocate(context, all->corner_count, sizeof *all->faces);
    all->bodies = dent_allocate(context, all->vertex_count, sizeof *all->bodies);
    if (all->places == NULL || all->first == NULL || all->faces == NULL || all->bodies == NULL) {
        return false;
    }
    memset(all->first, 0, ((size_t)all->vertex_count + 1) * sizeof *all->first);
    uint32_t next = 0;
    for (uint32_t i = 0; i < source->body_count; i++) {
        const view_body *body = &source->bodies[i];
        for (uint32_t n = 0; n < body->shown_count && i != index; n++, next++) {
            memcpy(all->places + 3 * (size_t)next, body->positions + 3 * (size_t)body->shown_vertices[n],
                   3 * sizeof *all->places);
            all->bodies[next] = i;
        }
    }
    list_faces(source, index, all);
    return true;
}

static double nearest_face(const view_source *source, const others *all, const double p[3], const uint32_t *near)
{
    double best = INFINITY;
    for (int k = 0; k < NEAREST && near[k] != UINT32_MAX; k++) {
        const view_body *body = &source->bodies[all->bodies[near[k]]];
        for (uint32_t f = all->first[near[k]]; f < all->first[near[k] + 1]; f++) {
            const uint32_t *corners = body->faces[all->faces[f]].corners;
            best = fmin(best, face_squared(p, body->positions + 3 * (size_t)corners[0],
                                           body->positions + 3 * (size_t)corners[1],
                                           body->positions + 3 * (size_t)corners[2]));
        }
    }
    return sqrt(best);
}

static bool find_distances(view_source *source, uint32_t index, double *vertices)
{
    dent_context *context = source->context;
    const view_body *body = &source->bodies[index];
    others all;
    dent_neighbours *points = NULL;
    uint32_t *near = dent_allocate(context, body->vertex_count, NEAREST * sizeof *near);
    bool good = gather_others(source, index, &all) && near != NULL &&
                dent_neighbours_create(context, dent_positions_double(all.places), all.vertex_count, &points) == DENT_OK;
    dent_neighbours_query query = dent_neighbours_query_default();
    query.places = dent_positions_double(body->positions);
    query.place_count = body->vertex_count;
    query.nearest = NEAREST;
    good = good && dent_neighbours_nearest(points, &query, near, NULL, NULL) == DENT_OK;
    for (uint32_t v = 0; v < body->vertex_count && good; v++) {
        double distance = nearest_face(source, &all, body->positions + 3 * (size_t)v, near + NEAREST * (size_t)v);
        vertices[v] = isfinite(distance) ? distance : -1;
    }
    dent_neighbours_destroy(points);
    dent_release(context, near, body->vertex_count, NEAREST * sizeof *near);
    release_others(context, &all);
    return good;
}

/* ---- all of them ------------------------------------------------------------------------------------------------ */

static void find_speed(view_source *source, uint32_t index, double *vertices)
{
    const double *velocities = source->find_velocities(source, index);
    for (uint32_t v = 0; v < source->bodies[index].vertex_count; v++) {
        const double *velocity = velocities + 3 * (size_t)v;
        vertices[v] = velocities != NULL ? sqrt(view_dot(velocity, velocity)) : -1;
    }
}

bool view_find_field(view_source *source, view_measure measure, uint32_t index, double *vertices)
{
    const view_body *body = &source->bodies[index];
    switch (measure) {
    case VIEW_MEASURE_SPEED:
        find_speed(source, index, vertices);
        return true;
    case VIEW_MEASURE_DEPTH:
        for (uint32_t v = 0; v < body->vertex_count; v++) {
            vertices[v] = body->depths != NULL ? (double)body->depths[v] * source->unit : -1;
        }
        return true;
    case VIEW_MEASURE_DISTANCE:
        return find_distances(source, index, vertices);
    case VIEW_MEASURE_QUALITY:
        find_quality(source, body, vertices);
        return true;
    default:
        find_inverted(source, body, vertices);
        return true;
    }
}
