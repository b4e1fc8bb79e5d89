/* One wide type: `floats` and `doubles`, as many numbers as one register of an instruction set holds. Kernels are
 * written once over them, in a *_lanes.h that every row of a family includes behind the header of its instruction set:
 *
 *     #include "simd/lanes_avx2.h"
 *     #include "geometry/impact/impact_lanes.h"
 *     const struct impact_kernels impact_kernels_avx2 = IMPACT_KERNELS_ROW;
 *
 * Every operation gives the bits that plain C gives lane by lane, without contraction: so all instruction sets answer
 * alike. tests/simd compares each of them with plain C, NaN, infinities, zeros and subnormals included.
 *
 * What a header lanes_<isa>.h supplies; T is `floats` and `doubles`, E the number (float, double), n the lanes:
 *
 *   T, FLOATS, DOUBLES             the types and their n (a macro). + - * / and unary minus must work on T: it is a type
 *                                  of C or a vector type of the compiler
 *   T_mask                         one truth value a lane, in the form that compares give and T_choose takes
 *   T_set(E)                       the same number in all lanes
 *   T_load, T_store(p[, a])        n numbers at an address that is a multiple of their size; T_load_any, T_store_any:
 *                                  at any address of an E
 *   T_least, T_most(a, b)          a < b ? a : b and a > b ? a : b; so b where one is NaN or both are zero
 *   T_absolute, T_root(a)
 *   T_less, T_greater, T_less_equal, T_equal        masks; false where one is NaN. The second operand may come from
 *                                  memory at no cost
 *   T_ordered(a, b)                where neither is NaN
 *   T_less_equal_within(m, a, b)   m and a <= b; may stop early where nothing is left
 *   T_choose(m, a, b)              m ? a : b
 *   T_mask_and, _or, _and_not(m, o), _not(m)        m & o, m | o, m & ~o, ~m
 *   T_mask_all(), _nothing(), _first(k)             all lanes, none, the first k (k may exceed n)
 *   T_mask_bits(m), _of_bits(bits), _none(m)        to and from bits, lane 0 the lowest; true if no lane is set
 *   T_sum, T_smallest, T_largest(a)                 over all lanes by halving: lane i takes in lane i + n/2, and so on
 *   floats_least_of_each(v, least)                  least[i]: the smallest lane of v[i], i < n
 *   floats_index, _load, _of_byte                   n indices below 32, from bytes or from byte k of words
 *   floats_table16, floats_table32, _load, _pick    16 or 32 floats and any n of them by index
 *   doubles_bits, doubles_to_bits, doubles_of_bits  the 64 bits of each double, unsigned; + - & | << >> must work on them
 *   doubles_keep_words(to, words, bits)             the words whose bits are set come to the front; returns how many
 *   doubles_multiply_add(a, b, c)                   a * b + c, rounded once or twice: the one operation whose bits differ
 *                                                   between instruction sets, for filters whose bounds allow for either
 *   doubles_index, _load, _of_byte                  n indices, their lowest five bits; from bytes or from byte k of words
 *   doubles_pick32(p, index)                        any n of 32 doubles
 *   doubles_shift_up(a)                             lane i takes lane i - 1, the first one stays (only for n = 8)
 *   doubles_columns4, doubles_columns8(rows, c)     n rows of 4 or 8 doubles become columns
 *   doubles_rows4(c, p)                             columns become n rows of 4 doubles, one behind the other
 *   doubles_transpose4, _load_pairs, _store_pairs   four by four numbers; rows of two numbers (only for n <= 4)
 *   doubles_columns4_of_floats(rows, c)             the same for rows of 4 floats
 *   floats_columns4(rows, c), floats_rows4(c, p)    n rows of 4 floats become columns; columns become n rows, one behind
 *                                                   the other
 *   row_rounding_of, round_four_rows                four points of doubles become columns of floats, centred and scaled
 *   bit_sets                                        sixteen sets of sixteen bits each
 *   words                                           n numbers of 32 bits: _load, _store, _set as above; _count_up() is
 *                                                   0, 1, 2 ...; _add, _and, _or, _shift_right(a, k), _choose;
 *                                                   _shift_left_each, _shift_right_each(a, counts below 32); masks by
 *                                                   _equal, _less (unsigned), _meet (a bit in common) and
 *                                                   _disjoint_within(m, a, b)
 *   words_pick32(p, index), words_pick48(p, words)  any n of 32 or 48 words
 *   T_load_within(m, p)                             the lanes of m, and 0; the others are not read (words too)
 *   T_keep(p, a, floats_order_of_bits(bits))        the lanes of the bits one behind the other (floats, words); n numbers
 *                                                   are written
 *   words_of_bits(p, first, bits)                   first + i for each bit i
 *   floats_sum4, floats_least4(a, b, c, d, out)     four reductions at once
 *   turn_four_rows                                  four rows of four numbers of 32 bits become columns
 *   floats_of_shorts, floats_to_shorts              n numbers of 16 bits
 *   floats_of_bytes(p)                              n numbers of 8 bits without sign
 *   shorts32, _load, _meet                          32 numbers of 15 bits, and which of 32 boxes of them meet a box
 *
 * and then includes this header, which adds what is the same everywhere. A new instruction set is one such header, its
 * line in KERNELS_FOR (simd/kernel_choice.h), its flags in cmake/layers.cmake, one row file a family, and a file like
 * tests/simd/support_lanes_avx2.c. Where a kernel would be slow in the common form, a primitive is added here rather
 * than a second kernel.
 */
