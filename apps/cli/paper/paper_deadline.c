/* paper_deadline.c — "Towards Time-Critical Collision Detection for Deformable Objects Based on Reduced Models"
 * (Mendoza and O'Sullivan) measured. The outline has no numbers; its claims are: frame rates stay constant under load,
 * breadth first is the order to be interrupted in, and forces are acceptable once pairs of leaves are reached and rough
 * before.
 *
 * The bodies are those of the scene `peg`, in poses where they touch at the rim, the wall and the foot, at several
 * scales; for the haptic loop the peg is a dense surface that follows a coarse box of tetrahedra, as in the paper. */
#include "paper_stage.h"

#include "tool.h"

#include <dent/time_critical.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    CURVES = 6,
    POINTS = 64,
    ORDERS = 3,
    CONTACT_POSES = 3,
    HAPTIC_STEPS = 2000,
    COARSE_VERTICES = 36,
    COARSE_CELLS = 60
};

static const char *const order_names[ORDERS] = {"priority", "breadth first", "depth first"};
static const dent_refine_order orders[ORDERS] = {DENT_REFINE_PRIORITY, DENT_REFINE_BREADTH_FIRST,
                                                 DENT_REFINE_DEPTH_FIRST};
static const uint32_t contact_frames[CONTACT_POSES] = {300, 800, 1000}; /* rim, wall, foot */

/* ---- charts ------------------------------------------------------------------------------------------------------ */

typedef struct deadline_chart {
    const char *name, *title, *x_label, *y_label;
    bool x_logarithmic, y_logarithmic;
    uint32_t count;
    char names[CURVES][64];
    uint32_t counts[CURVES];
    double x[CURVES][POINTS], y[CURVES][POINTS];
} deadline_chart;

static void add_point(deadline_chart *chart, uint32_t curve, const char *name, double x, double y)
{
    if (curve >= CURVES || chart->counts[curve] >= POINTS || (chart->y_logarithmic && !(y > 0)) ||
        (chart->x_logarithmic && !(x > 0))) {
        return;
    }
    chart->count = curve >= chart->count ? curve + 1 : chart->count;
    snprintf(chart->names[curve], sizeof chart->names[curve], "%s", name);
    chart->x[curve][chart->counts[curve]] = x;
    chart->y[curve][chart->counts[curve]++] = y;
}

/* Closes the table and, when all went well, draws the chart. */
static int finish(paper_run *run, const deadline_chart *chart, int status)
{
    int closed = paper_file_close(run);
    status = status == STATUS_GOOD ? closed : status;
    status = status == STATUS_GOOD ? paper_file_open(run, chart->name, "svg") : status;
    if (status != STATUS_GOOD) {
        return status;
    }
    line_series series[CURVES];
    memset(series, 0, sizeof series);
    for (uint32_t i = 0; i < chart->count; i++) {
        series[i] =
            (line_series){.name = chart->names[i], .count = chart->counts[i], .x = chart->x[i], .y = chart->y[i]};
    }
    line_chart drawn = {chart->title,         chart->x_label, chart->y_label, chart->x_logarithmic,
                        chart->y_logarithmic, chart->count,   series};
    line_chart_write(&drawn, &run->file);
    return paper_file_close(run);
}

/* ---- a pair of bodies -------------------------------------------------------------------------------------------- */

typedef struct deadline_stage {
    paper_run *run;
    bench_scene scene;
    dent_world *world;
    dent_bound_tree *trees[2];
    dent_time_critical *search;
    double radius; /* of the peg */
} deadline_stage;

static int complain_world(const deadline_stage *stage)
{
    return complain("paper: %s", dent_world_message(stage->world));
}

static void close_stage(deadline_stage *stage)
{
    dent_time_critical_destroy(stage->search);
    dent_bound_tree_destroy(stage->trees[0]);
    dent_bound_tree_destroy(stage->trees[1]);
    dent_world_destroy(stage->world);
    bench_scene_close(&stage->scene);
}

