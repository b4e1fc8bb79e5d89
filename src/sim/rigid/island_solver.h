/* The velocities of rigid bodies that touch one another, all at once.
 *
 *   in    bodies with mass, inertia and the velocity they would have without contacts; rows, one per contact
 *   out   the velocities v that minimise
 *
 *             1/2 (v - free)^T M (v - free)     subject to     n . u >= target,  friction within its disc
 *
 *         u being the relative velocity of the two sides at a contact; and the impulse of every row
 *
 * The same solver serves three times in a substep (contacts/rigid_islands.c): contacts with friction; restitution;
 * and, with displacements for velocities, the recovery from overlap. See island_solver.c for the method. */
#ifndef DENT_SIM_ISLAND_SOLVER_H
#define DENT_SIM_ISLAND_SOLVER_H

#include "block_matrix.h"

/* Islands up to this size are solved to the end in every substep. */
enum { ISLAND_FEW_BODIES = 40 };

/* A body of an island. */
struct island_body {
    uint32_t rigid; /* number in the model */
    double mass, inverse_mass;
    double inertia[9], inverse_inertia[9]; /* in space */
    double radius;                         /* of its farthest vertex: what a turn moves */
    double turn[9];                        /* rotation at the poses for which rows are measured */
};

/* A contact. Sides are numbers within the island, or SIM_NONE for what does not yield. */
struct island_row {
    uint64_t contact; /* number in the contact set */
    uint32_t side[2];
    uint32_t pair;                                   /* of blocks, where both sides yield */
    bool kinetic;                                    /* friction: at its limit it slides */
    bool implied;                                    /* by others: takes no part */
    double arm[2][3];                                /* from the centre of the body to the point of contact */
    double normal[3];                                /* from side 1 to side 0 */
    double drift[3];                                 /* relative velocity by sides that do not yield */
    double target;                                   /* least normal velocity; -INFINITY: takes no part */
    double friction_static, friction_kinetic, yield; /* yield: velocity per impulse, of soft contacts */
    double stiffness;                                /* of this round */
    double limit;                                    /* of friction, from the last normal impulse */
    double normal_force, tangent_force[3];           /* impulses: the multipliers, and in the end the result */
    double kept[4];                                  /* those before a round */
    double mobility[2];                              /* for sweeps: velocity per impulse, along the normal and across */
    double gap, approach, restitution;               /* for rigid_islands.c: at the start of the substep; -: closing */
    bool moving;                                     /* a side that does not yield moves */
    bool placed;                                     /* the following are known: */
    double local[2][3], local_normal[3];             /* points and normal in the frames of the bodies; of side 1 */
    double relative[3], change[3];                   /* of a Newton step: velocity where it begins, and along it */
};

/* One equation or inequality of a joint (island_joints.c). */
struct joint_row {
    uint32_t joint, slot; /* in the model; of its multipliers in the state */
    uint32_t side[2];     /* within the island; SIM_NONE: the world */
    uint32_t pair;
    double along[2][6];         /* per side: linear, then angular */
    double target;              /* velocity */
    double lower, upper, yield; /* bounds of the impulse; velocity per impulse */
    double arm;                 /* length that makes its speed one of points: 1 for linear rows */
    double impulse, kept;       /* the multiplier, and in the end the result */
    double stiffness, mobility, inverse;
};

struct island {
    uint32_t first_joint, joint_count; /* rows of joints */
    uint32_t first_body, body_count, first_row, row_count, first_pair, pair_count;
    uint32_t acting_count; /* of rows: those that no others imply come first */
    uint32_t layers; /* contacts from a support to the body farthest from it */
    bool supported;  /* by something that does not yield: momentum is not its own */
    bool active;     /* in this substep */
    bool consistent; /* the velocities of the last call are those of the impulses */
    struct block_matrix matrix;
    uint32_t newtons, rounds; /* of the last call */
    double work;              /* of motors in the push, with elastic bodies a bound */
    double motors;            /* with joints: what motors did in the substep */
    double kinetic, credit;   /* with joints: energy at the beginning of the substep, and what may be added to it */
    double owed;              /* what a recovery would take that the island cannot pay */
    bool foreign;             /* the minimisation moves its bodies before */
    bool driven;              /* from outside, in this substep: may gain energy */
    double residual;          /* the largest velocity into a contact that was left */
};

struct island_exact;

/* One problem of an island. Vectors have six numbers per body: linear, then angular. */
struct island_problem {
    const struct block_room *room;
    struct island_exact *exact; /* null: not wanted */
    struct island *island;
    struct island_body *bodies;
    struct island_row *rows;
    struct joint_row *joints;
    double *free, *velocity, *gradient, *step; /* of the island; velocity: the first guess at entry */
    double tolerance;                          /* a velocity */
    uint32_t rounds;                           /* at most */
    bool friction;
    double rough; /* large islands: sweeps are enough that leave less than this velocity into a contact */
};

/* On return the velocities are those of the impulses, and D (below) is not above 0: momentum is kept, and contacts give
 * no energy but what targets above 0 and sides that move ask for. But not those of small islands that are supported and
 * did not settle: they have Newton's last velocities, which are nearer to the solution than any impulses at hand. */
void island_solve(struct island_problem *problem);
/* The relative velocity of the two sides of a row. */
void island_relative_velocity(const struct island_row *row, const double *velocity, double relative[3]);
/* vector += sign * J^T impulse. */
void island_add_impulse(const struct island_row *row, const double *impulse, double sign, double *vector);
/* a^T M b. */
double island_product(const struct island_body *bodies, uint32_t count, const double *a, const double *b);

/* ---- island_joints.c --------------------------------------------------------------------------------------------- */

double joint_row_speed(const struct joint_row *row, const double *velocity);
/* How easily a row moves its bodies: mobility and inverse. */
void joint_row_measure(const struct island_problem *problem, struct joint_row *row);
void joints_add_gradient(const struct island_problem *problem, const double *velocity, double *gradient);
double joints_slope(const struct island_problem *problem, double share);
void joints_add_matrix(const struct island_problem *problem);
void joints_take_impulses(const struct island_problem *problem, double *violation, double *change, double *most);
void joints_apply(const struct island_problem *problem, double *sum); /* sum += J^T impulses */
void joints_set_stiffness(const struct island_problem *problem, double factor, double largest);
double joints_sweep(const struct island_problem *problem, bool backward);
void joints_dual_parts(const struct island_problem *problem, double *quadratic, double *linear);

/* ---- island_sweeps.c --------------------------------------------------------------------------------------------- */

void island_apply_impulses(const struct island_problem *problem); /* velocity = free + M^-1 J^T impulses */
/* From velocities that are those of the impulses; ends early when no row moves by more than the tolerance. Returns what
 * the last sweep moved. */
double island_sweep(const struct island_problem *problem, uint32_t sweeps);
double island_violation(const struct island_problem *problem); /* the largest velocity into a contact */
/* D of the impulses, the velocities being theirs. */
double island_dual(const struct island_problem *problem);
void island_scale_impulses(const struct island_problem *problem, double share); /* and the velocities with them */
/* Scales impulses and velocities to the least D where that is above 0. */
void island_limit_impulses(const struct island_problem *problem);

#endif
