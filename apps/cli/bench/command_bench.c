/* command_bench.c — `dent bench`: how long a step takes, scene by scene, question by question, method beside method.
 *
 * A benchmark is a race (bench_run.h): the same frames for every contestant, in turns, answers compared. What is
 * printed is the median of all turns with its quartiles, and the ratio to the fastest. */
#include "bench_enter_peers.h"
#include "bench_report.h"
#include "interrupt.h"
#include "load_world.h"
#include "machine_facts.h"
#include "placed_file.h"
#include "questions.h"
#include "tool.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { DEFAULT_FRAMES = 5, DEFAULT_REPEAT = 5, PATH_SIZE = 4096 };

static const char *default_scenes[] = {"teschner-a", "teschner-b",  "teschner-c", "teschner-d",
                                       "teschner-e", "blocks-640k", "folded-1m"};

typedef struct bench_files {
    printer table;
    int table_descriptor; /* -1: none */
    char chart_path[PATH_SIZE];
    bar_chart chart;
    bool head_printed; /* the machine, above the first table */
} bench_files;

/* ---- files ----------------------------------------------------------------------------------------------- */

static int open_files(bench_files *files, tool_session *session)
{
    const char *path = session->options->out;
    files->table_descriptor = -1;
    files->head_printed = false;
    bar_chart_begin(&files->chart, session->context, "dent bench: time of one step", "milliseconds (median)");
    if (path == NULL) {
        return STATUS_GOOD;
    }
    int length = snprintf(files->chart_path, sizeof files->chart_path, "%.*s.svg", (int)strlen(path) - 4, path);
    if (length < 0 || (size_t)length >= sizeof files->chart_path) {
        return complain("bench: --out: the name is too long");
    }
    int status = check_target(session, "bench:", path);
    status = status == STATUS_GOOD ? check_target(session, "bench:", files->chart_path) : status;
    if (status != STATUS_GOOD) {
        return status;
    }
    files->table_descriptor = scratch_file_open(path);
    if (files->table_descriptor < 0) {
        return complain("bench: %s: %s", path, strerror(errno));
    }
    printer_open(&files->table, files->table_descriptor);
    report_csv_head(&files->table);
    return STATUS_GOOD;
}

/* The table so far, so that it is there whatever ends the program. */
static int place_table(bench_files *files, tool_session *session)
{
    printer_flush(&files->table);
    return printer_failed(&files->table)
               ? complain("bench: %s: %s", session->options->out, strerror(files->table.error))
               : place_file(session, "bench:", files->table_descriptor, session->options->out);
}

static int write_chart(bench_files *files, tool_session *session)
{
    int descriptor = scratch_file_open(files->chart_path);
    if (descriptor < 0) {
        return complain("bench: %s: %s", files->chart_path, strerror(errno));
    }
    printer *out = &files->table; /* its work is done: the buffer is free */
    printer_open(out, descriptor);
    bool whole = bar_chart_write(&files->chart, out);
    printer_flush(out);
    int status = whole && !printer_failed(out) ? place_file(session, "bench:", descriptor, files->chart_path)
                                               : complain("bench: %s: cannot be written", files->chart_path);
    close(descriptor);
    return status;
}

/* The table keeps what was measured before an error or Ctrl-C. */
static int close_files(bench_files *files, tool_session *session, int status)
{
    if (files->table_descriptor >= 0) {
        status = status == STATUS_GOOD ? write_chart(files, session) : status;
        close(files->table_descriptor);
    }
    bar_chart_release(&files->chart);
    return status;
}

/* ---- races ----------------------------------------------------------------------------------------------- */

static void print_head_once(printer *out, bench_files *files)
{
    char machine[300];
    machine_name(machine, sizeof machine);
    if (!files->head_printed) {
        printer_format(out, "%s; %s; commit %s\n\n", machine, compiler_name(), commit_name());
    }
    files->head_printed = true;
}

