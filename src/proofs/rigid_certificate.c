/* Bodies that moved as a whole. See rigid_certificate.h for what is proven and why. */
#include "proofs/rigid_certificate.h"

#include <math.h>

#include "geometry/numbers/bounds.h"
#include "geometry/numbers/vector3.h"

#define UNIT_ROUNDOFF 0x1p-53

/* ---- anchors --------------------------------------------------------------------------------- */

/* How far a vertex is from the anchors chosen so far: from the point, the line or the plane, in scaled units, times
 * something that is the same for all. */
static double distance_from(const struct rigid_reference *reference, uint32_t vertex, int anchor_count)
{
    double d[3][3] = {{0}}, off[3], normal[3];
    for (int k = 0; k < anchor_count; k++) {
        uint32_t end = k + 1 < anchor_count ? reference->anchors[k + 1] : vertex;
        for (int axis = 0; axis < 3; axis++) {
            double from = reference->shape[reference->anchors[0]][axis];
            d[k][axis] = (reference->shape[end][axis] - from) * reference->scale;
        }
    }
    switch (anchor_count) {
    case 1:
        return vector_dot(d[0], d[0]);
    case 2:
        vector_cross(d[0], d[1], off);
        return vector_dot(off, off);
    default:
        vector_cross(d[0], d[1], normal);
        return fabs(vector_dot(normal, d[2]));
    }
}

static bool is_used(const struct body *body, uint32_t vertex)
{
    return body->vertex_use[vertex] & VERTEX_USED;
}

/* The first used vertex, the farthest from it, from the line of both, from the plane of the three. */
static bool choose_anchors(struct rigid_reference *reference, const struct body *body)
{
    uint32_t first = 0;
    while (first < body->vertex_count && !is_used(body, first)) {
        first++;
    }
    if (first == body->vertex_count) {
        return false;
    }
    reference->anchors[0] = first;
    for (int count = 1; count < RIGID_ANCHORS; count++) {
        double most = 0;
        for (uint32_t vertex = first; vertex < body->vertex_count; vertex++) {
            double distance = is_used(body, vertex) ? distance_from(reference, vertex, count) : 0;
            if (distance > most) {
                most = distance;
                reference->anchors[count] = vertex;
            }
        }
        if (!(most > 1e-30)) {
            return false;
        }
    }
    return true;
}

static void anchor_edges(const struct rigid_reference *reference, const double (*xyz)[3], double edges[3][3])
{
    for (int k = 0; k < 3; k++) {
        for (int axis = 0; axis < 3; axis++) {
            edges[k][axis] = xyz[reference->anchors[k + 1]][axis] - xyz[reference->anchors[0]][axis];
        }
    }
}

/* The inverse has the cross products of the edges as rows; in scaled units, so that nothing under- or overflows. */
static bool invert_edges(struct rigid_reference *reference)
{
    double edges[3][3], rows[3][3];
    anchor_edges(reference, reference->shape, edges);
    for (int i = 0; i < 9; i++) {
        edges[i / 3][i % 3] *= reference->scale;
    }
    for (int k = 0; k < 3; k++) {
        vector_cross(edges[(k + 1) % 3], edges[(k + 2) % 3], rows[k]);
    }
    double determinant = vector_dot(edges[0], rows[0]);
    bool finite = true;
    for (int i = 0; i < 9; i++) {
        reference->inverse[i] = rows[i / 3][i % 3] / determinant * reference->scale;
        finite = finite && isfinite(reference->inverse[i]);
    }
    return finite;
}

void rigid_reference_set(struct rigid_reference *reference, const struct body *body, const double (*shape)[3],
                         double scale)
{
    *reference = (struct rigid_reference){.shape = shape, .scale = scale, .vertex_count = body->vertex_count};
    double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (uint32_t vertex = 0; vertex < body->vertex_count; vertex++) {
        bounds_add_point(lo, hi, shape[vertex]); /* unused ones too: the pass over the vertices does not ask */
    }
    for (int axis = 0; axis < 3; axis++) {
        reference->extent[axis] = (hi[axis] - lo[axis]) * (1 + 2 * UNIT_ROUNDOFF);
    }
    reference->usable = scale != 0 && choose_anchors(reference, body) && invert_edges(reference);
}

/* ---- certificates ---------------------------------------------------------------------------- */

/* A lower bound of the smallest factor by which the matrix stretches; 0 where there is none. */
static double least_stretch(const double a[9])
{
    double product[3][3], squares = 0, uneven = 0;
    for (int i = 0; i < 9; i++) {
        int row = i / 3, column = i % 3;
        product[row][column] = a[row] * a[column] + a[3 + row] * a[3 + column] + a[6 + row] * a[6 + column];
        squares += a[i] * a[i];
    }
    if (!(squares > 1e-100 && squares < 1e100)) {
        return 0;
    }
    for (int i = 0; i < 9; i++) {
        double b = product[i / 3][i % 3] - (i / 3 == i % 3 ? squares / 3 : 0);
        uneven += b * b;
    }
    double least = squares / 3 - sqrt(uneven) * 0.81649659 - 64 * UNIT_ROUNDOFF * squares;
    return least > 1e-12 * squares ? sqrt(least) * (1 - 1e-12) : 0;
}

bool rigid_motion_find(const struct rigid_reference *reference, const double (*xyz)[3], struct affine_motion *motion)
{
    double edges[3][3];
    anchor_edges(reference, xyz, edges);
    for (int i = 0; i < 9; i++) {
        int row = i / 3, column = i % 3;
        motion->matrix[i] = edges[0][row] * reference->inverse[column] + edges[1][row] * reference->inverse[3 + column] +
                            edges[2][row] * reference->inverse[6 + column];
    }
    double sums = 0;
    for (int axis = 0; axis < 3; axis++) {
        motion->from[axis] = reference->shape[reference->anchors[0]][axis];
        motion->to[axis] = xyz[reference->anchors[0]][axis];
        for (int k = 0; k < 3; k++) {
            sums += fabs(motion->matrix[3 * axis + k]) * reference->extent[k];
        }
    }
    return 16 * sums < 1e300 && least_stretch(motion->matrix) > 0;
}

double rigid_clearance(const struct rigid_reference *reference, const struct affine_motion *motion,
                       const double most[3])
{
    double stretch = least_stretch(motion->matrix), residual = 0;
    for (int axis = 0; axis < 3; axis++) {
        double sum = 0;
        for (int k = 0; k < 3; k++) {
            sum += fabs(motion->matrix[3 * axis + k]) * reference->extent[k];
        }
        residual += most[axis] * (1 + 4 * UNIT_ROUNDOFF) + 6.01 * UNIT_ROUNDOFF * sum + 0x1p-1070;
    }
    double clearance = 2 * residual * reference->scale / stretch * (1 + 1e-12);
    return stretch > 0 && clearance >= 0 ? clearance : INFINITY;
}
