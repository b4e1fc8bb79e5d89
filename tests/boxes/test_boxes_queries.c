/* Queries of boxes against asking every box: boxes, points, segments and rays, nearest; for every method, thread count and
 * instruction set. Segments are compared with rational-free exact integers: their coordinates are small. */
#include "support/cmocka_includes.h"

#include "support/failing_allocator.h"
#include "support/random_boxes.h"
#include "support/test_context.h"

#include <dent/boxes.h>

enum { SET_MOST = 120, QUERIES = 70 };

struct query_set {
    uint32_t count;
    double boxes[6 * SET_MOST];
    uint32_t groups[SET_MOST];
    double queries[6 * QUERIES];
    uint32_t masks[QUERIES];
};

/* A box around everything, or far from everything, as large as doubles go. */
static void far_query(dent_random *random, double query[6])
{
    double reach = ldexp(1.0 + dent_random_unit(random), (int)dent_random_below(random, 1024));
    uint32_t far_axis = dent_random_below(random, 6);
    for (uint32_t axis = 0; axis < 3; axis++) {
        query[axis] = axis == far_axis ? 0.5 * reach : -reach;
        query[axis + 3] = reach;
    }
}

static void random_queries(dent_random *random, struct query_set *set, enum box_kind kind)
{
    set->count = dent_random_below(random, SET_MOST + 1);
    for (uint32_t i = 0; i < set->count; i++) {
        random_box(random, kind, i, set->boxes + 6 * i);
        if (dent_random_below(random, 10) == 0) {
            absent_box(random, set->boxes + 6 * i);
        }
        set->groups[i] = 1u << dent_random_below(random, 3);
    }
    for (uint32_t q = 0; q < QUERIES; q++) {
        random_box(random, kind, q + 1, set->queries + 6 * q);
        if (q % 9 == 0 && set->count > 0) { /* corners of boxes */
            memcpy(set->queries + 6 * q, set->boxes + 6 * dent_random_below(random, set->count), 6 * sizeof(double));
        }
        if (q % 10 == 1) {
            far_query(random, set->queries + 6 * q);
        }
        set->masks[q] = dent_random_below(random, 8);
    }
}

static dent_boxes *open_set(dent_context *context, dent_boxes_method method, const struct query_set *set)
{
    dent_boxes_def def = dent_boxes_def_default();
    dent_box_list list = dent_box_list_double(set->boxes);
    dent_boxes *boxes = NULL;
    list.groups = set->groups;
    def.method = method;
    assert_int_equal(dent_boxes_create(context, &def, &boxes), DENT_OK);
    assert_int_equal(dent_boxes_update(boxes, list, set->count), DENT_OK);
    return boxes;
}

/* Does query q report box i? */
typedef bool oracle(const struct query_set *set, uint32_t q, uint32_t i);

static void assert_hits(const struct query_set *set, const dent_box_hits *hits, oracle *expected)
{
    uint64_t at = 0;
    for (uint32_t q = 0; q < QUERIES; q++) {
        assert_int_equal(hits->first[q], at);
        for (uint32_t i = 0; i < set->count; i++) {
            if ((set->groups[i] & set->masks[q]) && expected(set, q, i)) {
                assert_true(at < hits->first[QUERIES]);
                assert_int_equal(hits->indices[at], i);
                at++;
            }
        }
    }
    assert_int_equal(hits->first[QUERIES], at);
}

static bool overlaps(const struct query_set *set, uint32_t q, uint32_t i)
{
    return boxes_overlap(set->queries + 6 * q, set->boxes + 6 * i);
}

static bool contains(const struct query_set *set, uint32_t q, uint32_t i)
{
    double point[6];
    memcpy(point, set->queries + 6 * q, 3 * sizeof *point);
    memcpy(point + 3, point, 3 * sizeof *point);
    return boxes_overlap(point, set->boxes + 6 * i);
}

static bool finite_query(const double *query)
{
    bool finite = true;
    for (int k = 0; k < 6; k++) {
        finite = finite && isfinite(query[k]);
    }
    return finite;
}

