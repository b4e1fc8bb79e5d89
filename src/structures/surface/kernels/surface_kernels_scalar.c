/* The leaves of the surface forest without vector instructions: the reference row. Elementwise loops of fixed length
 * are left to the compiler; the two that decide anything stop as early as they can. */
#include "structures/surface/kernels/surface_kernels.h"

#include <math.h>

typedef struct wide_t {
    float at[16];
} wide_t;
typedef const uint8_t *wide_index;
typedef struct octet_t {
    double at[NARROW_BATCH];
} octet_t;

#define ELEMENTWISE(type, count, name, expression)                                                                     \
    static inline type name(type a, type b)                                                                            \
    {                                                                                                                  \
        type result;                                                                                                   \
        for (int i = 0; i < (count); i++) {                                                                            \
            result.at[i] = (expression);                                                                               \
        }                                                                                                              \
        return result;                                                                                                 \
    }

ELEMENTWISE(wide_t, 16, wide_add, a.at[i] + b.at[i])
ELEMENTWISE(wide_t, 16, wide_subtract, a.at[i] - b.at[i])
ELEMENTWISE(wide_t, 16, wide_multiply, a.at[i] * b.at[i])
ELEMENTWISE(wide_t, 16, wide_least, a.at[i] < b.at[i] ? a.at[i] : b.at[i])
ELEMENTWISE(wide_t, 16, wide_most, a.at[i] > b.at[i] ? a.at[i] : b.at[i])
ELEMENTWISE(octet_t, NARROW_BATCH, octet_add, a.at[i] + b.at[i])
ELEMENTWISE(octet_t, NARROW_BATCH, octet_subtract, a.at[i] - b.at[i])
ELEMENTWISE(octet_t, NARROW_BATCH, octet_multiply, a.at[i] * b.at[i])
ELEMENTWISE(octet_t, NARROW_BATCH, octet_least, a.at[i] < b.at[i] ? a.at[i] : b.at[i])
ELEMENTWISE(octet_t, NARROW_BATCH, octet_most, a.at[i] > b.at[i] ? a.at[i] : b.at[i])

static inline wide_t wide_load(const float *from)
{
    wide_t result;
    for (int i = 0; i < 16; i++) {
        result.at[i] = from[i];
    }
    return result;
}
static inline void wide_store(float *to, wide_t a)
{
    for (int i = 0; i < 16; i++) {
        to[i] = a.at[i];
    }
}
static inline wide_t wide_set(float a)
{
    wide_t result;
    for (int i = 0; i < 16; i++) {
        result.at[i] = a;
    }
    return result;
}
static inline wide_t wide_choose(uint32_t bits, wide_t a, wide_t b)
{
    for (int i = 0; i < 16; i++) {
        b.at[i] = bits >> i & 1 ? a.at[i] : b.at[i];
    }
    return b;
}
static inline uint32_t wide_less(wide_t a, wide_t b)
{
    uint32_t bits = 0;
    for (int i = 0; i < 16; i++) {
        bits |= (uint32_t)(a.at[i] < b.at[i]) << i;
    }
    return bits;
}
static inline wide_t wide_magnitude(wide_t a)
{
    for (int i = 0; i < 16; i++) {
        a.at[i] = fabsf(a.at[i]);
    }
    return a;
}
static inline void wide_range(wide_t a, float *least, float *most)
{
    float lo = a.at[0], hi = a.at[0];
    for (int i = 1; i < 16; i++) {
        lo = a.at[i] < lo ? a.at[i] : lo;
        hi = a.at[i] > hi ? a.at[i] : hi;
    }
    *least = lo;
    *most = hi;
}
static inline wide_index index_load(const uint8_t *from)
{
    return from;
}
static inline wide_t wide_pick(const float *table, wide_index index)
{
    wide_t result;
    for (int i = 0; i < 16; i++) {
        result.at[i] = table[index[i]];
    }
    return result;
}

