/* Scenes of points: cloud-spheres (the surfaces meet in a known circle), cloud-torus (a torus through a sphere),
 * cloud-sheets (two parallel sheets a few spacings apart) and cloud-scans (noisy scans of bumpy balls with holes).
 *
 * A sampled surface is a function from the unit square, with places drawn evenly: one turn of the golden angle after the
 * other, shaken by a share of the spacing. The second cloud moves away from the first and back, as a whole.
 */
#include <math.h>

#include "scenes/elementary_functions.h"
#include "scenes/scene_table.h"

enum { FRAMES = 100, BENCHMARK_FRAMES = 40, POINTS = 10000 };

/* Parameters: where the second cloud stands in frame 0, and noise along the normal. */
enum { PLACE, NOISE, PARAMETER_COUNT };

struct surface_point {
    double position[3], normal[3];
};

/* A place of the surface, for u and v in [0, 1), evenly by area. */
typedef struct surface_point sample(double u, double v);

static double square_root_of_sum(const double v[3])
{
    return sqrt((v[0] * v[0] + v[1] * v[1]) + v[2] * v[2]);
}

/* ---- surfaces ------------------------------------------------------------------------------------------------------ */

static struct surface_point sphere_at(double u, double v)
{
    double height = 1 - 2 * u, across = sqrt(fmax(0, 1 - height * height));
    struct scene_sine_cosine around = scene_sine_cosine(2 * SCENE_PI * v);
    struct surface_point point = {{across * around.cosine, across * around.sine, height}, {0}};
    for (int axis = 0; axis < 3; axis++) {
        point.normal[axis] = point.position[axis];
    }
    return point;
}

static const double torus_radius = 1, tube_radius = 0.3;

/* The share of the area up to an angle along the tube is (a + (r / R) sin a) / 2 pi: inverted by Newton's method. */
static struct surface_point torus_at(double u, double v)
{
    double angle = 2 * SCENE_PI * u, ratio = tube_radius / torus_radius;
    for (int i = 0; i < 8; i++) {
        struct scene_sine_cosine at = scene_sine_cosine(angle);
        angle -= (angle + ratio * at.sine - 2 * SCENE_PI * u) / (1 + ratio * at.cosine);
    }
    struct scene_sine_cosine tube = scene_sine_cosine(angle), around = scene_sine_cosine(2 * SCENE_PI * v);
    double distance = torus_radius + tube_radius * tube.cosine;
    return (struct surface_point){{distance * around.cosine, distance * around.sine, tube_radius * tube.sine},
                                  {tube.cosine * around.cosine, tube.cosine * around.sine, tube.sine}};
}

static struct surface_point small_sphere_at(double u, double v)
{
    struct surface_point point = sphere_at(u, v);
    for (int axis = 0; axis < 3; axis++) {
        point.position[axis] *= 0.5;
    }
    return point;
}

static struct surface_point sheet_at(double u, double v)
{
    return (struct surface_point){{u, v, 0}, {0, 0, 1}};
}

static struct surface_point bumpy_at(double u, double v)
{
    struct surface_point point = sphere_at(u, v);
    const double *p = point.normal;
    double bump = 1 + 0.08 * scene_sine(5 * p[0] + 1) * scene_cosine(4 * p[1]) + 0.05 * scene_sine(6 * p[2]);
    for (int axis = 0; axis < 3; axis++) {
        point.position[axis] = bump * p[axis];
    }
    return point;
}

/* ---- drawing ------------------------------------------------------------------------------------------------------- */

/* What a scan does not see: round holes around three directions. */
static bool is_hidden(const struct surface_point *point)
{
    static const double holes[3][3] = {{0.6, 0.0, 0.8}, {-0.48, 0.64, -0.6}, {0.0, -1.0, 0.0}};
    for (int i = 0; i < 3; i++) {
        const double *n = point->normal, *h = holes[i];
        if ((n[0] * h[0] + n[1] * h[1]) + n[2] * h[2] > 0.97) {
            return true;
        }
    }
    return false;
}

struct drawing {
    sample *at;
    double area;   /* of the surface */
    bool holes;
    uint64_t seed;
};

