/* run_robot.c — no simulation: joints move at constant speed, as in `dent ccd`, and links that penetrate one another or
 * an obstacle are reported frame by frame. Between frames nothing is tested; `dent ccd` does that.
 *
 * The animation has the layout of that of a simulation: F.pvd, and a file per body and frame in F_frames. */
#include "run_robot.h"

#include "file_names.h"
#include "interrupt.h"
#include "json_output.h"
#include "load_world.h"
#include "robot_input.h"
#include "tool.h"

#include <dent/penetration.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { DEFAULT_FRAMES = 60 };

typedef struct robot_run {
    tool_session *session;
    loaded_world loaded;
    uint32_t frames, values, penetrating_frames;
    double *from, *to, *at; /* joint values */
    char stem[FILE_NAME_LIMIT], folder[FILE_NAME_LIMIT];
    dent_collection_entry *entries; /* of the animation; null: none */
    char (*files)[FILE_NAME_LIMIT];
    uint32_t entry_count, entry_capacity;
} robot_run;

/* ---- the animation --------------------------------------------------------------------------------------- */

static int open_animation(robot_run *run)
{
    const char *out = run->session->options->out;
    size_t length = strlen(out) - (ends_with(out, ".pvd") ? 4 : 0);
    if (length >= FILE_NAME_LIMIT - 64) {
        return complain("run: --out: the name is too long");
    }
    snprintf(run->stem, sizeof run->stem, "%.*s", (int)length, out);
    snprintf(run->folder, sizeof run->folder, "%.*s_frames", FILE_NAME_LIMIT - 16, run->stem);
    run->entry_capacity = (run->frames + 1) * run->loaded.body_count;
    run->entries = dent_allocate(run->session->context, run->entry_capacity, sizeof *run->entries);
    run->files = dent_allocate(run->session->context, run->entry_capacity, sizeof *run->files);
    if (run->entries == NULL || run->files == NULL) {
        return complain("run: out of memory");
    }
    return make_folders(run->folder) ? STATUS_GOOD : complain("run: --out %s: the folder cannot be made", run->folder);
}

static int write_frame(robot_run *run, uint32_t frame, double time)
{
    const char *slash = strrchr(run->folder, '/');
    for (uint32_t i = 0; i < run->loaded.body_count; i++) {
        const loaded_body *body = &run->loaded.bodies[i];
        const char *ending = body->kind == DENT_BODY_SOLID ? "vtu" : "vtp";
        char path[FILE_NAME_LIMIT], *file = run->files[run->entry_count];
        snprintf(path, sizeof path, "%.*s/body%u_%06u.%s", FILE_NAME_LIMIT - 64, run->folder, i, frame, ending);
        snprintf(file, FILE_NAME_LIMIT, "%.*s/body%u_%06u.%s", FILE_NAME_LIMIT - 64,
                 slash != NULL ? slash + 1 : run->folder, i, frame, ending);
        dent_mesh_view view = {.kind = body->kind,
                               .vertex_count = body->vertex_count,
                               .positions = body->positions,
                               .element_count = body->element_count,
                               .element_corners = body->element_corners,
                               .cell_kinds = body->cell_kinds,
                               .strand_count = body->strand_count,
                               .first = body->first};
        dent_status status = dent_mesh_write(run->session->context, path, &view);
        if (status != DENT_OK) {
            return complain("run: %s", session_message(run->session, status));
        }
        dent_collection_entry entry = {.time = time, .part = i, .file = file};
        run->entries[run->entry_count++] = entry;
    }
    char collection[FILE_NAME_LIMIT];
    snprintf(collection, sizeof collection, "%.*s.pvd", FILE_NAME_LIMIT - 8, run->stem);
    dent_status status = dent_collection_write(run->session->context, collection, run->entry_count, run->entries);
    return status == DENT_OK ? STATUS_GOOD : complain("run: %s", session_message(run->session, status));
}

/* ---- a frame --------------------------------------------------------------------------------------------- */

static void print_frame(robot_run *run, uint32_t frame, double time, const dent_check_result *result, uint64_t ns)
{
    printer *out = run->session->out;
    const dent_body_contact *deepest = NULL;
    uint64_t contacts = result->penetrating_pairs + result->touching_pairs;
    for (uint64_t i = 0; i < result->pair_count; i++) {
        deepest = deepest == NULL || result->pairs[i].max_depth > deepest->max_depth ? &result->pairs[i] : deepest;
    }
    progress_lock(&run->session->progress);
    if (options_have(run->session->options, OPTION_JSON)) {
        json_line line = json_line_begin(out);
        json_line_integer(&line, "frame", frame);
        json_line_number(&line, "time", time);
        json_line_integer(&line, "contacts", contacts);
        json_line_number(&line, "max_penetration", result->max_depth);
        json_line_number(&line, "kinetic", NAN);
        json_line_number(&line, "elastic", NAN);
        json_line_number(&line, "ms_detect", (double)ns * 1e-6);
        json_line_number(&line, "ms_respond", 0);
        json_line_number(&line, "ms_total", (double)ns * 1e-6);
        json_line_end(&line);
    } else {
        printer_format(out, "frame %u, t = %.6g: %llu pairs penetrate, %llu touch", frame, time,
                       (unsigned long long)result->penetrating_pairs, (unsigned long long)result->touching_pairs);
        if (result->penetrating_pairs > 0) {
            printer_format(out, "; deepest %.5g, ", deepest->max_depth);
            printer_name(out, run->loaded.bodies[deepest->body_a].name);
            printer_text(out, " and ");
            printer_name(out, run->loaded.bodies[deepest->body_b].name);
        }
        printer_text(out, "\n");
    }
    printer_flush(out);
    progress_unlock(&run->session->progress);
}

