/* motion_stage.h — what a query about moving rigid bodies needs, from a robot with obstacles or from a scene: a world,
 * frames, bodies attached to them, pairs left out. */
#ifndef DENT_MOTION_STAGE_H
#define DENT_MOTION_STAGE_H

#include "tool_session.h"

#include <dent/mesh_io.h>
#include <dent/scene.h>
#include <dent/urdf.h>

typedef struct motion_stage {
    dent_context *context;
    dent_world *world;
    dent_robot *robot; /* or null … */
    dent_scene *scene; /* … and this */
    uint32_t mesh_count;
    dent_mesh *meshes[PATH_LIST_LIMIT]; /* obstacles */
    uint32_t frame_count, body_count, excluded_count;
    uint32_t body_capacity, excluded_capacity;
    dent_motion_frame *frames;
    dent_motion_body *bodies;
    dent_excluded_pair *excluded;
} motion_stage;

/** All report their errors and return an exit status; motion_stage_close is called in any case. */
int motion_stage_open(motion_stage *stage, tool_session *session);
/** The robot between the joint values of --from and --to, and the obstacles. */
int motion_stage_add_robot(motion_stage *stage, tool_session *session, const char *name);
/** A scene of rigid bodies, the step from --frame to the next. */
int motion_stage_add_scene(motion_stage *stage, tool_session *session, const char *name);
/** The same for a def; its frames are not yet written. */
int motion_stage_make_scene(motion_stage *stage, tool_session *session, const dent_scene_def *def);
/** Another step of the scene. */
int motion_stage_set_step(motion_stage *stage, tool_session *session, uint32_t frame, dent_motion_kind kind);
void motion_stage_close(motion_stage *stage);

/** A def with the stage's lists in it. */
dent_motion_impact_def motion_stage_def(const motion_stage *stage);

#endif
