/* The rows of the validation table (apps/cli/paper/physics, `dent paper physics`) that are marked as holding. A row that
 * a better solver makes true is marked in the table, and from then on kept here. With DENT_LONG_TESTS the rows of --full
 * that are marked are measured, too. With DENT_QUICK_TESTS every third row, and all random starts. */
#include "support/test_context.h"

#include "physics_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_due(uint32_t number)
{
    const physics_case *row = &physics_table[number];
    if (getenv("DENT_QUICK_TESTS") && number % 3 != 0 && strcmp(row->group, "starts") != 0) {
        return false;
    }
    return (row->flags & PHYSICS_HOLDS) != 0 && ((row->flags & PHYSICS_QUICK) != 0 || getenv("DENT_LONG_TESTS"));
}

static void every_row_that_is_marked_as_holding_is_within_its_bar(void **state)
{
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    uint32_t measured = 0, failed = 0;
    (void)state;
    for (uint32_t n = 0; n < physics_table_count; n++) {
        const physics_case *row = &physics_table[n];
        physics_result result;
        if (is_due(n)) {
            physics_run_case(context, row, &result);
            printf("%s %s: %.9g, reference %.9g, value %.6g in %g..%g (%s)\n", result.pass ? "pass" : "FAIL", row->name,
                   result.measured, result.reference, result.value, row->low, row->high, result.note);
            measured++;
            failed += !result.pass;
        }
    }
    dent_context_destroy(context);
    assert_true(measured >= 8);
    assert_int_equal(failed, 0);
}

static void rows_that_cannot_be_measured_fail_and_say_why(void **state)
{
    /* No material has a negative modulus: the simulation rejects it. */
    const physics_case row = {"contact", "impossible", "N", 0, -1e300, 1e300, measure_weight, {-1, 1000}};
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    physics_result result;
    (void)state;
    physics_run_case(context, &row, &result);
    dent_context_destroy(context);
    assert_false(result.pass);
    assert_true(result.note[0] != '\0');
}

static void names_of_rows_are_unique_and_bars_are_intervals(void **state)
{
    (void)state;
    for (uint32_t n = 0; n < physics_table_count; n++) {
        assert_true(physics_table[n].low <= physics_table[n].high);
        for (uint32_t m = 0; m < n; m++) {
            assert_string_not_equal(physics_table[n].name, physics_table[m].name);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_of_rows_are_unique_and_bars_are_intervals),
        cmocka_unit_test(rows_that_cannot_be_measured_fail_and_say_why),
        cmocka_unit_test(every_row_that_is_marked_as_holding_is_within_its_bar),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
