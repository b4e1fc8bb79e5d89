/* The god-object's copy of the scene: where the bodies are, where they go next, and their motions in between. */
#include "haptic/haptic_state.h"

#include <stdio.h>

static dent_status out_of_memory(dent_context *context)
{
    return dent_fail(context, DENT_ERROR_OUT_OF_MEMORY, "out of memory for a haptic tool");
}

/* ---- reading scenes ---------------------------------------------------------------------------------------------- */

dent_status haptic_check_pose(dent_context *context, const dent_pose *pose, const char *what, double reach)
{
    double square = 0;
    for (int k = 0; k < 4; k++) {
        square += pose->rotation[k] * pose->rotation[k];
        if (!isfinite(pose->rotation[k])) {
            return dent_fail(context, DENT_ERROR_BAD_NUMBER, "%s: rotation[%d] is %g, a finite number is needed", what,
                             k, pose->rotation[k]);
        }
    }
    for (int k = 0; k < 3; k++) {
        if (!(fabs(pose->translation[k]) <= reach)) {
            return dent_fail(context, DENT_ERROR_BAD_NUMBER,
                             "%s: translation[%d] is %g, a finite number of at most %g is needed", what, k,
                             pose->translation[k], reach);
        }
    }
    if (!(square > 1e-200 && square < 1e200)) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "%s: the rotation is a quaternion of length %g", what,
                         sqrt(square));
    }
    return DENT_OK;
}

static dent_status read_poses(const struct haptic_scene *layout, dent_context *messages, const dent_pose *poses,
                              double *numbers)
{
    uint32_t next = 0;
    for (uint32_t pass = 0; pass < 2; pass++, next = 0) {
        for (uint32_t i = 0; i < layout->body_count; i++) {
            const struct haptic_body *body = &layout->bodies[i];
            if (body->kind != DENT_HAPTIC_RIGID) {
                continue;
            }
            const dent_pose *pose = &poses[next++];
            dent_status status = pass == 0 ? haptic_check_pose(messages, pose, body->name, layout->reach) : DENT_OK;
            if (status != DENT_OK) {
                return status;
            }
            if (pass == 1) {
                memcpy(numbers + body->place, pose, sizeof *pose);
            }
        }
    }
    return DENT_OK;
}

static dent_status check_positions(const struct haptic_scene *layout, dent_context *messages, const double *positions)
{
    for (uint32_t i = 0; i < layout->body_count; i++) {
        const struct haptic_body *body = &layout->bodies[i];
        for (size_t n = 0; body->kind == DENT_HAPTIC_DEFORMING && n < 3 * (size_t)body->vertex_count; n++) {
            double number = positions[body->place - layout->positions_at + n];
            if (!(fabs(number) <= layout->reach)) {
                return dent_fail(messages, DENT_ERROR_BAD_NUMBER,
                                 "%s: vertex %zu has the position %g, a finite number of at most %g is needed",
                                 body->name, n / 3, number, layout->reach);
            }
        }
    }
    return DENT_OK;
}

static dent_status check_links(const struct haptic_scene *layout, dent_context *messages, const dent_pose *links)
{
    for (uint32_t i = 0; i < layout->body_count; i++) {
        const struct haptic_body *body = &layout->bodies[i];
        for (int k = 0; body->kind == DENT_HAPTIC_LINK && k < 3; k++) {
            double number = links[body->link].translation[k];
            if (!(fabs(number) <= layout->reach)) {
                return dent_fail(messages, DENT_ERROR_BAD_NUMBER, "%s: the joint values bring it to %g; at most %g",
                                 body->name, number, layout->reach);
            }
        }
    }
    return DENT_OK;
}

static dent_status check_values(const struct haptic_scene *layout, dent_context *messages, const double *values)
{
    for (uint32_t v = 0; v < layout->value_count; v++) {
        if (!(fabs(values[v]) <= 1e100)) {
            return dent_fail(messages, DENT_ERROR_BAD_NUMBER,
                             "joint value %u is %g, a finite number of at most 1e100 is needed", v, values[v]);
        }
    }
    /* Angles have a limit; the message is in the context of the linkage, which is the caller's. */
    dent_status status =
        layout->linkage ? dent_linkage_poses(layout->linkage, NULL, values, layout->given_links) : DENT_OK;
    return status == DENT_OK ? check_links(layout, messages, layout->given_links) : status;
}

