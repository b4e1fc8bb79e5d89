/* command_run.c — `dent run`: simulates a scene, reports its contacts, writes an animation, and can be stopped and
 * taken up again.
 *
 * After each frame come, in this order: the frame's files, the collection that lists them, the checkpoint. So whatever
 * ends the program, the collection can be read, and the checkpoint is never ahead of the files. */
#include "interrupt.h"
#include "load_world.h"
#include "placed_file.h"
#include "robot_input.h"
#include "run_linkage.h"
#include "run_robot.h"
#include "run_converge.h"
#include "run_output.h"
#include "run_probes.h"
#include "run_report.h"
#include "tool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct run_job {
    tool_session *session;
    dent_sim_scene *scene;
    dent_sim *sim;
    dent_sim_scene_facts facts;
    uint32_t frames;      /* the last frame to be simulated */
    uint32_t first_frame; /* the first one: 1, or the one after the checkpoint */
    run_output output;
    run_probes probes;
    run_report report;
    run_linkage linkage; /* of a robot */
} run_job;

/* ---- checkpoints ----------------------------------------------------------------------------------------- */

enum { NOTE_SIZE = 512 };

static void make_checkpoint_note(const run_job *job, uint32_t frame, char note[NOTE_SIZE])
{
    memset(note, 0, NOTE_SIZE);
    snprintf(note, NOTE_SIZE, "dent run\nframe %u\nscene %.300s\n", frame, job->session->options->arguments[0]);
}

/* Puts the simulation where the checkpoint was written. */
static int resume(run_job *job, const char *path)
{
    char note[NOTE_SIZE + 1] = "", expected[NOTE_SIZE];
    size_t size = 0;
    unsigned frame = 0;
    dent_status status = dent_sim_read_note(job->session->context, path, note, NOTE_SIZE, &size);
    if (status != DENT_OK) {
        return complain("run: --resume: %s", session_message(job->session, status));
    }
    if (size != NOTE_SIZE || sscanf(note, "dent run\nframe %u\n", &frame) != 1) {
        return complain("run: --resume %s: a checkpoint, but not one of dent run", path);
    }
    make_checkpoint_note(job, frame, expected);
    if (memcmp(note, expected, NOTE_SIZE) != 0) {
        const char *scene = strstr(note, "\nscene ");
        char name[300] = "";
        snprintf(name, sizeof name, "%s", scene != NULL ? scene + 7 : "?");
        name[strcspn(name, "\n")] = '\0';
        return complain("run: --resume %s: a checkpoint of the scene '%s'", path, name);
    }
    status = dent_sim_load(job->sim, path);
    if (status != DENT_OK) {
        return complain("run: --resume: %s", session_message(job->session, status));
    }
    job->first_frame = frame + 1;
    return STATUS_GOOD;
}

static int save(run_job *job, uint32_t frame)
{
    const tool_options *options = job->session->options;
    if (!options_have(options, OPTION_CHECKPOINT) || (frame % options->every != 0 && frame != job->frames)) {
        return STATUS_GOOD;
    }
    char note[NOTE_SIZE];
    make_checkpoint_note(job, frame, note);
    dent_status status = dent_sim_save(job->sim, options->checkpoint, note, sizeof note);
    return status == DENT_OK ? STATUS_GOOD : complain("run: --checkpoint: %s", session_message(job->session, status));
}

/* ---- frames ---------------------------------------------------------------------------------------------- */

