/* Nearest points against comparing all with all, in clouds of many shapes, for threads and instruction sets. */
#include "support/cmocka_includes.h"

#include "support/failing_allocator.h"
#include "support/test_context.h"

#include <dent/neighbours.h>

#include <float.h>
#include <math.h>
#include <string.h>

enum { POINTS_MOST = 3000 };

/* ---- the oracle -------------------------------------------------------------------------------------------------- */

/* A squared distance as mantissa and exponent: the numbers of the header's definition, in a scale in which nothing
 * overflows. */
struct wide_number {
    double mantissa;
    int exponent;
};

static int exponent_of(const double *numbers, uint32_t count)
{
    double largest = 0.0;
    int exponent;
    for (uint32_t i = 0; i < count; i++) {
        largest = fmax(largest, fabs(numbers[i]));
    }
    frexp(largest, &exponent);
    return largest > 0.0 ? exponent : -2000;
}

/* The largest coordinate of the points counts, or that of a place 2^70 times larger. */
static int scale_of_all(const double *points, uint32_t count, const double place[3])
{
    int all = exponent_of(points, 3 * count), one = exponent_of(place, 3);
    all = all == -2000 ? -1073 : all; /* only zeros */
    return 440 - (one > all + 70 ? one : all);
}

static struct wide_number squared_distance(const double a[3], const double b[3], int scale)
{
    double squares[3];
    for (int axis = 0; axis < 3; axis++) {
        volatile double difference = ldexp(a[axis], scale) - ldexp(b[axis], scale);
        squares[axis] = difference * difference;
    }
    volatile double sum = squares[0] + squares[1];
    sum += squares[2];
    struct wide_number number;
    number.mantissa = frexp(sum, &number.exponent);
    number.exponent -= 2 * scale;
    return number.mantissa == 0.0 ? (struct wide_number){0.0, 0} : number;
}

static int compare_numbers(struct wide_number a, struct wide_number b)
{
    if (a.mantissa == 0.0 || b.mantissa == 0.0 || a.exponent == b.exponent) {
        return (a.mantissa > b.mantissa) - (a.mantissa < b.mantissa);
    }
    return a.exponent < b.exponent ? -1 : 1;
}

struct candidate {
    struct wide_number distance;
    uint32_t index;
};

static int compare_candidates(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    int order = compare_numbers(x->distance, y->distance);
    return order ? order : (x->index > y->index) - (x->index < y->index);
}

/* All points within the radius but `own`, nearest first; returns how many. */
static uint32_t sorted_by_distance(const double *points, uint32_t count, const double place[3], uint32_t own,
                                   double radius, struct candidate *sorted)
{
    int scale = scale_of_all(points, count, place);
    struct wide_number limit = squared_distance((const double[3]){fmin(radius, DBL_MAX), 0, 0}, (const double[3]){0}, scale);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        sorted[kept] = (struct candidate){squared_distance(points + 3 * i, place, scale), i};
        kept += i != own && (radius == INFINITY || compare_numbers(sorted[kept].distance, limit) <= 0);
    }
    qsort(sorted, kept, sizeof *sorted, compare_candidates);
    return kept;
}

/* ---- clouds ------------------------------------------------------------------------------------------------------ */

enum shape {
    CUBE,
    SPHERE,
    LINE,
    LATTICE,    /* ties everywhere */
    ALL_EQUAL,
    FEW_PLACES, /* many points each */
    OUTLIER,    /* all but one in a speck */
    NESTED,     /* each half a thousand times smaller than the last */
    EXPONENTS,  /* over the whole range of doubles */
    ZEROS,      /* of both signs, and subnormals */
    SHAPE_COUNT
};

static double wide_double(dent_random *random, int low, int high)
{
    double mantissa = dent_random_unit(random) - 0.5;
    return ldexp(mantissa, low + (int)dent_random_below(random, (uint32_t)(high - low)));
}

static void make_point(enum shape shape, dent_random *random, uint32_t i, double point[3])
{
    double length = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        double x = dent_random_unit(random) - 0.5;
        switch (shape) {
        case LINE: x = axis == 1 ? x : 0.25; break;
        case LATTICE: x = dent_random_below(random, 6); break;
        case ALL_EQUAL: x = 0.1; break;
        case FEW_PLACES: x = dent_random_below(random, 2) * 0.3; break;
        case OUTLIER: x = i == 7 ? 1e6 : x * 1e-9; break;
        case NESTED: x = ldexp(x, -10 * (int)dent_random_below(random, 12)); break;
        case EXPONENTS: x = wide_double(random, -1000, 1025); break;
        case ZEROS: x = dent_random_below(random, 3) ? wide_double(random, -1073, -1040) : -0.0; break;
        default: break;
        }
        point[axis] = x;
        length += x * x;
    }
    for (int axis = 0; shape == SPHERE && axis < 3; axis++) {
        point[axis] /= sqrt(length);
    }
}