dent_status haptic_scene_read(const struct haptic_scene *layout, dent_context *messages, const dent_haptic_scene *scene,
                              double *numbers)
{
    dent_status status = scene->joint_values ? check_values(layout, messages, scene->joint_values) : DENT_OK;
    status = status == DENT_OK && scene->positions ? check_positions(layout, messages, scene->positions) : status;
    status = status == DENT_OK && scene->poses ? read_poses(layout, messages, scene->poses, numbers) : status;
    if (status == DENT_OK && scene->joint_values && layout->value_count > 0) {
        memcpy(numbers + layout->values_at, scene->joint_values, layout->value_count * sizeof *numbers);
    }
    if (status == DENT_OK && scene->positions && layout->position_count > 0) {
        memcpy(numbers + layout->positions_at, scene->positions, layout->position_count * sizeof *numbers);
    }
    return status;
}

dent_status haptic_scene_check(const struct haptic_scene *scene, dent_context *messages)
{
    dent_status status = check_positions(scene, messages, scene->now + scene->positions_at);
    status = status == DENT_OK ? check_links(scene, messages, scene->links) : status;
    for (uint32_t i = 0; i < scene->body_count && status == DENT_OK; i++) {
        const struct haptic_body *body = &scene->bodies[i];
        dent_pose pose = haptic_body_pose(scene, body, false);
        if (body->kind == DENT_HAPTIC_RIGID) {
            status = haptic_check_pose(messages, &pose, body->name, scene->reach);
        }
    }
    return status;
}

/* ---- where bodies are -------------------------------------------------------------------------------------------- */

dent_pose haptic_body_pose(const struct haptic_scene *scene, const struct haptic_body *body, bool at_aim)
{
    const double *numbers = at_aim ? scene->aim : scene->now;
    if (body->kind == DENT_HAPTIC_RIGID) {
        dent_pose pose;
        memcpy(&pose, numbers + body->place, sizeof pose);
        return pose;
    }
    if (body->kind == DENT_HAPTIC_LINK) {
        return (at_aim ? scene->aim_links : scene->links)[body->link];
    }
    return dent_pose_identity();
}

const double *haptic_body_points(const struct haptic_scene *scene, const struct haptic_body *body, bool at_aim)
{
    return body->points ? body->points : (at_aim ? scene->aim : scene->now) + body->place;
}

static dent_status place_links(const struct haptic_scene *scene, const double *numbers, dent_pose *links)
{
    return scene->linkage ? dent_linkage_poses(scene->linkage, NULL, numbers + scene->values_at, links) : DENT_OK;
}

/* ---- motion ------------------------------------------------------------------------------------------------------ */

void haptic_scene_begin(struct haptic_god *god)
{
    struct haptic_scene *scene = &god->scene;
    scene->moving = memcmp(scene->now, scene->target, scene->number_count * sizeof *scene->now) != 0;
}

/* A part of the motion between two poses is the motion between its ends. */
static dent_status aim_rigid(struct haptic_god *god, const struct haptic_body *body, double share)
{
    struct haptic_scene *scene = &god->scene;
    dent_pose from, to;
    dent_motion motion;
    memcpy(&from, scene->now + body->place, sizeof from);
    memcpy(&to, scene->target + body->place, sizeof to);
    dent_status status = dent_motion_between(god->context, &from, &to, DENT_MOTION_CONSTANT_VELOCITY, NULL, 0, &motion);
    if (status == DENT_OK) {
        dent_pose pose = dent_motion_at(&motion, share);
        memcpy(scene->aim + body->place, &pose, sizeof pose);
    }
    return status;
}

