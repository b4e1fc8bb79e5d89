/* Meshes of a plan: the surface of a solid, and vertices tied to the cells of another body.
 *
 * A world knows which faces of a solid are outside. For the ties every vertex looks for the cell nearest to it (the one
 * whose most negative weight, times its size, is least) among those whose boxes come within reach: scenes tie a few
 * thousand vertices to a few thousand cells, once. */
#include "sim_plan.h"

#include <math.h>
#include <string.h>

/* ---- the surface of a solid -------------------------------------------------------------------------------------- */

/* Corners and positions of the surface, the vertices it uses numbered in their old order. */
static void keep_faces(struct sim_plan *plan, dent_sim_body_def *body, const dent_surface_face *faces,
                       uint32_t face_count)
{
    uint32_t *number = plan_allocate(plan, body->vertex_count, sizeof *number);
    uint32_t *corners = plan_allocate(plan, 3 * (size_t)face_count, sizeof *corners);
    uint32_t used = 0;
    for (size_t i = 0; plan->status == DENT_OK && i < 3 * (size_t)face_count; i++) {
        number[faces[i / 3].corners[i % 3]] = 1;
    }
    for (uint32_t v = 0; plan->status == DENT_OK && v < body->vertex_count; v++) {
        number[v] = number[v] ? ++used : 0; /* one above the number, 0: none */
    }
    double *positions = plan_allocate(plan, used, 3 * sizeof *positions);
    if (plan->status != DENT_OK) {
        return;
    }
    for (size_t i = 0; i < 3 * (size_t)face_count; i++) {
        corners[i] = number[faces[i / 3].corners[i % 3]] - 1;
    }
    for (uint32_t v = 0; v < body->vertex_count; v++) {
        if (number[v]) {
            memcpy(positions + 3 * (size_t)(number[v] - 1), body->positions + 3 * (size_t)v, 3 * sizeof *positions);
        }
    }
    body->mesh = DENT_BODY_SURFACE;
    body->vertex_count = used;
    body->element_count = face_count;
    body->element_corners = corners;
    body->positions = positions;
}

void plan_keep_surface(struct sim_plan *plan, dent_sim_body_def *body)
{
    if (plan->status != DENT_OK || !dent_body_kind_has_cells(body->mesh)) {
        return;
    }
    dent_world *world = dent_world_create(plan->context);
    if (!world) {
        plan_note(plan,
                  dent_fail(plan->context, DENT_ERROR_OUT_OF_MEMORY, "no memory for the surface of %s", body->name));
        return;
    }
    dent_body_def def = dent_solid_def_default();
    def.name = body->name;
    def.vertex_count = body->vertex_count;
    def.element_count = body->element_count;
    def.element_corners = body->element_corners;
    def.positions_t0 = dent_positions_double(body->positions);
    dent_body_id id;
    dent_status status = dent_world_add_body(world, &def, &id);
    if (status == DENT_OK) {
        uint32_t count;
        const dent_surface_face *faces = dent_body_surface_faces(world, id, &count);
        keep_faces(plan, body, faces, count);
    } else {
        plan_note(plan, dent_fail(plan->context, status, "the mesh of %s has no surface: %s", body->name,
                                  dent_status_name(status)));
    }
    dent_world_destroy(world);
}

/* ---- ties -------------------------------------------------------------------------------------------------------- */

static double determinant(const double a[3], const double b[3], const double c[3])
{
    return (a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2])) +
           a[2] * (b[0] * c[1] - b[1] * c[0]);
}

/* Barycentric coordinates of a point in a tetrahedron, also outside it; false: the cell is flat. */
static bool cell_weights(const double *positions, const uint32_t *cell, const double point[3], double weights[4])
{
    double edge[3][3], offset[3];
    for (int axis = 0; axis < 3; axis++) {
        double origin = positions[3 * (size_t)cell[0] + axis];
        for (int i = 0; i < 3; i++) {
            edge[i][axis] = positions[3 * (size_t)cell[i + 1] + axis] - origin;
        }
        offset[axis] = point[axis] - origin;
    }
    double whole = determinant(edge[0], edge[1], edge[2]);
    if (!(fabs(whole) > 0)) {
        return false;
    }
    weights[1] = determinant(offset, edge[1], edge[2]) / whole;
    weights[2] = determinant(edge[0], offset, edge[2]) / whole;
    weights[3] = determinant(edge[0], edge[1], offset) / whole;
    weights[0] = ((1 - weights[1]) - weights[2]) - weights[3];
    return true;
}

/* How far outside a cell a point is: the most negative weight, times the size of the cell; 0 inside. */
static double distance_outside(const double *positions, const uint32_t *cell, const double weights[4])
{
    double least = 0, size = 0;
    for (int i = 0; i < 4; i++) {
        least = weights[i] < least ? weights[i] : least;
    }
    for (int axis = 0; axis < 3; axis++) {
        double low = positions[3 * (size_t)cell[0] + axis], high = low;
        for (int i = 1; i < 4; i++) {
            double at = positions[3 * (size_t)cell[i] + axis];
            low = at < low ? at : low;
            high = at > high ? at : high;
        }
        size = high - low > size ? high - low : size;
    }
    return -least * size;
}

static bool cell_is_near(const double *positions, const uint32_t *cell, const double point[3], double reach)
{
    for (int axis = 0; axis < 3; axis++) {
        bool below = true, above = true;
        for (int i = 0; i < 4; i++) {
            double at = positions[3 * (size_t)cell[i] + axis];
            below = below && at < point[axis] - reach;
            above = above && at > point[axis] + reach;
        }
        if (below || above) {
            return false;
        }
    }
    return true;
}

static bool attach_vertex(struct sim_plan *plan, uint32_t body_a, uint32_t vertex, uint32_t body_b, double reach,
                          double compliance)
{
    const dent_sim_body_def *a = &plan->bodies[body_a], *b = &plan->bodies[body_b];
    const double *point = a->positions + 3 * (size_t)vertex;
    double best = INFINITY;
    dent_sim_attachment tie = dent_sim_attachment_default();
    tie.body_a = body_a;
    tie.vertex_a = vertex;
    tie.body_b = body_b;
    tie.compliance = compliance;
    for (uint32_t c = 0; c < b->element_count; c++) {
        const uint32_t *cell = b->element_corners + 4 * (size_t)c;
        double weights[4];
        if (!cell_is_near(b->positions, cell, point, reach) || !cell_weights(b->positions, cell, point, weights)) {
            continue;
        }
        double distance = distance_outside(b->positions, cell, weights);
        if (distance < best) {
            best = distance;
            memcpy(tie.vertices_b, cell, sizeof tie.vertices_b);
            memcpy(tie.weights_b, weights, sizeof weights);
        }
    }
    if (!(best < INFINITY)) {
        return false;
    }
    plan_add_attachment(plan, &tie);
    return true;
}

uint32_t plan_attach_to_cells(struct sim_plan *plan, uint32_t body_a, uint32_t body_b, double reach, double compliance,
                              plan_region *inside, const void *user)
{
    uint32_t count = 0;
    if (plan->status != DENT_OK || !dent_body_kind_has_cells(plan->bodies[body_b].mesh)) {
        return 0;
    }
    for (uint32_t v = 0; v < plan->bodies[body_a].vertex_count; v++) {
        if (inside(user, plan->bodies[body_a].positions + 3 * (size_t)v)) {
            count += attach_vertex(plan, body_a, v, body_b, reach, compliance);
        }
    }
    return count;
}
