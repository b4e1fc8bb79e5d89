/* piano: a grand piano must get through a door, the movers' problem. For `dent plan`.
 *
 * A linkage of two links: a room with a wall in the middle and a door in it, and the piano, which a free joint lets fly.
 * It is wider than the door, and with its legs higher than it is thick, so it must be tilted on its side and led through
 * legs first or last. The first frame has it in one half of the room, the second in the other, turned by a quarter. */
#include "scenes/mesher/surface_parts.h"
#include "scenes/scene_table.h"

#include <math.h>

enum { FRAMES = 2, LINKS = 2, ROOM_PLATES = 9, PIANO_PLATES = 5 };

enum { DOOR, PARAMETER_COUNT };

static const dent_scene_parameter_info parameters[PARAMETER_COUNT] = {
    {"door", "its width; the piano on its side is 0.75 wide", 1.4, 0.76, 3},
};

static uint32_t fineness(const dent_scene *scene)
{
    return scene_round(2 * sqrt(scene->scale), 1);
}

static dent_status build_room(dent_scene *scene)
{
    double half = scene->parameters[DOOR] / 2;
    const struct part_plate plates[ROOM_PLATES] = {
        {{-3.1, -2.1, -0.1}, {3.1, 2.1, 0}},      {{-3.1, -2.1, 2.6}, {3.1, 2.1, 2.7}},
        {{-3.1, -2.1, -0.05}, {-3, 2.1, 2.65}},   {{3, -2.1, -0.05}, {3.1, 2.1, 2.65}},
        {{-3.05, -2.1, -0.05}, {3.05, -2, 2.65}}, {{-3.05, 2, -0.05}, {3.05, 2.1, 2.65}},
        {{-0.08, -2.05, -0.05}, {0.08, -half, 2.65}}, {{-0.08, half, -0.05}, {0.08, 2.05, 2.65}},
        {{-0.07, -half - 0.05, 2.1}, {0.07, half + 0.05, 2.65}},
    };
    return part_add_plates(scene, 0, "room", plates, ROOM_PLATES, fineness(scene));
}

static dent_status build_piano(dent_scene *scene)
{
    static const struct part_plate plates[PIANO_PLATES] = {
        {{-0.75, -0.7, -0.15}, {0.75, 0.7, 0.15}},    {{-0.7, -0.85, -0.1}, {0.7, -0.65, 0}}, /* the keys */
        {{-0.7, -0.65, -0.6}, {-0.6, -0.55, -0.1}},   {{0.6, -0.65, -0.6}, {0.7, -0.55, -0.1}},
        {{-0.05, 0.5, -0.6}, {0.05, 0.6, -0.1}},
    };
    return part_add_plates(scene, 1, "piano", plates, PIANO_PLATES, fineness(scene));
}

static dent_status create_linkage(dent_scene *scene)
{
    static const char *const names[LINKS] = {"room", "piano"};
    dent_joint_def joint = dent_joint_def_default();
    joint.name = "movers";
    joint.kind = DENT_JOINT_FREE;
    joint.child = 1;
    dent_linkage_def def = dent_linkage_def_default();
    def.name = "piano";
    def.link_count = LINKS;
    def.link_names = names;
    def.joint_count = 1;
    def.joints = &joint;
    return dent_linkage_create(scene->context, &def, &scene->linkage);
}

static dent_status build(dent_scene *scene)
{
    double fine = 2 * sqrt(scene->scale) + 3;
    dent_status status = scene_check_size(scene, LINKS, ROOM_PLATES * 2 * fine * fine, ROOM_PLATES * 6 * fine * fine);
    status = status == DENT_OK ? scene_reserve(scene, LINKS, LINKS) : status;
    status = status == DENT_OK ? create_linkage(scene) : status;
    status = status == DENT_OK ? build_room(scene) : status;
    return status == DENT_OK ? build_piano(scene) : status;
}

static void joint_values(const dent_scene *scene, uint32_t frame, double *values)
{
    (void)scene;
    static const double ends[FRAMES][7] = {{-1.6, 0.2, 0.75, 1, 0, 0, 0}, {1.6, -0.2, 0.75, 0.5, 0, 0, 0.5}};
    for (int i = 0; i < 7; i++) {
        values[i] = ends[frame % FRAMES][i];
    }
}

/* There are no bodies but the links. */
static dent_pose place(const dent_scene *scene, uint32_t body, uint32_t frame)
{
    (void)scene;
    (void)body;
    (void)frame;
    return dent_pose_identity();
}

const struct scene_row scene_piano = {
    .info =
        {
            .name = "piano",
            .summary = "a grand piano on one side of a door and on the other (rigid; for dent plan)",
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
