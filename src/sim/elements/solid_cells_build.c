/* Which cells of solids have laws of their own, and the gradients of their shape functions at rest. */
#include "elastic_mesh.h"

#include "sim/model/sim_state.h"

#include <math.h>
#include <string.h>

/* ---- shapes at rest ---------------------------------------------------------------------------------------------- */

struct cell_shape {
    uint32_t corner_count, point_count;
    double volumes[CELL_MOST_POINTS];
    double gradients[CELL_MOST_POINTS * CELL_MOST_CORNERS][3];
    double vectors[HOURGLASS_VECTORS][8], half[3]; /* of hexahedra: hourglass_modes.c */
};

/* Gradients of the four barycentric coordinates; false when it is flat. */
static bool tet_gradients(const double *rest, const uint32_t *corners, double gradients[4][3], double *volume)
{
    double edges[3][3], longest = 0;
    for (int k = 0; k < 3; k++) {
        sim_subtract(rest + 3 * (size_t)corners[k + 1], rest + 3 * (size_t)corners[0], edges[k]);
        longest = fmax(longest, sim_dot(edges[k], edges[k]));
    }
    for (int k = 0; k < 3; k++) {
        sim_cross(edges[(k + 1) % 3], edges[(k + 2) % 3], gradients[k + 1]);
    }
    double six = sim_dot(edges[0], gradients[1]);
    if (!(fabs(six) > 1e-6 * longest * sqrt(longest))) { /* as tet_elasticity.c */
        return false;
    }
    memset(gradients[0], 0, sizeof gradients[0]);
    for (int k = 1; k < 4; k++) {
        for (int axis = 0; axis < 3; axis++) {
            gradients[k][axis] /= six;
            gradients[0][axis] -= gradients[k][axis];
        }
    }
    *volume = fabs(six) / 6;
    return true;
}

static bool linear_shape(const double *rest, const uint32_t *corners, struct cell_shape *shape)
{
    shape->corner_count = 4;
    shape->point_count = 1;
    return tet_gradients(rest, corners, shape->gradients, shape->volumes);
}

/* Straight edges; four points, exact for polynomials of degree two. */
static bool quadratic_shape(const double *rest, const uint32_t *corners, struct cell_shape *shape)
{
    static const uint8_t edges[6][2] = {{0, 1}, {1, 2}, {0, 2}, {0, 3}, {1, 3}, {2, 3}};
    double plain[4][3], volume, near = (5 + 3 * sqrt(5)) / 20, far = (5 - sqrt(5)) / 20;
    shape->corner_count = 10;
    shape->point_count = 4;
    if (!tet_gradients(rest, corners, plain, &volume)) {
        return false;
    }
    for (int p = 0; p < 4; p++) {
        double(*gradients)[3] = shape->gradients + 10 * p;
        shape->volumes[p] = volume / 4;
        for (int axis = 0; axis < 3; axis++) {
            for (int k = 0; k < 4; k++) {
                gradients[k][axis] = (4 * (k == p ? near : far) - 1) * plain[k][axis];
            }
            for (int e = 0; e < 6; e++) {
                int a = edges[e][0], b = edges[e][1];
                gradients[4 + e][axis] =
                    4 * ((a == p ? near : far) * plain[b][axis] + (b == p ? near : far) * plain[a][axis]);
            }
        }
    }
    return true;
}

static const int8_t signs[8][3] = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1},
                                   {-1, -1, 1},  {1, -1, 1},  {1, 1, 1},  {-1, 1, 1}};

/* The derivative of the shape function of corner k by coordinate `axis` of the cube. */
static double cube_slope(int k, int axis, const double at[3])
{
    double slope = signs[k][axis] / 8.0;
    for (int other = 0; other < 3; other++) {
        slope *= other == axis ? 1 : 1 + signs[k][other] * at[other];
    }
    return slope;
}

/* Columns: the derivatives of the place by the coordinates of the cube; as rows of `columns`. */
static void cube_columns(const double *rest, const uint32_t *corners, const double at[3], double columns[3][3])
{
    memset(columns, 0, 9 * sizeof(double));
    for (int k = 0; k < 8; k++) {
        for (int axis = 0; axis < 3; axis++) {
            sim_add_scaled(columns[axis], cube_slope(k, axis, at), rest + 3 * (size_t)corners[k]);
        }
    }
}

/* How the images of the axes, and the modes, follow from the corners. Modes are the products of two and of three
 * coordinates of the cube, less what a linear field has of them. */
