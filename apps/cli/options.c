/* options.c — the table of all options and the strict parser over it; what a value may be is in option_values.c. */
#include "options.h"

#include "option_values.h"
#include "printer.h"

#include <stdio.h>
#include <string.h>

typedef struct option_row {
    const char *name;       /* with the dashes */
    const char *short_name; /* null: none */
    const char *value;      /* null: takes none */
    const char *help;
} option_row;

static const option_row option_table[OPTION_COUNT] = {
    [OPTION_ASK] = {"--ask", NULL, "QUESTION", "the question, see below"},
    [OPTION_BENCH_ASK] = {"--ask", NULL, "QUESTIONS", "the question, see below, or several joined by '+'"},
    [OPTION_INSIDE_METHOD] = {"--method", NULL, "M", "auto, bsp or winding; the result is the same"},
    [OPTION_METHOD] = {"--method", NULL, "M", "algorithm, see below; the result is the same"},
    [OPTION_THREADS] = {"--threads", NULL, "N", "1 to 1024; default: one per CPU"},
    [OPTION_ISA] = {"--isa", NULL, "I",
                    "instruction set: auto (default), scalar, avx2, avx512; the result is the same"},
    [OPTION_TOUCHING] = {"--touching", NULL, NULL, "add pairs that only touch, marked `touching`"},
    [OPTION_SURFACE_VERTICES_ONLY] = {"--surface-vertices-only", NULL, NULL,
                                      "vertex-cell: leave out vertices inside solids"},
    [OPTION_THICKNESS] = {"--thickness", NULL, "D",
                          "proximity: a length, the thickness of every body: pairs no farther apart than 2 D"},
    [OPTION_CLOSEST_ONLY] = {"--closest-only", NULL, NULL, "proximity: one line per pair of closest features"},
    [OPTION_SEPARATION] = {"--separation", NULL, "D",
                           "a length, default 0: add pairs that come as near as D; conservative"},
    [OPTION_KIND] = {"--kind", NULL, "K", "vertex-face (vf) or edge-edge (ee), if the path does not contain it"},
    [OPTION_TRUTH] = {"--truth", NULL, "F", "true results: a JSON array of true and false, one per query"},
    [OPTION_NO_SELF] = {"--no-self", NULL, NULL, "leave out pairs of a body with itself"},
    [OPTION_NAMES] = {"--names", NULL, NULL, "end each line with both body names, behind tabs; always so for robots"},
    [OPTION_SELF] = {"--self", NULL, NULL, "also check each body against itself"},
    [OPTION_TOLERANCE] = {"--tolerance", NULL, "D", "a length, default 0: a pair no deeper counts as touching"},
    [OPTION_MOTION_TOLERANCE] = {"--tolerance", NULL, "D",
                                 "rigid motion: a length; pairs farther apart are no contact; default 1e-6 of the "
                                 "size"},
    [OPTION_SORT] = {"--sort", NULL, "KEY", "list pairs by depth or volume, the largest first, or by name"},
    [OPTION_TOP] = {"--top", NULL, "N", "list the first N pairs only; counts and the verdict are of all"},
    [OPTION_CSV] = {"--csv", NULL, "F.csv", "write the pairs as a table"},
    [OPTION_HTML] = {"--html", NULL, "F.html", "write a report for the browser: one file, with the 3-D view inside"},
    [OPTION_NO_TOUCHING] = {"--no-touching", NULL, NULL, "do not search for elements that only touch (faster)"},
    [OPTION_OUT] = {"--out", "-o", "F", "write files for ParaView: F.pvd and the bodies, offending elements marked"},
    [OPTION_CURVES] = {"--curves", NULL, "F",
                       "write the curves in which surfaces cross, to F.vtp or F.obj; also drawn in the picture"},
    [OPTION_PICTURE] = {"--picture", NULL, "F.png", "draw the bodies, offending elements red (even if hidden)"},
    [OPTION_VIEW] = {"--view", NULL, "A,E", "view of the picture: azimuth and elevation in degrees, default 35,20"},
    [OPTION_MERGE] = {"--merge", NULL, NULL, "one body per file, whatever its groups"},
    [OPTION_FRAME_RANGE] = {"--frames", NULL, "A:B:S",
                            "series: frames A to B, every S-th (A, B and :S are optional; : is all frames)"},
    [OPTION_REBUILD] = {"--rebuild", NULL, NULL, "series: a new world at every frame; the result is the same"},
    [OPTION_COUNT_ONLY] = {"--count", NULL, NULL, "print the number of pairs only"},
    [OPTION_FRAME] = {"--frame", NULL, "K", "scenes: the frame, 0 (default), 1, 2 ..."},
    [OPTION_TO_FRAME] = {"--to-frame", NULL, "L",
                         "scenes: the frame at the end of the motion; default: the one after --frame"},
    [OPTION_SCALE] = {"--scale", NULL, "S", "scenes: size, default 1; the number of elements grows with it"},
    [OPTION_SET] = {"--set", NULL, "NAME=VALUE", "scenes: set a parameter, e.g. inside=0.2; may be repeated"},
    [OPTION_STATS] = {"--stats", NULL, NULL, "print counts, time and work counters on stderr"},
    [OPTION_PEERS] = {"--peers", NULL, NULL, "add other libraries and simple programs, if built"},
    [OPTION_FASTEST_PEER] = {"--fastest-peer", NULL, NULL, "the same, of these only the fastest: quicker"},
    [OPTION_VARIANTS] = {"--variants", NULL, NULL, "add methods with other parameters, such as those of the papers"},
    [OPTION_FRAMES] = {"--frames", NULL, "N", "number of frames of the scene; default 5"},
    [OPTION_REPEAT] = {"--repeat", NULL, "N", "passes over the frames; default 5"},
    [OPTION_CPU_TIME] = {"--cpu-time", NULL, NULL, "measure CPU time, not wall time; requires --threads 1"},
    [OPTION_CONTROL] = {"--control", NULL, NULL, "add each method on one thread and an arithmetic loop: speed-ups"},
    [OPTION_BENCH_MOTION] = {"--motion", NULL, "KIND",
                             "deform (default): the scene's own motion, or waves; rigid: as a whole; rest: none"},
    [OPTION_PHASES] = {"--phases", NULL, NULL, "add time outside parallel loops and imbalance within them, by stage"},
    [OPTION_FOLDER] = {"--out", "-o", "DIR", "output folder; default: paper"},
    [OPTION_STEPS] = {"--steps", NULL, "N", "steps measured per setting; default: depends on the figure"},
    [OPTION_STORY_FRAMES] = {"--frames", NULL, "N", "number of frames; default: that of the scene"},
    [OPTION_ANIMATION] = {"--out", "-o", "F",
                          "write an animation for ParaView: F.pvd, and the frames in the folder F_frames"},
    [OPTION_CHECKPOINT] = {"--checkpoint", NULL, "F", "save the state to F after each frame; F is always complete"},
    [OPTION_EVERY] = {"--every", NULL, "N", "save only after every N-th frame and after the last"},
    [OPTION_RESUME] = {"--resume", NULL, "F", "continue from checkpoint F; keep all other options unchanged"},
    [OPTION_TABLE] = {"--out", "-o", "F.csv", "write the table to F.csv and its chart to F.svg"},
    [OPTION_FROM] = {"--from", NULL, "VALUES",
                     "robots: joint values at the start, 0,0.5,-1 or elbow=0.5,wrist=-1; default: all 0"},
    [OPTION_TO] = {"--to", NULL, "VALUES", "robots: joint values at the end, in radians or lengths"},
    [OPTION_OBSTACLE] = {"--obstacle", NULL, "FILE", "robots: a mesh that stands still; may be repeated"},
    [OPTION_PACKAGE_PATH] = {"--package-path", NULL, "DIR", "robots: folder of packages (package://); may be repeated"},
    [OPTION_JOINTS] = {"--joints", NULL, "VALUES",
                       "robots: joint values, 0,0.5,-1 or elbow=0.5,wrist=-1; default: all 0"},
    [OPTION_ALLOW] = {"--allow", NULL, "A:B",
                      "do not test bodies (links) A and B against each other, by name; may be repeated"},
    [OPTION_SRDF] = {"--srdf", NULL, "F.srdf",
                     "robots: pairs that may touch; default: the file beside ROBOT.urdf, if there is one"},
    [OPTION_MEMORY_LIMIT] = {"--memory-limit", NULL, "SIZE",
                             "memory for reading a file, e.g. 512M or 2G; default 256M plus 100 times the file size"},
    [OPTION_MOTION] = {"--motion", NULL, "KIND",
                       "rigid scenes: motion between frames, screw or constant (default: constant velocity)"},
    [OPTION_SKIP_MISSING] = {"--skip-missing", NULL, NULL, "robots: leave out missing collision meshes"},
    [OPTION_NO_LIMITS] = {"--no-limits", NULL, NULL, "robots: allow joint values beyond their limits"},
    [OPTION_HAND] = {"--hand", NULL, "BODY", "move that body by mouse, touch and keys; it never enters the others"},
    [OPTION_PORT] = {"--port", NULL, "P", "port on 127.0.0.1, 1024 to 65535; default: a free one"},
    [OPTION_TOKEN] = {"--token", NULL, "F",
                      "file with the token of the address, created if missing; with --port: a fixed address"},
    [OPTION_NO_BROWSER] = {"--no-browser", NULL, NULL, "only print the address"},
    [OPTION_SNAPSHOT] = {"--snapshot", NULL, "F.png",
                         "draw --frame K with a headless Chromium, write the picture and exit"},
    [OPTION_RECORD] = {"--record", NULL, "F.webm",
                       "draw --frames N frames with a headless Chromium, write a video and exit"},
    [OPTION_SHOW] = {"--show", NULL, "SETTINGS", "initial view, e.g. 'question=face-cell&cut=0,0.5&theme=dark'"},
    [OPTION_PRESCRIBED] = {"--prescribed", NULL, NULL, "scenes of both kinds (jaw, v-shapes): the prescribed frames"},
    [OPTION_SIMULATED] = {"--simulated", NULL, NULL, "scenes of both kinds: simulated, up to --frame K"},
    [OPTION_FULL] = {"--full", NULL, NULL, "physics: all rows, not only those that take seconds"},
    [OPTION_CONVERGE] = {"--converge", NULL, "PROBE", "halve the step until PROBE settles, see below"},
    [OPTION_PROBES] = {"--probes", NULL, "F.csv", "write the probes that the scene declares, a line per frame"},
    [OPTION_MOVE] = {"--move", NULL, "X,Y,Z", "shift B by these lengths"},
    [OPTION_SEED] = {"--seed", NULL, "N", "seed of the draws, a whole number; default 1"},
    [OPTION_DEADLINE] = {"--deadline", NULL, "MS", "report what is certain after MS milliseconds of searching"},
    [OPTION_STEP_DEADLINE] = {"--deadline", NULL, "MS", "search for contacts at most MS milliseconds a step; approximate response"},
    [OPTION_BUDGET] = {"--budget", NULL, "U", "stop after U work units; a test of two covers costs 1, a value of a surface 64"},
    [OPTION_EDGES] = {"--budget", NULL, "U", "stop after U certified edge tests; default 10000"},
    [OPTION_PLANNER] = {"--method", NULL, "M", "tree (default) or roadmap"},
    [OPTION_PATH_OUT] = {"--out", "-o", "F",
                         "write the path: F.csv (waypoints), F.pvd (animation for ParaView); without ending both"},
    [OPTION_CURVE_OUT] = {"--out", "-o", "F", "write the curve with residuals for ParaView, to F.vtp"},
    [OPTION_JSON] = {"--json", NULL, NULL, "one JSON object per line"},
};
static const option_row help_row = {"--help", "-h", NULL, "this text"};

