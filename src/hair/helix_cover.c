/* Cylinders around pieces of helices, with proven containment (elements of Bertails and others 2006; the choice between
 * one and two cylinders follows the tutorial of Cani and Bertails).
 *
 * In the frame of the start (tangent, normal, binormal), with w = sqrt(k^2 + t^2), f = w s, k' = k / w, t' = t / w:
 *
 *     x = s (k'^2 sinc f + t'^2)      y = s k' (1 - cos f) / f      z = s k' t' (1 - sinc f)
 *
 * No radius of the helix appears, so almost straight pieces lose no digits: every term is s times a number of at most 1
 * in size, its error a few units in the last place of s.
 *
 * Proof for a chord. A cylinder is convex, and the arc lies within k h^2 / 8 of the polyline through points at
 * distances h of arc length (linear interpolation, |p''| = k). So what contains the points, grown by k h^2 / 8, contains
 * the arc. The arc is also within twice the radius of the helix from its chord: at the same place along the axis both
 * lie within that radius of the axis. The smaller bound counts. `slack` covers rounding many times over.
 *
 * Proof for the axis. Every point is at the distance of the helix radius from the axis, between the feet of the ends.
 */
#include <dent/hair.h>

#include "geometry/numbers/vector3.h"

#include <float.h>

enum { COVER_STEPS = 64 };

static const double two_pi = 6.283185307179586;
/* Angles beyond which sines are not asked for; such a piece has many turns. */
static const double largest_angle = 1e6;

struct helix {
    double start[3], axes[3][3]; /* tangent, normal, binormal: unit, orthogonal */
    double bend, twist;          /* curvature and torsion over their common length */
    double rate;                 /* angle per arc length */
    double curvature, length, radius;
};

static bool is_finite3(const double v[3])
{
    return fabs(v[0]) <= DBL_MAX && fabs(v[1]) <= DBL_MAX && fabs(v[2]) <= DBL_MAX;
}

static bool open_helix(const dent_helix_piece *piece, struct helix *helix)
{
    double both[3] = {piece->curvature, piece->torsion, 0};
    if (!is_finite3(piece->start) || !is_finite3(piece->tangent) || !is_finite3(piece->normal) ||
        !(piece->curvature >= 0 && piece->curvature <= DBL_MAX) || !(fabs(piece->torsion) <= DBL_MAX) ||
        !(piece->length >= 0 && piece->length <= DBL_MAX) || !(piece->radius >= 0 && piece->radius <= DBL_MAX)) {
        return false;
    }
    vector_copy(piece->start, helix->start);
    vector_copy(piece->tangent, helix->axes[0]);
    vector_copy(piece->normal, helix->axes[1]);
    if (!vector_normalise(helix->axes[0]) || !vector_normalise(helix->axes[1])) {
        return false;
    }
    for (int twice = 0; twice < 2; twice++) { /* the second time removes what the first one left by rounding */
        vector_add_scaled(helix->axes[1], -vector_dot(helix->axes[0], helix->axes[1]), helix->axes[0]);
        if (!vector_normalise(helix->axes[1])) {
            return false;
        }
    }
    vector_cross(helix->axes[0], helix->axes[1], helix->axes[2]);
    helix->rate = vector_length(both);
    if (!(helix->rate <= DBL_MAX)) {
        return false;
    }
    vector_normalise(both); /* by its own scale: quotients with a subnormal rate would have few digits. 0 stays 0 */
    helix->bend = both[0];
    helix->twist = both[1];
    helix->curvature = piece->curvature;
    helix->length = piece->length;
    helix->radius = piece->radius;
    return true;
}

/* ---- points ------------------------------------------------------------------------------------------------------ */

/* sin f / f, (1 - cos f) / f and 1 - sin f / f. */
static void angle_shares(double angle, double *sinc, double *rise, double *lag)
{
    double sine, cosine, half_sine;
    if (angle < 0.125) {
        double square = angle * angle;
        *lag = square / 6 * (1 - square / 20 * (1 - square / 42 * (1 - square / 72 * (1 - square / 110))));
        *rise = angle / 2 * (1 - square / 12 * (1 - square / 30 * (1 - square / 56 * (1 - square / 90))));
        *sinc = 1 - *lag;
        return;
    }
    dent_sine_cosine(angle, &sine, &cosine);
    dent_sine_cosine(0.5 * angle, &half_sine, NULL);
    *sinc = sine / angle;
    *rise = 2 * half_sine * half_sine / angle;
    *lag = 1 - *sinc;
}

static void in_space(const struct helix *helix, double x, double y, double z, double out[3])
{
    for (int axis = 0; axis < 3; axis++) {
        out[axis] = (x * helix->axes[0][axis] + y * helix->axes[1][axis]) + z * helix->axes[2][axis];
    }
}

/* Relative to the start. */
static void arc_point(const struct helix *helix, double s, double point[3])
{
    double sinc, rise, lag, bend = helix->bend, twist = helix->twist;
    angle_shares(helix->rate * s, &sinc, &rise, &lag);
    in_space(helix, helix->rate > 0 ? s * (bend * bend * sinc + twist * twist) : s, s * bend * rise,
             s * (bend * twist) * lag, point);
}

