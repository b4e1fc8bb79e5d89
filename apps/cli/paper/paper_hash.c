/* paper_hash.c — the experiments of "Optimized Spatial Hashing for Collision Detection of Deformable Objects"
 * (Teschner, Heidelberger, Müller, Pomeranets, Gross 2003): the table of set-ups A to E, time against the size of the
 * hash table, time against the size of the grid cells. Their processor was a Pentium 4 at 1.8 GHz. */
#include "paper_hash_work.h"
#include "paper_stage.h"

#include "tool.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static int open_scene(paper_run *run, const char *name, bench_scene *scene)
{
    dent_scene_def def = dent_scene_def_default();
    def.name = name;
    def.scale = run->session->options->scale;
    return bench_scene_open(run->session, "paper", &def, scene);
}

static paper_method paper_form(const char *name)
{
    paper_method method = paper_method_default(name, DENT_METHOD_SPATIAL_HASH);
    method.experiments.spatial_hash.paper_form = true;
    return method;
}

enum { METHOD_LIMIT = 4 };

/* Steps 1 … count after a warm-up in frame 0, the methods in turns. */
static int measure_steps(paper_run *run, bench_scene *scene, const paper_method *methods, int method_count,
                         uint32_t count, paper_statistics *statistics, uint64_t *pairs)
{
    paper_stage stages[METHOD_LIMIT];
    int status = STATUS_GOOD;
    int opened = 0;
    while (opened < method_count && status == STATUS_GOOD) {
        memset(&statistics[opened], 0, sizeof *statistics);
        status = paper_stage_open(run, scene, DENT_QUESTION_VERTEX_CELL, &methods[opened], &stages[opened]);
        opened += status == STATUS_GOOD;
    }
    *pairs = 0;
    for (uint32_t step = 0; step <= count && status == STATUS_GOOD; step++) {
        bench_scene_pose(scene, step);
        progress_set(&run->session->progress, step, count);
        for (int i = 0; i < method_count && status == STATUS_GOOD; i++) {
            double milliseconds;
            uint64_t found;
            status = paper_stage_step(&stages[i], &milliseconds, &found);
            if (status == STATUS_GOOD && step > 0) {
                statistics_add(&statistics[i], milliseconds);
                *pairs += i == 0 ? found : 0;
            }
        }
    }
    for (int i = 0; i < opened; i++) {
        paper_stage_close(&stages[i]);
    }
    return status;
}

/* ---- the table ------------------------------------------------------------------------------------------- */

/* Milliseconds over 1000 steps, as published. */
static const struct published_times {
    const char *scene, *set_up;
    double mean, low, high, deviation;
    uint32_t cells;
} published[] = {
    {"teschner-a", "A", 4.3, 4.1, 6.5, 0.24, 1000},        {"teschner-b", "B", 12.6, 11.3, 15.0, 0.59, 4000},
    {"teschner-c", "C", 30.4, 28.9, 34.4, 1.25, 10000},    {"teschner-d", "D", 70.0, 68.5, 72.1, 0.86, 20514},
    {"teschner-e", "E", 172.5, 170.5, 174.6, 1.08, 50000},
};
enum { SET_UP_COUNT = sizeof published / sizeof published[0] };

static void print_times(paper_run *run, const char *set_up, const char *who, uint32_t cells, double mean, double low,
                        double high, double deviation, double pairs)
{
    printer_format(run->session->out, "%-7s %-24s %8u %10.3f %10.3f %10.3f %10.3f %10.4f\n", set_up, who, cells, mean,
                   low, high, deviation, mean * 1000 / cells);
    printer_format(&run->file, "%s,%s,%u,%.6g,%.6g,%.6g,%.6g,%.6g,", set_up, who, cells, mean, low, high, deviation,
                   mean * 1000 / cells);
    if (pairs >= 0) {
        printer_format(&run->file, "%.6g", pairs);
    }
    printer_text(&run->file, "\n");
}

static int make_set_up(paper_run *run, int index, const paper_method *methods, int method_count, bar_chart *chart)
{
    const struct published_times *row = &published[index];
    bench_scene scene;
    int status = open_scene(run, row->scene, &scene);
    if (status != STATUS_GOOD) {
        return status;
    }
    char group[64];
    snprintf(group, sizeof group, "set-up %s: %u tetrahedra", row->set_up, scene.cell_count);
    print_times(run, row->set_up, "published (Pentium 4)", row->cells, row->mean, row->low, row->high, row->deviation,
                -1);
    bar_chart_add(chart, group, "published (Pentium 4)", true, row->mean, row->low, row->high);
    progress_begin(&run->session->progress, row->scene, 0);
    uint32_t steps = paper_steps(run, 1000);
    paper_statistics times[METHOD_LIMIT];
    uint64_t pairs;
    status = measure_steps(run, &scene, methods, method_count, steps, times, &pairs);
    for (int i = 0; i < method_count && status == STATUS_GOOD; i++) {
        print_times(run, row->set_up, methods[i].name, scene.cell_count, times[i].mean, times[i].low, times[i].high,
                    statistics_deviation(&times[i]), (double)pairs / steps);
        bar_chart_add(chart, group, methods[i].name, false, times[i].mean, times[i].low, times[i].high);
    }
    progress_end(&run->session->progress);
    printer_flush(run->session->out);
    bench_scene_close(&scene);
    return status;
}

