/* peg: a peg on its way into a hole, for haptics at 1 kHz: a frame is a millisecond.
 *
 * Two closed surfaces of revolution: a block with a hole, chamfered at its mouth, and a peg with a rounded foot, a
 * little thinner than the hole. The hand that holds the peg brings it down off the axis and askew, searches for the
 * hole in a spiral, tilts it upright and pushes it in until it stands on the ground, which a stiff hand does not
 * notice: there is overlap at the rim, at the wall and at the foot, as a simulator of touch meets it. Then it is pulled
 * out the same way. */
#include "scenes/elementary_functions.h"
#include "scenes/scene_table.h"

#include <math.h>

enum { FRAMES = 2000, CLEARANCE = 0, TILT, STRAY, PARAMETER_COUNT };

static const dent_scene_parameter_info parameters[PARAMETER_COUNT] = {
    {"clearance", "radius of the hole less that of the peg (1/2), lengths", 0.02, 0.0001, 0.4},
    {"tilt", "how far the peg is tilted at first, degrees", 6, 0, 30},
    {"stray", "how far off the axis the hand comes down, lengths", 0.15, 0, 0.5},
};

/* A ring of `around` vertices at radius r and height z. */
static void place_ring(double *positions, uint32_t around, double r, double z)
{
    for (uint32_t i = 0; i < around; i++) {
        struct scene_sine_cosine turn = scene_sine_cosine(2 * SCENE_PI * i / around);
        positions[3 * i] = r * turn.cosine;
        positions[3 * i + 1] = r * turn.sine;
        positions[3 * i + 2] = z;
    }
}

static void put_triangle(uint32_t **next, uint32_t a, uint32_t b, uint32_t c)
{
    *(*next)++ = a;
    *(*next)++ = b;
    *(*next)++ = c;
}

/* The point at `share` of the length of a polyline. */
static void along_profile(const double (*profile)[2], int count, double share, double point[2])
{
    double total = 0, passed = 0;
    for (int i = 0; i + 1 < count; i++) {
        double r = profile[i + 1][0] - profile[i][0], z = profile[i + 1][1] - profile[i][1];
        total += sqrt(r * r + z * z);
    }
    for (int i = 0; i + 1 < count; i++) {
        double r = profile[i + 1][0] - profile[i][0], z = profile[i + 1][1] - profile[i][1];
        double length = sqrt(r * r + z * z), part = (share * total - passed) / length;
        if (part <= 1 || i + 2 == count) {
            point[0] = profile[i][0] + part * r;
            point[1] = profile[i][1] + part * z;
            return;
        }
        passed += length;
    }
}

/* Around the axis and around its cross-section: a ring of rings. Outward: up on the outside, inward on top, down in the
 * hole. */
static dent_status make_block(dent_scene *scene, uint32_t around, uint32_t rings)
{
    struct scene_mesh *mesh = &scene->meshes[0];
    double hole = 0.5 + scene->parameters[CLEARANCE], ground = -0.8;
    const double profile[][2] = {{1.2, -1},      {1.2, 0},      {hole + 0.06, 0}, {hole, -0.06},
                                 {hole, ground}, {0.1, ground}, {0.1, -1},        {1.2, -1}};
    dent_status status = scene_mesh_allocate(scene->context, mesh, around * rings, 2 * around * rings, 3);
    if (status != DENT_OK) {
        return status;
    }
    uint32_t *next = mesh->corners;
    for (uint32_t ring = 0; ring < rings; ring++) {
        double point[2];
        along_profile(profile, 8, (double)ring / rings, point);
        place_ring(mesh->reference + 3 * (size_t)ring * around, around, point[0], point[1]);
        uint32_t low = ring * around, high = (ring + 1) % rings * around;
        for (uint32_t i = 0; i < around; i++) {
            uint32_t j = (i + 1) % around;
            put_triangle(&next, low + i, low + j, high + j);
            put_triangle(&next, low + i, high + j, high + i);
        }
    }
    return DENT_OK;
}

