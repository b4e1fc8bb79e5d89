/* Numbers with units: right to the bit, and refused with what was expected. */
#include "support/cmocka_includes.h"

#include "scene_files/quantity.h"

#include <string.h>

static const struct unit_system si = {{0, 0, 0, 0}}, millimetres = {{-3, 0, 0, 0}}, grams = {{-2, -3, -3, 0}};

static double read(const struct unit_system *system, enum quantity_kind kind, const char *text)
{
    double value = -1;
    char why[300] = "";
    if (!quantity_read(system, kind, text, &value, why, sizeof why)) {
        fail_msg("%s: %s", text, why);
    }
    return value;
}

static void units_scale_to_the_bit(void **state)
{
    (void)state;
    assert_true(read(&si, QUANTITY_ACCELERATION, "9.81 m/s^2") == 9.81);
    assert_true(read(&millimetres, QUANTITY_ACCELERATION, "9.81 m/s^2") == 9810);
    assert_true(read(&millimetres, QUANTITY_LENGTH, "2 mm") == 2);
    assert_true(read(&si, QUANTITY_LENGTH, "2.5mm") == 0.0025);
    assert_true(read(&millimetres, QUANTITY_PRESSURE, "0.5 MPa") == 500);
    assert_true(read(&si, QUANTITY_PRESSURE, "80 GPa") == 80e9);
    assert_true(read(&millimetres, QUANTITY_DENSITY, "1000 kg/m^3") == 1e-6);
    assert_true(read(&si, QUANTITY_DENSITY, "1 g/cm^3") == 1000);
    assert_true(read(&si, QUANTITY_ENERGY, "3 N*mm") == 0.003);
    assert_true(read(&si, QUANTITY_RATE, "5 1/s") == 5);
    assert_true(read(&si, QUANTITY_TIME, "2 min") == 120);
    assert_true(read(&si, QUANTITY_VELOCITY, "36 km/s") == 36000);
    assert_true(read(&si, QUANTITY_COMPLIANCE, "1 mm/N") == 0.001);
    assert_true(read(&grams, QUANTITY_FORCE, "1 N") == 1e-1); /* g cm / ms^2 is 10 N */
    assert_true(read(&si, QUANTITY_LENGTH, "-1e-3 m") == -0.001);
}

static void angles_become_radians(void **state)
{
    (void)state;
    assert_true(read(&si, QUANTITY_ANGLE, "1 rad") == 1);
    assert_true(read(&millimetres, QUANTITY_ANGULAR_VELOCITY, "180 deg/s") > 3.141592653589);
    assert_true(quantity_bare(QUANTITY_ANGLE, 180) > 3.141592653589 &&
                quantity_bare(QUANTITY_ANGLE, 180) < 3.141592653590);
    assert_true(quantity_bare(QUANTITY_LENGTH, 7) == 7);
}

static void wrong_units_are_named(void **state)
{
    (void)state;
    static const struct {
        enum quantity_kind kind;
        const char *text, *expected;
    } cases[] = {
        {QUANTITY_LENGTH, "2 kg", "a length such as \"2 mm\" was expected; \"2 kg\" is a mass"},
        {QUANTITY_LENGTH, "two", "a length such as"},
        {QUANTITY_LENGTH, "2", "has no unit"},
        {QUANTITY_LENGTH, "2 parsec", "\"parsec\" is no unit"},
        {QUANTITY_LENGTH, "2 m^", "a whole power"},
        {QUANTITY_LENGTH, "2 m^12", "a whole power"},
        {QUANTITY_LENGTH, "2 m m", "units joined by * and /"},
        {QUANTITY_LENGTH, "", "a length such as"},
        {QUANTITY_LENGTH, "1e400 m", "a length such as"},
        {QUANTITY_LENGTH, "1e306 km", "too large"},
        {QUANTITY_LENGTH, "0x10 m", "is no unit"},
        {QUANTITY_PRESSURE, "3 N/m", "\"3 N/m\" is a force per length"},
        {QUANTITY_ANGLE, "3 m*deg", "is something else"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char why[300] = "";
        double value = 42;
        assert_false(quantity_read(&si, cases[i].kind, cases[i].text, &value, why, sizeof why));
        if (strstr(why, cases[i].expected) == NULL) {
            fail_msg("'%s' gave '%s', not '%s'", cases[i].text, why, cases[i].expected);
        }
        assert_true(value == 42);
    }
}

static void working_units_are_powers_of_ten_of_the_right_kind(void **state)
{
    (void)state;
    int exponent = 99;
    assert_true(quantity_working_unit(DIMENSION_LENGTH, "cm", &exponent));
    assert_int_equal(exponent, -2);
    assert_true(quantity_working_unit(DIMENSION_MASS, "g", &exponent));
    assert_int_equal(exponent, -3);
    assert_false(quantity_working_unit(DIMENSION_TIME, "min", &exponent)); /* no power of ten */
    assert_false(quantity_working_unit(DIMENSION_LENGTH, "kg", &exponent));
    assert_false(quantity_working_unit(DIMENSION_LENGTH, "N", &exponent));
    assert_false(quantity_working_unit(DIMENSION_LENGTH, "", &exponent));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(units_scale_to_the_bit),
        cmocka_unit_test(angles_become_radians),
        cmocka_unit_test(wrong_units_are_named),
        cmocka_unit_test(working_units_are_powers_of_ten_of_the_right_kind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
