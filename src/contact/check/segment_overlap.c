/* Segments of strands, and points, in a solid or in a closed surface: exact.
 *
 * A solid: a segment that meets an open tetrahedron meets the interior. One that meets none may still run in inner faces
 * and along inner edges. Around a place of the segment the tetrahedra that touch it are cones; which ones they are, and
 * with which of their planes they hold the segment, changes only where it passes through one of their planes. So it is
 * enough to ask local_cover.h just after the start and just after each such root (segment_places.h), and at the ends.
 *
 * A closed surface: a segment that crosses a face, or has an end inside, meets the interior. If it touches no face, it is
 * outside as a whole. Otherwise the winding number is asked for just after the start and just after each place where the
 * segment passes through the plane of a touched face or, in that plane, through the lines of its edges.
 *
 * The first segment of a strand with its root on the body is judged by its other end, and by the faces it crosses away
 * from the root.
 */
#include "contact/check/cone_list.h"
#include "contact/check/inside_test.h"
#include "contact/check/overlap_stages.h"

#include <float.h>

#include "geometry/predicates/hull_predicates.h"
#include "geometry/predicates/orientation_predicates.h"
#include "geometry/predicates/segment_places.h"
#include "geometry/predicates/tetrahedron_predicates.h"
#include "geometry/predicates/triangle_predicates.h"

static struct box box_of_segment(const double a[3], const double b[3])
{
    struct box box = {{a[0], a[1], a[2]}, {a[0], a[1], a[2]}};
    bounds_add_point(box.lo, box.hi, b);
    return box;
}

/* ---- solids ------------------------------------------------------------------------------------------------------ */

static struct segment_form form_opposite(const double *const corners[4], int k)
{
    return (struct segment_form){{corners[(k + 1) & 3], corners[(k + 2) & 3], corners[(k + 3) & 3]}, 0, 0};
}

/* Does the closed tetrahedron hold the place? Then *cone is filled. */
static bool cone_at_place(const struct segment_place *place, const double *const corners[4], struct cone *cone,
                          predicate_counters *counters)
{
    *cone = (struct cone){.orientation =
                              orientation_3d_counted(corners[0], corners[1], corners[2], corners[3], counters)};
    for (int k = 0; k < 4; k++) {
        cone->corners[k] = corners[k];
        struct segment_form form = form_opposite(corners, k);
        int own = segment_form_sign(&form, corners[k], counters);
        int sign = cone->orientation != 0 ? segment_sign_at(place, &form, counters) : 0;
        if (cone->orientation == 0 || sign == -own) {
            return false;
        }
        cone->planes |= (uint32_t)(sign == 0) << k;
    }
    return true;
}

static bool place_is_in_solid(const struct check_run *run, const struct check_body *y, const struct segment_place *place,
                              struct check_tally *tally)
{
    struct cone_list list;
    struct box_walk walk;
    struct box box = box_of_segment(place->a, place->b);
    uint32_t tetrahedron;
    cone_list_begin(&list, run->context);
    box_walk_begin(&walk, &y->cells, &box);
    while (!tally->out_of_memory && box_walk_next(&walk, &tetrahedron)) {
        const double *corners[4];
        struct cone cone;
        tetrahedron_corners(y, tetrahedron, corners);
        if (cone_at_place(place, corners, &cone, &tally->predicates) && !cone_list_push(&list, &cone)) {
            tally->out_of_memory = true;
        }
    }
    tally_walk(tally, &walk);
    bool inside = !tally->out_of_memory && list.count > 1 &&
                  cone_list_covers(&list, &tally->predicates, &tally->out_of_memory);
    cone_list_end(&list);
    return inside;
}

/* Just after the roots of the planes of one tetrahedron that the segment touches. */
static bool passes_inside_at(const struct check_run *run, const struct check_body *y, const double a[3],
                             const double b[3], const double *const corners[4], struct check_tally *tally)
{
    for (int k = 0; k < 4; k++) {
        struct segment_form form = form_opposite(corners, k);
        struct segment_place place = {a, b, &form};
        if (segment_form_has_root(&form, a, b, &tally->predicates) && place_is_in_solid(run, y, &place, tally)) {
            return true;
        }
    }
    return false;
}

static bool segment_meets_solid(const struct check_run *run, const struct check_body *y, const double a[3],
                                const double b[3], struct check_tally *tally)
{
    const double *segment[3] = {a, b, b}, *corners[4];
    struct box box = box_of_segment(a, b);
    struct box_walk walk;
    uint32_t tetrahedron, touched = 0;
    bool found = false;
    box_walk_begin(&walk, &y->cells, &box);
    while (!found && box_walk_next(&walk, &tetrahedron)) {
        tetrahedron_corners(y, tetrahedron, corners);
        tally->candidates++;
        overlap_relation relation = triangle_versus_tetrahedron(segment, corners, &tally->predicates);
        found = relation == OVERLAP_INTERIOR;
        touched += relation == OVERLAP_TOUCHING;
    }
    tally_walk(tally, &walk);
    if (found || touched < 2) {
        return found;
    }
    struct segment_place start = {a, b, NULL};
    found = point_is_inside_solid(run, y, a, NULL, tally) || point_is_inside_solid(run, y, b, NULL, tally) ||
            place_is_in_solid(run, y, &start, tally);
    box_walk_begin(&walk, &y->cells, &box);
    while (!found && !tally->out_of_memory && box_walk_next(&walk, &tetrahedron)) {
        tetrahedron_corners(y, tetrahedron, corners);
        found = triangle_versus_tetrahedron(segment, corners, &tally->predicates) == OVERLAP_TOUCHING &&
                passes_inside_at(run, y, a, b, corners, tally);
    }
    tally_walk(tally, &walk);
    return found;
}

