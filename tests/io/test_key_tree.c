/* The dictionary of byte strings against a plain list, and its steps, which no choice of keys can raise. */
#include "reading.h"

#include "io/model/name_table.h"

static void it_finds_what_was_added_and_nothing_else(void **state)
{
    (void)state;
    enum { NAMES = 3000 };
    static char names[NAMES][16];
    struct reading reading;
    reading_open(&reading);
    struct name_table table;
    name_table_init(&table, reading.context);
    dent_random random = dent_random_seeded(5);
    uint32_t first[NAMES];
    for (uint32_t i = 0; i < NAMES; i++) {
        /* letters of a small alphabet and of both ends of the byte: many are equal, many begin alike */
        uint32_t length = 1 + dent_random_below(&random, 6);
        for (uint32_t k = 0; k < length; k++) {
            names[i][k] = "ab\x01\xff"[dent_random_below(&random, 4)];
        }
        names[i][length] = 0;
        first[i] = NAME_TABLE_NONE;
        for (uint32_t k = 0; k < i && first[i] == NAME_TABLE_NONE; k++) {
            first[i] = strcmp(names[k], names[i]) == 0 ? k : NAME_TABLE_NONE;
        }
        assert_int_equal(name_table_find(&table, names[i]), first[i]);
        uint32_t before;
        assert_true(name_table_add(&table, names[i], i, &before));
        assert_int_equal(before, first[i]);
    }
    for (uint32_t i = 0; i < NAMES; i++) {
        assert_int_equal(name_table_find(&table, names[i]), first[i] == NAME_TABLE_NONE ? i : first[i]);
    }
    assert_int_equal(name_table_find(&table, "no such name"), NAME_TABLE_NONE);
    assert_int_equal(name_table_find(&table, ""), NAME_TABLE_NONE);
    name_table_release(&table);
    reading_close(&reading);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(it_finds_what_was_added_and_nothing_else)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
