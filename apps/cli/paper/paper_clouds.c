/* paper_clouds.c — "Collision detection on point clouds" (Klein and Zachmann 2004, 2005) in numbers: time against the
 * distance of two clouds and against the number of points, how well the decision follows the true gap, spurious zeros
 * between two sheets with and without graph distances, and how often all surfels are hit. The source shows curves without
 * tables: time falls with the distance, and grows slowly with the number of points. */
#include "bench/bench_run.h"
#include "paper_chart.h"
#include "tool.h"

#include <dent/cloud.h>
#include <dent/scene.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- two clouds of a scene --------------------------------------------------------------------------------------- */

typedef struct cloud_pair {
    dent_context *context;
    dent_scene *scene;
    double *positions[2];
    uint32_t counts[2];
    dent_cloud *clouds[2];
    dent_cloud_search *search;
    double spacing;
} cloud_pair;

static double scale_of(const paper_run *run)
{
    return options_have(run->session->options, OPTION_SCALE) ? run->session->options->scale : 1;
}

static void pair_close(cloud_pair *pair)
{
    dent_cloud_search_destroy(pair->search);
    for (int i = 0; i < 2; i++) {
        dent_cloud_destroy(pair->clouds[i]);
        dent_release(pair->context, pair->positions[i], pair->counts[i], 3 * sizeof(double));
    }
    dent_scene_destroy(pair->scene);
}

/* Replaces the search of a pair. */
static dent_status pair_search(cloud_pair *pair, bool first_only)
{
    dent_cloud_search_def def = dent_cloud_search_def_default();
    def.cloud_a = pair->clouds[0];
    def.cloud_b = pair->clouds[1];
    def.first_only = first_only;
    dent_cloud_search_destroy(pair->search);
    pair->search = NULL;
    return dent_cloud_search_create(pair->context, &def, &pair->search);
}

/* Both clouds stand as drawn: the centre of b is that of a, moved by the first parameter of the scene. */
static int pair_open(paper_run *run, const char *name, double scale, const dent_scene_setting *setting, bool first_only,
                     cloud_pair *pair)
{
    dent_context *context = run->session->context;
    *pair = (cloud_pair){.context = context};
    dent_scene_def scene_def = dent_scene_def_default();
    scene_def.name = name;
    scene_def.scale = scale;
    scene_def.setting_count = setting != NULL;
    scene_def.settings = setting;
    dent_status status = dent_scene_create(context, &scene_def, &pair->scene);
    for (uint32_t i = 0; i < 2 && status == DENT_OK; i++) {
        dent_cloud_def def = dent_cloud_def_default();
        pair->counts[i] = dent_scene_body_at(pair->scene, i)->vertex_count;
        pair->positions[i] = dent_allocate(context, pair->counts[i], 3 * sizeof(double));
        if (pair->positions[i] == NULL) {
            return complain("paper: out of memory");
        }
        dent_scene_positions(pair->scene, i, 0, pair->positions[i]);
        def.positions = dent_positions_double(pair->positions[i]);
        def.point_count = pair->counts[i];
        status = dent_cloud_create(context, &def, &pair->clouds[i]);
    }
    status = status == DENT_OK ? pair_search(pair, first_only) : status;
    if (status != DENT_OK) {
        return complain("paper: %s", session_message(run->session, status));
    }
    pair->spacing = dent_cloud_get_info(pair->clouds[0]).spacing;
    return STATUS_GOOD;
}

/* One search with b moved; milliseconds. */
static int pair_ask(paper_run *run, cloud_pair *pair, const dent_pose *pose, uint64_t seed, dent_cloud_result *result,
                    double *ms)
{
    bool cpu = options_have(run->session->options, OPTION_CPU_TIME);
    uint64_t began = bench_clock_ns(cpu);
    dent_status status = dent_cloud_search_begin(pair->search, NULL, pose, seed);
    status = status == DENT_OK ? dent_cloud_search_run(pair->search, dent_budget_ns(INFINITY), result) : status;
    *ms = (double)(bench_clock_ns(cpu) - began) * 1e-6;
    return status == DENT_OK ? STATUS_GOOD : complain("paper: %s", session_message(run->session, status));
}

