/* Heap sort: records of any size come out in order and none is lost, whatever the input; the data pointer reaches the
 * comparison. */
#include "support/cmocka_includes.h"

#include <dent/base.h>

#include "base/containers/heap_sort.h"

enum { MOST = 300 };

struct large_record {
    uint32_t key, number;
    unsigned char ballast[150];
};

static bool key_before(const void *a, const void *b, const void *data)
{
    const struct large_record *x = a, *y = b;
    const bool *descending = data;
    return *descending ? x->key > y->key : x->key < y->key;
}

static void records_come_out_in_order_and_whole(void **state)
{
    (void)state;
    static struct large_record records[MOST];
    dent_random random = dent_random_seeded(11);
    for (uint32_t count = 0; count <= MOST; count += count < 20 ? 1 : 35) {
        for (uint32_t kinds = 1; kinds <= 1000; kinds *= 10) {
            bool descending = dent_random_below(&random, 2), seen[MOST] = {false};
            for (uint32_t i = 0; i < count; i++) {
                records[i].key = dent_random_below(&random, kinds);
                records[i].number = i;
                memset(records[i].ballast, (int)(i % 251), sizeof records[i].ballast);
            }
            heap_sort(records, count, sizeof records[0], key_before, &descending);
            for (uint32_t i = 0; i < count; i++) {
                assert_true(i == 0 || !key_before(&records[i], &records[i - 1], &descending));
                assert_false(seen[records[i].number]);
                seen[records[i].number] = true;
                assert_int_equal(records[i].ballast[0], records[i].number % 251);
                assert_int_equal(records[i].ballast[149], records[i].number % 251);
            }
        }
    }
}

static bool byte_before(const void *a, const void *b, const void *data)
{
    (void)data;
    return *(const unsigned char *)a < *(const unsigned char *)b;
}

static void every_order_of_seven_bytes_is_sorted(void **state)
{
    (void)state;
    for (uint32_t permutation = 0; permutation < 5040; permutation++) {
        unsigned char bytes[7] = {0, 1, 2, 3, 4, 5, 6};
        uint32_t rest = permutation;
        for (uint32_t i = 7; i > 1; i--, rest /= i + 1) {
            unsigned char swap = bytes[i - 1];
            bytes[i - 1] = bytes[rest % i];
            bytes[rest % i] = swap;
        }
        heap_sort(bytes, 7, 1, byte_before, NULL);
        assert_memory_equal(bytes, "\0\1\2\3\4\5\6", 7);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(records_come_out_in_order_and_whole),
                                       cmocka_unit_test(every_order_of_seven_bytes_is_sorted)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
