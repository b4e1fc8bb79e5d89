/* The constraint problem as the solvers see it: columns g = M^(-1/2) J' of unit length, cut into islands.
 *
 *     y = sum of f g,    g . y >= target,    lower <= f <= upper                        (all scaled to about 1)
 *
 * In: dent_constraint_problem. Out: per column its multiplier f, per island y and an outcome. A compliant column has one
 * more coordinate of its own, with the square root of the compliance: to the solvers it is a column like any other.
 *
 * Scales are powers of two, so they cost no rounding. Row r has 2^row_exponent taken out of its coefficients, block b
 * 2^metric_exponent out of its factor (the largest of all blocks for all), and the targets of an island 2^target_exponent. */
#ifndef DENT_RESPONSE_CONSTRAINT_SYSTEM_H
#define DENT_RESPONSE_CONSTRAINT_SYSTEM_H

#include "base/containers/dynamic_array.h"

#include <dent/constraints.h>

struct metric_block {
    uint32_t first_coordinate; /* in the motion */
    uint32_t size;
    uint32_t local_coordinate; /* in its island */
    uint32_t island;           /* UINT32_MAX: none */
    size_t factor;             /* where its numbers begin; see constraint_metric.c */
    int exponent;              /* its own, before all blocks get the same */
    dent_metric_kind kind;
};

struct column_part {
    uint32_t coordinate; /* of the island */
    uint32_t size;
    size_t values;
    uint32_t block; /* UINT32_MAX: the compliance's own coordinate */
};

struct constraint_column {
    uint32_t row;
    uint32_t island;
    uint32_t part_count; /* with room for one more */
    size_t first_part;
    double target, lower, upper;
    double softness; /* compliance with unit mobility */
    double length;   /* of g before it was made unit */
    int exponent;    /* row_exponent */
    double force;    /* f, in and out */
    uint32_t state;  /* dent_constraint_state, in and out */
    bool is_tangent;
    uint32_t tangents[2]; /* columns of the island; UINT32_MAX: none */
    double friction;
};

struct constraint_island {
    size_t first_column; /* columns of an island are neighbours, in the order of rows */
    uint32_t column_count;
    uint32_t coordinate_count; /* of blocks; compliant columns have theirs behind them */
    uint32_t soft_count;
    bool has_friction;
    int target_exponent;
    dent_constraint_outcome outcome;
};

/* R of the QR factors of the active columns, by columns; and Q, where it is kept (constraint_factor.c). */
struct constraint_factor {
    double *upper, *basis; /* stride: `capacity`, `height` */
    double *rotations;     /* 2 * capacity */
    double *work;          /* 4 * capacity + 2 * height */
    uint32_t *order;       /* active columns */
    uint32_t count, capacity;
    uint32_t height; /* coordinates */
    bool explicit_basis;
    double least_diagonal;
};

struct dent_constraints {
    dent_context *context;
    struct dynamic_array blocks, factors, drafts, columns, parts, values, islands, parents, marks, lookup, motions,
        doubles, indices;
    int metric_exponent;
};

/* What a solver of one island gets. */
struct island_work {
    dent_constraints *system;
    struct constraint_island *island;
    struct constraint_column *columns;
    double *y; /* coordinate_count + soft_count numbers, written */
    uint32_t iteration_limit;
    uint32_t iterations, redundant;
    double least_diagonal;
};

/* ---- constraint_metric.c ---- */
dent_status metric_prepare(dent_constraints *system, const dent_constraint_problem *problem);
/* g = M^(-1/2) J', without the exponents. `in` has no number above 1. */
void metric_apply_transposed(const dent_constraints *system, const struct metric_block *block, const double *in,
                             double *out);
/* x = M^(-1/2)' y. */
void metric_apply(const dent_constraints *system, const struct metric_block *block, const double *in, double *out);

/* ---- constraint_build.c ---- */
dent_status system_build(dent_constraints *system, const dent_constraint_problem *problem);
/* Gives every column of the island a coordinate of its own with this much more softness. */
void island_soften(struct island_work *work, double softness);

/* Multiplier of a column in the caller's unit, and back. */
double column_multiplier(const struct island_work *work, const struct constraint_column *column, double force);

/* ---- columns ---- */
double column_dot(const struct island_work *work, const struct constraint_column *column, const double *vector);
void column_add(const struct island_work *work, const struct constraint_column *column, double factor, double *vector);
/* y = sum of f g. */
void island_sum(const struct island_work *work);

/* ---- constraint_factor.c ---- */
size_t factor_doubles(uint32_t capacity, uint32_t height, bool explicit_basis);
void factor_begin(struct constraint_factor *factor, double *memory, uint32_t *order, uint32_t capacity, uint32_t height,
                  bool explicit_basis);
/* Adds a column. False: it depends on those present, and x (`count` numbers) says how: g = sum of x_p g_p. */
bool factor_insert(struct constraint_factor *factor, const struct island_work *work, uint32_t column, double *x);
void factor_remove(struct constraint_factor *factor, uint32_t position);
/* With an explicit basis: moves y in the span of the active columns so that G'y = right. Overwrites right. */
void factor_meet(const struct constraint_factor *factor, double *right, double *y);
/* Solves G'G f = right, in place. */
void factor_solve(const struct constraint_factor *factor, double *right);

/* ---- solvers of one island: write force and state of columns and y, outcome of the island ---- */
dent_status active_set_solve(struct island_work *work);
dent_status contact_space_solve(struct island_work *work);
dent_status friction_cone_solve(struct island_work *work, double tolerance, uint32_t sweeps);
dent_status friction_pyramid_solve(struct island_work *work, uint32_t directions);

/* ---- complementarity.c ---- */
/* w = matrix z + q, w >= 0, z >= 0, w'z = 0 by Lemke's method. matrix: size * size by rows. memory: lemke_doubles(size)
 * numbers; basis: size. SOLVED; INFEASIBLE: proven by a ray; LIMIT: another attempt may go another way. */
size_t lemke_doubles(uint32_t size);
dent_constraint_outcome lemke_solve(const double *matrix, const double *q, uint32_t size, double *memory,
                                    uint32_t *basis, uint32_t limit, uint32_t attempt, double *z, uint32_t *pivots);

/* Room for this many numbers, not kept between calls; null: no memory. */
double *system_doubles(dent_constraints *system, size_t count);
uint32_t *system_indices(dent_constraints *system, size_t count);

#endif
