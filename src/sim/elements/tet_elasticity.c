/* Elastic solids: stable neo-Hookean tetrahedra.
 *
 * Energy density mu/2 (|F|^2 - 3) + lambda'/2 (J - gamma)^2 with gamma = 1 + mu/lambda' and lambda' = lambda + mu
 * (Smith, de Goes and Kim 2018 without its logarithm, as in Macklin and Mueller 2021): at small strains it is Hooke's
 * law with the Lame constants lambda and mu, it is finite for every F, and an inverted element is pushed back. Along a
 * line it is a polynomial of degree six, so that the best step along a direction is found exactly. */
#include "tet_kernels.h"
#include "small_matrices.h"

#include <math.h>
#include <string.h>

/* Six times the rest volume and the gradients of the shape functions of corners 1, 2, 3; false when it is flat. */
static bool rest_shape(const double *rest, const uint32_t *corners, double *six_volume, double gradients[3][3])
{
    double edges[3][3];
    double longest = 0;
    for (int k = 0; k < 3; k++) {
        sim_subtract(rest + 3 * (size_t)corners[k + 1], rest + 3 * (size_t)corners[0], edges[k]);
        double square = sim_dot(edges[k], edges[k]);
        longest = square > longest ? square : longest;
    }
    for (int k = 0; k < 3; k++) {
        sim_cross(edges[(k + 1) % 3], edges[(k + 2) % 3], gradients[k]);
    }
    *six_volume = sim_dot(edges[0], gradients[0]);
    /* Flat means: a height below a millionth of the longest edge, where the gradients would be noise. */
    double magnitude = *six_volume < 0 ? -*six_volume : *six_volume;
    if (!(magnitude > 1e-6 * longest * sqrt(longest))) {
        return false;
    }
    for (int k = 0; k < 3; k++) {
        for (int axis = 0; axis < 3; axis++) {
            gradients[k][axis] /= *six_volume;
        }
    }
    return true;
}

static dent_status next_lane(struct elastic_builder *builder, struct tet_group **group, uint32_t *lane)
{
    if (builder->lanes == TET_LANES) {
        dent_status status = sim_reserve(builder->model->context, (void **)&builder->groups, &builder->group_capacity,
                                         builder->group_count + 1, sizeof *builder->groups);
        if (status != DENT_OK) {
            return status;
        }
        memset(&builder->groups[builder->group_count++], 0, sizeof *builder->groups);
        builder->lanes = 0;
    }
    *group = &builder->groups[builder->group_count - 1];
    *lane = builder->lanes++;
    builder->tet_count++;
    return DENT_OK;
}

/* Lanes that stay empty have no stiffness; their corners must exist, and their shape must not divide by zero. */
static void fill_up(struct elastic_builder *builder)
{
    struct tet_group *group = builder->group_count > 0 ? &builder->groups[builder->group_count - 1] : NULL;
    for (uint32_t lane = builder->lanes; group && lane < TET_LANES; lane++) {
        for (int k = 0; k < 4; k++) {
            group->corners[k][lane] = group->corners[k][0];
        }
        for (int n = 0; n < 9; n++) {
            group->inverse[n][lane] = group->inverse[n][0];
        }
        group->gamma[lane] = group->gamma[0];
    }
    builder->lanes = TET_LANES;
}

static dent_status add_tetrahedron(struct elastic_builder *builder, const struct sim_body *body,
                                   const uint32_t *corners, double six_volume, double gradients[3][3])
{
    const dent_sim_material *material = &builder->model->materials[body->material];
    double volume = (six_volume < 0 ? -six_volume : six_volume) / 6;
    double mu = material->young / (2 * (1 + material->poisson));
    double lambda = material->young * material->poisson / ((1 + material->poisson) * (1 - 2 * material->poisson)) + mu;
    struct tet_group *group;
    uint32_t lane;
    dent_status status = next_lane(builder, &group, &lane);
    if (status != DENT_OK) {
        return status;
    }
    for (int k = 0; k < 4; k++) {
        group->corners[k][lane] = body->first_vertex + corners[k];
    }
    for (int n = 0; n < 9; n++) {
        group->inverse[n][lane] = gradients[n / 3][n % 3];
    }
    group->mu[lane] = mu * volume;
    group->lambda[lane] = lambda * volume;
    group->gamma[lane] = 1 + mu / lambda;
    group->damping[lane] = material->damping;
    return DENT_OK;
}

