/* vertex-cell: does a vertex lie in an open cell, and where in it? */
#include "query/pairs/pair_tests.h"

#include "geometry/predicates/orientation_predicates.h"
#include "geometry/predicates/tetrahedron_predicates.h"
#include "query/world/question_row.h"

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
    int count = pair_cell_points(b, candidate->feature_b, tetrahedra);
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

static enum pair_lane_use corners_of_vertex_cell(const struct snapshot *snapshot, const struct candidate *candidate,
                                                 const double *corners[])
{
    const struct body_snapshot *a = &snapshot->bodies[candidate->body_a], *b = &snapshot->bodies[candidate->body_b];
    if (b->body->first_tetrahedron) {
        return PAIR_LANE_EXACT;
    }
    const uint32_t *cell = b->body->tetrahedra[candidate->feature_b];
    if (corners_share_vertex(a->body, &candidate->feature_a, 1, b->body, cell, 4)) {
        return PAIR_LANE_NONE;
    }
    corners[0] = a->xyz[candidate->feature_a];
    for (int k = 0; k < 4; k++) {
        corners[1 + k] = b->xyz[cell[k]];
    }
    corners[5] = corners[6] = corners[0];
    return PAIR_LANE_USED;
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

static void add_cell_point(const struct snapshot *snapshot, const dent_pair *pair, void *record)
{
    dent_cell_point *point = record;
    const struct body_snapshot *b = &snapshot->bodies[pair->body_b];
    const double *p = snapshot->bodies[pair->body_a].xyz[pair->feature_a];
    const double *tetrahedra[UNION_TETRAHEDRA_MAX][4];
    int count = pair_cell_points(b, pair->feature_b, tetrahedra);
    int holder = holder_of_point(p, (const double *const(*)[4])tetrahedra, count);
    uint32_t end, first = cell_tetrahedra(b->body, pair->feature_b, &end);
    memcpy(point->corners, b->body->tetrahedra[first + (uint32_t)holder], sizeof point->corners);
    barycentric_coordinates(p, tetrahedra[holder], point->weights);
}

const struct question_row vertex_cell_question = {
    .info =
        {
            .question = DENT_QUESTION_VERTEX_CELL,
            .name = "vertex-cell",
            .meaning = "vertices inside cells",
            .numbers = "the four barycentric coordinates",
            .call = "dent_world_query",
            .features = {{DENT_FEATURE_VERTEX, DENT_FEATURE_CELL}},
            .feature_pair_count = 1,
            .discrete = true,
            .self_contact = true,
        },
    .stages = &discrete_stages,
    .pairs =
        &(const struct pair_row){
            .test = test_vertex_cell,
            .corners = corners_of_vertex_cell,
            .kernel = PAIR_VERTEX_CELL,
            .meeting = DENT_PAIR_INTERIOR,
            .list_offset = offsetof(dent_query_result, vertex_cell),
            .detail_size = sizeof(dent_cell_point),
            .detail_offset = offsetof(dent_pair_list, cell_points),
            .detail = add_cell_point,
        },
};
