/* Where an edge pierces a face, and the face's unit normal: metric facts for records, by fixed sequences of double
 * operations. They decide nothing.
 */
#ifndef DENT_GEOMETRY_EDGE_FACE_POINT_H
#define DENT_GEOMETRY_EDGE_FACE_POINT_H

/* The point of the edge from p to q that lies on the face. For edges that really pierce the face: the edge divided in
 * the ratio of two volumes. For an edge in the plane of the face: the middle of what they have in common. Finite,
 * inside the boxes of edge and face where these meet. Returns the parameter in [0, 1], 0 at p. */
double edge_face_point(const double p[3], const double q[3], const double *const face[3], double point[3]);

/* Length 1 within a few units in the last place; see dent_cut_edge.normal. */
void face_unit_normal(const double *const face[3], double normal[3]);

#endif
