/* Linkages as parts of a simulation: creation, and what is read and set while it runs (dent/sim_linkage.h). */
#include "linkage_parts.h"

#include "base/containers/union_find.h"

#include <math.h>
#include <string.h>

dent_sim_linkage_def dent_sim_linkage_def_default(void)
{
    return (dent_sim_linkage_def){.struct_size = sizeof(dent_sim_linkage_def),
                                  .base = dent_pose_identity(),
                                  .thickness = -1,
                                  .collision_group = 1,
                                  .collision_mask = UINT32_MAX};
}

void dent_sim_linkage_def_from_robot(dent_sim_linkage_def *def, const dent_robot *robot)
{
    if (def && robot) {
        def->linkage = robot->linkage;
        def->links = robot->links;
        def->drives = robot->joints;
    }
}

/* ---- checks ------------------------------------------------------------------------------------------------------ */

static dent_status fail_link(dent_context *context, const dent_sim_linkage_def *def, uint32_t link, dent_status status,
                             const char *what)
{
    return dent_fail(context, status, "link '%s': %s", dent_linkage_link_name(def->linkage, link), what);
}

static dent_status check_link(dent_context *context, const dent_sim_linkage_def *def, uint32_t number)
{
    const dent_robot_link *link = &def->links[number];
    double sum = link->mass;
    for (int k = 0; k < 3; k++) {
        sum += link->mass_center[k] + link->inertia[k] + link->inertia[3 + k];
    }
    if (!isfinite(sum)) {
        return fail_link(context, def, number, DENT_ERROR_BAD_NUMBER, "its mass and inertia must be finite");
    }
    if (link->mass < 0) {
        return fail_link(context, def, number, DENT_ERROR_INVALID_ARGUMENT, "its mass must not be negative");
    }
    if ((link->vertex_count > 0 && !link->positions) || (link->triangle_count > 0 && !link->triangles)) {
        return fail_link(context, def, number, DENT_ERROR_INVALID_ARGUMENT, "its surface has no array");
    }
    for (size_t n = 0; n < 3 * (size_t)link->triangle_count; n++) {
        if (link->triangles[n] >= link->vertex_count) {
            return fail_link(context, def, number, DENT_ERROR_BAD_MESH, "a triangle has a vertex that does not exist");
        }
    }
    return DENT_OK;
}

static dent_status check_def(dent_context *context, const dent_sim_linkage_def *def)
{
    if (def->struct_size != sizeof *def) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT,
                         "dent_sim_linkage_def was not made by dent_sim_linkage_def_default()");
    }
    if (!def->linkage || !def->links) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "dent_sim_linkage_def needs a linkage and its links");
    }
    dent_status status = linkage_check_joints(context, def);
    uint64_t vertices = 0;
    for (uint32_t n = 0; n < dent_linkage_link_count(def->linkage) && status == DENT_OK; n++) {
        vertices += def->links[n].vertex_count + (uint64_t)def->links[n].triangle_count + OCTAHEDRON_FACES;
        status = check_link(context, def, n);
    }
    if (status == DENT_OK && vertices >= UINT32_MAX) {
        return dent_fail(context, DENT_ERROR_TOO_LARGE, "the links have more vertices than 32 bits can number");
    }
    return status;
}

/* ---- making ------------------------------------------------------------------------------------------------------ */

/* Values of the def; without any 0, or what the limits allow nearest to it. */
static dent_status start_values(const dent_sim_linkage_def *def, double *values)
{
    const dent_linkage *linkage = def->linkage;
    if (def->values) {
        memcpy(values, def->values, dent_linkage_value_count(linkage) * sizeof *values);
        return dent_linkage_check_values(linkage, values);
    }
    dent_linkage_zero_values(linkage, values);
    for (uint32_t j = 0; j < dent_linkage_joint_count(linkage); j++) {
        const dent_joint_def *joint = dent_linkage_joint(linkage, j);
        uint32_t at = dent_linkage_first_value(linkage, j);
        if (joint->has_limits && at != UINT32_MAX) {
            values[at] = joint->lower > 0 ? joint->lower : joint->upper < 0 ? joint->upper : 0;
        }
    }
    return DENT_OK;
}

