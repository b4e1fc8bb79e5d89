/* Motions with time laws, and given ones. See motion_laws.h. */
#include "geometry/motion/motion_laws.h"

#include <math.h>
#include <string.h>

#include "base/floating_point_guard.h"
#include "geometry/metric/quaternion.h"

#define BOUND_ROUNDING (1 + 0x1p-40)

/* ---- polynomials ------------------------------------------------------------------------------------------------- */

enum { DEGREE = 6 };

/* Horner's rule of 6 terms rounds by less than 16 u of the sum of the sizes of the terms. */
#define HORNER_ERROR 0x1p-49

/* sum of factor_k c_k t^(k - order), k from 1, with factor_k = k (k-1) … (k-order+1); sizes: of the |terms|. */
static double derivative_of(const double *c, int order, double t, double *sizes)
{
    double sum = 0;
    *sizes = 0;
    for (int k = DEGREE; k >= 1; k--) {
        double factor = 1;
        for (int i = 0; i < order; i++) {
            factor *= k - i > 0 ? k - i : 0;
        }
        if (k >= order) {
            sum = sum * t + factor * c[k - 1];
            *sizes = *sizes * fabs(t) + factor * fabs(c[k - 1]);
        }
    }
    /* Terms below the order are gone; a law begins with t^1, so the value has one more factor. */
    double last = order == 0 ? t : 1;
    *sizes = *sizes * fabs(last) * BOUND_ROUNDING;
    return sum * last;
}

static dent_law_enclosure enclose_polynomial(const double *c, double lo, double hi)
{
    double middle = 0.5 * (lo + hi), half = 0.5 * (hi - lo), sizes, farthest = fmax(fabs(lo), fabs(hi));
    dent_law_enclosure law;
    law.value = derivative_of(c, 0, middle, &sizes);
    law.value_error = HORNER_ERROR * sizes;
    law.rate = derivative_of(c, 1, middle, &sizes);
    law.rate_error = HORNER_ERROR * sizes;
    double bend = fabs(derivative_of(c, 2, middle, &sizes)) + HORNER_ERROR * sizes, most;
    derivative_of(c, 3, farthest, &sizes);
    bend += half * sizes;
    derivative_of(c, 2, farthest, &most);
    law.bend = fmin(bend, most) * BOUND_ROUNDING;
    return law;
}

static DENT_NOINLINE void enclose_both(const dent_polynomial_laws *laws, double lo, double hi,
                                       dent_law_enclosure *turn, dent_law_enclosure *slide)
{
    *turn = enclose_polynomial(laws->turn, lo, hi);
    *slide = enclose_polynomial(laws->slide, lo, hi);
}

void dent_polynomial_law(void *user, double t_lo, double t_hi, dent_law_enclosure *turn, dent_law_enclosure *slide)
{
    if (!user || !turn || !slide) {
        return;
    }
    struct floating_point_guard guard;
    floating_point_guard_enter(&guard);
    enclose_both(user, t_lo, t_hi, turn, slide);
    floating_point_guard_leave(&guard);
}

static void hermite(double rate_0, double rate_1, double *c)
{
    c[0] = rate_0;
    c[1] = (3 - 2 * rate_0) - rate_1;
    c[2] = (rate_0 + rate_1) - 2;
}

static DENT_NOINLINE dent_polynomial_laws make_laws(const double rates[4])
{
    dent_polynomial_laws laws = {{0}, {0}};
    hermite(rates[0], rates[1], laws.turn);
    hermite(rates[2], rates[3], laws.slide);
    return laws;
}

dent_polynomial_laws dent_polynomial_laws_between(double turn_rate_t0, double turn_rate_t1, double slide_rate_t0,
                                                  double slide_rate_t1)
{
    const double rates[4] = {turn_rate_t0, turn_rate_t1, slide_rate_t0, slide_rate_t1};
    struct floating_point_guard guard;
    floating_point_guard_enter(&guard);
    dent_polynomial_laws laws = make_laws(rates);
    floating_point_guard_leave(&guard);
    return laws;
}

/* ---- laws -------------------------------------------------------------------------------------------------------- */

static void note_fault(const struct trajectory *trajectory)
{
    if (trajectory->fault) {
        __atomic_store_n(trajectory->fault, 1, __ATOMIC_RELAXED);
    }
}

static bool is_bound(double number)
{
    return number >= 0 && isfinite(number);
}

static bool law_is_good(const dent_law_enclosure *law)
{
    return fabs(law->value) <= 4 && is_bound(law->value_error) && isfinite(law->rate) && is_bound(law->rate_error) &&
           is_bound(law->bend);
}

void law_over(const struct trajectory *trajectory, double middle, double half, dent_law_enclosure *turn,
              dent_law_enclosure *slide)
{
    memset(turn, 0, sizeof *turn);
    memset(slide, 0, sizeof *slide);
    trajectory->law->function(trajectory->law->user, middle - half, middle + half, turn, slide);
    if (!law_is_good(turn) || !law_is_good(slide)) {
        note_fault(trajectory);
        *turn = *slide = (dent_law_enclosure){.value = middle, .rate = 1};
    }
}

