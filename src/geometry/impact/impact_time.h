/* Stage 2 of the impact test: the time of a contact to the last bit. Shared with stage 1: the query in doubles. */
#ifndef DENT_GEOMETRY_IMPACT_TIME_H
#define DENT_GEOMETRY_IMPACT_TIME_H

#include "geometry/numbers/double_double.h"
#include "geometry/impact/impact_internal.h"

/* Rounded differences at both ends and polynomials in Bernstein form: see impact_double.c. */
struct impact_doubles {
    enum impact_kind kind;
    const struct impact_vertex *const *corners;
    double q[2][3], a[2][3], b[2][3];
    double size_q, size_a, size_b, product;
    double cubic[4], cubic_bound;
    double normal[3][3]; /* [axis][coefficient] */
};

/* The largest double not above the one root of D in (left, right), `m` a point near it. False: not certain. */
bool impact_refine_time(const struct impact_doubles *x, double left, double right, double m, double *toi);

/* Bounds of D' on [left, right]; false where they include 0. For the tests too. */
bool impact_enclose_slope(const struct impact_doubles *x, double left, double right, double *least, double *most);

/* D(t) in double-double from the corners; the error is below IMPACT_TIME_ERROR times x->product. For the tests too. */
#define IMPACT_TIME_ERROR 0x1p-94
struct double_double impact_coplanarity_at(enum impact_kind kind, const struct impact_vertex *const corners[4],
                                           double t);

#endif
