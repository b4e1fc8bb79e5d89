/* Ties between vertices of different bodies (same_as), resolved in two steps: a failing call changes nothing. */
#ifndef DENT_BODIES_VERTEX_TIES_H
#define DENT_BODIES_VERTEX_TIES_H

#include "bodies/body_table.h"

/* A new identity of an old one; sorted by `from`. */
struct identity_change {
    uint64_t from, to;
};

struct vertex_ties {
    dent_context *context;
    const struct body_table *table;
    struct identity_change *changes;
    size_t change_count, change_capacity;
    /* Identity arrays for the bodies that had none, by body index, null where none is needed; empty when the ties change
     * nothing in the bodies of the table. */
    uint64_t **fresh;
    uint32_t fresh_count;
    uint64_t *own; /* identities of the new body; null: no ties */
    uint32_t own_count;
};

/* Checks the ties of a def for `body` (not in the table yet) and prepares what they change. `replaced`: the id of the
 * body it stands in for, which must not be tied to; the null id when it is added. On failure nothing is left behind. */
dent_status vertex_ties_prepare(struct vertex_ties *ties, const struct body_table *table, const struct body *body,
                                dent_body_id replaced, const dent_body_def *def, struct message *message);

/* Puts the prepared identities into `body` and into the bodies of the table, and ends; cannot fail. */
void vertex_ties_commit(struct vertex_ties *ties, struct body *body);

/* Gives back what was prepared and not committed; the table is as it was. */
void vertex_ties_discard(struct vertex_ties *ties);

#endif