static void test_boxes_and_points_find_what_brute_force_finds(void **state)
{
    dent_random random = dent_random_seeded(31);
    int rounds = (int)test_count(12, 60, 1200);
    for (int round = 0; round < rounds; round++) {
        struct query_set set;
        random_queries(&random, &set, (enum box_kind)(round % BOXES_KINDS));
        for (dent_boxes_method method = DENT_BOXES_AUTO; method < DENT_BOXES_METHOD_COUNT; method++) {
            dent_boxes *boxes = open_set(*state, method, &set);
            dent_box_hits hits;
            dent_box_list list = dent_box_list_double(set.queries);
            list.masks = set.masks;
            assert_int_equal(dent_boxes_overlapping(boxes, list, QUERIES, &hits), DENT_OK);
            assert_hits(&set, &hits, overlaps);
            struct query_set finite = set;
            for (uint32_t q = 0; q < QUERIES; q++) {
                if (!finite_query(finite.queries + 6 * q)) {
                    memset(finite.queries + 6 * q, 0, 6 * sizeof(double));
                }
            }
            dent_positions points = {finite.queries, 6 * sizeof(double), DENT_SCALAR_DOUBLE};
            assert_int_equal(dent_boxes_at_points(boxes, points, QUERIES, finite.masks, &hits), DENT_OK);
            assert_hits(&finite, &hits, contains);
            dent_boxes_destroy(boxes);
        }
    }
}

/* ---- segments: coordinates are small integers, so that parameters are fractions of small integers -------------------- */

static bool rays_asked;

/* The parameters at which the line is between the planes of all axes, as fractions that are compared by products. */
static bool integer_segment_meets(const struct query_set *set, uint32_t q, uint32_t i)
{
    const double *box = set->boxes + 6 * i, *from = set->queries + 6 * q, *to = from + 3;
    int64_t enter = 0, enter_below = 1, leave = 1, leave_below = rays_asked ? 0 : 1; /* 1 / 0: no end */
    if (!boxes_present(box)) {
        return false;
    }
    for (int axis = 0; axis < 3; axis++) {
        int64_t p = (int64_t)from[axis], way = (int64_t)to[axis] - p;
        int64_t lo = (int64_t)box[axis], hi = (int64_t)box[axis + 3];
        if (way == 0) {
            if (p < lo || p > hi) {
                return false;
            }
            continue;
        }
        int64_t first = way > 0 ? lo - p : p - hi, last = way > 0 ? hi - p : p - lo, below = way > 0 ? way : -way;
        if (first * enter_below > enter * below) {
            enter = first, enter_below = below;
        }
        if (leave_below == 0 || last * leave_below < leave * below) {
            leave = last, leave_below = below;
        }
    }
    return leave_below == 0 || enter * leave_below <= leave * enter_below;
}

static void integer_set(dent_random *random, struct query_set *set, int size, double unit)
{
    set->count = dent_random_below(random, SET_MOST + 1);
    for (uint32_t i = 0; i < set->count; i++) {
        set->groups[i] = 1u << dent_random_below(random, 3);
        for (int axis = 0; axis < 3; axis++) {
            int a = (int)dent_random_below(random, (uint32_t)size), b = a + (int)dent_random_below(random, 4);
            set->boxes[6 * i + (uint32_t)axis] = unit * (a - size / 2);
            set->boxes[6 * i + (uint32_t)axis + 3] = unit * (b - size / 2);
        }
    }
    for (uint32_t q = 0; q < QUERIES; q++) {
        set->masks[q] = 1 + dent_random_below(random, 7);
        for (int k = 0; k < 6; k++) {
            int reach = q % 5 == 0 ? 8 * size : size + 4;
            set->queries[6 * q + (uint32_t)k] = unit * ((int)dent_random_below(random, (uint32_t)reach) - reach / 2);
        }
        if (q % 11 == 0) { /* along an axis, or a point */
            memcpy(set->queries + 6 * q + 3, set->queries + 6 * q, (q % 2 ? 2 : 3) * sizeof(double));
        }
    }
}

