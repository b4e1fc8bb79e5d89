/* paper_stage.c — steps, statistics, fits and files of the experiments. */
#include "paper_stage.h"

#include "bench/bench_run.h"
#include "file_names.h"
#include "interrupt.h"
#include "bench/machine_facts.h"
#include "placed_file.h"
#include "tool.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- files ----------------------------------------------------------------------------------------------- */

int paper_file_open(paper_run *run, const char *name, const char *ending)
{
    bool cpu_time = options_have(run->session->options, OPTION_CPU_TIME);
    paper_file *file = &run->finished[run->finished_count];
    if (run->finished_count == PAPER_FILE_LIMIT) {
        return complain("paper: %s: more than %d files of a figure", name, PAPER_FILE_LIMIT);
    }
    int length = snprintf(file->path, sizeof file->path, "%s/%s.%s", run->folder, name, ending);
    if (length < 0 || (size_t)length >= sizeof file->path) {
        return complain("paper: %s: the name is too long", run->folder);
    }
    if (!make_folders(run->folder)) {
        return complain("paper: %s: %s", file->path, strerror(errno));
    }
    int status = check_target(run->session, "paper:", file->path);
    if (status != STATUS_GOOD) {
        return status;
    }
    if ((run->descriptor = scratch_file_open(file->path)) < 0) {
        return complain("paper: %s: %s", file->path, strerror(errno));
    }
    file->descriptor = run->descriptor;
    printer_open(&run->file, run->descriptor);
    if (strcmp(ending, "csv") == 0) {
        char machine[300];
        machine_name(machine, sizeof machine);
        printer_format(&run->file, "# %s; %u threads; %s; %s; commit %s; %s\n# %s\n", machine,
                       dent_context_worker_count(run->session->context),
                       dent_isa_name(dent_context_isa(run->session->context)), compiler_name(), commit_name(),
                       cpu_time ? "CPU time" : "wall time", run->command);
    }
    return STATUS_GOOD;
}

int paper_file_close(paper_run *run)
{
    printer_flush(&run->file);
    run->finished_count++;
    return printer_failed(&run->file) ? complain("paper: %s: %s", run->folder, strerror(run->file.error)) : STATUS_GOOD;
}

int paper_files_settle(paper_run *run, int status)
{
    for (uint32_t i = 0; i < run->finished_count; i++) {
        paper_file *file = &run->finished[i];
        status = status == STATUS_GOOD ? place_file(run->session, "paper:", file->descriptor, file->path) : status;
        close(file->descriptor);
    }
    run->finished_count = 0;
    return status;
}

uint32_t paper_steps(const paper_run *run, uint32_t steps)
{
    return run->session->options->steps > 0 ? run->session->options->steps : steps;
}

/* ---- steps ----------------------------------------------------------------------------------------------- */

paper_method paper_method_default(const char *name, dent_method method)
{
    paper_method made;
    memset(&made, 0, sizeof made);
    made.name = name;
    made.method = method;
    made.spatial_hash = dent_spatial_hash_def_default();
    made.bucket_tree = dent_bucket_tree_def_default();
    made.experiments = dent_experiments_default();
    return made;
}

static bool leave_out_self_pairs(dent_world *world)
{
    for (uint32_t body_index = 0; body_index < dent_world_body_count(world); body_index++) {
        if (dent_body_set_filter(world, dent_world_body_at(world, body_index), 1, UINT32_MAX, false) != DENT_OK) {
            return false;
        }
    }
    return true;
}

int paper_stage_open(paper_run *run, bench_scene *scene, dent_question question, const paper_method *method,
                     paper_stage *stage)
{
    memset(stage, 0, sizeof *stage);
    stage->scene = scene;
    stage->method = method;
    stage->cpu_time = options_have(run->session->options, OPTION_CPU_TIME);
    stage->def = dent_query_def_default();
    stage->def.questions = question;
    stage->def.method = method->method;
    stage->def.spatial_hash = &method->spatial_hash;
    stage->def.bucket_tree = &method->bucket_tree;
    stage->experiments = method->experiments;
    stage->experiments.counters = &stage->own;
    stage->def.experiments = &stage->experiments;
    stage->def.no_details = true;
    stage->def.cancel = interrupt_flag();
    stage->world = dent_world_create(run->session->context);
    if (stage->world == NULL) {
        return complain("paper: out of memory");
    }
    if (bench_scene_fill(scene, stage->world) != DENT_OK || (method->no_self && !leave_out_self_pairs(stage->world))) {
        int status = complain("paper: %s: %s", scene->name, dent_world_message(stage->world));
        paper_stage_close(stage);
        return status;
    }
    return STATUS_GOOD;
}