/* The steps of one frame. STATUS_INTERRUPTED: not all of them were made. */
static int step_frame(run_job *job, frame_record *record)
{
    record->deepest_a = record->deepest_b = UINT32_MAX;
    for (uint32_t step = 0; step < job->facts.steps_per_frame; step++) {
        uint64_t before = dent_sim_step_count(job->sim);
        dent_status status = dent_sim_step(job->sim);
        if (status != DENT_OK) {
            return complain("run: frame %u: %s", record->frame, session_message(job->session, status));
        }
        if (dent_sim_step_count(job->sim) == before) {
            return interrupt_report();
        }
        dent_sim_statistics statistics = dent_sim_get_statistics(job->sim);
        record->contacts = statistics.contacts;
        record->kinetic = statistics.kinetic;
        record->elastic = statistics.elastic;
        record->residual = statistics.residual > record->residual ? statistics.residual : record->residual;
        record->stiffness = statistics.mode_stiffness;
        record->outer_work = statistics.outer_work;
        record->ms_detect += 1e-6 * (double)statistics.ns_detect;
        record->ms_respond += 1e-6 * (double)statistics.ns_respond;
        record->ms_elastic += 1e-6 * (double)statistics.ns_elastic;
        record->ms_total += 1e-6 * (double)statistics.ns_total;
        if (push_scale_add(&record->penetration, statistics.max_penetration, statistics.max_penetration_error)) {
            record->deepest_a = statistics.deepest_a;
            record->deepest_b = statistics.deepest_b;
        }
        if (!run_report_note_step(&job->report)) {
            return complain("run: out of memory");
        }
    }
    record->time = dent_sim_time(job->sim);
    return STATUS_GOOD;
}

static int simulate(run_job *job)
{
    bool writes = options_have(job->session->options, OPTION_ANIMATION);
    progress_bar *progress = &job->session->progress;
    int status = STATUS_GOOD;
    for (uint32_t frame = job->first_frame; frame <= job->frames && status == STATUS_GOOD; frame++) {
        frame_record record = {.frame = frame};
        char note[160];
        status = interrupt_seen() ? interrupt_report() : step_frame(job, &record);
        if (status == STATUS_GOOD && writes) {
            status = run_output_write(&job->output, frame);
        }
        if (status == STATUS_GOOD) {
            run_report_frame(&job->report, &record);
            status = run_probes_write(&job->probes, frame);
        }
        if (status == STATUS_GOOD) {
            status = save(job, frame);
            run_report_note(&job->report, &record, note, sizeof note);
            progress_hold_at(progress, frame);
            progress_note(progress, note);
        }
        if (printer_failed(job->session->out)) {
            return STATUS_ERROR; /* printer_finish says why */
        }
    }
    return status;
}

/* ---- the command ----------------------------------------------------------------------------------------- */

static int open_scene(run_job *job)
{
    const tool_options *options = job->session->options;
    dent_sim_scene_def def = simulated_scene_def(options, options->arguments[0]);
    def.cancel = interrupt_flag();
    def.contact_deadline = 1e-3 * options->deadline;
    if (names_a_robot(options->arguments[0])) {
        int failed = run_linkage_open(&job->linkage, job->session, &def);
        if (failed) {
            return failed;
        }
    }
    interrupt_at_once(true);
    progress_begin(&job->session->progress, def.name, 0);
    dent_status status = dent_sim_scene_open(job->session->context, &def, &job->scene);
    progress_end(&job->session->progress);
    interrupt_at_once(false);
    if (status != DENT_OK) {
        return complain("run: %s", session_message(job->session, status));
    }
    job->sim = dent_sim_scene_sim(job->scene);
    job->facts = dent_sim_scene_get_facts(job->scene);
    job->frames = options->frames > 0 ? options->frames : job->facts.frame_count;
    job->first_frame = 1;
    return options_have(options, OPTION_RESUME) ? resume(job, options->resume) : STATUS_GOOD;
}

/* Frame 0, the beginning, or what an earlier run has written. */
static int open_output(run_job *job)
{
    const tool_options *options = job->session->options;
    if (!options_have(options, OPTION_ANIMATION)) {
        return STATUS_GOOD;
    }
    int status = run_output_open(&job->output, job->session, job->scene, options->out, job->frames);
    if (status == STATUS_GOOD && job->first_frame > 1) {
        run_output_adopt(&job->output, job->first_frame - 1);
    } else if (status == STATUS_GOOD) {
        status = run_output_write(&job->output, 0);
    }
    return status;
}

