/* Which pairs with strands are never reported, beyond those that share a vertex.
 *
 * Along one strand (proximity and strand): segments i < j with j - i < 2, or with an arc length between them below pi
 * times the larger of their radii. The arc length is the sum of the lengths of the segments i + 1 to j - 1 at t0, in this
 * order, in doubles: a strand that bends with the radius of its own thickness does not touch itself.
 *
 * At a root that lies on a face (also impact): the root against that face and all faces that share a vertex with it, the
 * first segment against all edges that do.
 */
#ifndef DENT_BODIES_STRAND_RULES_H
#define DENT_BODIES_STRAND_RULES_H

#include "bodies/snapshot.h"
#include "bodies/strand_body.h"

/* Two segments of one body of strands, in either order; `radius`: the larger one of the two. */
bool strand_rule_along(const struct body_snapshot *strands, uint32_t segment_a, uint32_t segment_b, double radius);

/* The corners of the face of `other` that the root of a strand lies on; null: none, or none any more. */
const uint32_t *strand_root_face(const struct snapshot *snapshot, const struct body *strands, uint32_t strand,
                                 const struct body *other);

/* A vertex (count 1) or segment (count 2) of strands against a face or an edge of another body: is it a root on that
 * place? */
bool strand_rule_root(const struct snapshot *snapshot, const struct body *strands, const uint32_t *ends,
                      uint32_t count, const struct body *other, const uint32_t *corners, uint32_t corner_count);

#endif
