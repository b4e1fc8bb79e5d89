/* Rows of intervals, four lower and four upper ends in a register each. See interval_kernels.h. */
#include "geometry/motion/interval_kernels.h"

#if defined(__x86_64__)

#include "simd/double_lanes_avx2.h"

struct row {
    lanes lo, hi;
};

/* Where neither is a NaN. */
static inline lane_mask lanes_ordered(lanes a, lanes b)
{
    return _mm256_cmp_pd(a, b, _CMP_ORD_Q);
}

static inline lanes lanes_slack(lanes x)
{
    return lanes_add(lanes_multiply(lanes_absolute(x), lanes_set(0x1p-52)), lanes_set(0x1p-1074));
}

/* As rounded_down and rounded_up. */
static inline lanes lanes_down(lanes x)
{
    lanes y = lanes_subtract(x, lanes_slack(x));
    return lanes_choose(lanes_ordered(y, y), y, lanes_set(-INFINITY));
}

static inline lanes lanes_up(lanes x)
{
    lanes y = lanes_add(x, lanes_slack(x));
    return lanes_choose(lanes_ordered(y, y), y, lanes_set(INFINITY));
}

_Static_assert(sizeof(struct interval) == 2 * sizeof(double), "two ends side by side");

/* lo hi lo hi and lo hi lo hi become four lower and four upper ends. */
static inline struct row row_load(const struct interval_pose *pose, int i)
{
    const struct interval *r = pose->rotation + 3 * i;
    __m256d left = _mm256_loadu_pd(&r[0].lo);
    __m256d right = _mm256_set_m128d(_mm_loadu_pd(&pose->translation[i].lo), _mm_loadu_pd(&r[2].lo));
    return (struct row){_mm256_permute4x64_pd(_mm256_unpacklo_pd(left, right), 0xd8),
                        _mm256_permute4x64_pd(_mm256_unpackhi_pd(left, right), 0xd8)};
}

static inline void store_ends(struct row row, struct interval *first, struct interval *second, struct interval *third,
                              struct interval *fourth)
{
    __m256d even = _mm256_unpacklo_pd(row.lo, row.hi), odd = _mm256_unpackhi_pd(row.lo, row.hi);
    _mm_storeu_pd(&first->lo, _mm256_castpd256_pd128(even));
    _mm_storeu_pd(&second->lo, _mm256_castpd256_pd128(odd));
    _mm_storeu_pd(&third->lo, _mm256_extractf128_pd(even, 1));
    if (fourth) {
        _mm_storeu_pd(&fourth->lo, _mm256_extractf128_pd(odd, 1));
    }
}

static inline void row_store(struct row row, struct interval_pose *pose, int i)
{
    struct interval *r = pose->rotation + 3 * i;
    store_ends(row, &r[0], &r[1], &r[2], &pose->translation[i]);
}

static inline void row_put_translation(struct row row, struct interval_pose *pose)
{
    store_ends(row, &pose->translation[0], &pose->translation[1], &pose->translation[2], NULL);
}

static inline struct row row_of(struct interval a)
{
    return (struct row){lanes_set(a.lo), lanes_set(a.hi)};
}

static inline struct row row_numbers(const double numbers[3])
{
    lanes three = _mm256_maskload_pd(numbers, _mm256_setr_epi64x(-1, -1, -1, 0));
    return (struct row){three, three};
}

static inline struct row row_add(struct row a, struct row b)
{
    return (struct row){lanes_down(lanes_add(a.lo, b.lo)), lanes_up(lanes_add(a.hi, b.hi))};
}

static inline struct row row_subtract(struct row a, struct row b)
{
    return (struct row){lanes_down(lanes_subtract(a.lo, b.hi)), lanes_up(lanes_subtract(a.hi, b.lo))};
}

