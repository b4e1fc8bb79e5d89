/* face-face: do two surface faces cross or share area, and along which segment? */
#include "query/pairs/pair_tests.h"

#include <math.h>

#include "geometry/predicates/triangle_predicates.h"
#include "query/world/question_row.h"

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
    pair_face_points(a, candidate->feature_a, face_a);
    pair_face_points(b, candidate->feature_b, face_b);
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

static enum pair_lane_use corners_of_face_face(const struct snapshot *snapshot, const struct candidate *candidate,
                                               const double *corners[])
{
    const struct body_snapshot *a = &snapshot->bodies[candidate->body_a], *b = &snapshot->bodies[candidate->body_b];
    const uint32_t *first = a->body->surface_faces[candidate->feature_a].corners;
    const uint32_t *second = b->body->surface_faces[candidate->feature_b].corners;
    if (corners_share_vertex(a->body, first, 3, b->body, second, 3)) {
        return PAIR_LANE_NONE;
    }
    for (int k = 0; k < 3; k++) {
        corners[k] = a->xyz[first[k]];
        corners[3 + k] = b->xyz[second[k]];
    }
    corners[6] = corners[0];
    return PAIR_LANE_USED;
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

static void add_segment(const struct snapshot *snapshot, const dent_pair *pair, void *record)
{
    dent_segment *segment = record;
    const double *face_a[3], *face_b[3];
    pair_face_points(&snapshot->bodies[pair->body_a], pair->feature_a, face_a);
    pair_face_points(&snapshot->bodies[pair->body_b], pair->feature_b, face_b);
    if (pair->kind == DENT_PAIR_CROSSING) {
        common_segment(face_a, face_b, segment->point0, segment->point1);
        return;
    }
    /* Coplanar and touching pairs have no segment; NaN would be a trap for readers. */
    middle_of_common_box(face_a, face_b, segment->point0);
    memcpy(segment->point1, segment->point0, sizeof segment->point1);
}

const struct question_row face_face_question = {
    .info =
        {
            .question = DENT_QUESTION_FACE_FACE,
            .name = "face-face",
            .meaning = "surface faces that cross or share area",
            .numbers = "the two end points of the common segment",
            .call = "dent_world_query",
            .features = {{DENT_FEATURE_FACE, DENT_FEATURE_FACE}},
            .feature_pair_count = 1,
            .discrete = true,
            .self_contact = true,
        },
    .stages = &discrete_stages,
    .pairs =
        &(const struct pair_row){
            .test = test_face_face,
            .corners = corners_of_face_face,
            .kernel = PAIR_FACE_FACE,
            .meeting = DENT_PAIR_CROSSING,
            .list_offset = offsetof(dent_query_result, face_face),
            .detail_size = sizeof(dent_segment),
            .detail_offset = offsetof(dent_pair_list, segments),
            .detail = add_segment,
        },
};
