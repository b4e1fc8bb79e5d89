/* paper_kinetic.c — "Kinetic bounding volume hierarchies for deformable objects" (Zachmann and Weller 2006): box updates,
 * update time and total time with detection of a key-framed cloth, kept by events and by refit, against the in-between
 * frames per key. The source shows charts with a logarithmic scale: refit takes the same time for every frame, the kinetic
 * tree a time that falls with the number of frames between two keys. */
#include "bench/bench_run.h"
#include "paper_chart.h"
#include "tool.h"

#include <dent/kinetic.h>
#include <dent/scene.h>

#include <math.h>
#include <string.h>

enum { KEYS = 4, FRAMES_OF_SCENE = 10, FRAME_COUNTS = 6 };

static const uint32_t frame_counts[FRAME_COUNTS] = {5, 20, 40, 80, 160, 320};

/* A sheet whose frames 0, 10, 20 and 30 are keys at times 0, 1, 2 and 3. */
typedef struct kinetic_stage {
    dent_context *context;
    dent_scene *scene;
    const dent_scene_body *body;
    double *keys[KEYS];
    double *places, *boxes; /* of the plain refit */
} kinetic_stage;

static size_t box_count(const kinetic_stage *stage)
{
    return 2 * (size_t)stage->body->element_count;
}

static void stage_close(kinetic_stage *stage)
{
    for (int key = 0; key < KEYS && stage->body != NULL; key++) {
        dent_release(stage->context, stage->keys[key], stage->body->vertex_count, 3 * sizeof(double));
    }
    if (stage->body != NULL) {
        dent_release(stage->context, stage->places, stage->body->vertex_count, 3 * sizeof(double));
        dent_release(stage->context, stage->boxes, box_count(stage), 6 * sizeof(double));
    }
    dent_scene_destroy(stage->scene);
}

static int stage_open(paper_run *run, kinetic_stage *stage)
{
    const tool_options *options = run->session->options;
    *stage = (kinetic_stage){.context = run->session->context};
    dent_scene_def def = dent_scene_def_default();
    def.name = "cloth-500k";
    def.scale = 0.01 * (options_have(options, OPTION_SCALE) ? options->scale : 1);
    dent_status status = dent_scene_create(stage->context, &def, &stage->scene);
    if (status != DENT_OK) {
        return complain("paper: %s", session_message(run->session, status));
    }
    stage->body = dent_scene_body_at(stage->scene, 0);
    bool enough = true;
    for (uint32_t key = 0; key < KEYS && enough; key++) {
        stage->keys[key] = dent_allocate(stage->context, stage->body->vertex_count, 3 * sizeof(double));
        enough = stage->keys[key] != NULL;
        if (enough) {
            dent_scene_positions(stage->scene, 0, key * FRAMES_OF_SCENE, stage->keys[key]);
        }
    }
    stage->places = dent_allocate(stage->context, stage->body->vertex_count, 3 * sizeof(double));
    stage->boxes = dent_allocate(stage->context, box_count(stage), 6 * sizeof(double));
    return enough && stage->places != NULL && stage->boxes != NULL ? STATUS_GOOD : complain("paper: out of memory");
}

/* ---- the plain way ----------------------------------------------------------------------------------------------- */

static void join(const double *a, const double *b, double *box)
{
    for (int axis = 0; axis < 3; axis++) {
        box[axis] = a[axis] < b[axis] ? a[axis] : b[axis];
        box[3 + axis] = a[3 + axis] > b[3 + axis] ? a[3 + axis] : b[3 + axis];
    }
}

/* Places of all vertices, boxes of all faces, and an implicit binary tree above them: nothing is checked or exact. */
static void refit_plainly(const kinetic_stage *stage, double t)
{
    uint32_t key = t < KEYS - 1 ? (uint32_t)t : KEYS - 2, count = stage->body->element_count;
    double part = t - key, *boxes = stage->boxes;
    const double *from = stage->keys[key], *to = stage->keys[key + 1];
    for (size_t i = 0; i < 3 * (size_t)stage->body->vertex_count; i++) {
        stage->places[i] = from[i] + part * (to[i] - from[i]);
    }
    for (uint32_t face = 0; face < count; face++) {
        const uint32_t *corners = stage->body->element_corners + 3 * (size_t)face;
        double *box = boxes + 6 * ((size_t)count + face);
        for (int axis = 0; axis < 3; axis++) {
            double a = stage->places[3 * (size_t)corners[0] + axis], b = stage->places[3 * (size_t)corners[1] + axis];
            double c = stage->places[3 * (size_t)corners[2] + axis], lo = a < b ? a : b, hi = a < b ? b : a;
            box[axis] = c < lo ? c : lo;
            box[3 + axis] = c > hi ? c : hi;
        }
    }
    for (size_t node = count; node-- > 1;) {
        join(boxes + 12 * node, boxes + 12 * node + 6, boxes + 6 * node);
    }
}

