/* The two kernels of curvature_kernels.h over lanes of sixteen floats; included by each instruction set after its
 * lanes. The same operations in the same order everywhere; least, most and counts do not depend on an order. */

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
    uint32_t beyond = lanes_greater(least, (float)(bound * (1 + 0x1p-20))) & ((1u << CURVATURE_AXES) - 1);
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

#ifndef CURVATURE_LEAF_OF_ITS_OWN
static void leaf_curvature(const struct leaf_points *points, const struct leaf_corners *corners,
                           struct leaf_curvature *curvature)
{
    lanes p[3], first[3], second[3];
    for (int axis = 0; axis < 3; axis++) {
        p[axis] = lanes_pick(points->x[axis], corners->of[0]);
        first[axis] = lanes_subtract(lanes_pick(points->x[axis], corners->of[1]), p[axis]);
        second[axis] = lanes_subtract(lanes_pick(points->x[axis], corners->of[2]), p[axis]);
    }
    lanes n[3];
    for (int axis = 0; axis < 3; axis++) {
        int next = axis == 2 ? 0 : axis + 1, last = axis == 0 ? 2 : axis - 1;
        n[axis] = lanes_subtract(lanes_multiply(first[next], second[last]), lanes_multiply(first[last], second[next]));
        curvature->normal[axis] = lanes_sum(n[axis]);
    }
    float hint[CURVATURE_AXES];
    AXIS_DOTS(scalar_add, scalar_subtract, curvature->normal[0], curvature->normal[1], curvature->normal[2], hint);
    lanes values[CURVATURE_LANES];
    AXIS_DOTS(lanes_add, lanes_subtract, n[0], n[1], n[2], values);
    uint32_t positive = 0;
    for (int axis = 0; axis < CURVATURE_AXES; axis++) {
        positive |= (uint32_t)(hint[axis] > 0) << axis;
        values[axis] = lanes_multiply(values[axis], lanes_set(hint[axis] > 0 ? 1.0f : -1.0f));
    }
    values[13] = lanes_subtract(lanes_set(0), lanes_sum_of_sizes(first));
    values[14] = lanes_subtract(lanes_set(0), lanes_sum_of_sizes(second));
    values[15] = values[14];
    _Alignas(64) float least[CURVATURE_LANES];
    lanes_least_of_each(values, least);
    curvature->mask = mask_of_least(least, positive);
}
#endif

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
    lanes_store_any(x + placed, lanes_set(x[0]));
    lanes_store_any(y + placed, lanes_set(y[0]));
    lanes_store_any(z + placed, lanes_set(z[0]));
}

static float star_middle(const float *x, uint32_t count)
{
    lanes lo = lanes_load(x), hi = lo;
    for (uint32_t i = CURVATURE_LANES; i < count; i += CURVATURE_LANES) {
        lo = lanes_least(lo, lanes_load(x + i));
        hi = lanes_most(hi, lanes_load(x + i));
    }
    return 0.5f * (lanes_least_one(lo) + lanes_most_one(hi));
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
    lanes e[3], f[3], reach = lanes_set(0);
    for (int axis = 0; axis < 3; axis++) {
        e[axis] = lanes_set(question->basis[0][axis]);
        f[axis] = lanes_set(question->basis[1][axis]);
    }
    for (uint32_t i = 0; i < padded; i += CURVATURE_LANES) {
        lanes d[3];
        d[0] = lanes_subtract(lanes_load(x + i), lanes_set(centre[0]));
        d[1] = lanes_subtract(lanes_load(y + i), lanes_set(centre[1]));
        d[2] = lanes_subtract(lanes_load(z + i), lanes_set(centre[2]));
        reach = lanes_most(reach, lanes_sum_of_sizes(d));
        lanes_store(question->a + i, lanes_add(lanes_add(lanes_multiply(e[0], d[0]), lanes_multiply(e[1], d[1])),
                                               lanes_multiply(e[2], d[2])));
        lanes_store(question->b + i, lanes_add(lanes_add(lanes_multiply(f[0], d[0]), lanes_multiply(f[1], d[1])),
                                               lanes_multiply(f[2], d[2])));
    }
    lanes turns = lanes_set(2); /* more than any turn that passes could need: |a|, |b| <= 4, bounds far below 1 */
    uint32_t rises = 0;
    for (uint32_t i = 0; i < count; i += CURVATURE_LANES) {
        lanes a = lanes_load(question->a + i), b = lanes_load(question->b + i);
        lanes next_a = lanes_load_any(question->a + i + 1), next_b = lanes_load_any(question->b + i + 1);
        uint32_t used = count - i >= CURVATURE_LANES ? 0xFFFFu : (1u << (count - i)) - 1;
        lanes turn = lanes_subtract(lanes_multiply(a, next_b), lanes_multiply(next_a, b));
        turns = lanes_least(turns, lanes_choose(used, turn, turns));
        rises += (uint32_t)__builtin_popcount(lanes_negative(a) & ~lanes_negative(next_a) & used);
    }
    answer->least_turn = lanes_least_one(turns);
    answer->reach = lanes_most_one(reach);
    answer->rises = rises;
}
