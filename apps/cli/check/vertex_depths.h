/* vertex_depths.h — how deep each vertex lies in other bodies, for the files of `check --out`. */
#ifndef DENT_CLI_VERTEX_DEPTHS_H
#define DENT_CLI_VERTEX_DEPTHS_H

#include "load_world.h"

typedef struct vertex_depths {
    uint64_t count;
    double *values; /* body after body */
} vertex_depths;

/** The largest push of the contacts of each vertex with cells of other bodies; 0 outside. A query of its own: results of
 * the world end. STATUS_GOOD, or an error that has been reported. */
int vertex_depths_find(tool_session *session, const loaded_world *loaded, vertex_depths *depths);
void vertex_depths_release(tool_session *session, vertex_depths *depths);

/** Those of the body at this place of the list. */
const double *vertex_depths_of(const vertex_depths *depths, const loaded_world *loaded, uint32_t body_index);

#endif
