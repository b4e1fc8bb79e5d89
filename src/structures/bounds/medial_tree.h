/* Dividing a closed surface by balls of its medial axis, level by level (after the adaptive medial-axis sphere trees of
 * Bradshaw and O'Sullivan 2004).
 *
 * A node's faces are divided among at most `branching` balls whose protrusion (how far a ball that holds its faces
 * stands out of the solid, estimated as radius minus distance of the centre from the surface, for centres inside) is
 * small. Candidates are the largest balls inside the solid that touch it at the centre of a face, by the shrinking-ball
 * method: from a huge ball tangent there, shrink to pass through the nearest face found, until none is nearer. (The
 * article takes Voronoi vertices of surface samples; shrinking balls need no Voronoi diagram, are inside by
 * construction, and can be computed for just the faces at hand, which is the article's refinement near the worst ball.)
 * They are reduced by the article's three ways, best of: merge (join the two with the least protrusion of the joint
 * ball), burst (drop the one whose faces others can take over at the least protrusion), expand (one stand-off for all,
 * the least for which a greedy choice covers everything).
 */
#ifndef DENT_STRUCTURES_MEDIAL_TREE_H
#define DENT_STRUCTURES_MEDIAL_TREE_H

#include "structures/bounds/bound_tree.h"

struct medial_builder;
struct medial_rest;

/* Null: out of memory. The surface must be closed. */
struct medial_builder *medial_builder_create(const struct bound_build *build);
void medial_builder_destroy(struct medial_builder *builder);

/* As split_by_covariance; children will be nodes first_child, first_child + 1 … Falls back to that where balls do not
 * divide the faces. */
uint32_t split_by_medial_balls(struct bound_splitter *splitter, uint32_t first_child, uint32_t first, uint32_t count,
                               uint32_t *sizes);

/* The balls that the faces of the nodes were given to, an array of node_count; null: out of memory. The caller releases
 * it. */
struct medial_rest *medial_rests(const struct medial_builder *builder, uint32_t node_count);

/* Distance of a point from the surface, negative outside. The radius of a ball less that of its centre is how far it
 * protrudes. */
double medial_inside_distance(const struct bound_tree *surface, const double p[3]);

#endif