/* ---- the nearest right word ------------------------------------------------------------------------------ */

/* Levenshtein's distance with one row; words longer than the row are far from everything. */
static size_t edit_distance(const char *a, const char *b)
{
    enum { ROW = 64 };
    size_t row[ROW];
    size_t length_b = strlen(b);
    if (length_b >= ROW) {
        return ROW;
    }
    for (size_t j = 0; j <= length_b; j++) {
        row[j] = j;
    }
    for (size_t i = 0; a[i] != '\0'; i++) {
        size_t diagonal = row[0];
        row[0] = i + 1;
        for (size_t j = 0; j < length_b; j++) {
            size_t changed = diagonal + (a[i] != b[j]);
            size_t shorter = (row[j] < row[j + 1] ? row[j] : row[j + 1]) + 1;
            diagonal = row[j + 1];
            row[j + 1] = changed < shorter ? changed : shorter;
        }
    }
    return row[length_b];
}

const char *nearest_word(const char *word, const char *const *list, size_t count)
{
    const char *best = NULL;
    size_t best_distance = strlen(word) / 3 + 2; /* farther than that is no typing mistake */
    for (size_t i = 0; i < count; i++) {
        size_t distance = edit_distance(word, list[i]);
        if (strncmp(word, list[i], strlen(word)) == 0 && distance > 1) {
            distance = 1; /* an abbreviation is no worse than one wrong letter */
        }
        if (distance < best_distance) {
            best = list[i];
            best_distance = distance;
        }
    }
    return best;
}

