/* A face against a cell in floats: the six edges of the cell in one register, its four faces in half of one. See
 * overlap_kernels.h. The same operations as the scalar row in the same order.
 *
 * Written with intrinsics, not over the lanes of simd/lanes.h: those hold as many pairs as fit, here the lanes are the
 * edges and faces of one cell, in fixed places, whatever the width of a register. AVX-512 uses this row, too. */
#include "geometry/predicates/kernels/overlap_kernels.h"

#if defined(__x86_64__)

#include <immintrin.h>

static __m256 dot8(const float a[3], __m256 x, __m256 y, __m256 z)
{
    __m256 sum = _mm256_add_ps(_mm256_mul_ps(_mm256_set1_ps(a[0]), x), _mm256_mul_ps(_mm256_set1_ps(a[1]), y));
    return _mm256_add_ps(sum, _mm256_mul_ps(_mm256_set1_ps(a[2]), z));
}

static __m128 dot4(__m128 ax, __m128 ay, __m128 az, __m128 bx, __m128 by, __m128 bz)
{
    return _mm_add_ps(_mm_add_ps(_mm_mul_ps(ax, bx), _mm_mul_ps(ay, by)), _mm_mul_ps(az, bz));
}

static __m128 magnitude4(__m128 value)
{
    return _mm_andnot_ps(_mm_set1_ps(-0.0f), value);
}

static void judge8(__m256 value, float bound, uint8_t *positive, uint8_t *open)
{
    __m256 size = _mm256_andnot_ps(_mm256_set1_ps(-0.0f), value);
    *positive = (uint8_t)(_mm256_movemask_ps(_mm256_cmp_ps(value, _mm256_setzero_ps(), _CMP_GT_OQ)) & 63);
    *open |= (uint8_t)(~_mm256_movemask_ps(_mm256_cmp_ps(size, _mm256_set1_ps(bound), _CMP_GT_OQ)) & 63);
}

static void judge4(__m128 value, float bound, uint8_t *positive, uint8_t *open)
{
    *positive = (uint8_t)_mm_movemask_ps(_mm_cmpgt_ps(value, _mm_setzero_ps()));
    *open |= (uint8_t)(~_mm_movemask_ps(_mm_cmpgt_ps(magnitude4(value), _mm_set1_ps(bound))) & 15);
}

static __m128 relative(const struct overlap_face *face, const double *p)
{
    __m256d difference = _mm256_sub_pd(_mm256_set_pd(0, p[2], p[1], p[0]),
                                       _mm256_set_pd(0, face->origin[2], face->origin[1], face->origin[0]));
    return _mm256_cvtpd_ps(
        _mm256_mul_pd(_mm256_mul_pd(difference, _mm256_set1_pd(face->first)), _mm256_set1_pd(face->second)));
}

static void judge_edges(const struct overlap_face *face, __m128 x, __m128 y, __m128 z, float bound,
                        struct overlap_signs *signs)
{
    const __m256i ends0 = _mm256_setr_epi32(0, 0, 0, 1, 1, 2, 0, 0), ends1 = _mm256_setr_epi32(1, 2, 3, 2, 3, 3, 0, 0);
    __m256 wide_x = _mm256_castps128_ps256(x), wide_y = _mm256_castps128_ps256(y), wide_z = _mm256_castps128_ps256(z);
    __m256 sx = _mm256_permutevar8x32_ps(wide_x, ends0), tx = _mm256_permutevar8x32_ps(wide_x, ends1);
    __m256 sy = _mm256_permutevar8x32_ps(wide_y, ends0), ty = _mm256_permutevar8x32_ps(wide_y, ends1);
    __m256 sz = _mm256_permutevar8x32_ps(wide_z, ends0), tz = _mm256_permutevar8x32_ps(wide_z, ends1);
    __m256 mx = _mm256_sub_ps(_mm256_mul_ps(sy, tz), _mm256_mul_ps(sz, ty));
    __m256 my = _mm256_sub_ps(_mm256_mul_ps(sz, tx), _mm256_mul_ps(sx, tz));
    __m256 mz = _mm256_sub_ps(_mm256_mul_ps(sx, ty), _mm256_mul_ps(sy, tx));
    float opposite[3], back[3];
    for (int axis = 0; axis < 3; axis++) {
        opposite[axis] = face->arm2[axis] - face->arm1[axis];
        back[axis] = -face->arm2[axis];
    }
    __m256 along = dot8(face->normal, _mm256_sub_ps(tx, sx), _mm256_sub_ps(ty, sy), _mm256_sub_ps(tz, sz));
    judge8(dot8(face->arm1, mx, my, mz), bound, &signs->edges[0], &signs->edges_open);
    judge8(_mm256_add_ps(dot8(opposite, mx, my, mz), along), bound, &signs->edges[1], &signs->edges_open);
    judge8(dot8(back, mx, my, mz), bound, &signs->edges[2], &signs->edges_open);
}

