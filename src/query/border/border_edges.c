/* Cut edges and border vertices.
 *
 * Edges of the surface that are cut are the incidences of the curves. An interior edge that a face pierces passes, with
 * it, through the cells around it: so the pairs of face-cell lead to all of them, cell by cell; an edge is met once
 * from every one of its cells, and sorting leaves one.
 */
#include "geometry/metric/edge_face_point.h"
#include "query/border/border_search.h"

enum { PAIRS_PER_BLOCK = 512, CUTS_PER_BLOCK = 1024 };

static const uint8_t cell_edges[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};

/* ---- inside the cells -------------------------------------------------------------------------------------------- */

static void cut_tetrahedron(const struct border_search *search, const dent_pair *pair, uint32_t tetrahedron,
                            const struct numbered_point face[3], uint32_t block, predicate_counters *counters)
{
    const struct body *body = search->snapshot->bodies[pair->body_b].body;
    const uint32_t *vertices = body->tetrahedra[tetrahedron];
    struct numbered_point corners[4];
    int heights[4];
    bool zeros[4] = {false, false, false, false};
    for (int k = 0; k < 4; k++) {
        corners[k] = border_point(search, pair->body_b, vertices[k]);
        heights[k] = perturbed_orientation(face[0], face[1], face[2], corners[k], &zeros[k], counters);
    }
    for (int i = 0; i < 6; i++) {
        int s = cell_edges[i][0], t = cell_edges[i][1];
        bool zero = zeros[s] || zeros[t];
        if (heights[s] * heights[t] >= 0 || !perturbed_line_pierces(corners[s], corners[t], face, &zero, counters)) {
            continue;
        }
        uint32_t edge = find_edge(body, search->state->meshes[pair->body_b].edge_first, vertices[s], vertices[t]);
        if (!body->edge_is_surface[edge]) {
            struct border_cut cut = {pair->body_b, edge, pair->body_a, pair->feature_a, zero};
            block_output_append(&search->state->cut_blocks, block, &cut, 1);
        }
    }
}

static void cut_block(void *data, uint32_t block, uint32_t worker)
{
    const struct border_search *search = data;
    const dent_pair *pairs = search->face_cell->data;
    size_t begin = (size_t)block * PAIRS_PER_BLOCK, count = search->face_cell->count;
    size_t end = count - begin < PAIRS_PER_BLOCK ? count : begin + PAIRS_PER_BLOCK;
    if (cancel_requested(search->cancel)) {
        return;
    }
    for (size_t i = begin; i < end; i++) {
        struct numbered_point face[3];
        uint32_t last,
            first = cell_tetrahedra(search->snapshot->bodies[pairs[i].body_b].body, pairs[i].feature_b, &last);
        if (pairs[i].kind != DENT_PAIR_INTERIOR) {
            continue;
        }
        border_face_points(search, pairs[i].body_a, pairs[i].feature_a, face);
        for (uint32_t tetrahedron = first; tetrahedron < last; tetrahedron++) {
            cut_tetrahedron(search, &pairs[i], tetrahedron, face, block, &search->workers[worker].predicates);
        }
    }
}

static bool find_interior_cuts(struct border_search *search)
{
    struct border_state *state = search->state;
    uint32_t blocks = (uint32_t)(search->face_cell->count / PAIRS_PER_BLOCK + 1);
    if (!block_output_begin(&state->cut_blocks, blocks)) {
        return false;
    }
    dent_parallel_for(state->context, blocks, cut_block, search);
    return block_output_merge(&state->cut_blocks, &state->cuts);
}

/* ---- on the curves ----------------------------------------------------------------------------------------------- */

static bool take_surface_cuts(struct border_search *search)
{
    const struct border_pair *pairs = search->state->pairs.data;
    for (uint32_t i = 0; i < search->incidence_count; i++) {
        uint32_t end = search->incidence_ends[i];
        struct border_cut cut;
        if (search->reported[end / 2] && border_incidence(search, &pairs[end / 2], (int)(end % 2), &cut) &&
            !array_push(&search->state->cuts, &cut)) {
            return false;
        }
    }
    return true;
}

static bool sort_cuts(struct border_search *search)
{
    size_t count = search->state->cuts.count, kept = 0;
    search->too_many = count >= UINT32_MAX;
    struct border_cut *cuts = search->state->cuts.data;
    struct arena_mark mark = arena_mark(search->scratch);
    if (search->too_many) {
        return false;
    }
    struct border_cut *unsorted = arena_allocate(search->scratch, count, sizeof *unsorted);
    struct key128 *keys = arena_allocate(search->scratch, count, 2 * sizeof *keys);
    uint32_t *order = arena_allocate(search->scratch, count, 2 * sizeof *order);
    if (!unsorted || !keys || !order) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        unsorted[i] = cuts[i];
        keys[i] = (struct key128){(uint64_t)cuts[i].edge_body << 32 | cuts[i].edge,
                                  (uint64_t)cuts[i].face_body << 32 | cuts[i].face};
        order[i] = (uint32_t)i;
    }
    radix_sort_u128(keys, order, keys + count, order + count, count);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || keys[i].high != keys[i - 1].high || keys[i].low != keys[i - 1].low) {
            cuts[kept++] = unsorted[order[i]];
        }
    }
    search->state->cuts.count = kept;
    arena_rewind(search->scratch, mark);
    return true;
}