/* Sheets are drawn on a grid: the golden angle would leave its corners thin. */
static void place_of(const struct drawing *drawing, uint32_t i, uint32_t count, double *u, double *v)
{
    uint32_t side = scene_round(sqrt(count), 1);
    if (drawing->at == sheet_at) {
        *u = (i % side + 0.5) / side;
        *v = (i / side + 0.5) / side;
        return;
    }
    double turns = 0.61803398874989485 * i;
    *u = (i + 0.5) / count;
    *v = turns - floor(turns);
}

static void put_point(struct scene_mesh *mesh, uint32_t index, const struct surface_point *point, double noise,
                      double spacing, dent_random *random)
{
    double shake[3], along = 0;
    for (int axis = 0; axis < 3; axis++) {
        shake[axis] = 0.3 * spacing * (2 * dent_random_unit(random) - 1);
    }
    for (int axis = 0; axis < 3; axis++) {
        along += shake[axis] * point->normal[axis];
    }
    double off = noise * spacing * (2 * dent_random_unit(random) - 1);
    for (int axis = 0; axis < 3; axis++) {
        mesh->reference[3 * (size_t)index + axis] =
            point->position[axis] + (shake[axis] - along * point->normal[axis]) + off * point->normal[axis];
    }
}

/* Shaken points of a sphere are put back on it: its circle with another is known. */
static void put_back(struct scene_mesh *mesh, uint32_t index, const struct drawing *drawing)
{
    double *p = mesh->reference + 3 * (size_t)index, size = square_root_of_sum(p);
    for (int axis = 0; axis < 3 && drawing->at == sphere_at; axis++) {
        p[axis] /= size;
    }
}

static dent_status draw_cloud(dent_scene *scene, uint32_t mesh_index, const struct drawing *drawing, const char *name)
{
    uint32_t count = scene_round(POINTS * scene->scale, 4), kept = 0;
    if (drawing->at == sheet_at) {
        uint32_t side = scene_round(sqrt(count), 2);
        count = side * side;
    }
    for (uint32_t i = 0; i < count; i++) { /* how many a scan sees */
        double u, v;
        place_of(drawing, i, count, &u, &v);
        struct surface_point point = drawing->at(u, v);
        kept += !(drawing->holes && is_hidden(&point));
    }
    struct scene_mesh *mesh = &scene->meshes[mesh_index];
    dent_status status = scene_mesh_allocate(scene->context, mesh, kept, kept, 1);
    dent_random random = dent_random_seeded(drawing->seed);
    double spacing = sqrt(drawing->area / count), noise = scene->parameters[NOISE];
    for (uint32_t i = 0, index = 0; status == DENT_OK && i < count; i++) {
        double u, v;
        place_of(drawing, i, count, &u, &v);
        struct surface_point point = drawing->at(u, v);
        if (drawing->holes && is_hidden(&point)) {
            continue;
        }
        put_point(mesh, index, &point, noise, spacing, &random);
        if (noise == 0) {
            put_back(mesh, index, drawing);
        }
        mesh->corners[index] = index;
        index++;
    }
    if (status == DENT_OK) {
        scene_add_body(scene, name, -1, mesh);
    }
    return status;
}

static dent_status draw_two(dent_scene *scene, const struct drawing *a, const struct drawing *b)
{
    double most = POINTS * scene->scale + 4;
    dent_status status = scene_check_size(scene, 2, most, most);
    status = status == DENT_OK ? scene_reserve(scene, 2, 2) : status;
    status = status == DENT_OK ? draw_cloud(scene, 0, a, "a") : status;
    return status == DENT_OK ? draw_cloud(scene, 1, b, "b") : status;
}

static dent_status build_spheres(dent_scene *scene)
{
    struct drawing a = {sphere_at, 4 * SCENE_PI, false, 1}, b = {sphere_at, 4 * SCENE_PI, false, 2};
    return draw_two(scene, &a, &b);
}

