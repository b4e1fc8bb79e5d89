/* GJK against the exact tests: nanoseconds for a pair of tetrahedra and for a triangle and a tetrahedron, apart,
 * overlapping, and as they come.
 *
 * Rows are measured in turns; each figure is the median of the turns, with the quartiles. Usage: bench_gjk [turns]
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <dent/base.h>

#include "geometry/predicates/tetrahedron_predicates.h"
#include "support/convex_hulls.h"
#include "sort_times.h"

enum { PAIRS = 4096, TURNS_MAX = 201, INPUTS = 3, ROWS = 4 };

struct input {
    const char *name;
    double points[PAIRS][8][3];
};

static bool exact_tets(const double *const *a, const double *const *b)
{
    predicate_counters counters = {0};
    return tetrahedra_interiors_meet(a, b, &counters);
}

static bool exact_face(const double *const *a, const double *const *b)
{
    predicate_counters counters = {0};
    return triangle_meets_open_tetrahedron(a, b, &counters);
}

static bool gjk_tets(const double *const *a, const double *const *b)
{
    return gjk_of_hulls(a, 4, b, 4).relation == GJK_OVERLAPPING;
}

static bool gjk_face(const double *const *a, const double *const *b)
{
    return gjk_of_hulls(a, 3, b, 4).relation == GJK_OVERLAPPING;
}

typedef bool overlap_test(const double *const *a, const double *const *b);

static void corners_of(const struct input *input, int pair, const double *points[8])
{
    for (int i = 0; i < 8; i++) {
        points[i] = input->points[pair][i];
    }
}

static bool boxes_meet(const double (*p)[3])
{
    for (int axis = 0; axis < 3; axis++) {
        double lo[2], hi[2];
        for (int side = 0; side < 2; side++) {
            lo[side] = hi[side] = p[side * 4][axis];
            for (int k = 1; k < 4; k++) {
                double x = p[side * 4 + k][axis];
                lo[side] = x < lo[side] ? x : lo[side];
                hi[side] = x > hi[side] ? x : hi[side];
            }
        }
        if (lo[0] > hi[1] || lo[1] > hi[0]) {
            return false;
        }
    }
    return true;
}

/* Pairs whose boxes overlap, as a search offers them; wanted: 0 apart, 1 overlapping, 2 as they come. */
static void make_input(struct input *input, int wanted, dent_random *random)
{
    for (int pair = 0; pair < PAIRS;) {
        const double *points[8];
        for (int i = 0; i < 8; i++) {
            for (int axis = 0; axis < 3; axis++) {
                input->points[pair][i][axis] = dent_random_unit(random) + (i < 4 && axis == 0 ? 0.4 : 0);
            }
        }
        corners_of(input, pair, points);
        bool meets = exact_face(points, points + 4), both = exact_tets(points, points + 4);
        pair += boxes_meet((const double(*)[3])input->points[pair]) &&
                (wanted == 2 || (meets == both && meets == (wanted == 1)));
    }
}

/* Processor time: a busy machine disturbs it less than the clock on the wall. */
static uint64_t processor_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

int main(int argc, char **argv)
{
    static const char *const input_names[INPUTS] = {"apart", "overlapping", "as they come"};
    static const char *const row_names[ROWS] = {"exact tet-tet", "GJK tet-tet", "exact triangle-tet",
                                                "GJK triangle-tet"};
    static overlap_test *const tests[ROWS] = {exact_tets, gjk_tets, exact_face, gjk_face};
    static struct input inputs[INPUTS];
    static double times[INPUTS][ROWS][TURNS_MAX];
    static int64_t sums[INPUTS][ROWS];
    int turns = argc > 1 ? atoi(argv[1]) : 21;
    turns = turns < 1 ? 1 : turns > TURNS_MAX ? TURNS_MAX : turns;
    dent_random random = dent_random_seeded(1);
    for (int i = 0; i < INPUTS; i++) {
        make_input(&inputs[i], i, &random);
    }
    for (int turn = 0; turn < turns; turn++) {
        for (int i = 0; i < INPUTS; i++) {
            for (int row = 0; row < ROWS; row++) {
                int64_t sum = 0;
                uint64_t began = processor_ns();
                for (int pair = 0; pair < PAIRS; pair++) {
                    const double *points[8];
                    corners_of(&inputs[i], pair, points);
                    sum += tests[row](points, points + 4);
                }
                times[i][row][turn] = (double)(processor_ns() - began) / PAIRS;
                sums[i][row] = sum;
            }
        }
    }
    for (int i = 0; i < INPUTS; i++) {
        for (int row = 0; row < ROWS; row++) {
            double *t = times[i][row];
            sort_times(t, (size_t)turns);
            printf("%-13s %-20s %7.1f ns (%7.1f .. %7.1f)  overlapping %" PRId64 " of %d\n", input_names[i],
                   row_names[row], t[turns / 2], t[turns / 4], t[turns * 3 / 4], sums[i][row], PAIRS);
        }
    }
    return 0;
}
