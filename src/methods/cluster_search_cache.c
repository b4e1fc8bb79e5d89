/* Clusters kept between queries. See cluster_search_cache.h. */
#include "methods/cluster_search_cache.h"

#include <string.h>

#include "base/allocator.h"
#include "base/radix_sort.h"
#include "bodies/shared_mesh.h"

void cluster_cache_init(struct cluster_cache *cache, dent_context *context)
{
    *cache = (struct cluster_cache){.context = context};
}

static void destroy_rigid(dent_context *context, const struct cached_body *entry)
{
    struct rigid_proof *rigid = entry->rigid;
    if (rigid) {
        dent_release(context, rigid->pose.shape, rigid->reference.vertex_count, sizeof *rigid->pose.shape);
        dent_release(context, rigid->pose.clearances, entry->clusters.piece_count, sizeof *rigid->pose.clearances);
        dent_release(context, rigid, 1, sizeof *rigid);
    }
}

static void destroy_entry(dent_context *context, struct cached_body *entry)
{
    if (entry) {
        destroy_rigid(context, entry);
        gap_reference_destroy(&entry->gaps);
        strain_reference_destroy(&entry->reference);
        body_clusters_destroy(&entry->clusters);
        dent_release(context, entry, 1, sizeof *entry);
    }
}

void cluster_cache_destroy(struct cluster_cache *cache)
{
    dent_context *context = cache->context;
    for (uint32_t body_index = 0; cache->entries && body_index < cache->body_count; body_index++) {
        destroy_entry(context, cache->entries[body_index]);
    }
    dent_release(context, cache->entries, cache->body_count, sizeof *cache->entries);
    dent_release(context, cache->bodies, cache->body_count, sizeof *cache->bodies);
    dent_release(context, cache->body_of_cluster, cache->cluster_count, sizeof *cache->body_of_cluster);
    dent_release(context, cache->body_of_piece, cache->piece_count, sizeof *cache->body_of_piece);
    dent_release(context, cache->body_of_group, cache->group_count, sizeof *cache->body_of_group);
    dent_release(context, cache->identities, cache->cluster_count, sizeof *cache->identities);
    dent_release(context, cache->doubles_left, cache->cluster_count, sizeof *cache->doubles_left);
    cluster_cache_init(cache, context);
}

/* What recognises motion as a whole, and room for a pose to be kept. */
static bool create_rigid(struct cached_body *entry, dent_context *context, const struct body *body,
                         const double (*shape)[3])
{
    struct rigid_proof *rigid = entry->rigid = dent_allocate(context, 1, sizeof *entry->rigid);
    if (!rigid) {
        return false;
    }
    *rigid = (struct rigid_proof){.largest_clearance = 0};
    rigid_reference_set(&rigid->reference, body, shape, entry->gaps.scale);
    rigid->pose.shape = dent_allocate(context, body->vertex_count, sizeof *rigid->pose.shape);
    rigid->pose.clearances = dent_allocate(context, entry->clusters.piece_count, sizeof *rigid->pose.clearances);
    return rigid->pose.shape && rigid->pose.clearances;
}

/* `lender`: an entry of a body with the same mesh, or null. */
static struct cached_body *create_entry(dent_context *context, const struct body_snapshot *body_snapshot,
                                        struct cached_body *lender)
{
    const struct body *body = body_snapshot->body;
    struct cached_body *entry = dent_allocate(context, 1, sizeof *entry);
    if (!entry) {
        return NULL;
    }
    *entry = (struct cached_body){.identity_base = body->identity_base};
    const double(*shape)[3] = body->reference ? (const double(*)[3])body->reference : body_snapshot->xyz;
    bool solid = body_has_cells(body);
    entry->clusters.context = entry->reference.context = entry->gaps.context = context;
    bool cut = body_clusters_create(&entry->clusters, context, body, shape);
    if (cut && lender) {
        body_clusters_share(&entry->clusters, &lender->clusters);
    }
    if (!cut || (solid && !strain_reference_create(&entry->reference, context, &entry->clusters))) {
        destroy_entry(context, entry);
        return NULL;
    }
    if (solid && body->reference) {
        strain_reference_set(&entry->reference, body, shape);
        if (!entry->reference.convex && !gap_reference_create(&entry->gaps, context, body, &entry->clusters, shape)) {
            destroy_entry(context, entry);
            return NULL;
        }
        entry->own_reference = entry->reference.usable || entry->gaps.usable;
        if (entry->gaps.usable && !create_rigid(entry, context, body, shape)) {
            destroy_entry(context, entry);
            return NULL;
        }
    }
    return entry;
}

