/* Scenes of strands: strands-1m and strands-1m-sparse (a patch of scalp, for races), head, ponytail, fibre-clump and
 * strand-curtain.
 *
 * Strands are drawn once as polylines of 32 segments of equal length: each scene says where a strand begins and in which
 * direction its next segment goes. Their motion is prescribed: a wave that runs along the strands, or a swing in which
 * tips follow their roots late. Positions of a frame are a function of the drawn shape and the number of the frame.
 */
#include <math.h>

#include "scenes/elementary_functions.h"
#include "scenes/mesher/mesh_blocks.h"
#include "scenes/scene_table.h"

enum { FRAMES = 500, BENCHMARK_FRAMES = 40, SEGMENTS = 32, NODES = SEGMENTS + 1 };

enum { RADIUS, PARAMETER_COUNT };

/* A strand while it is drawn. */
struct drawing {
    dent_random random;
    uint32_t strand, count;
    double root[3], lean[2], curl;
};

typedef void draw_root(struct drawing *drawing);
typedef void draw_direction(struct drawing *drawing, uint32_t segment, const double at[3], double direction[3]);

static double between(struct drawing *drawing, double lo, double hi)
{
    return lo + (hi - lo) * dent_random_unit(&drawing->random);
}

static dent_status draw_strands(dent_scene *scene, uint32_t mesh_index, uint32_t count, uint64_t seed, double length,
                                draw_root *root, draw_direction *direct)
{
    struct scene_mesh *mesh = &scene->meshes[mesh_index];
    dent_status status = scene_mesh_allocate_strands(scene->context, mesh, count, NODES);
    struct drawing drawing = {.random = dent_random_seeded(seed), .count = count};
    for (uint32_t strand = 0; status == DENT_OK && strand < count; strand++) {
        double *at = mesh->reference + 3 * (size_t)NODES * strand;
        drawing.strand = strand;
        root(&drawing);
        for (int axis = 0; axis < 3; axis++) {
            at[axis] = drawing.root[axis];
        }
        for (uint32_t segment = 0; segment < SEGMENTS; segment++, at += 3) {
            double direction[3];
            direct(&drawing, segment, at, direction);
            double size = sqrt((direction[0] * direction[0] + direction[1] * direction[1]) + direction[2] * direction[2]);
            for (int axis = 0; axis < 3; axis++) {
                at[3 + axis] = at[axis] + length / SEGMENTS * direction[axis] / size;
            }
        }
    }
    return status;
}

static void add_strands(dent_scene *scene, const char *name, uint32_t mesh_index)
{
    scene_add_body(scene, name, -1, &scene->meshes[mesh_index]);
    scene->bodies[scene->body_count - 1].thickness = scene->parameters[RADIUS];
}

/* ---- a patch of scalp ---------------------------------------------------------------------------------------------- */

/* In units of a segment: roots 0.4 apart, in rows that turn at their ends, so that neighbours are near in number. */
static void patch_root(struct drawing *drawing)
{
    uint32_t row_length = scene_round(sqrt(drawing->count), 1), row = drawing->strand / row_length,
             column = drawing->strand % row_length;
    drawing->root[0] = 0.4 * (row % 2 ? row_length - 1 - column : column) + between(drawing, 0, 0.3);
    drawing->root[1] = 0.4 * row + between(drawing, 0, 0.3);
    drawing->root[2] = 0;
    drawing->lean[0] = between(drawing, -0.4, 0.4);
    drawing->lean[1] = between(drawing, -0.4, 0.4);
}

static void patch_direction(struct drawing *drawing, uint32_t segment, const double at[3], double direction[3])
{
    (void)segment;
    direction[0] = drawing->lean[0] + 0.8 * scene_sine(0.05 * at[1]) + between(drawing, -0.25, 0.25);
    direction[1] = drawing->lean[1] + 0.8 * scene_cosine(0.04 * at[0]) + between(drawing, -0.25, 0.25);
    direction[2] = 0.8;
}