#ifndef DENT_SIMD_LANES_H
#define DENT_SIMD_LANES_H

#if !defined(FLOATS)
#error "include a lanes_<isa>.h, which includes this header at its end"
#endif

#define LANES_ARITHMETIC(T)                                                                                            \
    LANES_FUNCTION(T, T##_add, (T a, T b), a + b)                                                                      \
    LANES_FUNCTION(T, T##_subtract, (T a, T b), a - b)                                                                 \
    LANES_FUNCTION(T, T##_multiply, (T a, T b), a *b)                                                                  \
    LANES_FUNCTION(T, T##_divide, (T a, T b), a / b)

LANES_ARITHMETIC(floats)
LANES_ARITHMETIC(doubles)

/* Where small[k] <= large[k] for all six k. */
static inline floats_mask floats_less_equal6(const floats small[6], const floats large[6])
{
#if FLOATS == 1 /* stops early */
    return small[0] <= large[0] && small[1] <= large[1] && small[2] <= large[2] && small[3] <= large[3] &&
           small[4] <= large[4] && small[5] <= large[5];
#else /* two chains of three: one of six would be waited for */
    floats_mask first = floats_less_equal(small[0], large[0]), second = floats_less_equal(small[1], large[1]);
    first = floats_less_equal_within(first, small[2], large[2]);
    second = floats_less_equal_within(second, small[3], large[3]);
    first = floats_less_equal_within(first, small[4], large[4]);
    second = floats_less_equal_within(second, small[5], large[5]);
    return floats_mask_and(first, second);
#endif
}

#if FLOATS < 16
/* first + i for each bit i, ascending; returns how many. Up to sixteen numbers behind them may be written. */
static inline uint32_t words_of_bits(uint32_t *to, uint32_t first, uint32_t bits)
{
    uint32_t count = 0;
    for (; bits; bits &= bits - 1) {
        to[count++] = first + (uint32_t)__builtin_ctz(bits);
    }
    return count;
}
#endif

/* ---- a fixed number of lanes: sixteen floats, eight doubles, in as many registers as it takes -------------------- */

/* Sets of lanes are bits here. T: the wide type, R: that of a register, E: the number. */
#define LANES_WIDE(T, R, E, count, in_register)                                                                        \
    enum { T##_parts = (count) / (in_register) };                                                                      \
    typedef struct T {                                                                                                 \
        R part[T##_parts];                                                                                             \
    } T;                                                                                                               \
    LANES_WIDE_BINARY(T, R, add)                                                                                       \
    LANES_WIDE_BINARY(T, R, subtract)                                                                                  \
    LANES_WIDE_BINARY(T, R, multiply)                                                                                  \
    LANES_WIDE_BINARY(T, R, divide)                                                                                    \
    LANES_WIDE_BINARY(T, R, least)                                                                                     \
    LANES_WIDE_BINARY(T, R, most)                                                                                      \
    static inline T T##_absolute(T a)                                                                                  \
    {                                                                                                                  \
        LANES_EACH_PART(T, a.part[k] = R##_absolute(a.part[k]));                                                       \
        return a;                                                                                                      \
    }                                                                                                                  \
    static inline T T##_set(E x)                                                                                       \
    {                                                                                                                  \
        T a;                                                                                                           \
        LANES_EACH_PART(T, a.part[k] = R##_set(x));                                                                    \
        return a;                                                                                                      \
    }                                                                                                                  \
    static inline T T##_load(const E *from)                                                                            \
    {                                                                                                                  \
        T a;                                                                                                           \
        LANES_EACH_PART(T, a.part[k] = R##_load(from + k * (in_register)));                                            \
        return a;                                                                                                      \
    }                                                                                                                  \
    static inline T T##_load_any(const E *from)                                                                        \
    {                                                                                                                  \
        T a;                                                                                                           \
        LANES_EACH_PART(T, a.part[k] = R##_load_any(from + k * (in_register)));                                        \
        return a;                                                                                                      \
    }                                                                                                                  \
    static inline void T##_store(E *to, T a)                                                                           \
    {                                                                                                                  \
        LANES_EACH_PART(T, R##_store(to + k * (in_register), a.part[k]));                                              \
    }                                                                                                                  \
    static inline void T##_store_any(E *to, T a)                                                                       \
    {                                                                                                                  \
        LANES_EACH_PART(T, R##_store_any(to + k * (in_register), a.part[k]));                                          \
    }                                                                                                                  \
    static inline uint32_t T##_less(T a, T b)                                                                          \
    {                                                                                                                  \
        uint32_t bits = 0;                                                                                             \
        LANES_EACH_PART(T, bits |= R##_mask_bits(R##_less(a.part[k], b.part[k])) << k * (in_register));                \
        return bits;                                                                                                   \
    }                                                                                                                  \
    static inline T T##_choose(uint32_t bits, T a, T b)                                                                \
    {                                                                                                                  \
        LANES_EACH_PART(T, b.part[k] = R##_choose(R##_mask_of_bits(bits >> k * (in_register)), a.part[k], b.part[k])); \
        return b;                                                                                                      \
    }                                                                                                                  \
    LANES_WIDE_FOLD(T, R, E, sum, add)                                                                                 \
    LANES_WIDE_FOLD(T, R, E, smallest, least)                                                                          \
    LANES_WIDE_FOLD(T, R, E, largest, most)

/* A statement for each part k, written out for one and two: so the parts stay in registers. */
#define LANES_EACH_PART(T, statement)                                                                                  \
    do {                                                                                                               \
        if (T##_parts <= 2) {                                                                                          \
            LANES_PART(0, statement)                                                                                   \
            if (T##_parts == 2) {                                                                                      \
                LANES_PART(T##_parts - 1, statement)                                                                   \
            }                                                                                                          \
        } else {                                                                                                       \
            for (int k = 0; k < T##_parts; k++) {                                                                      \
                statement;                                                                                             \
            }                                                                                                          \
        }                                                                                                              \
    } while (0)
#define LANES_PART(number, statement)                                                                                  \
    {                                                                                                                  \
        enum { k = (number) };                                                                                         \
        statement;                                                                                                     \
    }

#define LANES_WIDE_BINARY(T, R, name)                                                                                  \
    static inline T T##_##name(T a, T b)                                                                               \
    {                                                                                                                  \
        LANES_EACH_PART(T, a.part[k] = R##_##name(a.part[k], b.part[k]));                                              \
        return a;                                                                                                      \
    }

/* One register that holds what the parts come to, and the number all lanes come to: by halving in either case. */
#define LANES_WIDE_FOLD(T, R, E, name, operation)                                                                      \
    static inline R T##_##name##_part(T a)                                                                             \
    {                                                                                                                  \
        if (T##_parts == 2) {                                                                                          \
            return R##_##operation(a.part[0], a.part[T##_parts - 1]);                                                  \
        }                                                                                                              \
        for (int half = T##_parts / 2; half > 0; half /= 2) {                                                          \
            for (int k = 0; k < half; k++) {                                                                           \
                a.part[k] = R##_##operation(a.part[k], a.part[k + half]);                                              \
            }                                                                                                          \
        }                                                                                                              \
        return a.part[0];                                                                                              \
    }                                                                                                                  \
    LANES_FUNCTION(E, T##_##name, (T a), R##_##name(T##_##name##_part(a)))

LANES_WIDE(floats16, floats, float, 16, FLOATS)
LANES_WIDE(doubles8, doubles, double, 8, DOUBLES)

/* Lane i takes lane i - 1; the first one stays. */
static inline doubles8 doubles8_shift_up(doubles8 a)
{
#if DOUBLES == 8
    return (doubles8){{doubles_shift_up(a.part[0])}};
#else
    double lanes[9];
    doubles8_store_any(lanes + 1, a);
    lanes[0] = lanes[1];
    return doubles8_load_any(lanes);
#endif
}

/* The registers of sixteen lanes, by their first lane. With one lane a register only those asked for. */
#define FLOATS16_EACH(at, asked)                                                                                       \
    for (uint32_t at = floats16_from(asked, 0); at < 16; at = floats16_from(asked, at + FLOATS))

static inline uint32_t floats16_from(uint32_t asked, uint32_t at)
{
    return FLOATS > 1 ? at : at + (uint32_t)__builtin_ctz((asked | 1u << 16) >> at);
}

/* Sixteen indices into a table of sixteen. */
typedef struct floats16_index {
    floats_index part[floats16_parts];
} floats16_index;

static inline floats16_index floats16_index_load(const uint8_t from[16])
{
    floats16_index index;
    LANES_EACH_PART(floats16, index.part[k] = floats_index_load(from + k * FLOATS));
    return index;
}

static inline floats16 floats16_pick(floats_table16 table, floats16_index index)
{
    floats16 a;
    LANES_EACH_PART(floats16, a.part[k] = floats_table16_pick(table, index.part[k]));
    return a;
}

/* The sixteen as a table to pick from; they stay where they are. */
static inline floats_table16 floats16_table(const floats16 *a)
{
#if FLOATS == 1
    return a->part;
#elif FLOATS == 8
    return (floats_table16){a->part[0], a->part[1]};
#elif FLOATS == 16
    return a->part[0];
#endif
}

/* least[i]: the smallest lane of values[i]. */
static inline void floats16_least_of_each(const floats16 values[16], float least[16])
{
    floats folded[16];
    for (int i = 0; i < 16; i++) {
        folded[i] = floats16_smallest_part(values[i]);
    }
    for (int i = 0; i < 16; i += FLOATS) {
        floats_least_of_each(folded + i, least + i);
    }
}

/* ---- three-vectors ----------------------------------------------------------------------------------------------- */

#define LANES_VECTOR3_BINARY(V, T, name)                                                                               \
    LANES_FUNCTION(struct V, V##_##name, (struct V a, struct V b),                                                     \
                   (struct V){T##_##name(a.x, b.x), T##_##name(a.y, b.y), T##_##name(a.z, b.z)})

#define LANES_VECTOR3(V, T, E, M)                                                                                      \
    struct V {                                                                                                         \
        T x, y, z;                                                                                                     \
    };                                                                                                                 \
    LANES_VECTOR3_BINARY(V, T, add)                                                                                    \
    LANES_VECTOR3_BINARY(V, T, subtract)                                                                               \
    LANES_VECTOR3_BINARY(V, T, least)                                                                                  \
    LANES_VECTOR3_BINARY(V, T, most)                                                                                   \
    LANES_FUNCTION(struct V, V##_load, (const E *x, const E *y, const E *z),                                           \
                   (struct V){T##_load(x), T##_load(y), T##_load(z)})                                                  \
    LANES_FUNCTION(struct V, V##_set, (const E v[3]), (struct V){T##_set(v[0]), T##_set(v[1]), T##_set(v[2])})         \
    LANES_FUNCTION(struct V, V##_absolute, (struct V a),                                                               \
                   (struct V){T##_absolute(a.x), T##_absolute(a.y), T##_absolute(a.z)})                                \
    LANES_FUNCTION(struct V, V##_choose, (M mask, struct V a, struct V b),                                             \
                   (struct V){T##_choose(mask, a.x, b.x), T##_choose(mask, a.y, b.y), T##_choose(mask, a.z, b.z)})     \
    LANES_FUNCTION(struct V, V##_cross, (struct V a, struct V b),                                                      \
                   (struct V){T##_subtract(T##_multiply(a.y, b.z), T##_multiply(a.z, b.y)),                            \
                              T##_subtract(T##_multiply(a.z, b.x), T##_multiply(a.x, b.z)),                            \
                              T##_subtract(T##_multiply(a.x, b.y), T##_multiply(a.y, b.x))})                           \
    LANES_FUNCTION(struct V, V##_scale, (struct V a, T factor),                                                        \
                   (struct V){T##_multiply(a.x, factor), T##_multiply(a.y, factor), T##_multiply(a.z, factor)})        \
    static inline void V##_store(E *x, E *y, E *z, struct V a)                                                         \
    {                                                                                                                  \
        T##_store(x, a.x);                                                                                             \
        T##_store(y, a.y);                                                                                             \
        T##_store(z, a.z);                                                                                             \
    }                                                                                                                  \
    /* (x x + y y) + z z */                                                                                            \
    LANES_FUNCTION(T, V##_dot, (struct V a, struct V b),                                                               \
                   T##_add(T##_add(T##_multiply(a.x, b.x), T##_multiply(a.y, b.y)), T##_multiply(a.z, b.z)))           \
    /* x + y + z */                                                                                                    \
    LANES_FUNCTION(T, V##_sum, (struct V a), T##_add(T##_add(a.x, a.y), a.z))                                          \
    /* The largest of the three. */                                                                                    \
    LANES_FUNCTION(T, V##_largest, (struct V a), T##_most(T##_most(a.x, a.y), a.z))

LANES_VECTOR3(floats3, floats, float, floats_mask)
LANES_VECTOR3(doubles3, doubles, double, doubles_mask)
LANES_VECTOR3(floats16x3, floats16, float, uint32_t)
LANES_VECTOR3(doubles8x3, doubles8, double, uint32_t)

/* Bounds over all lanes. */
static inline void floats3_bounds(struct floats3 lo, struct floats3 hi, float least[3], float most[3])
{
    float first[4], second[4];
    floats_least4(lo.x, lo.y, lo.z, -hi.x, first);
    floats_least4(-hi.y, -hi.z, lo.x, lo.x, second);
    least[0] = first[0];
    least[1] = first[1];
    least[2] = first[2];
    most[0] = -first[3];
    most[1] = -second[0];
    most[2] = -second[1];
}

#endif
