/* The table of units, the table of quantities, and a small parser of products and quotients of units. */
#include "quantity.h"

#include <ctype.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define QUANTITY_PI 3.14159265358979323846

struct unit {
    const char *name;
    int dimension[DIMENSION_COUNT];
    int ten;       /* power of ten of the basic unit */
    double factor; /* on top of it */
};

static const struct unit units[] = {
    {"m", {1, 0, 0, 0}, 0, 1},     {"dm", {1, 0, 0, 0}, -1, 1},
    {"cm", {1, 0, 0, 0}, -2, 1},   {"mm", {1, 0, 0, 0}, -3, 1},
    {"um", {1, 0, 0, 0}, -6, 1},   {"km", {1, 0, 0, 0}, 3, 1},
    {"kg", {0, 1, 0, 0}, 0, 1},    {"g", {0, 1, 0, 0}, -3, 1},
    {"mg", {0, 1, 0, 0}, -6, 1},   {"t", {0, 1, 0, 0}, 3, 1},
    {"s", {0, 0, 1, 0}, 0, 1},     {"ms", {0, 0, 1, 0}, -3, 1},
    {"us", {0, 0, 1, 0}, -6, 1},   {"min", {0, 0, 1, 0}, 0, 60},
    {"Hz", {0, 0, -1, 0}, 0, 1},   {"N", {1, 1, -2, 0}, 0, 1},
    {"mN", {1, 1, -2, 0}, -3, 1},  {"kN", {1, 1, -2, 0}, 3, 1},
    {"Pa", {-1, 1, -2, 0}, 0, 1},  {"kPa", {-1, 1, -2, 0}, 3, 1},
    {"MPa", {-1, 1, -2, 0}, 6, 1}, {"GPa", {-1, 1, -2, 0}, 9, 1},
    {"J", {2, 1, -2, 0}, 0, 1},    {"mJ", {2, 1, -2, 0}, -3, 1},
    {"uJ", {2, 1, -2, 0}, -6, 1},  {"kJ", {2, 1, -2, 0}, 3, 1},
    {"rad", {0, 0, 0, 1}, 0, 1},   {"deg", {0, 0, 0, 1}, 0, QUANTITY_PI / 180},
};
enum { UNIT_COUNT = sizeof units / sizeof units[0] };

struct quantity {
    const char *name, *example;
    int dimension[DIMENSION_COUNT];
    const char *unit; /* of SI */
    double smallest, largest;
};

static const struct quantity quantities[QUANTITY_KIND_COUNT] = {
    [QUANTITY_RATIO] = {"a number without a unit", "0.45", {0, 0, 0, 0}, "", 0, HUGE_VAL},
    [QUANTITY_LENGTH] = {"a length", "\"2 mm\"", {1, 0, 0, 0}, "m", 1e-9, 1e9},
    [QUANTITY_MASS] = {"a mass", "\"1.5 kg\"", {0, 1, 0, 0}, "kg", 1e-15, 1e15},
    [QUANTITY_TIME] = {"a time", "\"10 ms\"", {0, 0, 1, 0}, "s", 1e-9, 1e9},
    [QUANTITY_VELOCITY] = {"a velocity", "\"0.5 m/s\"", {1, 0, -1, 0}, "m/s", 0, 1e6},
    [QUANTITY_ACCELERATION] = {"an acceleration", "\"9.81 m/s^2\"", {1, 0, -2, 0}, "m/s^2", 0, 1e6},
    [QUANTITY_DENSITY] = {"a density", "\"1000 kg/m^3\"", {-3, 1, 0, 0}, "kg/m^3", 1e-6, 1e9},
    [QUANTITY_AREA_DENSITY] = {"a mass per area", "\"0.2 kg/m^2\"", {-2, 1, 0, 0}, "kg/m^2", 1e-9, 1e9},
    [QUANTITY_PRESSURE] = {"a pressure", "\"0.5 MPa\"", {-1, 1, -2, 0}, "Pa", 1e-6, 1e15},
    [QUANTITY_STIFFNESS] = {"a force per length", "\"50 N/m\"", {0, 1, -2, 0}, "N/m", 1e-9, 1e15},
    [QUANTITY_ENERGY] = {"an energy", "\"20 uJ\"", {2, 1, -2, 0}, "J", 0, 1e9},
    [QUANTITY_FORCE] = {"a force", "\"2 N\"", {1, 1, -2, 0}, "N", 0, 1e15},
    [QUANTITY_COMPLIANCE] = {"a length per force", "\"0.01 mm/N\"", {0, -1, 2, 0}, "m/N", 0, 1e9},
    [QUANTITY_RATE] = {"a rate", "\"2 Hz\"", {0, 0, -1, 0}, "1/s", 0, 1e9},
    [QUANTITY_ANGLE] = {"an angle", "\"30 deg\"", {0, 0, 0, 1}, "rad", 0, 1e5},
    [QUANTITY_ANGULAR_VELOCITY] = {"an angular velocity", "\"90 deg/s\"", {0, 0, -1, 1}, "rad/s", 0, 1e6},
    [QUANTITY_DAMPING] = {"a force per velocity", "\"5 N*s/m\"", {0, 1, -1, 0}, "N*s/m", 0, 1e15},
};

