/* Taylor enclosures of in-between motions and of chains of them. See motion_bounds.h. */
#include "geometry/motion/motion_bounds.h"

#include <string.h>

#include "geometry/metric/quaternion.h"
#include "geometry/motion/motion_laws.h"

#define BOUND_ROUNDING (1 + 0x1p-40)

/* An upper bound of the spectral norm of R' = [w]R: |w| is the Frobenius norm by the square root of two; the error of
 * the computed rate is added by the caller. */
static double turning_of(const double rate[9])
{
    double squares = 0;
    for (int k = 0; k < 9; k++) {
        squares += rate[k] * rate[k];
    }
    return sqrt(0.5 * squares) * BOUND_ROUNDING;
}

static double smaller(double a, double b)
{
    return a < b ? a : b;
}

/* Bounds that follow from the values in the middle and the bounds of the second derivatives. */
static void bound_first_order(struct motion_piece *piece, double turning_at_most)
{
    double h = piece->half;
    piece->turning =
        smaller(turning_at_most, turning_of(piece->rotation_rate) + h * piece->bending + piece->rotation_rate_error);
    piece->speed =
        vector_length(piece->translation_rate) * BOUND_ROUNDING + h * piece->swerve + piece->translation_rate_error;
    piece->reach = vector_length(piece->translation) * BOUND_ROUNDING + h * piece->speed + piece->translation_error;
}

/* Errors: the trajectory is rounded (ROTATION_DEFECT, 512 u). The angle rounds to within |w| u, sine and cosine are
 * good to 4 u (SINE_COSINE_ERROR), entries are sums of three products, a norm is at most three times the largest entry:
 * below (50 + 3 |w|) u. Together below 1024 u + 4 |w| u. Rates have the factor |w|. T adds at most as much of every
 * length it is made of. */
void trajectory_piece(const struct trajectory *trajectory, double middle, double half, struct motion_piece *piece)
{
    if (trajectory->law || trajectory->given) {
        double turning_at_most = trajectory->law ? timed_piece(trajectory, middle, half, piece)
                                                 : given_piece(trajectory, middle, half, piece);
        bound_first_order(piece, turning_at_most);
        return;
    }
    trajectory_derivative_at(trajectory, middle, piece->rotation, piece->translation, piece->rotation_rate,
                             piece->translation_rate);
    double w = fabs(trajectory->angle), relative = 0x1p-43 + w * 0x1p-51;
    double arc_speed = trajectory->arcs ? fabs(0.5 * w / trajectory->half_sine) * trajectory->arc_length : 0;
    piece->half = half;
    piece->bending = w * w * BOUND_ROUNDING;
    piece->swerve = w * (w * trajectory->centre_length + arc_speed) * BOUND_ROUNDING;
    piece->rotation_error = relative;
    piece->rotation_rate_error = w * relative;
    piece->translation_error = trajectory->size * relative;
    piece->translation_rate_error = (1 + w) * trajectory->size * relative;
    bound_first_order(piece, w * BOUND_ROUNDING + piece->rotation_rate_error);
}

static void still_piece(double half, struct motion_piece *piece)
{
    *piece = (struct motion_piece){.half = half};
    piece->rotation[0] = piece->rotation[4] = piece->rotation[8] = 1;
}

/* p = p q: products of 3 x 3 matrices of norm 1 round by less than 27 u in norm. */
static void compose(struct motion_piece *p, const struct motion_piece *q)
{
    struct motion_piece product = {.half = p->half};
    double part[9], moved[3], flipped[3];
    matrix_times_matrix(p->rotation, q->rotation, product.rotation);
    matrix_times_matrix(p->rotation_rate, q->rotation, product.rotation_rate);
    matrix_times_matrix(p->rotation, q->rotation_rate, part);
    for (int k = 0; k < 9; k++) {
        product.rotation_rate[k] += part[k];
    }
    matrix_times_vector(p->rotation, q->translation, product.translation);
    matrix_times_vector(p->rotation, q->translation_rate, moved);
    matrix_times_vector(p->rotation_rate, q->translation, flipped);
    for (int k = 0; k < 3; k++) {
        product.translation[k] += p->translation[k];
        product.translation_rate[k] = (moved[k] + flipped[k]) + p->translation_rate[k];
    }
    product.bending = p->bending + 2 * p->turning * q->turning + q->bending;
    product.swerve = p->bending * q->reach + 2 * p->turning * q->speed + q->swerve + p->swerve;
    product.rotation_error = p->rotation_error + q->rotation_error + 0x1p-48;
    product.rotation_rate_error = p->rotation_rate_error + q->rotation_rate_error + p->turning * q->rotation_error +
                                  q->turning * p->rotation_error + 0x1p-47 * (p->turning + q->turning);
    product.translation_error =
        p->rotation_error * q->reach + q->translation_error + p->translation_error + 0x1p-48 * (p->reach + q->reach);
    product.translation_rate_error =
        p->rotation_rate_error * q->reach + p->turning * q->translation_error + p->rotation_error * q->speed +
        q->translation_rate_error + p->translation_rate_error + 0x1p-47 * (p->turning * q->reach + q->speed + p->speed);
    bound_first_order(&product, p->turning + q->turning);
    *p = product;
}

