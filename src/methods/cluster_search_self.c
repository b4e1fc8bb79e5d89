/* Contact of bodies with themselves, proven away. See cluster_search_self.h. */
#include "methods/cluster_search_self.h"

#include <math.h>
#include <string.h>

/* Some vertices of a body, and their residuals. */
struct rigid_block {
    uint32_t body_index, first, count;
    struct affine_motion motion;
    double most[3];
};

enum { PROBES = 32 };

bool self_proofs_begin(struct self_proofs *proofs, const struct search_request *request, struct cluster_cache *cache)
{
    struct arena *scratch = request->scratch;
    *proofs = (struct self_proofs){.request = request, .cache = cache};
    proofs->body_certified = arena_allocate_cleared(scratch, cache->body_count, sizeof *proofs->body_certified);
    proofs->piece_certified = arena_allocate_cleared(scratch, cache->piece_count, sizeof *proofs->piece_certified);
    proofs->piece_still = arena_allocate(scratch, cache->piece_count, sizeof *proofs->piece_still);
    proofs->rigid = arena_allocate(scratch, cache->rigid_block_count, sizeof *proofs->rigid);
    proofs->pair_clear = arena_allocate(scratch, cache->gap_pair_count, sizeof *proofs->pair_clear);
    proofs->open_pairs = arena_allocate(scratch, cache->gap_pair_count, sizeof *proofs->open_pairs);
    return proofs->body_certified && proofs->piece_certified && proofs->piece_still && proofs->rigid &&
           proofs->pair_clear && proofs->open_pairs;
}

/* ---- bodies that moved as a whole ------------------------------------------------------------ */

/* A few vertices tell most bodies that are deformed. */
static bool seems_rigid(const struct self_proofs *proofs, const struct cached_body *entry, const double (*xyz)[3],
                        struct affine_motion *motion)
{
    const struct rigid_reference *reference = &entry->rigid;
    const struct cluster_kernels *kernels = cluster_kernels_for(proofs->request->isa);
    double most[3] = {0, 0, 0};
    if (!rigid_motion_find(reference, xyz, motion)) {
        return false;
    }
    uint32_t step = reference->vertex_count / PROBES + 1;
    for (uint32_t vertex = 0; vertex < reference->vertex_count; vertex += step) {
        rigid_residuals(reference, kernels, xyz, motion, vertex, 1, most);
    }
    return rigid_clearance(reference, motion, most) < (double)entry->largest_clearance;
}

static void list_blocks(struct self_proofs *proofs, uint32_t body_index, const struct affine_motion *motion)
{
    uint32_t vertices = proofs->cache->entries[body_index]->rigid.vertex_count;
    for (uint32_t first = 0; first < vertices; first += RIGID_BLOCK_VERTICES) {
        uint32_t left = vertices - first;
        proofs->rigid[proofs->rigid_count++] =
            (struct rigid_block){.body_index = body_index,
                                 .first = first,
                                 .count = left < RIGID_BLOCK_VERTICES ? left : RIGID_BLOCK_VERTICES,
                                 .motion = *motion};
    }
}

static void measure_block(void *data, uint32_t number, uint32_t worker)
{
    (void)worker;
    struct self_proofs *proofs = data;
    struct rigid_block *block = &proofs->rigid[number];
    rigid_residuals(&proofs->cache->entries[block->body_index]->rigid, cluster_kernels_for(proofs->request->isa),
                    proofs->request->snapshot->bodies[block->body_index].xyz, &block->motion, block->first,
                    block->count, block->most);
}

/* Marks the pieces of a body that have clearance enough. */
static void mark_still(struct self_proofs *proofs, uint32_t body_index, double clearance)
{
    const struct clustered_body *body = &proofs->cache->bodies[body_index];
    const struct gap_reference *gaps = &proofs->cache->entries[body_index]->gaps;
    bool all = true;
    for (uint32_t piece = 0; piece < body->clusters->piece_count; piece++) {
        bool still = (double)gaps->clearances[piece] > clearance;
        proofs->piece_still[body->first_piece + piece] = still;
        proofs->any_still = proofs->any_still || still;
        all = all && still;
    }
    proofs->body_certified[body_index] = all;
}

/* The blocks of a body lie side by side. Returns the first behind them. */
static uint32_t judge_body(struct self_proofs *proofs, uint32_t block)
{
    uint32_t body_index = proofs->rigid[block].body_index, next = block;
    double most[3] = {0, 0, 0};
    for (; next < proofs->rigid_count && proofs->rigid[next].body_index == body_index; next++) {
        for (int axis = 0; axis < 3; axis++) {
            most[axis] = fmax(most[axis], proofs->rigid[next].most[axis]);
        }
    }
    mark_still(proofs, body_index,
               rigid_clearance(&proofs->cache->entries[body_index]->rigid, &proofs->rigid[block].motion, most));
    return next;
}

