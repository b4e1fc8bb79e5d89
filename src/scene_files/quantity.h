/* Numbers with units: "9.81 m/s^2", "0.5 MPa", "20 deg".
 *
 * A unit is a product of known units with whole powers; its dimension must be the one that was asked for. The result is
 * in the scene's working units (metre, kilogram and second, or what the file says under "units"). Scaling by powers of
 * ten is one multiplication or division by an exact power, so "9.81 m/s^2" is exactly 9810 when lengths are in
 * millimetres. */
#ifndef DENT_SCENE_FILES_QUANTITY_H
#define DENT_SCENE_FILES_QUANTITY_H

#include <stdbool.h>
#include <stddef.h>

enum { DIMENSION_LENGTH, DIMENSION_MASS, DIMENSION_TIME, DIMENSION_ANGLE, DIMENSION_COUNT };

enum quantity_kind {
    QUANTITY_RATIO, /* a number without a unit */
    QUANTITY_LENGTH,
    QUANTITY_MASS,
    QUANTITY_TIME,
    QUANTITY_VELOCITY,
    QUANTITY_ACCELERATION,
    QUANTITY_DENSITY,
    QUANTITY_AREA_DENSITY,
    QUANTITY_PRESSURE,
    QUANTITY_STIFFNESS, /* force per length */
    QUANTITY_ENERGY,
    QUANTITY_FORCE,
    QUANTITY_COMPLIANCE,
    QUANTITY_RATE,
    QUANTITY_ANGLE,
    QUANTITY_ANGULAR_VELOCITY,
    QUANTITY_DAMPING, /* force per velocity */
    QUANTITY_KIND_COUNT
};

/* Working units as powers of ten of metre, kilogram, second; bare angles are degrees, results radians. */
struct unit_system {
    int exponent[DIMENSION_COUNT]; /* the entry for angles is not used */
};

/* "a length", and an example that would have been right. */
const char *quantity_name(enum quantity_kind kind);
const char *quantity_example(enum quantity_kind kind);

/* What a number may be, in SI units: 0, or in size from `smallest` to `largest`. Beyond that a simulation cannot be
 * meant: squares and quotients of such numbers would leave the range of doubles, or whole bodies that of their
 * neighbours, within a step. docs/scene_files.md has the same table. */
double quantity_smallest(enum quantity_kind kind);
double quantity_largest(enum quantity_kind kind);
/* The SI unit, "m/s^2"; "" for ratios. */
const char *quantity_unit(enum quantity_kind kind);
/* From working units to SI. */
double quantity_in_si(const struct unit_system *system, enum quantity_kind kind, double value);

/* A number in working units as it stands; degrees become radians. */
double quantity_bare(enum quantity_kind kind, double number);

/* Reads "NUMBER UNIT". False: `why` (of `size` bytes) says what is wrong, in a clause without a full stop. */
bool quantity_read(const struct unit_system *system, enum quantity_kind kind, const char *text, double *value,
                   char *why, size_t size);

/* The unit of length, mass or time named `name`, which must be a power of ten of the basic one ("mm", "g", "ms"). */
bool quantity_working_unit(int dimension, const char *name, int *exponent);

#endif
