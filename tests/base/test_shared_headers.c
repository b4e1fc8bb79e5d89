/* The small headers of base/containers that have no test of their own: the search by key, and vectors. */
#include "support/cmocka_includes.h"

#include <dent/base.h>

#include "base/containers/key_search.h"
#include "base/containers/vectors.h"

enum { RECORDS_MAX = 40 };

struct record {
    uint64_t key;
    uint32_t number;
};

static void a_key_is_found_where_a_walk_from_the_front_finds_it(void **state)
{
    (void)state;
    dent_random random = dent_random_seeded(3);
    uint32_t found = 0, missed = 0;
    for (int round = 0; round < 2000; round++) {
        struct record records[RECORDS_MAX];
        uint32_t count = dent_random_below(&random, RECORDS_MAX + 1);
        uint64_t base = round % 2 ? UINT64_MAX - 3 * RECORDS_MAX : 0, key = base;
        for (uint32_t i = 0; i < count; i++) { /* equal keys too */
            key += dent_random_below(&random, 3);
            records[i] = (struct record){key, i};
        }
        uint64_t wanted = base + dent_random_below(&random, 2 * RECORDS_MAX);
        size_t first = 0;
        while (first < count && records[first].key < wanted) {
            first++;
        }
        assert_int_equal(key_search(records, count, sizeof *records, wanted), first);
        const struct record *record = key_search_record(records, count, sizeof *records, wanted);
        bool there = first < count && records[first].key == wanted;
        assert_ptr_equal(record, there ? &records[first] : NULL);
        found += there;
        missed += !there;
    }
    assert_true(found > 200 && missed > 200);
}

static void a_product_may_be_written_over_its_factors(void **state)
{
    (void)state;
    const double a[3] = {1, -2, 3}, b[3] = {0.5, 4, -1}, product[3] = {-10, 2.5, 5};
    for (int way = 0; way < 3; way++) {
        double first[3] = {a[0], a[1], a[2]}, second[3] = {b[0], b[1], b[2]}, other[3];
        double *out = way == 0 ? other : way == 1 ? first : second;
        vector_cross(first, second, out);
        assert_memory_equal(out, product, sizeof product);
    }
    assert_true(vector_dot(a, product) == 0 && vector_dot(b, product) == 0 && vector_dot(a, b) == -10.5);
    double sum[3] = {1, 1, 1};
    vector_add_scaled(sum, 2, a);
    vector_subtract(sum, a, sum);
    assert_true(sum[0] == 2 && sum[1] == -1 && sum[2] == 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_key_is_found_where_a_walk_from_the_front_finds_it),
                                       cmocka_unit_test(a_product_may_be_written_over_its_factors)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