static int make_times(paper_run *run)
{
    paper_method methods[] = {paper_form("its plain form"),
                              paper_method_default("spatial hash", DENT_METHOD_SPATIAL_HASH),
                              paper_method_default("bucket tree", DENT_METHOD_BUCKET_TREE),
                              paper_method_default("cluster search", DENT_METHOD_CLUSTER_SEARCH)};
    int status = paper_file_open(run, "hash-times", "csv");
    if (status != STATUS_GOOD) {
        return status;
    }
    bar_chart chart;
    bar_chart_begin(&chart, run->session->context, "Vertices in tetrahedra: set-ups A to E",
                    "milliseconds per step (mean, extremes)");
    printer_format(run->session->out, "%-7s %-24s %8s %10s %10s %10s %10s %10s\n", "set-up", "who", "cells", "mean ms",
                   "min", "max", "deviation", "us/cell");
    printer_text(&run->file, "set_up,who,cells,mean_ms,min_ms,max_ms,deviation_ms,us_per_cell,pairs\n");
    for (int i = 0; i < SET_UP_COUNT && status == STATUS_GOOD; i++) {
        status = make_set_up(run, i, methods, (int)(sizeof methods / sizeof methods[0]), &chart);
    }
    int closed = paper_file_close(run);
    status = status == STATUS_GOOD ? closed : status;
    if (status == STATUS_GOOD && (status = paper_file_open(run, "hash-times", "svg")) == STATUS_GOOD) {
        bar_chart_write(&chart, &run->file);
        status = paper_file_close(run);
    }
    bar_chart_release(&chart);
    return status;
}

/* ---- the two studies ------------------------------------------------------------------------------------- */

enum { CURVE_LIMIT = 6, POINT_LIMIT = 64 };

typedef struct study_curve {
    char name[64];
    uint32_t count;
    double x[POINT_LIMIT], y[POINT_LIMIT], low[POINT_LIMIT], high[POINT_LIMIT];
} study_curve;

typedef struct parameter_study {
    const char *name, *title, *x_label, *x_column;
    bool x_logarithmic;
    uint32_t curve_count;
    study_curve curves[CURVE_LIMIT];
} parameter_study;

/* An empty field is a number nobody knows. */
static void print_field(printer *out, double value)
{
    printer_text(out, ",");
    if (isfinite(value)) {
        printer_format(out, "%.6g", value);
    }
}

/* `cell_size`: see count_hash_work. */
static int add_point(paper_run *run, study_curve *curve, bench_scene *scene, const paper_method *method, double x,
                     double cell_size)
{
    hash_work work;
    paper_statistics times;
    uint64_t pairs;
    uint32_t steps = paper_steps(run, 60);
    int status = measure_steps(run, scene, method, 1, steps, &times, &pairs);
    status = status == STATUS_GOOD ? count_hash_work(run, scene, method, cell_size, &work) : status;
    if (status != STATUS_GOOD) {
        return status;
    }
    double deviation = statistics_deviation(&times);
    printer_format(run->session->out, "%-28s %12g %10.3f %10.3f %10.3g %10.3g %8.3g\n", curve->name, x, times.mean,
                   deviation, work.cells_per_element, work.elements_per_cell, work.clash_ratio);
    printer_flush(run->session->out);
    printer_format(&run->file, "%s,%.9g,%.6g,%.6g,%.6g,%.6g,%.6g", curve->name, x, times.mean, times.low, times.high,
                   deviation, (double)pairs / steps);
    print_field(&run->file, work.cells_per_element);
    print_field(&run->file, work.elements_per_cell);
    print_field(&run->file, work.clash_ratio);
    printer_text(&run->file, "\n");
    uint32_t i = curve->count++;
    curve->x[i] = x;
    curve->y[i] = times.mean;
    curve->low[i] = times.mean - deviation;
    curve->high[i] = times.mean + deviation;
    return STATUS_GOOD;
}

static study_curve *new_curve(parameter_study *study, const char *scene, const char *what)
{
    study_curve *curve = &study->curves[study->curve_count++];
    snprintf(curve->name, sizeof curve->name, "%s %s", scene, what);
    curve->count = 0;
    return curve;
}

static int write_study(paper_run *run, const parameter_study *study)
{
    int status = paper_file_open(run, study->name, "svg");
    if (status != STATUS_GOOD) {
        return status;
    }
    line_series series[CURVE_LIMIT];
    for (uint32_t i = 0; i < study->curve_count; i++) {
        const study_curve *curve = &study->curves[i];
        series[i] =
            (line_series){curve->name, curve->count, curve->x, curve->y, curve->low, curve->high, false, false, false};
    }
    line_chart chart = {study->title,       study->x_label, "milliseconds per step", study->x_logarithmic, true,
                        study->curve_count, series};
    line_chart_write(&chart, &run->file);
    return paper_file_close(run);
}

typedef int study_function(paper_run *run, parameter_study *study, bench_scene *scene);

