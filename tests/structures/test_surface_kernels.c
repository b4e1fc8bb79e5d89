/* The kernels of the surface leaves: every instruction set gives the same bits, and no filter ever says "apart" or
 * "crossing" of a pair of which the exact predicates say otherwise, for positions of every size, flat, nearly flat,
 * degenerate and on lattices. */
#include "support/cmocka_includes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/platform/cpu_features.h"
#include "structures/surface/kernels/surface_kernels.h"
#include "geometry/predicates/triangle_predicates.h"

enum { ROWS = 3 };

static int rows_here(const struct surface_kernels *rows[ROWS])
{
    static const dent_isa sets[ROWS] = {DENT_ISA_SCALAR, DENT_ISA_AVX2, DENT_ISA_AVX512};
    int count = 0;
    for (int i = 0; i < ROWS; i++) {
        dent_context_def def = dent_context_def_default();
        def.isa = sets[i];
        def.thread_count = 1;
        dent_context *context = dent_context_create(&def, NULL);
        if (context) {
            rows[count++] = surface_kernels_for(sets[i]);
        }
        dent_context_destroy(context);
    }
    return count;
}

/* Two leaves of positions somewhere in one world. */
struct pair_of_leaves {
    double xyz[33][3];
    uint32_t vertices[2][LEAF_VERTICES];
    struct forest_map map;
    struct leaf_points points[2];
};

static double lattice(double x, double step)
{
    return step > 0 ? floor(x / step) * step : x;
}

static void make_pair(struct pair_of_leaves *pair, dent_random *random, const struct surface_kernels *row)
{
    uint32_t way = dent_random_below(random, 6);
    double flat = way == 0 ? 0 : way == 1 ? 1e-7 : way == 2 ? 1e-3 : 1, step = way == 3 ? 0.125 : 0;
    double size = way == 4 ? 0.01 : 1, tilt = way == 0 && dent_random_below(random, 2) ? 0.3 : 0;
    double unit = way == 5 ? (dent_random_below(random, 2) ? 1e150 : 1e-150) : 1;
    memset(pair, 0, sizeof *pair);
    for (int i = 0; i < 32; i++) {
        double p[3];
        for (int axis = 0; axis < 3; axis++) {
            p[axis] = lattice((dent_random_unit(random) * 2 - 1) * size, step) * (axis == 2 ? flat : 1);
        }
        p[2] += tilt * p[0] + tilt * 0.7 * p[1];
        for (int axis = 0; axis < 3; axis++) {
            pair->xyz[i][axis] = p[axis] * unit;
        }
    }
    int exponent;
    frexp(unit * 1.6, &exponent);
    pair->map = (struct forest_map){{0, 0, 0}, ldexp(1.0, -exponent / 2), ldexp(1.0, -exponent + exponent / 2)};
    for (uint32_t side = 0; side < 2; side++) {
        struct leaf_points *points = &pair->points[side];
        for (uint32_t i = 0; i < LEAF_VERTICES; i++) {
            pair->vertices[side][i] = side * 16 + i;
        }
        points->face_count = 1 + dent_random_below(random, LEAF_FACES);
        for (uint32_t face = 0; face < points->face_count; face++) {
            for (int k = 0; k < 3; k++) {
                points->corners[k][face] = (uint8_t)dent_random_below(random, LEAF_VERTICES); /* degenerate ones too */
            }
        }
        row->load(pair->vertices[side], (const double(*)[3])pair->xyz, &pair->map, points);
        row->bound(points, 3, points->lo, points->hi);
    }
}

static face_pair_kind exact_kind(const struct pair_of_leaves *pair, uint32_t face_a, uint32_t face_b)
{
    const double *a[3], *b[3];
    predicate_counters ignored = {0};
    for (int k = 0; k < 3; k++) {
        a[k] = pair->xyz[pair->points[0].corners[k][face_a]];
        b[k] = pair->xyz[16 + pair->points[1].corners[k][face_b]];
    }
    return triangle_versus_triangle(a, b, &ignored);
}

