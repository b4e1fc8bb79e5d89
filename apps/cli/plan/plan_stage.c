/* plan_stage.c — from a URDF file or the name of a scene to a planner. */
#include "plan_stage.h"

#include "interrupt.h"
#include "allowed_pairs.h"
#include "robot_input.h"
#include "load_world.h"
#include "tool.h"

#include <string.h>

static int complain_memory(void)
{
    return complain("plan: out of memory");
}

static int complain_about(const char *name, const char *message)
{
    return strstr(message, name) != NULL ? complain("%s", message) : complain("%s: %s", name, message);
}

/* ---- bodies ---------------------------------------------------------------------------------------------- */

static dent_plan_body *add_body(plan_stage *stage)
{
    if (stage->body_count == stage->body_capacity) {
        uint32_t capacity = 2 * stage->body_capacity + 16;
        dent_plan_body *grown = dent_reallocate(stage->session->context, stage->bodies, stage->body_capacity, capacity,
                                                sizeof *grown);
        if (grown == NULL) {
            return NULL;
        }
        stage->bodies = grown;
        stage->body_capacity = capacity;
    }
    return &stage->bodies[stage->body_count++];
}

static int add_links(plan_stage *stage)
{
    for (uint32_t i = 0; i < stage->robot->link_count; i++) {
        const dent_robot_link *link = &stage->robot->links[i];
        dent_plan_body *body = link->triangle_count > 0 ? add_body(stage) : NULL;
        if (body == NULL && link->triangle_count > 0) {
            return complain_memory();
        }
        if (body != NULL) {
            body->link = i;
            body->shape = dent_surface_def_default();
            body->shape.name = link->name;
            body->shape.vertex_count = link->vertex_count;
            body->shape.element_count = link->triangle_count;
            body->shape.element_corners = link->triangles;
            body->shape.positions_t0 = dent_positions_double(link->positions);
        }
    }
    return STATUS_GOOD;
}

static int add_obstacle(plan_stage *stage, const char *name)
{
    tool_session *session = stage->session;
    dent_mesh *mesh = NULL;
    dent_mesh_read_def def = dent_mesh_read_def_default();
    def.memory_limit = session->options->memory_limit;
    dent_status status = dent_mesh_read(session->context, name, &def, &mesh);
    if (status != DENT_OK) {
        session_forget_notices(session);
        return complain_about(name, session_message(session, status));
    }
    stage->meshes[stage->mesh_count++] = mesh;
    for (uint32_t i = 0; i < mesh->body_count; i++) {
        const dent_mesh_body *given = &mesh->bodies[i];
        if (given->kind != DENT_BODY_SOLID && given->kind != DENT_BODY_SURFACE) {
            return complain("%s: an obstacle is a solid or a surface; this file has neither", name);
        }
        dent_plan_body *body = add_body(stage);
        if (body == NULL) {
            return complain_memory();
        }
        body->link = DENT_PLAN_OBSTACLE;
        body->shape = dent_body_def_default(given->kind);
        body->shape.name = given->name;
        body->shape.vertex_count = given->vertex_count;
        body->shape.element_count = given->element_count;
        body->shape.element_corners = given->element_corners;
        body->shape.cell_kinds = given->cell_kinds;
        body->shape.positions_t0 = dent_positions_double(given->positions);
    }
    return STATUS_GOOD;
}

/* The links are the first bodies of the scene; what is behind them stands where it is in frame 0. */
static int add_scene_bodies(plan_stage *stage)
{
    uint32_t count = dent_scene_body_count(stage->scene), links = dent_linkage_link_count(stage->linkage);
    for (uint32_t i = links; i < count; i++) {
        stage->placed_count += 3 * (size_t)dent_scene_body_at(stage->scene, i)->vertex_count;
    }
    stage->placed = dent_allocate(stage->session->context, stage->placed_count, sizeof *stage->placed);
    double *next = stage->placed;
    for (uint32_t i = 0; i < count; i++) {
        const dent_scene_body *given = dent_scene_body_at(stage->scene, i);
        dent_plan_body *body = stage->placed != NULL ? add_body(stage) : NULL;
        if (body == NULL) {
            return complain_memory();
        }
        body->link = i < links ? i : DENT_PLAN_OBSTACLE;
        body->shape = dent_body_def_default(given->kind);
        body->shape.name = given->name;
        body->shape.vertex_count = given->vertex_count;
        body->shape.element_count = given->element_count;
        body->shape.element_corners = given->element_corners;
        body->shape.positions_t0 = dent_positions_double(i < links ? given->reference : next);
        if (i >= links) {
            dent_scene_positions(stage->scene, i, 0, next);
            next += 3 * (size_t)given->vertex_count;
        }
    }
    return STATUS_GOOD;
}

