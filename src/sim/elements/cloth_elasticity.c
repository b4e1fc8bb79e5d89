/* Cloth: stretch along warp and weft, shear between them, bending across edges.
 *
 * Stretch and shear after Baraff and Witkin 1998: with w_u and w_v the images of the unit vectors of the fabric,
 * energy = area (stretch/2 ((|w_u| - 1)^2 + (|w_v| - 1)^2) + shear/2 (w_u . w_v)^2). The warp runs along the direction
 * of the world's x axis seen in the plane of the triangle at rest (y where x is normal to it). Bending is the
 * isometric quadratic energy of Bergou, Wardetzky, Harmon, Zorin and Grinspun 2006: 3 bending / (area sum) / 2
 * (|sum K_i x_i| - rest)^2, quadratic for edges flat at rest. The matrix of an element leaves out the terms that could
 * make it negative under compression. Damping as for tetrahedra: the matrix of the membrane at `start`. */
#include "tet_kernels.h"

#include "base/containers/heap_sort.h"

#include <math.h>
#include <string.h>

/* ---- building ---------------------------------------------------------------------------------------------------- */

/* Axes of the fabric in the plane of the triangle; false when it has no area. */
static bool fabric_axes(const double *e1, const double *e2, double warp[3], double weft[3], double *twice_area)
{
    double normal[3];
    sim_cross(e1, e2, normal);
    *twice_area = sqrt(sim_dot(normal, normal));
    double longest = sim_dot(e1, e1) > sim_dot(e2, e2) ? sim_dot(e1, e1) : sim_dot(e2, e2);
    if (!(*twice_area > 1e-6 * longest)) {
        return false;
    }
    for (int axis = 0; axis < 3; axis++) {
        normal[axis] /= *twice_area;
    }
    double direction[3] = {1, 0, 0};
    if (normal[0] * normal[0] > 0.9) {
        direction[0] = 0;
        direction[1] = 1;
    }
    double along = sim_dot(direction, normal);
    sim_add_scaled(direction, -along, normal);
    double length = sqrt(sim_dot(direction, direction));
    for (int axis = 0; axis < 3; axis++) {
        warp[axis] = direction[axis] / length;
    }
    sim_cross(normal, warp, weft);
    return true;
}

static dent_status add_triangle(struct elastic_builder *builder, uint32_t body_number, const uint32_t *corners,
                                bool *has_area)
{
    const struct sim_body *body = &builder->model->bodies[body_number];
    const dent_sim_material *material = &builder->model->materials[body->material];
    double e1[3], e2[3], warp[3], weft[3], twice_area;
    sim_subtract(body->rest + 3 * (size_t)corners[1], body->rest + 3 * (size_t)corners[0], e1);
    sim_subtract(body->rest + 3 * (size_t)corners[2], body->rest + 3 * (size_t)corners[0], e2);
    *has_area = fabric_axes(e1, e2, warp, weft, &twice_area);
    if (!*has_area) {
        return DENT_OK;
    }
    dent_status status = sim_reserve(builder->model->context, (void **)&builder->triangles, &builder->triangle_capacity,
                                     builder->triangle_count + 1, sizeof *builder->triangles);
    if (status != DENT_OK) {
        return status;
    }
    /* Inverse of the 2x2 matrix of the edges in fabric coordinates. */
    double u1 = sim_dot(e1, warp), v1 = sim_dot(e1, weft), u2 = sim_dot(e2, warp), v2 = sim_dot(e2, weft);
    double determinant = u1 * v2 - u2 * v1;
    struct cloth_triangle *triangle = &builder->triangles[builder->triangle_count++];
    memset(triangle, 0, sizeof *triangle);
    triangle->body = body_number;
    triangle->along[1] = v2 / determinant;
    triangle->along[2] = -v1 / determinant;
    triangle->across[1] = -u2 / determinant;
    triangle->across[2] = u1 / determinant;
    triangle->along[0] = -(triangle->along[1] + triangle->along[2]);
    triangle->across[0] = -(triangle->across[1] + triangle->across[2]);
    triangle->stretch = material->stretch * 0.5 * twice_area;
    triangle->shear = material->shear * 0.5 * twice_area;
    triangle->damping = material->damping;
    for (int k = 0; k < 3; k++) {
        triangle->corners[k] = body->first_vertex + corners[k];
    }
    return DENT_OK;
}

/* Cotangent of the angle at `at` between the directions to `p` and `q`. */
static double cotangent(const double *at, const double *p, const double *q)
{
    double a[3], b[3], normal[3];
    sim_subtract(p, at, a);
    sim_subtract(q, at, b);
    sim_cross(a, b, normal);
    return sim_dot(a, b) / sqrt(sim_dot(normal, normal));
}