static void hourglass_vectors(const double *rest, const uint32_t *corners, struct cell_shape *shape)
{
    double columns[3][3];
    const double centre[3] = {0, 0, 0};
    cube_columns(rest, corners, centre, columns);
    for (int axis = 0; axis < 3; axis++) {
        shape->half[axis] = sqrt(sim_dot(columns[axis], columns[axis]));
        for (int k = 0; k < 8; k++) {
            shape->vectors[axis][k] = sim_dot(columns[axis], shape->gradients[k]) / shape->half[axis];
        }
    }
    for (int mode = 0; mode < 4; mode++) {
        double moment[3] = {0, 0, 0}, values[8];
        for (int k = 0; k < 8; k++) {
            int all = signs[k][0] * signs[k][1] * signs[k][2];
            values[k] = mode < 3 ? all * signs[k][mode] : all; /* without the coordinate `mode` */
            sim_add_scaled(moment, values[k], rest + 3 * (size_t)corners[k]);
        }
        for (int k = 0; k < 8; k++) {
            shape->vectors[3 + mode][k] = (values[k] - sim_dot(moment, shape->gradients[k])) / 8;
        }
    }
}

/* Gradients are means over the cell (Flanagan and Belytschko 1981): so the patch test holds for any shape. */
static bool hexahedron_shape(const double *rest, const uint32_t *corners, struct cell_shape *shape)
{
    double volume = 0, longest = 0, point = 1 / sqrt(3);
    shape->corner_count = 8;
    shape->point_count = 1;
    memset(shape->gradients, 0, 8 * sizeof shape->gradients[0]);
    for (int p = 0; p < 8; p++) {
        double at[3] = {point * signs[p][0], point * signs[p][1], point * signs[p][2]}, columns[3][3], areas[3][3];
        cube_columns(rest, corners, at, columns);
        for (int axis = 0; axis < 3; axis++) {
            sim_cross(columns[(axis + 1) % 3], columns[(axis + 2) % 3], areas[axis]);
            longest = fmax(longest, sim_dot(columns[axis], columns[axis]));
        }
        volume += sim_dot(columns[0], areas[0]);
        for (int k = 0; k < 8; k++) {
            for (int axis = 0; axis < 3; axis++) {
                sim_add_scaled(shape->gradients[k], cube_slope(k, axis, at), areas[axis]);
            }
        }
    }
    if (!(fabs(volume) > 1e-6 * longest * sqrt(longest))) {
        return false;
    }
    for (int k = 0; k < 8; k++) {
        for (int axis = 0; axis < 3; axis++) {
            shape->gradients[k][axis] /= volume;
        }
    }
    shape->volumes[0] = fabs(volume);
    hourglass_vectors(rest, corners, shape);
    return shape->half[0] > 0 && shape->half[1] > 0 && shape->half[2] > 0;
}

/* ---- which cells ------------------------------------------------------------------------------------------------- */

static const uint32_t *cell_corners(const struct sim_body *body, uint32_t number)
{
    return body->cells.corner_count > 0 ? body->cells.corners + (size_t)body->cells.corner_count * number
                                        : body->corners + 4 * (size_t)number;
}

static bool cell_shape_of(const struct sim_body *body, uint32_t number, struct cell_shape *shape)
{
    const uint32_t *corners = cell_corners(body, number);
    switch (body->cells.corner_count) {
    case 8:
        return hexahedron_shape(body->rest, corners, shape);
    case 10:
        return quadratic_shape(body->rest, corners, shape);
    default:
        return linear_shape(body->rest, corners, shape);
    }
}

bool solid_cell_is_plain(const struct sim_model *model, const struct sim_body *body, uint32_t number)
{
    return body->cells.corner_count == 0 && sim_cell_material(body, number) == body->material &&
           material_is_plain(&model->materials[body->material]);
}

