/* paper_bucket.c — the four experiments of the BucketTree article (Ganovelli, Dingliana, O'Sullivan 2000, as retold
 * with measurements by Erleben and Sporring): V-shaped strips dragged through each other, and one whose legs swing
 * through each other. A measurement is one step: how many tetrahedra, how many intersections, how long. Steps whose
 * other number lies within the article's limits are drawn and fitted (quadratic or linear, as there), with one standard
 * deviation.
 *
 * An intersection is a pair of face-cell, since that is what the tree's exact test answers. The article draws its times
 * (a Xeon of 2.4 GHz) without numbers, so only the shape of the curves can be compared. */
#include "paper_stage.h"

#include "tool.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { FORM_COUNT = 2, BAND_POINTS = 33, BAND_LIMIT = 2, SCENE_FRAMES = 100 };

typedef struct measurement {
    double cells, hits, milliseconds[FORM_COUNT];
} measurement;

typedef struct measurement_list {
    dent_context *context;
    measurement *items;
    uint32_t count, capacity;
} measurement_list;

/* Limits of the number that is not drawn. */
typedef struct number_limits {
    double low, high;
    const char *name;
} number_limits;

typedef struct v_experiment {
    const char *name, *title, *scene;
    bool against_size; /* x is the number of cells, else that of hits */
    int degree;
    uint32_t limit_count;
    number_limits limits[BAND_LIMIT];
    double cells_low, cells_high; /* of the meshes that are made */
    uint32_t mesh_count;
} v_experiment;

static bool add_measurement(measurement_list *list, measurement item)
{
    if (list->count == list->capacity) {
        uint32_t capacity = 2 * list->capacity + 256;
        measurement *larger =
            dent_reallocate(list->context, list->items, list->capacity, capacity, sizeof *list->items);
        if (larger == NULL) {
            return false;
        }
        list->items = larger;
        list->capacity = capacity;
    }
    list->items[list->count++] = item;
    return true;
}

static void fill_forms(paper_method forms[FORM_COUNT], bool no_self)
{
    forms[0] = paper_method_default("the article's form", DENT_METHOD_BUCKET_TREE);
    forms[0].experiments.bucket_tree.paper_sizing = true;
    forms[0].experiments.bucket_tree.sorted_coordinates = true;
    forms[1] = paper_method_default("bucket tree", DENT_METHOD_BUCKET_TREE);
    for (int i = 0; i < FORM_COUNT; i++) {
        forms[i].no_self = no_self;
    }
}

/* Every frame of one mesh, both forms in turns. */
static int measure_mesh(paper_run *run, const v_experiment *experiment, bench_scene *scene, measurement_list *list)
{
    paper_method forms[FORM_COUNT];
    paper_stage stages[FORM_COUNT];
    fill_forms(forms, scene->body_count > 1);
    int status = STATUS_GOOD;
    int opened = 0;
    while (opened < FORM_COUNT && status == STATUS_GOOD) {
        status = paper_stage_open(run, scene, DENT_QUESTION_FACE_CELL, &forms[opened], &stages[opened]);
        opened += status == STATUS_GOOD;
    }
    uint32_t frames = paper_steps(run, 100);
    for (uint32_t frame = 0; frame <= frames && status == STATUS_GOOD; frame++) {
        measurement item = {scene->cell_count, 0, {0}};
        bench_scene_pose(scene, frame > 0 ? (uint32_t)((uint64_t)(frame - 1) * SCENE_FRAMES / frames) : 0);
        for (int i = 0; i < FORM_COUNT && status == STATUS_GOOD; i++) {
            uint64_t hits;
            status = paper_stage_step(&stages[i], &item.milliseconds[i], &hits);
            item.hits = (double)hits;
        }
        if (status == STATUS_GOOD && frame > 0 && item.hits > 0 && !add_measurement(list, item)) {
            status = complain("paper: %s: out of memory", experiment->name);
        }
    }
    for (int i = 0; i < opened; i++) {
        paper_stage_close(&stages[i]);
    }
    return status;
}

static int measure(paper_run *run, const v_experiment *experiment, measurement_list *list)
{
    const double cells_at_scale_one = strcmp(experiment->scene, "v-shapes") == 0 ? 2560 : 1280;
    int status = STATUS_GOOD;
    progress_begin(&run->session->progress, experiment->name, experiment->mesh_count);
    for (uint32_t i = 0; i < experiment->mesh_count && status == STATUS_GOOD; i++) {
        double part = experiment->mesh_count > 1 ? (double)i / (experiment->mesh_count - 1) : 0;
        double cells = experiment->cells_low + part * (experiment->cells_high - experiment->cells_low);
        dent_scene_def def = dent_scene_def_default();
        def.name = experiment->scene;
        def.scale = cells / cells_at_scale_one * run->session->options->scale;
        bench_scene scene;
        status = bench_scene_open(run->session, "paper", &def, &scene);
        if (status == STATUS_GOOD) {
            status = measure_mesh(run, experiment, &scene, list);
            bench_scene_close(&scene);
        }
        progress_set(&run->session->progress, i + 1, experiment->mesh_count);
    }
    progress_end(&run->session->progress);
    return status;
}

