/* options.c — the table of all options and the strict parser over it. */
#include "options.h"

#include "printer.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct option_row {
    const char *name;       /* with the dashes */
    const char *short_name; /* null: none */
    const char *value;      /* null: takes none */
    const char *help;
} option_row;

static const option_row option_table[OPTION_COUNT] = {
    [OPTION_ASK] = {"--ask", NULL, "QUESTION", "what is asked: vertex-cell, face-cell, face-face or proximity"},
    [OPTION_BENCH_ASK] = {"--ask", NULL, "QUESTIONS", "what is asked: vertex-cell, face-cell, face-face, or several joined by '+'"},
    [OPTION_METHOD] = {"--method", NULL, "M", "how it is computed, see below; the answer is the same"},
    [OPTION_THREADS] = {"--threads", NULL, "N", "1 to 1024; default: one per processor"},
    [OPTION_ISA] = {"--isa", NULL, "I",
                    "instruction set: auto (default), scalar, avx2, avx512; the answer is the same"},
    [OPTION_TOUCHING] = {"--touching", NULL, NULL, "add the pairs that only touch, marked `touching`"},
    [OPTION_SURFACE_VERTICES_ONLY] = {"--surface-vertices-only", NULL, NULL,
                                      "vertex-cell: leave out the vertices inside solids"},
    [OPTION_THICKNESS] = {"--thickness", NULL, "D",
                          "proximity: a length, every body is this thick: pairs no farther apart than 2 D"},
    [OPTION_CLOSEST_ONLY] = {"--closest-only", NULL, NULL, "proximity: one line for each pair of closest features"},
    [OPTION_SEPARATION] = {"--separation", NULL, "D",
                           "a length, default 0: also pairs that come as near as D; conservative"},
    [OPTION_KIND] = {"--kind", NULL, "K", "vertex-face (vf) or edge-edge (ee), where the path does not say it"},
    [OPTION_TRUTH] = {"--truth", NULL, "F", "the true answers: a JSON array of true and false, one for each query"},
    [OPTION_NO_SELF] = {"--no-self", NULL, NULL, "leave out pairs of a body with itself"},
    [OPTION_SELF] = {"--self", NULL, NULL, "also check each body against itself"},
    [OPTION_TOLERANCE] = {"--tolerance", NULL, "D", "a length, default 0: a pair no deeper counts as touching"},
    [OPTION_MOTION_TOLERANCE] = {"--tolerance", NULL, "D",
                                 "rigid motion: a length; what stays farther apart is no contact; default 1e-6 of the size"},
    [OPTION_NO_TOUCHING] = {"--no-touching", NULL, NULL, "do not look for elements that only touch (faster)"},
    [OPTION_OUT] = {"--out", "-o", "F", "write files for ParaView: F.pvd, and the bodies beside it, culprits marked"},
    [OPTION_CURVES] = {"--curves", NULL, "F",
                       "write the curves in which surfaces cross: F.vtp or F.obj; drawn in the picture too"},
    [OPTION_PICTURE] = {"--picture", NULL, "F.png", "draw the bodies, culprits red (also those hidden inside others)"},
    [OPTION_VIEW] = {"--view", NULL, "A,E", "of the picture: azimuth and elevation in degrees, default 35,20"},
    [OPTION_MERGE] = {"--merge", NULL, NULL, "one body per file, whatever groups it has"},
    [OPTION_FRAME_RANGE] = {"--frames", NULL, "A:B:S",
                            "series: frames A to B, every S-th (A, B, :S may be left out; : is all of them)"},
    [OPTION_REBUILD] = {"--rebuild", NULL, NULL, "series: a new world at every frame; the answer is the same"},
    [OPTION_COUNT_ONLY] = {"--count", NULL, NULL, "only how many pairs there are"},
    [OPTION_FRAME] = {"--frame", NULL, "K", "scenes: the frame, 0 (default), 1, 2 ..."},
    [OPTION_TO_FRAME] = {"--to-frame", NULL, "L", "scenes: the frame at the end of the motion; default: the one after --frame"},
    [OPTION_SCALE] = {"--scale", NULL, "S", "scenes: size, 1 by default; the number of elements grows with it"},
    [OPTION_SET] = {"--set", NULL, "NAME=VALUE", "scenes: a parameter, e.g. inside=0.2; may be repeated"},
    [OPTION_STATS] = {"--stats", NULL, NULL, "counts, time and work counters on stderr"},
    [OPTION_PEERS] = {"--peers", NULL, NULL, "add other libraries and plain programs, where they were built"},
    [OPTION_VARIANTS] = {"--variants", NULL, NULL,
                         "add the methods with other parameters (papers' forms and the like)"},
    [OPTION_FRAMES] = {"--frames", NULL, "N", "how many frames of the scene; default 5"},
    [OPTION_REPEAT] = {"--repeat", NULL, "N", "how often they are gone through; default 5"},
    [OPTION_CPU_TIME] = {"--cpu-time", NULL, NULL,
                         "with --threads 1: time of the processor, not of the clock, where others are at work too"},
    [OPTION_CONTROL] = {"--control", NULL, NULL, "also each method on one thread, and an arithmetic loop: speed-ups"},
    [OPTION_FOLDER] = {"--out", "-o", "DIR", "the folder to write to; default: paper"},
    [OPTION_STEPS] = {"--steps", NULL, "N", "steps measured per setting; default: as the figure says"},
    [OPTION_STORY_FRAMES] = {"--frames", NULL, "N", "how many frames; default: as many as the scene tells"},
    [OPTION_ANIMATION] = {"--out", "-o", "F",
                          "write an animation for ParaView: F.pvd, and the frames in the folder F_frames"},
    [OPTION_CHECKPOINT] = {"--checkpoint", NULL, "F", "save the state to F after each frame; F is always complete"},
    [OPTION_EVERY] = {"--every", NULL, "N", "save it after every N-th frame and the last only"},
    [OPTION_RESUME] = {"--resume", NULL, "F", "go on from the state in F; the rest of the command as before"},
    [OPTION_TABLE] = {"--out", "-o", "F.csv", "write the table to F.csv and a chart of it to F.svg"},
    [OPTION_FROM] = {"--from", NULL, "VALUES",
                     "robots: joint values at the start, 0,0.5,-1 or elbow=0.5,wrist=-1; default: all 0"},
    [OPTION_TO] = {"--to", NULL, "VALUES", "robots: joint values at the end, in radians or lengths"},
    [OPTION_OBSTACLE] = {"--obstacle", NULL, "FILE", "robots: a mesh that stands still; may be repeated"},
    [OPTION_PACKAGE_PATH] = {"--package-path", NULL, "DIR", "robots: where packages (package://) lie; may be repeated"},
    [OPTION_MOTION] = {"--motion", NULL, "KIND",
                       "rigid scenes, in between: screw or constant (default: constant velocity)"},
    [OPTION_SKIP_MISSING] = {"--skip-missing", NULL, NULL, "robots: leave out collision meshes that are not there"},
    [OPTION_NO_LIMITS] = {"--no-limits", NULL, NULL, "robots: allow joint values beyond their limits"},
    [OPTION_PORT] = {"--port", NULL, "P", "listen there, 1024 to 65535, on 127.0.0.1; default: a port that is free"},
    [OPTION_TOKEN] = {"--token", NULL, "T",
                      "32 hexadecimal digits for the address; default: random. With --port: the same address again"},
    [OPTION_NO_BROWSER] = {"--no-browser", NULL, NULL, "only print the address"},
    [OPTION_SNAPSHOT] = {"--snapshot", NULL, "F.png",
                         "draw --frame K by a headless Chromium, write the picture and end"},
    [OPTION_SHOW] = {"--show", NULL, "WISHES", "how the page begins, e.g. 'question=face-cell&cut=0,0.5&theme=dark'"},
    [OPTION_PRESCRIBED] = {"--prescribed", NULL, NULL, "scenes that can be simulated: as told by their frames instead"},
    [OPTION_JSON] = {"--json", NULL, NULL, "one JSON object per line"},
    [OPTION_HELP] = {"--help", "-h", NULL, "this text"},
};

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
        if (strncmp(word, list[i], strlen(word)) == 0 && distance >= best_distance) {
            distance = best_distance - 1; /* an abbreviation */
        }
        if (distance < best_distance) {
            best = list[i];
            best_distance = distance;
        }
    }
    return best;
}

