/* paper_surface.c — the claims of "Collision Detection on Deformable Surfaces" (Volino and Magnenat-Thalmann,
 * Eurographics tutorial 2006) measured: that regions tested are alike in size and number however finely the surface
 * is cut (its figure 18), that flat parts are left out by curvature, and what the number of directions of the bounding
 * volumes and the building of the hierarchy bring. The chapter draws pictures and gives no times.
 *
 * The surface is cloth-500k at several scales and steepnesses (`crumple`: up to 0.45 nothing crosses), 50,000 triangles
 * unless said otherwise. Regions looked at: outlines tested; neighbours: leaves, and pairs of leaves with a common
 * vertex. */
#include "paper_chart.h"
#include "paper_stage.h"

#include "tool.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { FORM_LIMIT = 8, PART_COUNT = 5, STEPS = 12 };

static const double cloth_of_50000 = 0.1; /* scale */
static const char *const part_names[PART_COUNT] = {"refit", "culling", "traversal", "filters", "exact"};

/* Means over the steps. */
typedef struct surface_sample {
    double triangles, milliseconds, deviation;
    double regions, neighbours, culled, leaf_pairs, box_tests, candidates, pairs;
    double parts[PART_COUNT]; /* milliseconds by the clock, the least of all steps: others may be at work too */
} surface_sample;

typedef struct surface_case {
    const char *scene;
    double scale;
    double crumple; /* below 0: the scene has no such parameter */
} surface_case;

static paper_method tree_form(const char *name, bool culling)
{
    paper_method method = paper_method_default(name, DENT_METHOD_SURFACE_TREE);
    method.experiments.surface_tree.no_culling = !culling;
    return method;
}

/* ---- measuring ------------------------------------------------------------------------------------------- */

static void add_counters(surface_sample *sample, const paper_stage *stage, double share, bool first)
{
    const dent_query_counters *counters = &stage->counters;
    const dent_method_counters *own = &stage->own;
    const double parts[PART_COUNT] = {(double)own->surface_tree.ns_refit, (double)own->surface_tree.ns_culling,
                                      (double)own->surface_tree.ns_traversal, (double)own->surface_tree.ns_filters,
                                      (double)own->surface_tree.ns_narrow};
    sample->regions += share * (double)own->surface_tree.regions_tested;
    sample->neighbours += share * (double)own->surface_tree.neighbours;
    sample->culled += share * (double)own->surface_tree.neighbours_culled;
    sample->leaf_pairs += share * (double)counters->cells_visited;
    sample->box_tests += share * (double)counters->box_tests;
    sample->candidates += share * (double)counters->candidates;
    for (int i = 0; i < PART_COUNT; i++) {
        double spent = parts[i] * 1e-6;
        sample->parts[i] = first || spent < sample->parts[i] ? spent : sample->parts[i];
    }
}

/* All frames, the forms in turns, after a warm-up of two. */
static int measure_stages(paper_run *run, bench_scene *scene, paper_stage *stages, int count, surface_sample *samples)
{
    paper_statistics times[FORM_LIMIT];
    uint32_t steps = paper_steps(run, STEPS);
    memset(times, 0, sizeof times);
    for (uint32_t step = 0; step < steps + 2; step++) {
        bench_scene_pose(scene, step);
        for (int i = 0; i < count; i++) {
            double milliseconds;
            uint64_t pairs;
            int status = paper_stage_step(&stages[i], &milliseconds, &pairs);
            if (status != STATUS_GOOD) {
                return status;
            }
            if (step >= 2) {
                statistics_add(&times[i], milliseconds);
                add_counters(&samples[i], &stages[i], 1.0 / steps, step == 2);
                samples[i].pairs += (double)pairs / steps;
            }
        }
    }
    for (int i = 0; i < count; i++) {
        samples[i].milliseconds = times[i].mean;
        samples[i].deviation = statistics_deviation(&times[i]);
    }
    return STATUS_GOOD;
}

static int measure_case(paper_run *run, const surface_case *what, const paper_method *forms, int count,
                        surface_sample *samples)
{
    dent_scene_setting setting = {"crumple", what->crumple};
    dent_scene_def def = dent_scene_def_default();
    def.name = what->scene;
    def.scale = what->scale * run->session->options->scale;
    def.settings = &setting;
    def.setting_count = what->crumple >= 0 ? 1 : 0;
    bench_scene scene;
    int status = bench_scene_open(run->session, "paper", &def, &scene);
    if (status != STATUS_GOOD) {
        return status;
    }
    paper_stage stages[FORM_LIMIT];
    int opened = 0;
    memset(samples, 0, (size_t)count * sizeof *samples);
    while (opened < count && status == STATUS_GOOD) {
        samples[opened].triangles = scene.face_count;
        status = paper_stage_open(run, &scene, DENT_QUESTION_FACE_FACE, &forms[opened], &stages[opened]);
        opened += status == STATUS_GOOD;
    }
    if (status == STATUS_GOOD) {
        status = measure_stages(run, &scene, stages, count, samples);
    }
    for (int i = 0; i < opened; i++) {
        paper_stage_close(&stages[i]);
    }
    bench_scene_close(&scene);
    return status;
}

