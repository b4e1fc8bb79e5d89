/* teschner-e: set-up E of the spatial-hashing paper, 100 slabs of 10 x 10 x 1 cubes. The scale is the number of slabs.
 */
#include "scene_table.h"
#include "swarm.h"

static dent_status build(dent_scene *scene)
{
    double bodies = 100.0 * scene->scale;
    dent_status status = scene_check_size(scene, bodies, 242, 500);
    if (status != DENT_OK) {
        return status;
    }
    struct swarm_def def = {
        .body_name = "slab",
        .body_count = scene_round(bodies, 2),
        .cubes = {10, 10, 1},
        .edge = 1,
        .seed = 2,
        .turn = 3,
        .drift = 0.5,
        .wave = {0.5, 0.25, 0.05},
        .wave_number = {0.5, 0.5, 0.5},
    };
    return swarm_build(scene, &def);
}

const struct scene_row scene_teschner_e = {
    .info =
        {
            .name = "teschner-e",
            .summary = "100 slabs of 10x10x1 cubes (set-up E of the spatial-hashing paper)",
            .frame_count = SWARM_FRAMES,
            .benchmark_frames = SWARM_BENCHMARK_FRAMES,
            .parameter_count = SWARM_PARAMETER_COUNT,
            .parameters = swarm_parameters,
        },
    .build = build,
    .pose = swarm_pose,
};
