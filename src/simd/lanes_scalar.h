/* One lane: plain C, the reference that the other instruction sets are compared with. See lanes.h. */
#ifndef DENT_SIMD_LANES_SCALAR_H
#define DENT_SIMD_LANES_SCALAR_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#define FLOATS 1
#define DOUBLES 1

typedef float floats;
typedef double doubles;
typedef int32_t floats_mask; /* 0 or 1; as wide as a float, for loops over many that a compiler may turn into vectors */
typedef bool doubles_mask;

#define LANES_SCALAR(T, E, magnitude, square_root)                                                                     \
    static inline T T##_set(E x)                                                                                       \
    {                                                                                                                  \
        return x;                                                                                                      \
    }                                                                                                                  \
    static inline T T##_load(const E *from)                                                                            \
    {                                                                                                                  \
        return *from;                                                                                                  \
    }                                                                                                                  \
    static inline T T##_load_any(const E *from)                                                                        \
    {                                                                                                                  \
        return *from;                                                                                                  \
    }                                                                                                                  \
    static inline void T##_store(E *to, T a)                                                                           \
    {                                                                                                                  \
        *to = a;                                                                                                       \
    }                                                                                                                  \
    static inline void T##_store_any(E *to, T a)                                                                       \
    {                                                                                                                  \
        *to = a;                                                                                                       \
    }                                                                                                                  \
    static inline T T##_least(T a, T b)                                                                                \
    {                                                                                                                  \
        return a < b ? a : b;                                                                                          \
    }                                                                                                                  \
    static inline T T##_most(T a, T b)                                                                                 \
    {                                                                                                                  \
        return a > b ? a : b;                                                                                          \
    }                                                                                                                  \
    static inline T T##_absolute(T a)                                                                                  \
    {                                                                                                                  \
        return magnitude(a);                                                                                           \
    }                                                                                                                  \
    static inline T T##_root(T a)                                                                                      \
    {                                                                                                                  \
        return square_root(a);                                                                                         \
    }                                                                                                                  \
    static inline T##_mask T##_less(T a, T b)                                                                          \
    {                                                                                                                  \
        return a < b;                                                                                                  \
    }                                                                                                                  \
    static inline T##_mask T##_greater(T a, T b)                                                                       \
    {                                                                                                                  \
        return a > b;                                                                                                  \
    }                                                                                                                  \
    static inline T##_mask T##_less_equal(T a, T b)                                                                    \
    {                                                                                                                  \
        return a <= b;                                                                                                 \
    }                                                                                                                  \
    static inline T##_mask T##_equal(T a, T b)                                                                         \
    {                                                                                                                  \
        return a == b;                                                                                                 \
    }                                                                                                                  \
    static inline T##_mask T##_ordered(T a, T b)                                                                       \
    {                                                                                                                  \
        return (a == a) & (b == b);                                                                                    \
    }                                                                                                                  \
    static inline T##_mask T##_less_equal_within(T##_mask mask, T a, T b)                                              \
    {                                                                                                                  \
        return mask && a <= b;                                                                                         \
    }                                                                                                                  \
    static inline T T##_choose(T##_mask mask, T a, T b)                                                                \
    {                                                                                                                  \
        return mask ? a : b;                                                                                           \
    }                                                                                                                  \
    static inline T##_mask T##_mask_and(T##_mask a, T##_mask b)                                                        \
    {                                                                                                                  \
        return a & b;                                                                                                  \
    }                                                                                                                  \
    static inline T##_mask T##_mask_or(T##_mask a, T##_mask b)                                                         \
    {                                                                                                                  \
        return a | b;                                                                                                  \
    }                                                                                                                  \
    static inline T##_mask T##_mask_and_not(T##_mask a, T##_mask b)                                                    \
    {                                                                                                                  \
        return a & !b;                                                                                                 \
    }                                                                                                                  \
    static inline T##_mask T##_mask_not(T##_mask a)                                                                    \
    {                                                                                                                  \
        return !a;                                                                                                     \
    }                                                                                                                  \
    static inline T##_mask T##_mask_all(void)                                                                          \
    {                                                                                                                  \
        return true;                                                                                                   \
    }                                                                                                                  \
    static inline T##_mask T##_mask_nothing(void)                                                                      \
    {                                                                                                                  \
        return false;                                                                                                  \
    }                                                                                                                  \
    static inline T##_mask T##_mask_first(uint32_t count)                                                              \
    {                                                                                                                  \
        return count > 0;                                                                                              \
    }                                                                                                                  \
    static inline uint32_t T##_mask_bits(T##_mask mask)                                                                \
    {                                                                                                                  \
        return (uint32_t)mask;                                                                                         \
    }                                                                                                                  \
    static inline T##_mask T##_mask_of_bits(uint32_t bits)                                                             \
    {                                                                                                                  \
        return (bits & 1) != 0;                                                                                        \
    }                                                                                                                  \
    static inline bool T##_mask_none(T##_mask mask)                                                                    \
    {                                                                                                                  \
        return !mask;                                                                                                  \
    }                                                                                                                  \
    static inline E T##_sum(T a)                                                                                       \
    {                                                                                                                  \
        return a;                                                                                                      \
    }                                                                                                                  \
    static inline E T##_smallest(T a)                                                                                  \
    {                                                                                                                  \
        return a;                                                                                                      \
    }                                                                                                                  \
    static inline E T##_largest(T a)                                                                                   \
    {                                                                                                                  \
        return a;                                                                                                      \
    }