static void describe_joints(struct dent_sim_linkage *made, const dent_linkage *linkage)
{
    union_find_init(made->groups, made->link_count);
    for (uint32_t j = 0; j < made->joint_count; j++) {
        const dent_joint_def *joint = dent_linkage_joint(linkage, j);
        made->joints[j] = (struct linkage_joint){.kind = joint->kind,
                                                 .parent = joint->parent,
                                                 .child = joint->child,
                                                 .origin = joint->origin,
                                                 .first_value = dent_linkage_first_value(linkage, j),
                                                 .number = LINKAGE_NONE};
        if (joint->kind == DENT_JOINT_FIXED) {
            union_find_join(made->groups, joint->parent, joint->child);
        }
    }
    for (uint32_t link = 0; link < made->link_count; link++) {
        made->groups[link] = union_find_root(made->groups, link);
        made->bodies[link] = LINKAGE_NONE;
    }
}

static bool allocate(struct dent_sim_linkage *made, uint32_t vertices, uint32_t triangles)
{
    dent_context *context = made->context;
    uint32_t links = made->link_count, joints = made->joint_count + 1;
    made->vertex_total = vertices;
    made->triangle_total = triangles;
    made->groups = dent_allocate(context, links, sizeof *made->groups);
    made->bodies = dent_allocate(context, links, sizeof *made->bodies);
    made->poses = dent_allocate(context, links, sizeof *made->poses);
    made->joints = dent_allocate(context, joints, sizeof *made->joints);
    made->body_defs = dent_allocate(context, links, sizeof *made->body_defs);
    made->joint_defs = dent_allocate(context, joints, sizeof *made->joint_defs);
    made->names = dent_allocate(context, links, sizeof *made->names);
    made->positions = dent_allocate(context, vertices, 3 * sizeof *made->positions);
    made->triangles = dent_allocate(context, triangles, 3 * sizeof *made->triangles);
    return made->groups && made->bodies && made->poses && made->joints && made->body_defs && made->joint_defs &&
           made->names && made->positions && made->triangles;
}

void dent_sim_linkage_destroy(dent_sim_linkage *made)
{
    if (!made) {
        return;
    }
    dent_context *context = made->context;
    uint32_t links = made->link_count, joints = made->joint_count + 1;
    dent_release(context, made->groups, links, sizeof *made->groups);
    dent_release(context, made->bodies, links, sizeof *made->bodies);
    dent_release(context, made->poses, links, sizeof *made->poses);
    dent_release(context, made->joints, joints, sizeof *made->joints);
    dent_release(context, made->body_defs, links, sizeof *made->body_defs);
    dent_release(context, made->joint_defs, joints, sizeof *made->joint_defs);
    dent_release(context, made->names, links, sizeof *made->names);
    dent_release(context, made->positions, made->vertex_total, 3 * sizeof *made->positions);
    dent_release(context, made->triangles, made->triangle_total, 3 * sizeof *made->triangles);
    dent_release(context, made, 1, sizeof *made);
}

/* Room for all surfaces, and for an octahedron of each link. */
static dent_status build(struct dent_sim_linkage *made, const dent_sim_linkage_def *def, double *values)
{
    uint32_t vertices = 0, triangles = 0;
    for (uint32_t n = 0; n < made->link_count; n++) {
        vertices += def->links[n].vertex_count + OCTAHEDRON_VERTICES;
        triangles += def->links[n].triangle_count + OCTAHEDRON_FACES;
    }
    if (!allocate(made, vertices, triangles)) {
        return dent_fail(made->context, DENT_ERROR_OUT_OF_MEMORY, "out of memory");
    }
    describe_joints(made, def->linkage);
    dent_status status = start_values(def, values);
    status = status == DENT_OK ? dent_linkage_poses(def->linkage, &def->base, values, made->poses) : status;
    made->vertex_total = made->triangle_total = 0; /* what is filled, while it is */
    status = status == DENT_OK ? linkage_make_bodies(made, def) : status;
    made->vertex_total = vertices;
    made->triangle_total = triangles;
    if (status == DENT_OK) {
        linkage_make_joints(made, def, values);
    }
    return status;
}

