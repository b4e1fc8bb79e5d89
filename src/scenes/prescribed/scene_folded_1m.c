/* folded-1m: one bar of 200 x 50 x 20 cubes, a million tetrahedra, bent through itself: self-collision of a large body.
 *
 * The bar is rolled up along its length to a ring of a little more than one turn, so that its ends lie in one another;
 * a slight spiral and a slight helix keep the two ends from being exact copies. Placement 1 leaves the ring open,
 * placement 0 winds it more than twice. Waves run along the bar and the whole ring rocks. The bar keeps its size and
 * shape; the scale changes how finely it is cut. */
#include "scenes/elementary_functions.h"
#include "scenes/mesher/mesh_blocks.h"
#include "overlap_solver.h"
#include "scenes/scene_table.h"

enum { FRAMES = 120, BENCHMARK_FRAMES = 40 };

enum { INSIDE, AMPLITUDE, PARAMETER_COUNT };

static const dent_scene_parameter_info parameters[PARAMETER_COUNT] = {
    {"inside", "share of all vertices that lie inside a cell", 0.075, 0, 0.8},
    {"amplitude", "height of the waves, times the usual one; above about 5 cells may invert", 1, 0, 20},
};

static const double bar_length = 200, bar_width = 50, bar_thickness = 20;
static const double fewest_turns = 0.9, most_turns = 2.4; /* at placement 1 and 0 */
static const double spiral = 1.2, helix = 3;              /* outward and sideways from end to end */

static dent_status build(dent_scene *scene)
{
    double fineness = scene_cube_root(scene->scale);
    double volume = bar_length * bar_width * bar_thickness * scene->scale;
    dent_status status = scene_check_size(scene, 1, volume, 5 * volume);
    if (status != DENT_OK) {
        return status;
    }
    uint32_t cubes[3] = {scene_round(bar_length * fineness, 8), scene_round(bar_width * fineness, 1),
                         scene_round(bar_thickness * fineness, 1)};
    status = scene_check_size(scene, 1, mesh_block_vertices(cubes), mesh_block_tetrahedra(cubes));
    if (status == DENT_OK) {
        status = scene_reserve(scene, 1, 1);
    }
    if (status == DENT_OK) {
        status = mesh_block_create(scene->context, cubes, &scene->meshes[0]);
    }
    if (status != DENT_OK) {
        return status;
    }
    struct scene_mesh *mesh = &scene->meshes[0];
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        mesh->reference[3 * v] *= bar_length / cubes[0];
        mesh->reference[3 * v + 1] *= bar_width / cubes[1];
        mesh->reference[3 * v + 2] *= bar_thickness / cubes[2];
    }
    scene_add_body(scene, "bar", -1, mesh);
    return overlap_solve(scene, scene->parameters[INSIDE]);
}

static void pose(const dent_scene *scene, uint32_t body, uint32_t frame, double *positions)
{
    (void)body;
    double time = 2 * SCENE_PI * (frame % FRAMES) / FRAMES;
    double turns = most_turns - (most_turns - fewest_turns) * scene->placement;
    turns *= 1 + 0.001 * scene_sine(time);
    double radius = bar_length / (2 * SCENE_PI * turns);
    double rocking = 0.15 * scene_sine(time);
    double height = scene->parameters[AMPLITUDE];
    const struct scene_mesh *mesh = &scene->meshes[0];
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        double x = mesh->reference[3 * v], y = mesh->reference[3 * v + 1], z = mesh->reference[3 * v + 2];
        z += 0.5 * height * scene_sine(0.11 * x + 2 * time);
        y += 0.8 * height * scene_sine(0.07 * x - time + 1);
        x += 0.5 * height * scene_sine(0.17 * y + time);
        double along = x / bar_length;
        double distance = radius + z + spiral * along;
        struct scene_sine_cosine turn = scene_sine_cosine(2 * SCENE_PI * turns * along + rocking);
        positions[3 * v] = distance * turn.sine;
        positions[3 * v + 1] = y + helix * along;
        positions[3 * v + 2] = distance * turn.cosine;
    }
}

const struct scene_row scene_folded_1m = {
    .info =
        {
            .name = "folded-1m",
            .summary = "one bar of 200x50x20 cubes bent through itself",
            .frame_count = FRAMES,
            .benchmark_frames = BENCHMARK_FRAMES,
            .parameter_count = PARAMETER_COUNT,
            .parameters = parameters,
        },
    .build = build,
    .pose = pose,
};
