/* The leaves of the surface forest, written once over the lanes of simd/lanes.h. Included by surface_kernels_<isa>.c. See
 * surface_kernels.h for what is computed and for the bounds. */
#include "structures/surface/kernels/surface_kernels.h"

#include "structures/surface/kernels/surface_narrow.h"

static struct narrow_signs narrow_floats(const struct float_batch *batch)
{
    struct floats16x3 corner[6];
    for (int k = 0; k < 6; k++) {
        corner[k] = floats16x3_load(batch->corner[k][0], batch->corner[k][1], batch->corner[k][2]);
    }
    return narrow(corner, corner + 3);
}

/* ---- pairs of leaves ---- */

static inline floats16 length3(struct floats16x3 a)
{
    return floats16x3_sum(floats16x3_absolute(a));
}

static inline struct floats16x3 pick3(const struct leaf_points *leaf, int corner)
{
    floats16_index index = floats16_index_load(leaf->corners[corner]);
    return (struct floats16x3){floats16_pick(floats_table16_load(leaf->x[0]), index),
                               floats16_pick(floats_table16_load(leaf->x[1]), index),
                               floats16_pick(floats_table16_load(leaf->x[2]), index)};
}

static void load_points(const uint32_t vertices[LEAF_VERTICES], const double (*xyz)[3], const struct forest_map *map,
                        struct leaf_points *points)
{
    const struct row_rounding rounding = row_rounding_of(map->centre, map->first, map->second);
    for (int i = 0; i < LEAF_VERTICES; i += 4) {
        round_four_rows(&rounding, xyz[vertices[i]], xyz[vertices[i + 1]], xyz[vertices[i + 2]], xyz[vertices[i + 3]],
                        &points->x[0][i], &points->x[1][i], &points->x[2][i]);
    }
}

static void prepare_side(const struct leaf_points *leaf, struct leaf_side *side)
{
    struct floats16x3 p = pick3(leaf, 0), q = pick3(leaf, 1), r = pick3(leaf, 2);
    floats16_store(side->lo[0], floats16_least(floats16_least(p.x, q.x), r.x));
    floats16_store(side->lo[1], floats16_least(floats16_least(p.y, q.y), r.y));
    floats16_store(side->lo[2], floats16_least(floats16_least(p.z, q.z), r.z));
    floats16_store(side->hi[0], floats16_most(floats16_most(p.x, q.x), r.x));
    floats16_store(side->hi[1], floats16_most(floats16_most(p.y, q.y), r.y));
    floats16_store(side->hi[2], floats16_most(floats16_most(p.z, q.z), r.z));
    side->leaf = leaf;
    side->has_planes = false;
}

static inline void make_planes(struct leaf_side *side)
{
    if (side->has_planes) {
        return;
    }
    const floats16 slack = floats16_set(8 * FOREST_INPUT_ERROR), three = floats16_set(3.0f * 0x1p-24f);
    struct floats16x3 p = pick3(side->leaf, 0);
    struct floats16x3 e1 = floats16x3_subtract(pick3(side->leaf, 1), p),
                      e2 = floats16x3_subtract(pick3(side->leaf, 2), p);
    struct floats16x3 normal = floats16x3_cross(e1, e2);
    floats16 l1 = floats16_add(length3(e1), slack), l2 = floats16_add(length3(e2), slack),
             square = floats16_multiply(l1, l2);
    floats16_store(side->base[0], p.x);
    floats16_store(side->base[1], p.y);
    floats16_store(side->base[2], p.z);
    floats16_store(side->normal[0], normal.x);
    floats16_store(side->normal[1], normal.y);
    floats16_store(side->normal[2], normal.z);
    floats16_store(side->slope, floats16_add(floats16_multiply(square, floats16_set(12.0f * 0x1p-24f)),
                                             floats16_multiply(floats16_add(l1, l2), three)));
    floats16_store(side->floor, floats16_multiply(square, three));
    side->has_planes = true;
}

/* Faces among `asked` whose boxes meet the one given. */
static inline uint32_t boxes_in_row(const struct leaf_side *boxes, const float lo[3], const float hi[3], uint32_t asked)
{
    const struct floats3 least = floats3_set(lo), most = floats3_set(hi);
    uint32_t found = 0;
    FLOATS16_EACH(at, asked)
    {
        const floats small[6] = {floats_load(boxes->lo[0] + at), least.x, floats_load(boxes->lo[1] + at), least.y,
                                 floats_load(boxes->lo[2] + at), least.z};
        const floats large[6] = {most.x, floats_load(boxes->hi[0] + at), most.y, floats_load(boxes->hi[1] + at),
                                 most.z, floats_load(boxes->hi[2] + at)};
        found |= floats_mask_bits(floats_less_equal6(small, large)) << at;
    }
    return found & asked;
}

