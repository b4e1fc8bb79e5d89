/* Linkages in a plan: their bodies and joints are copied behind those that are there, so nothing else has to stay. */
#include "sim_plan.h"

#include <math.h>
#include <string.h>

static void copy_body(struct sim_plan *plan, const dent_sim_body_def *from)
{
    dent_sim_body_def *body = plan_add_body(plan, from->kind, plan_copy_text(plan, from->name));
    plan_copy_mesh(plan, body, DENT_BODY_SURFACE, from->vertex_count, from->element_count, from->element_corners,
                   from->positions);
    body->material = from->material;
    body->density = from->density;
    body->mass = from->mass;
    memcpy(body->mass_center, from->mass_center, sizeof body->mass_center);
    memcpy(body->inertia, from->inertia, sizeof body->inertia);
    body->thickness = from->thickness;
    body->collision_group = from->collision_group;
    body->collision_mask = from->collision_mask;
}

static void exclude_links(struct sim_plan *plan, const dent_sim_linkage *linkage, const uint32_t (*links)[2],
                          uint32_t count)
{
    for (uint32_t n = 0; n < count; n++) {
        uint32_t a = dent_sim_linkage_body_of(linkage, links[n][0]), b = dent_sim_linkage_body_of(linkage, links[n][1]);
        if (a != b && a != UINT32_MAX && b != UINT32_MAX) {
            plan_add_excluded(plan, a, b);
        }
    }
}

void plan_add_linkage(struct sim_plan *plan, const dent_sim_linkage_def *from, const uint32_t (*excluded)[2],
                      uint32_t excluded_count)
{
    dent_sim_linkage_def def = *from;
    dent_sim_linkage *linkage = NULL;
    uint32_t bodies, joints;
    def.first_body = plan->body_count;
    def.first_joint = plan->joint_count;
    if (plan->status != DENT_OK || !plan_note(plan, dent_sim_linkage_create(plan->context, &def, &linkage))) {
        return;
    }
    const dent_sim_body_def *body_defs = dent_sim_linkage_bodies(linkage, &bodies);
    const dent_sim_joint *joint_defs = dent_sim_linkage_joints(linkage, &joints);
    for (uint32_t n = 0; n < bodies; n++) {
        copy_body(plan, &body_defs[n]);
    }
    for (uint32_t n = 0; n < joints; n++) {
        plan_add_joint(plan, &joint_defs[n]);
    }
    exclude_links(plan, linkage, excluded, excluded_count);
    dent_sim_linkage_destroy(linkage);
}
