/* Records as bytes: a machine of the other byte order turns every field round, and nothing else. (That the hashes of a
 * big-endian machine are those of this one is what tools/cross_golden.sh shows.) */
#include "support/cmocka_includes.h"

#include "sim/model/byte_order.h"

#include <string.h>

static void every_field_of_every_record_is_turned_round(void **state)
{
    (void)state;
    unsigned char records[26];
    const unsigned char rotated[26] = {1,  5,  4,  3,  2,  13, 12, 11, 10, 9,  8,  7,  6,
                                       14, 18, 17, 16, 15, 26, 25, 24, 23, 22, 21, 20, 19};
    for (unsigned char i = 0; i < 26; i++) {
        records[i] = i + 1;
    }
    unsigned char before[26];
    memcpy(before, records, sizeof before);
    byte_order_reverse(records, sizeof records, "148");
    assert_memory_equal(records, rotated, sizeof rotated);
    byte_order_reverse(records, sizeof records, "148");
    assert_memory_equal(records, before, sizeof before);
}

static void add_up(void *user, const void *bytes, size_t size)
{
    unsigned char **end = user;
    memcpy(*end, bytes, size);
    *end += size;
}

static void numbers_are_handed_on_lowest_byte_first(void **state)
{
    (void)state;
    const uint32_t numbers[2] = {0x04030201, 0x08070605};
    unsigned char bytes[8], *end = bytes;
    byte_order_pass(numbers, sizeof numbers, "4", add_up, &end);
    assert_memory_equal(bytes, "\1\2\3\4\5\6\7\10", 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_field_of_every_record_is_turned_round),
        cmocka_unit_test(numbers_are_handed_on_lowest_byte_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
