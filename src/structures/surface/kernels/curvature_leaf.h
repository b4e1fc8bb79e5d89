/* The two kernels of curvature_kernels.h, written once over the lanes of simd/lanes.h. Included by curvature_<isa>.c. The
 * same operations in the same order everywhere; least, most and counts do not depend on an order. */
#include <string.h>

#include "structures/surface/kernels/curvature_kernels.h"

/* n . D for the thirteen axes, in the order of curvature_axes. */
#define AXIS_DOTS(add, subtract, x, y, z, out)                                                                         \
    do {                                                                                                               \
        (out)[0] = (x);                                                                                                \
        (out)[1] = (y);                                                                                                \
        (out)[2] = (z);                                                                                                \
        (out)[7] = add(y, z);                                                                                          \
        (out)[8] = subtract(y, z);                                                                                     \
        (out)[9] = add(x, z);                                                                                          \
        (out)[10] = subtract(x, z);                                                                                    \
        (out)[11] = add(x, y);                                                                                         \
        (out)[12] = subtract(x, y);                                                                                    \
        (out)[3] = add(x, (out)[7]);                                                                                   \
        (out)[4] = subtract(x, (out)[7]);                                                                              \
        (out)[5] = subtract((out)[8], x);                                                                              \
        (out)[6] = subtract(subtract(z, y), x);                                                                        \
    } while (0)

/* least: by axis, the least n . D along the side that the hint tells; then minus the largest |e1|, |e2|. */
static inline uint32_t mask_of_least(const float least[CURVATURE_LANES], uint32_t positive)
{
    double a = -(double)least[13], b = -(double)least[14], h = (double)FOREST_INPUT_ERROR;
    double bound = 8 * 0x1p-24 * a * b + 5 * h * (a + b) + 32 * h * h + 0x1p-130;
    uint32_t beyond = floats16_less(floats16_set((float)(bound * (1 + 0x1p-20))), floats16_load(least)) &
                      ((1u << CURVATURE_AXES) - 1);
    return (beyond & positive) | (beyond & ~positive) << CURVATURE_AXES;
}

static inline float scalar_add(float a, float b)
{
    return a + b;
}
static inline float scalar_subtract(float a, float b)
{
    return a - b;
}

static inline struct floats3 pick_corner(const struct leaf_points *points, const uint8_t *corners)
{
    floats_index index = floats_index_load(corners);
    return (struct floats3){floats_table16_pick(floats_table16_load(points->x[0]), index),
                            floats_table16_pick(floats_table16_load(points->x[1]), index),
                            floats_table16_pick(floats_table16_load(points->x[2]), index)};
}

static inline floats16 sum_of_sizes(const floats16 v[3])
{
    return floats16_add(floats16_add(floats16_absolute(v[0]), floats16_absolute(v[1])), floats16_absolute(v[2]));
}

/* By axis: the least n . D times its sign, 1 or -1; behind them minus the largest of two sizes. */
static inline void least_along_axes(const floats16 n[3], floats16 size1, floats16 size2,
                                    const float sign[CURVATURE_AXES], float least[CURVATURE_LANES])
{
#if FLOATS == 1 /* face by face, the axes side by side: the same sums, x + (y + z) with signs */
    float way[3][CURVATURE_LANES] = {{0}};
    for (int axis = 0; axis < CURVATURE_LANES; axis++) {
        for (int i = 0; i < 3 && axis < CURVATURE_AXES; i++) {
            way[i][axis] = sign[axis] * curvature_axes[axis][i];
        }
        least[axis] = 2; /* more than any bound */
    }
    for (int face = 0; face < LEAF_FACES; face++) {
        for (int axis = 0; axis < CURVATURE_LANES; axis++) {
            float height =
                n[0].part[face] * way[0][axis] + (n[1].part[face] * way[1][axis] + n[2].part[face] * way[2][axis]);
            least[axis] = height < least[axis] ? height : least[axis];
        }
    }
    least[13] = -floats16_largest(size1);
    least[14] = -floats16_largest(size2);
#else
    floats16 values[CURVATURE_LANES];
    AXIS_DOTS(floats16_add, floats16_subtract, n[0], n[1], n[2], values);
    for (int axis = 0; axis < CURVATURE_AXES; axis++) {
        values[axis] = floats16_multiply(values[axis], floats16_set(sign[axis]));
    }
    values[13] = floats16_subtract(floats16_set(0), size1);
    values[14] = floats16_subtract(floats16_set(0), size2);
    values[15] = values[14];
    floats16_least_of_each(values, least);
#endif
}

