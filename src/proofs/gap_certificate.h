/* The gap certificate: clusters close to each other in the reference that certainly have no contact now.
 *
 * Let X and Z be points of a body in the reference, x and z where they are now, and let x = g X + r with some matrix g
 * and a residual r. Then |x - z| >= s |X - Z| - |r(X) - r(Z)|, where s is the smallest factor by which g stretches. So
 * features that are at least `gap` apart in the reference are apart now wherever the residual varies by less than s *
 * gap. Features that share a vertex are never asked about, so the gap between two clusters is that between the others:
 * about the height of a cell for neighbours. It is computed once. Per query a cluster has its g, its centre and a bound
 * of its residual (cluster_kernels.h: piece_strain), and two clusters are compared without looking at a vertex again
 * (kernels: apart).
 *
 * Nothing is asked of the reference: it may be of any shape, overlap itself, or be a lie. The body need not be convex,
 * and no path from X to Z is needed, which is what the strain certificate lacks in thin bodies. In turn this one proves
 * only pairs of clusters that are close in the reference; all others are searched.
 *
 * A gap is a lower bound: the extent of the empty slab between two features along some direction, minus the roundings
 * (1e-14 where coordinates are at most 1). Any direction gives a true bound; the one between the closest points the
 * best.
 */
#ifndef DENT_PROOFS_GAP_CERTIFICATE_H
#define DENT_PROOFS_GAP_CERTIFICATE_H

#include "structures/clusters/tet_clusters.h"

struct gap_reference {
    dent_context *context;
    const struct body_clusters *clusters;
    bool usable;
    bool complete;                  /* the gaps are known; before, nothing is proven */
    struct piece_rest *rest_shapes; /* by piece */
    uint32_t *first;                /* by cluster, and the end: its slots in the next two */
    uint32_t near_count;            /* pairs of a cluster and a piece that has clusters close to it */
    uint32_t *pieces;               /* by pair: the piece */
    float (*gaps)[PIECE_CLUSTERS];  /* by pair: to the clusters of that piece; 0: unknown */
};

/* Memory, and which clusters are close. False when memory runs out; nothing is left behind then. */
bool gap_reference_create(struct gap_reference *reference, dent_context *context, const struct body *body,
                          const struct body_clusters *clusters, const double (*shape)[3]);
void gap_reference_destroy(struct gap_reference *reference);

/* Computes the gaps of the same shape, in parallel, without further memory: some microseconds a cell, which is why it
 * is left until the body is asked about a second time. `rooms`: gap_room_size() bytes for every worker (60 kB: too much
 * for a stack). */
void gap_reference_complete(struct gap_reference *reference, const struct body *body, const double (*shape)[3],
                            void *rooms);
size_t gap_room_size(void);

/* Clusters of a piece that have no contact with themselves. */
uint32_t gaps_prove_own(const struct gap_reference *reference, const struct piece_strain *strains, uint32_t piece);

/* Clusters of piece_a that have no contact with a cluster (of the body), which is `slot` of piece_b. */
uint32_t gaps_prove(const struct gap_reference *reference, const struct cluster_kernels *kernels,
                    const struct piece_strain *strains, uint32_t piece_b, uint32_t slot, uint32_t piece_a);

#endif