/* ---- records ----------------------------------------------------------------------------------------------------- */

/* Does the vertex lie in an open cell of the body? The list is in canonical order. */
static bool lies_inside(const struct dynamic_array *vertex_cell, uint32_t body_a, uint32_t vertex, uint32_t body_b)
{
    const dent_pair *pairs = vertex_cell->data;
    uint64_t high_wanted = (uint64_t)body_a << 32 | vertex;
    size_t low = 0, high = vertex_cell->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        uint64_t here = (uint64_t)pairs[middle].body_a << 32 | pairs[middle].feature_a;
        if (here < high_wanted || (here == high_wanted && pairs[middle].body_b < body_b)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    for (; low < vertex_cell->count && pairs[low].body_a == body_a && pairs[low].feature_a == vertex &&
           pairs[low].body_b == body_b;
         low++) {
        if (pairs[low].kind == DENT_PAIR_INTERIOR) {
            return true;
        }
    }
    return false;
}

static void record_block(void *data, uint32_t block, uint32_t worker)
{
    (void)worker;
    const struct border_search *search = data;
    const struct border_cut *cuts = search->state->cuts.data;
    dent_cut_edge *records = search->state->cut_edges.data;
    size_t begin = (size_t)block * CUTS_PER_BLOCK, count = search->state->cuts.count;
    size_t end = count - begin < CUTS_PER_BLOCK ? count : begin + CUTS_PER_BLOCK;
    for (size_t i = begin; i < end; i++) {
        const struct body_snapshot *body_snapshot = &search->snapshot->bodies[cuts[i].edge_body];
        dent_edge edge = body_snapshot->body->edges[cuts[i].edge];
        const double *face[3];
        dent_cut_edge *record = &records[i];
        memset(record, 0, sizeof *record);
        border_face_positions(search->snapshot, cuts[i].face_body, cuts[i].face, face);
        record->body_a = cuts[i].edge_body;
        record->edge = cuts[i].edge;
        record->v0 = edge.v0;
        record->v1 = edge.v1;
        record->body_b = cuts[i].face_body;
        record->face = cuts[i].face;
        record->degenerate = cuts[i].degenerate;
        record->v0_inside = lies_inside(search->vertex_cell, record->body_a, edge.v0, record->body_b);
        record->v1_inside = lies_inside(search->vertex_cell, record->body_a, edge.v1, record->body_b);
        record->parameter =
            edge_face_point(body_snapshot->xyz[edge.v0], body_snapshot->xyz[edge.v1], face, record->point);
        face_unit_normal(face, record->normal);
    }
}

bool border_find_cuts(struct border_search *search)
{
    struct border_state *state = search->state;
    array_clear(&state->cuts);
    array_clear(&state->cut_edges);
    if (!take_surface_cuts(search) || (!search->def->surface_edges_only && !find_interior_cuts(search)) ||
        (state->cuts.count > 0 && !sort_cuts(search)) || !array_extend(&state->cut_edges, state->cuts.count)) {
        return false;
    }
    dent_parallel_for(state->context, (uint32_t)(state->cuts.count / CUTS_PER_BLOCK + 1), record_block, search);
    return true;
}

/* ---- vertices ---------------------------------------------------------------------------------------------------- */

static size_t list_inner_ends(const struct border_search *search, struct key128 *keys)
{
    const dent_cut_edge *cuts = search->state->cut_edges.data;
    size_t count = 0;
    for (size_t i = 0; i < search->state->cut_edges.count; i++) {
        for (int end = 0; end < 2; end++) {
            if (end ? cuts[i].v1_inside : cuts[i].v0_inside) {
                keys[count++] = (struct key128){(uint64_t)cuts[i].body_a << 32 | (end ? cuts[i].v1 : cuts[i].v0),
                                                (uint64_t)cuts[i].body_b << 32 | i};
            }
        }
    }
    return count;
}

bool border_list_vertices(struct border_search *search)
{
    struct border_state *state = search->state;
    size_t room = 2 * state->cut_edges.count;
    array_clear(&state->vertices);
    array_clear(&state->vertex_edges);
    struct key128 *keys = arena_allocate(search->scratch, room, 2 * sizeof *keys);
    if (!keys) {
        return false;
    }
    size_t count = list_inner_ends(search, keys);
    radix_sort_u128(keys, NULL, keys + count, NULL, count);
    uint32_t *edges = array_extend(&state->vertex_edges, count);
    if (!edges) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        uint32_t body_b = (uint32_t)(keys[i].low >> 32);
        edges[i] = (uint32_t)keys[i].low;
        if (i > 0 && keys[i].high == keys[i - 1].high && body_b == (uint32_t)(keys[i - 1].low >> 32)) {
            ((dent_border_vertex *)state->vertices.data)[state->vertices.count - 1].edge_count++;
            continue;
        }
        dent_border_vertex vertex = {(uint32_t)(keys[i].high >> 32), (uint32_t)keys[i].high, body_b, (uint32_t)i, 1};
        if (!array_push(&state->vertices, &vertex)) {
            return false;
        }
    }
    return true;
}
