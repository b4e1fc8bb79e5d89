/* bench_control.c — the control of a race with threads: a loop of integer arithmetic that touches no memory, on one
 * thread and on all.
 *
 * How much a second thread can bring depends on the machine (shared processors, turbo clocks, other programs). The
 * control is measured in the same turns as the methods, so that their speed-up can be judged beside what was possible
 * at all. */
#include "bench_run.h"

#include "tool.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CONTROL_BLOCKS = 128, CONTROL_STEPS = 12000, WORKER_LIMIT = 1024, LINE_NUMBERS = 8 };

typedef struct control_state {
    dent_context *owner, *context;
    uint64_t sums[WORKER_LIMIT][LINE_NUMBERS]; /* a cache line each, so that nothing is computed in vain */
} control_state;

/* Four chains of multiplications and shifts (the mixing of splitmix64), each waiting for itself only. */
static void control_block(void *data, uint32_t block, uint32_t worker)
{
    control_state *state = data;
    uint64_t chain[4] = {block, block + 1000003u, block + 2000003u, block + 3000017u};
    for (int step = 0; step < CONTROL_STEPS; step++) {
        for (int i = 0; i < 4; i++) {
            chain[i] = (chain[i] ^ chain[i] >> 30) * UINT64_C(0xbf58476d1ce4e5b9) + UINT64_C(0x9e3779b97f4a7c15);
        }
    }
    state->sums[worker][0] += chain[0] ^ chain[1] ^ chain[2] ^ chain[3];
}

static int ask_control(contestant *self)
{
    control_state *state = self->state;
    dent_parallel_for(state->context, CONTROL_BLOCKS, control_block, state);
    return STATUS_GOOD;
}

static void costs_of_control(contestant *self, turn_costs *costs)
{
    (void)self;
    costs->candidates = costs->allocations = NAN;
    for (int phase = 0; phase < PHASE_COUNT; phase++) {
        costs->phase_ms[phase] = NAN;
    }
}

static double peak_of_control(contestant *self)
{
    (void)self;
    return NAN;
}

static void close_control(contestant *self)
{
    control_state *state = self->state;
    dent_context_destroy(state->context);
    dent_release(state->owner, state, 1, sizeof *state);
}

static int enter_control(bench_race *race, uint32_t threads)
{
    control_state *state = dent_allocate(race->scene->context, 1, sizeof *state);
    if (state == NULL) {
        return complain("bench: out of memory");
    }
    memset(state, 0, sizeof *state);
    state->owner = race->scene->context;
    dent_context_def def = dent_context_def_default();
    def.thread_count = threads;
    state->context = dent_context_create(&def, NULL);
    contestant *entered = &race->contestants[race->count++];
    memset(entered, 0, sizeof *entered);
    snprintf(entered->name, sizeof entered->name, "control");
    entered->threads = threads;
    entered->control = true;
    entered->state = state;
    entered->ask = ask_control;
    entered->costs = costs_of_control;
    entered->peak_bytes = peak_of_control;
    entered->close = close_control;
    return state->context != NULL ? STATUS_GOOD : complain("bench: out of memory");
}

int bench_enter_control(bench_race *race)
{
    int status = enter_control(race, 1);
    return status == STATUS_GOOD && race->threads > 1 ? enter_control(race, race->threads) : status;
}
