/* The text of the lookup kernels over the lanes of simd/lanes.h. Included by lookup_kernels_<isa>.c. See lookup_kernels.h
 * for what is computed and for the bounds. */
#include "structures/surface/kernels/lookup_kernels.h"

#include <math.h>

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

/* For each face the point of it that is (nearly) closest to the origin, from the three differences of its corners. */
static inline struct floats16x3 nearly_closest(struct floats16x3 a, struct floats16x3 b, struct floats16x3 c)
{
    const floats16 zero = floats16_set(0);
    struct floats16x3 ab = floats16x3_subtract(b, a), ac = floats16x3_subtract(c, a);
    floats16 bb = floats16x3_dot(ab, ab), bc = floats16x3_dot(ab, ac), cc = floats16x3_dot(ac, ac);
    floats16 along_b = floats16_subtract(zero, floats16x3_dot(a, ab)),
             along_c = floats16_subtract(zero, floats16x3_dot(a, ac));
    floats16 whole = floats16_subtract(floats16_multiply(bb, cc), floats16_multiply(bc, bc));
    floats16 share_b = floats16_subtract(floats16_multiply(cc, along_b), floats16_multiply(bc, along_c)),
             share_c = floats16_subtract(floats16_multiply(bb, along_c), floats16_multiply(bc, along_b));
    /* the edge behind which the origin lies: a b, a c, or, in neither case, b c */
    uint32_t beyond_b = ~floats16_less(zero, share_c), beyond_c = ~floats16_less(zero, share_b);
    uint32_t beyond_a = ~floats16_less(floats16_add(share_b, share_c), whole);
    uint32_t both = beyond_b & beyond_c, on_b = beyond_b & ~(both & ~floats16_less(zero, along_b)), on_c = beyond_c & ~on_b;
    struct floats16x3 along = floats16x3_subtract(c, b), from = b;
    floats16 part = floats16_add(floats16_subtract(bb, bc), floats16_subtract(along_c, along_b)),
             full = floats16_add(floats16_subtract(bb, bc), floats16_subtract(cc, bc));
    from = floats16x3_choose(on_b | on_c, a, from);
    along = floats16x3_choose(on_b, ab, floats16x3_choose(on_c, ac, along));
    part = floats16_choose(on_b, along_b, floats16_choose(on_c, along_c, part));
    full = floats16_choose(on_b, bb, floats16_choose(on_c, cc, full));
    part = floats16_least(floats16_most(part, zero), full);
    /* from + along part / full, or inside: a + (ab share_b + ac share_c) / whole */
    uint32_t inside = ~(beyond_a | beyond_b | beyond_c);
    struct floats16x3 way = floats16x3_choose(
        inside, floats16x3_add(floats16x3_scale(ab, share_b), floats16x3_scale(ac, share_c)), floats16x3_scale(along, part));
    full = floats16_most(floats16_choose(inside, whole, full), floats16_set(0x1p-60f));
    floats16 inverse = floats16_divide(floats16_set(1), full);
    return floats16x3_add(floats16x3_choose(inside, a, from), floats16x3_scale(way, inverse));
}

static uint32_t near_faces(const struct leaf_points *leaf, const float point[3], float slack, float *reach)
{
    struct floats16x3 corner[3];
    floats16 x[3];
    floats_table16 seen[3];
    for (int axis = 0; axis < 3; axis++) {
        x[axis] = floats16_subtract(floats16_load(leaf->x[axis]), floats16_set(point[axis]));
        seen[axis] = floats16_table(&x[axis]);
    }
    for (int k = 0; k < 3; k++) {
        floats16_index index = floats16_index_load(leaf->corners[k]);
        corner[k] = (struct floats16x3){floats16_pick(seen[0], index), floats16_pick(seen[1], index),
                                        floats16_pick(seen[2], index)};
    }
    struct floats16x3 closest = nearly_closest(corner[0], corner[1], corner[2]);
    floats16 squared = floats16x3_dot(closest, closest);
    float certain = (sqrtf(floats16_smallest(squared)) + slack) * (1 + 0x1p-18f);
    *reach = certain < *reach ? certain : *reach;
    floats16 gap = floats16_least(floats16_least(floats16x3_dot(closest, corner[0]), floats16x3_dot(closest, corner[1])),
                                  floats16x3_dot(closest, corner[2]));
    uint32_t usable = floats16_less(floats16_set(0), gap) & floats16_less(floats16_set(0x1p-80f), squared);
    floats16 bound = floats16_multiply(squared, floats16_set(*reach * *reach));
    return ~(usable & floats16_less(bound, floats16_multiply(gap, gap))) & 0xFFFFu;
}

#define LOOKUP_KERNELS_ROW                                                                                             \
    {                                                                                                                  \
        near_boxes, ray_boxes, ray_faces, near_faces, batch_faces                                                      \
    }
