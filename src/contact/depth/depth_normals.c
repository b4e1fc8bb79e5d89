/* The hits in numbers: how far along the edge, and the outward normal of b there.
 *
 * Normals are those of the vertices of b, weighted by the angles of the faces around them and interpolated over the
 * face that was hit; at creases only the faces on its own side count (def->normals: or all, or that face alone). Each
 * vertex is computed once per call, in parallel. The angle comes from an arctangent of our own, so that its bits are
 * the same everywhere.
 */
#include "contact/depth/contact_run.h"

#include "geometry/numbers/vector3.h"
#include "geometry/metric/edge_face_point.h"
#include "geometry/metric/edge_share.h"
#include "geometry/metric/feature_distance.h"

enum { TERMS_PER_BLOCK = 256 };

/* A vertex normal that leans more than 30 degrees from the face stands on a crease: there only the faces within 60
 * degrees of the one that was hit count. */
#define LEAN_COSINE 0.86602540378443865
#define CREASE_COSINE 0.5

/* ---- faces ------------------------------------------------------------------------------------------------------- */

void contact_face_normal(const struct contact_run *run, uint32_t body, uint32_t face, double normal[3])
{
    const double *corners[3];
    border_face_positions(run->snapshot, body, face, corners);
    face_unit_normal(corners, normal);
    if (contact_face_side(run, body, face) < 0) {
        for (int axis = 0; axis < 3; axis++) {
            normal[axis] = -normal[axis];
        }
    }
}

/* ---- vertices ---------------------------------------------------------------------------------------------------- */

/* For 0 <= x <= 1: halves the angle twice, then x <= 0.2 and the series to x^7 leaves less than 1e-7: weights need no
 * more, but the same bits everywhere. */
static double arctangent(double x)
{
    x = x / (1 + sqrt(1 + x * x));
    x = x / (1 + sqrt(1 + x * x));
    double square = x * x;
    return 4 * x * (1 - square * (1.0 / 3 - square * (1.0 / 5 - square * (1.0 / 7))));
}

/* The angle whose tangent is y / x; y >= 0. */
static double angle_of(double y, double x)
{
    double size = fabs(x);
    double angle = y <= size ? (size > 0 ? arctangent(y / size) : 0) : 1.5707963267948966 - arctangent(size / y);
    return x < 0 ? 3.1415926535897931 - angle : angle;
}

/* Outward unit normal of a face and its angle at corner k. */
static void corner_of_face(const struct contact_run *run, uint32_t body, uint32_t face, int k, double normal[3],
                           double *angle)
{
    const double *corners[3];
    double u[3], w[3];
    border_face_positions(run->snapshot, body, face, corners);
    vector_subtract(corners[(k + 1) % 3], corners[k], u);
    vector_subtract(corners[(k + 2) % 3], corners[k], w);
    double size_u = vector_largest(u), size_w = vector_largest(w);
    bool plain = size_u > 0x1p-200 && size_u < 0x1p200 && size_w > 0x1p-200 && size_w < 0x1p200;
    *angle = 0;
    if (!plain && (!vector_normalise(u) || !vector_normalise(w))) {
        return;
    }
    vector_cross(u, w, normal);
    double across = sqrt(vector_dot(normal, normal));
    if (!(across > 0)) {
        return;
    }
    *angle = angle_of(across, vector_dot(u, w));
    across = contact_face_side(run, body, face) < 0 ? -across : across;
    for (int axis = 0; axis < 3; axis++) {
        normal[axis] /= across;
    }
}

/* Of the faces at the vertex, or of those among them within some angle of a given normal. */
static void vertex_normal(const struct contact_run *run, uint32_t body, uint32_t vertex, const double *given,
                          double least_cosine, double result[3])
{
    const struct body_snapshot *body_snapshot = &run->snapshot->bodies[body];
    const struct border_mesh *mesh = &run->border->meshes[body];
    double sum[3] = {0, 0, 0};
    for (uint32_t i = mesh->star_first[vertex]; i < mesh->star_first[vertex + 1]; i++) {
        uint32_t face = mesh->star_faces[i];
        const uint32_t *v = body_snapshot->body->surface_faces[face].corners;
        int k = v[0] == vertex ? 0 : v[1] == vertex ? 1 : 2;
        double normal[3], angle;
        corner_of_face(run, body, face, k, normal, &angle);
        if (angle > 0 && (!given || vector_dot(given, normal) >= least_cosine)) {
            vector_add_scaled(sum, angle, normal);
        }
    }
    vector_normalise(sum);
    vector_copy(sum, result);
}

static void normal_block(void *data, uint32_t block, uint32_t worker)
{
    (void)worker;
    const struct contact_run *run = data;
    struct normal_slot *slots = run->state->normal_vertices.data;
    size_t begin = (size_t)block * TERMS_PER_BLOCK, count = run->state->normal_vertices.count;
    size_t end = count - begin < TERMS_PER_BLOCK ? count : begin + TERMS_PER_BLOCK;
    for (size_t i = begin; i < end; i++) {
        vertex_normal(run, slots[i].body, slots[i].vertex, NULL, 0, slots[i].normal);
    }
}

