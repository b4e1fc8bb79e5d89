/* k-DOPs as the viewer draws them: corners lie on their planes and within all others, edges close, flat ones stay
 * whole. */
#include "support/cmocka_includes.h"

#include "../apps/viewer/model/view_polytope.h"

#include <math.h>
#include <string.h>

static const double directions[3][DENT_BOUND_SLABS_MAX][3] = {
    {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
    {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}, {1, 1, -1}, {1, -1, 1}, {1, -1, -1}},
    {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 0}, {1, -1, 0}, {1, 0, 1}, {1, 0, -1}, {0, 1, 1}, {0, 1, -1}}};
static const uint32_t slab_counts[3] = {3, 7, 9};

typedef struct cloud {
    uint32_t count;
    double points[40][3];
} cloud;

static long double along(const double direction[3], const double p[3])
{
    return (long double)direction[0] * (long double)p[0] + (long double)direction[1] * (long double)p[1] +
           (long double)direction[2] * (long double)p[2];
}

static void slabs_of(const cloud *of, int kind, dent_bound_slab slabs[DENT_BOUND_SLABS_MAX])
{
    for (uint32_t s = 0; s < slab_counts[kind]; s++) {
        memcpy(slabs[s].direction, directions[kind][s], sizeof slabs[s].direction);
        slabs[s].lo = INFINITY;
        slabs[s].hi = -INFINITY;
        for (uint32_t i = 0; i < of->count; i++) {
            double place = (double)along(slabs[s].direction, of->points[i]);
            slabs[s].lo = fmin(slabs[s].lo, place);
            slabs[s].hi = fmax(slabs[s].hi, place);
        }
    }
}

static cloud random_cloud(dent_random *random, uint32_t count, double size, const double middle[3])
{
    cloud made = {.count = count};
    for (uint32_t i = 0; i < 3 * count; i++) {
        made.points[i / 3][i % 3] = middle[i % 3] + size * (2 * dent_random_unit(random) - 1);
    }
    return made;
}

/* Every corner within all slabs and on at least `planes` of their planes. */
static void check_corners(const view_polytope *made, const dent_bound_slab *slabs, uint32_t slab_count,
                          long double tolerance, uint32_t planes)
{
    for (uint32_t i = 0; i < made->corner_count; i++) {
        uint32_t met = 0;
        for (uint32_t s = 0; s < slab_count; s++) {
            long double place = along(slabs[s].direction, made->corners[i]);
            assert_true(place >= (long double)slabs[s].lo - tolerance && place <= (long double)slabs[s].hi + tolerance);
            met += fabsl(place - (long double)slabs[s].lo) <= tolerance;
            met += fabsl(place - (long double)slabs[s].hi) <= tolerance;
        }
        assert_true(met >= planes);
    }
}

static void check_degrees(const view_polytope *made, uint32_t least, uint32_t most)
{
    uint32_t degrees[VIEW_POLYTOPE_CORNERS] = {0};
    for (uint32_t i = 0; i < made->edge_count; i++) {
        assert_true(made->edges[i][0] < made->corner_count && made->edges[i][1] < made->corner_count);
        degrees[made->edges[i][0]]++;
        degrees[made->edges[i][1]]++;
    }
    for (uint32_t i = 0; i < made->corner_count; i++) {
        assert_in_range(degrees[i], least, most);
    }
}

static void a_box_has_eight_corners_twelve_edges_and_six_faces(void **state)
{
    (void)state;
    cloud two = {.count = 2, .points = {{1, 2, 3}, {2, 4, 7}}};
    dent_bound_slab slabs[DENT_BOUND_SLABS_MAX];
    view_polytope made;
    slabs_of(&two, 0, slabs);
    view_polytope_make(slabs, 3, &made);
    assert_int_equal(made.corner_count, 8);
    assert_int_equal(made.edge_count, 12);
    assert_int_equal(made.face_count, 6);
    check_corners(&made, slabs, 3, 1e-6L, 3);
    check_degrees(&made, 3, 3);
}

