/* Corners with radii: see solid_fragment.h. */
#include "inside/solid_fragment.h"

#include <math.h>

void fragment_of_triangle(struct solid_fragment *fragment, uint32_t face, const double *const corners[3])
{
    fragment->face = face;
    fragment->count = 3;
    for (int k = 0; k < 3; k++) {
        struct fragment_corner *corner = &fragment->corners[k];
        for (int axis = 0; axis < 3; axis++) {
            corner->at[axis] = corners[k][axis];
        }
        corner->radius = 0.0;
        corner->vertex = (int8_t)k;
        corner->sides = (uint8_t)(1u << k | 1u << (k == 0 ? 2 : k - 1));
    }
}

static uint8_t bits_of_sign(int sign)
{
    return sign > 0 ? SIDE_POSITIVE : sign < 0 ? SIDE_NEGATIVE : SIDE_ZERO;
}

/* Of points between two whose signs are known, ends included. */
static uint8_t bits_between(int u, int v)
{
    return u * v < 0 ? SIDE_NEGATIVE | SIDE_ZERO | SIDE_POSITIVE : bits_of_sign(u) | bits_of_sign(v);
}

/* What exact signs say about a corner. */
static uint8_t known_sides(const struct fragment_corner *corner, const int signs[3])
{
    if (corner->vertex >= 0) {
        return bits_of_sign(signs[corner->vertex]);
    }
    uint8_t bits = bits_between(signs[0], signs[1]) | bits_between(signs[1], signs[2]) | bits_between(signs[2], signs[0]);
    for (int k = 0; k < 3; k++) {
        bits &= corner->sides >> k & 1 ? bits_between(signs[k], signs[k == 2 ? 0 : k + 1]) : 0xFF;
    }
    return bits;
}

void fragment_find_sides(const struct solid_fragment *fragment, const struct fragment_plane *plane,
                         struct fragment_sides *sides)
{
    double steepness = (fabs(plane->normal[0]) + fabs(plane->normal[1])) + fabs(plane->normal[2]);
    sides->all = 0;
    for (uint32_t i = 0; i < fragment->count; i++) {
        const struct fragment_corner *corner = &fragment->corners[i];
        double value = 0.0;
        for (int axis = 0; axis < 3; axis++) {
            value += plane->normal[axis] * (corner->at[axis] - plane->origin[axis]);
        }
        double error = (steepness * corner->radius + plane->bound) * (1.0 + 0x1p-40);
        uint8_t seen = value > error    ? SIDE_POSITIVE
                       : value < -error ? SIDE_NEGATIVE
                                        : SIDE_NEGATIVE | SIDE_ZERO | SIDE_POSITIVE;
        uint8_t known = known_sides(corner, plane->vertex_signs);
        sides->values[i] = value;
        sides->errors[i] = error;
        sides->bits[i] = seen & known ? seen & known : known;
        sides->all |= sides->bits[i];
    }
}

/* The point between a and b on the plane, and how far the true one may be. `a` and `b` hold the distances from the plane:
 * computed, with errors. */
static bool cross_edge(const struct fragment_corner *from, const struct fragment_corner *to, const double distances[2],
                       const double errors[2], struct fragment_corner *crossing)
{
    double least[2], most[2], size = 0.0, length = 0.0;
    for (int k = 0; k < 2; k++) {
        double distance = distances[k] > 0.0 ? distances[k] : 0.0;
        most[k] = distance + errors[k];
        least[k] = distances[k] > errors[k] ? distances[k] - errors[k] : 0.0;
    }
    double low = least[0] / (least[0] + most[1]), high = most[0] / (most[0] + least[1]);
    if (!(low >= 0.0 && high <= 1.0)) { /* nothing but zeros, or too large */
        low = 0.0, high = 1.0;
    }
    double middle = 0.5 * low + 0.5 * high, spread = 0.5 * (high - low) + 0x1p-48;
    for (int axis = 0; axis < 3; axis++) {
        double step = to->at[axis] - from->at[axis];
        crossing->at[axis] = from->at[axis] + middle * step;
        length = fabs(step) > length ? fabs(step) : length;
        size = fabs(from->at[axis]) > size ? fabs(from->at[axis]) : size;
        size = fabs(to->at[axis]) > size ? fabs(to->at[axis]) : size;
    }
    double radius = from->radius > to->radius ? from->radius : to->radius;
    crossing->radius = (radius + spread * (length + radius)) * (1.0 + 0x1p-40) + size * 0x1p-49 + 0x1p-1000;
    crossing->vertex = -1;
    crossing->sides = from->sides & to->sides;
    return isfinite(crossing->radius) && isfinite(length);
}

void fragment_cut(const struct solid_fragment *fragment, const struct fragment_sides *sides, int sign,
                  struct solid_fragment *cut)
{
    uint8_t wanted = sign > 0 ? SIDE_POSITIVE : SIDE_NEGATIVE, unwanted = sign > 0 ? SIDE_NEGATIVE : SIDE_POSITIVE;
    cut->face = fragment->face;
    cut->count = 0;
    for (uint32_t i = 0; i < fragment->count; i++) {
        uint32_t next = i + 1 == fragment->count ? 0 : i + 1;
        uint8_t here = sides->bits[i], there = sides->bits[next];
        if (((here & wanted) && (here & unwanted)) || cut->count + 2 > FRAGMENT_CORNERS) {
            *cut = *fragment; /* uncertain, or full: larger than need be */
            return;
        }
        if (!(here & unwanted)) {
            cut->corners[cut->count++] = fragment->corners[i];
        }
        if ((here & wanted && there & unwanted && !(there & wanted)) ||
            (here & unwanted && there & wanted && !(there & unwanted))) {
            const double distances[2] = {here & wanted ? sign * sides->values[i] : -sign * sides->values[i],
                                         here & wanted ? -sign * sides->values[next] : sign * sides->values[next]};
            const double errors[2] = {sides->errors[i], sides->errors[next]};
            if (!cross_edge(&fragment->corners[i], &fragment->corners[next], distances, errors,
                            &cut->corners[cut->count++])) {
                *cut = *fragment;
                return;
            }
        }
    }
}
