/* A box that flies among boxes: planning problems with known ways through. For tests and benchmarks. */
#ifndef DENT_TESTS_PLAN_FIELD_H
#define DENT_TESTS_PLAN_FIELD_H

#include <dent/dent.h>
#include <dent/plan.h>

#include <math.h>
#include <string.h>

enum { PLAN_FIELD_BODIES = 16 };

struct plan_field {
    dent_context *context;
    dent_linkage *linkage;
    uint32_t body_count;
    double corners[PLAN_FIELD_BODIES][8][3];
    dent_plan_body bodies[PLAN_FIELD_BODIES];
};

static const uint32_t plan_field_triangles[12][3] = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                                                     {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};

static inline void plan_field_box(struct plan_field *field, const char *name, uint32_t link, const double lo[3],
                                  const double hi[3])
{
    double(*corners)[3] = field->corners[field->body_count];
    dent_plan_body *body = &field->bodies[field->body_count++];
    for (int c = 0; c < 8; c++) {
        for (int k = 0; k < 3; k++) {
            corners[c][k] = c >> k & 1 ? hi[k] : lo[k];
        }
    }
    body->link = link;
    body->shape = dent_surface_def_default();
    body->shape.name = name;
    body->shape.vertex_count = 8;
    body->shape.element_count = 12;
    body->shape.element_corners = plan_field_triangles[0];
    body->shape.positions_t0 = dent_positions_double(corners[0]);
}

/* One link that flies, a bar of 0.4 x 0.1 x 0.1, and no obstacles yet. */
static inline dent_status plan_field_open(struct plan_field *field, dent_context *context)
{
    memset(field, 0, sizeof *field);
    field->context = context;
    dent_joint_def joint = dent_joint_def_default();
    joint.name = "flight";
    joint.kind = DENT_JOINT_FREE;
    joint.parent = 0;
    joint.child = 1;
    dent_linkage_def def = dent_linkage_def_default();
    def.link_count = 2;
    def.joint_count = 1;
    def.joints = &joint;
    dent_status status = dent_linkage_create(context, &def, &field->linkage);
    const double lo[3] = {-0.2, -0.05, -0.05}, hi[3] = {0.2, 0.05, 0.05};
    plan_field_box(field, "bar", 1, lo, hi);
    return status;
}

/* A wall of thickness 0.3 across x at 0, of 3 x 3, with a slot along z: wider than the bar by the clearance on each
 * side. */
static inline void plan_field_add_wall(struct plan_field *field, double clearance)
{
    double r = 0.05 + clearance, w = 0.15, e = 1.5;
    const double left[2][3] = {{-w, -e, -e}, {w, -r, e}}, right[2][3] = {{-w, r, -e}, {w, e, e}};
    plan_field_box(field, "left", DENT_PLAN_OBSTACLE, left[0], left[1]);
    plan_field_box(field, "right", DENT_PLAN_OBSTACLE, right[0], right[1]);
}

static inline dent_planner_def plan_field_def(const struct plan_field *field)
{
    static const double lower[7] = {-0.7, -0.6, -0.6, 0, 0, 0, 0}, upper[7] = {0.7, 0.6, 0.6, 0, 0, 0, 0};
    dent_planner_def def = dent_planner_def_default();
    def.linkage = field->linkage;
    def.bodies = field->bodies;
    def.body_count = field->body_count;
    def.lower = lower;
    def.upper = upper;
    def.target_gap = 0.002;
    return def;
}

static inline void plan_field_close(struct plan_field *field)
{
    dent_linkage_destroy(field->linkage);
}

#endif