const char *quantity_name(enum quantity_kind kind)
{
    return quantities[kind].name;
}

const char *quantity_example(enum quantity_kind kind)
{
    return quantities[kind].example;
}

double quantity_smallest(enum quantity_kind kind)
{
    return quantities[kind].smallest;
}

double quantity_largest(enum quantity_kind kind)
{
    return quantities[kind].largest;
}

const char *quantity_unit(enum quantity_kind kind)
{
    return quantities[kind].unit;
}

double quantity_bare(enum quantity_kind kind, double number)
{
    return quantities[kind].dimension[DIMENSION_ANGLE] != 0 ? number * (QUANTITY_PI / 180) : number;
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* A product of units: what it measures, and how many basic units it is. */
struct unit_product {
    int dimension[DIMENSION_COUNT];
    int ten;
    double factor;
};

static const struct unit *find_unit(const char *name, size_t length)
{
    for (int i = 0; i < UNIT_COUNT; i++) {
        if (strlen(units[i].name) == length && memcmp(units[i].name, name, length) == 0) {
            return &units[i];
        }
    }
    return NULL;
}

/* "^3", "^-1" or nothing at *at; false: no power after '^', or one beyond reason. */
static bool read_power(const char **at, int *power)
{
    *power = 1;
    if (**at != '^') {
        return true;
    }
    (*at)++;
    int sign = **at == '-' ? -1 : 1;
    *at += **at == '-';
    if (**at < '1' || **at > '6') {
        return false;
    }
    *power = sign * (**at - '0');
    (*at)++;
    return !(**at >= '0' && **at <= '9');
}

static void multiply(struct unit_product *product, const struct unit *unit, int power)
{
    for (int i = 0; i < DIMENSION_COUNT; i++) {
        product->dimension[i] += power * unit->dimension[i];
    }
    product->ten += power * unit->ten;
    for (int i = 0; i < (power < 0 ? -power : power); i++) {
        product->factor = power > 0 ? product->factor * unit->factor : product->factor / unit->factor;
    }
}

/* "kg/m^3", "N*m", "1/s". False: `why` names the culprit. */
static bool read_product(const char *text, struct unit_product *product, char *why, size_t size)
{
    *product = (struct unit_product){.factor = 1};
    int sign = 1;
    const char *at = text;
    for (int count = 0; count < 16; count++) {
        size_t length = 0;
        while (isalpha((unsigned char)at[length])) {
            length++;
        }
        const struct unit *unit = find_unit(at, length);
        bool one = length == 0 && count == 0 && at[0] == '1' && at[1] == '/';
        if (!unit && !one) {
            snprintf(why, size,
                     "\"%.40s\" is no unit; known are m, cm, mm, um, kg, g, mg, s, ms, N, kN, Pa, kPa, MPa, GPa, J, "
                     "Hz, deg, rad",
                     at);
            return false;
        }
        at += one ? 1 : length;
        int power = 1;
        if (!read_power(&at, &power)) {
            snprintf(why, size, "a whole power such as ^2 was expected in \"%.40s\"", text);
            return false;
        }
        if (unit) {
            multiply(product, unit, sign * power);
        }
        if (*at == '\0') {
            return true;
        }
        if (*at != '/' && *at != '*') {
            break;
        }
        sign = *at == '/' ? -1 : 1; /* "a/b/c" and "a/b*c" as in arithmetic: c belongs to its own sign */
        at++;
    }
    snprintf(why, size, "units joined by * and / were expected, not \"%.40s\"", text);
    return false;
}

/* The number at the start of a text, by jansson, so that locale and rounding are its care. The number of bytes used, 0:
 * none. */
static size_t read_number(const char *text, double *value)
{
    size_t length = strspn(text, "+-.0123456789");
    if (length > 0 && (text[length] == 'e' || text[length] == 'E')) {
        size_t digits = strspn(text + length + 1, "+-0123456789");
        length += digits > 0 ? digits + 1 : 0;
    }
    json_t *number = length > 0 ? json_loadb(text, length, JSON_DECODE_ANY, NULL) : NULL;
    bool good = json_is_number(number);
    *value = json_number_value(number);
    json_decref(number);
    return good ? length : 0;
}

static double scale_by_ten(double value, int exponent)
{
    double power = 1;
    for (int i = 0; i < (exponent < 0 ? -exponent : exponent); i++) {
        power *= 10; /* exact up to 10^22 */
    }
    return exponent < 0 ? value / power : value * power;
}

double quantity_in_si(const struct unit_system *system, enum quantity_kind kind, double value)
{
    int exponent = 0;
    for (int i = 0; i < DIMENSION_ANGLE; i++) {
        exponent += quantities[kind].dimension[i] * system->exponent[i];
    }
    return scale_by_ten(value, exponent);
}

/* What the units do measure, for a message. */
static const char *measured_by(const struct unit_product *product)
{
    for (int kind = 0; kind < QUANTITY_KIND_COUNT; kind++) {
        if (memcmp(quantities[kind].dimension, product->dimension, sizeof product->dimension) == 0) {
            return quantities[kind].name;
        }
    }
    return "something else";
}

bool quantity_read(const struct unit_system *system, enum quantity_kind kind, const char *text, double *value,
                   char *why, size_t size)
{
    const struct quantity *quantity = &quantities[kind];
    double number;
    size_t length = read_number(text, &number);
    if (length == 0) {
        snprintf(why, size, "%s such as %s was expected, not \"%.40s\"", quantity->name, quantity->example, text);
        return false;
    }
    const char *unit = text + length;
    unit += strspn(unit, " ");
    if (*unit == '\0') {
        snprintf(why, size,
                 "%s such as %s was expected; \"%.40s\" has no unit (a number without quotes is taken in the units of "
                 "the file)",
                 quantity->name, quantity->example, text);
        return false;
    }
    struct unit_product product;
    if (!read_product(unit, &product, why, size)) {
        return false;
    }
    if (memcmp(product.dimension, quantity->dimension, sizeof product.dimension) != 0) {
        snprintf(why, size, "%s such as %s was expected; \"%.40s\" is %s", quantity->name, quantity->example, text,
                 measured_by(&product));
        return false;
    }
    int exponent = product.ten;
    for (int i = 0; i < DIMENSION_ANGLE; i++) {
        exponent -= product.dimension[i] * system->exponent[i];
    }
    number = product.factor == 1 ? number : number * product.factor;
    number = scale_by_ten(number, exponent);
    if (!isfinite(number)) {
        snprintf(why, size, "\"%.40s\" is too large a number", text);
        return false;
    }
    *value = number;
    return true;
}

bool quantity_working_unit(int dimension, const char *name, int *exponent)
{
    const struct unit *unit = find_unit(name, strlen(name));
    if (!unit || unit->factor != 1) {
        return false;
    }
    for (int i = 0; i < DIMENSION_COUNT; i++) {
        if (unit->dimension[i] != (i == dimension)) {
            return false;
        }
    }
    *exponent = unit->ten;
    return true;
}