void self_proofs_try_rigid(struct self_proofs *proofs)
{
    const struct snapshot *snapshot = proofs->request->snapshot;
    for (uint32_t body_index = 0; body_index < proofs->cache->body_count; body_index++) {
        struct cached_body *entry = proofs->cache->entries[body_index];
        const struct body_snapshot *body = &snapshot->bodies[body_index];
        struct affine_motion motion;
        if (!proofs->cache->bodies[body_index].has_gaps || !entry->rigid.usable || !body->body->self_collision) {
            continue;
        }
        entry->rigid.shape = (const double(*)[3])body->body->reference;
        if (seems_rigid(proofs, entry, body->xyz, &motion)) {
            list_blocks(proofs, body_index, &motion);
        }
    }
    if (proofs->rigid_count > 0) {
        memset(proofs->piece_still, 0, proofs->cache->piece_count * sizeof *proofs->piece_still);
        dent_parallel_for(proofs->request->context, proofs->rigid_count, measure_block, proofs);
    }
    for (uint32_t block = 0; block < proofs->rigid_count;) {
        block = judge_body(proofs, block);
    }
}

/* ---- pairs of pieces ------------------------------------------------------------------------- */

static bool is_still(const struct self_proofs *proofs, const struct clustered_body *body, uint32_t piece)
{
    return proofs->any_still && proofs->piece_still[body->first_piece + piece];
}

/* By the strains of the pieces and what lies between them. */
static bool strains_clear(const struct self_proofs *proofs, uint32_t body_index, uint32_t piece_a, uint32_t piece_b)
{
    const bool *certified = proofs->piece_certified + proofs->cache->bodies[body_index].first_piece;
    return (certified[piece_a] || certified[piece_b]) &&
           strain_neighbours(&proofs->cache->entries[body_index]->reference, piece_a, piece_b);
}

static bool clear_pair(const struct self_proofs *proofs, uint32_t body_index, uint32_t piece,
                       const struct gap_pair *pair, struct open_pair *open)
{
    const struct clustered_body *body = &proofs->cache->bodies[body_index];
    const struct gap_reference *gaps = &proofs->cache->entries[body_index]->gaps;
    if (is_still(proofs, body, piece) || is_still(proofs, body, pair->piece) ||
        strains_clear(proofs, body_index, piece, pair->piece)) {
        return true;
    }
    if (body->cluster_count == 1) {
        memset(open, 0xFF, sizeof *open);
        return gaps_prove_own(gaps, proofs->snapshot->strains + body->first_piece, piece) & 1;
    }
    return gaps_clear_pair(gaps, proofs->snapshot, body_index, piece, pair, open);
}

/* A block is a group of pieces. */
static void try_gaps_of_block(void *data, uint32_t block, uint32_t worker)
{
    (void)worker;
    const struct self_proofs *proofs = data;
    uint32_t body_index = proofs->cache->body_of_group[block];
    const struct clustered_body *body = &proofs->cache->bodies[body_index];
    const struct gap_reference *gaps = &proofs->cache->entries[body_index]->gaps;
    uint32_t first = (block - body->first_group) * PIECE_CLUSTERS;
    if (!body->rest_shapes || !body->wants_stretches || proofs->body_certified[body_index]) {
        return;
    }
    for (uint32_t piece = first; piece < body->piece_count && piece - first < PIECE_CLUSTERS; piece++) {
        for (uint32_t i = gaps->first_pair[piece]; i < gaps->first_pair[piece + 1]; i++) {
            size_t slot = (size_t)body->first_gap_pair + i;
            proofs->pair_clear[slot] =
                clear_pair(proofs, body_index, piece, &gaps->pairs[i], &proofs->open_pairs[slot]);
        }
    }
}

void self_proofs_try_gaps(struct self_proofs *proofs, const struct cluster_snapshot *snapshot)
{
    bool any = false;
    proofs->snapshot = snapshot;
    for (uint32_t body_index = 0; body_index < proofs->cache->body_count; body_index++) {
        const struct clustered_body *body = &proofs->cache->bodies[body_index];
        any = any || (body->rest_shapes && body->wants_stretches && !proofs->body_certified[body_index]);
    }
    if (any) {
        dent_parallel_for(proofs->request->context, proofs->cache->group_count, try_gaps_of_block, proofs);
    }
}

bool self_proofs_clear(const struct self_proofs *proofs, uint32_t body_index, uint32_t piece_b, uint32_t piece_a,
                       const uint16_t **open)
{
    const struct clustered_body *body = &proofs->cache->bodies[body_index];
    bool tried = body->rest_shapes && body->wants_stretches;
    uint32_t pair = tried ? gap_pair_of(&proofs->cache->entries[body_index]->gaps, piece_a, piece_b) : NO_GAP_PAIR;
    *open = NULL;
    if (pair == NO_GAP_PAIR) {
        return is_still(proofs, body, piece_a) || is_still(proofs, body, piece_b) ||
               strains_clear(proofs, body_index, piece_a, piece_b);
    }
    size_t slot = (size_t)body->first_gap_pair + pair;
    const struct open_pair *left = &proofs->open_pairs[slot];
    *open = piece_b <= piece_a ? left->rows : left->columns;
    return proofs->pair_clear[slot];
}