/* ---- pairs that may touch -------------------------------------------------------------------------------- */

static bool is_named(const plan_stage *stage, uint32_t body, const char *name, size_t length)
{
    const char *own = stage->bodies[body].shape.name;
    return strlen(own) == length && memcmp(own, name, length) == 0;
}

static uint32_t count_named(const plan_stage *stage, const char *name, size_t length)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < stage->body_count; i++) {
        count += is_named(stage, i, name, length);
    }
    return count;
}

static bool put_pair(plan_stage *stage, uint32_t a, uint32_t b)
{
    if (stage->allowed_count == stage->allowed_capacity) {
        uint32_t capacity = 2 * stage->allowed_capacity + 16;
        dent_plan_pair *grown = dent_reallocate(stage->session->context, stage->allowed, stage->allowed_capacity,
                                                capacity, sizeof *grown);
        if (grown == NULL) {
            return false;
        }
        stage->allowed = grown;
        stage->allowed_capacity = capacity;
    }
    stage->allowed[stage->allowed_count++] = (dent_plan_pair){a, b};
    return true;
}

static bool put_pairs(plan_stage *stage, const char *pair, size_t length)
{
    bool good = true;
    for (uint32_t a = 0; a < stage->body_count; a++) {
        for (uint32_t b = 0; b < stage->body_count && good; b++) {
            if (is_named(stage, a, pair, length) && is_named(stage, b, pair + length + 1, strlen(pair) - length - 1)) {
                good = put_pair(stage, a, b);
            }
        }
    }
    return good;
}

/* The pairs of --srdf, or of the file beside the robot; so far the bodies are its links. */
static int allow_by_srdf(plan_stage *stage, const char *name)
{
    char path[SRDF_PATH_SIZE];
    dent_srdf *srdf;
    bool good = true;
    int failed = open_srdf(stage->session, name, &srdf, path, sizeof path);
    for (uint32_t a = 0; a < stage->body_count && !failed && srdf != NULL; a++) {
        for (uint32_t b = a + 1; b < stage->body_count && good; b++) {
            if (dent_srdf_allows(srdf, stage->bodies[a].shape.name, stage->bodies[b].shape.name)) {
                good = put_pair(stage, a, b);
            }
        }
    }
    dent_srdf_destroy(stage->session->context, srdf);
    return failed ? failed : good ? STATUS_GOOD : complain_memory();
}

/* A:B; names may have colons in them. */
static int allow(plan_stage *stage, const char *pair)
{
    const char *colon = strchr(pair, ':');
    if (colon == NULL) {
        return complain("plan: --allow %s: give two names, A:B", pair);
    }
    for (const char *at = colon; at != NULL; at = strchr(at + 1, ':')) {
        size_t length = (size_t)(at - pair);
        if (count_named(stage, pair, length) > 0 && count_named(stage, at + 1, strlen(at + 1)) > 0) {
            return put_pairs(stage, pair, length) ? STATUS_GOOD : complain_memory();
        }
    }
    size_t length = (size_t)(colon - pair);
    bool first = count_named(stage, pair, length) == 0;
    return complain("plan: --allow: there is no link or obstacle '%.*s'", first ? (int)length : 200,
                    first ? pair : colon + 1);
}

/* ---- the ends -------------------------------------------------------------------------------------------- */

static int read_end(plan_stage *stage, const char *option, const char *text, bool is_goal)
{
    double *values = is_goal ? stage->to : stage->from;
    if (stage->scene != NULL && text == NULL) {
        uint32_t frames = dent_scene_find(stage->session->options->arguments[0])->frame_count;
        dent_status status = dent_scene_joint_values(stage->scene, is_goal ? frames - 1 : 0, values);
        return status == DENT_OK ? STATUS_GOOD : complain("plan: %s", session_message(stage->session, status));
    }
    if (is_goal && text == NULL && stage->value_count > 0) {
        return complain("plan: give the joint values at the end: --to VALUES");
    }
    return read_joint_values("plan", stage->linkage, option, text, values);
}