/* ---- tables ---------------------------------------------------------------------------------------------- */

static int open_table(paper_run *run, const char *name, const char *x_column)
{
    int status = paper_file_open(run, name, "csv");
    if (status != STATUS_GOOD) {
        return status;
    }
    printer_format(run->session->out, "%-34s %10s %9s %9s %9s %10s %10s %8s %10s %8s\n", "curve", x_column, "triangles",
                   "mean ms", "deviation", "regions", "neighbours", "free %", "leaf pairs", "pairs");
    printer_format(
        &run->file,
        "curve,%s,triangles,mean_ms,deviation_ms,regions,neighbours,culled,leaf_pairs,box_tests,candidates,pairs",
        x_column);
    for (int i = 0; i < PART_COUNT; i++) {
        printer_format(&run->file, ",%s_ms", part_names[i]);
    }
    printer_text(&run->file, "\n");
    return STATUS_GOOD;
}

static double culled_share(const surface_sample *sample)
{
    return sample->neighbours > 0 ? 100 * sample->culled / sample->neighbours : 0;
}

static void print_sample(paper_run *run, const char *curve, double x, const surface_sample *sample)
{
    printer_format(run->session->out, "%-34s %10g %9.0f %9.3f %9.3f %10.0f %10.0f %8.2f %10.0f %8.0f\n", curve, x,
                   sample->triangles, sample->milliseconds, sample->deviation, sample->regions, sample->neighbours,
                   culled_share(sample), sample->leaf_pairs, sample->pairs);
    printer_flush(run->session->out);
    printer_format(&run->file, "%s,%.9g,%.9g,%.6g,%.6g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g", curve, x, sample->triangles,
                   sample->milliseconds, sample->deviation, sample->regions, sample->neighbours, sample->culled,
                   sample->leaf_pairs, sample->box_tests, sample->candidates, sample->pairs);
    for (int i = 0; i < PART_COUNT; i++) {
        printer_format(&run->file, ",%.6g", sample->parts[i]);
    }
    printer_text(&run->file, "\n");
}

/* ---- the figures ----------------------------------------------------------------------------------------- */

static const double refinements[] = {1.0 / 256, 1.0 / 64, 1.0 / 16, 1.0 / 4, 1};
enum { REFINEMENT_COUNT = sizeof refinements / sizeof refinements[0] };

static int make_resolution(paper_run *run)
{
    static const struct {
        const char *name;
        double crumple;
    } cloths[] = {{"crossing cloth", 1}, {"cloth without crossings", 0.4}};
    static paper_chart chart;
    chart = (paper_chart){.name = "surface-resolution",
                          .title = "The same cloth cut finer and finer: regions that the search tests",
                          .x_label = "triangles",
                          .y_label = "number",
                          .x_logarithmic = true,
                          .y_logarithmic = true};
    int status = open_table(run, chart.name, "scale");
    if (status != STATUS_GOOD) {
        return status;
    }
    paper_method form = tree_form("with culling", true);
    for (int c = 0; c < 2; c++) {
        for (int i = 0; i < REFINEMENT_COUNT && status == STATUS_GOOD; i++) {
            surface_case what = {"cloth-500k", refinements[i], cloths[c].crumple};
            surface_sample sample;
            char curve[64];
            status = measure_case(run, &what, &form, 1, &sample);
            if (status != STATUS_GOOD) {
                break;
            }
            print_sample(run, cloths[c].name, refinements[i], &sample);
            snprintf(curve, sizeof curve, "%s: regions tested", cloths[c].name);
            paper_chart_add(&chart, curve, sample.triangles, sample.regions);
            snprintf(curve, sizeof curve, "%s: neighbours left to test", cloths[c].name);
            paper_chart_add(&chart, curve, sample.triangles, sample.neighbours - sample.culled);
            if (c == 0) {
                paper_chart_add(&chart, "all neighbours", sample.triangles, sample.neighbours);
            }
        }
    }
    return paper_chart_finish(run, &chart, status);
}

