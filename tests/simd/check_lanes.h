/* Every operation of simd/lanes.h for one instruction set against plain C. Included by support_lanes_<isa>.c behind the
 * lanes of its instruction set; gives check_lanes, which asserts. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const float float_values[] = {
    0.0f,     -0.0f,        1.0f,          -1.0f,           0x1.fffffep-1f, 1.5f,     -2.25f,    3.0f, FLT_MIN,
    -FLT_MIN, FLT_TRUE_MIN, -FLT_TRUE_MIN, FLT_MAX,         -FLT_MAX,       INFINITY, -INFINITY, NAN,  -NAN,
    0x1p-70f, 0x1.8p63f,    0x1.23456p-9f, -0x1.fedcbap30f, 0x1p-140f};
static const double double_values[] = {0.0,
                                       -0.0,
                                       1.0,
                                       -1.0,
                                       0x1.fffffffffffffp-1,
                                       1.5,
                                       -2.25,
                                       3.0,
                                       DBL_MIN,
                                       -DBL_MIN,
                                       DBL_TRUE_MIN,
                                       -DBL_TRUE_MIN,
                                       DBL_MAX,
                                       -DBL_MAX,
                                       INFINITY,
                                       -INFINITY,
                                       (double)NAN,
                                       -(double)NAN,
                                       0x1p-700,
                                       0x1.8p600,
                                       0x1.23456789abcdep-9,
                                       -0x1.fedcba987p30,
                                       0x1p-1070};

#define T floats
#define V floats3
#define E float
#define COUNT FLOATS
#define BITS floats_mask_bits
#define MASK floats_mask_of_bits
#define ROOT sqrtf
#include "simd/check_numbers.h"
#include "simd/check_registers.h"
#undef T
#undef V
#undef E
#undef COUNT
#undef BITS
#undef MASK
#undef ROOT

#define T doubles
#define V doubles3
#define E double
#define COUNT DOUBLES
#define BITS doubles_mask_bits
#define MASK doubles_mask_of_bits
#define ROOT sqrt
#include "simd/check_numbers.h"
#include "simd/check_registers.h"
#undef T
#undef V
#undef E
#undef COUNT
#undef BITS
#undef MASK
#undef ROOT

#define BITS(bits) (bits)
#define MASK(bits) (bits)
#define T floats16
#define V floats16x3
#define E float
#define COUNT 16
#include "simd/check_numbers.h"
#undef T
#undef V
#undef E
#undef COUNT

#define T doubles8
#define V doubles8x3
#define E double
#define COUNT 8
#include "simd/check_numbers.h"

/* ---- moves ------------------------------------------------------------------------------------------------------- */

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525 + 1013904223;
    return *state >> 16;
}

static void check_shift_up(void)
{
    const double from[8] = {1, -2, 3, NAN, 5, -0.0, 7, INFINITY};
    double shifted[8];
    doubles8_store_any(shifted, doubles8_shift_up(doubles8_load_any(from)));
    assert_memory_equal(shifted, from, sizeof *from);
    assert_memory_equal(shifted + 1, from, 7 * sizeof *from);
}

static void check_tables(void)
{
    _Alignas(64) float table[32], got[16];
    _Alignas(64) uint8_t indices[16];
    _Alignas(64) uint32_t corners[16];
    uint32_t state = 5;
    for (int i = 0; i < 32; i++) {
        table[i] = (float)i + 0.5f;
    }
    for (int round = 0; round < 200; round++) {
        for (int i = 0; i < 16; i++) {
            indices[i] = (uint8_t)(next_random(&state) & 15);
            corners[i] = (next_random(&state) & 31) | (next_random(&state) & 31) << 8 |
                         (next_random(&state) & 31) << 16 | (next_random(&state) & 31) << 24;
        }
        floats16_store(got, floats16_pick(floats_table16_load(table), floats16_index_load(indices)));
        for (int i = 0; i < 16; i++) {
            assert_true(got[i] == table[indices[i]]);
            indices[i] = (uint8_t)(next_random(&state) & 31);
        }
        floats_store(got, floats_table32_pick(floats_table32_load(table), floats_index_load(indices)));
        for (int i = 0; i < FLOATS; i++) {
            assert_true(got[i] == table[indices[i]]);
        }
        for (int k = 0; k < 4; k++) {
            floats_store(got,
                         floats_table32_pick(floats_table32_load(table), floats_index_of_byte(words_load(corners), k)));
            for (int i = 0; i < FLOATS; i++) {
                assert_true(got[i] == table[corners[i] >> 8 * k & 255]);
            }
        }
    }
}

