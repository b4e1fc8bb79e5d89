/* bench_run.h — one race: several contestants answer the same questions about the same frames, turn by turn.
 *
 * A contestant is a method of dent, or a peer (bench_peers.h). In each round every contestant goes through all frames,
 * as a simulation would, one round forwards and the next one backwards; the first to begin changes from round to round.
 * Only the asking is timed, and not that of the frame before the first, which brings a contestant's memory back into
 * the caches. After each turn the answer is compared with the one found first for that frame, pair by pair: a race with
 * a wrong answer is an error, not a result.
 */
#ifndef DENT_BENCH_RUN_H
#define DENT_BENCH_RUN_H

#include "bench_loops.h"
#include "bench_scene.h"

#include <dent/query.h>

enum { CONTESTANT_LIMIT = 40, CONTESTANT_NAME_SIZE = 48, CONTESTANT_SETTING_SIZE = 96 };

/** Parts of a query's time; those a method does not tell are NAN. */
enum { PHASE_COUNT = 8 };
extern const char *const phase_names[PHASE_COUNT]; /* prepare, search, finish; of search: refit, culling, ... */

/** Pairs of one question as (number of a << 32 | number of b), ascending. */
typedef struct pair_keys {
    dent_context *context;
    uint64_t *keys;
    uint64_t count, capacity;
} pair_keys;

bool pair_keys_reserve(pair_keys *list, uint64_t count);
void pair_keys_release(pair_keys *list);

/** What one turn cost besides time; a number that is not known is NAN. */
typedef struct turn_costs {
    double candidates, allocations;
    double phase_ms[PHASE_COUNT];
} turn_costs;

typedef struct contestant contestant;
struct contestant {
    char name[CONTESTANT_NAME_SIZE];
    char setting[CONTESTANT_SETTING_SIZE]; /* empty: none worth printing */
    bool peer;
    bool control; /* answers nothing: bench_control.c */
    uint32_t threads;
    void *state;
    loop_watch *watch; /* null: its loops are not watched */
    /** Asks about the positions as they are: the only thing that is timed. An error has been reported. */
    int (*ask)(contestant *self);
    /** The answer to one of the questions. False: out of memory. */
    bool (*answer)(contestant *self, dent_question question, pair_keys *list);
    void (*costs)(contestant *self, turn_costs *costs);
    double (*peak_bytes)(contestant *self);
    uint64_t (*hash)(contestant *self, dent_question question); /* null: nobody asks a peer */
    void (*close)(contestant *self);

    /* Filled by bench_race. */
    double median_ms, low_ms, high_ms;
    double phase_ms[PHASE_COUNT];
    double candidates;  /* in frame 0 */
    double allocations; /* most in one turn after the warm-up */
    double peak;
    uint64_t pairs, pairs_hash; /* in frame 0, all questions together */
    uint32_t turns;             /* that were measured */
    double *samples, *phases[PHASE_COUNT];
    uint64_t spent_ns;
    loop_summary loops; /* with a watch */
};

typedef struct bench_race {
    bench_scene *scene;
    uint32_t questions; /* bits */
    uint32_t threads;
    dent_isa isa;
    bool watch_loops;  /* --phases */
    bool fastest_peer; /* --fastest-peer */
    bool cpu_time;     /* what this process used of the processor, instead of the clock */
    uint32_t frames, repeat;
    uint32_t count;
    contestant contestants[CONTESTANT_LIMIT];
    const contestant *reference; /* whose answers the others are compared with */
} bench_race;

/** "vertex-cell+face-cell". */
const char *questions_name(uint32_t questions, char *buffer, size_t size);

/** Can a method of dent answer these questions in one race? */
bool bench_method_answers(dent_method method, uint32_t questions);

/** Enters the methods of dent that can answer; `only` AUTO: all of them that are not hopeless at this size. */
int bench_enter_methods(bench_race *race, dent_method only, bool variants);

/** Enters the methods a second time, on one thread, and the control on one and on all: for speed-ups measured in the
 * same turns. */
int bench_enter_alone(bench_race *race, dent_method only, bool variants);
int bench_enter_control(bench_race *race);

/** Nanoseconds of the clock, or of the CPU time this process used. */
uint64_t bench_clock_ns(bool cpu_time);

/** Runs the race; the contestants are left open. An error (a wrong answer is one) has been reported. */
int bench_run(tool_session *session, bench_race *race);
void bench_close(bench_race *race);

#endif
