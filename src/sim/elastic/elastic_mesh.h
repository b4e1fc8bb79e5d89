/* Building the elastic mesh: what the files of the elements hand to the builder. */
#ifndef DENT_SIM_ELASTIC_MESH_H
#define DENT_SIM_ELASTIC_MESH_H

#include "sim/model/sim_internal.h"

/* "i and j depend on one another": with the shear weight and the damper between them, both may be 0. */
struct elastic_pair {
    uint32_t i, j;
    double weight, damper;
};

struct elastic_builder {
    dent_sim *sim;
    struct elastic_pair *pairs;
    uint64_t pair_count, pair_capacity;
    double *diagonal;       /* by vertex */
    struct tet_visit *tets; /* p, q, r, reserved: the corners; all bodies */
    uint64_t tet_count, tet_capacity;
    struct cloth_triangle *triangles;
    uint64_t triangle_count, triangle_capacity;
    struct cloth_hinge *hinges;
    uint64_t hinge_count, hinge_capacity;
};

dent_status builder_add_pair(struct elastic_builder *builder, uint32_t i, uint32_t j, double weight, double damper);

/* tet_elasticity.c, cloth_elasticity.c: all elements of a body. */
dent_status tet_elasticity_add(struct elastic_builder *builder, uint32_t body);
dent_status cloth_elasticity_add(struct elastic_builder *builder, uint32_t body);

/* Force and stiffness of one vertex: the sum of what its elements ask. The stiffness is symmetric: xx xy xz yy yz zz.
 */
struct vertex_system {
    double force[3];
    double stiffness[6];
};

static inline void system_add_direction(struct vertex_system *system, double factor, const double *direction)
{
    double x = factor * direction[0], y = factor * direction[1], z = factor * direction[2];
    system->stiffness[0] += x * direction[0];
    system->stiffness[1] += x * direction[1];
    system->stiffness[2] += x * direction[2];
    system->stiffness[3] += y * direction[1];
    system->stiffness[4] += y * direction[2];
    system->stiffness[5] += z * direction[2];
}

static inline void system_add_diagonal(struct vertex_system *system, double value)
{
    system->stiffness[0] += value;
    system->stiffness[3] += value;
    system->stiffness[5] += value;
}

double tet_volume_energy(const struct elastic_mesh *mesh, uint64_t begin, uint64_t end, const double *positions);
struct tet_visit tet_visit_from(const struct tet_visit *tet, uint32_t corner);

void cloth_triangles_add(const struct elastic_mesh *mesh, uint32_t slot, const double *positions,
                         struct vertex_system *result);
void cloth_hinge_add(const struct cloth_hinge *hinge, uint32_t corner, const double *positions,
                     struct vertex_system *system);
double cloth_triangle_energy(const struct cloth_triangle *triangle, const double *positions);
double cloth_hinge_energy(const struct cloth_hinge *hinge, const double *positions);

/* elastic_solve.c: a symmetric positive definite 3x3 system. */
void elastic_solve_symmetric(const double s[6], const double *right, double *solution);
void elastic_limit_angle(double angle[3]); /* of a turn that is added to positions */

/* elastic_colours.c: colours[vertex] for all vertices with neighbours in `starts`, `others`; returns their number. */
uint32_t elastic_colour(uint32_t vertex_count, const uint32_t *list, const uint64_t *starts, const uint32_t *others,
                        uint32_t *colours, uint32_t *marks);

#endif
