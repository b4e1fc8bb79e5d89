/* paper_plan.c — contact milestones against the width of a passage (Redon and Lin 2005; chapter 8 of the tutorial of
 * 2006, which reports up to 70 times).
 *
 * A bar of 400 x 100 x 100 flies through a slot in a wall 300 thick (millimetres, six freedoms). The slot is wider than
 * the bar by 2, 4, 8 and 16 target gaps of 2 on each side. Both searches run with and without contact
 * milestones; --steps N takes N seeds (default 3). A search ends with the first path or after LIMIT_SECONDS, which then
 * count. For a quick trial --scale shortens the limit, with its cube. */
#include "paper_chart.h"

#include "interrupt.h"
#include "tool.h"

#include <dent/plan.h>

#include <stdio.h>

enum { BODIES = 3, SEEDS = 3, LIMIT_SECONDS = 10, SLICE = 64 };
static const double target_gap = 0.002;

typedef struct passage {
    double corners[BODIES][8][3];
    dent_plan_body bodies[BODIES];
    dent_linkage *linkage;
} passage;

static void put_box(passage *made, uint32_t index, const char *name, const double lo[3], const double hi[3])
{
    static const uint32_t triangles[12][3] = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                                              {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
    for (int c = 0; c < 8; c++) {
        for (int k = 0; k < 3; k++) {
            made->corners[index][c][k] = c >> k & 1 ? hi[k] : lo[k];
        }
    }
    dent_body_def shape = dent_surface_def_default();
    shape.name = name;
    shape.vertex_count = 8;
    shape.element_count = 12;
    shape.element_corners = triangles[0];
    shape.positions_t0 = dent_positions_double(made->corners[index][0]);
    made->bodies[index] = (dent_plan_body){shape, index == 0 ? 1 : DENT_PLAN_OBSTACLE};
}

static int make_passage(paper_run *run, double clearance, passage *made)
{
    double side = 0.05 + clearance;
    put_box(made, 0, "bar", (double[3]){-0.2, -0.05, -0.05}, (double[3]){0.2, 0.05, 0.05});
    put_box(made, 1, "left", (double[3]){-0.15, -1.5, -1.5}, (double[3]){0.15, -side, 1.5});
    put_box(made, 2, "right", (double[3]){-0.15, side, -1.5}, (double[3]){0.15, 1.5, 1.5});
    dent_joint_def joint = dent_joint_def_default();
    joint.kind = DENT_JOINT_FREE;
    joint.child = 1;
    dent_linkage_def def = dent_linkage_def_default();
    def.link_count = 2;
    def.joint_count = 1;
    def.joints = &joint;
    dent_status status = dent_linkage_create(run->session->context, &def, &made->linkage);
    return status == DENT_OK ? STATUS_GOOD : complain("paper: %s", session_message(run->session, status));
}

typedef struct passage_row {
    uint32_t found, seeds;
    double seconds, edges; /* means */
} passage_row;

static double limit_of(const paper_run *run)
{
    double scale = run->session->options->scale;
    return LIMIT_SECONDS * scale * scale * scale;
}

static dent_status search(dent_planner *planner, uint64_t seed, double limit, dent_plan_result *result)
{
    static const double from[7] = {-0.5, 0.1, 0, 1, 0, 0, 0}, to[7] = {0.5, -0.1, 0.2, 1, 0, 0, 0};
    dent_status status = dent_planner_begin(planner, from, to, seed);
    do {
        status = status == DENT_OK ? dent_planner_run(planner, SLICE, interrupt_flag(), result) : status;
    } while (status == DENT_OK && result->verdict != DENT_PLAN_FOUND && 1e-9 * (double)result->ns < limit &&
             !interrupt_seen());
    return status;
}

static int measure(paper_run *run, const passage *made, dent_plan_method method, bool contacts, passage_row *row)
{
    static const double lower[7] = {-0.7, -0.6, -0.6}, upper[7] = {0.7, 0.6, 0.6};
    dent_planner_def def = dent_planner_def_default();
    def.linkage = made->linkage;
    def.bodies = made->bodies;
    def.body_count = BODIES;
    def.lower = lower;
    def.upper = upper;
    def.target_gap = target_gap;
    def.method = method;
    def.no_contact_milestones = !contacts;
    def.no_shortening = true;
    dent_planner *planner = NULL;
    dent_status status = dent_planner_create(run->session->context, &def, &planner);
    *row = (passage_row){.seeds = paper_steps(run, SEEDS)};
    for (uint32_t seed = 1; seed <= row->seeds && status == DENT_OK; seed++) {
        dent_plan_result result = {.ns = 0};
        status = search(planner, seed, limit_of(run), &result);
        bool found = status == DENT_OK && result.verdict == DENT_PLAN_FOUND;
        row->found += found;
        row->seconds += (found ? 1e-9 * (double)result.ns_to_first : limit_of(run)) / row->seeds;
        row->edges += (double)result.edges / row->seeds;
    }
    dent_planner_destroy(planner);
    if (status == DENT_OK && interrupt_seen()) {
        return interrupt_report();
    }
    return status == DENT_OK ? STATUS_GOOD : complain("paper: %s", session_message(run->session, status));
}

static void put_row(paper_run *run, paper_chart *chart, double clearance, dent_plan_method method, bool contacts,
                    const passage_row *row)
{
    char curve[64];
    const char *name = dent_plan_method_name(method), *word = contacts ? "on" : "off";
    snprintf(curve, sizeof curve, "%s, contact milestones %s", name, word);
    paper_chart_add(chart, curve, clearance, row->seconds);
    printer_format(&run->file, "%g,%s,%s,%u,%u,%.6g,%.6g\n", clearance, name, word, row->seeds, row->found, row->seconds,
                   row->edges);
    printer_format(run->session->out, "%9g %-8s %-9s %6u %6u %10.3f %12.0f\n", clearance, name, word, row->seeds,
                   row->found, row->seconds, row->edges);
    printer_flush(run->session->out);
}

static int make_passages(paper_run *run)
{
    static paper_chart chart;
    chart = (paper_chart){.name = "plan-passages",
                          .title = "Time to a path through a slot, with contact milestones and without",
                          .x_label = "clearance on each side, in target gaps",
                          .y_label = "mean seconds (searches without a path count with the limit)",
                          .x_logarithmic = true,
                          .y_logarithmic = true};
    int status = paper_file_open(run, chart.name, "csv");
    if (status != STATUS_GOOD) {
        return status;
    }
    printer_text(&run->file, "clearance,method,contacts,seeds,found,mean_s,mean_edges\n");
    printer_format(run->session->out, "%9s %-8s %-9s %6s %6s %10s %12s\n", "clearance", "method", "contacts", "seeds",
                   "found", "mean s", "edge tests");
    for (double clearance = 2; clearance <= 16 && status == STATUS_GOOD; clearance *= 2) {
        passage made;
        status = make_passage(run, clearance * target_gap, &made);
        for (int variant = 0; variant < 4 && status == STATUS_GOOD; variant++) {
            passage_row row;
            dent_plan_method method = variant / 2 ? DENT_PLAN_ROADMAP : DENT_PLAN_TREE;
            status = measure(run, &made, method, variant % 2 == 0, &row);
            if (status == STATUS_GOOD) {
                put_row(run, &chart, clearance, method, variant % 2 == 0, &row);
            }
        }
        dent_linkage_destroy(made.linkage);
    }
    return paper_chart_finish(run, &chart, status);
}

const paper_figure figure_plan_passages = {
    .name = "plan-passages",
    .summary = "time to a path through a slot against its width, contact milestones on and off",
    .make = make_passages,
};