static void judge_faces(const struct overlap_face *face, __m128 x, __m128 y, __m128 z, float bound,
                        struct overlap_signs *signs)
{
    /* Rings 1 2 3, 0 3 2, 0 1 3, 0 2 1: first, second and third corners. */
    enum { a = _MM_SHUFFLE(0, 0, 0, 1), b = _MM_SHUFFLE(2, 1, 3, 2), c = _MM_SHUFFLE(1, 3, 2, 3) };
    __m128 ax = _mm_permute_ps(x, a), ay = _mm_permute_ps(y, a), az = _mm_permute_ps(z, a);
    __m128 fx = _mm_sub_ps(_mm_permute_ps(x, b), ax), fy = _mm_sub_ps(_mm_permute_ps(y, b), ay),
           fz = _mm_sub_ps(_mm_permute_ps(z, b), az);
    __m128 gx = _mm_sub_ps(_mm_permute_ps(x, c), ax), gy = _mm_sub_ps(_mm_permute_ps(y, c), ay),
           gz = _mm_sub_ps(_mm_permute_ps(z, c), az);
    __m128 nx = _mm_sub_ps(_mm_mul_ps(fy, gz), _mm_mul_ps(fz, gy));
    __m128 ny = _mm_sub_ps(_mm_mul_ps(fz, gx), _mm_mul_ps(fx, gz));
    __m128 nz = _mm_sub_ps(_mm_mul_ps(fx, gy), _mm_mul_ps(fy, gx));
    const float *p = face->arm1, *q = face->arm2;
    judge4(dot4(nx, ny, nz, ax, ay, az), bound, &signs->within[0], &signs->within_open);
    judge4(dot4(nx, ny, nz, _mm_sub_ps(ax, _mm_set1_ps(p[0])), _mm_sub_ps(ay, _mm_set1_ps(p[1])),
                _mm_sub_ps(az, _mm_set1_ps(p[2]))),
           bound, &signs->within[1], &signs->within_open);
    judge4(dot4(nx, ny, nz, _mm_sub_ps(ax, _mm_set1_ps(q[0])), _mm_sub_ps(ay, _mm_set1_ps(q[1])),
                _mm_sub_ps(az, _mm_set1_ps(q[2]))),
           bound, &signs->within[2], &signs->within_open);
}

static void signs_avx2(const struct overlap_face *face, const double *const cell[4], struct overlap_signs *signs)
{
    __m128 x = relative(face, cell[0]), y = relative(face, cell[1]), z = relative(face, cell[2]),
           w = relative(face, cell[3]);
    *signs = (struct overlap_signs){0};
    _MM_TRANSPOSE4_PS(x, y, z, w);
    __m128 size = _mm_max_ps(_mm_max_ps(magnitude4(x), magnitude4(y)), magnitude4(z));
    size = _mm_max_ps(size, _mm_permute_ps(size, _MM_SHUFFLE(1, 0, 3, 2)));
    size = _mm_max_ps(size, _mm_permute_ps(size, _MM_SHUFFLE(2, 3, 0, 1)));
    float largest = _mm_cvtss_f32(_mm_max_ss(size, _mm_set_ss(face->largest)));
    float cube = largest * largest * largest;
    __m128 height =
        dot4(_mm_set1_ps(face->normal[0]), _mm_set1_ps(face->normal[1]), _mm_set1_ps(face->normal[2]), x, y, z);
    judge4(height, OVERLAP_HEIGHT_BOUND * cube + OVERLAP_FLOOR, &signs->above, &signs->above_open);
    if (signs->above_open == 0 && (signs->above == 0 || signs->above == 15)) {
        return;
    }
    judge_edges(face, x, y, z, OVERLAP_EDGE_BOUND * cube + OVERLAP_FLOOR, signs);
    judge_faces(face, x, y, z, OVERLAP_FACE_BOUND * cube + OVERLAP_FLOOR, signs);
}

