/* fitted: two molars in their ligaments, each cut into parts that fill it without gaps: pulp, dentin, enamel, ligament.
 *
 * A molar with its ligament is meshed once as one solid, and its cells are dealt to the parts by depth below the surface
 * of the tooth. So neighbouring parts have the same triangles on the surface between them. As in parts that were
 * exported one by one, every part has its own copy of the vertices, rounded in its own way: dentin and ligament to one
 * grid, so that their corners are equal; enamel and pulp to grids of their own, so that theirs differ from the dentin's
 * in the fifth decimal. The parts overlap and gape by that much everywhere: what tests with floats cannot decide.
 *
 * All parts follow one motion, so the fit stays. The scale changes how finely the molars are cut; below scale 1
 * enamel and ligament become thicker, so that they stay thicker than their cells. */
#include "scenes/elementary_functions.h"
#include "scenes/mesher/implicit_mesher.h"
#include "scenes/mesher/jaw_shapes.h"
#include "scenes/mesher/manifold_repair.h"
#include "scenes/scene_table.h"

#include <math.h>

enum { FRAMES = 120, BENCHMARK_FRAMES = 40 };

enum { MOTION, AMPLITUDE, PARAMETER_COUNT };

enum { MOTION_REST, MOTION_RIGID, MOTION_DEFORMING };

static const dent_scene_parameter_info parameters[PARAMETER_COUNT] = {
    {"motion", "0: at rest, 1: moves as a whole, 2: deforms", MOTION_DEFORMING, MOTION_REST, MOTION_DEFORMING},
    {"amplitude", "of the motion, times the usual one", 1, 0, 10},
};

enum fitted_part { PART_DENTIN, PART_ENAMEL, PART_PULP, PART_LIGAMENT, PART_COUNT };

/* How many steps of the grid are in 1 mm: powers of two, so that rounding is exact. */
struct part_row {
    const char *name;
    double steps;
};

static const struct part_row part_rows[PART_COUNT] = {
    [PART_DENTIN] = {"dentin", 131072},
    [PART_ENAMEL] = {"enamel", 65536},
    [PART_PULP] = {"pulp", 8388608},
    [PART_LIGAMENT] = {"ligament", 131072},
};

enum { MOLARS = 2, FIRST_MOLAR = 6 };

/* At scale 1, mm. */
static const double spacing_at_scale_1 = 0.55, ligament_thickness = 0.7, enamel_thickness = 0.9, pulp_depth = 2;
static const double neck = -7.5;            /* height of the lower edge of the enamel */
static const double coarsest_spacing = 1.1; /* coarser lattices lose the roots */
static const double thickest = 1.5;         /* times the thickness of the layers: a pulp is left */

struct fitted_plan {
    double spacing, thicker;
    struct jaw_tooth tooth;
    struct implicit_shape tooth_shape, whole_shape;
};

/* ---- cutting ----------------------------------------------------------------------------------------------------- */

static void describe_molar(struct fitted_plan *plan, int number)
{
    /* The ligament begins inside the roots, so that the surface of the roots is nowhere a surface of the whole. */
    struct jaw_fit fit = {.tooth_cleft = -0.5, .ligament = 0.5 + ligament_thickness * plan->thicker};
    plan->tooth = jaw_tooth_in_place(false, true, number);
    plan->tooth_shape.step_count = plan->whole_shape.step_count = 0;
    jaw_describe_tooth(&plan->tooth_shape, &plan->tooth);
    jaw_describe_tooth(&plan->whole_shape, &plan->tooth);
    jaw_describe_ligament(&plan->whole_shape, &plan->tooth, &fit);
    shape_union(&plan->whole_shape, 0);
}

