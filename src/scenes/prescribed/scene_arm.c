/* arm: a six-axis arm swings past a post.
 *
 * Seven links (a base and six moving ones) of round tubes, joints about z, y, y, z, y, z as industrial arms have them;
 * the post stands within reach. Joint values of a frame are smooth functions of its number with large steps, so that
 * the arm is on one side of the post in one frame and on the other in the next, and nothing touches in any of them.
 *
 * shelf: the same arm before a shelf of three boards, for `dent plan`. In the first frame its hand is in the lower
 * compartment, in the second in the upper one. */
#include "scenes/elementary_functions.h"
#include "scenes/scene_table.h"
#include "scenes/mesher/surface_parts.h"

#include <math.h>

enum { FRAMES = 24, LINKS = 7, JOINTS = 6 };

enum { DISTANCE, HEIGHT, PARAMETER_COUNT };

static const dent_scene_parameter_info parameters[PARAMETER_COUNT] = {
    {"distance", "of the post from the arm's first axis", 0.75, 0.3, 10},
    {"height", "of the post", 1.1, 0.1, 10},
};

/* A link: a tube from its own joint along a direction, with its length and radius; then the next joint. */
struct arm_link {
    double direction[3], side[3];
    double from, to, radius; /* along the direction */
    double next[3];          /* the next joint, in this link */
};

static const struct arm_link arm_links[LINKS] = {
    {{0, 0, 1}, {1, 0, 0}, 0, 0.2, 0.12, {0, 0, 0.24}},         /* base */
    {{0, 0, 1}, {1, 0, 0}, -0.02, 0.2, 0.09, {0, 0.16, 0.12}},  /* shoulder */
    {{0, 0, 1}, {1, 0, 0}, -0.08, 0.58, 0.06, {0, -0.12, 0.5}}, /* upper arm */
    {{0, 0, 1}, {1, 0, 0}, -0.06, 0.32, 0.045, {0, 0, 0.4}},    /* elbow and first half of the forearm */
    {{0, 0, 1}, {1, 0, 0}, -0.06, 0.1, 0.04, {0, 0.08, 0.06}},  /* second half, turns about itself */
    {{0, 0, 1}, {1, 0, 0}, -0.05, 0.1, 0.035, {0, 0, 0.13}},    /* wrist */
    {{0, 0, 1}, {1, 0, 0}, -0.01, 0.12, 0.03, {0, 0, 0}},       /* hand */
};
static const int joint_axes[JOINTS] = {2, 1, 1, 2, 1, 2};

struct tube_shape {
    const struct arm_link *link;
    double from, to, radius;
    uint32_t rings;
};

static struct part_ring tube_ring(const void *data, uint32_t index)
{
    const struct tube_shape *shape = data;
    static const double upward[3] = {0, 0, 1}, side[3] = {1, 0, 0};
    const double *direction = shape->link ? shape->link->direction : upward;
    double displacement = shape->from + (shape->to - shape->from) * index / (shape->rings - 1);
    const double centre[3] = {displacement * direction[0], displacement * direction[1], displacement * direction[2]};
    return part_ring_at(centre, direction, shape->link ? shape->link->side : side, shape->radius);
}

static dent_status create_linkage(dent_scene *scene)
{
    static const char *const names[LINKS] = {"base", "shoulder", "upper arm", "elbow", "forearm", "wrist", "hand"};
    dent_joint_def joints[JOINTS];
    for (uint32_t j = 0; j < JOINTS; j++) {
        joints[j] = dent_joint_def_default();
        joints[j].kind = DENT_JOINT_REVOLUTE;
        joints[j].parent = j;
        joints[j].child = j + 1;
        for (int k = 0; k < 3; k++) {
            joints[j].origin.translation[k] = arm_links[j].next[k];
            joints[j].axis[k] = k == joint_axes[j];
        }
    }
    dent_linkage_def def = dent_linkage_def_default();
    def.name = "arm";
    def.link_count = LINKS;
    def.link_names = names;
    def.joint_count = JOINTS;
    def.joints = joints;
    return dent_linkage_create(scene->context, &def, &scene->linkage);
}

static dent_status build_tube(dent_scene *scene, uint32_t index, struct tube_shape shape, uint32_t around)
{
    struct scene_mesh *mesh = &scene->meshes[index];
    dent_status status = scene_mesh_allocate(scene->context, mesh, part_tube_vertices(shape.rings, around, false),
                                             part_tube_triangles(shape.rings, around, false), 3);
    if (status != DENT_OK) {
        return scene_out_of_memory(scene);
    }
    struct part_writer writer = {.mesh = mesh};
    part_write_tube(&writer, tube_ring, &shape, shape.rings, around, false);
    const char *name = index < LINKS ? dent_linkage_link_name(scene->linkage, index) : "post";
    scene_add_rigid_body(scene, name, -1, mesh);
    return DENT_OK;
}

