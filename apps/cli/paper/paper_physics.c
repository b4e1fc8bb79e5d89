/* paper_physics.c — `dent paper physics`: the validation table of the simulator (physics/physics_table.h) measured,
 * printed with theory beside dent, and written as table (CSV, and Markdown for docs/validation.md) and chart. */
#include "paper_chart.h"

#include "interrupt.h"
#include "json_output.h"
#include "physics/physics_table.h"
#include "tool.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void print_text(printer *out, const physics_case *row, const physics_result *result)
{
    printer_format(out, "%-4s %-80s %12.6g %12.6g %10.4g  %g..%g %s\n       %s (%.1f s)\n",
                   result->pass ? "pass" : "FAIL", row->name, result->reference, result->measured, result->value,
                   row->low, row->high, row->unit, result->note, result->seconds);
}

static void print_json(printer *out, const physics_case *row, const physics_result *result)
{
    json_line line = json_line_begin(out);
    json_line_string(&line, "experiment", row->group);
    json_line_string(&line, "row", row->name);
    json_line_string(&line, "unit", row->unit);
    json_line_number(&line, "reference", result->reference);
    json_line_number(&line, "dent", result->measured);
    json_line_number(&line, "value", result->value);
    json_line_number(&line, "low", row->low);
    json_line_number(&line, "high", row->high);
    json_line_boolean(&line, "pass", result->pass);
    json_line_boolean(&line, "holds", (row->flags & PHYSICS_HOLDS) != 0);
    json_line_number(&line, "seconds", result->seconds);
    json_line_string(&line, "note", result->note);
    json_line_end(&line);
}

/* The chart: frequency of the beam against its stiffness, theory and dent. Other groups have no curve in common. */
static void add_to_chart(paper_chart *chart, const physics_case *row, const physics_result *result)
{
    if (row->measure == measure_beam_frequency && row->parameters[2] == 0) {
        char curve[64];
        snprintf(curve, sizeof curve, "theory, nu %g", row->parameters[1]);
        paper_chart_add(chart, curve, row->parameters[0], result->reference);
        snprintf(curve, sizeof curve, "dent, nu %g", row->parameters[1]);
        paper_chart_add(chart, curve, row->parameters[0], result->measured);
    }
}

static void write_row(paper_run *run, const physics_case *row, const physics_result *result)
{
    printer_format(&run->file, "%s,\"%s\",%s,%.9g,%.9g,%.9g,%g,%g,%s,%.3f,\"%s\"\n", row->group, row->name, row->unit,
                   result->reference, result->measured, result->value, row->low, row->high,
                   result->pass ? "pass" : "fail", result->seconds, result->note);
}

/* What was measured, for the Markdown table: rows that were not have no seconds. */
static int write_markdown(paper_run *run, const physics_result *results)
{
    int status = paper_file_open(run, run->figure->name, "md");
    if (status != STATUS_GOOD) {
        return status;
    }
    printer_text(&run->file, "| row | reference | dent | judged | bar | |\n|---|---|---|---|---|---|\n");
    for (uint32_t n = 0; n < physics_table_count; n++) {
        const physics_case *row = &physics_table[n];
        const physics_result *result = &results[n];
        if (result->seconds > 0) {
            printer_format(&run->file, "| %s | %.4g %s | %.4g %s | %.4g | %g … %g | %s |\n", row->name,
                           result->reference, row->unit, result->measured, row->unit, result->value, row->low,
                           row->high, result->pass ? "pass" : "**fail**");
        }
    }
    return paper_file_close(run);
}

static int measure_rows(paper_run *run, paper_chart *chart, const char *group, physics_result *results)
{
    const tool_options *options = run->session->options;
    bool full = options_have(options, OPTION_FULL), json = options_have(options, OPTION_JSON);
    uint32_t rows = 0, passed = 0;
    for (uint32_t n = 0; n < physics_table_count; n++) {
        const physics_case *row = &physics_table[n];
        if ((group != NULL && strcmp(group, row->group) != 0) || (!full && (row->flags & PHYSICS_QUICK) == 0)) {
            continue;
        }
        if (interrupt_seen()) {
            return interrupt_report();
        }
        printer_flush(run->session->out);
        physics_run_case(run->session->context, row, &results[n]);
        session_forget_notices(run->session);
        (json ? print_json : print_text)(run->session->out, row, &results[n]);
        write_row(run, row, &results[n]);
        add_to_chart(chart, row, &results[n]);
        rows++;
        passed += results[n].pass;
    }
    if (!json) {
        printer_format(run->session->out, "%u of %u rows pass\n", passed, rows);
    }
    run->found = run->found || passed < rows;
    return STATUS_GOOD;
}

static int make_physics(paper_run *run)
{
    static paper_chart chart;
    const char *dash = strchr(run->figure->name, '-');
    chart = (paper_chart){.name = run->figure->name,
                          .title = "First mode of a clamped beam: theory beside dent",
                          .x_label = "Young's modulus, Pa",
                          .y_label = "frequency, Hz",
                          .x_logarithmic = true,
                          .y_logarithmic = true};
    int status = paper_file_open(run, chart.name, "csv");
    if (status != STATUS_GOOD) {
        return status;
    }
    printer_text(&run->file, "experiment,row,unit,reference,dent,value,low,high,verdict,seconds,note\n");
    if (!options_have(run->session->options, OPTION_JSON)) {
        printer_format(run->session->out, "%-4s %-80s %12s %12s %10s  %s\n", "", "row", "reference", "dent", "value",
                       "bar");
    }
    physics_result *results = dent_allocate(run->session->context, physics_table_count, sizeof *results);
    if (results == NULL) {
        return paper_chart_finish(run, &chart, complain("paper: out of memory"));
    }
    memset(results, 0, physics_table_count * sizeof *results);
    status = measure_rows(run, &chart, dash != NULL ? dash + 1 : NULL, results);
    status = paper_chart_finish(run, &chart, status);
    status = status == STATUS_GOOD ? write_markdown(run, results) : status;
    dent_release(run->session->context, results, physics_table_count, sizeof *results);
    return status;
}

const paper_figure figure_physics = {"physics", "the simulator against theory", make_physics};
const paper_figure figure_physics_beam = {"physics-beam", "stiffness: beams and bars", make_physics};
const paper_figure figure_physics_energy = {"physics-energy", "no energy from nothing", make_physics};
const paper_figure figure_physics_contact = {"physics-contact", "rebound, weight, Hertz, friction", make_physics};
const paper_figure figure_physics_stacks = {"physics-stacks", "stacks of rigid boxes at rest", make_physics};
const paper_figure figure_physics_bullets = {"physics-bullets", "fast balls against a thin plate", make_physics};
const paper_figure figure_physics_starts = {"physics-starts", "random starts", make_physics};
const paper_figure figure_physics_cases = {"physics-cases", "scenes that showed a fault once", make_physics};
