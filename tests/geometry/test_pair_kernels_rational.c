/* The lanes of doubles behind the candidates of the discrete questions (pair_kernels.h) against exact linear programming
 * (simplex_oracle.h): what a lane calls certain is so, for every kind of points and every exponent, with touching asked
 * for or not; every instruction set says the same; and of ordinary and of fitted parts lanes leave little open.
 */
#include "support/cmocka_includes.h"

#include "base/platform/cpu_features.h"
#include "geometry/integer_reference.h"
#include "geometry/point_cases.h"
#include "geometry/predicates/kernels/pair_kernels.h"
#include "geometry/predicates/triangle_predicates.h"

enum point_kind {
    POINTS_ORDINARY, /* doubles in a cube */
    POINTS_LATTICE,  /* small integers: coincident, flat, collinear, any power of two on each axis */
    POINTS_FITTED,   /* corners of b are some of those of a, or a unit in the last place away */
    POINTS_NEARLY,   /* corners of b are rounded combinations of those of a: gaps of one rounding */
    POINTS_SMALL,    /* ordinary ones times a power of two, subnormals included */
    POINTS_ANY,      /* any finite doubles */
    POINT_KINDS
};

static const char *const kind_names[POINT_KINDS] = {"ordinary", "lattice", "fitted", "nearly", "scaled", "any"};

/* ---- points ------------------------------------------------------------------------------------------------------ */

/* The first few corners of b are different ones of a, now and then a unit in the last place away. */
static void fit_corners(dent_random *random, double p[][3], int first_b)
{
    int shift = random_between(random, 0, first_b - 1), common = random_between(random, 0, first_b);
    if (random_between(random, 0, 7) == 0) { /* a segment: three common corners are no common area */
        memmove(p[first_b - 1], p[0], sizeof p[0]);
    }
    for (int k = 0; k < common; k++) {
        bool exact = random_between(random, 0, 3) > 0;
        for (int axis = 0; axis < 3; axis++) {
            double value = p[(shift + k) % first_b][axis];
            p[first_b + k][axis] = exact ? value : nudged(random, value, 1);
        }
    }
}

/* Corners of b are rounded combinations of those of a. */
static void combine_corners(dent_random *random, double p[][3], int first_b, int count)
{
    for (int k = first_b; k < count; k++) {
        int a = random_between(random, 0, first_b - 1), b = random_between(random, 0, first_b - 1);
        double s = 0.25 * random_between(random, 0, 4);
        for (int axis = 0; axis < 3 && random_between(random, 0, 3) > 0; axis++) {
            p[k][axis] = p[a][axis] + s * (p[b][axis] - p[a][axis]);
        }
    }
}

static void make_points(dent_random *random, enum point_kind kind, double p[][3], int first_b, int count)
{
    double scale[3] = {1, 1, 1}, common = ldexp(1.0, random_between(random, -1074, 1000));
    int range = random_between(random, 1, 4);
    random_axis_scales(random, scale);
    for (int k = 0; k < 3 * count; k++) {
        double *value = &p[k / 3][k % 3];
        *value = kind == POINTS_LATTICE ? random_between(random, 0, range) * scale[k % 3]
                 : kind == POINTS_ANY ? (dent_random_bits(random) & 1 ? random_special(random) : random_finite(random))
                                      : random_signed_unit(random) * (kind == POINTS_SMALL ? common : 1.0);
    }
    if (kind == POINTS_FITTED) {
        fit_corners(random, p, first_b);
    } else if (kind == POINTS_NEARLY) {
        combine_corners(random, p, first_b, count);
    }
}

/* ---- references -------------------------------------------------------------------------------------------------- */

enum truth { TRUTH_NONE, TRUTH_TOUCHING, TRUTH_MEET, TRUTH_COPLANAR };

/* Vertices and faces against a closed or open cell; a flat one has no interior. */
static enum truth truth_of_cell(int a_count)
{
    bool proper = reference_orientation(a_count, a_count + 1, a_count + 2, a_count + 3) != 0;
    hull_meeting meeting = reference_meeting(0, a_count, false, a_count, 4, proper);
    return meeting == HULLS_APART ? TRUTH_NONE : meeting == HULLS_MEET ? TRUTH_TOUCHING : TRUTH_MEET;
}