/* ---- values ---------------------------------------------------------------------------------------------- */

static bool parse_whole_number(const char *text, uint32_t lowest, uint32_t highest, uint32_t *value)
{
    if (*text < '0' || *text > '9') {
        return false;
    }
    char *end;
    errno = 0;
    unsigned long long parsed = strtoull(text, &end, 10);
    if (*end != '\0' || errno != 0 || parsed < lowest || parsed > highest) {
        return false;
    }
    *value = (uint32_t)parsed;
    return true;
}

static bool parse_number(const char *text, double *value)
{
    if (*text == '\0' || *text == ' ') {
        return false;
    }
    char *end;
    double parsed = strtod(text, &end);
    if (*end != '\0' || !isfinite(parsed)) {
        return false;
    }
    *value = parsed;
    return true;
}

/* Digits up to `end`; false: none, something else, or too many. */
static bool parse_digits(const char *text, const char *end, uint64_t *value)
{
    uint64_t number = 0;
    for (const char *at = text; at < end; at++) {
        if (*at < '0' || *at > '9' || number > (UINT64_MAX - 9) / 10) {
            return false;
        }
        number = number * 10 + (uint64_t)(*at - '0');
    }
    *value = number;
    return end > text;
}

/* "10:20:2", "10:20", "10:", ":20", ":", "::2", or "10" for that one. */
static bool parse_frame_range(const char *text, frame_range *range)
{
    range->first = 0;
    range->last = UINT64_MAX;
    range->step = 1;
    const char *end = text + strlen(text);
    const char *colon = memchr(text, ':', strlen(text));
    const char *first_end = colon != NULL ? colon : end;
    range->has_first = first_end > text;
    if (range->has_first && !parse_digits(text, first_end, &range->first)) {
        return false;
    }
    if (colon == NULL) {
        range->last = range->first;
        return range->has_first;
    }
    const char *second = strchr(colon + 1, ':');
    const char *last_end = second != NULL ? second : end;
    if (last_end > colon + 1 && !parse_digits(colon + 1, last_end, &range->last)) {
        return false;
    }
    if (second != NULL && !parse_digits(second + 1, end, &range->step)) {
        return false;
    }
    return range->step > 0 && range->first <= range->last;
}

