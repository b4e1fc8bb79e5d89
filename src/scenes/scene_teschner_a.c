/* teschner-a: set-up A of the spatial-hashing paper, 100 objects of 12 vertices and 10 tetrahedra: bars of two cubes.
 * The scale is the number of bars. */
#include "scene_table.h"
#include "swarm.h"

static dent_status build(dent_scene *scene)
{
    double bodies = 100.0 * scene->scale;
    dent_status status = scene_check_size(scene, bodies, 12, 10);
    if (status != DENT_OK) {
        return status;
    }
    struct swarm_def def = {
        .body_name = "bar",
        .body_count = scene_round(bodies, 2),
        .cubes = {2, 1, 1},
        .edge = 1,
        .seed = 3,
        .turn = 3,
        .drift = 0.5,
        .wave = {0.1, 0.08, 0.05},
        .wave_number = {1.5, 1.5, 1.5},
    };
    return swarm_build(scene, &def);
}

const struct scene_row scene_teschner_a = {
    .info =
        {
            .name = "teschner-a",
            .summary = "100 bars of 2x1x1 cubes (set-up A of the spatial-hashing paper)",
            .frame_count = SWARM_FRAMES,
            .benchmark_frames = SWARM_BENCHMARK_FRAMES,
            .parameter_count = SWARM_PARAMETER_COUNT,
            .parameters = swarm_parameters,
        },
    .build = build,
    .pose = swarm_pose,
};
