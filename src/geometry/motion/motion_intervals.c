/* Interval enclosures of in-between motions (Redon et al. 2002, 2004), with and without the step that keeps chains of
 * them narrow. See motion_bounds.h.
 *
 * An interval matrix forgets how its entries hang together, so products of many links swell, faster than the motion
 * itself: after ten links they say nothing. The intermediate step (`tight`) intersects every partial product with the
 * centred form: entry by entry within (sum of angular speeds so far) * half of the value in the middle, translations
 * within (speed bound) * half; and with what a rotation can be at all: entries in [-1, 1], rows and columns of
 * length 1.
 */
#include "geometry/motion/interval_kernels.h"
#include "geometry/motion/motion_bounds.h"
#include "geometry/metric/quaternion.h"

/* ---- one link ---------------------------------------------------------------------------------------------------- */

/* Of motions with laws of their own only the centred form is known. */
static void centred_pose(const struct trajectory *trajectory, struct interval t, struct interval_pose *pose)
{
    struct motion_piece piece;
    double half = rounded_up(0.5 * (t.hi - t.lo));
    trajectory_piece(trajectory, 0.5 * (t.lo + t.hi), half, &piece);
    double turn = (half * piece.turning + piece.rotation_error) * (1 + 0x1p-40);
    double move = (half * piece.speed + piece.translation_error) * (1 + 0x1p-40);
    for (int k = 0; k < 9; k++) {
        pose->rotation[k] = interval_of(rounded_down(piece.rotation[k] - turn), rounded_up(piece.rotation[k] + turn));
    }
    for (int k = 0; k < 3; k++) {
        pose->translation[k] =
            interval_of(rounded_down(piece.translation[k] - move), rounded_up(piece.translation[k] + move));
    }
}

static void trajectory_interval_pose(const struct interval_kernels *kernels, const struct trajectory *trajectory,
                                     struct interval t, struct interval_pose *pose)
{
    if (trajectory->law || trajectory->given) {
        centred_pose(trajectory, t, pose);
        return;
    }
    struct interval angle = interval_scale(t, trajectory->angle);
    struct interval_phase phase = {
        .t = t, .cosine = interval_cosine(angle), .sine = interval_sine(angle), .g1 = {0, 0}, .g2 = {0, 0}};
    if (trajectory->arcs) {
        struct interval late = interval_scale(interval_subtract(t, interval_point(1)), 0.5 * trajectory->angle);
        struct interval ratio;                   /* sin(wt/2) / sin(w/2) */
        if (fabs(trajectory->angle) < 0x1p-18) { /* t (1 + w^2 (1 - t^2) / 24 + ...) */
            ratio = interval_multiply(t, interval_of(1 - 0x1p-50, 1 + 0x1p-38));
        } else { /* the divisor is above 2^-22 in size, or there is no arc (motion_fault) */
            struct interval half_sine = interval_sine(interval_point(0.5 * trajectory->angle));
            struct interval early = interval_sine(interval_scale(t, 0.5 * trajectory->angle));
            double p = 1 / half_sine.lo, q = 1 / half_sine.hi;
            ratio = interval_multiply(early, interval_of(rounded_down(p < q ? p : q), rounded_up(p < q ? q : p)));
        }
        phase.g1 = interval_multiply(ratio, interval_cosine(late));
        phase.g2 = interval_multiply(ratio, interval_sine(late));
    }
    kernels->trajectory_pose(trajectory, &phase, pose);
}

/* ---- the intermediate step --------------------------------------------------------------------------------------- */

/* `piece` is the Taylor enclosure of the same product over the same time; of it only the first-order bounds are used,
 * so that this remains what interval arithmetic with centred forms can do. */