/* Nobody is in the race: which question, and which methods would be. */
static int refuse_race(const bench_race *race, dent_method method)
{
    char questions[64], able[256] = "";
    for (int i = 1; i < DENT_METHOD_COUNT; i++) {
        if (bench_method_answers((dent_method)i, race->questions)) {
            size_t used = strlen(able);
            snprintf(able + used, sizeof able - used, "%s%s", used > 0 ? ", " : "", dent_method_name((dent_method)i));
        }
    }
    questions_name(race->questions, questions, sizeof questions);
    return method != DENT_METHOD_AUTO
               ? complain("bench: method %s cannot answer %s; these can: %s", dent_method_name(method), questions, able)
               : complain("bench: %s: no method answers %s at this size unless it is named by --method: %s",
                          race->scene->name, questions, able);
}

static bool wants_peers(const tool_options *options)
{
    return options_have(options, OPTION_PEERS) || options_have(options, OPTION_FASTEST_PEER);
}

static int run_race(tool_session *session, bench_scene *scene, uint32_t questions, bench_files *files)
{
    const tool_options *options = session->options;
    static bench_race race; /* large */
    memset(&race, 0, sizeof race);
    race.scene = scene;
    race.questions = questions;
    race.threads = dent_context_worker_count(session->context);
    race.isa = dent_context_isa(session->context);
    race.cpu_time = options_have(options, OPTION_CPU_TIME);
    race.watch_loops = options_have(options, OPTION_PHASES);
    race.frames = options->frames > 0 ? options->frames : DEFAULT_FRAMES;
    race.frames = race.frames < scene->benchmark_frames ? race.frames : scene->benchmark_frames;
    race.repeat = options->repeat > 0 ? options->repeat : DEFAULT_REPEAT;
    int status = bench_enter_methods(&race, options->method, options_have(options, OPTION_VARIANTS));
    race.fastest_peer = options_have(options, OPTION_FASTEST_PEER);
    if (status == STATUS_GOOD && wants_peers(options)) {
        status = bench_enter_peers(session, &race);
    }
    if (status == STATUS_GOOD && race.count == 0) {
        status = refuse_race(&race, options->method);
    }
    if (status == STATUS_GOOD && options_have(options, OPTION_CONTROL)) {
        status = bench_enter_alone(&race, options->method, options_have(options, OPTION_VARIANTS));
        status = status == STATUS_GOOD ? bench_enter_control(&race) : status;
    }
    if (status == STATUS_GOOD) {
        status = bench_run(session, &race);
    }
    if (status == STATUS_GOOD) {
        if (options_have(options, OPTION_JSON)) {
            report_json(session->out, &race);
        } else {
            print_head_once(session->out, files);
            report_table(session->out, &race);
        }
        printer_flush(session->out);
        if (files->table_descriptor >= 0) {
            report_csv(&files->table, &race);
            report_chart(&files->chart, &race);
            status = place_table(files, session);
        }
    }
    bench_close(&race);
    return status;
}

/* What can be asked of the bodies there are: about strands that alone, about cells each question alone and all together,
 * else about surfaces. */
static size_t list_races(const bench_scene *scene, uint32_t able, uint32_t *list)
{
    if (scene->segment_count > 0) {
        list[0] = DENT_QUESTION_STRAND;
        return 1;
    }
    uint32_t of_cells = 0, of_surfaces = 0;
    for (unsigned i = 0; i < DENT_DISCRETE_QUESTION_COUNT; i++) {
        const dent_question_info *info = dent_question_info_at(i);
        *(info->features[0].b == DENT_FEATURE_CELL ? &of_cells : &of_surfaces) |= (uint32_t)info->question;
    }
    uint32_t asked = scene->solid_count > 0 && (able & of_cells) != 0 ? able & of_cells : of_surfaces;
    size_t count = 0;
    for (unsigned i = 0; i < DENT_DISCRETE_QUESTION_COUNT; i++) {
        if ((asked & discrete_question_at(i)) != 0) {
            list[count++] = discrete_question_at(i);
        }
    }
    if (count > 1) {
        list[count++] = asked;
    }
    return count;
}

