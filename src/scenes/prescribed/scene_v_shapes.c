/* v-shapes: the BucketTree article's first experiment, two V-shaped strips dragged through each other.
 *
 * The Vs stand mouth to mouth, their planes crossed; one is pulled through the other from just apart until their
 * bottoms have met, so the overlap grows from nothing to a lot, and back again. */
#include "scenes/elementary_functions.h"
#include "scenes/scene_table.h"
#include "scenes/mesher/v_shape.h"

enum { FRAMES = 100 };

enum { ANGLE = V_SIZE_PARAMETERS, PARAMETER_COUNT };

static const dent_scene_parameter_info parameters[PARAMETER_COUNT] = {
    V_SHAPE_SIZE_PARAMETERS,
    {"angle", "half the angle between the legs, radians", 0.25, 0, 1.5},
};

static dent_status build(dent_scene *scene)
{
    dent_status status = v_shape_build(scene, 2);
    for (int i = 0; i < 2 && status == DENT_OK; i++) {
        scene_add_body(scene, "V", i, &scene->meshes[0]);
    }
    return status;
}

static void pose(const dent_scene *scene, uint32_t body, uint32_t frame, double *positions)
{
    double time = 2 * SCENE_PI * (frame % FRAMES) / FRAMES;
    double thickness = scene->parameters[V_THICKNESS];
    double leg = scene->parameters[V_LEG];
    /* The legs of both breathe a little, out of step. */
    v_shape_bend(scene, scene->parameters[ANGLE] + 0.03 * scene_sine(2 * time + body), positions);
    if (body == 0) {
        return;
    }
    /* The second V hangs upside down, turned by a right angle about the axis, slightly off it and slightly askew. */
    double reach = leg + thickness;
    double from = 2 * reach, to = -0.5 * thickness;
    double height = from + (to - from) * (0.5 - 0.5 * scene_cosine(time));
    struct scene_sine_cosine askew = scene_sine_cosine(0.1);
    uint32_t vertex_count = scene->meshes[0].vertex_count;
    for (size_t v = 0; v < vertex_count; v++) {
        double x = positions[3 * v], y = positions[3 * v + 1], z = positions[3 * v + 2];
        positions[3 * v] = (z * askew.cosine + x * askew.sine) + 0.13 * thickness;
        positions[3 * v + 1] = height - y;
        positions[3 * v + 2] = (x * askew.cosine - z * askew.sine) + 0.21 * thickness;
    }
}

const struct scene_row scene_v_shapes = {
    .info =
        {
            .name = "v-shapes",
            .summary = "two V-shaped strips dragged through each other (BucketTree article)",
            .frame_count = FRAMES,
            .benchmark_frames = FRAMES,
            .parameter_count = PARAMETER_COUNT,
            .parameters = parameters,
        },
    .build = build,
    .pose = pose,
};
