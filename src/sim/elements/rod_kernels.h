/* Elastic rods, eight strands at a time: what passes over them read and write. See rod_kernels_lanes.h.
 *
 * Eight strands march side by side from root to tip. A row holds what belongs to vertex i, to the edge from it to vertex
 * i + 1, and to the joint at it, between edges i - 1 and i; number l of each array is that of strand l of the group.
 * Strands shorter than the longest of their group, and lanes without a strand, are filled up with rows of no stiffness. */
#ifndef DENT_SIM_ROD_KERNELS_H
#define DENT_SIM_ROD_KERNELS_H

#include <stdint.h>

enum { ROD_LANES = 8 };

struct rod_group {
    uint32_t first_row, row_count;
    uint32_t lane_count; /* strands of it; the lanes behind them are empty */
    uint32_t first_vertex[ROD_LANES], vertex_count[ROD_LANES]; /* of the global array; a lane without strand has a count of 1 */
};

/* What does not change. */
struct rod_row {
    double length[ROD_LANES];       /* of the edge at rest; 1 where there is none */
    double stretch[ROD_LANES];      /* E A / length */
    double bend[ROD_LANES];         /* E I and G J over the length of the joint, half of both edges */
    double twist[ROD_LANES];
    double natural[3][ROD_LANES];   /* curvatures and twist of the joint at rest */
    double spin_inertia[ROD_LANES]; /* of the edge about itself, kg m^2 */
    double damping[ROD_LANES];      /* s */
    double moves[ROD_LANES];        /* 1: the vertex moves by itself, 0: it is held */
    double turns[ROD_LANES];        /* 1: the director of the edge turns by itself */
};

/* Stretch (m), two curvatures and the twist (both twice the tangent of half an angle). */
enum { ROD_STRAINS = 4 };
struct rod_strains {
    double at[ROD_STRAINS][ROD_LANES];
};

/* What a substep aims at: energy and damping are factor/2 stiffness (strain - target)^2 and a constant. */
struct rod_aim {
    double target[ROD_STRAINS][ROD_LANES];
    double factor[ROD_LANES];  /* 1 + damping / H */
    double tension[ROD_LANES]; /* N, >= 0: of the edge when the substep began; what resists moving it sideways */
    double spin[ROD_LANES];    /* spin_inertia / H^2 */
};

/* Directors: unit, across their edge. */
struct rod_director {
    double at[3][ROD_LANES];
};

/* Of a vector: three numbers of the vertex, one of the turn of the edge. */
struct rod_values {
    double at[4][ROD_LANES];
};

/* Of the matrix, blocks of a row with itself (lower half by rows), the row before, and the one before that (the turn of
 * an edge does not meet those: three rows). As a factor: the diagonal of `own` is inverted. */
struct rod_matrix {
    double own[10][ROD_LANES], before[16][ROD_LANES], far[12][ROD_LANES];
};

/* What contacts add to it: xx xy xz yy yz zz of a vertex with itself, and with the vertex before. */
struct rod_added {
    double own[6][ROD_LANES], before[6][ROD_LANES];
};

/* What a pass over one group reads: arrays begin with its first row. Positions: 3 per vertex of the global array, and one
 * number behind the last. */
struct rod_pass {
    const struct rod_row *rows;
    const struct rod_aim *aims;
    const struct rod_director *directors;
    const double *positions;
};

struct rod_kernels {
    /* Directors carried from one set of positions to another without twisting, then turned by `part` of the turns
     * (twice the tangent of half the angle; null: not at all). In place, if wanted. */
    void (*carry)(const struct rod_group *group, const struct rod_director *from, const double *positions,
                  const double *moved, const struct rod_values *turns, double part, struct rod_director *out);
    void (*strains)(const struct rod_group *group, const struct rod_pass *pass, struct rod_strains *out);
    /* Energy at strains b, less that at a, strand by strand; with the aims of the pass, or (null) natural strains. */
    void (*difference)(const struct rod_group *group, const struct rod_pass *pass, const struct rod_strains *a,
                       const struct rod_strains *b, double sums[ROD_LANES]);
    /* The gradient of energy and damping; the product of their matrix with a direction. Held parts are 0. */
    void (*gradient)(const struct rod_group *group, const struct rod_pass *pass, struct rod_strains *strains,
                     struct rod_values *out);
    void (*product)(const struct rod_group *group, const struct rod_pass *pass, const struct rod_values *direction,
                    struct rod_values *out);
    /* The matrix with inertia (one number per row and lane) and what contacts add (may be null), factored; solving. */
    void (*factor)(const struct rod_group *group, const struct rod_pass *pass, const double (*inertia)[ROD_LANES],
                   const struct rod_added *added, struct rod_matrix *out);
    void (*solve)(const struct rod_group *group, const struct rod_matrix *factor, const struct rod_values *right,
                  struct rod_values *out);
};

extern const struct rod_kernels rod_kernels_scalar, rod_kernels_avx2, rod_kernels_avx512;

#endif