static int open_search(deadline_stage *stage, dent_refine_order order)
{
    dent_time_critical_def def = dent_time_critical_def_default();
    def.tree_a = stage->trees[0];
    def.tree_b = stage->trees[1];
    def.order = order;
    def.pending_capacity = 1u << 19;
    def.confirmed_capacity = 1u << 18;
    def.pair_capacity = 1u << 21;
    dent_time_critical_destroy(stage->search);
    stage->search = NULL;
    dent_status status = dent_time_critical_create(stage->run->session->context, &def, &stage->search);
    return status == DENT_OK ? STATUS_GOOD : complain("paper: %s", session_message(stage->run->session, status));
}

/* The scene at a scale and frame, with trees; no search yet. */
static int open_stage(paper_run *run, double scale, uint32_t frame, deadline_stage *stage)
{
    memset(stage, 0, sizeof *stage);
    stage->run = run;
    stage->radius = 0.5;
    dent_bound_tree_def tree = dent_bound_tree_def_default();
    tree.kind = DENT_BOUND_SPHERES; /* as the paper, and for the response */
    dent_scene_def def = dent_scene_def_default();
    def.name = "peg";
    def.scale = scale * run->session->options->scale;
    int status = bench_scene_open(run->session, "paper", &def, &stage->scene);
    if (status != STATUS_GOOD) {
        return status;
    }
    bench_scene_pose(&stage->scene, frame);
    stage->world = dent_world_create(run->session->context);
    if (!stage->world || bench_scene_fill(&stage->scene, stage->world) != DENT_OK) {
        status = complain("paper: out of memory");
    }
    for (uint32_t i = 0; i < 2 && status == STATUS_GOOD; i++) {
        if (dent_bound_tree_create(stage->world, dent_world_body_at(stage->world, i), &tree, &stage->trees[i]) !=
            DENT_OK) {
            status = complain_world(stage);
        }
    }
    if (status != STATUS_GOOD) {
        close_stage(stage);
    }
    return status;
}

static int update_trees(deadline_stage *stage)
{
    for (int i = 0; i < 2; i++) {
        if (dent_bound_tree_update(stage->trees[i]) != DENT_OK) {
            return complain_world(stage);
        }
    }
    return STATUS_GOOD;
}

/* ---- constant frame rate ----------------------------------------------------------------------------------------- */

/* Of up to POINTS values, which are sorted. Others may be at work on the machine: a mean would show them. */
static double median(double *values, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        double value = values[i];
        uint32_t place = i;
        for (; place > 0 && values[place - 1] > value; place--) {
            values[place] = values[place - 1];
        }
        values[place] = value;
    }
    return count > 0 ? values[count / 2] : 0;
}

static int load_at(paper_run *run, deadline_chart *chart, double scale)
{
    static const double budgets[4] = {1, 2, 4, INFINITY};
    static const char *const names[4] = {"budget 1 ms", "budget 2 ms", "budget 4 ms", "no deadline"};
    deadline_stage stage;
    int status = open_stage(run, scale, 0, &stage);
    if (status != STATUS_GOOD) {
        return status;
    }
    double times[4][POINTS], bounds[4] = {0};
    uint32_t steps = paper_steps(run, 40) < POINTS ? paper_steps(run, 40) : POINTS;
    status = open_search(&stage, DENT_REFINE_PRIORITY);
    for (uint32_t step = 0; step < steps && status == STATUS_GOOD; step++) {
        bench_scene_pose(&stage.scene, 250 + step * 1500 / steps);
        status = update_trees(&stage);
        for (int i = 0; i < 4 && status == STATUS_GOOD; i++) {
            dent_time_critical_result result;
            dent_time_critical_begin(stage.search, NULL);
            dent_time_critical_run(stage.search, dent_budget_ns(budgets[i] * 1e6), &result);
            times[i][step] = (double)result.ns * 1e-6;
            bounds[i] += result.error / steps;
        }
    }
    for (int i = 0; i < 4 && status == STATUS_GOOD; i++) {
        double middle = median(times[i], steps), most = times[i][steps - 1];
        printer_format(run->session->out, "%-14s %10u %10.3f %10.3f %12.4g\n", names[i], stage.scene.face_count, middle,
                       most, bounds[i]);
        printer_format(&run->file, "%s,%u,%.6g,%.6g,%.6g\n", names[i], stage.scene.face_count, middle, most, bounds[i]);
        add_point(chart, (uint32_t)i, names[i], stage.scene.face_count, middle);
    }
    printer_flush(run->session->out);
    close_stage(&stage);
    return status;
}