static int make_flatness(paper_run *run)
{
    static const double crumples[] = {0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.2, 1.4, 1.7, 2};
    static paper_chart chart;
    chart = (paper_chart){.name = "surface-flatness",
                          .title = "Neighbouring leaves proven free of crossings, cloth of 50,000 triangles",
                          .x_label = "steepness of the waves (crumple; above 0.45 it crosses itself)",
                          .y_label = "per cent"};
    int status = open_table(run, chart.name, "crumple");
    if (status != STATUS_GOOD) {
        return status;
    }
    paper_method forms[] = {tree_form("with culling", true), tree_form("without culling", false)};
    for (size_t i = 0; i < sizeof crumples / sizeof crumples[0] && status == STATUS_GOOD; i++) {
        surface_case what = {"cloth-500k", cloth_of_50000, crumples[i]};
        surface_sample samples[2];
        status = measure_case(run, &what, forms, 2, samples);
        for (int f = 0; f < 2 && status == STATUS_GOOD; f++) {
            print_sample(run, forms[f].name, crumples[i], &samples[f]);
        }
        if (status == STATUS_GOOD) {
            paper_chart_add(&chart, "proven free", crumples[i], culled_share(&samples[0]));
            paper_chart_add(&chart, "time saved", crumples[i],
                            100 * (1 - samples[0].milliseconds / samples[1].milliseconds));
        }
    }
    return paper_chart_finish(run, &chart, status);
}

static int make_culling(paper_run *run)
{
    static const struct {
        const char *name, *scene;
        double crumple;
    } surfaces[] = {
        {"cloth", "cloth-500k", 0.4}, {"flat sheet", "sheet-flat", -1}, {"curved sheet", "sheet-curved", -1}};
    static paper_chart chart;
    chart = (paper_chart){.name = "surface-culling",
                          .title = "Surfaces without crossings: time with and without the curvature test",
                          .x_label = "triangles",
                          .y_label = "milliseconds per step",
                          .x_logarithmic = true,
                          .y_logarithmic = true};
    int status = open_table(run, chart.name, "scale");
    if (status != STATUS_GOOD) {
        return status;
    }
    for (int c = 0; c < 3; c++) {
        for (int i = 1; i < REFINEMENT_COUNT && status == STATUS_GOOD; i++) {
            surface_case what = {surfaces[c].scene, refinements[i], surfaces[c].crumple};
            surface_sample samples[2];
            paper_method forms[] = {tree_form("with", true), tree_form("without", false)};
            status = measure_case(run, &what, forms, 2, samples);
            for (int f = 0; f < 2 && status == STATUS_GOOD; f++) {
                char curve[64];
                snprintf(curve, sizeof curve, "%s %s", surfaces[c].name, forms[f].name);
                print_sample(run, curve, refinements[i], &samples[f]);
                paper_chart_add(&chart, curve, samples[f].triangles, samples[f].milliseconds);
            }
        }
    }
    return paper_chart_finish(run, &chart, status);
}

static int make_directions(paper_run *run)
{
    static const surface_case cases[] = {{"cloth-500k", cloth_of_50000, 1}, {"teschner-e", 1, -1}, {"jaw", 0.3, -1}};
    static const uint32_t directions[] = {6, 14, 18, 26};
    enum { COUNT = sizeof directions / sizeof directions[0] };
    static paper_chart chart;
    chart = (paper_chart){.name = "surface-directions",
                          .title = "Bounding volumes with more directions",
                          .x_label = "directions",
                          .y_label = "milliseconds per step",
                          .y_logarithmic = true};
    int status = open_table(run, chart.name, "directions");
    if (status != STATUS_GOOD) {
        return status;
    }
    for (size_t c = 0; c < sizeof cases / sizeof cases[0] && status == STATUS_GOOD; c++) {
        paper_method forms[2 * COUNT];
        surface_sample samples[2 * COUNT];
        for (int i = 0; i < 2 * COUNT; i++) {
            forms[i] = tree_form(i < COUNT ? "" : " without culling", i < COUNT);
            forms[i].experiments.surface_tree.directions = directions[i % COUNT];
        }
        status = measure_case(run, &cases[c], forms, 2 * COUNT, samples);
        for (int i = 0; i < 2 * COUNT && status == STATUS_GOOD; i++) {
            char curve[64];
            snprintf(curve, sizeof curve, "%s%s", cases[c].scene, forms[i].name);
            print_sample(run, curve, directions[i % COUNT], &samples[i]);
            paper_chart_add(&chart, curve, directions[i % COUNT], samples[i].milliseconds);
        }
    }
    return paper_chart_finish(run, &chart, status);
}

/* ---- bars ------------------------------------------------------------------------------------------------ */