int paper_stage_step(paper_stage *stage, double *milliseconds, uint64_t *pairs)
{
    dent_query_result result;
    uint64_t began = bench_clock_ns(stage->cpu_time);
    dent_status status = dent_world_query(stage->world, &stage->def, &result);
    *milliseconds = (double)(bench_clock_ns(stage->cpu_time) - began) * 1e-6;
    if (interrupt_seen()) {
        return interrupt_report();
    }
    if (status != DENT_OK) {
        return complain("paper: %s: %s: %s", stage->scene->name, stage->method->name, dent_world_message(stage->world));
    }
    stage->counters = result.counters;
    *pairs = dent_query_result_list(&result, (dent_question)stage->def.questions)->count;
    return STATUS_GOOD;
}

void paper_stage_close(paper_stage *stage)
{
    dent_world_destroy(stage->world);
    stage->world = NULL;
}

double paper_mean_edge(const bench_scene *scene, const paper_stage *stage)
{
    double sum = 0, weight = 0;
    for (uint32_t body_index = 0; body_index < scene->body_count; body_index++) {
        dent_body_metrics measure;
        uint32_t edges;
        dent_body_id id = dent_world_body_at(stage->world, body_index);
        dent_body_edges(stage->world, id, &edges);
        if (dent_body_get_metrics(stage->world, id, &measure) == DENT_OK) {
            sum += measure.mean_edge * edges;
            weight += edges;
        }
    }
    return weight > 0 ? sum / weight : 1;
}

/* ---- numbers --------------------------------------------------------------------------------------------- */

void statistics_add(paper_statistics *statistics, double value)
{
    statistics->low = statistics->count == 0 || value < statistics->low ? value : statistics->low;
    statistics->high = statistics->count == 0 || value > statistics->high ? value : statistics->high;
    statistics->count++;
    double difference = value - statistics->mean;
    statistics->mean += difference / statistics->count;
    statistics->squares += difference * (value - statistics->mean);
}

double statistics_deviation(const paper_statistics *statistics)
{
    return statistics->count > 1 ? sqrt(statistics->squares / (statistics->count - 1)) : 0;
}

double fit_value(const paper_fit *fit, double x)
{
    return fit->coefficients[0] + x * (fit->coefficients[1] + x * fit->coefficients[2]);
}

/* Gauss elimination with pivoting on the normal equations, x scaled to about 1. False: the equations do not decide. */
static bool solve(double matrix[3][4], int size)
{
    for (int column = 0; column < size; column++) {
        int pivot = column;
        for (int row = column + 1; row < size; row++) {
            pivot = fabs(matrix[row][column]) > fabs(matrix[pivot][column]) ? row : pivot;
        }
        if (fabs(matrix[pivot][column]) < 1e-12) {
            return false;
        }
        for (int k = 0; k < 4; k++) {
            double kept = matrix[column][k];
            matrix[column][k] = matrix[pivot][k];
            matrix[pivot][k] = kept;
        }
        for (int row = 0; row < size; row++) {
            double factor = row == column ? 0 : matrix[row][column] / matrix[column][column];
            for (int k = 0; k < 4; k++) {
                matrix[row][k] -= factor * matrix[column][k];
            }
        }
    }
    return true;
}

paper_fit fit_polynomial(const double *x, const double *y, uint32_t count, int degree)
{
    paper_fit fit;
    memset(&fit, 0, sizeof fit);
    double scale = 1e-300;
    for (uint32_t i = 0; i < count; i++) {
        fit.x_low = i == 0 || x[i] < fit.x_low ? x[i] : fit.x_low;
        fit.x_high = i == 0 || x[i] > fit.x_high ? x[i] : fit.x_high;
        scale = fabs(x[i]) > scale ? fabs(x[i]) : scale;
    }
    for (int size = degree + 1; size > 0 && count > 0; size--) {
        double matrix[3][4] = {{0}};
        for (uint32_t i = 0; i < count; i++) {
            double powers[3] = {1, x[i] / scale, x[i] / scale * (x[i] / scale)};
            for (int row = 0; row < size; row++) {
                for (int column = 0; column < size; column++) {
                    matrix[row][column] += powers[row] * powers[column] / count;
                }
                matrix[row][3] += powers[row] * y[i] / count;
            }
        }
        if (solve(matrix, size)) {
            for (int k = 0; k < size; k++) {
                fit.coefficients[k] = matrix[k][3] / matrix[k][k] / pow(scale, k);
            }
            break;
        }
    }
    double squares = 0;
    for (uint32_t i = 0; i < count; i++) {
        double difference = y[i] - fit_value(&fit, x[i]);
        squares += difference * difference;
    }
    fit.deviation = count > 1 ? sqrt(squares / (count - 1)) : 0;
    return fit;
}
