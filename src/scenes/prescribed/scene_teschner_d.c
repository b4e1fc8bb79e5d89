/* teschner-d: set-up D of the spatial-hashing paper, two branching vessels (20,514 tetrahedra and 5,898 vertices
 * there).
 *
 * A vessel is a trunk that forks into two branches, each of which forks again, joined by smooth unions and meshed by
 * isosurface stuffing at a spacing that comes as near to the paper's counts as it can. The second vessel is the same
 * mesh, brought into the first from afar. Placement 1 is apart; smaller ones push the second vessel in and turn it
 * towards the first; the last stretch before 0 also folds the branches of both together, each fork by a shear that
 * keeps volumes. The scale changes how finely the vessels are cut. */
#include "scenes/elementary_functions.h"
#include "scenes/mesher/implicit_mesher.h"
#include "overlap_solver.h"
#include "scenes/scene_table.h"
#include "scenes/mesher/vessel_shape.h"

#include <math.h>

enum { FRAMES = 120, BENCHMARK_FRAMES = 40 };

enum { INSIDE, AMPLITUDE, PARAMETER_COUNT };

static const dent_scene_parameter_info parameters[PARAMETER_COUNT] = {
    {"inside", "share of all vertices that lie inside a cell", 0.075, 0, 0.8},
    {"amplitude", "height of the waves, times the usual one; above about 5 cells may invert", 1, 0, 20},
};

/* Thickness of the branches and spacing of the lattice, chosen together for the paper's number of cells and of
 * vertices. */
static const double thickness = 0.565, spacing_at_scale_1 = 0.551;
static const double coarsest_spacing = 1; /* coarser lattices lose the thinnest branches */

/* Where the trunk begins, forks, forks again and ends, along z; and how far the branches have gone apart there. */
static const double trunk_end = -8, first_fork = 0, second_fork = 8, branch_end = 16;
static const double first_spread = 4, last_spread = 6, second_spread = 4;

void vessel_describe(struct implicit_shape *shape)
{
    double trunk[3] = {0, 0, trunk_end}, fork[3] = {0, 0, first_fork};
    shape_cone(shape, trunk, 1.9 * thickness, fork, 1.7 * thickness);
    for (int side = -1; side <= 1; side += 2) {
        double middle[3] = {side * first_spread, 0, second_fork};
        shape_cone(shape, fork, 1.6 * thickness, middle, 1.35 * thickness);
        shape_union(shape, 0.8 * thickness);
        for (int branch = -1; branch <= 1; branch += 2) {
            double end[3] = {side * last_spread, branch * second_spread, branch_end};
            shape_cone(shape, middle, 1.3 * thickness, end, 1.05 * thickness);
            shape_union(shape, 0.6 * thickness);
        }
    }
}

static dent_status build(dent_scene *scene)
{
    struct implicit_shape shape = {0};
    vessel_describe(&shape);
    double spacing = spacing_at_scale_1 / scene_cube_root(scene->scale);
    struct mesher_def def = {
        .low = {-8, -6, -11},
        .high = {8, 6, 18},
        .spacing = spacing < coarsest_spacing ? spacing : coarsest_spacing,
        .shape = &shape,
    };
    /* About one lattice point in ten is inside, and a point has six cells. */
    dent_status status = scene_check_size(scene, 2, mesher_lattice_points(&def), mesher_lattice_points(&def));
    if (status == DENT_OK) {
        status = scene_reserve(scene, 1, 2);
    }
    if (status == DENT_OK) {
        status = implicit_mesh_create(scene->context, &def, &scene->meshes[0]);
    }
    if (status != DENT_OK) {
        return status;
    }
    scene_add_body(scene, "vessel", 0, &scene->meshes[0]);
    scene_add_body(scene, "vessel", 1, &scene->meshes[0]);
    return overlap_solve(scene, scene->parameters[INSIDE]);
}

/* How far the middle line of a branch is from the plane between the two sides of its fork, at height z. */
static double spread_of_first(double z)
{
    if (z <= first_fork) {
        return 0;
    }
    double to_fork = (z < second_fork ? z : second_fork) - first_fork;
    double beyond = z < second_fork ? 0 : z - second_fork;
    return first_spread * to_fork / (second_fork - first_fork) +
           (last_spread - first_spread) * beyond / (branch_end - second_fork);
}

static double spread_of_second(double z)
{
    return z <= second_fork ? 0 : second_spread * (z - second_fork) / (branch_end - second_fork);
}

/* Moves both sides of a fork towards its plane by up to `distance`; `width` keeps the crotch from being turned over. */
static double folded(double x, double distance, double width)
{
    return x - distance * x / sqrt(x * x + width * width);
}

static void pose(const dent_scene *scene, uint32_t body, uint32_t frame, double *positions)
{
    double time = 2 * SCENE_PI * (frame % FRAMES) / FRAMES;
    double placement = scene->placement;
    double fold = placement < 0.05 ? 1 - 20 * placement : 0;
    double height = 0.25 * scene->parameters[AMPLITUDE];
    /* Far apart the vessels wave out of step, close together almost alike. */
    double phase = time + (placement < 0.05 ? 0.2 + 46 * placement : 2.5) * body;
    double second = body == 1 ? placement : 0;
    struct scene_sine_cosine turn = scene_sine_cosine(2.2 * second + 0.04 * scene_sine(time));
    const struct scene_mesh *mesh = &scene->meshes[0];
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        double x = mesh->reference[3 * v], y = mesh->reference[3 * v + 1], z = mesh->reference[3 * v + 2];
        x = folded(x, fold * spread_of_first(z), 1.2);
        y = folded(y, fold * spread_of_second(z), 1.2);
        x += height * scene_sine(0.3 * z + phase);
        y += height * scene_sine(0.25 * z - phase);
        z += 0.5 * height * scene_sine(0.3 * x + 2 * phase);
        /* Turned about the x axis, then pushed in along a slanted line. */
        positions[3 * v] = x + (18 + 2 * height) * second;
        positions[3 * v + 1] = (y * turn.cosine - z * turn.sine) + 6 * second;
        positions[3 * v + 2] = (y * turn.sine + z * turn.cosine) + 10 * second;
    }
}

const struct scene_row scene_teschner_d = {
    .info =
        {
            .name = "teschner-d",
            .summary = "two branching vessels (set-up D of the spatial-hashing paper)",
            .frame_count = FRAMES,
            .benchmark_frames = BENCHMARK_FRAMES,
            .parameter_count = PARAMETER_COUNT,
            .parameters = parameters,
        },
    .build = build,
    .pose = pose,
};
