/* Cloth: stretch along warp and weft, shear between them, bending across edges.
 *
 * Stretch and shear after Baraff and Witkin 1998: with w_u and w_v the images of the unit vectors of the fabric,
 * energy = area (stretch/2 ((|w_u| - 1)^2 + (|w_v| - 1)^2) + shear/2 (w_u . w_v)^2). The warp runs along the direction
 * of the world's x axis seen in the plane of the triangle at rest (y where x is normal to it). Bending is the
 * isometric quadratic energy of Bergou, Wardetzky, Harmon, Zorin and Grinspun 2006: 3 bending / (area sum) / 2
 * (|sum K_i x_i| - rest)^2, which for edges flat at rest is quadratic and joins the constant network of springs. Each
 * element gives one vertex a force and a positive semidefinite stiffness: terms that could make it negative under
 * compression are left out. */
#include "elastic_mesh.h"

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
    for (int k = 0; k < 3; k++) {
        triangle->corners[k] = body->first_vertex + corners[k];
    }
    for (int k = 0; k < 3 && status == DENT_OK; k++) {
        status = builder_add_pair(builder, triangle->corners[k], triangle->corners[(k + 1) % 3], 0,
                                  0.5 * material->damping * material->stretch);
    }
    return status;
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

/* Flat at rest: k/2 |sum K_i x_i|^2 is, as the K_i sum to 0, a network of springs like the shear part of tetrahedra. */
static dent_status add_flat_hinge(struct elastic_builder *builder, const struct cloth_hinge *hinge)
{
    dent_status status = DENT_OK;
    for (int i = 0; i < 4 && status == DENT_OK; i++) {
        builder->diagonal[hinge->corners[i]] += hinge->stiffness * hinge->weights[i] * hinge->weights[i];
        for (int j = i + 1; j < 4 && status == DENT_OK; j++) {
            status = builder_add_pair(builder, hinge->corners[i], hinge->corners[j],
                                      -hinge->stiffness * hinge->weights[i] * hinge->weights[j], 0);
        }
    }
    return status;
}

static dent_status add_hinge(struct elastic_builder *builder, const struct sim_body *body, const uint32_t corners[4])
{
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
    if (hinge.rest == 0) {
        return add_flat_hinge(builder, &hinge);
    }
    dent_status status = sim_reserve(builder->model->context, (void **)&builder->hinges, &builder->hinge_capacity,
                                     builder->hinge_count + 1, sizeof *builder->hinges);
    if (status != DENT_OK) {
        return status;
    }
    builder->hinges[builder->hinge_count++] = hinge;
    for (int i = 0; i < 4 && status == DENT_OK; i++) {
        for (int j = i + 1; j < 4 && status == DENT_OK; j++) {
            status = builder_add_pair(builder, hinge.corners[i], hinge.corners[j], 0, 0);
        }
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
    const struct sim_body *body = &builder->model->bodies[body_number];
    heap_sort(edges, count, sizeof *edges, half_edge_before, NULL);
    dent_status status = DENT_OK;
    for (uint32_t i = 0; i + 1 < count && status == DENT_OK; i++) {
        /* Where more than two triangles meet, each is tied to the next. */
        if (edges[i].low == edges[i + 1].low && edges[i].high == edges[i + 1].high &&
            edges[i].opposite != edges[i + 1].opposite) {
            uint32_t corners[4] = {edges[i].low, edges[i].high, edges[i].opposite, edges[i + 1].opposite};
            status = add_hinge(builder, body, corners);
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

/* ---- one vertex -------------------------------------------------------------------------------------------------- */

/* A spring of rest length `rest` on the vector `stretched`, of which the vertex moves `share`. */
static inline void add_spring(struct vertex_system *system, double stiffness, double rest, double share,
                              const double *stretched)
{
    double length = sqrt(sim_dot(stretched, stretched));
    double weight = stiffness * share * share;
    if (!(length > 0)) {
        system_add_diagonal(system, rest > 0 ? 0 : weight);
        return;
    }
    double inverse = 1 / length, slack = 1 - rest * inverse;
    sim_add_scaled(system->force, -stiffness * share * slack, stretched);
    double sideways = slack > 0 ? weight * slack : 0;
    system_add_diagonal(system, sideways);
    system_add_direction(system, (weight - sideways) * inverse * inverse, stretched);
}

static inline void fabric_vectors(const struct cloth_triangle *triangle, const double *positions, double *u, double *v)
{
    /* Relative to the first corner, so that a sheet far from the origin loses no digits. */
    const double *origin = positions + 3 * (size_t)triangle->corners[0];
    double e1[3], e2[3];
    sim_subtract(positions + 3 * (size_t)triangle->corners[1], origin, e1);
    sim_subtract(positions + 3 * (size_t)triangle->corners[2], origin, e2);
    for (int axis = 0; axis < 3; axis++) {
        u[axis] = triangle->along[1] * e1[axis] + triangle->along[2] * e2[axis];
        v[axis] = triangle->across[1] * e1[axis] + triangle->across[2] * e2[axis];
    }
}

static inline void add_triangle_to(const struct cloth_triangle *triangle, uint32_t corner, const double *positions,
                                   struct vertex_system *system)
{
    double u[3], v[3], gradient[3];
    fabric_vectors(triangle, positions, u, v);
    double along = triangle->along[corner], across = triangle->across[corner];
    add_spring(system, triangle->stretch, 1, along, u);
    add_spring(system, triangle->stretch, 1, across, v);
    for (int axis = 0; axis < 3; axis++) {
        gradient[axis] = along * v[axis] + across * u[axis];
    }
    double product = sim_dot(u, v), curvature = 2 * product * along * across;
    sim_add_scaled(system->force, -triangle->shear * product, gradient);
    system_add_direction(system, triangle->shear, gradient);
    system_add_diagonal(system, curvature > 0 ? triangle->shear * curvature : 0);
}

void cloth_triangles_add(const struct elastic_mesh *mesh, uint32_t slot, const double *positions,
                         struct vertex_system *result)
{
    struct vertex_system system = *result; /* a copy of its own, so that it stays in registers */
    for (uint32_t t = mesh->triangle_starts[slot]; t < mesh->triangle_starts[slot + 1]; t++) {
        uint32_t visit = mesh->triangle_visits[t];
        add_triangle_to(&mesh->triangles[visit / 4], visit % 4, positions, &system);
    }
    *result = system;
}

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

void cloth_hinge_add(const struct cloth_hinge *hinge, uint32_t corner, const double *positions,
                     struct vertex_system *system)
{
    double sum[3];
    hinge_vector(hinge, positions, sum);
    add_spring(system, hinge->stiffness, hinge->rest, hinge->weights[corner], sum);
}

double cloth_triangle_energy(const struct cloth_triangle *triangle, const double *positions)
{
    double u[3], v[3];
    fabric_vectors(triangle, positions, u, v);
    double off_u = sqrt(sim_dot(u, u)) - 1, off_v = sqrt(sim_dot(v, v)) - 1, shear = sim_dot(u, v);
    return 0.5 * triangle->stretch * (off_u * off_u + off_v * off_v) + 0.5 * triangle->shear * shear * shear;
}

double cloth_hinge_energy(const struct cloth_hinge *hinge, const double *positions)
{
    double sum[3];
    hinge_vector(hinge, positions, sum);
    double off = sqrt(sim_dot(sum, sum)) - hinge->rest;
    return 0.5 * hinge->stiffness * off * off;
}
