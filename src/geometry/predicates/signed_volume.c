/* The determinant of orientation_3d as a number: see the header. The bound is that of orientation_predicates.h. */
#include "geometry/predicates/signed_volume.h"

#include "geometry/predicates/orientation_predicates.h"
#include "geometry/numbers/power_of_two.h"
#include "geometry/numbers/wide_determinants.h"

struct scaled_double signed_volume(const double a[3], const double b[3], const double c[3], const double d[3])
{
    double bound;
    double determinant = orientation_3d_determinant(a, b, c, d, &bound);
    if (fabs(determinant) > bound * 0x1p20) {
        int exponent = binary_exponent(determinant); /* not subnormal: it exceeds the bound */
        return (struct scaled_double){scale_by_power_of_two(determinant, -exponent), exponent};
    }
    const double *const points[4] = {a, b, c, d};
    struct axis_scale scale = axis_scale_of_nothing();
    axis_scale_include(&scale, points, 4);
    struct wide_integer exact;
    wide_orientation_3d(&exact, points, &scale);
    struct scaled_double value = wide_to_scaled(&exact);
    if (value.mantissa != 0.0) {
        value.exponent += scale.exponent[0] + scale.exponent[1] + scale.exponent[2];
    }
    return value;
}