static double twice_area_of(const double *a, const double *b, const double *c)
{
    double e1[3], e2[3], normal[3];
    sim_subtract(b, a, e1);
    sim_subtract(c, a, e2);
    sim_cross(e1, e2, normal);
    return sqrt(sim_dot(normal, normal));
}

static dent_status add_hinge(struct elastic_builder *builder, uint32_t body_number, const uint32_t corners[4])
{
    const struct sim_body *body = &builder->model->bodies[body_number];
    const dent_sim_material *material = &builder->model->materials[body->material];
    const double *x[4];
    for (int k = 0; k < 4; k++) {
        x[k] = body->rest + 3 * (size_t)corners[k];
    }
    double areas = 0.5 * (twice_area_of(x[0], x[1], x[2]) + twice_area_of(x[0], x[1], x[3]));
    double at0_2 = cotangent(x[0], x[1], x[2]), at0_3 = cotangent(x[0], x[1], x[3]);
    double at1_2 = cotangent(x[1], x[0], x[2]), at1_3 = cotangent(x[1], x[0], x[3]);
    struct cloth_hinge hinge = {
        .weights = {at1_2 + at1_3, at0_2 + at0_3, -(at0_2 + at1_2), -(at0_3 + at1_3)},
        .stiffness = 3 * material->bending / areas,
        .body = body_number,
    };
    double sum[3] = {0, 0, 0};
    for (int k = 0; k < 4; k++) {
        hinge.corners[k] = body->first_vertex + corners[k];
        sim_add_scaled(sum, hinge.weights[k], x[k]);
    }
    hinge.rest = sqrt(sim_dot(sum, sum));
    /* Flat at rest up to rounding is flat: then the energy is quadratic. */
    hinge.rest = hinge.rest > 1e-9 * sqrt(areas) ? hinge.rest : 0;
    if (!(hinge.stiffness > 0) || !isfinite(hinge.stiffness) || !isfinite(hinge.rest)) {
        return DENT_OK;
    }
    dent_status status = sim_reserve(builder->model->context, (void **)&builder->hinges, &builder->hinge_capacity,
                                     builder->hinge_count + 1, sizeof *builder->hinges);
    if (status == DENT_OK) {
        builder->hinges[builder->hinge_count++] = hinge;
    }
    return status;
}

/* An edge with the vertex opposite it, for finding the triangles that share it. */
struct half_edge {
    uint32_t low, high, opposite, triangle;
};

/* A total order, so the result does not depend on how it is sorted. */
static bool half_edge_before(const void *first, const void *second, const void *data)
{
    const struct half_edge *a = first, *b = second;
    (void)data;
    if (a->low != b->low) {
        return a->low < b->low;
    }
    if (a->high != b->high) {
        return a->high < b->high;
    }
    return a->triangle < b->triangle;
}

static dent_status add_hinges(struct elastic_builder *builder, uint32_t body_number, struct half_edge *edges,
                              uint32_t count)
{
    heap_sort(edges, count, sizeof *edges, half_edge_before, NULL);
    dent_status status = DENT_OK;
    for (uint32_t i = 0; i + 1 < count && status == DENT_OK; i++) {
        /* Where more than two triangles meet, each is tied to the next. */
        if (edges[i].low == edges[i + 1].low && edges[i].high == edges[i + 1].high &&
            edges[i].opposite != edges[i + 1].opposite) {
            uint32_t corners[4] = {edges[i].low, edges[i].high, edges[i].opposite, edges[i + 1].opposite};
            status = add_hinge(builder, body_number, corners);
        }
    }
    return status;
}

dent_status cloth_elasticity_add(struct elastic_builder *builder, uint32_t body_number)
{
    struct sim_model *model = builder->model;
    const struct sim_body *body = &model->bodies[body_number];
    uint32_t capacity = 3 * body->element_count, count = 0, flat = 0, first_flat = 0;
    struct half_edge *edges = dent_allocate(model->context, capacity, sizeof *edges);
    dent_status status = edges ? DENT_OK : sim_no_memory(model->context);
    for (uint32_t t = 0; t < body->element_count && status == DENT_OK; t++) {
        const uint32_t *corners = body->corners + 3 * (size_t)t;
        bool has_area;
        status = add_triangle(builder, body_number, corners, &has_area);
        if (!has_area) {
            first_flat = flat++ == 0 ? t : first_flat;
            continue;
        }
        for (uint32_t k = 0; k < 3; k++) {
            uint32_t a = corners[k], b = corners[(k + 1) % 3];
            edges[count++] = (struct half_edge){a < b ? a : b, a < b ? b : a, corners[(k + 2) % 3], t};
        }
    }
    if (status == DENT_OK && model->materials[body->material].bending > 0) {
        status = add_hinges(builder, body_number, edges, count);
    }
    if (status == DENT_OK && flat > 0) {
        dent_log_line(model->context, DENT_LOG_NOTICE,
                      "%s: %u of %u triangles have no area at rest (the first is %u): they have no elasticity",
                      body->name, flat, body->element_count, first_flat);
    }
    dent_release(model->context, edges, capacity, sizeof *edges);
    return status;
}

