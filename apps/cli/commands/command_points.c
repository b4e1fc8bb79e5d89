/* command_points.c — `dent points`: do the surfaces of two point clouds meet, where, and how sure is the answer?
 *
 * Each argument is a file of points, or a mesh whose vertices are taken. Both clouds are prepared with all threads; the
 * search itself is seeded and the same for any number of them. It runs in slices of work, so that Ctrl-C is heard. */
#include "file_names.h"
#include "interrupt.h"
#include "json_output.h"
#include "placed_file.h"
#include "tool.h"
#include "tool_session.h"

#include <cloud_curve.h>
#include <dent/cloud.h>
#include <dent/mesh_io.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SLICE_UNITS = 50000000 };

/* One of the two clouds. */
typedef struct cloud_input {
    dent_mesh *mesh;
    dent_cloud *cloud;
    dent_cloud_info info;
} cloud_input;

typedef struct points_run {
    cloud_input inputs[2];
    dent_cloud_search *search;
    dent_cloud_result result;
    uint64_t ns;
} points_run;

/* ---- the clouds ------------------------------------------------------------------------------------------------ */

/* With the name of the file, unless the message has it. */
static int complain_about_file(tool_session *session, const char *name, dent_status status)
{
    const char *message = session_message(session, status);
    return strstr(message, name) != NULL ? complain("%s", message) : complain("%s: %s", name, message);
}

static int open_cloud(tool_session *session, const char *name, cloud_input *input)
{
    dent_mesh_read_def read_def = dent_mesh_read_def_default();
    read_def.merge = true;
    read_def.memory_limit = session->options->memory_limit;
    progress_begin(&session->progress, "reading", 0);
    interrupt_at_once(true);
    dent_status status = dent_mesh_read(session->context, name, &read_def, &input->mesh);
    if (status == DENT_OK) {
        const dent_mesh_body *body = &input->mesh->bodies[0];
        dent_cloud_def def = dent_cloud_def_default();
        def.positions = dent_positions_double(body->positions);
        def.point_count = body->vertex_count;
        def.normals = dent_positions_double(body->normals);
        progress_begin(&session->progress, "preparing", 0);
        status = dent_cloud_create(session->context, &def, &input->cloud);
    }
    interrupt_at_once(false);
    progress_end(&session->progress);
    if (status != DENT_OK) {
        return complain_about_file(session, name, status);
    }
    session_print_notices(session);
    session_forget_notices(session);
    input->info = dent_cloud_get_info(input->cloud);
    return STATUS_GOOD;
}

/* ---- the search ------------------------------------------------------------------------------------------------ */

static int ask(tool_session *session, points_run *run)
{
    const tool_options *options = session->options;
    dent_cloud_search_def def = dent_cloud_search_def_default();
    dent_pose pose = dent_pose_identity();
    memcpy(pose.translation, options->move, sizeof pose.translation);
    def.cloud_a = run->inputs[0].cloud;
    def.cloud_b = run->inputs[1].cloud;
    dent_status status = dent_cloud_search_create(session->context, &def, &run->search);
    uint64_t began = dent_clock_ns();
    status = status == DENT_OK ? dent_cloud_search_begin(run->search, NULL, &pose, options->seed) : status;
    uint64_t left = options_have(options, OPTION_BUDGET) ? options->budget : UINT64_MAX;
    progress_begin(&session->progress, "searching", 0);
    for (bool more = true; status == DENT_OK && more && !interrupt_seen();) {
        uint64_t slice = left < SLICE_UNITS ? left : SLICE_UNITS;
        status = dent_cloud_search_run(run->search, dent_budget_units(slice), &run->result);
        left -= left == UINT64_MAX ? 0 : slice;
        more = run->result.outcome == DENT_OUTCOME_BUDGET_SPENT && left > 0;
    }
    progress_end(&session->progress);
    run->ns = dent_clock_ns() - began;
    if (interrupt_seen()) {
        return interrupt_report();
    }
    return status == DENT_OK ? STATUS_GOOD : complain("points: %s", session_message(session, status));
}