static void make_cloud(enum shape shape, dent_random *random, uint32_t count, double *points)
{
    for (uint32_t i = 0; i < count; i++) {
        make_point(shape, random, i, points + 3 * i);
    }
}

/* ---- comparing --------------------------------------------------------------------------------------------------- */

struct cloud {
    double points[3 * POINTS_MOST], places[3 * POINTS_MOST];
    uint32_t count, place_count;
};

static double as_double(struct wide_number number)
{
    return number.exponent > 1024 ? INFINITY : ldexp(number.mantissa, number.exponent);
}

static void assert_nearest(const struct cloud *cloud, dent_neighbours *neighbours, dent_neighbours_query query)
{
    static struct candidate sorted[POINTS_MOST + 1];
    uint32_t k = query.nearest;
    const double *places = query.places.data ? cloud->places : cloud->points;
    uint32_t place_count = query.places.data ? cloud->place_count : cloud->count;
    uint32_t *indices = malloc(((size_t)place_count * k + 1) * sizeof *indices);
    uint32_t *counts = malloc(((size_t)place_count + 1) * sizeof *counts);
    double *distances = malloc(((size_t)place_count * k + 1) * sizeof *distances);
    assert_int_equal(dent_neighbours_nearest(neighbours, &query, indices, distances, counts), DENT_OK);
    for (uint32_t i = 0; i < place_count; i += 1 + place_count / 60) {
        uint32_t there = sorted_by_distance(cloud->points, cloud->count, places + 3 * i,
                                            query.skip_self ? i : UINT32_MAX, query.radius, sorted);
        assert_int_equal(counts[i], there < k ? there : k);
        for (uint32_t n = 0; n < k; n++) {
            size_t at = (size_t)i * k + n;
            assert_int_equal(indices[at], n < there ? sorted[n].index : UINT32_MAX);
            assert_true(distances[at] == (n < there ? as_double(sorted[n].distance) : INFINITY));
        }
    }
    free(indices);
    free(counts);
    free(distances);
}

static void assert_within(const struct cloud *cloud, dent_neighbours *neighbours, dent_neighbours_query query)
{
    static struct candidate sorted[POINTS_MOST + 1];
    dent_neighbour_lists lists;
    const double *places = query.places.data ? cloud->places : cloud->points;
    uint32_t place_count = query.places.data ? cloud->place_count : cloud->count;
    assert_int_equal(dent_neighbours_within(neighbours, &query, &lists), DENT_OK);
    assert_int_equal(lists.first[0], 0);
    for (uint32_t i = 0; i < place_count; i += 1 + place_count / 60) {
        uint32_t there = sorted_by_distance(cloud->points, cloud->count, places + 3 * i,
                                            query.skip_self ? i : UINT32_MAX, query.radius, sorted);
        uint64_t at = lists.first[i];
        for (uint32_t n = 0; n < there; n++, at++) {
            assert_true(at < lists.first[i + 1]);
            assert_int_equal(lists.indices[at], sorted[n].index);
            assert_true(lists.squared_distances[at] == as_double(sorted[n].distance));
        }
        assert_int_equal(at, lists.first[i + 1]);
    }
}

static void assert_all_questions(struct cloud *cloud, dent_neighbours *neighbours, dent_random *random, enum shape shape)
{
    static const uint32_t sizes[] = {1, 2, 8, 13, 70};
    dent_neighbours_query query = dent_neighbours_query_default();
    query.nearest = sizes[dent_random_below(random, 5)];
    query.skip_self = true;
    assert_nearest(cloud, neighbours, query);
    query.skip_self = false;
    query.radius = shape == EXPONENTS ? 1e100 : shape == ZEROS ? 1e-314 : 0.1 * dent_random_unit(random);
    query.radius *= dent_random_below(random, 8) > 0; /* within 0: equal points */
    assert_nearest(cloud, neighbours, query);
    assert_within(cloud, neighbours, query);
    query.places = dent_positions_double(cloud->places);
    query.place_count = cloud->place_count;
    assert_within(cloud, neighbours, query);
    query.radius = INFINITY;
    assert_nearest(cloud, neighbours, query);
}

