/* Boxes that are hard, and boxes of which few move.
 *
 *   bench_box_sets [boxes = 100000]
 *
 * Traps: time of an update with its search, all boxes moved, per box and reported pair, beside the even set of as many
 * boxes; with `auto`. Few movers: 10,000 boxes of which one in a hundred moves a frame, beside an object made anew each
 * frame. One thread, CPU time, medians.
 */
#include <dent/boxes.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sort_times.h"

enum { FRAMES = 9 };

enum set_kind { SET_EVEN, SET_EQUAL, SET_GIANT, SET_SIZES, SET_LINE, SET_DIAGONAL, SET_CLUSTER, SET_KINDS };
static const char *const names[SET_KINDS] = {"even",          "all equal", "one giant", "sizes 1 : 1e6",
                                             "a line", "a diagonal", "all but one in a speck"};

static double cpu_seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void make_box(dent_random *random, enum set_kind kind, uint32_t i, uint32_t count, double edge, float box[6])
{
    double at[3], size[3];
    for (int axis = 0; axis < 3; axis++) {
        at[axis] = dent_random_unit(random);
        size[axis] = edge;
    }
    double shared = at[0];
    for (int axis = 0; axis < 3; axis++) {
        switch (kind) {
        case SET_EQUAL:
            at[axis] = 0.5;
            break;
        case SET_GIANT:
            at[axis] = i == count / 2 ? 0.0 : at[axis];
            size[axis] = i == count / 2 ? 1.0 : edge;
            break;
        case SET_SIZES:
            size[axis] = 0.3 * pow(10.0, -6.0 * sqrt((double)i / count)) * (i % 64 == 0 ? 1.0 : 0.01);
            break;
        case SET_LINE:
            at[axis] = axis == 1 ? at[axis] : 0.5;
            size[axis] = 1.0 / count;
            break;
        case SET_DIAGONAL:
            at[axis] = shared;
            size[axis] = 1.0 / count;
            break;
        case SET_CLUSTER:
            at[axis] = i == 0 ? 1e6 : at[axis];
            break;
        default:
            break;
        }
        box[axis] = (float)at[axis];
        box[axis + 3] = (float)(at[axis] + size[axis]);
    }
}

static void fail(dent_context *context)
{
    char text[200];
    dent_context_message(context, text, sizeof text);
    fprintf(stderr, "bench_box_sets: %s\n", text);
    exit(1);
}

static void shift(float *boxes, uint32_t first, uint32_t end, float by)
{
    for (uint32_t k = 6 * first; k < 6 * end; k++) {
        boxes[k] += by;
    }
}

/* Seconds of an update and its search; the number of pairs. */
static double search_time(dent_context *context, dent_boxes *boxes, const float *list, uint32_t count, uint64_t *pairs)
{
    dent_box_pairs result;
    double begin = cpu_seconds();
    if (dent_boxes_update(boxes, dent_box_list_float(list), count) || dent_boxes_pairs(boxes, &result)) {
        fail(context);
    }
    *pairs = result.count;
    return cpu_seconds() - begin;
}

static void run_traps(dent_context *context, uint32_t most)
{
    double even = 0.0;
    printf("%-24s %9s %11s %-12s %10s %12s %8s\n", "set", "boxes", "pairs", "method", "ms", "ns/(box+pair)", "x even");
    for (int kind = 0; kind < SET_KINDS; kind++) {
        uint32_t count = kind == SET_EQUAL ? (most < 3000 ? most : 3000) : most;
        float *list = malloc(6 * sizeof *list * count);
        dent_random random = dent_random_seeded(9);
        dent_boxes *boxes = NULL;
        dent_boxes_counters counters;
        double times[FRAMES];
        uint64_t pairs = 0;
        if (!list || dent_boxes_create(context, NULL, &boxes)) {
            fail(context);
        }
        for (uint32_t i = 0; i < count; i++) {
            make_box(&random, (enum set_kind)kind, i, count, 0.8 * cbrt(1.0 / count), list + 6 * i);
        }
        search_time(context, boxes, list, count, &pairs);
        for (int frame = 0; frame < FRAMES; frame++) {
            shift(list, 0, count, frame % 2 ? -0.001f : 0.001f);
            times[frame] = search_time(context, boxes, list, count, &pairs);
        }
        sort_times(times, FRAMES);
        dent_boxes_get_counters(boxes, &counters);
        double each = 1e9 * times[FRAMES / 2] / ((double)count + (double)pairs);
        even = kind == SET_EVEN ? each : even;
        printf("%-24s %9u %11llu %-12s %10.3f %12.2f %8.2f\n", names[kind], count, (unsigned long long)pairs,
               dent_boxes_method_name(counters.method), 1e3 * times[FRAMES / 2], each, each / even);
        dent_boxes_destroy(boxes);
        free(list);
    }
}

