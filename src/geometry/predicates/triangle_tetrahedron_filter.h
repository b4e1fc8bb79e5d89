/* A triangle against the interior of a tetrahedron in doubles, all sides at once: what twelve filtered orientations
 * would say for a third of their price, because normals, differences and one bound serve all of them.
 *
 * With a the first corner of the tetrahedron, b, c, d the others and q a corner of the triangle, all as differences
 * from a: the sides of q of the planes opposite b, c, d are q.(c x d), q.(d x b), q.(b x c), each of them a determinant
 * of differences computed as orientation_predicates.h counts it, wrong by at most 48 u XYZ, where X, Y, Z are the
 * largest differences of each axis. The fourth is what is left of the volume b.(c x d): four times that, and three
 * sums of numbers below 24 XYZ, 264 u XYZ in all; the bound takes 272 u for everything, which also covers second-order
 * terms. The normals hold products of any two axes: with differences of at most 2^300 nothing overflows, and what
 * underflow loses, 2^-1074 a product, comes to less than 2^-760 in the end, which is added; beyond 2^300 the bound is
 * infinite and nothing is certain. The sides of the tetrahedron's corners of the triangle's plane are determinants of
 * differences from the triangle's first corner, which have a bound of their own.
 *
 * Zeros the doubles cannot see: a corner of the triangle that equals one of the tetrahedron lies on the three planes
 * through that corner, and inside of the fourth. Bodies that were meshed together touch in thousands of such corners.
 */
#ifndef DENT_GEOMETRY_TRIANGLE_TETRAHEDRON_FILTER_H
#define DENT_GEOMETRY_TRIANGLE_TETRAHEDRON_FILTER_H

#include "base/containers/vectors.h"
#include "geometry/predicates/orientation_predicates.h"

enum filter_verdict {
    FILTER_UNKNOWN,       /* some sign is not certain, and what is certain does not decide */
    FILTER_APART,         /* one plane has the triangle weakly outside: it misses the interior */
    FILTER_INSIDE,        /* a corner of the triangle is in the interior */
    FILTER_NOT_SEPARATED, /* none of the four planes separates, no corner is inside: all certain */
};

/* factor * u * XYZ of the largest differences, and what underflow may add. */
static inline double filter_bound(const double differences[][3], int count, double factor)
{
    double most[3] = {0, 0, 0};
    for (int k = 0; k < count; k++) {
        for (int axis = 0; axis < 3; axis++) {
            double magnitude = fabs(differences[k][axis]);
            most[axis] = magnitude > most[axis] ? magnitude : most[axis];
        }
    }
    bool small = most[0] <= 0x1p300 && most[1] <= 0x1p300 && most[2] <= 0x1p300;
    return small ? most[0] * most[1] * most[2] * (factor * 0x1p-53) + 0x1p-760 : INFINITY;
}

static inline bool filter_equal(const double p[3], const double q[3])
{
    return p[0] == q[0] && p[1] == q[1] && p[2] == q[2];
}

/* Corners of the triangle (bits) that are certainly inside and certainly not inside of a plane. */
struct filter_plane {
    unsigned inner, not_inner;
};

static inline enum filter_verdict filter_decide(const struct filter_plane planes[4])
{
    enum { EVERY = 7 };
    unsigned inside = EVERY;
    bool certain = true;
    for (int k = 0; k < 4; k++) {
        if (planes[k].not_inner == EVERY) {
            return FILTER_APART;
        }
        inside &= planes[k].inner;
        certain = certain && planes[k].inner != 0;
    }
    /* No corner is inside if each is certainly not inside of some plane. */
    unsigned outside = planes[0].not_inner | planes[1].not_inner | planes[2].not_inner | planes[3].not_inner;
    return inside ? FILTER_INSIDE : certain && outside == EVERY ? FILTER_NOT_SEPARATED : FILTER_UNKNOWN;
}

/* The triangle's corners against the four planes of the tetrahedron. */
static inline enum filter_verdict filter_face_planes(const double *const triangle[3],
                                                     const double *const tetrahedron[4])
{
    double differences[6][3]; /* b, c, d, and the corners of the triangle */
    double normals[3][3];
    struct filter_plane planes[4] = {{0, 0}, {0, 0}, {0, 0}, {0, 0}};
    for (int k = 0; k < 3; k++) {
        vector_subtract(tetrahedron[k + 1], tetrahedron[0], differences[k]);
        vector_subtract(triangle[k], tetrahedron[0], differences[3 + k]);
    }
    const double bound = filter_bound((const double(*)[3])differences, 6, 272.0);
    vector_cross(differences[1], differences[2], normals[0]);
    vector_cross(differences[2], differences[0], normals[1]);
    vector_cross(differences[0], differences[1], normals[2]);
    double volume = vector_dot(differences[0], normals[0]);
    if (!(fabs(volume) > bound)) {
        return FILTER_UNKNOWN;
    }
    const double sign = volume > 0 ? 1 : -1;
    for (int k = 0; k < 3; k++) {
        double side[4];
        for (int plane = 1; plane < 4; plane++) {
            side[plane] = vector_dot(differences[3 + k], normals[plane - 1]) * sign;
        }
        side[0] = (fabs(volume) - side[1]) - (side[2] + side[3]);
        for (int plane = 0; plane < 4; plane++) {
            planes[plane].inner |= (unsigned)(side[plane] > bound) << k;
            planes[plane].not_inner |= (unsigned)(side[plane] < -bound) << k;
        }
        for (int corner = 0; corner < 4; corner++) {
            if (filter_equal(triangle[k], tetrahedron[corner])) {
                for (int plane = 0; plane < 4; plane++) {
                    planes[plane].not_inner |= (unsigned)(plane != corner) << k;
                }
            }
        }
    }
    return filter_decide(planes);
}

/* Sides of the tetrahedron's corners of the triangle's plane; false: some are not certain. */
static inline bool filter_plane_cut(const double *const triangle[3], const double *const tetrahedron[4], int side[4])
{
    double differences[6][3], normal[3]; /* two edges of the triangle, and the corners of the tetrahedron */
    vector_subtract(triangle[1], triangle[0], differences[0]);
    vector_subtract(triangle[2], triangle[0], differences[1]);
    for (int k = 0; k < 4; k++) {
        vector_subtract(tetrahedron[k], triangle[0], differences[2 + k]);
    }
    const double bound = filter_bound((const double(*)[3])differences, 6, 48.0);
    vector_cross(differences[0], differences[1], normal);
    bool certain = true, proper = false;
    for (int k = 0; k < 4; k++) {
        double value = vector_dot(normal, differences[2 + k]);
        side[k] = (value > bound) - (value < -bound);
        bool on = filter_equal(tetrahedron[k], triangle[0]) || filter_equal(tetrahedron[k], triangle[1]) ||
                  filter_equal(tetrahedron[k], triangle[2]);
        certain = certain && (side[k] != 0 || on);
        proper = proper || side[k] != 0;
    }
    return certain && proper;
}

#endif