static void every_cloud_has_the_neighbours_of_the_oracle(void **state)
{
    (void)state;
    static struct cloud cloud;
    static const uint32_t threads[] = {1, 2, 5};
    dent_random random = dent_random_seeded(1);
    for (uint32_t round = 0; round < test_rounds(30); round++) {
        enum shape shape = (enum shape)(round % SHAPE_COUNT);
        dent_isa isa = (dent_isa)(1 + round % 3);
        cloud.count = dent_random_below(&random, round % 4 ? 60 : POINTS_MOST);
        cloud.place_count = dent_random_below(&random, 100);
        make_cloud(shape, &random, cloud.count, cloud.points);
        make_cloud(round % 3 ? shape : EXPONENTS, &random, cloud.place_count, cloud.places);
        dent_context *context = test_context(threads[round % 3], dent_isa_available(isa) ? isa : DENT_ISA_AUTO);
        dent_neighbours *neighbours;
        assert_int_equal(dent_neighbours_create(context, dent_positions_double(cloud.points), cloud.count, &neighbours),
                         DENT_OK);
        assert_all_questions(&cloud, neighbours, &random, shape);
        make_cloud(shape == LINE ? CUBE : shape, &random, cloud.count, cloud.points); /* all points jump */
        assert_int_equal(dent_neighbours_update(neighbours), DENT_OK);
        assert_all_questions(&cloud, neighbours, &random, shape);
        dent_neighbours_destroy(neighbours);
        dent_context_destroy(context);
    }
}

/* Many blocks of points, some of them crowded: what 1, 2 and 7 threads read and order at a time. */
static void large_clouds_have_the_same_neighbours_for_threads_and_instruction_sets(void **state)
{
    (void)state;
    enum { COUNT = 20000, NEAREST = 3 };
    static const uint32_t threads[] = {1, 2, 7};
    uint32_t count = (uint32_t)test_count(5000, COUNT, COUNT);
    double *points = malloc(3 * sizeof *points * COUNT);
    uint32_t *first = malloc(NEAREST * sizeof *first * COUNT), *indices = malloc(NEAREST * sizeof *indices * COUNT);
    dent_random random = dent_random_seeded(7);
    for (uint32_t i = 0; i < 3 * count; i++) { /* a quarter of them in a thousandth of the length */
        points[i] = (i / 3 % 4 ? 1.0 : 1e-3) * dent_random_unit(&random);
    }
    for (int turn = 0; turn < 3 * (DENT_ISA_COUNT - DENT_ISA_SCALAR); turn++) {
        dent_isa isa = (dent_isa)(DENT_ISA_SCALAR + turn / 3);
        if (!dent_isa_available(isa)) {
            continue;
        }
        dent_context *context = test_context(threads[turn % 3], isa);
        dent_neighbours *neighbours;
        dent_neighbours_query query = dent_neighbours_query_default();
        query.nearest = NEAREST;
        query.skip_self = true;
        assert_int_equal(dent_neighbours_create(context, dent_positions_double(points), count, &neighbours), DENT_OK);
        assert_int_equal(dent_neighbours_nearest(neighbours, &query, turn ? indices : first, NULL, NULL), DENT_OK);
        assert_true(turn == 0 || !memcmp(first, indices, NEAREST * sizeof *first * count));
        dent_neighbours_destroy(neighbours);
        dent_context_destroy(context);
    }
    for (uint32_t i = 0; i < 20; i++) { /* a few of them against all */
        uint32_t at = dent_random_below(&random, count), best = UINT32_MAX;
        double least = INFINITY;
        for (uint32_t k = 0; k < count; k++) {
            double x = points[3 * k] - points[3 * at], y = points[3 * k + 1] - points[3 * at + 1],
                   z = points[3 * k + 2] - points[3 * at + 2], square = x * x + y * y + z * z;
            best = k != at && square < least ? k : best;
            least = k != at && square < least ? square : least;
        }
        assert_int_equal(first[NEAREST * at], best);
    }
    free(indices);
    free(first);
    free(points);
}

static void a_point_at_the_origin_is_as_far_as_it_is(void **state)
{
    static const double origin[3] = {0, 0, 0}, place[3] = {1e-170, 0, 0};
    dent_neighbours *neighbours;
    dent_neighbour_lists lists;
    assert_int_equal(dent_neighbours_create(*state, dent_positions_double(origin), 1, &neighbours), DENT_OK);
    dent_neighbours_query query = dent_neighbours_query_default();
    query.places = dent_positions_double(place);
    query.place_count = 1;
    query.radius = 1e-175;
    assert_int_equal(dent_neighbours_within(neighbours, &query, &lists), DENT_OK);
    assert_int_equal(lists.first[1], 0);
    query.radius = 1e-170;
    assert_int_equal(dent_neighbours_within(neighbours, &query, &lists), DENT_OK);
    assert_int_equal(lists.first[1], 1);
    dent_neighbours_destroy(neighbours);
}

