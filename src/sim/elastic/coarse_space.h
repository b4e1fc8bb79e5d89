/* The preconditioner of the minimisation; see coarse_space.c. */
#ifndef DENT_SIM_COARSE_SPACE_H
#define DENT_SIM_COARSE_SPACE_H

#include "sim/elements/elastic_mesh.h"
#include "envelope.h"
#include "point_terms.h"

/* Vertices that move as one, a single vertex, or a rigid body. */
struct coarse_node {
    uint32_t unknowns; /* 3 or 6: displacement, and rotation about its centre */
    uint32_t rigid;    /* or SIM_NONE */
    bool is_cloth;
    uint32_t first;    /* unknown, in the order of elimination */
    double center[3];  /* at rest; of a rigid body 0; of cloth in large scenes: now */
    double frame[9];   /* how it has turned since */
};

/* Cloth of large scenes, as it lies now: present_cloth.c. */
struct present_cloth {
    bool used;
    struct cloth_matrix *matrices; /* by triangle */
    uint32_t *border;              /* elements in more than one node: triangles, then hinges */
    uint32_t border_count;
    double *flat; /* by vertex: what hinges that are flat at rest put on its diagonal, the same at all times */
    bool has_curved; /* hinges */
    double *node_blocks, *pair_blocks; /* of all other elements, at rest */
};

struct coarse_pair {
    uint32_t a, b; /* nodes, a < b */
};

struct coarse_space {
    bool built;  /* what is made at rest is there */
    bool direct; /* a node for every vertex: the factor is that of the whole matrix */
    uint32_t node_count, unknown_count;
    struct coarse_node *nodes;
    uint32_t *vertex_nodes;                  /* by vertex, or SIM_NONE: it does not move */
    uint32_t *node_starts, *node_vertices;   /* free vertices of each node */
    double *arms;                            /* 3 per vertex: from the centre of its node, at rest; of cloth now */
    struct coarse_pair *pairs;               /* of nodes that elements join, ascending */
    uint32_t *pair_starts;                   /* by node a */
    uint64_t pair_count;
    double *node_blocks, *pair_blocks;       /* 36 each, of the elements at rest, in the frames */
    double *rest_diagonal, *inverse_diagonal; /* 6 per vertex: xx xy xz yy yz zz */
    double *diagonal;                        /* as rest_diagonal, in the frames; of cloth in large scenes: now */
    struct present_cloth cloth;
    double weight;                           /* of the diagonal */
    bool diagonal_in_floats;                 /* inverse_diagonal is not kept: float_solve.c has its own */
    bool factor_is_static;                   /* no term is in the factor, … */
    uint8_t *factor_active;                  /* … and these rigid bodies were active */
    const struct tet_kernels *kernels;
    uint64_t refreshes; /* factors made since creation */
    struct envelope envelope;
    double *values;      /* of the unknowns */
    /* Scratch of the order: neighbours by terms and elements. */
    struct coarse_pair *links;
    uint64_t link_count, link_capacity;
    uint32_t *link_starts, *order;
    uint32_t *static_first, *static_envelope; /* the order without terms: first unknowns of nodes, first columns */
};

/* What resists being moved from where inertia alone would take it: mass / H^2. */
struct inertia_terms {
    double *vertices;      /* 0: does not move by itself */
    double rigid;          /* times mass and inertia of a rigid body */
    uint8_t *rigid_active; /* by rigid body: is an unknown of the minimisation */
    double rate;           /* 1 / H */
    double mass_factor;    /* of vertices: times the mass, also of those that do not move */
};

dent_status coarse_build(struct sim_model *model, const struct inertia_terms *inertia, struct coarse_space *space);
/* The matrices at rest, again for another inertia. */
dent_status coarse_rest(const struct sim_model *model, const struct inertia_terms *inertia, struct coarse_space *space);
void coarse_destroy(dent_context *context, struct coarse_space *space);
/* For the present positions, terms (linearised) and inertia; with the elements at the beginning of an interval. */
dent_status coarse_refresh(const struct sim_model *model, const struct sim_state *state,
                           const struct point_terms *terms, const struct inertia_terms *inertia,
                           struct coarse_space *space, bool elements);
/* Whether about the same contacts push as when it was made. */
bool coarse_is_current(const struct point_terms *terms);
/* The inverses of the diagonal blocks with the terms, where floats have them. */
void coarse_diagonal(const struct sim_model *model, const struct point_terms *terms, const struct inertia_terms *inertia,
                     struct coarse_space *space);
/* The inverse of a positive matrix xx xy xz yy yz zz; of one that rounding has spoilt, that of its diagonal. */
void coarse_invert_symmetric(const double s[6], double inverse[6]);
/* z = M^-1 r */
void coarse_apply(const struct sim_model *model, const struct coarse_space *space, const double *r, double *z);

#endif
