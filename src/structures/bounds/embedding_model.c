/* Binding a dense surface to a coarse one, and the frames of the coarse facets. See embedding_model.h.
 *
 * Nearest facets are found with a bounding tree over the coarse surface, nearest ball first; of facets at equal
 * distance the first counts. What rounding does to a base point goes into the offset, which is measured from the base
 * as computed.
 */
#include "structures/bounds/embedding_model.h"

#include <string.h>

#include "geometry/numbers/vector3.h"
#include "geometry/metric/rigid_fit.h"
#include "structures/bounds/bound_tree_point.h"

/* ---- frames ------------------------------------------------------------------------------------------------------ */

static bool unit_difference(const double a[3], const double b[3], double unit[3])
{
    double x = b[0] - a[0], y = b[1] - a[1], z = b[2] - a[2];
    double length = sqrt((x * x + y * y) + z * z);
    unit[0] = x / length;
    unit[1] = y / length;
    unit[2] = z / length;
    return length > 1e-140 && length < 1e150;
}

/* False: the facet is collapsed, or its edges so long or short that their squares leave the range of doubles. */
static bool facet_frame(const double a[3], const double b[3], const double c[3], double frame[9])
{
    double e[3], f[3], n[3], m[3];
    if (!unit_difference(a, b, e) || !unit_difference(a, c, f)) {
        return false;
    }
    vector_cross(e, f, n);
    double sine = sqrt((n[0] * n[0] + n[1] * n[1]) + n[2] * n[2]);
    if (!(sine > DENT_EMBEDDING_FLAT)) {
        return false;
    }
    for (int axis = 0; axis < 3; axis++) {
        n[axis] /= sine;
    }
    /* n is normal to e only within u / sine; once more makes it so, and of length 1, within a few u. */
    double along = (n[0] * e[0] + n[1] * e[1]) + n[2] * e[2];
    for (int axis = 0; axis < 3; axis++) {
        n[axis] -= along * e[axis];
    }
    double length = sqrt((n[0] * n[0] + n[1] * n[1]) + n[2] * n[2]);
    for (int axis = 0; axis < 3; axis++) {
        n[axis] /= length;
    }
    vector_cross(n, e, m);
    for (int axis = 0; axis < 3; axis++) {
        frame[3 * axis] = e[axis];
        frame[3 * axis + 1] = m[axis];
        frame[3 * axis + 2] = n[axis];
    }
    return true;
}

static void fit_rotation(dent_embedding *model)
{
    uint32_t count = model->facts.coarse_vertices;
    double mean_rest[3] = {0}, mean[3] = {0}, moments[3][3] = {{0}};
    double scale_rest = model->largest_rest > 0 ? 1 / model->largest_rest : 1,
           scale = model->largest > 0 ? 1 / model->largest : 1;
    for (uint32_t v = 0; v < count; v++) {
        for (int axis = 0; axis < 3; axis++) {
            mean_rest[axis] += model->coarse_rest[v][axis] * scale_rest;
            mean[axis] += model->coarse[v][axis] * scale;
        }
    }
    for (uint32_t v = 0; v < count; v++) {
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) {
                moments[i][j] += (model->coarse[v][i] * scale - mean[i] / count) *
                                 (model->coarse_rest[v][j] * scale_rest - mean_rest[j] / count);
            }
        }
    }
    rotation_from_moments((const double(*)[3])moments, model->rotation);
}

/* now * rest^T; of no use for facets collapsed at rest, to which nothing is tied. */
static void turn_between(const double rest[9], const double now[9], double turn[9])
{
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            turn[3 * i + j] =
                (now[3 * i] * rest[3 * j] + now[3 * i + 1] * rest[3 * j + 1]) + now[3 * i + 2] * rest[3 * j + 2];
        }
    }
}

void embedding_positions(dent_embedding *model)
{
    model->largest = 0;
    for (uint32_t v = 0; v < model->facts.coarse_vertices; v++) {
        for (int axis = 0; axis < 3; axis++) {
            double magnitude = fabs(model->coarse[v][axis]);
            model->largest = magnitude > model->largest ? magnitude : model->largest;
        }
    }
    fit_rotation(model);
    model->flat_now = 0;
    for (uint32_t f = 0; f < model->facts.facets; f++) {
        const uint32_t *v = model->facets[f];
        double *frame = model->frames[f];
        if (facet_frame(model->coarse[v[0]], model->coarse[v[1]], model->coarse[v[2]], frame)) {
            turn_between(model->rest_frames[f], frame, model->turns[f]);
            continue;
        }
        memcpy(model->turns[f], model->rotation, sizeof model->turns[f]);
        model->flat_now++;
        for (int i = 0; i < 3; i++) { /* the rest frame, turned with the whole */
            for (int j = 0; j < 3; j++) {
                const double *r = &model->rotation[3 * i], *rest = model->rest_frames[f];
                frame[3 * i + j] = (r[0] * rest[j] + r[1] * rest[3 + j]) + r[2] * rest[6 + j];
            }
        }
    }
    model->epoch++;
}

