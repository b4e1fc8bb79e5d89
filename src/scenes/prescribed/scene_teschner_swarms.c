/* teschner-a, -b, -c, -e: the set-ups of the spatial-hashing paper that are many equal solids. Objects of A have 12
 * vertices and 10 tetrahedra (bars of two cubes), the others 242 and 500 (slabs of 10 x 10 x 1 cubes). The scale is the
 * number of bodies. Set-up D, the vessels, has a file of its own. */
#include "scenes/scene_table.h"
#include "swarm.h"

static dent_status build_bars(dent_scene *scene)
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

static dent_status build_slabs(dent_scene *scene, double count, uint64_t seed)
{
    double bodies = count * scene->scale;
    dent_status status = scene_check_size(scene, bodies, 242, 500);
    if (status != DENT_OK) {
        return status;
    }
    struct swarm_def def = {
        .body_name = "slab",
        .body_count = scene_round(bodies, 2),
        .cubes = {10, 10, 1},
        .edge = 1,
        .seed = seed,
        .turn = 3,
        .drift = 0.5,
        .wave = {0.5, 0.25, 0.05},
        .wave_number = {0.5, 0.5, 0.5},
    };
    return swarm_build(scene, &def);
}

static dent_status build_b(dent_scene *scene)
{
    return build_slabs(scene, 8.0, 24);
}

static dent_status build_c(dent_scene *scene)
{
    return build_slabs(scene, 20.0, 2);
}

static dent_status build_e(dent_scene *scene)
{
    return build_slabs(scene, 100.0, 2);
}

/* A row of the scene table: they differ in name, summary and number of bodies. */
#define SWARM_ROW(scene_name, scene_summary, scene_build)                                                              \
    {                                                                                                                  \
        .info = {.name = scene_name,                                                                                   \
                 .summary = scene_summary,                                                                             \
                 .frame_count = SWARM_FRAMES,                                                                          \
                 .benchmark_frames = SWARM_BENCHMARK_FRAMES,                                                           \
                 .parameter_count = SWARM_PARAMETER_COUNT,                                                             \
                 .parameters = swarm_parameters},                                                                      \
        .build = scene_build, .pose = swarm_pose                                                                       \
    }

const struct scene_row scene_teschner_a =
    SWARM_ROW("teschner-a", "100 bars of 2x1x1 cubes (set-up A of the spatial-hashing paper)", build_bars);
const struct scene_row scene_teschner_b =
    SWARM_ROW("teschner-b", "8 slabs of 10x10x1 cubes (set-up B of the spatial-hashing paper)", build_b);
const struct scene_row scene_teschner_c =
    SWARM_ROW("teschner-c", "20 slabs of 10x10x1 cubes (set-up C of the spatial-hashing paper)", build_c);
const struct scene_row scene_teschner_e =
    SWARM_ROW("teschner-e", "100 slabs of 10x10x1 cubes (set-up E of the spatial-hashing paper)", build_e);
