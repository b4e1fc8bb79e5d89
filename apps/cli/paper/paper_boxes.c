/* paper_boxes.c — boxes of the caller (dent/boxes.h): time against cell size, table size and hash function of the grids, and
 * a table of all methods on five kinds of sets, every box moving a little in every frame. */
#include "bench/bench_run.h"
#include "paper_chart.h"
#include "tool.h"

#include <dent/boxes.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct box_scene {
    const char *name;
    double size_ratio; /* of the largest box to the smallest */
    double thickness;  /* of the space along z, of 1 */
    double clustered;  /* share of boxes in a corner of a tenth */
} box_scene;

static const box_scene scenes[] = {
    {"even", 1, 1, 0}, {"sizes 1:1000", 1000, 1, 0}, {"flat", 1, 0.01, 0}, {"clustered", 1, 1, 0.9}, {"row", 1, 1e-4, 0}};
enum { SCENES = sizeof scenes / sizeof scenes[0] };

typedef struct box_stage {
    dent_context *context;
    uint32_t count;
    float *boxes;
    double mean_edge;
} box_stage;

static uint32_t count_of(const paper_run *run, uint32_t usual)
{
    double scale = options_have(run->session->options, OPTION_SCALE) ? run->session->options->scale : 1;
    return (uint32_t)fmax(100, usual * scale);
}

/* About half a pair a box in the even scene. */
static void draw(box_stage *stage, const box_scene *scene, dent_random *random)
{
    double edge = 0.4 * cbrt(1.0 / stage->count), sum = 0;
    for (uint32_t i = 0; i < stage->count; i++) {
        double size = edge * pow(scene->size_ratio, -dent_random_unit(random));
        double room = dent_random_unit(random) < scene->clustered ? 0.1 : 1;
        for (int axis = 0; axis < 3; axis++) {
            double span = axis == 2 || (axis == 1 && scene->thickness < 1e-3) ? scene->thickness : 1;
            double place = room * span * dent_random_unit(random);
            stage->boxes[6 * (size_t)i + (size_t)axis] = (float)place;
            stage->boxes[6 * (size_t)i + 3 + (size_t)axis] = (float)(place + size);
        }
        sum += size;
    }
    stage->mean_edge = sum / stage->count;
}

static void move(box_stage *stage, dent_random *random)
{
    for (uint32_t i = 0; i < stage->count; i++) {
        for (int axis = 0; axis < 3; axis++) {
            float step = (float)(0.1 * stage->mean_edge * (2 * dent_random_unit(random) - 1));
            stage->boxes[6 * (size_t)i + (size_t)axis] += step;
            stage->boxes[6 * (size_t)i + 3 + (size_t)axis] += step;
        }
    }
}

/* Milliseconds of an update with its pairs: the best of the frames. */
static int measure(paper_run *run, box_stage *stage, const box_scene *scene, const dent_boxes_def *def, uint32_t frames,
                   double *ms, uint64_t *pairs)
{
    bool cpu = options_have(run->session->options, OPTION_CPU_TIME);
    dent_random random = dent_random_seeded(7);
    dent_boxes *boxes = NULL;
    dent_box_pairs result = {0};
    dent_status status = dent_boxes_create(stage->context, def, &boxes);
    *ms = INFINITY;
    draw(stage, scene, &random);
    for (uint32_t frame = 0; frame <= frames && status == DENT_OK; frame++) {
        uint64_t began = bench_clock_ns(cpu);
        status = dent_boxes_update(boxes, dent_box_list_float(stage->boxes), stage->count);
        status = status == DENT_OK ? dent_boxes_pairs(boxes, &result) : status;
        double one = (double)(bench_clock_ns(cpu) - began) * 1e-6;
        *ms = frame > 0 && one < *ms ? one : *ms; /* the first warms up */
        *pairs = result.count;
        move(stage, &random);
    }
    dent_boxes_destroy(boxes);
    return status == DENT_OK ? STATUS_GOOD : complain("paper: %s", session_message(run->session, status));
}

static int stage_open(paper_run *run, uint32_t usual, box_stage *stage)
{
    *stage = (box_stage){.context = run->session->context, .count = count_of(run, usual)};
    stage->boxes = dent_allocate(stage->context, stage->count, 6 * sizeof(float));
    return stage->boxes != NULL ? STATUS_GOOD : complain("paper: out of memory");
}

static void stage_close(box_stage *stage)
{
    dent_release(stage->context, stage->boxes, stage->count, 6 * sizeof(float));
}

/* One curve point for one setting of a grid. */
static int measure_grid(paper_run *run, box_stage *stage, paper_chart *chart, const dent_boxes_def *def, const char *curve,
                        double x)
{
    double ms;
    uint64_t pairs;
    int status = measure(run, stage, &scenes[0], def, paper_steps(run, 3), &ms, &pairs);
    if (status == STATUS_GOOD) {
        printer_format(&run->file, "%s,%.6g,%.6g,%llu\n", curve, x, ms, (unsigned long long)pairs);
        printer_format(run->session->out, "  %-18s %10.4g: %9.3f ms, %llu pairs\n", curve, x, ms, (unsigned long long)pairs);
        paper_chart_add(chart, curve, x, ms);
    }
    return status;
}