static void leaf_curvature(const struct leaf_points *points, const struct leaf_corners *corners,
                           struct leaf_curvature *curvature)
{
    floats16 n[3], size1, size2;
    for (int k = 0; k < floats16_parts; k++) {
        struct floats3 p = pick_corner(points, corners->of[0] + k * FLOATS);
        struct floats3 first = floats3_subtract(pick_corner(points, corners->of[1] + k * FLOATS), p);
        struct floats3 second = floats3_subtract(pick_corner(points, corners->of[2] + k * FLOATS), p);
        struct floats3 normal = floats3_cross(first, second);
        n[0].part[k] = normal.x;
        n[1].part[k] = normal.y;
        n[2].part[k] = normal.z;
        size1.part[k] = floats3_sum(floats3_absolute(first));
        size2.part[k] = floats3_sum(floats3_absolute(second));
    }
    for (int axis = 0; axis < 3; axis++) {
        curvature->normal[axis] = floats16_sum(n[axis]);
    }
    float hint[CURVATURE_AXES], sign[CURVATURE_AXES];
    AXIS_DOTS(scalar_add, scalar_subtract, curvature->normal[0], curvature->normal[1], curvature->normal[2], hint);
    uint32_t positive = 0;
    for (int axis = 0; axis < CURVATURE_AXES; axis++) {
        positive |= (uint32_t)(hint[axis] > 0) << axis;
        sign[axis] = hint[axis] > 0 ? 1.0f : -1.0f;
    }
    _Alignas(64) float least[CURVATURE_LANES];
    least_along_axes(n, size1, size2, sign, least);
    curvature->mask = mask_of_least(least, positive);
}

static inline void copy_eight(float *to, const float *from)
{
    memcpy(to, from, 8 * sizeof *to);
}

/* Brings the vertices together, eight at a time whatever the length of a run; behind the last follows the first again.
 */
static void star_gather(const struct star_question *question, float *x, float *y, float *z)
{
    uint32_t placed = 0;
    for (uint32_t i = 0; i < question->run_count; i++) {
        const float *from = question->points + question->runs[i].slot;
        copy_eight(x + placed, from);
        copy_eight(y + placed, from + LEAF_VERTICES);
        copy_eight(z + placed, from + 2 * LEAF_VERTICES);
        if (question->runs[i].count > 8) {
            copy_eight(x + placed + 8, from + 8);
            copy_eight(y + placed + 8, from + LEAF_VERTICES + 8);
            copy_eight(z + placed + 8, from + 2 * LEAF_VERTICES + 8);
        }
        placed += question->runs[i].count;
    }
    floats16_store_any(x + placed, floats16_set(x[0]));
    floats16_store_any(y + placed, floats16_set(y[0]));
    floats16_store_any(z + placed, floats16_set(z[0]));
}

static float star_middle(const float *x, uint32_t count)
{
    floats16 lo = floats16_load(x), hi = lo;
    for (uint32_t i = CURVATURE_LANES; i < count; i += CURVATURE_LANES) {
        lo = floats16_least(lo, floats16_load(x + i));
        hi = floats16_most(hi, floats16_load(x + i));
    }
    return 0.5f * (floats16_smallest(lo) + floats16_largest(hi));
}

static void star(const struct star_question *question, struct star_answer *answer)
{
    uint32_t count = question->count,
             padded = star_room(count) - CURVATURE_LANES; /* more than count, less than count + 17 */
    float *x = question->xyz, *y = x + star_room(count), *z = y + star_room(count), middle[3];
    star_gather(question, x, y, z);
    const float *centre = question->centre;
    if (!centre) {
        middle[0] = star_middle(x, count);
        middle[1] = star_middle(y, count);
        middle[2] = star_middle(z, count);
        centre = middle;
    }
    floats16 e[3], f[3], reach = floats16_set(0);
    for (int axis = 0; axis < 3; axis++) {
        e[axis] = floats16_set(question->basis[0][axis]);
        f[axis] = floats16_set(question->basis[1][axis]);
    }
    for (uint32_t i = 0; i < padded; i += CURVATURE_LANES) {
        floats16 d[3];
        d[0] = floats16_subtract(floats16_load(x + i), floats16_set(centre[0]));
        d[1] = floats16_subtract(floats16_load(y + i), floats16_set(centre[1]));
        d[2] = floats16_subtract(floats16_load(z + i), floats16_set(centre[2]));
        reach = floats16_most(reach, sum_of_sizes(d));
        floats16_store(question->a + i,
                       floats16_add(floats16_add(floats16_multiply(e[0], d[0]), floats16_multiply(e[1], d[1])),
                                    floats16_multiply(e[2], d[2])));
        floats16_store(question->b + i,
                       floats16_add(floats16_add(floats16_multiply(f[0], d[0]), floats16_multiply(f[1], d[1])),
                                    floats16_multiply(f[2], d[2])));
    }
    const floats16 zero = floats16_set(0);
    floats16 turns = floats16_set(2); /* more than any turn that passes could need: |a|, |b| <= 4, bounds far below 1 */
    uint32_t rises = 0;
    for (uint32_t i = 0; i < count; i += CURVATURE_LANES) {
        floats16 a = floats16_load(question->a + i), b = floats16_load(question->b + i);
        floats16 next_a = floats16_load_any(question->a + i + 1), next_b = floats16_load_any(question->b + i + 1);
        uint32_t used = count - i >= CURVATURE_LANES ? 0xFFFFu : (1u << (count - i)) - 1;
        floats16 turn = floats16_subtract(floats16_multiply(a, next_b), floats16_multiply(next_a, b));
        turns = floats16_least(turns, floats16_choose(used, turn, turns));
        rises += (uint32_t)__builtin_popcount(floats16_less(a, zero) & ~floats16_less(next_a, zero) & used);
    }
    answer->least_turn = floats16_smallest(turns);
    answer->reach = floats16_largest(reach);
    answer->rises = rises;
}

#define CURVATURE_KERNELS_ROW                                                                                          \
    {                                                                                                                  \
        leaf_curvature, star                                                                                           \
    }