/* The last entry for each of some meshes that bodies share, for the next body with that mesh. */
struct mesh_entries {
    const uint32_t *corners[SHARED_MESHES];
    struct cached_body *entries[SHARED_MESHES];
};

static struct cached_body *find_lender(const struct mesh_entries *known, const struct body *body)
{
    uint32_t slot = (uint32_t)((uintptr_t)body->element_corners / ALLOCATION_ALIGNMENT % SHARED_MESHES);
    return body->next_sharer && known->corners[slot] == body->element_corners ? known->entries[slot] : NULL;
}

static void note_lender(struct mesh_entries *known, const struct body *body, struct cached_body *entry)
{
    uint32_t slot = (uint32_t)((uintptr_t)body->element_corners / ALLOCATION_ALIGNMENT % SHARED_MESHES);
    if (body->next_sharer) {
        known->corners[slot] = body->element_corners;
        known->entries[slot] = entry;
    }
}

/* Bodies keep their order, so a search for the old entry begins behind the last one found. A body that is new looks
 * through all the rest, which is the price of a change, not of a query. */
static bool fill_entries(struct cluster_cache *fresh, struct cluster_cache *old, const struct snapshot *snapshot,
                         uint64_t *built)
{
    uint32_t next = 0;
    struct mesh_entries known = {.corners = {NULL}};
    for (uint32_t body_index = 0; body_index < snapshot->body_count; body_index++) {
        const struct body *body = snapshot->bodies[body_index].body;
        uint64_t base = body->identity_base;
        uint32_t match = next;
        while (match < old->body_count && old->entries[match] && old->entries[match]->identity_base != base) {
            match++;
        }
        if (match < old->body_count && old->entries[match]) {
            fresh->entries[body_index] = old->entries[match];
            fresh->entries[body_index]->kept = true;
            note_lender(&known, body, fresh->entries[body_index]);
            next = match + 1;
            continue;
        }
        fresh->entries[body_index] =
            create_entry(fresh->context, &snapshot->bodies[body_index], find_lender(&known, body));
        if (!fresh->entries[body_index]) {
            return false;
        }
        note_lender(&known, body, fresh->entries[body_index]);
        ++*built;
    }
    return true;
}

/* Takes the entries that both caches have out of this one. */
static void leave_kept_entries(struct cluster_cache *cache)
{
    for (uint32_t body_index = 0; cache->entries && body_index < cache->body_count; body_index++) {
        if (cache->entries[body_index] && cache->entries[body_index]->kept) {
            cache->entries[body_index] = NULL;
        }
    }
}

static void forget_kept(struct cluster_cache *cache)
{
    for (uint32_t body_index = 0; cache->entries && body_index < cache->body_count; body_index++) {
        cache->entries[body_index]->kept = false;
    }
}

void cluster_cache_note_reference(struct cluster_cache *cache, uint32_t body_index)
{
    const struct cached_body *entry = cache->entries[body_index];
    cache->bodies[body_index].has_reference = entry->reference.usable || entry->gaps.usable;
    cache->bodies[body_index].has_gaps = entry->gaps.complete;
    cache->bodies[body_index].own_reference = entry->own_reference;
}

static uint32_t rigid_block_count(const struct cached_body *entry)
{
    uint64_t vertices = entry->rigid ? entry->rigid->reference.vertex_count : 0;
    return (uint32_t)((vertices + RIGID_BLOCK_VERTICES - 1) / RIGID_BLOCK_VERTICES);
}