static int run_races(tool_session *session, bench_scene *scene, bench_files *files)
{
    uint32_t list[DENT_DISCRETE_QUESTION_COUNT + 1] = {(uint32_t)session->options->ask};
    size_t count = list[0] != 0 ? 1 : list_races(scene, dent_method_questions(session->options->method), list);
    int status = STATUS_GOOD;
    if (scene->scene != NULL) {
        status = check_scene_frame(scene->name, session->options->frame);
        uint32_t left = status == STATUS_GOOD ? dent_scene_find(scene->name)->frame_count - session->options->frame : 1;
        scene->benchmark_frames = left < scene->benchmark_frames ? left : scene->benchmark_frames;
    }
    /* Of a series only what is asked for was read. */
    scene->first_frame = scene->model.frame_count > 0 ? 0 : session->options->frame;
    for (size_t i = 0; i < count && status == STATUS_GOOD; i++) {
        status = run_race(session, scene, list[i], files);
    }
    bench_scene_close(scene);
    return status;
}

static int run_scene(tool_session *session, const char *name, bench_files *files)
{
    bench_scene scene;
    dent_scene_def def = dent_scene_def_default();
    def.name = name;
    def.scale = session->options->scale;
    def.setting_count = session->options->setting_count;
    def.settings = session->options->settings;
    int status = bench_scene_open(session, "bench", &def, &scene);
    return status == STATUS_GOOD ? run_races(session, &scene, files) : status;
}

/* All files of the command line are one model. */
static int run_files(tool_session *session, const char *const *names, uint32_t count, bench_files *files)
{
    if (options_have(session->options, OPTION_SCALE)) {
        return complain("bench: --scale is for built-in scenes; files are as large as they are");
    }
    bench_scene scene;
    int status = bench_scene_open_files(session, "bench", names, count, &scene);
    return status == STATUS_GOOD ? run_races(session, &scene, files) : status;
}

/* A word that cannot be a file's name is a mistyped scene. */
static int refuse_unknown(const tool_options *options, const char *name)
{
    if (names_a_simulation(options, name)) {
        return complain("bench: '%s' is simulated: dent run %s --json prints its times", name, name);
    }
    bool plain_word = strpbrk(name, "./*?%") == NULL;
    return plain_word && access(name, F_OK) != 0
               ? complain("bench: no scene is called '%s'; dent scenes lists them", name)
               : STATUS_GOOD;
}

static int run_arguments(tool_session *session, bench_files *files)
{
    const tool_options *options = session->options;
    uint32_t count = options->argument_count;
    const char **names = (const char **)options->arguments;
    if (count == 0) {
        names = default_scenes;
        count = sizeof default_scenes / sizeof default_scenes[0];
    }
    int status = STATUS_GOOD;
    for (uint32_t i = 0; i < count && status == STATUS_GOOD; i++) {
        status = names_a_scene(options, names[i]) ? STATUS_GOOD : refuse_unknown(options, names[i]);
    }
    uint32_t file_count = 0;
    for (uint32_t i = 0; i < count && status == STATUS_GOOD; i++) {
        if (names_a_scene(options, names[i])) {
            status = run_scene(session, names[i], files);
        } else {
            names[file_count++] = names[i]; /* never ahead of i */
        }
    }
    return status == STATUS_GOOD && file_count > 0 ? run_files(session, names, file_count, files) : status;
}

static int run_bench(const tool_options *options, printer *out)
{
    if (wants_peers(options) && !bench_has_peers()) {
        return bench_become_peers();
    }
    if (options_have(options, OPTION_CPU_TIME) && options->threads != 1) {
        return complain("bench: --cpu-time needs --threads 1: it adds up what the threads used");
    }
    tool_session session;
    int status = session_open(&session, options, out);
    if (status != STATUS_GOOD) {
        return status;
    }
    static bench_files files; /* large */
    status = open_files(&files, &session);
    if (status == STATUS_GOOD) {
        status = run_arguments(&session, &files);
    }
    status = close_files(&files, &session, status);
    session_close(&session);
    return status;
}

