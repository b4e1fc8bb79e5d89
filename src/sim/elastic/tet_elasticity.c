/* Elastic solids: stable neo-Hookean tetrahedra in the form that makes single vertices easy.
 *
 * Energy density mu/2 (|F|^2 - 3) + lambda'/2 (J - gamma)^2 with gamma = 1 + mu/lambda' and lambda' = lambda + mu
 * (Smith, de Goes and Kim 2018 without its logarithm, as in Macklin and Mueller 2021): at small strains it is Hooke's
 * law with the Lame constants lambda and mu, it is finite for every F, and an inverted element is pushed back.
 *
 * With the gradients b_i of the linear shape functions, F = sum x_i b_i^T. The first term is then a sum over edges,
 * mu V/2 |F|^2 = - mu V/2 sum_{i<j} (b_i . b_j) |x_i - x_j|^2 ..., a network of zero-length springs whose weights do
 * not change; and J is linear in each single corner. So the energy is exactly quadratic in the position of one vertex,
 * with a positive definite matrix whatever the shape: minimising over it is one 3x3 solve that never overshoots. */
#include "elastic_mesh.h"

#include <math.h>

/* How each corner sees its tetrahedron: corners p, q, r so that det = ((x_q - x_p) x (x_r - x_p)) . (x - x_p). */
static const uint8_t seen_from[4][3] = {{1, 3, 2}, {0, 2, 3}, {0, 3, 1}, {0, 1, 2}};

/* Six times the rest volume and the gradients of the shape functions; false when it is flat. */
static bool rest_shape(const double *rest, const uint32_t *corners, double *six_volume, double gradients[4][3])
{
    double edges[3][3];
    double longest = 0;
    for (int k = 0; k < 3; k++) {
        sim_subtract(rest + 3 * (size_t)corners[k + 1], rest + 3 * (size_t)corners[0], edges[k]);
        double square = sim_dot(edges[k], edges[k]);
        longest = square > longest ? square : longest;
    }
    for (int k = 0; k < 3; k++) {
        sim_cross(edges[(k + 1) % 3], edges[(k + 2) % 3], gradients[k + 1]);
    }
    *six_volume = sim_dot(edges[0], gradients[1]);
    /* Flat means: a height below a millionth of the longest edge, where the gradients would be noise. */
    double magnitude = *six_volume < 0 ? -*six_volume : *six_volume;
    if (!(magnitude > 1e-6 * longest * sqrt(longest))) {
        return false;
    }
    for (int axis = 0; axis < 3; axis++) {
        double sum = 0;
        for (int k = 1; k < 4; k++) {
            gradients[k][axis] /= *six_volume;
            sum += gradients[k][axis];
        }
        gradients[0][axis] = -sum;
    }
    return true;
}

static dent_status add_tetrahedron(struct elastic_builder *builder, const struct sim_body *body,
                                   const uint32_t *corners, double six_volume, double gradients[4][3])
{
    const dent_sim_material *material = &builder->model->materials[body->material];
    double volume = (six_volume < 0 ? -six_volume : six_volume) / 6;
    double mu = material->young / (2 * (1 + material->poisson));
    double lambda = material->young * material->poisson / ((1 + material->poisson) * (1 - 2 * material->poisson)) + mu;
    dent_status status = sim_reserve(builder->model->context, (void **)&builder->tets, &builder->tet_capacity,
                                     builder->tet_count + 1, sizeof *builder->tets);
    if (status != DENT_OK) {
        return status;
    }
    builder->tets[builder->tet_count++] = (struct tet_visit){
        .p = body->first_vertex + corners[0],
        .q = body->first_vertex + corners[1],
        .r = body->first_vertex + corners[2],
        .reserved = body->first_vertex + corners[3],
        .stiffness = lambda * volume / (six_volume * six_volume),
        .target = (1 + mu / lambda) * six_volume,
    };
    for (int i = 0; i < 4; i++) {
        builder->diagonal[body->first_vertex + corners[i]] += mu * volume * sim_dot(gradients[i], gradients[i]);
        for (int j = i + 1; j < 4; j++) {
            double weight = -mu * volume * sim_dot(gradients[i], gradients[j]);
            double lengths = sim_dot(gradients[i], gradients[i]) * sim_dot(gradients[j], gradients[j]);
            double damper = material->damping * 0.5 * mu * volume * sqrt(lengths);
            status = builder_add_pair(builder, body->first_vertex + corners[i], body->first_vertex + corners[j], weight,
                                      damper);
            if (status != DENT_OK) {
                return status;
            }
        }
    }
    return DENT_OK;
}

dent_status tet_elasticity_add(struct elastic_builder *builder, uint32_t body_number)
{
    const struct sim_body *body = &builder->model->bodies[body_number];
    uint32_t flat = 0, first_flat = 0;
    for (uint32_t t = 0; t < body->element_count; t++) {
        const uint32_t *corners = body->corners + 4 * (size_t)t;
        double six_volume, gradients[4][3];
        if (!rest_shape(body->rest, corners, &six_volume, gradients)) {
            first_flat = flat++ == 0 ? t : first_flat;
            continue;
        }
        dent_status status = add_tetrahedron(builder, body, corners, six_volume, gradients);
        if (status != DENT_OK) {
            return status;
        }
    }
    if (flat > 0) {
        dent_log_line(builder->model->context, DENT_LOG_NOTICE,
                      "%s: %u of %u tetrahedra are flat at rest (the first is %u): they have no elasticity", body->name,
                      flat, body->element_count, first_flat);
    }
    return DENT_OK;
}

/* ---- energies ---------------------------------------------------------------------------------------------------- */

static double six_volume_now(const struct tet_visit *tet, const double *x)
{
    double e1[3], e2[3], e3[3], normal[3];
    sim_subtract(x + 3 * (size_t)tet->q, x + 3 * (size_t)tet->p, e1);
    sim_subtract(x + 3 * (size_t)tet->r, x + 3 * (size_t)tet->p, e2);
    sim_subtract(x + 3 * (size_t)tet->reserved, x + 3 * (size_t)tet->p, e3);
    sim_cross(e1, e2, normal);
    return sim_dot(normal, e3);
}

/* The volume part of the energies of tetrahedra [begin, end). */
double tet_volume_energy(const struct elastic_mesh *mesh, uint64_t begin, uint64_t end, const double *positions)
{
    double sum = 0;
    for (uint64_t t = begin; t < end; t++) {
        double off = six_volume_now(&mesh->tet_energy[t], positions) - mesh->tet_energy[t].target;
        sum += 0.5 * mesh->tet_energy[t].stiffness * off * off;
    }
    return sum;
}

uint32_t elastic_inverted_cells(const struct sim_model *model, const double *positions)
{
    uint32_t inverted = 0;
    for (uint64_t t = 0; t < model->elastic->tet_count; t++) {
        const struct tet_visit *tet = &model->elastic->tet_energy[t];
        inverted += six_volume_now(tet, positions) * tet->target < 0;
    }
    return inverted;
}

/* One corner's view of a tetrahedron. */
struct tet_visit tet_visit_from(const struct tet_visit *tet, uint32_t corner)
{
    uint32_t corners[4] = {tet->p, tet->q, tet->r, tet->reserved};
    const uint8_t *seen = seen_from[corner];
    return (struct tet_visit){corners[seen[0]], corners[seen[1]], corners[seen[2]], 0, tet->stiffness, tet->target};
}
