/* A row per question: what it asks, its stages, what it keeps. question_table.c lists them; a new question is one file
 * and one row there.
 *
 * The driver (question_row.c) does for all stages what must be done once: check the def, open a snapshot, guard the
 * floating-point mode, make what the world keeps, time the stages, hand the result over only when all went well.
 *
 *   check -> snapshot -> prepare -> search -> finish -> the caller's result
 *
 * Calls that put several questions together (src/contact) have stages and no row.
 */
#ifndef DENT_QUERY_QUESTION_ROW_H
#define DENT_QUERY_QUESTION_ROW_H

#include "base/cancel_flag.h"
#include "query/world/world_state.h"

/* One call while it runs. */
struct question_call {
    const struct question_stages *stages;
    dent_world *world;
    const void *def;
    void *result; /* begins as zero bytes */
    void *run;    /* run_size zero bytes in scratch memory: what the stages share */
    void *kept;   /* what the world keeps for these stages */
    struct cancel_flag cancel;
    uint64_t ns_prepare, ns_search, ns_finish; /* of the stages that are over */
};

enum question_reads { READS_NOTHING, READS_START, READS_START_AND_END };

struct question_stages {
    const char *name;     /* for messages */
    const char *def_name; /* the word in "the ... def was not made by dent_..._def_default()" */
    const char *def_maker;
    size_t def_size, result_size, run_size;
    size_t cancel_offset; /* of the caller's flag in the def */
    enum question_reads reads;
    bool takes_thin;    /* false: a world with strands or points is rejected; true: `check` may do so */
    const struct world_slot_kind *kept; /* null: nothing */
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
dent_status question_ask(dent_world *world, const struct question_stages *stages, const void *def, void *result);

/* The same within the snapshot of another call: no reading, no guard. Scratch memory is as before afterwards. */
dent_status question_ask_inside(dent_world *world, const struct question_stages *stages, const void *def, void *result);

/* Elements in the world, times of the stages, scratch memory: what all counters have. */
void question_count_elements(const struct question_call *call, dent_query_counters *counters);

/* "out of memory for ...". */
dent_status question_out_of_memory(const struct question_call *call);

/* OK, or which of `questions` the method cannot answer and which methods can. */
dent_status question_check_method(dent_world *world, uint32_t questions, dent_method method);

/* OK, or which body has strands or points. */
dent_status question_refuse_thin(dent_world *world, const struct question_stages *stages);

/* What a def may point to; null is fine. */
dent_status question_check_experiments(dent_world *world, const dent_experiments *experiments);

struct pair_row; /* query/pairs/pair_tests.h */

struct question_row {
    dent_question_info info;
    uint32_t methods; /* 1u << dent_method; 0: those whose rows in the method table name the question */
    const struct question_stages *stages; /* null: an object of its own runs it, a slice at a time */
    const struct pair_row *pairs;         /* of discrete questions: the exact test of a pair; else null */
};

/* The only list of questions, ended by null; the first DENT_DISCRETE_QUESTION_COUNT are discrete. */
extern const struct question_row *const question_table[];

/* The row of exactly one question; else null. */
const struct question_row *question_row_of(dent_question question);

bool question_answered_by(const struct question_row *row, dent_method method);

/* Stages, for calls that ask several questions. */
extern const struct question_stages discrete_stages;
extern const struct question_stages proximity_stages;
extern const struct question_stages impact_stages;
extern const struct question_stages earliest_impact_stages;
extern const struct question_stages motion_stages;

/* Bits of methods that search surfaces for themselves. */
#define QUESTION_METHODS_OF_SURFACES                                                                                   \
    (1u << DENT_METHOD_AUTO | 1u << DENT_METHOD_BRUTE_FORCE | 1u << DENT_METHOD_SURFACE_TREE)

#endif
