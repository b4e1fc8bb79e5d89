/* Validation at the door: everything about a def that can be judged without positions or topology. */
#ifndef DENT_BODIES_MESH_CHECK_H
#define DENT_BODIES_MESH_CHECK_H

#include <dent/body.h>

#include "base/message.h"

/* What the check found out on its way. */
struct mesh_counts {
    uint64_t corner_count;      /* length of element_corners */
    uint64_t tetrahedron_count; /* after splitting; 0 for surfaces */
    bool is_split;              /* at least one cell is not a tetrahedron */
};

/* Shape of the def: struct_size, kind, null arrays. Needs no name and reads no array. */
dent_status mesh_check_def(const dent_body_def *def, struct message *message);

/* Counts, kinds and indices of the elements; the def has passed mesh_check_def. `body` gives the title of messages
 * only. */
struct body;
dent_status mesh_check_elements(const dent_body_def *def, const struct body *body, struct message *message,
                                struct mesh_counts *counts);

#endif
