/* Depth below coinciding faces of two closed surfaces, where no corner and no crossing tells it: identical copies, for
 * instance.
 *
 * From the centroid of such a face a chord goes along the normal, both ways, to where either surface is met again. Its
 * middle, if inside both bodies, is a witness: its distance to the nearer of the two surfaces. A bounded number of
 * faces, evenly spread over those that coincide, stands for all.
 */
#include "contact/check/penetration_depth.h"

#include <float.h>
#include <math.h>

#include "geometry/numbers/vector3.h"

enum { CHORD_FACES = 64 }; /* each looks at all faces of both */

/* Where the ray from `origin` meets the triangle, as a multiple of `direction` (Moeller and Trumbore 1997); negative:
 * nowhere. Hits before `nearest` are the origin's own face and its neighbours. */
static double ray_meets_triangle(const double origin[3], const double direction[3], const double *const t[3],
                                 double nearest)
{
    double edge1[3], edge2[3], from[3], p[3], q[3];
    vector_subtract(t[1], t[0], edge1);
    vector_subtract(t[2], t[0], edge2);
    vector_cross(direction, edge2, p);
    double determinant = vector_dot(edge1, p);
    if (determinant == 0) {
        return -1;
    }
    vector_subtract(origin, t[0], from);
    double u = vector_dot(from, p) / determinant;
    vector_cross(from, edge1, q);
    double v = vector_dot(direction, q) / determinant, along = vector_dot(edge2, q) / determinant;
    return u >= 0 && v >= 0 && u + v <= 1 && along > nearest ? along : -1;
}

static double first_hit(const struct check_body *body, const double origin[3], const double direction[3],
                        double nearest, double so_far)
{
    for (uint32_t face = 0; face < body->surface_count; face++) {
        const double *corners[3];
        face_corners(body, face, corners);
        double along = ray_meets_triangle(origin, direction, corners, nearest);
        so_far = along > 0 && along < so_far ? along : so_far;
    }
    return so_far;
}

static void consider_middle(struct check_run *run, const struct check_side *side, const double middle[3],
                            struct check_tally *tally)
{
    const struct check_body *x = side->x, *y = side->y;
    if (point_is_inside(run, x, middle, NULL, tally) && point_is_inside(run, y, middle, NULL, tally)) {
        double to_y = distance_to_surface(y, middle, NULL, tally->depth, tally);
        double to_x = distance_to_surface(x, middle, NULL, tally->depth, tally);
        tally_depth(tally, to_x < to_y ? to_x : to_y, middle);
    }
}

static void chord_below_face(struct check_run *run, const struct check_side *side, uint32_t face,
                             struct check_tally *tally)
{
    const double *t[3];
    double edge1[3], edge2[3], normal[3], centroid[3], direction[3], middle[3];
    face_corners(side->x, face, t);
    vector_subtract(t[1], t[0], edge1);
    vector_subtract(t[2], t[0], edge2);
    vector_cross(edge1, edge2, normal);
    double length = sqrt(vector_dot(normal, normal));
    if (!(length > 0) || !(length < DBL_MAX)) {
        return;
    }
    double tiny = sqrt(length) * 0x1p-20;
    for (int sign = -1; sign <= 1; sign += 2) {
        for (int axis = 0; axis < 3; axis++) {
            centroid[axis] = (t[0][axis] / 3 + t[1][axis] / 3) + t[2][axis] / 3;
            direction[axis] = sign * (normal[axis] / length);
        }
        double along = first_hit(side->x, centroid, direction, tiny, DBL_MAX);
        along = first_hit(side->y, centroid, direction, tiny, along);
        for (int axis = 0; axis < 3; axis++) {
            middle[axis] = centroid[axis] + direction[axis] * (0.5 * along);
        }
        if (along < DBL_MAX) {
            consider_middle(run, side, middle, tally);
        }
    }
}

struct chord_stage {
    const struct check_side *side;
    uint32_t faces[CHORD_FACES];
};

static void chords_below_faces(struct check_run *run, void *data, uint32_t begin, uint32_t end,
                               struct check_tally *tally)
{
    const struct chord_stage *stage = data;
    for (uint32_t i = begin; i < end; i++) {
        chord_below_face(run, stage->side, stage->faces[i], tally);
    }
}

static bool face_counts(const struct check_side *side, uint32_t face)
{
    return (side->elements[face] & ELEMENT_OVERLAPS) && (side->faces[face] & FACE_COINCIDES);
}

dent_status stage_depth_of_chords(struct check_run *run, struct check_side *side)
{
    struct chord_stage stage = {.side = side};
    uint32_t face_count = side->x->surface_count, found = 0, passed = 0, taken = 0;
    if (!side->x->closed || !side->y->closed || side->x == side->y) {
        return DENT_OK;
    }
    for (uint32_t face = 0; face < face_count; face++) {
        found += face_counts(side, face);
    }
    uint32_t wanted = found < CHORD_FACES ? found : CHORD_FACES;
    for (uint32_t face = 0; face < face_count && taken < wanted; face++) {
        if (face_counts(side, face) && passed++ == (uint32_t)((uint64_t)taken * found / wanted)) {
            stage.faces[taken++] = face;
        }
    }
    return check_for_each(run, taken, chords_below_faces, &stage);
}