struct lanes_of_plane {
    struct floats3 base, normal;
    floats bound, minus;
};

/* Vertices at, at + 1, ... of the register certainly above and below a plane, as bits. */
static inline void compare_with_plane(const struct lanes_of_plane *plane, const struct leaf_points *points, uint32_t at,
                                      uint32_t *above, uint32_t *below)
{
    struct floats3 p = floats3_load(points->x[0] + at, points->x[1] + at, points->x[2] + at);
    floats side = floats3_dot(floats3_subtract(p, plane->base), plane->normal);
    *above = floats_mask_bits(floats_less(plane->bound, side));
    *below = floats_mask_bits(floats_less(side, plane->minus));
}

/* Faces among `asked` of a leaf, all of whose corners are strictly on one side of a plane. */
static inline uint32_t faces_beyond(const struct leaf_side *planes, uint32_t number, float reach,
                                    const struct leaf_points *points, bit_sets corners, uint32_t asked)
{
    const float base[3] = {planes->base[0][number], planes->base[1][number], planes->base[2][number]};
    const float normal[3] = {planes->normal[0][number], planes->normal[1][number], planes->normal[2][number]};
    const float most = planes->slope[number] * reach + planes->floor[number];
    const struct lanes_of_plane plane = {floats3_set(base), floats3_set(normal), floats_set(most), floats_set(-most)};
    uint32_t above, below;
#if FLOATS == 1 /* few are asked about: corner by corner */
    uint32_t found = 0;
    (void)corners;
    for (; asked; asked &= asked - 1) {
        uint32_t face = (uint32_t)__builtin_ctz(asked), all_above = 1, all_below = 1;
        for (int corner = 0; corner < 3; corner++) {
            compare_with_plane(&plane, points, points->corners[corner][face], &above, &below);
            all_above &= above;
            all_below &= below;
        }
        found |= (all_above | all_below) << face;
    }
    return found;
#else
    uint32_t not_above = 0xFFFF, not_below = 0xFFFF;
    for (uint32_t at = 0; at < LEAF_VERTICES; at += FLOATS) {
        compare_with_plane(&plane, points, at, &above, &below);
        not_above ^= above << at;
        not_below ^= below << at;
    }
    return bit_sets_without(corners, not_above, asked) | bit_sets_without(corners, not_below, asked);
#endif
}

/* More than any |component| of a difference between points of the two leaves. */
static inline float reach_of(const struct leaf_points *a, const struct leaf_points *b)
{
    float reach = 0;
    for (int axis = 0; axis < 3; axis++) {
        float lo = a->lo[axis] < b->lo[axis] ? a->lo[axis] : b->lo[axis];
        float hi = a->hi[axis] > b->hi[axis] ? a->hi[axis] : b->hi[axis];
        reach = hi - lo > reach ? hi - lo : reach;
    }
    return reach * (1.0f + 0x1p-20f) + 8 * FOREST_INPUT_ERROR;
}

static inline uint32_t faces_present(const struct leaf_points *leaf)
{
    return (2u << (leaf->face_count - 1)) - 1;
}

static uint32_t leaf_pair(struct leaf_side *side_a, const struct leaf_points *b, struct leaf_side *side_b,
                          const uint16_t *shares, uint8_t *found)
{
    const struct leaf_points *a = side_a->leaf;
    uint32_t of_a = boxes_in_row(side_a, b->lo, b->hi, faces_present(a)), of_b = of_a;
    if (!of_a) {
        return 0;
    }
    if (side_a != side_b) {
        prepare_side(b, side_b);
        of_b = boxes_in_row(side_b, a->lo, a->hi, faces_present(b));
    }
    uint32_t rows[LEAF_FACES], bits[LEAF_FACES], row_count = 0;
    for (uint32_t rest = of_b ? of_a : 0; rest; rest &= rest - 1) {
        uint32_t face = (uint32_t)__builtin_ctz(rest);
        float lo[3] = {side_a->lo[0][face], side_a->lo[1][face], side_a->lo[2][face]};
        float hi[3] = {side_a->hi[0][face], side_a->hi[1][face], side_a->hi[2][face]};
        uint32_t row = boxes_in_row(side_b, lo, hi, of_b & ~(shares ? (uint32_t)shares[face] : 0u));
        rows[row_count] = face;
        bits[row_count] = row;
        row_count += row != 0;
    }
    if (row_count == 0) {
        return 0;
    }
    float reach = reach_of(a, b);
    uint32_t columns[LEAF_FACES] = {0}, any = 0;
    bit_sets corners = bit_sets_of_corners(b->corners);
    make_planes(side_a);
    for (uint32_t i = 0; i < row_count; i++) {
        uint32_t left = bits[i] & ~faces_beyond(side_a, rows[i], reach, b, corners, bits[i]);
        any |= left;
        for (; left; left &= left - 1) {
            columns[__builtin_ctz(left)] |= 1u << rows[i];
        }
    }
    if (!any) {
        return 0;
    }
    uint32_t count = 0;
    corners = bit_sets_of_corners(a->corners);
    make_planes(side_b);
    for (; any; any &= any - 1) {
        uint32_t face = (uint32_t)__builtin_ctz(any), column = columns[face];
        column &= ~faces_beyond(side_b, face, reach, a, corners, column);
        for (; column; column &= column - 1) {
            found[count++] = (uint8_t)((uint32_t)__builtin_ctz(column) << 4 | face);
        }
    }
    return count;
}