/* ---- closed surfaces --------------------------------------------------------------------------------------------- */

static bool place_is_in_surface(const struct check_body *y, const struct segment_place *place, struct check_tally *tally)
{
    struct box box = box_of_segment(place->a, place->b);
    struct box_walk walk;
    uint32_t face;
    int number = 0;
    bool on = false;
    box.hi[0] = DBL_MAX; /* all that a ray in the direction +x may meet */
    box_walk_begin(&walk, &y->faces, &box);
    while (!on && box_walk_next(&walk, &face)) {
        const double *triangle[3];
        face_corners(y, face, triangle);
        tally->candidates++;
        number += segment_winding_of_face(place, triangle, &tally->predicates, &on);
    }
    tally_walk(tally, &walk);
    return !on && number != 0;
}

/* Just after the places where the segment passes a face that it touches. */
static bool passes_inside_behind(const struct check_body *y, const double a[3], const double b[3],
                                 const double *const triangle[3], struct check_tally *tally)
{
    predicate_counters *counters = &tally->predicates;
    struct plane_projection projection = projection_of_triangle(triangle, counters);
    struct segment_form plane = {{triangle[0], triangle[1], triangle[2]}, 0, 0};
    struct segment_place place = {a, b, &plane};
    if (segment_form_has_root(&plane, a, b, counters)) {
        return place_is_in_surface(y, &place, tally);
    }
    bool in_plane = projection.orientation != 0 && segment_form_sign(&plane, a, counters) == 0 &&
                    segment_form_sign(&plane, b, counters) == 0;
    for (int k = 0; k < 3 && in_plane; k++) {
        struct segment_form edge = {{triangle[k], triangle[k == 2 ? 0 : k + 1]}, projection.i, projection.j};
        place.after = &edge;
        if (segment_form_has_root(&edge, a, b, counters) && place_is_in_surface(y, &place, tally)) {
            return true;
        }
    }
    return false;
}

/* Its ends are not inside and it crosses no face. Places on a face without area count by the surface around them. */
static bool segment_meets_closed_surface(const struct check_body *y, const double a[3], const double b[3],
                                         struct check_tally *tally)
{
    const double *segment[3] = {a, b, b}, *triangle[3];
    struct segment_place start = {a, b, NULL};
    struct box box = box_of_segment(a, b);
    struct box_walk walk;
    uint32_t face;
    bool found = place_is_in_surface(y, &start, tally);
    box_walk_begin(&walk, &y->faces, &box);
    while (!found && box_walk_next(&walk, &face)) {
        face_corners(y, face, triangle);
        found = triangles_meet(segment, triangle, &tally->predicates) &&
                passes_inside_behind(y, a, b, triangle, tally);
    }
    tally_walk(tally, &walk);
    return found;
}

/* ---- the stage --------------------------------------------------------------------------------------------------- */

/* Of a solid, too: does the segment cross a surface face that is not at its root? */
static bool crosses_away_from_root(const struct check_run *run, const struct check_side *side, uint32_t segment,
                                   struct check_tally *tally)
{
    const double *ends[3], *triangle[3];
    struct box_walk walk;
    uint32_t face;
    bool found = false;
    face_corners(side->x, segment, ends);
    struct box box = box_of_segment(ends[0], ends[1]);
    box_walk_begin(&walk, &side->y->faces, &box);
    while (!found && box_walk_next(&walk, &face)) {
        face_corners(side->y, face, triangle);
        found = !check_leaves_out(run, side->x, segment, side->y, face) &&
                triangle_versus_triangle(ends, triangle, &tally->predicates) == FACE_PAIR_CROSSING;
    }
    tally_walk(tally, &walk);
    return found;
}

static bool segment_overlaps(const struct check_run *run, const struct check_side *side, uint32_t segment,
                             struct check_tally *tally)
{
    const struct check_body *y = side->y;
    const double *ends[3];
    face_corners(side->x, segment, ends);
    struct box box = box_of_segment(ends[0], ends[1]);
    if (!boxes_meet(&box, &y->bounds)) {
        return false;
    }
    if (body_has_points(side->x->body)) {
        return y->solid ? point_is_inside_solid(run, y, ends[0], NULL, tally)
                        : side->vertices[segment] == VERTEX_INSIDE;
    }
    if (check_is_at_root(run, side->x, segment, y)) {
        return point_is_inside(run, y, ends[1], NULL, tally) || crosses_away_from_root(run, side, segment, tally);
    }
    if (y->solid) {
        return segment_meets_solid(run, y, ends[0], ends[1], tally);
    }
    dent_edge edge = side->x->body->edges[segment];
    return (side->faces[segment] & FACE_CROSSES) || side->vertices[edge.v0] == VERTEX_INSIDE ||
           side->vertices[edge.v1] == VERTEX_INSIDE ||
           ((side->faces[segment] & FACE_TOUCHES) && segment_meets_closed_surface(y, ends[0], ends[1], tally));
}

static void segments_in_body(struct check_run *run, void *data, uint32_t begin, uint32_t end, struct check_tally *tally)
{
    struct check_side *side = data;
    for (uint32_t segment = begin; segment < end && !tally->out_of_memory; segment++) {
        side->elements[segment] |= segment_overlaps(run, side, segment, tally) ? ELEMENT_OVERLAPS : 0;
    }
}

dent_status stage_segments_in_body(struct check_run *run, struct check_side *side)
{
    return check_for_each(run, side->x->surface_count, segments_in_body, side);
}