static enum truth truth_of_faces(void)
{
    bool one_plane = true;
    for (int left_out = 0; left_out < 15; left_out++) { /* fours of six: all but two of them */
        static const uint8_t pairs[15][2] = {{0, 1}, {0, 2}, {0, 3}, {0, 4}, {0, 5}, {1, 2}, {1, 3}, {1, 4},
                                             {1, 5}, {2, 3}, {2, 4}, {2, 5}, {3, 4}, {3, 5}, {4, 5}};
        int four[4], n = 0;
        for (int k = 0; k < 6; k++) {
            if (k != pairs[left_out][0] && k != pairs[left_out][1]) {
                four[n++] = k;
            }
        }
        one_plane = one_plane && reference_orientation(four[0], four[1], four[2], four[3]) == 0;
    }
    hull_meeting meeting = reference_meeting(0, 3, true, 3, 3, true);
    if (meeting != HULLS_MEET_STRICTLY) {
        return meeting == HULLS_APART ? TRUTH_NONE : TRUTH_TOUCHING;
    }
    return !one_plane                                                         ? TRUTH_MEET
           : reference_triangle_has_area(0) && reference_triangle_has_area(3) ? TRUTH_COPLANAR
                                                                              : TRUTH_TOUCHING;
}

static enum truth truth_of(enum pair_kernel_kind kernel, const double p[][3], int count)
{
    const double *points[PAIR_CORNERS];
    for (int k = 0; k < count; k++) {
        points[k] = p[k];
    }
    set_integer_points(integer, points, count);
    return kernel == PAIR_FACE_FACE ? truth_of_faces() : truth_of_cell(kernel == PAIR_VERTEX_CELL ? 1 : 3);
}

/* ---- tests ------------------------------------------------------------------------------------------------------- */

struct batch {
    double p[PAIR_BATCH][PAIR_CORNERS][3], behind; /* rows are read one double past their end */
    struct pair_rows rows;
};

static void make_batch(dent_random *random, enum point_kind kind, int first_b, int count, struct batch *batch)
{
    batch->behind = 0;
    for (int lane = 0; lane < PAIR_BATCH; lane++) {
        make_points(random, kind, batch->p[lane], first_b, count);
        for (int k = 0; k < PAIR_CORNERS; k++) {
            batch->rows.corner[k][lane] = batch->p[lane][k < count ? k : 0];
        }
    }
}

/* The bits of every instruction set, which must be those of the scalar row. */
static struct pair_bits ask_every_row(enum pair_kernel_kind kernel, const struct pair_rows *rows, bool touching)
{
    struct pair_bits bits = pair_kernels_scalar.test[kernel](rows, touching);
    for (int isa = DENT_ISA_AVX2; isa < DENT_ISA_COUNT; isa++) {
        if (dent_isa_available((dent_isa)isa)) {
            struct pair_bits again = pair_kernels_for((dent_isa)isa)->test[kernel](rows, touching);
            assert_int_equal(again.apart, bits.apart);
            assert_int_equal(again.meet, bits.meet);
            assert_int_equal(again.coplanar, bits.coplanar);
            assert_int_equal(again.uncut, bits.uncut);
        }
    }
    return bits;
}

static void check_lane(const struct batch *batch, int lane, enum truth truth, const struct pair_bits *bits,
                       bool touching)
{
    bool apart = bits->apart >> lane & 1, meet = bits->meet >> lane & 1, coplanar = bits->coplanar >> lane & 1;
    bool wrong = (apart && truth != TRUTH_NONE && (touching || truth != TRUTH_TOUCHING)) ||
                 (meet && truth != TRUTH_MEET) || (coplanar && truth != TRUTH_COPLANAR) || apart + meet + coplanar > 1;
    if (wrong) {
        print_message("touching %d: apart %d, meet %d, coplanar %d, in truth %d, for\n", touching, apart, meet,
                      coplanar, (int)truth);
        for (int k = 0; k < PAIR_CORNERS; k++) {
            const double *p = batch->p[lane][k];
            print_message("  %a, %a, %a\n", p[0], p[1], p[2]);
        }
        fail();
    }
}