LANES_SCALAR(floats, float, fabsf, sqrtf)
LANES_SCALAR(doubles, double, fabs, sqrt)

static inline void floats_least_of_each(const floats values[FLOATS], float least[FLOATS])
{
    least[0] = values[0];
}

/* ---- picking from a table ---------------------------------------------------------------------------------------- */

typedef uint8_t floats_index;
typedef const float *floats_table16, *floats_table32; /* stays where it is */

static inline floats_index floats_index_load(const uint8_t *from)
{
    return *from;
}

static inline floats_index floats_index_of_byte(const uint32_t *words, int k)
{
    return (uint8_t)(*words >> 8 * k);
}

static inline floats_table16 floats_table16_load(const float *from)
{
    return from;
}

static inline floats floats_table16_pick(floats_table16 table, floats_index index)
{
    return table[index];
}

static inline floats_table32 floats_table32_load(const float *from)
{
    return from;
}

static inline floats floats_table32_pick(floats_table32 table, floats_index index)
{
    return table[index];
}

/* Words whose lanes have their bit set come to the front of `to`, which has room for all lanes; returns how many. */
static inline uint32_t doubles_keep_words(uint32_t *to, const uint32_t *words, uint32_t bits)
{
    *to = *words;
    return bits;
}

/* ---- rows become columns ----------------------------------------------------------------------------------------- */

static inline doubles doubles_load_floats(const float *from)
{
    return (double)*from;
}

/* Without loops: what is moved stays in registers. */
static inline void doubles_columns4(const double *const rows[DOUBLES], doubles columns[4])
{
    columns[0] = rows[0][0];
    columns[1] = rows[0][1];
    columns[2] = rows[0][2];
    columns[3] = rows[0][3];
}

static inline void doubles_columns8(const double *const rows[DOUBLES], doubles columns[8])
{
    const double *const behind[DOUBLES] = {rows[0] + 4};
    doubles_columns4(rows, columns);
    doubles_columns4(behind, columns + 4);
}

/* x -> float((x - centre) * first * second), axis by axis. */
struct row_rounding {
    double centre[3], first, second;
};

static inline struct row_rounding row_rounding_of(const double centre[3], double first, double second)
{
    return (struct row_rounding){{centre[0], centre[1], centre[2]}, first, second};
}

/* Four points become four numbers of each column; x, y, z are aligned to 16 bytes. Reads the double behind each point. */
static inline void round_four_rows(const struct row_rounding *map, const double *a, const double *b, const double *c,
                                   const double *d, float *x, float *y, float *z)
{
    const double *const rows[4] = {a, b, c, d};
    for (int i = 0; i < 4; i++) {
        x[i] = (float)((rows[i][0] - map->centre[0]) * map->first * map->second);
        y[i] = (float)((rows[i][1] - map->centre[1]) * map->first * map->second);
        z[i] = (float)((rows[i][2] - map->centre[2]) * map->first * map->second);
    }
}

/* ---- sixteen sets of sixteen bits -------------------------------------------------------------------------------- */

/* Set i holds the three bits corners[0][i], corners[1][i], corners[2][i], all below 16. */
typedef struct bit_sets {
    const uint8_t (*corners)[16];
} bit_sets;

static inline bit_sets bit_sets_of_corners(const uint8_t (*corners)[16])
{
    return (bit_sets){corners};
}

/* Those of the sets `asked` that have no bit in common with `bits`. */
static inline uint32_t bit_sets_without(bit_sets sets, uint32_t bits, uint32_t asked)
{
    uint32_t found = 0;
    for (; asked; asked &= asked - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(asked);
        uint32_t any = bits >> sets.corners[0][i] | bits >> sets.corners[1][i] | bits >> sets.corners[2][i];
        found |= (~any & 1) << i;
    }
    return found;
}

#include "simd/lanes.h"

#endif