static int make_load(paper_run *run)
{
    static deadline_chart chart;
    chart = (deadline_chart){.name = "deadline-load",
                             .title = "Peg and hole, finer and finer: time of the search per frame",
                             .x_label = "triangles of both",
                             .y_label = "milliseconds per frame (median)",
                             .x_logarithmic = true,
                             .y_logarithmic = true};
    int status = paper_file_open(run, chart.name, "csv");
    if (status != STATUS_GOOD) {
        return status;
    }
    printer_format(run->session->out, "%-14s %10s %10s %10s %12s\n", "curve", "triangles", "median ms", "most ms",
                   "mean bound");
    printer_text(&run->file, "curve,triangles,median_ms,most_ms,mean_bound\n");
    for (double scale = 1.0 / 64; scale <= 16 && status == STATUS_GOOD; scale *= 4) {
        status = load_at(run, &chart, scale);
    }
    return finish(run, &chart, status);
}

/* ---- error against budget, order against order ------------------------------------------------------------------- */

static int error_at(deadline_stage *stage, deadline_chart *chart, int pose)
{
    paper_run *run = stage->run;
    int status = STATUS_GOOD;
    for (int i = 0; i < ORDERS && status == STATUS_GOOD; i++) {
        dent_time_critical_result result = {0};
        status = open_search(stage, orders[i]);
        for (uint64_t units = 64; status == STATUS_GOOD && units <= 1u << 24; units *= 2) {
            dent_time_critical_begin(stage->search, NULL);
            dent_time_critical_run(stage->search, dent_budget_units(units), &result);
            printer_format(run->session->out, "%-14s %5u %10llu %12.5g %12.5g %9u %9u %6u\n", order_names[i],
                           contact_frames[pose], (unsigned long long)units, result.error / stage->radius,
                           result.depth / stage->radius, result.pending_count, result.pair_count, result.levels_done);
            printer_format(&run->file, "%s,%u,%llu,%.9g,%.9g,%u,%u,%u\n", order_names[i], contact_frames[pose],
                           (unsigned long long)units, result.error / stage->radius, result.depth / stage->radius,
                           result.pending_count, result.pair_count, result.levels_done);
            if (pose == 0) {
                add_point(chart, (uint32_t)i, order_names[i], (double)units, result.error / stage->radius);
            }
            if (result.outcome == DENT_OUTCOME_COMPLETE) {
                break;
            }
        }
    }
    return status;
}

static int make_error(paper_run *run)
{
    static deadline_chart chart;
    chart = (deadline_chart){.name = "deadline-error",
                             .title = "Peg at the rim: error bound against budget, by order of refinement",
                             .x_label = "work units (tests of two volumes 1, exact ones of two faces 4)",
                             .y_label = "error bound over the peg's radius",
                             .x_logarithmic = true,
                             .y_logarithmic = true};
    int status = paper_file_open(run, chart.name, "csv");
    if (status != STATUS_GOOD) {
        return status;
    }
    printer_format(run->session->out, "%-14s %5s %10s %12s %12s %9s %9s %6s\n", "order", "frame", "units", "bound",
                   "depth", "pending", "pairs", "levels");
    printer_text(&run->file, "order,frame,units,bound,depth,pending,pairs,levels_done\n");
    for (int pose = 0; pose < CONTACT_POSES && status == STATUS_GOOD; pose++) {
        deadline_stage stage;
        status = open_stage(run, 1, contact_frames[pose], &stage);
        if (status == STATUS_GOOD) {
            status = error_at(&stage, &chart, pose);
            close_stage(&stage);
        }
    }
    return finish(run, &chart, status);
}

/* ---- forces ------------------------------------------------------------------------------------------------------ */

static double length(const double v[3])
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

