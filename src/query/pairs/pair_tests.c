/* The exact test of every question. See pair_tests.h. */
#include "query/pairs/pair_tests.h"

#include <math.h>

#include "geometry/predicates/orientation_predicates.h"
#include "geometry/predicates/tetrahedron_predicates.h"
#include "geometry/predicates/triangle_predicates.h"
#include "geometry/predicates/union_predicates.h"

bool corners_share_vertex(const struct body *a, const uint32_t *corners_a, uint32_t count_a, const struct body *b,
                          const uint32_t *corners_b, uint32_t count_b)
{
    if (a != b && !a->identities && !b->identities) {
        return false; /* different bodies without ties share nothing */
    }
    for (uint32_t i = 0; i < count_a; i++) {
        uint64_t identity = body_identity(a, corners_a[i]);
        for (uint32_t j = 0; j < count_b; j++) {
            if (identity == body_identity(b, corners_b[j])) {
                return true;
            }
        }
    }
    return false;
}

static void face_points(const struct body_snapshot *body_snapshot, uint32_t face, const double *points[3])
{
    for (int i = 0; i < 3; i++) {
        points[i] = body_snapshot->xyz[body_snapshot->body->surface_faces[face].corners[i]];
    }
}

/* The tetrahedra of a cell as positions; returns how many. */
static int cell_points(const struct body_snapshot *body_snapshot, uint32_t cell,
                       const double *points[UNION_TETRAHEDRA_MAX][4])
{
    uint32_t end, first = cell_tetrahedra(body_snapshot->body, cell, &end);
    for (uint32_t tetrahedron = first; tetrahedron < end; tetrahedron++) {
        for (int corner = 0; corner < 4; corner++) {
            points[tetrahedron - first][corner] =
                body_snapshot->xyz[body_snapshot->body->tetrahedra[tetrahedron][corner]];
        }
    }
    return (int)(end - first);
}

static dent_pair_kind test_vertex_cell(const struct snapshot *snapshot, const struct candidate *candidate,
                                       bool touching, predicate_counters *counters)
{
    const struct body_snapshot *a = &snapshot->bodies[candidate->body_a], *b = &snapshot->bodies[candidate->body_b];
    uint32_t corner_count;
    const uint32_t *corners = element_corners(b->body, candidate->feature_b, &corner_count);
    if (corners_share_vertex(a->body, &candidate->feature_a, 1, b->body, corners, corner_count)) {
        return 0;
    }
    const double *p = a->xyz[candidate->feature_a];
    const double *tetrahedra[UNION_TETRAHEDRA_MAX][4];
    int count = cell_points(b, candidate->feature_b, tetrahedra);
    const double *const *t = tetrahedra[0];
    if (count == 1 && !touching) {
        return vertex_in_tetrahedron(p, t[0], t[1], t[2], t[3], counters) ? DENT_PAIR_INTERIOR : 0;
    }
    point_relation relation =
        count == 1 ? point_versus_tetrahedron(p, t[0], t[1], t[2], t[3], counters)
                   : point_versus_tetrahedra_union(p, (const double *const(*)[4])tetrahedra, count, counters);
    return relation == POINT_INTERIOR               ? DENT_PAIR_INTERIOR
           : relation == POINT_BOUNDARY && touching ? DENT_PAIR_TOUCHING
                                                    : 0;
}

static dent_pair_kind test_face_cell(const struct snapshot *snapshot, const struct candidate *candidate, bool touching,
                                     predicate_counters *counters)
{
    const struct body_snapshot *a = &snapshot->bodies[candidate->body_a], *b = &snapshot->bodies[candidate->body_b];
    uint32_t corner_count;
    const uint32_t *corners = element_corners(b->body, candidate->feature_b, &corner_count);
    if (corners_share_vertex(a->body, a->body->surface_faces[candidate->feature_a].corners, 3, b->body, corners,
                             corner_count)) {
        return 0;
    }
    const double *face[3];
    const double *tetrahedra[UNION_TETRAHEDRA_MAX][4];
    face_points(a, candidate->feature_a, face);
    int count = cell_points(b, candidate->feature_b, tetrahedra);
    if (count == 1 && !touching) {
        return triangle_meets_open_tetrahedron(face, tetrahedra[0], counters) ? DENT_PAIR_INTERIOR : 0;
    }
    overlap_relation relation =
        count == 1 ? triangle_versus_tetrahedron(face, tetrahedra[0], counters)
                   : triangle_versus_tetrahedra_union(face, (const double *const(*)[4])tetrahedra, count, counters);
    return relation == OVERLAP_INTERIOR               ? DENT_PAIR_INTERIOR
           : relation == OVERLAP_TOUCHING && touching ? DENT_PAIR_TOUCHING
                                                      : 0;
}