/* ---- the parser ------------------------------------------------------------------------------------------ */

static option_id find_option(const char *text, size_t length, option_set allowed)
{
    for (unsigned id = 0; id < OPTION_COUNT; id++) {
        const option_row *row = &option_table[id];
        if ((allowed & OPTION_BIT(id)) == 0) {
            continue;
        }
        if ((strlen(row->name) == length && memcmp(row->name, text, length) == 0) ||
            (row->short_name != NULL && strlen(row->short_name) == length &&
             memcmp(row->short_name, text, length) == 0)) {
            return (option_id)id;
        }
    }
    return OPTION_COUNT;
}

static void complain_unknown(const char *command, const char *text, size_t length, option_set allowed)
{
    char word[64];
    snprintf(word, sizeof word, "%.*s", (int)(length < 60 ? length : 60), text);
    const char *names[OPTION_COUNT + 1];
    size_t count = 0;
    names[count++] = help_row.name;
    for (unsigned id = 0; id < OPTION_COUNT; id++) {
        if ((allowed & OPTION_BIT(id)) != 0) {
            names[count++] = option_table[id].name;
        }
    }
    const char *near = nearest_word(word, names, count);
    if (near != NULL) {
        complain("%s: unknown option '%s'; did you mean %s?", command, word, near);
    } else {
        complain("%s: unknown option '%s'; see dent %s --help", command, word, command);
    }
}

