/* Bodies that several simulated scenes use. */
#include "sim_parts.h"

#include "scenes/elementary_functions.h"
#include "scenes/mesher/mesh_blocks.h"
#include "scenes/scene_internal.h"

#include <math.h>

uint32_t part_cells(double count, double scale, int dimension, uint32_t least)
{
    double factor = dimension == 3 ? scene_cube_root(scale) : sqrt(scale);
    double cells = count * factor;
    return scene_round(cells < 1e6 ? cells : 1e6, least);
}

/* Refuses what 32-bit numbers cannot count, before anything is allocated. */
static bool countable(struct sim_plan *plan, double vertices, double elements)
{
    if (plan->status == DENT_OK && !(vertices < 4e9 && elements < 4e9)) {
        plan_note(plan, dent_fail(plan->context, DENT_ERROR_TOO_LARGE,
                                  "scene %s: %.3g vertices and %.3g elements are more than can be numbered", plan->name,
                                  vertices, elements));
    }
    return plan->status == DENT_OK;
}

dent_sim_body_def *part_block(struct sim_plan *plan, dent_sim_body_kind kind, const char *name, const uint32_t cells[3],
                              const double size[3], const double centre[3])
{
    struct scene_mesh mesh = {0};
    dent_sim_body_def *body = plan_add_body(plan, kind, name);
    if (!countable(plan, mesh_block_vertices(cells), mesh_block_tetrahedra(cells)) ||
        !plan_note(plan, mesh_block_create(plan->context, cells, &mesh))) {
        return body;
    }
    plan_take_mesh(plan, body, &mesh);
    const double matrix[9] = {size[0] / cells[0], 0, 0, 0, size[1] / cells[1], 0, 0, 0, size[2] / cells[2]};
    if (plan->status == DENT_OK) {
        plan_transform(body, matrix, centre);
    }
    return body;
}

dent_sim_body_def *part_shape(struct sim_plan *plan, dent_sim_body_kind kind, const char *name,
                              const struct mesher_def *def)
{
    struct scene_mesh mesh = {0};
    dent_sim_body_def *body = plan_add_body(plan, kind, name);
    double points = mesher_lattice_points(def);
    if (!countable(plan, points, 6 * points) || !plan_note(plan, implicit_mesh_create(plan->context, def, &mesh))) {
        return body;
    }
    if (mesh.element_count == 0) {
        plan_note(plan, dent_fail(plan->context, DENT_ERROR_INVALID_ARGUMENT,
                                  "scene %s: at this scale %s is too thin to be cut into cells", plan->name, name));
    }
    plan_take_mesh(plan, body, &mesh);
    return body;
}

dent_sim_body_def *part_ball(struct sim_plan *plan, dent_sim_body_kind kind, const char *name, double radius,
                             double spacing, const double centre[3])
{
    const double middle[3] = {0, 0, 0};
    struct implicit_shape *shape = plan_allocate(plan, 1, sizeof *shape);
    if (!shape) {
        return plan_add_body(plan, kind, name);
    }
    shape_sphere(shape, middle, radius);
    double reach = radius + spacing;
    struct mesher_def def = {
        .low = {-reach, -reach, -reach}, .high = {reach, reach, reach}, .spacing = spacing, .shape = shape};
    dent_sim_body_def *body = part_shape(plan, kind, name, &def);
    if (plan->status == DENT_OK) {
        plan_scale_and_move(body, 1, centre[0], centre[1], centre[2]);
    }
    return body;
}

dent_sim_body_def *part_sheet(struct sim_plan *plan, const char *name, uint32_t cells, double size)
{
    struct scene_mesh mesh = {0};
    dent_sim_body_def *body = plan_add_body(plan, DENT_SIM_CLOTH, name);
    if (!countable(plan, (cells + 1.0) * (cells + 1.0), 2.0 * cells * cells) ||
        !plan_note(plan, mesh_sheet_create(plan->context, cells, &mesh))) {
        return body;
    }
    plan_take_mesh(plan, body, &mesh);
    if (plan->status == DENT_OK) {
        plan_scale_and_move(body, size, 0, 0, 0);
    }
    return body;
}

dent_sim_body_def *part_ground(struct sim_plan *plan, double width, uint32_t cells, uint32_t material)
{
    double height = width / cells;
    const uint32_t counts[3] = {cells, cells, 1};
    const double size[3] = {width, width, height}, centre[3] = {0, 0, -0.5 * height};
    dent_sim_body_def *body = part_block(plan, DENT_SIM_PRESCRIBED, "ground", counts, size, centre);
    body->material = material;
    return body;
}
