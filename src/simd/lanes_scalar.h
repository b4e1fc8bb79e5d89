/* One lane: plain C, the reference that the other instruction sets are compared with. See lanes.h. */
#ifndef DENT_SIMD_LANES_SCALAR_H
#define DENT_SIMD_LANES_SCALAR_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <string.h>

#include "simd/lanes_define.h"

#define FLOATS 1
#define DOUBLES 1

typedef float floats;
typedef double doubles;
typedef int32_t floats_mask; /* 0 or 1; as wide as a float, for loops over many that a compiler may turn into vectors */
typedef bool doubles_mask;

#define LANES_SCALAR(T, E, magnitude, square_root)                                                                     \
    LANES_FUNCTION(T, T##_set, (E x), x)                                                                               \
    LANES_FUNCTION(T, T##_load, (const E *from), *from)                                                                \
    LANES_FUNCTION(T, T##_load_any, (const E *from), *from)                                                            \
    static inline void T##_store(E *to, T a)                                                                           \
    {                                                                                                                  \
        *to = a;                                                                                                       \
    }                                                                                                                  \
    static inline void T##_store_any(E *to, T a)                                                                       \
    {                                                                                                                  \
        *to = a;                                                                                                       \
    }                                                                                                                  \
    LANES_FUNCTION(T, T##_least, (T a, T b), a < b ? a : b)                                                            \
    LANES_FUNCTION(T, T##_most, (T a, T b), a > b ? a : b)                                                             \
    LANES_FUNCTION(T, T##_absolute, (T a), magnitude(a))                                                               \
    LANES_FUNCTION(T, T##_root, (T a), square_root(a))                                                                 \
    LANES_FUNCTION(T##_mask, T##_less, (T a, T b), a < b)                                                              \
    LANES_FUNCTION(T##_mask, T##_greater, (T a, T b), a > b)                                                           \
    LANES_FUNCTION(T##_mask, T##_less_equal, (T a, T b), a <= b)                                                       \
    LANES_FUNCTION(T##_mask, T##_equal, (T a, T b), a == b)                                                            \
    LANES_FUNCTION(T##_mask, T##_ordered, (T a, T b), (a == a) & (b == b))                                             \
    LANES_FUNCTION(T##_mask, T##_less_equal_within, (T##_mask mask, T a, T b), mask &&a <= b)                          \
    LANES_FUNCTION(T, T##_choose, (T##_mask mask, T a, T b), mask ? a : b)                                             \
    LANES_FUNCTION(T##_mask, T##_mask_and, (T##_mask a, T##_mask b), a &b)                                             \
    LANES_FUNCTION(T##_mask, T##_mask_or, (T##_mask a, T##_mask b), a | b)                                             \
    LANES_FUNCTION(T##_mask, T##_mask_and_not, (T##_mask a, T##_mask b), a & !b)                                       \
    LANES_FUNCTION(T##_mask, T##_mask_not, (T##_mask a), !a)                                                           \
    LANES_FUNCTION(T##_mask, T##_mask_all, (void), true)                                                               \
    LANES_FUNCTION(T##_mask, T##_mask_nothing, (void), false)                                                          \
    LANES_FUNCTION(T##_mask, T##_mask_first, (uint32_t count), count > 0)                                              \
    LANES_FUNCTION(uint32_t, T##_mask_bits, (T##_mask mask), (uint32_t)mask)                                           \
    LANES_FUNCTION(T##_mask, T##_mask_of_bits, (uint32_t bits), (bits & 1) != 0)                                       \
    LANES_FUNCTION(bool, T##_mask_none, (T##_mask mask), !mask)                                                        \
    LANES_FUNCTION(E, T##_sum, (T a), a)                                                                               \
    LANES_FUNCTION(E, T##_smallest, (T a), a)                                                                          \
    LANES_FUNCTION(E, T##_largest, (T a), a)

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

/* a * b + c, rounded twice. */
static inline doubles doubles_multiply_add(doubles a, doubles b, doubles c)
{
    return a * b + c;
}

/* The lowest five bits of an index count. */
typedef uint8_t doubles_index;

static inline doubles_index doubles_index_load(const uint8_t *from)
{
    return *from & 31;
}

static inline doubles_index doubles_index_of_byte(const uint32_t *words, int k)
{
    return *words >> 8 * k & 31;
}

static inline doubles doubles_pick32(const double table[32], doubles_index index)
{
    return table[index];
}

/* The lanes of the mask; 0 in the others, which are not read. */
static inline doubles doubles_load_within(doubles_mask mask, const double *from)
{
    return mask ? *from : 0;
}

/* The 64 bits of a double, for arithmetic on exponents. */
typedef uint64_t doubles_bits;

static inline doubles_bits doubles_to_bits(doubles a)
{
    doubles_bits bits;
    memcpy(&bits, &a, sizeof bits);
    return bits;
}

static inline doubles doubles_of_bits(doubles_bits bits)
{
    doubles a;
    memcpy(&a, &bits, sizeof a);
    return a;
}

/* Words whose lanes have their bit set come to the front of `to`, which has room for all lanes; returns how many. */
static inline uint32_t doubles_keep_words(uint32_t *to, const uint32_t *from, uint32_t bits)
{
    *to = *from;
    return bits;
}

/* ---- rows become columns ----------------------------------------------------------------------------------------- */

static inline void doubles_rows4(const doubles columns[4], double *rows)
{
    memcpy(rows, columns, 4 * sizeof *rows);
}

static inline void doubles_columns4_of_floats(const float *const rows[DOUBLES], doubles columns[4])
{
    for (int k = 0; k < 4; k++) {
        columns[k] = (double)rows[0][k];
    }
}

static inline void floats_columns4(const float *const rows[FLOATS], floats columns[4])
{
    memcpy(columns, rows[0], 4 * sizeof *columns);
}

static inline void floats_rows4(const floats columns[4], float *rows)
{
    memcpy(rows, columns, 4 * sizeof *rows);
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

/* Sixteen numbers, rows into columns. */
static inline void doubles_transpose4(doubles rows[4][4 / DOUBLES], doubles columns[4][4 / DOUBLES])
{
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 4; j++) {
            columns[j][i] = rows[i][j];
        }
    }
}

static inline void doubles_load_pairs(const double *const pairs[DOUBLES], doubles *first, doubles *second)
{
    *first = pairs[0][0];
    *second = pairs[0][1];
}

static inline void doubles_store_pairs(double *const pairs[DOUBLES], doubles first, doubles second)
{
    pairs[0][0] = first;
    pairs[0][1] = second;
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

/* ---- words: as many numbers of 32 bits ------------------------------------------------------- */

typedef uint32_t words;

static inline words words_load(const uint32_t *from)
{
    return *from;
}
static inline words words_load_any(const uint32_t *from)
{
    return *from;
}
static inline void words_store(uint32_t *to, words a)
{
    *to = a;
}
static inline void words_store_any(uint32_t *to, words a)
{
    *to = a;
}
static inline words words_set(uint32_t a)
{
    return a;
}
/* 0, 1, 2 ... */
static inline words words_count_up(void)
{
    return 0;
}
static inline words words_add(words a, words b)
{
    return a + b;
}
static inline words words_and(words a, words b)
{
    return a & b;
}
static inline words words_or(words a, words b)
{
    return a | b;
}
static inline words words_shift_right(words a, int count)
{
    return a >> count;
}
static inline words words_shift_right_each(words a, words counts)
{
    return a >> counts;
}
static inline words words_shift_left_each(words a, words counts)
{
    return a << counts;
}
static inline words words_choose(floats_mask mask, words a, words b)
{
    return mask ? a : b;
}
static inline floats_mask words_equal(words a, words b)
{
    return a == b;
}
static inline floats_mask words_less(words a, words b)
{
    return a < b;
}
/* Lanes with a bit in common. */
static inline floats_mask words_meet(words a, words b)
{
    return (a & b) != 0;
}
/* Lanes of the mask without one. */
static inline floats_mask words_disjoint_within(floats_mask mask, words a, words b)
{
    return mask && !(a & b);
}

/* ---- tables of words ------------------------------------------------------------------------- */

static inline floats_index floats_index_of_byte(words a, int k)
{
    return (floats_index)(a >> 8 * k);
}
static inline words words_pick32(const uint32_t table[32], floats_index index)
{
    return table[index];
}
static inline words words_pick48(const uint32_t table[48], words index)
{
    return table[index];
}

/* ---- loads of some lanes, and keeping some --------------------------------------------------- */

static inline floats floats_load_within(floats_mask mask, const float *from)
{
    return mask ? *from : 0;
}
static inline words words_load_within(floats_mask mask, const uint32_t *from)
{
    return mask ? *from : 0;
}

/* Which lanes are kept. They are stored one behind the other, FLOATS numbers are written. */
typedef uint32_t floats_order;
static inline floats_order floats_order_of_bits(uint32_t bits)
{
    return bits;
}
static inline void floats_keep(float *to, floats a, floats_order order)
{
    (void)order;
    *to = a;
}
static inline void words_keep(uint32_t *to, words a, floats_order order)
{
    (void)order;
    *to = a;
}

/* ---- reductions ------------------------------------------------------------------------------- */

/* Four reductions at once. */
static inline void floats_sum4(floats a, floats b, floats c, floats d, float out[4])
{
    out[0] = a;
    out[1] = b;
    out[2] = c;
    out[3] = d;
}
static inline void floats_least4(floats a, floats b, floats c, floats d, float out[4])
{
    floats_sum4(a, b, c, d, out);
}

/* Four rows of four numbers of 32 bits, turned into columns. */
static inline void turn_four_rows(const float *a, const float *b, const float *c, const float *d, float *x, float *y,
                                  float *z, float *w)
{
    const float *const rows[4] = {a, b, c, d};
    for (int i = 0; i < 4; i++) {
        x[i] = rows[i][0];
        y[i] = rows[i][1];
        z[i] = rows[i][2];
        memcpy(&w[i], &rows[i][3], sizeof *w); /* may be any bits */
    }
}

/* ---- numbers of 16 bits ---------------------------------------------------------------------- */

static inline floats floats_of_shorts(const int16_t *from)
{
    return *from;
}
static inline floats floats_of_bytes(const uint8_t *from)
{
    return *from;
}
/* Lanes from 0 up to below 32768, cut to whole numbers. */
static inline void floats_to_shorts(uint16_t *to, floats a)
{
    *to = (uint16_t)a;
}

/* Thirty-two of 15 bits: four in a word, below a guard bit each. */
struct shorts32 {
    uint64_t four[8];
};
#define SHORTS_GUARDS UINT64_C(0x8000800080008000)
#define SHORTS_ONES UINT64_C(0x0001000100010001)

static inline struct shorts32 shorts32_load(const uint16_t *from)
{
    struct shorts32 shorts;
    for (int i = 0; i < 8; i++) {
        shorts.four[i] = (uint64_t)from[4 * i] | (uint64_t)from[4 * i + 1] << 16 | (uint64_t)from[4 * i + 2] << 32 |
                         (uint64_t)from[4 * i + 3] << 48;
    }
    return shorts;
}

/* Which of the first `count` boxes [lo, hi] meet the box [least, most]. A guard survives a difference that is not
 * negative. */
static inline uint32_t shorts32_meet(const struct shorts32 lo[3], const struct shorts32 hi[3], const uint16_t least[3],
                                     const uint16_t most[3], uint32_t count)
{
    uint64_t from[3], to[3];
    uint32_t found = 0;
    for (int axis = 0; axis < 3; axis++) {
        from[axis] = least[axis] * SHORTS_ONES;
        to[axis] = most[axis] * SHORTS_ONES | SHORTS_GUARDS;
    }
    for (uint32_t i = 0; 4 * i < count; i++) {
        uint64_t meets = ((hi[0].four[i] | SHORTS_GUARDS) - from[0]) & (to[0] - lo[0].four[i]) &
                         ((hi[1].four[i] | SHORTS_GUARDS) - from[1]) & (to[1] - lo[1].four[i]) &
                         ((hi[2].four[i] | SHORTS_GUARDS) - from[2]) & (to[2] - lo[2].four[i]) & SHORTS_GUARDS;
        meets >>= 15;
        found |= (uint32_t)((meets | meets >> 15 | meets >> 30 | meets >> 45) & 15) << 4 * i;
    }
    return count < 32 ? found & ((1u << count) - 1) : found;
}

#include "simd/lanes.h"

#endif
