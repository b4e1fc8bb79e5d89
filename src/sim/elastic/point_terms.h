/* Contacts, attachments and grabs as terms of the sum that a substep minimises; see point_terms.c. */
#ifndef DENT_SIM_POINT_TERMS_H
#define DENT_SIM_POINT_TERMS_H

#include "sim_elastic.h"

/* A point that vertices carry, or a rigid body, or nothing: a place in space. */
struct term_point {
    uint32_t rigid;       /* or SIM_NONE */
    uint32_t vertices[4]; /* of the global array, or SIM_NONE */
    double weights[4];
    double local[3]; /* in the frame of the rigid body; or the place in space */
};

enum term_kind { TERM_CONTACT, TERM_SPRING, TERM_RAIL };

struct point_term {
    struct term_point a, b;
    enum term_kind kind;
    double normal[3], offset;     /* contact: gap = normal . (a - b) + offset, pushes below 0; rail: its direction */
    double raise, raised, room;   /* contact: by how much the gap it keeps may grow in a substep, grows, and has room to */
    double stiffness, length;     /* length: of a spring at rest */
    double damping;               /* spring: over the substep, N/m; against moving along `normal` from `start` */
    double friction[2];           /* static, kinetic */
    double slip[3];               /* how far its friction is stretched, at the start of the substep … */
    double start[3];              /* … and a - b then */
    double begun[3];              /* the slip at its start, when `slip` is that at its end */
    double limit;                 /* of friction in the present iteration */
    bool sliding, in_factor;      /* in_factor: of the preconditioner */
    uint64_t source;              /* contact, attachment, grab or joint */
    /* At the present positions: force on a, and the matrix: xx xy xz yy yz zz. */
    double force[3], matrix[6];
    double place[3], motion[3]; /* a - b at the present positions, and how it moves along a direction: terms_aim */
};

struct point_terms {
    struct point_term *terms;
    uint64_t count, capacity, contact_count; /* contacts first */
};

/* Positions of all vertices and poses of all rigid bodies. */
struct placement {
    const double *positions;
    const dent_rigid_state *rigids;
};

void term_point_place(const struct term_point *point, const struct placement *at, double place[3]);
/* Forces and matrices of all terms; fixes the limits of friction. */
void terms_linearise(struct point_terms *terms, const struct placement *at);
/* Adds minus the forces, or the matrices times the direction, to out: 3 per vertex, then 6 per rigid body. */
void terms_add_gradient(const struct sim_model *model, const struct point_terms *terms, const struct placement *at,
                        double *out);
void terms_add_product(const struct sim_model *model, const struct point_terms *terms, const struct placement *at,
                       const double *direction, double *out);
/* The sum of all terms; the limits of friction stay. */
double terms_energy(const struct point_terms *terms, const struct placement *at);
/* For steps along a direction, to first order: how all terms move; then their sum at `part` of it. */
void terms_aim(const struct sim_model *model, struct point_terms *terms, const struct placement *at,
               const double *direction);
double terms_energy_along(const struct point_terms *terms, double part);
/* What terms would give back: without what friction has turned into heat. Friction is stretched by `slip`. */
double terms_stored(const struct point_terms *terms, const struct placement *at);
double term_stored(const struct point_term *term, const struct placement *at);

#endif
