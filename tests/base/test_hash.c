/* FNV-1a against the published test values. */
#include "support/cmocka_includes.h"

#include "base/hash.h"

static void strings_hash_to_the_published_values(void **state)
{
    (void)state;
    assert_true(hash_bytes(HASH_START, "", 0) == UINT64_C(0xCBF29CE484222325));
    assert_true(hash_bytes(HASH_START, "a", 1) == UINT64_C(0xAF63DC4C8601EC8C));
    assert_true(hash_bytes(HASH_START, "foobar", 6) == UINT64_C(0x85944171F73967E8));
}

static void a_text_may_be_fed_in_pieces(void **state)
{
    (void)state;
    uint64_t hash = hash_bytes(HASH_START, "foo", 3);
    assert_true(hash_bytes(hash, "bar", 3) == hash_bytes(HASH_START, "foobar", 6));
}

static void numbers_are_fed_lowest_byte_first(void **state)
{
    (void)state;
    const unsigned char bytes[8] = {0x08, 0x07, 0x06, 0x05, 0x04, 0x03, 0x02, 0x01};
    assert_true(hash_u64(HASH_START, UINT64_C(0x0102030405060708)) == hash_bytes(HASH_START, bytes, 8));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strings_hash_to_the_published_values),
        cmocka_unit_test(a_text_may_be_fed_in_pieces),
        cmocka_unit_test(numbers_are_fed_lowest_byte_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
