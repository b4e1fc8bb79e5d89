/* Values of implicit solids: a loop over the steps with a small stack. Only + - * / and sqrt, in a fixed order. The
 * smooth minimum is the polynomial one: where two values differ by less than `smooth`, a parabola replaces the corner.
 */
#include "implicit_shapes.h"

#include <assert.h>
#include <math.h>

static struct shape_step *add_step(struct implicit_shape *shape, enum shape_operation operation)
{
    assert(shape->step_count < SHAPE_MAX_STEPS);
    struct shape_step *step = &shape->steps[shape->step_count++];
    step->operation = operation;
    return step;
}

static void put_vector(struct shape_step *step, int at, const double vector[3])
{
    for (int i = 0; i < 3; i++) {
        step->numbers[at + i] = vector[i];
    }
}

void shape_sphere(struct implicit_shape *shape, const double centre[3], double radius)
{
    struct shape_step *step = add_step(shape, SHAPE_SPHERE);
    put_vector(step, 0, centre);
    step->numbers[3] = radius;
}

void shape_flat_cone(struct implicit_shape *shape, const double a[3], double radius_a, const double b[3],
                     double radius_b, const double flat[3], double factor)
{
    struct shape_step *step = add_step(shape, SHAPE_CONE);
    put_vector(step, 0, a);
    put_vector(step, 3, b);
    put_vector(step, 6, flat);
    step->numbers[9] = radius_a;
    step->numbers[10] = radius_b;
    step->numbers[11] = factor;
}

void shape_cone(struct implicit_shape *shape, const double a[3], double radius_a, const double b[3], double radius_b)
{
    static const double any[3] = {0, 0, 1};
    shape_flat_cone(shape, a, radius_a, b, radius_b, any, 1);
}

void shape_ellipsoid(struct implicit_shape *shape, const double centre[3], const double half_axes[3])
{
    struct shape_step *step = add_step(shape, SHAPE_ELLIPSOID);
    put_vector(step, 0, centre);
    put_vector(step, 3, half_axes);
}

void shape_box(struct implicit_shape *shape, const double centre[3], const double half_edges[3], double rounding)
{
    struct shape_step *step = add_step(shape, SHAPE_BOX);
    put_vector(step, 0, centre);
    put_vector(step, 3, half_edges);
    step->numbers[6] = rounding;
}

void shape_half_space(struct implicit_shape *shape, const double point[3], const double outward[3])
{
    struct shape_step *step = add_step(shape, SHAPE_HALF_SPACE);
    put_vector(step, 0, point);
    put_vector(step, 3, outward);
}

void shape_union(struct implicit_shape *shape, double smooth)
{
    add_step(shape, SHAPE_UNION)->numbers[0] = smooth;
}

void shape_intersection(struct implicit_shape *shape, double smooth)
{
    add_step(shape, SHAPE_INTERSECTION)->numbers[0] = smooth;
}

void shape_subtraction(struct implicit_shape *shape, double smooth)
{
    add_step(shape, SHAPE_SUBTRACTION)->numbers[0] = smooth;
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

static double length_of(double x, double y, double z)
{
    return sqrt((x * x + y * y) + z * z);
}

static double sphere_value(const double *n, const double p[3])
{
    return length_of(p[0] - n[0], p[1] - n[1], p[2] - n[2]) - n[3];
}

static double cone_value(const double *n, const double p[3])
{
    double axis[3] = {n[3] - n[0], n[4] - n[1], n[5] - n[2]};
    double from[3] = {p[0] - n[0], p[1] - n[1], p[2] - n[2]};
    double square = (axis[0] * axis[0] + axis[1] * axis[1]) + axis[2] * axis[2];
    double t = square > 0 ? ((from[0] * axis[0] + from[1] * axis[1]) + from[2] * axis[2]) / square : 0;
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    double off[3] = {from[0] - t * axis[0], from[1] - t * axis[1], from[2] - t * axis[2]};
    double stretch = (n[11] - 1) * ((off[0] * n[6] + off[1] * n[7]) + off[2] * n[8]);
    double distance = length_of(off[0] + stretch * n[6], off[1] + stretch * n[7], off[2] + stretch * n[8]);
    return distance - (n[9] + t * (n[10] - n[9]));
}

/* First-order distance: the value of the quadratic form over its gradient. */
static double ellipsoid_value(const double *n, const double p[3])
{
    double x = (p[0] - n[0]) / n[3], y = (p[1] - n[1]) / n[4], z = (p[2] - n[2]) / n[5];
    double value = length_of(x, y, z);
    double gradient = length_of(x / n[3], y / n[4], z / n[5]);
    if (!(gradient > 0)) {
        double smallest = n[3] < n[4] ? n[3] : n[4];
        return -(smallest < n[5] ? smallest : n[5]);
    }
    return value * (value - 1) / gradient;
}

static double box_value(const double *n, const double p[3])
{
    double outside[3], largest = -INFINITY;
    for (int i = 0; i < 3; i++) {
        double offset = fabs(p[i] - n[i]) - (n[3 + i] - n[6]);
        largest = offset > largest ? offset : largest;
        outside[i] = offset > 0 ? offset : 0;
    }
    double inside = largest < 0 ? largest : 0;
    return (length_of(outside[0], outside[1], outside[2]) + inside) - n[6];
}

static double half_space_value(const double *n, const double p[3])
{
    return ((p[0] - n[0]) * n[3] + (p[1] - n[1]) * n[4]) + (p[2] - n[2]) * n[5];
}

static double smooth_minimum(double a, double b, double smooth)
{
    double low = a < b ? a : b;
    double overlap = smooth - fabs(a - b);
    return overlap > 0 ? low - 0.25 * overlap * overlap / smooth : low;
}

double shape_value(const struct implicit_shape *shape, const double point[3])
{
    double stack[SHAPE_MAX_DEPTH];
    int top = 0; /* values on the stack */
    for (uint32_t i = 0; i < shape->step_count; i++) {
        const struct shape_step *step = &shape->steps[i];
        const double *n = step->numbers;
        if (step->operation >= SHAPE_UNION) {
            assert(top >= 2);
            top--;
        } else {
            assert(top < SHAPE_MAX_DEPTH);
            top++;
        }
        double *result = &stack[top - 1];
        switch (step->operation) {
        case SHAPE_SPHERE:
            *result = sphere_value(n, point);
            break;
        case SHAPE_CONE:
            *result = cone_value(n, point);
            break;
        case SHAPE_ELLIPSOID:
            *result = ellipsoid_value(n, point);
            break;
        case SHAPE_BOX:
            *result = box_value(n, point);
            break;
        case SHAPE_HALF_SPACE:
            *result = half_space_value(n, point);
            break;
        case SHAPE_UNION:
            *result = smooth_minimum(result[0], result[1], n[0]);
            break;
        case SHAPE_INTERSECTION:
            *result = -smooth_minimum(-result[0], -result[1], n[0]);
            break;
        case SHAPE_SUBTRACTION:
            *result = -smooth_minimum(-result[0], result[1], n[0]);
            break;
        }
    }
    assert(top == 1);
    return stack[0];
}