/* "35,20" */
static bool parse_angles(const char *text, double *azimuth, double *elevation)
{
    char first[64];
    const char *comma = strchr(text, ',');
    if (comma == NULL || (size_t)(comma - text) >= sizeof first) {
        return false;
    }
    memcpy(first, text, (size_t)(comma - text));
    first[comma - text] = '\0';
    return parse_number(first, azimuth) && parse_number(comma + 1, elevation);
}

/* "a, b or c", for messages. */
static void join_words(const char *const *words, size_t count, char *buffer, size_t size)
{
    size_t used = 0;
    buffer[0] = '\0';
    for (size_t i = 0; i < count; i++) {
        const char *before = i == 0 ? "" : i + 1 == count ? " or " : ", ";
        int length = snprintf(buffer + used, size - used, "%s%s", before, words[i]);
        if (length < 0 || (size_t)length >= size - used) {
            return;
        }
        used += (size_t)length;
    }
}

/* Index of `text` in a list, or a report of what is allowed. */
static bool choose(const char *command, const char *option, const char *text, const char *const *words, size_t count,
                   size_t *chosen)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(text, words[i]) == 0) {
            *chosen = i;
            return true;
        }
    }
    char allowed[256];
    join_words(words, count, allowed, sizeof allowed);
    complain("%s: %s %s: choose %s", command, option, text, allowed);
    return false;
}

