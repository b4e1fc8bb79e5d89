/* bench_loops.c — a thread hook with a stopwatch. See bench_loops.h. */
#include "bench_loops.h"

#include "bench_run.h"

#include <math.h>
#include <string.h>

const char *const stage_names[STAGE_COUNT] = {"prepare", "refit", "culling", "search", "finish", "step"};

/* A time on both clocks: what is measured, and the one the library reads for its stages. */
typedef struct instant {
    uint64_t ns, wall_ns;
} instant;

typedef struct loop_record {
    instant began, ended;
    size_t first_block;
    uint32_t block_count;
} loop_record;

typedef struct block_record {
    uint64_t ns;
    uint32_t worker;
} block_record;

typedef struct step_trace {
    loop_record *loops;
    block_record *blocks;
    size_t loop_count, loop_capacity, block_count, block_capacity;
    instant began, ended;
    double serial_ns[STAGE_COUNT];
    double parallel_ns;                /* of a turn that is kept */
    uint64_t stage_end_ns[STAGE_STEP]; /* by the clock of the library, since `began` */
    bool kept;                         /* of a frame: there was a turn */
} step_trace;

struct loop_watch {
    dent_context *owner;
    dent_context *pool; /* null: one thread */
    uint32_t workers;
    bool cpu_time;
    bool inside; /* a block is running: loops within it are part of it */
    bool failed; /* out of memory */
    uint64_t clock_cost_ns;
    step_trace now;
    step_trace *frames;
    uint32_t frame_count;
    /* The loop at hand. */
    dent_block_function *function;
    void *data;
};

/* ---- measuring --------------------------------------------------------------------------------------------------- */

static instant read_clocks(const loop_watch *watch)
{
    uint64_t wall = dent_clock_ns();
    return (instant){watch->cpu_time ? bench_clock_ns(true) : wall, wall};
}

/* What reading the clock takes: the least of many, as it is taken off short times. */
static uint64_t measure_clock(bool cpu_time)
{
    enum { TRIES = 2000 };
    uint64_t least = UINT64_MAX, before = bench_clock_ns(cpu_time);
    for (int i = 0; i < TRIES; i++) {
        uint64_t after = bench_clock_ns(cpu_time);
        least = after - before < least ? after - before : least;
        before = after;
    }
    return least;
}

static uint64_t without_clock(const loop_watch *watch, uint64_t ns)
{
    return ns > watch->clock_cost_ns ? ns - watch->clock_cost_ns : 0;
}

static bool grow(dent_context *owner, void **array, size_t *capacity, size_t needed, size_t size)
{
    if (needed <= *capacity) {
        return true;
    }
    size_t larger = 2 * needed + 256;
    void *fresh = dent_reallocate(owner, *array, *capacity, larger, size);
    if (fresh != NULL) {
        *array = fresh;
        *capacity = larger;
    }
    return fresh != NULL;
}

static bool make_room(dent_context *owner, step_trace *trace, size_t loops, size_t blocks)
{
    void *loop_array = trace->loops, *block_array = trace->blocks;
    bool enough = grow(owner, &loop_array, &trace->loop_capacity, loops, sizeof *trace->loops) &&
                  grow(owner, &block_array, &trace->block_capacity, blocks, sizeof *trace->blocks);
    trace->loops = loop_array;
    trace->blocks = block_array;
    return enough;
}

static void run_timed(void *data, uint32_t block, uint32_t worker)
{
    loop_watch *watch = data;
    uint64_t began = bench_clock_ns(watch->cpu_time);
    watch->function(watch->data, block, worker);
    uint64_t took = bench_clock_ns(watch->cpu_time) - began;
    watch->now.blocks[watch->now.block_count + block] = (block_record){without_clock(watch, took), worker};
}

static void run_in_place(uint32_t block_count, dent_block_function *function, void *data)
{
    for (uint32_t block = 0; block < block_count; block++) {
        function(data, block, 0);
    }
}

/* Within a block: by the worker that runs it. */
static void run_inner_loop(loop_watch *watch, uint32_t block_count, dent_block_function *function, void *data)
{
    if (watch->pool != NULL) {
        dent_parallel_for(watch->pool, block_count, function, data);
    } else {
        run_in_place(block_count, function, data);
    }
}

/* dent_parallel.run */
static void run_loop(void *user, uint32_t block_count, dent_block_function *function, void *data)
{
    loop_watch *watch = user;
    step_trace *now = &watch->now;
    if (watch->inside) {
        run_inner_loop(watch, block_count, function, data);
        return;
    }
    if (!make_room(watch->owner, now, now->loop_count + 1, now->block_count + block_count)) {
        watch->failed = true;
        run_inner_loop(watch, block_count, function, data);
        return;
    }
    watch->function = function;
    watch->data = data;
    watch->inside = true;
    loop_record *loop = &now->loops[now->loop_count++];
    loop->first_block = now->block_count;
    loop->block_count = block_count;
    loop->began = read_clocks(watch);
    run_inner_loop(watch, block_count, run_timed, watch);
    loop->ended = read_clocks(watch);
    now->block_count += block_count;
    watch->inside = false;
}

