/* The inside of a dent_world: bodies, the snapshot of their positions that one call works on, the surface forest, scratch
 * memory, and one slot per question for what it keeps between calls.
 *
 * A public call opens a snapshot: positions at t0 are read and checked once, those at t1 when first needed. Everything
 * that the call asks for on the way (contacts ask three questions) works on that one reading.
 */
#ifndef DENT_QUERY_WORLD_STATE_H
#define DENT_QUERY_WORLD_STATE_H

#include <dent/query.h>

#include "base/arena.h"
#include "base/message.h"
#include "bodies/end_snapshot.h"
#include "structures/surface/surface_forest.h"

/* What a question keeps in a world, and how it is filled and emptied. `init` receives zeroed memory and cannot fail. A
 * slot is known by the address of its kind. */
struct world_slot_kind {
    size_t size;
    void (*init)(dent_context *context, void *state);
    void (*destroy)(dent_context *context, void *state);
};

enum { WORLD_SLOT_LIMIT = 16 };

struct dent_world {
    dent_context *context;
    struct message message;
    struct body_table bodies;
    struct snapshot snapshot; /* of the open snapshot: positions at t0 */
    struct end_snapshot end;  /* positions at t1, once world_read_end was called */
    bool end_is_read;
    struct arena scratch;
    struct surface_forest forest; /* of all questions about surfaces; boxes as the last of them made them */
    struct {
        void *state;
        const struct world_slot_kind *kind; /* null: free, and so are all after it */
    } slots[WORLD_SLOT_LIMIT];
};

/* DENT_REQUIRE for functions of a world, whose messages are the world's. */
#define WORLD_REQUIRE(world, pointer) WORLD_REQUIRE_ARRAY(world, 1, pointer)
#define WORLD_REQUIRE_ARRAY(world, count, pointer)                                                                     \
    do {                                                                                                               \
        if ((count) > 0 && !(pointer)) {                                                                               \
            return world_null_argument(world, __func__, #pointer);                                                     \
        }                                                                                                              \
    } while (0)
dent_status world_null_argument(dent_world *world, const char *function, const char *parameter);

/* `status`, or INVALID_ARGUMENT and a message when it is OK but the host's threads did not do as they should. */
dent_status world_loop_status(dent_world *world, dent_status status);

/* What the world keeps for a question, made when first asked for. Null when memory runs out. */
void *world_state_of(dent_world *world, const struct world_slot_kind *kind);

/* The same; null when nothing was kept yet. */
void *world_kept(const dent_world *world, const struct world_slot_kind *kind);

/* Opens a snapshot: empties the scratch memory, reads and checks the positions of all bodies at t0. */
dent_status world_open(dent_world *world);

/* Within a snapshot: reads and checks the positions at t1, unless that has been done. */
dent_status world_read_end(dent_world *world);

/* Makes one block of the scratch memory, large enough for the same call again: from now on it allocates nothing. What lay
 * in it is gone. */
void world_close(dent_world *world);

#endif