static dent_status number_bodies(struct cluster_cache *cache)
{
    uint64_t clusters = 0, pieces = 0, groups = 0, piece_boxes = 0, group_boxes = 0, ranges = 0;
    uint64_t gap_pairs = 0, rigid_blocks = 0;
    cache->one_piece_each = true;
    for (uint32_t body_index = 0; body_index < cache->body_count; body_index++) {
        const struct body_clusters *body = &cache->entries[body_index]->clusters;
        uint32_t group_count = (body->piece_count + PIECE_CLUSTERS - 1) / PIECE_CLUSTERS;
        uint32_t group_boxes_count = body->piece_count > 1 ? group_count : 0;
        uint32_t range_count = (group_boxes_count + PIECE_CLUSTERS - 1) / PIECE_CLUSTERS;
        cache->bodies[body_index] = (struct clustered_body){
            .clusters = body,
            .list = body->clusters,
            .corners = body->corners,
            .pieces = body->pieces,
            .cluster_count = body->cluster_count,
            .piece_count = body->piece_count,
            .cell_count = body->cell_count,
            .first_cluster = (uint32_t)clusters,
            .first_piece = (uint32_t)pieces,
            .first_group = (uint32_t)groups,
            .group_count = group_count,
            .first_piece_boxes = (uint32_t)piece_boxes,
            .first_group_boxes = (uint32_t)group_boxes,
            .first_range = (uint32_t)ranges,
            .range_count = range_count,
            .first_gap_pair = (uint32_t)gap_pairs,
        };
        cluster_cache_note_reference(cache, body_index);
        cache->one_piece_each = cache->one_piece_each && body->piece_count == 1;
        clusters += body->cluster_count;
        pieces += body->piece_count;
        groups += group_count;
        piece_boxes += body->cluster_count > 1 ? body->piece_count : 0;
        group_boxes += group_boxes_count;
        ranges += range_count;
        gap_pairs += cache->entries[body_index]->gaps.pair_count;
        rigid_blocks += rigid_block_count(cache->entries[body_index]);
    }
    if (clusters >= UINT32_MAX || gap_pairs >= UINT32_MAX) {
        return DENT_ERROR_TOO_LARGE;
    }
    cache->cluster_count = (uint32_t)clusters;
    cache->piece_count = (uint32_t)pieces;
    cache->group_count = (uint32_t)groups;
    cache->piece_boxes_count = (uint32_t)piece_boxes;
    cache->group_boxes_count = (uint32_t)group_boxes;
    cache->range_count = (uint32_t)ranges;
    cache->gap_pair_count = (uint32_t)gap_pairs;
    cache->rigid_block_count = (uint32_t)rigid_blocks;
    return DENT_OK;
}

static dent_status note_bodies(struct cluster_cache *cache)
{
    cache->body_of_cluster = dent_allocate(cache->context, cache->cluster_count, sizeof *cache->body_of_cluster);
    cache->body_of_piece = dent_allocate(cache->context, cache->piece_count, sizeof *cache->body_of_piece);
    cache->body_of_group = dent_allocate(cache->context, cache->group_count, sizeof *cache->body_of_group);
    cache->doubles_left = dent_allocate(cache->context, cache->cluster_count, sizeof *cache->doubles_left);
    if (!cache->body_of_cluster || !cache->body_of_piece || !cache->body_of_group || !cache->doubles_left) {
        return DENT_ERROR_OUT_OF_MEMORY;
    }
    memset(cache->doubles_left, 0, cache->cluster_count * sizeof *cache->doubles_left);
    for (uint32_t body_index = 0; body_index < cache->body_count; body_index++) {
        const struct clustered_body *body = &cache->bodies[body_index];
        for (uint32_t cluster = 0; cluster < body->clusters->cluster_count; cluster++) {
            cache->body_of_cluster[body->first_cluster + cluster] = body_index;
        }
        for (uint32_t piece = 0; piece < body->clusters->piece_count; piece++) {
            cache->body_of_piece[body->first_piece + piece] = body_index;
        }
        for (uint32_t group = 0; group < body->group_count; group++) {
            cache->body_of_group[body->first_group + group] = body_index;
        }
    }
    return DENT_OK;
}

/* ---- ties ------------------------------------------------------------------------------------ */

/* Gives equal keys equal numbers. */
static void number_equal_keys(const uint64_t *keys, const uint32_t *order, size_t count,
                              uint32_t (*identities)[CLUSTER_VERTICES])
{
    uint32_t number = 0;
    for (size_t i = 0; i < count; i++) {
        number += i > 0 && keys[i] != keys[i - 1];
        identities[order[i] / CLUSTER_VERTICES][order[i] % CLUSTER_VERTICES] = number;
    }
}

