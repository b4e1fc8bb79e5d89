/* The text of the lookup kernels over the lanes of simd/lanes.h. Included by lookup_kernels_<isa>.c. See lookup_kernels.h
 * for what is computed and for the bounds. */
#include "structures/surface/kernels/lookup_kernels.h"

static uint32_t near_boxes(float *const *lo, float *const *hi, uint32_t offset, const float box_lo[3],
                           const float box_hi[3], float limit, float squared[16])
{
    floats16 sum = floats16_set(0);
    for (int axis = 0; axis < 3; axis++) {
        floats16 above = floats16_subtract(floats16_load(lo[axis] + offset), floats16_set(box_hi[axis])),
                 below = floats16_subtract(floats16_set(box_lo[axis]), floats16_load(hi[axis] + offset));
        floats16 gap = floats16_most(floats16_most(above, below), floats16_set(0));
        sum = floats16_add(sum, floats16_multiply(gap, gap));
    }
    floats16_store_any(squared, sum);
    return ~floats16_less(floats16_set(limit), sum) & 0xFFFFu;
}

static uint32_t ray_boxes(float *const *lo, float *const *hi, uint32_t offset, const struct lookup_ray *ray, float limit,
                          float entry[16])
{
    floats16 enter = floats16_set(0), leave = floats16_set(limit);
    for (int axis = 0; axis < 3; axis++) {
        const floats16 inverse = floats16_set(ray->inverse[axis]);
        floats16 at_lo = floats16_multiply(
            floats16_subtract(floats16_load(lo[axis] + offset), floats16_set(ray->from_lo[axis])), inverse);
        floats16 at_hi = floats16_multiply(
            floats16_subtract(floats16_load(hi[axis] + offset), floats16_set(ray->from_hi[axis])), inverse);
        enter = floats16_most(floats16_least(at_lo, at_hi), enter);
        leave = floats16_least(floats16_most(at_lo, at_hi), leave);
    }
    floats16_store_any(entry, enter);
    return ~floats16_less(leave, enter) & 0xFFFFu;
}

static inline struct floats16x3 corners_of_faces(const struct leaf_points *leaf, int corner)
{
    floats16_index index = floats16_index_load(leaf->corners[corner]);
    return (struct floats16x3){floats16_pick(floats_table16_load(leaf->x[0]), index),
                               floats16_pick(floats_table16_load(leaf->x[1]), index),
                               floats16_pick(floats_table16_load(leaf->x[2]), index)};
}

static uint32_t ray_faces(const struct leaf_points *leaf, const struct lookup_ray *ray)
{
    const struct floats16x3 from = floats16x3_set(ray->from), d = floats16x3_set(ray->step);
    const float more = 0x1p-22f, u = 0x1p-24f;
    struct floats16x3 a = floats16x3_subtract(corners_of_faces(leaf, 0), from),
                      b = floats16x3_subtract(corners_of_faces(leaf, 1), from),
                      c = floats16x3_subtract(corners_of_faces(leaf, 2), from);
    struct floats16x3 most = floats16x3_most(floats16x3_most(floats16x3_absolute(a), floats16x3_absolute(b)),
                                             floats16x3_most(floats16x3_absolute(c), floats16x3_absolute(d)));
    floats16 x = floats16_add(most.x, floats16_set(more)), y = floats16_add(most.y, floats16_set(more)),
             z = floats16_add(most.z, floats16_set(more));
    floats16 yz = floats16_multiply(y, z),
             mixed = floats16_add(yz, floats16_multiply(x, floats16_add(y, z)));
    floats16 bound = floats16_add(floats16_multiply(floats16_multiply(x, yz), floats16_set(64 * u)),
                                  floats16_multiply(mixed, floats16_set(16 * u)));
    floats16 minus = floats16_subtract(floats16_set(0), bound);
    floats16 volumes[3] = {floats16x3_dot(d, floats16x3_cross(b, c)), floats16x3_dot(d, floats16x3_cross(c, a)),
                           floats16x3_dot(d, floats16x3_cross(a, b))};
    uint32_t positive = 0, negative = 0;
    for (int k = 0; k < 3; k++) {
        positive |= floats16_less(bound, volumes[k]);
        negative |= floats16_less(volumes[k], minus);
    }
    return ~(positive & negative) & 0xFFFFu;
}

static void batch_faces(const struct leaf_points *leaf, const float point[3], struct near_batch *batch)
{
    for (int axis = 0; axis < 3; axis++) {
        floats16_store(batch->point[0][axis], floats16_set(point[axis]));
    }
    for (int k = 0; k < 3; k++) {
        struct floats16x3 corner = corners_of_faces(leaf, k);
        floats16x3_store(batch->point[k + 1][0], batch->point[k + 1][1], batch->point[k + 1][2], corner);
    }
}

#define LOOKUP_KERNELS_ROW                                                                                             \
    {                                                                                                                  \
        near_boxes, ray_boxes, ray_faces, batch_faces                                                                  \
    }
