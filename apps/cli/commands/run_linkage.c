/* run_linkage.c — dent run ROBOT.urdf without --to: the robot moves under gravity. See run_linkage.h. */
#include "run_linkage.h"

#include "allowed_pairs.h"
#include "robot_input.h"
#include "tool.h"

#include <string.h>

static int add_pair(run_linkage *linkage, uint32_t a, uint32_t b)
{
    if (linkage->pair_count == linkage->pair_capacity) {
        uint32_t capacity = 2 * linkage->pair_capacity + 16;
        void *grown =
            dent_reallocate(linkage->context, linkage->pairs, linkage->pair_capacity, capacity, sizeof *linkage->pairs);
        if (grown == NULL) {
            return complain("run: out of memory");
        }
        linkage->pairs = grown;
        linkage->pair_capacity = capacity;
    }
    linkage->pairs[linkage->pair_count][0] = a;
    linkage->pairs[linkage->pair_count++][1] = b;
    return STATUS_GOOD;
}

static int add_srdf_pairs(run_linkage *linkage, tool_session *session)
{
    char path[SRDF_PATH_SIZE];
    dent_srdf *srdf;
    int failed = open_srdf(session, session->options->arguments[0], &srdf, path, sizeof path);
    if (failed || srdf == NULL) {
        return failed;
    }
    for (uint32_t a = 0; a < linkage->robot->link_count && !failed; a++) {
        for (uint32_t b = a + 1; b < linkage->robot->link_count && !failed; b++) {
            bool allowed = dent_srdf_allows(srdf, linkage->robot->links[a].name, linkage->robot->links[b].name);
            failed = allowed ? add_pair(linkage, a, b) : STATUS_GOOD;
        }
    }
    dent_srdf_destroy(session->context, srdf);
    return failed;
}

/* The link whose name is the first `length` characters. */
static uint32_t find_link(const run_linkage *linkage, const char *name, size_t length)
{
    for (uint32_t n = 0; n < linkage->robot->link_count; n++) {
        const char *own = linkage->robot->links[n].name;
        if (strlen(own) == length && memcmp(own, name, length) == 0) {
            return n;
        }
    }
    return UINT32_MAX;
}

static int add_named_pair(run_linkage *linkage, const char *word)
{
    for (const char *colon = strchr(word, ':'); colon != NULL; colon = strchr(colon + 1, ':')) {
        uint32_t a = find_link(linkage, word, (size_t)(colon - word));
        uint32_t b = find_link(linkage, colon + 1, strlen(colon + 1));
        if (a != UINT32_MAX && b != UINT32_MAX) {
            return add_pair(linkage, a, b);
        }
    }
    return complain("run: --allow %s: two links of the robot were expected, A:B", word);
}

static int read_start(run_linkage *linkage, tool_session *session)
{
    const dent_linkage *joints = linkage->robot->linkage;
    const char *from = session->options->from;
    if (from == NULL) {
        return STATUS_GOOD;
    }
    linkage->value_count = dent_linkage_value_count(joints);
    linkage->values = dent_allocate(linkage->context, linkage->value_count, sizeof *linkage->values);
    if (linkage->values == NULL) {
        return complain("run: out of memory");
    }
    int failed = read_joint_values("run", joints, "--from", from, linkage->values);
    return failed ? failed : robot_check_values(session, "run: --from", joints, linkage->values);
}

int run_linkage_open(run_linkage *linkage, tool_session *session, dent_sim_scene_def *def)
{
    const tool_options *options = session->options;
    linkage->context = session->context;
    linkage->reading = dent_robot_read_def_default();
    linkage->reading.package_path_count = options->package_paths.count;
    linkage->reading.package_paths = options->package_paths.paths;
    linkage->reading.skip_missing_meshes = options_have(options, OPTION_SKIP_MISSING);
    int failed = load_robot(session, options->arguments[0], &linkage->robot);
    session_forget_notices(session); /* the scene reads it again, and gives them again */
    failed = failed ? failed : read_start(linkage, session);
    failed = failed ? failed : add_srdf_pairs(linkage, session);
    for (uint32_t n = 0; n < options->allowed.count && !failed; n++) {
        failed = add_named_pair(linkage, options->allowed.paths[n]);
    }
    def->robot_reading = &linkage->reading;
    def->joint_values = linkage->values;
    def->joint_value_count = linkage->value_count;
    def->excluded_link_count = linkage->pair_count;
    def->excluded_links = (const uint32_t(*)[2])linkage->pairs;
    return failed;
}

void run_linkage_close(run_linkage *linkage)
{
    if (linkage->context == NULL) {
        return;
    }
    dent_release(linkage->context, linkage->values, linkage->value_count, sizeof *linkage->values);
    dent_release(linkage->context, linkage->pairs, linkage->pair_capacity, sizeof *linkage->pairs);
    dent_robot_destroy(linkage->context, linkage->robot);
}