/* ---- runs -------------------------------------------------------------------------------------------------------- */

typedef struct kinetic_cost {
    double update_ms, detect_ms; /* of the whole animation */
    uint64_t updates;            /* sides of boxes that were written */
    uint64_t events, pairs;
} kinetic_cost;

static dent_status open_tree(const kinetic_stage *stage, dent_kinetic_mode mode, dent_kinetic **tree)
{
    double times[KEYS];
    dent_positions positions[KEYS];
    dent_kinetic_def def = dent_kinetic_def_default();
    def.mode = mode;
    for (int key = 0; key < KEYS; key++) {
        times[key] = key;
        positions[key] = dent_positions_double(stage->keys[key]);
    }
    dent_flight_plans plans = {0, stage->body->vertex_count, KEYS, times, positions};
    dent_status status = dent_kinetic_create(stage->context, &def, tree);
    status = status == DENT_OK ? dent_kinetic_set_plans(*tree, &plans) : status;
    return status == DENT_OK
               ? dent_kinetic_insert(*tree, stage->body->element_corners, 3, stage->body->element_count, NULL)
               : status;
}

static dent_status run_tree(const kinetic_stage *stage, dent_kinetic_mode mode, uint32_t frames, bool detect, bool cpu,
                            kinetic_cost *cost)
{
    dent_kinetic *tree = NULL;
    dent_kinetic_counters counters;
    dent_box_pairs pairs;
    dent_status status = open_tree(stage, mode, &tree);
    *cost = (kinetic_cost){0};
    for (uint32_t frame = 1; frame <= (KEYS - 1) * frames && status == DENT_OK; frame++) {
        uint64_t began = bench_clock_ns(cpu);
        status = dent_kinetic_advance(tree, (double)frame / frames);
        uint64_t updated = bench_clock_ns(cpu);
        status = status == DENT_OK && detect ? dent_kinetic_pairs(tree, &pairs) : status;
        cost->update_ms += (double)(updated - began) * 1e-6;
        cost->detect_ms += detect ? (double)(bench_clock_ns(cpu) - updated) * 1e-6 : 0;
        cost->pairs += detect && status == DENT_OK ? pairs.count : 0;
    }
    if (status == DENT_OK && dent_kinetic_get_counters(tree, &counters) == DENT_OK) {
        /* restarts at keys write all sides */
        cost->updates = counters.box_updates + 6 * (counters.refit_nodes + (KEYS - 1) * (uint64_t)counters.nodes);
        cost->events = counters.events;
    }
    dent_kinetic_destroy(tree);
    return status;
}

static double run_plainly(const kinetic_stage *stage, uint32_t frames, bool cpu)
{
    uint64_t began = bench_clock_ns(cpu);
    for (uint32_t frame = 1; frame <= (KEYS - 1) * frames; frame++) {
        refit_plainly(stage, (double)frame / frames);
    }
    return (double)(bench_clock_ns(cpu) - began) * 1e-6;
}

/* ---- the figures ------------------------------------------------------------------------------------------------- */

/* Where two curves cross, between the frame counts given; 0: the first is below everywhere. */
static double crossing(const double *kinetic, const double *plain)
{
    for (int i = FRAME_COUNTS - 1; i >= 0; i--) {
        if (kinetic[i] > plain[i]) {
            if (i == FRAME_COUNTS - 1) {
                return INFINITY;
            }
            double a = log(kinetic[i] / plain[i]), b = log(plain[i + 1] / kinetic[i + 1]);
            return exp(log(frame_counts[i]) + (log(frame_counts[i + 1]) - log(frame_counts[i])) * a / (a + b));
        }
    }
    return 0;
}

static void print_crossing(paper_run *run, const char *what, double frames)
{
    if (isinf(frames)) {
        printer_format(run->session->out, "  %s: refit is faster at every number of frames here\n", what);
    } else if (frames == 0) {
        printer_format(run->session->out, "  %s: the kinetic tree is faster at every number of frames here\n", what);
    } else {
        printer_format(run->session->out, "  %s: the kinetic tree is faster from %.0f frames per key on\n", what, frames);
    }
}