static void check_least_of_each(void)
{
    uint32_t state = 11;
    for (int round = 0; round < 100; round++) {
        _Alignas(64) float values[16][16], least[16];
        floats16 wide[16];
        for (int i = 0; i < 16; i++) {
            for (int j = 0; j < 16; j++) {
                values[i][j] = (float)next_random(&state) - 0x1p15f;
            }
            wide[i] = floats16_load(values[i]);
        }
        floats16_least_of_each(wide, least);
        for (int i = 0; i < 16; i++) {
            float smallest = values[i][0];
            for (int j = 1; j < 16; j++) {
                smallest = values[i][j] < smallest ? values[i][j] : smallest;
            }
            assert_true(least[i] == smallest);
        }
    }
}

static void check_exponents(void)
{
    const size_t count = sizeof double_values / sizeof double_values[0];
    for (size_t i = 0; i < count; i++) {
        _Alignas(64) double got[DOUBLES], from[DOUBLES];
        for (size_t lane = 0; lane < DOUBLES; lane++) {
            from[lane] = double_values[(i + lane) % count];
        }
        doubles_store(got, doubles_of_bits(((doubles_to_bits(doubles_load(from)) >> 52 & 0x7FF) + 1) << 51));
        for (size_t lane = 0; lane < DOUBLES; lane++) {
            uint64_t expected, bits;
            memcpy(&expected, &from[lane], sizeof expected);
            memcpy(&bits, &got[lane], sizeof bits);
            assert_true(bits == ((expected >> 52 & 0x7FF) + 1) << 51);
        }
    }
}

static void check_keep_words(void)
{
    for (uint32_t bits = 0; bits < 1u << DOUBLES; bits++) {
        uint32_t numbers[DOUBLES], got[DOUBLES], kept = 0;
        for (uint32_t lane = 0; lane < DOUBLES; lane++) {
            numbers[lane] = 100 + lane;
        }
        assert_int_equal(doubles_keep_words(got, numbers, bits), __builtin_popcount(bits));
        for (uint32_t lane = 0; lane < DOUBLES; lane++) {
            if (bits >> lane & 1) {
                assert_int_equal(got[kept++], numbers[lane]);
            }
        }
    }
}

static void check_parts_of_memory(void)
{
    for (uint32_t first = 0; first <= DOUBLES; first++) {
        _Alignas(64) double from[DOUBLES], got[DOUBLES];
        for (uint32_t lane = 0; lane < DOUBLES; lane++) {
            from[lane] = 3 + lane;
        }
        doubles_store(got, doubles_load_within(doubles_mask_first(first), from));
        for (uint32_t lane = 0; lane < DOUBLES; lane++) {
            assert_true(got[lane] == (lane < first ? from[lane] : 0));
        }
    }
}

