/* Many equal solids that float, turn and bend among each other: the motion of teschner-a, -b, -c, -e,
 * blocks-640k and graded. */
#ifndef DENT_SCENES_SWARM_H
#define DENT_SCENES_SWARM_H

#include "scenes/scene_internal.h"

enum { SWARM_FRAMES = 120, SWARM_BENCHMARK_FRAMES = 40 };

/* The parameters every swarm has, in this order. */
enum { SWARM_INSIDE, SWARM_AMPLITUDE, SWARM_PARAMETER_COUNT };

struct swarm_def {
    const char *body_name;
    uint32_t body_count;
    uint32_t cubes[3];     /* of one body */
    double edge;           /* length of a cube's edge; block scenes keep their size when their cubes get smaller */
    uint64_t seed;         /* of homes, axes and phases */
    double turn;           /* largest rotation away from the common orientation when apart, radians */
    double drift;          /* amplitude of the centres, in edges at scale 1 */
    double wave[3];        /* amplitudes of the waves along z, x and y */
    double wave_number[3]; /* of the waves: radians per length along x, y and z */

    /* Null: the bodies are plain blocks. Otherwise it moves the block's vertices to the shape, of the given extent. */
    void (*shape)(const dent_scene *scene, const struct swarm_def *def, struct scene_mesh *mesh);
    double extent[3];
};

/* The two parameters with the ranges they have everywhere. */
extern const dent_scene_parameter_info swarm_parameters[SWARM_PARAMETER_COUNT];

/* Builds the mesh and the bodies, then solves the placement for the parameter `inside`. */
dent_status swarm_build(dent_scene *scene, const struct swarm_def *def);
void swarm_pose(const dent_scene *scene, uint32_t body, uint32_t frame, double *positions);

#endif
