/* Contact of bodies with themselves, proven away. See cluster_search_self.h. */
#include "methods/cluster_search_self.h"

#include <math.h>
#include <string.h>

/* Some vertices of a body, and their residuals. */
struct rigid_block {
    uint32_t body_index, first, count;
    const struct rigid_reference *reference;
    const float *clearances; /* by piece of the body, in that reference */
    struct affine_motion motion;
    double most[3];
};

bool self_proofs_begin(struct self_proofs *proofs, const struct search_request *request, struct cluster_cache *cache)
{
    struct arena *scratch = request->scratch;
    uint32_t vertices = (request->questions & DENT_QUESTION_VERTEX_CELL) != 0;
    uint32_t faces = (request->questions & DENT_QUESTION_FACE_CELL) != 0;
    *proofs = (struct self_proofs){.request = request,
                                   .cache = cache,
                                   .questions = vertices << GAPS_OF_VERTICES | faces << GAPS_OF_FACES};
    proofs->body_certified = arena_allocate_cleared(scratch, cache->body_count, sizeof *proofs->body_certified);
    proofs->piece_certified = arena_allocate_cleared(scratch, cache->piece_count, sizeof *proofs->piece_certified);
    proofs->body_has_still = arena_allocate_cleared(scratch, cache->body_count, sizeof *proofs->body_has_still);
    proofs->piece_still = arena_allocate(scratch, cache->piece_count, sizeof *proofs->piece_still);
    proofs->rigid = arena_allocate(scratch, cache->rigid_block_count, sizeof *proofs->rigid);
    proofs->pair_open = arena_allocate(scratch, cache->gap_pair_count, sizeof *proofs->pair_open);
    proofs->open_pairs = arena_allocate(scratch, cache->gap_pair_count, sizeof *proofs->open_pairs);
    return proofs->body_certified && proofs->piece_certified && proofs->body_has_still && proofs->piece_still &&
           proofs->rigid && proofs->pair_open && proofs->open_pairs;
}

/* Swarms of small bodies have none, and should not pay for being asked one by one. */
static bool some_have_gaps(const struct self_proofs *proofs)
{
    return proofs->cache->rigid_block_count > 0;
}

/* ---- bodies that moved as a whole ------------------------------------------------------------ */

static uint32_t probe_step(uint32_t vertex_count)
{
    return vertex_count / REST_PROBES + 1;
}

/* A few vertices tell most bodies that are deformed. */
static bool seems_rigid(const struct self_proofs *proofs, const struct rigid_reference *reference,
                        float largest_clearance, const double (*xyz)[3], struct affine_motion *motion)
{
    const struct cluster_kernels *kernels = cluster_kernels_for(proofs->request->isa);
    double most[3] = {0, 0, 0};
    if (!reference->usable || !rigid_motion_find(reference, xyz, motion)) {
        return false;
    }
    for (uint32_t vertex = 0; vertex < reference->vertex_count; vertex += probe_step(reference->vertex_count)) {
        rigid_residuals(reference, kernels, xyz, motion, vertex, 1, most);
    }
    return rigid_clearance(reference, motion, most) < (double)largest_clearance;
}

/* Lists the vertices of a body; `block` has all but their range. */
static void list_blocks(struct self_proofs *proofs, struct rigid_block block)
{
    uint32_t vertices = block.reference->vertex_count;
    for (block.first = 0; block.first < vertices; block.first += RIGID_BLOCK_VERTICES) {
        uint32_t left = vertices - block.first;
        block.count = left < RIGID_BLOCK_VERTICES ? left : RIGID_BLOCK_VERTICES;
        proofs->rigid[proofs->rigid_count++] = block;
    }
}

static void measure_block(void *data, uint32_t number, uint32_t worker)
{
    (void)worker;
    struct self_proofs *proofs = data;
    struct rigid_block *block = &proofs->rigid[number];
    rigid_residuals(block->reference, cluster_kernels_for(proofs->request->isa),
                    proofs->request->snapshot->bodies[block->body_index].xyz, &block->motion, block->first,
                    block->count, block->most);
}

/* Marks the pieces of a body that have clearance enough. */
static void mark_still(struct self_proofs *proofs, uint32_t body_index, const float *clearances, double enough)
{
    const struct clustered_body *body = &proofs->cache->bodies[body_index];
    bool all = true;
    for (uint32_t piece = 0; piece < body->piece_count; piece++) {
        bool still = (double)clearances[piece] > enough;
        proofs->piece_still[body->first_piece + piece] = still;
        proofs->body_has_still[body_index] |= still;
        all = all && still;
    }
    proofs->any_still = proofs->any_still || proofs->body_has_still[body_index];
    proofs->body_certified[body_index] = all;
}

