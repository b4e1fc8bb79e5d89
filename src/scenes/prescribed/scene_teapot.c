/* teapot: a teapot thrown over another one, tumbling.
 *
 * Body with lid and knob by lathe, spout and handle as tubes: three closed surfaces in one body. The thrown one goes
 * from one side to the other and back, turning by `turn` degrees a step, and higher from step to step: the first steps
 * hit, the last pass. It is apart from the standing one in every frame. */
#include "scenes/elementary_functions.h"
#include "scenes/scene_table.h"
#include "scenes/mesher/surface_parts.h"

#include <math.h>

enum { FRAMES = 12 };

enum { TURN, RISE, PARAMETER_COUNT };

static const dent_scene_parameter_info parameters[PARAMETER_COUNT] = {
    {"turn", "of a step, degrees", 150, 0, 179},
    {"rise", "of the flight from one frame to the next", 0.35, 0, 10},
};

/* Height, unused, unused, radius. */
static const double profile[][4] = {
    {0, 0, 0, 0.55},    {0.02, 0, 0, 0.7},  {0.35, 0, 0, 0.95}, {0.75, 0, 0, 0.85}, {0.98, 0, 0, 0.55},
    {1.06, 0, 0, 0.42}, {1.16, 0, 0, 0.12}, {1.24, 0, 0, 0.1},  {1.32, 0, 0, 0.15}, {1.38, 0, 0, 0.06},
};
/* x, y, z, radius. */
static const double spout[][4] = {
    {0.72, 0, 0.35, 0.2}, {1.1, 0, 0.5, 0.17}, {1.3, 0, 0.85, 0.11}, {1.55, 0, 1.05, 0.08}};
static const double handle[][4] = {{-0.75, 0, 0.8, 0.07},
                                   {-1.15, 0, 0.9, 0.07},
                                   {-1.45, 0, 0.65, 0.07},
                                   {-1.2, 0, 0.35, 0.07},
                                   {-0.85, 0, 0.25, 0.07}};

struct curve_shape {
    const double (*points)[4];
    uint32_t count, rings;
};

static struct part_ring lathe_ring(const void *data, uint32_t index)
{
    const struct curve_shape *shape = data;
    double at[4], slope[4];
    part_curve(shape->points, shape->count, (double)index / (shape->rings - 1), at, slope);
    const double centre[3] = {0, 0, at[0]}, upward[3] = {0, 0, 1}, side[3] = {1, 0, 0};
    return part_ring_at(centre, upward, side, at[3]);
}

static struct part_ring tube_ring(const void *data, uint32_t index)
{
    const struct curve_shape *shape = data;
    double at[4], slope[4];
    part_curve(shape->points, shape->count, (double)index / (shape->rings - 1), at, slope);
    const double side[3] = {0, 1, 0}; /* the curves lie in the plane y = 0 */
    return part_ring_at(at, slope, side, at[3]);
}

#define CURVE(table, ring_count)                                                                                       \
    {                                                                                                                  \
        table, sizeof table / sizeof table[0], ring_count                                                              \
    }

static dent_status build(dent_scene *scene)
{
    double size = sqrt(scene->scale);
    double most = (40 * size + 8) * (32 * size + 8) * 2;
    dent_status status = scene_check_size(scene, 2, most, 2 * most);
    uint32_t around = scene_round(32 * size, 6), thin = scene_round(12 * size, 4), rings = scene_round(40 * size, 10);
    uint32_t short_rings = scene_round(20 * size, 4);
    const struct curve_shape body = CURVE(profile, rings),
                             tubes[2] = {CURVE(spout, short_rings), CURVE(handle, short_rings)};
    if (status == DENT_OK) {
        status = scene_reserve(scene, 1, 2);
    }
    if (status == DENT_OK) {
        uint32_t vertices = part_tube_vertices(rings, around, false) + 2 * part_tube_vertices(short_rings, thin, false);
        uint32_t triangles =
            part_tube_triangles(rings, around, false) + 2 * part_tube_triangles(short_rings, thin, false);
        status = scene_mesh_allocate(scene->context, &scene->meshes[0], vertices, triangles, 3);
        status = status == DENT_OK ? status : scene_out_of_memory(scene);
    }
    if (status == DENT_OK) {
        struct part_writer writer = {.mesh = &scene->meshes[0]};
        part_write_tube(&writer, lathe_ring, &body, rings, around, false);
        for (int i = 0; i < 2; i++) {
            part_write_tube(&writer, tube_ring, &tubes[i], short_rings, thin, false);
        }
        scene_add_rigid_body(scene, "teapot", 0, &scene->meshes[0]);
        scene_add_rigid_body(scene, "teapot", 1, &scene->meshes[0]);
    }
    return status;
}

static dent_pose place(const dent_scene *scene, uint32_t body, uint32_t frame)
{
    frame %= FRAMES;
    if (body == 0) {
        return dent_pose_identity();
    }
    double displacement = frame % 2 == 0 ? -3.6 : 3.6;
    dent_pose rotated =
        scene_rotated(1, scene->parameters[TURN] * frame, displacement, 0.2, scene->parameters[RISE] * frame);
    dent_pose tilted = scene_rotated(0, 25.0 * frame, 0, 0, 0);
    return dent_pose_product(&rotated, &tilted);
}

const struct scene_row scene_teapot = {
    .info =
        {
            .name = "teapot",
            .summary = "a teapot thrown over another one, tumbling, higher from step to step (rigid)",
            .frame_count = FRAMES,
            .benchmark_frames = FRAMES,
            .parameter_count = PARAMETER_COUNT,
            .parameters = parameters,
        },
    .build = build,
    .pose = scene_pose_rigid,
    .place = place,
};
