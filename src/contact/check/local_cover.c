/* Exact covering test around a point, by looking at the walls of the cones from outside.
 *
 * If the cones leave a direction open, the open set of directions is bounded by walls of cones, seen from outside. So
 * they cover everything iff the outer side of every wall is covered everywhere. A wall is cut into sectors spanned by
 * two mesh vertices a and b: the directions A + s B with A = a - p, B = b - p, 0 < s < infinity. A plane m of another
 * cone has the value alpha_m + s beta_m there (alpha, beta: the orientations of a and b with the plane), so what covers
 * a sector can change only at the roots s = -alpha_l / beta_l. It is enough to look just after s = 0 and just after
 * every root, where each sign is that of an orientation or of alpha_m beta_l - alpha_l beta_m: polynomials of degree 3
 * and 6, decided exactly. A plane with alpha = beta = 0 is the wall's own; its cone covers the outer side iff it lies
 * there.
 */
#include "contact/check/local_cover.h"

#include <stddef.h>

#include "geometry/predicates/orientation_predicates.h"
#include "geometry/numbers/wide_determinants.h"

/* Sign of q with the plane opposite corner k: positive on the cone's side. */
static int plane_sign(const struct cone *cone, int k, const double *q, predicate_counters *counters)
{
    const double *c[4] = {cone->corners[0], cone->corners[1], cone->corners[2], cone->corners[3]};
    c[k] = q;
    return cone->orientation * orientation_3d_counted(c[0], c[1], c[2], c[3], counters);
}

point_relation cone_at_point(const double p[3], const double *const corners[4], struct cone *cone,
                             predicate_counters *counters)
{
    for (int k = 0; k < 4; k++) {
        cone->corners[k] = corners[k];
    }
    cone->orientation = orientation_3d_counted(corners[0], corners[1], corners[2], corners[3], counters);
    cone->planes = 0;
    if (cone->orientation == 0) {
        return POINT_OUTSIDE;
    }
    for (int k = 0; k < 4; k++) {
        int sign = plane_sign(cone, k, p, counters);
        if (sign < 0) {
            return POINT_OUTSIDE;
        }
        cone->planes |= (uint32_t)(sign == 0) << k;
    }
    return cone->planes == 0 ? POINT_INTERIOR : POINT_BOUNDARY;
}

/* ---- exact values of planes -------------------------------------------------------------------------------------- */

/* The orientation of the tetrahedron with corner k moved to q, times its own orientation, as an integer. */
static void plane_value(struct wide_integer *value, const struct cone *cone, int k, const double *q,
                        const struct axis_scale *scale)
{
    const double *c[4] = {cone->corners[0], cone->corners[1], cone->corners[2], cone->corners[3]};
    c[k] = q;
    wide_orientation_3d(value, c, scale);
    value->sign *= cone->orientation;
}

/* Sign of alpha_m beta_l - alpha_l beta_m for the planes (cone, k) m and l and the sector a, b. */
static int product_difference_sign(const struct cone *m, int km, const struct cone *l, int kl, const double *a,
                                   const double *b)
{
    const double *ends[2] = {a, b};
    struct axis_scale scale = axis_scale_of_nothing();
    axis_scale_include(&scale, m->corners, 4);
    axis_scale_include(&scale, l->corners, 4);
    axis_scale_include(&scale, ends, 2);
    struct wide_integer alpha_m, beta_m, alpha_l, beta_l, result;
    plane_value(&alpha_m, m, km, a, &scale);
    plane_value(&beta_m, m, km, b, &scale);
    plane_value(&alpha_l, l, kl, a, &scale);
    plane_value(&beta_l, l, kl, b, &scale);
    wide_determinant_2(&result, &alpha_m, &beta_m, &alpha_l, &beta_l);
    return result.sign;
}

/* ---- one sector of one wall -------------------------------------------------------------------------------------- */

struct sector {
    const struct cone *cones;
    uint32_t count;
    const double *a, *b;
    const struct cone *owner; /* of the wall */
    int wall;                 /* its plane */
    int8_t *alpha, *beta;     /* signs by 3 * cone + number of the plane within the cone */
    predicate_counters *counters;
};

/* Sign of plane (m, k), number `at`, just after the root of plane (l, kl), number `root`; l null: just after s = 0. */
static int sign_after(const struct sector *sector, const struct cone *m, int k, uint32_t at, const struct cone *l,
                      int kl, uint32_t root)
{
    int alpha = sector->alpha[at], beta = sector->beta[at];
    if (alpha == 0 && beta == 0) { /* the wall's own plane: the outer side counts */
        return -plane_sign(sector->owner, sector->wall, m->corners[k], sector->counters);
    }
    if (!l) {
        return alpha != 0 ? alpha : beta;
    }
    /* The value has the sign of beta_l (alpha_m beta_l - alpha_l beta_m), where alpha_l = -beta_l in sign: equal signs
     * of alpha_m and beta_m settle it. */
    if (alpha >= 0 && beta >= 0) {
        return 1;
    }
    if (alpha <= 0 && beta <= 0) {
        return -1;
    }
    int sign = sector->beta[root] * product_difference_sign(m, k, l, kl, sector->a, sector->b);
    return sign != 0 ? sign : beta;
}

