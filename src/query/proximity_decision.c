/* The meaning of the question proximity: two features that share no vertex, no farther apart than their thicknesses, by the computation of
 * geometry/feature_distance.h. Every search ends here. */
#include "query/pair_tests.h"
#include "query/proximity_search.h"

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

void proximity_try_vertex_face(struct proximity_search *search, uint32_t block, uint32_t rank_a, uint32_t vertex, uint32_t rank_b,
                               uint32_t face)
{
    const struct posed_body *a = &search->pose->bodies[rank_a], *b = &search->pose->bodies[rank_b];
    const uint32_t *v = b->body->surface_faces[face].corners;
    if (corners_share_vertex(a->body, &vertex, 1, b->body, v, 3)) {
        return;
    }
    const double *const corners[3] = {b->xyz[v[0]], b->xyz[v[1]], b->xyz[v[2]]};
    double distance = vertex_face_distance(a->xyz[vertex], corners);
    if (distance_is_within(distance, search->thickness[rank_a], search->thickness[rank_b])) {
        add_answer(search, &search->state->vertex_face, block, &(dent_pair){rank_a, vertex, rank_b, face, 1});
    }
}

void proximity_try_edges(struct proximity_search *search, uint32_t block, uint32_t rank_a, uint32_t edge_a, uint32_t rank_b,
                         uint32_t edge_b)
{
    const struct posed_body *a = &search->pose->bodies[rank_a], *b = &search->pose->bodies[rank_b];
    const uint32_t va[2] = {a->body->edges[edge_a].v0, a->body->edges[edge_a].v1};
    const uint32_t vb[2] = {b->body->edges[edge_b].v0, b->body->edges[edge_b].v1};
    if (corners_share_vertex(a->body, va, 2, b->body, vb, 2)) {
        return;
    }
    const double *const ends_a[2] = {a->xyz[va[0]], a->xyz[va[1]]}, *const ends_b[2] = {b->xyz[vb[0]], b->xyz[vb[1]]};
    if (distance_is_within(edge_edge_distance(ends_a, ends_b), search->thickness[rank_a], search->thickness[rank_b])) {
        bool turned = rank_a > rank_b || (rank_a == rank_b && edge_a > edge_b);
        dent_pair pair = turned ? (dent_pair){rank_b, edge_b, rank_a, edge_a, 1} : (dent_pair){rank_a, edge_a, rank_b, edge_b, 1};
        add_answer(search, &search->state->edge_edge, block, &pair);
    }
}
