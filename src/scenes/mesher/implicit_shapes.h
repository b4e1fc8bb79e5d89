/* Solids as functions: negative inside, positive outside, near the surface about the distance to it.
 *
 * A shape is a short program in postfix order: primitives push a value, combinations replace the two topmost values by
 * one.
 *
 *     struct implicit_shape shape = {0};
 *     shape_sphere(&shape, centre, 2);
 *     shape_cone(&shape, a, 1, b, 0.5);
 *     shape_union(&shape, 0.3);          a smooth join with a fillet of about 0.3 */
#ifndef DENT_SCENES_IMPLICIT_SHAPES_H
#define DENT_SCENES_IMPLICIT_SHAPES_H

#include <stddef.h>
#include <stdint.h>

enum { SHAPE_MAX_STEPS = 256, SHAPE_MAX_DEPTH = 8, SHAPE_STEP_NUMBERS = 12 };

enum shape_operation {
    SHAPE_SPHERE,
    SHAPE_CONE,
    SHAPE_ELLIPSOID,
    SHAPE_BOX,
    SHAPE_HALF_SPACE,
    SHAPE_UNION,
    SHAPE_INTERSECTION,
    SHAPE_SUBTRACTION
};

struct shape_step {
    enum shape_operation operation;
    double numbers[SHAPE_STEP_NUMBERS];
};

struct implicit_shape {
    uint32_t step_count;
    struct shape_step steps[SHAPE_MAX_STEPS];
};

void shape_sphere(struct implicit_shape *shape, const double centre[3], double radius);

/* A capsule from `a` to `b` whose radius goes from radius_a to radius_b. */
void shape_cone(struct implicit_shape *shape, const double a[3], double radius_a, const double b[3], double radius_b);

/* The same, `factor` times thinner along the unit vector `flat`. */
void shape_flat_cone(struct implicit_shape *shape, const double a[3], double radius_a, const double b[3],
                     double radius_b, const double flat[3], double factor);

/* Half axes along x, y, z. */
void shape_ellipsoid(struct implicit_shape *shape, const double centre[3], const double half_axes[3]);

/* A box with edges along x, y, z and edges and corners rounded with `rounding`, at most the smallest half edge. */
void shape_box(struct implicit_shape *shape, const double centre[3], const double half_edges[3], double rounding);

/* Everything on the side of the plane through `point` that the unit vector `outward` points away from. */
void shape_half_space(struct implicit_shape *shape, const double point[3], const double outward[3]);

/* Of the two topmost values; `smooth` is the size of the fillet or bevel, 0 for none. */
void shape_union(struct implicit_shape *shape, double smooth);
void shape_intersection(struct implicit_shape *shape, double smooth);
/* The one below without the topmost. */
void shape_subtraction(struct implicit_shape *shape, double smooth);

/* The value at a point. The shape must leave exactly one value on the stack. */
double shape_value(const struct implicit_shape *shape, const double point[3]);

#endif