/* ---- updates ----------------------------------------------------------------------------------------------------- */

static void small_motion_keeps_the_order_and_a_shuffle_makes_it_anew(void **state)
{
    static struct cloud cloud;
    dent_random random = dent_random_seeded(2);
    cloud.count = POINTS_MOST;
    make_cloud(CUBE, &random, cloud.count, cloud.points);
    dent_neighbours *neighbours;
    assert_int_equal(dent_neighbours_create(*state, dent_positions_double(cloud.points), cloud.count, &neighbours),
                     DENT_OK);
    uint64_t before = dent_context_memory_use(*state).allocations;
    for (uint32_t i = 0; i < 3 * cloud.count; i++) {
        cloud.points[i] = 1e-3 * dent_random_unit(&random) + 16.0 * cloud.points[i];
    }
    for (uint32_t i = 0; i < 3 * cloud.count; i++) {
        cloud.points[i] /= 16.0;
    }
    assert_int_equal(dent_neighbours_update(neighbours), DENT_OK);
    assert_int_equal(dent_neighbours_reordered(neighbours), 0);
    assert_int_equal(dent_context_memory_use(*state).allocations, before);
    make_cloud(CUBE, &random, cloud.count, cloud.points);
    assert_int_equal(dent_neighbours_update(neighbours), DENT_OK);
    assert_int_equal(dent_neighbours_reordered(neighbours), 1);
    dent_neighbours_destroy(neighbours);
}

static void a_second_question_about_the_points_allocates_nothing(void **state)
{
    static struct cloud cloud;
    static uint32_t indices[8 * POINTS_MOST];
    dent_random random = dent_random_seeded(3);
    cloud.count = POINTS_MOST;
    make_cloud(SPHERE, &random, cloud.count, cloud.points);
    dent_neighbours *neighbours;
    assert_int_equal(dent_neighbours_create(*state, dent_positions_double(cloud.points), cloud.count, &neighbours),
                     DENT_OK);
    dent_neighbours_query query = dent_neighbours_query_default();
    query.nearest = 8;
    query.radius = 0.05;
    uint64_t before = 0;
    for (int round = 0; round < 4; round++) {
        dent_neighbour_lists lists;
        assert_int_equal(dent_neighbours_nearest(neighbours, &query, indices, NULL, NULL), DENT_OK);
        assert_int_equal(dent_neighbours_within(neighbours, &query, &lists), DENT_OK);
        if (round > 1) {
            assert_int_equal(dent_context_memory_use(*state).allocations, before);
        }
        before = dent_context_memory_use(*state).allocations;
    }
    dent_neighbours_destroy(neighbours);
}

/* ---- bad input --------------------------------------------------------------------------------------------------- */

static void assert_message(dent_context *context, const char *part)
{
    char text[512];
    dent_context_message(context, text, sizeof text);
    if (!strstr(text, part)) {
        fail_msg("\"%s\" does not say \"%s\"", text, part);
    }
}