/* ---- one triangle ------------------------------------------------------------------------------------------------ */

/* The images of the unit vectors of the fabric. */
struct fabric {
    double u[3], v[3];
};

static inline struct fabric fabric_of(const struct cloth_triangle *triangle, const double *positions)
{
    /* Relative to the first corner, so that a sheet far from the origin loses no digits. */
    const double *origin = positions + 3 * (size_t)triangle->corners[0];
    double e1[3], e2[3];
    struct fabric fabric;
    sim_subtract(positions + 3 * (size_t)triangle->corners[1], origin, e1);
    sim_subtract(positions + 3 * (size_t)triangle->corners[2], origin, e2);
    for (int axis = 0; axis < 3; axis++) {
        fabric.u[axis] = triangle->along[1] * e1[axis] + triangle->along[2] * e2[axis];
        fabric.v[axis] = triangle->across[1] * e1[axis] + triangle->across[2] * e2[axis];
    }
    return fabric;
}

/* Adds the derivative of stiffness/2 (|w| - rest)^2. */
static inline void add_spring_force(double stiffness, double rest, const double *w, double *out)
{
    double square = sim_dot(w, w);
    if (square > 0) {
        sim_add_scaled(out, stiffness * (1 - rest / sqrt(square)), w);
    }
}

/* Adds its matrix, without what is negative under compression, times `change`. */
static inline void add_spring_product(double stiffness, double rest, const double *w, const double *change, double *out)
{
    double square = sim_dot(w, w);
    if (!(square > 0)) {
        sim_add_scaled(out, rest > 0 ? 0 : stiffness, change);
        return;
    }
    double slack = rest > 0 ? 1 - rest / sqrt(square) : 1, sideways = slack > 0 ? stiffness * slack : 0;
    sim_add_scaled(out, sideways, change);
    sim_add_scaled(out, (stiffness - sideways) * (sim_dot(w, change) / square), w);
}

/* The matrix of a triangle at `at`, times `change`; adds. */
static inline void add_triangle_product(const struct cloth_triangle *triangle, const struct fabric *at,
                                        const struct fabric *change, struct fabric *out)
{
    add_spring_product(triangle->stretch, 1, at->u, change->u, out->u);
    add_spring_product(triangle->stretch, 1, at->v, change->v, out->v);
    double shear = triangle->shear * (sim_dot(at->v, change->u) + sim_dot(at->u, change->v));
    sim_add_scaled(out->u, shear, at->v);
    sim_add_scaled(out->v, shear, at->u);
}

static inline void give_corners(const struct cloth_triangle *triangle, const struct fabric *force, double out[9])
{
    for (int k = 0; k < 3; k++) {
        for (int axis = 0; axis < 3; axis++) {
            out[3 * k + axis] = triangle->along[k] * force->u[axis] + triangle->across[k] * force->v[axis];
        }
    }
}

static void spring_matrix(double stiffness, const double *w, double *across, double *along)
{
    double square = sim_dot(w, w), slack = square > 0 ? 1 - 1 / sqrt(square) : 0;
    *across = slack > 0 ? stiffness * slack : 0;
    *along = square > 0 ? (stiffness - *across) / square : 0;
}

static void matrix_of(const struct cloth_triangle *triangle, const struct fabric *now, struct cloth_matrix *matrix)
{
    memcpy(matrix->u, now->u, sizeof now->u);
    memcpy(matrix->v, now->v, sizeof now->v);
    spring_matrix(triangle->stretch, now->u, &matrix->across[0], &matrix->along[0]);
    spring_matrix(triangle->stretch, now->v, &matrix->across[1], &matrix->along[1]);
}

void cloth_triangle_matrix(const struct cloth_triangle *triangle, const double *positions, struct cloth_matrix *matrix)
{
    struct fabric now = fabric_of(triangle, positions);
    matrix_of(triangle, &now, matrix);
}

