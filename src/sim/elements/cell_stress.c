/* Stress in the tetrahedra of solids: Cauchy's, of the energy in tet_elasticity.c,
 *
 *     s = mu / J  F F^T + lambda' (J - gamma) I,
 *
 * of which von Mises' measure sees the first part alone. */
#include "elastic_mesh.h"

#include <math.h>

/* The deformation gradient of one tetrahedron; returns its determinant. */
static double gradient_of(const struct tet_group *group, uint32_t lane, const double *positions, double f[9])
{
    double edges[3][3];
    for (int k = 0; k < 3; k++) {
        sim_subtract(positions + 3 * (size_t)group->corners[k + 1][lane],
                     positions + 3 * (size_t)group->corners[0][lane], edges[k]);
    }
    for (int n = 0; n < 9; n++) {
        f[n] = 0;
        for (int k = 0; k < 3; k++) {
            f[n] += edges[k][n / 3] * group->inverse[3 * k + n % 3][lane];
        }
    }
    return f[0] * (f[4] * f[8] - f[5] * f[7]) - f[1] * (f[3] * f[8] - f[5] * f[6]) + f[2] * (f[3] * f[7] - f[4] * f[6]);
}

static double von_mises(const struct tet_group *group, uint32_t lane, const double *positions, double mu)
{
    double f[9], determinant = gradient_of(group, lane, positions, f), sum = 0;
    double s[6] = {sim_dot(f, f),     sim_dot(f + 3, f + 3), sim_dot(f + 6, f + 6),
                   sim_dot(f, f + 3), sim_dot(f + 3, f + 6), sim_dot(f, f + 6)};
    for (int k = 0; k < 3; k++) {
        double off = s[k] - s[(k + 1) % 3];
        sum += 0.5 * off * off + 3 * s[3 + k] * s[3 + k];
    }
    return determinant != 0 ? mu * sqrt(sum) / fabs(determinant) : 0;
}

double elastic_stress_sum(const struct sim_model *model, const double *positions, const uint32_t *vertices,
                          uint32_t count, double *volume)
{
    const struct elastic_mesh *mesh = model->elastic;
    double sum = 0;
    for (uint32_t n = 0; n < count; n++) {
        const struct sim_body *body = &model->bodies[model->vertex_bodies[vertices[n]]];
        const dent_sim_material *material = &model->materials[body->material];
        double mu = material->young / (2 * (1 + material->poisson));
        for (uint32_t e = mesh->tet_starts[vertices[n]]; e < mesh->tet_starts[vertices[n] + 1]; e++) {
            const struct tet_group *group = &mesh->groups[mesh->tet_entries[e] / TET_ENTRIES];
            uint32_t lane = mesh->tet_entries[e] % TET_LANES;
            double share = group->mu[lane] / mu; /* its volume */
            sum += share * von_mises(group, lane, positions, mu);
            *volume += share;
        }
    }
    return sum;
}