static int finish_bars(paper_run *run, const char *name, bar_chart *chart, int status)
{
    int closed = paper_file_close(run);
    status = status == STATUS_GOOD ? closed : status;
    if (status == STATUS_GOOD && (status = paper_file_open(run, name, "svg")) == STATUS_GOOD) {
        bar_chart_write(chart, &run->file);
        status = paper_file_close(run);
    }
    bar_chart_release(chart);
    return status;
}

static int make_leaves(paper_run *run)
{
    static const surface_case cases[] = {
        {"cloth-500k", cloth_of_50000, 1}, {"teschner-d", 1, -1}, {"teschner-e", 1, -1}};
    static const char *const names[] = {"merged", "median", "curve"};
    const dent_surface_leaves cuts[] = {DENT_SURFACE_LEAVES_MERGED, DENT_SURFACE_LEAVES_MEDIAN,
                                        DENT_SURFACE_LEAVES_CURVE};
    int status = open_table(run, "surface-leaves", "leaves");
    if (status != STATUS_GOOD) {
        return status;
    }
    bar_chart chart;
    bar_chart_begin(&chart, run->session->context, "Leaves cut in three ways",
                    "milliseconds per step (mean, deviation)");
    for (size_t c = 0; c < sizeof cases / sizeof cases[0] && status == STATUS_GOOD; c++) {
        paper_method forms[6];
        surface_sample samples[6];
        for (int i = 0; i < 6; i++) {
            forms[i] = tree_form(names[i % 3], i < 3);
            forms[i].experiments.surface_tree.leaves = cuts[i % 3];
        }
        status = measure_case(run, &cases[c], forms, 6, samples);
        for (int i = 0; i < 6 && status == STATUS_GOOD; i++) {
            char group[64], curve[64];
            snprintf(group, sizeof group, "%s%s", cases[c].scene, i < 3 ? "" : ", no culling");
            snprintf(curve, sizeof curve, "%s %s%s", cases[c].scene, names[i % 3], i < 3 ? "" : " without culling");
            print_sample(run, curve, i % 3, &samples[i]);
            bar_chart_add(&chart, group, names[i % 3], false, samples[i].milliseconds,
                          samples[i].milliseconds - samples[i].deviation,
                          samples[i].milliseconds + samples[i].deviation);
        }
    }
    return finish_bars(run, "surface-leaves", &chart, status);
}

static int make_phases(paper_run *run)
{
    static const double crumples[] = {0, 0.4, 1};
    int status = open_table(run, "surface-phases", "crumple");
    if (status != STATUS_GOOD) {
        return status;
    }
    bar_chart chart;
    bar_chart_begin(&chart, run->session->context, "What a step of a cloth of 50,000 triangles is spent on",
                    "milliseconds per step (least of all steps)");
    paper_method forms[] = {tree_form("with culling", true), tree_form("without culling", false)};
    for (int c = 0; c < 3 && status == STATUS_GOOD; c++) {
        surface_case what = {"cloth-500k", cloth_of_50000, crumples[c]};
        surface_sample samples[2];
        status = measure_case(run, &what, forms, 2, samples);
        for (int f = 0; f < 2 && status == STATUS_GOOD; f++) {
            char group[64];
            snprintf(group, sizeof group, "crumple %g, %s", crumples[c], forms[f].name);
            print_sample(run, forms[f].name, crumples[c], &samples[f]);
            printer_text(run->session->out, "   ");
            for (int i = 0; i < PART_COUNT; i++) {
                printer_format(run->session->out, " %s %.3f", part_names[i], samples[f].parts[i]);
                if (samples[f].parts[i] > 0) {
                    bar_chart_add(&chart, group, part_names[i], false, samples[f].parts[i], samples[f].parts[i],
                                  samples[f].parts[i]);
                }
            }
            printer_text(run->session->out, "\n");
        }
    }
    return finish_bars(run, "surface-phases", &chart, status);
}

const paper_figure figure_surface_resolution = {
    "surface-resolution", "surfaces: regions tested on a mesh and finer ones", make_resolution};
const paper_figure figure_surface_flatness = {"surface-flatness", "surfaces: share proven free against steepness",
                                              make_flatness};
const paper_figure figure_surface_culling = {
    "surface-culling", "surfaces: time with and without the curvature test where nothing crosses", make_culling};
const paper_figure figure_surface_directions = {
    "surface-directions", "surfaces: time against the directions of the bounding volumes", make_directions};
const paper_figure figure_surface_leaves = {"surface-leaves", "surfaces: leaves by merging, by medians, along a curve",
                                            make_leaves};
const paper_figure figure_surface_phases = {"surface-phases", "surfaces: what a step is spent on", make_phases};
