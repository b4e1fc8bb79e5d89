/* One step of a motion that is known key by key: which elements can be in contact at some time of it, for the question `impact`.
 *
 * On a step during which all vertices move on straight lines, the largest coordinate of a node is a convex function of time and
 * the least a concave one. So a witness that holds at both ends of the step holds in between: its certificate has no event, and
 * the front of the walk for the whole step is known without a queue. Keys are compared as they are given, exactly. */
#ifndef DENT_KINETIC_INTERVAL_H
#define DENT_KINETIC_INTERVAL_H

#include <dent/kinetic.h>

/* Pairs of elements without a common witness at both ends of a step, in which the vertices of the tree move from positions[0]
 * to positions[1]. The time and the plans of the tree do not change. Writes the pairs as a << 32 | b, a < b, in no order; they
 * belong to the tree until its next call. False: no memory. */
bool kinetic_interval_pairs(dent_kinetic *tree, const dent_positions positions[2], const uint64_t **pairs, uint64_t *count);

#endif