static dent_status build_patch(dent_scene *scene)
{
    uint32_t count = scene_round(31250 * scene->scale, 1);
    dent_status status = scene_check_size(scene, 1, (double)NODES * count, (double)SEGMENTS * count);
    status = status == DENT_OK ? scene_reserve(scene, 1, 1) : status;
    status = status == DENT_OK ? draw_strands(scene, 0, count, 1, SEGMENTS, patch_root, patch_direction) : status;
    if (status == DENT_OK) {
        add_strands(scene, "hair", 0);
    }
    return status;
}

/* Every vertex moves by about 0.3 segments from frame to frame, against its neighbours. */
static void pose_patch(const dent_scene *scene, uint32_t body, uint32_t frame, double *positions)
{
    const struct scene_mesh *mesh = &scene->meshes[body];
    double time = 2 * SCENE_PI * (frame % FRAMES) / FRAMES;
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        const double *p = mesh->reference + 3 * v;
        double height = p[2] / SEGMENTS, strand = (double)(v / NODES % 1000);
        positions[3 * v] = p[0] + height * scene_sine(20 * time + 0.3 * p[2] + 1.7 * strand);
        positions[3 * v + 1] = p[1] + height * scene_cosine(25 * time + 0.2 * p[2] + 2.3 * strand);
        positions[3 * v + 2] = p[2] + 0.3 * height * scene_sine(15 * time + 0.1 * p[0]);
    }
}

/* ---- heads ---------------------------------------------------------------------------------------------------------- */

static const double head_size = 0.09; /* metres */

/* Roots on the upper part of a ball, one turn of the golden angle after the other. */
static void head_root(struct drawing *drawing)
{
    double height = 1 - 1.1 * (drawing->strand + 0.5) / drawing->count, across = sqrt(1 - height * height);
    double turns = 0.61803398874989485 * drawing->strand, angle = 2 * SCENE_PI * (turns - floor(turns));
    struct scene_sine_cosine around = scene_sine_cosine(angle);
    drawing->root[0] = 1.01 * head_size * across * around.cosine;
    drawing->root[1] = 1.01 * head_size * across * around.sine;
    drawing->root[2] = 1.01 * head_size * height;
    drawing->curl = between(drawing, 0, 2 * SCENE_PI);
}

/* Away from the head first, down later, in curls. */
static void head_direction(struct drawing *drawing, uint32_t segment, const double at[3], double direction[3])
{
    double fall = (double)segment / SEGMENTS, size = sqrt((at[0] * at[0] + at[1] * at[1]) + at[2] * at[2]);
    for (int axis = 0; axis < 3; axis++) {
        direction[axis] = (1.2 - fall) * at[axis] / size;
    }
    direction[0] += 0.4 * fall * scene_cosine(drawing->curl + 0.6 * segment);
    direction[1] += 0.4 * fall * scene_sine(drawing->curl + 0.6 * segment);
    direction[2] -= 1.2 * fall;
}

/* All through a band behind the head, then down. */
static void tail_direction(struct drawing *drawing, uint32_t segment, const double at[3], double direction[3])
{
    const double band[3] = {-1.3 * head_size, 0, 0.6 * head_size};
    double along = (double)segment / SEGMENTS, size = sqrt((at[0] * at[0] + at[1] * at[1]) + at[2] * at[2]);
    double to_band = along < 0.5 ? 1 : 0, outward = size < 1.15 * head_size ? 1.5 : 0;
    for (int axis = 0; axis < 3; axis++) {
        direction[axis] = to_band * (band[axis] - at[axis]) / head_size + outward * at[axis] / size;
    }
    direction[0] += 0.15 * scene_cosine(drawing->curl) - (along < 0.5 ? 0 : 0.1);
    direction[1] += 0.15 * scene_sine(drawing->curl);
    direction[2] -= along < 0.5 ? 0 : 1;
}

static dent_status build_head_with(dent_scene *scene, double strands, draw_direction *direct)
{
    uint32_t count = scene_round(strands * scene->scale, 1);
    dent_status status = scene_check_size(scene, 1, (double)NODES * count, (double)SEGMENTS * count);
    status = status == DENT_OK ? scene_reserve(scene, 2, 2) : status;
    status = status == DENT_OK ? mesh_ball_create(scene->context, 24, head_size, &scene->meshes[0]) : status;
    status = status == DENT_OK ? draw_strands(scene, 1, count, 2, 0.2, head_root, direct) : status;
    if (status == DENT_OK) {
        scene_add_body(scene, "head", -1, &scene->meshes[0]);
        add_strands(scene, "hair", 1);
    }
    return status;
}