static dent_pose moved(double x, double y, double z)
{
    dent_pose pose = dent_pose_identity();
    pose.translation[0] = x;
    pose.translation[1] = y;
    pose.translation[2] = z;
    return pose;
}

/* ---- time against distance --------------------------------------------------------------------------------------- */

enum { DISTANCES = 15 };

static int make_distance(paper_run *run)
{
    cloud_pair pair;
    const dent_scene_setting setting = {"distance", 0};
    uint32_t steps = paper_steps(run, 3);
    paper_chart chart = {.name = "cloud-distance", .title = "Decision on two spheres of points",
                          .x_label = "distance of the centres / diameter", .y_label = "ms"};
    int status = pair_open(run, "cloud-spheres", scale_of(run), &setting, true, &pair);
    status = status == STATUS_GOOD ? paper_file_open(run, chart.name, "csv") : status;
    if (status != STATUS_GOOD) {
        pair_close(&pair);
        return status;
    }
    printer_text(&run->file, "distance,ms,answer,work\n");
    for (uint32_t i = 0; i < DISTANCES && status == STATUS_GOOD; i++) {
        double distance = 0.2 + 0.1 * i, best = INFINITY, ms;
        dent_pose pose = moved(2 * distance, 0, 0);
        dent_cloud_result result;
        memset(&result, 0, sizeof result);
        for (uint32_t k = 0; k < steps && status == STATUS_GOOD; k++) {
            status = pair_ask(run, &pair, &pose, k, &result, &ms);
            best = fmin(best, ms);
        }
        printer_format(&run->file, "%.3g,%.6g,%s,%llu\n", distance, best, dent_cloud_answer_name(result.answer),
                       (unsigned long long)result.work_units);
        printer_format(run->session->out, "  distance %.2f diameters  %-7s %9.4f ms\n", distance,
                       dent_cloud_answer_name(result.answer), best);
        paper_chart_add(&chart, "first point found", distance, best);
    }
    status = paper_chart_finish(run, &chart, status);
    pair_close(&pair);
    return status;
}

/* ---- time against the number of points --------------------------------------------------------------------------- */

static int make_size(paper_run *run)
{
    static const double sizes[] = {0.1, 0.3, 1, 3, 10, 30, 100};
    paper_chart chart = {.name = "cloud-size", .title = "Two spheres that meet", .x_label = "points of a cloud",
                          .y_label = "ms", .x_logarithmic = true, .y_logarithmic = true};
    int status = paper_file_open(run, chart.name, "csv");
    if (status != STATUS_GOOD) {
        return status;
    }
    printer_text(&run->file, "points,prepare_ms,decide_ms,curve_ms,curve_points\n");
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0] && status == STATUS_GOOD; i++) {
        double ms[2] = {INFINITY, INFINITY}, one;
        uint32_t points = 0;
        cloud_pair pair;
        status = pair_open(run, "cloud-spheres", sizes[i] * scale_of(run), NULL, true, &pair);
        for (int whole = 0; whole < 2 && status == STATUS_GOOD; whole++) {
            dent_cloud_result result;
            dent_status made = whole ? pair_search(&pair, false) : DENT_OK;
            status = made == DENT_OK ? status : complain("paper: %s", session_message(run->session, made));
            for (uint32_t k = 0; k < paper_steps(run, 3) && status == STATUS_GOOD; k++) {
                status = pair_ask(run, &pair, NULL, k, &result, &one);
                ms[whole] = fmin(ms[whole], one);
                points = result.point_count;
            }
        }
        double prepare = status == STATUS_GOOD ? (double)dent_cloud_get_info(pair.clouds[0]).build_ns * 1e-6 : 0;
        uint32_t count = pair.counts[0];
        pair_close(&pair);
        printer_format(&run->file, "%u,%.6g,%.6g,%.6g,%u\n", count, prepare, ms[0], ms[1], points);
        printer_format(run->session->out, "  %8u points: prepared in %9.2f ms, decided in %8.3f ms, curve of %u points in %8.2f ms\n",
                       count, prepare, ms[0], points, ms[1]);
        paper_chart_add(&chart, "preparation", count, prepare);
        paper_chart_add(&chart, "decision", count, ms[0]);
        paper_chart_add(&chart, "whole curve", count, ms[1]);
    }
    return paper_chart_finish(run, &chart, status);
}