/* ---- drawing --------------------------------------------------------------------------------------------- */

/* The measurements within limits, and the fit through them. */
typedef struct drawn_curve {
    char dots_name[CHART_TEXT_SIZE], fit_name[CHART_TEXT_SIZE];
    uint32_t count;
    double *x, *y;
    paper_fit fit;
    double band_x[BAND_POINTS], band_y[BAND_POINTS], band_low[BAND_POINTS], band_high[BAND_POINTS];
} drawn_curve;

static bool is_within(const v_experiment *experiment, const measurement *item, const number_limits *limits)
{
    double other = experiment->against_size ? item->hits : item->cells;
    return other >= limits->low && other <= limits->high;
}

static void draw_curve(const v_experiment *experiment, const measurement_list *list, const number_limits *limits,
                       int form, const char *form_name, drawn_curve *curve)
{
    curve->count = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        if (is_within(experiment, &list->items[i], limits)) {
            curve->x[curve->count] = experiment->against_size ? list->items[i].cells : list->items[i].hits;
            curve->y[curve->count++] = list->items[i].milliseconds[form];
        }
    }
    curve->fit = fit_polynomial(curve->x, curve->y, curve->count, experiment->degree);
    snprintf(curve->dots_name, CHART_TEXT_SIZE, "%s, %s", form_name, limits->name);
    snprintf(curve->fit_name, CHART_TEXT_SIZE, "%s fit, one deviation",
             experiment->degree == 2 ? "quadratic" : "linear");
    for (int i = 0; i < BAND_POINTS; i++) {
        double x = curve->fit.x_low + (curve->fit.x_high - curve->fit.x_low) * i / (BAND_POINTS - 1);
        curve->band_x[i] = x;
        curve->band_y[i] = fit_value(&curve->fit, x);
        curve->band_low[i] = curve->band_y[i] - curve->fit.deviation;
        curve->band_high[i] = curve->band_y[i] + curve->fit.deviation;
    }
}

static void print_curve(paper_run *run, const v_experiment *experiment, const drawn_curve *curve)
{
    printer_format(run->session->out, "%-40s %6u steps  ms = %.4g %+.4g x", curve->dots_name, curve->count,
                   curve->fit.coefficients[0], curve->fit.coefficients[1]);
    if (experiment->degree == 2) {
        printer_format(run->session->out, " %+.4g x^2", curve->fit.coefficients[2]);
    }
    printer_format(run->session->out, "  (x: %s), deviation %.4g\n", experiment->against_size ? "cells" : "hits",
                   curve->fit.deviation);
}

static int draw(paper_run *run, const v_experiment *experiment, const measurement_list *list)
{
    static drawn_curve curves[FORM_COUNT * BAND_LIMIT];
    line_series series[2 * FORM_COUNT * BAND_LIMIT];
    paper_method forms[FORM_COUNT];
    fill_forms(forms, false);
    uint32_t count = 0;
    size_t room = list->count > 0 ? list->count : 1;
    bool whole = true;
    for (uint32_t band = 0; band < experiment->limit_count; band++) {
        for (int form = 0; form < FORM_COUNT; form++, count++) {
            drawn_curve *curve = &curves[count];
            curve->x = dent_allocate(list->context, room, sizeof(double));
            curve->y = dent_allocate(list->context, room, sizeof(double));
            if (curve->x == NULL || curve->y == NULL) {
                whole = false;
                continue;
            }
            draw_curve(experiment, list, &experiment->limits[band], form, forms[form].name, curve);
            print_curve(run, experiment, curve);
            series[2 * count] = (line_series){
                .name = curve->dots_name, .count = curve->count, .x = curve->x, .y = curve->y, .dots_only = true};
            series[2 * count + 1] = (line_series){.name = curve->fit_name,
                                                  .count = curve->count > 1 ? BAND_POINTS : 0,
                                                  .x = curve->band_x,
                                                  .y = curve->band_y,
                                                  .low = curve->band_low,
                                                  .high = curve->band_high,
                                                  .dashed = true,
                                                  .follows = true};
        }
    }
    line_chart chart = {experiment->title,
                        experiment->against_size ? "tetrahedra" : "intersections",
                        "milliseconds per query",
                        false,
                        false,
                        2 * count,
                        series};
    int status = whole ? paper_file_open(run, experiment->name, "svg") : complain("paper: out of memory");
    if (status == STATUS_GOOD) {
        line_chart_write(&chart, &run->file);
        status = paper_file_close(run);
    }
    for (uint32_t i = 0; i < count; i++) {
        dent_release(list->context, curves[i].x, room, sizeof(double));
        dent_release(list->context, curves[i].y, room, sizeof(double));
    }
    return status;
}