/* A face that was hit: its own normal and those of its corners as seen from it. */
static void face_block(void *data, uint32_t block, uint32_t worker)
{
    (void)worker;
    const struct contact_run *run = data;
    struct hit_face *faces = run->state->hit_faces.data;
    const struct normal_slot *slots = run->state->normal_vertices.data;
    size_t begin = (size_t)block * TERMS_PER_BLOCK, count = run->state->hit_faces.count;
    size_t end = count - begin < TERMS_PER_BLOCK ? count : begin + TERMS_PER_BLOCK;
    for (size_t i = begin; i < end; i++) {
        struct hit_face *face = &faces[i];
        const uint32_t *v = run->snapshot->bodies[face->body].body->surface_faces[face->face].corners;
        contact_face_normal(run, face->body, face->face, face->normal);
        for (int k = 0; k < 3 && run->def->normals != DENT_CONTACT_NORMALS_FACE; k++) {
            vector_copy(slots[run->state->meshes[face->body].normal_slot[v[k]] - 1].normal, face->corners[k]);
            if (run->def->normals == DENT_CONTACT_NORMALS_SMOOTH &&
                vector_dot(face->corners[k], face->normal) < LEAN_COSINE) {
                vertex_normal(run, face->body, v[k], face->normal, CREASE_COSINE, face->corners[k]);
            }
        }
    }
}

static bool list_vertex(struct contact_run *run, uint32_t body, uint32_t vertex)
{
    uint32_t *known = &run->state->meshes[body].normal_slot[vertex];
    struct normal_slot slot = {body, vertex, {0, 0, 0}};
    if (*known != 0) {
        return true;
    }
    if (!array_push(&run->state->normal_vertices, &slot)) {
        return false;
    }
    *known = (uint32_t)run->state->normal_vertices.count;
    return true;
}

/* Each face that was hit once, and each of their vertices once; terms learn the slot of their face. */
static bool list_faces(struct contact_run *run)
{
    struct depth_term *terms = run->state->terms.data;
    const struct depth_point *points = run->state->points.data;
    for (size_t i = 0; i < run->state->terms.count; i++) {
        uint32_t body = points[terms[i].point].body_b;
        uint32_t *known = &run->state->meshes[body].face_slot[terms[i].face];
        const uint32_t *corners = run->snapshot->bodies[body].body->surface_faces[terms[i].face].corners;
        if (*known == 0) {
            struct hit_face face = {.body = body, .face = terms[i].face};
            if (!array_push(&run->state->hit_faces, &face)) {
                return false;
            }
            *known = (uint32_t)run->state->hit_faces.count;
            for (int k = 0; k < 3 && run->def->normals != DENT_CONTACT_NORMALS_FACE; k++) {
                if (!list_vertex(run, body, corners[k])) {
                    return false;
                }
            }
        }
        terms[i].hit_face = *known - 1;
    }
    return true;
}

static void forget_slots(struct contact_run *run)
{
    const struct normal_slot *slots = run->state->normal_vertices.data;
    const struct hit_face *faces = run->state->hit_faces.data;
    for (size_t i = 0; i < run->state->normal_vertices.count; i++) {
        run->state->meshes[slots[i].body].normal_slot[slots[i].vertex] = 0;
    }
    for (size_t i = 0; i < run->state->hit_faces.count; i++) {
        run->state->meshes[faces[i].body].face_slot[faces[i].face] = 0;
    }
    array_clear(&run->state->normal_vertices);
    array_clear(&run->state->hit_faces);
}

/* ---- hits -------------------------------------------------------------------------------------------------------- */

void contact_triangle_weights(const double point[3], const double *const corners[3], double weights[3])
{
    struct closest_pair closest;
    closest_of_vertex_and_face(point, corners, &closest);
    for (int k = 0; k < 3; k++) {
        weights[k] = closest.weights_b[k];
    }
}

static void measure_term(const struct contact_run *run, struct depth_term *term)
{
    const struct depth_point *point = (const struct depth_point *)run->state->points.data + term->point;
    const struct hit_face *hit_face = (const struct hit_face *)run->state->hit_faces.data + term->hit_face;
    const double(*xyz)[3] = run->snapshot->bodies[point->body_a].xyz;
    const double *p = xyz[point->vertex], *q = xyz[term->other], *face[3];
    border_face_positions(run->snapshot, point->body_b, term->face, face);
    term->share = edge_share(p, q, face);
    vector_copy(hit_face->normal, term->face_normal);
    vector_copy(hit_face->normal, term->normal);
    if (run->def->normals != DENT_CONTACT_NORMALS_FACE) {
        double hit[3], weights[3], sum[3] = {0, 0, 0};
        for (int axis = 0; axis < 3; axis++) {
            hit[axis] = (1 - term->share) * p[axis] + term->share * q[axis];
        }
        contact_triangle_weights(hit, face, weights);
        for (int k = 0; k < 3; k++) {
            vector_add_scaled(sum, weights[k], hit_face->corners[k]);
        }
        if (vector_normalise(sum)) {
            vector_copy(sum, term->normal);
        }
    }
}

static void term_block(void *data, uint32_t block, uint32_t worker)
{
    (void)worker;
    const struct contact_run *run = data;
    struct depth_term *terms = run->state->terms.data;
    size_t begin = (size_t)block * TERMS_PER_BLOCK, count = run->state->terms.count;
    size_t end = count - begin < TERMS_PER_BLOCK ? count : begin + TERMS_PER_BLOCK;
    for (size_t i = begin; i < end; i++) {
        measure_term(run, &terms[i]);
    }
}

bool depth_measure_terms(struct contact_run *run)
{
    struct contact_state *state = run->state;
    array_clear(&state->normal_vertices);
    array_clear(&state->hit_faces);
    bool enough = list_faces(run);
    if (enough) {
        dent_context *context = state->context;
        dent_parallel_for(context, (uint32_t)(state->normal_vertices.count / TERMS_PER_BLOCK + 1), normal_block, run);
        dent_parallel_for(context, (uint32_t)(state->hit_faces.count / TERMS_PER_BLOCK + 1), face_block, run);
        dent_parallel_for(context, (uint32_t)(state->terms.count / TERMS_PER_BLOCK + 1), term_block, run);
    }
    forget_slots(run);
    return enough;
}