dent_status haptic_scene_aim(struct haptic_god *god, double share)
{
    struct haptic_scene *scene = &god->scene;
    dent_status status = DENT_OK;
    if (share >= 1) {
        memcpy(scene->aim, scene->target, scene->number_count * sizeof *scene->aim);
        return place_links(scene, scene->aim, scene->aim_links);
    }
    for (uint32_t i = 0; i < scene->body_count && status == DENT_OK; i++) {
        const struct haptic_body *body = &scene->bodies[i];
        status = body->kind == DENT_HAPTIC_RIGID ? aim_rigid(god, body, share) : DENT_OK;
    }
    for (size_t n = scene->values_at; n < scene->number_count; n++) {
        scene->aim[n] = scene->now[n] + share * (scene->target[n] - scene->now[n]);
    }
    return status == DENT_OK ? place_links(scene, scene->aim, scene->aim_links) : status;
}

void haptic_scene_hold(struct haptic_god *god)
{
    god->scene.moving = false;
}

static dent_status rigid_motion(struct haptic_god *god, const struct haptic_body *body)
{
    struct haptic_scene *scene = &god->scene;
    dent_pose from = haptic_body_pose(scene, body, false), to = haptic_body_pose(scene, body, true);
    dent_motion_frame *frame = &scene->frames[body->frame];
    frame->parent = DENT_FRAME_WORLD;
    frame->motion = dent_motion_stationary(&from);
    return scene->moving
               ? dent_motion_between(god->context, &from, &to, DENT_MOTION_CONSTANT_VELOCITY, NULL, 0, &frame->motion)
               : DENT_OK;
}

static dent_status set_positions(struct haptic_god *god, const struct haptic_body *body)
{
    const struct haptic_scene *scene = &god->scene;
    dent_positions t0 = dent_positions_double(scene->now + body->place);
    dent_positions t1 = dent_positions_double(scene->aim + body->place);
    return dent_body_set_positions(god->world, body->id, &t0, scene->moving ? &t1 : NULL);
}

dent_status haptic_scene_motion(struct haptic_god *god)
{
    struct haptic_scene *scene = &god->scene;
    dent_status status = DENT_OK;
    for (uint32_t i = 0; i < scene->body_count && status == DENT_OK; i++) {
        const struct haptic_body *body = &scene->bodies[i];
        if (body->kind == DENT_HAPTIC_RIGID) {
            status = rigid_motion(god, body);
        } else if (body->kind == DENT_HAPTIC_DEFORMING) {
            status = set_positions(god, body);
        }
    }
    if (status == DENT_OK && scene->linkage) {
        const double *from = scene->now + scene->values_at, *to = scene->aim + scene->values_at;
        uint32_t first = 1 + scene->rigid_count;
        status =
            dent_linkage_motion(scene->linkage, NULL, from, scene->moving ? to : from, first, scene->frames + first);
    }
    return status;
}

static void advance_rigid(struct haptic_scene *scene, const struct haptic_body *body, double t)
{
    dent_pose pose = dent_motion_at(&scene->frames[body->frame].motion, t);
    memcpy(scene->now + body->place, &pose, sizeof pose);
}

dent_status haptic_scene_advance(struct haptic_god *god, double t)
{
    struct haptic_scene *scene = &god->scene;
    memcpy(scene->spare, scene->now, scene->number_count * sizeof *scene->now);
    scene->was_moving = scene->moving;
    if (!scene->moving) {
        return DENT_OK;
    }
    scene->must_refit = true;
    if (t >= 1) {
        memcpy(scene->now, scene->aim, scene->number_count * sizeof *scene->now);
        haptic_scene_begin(god);
        return place_links(scene, scene->now, scene->links);
    }
    for (uint32_t i = 0; i < scene->body_count; i++) {
        if (scene->bodies[i].kind == DENT_HAPTIC_RIGID) {
            advance_rigid(scene, &scene->bodies[i], t);
        }
    }
    for (size_t n = scene->values_at; n < scene->number_count; n++) {
        scene->now[n] += t * (scene->aim[n] - scene->now[n]);
    }
    return place_links(scene, scene->now, scene->links);
}

