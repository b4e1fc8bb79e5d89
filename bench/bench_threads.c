/* What a second thread brings a step, beside what it can bring at all on this machine.
 *
 * Six things take turns, round after round, by the clock: the step on one thread and on several, a loop of integer
 * arithmetic on one and on several, and a loop that streams as many bytes as the step reads on one and on several. The
 * bytes: all that the world of the method holds after its warm-up, scratch and answers included, and the caller's
 * positions. In each round the time on one thread is divided by the time on several; medians of these are printed, and
 * the speed-up of the step over the lower of the two controls. A step bound by arithmetic cannot beat the first, one
 * bound by memory not the second; shared processors, turbo clocks and other programs lower all three alike.
 *
 *   bench_threads [--threads N] [--rounds N] [--scale S] [SCENE...]
 *
 * Default: 2 threads, 31 rounds, blocks-640k, folded-1m, cloth-500k, jaw and fitted. Steps below 5 ms are not judged:
 * waking a thread is no small part of them. The bar is 0.9; the machine should be idle. */
#include <dent/dent.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scene_stage.h"
#include "sort_times.h"

enum {
    FRAMES = 2,
    ROUNDS_MAX = 1001,
    STREAM_BLOCK = 1 << 16,
    ARITHMETIC_BLOCKS = 256,
    LINE_WORDS = 8,
    WORKERS_MAX = 1024
};

static const double least_ms = 5, bar = 0.9;
static const char *const default_scenes[] = {"blocks-640k", "folded-1m", "cloth-500k", "jaw", "fitted"};

/* ---- controls ---------------------------------------------------------------------------------------------------- */

struct control {
    const uint64_t *words; /* streamed: `bytes` of them */
    size_t bytes;
    uint32_t steps;                         /* of arithmetic, in each block */
    uint64_t sums[WORKERS_MAX][LINE_WORDS]; /* a cache line each, so that nothing is computed in vain */
};

static void stream_block(void *data, uint32_t block, uint32_t worker)
{
    struct control *control = data;
    size_t first = (size_t)block * STREAM_BLOCK, left = control->bytes - first;
    const uint64_t *words = control->words + first / sizeof *words;
    size_t count = (left < STREAM_BLOCK ? left : STREAM_BLOCK) / sizeof *words;
    uint64_t sums[4] = {0, 0, 0, 0};
    for (size_t i = 0; i + 4 <= count; i += 4) {
        for (int k = 0; k < 4; k++) {
            sums[k] += words[i + k];
        }
    }
    control->sums[worker][0] += sums[0] + sums[1] + sums[2] + sums[3];
}

/* Four chains of multiplications and shifts, each waiting for itself only; no memory. */
static void arithmetic_block(void *data, uint32_t block, uint32_t worker)
{
    struct control *control = data;
    uint64_t chain[4] = {block, block + 1000003u, block + 2000003u, block + 3000017u};
    for (uint32_t step = 0; step < control->steps; step++) {
        for (int i = 0; i < 4; i++) {
            chain[i] = (chain[i] ^ chain[i] >> 30) * UINT64_C(0xbf58476d1ce4e5b9) + UINT64_C(0x9e3779b97f4a7c15);
        }
    }
    control->sums[worker][1] += chain[0] ^ chain[1] ^ chain[2] ^ chain[3];
}

/* ---- what takes turns -------------------------------------------------------------------------------------------- */

enum { STEP, ARITHMETIC, STREAM, KINDS };

struct race {
    dent_context *contexts[2]; /* one thread; several */
    struct stage stages[2];
    dent_query_def def;
    struct control *control;
    uint64_t scene_bytes; /* of a scene, which lies in the context of its world but is no part of the step */
    double ratios[KINDS][ROUNDS_MAX], step_ms[2][ROUNDS_MAX];
};

static void must(dent_status status, dent_world *world)
{
    if (status != DENT_OK) {
        fprintf(stderr, "bench_threads: %s\n", dent_world_message(world));
        exit(2);
    }
}

