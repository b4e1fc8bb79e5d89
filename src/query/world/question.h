/* A row per question: what its def must be, and its stages. The driver (question.c) does for all of them what must be
 * done once: check the def, open a snapshot, guard the floating-point mode, time the stages, hand the result over only
 * when all went well.
 *
 *   check -> snapshot -> prepare -> search -> finish -> the caller's result
 */
#ifndef DENT_QUERY_QUESTION_H
#define DENT_QUERY_QUESTION_H

#include "base/cancel_flag.h"
#include "query/world/world_state.h"

/* One call while it runs. */
struct question_call {
    const struct question_row *row;
    dent_world *world;
    const void *def;
    void *result; /* begins as zero bytes */
    void *run;    /* run_size zero bytes in scratch memory: what the stages share */
    struct cancel_flag cancel;
    uint64_t ns_prepare, ns_search, ns_finish; /* of the stages that are over */
};

enum question_reads { READS_NOTHING, READS_START, READS_START_AND_END };

struct question_row {
    const char *name;     /* for messages */
    const char *def_name; /* the word in "the ... def was not made by dent_..._def_default()" */
    const char *def_maker;
    size_t def_size, result_size, run_size;
    size_t cancel_offset; /* of the caller's flag in the def */
    enum question_reads reads;
    /* What the def may be, beyond its size. Null: anything. */
    dent_status (*check)(dent_world *world, const void *def);
    /* Null: no such stage. `finish` also comes after a search that was cancelled, and says so in the result. */
    dent_status (*prepare)(struct question_call *call);
    dent_status (*search)(struct question_call *call);
    dent_status (*finish)(struct question_call *call);
    /* Writes counters, after the last stage that ran, also when it failed. */
    void (*count)(struct question_call *call);
};

/* What every public call requires of its pointers. */
#define QUESTION_REQUIRE(world, def, result)                                                                           \
    do {                                                                                                               \
        WORLD_REQUIRE(world, world);                                                                                   \
        WORLD_REQUIRE(world, def);                                                                                     \
        WORLD_REQUIRE(world, result);                                                                                  \
    } while (0)

/* A public call: everything. On failure *result is untouched. */
dent_status question_ask(dent_world *world, const struct question_row *row, const void *def, void *result);

/* The same within the snapshot of another call: no reading, no guard. Scratch memory is as before afterwards. */
dent_status question_ask_inside(dent_world *world, const struct question_row *row, const void *def, void *result);

/* Elements in the world, times of the stages, scratch memory: what all counters have. */
void question_count_elements(const struct question_call *call, dent_query_counters *counters);

/* "out of memory for ...". */
dent_status question_out_of_memory(const struct question_call *call);

/* The rows. */
extern const struct question_row discrete_question;
extern const struct question_row proximity_question;
extern const struct question_row impact_question;
extern const struct question_row earliest_impact_question;
extern const struct question_row motion_question;

#endif
