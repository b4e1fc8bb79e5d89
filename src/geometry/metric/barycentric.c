/* Barycentric coordinates from four signed volumes. Ratios do not change when all volumes are divided by one power
 * of two, so they are brought to the exponent of the largest; what vanishes there is below 2^-1000 of it. */
#include "geometry/predicates/tetrahedron_predicates.h"

#include <math.h>

#include "geometry/numbers/power_of_two.h"
#include "geometry/predicates/signed_volume.h"

void barycentric_coordinates(const double p[3], const double *const tetrahedron[4], double out[4])
{
    const double *const *t = tetrahedron;
    const struct scaled_double volumes[4] = {
        signed_volume(p, t[1], t[2], t[3]),
        signed_volume(t[0], p, t[2], t[3]),
        signed_volume(t[0], t[1], p, t[3]),
        signed_volume(t[0], t[1], t[2], p),
    };
    bool any = false;
    int largest = 0;
    for (int k = 0; k < 4; k++) {
        if (volumes[k].mantissa != 0.0 && (!any || volumes[k].exponent > largest)) {
            largest = volumes[k].exponent;
            any = true;
        }
    }
    for (int k = 0; k < 4; k++) {
        out[k] = volumes[k].mantissa == 0.0 ? 0.0
                                            : scale_by_power_of_two(volumes[k].mantissa, volumes[k].exponent - largest);
    }
    double total = (out[0] + out[1]) + (out[2] + out[3]);
    bool flat = fabs(total) < 0x1p-900; /* exactly 0, or p so far outside that nothing is left of the sum */
    for (int k = 0; k < 4; k++) {
        out[k] = flat ? 0.25 : out[k] / total;
    }
}