#if DOUBLES <= 4
static void check_pairs(void)
{
    double pairs[DOUBLES][2], stored[DOUBLES][2], got[2][DOUBLES];
    const double *from[DOUBLES];
    double *to[DOUBLES];
    doubles first, second, rows[4][4 / DOUBLES], columns[4][4 / DOUBLES];
    for (int i = 0; i < DOUBLES; i++) {
        pairs[i][0] = i;
        pairs[i][1] = 10 + i;
        from[i] = pairs[i];
        to[i] = stored[i];
    }
    doubles_load_pairs(from, &first, &second);
    doubles_store_any(got[0], first);
    doubles_store_any(got[1], second);
    doubles_store_pairs(to, first, second);
    for (int i = 0; i < DOUBLES; i++) {
        assert_true(got[0][i] == i && got[1][i] == 10 + i);
    }
    assert_memory_equal(stored, pairs, sizeof pairs);
    double numbers[4][4], turned[4][4];
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 4; j++) {
            numbers[i][j] = 4 * i + j;
        }
        for (int k = 0; k < 4 / DOUBLES; k++) {
            rows[i][k] = doubles_load_any(numbers[i] + k * DOUBLES);
        }
    }
    doubles_transpose4(rows, columns);
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < 4 / DOUBLES; k++) {
            doubles_store_any(turned[i] + k * DOUBLES, columns[i][k]);
        }
    }
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 4; j++) {
            assert_true(turned[j][i] == numbers[i][j]);
        }
    }
}
#endif

static void check_columns(void)
{
    double rows[DOUBLES][9];
    const double *from[DOUBLES];
    _Alignas(64) double got[DOUBLES];
    float halves[DOUBLES][5];
    const float *from_halves[DOUBLES];
    doubles columns[8];
    for (int i = 0; i < DOUBLES; i++) {
        for (int k = 0; k < 9; k++) {
            rows[i][k] = 10 * i + k;
        }
        for (int k = 0; k < 5; k++) {
            halves[i][k] = (float)(10 * i + k) + 0.5f;
        }
        from_halves[i] = halves[i] + 1;
        from[i] = rows[i] + 1;
    }
    doubles_columns4(from, columns);
    for (int k = 0; k < 4; k++) {
        doubles_store(got, columns[k]);
        for (int i = 0; i < DOUBLES; i++) {
            assert_true(got[i] == rows[i][k + 1]);
        }
    }
    double back[4 * DOUBLES];
    doubles_rows4(columns, back);
    for (int n = 0; n < 4 * DOUBLES; n++) {
        assert_true(back[n] == rows[n / 4][n % 4 + 1]);
    }
    doubles_columns8(from, columns);
    for (int k = 0; k < 8; k++) {
        doubles_store(got, columns[k]);
        for (int i = 0; i < DOUBLES; i++) {
            assert_true(got[i] == rows[i][k + 1]);
        }
    }
    doubles_columns4_of_floats(from_halves, columns);
    for (int k = 0; k < 4; k++) {
        doubles_store(got, columns[k]);
        for (int i = 0; i < DOUBLES; i++) {
            assert_true(got[i] == (double)halves[i][k + 1]);
        }
    }
}

/* Rows of four floats become columns, and rows again. */
static void check_rows_of_floats(void)
{
    float rows[FLOATS][5], back[4 * FLOATS];
    const float *from[FLOATS];
    _Alignas(64) float got[FLOATS];
    floats columns[4];
    for (int i = 0; i < FLOATS; i++) {
        for (int k = 0; k < 5; k++) {
            rows[i][k] = (float)(10 * i + k);
        }
        from[i] = rows[i] + 1;
    }
    floats_columns4(from, columns);
    for (int k = 0; k < 4; k++) {
        floats_store(got, columns[k]);
        for (int i = 0; i < FLOATS; i++) {
            assert_true(got[i] == rows[i][k + 1]);
        }
    }
    floats_rows4(columns, back);
    for (int n = 0; n < 4 * FLOATS; n++) {
        assert_true(back[n] == rows[n / 4][n % 4 + 1]);
    }
}

/* Rounded once or twice, nothing else. */
static void check_multiply_add(void)
{
    const size_t count = sizeof double_values / sizeof double_values[0];
    for (size_t i = 0; i < count * count * count; i++) {
        _Alignas(64) double a[DOUBLES], b[DOUBLES], c[DOUBLES], got[DOUBLES];
        for (size_t lane = 0; lane < DOUBLES; lane++) {
            a[lane] = double_values[(i + lane) % count];
            b[lane] = double_values[(i / count + 5 * lane) % count];
            c[lane] = double_values[(i / count / count + 3 * lane) % count];
        }
        doubles_store(got, doubles_multiply_add(doubles_load(a), doubles_load(b), doubles_load(c)));
        for (size_t lane = 0; lane < DOUBLES; lane++) {
            double once = fma(a[lane], b[lane], c[lane]), twice = a[lane] * b[lane] + c[lane];
            assert_true(check_doubles_same(got[lane], once, true) || check_doubles_same(got[lane], twice, true));
        }
    }
}