static void test_segments_and_rays_meet_what_integers_say(void **state)
{
    dent_random random = dent_random_seeded(33);
    int rounds = (int)test_count(40, 300, 6000);
    for (int round = 0; round < rounds; round++) {
        struct query_set set, scaled;
        dent_box_hits hits;
        integer_set(&random, &set, round % 3 == 0 ? 8 : round % 3 == 1 ? 30 : 3000, 1.0);
        scaled = set; /* the same answers in any unit */
        double unit = ldexp(1.0, (int)dent_random_below(&random, 1900) - 950);
        for (uint32_t k = 0; k < 6 * SET_MOST; k++) {
            scaled.boxes[k] = k < 6 * set.count ? unit * set.boxes[k] : 0.0;
        }
        for (uint32_t k = 0; k < 6 * QUERIES; k++) {
            scaled.queries[k] = unit * set.queries[k];
        }
        dent_boxes *boxes = open_set(*state, (dent_boxes_method)(round % DENT_BOXES_METHOD_COUNT), &scaled);
        dent_box_segments segments = {{scaled.queries, 6 * sizeof(double), DENT_SCALAR_DOUBLE},
                                      {scaled.queries + 3, 6 * sizeof(double), DENT_SCALAR_DOUBLE},
                                      round % 2 == 1, scaled.masks};
        rays_asked = segments.rays;
        assert_int_equal(dent_boxes_on_segments(boxes, &segments, QUERIES, &hits), DENT_OK);
        assert_hits(&set, &hits, integer_segment_meets);
        for (uint64_t k = 0; k < hits.first[QUERIES]; k++) {
            assert_true(hits.parameters[k] >= 0.0 && (rays_asked || hits.parameters[k] <= 1.0));
        }
        dent_boxes_destroy(boxes);
    }
}

/* ---- nearest ----------------------------------------------------------------------------------------------------- */

static double box_distance(const double *box, const double *place)
{
    double squares[3];
    for (int axis = 0; axis < 3; axis++) {
        volatile double above = box[axis] - place[axis], below = place[axis] - box[axis + 3];
        double gap = above > below ? above : below;
        squares[axis] = gap > 0.0 ? gap * gap : 0.0;
    }
    volatile double sum = squares[0] + squares[1];
    return sum + squares[2];
}

static void assert_nearest(const struct query_set *set, uint32_t q, uint32_t k, const uint32_t *indices,
                           const double *distances, uint32_t found)
{
    double last = -1.0;
    uint32_t last_index = 0, present = 0;
    for (uint32_t i = 0; i < set->count; i++) {
        present += boxes_present(set->boxes + 6 * i);
    }
    assert_int_equal(found, present < k ? present : k);
    for (uint32_t r = 0; r < found; r++) { /* the next in order of distance and index */
        uint32_t best = UINT32_MAX;
        double least = INFINITY;
        for (uint32_t i = 0; i < set->count; i++) {
            double distance = box_distance(set->boxes + 6 * i, set->queries + 6 * q);
            bool behind = distance > last || (distance == last && i > last_index) || r == 0;
            if (boxes_present(set->boxes + 6 * i) && behind && distance < least) {
                least = distance;
                best = i;
            }
        }
        assert_int_equal(indices[r], best);
        assert_true(distances[r] == least);
        last = least;
        last_index = best;
    }
    for (uint32_t r = found; r < k; r++) {
        assert_int_equal(indices[r], UINT32_MAX);
    }
}

static void test_the_nearest_boxes_are_those_of_brute_force(void **state)
{
    dent_random random = dent_random_seeded(34);
    int rounds = (int)test_count(12, 60, 1500);
    for (int round = 0; round < rounds; round++) {
        struct query_set set;
        enum box_kind kind = (enum box_kind)(round % BOXES_KINDS);
        uint32_t k = 1 + dent_random_below(&random, 12), indices[12 * QUERIES], counts[QUERIES];
        double distances[12 * QUERIES];
        random_queries(&random, &set, kind == BOXES_HUGE ? BOXES_UNIFORM : kind);
        dent_boxes *boxes = open_set(*state, (dent_boxes_method)(round % DENT_BOXES_METHOD_COUNT), &set);
        for (int step = 0; step < 3; step++) {
            for (uint32_t q = 0; q < QUERIES; q++) {
                for (int axis = 0; axis < 3; axis++) {
                    double x = set.queries[6 * q + (uint32_t)axis];
                    set.queries[6 * q + (uint32_t)axis] = isfinite(x) && fabs(x) < 1e20 ? x : 0.0;
                }
            }
            dent_neighbours_query query = dent_neighbours_query_default();
            query.places = (dent_positions){set.queries, 6 * sizeof(double), DENT_SCALAR_DOUBLE};
            query.place_count = QUERIES;
            query.nearest = k;
            assert_int_equal(dent_boxes_nearest(boxes, &query, indices, distances, counts), DENT_OK);
            for (uint32_t q = 0; q < QUERIES; q++) {
                assert_nearest(&set, q, k, indices + q * k, distances + q * k, counts[q]);
            }
            for (uint32_t i = 0; i < set.count; i += 3) { /* some move */
                random_box(&random, kind == BOXES_HUGE ? BOXES_UNIFORM : kind, i, set.boxes + 6 * i);
            }
            dent_box_list list = dent_box_list_double(set.boxes);
            list.groups = set.groups;
            assert_int_equal(dent_boxes_update(boxes, list, set.count), DENT_OK);
        }
        dent_boxes_destroy(boxes);
    }
}

