/* Certificates of the cluster search: which bodies are tried, what is proven, and what is tried next time. See
 * cluster_search_state.h.
 *
 * Contact of a body with itself is first tried to be proven away by the strain certificate (strain_certificate.h), from
 * the body's reference shape or, when it has none, from the last snapshot that a search found free; then by gaps
 * (cluster_search_self.h). What proves too little is not tried again at once.
 */
#include "methods/cluster_search_state.h"

/* ---- preparation ----------------------------------------------------------------------------- */

static bool find_matrix(const struct cluster_search *search, uint32_t body_index)
{
    return strain_body_matrix(&search->cache->entries[body_index]->reference,
                              (const double(*)[9])search->snapshot.strain_sums +
                                  search->snapshot.bodies[body_index].first_piece,
                              search->body_matrices[body_index]);
}

/* A body of one piece, whose strains are known as soon as it is filled. */
static void certify_small_body(const struct cluster_search *search, uint32_t body_index)
{
    const struct clustered_body *body = &search->snapshot.bodies[body_index];
    search->body_certified[body_index] =
        find_matrix(search, body_index) &&
        strain_group_agrees(&search->cache->entries[body_index]->reference, search->snapshot.kernels,
                            search->snapshot.strains + body->first_piece, 0, search->body_matrices[body_index]);
}

void cluster_search_fill_block(void *data, uint32_t block, uint32_t worker)
{
    (void)worker;
    const struct cluster_search *search = data;
    uint32_t first = block * search->pieces_per_block;
    for (uint32_t piece = first; piece < search->snapshot.piece_count && piece - first < search->pieces_per_block;
         piece++) {
        cluster_snapshot_fill_piece(&search->snapshot, piece);
        uint32_t body_index = search->snapshot.body_of_piece[piece];
        const struct clustered_body *body = &search->snapshot.bodies[body_index];
        if (body->piece_count == 1 && body->rest_shapes && body->wants_sums) {
            certify_small_body(search, body_index);
        }
    }
}

/* ---- the certificate ------------------------------------------------------------------------- */

/* A block is a group of pieces. One that does not agree refutes its body. */
static void certify_whole_block(void *data, uint32_t block, uint32_t worker)
{
    (void)worker;
    const struct cluster_search *search = data;
    uint32_t body_index = search->cache->body_of_group[block];
    const struct clustered_body *body = &search->snapshot.bodies[body_index];
    if (body->piece_count > 1 && __atomic_load_n(&search->body_certified[body_index], __ATOMIC_RELAXED) &&
        !strain_group_agrees(&search->cache->entries[body_index]->reference, search->snapshot.kernels,
                             search->snapshot.strains + body->first_piece, block - body->first_group,
                             search->body_matrices[body_index])) {
        __atomic_store_n(&search->body_certified[body_index], false, __ATOMIC_RELAXED);
    }
}

/* The pieces of a group: together, else one by one. */
static void certify_block(void *data, uint32_t block, uint32_t worker)
{
    (void)worker;
    const struct cluster_search *search = data;
    uint32_t body_index = search->cache->body_of_group[block];
    const struct clustered_body *body = &search->snapshot.bodies[body_index];
    uint32_t group = block - body->first_group, first = group * PIECE_CLUSTERS;
    if (!body->rest_shapes || search->body_certified[body_index] ||
        !search->cache->entries[body_index]->reference.usable || search->proofs.body_has_still[body_index]) {
        return; /* what covers a piece needs strains everywhere */
    }
    const struct strain_reference *reference = &search->cache->entries[body_index]->reference;
    const struct piece_strain *strains = search->snapshot.strains + body->first_piece;
    bool all = strain_certifies_group(reference, search->snapshot.kernels, strains, group);
    for (uint32_t piece = first; piece < body->clusters->piece_count && piece - first < PIECE_CLUSTERS; piece++) {
        search->piece_certified[body->first_piece + piece] =
            all || strain_certifies_piece(reference, search->snapshot.kernels, strains, piece);
    }
}

