/* The leaves of the cluster search, one lane: the reference row. */
#include "geometry/kernels/cluster_kernels.h"

#include <math.h>

enum { LANES = 1 };

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
static inline uint32_t lanes_not_more(lanes a, lanes b)
{
    return a <= b;
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

struct short_table {
    const uint16_t *from;
};
static inline struct short_table shorts_load(const uint16_t *from)
{
    return (struct short_table){from};
}
static inline uint32_t shorts_in_box(const struct short_table x[3], const uint16_t lo[3], const uint16_t hi[3])
{
    uint32_t found = 0;
    for (int i = 0; i < CLUSTER_VERTICES; i++) {
        bool inside = x[0].from[i] >= lo[0] && x[0].from[i] <= hi[0] && x[1].from[i] >= lo[1] && x[1].from[i] <= hi[1] &&
                      x[2].from[i] >= lo[2] && x[2].from[i] <= hi[2];
        found |= (uint32_t)inside << i;
    }
    return found;
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

#include "geometry/kernels/cluster_leaf.h"
#include "geometry/kernels/cluster_strain.h"

const struct cluster_kernels cluster_kernels_scalar = CLUSTER_KERNELS_ROW;
