/* option_values.c — what each option accepts and where it is kept, one row an option.
 *
 * Most values are a text, a whole number in a range or a length; a row says which, and the words of the complaint. The
 * few that are more than that (lists of words, settings, paths that may be repeated) have a reader of their own.
 */
#include "option_values.h"

#include "printer.h"
#include "questions.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- numbers and ranges ---------------------------------------------------------------------------------- */

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
        uint64_t digit = (uint64_t)(*at - '0');
        if (*at < '0' || *at > '9' || number > (UINT64_MAX - digit) / 10) {
            return false;
        }
        number = number * 10 + digit;
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

/* ---- words and lists ------------------------------------------------------------------------------------- */

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
    complain("%s: %s %s: choose %s", command, option, text, join_words(words, count, allowed, sizeof allowed));
    return false;
}

/* A question that the command takes, into the bits of options->ask. */
static bool add_question(tool_options *options, const char *command, const char *text, question_filter *taken)
{
    const char *words[QUESTION_LIMIT];
    size_t chosen;
    if (!choose(command, "--ask", text, words, list_question_names(taken, words), &chosen)) {
        return false;
    }
    options->ask = (dent_question)((uint32_t)options->ask | (uint32_t)find_question(text, taken)->question);
    return true;
}

static bool read_question(tool_options *options, const char *command, const char *text)
{
    return add_question(options, command, text, question_has_pairs);
}

