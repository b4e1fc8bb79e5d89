/* paper_motion.c — the cases of "Continuous Collision Detection and Handling for Rigid and Articulated Bodies" (Redon,
 * Eurographics tutorial 2006): what tests at some times of a step miss and the motion query does not, and what the
 * query costs as bodies get more triangles or turn farther. The chapter gives pictures and no times.
 *
 * The scenes are rod, rings, teapot and arm; a step is the way from one frame to the next. */
#include "paper_chart.h"

#include "bench/bench_run.h"
#include "motion_stage.h"
#include "tool.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const scenes[] = {"rod", "rings", "teapot", "arm"};
enum { SCENE_COUNT = sizeof scenes / sizeof scenes[0], MOST_BODIES = 16, STEPS = 12 };

/* ---- one step at some times ------------------------------------------------------------------------------ */

/* The bodies as they stand at a time, in a world of their own. */
typedef struct still_stage {
    const motion_stage *moving;
    dent_world *world;
    uint32_t count;
    dent_body_id ids[MOST_BODIES];
    double *positions[MOST_BODIES], *ends[MOST_BODIES]; /* at a time; at the end of the step */
} still_stage;

static void place_bodies(const still_stage *still, double t, double *const *positions)
{
    const dent_scene *scene = still->moving->scene;
    for (uint32_t b = 0; b < still->count; b++) {
        const dent_scene_body *body = dent_scene_body_at(scene, b);
        dent_pose pose = dent_motion_frame_at(still->moving->frames, dent_scene_motion_frame_of(scene, b), t);
        double m[16];
        dent_pose_to_matrix(&pose, m);
        for (size_t v = 0; v < body->vertex_count; v++) {
            const double *p = body->reference + 3 * v;
            for (size_t k = 0; k < 3; k++) {
                positions[b][3 * v + k] =
                    ((m[4 * k] * p[0] + m[4 * k + 1] * p[1]) + m[4 * k + 2] * p[2]) + m[4 * k + 3];
            }
        }
    }
}

static void still_close(still_stage *still)
{
    dent_context *context = still->moving->context;
    dent_world_destroy(still->world);
    for (uint32_t b = 0; b < still->count; b++) {
        size_t numbers = 3 * (size_t)dent_scene_body_at(still->moving->scene, b)->vertex_count;
        dent_release(context, still->positions[b], numbers, sizeof(double));
        dent_release(context, still->ends[b], numbers, sizeof(double));
    }
}

static int still_open(still_stage *still, const motion_stage *moving)
{
    memset(still, 0, sizeof *still);
    still->moving = moving;
    still->world = dent_world_create(moving->context);
    still->count = dent_scene_body_count(moving->scene);
    bool good = still->world != NULL && still->count <= MOST_BODIES;
    for (uint32_t b = 0; b < still->count && good; b++) {
        size_t numbers = 3 * (size_t)dent_scene_body_at(moving->scene, b)->vertex_count;
        still->positions[b] = dent_allocate(moving->context, numbers, sizeof(double));
        still->ends[b] = dent_allocate(moving->context, numbers, sizeof(double));
        good = still->positions[b] != NULL && still->ends[b] != NULL;
    }
    good = good && dent_scene_add_to_world(moving->scene, still->world, still->positions, still->ids) == DENT_OK;
    return good ? STATUS_GOOD : complain("paper: out of memory");
}

/* Do surfaces cross at a time? */
static int still_crosses(const still_stage *still, double t, bool *crosses)
{
    dent_query_def ask = dent_query_def_default();
    dent_query_result result;
    ask.questions = DENT_QUESTION_FACE_FACE;
    ask.no_details = true;
    place_bodies(still, t, still->positions);
    if (dent_world_query(still->world, &ask, &result) != DENT_OK) {
        return complain("paper: %s", dent_world_message(still->world));
    }
    *crosses = result.face_face.count > 0;
    return STATUS_GOOD;
}

/* Do vertices on straight lines meet anything? */
static int straight_lines_meet(const still_stage *still, bool *meet)
{
    dent_impact_def ask = dent_impact_def_default();
    dent_earliest_impact result;
    place_bodies(still, 0, still->positions);
    place_bodies(still, 1, still->ends);
    dent_status status = DENT_OK;
    for (uint32_t b = 0; b < still->count && status == DENT_OK; b++) {
        dent_positions start = dent_positions_double(still->positions[b]), end = dent_positions_double(still->ends[b]);
        status = dent_body_set_positions(still->world, still->ids[b], &start, &end);
    }
    status = status == DENT_OK ? dent_world_earliest_impact(still->world, &ask, &result) : status;
    if (status != DENT_OK) {
        return complain("paper: %s", dent_world_message(still->world));
    }
    *meet = result.found;
    return STATUS_GOOD;
}

