/* plan_stage.h — a planner from what the command line names: a robot with obstacles, or a scene with a linkage. */
#ifndef DENT_PLAN_STAGE_H
#define DENT_PLAN_STAGE_H

#include "tool_session.h"

#include <dent/mesh_io.h>
#include <dent/plan.h>
#include <dent/scene.h>
#include <dent/urdf.h>

typedef struct plan_stage {
    tool_session *session;
    dent_robot *robot; /* or null … */
    dent_scene *scene; /* … and this */
    uint32_t mesh_count;
    dent_mesh *meshes[PATH_LIST_LIMIT]; /* obstacles */
    double *placed;                     /* positions of the obstacles of a scene */
    size_t placed_count;
    const dent_linkage *linkage;
    uint32_t value_count;
    dent_plan_body *bodies; /* names are those of robot, scene and meshes */
    uint32_t body_count, body_capacity;
    dent_plan_pair *allowed;
    uint32_t allowed_count, allowed_capacity;
    double from[DENT_PLAN_VALUES_MAX], to[DENT_PLAN_VALUES_MAX];
    dent_planner *planner;
} plan_stage;

/** Reads everything, and makes the planner with its question set. Reports errors and returns an exit status; close it in
 * any case. */
int plan_stage_open(plan_stage *stage, tool_session *session, const char *name);
void plan_stage_close(plan_stage *stage);

#endif