/* ---- the answer ------------------------------------------------------------------------------------------------ */

static void print_json(printer *out, const points_run *run)
{
    const dent_cloud_result *result = &run->result;
    json_line line = json_line_begin(out);
    json_line_string(&line, "answer", dent_cloud_answer_name(result->answer));
    json_line_integer(&line, "points", result->point_count);
    json_line_number(&line, "miss_probability", result->miss_probability);
    json_line_number(&line, "resolution", result->resolution);
    json_line_integer(&line, "work", result->work_units);
    json_line_number(&line, "ms", (double)run->ns * 1e-6);
    json_line_end(&line);
}

static void print_text(printer *out, const tool_options *options, const points_run *run)
{
    const dent_cloud_result *result = &run->result;
    for (int i = 0; i < 2; i++) {
        const dent_cloud_info *info = &run->inputs[i].info;
        printer_name(out, options->arguments[i]);
        printer_format(out, ": %u points, spacing %.4g, %u parts; prepared in %.3f s\n", info->points, info->spacing,
                       info->parts, (double)info->build_ns * 1e-9);
    }
    printer_format(out, "%s", dent_cloud_answer_name(result->answer));
    if (result->answer == DENT_CLOUD_YES) {
        double worst = 0;
        for (uint32_t i = 0; i < result->point_count; i++) {
            worst = fmax(worst, fmax(result->points[i].residual_a, result->points[i].residual_b));
        }
        printer_format(out, ": %u points of the intersection, residuals up to %.3g", result->point_count, worst);
    }
    printer_format(out, "\nchance of a miss %.3g at resolution %.4g; %llu of %llu draws, %llu work units, %.3f ms\n",
                   result->miss_probability, result->resolution, (unsigned long long)result->draws,
                   (unsigned long long)result->draws_planned, (unsigned long long)result->work_units,
                   (double)run->ns * 1e-6);
}

/* The curve, with what is known of its points. */
static int write_curve(tool_session *session, const points_run *run, const char *path)
{
    const dent_cloud_result *result = &run->result;
    uint32_t count = result->point_count;
    cloud_curve curve;
    dent_status status = cloud_curve_make(session->context, result, 2 * result->resolution, &curve);
    double *values = dent_allocate(session->context, count, 8 * sizeof *values);
    if (values == NULL) {
        status = DENT_ERROR_OUT_OF_MEMORY;
    }
    double *residual_a = values, *residual_b = values + count, *normal_a = values + 2 * (size_t)count,
           *normal_b = values + 5 * (size_t)count;
    for (uint32_t i = 0; i < count && status == DENT_OK; i++) {
        residual_a[i] = result->points[i].residual_a;
        residual_b[i] = result->points[i].residual_b;
        memcpy(normal_a + 3 * (size_t)i, result->points[i].normal_a, 3 * sizeof *normal_a);
        memcpy(normal_b + 3 * (size_t)i, result->points[i].normal_b, 3 * sizeof *normal_b);
    }
    const dent_mesh_field fields[4] = {
        {.name = "residual_a", .components = 1, .values = residual_a},
        {.name = "residual_b", .components = 1, .values = residual_b},
        {.name = "normal_a", .components = 3, .values = normal_a},
        {.name = "normal_b", .components = 3, .values = normal_b},
    };
    status = status == DENT_OK ? dent_lines_write(session->context, path, count, curve.positions, curve.line_count,
                                                  curve.ends, 4, fields)
                               : status;
    dent_release(session->context, values, count, 8 * sizeof *values);
    cloud_curve_release(&curve);
    return status == DENT_OK ? STATUS_GOOD : complain("--out: %s", session_message(session, status));
}

