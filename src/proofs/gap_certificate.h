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
 * and no path from X to Z is needed, which is what the strain certificate lacks in thin bodies.
 *
 * Clusters farther apart have gaps too: that of their boxes. So for every piece a clearance is known, a distance that none
 * of its features comes closer to any other of the body (rigid_certificate.h).
 *
 * Gaps are kept by pairs of pieces, and a pair of clusters once, with a gap for every question and direction: vertices
 * keep farther from cells than faces do. It is about what the search compares there: faces, and vertices that the one
 * cluster owns and the other has not. A vertex that a cluster
 * has, owned or not, is compared with its cells within the cluster itself. So the many vertices that neighbours have in
 * common do not make their gaps small.
 *
 * A gap is a lower bound: the extent of the empty slab between two features along some direction, minus the roundings
 * (1e-14 where coordinates are at most 1). Any direction gives a true bound; the one between the closest points the
 * best.
 */
#ifndef DENT_PROOFS_GAP_CERTIFICATE_H
#define DENT_PROOFS_GAP_CERTIFICATE_H

#include "structures/clusters/cluster_snapshot.h"
#include "structures/clusters/tet_clusters.h"

#define NO_GAP_PAIR UINT32_MAX

/* Bodies have ten to thirty-five pairs of close clusters per cluster. One whose reference overlaps itself all over would
 * have hundreds, each of which takes some microseconds to measure and proves nothing. Beyond so many per cluster of the
 * body (and the last row) they are left out. */
enum { GAPS_PER_CLUSTER = 64 };

/* Two pieces of which clusters are close, or one with itself. */
struct gap_pair {
    uint32_t piece;     /* the second one, not before the first */
    uint32_t first_row; /* its rows lie side by side */
    uint32_t rows;      /* bits: clusters of the first piece that are close to some of the second */
    float gap;          /* between the pieces; 0: unknown */
};

struct gap_reference {
    dent_context *context;
    const struct body_clusters *clusters;
    bool usable;
    bool complete;                  /* the gaps are known; before, nothing is proven */
    double scale;                   /* gaps are in units of 1 / scale */
    struct piece_rest *rest_shapes; /* by piece */
    uint32_t *first_pair;           /* by piece, and the end: the pairs it is the first of, in order of the second */
    uint32_t pair_count, row_count;
    struct gap_pair *pairs;
    struct gap_row *rows[GAP_QUESTIONS]; /* to the clusters of the second piece */
    float *clearances;              /* by piece: to all features of the body without a common vertex; 0: unknown */
};

/* Memory, and which clusters are close. False when memory runs out; nothing is left behind then. */
bool gap_reference_create(struct gap_reference *reference, dent_context *context, const struct body *body,
                          const struct body_clusters *clusters, const double (*shape)[3]);
void gap_reference_destroy(struct gap_reference *reference);

/* Computes the gaps of the same shape, in parallel, without further memory: some microseconds a cell, also where the
 * shape overlaps itself (what is beyond a budget is left out), which is why it is left until the body is asked about a
 * second time. `rooms`: gap_room_size() bytes for every worker (60 kB: too much
 * for a stack). */
void gap_reference_complete(struct gap_reference *reference, const struct body *body, const double (*shape)[3],
                            void *rooms);
size_t gap_room_size(void);

/* The pair of two pieces, whichever is the first; NO_GAP_PAIR: nothing is known of them, because none of their clusters
 * are close, or because those were left out. */
uint32_t gap_pair_of(const struct gap_reference *reference, uint32_t piece_a, uint32_t piece_b);

/* Clusters of a piece that have no contact with themselves. */
uint32_t gaps_prove_own(const struct gap_reference *reference, const struct piece_strain *strains, uint32_t piece);

/* Clusters of a pair of pieces that may have contact (cluster_kernels.h: open_clusters), the first of which is `piece`.
 * `own`, `others`: their boxes; `whole`: that of all of the second. Returns the questions that leave something open. */
uint32_t gaps_leave_open(const struct gap_reference *reference, const struct cluster_kernels *kernels,
                         const struct piece_strain *strains, uint32_t piece, const struct gap_pair *pair,
                         const struct box_group *own, const struct box_group *others, const struct cluster_box *whole,
                         float margin, uint32_t questions, struct open_pair open[GAP_QUESTIONS]);

/* Proves what it can about a pair of pieces, the first of which is `piece`, of a body of several clusters. Only clusters
 * whose boxes come closer than `margin` are compared. Returns the questions of which something is left; only their
 * `open` is written. */
enum { ALL_GAP_QUESTIONS = (1 << GAP_QUESTIONS) - 1 };
uint32_t gaps_clear_pair(const struct gap_reference *reference, const struct cluster_snapshot *snapshot,
                         uint32_t body_index, uint32_t piece, const struct gap_pair *pair, float margin,
                         uint32_t questions, struct open_pair open[GAP_QUESTIONS]);

/* How far apart are pieces now? Two steps: every cluster of a body is taken to be less certain by GAP_MARGIN, half the
 * distance that is to be proven; that changes the strains, so it comes last. Then: is everything
 * of a piece farther than 2 GAP_MARGIN from whatever it shares no vertex with, in units of the snapshot (1 / scale)?
 *
 * Clusters called apart are so by the two slacks more, 2 GAP_MARGIN; boxes that do not meet after one of them grew by
 * 4 GAP_MARGIN are, too: coordinates are at most 1 and rounded three times, by less than 2^-23 together. So nothing may
 * be without a box: false when some cluster of the body is. */
#define GAP_MARGIN 0x1p-18f
bool gaps_add_margin(const struct cluster_snapshot *snapshot, uint32_t body_index);
bool gaps_keep_apart(const struct gap_reference *reference, const struct cluster_snapshot *snapshot,
                     uint32_t body_index, uint32_t piece);

#endif