/* ---- asking the motion query ----------------------------------------------------------------------------- */

typedef struct motion_sample {
    dent_motion_verdict verdict;
    double milliseconds, volume_tests, face_tests, time_pieces;
} motion_sample;

static int ask_motion(paper_run *run, const motion_stage *stage, motion_sample *sample)
{
    dent_motion_impact_def def = motion_stage_def(stage);
    dent_motion_impact_result result;
    def.no_contacts = true;
    bool cpu_time = options_have(run->session->options, OPTION_CPU_TIME);
    uint64_t began = bench_clock_ns(cpu_time);
    if (dent_world_motion_impact(stage->world, &def, &result) != DENT_OK) {
        return complain("paper: %s", dent_world_message(stage->world));
    }
    *sample = (motion_sample){.verdict = result.verdict,
                              .milliseconds = (double)(bench_clock_ns(cpu_time) - began) * 1e-6,
                              .volume_tests = (double)result.counters.volume_tests,
                              .face_tests = (double)result.counters.face_tests,
                              .time_pieces = (double)result.counters.time_pieces};
    return STATUS_GOOD;
}

/* `parameter` null: none is set. */
static int open_scene(paper_run *run, motion_stage *stage, const char *name, double scale, const char *parameter,
                      double value)
{
    dent_scene_setting setting = {parameter, value};
    dent_scene_def def = dent_scene_def_default();
    def.name = name;
    def.scale = scale * run->session->options->scale;
    def.settings = &setting;
    def.setting_count = parameter != NULL ? 1 : 0;
    int status = motion_stage_open(stage, run->session);
    return status == STATUS_GOOD ? motion_stage_make_scene(stage, run->session, &def) : status;
}

/* ---- motion-missed --------------------------------------------------------------------------------------- */

/* How many tests a step gets, at equal times, both ends among them. */
static const uint32_t test_counts[] = {2, 3, 5, 9, 17, 33, 65, 129, 257, 513, 1025, 2049, 4097};
enum { TEST_COUNTS = sizeof test_counts / sizeof test_counts[0] };

/* Thin things are met for a shorter time. */
static const struct {
    const char *name, *scene, *parameter;
    double value;
} missed_cases[] = {
    {"rod", "rod", NULL, 0},       {"rings", "rings", NULL, 0}, {"thin rings", "rings", "thickness", 0.004},
    {"teapot", "teapot", NULL, 0}, {"arm", "arm", NULL, 0},
};

typedef struct missed_counts {
    uint32_t steps, contacts, at_times[TEST_COUNTS], straight_lines;
} missed_counts;

/* The coarsest of the samplings that shows the contact; they are nested. TEST_COUNTS: none. */
static int coarsest_sampling(const still_stage *still, uint32_t *coarsest)
{
    uint32_t last = test_counts[TEST_COUNTS - 1] - 1;
    *coarsest = TEST_COUNTS;
    for (uint32_t level = 0; level < TEST_COUNTS; level++) {
        uint32_t stride = last / (test_counts[level] - 1);
        for (uint32_t i = 0; i <= last; i += stride) {
            bool crosses = false;
            if (level > 0 && i % (2 * stride) == 0) {
                continue; /* looked at before */
            }
            int status = still_crosses(still, (double)i / last, &crosses);
            if (status != STATUS_GOOD || crosses) {
                *coarsest = level;
                return status;
            }
        }
    }
    return STATUS_GOOD;
}

static int count_step(paper_run *run, motion_stage *stage, const still_stage *still, uint32_t frame,
                      missed_counts *counts)
{
    motion_sample sample;
    int status = motion_stage_set_step(stage, run->session, frame, DENT_MOTION_CONSTANT_VELOCITY);
    status = status == STATUS_GOOD ? ask_motion(run, stage, &sample) : status;
    if (status != STATUS_GOOD) {
        return status;
    }
    counts->steps++;
    if (sample.verdict != DENT_MOTION_CONTACT) {
        return STATUS_GOOD;
    }
    counts->contacts++;
    uint32_t coarsest;
    bool meet = false;
    status = coarsest_sampling(still, &coarsest);
    status = status == STATUS_GOOD ? straight_lines_meet(still, &meet) : status;
    for (uint32_t level = 0; level < coarsest && level < TEST_COUNTS; level++) {
        counts->at_times[level]++;
    }
    counts->straight_lines += !meet;
    return status;
}