/* Whole bodies, then the pieces of those that fail and have more than one. */
void cluster_search_certify(struct cluster_search *search)
{
    uint32_t bodies = search->request->snapshot->body_count;
    bool any = false, any_left = false;
    for (uint32_t body_index = 0; search->tries_strains && body_index < bodies; body_index++) {
        const struct clustered_body *body = &search->snapshot.bodies[body_index];
        if (body->piece_count > 1 && body->rest_shapes && find_matrix(search, body_index)) {
            search->body_certified[body_index] = any = true; /* until a group refutes it */
        }
    }
    if (any) {
        dent_parallel_for(search->request->context, search->cache->group_count, certify_whole_block, search);
    }
    for (uint32_t body_index = 0; body_index < bodies; body_index++) {
        const struct clustered_body *body = &search->snapshot.bodies[body_index];
        search->request->counters->certified_bodies += search->body_certified[body_index];
        any_left =
            any_left || (body->rest_shapes && !search->body_certified[body_index] && body->clusters->piece_count > 1);
    }
    if (any_left) {
        dent_parallel_for(search->request->context, search->cache->group_count, certify_block, search);
    }
    self_proofs_try_gaps(&search->proofs, &search->snapshot);
}

static float largest_clearance(const struct gap_reference *gaps)
{
    float most = 0;
    for (uint32_t piece = 0; piece < gaps->clusters->piece_count; piece++) {
        most = gaps->clearances[piece] > most ? gaps->clearances[piece] : most;
    }
    return most;
}

/* Gaps take long to compute and pay off within some hundred queries, so a body has to be asked about twice. */
static void complete_gaps(struct cluster_search *search, struct cluster_cache *cache, uint32_t body_index)
{
    struct cached_body *entry = cache->entries[body_index];
    const struct body *body = search->request->snapshot->bodies[body_index].body;
    bool wanted = entry->gaps.usable && !entry->gaps.complete;
    if (wanted && !search->gap_rooms) { /* the first time too: the second query allocates nothing */
        search->gap_rooms = arena_allocate(search->request->scratch,
                                           dent_context_worker_count(search->request->context), gap_room_size());
    }
    if (wanted && search->gap_rooms && entry->asked_before) {
        gap_reference_complete(&entry->gaps, body, (const double(*)[3])body->reference, search->gap_rooms);
        entry->rigid->largest_clearance = largest_clearance(&entry->gaps);
        cluster_cache_note_reference(cache, body_index);
    }
    entry->asked_before = true;
}

void cluster_search_choose_references(struct cluster_search *search, struct cluster_cache *cache)
{
    for (uint32_t body_index = 0; body_index < cache->body_count; body_index++) {
        const struct body *body = search->request->snapshot->bodies[body_index].body,
                          *first = search->request->snapshot->bodies[0].body;
        search->has_filters |= body->excluded || body->collision_group != first->collision_group ||
                               body->collision_mask != first->collision_mask ||
                               !(body->collision_group & body->collision_mask);
        struct clustered_body *clustered = &cache->bodies[body_index];
        /* The vertices of a single cluster are compared with its own cells in less time than its strain takes. */
        bool worth_it = clustered->cluster_count > 1 || search->request->questions & DENT_QUESTION_FACE_CELL;
        search->snapshot.may_want_strains |= worth_it;
        bool wanted = search->certify && worth_it && clustered->has_reference && body->self_collision &&
                      !search->body_certified[body_index];
        search->may_adopt |= !clustered->own_reference;
        if (wanted && clustered->own_reference && cache->entries[body_index]->wait > 0 &&
            !search->request->proofs->try_again) {
            cache->entries[body_index]->wait--;
            wanted = false;
        }
        if (wanted && !clustered->has_gaps) {
            complete_gaps(search, cache, body_index);
            wanted = cache->entries[body_index]->reference.usable || clustered->has_gaps;
        }
        clustered->rest_shapes = wanted ? cache->entries[body_index]->reference.rest_shapes : NULL;
        clustered->wants_stretches = wanted && clustered->has_gaps;
        clustered->wants_sums = wanted && cache->entries[body_index]->reference.convex;
        search->snapshot.wants_strains = search->snapshot.wants_strains || wanted;
    }
    search->tries_strains = search->snapshot.wants_strains;
}

