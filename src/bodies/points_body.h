/* Bodies of points: every vertex is an element of its own.
 *
 * In: a def with vertex_count and positions. Out: a body whose vertices are all used and on the surface, without faces,
 * edges and an inside. So all that asks about vertices finds them, and all that asks about faces or edges finds none.
 */
#ifndef DENT_BODIES_POINTS_BODY_H
#define DENT_BODIES_POINTS_BODY_H

#include "bodies/body_data.h"

/* INVALID_ARGUMENT when elements are given. */
dent_status points_check(const dent_body_def *def, const struct body *body, struct message *message);

/* Makes the arrays of a body whose vertex_count is set; false when memory is short (body_destroy gives back the rest). */
bool points_make(struct body *body);

#endif