static void print_missed(paper_run *run, paper_chart *chart, const char *scene, const missed_counts *counts)
{
    for (uint32_t level = 0; level <= TEST_COUNTS + 1; level++) {
        char detection[32];
        uint32_t missed = level < TEST_COUNTS    ? counts->at_times[level]
                          : level == TEST_COUNTS ? counts->straight_lines
                                                 : 0;
        if (level < TEST_COUNTS) {
            snprintf(detection, sizeof detection, "%u times", test_counts[level]);
            paper_chart_add(chart, scene, test_counts[level],
                            counts->contacts > 0 ? 100.0 * missed / counts->contacts : 0);
        } else {
            snprintf(detection, sizeof detection, "%s", level == TEST_COUNTS ? "straight lines" : "motion query");
        }
        printer_format(&run->file, "%s,%s,%u,%u,%u\n", scene, detection, counts->steps, counts->contacts, missed);
        printer_format(run->session->out, "%-11s %-16s %6u %9u %8u\n", scene, detection, counts->steps,
                       counts->contacts, missed);
    }
    printer_flush(run->session->out);
}

static int make_missed(paper_run *run)
{
    static paper_chart chart;
    chart = (paper_chart){.name = "motion-missed",
                          .title = "Contacts of a step that tests at some of its times do not see",
                          .x_label = "tests in a step, both ends among them (the motion query misses none)",
                          .y_label = "per cent of the steps with a contact",
                          .x_logarithmic = true};
    int status = paper_file_open(run, chart.name, "csv");
    if (status != STATUS_GOOD) {
        return status;
    }
    printer_text(&run->file, "scene,detection,steps,contacts,missed\n");
    printer_format(run->session->out, "%-11s %-16s %6s %9s %8s\n", "scene", "detection", "steps", "contacts", "missed");
    for (size_t c = 0; c < sizeof missed_cases / sizeof missed_cases[0] && status == STATUS_GOOD; c++) {
        motion_stage stage;
        still_stage still = {.world = NULL};
        missed_counts counts = {0};
        const char *scene = missed_cases[c].scene;
        status = open_scene(run, &stage, scene, 1, missed_cases[c].parameter, missed_cases[c].value);
        if (status == STATUS_GOOD) {
            status = still_open(&still, &stage);
            uint32_t frames = paper_steps(run, dent_scene_find(scene)->frame_count);
            for (uint32_t frame = 0; frame < frames && status == STATUS_GOOD; frame++) {
                status = count_step(run, &stage, &still, frame, &counts);
            }
            still_close(&still);
        }
        if (status == STATUS_GOOD) {
            print_missed(run, &chart, missed_cases[c].name, &counts);
        }
        motion_stage_close(&stage);
    }
    return paper_chart_finish(run, &chart, status);
}

/* ---- time against size and angle ------------------------------------------------------------------------- */

/* Means over the steps of a scene, those with a contact (1) and those without (0). */
typedef struct motion_means {
    double triangles;
    uint32_t count[2];
    motion_sample mean[2];
} motion_means;

static int measure(paper_run *run, const char *scene, double scale, double turn, motion_means *means)
{
    motion_stage stage;
    memset(means, 0, sizeof *means);
    int status = open_scene(run, &stage, scene, scale, turn >= 0 ? "turn" : NULL, turn);
    uint32_t frames = paper_steps(run, STEPS);
    for (uint32_t b = 0; status == STATUS_GOOD && b < dent_scene_body_count(stage.scene); b++) {
        means->triangles += dent_scene_body_at(stage.scene, b)->element_count;
    }
    for (uint32_t frame = 0; frame < frames && status == STATUS_GOOD; frame++) {
        motion_sample sample, again;
        status = motion_stage_set_step(&stage, run->session, frame, DENT_MOTION_CONSTANT_VELOCITY);
        /* The first asks build the hierarchies; the least of three is kept. */
        status = status == STATUS_GOOD ? ask_motion(run, &stage, &sample) : status;
        for (int i = 0; i < 3 && status == STATUS_GOOD; i++) {
            status = ask_motion(run, &stage, &again);
            sample = i == 0 || again.milliseconds < sample.milliseconds ? again : sample;
        }
        if (status == STATUS_GOOD) {
            int kind = sample.verdict == DENT_MOTION_CONTACT;
            motion_sample *mean = &means->mean[kind];
            means->count[kind]++;
            mean->milliseconds += sample.milliseconds;
            mean->volume_tests += sample.volume_tests;
            mean->face_tests += sample.face_tests;
            mean->time_pieces += sample.time_pieces;
        }
    }
    motion_stage_close(&stage);
    return status;
}