static int read_ends(plan_stage *stage)
{
    const tool_options *options = stage->session->options;
    stage->value_count = dent_linkage_value_count(stage->linkage);
    if (stage->value_count > DENT_PLAN_VALUES_MAX) {
        return complain("plan: %u joint values; %d at most", stage->value_count, DENT_PLAN_VALUES_MAX);
    }
    int failed = read_end(stage, "--from", options->from, false);
    return failed ? failed : read_end(stage, "--to", options->to, true);
}

/* ---- all of it ------------------------------------------------------------------------------------------- */

static int open_robot(plan_stage *stage, const char *name)
{
    const tool_options *options = stage->session->options;
    if ((options->given & (OPTION_BIT(OPTION_SCALE) | OPTION_BIT(OPTION_SET))) != 0) {
        return complain("plan: --scale and --set are for built-in scenes");
    }
    int failed = load_robot(stage->session, name, &stage->robot);
    if (failed) {
        return failed;
    }
    stage->linkage = stage->robot->linkage;
    return add_links(stage);
}

static int open_scene(plan_stage *stage, const char *name)
{
    const tool_options *options = stage->session->options;
    const option_set of_robots = OPTION_BIT(OPTION_PACKAGE_PATH) | OPTION_BIT(OPTION_SKIP_MISSING);
    if ((options->given & of_robots) != 0) {
        return complain("plan: --package-path and --skip-missing are for robots (.urdf)");
    }
    if (dent_scene_find(name) == NULL) {
        return complain("%s: no robot (.urdf) and no built-in scene; see dent scenes", name);
    }
    int failed = create_scene(stage->session, name, &stage->scene);
    if (failed) {
        return failed;
    }
    stage->linkage = dent_scene_linkage(stage->scene);
    if (stage->linkage == NULL) {
        return complain("%s is no scene with a linkage", name);
    }
    return add_scene_bodies(stage);
}

static int make_planner(plan_stage *stage)
{
    tool_session *session = stage->session;
    const tool_options *options = session->options;
    dent_planner_def def = dent_planner_def_default();
    def.linkage = stage->linkage;
    def.bodies = stage->bodies;
    def.body_count = stage->body_count;
    def.allowed = stage->allowed;
    def.allowed_count = stage->allowed_count;
    def.method = options->planner;
    def.no_limits = options_have(options, OPTION_NO_LIMITS);
    dent_status status = dent_planner_create(session->context, &def, &stage->planner);
    status = status == DENT_OK ? dent_planner_begin(stage->planner, stage->from, stage->to, options->seed) : status;
    return status == DENT_OK ? STATUS_GOOD : complain("plan: %s", session_message(session, status));
}

int plan_stage_open(plan_stage *stage, tool_session *session, const char *name)
{
    const tool_options *options = session->options;
    memset(stage, 0, sizeof *stage);
    stage->session = session;
    int failed = names_a_robot(name) ? open_robot(stage, name) : open_scene(stage, name);
    failed = failed ? failed : read_ends(stage);
    if (!failed && stage->robot != NULL) {
        failed = allow_by_srdf(stage, name);
    } else if (!failed && options->srdf != NULL) {
        failed = complain("plan: --srdf %s: it is about a robot, and no .urdf file is given", options->srdf);
    }
    for (uint32_t i = 0; i < options->obstacles.count && !failed; i++) {
        failed = add_obstacle(stage, options->obstacles.paths[i]);
    }
    for (uint32_t i = 0; i < options->allowed.count && !failed; i++) {
        failed = allow(stage, options->allowed.paths[i]);
    }
    if (failed) {
        session_forget_notices(session);
        return failed;
    }
    session_print_notices(session);
    return make_planner(stage);
}

void plan_stage_close(plan_stage *stage)
{
    if (stage->session == NULL) {
        return;
    }
    dent_context *context = stage->session->context;
    dent_planner_destroy(stage->planner);
    for (uint32_t i = 0; i < stage->mesh_count; i++) {
        dent_mesh_destroy(context, stage->meshes[i]);
    }
    dent_robot_destroy(context, stage->robot);
    dent_scene_destroy(stage->scene);
    dent_release(context, stage->placed, stage->placed_count, sizeof *stage->placed);
    dent_release(context, stage->bodies, stage->body_capacity, sizeof *stage->bodies);
    dent_release(context, stage->allowed, stage->allowed_capacity, sizeof *stage->allowed);
    stage->session = NULL;
}