/* ---- quality of the decision ------------------------------------------------------------------------------------- */

/* Signed gaps in spacings: two spheres at this distance from touching, in random directions. */
static const double gaps[] = {-8, -4, -3, -2, -1.5, -1, -0.5, 0, 0.5, 1, 1.5, 2, 3, 4, 8};

static dent_pose placed(dent_random *random, double distance)
{
    double direction[3], square;
    do {
        square = 0;
        for (int axis = 0; axis < 3; axis++) {
            direction[axis] = 2 * dent_random_unit(random) - 1;
            square += direction[axis] * direction[axis];
        }
    } while (square > 1 || square < 0.01);
    double factor = distance / sqrt(square);
    return moved(factor * direction[0], factor * direction[1], factor * direction[2]);
}

static int make_roc(paper_run *run)
{
    cloud_pair pair;
    const dent_scene_setting setting = {"distance", 0};
    uint32_t draws = paper_steps(run, 50);
    paper_chart chart = {.name = "cloud-roc", .title = "Decisions on two spheres in random directions",
                          .x_label = "gap / spacing", .y_label = "share of answers"};
    int status = pair_open(run, "cloud-spheres", 0.3 * scale_of(run), &setting, true, &pair);
    status = status == STATUS_GOOD ? paper_file_open(run, chart.name, "csv") : status;
    if (status != STATUS_GOOD) {
        pair_close(&pair);
        return status;
    }
    printer_text(&run->file, "gap_in_spacings,yes,no,unknown\n");
    dent_random random = dent_random_seeded(20);
    for (size_t g = 0; g < sizeof gaps / sizeof gaps[0] && status == STATUS_GOOD; g++) {
        uint32_t answers[3] = {0, 0, 0};
        for (uint32_t k = 0; k < draws && status == STATUS_GOOD; k++) {
            dent_pose pose = placed(&random, 2 + gaps[g] * pair.spacing);
            dent_cloud_result result;
            double ms;
            status = pair_ask(run, &pair, &pose, k, &result, &ms);
            answers[status == STATUS_GOOD ? result.answer : DENT_CLOUD_UNKNOWN]++;
        }
        printer_format(&run->file, "%g,%.4g,%.4g,%.4g\n", gaps[g], (double)answers[DENT_CLOUD_YES] / draws,
                       (double)answers[DENT_CLOUD_NO] / draws, (double)answers[DENT_CLOUD_UNKNOWN] / draws);
        printer_format(run->session->out, "  gap %5.1f spacings: yes %5.1f %%, no %5.1f %%, unknown %5.1f %%\n", gaps[g],
                       100.0 * answers[DENT_CLOUD_YES] / draws, 100.0 * answers[DENT_CLOUD_NO] / draws,
                       100.0 * answers[DENT_CLOUD_UNKNOWN] / draws);
        paper_chart_add(&chart, "yes", gaps[g], (double)answers[DENT_CLOUD_YES] / draws);
        paper_chart_add(&chart, "unknown", gaps[g], (double)answers[DENT_CLOUD_UNKNOWN] / draws);
    }
    status = paper_chart_finish(run, &chart, status);
    pair_close(&pair);
    return status;
}

