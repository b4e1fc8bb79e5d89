/* motion_stage.c — from a URDF file or the name of a scene to frames and attached bodies. */
#include "motion_stage.h"

#include "allowed_pairs.h"
#include "interrupt.h"
#include "joint_values.h"
#include "load_world.h"
#include "robot_input.h"
#include "tool.h"

#include <stdio.h>
#include <string.h>

static int complain_memory(const char *name)
{
    return complain("%s: out of memory", name);
}

static int complain_about(const char *name, const char *message)
{
    return strstr(message, name) != NULL ? complain("%s", message) : complain("%s: %s", name, message);
}

int motion_stage_open(motion_stage *stage, tool_session *session)
{
    memset(stage, 0, sizeof *stage);
    stage->context = session->context;
    stage->world = dent_world_create(session->context);
    return stage->world != NULL ? STATUS_GOOD : complain("out of memory");
}

void motion_stage_close(motion_stage *stage)
{
    dent_world_destroy(stage->world);
    for (uint32_t i = 0; i < stage->mesh_count; i++) {
        dent_mesh_destroy(stage->context, stage->meshes[i]);
    }
    dent_robot_destroy(stage->context, stage->robot);
    dent_scene_destroy(stage->scene);
    dent_release(stage->context, stage->frames, stage->frame_count, sizeof *stage->frames);
    dent_release(stage->context, stage->bodies, stage->body_capacity, sizeof *stage->bodies);
    dent_release(stage->context, stage->excluded, stage->excluded_capacity, sizeof *stage->excluded);
    memset(stage, 0, sizeof *stage);
}

dent_motion_impact_def motion_stage_def(const motion_stage *stage)
{
    dent_motion_impact_def def = dent_motion_impact_def_default();
    def.frames = stage->frames;
    def.frame_count = stage->frame_count;
    def.bodies = stage->bodies;
    def.body_count = stage->body_count;
    def.excluded = stage->excluded;
    def.excluded_count = stage->excluded_count;
    return def;
}

static bool reserve_frames(motion_stage *stage, uint32_t count)
{
    stage->frames = dent_allocate(stage->context, count, sizeof *stage->frames);
    stage->frame_count = stage->frames != NULL ? count : 0;
    return stage->frames != NULL;
}

static bool attach(motion_stage *stage, dent_body_id body, uint32_t frame)
{
    if (stage->body_count == stage->body_capacity) {
        uint32_t capacity = 2 * stage->body_capacity + 16;
        dent_motion_body *grown =
            dent_reallocate(stage->context, stage->bodies, stage->body_capacity, capacity, sizeof *grown);
        if (grown == NULL) {
            return false;
        }
        stage->bodies = grown;
        stage->body_capacity = capacity;
    }
    stage->bodies[stage->body_count].body = body;
    stage->bodies[stage->body_count++].frame = frame;
    return true;
}

/* The pairs of bodies of neighbouring links. */
static bool exclude_neighbours(motion_stage *stage, const dent_linkage *linkage, const dent_body_id *ids)
{
    uint32_t count = dent_linkage_excluded_pairs(linkage, ids, NULL, 0);
    stage->excluded = dent_allocate(stage->context, count, sizeof *stage->excluded);
    if (stage->excluded == NULL) {
        return false;
    }
    stage->excluded_capacity = count;
    stage->excluded_count = dent_linkage_excluded_pairs(linkage, ids, stage->excluded, count);
    return true;
}

/* ---- robots ---------------------------------------------------------------------------------------------- */

static int write_robot_frames(motion_stage *stage, tool_session *session, double *from, double *to)
{
    const dent_linkage *linkage = stage->robot->linkage;
    const tool_options *options = session->options;
    if (options->to == NULL && dent_linkage_value_count(linkage) > 0) {
        return complain("ccd: give the joint values at the end: --to VALUES");
    }
    int failed = read_joint_values("ccd", linkage, "--from", options->from, from);
    failed = failed ? failed : read_joint_values("ccd", linkage, "--to", options->to, to);
    if (failed) {
        return failed;
    }
    dent_status status = DENT_OK;
    if (!options_have(options, OPTION_NO_LIMITS)) {
        status = dent_linkage_check_values(linkage, from);
        status = status == DENT_OK ? dent_linkage_check_values(linkage, to) : status;
    }
    status = status == DENT_OK ? dent_linkage_motion(linkage, NULL, from, to, 0, stage->frames) : status;
    return status == DENT_OK ? STATUS_GOOD : complain("ccd: %s", session_message(session, status));
}

static int add_links(motion_stage *stage, const char *name, dent_body_id *ids)
{
    const dent_linkage *linkage = stage->robot->linkage;
    if (dent_robot_add_to_world(stage->robot, stage->world, ids) != DENT_OK) {
        return complain_about(name, dent_world_message(stage->world));
    }
    for (uint32_t i = 0; i < stage->robot->link_count; i++) {
        if (!dent_body_id_is_null(ids[i]) && !attach(stage, ids[i], dent_linkage_frame_of(linkage, i))) {
            return complain_memory(name);
        }
    }
    return STATUS_GOOD;
}