void loop_watch_begin(loop_watch *watch)
{
    watch->now.loop_count = watch->now.block_count = 0;
    watch->now.began = read_clocks(watch);
}

/* ---- stages ------------------------------------------------------------------------------------------------------ */

/* The stage at a moment of the library's clock. */
static int stage_at(const step_trace *trace, uint64_t wall_ns)
{
    int stage = 0;
    while (stage < STAGE_FINISH && wall_ns - trace->began.wall_ns >= trace->stage_end_ns[stage]) {
        stage++;
    }
    return stage;
}

/* A stretch between loops, split where a stage ends in it. */
static void add_serial(const loop_watch *watch, step_trace *trace, instant from, instant to)
{
    double ns = (double)without_clock(watch, to.ns - from.ns);
    uint64_t wall = to.wall_ns - from.wall_ns, at = from.wall_ns;
    for (int stage = stage_at(trace, at); wall > 0 && at < to.wall_ns; stage++) {
        uint64_t end = trace->began.wall_ns + trace->stage_end_ns[stage];
        end = stage == STAGE_FINISH || end > to.wall_ns ? to.wall_ns : end;
        trace->serial_ns[stage] += ns * (double)(end - at) / (double)wall;
        at = end;
    }
}

void loop_watch_end(loop_watch *watch, const dent_query_counters *counters, const dent_method_counters *own)
{
    step_trace *now = &watch->now;
    now->ended = read_clocks(watch);
    uint64_t search = counters->ns_search - own->surface_tree.ns_refit - own->surface_tree.ns_culling;
    const uint64_t stages[STAGE_STEP] = {counters->ns_prepare, own->surface_tree.ns_refit, own->surface_tree.ns_culling,
                                         search, counters->ns_finish};
    uint64_t end = 0;
    for (int stage = 0; stage < STAGE_STEP; stage++) {
        now->stage_end_ns[stage] = end += stages[stage];
    }
    memset(now->serial_ns, 0, sizeof now->serial_ns);
    instant from = now->began;
    for (size_t i = 0; i < now->loop_count; i++) {
        add_serial(watch, now, from, now->loops[i].began);
        from = now->loops[i].ended;
    }
    add_serial(watch, now, from, now->ended);
}

/* ---- turns ------------------------------------------------------------------------------------------------------- */

/* The blocks of a loop dealt in order: the longest share. */
static uint64_t deal(const block_record *blocks, uint32_t count, uint32_t workers)
{
    uint64_t busy[LOOP_WORKERS] = {0}, longest = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t free_first = 0;
        for (uint32_t worker = 1; worker < workers; worker++) {
            free_first = busy[worker] < busy[free_first] ? worker : free_first;
        }
        busy[free_first] += blocks[i].ns;
        longest = busy[free_first] > longest ? busy[free_first] : longest;
    }
    return longest;
}

/* What the busiest of the real workers did. */
static uint64_t busiest(const block_record *blocks, uint32_t count, uint32_t workers)
{
    uint64_t longest = 0;
    for (uint32_t worker = 0; worker < workers; worker++) {
        uint64_t busy = 0;
        for (uint32_t i = 0; i < count; i++) {
            busy += blocks[i].worker == worker ? blocks[i].ns : 0;
        }
        longest = busy > longest ? busy : longest;
    }
    return longest;
}

static uint64_t longest_share(const loop_watch *watch, const step_trace *trace, const loop_record *loop)
{
    const block_record *blocks = &trace->blocks[loop->first_block];
    return watch->pool != NULL ? busiest(blocks, loop->block_count, watch->workers)
                               : deal(blocks, loop->block_count, watch->workers);
}

/* What the step takes with all workers. */
static double parallel_time(const loop_watch *watch, const step_trace *trace)
{
    double sum = 0;
    for (int stage = 0; stage < STAGE_STEP; stage++) {
        sum += trace->serial_ns[stage];
    }
    for (size_t i = 0; i < trace->loop_count; i++) {
        sum += (double)longest_share(watch, trace, &trace->loops[i]);
    }
    return sum;
}

static bool replace(loop_watch *watch, step_trace *kept)
{
    const step_trace *now = &watch->now;
    if (!make_room(watch->owner, kept, now->loop_count, now->block_count)) {
        return false;
    }
    if (now->loop_count > 0) {
        memcpy(kept->loops, now->loops, now->loop_count * sizeof *now->loops);
        memcpy(kept->blocks, now->blocks, now->block_count * sizeof *now->blocks);
    }
    kept->loop_count = now->loop_count;
    kept->block_count = now->block_count;
    kept->began = now->began;
    kept->parallel_ns = now->parallel_ns;
    memcpy(kept->serial_ns, now->serial_ns, sizeof kept->serial_ns);
    memcpy(kept->stage_end_ns, now->stage_end_ns, sizeof kept->stage_end_ns);
    kept->kept = true;
    return true;
}

