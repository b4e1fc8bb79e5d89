/* allowed_pairs.c — from options and files to the pairs of bodies that are not tested. */
#include "allowed_pairs.h"

#include "tool.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

typedef struct pair_list {
    dent_context *context;
    dent_excluded_pair *pairs;
    uint32_t count, capacity;
    bool out_of_memory;
} pair_list;

static void add_pair(pair_list *list, dent_body_id a, dent_body_id b)
{
    if (list->count == list->capacity) {
        uint32_t capacity = list->capacity < UINT32_MAX / 2 - 64 ? 2 * list->capacity + 64 : list->capacity;
        dent_excluded_pair *grown =
            capacity > list->capacity
                ? dent_reallocate(list->context, list->pairs, list->capacity, capacity, sizeof *grown)
                : NULL;
        if (grown == NULL) {
            list->out_of_memory = true;
            return;
        }
        list->pairs = grown;
        list->capacity = capacity;
    }
    list->pairs[list->count].a = a;
    list->pairs[list->count++].b = b;
}

/* ---- robots ---------------------------------------------------------------------------------------------- */

/* The file beside the robot: arm.srdf for arm.urdf. False: there is none. */
static bool find_srdf(const char *robot, char *path, size_t size)
{
    size_t stem = 0;
    for (const char *at = robot; *at != '\0'; at++) {
        stem = strncasecmp(at, ".urdf", 5) == 0 ? (size_t)(at - robot) : stem;
    }
    struct stat facts;
    int length = snprintf(path, size, "%.*s.srdf", (int)stem, robot);
    return stem > 0 && length > 0 && (size_t)length < size && stat(path, &facts) == 0 && S_ISREG(facts.st_mode);
}

static void add_neighbours(pair_list *list, const allowed_robot *robot)
{
    for (uint32_t a = 0; a < robot->robot->link_count; a++) {
        for (uint32_t b = a + 1; b < robot->robot->link_count; b++) {
            if (!dent_body_id_is_null(robot->ids[a]) && !dent_body_id_is_null(robot->ids[b]) &&
                dent_linkage_neighbours(robot->robot->linkage, a, b)) {
                add_pair(list, robot->ids[a], robot->ids[b]);
            }
        }
    }
}

/* Pairs that the file allows and that are not neighbours; links that the robot does not have are told, not refused. */
static void add_srdf_pairs(pair_list *list, const allowed_robot *robot, const dent_srdf *srdf)
{
    for (uint32_t a = 0; a < robot->robot->link_count; a++) {
        for (uint32_t b = a + 1; b < robot->robot->link_count; b++) {
            if (!dent_body_id_is_null(robot->ids[a]) && !dent_body_id_is_null(robot->ids[b]) &&
                !dent_linkage_neighbours(robot->robot->linkage, a, b) &&
                dent_srdf_allows(srdf, robot->robot->links[a].name, robot->robot->links[b].name)) {
                add_pair(list, robot->ids[a], robot->ids[b]);
            }
        }
    }
}

static void tell_unknown_links(const allowed_robot *robot, const char *path, const dent_srdf *srdf)
{
    uint32_t unknown = 0;
    const char *first = NULL;
    for (uint32_t i = 0; i < srdf->rule_count; i++) {
        const char *names[2] = {srdf->rules[i].link_a, srdf->rules[i].link_b};
        for (int k = 0; k < 2; k++) {
            if (names[k] != NULL && dent_linkage_find_link(robot->robot->linkage, names[k]) == UINT32_MAX) {
                first = first != NULL ? first : names[k];
                unknown++;
            }
        }
    }
    if (unknown > 0) {
        remark("%s: %u names of links that %s does not have, the first is '%s'", path, unknown, robot->name, first);
    }
}

int open_srdf(tool_session *session, const char *robot, dent_srdf **srdf, char *path, size_t size)
{
    *srdf = NULL;
    if (session->options->srdf != NULL) {
        snprintf(path, size, "%s", session->options->srdf);
    } else if (!find_srdf(robot, path, size)) {
        return STATUS_GOOD;
    }
    dent_status status = dent_srdf_read(session->context, path, srdf);
    return status == DENT_OK ? STATUS_GOOD : complain("%s", session_message(session, status));
}

static void add_srdf(pair_list *list, const allowed_robot *robot, const char *path, const dent_srdf *srdf)
{
    uint32_t before = list->count;
    add_srdf_pairs(list, robot, srdf);
    tell_unknown_links(robot, path, srdf);
    remark("%s: %u more pairs of links may touch and are not tested", path, list->count - before);
}