static void bad_input_is_named(void **state)
{
    double points[12] = {0, 0, 0, 1, 0, 0, 0, NAN, 0, 0, 0, 1};
    dent_neighbours *neighbours = NULL;
    assert_int_equal(dent_neighbours_create(*state, dent_positions_double(points), 4, &neighbours),
                     DENT_ERROR_BAD_NUMBER);
    assert_null(neighbours);
    assert_message(*state, "point 2: y is not finite");
    assert_int_equal(dent_neighbours_create(*state, dent_positions_double(NULL), 4, &neighbours),
                     DENT_ERROR_INVALID_ARGUMENT);
    points[7] = 3.0;
    assert_int_equal(dent_neighbours_create(*state, dent_positions_double(points), 4, &neighbours), DENT_OK);
    dent_neighbours_query query = dent_neighbours_query_default();
    uint32_t index[4];
    query.nearest = 0;
    assert_int_equal(dent_neighbours_nearest(neighbours, &query, index, NULL, NULL), DENT_ERROR_INVALID_ARGUMENT);
    query.nearest = 1;
    query.radius = -1.0;
    assert_int_equal(dent_neighbours_nearest(neighbours, &query, index, NULL, NULL), DENT_ERROR_INVALID_ARGUMENT);
    query.radius = NAN;
    assert_int_equal(dent_neighbours_nearest(neighbours, &query, index, NULL, NULL), DENT_ERROR_INVALID_ARGUMENT);
    query.radius = INFINITY;
    dent_neighbour_lists lists;
    assert_int_equal(dent_neighbours_within(neighbours, &query, &lists), DENT_ERROR_INVALID_ARGUMENT);
    query.places = dent_positions_double(points);
    query.place_count = 1;
    query.skip_self = true;
    assert_int_equal(dent_neighbours_nearest(neighbours, &query, index, NULL, NULL), DENT_ERROR_INVALID_ARGUMENT);
    query.skip_self = false;
    points[0] = -INFINITY;
    assert_int_equal(dent_neighbours_nearest(neighbours, &query, index, NULL, NULL), DENT_ERROR_BAD_NUMBER);
    assert_message(*state, "place 0: x is not finite");
    assert_int_equal(dent_neighbours_update(neighbours), DENT_ERROR_BAD_NUMBER);
    query.places.data = NULL;
    query.skip_self = true;
    assert_int_equal(dent_neighbours_nearest(neighbours, &query, index, NULL, NULL), DENT_OK); /* still the old points */
    assert_int_equal(index[0], 1);
    dent_neighbours_destroy(neighbours);
}

/* Blocks are read at the same time; the message is about the smallest index all the same. */
static void the_first_of_several_bad_points_is_named(void **state)
{
    enum { COUNT = 5000 };
    static double points[3 * COUNT];
    dent_neighbours *neighbours = NULL;
    memset(points, 0, sizeof points);
    points[3 * 4700] = points[3 * 3001 + 2] = NAN;
    points[3 * 4800 + 1] = INFINITY;
    for (int round = 0; round < 20; round++) {
        assert_int_equal(dent_neighbours_create(*state, dent_positions_double(points), COUNT, &neighbours),
                         DENT_ERROR_BAD_NUMBER);
        assert_message(*state, "point 3001: z is not finite");
    }
}

static void no_memory_at_any_point_is_survived(void **state)
{
    (void)state;
    static struct cloud cloud;
    static uint32_t indices[POINTS_MOST];
    dent_random random = dent_random_seeded(4);
    cloud.count = 600;
    make_cloud(OUTLIER, &random, cloud.count, cloud.points);
    bool done = false;
    for (uint64_t fail_at = 1; !done; fail_at++) {
        struct failing_allocator memory = failing_allocator_make();
        dent_context_def def = dent_context_def_default();
        def.allocator = failing_allocator_hook(&memory);
        def.thread_count = 1;
        dent_context *context = dent_context_create(&def, NULL);
        assert_non_null(context);
        atomic_store(&memory.requests, 0);
        atomic_store(&memory.fail_at, fail_at);
        dent_neighbours *neighbours = NULL;
        dent_neighbour_lists lists;
        dent_neighbours_query query = dent_neighbours_query_default();
        query.radius = 1e-10;
        dent_status status =
            dent_neighbours_create(context, dent_positions_double(cloud.points), cloud.count, &neighbours);
        status = status ? status : dent_neighbours_nearest(neighbours, &query, indices, NULL, NULL);
        status = status ? status : dent_neighbours_within(neighbours, &query, &lists);
        query.places = dent_positions_double(cloud.points);
        query.place_count = 9;
        status = status ? status : dent_neighbours_nearest(neighbours, &query, NULL, NULL, NULL);
        assert_true(status == DENT_OK || status == DENT_ERROR_OUT_OF_MEMORY);
        done = status == DENT_OK;
        dent_neighbours_destroy(neighbours);
        dent_context_destroy(context);
        assert_true(failing_allocator_clean(&memory));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_cloud_has_the_neighbours_of_the_oracle),
        cmocka_unit_test(large_clouds_have_the_same_neighbours_for_threads_and_instruction_sets),
        cmocka_unit_test(a_point_at_the_origin_is_as_far_as_it_is),
        cmocka_unit_test(small_motion_keeps_the_order_and_a_shuffle_makes_it_anew),
        cmocka_unit_test(a_second_question_about_the_points_allocates_nothing),
        cmocka_unit_test(bad_input_is_named),
        cmocka_unit_test(the_first_of_several_bad_points_is_named),
        cmocka_unit_test(no_memory_at_any_point_is_survived),
    };
    return cmocka_run_group_tests(tests, test_open_context_of_two, test_close_context);
}
