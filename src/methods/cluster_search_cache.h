/* The clusters of all bodies of a world, kept from query to query and renewed for the bodies whose connectivity is new.
 *
 * A body is recognised by the base of its identities, which is never given twice. Where vertices of different bodies
 * are tied, every cluster also has numbers for its vertices that are equal iff the vertices are the same.
 */
#ifndef DENT_METHODS_CLUSTER_SEARCH_CACHE_H
#define DENT_METHODS_CLUSTER_SEARCH_CACHE_H

#include "structures/clusters/cluster_snapshot.h"
#include "proofs/gap_certificate.h"
#include "proofs/rigid_certificate.h"
#include "proofs/strain_certificate.h"

enum { RIGID_BLOCK_VERTICES = 2048, REST_PROBES = 32 };

/* A pose in which pieces of a body were proven apart from all of it, and by how much. Taken when the body, deformed, comes
 * to rest or moves as a whole: as long as it does, that proof is good (rigid_certificate.h). */
struct kept_pose {
    bool valid;
    struct rigid_reference rigid;
    double (*shape)[3]; /* where the vertices were */
    float *clearances;  /* by piece */
    float largest_clearance;
    double probes[REST_PROBES][3]; /* some vertices in the query before; they tell whether it rests */
    bool has_probes, rests;
    uint32_t wait, last_wait; /* queries until the next pose is tried, after one that proved little */
};

/* What recognises a body that moved as a whole. */
struct rigid_proof {
    struct rigid_reference reference; /* of the body's own reference shape */
    float largest_clearance;          /* of its pieces */
    struct kept_pose pose;
};

/* One body. Solids have room for a reference shape; it is set from the body's own when it has one. */
struct cached_body {
    uint64_t identity_base;
    bool kept;          /* during an update: the old cache and the new one both have it */
    bool own_reference; /* the reference is the body's own, and of use; otherwise snapshots found free are tried */
    uint32_t wait, last_wait; /* queries until the next of them, or the reference after a failure, is tried */
    struct body_clusters clusters;
    struct strain_reference reference;
    struct gap_reference gaps; /* of a body whose own reference is not convex */
    struct rigid_proof *rigid; /* of the same body; null: it has no gaps of use. Apart, since swarms have none */
    bool asked_before;         /* about itself, where gaps may help */
};

struct cluster_cache {
    dent_context *context;
    uint64_t version; /* of the body table these were made for */
    bool valid;
    uint32_t body_count;
    struct cached_body **entries;  /* by body index */
    struct clustered_body *bodies; /* by body index */
    uint32_t cluster_count, piece_count, group_count;
    uint32_t piece_boxes_count, group_boxes_count, range_count;
    uint32_t gap_pair_count;    /* of all bodies */
    uint32_t rigid_block_count; /* of RIGID_BLOCK_VERTICES vertices, of bodies with gaps */
    bool one_piece_each;        /* every body has just one */
    uint32_t *body_of_cluster, *body_of_piece, *body_of_group; /* body indices */
    uint8_t (*doubles_left)[2]; /* by cluster, for vertex-cell and face-cell: in how many more queries its cells are
                                   compared in doubles. Written by the search */
    uint32_t (
        *identities)[CLUSTER_VERTICES]; /* by cluster; null: no ties, the vertices' own numbers will do within a body */
};

void cluster_cache_init(struct cluster_cache *cache, dent_context *context);
void cluster_cache_destroy(struct cluster_cache *cache);

/* Makes the cache fit the snapshot. *built: how many bodies were cut anew. OUT_OF_MEMORY or TOO_LARGE: the cache is as it
 * was, or empty. */
dent_status cluster_cache_update(struct cluster_cache *cache, const struct snapshot *snapshot, uint64_t *built,
                                 struct message *message);

/* To be called when the reference of a body has changed. */
void cluster_cache_note_reference(struct cluster_cache *cache, uint32_t body_index);

/* Numbers of the vertices of a cluster (world numbering), to compare with those of another cluster. */
static inline const uint32_t *cluster_identities(const struct cluster_cache *cache, uint32_t number,
                                                 const struct cluster *cluster)
{
    return cache->identities ? cache->identities[number] : cluster->vertices;
}

#endif