static dent_status build_head(dent_scene *scene)
{
    return build_head_with(scene, 2000, head_direction);
}

static dent_status build_ponytail(dent_scene *scene)
{
    return build_head_with(scene, 1000, tail_direction);
}

/* The head turns left and right once in 25 frames; hair follows late by its distance from the root. */
static void pose_shaking(const dent_scene *scene, uint32_t body, uint32_t frame, double *positions)
{
    const struct scene_mesh *mesh = &scene->meshes[body];
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        const double *p = mesh->reference + 3 * v;
        double late = body == 0 ? 0 : (double)(v % NODES) / SEGMENTS;
        double angle = 0.4 * scene_sine(2 * SCENE_PI * (frame % FRAMES / 25.0 - 0.35 * late));
        struct scene_sine_cosine turn = scene_sine_cosine(angle);
        positions[3 * v] = turn.cosine * p[0] - turn.sine * p[1];
        positions[3 * v + 1] = turn.sine * p[0] + turn.cosine * p[1];
        positions[3 * v + 2] = p[2];
    }
}

/* ---- fibres on a plane ---------------------------------------------------------------------------------------------- */

static void clump_root(struct drawing *drawing)
{
    double side = 0.004 * sqrt(drawing->count);
    drawing->root[0] = between(drawing, 0, 0.05);
    drawing->root[1] = between(drawing, -side, side);
    drawing->root[2] = between(drawing, 0.002, 0.002 + side);
}

static void clump_direction(struct drawing *drawing, uint32_t segment, const double at[3], double direction[3])
{
    (void)segment;
    direction[0] = 1;
    direction[1] = between(drawing, -0.3, 0.3) - 2 * at[1];
    direction[2] = between(drawing, -0.1, 0.1) + (at[2] < 0.004 ? 0.2 : -0.05);
}

static dent_status build_clump(dent_scene *scene)
{
    uint32_t count = scene_round(200 * scene->scale, 1);
    dent_status status = scene_check_size(scene, 1, (double)NODES * count, (double)SEGMENTS * count);
    status = status == DENT_OK ? scene_reserve(scene, 2, 2) : status;
    status = status == DENT_OK ? mesh_sheet_create(scene->context, 16, &scene->meshes[0]) : status;
    status = status == DENT_OK ? draw_strands(scene, 1, count, 3, 0.2, clump_root, clump_direction) : status;
    if (status == DENT_OK) {
        scene_add_body(scene, "plane", -1, &scene->meshes[0]);
        add_strands(scene, "fibres", 1);
    }
    return status;
}

/* The clump slides along the fibres and back, on a sheet of 80 cm. */
static void pose_clump(const dent_scene *scene, uint32_t body, uint32_t frame, double *positions)
{
    const struct scene_mesh *mesh = &scene->meshes[body];
    double time = 2 * SCENE_PI * (frame % FRAMES) / FRAMES, way = 0.1 - 0.1 * scene_cosine(time);
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        const double *p = mesh->reference + 3 * v;
        positions[3 * v] = body == 0 ? 0.8 * p[0] + 0.2 : p[0] + way + 0.0005 * scene_sine(50 * time + (double)(v % 1000));
        positions[3 * v + 1] = body == 0 ? 0.8 * p[1] : p[1];
        positions[3 * v + 2] = body == 0 ? 0 : p[2];
    }
}

/* ---- curtains ------------------------------------------------------------------------------------------------------- */

static void curtain_root(struct drawing *drawing)
{
    drawing->root[0] = 0.01 * drawing->strand;
    drawing->root[1] = between(drawing, -0.002, 0.002);
    drawing->root[2] = 1;
}

static void curtain_direction(struct drawing *drawing, uint32_t segment, const double at[3], double direction[3])
{
    (void)segment;
    (void)at;
    direction[0] = between(drawing, -0.15, 0.15);
    direction[1] = between(drawing, -0.15, 0.15);
    direction[2] = -1;
}

