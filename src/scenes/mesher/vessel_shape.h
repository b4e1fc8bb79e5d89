/* The branching vessel of teschner-d, used by the simulated scene `vessels` too; in scene_teschner_d.c. */
#ifndef DENT_SCENES_VESSEL_SHAPE_H
#define DENT_SCENES_VESSEL_SHAPE_H

#include "implicit_shapes.h"

/* A trunk from z = -8 that forks at z = 0 along x and again at z = 8 along y; the four branches end at z = 16, x = ±6,
 * y = ±4. About 1 thick everywhere. */
void vessel_describe(struct implicit_shape *shape);

#endif