static bool read_question(tool_options *options, const char *command, const char *text)
{
    /* bench may ask for several at once, joined by '+', of the discrete questions. */
    bool joined = strcmp(command, "bench") == 0;
    const char *words[DENT_DISCRETE_QUESTION_COUNT + 1];
    unsigned word_count = DENT_DISCRETE_QUESTION_COUNT + !joined;
    for (unsigned i = 0; i < word_count; i++) {
        words[i] = dent_question_name((dent_question)(1u << i));
    }
    uint32_t bits = 0;
    while (true) {
        char word[64];
        size_t length = joined ? strcspn(text, "+") : strlen(text);
        snprintf(word, sizeof word, "%.*s", (int)(length < 60 ? length : 60), text);
        size_t chosen;
        if (!choose(command, "--ask", word, words, word_count, &chosen)) {
            return false;
        }
        bits |= 1u << chosen;
        if (text[length] == '\0') {
            break;
        }
        text += length + 1;
    }
    options->ask = (dent_question)bits;
    return true;
}

static bool read_method(tool_options *options, const char *command, const char *text)
{
    const char *words[DENT_METHOD_COUNT];
    for (unsigned i = 0; i < DENT_METHOD_COUNT; i++) {
        words[i] = dent_method_name((dent_method)i);
    }
    size_t chosen;
    if (!choose(command, "--method", text, words, DENT_METHOD_COUNT, &chosen)) {
        return false;
    }
    options->method = (dent_method)chosen;
    return true;
}

static bool read_isa(tool_options *options, const char *command, const char *text)
{
    const char *words[DENT_ISA_COUNT];
    for (unsigned i = 0; i < DENT_ISA_COUNT; i++) {
        words[i] = dent_isa_name((dent_isa)i);
    }
    size_t chosen;
    if (!choose(command, "--isa", text, words, DENT_ISA_COUNT, &chosen)) {
        return false;
    }
    options->isa = (dent_isa)chosen;
    return true;
}

static bool read_kind(tool_options *options, const char *command, const char *text)
{
    static const char *const words[] = {"vertex-face", "edge-edge", "vf", "ee"};
    size_t chosen;
    if (!choose(command, "--kind", text, words, sizeof words / sizeof words[0], &chosen)) {
        return false;
    }
    options->kind = chosen % 2 == 0 ? DENT_IMPACT_VERTEX_FACE : DENT_IMPACT_EDGE_EDGE;
    return true;
}

static bool read_setting(tool_options *options, const char *command, const char *text)
{
    const char *equals = strchr(text, '=');
    double value;
    if (equals == NULL || equals == text || !parse_number(equals + 1, &value)) {
        complain("%s: --set %s: give NAME=VALUE with a finite number", command, text);
        return false;
    }
    size_t length = (size_t)(equals - text);
    if (length >= SETTING_NAME_LIMIT || options->setting_count == SETTING_LIMIT) {
        complain("%s: --set %s: at most %d settings, names shorter than %d", command, text, (int)SETTING_LIMIT,
                 (int)SETTING_NAME_LIMIT);
        return false;
    }
    char *name = options->setting_names[options->setting_count];
    memcpy(name, text, length);
    name[length] = '\0';
    options->settings[options->setting_count].name = name;
    options->settings[options->setting_count].value = value;
    options->setting_count++;
    return true;
}

static bool read_motion(tool_options *options, const char *command, const char *text)
{
    static const char *const words[] = {"constant", "screw"};
    size_t chosen;
    if (!choose(command, "--motion", text, words, sizeof words / sizeof words[0], &chosen)) {
        return false;
    }
    options->motion = chosen == 1 ? DENT_MOTION_SCREW : DENT_MOTION_CONSTANT_VELOCITY;
    return true;
}

static bool add_path(path_list *list, const char *command, const char *option, const char *text)
{
    if (text[0] == '\0' || list->count == PATH_LIST_LIMIT) {
        complain("%s: %s '%s': give a name, %d times at most", command, option, text, (int)PATH_LIST_LIMIT);
        return false;
    }
    list->paths[list->count++] = text;
    return true;
}

