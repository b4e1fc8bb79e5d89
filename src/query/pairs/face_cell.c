/* face-cell: does a closed surface face meet an open cell? */
#include "query/pairs/pair_tests.h"

#include "geometry/predicates/tetrahedron_predicates.h"
#include "query/world/question_row.h"

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
    pair_face_points(a, candidate->feature_a, face);
    int count = pair_cell_points(b, candidate->feature_b, tetrahedra);
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

static enum pair_lane_use corners_of_face_cell(const struct snapshot *snapshot, const struct candidate *candidate,
                                               const double *corners[])
{
    const struct body_snapshot *a = &snapshot->bodies[candidate->body_a], *b = &snapshot->bodies[candidate->body_b];
    if (b->body->first_tetrahedron) {
        return PAIR_LANE_EXACT;
    }
    const uint32_t *face = a->body->surface_faces[candidate->feature_a].corners;
    const uint32_t *cell = b->body->tetrahedra[candidate->feature_b];
    if (corners_share_vertex(a->body, face, 3, b->body, cell, 4)) {
        return PAIR_LANE_NONE;
    }
    for (int k = 0; k < 3; k++) {
        corners[k] = a->xyz[face[k]];
    }
    for (int k = 0; k < 4; k++) {
        corners[3 + k] = b->xyz[cell[k]];
    }
    return PAIR_LANE_USED;
}

const struct question_row face_cell_question = {
    .info =
        {
            .question = DENT_QUESTION_FACE_CELL,
            .name = "face-cell",
            .meaning = "surface faces that meet the inside of cells",
            .numbers = NULL,
            .call = "dent_world_query",
            .features = {{DENT_FEATURE_FACE, DENT_FEATURE_CELL}},
            .feature_pair_count = 1,
            .discrete = true,
            .self_contact = true,
        },
    .stages = &discrete_stages,
    .pairs =
        &(const struct pair_row){
            .test = test_face_cell,
            .corners = corners_of_face_cell,
            .kernel = PAIR_FACE_CELL,
            .meeting = DENT_PAIR_INTERIOR,
            .list_offset = offsetof(dent_query_result, face_cell),
        },
};