static int add_obstacle(motion_stage *stage, tool_session *session, const char *name)
{
    dent_mesh *mesh = NULL;
    dent_status status = dent_mesh_read(session->context, name, NULL, &mesh);
    if (status != DENT_OK) {
        return complain_about(name, session_message(session, status));
    }
    stage->meshes[stage->mesh_count++] = mesh;
    dent_body_id *ids = dent_allocate(stage->context, mesh->body_count, sizeof *ids);
    if (ids == NULL) {
        return complain_memory(name);
    }
    int failed = STATUS_GOOD;
    if (dent_mesh_add_to_world(mesh, stage->world, ids) != DENT_OK) {
        failed = complain_about(name, dent_world_message(stage->world));
    }
    for (uint32_t i = 0; i < mesh->body_count && !failed; i++) {
        failed = attach(stage, ids[i], DENT_FRAME_WORLD) ? STATUS_GOOD : complain_memory(name);
    }
    dent_release(stage->context, ids, mesh->body_count, sizeof *ids);
    return failed;
}

int motion_stage_add_robot(motion_stage *stage, tool_session *session, const char *name)
{
    int failed = load_robot(session, name, &stage->robot);
    if (failed) {
        return failed;
    }
    uint32_t links = stage->robot->link_count, values = dent_linkage_value_count(stage->robot->linkage);
    double *numbers = dent_allocate(stage->context, 2 * (size_t)values, sizeof *numbers);
    dent_body_id *ids = dent_allocate(stage->context, links, sizeof *ids);
    if (numbers == NULL || ids == NULL || !reserve_frames(stage, links)) {
        failed = complain_memory(name);
    }
    failed = failed ? failed : write_robot_frames(stage, session, numbers, numbers + values);
    failed = failed ? failed : add_links(stage, name, ids);
    for (uint32_t i = 0; i < session->options->obstacles.count && !failed; i++) {
        failed = add_obstacle(stage, session, session->options->obstacles.paths[i]);
    }
    if (!failed) {
        const allowed_robot robot = {name, stage->robot, ids};
        failed = allow_pairs(session, stage->world, &robot, 1);
    }
    if (failed) {
        session_forget_notices(session);
    }
    session_print_notices(session);
    dent_release(stage->context, numbers, 2 * (size_t)values, sizeof *numbers);
    dent_release(stage->context, ids, links, sizeof *ids);
    return failed;
}

/* ---- scenes ---------------------------------------------------------------------------------------------- */

static int add_scene_bodies(motion_stage *stage, const char *name, double **positions, dent_body_id *ids)
{
    uint32_t count = dent_scene_body_count(stage->scene);
    for (uint32_t i = 0; i < count; i++) {
        /* Borrowed as it is: a world never writes to positions. */
        positions[i] = (double *)dent_scene_body_at(stage->scene, i)->reference;
    }
    if (dent_scene_add_to_world(stage->scene, stage->world, positions, ids) != DENT_OK) {
        return complain_about(name, dent_world_message(stage->world));
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!attach(stage, ids[i], dent_scene_motion_frame_of(stage->scene, i))) {
            return complain_memory(name);
        }
    }
    const dent_linkage *linkage = dent_scene_linkage(stage->scene);
    return linkage == NULL || exclude_neighbours(stage, linkage, ids) ? STATUS_GOOD : complain_memory(name);
}

int motion_stage_make_scene(motion_stage *stage, tool_session *session, const dent_scene_def *def)
{
    dent_status status = dent_scene_create(session->context, def, &stage->scene);
    if (status != DENT_OK) {
        return complain_about(def->name, session_message(session, status));
    }
    uint32_t count = dent_scene_body_count(stage->scene);
    if (dent_scene_motion_frame_count(stage->scene) == 0) {
        return complain("%s is no scene of rigid bodies", def->name);
    }
    double **positions = dent_allocate(stage->context, count, sizeof *positions);
    dent_body_id *ids = dent_allocate(stage->context, count, sizeof *ids);
    int failed = STATUS_GOOD;
    if (positions == NULL || ids == NULL || !reserve_frames(stage, dent_scene_motion_frame_count(stage->scene))) {
        failed = complain_memory(def->name);
    }
    failed = failed ? failed : add_scene_bodies(stage, def->name, positions, ids);
    dent_release(stage->context, positions, count, sizeof *positions);
    dent_release(stage->context, ids, count, sizeof *ids);
    return failed;
}

int motion_stage_set_step(motion_stage *stage, tool_session *session, uint32_t frame, dent_motion_kind kind)
{
    dent_status status = dent_scene_motion(stage->scene, frame, kind, stage->frames);
    return status == DENT_OK ? STATUS_GOOD : complain("%s", session_message(session, status));
}

int motion_stage_add_scene(motion_stage *stage, tool_session *session, const char *name)
{
    const tool_options *options = session->options;
    dent_scene_def def = dent_scene_def_default();
    def.name = name;
    def.scale = options->scale;
    def.setting_count = options->setting_count;
    def.settings = options->settings;
    int failed = motion_stage_make_scene(stage, session, &def);
    uint32_t next = options->frame + 1;
    if (!failed && (next == 0 || (options_have(options, OPTION_TO_FRAME) && options->to_frame != next))) {
        failed = complain("ccd: %s is a scene of rigid bodies, which are tested step by step: --to-frame %u after "
                          "--frame %u",
                          name, next, options->frame);
    }
    failed = failed ? failed : check_scene_frame(name, next);
    return failed ? failed : motion_stage_set_step(stage, session, options->frame, options->motion);
}