static void check_double_tables(void)
{
    double table[33];
    uint8_t bytes[DOUBLES];
    uint32_t numbers[DOUBLES], state = 17;
    for (int i = 0; i < 33; i++) {
        table[i] = 1.5 * i;
    }
    for (int round = 0; round < 64; round++) {
        _Alignas(64) double got[DOUBLES];
        for (int i = 0; i < DOUBLES; i++) {
            state = state * 1664525 + 1013904223;
            numbers[i] = state; /* bits above the lowest five of each byte do not count */
            bytes[i] = (uint8_t)(state >> 13);
        }
        doubles_store(got, doubles_pick32(table + 1, doubles_index_load(bytes)));
        for (int i = 0; i < DOUBLES; i++) {
            assert_true(got[i] == table[1 + (bytes[i] & 31)]);
        }
        for (int k = 0; k < 4; k++) {
            doubles_store(got, doubles_pick32(table + 1, doubles_index_of_byte(numbers, k)));
            for (int i = 0; i < DOUBLES; i++) {
                assert_true(got[i] == table[1 + (numbers[i] >> 8 * k & 31)]);
            }
        }
    }
}

/* The double behind a point is read and must not matter. */
static void check_rounding(void)
{
    const double centre[3] = {0.1, -3.7, 1e-300}, first = 0x1p-3, second = 0x1p4;
    const size_t count = sizeof double_values / sizeof double_values[0];
    const struct row_rounding map = row_rounding_of(centre, first, second);
    for (size_t round = 0; round < count; round++) {
        double points[4][4];
        _Alignas(16) float x[3][4];
        for (size_t i = 0; i < 4; i++) {
            for (size_t k = 0; k < 4; k++) {
                points[i][k] = double_values[(round + 7 * i + 3 * k) % count];
            }
        }
        round_four_rows(&map, points[0], points[1], points[2], points[3], x[0], x[1], x[2]);
        for (size_t i = 0; i < 4; i++) {
            for (size_t k = 0; k < 3; k++) {
                float expected = (float)((points[i][k] - centre[k]) * first * second);
                assert_true(check_floats_same(x[k][i], expected, true));
            }
        }
    }
}

static void check_bit_sets(void)
{
    uint32_t state = 3;
    for (int round = 0; round < 500; round++) {
        _Alignas(16) uint8_t corners[3][16];
        uint32_t bits = next_random(&state), asked = next_random(&state);
        bits &= next_random(&state);
        for (int i = 0; i < 16; i++) {
            for (int k = 0; k < 3; k++) {
                corners[k][i] = (uint8_t)(next_random(&state) & 15);
            }
        }
        bit_sets sets = bit_sets_of_corners((const uint8_t(*)[16])corners);
        uint32_t found = bit_sets_without(sets, bits | 0xFFFF0000u, asked);
        for (int i = 0; i < 16; i++) {
            uint32_t set = 1u << corners[0][i] | 1u << corners[1][i] | 1u << corners[2][i];
            assert_int_equal(found >> i & 1, (asked >> i & 1) && !(set & bits));
        }
        assert_int_equal(found >> 16, 0);
    }
}

#include "simd/check_words.h"

static void check_all(void)
{
    check_floats_all();
    check_floats_registers();
    check_doubles_all();
    check_doubles_registers();
    check_floats16_all();
    check_doubles8_all();
    check_shift_up();
    check_tables();
    check_least_of_each();
    check_exponents();
    check_keep_words();
    check_parts_of_memory();
#if DOUBLES <= 4
    check_pairs();
#endif
    check_columns();
    check_rows_of_floats();
    check_multiply_add();
    check_double_tables();
    check_rounding();
    check_bit_sets();
    check_words();
}