dent_status haptic_scene_undo(struct haptic_god *god)
{
    struct haptic_scene *scene = &god->scene;
    if (!scene->was_moving) {
        return DENT_OK;
    }
    memcpy(scene->now, scene->spare, scene->number_count * sizeof *scene->now);
    scene->moving = scene->must_refit = true;
    return place_links(scene, scene->now, scene->links);
}

/* ---- life -------------------------------------------------------------------------------------------------------- */

static dent_status check_linkage(const dent_linkage *linkage, dent_context *messages)
{
    for (uint32_t j = 0; j < dent_linkage_joint_count(linkage); j++) {
        const dent_joint_def *joint = dent_linkage_joint(linkage, j);
        if (joint->kind == DENT_JOINT_BALL || joint->kind == DENT_JOINT_FREE) {
            return dent_fail(messages, DENT_ERROR_UNSUPPORTED,
                             "joint '%s': a haptic scene takes no %s joints; a RIGID body moves freely",
                             joint->name ? joint->name : "", dent_joint_kind_name(joint->kind));
        }
    }
    return DENT_OK;
}

/* Sizes and places of what a scene consists of. */
static void lay_out(struct haptic_scene *scene, const dent_haptic_def *def)
{
    for (uint32_t i = 0; i < scene->body_count; i++) {
        scene->rigid_count += def->bodies[i].kind == DENT_HAPTIC_RIGID;
    }
    scene->values_at = 7 * (size_t)scene->rigid_count;
    scene->positions_at = scene->values_at + scene->value_count;
    scene->number_count = scene->positions_at;
    uint32_t rigid = 0;
    for (uint32_t i = 0; i < scene->body_count; i++) {
        struct haptic_body *body = &scene->bodies[i];
        const dent_haptic_body *from = &def->bodies[i];
        body->kind = from->kind;
        body->link = from->link;
        body->vertex_count = from->shape.vertex_count;
        body->frame = DENT_FRAME_WORLD;
        if (body->kind == DENT_HAPTIC_RIGID) {
            body->place = 7 * (size_t)rigid;
            body->frame = 1 + rigid++;
        } else if (body->kind == DENT_HAPTIC_LINK) {
            body->frame = 1 + scene->rigid_count + dent_linkage_frame_of(scene->linkage, body->link);
        } else if (body->kind == DENT_HAPTIC_DEFORMING) {
            body->place = scene->number_count;
            scene->number_count += 3 * (size_t)body->vertex_count;
        }
    }
    scene->position_count = scene->number_count - scene->positions_at;
    scene->frame_count = 1 + scene->rigid_count + scene->link_count;
}

static dent_status make_arrays(struct haptic_scene *scene, dent_context *context)
{
    scene->now = dent_allocate(context, scene->number_count, sizeof(double));
    scene->spare = dent_allocate(context, scene->number_count, sizeof(double));
    scene->aim = dent_allocate(context, scene->number_count, sizeof(double));
    scene->target = dent_allocate(context, scene->number_count, sizeof(double));
    scene->given = dent_allocate(context, scene->number_count, sizeof(double));
    scene->links = dent_allocate(context, scene->link_count, sizeof *scene->links);
    scene->aim_links = dent_allocate(context, scene->link_count, sizeof *scene->aim_links);
    scene->given_links = dent_allocate(context, scene->link_count, sizeof *scene->given_links);
    scene->frames = dent_allocate(context, scene->frame_count, sizeof *scene->frames);
    scene->attached = dent_allocate(context, (size_t)scene->body_count + 1, sizeof *scene->attached);
    bool all = scene->now && scene->spare && scene->aim && scene->target && scene->given && scene->links &&
               scene->aim_links && scene->given_links && scene->frames && scene->attached;
    return all ? DENT_OK : out_of_memory(context);
}

