/* Cluster search: static clusters of cells, laid out for the vector unit.
 *
 * A mesh keeps its connectivity while it deforms, so its cells are cut once into clusters of at most 32 vertices and 48
 * cells. A query rounds the coordinates cluster by cluster, computes boxes of clusters, pieces (16 clusters) and
 * bodies, and goes down: pairs of bodies, pieces, clusters, always 16 boxes at a time. In a pair of clusters the
 * vertices (or surface faces) of one are compared with the cells of the other: shared vertices are taken out by bit
 * masks before any geometry, then float boxes, then float sides with a derived error bound (cluster_kernels.h). What
 * the floats decide is an answer; what they leave open goes to the exact tests behind the sink. Clusters of which floats
 * leave much open are compared in doubles (cluster_leaf_doubles.h).
 *
 * Contact of a body with itself is first tried to be proven away by the strain certificate (strain_certificate.h), from
 * the body's reference shape or, when it has none, from the last snapshot that a search found free; what is not proven is
 * searched.
 *
 * In: a snapshot. Out: answers and candidates of vertex-cell and face-cell. Between queries: the clusters, the
 * references, and which clusters are compared in doubles.
 */
#include "methods/cluster_search_state.h"
#include "methods/interface/method_table.h"

#include "base/loop_costs.h"
#include "geometry/numbers/bounds.h"
#include "structures/clusters/kernels/cluster_kernels.h"

struct cluster_state {
    struct cluster_cache cache;
    struct body_pairs pairs;
    struct loop_costs search_costs;
    uint64_t leaves; /* pairs of clusters compared in the last query */
};

/* Boxes of whole bodies, all sides together. */
static struct cluster_box *whole_boxes(const struct cluster_search *search)
{
    uint32_t count = search->request->snapshot->body_count;
    struct cluster_box *boxes = arena_allocate(search->request->scratch, count, sizeof *boxes);
    for (uint32_t body_index = 0; boxes && body_index < count; body_index++) {
        boxes[body_index] = search->snapshot.boxes[SIDE_CELLS][body_index];
        for (int side = SIDE_VERTICES; side < SIDE_COUNT; side++) {
            if (search->snapshot.wants[side]) {
                const struct cluster_box *other = &search->snapshot.boxes[side][body_index];
                float_bounds_add(boxes[body_index].lo, boxes[body_index].hi, other->lo, other->hi);
            }
        }
    }
    return boxes;
}

static bool begin_answers(const struct cluster_search *search, uint32_t blocks)
{
    struct candidate_sink *sink = search->sink;
    uint32_t asked = search->request->questions;
    return (!(asked & DENT_QUESTION_VERTEX_CELL) || sink->begin(sink, DENT_QUESTION_VERTEX_CELL, blocks)) &&
           (!(asked & DENT_QUESTION_FACE_CELL) || sink->begin(sink, DENT_QUESTION_FACE_CELL, blocks));
}

static dent_status out_of_memory(const struct search_request *request)
{
    return message_fail(request->message, DENT_ERROR_OUT_OF_MEMORY, "out of memory in the cluster search");
}

/* Clusters that leaves read so often on average are worth keeping their points. What the last query found is a good
 * guess, and the same for any number of threads. */
enum { KEEPING_LEAVES = 1 };

/* About 512 blocks, but none below 16 clusters or above 16 pieces. */
static uint32_t pieces_per_block(const struct cluster_snapshot *snapshot)
{
    uint32_t even = snapshot->piece_count / 512 + 1;
    uint32_t least = (uint32_t)((uint64_t)snapshot->piece_count * 16 / (snapshot->cluster_count + 1)) + 1;
    uint32_t pieces = even > least ? even : least;
    return pieces < 16 ? pieces : 16;
}