static inline struct row row_multiply(struct row a, struct row b)
{
    lanes p = lanes_multiply(a.lo, b.lo), q = lanes_multiply(a.lo, b.hi);
    lanes r = lanes_multiply(a.hi, b.lo), s = lanes_multiply(a.hi, b.hi);
    lanes low = lanes_least(lanes_least(p, q), lanes_least(r, s));
    lanes high = lanes_most(lanes_most(q, p), lanes_most(s, r));
    lane_mask usual = _mm256_and_pd(lanes_ordered(p, q), lanes_ordered(r, s));
    return (struct row){lanes_choose(usual, lanes_down(low), lanes_set(-INFINITY)),
                        lanes_choose(usual, lanes_up(high), lanes_set(INFINITY))};
}

static inline void columns_of(lanes a, lanes b, lanes c, lanes columns[3])
{
    lanes zero = _mm256_setzero_pd();
    lanes ab_even = _mm256_unpacklo_pd(a, b), ab_odd = _mm256_unpackhi_pd(a, b);
    lanes c_even = _mm256_unpacklo_pd(c, zero), c_odd = _mm256_unpackhi_pd(c, zero);
    columns[0] = _mm256_permute2f128_pd(ab_even, c_even, 0x20);
    columns[1] = _mm256_permute2f128_pd(ab_odd, c_odd, 0x20);
    columns[2] = _mm256_permute2f128_pd(ab_even, c_even, 0x31);
}

static inline void row_columns(const struct row rows[3], struct row columns[3])
{
    lanes lo[3], hi[3];
    columns_of(rows[0].lo, rows[1].lo, rows[2].lo, lo);
    columns_of(rows[0].hi, rows[1].hi, rows[2].hi, hi);
    for (int j = 0; j < 3; j++) {
        columns[j] = (struct row){lo[j], hi[j]};
    }
}

/* Lower bounds of the squares. */
struct square_row {
    lanes at;
};

static inline struct square_row row_squares(struct row row)
{
    lanes zero = _mm256_setzero_pd(), p = lanes_multiply(row.lo, row.lo), q = lanes_multiply(row.hi, row.hi);
    lanes low = lanes_down(lanes_least(p, q));
    lane_mask around = _mm256_and_pd(_mm256_cmp_pd(row.lo, zero, _CMP_LE_OQ), _mm256_cmp_pd(row.hi, zero, _CMP_GE_OQ));
    low = lanes_choose(around, zero, low);
    return (struct square_row){lanes_most(low, zero)};
}

static inline lanes bound_by(lanes others, double defect)
{
    lanes zero = _mm256_setzero_pd();
    lanes left = lanes_subtract(lanes_set(1 + 4 * defect), lanes_down(lanes_down(others)));
    lanes bound = lanes_up(_mm256_sqrt_pd(lanes_up(lanes_most(left, zero))));
    return lanes_choose(lanes_less(zero, left), bound, zero);
}

static inline struct row row_clip(struct row row, const struct square_row squares[3], int i, double defect)
{
    lanes zero = _mm256_setzero_pd(), own = squares[i].at, across = zero;
    lanes along = _mm256_blend_pd(_mm256_permute4x64_pd(own, 0x00), zero, 1);
    along = lanes_add(along, _mm256_blend_pd(_mm256_permute4x64_pd(own, 0x55), zero, 2));
    along = lanes_add(along, _mm256_blend_pd(_mm256_permute4x64_pd(own, 0xaa), zero, 4));
    for (int k = 0; k < 3; k++) {
        across = lanes_add(across, k == i ? zero : squares[k].at);
    }
    lanes most = lanes_least(bound_by(along, defect), lanes_set(1 + defect));
    most = lanes_least(bound_by(across, defect), most);
    lanes least = lanes_subtract(lanes_set(-0.0), most);
    struct row clipped = {lanes_most(row.lo, least), lanes_least(row.hi, most)};
    clipped.lo = _mm256_blend_pd(clipped.lo, row.lo, 8); /* the translation stays */
    clipped.hi = _mm256_blend_pd(clipped.hi, row.hi, 8);
    return clipped;
}

#include "geometry/motion/interval_rows.h"

const struct interval_kernels interval_kernels_avx2 = {multiply_rows, trajectory_pose, use_unit_length};

#else

/* A file must not be empty. */
typedef int interval_rows_avx2_unused;

#endif