static inline octet_t octet_load(const double *from)
{
    octet_t result;
    for (int i = 0; i < NARROW_BATCH; i++) {
        result.at[i] = from[i];
    }
    return result;
}
static inline octet_t octet_set(double a)
{
    octet_t result;
    for (int i = 0; i < NARROW_BATCH; i++) {
        result.at[i] = a;
    }
    return result;
}
static inline octet_t octet_magnitude(octet_t a)
{
    for (int i = 0; i < NARROW_BATCH; i++) {
        a.at[i] = fabs(a.at[i]);
    }
    return a;
}
static inline octet_t octet_choose(uint32_t bits, octet_t a, octet_t b)
{
    for (int i = 0; i < NARROW_BATCH; i++) {
        b.at[i] = bits >> i & 1 ? a.at[i] : b.at[i];
    }
    return b;
}
static inline uint32_t octet_less(octet_t a, octet_t b)
{
    uint32_t bits = 0;
    for (int i = 0; i < NARROW_BATCH; i++) {
        bits |= (uint32_t)(a.at[i] < b.at[i]) << i;
    }
    return bits;
}

/* Faces among `asked` whose boxes meet the one given. */
static inline uint32_t boxes_in_row(const struct leaf_side *boxes, const float lo[3], const float hi[3], uint32_t asked)
{
    uint32_t found = 0;
    for (; asked; asked &= asked - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(asked);
        if (boxes->lo[0][i] <= hi[0] && lo[0] <= boxes->hi[0][i] && boxes->lo[1][i] <= hi[1] &&
            lo[1] <= boxes->hi[1][i] && boxes->lo[2][i] <= hi[2] && lo[2] <= boxes->hi[2][i]) {
            found |= 1u << i;
        }
    }
    return found;
}

struct vertex_sets {
    const uint8_t (*corners)[LEAF_FACES];
};

static inline struct vertex_sets vertex_sets_of(const uint8_t (*corners)[LEAF_FACES])
{
    return (struct vertex_sets){corners};
}

/* Faces among `asked` of a leaf, all of whose corners are strictly on one side of a plane. */
static inline uint32_t faces_beyond(const struct leaf_side *planes, uint32_t plane, float reach,
                                    const struct leaf_points *points, const struct vertex_sets *sets, uint32_t asked)
{
    float px = planes->base[0][plane], py = planes->base[1][plane], pz = planes->base[2][plane];
    float nx = planes->normal[0][plane], ny = planes->normal[1][plane], nz = planes->normal[2][plane];
    float bound = planes->slope[plane] * reach + planes->floor[plane];
    uint32_t found = 0;
    for (; asked; asked &= asked - 1) {
        uint32_t face = (uint32_t)__builtin_ctz(asked);
        int above = 0, below = 0;
        for (int corner = 0; corner < 3; corner++) {
            uint8_t vertex = sets->corners[corner][face];
            float x = points->x[0][vertex] - px, y = points->x[1][vertex] - py, z = points->x[2][vertex] - pz;
            float side = (x * nx + y * ny) + z * nz;
            above += side > bound;
            below += side < -bound;
        }
        found |= (uint32_t)(above == 3 || below == 3) << face;
    }
    return found;
}

static void load_points(const uint32_t vertices[LEAF_VERTICES], const double (*xyz)[3], const struct forest_map *map,
                        struct leaf_points *points)
{
    for (int i = 0; i < LEAF_VERTICES; i++) {
        const double *from = xyz[vertices[i]];
        for (int axis = 0; axis < 3; axis++) {
            points->x[axis][i] = (float)((from[axis] - map->centre[axis]) * map->first * map->second);
        }
    }
}

static uint32_t meet_volumes(float *const *lo, float *const *hi, uint32_t offset, int axis_count, const float *box_lo,
                             const float *box_hi)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < 16; i++) {
        int axis = 0;
        while (axis < axis_count && lo[axis][offset + i] <= box_hi[axis] && box_lo[axis] <= hi[axis][offset + i]) {
            axis++;
        }
        found |= (uint32_t)(axis == axis_count) << i;
    }
    return found;
}

#include "structures/surface/kernels/surface_leaf.h"

const struct surface_kernels surface_kernels_scalar = SURFACE_KERNELS_ROW;
