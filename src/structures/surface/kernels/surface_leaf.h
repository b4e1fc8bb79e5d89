/* The leaves of the surface forest, written once for all instruction sets. See surface_kernels.h for what is computed
 * and for the bounds.
 *
 * Included by surface_kernels_<isa>.c after it has defined `wide` (16 floats), `wide_index` (16 places), `octet` (8
 * doubles), their operations, load_points, and the two loops that decide the speed of a leaf: boxes_in_row and
 * faces_beyond. Types and operations are named for surface_narrow.h: wide_t, wide_add and so on.
 */
#include <math.h>
#include <stddef.h>

#define PASTE(a, b) a##b
#define LANE(name) PASTE(wide_, name)
#define LANE_ALL 0xFFFFu

struct wide_t3;
static inline wide_t wide_side_bound(struct wide_t3 largest);
static inline wide_t wide_range_bound(wide_t size, wide_t largest);

#include "structures/surface/kernels/surface_narrow.h"

static inline wide_t wide_side_bound(struct wide_t3 largest)
{
    const wide_t slack = wide_set(4 * FOREST_INPUT_ERROR);
    wide_t x = wide_add(largest.x, slack), y = wide_add(largest.y, slack), z = wide_add(largest.z, slack),
           xy = wide_multiply(x, y);
    wide_t squares = wide_add(xy, wide_multiply(wide_add(x, y), z));
    return wide_add(wide_multiply(wide_multiply(xy, z), wide_set(50.0f * 0x1p-24f)),
                    wide_multiply(squares, wide_set(7.0f * 0x1p-24f)));
}

static inline wide_t wide_range_bound(wide_t size, wide_t largest)
{
    wide_t relative = wide_add(wide_multiply(largest, wide_set(10.0f * 0x1p-24f)), wide_set(3.0f * 0x1p-24f));
    return wide_add(wide_multiply(size, relative), wide_set(0x1p-120f));
}

#undef LANE
#undef LANE_ALL
#define LANE(name) PASTE(octet_, name)
#define LANE_ALL 0xFFu

struct octet_t3;
static inline octet_t octet_side_bound(struct octet_t3 largest);
static inline octet_t octet_range_bound(octet_t size, octet_t largest);

#include "structures/surface/kernels/surface_narrow.h"

/* Of d . (e1 x e2) for differences of at most these sizes. Minors of all three pairs of axes are computed, so all three
 * enter the guards against underflow and overflow, other than in orientation_3d_determinant (surface_kernels.h). */
static inline octet_t octet_side_bound(struct octet_t3 largest)
{
    octet_t x = octet_multiply(largest.x, octet_set(8.0)), xy = octet_multiply(x, largest.y);
    octet_t squares = octet_add(octet_add(xy, octet_multiply(x, largest.z)),
                                octet_multiply(octet_multiply(largest.y, octet_set(8.0)), largest.z));
    octet_t guard = octet_add(squares, octet_add(octet_add(largest.x, largest.y), largest.z));
    octet_t xyz = octet_add(octet_multiply(xy, largest.z), octet_multiply(guard, octet_set(0x1p-900)));
    return octet_add(octet_multiply(xyz, octet_set(6.0 * 0x1p-53)), octet_set(0x1p-900));
}

/* The product of the sizes comes before the small factor: where a sum of products could overflow, the bound does. */
static inline octet_t octet_range_bound(octet_t size, octet_t largest)
{
    octet_t product = octet_multiply(octet_multiply(size, octet_set(8.0)), largest);
    return octet_add(octet_multiply(product, octet_set(1.25 * 0x1p-53)), octet_set(0x1p-900));
}

static struct narrow_signs narrow_floats(const struct float_batch *batch)
{
    struct wide_t3 corner[6];
    for (int k = 0; k < 6; k++) {
        corner[k] = (struct wide_t3){wide_load(batch->corner[k][0]), wide_load(batch->corner[k][1]),
                                     wide_load(batch->corner[k][2])};
    }
    return wide_narrow(corner, corner + 3);
}

static struct narrow_signs narrow_doubles(const struct narrow_batch *batch)
{
    struct octet_t3 corner[6];
    for (int k = 0; k < 6; k++) {
        corner[k] = (struct octet_t3){octet_load(batch->corner[k][0]), octet_load(batch->corner[k][1]),
                                      octet_load(batch->corner[k][2])};
    }
    return octet_narrow(corner, corner + 3);
}

/* ---- pairs of leaves ---- */

static inline wide_t length3(struct wide_t3 a)
{
    return wide_add(wide_add(wide_magnitude(a.x), wide_magnitude(a.y)), wide_magnitude(a.z));
}

static inline struct wide_t3 pick3(const struct leaf_points *leaf, int corner)
{
    wide_index index = index_load(leaf->corners[corner]);
    return (struct wide_t3){wide_pick(leaf->x[0], index), wide_pick(leaf->x[1], index), wide_pick(leaf->x[2], index)};
}