/* ---- binding ----------------------------------------------------------------------------------------------------- */

/* Weights of the corners for a point of the triangle, clamped into it. */
static void triangle_weights(const double point[3], const double *const t[3], double weights[3])
{
    double e[3], f[3], p[3], largest = 0;
    for (int axis = 0; axis < 3; axis++) {
        e[axis] = t[1][axis] - t[0][axis];
        f[axis] = t[2][axis] - t[0][axis];
        largest = fabs(e[axis]) > largest ? fabs(e[axis]) : largest;
        largest = fabs(f[axis]) > largest ? fabs(f[axis]) : largest;
    }
    for (int axis = 0; axis < 3; axis++) {
        e[axis] /= largest;
        f[axis] /= largest;
        p[axis] = (point[axis] - t[0][axis]) / largest;
    }
    double ee = (e[0] * e[0] + e[1] * e[1]) + e[2] * e[2], ff = (f[0] * f[0] + f[1] * f[1]) + f[2] * f[2];
    double ef = (e[0] * f[0] + e[1] * f[1]) + e[2] * f[2];
    double pe = (p[0] * e[0] + p[1] * e[1]) + p[2] * e[2], pf = (p[0] * f[0] + p[1] * f[1]) + p[2] * f[2];
    double determinant = ee * ff - ef * ef;
    double w1 = determinant > 0 ? (ff * pe - ef * pf) / determinant : 0,
           w2 = determinant > 0 ? (ee * pf - ef * pe) / determinant : 0;
    w1 = w1 > 0 ? (w1 < 1 ? w1 : 1) : 0;
    w2 = w2 > 0 ? (w2 < 1 - w1 ? w2 : 1 - w1) : 0;
    weights[0] = (1 - w1) - w2;
    weights[1] = w1;
    weights[2] = w2;
}

static void tie_vertex(dent_embedding *model, uint32_t vertex, const struct nearest_face *nearest)
{
    struct rigid_link *link = &model->links[vertex];
    const uint32_t *v = model->facets[nearest->face];
    const double *corners[3] = {model->coarse_rest[v[0]], model->coarse_rest[v[1]], model->coarse_rest[v[2]]};
    const double *frame = model->rest_frames[nearest->face];
    double base[3], offset[3];
    link->facet = nearest->face;
    triangle_weights(nearest->point, corners, link->weights);
    embedding_base(model, vertex, (const double(*)[3])model->coarse_rest, base);
    for (int axis = 0; axis < 3; axis++) {
        offset[axis] = model->dense_rest[vertex][axis] - base[axis];
    }
    for (int i = 0; i < 3; i++) {
        link->offset[i] = (frame[i] * offset[0] + frame[3 + i] * offset[1]) + frame[6 + i] * offset[2];
    }
}

static double longest_facet_edge(const dent_embedding *model)
{
    double longest = 0;
    for (uint32_t f = 0; f < model->facts.facets; f++) {
        for (int k = 0; k < 3; k++) {
            double length = distance_above(model->coarse_rest[model->facets[f][k]],
                                           model->coarse_rest[model->facets[f][(k + 1) % 3]]);
            longest = length > longest ? length : longest;
        }
    }
    return longest;
}

static dent_status tie_all(dent_embedding *model, const struct bound_tree *tree, const uint8_t *flat, double limit,
                           const struct body *dense, const struct body *coarse, struct message *message)
{
    double sum = 0;
    for (uint32_t vertex = 0; vertex < model->facts.dense_vertices; vertex++) {
        struct nearest_face nearest;
        bound_tree_nearest(tree, flat, model->dense_rest[vertex], &nearest);
        if (!(nearest.distance <= limit) || nearest.face == UINT32_MAX) {
            return message_fail(message, DENT_ERROR_BAD_MESH,
                                BODY_TITLE " does not cover " BODY_TITLE
                                           ": vertex %u is %g from its surface, more than %g",
                                BODY_TITLE_OF(coarse), BODY_TITLE_OF(dense), (unsigned)vertex, nearest.distance, limit);
        }
        tie_vertex(model, vertex, &nearest);
        const double *o = model->links[vertex].offset;
        const double origin[3] = {0};
        double length = distance_above(o, origin);
        model->facts.longest_link = length > model->facts.longest_link ? length : model->facts.longest_link;
        sum += length;
    }
    model->facts.mean_link = model->facts.dense_vertices > 0 ? sum / model->facts.dense_vertices : 0;
    return DENT_OK;
}

