/* Six times the signed volume of four points, as a number rather than a sign: for metric results only.
 *
 * The double determinant where the filter's bound is at most a millionth of it, else exact integers rounded once;
 * which of the two is a fixed rule, so the bits are the same everywhere. Relative error below 2^-20, most often
 * below 2^-45. Never overflows or vanishes: the exponent is kept apart.
 */
#ifndef DENT_GEOMETRY_SIGNED_VOLUME_H
#define DENT_GEOMETRY_SIGNED_VOLUME_H

#include "geometry/numbers/wide_integer.h"

struct scaled_double signed_volume(const double a[3], const double b[3], const double c[3], const double d[3]);

#endif
