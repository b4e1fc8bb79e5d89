/* view_settings.c — `--show`: what the page begins with, as KEY=VALUE joined by &. It travels to the page behind the # of
 * the address; here it is only checked, so that a misspelt setting is an error and not a picture without it. */
#include "questions.h"
#include "tool.h"
#include <view_frames.h>
#include "view_loop.h"

#include <stdlib.h>
#include <string.h>

enum { PART_LIMIT = 64, MOST_PARTS = 64 };

/* One KEY=VALUE, cut at its commas. */
typedef struct request {
    char key[PART_LIMIT];
    char value[VIEW_SHOW_LIMIT];
    char *parts[MOST_PARTS];
    uint32_t part_count;
} request;

static bool reads_number(const char *word, double low, double high)
{
    char *end;
    size_t length = strspn(word, "0123456789.");
    double value = strtod(word, &end);
    return length > 0 && word[length] == '\0' && *end == '\0' && value >= low && value <= high;
}

static bool reads_whole(const char *word, uint32_t limit)
{
    return strchr(word, '.') == NULL && reads_number(word, 0, (double)limit - 1);
}

static bool names_question(const char *word)
{
    return strcmp(word, "none") == 0 || find_question(word, question_is_discrete) != NULL;
}

static bool names_structure(const char *word)
{
    bool found = strcmp(word, "none") == 0 || view_find_tree(word) != NULL;
    for (unsigned i = 0; i < DENT_STRUCTURE_COUNT; i++) {
        found = found || strcmp(word, dent_structure_name((dent_structure)i)) == 0;
    }
    return found;
}

static bool good_question(const request *told, uint32_t bodies)
{
    (void)bodies;
    return told->part_count == 1 && names_question(told->parts[0]);
}

static bool good_stress(const request *told, uint32_t bodies)
{
    view_measure measure;
    (void)bodies;
    return told->part_count == 1 && view_find_measure(told->parts[0], &measure);
}

static bool good_structure(const request *told, uint32_t bodies)
{
    return told->part_count >= 1 && told->part_count <= 3 && names_structure(told->parts[0]) &&
           (told->part_count < 2 || reads_whole(told->parts[1], bodies)) &&
           (told->part_count < 3 || reads_whole(told->parts[2], 1000));
}

static bool good_cut(const request *told, uint32_t bodies)
{
    (void)bodies;
    return (told->part_count == 2 || (told->part_count == 3 && reads_whole(told->parts[2], 2))) &&
           reads_whole(told->parts[0], 3) && reads_number(told->parts[1], 0, 1);
}

static bool good_opacity(const request *told, uint32_t bodies)
{
    (void)bodies;
    return told->part_count == 1 && reads_number(told->parts[0], 0.05, 1);
}

static bool good_hide(const request *told, uint32_t bodies)
{
    bool good = told->part_count > 0;
    for (uint32_t i = 0; i < told->part_count && good; i++) {
        good = reads_whole(told->parts[i], bodies);
    }
    return good;
}

/* 3:e8a0a0 or 0-27:f3ead6, perhaps with /0.5 behind it. */
static bool good_colour(const char *part, uint32_t bodies)
{
    char copy[PART_LIMIT];
    char *colon, *dash, *slash;
    if (strlen(part) >= sizeof copy) {
        return false;
    }
    memcpy(copy, part, strlen(part) + 1);
    colon = strchr(copy, ':');
    if (colon == NULL) {
        return false;
    }
    *colon = '\0';
    dash = strchr(copy, '-');
    slash = strchr(colon + 1, '/');
    if (dash != NULL) {
        *dash = '\0';
    }
    if (slash != NULL) {
        *slash = '\0';
    }
    return reads_whole(copy, bodies) && (dash == NULL || reads_whole(dash + 1, bodies)) && strlen(colon + 1) == 6 &&
           strspn(colon + 1, "0123456789abcdef") == 6 && (slash == NULL || reads_number(slash + 1, 0.05, 1));
}

static bool good_paint(const request *told, uint32_t bodies)
{
    bool good = told->part_count > 0;
    for (uint32_t i = 0; i < told->part_count && good; i++) {
        good = good_colour(told->parts[i], bodies);
    }
    return good;
}

static bool good_theme(const request *told, uint32_t bodies)
{
    (void)bodies;
    return strcmp(told->value, "dark") == 0 || strcmp(told->value, "light") == 0;
}

static bool good_up(const request *told, uint32_t bodies)
{
    (void)bodies;
    return strlen(told->value) == 1 && strchr("xyz", told->value[0]) != NULL;
}

static bool good_switch(const request *told, uint32_t bodies)
{
    (void)bodies;
    return strcmp(told->value, "1") == 0;
}

