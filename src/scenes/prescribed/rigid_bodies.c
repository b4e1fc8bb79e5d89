/* What the scenes of rigid bodies share: every frame is the reference in a pose, and a step is a list of frames of
 * motion.h. The links of a linkage come first and move as their joints do; the bodies behind them have a frame each. */
#include "scenes/scene_internal.h"

#include "scenes/elementary_functions.h"

void scene_add_rigid_body(dent_scene *scene, const char *name, int64_t number, const struct scene_mesh *mesh)
{
    scene_add_body(scene, name, number, mesh);
    scene->bodies[scene->body_count - 1].rigid = true;
}

dent_pose scene_rotated(int axis, double degrees, double x, double y, double z)
{
    struct scene_sine_cosine half = scene_sine_cosine(degrees * (SCENE_PI / 360));
    dent_pose pose = {{half.cosine, 0, 0, 0}, {x, y, z}};
    pose.rotation[1 + axis] = half.sine;
    return pose;
}

static uint32_t link_count(const dent_scene *scene)
{
    return scene->linkage ? dent_linkage_link_count(scene->linkage) : 0;
}

enum { MOST_LINKS = 64, MOST_VALUES = 64 };

static dent_pose body_pose(const dent_scene *scene, uint32_t body, uint32_t frame)
{
    if (body >= link_count(scene)) {
        return scene->row->place(scene, body, frame);
    }
    double values[MOST_VALUES];
    dent_pose poses[MOST_LINKS];
    scene->row->joint_values(scene, frame, values);
    if (dent_linkage_poses(scene->linkage, NULL, values, poses) != DENT_OK) {
        return dent_pose_identity();
    }
    return poses[body];
}

void scene_pose_rigid(const dent_scene *scene, uint32_t body, uint32_t frame, double *positions)
{
    dent_pose pose = body_pose(scene, body, frame);
    double m[16];
    dent_pose_to_matrix(&pose, m);
    const dent_scene_body *info = &scene->bodies[body];
    for (size_t v = 0; v < info->vertex_count; v++) {
        const double *p = info->reference + 3 * v;
        for (int i = 0; i < 3; i++) {
            const double *row = m + 4 * i;
            positions[3 * v + (size_t)i] = ((row[0] * p[0] + row[1] * p[1]) + row[2] * p[2]) + row[3];
        }
    }
}

uint32_t dent_scene_motion_frame_count(const dent_scene *scene)
{
    if (!scene) {
        return 0;
    }
    return scene->row->place ? scene->body_count : 0;
}

uint32_t dent_scene_motion_frame_of(const dent_scene *scene, uint32_t body)
{
    if (!scene) {
        return UINT32_MAX;
    }
    return body < link_count(scene) ? dent_linkage_frame_of(scene->linkage, body) : body;
}

const dent_linkage *dent_scene_linkage(const dent_scene *scene)
{
    if (!scene) {
        return NULL;
    }
    return scene->linkage;
}

struct values_call {
    const dent_scene *scene;
    uint32_t frame;
    double *values;
};

static dent_status write_values(void *data)
{
    const struct values_call *call = data;
    call->scene->row->joint_values(call->scene, call->frame, call->values);
    return DENT_OK;
}

dent_status dent_scene_joint_values(const dent_scene *scene, uint32_t frame, double *values)
{
    DENT_REQUIRE(NULL, scene);
    DENT_REQUIRE(scene->context, values);
    if (!scene->linkage) {
        return dent_fail(scene->context, DENT_ERROR_INVALID_ARGUMENT, "scene %s has no linkage", scene->row->info.name);
    }
    struct values_call call = {scene, frame, values};
    return dent_call_guarded(scene->context, write_values, &call);
}

struct motion_call {
    const dent_scene *scene;
    uint32_t frame;
    dent_motion_kind kind;
    dent_motion_frame *frames;
};

static dent_status write_motion(void *data)
{
    const struct motion_call *call = data;
    const dent_scene *scene = call->scene;
    uint32_t frame = call->frame;
    dent_motion_frame *frames = call->frames;
    dent_status status = DENT_OK;
    uint32_t links = link_count(scene);
    if (links > 0) {
        double values_t0[MOST_VALUES], values_t1[MOST_VALUES];
        scene->row->joint_values(scene, frame, values_t0);
        scene->row->joint_values(scene, frame + 1, values_t1);
        status = dent_linkage_motion(scene->linkage, NULL, values_t0, values_t1, 0, frames);
    }
    for (uint32_t b = links; b < scene->body_count && status == DENT_OK; b++) {
        dent_pose start = scene->row->place(scene, b, frame), end = scene->row->place(scene, b, frame + 1);
        frames[b].parent = DENT_FRAME_WORLD;
        status = dent_motion_between(scene->context, &start, &end, call->kind, NULL, 0, &frames[b].motion);
    }
    return status;
}

dent_status dent_scene_motion(const dent_scene *scene, uint32_t frame, dent_motion_kind kind, dent_motion_frame *frames)
{
    DENT_REQUIRE(NULL, scene);
    DENT_REQUIRE(scene->context, frames);
    if (!scene->row->place) {
        return dent_fail(scene->context, DENT_ERROR_INVALID_ARGUMENT, "the bodies of scene %s are not rigid",
                         scene->row->info.name);
    }
    struct motion_call call = {scene, frame, kind, frames};
    return dent_call_guarded(scene->context, write_motion, &call);
}