static int run_frame(robot_run *run, uint32_t frame)
{
    double time = (double)frame / run->frames;
    for (uint32_t i = 0; i < run->values; i++) {
        run->at[i] = frame == run->frames ? run->to[i] : run->from[i] + time * (run->to[i] - run->from[i]);
    }
    if (!loaded_world_pose_robot(run->session, &run->loaded, 0, run->at)) {
        return STATUS_ERROR;
    }
    dent_check_def def = dent_check_def_default();
    dent_check_result result;
    def.cancel = interrupt_flag();
    uint64_t start = dent_clock_ns();
    if (dent_world_check(run->loaded.world, &def, &result) != DENT_OK) {
        return complain("run: %s", dent_world_message(run->loaded.world));
    }
    if (interrupt_seen() || result.outcome != DENT_OUTCOME_COMPLETE) {
        return interrupt_report();
    }
    print_frame(run, frame, time, &result, dent_clock_ns() - start);
    run->penetrating_frames += result.penetrating_pairs > 0;
    return run->entries != NULL ? write_frame(run, frame, time) : STATUS_GOOD;
}

/* ---- the run --------------------------------------------------------------------------------------------- */

/* Quaternions (ball and free joints) do not move along a straight line from one set of values to another. */
static int refuse_quaternions(const dent_linkage *linkage)
{
    for (uint32_t i = 0; i < dent_linkage_joint_count(linkage); i++) {
        const dent_joint_def *joint = dent_linkage_joint(linkage, i);
        if (joint->kind == DENT_JOINT_BALL || joint->kind == DENT_JOINT_FREE) {
            return complain("run: joint '%s' turns freely; such robots are for dent ccd, check and view", joint->name);
        }
    }
    return STATUS_GOOD;
}

static int read_values(robot_run *run)
{
    const tool_options *options = run->session->options;
    const dent_linkage *linkage = run->loaded.inputs[0].robot->linkage;
    run->values = dent_linkage_value_count(linkage);
    run->from = dent_allocate(run->session->context, 3 * (size_t)run->values, sizeof *run->from);
    if (run->from == NULL) {
        return complain("run: out of memory");
    }
    run->to = run->from + run->values;
    run->at = run->to + run->values;
    int failed = refuse_quaternions(linkage);
    failed = failed || options->to != NULL ? failed : complain("run: give the joint values at the end: --to VALUES");
    failed = failed ? failed : read_joint_values("run", linkage, "--from", options->from, run->from);
    failed = failed ? failed : read_joint_values("run", linkage, "--to", options->to, run->to);
    failed = failed ? failed : robot_check_values(run->session, "run: --from", linkage, run->from);
    return failed ? failed : robot_check_values(run->session, "run: --to", linkage, run->to);
}

static int load(robot_run *run)
{
    const tool_options *options = run->session->options;
    int failed = loaded_world_open(run->session, &run->loaded);
    failed = failed ? failed : loaded_world_add(run->session, &run->loaded, options->arguments[0]);
    failed = failed ? failed : read_values(run);
    for (uint32_t i = 0; i < options->obstacles.count && !failed; i++) {
        failed = loaded_world_add(run->session, &run->loaded, options->obstacles.paths[i]);
    }
    failed = failed ? failed : loaded_world_allow(run->session, &run->loaded);
    if (failed) {
        session_forget_notices(run->session);
    }
    session_print_notices(run->session);
    return failed;
}

static void close_run(robot_run *run)
{
    dent_context *context = run->session->context;
    dent_release(context, run->from, 3 * (size_t)run->values, sizeof *run->from);
    dent_release(context, run->entries, run->entry_capacity, sizeof *run->entries);
    dent_release(context, run->files, run->entry_capacity, sizeof *run->files);
    if (run->loaded.world != NULL) {
        loaded_world_close(run->session, &run->loaded);
    }
}

static int run_all(robot_run *run)
{
    const tool_options *options = run->session->options;
    run->frames = options->frames > 0 ? options->frames : DEFAULT_FRAMES;
    int status = load(run);
    status = status == STATUS_GOOD && options->out != NULL ? open_animation(run) : status;
    if (status != STATUS_GOOD) {
        return status;
    }
    progress_hold(&run->session->progress, "moving", run->frames);
    for (uint32_t frame = 0; frame <= run->frames && status == STATUS_GOOD; frame++) {
        progress_set(&run->session->progress, frame, run->frames);
        status = run_frame(run, frame);
    }
    progress_release(&run->session->progress);
    if (status == STATUS_GOOD && !options_have(options, OPTION_JSON)) {
        printer_format(run->session->out, "links penetrate in %u of %u frames\n", run->penetrating_frames,
                       run->frames + 1);
    }
    return status;
}

int run_robot(tool_session *session)
{
    robot_run *run = dent_allocate(session->context, 1, sizeof *run);
    if (run == NULL) {
        return complain("run: out of memory");
    }
    memset(run, 0, sizeof *run);
    run->session = session;
    int status = run_all(run);
    close_run(run);
    dent_release(session->context, run, 1, sizeof *run);
    return status;
}