/* The blocks of a body lie side by side. Returns the first behind them. */
static uint32_t judge_body(struct self_proofs *proofs, uint32_t first)
{
    const struct rigid_block *block = &proofs->rigid[first];
    uint32_t next = first;
    double most[3] = {0, 0, 0};
    for (; next < proofs->rigid_count && proofs->rigid[next].body_index == block->body_index; next++) {
        for (int axis = 0; axis < 3; axis++) {
            most[axis] = fmax(most[axis], proofs->rigid[next].most[axis]);
        }
    }
    mark_still(proofs, block->body_index, block->clearances, rigid_clearance(block->reference, &block->motion, most));
    struct kept_pose *kept = &proofs->cache->entries[block->body_index]->rigid->pose;
    if (block->reference == &kept->rigid && proofs->body_has_still[block->body_index]) {
        kept->last_wait = kept->wait = 0; /* worth its price */
    }
    return next;
}

/* Distances from two probes to all are what they were, as far as plain doubles tell. A hint what to keep, no proof. */
static bool probes_rest(const double (*before)[3], const double (*now)[3], uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        for (uint32_t from = 0; from < 2; from++) {
            double was = 0, is = 0;
            for (int axis = 0; axis < 3; axis++) {
                was += (before[i][axis] - before[from][axis]) * (before[i][axis] - before[from][axis]);
                is += (now[i][axis] - now[from][axis]) * (now[i][axis] - now[from][axis]);
            }
            if (!(fabs(was - is) <= 1e-7 * was)) {
                return false;
            }
        }
    }
    return true;
}

/* Notes where some vertices are, and whether the body rests since the query before. */
static void note_probes(struct rigid_proof *rigid, const double (*xyz)[3])
{
    struct kept_pose *kept = &rigid->pose;
    double probes[REST_PROBES][3];
    uint32_t count = 0;
    const uint32_t vertex_count = rigid->reference.vertex_count;
    for (uint32_t vertex = 0; vertex < vertex_count; vertex += probe_step(vertex_count)) {
        memcpy(probes[count++], xyz[vertex], sizeof *probes);
    }
    kept->rests = kept->has_probes && probes_rest((const double(*)[3])kept->probes, (const double(*)[3])probes, count);
    kept->has_probes = true;
    memcpy(kept->probes, probes, count * sizeof *probes);
}

void self_proofs_try_rigid(struct self_proofs *proofs)
{
    const struct snapshot *snapshot = proofs->request->snapshot;
    const uint32_t body_count = some_have_gaps(proofs) ? proofs->cache->body_count : 0;
    for (uint32_t body_index = 0; body_index < body_count; body_index++) {
        struct cached_body *entry = proofs->cache->entries[body_index];
        const struct body_snapshot *body = &snapshot->bodies[body_index];
        if (!proofs->cache->bodies[body_index].has_gaps || !body->body->self_collision) {
            continue;
        }
        struct rigid_block block = {.body_index = body_index};
        struct rigid_proof *rigid = entry->rigid;
        rigid->reference.shape = (const double(*)[3])body->body->reference;
        note_probes(rigid, body->xyz);
        /* The kept pose first: it is the later one, and what was deformed since the reference may be no probe. */
        struct kept_pose *kept = &rigid->pose;
        if (kept->valid && seems_rigid(proofs, &kept->rigid, kept->largest_clearance, body->xyz, &block.motion)) {
            block.reference = &kept->rigid;
            block.clearances = kept->clearances;
        } else if (seems_rigid(proofs, &rigid->reference, rigid->largest_clearance, body->xyz, &block.motion)) {
            block.reference = &rigid->reference;
            block.clearances = entry->gaps.clearances;
        }
        if (block.reference) {
            list_blocks(proofs, block);
        }
    }
    if (proofs->rigid_count > 0) {
        memset(proofs->piece_still, 0, proofs->cache->piece_count * sizeof *proofs->piece_still);
        dent_parallel_for(proofs->request->context, proofs->rigid_count, measure_block, proofs);
    }
    for (uint32_t first = 0; first < proofs->rigid_count;) {
        first = judge_body(proofs, first);
    }
}

/* ---- poses to keep --------------------------------------------------------------------------- */

/* Boxes with a margin each that are apart are twice the margin apart, less a rounding. */
#define PROVEN_CLEARANCE (2 * GAP_MARGIN * (1 - 0x1p-20f))