bool loop_watch_keep(loop_watch *watch, uint32_t frame)
{
    step_trace *now = &watch->now;
    step_trace *kept = &watch->frames[frame];
    now->parallel_ns = parallel_time(watch, now);
    bool better = !kept->kept || now->parallel_ns < kept->parallel_ns;
    return !watch->failed && (!better || replace(watch, kept));
}

/* ---- sums -------------------------------------------------------------------------------------------------------- */

static void add_frame(const loop_watch *watch, const step_trace *trace, double weight, loop_summary *summary)
{
    for (int stage = 0; stage < STAGE_STEP; stage++) {
        summary->serial_ms[stage] += weight * trace->serial_ns[stage];
    }
    for (size_t i = 0; i < trace->loop_count; i++) {
        const loop_record *loop = &trace->loops[i];
        const block_record *blocks = &trace->blocks[loop->first_block];
        int stage = stage_at(trace, loop->began.wall_ns);
        uint64_t work = 0;
        for (uint32_t block = 0; block < loop->block_count; block++) {
            work += blocks[block].ns;
        }
        summary->work_ms[stage] += weight * (double)work;
        summary->longest_ms[stage] += weight * (double)longest_share(watch, trace, loop);
    }
}

void loop_watch_sum(const loop_watch *watch, loop_summary *summary)
{
    memset(summary, 0, sizeof *summary);
    summary->workers = watch->workers;
    uint32_t kept = 0;
    for (uint32_t frame = 0; frame < watch->frame_count; frame++) {
        kept += watch->frames[frame].kept;
    }
    for (uint32_t frame = 0; frame < watch->frame_count; frame++) {
        if (watch->frames[frame].kept) {
            add_frame(watch, &watch->frames[frame], 1e-6 / kept, summary);
        }
    }
    for (int stage = 0; stage < STAGE_STEP; stage++) {
        summary->serial_ms[STAGE_STEP] += summary->serial_ms[stage];
        summary->work_ms[STAGE_STEP] += summary->work_ms[stage];
        summary->longest_ms[STAGE_STEP] += summary->longest_ms[stage];
    }
}

double loop_serial_share(const loop_summary *summary, int stage)
{
    return summary->serial_ms[stage] / (summary->serial_ms[STAGE_STEP] + summary->work_ms[STAGE_STEP]);
}

double loop_imbalance(const loop_summary *summary, int stage)
{
    return summary->work_ms[stage] > 0 ? summary->longest_ms[stage] * summary->workers / summary->work_ms[stage] : NAN;
}

double loop_speed_up(const loop_summary *summary)
{
    return (summary->serial_ms[STAGE_STEP] + summary->work_ms[STAGE_STEP]) /
           (summary->serial_ms[STAGE_STEP] + summary->longest_ms[STAGE_STEP]);
}

/* ---- life -------------------------------------------------------------------------------------------------------- */

loop_watch *loop_watch_open(dent_context *owner, uint32_t threads, bool cpu_time, uint32_t frames)
{
    loop_watch *watch = dent_allocate(owner, 1, sizeof *watch);
    if (watch == NULL) {
        return NULL;
    }
    memset(watch, 0, sizeof *watch);
    watch->owner = owner;
    watch->cpu_time = cpu_time;
    watch->workers = threads > 1 ? threads : LOOP_WORKERS;
    watch->clock_cost_ns = measure_clock(cpu_time);
    watch->frames = dent_allocate(owner, frames, sizeof *watch->frames);
    if (watch->frames != NULL) {
        memset(watch->frames, 0, frames * sizeof *watch->frames);
        watch->frame_count = frames;
    }
    dent_context_def def = dent_context_def_default();
    def.thread_count = threads;
    watch->pool = threads > 1 ? dent_context_create(&def, NULL) : NULL;
    if (watch->frames == NULL || (threads > 1 && watch->pool == NULL)) {
        loop_watch_close(watch);
        return NULL;
    }
    return watch;
}

static void release_trace(dent_context *owner, step_trace *trace)
{
    dent_release(owner, trace->loops, trace->loop_capacity, sizeof *trace->loops);
    dent_release(owner, trace->blocks, trace->block_capacity, sizeof *trace->blocks);
}

void loop_watch_close(loop_watch *watch)
{
    if (watch == NULL) {
        return;
    }
    for (uint32_t frame = 0; frame < watch->frame_count; frame++) {
        release_trace(watch->owner, &watch->frames[frame]);
    }
    release_trace(watch->owner, &watch->now);
    dent_release(watch->owner, watch->frames, watch->frame_count, sizeof *watch->frames);
    dent_context_destroy(watch->pool);
    dent_release(watch->owner, watch, 1, sizeof *watch);
}

dent_parallel loop_watch_hook(loop_watch *watch)
{
    return (dent_parallel){.run = run_loop, .worker_count = watch->workers, .user = watch};
}
