/* graded: 24 wedges whose cells grow a thousandfold from one end to the other, about 58,000 tetrahedra.
 *
 * A wedge is a block of cubes squeezed into a pyramid without its top: every layer is `q` times as wide and as high as
 * the one before it, so that cells keep their shape while their size grows. Half of all vertices lie in the last
 * thirtieth of the length. Where wedges meet, points of many tiny cells stick in single large ones: what search
 * structures with one cell size do badly at. The wedges keep their size and shape; the scale changes how finely they
 * are cut. */
#include "scenes/elementary_functions.h"
#include "scenes/scene_table.h"
#include "swarm.h"

enum { GRADED_GRADING = SWARM_PARAMETER_COUNT, GRADED_PARAMETER_COUNT };
enum { WEDGES = 24 };

static const double wedge_width = 4, wedge_length = 4.2; /* cells at the wide end are about 1 in size at scale 1 */

static const dent_scene_parameter_info parameters[GRADED_PARAMETER_COUNT] = {
    {"inside", "share of all vertices that lie inside a cell", 0.075, 0, 0.8},
    {"amplitude", "height of the waves, times the usual one; above about 5 cells may invert", 1, 0, 20},
    {"grading", "size of the largest cells over that of the smallest", 1000, 1, 1000000},
};

static double integer_power(double base, uint32_t exponent)
{
    double power = 1;
    for (uint32_t i = 0; i < exponent; i++) {
        power *= base;
    }
    return power;
}

/* The q with q^layers = grading, by halving: no function of the C library, the same bits everywhere. */
static double growth_of_a_layer(double grading, uint32_t layers)
{
    double low = 1, high = grading;
    for (int step = 0; step < 100; step++) {
        double middle = 0.5 * (low + high);
        if (integer_power(middle, layers) < grading) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return high;
}

/* From the lattice of the block: plane k at a height that is a geometric sum, its width a geometric sequence. */
static void shape_wedge(const dent_scene *scene, const struct swarm_def *def, struct scene_mesh *mesh)
{
    uint32_t layers = def->cubes[2];
    uint32_t plane_size = (def->cubes[0] + 1) * (def->cubes[1] + 1);
    double q = growth_of_a_layer(scene->parameters[GRADED_GRADING], layers);
    double whole = 0, power = 1;
    for (uint32_t k = 0; k < layers; k++) {
        whole += power;
        power *= q;
    }
    double below = 0, widest = power;
    power = 1;
    for (uint32_t k = 0; k <= layers; k++) {
        double width = power / widest;
        double height = (below / whole - 0.5) * wedge_length;
        for (size_t v = (size_t)k * plane_size; v < ((size_t)k + 1) * plane_size; v++) {
            mesh->reference[3 * v] *= width;
            mesh->reference[3 * v + 1] *= width;
            mesh->reference[3 * v + 2] = height;
        }
        below += power;
        power *= q;
    }
}

static dent_status build(dent_scene *scene)
{
    double finer = scene_cube_root(scene->scale);
    double across = 4 * finer, along = 30 * finer;
    dent_status status = scene_check_size(scene, WEDGES, across * across * along, 5 * across * across * along);
    if (status != DENT_OK) {
        return status;
    }
    uint32_t count = scene_round(across, 1);
    struct swarm_def def = {
        .body_name = "wedge",
        .body_count = WEDGES,
        .cubes = {count, count, scene_round(along, 2)},
        .edge = wedge_width / count,
        .seed = 14,
        .turn = 6,
        .drift = 0.15,
        .wave = {0.2, 0.2, 0.2},
        .wave_number = {1, 1, 1},
        .shape = shape_wedge,
        .extent = {wedge_width, wedge_width, wedge_length},
    };
    return swarm_build(scene, &def);
}

const struct scene_row scene_graded = {
    .info =
        {
            .name = "graded",
            .summary = "24 wedges with cells a thousand times larger at one end than at the other",
            .frame_count = SWARM_FRAMES,
            .benchmark_frames = SWARM_BENCHMARK_FRAMES,
            .parameter_count = GRADED_PARAMETER_COUNT,
            .parameters = parameters,
        },
    .build = build,
    .pose = swarm_pose,
};
