/* paper_deadline_pairs.c — many pairs under one deadline: the worst error of a thousand pairs of bodies, by a schedule
 * (worst first), by even shares of the same work, and by the best division in hindsight.
 *
 * The bodies are balls of many sizes and resolutions in a box, so that some pairs need a thousand times the work of
 * others. Hindsight: every search is run alone beforehand and its error is noted against its work. The smallest error
 * that all curves reach with the given sum of work is the best that any division could do. */
#include "paper_chart.h"

#include "tool.h"

#include <dent/schedule.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BODIES = 200, PAIRS = 1000, CURVE_POINTS = 600, REPEATS = 21 };

static const double radius_least = 0.05, radius_ratio = 5, bumps = 0.1;

typedef struct error_curve {
    uint32_t count;
    uint64_t units[CURVE_POINTS];
    double error[CURVE_POINTS]; /* falling */
} error_curve;

typedef struct crowd_body {
    uint32_t vertex_count, face_count;
    double (*xyz)[3];
    uint32_t (*faces)[3];
    double center[3], radius;
} crowd_body;

typedef struct pairs_stage {
    paper_run *run;
    dent_context *context;
    dent_world *world;
    crowd_body bodies[BODIES];
    dent_bound_tree *trees[BODIES];
    dent_time_critical *searches[PAIRS];
    uint32_t count; /* of searches */
    error_curve *curves;
    dent_schedule *schedule;
    uint64_t faces;
} pairs_stage;

/* ---- the bodies -------------------------------------------------------------------------------------------------- */

static void place_ball(crowd_body *body, uint32_t rows)
{
    uint32_t slices = 2 * rows;
    for (uint32_t row = 0; row <= rows; row++) {
        for (uint32_t slice = 0; slice < slices; slice++) {
            double up = 3.14159265358979 * row / rows, around = 6.28318530717959 * slice / slices;
            double radius = body->radius * (1 + bumps * sin(5 * up) * cos(4 * around));
            double *p = body->xyz[row * slices + slice];
            p[0] = body->center[0] + radius * sin(up) * cos(around);
            p[1] = body->center[1] + radius * sin(up) * sin(around);
            p[2] = body->center[2] + radius * cos(up);
        }
    }
    uint32_t count = 0;
    for (uint32_t row = 0; row < rows; row++) {
        for (uint32_t slice = 0; slice < slices; slice++) {
            uint32_t a = row * slices + slice, b = row * slices + (slice + 1) % slices, c = a + slices, d = b + slices;
            const uint32_t both[2][3] = {{a, c, b}, {b, c, d}};
            memcpy(body->faces[count], both, sizeof both);
            count += 2;
        }
    }
}

static int add_ball(pairs_stage *stage, dent_random *random, uint32_t index)
{
    crowd_body *body = &stage->bodies[index];
    uint32_t rows = 8 + dent_random_below(random, 40);
    body->radius = radius_least * pow(radius_ratio, dent_random_unit(random));
    for (int axis = 0; axis < 3; axis++) {
        body->center[axis] = 1.15 * dent_random_unit(random);
    }
    body->vertex_count = (rows + 1) * 2 * rows;
    body->face_count = 4 * rows * rows;
    body->xyz = dent_allocate(stage->context, body->vertex_count, sizeof *body->xyz);
    body->faces = dent_allocate(stage->context, body->face_count, sizeof *body->faces);
    if (body->xyz == NULL || body->faces == NULL) {
        return complain("paper: out of memory");
    }
    place_ball(body, rows);
    dent_body_def def = dent_surface_def_default();
    dent_body_id id;
    def.vertex_count = body->vertex_count;
    def.element_count = body->face_count;
    def.element_corners = body->faces[0];
    def.positions_t0 = dent_positions_double(body->xyz[0]);
    stage->faces += body->face_count;
    dent_bound_tree_def tree = dent_bound_tree_def_default();
    if (dent_world_add_body(stage->world, &def, &id) != DENT_OK ||
        dent_bound_tree_create(stage->world, id, &tree, &stage->trees[index]) != DENT_OK) {
        return complain("paper: %s", dent_world_message(stage->world));
    }
    return STATUS_GOOD;
}

static bool balls_meet(const crowd_body *a, const crowd_body *b)
{
    double reach = (1 + bumps) * (a->radius + b->radius), squared = 0;
    for (int axis = 0; axis < 3; axis++) {
        squared += (a->center[axis] - b->center[axis]) * (a->center[axis] - b->center[axis]);
    }
    return squared < reach * reach;
}

