/* Small worlds for the question motion-impact: a scene of moving bodies, a random pair, a crowd on a random tree of
 * frames. */
#ifndef DENT_TESTS_QUERY_MOTION_SCENE_H
#define DENT_TESTS_QUERY_MOTION_SCENE_H

#include <dent/experimental.h>

#include "query/motion_oracle.h"

enum { SCENE_BODIES = 40 };

struct motion_scene {
    dent_context *context;
    dent_world *world;
    uint32_t body_count, frame_count;
    struct oracle_body bodies[SCENE_BODIES];
    dent_motion_body attached[SCENE_BODIES];
    dent_motion_frame frames[SCENE_BODIES];
    dent_motion_impact_def def;
};

static inline struct motion_scene *scene_new(const dent_context_def *context_def)
{
    struct motion_scene *scene = calloc(1, sizeof *scene);
    assert_non_null(scene);
    scene->context = dent_context_create(context_def, NULL);
    scene->world = dent_world_create(scene->context);
    assert_non_null(scene->world);
    scene->def = dent_motion_impact_def_default();
    scene->def.frames = scene->frames;
    scene->def.bodies = scene->attached;
    return scene;
}

static inline void scene_free(struct motion_scene *scene)
{
    dent_world_destroy(scene->world);
    dent_context_destroy(scene->context);
    free(scene);
}

static inline uint32_t scene_frame(struct motion_scene *scene, uint32_t parent, dent_motion motion)
{
    scene->frames[scene->frame_count] = (dent_motion_frame){parent, motion};
    scene->def.frame_count = scene->frame_count + 1;
    return scene->frame_count++;
}

static inline dent_body_id scene_body(struct motion_scene *scene, const struct oracle_body *body, uint32_t frame)
{
    uint32_t index = scene->body_count++;
    scene->bodies[index] = *body;
    dent_body_id id = oracle_add_body(scene->world, &scene->bodies[index], NULL, NULL);
    scene->attached[index] = (dent_motion_body){id, frame};
    scene->def.body_count = scene->body_count;
    return id;
}

static inline dent_motion_impact_result scene_ask(struct motion_scene *scene)
{
    dent_motion_impact_result result;
    if (dent_world_motion_impact(scene->world, &scene->def, &result) != DENT_OK) {
        fail_msg("%s", dent_world_message(scene->world));
    }
    return result;
}

static inline struct oracle_body triangle_of(const double a[3], const double b[3], const double c[3])
{
    struct oracle_body body = {.vertex_count = 3, .face_count = 1, .faces = {{0, 1, 2}}};
    memcpy(body.vertices[0], a, 3 * sizeof(double));
    memcpy(body.vertices[1], b, 3 * sizeof(double));
    memcpy(body.vertices[2], c, 3 * sizeof(double));
    return body;
}

static inline struct oracle_body point_at(double x, double y, double z)
{
    const double p[3] = {x, y, z};
    return triangle_of(p, p, p);
}

static inline dent_motion turning(double x, double y, double z, double angle)
{
    dent_pose start = dent_pose_identity();
    dent_motion motion = dent_motion_stationary(&start);
    motion.axis[0] = x;
    motion.axis[1] = y;
    motion.axis[2] = z;
    motion.angle = angle;
    return motion;
}

static inline dent_motion sliding(double x, double y, double z)
{
    dent_pose start = dent_pose_identity();
    dent_motion motion = dent_motion_stationary(&start);
    motion.displacement[0] = x;
    motion.displacement[1] = y;
    motion.displacement[2] = z;
    return motion;
}

/* t_lo is not late, and early by no more than the way of the tolerance at this speed. */
static inline void check_time(const dent_motion_impact_result *result, double exact, double speed, const char *what)
{
    assert_int_equal(result->verdict, DENT_MOTION_CONTACT);
    double early = exact - result->t_lo;
    if (!(early >= -1e-15) || early > result->tolerance / speed + 1e-14) {
        fail_msg("%s: t_lo is %.17g, the contact at %.17g, early by %g, allowed %g", what, result->t_lo, exact, early,
                 result->tolerance / speed);
    }
    assert_true(result->t_estimate >= result->t_lo && result->t_hi >= result->t_estimate && result->contact_count > 0);
}

/* ---- random ones ------------------------------------------------------------------------------------------------- */

struct random_pair {
    struct oracle_body bodies[2];
    dent_motion motions[2];
};

static inline void make_pair(dent_context *context, uint64_t seed, struct random_pair *pair)
{
    dent_random random = dent_random_seeded(seed + 400);
    for (int side = 0; side < 2; side++) {
        oracle_random_body(&random, &pair->bodies[side]);
        pair->motions[side] = oracle_random_motion(context, &random, 2);
    }
}

static inline dent_motion_impact_result ask_pair(const struct random_pair *pair, bool swapped,
                                                 const dent_motion *parent)
{
    struct motion_scene *scene = scene_new(NULL);
    uint32_t above = parent ? scene_frame(scene, DENT_FRAME_WORLD, *parent) : DENT_FRAME_WORLD;
    for (int i = 0; i < 2; i++) {
        int side = swapped ? 1 - i : i;
        scene_body(scene, &pair->bodies[side], scene_frame(scene, above, pair->motions[side]));
    }
    dent_motion_impact_result result = scene_ask(scene);
    scene_free(scene);
    return result;
}

/* Thirty bodies on a random tree of frames. */
static inline struct motion_scene *crowd(const dent_context_def *def, uint64_t seed)
{
    struct motion_scene *scene = scene_new(def);
    dent_random random = dent_random_seeded(seed + 70);
    for (int i = 0; i < 30; i++) {
        struct oracle_body body;
        oracle_random_body(&random, &body);
        dent_motion motion = oracle_random_motion(scene->context, &random, 9);
        uint32_t parent =
            i > 0 && dent_random_below(&random, 2) ? dent_random_below(&random, (uint32_t)i) : DENT_FRAME_WORLD;
        motion.angle *= 0.2;
        for (int k = 0; k < 3; k++) {
            motion.displacement[k] *= 0.1;
        }
        uint32_t frame = scene_frame(scene, parent, motion);
        scene_body(scene, &body, dent_random_below(&random, 8) ? frame : DENT_FRAME_WORLD);
    }
    return scene;
}

#endif