static double take_turn(struct race *race, int kind, int several)
{
    dent_context *context = race->contexts[several];
    uint64_t began = dent_clock_ns();
    if (kind == STEP) {
        dent_query_result result;
        must(dent_world_query(race->stages[several].world, &race->def, &result), race->stages[several].world);
    } else if (kind == ARITHMETIC) {
        dent_parallel_for(context, ARITHMETIC_BLOCKS, arithmetic_block, race->control);
    } else {
        uint32_t blocks = (uint32_t)((race->control->bytes + STREAM_BLOCK - 1) / STREAM_BLOCK);
        dent_parallel_for(context, blocks, stream_block, race->control);
    }
    return 1e-6 * (double)(dent_clock_ns() - began);
}

static void take_round(struct race *race, uint32_t round)
{
    for (int several = 0; several < 2; several++) {
        pose(&race->stages[several], round % FRAMES);
    }
    for (int kind = 0; kind < KINDS; kind++) {
        double ms[2];
        for (int i = 0; i < 2; i++) { /* who comes first changes from round to round */
            int several = (int)(((uint32_t)i + round) % 2);
            ms[several] = take_turn(race, kind, several);
        }
        race->ratios[kind][round] = ms[0] / ms[1];
        for (int several = 0; several < 2 && kind == STEP; several++) {
            race->step_ms[several][round] = ms[several];
        }
    }
}

static double median(double *times, uint32_t count)
{
    sort_times(times, count);
    return times[count / 2];
}

/* Both controls are to take about as long as the step. False: no memory. */
static bool make_controls(struct race *race, double step_ms)
{
    struct control *control = race->control;
    control->bytes = (size_t)(dent_context_memory_use(race->contexts[0]).bytes - race->scene_bytes) +
                     3 * sizeof(double) * (size_t)race->stages[0].vertices;
    uint64_t *words = malloc(control->bytes + STREAM_BLOCK);
    if (words == NULL) {
        return false;
    }
    memset(words, 1, control->bytes + STREAM_BLOCK);
    control->words = words;
    control->steps = 1000;
    double ms = take_turn(race, ARITHMETIC, 0);
    control->steps = (uint32_t)(1000 * step_ms / ms) + 1;
    return true;
}

/* ---- scenes ------------------------------------------------------------------------------------------------------ */

static const struct {
    const char *name;
    uint32_t questions;
} asked[] = {{"vertex-cell", DENT_QUESTION_VERTEX_CELL},
             {"face-cell", DENT_QUESTION_FACE_CELL},
             {"both", DENT_QUESTION_VERTEX_CELL | DENT_QUESTION_FACE_CELL},
             {"face-face", DENT_QUESTION_FACE_FACE}};

static void judge(struct race *race, const char *scene, const char *question, uint32_t rounds)
{
    double one_ms = 0;
    for (uint32_t round = 0; round < FRAMES + 1; round++) { /* warm-up: AUTO has chosen, memory is there */
        for (int several = 0; several < 2; several++) {
            pose(&race->stages[several], round % FRAMES);
            double ms = take_turn(race, STEP, several);
            one_ms = several == 0 ? ms : one_ms;
        }
    }
    if (one_ms < least_ms) {
        printf("%-12s %-11s %9.2f  below %g ms: not judged\n", scene, question, one_ms, least_ms);
        return;
    }
    if (!make_controls(race, one_ms)) {
        fprintf(stderr, "bench_threads: out of memory\n");
        exit(2);
    }
    for (uint32_t round = 0; round < rounds; round++) {
        take_round(race, round);
    }
    double gained = median(race->ratios[STEP], rounds), arithmetic = median(race->ratios[ARITHMETIC], rounds),
           stream = median(race->ratios[STREAM], rounds), lower = arithmetic < stream ? arithmetic : stream;
    printf("%-12s %-11s %9.2f %9.2f %9.2f %11.2f %10.2f %8.1f %8.2f%s\n", scene, question,
           median(race->step_ms[0], rounds), median(race->step_ms[1], rounds), gained, arithmetic, stream,
           1e-6 * (double)race->control->bytes, gained / lower, gained / lower < bar ? "  below the bar" : "");
    fflush(stdout);
    free((void *)race->control->words);
}