/* Unknown is an answer that the caller must see. */
static int report(tool_session *session, const points_run *run, const char *path)
{
    const dent_cloud_result *result = &run->result;
    if (options_have(session->options, OPTION_JSON)) {
        print_json(session->out, run);
    } else {
        print_text(session->out, session->options, run);
    }
    int status = path[0] != '\0' ? write_curve(session, run, path) : STATUS_GOOD;
    if (status == STATUS_GOOD && result->answer == DENT_CLOUD_UNKNOWN) {
        printer_flush(session->out);
        for (int i = 0; i < 2; i++) {
            const dent_cloud_info *info = &run->inputs[i].info;
            if (info->isolated + info->merged == info->points) {
                return complain("points: unknown: %s has no surface: none of its points has a neighbour",
                                session->options->arguments[i]);
            }
        }
        return result->outcome == DENT_OUTCOME_BUDGET_SPENT
                   ? complain("points: unknown: the budget is spent and nothing was found yet")
                   : complain("points: unknown: the surfaces are not defined at %llu places where they may meet",
                              (unsigned long long)result->undefined);
    }
    return status;
}

/* ---- the command ----------------------------------------------------------------------------------------------- */

static int name_out(tool_session *session, char path[FILE_NAME_LIMIT])
{
    const char *out = session->options->out;
    path[0] = '\0';
    if (!options_have(session->options, OPTION_CURVE_OUT)) {
        return STATUS_GOOD;
    }
    const char *other = ending_of_another_format(out, ".vtp");
    if (other != NULL || strlen(out) > FILE_NAME_LIMIT - 8) {
        return complain("--out %.200s: this writes .vtp; use a name that ends in .vtp", out);
    }
    snprintf(path, FILE_NAME_LIMIT, "%s%s", out, ends_with(out, ".vtp") ? "" : ".vtp");
    return check_target(session, "--out", path);
}

static int run_points(const tool_options *options, printer *out)
{
    tool_session session;
    points_run run;
    char path[FILE_NAME_LIMIT];
    memset(&run, 0, sizeof run);
    int status = session_open(&session, options, out);
    if (status != STATUS_GOOD) {
        return status;
    }
    status = name_out(&session, path);
    for (int i = 0; i < 2 && status == STATUS_GOOD; i++) {
        status = open_cloud(&session, options->arguments[i], &run.inputs[i]);
    }
    status = status == STATUS_GOOD ? ask(&session, &run) : status;
    status = status == STATUS_GOOD ? report(&session, &run, path) : status;
    dent_cloud_search_destroy(run.search);
    for (int i = 0; i < 2; i++) {
        dent_cloud_destroy(run.inputs[i].cloud);
        dent_mesh_destroy(session.context, run.inputs[i].mesh);
    }
    session_close(&session);
    return status;
}

const tool_command command_points_row = {
    .name = "points",
    .summary = "do the surfaces of two point clouds meet: yes, no, unknown, with the chance of a miss",
    .arguments = "[OPTION...] A B",
    .details =
        "A and B are clouds (.ply without faces, .pcd, .xyz, .csv, .pts) or meshes, whose vertices are taken;\n"
        "each also with .gz or .xz. Normals of the file are used if all points have one.\n"
        "\n"
        "The surface of a cloud is an implicit function of its points; no mesh is made. The search draws\n"
        "places of one cloud near the other and follows changes of sign. The answer is an estimate, no proof:\n"
        "with it comes the chance that contact of the size of the resolution or more was missed. The same\n"
        "seed gives the same answer for any number of threads.\n"
        "\n"
        "--out F writes the curve in which the surfaces meet, with residuals and normals, for ParaView.\n"
        "Exit status: 0 for yes and no, 2 for unknown.\n"
        "\n"
        "JSON keys of the last line: answer points miss_probability resolution work ms; only ms depends on\n"
        "the machine.\n",
    .option_bits = OPTION_BIT(OPTION_MOVE) | OPTION_BIT(OPTION_SEED) | OPTION_BIT(OPTION_BUDGET) | OPTIONS_OF_MACHINE |
                   OPTION_BIT(OPTION_CURVE_OUT) | OPTION_BIT(OPTION_MEMORY_LIMIT) | OPTION_BIT(OPTION_JSON),
    .argument_min = 2,
    .argument_max = 2,
    .run = run_points,
};