static bool covered_after(const struct sector *sector, const struct cone *l, int kl, uint32_t root)
{
    for (uint32_t j = 0; j < sector->count; j++) {
        const struct cone *m = &sector->cones[j];
        bool inside = true;
        uint32_t at = 3 * j;
        for (int k = 0; k < 4 && inside; k++) {
            if (m->planes & 1u << k) {
                inside = sign_after(sector, m, k, at++, l, kl, root) > 0;
            }
        }
        if (inside) {
            return true;
        }
    }
    return false;
}

static bool sector_is_covered(struct sector *sector)
{
    for (uint32_t j = 0; j < sector->count; j++) {
        const struct cone *m = &sector->cones[j];
        uint32_t at = 3 * j;
        for (int k = 0; k < 4; k++) {
            if (m->planes & 1u << k) {
                sector->alpha[at] = (int8_t)plane_sign(m, k, sector->a, sector->counters);
                sector->beta[at++] = (int8_t)plane_sign(m, k, sector->b, sector->counters);
            }
        }
    }
    if (!covered_after(sector, NULL, 0, 0)) {
        return false;
    }
    for (uint32_t j = 0; j < sector->count; j++) {
        const struct cone *l = &sector->cones[j];
        uint32_t root = 3 * j;
        for (int k = 0; k < 4; k++) {
            if (!(l->planes & 1u << k)) {
                continue;
            }
            if (sector->alpha[root] * sector->beta[root] < 0 && !covered_after(sector, l, k, root)) {
                return false;
            }
            root++;
        }
    }
    return true;
}

/* ---- walls ------------------------------------------------------------------------------------------------------- */

static bool same_slot(const double *a, const double *b)
{
    return a == b || (a[0] == b[0] && a[1] == b[1] && a[2] == b[2]);
}

/* The same triangle, with the cone on its other side. */
static bool covers_from_outside(const struct cone *owner, int wall, const struct cone *other, int k,
                                predicate_counters *counters)
{
    for (int i = 0; i < 4; i++) {
        bool found = i == wall;
        for (int j = 0; j < 4 && !found; j++) {
            found = j != k && same_slot(owner->corners[i], other->corners[j]);
        }
        if (!found) {
            return false;
        }
    }
    return plane_sign(owner, wall, other->corners[k], counters) < 0;
}

static bool has_neighbour(const struct cone *cones, uint32_t count, const struct cone *owner, int wall,
                          predicate_counters *counters)
{
    for (uint32_t j = 0; j < count; j++) {
        for (int k = 0; k < 4; k++) {
            if ((cones[j].planes & 1u << k) && covers_from_outside(owner, wall, &cones[j], k, counters)) {
                return true;
            }
        }
    }
    return false;
}

/* The outer side of one wall is covered in all its directions. Sectors lie between corners of the wall's triangle other
 * than p: one when p is a corner, two when p is in an edge (the ends of that edge span none: they lie opposite), three
 * when it is in the face. A corner whose own plane does not hold p is p itself, an end of p's edge, or one of the three
 * around p. */
static bool wall_is_covered(struct sector *sector)
{
    uint32_t planes = sector->owner->planes;
    int plane_count = (int)(planes & 1) + (int)(planes >> 1 & 1) + (int)(planes >> 2 & 1) + (int)(planes >> 3 & 1);
    for (int i = 0; i < 4; i++) {
        for (int j = i + 1; j < 4; j++) {
            bool i_is_near = !(planes & 1u << i), j_is_near = !(planes & 1u << j);
            bool at_corner = plane_count == 3 && (i_is_near || j_is_near);
            bool along_edge = plane_count == 2 && i_is_near && j_is_near;
            if (i == sector->wall || j == sector->wall || at_corner || along_edge) {
                continue;
            }
            sector->a = sector->owner->corners[i];
            sector->b = sector->owner->corners[j];
            if (!sector_is_covered(sector)) {
                return false;
            }
        }
    }
    return true;
}

bool cones_cover_neighbourhood(const struct cone *cones, uint32_t count, int8_t *signs, predicate_counters *counters)
{
    if (count == 0) {
        return false;
    }
    struct sector sector = {
        .cones = cones, .count = count, .alpha = signs, .beta = signs + 3 * (size_t)count, .counters = counters};
    for (uint32_t i = 0; i < count; i++) {
        for (int k = 0; k < 4; k++) {
            if (!(cones[i].planes & 1u << k) || has_neighbour(cones, count, &cones[i], k, counters)) {
                continue;
            }
            sector.owner = &cones[i];
            sector.wall = k;
            if (!wall_is_covered(&sector)) {
                return false;
            }
        }
    }
    return true;
}