static void leaves_are_rounded_bounded_and_compared_alike_and_lose_no_pair(void **state)
{
    (void)state;
    const struct surface_kernels *rows[ROWS];
    int count = rows_here(rows);
    dent_random random = dent_random_seeded(1);
    uint64_t meeting = 0, dismissed = 0;
    int turns = getenv("DENT_QUICK_TESTS") ? 300 : 3000;
    for (int turn = 0; turn < turns; turn++) {
        struct pair_of_leaves pair;
        make_pair(&pair, &random, rows[0]);
        uint16_t shares[LEAF_FACES];
        bool with_shares = turn % 3 == 0;
        for (int i = 0; i < LEAF_FACES; i++) {
            shares[i] = with_shares ? (uint16_t)dent_random_below(&random, 65536) : 0;
        }
        uint8_t found[ROWS][256];
        uint32_t found_count[ROWS] = {0};
        for (int row = 0; row < count; row++) {
            struct leaf_points again;
            struct leaf_side side_a, side_b;
            float bounds[2][2][13];
            memset(&again, 0, sizeof again);
            rows[row]->load(pair.vertices[1], (const double(*)[3])pair.xyz, &pair.map, &again);
            assert_memory_equal(again.x, pair.points[1].x, sizeof again.x);
            rows[row]->bound(&pair.points[0], 13, bounds[0][0], bounds[0][1]);
            rows[0]->bound(&pair.points[0], 13, bounds[1][0], bounds[1][1]);
            for (int k = 0; k < 26; k++) {
                assert_true(bounds[0][k / 13][k % 13] == bounds[1][k / 13][k % 13]);
            }
            rows[row]->prepare(&pair.points[0], &side_a);
            found_count[row] =
                rows[row]->leaf_pair(&side_a, &pair.points[1], &side_b, with_shares ? shares : NULL, found[row]);
            assert_int_equal(found_count[row], found_count[0]);
            assert_memory_equal(found[row], found[0], found_count[0]);
        }
        bool kept[256] = {false};
        for (uint32_t i = 0; i < found_count[0]; i++) {
            assert_false(kept[found[0][i]]);
            kept[found[0][i]] = true;
        }
        for (uint32_t face_a = 0; face_a < pair.points[0].face_count; face_a++) {
            for (uint32_t face_b = 0; face_b < pair.points[1].face_count; face_b++) {
                bool meets = exact_kind(&pair, face_a, face_b) != FACE_PAIR_NONE, shared = shares[face_a] >> face_b & 1;
                assert_true(!meets || shared || kept[face_a << 4 | face_b]);
                assert_false(shared && kept[face_a << 4 | face_b]);
                meeting += meets && !shared;
                dismissed += !kept[face_a << 4 | face_b] && !shared;
            }
        }
    }
    print_message("%llu pairs meet, %llu were dismissed\n", (unsigned long long)meeting, (unsigned long long)dismissed);
    assert_true(meeting > 1000 && dismissed > 1000);
}

static void check_signs(const struct pair_of_leaves *pair, const uint32_t faces[][2], uint32_t lanes,
                        struct narrow_signs signs, uint64_t *decided)
{
    for (uint32_t lane = 0; lane < lanes; lane++) {
        face_pair_kind kind = exact_kind(pair, faces[lane][0], faces[lane][1]);
        if (signs.apart >> lane & 1) {
            assert_int_equal(kind, FACE_PAIR_NONE);
        }
        if (signs.crossing >> lane & 1) {
            assert_int_equal(kind, FACE_PAIR_CROSSING);
        }
        *decided += ((signs.apart | signs.crossing) >> lane & 1) != 0;
    }
}

static void narrow_tests_agree_with_each_other_and_with_the_exact_predicates(void **state)
{
    (void)state;
    const struct surface_kernels *rows[ROWS];
    int count = rows_here(rows);
    dent_random random = dent_random_seeded(2);
    uint64_t decided = 0, pairs = 0;
    int turns = getenv("DENT_QUICK_TESTS") ? 2000 : 20000;
    for (int turn = 0; turn < turns; turn++) {
        struct pair_of_leaves pair;
        struct float_batch floats;
        uint32_t faces[FLOAT_BATCH][2];
        make_pair(&pair, &random, rows[0]);
        for (uint32_t lane = 0; lane < FLOAT_BATCH; lane++) {
            for (uint32_t side = 0; side < 2; side++) {
                faces[lane][side] = dent_random_below(&random, pair.points[side].face_count);
                for (uint32_t k = 0; k < 9; k++) {
                    uint8_t place = pair.points[side].corners[k / 3][faces[lane][side]];
                    floats.corner[3 * side + k / 3][k % 3][lane] = pair.points[side].x[k % 3][place];
                }
            }
        }
        struct narrow_signs signs = rows[0]->narrow_floats(&floats);
        for (int row = 1; row < count; row++) {
            struct narrow_signs again = rows[row]->narrow_floats(&floats);
            assert_true(again.apart == signs.apart && again.crossing == signs.crossing);
        }
        check_signs(&pair, (const uint32_t(*)[2])faces, FLOAT_BATCH, signs, &decided);
        pairs += FLOAT_BATCH;
    }
    print_message("%llu pairs: floats decide %.1f %%\n", (unsigned long long)pairs,
                  100.0 * (double)decided / (double)pairs);
    assert_true(decided * 2 > pairs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaves_are_rounded_bounded_and_compared_alike_and_lose_no_pair),
        cmocka_unit_test(narrow_tests_agree_with_each_other_and_with_the_exact_predicates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