/* Columns x, y, z of the differences of one corner from the first, four cells side by side. */
static void differences(const double (*xyz)[3], const uint32_t (*cells)[4], const __m256d origin[4], int corner,
                        __m256d column[3])
{
    __m256d row[4];
    for (int i = 0; i < 4; i++) {
        row[i] = _mm256_sub_pd(_mm256_loadu_pd(xyz[cells[i][corner]]), origin[i]);
    }
    __m256d low01 = _mm256_unpacklo_pd(row[0], row[1]), low23 = _mm256_unpacklo_pd(row[2], row[3]);
    __m256d high01 = _mm256_unpackhi_pd(row[0], row[1]), high23 = _mm256_unpackhi_pd(row[2], row[3]);
    column[0] = _mm256_permute2f128_pd(low01, low23, 0x20);
    column[1] = _mm256_permute2f128_pd(high01, high23, 0x20);
    column[2] = _mm256_permute2f128_pd(low01, low23, 0x31);
}

static __m256d minor(__m256d a, __m256d b, __m256d c, __m256d d)
{
    return _mm256_sub_pd(_mm256_mul_pd(a, b), _mm256_mul_pd(c, d));
}

static void orientations_avx2(const double (*xyz)[3], const uint32_t (*cells)[4], uint32_t count, int8_t *signs)
{
    const __m256d no_sign = _mm256_set1_pd(-0.0);
    uint32_t whole = count & ~3u;
    for (uint32_t i = 0; i < whole; i += 4) {
        __m256d origin[4], d[3][3], largest = _mm256_setzero_pd();
        for (int k = 0; k < 4; k++) {
            origin[k] = _mm256_loadu_pd(xyz[cells[i + (uint32_t)k][0]]);
        }
        for (int k = 0; k < 3; k++) {
            differences(xyz, cells + i, origin, k + 1, d[k]);
            for (int axis = 0; axis < 3; axis++) {
                largest = _mm256_max_pd(largest, _mm256_andnot_pd(no_sign, d[k][axis]));
            }
        }
        __m256d value = _mm256_mul_pd(d[0][0], minor(d[1][1], d[2][2], d[1][2], d[2][1]));
        value = _mm256_add_pd(value, _mm256_mul_pd(d[1][0], minor(d[2][1], d[0][2], d[2][2], d[0][1])));
        value = _mm256_add_pd(value, _mm256_mul_pd(d[2][0], minor(d[0][1], d[1][2], d[0][2], d[1][1])));
        __m256d cube = _mm256_mul_pd(_mm256_mul_pd(_mm256_mul_pd(_mm256_set1_pd(8), largest), largest), largest);
        __m256d bound =
            _mm256_add_pd(_mm256_mul_pd(cube, _mm256_set1_pd(ORIENTATION_BOUND)), _mm256_set1_pd(ORIENTATION_FLOOR));
        uint32_t above = (uint32_t)_mm256_movemask_pd(_mm256_cmp_pd(value, bound, _CMP_GT_OQ));
        uint32_t below = (uint32_t)_mm256_movemask_pd(_mm256_cmp_pd(_mm256_xor_pd(value, no_sign), bound, _CMP_GT_OQ));
        for (uint32_t k = 0; k < 4; k++) {
            signs[i + k] = (int8_t)((int)(above >> k & 1) - (int)(below >> k & 1));
        }
    }
    overlap_kernels_scalar.orientations(xyz, cells + whole, count - whole, signs + whole);
}

const struct overlap_kernels overlap_kernels_avx2 = {signs_avx2, orientations_avx2};

#endif