/* Points as boxes: the same numbers as dent_neighbours. */
static void test_points_are_boxes_without_extent(void **state)
{
    enum { COUNT = 2000, K = 5 };
    static double points[3 * COUNT], boxes_of[6 * COUNT], places[3 * COUNT];
    static uint32_t indices[2][K * COUNT];
    static double distances[2][K * COUNT];
    dent_random random = dent_random_seeded(35);
    for (uint32_t i = 0; i < COUNT; i++) {
        for (uint32_t axis = 0; axis < 3; axis++) {
            points[3 * i + axis] = boxes_of[6 * i + axis] = boxes_of[6 * i + axis + 3] = boxes_random(&random, -1, 1);
            places[3 * i + axis] = boxes_random(&random, -2, 2);
        }
    }
    dent_neighbours *neighbours = NULL;
    dent_boxes *boxes = NULL;
    assert_int_equal(dent_neighbours_create(*state, dent_positions_double(points), COUNT, &neighbours), DENT_OK);
    assert_int_equal(dent_boxes_create(*state, NULL, &boxes), DENT_OK);
    assert_int_equal(dent_boxes_update(boxes, dent_box_list_double(boxes_of), COUNT), DENT_OK);
    dent_neighbours_query query = dent_neighbours_query_default();
    query.places = dent_positions_double(places);
    query.place_count = COUNT;
    query.nearest = K;
    assert_int_equal(dent_neighbours_nearest(neighbours, &query, indices[0], distances[0], NULL), DENT_OK);
    assert_int_equal(dent_boxes_nearest(boxes, &query, indices[1], distances[1], NULL), DENT_OK);
    assert_memory_equal(indices[0], indices[1], sizeof indices[0]);
    assert_memory_equal(distances[0], distances[1], sizeof distances[0]);
    dent_boxes_destroy(boxes);
    dent_neighbours_destroy(neighbours);
}

/* ---- threads, memory, input --------------------------------------------------------------------------------------- */

static bool ask_all(dent_boxes *boxes, const struct query_set *set, uint64_t *hash)
{
    dent_box_hits hits;
    uint32_t nearest[QUERIES];
    dent_box_list list = dent_box_list_double(set->queries);
    dent_positions from = {set->queries, 6 * sizeof(double), DENT_SCALAR_DOUBLE};
    dent_positions to = {set->queries + 3, 6 * sizeof(double), DENT_SCALAR_DOUBLE};
    dent_box_segments segments = {from, to, false, NULL};
    dent_neighbours_query query = dent_neighbours_query_default();
    query.places = from;
    query.place_count = QUERIES;
    bool good = true;
    *hash = 1;
    for (int kind = 0; kind < 3; kind++) {
        dent_status status = kind == 0   ? dent_boxes_overlapping(boxes, list, QUERIES, &hits)
                             : kind == 1 ? dent_boxes_at_points(boxes, from, QUERIES, NULL, &hits)
                                         : dent_boxes_on_segments(boxes, &segments, QUERIES, &hits);
        assert_true(status == DENT_OK || status == DENT_ERROR_OUT_OF_MEMORY);
        good = good && status == DENT_OK;
        for (uint64_t k = 0; status == DENT_OK && k < hits.first[QUERIES]; k++) {
            *hash = (*hash ^ hits.indices[k]) * UINT64_C(1099511628211);
        }
    }
    dent_status status = dent_boxes_nearest(boxes, &query, nearest, NULL, NULL);
    assert_true(status == DENT_OK || status == DENT_ERROR_OUT_OF_MEMORY);
    for (uint32_t q = 0; status == DENT_OK && q < QUERIES; q++) {
        *hash = (*hash ^ nearest[q]) * UINT64_C(1099511628211);
    }
    return good && status == DENT_OK;
}