/* The file is read first: of a bad one only the error is printed. */
static int add_robot(pair_list *list, tool_session *session, const allowed_robot *robot)
{
    char path[SRDF_PATH_SIZE];
    dent_srdf *srdf;
    uint32_t before = list->count;
    int failed = open_srdf(session, robot->name, &srdf, path, sizeof path);
    if (failed) {
        return failed;
    }
    add_neighbours(list, robot);
    if (list->count > before) {
        remark("%s: %u pairs of neighbouring links may touch and are not tested", robot->name, list->count - before);
    }
    if (srdf != NULL) {
        add_srdf(list, robot, path, srdf);
        dent_srdf_destroy(session->context, srdf);
    }
    return STATUS_GOOD;
}

/* ---- by name --------------------------------------------------------------------------------------------- */

static bool body_is(const dent_world *world, uint32_t index, const char *name, size_t length)
{
    const char *own = dent_body_name(world, dent_world_body_at(world, index));
    return strlen(own) == length && memcmp(own, name, length) == 0;
}

static uint32_t count_named(const dent_world *world, const char *name, size_t length)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < dent_world_body_count(world); i++) {
        count += body_is(world, i, name, length);
    }
    return count;
}

static int complain_unknown(const dent_world *world, const char *word, const char *name, size_t length)
{
    enum { NAMES_MAX = 1000 };
    const char *names[NAMES_MAX];
    char asked[200];
    uint32_t count = dent_world_body_count(world) < NAMES_MAX ? dent_world_body_count(world) : NAMES_MAX;
    for (uint32_t i = 0; i < count; i++) {
        names[i] = dent_body_name(world, dent_world_body_at(world, i));
    }
    snprintf(asked, sizeof asked, "%.*s", (int)(length < 190 ? length : 190), name);
    const char *near = nearest_word(asked, names, count);
    return near != NULL ? complain("--allow %s: no body or link '%s'; did you mean %s?", word, asked, near)
                        : complain("--allow %s: no body or link '%s'; dent info lists them", word, asked);
}

/* A:B. A name may itself have colons: of all places to split it, the first at which both sides are names. */
static int add_named(pair_list *list, const dent_world *world, const char *word)
{
    const char *split = NULL;
    for (const char *colon = strchr(word, ':'); colon != NULL && split == NULL; colon = strchr(colon + 1, ':')) {
        if (count_named(world, word, (size_t)(colon - word)) > 0 &&
            count_named(world, colon + 1, strlen(colon + 1)) > 0) {
            split = colon;
        }
    }
    if (split == NULL) {
        const char *colon = strchr(word, ':');
        bool first = count_named(world, word, (size_t)(colon - word)) == 0;
        return complain_unknown(world, word, first ? word : colon + 1,
                                first ? (size_t)(colon - word) : strlen(colon + 1));
    }
    for (uint32_t a = 0; a < dent_world_body_count(world); a++) {
        for (uint32_t b = 0; b < dent_world_body_count(world); b++) {
            if (a != b && body_is(world, a, word, (size_t)(split - word)) &&
                body_is(world, b, split + 1, strlen(split + 1))) {
                add_pair(list, dent_world_body_at(world, a), dent_world_body_at(world, b));
            }
        }
    }
    return STATUS_GOOD;
}

int allow_pairs(tool_session *session, dent_world *world, const allowed_robot *robots, uint32_t robot_count)
{
    const path_list *allowed = &session->options->allowed;
    pair_list list = {.context = session->context};
    int failed = STATUS_GOOD;
    if (session->options->srdf != NULL && robot_count == 0) {
        failed = complain("--srdf %s: it is about a robot, and no .urdf file is given", session->options->srdf);
    }
    for (uint32_t i = 0; i < robot_count && !failed; i++) {
        failed = add_robot(&list, session, &robots[i]);
    }
    for (uint32_t i = 0; i < allowed->count && !failed; i++) {
        failed = add_named(&list, world, allowed->paths[i]);
    }
    if (!failed && list.out_of_memory) {
        failed = complain("out of memory");
    }
    if (!failed && (robot_count > 0 || allowed->count > 0) &&
        dent_world_set_excluded_pairs(world, list.pairs, list.count) != DENT_OK) {
        failed = complain("%s", dent_world_message(world));
    }
    dent_release(session->context, list.pairs, list.capacity, sizeof *list.pairs);
    return failed;
}