static dent_status bind(dent_embedding *model, const struct body *dense, const struct body *coarse,
                        const dent_embedding_def *def, struct message *message)
{
    struct bound_build build = {model->context,
                                DENT_BOUND_SPHERES,
                                DENT_BUILD_SPLIT,
                                8,
                                4,
                                (const double(*)[3])model->coarse_rest,
                                model->facts.coarse_vertices,
                                model->facts.facets,
                                coarse->surface_faces};
    struct bound_tree tree;
    uint8_t *flat = dent_allocate(model->context, model->facts.facets, 1);
    dent_status status = flat ? bound_tree_build(&tree, &build) : DENT_ERROR_OUT_OF_MEMORY;
    if (status != DENT_OK) {
        dent_release(model->context, flat, model->facts.facets, 1);
        return message_fail(message, status, "out of memory for an embedding");
    }
    for (uint32_t f = 0; f < model->facts.facets; f++) {
        const uint32_t *v = coarse->surface_faces[f].corners;
        memcpy(model->facets[f], v, sizeof model->facets[f]);
        flat[f] = !facet_frame(model->coarse_rest[v[0]], model->coarse_rest[v[1]], model->coarse_rest[v[2]],
                               model->rest_frames[f]);
        model->facts.flat_facets += flat[f];
    }
    bound_tree_refit(&tree);
    double limit = def->longest_link > 0 ? def->longest_link : longest_facet_edge(model);
    if (model->facts.flat_facets == model->facts.facets) {
        status = message_fail(message, DENT_ERROR_BAD_MESH, BODY_TITLE " has no surface face that is not collapsed",
                              BODY_TITLE_OF(coarse));
    } else {
        status = tie_all(model, &tree, flat, limit, dense, coarse, message);
    }
    bound_tree_destroy(&tree);
    dent_release(model->context, flat, model->facts.facets, 1);
    return status;
}

static bool allocate_model(dent_embedding *model)
{
    size_t dense = model->facts.dense_vertices, coarse = model->facts.coarse_vertices, facets = model->facts.facets;
    model->facets = dent_allocate(model->context, facets, sizeof *model->facets);
    model->links = dent_allocate(model->context, dense, sizeof *model->links);
    model->coarse_rest = dent_allocate(model->context, coarse, sizeof *model->coarse_rest);
    model->coarse = dent_allocate(model->context, coarse, sizeof *model->coarse);
    model->dense_rest = dent_allocate(model->context, dense, sizeof *model->dense_rest);
    model->rest_frames = dent_allocate(model->context, facets, sizeof *model->rest_frames);
    model->frames = dent_allocate(model->context, facets, sizeof *model->frames);
    model->turns = dent_allocate(model->context, facets, sizeof *model->turns);
    return model->turns && model->facets && model->links && model->coarse_rest && model->coarse && model->dense_rest &&
           model->rest_frames && model->frames;
}

dent_status embedding_create(dent_context *context, const struct body *dense, const double (*dense_xyz)[3],
                             const struct body *coarse, const double (*coarse_xyz)[3], const dent_embedding_def *def,
                             struct message *message, dent_embedding **model)
{
    dent_embedding *fresh = dent_allocate(context, 1, sizeof *fresh);
    if (!fresh) {
        return message_fail(message, DENT_ERROR_OUT_OF_MEMORY, "out of memory for an embedding");
    }
    *fresh = (dent_embedding){.context = context};
    fresh->facts.dense_vertices = dense->vertex_count;
    fresh->facts.coarse_vertices = coarse->vertex_count;
    fresh->facts.facets = coarse->surface_face_count;
    dent_status status = allocate_model(fresh)
                             ? DENT_OK
                             : message_fail(message, DENT_ERROR_OUT_OF_MEMORY, "out of memory for an embedding");
    if (status == DENT_OK) {
        memcpy(fresh->dense_rest, dense_xyz, dense->vertex_count * sizeof *dense_xyz);
        memcpy(fresh->coarse_rest, coarse_xyz, coarse->vertex_count * sizeof *coarse_xyz);
        memcpy(fresh->coarse, coarse_xyz, coarse->vertex_count * sizeof *coarse_xyz);
        memset(fresh->rest_frames, 0, fresh->facts.facets * sizeof *fresh->rest_frames);
        status = bind(fresh, dense, coarse, def, message);
    }
    if (status != DENT_OK) {
        dent_embedding_destroy(fresh);
        return status;
    }
    for (uint32_t v = 0; v < fresh->facts.coarse_vertices; v++) {
        for (int axis = 0; axis < 3; axis++) {
            double magnitude = fabs(coarse_xyz[v][axis]);
            fresh->largest_rest = magnitude > fresh->largest_rest ? magnitude : fresh->largest_rest;
        }
    }
    embedding_positions(fresh);
    *model = fresh;
    return DENT_OK;
}

void dent_embedding_destroy(dent_embedding *model)
{
    if (!model) {
        return;
    }
    dent_context *context = model->context;
    size_t dense = model->facts.dense_vertices, coarse = model->facts.coarse_vertices, facets = model->facts.facets;
    dent_release(context, model->facets, facets, sizeof *model->facets);
    dent_release(context, model->links, dense, sizeof *model->links);
    dent_release(context, model->coarse_rest, coarse, sizeof *model->coarse_rest);
    dent_release(context, model->coarse, coarse, sizeof *model->coarse);
    dent_release(context, model->dense_rest, dense, sizeof *model->dense_rest);
    dent_release(context, model->rest_frames, facets, sizeof *model->rest_frames);
    dent_release(context, model->frames, facets, sizeof *model->frames);
    dent_release(context, model->turns, facets, sizeof *model->turns);
    dent_release(context, model, 1, sizeof *model);
}