/* Handles argv[*position], an option; leaves *position at the last word used. */
static bool take_option(tool_options *options, const char *command, option_set allowed, int argc, char **argv,
                        int *position)
{
    const char *text = argv[*position];
    const char *equals = strchr(text, '=');
    size_t length = equals != NULL ? (size_t)(equals - text) : strlen(text);
    option_id id = find_option(text, length, allowed);
    if (id == OPTION_COUNT) {
        complain_unknown(command, text, length, allowed);
        return false;
    }
    const option_row *row = &option_table[id];
    bool may_repeat = id == OPTION_SET || id == OPTION_OBSTACLE || id == OPTION_PACKAGE_PATH || id == OPTION_ALLOW;
    if (options_have(options, id) && !may_repeat) {
        complain("%s: %s is given twice", command, row->name);
        return false;
    }
    options->given |= OPTION_BIT(id);
    if (row->value == NULL) {
        if (equals != NULL) {
            complain("%s: %s takes no value", command, row->name);
            return false;
        }
        return true;
    }
    if (equals != NULL) {
        return option_read_value(options, command, id, row->name, equals + 1);
    }
    if (*position + 1 >= argc) {
        complain("%s: %s needs a value: %s", command, row->name, row->value);
        return false;
    }
    *position += 1;
    return option_read_value(options, command, id, row->name, argv[*position]);
}

bool options_parse(tool_options *options, const char *command, option_set allowed, int argc, char **argv)
{
    memset(options, 0, sizeof *options);
    options->scale = 1;
    options->every = 1;
    options->seed = 1;
    options->range.last = UINT64_MAX;
    options->range.step = 1;
    options->arguments = argv;
    bool only_arguments = false;
    for (int i = 0; i < argc; i++) {
        if (only_arguments || argv[i][0] != '-' || argv[i][1] == '\0') {
            argv[options->argument_count++] = argv[i]; /* never ahead of i */
        } else if (strcmp(argv[i], "--") == 0) {
            only_arguments = true;
        } else if (strcmp(argv[i], help_row.name) == 0 || strcmp(argv[i], help_row.short_name) == 0) {
            options->help = true;
            return true;
        } else if (!take_option(options, command, allowed, argc, argv, &i)) {
            return false;
        }
    }
    return true;
}

static void describe_row(const option_row *row, char *buffer, size_t buffer_size, size_t *used)
{
    char left[64];
    snprintf(left, sizeof left, "%s%s%s%s%s", row->short_name != NULL ? row->short_name : "",
             row->short_name != NULL ? ", " : "", row->name, row->value != NULL ? " " : "",
             row->value != NULL ? row->value : "");
    size_t room = *used < buffer_size ? buffer_size - *used : 0;
    int length = snprintf(room > 0 ? buffer + *used : NULL, room, "  %-26s %s\n", left, row->help);
    *used += length > 0 ? (size_t)length : 0;
}

option_info options_get_info(option_id id)
{
    const option_row *row = &option_table[id];
    option_info info = {row->name, row->short_name, row->value, row->help};
    return info;
}

size_t options_describe(option_set allowed, char *buffer, size_t buffer_size)
{
    size_t used = 0;
    for (unsigned id = 0; id < OPTION_COUNT; id++) {
        if ((allowed & OPTION_BIT(id)) != 0) {
            describe_row(&option_table[id], buffer, buffer_size, &used);
        }
    }
    describe_row(&help_row, buffer, buffer_size, &used);
    return used;
}