void cloth_triangle_gradient(const struct cloth_triangle *triangle, const struct element_pass *pass,
                             struct cloth_matrix *matrix, double out[9])
{
    struct fabric now = fabric_of(triangle, pass->now), force = {{0, 0, 0}, {0, 0, 0}};
    if (matrix) {
        matrix_of(triangle, &now, matrix);
    }
    add_spring_force(triangle->stretch, 1, now.u, force.u);
    add_spring_force(triangle->stretch, 1, now.v, force.v);
    double shear = triangle->shear * sim_dot(now.u, now.v);
    sim_add_scaled(force.u, shear, now.v);
    sim_add_scaled(force.v, shear, now.u);
    if (triangle->damping > 0) {
        struct fabric start = fabric_of(triangle, pass->start), change, viscous = {{0, 0, 0}, {0, 0, 0}};
        sim_subtract(now.u, start.u, change.u);
        sim_subtract(now.v, start.v, change.v);
        add_triangle_product(triangle, &start, &change, &viscous);
        sim_add_scaled(force.u, triangle->damping * pass->rate, viscous.u);
        sim_add_scaled(force.v, triangle->damping * pass->rate, viscous.v);
    }
    give_corners(triangle, &force, out);
}

void cloth_triangle_product(const struct cloth_triangle *triangle, const struct element_pass *pass,
                            const struct cloth_matrix *matrix, double out[9])
{
    struct fabric change = fabric_of(triangle, pass->direction), force;
    double factor = 1 + triangle->damping * pass->rate;
    double along_u = matrix->along[0] * sim_dot(matrix->u, change.u);
    double along_v = matrix->along[1] * sim_dot(matrix->v, change.v);
    double shear = triangle->shear * (sim_dot(matrix->v, change.u) + sim_dot(matrix->u, change.v));
    for (int axis = 0; axis < 3; axis++) {
        force.u[axis] = factor * (matrix->across[0] * change.u[axis] + along_u * matrix->u[axis] + shear * matrix->v[axis]);
        force.v[axis] = factor * (matrix->across[1] * change.v[axis] + along_v * matrix->v[axis] + shear * matrix->u[axis]);
    }
    give_corners(triangle, &force, out);
}

void cloth_triangle_stiffness(const struct cloth_triangle *triangle, const double *positions, double rate,
                              double blocks[3][3][9])
{
    struct fabric now = fabric_of(triangle, positions);
    double factor = 1 + triangle->damping * rate;
    for (int j = 0; j < 3; j++) {
        for (int axis = 0; axis < 3; axis++) {
            struct fabric change = {{0, 0, 0}, {0, 0, 0}}, force = {{0, 0, 0}, {0, 0, 0}};
            double out[9];
            change.u[axis] = triangle->along[j];
            change.v[axis] = triangle->across[j];
            add_triangle_product(triangle, &now, &change, &force);
            give_corners(triangle, &force, out);
            for (int i = 0; i < 3; i++) {
                for (int k = 0; k < 3; k++) {
                    blocks[i][j][3 * k + axis] = factor * out[3 * i + k];
                }
            }
        }
    }
}

/* stiffness/2 ((|w + d| - 1)^2 - (|w| - 1)^2) */
static double spring_change(double stiffness, double rest, const double *w, const double *d)
{
    double moved[3] = {w[0] + d[0], w[1] + d[1], w[2] + d[2]};
    double before = sqrt(sim_dot(w, w)), after = sqrt(sim_dot(moved, moved)), sum = before + after;
    double longer = sum > 0 ? (2 * sim_dot(w, d) + sim_dot(d, d)) / sum : 0;
    return 0.5 * stiffness * longer * (sum - 2 * rest);
}

double cloth_triangle_change(const struct cloth_triangle *triangle, const struct element_pass *pass, double part)
{
    struct fabric now = fabric_of(triangle, pass->now), d = fabric_of(triangle, pass->direction);
    for (int axis = 0; axis < 3; axis++) {
        d.u[axis] *= part;
        d.v[axis] *= part;
    }
    double before = sim_dot(now.u, now.v), more = sim_dot(now.u, d.v) + sim_dot(d.u, now.v) + sim_dot(d.u, d.v);
    double change = spring_change(triangle->stretch, 1, now.u, d.u) + spring_change(triangle->stretch, 1, now.v, d.v) +
                    0.5 * triangle->shear * more * (2 * before + more);
    if (triangle->damping > 0) {
        struct fabric start = fabric_of(triangle, pass->start), since, viscous = {{0, 0, 0}, {0, 0, 0}};
        for (int axis = 0; axis < 3; axis++) {
            since.u[axis] = now.u[axis] - start.u[axis] + 0.5 * d.u[axis];
            since.v[axis] = now.v[axis] - start.v[axis] + 0.5 * d.v[axis];
        }
        add_triangle_product(triangle, &start, &d, &viscous);
        change += triangle->damping * pass->rate * (sim_dot(viscous.u, since.u) + sim_dot(viscous.v, since.v));
    }
    return change;
}

