/* See segment_places.h. The winding number is counted as in winding_number.c, with the same infinitely small move where
 * the shadow of the place falls on that of an edge. */
#include "geometry/predicates/segment_places.h"

#include "geometry/numbers/wide_determinants.h"
#include "geometry/predicates/hull_predicates.h"
#include "geometry/predicates/orientation_predicates.h"

int segment_form_sign(const struct segment_form *form, const double p[3], predicate_counters *counters)
{
    return form->i != form->j
               ? orientation_2d_counted(form->corners[0], form->corners[1], p, form->i, form->j, counters)
               : orientation_3d_counted(form->corners[0], form->corners[1], form->corners[2], p, counters);
}

bool segment_form_has_root(const struct segment_form *form, const double a[3], const double b[3],
                           predicate_counters *counters)
{
    int at_a = segment_form_sign(form, a, counters);
    return at_a != 0 && at_a == -segment_form_sign(form, b, counters);
}

static void form_value(struct wide_integer *value, const struct segment_form *form, const double *p,
                       const struct axis_scale *scale)
{
    if (form->i != form->j) {
        const double *corners[3] = {form->corners[0], form->corners[1], p};
        wide_orientation_2d(value, corners, form->i, form->j, scale);
    } else {
        const double *corners[4] = {form->corners[0], form->corners[1], form->corners[2], p};
        wide_orientation_3d(value, corners, scale);
    }
}

/* Sign of alpha_m beta_l - alpha_l beta_m. */
static int product_difference_sign(const struct segment_form *m, const struct segment_form *l, const double *a,
                                   const double *b)
{
    const double *ends[2] = {a, b};
    struct axis_scale scale = axis_scale_of_nothing();
    axis_scale_include(&scale, m->corners, m->i != m->j ? 2 : 3);
    axis_scale_include(&scale, l->corners, l->i != l->j ? 2 : 3);
    axis_scale_include(&scale, ends, 2);
    struct wide_integer alpha_m, beta_m, alpha_l, beta_l, result;
    form_value(&alpha_m, m, a, &scale);
    form_value(&beta_m, m, b, &scale);
    form_value(&alpha_l, l, a, &scale);
    form_value(&beta_l, l, b, &scale);
    wide_determinant_2(&result, &alpha_m, &beta_m, &alpha_l, &beta_l);
    return result.sign;
}

int segment_sign_at(const struct segment_place *place, const struct segment_form *form, predicate_counters *counters)
{
    int alpha = segment_form_sign(form, place->a, counters), beta = segment_form_sign(form, place->b, counters);
    if (!place->after) {
        return alpha != 0 ? alpha : beta;
    }
    if (alpha * beta >= 0) { /* past a root at a, and before one at b */
        return alpha != 0 ? alpha : beta;
    }
    int towards = segment_form_sign(place->after, place->b, counters);
    int sign = towards * product_difference_sign(form, place->after, place->a, place->b);
    counters->exact_fallbacks++;
    return sign != 0 ? sign : beta;
}

static bool place_is_on_face(const struct segment_place *place, const double *const triangle[3],
                             predicate_counters *counters)
{
    struct plane_projection projection = projection_of_triangle(triangle, counters);
    for (int k = 0; k < 3; k++) {
        const struct segment_form edge = {{triangle[k], triangle[k == 2 ? 0 : k + 1]}, projection.i, projection.j};
        if (projection.orientation == 0 || segment_sign_at(place, &edge, counters) == -projection.orientation) {
            return false;
        }
    }
    return true;
}

int segment_winding_of_face(const struct segment_place *place, const double *const triangle[3],
                            predicate_counters *counters, bool *on)
{
    const struct segment_form plane = {{triangle[0], triangle[1], triangle[2]}, 0, 0};
    int ahead = segment_sign_at(place, &plane, counters);
    *on = ahead == 0 && place_is_on_face(place, triangle, counters);
    int orientation = *on ? 0 : orientation_2d_counted(triangle[0], triangle[1], triangle[2], 1, 2, counters);
    if (orientation == 0 || ahead != -orientation) {
        return 0;
    }
    for (int k = 0; k < 3; k++) {
        const double *u = triangle[k], *v = triangle[k == 2 ? 0 : k + 1];
        const struct segment_form edge = {{u, v}, 1, 2};
        int side = segment_sign_at(place, &edge, counters);
        if (side == 0) {
            side = u[2] != v[2] ? (v[2] < u[2] ? 1 : -1) : (v[1] > u[1]) - (v[1] < u[1]);
        }
        if (side != orientation) {
            return 0;
        }
    }
    return orientation;
}
