/* How much of an edge lies before a plane: the share with more digits than plain doubles give.
 *
 * A depth taken from it must be right to the last digits of the edge even where the plane is spanned by points a
 * thousand edges away, so the two volumes are computed with pairs of doubles (Dekker 1971; about 100 bits) from
 * differences that are exact. Fixed sequence of operations, the same bits everywhere; decides nothing.
 */
#ifndef DENT_GEOMETRY_EDGE_SHARE_H
#define DENT_GEOMETRY_EDGE_SHARE_H

/* The part, in [0, 1], of the edge from p to q between p and the plane of the face, which separates the two. For an
 * edge in the plane: that of edge_face_point. Any finite input. */
double edge_share(const double p[3], const double q[3], const double *const face[3]);

#endif