static int add_pair(pairs_stage *stage, uint32_t a, uint32_t b)
{
    dent_time_critical_def def = dent_time_critical_def_default();
    def.tree_a = stage->trees[a];
    def.tree_b = stage->trees[b];
    def.pending_capacity = def.pair_capacity = 4096;
    def.confirmed_capacity = 2048;
    def.no_containment = true;
    dent_status status = dent_time_critical_create(stage->context, &def, &stage->searches[stage->count]);
    stage->count += status == DENT_OK;
    return status == DENT_OK ? STATUS_GOOD : complain("paper: %s", session_message(stage->run->session, status));
}

static int open_stage(pairs_stage *stage)
{
    dent_random random = dent_random_seeded(22);
    int status = STATUS_GOOD;
    stage->world = dent_world_create(stage->context);
    stage->curves = dent_allocate(stage->context, PAIRS, sizeof *stage->curves);
    if (stage->world == NULL || stage->curves == NULL) {
        return complain("paper: out of memory");
    }
    for (uint32_t i = 0; i < BODIES && status == STATUS_GOOD; i++) {
        status = add_ball(stage, &random, i);
    }
    for (uint32_t a = 0; a < BODIES; a++) {
        for (uint32_t b = a + 1; b < BODIES && status == STATUS_GOOD && stage->count < PAIRS; b++) {
            status = balls_meet(&stage->bodies[a], &stage->bodies[b]) ? add_pair(stage, a, b) : STATUS_GOOD;
        }
    }
    dent_schedule_def def = dent_schedule_def_default();
    def.searches = stage->searches;
    def.search_count = stage->count;
    if (status == STATUS_GOOD && dent_schedule_create(stage->context, &def, &stage->schedule) != DENT_OK) {
        status = complain("paper: %s", session_message(stage->run->session, DENT_ERROR_INVALID_ARGUMENT));
    }
    return status;
}

static void close_stage(pairs_stage *stage)
{
    dent_schedule_destroy(stage->schedule);
    for (uint32_t i = 0; i < stage->count; i++) {
        dent_time_critical_destroy(stage->searches[i]);
    }
    for (uint32_t i = 0; i < BODIES; i++) {
        dent_bound_tree_destroy(stage->trees[i]);
    }
    dent_world_destroy(stage->world);
    for (uint32_t i = 0; i < BODIES; i++) {
        crowd_body *body = &stage->bodies[i];
        dent_release(stage->context, body->xyz, body->vertex_count, sizeof *body->xyz);
        dent_release(stage->context, body->faces, body->face_count, sizeof *body->faces);
    }
    dent_release(stage->context, stage->curves, PAIRS, sizeof *stage->curves);
}

/* ---- divisions of the work --------------------------------------------------------------------------------------- */

/* Each search alone, a step at a time. */
static void record_curves(pairs_stage *stage)
{
    for (uint32_t i = 0; i < stage->count; i++) {
        error_curve *curve = &stage->curves[i];
        dent_time_critical_result result;
        dent_time_critical_begin(stage->searches[i], NULL);
        curve->count = 0;
        do {
            dent_time_critical_run(stage->searches[i], dent_budget_units(curve->count > 0 ? 1 : 0), &result);
            if (curve->count == 0 || (result.error < curve->error[curve->count - 1] && curve->count < CURVE_POINTS)) {
                curve->units[curve->count] = result.work_units;
                curve->error[curve->count++] = result.error;
            }
        } while (result.outcome == DENT_OUTCOME_BUDGET_SPENT && curve->count < CURVE_POINTS);
    }
}

static uint64_t work_for(const pairs_stage *stage, double error)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < stage->count; i++) {
        const error_curve *curve = &stage->curves[i];
        uint32_t k = 0;
        while (k < curve->count && curve->error[k] > error) {
            k++;
        }
        if (k == curve->count) {
            return UINT64_MAX;
        }
        sum += curve->units[k];
    }
    return sum;
}

/* The smallest error on any curve that all reach with this work. */
static double hindsight(const pairs_stage *stage, uint64_t units)
{
    double best = INFINITY;
    for (uint32_t i = 0; i < stage->count; i++) {
        const error_curve *curve = &stage->curves[i];
        for (uint32_t k = 0; k < curve->count; k++) {
            if (curve->error[k] < best && work_for(stage, curve->error[k]) <= units) {
                best = curve->error[k];
            }
        }
    }
    return best;
}

