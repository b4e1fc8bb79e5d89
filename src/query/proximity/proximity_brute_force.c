/* The oracle of proximity: every surface vertex with every surface face, every surface edge with every other, nothing
 * left out but what filters and shared vertices exclude. This file and proximity_decision.c define the answer;
 * O(n^2). Blocks are features of side a. */
#include "query/proximity/proximity_search.h"

struct oracle {
    struct proximity_search *search;
    const struct feature {
        uint32_t body_index, number;
        bool edge; /* or a vertex */
    } * side_a;
    size_t count_a;
};

enum { BLOCK_SIZE = 16 };

static bool is_asked(const struct proximity_search *search, const struct body *a, const struct body *b)
{
    return bodies_may_meet(a, b) && (!search->strands_only || body_has_segments(a) || body_has_segments(b));
}

static void try_vertex(struct proximity_search *search, uint32_t block, uint32_t worker, uint32_t body_index,
                       uint32_t vertex)
{
    const struct body_snapshot *bodies = search->snapshot->bodies;
    for (uint32_t other = 0; other < search->snapshot->body_count; other++) {
        if (is_asked(search, bodies[body_index].body, bodies[other].body)) {
            uint32_t faces = bodies[other].body->surface_face_count;
            search->workers[worker].candidates += faces;
            for (uint32_t face = 0; face < faces; face++) {
                proximity_try_vertex_face(search, block, body_index, vertex, other, face);
            }
        }
    }
}

static void try_edge(struct proximity_search *search, uint32_t block, uint32_t worker, uint32_t body_index,
                     uint32_t edge)
{
    const struct body_snapshot *bodies = search->snapshot->bodies;
    for (uint32_t other = body_index; other < search->snapshot->body_count; other++) {
        const struct body *body = bodies[other].body;
        for (uint32_t next = other == body_index ? edge + 1 : 0;
             is_asked(search, bodies[body_index].body, body) && next < body->edge_count; next++) {
            if (body->edge_is_surface[next]) {
                search->workers[worker].candidates++;
                proximity_try_edges(search, block, body_index, edge, other, next);
            }
        }
    }
}

static void try_block(void *data, uint32_t block, uint32_t worker)
{
    const struct oracle *oracle = data;
    struct proximity_search *search = oracle->search;
    size_t first = (size_t)block * BLOCK_SIZE;
    for (size_t i = first; i < first + BLOCK_SIZE && i < oracle->count_a && !proximity_stopped(search); i++) {
        const struct feature *a = &oracle->side_a[i];
        struct block_output *blocks = a->edge ? &search->state->edge_edge.blocks : &search->state->vertex_face.blocks;
        size_t before = block_output_count_of(blocks, block);
        (a->edge ? try_edge : try_vertex)(search, block, worker, a->body_index, a->number);
        proximity_count_answers(search, block_output_count_of(blocks, block) - before);
    }
}

bool proximity_try_every_pair(struct proximity_search *search)
{
    const struct snapshot *snapshot = search->snapshot;
    struct oracle oracle = {.search = search};
    size_t most = 0;
    for (uint32_t body_index = 0; body_index < snapshot->body_count; body_index++) {
        most += (size_t)snapshot->bodies[body_index].body->vertex_count + snapshot->bodies[body_index].body->edge_count;
    }
    struct feature *side_a = arena_allocate(search->scratch, most, sizeof *side_a);
    for (uint32_t body_index = 0; side_a && body_index < snapshot->body_count; body_index++) {
        const struct body *body = snapshot->bodies[body_index].body;
        for (uint32_t vertex = 0; vertex < body->vertex_count; vertex++) {
            if (body->vertex_use[vertex] & VERTEX_ON_SURFACE) {
                side_a[oracle.count_a++] = (struct feature){body_index, vertex, false};
            }
        }
        for (uint32_t edge = 0; edge < body->edge_count; edge++) {
            if (body->edge_is_surface[edge]) {
                side_a[oracle.count_a++] = (struct feature){body_index, edge, true};
            }
        }
    }
    oracle.side_a = side_a;
    uint32_t blocks = (uint32_t)((oracle.count_a + BLOCK_SIZE - 1) / BLOCK_SIZE);
    if (!side_a || !proximity_begin(search, blocks)) {
        return false;
    }
    dent_parallel_for(search->context, blocks, try_block, &oracle);
    return true;
}