static dent_status build_torus(dent_scene *scene)
{
    struct drawing a = {torus_at, 4 * SCENE_PI * SCENE_PI * 1 * 0.3, false, 3},
                   b = {small_sphere_at, SCENE_PI, false, 4};
    return draw_two(scene, &a, &b);
}

static dent_status build_sheets(dent_scene *scene)
{
    struct drawing a = {sheet_at, 1, false, 5}, b = {sheet_at, 1, false, 6};
    return draw_two(scene, &a, &b);
}

static dent_status build_scans(dent_scene *scene)
{
    struct drawing a = {bumpy_at, 4 * SCENE_PI, true, 7}, b = {bumpy_at, 4 * SCENE_PI, true, 8};
    return draw_two(scene, &a, &b);
}

/* ---- motion -------------------------------------------------------------------------------------------------------- */

/* 0 in frame 0, 1 in the middle, 0 at the end. */
static double way_at(uint32_t frame)
{
    return 0.5 - 0.5 * scene_cosine(2 * SCENE_PI * (frame % FRAMES) / FRAMES);
}

static void move_cloud(const dent_scene *scene, uint32_t body, const double by[3], double *positions)
{
    const struct scene_mesh *mesh = &scene->meshes[body];
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        for (int axis = 0; axis < 3; axis++) {
            positions[3 * v + axis] = mesh->reference[3 * v + axis] + (body == 1 ? by[axis] : 0);
        }
    }
}

static void pose_along_x(const dent_scene *scene, uint32_t body, uint32_t frame, double *positions)
{
    const double by[3] = {scene->parameters[PLACE] + 1.5 * way_at(frame), 0, 0};
    move_cloud(scene, body, by, positions);
}

static void pose_sheets(const dent_scene *scene, uint32_t body, uint32_t frame, double *positions)
{
    double spacing = 1 / sqrt(scene->meshes[0].vertex_count);
    const double by[3] = {0, 0, spacing * scene->parameters[PLACE] + 0.5 * way_at(frame)};
    move_cloud(scene, body, by, positions);
}

/* ---- rows ---------------------------------------------------------------------------------------------------------- */

#define PLACE_AND_NOISE(place, noise)                                                                                  \
    {                                                                                                                  \
        [PLACE] = {"distance", "of the centres in frame 0, a length", place, 0, 100},                                  \
        [NOISE] = {"noise", "along the normal, in spacings", noise, 0, 10},                                            \
    }

static const dent_scene_parameter_info sphere_parameters[PARAMETER_COUNT] = PLACE_AND_NOISE(1.2, 0),
                                       torus_parameters[PARAMETER_COUNT] = PLACE_AND_NOISE(1, 0),
                                       scan_parameters[PARAMETER_COUNT] = PLACE_AND_NOISE(1.5, 0.2),
                                       sheet_parameters[PARAMETER_COUNT] = {
                                           [PLACE] = {"gap", "of the sheets in frame 0, in spacings", 2, 0, 1000},
                                           [NOISE] = {"noise", "along the normal, in spacings", 0, 0, 10},
};

#define CLOUD_ROW(title, text, values, builder, poser)                                                                 \
    {                                                                                                                  \
        .info = {.name = title, .summary = text, .frame_count = FRAMES, .benchmark_frames = BENCHMARK_FRAMES,          \
                 .parameter_count = PARAMETER_COUNT, .parameters = values},                                            \
        .build = builder, .pose = poser                                                                                \
    }

const struct scene_row scene_cloud_spheres =
    CLOUD_ROW("cloud-spheres", "points of two unit spheres that meet in a circle", sphere_parameters, build_spheres,
              pose_along_x);
const struct scene_row scene_cloud_torus = CLOUD_ROW("cloud-torus", "points of a torus and of a sphere that it passes through",
                                                     torus_parameters, build_torus, pose_along_x);
const struct scene_row scene_cloud_sheets =
    CLOUD_ROW("cloud-sheets", "points of two parallel sheets", sheet_parameters, build_sheets, pose_sheets);
const struct scene_row scene_cloud_scans = CLOUD_ROW("cloud-scans", "noisy scans of two bumpy balls, with holes",
                                                     scan_parameters, build_scans, pose_along_x);