static dent_pair_kind test_face_face(const struct snapshot *snapshot, const struct candidate *candidate, bool touching,
                                     predicate_counters *counters)
{
    const struct body_snapshot *a = &snapshot->bodies[candidate->body_a], *b = &snapshot->bodies[candidate->body_b];
    const uint32_t *corners_a = a->body->surface_faces[candidate->feature_a].corners;
    const uint32_t *corners_b = b->body->surface_faces[candidate->feature_b].corners;
    if (corners_share_vertex(a->body, corners_a, 3, b->body, corners_b, 3)) {
        return 0;
    }
    const double *face_a[3], *face_b[3];
    face_points(a, candidate->feature_a, face_a);
    face_points(b, candidate->feature_b, face_b);
    switch (triangle_versus_triangle(face_a, face_b, counters)) {
    case FACE_PAIR_CROSSING:
        return DENT_PAIR_CROSSING;
    case FACE_PAIR_COPLANAR:
        return DENT_PAIR_COPLANAR;
    case FACE_PAIR_TOUCHING:
        return touching ? DENT_PAIR_TOUCHING : 0;
    case FACE_PAIR_NONE:
        break;
    }
    return 0;
}

pair_test *pair_test_of(dent_question question)
{
    switch (question) {
    case DENT_QUESTION_VERTEX_CELL:
        return test_vertex_cell;
    case DENT_QUESTION_FACE_CELL:
        return test_face_cell;
    case DENT_QUESTION_FACE_FACE:
        return test_face_face;
    case DENT_QUESTION_PROXIMITY: /* proximity_decision.c */
    case DENT_QUESTION_IMPACT:    /* impact_run.h */
        break;
    }
    return NULL;
}

/* The tetrahedron of a cell that holds p: the first that is not flat, or else the first. A point inside the cell always
 * has one that is not flat, since flat ones cover no neighbourhood; one that touches may have flat ones only. */
static int holder_of_point(const double *p, const double *const tetrahedra[][4], int count)
{
    int flat_holder = -1;
    for (int k = 0; k < count && count > 1; k++) {
        const double *const *t = tetrahedra[k];
        predicate_counters ignored = {0};
        if (point_versus_tetrahedron(p, t[0], t[1], t[2], t[3], &ignored) == POINT_OUTSIDE) {
            continue;
        }
        if (orientation_3d(t[0], t[1], t[2], t[3]) != 0) {
            return k;
        }
        flat_holder = flat_holder < 0 ? k : flat_holder;
    }
    return flat_holder < 0 ? 0 : flat_holder;
}

void pair_cell_point(const struct snapshot *snapshot, const dent_pair *pair, dent_cell_point *point)
{
    const struct body_snapshot *b = &snapshot->bodies[pair->body_b];
    const double *p = snapshot->bodies[pair->body_a].xyz[pair->feature_a];
    const double *tetrahedra[UNION_TETRAHEDRA_MAX][4];
    int count = cell_points(b, pair->feature_b, tetrahedra);
    int holder = holder_of_point(p, (const double *const(*)[4])tetrahedra, count);
    uint32_t end, first = cell_tetrahedra(b->body, pair->feature_b, &end);
    memcpy(point->corners, b->body->tetrahedra[first + (uint32_t)holder], sizeof point->corners);
    barycentric_coordinates(p, tetrahedra[holder], point->weights);
}

static void middle_of_common_box(const double *const face_a[3], const double *const face_b[3], double middle[3])
{
    for (int axis = 0; axis < 3; axis++) {
        double lo = -INFINITY, hi = INFINITY;
        for (int side = 0; side < 2; side++) {
            const double *const *face = side ? face_b : face_a;
            double low = face[0][axis], high = face[0][axis];
            for (int corner = 1; corner < 3; corner++) {
                low = face[corner][axis] < low ? face[corner][axis] : low;
                high = face[corner][axis] > high ? face[corner][axis] : high;
            }
            lo = low > lo ? low : lo;
            hi = high < hi ? high : hi;
        }
        middle[axis] = lo * 0.5 + hi * 0.5;
    }
}

void pair_segment(const struct snapshot *snapshot, const dent_pair *pair, dent_segment *segment)
{
    const double *face_a[3], *face_b[3];
    face_points(&snapshot->bodies[pair->body_a], pair->feature_a, face_a);
    face_points(&snapshot->bodies[pair->body_b], pair->feature_b, face_b);
    if (pair->kind == DENT_PAIR_CROSSING) {
        common_segment(face_a, face_b, segment->point0, segment->point1);
        return;
    }
    /* Coplanar and touching pairs have no segment; NaN would be a trap for readers. */
    middle_of_common_box(face_a, face_b, segment->point0);
    memcpy(segment->point1, segment->point0, sizeof segment->point1);
}