static void widen(const dent_body_def *shape, double *points)
{
    const dent_positions *positions = &shape->positions_t0;
    bool doubles = positions->scalar == DENT_SCALAR_DOUBLE;
    size_t stride = positions->stride ? positions->stride : 3 * (doubles ? sizeof(double) : sizeof(float));
    for (size_t v = 0; v < shape->vertex_count; v++) {
        const char *vertex = (const char *)positions->data + v * stride;
        for (int k = 0; k < 3; k++) {
            float narrow;
            if (doubles) {
                memcpy(&points[3 * v + k], vertex + k * sizeof(double), sizeof(double));
            } else {
                memcpy(&narrow, vertex + k * sizeof narrow, sizeof narrow);
                points[3 * v + k] = narrow;
            }
        }
    }
}

/* Adds a body of the tool's or the scene's group, with points that belong to us. */
static dent_status add_body(struct haptic_god *god, const dent_body_def *from, bool is_tool, double *points,
                            dent_body_id *id, dent_context *messages)
{
    dent_body_def shape = *from;
    if (shape.kind != DENT_BODY_SOLID && shape.kind != DENT_BODY_SURFACE) {
        return dent_fail(messages, DENT_ERROR_UNSUPPORTED, "%s: a haptic tool meets solids and surfaces only",
                         from->name ? from->name
                         : is_tool  ? "the tool"
                                    : "a body");
    }
    if (shape.vertex_count > 0 && !shape.positions_t0.data) {
        return dent_fail(messages, DENT_ERROR_INVALID_ARGUMENT, "%s: positions_t0 is null",
                         from->name ? from->name
                         : is_tool  ? "the tool"
                                    : "a body");
    }
    widen(from, points);
    shape.positions_t0 = dent_positions_double(points);
    shape.positions_t1 = (dent_positions){0};
    shape.reference = (dent_positions){0};
    shape.same_as_count = 0;
    shape.self_collision = false;
    shape.collision_group = is_tool ? 1 : 2;
    shape.collision_mask = is_tool ? 2 : 1;
    dent_status status = dent_world_add_body(god->world, &shape, id);
    dent_body_metrics metrics;
    status = status == DENT_OK ? dent_body_get_metrics(god->world, *id, &metrics) : status; /* are they finite? */
    return status == DENT_OK ? DENT_OK : dent_fail(messages, status, "%s", dent_world_message(god->world));
}

static dent_status open_tool(struct haptic_god *god, const dent_haptic_def *def, dent_context *messages)
{
    uint32_t count = def->tool.vertex_count;
    dent_body_id id;
    god->tool_points = dent_allocate(god->context, 3 * (size_t)count, sizeof(double));
    dent_status status =
        god->tool_points ? add_body(god, &def->tool, true, god->tool_points, &id, messages) : out_of_memory(messages);
    if (status == DENT_OK) {
        status = haptic_mesh_open(&god->tool_mesh, god->context, god->world, id, count, god->tool_points);
    }
    if (status == DENT_OK && god->tool_mesh.face_count == 0) {
        return dent_fail(messages, DENT_ERROR_INVALID_ARGUMENT, "the tool has no faces");
    }
    god->scene.attached[0] = (dent_motion_body){id, 0};
    god->scene.attached_count = 1;
    return status;
}

static dent_status open_body(struct haptic_god *god, const dent_haptic_def *def, uint32_t i, dent_context *messages)
{
    struct haptic_scene *scene = &god->scene;
    struct haptic_body *body = &scene->bodies[i];
    const dent_haptic_body *from = &def->bodies[i];
    double *points = scene->target + body->place;
    if (body->kind != DENT_HAPTIC_DEFORMING) {
        points = body->points = dent_allocate(god->context, 3 * (size_t)body->vertex_count, sizeof(double));
    }
    dent_status status =
        points ? add_body(god, &from->shape, false, points, &body->id, messages) : out_of_memory(messages);
    if (status != DENT_OK) {
        return status;
    }
    snprintf(body->name, sizeof body->name, "%s", dent_body_name(god->world, body->id));
    if (body->kind == DENT_HAPTIC_RIGID) {
        status = haptic_check_pose(messages, &from->pose, body->name, scene->reach);
        memcpy(scene->target + body->place, &from->pose, sizeof from->pose);
    }
    if (body->kind != DENT_HAPTIC_DEFORMING) {
        scene->attached[scene->attached_count++] = (dent_motion_body){body->id, body->frame};
    }
    return status == DENT_OK
               ? haptic_mesh_open(&body->mesh, god->context, god->world, body->id, body->vertex_count, points)
               : status;
}

