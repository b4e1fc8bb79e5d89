/* Boxes that are hard, and boxes of which few move.
 *
 *   bench_box_sets [boxes = 100000]
 *
 * Traps: time of an update with its search, all boxes moved, per box and reported pair, beside the even set of as many
 * boxes; with `auto`. Few movers: 10,000 boxes of which one in a hundred moves a frame, updates included, beside an object
 * made anew, beside one that reads, sorts and searches all of them in memory it has, and beside one that keeps its order
 * and only searches all pairs. One thread, CPU time, medians.
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

/* 10,000 boxes of which a hundred move a frame. */
enum { FEW_COUNT = 10000, FEW_MOVE = FEW_COUNT / 100, FEW_ROUNDS = 101 };
enum few_way { WAY_KEPT, WAY_SEARCHED, WAY_REBUILT, WAY_ANEW, FEW_WAYS };

struct few_stage {
    dent_context *context;
    float *list;
    double *doubles; /* null: the floats are given */
    dent_boxes *boxes[FEW_WAYS];
    dent_box_pairs pairs[FEW_WAYS];
    double times[FEW_WAYS][FEW_ROUNDS];
};

static void move_few(struct few_stage *stage, dent_random *random)
{
    for (int k = 0; k < FEW_MOVE; k++) {
        uint32_t i = dent_random_below(random, FEW_COUNT);
        shift(stage->list, i, i + 1, 0.004f * (float)(dent_random_unit(random) - 0.5));
    }
    for (uint32_t k = 0; k < 6 * FEW_COUNT && stage->doubles; k++) {
        stage->doubles[k] = stage->list[k] * 1.1;
    }
}

/* Seconds of an update and its pairs; a list of another length before makes the object forget what it knew. */
static double way_time(struct few_stage *stage, enum few_way way)
{
    dent_box_list given = stage->doubles ? dent_box_list_double(stage->doubles) : dent_box_list_float(stage->list);
    dent_boxes **boxes = &stage->boxes[way];
    if (way == WAY_ANEW) {
        dent_boxes_destroy(*boxes);
        *boxes = NULL;
    }
    if ((way == WAY_SEARCHED || way == WAY_REBUILT) && dent_boxes_update(*boxes, given, FEW_COUNT - 1)) {
        fail(stage->context);
    }
    if (way == WAY_REBUILT && dent_boxes_pairs(*boxes, &stage->pairs[way])) { /* sorts for one box less */
        fail(stage->context);
    }
    double begin = cpu_seconds();
    if (!*boxes && dent_boxes_create(stage->context, NULL, boxes)) {
        fail(stage->context);
    }
    if (dent_boxes_update(*boxes, given, FEW_COUNT) || dent_boxes_pairs(*boxes, &stage->pairs[way])) {
        fail(stage->context);
    }
    return cpu_seconds() - begin;
}

static void require_equal_pairs(const struct few_stage *stage)
{
    const dent_box_pairs *kept = &stage->pairs[WAY_KEPT];
    for (int way = 0; way < FEW_WAYS; way++) {
        const dent_box_pairs *pairs = &stage->pairs[way];
        if (pairs->count != kept->count || memcmp(pairs->pairs, kept->pairs, kept->count * sizeof *kept->pairs) != 0) {
            fprintf(stderr, "bench_box_sets: pairs differ\n");
            exit(1);
        }
    }
}

static void run_few(dent_context *context, bool wide)
{
    static const char *const ways[FEW_WAYS] = {"partners of the moved boxes", "order kept, all pairs searched",
                                               "sorted again in memory at hand", "new object"};
    static struct few_stage stage;
    dent_random random = dent_random_seeded(10);
    stage = (struct few_stage){.context = context, .list = malloc(6 * sizeof *stage.list * FEW_COUNT)};
    stage.doubles = wide ? malloc(6 * sizeof *stage.doubles * FEW_COUNT) : NULL;
    if (!stage.list || (wide && !stage.doubles)) {
        fail(context);
    }
    for (uint32_t i = 0; i < FEW_COUNT; i++) {
        make_box(&random, SET_EVEN, i, FEW_COUNT, 0.8 * cbrt(1.0 / FEW_COUNT), stage.list + 6 * i);
    }
    for (int way = 0; way < FEW_WAYS; way++) {
        if (dent_boxes_create(context, NULL, &stage.boxes[way])) {
            fail(context);
        }
    }
    for (int round = -1; round < FEW_ROUNDS; round++) { /* the first warms up */
        move_few(&stage, &random);
        for (int way = 0; way < FEW_WAYS; way++) {
            double time = way_time(&stage, (enum few_way)way);
            stage.times[way][round < 0 ? 0 : round] = time;
        }
        require_equal_pairs(&stage);
    }
    printf("10,000 boxes of %s, 1 %% move, %llu pairs; an update and its pairs:\n", wide ? "doubles" : "floats",
           (unsigned long long)stage.pairs[WAY_KEPT].count);
    for (int way = 0; way < FEW_WAYS; way++) {
        sort_times(stage.times[way], FEW_ROUNDS);
        printf("  %-32s %8.1f us %6.1f times\n", ways[way], 1e6 * stage.times[way][FEW_ROUNDS / 2],
               stage.times[way][FEW_ROUNDS / 2] / stage.times[WAY_KEPT][FEW_ROUNDS / 2]);
        dent_boxes_destroy(stage.boxes[way]);
    }
    free(stage.list);
    free(stage.doubles);
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