static void corners_lie_on_three_slabs_and_faces_close_up_wherever_and_however_large(void **state)
{
    (void)state;
    static const double places[4] = {0, 1e3, 1e10, 0}, sizes[4] = {1, 1e-2, 1e-3, 1e100};
    dent_random random = dent_random_seeded(5);
    for (int round = 0; round < 800; round++) {
        double size = sizes[round % 4], place = places[round % 4], middle[3] = {place, -place, 0.5 * place};
        cloud points = random_cloud(&random, 4 + (uint32_t)round % 30, size, middle);
        dent_bound_slab slabs[DENT_BOUND_SLABS_MAX];
        view_polytope made;
        int kind = 1 + round / 4 % 2;
        slabs_of(&points, kind, slabs);
        view_polytope_make(slabs, slab_counts[kind], &made);
        check_corners(&made, slabs, slab_counts[kind], (long double)size * 1e-4L + (long double)place * 0x1p-50L, 3);
        assert_true(made.corner_count >= 4);
        if (round % 4 != 2) { /* far away rounding makes edges a little longer than nothing */
            assert_int_equal(made.corner_count - made.edge_count + made.face_count, 2); /* Euler */
            check_degrees(&made, 3, 18);
        }
    }
}

static void flat_slabs_make_one_closed_polygon(void **state)
{
    (void)state;
    dent_random random = dent_random_seeded(6);
    for (int round = 0; round < 300; round++) {
        const double middle[3] = {3, 4, 5};
        cloud points = random_cloud(&random, 3 + (uint32_t)round % 5, 1, middle);
        int axis = round % 3, kind = round / 3 % 3;
        dent_bound_slab slabs[DENT_BOUND_SLABS_MAX];
        view_polytope made;
        for (uint32_t i = 0; i < points.count; i++) {
            points.points[i][axis] = 2;
        }
        slabs_of(&points, kind, slabs);
        if (round % 2 == 0) { /* widened a little, as those of a tree are */
            for (uint32_t s = 0; s < slab_counts[kind]; s++) {
                slabs[s].lo -= 0x1p-49;
                slabs[s].hi += 0x1p-49;
            }
        }
        view_polytope_make(slabs, slab_counts[kind], &made);
        assert_true(made.corner_count >= 3 && made.edge_count == made.corner_count);
        check_degrees(&made, 2, 2);
        check_corners(&made, slabs, slab_counts[kind], 1e-4L, 3);
    }
}

static void a_segment_is_one_edge_and_a_point_none(void **state)
{
    (void)state;
    cloud segment = {.count = 2, .points = {{1, 2, 3}, {1, 2, 4}}}, point = {.count = 1, .points = {{1, 2, 3}}};
    for (int kind = 0; kind < 3; kind++) {
        dent_bound_slab slabs[DENT_BOUND_SLABS_MAX];
        view_polytope made;
        slabs_of(&segment, kind, slabs);
        view_polytope_make(slabs, slab_counts[kind], &made);
        assert_int_equal(made.edge_count, 1);
        slabs_of(&point, kind, slabs);
        view_polytope_make(slabs, slab_counts[kind], &made);
        assert_int_equal(made.edge_count, 0);
    }
}

static void slabs_without_ends_leave_the_box(void **state)
{
    (void)state;
    cloud two = {.count = 2, .points = {{-1e307, -1e307, -1e307}, {1e307, 1e307, 1e307}}};
    dent_bound_slab slabs[DENT_BOUND_SLABS_MAX];
    view_polytope made;
    slabs_of(&two, 2, slabs);
    for (uint32_t s = 3; s < 9; s++) {
        slabs[s].lo = -INFINITY;
        slabs[s].hi = INFINITY;
    }
    view_polytope_make(slabs, 9, &made);
    assert_int_equal(made.corner_count, 8);
    assert_int_equal(made.edge_count, 12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box_has_eight_corners_twelve_edges_and_six_faces),
        cmocka_unit_test(corners_lie_on_three_slabs_and_faces_close_up_wherever_and_however_large),
        cmocka_unit_test(flat_slabs_make_one_closed_polygon),
        cmocka_unit_test(a_segment_is_one_edge_and_a_point_none),
        cmocka_unit_test(slabs_without_ends_leave_the_box),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