static void arc_tangent(const struct helix *helix, double s, double tangent[3])
{
    double sine = 0, cosine = 1, bend = helix->bend, twist = helix->twist;
    dent_sine_cosine(helix->rate * s, &sine, &cosine);
    in_space(helix, helix->rate > 0 ? bend * bend * cosine + twist * twist : 1, bend * sine,
             bend * twist * (1 - cosine), tangent);
}

bool dent_helix_point(const dent_helix_piece *piece, double s, double point[3], double tangent[3])
{
    struct helix helix;
    if (!piece || !point || !(s >= 0) || !open_helix(piece, &helix) || !(s <= helix.length) ||
        !(helix.rate * s <= largest_angle)) {
        return false;
    }
    double found[3];
    arc_point(&helix, s, found);
    for (int axis = 0; axis < 3; axis++) {
        point[axis] = helix.start[axis] + found[axis];
    }
    if (tangent) {
        arc_tangent(&helix, s, tangent);
    }
    return true;
}

/* ---- cylinders --------------------------------------------------------------------------------------------------- */

/* What all rounding of a cover together stays below. */
static double rounding_slack(const struct helix *helix)
{
    return 0x1p-44 * ((helix->length + helix->radius) + vector_largest(helix->start));
}

/* A cylinder from `low` to `high` along the unit direction, measured from `origin` (relative to the start). A flat one
 * grows by a 64th of its radius, so that the rounding of its ends does not tilt it by more than the slack. */
static void write_cylinder(const struct helix *helix, const double origin[3], const double direction[3], double low,
                           double high, double radius, dent_cylinder *cylinder)
{
    double slack = rounding_slack(helix), ends = slack + (high - low < radius ? radius / 64 : 0);
    for (int axis = 0; axis < 3; axis++) {
        cylinder->a[axis] = helix->start[axis] + (origin[axis] + (low - ends) * direction[axis]);
        cylinder->b[axis] = helix->start[axis] + (origin[axis] + (high + ends) * direction[axis]);
    }
    cylinder->radius = radius + slack;
}

/* Along the chord of the arc from s0 to s1. Returns how far the arc leaves the chord at most. */
static double cover_chord(const struct helix *helix, double s0, double s1, dent_cylinder *cylinder)
{
    double from[3], to[3], direction[3], farthest = 0, low = 0, high = 0, step = (s1 - s0) / COVER_STEPS;
    arc_point(helix, s0, from);
    arc_point(helix, s1, to);
    vector_subtract(to, from, direction);
    if (!vector_normalise(direction)) {
        vector_copy(helix->axes[0], direction);
    }
    for (int i = 0; i <= COVER_STEPS; i++) {
        double point[3], across[3];
        arc_point(helix, i < COVER_STEPS ? s0 + i * step : s1, point);
        vector_subtract(point, from, across);
        double along = vector_dot(across, direction);
        vector_add_scaled(across, -along, direction);
        double distance = vector_length(across);
        farthest = distance > farthest ? distance : farthest;
        low = along < low ? along : low;
        high = along > high ? along : high;
    }
    double between = helix->curvature * step * step / 8 * (1 + 0x1p-40), round = helix->bend / helix->rate;
    double leaves = farthest + between;
    if (helix->rate > 0 && 2 * round < leaves) {
        leaves = 2 * round;
    }
    write_cylinder(helix, from, direction, low - (between + helix->radius), high + (between + helix->radius),
                   leaves + helix->radius, cylinder);
    return leaves;
}

static void cover_axis(const struct helix *helix, dent_cylinder *cylinder)
{
    double round = helix->bend / helix->rate, climb = helix->length * helix->twist, center[3], direction[3];
    in_space(helix, 0, round, 0, center);
    in_space(helix, helix->twist, 0, helix->bend, direction);
    write_cylinder(helix, center, direction, (climb < 0 ? climb : 0) - helix->radius,
                   (climb > 0 ? climb : 0) + helix->radius, round + helix->radius, cylinder);
}

static bool cylinder_is_finite(const dent_cylinder *cylinder)
{
    return is_finite3(cylinder->a) && is_finite3(cylinder->b) && cylinder->radius <= DBL_MAX;
}

static uint32_t choose_cover(const struct helix *helix, dent_cylinder found[2])
{
    double angle = helix->rate * helix->length;
    bool turns = angle >= two_pi;
    /* pitch < 4 radii: 2 pi twist / rate < 4 bend / rate */
    if (turns && (angle > largest_angle || two_pi * fabs(helix->twist) < 4 * helix->bend)) {
        cover_axis(helix, &found[0]);
        return 1;
    }
    double leaves = cover_chord(helix, 0, helix->length, &found[0]);
    if (turns && helix->bend / helix->rate <= leaves) {
        cover_axis(helix, &found[0]);
        return 1;
    }
    if (leaves <= helix->radius) {
        return 1;
    }
    cover_chord(helix, 0, 0.5 * helix->length, &found[0]);
    cover_chord(helix, 0.5 * helix->length, helix->length, &found[1]);
    return 2;
}

uint32_t dent_helix_cover(const dent_helix_piece *piece, dent_cylinder cylinders[2])
{
    struct helix helix;
    dent_cylinder found[2];
    if (!piece || !cylinders || !open_helix(piece, &helix)) {
        return 0;
    }
    uint32_t count = choose_cover(&helix, found);
    for (uint32_t i = 0; i < count; i++) {
        if (!cylinder_is_finite(&found[i])) {
            return 0;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        cylinders[i] = found[i];
    }
    return count;
}
