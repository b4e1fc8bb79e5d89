/* The inside of a dent_world: bodies, the pose of the current query, scratch, the lists of the last answer, and what
 * methods and the penetration check keep between calls.
 */
#ifndef DENT_QUERY_WORLD_STATE_H
#define DENT_QUERY_WORLD_STATE_H

#include <dent/query.h>

#include "base/arena.h"
#include "base/message.h"
#include "bodies/pose.h"
#include "query/answer_list.h"

struct dent_world {
    dent_context *context;
    struct message message;
    struct body_table bodies;
    struct pose pose;
    struct arena scratch;
    struct answer_list answers[DENT_DISCRETE_QUESTION_COUNT];
    void *method_states[DENT_METHOD_COUNT];
    struct border_state *border;       /* border_search.h; null until the first query that asks for it */
    struct proximity_state *proximity; /* proximity_search.h; null until the first such query */
    struct structure_state *structures; /* structure_state.h; null until somebody draws */
    struct impact_state *impact_state; /* of impact_run.h; null until the first impact query */
    struct motion_state *motion;       /* motion_run.h; null until the first motion query */

    /* Owned by src/contact, which lies to the right. */
    void *check_state;
    void (*destroy_check_state)(dent_context *context, void *state);
    void *contact_state; /* contact_run.h */
    void (*destroy_contact_state)(dent_context *context, void *state);
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

void impact_state_destroy(dent_context *context, struct impact_state *state);

/* Reads and checks the t0 positions of all bodies into world->pose and resets the scratch arena. */
dent_status world_begin_query(dent_world *world);

/* Makes one block of the scratch arena, large enough for the same query again: from now on it allocates nothing. What
 * lay in it is gone. */
void world_end_query(dent_world *world);

#endif
