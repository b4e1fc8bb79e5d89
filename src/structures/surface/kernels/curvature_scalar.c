/* Masks and stars without vector instructions: the reference row, and the tables of directions. See
 * curvature_kernels.h. */
#include "structures/surface/kernels/curvature_kernels.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

const int8_t curvature_axes[CURVATURE_AXES][3] = {{1, 0, 0},   {0, 1, 0},   {0, 0, 1}, {1, 1, 1},  {1, -1, -1},
                                                  {-1, 1, -1}, {-1, -1, 1}, {0, 1, 1}, {0, 1, -1}, {1, 0, 1},
                                                  {1, 0, -1},  {1, 1, 0},   {1, -1, 0}};

/* E x F is the direction itself; the opposite direction has them exchanged. */
const float curvature_bases[2 * CURVATURE_AXES][2][3] = {
    {{0, 1, 0}, {0, 0, 1}},  {{0, 0, 1}, {1, 0, 0}},  {{1, 0, 0}, {0, 1, 0}},  {{1, -1, 0}, {0, 1, -1}},
    {{0, 1, -1}, {1, 1, 0}}, {{0, 1, 1}, {1, 1, 0}},  {{1, -1, 0}, {0, 1, 1}}, {{1, 0, 0}, {0, 1, -1}},
    {{0, 1, 1}, {1, 0, 0}},  {{0, 1, 0}, {-1, 0, 1}}, {{0, 1, 0}, {1, 0, 1}},  {{0, 0, 1}, {1, -1, 0}},
    {{1, 1, 0}, {0, 0, 1}},

    {{0, 0, 1}, {0, 1, 0}},  {{1, 0, 0}, {0, 0, 1}},  {{0, 1, 0}, {1, 0, 0}},  {{0, 1, -1}, {1, -1, 0}},
    {{1, 1, 0}, {0, 1, -1}}, {{1, 1, 0}, {0, 1, 1}},  {{0, 1, 1}, {1, -1, 0}}, {{0, 1, -1}, {1, 0, 0}},
    {{1, 0, 0}, {0, 1, 1}},  {{-1, 0, 1}, {0, 1, 0}}, {{1, 0, 1}, {0, 1, 0}},  {{1, -1, 0}, {0, 0, 1}},
    {{0, 0, 1}, {1, 1, 0}},
};

typedef struct lanes {
    float at[CURVATURE_LANES];
} lanes;

#define LANES_ELEMENTWISE(name, expression)                                                                            \
    static inline lanes name(lanes a, lanes b)                                                                         \
    {                                                                                                                  \
        lanes result;                                                                                                  \
        for (int i = 0; i < CURVATURE_LANES; i++) {                                                                    \
            result.at[i] = (expression);                                                                               \
        }                                                                                                              \
        return result;                                                                                                 \
    }

LANES_ELEMENTWISE(lanes_add, a.at[i] + b.at[i])
LANES_ELEMENTWISE(lanes_subtract, a.at[i] - b.at[i])
LANES_ELEMENTWISE(lanes_multiply, a.at[i] * b.at[i])
LANES_ELEMENTWISE(lanes_least, a.at[i] < b.at[i] ? a.at[i] : b.at[i])
LANES_ELEMENTWISE(lanes_most, a.at[i] > b.at[i] ? a.at[i] : b.at[i])