static dent_status build_curtain(dent_scene *scene)
{
    uint32_t count = scene_round(100 * scene->scale, 1);
    dent_status status = scene_check_size(scene, 2, (double)NODES * count, (double)SEGMENTS * count);
    status = status == DENT_OK ? scene_reserve(scene, 2, 2) : status;
    for (uint32_t i = 0; status == DENT_OK && i < 2; i++) {
        status = draw_strands(scene, i, count, 4 + i, 1, curtain_root, curtain_direction);
    }
    for (uint32_t i = 0; status == DENT_OK && i < 2; i++) {
        add_strands(scene, i == 0 ? "hanging" : "swinging", i);
    }
    return status;
}

static void pose_curtain(const dent_scene *scene, uint32_t body, uint32_t frame, double *positions)
{
    const struct scene_mesh *mesh = &scene->meshes[body];
    struct scene_sine_cosine swing = scene_sine_cosine(body == 0 ? 0 : 0.5 * scene_sine(2 * SCENE_PI * (frame % FRAMES) / 100.0));
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        const double *p = mesh->reference + 3 * v;
        double y = p[1] + 0.004 * body, z = p[2] - 1;
        positions[3 * v] = p[0] + 0.003 * body;
        positions[3 * v + 1] = swing.cosine * y - swing.sine * z;
        positions[3 * v + 2] = 1 + swing.sine * y + swing.cosine * z;
    }
}

/* ---- rows ----------------------------------------------------------------------------------------------------------- */

#define RADIUS_OF(unit, value)                                                                                         \
    {                                                                                                                  \
        {"radius", "of the strands, " unit, value, 0, 1e3},                                                            \
    }
static const dent_scene_parameter_info dense_parameters[PARAMETER_COUNT] = RADIUS_OF("segments", 0.205);
static const dent_scene_parameter_info sparse_parameters[PARAMETER_COUNT] = RADIUS_OF("segments", 0.035);
static const dent_scene_parameter_info head_parameters[PARAMETER_COUNT] = RADIUS_OF("metres", 0.0004);
static const dent_scene_parameter_info clump_parameters[PARAMETER_COUNT] = RADIUS_OF("metres", 0.001);
static const dent_scene_parameter_info curtain_parameters[PARAMETER_COUNT] = RADIUS_OF("metres", 0.001);

#define STRAND_ROW(row_name, row_summary, row_parameters, row_build, row_pose)                                         \
    {                                                                                                                  \
        .info =                                                                                                        \
            {                                                                                                          \
                .name = row_name,                                                                                      \
                .summary = row_summary,                                                                                \
                .frame_count = FRAMES,                                                                                 \
                .benchmark_frames = BENCHMARK_FRAMES,                                                                  \
                .parameter_count = PARAMETER_COUNT,                                                                    \
                .parameters = row_parameters,                                                                          \
            },                                                                                                         \
        .build = row_build, .pose = row_pose,                                                                          \
    }

const struct scene_row scene_strands_1m =
    STRAND_ROW("strands-1m", "31,250 strands of 32 segments on a patch, about five near pairs a segment",
               dense_parameters, build_patch, pose_patch);
const struct scene_row scene_strands_1m_sparse = STRAND_ROW(
    "strands-1m-sparse", "the same with thin strands: few near pairs", sparse_parameters, build_patch, pose_patch);
const struct scene_row scene_head =
    STRAND_ROW("head", "a ball with 2,000 strands of 32 segments, shaken", head_parameters, build_head, pose_shaking);
const struct scene_row scene_ponytail = STRAND_ROW("ponytail", "1,000 strands through a band behind a ball, shaken",
                                                   head_parameters, build_ponytail, pose_shaking);
const struct scene_row scene_fibre_clump =
    STRAND_ROW("fibre-clump", "200 fibres that slide on a plane", clump_parameters, build_clump, pose_clump);
const struct scene_row scene_strand_curtain = STRAND_ROW(
    "strand-curtain", "a curtain of 100 strands swings through another", curtain_parameters, build_curtain, pose_curtain);
