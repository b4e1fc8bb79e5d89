/* The meaning of the question proximity: two features that share no vertex, no farther apart than their thicknesses,
 * by the computation of geometry/metric/feature_distance.h, and not left out by a rule of strands (strand_rules.h). Every
 * search ends here. */
#include "bodies/strand_rules.h"
#include "query/pairs/pair_tests.h"
#include "query/proximity/proximity_search.h"

bool proximity_begin(struct proximity_search *search, uint32_t block_count)
{
    return block_output_begin(&search->state->vertex_face.blocks, block_count) &&
           block_output_begin(&search->state->edge_edge.blocks, block_count);
}

static void stop(struct proximity_search *search, int *reason)
{
    __atomic_store_n(reason, 1, __ATOMIC_RELAXED);
    __atomic_store_n(&search->cancel->seen, 1, __ATOMIC_RELAXED);
}

static void add_answer(struct proximity_search *search, struct answer_list *list, uint32_t block, const dent_pair *pair)
{
    if (!block_output_append(&list->blocks, block, pair, 1)) {
        stop(search, &search->out_of_memory);
    }
}

void proximity_count_answers(struct proximity_search *search, uint64_t count)
{
    if (count > 0 && __atomic_add_fetch(&search->found, count, __ATOMIC_RELAXED) > search->pair_limit) {
        stop(search, &search->too_many);
    }
}

void proximity_add_vertex_face(struct proximity_search *search, uint32_t block, uint32_t body_index_a, uint32_t vertex,
                               uint32_t body_index_b, uint32_t face)
{
    dent_pair pair = {body_index_a, vertex, body_index_b, face, DENT_PROXIMITY_VERTEX_FACE};
    add_answer(search, &search->state->vertex_face, block, &pair);
}

void proximity_add_edges(struct proximity_search *search, uint32_t block, uint32_t body_index_a, uint32_t edge_a,
                         uint32_t body_index_b, uint32_t edge_b)
{
    bool flipped = body_index_a > body_index_b || (body_index_a == body_index_b && edge_a > edge_b);
    dent_pair pair = flipped ? (dent_pair){body_index_b, edge_b, body_index_a, edge_a, DENT_PROXIMITY_EDGE_EDGE}
                             : (dent_pair){body_index_a, edge_a, body_index_b, edge_b, DENT_PROXIMITY_EDGE_EDGE};
    add_answer(search, &search->state->edge_edge, block, &pair);
}

void proximity_vertex_face_points(const struct snapshot *snapshot, uint32_t body_index_a, uint32_t vertex,
                                  uint32_t body_index_b, uint32_t face, const double *points[4])
{
    const struct body_snapshot *b = &snapshot->bodies[body_index_b];
    const uint32_t *v = b->body->surface_faces[face].corners;
    points[0] = snapshot->bodies[body_index_a].xyz[vertex];
    for (int k = 0; k < 3; k++) {
        points[k + 1] = b->xyz[v[k]];
    }
}

void proximity_edge_points(const struct snapshot *snapshot, uint32_t body_index_a, uint32_t edge_a,
                           uint32_t body_index_b, uint32_t edge_b, const double *points[4])
{
    const struct body_snapshot *a = &snapshot->bodies[body_index_a], *b = &snapshot->bodies[body_index_b];
    points[0] = a->xyz[a->body->edges[edge_a].v0];
    points[1] = a->xyz[a->body->edges[edge_a].v1];
    points[2] = b->xyz[b->body->edges[edge_b].v0];
    points[3] = b->xyz[b->body->edges[edge_b].v1];
}

bool proximity_vertex_is_near(const struct proximity_search *search, uint32_t body_index_a, uint32_t vertex,
                              uint32_t body_index_b, uint32_t face, double distance)
{
    const struct body *a = search->snapshot->bodies[body_index_a].body,
                      *b = search->snapshot->bodies[body_index_b].body;
    double thickness = vertex_thickness(a, vertex, search->thickness[body_index_a]);
    return distance_is_within(distance, thickness, search->thickness[body_index_b]) &&
           !(body_has_segments(a) &&
             strand_rule_root(search->snapshot, a, &vertex, 1, b, b->surface_faces[face].corners, 3));
}

bool proximity_edges_are_near(const struct proximity_search *search, uint32_t body_index_a, uint32_t edge_a,
                              uint32_t body_index_b, uint32_t edge_b, double distance)
{
    const struct body_snapshot *bodies = search->snapshot->bodies;
    const struct body *a = bodies[body_index_a].body, *b = bodies[body_index_b].body;
    double thickness_a = edge_thickness(a, edge_a, search->thickness[body_index_a]),
           thickness_b = edge_thickness(b, edge_b, search->thickness[body_index_b]);
    if (!distance_is_within(distance, thickness_a, thickness_b)) {
        return false;
    }
    if (!body_has_segments(a) && !body_has_segments(b)) {
        return true;
    }
    if (body_index_a == body_index_b) {
        double radius = thickness_a > thickness_b ? thickness_a : thickness_b;
        return !strand_rule_along(&bodies[body_index_a], edge_a, edge_b, radius);
    }
    const uint32_t ends_a[2] = {a->edges[edge_a].v0, a->edges[edge_a].v1},
                   ends_b[2] = {b->edges[edge_b].v0, b->edges[edge_b].v1};
    return !strand_rule_root(search->snapshot, a, ends_a, 2, b, ends_b, 2) &&
           !strand_rule_root(search->snapshot, b, ends_b, 2, a, ends_a, 2);
}

void proximity_try_vertex_face(struct proximity_search *search, uint32_t block, uint32_t body_index_a, uint32_t vertex,
                               uint32_t body_index_b, uint32_t face)
{
    const struct body *a = search->snapshot->bodies[body_index_a].body,
                      *b = search->snapshot->bodies[body_index_b].body;
    const double *points[4];
    if (corners_share_vertex(a, &vertex, 1, b, b->surface_faces[face].corners, 3)) {
        return;
    }
    proximity_vertex_face_points(search->snapshot, body_index_a, vertex, body_index_b, face, points);
    double distance = vertex_face_distance(points[0], points + 1);
    if (proximity_vertex_is_near(search, body_index_a, vertex, body_index_b, face, distance)) {
        proximity_add_vertex_face(search, block, body_index_a, vertex, body_index_b, face);
    }
}

void proximity_try_edges(struct proximity_search *search, uint32_t block, uint32_t body_index_a, uint32_t edge_a,
                         uint32_t body_index_b, uint32_t edge_b)
{
    const struct body *a = search->snapshot->bodies[body_index_a].body,
                      *b = search->snapshot->bodies[body_index_b].body;
    const uint32_t va[2] = {a->edges[edge_a].v0, a->edges[edge_a].v1},
                   vb[2] = {b->edges[edge_b].v0, b->edges[edge_b].v1};
    const double *points[4];
    if (corners_share_vertex(a, va, 2, b, vb, 2)) {
        return;
    }
    proximity_edge_points(search->snapshot, body_index_a, edge_a, body_index_b, edge_b, points);
    double distance = edge_edge_distance(points, points + 2);
    if (proximity_edges_are_near(search, body_index_a, edge_a, body_index_b, edge_b, distance)) {
        proximity_add_edges(search, block, body_index_a, edge_a, body_index_b, edge_b);
    }
}
