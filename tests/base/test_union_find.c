/* Union-find: items have one root exactly when joins connect them, and the root is the smallest of them whatever the
 * order of the joins. */
#include "support/cmocka_includes.h"

#include <dent/base.h>

#include "base/containers/union_find.h"

enum { ITEMS = 200, JOINS = 150 };

static void roots_are_the_smallest_of_what_is_connected(void **state)
{
    (void)state;
    dent_random random = dent_random_seeded(7);
    for (int round = 0; round < 50; round++) {
        uint32_t parents[ITEMS], labels[ITEMS], reversed[ITEMS], pairs[JOINS][2];
        union_find_init(parents, ITEMS);
        union_find_init(reversed, ITEMS);
        union_find_init(labels, ITEMS);
        for (int i = 0; i < JOINS; i++) {
            pairs[i][0] = dent_random_below(&random, ITEMS);
            pairs[i][1] = dent_random_below(&random, ITEMS);
            uint32_t root = union_find_join(parents, pairs[i][0], pairs[i][1]);
            assert_int_equal(root, union_find_root(parents, pairs[i][0]));
            assert_int_equal(root, union_find_root(parents, pairs[i][1]));
        }
        for (int i = JOINS; i-- > 0;) {
            union_find_join(reversed, pairs[i][1], pairs[i][0]);
        }
        for (bool changed = true; changed;) { /* the smallest label goes along every pair until nothing changes */
            changed = false;
            for (int i = 0; i < JOINS; i++) {
                uint32_t *a = &labels[pairs[i][0]], *b = &labels[pairs[i][1]];
                changed |= *a != *b;
                *a = *b = *a < *b ? *a : *b;
            }
        }
        for (uint32_t i = 0; i < ITEMS; i++) {
            assert_int_equal(union_find_root(parents, i), labels[i]);
            assert_int_equal(union_find_root(reversed, i), labels[i]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(roots_are_the_smallest_of_what_is_connected)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