static bool read_value(tool_options *options, const char *command, option_id id, const char *text)
{
    const char *wanted = NULL;
    switch (id) {
    case OPTION_ASK:
    case OPTION_BENCH_ASK:
        return read_question(options, command, text);
    case OPTION_METHOD:
        return read_method(options, command, text);
    case OPTION_ISA:
        return read_isa(options, command, text);
    case OPTION_SET:
        return read_setting(options, command, text);
    case OPTION_KIND:
        return read_kind(options, command, text);
    case OPTION_MOTION:
        return read_motion(options, command, text);
    case OPTION_OBSTACLE:
        return add_path(&options->obstacles, command, "--obstacle", text);
    case OPTION_PACKAGE_PATH:
        return add_path(&options->package_paths, command, "--package-path", text);
    case OPTION_FROM:
        options->from = text; /* '' are the values of a robot that has none */
        break;
    case OPTION_TO:
        options->to = text;
        break;
    case OPTION_TRUTH:
        options->truth = text;
        wanted = text[0] != '\0' ? NULL : "a file name";
        break;
    case OPTION_SEPARATION:
        wanted = parse_number(text, &options->separation) && options->separation >= 0
                     ? NULL
                     : "a finite length that is not negative";
        break;
    case OPTION_OUT:
        options->out = text;
        wanted = text[0] != '\0' ? NULL : "a file name";
        break;
    case OPTION_TABLE:
        options->out = text;
        wanted = strlen(text) > 4 && strcmp(text + strlen(text) - 4, ".csv") == 0 ? NULL : "a file name ending in .csv";
        break;
    case OPTION_FOLDER:
        options->out = text;
        wanted = text[0] != '\0' ? NULL : "the name of a folder";
        break;
    case OPTION_STEPS:
        wanted = parse_whole_number(text, 1, 1000000, &options->steps) ? NULL : "a whole number from 1 to 1000000";
        break;
    case OPTION_EVERY:
        wanted = parse_whole_number(text, 1, 1000000, &options->every) ? NULL : "a whole number from 1 to 1000000";
        break;
    case OPTION_ANIMATION:
        options->out = text;
        wanted = text[0] != '\0' ? NULL : "a file name";
        break;
    case OPTION_CHECKPOINT:
        options->checkpoint = text;
        wanted = text[0] != '\0' ? NULL : "a file name";
        break;
    case OPTION_RESUME:
        options->resume = text;
        wanted = text[0] != '\0' ? NULL : "a file name";
        break;
    case OPTION_STORY_FRAMES:
    case OPTION_FRAMES:
        wanted = parse_whole_number(text, 1, 100000, &options->frames) ? NULL : "a whole number from 1 to 100000";
        break;
    case OPTION_FRAME_RANGE:
        wanted = parse_frame_range(text, &options->range) ? NULL : "FIRST:LAST or FIRST:LAST:STEP in whole numbers";
        break;
    case OPTION_REPEAT:
        wanted = parse_whole_number(text, 1, 100000, &options->repeat) ? NULL : "a whole number from 1 to 100000";
        break;
    case OPTION_CURVES:
        options->curves = text;
        wanted = text[0] != '\0' ? NULL : "a file name";
        break;
    case OPTION_PICTURE:
        options->picture = text;
        wanted = text[0] != '\0' ? NULL : "a file name";
        break;
    case OPTION_VIEW:
        wanted = parse_angles(text, &options->azimuth, &options->elevation)
                     ? NULL
                     : "two angles in degrees, 35,20 for instance";
        break;
    case OPTION_PORT:
        wanted = parse_whole_number(text, 1024, 65535, &options->port) ? NULL : "a port from 1024 to 65535";
        break;
    case OPTION_TOKEN:
        options->token = text;
        wanted =
            strlen(text) == 32 && strspn(text, "0123456789abcdef") == 32 ? NULL : "32 hexadecimal digits (0-9, a-f)";
        break;
    case OPTION_SNAPSHOT:
        options->snapshot = text;
        wanted = strlen(text) > 4 && strcmp(text + strlen(text) - 4, ".png") == 0 ? NULL : "a file name ending in .png";
        break;
    case OPTION_SHOW:
        options->show = text;
        wanted = strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789-.,=&") == strlen(text)
                     ? NULL
                     : "wishes like question=face-cell&cut=0,0.5";
        break;
    case OPTION_THREADS:
        wanted = parse_whole_number(text, 1, 1024, &options->threads) ? NULL : "a whole number from 1 to 1024";
        break;
    case OPTION_FRAME:
        wanted = parse_whole_number(text, 0, UINT32_MAX, &options->frame) ? NULL : "a whole number from 0";
        break;
    case OPTION_TO_FRAME:
        wanted = parse_whole_number(text, 0, UINT32_MAX, &options->to_frame) ? NULL : "a whole number from 0";
        break;
    case OPTION_TOLERANCE:
    case OPTION_MOTION_TOLERANCE:
        wanted = parse_number(text, &options->tolerance) && options->tolerance >= 0
                     ? NULL
                     : "a finite length that is not negative";
        break;
    case OPTION_THICKNESS:
        wanted = parse_number(text, &options->thickness) && options->thickness >= 0
                     ? NULL
                     : "a finite length that is not negative";
        break;
    case OPTION_SCALE:
        wanted = parse_number(text, &options->scale) && options->scale > 0 ? NULL : "a finite number above 0";
        break;
    default:
        break;
    }
    if (wanted != NULL) {
        complain("%s: %s '%s': give %s", command, option_table[id].name, text, wanted);
        return false;
    }
    return true;
}

