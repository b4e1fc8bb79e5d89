/* The surface faces of one body near a box, by the boxes of the last refit of a surface forest: no building, no memory.
 * For whoever asks about a few slots of a surface after a search over all of it. Any number of threads may ask.
 */
#ifndef DENT_STRUCTURES_SURFACE_PROBE_H
#define DENT_STRUCTURES_SURFACE_PROBE_H

#include "structures/surface/surface_forest.h"

/* Calls `take` for every surface face of the body whose closed box meets the closed box (and for some that only nearly
 * do: boxes are compared in rounded coordinates), in an order that depends on the body alone. The forest was refitted
 * for these positions, without growth. */
void surface_probe_box(const struct surface_forest *forest, dent_isa isa, uint32_t body_index, const double lo[3],
                       const double hi[3], void (*take)(void *user, uint32_t face), void *user);

#endif
