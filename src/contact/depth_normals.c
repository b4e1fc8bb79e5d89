/* The hits in numbers: how far along the edge, and the outward normal of b there.
 *
 * Normals are those of the vertices of b, weighted by the angles of the faces around them and interpolated over the
 * face that was hit; at creases only the faces on its own side count (def->normals: or all, or that face alone). Each
 * vertex is computed once per call, in parallel. The angle comes from an arctangent of our own, so that its bits are
 * the same everywhere.
 */
#include "contact/contact_run.h"

#include "contact/contact_vectors.h"
#include "geometry/edge_face_point.h"
#include "geometry/edge_share.h"
#include "geometry/feature_distance.h"

enum { TERMS_PER_BLOCK = 256 };

/* A vertex normal that leans more than 30 degrees from the face stands on a crease: there only the faces within 60
 * degrees of the one that was hit count. */
#define LEAN_COSINE 0.86602540378443865
#define CREASE_COSINE 0.5

/* ---- faces ------------------------------------------------------------------------------------------------------- */

void contact_face_normal(const struct contact_run *run, uint32_t body, uint32_t face, double normal[3])
{
    const double *corners[3];
    border_face_positions(run->pose, body, face, corners);
    face_unit_normal(corners, normal);
    if (contact_face_side(run, body, face) < 0) {
        for (int axis = 0; axis < 3; axis++) {
            normal[axis] = -normal[axis];
        }
    }
}

/* ---- vertices ---------------------------------------------------------------------------------------------------- */

/* For 0 <= x <= 1: halves the angle twice, then x <= 0.2 and the series to x^15 leaves less than 1e-13. */
static double arctangent(double x)
{
    for (int i = 0; i < 2; i++) {
        x = x / (1 + sqrt(1 + x * x));
    }
    double square = x * x, sum = 0;
    for (int k = 7; k >= 0; k--) {
        sum = (k % 2 ? -1.0 : 1.0) / (2 * k + 1) + square * sum;
    }
    return 4 * (x * sum);
}

/* The angle between two unit vectors: its half has |u - v| and |u + v| as legs. */
static double angle_between(const double u[3], const double v[3])
{
    double difference[3], sum[3];
    for (int axis = 0; axis < 3; axis++) {
        difference[axis] = u[axis] - v[axis];
        sum[axis] = u[axis] + v[axis];
    }
    double across = vector_length(difference), along = vector_length(sum);
    if (across <= along) {
        return along > 0 ? 2 * arctangent(across / along) : 0;
    }
    return 3.14159265358979312 - 2 * arctangent(along / across);
}

/* Of the faces at the vertex, or of those among them within some angle of a given normal. */
static void vertex_normal(const struct contact_run *run, uint32_t body, uint32_t vertex, const double *given,
                          double least_cosine, double result[3])
{
    const struct posed_body *posed = &run->pose->bodies[body];
    const struct border_mesh *mesh = &run->world->border->meshes[body];
    double sum[3] = {0, 0, 0};
    for (uint32_t i = mesh->star_first[vertex]; i < mesh->star_first[vertex + 1]; i++) {
        uint32_t face = mesh->star_faces[i];
        const uint32_t *v = posed->body->surface_faces[face].corners;
        int k = v[0] == vertex ? 0 : v[1] == vertex ? 1 : 2;
        double u[3], w[3], normal[3];
        vector_subtract(posed->xyz[v[(k + 1) % 3]], posed->xyz[v[k]], u);
        vector_subtract(posed->xyz[v[(k + 2) % 3]], posed->xyz[v[k]], w);
        if (vector_normalise(u) && vector_normalise(w)) {
            contact_face_normal(run, body, face, normal);
            if (!given || vector_dot(given, normal) >= least_cosine) {
                vector_add_scaled(sum, angle_between(u, w), normal);
            }
        }
    }
    vector_normalise(sum);
    vector_copy(sum, result);
}

