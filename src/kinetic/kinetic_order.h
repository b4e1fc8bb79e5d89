/* Which of two moving values is larger at a time, and when that changes: exact for all finite doubles.
 *
 * A value moves on a straight line from (t0, x0) to (t1, x1); a standing one has t1 = infinity and x0 = x1. Times are
 * doubles, so an order changes at the first double at which it is another one: never late, never early, the same number on
 * every machine. Differences are judged in double, then in double-double, then in integers.
 */
#ifndef DENT_KINETIC_ORDER_H
#define DENT_KINETIC_ORDER_H

struct moving_value {
    double t0, t1;
    double x0, x1;
};

/* Sign of a - b at time t, which lies in both pieces, ends included. */
int moving_sign(const struct moving_value *a, const struct moving_value *b, double t);

/* As above, but right-sided: if they are equal at t, the sign of the difference just after. 0: equal until the first piece
 * ends. */
int moving_order(const struct moving_value *a, const struct moving_value *b, double t);

/* a - b is positive at t: the first double after t at which it is zero or negative. Infinity: not before the first piece
 * ends (then both have to be looked at again anyway). */
double moving_first_failure(const struct moving_value *a, const struct moving_value *b, double t);

/* Bounds of the value at a time of its piece, outward by a few roundings; the key itself at its ends. */
void moving_bounds(const struct moving_value *value, double t, double *lo, double *hi);

/* The value in double, within the bounds. */
double moving_place(const struct moving_value *value, double t);

/* The value in double: for guesses. */
double moving_guess(const struct moving_value *value, double t);

#endif