static enum fitted_part part_of_cell(const struct fitted_plan *plan, const struct scene_mesh *mesh, uint32_t cell)
{
    double centre[3] = {0, 0, 0};
    for (uint32_t corner = 0; corner < 4; corner++) {
        const double *point = mesh->reference + 3 * (size_t)mesh->corners[4 * (size_t)cell + corner];
        for (int axis = 0; axis < 3; axis++) {
            centre[axis] += 0.25 * point[axis];
        }
    }
    double depth = -shape_value(&plan->tooth_shape, centre);
    if (depth < 0) {
        return PART_LIGAMENT;
    }
    if (depth < enamel_thickness * plan->thicker && centre[2] > neck) {
        return PART_ENAMEL;
    }
    double deepest = enamel_thickness * plan->thicker + plan->spacing; /* at least one layer of dentin */
    return depth > fmax(pulp_depth, deepest) ? PART_PULP : PART_DENTIN;
}

/* Numbers the vertices that the cells of a part use, in their order; returns how many. */
static uint32_t number_vertices(const struct scene_mesh *whole, const uint8_t *parts, uint8_t part, uint32_t *numbers)
{
    uint32_t count = 0;
    for (uint32_t v = 0; v < whole->vertex_count; v++) {
        numbers[v] = 0;
    }
    for (size_t i = 0; i < 4 * (size_t)whole->element_count; i++) {
        if (parts[i / 4] == part) {
            numbers[whole->corners[i]] = 1;
        }
    }
    for (uint32_t v = 0; v < whole->vertex_count; v++) {
        numbers[v] = numbers[v] ? count++ : UINT32_MAX;
    }
    return count;
}

/* The cells of one part with its own vertices; no holes, one piece. */
static dent_status cut_part(dent_scene *scene, const struct scene_mesh *whole, const uint8_t *parts, uint8_t part,
                            uint32_t *numbers)
{
    struct scene_mesh *mesh = &scene->meshes[scene->body_count];
    uint32_t vertices = number_vertices(whole, parts, part, numbers), cells = 0;
    for (uint32_t cell = 0; cell < whole->element_count; cell++) {
        cells += parts[cell] == part;
    }
    dent_status status = scene_mesh_allocate(scene->context, mesh, vertices, cells, 4);
    if (status != DENT_OK) {
        return status;
    }
    double steps = part_rows[part].steps;
    for (size_t i = 0; i < 3 * (size_t)whole->vertex_count; i++) {
        if (numbers[i / 3] != UINT32_MAX) {
            mesh->reference[3 * (size_t)numbers[i / 3] + i % 3] = floor(whole->reference[i] * steps + 0.5) / steps;
        }
    }
    size_t at = 0;
    for (size_t i = 0; i < 4 * (size_t)whole->element_count; i++) {
        if (parts[i / 4] == part) {
            mesh->corners[at++] = numbers[whole->corners[i]];
        }
    }
    return repair_manifold(scene->context, mesh);
}

static dent_status cut_molar(dent_scene *scene, const struct fitted_plan *plan, const struct scene_mesh *whole)
{
    uint8_t *parts = dent_allocate(scene->context, whole->element_count, sizeof *parts);
    uint32_t *numbers = dent_allocate(scene->context, whole->vertex_count, sizeof *numbers);
    dent_status status = parts && numbers ? DENT_OK : scene_out_of_memory(scene);
    for (uint32_t cell = 0; cell < whole->element_count && status == DENT_OK; cell++) {
        parts[cell] = (uint8_t)part_of_cell(plan, whole, cell);
    }
    for (uint8_t part = 0; part < PART_COUNT && status == DENT_OK; part++) {
        status = cut_part(scene, whole, parts, part, numbers);
        if (status == DENT_OK) {
            scene_add_body(scene, part_rows[part].name, 40 + plan->tooth.number, &scene->meshes[scene->body_count]);
        }
    }
    dent_release(scene->context, parts, whole->element_count, sizeof *parts);
    dent_release(scene->context, numbers, whole->vertex_count, sizeof *numbers);
    return status;
}

static dent_status build_molar(dent_scene *scene, struct fitted_plan *plan, int number)
{
    struct scene_mesh whole;
    describe_molar(plan, number);
    struct mesher_def def = {.spacing = plan->spacing, .shape = &plan->whole_shape};
    jaw_tooth_bounds(&plan->tooth, def.low, def.high);
    dent_status status = implicit_mesh_create(scene->context, &def, &whole);
    if (status == DENT_OK) {
        status = cut_molar(scene, plan, &whole);
        scene_mesh_release(scene->context, &whole);
    }
    return status;
}