static dent_status search_clusters(void *data, const struct search_request *request, struct candidate_sink *sink)
{
    struct cluster_state *state = data;
    dent_status status =
        cluster_cache_update(&state->cache, request->snapshot, &request->counters->rebuilds, request->message);
    if (status != DENT_OK) {
        return status;
    }
    struct cluster_search search = {
        .request = request, .sink = sink, .cache = &state->cache, .pairs = &state->pairs, .leaves = &state->leaves};
    struct cluster_snapshot *snapshot = &search.snapshot;
    snapshot->kernels = cluster_kernels_for(request->isa);
    snapshot->bodies = state->cache.bodies;
    snapshot->body_of_piece = state->cache.body_of_piece;
    snapshot->cluster_count = state->cache.cluster_count;
    snapshot->piece_count = state->cache.piece_count;
    snapshot->piece_boxes_count = state->cache.piece_boxes_count;
    snapshot->group_boxes_count = state->cache.group_boxes_count;
    snapshot->range_count = state->cache.range_count;
    snapshot->one_piece_each = state->cache.one_piece_each;
    snapshot->keep_points = state->leaves > KEEPING_LEAVES * (uint64_t)snapshot->cluster_count;
    snapshot->surface_vertices_only = request->surface_vertices_only;
    snapshot->leave_out_flat = !request->def->touching;
    snapshot->wants[SIDE_CELLS] = true;
    snapshot->wants[SIDE_VERTICES] = (request->questions & DENT_QUESTION_VERTEX_CELL) != 0;
    snapshot->wants[SIDE_FACES] = (request->questions & DENT_QUESTION_FACE_CELL) != 0;
    search.pieces_per_block = pieces_per_block(snapshot);
    uint32_t blocks = (snapshot->piece_count + search.pieces_per_block - 1) / search.pieces_per_block;
    search.numbers = request->experiments->cluster_search.numbers;
    search.certify = !request->experiments->cluster_search.no_certificate;
    if (!self_proofs_begin(&search.proofs, request, &state->cache)) {
        return out_of_memory(request);
    }
    search.body_certified = search.proofs.body_certified;
    search.piece_certified = search.proofs.piece_certified;
    if (search.certify) {
        self_proofs_try_rigid(&search.proofs);
        snapshot->still = search.proofs.any_still ? search.proofs.piece_still : NULL;
    }
    cluster_search_choose_references(&search, &state->cache);
    search.body_matrices =
        arena_allocate(request->scratch, request->snapshot->body_count, sizeof *search.body_matrices);
    search.met_itself =
        arena_allocate_cleared(request->scratch, request->snapshot->body_count, sizeof *search.met_itself);
    if (!search.body_matrices || !search.met_itself ||
        !cluster_snapshot_prepare(snapshot, request->snapshot, request->scratch) || !begin_answers(&search, blocks)) {
        return out_of_memory(request);
    }
    dent_parallel_for(request->context, blocks, cluster_search_fill_block, &search);
    cluster_snapshot_fill_bodies(snapshot);
    cluster_search_certify(&search);
    const struct cluster_box *boxes = whole_boxes(&search);
    if (!boxes || !cluster_search_make_workspaces(&search) ||
        !body_pairs_find(&state->pairs, boxes, request->snapshot->body_count, request->isa, request->scratch)) {
        return out_of_memory(request);
    }
    state->leaves = 0;
    loop_costs_run(&state->search_costs, request->context, blocks, cluster_search_block, &search);
    if (!search_cancelled(request)) {
        cluster_search_learn(&search, &state->cache);
    }
    return DENT_OK;
}

static dent_status create_state(dent_context *context, void **state)
{
    struct cluster_state *fresh = dent_allocate(context, 1, sizeof *fresh);
    if (!fresh) {
        return DENT_ERROR_OUT_OF_MEMORY;
    }
    fresh->leaves = 0;
    cluster_cache_init(&fresh->cache, context);
    body_pairs_init(&fresh->pairs, context);
    loop_costs_init(&fresh->search_costs, context);
    *state = fresh;
    return DENT_OK;
}

static void destroy_state(dent_context *context, void *data)
{
    struct cluster_state *state = data;
    cluster_cache_destroy(&state->cache);
    body_pairs_destroy(&state->pairs);
    loop_costs_destroy(&state->search_costs);
    dent_release(context, state, 1, sizeof *state);
}

const struct method_row cluster_search_method = {
    .method = DENT_METHOD_CLUSTER_SEARCH,
    .name = "cluster-search",
    .summary = "static clusters of cells compared with SIMD, pairs with shared vertices removed first; O(n), for "
               "solids of any size",
    .questions = DENT_QUESTION_VERTEX_CELL | DENT_QUESTION_FACE_CELL,
    .create = create_state,
    .destroy = destroy_state,
    .search = search_clusters,
};