static int make_updates(paper_run *run)
{
    kinetic_stage stage;
    double kinetic[FRAME_COUNTS], plain[FRAME_COUNTS];
    bool cpu = options_have(run->session->options, OPTION_CPU_TIME);
    paper_chart chart = {.name = "kinetic-updates", .title = "Key-framed cloth: time of an update",
                         .x_label = "in-between frames per key", .y_label = "ms a frame", .x_logarithmic = true,
                         .y_logarithmic = true};
    int status = stage_open(run, &stage);
    status = status == STATUS_GOOD ? paper_file_open(run, chart.name, "csv") : status;
    if (status != STATUS_GOOD) {
        stage_close(&stage);
        return status;
    }
    printer_text(&run->file, "frames_per_key,faces,kinetic_updates,refit_updates,events,kinetic_ms,refit_same_tree_ms,"
                             "refit_plain_ms\n");
    for (int i = 0; i < FRAME_COUNTS && status == STATUS_GOOD; i++) {
        kinetic_cost by_events, by_refit;
        uint32_t frames = frame_counts[i], all = (KEYS - 1) * frames;
        if (run_tree(&stage, DENT_KINETIC_EVENTS, frames, false, cpu, &by_events) != DENT_OK ||
            run_tree(&stage, DENT_KINETIC_REFIT, frames, false, cpu, &by_refit) != DENT_OK) {
            status = complain("paper: the kinetic tree failed");
            break;
        }
        kinetic[i] = by_events.update_ms / all;
        plain[i] = run_plainly(&stage, frames, cpu) / all;
        printer_format(&run->file, "%u,%u,%llu,%llu,%llu,%.6g,%.6g,%.6g\n", frames, stage.body->element_count,
                       (unsigned long long)by_events.updates, (unsigned long long)by_refit.updates,
                       (unsigned long long)by_events.events, kinetic[i], by_refit.update_ms / all, plain[i]);
        printer_format(run->session->out,
                       "  %3u frames per key: %10llu sides of boxes by events, %10llu by refit; %8.4f ms a frame, refit %8.4f\n",
                       frames, (unsigned long long)by_events.updates, (unsigned long long)by_refit.updates, kinetic[i],
                       plain[i]);
        paper_chart_add(&chart, "events", frames, kinetic[i]);
        paper_chart_add(&chart, "refit, same tree", frames, by_refit.update_ms / all);
        paper_chart_add(&chart, "refit, plain", frames, plain[i]);
    }
    if (status == STATUS_GOOD) {
        print_crossing(run, "update", crossing(kinetic, plain));
    }
    status = paper_chart_finish(run, &chart, status);
    stage_close(&stage);
    return status;
}

static int make_detection(paper_run *run)
{
    kinetic_stage stage;
    double kinetic[FRAME_COUNTS], plain[FRAME_COUNTS];
    bool cpu = options_have(run->session->options, OPTION_CPU_TIME);
    paper_chart chart = {.name = "kinetic-detection", .title = "Key-framed cloth: update and pairs of boxes",
                         .x_label = "in-between frames per key", .y_label = "ms a frame", .x_logarithmic = true,
                         .y_logarithmic = true};
    int status = stage_open(run, &stage);
    status = status == STATUS_GOOD ? paper_file_open(run, chart.name, "csv") : status;
    if (status != STATUS_GOOD) {
        stage_close(&stage);
        return status;
    }
    printer_text(&run->file, "frames_per_key,faces,pairs,kinetic_ms,refit_ms\n");
    for (int i = 0; i < FRAME_COUNTS && status == STATUS_GOOD; i++) {
        kinetic_cost cost;
        uint32_t frames = frame_counts[i], all = (KEYS - 1) * frames;
        if (run_tree(&stage, DENT_KINETIC_EVENTS, frames, true, cpu, &cost) != DENT_OK) {
            status = complain("paper: the kinetic tree failed");
            break;
        }
        kinetic[i] = (cost.update_ms + cost.detect_ms) / all;
        plain[i] = (run_plainly(&stage, frames, cpu) + cost.detect_ms) / all; /* the search is the same */
        printer_format(&run->file, "%u,%u,%llu,%.6g,%.6g\n", frames, stage.body->element_count,
                       (unsigned long long)cost.pairs, kinetic[i], plain[i]);
        printer_format(run->session->out, "  %3u frames per key: %8.4f ms a frame by events, %8.4f by refit, %llu pairs\n",
                       frames, kinetic[i], plain[i], (unsigned long long)cost.pairs);
        paper_chart_add(&chart, "events and pairs", frames, kinetic[i]);
        paper_chart_add(&chart, "refit and pairs", frames, plain[i]);
    }
    if (status == STATUS_GOOD) {
        print_crossing(run, "update and pairs", crossing(kinetic, plain));
    }
    status = paper_chart_finish(run, &chart, status);
    stage_close(&stage);
    return status;
}

const paper_figure figure_kinetic_updates = {
    "kinetic-updates", "sides of boxes written and time of an update, by events and by refit, against frames per key",
    make_updates};
const paper_figure figure_kinetic_detection = {
    "kinetic-detection", "update and pairs of boxes, by events and by refit, against frames per key", make_detection};