/* ---- spurious zeros between sheets ------------------------------------------------------------------------------- */

enum { LINES = 40, PLACES = 65 };

/* Zeros of f along lines through one cloud made of both sheets: two a line, one at each sheet, would be right. Others are
 * spurious. Where f jumps from one sheet to the other it changes its sign without a zero. */
static int count_zeros(paper_run *run, const dent_cloud *cloud, dent_cloud_function function, double gap, double spacing,
                       double *right, double *spurious)
{
    double places[PLACES][3];
    dent_cloud_value values[PLACES];
    dent_random random = dent_random_seeded(5);
    uint64_t found[2] = {0, 0};
    double step = (gap + 4 * spacing) / (PLACES - 1);
    for (uint32_t line = 0; line < LINES; line++) {
        double x = 0.2 + 0.6 * dent_random_unit(&random), y = 0.2 + 0.6 * dent_random_unit(&random);
        for (uint32_t i = 0; i < PLACES; i++) { /* from two spacings below to two above */
            places[i][0] = x;
            places[i][1] = y;
            places[i][2] = -2 * spacing + step * i;
        }
        dent_status status = dent_cloud_evaluate(cloud, function, dent_positions_double(places[0]), PLACES, values);
        if (status != DENT_OK) {
            return complain("paper: %s", session_message(run->session, status));
        }
        for (uint32_t i = 1; i < PLACES; i++) {
            bool defined = values[i].state == DENT_CLOUD_DEFINED && values[i - 1].state == DENT_CLOUD_DEFINED;
            bool zero = defined && (values[i].value < 0) != (values[i - 1].value < 0) &&
                        fabs(values[i].value - values[i - 1].value) < 4 * step;
            double z = places[i][2] - 0.5 * step, away = fmin(fabs(z), fabs(z - gap));
            found[away > 0.25 * spacing] += zero;
        }
    }
    *right = (double)found[0] / LINES;
    *spurious = (double)found[1] / LINES;
    return STATUS_GOOD;
}

static int zeros_at_gap(paper_run *run, double gap, paper_chart *chart)
{
    dent_context *context = run->session->context;
    cloud_pair pair;
    const dent_scene_setting setting = {"gap", gap};
    int status = pair_open(run, "cloud-sheets", 0.3 * scale_of(run), &setting, true, &pair);
    uint32_t count = pair.counts[0] + pair.counts[1];
    double *both = dent_allocate(context, count, 6 * sizeof *both), *normals = both != NULL ? both + 3 * (size_t)count : NULL;
    dent_cloud *cloud = NULL;
    if (status == STATUS_GOOD && both != NULL) {
        dent_cloud_def def = dent_cloud_def_default();
        memcpy(both, pair.positions[0], pair.counts[0] * 3 * sizeof *both);
        memcpy(both + 3 * (size_t)pair.counts[0], pair.positions[1], pair.counts[1] * 3 * sizeof *both);
        for (uint32_t i = 0; i < count; i++) {
            normals[3 * (size_t)i] = normals[3 * (size_t)i + 1] = 0;
            normals[3 * (size_t)i + 2] = 1;
        }
        def.positions = dent_positions_double(both);
        def.normals = dent_positions_double(normals);
        def.point_count = count;
        dent_status made = dent_cloud_create(context, &def, &cloud);
        status = made == DENT_OK ? status : complain("paper: %s", session_message(run->session, made));
    }
    double spacing = 1 / sqrt(pair.counts[0]);
    for (int function = 0; function < DENT_CLOUD_FUNCTION_COUNT && cloud != NULL && status == STATUS_GOOD; function++) {
        const char *name = dent_cloud_function_get_info((dent_cloud_function)function)->name;
        double right = 0, spurious = 0;
        status = count_zeros(run, cloud, (dent_cloud_function)function, gap * spacing, spacing, &right, &spurious);
        printer_format(&run->file, "%g,%s,%.4g,%.4g\n", gap, name, right, spurious);
        printer_format(run->session->out, "  gap %.1f spacings, %-10s %.2f zeros a line at the 2 sheets, %.2f elsewhere\n", gap,
                       name, right, spurious);
        paper_chart_add(chart, name, gap, spurious);
    }
    dent_cloud_destroy(cloud);
    dent_release(context, both, count, 6 * sizeof *both);
    pair_close(&pair);
    return status;
}