/* Counts, or fills where the arrays are there. */
static void add_cell(const struct sim_model *model, struct solid_cells *cells, uint32_t body_number, uint32_t number,
                     const struct cell_shape *shape)
{
    const struct sim_body *body = &model->bodies[body_number];
    uint32_t material = sim_cell_material(body, number), corner_count = shape->corner_count;
    bool flows = material_flows(&model->materials[material]), modes = corner_count == 8;
    if (cells->cells) {
        struct solid_cell *cell = &cells->cells[cells->count];
        const double *fibre =
            body->cell_fibres ? body->cell_fibres + 3 * (size_t)number : model->materials[material].fibre_direction;
        double length = sqrt(sim_dot(fibre, fibre));
        *cell = (struct solid_cell){body_number,
                                    number,
                                    material,
                                    corner_count,
                                    shape->point_count,
                                    cells->corner_count,
                                    cells->point_count,
                                    cells->gradient_count,
                                    flows ? cells->plastic_count : SIM_NONE,
                                    {0},
                                    {0}};
        for (int axis = 0; axis < 3 && length > 0; axis++) {
            cell->fibre[axis] = fibre[axis] / length;
        }
        if (modes) {
            memcpy(cell->half, shape->half, sizeof cell->half);
        }
        for (uint32_t k = 0; k < corner_count; k++) {
            cells->corners[cells->corner_count + k] = body->first_vertex + cell_corners(body, number)[k];
        }
        memcpy(cells->volumes + cells->point_count, shape->volumes, shape->point_count * sizeof(double));
        double *gradients = cells->gradients + cells->gradient_count;
        size_t size = 3 * (size_t)shape->point_count * corner_count;
        memcpy(gradients, shape->gradients, size * sizeof(double));
        if (modes) {
            memcpy(gradients + size, shape->vectors, sizeof shape->vectors);
        }
    }
    cells->count++;
    cells->corner_count += corner_count;
    cells->point_count += shape->point_count;
    cells->plastic_count += flows ? shape->point_count : 0;
    cells->gradient_count += (3 * (size_t)shape->point_count + (modes ? HOURGLASS_VECTORS : 0)) * corner_count;
}

static void visit_body(const struct sim_model *model, struct solid_cells *cells, uint32_t number)
{
    const struct sim_body *body = &model->bodies[number];
    uint32_t flat = 0, first_flat = 0;
    for (uint32_t c = 0; body->kind == DENT_SIM_SOLID && c < sim_cell_count(body); c++) {
        struct cell_shape shape;
        if (solid_cell_is_plain(model, body, c)) {
            continue;
        }
        if (cell_shape_of(body, c, &shape)) {
            add_cell(model, cells, number, c, &shape);
        } else {
            first_flat = flat++ == 0 ? c : first_flat;
        }
    }
    if (flat > 0 && cells->cells) {
        dent_log_line(model->context, DENT_LOG_NOTICE,
                      "%s: %u of %u cells are flat at rest (the first is %u): they have no elasticity", body->name,
                      flat, sim_cell_count(body), first_flat);
    }
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

static dent_status make_gather(struct sim_model *model, struct solid_cells *cells)
{
    uint32_t count = model->vertex_count;
    cells->starts = sim_allocate(model, (size_t)count + 2, sizeof *cells->starts);
    cells->entries = sim_allocate(model, cells->corner_count, sizeof *cells->entries);
    if (!cells->starts || !cells->entries) {
        return sim_no_memory(model->context);
    }
    for (uint32_t n = 0; n < cells->corner_count; n++) { /* counted two ahead: filling moves them one back */
        cells->starts[cells->corners[n] + 2]++;
    }
    for (uint32_t v = 0; v < count; v++) {
        cells->starts[v + 2] += cells->starts[v + 1];
    }
    for (uint32_t n = 0; n < cells->corner_count; n++) {
        cells->entries[cells->starts[cells->corners[n] + 1]++] = 3 * n;
    }
    return DENT_OK;
}

dent_status solid_cells_build(struct sim_model *model, struct solid_cells *cells)
{
    cells->laws = sim_allocate(model, model->material_count, sizeof *cells->laws);
    cells->body_cells = sim_allocate(model, (size_t)model->body_count + 1, sizeof *cells->body_cells);
    if (!cells->laws || !cells->body_cells) {
        return sim_no_memory(model->context);
    }
    for (uint32_t n = 0; n < model->material_count; n++) {
        cells->laws[n] = material_law_of(&model->materials[n]);
    }
    for (uint32_t b = 0; b < model->body_count; b++) {
        visit_body(model, cells, b);
        cells->body_cells[b + 1] = cells->count;
    }
    if (cells->corner_count > UINT32_MAX / 3) {
        return dent_fail(model->context, DENT_ERROR_TOO_LARGE, "more elastic cells than 32-bit numbers can count");
    }
    struct solid_cell *made = sim_allocate(model, cells->count, sizeof *made);
    cells->corners = sim_allocate(model, cells->corner_count, sizeof *cells->corners);
    cells->volumes = sim_allocate(model, cells->point_count, sizeof *cells->volumes);
    cells->gradients = sim_allocate(model, cells->gradient_count, sizeof *cells->gradients);
    if (!made || !cells->corners || !cells->volumes || !cells->gradients) {
        return sim_no_memory(model->context);
    }
    cells->cells = made;
    cells->count = cells->corner_count = cells->point_count = cells->plastic_count = 0;
    cells->gradient_count = 0;
    for (uint32_t b = 0; b < model->body_count; b++) {
        visit_body(model, cells, b);
    }
    return make_gather(model, cells);
}
