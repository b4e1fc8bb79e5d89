/* A built-in scene in a world of its own, as benchmarks want it: opened by name, posed frame by frame, counted. */
#ifndef DENT_BENCH_SCENE_STAGE_H
#define DENT_BENCH_SCENE_STAGE_H

#include <dent/dent.h>
#include <dent/scene.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct stage {
    dent_context *context; /* borrowed */
    dent_scene *scene;
    dent_world *world;
    dent_body_id *ids;
    uint32_t bodies;
    uint64_t cells, vertices, faces; /* faces: counted by those who need them */
    double **positions;              /* by body; the world borrows them */
    double mean_edge;                /* of the first edges of the elements, at frame 0 */
};

static inline void pose(struct stage *stage, uint32_t frame)
{
    for (uint32_t i = 0; i < stage->bodies; i++) {
        dent_scene_positions(stage->scene, i, frame, stage->positions[i]);
    }
}

static inline double edge_length(const double *p, const double *q)
{
    return sqrt((p[0] - q[0]) * (p[0] - q[0]) + (p[1] - q[1]) * (p[1] - q[1]) + (p[2] - q[2]) * (p[2] - q[2]));
}

/* False: there is no such scene, or it does not fit; said on stderr in the name of `program`. */
static inline bool open_stage(struct stage *stage, dent_context *context, const char *program, const char *name,
                              double scale)
{
    dent_scene_def def = dent_scene_def_default();
    *stage = (struct stage){.context = context};
    def.name = name;
    def.scale = scale;
    if (dent_scene_create(context, &def, &stage->scene) != DENT_OK) {
        char message[512];
        dent_context_message(context, message, sizeof message);
        fprintf(stderr, "%s: %s\n", program, message);
        return false;
    }
    stage->bodies = dent_scene_body_count(stage->scene);
    stage->positions = calloc(stage->bodies, sizeof *stage->positions);
    stage->ids = calloc(stage->bodies, sizeof *stage->ids);
    stage->world = dent_world_create(context);
    for (uint32_t i = 0; i < stage->bodies; i++) {
        const dent_scene_body *body = dent_scene_body_at(stage->scene, i);
        stage->positions[i] = calloc((size_t)body->vertex_count * 3, sizeof(double));
        stage->cells += body->element_count;
        stage->vertices += body->vertex_count;
        dent_scene_positions(stage->scene, i, 0, stage->positions[i]);
        uint32_t corners = body->kind == DENT_BODY_SOLID ? 4 : 3;
        for (uint64_t e = 0; e < body->element_count; e++) {
            const uint32_t *c = body->element_corners + e * corners;
            stage->mean_edge += edge_length(stage->positions[i] + 3 * c[0], stage->positions[i] + 3 * c[1]);
        }
    }
    stage->mean_edge /= (double)stage->cells;
    return dent_scene_add_to_world(stage->scene, stage->world, stage->positions, stage->ids) == DENT_OK;
}

static inline void close_stage(struct stage *stage)
{
    dent_world_destroy(stage->world);
    dent_scene_destroy(stage->scene);
    for (uint32_t i = 0; i < stage->bodies; i++) {
        free(stage->positions[i]);
    }
    free(stage->positions);
    free(stage->ids);
}

#endif