static int make_sheets(paper_run *run)
{
    paper_chart chart = {.name = "cloud-sheets", .title = "Zeros on lines through two sheets",
                          .x_label = "gap / spacing", .y_label = "spurious zeros a line"};
    int status = paper_file_open(run, chart.name, "csv");
    if (status != STATUS_GOOD) {
        return status;
    }
    printer_text(&run->file, "gap_in_spacings,function,zeros_at_sheets,spurious_zeros\n");
    for (double gap = 1; gap <= 4 && status == STATUS_GOOD; gap += 1) {
        status = zeros_at_gap(run, gap, &chart);
    }
    return paper_chart_finish(run, &chart, status);
}

/* ---- coupon collector -------------------------------------------------------------------------------------------- */

enum { SURFELS_MAX = 500 };

/* Are all surfels hit by p ln p + c p draws? */
static bool all_hit(dent_random *random, uint32_t surfels, double c)
{
    bool hit[SURFELS_MAX] = {false};
    uint32_t left = surfels;
    uint64_t draws = (uint64_t)ceil(surfels * log(surfels) + c * surfels);
    for (uint64_t i = 0; i < draws && left > 0; i++) {
        uint32_t one = dent_random_below(random, surfels);
        left -= !hit[one];
        hit[one] = true;
    }
    return left == 0;
}

static int make_coupons(paper_run *run)
{
    static const uint32_t surfels[2] = {50, SURFELS_MAX};
    uint32_t trials = paper_steps(run, 10000);
    dent_random random = dent_random_seeded(7);
    paper_chart chart = {.name = "cloud-coupons", .title = "All surfels hit by p ln p + c p draws", .x_label = "c",
                          .y_label = "frequency"};
    int status = paper_file_open(run, chart.name, "csv");
    if (status != STATUS_GOOD) {
        return status;
    }
    printer_text(&run->file, "surfels,c,frequency,limit\n");
    for (int s = 0; s < 2 && status == STATUS_GOOD; s++) {
        for (int c = 0; c <= 5; c++) {
            uint32_t hits = 0;
            for (uint32_t i = 0; i < trials; i++) {
                hits += all_hit(&random, surfels[s], c);
            }
            double frequency = (double)hits / trials, limit = exp(-exp(-c));
            printer_format(&run->file, "%u,%d,%.5g,%.5g\n", surfels[s], c, frequency, limit);
            printer_format(run->session->out, "  %3u surfels, c = %d: %.4f of the trials, exp(-exp(-c)) = %.4f\n", surfels[s],
                           c, frequency, limit);
            paper_chart_add(&chart, s ? "500 surfels" : "50 surfels", c, frequency);
            if (s == 0) {
                paper_chart_add(&chart, "limit", c, limit);
            }
        }
    }
    return paper_chart_finish(run, &chart, status);
}

const paper_figure figure_cloud_distance = {"cloud-distance", "point clouds: time against distance", make_distance};
const paper_figure figure_cloud_size = {"cloud-size", "point clouds: time against the number of points", make_size};
const paper_figure figure_cloud_roc = {"cloud-roc", "point clouds: answers against gap / spacing", make_roc};
const paper_figure figure_cloud_sheets = {"cloud-sheets", "point clouds: spurious zeros between two sheets", make_sheets};
const paper_figure figure_cloud_coupons = {"cloud-coupons", "point clouds: how often all surfels are hit", make_coupons};
