/* The elastic mesh, part of the model: elements of all elastic bodies, laid out for passes over elements. A pass writes
 * what each element puts on each of its corners into one array; vertices then gather their entries in a fixed order, so
 * that sums have the same bits for any number of threads. */
#ifndef DENT_SIM_ELASTIC_MESH_H
#define DENT_SIM_ELASTIC_MESH_H

#include "sim_elements.h"
#include "solid_cells.h"

enum { TET_LANES = 8, TET_ENTRIES = 12 * TET_LANES };

/* Eight tetrahedra of one body; the last group of a body is filled up with tetrahedra of no stiffness. */
struct tet_group {
    double inverse[9][TET_LANES]; /* of the rest edges, by rows: row k is the gradient of the shape function of k + 1 */
    double mu[TET_LANES], lambda[TET_LANES]; /* times the rest volume; lambda is lambda' of tet_elasticity.c */
    double gamma[TET_LANES];
    double damping[TET_LANES]; /* s */
    uint32_t corners[4][TET_LANES];
};

struct cloth_triangle {
    uint32_t corners[3], body;
    double along[3], across[3]; /* how the corners weigh in the stretch of the warp and of the weft */
    double stretch, shear;      /* stiffness times area */
    double damping;             /* s */
};

struct cloth_hinge {
    uint32_t corners[4], body, reserved;
    double weights[4]; /* |sum weights x| measures the angle */
    double stiffness, rest;
};

struct elastic_mesh {
    uint64_t tet_count;
    uint32_t group_count, triangle_count, hinge_count;
    struct tet_group *groups;
    struct cloth_triangle *triangles;
    struct cloth_hinge *hinges;
    uint32_t *body_groups, *body_triangles, *body_hinges; /* body_count + 1 each */
    /* By vertex (vertex_count + 1): entries of the pass over tetrahedra (components 8 apart), and over cloth
     * (components one after the other; triangles first, 9 each, then hinges, 12 each). */
    uint32_t *tet_starts, *tet_entries, *cloth_starts, *cloth_entries;
    struct solid_cells cells; /* with laws of their own */
    double *rest_energy; /* of each body */
    /* Connected pieces that nothing holds: their momentum follows from the outer forces exactly (momentum.c). */
    uint32_t piece_count;
    uint32_t *piece_starts, *piece_vertices;
    uint32_t *vertex_pieces; /* by vertex, or SIM_NONE */
};

struct elastic_builder {
    struct sim_model *model;
    struct tet_group *groups;
    uint64_t group_count, group_capacity, tet_count;
    uint32_t lanes; /* used of the last group */
    struct cloth_triangle *triangles;
    uint64_t triangle_count, triangle_capacity;
    struct cloth_hinge *hinges;
    uint64_t hinge_count, hinge_capacity;
};

/* tet_elasticity.c, cloth_elasticity.c: all elements of a body. */
dent_status tet_elasticity_add(struct elastic_builder *builder, uint32_t body);
dent_status cloth_elasticity_add(struct elastic_builder *builder, uint32_t body);

/* The 3x3 blocks of the stiffness of one tetrahedron between its corners, at positions x; scaled by 1 + damping
 * rate. */
void tet_stiffness(const struct tet_group *group, uint32_t lane, const double *positions, double rate,
                   double blocks[4][4][9]);

/* The matrix of a triangle where its gradient was last found: the images of the unit vectors of the fabric, and
 * stiffness across and (over the square of their length) along each. */
struct cloth_matrix {
    double u[3], v[3], across[2], along[2];
};

/* What a pass over cloth works on; see struct element_pass of elastic_pass.h. */
struct element_pass;
void cloth_triangle_matrix(const struct cloth_triangle *triangle, const double *positions, struct cloth_matrix *matrix);
/* w: sum weights x; the matrix between corners i and j is weights i j (across I + along w w^T). */
void cloth_hinge_matrix(const struct cloth_hinge *hinge, const double *positions, double w[3], double *across,
                        double *along);
/* matrix: may be null; written. */
void cloth_triangle_gradient(const struct cloth_triangle *triangle, const struct element_pass *pass,
                             struct cloth_matrix *matrix, double out[9]);
void cloth_triangle_product(const struct cloth_triangle *triangle, const struct element_pass *pass,
                            const struct cloth_matrix *matrix, double out[9]);
void cloth_triangle_stiffness(const struct cloth_triangle *triangle, const double *positions, double rate,
                              double blocks[3][3][9]);
double cloth_triangle_change(const struct cloth_triangle *triangle, const struct element_pass *pass, double part);
void cloth_hinge_gradient(const struct cloth_hinge *hinge, const struct element_pass *pass, double out[12]);
void cloth_hinge_product(const struct cloth_hinge *hinge, const struct element_pass *pass, double out[12]);
void cloth_hinge_stiffness(const struct cloth_hinge *hinge, const double *positions, double blocks[4][4][9]);
double cloth_hinge_change(const struct cloth_hinge *hinge, const struct element_pass *pass, double part);
double cloth_triangle_energy(const struct cloth_triangle *triangle, const double *positions);
double cloth_hinge_energy(const struct cloth_hinge *hinge, const double *positions);

#endif