static int run_job_to_end(run_job *job)
{
    const tool_options *options = job->session->options;
    int status = options_have(options, OPTION_CHECKPOINT)
                     ? check_target(job->session, "run: --checkpoint:", options->checkpoint)
                     : STATUS_GOOD;
    status = status == STATUS_GOOD ? open_scene(job) : status;
    if (status == STATUS_GOOD) {
        status = open_output(job);
    }
    if (status != STATUS_GOOD) {
        return status;
    }
    if (job->first_frame > job->frames) {
        return complain("run: --resume: frame %u has been simulated already; give more --frames", job->frames);
    }
    status = run_probes_open(&job->probes, job->session, job->sim);
    if (status == STATUS_GOOD && job->first_frame == 1) {
        status = run_probes_write(&job->probes, 0);
    }
    if (status != STATUS_GOOD) {
        return status;
    }
    session_print_notices(job->session); /* where nothing is refused: an error is one line */
    run_report_open(&job->report, job->session, job->scene, job->first_frame, job->frames);
    progress_hold(&job->session->progress, job->facts.name, job->frames);
    status = simulate(job);
    progress_release(&job->session->progress);
    session_print_notices(job->session);
    if (status == STATUS_GOOD || status == STATUS_INTERRUPTED) {
        int written = run_probes_commit(&job->probes);
        status = written == STATUS_GOOD ? status : written;
    }
    if (status == STATUS_GOOD) {
        run_report_end(&job->report);
        if (job->output.session != NULL && !job->report.json) {
            printer_text(job->session->out, "animation: ");
            printer_name(job->session->out, job->output.collection);
            printer_text(job->session->out, "\n");
        }
        printer_flush(job->session->out);
    }
    return status;
}

/* Options that would be without effect. A robot with --to is moved, without it simulated. */
static int refuse_other_kind(const tool_options *options, bool robot, bool moved)
{
    option_set of_both = OPTION_BIT(OPTION_STORY_FRAMES) | OPTION_BIT(OPTION_ANIMATION) |
                         OPTION_BIT(OPTION_MEMORY_LIMIT) | OPTION_BIT(OPTION_THREADS) | OPTION_BIT(OPTION_ISA) |
                         OPTION_BIT(OPTION_JSON);
    option_set of_motions = OPTION_BIT(OPTION_OBSTACLE) | OPTION_BIT(OPTION_NO_LIMITS);
    option_set of_scenes = OPTION_BIT(OPTION_SCALE) | OPTION_BIT(OPTION_SET) | OPTION_BIT(OPTION_CONVERGE);
    if (moved && (options->given & ~(of_both | OPTIONS_OF_ROBOTS)) != 0) {
        return complain("run: a robot (.urdf) with --to takes --from, --frames, --out, --obstacle, --allow, --srdf and "
                        "the options of its files; the others are for scenes");
    }
    if (robot && !moved && (options->given & of_motions) != 0) {
        return complain("run: --obstacle and --no-limits need --to VALUES; a scene file (\"robots\") has robots among "
                        "other bodies");
    }
    if (robot && !moved && (options->given & of_scenes) != 0) {
        return complain("run: --scale, --set and --converge are for scenes, not for robots (.urdf)");
    }
    if (!robot && (options->given & OPTIONS_OF_ROBOTS) != 0) {
        return complain("run: --from, --to, --obstacle, --package-path, --skip-missing, --no-limits, --allow and --srdf "
                        "are for robots (.urdf)");
    }
    return STATUS_GOOD;
}

static int run_run(const tool_options *options, printer *out)
{
    tool_session session;
    int status = session_open(&session, options, out);
    if (status != STATUS_GOOD) {
        return status;
    }
    bool robot = names_a_robot(options->arguments[0]), moved = robot && options->to != NULL;
    status = refuse_other_kind(options, robot, moved);
    if (moved || status != STATUS_GOOD) {
        status = status == STATUS_GOOD ? run_robot(&session) : status;
        session_close(&session);
        return status;
    }
    if (options_have(options, OPTION_CONVERGE)) {
        status = options_have(options, OPTION_STEP_DEADLINE)
                     ? complain("run: --converge and --deadline are mutually exclusive")
                     : run_until_settled(&session);
        session_close(&session);
        return status;
    }
    run_job *job = dent_allocate(session.context, 1, sizeof *job);
    if (job == NULL) {
        status = complain("run: out of memory");
    } else {
        memset(job, 0, sizeof *job);
        job->session = &session;
        status = run_job_to_end(job);
        run_output_close(&job->output);
        run_probes_close(&job->probes);
        run_report_close(&job->report);
        dent_sim_scene_destroy(job->scene);
        run_linkage_close(&job->linkage);
        dent_release(session.context, job, 1, sizeof *job);
    }
    session_close(&session);
    return status;
}

