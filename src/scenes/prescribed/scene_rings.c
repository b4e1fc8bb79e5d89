/* rings: two interlocking rings, one of which is pulled out of the other in one step.
 *
 * The rings are linked like those of a chain without touching; a step later they are apart, turned. In neither frame do
 * they touch, yet the way from one to the other must cross. Frames 0, 4, 8 are linked, the others apart: of four steps
 * the first and the last cross. */
#include "scenes/elementary_functions.h"
#include "scenes/scene_table.h"
#include "scenes/mesher/surface_parts.h"

#include <math.h>

enum { FRAMES = 12 };

enum { THICKNESS, TURN, PARAMETER_COUNT };

static const dent_scene_parameter_info parameters[PARAMETER_COUNT] = {
    {"thickness", "radius of the rings' wire; their own radius is 1", 0.12, 0.001, 0.3},
    {"turn", "of a step, degrees", 140, 0, 179},
};

struct ring_shape {
    uint32_t rings;
    double thickness;
};

/* About the z axis. */
static struct part_ring torus_ring(const void *data, uint32_t index)
{
    const struct ring_shape *shape = data;
    struct scene_sine_cosine turn = scene_sine_cosine(2 * SCENE_PI * index / shape->rings);
    const double centre[3] = {turn.cosine, turn.sine, 0}, forward[3] = {-turn.sine, turn.cosine, 0};
    return part_ring_at(centre, forward, centre, shape->thickness);
}

static dent_status build(dent_scene *scene)
{
    double rings = 48 * sqrt(scene->scale), around = 16 * sqrt(scene->scale);
    dent_status status = scene_check_size(scene, 2, (rings + 2) * (around + 2), 2 * (rings + 2) * (around + 2));
    if (status == DENT_OK) {
        status = scene_reserve(scene, 1, 2);
    }
    struct ring_shape shape = {.rings = scene_round(rings, 8), .thickness = scene->parameters[THICKNESS]};
    uint32_t points = scene_round(around, 4);
    if (status == DENT_OK) {
        status = scene_mesh_allocate(scene->context, &scene->meshes[0], part_tube_vertices(shape.rings, points, true),
                                     part_tube_triangles(shape.rings, points, true), 3);
        status = status == DENT_OK ? status : scene_out_of_memory(scene);
    }
    if (status == DENT_OK) {
        struct part_writer writer = {.mesh = &scene->meshes[0]};
        part_write_tube(&writer, torus_ring, &shape, shape.rings, points, true);
        scene_add_rigid_body(scene, "ring", 0, &scene->meshes[0]);
        scene_add_rigid_body(scene, "ring", 1, &scene->meshes[0]);
    }
    return status;
}

static dent_pose place(const dent_scene *scene, uint32_t body, uint32_t frame)
{
    if (body == 0) {
        return dent_pose_identity();
    }
    static const double apart[4][3] = {{1, 0, 0}, {2.7, 0.3, 0.2}, {2.9, 0.6, 1.5}, {2.6, -0.4, -0.3}};
    const double *at = apart[frame % 4];
    dent_pose upright = scene_rotated(0, 90, 0, 0, 0); /* across the first ring */
    dent_pose rotated = scene_rotated(1, scene->parameters[TURN] * (frame % 4), at[0], at[1], at[2]);
    return dent_pose_product(&rotated, &upright);
}

const struct scene_row scene_rings = {
    .info =
        {
            .name = "rings",
            .summary = "two interlocking rings pulled apart in one step without a frame that shows it (rigid)",
            .frame_count = FRAMES,
            .benchmark_frames = FRAMES,
            .parameter_count = PARAMETER_COUNT,
            .parameters = parameters,
        },
    .build = build,
    .pose = scene_pose_rigid,
    .place = place,
};