static dent_status check_bodies(const dent_haptic_def *def, uint32_t link_count, dent_context *messages)
{
    for (uint32_t i = 0; i < def->body_count; i++) {
        if (!dent_haptic_kind_name(def->bodies[i].kind)) {
            return dent_fail(messages, DENT_ERROR_INVALID_ARGUMENT, "body %u: unknown kind %d", i,
                             (int)def->bodies[i].kind);
        }
        if (def->bodies[i].kind == DENT_HAPTIC_LINK && def->bodies[i].link >= link_count) {
            return dent_fail(messages, DENT_ERROR_INVALID_ARGUMENT, "body %u: link %u of %u does not exist", i,
                             def->bodies[i].link, link_count);
        }
    }
    return DENT_OK;
}

dent_status haptic_scene_open(struct haptic_god *god, const dent_haptic_def *def, dent_context *messages)
{
    struct haptic_scene *scene = &god->scene;
    scene->linkage = def->linkage;
    scene->reach = 1e100; /* until the target gap is known */
    scene->link_count = def->linkage ? dent_linkage_link_count(def->linkage) : 0;
    scene->value_count = def->linkage ? dent_linkage_value_count(def->linkage) : 0;
    dent_status status = check_bodies(def, scene->link_count, messages);
    status = status == DENT_OK && def->linkage ? check_linkage(def->linkage, messages) : status;
    if (status != DENT_OK) {
        return status;
    }
    scene->bodies = dent_allocate(god->context, def->body_count, sizeof *scene->bodies);
    if (!scene->bodies) {
        return out_of_memory(messages);
    }
    memset(scene->bodies, 0, def->body_count * sizeof *scene->bodies);
    scene->body_count = def->body_count;
    lay_out(scene, def);
    status = make_arrays(scene, god->context);
    status = status == DENT_OK ? open_tool(god, def, messages) : status;
    if (status == DENT_OK) {
        memset(scene->target, 0, scene->number_count * sizeof(double));
    }
    for (uint32_t i = 0; i < def->body_count && status == DENT_OK; i++) {
        status = open_body(god, def, i, messages);
    }
    if (status == DENT_OK && def->joint_values) {
        dent_haptic_scene values = {.joint_values = def->joint_values};
        status = haptic_scene_read(scene, messages, &values, scene->target);
    }
    if (status == DENT_OK) {
        memcpy(scene->now, scene->target, scene->number_count * sizeof(double));
        memcpy(scene->aim, scene->target, scene->number_count * sizeof(double));
        memcpy(scene->given, scene->target, scene->number_count * sizeof(double));
        scene->must_refit = true;
        status = place_links(scene, scene->now, scene->links);
    }
    return status;
}

void haptic_scene_close(struct haptic_god *god)
{
    struct haptic_scene *scene = &god->scene;
    dent_context *context = god->context;
    for (uint32_t i = 0; i < scene->body_count; i++) {
        struct haptic_body *body = &scene->bodies[i];
        haptic_mesh_close(&body->mesh);
        dent_release(context, body->points, 3 * (size_t)body->vertex_count, sizeof(double));
    }
    haptic_mesh_close(&god->tool_mesh);
    double *arrays[] = {scene->now, scene->spare, scene->aim, scene->target, scene->given};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) {
        dent_release(context, arrays[i], scene->number_count, sizeof(double));
    }
    dent_release(context, scene->links, scene->link_count, sizeof *scene->links);
    dent_release(context, scene->aim_links, scene->link_count, sizeof *scene->aim_links);
    dent_release(context, scene->given_links, scene->link_count, sizeof *scene->given_links);
    dent_release(context, scene->frames, scene->frame_count, sizeof *scene->frames);
    dent_release(context, scene->attached, (size_t)scene->body_count + 1, sizeof *scene->attached);
    dent_release(context, scene->bodies, scene->body_count, sizeof *scene->bodies);
}