dent_status dent_sim_linkage_create(dent_context *context, const dent_sim_linkage_def *def, dent_sim_linkage **linkage)
{
    DENT_REQUIRE(context, context);
    DENT_REQUIRE(context, def);
    DENT_REQUIRE(context, linkage);
    dent_status status = check_def(context, def);
    if (status != DENT_OK) {
        return status;
    }
    uint32_t count = dent_linkage_value_count(def->linkage) + 1;
    struct dent_sim_linkage *made = dent_allocate(context, 1, sizeof *made);
    double *values = dent_allocate(context, count, sizeof *values);
    if (!made || !values) {
        dent_release(context, made, 1, sizeof *made);
        dent_release(context, values, count, sizeof *values);
        return dent_fail(context, DENT_ERROR_OUT_OF_MEMORY, "out of memory");
    }
    memset(made, 0, sizeof *made);
    made->context = context;
    made->link_count = dent_linkage_link_count(def->linkage);
    made->joint_count = dent_linkage_joint_count(def->linkage);
    made->first_body = def->first_body;
    made->first_joint = def->first_joint;
    status = build(made, def, values);
    dent_release(context, values, count, sizeof *values);
    if (status != DENT_OK) {
        dent_sim_linkage_destroy(made);
        return status;
    }
    *linkage = made;
    return DENT_OK;
}

/* ---- what was made ----------------------------------------------------------------------------------------------- */

const dent_sim_body_def *dent_sim_linkage_bodies(const dent_sim_linkage *linkage, uint32_t *count)
{
    if (count) {
        *count = linkage ? linkage->body_count : 0;
    }
    return linkage ? linkage->body_defs : NULL;
}

const dent_sim_joint *dent_sim_linkage_joints(const dent_sim_linkage *linkage, uint32_t *count)
{
    if (count) {
        *count = linkage ? linkage->made_count : 0;
    }
    return linkage ? linkage->joint_defs : NULL;
}

uint32_t dent_sim_linkage_body_of(const dent_sim_linkage *linkage, uint32_t link)
{
    bool known = linkage && link < linkage->link_count && linkage->bodies[link] != LINKAGE_NONE;
    return known ? linkage->first_body + linkage->bodies[link] : UINT32_MAX;
}

uint32_t dent_sim_linkage_joint_of(const dent_sim_linkage *linkage, uint32_t joint)
{
    bool known = linkage && joint < linkage->joint_count && linkage->joints[joint].number != LINKAGE_NONE;
    return known ? linkage->first_joint + linkage->joints[joint].number : UINT32_MAX;
}

/* ---- while it runs ----------------------------------------------------------------------------------------------- */

static dent_status check_sim(const dent_sim_linkage *linkage, const dent_sim *sim)
{
    dent_context *context = dent_sim_context(sim);
    bool fits = true;
    dent_sim_joint_info joint;
    dent_sim_body_info body;
    for (uint32_t b = 0; b < linkage->body_count && fits; b++) {
        const dent_sim_body_def *def = &linkage->body_defs[b];
        fits = dent_sim_body(sim, linkage->first_body + b, &body) && body.kind == def->kind &&
               body.vertex_count == def->vertex_count;
    }
    fits = fits && (linkage->made_count == 0 ||
                    dent_sim_get_joint(sim, linkage->first_joint + linkage->made_count - 1, &joint));
    return fits ? DENT_OK
                : dent_fail(context, DENT_ERROR_INVALID_ARGUMENT,
                            "the simulation has not the bodies and joints of this linkage at %u and %u",
                            linkage->first_body, linkage->first_joint);
}

