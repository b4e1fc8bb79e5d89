/* blocks-640k: 16 blocks of 20 x 20 x 20 cubes, 640,000 tetrahedra: medium bodies with most of their vertices inside.
 * The blocks keep their size and shape; the scale changes how finely they are cut. */
#include "scenes/elementary_functions.h"
#include "scenes/scene_table.h"
#include "swarm.h"

static dent_status build(dent_scene *scene)
{
    double cubes = 20 * scene_cube_root(scene->scale);
    dent_status status = scene_check_size(scene, 16, cubes * cubes * cubes, 5 * cubes * cubes * cubes);
    if (status != DENT_OK) {
        return status;
    }
    uint32_t count = scene_round(cubes, 1);
    struct swarm_def def = {
        .body_name = "block",
        .body_count = 16,
        .cubes = {count, count, count},
        .edge = 20.0 / count,
        .seed = 12,
        .turn = 1.5,
        .drift = 0.8,
        .wave = {0.8, 0.8, 0.8},
        .wave_number = {0.25, 0.25, 0.25},
    };
    return swarm_build(scene, &def);
}

const struct scene_row scene_blocks_640k = {
    .info =
        {
            .name = "blocks-640k",
            .summary = "16 blocks of 20x20x20 cubes",
            .frame_count = SWARM_FRAMES,
            .benchmark_frames = SWARM_BENCHMARK_FRAMES,
            .parameter_count = SWARM_PARAMETER_COUNT,
            .parameters = swarm_parameters,
        },
    .build = build,
    .pose = swarm_pose,
};