/* The largest |derivative| over the piece. */
static double fastest(const dent_law_enclosure *law, double half)
{
    return (fabs(law->rate) + law->rate_error + half * law->bend) * BOUND_ROUNDING;
}

/* Rounding: as in trajectory_piece, with an angle up to four times as large and one more product for every rate, and
 * lengths up to 1 + |a| + |b| times as large. */
double timed_piece(const struct trajectory *trajectory, double middle, double half, struct motion_piece *piece)
{
    dent_law_enclosure a, b;
    law_over(trajectory, middle, half, &a, &b);
    trajectory_derivative_at(trajectory, a.value, piece->rotation, piece->translation, piece->rotation_rate,
                             piece->translation_rate);
    for (int k = 0; k < 9; k++) {
        piece->rotation_rate[k] *= a.rate;
    }
    for (int k = 0; k < 3; k++) {
        double velocity = trajectory->velocity[k];
        piece->translation[k] += (b.value - a.value) * velocity;
        piece->translation_rate[k] = (piece->translation_rate[k] - velocity) * a.rate + velocity * b.rate;
    }
    double w = fabs(trajectory->angle), speed_a = fastest(&a, half), speed_b = fastest(&b, half);
    double relative = 4 * (0x1p-43 + w * (1 + fabs(a.value)) * 0x1p-51);
    double size = trajectory->size * (1 + fabs(a.value) + fabs(b.value));
    double straight = vector_length(trajectory->velocity) * BOUND_ROUNDING;
    double arc = trajectory->arcs ? fabs(0.5 * w / trajectory->half_sine) * trajectory->arc_length : 0;
    double swing = (w * trajectory->centre_length + arc) * BOUND_ROUNDING; /* |T'| for each unit of a */
    piece->half = half;
    piece->bending = (w * w * speed_a * speed_a + w * a.bend) * BOUND_ROUNDING;
    piece->swerve = (straight * b.bend + swing * (w * speed_a * speed_a + a.bend)) * BOUND_ROUNDING;
    piece->rotation_error = (relative + w * a.value_error) * BOUND_ROUNDING;
    piece->rotation_rate_error =
        (w * relative * speed_a + w * w * a.value_error * speed_a + w * a.rate_error) * BOUND_ROUNDING;
    piece->translation_error = (size * relative + straight * b.value_error + swing * a.value_error) * BOUND_ROUNDING;
    piece->translation_rate_error = ((1 + w) * size * relative * (speed_a + speed_b) + straight * b.rate_error +
                                     swing * (a.rate_error + w * a.value_error * speed_a)) *
                                    BOUND_ROUNDING;
    return w * speed_a * BOUND_ROUNDING + piece->rotation_rate_error;
}

/* ---- given motions ----------------------------------------------------------------------------------------------- */

static bool enclosure_is_good(const dent_motion_enclosure *given)
{
    const double bounds[6] = {given->rotation_error,      given->translation_error,      given->rotation_bend,
                              given->rotation_rate_error, given->translation_rate_error, given->translation_bend};
    bool good = true;
    for (int k = 0; k < 9; k++) {
        good = good && fabs(given->rotation[k]) <= 1 + 0x1p-20 + given->rotation_error &&
               isfinite(given->rotation_rate[k]);
    }
    for (int k = 0; k < 3; k++) {
        good = good && isfinite(given->translation[k]) && isfinite(given->translation_rate[k]);
    }
    for (int k = 0; k < 6; k++) {
        good = good && is_bound(bounds[k]);
    }
    return good;
}

/* The numbers are the caller's, bounds included; scaling by a power of two is exact but for underflow, which the
 * smallest normal number covers. */
double given_piece(const struct trajectory *trajectory, double middle, double half, struct motion_piece *piece)
{
    dent_motion_enclosure given;
    memset(&given, 0, sizeof given);
    trajectory->given->function(trajectory->given->user, middle - half, middle + half, &given);
    if (!enclosure_is_good(&given)) {
        note_fault(trajectory);
        memset(&given, 0, sizeof given);
        given.rotation[0] = given.rotation[4] = given.rotation[8] = 1;
    }
    double scale = trajectory->scale;
    memcpy(piece->rotation, given.rotation, sizeof piece->rotation);
    memcpy(piece->rotation_rate, given.rotation_rate, sizeof piece->rotation_rate);
    for (int k = 0; k < 3; k++) {
        piece->translation[k] = given.translation[k] * scale;
        piece->translation_rate[k] = given.translation_rate[k] * scale;
    }
    piece->half = half;
    piece->bending = given.rotation_bend * BOUND_ROUNDING;
    piece->swerve = given.translation_bend * scale * BOUND_ROUNDING + 0x1p-1022;
    piece->rotation_error = given.rotation_error * BOUND_ROUNDING;
    piece->rotation_rate_error = given.rotation_rate_error * BOUND_ROUNDING;
    piece->translation_error = given.translation_error * scale * BOUND_ROUNDING + 0x1p-1022;
    piece->translation_rate_error = given.translation_rate_error * scale * BOUND_ROUNDING + 0x1p-1022;
    return INFINITY;
}