/* ---- volumes ---- */

static inline void bound_axis(floats16 values, float slack, float *lo, float *hi)
{
    *lo = floats16_smallest(values) - slack;
    *hi = floats16_largest(values) + slack;
}

static void bound_points(const struct leaf_points *points, int axis_count, float *lo, float *hi)
{
    floats16 x = floats16_load(points->x[0]), y = floats16_load(points->x[1]), z = floats16_load(points->x[2]);
    bound_axis(x, 0, &lo[0], &hi[0]);
    bound_axis(y, 0, &lo[1], &hi[1]);
    bound_axis(z, 0, &lo[2], &hi[2]);
    if (axis_count <= 3) {
        return;
    }
    floats16 sum = floats16_add(y, z), difference = floats16_subtract(y, z);
    int slot = 3;
    if (axis_count != 9) {
        bound_axis(floats16_add(x, sum), VOLUME_ROUNDING, &lo[slot], &hi[slot]);
        bound_axis(floats16_subtract(x, sum), VOLUME_ROUNDING, &lo[slot + 1], &hi[slot + 1]);
        bound_axis(floats16_add(x, difference), VOLUME_ROUNDING, &lo[slot + 2], &hi[slot + 2]);
        bound_axis(floats16_subtract(x, difference), VOLUME_ROUNDING, &lo[slot + 3], &hi[slot + 3]);
        slot += 4;
    }
    if (axis_count >= 9) {
        bound_axis(sum, VOLUME_ROUNDING, &lo[slot], &hi[slot]);
        bound_axis(difference, VOLUME_ROUNDING, &lo[slot + 1], &hi[slot + 1]);
        bound_axis(floats16_add(x, z), VOLUME_ROUNDING, &lo[slot + 2], &hi[slot + 2]);
        bound_axis(floats16_subtract(x, z), VOLUME_ROUNDING, &lo[slot + 3], &hi[slot + 3]);
        bound_axis(floats16_add(x, y), VOLUME_ROUNDING, &lo[slot + 4], &hi[slot + 4]);
        bound_axis(floats16_subtract(x, y), VOLUME_ROUNDING, &lo[slot + 5], &hi[slot + 5]);
    }
}

static uint32_t meet_volumes(float *const *lo, float *const *hi, uint32_t offset, int axis_count, const float *box_lo,
                             const float *box_hi)
{
    const struct floats3 least = floats3_set(box_lo), most = floats3_set(box_hi);
    uint32_t found = 0;
    for (uint32_t at = offset; at < offset + 16; at += FLOATS) {
        const floats small[6] = {floats_load(lo[0] + at), least.x, floats_load(lo[1] + at), least.y,
                                 floats_load(lo[2] + at), least.z};
        const floats large[6] = {most.x, floats_load(hi[0] + at), most.y, floats_load(hi[1] + at),
                                 most.z, floats_load(hi[2] + at)};
        floats_mask meet = floats_less_equal6(small, large);
        for (int axis = 3; axis < axis_count && !floats_mask_none(meet); axis++) {
            meet = floats_less_equal_within(meet, floats_load(lo[axis] + at), floats_set(box_hi[axis]));
            meet = floats_less_equal_within(meet, floats_set(box_lo[axis]), floats_load(hi[axis] + at));
        }
        found |= floats_mask_bits(meet) << (at - offset);
    }
    return found;
}

#define SURFACE_KERNELS_ROW                                                                                            \
    {                                                                                                                  \
        load_points, bound_points, meet_volumes, prepare_side, leaf_pair, narrow_floats                                \
    }
