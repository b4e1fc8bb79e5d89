/* view_polytope.c — see view_polytope.h. Every plane of the slabs is a large polygon that all other planes cut (as
 * Sutherland and Hodgman do); what is left of it is a face. Corners of different faces that lie close together are one,
 * and an edge is a pair of corners, so that each is drawn once and flat polytopes, whose faces lie on one another, need
 * no case of their own.
 *
 * All this happens relative to the middle of the box and in units of its size, where a tolerance has a meaning.
 * Directions are at least 35 degrees apart, so a corner is as good as its planes. */
#include "view_polytope.h"

#include "view_vectors.h"

#include <math.h>
#include <string.h>

enum { MOST_PLANES = 2 * DENT_BOUND_SLABS_MAX, MOST_SIDES = MOST_PLANES + 8 };
static const double ON_PLANE = 1e-7, SAME_CORNER = 1e-5, NO_AREA = 1e-9;

/* The points p with normal . p <= height. */
typedef struct plane {
    double normal[3], height;
} plane;

typedef struct polygon {
    uint32_t count;
    double corners[MOST_SIDES][3];
} polygon;

/* Both planes of a slab, relative to the middle. Extended precision: far from the origin the ends and the middle are
 * large and their difference is not. */
static void planes_of(const dent_bound_slab *slab, const double middle[3], double size, plane pair[2])
{
    long double at = 0;
    for (int axis = 0; axis < 3; axis++) {
        at += (long double)slab->direction[axis] * (long double)middle[axis];
        pair[0].normal[axis] = slab->direction[axis];
        pair[1].normal[axis] = -slab->direction[axis];
    }
    pair[0].height = (double)(((long double)slab->hi - at) / (long double)size);
    pair[1].height = (double)((at - (long double)slab->lo) / (long double)size);
}

/* A square of the plane that reaches beyond the box, which lies within 1 of the origin. */
static void large_polygon(const plane *of, polygon *made)
{
    enum { REACH = 4 };
    static const double turns[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    double square = view_dot(of->normal, of->normal), helper[3] = {0}, across[3], along[3];
    int least = 0;
    for (int axis = 1; axis < 3; axis++) {
        least = fabs(of->normal[axis]) < fabs(of->normal[least]) ? axis : least;
    }
    helper[least] = 1;
    view_cross(of->normal, helper, across);
    view_cross(of->normal, across, along);
    double wide = REACH / sqrt(view_dot(across, across)), high = REACH / sqrt(view_dot(along, along));
    made->count = 4;
    for (int i = 0; i < 4; i++) {
        for (int axis = 0; axis < 3; axis++) {
            made->corners[i][axis] = of->normal[axis] * (of->height / square) + turns[i][0] * wide * across[axis] +
                                     turns[i][1] * high * along[axis];
        }
    }
}

static void add_corner(polygon *to, const double corner[3])
{
    if (to->count < MOST_SIDES) {
        memcpy(to->corners[to->count++], corner, 3 * sizeof *corner);
    }
}

/* What of the polygon lies below the plane, or on it. */
static void cut(polygon *shape, const plane *by)
{
    polygon left = {0};
    for (uint32_t i = 0; i < shape->count; i++) {
        const double *here = shape->corners[i], *next = shape->corners[(i + 1) % shape->count];
        double above = view_dot(by->normal, here) - by->height, next_above = view_dot(by->normal, next) - by->height;
        if (above <= ON_PLANE) {
            add_corner(&left, here);
        }
        if ((above < -ON_PLANE && next_above > ON_PLANE) || (above > ON_PLANE && next_above < -ON_PLANE)) {
            double part = above / (above - next_above), between[3];
            for (int axis = 0; axis < 3; axis++) {
                between[axis] = here[axis] + part * (next[axis] - here[axis]);
            }
            add_corner(&left, between);
        }
    }
    *shape = left;
}

/* Twice the length of the vector area. */
static double area(const polygon *shape)
{
    double sum[3] = {0};
    for (uint32_t i = 0; i < shape->count; i++) {
        double part[3];
        view_cross(shape->corners[i], shape->corners[(i + 1) % shape->count], part);
        for (int axis = 0; axis < 3; axis++) {
            sum[axis] += part[axis];
        }
    }
    return sqrt(view_dot(sum, sum));
}

/* The place of a corner, added where it is new; the last place when there is no room. */
static uint8_t corner_place(view_polytope *polytope, const double corner[3])
{
    uint32_t i = 0;
    for (; i < polytope->corner_count; i++) {
        const double *known = polytope->corners[i];
        if (fabs(known[0] - corner[0]) < SAME_CORNER && fabs(known[1] - corner[1]) < SAME_CORNER &&
            fabs(known[2] - corner[2]) < SAME_CORNER) {
            return (uint8_t)i;
        }
    }
    if (i == VIEW_POLYTOPE_CORNERS) {
        return VIEW_POLYTOPE_CORNERS - 1;
    }
    memcpy(polytope->corners[polytope->corner_count++], corner, 3 * sizeof *corner);
    return (uint8_t)i;
}

static void add_edge(view_polytope *polytope, uint64_t *joined, uint8_t a, uint8_t b)
{
    if (a != b && (joined[a] >> b & 1) == 0 && polytope->edge_count < VIEW_POLYTOPE_EDGES) {
        joined[a] |= UINT64_C(1) << b;
        joined[b] |= UINT64_C(1) << a;
        polytope->edges[polytope->edge_count][0] = a;
        polytope->edges[polytope->edge_count++][1] = b;
    }
}

static void add_face(view_polytope *polytope, uint64_t *joined, const polygon *face)
{
    uint8_t places[MOST_SIDES];
    for (uint32_t i = 0; i < face->count; i++) {
        places[i] = corner_place(polytope, face->corners[i]);
    }
    for (uint32_t i = 0; i < face->count; i++) {
        add_edge(polytope, joined, places[i], places[(i + 1) % face->count]);
    }
    polytope->face_count += area(face) > NO_AREA;
}

void view_polytope_make(const dent_bound_slab *slabs, uint32_t slab_count, view_polytope *polytope)
{
    plane planes[MOST_PLANES];
    uint64_t joined[VIEW_POLYTOPE_CORNERS] = {0};
    double middle[3], size = 0;
    uint32_t count = 0;
    polytope->corner_count = polytope->edge_count = polytope->face_count = 0;
    for (int axis = 0; axis < 3; axis++) {
        middle[axis] = 0.5 * slabs[axis].lo + 0.5 * slabs[axis].hi;
        size = fmax(size, 0.5 * slabs[axis].hi - 0.5 * slabs[axis].lo);
    }
    for (uint32_t i = 0; i < slab_count && size > 0; i++) {
        if (isfinite(slabs[i].lo) && isfinite(slabs[i].hi)) {
            planes_of(&slabs[i], middle, size, &planes[count]);
            count += 2;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        polygon face;
        large_polygon(&planes[i], &face);
        for (uint32_t k = 0; k < count && face.count > 0; k++) {
            if (k != i) {
                cut(&face, &planes[k]);
            }
        }
        add_face(polytope, joined, &face);
    }
    for (uint32_t i = 0; i < polytope->corner_count; i++) {
        for (int axis = 0; axis < 3; axis++) {
            polytope->corners[i][axis] = middle[axis] + size * polytope->corners[i][axis];
        }
    }
}