/* Proves pieces apart from all of their body, in the pose of this query. Returns how many are. */
static uint32_t prove_kept(const struct self_proofs *proofs, uint32_t body_index)
{
    struct cached_body *entry = proofs->cache->entries[body_index];
    uint32_t count = 0;
    if (!gaps_add_margin(proofs->snapshot, body_index)) {
        return 0;
    }
    for (uint32_t piece = 0; piece < entry->clusters.piece_count; piece++) {
        bool apart = gaps_keep_apart(&entry->gaps, proofs->snapshot, body_index, piece);
        entry->rigid->pose.clearances[piece] = apart ? PROVEN_CLEARANCE : 0;
        count += apart;
    }
    return count;
}

static void keep_pose(const struct self_proofs *proofs, uint32_t body_index)
{
    enum { LONGEST_WAIT = 255 };
    struct cached_body *entry = proofs->cache->entries[body_index];
    struct kept_pose *kept = &entry->rigid->pose;
    const struct body_snapshot *body = &proofs->request->snapshot->bodies[body_index];
    uint32_t proven = prove_kept(proofs, body_index);
    memcpy(kept->shape, body->xyz, body->body->vertex_count * sizeof *kept->shape);
    rigid_reference_set(&kept->rigid, body->body, (const double(*)[3])kept->shape, proofs->snapshot->scale);
    kept->largest_clearance = PROVEN_CLEARANCE;
    bool was_of_no_use = kept->valid;
    kept->valid = kept->rigid.usable && proven > 0;
    bool little = !kept->valid || was_of_no_use || 4 * (uint64_t)proven < entry->clusters.piece_count;
    kept->last_wait = !little ? 0 : kept->last_wait < LONGEST_WAIT ? 2 * kept->last_wait + 1 : LONGEST_WAIT;
    kept->wait = kept->last_wait;
}

void self_proofs_keep_poses(struct self_proofs *proofs)
{
    const uint32_t body_count = proofs->snapshot && some_have_gaps(proofs) ? proofs->cache->body_count : 0;
    for (uint32_t body_index = 0; body_index < body_count; body_index++) {
        const struct clustered_body *body = &proofs->cache->bodies[body_index];
        struct rigid_proof *rigid = proofs->cache->entries[body_index]->rigid;
        bool searched = body->rest_shapes && body->wants_stretches && !proofs->body_certified[body_index];
        if (!rigid || !searched || !rigid->pose.rests || proofs->body_has_still[body_index]) {
            continue;
        }
        struct kept_pose *kept = &rigid->pose;
        if (kept->wait > 0) {
            kept->wait--;
        } else {
            keep_pose(proofs, body_index);
        }
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

/* Questions about a pair that are left open, as bits. */
static uint32_t try_pair(const struct self_proofs *proofs, uint32_t body_index, uint32_t piece,
                         const struct gap_pair *pair, struct open_pair open[GAP_QUESTIONS])
{
    const struct clustered_body *body = &proofs->cache->bodies[body_index];
    const struct gap_reference *gaps = &proofs->cache->entries[body_index]->gaps;
    if (is_still(proofs, body, piece) || is_still(proofs, body, pair->piece) ||
        strains_clear(proofs, body_index, piece, pair->piece)) {
        return 0;
    }
    if (body->cluster_count == 1) {
        memset(open, 0xFF, GAP_QUESTIONS * sizeof *open);
        bool proven = gaps_prove_own(gaps, proofs->snapshot->strains + body->first_piece, piece) & 1;
        return proven ? 0 : proofs->questions;
    }
    return gaps_clear_pair(gaps, proofs->snapshot, body_index, piece, pair, 0, proofs->questions, open);
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
            proofs->pair_open[slot] =
                (uint8_t)try_pair(proofs, body_index, piece, &gaps->pairs[i], proofs->open_pairs[slot]);
        }
    }
}

void self_proofs_try_gaps(struct self_proofs *proofs, const struct cluster_snapshot *snapshot)
{
    bool any = false;
    proofs->snapshot = snapshot;
    const uint32_t body_count = some_have_gaps(proofs) ? proofs->cache->body_count : 0;
    for (uint32_t body_index = 0; body_index < body_count; body_index++) {
        const struct clustered_body *body = &proofs->cache->bodies[body_index];
        any = any || (body->rest_shapes && body->wants_stretches && !proofs->body_certified[body_index]);
    }
    if (any) {
        dent_parallel_for(proofs->request->context, proofs->cache->group_count, try_gaps_of_block, proofs);
    }
}

bool self_proofs_look_up(const struct self_proofs *proofs, dent_question question, uint32_t body_index,
                         uint32_t piece_b, uint32_t piece_a, const uint16_t **open)
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
    const int asked = question == DENT_QUESTION_FACE_CELL ? GAPS_OF_FACES : GAPS_OF_VERTICES;
    const struct open_pair *left = &proofs->open_pairs[slot][asked];
    *open = piece_b <= piece_a ? left->rows : left->columns;
    return !(proofs->pair_open[slot] >> asked & 1);
}