/* Foot at z = 0, rounded; head at z = 1.2. */
static dent_status make_peg(dent_scene *scene, uint32_t around, uint32_t rings)
{
    struct scene_mesh *mesh = &scene->meshes[1];
    const double profile[][2] = {{0, 0}, {0.44, 0}, {0.48, 0.02}, {0.5, 0.06}, {0.5, 1.2}, {0, 1.2}};
    dent_status status = scene_mesh_allocate(scene->context, mesh, around * rings + 2, 2 * around * rings, 3);
    if (status != DENT_OK) {
        return status;
    }
    uint32_t *next = mesh->corners, top = around * rings + 1;
    place_ring(mesh->reference, 1, 0, 0);
    place_ring(mesh->reference + 3 * (size_t)top, 1, 0, 1.2);
    for (uint32_t ring = 0; ring < rings; ring++) {
        double point[2];
        along_profile(profile, 6, (ring + 1.0) / (rings + 1.0), point);
        place_ring(mesh->reference + 3 * (1 + (size_t)ring * around), around, point[0], point[1]);
        uint32_t low = 1 + ring * around, high = low + around;
        for (uint32_t i = 0; i < around; i++) {
            uint32_t j = (i + 1) % around;
            if (ring == 0) {
                put_triangle(&next, 0, low + j, low + i);
            }
            if (ring + 1 == rings) {
                put_triangle(&next, low + i, low + j, top);
            } else {
                put_triangle(&next, low + i, low + j, high + j);
                put_triangle(&next, low + i, high + j, high + i);
            }
        }
    }
    return DENT_OK;
}

static dent_status build(dent_scene *scene)
{
    double fine = sqrt(scene->scale);
    dent_status status =
        scene_check_size(scene, 2, (200 * fine + 8) * (100 * fine + 16), 2 * (200 * fine + 8) * (100 * fine + 16));
    if (status == DENT_OK) {
        status = scene_reserve(scene, 2, 2);
    }
    if (status == DENT_OK) {
        status = make_block(scene, scene_round(200 * fine, 6), scene_round(100 * fine, 14));
    }
    if (status == DENT_OK) {
        status = make_peg(scene, scene_round(200 * fine, 6), scene_round(50 * fine, 6));
    }
    if (status == DENT_OK) {
        scene_add_body(scene, "block", -1, &scene->meshes[0]);
        scene_add_body(scene, "peg", -1, &scene->meshes[1]);
    }
    return status;
}

/* Where the hand holds the foot of the peg, and how far it is tilted about the y axis (radians). */
static void hand_at(const dent_scene *scene, uint32_t frame, double foot[3], double *tilt)
{
    double time = 0.5 - 0.5 * scene_cosine(2 * SCENE_PI * (frame % FRAMES) / FRAMES); /* in, and out again */
    double searching = 1 - scene_smooth_step(0.15, 0.5, time), pushing = scene_smooth_step(0.45, 0.95, time);
    struct scene_sine_cosine turn = scene_sine_cosine(2 * SCENE_PI * 4 * time);
    double stray = scene->parameters[STRAY] * searching + 1.2 * scene->parameters[CLEARANCE];
    foot[0] = stray * turn.cosine;
    foot[1] = stray * turn.sine;
    foot[2] = 0.25 * (1 - scene_smooth_step(0, 0.15, time)) - 0.08 - 0.735 * pushing;
    *tilt = scene->parameters[TILT] * SCENE_PI / 180 * (1 - scene_smooth_step(0.4, 0.9, time));
}

static void pose(const dent_scene *scene, uint32_t body, uint32_t frame, double *positions)
{
    const struct scene_mesh *mesh = &scene->meshes[body];
    double foot[3] = {0}, tilt = 0;
    if (body == 1) {
        hand_at(scene, frame, foot, &tilt);
    }
    struct scene_sine_cosine turn = scene_sine_cosine(tilt);
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        const double *p = mesh->reference + 3 * v;
        positions[3 * v] = (p[0] * turn.cosine + p[2] * turn.sine) + foot[0];
        positions[3 * v + 1] = p[1] + foot[1];
        positions[3 * v + 2] = (p[2] * turn.cosine - p[0] * turn.sine) + foot[2];
    }
}

const struct scene_row scene_peg = {
    .info =
        {
            .name = "peg",
            .summary = "a peg held by a hand on its way into a hole, a frame a millisecond (haptics)",
            .frame_count = FRAMES,
            .benchmark_frames = FRAMES,
            .parameter_count = PARAMETER_COUNT,
            .parameters = parameters,
        },
    .build = build,
    .pose = pose,
};