/* Boards, sides and back, one body. */
static dent_status build_shelf(dent_scene *scene, uint32_t index)
{
    enum { PLATES = 6 };
    static const struct part_plate plates[PLATES] = {
        {{0.74, -0.5, 0}, {1.3, 0.5, 0.03}},         {{0.74, -0.5, 0.42}, {1.3, 0.5, 0.45}},
        {{0.74, -0.5, 0.88}, {1.3, 0.5, 0.91}},      {{0.75, -0.5, -0.01}, {1.29, -0.47, 0.92}},
        {{0.75, 0.47, -0.01}, {1.29, 0.5, 0.92}},    {{1.27, -0.49, -0.02}, {1.3, 0.49, 0.93}},
    };
    return part_add_plates(scene, index, "shelf", plates, PLATES, scene_round(4 * sqrt(scene->scale), 1));
}

static dent_status build_arm(dent_scene *scene, bool with_shelf)
{
    double size = sqrt(scene->scale);
    dent_status status =
        scene_check_size(scene, LINKS + 1, (24 * size + 5) * (16 * size + 5), 2 * (24 * size + 5) * (16 * size + 5));
    if (status == DENT_OK) {
        status = scene_reserve(scene, LINKS + 1, LINKS + 1);
    }
    if (status == DENT_OK) {
        status = create_linkage(scene);
    }
    uint32_t rings = scene_round(12 * size, 2), around = scene_round(24 * size, 5);
    for (uint32_t i = 0; i < LINKS && status == DENT_OK; i++) {
        const struct arm_link *link = &arm_links[i];
        status = build_tube(scene, i, (struct tube_shape){link, link->from, link->to, link->radius, rings}, around);
    }
    if (status == DENT_OK && with_shelf) {
        status = build_shelf(scene, LINKS);
    } else if (status == DENT_OK) {
        struct tube_shape post = {NULL, 0, scene->parameters[HEIGHT], 0.05, rings};
        status = build_tube(scene, LINKS, post, around);
    }
    return status;
}

static dent_status build(dent_scene *scene)
{
    return build_arm(scene, false);
}

static dent_status build_with_shelf(dent_scene *scene)
{
    return build_arm(scene, true);
}

static void shelf_values(const dent_scene *scene, uint32_t frame, double *values)
{
    (void)scene;
    static const double ends[2][JOINTS] = {{-0.15, 1.5, 0.35, 0, 0, 0}, {-0.15, 1, 0.6, 0, 0, 0}};
    for (int i = 0; i < JOINTS; i++) {
        values[i] = ends[frame % 2][i];
    }
}

static dent_pose place_shelf(const dent_scene *scene, uint32_t body, uint32_t frame)
{
    (void)scene;
    (void)body;
    (void)frame;
    return dent_pose_identity();
}

static void joint_values(const dent_scene *scene, uint32_t frame, double *values)
{
    (void)scene;
    double time = 2 * SCENE_PI * (frame % FRAMES) / FRAMES;
    values[0] = (frame % 2 == 0 ? -0.9 : 0.9) + 0.2 * scene_sine(time);
    values[1] = 0.9 + 0.4 * scene_sine(time + 1);
    values[2] = 0.5 + 0.7 * scene_sine(2 * time);
    values[3] = 2.5 * scene_sine(3 * time);
    values[4] = 0.4 + 0.8 * scene_sine(time + 2);
    values[5] = 3 * scene_cosine(2 * time);
}

static dent_pose place(const dent_scene *scene, uint32_t body, uint32_t frame)
{
    (void)body;
    (void)frame;
    return scene_rotated(2, 0, scene->parameters[DISTANCE], 0, 0);
}

const struct scene_row scene_arm = {
    .info =
        {
            .name = "arm",
            .summary = "a six-axis arm swings past a post from one side to the other (rigid links)",
            .frame_count = FRAMES,
            .benchmark_frames = FRAMES,
            .parameter_count = PARAMETER_COUNT,
            .parameters = parameters,
        },
    .build = build,
    .pose = scene_pose_rigid,
    .place = place,
    .joint_values = joint_values,
};

const struct scene_row scene_shelf = {
    .info =
        {
            .name = "shelf",
            .summary = "a six-axis arm with its hand in one compartment of a shelf and in another (rigid; for dent plan)",
            .frame_count = 2,
            .benchmark_frames = 2,
        },
    .build = build_with_shelf,
    .pose = scene_pose_rigid,
    .place = place_shelf,
    .joint_values = shelf_values,
};