static const struct request_form {
    const char *key;
    bool (*good)(const request *told, uint32_t bodies);
    const char *wanted; /* null: the names of questions */
} forms[] = {
    {"question", good_question, NULL},
    {"structure", good_structure,
     "NAME,BODY,LEVEL, where NAME is surface-tree, clusters, buckets, hash-cells, sphere-tree, dop14-tree, "
     "dop18-tree, wisps, dense-grid, hash-grid, hierarchical-grid, loose-octree, kd-tree, packet-tree, bsp or kinetic-tree"},
    {"stress", good_stress,
     "none, von-mises, tension, compression, plastic-strain, speed, depth, distance, quality or inverted"},
    {"colours", good_stress,
     "none, von-mises, tension, compression, plastic-strain, speed, depth, distance, quality or inverted"},
    {"cut", good_cut, "AXIS,PLACE, an axis from 0 to 2 and a place from 0 to 1; a third number 1 turns it round"},
    {"opacity", good_opacity, "a number from 0.05 to 1"},
    {"hide", good_hide, "numbers of bodies with commas between them"},
    {"paint", good_paint,
     "BODY:RRGGBB or FIRST-LAST:RRGGBB (hex digits), each perhaps with /OPACITY, with commas between them"},
    {"wire", good_switch, "1"},
    {"edges", good_switch, "1"},
    {"swept", good_switch, "1"},
    {"plain", good_switch, "1"},
    {"through", good_switch, "1"},
    {"up", good_up, "x, y or z"},
    {"theme", good_theme, "dark or light"},
    {"no-normals", good_switch, "1"},
    {"no-contacts", good_switch, "1"},
};

/* Reads up to the next & or the end; false: too long for any setting. */
static bool read_request(const char *text, size_t length, request *told, char *whole)
{
    if (length >= VIEW_SHOW_LIMIT) {
        return false;
    }
    memcpy(whole, text, length);
    whole[length] = '\0';
    const char *equals = strchr(whole, '=');
    size_t key = equals != NULL ? (size_t)(equals - whole) : length;
    if (key >= PART_LIMIT) {
        return false;
    }
    memcpy(told->key, whole, key);
    told->key[key] = '\0';
    memcpy(told->value, equals != NULL ? equals + 1 : "", equals != NULL ? length - key : 1);
    return true;
}

/* Cuts a copy of the value, which stays whole for words and messages. */
static void cut_parts(request *told, char *copy)
{
    memcpy(copy, told->value, strlen(told->value) + 1);
    told->part_count = 0;
    for (char *at = copy; at != NULL && told->part_count < MOST_PARTS;) {
        char *comma = strchr(at, ',');
        told->parts[told->part_count++] = at;
        if (comma != NULL) {
            *comma = '\0';
        }
        at = comma != NULL ? comma + 1 : NULL;
    }
}

static const char *wanted_value(const struct request_form *form, char *buffer, size_t size)
{
    const char *names[QUESTION_LIMIT + 1] = {"none"};
    return form->wanted != NULL
               ? form->wanted
               : join_words(names, 1 + list_question_names(question_is_discrete, names + 1), buffer, size);
}

static int check_request(const char *text, size_t length, uint32_t bodies)
{
    request told;
    char whole[VIEW_SHOW_LIMIT], copy[VIEW_SHOW_LIMIT], words[256];
    bool readable = read_request(text, length, &told, whole);
    for (size_t i = 0; readable && i < sizeof forms / sizeof forms[0]; i++) {
        if (strcmp(told.key, forms[i].key) == 0) {
            const char *wanted = wanted_value(&forms[i], words, sizeof words);
            cut_parts(&told, copy);
            return forms[i].good(&told, bodies) ? STATUS_GOOD
                   : strchr(whole, '=') == NULL ? complain("view: --show %s: it needs a value: %s", told.key, wanted)
                   : bodies == UINT32_MAX
                       ? complain("view: --show %s=%s: give %s", told.key, told.value, wanted)
                       : complain("view: --show %s=%s: the last body is %u", told.key, told.value, bodies - 1);
        }
    }
    return complain(
        "view: --show: unknown setting '%.*s'; use question, structure, colours, cut, opacity, hide, paint, wire, "
        "edges, plain, through, up, theme, no-normals or no-contacts",
        (int)(length < PART_LIMIT ? length : PART_LIMIT), text);
}

int view_check_show(const char *show, uint32_t bodies)
{
    int failed = STATUS_GOOD;
    if (show != NULL && strlen(show) >= VIEW_SHOW_LIMIT) {
        return complain("view: --show: more than %d characters", VIEW_SHOW_LIMIT - 1);
    }
    for (const char *at = show; at != NULL && !failed;) {
        size_t length = strcspn(at, "&");
        failed = check_request(at, length, bodies);
        at = at[length] == '&' ? at + length + 1 : NULL;
    }
    return failed;
}
