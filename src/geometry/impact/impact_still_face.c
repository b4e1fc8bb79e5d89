/* A vertex that moves past a face at rest. See impact_still_face.h. */
#include "geometry/impact/impact_still_face.h"

#include <math.h>
#include <string.h>

#include "geometry/impact/impact_internal.h"
#include "geometry/impact/impact_kernels.h"
#include "geometry/numbers/vector3.h"

#define VOLUME_BOUND (64 * 0x1p-53)

/* ---- in doubles -------------------------------------------------------------------------------------------------- */

static inline double difference(const double to[3], const double from[3], double result[3])
{
    double most = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        result[axis] = to[axis] - from[axis];
        double size = fabs(result[axis]);
        most = size > most ? size : most;
    }
    return most;
}

static inline bool size_is_ordinary(double size)
{
    return size > IMPACT_LEAST_SIZE && size < IMPACT_MOST_SIZE;
}

/* n / m with errors of at most en and em, both n and m certainly of the same sign. */
static inline void enclose_quotient(double n, double en, double m, double em, double *low, double *high)
{
    n = fabs(n);
    m = fabs(m);
    *low = (n - en) / (m + em) * (1.0 - 0x1p-50);
    *high = (n + en) / (m - em) * (1.0 + 0x1p-50);
}

enum still_face_answer still_face_test(const double from[3], const double to[3], const double *const corners[3],
                                       double t_limit, double *low, double *high)
{
    double d[3], A[3], B[3], C[3], a[3], b[3], cross[3];
    double size_d = difference(to, from, d), size_A = difference(corners[0], from, A),
           size_B = difference(corners[1], from, B), size_C = difference(corners[2], from, C);
    double most = size_A > size_B ? size_A : size_B;
    most = most > size_C ? most : size_C;
    if (!size_is_ordinary(size_d) || !size_is_ordinary(most)) {
        return STILL_FACE_OPEN;
    }
    double bound = VOLUME_BOUND * size_d * most * most;
    vector_cross(B, C, cross);
    double v0 = vector_dot(d, cross);
    vector_cross(C, A, cross);
    double v1 = vector_dot(d, cross);
    vector_cross(A, B, cross);
    double v2 = vector_dot(d, cross);
    bool positive = v0 > bound || v1 > bound || v2 > bound, negative = v0 < -bound || v1 < -bound || v2 < -bound;
    if (positive && negative) {
        return STILL_FACE_FREE;
    }
    bool inside = (v0 > bound && v1 > bound && v2 > bound) || (v0 < -bound && v1 < -bound && v2 < -bound);
    double sides = difference(corners[1], corners[0], a);
    sides *= difference(corners[2], corners[0], b);
    if (!inside || !size_is_ordinary(sides) || !size_is_ordinary(size_A)) {
        return STILL_FACE_OPEN;
    }
    vector_cross(a, b, cross);
    double n = vector_dot(A, cross), m = vector_dot(d, cross);
    double en = VOLUME_BOUND * size_A * sides, em = VOLUME_BOUND * size_d * sides;
    if (!(fabs(n) > en && fabs(m) > em)) {
        return STILL_FACE_OPEN;
    }
    if ((n > 0.0) != (m > 0.0)) {
        return STILL_FACE_FREE; /* the plane is behind the start */
    }
    enclose_quotient(n, en, m, em, low, high);
    if (*low > 1.0 || *low > t_limit) {
        return STILL_FACE_FREE;
    }
    return *high < 1.0 ? STILL_FACE_HIT : STILL_FACE_OPEN;
}

/* ---- as the general test ----------------------------------------------------------------------------------------- */

void still_face_vertices(const double from[3], const double to[3], const double *const corners[3],
                         struct impact_vertex vertices[4])
{
    memcpy(vertices[0].start, from, sizeof vertices[0].start);
    memcpy(vertices[0].end, to, sizeof vertices[0].end);
    for (int k = 0; k < 3; k++) {
        memcpy(vertices[k + 1].start, corners[k], sizeof vertices[k + 1].start);
        memcpy(vertices[k + 1].end, corners[k], sizeof vertices[k + 1].end);
    }
}

void still_face_decide(const double from[3], const double to[3], const double *const corners[3], double t_limit,
                       struct impact_result *result)
{
    struct impact_vertex vertices[4];
    const struct impact_vertex *const four[4] = {&vertices[0], &vertices[1], &vertices[2], &vertices[3]};
    still_face_vertices(from, to, corners, vertices);
    impact_test(IMPACT_VERTEX_FACE, four, t_limit, result);
}

void still_face_describe(const struct impact_vertex vertices[4], struct impact_result *result)
{
    const struct impact_vertex *const four[4] = {&vertices[0], &vertices[1], &vertices[2], &vertices[3]};
    impact_describe_contact(IMPACT_VERTEX_FACE, four, result);
}