/* Several of the discrete questions, joined by '+'. */
static bool read_joined_questions(tool_options *options, const char *command, const char *text)
{
    while (true) {
        char word[64];
        size_t length = strcspn(text, "+");
        snprintf(word, sizeof word, "%.*s", (int)(length < 60 ? length : 60), text);
        if (!add_question(options, command, word, question_is_raced)) {
            return false;
        }
        if (text[length] == '\0') {
            return true;
        }
        text += length + 1;
    }
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

static bool read_inside_method(tool_options *options, const char *command, const char *text)
{
    const char *words[DENT_INSIDE_METHOD_COUNT];
    for (unsigned i = 0; i < DENT_INSIDE_METHOD_COUNT; i++) {
        words[i] = dent_inside_method_name((dent_inside_method)i);
    }
    size_t chosen;
    if (!choose(command, "--method", text, words, DENT_INSIDE_METHOD_COUNT, &chosen)) {
        return false;
    }
    options->inside_method = (dent_inside_method)chosen;
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

static bool read_planner(tool_options *options, const char *command, const char *text)
{
    static const char *const words[] = {[DENT_PLAN_TREE] = "tree", [DENT_PLAN_ROADMAP] = "roadmap"};
    size_t chosen;
    if (!choose(command, "--method", text, words, sizeof words / sizeof words[0], &chosen)) {
        return false;
    }
    options->planner = (dent_plan_method)chosen;
    return true;
}

static bool read_bench_motion(tool_options *options, const char *command, const char *text)
{
    static const char *const words[] = {
        [BENCH_MOTION_DEFORM] = "deform", [BENCH_MOTION_REST] = "rest", [BENCH_MOTION_RIGID] = "rigid"};
    size_t chosen;
    if (!choose(command, "--motion", text, words, sizeof words / sizeof words[0], &chosen)) {
        return false;
    }
    options->bench_motion = (bench_motion)chosen;
    return true;
}

static bool read_sort(tool_options *options, const char *command, const char *text)
{
    static const char *const words[] = {
        [CHECK_SORT_DEPTH] = "depth", [CHECK_SORT_VOLUME] = "volume", [CHECK_SORT_NAME] = "name"};
    size_t chosen;
    if (!choose(command, "--sort", text, words, sizeof words / sizeof words[0], &chosen)) {
        return false;
    }
    options->sort = (check_sort)chosen;
    return true;
}

static bool read_view_angles(tool_options *options, const char *command, const char *text)
{
    if (!parse_angles(text, &options->azimuth, &options->elevation)) {
        complain("%s: --view '%s': give two angles in degrees, 35,20 for instance", command, text);
        return false;
    }
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

static bool read_obstacle(tool_options *options, const char *command, const char *text)
{
    return add_path(&options->obstacles, command, "--obstacle", text);
}

static bool read_package_path(tool_options *options, const char *command, const char *text)
{
    return add_path(&options->package_paths, command, "--package-path", text);
}

static bool read_allowed(tool_options *options, const char *command, const char *text)
{
    const char *colon = strchr(text, ':');
    if (colon == NULL || colon == text || colon[1] == '\0') {
        complain("%s: --allow '%s': give two names of bodies or links, A:B", command, text);
        return false;
    }
    return add_path(&options->allowed, command, "--allow", text);
}

/* "4096", "512K", "512M", "2G", "1T", also with "iB" behind the letter; K is 1024. */
static bool parse_size(const char *text, uint64_t *size)
{
    static const char letters[] = "KMGT";
    size_t length = strlen(text);
    length -= length > 3 && strcmp(text + length - 2, "iB") == 0 ? 2 : 0;
    const char *letter = length > 0 ? memchr(letters, text[length - 1] & ~0x20, sizeof letters - 1) : NULL;
    if (letter == NULL && text[length] != '\0') { /* iB without a letter */
        return false;
    }
    int shift = letter != NULL ? 10 * (int)(letter - letters + 1) : 0;
    uint64_t number;
    if (!parse_digits(text, text + length - (letter != NULL), &number) || number > UINT64_MAX >> shift) {
        return false;
    }
    *size = number << shift;
    return *size > 0;
}

static bool read_memory_limit(tool_options *options, const char *command, const char *text)
{
    if (!parse_size(text, &options->memory_limit)) {
        complain("%s: --memory-limit '%s': give a size above 0, in bytes or like 512M or 2G", command, text);
        return false;
    }
    return true;
}

/* "1,-2,0.5" */
static bool read_move(tool_options *options, const char *command, const char *text)
{
    const char *at = text;
    for (int axis = 0; axis < 3; axis++) {
        char word[64];
        size_t length = strcspn(at, ",");
        snprintf(word, sizeof word, "%.*s", (int)(length < 63 ? length : 63), at);
        if (length > 63 || !parse_number(word, &options->move[axis]) || fabs(options->move[axis]) > 1e100 ||
            (at[length] == ',') != (axis < 2)) {
            complain("%s: --move '%s': give three finite lengths, X,Y,Z, of at most 1e100", command, text);
            return false;
        }
        at += length + (at[length] == ',');
    }
    return true;
}

/* ---- the table ------------------------------------------------------------------------------------------- */

typedef struct value_rule value_rule;

/** Stores a value in its field; false: the text is not what the rule wants. */
typedef bool value_store(const value_rule *rule, const char *text, void *field);

/** Reads a value of several fields or many words; false: not right, already reported. */
typedef bool value_reader(tool_options *options, const char *command, const char *text);

struct value_rule {
    value_store *store;
    size_t field;             /* of tool_options */
    const char *wanted;       /* ends the complaint "give ..." */
    uint32_t lowest, highest; /* of a whole number */
    const char *ending;       /* of a file name; null: any */
    value_reader *reader;     /* instead of all this; null: none */
};

static bool store_any_text(const value_rule *rule, const char *text, void *field)
{
    (void)rule;
    *(const char **)field = text;
    return true;
}

static bool store_name(const value_rule *rule, const char *text, void *field)
{
    *(const char **)field = text;
    size_t length = strlen(text), ending = rule->ending != NULL ? strlen(rule->ending) : 0;
    return length > ending && (ending == 0 || strcmp(text + length - ending, rule->ending) == 0);
}

/* What may stand in the query of an address without being escaped. */
static bool store_requests(const value_rule *rule, const char *text, void *field)
{
    (void)rule;
    *(const char **)field = text;
    return strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789-.,=&:/") == strlen(text);
}

static bool store_whole_number(const value_rule *rule, const char *text, void *field)
{
    return parse_whole_number(text, rule->lowest, rule->highest, field);
}

static bool store_large_number(const value_rule *rule, const char *text, void *field)
{
    return parse_digits(text, text + strlen(text), field) && *(const uint64_t *)field >= rule->lowest;
}

static bool store_length(const value_rule *rule, const char *text, void *field)
{
    (void)rule;
    return parse_number(text, field) && *(const double *)field >= 0;
}

static bool store_scale(const value_rule *rule, const char *text, void *field)
{
    (void)rule;
    return parse_number(text, field) && *(const double *)field > 0;
}

static bool store_frame_range(const value_rule *rule, const char *text, void *field)
{
    (void)rule;
    return parse_frame_range(text, field);
}

#define AT(member) .field = offsetof(tool_options, member)
#define NAME_AT(member)                                                                                                \
    {                                                                                                                  \
        store_name, AT(member), .wanted = "a file name"                                                                \
    }
#define FILE_AT(member, suffix)                                                                                        \
    {                                                                                                                  \
        store_name, AT(member), .wanted = "a file name ending in " suffix, .ending = suffix                            \
    }
#define PICTURE_AT(member)                                                                                             \
    {                                                                                                                  \
        store_name, AT(member), .wanted = "a file name ending in .png; pictures are PNG", .ending = ".png"             \
    }
#define LENGTH_AT(member)                                                                                              \
    {                                                                                                                  \
        store_length, AT(member), .wanted = "a finite length that is not negative"                                     \
    }
#define COUNT_AT(member, most)                                                                                         \
    {                                                                                                                  \
        store_whole_number, AT(member), .wanted = "a whole number from 1 to " #most, .lowest = 1, .highest = most      \
    }
#define INDEX_AT(member)                                                                                               \
    {                                                                                                                  \
        store_whole_number, AT(member), .wanted = "a whole number from 0", .lowest = 0, .highest = UINT32_MAX          \
    }

static const value_rule rules[OPTION_COUNT] = {
    [OPTION_ASK] = {.reader = read_question},
    [OPTION_BENCH_ASK] = {.reader = read_joined_questions},
    [OPTION_METHOD] = {.reader = read_method},
    [OPTION_INSIDE_METHOD] = {.reader = read_inside_method},
    [OPTION_ISA] = {.reader = read_isa},
    [OPTION_SET] = {.reader = read_setting},
    [OPTION_KIND] = {.reader = read_kind},
    [OPTION_MOTION] = {.reader = read_motion},
    [OPTION_BENCH_MOTION] = {.reader = read_bench_motion},
    [OPTION_OBSTACLE] = {.reader = read_obstacle},
    [OPTION_ALLOW] = {.reader = read_allowed},
    [OPTION_PACKAGE_PATH] = {.reader = read_package_path},
    [OPTION_MEMORY_LIMIT] = {.reader = read_memory_limit},
    [OPTION_SORT] = {.reader = read_sort},
    [OPTION_VIEW] = {.reader = read_view_angles},
    [OPTION_MOVE] = {.reader = read_move},

    [OPTION_FROM] = {store_any_text, AT(from)}, /* '' are the values of a robot that has none */
    [OPTION_TO] = {store_any_text, AT(to)},
    [OPTION_JOINTS] = {store_any_text, AT(joints)},
    [OPTION_SRDF] = NAME_AT(srdf),
    [OPTION_TRUTH] = NAME_AT(truth),
    [OPTION_OUT] = NAME_AT(out),
    [OPTION_ANIMATION] = NAME_AT(out),
    [OPTION_CURVE_OUT] = NAME_AT(out),
    [OPTION_PATH_OUT] = NAME_AT(out),
    [OPTION_PLANNER] = {.reader = read_planner},
    [OPTION_CHECKPOINT] = NAME_AT(checkpoint),
    [OPTION_RESUME] = NAME_AT(resume),
    [OPTION_CONVERGE] = NAME_AT(converge),
    [OPTION_PROBES] = FILE_AT(probes, ".csv"),
    [OPTION_CURVES] = NAME_AT(curves),
    [OPTION_CSV] = FILE_AT(csv, ".csv"),
    [OPTION_HTML] = FILE_AT(html, ".html"),
    [OPTION_TOP] = COUNT_AT(top, 1000000000),
    [OPTION_PICTURE] = PICTURE_AT(picture),
    [OPTION_FOLDER] = {store_name, AT(out), .wanted = "the name of a folder"},
    [OPTION_TABLE] = FILE_AT(out, ".csv"),
    [OPTION_SNAPSHOT] = PICTURE_AT(snapshot),
    [OPTION_RECORD] = FILE_AT(record, ".webm"),
    [OPTION_TOKEN] = NAME_AT(token),
    [OPTION_SHOW] = {store_requests, AT(show), .wanted = "settings like question=face-cell&cut=0,0.5"},

    [OPTION_SEPARATION] = LENGTH_AT(separation),
    [OPTION_TOLERANCE] = LENGTH_AT(tolerance),
    [OPTION_MOTION_TOLERANCE] = LENGTH_AT(tolerance),
    [OPTION_THICKNESS] = LENGTH_AT(thickness),
    [OPTION_DEADLINE] = {store_scale, AT(deadline), .wanted = "a finite number of milliseconds above 0"},
    [OPTION_STEP_DEADLINE] = {store_scale, AT(deadline), .wanted = "a finite number of milliseconds above 0"},
    [OPTION_SCALE] = {store_scale, AT(scale), .wanted = "a finite number above 0"},

    [OPTION_SEED] = {store_large_number, AT(seed), .wanted = "a whole number from 0 to 2^64 - 1"},
    [OPTION_BUDGET] = {store_large_number, AT(budget), .wanted = "a whole number from 1", .lowest = 1},
    [OPTION_EDGES] = {store_large_number, AT(budget), .wanted = "a whole number from 1", .lowest = 1},
    [OPTION_STEPS] = COUNT_AT(steps, 1000000),
    [OPTION_EVERY] = COUNT_AT(every, 1000000),
    [OPTION_FRAMES] = COUNT_AT(frames, 100000),
    [OPTION_STORY_FRAMES] = COUNT_AT(frames, 100000),
    [OPTION_REPEAT] = COUNT_AT(repeat, 100000),
    [OPTION_THREADS] = COUNT_AT(threads, 1024),
    [OPTION_FRAME] = INDEX_AT(frame),
    [OPTION_TO_FRAME] = INDEX_AT(to_frame),
    [OPTION_HAND] = INDEX_AT(hand),
    [OPTION_PORT] = {store_whole_number, AT(port), .wanted = "a port from 1024 to 65535", .lowest = 1024,
                     .highest = 65535},

    [OPTION_FRAME_RANGE] = {store_frame_range, AT(range), .wanted = "FIRST:LAST or FIRST:LAST:STEP in whole numbers"},
};

bool option_read_value(tool_options *options, const char *command, option_id id, const char *name, const char *text)
{
    const value_rule *rule = &rules[id];
    if (rule->reader != NULL) {
        return rule->reader(options, command, text);
    }
    if (!rule->store(rule, text, (char *)options + rule->field)) {
        complain("%s: %s '%s': give %s", command, name, text, rule->wanted);
        return false;
    }
    return true;
}
