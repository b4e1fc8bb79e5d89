/* Origins of URDF: a translation, and turns about the fixed axes x, y, z in this order (roll, pitch, yaw). */
#ifndef DENT_IO_URDF_ORIGIN_H
#define DENT_IO_URDF_ORIGIN_H

#include <dent/motion.h>

#include "urdf_document.h"

/* As a pose, by the library's own sines: the same bits on every machine. Angles beyond 1000 radians are reduced to
 * nothing sensible; the caller has refused them. */
dent_pose urdf_origin_pose(const struct urdf_origin *origin);

/* Rows of x' = m x + t; without angles the rotation is left out, so that positions keep their bits. */
struct urdf_placement {
    bool turns;
    double m[3][3];
    double t[3];
};

struct urdf_placement urdf_placement_of(const struct urdf_origin *origin);
void urdf_placement_apply(const struct urdf_placement *placement, double position[3]);

#endif
