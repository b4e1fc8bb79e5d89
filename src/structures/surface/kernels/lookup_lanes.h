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

/* R of lookup_kernels.h. */
static inline float reach_of_leaf(const struct leaf_points *leaf, const float place[3])
{
    float most = 0;
    for (int axis = 0; axis < 3; axis++) {
        float above = leaf->hi[axis] - place[axis], below = place[axis] - leaf->lo[axis];
        most = above > most ? above : most;
        most = below > most ? below : most;
    }
    return most + 0x1p-20f;
}

/* The coordinates of all vertices on one of the two axes, sheared along the ray. */
static inline floats16 sheared(const struct leaf_points *leaf, const struct lookup_ray *ray, const float place[3], int at,
                               floats16 depth)
{
    const int axis = ray->axes[at];
    return floats16_subtract(floats16_subtract(floats16_load(leaf->x[axis]), floats16_set(place[axis])),
                             floats16_multiply(floats16_set(ray->shear[at]), depth));
}

static uint32_t ray_faces(const struct leaf_points *leaf, const struct lookup_ray *ray, const float place[3])
{
    const float u = 0x1p-24f, reach = reach_of_leaf(leaf, place), bound = u * reach * (34 + 68 * reach);
    const int along = ray->axes[2];
    floats16 depth = floats16_subtract(floats16_load(leaf->x[along]), floats16_set(place[along]));
    floats16 x = sheared(leaf, ray, place, 0, depth), y = sheared(leaf, ray, place, 1, depth);
    floats_table16 all_x = floats16_table(&x), all_y = floats16_table(&y);
    floats16 px[3], py[3];
    for (int corner = 0; corner < 3; corner++) {
        floats16_index index = floats16_index_load(leaf->corners[corner]);
        px[corner] = floats16_pick(all_x, index);
        py[corner] = floats16_pick(all_y, index);
    }
    uint32_t positive = 0, negative = 0;
    for (int k = 0; k < 3; k++) {
        int next = k == 2 ? 0 : k + 1;
        floats16 product = floats16_subtract(floats16_multiply(px[k], py[next]), floats16_multiply(py[k], px[next]));
        positive |= floats16_less(floats16_set(bound), product);
        negative |= floats16_less(product, floats16_set(-bound));
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