/* How many pieces of a body are certified. */
static uint32_t certified_pieces(const struct cluster_search *search, uint32_t body_index)
{
    const struct clustered_body *body = &search->snapshot.bodies[body_index];
    uint32_t count = search->body_certified[body_index] ? body->clusters->piece_count : 0;
    for (uint32_t piece = 0; piece < body->clusters->piece_count && !search->body_certified[body_index]; piece++) {
        count += search->piece_certified[body->first_piece + piece];
    }
    return count;
}

/* How many clusters of a body are certified against themselves; most of these are against their neighbours, too. */
static uint32_t certified_clusters(const struct cluster_search *search, uint32_t body_index)
{
    const struct clustered_body *body = &search->snapshot.bodies[body_index];
    uint32_t count = 0;
    for (uint32_t piece = 0; body->wants_stretches && piece < body->clusters->piece_count; piece++) {
        count += (uint32_t)__builtin_popcount(gaps_prove_own(&search->cache->entries[body_index]->gaps,
                                                             search->snapshot.strains + body->first_piece, piece));
    }
    return count;
}

/* Bodies of which too little could be certified to be worth it are not tried again at once; the wait doubles up to
 * LONGEST_REST. */
static void back_off_certificates(struct cluster_search *search, struct cluster_cache *cache)
{
    enum { LONGEST_REST = 15 };
    for (uint32_t body_index = 0; search->tries_strains && body_index < cache->body_count; body_index++) {
        struct cached_body *entry = cache->entries[body_index];
        bool too_early = entry->gaps.usable && !entry->gaps.complete;
        if (!entry->own_reference || !cache->bodies[body_index].rest_shapes || too_early ||
            search->proofs.body_has_still[body_index]) {
            continue;
        }
        const struct body_clusters *clusters = cache->bodies[body_index].clusters;
        bool failed = 4 * (uint64_t)certified_pieces(search, body_index) < clusters->piece_count &&
                      4 * (uint64_t)certified_clusters(search, body_index) < clusters->cluster_count;
        entry->last_wait = !failed ? 0 : entry->last_wait < LONGEST_REST ? 2 * entry->last_wait + 1 : LONGEST_REST;
        entry->wait = entry->last_wait;
    }
}

/* Cells of the bodies whose own reference proved too little in the last two tries. */
static void report_proofs(const struct cluster_search *search, const struct cluster_cache *cache)
{
    struct proof_report *proofs = search->request->proofs;
    proofs->known = search->certify;
    for (uint32_t body_index = 0; search->certify && body_index < cache->body_count; body_index++) {
        const struct cached_body *entry = cache->entries[body_index];
        bool failing = entry->own_reference && entry->last_wait > 1;
        proofs->unproven_cells += failing ? cache->bodies[body_index].cell_count : 0;
    }
}

/* Bodies without a usable reference of their own that were searched and seem free, while nothing could be certified:
 * their snapshot becomes the reference. Whether anything can be proven with it is found out there; the next try waits twice
 * as long. */
static void adopt_free_poses(struct cluster_search *search, struct cluster_cache *cache)
{
    enum { LONGEST_WAIT = 1024 };
    for (uint32_t body_index = 0; search->certify && search->may_adopt && body_index < cache->body_count;
         body_index++) {
        struct cached_body *entry = cache->entries[body_index];
        const struct body_snapshot *body_snapshot = &search->request->snapshot->bodies[body_index];
        if (!body_has_cells(body_snapshot->body) || !body_snapshot->body->self_collision || entry->own_reference ||
            search->met_itself[body_index] || certified_pieces(search, body_index) > 0) {
            continue;
        }
        if (entry->wait > 0) {
            entry->wait--;
            continue;
        }
        strain_reference_set(&entry->reference, body_snapshot->body, body_snapshot->xyz);
        cluster_cache_note_reference(cache, body_index);
        entry->last_wait = entry->last_wait < LONGEST_WAIT ? 2 * entry->last_wait + 1 : LONGEST_WAIT;
        entry->wait = entry->last_wait;
    }
}

void cluster_search_learn(struct cluster_search *search, struct cluster_cache *cache)
{
    back_off_certificates(search, cache);
    report_proofs(search, cache);
    self_proofs_keep_poses(&search->proofs);
    adopt_free_poses(search, cache);
}
