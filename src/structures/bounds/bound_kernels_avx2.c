/* Four children of a bounding tree at a time. See bound_kernels.h: the operations of the scalar functions in the same
 * order. */
#include "structures/bounds/bound_kernels.h"

#if defined(__x86_64__)

#include "simd/double_lanes_avx2.h"

enum { LANES = 4 };

/* Numbers first … first + 3 of each of four parts from `from` on as four columns; beyond the last part, that part. */
static void load_columns(const struct bound_volume *parts, uint32_t from, uint32_t count, int first, lanes columns[4])
{
    lanes rows[LANES];
    for (uint32_t i = 0; i < LANES; i++) {
        uint32_t part = from + i < count ? from + i : count - 1;
        rows[i] = _mm256_loadu_pd((const double *)&parts[part] + first);
    }
    lanes low01 = _mm256_unpacklo_pd(rows[0], rows[1]), high01 = _mm256_unpackhi_pd(rows[0], rows[1]);
    lanes low23 = _mm256_unpacklo_pd(rows[2], rows[3]), high23 = _mm256_unpackhi_pd(rows[2], rows[3]);
    columns[0] = _mm256_permute2f128_pd(low01, low23, 0x20);
    columns[1] = _mm256_permute2f128_pd(high01, high23, 0x20);
    columns[2] = _mm256_permute2f128_pd(low01, low23, 0x31);
    columns[3] = _mm256_permute2f128_pd(high01, high23, 0x31);
}

static lanes down_lanes(lanes value)
{
    return lanes_subtract(value, lanes_multiply(lanes_absolute(value), lanes_set(0x1p-51)));
}

static uint32_t bits(lane_mask mask)
{
    return (uint32_t)_mm256_movemask_pd(mask);
}

static uint32_t meet_balls(const lanes c[4], const struct bound_volume *other, double lo[LANES], bool *odd)
{
    lanes x = lanes_subtract(c[0], lanes_set(other->v[0])), y = lanes_subtract(c[1], lanes_set(other->v[1])),
          z = lanes_subtract(c[2], lanes_set(other->v[2])), sum = lanes_add(c[3], lanes_set(other->v[3]));
    lanes square = lanes_add(lanes_add(lanes_multiply(x, x), lanes_multiply(y, y)), lanes_multiply(z, z));
    lane_mask in_range = _mm256_and_pd(lanes_less(lanes_set(1e-280), square), lanes_less(square, lanes_set(1e300)));
    *odd = bits(in_range) != 15;
    uint32_t apart = bits(lanes_less(lanes_multiply(lanes_multiply(sum, sum), lanes_set(1 + 0x1p-49)), square));
    if (apart == 15) {
        return 0;
    }
    lanes reach = lanes_add(sum, lanes_multiply(lanes_absolute(sum), lanes_set(0x1p-51)));
    lanes gap = down_lanes(lanes_subtract(lanes_multiply(_mm256_sqrt_pd(square), lanes_set(1 - 0x1p-50)), reach));
    gap = lanes_choose(_mm256_cmp_pd(gap, gap, _CMP_UNORD_Q), lanes_set(-INFINITY), gap);
    _mm256_storeu_pd(lo, gap);
    return ~(apart | bits(lanes_less(_mm256_setzero_pd(), gap))) & 15;
}

static uint32_t balls(const struct bound_volume *parts, uint32_t count, const struct bound_volume *other,
                      double lo[BOUND_KERNEL_LANES])
{
    uint32_t meet = 0;
    for (uint32_t from = 0; from < count; from += LANES) {
        lanes columns[4];
        bool odd;
        load_columns(parts, from, count, 0, columns);
        uint32_t found = meet_balls(columns, other, lo + from, &odd) << from;
        uint32_t end = from + LANES < count ? from + LANES : count;
        meet |= odd ? balls_one_by_one(parts, from, end, other, lo) : found;
    }
    return meet & ((1u << count) - 1);
}

static uint32_t boxes(const struct bound_volume *parts, uint32_t count, const struct bound_volume *other,
                      double lo[BOUND_KERNEL_LANES])
{
    uint32_t meet = 0;
    for (uint32_t from = 0; from < count; from += LANES) {
        lanes c[8], largest = lanes_set(-INFINITY);
        load_columns(parts, from, count, 0, c);
        load_columns(parts, from, count, 4, c + 4);
        for (int axis = 0; axis < 3; axis++) {
            lanes after = lanes_subtract(lanes_set(other->v[axis]), c[axis + 3]);
            lanes before = lanes_subtract(c[axis], lanes_set(other->v[axis + 3]));
            largest = lanes_most(lanes_most(after, before), largest);
        }
        _mm256_storeu_pd(lo + from, down_lanes(largest)); /* which has the same sign */
        meet |= (~bits(lanes_less(_mm256_setzero_pd(), largest)) & 15) << from;
    }
    return meet & ((1u << count) - 1);
}

const struct bound_kernels bound_kernels_avx2 = {balls, boxes};

#endif
