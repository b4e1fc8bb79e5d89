/* v-self: the BucketTree article's second experiment, one V-shaped strip whose legs swing through each other. */
#include "scenes/elementary_functions.h"
#include "scenes/scene_table.h"
#include "scenes/mesher/v_shape.h"

enum { FRAMES = 100 };

enum { ANGLE = V_SIZE_PARAMETERS, SWING, PARAMETER_COUNT };

static const dent_scene_parameter_info parameters[PARAMETER_COUNT] = {
    V_SHAPE_SIZE_PARAMETERS,
    {"angle", "half the angle between the legs in the middle of the swing, radians; below 0 the legs cross", 0, -1,
     1.5},
    {"swing", "amplitude of half the angle, radians; 0: the legs stand still", 0.3, 0, 0.5},
};

static dent_status build(dent_scene *scene)
{
    dent_status status = v_shape_build(scene, 1);
    if (status == DENT_OK) {
        scene_add_body(scene, "V", -1, &scene->meshes[0]);
    }
    return status;
}

static void pose(const dent_scene *scene, uint32_t body, uint32_t frame, double *positions)
{
    (void)body;
    double time = 2 * SCENE_PI * (frame % FRAMES) / FRAMES;
    double half_angle = scene->parameters[ANGLE] + scene->parameters[SWING] * scene_cosine(time);
    v_shape_bend(scene, half_angle, positions);
    /* The legs are also twisted against each other, or they would meet in exact mirror symmetry. */
    uint32_t vertex_count = scene->meshes[0].vertex_count;
    double per_length = 0.1 / scene->parameters[V_LEG];
    for (size_t v = 0; v < vertex_count; v++) {
        double twist = per_length * scene->meshes[0].reference[3 * v];
        struct scene_sine_cosine turn = scene_sine_cosine(twist);
        double x = positions[3 * v], z = positions[3 * v + 2];
        positions[3 * v] = x * turn.cosine + z * turn.sine;
        positions[3 * v + 2] = z * turn.cosine - x * turn.sine + 3 * twist;
    }
}

const struct scene_row scene_v_self = {
    .info =
        {
            .name = "v-self",
            .summary = "one V-shaped strip whose legs swing through each other (BucketTree article)",
            .frame_count = FRAMES,
            .benchmark_frames = FRAMES,
            .parameter_count = PARAMETER_COUNT,
            .parameters = parameters,
        },
    .build = build,
    .pose = pose,
};
