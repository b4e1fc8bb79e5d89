/* A filter for polygons of a BSP tree: where does the part of a triangle inside a convex cell reach?
 *
 * The polygon itself is the set of points of its triangle on certain sides of certain planes. This is its picture in
 * doubles: corners, each with a radius (largest coordinate difference) within which the true corner lies. Corners that
 * are vertices of the triangle, or lie on a side of it, say so: signs at vertices are exact, and those on a side follow
 * from its ends. So triangles that share a side are told apart from the planes of one another with certainty.
 *
 * The picture may be larger than the polygon (where cutting is uncertain it is left out), never smaller.
 */
#ifndef DENT_INSIDE_SOLID_FRAGMENT_H
#define DENT_INSIDE_SOLID_FRAGMENT_H

#include <stdbool.h>
#include <stdint.h>

enum { FRAGMENT_CORNERS = 16 };

struct fragment_corner {
    double at[3], radius;
    int8_t vertex;  /* 0 to 2, or -1 */
    uint8_t sides;  /* bits: lies on side k, from vertex k to the next */
};

struct solid_fragment {
    uint32_t face;
    uint32_t count;
    struct fragment_corner corners[FRAGMENT_CORNERS];
};

/* A plane as double arithmetic sees it, and the exact signs at the three vertices of the fragment's triangle. */
struct fragment_plane {
    double normal[3], origin[3], bound; /* the value is normal . (p - origin), in error by at most `bound` */
    int vertex_signs[3];
};

/* Sides on which a point may lie. */
enum { SIDE_NEGATIVE = 1, SIDE_ZERO = 2, SIDE_POSITIVE = 4 };

struct fragment_sides {
    double values[FRAGMENT_CORNERS], errors[FRAGMENT_CORNERS];
    uint8_t bits[FRAGMENT_CORNERS];
    uint8_t all; /* or of the bits */
};

void fragment_of_triangle(struct solid_fragment *fragment, uint32_t face, const double *const corners[3]);

void fragment_find_sides(const struct solid_fragment *fragment, const struct fragment_plane *plane,
                         struct fragment_sides *sides);

/* The part on the side of `sign` (1 or -1). */
void fragment_cut(const struct solid_fragment *fragment, const struct fragment_sides *sides, int sign,
                  struct solid_fragment *cut);

#endif