static void tighten(const struct interval_kernels *kernels, struct interval_pose *pose,
                    const struct motion_piece *piece, uint32_t links)
{
    double turn = piece->half * piece->turning + piece->rotation_error;
    turn *= 1 + 0x1p-40;
    double move = piece->half * piece->speed + piece->translation_error;
    move *= 1 + 0x1p-40;
    for (int k = 0; k < 9; k++) {
        double middle = piece->rotation[k];
        struct interval centred = {rounded_down(middle - turn), rounded_up(middle + turn)};
        pose->rotation[k] = interval_intersect(pose->rotation[k], centred);
    }
    kernels->use_unit_length(pose, (links + 1) * 4 * ROTATION_DEFECT);
    for (int k = 0; k < 3; k++) {
        double middle = piece->translation[k];
        struct interval centred = {rounded_down(middle - move), rounded_up(middle + move)};
        pose->translation[k] = interval_intersect(pose->translation[k], centred);
    }
}

static void multiply_poses(const struct interval_kernels *kernels, const struct interval_pose *p,
                           const struct interval_pose *q, struct interval_pose *product)
{
    kernels->multiply_rows(p->rotation, 3, 1, q, product);
    for (int i = 0; i < 3; i++) {
        product->translation[i] = interval_add(product->translation[i], p->translation[i]);
    }
}

static void chain_interval_pose(const struct interval_kernels *kernels, const struct motion_chain *chain,
                                struct interval t, bool tight, struct interval_pose *pose)
{
    for (int k = 0; k < 9; k++) {
        pose->rotation[k] = interval_point(k % 4 == 0 ? 1 : 0);
    }
    pose->translation[0] = pose->translation[1] = pose->translation[2] = interval_point(0);
    double middle = 0.5 * (t.lo + t.hi), half = rounded_up(0.5 * (t.hi - t.lo));
    struct motion_piece piece = {.half = half};
    for (uint32_t link = 0; link < chain->count; link++) {
        struct interval_pose next, before = *pose;
        trajectory_interval_pose(kernels, chain->links[link], t, &next);
        if (link == 0) {
            *pose = next;
        } else {
            multiply_poses(kernels, &before, &next, pose);
        }
        if (tight && link == 0) {
            trajectory_piece(chain->links[0], middle, half, &piece);
        } else if (tight) {
            append_link(&piece, chain->links[link], middle);
        }
        if (tight) {
            tighten(kernels, pose, &piece, link + 1);
        }
    }
}

void relative_interval_motion(const struct interval_kernels *kernels, const struct motion_chain *a,
                              const struct motion_chain *b, double lo, double half, bool tight,
                              struct motion_piece *piece)
{
    struct interval t = {lo, lo + 2 * half};
    struct interval_pose from, to, seen;
    chain_interval_pose(kernels, b, t, tight, &to);
    seen = to;
    if (a->count > 0) {
        chain_interval_pose(kernels, a, t, tight, &from);
        for (int k = 0; k < 3; k++) {
            to.translation[k] = interval_subtract(to.translation[k], from.translation[k]);
        }
        kernels->multiply_rows(from.rotation, 1, 3, &to, &seen); /* the transposed rotation of a */
        if (tight) {
            kernels->use_unit_length(&seen, (a->count + b->count + 1) * 4 * ROTATION_DEFECT);
        }
    }
    *piece = (struct motion_piece){.half = half};
    double rotation_squares = 0, translation_squares = 0, reach = 0;
    for (int k = 0; k < 9; k++) {
        double radius = interval_radius(seen.rotation[k]);
        piece->rotation[k] = interval_middle(seen.rotation[k]);
        rotation_squares += radius * radius;
    }
    for (int k = 0; k < 3; k++) {
        double radius = interval_radius(seen.translation[k]);
        piece->translation[k] = interval_middle(seen.translation[k]);
        translation_squares += radius * radius;
        reach += fabs(piece->translation[k]) + radius;
    }
    /* The intervals enclose the trajectories; the motions are off those by the rounding of each link. */
    double sizes = 0;
    for (uint32_t link = 0; link < a->count + b->count; link++) {
        sizes += link < a->count ? a->links[link]->size : b->links[link - a->count]->size;
    }
    double defects = (a->count + b->count) * (2 * ROTATION_DEFECT);
    piece->rotation_error = (sqrt(rotation_squares) + defects) * (1 + 0x1p-40);
    piece->translation_error = (sqrt(translation_squares) + defects * sizes) * (1 + 0x1p-40);
    piece->reach = reach * (1 + 0x1p-40);
}