double cloth_triangle_energy(const struct cloth_triangle *triangle, const double *positions)
{
    struct fabric now = fabric_of(triangle, positions);
    double off_u = sqrt(sim_dot(now.u, now.u)) - 1, off_v = sqrt(sim_dot(now.v, now.v)) - 1;
    double shear = sim_dot(now.u, now.v);
    return 0.5 * triangle->stretch * (off_u * off_u + off_v * off_v) + 0.5 * triangle->shear * shear * shear;
}

/* ---- one hinge --------------------------------------------------------------------------------------------------- */

static void hinge_vector(const struct cloth_hinge *hinge, const double *positions, double *sum)
{
    const double *origin = positions + 3 * (size_t)hinge->corners[0];
    sum[0] = sum[1] = sum[2] = 0;
    for (int k = 1; k < 4; k++) {
        double edge[3];
        sim_subtract(positions + 3 * (size_t)hinge->corners[k], origin, edge);
        sim_add_scaled(sum, hinge->weights[k], edge);
    }
}

static void give_hinge(const struct cloth_hinge *hinge, const double *force, double out[12])
{
    for (int n = 0; n < 12; n++) {
        out[n] = hinge->weights[n / 3] * force[n % 3];
    }
}

void cloth_hinge_gradient(const struct cloth_hinge *hinge, const struct element_pass *pass, double out[12])
{
    double sum[3], force[3] = {0, 0, 0};
    hinge_vector(hinge, pass->now, sum);
    add_spring_force(hinge->stiffness, hinge->rest, sum, force);
    give_hinge(hinge, force, out);
}

void cloth_hinge_product(const struct cloth_hinge *hinge, const struct element_pass *pass, double out[12])
{
    double sum[3], change[3], force[3] = {0, 0, 0};
    hinge_vector(hinge, pass->direction, change);
    if (hinge->rest == 0) { /* quadratic */
        sim_add_scaled(force, hinge->stiffness, change);
        give_hinge(hinge, force, out);
        return;
    }
    hinge_vector(hinge, pass->now, sum);
    add_spring_product(hinge->stiffness, hinge->rest, sum, change, force);
    give_hinge(hinge, force, out);
}

void cloth_hinge_matrix(const struct cloth_hinge *hinge, const double *positions, double w[3], double *across,
                        double *along)
{
    *across = hinge->stiffness;
    *along = w[0] = w[1] = w[2] = 0;
    if (hinge->rest > 0) {
        hinge_vector(hinge, positions, w);
        double square = sim_dot(w, w), slack = square > 0 ? 1 - hinge->rest / sqrt(square) : 0;
        *across = slack > 0 ? hinge->stiffness * slack : 0;
        *along = square > 0 ? (hinge->stiffness - *across) / square : 0;
    }
}

void cloth_hinge_stiffness(const struct cloth_hinge *hinge, const double *positions, double blocks[4][4][9])
{
    double sum[3];
    hinge_vector(hinge, positions, sum);
    for (int axis = 0; axis < 3; axis++) {
        double change[3] = {axis == 0, axis == 1, axis == 2}, force[3] = {0, 0, 0};
        add_spring_product(hinge->stiffness, hinge->rest, sum, change, force);
        for (int n = 0; n < 16; n++) {
            for (int k = 0; k < 3; k++) {
                blocks[n / 4][n % 4][3 * k + axis] = hinge->weights[n / 4] * hinge->weights[n % 4] * force[k];
            }
        }
    }
}

double cloth_hinge_change(const struct cloth_hinge *hinge, const struct element_pass *pass, double part)
{
    double sum[3], d[3];
    hinge_vector(hinge, pass->now, sum);
    hinge_vector(hinge, pass->direction, d);
    for (int axis = 0; axis < 3; axis++) {
        d[axis] *= part;
    }
    return spring_change(hinge->stiffness, hinge->rest, sum, d);
}

double cloth_hinge_energy(const struct cloth_hinge *hinge, const double *positions)
{
    double sum[3];
    hinge_vector(hinge, positions, sum);
    double off = sqrt(sim_dot(sum, sum)) - hinge->rest;
    return 0.5 * hinge->stiffness * off * off;
}
