/* The elastic mesh, part of the model; how the files of the elements build it, and what they tell the solver. */
#ifndef DENT_SIM_ELASTIC_MESH_H
#define DENT_SIM_ELASTIC_MESH_H

#include "sim_elastic.h"

/* One tetrahedron seen from one of its corners: six times its volume is a(p, q, r) . (x - x_p), and its energy is
 * stiffness / 2 (that - target)^2, see tet_elasticity.c. */
struct tet_visit {
    uint32_t p, q, r, reserved;
    double stiffness, target;
};

/* An edge seen from one end: weight (x_other - x) is its share of the shear force; damper >= 0. */
struct edge_visit {
    uint32_t other, reserved;
    double weight, damper;
};

/* An edge between two vertices that are both held: no force to find, but energy. */
struct held_edge {
    uint32_t i, j;
    double weight, damper;
};

struct cloth_triangle {
    uint32_t corners[3], body;
    double along[3], across[3]; /* how the corners weigh in the stretch of the warp and of the weft */
    double stretch, shear;      /* stiffness times area */
};

struct cloth_hinge {
    uint32_t corners[4], reserved;
    double weights[4]; /* |sum weights x| measures the angle */
    double stiffness, rest;
};

/* The elastic vertices in the order of the sweep: colour after colour. Ranges of visits by slot in that order. */
struct elastic_mesh {
    uint32_t vertex_count;
    uint32_t *vertices;
    uint32_t *slots; /* of every vertex: its slot in `vertices`, or SIM_NONE */
    uint32_t colour_count;
    uint32_t *colour_starts; /* colour_count + 1 */
    double *diagonal;        /* constant part of the stiffness of each slot */
    uint16_t *sweeps;        /* of each slot: how many a substep has */
    uint32_t *edge_starts, *tet_starts, *triangle_starts, *hinge_starts; /* vertex_count + 1 */
    struct edge_visit *edges;
    uint64_t held_count;
    struct held_edge *held;
    struct tet_visit *tets;
    uint32_t *triangle_visits, *hinge_visits; /* 4 * number + corner */
    uint32_t triangle_count, hinge_count;
    struct cloth_triangle *triangles;
    struct cloth_hinge *hinges;
    uint64_t tet_count, edge_visit_count, tet_visit_count;
    /* Connected pieces that nothing holds: their momentum is kept exactly (elastic_solve.c). */
    uint32_t piece_count;
    uint32_t *piece_starts, *piece_vertices;
    struct tet_visit *tet_energy; /* tet_count: p, q, r, reserved = the four corners */
    double *rest_energy;          /* of each body */
    uint64_t *body_tet_starts;    /* body_count + 1, into tet_energy */
};

/* ---- building ---------------------------------------------------------------------------------------------------- */

/* "i and j depend on one another": with the shear weight and the damper between them, both may be 0. */
struct elastic_pair {
    uint32_t i, j;
    double weight, damper;
};

struct elastic_builder {
    struct sim_model *model;
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
