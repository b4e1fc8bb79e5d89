/* A built-in scene in a world: its positions, posed frame by frame. For tests that walk the scene table. */
#ifndef DENT_TESTS_SCENE_WORLD_H
#define DENT_TESTS_SCENE_WORLD_H

#include <dent/dent.h>
#include <dent/scene.h>

#include <stdio.h>
#include <stdlib.h>

struct scene_world {
    dent_scene *scene;
    bool borrowed; /* the scene belongs to another one of these */
    dent_world *world;
    uint32_t body_count;
    uint64_t elements;
    double **positions;
    dent_body_id *ids;
};

static inline void scene_world_pose(struct scene_world *stage, uint32_t frame)
{
    for (uint32_t i = 0; i < stage->body_count; i++) {
        dent_scene_positions(stage->scene, i, frame, stage->positions[i]);
    }
}

static inline void scene_world_close(struct scene_world *stage)
{
    dent_world_destroy(stage->world);
    for (uint32_t i = 0; i < stage->body_count; i++) {
        free(stage->positions[i]);
    }
    free(stage->positions);
    free(stage->ids);
    if (stage->scene && !stage->borrowed) {
        dent_scene_destroy(stage->scene);
    }
}

/* A world of the given context with the bodies of a scene that outlives it. */
static inline bool scene_world_open_on(struct scene_world *stage, dent_context *context, dent_scene *scene)
{
    *stage = (struct scene_world){.scene = scene, .borrowed = true};
    stage->body_count = dent_scene_body_count(scene);
    stage->positions = calloc(stage->body_count, sizeof *stage->positions);
    stage->ids = calloc(stage->body_count, sizeof *stage->ids);
    stage->world = dent_world_create(context);
    for (uint32_t i = 0; i < stage->body_count; i++) {
        const dent_scene_body *body = dent_scene_body_at(scene, i);
        stage->positions[i] = calloc((size_t)body->vertex_count * 3, sizeof(double));
        stage->elements += body->element_count;
    }
    scene_world_pose(stage, 0);
    if (dent_scene_add_to_world(scene, stage->world, stage->positions, stage->ids) != DENT_OK) {
        printf("%s\n", dent_world_message(stage->world));
        return false;
    }
    return true;
}

/* False, with a line printed, when the scene cannot be made. */
static inline bool scene_world_open(struct scene_world *stage, dent_context *context, const char *name, double scale)
{
    dent_scene_def def = dent_scene_def_default();
    dent_scene *scene;
    *stage = (struct scene_world){0};
    def.name = name;
    def.scale = scale;
    if (dent_scene_create(context, &def, &scene) != DENT_OK) {
        char message[512];
        dent_context_message(context, message, sizeof message);
        printf("%s at scale %g: %s\n", name, scale, message);
        return false;
    }
    bool good = scene_world_open_on(stage, context, scene);
    stage->borrowed = false;
    return good;
}

/* The largest simple scale at which the scene has at most `most` elements. */
static inline double scene_scale_for(dent_context *context, const char *name, uint64_t most)
{
    static const double scales[] = {1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001};
    /* Count at a small scale first: creating the million-element scenes only to throw them away would take longer than
     * the test. */
    struct scene_world probe;
    double guess = 1;
    if (scene_world_open(&probe, context, name, 0.02)) {
        guess = 0.02 * (double)most / (double)(probe.elements ? probe.elements : 1);
    }
    scene_world_close(&probe);
    for (size_t i = 0; i < sizeof scales / sizeof scales[0]; i++) {
        if (scales[i] <= 2 * guess) {
            struct scene_world stage;
            bool fits = scene_world_open(&stage, context, name, scales[i]) && stage.elements <= most;
            scene_world_close(&stage);
            if (fits) {
                return scales[i];
            }
        }
    }
    return 0.001;
}

#endif