static int make_study(paper_run *run, parameter_study *study, study_function *curves_of)
{
    static const char *const scenes[] = {"teschner-a", "teschner-d"};
    int status = paper_file_open(run, study->name, "csv");
    if (status != STATUS_GOOD) {
        return status;
    }
    printer_format(run->session->out, "%-28s %12s %10s %10s %10s %10s %8s\n", "scene and form", study->x_column,
                   "mean ms", "deviation", "cells/elem", "elem/cell", "clashes");
    printer_format(
        &run->file,
        "curve,%s,mean_ms,min_ms,max_ms,deviation_ms,pairs,cells_per_element,elements_per_cell,clash_ratio\n",
        study->x_column);
    for (int i = 0; i < 2 && status == STATUS_GOOD; i++) {
        bench_scene scene;
        status = open_scene(run, scenes[i], &scene);
        if (status == STATUS_GOOD) {
            progress_begin(&run->session->progress, scenes[i], 0);
            status = curves_of(run, study, &scene);
            progress_end(&run->session->progress);
            bench_scene_close(&scene);
        }
    }
    int closed = paper_file_close(run);
    status = status == STATUS_GOOD ? closed : status;
    return status == STATUS_GOOD ? write_study(run, study) : status;
}

static bool is_prime(uint32_t number)
{
    for (uint32_t divisor = 2; (uint64_t)divisor * divisor <= number; divisor++) {
        if (number % divisor == 0) {
            return false;
        }
    }
    return number > 1;
}

static int mean_edge(paper_run *run, bench_scene *scene, const paper_method *method, double *edge)
{
    paper_stage stage;
    bench_scene_pose(scene, 0);
    int status = paper_stage_open(run, scene, DENT_QUESTION_VERTEX_CELL, method, &stage);
    if (status == STATUS_GOOD) {
        *edge = paper_mean_edge(scene, &stage);
        paper_stage_close(&stage);
    }
    return status;
}

/* Powers of two, and the primes that follow them. */
static int table_size_curves(paper_run *run, parameter_study *study, bench_scene *scene)
{
    int status = STATUS_GOOD;
    double edge = 1;
    for (int prime = 0; prime < 2; prime++) {
        study_curve *curve = new_curve(study, scene->name, prime ? "prime sizes" : "powers of two");
        paper_method method = paper_form(curve->name);
        status = status == STATUS_GOOD ? mean_edge(run, scene, &method, &edge) : status;
        for (uint32_t size = 16; size <= 1u << 19 && status == STATUS_GOOD; size *= 2) {
            uint32_t slots = size;
            while (prime && !is_prime(slots)) {
                slots++;
            }
            method.spatial_hash.table_size = slots;
            status = add_point(run, curve, scene, &method, slots, edge);
        }
    }
    return status;
}

static int make_table_size(paper_run *run)
{
    static parameter_study study;
    memset(&study, 0, sizeof study);
    study.name = "hash-table-size";
    study.title = "Plain form: time against the size of the hash table (cell = mean edge)";
    study.x_label = "slots (the paper: steep fall, then flat; drawn there up to 5000)";
    study.x_column = "table_size";
    study.x_logarithmic = true;
    return make_study(run, &study, table_size_curves);
}

static int cell_size_curves(paper_run *run, parameter_study *study, bench_scene *scene)
{
    static const double ratios[] = {0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1,   1.1, 1.2,
                                    1.4, 1.6, 1.8, 2,   2.5, 3,   3.5, 4,   4.5, 5};
    int status = STATUS_GOOD;
    for (int form = 0; form < 2 && status == STATUS_GOOD; form++) {
        study_curve *curve = new_curve(study, scene->name, form == 0 ? "plain form" : "spatial hash");
        paper_method method =
            form == 0 ? paper_form(curve->name) : paper_method_default(curve->name, DENT_METHOD_SPATIAL_HASH);
        double edge = 1;
        status = mean_edge(run, scene, &method, &edge);
        for (size_t i = 0; i < sizeof ratios / sizeof ratios[0] && status == STATUS_GOOD; i++) {
            method.spatial_hash.cell_size = ratios[i] * edge;
            status = add_point(run, curve, scene, &method, ratios[i], form == 0 ? ratios[i] * edge : 0);
        }
    }
    return status;
}

static int make_cell_size(paper_run *run)
{
    static parameter_study study;
    memset(&study, 0, sizeof study);
    study.name = "hash-cell-size";
    study.title = "Time against the size of the grid cells";
    study.x_label = "cell size / mean edge (the paper: best at 1; drawn there from 0 to 5)";
    study.x_column = "cell_over_edge";
    return make_study(run, &study, cell_size_curves);
}

const paper_figure figure_hash_times = {
    "hash-times", "spatial hashing: set-ups A to E, mean, min, max, deviation of 1000 steps", make_times};
const paper_figure figure_hash_table_size = {"hash-table-size", "spatial hashing: time against the size of the table",
                                             make_table_size};
const paper_figure figure_hash_cell_size = {"hash-cell-size", "spatial hashing: time against cell size over mean edge",
                                            make_cell_size};