static void test_threads_and_instruction_sets_find_the_same(void **state)
{
    const uint32_t threads[] = {1, 2, 7};
    struct query_set set;
    dent_random random = dent_random_seeded(36);
    uint64_t expected = 0, hash;
    (void)state;
    do {
        integer_set(&random, &set, 30, 1.0);
    } while (set.count < 100);
    for (dent_isa isa = DENT_ISA_SCALAR; isa < DENT_ISA_COUNT; isa++) {
        for (int t = 0; t < 3 && dent_isa_available(isa); t++) {
            dent_context *context = test_context(threads[t], isa);
            for (dent_boxes_method method = DENT_BOXES_AUTO; method < DENT_BOXES_METHOD_COUNT; method++) {
                dent_boxes *boxes = open_set(context, method, &set);
                assert_true(ask_all(boxes, &set, &hash));
                expected = expected ? expected : hash;
                assert_true(hash == expected);
                dent_boxes_destroy(boxes);
            }
            dent_context_destroy(context);
        }
    }
}

static void test_failing_allocations_of_queries_are_survived(void **state)
{
    struct query_set set;
    dent_random random = dent_random_seeded(37);
    uint64_t hash;
    (void)state;
    do {
        integer_set(&random, &set, 10, 1.0);
    } while (set.count < 100);
    for (uint64_t n = 1, done = 0; !done; n++) {
        struct failing_allocator memory = failing_allocator_make();
        dent_context_def def = dent_context_def_default();
        def.allocator = failing_allocator_hook(&memory);
        def.thread_count = 1;
        dent_context *context = dent_context_create(&def, NULL);
        dent_boxes *boxes = open_set(context, DENT_BOXES_AUTO, &set);
        memory.requests = 0;
        memory.fail_at = n;
        done = ask_all(boxes, &set, &hash) && memory.requests < n;
        memory.fail_at = 0;
        assert_true(ask_all(boxes, &set, &hash));
        dent_boxes_destroy(boxes);
        dent_context_destroy(context);
        assert_true(failing_allocator_clean(&memory));
    }
}

static void test_bad_queries_are_refused(void **state)
{
    double box[6] = {0, 0, 0, 1, 1, NAN}, good[6] = {0, 0, 0, 1, 1, 1};
    char text[200];
    dent_boxes *boxes = NULL;
    dent_box_hits hits;
    assert_int_equal(dent_boxes_create(*state, NULL, &boxes), DENT_OK);
    assert_int_equal(dent_boxes_update(boxes, dent_box_list_double(good), 1), DENT_OK);
    assert_int_equal(dent_boxes_overlapping(boxes, dent_box_list_double(box), 1, &hits), DENT_ERROR_BAD_NUMBER);
    dent_context_message(*state, text, sizeof text);
    assert_string_equal(text, "query box 0: hi z is not a number");
    assert_int_equal(dent_boxes_at_points(boxes, dent_positions_double(box + 3), 1, NULL, &hits), DENT_ERROR_BAD_NUMBER);
    dent_box_segments segments = {dent_positions_double(box), dent_positions_double(box + 3), false, NULL};
    assert_int_equal(dent_boxes_on_segments(boxes, &segments, 1, &hits), DENT_ERROR_BAD_NUMBER);
    dent_context_message(*state, text, sizeof text);
    assert_string_equal(text, "end of segment 0: z is not finite");
    dent_neighbours_query query = dent_neighbours_query_default();
    query.place_count = 1;
    assert_int_equal(dent_boxes_nearest(boxes, &query, NULL, NULL, NULL), DENT_ERROR_INVALID_ARGUMENT);
    query.places = dent_positions_double(good);
    query.skip_self = true;
    assert_int_equal(dent_boxes_nearest(boxes, &query, NULL, NULL, NULL), DENT_ERROR_INVALID_ARGUMENT);
    query.struct_size = 1;
    assert_int_equal(dent_boxes_nearest(boxes, &query, NULL, NULL, NULL), DENT_ERROR_INVALID_ARGUMENT);
    dent_boxes_destroy(boxes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_boxes_and_points_find_what_brute_force_finds),
        cmocka_unit_test(test_segments_and_rays_meet_what_integers_say),
        cmocka_unit_test(test_the_nearest_boxes_are_those_of_brute_force),
        cmocka_unit_test(test_points_are_boxes_without_extent),
        cmocka_unit_test(test_threads_and_instruction_sets_find_the_same),
        cmocka_unit_test(test_failing_allocations_of_queries_are_survived),
        cmocka_unit_test(test_bad_queries_are_refused),
    };
    return cmocka_run_group_tests(tests, test_open_context_of_one, test_close_context);
}