/* Direction (degrees) and size of a force against those of the finished search. */
static int force_at(deadline_stage *stage, deadline_chart *chart, int pose)
{
    static const char *const names[CONTACT_POSES] = {"rim", "wall", "foot"};
    paper_run *run = stage->run;
    dent_time_critical_result result;
    dent_sphere_response end, now;
    dent_sphere_response_def def = dent_sphere_response_def_default();
    uint64_t budget = 16;
    def.confirmed_only = true; /* as the paper: pairs that are not leaves push only while there are no others */
    int status = open_search(stage, DENT_REFINE_BREADTH_FIRST);
    if (status != STATUS_GOOD) {
        return status;
    }
    dent_time_critical_begin(stage->search, NULL);
    dent_time_critical_run(stage->search, dent_budget_ns(INFINITY), &result);
    dent_sphere_response_compute(stage->search, &def, NULL, NULL, &end);
    dent_time_critical_begin(stage->search, NULL);
    do {
        dent_time_critical_run(stage->search, dent_budget_units(budget), &result);
        dent_sphere_response_compute(stage->search, &def, NULL, NULL, &now);
        budget = 16 + result.work_units / 2;
        double cosine = length(now.force) > 0 && length(end.force) > 0
                            ? (now.direction[0] * end.direction[0] + now.direction[1] * end.direction[1] +
                               now.direction[2] * end.direction[2])
                            : -1;
        double angle = acos(fmax(-1, fmin(1, cosine))) * 180 / 3.14159265358979323846;
        double difference[3] = {now.force[0] - end.force[0], now.force[1] - end.force[1], now.force[2] - end.force[2]};
        double relative = length(end.force) > 0 ? length(difference) / length(end.force) : 0;
        printer_format(run->session->out, "%-5s %10llu %6u %9u %9u %10.3f %12.4g %12.4g\n", names[pose],
                       (unsigned long long)result.work_units, result.levels_done, result.pending_count,
                       result.confirmed_count, angle, now.depth, relative);
        printer_format(&run->file, "%s,%llu,%u,%u,%u,%.6g,%.9g,%.6g\n", names[pose],
                       (unsigned long long)result.work_units, result.levels_done, result.pending_count,
                       result.confirmed_count, angle, now.depth, relative);
        add_point(chart, (uint32_t)pose, names[pose], (double)result.work_units, relative > 1e-3 ? relative : 1e-3);
    } while (result.outcome == DENT_OUTCOME_BUDGET_SPENT);
    return STATUS_GOOD;
}

static int make_force(paper_run *run)
{
    static deadline_chart chart;
    chart =
        (deadline_chart){.name = "deadline-force",
                         .title = "Force from the balls of a search stopped early, against that of the finished one",
                         .x_label = "work units; the table has the deepest finished level",
                         .y_label = "relative difference of the force (1e-3: less)",
                         .x_logarithmic = true,
                         .y_logarithmic = true};
    int status = paper_file_open(run, chart.name, "csv");
    if (status != STATUS_GOOD) {
        return status;
    }
    printer_format(run->session->out, "%-5s %10s %6s %9s %9s %10s %12s %12s\n", "pose", "units", "levels", "pending",
                   "confirmed", "degrees", "depth", "difference");
    printer_text(&run->file, "pose,units,levels_done,pending,confirmed,degrees,depth,relative_difference\n");
    for (int pose = 0; pose < CONTACT_POSES && status == STATUS_GOOD; pose++) {
        deadline_stage stage;
        status = open_stage(run, 1, contact_frames[pose], &stage);
        if (status == STATUS_GOOD) {
            status = force_at(&stage, &chart, pose);
            close_stage(&stage);
        }
    }
    return finish(run, &chart, status);
}

/* ---- the haptic loop --------------------------------------------------------------------------------------------- */

/* A box of 2 x 2 x 3 cubes around the peg, five tetrahedra a cube. */
typedef struct coarse_box {
    double rest[COARSE_VERTICES][3], now[COARSE_VERTICES][3];
    uint32_t cells[COARSE_CELLS][4];
} coarse_box;

static void make_coarse_box(coarse_box *box)
{
    static const uint8_t even[5][4] = {{0, 1, 3, 4}, {1, 2, 3, 6}, {1, 4, 5, 6}, {3, 4, 6, 7}, {1, 3, 4, 6}};
    static const uint8_t odd[5][4] = {{0, 1, 2, 5}, {0, 2, 3, 7}, {0, 4, 5, 7}, {2, 5, 6, 7}, {0, 2, 5, 7}};
    static const uint8_t offsets[8] = {0, 1, 4, 3, 9, 10, 13, 12};
    for (uint32_t v = 0; v < COARSE_VERTICES; v++) {
        box->rest[v][0] = (v % 3) * 0.45 - 0.45;
        box->rest[v][1] = (v / 3 % 3) * 0.45 - 0.45;
        box->rest[v][2] = (v / 9) * 0.4;
    }
    for (uint32_t cube = 0; cube < 12; cube++) {
        uint32_t x = cube % 2, y = cube / 2 % 2, z = cube / 4;
        for (int i = 0; i < 20; i++) {
            uint8_t corner = ((x + y + z) % 2 ? odd : even)[i / 4][i % 4];
            box->cells[cube * 5 + (uint32_t)i / 4][i % 4] = z * 9 + y * 3 + x + offsets[corner];
        }
    }
}