const tool_command command_run_row = {
    .name = "run",
    .summary = "simulate a scene: contacts, energies, an animation",
    .arguments = "SCENE|ROBOT.urdf [OPTION...]",
    .details = "SCENE is a built-in simulated scene (dent scenes lists them) or a scene file, a name that ends in\n"
               ".json (docs/scene_files.md). Prints a line per frame (about twenty of them unless --json). Then it\n"
               "prints which bodies were in contact with which force, the largest push and where the time went. The\n"
               "push of a contact is the displacement along its normal that separates it: an estimate\n"
               "(docs/conventions.md).\n"
               "\n"
               "-o F writes F.pvd for ParaView and the frames into the folder F_frames: bodies with `velocity` and\n"
               "`body`, contacts with `normal`, `force`, `push`, its `error`, `body_a` and `body_b`. Frame 0 is the\n"
               "beginning. --checkpoint saves the state after each frame; --resume continues from there, to the bit.\n"
               "At every moment the collection and the checkpoint are complete, however the program ends.\n"
               "\n"
               "A notice on stderr says when substeps are too long for the first mode of an elastic body, and how many\n"
               "would keep 95 % of its stiffness in motion.\n"
               "\n"
               "--probes F.csv writes the probes that a scene file declares: a line per frame, frame 0 (or the first after\n"
               "--resume) to the last, with the columns frame, time, and NAME.x NAME.y NAME.z or NAME of each probe, in\n"
               "the units of the scene. F.csv appears complete at the end, also after Ctrl-C.\n"
               "\n"
               "--converge PROBE doubles the substeps, run after run, until PROBE changes by at most 1 % of its range\n"
               "over all frames (energy: of the largest range of kinetic, elastic and potential energy). It prints a\n"
               "line per run; status 2: not settled with 1000 substeps. PROBE is a column of --probes (tip.z), or\n"
               "kinetic, elastic, energy (all kinds), BODY:x, BODY:y or BODY:z (mean position), BODY/VERTEX:x ...\n"
               "(a vertex) or BODY:force (size of the sum of its contact forces); BODY is a name. JSON keys:\n"
               "substeps value change settled.\n"
               "\n"
               "--deadline MS gives the contacts of each step at most MS milliseconds. The response is then\n"
               "approximate and depends on the machine (docs/simulator.md, contact budget).\n"
               "\n"
               "ROBOT.urdf alone simulates the robot in SI units: held at its root, it moves under gravity, with the\n"
               "masses, limits, damping and friction of the file, from the joint values of --from (default 0). Motors,\n"
               "obstacles and other bodies are in scene files (\"robots\", docs/scene_files.md).\n"
               "\n"
               "ROBOT.urdf --from VALUES --to VALUES moves the joints of a robot at constant speed in --frames steps\n"
               "(default 60) and checks every frame, with --obstacle meshes: pairs of links that penetrate, the\n"
               "deepest. Nothing is tested between frames: dent ccd does that. VALUES as in dent ccd --help. -o F\n"
               "writes the motion. JSON keys as below; energies are null.\n"
               "\n"
               "JSON keys, a line per frame: frame time contacts max_penetration kinetic elastic outer_work residual\n"
               "(largest of its steps) stiffness (share of the first mode's that acts) ms_detect ms_respond ms_total, and\n"
               "probes with a key per column, in the units of the scene.\n",
    .option_bits = OPTIONS_OF_ROBOTS | OPTION_BIT(OPTION_STORY_FRAMES) | OPTION_BIT(OPTION_ANIMATION) | OPTION_BIT(OPTION_CHECKPOINT) |
                   OPTION_BIT(OPTION_EVERY) | OPTION_BIT(OPTION_RESUME) | OPTION_BIT(OPTION_MEMORY_LIMIT) |
                   OPTION_BIT(OPTION_SCALE) | OPTION_BIT(OPTION_SET) | OPTIONS_OF_MACHINE |
                   OPTION_BIT(OPTION_CONVERGE) | OPTION_BIT(OPTION_STEP_DEADLINE) | OPTION_BIT(OPTION_PROBES) | OPTION_BIT(OPTION_JSON),
    .argument_min = 1,
    .argument_max = 1,
    .run = run_run,
};