static void normal_block(void *data, uint32_t block, uint32_t worker)
{
    (void)worker;
    const struct contact_run *run = data;
    struct normal_place *places = run->state->normal_vertices.data;
    size_t begin = (size_t)block * TERMS_PER_BLOCK, count = run->state->normal_vertices.count;
    size_t end = count - begin < TERMS_PER_BLOCK ? count : begin + TERMS_PER_BLOCK;
    for (size_t i = begin; i < end; i++) {
        vertex_normal(run, places[i].body, places[i].vertex, NULL, 0, places[i].normal);
    }
}

static bool list_vertices(struct contact_run *run)
{
    const struct depth_term *terms = run->state->terms.data;
    const struct depth_point *points = run->state->points.data;
    for (size_t i = 0; i < run->state->terms.count; i++) {
        uint32_t body = points[terms[i].point].body_b;
        const uint32_t *corners = run->pose->bodies[body].body->surface_faces[terms[i].face].corners;
        for (int k = 0; k < 3; k++) {
            uint32_t *known = &run->state->meshes[body].normal_place[corners[k]];
            struct normal_place place = {body, corners[k], {0, 0, 0}};
            if (*known == 0) {
                if (!array_push(&run->state->normal_vertices, &place)) {
                    return false;
                }
                *known = (uint32_t)run->state->normal_vertices.count;
            }
        }
    }
    return true;
}

static void forget_vertices(struct contact_run *run)
{
    const struct normal_place *places = run->state->normal_vertices.data;
    for (size_t i = 0; i < run->state->normal_vertices.count; i++) {
        run->state->meshes[places[i].body].normal_place[places[i].vertex] = 0;
    }
    array_clear(&run->state->normal_vertices);
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

/* In: the normal of the face. Out: the interpolated one. */
static void smooth_normal(const struct contact_run *run, uint32_t body, uint32_t face, const double hit[3],
                          double normal[3])
{
    const uint32_t *v = run->pose->bodies[body].body->surface_faces[face].corners;
    const struct normal_place *places = run->state->normal_vertices.data;
    const double *corners[3];
    double weights[3], sum[3] = {0, 0, 0};
    border_face_positions(run->pose, body, face, corners);
    contact_triangle_weights(hit, corners, weights);
    for (int k = 0; k < 3; k++) {
        const double *at_corner = places[run->state->meshes[body].normal_place[v[k]] - 1].normal;
        double creased[3];
        if (run->def->normals == DENT_CONTACT_NORMALS_SMOOTH && vector_dot(at_corner, normal) < LEAN_COSINE) {
            vertex_normal(run, body, v[k], normal, CREASE_COSINE, creased);
            at_corner = creased;
        }
        vector_add_scaled(sum, weights[k], at_corner);
    }
    if (vector_normalise(sum)) {
        vector_copy(sum, normal);
    }
}

static void measure_term(const struct contact_run *run, struct depth_term *term)
{
    const struct depth_point *point = (const struct depth_point *)run->state->points.data + term->point;
    const double(*xyz)[3] = run->pose->bodies[point->body_a].xyz;
    const double *p = xyz[point->vertex], *q = xyz[term->other], *face[3];
    double hit[3];
    border_face_positions(run->pose, point->body_b, term->face, face);
    term->share = edge_share(p, q, face);
    for (int axis = 0; axis < 3; axis++) {
        hit[axis] = (1 - term->share) * p[axis] + term->share * q[axis];
    }
    contact_face_normal(run, point->body_b, term->face, term->face_normal);
    vector_copy(term->face_normal, term->normal);
    if (run->def->normals != DENT_CONTACT_NORMALS_FACE) {
        smooth_normal(run, point->body_b, term->face, hit, term->normal);
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
    bool enough = run->def->normals == DENT_CONTACT_NORMALS_FACE || list_vertices(run);
    if (enough) {
        dent_parallel_for(state->context, (uint32_t)(state->normal_vertices.count / TERMS_PER_BLOCK + 1), normal_block,
                          run);
        dent_parallel_for(state->context, (uint32_t)(state->terms.count / TERMS_PER_BLOCK + 1), term_block, run);
    }
    forget_vertices(run);
    return enough;
}
