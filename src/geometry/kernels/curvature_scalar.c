/* Masks and stars without vector instructions: the reference row, and the tables of directions. See
 * curvature_kernels.h. */
#include "geometry/kernels/curvature_kernels.h"

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
static inline lanes lanes_pick(const float table[CURVATURE_LANES], const uint8_t *index)
{
    lanes result;
    for (int i = 0; i < CURVATURE_LANES; i++) {
        result.at[i] = table[index[i]];
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
static inline void lanes_least_of_each(const lanes values[CURVATURE_LANES], float least[CURVATURE_LANES])
{
    for (int i = 0; i < CURVATURE_LANES; i++) {
        least[i] = lanes_least_one(values[i]);
    }
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

#include "geometry/kernels/curvature_leaf.h"

const struct curvature_kernels curvature_kernels_scalar = {leaf_curvature, star};
