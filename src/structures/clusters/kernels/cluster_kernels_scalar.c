/* The leaves of the cluster search, one lane: the reference row. */
#include "structures/clusters/kernels/cluster_kernels.h"

#include <math.h>

#define LANE_COUNT 1
enum { LANES = LANE_COUNT };

typedef float lanes;
typedef uint8_t lane_index;
struct lane_table {
    const float *from;
};

static inline lanes lanes_load(const float *from)
{
    return *from;
}
static inline void lanes_store(float *to, lanes a)
{
    *to = a;
}
static inline lanes lanes_set(float a)
{
    return a;
}
static inline lanes lanes_add(lanes a, lanes b)
{
    return a + b;
}
static inline lanes lanes_subtract(lanes a, lanes b)
{
    return a - b;
}
static inline lanes lanes_multiply(lanes a, lanes b)
{
    return a * b;
}
static inline lanes lanes_least(lanes a, lanes b)
{
    return a < b ? a : b;
}
static inline lanes lanes_most(lanes a, lanes b)
{
    return a > b ? a : b;
}
static inline uint32_t lanes_less(lanes a, lanes b)
{
    return a < b;
}
static inline uint32_t lanes_ordered6(const lanes small[6], const lanes large[6])
{
    return small[0] <= large[0] && small[1] <= large[1] && small[2] <= large[2] && small[3] <= large[3] &&
           small[4] <= large[4] && small[5] <= large[5];
}
static inline lanes lanes_choose(uint32_t bits, lanes a, lanes b)
{
    return bits & 1 ? a : b;
}

static inline void lanes_sum4(lanes a, lanes b, lanes c, lanes d, float out[4])
{
    out[0] = a;
    out[1] = b;
    out[2] = c;
    out[3] = d;
}

static inline void lanes_least4(lanes a, lanes b, lanes c, lanes d, float out[4])
{
    lanes_sum4(a, b, c, d, out);
}
static inline lanes lanes_of_shorts(const int16_t *from)
{
    return *from;
}
static inline void lanes_to_shorts(uint16_t *to, lanes a)
{
    *to = (uint16_t)a;
}

/* Four points in a word, fifteen bits each below a guard bit. */
struct short_table {
    uint64_t words[CLUSTER_VERTICES / 4];
};
#define GUARDS UINT64_C(0x8000800080008000)
#define EVERY_QUARTER UINT64_C(0x0001000100010001)

static inline struct short_table shorts_load(const uint16_t *from)
{
    struct short_table table;
    for (int i = 0; i < CLUSTER_VERTICES / 4; i++) {
        table.words[i] = (uint64_t)from[4 * i] | (uint64_t)from[4 * i + 1] << 16 | (uint64_t)from[4 * i + 2] << 32 |
                         (uint64_t)from[4 * i + 3] << 48;
    }
    return table;
}

/* A guard bit survives a difference that is not negative. */
static inline uint32_t shorts_in_box(const struct short_table x[3], const uint16_t lo[3], const uint16_t hi[3])
{
    uint64_t least[3], most[3];
    uint32_t found = 0;
    for (int axis = 0; axis < 3; axis++) {
        least[axis] = lo[axis] * EVERY_QUARTER;
        most[axis] = hi[axis] * EVERY_QUARTER | GUARDS;
    }
    for (int i = 0; i < CLUSTER_VERTICES / 4; i++) {
        uint64_t a = x[0].words[i], b = x[1].words[i], c = x[2].words[i];
        uint64_t inside = ((a | GUARDS) - least[0]) & (most[0] - a) & ((b | GUARDS) - least[1]) & (most[1] - b) &
                          ((c | GUARDS) - least[2]) & (most[2] - c) & GUARDS;
        inside >>= 15;
        found |= (uint32_t)((inside | inside >> 15 | inside >> 30 | inside >> 45) & 15) << 4 * i;
    }
    return found;
}

/* The same for boxes: which of the first `count` meet the one from lo to hi. */
static inline uint32_t shorts_meet_box(const struct short_table box_lo[3], const struct short_table box_hi[3],
                                       const uint16_t lo[3], const uint16_t hi[3], uint32_t count)
{
    uint64_t least[3], most[3];
    uint32_t found = 0;
    for (int axis = 0; axis < 3; axis++) {
        least[axis] = lo[axis] * EVERY_QUARTER;
        most[axis] = hi[axis] * EVERY_QUARTER | GUARDS;
    }
    for (uint32_t i = 0; 4 * i < count; i++) {
        uint64_t inside = ((box_hi[0].words[i] | GUARDS) - least[0]) & (most[0] - box_lo[0].words[i]) &
                          ((box_hi[1].words[i] | GUARDS) - least[1]) & (most[1] - box_lo[1].words[i]) &
                          ((box_hi[2].words[i] | GUARDS) - least[2]) & (most[2] - box_lo[2].words[i]) & GUARDS;
        inside >>= 15;
        found |= (uint32_t)((inside | inside >> 15 | inside >> 30 | inside >> 45) & 15) << 4 * i;
    }
    return count < CLUSTER_VERTICES ? found & ((1u << count) - 1) : found;
}
static inline lanes lanes_root(lanes a)
{
    return sqrtf(a);
}
static inline uint32_t lanes_with_bits(const uint32_t *words, uint32_t bits)
{
    return (*words & bits) != 0;
}
static inline uint32_t lanes_equal_to(const uint32_t *words, uint32_t word)
{
    return *words == word;
}
/* Which of 32 words are a, b or c. */
static inline uint32_t words_equal_to_one(const uint32_t words[CLUSTER_VERTICES], uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t found = 0;
    for (int i = 0; i < CLUSTER_VERTICES; i++) {
        found |= (uint32_t)((words[i] == a) | (words[i] == b) | (words[i] == c)) << i;
    }
    return found;
}

static inline struct lane_table table_load(const float *from)
{
    return (struct lane_table){from};
}
static inline lane_index index_load(const uint8_t *from)
{
    return *from;
}
static inline lane_index index_of_corner(const uint32_t *from, int k)
{
    return (lane_index)cluster_corner(*from, k);
}
static inline lanes table_pick(struct lane_table table, lane_index index)
{
    return table.from[index];
}

static void load_points(const struct cluster *cluster, const double (*xyz)[3], const double centre[3], double scale,
                        struct cluster_points *points)
{
    for (int i = 0; i < cluster->vertex_count; i++) {
        const double *from = xyz[cluster->vertices[i]];
        for (int axis = 0; axis < 3; axis++) {
            points->x[axis][i] = (float)((from[axis] - centre[axis]) * scale);
        }
    }
    for (int i = cluster->vertex_count; i < CLUSTER_VERTICES; i++) {
        for (int axis = 0; axis < 3; axis++) {
            points->x[axis][i] = points->x[axis][0];
        }
    }
}

#include "structures/clusters/kernels/cluster_leaf.h"
#include "structures/clusters/kernels/cluster_leaf_faces.h"
#include "structures/clusters/kernels/cluster_strain.h"

const struct cluster_kernels cluster_kernels_scalar = CLUSTER_KERNELS_ROW;