static dent_status build_molars(dent_scene *scene, double spacing)
{
    struct fitted_plan *plan = dent_allocate(scene->context, 1, sizeof *plan);
    if (!plan) {
        return scene_out_of_memory(scene);
    }
    dent_status status = DENT_OK;
    plan->spacing = spacing;
    plan->thicker = spacing > spacing_at_scale_1 ? spacing / spacing_at_scale_1 : 1;
    plan->thicker = plan->thicker < thickest ? plan->thicker : thickest;
    for (int number = FIRST_MOLAR; number < FIRST_MOLAR + MOLARS && status == DENT_OK; number++) {
        status = build_molar(scene, plan, number);
    }
    dent_release(scene->context, plan, 1, sizeof *plan);
    return status;
}

static dent_status build(dent_scene *scene)
{
    double spacing = spacing_at_scale_1 / scene_cube_root(scene->scale);
    spacing = spacing < coarsest_spacing ? spacing : coarsest_spacing;
    struct jaw_tooth largest = jaw_tooth_in_place(false, true, FIRST_MOLAR);
    struct mesher_def def = {.spacing = spacing};
    jaw_tooth_bounds(&largest, def.low, def.high);
    double points = mesher_lattice_points(&def); /* a seventh of them inside, six cells each */
    dent_status status = scene_check_size(scene, MOLARS, points, points);
    if (status == DENT_OK) {
        status = scene_reserve(scene, MOLARS * PART_COUNT, MOLARS * PART_COUNT);
    }
    return status == DENT_OK ? build_molars(scene, spacing) : status;
}

/* ---- motion ------------------------------------------------------------------------------------------------------ */

/* A turn of a few degrees about the x axis, and a drift. */
static void move_rigidly(double amplitude, double time, size_t count, const double *from, double *to)
{
    struct scene_sine_cosine turn = scene_sine_cosine(0.05 * amplitude * scene_sine(time));
    double drift = 0.5 * amplitude * scene_sine(time);
    for (size_t v = 0; v < count; v++) {
        const double *p = from + 3 * v;
        to[3 * v] = p[0] + drift;
        to[3 * v + 1] = p[1] * turn.cosine - p[2] * turn.sine;
        to[3 * v + 2] = p[1] * turn.sine + p[2] * turn.cosine;
    }
}

/* Shears of about half an edge, waves of the length of a molar. */
static void deform(double amplitude, double time, size_t count, const double *from, double *to)
{
    double height = 0.25 * amplitude;
    for (size_t v = 0; v < count; v++) {
        double x = from[3 * v], y = from[3 * v + 1], z = from[3 * v + 2];
        x += height * scene_sine(0.3 * y + time);
        y += height * scene_sine(0.3 * z + 2 * time);
        z += height * scene_sine(0.3 * x - time);
        to[3 * v] = x;
        to[3 * v + 1] = y;
        to[3 * v + 2] = z;
    }
}

static void pose(const dent_scene *scene, uint32_t body, uint32_t frame, double *positions)
{
    const struct scene_mesh *mesh = &scene->meshes[body];
    double time = 2 * SCENE_PI * (frame % FRAMES) / FRAMES;
    double motion = scene->parameters[MOTION], amplitude = scene->parameters[AMPLITUDE];
    if (motion >= MOTION_DEFORMING) {
        deform(amplitude, time, mesh->vertex_count, mesh->reference, positions);
    } else {
        move_rigidly(motion >= MOTION_RIGID ? amplitude : 0, time, mesh->vertex_count, mesh->reference, positions);
    }
}

const struct scene_row scene_fitted = {
    .info =
        {
            .name = "fitted",
            .summary = "two molars, each cut into four parts whose common surfaces coincide up to rounding",
            .frame_count = FRAMES,
            .benchmark_frames = BENCHMARK_FRAMES,
            .parameter_count = PARAMETER_COUNT,
            .parameters = parameters,
        },
    .build = build,
    .pose = pose,
};