static inline lanes lanes_load_any(const float *from)
{
    lanes result;
    for (int i = 0; i < CURVATURE_LANES; i++) {
        result.at[i] = from[i];
    }
    return result;
}
static inline lanes lanes_load(const float *from)
{
    return lanes_load_any(from);
}
static inline void lanes_store(float *to, lanes a)
{
    for (int i = 0; i < CURVATURE_LANES; i++) {
        to[i] = a.at[i];
    }
}
static inline void lanes_store_any(float *to, lanes a)
{
    lanes_store(to, a);
}
static inline void copy_eight(float *to, const float *from)
{
    memcpy(to, from, 8 * sizeof *to);
}
static inline lanes lanes_set(float a)
{
    lanes result;
    for (int i = 0; i < CURVATURE_LANES; i++) {
        result.at[i] = a;
    }
    return result;
}
static inline lanes lanes_sum_of_sizes(const lanes v[3])
{
    lanes result;
    for (int i = 0; i < CURVATURE_LANES; i++) {
        result.at[i] = fabsf(v[0].at[i]) + fabsf(v[1].at[i]) + fabsf(v[2].at[i]);
    }
    return result;
}
/* The order of the vector units: halves onto each other, four times. */
static inline float lanes_sum(lanes a)
{
    for (int half = CURVATURE_LANES / 2; half > 0; half /= 2) {
        for (int i = 0; i < half; i++) {
            a.at[i] += a.at[i + half];
        }
    }
    return a.at[0];
}
static inline float lanes_least_one(lanes a)
{
    float least = a.at[0];
    for (int i = 1; i < CURVATURE_LANES; i++) {
        least = a.at[i] < least ? a.at[i] : least;
    }
    return least;
}
static inline float lanes_most_one(lanes a)
{
    float most = a.at[0];
    for (int i = 1; i < CURVATURE_LANES; i++) {
        most = a.at[i] > most ? a.at[i] : most;
    }
    return most;
}
static inline uint32_t lanes_greater(const float values[CURVATURE_LANES], float bound)
{
    uint32_t bits = 0;
    for (int i = 0; i < CURVATURE_LANES; i++) {
        bits |= (uint32_t)(values[i] > bound) << i;
    }
    return bits;
}
static inline uint32_t lanes_negative(lanes a)
{
    uint32_t bits = 0;
    for (int i = 0; i < CURVATURE_LANES; i++) {
        bits |= (uint32_t)(a.at[i] < 0) << i;
    }
    return bits;
}
static inline lanes lanes_choose(uint32_t bits, lanes a, lanes b)
{
    for (int i = 0; i < CURVATURE_LANES; i++) {
        b.at[i] = bits >> i & 1 ? a.at[i] : b.at[i];
    }
    return b;
}

#define CURVATURE_LEAF_OF_ITS_OWN
#include "structures/surface/kernels/curvature_leaf.h"

/* Face by face, the axes side by side: the same sums as elsewhere, x + (y + z) with signs. */
static void leaf_curvature(const struct leaf_points *points, const struct leaf_corners *corners,
                           struct leaf_curvature *curvature)
{
    lanes n[3];
    float sizes[2] = {0, 0}, hint[CURVATURE_AXES], displacement[3][CURVATURE_LANES] = {{0}}, least[CURVATURE_LANES];
    for (int face = 0; face < LEAF_FACES; face++) {
        float e[2][3], size[2] = {0, 0};
        for (int axis = 0; axis < 3; axis++) {
            float p = points->x[axis][corners->of[0][face]];
            e[0][axis] = points->x[axis][corners->of[1][face]] - p;
            e[1][axis] = points->x[axis][corners->of[2][face]] - p;
            size[0] += fabsf(e[0][axis]);
            size[1] += fabsf(e[1][axis]);
        }
        sizes[0] = size[0] > sizes[0] ? size[0] : sizes[0];
        sizes[1] = size[1] > sizes[1] ? size[1] : sizes[1];
        n[0].at[face] = e[0][1] * e[1][2] - e[0][2] * e[1][1];
        n[1].at[face] = e[0][2] * e[1][0] - e[0][0] * e[1][2];
        n[2].at[face] = e[0][0] * e[1][1] - e[0][1] * e[1][0];
    }
    for (int axis = 0; axis < 3; axis++) {
        curvature->normal[axis] = lanes_sum(n[axis]);
    }
    AXIS_DOTS(scalar_add, scalar_subtract, curvature->normal[0], curvature->normal[1], curvature->normal[2], hint);
    uint32_t positive = 0;
    for (int axis = 0; axis < CURVATURE_AXES; axis++) {
        positive |= (uint32_t)(hint[axis] > 0) << axis;
        for (int i = 0; i < 3; i++) {
            displacement[i][axis] = (float)(hint[axis] > 0 ? curvature_axes[axis][i] : -curvature_axes[axis][i]);
        }
    }
    for (int axis = 0; axis < CURVATURE_LANES; axis++) {
        least[axis] = 2; /* more than any bound */
    }
    for (int face = 0; face < LEAF_FACES; face++) {
        for (int axis = 0; axis < CURVATURE_LANES; axis++) {
            float height = n[0].at[face] * displacement[0][axis] +
                           (n[1].at[face] * displacement[1][axis] + n[2].at[face] * displacement[2][axis]);
            least[axis] = height < least[axis] ? height : least[axis];
        }
    }
    least[13] = -sizes[0];
    least[14] = -sizes[1];
    curvature->mask = mask_of_least(least, positive);
}

const struct curvature_kernels curvature_kernels_scalar = {leaf_curvature, star};
