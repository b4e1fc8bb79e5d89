/* The rigid certificate: a body that moved as a whole has no contact with itself that it did not have in the reference.
 *
 * Let Y be a point of the body in the reference, x where it is now, and x = x0 + A (Y - Y0) + r with one matrix A for
 * the whole body, whatever matrix. If |r| <= d at every vertex, so it is at every point of every face and cell, because
 * all three are linear there. So features at least `clearance` apart in the reference (gap_certificate.h) are apart now
 * where
 *
 *     s * clearance > 2 d,        s: the smallest factor by which A stretches.
 *
 * The clearance of a piece is good for everything that may meet it, of any piece. At rest and in rigid motion d is a few
 * roundings, so every piece whose clearance is known passes, and the price is one pass over the vertices: no boxes, no
 * strains, no pairs. A body that is deformed fails at the first vertices looked at.
 *
 * A comes from four vertices far apart, the anchors: it takes out translation, rotation, and any linear map. It carries
 * no error: the residual is that of the matrix as computed.
 *
 * Roundings (u = 2^-53), along one axis, with S = sum over k of |a_k| e_k, e_k the extent of the reference along k:
 * differences Y - Y0 and x - x0 have one each, products one, two sums, one last difference. So the linear part is off
 * by at most 4.01 u S; x - x0 by u |x - x0| <= 1.01 u (S + |r|); the last difference by u |r|. Hence
 *
 *     |r| <= |computed r| (1 + 4 u) + 6 u S + 2^-1070,
 *
 * the last for products that underflow (three, half of 2^-1074 each). d is the sum over the axes: no squares that
 * under- or overflow. The anchors are vertices, so |Y - Y0| <= e. s as in cluster_strain.h (stretches): with n = |A|,
 * s^2 >= m - sqrt(2/3) |B| - 64 u n^2, m a third of the trace of A^T A and B = A^T A - m I. Where n^2 is not between
 * 1e-100 and 1e100, or 16 S is not below 1e300, nothing is proven; so nothing overflows, what is infinite came from
 * x - x0 and makes r infinite, and comparisons of products with clearances (1e-12 or more) do not underflow.
 */
#ifndef DENT_PROOFS_RIGID_CERTIFICATE_H
#define DENT_PROOFS_RIGID_CERTIFICATE_H

#include "structures/clusters/tet_clusters.h"

enum { RIGID_ANCHORS = 4 };

struct rigid_reference {
    bool usable;
    const double (*shape)[3]; /* borrowed */
    double scale;             /* clearances are in units of 1 / scale */
    double extent[3];
    double inverse[9]; /* of the matrix whose columns are the anchors minus the first */
    uint32_t vertex_count;
    uint32_t anchors[RIGID_ANCHORS]; /* vertices */
};

/* Chooses the anchors of a shape, which is borrowed. Not usable: the shape is flat, or out of reach. */
void rigid_reference_set(struct rigid_reference *reference, const struct body *body, const double (*shape)[3],
                         double scale);

/* The map of the anchors; false when it proves nothing. */
bool rigid_motion_find(const struct rigid_reference *reference, const double (*xyz)[3], struct affine_motion *motion);

/* Residuals of a range of vertices: the largest along each axis is kept in `most`. */
static inline void rigid_residuals(const struct rigid_reference *reference, const struct cluster_kernels *kernels,
                                   const double (*xyz)[3], const struct affine_motion *motion, uint32_t first,
                                   uint32_t count, double most[3])
{
    kernels->residual(reference->shape + first, xyz + first, count, motion, most);
}

/* Pieces with a larger clearance than this have no contact with any part of the body, if `most` are the largest computed
 * residuals of all vertices along each axis. Infinite: none has. */
double rigid_clearance(const struct rigid_reference *reference, const struct affine_motion *motion,
                       const double most[3]);

#endif
