/* The strain certificate: gentle deformation proves that a body does not meet itself.
 *
 * Let a shape of the body without overlap be known (the reference), and let the map from it to the present shape be
 * linear in every cell, with gradient J. For two points X, Y whose segment stays inside the body, the difference of
 * their images is the integral of J along it. If one matrix M makes the symmetric part of M J positive definite in
 * every cell the segment can meet, then (Y - X) . M (y - x) > 0, so the images differ. Hence: where a convex region is
 * covered by the cells, the map is injective on it, and features of the region that are apart in the reference are
 * apart now: nothing there overlaps or touches.
 *
 * Cheap form. Per cluster a gradient g and a bound of |J - g| over its cells (kernels: strain), so per query one pass
 * over the vertices and one test of 16 clusters at a time (kernels: definite). stretch, the constant of a cell with
 * barycentric gradients b_i: the gradient of a linear function with values r_i at the corners is sum r_i b_i^T; the b_i
 * add up to 0, so r may be taken from the middle of its box, |r_i| <= d/2, and the norm is at most d/2 * max over unit
 * y of sum |b_i . y| = d/2 * max over signs of |sum +-b_i|.
 *
 * What is proven about the reference, exactly and once:
 *  - no cell is flat, and two cells with a common face lie on different sides of it;
 *  - a region is free of boundary when no surface face comes into it. Then the cells cover it equally often everywhere
 * (the number only changes across surface faces); one point that lies in exactly one closed cell makes it once. Around
 * a vertex, edge or face of the region the cells that have it as a corner already cover everything, so a cell that
 * meets it has it too: two features that share no vertex are apart.
 *  - whole body: every surface face lies in a plane that has all vertices on one side; then the body is convex and its
 * interior free of boundary.
 *  - a piece with its neighbours (those whose reference boxes meet its own): in a convex body the part inside the
 * common box of them is convex; in others the common box, widened a little, must be free of boundary.
 *
 * Three levels are tried: the whole body with one M, then sixteen pieces with all their neighbours, then every piece
 * with its neighbours. A piece that passes has no contact with its neighbours; pairs of pieces that are not neighbours
 * in the reference are always searched.
 */
#ifndef DENT_PROOFS_STRAIN_CERTIFICATE_H
#define DENT_PROOFS_STRAIN_CERTIFICATE_H

#include "structures/clusters/tet_clusters.h"

enum { COVER_MAX = 96, GROUP_COVER_MAX = 256 };

/* Clusters of a piece that meet a region. */
struct cover_part {
    uint32_t piece;
    uint32_t clusters; /* bits */
};

struct reference_box {
    double lo[3], hi[3];
};

struct strain_reference {
    dent_context *context;
    const struct body_clusters *clusters;
    bool usable;                           /* some certificate may come out of it */
    bool convex;                           /* the whole body may be certified */
    struct cluster_rest *rest_shapes;      /* by cluster */
    struct reference_box *boxes;           /* by piece */
    uint32_t cover_room, group_cover_room; /* parts of a cover: COVER_MAX, GROUP_COVER_MAX, or all pieces */
    struct cover_part *covers;             /* by piece, cover_room each */
    uint32_t *cover_counts;                /* 0: this piece is never certified */
    uint32_t group_count;                  /* sixteen pieces each */
    struct cover_part *group_covers;       /* by group, group_cover_room each */
    uint32_t *group_cover_counts;          /* 0: this group is never certified as a whole */
};

/* Memory for a body; false when there is none. Not usable yet. */
bool strain_reference_create(struct strain_reference *reference, dent_context *context,
                             const struct body_clusters *clusters);
void strain_reference_destroy(struct strain_reference *reference);

/* The factor 2^k that brings the largest |coordinate| of the reference about 1; 0 when the shape is out of reach. */
double strain_reference_scale(const struct body *body, const double (*shape)[3]);

/* The middle of a cluster, in scaled units: what the coordinates in its cluster_rest are relative to. */
void strain_middle(const struct cluster *cluster, const double (*shape)[3], double scale, double middle[3]);

/* Takes a shape as the reference and works out what can be proven about it. Needs no memory. `rest_shapes` are set also when
 * nothing can. */
void strain_reference_set(struct strain_reference *reference, const struct body *body, const double (*shape)[3]);

/* The matrix to try: the inverse of the mean gradient of the whole body, from the sums of the gradients of each piece; false also when the body cannot be
 * certified as a whole. */
bool strain_body_matrix(const struct strain_reference *reference, const double (*sums)[9], float matrix[9]);
/* The whole body is certainly free of contact with itself if this is true of all its groups of sixteen pieces, with the
 * same matrix. `strains`: by piece of the body. */
bool strain_group_agrees(const struct strain_reference *reference, const struct cluster_kernels *kernels,
                         const struct piece_strain *strains, uint32_t group, const float matrix[9]);

/* Is group `group` or piece `piece` with its neighbours certainly free of contact with itself? */
bool strain_certifies_group(const struct strain_reference *reference, const struct cluster_kernels *kernels,
                            const struct piece_strain *strains, uint32_t group);
bool strain_certifies_piece(const struct strain_reference *reference, const struct cluster_kernels *kernels,
                            const struct piece_strain *strains, uint32_t piece);

/* Are these two pieces neighbours in the reference? */
bool strain_neighbours(const struct strain_reference *reference, uint32_t piece_a, uint32_t piece_b);

#endif