typedef struct haptic_stage {
    deadline_stage stage;
    coarse_box box;
    dent_embedding *embedding;
} haptic_stage;

/* Replaces the peg's tree by one that follows a coarse box. */
static int open_haptic(paper_run *run, haptic_stage *haptic)
{
    make_coarse_box(&haptic->box);
    int status = open_stage(run, 1, 0, &haptic->stage);
    if (status != STATUS_GOOD) {
        return status;
    }
    deadline_stage *stage = &haptic->stage;
    const bench_body *peg = &stage->scene.bodies[1];
    memcpy(stage->scene.positions + 3 * (size_t)peg->first_vertex, peg->body->reference,
           3 * (size_t)peg->body->vertex_count * sizeof(double));
    dent_body_def def = dent_solid_def_default();
    dent_body_id coarse, dense = dent_world_body_at(stage->world, 1);
    def.name = "coarse box";
    def.vertex_count = COARSE_VERTICES;
    def.element_count = COARSE_CELLS;
    def.element_corners = haptic->box.cells[0];
    def.positions_t0 = dent_positions_double(haptic->box.rest[0]);
    dent_bound_tree_def tree = dent_bound_tree_def_default();
    dent_bound_tree_destroy(stage->trees[1]);
    stage->trees[1] = NULL;
    haptic->embedding = NULL;
    dent_status made = dent_world_add_body(stage->world, &def, &coarse);
    made = made == DENT_OK ? dent_embedding_create(stage->world, dense, coarse, NULL, &haptic->embedding) : made;
    tree.embedding = haptic->embedding;
    made = made == DENT_OK ? dent_bound_tree_create(stage->world, dense, &tree, &stage->trees[1]) : made;
    status = made == DENT_OK ? open_search(stage, DENT_REFINE_DEEPEST) : complain_world(stage);
    if (status != STATUS_GOOD) {
        close_stage(stage);
        dent_embedding_destroy(haptic->embedding);
    }
    return status;
}

/* The hand's frame of the scene is a rigid motion: taken from the pose of the peg's foot, its head, and one vertex
 * aside. */
static void hold_box(haptic_stage *haptic, uint32_t frame, const double offset[3])
{
    deadline_stage *stage = &haptic->stage;
    const bench_body *peg = &stage->scene.bodies[1];
    bench_scene_pose(&stage->scene, frame);
    const double *p = stage->scene.positions + 3 * (size_t)peg->first_vertex;
    const double *head = p + 3 * (size_t)(peg->body->vertex_count - 1);
    double up[3], side[3], across[3];
    for (int axis = 0; axis < 3; axis++) {
        up[axis] = (head[axis] - p[axis]) / 1.2;
    }
    side[0] = up[2]; /* the scene tilts about the y axis */
    side[1] = 0;
    side[2] = -up[0];
    across[0] = 0;
    across[1] = 1;
    across[2] = 0;
    for (uint32_t v = 0; v < COARSE_VERTICES; v++) {
        const double *rest = haptic->box.rest[v];
        for (int axis = 0; axis < 3; axis++) {
            haptic->box.now[v][axis] =
                p[axis] + offset[axis] + rest[0] * side[axis] + rest[1] * across[axis] + rest[2] * up[axis];
        }
    }
}