static int write_measurements(paper_run *run, const v_experiment *experiment, const measurement_list *list)
{
    int status = paper_file_open(run, experiment->name, "csv");
    if (status != STATUS_GOOD) {
        return status;
    }
    printer_text(&run->file, "cells,intersections,article_form_ms,bucket_tree_ms\n");
    for (uint32_t i = 0; i < list->count; i++) {
        const measurement *item = &list->items[i];
        bool drawn = false;
        for (uint32_t band = 0; band < experiment->limit_count; band++) {
            drawn = drawn || is_within(experiment, item, &experiment->limits[band]);
        }
        if (drawn) {
            printer_format(&run->file, "%.0f,%.0f,%.6g,%.6g\n", item->cells, item->hits, item->milliseconds[0],
                           item->milliseconds[1]);
        }
    }
    return paper_file_close(run);
}

static int make_experiment(paper_run *run, const v_experiment *experiment)
{
    measurement_list list = {run->session->context, NULL, 0, 0};
    int status = measure(run, experiment, &list);
    if (status == STATUS_GOOD) {
        status = write_measurements(run, experiment, &list);
    }
    if (status == STATUS_GOOD) {
        status = draw(run, experiment, &list);
    }
    dent_release(list.context, list.items, list.capacity, sizeof *list.items);
    return status;
}

/* ---- the four figures ------------------------------------------------------------------------------------ */

static int make_query_size(paper_run *run)
{
    static const v_experiment figure = {
        .name = "bucket-query-size",
        .title = "Two V-shapes: time against size (article: figure 1.5.4)",
        .scene = "v-shapes",
        .against_size = true,
        .degree = 2,
        .limit_count = 2,
        .limits = {{800, 1200, "800-1200 hits"}, {3200, 4800, "3200-4800 hits"}},
        .cells_low = 600,
        .cells_high = 12000,
        .mesh_count = 20,
    };
    return make_experiment(run, &figure);
}

static int make_query_hits(paper_run *run)
{
    static const v_experiment figure = {
        .name = "bucket-query-hits",
        .title = "Two V-shapes: time against intersections (article: figure 1.5.5)",
        .scene = "v-shapes",
        .against_size = false,
        .degree = 1,
        .limit_count = 1,
        .limits = {{600, 1400, "600-1400 tetrahedra"}},
        .cells_low = 600,
        .cells_high = 1400,
        .mesh_count = 12,
    };
    return make_experiment(run, &figure);
}

static int make_self_size(paper_run *run)
{
    static const v_experiment figure = {
        .name = "bucket-self-size",
        .title = "One V-shape through itself: time against size (article: figure 1.5.6)",
        .scene = "v-self",
        .against_size = true,
        .degree = 1,
        .limit_count = 1,
        .limits = {{800, 1200, "800-1200 hits"}},
        .cells_low = 300,
        .cells_high = 6000,
        .mesh_count = 20,
    };
    return make_experiment(run, &figure);
}

static int make_self_hits(paper_run *run)
{
    static const v_experiment figure = {
        .name = "bucket-self-hits",
        .title = "One V-shape through itself: time against intersections (article: figure 1.5.7)",
        .scene = "v-self",
        .against_size = false,
        .degree = 1,
        .limit_count = 1,
        .limits = {{600, 1400, "600-1400 tetrahedra"}},
        .cells_low = 600,
        .cells_high = 1400,
        .mesh_count = 12,
    };
    return make_experiment(run, &figure);
}

const paper_figure figure_bucket_query_size = {"bucket-query-size", "bucket tree: two V-shapes, time against size",
                                               make_query_size};
const paper_figure figure_bucket_query_hits = {
    "bucket-query-hits", "bucket tree: two V-shapes, time against intersections", make_query_hits};
const paper_figure figure_bucket_self_size = {"bucket-self-size",
                                              "bucket tree: one V-shape in itself, time against size", make_self_size};
const paper_figure figure_bucket_self_hits = {
    "bucket-self-hits", "bucket tree: one V-shape in itself, time against intersections", make_self_hits};