/* ---- the parser ------------------------------------------------------------------------------------------ */

static option_id find_option(const char *text, size_t length, uint64_t allowed)
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

static void complain_unknown(const char *command, const char *text, size_t length, uint64_t allowed)
{
    char word[64];
    snprintf(word, sizeof word, "%.*s", (int)(length < 60 ? length : 60), text);
    const char *names[OPTION_COUNT];
    size_t count = 0;
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
static bool take_option(tool_options *options, const char *command, uint64_t allowed, int argc, char **argv,
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
    bool may_repeat = id == OPTION_SET || id == OPTION_OBSTACLE || id == OPTION_PACKAGE_PATH;
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
        return read_value(options, command, id, equals + 1);
    }
    if (*position + 1 >= argc) {
        complain("%s: %s needs a value: %s", command, row->name, row->value);
        return false;
    }
    *position += 1;
    return read_value(options, command, id, argv[*position]);
}

bool options_parse(tool_options *options, const char *command, uint64_t allowed, int argc, char **argv)
{
    memset(options, 0, sizeof *options);
    options->scale = 1;
    options->every = 1;
    options->range.last = UINT64_MAX;
    options->range.step = 1;
    options->arguments = argv;
    bool only_arguments = false;
    for (int i = 0; i < argc; i++) {
        if (only_arguments || argv[i][0] != '-' || argv[i][1] == '\0') {
            argv[options->argument_count++] = argv[i]; /* never ahead of i */
        } else if (strcmp(argv[i], "--") == 0) {
            only_arguments = true;
        } else if (!take_option(options, command, allowed | OPTION_BIT(OPTION_HELP), argc, argv, &i)) {
            return false;
        }
        if (options_have(options, OPTION_HELP)) {
            return true;
        }
    }
    return true;
}

size_t options_describe(uint64_t allowed, char *buffer, size_t buffer_size)
{
    size_t used = 0;
    for (unsigned id = 0; id < OPTION_COUNT; id++) {
        const option_row *row = &option_table[id];
        if ((allowed & OPTION_BIT(id)) == 0) {
            continue;
        }
        char left[64];
        snprintf(left, sizeof left, "%s%s%s%s%s", row->short_name != NULL ? row->short_name : "",
                 row->short_name != NULL ? ", " : "", row->name, row->value != NULL ? " " : "",
                 row->value != NULL ? row->value : "");
        size_t room = used < buffer_size ? buffer_size - used : 0;
        int length = snprintf(room > 0 ? buffer + used : NULL, room, "  %-26s %s\n", left, row->help);
        used += length > 0 ? (size_t)length : 0;
    }
    return used;
}