const tool_command command_bench_row = {
    .name = "bench",
    .summary = "query times: scenes x questions x methods, side by side",
    .arguments = "[OPTION...] [NAME...]",
    .details =
        "NAME is a built-in scene (dent scenes) or a mesh file; default: teschner-a to -e, blocks-640k,\n"
        "folded-1m. All files together are one model, which is set in motion: waves of half a mean edge run\n"
        "through it (--set wave=H changes the height). A single body is doubled (--set copies=N), and the copies\n"
        "are shifted until 7.5 % of the vertices lie inside (--set inside=S, or --set shift=D in diagonals). With\n"
        "--set self=0 bodies are not tested against themselves. Strands are not doubled; without radii they get --thickness, or else a tenth of their mean segment. A\n"
        "series of frames (an archive, a folder, a pattern in quotes) has its own motion, from the frame numbered\n"
        "--frame on. --motion rest shows the first frame again and again, without waves; --motion rigid swings it\n"
        "as a whole (files: each copy on its own). Every method that can answer runs on the same frames, in\n"
        "turns, and the results are compared pair by pair: a difference is an error. Not measured: computing the\n"
        "positions, and numbers beyond the pairs (barycentric coordinates). Methods too slow for the size are\n"
        "left out unless --method names them. --ask may name several questions joined by '+', answered by one\n"
        "query. Default for strands: strand; for solids: vertex-cell, face-cell, and both together; for surfaces:\n"
        "face-face. --frame K\n"
        "begins at that frame, which is then frame 0 of this text.\n"
        "\n"
        "Prints median and quartiles of the query time in ms, the ratio to the fastest, candidates in frame 0,\n"
        "peak memory of the method in MB, and the most allocations in a query after warm-up. --peers adds Embree,\n"
        "CGAL, Bullet, FCL and simple programs, if they were built (cmake -DDENT_BUILD_PEERS=ON makes dent-peers\n"
        "beside dent; DENT_PEERS may name it). Each runs at the best of several settings and with dent's exact\n"
        "test behind it. --fastest-peer adds only those of them within 1.5 times the fastest, as tried before the\n"
        "race, to races of one question. --control, beside --threads N, adds each method on one thread, and an "
        "arithmetic loop\n"
        "(`control`) on one and on N, in the same turns. The speed-ups follow the table.\n"
        "--phases adds for each stage of a query its time outside parallel loops and the imbalance of the loops: the\n"
        "time of the busiest worker over the mean. With --threads 1 the blocks of the loops are timed one by one and\n"
        "dealt in order to 16 workers, which also shows what these would gain.\n"
        "\n"
        "JSON keys: scene question method peer threads isa scale frames median_ms low_ms high_ms candidates\n"
        "pairs pairs_hash peak_bytes allocations phases (prepare_ms search_ms finish_ms; for surface-tree also\n"
        "refit_ms culling_ms traversal_ms filters_ms exact_ms) commit machine. pairs_hash is that of dent pairs\n"
        "--stats in frame 0. --phases adds loops (workers serial_share imbalance speed_up; stages, a list of stage\n"
        "serial_ms work_ms longest_ms imbalance).\n",
    .option_bits = OPTION_BIT(OPTION_BENCH_ASK) | OPTION_BIT(OPTION_METHOD) | OPTIONS_OF_MACHINE |
                   OPTION_BIT(OPTION_SCALE) | OPTION_BIT(OPTION_SET) | OPTION_BIT(OPTION_MEMORY_LIMIT) |
                   OPTION_BIT(OPTION_MERGE) | OPTION_BIT(OPTION_THICKNESS) | OPTION_BIT(OPTION_PEERS) | OPTION_BIT(OPTION_FASTEST_PEER) |
                   OPTION_BIT(OPTION_VARIANTS) | OPTION_BIT(OPTION_FRAME) | OPTION_BIT(OPTION_FRAMES) |
                   OPTION_BIT(OPTION_REPEAT) | OPTION_BIT(OPTION_TABLE) | OPTION_BIT(OPTION_CPU_TIME) |
                   OPTION_BIT(OPTION_CONTROL) | OPTION_BIT(OPTION_BENCH_MOTION) | OPTION_BIT(OPTION_PHASES) |
                   OPTION_BIT(OPTION_JSON),
    .argument_min = 0,
    .argument_max = UINT32_MAX,
    .run = run_bench,
};