/* Proxy and spring: contact pushes the peg off the hand's path, the hand pulls it back; the pull is what is felt. */
static int run_haptic(paper_run *run, deadline_chart *chart, haptic_stage *haptic, bool bounded)
{
    double offset[3] = {0, 0, 0}, spent = 0, most = 0;
    uint32_t steps = paper_steps(run, bounded ? HAPTIC_STEPS : HAPTIC_STEPS / 10), late = 0;
    dent_sphere_response_def push = dent_sphere_response_def_default();
    push.stiffness = 1;
    int status = STATUS_GOOD;
    for (uint32_t step = 0; step < steps && status == STATUS_GOOD; step++) {
        uint32_t frame = (uint32_t)((uint64_t)step * HAPTIC_STEPS / steps);
        dent_time_critical_result result;
        dent_sphere_response response;
        hold_box(haptic, frame, offset);
        uint64_t began = dent_clock_ns();
        dent_status moved = dent_embedding_move(haptic->embedding, dent_positions_double(haptic->box.now[0]));
        moved = moved == DENT_OK ? dent_bound_tree_update(haptic->stage.trees[1]) : moved;
        dent_time_critical_begin(haptic->stage.search, NULL);
        moved = moved == DENT_OK
                    ? dent_time_critical_run(haptic->stage.search, dent_budget_ns(bounded ? 0.6e6 : INFINITY), &result)
                    : moved;
        push.confirmed_only = true;
        moved =
            moved == DENT_OK ? dent_sphere_response_compute(haptic->stage.search, &push, NULL, NULL, &response) : moved;
        double milliseconds = (double)(dent_clock_ns() - began) * 1e-6;
        if (moved != DENT_OK) {
            return complain("paper: %s", session_message(run->session, moved));
        }
        memcpy(push.last_direction, response.direction, sizeof push.last_direction);
        for (int axis = 0; axis < 3; axis++) { /* the peg is body b: it gets the opposite force */
            double contact = result.confirmed_count > 0 ? -response.force[axis] : 0;
            offset[axis] += 0.2 * (contact - 0.1 * offset[axis]);
        }
        spent += milliseconds / steps;
        most = milliseconds > most ? milliseconds : most;
        late += milliseconds > 1;
        printer_format(&run->file, "%s,%u,%.6g,%.6g,%.6g,%u,%u,%.6g,%.6g,%.6g\n",
                       bounded ? "budget 0.6 ms" : "no deadline", frame, milliseconds, (double)result.overrun_ns * 1e-6,
                       result.error, result.confirmed_count, result.pending_count, offset[0], offset[1], offset[2]);
        if (step % (steps > 50 ? steps / 50 : 1) == 0) {
            add_point(chart, bounded ? 0 : 1, bounded ? "budget 0.6 ms" : "no deadline", frame, milliseconds);
        }
    }
    printer_format(run->session->out, "%-14s  %u steps: mean %.3f ms, most %.3f ms, %u above 1 ms\n",
                   bounded ? "budget 0.6 ms" : "no deadline", steps, spent, most, late);
    return status;
}

static int make_peg(paper_run *run)
{
    static deadline_chart chart;
    static haptic_stage haptic;
    chart = (deadline_chart){.name = "deadline-peg",
                             .title = "Haptic peg in hole at 1 kHz: time of a step (update, search, response)",
                             .x_label = "step, milliseconds of the scene",
                             .y_label = "milliseconds"};
    int status = paper_file_open(run, chart.name, "csv");
    if (status != STATUS_GOOD) {
        return status;
    }
    printer_text(&run->file, "curve,step,ms,overrun_ms,bound,confirmed,pending,offset_x,offset_y,offset_z\n");
    for (int bounded = 1; bounded >= 0 && status == STATUS_GOOD; bounded--) {
        memset(&haptic, 0, sizeof haptic);
        status = open_haptic(run, &haptic);
        if (status == STATUS_GOOD) {
            status = run_haptic(run, &chart, &haptic, bounded != 0);
            close_stage(&haptic.stage);
            dent_embedding_destroy(haptic.embedding);
        }
    }
    return finish(run, &chart, status);
}

const paper_figure figure_deadline_load = {"deadline-load",
                                           "time per frame under growing load, with and without a deadline", make_load};
const paper_figure figure_deadline_error = {
    "deadline-error", "error bound against budget: priority, breadth first, depth first", make_error};
const paper_figure figure_deadline_force = {"deadline-force", "force against the deepest finished level", make_force};
const paper_figure figure_deadline_peg = {"deadline-peg", "a haptic peg in a hole at 1 kHz", make_peg};
