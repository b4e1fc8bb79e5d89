/* What pictures of structures keep between calls: the cut of the surfaces, and the boxes handed out last. */
#ifndef DENT_QUERY_STRUCTURE_STATE_H
#define DENT_QUERY_STRUCTURE_STATE_H

#include "base/dynamic_array.h"
#include "structures/surface_forest.h"

struct structure_state {
    struct surface_forest forest;
    struct dynamic_array boxes; /* dent_structure_box */
};

void structure_state_destroy(dent_context *context, struct structure_state *state);

#endif
