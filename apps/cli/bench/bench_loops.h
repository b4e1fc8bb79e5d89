/* bench_loops.h — what threads can bring a step: its time outside parallel loops, and how evenly the loops are split.
 *
 * A watch is the thread hook of a method's context. It notes when each loop begins and ends and how long each block
 * takes. On one thread it says it has LOOP_WORKERS workers, so that the library cuts its loops as it would for them,
 * runs the blocks in order on the calling thread, and deals their times in order to that many workers: each block goes
 * to the worker that is free first, as a pool would do it. So a machine with few processors, or a busy one, shows what
 * many workers would get, apart from memory they share. On several threads it measures the workers there are.
 *
 * In each frame the turn counts that the workers would have finished first: others were disturbed. Numbers are means over the frames.
 */
#ifndef DENT_BENCH_LOOPS_H
#define DENT_BENCH_LOOPS_H

#include <dent/experimental.h>

enum { LOOP_WORKERS = 16 };

/** Stages in the order they come; refit and culling are those of the surface tree, all zero with other methods. The
 * last row is the sum. */
enum { STAGE_PREPARE, STAGE_REFIT, STAGE_CULLING, STAGE_SEARCH, STAGE_FINISH, STAGE_STEP, STAGE_COUNT };
extern const char *const stage_names[STAGE_COUNT];

typedef struct loop_summary {
    uint32_t workers;
    double serial_ms[STAGE_COUNT];  /* outside parallel loops */
    double work_ms[STAGE_COUNT];    /* in blocks, of all workers together */
    double longest_ms[STAGE_COUNT]; /* what the busiest worker of each loop had to do, added up */
} loop_summary;

/** Time outside loops over the whole, both on one thread. */
double loop_serial_share(const loop_summary *summary, int stage);
/** The busiest worker's share over the mean share, loops weighted by their time; NAN without loops. */
double loop_imbalance(const loop_summary *summary, int stage);
/** Whole time on one thread over that of the workers: what the two numbers above allow. */
double loop_speed_up(const loop_summary *summary);

typedef struct loop_watch loop_watch;

/** Null: out of memory. `cpu_time`: CPU time of the calling thread; for one thread only. */
loop_watch *loop_watch_open(dent_context *owner, uint32_t threads, bool cpu_time, uint32_t frames);
void loop_watch_close(loop_watch *watch); /* null is allowed */

/** The hook for the context of the method that is watched; the watch must outlive it. */
dent_parallel loop_watch_hook(loop_watch *watch);

/** Around one query. */
void loop_watch_begin(loop_watch *watch);
void loop_watch_end(loop_watch *watch, const dent_query_counters *counters, const dent_method_counters *own);
/** Counts the query that just ended as a turn in this frame. False: out of memory. */
bool loop_watch_keep(loop_watch *watch, uint32_t frame);
/** Of all turns kept. */
void loop_watch_sum(const loop_watch *watch, loop_summary *summary);

#endif