static dent_status number_identities(struct cluster_cache *cache, const struct snapshot *snapshot)
{
    bool tied = false;
    for (uint32_t body_index = 0; body_index < snapshot->body_count; body_index++) {
        tied = tied || snapshot->bodies[body_index].body->identities;
    }
    if (!tied) {
        return DENT_OK;
    }
    size_t count = (size_t)cache->cluster_count * CLUSTER_VERTICES;
    if (count >= UINT32_MAX) {
        return DENT_ERROR_TOO_LARGE;
    }
    cache->identities = dent_allocate(cache->context, cache->cluster_count, sizeof *cache->identities);
    uint64_t *keys = dent_allocate(cache->context, count, 2 * sizeof *keys);
    uint32_t *order = dent_allocate(cache->context, count, 2 * sizeof *order);
    bool enough = cache->identities && keys && order;
    for (uint32_t body_index = 0; enough && body_index < snapshot->body_count; body_index++) {
        const struct clustered_body *clustered = &cache->bodies[body_index];
        for (uint32_t cluster = 0; cluster < clustered->clusters->cluster_count; cluster++) {
            for (uint32_t k = 0; k < CLUSTER_VERTICES; k++) {
                size_t slot = (size_t)(clustered->first_cluster + cluster) * CLUSTER_VERTICES + k;
                keys[slot] = body_identity(snapshot->bodies[body_index].body,
                                           clustered->clusters->clusters[cluster].vertices[k]);
                order[slot] = (uint32_t)slot;
            }
        }
    }
    if (enough) {
        radix_sort_u64(keys, order, keys + count, order + count, count);
        number_equal_keys(keys, order, count, cache->identities);
    }
    dent_release(cache->context, keys, count, 2 * sizeof *keys);
    dent_release(cache->context, order, count, 2 * sizeof *order);
    return enough ? DENT_OK : DENT_ERROR_OUT_OF_MEMORY;
}

/* ---- update ---------------------------------------------------------------------------------- */

/* Bodies that both caches have, in the same order, go on with the numbers their clusters were compared in. */
static void keep_doubles_left(struct cluster_cache *fresh, const struct cluster_cache *old)
{
    uint32_t match = 0;
    for (uint32_t body_index = 0; body_index < fresh->body_count; body_index++) {
        if (fresh->entries[body_index]->kept) {
            while (old->entries[match] != fresh->entries[body_index]) {
                match++;
            }
            memcpy(fresh->doubles_left + fresh->bodies[body_index].first_cluster,
                   old->doubles_left + old->bodies[match].first_cluster,
                   fresh->bodies[body_index].cluster_count * sizeof *fresh->doubles_left);
        }
    }
}

static dent_status build(struct cluster_cache *fresh, struct cluster_cache *old, const struct snapshot *snapshot,
                         uint64_t *built)
{
    fresh->body_count = snapshot->body_count;
    fresh->entries = dent_allocate(fresh->context, fresh->body_count, sizeof *fresh->entries);
    fresh->bodies = dent_allocate(fresh->context, fresh->body_count, sizeof *fresh->bodies);
    if (fresh->entries) {
        memset(fresh->entries, 0, fresh->body_count * sizeof *fresh->entries);
    }
    if (!fresh->entries || !fresh->bodies || !fill_entries(fresh, old, snapshot, built)) {
        return DENT_ERROR_OUT_OF_MEMORY;
    }
    dent_status status = number_bodies(fresh);
    status = status == DENT_OK ? note_bodies(fresh) : status;
    return status == DENT_OK ? number_identities(fresh, snapshot) : status;
}

dent_status cluster_cache_update(struct cluster_cache *cache, const struct snapshot *snapshot, uint64_t *built,
                                 struct message *message)
{
    *built = 0;
    if (cache->valid && cache->version == snapshot->table->topology_version) {
        return DENT_OK;
    }
    struct cluster_cache fresh;
    cluster_cache_init(&fresh, cache->context);
    dent_status status = build(&fresh, cache, snapshot, built);
    if (status != DENT_OK) {
        leave_kept_entries(&fresh);
        cluster_cache_destroy(&fresh);
        forget_kept(cache);
        return message_fail(message, status,
                            status == DENT_ERROR_TOO_LARGE ? "the world has too many cells for the cluster search"
                                                           : "out of memory for the clusters of the bodies");
    }
    keep_doubles_left(&fresh, cache);
    leave_kept_entries(cache);
    cluster_cache_destroy(cache);
    forget_kept(&fresh);
    fresh.version = snapshot->table->topology_version;
    fresh.valid = true;
    *cache = fresh;
    return DENT_OK;
}
