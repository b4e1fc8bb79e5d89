/* dent/hair.h — tools for many strands: covers of helices.
 *
 * The questions of this library answer exactly for every segment. A hair simulation also needs coarser and cheaper
 * tools beside them. They work on your own arrays and need no world. They come from "Hair interactions" (Cani,
 * Bertails 2006) and its sources; docs/methods/hair.md says what was changed.
 *
 *   dent_helix_cover        cylinders that contain a piece of a helix (the elements of Super-Helices)
 *
 * Strands are given as in dent_body_def: first[], from root to tip. Units: yours, but consistent. The bits are the same
 * for any thread count, instruction set and machine.
 */
#ifndef DENT_HAIR_H
#define DENT_HAIR_H

#include <dent/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- helices ----------------------------------------------------------------------------------------------------- */

/** A piece of a curve with constant curvature and torsion, and a tube around it. A straight line has curvature 0, a
 *  circle torsion 0. The helix has the radius curvature / (curvature^2 + torsion^2) and makes
 *  length * sqrt(curvature^2 + torsion^2) / (2 pi) turns. */
typedef struct dent_helix_piece {
    double start[3];
    double tangent[3]; /**< direction at the start; not zero, need not be unit */
    double normal[3];  /**< towards the inside of the curve; its part along the tangent does not count, the rest is not
                            zero */
    double curvature;  /**< >= 0, 1 / length */
    double torsion;    /**< 1 / length; > 0 turns like a right-hand screw */
    double length;     /**< >= 0, of the arc */
    double radius;     /**< >= 0, of the tube */
} dent_helix_piece;

/** A cylinder with flat ends: all points whose nearest point of the line through a and b lies between them, at most
 *  `radius` away. The capsule with the same numbers contains it, so covers can be used as segments of strands. */
typedef struct dent_cylinder {
    double a[3], b[3];
    double radius;
} dent_cylinder;

/** Writes one or two cylinders that contain the tube, and returns their number. Containment holds for the real curve of
 *  these numbers, rounding included:
 *
 *   - at least one turn, and a pitch below four radii of the helix: one cylinder about its axis (also where that is
 *     tighter than along the chord)
 *   - else, if the arc is nowhere farther than `radius` from its chord: one cylinder along the chord
 *   - else two, along the chords of both halves
 *
 *  Returns 0, and writes nothing, if a number is out of range or the result overflows. Cost: O(1), 65 points of the
 *  curve for each cylinder. */
DENT_API uint32_t dent_helix_cover(const dent_helix_piece *piece, dent_cylinder cylinders[2]);

/** Computes the point at the arc length s (0 to length) and, unless null, the unit tangent there. Error: below
 *  2^-48 * (s + largest |start|) for s * sqrt(curvature^2 + torsion^2) up to 2048. Returns false, and writes nothing,
 *  if a number is out of range. */
DENT_API bool dent_helix_point(const dent_helix_piece *piece, double s, double point[3], double tangent[3]);

#ifdef __cplusplus
}
#endif

#endif
