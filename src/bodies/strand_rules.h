/* Which pairs with strands are never reported, beyond those that share a vertex.
 *
 * Along one strand (proximity and strand): segments i < j with j - i < 2, or with an arc length between them below pi
 * times the larger of their radii. The arc length is the sum of the lengths of the segments i + 1 to j - 1 at t0, in this
 * order, in doubles: a strand that bends with the radius of its own thickness does not touch itself. For strands much
 * thicker than their segments are long, the difference of two arc lengths from the root decides where rounding cannot
 * matter; where it can, the sum does.
 *
 * At a root that lies on a face (also impact): the root against that face and all faces that share a vertex with it, the
 * first segment against all edges that do.
 */
#ifndef DENT_BODIES_STRAND_RULES_H
#define DENT_BODIES_STRAND_RULES_H

#include "bodies/snapshot.h"
#include "bodies/strand_body.h"

/* Two segments of one body of strands, in either order; `radius`: the larger one of the two. `arcs`: of strand_arcs_fill,
 * or null: a sum for each pair that is asked about. */
bool strand_rule_along(const struct body_snapshot *strands, const double *arcs, uint32_t segment_a, uint32_t segment_b,
                       double radius);

/* Is the arc length from one vertex of a strand to a later one below the limit? Summed in index order. */
bool strand_arc_is_short(const double (*xyz)[3], uint32_t from, uint32_t to, double limit);

/* The rule of the segments of one strand that begin at the vertices a and b, by sums. */
static inline bool strand_rule_of_vertices(const double (*xyz)[3], uint32_t a, uint32_t b, double radius)
{
    uint32_t i = a < b ? a : b, j = a < b ? b : a;
    return j - i < 2 || strand_arc_is_short(xyz, i + 1, j, 3.14159265358979323846 * radius);
}

/* Would sums along the strands be long? A guess from some of the segments. */
bool strand_arcs_pay(const struct body_snapshot *strands, double radius);

/* For each vertex the arc length from the root, summed in index order. O(vertices). */
void strand_arcs_fill(const struct body_snapshot *strands, double *arcs);

/* What the root of a strand lies on; null: nothing. O(log roots). */
const dent_strand_root *strand_root_of(const struct body *strands, uint32_t strand);

/* The corners of the face of `other` that the root of a strand lies on; null: none, or none any more. */
const uint32_t *strand_root_face(const struct snapshot *snapshot, const struct body *strands, uint32_t strand,
                                 const struct body *other);

/* A vertex (count 1) or segment (count 2) of strands against a face or an edge of another body: is it a root on that
 * place? */
bool strand_rule_root(const struct snapshot *snapshot, const struct body *strands, const uint32_t *ends,
                      uint32_t count, const struct body *other, const uint32_t *corners, uint32_t corner_count);

#endif