static uint64_t bytes_of_scene(const char *name, double scale)
{
    dent_context *context = dent_context_create(NULL, NULL);
    dent_scene_def def = dent_scene_def_default();
    dent_scene *scene = NULL;
    def.name = name;
    def.scale = scale;
    uint64_t before = dent_context_memory_use(context).bytes;
    uint64_t bytes = dent_scene_create(context, &def, &scene) == DENT_OK
                         ? dent_context_memory_use(context).bytes - before
                         : 0; /* said when the stage opens */
    dent_scene_destroy(scene);
    dent_context_destroy(context);
    return bytes;
}

static bool run_scene(struct race *race, const char *name, double scale, uint32_t threads, uint32_t rounds)
{
    race->scene_bytes = bytes_of_scene(name, scale);
    for (size_t i = 0; i < sizeof asked / sizeof asked[0]; i++) {
        bool good = true;
        for (int several = 0; several < 2; several++) { /* fresh ones: memory is counted for one question */
            dent_context_def def = dent_context_def_default();
            def.thread_count = several ? threads : 1;
            race->contexts[several] = dent_context_create(&def, NULL);
            good = good && race->contexts[several] != NULL &&
                   open_stage(&race->stages[several], race->contexts[several], "bench_threads", name, scale);
        }
        if (!good) {
            return false;
        }
        bool solid = dent_scene_body_at(race->stages[0].scene, 0)->kind == DENT_BODY_SOLID;
        race->def = dent_query_def_default();
        race->def.questions = asked[i].questions;
        race->def.no_details = true;
        if (solid == (asked[i].questions != DENT_QUESTION_FACE_FACE)) {
            judge(race, name, asked[i].name, rounds);
        }
        for (int several = 0; several < 2; several++) {
            close_stage(&race->stages[several]);
            dent_context_destroy(race->contexts[several]);
        }
    }
    return true;
}

int main(int count, char **arguments)
{
    uint32_t threads = 2, rounds = 31;
    double scale = 1;
    int first = 1;
    for (; first + 1 < count && arguments[first][0] == '-'; first += 2) {
        const char *name = arguments[first], *value = arguments[first + 1];
        threads = strcmp(name, "--threads") == 0 ? (uint32_t)atoi(value) : threads;
        rounds = strcmp(name, "--rounds") == 0 ? (uint32_t)atoi(value) : rounds;
        scale = strcmp(name, "--scale") == 0 ? atof(value) : scale;
    }
    if (threads < 2 || threads > WORKERS_MAX || rounds < 1 || rounds > ROUNDS_MAX || !(scale > 0)) {
        fprintf(stderr, "usage: bench_threads [--threads N] [--rounds N] [--scale S] [SCENE...]\n");
        return 2;
    }
    static struct race race;
    static struct control control;
    race.control = &control;
    printf("%u threads, medians of %u rounds, wall time; speed-ups are one thread over %u\n", threads, rounds, threads);
    printf("%-12s %-11s %9s %9s %9s %11s %10s %8s %8s\n", "scene", "question", "one ms", "all ms", "speed-up",
           "arithmetic", "streaming", "MB", "share");
    int scenes = count > first ? count - first : (int)(sizeof default_scenes / sizeof default_scenes[0]);
    for (int i = 0; i < scenes; i++) {
        const char *name = count > first ? arguments[first + i] : default_scenes[i];
        if (!run_scene(&race, name, scale, threads, rounds)) {
            return 2;
        }
    }
    return 0;
}