static double even_shares(const pairs_stage *stage, uint64_t units)
{
    double worst = 0;
    for (uint32_t i = 0; i < stage->count; i++) {
        dent_time_critical_result result;
        dent_time_critical_begin(stage->searches[i], NULL);
        dent_time_critical_run(stage->searches[i], dent_budget_units(units / stage->count), &result);
        worst = fmax(worst, result.error);
    }
    return worst;
}

static double middle_of(double *values, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        for (uint32_t k = i; k > 0 && values[k - 1] > values[k]; k--) {
            double value = values[k];
            values[k] = values[k - 1];
            values[k - 1] = value;
        }
    }
    return values[count / 2];
}

/* One budget in ms: the schedule by the clock, the others with the units it used. */
static void measure(pairs_stage *stage, paper_chart *chart, double ms)
{
    double units[REPEATS], overruns[REPEATS], begins[REPEATS];
    uint32_t repeats = paper_steps(stage->run, REPEATS) < REPEATS ? paper_steps(stage->run, REPEATS) : REPEATS;
    dent_schedule_result result = {.worst = 0};
    for (uint32_t i = 0; i < repeats; i++) {
        uint64_t start = dent_clock_ns();
        dent_schedule_begin(stage->schedule, NULL);
        begins[i] = 1e-6 * (double)(dent_clock_ns() - start);
        dent_schedule_run(stage->schedule, dent_budget_ns(1e6 * ms), &result);
        units[i] = (double)result.work_units;
        overruns[i] = 1e-3 * (double)result.overrun_ns;
    }
    uint64_t work = (uint64_t)middle_of(units, repeats);
    dent_schedule_begin(stage->schedule, NULL);
    dent_schedule_run(stage->schedule, dent_budget_units(work), &result);
    double worst = result.worst, even = even_shares(stage, work), best = hindsight(stage, work);
    printer_format(stage->run->session->out, "%9.1f %10llu %11.4g %11.4g %11.4g %9.2f %9.2f %10.3f %11.2f\n", ms,
                   (unsigned long long)work, worst, even, best, even / worst, worst / best, middle_of(begins, repeats),
                   middle_of(overruns, repeats));
    printer_format(&stage->run->file, "%.3g,%llu,%.9g,%.9g,%.9g\n", ms, (unsigned long long)work, worst, even, best);
    paper_chart_add(chart, "worst first", ms, worst);
    paper_chart_add(chart, "even shares", ms, even);
    paper_chart_add(chart, "hindsight", ms, best);
}

static int make_pairs(paper_run *run)
{
    static const double budgets[] = {0.1, 0.2, 0.5, 1, 2, 5, 10, 20};
    static pairs_stage stage;
    static paper_chart chart;
    stage = (pairs_stage){.run = run, .context = run->session->context};
    chart = (paper_chart){.name = "deadline-pairs",
                          .title = "A thousand pairs under one deadline: the worst error of all",
                          .x_label = "budget, ms",
                          .y_label = "worst error (lengths; the box has 1.15)",
                          .x_logarithmic = true,
                          .y_logarithmic = true};
    int status = open_stage(&stage);
    status = status == STATUS_GOOD ? paper_file_open(run, chart.name, "csv") : status;
    if (status != STATUS_GOOD) {
        close_stage(&stage);
        return status;
    }
    record_curves(&stage);
    printer_format(run->session->out, "%u pairs of %u bodies, %llu triangles\n", stage.count, BODIES,
                   (unsigned long long)stage.faces);
    printer_format(run->session->out, "%9s %10s %11s %11s %11s %9s %9s %10s %11s\n", "budget ms", "units", "worst first",
                   "even", "hindsight", "even/wf", "wf/hind", "begin ms", "overrun us");
    printer_text(&run->file, "budget_ms,work_units,worst_first,even_shares,hindsight\n");
    for (size_t i = 0; i < sizeof budgets / sizeof budgets[0]; i++) {
        measure(&stage, &chart, budgets[i]);
    }
    printer_flush(run->session->out);
    close_stage(&stage);
    return paper_chart_finish(run, &chart, STATUS_GOOD);
}

const paper_figure figure_deadline_pairs = {
    "deadline-pairs", "the worst error of a thousand pairs under one deadline", make_pairs};
