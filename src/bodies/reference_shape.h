/* What the reference shape of a solid looks like. */
#ifndef DENT_BODIES_REFERENCE_SHAPE_H
#define DENT_BODIES_REFERENCE_SHAPE_H

#include "bodies/body_data.h"

/* *convex: one part of evenly long edges whose surface bends outward at every edge, as far as plain doubles tell. The
 * body is a solid with a reference and fewer than 2^30 surface faces. False when memory runs out. */
bool reference_looks_convex(const struct body *body, bool *convex);

#endif