void append_link(struct motion_piece *piece, const struct trajectory *link, double middle)
{
    struct motion_piece next;
    trajectory_piece(link, middle, piece->half, &next);
    compose(piece, &next);
}

void chain_piece(const struct motion_chain *chain, double middle, double half, struct motion_piece *piece)
{
    if (chain->count == 0) {
        still_piece(half, piece);
        return;
    }
    trajectory_piece(chain->links[0], middle, half, piece);
    for (uint32_t link = 1; link < chain->count; link++) {
        append_link(piece, chain->links[link], middle);
    }
}

/* y = RA' (RB x + TB - TA). */
static void see_from(const struct motion_piece *a, const struct motion_piece *b, struct motion_piece *seen)
{
    double apart[3], apart_rate[3], part[9], flipped[3], h = b->half;
    for (int k = 0; k < 3; k++) {
        apart[k] = b->translation[k] - a->translation[k];
        apart_rate[k] = b->translation_rate[k] - a->translation_rate[k];
    }
    double rate_error = a->translation_rate_error + b->translation_rate_error + 0x1p-50 * (a->speed + b->speed);
    double error = a->translation_error + b->translation_error + 0x1p-50 * (a->reach + b->reach);
    double swerve = a->swerve + b->swerve;
    double speed = vector_length(apart_rate) * BOUND_ROUNDING + h * swerve + rate_error;
    double reach = vector_length(apart) * BOUND_ROUNDING + h * speed + error;
    seen->half = h;
    transpose_times_matrix(a->rotation, b->rotation, seen->rotation);
    transpose_times_matrix(a->rotation_rate, b->rotation, seen->rotation_rate);
    transpose_times_matrix(a->rotation, b->rotation_rate, part);
    for (int k = 0; k < 9; k++) {
        seen->rotation_rate[k] += part[k];
    }
    vector_times_matrix(a->rotation, apart, seen->translation);
    vector_times_matrix(a->rotation, apart_rate, seen->translation_rate);
    vector_times_matrix(a->rotation_rate, apart, flipped);
    for (int k = 0; k < 3; k++) {
        seen->translation_rate[k] += flipped[k];
    }
    seen->bending = a->bending + 2 * a->turning * b->turning + b->bending;
    seen->swerve = a->bending * reach + 2 * a->turning * speed + swerve;
    seen->rotation_error = a->rotation_error + b->rotation_error + 0x1p-48;
    seen->rotation_rate_error = a->rotation_rate_error + b->rotation_rate_error + a->turning * b->rotation_error +
                                b->turning * a->rotation_error + 0x1p-47 * (a->turning + b->turning);
    seen->translation_error = a->rotation_error * reach + error + 0x1p-48 * reach;
    seen->translation_rate_error = a->rotation_rate_error * reach + a->turning * error + a->rotation_error * speed +
                                   rate_error + 0x1p-47 * (a->turning * reach + speed);
    bound_first_order(seen, a->turning + b->turning);
}

/* The true R' R^T is skew; that of the computed matrices is off by their errors, its skew part by no more, and 64
 * roundings. */
static void find_spin(struct motion_piece *piece)
{
    const double *r = piece->rotation, *d = piece->rotation_rate;
    double m[9];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            m[3 * i + j] = vector_dot(d + 3 * i, r + 3 * j);
        }
    }
    piece->spin[0] = 0.5 * (m[7] - m[5]);
    piece->spin[1] = 0.5 * (m[2] - m[6]);
    piece->spin[2] = 0.5 * (m[3] - m[1]);
    piece->spin_rest =
        4 * (piece->rotation_rate_error + piece->turning * piece->rotation_error) + 0x1p-47 * piece->turning;
}

static void finish(struct motion_piece *piece, double more)
{
    double h = piece->half;
    find_spin(piece);
    piece->rotation_rest =
        (0.5 * h * h * piece->bending + piece->rotation_error + h * piece->rotation_rate_error) * BOUND_ROUNDING;
    piece->translation_rest =
        (0.5 * h * h * piece->swerve + piece->translation_error + h * piece->translation_rate_error + more) *
        BOUND_ROUNDING;
}

void relative_motion(const struct motion_chain *a, const struct motion_chain *b, double lo, double half,
                     dent_motion_bounds bounds, const struct interval_kernels *kernels, double reach_a, double reach_b,
                     struct motion_piece *piece)
{
    if (bounds == DENT_MOTION_BOUNDS_INTERVAL || bounds == DENT_MOTION_BOUNDS_PLAIN_INTERVAL) {
        relative_interval_motion(kernels, a, b, lo, half, bounds == DENT_MOTION_BOUNDS_INTERVAL, piece);
    } else if (a->count == 0) {
        chain_piece(b, lo + half, half, piece);
    } else {
        struct motion_piece from, to;
        chain_piece(a, lo + half, half, &from);
        chain_piece(b, lo + half, half, &to);
        see_from(&from, &to, piece);
    }
    finish(piece, 0x1p-47 * (reach_a + reach_b + piece->reach));
}

void chain_motion(const struct motion_chain *chain, double lo, double half, dent_motion_bounds bounds,
                  const struct interval_kernels *kernels, struct motion_piece *piece)
{
    const struct motion_chain none = {NULL, 0};
    relative_motion(&none, chain, lo, half, bounds, kernels, 0, 0, piece);
}