static void prepare_side(const struct leaf_points *leaf, struct leaf_side *side)
{
    struct wide_t3 p = pick3(leaf, 0), q = pick3(leaf, 1), r = pick3(leaf, 2);
    wide_store(side->lo[0], wide_least(wide_least(p.x, q.x), r.x));
    wide_store(side->lo[1], wide_least(wide_least(p.y, q.y), r.y));
    wide_store(side->lo[2], wide_least(wide_least(p.z, q.z), r.z));
    wide_store(side->hi[0], wide_most(wide_most(p.x, q.x), r.x));
    wide_store(side->hi[1], wide_most(wide_most(p.y, q.y), r.y));
    wide_store(side->hi[2], wide_most(wide_most(p.z, q.z), r.z));
    side->leaf = leaf;
    side->has_planes = false;
}

static inline void make_planes(struct leaf_side *side)
{
    if (side->has_planes) {
        return;
    }
    const wide_t slack = wide_set(8 * FOREST_INPUT_ERROR), three = wide_set(3.0f * 0x1p-24f);
    struct wide_t3 p = pick3(side->leaf, 0);
    struct wide_t3 e1 = wide_subtract3(pick3(side->leaf, 1), p), e2 = wide_subtract3(pick3(side->leaf, 2), p);
    struct wide_t3 normal = wide_cross3(e1, e2);
    wide_t l1 = wide_add(length3(e1), slack), l2 = wide_add(length3(e2), slack), square = wide_multiply(l1, l2);
    wide_store(side->base[0], p.x);
    wide_store(side->base[1], p.y);
    wide_store(side->base[2], p.z);
    wide_store(side->normal[0], normal.x);
    wide_store(side->normal[1], normal.y);
    wide_store(side->normal[2], normal.z);
    wide_store(side->slope,
               wide_add(wide_multiply(square, wide_set(12.0f * 0x1p-24f)), wide_multiply(wide_add(l1, l2), three)));
    wide_store(side->floor, wide_multiply(square, three));
    side->has_planes = true;
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
    struct vertex_sets sets = vertex_sets_of(b->corners);
    make_planes(side_a);
    for (uint32_t i = 0; i < row_count; i++) {
        uint32_t left = bits[i] & ~faces_beyond(side_a, rows[i], reach, b, &sets, bits[i]);
        any |= left;
        for (; left; left &= left - 1) {
            columns[__builtin_ctz(left)] |= 1u << rows[i];
        }
    }
    if (!any) {
        return 0;
    }
    uint32_t count = 0;
    sets = vertex_sets_of(a->corners);
    make_planes(side_b);
    for (; any; any &= any - 1) {
        uint32_t face = (uint32_t)__builtin_ctz(any), column = columns[face];
        column &= ~faces_beyond(side_b, face, reach, a, &sets, column);
        for (; column; column &= column - 1) {
            found[count++] = (uint8_t)((uint32_t)__builtin_ctz(column) << 4 | face);
        }
    }
    return count;
}

/* ---- volumes ---- */

static inline void bound_axis(wide_t values, float slack, float *lo, float *hi)
{
    float least, most;
    wide_range(values, &least, &most);
    *lo = least - slack;
    *hi = most + slack;
}

static void bound_points(const struct leaf_points *points, int axis_count, float *lo, float *hi)
{
    wide_t x = wide_load(points->x[0]), y = wide_load(points->x[1]), z = wide_load(points->x[2]);
    wide_range(x, &lo[0], &hi[0]);
    wide_range(y, &lo[1], &hi[1]);
    wide_range(z, &lo[2], &hi[2]);
    if (axis_count <= 3) {
        return;
    }
    wide_t sum = wide_add(y, z), difference = wide_subtract(y, z);
    int slot = 3;
    if (axis_count != 9) {
        bound_axis(wide_add(x, sum), VOLUME_ROUNDING, &lo[slot], &hi[slot]);
        bound_axis(wide_subtract(x, sum), VOLUME_ROUNDING, &lo[slot + 1], &hi[slot + 1]);
        bound_axis(wide_add(x, difference), VOLUME_ROUNDING, &lo[slot + 2], &hi[slot + 2]);
        bound_axis(wide_subtract(x, difference), VOLUME_ROUNDING, &lo[slot + 3], &hi[slot + 3]);
        slot += 4;
    }
    if (axis_count >= 9) {
        bound_axis(sum, VOLUME_ROUNDING, &lo[slot], &hi[slot]);
        bound_axis(difference, VOLUME_ROUNDING, &lo[slot + 1], &hi[slot + 1]);
        bound_axis(wide_add(x, z), VOLUME_ROUNDING, &lo[slot + 2], &hi[slot + 2]);
        bound_axis(wide_subtract(x, z), VOLUME_ROUNDING, &lo[slot + 3], &hi[slot + 3]);
        bound_axis(wide_add(x, y), VOLUME_ROUNDING, &lo[slot + 4], &hi[slot + 4]);
        bound_axis(wide_subtract(x, y), VOLUME_ROUNDING, &lo[slot + 5], &hi[slot + 5]);
    }
}

#define SURFACE_KERNELS_ROW                                                                                            \
    {                                                                                                                  \
        load_points, bound_points, meet_volumes, prepare_side, leaf_pair, narrow_floats, narrow_doubles                \
    }