static void run_few(dent_context *context, bool wide)
{
    enum { COUNT = 10000, ROUNDS = 101 };
    float *list = malloc(6 * sizeof *list * COUNT);
    double *doubles = malloc(6 * sizeof *doubles * COUNT), kept[ROUNDS], anew[ROUNDS], again[ROUNDS];
    dent_boxes *boxes = NULL, *same = NULL;
    dent_random random = dent_random_seeded(10);
    dent_box_pairs result = {0, NULL}, fresh_result = {0, NULL}, same_result = {0, NULL};
    if (!list || !doubles || dent_boxes_create(context, NULL, &boxes) || dent_boxes_create(context, NULL, &same)) {
        fail(context);
    }
    for (uint32_t i = 0; i < COUNT; i++) {
        make_box(&random, SET_EVEN, i, COUNT, 0.8 * cbrt(1.0 / COUNT), list + 6 * i);
    }
    for (int round = 0; round < ROUNDS; round++) {
        for (int k = 0; k < COUNT / 100; k++) {
            uint32_t i = dent_random_below(&random, COUNT);
            shift(list, i, i + 1, 0.004f * (float)(dent_random_unit(&random) - 0.5));
        }
        for (uint32_t k = 0; k < 6 * COUNT; k++) {
            doubles[k] = wide ? list[k] * 1.1 : 0.0;
        }
        dent_box_list given = wide ? dent_box_list_double(doubles) : dent_box_list_float(list);
        dent_boxes *fresh = NULL;
        double t0 = cpu_seconds();
        if (dent_boxes_update(boxes, given, COUNT) || dent_boxes_pairs(boxes, &result)) {
            fail(context);
        }
        double t1 = cpu_seconds();
        if (dent_boxes_create(context, NULL, &fresh) || dent_boxes_update(fresh, given, COUNT) ||
            dent_boxes_pairs(fresh, &fresh_result)) {
            fail(context);
        }
        double t2 = cpu_seconds();
        /* the same object, told that all is new: no allocation, everything sorted and searched */
        if (dent_boxes_update(same, given, COUNT - 1) || dent_boxes_update(same, given, COUNT)) {
            fail(context);
        }
        double t3 = cpu_seconds();
        if (dent_boxes_pairs(same, &same_result)) {
            fail(context);
        }
        double t4 = cpu_seconds();
        if (result.count != fresh_result.count || result.count != same_result.count ||
            memcmp(result.pairs, fresh_result.pairs, result.count * sizeof *result.pairs) != 0) {
            fprintf(stderr, "bench_box_sets: pairs differ\n");
            exit(1);
        }
        dent_boxes_destroy(fresh);
        kept[round] = t1 - t0, anew[round] = t2 - t1, again[round] = t4 - t3;
    }
    sort_times(kept, ROUNDS);
    sort_times(anew, ROUNDS);
    sort_times(again, ROUNDS);
    printf("10,000 %s, 1 %% move, %llu pairs: %.1f us; a new object %.1f us, %.1f times; rebuilt in place %.1f us, %.1f "
           "times\n",
           wide ? "boxes of doubles" : "boxes of floats", (unsigned long long)result.count, 1e6 * kept[ROUNDS / 2],
           1e6 * anew[ROUNDS / 2], anew[ROUNDS / 2] / kept[ROUNDS / 2], 1e6 * again[ROUNDS / 2],
           again[ROUNDS / 2] / kept[ROUNDS / 2]);
    dent_boxes_destroy(boxes);
    dent_boxes_destroy(same);
    free(list);
    free(doubles);
}

int main(int argc, char **argv)
{
    dent_context_def def = dent_context_def_default();
    def.thread_count = 1;
    dent_context *context = dent_context_create(&def, NULL);
    run_traps(context, argc > 1 ? (uint32_t)atof(argv[1]) : 100000);
    run_few(context, false);
    run_few(context, true);
    dent_context_destroy(context);
    return 0;
}