/* A link moves with its body from where it was at time 0. */
static dent_pose link_pose(const dent_sim_linkage *linkage, const dent_sim *sim, uint32_t link)
{
    dent_pose moved = dent_pose_identity();
    if (linkage->bodies[link] != LINKAGE_NONE) {
        dent_sim_get_pose(sim, linkage->first_body + linkage->bodies[link], &moved, NULL, NULL);
    }
    return dent_pose_product(&moved, &linkage->poses[link]);
}

dent_status dent_sim_linkage_get_poses(const dent_sim_linkage *linkage, const dent_sim *sim, dent_pose *poses)
{
    DENT_REQUIRE(linkage ? linkage->context : NULL, sim);
    DENT_REQUIRE(dent_sim_context(sim), linkage);
    DENT_REQUIRE(dent_sim_context(sim), poses);
    dent_status status = check_sim(linkage, sim);
    for (uint32_t link = 0; link < linkage->link_count && status == DENT_OK; link++) {
        poses[link] = link_pose(linkage, sim, link);
    }
    return status;
}

/* The pose of the child in the joint's frame: what balls and free joints have as values. */
static void write_relative(const dent_sim_linkage *linkage, const dent_sim *sim, const struct linkage_joint *joint,
                           double *values)
{
    dent_pose parent = link_pose(linkage, sim, joint->parent), child = link_pose(linkage, sim, joint->child);
    dent_pose frame = dent_pose_product(&parent, &joint->origin), back = dent_pose_inverse(&frame);
    dent_pose relative = dent_pose_product(&back, &child);
    bool is_free = joint->kind == DENT_JOINT_FREE;
    if (is_free) {
        memcpy(values, relative.translation, sizeof relative.translation);
    }
    memcpy(values + (is_free ? 3 : 0), relative.rotation, sizeof relative.rotation);
}

dent_status dent_sim_linkage_get_values(const dent_sim_linkage *linkage, const dent_sim *sim, double *values,
                                        double *speeds)
{
    DENT_REQUIRE(linkage ? linkage->context : NULL, sim);
    DENT_REQUIRE(dent_sim_context(sim), linkage);
    dent_status status = check_sim(linkage, sim);
    for (uint32_t j = 0; j < linkage->joint_count && status == DENT_OK; j++) {
        const struct linkage_joint *joint = &linkage->joints[j];
        dent_sim_joint_info info = {0};
        bool axial = joint->kind == DENT_JOINT_REVOLUTE || joint->kind == DENT_JOINT_PRISMATIC;
        if (axial) {
            dent_sim_get_joint(sim, linkage->first_joint + joint->number, &info);
        }
        if (speeds) {
            speeds[j] = info.speed;
        }
        if (values && axial) {
            values[joint->first_value] = info.position;
        } else if (values && joint->kind != DENT_JOINT_FIXED) {
            write_relative(linkage, sim, joint, values + joint->first_value);
        }
    }
    return status;
}

dent_status dent_sim_linkage_set_targets(const dent_sim_linkage *linkage, dent_sim *sim, const double *targets)
{
    DENT_REQUIRE(linkage ? linkage->context : NULL, sim);
    DENT_REQUIRE(dent_sim_context(sim), linkage);
    DENT_REQUIRE(dent_sim_context(sim), targets);
    dent_status status = check_sim(linkage, sim);
    for (int pass = 0; pass < 2 && status == DENT_OK; pass++) { /* all are checked, then all are set */
        for (uint32_t j = 0; j < linkage->joint_count && status == DENT_OK; j++) {
            uint32_t number = linkage->joints[j].number;
            bool driven = number != LINKAGE_NONE && linkage->joint_defs[number].motor != DENT_SIM_MOTOR_NONE;
            if (driven && pass == 0 && !isfinite(targets[j])) {
                status = dent_fail(dent_sim_context(sim), DENT_ERROR_INVALID_ARGUMENT,
                                   "targets[%u] is %.9g: it must be finite", j, targets[j]);
            } else if (driven && pass == 1) {
                status = dent_sim_set_motor(sim, linkage->first_joint + number, targets[j]);
            }
        }
    }
    return status;
}