/* Draws points of every kind; returns the share that lanes decide without touching, by kind. */
static void check_kernel(enum pair_kernel_kind kernel, int first_b, int count, uint64_t seed, double decided[])
{
    dent_random random = dent_random_seeded(seed);
    uint64_t found[4] = {0};
    for (int kind = 0; kind < POINT_KINDS; kind++) {
        uint64_t all = 0, certain = 0;
        for (int n = case_count(400); n > 0; n--) {
            struct batch batch;
            make_batch(&random, (enum point_kind)kind, first_b, count, &batch);
            enum truth truth[PAIR_BATCH];
            for (int lane = 0; lane < PAIR_BATCH; lane++) {
                truth[lane] = truth_of(kernel, (const double(*)[3])batch.p[lane], count);
                found[truth[lane]]++;
            }
            for (int touching = 0; touching < 2; touching++) {
                struct pair_bits bits = ask_every_row(kernel, &batch.rows, touching);
                if (kernel == PAIR_FACE_CELL) { /* what no plane separates is decided by the cut */
                    struct pair_bits cut = ask_every_row(PAIR_FACE_CELL_CUT, &batch.rows, touching);
                    assert_int_equal(bits.uncut & (bits.apart | bits.meet), 0);
                    bits.apart |= cut.apart;
                    bits.meet |= cut.meet & bits.uncut;
                }
                for (int lane = 0; lane < PAIR_BATCH; lane++) {
                    check_lane(&batch, lane, truth[lane], &bits, touching);
                }
                certain += touching ? 0 : (uint64_t)__builtin_popcount(bits.apart | bits.meet | bits.coplanar);
                all += touching ? 0 : PAIR_BATCH;
            }
        }
        decided[kind] = (double)certain / (double)all;
        print_message("  %s: %.1f %% decided\n", kind_names[kind], 100 * decided[kind]);
    }
    print_message("  none %llu, touching %llu, meeting %llu, coplanar %llu\n", (unsigned long long)found[0],
                  (unsigned long long)found[1], (unsigned long long)found[2], (unsigned long long)found[3]);
    for (int k = 0; k < (kernel == PAIR_FACE_FACE ? 4 : 3); k++) {
        assert_true(found[k] >= required_count());
    }
}

static void vertices_in_cells_are_certain_only_where_it_is_true(void **state)
{
    (void)state;
    double decided[POINT_KINDS];
    check_kernel(PAIR_VERTEX_CELL, 1, 5, 601, decided);
    assert_true(decided[POINTS_ORDINARY] > 0.99 && decided[POINTS_FITTED] > 0.65 && decided[POINTS_SMALL] > 0.2);
}

static void faces_in_cells_are_certain_only_where_it_is_true(void **state)
{
    (void)state;
    double decided[POINT_KINDS];
    check_kernel(PAIR_FACE_CELL, 3, 7, 602, decided);
    assert_true(decided[POINTS_ORDINARY] > 0.99 && decided[POINTS_FITTED] > 0.65 && decided[POINTS_SMALL] > 0.2);
}

static void faces_across_faces_are_certain_only_where_it_is_true(void **state)
{
    (void)state;
    double decided[POINT_KINDS];
    check_kernel(PAIR_FACE_FACE, 3, 6, 603, decided);
    assert_true(decided[POINTS_ORDINARY] > 0.99 && decided[POINTS_FITTED] > 0.65 && decided[POINTS_SMALL] > 0.2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vertices_in_cells_are_certain_only_where_it_is_true),
        cmocka_unit_test(faces_in_cells_are_certain_only_where_it_is_true),
        cmocka_unit_test(faces_across_faces_are_certain_only_where_it_is_true),
    };
    initialise_integers();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
