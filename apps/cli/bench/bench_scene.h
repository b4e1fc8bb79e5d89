/* bench_scene.h — what is measured: the bodies of a built-in scene, or of mesh files, with all their numbers in one
 * block.
 *
 * Methods and peers see the same arrays. Vertices, cells and surface faces are numbered through the whole scene, body
 * after body, so that an answer is a pair of two numbers whoever found it, and the order of these numbers is the
 * canonical order.
 */
#ifndef DENT_BENCH_SCENE_H
#define DENT_BENCH_SCENE_H

#include "bench_model.h"

#include <dent/scene.h>
#include <dent/world.h>

typedef struct bench_body {
    const dent_scene_body *body;
    const double *radii; /* of the vertices of strands; null: all have the thickness of the body */
    uint32_t first_vertex, first_cell, first_face, first_edge; /* of the scene */
} bench_body;

typedef struct bench_scene {
    dent_context *context;
    const char *name;
    double scale;
    uint32_t setting_count;
    const dent_scene_setting *settings; /* the caller's */
    dent_scene *scene;                  /* null: the model is measured */
    bench_model model;
    bench_motion motion;
    char remark[96]; /* for the heading, empty: none */
    uint32_t benchmark_frames;
    uint32_t first_frame; /* what is called frame 0 here */
    uint32_t body_count, solid_count;
    bench_body *bodies;

    uint32_t vertex_count, cell_count, face_count, segment_count, edge_count;
    double *positions;       /* 3 per vertex: the frame that is asked about */
    uint32_t (*cells)[4];    /* corners, numbers of the scene */
    uint32_t (*faces)[3];    /* surface faces */
    uint32_t (*segments)[2]; /* ends of segments of strands */
    double *segment_radii;
    uint32_t *used_vertices; /* those that elements use, ascending */
    uint32_t used_count;
} bench_scene;

/** Makes the scene. An error has been reported; then there is nothing to close. `command` begins the message. */
int bench_scene_open(tool_session *session, const char *command, const dent_scene_def *def, bench_scene *scene);
/** The same of mesh files, all in one (bench_model.h); finds the shift of the copies. */
int bench_scene_open_files(tool_session *session, const char *command, const char *const *files, uint32_t count,
                           bench_scene *scene);
void bench_scene_close(bench_scene *scene);

/** Computes all positions of a frame, counted from the first. */
void bench_scene_pose(bench_scene *scene, uint32_t frame);

/** Adds the bodies to a world, borrowing the positions, with reference shapes where the scene knows them. */
dent_status bench_scene_fill(const bench_scene *scene, dent_world *world);

#endif