static int make_cells(paper_run *run)
{
    static const double sizes[] = {0.5, 0.75, 1, 1.5, 2, 3, 4, 6, 8};
    static const dent_boxes_method grids[] = {DENT_BOXES_DENSE_GRID, DENT_BOXES_HASH_GRID, DENT_BOXES_HIERARCHICAL_GRID};
    box_stage stage;
    paper_chart chart = {.name = "boxes-cells", .title = "Boxes: time against the size of grid cells",
                         .x_label = "cell size / mean edge of a box", .y_label = "ms", .x_logarithmic = true};
    int status = stage_open(run, 50000, &stage);
    status = status == STATUS_GOOD ? paper_file_open(run, chart.name, "csv") : status;
    if (status != STATUS_GOOD) {
        stage_close(&stage);
        return status;
    }
    printer_text(&run->file, "method,cell_size_in_edges,ms,pairs\n");
    double edge = 0.4 * cbrt(1.0 / stage.count);
    for (size_t grid = 0; grid < sizeof grids / sizeof grids[0]; grid++) {
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0] && status == STATUS_GOOD; i++) {
            dent_boxes_def def = dent_boxes_def_default();
            def.method = grids[grid];
            def.cell_size = sizes[i] * edge;
            status = measure_grid(run, &stage, &chart, &def, dent_boxes_method_name(grids[grid]), sizes[i]);
        }
    }
    status = paper_chart_finish(run, &chart, status);
    stage_close(&stage);
    return status;
}

static int make_tables(paper_run *run)
{
    static const double sizes[] = {0.125, 0.25, 0.5, 1, 2, 4, 8};
    static const char *const hashes[DENT_BOXES_HASH_COUNT] = {"mix", "xor of primes"};
    box_stage stage;
    paper_chart chart = {.name = "boxes-tables", .title = "Boxes in a hash grid: time against the size of the table",
                         .x_label = "slots / boxes", .y_label = "ms", .x_logarithmic = true};
    int status = stage_open(run, 50000, &stage);
    status = status == STATUS_GOOD ? paper_file_open(run, chart.name, "csv") : status;
    if (status != STATUS_GOOD) {
        stage_close(&stage);
        return status;
    }
    printer_text(&run->file, "hash,slots_per_box,ms,pairs\n");
    for (int hash = 0; hash < DENT_BOXES_HASH_COUNT; hash++) {
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0] && status == STATUS_GOOD; i++) {
            dent_boxes_def def = dent_boxes_def_default();
            def.method = DENT_BOXES_HASH_GRID;
            def.hash = (dent_boxes_hash)hash;
            def.table_size = (uint32_t)(sizes[i] * stage.count);
            status = measure_grid(run, &stage, &chart, &def, hashes[hash], sizes[i]);
        }
    }
    status = paper_chart_finish(run, &chart, status);
    stage_close(&stage);
    return status;
}

/* The sweep compares too much of large sets, but for rows. */
static bool is_left_out(int method, const box_scene *scene)
{
    return method == DENT_BOXES_AUTO || (method == DENT_BOXES_SWEEP && scene->thickness > 1e-3);
}

static int measure_scene(paper_run *run, box_stage *stage, paper_chart *chart, int scene)
{
    const char *best = "";
    double least = INFINITY;
    int status = STATUS_GOOD;
    printer_format(run->session->out, "  %-14s", scenes[scene].name);
    for (int method = 0; method < DENT_BOXES_METHOD_COUNT && status == STATUS_GOOD; method++) {
        dent_boxes_def def = dent_boxes_def_default();
        double ms;
        uint64_t pairs;
        def.method = (dent_boxes_method)method;
        if (is_left_out(method, &scenes[scene])) {
            continue;
        }
        status = measure(run, stage, &scenes[scene], &def, paper_steps(run, 3), &ms, &pairs);
        const char *name = dent_boxes_method_name(def.method);
        if (status == STATUS_GOOD) {
            printer_format(&run->file, "%s,%u,%s,%.6g,%llu\n", scenes[scene].name, stage->count, name, ms,
                           (unsigned long long)pairs);
            printer_format(run->session->out, " %s %.2f", name, ms);
            paper_chart_add(chart, name, scene + 1, ms);
            best = ms < least ? name : best;
            least = ms < least ? ms : least;
        }
    }
    printer_format(run->session->out, " ms; fastest: %s\n", best);
    return status;
}

static int make_rows(paper_run *run)
{
    box_stage stage;
    paper_chart chart = {.name = "boxes-rows", .title = "Methods on five kinds of sets of boxes",
                         .x_label = "even, sizes 1:1000, flat, clustered, row", .y_label = "ms", .y_logarithmic = true};
    int status = stage_open(run, 50000, &stage);
    status = status == STATUS_GOOD ? paper_file_open(run, chart.name, "csv") : status;
    if (status != STATUS_GOOD) {
        stage_close(&stage);
        return status;
    }
    printer_text(&run->file, "scene,boxes,method,ms,pairs\n");
    for (int scene = 0; scene < SCENES && status == STATUS_GOOD; scene++) {
        status = measure_scene(run, &stage, &chart, scene);
    }
    status = paper_chart_finish(run, &chart, status);
    stage_close(&stage);
    return status;
}

const paper_figure figure_boxes_cells = {"boxes-cells", "pairs of boxes by grids: time against the size of cells", make_cells};
const paper_figure figure_boxes_tables = {
    "boxes-tables", "pairs of boxes by a hash grid: time against the size of the table, two hash functions", make_tables};
const paper_figure figure_boxes_rows = {"boxes-rows", "pairs of boxes: all methods on five kinds of sets", make_rows};