static int open_means(paper_run *run, const char *name, const char *x_column)
{
    int status = paper_file_open(run, name, "csv");
    if (status == STATUS_GOOD) {
        printer_format(&run->file, "scene,steps,%s,triangles,count,mean_ms,volume_tests,face_tests,time_pieces\n",
                       x_column);
        printer_format(run->session->out, "%-8s %-8s %10s %10s %6s %10s %12s %12s %10s\n", "scene", "steps", x_column,
                       "triangles", "count", "mean ms", "volume tests", "face tests", "pieces");
    }
    return status;
}

static void print_means(paper_run *run, paper_chart *chart, const char *scene, double x, double chart_x,
                        const motion_means *means)
{
    for (int kind = 0; kind < 2; kind++) {
        double count = means->count[kind];
        const motion_sample *mean = &means->mean[kind];
        if (count == 0) {
            continue;
        }
        char curve[64];
        const char *steps = kind ? "contact" : "free";
        snprintf(curve, sizeof curve, "%s, %s", scene, steps);
        paper_chart_add(chart, curve, chart_x, mean->milliseconds / count);
        printer_format(&run->file, "%s,%s,%.9g,%.9g,%u,%.6g,%.6g,%.6g,%.6g\n", scene, steps, x, means->triangles,
                       means->count[kind], mean->milliseconds / count, mean->volume_tests / count,
                       mean->face_tests / count, mean->time_pieces / count);
        printer_format(run->session->out, "%-8s %-8s %10g %10.0f %6u %10.4f %12.0f %12.0f %10.0f\n", scene, steps, x,
                       means->triangles, means->count[kind], mean->milliseconds / count, mean->volume_tests / count,
                       mean->face_tests / count, mean->time_pieces / count);
    }
    printer_flush(run->session->out);
}

static int make_size(paper_run *run)
{
    static const double scales[] = {0.03, 0.1, 0.3, 1, 3, 10, 30};
    static paper_chart chart;
    chart = (paper_chart){.name = "motion-size",
                          .title = "Motion query: time against size, mean over the steps of a scene",
                          .x_label = "triangles of all bodies",
                          .y_label = "milliseconds per query",
                          .x_logarithmic = true,
                          .y_logarithmic = true};
    int status = open_means(run, chart.name, "scale");
    if (status != STATUS_GOOD) {
        return status;
    }
    for (int s = 0; s < SCENE_COUNT && status == STATUS_GOOD; s++) {
        for (size_t i = 0; i < sizeof scales / sizeof scales[0] && status == STATUS_GOOD; i++) {
            motion_means means;
            status = measure(run, scenes[s], scales[i], -1, &means);
            if (status == STATUS_GOOD) {
                print_means(run, &chart, scenes[s], scales[i], means.triangles, &means);
            }
        }
    }
    return paper_chart_finish(run, &chart, status);
}

static int make_angle(paper_run *run)
{
    static const double angles[] = {1, 2, 5, 10, 20, 30, 45, 60, 90, 120, 150, 179};
    static paper_chart chart;
    chart = (paper_chart){.name = "motion-angle",
                          .title = "Motion query: time against the turn of a step, mean over the steps of a scene",
                          .x_label = "turn of a step, degrees",
                          .y_label = "milliseconds per query",
                          .y_logarithmic = true};
    int status = open_means(run, chart.name, "degrees");
    if (status != STATUS_GOOD) {
        return status;
    }
    for (int s = 0; s < 3 && status == STATUS_GOOD; s++) { /* the arm has joints instead */
        for (size_t i = 0; i < sizeof angles / sizeof angles[0] && status == STATUS_GOOD; i++) {
            motion_means means;
            status = measure(run, scenes[s], 1, angles[i], &means);
            if (status == STATUS_GOOD) {
                print_means(run, &chart, scenes[s], angles[i], angles[i], &means);
            }
        }
    }
    return paper_chart_finish(run, &chart, status);
}

const paper_figure figure_motion_missed = {
    "motion-missed", "Redon 2006: contacts of a step that tests at some times and straight lines do not see",
    make_missed};
const paper_figure figure_motion_size = {"motion-size", "time of the motion query against the number of triangles",
                                         make_size};
const paper_figure figure_motion_angle = {"motion-angle", "time of the motion query against the turn of a step",
                                          make_angle};
