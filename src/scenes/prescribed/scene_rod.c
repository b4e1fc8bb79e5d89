/* rod: a thin rod turns past a thin wall so fast that neither frame of a step shows it inside.
 *
 * The rod lies in the plane z = 0 and turns about z at its middle, back and forth by `turn` degrees a step, nearly
 * along the wall in every frame. From step to step its middle moves away from the wall, so the first steps hit the wall
 * and the later ones do not. Straight lines for the vertices would shrink the rod on its way and miss the wall too. */
#include "scenes/elementary_functions.h"
#include "scenes/scene_table.h"
#include "scenes/mesher/surface_parts.h"

#include <math.h>

enum { FRAMES = 12 };

enum { LENGTH, THICKNESS, GAP, TURN, PARAMETER_COUNT };

static const dent_scene_parameter_info parameters[PARAMETER_COUNT] = {
    {"length", "of the rod", 2, 0.1, 100},
    {"thickness", "of rod and wall", 0.02, 1e-6, 0.05},
    {"gap", "from the middle of the rod to the wall in the first frame", 0.6, 0.1, 100},
    {"turn", "of a step, degrees", 170, 1, 179},
};

static dent_status build_mesh(const dent_scene *scene, struct scene_mesh *mesh, const double low[3],
                              const double high[3], uint32_t across, uint32_t along)
{
    dent_status status = scene_mesh_allocate(scene->context, mesh, part_plate_vertices(across, along),
                                             part_plate_triangles(across, along), 3);
    if (status == DENT_OK) {
        struct part_writer writer = {.mesh = mesh};
        part_write_plate(&writer, low, high, across, along);
    }
    return status == DENT_OK ? DENT_OK : scene_out_of_memory(scene);
}

static dent_status build(dent_scene *scene)
{
    double segments = 40 * scene->scale, cells = 8 * sqrt(scene->scale);
    double length = scene->parameters[LENGTH], thick = scene->parameters[THICKNESS], side = 2 * length;
    dent_status status = scene_check_size(scene, 1, 4 * (segments + 2) + 2 * (cells + 2) * (cells + 2),
                                          8 * (segments + 2) + 4 * (cells + 3) * (cells + 3));
    if (status == DENT_OK) {
        status = scene_reserve(scene, 2, 2);
    }
    if (status == DENT_OK) {
        const double low[3] = {-length / 2, -thick / 2, -thick / 2}, high[3] = {length / 2, thick / 2, thick / 2};
        status = build_mesh(scene, &scene->meshes[0], low, high, scene_round(segments, 1), 1);
    }
    if (status == DENT_OK) {
        const double low[3] = {-side / 2, -side / 2, 0}, high[3] = {side / 2, side / 2, thick};
        uint32_t count = scene_round(cells, 1);
        status = build_mesh(scene, &scene->meshes[1], low, high, count, count);
    }
    if (status == DENT_OK) {
        scene_add_rigid_body(scene, "rod", -1, &scene->meshes[0]);
        scene_add_rigid_body(scene, "wall", -1, &scene->meshes[1]);
    }
    return status;
}

static dent_pose place(const dent_scene *scene, uint32_t body, uint32_t frame)
{
    frame %= FRAMES;
    if (body == 1) { /* its flat side towards the rod */
        return scene_rotated(1, 90, scene->parameters[GAP], 0, 0);
    }
    double half = scene->parameters[TURN] / 2;
    return scene_rotated(2, frame % 2 == 0 ? 180 - half : 180 + half, -0.04 * scene->parameters[LENGTH] * frame, 0, 0);
}

const struct scene_row scene_rod = {
    .info =
        {
            .name = "rod",
            .summary = "a thin rod spins past a thin wall: neither frame of a step shows the hit (rigid)",
            .frame_count = FRAMES,
            .benchmark_frames = FRAMES,
            .parameter_count = PARAMETER_COUNT,
            .parameters = parameters,
        },
    .build = build,
    .pose = scene_pose_rigid,
    .place = place,
};
