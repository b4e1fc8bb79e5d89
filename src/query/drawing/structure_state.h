/* What pictures of structures keep between calls: the boxes handed out last. */
#ifndef DENT_QUERY_STRUCTURE_STATE_H
#define DENT_QUERY_STRUCTURE_STATE_H

#include "base/containers/dynamic_array.h"

struct structure_state {
    struct dynamic_array boxes; /* dent_structure_box */
};

#endif