dent_status tet_elasticity_add(struct elastic_builder *builder, uint32_t body_number)
{
    const struct sim_body *body = &builder->model->bodies[body_number];
    uint32_t flat = 0, first_flat = 0;
    builder->lanes = TET_LANES; /* a new group */
    for (uint32_t t = 0; t < body->element_count && body->cells.corner_count == 0; t++) {
        const uint32_t *corners = body->corners + 4 * (size_t)t;
        double six_volume, gradients[3][3];
        if (!solid_cell_is_plain(builder->model, body, t)) {
            continue; /* solid_cells.c */
        }
        if (!rest_shape(body->rest, corners, &six_volume, gradients)) {
            first_flat = flat++ == 0 ? t : first_flat;
            continue;
        }
        dent_status status = add_tetrahedron(builder, body, corners, six_volume, gradients);
        if (status != DENT_OK) {
            return status;
        }
    }
    fill_up(builder);
    if (flat > 0) {
        dent_log_line(builder->model->context, DENT_LOG_NOTICE,
                      "%s: %u of %u tetrahedra are flat at rest (the first is %u): they have no elasticity", body->name,
                      flat, body->element_count, first_flat);
    }
    return DENT_OK;
}

/* ---- one tetrahedron --------------------------------------------------------------------------------------------- */

struct tet_shape {
    double gradients[4][3]; /* of the shape functions */
    double f[9], cofactors[9], j;
};

static void shape_of(const struct tet_group *group, uint32_t lane, const double *positions, struct tet_shape *shape)
{
    double edges[3][3];
    const double *origin = positions + 3 * (size_t)group->corners[0][lane];
    for (int axis = 0; axis < 3; axis++) {
        shape->gradients[0][axis] = 0;
        for (int k = 0; k < 3; k++) {
            edges[k][axis] = positions[3 * (size_t)group->corners[k + 1][lane] + (size_t)axis] - origin[axis];
            shape->gradients[k + 1][axis] = group->inverse[3 * k + axis][lane];
            shape->gradients[0][axis] -= shape->gradients[k + 1][axis];
        }
    }
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            shape->f[3 * i + j] = edges[0][i] * shape->gradients[1][j] + edges[1][i] * shape->gradients[2][j] +
                                  edges[2][i] * shape->gradients[3][j];
        }
    }
    const double *f = shape->f;
    sim_cross(f + 3, f + 6, shape->cofactors);
    sim_cross(f + 6, f, shape->cofactors + 3);
    sim_cross(f, f + 3, shape->cofactors + 6);
    shape->j = sim_dot(f, shape->cofactors);
}

/* As norm_bound of tet_kernels_lanes.h. */
static double norm_bound(const double *f)
{
    double largest = 0;
    for (int i = 0; i < 3; i++) {
        double sum = 0;
        for (int j = 0; j < 3; j++) {
            sum += fabs(f[i] * f[j] + f[3 + i] * f[3 + j] + f[6 + i] * f[6 + j]);
        }
        largest = sum > largest ? sum : largest;
    }
    return sqrt(largest > 1e-280 ? largest : 1e-280);
}

void tet_stiffness(const struct tet_group *group, uint32_t lane, const double *positions, double rate,
                   double blocks[4][4][9])
{
    struct tet_shape shape;
    shape_of(group, lane, positions, &shape);
    double factor = 1 + group->damping[lane] * rate, mu = group->mu[lane], lambda = group->lambda[lane];
    double most = mu / norm_bound(shape.f), kappa = lambda * (shape.j - group->gamma[lane]);
    kappa = kappa > most ? most : kappa < -most ? -most : kappa;
    double areas[4][3];
    for (int k = 0; k < 4; k++) {
        for (int i = 0; i < 3; i++) {
            areas[k][i] = sim_dot(shape.cofactors + 3 * i, shape.gradients[k]);
        }
    }
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 4; j++) {
            double crossed[3], axis[3], *block = blocks[i][j];
            double shear = factor * mu * sim_dot(shape.gradients[i], shape.gradients[j]);
            sim_cross(shape.gradients[i], shape.gradients[j], crossed);
            for (int n = 0; n < 3; n++) {
                axis[n] = factor * kappa * sim_dot(shape.f + 3 * n, crossed);
            }
            for (int n = 0; n < 9; n++) {
                block[n] = factor * lambda * areas[i][n / 3] * areas[j][n % 3] + (n % 4 == 0 ? shear : 0);
            }
            /* minus the matrix of axis x */
            block[1] += axis[2];
            block[2] -= axis[1];
            block[3] -= axis[2];
            block[5] += axis[0];
            block[6] += axis[1];
            block[7] -= axis[0];
        }
    }
}

uint32_t elastic_inverted_cells(const struct sim_model *model, const double *positions)
{
    const struct elastic_mesh *mesh = model->elastic;
    uint32_t inverted = 0;
    for (uint32_t g = 0; g < mesh->group_count; g++) {
        for (uint32_t lane = 0; lane < TET_LANES && mesh->groups[g].mu[lane] > 0; lane++) {
            struct tet_shape shape;
            shape_of(&mesh->groups[g], lane, positions, &shape);
            inverted += shape.j < 0;
        }
    }
    for (uint32_t c = 0; c < mesh->cells.count; c++) {
        bool any = false;
        for (uint32_t p = 0; p < mesh->cells.cells[c].point_count; p++) {
            double f[9];
            solid_cell_deformation(&mesh->cells, c, p, positions, f);
            any = any || matrix_determinant(f) < 0;
        }
        inverted += any;
    }
    return inverted;
}
