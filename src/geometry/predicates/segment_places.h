/* Signs along a segment at places that need not be doubles: exact for all finite doubles.
 *
 * What a segment from a to b meets can change only where it passes through a plane or, within a plane, through a line:
 * at the roots of forms that are affine along it. So it is enough to look just after the start and just after each
 * root. With alpha and beta, the values of a form at a and b, the root of the form l is s = alpha_l / (alpha_l -
 * beta_l), and another form has the sign of (beta_l - alpha_l) (alpha_m beta_l - alpha_l beta_m) there. If that is 0,
 * both have the same root, and just after it the form has its sign at b. Degree 6 in the coordinates. No place is ever
 * computed. Pure functions; any thread.
 */
#ifndef DENT_GEOMETRY_SEGMENT_PLACES_H
#define DENT_GEOMETRY_SEGMENT_PLACES_H

#include <stdbool.h>

#include "geometry/predicates/predicate_kinds.h"

/* The side of the plane of three corners; or (i != j) of the line through the first two, seen along the axis that is
 * neither i nor j. */
struct segment_form {
    const double *corners[3];
    int i, j;
};

/* Just after the root of a form, which has one between a and b; null: just after a. */
struct segment_place {
    const double *a, *b;
    const struct segment_form *after;
};

int segment_form_sign(const struct segment_form *form, const double p[3], predicate_counters *counters);

/* The form has opposite signs, none of them 0, at the ends. */
bool segment_form_has_root(const struct segment_form *form, const double a[3], const double b[3],
                           predicate_counters *counters);

/* The sign of a form at a place. 0 only if it vanishes on the whole segment. */
int segment_sign_at(const struct segment_place *place, const struct segment_form *form, predicate_counters *counters);

/* The contribution of a triangle to the winding number (winding_number.h) around a place; *on: the place lies on the
 * triangle, which has an area. */
int segment_winding_of_face(const struct segment_place *place, const double *const triangle[3],
                            predicate_counters *counters, bool *on);

#endif
