/* Where all bodies of a world are at the end of a step: their t1 positions, read and checked as snapshot.h does for t0. A
 * body without positions at t1 stands still: its positions are those of t0.
 */
#ifndef DENT_BODIES_END_SNAPSHOT_H
#define DENT_BODIES_END_SNAPSHOT_H

#include "bodies/snapshot.h"

struct end_snapshot {
    const double (**xyz)[3]; /* by body index: vertex_count positions */
    struct dynamic_array pointer_storage, position_storage;
};

void end_snapshot_init(struct end_snapshot *end, dent_context *context);
void end_snapshot_destroy(struct end_snapshot *end);

/* `snapshot` has been read. Fails as snapshot_read does, messages say "at t1". */
dent_status end_snapshot_read(struct end_snapshot *end, const struct snapshot *snapshot, struct message *message);

#endif
