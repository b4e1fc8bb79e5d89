/* A face against a cell in floats, one number at a time. See overlap_kernels.h. */
#include "geometry/predicates/kernels/overlap_kernels.h"

#include <math.h>

static const uint8_t edge_ends[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
static const uint8_t face_ring[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};

static void relative(const struct overlap_face *face, const double *p, float out[3])
{
    for (int axis = 0; axis < 3; axis++) {
        out[axis] = (float)((p[axis] - face->origin[axis]) * face->first * face->second);
    }
}

static void cross(const float a[3], const float b[3], float out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static float dot(const float a[3], const float b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static float larger(float a, float b)
{
    return a > b ? a : b;
}

void overlap_face_prepare(struct overlap_face *face, const double *const corners[3], double first, double second)
{
    face->first = first;
    face->second = second;
    face->largest = 0;
    for (int axis = 0; axis < 3; axis++) {
        face->origin[axis] = corners[0][axis];
    }
    relative(face, corners[1], face->arm1);
    relative(face, corners[2], face->arm2);
    cross(face->arm1, face->arm2, face->normal);
    for (int axis = 0; axis < 3; axis++) {
        face->largest = larger(face->largest, larger(fabsf(face->arm1[axis]), fabsf(face->arm2[axis])));
    }
}

/* Sets bit `bit` of *positive or of *open. */
static void judge(float value, float bound, uint32_t bit, uint8_t *positive, uint8_t *open)
{
    *positive |= (uint8_t)(value > 0 ? 1u << bit : 0);
    *open |= (uint8_t)(fabsf(value) > bound ? 0 : 1u << bit);
}

static void judge_edges(const struct overlap_face *face, float points[4][3], float bound, struct overlap_signs *signs)
{
    float back[3], opposite[3];
    for (int axis = 0; axis < 3; axis++) {
        opposite[axis] = face->arm2[axis] - face->arm1[axis];
        back[axis] = -face->arm2[axis];
    }
    for (uint32_t m = 0; m < 6; m++) {
        const float *s = points[edge_ends[m][0]], *t = points[edge_ends[m][1]];
        float moment[3], along[3] = {t[0] - s[0], t[1] - s[1], t[2] - s[2]};
        cross(s, t, moment);
        judge(dot(face->arm1, moment), bound, m, &signs->edges[0], &signs->edges_open);
        judge(dot(opposite, moment) + dot(along, face->normal), bound, m, &signs->edges[1], &signs->edges_open);
        judge(dot(back, moment), bound, m, &signs->edges[2], &signs->edges_open);
    }
}

static void judge_faces(const struct overlap_face *face, float points[4][3], float bound, struct overlap_signs *signs)
{
    for (uint32_t k = 0; k < 4; k++) {
        const float *a = points[face_ring[k][0]], *b = points[face_ring[k][1]], *c = points[face_ring[k][2]];
        float first[3], second[3], normal[3], to1[3], to2[3];
        for (int axis = 0; axis < 3; axis++) {
            first[axis] = b[axis] - a[axis];
            second[axis] = c[axis] - a[axis];
            to1[axis] = a[axis] - face->arm1[axis];
            to2[axis] = a[axis] - face->arm2[axis];
        }
        cross(first, second, normal);
        judge(dot(normal, a), bound, k, &signs->within[0], &signs->within_open);
        judge(dot(normal, to1), bound, k, &signs->within[1], &signs->within_open);
        judge(dot(normal, to2), bound, k, &signs->within[2], &signs->within_open);
    }
}

static void signs_scalar(const struct overlap_face *face, const double *const cell[4], struct overlap_signs *signs)
{
    float points[4][3], largest = face->largest;
    *signs = (struct overlap_signs){0};
    for (uint32_t i = 0; i < 4; i++) {
        relative(face, cell[i], points[i]);
        largest = larger(largest, larger(larger(fabsf(points[i][0]), fabsf(points[i][1])), fabsf(points[i][2])));
    }
    float cube = largest * largest * largest;
    for (uint32_t i = 0; i < 4; i++) {
        judge(dot(face->normal, points[i]), OVERLAP_HEIGHT_BOUND * cube + OVERLAP_FLOOR, i, &signs->above,
              &signs->above_open);
    }
    if (signs->above_open == 0 && (signs->above == 0 || signs->above == 15)) {
        return;
    }
    judge_edges(face, points, OVERLAP_EDGE_BOUND * cube + OVERLAP_FLOOR, signs);
    judge_faces(face, points, OVERLAP_FACE_BOUND * cube + OVERLAP_FLOOR, signs);
}

static void orientations_scalar(const double (*xyz)[3], const uint32_t (*cells)[4], uint32_t count, int8_t *signs)
{
    for (uint32_t i = 0; i < count; i++) {
        const double *o = xyz[cells[i][0]];
        double d[3][3], largest = 0;
        for (int k = 0; k < 3; k++) {
            for (int axis = 0; axis < 3; axis++) {
                d[k][axis] = xyz[cells[i][k + 1]][axis] - o[axis];
                largest = fabs(d[k][axis]) > largest ? fabs(d[k][axis]) : largest;
            }
        }
        double value = d[0][0] * (d[1][1] * d[2][2] - d[1][2] * d[2][1]) +
                       d[1][0] * (d[2][1] * d[0][2] - d[2][2] * d[0][1]) +
                       d[2][0] * (d[0][1] * d[1][2] - d[0][2] * d[1][1]);
        double bound = 8 * largest * largest * largest * ORIENTATION_BOUND + ORIENTATION_FLOOR;
        signs[i] = (int8_t)(value > bound ? 1 : value < -bound ? -1 : 0);
    }
}

const struct overlap_kernels overlap_kernels_scalar = {signs_scalar, orientations_scalar};
